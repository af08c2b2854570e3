/* turn.c: taking work: what is due, opening a turn for it, and holding on to it. */
#include "engine/chat_work.h"

#include <stdlib.h>

/* --- What is due --------------------------------------------------------------------------------------------- */

typedef struct due_call {
    size_t      limit;
    skein_mem  *mem;
    skein_dues *out;
} due_call;

skein_rc skn_due(skn_tx *tx, size_t limit, skn_arena *a, skein_dues *out, skein_error *err)
{
    skein_rc rc = skn_delivery_due(tx, limit, a, out, err);

    return rc || out->count >= limit
               ? rc
               : skn_task_due(tx, limit - out->count, SKN_NOW(), a, out, err);
}

static skein_rc work_due(skn_tx *tx, void *arg, skein_error *err)
{
    due_call *c = arg;

    return skn_due(tx, c->limit, c->mem, c->out, err);
}

skein_rc skein_work_due(skein_engine *e, size_t limit, skein_mem *mem, skein_dues *out,
                        skein_error *err)
{
    due_call c = {limit, mem, out};

    *out = (skein_dues){0};
    return skn_store_read(e->store, work_due, &c, err);
}

/* --- Beginning ------------------------------------------------------------------------------------------------- */

typedef struct begin_call {
    skein_engine *e;
    int64_t       delivery;
    skn_holding   how;
    skein_mem    *mem;
    skein_turn   *out;
} begin_call;

static skein_rc not_due(skein_error *err)
{
    return skn_fail(err, SKEIN_NOTHING, "this work is no longer due");
}

/* Is the agent at something else on the same lane? */
static skein_rc is_open(skn_working *w, const skn_delivery_row *d, bool *open, skein_error *err)
{
    skn_turn_row row;

    return skn_turn_open_on(w->tx, w->chat.id, d->agent_id, d->lane_id, w->a, &row, open, err);
}

skein_rc skn_turn_open(skn_working *w, const skn_delivery_row *d, const skn_holding *how,
                       skein_turn *out, skein_error *err)
{
    skn_turn_row row = {.turn = {.world = {w->chat.world_id},
                                 .chat = {w->chat.id},
                                 .agent = {d->agent_id},
                                 .lane = {d->lane_id},
                                 .task = d->task_id,
                                 .model = how->model,
                                 .cause = d->cause,
                                 .hops_left = d->hops_left,
                                 .since = w->now},
                        .delivery_id = d->id,
                        .trigger_id = d->message_id,
                        .lease_until = w->now + how->lease_ms * 1000};
    char         uid[11];
    bool         found;
    skein_rc     rc;

    skn_tx_uid(w->tx, uid);
    row.turn.message_uid = skn_str_of(uid);
    if ((rc = skn_delivery_set(w->tx, d->id, SKN_WORKING, SKN_NONE, w->now, err)) ||
        (rc = skn_turn_insert(w->tx, &row, how->holder, w->a, err)) ||
        (rc = skn_turn_get(w->tx, row.turn.id, w->a, &row, &found, err)))
        return rc;
    *out = row.turn;
    skn_tell_at_work(w, &row.turn, "thinking");
    skn_tell_started(w, &row.turn);
    return SKEIN_OK;
}

static skein_rc begin(skn_tx *tx, void *arg, skein_error *err)
{
    begin_call      *c = arg;
    skn_delivery_row d;
    skn_working      w;
    bool             found, busy;
    skein_rc         rc;

    if ((rc = skn_delivery_get(tx, c->delivery, c->mem, &d, &found, err)))
        return rc;
    if (!found)
        return not_due(err);
    rc = skn_working_take(&w, c->e, tx, c->mem, (skein_conversation_id){d.conversation_id},
                          err);
    if (skn_is_gone(rc))
        return not_due(err);
    /* Again, now that nobody else can change it. */
    if (rc || (rc = skn_delivery_get(tx, c->delivery, c->mem, &d, &found, err)) ||
        (rc = is_open(&w, &d, &busy, err)))
        return rc;
    if (d.state != SKN_QUEUED || d.agent_gone || d.agent_paused || busy)
        return not_due(err);
    return skn_turn_open(&w, &d, &c->how, c->out, err);
}

skein_rc skn_holding_check(const skn_holding *how, skein_error *err)
{
    skein_rc rc;

    if ((rc = skn_check_word(how->holder, "the holder", SKN_WORD_MAX, err)) ||
        (how->model.p &&
         (rc = skn_check_word(how->model, "the model's name", SKN_WORD_MAX, err))))
        return rc;
    if (how->lease_ms < 1 || how->lease_ms > SKN_LEASE_MAX / 1000)
        return skn_fail(err, SKEIN_INVALID, "a lease is 1 ms to a day");
    return SKEIN_OK;
}

skein_rc skein_turn_begin(skein_engine *e, int64_t delivery, skein_str holder, skein_str model,
                          int64_t lease_ms, skein_mem *mem, skein_turn *out, skein_error *err)
{
    begin_call c = {e, delivery, {holder, model, lease_ms}, mem, out};
    skein_rc   rc = skn_holding_check(&c.how, err);

    *out = (skein_turn){0};
    return rc ? rc : skn_store_write(e->store, begin, &c, err);
}

/* --- Holding on -------------------------------------------------------------------------------------------------- */

typedef struct renew_call {
    const skein_turn **turns; /* by id: whoever changes several rows does it in one order */
    const skein_turn  *first;
    size_t             count;
    int64_t            lease_ms;
    bool              *kept;
} renew_call;

static int by_id(const void *x, const void *y)
{
    const skein_turn *a = *(const skein_turn *const *)x, *b = *(const skein_turn *const *)y;

    return (a->id > b->id) - (a->id < b->id);
}

static skein_rc renew(skn_tx *tx, void *arg, skein_error *err)
{
    renew_call *c = arg;
    int64_t     until = SKN_NOW() + c->lease_ms * 1000;
    skein_rc    rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++) {
        const skein_turn *t = c->turns[i];

        rc = skn_turn_renew(tx, t->id, t->fence, until, &c->kept[t - c->first], err);
    }
    return rc;
}

skein_rc skein_turns_renew(skein_engine *e, const skein_turn *turns, size_t count,
                           int64_t lease_ms, bool *kept, skein_error *err)
{
    skn_arena *a;
    renew_call c = {.first = turns, .count = count, .lease_ms = lease_ms, .kept = kept};
    skein_rc   rc;

    if (count == 0)
        return SKEIN_OK;
    a = skn_arena_new();
    c.turns = SKN_ARRAY(a, count, const skein_turn *);
    for (size_t i = 0; i < count; i++)
        c.turns[i] = &turns[i];
    qsort(c.turns, count, sizeof *c.turns, by_id);
    rc = skn_store_write(e->store, renew, &c, err);
    skn_arena_free(a);
    return rc;
}
