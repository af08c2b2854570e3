/* Failures as they are told: RFC 9457, and a page of help behind each kind. */
#include "api/call.h"

#include "base/clean.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

enum { BUSY_MS = 5000, SOON_MS = 1000 };

typedef struct word {
    const char *word;
    int         status;
    bool        again; /* the same request may succeed later */
    const char *code, *title, *help;
} word;

/* Every kind of problem. The titles of those with a code of the engine are the same there (shape_view.c). */
static const word words[] = {
    {"validation", 400, false, "VALIDATION_ERROR", "The input is not valid",
     "A value is missing or has the wrong form; \"detail\" says which. If it has one place, "
     "\"errors\" has a JSON pointer to it, or the name of the parameter."},
    {"bad-request", 400, false, "BAD_REQUEST", "The request is not valid HTTP",
     "The request is malformed or ambiguous. Check the client or proxy that sent it."},
    {"usage", 400, false, "USAGE", "The request was not understood",
     "The reference at /docs describes every request."},
    {"not-a-user-message", 400, false, "INVALID_MESSAGE_TYPE",
     "A person did not write this message",
     "Only messages of people can be edited, or removed with all later messages."},
    {"self-reply", 400, false, "THREAD_INVALID", "A message cannot reply to itself",
     "Leave replyToMessageId out, or name another message."},
    {"circular-reply", 400, false, "THREAD_INVALID", "The replies would form a cycle",
     "\"chain\" lists the messages of the cycle. Reply to a message outside of it."},
    {"too-deep", 400, false, "THREAD_INVALID", "The replies are nested too deeply",
     "A reply thread has at most 100 levels. Reply to a message further up."},
    {"sign-in", 401, false, "SIGN_IN", "Sign in first",
     "This server needs a token: send \"Authorization: Bearer TOKEN\"."},
    {"origin", 403, false, "ORIGIN", "This origin is not allowed",
     "The request came from a web page of another site, or used a host name that is not this "
     "server's. Set the address in server.publicUrl, or allow the page with "
     "server.allowOrigins."},
    {"not-found", 404, false, "NOT_FOUND", "Not found",
     "The reference at /docs lists all addresses."},
    {"world-not-found", 404, false, "WORLD_NOT_FOUND", "There is no such world",
     "GET /worlds lists all worlds. \"didYouMean\" may have the right name."},
    {"chat-not-found", 404, false, "CHAT_NOT_FOUND", "There is no such chat",
     "GET /worlds/{world}/chats lists all chats."},
    {"message-not-found", 404, false, "MESSAGE_NOT_FOUND", "There is no such message",
     "The message may be in another version of the chat; \"inThreads\" names it."},
    {"agent-not-found", 404, false, "AGENT_NOT_FOUND", "There is no such agent",
     "GET /worlds/{world}/agents lists all agents. \"didYouMean\" may have the right name."},
    {"version-not-found", 404, false, "VERSION_NOT_FOUND", "There is no such version",
     "GET /worlds/{world}/chats/{chat}/threads lists all versions."},
    {"task-not-found", 404, false, "TASK_NOT_FOUND", "There is no such task",
     "GET /worlds/{world}/agents/{agent}/tasks lists the tasks."},
    {"inbox-not-found", 404, false, "INBOX_NOT_FOUND", "There is no such item in the inbox",
     "GET /inbox lists all items."},
    {"delegation-not-found", 404, false, "DELEGATION_NOT_FOUND", "There is no such delegation",
     "GET /worlds/{world}/delegations?chatId= lists the delegations of a chat."},
    {"provider-not-found", 404, false, "PROVIDER_NOT_FOUND", "There is no such provider",
     "GET /providers lists all providers."},
    {"call-not-found", 404, false, "CALL_NOT_FOUND", "No model was asked for this",
     "A person wrote the message, it was imported, or the model call was erased."},
    {"job-not-found", 404, false, "JOB_NOT_FOUND", "There is no such job",
     "A job is removed an hour after its end, when the server restarts, or when there are "
     "many newer jobs."},
    {"method", 405, false, "METHOD_NOT_ALLOWED", "The method is not allowed here",
     "The Allow header lists the methods of this address."},
    {"timeout", 408, true, "REQUEST_TIMEOUT", "The request took too long to arrive",
     "A request must arrive within a few seconds. Send it again."},
    {"conflict", 409, false, "CONFLICT", "The request conflicts with the current state",
     "\"detail\" names the conflict."},
    {"nothing-to-do", 409, false, "NOTHING_TO_DO", "There is nothing to do",
     "The current state is already the requested one."},
    {"turn-over", 409, false, "TURN_OVER", "The agent's turn is over",
     "The turn was stopped, or its lease ran out. Stored steps stay."},
    {"session-off", 409, false, "SESSION_OFF", "The world has no current conversation",
     "Name a chat with chatId, or make one current: PATCH /worlds/{world} with currentChatId."},
    {"chat-archived", 409, false, "CHAT_ARCHIVED", "The conversation is archived",
     "It can be read. Restore it to change it: POST /worlds/{world}/chats/{chat}/restore."},
    {"edit-in-progress", 409, true, "EDIT_IN_PROGRESS", "Another edit is under way",
     "Wait for its end, then read the conversation again."},
    {"idempotency-running", 409, true, "IDEMPOTENCY_RUNNING",
     "The first request is still running",
     "A request with this Idempotency-Key is running. Retry in a moment. If the problem is not "
     "\"retryable\", the server ended during that request, or its answer has been erased: "
     "check the current state first."},
    {"event-too-old", 410, false, "EVENT_TOO_OLD", "These events are no longer stored",
     "Read the conversations again, and follow the events from there."},
    {"version-changed", 412, true, "VERSION_CONFLICT", "The conversation has moved on",
     "Somebody changed it after you read it. Read it again; \"current\" is its state."},
    {"too-large", 413, false, "TOO_LARGE", "The input is too large",
     "Send less at once. GET /settings shows the limits."},
    {"url-too-long", 414, false, "URL_TOO_LONG", "The address is too long",
     "An address can have at most 8 kB."},
    {"media-type", 415, false, "MEDIA_TYPE", "This content type is not supported",
     "Send JSON with \"Content-Type: application/json\"."},
    {"expectation", 417, false, "EXPECTATION", "The expectation is not supported",
     "Only \"Expect: 100-continue\" is supported."},
    {"idempotency-mismatch", 422, false, "IDEMPOTENCY_MISMATCH",
     "The key was used for another request",
     "An Idempotency-Key belongs to one request for a day. Use a new key."},
    {"bad-file", 422, false, "BAD_FILE", "The file cannot be read",
     "\"detail\" names the mistake and its place."},
    {"world-busy", 423, true, "WORLD_LOCKED", "Agents are responding",
     "Wait until the agents are done, stop them, or send \"force\": true to stop them first."},
    {"if-match-needed", 428, false, "IF_MATCH_NEEDED", "If-Match is required",
     "Send If-Match with the ETag that the conversation had when you read it."},
    {"rate-limit", 429, true, "RATE_LIMIT", "Too many requests",
     "Wait for the time in Retry-After. The limit is limits.requestsPerMinute."},
    {"headers-too-large", 431, false, "HEADERS_TOO_LARGE", "The headers are too large",
     "A request can have at most 100 headers with 16 kB in all."},
    {"internal", 500, false, "INTERNAL", "Something went wrong",
     "This is a bug in the program. The log has a line with the request id."},
    {"removal-failed", 500, true, "REMOVAL_ERROR", "The messages could not be removed",
     "Nothing was lost. GET /worlds/{world}/edit-errors lists failed edits and reasons."},
    {"io", 500, false, "IO", "Reading or writing failed",
     "Check the disk with the data: \"skein doctor\"."},
    {"not-a-store", 500, false, "NOT_A_STORE", "This is not a store of this program",
     "Check the data directory: \"skein doctor\"."},
    {"newer-store", 500, false, "NEWER_STORE", "A newer program made this store",
     "Install the newer version."},
    {"damaged-store", 500, false, "DAMAGED_STORE", "The store is damaged",
     "\"skein fsck\" lists the damage; the backups folder has earlier copies."},
    {"not-implemented", 501, false, "NOT_IMPLEMENTED", "This is not supported",
     "A body can be plain or chunked; no other transfer coding is supported."},
    {"provider-error", 502, true, "PROVIDER_ERROR", "The model's provider failed",
     "\"detail\" has the error of the provider."},
    {"busy", 503, true, "BUSY", "The store is busy",
     "Another program has locked the store, or many programs write to it. Nothing was changed; "
     "retry in a moment."},
    {"starting", 503, true, "STARTING", "The server is starting or stopping",
     "Retry in a moment. GET /readyz shows when the server is ready."},
    {"no-models", 503, false, "NO_MODELS", "This server asks no models",
     "The server was started without models. Messages of people are still stored."},
    {"overloaded", 503, true, "OVERLOADED", "The server has too much to do",
     "Retry in a moment."},
    {"read-only", 503, false, "READ_ONLY", "The store cannot be written",
     "The server was started read only, or the disk is read only."},
    {"storage-full", 503, true, "STORAGE_FULL", "The storage is full",
     "Free space on the disk with the data. Nothing was lost."},
    {"database-unreachable", 503, true, "DATABASE_UNREACHABLE", "The database does not answer",
     "Check the database server; the server answers again when the database does."},
    {"provider-timeout", 504, true, "TIMEOUT", "The model's provider took too long",
     "Retry, or choose a faster model."},
    {"server-needed", 501, false, "SERVER_NEEDED", "This needs a server",
     "Start a server with \"skein serve\" and send the request there."},
    {"http-version", 505, false, "HTTP_VERSION", "This version of HTTP is not supported",
     "Use HTTP/1.1."},
};

static const word *word_named(skn_str name)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (skn_str_is(name, words[i].word))
            return &words[i];
    return NULL;
}

const char *skn_problem_word_of(int status)
{
    static const struct {
        int         status;
        const char *word;
    } own[] = {{404, "not-found"},         {405, "method"},          {408, "timeout"},
               {413, "too-large"},         {414, "url-too-long"},    {417, "expectation"},
               {431, "headers-too-large"}, {501, "not-implemented"}, {503, "overloaded"},
               {505, "http-version"}};

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (own[i].status == status)
            return own[i].word;
    return "bad-request";
}

/* --- Agents at work --------------------------------------------------------------------------- */

static skn_str joined(skn_api_call *c, skn_str a, skn_str b)
{
    if (!a.n || !b.n)
        return a.n ? a : b;
    return skn_arena_printf(c->mem, "%.*s,%.*s", SKN_FMT(a), SKN_FMT(b));
}

static void stop_action(skn_api_call *c, skn_jw *w)
{
    skn_jw_key(w, "actions");
    skn_jw_array(w);
    skn_jw_object(w);
    skn_jw_kstr(w, "title", SKN_STR("Stop the agents"));
    skn_jw_kstr(w, "method", SKN_STR("POST"));
    skn_jw_kstr(w, "href",
                skn_arena_printf(c->mem, "/worlds/%.*s/messages/stop", SKN_FMT(c->world.name)));
    if (c->chat.uid.p) {
        skn_jw_key(w, "body");
        skn_jw_object(w);
        skn_jw_kstr(w, "chatId", c->chat.uid);
        skn_jw_object_end(w);
    }
    skn_jw_object_end(w);
    skn_jw_array_end(w);
}

/* The members without the braces around them. */
static skn_str busy_members(skn_api_call *c, const skein_turns *turns)
{
    skn_buf b;
    skn_jw  w;
    skn_str text;

    skn_buf_init(&b, 1024 * 1024);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_key(&w, "busy");
    skn_shape_busy(&w, turns, skn_clock_micros());
    if (c->world.name.p)
        stop_action(c, &w);
    skn_jw_kstr(&w, "reason", skn_str_of(c->error.message));
    skn_jw_object_end(&w);
    text = skn_buf_str(&b);
    text = skn_arena_copy(c->mem, b.over ? SKN_STR("") : skn_str_sub(text, 1, text.n - 1));
    skn_buf_release(&b);
    return text;
}

static void tell_busy(skn_api_call *c)
{
    c->more.retry_after_ms = BUSY_MS;
    c->problem = c->problem ? c->problem : "busy";
}

/* What was not done: the first clients' words for a change of messages, the like for what else agents keep from being
 * done. */
static const char *refused(const skn_api_call *c)
{
    static const struct {
        const char *route, *words;
    } others[] = {
        {"removeWorld", "Cannot remove the world while agents are responding"},
        {"removeChat", "Cannot remove the chat while agents are responding"},
        {"removeAgent", "Cannot remove the agent while it is responding"},
        {"clearAgentMemory", "Cannot clear the memory while agents are responding"},
        {"travel", "Cannot change the version while agents are responding"},
        {"squash", "Cannot squash messages while agents are responding"},
        {"retryAnswer", "Cannot ask again while agents are responding"},
    };

    for (size_t i = 0; c->route && i < sizeof others / sizeof *others; i++)
        if (!strcmp(c->route->id, others[i].route))
            return others[i].words;
    return "Cannot edit messages while agents are responding";
}

static void tell_at_work(skn_api_call *c)
{
    skein_turns turns = {0};

    c->more.retry_after_ms = BUSY_MS;
    if (skein_turns_open(c->engine, c->world.id, c->chat.id, c->mem, &turns, NULL))
        return;
    c->problem_extra = joined(c, busy_members(c, &turns), c->problem_extra);
    skn_fail(&c->error, SKEIN_AT_WORK, "%s", refused(c));
    skn_hint(&c->error, SKEIN_AT_WORK, "Please wait for agents to finish responding");
    c->problem = c->problem ? c->problem : "world-busy";
}

/* --- The document ------------------------------------------------------------------------------ */

static void name_kind(skn_api_call *c)
{
    const word *w = c->problem ? word_named(skn_str_of(c->problem)) : NULL;

    if (!w)
        return;
    c->more.word = w->word;
    c->more.title = w->title;
    c->more.name = w->code;
    c->more.status = c->problem_status ? c->problem_status : w->status;
    c->more.again = w->again;
}

/* Every answer says what became of the request, so the status is the document's. */
static int status_of(const skn_api_call *c)
{
    if (c->more.status)
        return c->more.status;
    return skein_rc_http(c->error.rc);
}

/* Whoever may ask again hears when, and nobody else does: in the document and in the header. Time alone does not cure a
 * 412. */
static void say_when(skn_api_call *c, int status)
{
    int64_t ms = c->more.retry_after_ms;

    if (!skn_problem_again(&c->error, &c->more))
        ms = 0;
    else if (!ms && status != 412)
        ms = status == 503 && !c->more.word ? BUSY_MS : SOON_MS;
    c->more.retry_after_ms = ms;
    if (ms && (status == 423 || status == 429 || status == 503 || status == 409))
        skn_call_add_header(c, "Retry-After",
                            skn_arena_printf(c->mem, "%lld", (long long)(ms + 999) / 1000));
}

/* The engine answers another body under the same key as a conflict; here that has its own kind. */
static void by_message(skn_api_call *c)
{
    if (c->problem)
        return;
    if (c->error.rc == SKEIN_CONFLICT &&
        skn_str_starts(skn_str_of(c->error.message), SKN_STR("the key \"")))
        c->problem = "idempotency-mismatch";
}

/* What the handler said of an answer that is not given. */
static void drop_headers(skn_api_call *c)
{
    static const char *const gone[] = {"ETag", "Location", "Link", "Cache-Control"};
    size_t                   kept = 0;

    for (size_t i = 0; i < c->headers.n; i++) {
        bool drop = false;

        for (size_t k = 0; k < sizeof gone / sizeof gone[0]; k++)
            drop = drop || skn_str_is(c->headers.p[i].name, gone[k]);
        if (!drop)
            c->headers.p[kept++] = c->headers.p[i];
    }
    c->headers.n = kept;
}

void skn_problem_write(skn_api_call *c)
{
    size_t bad;
    int    status;

    if (c->error.rc == SKEIN_OK)
        skn_fail(&c->error, SKEIN_FAILED, "the request failed without a reason");
    if (c->error.rc == SKEIN_AT_WORK)
        tell_at_work(c);
    else if (c->error.rc == SKEIN_BUSY)
        tell_busy(c);
    drop_headers(c);
    by_message(c);
    name_kind(c);
    status = status_of(c);
    say_when(c, status);
    c->more.instance = skn_utf8_valid(c->path, &bad) ? c->path : SKN_STR("/");
    c->more.request_id = c->request_id;
    c->more.extra = c->problem_extra;
    c->status = status;
    c->type = "application/problem+json";
    skn_buf_clear(&c->out);
    skn_jw_init(&c->w, &c->out);
    skn_shape_problem(&c->w, &c->error, &c->more);
}

/* --- Help --------------------------------------------------------------------------------------- */

bool skn_problem_page(skn_str name, skn_buf *out)
{
    const word *w = word_named(name);

    if (!w)
        return false;
    skn_buf_addf(out,
                 "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                 "<meta name=\"viewport\" content=\"width=device-width\"><title>%s</title>\n"
                 "<h1>%s</h1>\n<p>Status %d, code <code>%s</code>.</p>\n<p>",
                 w->title, w->title, w->status, w->code);
    skn_clean_html(out, skn_str_of(w->help));
    skn_buf_add(out, SKN_STR("</p>\n<p><a href=\"/docs\">All of the API</a></p>\n</html>\n"));
    return true;
}
