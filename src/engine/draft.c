/* draft.c: a version in the making. Every lane of the conversation gets a thread in the new version,
 * so that one pointer moves them all and no lane can be at another time than the rest. */
#include "engine/core.h"
#include "engine/feed.h"

static skein_rc load_lanes(skn_draft *d, skein_error *err)
{
    skn_lane_rows rows;
    skein_rc      rc;

    if ((rc = skn_lane_rows_of(d->tx, d->conversation.id, false, d->a, &rows, err)))
        return rc;
    d->lanes = SKN_ARRAY(d->a, rows.count, skn_lane_draft);
    d->lane_count = rows.count;
    for (size_t i = 0; i < rows.count; i++) {
        skn_lane_draft *l = &d->lanes[i];

        l->lane = rows.at[i];
        l->to_lane = l->lane.id;
        l->first_changed = INT64_MAX;
        if ((rc = skn_thread_load(&d->trees, d->base.id, l->lane.id, &l->from, &l->existed,
                                  err)))
            return rc;
        if (skn_str_eq(l->lane.key, SKN_MAIN))
            d->main = l;
    }
    if (!d->main)
        return skn_fail(err, SKEIN_DAMAGED, "conversation \"%.*s\" has no main lane",
                        SKN_FMT(d->conversation.uid));
    return SKEIN_OK;
}

skein_rc skn_draft_begin(skn_draft *d, skein_engine *e, skn_tx *tx, skn_arena *a,
                         const skein_change *how, int64_t base, const char *kind,
                         skein_error *err)
{
    skein_rc rc;

    *d = (skn_draft){.e = e, .tx = tx, .a = a, .how = how, .kind = kind, .now = SKN_NOW()};
    if (how->actor.p && (rc = skn_check_word(how->actor, "actor", SKN_WORD_MAX, err)))
        return rc;
    if ((rc = skn_conversation_take(tx, how->conversation, a, &d->conversation, err)) ||
        (rc = skn_version_pick(tx, &d->conversation, base, a, &d->base, err)))
        return rc;
    skn_trees_init(&d->trees, tx, a, d->conversation.id);
    d->target = d->conversation;
    if ((rc = skn_lanes_complete(tx, &d->conversation, d->now, a, err)) ||
        (rc = load_lanes(d, err)))
        return rc;
    return skn_expect(how->expect, d->main->from.row.id, d->main->from.length, "conversation",
                      d->conversation.uid, err);
}

/* --- Changing lanes ------------------------------------------------------------------------------ */

static skein_rc need_tree(skn_draft *d, skn_lane_draft *l, skein_error *err)
{
    if (l->frozen)
        return SKEIN_OK;
    l->frozen = true;
    return skn_thread_freeze(&d->trees, &l->from, &l->tree, err);
}

skein_rc skn_draft_splice(skn_draft *d, skn_lane_draft *l, int64_t i, int64_t j,
                          const skn_span *ins, size_t count, skein_error *err)
{
    skein_rc rc = need_tree(d, l, err);

    if (rc)
        return rc;
    if (i < l->first_changed)
        l->first_changed = i;
    return skn_tree_splice(&d->trees, &l->tree, i, j, ins, count, err);
}

skein_rc skn_draft_version(skn_draft *d, skein_error *err)
{
    skn_version_row row = {.conversation_id = d->target.id,
                           .origin_id = d->base.id,
                           .origin_length = d->main->from.length,
                           .kind = skn_str_of(d->kind),
                           .actor = d->how->actor.p ? skn_arena_copy(d->a, d->how->actor)
                                                    : SKN_STR("human"),
                           .note = d->note,
                           .created_at = d->now};

    return d->version_id ? SKEIN_OK : skn_version_insert(d->tx, &row, &d->version_id, err);
}

/* A patch item needs its thread's row before the tree is done. */
static skein_rc need_thread(skn_draft *d, skn_lane_draft *l, skein_error *err)
{
    skn_thread_row row = {
        .lane_id = l->to_lane, .origin_id = l->from.row.id, .origin_length = l->from.length};
    skein_rc rc;

    if (l->thread_id)
        return SKEIN_OK;
    if ((rc = skn_draft_version(d, err)))
        return rc;
    row.version_id = d->version_id;
    rc = skn_thread_insert(d->tx, &row, d->a, err);
    l->thread_id = row.id;
    l->thread_uid = row.uid;
    return rc;
}

/* The order key of a place: that of the item it replaces, or else of the one before it. */
static skein_rc key_at(skn_draft *d, const skn_lane_draft *l, int64_t i, int64_t j,
                       int64_t *key, skein_error *err)
{
    int64_t   at = j > i ? i : i - 1;
    int64_t   message;
    skn_spans s;
    skein_rc  rc;

    *key = 0;
    if (at < 0 && l->tree.length > 0)
        at = 0;
    if (at < 0)
        return SKEIN_OK;
    if ((rc = skn_tree_slice(&d->trees, &l->tree, at, at + 1, &s, err)) || s.count == 0)
        return rc;
    return skn_item_key(d->tx, s.at[0].thread, s.at[0].lo, key, &message, err);
}

skein_rc skn_draft_replace(skn_draft *d, skn_lane_draft *l, int64_t i, int64_t j,
                           const int64_t *messages, size_t count, skein_error *err)
{
    skn_span span = {.len = (int64_t)count};
    skein_rc rc;

    if ((rc = need_tree(d, l, err)))
        return rc;
    if (count == 0)
        return skn_draft_splice(d, l, i, j, NULL, 0, err);
    span.kmin = i == j ? d->place_key : 0;
    if ((rc = need_thread(d, l, err)) ||
        (span.kmin == 0 && (rc = key_at(d, l, i, j, &span.kmin, err))))
        return rc;
    if (span.kmin == 0)
        span.kmin = messages[0];
    span.kmax = span.kmin;
    span.thread = l->thread_id;
    span.lo = -(l->patched + span.len);
    for (size_t k = 0; k < count; k++)
        if ((rc = skn_item_insert(d->tx, l->thread_id, span.lo + (int64_t)k, messages[k],
                                  span.kmin, err)))
            return rc;
    l->patched += span.len;
    return skn_draft_splice(d, l, i, j, &span, 1, err);
}

/* --- Committing ------------------------------------------------------------------------------------ */

static skein_rc write_lane(skn_draft *d, skn_lane_draft *l, skein_error *err)
{
    skn_thread_row row = {.lane_id = l->to_lane,
                          .version_id = d->version_id,
                          .origin_id = l->from.row.id,
                          .origin_length = l->from.length};
    skein_rc       rc;

    if (!l->existed && !l->thread_id)
        return SKEIN_OK; /* it comes into being with its first message */
    if ((rc = need_tree(d, l, err)) ||
        (rc = skn_tree_save(&d->trees, &l->tree, d->target.id, &row.root_id, err)))
        return rc;
    row.base_length = l->tree.length;
    if (l->thread_id) {
        rc = skn_thread_set_base(d->tx, l->thread_id, row.root_id, row.base_length, err);
    } else {
        rc = skn_thread_insert(d->tx, &row, d->a, err);
        l->thread_id = row.id;
        l->thread_uid = row.uid;
    }
    if (rc || (rc = skn_compaction_inherit(d, l, &row.compaction_id, err)) ||
        row.compaction_id == 0)
        return rc;
    return skn_thread_set_compaction(d->tx, l->thread_id, row.compaction_id, err);
}

skein_rc skn_draft_commit(skn_draft *d, skein_version *out, skein_error *err)
{
    skn_version_row row;
    bool            found;
    int64_t         op;
    skein_rc        rc;

    if ((rc = skn_draft_version(d, err)))
        return rc;
    for (size_t i = 0; i < d->lane_count; i++)
        if ((rc = write_lane(d, &d->lanes[i], err)))
            return rc;
    if (d->target.id == d->conversation.id)
        rc = skn_version_move(d->tx, &d->conversation, d->kind, d->version_id, 0, d->how->actor,
                              d->now, &op, err);
    else
        rc = skn_conversation_set_version(d->tx, d->target.id, d->version_id, err);
    if (rc)
        return rc;
    d->target.version_id = d->version_id;
    if ((rc = skn_version_get(d->tx, d->version_id, d->a, &row, &found, err)) ||
        (rc = skn_version_fill(&d->trees, &d->target, &row, out, err)))
        return rc;
    if (d->target.id == d->conversation.id)
        skn_feed_version(d->tx, &d->conversation, d->version_id, out);
    return SKEIN_OK;
}

/* --- Finding messages ------------------------------------------------------------------------------ */

static skein_rc not_here(const skn_draft *d, const skein_message *m, skein_error *err)
{
    skein_rc rc;

    if (m->born_in.v != d->conversation.id && d->conversation.branched_from_id == 0) {
        rc = skn_fail(err, SKEIN_NOT_FOUND, "message \"%.*s\" is in another conversation",
                      SKN_FMT(m->uid));
        return skn_hint(err, rc, "Name that conversation with -c.");
    }
    rc = skn_fail(err, SKEIN_NOT_FOUND, "message \"%.*s\" is not in v%lld", SKN_FMT(m->uid),
                  (long long)d->base.number);
    return skn_hint(err, rc, "Another version holds it: \"skein show %.*s\" says which.",
                    SKN_FMT(m->uid));
}

/* The first lane that holds the message gives it its order key for all the others. */
static skein_rc find_key(skn_draft *d, skn_target *t, skein_error *err)
{
    skn_item item;
    int64_t  position = -1;
    skein_rc rc;

    for (size_t i = 0; i < d->lane_count; i++) {
        const skn_thread *from = &d->lanes[i].from;

        if ((rc = skn_thread_position(&d->trees, from, &t->places, &position, err)))
            return rc;
        if (position < 0)
            continue;
        rc = skn_thread_item(&d->trees, from, position, &item, err);
        t->lane = &d->lanes[i];
        t->position = position;
        t->key = rc ? 0 : item.key;
        return rc;
    }
    return not_here(d, &t->message, err);
}

skein_rc skn_draft_target(skn_draft *d, skein_message_id id, skn_target *out, skein_error *err)
{
    bool     found;
    skein_rc rc;

    if ((rc = skn_message_get(d->tx, id.v, d->a, &out->message, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no message with the number %lld",
                        (long long)id.v);
    if ((rc = skn_item_placements(d->tx, id.v, d->a, &out->places, err)))
        return rc;
    return find_key(d, out, err);
}

/* Does the item at a place of a lane stand at or behind the target? The lane that the target was found
 * in says so; for a message that only this lane holds, its order key does. */
static skein_rc is_behind(skn_draft *d, const skn_lane_draft *l, const skn_target *t,
                          int64_t at, bool *behind, skein_error *err)
{
    skn_item item;
    int64_t  there = -1;
    skein_rc rc;

    if ((rc = skn_thread_item(&d->trees, &l->from, at, &item, err)) ||
        (rc = skn_thread_position_of(&d->trees, &t->lane->from, item.message_id, &there, err)))
        return rc;
    *behind = there >= 0 ? there >= t->position : item.key >= t->key;
    return SKEIN_OK;
}

/* The order key tells the place, unless messages were moved; then it is searched for: what stands behind
 * the target is the end of the lane. */
static skein_rc search_place(skn_draft *d, const skn_lane_draft *l, const skn_target *t,
                             int64_t *at, skein_error *err)
{
    int64_t  lo = 0, hi = l->from.length;
    bool     behind = true, before = false;
    skein_rc rc;

    if ((rc = skn_thread_first_at(&d->trees, &l->from, t->key, at, err)) ||
        (*at < hi && (rc = is_behind(d, l, t, *at, &behind, err))) ||
        (*at > 0 && (rc = is_behind(d, l, t, *at - 1, &before, err))))
        return rc;
    if (behind && !before)
        return SKEIN_OK;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if ((rc = is_behind(d, l, t, mid, &behind, err)))
            return rc;
        if (behind)
            hi = mid;
        else
            lo = mid + 1;
    }
    *at = lo;
    return SKEIN_OK;
}

/* Agents' lanes have their messages in the order of the main lane, so it is their measure also for what
 * only a delegation holds. */
skein_rc skn_draft_place(skn_draft *d, const skn_lane_draft *l, const skn_target *t,
                         int64_t *at, skein_error *err)
{
    skn_target in_main = *t;
    skein_rc   rc = skn_thread_position(&d->trees, &l->from, &t->places, at, err);

    if (rc || *at >= 0)
        return rc;
    if (t->lane == d->main || l == d->main || l->lane.parent_id)
        return search_place(d, l, t, at, err);
    if ((rc = search_place(d, d->main, t, &in_main.position, err)))
        return rc;
    in_main.lane = d->main;
    return search_place(d, l, &in_main, at, err);
}

skein_rc skn_draft_key(skn_draft *d, const skn_lane_draft *l, int64_t at, int64_t *key,
                       skein_error *err)
{
    skn_item item = {0};
    skein_rc rc = SKEIN_OK;

    if (l->from.length > 0)
        rc = skn_thread_item(&d->trees, &l->from, at > 0 ? at - 1 : 0, &item, err);
    *key = item.key;
    return rc;
}
