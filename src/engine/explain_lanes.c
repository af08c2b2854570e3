/* explain_lanes.c: the lanes of a version, and which of them the messages of a page are in. */
#include "engine/explain.h"

static int rank(const skn_lane_row *l)
{
    if (skn_str_eq(l->key, SKN_MAIN))
        return 0;
    return l->parent_id ? 1 : 2;
}

skein_rc skn_explain_lanes(skn_explain *x, skein_error *err)
{
    skn_lane_rows   rows;
    skn_thread_rows threads;
    skn_map        *of_lane = skn_map_new(x->a);
    skein_rc        rc;

    if ((rc = skn_lane_rows_of(x->trees->tx, x->main.conversation.id, false, x->a, &rows,
                               err)) ||
        (rc = skn_threads_of_version(x->trees->tx, x->main.version.id, x->a, &threads, err)))
        return rc;
    for (size_t i = 0; i < threads.count; i++)
        *skn_map_slot_int(of_lane, threads.at[i].lane_id) = &threads.at[i];
    x->lanes = SKN_ARRAY(x->a, rows.count, skn_explain_lane);
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < rows.count; i++) {
            const skn_thread_row *t = skn_map_get_int(of_lane, rows.at[i].id);

            if (rank(&rows.at[i]) != pass)
                continue;
            x->lanes[x->lane_count].row = rows.at[i];
            if (t)
                x->lanes[x->lane_count].thread_row = *t;
            x->lane_count++;
        }
    return SKEIN_OK;
}

skein_rc skn_explain_thread(skn_explain *x, size_t lane, const skn_thread **out,
                            skein_error *err)
{
    skn_explain_lane *l = &x->lanes[lane];

    *out = &l->thread;
    if (l->opened || l->thread_row.id == 0)
        return SKEIN_OK;
    l->opened = true;
    return skn_thread_open(x->trees, &l->thread_row, &l->thread, err);
}

skein_rc skn_explain_replies(skn_explain *x, size_t lane, skn_replies *out, skein_error *err)
{
    const skn_thread *t;
    skein_rc          rc = skn_explain_thread(x, lane, &t, err);

    if (rc == SKEIN_OK)
        *out = (skn_replies){.trees = *x->trees,
                             .conversation = x->main.conversation,
                             .version = x->main.version,
                             .thread = *t};
    return rc;
}

/* A place in another conversation may have come along into any lane of a branch. */
void skn_explain_lanes_of(const skn_explain *x, const bool *numbers, bool *marks)
{
    skn_map *at = skn_map_new(x->a);
    bool     all = false;

    for (size_t i = 0; i < x->lane_count; i++)
        *skn_map_slot_int(at, x->lanes[i].row.id) = &x->lanes[i];
    for (size_t n = 0; n < x->ids.v.n; n++)
        for (size_t k = 0; numbers[n] && k < x->batch.places[n].count; k++) {
            const skn_placement    *p = &x->batch.places[n].at[k];
            const skn_explain_lane *l = skn_map_get_int(at, p->lane_id);

            if (l)
                marks[l - x->lanes] = true;
            all = all || p->conversation_id != x->main.conversation.id;
        }
    for (size_t i = 0; all && i < x->lane_count; i++)
        marks[i] = true;
}

/* --- Where they stand ------------------------------------------------------------------------------ */

static bool any_homeless(const skn_explain *x, bool *homeless)
{
    bool any = false;

    for (size_t n = 0; n < x->ids.v.n; n++) {
        homeless[n] = x->home[n] == SKN_NO_LANE;
        any = any || homeless[n];
    }
    return any;
}

static skein_rc find_in_lane(skn_explain *x, size_t lane, skein_error *err)
{
    skn_bits         *bits = skn_batch_bits(&x->batch);
    const skn_thread *t;
    skein_rc          rc;

    if ((rc = skn_explain_thread(x, lane, &t, err)) ||
        (rc = skn_batch_held(&x->batch, t, bits, err)))
        return rc;
    for (size_t n = 0; n < x->ids.v.n; n++)
        if (x->home[n] == SKN_NO_LANE && skn_bit(bits, n))
            x->home[n] = lane;
    return SKEIN_OK;
}

skein_rc skn_explain_homes(skn_explain *x, skein_error *err)
{
    bool    *homeless = SKN_ARRAY(x->a, x->ids.v.n, bool);
    bool    *marks = SKN_ARRAY(x->a, x->lane_count, bool);
    skein_rc rc = SKEIN_OK;

    x->home = SKN_ARRAY(x->a, x->ids.v.n, size_t);
    for (size_t n = 0; n < x->ids.v.n; n++)
        x->home[n] = SKN_NO_LANE;
    if (x->lane_count > 0)
        rc = find_in_lane(x, 0, err);
    if (rc || !any_homeless(x, homeless))
        return rc;
    skn_explain_lanes_of(x, homeless, marks);
    for (size_t i = 1; rc == SKEIN_OK && i < x->lane_count; i++)
        if (marks[i] && x->lanes[i].thread_row.id)
            rc = find_in_lane(x, i, err);
    return rc;
}
