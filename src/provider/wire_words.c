/* Texts of failures, and when a head says that another request is possible. */
#include "base/clock.h"
#include "provider/wire_inside.h"
#include "provider/wire_json.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of each state, and the start of a sentence about it, after the provider's name; NULL: the failure's text
 * says it all. */
static const struct {
    const char *word, *begin;
} states[] = {
    [SKN_ASK_ANSWERED] = {"answered", NULL},
    [SKN_ASK_NO_KEY] = {"no-key", NULL},
    [SKN_ASK_BAD_KEY] = {"bad-key", " says the key is not valid"},
    [SKN_ASK_RATE_LIMIT] = {"rate-limit", " says that it was asked too often"},
    [SKN_ASK_OVERFLOW] = {"context-overflow",
                          " says that this is more than the model can read"},
    [SKN_ASK_NO_TOOLS] = {"no-tools", " says that the model cannot use tools"},
    [SKN_ASK_CUT] = {"cut", ""},
    [SKN_ASK_STALLED] = {"stalled", ""},
    [SKN_ASK_MALFORMED] = {"malformed", " gave an answer that cannot be understood"},
    [SKN_ASK_WRONG_TYPE] = {"wrong-content-type", " gave an answer that is not from a model"},
    [SKN_ASK_EMPTY] = {"empty", " answered with nothing"},
    [SKN_ASK_REFUSED] = {"refused", " refuses to answer"},
    [SKN_ASK_UNAVAILABLE] = {"unavailable", " cannot answer just now"},
    [SKN_ASK_UNREACHABLE] = {"unreachable", NULL},
    [SKN_ASK_OVER_BUDGET] = {"over-budget", NULL},
    [SKN_ASK_STOPPED] = {"stopped", NULL},
    [SKN_ASK_IN_LINE] = {"in-line", " answers others first"},
    [SKN_ASK_FAILED] = {"failed", ""},
};

const char *skn_ask_state_word(skn_ask_state state)
{
    return states[state].word;
}

bool skn_wire_kind_from(skn_str word, skn_wire_kind *out)
{
    static const struct {
        const char   *word;
        skn_wire_kind kind;
    } kinds[] = {{"openai", SKN_WIRE_OPENAI},
                 {"openai-compatible", SKN_WIRE_OPENAI},
                 {"openai-responses", SKN_WIRE_RESPONSES},
                 {"anthropic", SKN_WIRE_ANTHROPIC},
                 {"ollama", SKN_WIRE_OLLAMA}};

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (skn_str_is(word, kinds[i].word)) {
            *out = kinds[i].kind;
            return true;
        }
    return false;
}

const skn_wire_format *skn_wire_format_of(skn_wire_kind kind)
{
    switch (kind) {
    case SKN_WIRE_ANTHROPIC:
        return &skn_wire_anthropic;
    case SKN_WIRE_OLLAMA:
        return &skn_wire_ollama;
    case SKN_WIRE_RESPONSES:
        return &skn_wire_responses;
    case SKN_WIRE_OPENAI:
        break;
    }
    return &skn_wire_openai;
}

/* Returns what makes a model accept tools, judging by its server's words. */
static const char *tools_hint(const char *words)
{
    return strstr(words, "jinja") ? "Start llama-server with --jinja"
           : strstr(words, "--tool-call-parser")
               ? "Start vLLM with --enable-auto-tool-choice and "
                 "the --tool-call-parser of the model"
               : "Choose a model that can use tools";
}

static void give_hint(const skn_wire *p, skn_ask_state state, const char *words,
                      skein_error *out)
{
    if (state == SKN_ASK_NO_TOOLS)
        skn_hint(out, SKEIN_PROVIDER, "%s", tools_hint(words));
    else if (state == SKN_ASK_NO_KEY || state == SKN_ASK_BAD_KEY)
        skn_hint(out, SKEIN_PROVIDER, "give it one: skein provider login %s", p->base.name);
    else if (state == SKN_ASK_WRONG_TYPE || state == SKN_ASK_UNREACHABLE)
        skn_hint(out, SKEIN_PROVIDER, "check the address: skein provider test %s",
                 p->base.name);
}

/* ", its limit of requests, until 2026-11-15 14:02:03 UTC" */
static skn_str limit_words(const skn_wire_limit *limit, char *out, size_t room)
{
    char time[SKN_TIME_TEXT];
    int  n = 0;

    if (limit && limit->which)
        n = snprintf(out, room, ", its limit of %s", limit->which);
    if (limit && limit->ms) {
        skn_time_format(skn_clock_micros() + limit->ms * 1000, time);
        n += snprintf(out + n, room - (size_t)n, ", until %.10s %.8s UTC", time, time + 11);
    }
    return (skn_str){out, (size_t)n};
}

void skn_wire_explain(const skn_wire *p, skn_ask_state state, int status,
                      const skn_wire_limit *limit, const char *words, skein_error *out)
{
    const char *begin = states[state].begin, *name = p->base.name;
    char        number[16] = "", until[100];
    skn_str     told = limit_words(limit, until, sizeof until);

    if (state == SKN_ASK_EMPTY)
        words = ""; /* the server said nothing */
    if (state == SKN_ASK_RATE_LIMIT && !skn_wire_may_retry(state, skn_str_of(words)))
        begin = " says that its quota is used up";
    if (status && status / 100 != 2)
        snprintf(number, sizeof number, " (%d)", status);
    if (state == SKN_ASK_NO_KEY)
        skn_fail(out, SKEIN_PROVIDER, "there is no key for %s", name);
    else if (begin)
        skn_fail(out, SKEIN_PROVIDER, "%s%s%s%.*s%s%s", name, begin, number, SKN_FMT(told),
                 *words ? ": " : "", words);
    else
        skn_fail(out, SKEIN_PROVIDER, "%s", words);
    give_hint(p, state, words, out);
}

/* "Wed, 21 Oct 2015 07:28:00 GMT" in microseconds. */
static bool http_date(skn_str s, int64_t *micros)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char              text[32], name[4] = "";
    const char       *month;

    if (s.n != 29 || !skn_str_ends(s, SKN_STR(" GMT")))
        return false;
    memcpy(name, s.p + 8, 3);
    month = strstr(months, name);
    if (!month || (month - months) % 3)
        return false;
    snprintf(text, sizeof text, "%.4s-%02d-%.2sT%.8sZ", s.p + 12, (int)(month - months) / 3 + 1,
             s.p + 5, s.p + 17);
    return skn_time_parse(skn_str_of(text), micros);
}

/* "6m0.5s", "34.07s", "2 hours", "7.66" (seconds) in milliseconds; 0: not a duration. */
static int64_t duration_at(skn_str s)
{
    static const struct {
        const char *unit;
        double      ms;
    } units[] = {{"ms", 1}, {"milli", 1}, {"s", 1e3}, {"m", 6e4}, {"h", 36e5}, {"d", 864e5}};
    char   text[64], *p = text;
    double ms = 0;

    snprintf(text, sizeof text, "%.*s", (int)(s.n < 60 ? s.n : 60), s.p);
    while (isdigit((unsigned char)*p) && ms < INT32_MAX) {
        double n = strtod(p, &p);
        size_t i = 0;

        p += strspn(p, " ");
        while (i < 6 && strncmp(p, units[i].unit, strlen(units[i].unit)) != 0)
            i++;
        ms += n * (i < 6 ? units[i].ms : 1e3);
        p += i < 6 ? strcspn(p, " 0123456789") : 0;
    }
    return ms >= 0 && ms < INT32_MAX ? (int64_t)ms : 0;
}

/* Reads a time or a duration in any of the notations of services, in milliseconds from now; 0: none, or past. */
static int64_t wait_of(skn_str value)
{
    enum { SECONDS = 1000000000 };
    int64_t n;

    if (skn_str_int(value, &n) && n > SECONDS) /* since 1970; some services count
                                                * milliseconds */
        n = n / SECONDS < 1000 ? n * 1000000 : n / SECONDS < 1000000 ? n * 1000 : 0;
    else if (!http_date(value, &n) && !skn_time_parse(value, &n))
        return duration_at(value);
    n = (n - skn_clock_micros()) / 1000;
    return n > 0 ? n : 0;
}

skn_wire_limit skn_wire_limit_of(const skn_fetch_head *head)
{
    static const struct {
        const char *left, *reset, *which;
    } limits[] = {
#define OPENAI(which) {"x-ratelimit-remaining-" which, "x-ratelimit-reset-" which, which}
#define ANTHROPIC(name, which)                                                                 \
    {                                                                                          \
        "anthropic-ratelimit-" name "-remaining", "anthropic-ratelimit-" name "-reset", which  \
    }
        OPENAI("requests"),
        OPENAI("tokens"),
        ANTHROPIC("requests", "requests"),
        ANTHROPIC("input-tokens", "input tokens"),
        ANTHROPIC("output-tokens", "output tokens"),
        ANTHROPIC("tokens", "tokens"),
        {"x-ratelimit-remaining", "x-ratelimit-reset", "requests"},
    };
    skn_str        exact = skn_fetch_header_of(head, "retry-after-ms");
    skn_wire_limit limit = {.ms = wait_of(skn_fetch_header_of(head, "retry-after"))};
    int64_t        n;

    if (skn_str_int(exact, &n) && n > 0 && n < INT32_MAX)
        limit.ms = n;
    for (size_t i = 0; i < sizeof limits / sizeof *limits && !limit.which; i++)
        if (skn_str_is(skn_fetch_header_of(head, limits[i].left), "0")) {
            limit.which = limits[i].which;
            n = wait_of(skn_fetch_header_of(head, limits[i].reset));
            limit.ms = limit.ms ? limit.ms : n;
        }
    return limit;
}

int64_t skn_wire_wait_in(skn_str words)
{
    static const char *const before[] = {"again in ", "retry in ",  "retry after ",
                                         "reset in ", "resets in ", "reset after "};

    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        ptrdiff_t at = skn_str_find(words, skn_str_of(before[i]));

        if (at >= 0)
            return duration_at(skn_str_sub(words, (size_t)at + strlen(before[i]), words.n));
    }
    return 0;
}

skn_ask_state skn_wire_state_of_end(skn_fetch_end end)
{
    switch (end) {
    case SKN_FETCH_UNREACHABLE:
        return SKN_ASK_UNREACHABLE;
    case SKN_FETCH_STALLED:
    case SKN_FETCH_LATE:
        return SKN_ASK_STALLED;
    case SKN_FETCH_TOO_LARGE:
    case SKN_FETCH_MALFORMED:
        return SKN_ASK_MALFORMED;
    case SKN_FETCH_WHOLE:
    case SKN_FETCH_CUT:
        break;
    }
    return SKN_ASK_CUT;
}

const skn_json *skn_wire_parse(skn_str text, skn_arena *a)
{
    const skn_json *v;
    skein_error     err;

    return skn_json_parse(&v, text, "the answer", a, &err) ? NULL : v;
}

int64_t skn_wire_int(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);
    int64_t         n;

    return m && m->kind == SKN_JSON_NUMBER && skn_str_int(m->text, &n) && n >= 0 ? n : -1;
}

int64_t skn_wire_tokens(const skn_json *v, const char *key)
{
    int64_t n = skn_wire_int(v, key);

    return n <= INT32_MAX ? n : -1;
}

/* OpenAI's two formats, DeepSeek's, Moonshot's, Gemini's and llama.cpp's own. */
static const struct {
    const char *in; /* the member that contains it; NULL: none */
    const char *key;
    size_t      into;
} used[] = {
    {NULL, "prompt_tokens", offsetof(skn_wire_answer, tokens_in)},
    {NULL, "input_tokens", offsetof(skn_wire_answer, tokens_in)},
    {NULL, "promptTokenCount", offsetof(skn_wire_answer, tokens_in)},
    {NULL, "completion_tokens", offsetof(skn_wire_answer, tokens_out)},
    {NULL, "output_tokens", offsetof(skn_wire_answer, tokens_out)},
    {NULL, "candidatesTokenCount", offsetof(skn_wire_answer, tokens_out)},
    {NULL, "cached_tokens", offsetof(skn_wire_answer, tokens_cached)},
    {NULL, "prompt_cache_hit_tokens", offsetof(skn_wire_answer, tokens_cached)},
    {NULL, "cachedContentTokenCount", offsetof(skn_wire_answer, tokens_cached)},
    {NULL, "cache_n", offsetof(skn_wire_answer, tokens_cached)},
    {NULL, "tokens_cached", offsetof(skn_wire_answer, tokens_cached)},
    {"prompt_tokens_details", "cached_tokens", offsetof(skn_wire_answer, tokens_cached)},
    {"input_tokens_details", "cached_tokens", offsetof(skn_wire_answer, tokens_cached)},
    {"prompt_tokens_details", "cache_write_tokens", offsetof(skn_wire_answer, tokens_written)},
};

void skn_wire_usage(skn_wire_answer *w, const skn_json *usage)
{
    for (size_t i = 0; i < sizeof used / sizeof *used; i++) {
        const skn_json *in = used[i].in ? skn_json_get(usage, used[i].in) : usage;
        int64_t         n = skn_wire_tokens(in, used[i].key);

        if (n >= 0)
            *(int64_t *)((char *)w + used[i].into) = n;
    }
}

/* Limits the parts to the whole, because what servers say is paid for. */
void skn_wire_count_cached(const skn_wire_answer *w, skn_answer *out)
{
    int64_t in = out->tokens_in > 0 ? out->tokens_in : 0, cached = w->tokens_cached;

    out->tokens_cached = cached < in ? cached : in;
    in -= out->tokens_cached;
    out->tokens_written = w->tokens_written < in ? w->tokens_written : in;
}

bool skn_wire_true(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_BOOL && m->boolean;
}

const skn_json *skn_wire_first(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_ARRAY ? m->first : NULL;
}

skn_str skn_wire_error_text(const skn_json *v, skn_arena *a)
{
    const skn_json *error = skn_json_get(v, "error");
    skn_str         words = skn_json_str(error, "message"), type = skn_json_str(error, "type");

    if (error && error->kind == SKN_JSON_STRING)
        return error->text;
    return words.n && type.n ? skn_arena_printf(a, "%.*s (%.*s)", SKN_FMT(words), SKN_FMT(type))
                             : words;
}

void skn_wire_write_args(skn_jw *w, skn_str args)
{
    args = skn_str_trim(args);
    skn_jw_raw(w, args.n && args.p[0] == '{' ? args : SKN_STR("{}"));
}

void skn_wire_write_schema(skn_jw *w, skn_str schema)
{
    skn_jw_raw(w, schema.n ? schema : SKN_STR("{\"type\":\"object\",\"properties\":{}}"));
}

size_t skn_wire_images(const skein_prompt_message *m)
{
    size_t n = 0;

    for (size_t i = 0; i < m->file_count; i++)
        n += m->files[i].data.p != NULL;
    return n;
}

void skn_wire_data_url(skn_jw *w, const char *key, const skein_prompt_file *f)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX / 2);
    skn_buf_addf(&b, "data:%.*s;base64,", SKN_FMT(f->file.type));
    skn_buf_add(&b, f->data);
    skn_jw_kstr(w, key, skn_buf_str(&b));
    skn_buf_release(&b);
}

bool skn_wire_results_end(const skein_context *c, size_t at, skn_arena *a,
                          skein_prompt_message *out)
{
    skn_vec(skein_prompt_file) files = {0};
    size_t from = at + 1;

    if (c->at[at].role != SKEIN_TOOL || (at + 1 < c->count && c->at[at + 1].role == SKEIN_TOOL))
        return false;
    while (from > 0 && c->at[from - 1].role == SKEIN_TOOL)
        from--;
    for (; from <= at; from++)
        for (size_t i = 0; i < c->at[from].file_count; i++)
            skn_vec_add(a, &files, c->at[from].files[i]);
    *out = (skein_prompt_message){.role = SKEIN_USER,
                                  .text = SKN_STR("[images of the results above]"),
                                  .files = files.p,
                                  .file_count = files.n};
    return skn_wire_images(out) > 0;
}

void skn_wire_write_functions(skn_jw *w, const skn_ask *what)
{
    if (!what->tool_count)
        return;
    skn_jw_key(w, "tools");
    skn_jw_array(w);
    for (size_t i = 0; i < what->tool_count; i++) {
        const skn_tool_offer *t = &what->tools[i];

        skn_jw_object(w);
        skn_jw_kstr(w, "type", SKN_STR("function"));
        skn_jw_key(w, "function");
        skn_jw_object(w);
        skn_jw_kstr(w, "name", t->name);
        skn_jw_kstr(w, "description", t->description.n ? t->description : SKN_STR(""));
        skn_jw_key(w, "parameters");
        skn_wire_write_schema(w, t->schema);
        skn_jw_object_end(w);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

const skn_json *skn_wire_setting(const skn_ask *what, const char *name)
{
    const skn_json *v = skn_json_get(what->settings, name);

    return v && v->kind != SKN_JSON_NULL ? v : NULL;
}

void skn_wire_write_settings(skn_jw *w, const skn_ask *what, const skn_wire_name *names)
{
    for (; names->ours; names++) {
        const skn_json *v = skn_wire_setting(what, names->ours);

        if (v) {
            skn_jw_key(w, names->theirs);
            skn_jw_raw(w, v->raw);
        }
    }
}

int64_t skn_wire_thinking(const skn_ask *what)
{
    static const struct {
        const char *word;
        int64_t     tokens;
    } efforts[] = {{"low", 2048}, {"medium", 8192}, {"high", 24576}};
    int64_t n = skn_wire_int(what->settings, "thinkingTokens");
    skn_str effort = skn_json_str(what->settings, "effort");

    for (size_t i = 0; i < sizeof efforts / sizeof *efforts && n < 0; i++)
        if (skn_str_is(effort, efforts[i].word))
            n = efforts[i].tokens;
    return n > 0 ? n : 0;
}

skn_str skn_wire_effort(const skn_ask *what)
{
    skn_str effort = skn_json_str(what->settings, "effort");
    int64_t n = skn_wire_thinking(what);

    if (effort.n || !n)
        return effort;
    return n <= 2048 ? SKN_STR("low") : n <= 8192 ? SKN_STR("medium") : SKN_STR("high");
}

size_t skn_wire_bearer(skn_str key, skn_arena *a, skn_fetch_header out[4])
{
    if (!key.n) /* local servers do not need one */
        return 0;
    out[0] = (skn_fetch_header){SKN_STR("Authorization"),
                                skn_arena_printf(a, "Bearer %.*s", SKN_FMT(key))};
    return 1;
}

skn_str skn_wire_error_words(skn_str body, skn_arena *a)
{
    return skn_wire_error_text(skn_wire_parse(body, a), a);
}
