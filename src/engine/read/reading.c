#include "engine/read/reading.h"

/* An agent that came into the world after the last message has no lane yet, and remembers nothing. */
static skein_rc check_agent(skn_reading *r, skein_agent_id id, skein_error *err)
{
    skein_agent agent;
    skein_rc    rc = skn_agent_need(r->trees.tx, id.v, r->trees.a, &agent, err);

    if (rc)
        return rc;
    if (agent.world.v == r->conversation.world_id && r->conversation.mode == SKEIN_CHAT)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_NOT_FOUND, "agent \"%.*s\" has no part in conversation \"%.*s\"",
                    SKN_FMT(agent.name), SKN_FMT(r->conversation.uid));
}

static skein_rc find_lane(skn_reading *r, const skein_slice *what, skein_error *err)
{
    skn_tx  *tx = r->trees.tx;
    bool     found;
    skein_rc rc;

    if (what->lane.p || what->agent.v == 0)
        return skn_lane_need(tx, &r->conversation, what->lane, r->trees.a, &r->lane, err);
    rc = skn_lane_of_agent(tx, r->conversation.id, what->agent.v, r->trees.a, &r->lane, &found,
                           err);
    if (rc || found)
        return rc;
    r->lane = (skn_lane_row){0};
    return check_agent(r, what->agent, err);
}

skein_rc skn_reading_open(skn_reading *r, skn_tx *tx, const skein_slice *what, skn_arena *a,
                          skein_error *err)
{
    bool     found;
    skein_rc rc;

    *r = (skn_reading){0};
    skn_trees_init(&r->trees, tx, a, what->conversation.v);
    if ((rc = skn_conversation_need(tx, what->conversation, a, &r->conversation, err)) ||
        (rc = skn_version_pick(tx, &r->conversation, what->version, a, &r->version, err)) ||
        (rc = find_lane(r, what, err)) || r->lane.id == 0)
        return rc;
    return skn_thread_load(&r->trees, r->version.id, r->lane.id, &r->thread, &found, err);
}

skein_rc skn_thread_open(skn_trees *f, const skn_thread_row *row, skn_thread *out,
                         skein_error *err)
{
    *out = (skn_thread){.row = *row, .length = row->base_length + row->own_length};
    return skn_tree_open(f, row->root_id, row->base_length, &out->base, err);
}

skn_replies skn_replies_of(const skn_reading *r)
{
    return (skn_replies){.trees = r->trees,
                         .conversation = r->conversation,
                         .version = r->version,
                         .thread = r->thread};
}

skein_rc skn_reading_target(skn_reading *r, int64_t id, skein_message *out, bool *found,
                            skein_error *err)
{
    skn_replies links = skn_replies_of(r);
    int64_t     target, position;
    skein_rc    rc = skn_reply_target(&links, id, &target, &position, err);

    if (rc)
        return rc;
    rc = skn_message_get(r->trees.tx, target ? target : id, r->trees.a, out, found, err);
    if (rc == SKEIN_OK && *found)
        out->position = position;
    return rc;
}

/* The messages of a lane, as the main lane or as one agent sees them. */

/* The positions a slice asks for; those the lane does not have are left out. */
static void find_range(const skein_slice *what, int64_t length, int64_t *i, int64_t *j)
{
    *i = what->from;
    if (*i < 0)
        *i = *i < -length ? 0 : length + *i;
    if (*i > length)
        *i = length;
    *j = what->count == 0 || what->count > length - *i ? length : *i + what->count;
}

/* An agent takes its own words for an assistant's, and everybody else's for a user's. Whom others
 * answered is not its business, unless the caller wants to see it. */
static void see_as(skein_message *m, int64_t agent, bool raw)
{
    if (m->role != SKEIN_USER && m->role != SKEIN_ASSISTANT)
        return;
    if (m->author_agent.v == agent) {
        m->role = SKEIN_ASSISTANT; /* also what was posted in its name */
        return;
    }
    if (m->role == SKEIN_ASSISTANT) {
        m->role = SKEIN_USER;
        m->calls = NULL;
        m->call_count = 0;
    }
    if (raw)
        return;
    m->reply_to = SKN_NONE;
    m->reply_to_id = (skein_message_id){0};
    m->reply_depth = 0;
    m->warning = SKN_NONE;
}

static skein_rc read_slice(skn_tx *tx, const skein_slice *what, skein_mem *mem,
                           skein_messages *out, skein_at *at, skein_error *err)
{
    skn_reading r;
    int64_t     i, j;
    skein_rc    rc;

    if ((rc = skn_reading_open(&r, tx, what, mem, err)))
        return rc;
    find_range(what, r.thread.length, &i, &j);
    if ((rc = skn_thread_messages(&r.trees, &r.thread, i, j, out, err)))
        return rc;
    for (size_t k = 0; what->agent.v && k < out->count; k++)
        see_as(&out->at[k], what->agent.v, what->raw);
    if (at)
        *at = (skein_at){{r.thread.row.id}, r.thread.length};
    return SKEIN_OK;
}

skein_rc skein_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                    skein_messages *out, skein_at *at, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_messages){0};
    if (what->count < 0)
        return skn_fail(err, SKEIN_INVALID, "cannot read %lld messages",
                        (long long)what->count);
    while (skn_snapshot_next(&s, err))
        s.rc = read_slice(s.tx, what, mem, out, at, err);
    return s.rc;
}
