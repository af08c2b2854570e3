#include "provider/script_read.h"

#include "base/str.h"

#include <string.h>

enum {
    MOST_STEPS = 100,
    MOST_CHOICES = 100,
    NAME_BYTES = 64,
    FAIL_BYTES = 300,
    MOST_WAIT = 10 * 60 * 1000
};

/* Removes the line end at the end of a block text, which nobody means to say. */
static skn_str without_line_end(skn_str s)
{
    return s.n && s.p[s.n - 1] == '\n' ? skn_str_sub(s, 0, s.n - 1) : s;
}

/* Refuses {3} if the rule's pattern has two groups: it would silently stay in the text. */
static skein_rc check_groups(skn_script_reader *r, const skn_yaml *v)
{
    for (size_t i = 0; i + 2 < v->text.n; i++) {
        const char *p = v->text.p + i;

        if (p[0] == '{' && p[1] >= '1' && p[1] <= '9' && p[2] == '}' &&
            (size_t)(p[1] - '0') > r->groups)
            return SKN_SCRIPT_FAIL(
                r, v, "{%c} stands for a group of \"matches\", which has %zu", p[1], r->groups);
    }
    return SKEIN_OK;
}

/* The recursion is limited by the depth of YAML, 8. */
static skein_rc check_args(skn_script_reader *r, const skn_yaml *args)
{
    skein_rc rc = SKEIN_OK;

    if (args->kind == SKN_YAML_TEXT)
        return check_groups(r, args);
    for (const skn_yaml *v = args->first; v && !rc; v = v->next)
        rc = check_args(r, v);
    return rc;
}

static skein_rc read_texts(skn_script_reader *r, const skn_yaml *v, const char *what,
                           skn_script_step *out)
{
    const skn_yaml *item = v->kind == SKN_YAML_LIST ? v->first : v;
    size_t          count = v->kind == SKN_YAML_LIST ? v->count : 1;
    skein_rc        rc;

    if (count < 1 || count > MOST_CHOICES)
        return SKN_SCRIPT_FAIL(r, v, "%s has 1 to %d texts to choose from", what, MOST_CHOICES);
    out->texts = SKN_ARRAY(r->s->a, count, skn_str);
    for (; out->text_count < count; item = item->next) {
        if ((rc = skn_script_need_text(r, item, SKN_SCRIPT_ANSWER, what)) ||
            (rc = check_groups(r, item)))
            return rc;
        out->texts[out->text_count++] = without_line_end(item->text);
    }
    return SKEIN_OK;
}

static skein_rc read_say(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
                         skn_script_steps *steps, skn_script_step *out)
{
    (void)map, (void)steps;
    out->kind = SKN_STEP_SAY;
    return read_texts(r, v, "say", out);
}

static skein_rc read_think(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
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

static skein_rc read_call(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
                          skn_script_steps *steps, skn_script_step *out)
{
    skein_rc rc;

    (void)steps;
    out->kind = SKN_STEP_CALL;
    if ((rc = skn_script_need_text(r, v, NAME_BYTES, "the name of a tool")))
        return rc;
    for (size_t i = 0; i < v->text.n; i++) {
        if (!name_byte(v->text.p[i]))
            return SKN_SCRIPT_FAIL(
                r, v, "the name of a tool has only letters, digits, \"_\" and \"-\"");
    }
    out->name = v->text;
    out->args = skn_yaml_get(map, "args");
    if (out->args && out->args->kind != SKN_YAML_MAP && !out->args->quoted)
        return SKN_SCRIPT_FAIL(r, out->args, "args is a map");
    return out->args ? check_args(r, out->args) : SKEIN_OK;
}

static skein_rc read_wait(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
                          skn_script_steps *steps, skn_script_step *out)
{
    (void)map, (void)steps;
    out->kind = SKN_STEP_WAIT;
    if (v->kind != SKN_YAML_TEXT || !skn_amount_duration(v->text, &out->ms))
        return SKN_SCRIPT_FAIL(r, v, "wait is a time like 300ms or 2s");
    if (out->ms > MOST_WAIT)
        return SKN_SCRIPT_FAIL(r, v, "wait is at most 10m");
    return SKEIN_OK;
}

static skein_rc read_fail(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
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
    if ((rc = skn_script_need_text(r, v, FAIL_BYTES, "fail")))
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

/* "after 5 words", "5 words" or "5". It applies to the whole answer, so it is not a step. */
static skein_rc read_cut(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
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
        return SKN_SCRIPT_FAIL(r, v, "cut is like \"after 5 words\"");
    if (steps->cut_after >= 0)
        return SKN_SCRIPT_FAIL(r, v, "an answer is cut only once");
    steps->cut_after = n;
    return SKEIN_OK;
}

static const struct verb {
    const char *name;
    skein_rc (*read)(skn_script_reader *r, const skn_yaml *map, const skn_yaml *v,
                     skn_script_steps *steps, skn_script_step *out);
} verbs[] = {
    {"say", read_say},   {"think", read_think}, {"call", read_call},
    {"wait", read_wait}, {"fail", read_fail},   {"cut", read_cut},
};

/* A model's calls come after its text, and nothing comes after a failure. */
static skein_rc check_order(skn_script_reader *r, const skn_yaml *map,
                            const skn_script_steps *steps, skn_step_kind kind)
{
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->at[i].kind == SKN_STEP_FAIL)
            return SKN_SCRIPT_FAIL(r, map, "nothing comes after fail");
        if (steps->at[i].kind == SKN_STEP_CALL &&
            (kind == SKN_STEP_SAY || kind == SKN_STEP_THINK))
            return SKN_SCRIPT_FAIL(r, map,
                                   "text comes before calls; answer a result with a rule "
                                   "that has \"tool\"");
    }
    return SKEIN_OK;
}

static skein_rc read_step(skn_script_reader *r, const skn_yaml *map, skn_script_steps *steps)
{
    skn_script_step    step = {0};
    const struct verb *verb = NULL;
    skein_rc           rc;

    if ((rc = skn_script_keys(r, map, "a step", " say think call args wait fail cut")))
        return rc;
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (!skn_yaml_get(map, verbs[i].name))
            continue;
        if (verb)
            return SKN_SCRIPT_FAIL(r, map, "a step is one thing; \"%s\" and \"%s\" are two",
                                   verb->name, verbs[i].name);
        verb = &verbs[i];
    }
    if (!verb)
        return SKN_SCRIPT_FAIL(r, map,
                               "a step says what to do: say, think, call, wait, fail or cut");
    if (skn_yaml_get(map, "args") && strcmp(verb->name, "call") != 0)
        return SKN_SCRIPT_FAIL(r, map, "args belong to a call");
    if ((rc = verb->read(r, map, skn_yaml_get(map, verb->name), steps, &step)))
        return rc;
    if (verb->read == read_cut)
        return SKEIN_OK;
    if (!(rc = check_order(r, map, steps, step.kind)))
        steps->at[steps->count++] = step;
    return rc;
}

skein_rc skn_script_read_steps(skn_script_reader *r, const skn_yaml *v, skn_script_steps *out)
{
    skein_rc rc = SKEIN_OK;

    out->cut_after = -1;
    if (v->kind == SKN_YAML_MAP)
        return SKN_SCRIPT_FAIL(r, v, "steps are a list; put \"- \" before each");
    if (v->kind == SKN_YAML_LIST && (v->count < 1 || v->count > MOST_STEPS))
        return SKN_SCRIPT_FAIL(r, v, "there are 1 to %d steps", MOST_STEPS);
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
