/* arrange.c: changes of order: a new message between others, and messages moved. */
#include "engine/core.h"

/* --- Where something goes that stands before a message ----------------------------------------------------- */

static skein_rc place_before(skn_draft *d, const skn_lane_draft *l, const skn_target *before,
                             int64_t *at, skein_error *err)
{
    *at = l->from.length;
    return before ? skn_draft_place(d, l, before, at, err) : SKEIN_OK;
}

/* What comes between a call and its result is allowed, but the version's note has to say so. */
static skein_rc note_split(skn_draft *d, const skn_target *before, skein_error *err)
{
    bool     splits = false;
    skein_rc rc = before ? skn_draft_splits(d, before, &splits, err) : SKEIN_OK;

    if (splits)
        d->note = skn_arena_printf(d->a, "%.*s, " SKEIN_NOTE_SPLITS, SKN_FMT(d->note));
    return rc;
}

/* --- Insert --------------------------------------------------------------------------------------------------- */

static skein_rc insert_in_lanes(skn_change_call *c, const skn_target *before, skein_error *err)
{
    skn_draft     *d = &c->draft;
    skein_message *m = c->message;
    int64_t        at, in_main = 0;
    skein_rc       rc = SKEIN_OK;

    if (before)
        rc = skn_thread_position(&d->trees, &d->main->from, &before->places, &in_main, err);
    if (rc == SKEIN_OK &&
        in_main >= 0) /* as old as its place in the main lane, in every lane */
        rc = skn_draft_key(d, d->main, before ? in_main : d->main->from.length, &d->place_key,
                           err);
    for (size_t i = 0; rc == SKEIN_OK && i < d->lane_count; i++) {
        skn_lane_draft *l = &d->lanes[i];
        bool            here = l == d->main || skn_room_hears(&l->lane, m, c->as_new);

        if (in_main < 0) { /* the place is inside a delegation: only there */
            if ((rc = skn_thread_position(&d->trees, &l->from, &before->places, &at, err)))
                break;
            here = at >= 0;
        } else if (l->lane.parent_id) {
            here = false;
        }
        if (!here)
            continue;
        if ((rc = place_before(d, l, before, &at, err)) == SKEIN_OK)
            rc = skn_draft_replace(d, l, at, at, &m->id.v, 1, err);
        if (l == d->main)
            m->position = at;
    }
    return rc;
}

static skein_rc check_free(skn_tx *tx, skn_str uid, skn_arena *a, skein_error *err)
{
    skn_link taken;
    bool     found = false;
    skein_rc rc = uid.p ? skn_message_link(tx, uid, a, &taken, &found, err) : SKEIN_OK;

    if (rc || !found)
        return rc;
    return skn_fail_hint(err, SKEIN_CONFLICT, "Leave the id out to get a new one.",
                         "message id \"%.*s\" is taken", SKN_FMT(uid));
}

static skein_rc insert(skn_change_call *c, skein_error *err)
{
    skn_draft *d = &c->draft;
    skn_target target, *before = c->id.v ? &target : NULL;
    skn_room   room;
    skein_rc   rc;

    if ((before && (rc = skn_draft_target(d, c->id, before, err))) ||
        (rc = check_free(d->tx, c->as_new->uid, d->a, err)) ||
        (rc = skn_room_open(&room, d->w, &d->conversation, err)) ||
        (rc = skn_message_prepare(&room, c->as_new, c->message, err)) ||
        (rc = skn_message_insert(d->tx, c->message, d->a, err)))
        return rc;
    d->note = skn_arena_printf(d->a, "insert %.*s", SKN_FMT(c->message->uid));
    rc = note_split(d, before, err);
    return rc ? rc : insert_in_lanes(c, before, err);
}

/* All that tells one insertion from another under the same key. */
static skn_str insert_request(skein_mem *mem, int64_t before, const skein_new_message *m)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX / 2);
    skn_buf_addf(&b, "%lld %d ", (long long)before, (int)m->heard_by_given);
    skn_buf_add(&b, skn_message_json(m, mem));
    for (size_t i = 0; i < m->heard_by_count; i++)
        skn_buf_addf(&b, " %zu:%.*s", m->heard_by[i].n, SKN_FMT(m->heard_by[i]));
    return skn_buf_keep(&b, mem);
}

skein_rc skein_insert(skein_engine *e, const skein_change *how, skein_message_id before,
                      const skein_new_message *message, skein_mem *mem, skein_version *out,
                      skein_message *inserted, skein_error *err)
{
    skein_message   scratch;
    skn_change_call c = {.how = how,
                         .kind = "insert",
                         .version = out,
                         .message = inserted ? inserted : &scratch,
                         .make = insert,
                         .id = before,
                         .as_new = message};
    skein_rc        rc = skn_check_new(e, message, err);

    if (rc)
        return rc;
    if (message->role == SKEIN_TOOL || message->call_count > 0)
        return skn_fail(err, SKEIN_INVALID,
                        "tool calls and results are appended, not inserted");
    c.request = insert_request(mem, before.v, message);
    return skn_change_run(e, &c, mem, err);
}

/* --- Reorder ---------------------------------------------------------------------------------------------------- */

/* The targets that a lane holds, as spans in the order they were named. */
static skein_rc spans_of(skn_draft *d, const skn_lane_draft *l, const skn_target *targets,
                         size_t count, skn_spans *out, skein_error *err)
{
    skn_vec(skn_span) v = {0};
    skein_rc rc;

    for (size_t i = 0; i < count; i++) {
        skn_spans one;
        int64_t   at;

        if ((rc = skn_thread_position(&d->trees, &l->from, &targets[i].places, &at, err)))
            return rc;
        if (at < 0)
            continue;
        if ((rc = skn_thread_slice(&d->trees, &l->from, at, at + 1, &one, err)))
            return rc;
        skn_vec_add(d->a, &v, one.at[0]);
    }
    *out = (skn_spans){v.p, v.n};
    return SKEIN_OK;
}

static skein_rc reorder_lane(skn_draft *d, skn_lane_draft *l, const skn_target *targets,
                             size_t count, const skn_target *before, skein_error *err)
{
    skn_spans spans;
    int64_t  *at, to, shift = 0;
    size_t    found;
    skein_rc  rc;

    if ((rc = skn_change_positions(d, l, targets, count, &at, &found, err)) || found == 0)
        return rc;
    if ((rc = spans_of(d, l, targets, count, &spans, err)) ||
        (rc = place_before(d, l, before, &to, err)) ||
        (rc = skn_change_cut(d, l, at, found, err)))
        return rc;
    for (size_t i = 0; i < found; i++)
        shift += at[i] < to;
    return skn_draft_splice(d, l, to - shift, to - shift, spans.at, spans.count, err);
}

static skein_rc check_outside(const skn_target *before, const skn_target *targets, size_t count,
                              skein_error *err)
{
    for (size_t i = 0; i < count; i++)
        if (targets[i].message.id.v == before->message.id.v)
            return skn_fail_hint(
                err, SKEIN_INVALID, "Tool calls and their results are moved together.",
                "message \"%.*s\" cannot stand before itself", SKN_FMT(before->message.uid));
    return SKEIN_OK;
}

/* Tool calls go with their results and the other way round, so that moving never parts them. */
static skein_rc reorder(skn_change_call *c, skein_error *err)
{
    skn_draft  *d = &c->draft;
    skn_target *targets, target, *before = c->id.v ? &target : NULL;
    size_t      count = c->ids.count;
    skein_rc    rc;

    if ((rc = skn_change_targets(d, c->ids, &targets, err)) ||
        (rc = skn_draft_close_groups(d, &targets, &count, err)) ||
        (before && ((rc = skn_draft_target(d, c->id, before, err)) ||
                    (rc = check_outside(before, targets, count, err)))))
        return rc;
    d->note = skn_arena_printf(d->a, "move %zu", count);
    rc = note_split(d, before, err);
    for (size_t i = 0; rc == SKEIN_OK && i < d->lane_count; i++)
        rc = reorder_lane(d, &d->lanes[i], targets, count, before, err);
    return rc;
}

skein_rc skein_reorder(skein_engine *e, const skein_change *how, skein_message_ids ids,
                       skein_message_id before, skein_mem *mem, skein_version *out,
                       skein_error *err)
{
    skn_change_call c = {.how = how,
                         .kind = "reorder",
                         .request = skn_change_ids_text(mem, ids, before.v),
                         .version = out,
                         .make = reorder,
                         .id = before,
                         .ids = ids};

    return skn_change_run(e, &c, mem, err);
}
