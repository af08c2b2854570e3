/* turn_resume.c: turns that outlive the program that spoke for their agent. In a turn that waits for a person nothing runs,
 * so whoever comes next can go on with it, and no tool runs twice. */
#include "engine/act.h"

/* --- Which they are --------------------------------------------------------------------------------------------- */

/* A call that was allowed may have been begun: the row of the question says so before it is. */
static bool is_unbegun(const skn_inbox_row *asked)
{
    const skein_inbox_item *i = &asked->item;

    return !i->answer.p || skn_str_is(i->answer, "denied") || skn_approval_rests(asked);
}

/* The call of the turn's last message that a person was asked about, as long as it was neither begun nor ended. */
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

/* --- Put down, by whoever ends in order --------------------------------------------------------------------------- */

typedef struct call {
    skein_engine     *e;
    const skein_turn *turn;
    skein_mem        *mem;
    skein_turn_rest  *rest;
    bool              put;
} call;

static skein_rc put_down(skn_tx *tx, void *arg, skein_error *err)
{
    call        *c = arg;
    skn_turn_row row;
    skn_working  w;
    skein_rc     rc;

    if ((rc = skn_turn_take(&w, c->e, tx, c->mem, c->turn, &row, err)) ||
        (rc = skn_turn_waits(&w, &row, &c->put, err)) || !c->put)
        return rc;
    return skn_turn_renew(tx, row.turn.id, row.turn.fence, 0, &c->put, err);
}

skein_rc skein_turn_put_down(skein_engine *e, const skein_turn *turn, bool *put,
                             skein_error *err)
{
    call     c = {.e = e, .turn = turn, .mem = skn_arena_new()};
    skein_rc rc = skn_store_write(e->store, put_down, &c, err);

    *put = !rc && c.put;
    skn_arena_free(c.mem);
    return rc;
}

/* --- Taken up, by whoever comes next -------------------------------------------------------------------------------- */

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

/* Where the turn stands: at the call that is asked about, or behind them all. */
static skein_rc read_rest(skn_tx *tx, void *arg, skein_error *err)
{
    call               *c = arg;
    skein_turn_rest    *out = c->rest;
    skn_delegation_rows below;
    skein_message       m;
    skn_turn_row        row;
    skn_working         w;
    skn_str             call_id;
    bool                found;
    skein_rc            rc;

    if ((rc = skn_turn_take(&w, c->e, tx, c->mem, c->turn, &row, err)) ||
        (rc = find_asked(&w, &row, &call_id, err)) ||
        (rc = skn_delegation_waited(tx, row.turn.id, c->mem, &below, err)) ||
        (rc = skn_message_get(tx, row.step_message_id, c->mem, &m, &found, err)))
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
    call c = {.e = e, .turn = turn, .mem = mem, .rest = out};

    *out = (skein_turn_rest){0};
    return skn_store_write(e->store, read_rest, &c, err);
}
