/* Calls of tools: sent at most once, ended exactly once. */
#include "mcp/mcp_inside.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define TOOL_MOST ((size_t)256)
#define ARGS_MOST ((size_t)4 * 1024 * 1024)
enum {
    PATIENCE = 10, /* times call_ms, when there is progress */
    SOON = 10      /* milliseconds: a timer may be early by some */
};

skn_mcp_call *skn_mcp_call_of(const skn_mcp *s, int64_t id)
{
    skn_mcp_call *c = id ? s->calls : NULL;

    while (c && (c->id != id || !c->sent))
        c = c->next;
    return c;
}

/* --- The end ---------------------------------------------------------------------------------- */

static void unlink_call(skn_mcp_call *c)
{
    skn_mcp_call **at = &c->s->calls;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    c->s->call_count--;
}

static void free_call(skn_mcp_call *c)
{
    skn_timer_free(c->timer);
    free(c->tool);
    free(c->args);
    free(c->refused);
    free(c);
}

static void finish_call(skn_mcp_call *c, const skn_mcp_result *result)
{
    skn_mcp_call_sink sink = c->sink;

    unlink_call(c);
    if (sink.done)
        sink.done(sink.arg, result);
    free_call(c);
}

/* Says which server and which tool, so that a model can tell them apart. */
void skn_mcp_call_fail(skn_mcp_call *c, bool unknown, const char *words)
{
    skn_buf text, clean;
    skn_str name = c->s->o.name;

    skn_buf_init(&text, 4096);
    skn_buf_init(&clean, 4096);
    skn_buf_addf(&text, "the tool \"%s\" of \"%.*s\" gave no result: %s. ", c->tool,
                 SKN_FMT(name), words);
    skn_buf_add(&text, unknown
                           ? SKN_STR("The outcome is unknown: it may have run, wholly or in "
                                     "part. It is not run again by itself.")
                           : SKN_STR("It was not run."));
    skn_mcp_add_clean(&clean, skn_buf_str(&text));
    finish_call(c, &(skn_mcp_result){skn_buf_str(&clean), true, unknown, false});
    skn_buf_release(&text);
    skn_buf_release(&clean);
}

/* A limit may have cut the last character in two. */
static void drop_half(skn_buf *text)
{
    size_t bad;

    if (text->over && !skn_utf8_valid(skn_buf_str(text), &bad))
        text->n = bad;
}

static void add_cut_note(skn_buf *text, size_t limit)
{
    drop_half(text);
    text->over = false;
    text->limit += 128;
    skn_buf_addf(text, "\n[cut here: the result is longer than %zu bytes]", limit);
}

void skn_mcp_call_result(skn_mcp_call *c, const skn_json *result)
{
    skn_mcp_result out = {.text = SKN_NONE};
    skn_buf        text;

    skn_buf_init(&text, c->s->o.result_bytes);
    out.failed = skn_mcp_result_text(result, &text);
    out.cut = text.over;
    if (out.cut)
        add_cut_note(&text, c->s->o.result_bytes);
    out.text = skn_buf_str(&text);
    finish_call(c, &out);
    skn_buf_release(&text);
}

/* The server took the call and refused it, in its own words. */
void skn_mcp_call_error(skn_mcp_call *c, const skn_json *error)
{
    skn_buf text;

    skn_buf_init(&text, c->s->o.result_bytes);
    skn_mcp_error_text(error, &text);
    drop_half(&text);
    finish_call(c, &(skn_mcp_result){skn_buf_str(&text), true, false, text.over});
    skn_buf_release(&text);
}

/* --- On the way ------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void refuse(skn_mcp_call *c, const char *fmt, ...)
{
    char    words[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    c->refused = skn_heap_copy(skn_str_of(words));
    skn_timer_start(c->timer, 0);
}

/* The road may find at once that it is broken; the call is then among those that were sent. */
static void send_call(skn_mcp_call *c)
{
    skn_mcp_letter l;
    skn_jw        *w;

    if (c->sink.may_send && !c->sink.may_send(c->sink.arg)) {
        refuse(c, "the server does not define it any more as it was when it was allowed");
        return;
    }
    w = skn_mcp_letter_begin(&l, ARGS_MOST * 2, c->id, "tools/call");
    skn_jw_kobject(w, "params");
    skn_jw_kstr(w, "name", skn_str_of(c->tool));
    skn_jw_kraw(w, "arguments", skn_str_of(c->args));
    skn_jw_kobject(w, "_meta");
    skn_jw_kint(w, "progressToken", c->id);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    c->sent = true;
    skn_mcp_post(c->s, &l, c->id);
}

void skn_mcp_calls_send(skn_mcp *s)
{
    for (skn_mcp_call *c = s->calls; c && skn_mcp_alive(s); c = c->next)
        if (!c->sent && !c->refused)
            send_call(c);
}

bool skn_mcp_call_unsend(skn_mcp *s, int64_t id)
{
    skn_mcp_call *c = skn_mcp_call_of(s, id);

    if (!c || c->again)
        return !c;
    c->sent = false;
    c->again = true;
    return true;
}

static void tell_cancelled(skn_mcp_call *c, const char *reason)
{
    skn_mcp_letter l;
    skn_jw        *w = skn_mcp_letter_begin(&l, 2048, 0, "notifications/cancelled");

    skn_jw_kobject(w, "params");
    skn_jw_kint(w, "requestId", c->id);
    skn_jw_kstr(w, "reason", skn_str_of(reason));
    skn_jw_object_end(w);
    c->s->road->forget(c->s, c->id);
    skn_mcp_post(c->s, &l, 0);
}

static void on_timer(void *arg)
{
    skn_mcp_call *c = arg;
    char          words[100];
    long long     ms = c->s->o.call_ms;

    if (c->refused) {
        skn_mcp_call_fail(c, false, c->refused);
        return;
    }
    if (!c->sent) {
        skn_mcp_call_fail(c, false, "the server was not ready in time");
        return;
    }
    if (skn_mcp_alive(c->s))
        tell_cancelled(c, "timeout");
    if (c->progressed && skn_clock_ms() + SOON < c->until)
        snprintf(words, sizeof words, "no answer, and no progress for %lld ms", ms);
    else
        snprintf(words, sizeof words, "no answer within %lld ms",
                 c->progressed ? ms * PATIENCE : ms);
    skn_mcp_call_fail(c, true, words);
}

static double number_of(const skn_json *v, const char *key)
{
    const skn_json *member = skn_json_get(v, key);
    char            text[64];

    if (!member || member->kind != SKN_JSON_NUMBER || member->text.n >= sizeof text)
        return 0;
    memcpy(text, member->text.p, member->text.n);
    text[member->text.n] = '\0';
    return strtod(text, NULL);
}

/* Progress gives a call its time again, but not forever. */
void skn_mcp_call_progress(skn_mcp *s, const skn_json *params)
{
    const skn_json *token = skn_json_get(params, "progressToken");
    int64_t         id = 0, left;
    skn_mcp_call   *c = token && skn_str_int(token->text, &id) ? skn_mcp_call_of(s, id) : NULL;
    skn_str         text = skn_utf8_cut(skn_json_str(params, "message"), 4096);

    if (!c)
        return;
    c->progressed = true;
    left = c->until - skn_clock_ms();
    skn_timer_start(c->timer, left < s->o.call_ms ? left : s->o.call_ms);
    if (c->sink.progress)
        c->sink.progress(c->sink.arg, number_of(params, "progress"), number_of(params, "total"),
                         text);
}

/* --- From outside ----------------------------------------------------------------------------- */

static bool are_arguments(skn_str args)
{
    const skn_json *v;
    skn_arena      *a = skn_arena_new();
    bool            ok;

    ok = args.n <= ARGS_MOST && !skn_json_parse(&v, args, "the arguments", a, NULL) &&
         v->kind == SKN_JSON_OBJECT;
    skn_arena_free(a);
    return ok;
}

/* Returns the reason why a call cannot be sent, or NULL. */
static const char *hindrance(const skn_mcp *s, skn_str tool, skn_str args)
{
    if (!tool.n || tool.n > TOOL_MOST || !skn_utf8_valid(tool, &(size_t){0}))
        return "that is not a name of a tool";
    if (args.n && !are_arguments(args))
        return "its arguments are no JSON object, or too large";
    if (s->call_count > SKN_MCP_CALLS)
        return "too many calls are under way";
    if (s->state == SKN_MCP_STOPPED || s->stopping)
        return "the server is stopped";
    return NULL;
}

skn_mcp_call *skn_mcp_ask(skn_mcp *s, skn_str tool, skn_str args, const skn_mcp_call_sink *sink)
{
    skn_mcp_call *c = skn_heap(sizeof *c), **at = &s->calls;
    const char   *why;

    while (*at)
        at = &(*at)->next;
    *at = c;
    s->call_count++;
    c->s = s;
    c->id = ++s->next_id;
    c->sink = *sink;
    c->timer = skn_timer_new(s->loop, on_timer, c);
    c->until = skn_clock_ms() + s->o.call_ms * PATIENCE;
    c->tool = skn_heap_copy(skn_utf8_cut(tool, TOOL_MOST));
    why = hindrance(s, tool, args);
    if (why || s->state == SKN_MCP_FAILED) {
        why ? refuse(c, "%s", why) : refuse(c, "the server does not run: %s", s->words);
        return c;
    }
    c->args = skn_heap_copy(args.n ? args : SKN_STR("{}"));
    skn_timer_start(c->timer, s->o.call_ms);
    if (s->state == SKN_MCP_READY && skn_mcp_alive(s))
        send_call(c);
    return c;
}

void skn_mcp_cancel(skn_mcp_call *c)
{
    if (!c)
        return;
    if (c->sent && skn_mcp_alive(c->s))
        tell_cancelled(c, "cancelled");
    unlink_call(c);
    free_call(c);
}

/* A `done` may make or cancel other calls, so each round looks again. New ones are not sent while
 * the road is closed, and only old ones are ended here. */
void skn_mcp_calls_end(skn_mcp *s, bool all, const char *words)
{
    int64_t       newest = s->next_id;
    skn_mcp_call *c;
    char          copy[sizeof s->words];

    snprintf(copy, sizeof copy, "%s", words);
    do {
        for (c = s->calls; c; c = c->next)
            if (!c->refused && c->id <= newest && (c->sent || all))
                break;
        if (c)
            skn_mcp_call_fail(c, c->sent, copy);
    } while (c);
}

void skn_mcp_calls_free(skn_mcp *s)
{
    while (s->calls) {
        skn_mcp_call *c = s->calls;

        s->calls = c->next;
        free_call(c);
    }
}
