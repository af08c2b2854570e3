/* shape_view.c: contexts, replies, finds, checks and problems as JSON. */
#include "base/shape_rows.h"
#include "engine/engine.h"

#include <stdio.h>

static void put_senders(skn_jw *w, const void *stats)
{
    const skein_stats *s = stats;

    skn_jw_object(w);
    for (size_t i = 0; i < s->sender_count; i++) {
        skn_jw_key_str(w, s->senders[i].who);
        skn_jw_int(w, s->senders[i].count);
    }
    skn_jw_object_end(w);
}

static void take_senders(const skn_json *v, void *stats, skn_arena *a)
{
    skein_stats *s = stats;

    s->senders = SKN_ARRAY(a, v->count, skein_pair_count);
    for (const skn_json *one = v->first; one; one = one->next)
        if (skn_str_int(one->text, &s->senders[s->sender_count].count))
            s->senders[s->sender_count++].who = one->key;
}

static void put_has_reply(skn_jw *w, const void *node)
{
    skn_jw_bool(w, ((const skein_reply_node *)node)->replies > 0);
}

static void put_ok(skn_jw *w, const void *check)
{
    skn_jw_bool(w, ((const skein_check *)check)->count == 0);
}

static const skn_member prompt_call_rows[] = {
#include "engine/view/shapes/prompt_call.def"
};
static const skn_shape prompt_call_shape = SKN_SHAPE(prompt_call_rows, skein_tool_call);

static const skn_member prompt_message_rows[] = {
#include "engine/view/shapes/prompt_message.def"
};
static const skn_shape prompt_message_shape = SKN_SHAPE(prompt_message_rows,
                                                        skein_prompt_message);

static const skn_member context_rows[] = {
#include "engine/view/shapes/context.def"
};
const skn_shape skn_context_shape = SKN_SHAPE(context_rows, skein_context);

static const skn_member pair_count_rows[] = {
#include "engine/view/shapes/pair_count.def"
};
static const skn_shape pair_count_shape = SKN_SHAPE(pair_count_rows, skein_pair_count);

static const skn_member stats_rows[] = {
#include "engine/view/shapes/stats_counted.def"
};
const skn_shape skn_stats_shape = SKN_SHAPE(stats_rows, skein_stats);

static const skn_member node_rows[] = {
#include "engine/view/shapes/node_place.def"
};
const skn_shape skn_node_shape = SKN_SHAPE(node_rows, skein_reply_node);

static const skn_member hit_rows[] = {
#include "engine/view/shapes/hit_place.def"
};
const skn_shape skn_hit_shape = SKN_SHAPE(hit_rows, skein_hit);

static const skn_member finding_rows[] = {
#include "engine/view/shapes/finding.def"
};
static const skn_shape finding_shape = SKN_SHAPE(finding_rows, skein_finding);

static const skn_member check_rows[] = {
#include "engine/view/shapes/check.def"
};
const skn_shape skn_check_shape = SKN_SHAPE(check_rows, skein_check);

static const skn_member tool_server_rows[] = {
#include "engine/view/shapes/tool_server.def"
};
const skn_shape skn_tool_server_shape = SKN_SHAPE(tool_server_rows, skn_tool_server);

static void busiest(skn_jw *w, skein_str chat_uid, const skein_stats *s)
{
    skn_jw_key(w, "busiest");
    skn_jw_array(w);
    for (size_t i = 0; i < s->busiest_count; i++) {
        skn_jw_object(w);
        skn_jw_kint(w, "messages", s->busiest[i].messages);
        skn_jw_kint(w, "depth", s->busiest[i].depth);
        skn_jw_key(w, "root");
        skn_shape_message(w, chat_uid, &s->busiest[i].root, NULL);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

void skn_shape_stats(skn_jw *w, skein_str chat_uid, const skein_stats *s)
{
    skn_jw_object(w);
    skn_shape_members(w, &skn_stats_shape, s);
    busiest(w, chat_uid, s);
    skn_jw_object_end(w);
}

void skn_shape_stats_group(skn_jw *w, skein_str chat_uid, skein_str by,
                           const skein_stats_group *g, const skein_message *root)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "by", by);
    skn_jw_kstr(w, "group", root ? root->uid : g->key);
    skn_jw_kint(w, "messages", g->messages);
    skn_jw_kint(w, "replies", g->replies);
    skn_jw_kint(w, "unanswered", g->unanswered);
    skn_jw_kint(w, "depth", g->depth);
    if (g->answered)
        skn_jw_kint(w, "firstReplyMs", g->wait_ms / g->answered);
    else
        skn_jw_knull(w, "firstReplyMs");
    skn_jw_ktime(w, "firstAt", g->first_at);
    skn_jw_ktime(w, "lastAt", g->last_at);
    skn_jw_key(w, "root");
    if (root)
        skn_shape_message(w, chat_uid, root, NULL);
    else
        skn_jw_null(w);
    skn_jw_object_end(w);
}

void skn_shape_node(skn_jw *w, skein_str chat_uid, const skein_reply_node *node,
                    const skein_message *parent)
{
    skn_jw_object(w);
    skn_shape_message_members(w, chat_uid, &node->message, NULL);
    skn_jw_kstr(w, "parentMessageId", parent ? parent->uid : SKN_NONE);
    skn_shape_members(w, &skn_node_shape, node);
    skn_jw_object_end(w);
}

void skn_shape_hit(skn_jw *w, const skein_hit *hit)
{
    skn_jw_object(w);
    skn_shape_message_members(w, hit->conversation.uid, &hit->message, NULL);
    skn_shape_members(w, &skn_hit_shape, hit);
    skn_jw_object_end(w);
}

/* The type's address and the title, which name the kind and not the case. */
static const struct {
    const char *type, *title;
} kinds[] = {
    [SKEIN_FAILED] = {"/problems/internal", "Something went wrong"},
    [SKEIN_INVALID] = {"/problems/validation", "The input is not valid"},
    [SKEIN_USAGE] = {"/problems/usage", "The command was not understood"},
    [SKEIN_LIMIT] = {"/problems/too-large", "The input is too large"},
    [SKEIN_DATA] = {"/problems/bad-file", "The file cannot be read"},
    [SKEIN_NOT_USER_MESSAGE] = {"/problems/not-a-user-message",
                                "A person did not write this message"},
    [SKEIN_NOT_FOUND] = {"/problems/not-found", "Not found"},
    [SKEIN_AUTH] = {"/problems/sign-in", "Sign in first"},
    [SKEIN_CONFLICT] = {"/problems/conflict", "The request conflicts with the current state"},
    [SKEIN_NOTHING] = {"/problems/nothing-to-do", "There is nothing to do"},
    [SKEIN_SESSION_OFF] = {"/problems/session-off", "The world has no current conversation"},
    [SKEIN_ARCHIVED] = {"/problems/chat-archived", "The conversation is archived"},
    [SKEIN_VERSION_CHANGED] = {"/problems/version-changed", "The conversation has moved on"},
    [SKEIN_AT_WORK] = {"/problems/world-busy", "Agents are responding"},
    [SKEIN_BUSY] = {"/problems/busy", "The store is busy"},
    [SKEIN_IO] = {"/problems/io", "Reading or writing failed"},
    [SKEIN_FULL] = {"/problems/storage-full", "The storage is full"},
    [SKEIN_READ_ONLY] = {"/problems/read-only", "The store cannot be written"},
    [SKEIN_NOT_OURS] = {"/problems/not-a-store", "This is not a store of this program"},
    [SKEIN_NEWER] = {"/problems/newer-store", "A newer program made this store"},
    [SKEIN_DAMAGED] = {"/problems/damaged-store", "The store is damaged"},
    [SKEIN_UNREACHABLE] = {"/problems/database-unreachable", "The database does not answer"},
    [SKEIN_TURN_OVER] = {"/problems/turn-over", "The agent's turn is over"},
    [SKEIN_PROVIDER] = {"/problems/provider-error", "The model's provider failed"},
    [SKEIN_TIMEOUT] = {"/problems/provider-timeout", "The model's provider took too long"},
    [SKEIN_NO_MEMORY] = {"/problems/overloaded", "The server has too much to do"},
};

static bool retryable(skein_rc rc)
{
    return rc == SKEIN_AT_WORK || rc == SKEIN_BUSY || rc == SKEIN_VERSION_CHANGED ||
           rc == SKEIN_UNREACHABLE || rc == SKEIN_FULL || rc == SKEIN_NO_MEMORY;
}

bool skn_problem_again(const skein_error *err, const skn_problem *more)
{
    return (more->again || retryable(err->rc)) && !more->done;
}

typedef struct kind {
    const char *type, *title, *code;
    int         status;
} kind;

static const struct {
    const char *thing;
    kind        kind;
} lost[] = {
    {"world", {"/problems/world-not-found", "There is no such world", "WORLD_NOT_FOUND", 404}},
    {"chat", {"/problems/chat-not-found", "There is no such chat", "CHAT_NOT_FOUND", 404}},
    {"message",
     {"/problems/message-not-found", "There is no such message", "MESSAGE_NOT_FOUND", 404}},
    {"agent", {"/problems/agent-not-found", "There is no such agent", "AGENT_NOT_FOUND", 404}},
    {"version",
     {"/problems/version-not-found", "There is no such version", "VERSION_NOT_FOUND", 404}},
};
static const kind other_request = {"/problems/idempotency-mismatch",
                                   "The key was used for another request",
                                   "IDEMPOTENCY_MISMATCH", 422};

static kind kind_of(const skein_error *err, const char *thing)
{
    size_t rc = (size_t)err->rc;
    bool   known = rc < sizeof kinds / sizeof kinds[0] && kinds[rc].type;

    for (size_t i = 0; thing && err->rc == SKEIN_NOT_FOUND && i < sizeof lost / sizeof lost[0];
         i++)
        if (skn_str_is(skn_str_of(thing), lost[i].thing))
            return lost[i].kind;
    if (err->rc == SKEIN_CONFLICT &&
        skn_str_starts(skn_str_of(err->message), SKN_STR("the key \"")))
        return other_request;
    rc = known ? rc : SKEIN_FAILED;
    return (kind){kinds[rc].type, kinds[rc].title, skein_rc_name(err->rc),
                  skein_rc_http(err->rc)};
}

static void optional_str(skn_jw *w, const char *key, skn_str text)
{
    if (text.p)
        skn_jw_kstr(w, key, text);
}

static void extra_members(skn_jw *w, const skein_error *err, const skn_problem *more)
{
    if (more->meant && err->rc == SKEIN_NOT_FOUND)
        skn_jw_kstr(w, "didYouMean", skn_str_of(more->meant));
    if (more->current && err->rc == SKEIN_VERSION_CHANGED)
        skn_jw_kstr(w, "current", skn_str_of(more->current));
    if (more->fields)
        skn_jw_kstr(w, "fields", skn_str_of(more->fields));
    if (more->extra.n)
        skn_jw_raw(w, more->extra);
}

void skn_shape_problem(skn_jw *w, const skein_error *err, const skn_problem *more)
{
    static const skn_problem nothing = {0};
    const char              *hint;
    kind                     k;
    char                     type[80];

    more = more ? more : &nothing;
    hint = more->hint ? more->hint : err->hint;
    k = kind_of(err, more->thing);
    if (more->word) {
        snprintf(type, sizeof type, "/problems/%s", more->word);
        k = (kind){type, more->title, more->name, more->status};
    }
    skn_jw_object(w);
    skn_jw_kstr(w, "type", skn_str_of(k.type));
    skn_jw_kstr(w, "title", skn_str_of(k.title));
    skn_jw_kint(w, "status", k.status);
    skn_jw_kstr(w, "detail", skn_str_of(err->message));
    optional_str(w, "instance", more->instance);
    skn_jw_kstr(w, "code", skn_str_of(k.code));
    optional_str(w, "requestId", more->request_id);
    skn_jw_kbool(w, "retryable", skn_problem_again(err, more));
    if (skn_problem_again(err, more) && more->retry_after_ms)
        skn_jw_kint(w, "retryAfterMs", more->retry_after_ms);
    skn_jw_kstr(w, "error", skn_str_of(err->message));
    skn_jw_kstr(w, "message", skn_str_of(hint[0] ? hint : k.title));
    if (hint[0])
        skn_jw_kstr(w, "hint", skn_str_of(hint));
    extra_members(w, err, more);
    skn_jw_object_end(w);
}

skein_rc skn_tool_servers_of(const skein_world *world, skn_arena *a, skn_tool_server **out,
                             size_t *count, skein_error *err)
{
    const skn_json *all = NULL, *servers;
    size_t          n = 0;
    skein_rc        rc = SKEIN_OK;

    *out = NULL;
    *count = 0;
    if (world->settings.n)
        rc = skn_json_parse(&all, world->settings, "settings", a, err);
    servers = rc ? NULL : skn_json_get(all, "mcpServers");
    if (!servers || servers->kind != SKN_JSON_OBJECT)
        return rc;
    *out = SKN_ARRAY(a, servers->count + 1, skn_tool_server);
    for (const skn_json *v = servers->first; v; v = v->next)
        (*out)[n++] = (skn_tool_server){
            .name = v->key,
            .transport = skn_json_get(v, "url") ? SKN_STR("http") : SKN_STR("stdio"),
            .state = SKN_STR("stopped"),
            .reason = SKN_STR("it is started when an agent first needs it")};
    *count = n;
    return SKEIN_OK;
}
