/* Chooses from a script: the same line always gives the same answer. */
#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "provider/script.h"

#include <string.h>
#include <strings.h>

/* Bytes of a message that are compared. */
enum { WHEN_BYTES = 64 * 1024, MATCH_BYTES = 4 * 1024, ARGS_BYTES = 64 * 1024 };

static bool same_name(skn_str rule, skn_str given)
{
    return rule.n == given.n && !strncasecmp(rule.p, given.p, rule.n);
}

static skn_str lower(skn_arena *a, skn_str s)
{
    char *low;

    s = skn_utf8_cut(s, WHEN_BYTES);
    low = skn_arena_alloc(a, s.n + 1);
    for (size_t i = 0; i < s.n; i++)
        low[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] + ('a' - 'A') : s.p[i]);
    return (skn_str){low, s.n};
}

static bool pattern_fits(const regex_t *re, skn_str text, skn_script_match *out)
{
    regmatch_t at[SKN_SCRIPT_GROUPS];

    if (regexec(re, text.p, SKN_SCRIPT_GROUPS, at, 0))
        return false;
    for (size_t i = 1; i < SKN_SCRIPT_GROUPS; i++) {
        if (at[i].rm_so >= 0)
            out->groups[i] = skn_str_sub(text, (size_t)at[i].rm_so, (size_t)at[i].rm_eo);
    }
    return true;
}

static bool names_fit(const skn_script_rule *rule, const skn_script_line *line)
{
    if (!rule->tool.p != !line->tool.p)
        return false;
    return (!rule->tool.p || skn_str_eq(rule->tool, line->tool)) &&
           (!rule->agent.p || same_name(rule->agent, line->agent)) &&
           (!rule->from.p || same_name(rule->from, line->sender));
}

void skn_script_choose(const skn_script *s, const skn_script_line *line, skn_arena *a,
                       skn_script_match *out)
{
    skn_str low = lower(a, line->text);
    skn_str text = skn_utf8_cut(line->text, MATCH_BYTES);

    *out = (skn_script_match){&s->otherwise, {{NULL, 0}}};
    text = skn_arena_copy(a, text.p ? text : SKN_STR(""));
    for (size_t i = 0; i < s->rule_count; i++) {
        const skn_script_rule *rule = &s->rules[i];

        if (!names_fit(rule, line) || (rule->when.p && skn_str_find(low, rule->when) < 0) ||
            (rule->matches && !pattern_fits(rule->matches, text, out)))
            continue;
        out->steps = &rule->steps;
        return;
    }
}

/* --- Filling in names and groups ----------------------------------------------------------------- */

/* Finds the placeholder at the start of s: its value and its length in bytes. Returns false if there is none. */
static bool placeholder(skn_str s, const skn_script_line *line, const skn_script_match *match,
                        skn_str *value, size_t *bytes)
{
    static const skn_str agent = {"{agent}", 7}, sender = {"{sender}", 8};

    if (skn_str_starts(s, agent)) {
        *value = line->agent;
        *bytes = agent.n;
    } else if (skn_str_starts(s, sender)) {
        *value = line->sender;
        *bytes = sender.n;
    } else if (s.n >= 3 && s.p[1] >= '1' && s.p[1] <= '9' && s.p[2] == '}') {
        *value = match->groups[s.p[1] - '0'];
        *bytes = 3;
    } else {
        return false;
    }
    return true;
}

static void fill_in(skn_str text, const skn_script_line *line, const skn_script_match *match,
                    skn_buf *out)
{
    while (text.n && !out->over) {
        const char *brace = memchr(text.p, '{', text.n);
        size_t      plain = brace ? (size_t)(brace - text.p) : text.n, bytes = 1;
        skn_str     value = SKN_STR("{");

        skn_buf_add(out, skn_str_sub(text, 0, plain));
        text = skn_str_sub(text, plain, text.n);
        if (!text.n)
            return;
        placeholder(text, line, match, &value, &bytes);
        skn_buf_add(out, value);
        text = skn_str_sub(text, bytes, text.n);
    }
}

void skn_script_text(const skn_script *s, const skn_script_step *step,
                     const skn_script_line *line, const skn_script_match *match, skn_buf *out)
{
    uint64_t pick = skn_hash_bytes((uint64_t)s->seed, line->text);

    pick = skn_hash_bytes(pick, line->agent);
    fill_in(step->texts[pick % step->text_count], line, match, out);
}

/* --- Arguments -------------------------------------------------------------------------------------- */

typedef struct writer {
    const skn_script_line  *line;
    const skn_script_match *match;
    skn_arena              *a;
    skn_buf                 text; /* of the value being written */
    skn_jw                  w;
} writer;

/* An unquoted number or truth value keeps its type. */
static bool is_bare(writer *out, const skn_yaml *v)
{
    const skn_json *json;

    return !v->quoted && !skn_json_parse(&json, v->text, "", out->a, NULL) &&
           (json->kind == SKN_JSON_NUMBER || json->kind == SKN_JSON_BOOL);
}

static void write_value(writer *out, const skn_yaml *v)
{
    if (is_bare(out, v)) {
        skn_jw_raw(&out->w, v->text);
        return;
    }
    skn_buf_clear(&out->text);
    fill_in(v->text, out->line, out->match, &out->text);
    skn_jw_str(&out->w, skn_buf_str(&out->text));
    out->w.out->over = out->w.out->over || out->text.over;
}

/* The recursion is limited by the depth of YAML, 8. */
static void write_tree(writer *out, const skn_yaml *v)
{
    if (v->kind == SKN_YAML_TEXT) {
        write_value(out, v);
        return;
    }
    if (v->kind == SKN_YAML_MAP)
        skn_jw_object(&out->w);
    else
        skn_jw_array(&out->w);
    for (const skn_yaml *item = v->first; item; item = item->next) {
        if (v->kind == SKN_YAML_MAP)
            skn_jw_key_str(&out->w, item->key);
        write_tree(out, item);
    }
    if (v->kind == SKN_YAML_MAP)
        skn_jw_object_end(&out->w);
    else
        skn_jw_array_end(&out->w);
}

void skn_script_args(const skn_script_step *step, const skn_script_line *line,
                     const skn_script_match *match, skn_arena *a, skn_buf *out)
{
    writer w = {.line = line, .match = match, .a = a};

    if (!step->args) {
        skn_buf_add(out, SKN_STR("{}"));
        return;
    }
    skn_buf_init(&w.text, ARGS_BYTES);
    skn_jw_init(&w.w, out);
    write_tree(&w, step->args);
    skn_buf_release(&w.text);
}

/* The C library expands repetitions before it matches: a{50} becomes fifty times a, a+ becomes a and a*, and nested
 * ones multiply, so that a few dozen bytes such as "a++++…" use up all memory. The size of the expansion is therefore
 * computed first. Back-references are refused, because they make matching a search. */

enum { PARTS = 2000, DEPTH = 30 };

typedef struct sizer {
    const char *p, *end;
    int64_t     before[DEPTH + 1]; /* parts of each open group, except for the last atom */
    int64_t     last;              /* parts of the last atom */
    size_t      depth;
} sizer;

static void atom(sizer *s, int64_t parts)
{
    s->before[s->depth] += s->last;
    s->last = parts;
}

static void repeat(sizer *s, int64_t times)
{
    s->last = s->last * times;
    if (s->last > PARTS)
        s->last = PARTS + 1;
}

static char at(const sizer *s)
{
    return s->p < s->end ? *s->p : '\0';
}

/* Skips "[…]", with p after the first bracket: a "]" at its start is literal, and so is everything in [: :]. */
static void skip_set(sizer *s)
{
    if (at(s) == '^')
        s->p++;
    if (at(s) == ']')
        s->p++;
    for (; s->p < s->end && *s->p != ']'; s->p++) {
        char kind = s->p + 1 < s->end ? s->p[1] : '\0';

        if (*s->p != '[' || (kind != ':' && kind != '.' && kind != '='))
            continue;
        for (s->p += 2; s->p + 1 < s->end && !(s->p[0] == kind && s->p[1] == ']'); s->p++)
            continue;
        if (s->p < s->end)
            s->p++;
    }
    if (s->p < s->end)
        s->p++;
}

/* Reads "{3,5}", with p after the brace: returns the larger number, and one more without an upper limit. */
static int64_t read_count(sizer *s)
{
    int64_t most = 0, n = 0;

    for (; (at(s) >= '0' && at(s) <= '9') || at(s) == ','; s->p++) {
        n = *s->p == ',' ? 0 : n * 10 + (*s->p - '0');
        n = n > PARTS ? PARTS + 1 : n;
        most = n > most ? n : most;
    }
    return most + 1;
}

static void open_group(sizer *s)
{
    atom(s, 0);
    s->before[++s->depth] = 0;
}

static void close_group(sizer *s)
{
    int64_t inside = s->before[s->depth] + s->last;

    s->depth--;
    s->last = inside + 1;
}

static const char *take(sizer *s)
{
    char c = *s->p++;

    if (c == '\\') {
        if (at(s) >= '1' && at(s) <= '9')
            return "has a back-reference, which is not used here";
        s->p += s->p < s->end;
        atom(s, 1);
    } else if (c == '[') {
        skip_set(s);
        atom(s, 1);
    } else if (c == '(') {
        if (s->depth == DEPTH)
            return "has too many groups inside of each other";
        open_group(s);
    } else if (c == ')' && s->depth) {
        close_group(s);
    } else if (c == '{') {
        repeat(s, read_count(s));
    } else if (c == '+') {
        repeat(s, 2);
    } else if (c != '*' && c != '?' && c != '}') {
        atom(s, 1);
    }
    return NULL;
}

const char *skn_pattern_check(skn_str pattern)
{
    sizer       s = {.p = pattern.p, .end = pattern.p + pattern.n};
    const char *bad = NULL;

    while (!bad && s.p < s.end) {
        bad = take(&s);
        if (!bad && s.before[s.depth] + s.last > PARTS)
            bad = "becomes too large when its repeats are written out";
    }
    return bad;
}

/* The request of a scripted model, for people who want to see what a model saw. It is the same as for other models,
 * with a note that the script only reads one message of it. */

#define SENT_MOST ((size_t)64 << 20)

static skn_str kept(skn_buf *b, skn_arena *a)
{
    skn_str text = skn_arena_copy(a, skn_buf_str(b));

    skn_buf_clear(b);
    return text;
}

static void write_calls(skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_key(w, "toolCalls");
    skn_jw_array(w);
    for (size_t i = 0; i < m->call_count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "id", m->calls[i].call_id);
        skn_jw_kstr(w, "name", m->calls[i].tool_name);
        skn_jw_kstr(w, "args", m->calls[i].args);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void write_message(skn_jw *w, const skein_prompt_message *m)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "role", skn_str_of(skein_role_name(m->role)));
    skn_jw_kstr(w, "content", m->text);
    if (m->call_count)
        write_calls(w, m);
    if (m->tool_call_id.p)
        skn_jw_kstr(w, "toolCallId", m->tool_call_id);
    if (m->role == SKEIN_TOOL) {
        skn_jw_kstr(w, "name", m->tool_name);
        skn_jw_kbool(w, "failed", m->failed);
    }
    skn_jw_object_end(w);
}

static skn_str head(const skn_ask *what, skn_buf *b, skn_arena *a)
{
    skn_jw w;

    skn_buf_add(b, SKN_STR("{\"model\":"));
    skn_jw_init(&w, b);
    skn_jw_str(&w, skn_arena_printf(a, "demo/%.*s", SKN_FMT(what->model)));
    skn_buf_add(b, SKN_STR(",\"system\":"));
    skn_jw_init(&w, b);
    skn_jw_str(&w, what->system_prompt);
    skn_buf_add(b, SKN_STR(",\"messages\":["));
    return kept(b, a);
}

static skn_str tail(const skn_ask *what, const skn_script_line *line, skn_buf *b, skn_arena *a)
{
    skn_jw w;

    skn_buf_add(b, SKN_STR("],\"tools\":"));
    skn_jw_init(&w, b);
    skn_jw_array(&w);
    for (size_t i = 0; i < what->tool_count; i++)
        skn_jw_str(&w, what->tools[i].name);
    skn_jw_array_end(&w);
    skn_buf_add(b, SKN_STR(",\"looksAt\":"));
    skn_jw_init(&w, b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "sender", line->sender);
    skn_jw_kstr(&w, "tool", line->tool);
    skn_jw_kstr(&w, "text", line->text);
    skn_jw_object_end(&w);
    skn_buf_add(b, SKN_STR(",\"note\":\"a script: canned answers to what it looks at\"}"));
    return kept(b, a);
}

void skn_script_sent(const skn_ask *what, const skn_script_line *line,
                     const skn_answer_sink *sink)
{
    size_t     count = what->context ? what->context->count : 0;
    skn_arena *a = skn_arena_new();
    skn_str   *pieces = SKN_ARRAY(a, count + 2, skn_str);
    skn_buf    b;
    skn_jw     w;

    skn_buf_init(&b, SENT_MOST);
    pieces[0] = head(what, &b, a);
    for (size_t i = 0; i < count; i++) {
        if (i)
            skn_buf_addc(&b, ',');
        skn_jw_init(&w, &b);
        write_message(&w, &what->context->at[i]);
        pieces[i + 1] = kept(&b, a);
    }
    pieces[count + 1] = tail(what, line, &b, a);
    skn_buf_release(&b);
    sink->sent(sink->arg, pieces, count + 2);
    skn_arena_free(a);
}
