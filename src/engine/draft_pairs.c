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

skein_rc skn_open_calls(skn_trees *f, const skn_thread *t, const skn_ids *kin, skn_str call_id,
                        int64_t *open, int64_t *caller, skein_error *err)
{
    halves   all = {0};
    skein_rc rc = find_halves(f, t, kin, call_id, &all, err);

    *open = 0;
    *caller = 0;
    for (size_t i = 0; rc == SKEIN_OK && i < all.n; i++) {
        if (all.p[i].is_result)
            continue;
        if (*open == 0 || all.p[i].partner == 0)
            *caller = all.p[i].message;
        *open += all.p[i].partner == 0;
    }
    return rc;
}

/* --- Closure --------------------------------------------------------------------------------------- */

typedef struct closing {
    skn_draft *d;
    skn_ids    kin;
    skn_map   *in; /* message id -> anything: already selected */
    skn_vec(skn_target) all;
    const skn_thread *thread;
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

/* A pair is looked for in the room, or else in the delegation that holds the message. */
static skein_rc find_home(const closing *c, const skn_target *t, const skn_thread **home,
                          skein_error *err)
{
    skn_draft *d = c->d;
    int64_t    at;
    skein_rc   rc = skn_thread_position(&d->trees, c->thread, &t->places, &at, err);

    *home = c->thread;
    for (size_t i = 0; rc == SKEIN_OK && at < 0 && i < d->lane_count; i++) {
        if (d->lanes[i].lane.parent_id == 0)
            continue;
        *home = &d->lanes[i].from;
        rc = skn_thread_position(&d->trees, *home, &t->places, &at, err);
    }
    return rc;
}

static skein_rc add_partners(closing *c, const skn_thread *home, int64_t message,
                             skn_str call_id, skein_error *err)
{
    halves   found = {0};
    skein_rc rc = find_halves(&c->d->trees, home, &c->kin, call_id, &found, err);

    for (size_t i = 0; rc == SKEIN_OK && i < found.n; i++)
        if (found.p[i].message == message && found.p[i].partner)
            rc = add_partner(c, found.p[i].partner, err);
    return rc;
}

typedef struct placed {
    skn_target target;
    int64_t    position;
} placed;

static int by_place(const void *x, const void *y)
{
    const placed *a = x, *b = y;

    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->target.message.id.v < b->target.message.id.v ? -1 : 1;
}

static skein_rc in_order(closing *c, skn_target **targets, skein_error *err)
{
    placed  *p = SKN_ARRAY(c->d->a, c->all.n, placed);
    skein_rc rc;

    for (size_t i = 0; i < c->all.n; i++) {
        p[i].target = c->all.p[i];
        rc = skn_thread_position(&c->d->trees, c->thread, &p[i].target.places, &p[i].position,
                                 err);
        if (rc)
            return rc;
        if (p[i].position < 0)
            p[i].position = INT64_MAX; /* only in a delegation */
    }
    qsort(p, c->all.n, sizeof *p, by_place);
    *targets = SKN_ARRAY(c->d->a, c->all.n, skn_target);
    for (size_t i = 0; i < c->all.n; i++)
        (*targets)[i] = p[i].target;
    return SKEIN_OK;
}

skein_rc skn_draft_close_pairs(skn_draft *d, skn_target **targets, size_t *count,
                               skein_error *err)
{
    closing  c = {.d = d, .in = skn_map_new(d->a), .thread = &d->main->from};
    skein_rc rc;

    if ((rc = skn_conversation_kin(d->tx, &d->conversation, d->a, &c.kin, err)))
        return rc;
    for (size_t i = 0; i < *count; i++) {
        void **slot = skn_map_slot_int(c.in, (*targets)[i].message.id.v);

        if (*slot)
            continue;
        *slot = d;
        skn_vec_add(d->a, &c.all, (*targets)[i]);
    }
    for (size_t i = 0; i < c.all.n; i++) { /* grows while it runs, until nothing is missing */
        skein_message     m = c.all.p[i].message;
        const skn_thread *home;

        if (!m.tool_call_id.p && m.call_count == 0)
            continue;
        if ((rc = find_home(&c, &c.all.p[i], &home, err)) ||
            (m.tool_call_id.p && (rc = add_partners(&c, home, m.id.v, m.tool_call_id, err))))
            return rc;
        for (size_t k = 0; k < m.call_count; k++)
            if ((rc = add_partners(&c, home, m.id.v, m.calls[k].call_id, err)))
                return rc;
    }
    *count = c.all.n;
    return in_order(&c, targets, err);
}
