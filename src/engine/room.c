/* room.c: who speaks, who hears, and what a message may reply to. */
#include "engine/core.h"

skein_rc skn_room_open(skn_room *r, skn_tx *tx, const skn_conversation_row *c, int64_t now,
                       skn_arena *a, skein_error *err)
{
    skein_rc rc;

    *r = (skn_room){.conversation = *c, .now = now};
    skn_trees_init(&r->trees, tx, a, c->id);
    if ((rc = skn_lanes_complete(tx, c, now, a, err)) ||
        (rc = skn_lane_rows_of(tx, c->id, true, a, &r->lanes, err)))
        return rc;
    return skn_conversation_kin(tx, c, a, &r->kin, err);
}

const skn_lane_row *skn_room_agent(const skn_room *r, skn_str name)
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
    const skn_lane_row *lane = skn_room_agent(r, name);
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
    rc = skn_message_link(r->trees.tx, m->reply_to, r->trees.a, &parent, &found, err);
    if (rc)
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

skein_rc skn_message_prepare(skn_room *r, const skein_new_message *n, skein_message *m,
                             skein_error *err)
{
    skein_rc rc;

    *m = (skein_message){.uid = n->uid,
                         .born_in = {r->conversation.id},
                         .role = n->role,
                         .content = n->content.p ? n->content : SKN_STR(""),
                         .thinking = n->thinking,
                         .call_count = n->call_count,
                         .tool_call_id = n->tool_call_id,
                         .tool_failed = n->tool_failed,
                         .reply_to = n->reply_to,
                         .model = n->model,
                         .turn_uid = n->turn_uid,
                         .unfinished = n->unfinished,
                         .created_at = n->created_at ? n->created_at : r->now,
                         .position = -1};
    m->calls = SKN_ARRAY(r->trees.a, n->call_count, skein_tool_call);
    for (size_t i = 0; i < n->call_count; i++)
        m->calls[i] = n->calls[i];
    m->instructions = skn_instructions_keep(n, r->trees.a, &m->instruction_count);
    rc = set_author(r, n, m, err);
    return rc ? rc : set_link(r, m, err);
}
