/* Reading messages: in pages, one by one, and their deliveries. Posting is in api_post.c. */
#include "api/call.h"

#define COVERED_MOST 200 /* messages that are named */

skein_rc skn_api_answer_named_lane(skn_api_call *c, const skein_version *version)
{
    skein_agent agent;
    skein_rc    rc = skn_find_memory(c, skn_call_query(c, "agent"), &agent);

    return rc ? rc : skn_api_answer_lane(c, version, agent.id, skn_call_query(c, "delegation"));
}

skein_rc skn_api_list_chat_messages(skn_api_call *c)
{
    skein_version version;
    skein_rc      rc = skn_api_version(c, &version);

    return rc ? rc : skn_api_answer_named_lane(c, &version);
}

skein_rc skn_api_list_messages(skn_api_call *c)
{
    skein_rc rc = skn_api_chat_or_current(c);

    return rc ? rc : skn_api_list_chat_messages(c);
}

/* What surrounds a message where it stands now, or else in the newest version that holds it. */
static skein_rc explain_one(skn_api_call *c, skein_message *m, skn_told_messages *told)
{
    skein_messages list = {m, 1};
    skein_message  there;
    int64_t        version;
    skein_rc       rc = skn_api_explain(c, c->chat.version, &list, told);

    version = rc ? c->chat.version : skn_home_version(&told->facts[0], c->chat.version);
    if (version == c->chat.version)
        return rc;
    if ((rc = skein_message_find(c->engine, c->chat.id, version, m->uid, c->mem, &there,
                                 &c->error)))
        return rc;
    m->position = there.position;
    return skn_api_explain(c, version, &list, told);
}

/* What a person typed for a message of the chat, "@~2" or a part of an id, is found as everywhere. */
static skein_rc find_typed(skn_api_call *c, skein_message *out)
{
    skein_rc rc = skn_api_chat_or_current(c);

    return rc ? rc : skn_find_message_typed(c, c->params[1], out);
}

static skein_rc find_message(skn_api_call *c, skein_message *out, skein_posted *waits)
{
    bool     typed;
    skein_rc rc = skn_call_query_flag(c, "typed", &typed);

    *waits = (skein_posted){.queued = false};
    if (rc)
        return rc;
    return typed ? find_typed(c, out) : skn_api_said_or_queued(c, out, waits);
}

/* --- What a summary stands for ------------------------------------------------------------- */

/* Whether the lane has this summary; *covers is then how many of its first messages it stands for. */
static skein_rc look_for(skn_api_call *c, const skein_slice *lane, const skein_message *m,
                         int64_t *covers)
{
    skein_summaries list;
    skein_rc        rc = skein_summary_list(c->engine, lane, c->mem, &list, &c->error);

    for (size_t i = 0; !rc && i < list.count; i++)
        if (list.at[i].message.id.v == m->id.v)
            *covers = list.at[i].covers;
    return rc;
}

static skein_rc find_covered(skn_api_call *c, const skein_message *m, skein_slice *lane,
                             skn_str *key, int64_t *covers)
{
    skein_lanes lanes;
    skein_rc    rc = skein_lane_list(c->engine, c->chat.id, c->mem, &lanes, &c->error);

    *covers = 0;
    for (size_t i = 0; !rc && !*covers && i < lanes.count; i++) {
        *lane = skn_api_slice(c, &lanes.at[i]);
        *key = lanes.at[i].key;
        rc = look_for(c, lane, m, covers);
    }
    return rc;
}

/* The first of them, as members of an object that is being written. */
static skein_rc write_covered(skn_api_call *c, const skein_message *m)
{
    skein_slice    lane;
    skein_messages list;
    skn_str        key;
    int64_t        covers;
    skein_rc       rc = find_covered(c, m, &lane, &key, &covers);

    if (rc || !covers)
        return rc;
    lane.count = covers < COVERED_MOST ? covers : COVERED_MOST;
    if ((rc = skein_read(c->engine, &lane, c->mem, &list, NULL, &c->error)))
        return rc;
    skn_jw_kint(&c->w, "covers", covers);
    skn_jw_kstr(&c->w, "coveredLane", key);
    skn_jw_karray(&c->w, "coveredMessageIds");
    for (size_t i = 0; i < list.count; i++)
        skn_jw_str(&c->w, list.at[i].uid);
    skn_jw_array_end(&c->w);
    return SKEIN_OK;
}

static skein_rc write_summary(skn_api_call *c, const skn_told_messages *told)
{
    skein_rc rc;

    skn_jw_object(&c->w);
    skn_shape_message_delivered_members(&c->w, c->chat.uid, &told->list.at[0], &told->facts[0],
                                        &told->deliveries[0]);
    rc = write_covered(c, &told->list.at[0]);
    skn_jw_object_end(&c->w);
    return rc;
}

skein_rc skn_api_get_message(skn_api_call *c)
{
    skein_message     m;
    skein_posted      waits;
    skn_told_messages told;
    skein_rc          rc;

    if ((rc = find_message(c, &m, &waits)) ||
        (!waits.queued && (rc = explain_one(c, &m, &told))))
        return rc;
    if (waits.queued)
        skn_api_write_queued(c, &waits);
    else if (m.role != SKEIN_SUMMARY)
        skn_api_write_message(c, &told, 0);
    else if ((rc = write_summary(c, &told)))
        return rc;
    return skn_page_fields(c,
                           SKN_FIELDS_MESSAGE ",queued,covers,coveredLane,coveredMessageIds");
}

skein_rc skn_api_list_message_versions(skn_api_call *c)
{
    skein_message     m;
    skn_told_messages told;
    skn_page          page;
    skein_version     v;
    skein_rc          rc;

    if ((rc = skn_api_message(c, &m)) || (rc = explain_one(c, &m, &told)) ||
        (rc = skn_page_open(c, SKN_STR("versions"), told.facts[0].version_count,
                            SKN_LIST_NEWEST, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++) {
        if ((rc = skein_version_get(c->engine, c->chat.id, told.facts[0].versions[i], c->mem,
                                    &v, &c->error)))
            return rc;
        skn_shape_version(&c->w, &v);
    }
    return skn_page_close(c, &page, NULL);
}

skein_rc skn_api_get_delivery(skn_api_call *c)
{
    skein_message     m;
    skn_told_messages told;
    skn_jw           *w = &c->w;
    skein_rc          rc;

    if ((rc = skn_api_message(c, &m)) || (rc = explain_one(c, &m, &told)))
        return rc;
    skn_jw_object(w);
    skn_jw_kstr(w, "messageId", m.uid);
    skn_jw_kstr(w, "chatId", c->chat.uid);
    skn_jw_kstrs(w, "seenByAgents", told.facts[0].seen_by, told.facts[0].seen_by_count);
    skn_jw_key(w, "delivery");
    skn_shape_deliveries(w, &told.deliveries[0]);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

/* Messages of any role, as they are: nobody is woken by them. */

typedef struct append {
    skein_append_request req;
    skein_new_message   *messages;
    skn_str              call_id; /* that starts the lane, if that has to be made */
} append;

/* Says which of the messages it was that cannot be stored. */
static skein_rc blame(skn_api_call *c, skein_rc rc, size_t index)
{
    skein_error told = c->error;

    skn_call_wrong(c, told.message, "/messages/%zu", index);
    c->error = told;
    if (rc != SKEIN_INVALID)
        c->problem = NULL;
    return rc;
}

/* One request is about one lane: all of it is stored, or nothing. */
static skein_rc take_lane(skn_api_call *c, append *a, skn_str lane)
{
    if (!lane.p || skn_str_eq(lane, a->req.lane))
        return SKEIN_OK;
    if (a->req.lane.p)
        return skn_fail(&c->error, SKEIN_INVALID,
                        "\"lane\" is \"%.*s\"; the messages before are for \"%.*s\"",
                        SKN_FMT(lane), SKN_FMT(a->req.lane));
    a->req.lane = lane;
    return SKEIN_OK;
}

static skein_rc read_messages(skn_api_call *c, append *a)
{
    const skn_json *list;
    skn_str         lane, unknown;
    size_t          n = 0;
    skein_rc        rc = skn_api_body_list(c, "messages", &list);

    if (rc)
        return rc;
    if (!list->count)
        return skn_call_invalid(c, "/messages", "is empty");
    a->messages = SKN_ARRAY(c->mem, list->count, skein_new_message);
    for (const skn_json *v = list->first; v; v = v->next, n++)
        if ((rc = skn_message_read(v, c->mem, &a->messages[n], &lane, &unknown, &c->error)) ||
            (rc = take_lane(c, a, lane)) || (rc = skn_api_take_files(c, &a->messages[n].files)))
            return blame(c, rc, n);
    a->req.messages = a->messages;
    a->req.count = n;
    return SKEIN_OK;
}

static skein_rc read_append(skn_api_call *c, append *a)
{
    bool     strict;
    skein_rc rc;

    *a = (append){.req = {.conversation = c->chat.id}};
    if ((rc = skn_call_text(c, "lane", false, &a->req.lane)) ||
        (rc = skn_call_text(c, "spawnCallId", false, &a->call_id)) ||
        (rc = skn_api_flag(c, "strict", &strict)) ||
        (rc = skn_call_if_match(c, &c->chat, false, &a->req.expect)))
        return rc;
    a->req.import = !strict;
    return read_messages(c, a);
}

/* With the position of each; a message that was stored before has none among the new ones. */
static skein_rc answer_stored(skn_api_call *c, const skein_messages *stored)
{
    skein_message_facts *facts = SKN_ARRAY(c->mem, stored->count + 1, skein_message_facts);
    skein_rc rc = skein_message_explain(c->engine, c->chat.id, 0, stored, c->mem, facts,
                                        &c->error);

    if (rc)
        return rc;
    skn_jw_object(&c->w);
    skn_jw_karray(&c->w, "messages");
    for (size_t i = 0; i < stored->count; i++)
        skn_shape_message(&c->w, c->chat.uid, &stored->at[i], &facts[i]);
    skn_jw_array_end(&c->w);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

skein_rc skn_api_append_messages(skn_api_call *c)
{
    skein_messages stored = {NULL, 0};
    append         a;
    skein_rc       rc;

    if ((rc = read_append(c, &a)) ||
        (a.req.lane.p && (rc = skn_api_lane_ensure(c, a.req.lane, a.call_id))))
        return rc;
    rc = skein_append(c->engine, &a.req, c->mem, &stored, &c->error);
    if (rc == SKEIN_INVALID || rc == SKEIN_LIMIT || rc == SKEIN_CONFLICT ||
        rc == SKEIN_NOT_FOUND)
        return stored.count < a.req.count ? blame(c, rc, stored.count) : rc;
    if (rc)
        return skn_api_changed(c, rc);
    c->status = 201;
    skn_api_fresh_etag(c);
    return answer_stored(c, &stored);
}

/* Replies: the line above a message, the tree below it, and numbers about both. */

/* --- Around one message ------------------------------------------------------------------- */

typedef skein_rc reader(skein_engine *e, skein_conversation_id conversation, int64_t version,
                        skein_message_id of, skein_mem *mem, skein_messages *out,
                        skein_error *err);

static skein_rc answer_around(skn_api_call *c, reader *read, const char *what)
{
    skein_message  m;
    skein_version  v;
    skein_messages list;
    skein_rc       rc;

    if ((rc = skn_api_message(c, &m)) || (rc = skn_api_version(c, &v)) ||
        (rc = read(c->engine, c->chat.id, v.number, m.id, c->mem, &list, &c->error)))
        return rc;
    return skn_api_answer_messages(
        c, v.number, &list, skn_arena_printf(c->mem, "%s/%.*s", what, SKN_FMT(v.thread_uid)));
}

skein_rc skn_api_list_replies(skn_api_call *c)
{
    return answer_around(c, skein_reply_children, "replies");
}

skein_rc skn_api_list_ancestors(skn_api_call *c)
{
    return answer_around(c, skein_reply_ancestors, "ancestors");
}

skein_rc skn_api_list_siblings(skn_api_call *c)
{
    return answer_around(c, skein_reply_siblings, "siblings");
}

skein_rc skn_api_list_alternatives(skn_api_call *c)
{
    return answer_around(c, skein_alternatives, "alternatives");
}

/* --- Trees -------------------------------------------------------------------------------- */

/* Leaves out what is deeper than asked. Parents come before children, so none loses its parent. */
static skein_rc cut_depth(skn_api_call *c, const skein_reply_tree *tree, size_t **out,
                          size_t *count)
{
    int64_t  most;
    skein_rc rc = skn_call_query_int(c, "depth", 1, 1000000, INT32_MAX, &most);

    *out = SKN_ARRAY(c->mem, tree->count + 1, size_t);
    *count = 0;
    for (size_t i = 0; rc == SKEIN_OK && i < tree->count; i++)
        if (tree->at[i].depth < most)
            (*out)[(*count)++] = i;
    return rc;
}

static skein_rc answer_tree(skn_api_call *c, const skein_version *v, skein_message_id root)
{
    skein_reply_tree tree;
    skn_page         page;
    size_t          *kept, count;
    skn_str          tag;
    skein_rc         rc;

    rc = skein_reply_tree_read(c->engine, c->chat.id, v->number, root, c->mem, &tree,
                               &c->error);
    if (rc || (rc = cut_depth(c, &tree, &kept, &count)))
        return rc;
    tag = skn_arena_printf(c->mem, "tree/%.*s/%lld", SKN_FMT(v->thread_uid), (long long)root.v);
    if ((rc = skn_page_open(c, tag, count, SKN_LIST_WHOLE, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++) {
        const skein_reply_node *node = &tree.at[kept[i]];

        skn_shape_node(&c->w, c->chat.uid, node,
                       node->parent >= 0 ? &tree.at[node->parent].message : NULL);
    }
    return skn_page_close(c, &page, SKN_FIELDS_NODE);
}

skein_rc skn_api_list_subtree(skn_api_call *c)
{
    skein_message m;
    skein_version v;
    skein_rc      rc;

    if ((rc = skn_api_message(c, &m)) || (rc = skn_api_version(c, &v)))
        return rc;
    return answer_tree(c, &v, m.id);
}

/* root=ID; zero when it is not given. */
static skein_rc read_root(skn_api_call *c, skein_message_id *out)
{
    skein_message m = {.id = {0}};
    skn_str       id = skn_call_query(c, "root");
    skein_rc      rc = id.p ? skn_find_message(c, id, &m) : SKEIN_OK;

    *out = m.id;
    return rc;
}

skein_rc skn_api_get_tree(skn_api_call *c)
{
    skein_version    v;
    skein_message_id root;
    skein_rc         rc;

    if ((rc = skn_api_version(c, &v)) || (rc = read_root(c, &root)))
        return rc;
    return answer_tree(c, &v, root);
}

skein_rc skn_api_get_analytics(skn_api_call *c)
{
    skein_version    v;
    skein_message_id root;
    skein_stats      stats;
    skein_rc         rc;

    if ((rc = skn_api_version(c, &v)) || (rc = read_root(c, &root)) ||
        (rc = skein_stats_read(c->engine, c->chat.id, v.number, root, c->mem, &stats,
                               &c->error)))
        return rc;
    skn_shape_stats(&c->w, c->chat.uid, &stats);
    return SKEIN_OK;
}

/* --- Statistics by group ------------------------------------------------------------------ */

#define ROOTS_MOST 1000 /* that are read at once */

static skein_rc read_by(skn_api_call *c, skein_stats_by *out)
{
    static const char *const names[] = {[SKEIN_STATS_BY_AGENT] = "agent",
                                        [SKEIN_STATS_BY_DAY] = "day",
                                        [SKEIN_STATS_BY_THREAD] = "thread"};

    return skn_enum_from(&(const skn_enum)SKN_ENUM(names), skn_call_query(c, "by"), (int *)out)
               ? SKEIN_OK
               : skn_call_invalid(c, "/by", "is none of agent, day and thread");
}

/* Up to ROOTS_MOST groups, reply threads with the messages that they begin with. */
static skein_rc write_groups(skn_api_call *c, const skein_stats_group *at, size_t count)
{
    skein_message_id *ids = SKN_ARRAY(c->mem, count + 1, skein_message_id);
    bool              threads = count && !at->key.p;
    skein_messages    roots = {0};
    skein_rc          rc = SKEIN_OK;

    for (size_t i = 0; i < count; i++)
        ids[i] = at[i].root;
    if (threads)
        rc = skein_messages_get(c->engine, (skein_message_ids){ids, count}, c->mem, &roots,
                                &c->error);
    for (size_t i = 0; !rc && i < count; i++)
        skn_shape_stats_group(&c->w, c->chat.uid, skn_call_query(c, "by"), &at[i],
                              threads ? &roots.at[i] : NULL);
    return rc;
}

skein_rc skn_api_list_analytics_groups(skn_api_call *c)
{
    skein_version      v;
    skein_message_id   root;
    skein_stats_by     by = SKEIN_STATS_BY_AGENT;
    skein_stats_groups groups;
    skn_page           page;
    skein_rc           rc;

    if ((rc = skn_api_version(c, &v)) || (rc = read_root(c, &root)) || (rc = read_by(c, &by)) ||
        (rc = skein_stats_groups_read(c->engine, c->chat.id, v.number, root, by, c->mem,
                                      &groups, &c->error)) ||
        (rc = skn_page_open(c,
                            skn_arena_printf(c->mem, "groups/%.*s/%lld/%d",
                                             SKN_FMT(v.thread_uid), (long long)root.v, (int)by),
                            groups.count, SKN_LIST_WHOLE, &page)))
        return rc;
    for (int64_t i = page.from, end = page.from + page.count; !rc && i < end; i += ROOTS_MOST)
        rc = write_groups(c, groups.at + i,
                          (size_t)(end - i < ROOTS_MOST ? end - i : ROOTS_MOST));
    return rc ? rc : skn_page_close(c, &page, SKN_FIELDS_STATS_GROUP);
}
