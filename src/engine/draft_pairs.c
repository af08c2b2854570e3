/* draft_pairs.c: which messages belong to one tool exchange in a thread. The halves are found by
 * their call id, so that a change deep inside a long thread does not read the thread. */
#include "engine/core.h"

#include <stdlib.h>

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

static int by_position(const void *x, const void *y)
{
    const half *a = x, *b = y;

    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return (int)a->is_result - (int)b->is_result;
}

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

    if (rc || at < 0) /* in another lane, or replaced by an edited one */
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

/* The same from all halves, for threads in which messages were moved or an open call was edited. */
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

static int by_message(const void *x, const void *y)
{
    const half *a = x, *b = y;

    return (a->message > b->message) - (a->message < b->message);
}

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
static int by_place(const void *x, const void *y)
{
    const skn_target *a = x, *b = y;

    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    return (a->position > b->position) - (a->position < b->position);
}

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
