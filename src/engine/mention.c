#include "engine/mention.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

static bool name_char(char c)
{
    c = lower(c);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static skein_rc bad_name(skein_error *err, skn_str name, const char *why)
{
    skn_str shown = skn_utf8_cut(name, 80);

    if (!skn_utf8_valid(shown, NULL))
        shown = SKN_STR("?");
    skn_fail(err, SKEIN_INVALID, "the name \"%.*s\" %s", SKN_FMT(shown), why);
    return skn_hint(
        err, SKEIN_INVALID,
        "Use 1 to %d letters, digits, \"-\" and \"_\", the first a letter or digit.",
        SKN_NAME_MAX);
}

skein_rc skn_name_normal(skn_str name, skn_arena *a, skn_str *out, skein_error *err)
{
    char *low;

    *out = SKN_NONE;
    if (!name.n) {
        skn_fail(err, SKEIN_INVALID, "the name is empty");
        return skn_hint(err, SKEIN_INVALID, "Give it at least one letter or digit.");
    }
    if (name.n > SKN_NAME_MAX)
        return bad_name(err, name, "is too long");
    low = skn_arena_alloc(a, name.n + 1);
    for (size_t i = 0; i < name.n; i++) {
        if (!name_char(name.p[i]))
            return bad_name(err, name, "has a character that names may not have");
        low[i] = lower(name.p[i]);
    }
    if (low[0] == '_' || low[0] == '-')
        return bad_name(err, name, "begins with neither a letter nor a digit");
    *out = (skn_str){low, name.n};
    return SKEIN_OK;
}

/* Those to look for, and those found. */
typedef struct search {
    skn_map   *known; /* lower-case name to its number + 1; 0 once it was found */
    skn_arena *a;
    skn_vec(size_t) found;
} search;

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool may_follow(char c)
{
    return blank(c) || line_end(c) || c == ',' || c == ':';
}

/* Reads the mention at the start of *line and cuts it off with what may follow; false when there
 * is none. */
static bool read_mention(search *s, skn_str *line)
{
    char    low[SKN_NAME_MAX];
    size_t  n = 0;
    size_t *number;

    if (!line->n || line->p[0] != '@')
        return false;
    while (n + 1 < line->n && n < sizeof low && name_char(line->p[n + 1])) {
        low[n] = lower(line->p[n + 1]);
        n++;
    }
    number = skn_map_get(s->known, (skn_str){low, n});
    *line = skn_str_sub(*line, n + 1, line->n);
    if (!number || (line->n && !may_follow(line->p[0])))
        return false;
    if (*number) {
        skn_vec_add(s->a, &s->found, *number - 1);
        *number = 0;
    }
    if (line->n && (line->p[0] == ',' || line->p[0] == ':'))
        *line = skn_str_sub(*line, 1, line->n);
    return true;
}

static void skip_blanks(skn_str *line)
{
    while (line->n && blank(line->p[0]))
        *line = skn_str_sub(*line, 1, line->n);
}

static void learn(search *s, const skn_str *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        skn_str name;
        void  **slot;

        if (skn_name_normal(names[i], s->a, &name, NULL))
            continue;
        slot = skn_map_slot(s->known, name);
        if (*slot)
            continue;
        *slot = SKN_NEW(s->a, size_t);
        *(size_t *)*slot = i + 1;
    }
}

size_t skn_mentions(skn_str text, const skn_str *names, size_t n, skn_arena *a, size_t **out)
{
    search s = {.known = skn_map_new(a), .a = a};

    learn(&s, names, n);
    while (text.n) {
        skip_blanks(&text);
        while (read_mention(&s, &text))
            skip_blanks(&text);
        while (text.n && !line_end(text.p[0]))
            text = skn_str_sub(text, 1, text.n);
        if (text.n)
            text = skn_str_sub(text, 1, text.n);
    }
    *out = s.found.p;
    return s.found.n;
}
