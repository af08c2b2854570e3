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

/* Every kind there is. Those that are known by a code of the engine have the same words there. */
static const word words[] = {
    {"validation", 400, false, "VALIDATION_ERROR", "The input is not valid",
     "A value is missing or has the wrong form: \"detail\" says which. Where it stands in one "
     "place, \"errors\" has a JSON pointer to it, or the name of the parameter."},
    {"bad-request", 400, false, "BAD_REQUEST", "The request is not HTTP as it should be",
     "The request could not be read without doubt. Check the client or proxy that sent it."},
    {"usage", 400, false, "USAGE", "The request was not understood",
     "Look the request up in the reference at /docs."},
    {"not-a-user-message", 400, false, "INVALID_MESSAGE_TYPE",
     "A person did not write this message",
     "Only messages that a person wrote can be edited or removed from here on."},
    {"self-reply", 400, false, "THREAD_INVALID", "A message cannot reply to itself",
     "Leave replyToMessageId out, or name another message."},
    {"circular-reply", 400, false, "THREAD_INVALID", "The replies would form a circle",
     "\"chain\" shows the circle. Reply to a message outside of it."},
    {"too-deep", 400, false, "THREAD_INVALID", "The replies are nested too deeply",
     "At most 100 replies may hang under each other. Reply to a message further up."},
    {"sign-in", 401, false, "SIGN_IN", "Sign in first",
     "This server needs a token: send \"Authorization: Bearer TOKEN\"."},
    {"origin", 403, false, "ORIGIN", "Not from there",
     "A web page of another site, or a name that is not this server's, was used to reach it. "
     "Name the address in server.publicUrl, or allow the page with server.allowOrigins."},
    {"not-found", 404, false, "NOT_FOUND", "There is no such thing",
     "The reference at /docs lists all addresses."},
    {"world-not-found", 404, false, "WORLD_NOT_FOUND", "There is no such world",
     "GET /worlds lists them. \"didYouMean\" may have the right name."},
    {"chat-not-found", 404, false, "CHAT_NOT_FOUND", "There is no such chat",
     "GET /worlds/{world}/chats lists them."},
    {"message-not-found", 404, false, "MESSAGE_NOT_FOUND", "There is no such message",
     "It may be in another version of the chat: \"inThreads\" says which."},
    {"agent-not-found", 404, false, "AGENT_NOT_FOUND", "There is no such agent",
     "GET /worlds/{world}/agents lists them. \"didYouMean\" may have the right name."},
    {"version-not-found", 404, false, "VERSION_NOT_FOUND", "There is no such version",
     "GET /worlds/{world}/chats/{chat}/threads lists them."},
    {"task-not-found", 404, false, "TASK_NOT_FOUND", "There is no such task",
     "GET /worlds/{world}/agents/{agent}/tasks lists them."},
    {"inbox-not-found", 404, false, "INBOX_NOT_FOUND", "There is no such item in the inbox",
     "GET /inbox lists them."},
    {"delegation-not-found", 404, false, "DELEGATION_NOT_FOUND", "There is no such delegation",
     "GET /worlds/{world}/delegations?chatId= lists them: a delegation belongs to a chat."},
    {"provider-not-found", 404, false, "PROVIDER_NOT_FOUND", "There is no such provider",
     "GET /providers lists them."},
    {"call-not-found", 404, false, "CALL_NOT_FOUND", "No model was asked for this",
     "A person wrote it, or it was imported, or the call is kept no more."},
    {"job-not-found", 404, false, "JOB_NOT_FOUND", "There is no such job",
     "Jobs are forgotten an hour after their end, when the server restarts, and the oldest "
     "when "
     "there are many."},
    {"method", 405, false, "METHOD_NOT_ALLOWED", "This cannot be done here",
     "The Allow header says what can be done at this address."},
    {"timeout", 408, true, "REQUEST_TIMEOUT", "The request took too long to arrive",
     "A request has to arrive within some seconds. Send it again."},
    {"conflict", 409, false, "CONFLICT", "This does not fit with what is there",
     "The detail says what is in the way."},
    {"nothing-to-do", 409, false, "NOTHING_TO_DO", "There is nothing to do",
     "What was asked for is already so."},
    {"turn-over", 409, false, "TURN_OVER", "The agent's turn is over",
     "It was stopped, or its time ran out. What it stored before stays."},
    {"session-off", 409, false, "SESSION_OFF", "The world has no current conversation",
     "Name a chat with chatId, or make one current: PATCH /worlds/{world} with currentChatId."},
    {"chat-archived", 409, false, "CHAT_ARCHIVED", "The conversation is archived",
     "It can be read. To change it, restore it: POST /worlds/{world}/chats/{chat}/restore."},
    {"edit-in-progress", 409, true, "EDIT_IN_PROGRESS", "Another edit is under way",
     "Wait for it, then look at the conversation again."},
    {"idempotency-running", 409, true, "IDEMPOTENCY_RUNNING",
     "The first request is still running",
     "A request with this Idempotency-Key is being worked on. Ask again in a moment. When it "
     "is not \"retryable\", the server ended in the middle of it, or what it was answered has "
     "been erased since: look what there is first."},
    {"event-too-old", 410, false, "EVENT_TOO_OLD", "These events are forgotten",
     "Read the conversations again, and follow the events from now on."},
    {"version-changed", 412, true, "VERSION_CONFLICT", "The conversation has moved on",
     "Somebody changed it since it was read. Read it again; \"current\" is where it stands."},
    {"too-large", 413, false, "TOO_LARGE", "The input is too large",
     "Send less at once. The limits are in GET /settings."},
    {"url-too-long", 414, false, "URL_TOO_LONG", "The address is too long",
     "An address may have 8 kB."},
    {"media-type", 415, false, "MEDIA_TYPE", "This kind of content is not understood",
     "Send JSON with \"Content-Type: application/json\"."},
    {"expectation", 417, false, "EXPECTATION", "The expectation cannot be met",
     "Only \"Expect: 100-continue\" is understood."},
    {"idempotency-mismatch", 422, false, "IDEMPOTENCY_MISMATCH",
     "The key was used for another request",
     "An Idempotency-Key belongs to one request for a day. Make a new one."},
    {"bad-file", 422, false, "BAD_FILE", "The file cannot be read",
     "The detail says what is wrong with it and where."},
    {"world-busy", 423, true, "WORLD_LOCKED", "Agents are responding",
     "Wait until the agents are done, stop them, or send \"force\": true to stop them first."},
    {"if-match-needed", 428, false, "IF_MATCH_NEEDED", "Say which version you mean",
     "Send If-Match with the ETag that the conversation had when you read it."},
    {"rate-limit", 429, true, "RATE_LIMIT", "Too many requests",
     "Wait as long as Retry-After says. The limit is limits.requestsPerMinute."},
    {"headers-too-large", 431, false, "HEADERS_TOO_LARGE", "The headers are too large",
     "All headers together may have 16 kB, and there may be 100."},
    {"internal", 500, false, "INTERNAL", "Something went wrong",
     "This is a fault of the program. The log has a line with the request id."},
    {"removal-failed", 500, true, "REMOVAL_ERROR", "The messages could not be removed",
     "Nothing was lost. GET /worlds/{world}/edit-errors lists what failed and why."},
    {"io", 500, false, "IO", "Reading or writing failed",
     "Look at the disk that holds the data: \"skein doctor\"."},
    {"not-a-store", 500, false, "NOT_A_STORE", "This is not a store of this program",
     "Check the data directory: \"skein doctor\"."},
    {"newer-store", 500, false, "NEWER_STORE", "A newer program made this store",
     "Install the newer version."},
    {"damaged-store", 500, false, "DAMAGED_STORE", "The store is damaged",
     "\"skein fsck\" says what is wrong; \"skein backup\" and the backups folder help."},
    {"not-implemented", 501, false, "NOT_IMPLEMENTED", "This is not understood here",
     "Bodies come plain or chunked, in no other coding."},
    {"provider-error", 502, true, "PROVIDER_ERROR", "The model's provider failed",
     "The detail has what it said."},
    {"busy", 503, true, "BUSY", "The store is busy",
     "Another program holds the store, or many write to it at once. Nothing was changed; ask "
     "again in a moment."},
    {"starting", 503, true, "STARTING", "The server is starting or stopping",
     "Ask again in a moment. GET /readyz says when it is ready."},
    {"no-models", 503, false, "NO_MODELS", "This server asks no models",
     "It was started without them. What a person writes works all the same."},
    {"overloaded", 503, true, "OVERLOADED", "The server has too much to do",
     "Ask again in a moment."},
    {"read-only", 503, false, "READ_ONLY", "The store cannot be written",
     "The server was started read only, or the disk is."},
    {"storage-full", 503, true, "STORAGE_FULL", "The storage is full",
     "Make room on the disk that holds the data. Nothing was lost."},
    {"database-unreachable", 503, true, "DATABASE_UNREACHABLE", "The database does not answer",
     "Check the database server; requests are answered again once it is back."},
    {"provider-timeout", 504, true, "TIMEOUT", "The model's provider took too long",
     "Ask again, or choose a faster model."},
    {"server-needed", 501, false, "SERVER_NEEDED", "Only a server does this",
     "Start one with \"skein serve\" and send the request there."},
    {"http-version", 505, false, "HTTP_VERSION", "This version of HTTP is not spoken here",
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
