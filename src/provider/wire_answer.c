/* What all wire formats share in reading an answer: text, calls, failures. */
#include "base/hash.h"
#include "base/utf8.h"
#include "provider/wire.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { MOST_CALLS = 64, MOST_ARGS = 1 << 20 };

static const char end_mark[] = "</s>";

void skn_wire_cut(skn_wire_request *r)
{
    if (r->body.n > (r->ends.n ? r->ends.p[r->ends.n - 1] : 0))
        skn_vec_add(r->a, &r->ends, r->body.n);
}

void skn_wire_answer_init(skn_wire_answer *w, skn_arena *a, skn_arena *scratch,
                          const skn_answer_sink *sink, skn_str id)
{
    *w = (skn_wire_answer){
        .a = a, .scratch = scratch, .sink = sink, .id = id, .tokens_in = -1, .tokens_out = -1};
    skn_wire_reason_init(w);
}

void skn_wire_answer_release(skn_wire_answer *w)
{
    for (size_t i = 0; i < w->calls.n; i++)
        skn_buf_release(&w->calls.p[i].args);
    w->calls.n = 0;
    skn_wire_reason_release(w);
}

void skn_wire_text(skn_wire_answer *w, skn_part part, skn_str text)
{
    if (text.n == 0 || w->stopped)
        return;
    *(part == SKN_PART_TEXT ? &w->text_bytes : &w->thinking_bytes) += text.n;
    w->sink->delta(w->sink->arg, part, text);
}

/* --- Text --------------------------------------------------------------------------------------- */

/* Notes whether "<s>" has appeared: then "</s>" is part of the text. */
static void look_for_opening(skn_wire_answer *w, skn_str text)
{
    for (size_t i = 0; i < text.n && w->opened < 3; i++)
        if (text.p[i] == "<s>"[w->opened])
            w->opened++;
        else
            w->opened = text.p[i] == '<';
}

/* The length of the longest end of the text that could start an end mark. */
static unsigned held_of(skn_str text)
{
    unsigned k = text.n < 4 ? (unsigned)text.n : 4;

    while (k && memcmp(text.p + text.n - k, end_mark, k) != 0)
        k--;
    return k;
}

static void say(skn_wire_answer *w, skn_str text)
{
    unsigned was = w->held;

    look_for_opening(w, text);
    if (text.n == 0)
        return;
    while (was && was < 4 && text.n && text.p[0] == end_mark[was]) {
        text = skn_str_sub(text, 1, text.n);
        was++;
    }
    w->held = was;
    if (text.n == 0)
        return;
    w->held = held_of(text);
    skn_wire_text(w, SKN_PART_TEXT, (skn_str){end_mark, was});
    skn_wire_text(w, SKN_PART_TEXT, skn_str_sub(text, 0, text.n - w->held));
}

static const skn_str think_tags[][2] = {{{"<think>", 7}, {"</think>", 8}},
                                        {{"<thinking>", 10}, {"</thinking>", 11}}};

/* Whether the text starts with the tag, or could after more bytes. */
static bool may_be_tag(skn_str text, skn_str tag)
{
    return text.n && strncasecmp(text.p, tag.p, text.n < tag.n ? text.n : tag.n) == 0;
}

static skn_str without_front_blanks(skn_str text)
{
    skn_str trimmed = skn_str_trim(text);

    return skn_str_sub(text, trimmed.n ? (size_t)(trimmed.p - text.p) : text.n, text.n);
}

/* Drops blanks before thinking: some servers send a line end when there is no thinking. */
static void think(skn_wire_answer *w, skn_str text)
{
    skn_wire_text(w, SKN_PART_THINKING, w->thinking_bytes ? text : without_front_blanks(text));
}

/* take_front and take_thinking take what they can of the text. They return false if they need more. */

static bool take_front(skn_wire_answer *w, skn_str *text)
{
    skn_str rest = without_front_blanks(*text);
    size_t  blanks = text->n - rest.n;

    if (w->thought)
        *text = rest;
    if (!rest.n && blanks <= SKN_WIRE_FRONT_BLANKS)
        return false;
    for (size_t i = 0; i < 2 && blanks <= SKN_WIRE_FRONT_BLANKS; i++) {
        if (!may_be_tag(rest, think_tags[i][0]))
            continue;
        if (rest.n < think_tags[i][0].n)
            return false;
        w->closes = think_tags[i][1];
        *text = skn_str_sub(rest, think_tags[i][0].n, rest.n);
        w->part = SKN_WIRE_THINKS;
        return true;
    }
    w->part = SKN_WIRE_SAYS;
    return true;
}

static bool take_thinking(skn_wire_answer *w, skn_str *text)
{
    size_t at = 0;

    while (at < text->n && !may_be_tag(skn_str_sub(*text, at, text->n), w->closes))
        at++;
    think(w, skn_str_sub(*text, 0, at));
    *text = skn_str_sub(*text, at, text->n);
    if (text->n < w->closes.n)
        return false;
    *text = skn_str_sub(*text, w->closes.n, text->n);
    w->thought = true;
    w->part = SKN_WIRE_FRONT;
    return true;
}

void skn_wire_content(skn_wire_answer *w, skn_str text)
{
    if (w->front_n) {
        char *both = skn_arena_alloc(w->scratch, w->front_n + text.n + 1);

        memcpy(both, w->front, w->front_n);
        if (text.n)
            memcpy(both + w->front_n, text.p, text.n);
        text = (skn_str){both, w->front_n + text.n};
        w->front_n = 0;
    }
    while (text.n && w->part != SKN_WIRE_SAYS &&
           (w->part == SKN_WIRE_FRONT ? take_front(w, &text) : take_thinking(w, &text)))
        continue;
    if (w->part == SKN_WIRE_SAYS) {
        say(w, text);
    } else if (text.n) {
        memcpy(w->front, text.p, text.n);
        w->front_n = (unsigned)text.n;
    }
}

void skn_wire_content_end(skn_wire_answer *w)
{
    skn_str  front = {w->front, w->front_n};
    unsigned held;

    w->front_n = 0;
    if (w->part == SKN_WIRE_THINKS)
        think(w, front);
    else
        say(w, front);
    held = w->held;
    w->held = 0;
    if (held < 4 || w->opened == 3)
        skn_wire_text(w, SKN_PART_TEXT, (skn_str){end_mark, held});
}

/* --- Calls ----------------------------------------------------------------------------------- */

skn_wire_call *skn_wire_call_at(skn_wire_answer *w, int64_t index)
{
    skn_wire_call call = {.index = index};

    for (size_t i = w->calls.n; i-- > 0 && index >= 0;)
        if (w->calls.p[i].index == index)
            return &w->calls.p[i];
    if (w->calls.n == MOST_CALLS) {
        skn_wire_fail(w, SKN_ASK_MALFORMED, SKN_STR("it calls more than 64 tools at once"));
        return NULL;
    }
    skn_buf_init(&call.args, MOST_ARGS);
    skn_vec_add(w->a, &w->calls, call);
    return &w->calls.p[w->calls.n - 1];
}

void skn_wire_args(skn_wire_answer *w, skn_wire_call *call, skn_str text)
{
    skn_buf_add(&call->args, text);
    if (text.n && !w->stopped)
        w->sink->delta(w->sink->arg, SKN_PART_ARGS, text);
}

static bool id_is_taken(const skn_wire_answer *w, size_t before, skn_str id)
{
    for (size_t i = 0; i < before; i++)
        if (skn_str_eq(w->calls.p[i].id, id))
            return true;
    return false;
}

/* Makes ids for calls: servers leave them out, or give all calls the same. */
static void give_id(skn_wire_answer *w, size_t i)
{
    skn_wire_call *call = &w->calls.p[i];
    uint64_t       hash;

    if (call->id.n && call->id.n <= SKN_WIRE_NAME && !id_is_taken(w, i, call->id))
        return;
    hash = skn_hash_bytes(i + 1, w->id);
    call->id = skn_arena_printf(w->a, "call_%016llx", (unsigned long long)hash);
}

static bool is_cut(const skn_wire_answer *w)
{
    return w->finish && strcmp(w->finish, "length") == 0;
}

void skn_wire_hand_calls(skn_wire_answer *w)
{
    for (size_t i = 0; i < w->calls.n; i++)
        give_id(w, i);
    for (size_t i = 0; i < w->calls.n && !w->stopped; i++) {
        const skn_wire_call *c = &w->calls.p[i];
        skein_tool_call      call = {
                 .call_id = c->id, .tool_name = c->name, .args = skn_buf_str(&c->args)};

        if (call.args.n == 0) /* no arguments; after the token limit they are unknown */
            call.args = is_cut(w) && i + 1 == w->calls.n ? SKN_STR("\"\"") : SKN_STR("{}");
        w->sink->call(w->sink->arg, &call);
    }
}

/* --- Failures -------------------------------------------------------------------------------- */

void skn_wire_line(skn_str words, char out[SKN_WIRE_WORDS])
{
    skn_str s = skn_str_trim(words);
    size_t  bad, n = 0;

    if (!skn_utf8_valid(s, &bad))
        s = skn_str_sub(s, 0, bad);
    if (s.n > 300)
        s = skn_utf8_cut(s, 297);
    for (size_t i = 0; i < s.n; i++) {
        char c = (unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f ? ' ' : s.p[i];

        if (c != ' ' || n == 0 || out[n - 1] != ' ')
            out[n++] = c;
    }
    if (s.n < skn_str_trim(words).n)
        n += (size_t)snprintf(out + n, SKN_WIRE_WORDS - n, "…");
    out[n] = '\0';
}

void skn_wire_fail(skn_wire_answer *w, skn_ask_state state, skn_str words)
{
    char line[SKN_WIRE_WORDS];

    if (w->failed)
        return;
    skn_wire_line(skn_wire_hide(w->secrets, words, false, w->a),
                  line); /* hidden before it is cut */
    w->failed = true;
    w->state = state;
    skn_fail(&w->error, SKEIN_PROVIDER, "%s", line);
}

/* Signs of a state in the text of an error; the first match counts. */
static const struct {
    const char   *words; /* "+": both words must appear */
    skn_ask_state state;
} signs[] = {
    {"rate limit", SKN_ASK_RATE_LIMIT},
    {"rate_limit", SKN_ASK_RATE_LIMIT},
    {"too many requests", SKN_ASK_RATE_LIMIT},
    {"insufficient_quota", SKN_ASK_RATE_LIMIT},
    {"context_length_exceeded", SKN_ASK_OVERFLOW},
    {"exceed_context_size", SKN_ASK_OVERFLOW},
    {"maximum context length", SKN_ASK_OVERFLOW},
    {"prompt is too long", SKN_ASK_OVERFLOW},
    {"input is too long", SKN_ASK_OVERFLOW},
    {"prompt too long", SKN_ASK_OVERFLOW},
    {"too many tokens", SKN_ASK_OVERFLOW},
    {"request_too_large", SKN_ASK_OVERFLOW},
    {"exceed+context", SKN_ASK_OVERFLOW},
    {"context length of only", SKN_ASK_OVERFLOW}, /* LM Studio */
    {"greater than the context length", SKN_ASK_OVERFLOW},
    {"exceed+token", SKN_ASK_OVERFLOW},
    {"does not support tool", SKN_ASK_NO_TOOLS},       /* Ollama */
    {"requires --jinja", SKN_ASK_NO_TOOLS},            /* llama.cpp */
    {"--enable-auto-tool-choice", SKN_ASK_NO_TOOLS},   /* vLLM */
    {"found that support tool use", SKN_ASK_NO_TOOLS}, /* OpenRouter */
    {"tool calling is not supported", SKN_ASK_NO_TOOLS},
    {"tools is not supported", SKN_ASK_NO_TOOLS},
    {"tools are not supported", SKN_ASK_NO_TOOLS},
    {"`tools` is not supported", SKN_ASK_NO_TOOLS},
    {"not support function calling", SKN_ASK_NO_TOOLS},
    {"function calling is not enabled", SKN_ASK_NO_TOOLS},
    {"function calling is not supported", SKN_ASK_NO_TOOLS},
    {"invalid_api_key", SKN_ASK_BAD_KEY},
    {"invalid api key", SKN_ASK_BAD_KEY},
    {"authentication_error", SKN_ASK_BAD_KEY},
    {"permission_error", SKN_ASK_BAD_KEY},
    {"overloaded", SKN_ASK_UNAVAILABLE},
    {"server_error", SKN_ASK_UNAVAILABLE},
    {"internal server error", SKN_ASK_UNAVAILABLE},
    {"api_error", SKN_ASK_UNAVAILABLE},
    {"service unavailable", SKN_ASK_UNAVAILABLE},
    {"service_unavailable", SKN_ASK_UNAVAILABLE},
};

static skn_str lower(skn_str words, char *out, size_t room)
{
    size_t n = words.n < room ? words.n : room;

    for (size_t i = 0; i < n; i++)
        out[i] = words.p[i] >= 'A' && words.p[i] <= 'Z' ? (char)(words.p[i] + 32) : words.p[i];
    return (skn_str){out, n};
}

static bool has(skn_str text, const char *sign)
{
    skn_str rest = skn_str_of(sign), piece;

    while (skn_str_split(&rest, '+', &piece))
        if (skn_str_find(text, piece) < 0)
            return false;
    return true;
}

static skn_ask_state state_in(skn_str words)
{
    char    room[2048];
    skn_str text = lower(words, room, sizeof room);

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (has(text, signs[i].words))
            return signs[i].state;
    return SKN_ASK_REFUSED;
}

skn_ask_state skn_wire_state_of(int status, skn_str words)
{
    skn_ask_state told = state_in(words);

    if (status == 401 || status == 403)
        return SKN_ASK_BAD_KEY;
    if (status == 429)
        return SKN_ASK_RATE_LIMIT;
    if (status == 413 || told == SKN_ASK_OVERFLOW)
        return SKN_ASK_OVERFLOW;
    if (told == SKN_ASK_NO_TOOLS) /* comes with 400, 404 or 500 */
        return told;
    if (status >= 500 || status == 408 || status == 425)
        return SKN_ASK_UNAVAILABLE;
    /* Gateways answer 400 for an invalid key. With other statuses the text proves nothing. */
    return status == 0 || status == 400 ? told : SKN_ASK_REFUSED;
}

bool skn_wire_may_retry(skn_ask_state state, skn_str words)
{
    char    room[2048];
    skn_str text = lower(words, room, sizeof room);

    switch (state) {
    case SKN_ASK_RATE_LIMIT: /* an empty account does not refill with time */
        return !has(text, "insufficient+quota") && !has(text, "credit");
    case SKN_ASK_CUT:
    case SKN_ASK_STALLED:
    case SKN_ASK_EMPTY:
    case SKN_ASK_UNAVAILABLE:
    case SKN_ASK_UNREACHABLE:
        return true;
    case SKN_ASK_ANSWERED:
    case SKN_ASK_NO_KEY:
    case SKN_ASK_BAD_KEY:
    case SKN_ASK_OVERFLOW:
    case SKN_ASK_NO_TOOLS:
    case SKN_ASK_MALFORMED:
    case SKN_ASK_WRONG_TYPE:
    case SKN_ASK_REFUSED:
    case SKN_ASK_OVER_BUDGET:
    case SKN_ASK_STOPPED:
    case SKN_ASK_IN_LINE:
    case SKN_ASK_FAILED:
        return false;
    }
    return false;
}
