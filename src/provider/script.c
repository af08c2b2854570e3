/* Reading a script: every key is known, every pattern compiles, every number has a limit. */
#include "provider/script.h"

#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_RULES = 1000,
    MOST_STEPS = 100,
    MOST_CHOICES = 100,
    PATTERN_BYTES = 500,
    NAME_BYTES = 64,
    FAIL_BYTES = 300,
    MOST_PACE = 10 * 1000,
    MOST_WAIT = 10 * 60 * 1000,
    DEFAULT_PACE = 30
};

static const char no_line[] = "I am a scripted demo and have no line for that. Connect a model "
                              "to get a real answer.";

typedef struct reader {
    skn_script  *s;
    const char  *what;
    skein_error *err;
    size_t       groups; /* of the rule that is read */
} reader;

static skein_rc fail_at(reader *r, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static skein_rc fail_at(reader *r, int line, int column, const char *fmt, ...)
{
    char    text[300];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return skn_fail(r->err, SKEIN_INVALID, "%s:%d:%d: %s", r->what, line, column, text);
}

#define FAIL(r, v, ...) fail_at((r), (v)->line, (v)->column, __VA_ARGS__)

/* `known` is a list of words between blanks. */
static skein_rc check_keys(reader *r, const skn_yaml *map, const char *where, const char *known)
{
    if (map->kind != SKN_YAML_MAP)
        return FAIL(r, map, "%s is a map; its keys are:%s", where, known);
    for (const skn_yaml *v = map->first; v; v = v->next) {
        skn_str rest = skn_str_of(known), word;
        bool    found = false;

        while (!found && skn_str_split(&rest, ' ', &word))
            found = word.n && skn_str_eq(word, v->key);
        if (!found)
            return fail_at(r, v->key_line, v->key_column,
                           "unknown key \"%.*s\" in %s; its keys are:%s",
                           SKN_FMT(skn_utf8_cut(v->key, 60)), where, known);
    }
    return SKEIN_OK;
}

static skein_rc need_text(reader *r, const skn_yaml *v, size_t most, const char *what)
{
    if (v->kind != SKN_YAML_TEXT)
        return FAIL(r, v, "%s is a text", what);
    if (v->text.n == 0)
        return FAIL(r, v, "%s is empty", what);
    if (v->text.n > most)
        return FAIL(r, v, "%s is over %zu bytes", what, most);
    return SKEIN_OK;
}

/* A block text ends in a line end that nobody means to say. */
static skn_str without_line_end(skn_str s)
{
    return s.n && s.p[s.n - 1] == '\n' ? skn_str_sub(s, 0, s.n - 1) : s;
}

/* {3} where the rule's pattern has two groups would silently stay as it is. */
static skein_rc check_groups(reader *r, const skn_yaml *v)
{
    for (size_t i = 0; i + 2 < v->text.n; i++) {
        const char *p = v->text.p + i;

        if (p[0] == '{' && p[1] >= '1' && p[1] <= '9' && p[2] == '}' &&
            (size_t)(p[1] - '0') > r->groups)
            return FAIL(r, v, "{%c} stands for a group of \"matches\", which has %zu", p[1],
                        r->groups);
    }
    return SKEIN_OK;
}

static skein_rc check_args(reader *r, const skn_yaml *args) /* as deep as YAML may be: 8 */
{
    skein_rc rc = SKEIN_OK;

    if (args->kind == SKN_YAML_TEXT)
        return check_groups(r, args);
    for (const skn_yaml *v = args->first; v && !rc; v = v->next)
        rc = check_args(r, v);
    return rc;
}

/* --- Steps ------------------------------------------------------------------------------------ */

static skein_rc read_texts(reader *r, const skn_yaml *v, const char *what, skn_script_step *out)
{
    const skn_yaml *item = v->kind == SKN_YAML_LIST ? v->first : v;
    size_t          count = v->kind == SKN_YAML_LIST ? v->count : 1;
    skein_rc        rc;

    if (count < 1 || count > MOST_CHOICES)
        return FAIL(r, v, "%s has 1 to %d texts to choose from", what, MOST_CHOICES);
    out->texts = SKN_ARRAY(r->s->a, count, skn_str);
    for (; out->text_count < count; item = item->next) {
        if ((rc = need_text(r, item, SKN_SCRIPT_ANSWER, what)) || (rc = check_groups(r, item)))
            return rc;
        out->texts[out->text_count++] = without_line_end(item->text);
    }
    return SKEIN_OK;
}

static skein_rc read_say(reader *r, const skn_yaml *map, const skn_yaml *v,
                         skn_script_steps *steps, skn_script_step *out)
{
    (void)map, (void)steps;
    out->kind = SKN_STEP_SAY;
    return read_texts(r, v, "say", out);
}

static skein_rc read_think(reader *r, const skn_yaml *map, const skn_yaml *v,
                           skn_script_steps *steps, skn_script_step *out)
{
    (void)map, (void)steps;
    out->kind = SKN_STEP_THINK;
    return read_texts(r, v, "think", out);
}

static bool name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-';
}

static skein_rc read_call(reader *r, const skn_yaml *map, const skn_yaml *v,
                          skn_script_steps *steps, skn_script_step *out)
{
    skein_rc rc;

    (void)steps;
    out->kind = SKN_STEP_CALL;
    if ((rc = need_text(r, v, NAME_BYTES, "the name of a tool")))
        return rc;
    for (size_t i = 0; i < v->text.n; i++) {
        if (!name_byte(v->text.p[i]))
            return FAIL(r, v, "the name of a tool has only letters, digits, \"_\" and \"-\"");
    }
    out->name = v->text;
    out->args = skn_yaml_get(map, "args");
    if (out->args && out->args->kind != SKN_YAML_MAP)
        return FAIL(r, out->args, "args is a map");
    return out->args ? check_args(r, out->args) : SKEIN_OK;
}

static skein_rc read_wait(reader *r, const skn_yaml *map, const skn_yaml *v,
                          skn_script_steps *steps, skn_script_step *out)
{
    (void)map, (void)steps;
    out->kind = SKN_STEP_WAIT;
    if (v->kind != SKN_YAML_TEXT || !skn_yaml_duration(v->text, &out->ms))
        return FAIL(r, v, "wait is a time like 300ms or 2s");
    if (out->ms > MOST_WAIT)
        return FAIL(r, v, "wait is at most 10m");
    return SKEIN_OK;
}

static skein_rc read_fail(reader *r, const skn_yaml *map, const skn_yaml *v,
                          skn_script_steps *steps, skn_script_step *out)
{
    static const struct {
        const char *word, *message;
        bool        retryable;
    } known[] = {
        {"rate_limit", "scripted failure: too many requests", true},
        {"auth", "scripted failure: the key is not valid", false},
        {"network", "scripted failure: the provider cannot be reached", true},
    };
    skein_rc rc;

    (void)map, (void)steps;
    out->kind = SKN_STEP_FAIL;
    if ((rc = need_text(r, v, FAIL_BYTES, "fail")))
        return rc;
    out->name = v->text;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (skn_str_is(v->text, known[i].word)) {
            out->name = skn_str_of(known[i].message);
            out->retryable = known[i].retryable;
        }
    }
    return SKEIN_OK;
}

/* "after 5 words", "5 words" or "5". It holds for the whole answer, so it is no step of its own. */
static skein_rc read_cut(reader *r, const skn_yaml *map, const skn_yaml *v,
                         skn_script_steps *steps, skn_script_step *out)
{
    skn_str s = v->kind == SKN_YAML_TEXT ? skn_str_trim(v->text) : SKN_NONE;
    int64_t n;

    (void)map, (void)out;
    if (skn_str_starts(s, SKN_STR("after ")))
        s = skn_str_trim(skn_str_sub(s, 6, s.n));
    if (skn_str_ends(s, SKN_STR(" words")))
        s.n -= 6;
    else if (skn_str_ends(s, SKN_STR(" word")))
        s.n -= 5;
    if (!skn_str_int(skn_str_trim(s), &n) || n < 0)
        return FAIL(r, v, "cut is like \"after 5 words\"");
    if (steps->cut_after >= 0)
        return FAIL(r, v, "an answer is cut only once");
    steps->cut_after = n;
    return SKEIN_OK;
}

static const struct verb {
    const char *name;
    skein_rc (*read)(reader *r, const skn_yaml *map, const skn_yaml *v, skn_script_steps *steps,
                     skn_script_step *out);
} verbs[] = {
    {"say", read_say},   {"think", read_think}, {"call", read_call},
    {"wait", read_wait}, {"fail", read_fail},   {"cut", read_cut},
};

/* A model's calls are the end of what it says, and nothing comes after a failure. */
static skein_rc check_order(reader *r, const skn_yaml *map, const skn_script_steps *steps,
                            skn_step_kind kind)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->at[i].kind == SKN_STEP_FAIL)
            return FAIL(r, map, "nothing comes after fail");
        if (steps->at[i].kind == SKN_STEP_CALL &&
            (kind == SKN_STEP_SAY || kind == SKN_STEP_THINK))
            return FAIL(r, map,
                        "what is said comes before calls; answer a result with a rule "
                        "that has \"tool\"");
    }
    return SKEIN_OK;
}

static skein_rc read_step(reader *r, const skn_yaml *map, skn_script_steps *steps)
{
    skn_script_step    step = {0};
    const struct verb *verb = NULL;
    skein_rc           rc;

    if ((rc = check_keys(r, map, "a step", " say think call args wait fail cut")))
        return rc;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (!skn_yaml_get(map, verbs[i].name))
            continue;
        if (verb)
            return FAIL(r, map, "a step is one thing; \"%s\" and \"%s\" are two", verb->name,
                        verbs[i].name);
        verb = &verbs[i];
    }
    if (!verb)
        return FAIL(r, map, "a step says what to do: say, think, call, wait, fail or cut");
    if (skn_yaml_get(map, "args") && strcmp(verb->name, "call") != 0)
        return FAIL(r, map, "args belong to a call");
    if ((rc = verb->read(r, map, skn_yaml_get(map, verb->name), steps, &step)))
        return rc;
    if (verb->read == read_cut)
        return SKEIN_OK;
    if (!(rc = check_order(r, map, steps, step.kind)))
        steps->at[steps->count++] = step;
    return rc;
}

/* A text alone is one thing to say. */
static skein_rc read_steps(reader *r, const skn_yaml *v, skn_script_steps *out)
{
    skein_rc rc = SKEIN_OK;

    out->cut_after = -1;
    if (v->kind == SKN_YAML_MAP)
        return FAIL(r, v, "steps are a list; put \"- \" before each");
    if (v->kind == SKN_YAML_LIST && (v->count < 1 || v->count > MOST_STEPS))
        return FAIL(r, v, "there are 1 to %d steps", MOST_STEPS);
    out->at = SKN_ARRAY(r->s->a, v->count + 1, skn_script_step);
    if (v->kind == SKN_YAML_TEXT) {
        out->count = 1;
        out->at->kind = SKN_STEP_SAY;
        return read_texts(r, v, "what to say", out->at);
    }
    for (const skn_yaml *item = v->first; item && !rc; item = item->next)
        rc = read_step(r, item, out);
    return rc;
}

/* --- Rules ------------------------------------------------------------------------------------ */

static skein_rc read_matches(reader *r, const skn_yaml *v, skn_script_rule *out)
{
    char        why[100];
    const char *bad;
    int         fault;
    regex_t    *re;
    skein_rc    rc;

    if ((rc = need_text(r, v, PATTERN_BYTES, "matches")))
        return rc;
    if ((bad = skn_pattern_check(v->text)))
        return FAIL(r, v, "matches %s", bad);
    re = SKN_NEW(r->s->a, regex_t);
    if ((fault = regcomp(re, v->text.p, REG_EXTENDED | REG_ICASE))) {
        regerror(fault, re, why, sizeof why);
        return FAIL(r, v, "matches cannot be used as a pattern: %s", why);
    }
    out->matches = re;
    r->groups = re->re_nsub < 9 ? re->re_nsub : 9;
    return SKEIN_OK;
}

static skein_rc read_when(reader *r, const skn_yaml *v, skn_script_rule *out)
{
    char    *low;
    skein_rc rc;

    if ((rc = need_text(r, v, PATTERN_BYTES, "when")))
        return rc;
    low = skn_arena_alloc(r->s->a, v->text.n + 1);
    for (size_t i = 0; i < v->text.n; i++) {
        char c = v->text.p[i];

        low[i] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    out->when = (skn_str){low, v->text.n};
    return SKEIN_OK;
}

static skein_rc read_name(reader *r, const skn_yaml *map, const char *key, skn_str *out)
{
    const skn_yaml *v = skn_yaml_get(map, key);
    skein_rc        rc;

    if (!v)
        return SKEIN_OK;
    if ((rc = need_text(r, v, NAME_BYTES, key)))
        return rc;
    *out = v->text;
    if (*out->p == '@') /* as people write agents */
        *out = skn_str_sub(*out, 1, out->n);
    return out->n ? SKEIN_OK : FAIL(r, v, "%s has no name after \"@\"", key);
}

static skein_rc read_rule(reader *r, const skn_yaml *map)
{
    skn_script_rule *rule = &r->s->rules[r->s->rule_count];
    const skn_yaml  *v;
    skein_rc         rc;

    r->groups = 0;
    r->s->rule_count++; /* even when it is broken: its pattern is freed with the others */
    if ((rc = check_keys(r, map, "a rule", " when matches agent from tool do")) ||
        ((v = skn_yaml_get(map, "when")) && (rc = read_when(r, v, rule))) ||
        ((v = skn_yaml_get(map, "matches")) && (rc = read_matches(r, v, rule))) ||
        (rc = read_name(r, map, "agent", &rule->agent)) ||
        (rc = read_name(r, map, "from", &rule->from)) ||
        (rc = read_name(r, map, "tool", &rule->tool)))
        return rc;
    if (!rule->when.p && !rule->matches && !rule->agent.p && !rule->from.p && !rule->tool.p)
        return FAIL(r, map,
                    "a rule needs when, matches, agent, from or tool; what fits always "
                    "stands in \"otherwise\"");
    if (!(v = skn_yaml_get(map, "do")))
        return FAIL(r, map, "a rule needs \"do\"");
    return read_steps(r, v, &rule->steps);
}

static skein_rc read_rules(reader *r, const skn_yaml *v)
{
    skein_rc rc = SKEIN_OK;

    if (v->kind != SKN_YAML_LIST)
        return FAIL(r, v, "rules is a list; put \"- \" before each");
    if (v->count > MOST_RULES)
        return FAIL(r, v, "more than %d rules", MOST_RULES);
    r->s->rules = SKN_ARRAY(r->s->a, v->count, skn_script_rule);
    for (const skn_yaml *item = v->first; item && !rc; item = item->next)
        rc = read_rule(r, item);
    r->groups = 0;
    return rc;
}

static skein_rc read_pace(reader *r, const skn_yaml *v)
{
    int64_t ms;

    if (v->kind != SKN_YAML_TEXT ||
        !(skn_str_int(v->text, &ms) || skn_yaml_duration(v->text, &ms)) || ms < 0)
        return FAIL(r, v, "pace is the time between words in milliseconds, like 30");
    if (ms > MOST_PACE)
        return FAIL(r, v, "pace is at most 10s");
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

static skein_rc read_script(reader *r, const skn_yaml *top)
{
    const skn_yaml *v;
    skein_rc        rc;

    if ((rc = check_keys(r, top, "a script", " seed pace rules otherwise")))
        return rc;
    if ((v = skn_yaml_get(top, "seed")) &&
        (v->kind != SKN_YAML_TEXT || !skn_str_int(v->text, &r->s->seed)))
        return FAIL(r, v, "seed is a whole number");
    if ((v = skn_yaml_get(top, "pace")) && (rc = read_pace(r, v)))
        return rc;
    if ((v = skn_yaml_get(top, "rules")) && (rc = read_rules(r, v)))
        return rc;
    if ((v = skn_yaml_get(top, "otherwise")))
        return read_steps(r, v, &r->s->otherwise);
    say_no_line(r->s);
    return SKEIN_OK;
}

skein_rc skn_script_read(skn_script **out, skn_str source, const char *what, skein_error *err)
{
    skn_script     *s = skn_heap(sizeof *s);
    reader          r = {.s = s, .what = what, .err = err};
    const skn_yaml *top;
    skein_rc        rc;

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
