/* The handshake, and everything that a server says. */
#include "mcp/mcp_inside.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <skein/version.h>
#include <stdarg.h>
#include <stdio.h>

#define LOG_BYTES ((size_t)2048) /* of a line */
enum { LOG_LINES = 20 };         /* a second */

/* Newest first. We ask for the first and take any. */
static const char *const versions[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"};

static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                     "error", "critical", "alert",  "emergency"};

/* --- Log -------------------------------------------------------------------------------------- */

/* A server that talks too much is heard for a part of each second only. */
static bool may_log(skn_mcp *s)
{
    int64_t second = skn_clock_monotonic() / 1000000000;

    if (second != s->log_second) {
        s->log_second = second;
        s->log_lines = 0;
    }
    return s->sink.log && ++s->log_lines <= LOG_LINES;
}

static void log_line(skn_mcp *s, skn_str level, skn_str text)
{
    skn_buf line;

    if (!may_log(s))
        return;
    skn_buf_init(&line, LOG_BYTES);
    skn_mcp_add_clean(&line, skn_utf8_cut(text, LOG_BYTES));
    s->sink.log(s->sink.arg, s, level, skn_buf_str(&line));
    skn_buf_release(&line);
}

void skn_mcp_note(skn_mcp *s, const char *level, const char *fmt, ...)
{
    char    line[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof line, fmt, args);
    va_end(args);
    log_line(s, skn_str_of(level), skn_str_of(line));
}

static void on_log(skn_mcp *s, const skn_json *params)
{
    const skn_json *data = skn_json_get(params, "data");
    skn_str         level = skn_json_str(params, "level");
    skn_str         word = SKN_STR("info");

    if (!data)
        return;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (skn_str_is(level, levels[i]))
            word = skn_str_of(levels[i]);
    log_line(s, word, data->kind == SKN_JSON_STRING ? data->text : data->raw);
}

void skn_mcp_post(skn_mcp *s, skn_mcp_letter *l, int64_t id)
{
    s->road->send(s, skn_mcp_letter_end(l), id);
    skn_buf_release(&l->text);
}

/* --- Handshake -------------------------------------------------------------------------------- */

void skn_mcp_hello(skn_mcp *s)
{
    skn_mcp_letter l;
    skn_jw        *w = skn_mcp_letter_begin(&l, 2048, s->hello_id = ++s->next_id, "initialize");

    skn_jw_kobject(w, "params");
    skn_jw_kstr(w, "protocolVersion", skn_str_of(versions[0]));
    skn_jw_kraw(w, "capabilities", SKN_STR("{}"));
    skn_jw_kobject(w, "clientInfo");
    skn_jw_kstr(w, "name", SKN_STR("skein"));
    skn_jw_kstr(w, "version", SKN_STR(SKEIN_VERSION));
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    skn_mcp_post(s, &l, s->hello_id);
}

static void greeted(skn_mcp *s, const skn_json *result)
{
    const skn_json *tools = skn_json_get(skn_json_get(result, "capabilities"), "tools");
    skn_str         word = skn_json_str(result, "protocolVersion");
    skn_mcp_letter  notice;

    s->hello_id = 0;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
        if (skn_str_is(word, versions[i]))
            s->version = skn_str_of(versions[i]);
    if (!s->version.n) {
        word = skn_utf8_cut(word.p ? word : SKN_STR("none"), 40);
        skn_mcp_broke(s, true, "it speaks another version of the protocol: %.*s",
                      SKN_FMT(word));
        return;
    }
    s->has_tools = tools && tools->kind == SKN_JSON_OBJECT;
    skn_mcp_letter_begin(&notice, 1024, 0, "notifications/initialized");
    s->road->initialized(s, skn_mcp_letter_end(&notice));
    skn_buf_release(&notice.text);
}

/* --- Messages --------------------------------------------------------------------------------- */

/* We offer nothing but to be alive. */
static void on_request(skn_mcp *s, const skn_mcp_message *m)
{
    skn_mcp_letter l;
    skn_jw        *w = skn_mcp_letter_answer(&l, m->raw_id);

    if (skn_str_is(m->method, "ping")) {
        skn_jw_kraw(w, "result", SKN_STR("{}"));
    } else {
        skn_jw_kraw(w, "error", SKN_STR("{\"code\":-32601,\"message\":\"Method not found\"}"));
    }
    skn_mcp_post(s, &l, 0);
}

/* Several changes at once are one; what changes while it is being listed is listed again. */
static void on_list_changed(skn_mcp *s)
{
    if (s->list_id)
        s->list_again = true;
    else if (s->state == SKN_MCP_READY && s->has_tools)
        skn_timer_start(s->relist, 50);
}

static void on_notice(skn_mcp *s, const skn_mcp_message *m)
{
    if (skn_str_is(m->method, "notifications/progress"))
        skn_mcp_call_progress(s, m->body);
    else if (skn_str_is(m->method, "notifications/message"))
        on_log(s, m->body);
    else if (skn_str_is(m->method, "notifications/tools/list_changed"))
        on_list_changed(s);
}

static void on_error(skn_mcp *s, const skn_mcp_message *m)
{
    skn_mcp_call *c = skn_mcp_call_of(s, m->id);
    skn_buf       text;

    if (c) {
        skn_mcp_call_error(c, m->body);
        return;
    }
    skn_buf_init(&text, 350);
    skn_mcp_error_text(m->body, &text);
    if (m->id && m->id == s->hello_id)
        skn_mcp_broke(s, true, "it refused to start: %s", text.p);
    else if (m->id && m->id == s->list_id)
        skn_mcp_list_failed(s, text.p);
    else if (!m->id)
        skn_mcp_note(s, "warning", "%s", text.p);
    skn_buf_release(&text);
}

static void on_result(skn_mcp *s, const skn_mcp_message *m)
{
    skn_mcp_call *c = skn_mcp_call_of(s, m->id);

    if (c)
        skn_mcp_call_result(c, m->body);
    else if (m->id && m->id == s->hello_id)
        greeted(s, m->body);
    else if (m->id && m->id == s->list_id)
        skn_mcp_listed(s, m->body);
}

static bool on_message(void *arg, const skn_mcp_message *m)
{
    skn_mcp *s = arg;

    switch (m->kind) {
    case SKN_MCP_REQUEST:
        on_request(s, m);
        break;
    case SKN_MCP_NOTICE:
        on_notice(s, m);
        break;
    case SKN_MCP_RESULT:
        on_result(s, m);
        break;
    case SKN_MCP_ERROR:
        on_error(s, m);
        break;
    }
    return skn_mcp_alive(s);
}

bool skn_mcp_take(skn_mcp *s, skn_str text)
{
    skein_error err;
    skein_rc    rc;

    skn_arena_reset(s->scratch);
    if ((rc = skn_mcp_read(text, s->scratch, on_message, s, &err)))
        skn_mcp_note(s, "warning", "what it said could not be read: %s", err.message);
    return !rc;
}

bool skn_mcp_waits(const skn_mcp *s, int64_t id)
{
    return id && (id == s->hello_id || id == s->list_id || skn_mcp_call_of(s, id));
}

void skn_mcp_no_answer(skn_mcp *s, int64_t id, bool unknown, const char *fmt, ...)
{
    skn_mcp_call *c = skn_mcp_call_of(s, id);
    char          words[400];
    va_list       args;

    va_start(args, fmt);
    vsnprintf(words, sizeof words, fmt, args);
    va_end(args);
    if (c)
        skn_mcp_call_fail(c, unknown, words);
    else if (id && id == s->hello_id)
        skn_mcp_broke(s, false, "%s", words);
    else if (id && id == s->list_id)
        skn_mcp_list_failed(s, words);
}
