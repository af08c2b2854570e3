/* turn.c: taking work: what is due, opening a turn for it, and holding on to it. */
#include "engine/work/act.h"

#include <stdlib.h>

/* --- What is due --------------------------------------------------------------------------------------------- */

skein_rc skn_due(skn_tx *tx, size_t limit, skn_arena *a, skein_dues *out, skein_error *err)
{
    skein_rc rc = skn_delivery_due(tx, limit, a, out, err);

    return rc || out->count >= limit
               ? rc
               : skn_task_due(tx, limit - out->count, SKN_NOW(), a, out, err);
}

/* --- Beginning ------------------------------------------------------------------------------------------------- */

typedef struct begin_call {
    int64_t     delivery;
    skn_holding how;
    skein_turn *out;
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
    skn_tell_state(w, &row.turn, "thinking", SKN_NONE);
    skn_tell_started(w, &row.turn);
    return SKEIN_OK;
}

static skein_rc begin_turn(skn_working *w, void *arg, skein_error *err)
{
    begin_call      *c = arg;
    skn_delivery_row d;
    bool             found, busy;
    skein_rc         rc;

    if ((rc = skn_delivery_get(w->tx, c->delivery, w->a, &d, &found, err)))
        return rc;
    if (!found)
        return not_due(err);
    rc = skn_working_hold(w, (skein_conversation_id){d.conversation_id}, err);
    if (skn_is_gone(rc))
        return not_due(err);
    /* Again, now that nobody else can change it. */
    if (rc || (rc = skn_delivery_get(w->tx, c->delivery, w->a, &d, &found, err)) ||
        (rc = is_open(w, &d, &busy, err)))
        return rc;
    if (d.state != SKN_QUEUED || d.agent_gone || d.agent_paused || busy)
        return not_due(err);
    return skn_turn_open(w, &d, &c->how, c->out, err);
}

skein_rc skn_holding_check(const skn_holding *how, skein_error *err)
{
    skein_rc rc;

    if ((rc = skn_check_word(how->holder, "the holder", SKN_WORD_MAX, err)) ||
        (rc = skn_check_given(how->model, "the model's name", SKN_WORD_MAX, err)))
        return rc;
    if (how->lease_ms < 1 || how->lease_ms > SKN_LEASE_MAX / 1000)
        return skn_fail(err, SKEIN_INVALID, "a lease is 1 ms to a day");
    return SKEIN_OK;
}

skein_rc skein_turn_begin(skein_engine *e, int64_t delivery, skein_str holder, skein_str model,
                          int64_t lease_ms, skein_mem *mem, skein_turn *out, skein_error *err)
{
    begin_call c = {delivery, {holder, model, lease_ms}, out};
    skein_rc   rc = skn_holding_check(&c.how, err);

    *out = (skein_turn){0};
    return rc ? rc : skn_write(e, mem, begin_turn, &c, err);
}

/* --- Holding on -------------------------------------------------------------------------------------------------- */

typedef struct renew_call {
    const skein_turn **turns; /* by id: all callers change several rows in this order */
    const skein_turn  *first;
    size_t             count;
    int64_t            lease_ms;
    bool              *kept;
} renew_call;

SKN_ORDER_OF(by_id, skein_turn, id, id)

static skein_rc renew_turns(skn_working *w, void *arg, skein_error *err)
{
    renew_call *c = arg;
    int64_t     until = SKN_NOW() + c->lease_ms * 1000;
    skein_rc    rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++) {
        const skein_turn *t = c->turns[i];

        rc = skn_turn_renew(w->tx, t->id, t->fence, until, &c->kept[t - c->first], err);
    }
    return rc;
}

skein_rc skein_turns_renew(skein_engine *e, const skein_turn *turns, size_t count,
                           int64_t lease_ms, bool *kept, skein_error *err)
{
    renew_call c = {.first = turns, .count = count, .lease_ms = lease_ms, .kept = kept};
    skn_arena *a;
    skein_rc   rc;

    if (count == 0)
        return SKEIN_OK;
    a = skn_arena_new();
    c.turns = SKN_ARRAY(a, count, const skein_turn *);
    for (size_t i = 0; i < count; i++)
        c.turns[i] = &turns[i];
    qsort(c.turns, count, sizeof *c.turns, by_id);
    rc = skn_write(e, a, renew_turns, &c, err);
    skn_arena_free(a);
    return rc;
}

/* The activity of an agent between the steps of its turn, for display: it writes, or waits for its model. Stored
 * beside the steps, so it may come late: what was stored meanwhile counts. */

typedef struct doing_call {
    const skein_turn *turn;
    skn_str           whom;
    int64_t           until;
    skn_turn_row      row;
} doing_call;

/* The turn, if it is still at the message that this is about. */
static skein_rc take_turn(skn_working *w, doing_call *c, bool *same, skein_error *err)
{
    skein_rc rc = skn_turn_take(w, c->turn, &c->row, err);

    *same = !rc && c->row.open_calls == 0 && !c->row.turn.writing &&
            skn_str_eq(c->row.turn.message_uid, c->turn->message_uid);
    return rc;
}

static skein_rc writing(skn_working *w, void *arg, skein_error *err)
{
    doing_call *c = arg;
    bool        same;
    skein_rc    rc = take_turn(w, c, &same, err);

    if (rc || !same)
        return rc;
    c->row.turn.writing = true;
    c->row.turn.tool = SKN_NONE;
    c->row.turn.waits = SKEIN_WAITS_NOT;
    c->row.turn.waits_until = 0;
    skn_tell_doing(w, &c->row.turn, SKN_NONE);
    return skn_turn_write(w->tx, c->row.turn.id, err);
}

skein_rc skein_turn_writing(skein_engine *e, const skein_turn *turn, skein_error *err)
{
    doing_call c = {.turn = turn};

    return skn_write(e, NULL, writing, &c, err);
}

static skein_rc pause_turn(skn_working *w, void *arg, skein_error *err)
{
    doing_call *c = arg;
    skein_turn *t = &c->row.turn;
    bool        same, waits = c->whom.n != 0;
    skein_rc    rc = take_turn(w, c, &same, err);

    if (rc || !same ||
        (waits && ((c->until && c->until <= w->now) || t->waits == SKEIN_WAITS_FOR_PERSON)) ||
        (!waits && t->waits != SKEIN_WAITS_FOR_MODEL))
        return rc;
    t->tool = waits ? c->whom : SKN_NONE;
    t->waits = waits ? SKEIN_WAITS_FOR_MODEL : SKEIN_WAITS_NOT;
    t->waits_until = c->until;
    skn_tell_doing(w, t, SKN_NONE);
    return skn_turn_move(w->tx, &c->row, err);
}

skein_rc skein_turn_pause(skein_engine *e, const skein_turn *turn, skein_str whom,
                          int64_t until, skein_error *err)
{
    doing_call c = {.turn = turn, .whom = whom, .until = until};
    skein_rc   rc = whom.n ? skn_check_word(whom, "whom it waits for", SKN_WORD_MAX, err)
                           : SKEIN_OK;

    return rc ? rc : skn_write(e, NULL, pause_turn, &c, err);
}

/* Turns that outlive the program that spoke for their agent. In a turn that waits for a person nothing runs,
 * so the next program can continue it, and no tool runs twice. */

/* --- Which they are --------------------------------------------------------------------------------------------- */

/* A resume_call that was allowed may have been begun: the row of the question says so before it is. */
static bool is_unbegun(const skn_inbox_row *asked)
{
    const skein_inbox_item *i = &asked->item;

    return !i->answer.p || skn_str_is(i->answer, "denied") || skn_approval_rests(asked);
}

/* The resume_call of the turn's last message that a person was asked about, as long as it was neither begun nor ended. */
static skein_rc find_asked(skn_working *w, const skn_turn_row *row, skn_str *call_id,
                           skein_error *err)
{
    skn_inbox_row asked;
    int64_t       results = 0;
    bool          found;
    skein_rc      rc = skn_inbox_asked(w->tx, row->turn.id, w->a, &asked, &found, err);

    *call_id = SKN_NONE;
    if (rc || !found || asked.work_message_id != row->step_message_id || !is_unbegun(&asked))
        return rc;
    rc = skn_call_results(w->tx, row->step_message_id, asked.item.call_id, &results, err);
    if (!rc && results == 0)
        *call_id = asked.item.call_id;
    return rc;
}

/* A turn that waits for delegations, and for nothing else, waits as long as one of them does. */
static skein_rc waits_below(skn_working *w, const skn_turn_row *row, bool *waits,
                            skein_error *err)
{
    skn_delegation_rows below;
    skn_turn_row        child;
    bool                open;
    skein_rc            rc = skn_delegation_waited(w->tx, row->turn.id, w->a, &below, err);

    for (size_t i = 0;
         !rc && !*waits && (int64_t)below.count == row->open_calls && i < below.count; i++) {
        const skn_lane_row *lane = &below.at[i].lane;

        rc = skn_turn_open_on(w->tx, w->chat.id, lane->agent_id, lane->id, w->a, &child, &open,
                              err);
        if (!rc && open)
            rc = skn_turn_waits(w, &child, waits, err);
    }
    return rc;
}

skein_rc skn_turn_waits(skn_working *w, const skn_turn_row *row, bool *waits, skein_error *err)
{
    skn_str  call_id = SKN_NONE;
    skein_rc rc = SKEIN_OK;

    *waits = false;
    if (row->open_calls > 0 && !w->silent)
        rc = find_asked(w, row, &call_id, err);
    *waits = call_id.n > 0;
    return rc || *waits || row->open_calls == 0 || w->silent ? rc
                                                             : waits_below(w, row, waits, err);
}

/* --- Putting turns down at an orderly end ------------------------------------------------------------------------- */

typedef struct resume_call {
    const skein_turn *turn;
    skein_turn_rest  *rest;
    bool              put;
} resume_call;

static skein_rc put_down(skn_working *w, void *arg, skein_error *err)
{
    resume_call *c = arg;
    skn_turn_row row;
    skein_rc     rc;

    if ((rc = skn_turn_take(w, c->turn, &row, err)) ||
        (rc = skn_turn_waits(w, &row, &c->put, err)) || !c->put)
        return rc;
    return skn_turn_renew(w->tx, row.turn.id, row.turn.fence, 0, &c->put, err);
}

skein_rc skein_turn_put_down(skein_engine *e, const skein_turn *turn, bool *put,
                             skein_error *err)
{
    resume_call c = {.turn = turn};
    skein_rc    rc = skn_write(e, NULL, put_down, &c, err);

    *put = !rc && c.put;
    return rc;
}

/* --- Taking turns over ---------------------------------------------------------------------------------------------- */

skein_rc skn_turn_take_over(skn_working *w, const skn_turn_row *row, const skn_holding *how,
                            skein_mem *mem, skein_turn *out, skein_error *err)
{
    skn_turn_row now;
    bool         found;
    skein_rc rc = skn_turn_hold(w->tx, row->turn.id, how->holder, w->now + how->lease_ms * 1000,
                                err);

    if (!rc && !(rc = skn_turn_get(w->tx, row->turn.id, mem, &now, &found, err)))
        *out = now.turn;
    return rc;
}

/* Where the turn stands: at the resume_call that is asked about, or behind them all. */
static skein_rc read_rest(skn_working *w, void *arg, skein_error *err)
{
    resume_call        *c = arg;
    skein_turn_rest    *out = c->rest;
    skn_delegation_rows below;
    skein_message       m;
    skn_turn_row        row;
    skn_str             call_id;
    bool                found;
    skein_rc            rc;

    if ((rc = skn_turn_take(w, c->turn, &row, err)) ||
        (rc = find_asked(w, &row, &call_id, err)) ||
        (rc = skn_delegation_waited(w->tx, row.turn.id, w->a, &below, err)) ||
        (rc = skn_message_get(w->tx, row.step_message_id, w->a, &m, &found, err)))
        return rc;
    *out = (skein_turn_rest){
        .calls = m.calls, .count = m.call_count, .next = m.call_count, .begun = below.count};
    for (size_t i = m.call_count; call_id.n && i-- > 0;)
        if (skn_str_eq(m.calls[i].call_id, call_id))
            out->next = i;
    return SKEIN_OK;
}

skein_rc skein_turn_rest_read(skein_engine *e, const skein_turn *turn, skein_mem *mem,
                              skein_turn_rest *out, skein_error *err)
{
    resume_call c = {.turn = turn, .rest = out};

    *out = (skein_turn_rest){0};
    return skn_write(e, mem, read_rest, &c, err);
}
