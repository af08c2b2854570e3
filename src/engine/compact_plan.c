/* compact_plan.c: what a summary has to be made of, fixed before a model is asked for it. What comes later
 * is appended behind, so the plan stays true; a change of what it covers makes another thread, and
 * skein_compact refuses. */
#include "engine/modelview.h"
#include "engine/reading.h"

#define SAID_LEAST 2 /* a summary of less says no more than what it replaces */

typedef struct call {
    const skein_slice  *what;
    skein_mem          *mem;
    skein_compact_plan *out;
} call;

/* Is this work done, or going to be, with this lane as what the agent sees? */
static bool concerns(const skn_reading *r, const skn_delivery_row *d)
{
    if (d->lane_id || r->lane.parent_id)
        return d->lane_id == r->lane.id;
    return r->lane.agent_id == 0 || r->lane.agent_id == d->agent_id;
}

/* What an agent is answering, or has yet to, stays in sight with all that came of it. */
static skein_rc before_work(skn_reading *r, int64_t *to, skein_error *err)
{
    skn_delivery_rows work;
    skein_rc rc = skn_delivery_pending(r->trees.tx, r->conversation.id, r->trees.a, &work, err);

    *to = r->thread.length;
    for (size_t i = 0; rc == SKEIN_OK && i < work.count; i++) {
        int64_t at;

        if (!concerns(r, &work.at[i]))
            continue;
        rc = skn_thread_position_of(&r->trees, &r->thread, work.at[i].message_id, &at, err);
        if (rc == SKEIN_OK && at < 0)
            rc = skn_thread_first_at(&r->trees, &r->thread, work.at[i].message_id, &at, err);
        if (rc == SKEIN_OK && at < *to)
            *to = at;
    }
    return rc;
}

static skein_rc plan(skn_tx *tx, void *arg, skein_error *err)
{
    call               *c = arg;
    skein_compact_plan *out = c->out;
    skn_reading         r;
    skein_message       summary;
    skn_compaction_row  row;
    int64_t             to;
    size_t              said;
    skein_rc            rc;

    *out = (skein_compact_plan){0};
    if ((rc = skn_reading_open(&r, tx, c->what, c->mem, err)))
        return rc;
    if (r.thread.row.id == 0)
        return skn_nothing_to_compact(err);
    if ((rc = skn_summary_find(&r.trees, &r.thread, &summary, &row, err)) ||
        (rc = before_work(&r, &to, err)) ||
        (rc = skn_compact_cut(&r.trees, &r.thread, row.covers, to, &out->covers, &said, err)))
        return rc;
    if (said < SAID_LEAST)
        return skn_nothing_to_compact(err);
    out->lane = skn_lane_name(&r.lane, c->mem);
    out->seen = (skein_at){{r.thread.row.id}, r.thread.length};
    return skn_context_fill(
        &r, &(skn_context_wish){c->what->agent, &summary, &row, out->covers, true, NULL},
        &out->context, err);
}

skein_rc skein_compact_plan_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                                 skein_compact_plan *out, skein_error *err)
{
    call c = {what, mem, out};

    if (what->version)
        return skn_fail(err, SKEIN_INVALID, "only the current version can be summarised");
    return skn_store_read(e->store, plan, &c, err);
}
