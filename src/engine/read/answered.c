#include "engine/read/reply.h"

#include "engine/work/mention.h"

bool skn_speaks(const skein_message *m)
{
    bool told_again = m->squash_uid.n && m->role == SKEIN_ASSISTANT;

    return (m->role == SKEIN_USER || m->role == SKEIN_ASSISTANT) && m->call_count == 0 &&
           !told_again;
}

bool skn_asks(const skein_message *m)
{
    bool answers = m->author == SKEIN_BY_AGENT && m->reply_to_id.v != 0;

    return skn_speaks(m) && !answers;
}

bool skn_may_be_aside(const skein_message *m)
{
    return m->role == SKEIN_ASSISTANT && m->author == SKEIN_BY_AGENT && m->call_count == 0 &&
           (m->reply_to_id.v == 0 || (m->content.n && memchr(m->content.p, '@', m->content.n)));
}

/* --- What must be looked up ------------------------------------------------------------------------- */

static skein_rc learn_listeners(skn_replies *r, skein_error *err)
{
    skn_trees    *f = &r->trees;
    skn_lane_rows lanes;
    bool          found;
    skein_rc      rc;

    if ((rc = skn_lane_rows_top(f->tx, r->conversation.id, f->a, &lanes, err)))
        return rc;
    r->listeners = SKN_ARRAY(f->a, lanes.count, skn_listener);
    for (size_t i = 0; i < lanes.count; i++) {
        skn_listener *l = &r->listeners[r->listener_count];

        *l = (skn_listener){.lane = lanes.at[i].id, .agent = lanes.at[i].agent_id};
        if (l->agent == 0)
            continue;
        if ((rc = skn_thread_load(f, r->version.id, l->lane, &l->thread, &found, err)))
            return rc;
        r->listener_count += found;
    }
    return SKEIN_OK;
}

static skein_rc learn(skn_replies *r, skein_error *err)
{
    skein_rc rc;

    if (r->known)
        return SKEIN_OK;
    r->known = true;
    rc = learn_listeners(r, err);
    return rc ? rc
              : skn_agent_names(r->trees.tx, r->conversation.world_id, r->trees.a, &r->names,
                                &r->name_count, err);
}

/* Whom a message speaks to is asked as it is for routing: of every line. */
static bool mentions_anybody(const skn_replies *r, const skein_message *m)
{
    skn_arena *scratch = skn_arena_new();
    size_t    *found;
    bool       yes = skn_mentions(m->content, r->names, r->name_count, scratch, &found) > 0;

    skn_arena_free(scratch);
    return yes;
}

/* Only the lanes it was put into can hold it; in a branch those have other numbers. */
static bool may_hold(const skn_replies *r, const skn_listener *l, const skn_placements *places)
{
    for (size_t i = 0; i < places->count; i++)
        if (places->at[i].lane_id == l->lane ||
            places->at[i].conversation_id != r->conversation.id)
            return true;
    return false;
}

static bool anybody_else(const skn_replies *r, const skein_message *m)
{
    for (size_t i = 0; i < r->listener_count; i++)
        if (r->listeners[i].agent != m->author_agent.v)
            return true;
    return false;
}

static skein_rc is_heard(skn_replies *r, const skein_message *m, bool *heard, skein_error *err)
{
    skn_arena     *scratch;
    skn_placements places;
    int64_t        at;
    skein_rc       rc;

    *heard = false;
    if (!anybody_else(r, m))
        return SKEIN_OK;
    scratch = skn_arena_new();
    rc = skn_item_placements(r->trees.tx, m->id.v, scratch, &places, err);
    for (size_t i = 0; rc == SKEIN_OK && !*heard && i < r->listener_count; i++) {
        const skn_listener *l = &r->listeners[i];

        if (l->agent == m->author_agent.v || !may_hold(r, l, &places))
            continue;
        rc = skn_thread_position(&r->trees, &l->thread, &places, &at, err);
        *heard = rc == SKEIN_OK && at >= 0;
    }
    skn_arena_free(scratch);
    return rc;
}

bool skn_memory_only_rule(const skein_message *m, int64_t replies, bool heard, bool mention)
{
    return replies == 0 && !m->squash_uid.n && skn_may_be_aside(m) && heard &&
           (m->reply_to_id.v == 0 || mention);
}

skein_rc skn_memory_only(skn_replies *r, const skein_message *m, int64_t replies, bool *out,
                         skein_error *err)
{
    bool     heard = false, mention = false;
    skein_rc rc;

    *out = skn_memory_only_rule(m, replies, true, true);
    if (!*out)
        return SKEIN_OK;
    if ((rc = learn(r, err)))
        return rc;
    mention = m->reply_to_id.v && mentions_anybody(r, m);
    if ((m->reply_to_id.v == 0 || mention) && (rc = is_heard(r, m, &heard, err)))
        return rc;
    *out = skn_memory_only_rule(m, replies, heard, mention);
    return SKEIN_OK;
}

bool skn_unanswered(const skein_message *m, int64_t replies, bool memory_only)
{
    return skn_asks(m) && replies == 0 && !memory_only;
}
