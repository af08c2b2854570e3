/* Reads a script: unknown keys, patterns that do not compile and numbers above their limits are refused. */
#include "provider/script.h"
#include "base/str.h"
#include "base/utf8.h"
#include "provider/script_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    MOST_RULES = 1000,
    PATTERN_BYTES = 500,
    NAME_BYTES = 64,
    MOST_PACE = 10 * 1000,
    DEFAULT_PACE = 30
};

static const char no_line[] = "I am a scripted demo and have no line for that. Connect a model "
                              "to get a real answer.";

skein_rc skn_script_fail(skn_script_reader *r, int line, int column, const char *fmt, ...)
{
    char    text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return skn_fail(r->err, SKEIN_INVALID, "%s:%d:%d: %s", r->what, line, column, text);
}

skein_rc skn_script_keys(skn_script_reader *r, const skn_yaml *map, const char *where,
                         const char *known)
{
    if (map->kind != SKN_YAML_MAP)
        return SKN_SCRIPT_FAIL(r, map, "%s is a map; its keys are:%s", where, known);
    for (const skn_yaml *v = map->first; v; v = v->next) {
        skn_str rest = skn_str_of(known), word;
        bool    found = false;

        while (!found && skn_str_split(&rest, ' ', &word))
            found = word.n && skn_str_eq(word, v->key);
        if (!found)
            return skn_script_fail(r, v->key_line, v->key_column,
                                   "unknown key \"%.*s\" in %s; its keys are:%s",
                                   SKN_FMT(skn_utf8_cut(v->key, 60)), where, known);
    }
    return SKEIN_OK;
}

skein_rc skn_script_need_text(skn_script_reader *r, const skn_yaml *v, size_t most,
                              const char *what)
{
    if (v->kind != SKN_YAML_TEXT)
        return SKN_SCRIPT_FAIL(r, v, "%s is a text", what);
    if (v->text.n == 0)
        return SKN_SCRIPT_FAIL(r, v, "%s is empty", what);
    if (v->text.n > most)
        return SKN_SCRIPT_FAIL(r, v, "%s is over %zu bytes", what, most);
    return SKEIN_OK;
}

/* --- Rules ------------------------------------------------------------------------------------ */

static skein_rc read_matches(skn_script_reader *r, const skn_yaml *v, skn_script_rule *out)
{
    char        why[100];
    const char *bad;
    int         fault;
    regex_t    *re;
    skein_rc    rc;

    if ((rc = skn_script_need_text(r, v, PATTERN_BYTES, "matches")))
        return rc;
    if ((bad = skn_pattern_check(v->text)))
        return SKN_SCRIPT_FAIL(r, v, "matches %s", bad);
    re = SKN_NEW(r->s->a, regex_t);
    if ((fault = regcomp(re, v->text.p, REG_EXTENDED | REG_ICASE))) {
        regerror(fault, re, why, sizeof why);
        return SKN_SCRIPT_FAIL(r, v, "matches cannot be used as a pattern: %s", why);
    }
    out->matches = re;
    r->groups = re->re_nsub < 9 ? re->re_nsub : 9;
    return SKEIN_OK;
}

static skein_rc read_when(skn_script_reader *r, const skn_yaml *v, skn_script_rule *out)
{
    char    *low;
    skein_rc rc;

    if ((rc = skn_script_need_text(r, v, PATTERN_BYTES, "when")))
        return rc;
    low = skn_arena_alloc(r->s->a, v->text.n + 1);
    for (size_t i = 0; i < v->text.n; i++) {
        char c = v->text.p[i];

        low[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    out->when = (skn_str){low, v->text.n};
    return SKEIN_OK;
}

static skein_rc read_name(skn_script_reader *r, const skn_yaml *map, const char *key,
                          skn_str *out)
{
    const skn_yaml *v = skn_yaml_get(map, key);
    skein_rc        rc;

    if (!v)
        return SKEIN_OK;
    if ((rc = skn_script_need_text(r, v, NAME_BYTES, key)))
        return rc;
    *out = v->text;
    if (*out->p == '@') /* people may write "@" before an agent's name */
        *out = skn_str_sub(*out, 1, out->n);
    return out->n ? SKEIN_OK : SKN_SCRIPT_FAIL(r, v, "%s has no name after \"@\"", key);
}

static skein_rc read_rule(skn_script_reader *r, const skn_yaml *map)
{
    skn_script_rule *rule = &r->s->rules[r->s->rule_count];
    const skn_yaml  *v;
    skein_rc         rc;

    r->groups = 0;
    r->s->rule_count++; /* counted even if it is wrong, so that its pattern is freed */
    if ((rc = skn_script_keys(r, map, "a rule", " when matches agent from tool do")) ||
        ((v = skn_yaml_get(map, "when")) && (rc = read_when(r, v, rule))) ||
        ((v = skn_yaml_get(map, "matches")) && (rc = read_matches(r, v, rule))) ||
        (rc = read_name(r, map, "agent", &rule->agent)) ||
        (rc = read_name(r, map, "from", &rule->from)) ||
        (rc = read_name(r, map, "tool", &rule->tool)))
        return rc;
    if (!rule->when.p && !rule->matches && !rule->agent.p && !rule->from.p && !rule->tool.p)
        return SKN_SCRIPT_FAIL(
            r, map,
            "a rule needs when, matches, agent, from or tool; for what always applies "
            "use \"otherwise\"");
    if (!(v = skn_yaml_get(map, "do")))
        return SKN_SCRIPT_FAIL(r, map, "a rule needs \"do\"");
    return skn_script_read_steps(r, v, &rule->steps);
}

static skein_rc read_rules(skn_script_reader *r, const skn_yaml *v)
{
    skein_rc rc = SKEIN_OK;

    if (v->kind != SKN_YAML_LIST)
        return SKN_SCRIPT_FAIL(r, v, "rules is a list; put \"- \" before each");
    if (v->count > MOST_RULES)
        return SKN_SCRIPT_FAIL(r, v, "more than %d rules", MOST_RULES);
    r->s->rules = SKN_ARRAY(r->s->a, v->count, skn_script_rule);
    for (const skn_yaml *item = v->first; item && !rc; item = item->next)
        rc = read_rule(r, item);
    r->groups = 0;
    return rc;
}

static skein_rc read_pace(skn_script_reader *r, const skn_yaml *v)
{
    int64_t ms;

    if (v->kind != SKN_YAML_TEXT ||
        !(skn_str_int(v->text, &ms) || skn_amount_duration(v->text, &ms)) || ms < 0)
        return SKN_SCRIPT_FAIL(r, v, "pace is the time between words in milliseconds, like 30");
    if (ms > MOST_PACE)
        return SKN_SCRIPT_FAIL(r, v, "pace is at most 10s");
    r->s->pace_ms = ms;
    return SKEIN_OK;
}

static void say_no_line(skn_script *s)
{
    s->otherwise = (skn_script_steps){SKN_NEW(s->a, skn_script_step), 1, -1};
    s->otherwise.at->texts = SKN_NEW(s->a, skn_str);
    s->otherwise.at->texts[0] = skn_str_of(no_line);
    s->otherwise.at->text_count = 1;
}

static skein_rc read_script(skn_script_reader *r, const skn_yaml *top)
{
    const skn_yaml *v;
    skein_rc        rc;

    if ((rc = skn_script_keys(r, top, "a script", " seed pace rules otherwise")))
        return rc;
    if ((v = skn_yaml_get(top, "seed")) &&
        (v->kind != SKN_YAML_TEXT || !skn_str_int(v->text, &r->s->seed)))
        return SKN_SCRIPT_FAIL(r, v, "seed is a whole number");
    if ((v = skn_yaml_get(top, "pace")) && (rc = read_pace(r, v)))
        return rc;
    if ((v = skn_yaml_get(top, "rules")) && (rc = read_rules(r, v)))
        return rc;
    if ((v = skn_yaml_get(top, "otherwise")))
        return skn_script_read_steps(r, v, &r->s->otherwise);
    say_no_line(r->s);
    return SKEIN_OK;
}

skein_rc skn_script_read(skn_script **out, skn_str source, const char *what, skein_error *err)
{
    skn_script       *s = skn_heap(sizeof *s);
    skn_script_reader r = {.s = s, .what = what, .err = err};
    const skn_yaml   *top;
    skein_rc          rc;

    *out = NULL;
    s->a = skn_arena_new();
    s->pace_ms = DEFAULT_PACE;
    if ((rc = skn_yaml_parse(&top, source, what, s->a, err)) || (rc = read_script(&r, top)))
        goto out;
    *out = s;
    s = NULL;
out:
    skn_script_free(s);
    return rc;
}

void skn_script_free(skn_script *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->rule_count; i++) {
        if (s->rules[i].matches)
            regfree(s->rules[i].matches);
    }
    skn_arena_free(s->a);
    free(s);
}

skn_script *skn_script_tour(void)
{
    skn_script *s;
    skein_error err = {0};
    skn_buf     text;

    skn_buf_init(&text, SKN_SCRIPT_ANSWER);
    for (const char *const *line = skn_tour_text; *line; line++)
        skn_buf_add(&text, skn_str_of(*line));
    if (skn_script_read(&s, skn_buf_str(&text), "tour.yaml", &err)) {
        fprintf(stderr, "%s\n", err.message); /* a fault of the build, not of the user */
        abort();
    }
    skn_buf_release(&text);
    return s;
}
