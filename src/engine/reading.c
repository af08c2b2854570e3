#include "engine/reading.h"

#include "engine/reply.h"

/* An agent that came into the world after the last message has no lane yet, and remembers nothing. */
static skein_rc check_agent(skn_reading *r, skein_agent_id id, skein_error *err)
{
    skein_agent agent;
    bool        found;
    skein_rc    rc = skn_agent_get(r->trees.tx, id.v, r->trees.a, &agent, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no agent with the number %lld",
                        (long long)id.v);
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

skein_rc skn_reading_target(skn_reading *r, int64_t id, skein_message *out, bool *found,
                            skein_error *err)
{
    skn_replies links = {.trees = r->trees,
                         .conversation = r->conversation,
                         .version = r->version,
                         .thread = r->thread};
    int64_t     target, position;
    skein_rc    rc = skn_reply_target(&links, id, &target, &position, err);

    if (rc)
        return rc;
    rc = skn_message_get(r->trees.tx, target ? target : id, r->trees.a, out, found, err);
    if (rc == SKEIN_OK && *found)
        out->position = position;
    return rc;
}
