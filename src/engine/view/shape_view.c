/* shape_view.c: contexts, replies, finds, checks and problems as JSON. */
#include "base/shape_rows.h"
#include "engine/engine.h"

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

static const skn_shape context_parts_shape, finding_shape, pair_count_shape, prompt_call_shape,
    prompt_message_shape; /* parts of other shapes */
#include "engine/view/shapes/attachment.def"
#include "engine/view/shapes/check.def"
#include "engine/view/shapes/context.def"
#include "engine/view/shapes/context_parts.def"
#include "engine/view/shapes/cost.def"
#include "engine/view/shapes/finding.def"
#include "engine/view/shapes/hit_place.def"
#include "engine/view/shapes/node_place.def"
#include "engine/view/shapes/pair_count.def"
#include "engine/view/shapes/prompt_call.def"
#include "engine/view/shapes/prompt_message.def"
#include "engine/view/shapes/stats_counted.def"
#include "engine/view/shapes/tool_server.def"

static void busiest(skn_jw *w, skein_str chat_uid, const skein_stats *s)
{
    skn_jw_karray(w, "busiest");
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

const skn_problem_kind skn_problem_kinds[] = {
#define PROBLEM(word, code, status, again, name, title, help)                                  \
    {word, code, status, again, name, title, help},
#include "engine/view/problems.def"
#undef PROBLEM
    {0}};

const skn_problem_kind *skn_problem_named(skn_str word)
{
    const skn_problem_kind *k = skn_problem_kinds;

    while (k->word && !skn_str_is(word, k->word))
        k++;
    return k->word ? k : NULL;
}

static const skn_problem_kind *kind_with(skein_rc code)
{
    const skn_problem_kind *k = skn_problem_kinds;

    while (k->word && k->rc != code)
        k++;
    return k->word ? k : kind_with(SKEIN_FAILED);
}

const skn_problem_kind *skn_problem_of(const skein_error *err, const skn_problem *more)
{
    const skn_problem_kind *lost = NULL;
    char                    word[80];

    if (more->thing && err->rc == SKEIN_NOT_FOUND) {
        snprintf(word, sizeof word, "%s-not-found", more->thing);
        lost = skn_problem_named(skn_str_of(word));
    }
    if (err->rc == SKEIN_CONFLICT &&
        skn_str_starts(skn_str_of(err->message), SKN_STR("the key \"")))
        return skn_problem_named(SKN_STR("idempotency-mismatch"));
    return lost ? lost : kind_with(err->rc);
}

bool skn_problem_again(const skein_error *err, const skn_problem *more)
{
    return (more->again || kind_with(err->rc)->again) && !more->done;
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
    skn_problem_kind         k;
    char                     type[80];

    more = more ? more : &nothing;
    hint = more->hint ? more->hint : err->hint;
    k = *skn_problem_of(err, more);
    if (more->word)
        k = (skn_problem_kind){more->word, err->rc,     more->status, false,
                               more->name, more->title, NULL};
    snprintf(type, sizeof type, "/problems/%s", k.word);
    skn_jw_object(w);
    skn_jw_kstr(w, "type", skn_str_of(type));
    skn_jw_kstr(w, "title", skn_str_of(k.title));
    skn_jw_kint(w, "status", k.status);
    skn_jw_kstr(w, "detail", skn_str_of(err->message));
    skn_jw_kgiven(w, "instance", more->instance);
    skn_jw_kstr(w, "code", skn_str_of(k.name));
    skn_jw_kgiven(w, "requestId", more->request_id);
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
