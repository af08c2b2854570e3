/* The words of failures, and what a head says about when to come again. */
#include "base/clock.h"
#include "provider/wire_inside.h"
#include "provider/wire_json.h"

#include <stdio.h>
#include <string.h>

const char *skn_ask_state_word(skn_ask_state state)
{
    switch (state) {
    case SKN_ASK_ANSWERED:
        return "answered";
    case SKN_ASK_NO_KEY:
        return "no-key";
    case SKN_ASK_BAD_KEY:
        return "bad-key";
    case SKN_ASK_RATE_LIMIT:
        return "rate-limit";
    case SKN_ASK_OVERFLOW:
        return "context-overflow";
    case SKN_ASK_NO_TOOLS:
        return "no-tools";
    case SKN_ASK_CUT:
        return "cut";
    case SKN_ASK_STALLED:
        return "stalled";
    case SKN_ASK_MALFORMED:
        return "malformed";
    case SKN_ASK_WRONG_TYPE:
        return "wrong-content-type";
    case SKN_ASK_EMPTY:
        return "empty";
    case SKN_ASK_REFUSED:
        return "refused";
    case SKN_ASK_UNAVAILABLE:
        return "unavailable";
    case SKN_ASK_UNREACHABLE:
        return "unreachable";
    case SKN_ASK_OVER_BUDGET:
        return "over-budget";
    case SKN_ASK_STOPPED:
        return "stopped";
    case SKN_ASK_FAILED:
        break;
    }
    return "failed";
}

bool skn_wire_kind_from(skn_str word, skn_wire_kind *out)
{
    static const struct {
        const char   *word;
        skn_wire_kind kind;
    } kinds[] = {{"openai", SKN_WIRE_OPENAI},
                 {"openai-compatible", SKN_WIRE_OPENAI},
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
    case SKN_WIRE_OPENAI:
        break;
    }
    return &skn_wire_openai;
}

/* How a sentence about a failure begins, after the provider's name; NULL: its words say it all. */
static const char *begin_of(skn_ask_state state)
{
    switch (state) {
    case SKN_ASK_BAD_KEY:
        return " says the key is not valid";
    case SKN_ASK_RATE_LIMIT:
        return " says that it was asked too often";
    case SKN_ASK_OVERFLOW:
        return " says that this is more than the model can read";
    case SKN_ASK_NO_TOOLS:
        return " says that the model cannot use tools";
    case SKN_ASK_UNAVAILABLE:
        return " cannot answer just now";
    case SKN_ASK_REFUSED:
        return " refuses to answer";
    case SKN_ASK_MALFORMED:
        return " gave an answer that cannot be understood";
    case SKN_ASK_WRONG_TYPE:
        return " gave something that is no answer of a model";
    case SKN_ASK_EMPTY:
        return " answered with nothing";
    case SKN_ASK_CUT:
    case SKN_ASK_STALLED:
    case SKN_ASK_FAILED:
        return "";
    case SKN_ASK_ANSWERED:
    case SKN_ASK_NO_KEY:
    case SKN_ASK_UNREACHABLE:
    case SKN_ASK_OVER_BUDGET:
    case SKN_ASK_STOPPED:
        break;
    }
    return NULL;
}

static void give_hint(const skn_wire *p, skn_ask_state state, skein_error *out)
{
    if (state == SKN_ASK_NO_KEY || state == SKN_ASK_BAD_KEY)
        skn_hint(out, SKEIN_PROVIDER, "give it one: skein provider login %s", p->base.name);
    else if (state == SKN_ASK_WRONG_TYPE || state == SKN_ASK_UNREACHABLE)
        skn_hint(out, SKEIN_PROVIDER, "check the address: skein provider test %s",
                 p->base.name);
}

void skn_wire_explain(const skn_wire *p, skn_ask_state state, int status, const char *words,
                      skein_error *out)
{
    const char *begin = begin_of(state), *name = p->base.name;
    char        number[16] = "";

    if (state == SKN_ASK_EMPTY)
        words = ""; /* it has said none */
    if (status && status / 100 != 2)
        snprintf(number, sizeof number, " (%d)", status);
    if (state == SKN_ASK_NO_KEY)
        skn_fail(out, SKEIN_PROVIDER, "there is no key for %s", name);
    else if (begin)
        skn_fail(out, SKEIN_PROVIDER, "%s%s%s%s%s", name, begin, number, *words ? ": " : "",
                 words);
    else
        skn_fail(out, SKEIN_PROVIDER, "%s", words);
    give_hint(p, state, out);
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

int64_t skn_wire_retry_after(const skn_fetch_head *head)
{
    skn_str exact = skn_fetch_header_of(head, "retry-after-ms");
    skn_str value = skn_fetch_header_of(head, "retry-after"), whole;
    int64_t n;

    if (skn_str_int(exact, &n) && n > 0 && n < INT32_MAX)
        return n;
    if (http_date(value, &n)) {
        n = (n - skn_clock_micros()) / 1000;
        return n > 0 ? n : 0;
    }
    if (!skn_str_split(&value, '.', &whole) || !skn_str_int(whole, &n) || n < 0 ||
        n > INT32_MAX)
        return 0;
    return n * 1000 + (value.n ? 1000 : 0);
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

skn_str skn_wire_str(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_STRING ? m->text : SKN_NONE;
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
    skn_str         words = skn_wire_str(error, "message"), type = skn_wire_str(error, "type");

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
