/* draft.c: a version under construction. Every lane of the conversation gets a thread in the new version,
 * so that one pointer moves them all and no lane can be at another time than the rest. */
#include "engine/feed.h"

#include <stdlib.h>

static skein_rc load_lanes(skn_draft *d, skein_error *err)
{
    skn_lane_rows rows;
    skein_rc      rc;

    if ((rc = skn_lane_rows_of(d->tx, d->conversation.id, d->a, &rows, err)))
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

skein_rc skn_draft_begin(skn_draft *d, skn_working *w, const skein_change *how, int64_t base,
                         const char *kind, skein_error *err)
{
    skein_rc rc;

    *d = (skn_draft){.w = w, .tx = w->tx, .a = w->a, .how = how, .kind = kind, .now = w->now};
    if ((rc = skn_check_given(how->actor, "actor", SKN_WORD_MAX, err)) ||
        (rc = skn_conversation_take(w->tx, how->conversation, w->a, &d->conversation, err)) ||
        (rc = skn_version_pick(w->tx, &d->conversation, base, w->a, &d->base, err)))
        return rc;
    skn_trees_init(&d->trees, w->tx, w->a, d->conversation.id);
    d->target = d->conversation;
    if ((rc = skn_lanes_complete(w, &d->conversation, err)) || (rc = load_lanes(d, err)))
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
        return SKEIN_OK; /* its first message creates it */
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
        (rc = skn_version_fill(d->tx, &d->target, &row, d->a, out, err)))
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
        return skn_fail_hint(err, SKEIN_NOT_FOUND, "Name that conversation with -c.",
                             "message \"%.*s\" is in another conversation", SKN_FMT(m->uid));
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

/* Which messages belong to one tool exchange in a thread. The halves are found by
 * their call id, so that a change deep inside a long thread does not read the thread. */

skein_rc skn_conversation_kin(skn_tx *tx, const skn_conversation_row *c, skn_arena *a,
                              skn_ids *out, skein_error *err)
{
    skn_vec(int64_t) v = {0};
    skn_conversation_row at = *c;
    bool                 found = true;
    skein_rc             rc;

    skn_vec_add(a, &v, at.id);
    /* A branch is always younger than what it was branched from, so this walk ends. */
    while (found && at.branched_from_id > 0 && at.branched_from_id < at.id) {
        if ((rc = skn_conversation_row_get(tx, at.branched_from_id, a, &at, &found, err)))
            return rc;
        if (found)
            skn_vec_add(a, &v, at.id);
    }
    *out = (skn_ids){v.p, v.n};
    return SKEIN_OK;
}

bool skn_is_kin(const skn_ids *kin, int64_t conversation)
{
    for (size_t i = 0; i < kin->count; i++)
        if (kin->at[i] == conversation)
            return true;
    return false;
}

/* A call or a result where it stands in a thread. */
typedef struct half {
    int64_t position, message;
    bool    is_result;
    int64_t partner; /* the other half's message, or 0 */
} half;
typedef skn_vec(half) halves;

SKN_ORDER(by_position, half, position, is_result)

/* All halves with this call id that the thread holds, in its order, each with its partner: a result
 * answers the latest earlier call that has no answer yet. */
static skein_rc find_halves(skn_trees *f, const skn_thread *t, const skn_ids *kin,
                            skn_str call_id, halves *out, skein_error *err)
{
    skn_vec(size_t) open = {0};
    skein_rc rc;

    for (size_t k = 0; k < kin->count; k++) {
        skn_call_halves found;

        rc = skn_message_call_halves(f->tx, kin->at[k], call_id, f->a, &found, err);
        for (size_t i = 0; rc == SKEIN_OK && i < found.count; i++) {
            half h = {.message = found.at[i].message_id, .is_result = found.at[i].is_result};

            rc = skn_thread_position_of(f, t, h.message, &h.position, err);
            if (rc == SKEIN_OK && h.position >= 0)
                skn_vec_add(f->a, out, h);
        }
        if (rc)
            return rc;
    }
    if (out->n)
        qsort(out->p, out->n, sizeof *out->p, by_position);
    for (size_t i = 0; i < out->n; i++) {
        if (!out->p[i].is_result) {
            skn_vec_add(f->a, &open, i);
        } else if (open.n > 0) {
            half *call = &out->p[open.p[--open.n]];

            call->partner = out->p[i].message;
            out->p[i].partner = call->message;
        }
    }
    return SKEIN_OK;
}

/* --- The open call ----------------------------------------------------------------------------------- */

/* A walk over the halves of a call id, newest first. */
typedef struct looking {
    skn_trees        *f;
    const skn_thread *t;
    int64_t           answers;  /* results whose call was not met yet */
    int64_t           position; /* of the half before */
    int64_t           caller;   /* the latest call, or the open one */
    bool              open;
    bool              sure; /* so far, newer halves stand behind older ones */
} looking;

static skein_rc look_at(looking *l, const skn_call_half *h, skein_error *err)
{
    int64_t  at;
    skein_rc rc = skn_thread_position_of(l->f, l->t, h->message_id, &at, err);

    if (rc || at < 0) /* in another lane, or replaced by an amended one */
        return rc;
    l->sure = at <= l->position;
    l->position = at;
    if (h->is_result) {
        l->answers++;
        return SKEIN_OK;
    }
    l->open = l->answers == 0;
    if (l->open || l->caller == 0)
        l->caller = h->message_id;
    l->answers -= !l->open;
    return SKEIN_OK;
}

static skein_rc look_back(looking *l, int64_t conversation, skn_str call_id, skein_error *err)
{
    enum { PORTION = 16 }; /* an exchange that is under way is found in the first */
    skn_call_half   last = {INT64_MAX, true};
    skn_call_halves found;
    skein_rc        rc;

    do {
        rc = skn_message_call_halves_before(l->f->tx, conversation, call_id, last, PORTION,
                                            l->f->a, &found, err);
        for (size_t i = 0; rc == SKEIN_OK && l->sure && !l->open && i < found.count; i++) {
            last = found.at[i];
            rc = look_at(l, &last, err);
        }
    } while (rc == SKEIN_OK && l->sure && !l->open && found.count == PORTION);
    return rc;
}

/* Could an older half stand behind the open call? A message is never older than the order key of its
 * place, and the thread's own items are younger than all before them: the smallest key behind the
 * call tells. */
static skein_rc look_behind(looking *l, skein_error *err)
{
    int64_t  key = INT64_MAX;
    skein_rc rc = SKEIN_OK;

    if (l->position < l->t->base.length)
        rc = skn_tree_least_key(l->f, &l->t->base, l->position + 1, &key, err);
    l->sure = key >= l->caller;
    return rc;
}

/* The same from all halves, for threads in which messages were moved or an open call was amended. */
static skein_rc look_everywhere(looking *l, const skn_ids *kin, skn_str call_id,
                                skein_error *err)
{
    halves   all = {0};
    skein_rc rc = find_halves(l->f, l->t, kin, call_id, &all, err);

    l->open = false;
    l->caller = 0;
    for (size_t i = 0; rc == SKEIN_OK && i < all.n; i++) {
        if (all.p[i].is_result)
            continue;
        if (!l->open || all.p[i].partner == 0)
            l->caller = all.p[i].message;
        l->open = l->open || all.p[i].partner == 0;
    }
    return rc;
}

/* A conversation is younger than what it holds of those it was branched from, so they come in turn. */
skein_rc skn_open_calls(skn_trees *f, const skn_thread *t, const skn_ids *kin, skn_str call_id,
                        int64_t *open, int64_t *caller, skein_error *err)
{
    looking  l = {.f = f, .t = t, .position = INT64_MAX, .sure = true};
    skein_rc rc = SKEIN_OK;

    for (size_t k = 0; rc == SKEIN_OK && l.sure && !l.open && k < kin->count; k++)
        rc = look_back(&l, kin->at[k], call_id, err);
    if (rc == SKEIN_OK && l.sure && l.open)
        rc = look_behind(&l, err);
    if (rc == SKEIN_OK && !l.sure)
        rc = look_everywhere(&l, kin, call_id, err);
    *open = l.open;
    *caller = l.caller;
    return rc;
}

/* --- Closure --------------------------------------------------------------------------------------- */

typedef struct closing {
    skn_draft *d;
    skn_ids    kin;
    skn_map   *in;  /* message id -> anything: already selected */
    skn_map *known; /* lane and call id -> its halves by message: call ids may be used again */
    skn_vec(skn_target) all;
} closing;

static skein_rc add_partner(closing *c, int64_t message, skein_error *err)
{
    skn_target t;
    void     **slot = skn_map_slot_int(c->in, message);
    skein_rc   rc;

    if (*slot)
        return SKEIN_OK;
    *slot = c;
    if ((rc = skn_draft_target(c->d, (skein_message_id){message}, &t, err)))
        return rc;
    skn_vec_add(c->d->a, &c->all, t);
    return SKEIN_OK;
}

SKN_ORDER(by_message, half, message, message)

static skein_rc halves_in(closing *c, const skn_lane_draft *home, skn_str call_id,
                          const halves **out, skein_error *err)
{
    skn_arena *a = c->d->a;
    void     **slot = skn_map_slot(
            c->known, skn_arena_printf(a, "%lld %.*s", (long long)home->lane.id, SKN_FMT(call_id)));
    skein_rc rc = SKEIN_OK;

    if (!*slot) {
        halves *found = SKN_ARRAY(a, 1, halves);

        rc = find_halves(&c->d->trees, &home->from, &c->kin, call_id, found, err);
        if (found->n)
            qsort(found->p, found->n, sizeof *found->p, by_message);
        *slot = found;
    }
    *out = *slot;
    return rc;
}

/* A pair is looked for in the lane that the message was found in. */
static skein_rc add_partners(closing *c, const skn_lane_draft *home, int64_t message,
                             skn_str call_id, skein_error *err)
{
    const halves *in;
    size_t        lo = 0, hi;
    skein_rc      rc = halves_in(c, home, call_id, &in, err);

    for (hi = rc ? 0 : in->n; lo < hi;) {
        size_t mid = lo + (hi - lo) / 2;

        if (in->p[mid].message < message)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; rc == SKEIN_OK && lo < in->n && in->p[lo].message == message; lo++)
        if (in->p[lo].partner)
            rc = add_partner(c, in->p[lo].partner, err);
    return rc;
}

/* The main lane is the first of the lanes, so its messages come first. */
SKN_ORDER(by_place, skn_target, lane, position)

/* What belongs to the same exchange as the last ones added, from `start` on; it grows while it runs,
 * until nothing is missing. */
static skein_rc grow(closing *c, size_t start, skein_error *err)
{
    skein_rc rc;

    for (size_t i = start; i < c->all.n; i++) {
        const skn_lane_draft *home = c->all.p[i].lane;
        skein_message         m = c->all.p[i].message;

        if (m.tool_call_id.p && (rc = add_partners(c, home, m.id.v, m.tool_call_id, err)))
            return rc;
        for (size_t k = 0; k < m.call_count; k++)
            if ((rc = add_partners(c, home, m.id.v, m.calls[k].call_id, err)))
                return rc;
    }
    return SKEIN_OK;
}

skein_rc skn_draft_close_groups(skn_draft *d, skn_target **targets, size_t *count,
                                skein_error *err)
{
    closing  c = {.d = d, .in = skn_map_new(d->a), .known = skn_map_new(d->a)};
    skein_rc rc;

    if ((rc = skn_conversation_kin(d->tx, &d->conversation, d->a, &c.kin, err)))
        return rc;
    for (size_t i = 0; i < *count; i++) {
        void **slot = skn_map_slot_int(c.in, (*targets)[i].message.id.v);
        size_t start = c.all.n;

        if (*slot)
            continue;
        *slot = d;
        skn_vec_add(d->a, &c.all, (*targets)[i]);
        if ((rc = grow(&c, start, err)))
            return rc;
        qsort(c.all.p + start, c.all.n - start, sizeof *c.all.p, by_place);
    }
    *targets = c.all.p;
    *count = c.all.n;
    return SKEIN_OK;
}

skein_rc skn_draft_close_pairs(skn_draft *d, skn_target **targets, size_t *count,
                               skein_error *err)
{
    skein_rc rc = skn_draft_close_groups(d, targets, count, err);

    if (rc == SKEIN_OK && *count)
        qsort(*targets, *count, sizeof **targets, by_place);
    return rc;
}

skein_rc skn_draft_splits(skn_draft *d, const skn_target *before, bool *splits,
                          skein_error *err)
{
    const skein_message *m = &before->message;
    skn_ids              kin;
    halves               all = {0};
    skein_rc             rc;

    *splits = false;
    if (!m->tool_call_id.p)
        return SKEIN_OK;
    if ((rc = skn_conversation_kin(d->tx, &d->conversation, d->a, &kin, err)) ||
        (rc = find_halves(&d->trees, &before->lane->from, &kin, m->tool_call_id, &all, err)))
        return rc;
    for (size_t i = 0; i < all.n; i++)
        *splits = *splits || (all.p[i].message == m->id.v && all.p[i].partner);
    return SKEIN_OK;
}
