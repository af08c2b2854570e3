/* append.c: saying something. One row for the message, one for each lane that hears it. */
#include "engine/engine.h"
#include "engine/work/chat_work.h"

/* Who speaks, who hears, and what a message may reply to. */

skein_rc skn_room_open(skn_room *r, skn_working *w, const skn_conversation_row *c,
                       skein_error *err)
{
    skein_rc rc;

    *r = (skn_room){.conversation = *c, .now = w->now};
    skn_trees_init(&r->trees, w->tx, w->a, c->id);
    if ((rc = skn_lanes_complete(w, c, err)) ||
        (rc = skn_lane_rows_top(w->tx, c->id, w->a, &r->lanes, err)))
        return rc;
    return skn_conversation_kin(w->tx, c, w->a, &r->kin, err);
}

/* The lane of a present agent by its name, or NULL. */
static const skn_lane_row *room_agent(const skn_room *r, skn_str name)
{
    for (size_t i = 0; i < r->lanes.count; i++) {
        const skn_lane_row *l = &r->lanes.at[i];

        if (l->agent_id && !l->agent_gone && skn_str_eq(l->agent_name, name))
            return l;
    }
    return NULL;
}

/* A tool's result is its caller's business, a notice nobody's; the rest is heard by all or by those
 * named. */
bool skn_room_hears(const skn_lane_row *lane, const skein_message *m,
                    const skein_new_message *n)
{
    if (lane->agent_id == 0 || lane->agent_gone || m->role == SKEIN_SYSTEM ||
        m->role == SKEIN_SUMMARY)
        return false;
    if (m->author_agent.v == lane->agent_id)
        return !n->not_by_sender;
    if (m->role == SKEIN_TOOL)
        return false;
    if (!n->heard_by_given)
        return true;
    for (size_t i = 0; i < n->heard_by_count; i++)
        if (skn_str_eq(n->heard_by[i], lane->agent_name))
            return true;
    return false;
}

/* --- Authors -------------------------------------------------------------------------------------- */

static skn_str default_sender(const skn_room *r, skein_role role)
{
    switch (role) {
    case SKEIN_USER:
        return SKN_STR("human");
    case SKEIN_ASSISTANT:
        return r->conversation.agent_id ? r->conversation.agent_name : SKN_STR("assistant");
    case SKEIN_TOOL:
        return r->conversation.agent_id ? r->conversation.agent_name : SKN_STR("tool");
    case SKEIN_SUMMARY:
        return SKN_STR("summary");
    case SKEIN_SYSTEM:
        break;
    }
    return SKN_STR("system");
}

/* The agent that goes by a name: one that has a lane here, or, in an agent's own conversation, any
 * other of its world, which has none. */
static skein_rc find_author(const skn_room *r, skn_str name, int64_t *id, skein_error *err)
{
    const skn_lane_row *lane = room_agent(r, name);
    skein_agent         agent;
    bool                found;
    skein_rc            rc;

    *id = lane ? lane->agent_id : 0;
    if (lane || r->conversation.mode == SKEIN_CHAT)
        return SKEIN_OK;
    rc = skn_agent_by_ref(r->trees.tx, r->conversation.world_id, name, SKN_NONE, r->trees.a,
                          &agent, &found, err);
    if (rc == SKEIN_OK && found)
        *id = agent.id.v;
    return rc;
}

static skein_rc set_author(const skn_room *r, const skein_new_message *n, skein_message *m,
                           skein_error *err)
{
    skein_rc rc;

    m->sender = n->sender.p ? n->sender : default_sender(r, n->role);
    if ((rc = find_author(r, m->sender, &m->author_agent.v, err)))
        return rc;
    switch (n->role) {
    case SKEIN_USER:
        m->author = m->author_agent.v ? SKEIN_BY_AGENT : SKEIN_BY_HUMAN;
        break;
    case SKEIN_ASSISTANT:
        m->author = SKEIN_BY_AGENT;
        break;
    case SKEIN_TOOL:
        m->author = SKEIN_BY_TOOL;
        break;
    case SKEIN_SUMMARY:
    case SKEIN_SYSTEM:
        m->author = SKEIN_BY_SYSTEM;
        break;
    }
    return SKEIN_OK;
}

/* --- Reply links ------------------------------------------------------------------------------------ */

static void drop_link(skein_message *m, skn_str warning)
{
    m->reply_to = SKN_NONE;
    m->warning = warning;
}

/* A parent is stored before its replies, and a claim that names nothing yet is never resolved later: so no chain of
 * links can come back to where it began. */
static skein_rc set_link(const skn_room *r, skein_message *m, skein_error *err)
{
    skn_link parent = {0};
    bool     found;
    skein_rc rc;

    if (!m->reply_to.p)
        return SKEIN_OK;
    if (m->uid.p && skn_str_eq(m->reply_to, m->uid)) {
        drop_link(m, SKN_STR("it replied to itself: the link was dropped"));
        return SKEIN_OK;
    }
    if ((rc = skn_message_link(r->trees.tx, m->reply_to, r->trees.a, &parent, &found, err)))
        return rc;
    if (!found || !skn_is_kin(&r->kin, parent.conversation_id)) {
        m->warning = found ? SKN_STR("it replies to a message of another conversation")
                           : SKN_STR("it replies to a message that is not known");
        return SKEIN_OK;
    }
    if (parent.depth + 1 >= SKN_REPLY_LEVELS) {
        drop_link(m, SKN_STR("its reply link went over 100 levels: the link was dropped"));
    } else {
        m->reply_to_id.v = parent.id;
        m->reply_depth = parent.depth + 1;
    }
    return SKEIN_OK;
}

skein_instruction *skn_instructions_keep(const skein_new_message *n, skn_arena *a,
                                         size_t *count)
{
    skein_instruction *kept = SKN_ARRAY(a, n->instruction_count, skein_instruction);

    *count = 0;
    for (size_t i = 0; i < n->instruction_count; i++)
        if (!skn_str_starts(n->instructions[i].type, SKN_STR("Source.")))
            kept[(*count)++] = n->instructions[i];
    return kept;
}

skein_message skn_message_of(const skein_new_message *n, skn_arena *a)
{
    skein_message m = {.uid = n->uid,
                       .role = n->role,
                       .calls = SKN_ARRAY(a, n->call_count, skein_tool_call),
                       .call_count = n->call_count,
                       .tool_failed = n->tool_failed,
                       .unfinished = n->unfinished,
                       .created_at = n->created_at,
                       .position = -1};

#define MESSAGE_GIVEN(column, member, ...) m.member = n->member;
#include "store/message.def"
    if (!m.content.p)
        m.content = SKN_STR("");
    for (size_t i = 0; i < n->call_count; i++)
        m.calls[i] = n->calls[i];
    m.instructions = skn_instructions_keep(n, a, &m.instruction_count);
    return m;
}

skn_str skn_message_json(const skein_new_message *n, skn_arena *a)
{
    skein_message m = skn_message_of(n, a);
    skn_buf       buf;
    skn_jw        w;

    skn_jw_open(&w, &buf, SIZE_MAX / 2);
    skn_shape_message(&w, SKN_NONE, &m, NULL);
    return skn_buf_keep(&buf, a);
}

skein_new_message skn_say_again(const skein_message *m)
{
    skein_new_message n = {.role = SKEIN_USER,
                           .content = m->content,
                           .instructions = m->instructions,
                           .instruction_count = m->instruction_count};

#define MESSAGE_GIVEN(column, member, ...)
#define MESSAGE_SAID(column, member, ...) n.member = m->member;
#include "store/message.def"
    return n;
}

skein_rc skn_message_prepare(skn_room *r, const skein_new_message *n, skein_message *m,
                             skein_error *err)
{
    skein_rc rc;

    *m = skn_message_of(n, r->trees.a);
    m->born_in.v = r->conversation.id;
    m->created_at = n->created_at ? n->created_at : r->now;
    rc = set_author(r, n, m, err);
    return rc ? rc : set_link(r, m, err);
}

/* A lane that may get an item. */
typedef struct receiver {
    const skn_lane_row *lane;
    skn_thread          thread;
    bool                loaded;
} receiver;

typedef struct appending {
    const skein_append_request *r;
    skn_room                    room;
    skn_lane_row                target;
    receiver                   *to; /* the target first, then the agents */
    size_t                      count;
    bool                        outside; /* ids that were promised to others are not for it */
    bool                        tells;   /* each new message is an event */
    size_t                      added;
} appending;

/* The thread of a lane in the current version; a lane that is new there gets one. */
static skein_rc load_receiver(appending *p, receiver *to, skein_error *err)
{
    const skn_conversation_row *c = &p->room.conversation;
    skn_trees                  *f = &p->room.trees;
    skn_thread_row              row = {.lane_id = to->lane->id, .version_id = c->version_id};
    bool                        found;
    skein_rc                    rc;

    if (to->loaded)
        return SKEIN_OK;
    to->loaded = true;
    rc = skn_thread_load(f, c->version_id, to->lane->id, &to->thread, &found, err);
    if (rc || found)
        return rc;
    rc = skn_thread_insert(f->tx, &row, f->a, err);
    to->thread.row = row;
    return rc;
}

static skein_rc add_item(appending *p, receiver *to, const skein_message *m, skein_error *err)
{
    skein_rc rc = load_receiver(p, to, err);

    if (rc == SKEIN_OK)
        rc = skn_item_insert(p->room.trees.tx, to->thread.row.id, to->thread.row.own_length,
                             m->id.v, 0, err);
    to->thread.row.own_length++;
    to->thread.length++;
    return rc;
}

/* --- The same message again --------------------------------------------------------------------- */

static bool same_calls(const skein_message *m, const skein_new_message *n)
{
    if (m->call_count != n->call_count)
        return false;
    for (size_t i = 0; i < m->call_count; i++)
        if (!skn_str_eq(m->calls[i].call_id, n->calls[i].call_id) ||
            !skn_str_eq(m->calls[i].tool_name, n->calls[i].tool_name) ||
            (n->calls[i].args.n && !skn_str_eq(m->calls[i].args, n->calls[i].args)))
            return false;
    return true;
}

static bool same_text(skn_str stored, skn_str given)
{
    return stored.n == given.n && (given.n == 0 || skn_str_eq(stored, given));
}

/* A claimed source is not kept, so it does not count. */
static bool same_instructions(const skein_message *m, const skein_new_message *n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n->instruction_count; i++) {
        if (skn_str_starts(n->instructions[i].type, SKN_STR("Source.")))
            continue;
        if (kept == m->instruction_count ||
            !same_text(m->instructions[kept].type, n->instructions[i].type) ||
            !same_text(m->instructions[kept].target, n->instructions[i].target))
            return false;
        kept++;
    }
    return kept == m->instruction_count;
}

/* A tool's result is linked to its caller by itself, and a link that cannot be is dropped. */
static bool same_link(const skein_message *m, const skein_new_message *n)
{
    if (!n->reply_to.p)
        return !m->reply_to.p || m->role == SKEIN_TOOL;
    return m->reply_to.p ? skn_str_eq(m->reply_to, n->reply_to) : m->warning.p != NULL;
}

static bool is_same(const appending *p, const skein_message *m, const skein_new_message *n)
{
    return m->born_in.v == p->room.conversation.id && !m->purged && m->role == n->role &&
#define MESSAGE_GIVEN(column, member, ...) same_text(m->member, n->member) &&
#define MESSAGE_MADE(column, member, ...)
#include "store/message.def"
           same_calls(m, n) && m->tool_failed == n->tool_failed &&
           m->unfinished == n->unfinished && same_instructions(m, n) &&
           (!n->sender.p || skn_str_eq(m->sender, n->sender)) && same_link(m, n);
}

/* A client that was cut off says the same again under the same id: the first outcome stands. */
static skein_rc find_same(appending *p, const skein_new_message *n, skein_message *out,
                          bool *same, skein_error *err)
{
    bool     promised;
    skein_rc rc;

    *same = false;
    if (!n->uid.p)
        return SKEIN_OK;
    rc = skn_message_by_uid(p->room.trees.tx, n->uid, p->room.trees.a, out, same, err);
    if (rc || (*same && is_same(p, out, n)))
        return rc;
    promised = *same;
    if (!*same && p->outside &&
        (rc = skn_uid_promised(p->room.trees.tx, n->uid, &promised, err)))
        return rc;
    if (!promised)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_CONFLICT, "Leave the id out to get a new one.",
                         "message id \"%.*s\" is taken by another message", SKN_FMT(n->uid));
}

/* --- Results of tools ------------------------------------------------------------------------------ */

static skein_rc link_result(appending *p, const skein_new_message *n, skein_message *m,
                            skein_error *err)
{
    skein_message caller;
    int64_t       open, caller_id;
    bool          found = false;
    skein_rc      rc;

    if (m->role != SKEIN_TOOL)
        return SKEIN_OK;
    rc = skn_open_calls(&p->room.trees, &p->to[0].thread, &p->room.kin, m->tool_call_id, &open,
                        &caller_id, err);
    if (rc == SKEIN_OK && open == 0 && !p->r->import) {
        rc = skn_fail(err, SKEIN_CONFLICT, "no tool call \"%.*s\" waits for a result here",
                      SKN_FMT(m->tool_call_id));
        return skn_hint(err, rc,
                        caller_id ? "It already has its result."
                                  : "Store the message with the call first.");
    }
    if (open == 0)
        m->warning = SKN_STR("no tool call waited for this result");
    if (rc || !caller_id ||
        (rc = skn_message_get(p->room.trees.tx, caller_id, p->room.trees.a, &caller, &found,
                              err)) ||
        !found)
        return rc;
    if (m->author_agent.v == 0)
        m->author_agent = caller.author_agent;
    if (!n->reply_to.p && caller.reply_depth + 1 < SKN_REPLY_LEVELS) {
        m->reply_to = caller.uid;
        m->reply_to_id = caller.id;
        m->reply_depth = caller.reply_depth + 1;
    }
    return SKEIN_OK;
}

/* --- Appending -------------------------------------------------------------------------------------- */

static skein_rc check_hearers(const appending *p, const skein_new_message *n, skein_error *err)
{
    for (size_t i = 0; i < n->heard_by_count; i++)
        if (!room_agent(&p->room, n->heard_by[i]))
            return skn_fail(err, SKEIN_NOT_FOUND, "this chat has no agent \"%.*s\"",
                            SKN_FMT(n->heard_by[i]));
    return SKEIN_OK;
}

/* A lane beside the main one is named; that of an agent as it is written. */
static void tell_append(const appending *p, const skein_message *m)
{
    const skn_lane_row *lane = p->to[0].lane;
    skn_told            d;

    skn_told_open(&d);
    if (lane->parent_id)
        skn_jw_kstr(&d.w, "threadPath", lane->key);
    else if (!skn_str_eq(lane->key, SKN_MAIN))
        skn_jw_kstr(&d.w, "threadPath",
                    skn_arena_printf(p->room.trees.a, "@%.*s", SKN_FMT(lane->agent_name)));
    skn_feed_message(p->room.trees.tx, &p->room.conversation, "message.created", m,
                     m->author == SKEIN_BY_HUMAN ? m->uid : SKN_NONE, &d);
}

static skein_rc append_one(appending *p, const skein_new_message *n, skein_message *m,
                           skein_error *err)
{
    bool     same;
    skein_rc rc;

    if ((rc = find_same(p, n, m, &same, err)) || same)
        return rc;
    if ((rc = check_hearers(p, n, err)) || (rc = skn_message_prepare(&p->room, n, m, err)) ||
        (rc = link_result(p, n, m, err)) ||
        (rc = skn_message_insert(p->room.trees.tx, m, p->room.trees.a, err)))
        return rc;
    m->position = p->to[0].thread.length;
    if ((rc = add_item(p, &p->to[0], m, err)))
        return rc;
    for (size_t i = 1; i < p->count; i++)
        if (skn_room_hears(p->to[i].lane, m, n) && (rc = add_item(p, &p->to[i], m, err)))
            return rc;
    p->added++;
    if (p->tells)
        tell_append(p, m);
    return SKEIN_OK;
}

/* The target lane, and the agents' lanes when it is the main lane itself. */
static skein_rc find_receivers(appending *p, skein_error *err)
{
    skn_lane_rows *lanes = &p->room.lanes;
    bool           main = !p->r->lane.p || skn_str_eq(p->r->lane, SKN_MAIN);
    skein_rc       rc;

    p->to = SKN_ARRAY(p->room.trees.a, lanes->count + 1, receiver);
    if (!main) {
        if ((rc = skn_lane_need(p->room.trees.tx, &p->room.conversation, p->r->lane,
                                p->room.trees.a, &p->target, err)))
            return rc;
        p->to[p->count++].lane = &p->target;
    }
    for (size_t i = 0; main && i < lanes->count; i++)
        if (skn_str_eq(lanes->at[i].key, SKN_MAIN))
            p->to[p->count++].lane = &lanes->at[i];
    for (size_t i = 0; main && i < lanes->count; i++)
        if (!skn_str_eq(lanes->at[i].key, SKN_MAIN))
            p->to[p->count++].lane = &lanes->at[i];
    if (p->count == 0)
        return skn_fail(err, SKEIN_DAMAGED, "conversation \"%.*s\" has no main lane",
                        SKN_FMT(p->room.conversation.uid));
    return load_receiver(p, &p->to[0], err);
}

/* All of it was stored before: the answer got lost, and the request came again. */
static skein_rc find_all_same(appending *p, skein_messages *stored, bool *all, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    *all = p->r->expect.thread.v !=
           0; /* without a condition each message is looked at by itself */
    for (size_t i = 0; rc == SKEIN_OK && *all && i < p->r->count; i++)
        rc = find_same(p, &p->r->messages[i], &stored->at[i], all, err);
    return rc;
}

static skein_rc append_all(appending *p, skn_working *w, const skn_conversation_row *c,
                           skein_messages *stored, skein_error *err)
{
    const skein_append_request *r = p->r;
    bool                        again;
    skein_rc                    rc;

    stored->at = SKN_ARRAY(w->a, r->count, skein_message);
    stored->count = r->count;
    if ((rc = skn_room_open(&p->room, w, c, err)) || (rc = find_receivers(p, err)) ||
        (rc = find_all_same(p, stored, &again, err)) || again ||
        (rc = skn_expect(r->expect, p->to[0].thread.row.id, p->to[0].thread.length, "lane",
                         p->to[0].lane->key, err)))
        return rc;
    for (size_t i = 0; i < r->count; i++)
        if ((rc = append_one(p, &r->messages[i], &stored->at[i], err))) {
            stored->count = i;
            return rc;
        }
    return SKEIN_OK;
}

skein_rc skn_message_say(skn_working *w, const skn_conversation_row *chat, skn_str lane,
                         const skein_new_message *n, skein_message *out, skein_error *err)
{
    skein_append_request r = {
        .conversation = {chat->id}, .lane = lane, .messages = n, .count = 1};
    appending      p = {.r = &r};
    skein_messages stored;
    skein_rc       rc = append_all(&p, w, chat, &stored, err);

    if (!rc)
        *out = stored.at[0];
    return rc;
}

typedef struct append_call {
    const skein_append_request *r;
    skein_messages             *out;
} append_call;

static skein_rc append(skn_working *w, void *arg, skein_error *err)
{
    append_call *c = arg;
    appending    p = {.r = c->r, .outside = true, .tells = !c->r->import};
    skein_rc     rc = skn_working_hold(w, c->r->conversation, err);

    if (rc || (rc = append_all(&p, w, &w->chat, c->out, err)))
        return rc;
    if (c->r->import &&
        p.added > 0) /* what was said elsewhere is no news, message by message */
        skn_feed_chat_is(w->tx, &w->chat, "chat.updated");
    return SKEIN_OK;
}

skein_rc skein_append(skein_engine *e, const skein_append_request *request, skein_mem *mem,
                      skein_messages *stored, skein_error *err)
{
    append_call c = {request, stored};
    skein_rc    rc;

    *stored = (skein_messages){0};
    if (request->count == 0 || request->count > SKN_BATCH_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%zu messages at once; 1 to %zu are possible",
                        request->count, SKN_BATCH_MAX);
    for (size_t i = 0; i < request->count; i++)
        if ((rc = skn_check_new(e, &request->messages[i], err))) {
            stored->count = i;
            return rc;
        }
    if ((rc = skn_write(e, mem, append, &c, err)))
        stored->at = NULL;
    return rc;
}
