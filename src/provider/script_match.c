/* Choosing from a script: the same line gives the same answer, for ever. */
#include "base/hash.h"
#include "base/json.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "provider/script.h"

#include <string.h>
#include <strings.h>

/* Only so much of what was said is looked at. */
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

/* --- Putting names and groups in ----------------------------------------------------------------- */

/* What stands for the placeholder at the start of s, and how long that is; false: it is none. */
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

/* What is written without quotes and is a number or a truth value stays one. */
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

/* Goes as deep as YAML may be: 8. */
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
