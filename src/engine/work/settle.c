/* settle.c: how work ends: a turn is closed with its delivery, and when nothing is left to do, what
 * waited is said. All in the transaction that ended it, so nobody has to watch. */
#include "engine/work/act.h"

void skn_working_at(skn_working *w, const skn_conversation_row *chat)
{
    *w = (skn_working){.e = w->e, .tx = w->tx, .a = w->a, .now = w->now, .chat = *chat};
}

/* After waiting for the lock, the time is that at which it was taken. */
skein_rc skn_working_hold(skn_working *w, skein_conversation_id chat, skein_error *err)
{
    skn_conversation_row row;
    skein_rc             rc = skn_conversation_take(w->tx, chat, w->a, &row, err);

    if (rc)
        return rc;
    skn_working_at(w, &row);
    w->now = SKN_NOW();
    return SKEIN_OK;
}

/* --- Closing --------------------------------------------------------------------------------------------- */

void skn_note_over(skn_working *w, skn_str cause)
{
    for (size_t i = 0; i < w->over.n; i++)
        if (skn_str_eq(w->over.p[i], cause))
            return;
    skn_vec_add(w->a, &w->over, cause);
}

skein_rc skn_work_drop(skn_working *w, const skn_delivery_row *d, skein_error *err)
{
    skein_rc rc = skn_delivery_set(w->tx, d->id, SKN_DROPPED, SKN_NONE, w->now, err);

    skn_note_over(w, d->cause);
    skn_tell_delivered(w, d->message_uid, d->agent_name, "inMemory", d->cause);
    return rc || !d->lane_id ? rc : skn_delegation_dropped(w, d, err);
}

/* Somebody stops what waits to be answered. The delegation reports that it was stopped. */
static skein_rc stop_waiting(skn_working *w, const skn_delivery_row *d, skein_error *err)
{
    skein_rc rc;

    if (d->lane_id)
        return skn_work_drop(w, d, err);
    rc = skn_delivery_set(w->tx, d->id, SKN_DROPPED, SKN_WAS_STOPPED, w->now, err);
    skn_note_over(w, d->cause);
    skn_tell_stopped(w, d->message_uid, d->agent_name, d->cause);
    return rc;
}

/* Work that came for an agent in the moment in which it was removed is nobody's. That it will not be done may
 * be work for who asked for it. */
skein_rc skn_sweep(skn_working *w, skn_delivery_rows *left, skein_error *err)
{
    bool     dropped = false;
    skein_rc rc = skn_delivery_pending(w->tx, w->chat.id, w->a, left, err);

    for (size_t i = 0; rc == SKEIN_OK && i < left->count; i++)
        if (left->at[i].agent_gone && left->at[i].state == SKN_QUEUED) {
            rc = skn_work_drop(w, &left->at[i], err);
            dropped = true;
        }
    return rc || !dropped ? rc : skn_delivery_pending(w->tx, w->chat.id, w->a, left, err);
}

bool skn_is_resting(const skn_delivery_row *d)
{
    return d->state == SKN_QUEUED && d->agent_paused;
}

size_t skn_in_room(const skn_delivery_rows *rows)
{
    size_t n = 0;

    for (size_t i = 0; i < rows->count; i++)
        n += rows->at[i].lane_id == 0 && !skn_is_resting(&rows->at[i]);
    return n;
}

static skein_lane_state lane_state(skein_turn_state state)
{
    static const skein_lane_state states[] = {
        [SKEIN_TURN_OPEN] = SKEIN_LANE_RUNNING,
        [SKEIN_TURN_COMMITTED] = SKEIN_LANE_DONE,
        [SKEIN_TURN_FAILED] = SKEIN_LANE_FAILED,
        [SKEIN_TURN_CANCELLED] = SKEIN_LANE_CANCELLED,
        [SKEIN_TURN_INTERRUPTED] = SKEIN_LANE_INTERRUPTED,
    };

    return states[state];
}

/* What was worked on is over with its turn. */
static skein_rc end_work(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                         skn_str error, skein_error *err)
{
    skn_str  text = error;
    int64_t  words = 0;
    skein_rc rc = skn_approvals_close(w, row, err);

    if (rc == SKEIN_OK && row->turn.lane.v)
        rc = skn_delegation_over(w, row, lane_state(state), error, err);
    if (rc || row->turn.task == 0)
        return rc;
    if (state == SKEIN_TURN_COMMITTED &&
        (rc = skn_turn_words(w, &row->turn, &text, &words, err)))
        return rc;
    return skn_task_over(w, row, state, text, words, err);
}

/* Closes it, and none that it waits for. */
static skein_rc shut(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                     skn_delivery_state delivery, skn_str error, skein_error *err)
{
    const skein_turn *t = &row->turn;
    skein_rc          rc;

    if ((rc = skn_turn_lose_calls(w, row, err)) ||
        (rc = skn_turn_close(w->tx, t->id, state, error, w->now, err)) ||
        (rc = skn_written_drop(w->tx, t->id, err)) ||
        (rc = skn_delivery_set(w->tx, row->delivery_id, delivery, error, w->now, err)))
        return rc;
    skn_note_over(w, t->cause);
    if (!t->lane.v && delivery == SKN_DROPPED && skn_str_eq(error, SKN_WAS_STOPPED))
        skn_tell_stopped(w, t->trigger_uid, t->agent_name, t->cause);
    else
        skn_tell_delivered(w, t->trigger_uid, t->agent_name,
                           delivery == SKN_ANSWERED     ? "answered"
                           : delivery == SKN_UNANSWERED ? "failed"
                                                        : "inMemory",
                           t->cause);
    return end_work(w, row, state, error, err);
}

/* --- Delegations that nobody waits for any more ------------------------------------------------------------ */

/* What it had written is kept, or else withdrawn. */
static skein_rc withdraw(skn_working *w, const skn_turn_row *row, skein_error *err)
{
    bool     kept;
    skein_rc rc = skn_keep_written(w, row, SKEIN_STOPPED, &kept, err);

    if (rc)
        return rc;
    if (!kept && row->open_calls == 0) /* else its next message has not been begun */
        skn_tell_withdrawn(w, &row->turn);
    rc = shut(w, row, SKEIN_TURN_CANCELLED, SKN_DROPPED,
              kept || row->turn.lane.v ? SKN_NONE : SKN_WAS_STOPPED, err);
    w->withdrawn++;
    skn_tell_state(w, &row->turn, "idle", SKN_NONE);
    return rc;
}

skein_rc skn_lane_cancel(skn_working *w, const skn_delegation_row *d, int64_t *turn,
                         skein_error *err)
{
    skn_turn_row      row;
    skn_delivery_rows queued;
    bool              open;
    skein_rc          rc;

    *turn = 0;
    if ((rc = skn_turn_open_on(w->tx, w->chat.id, d->lane.agent_id, d->lane.id, w->a, &row,
                               &open, err)) ||
        (rc = skn_delivery_pending_on(w->tx, w->chat.id, d->lane.id, w->a, &queued, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < queued.count; i++)
        if (queued.at[i].state == SKN_QUEUED)
            rc = skn_work_drop(w, &queued.at[i], err);
    if (rc || !open)
        return rc;
    *turn = row.turn.id;
    return withdraw(w, &row, err);
}

/* What a turn waits for, down level by level. */
typedef skn_vec(skn_delegation_row) delegation_vec;

static skein_rc find_below(skn_working *w, int64_t turn, delegation_vec *out, skein_error *err)
{
    skn_delegation_rows rows;
    skn_turn_row        row;
    bool                open;
    skein_rc            rc = SKEIN_OK;
    skn_vec(int64_t) turns = {0};

    skn_vec_add(w->a, &turns, turn);
    for (size_t i = 0; rc == SKEIN_OK && i < turns.n; i++) {
        rc = skn_delegation_waited(w->tx, turns.p[i], w->a, &rows, err);
        for (size_t k = 0; rc == SKEIN_OK && k < rows.count; k++) {
            const skn_lane_row *lane = &rows.at[k].lane;

            skn_vec_add(w->a, out, rows.at[k]);
            rc = skn_turn_open_on(w->tx, w->chat.id, lane->agent_id, lane->id, w->a, &row,
                                  &open, err);
            if (rc == SKEIN_OK && open)
                skn_vec_add(w->a, &turns, row.turn.id);
        }
    }
    return rc;
}

/* From the bottom up, so that each end can be the result of a call before the turn that made the call is
 * closed. Nobody is woken: they are all closed. */
static skein_rc cancel_below(skn_working *w, int64_t turn, skein_error *err)
{
    bool           hushed = w->hushed;
    delegation_vec below = {0};
    skein_rc       rc = find_below(w, turn, &below, err);

    w->hushed = true;
    w->results = true;
    for (size_t i = below.n; rc == SKEIN_OK && i-- > 0;)
        rc = skn_lane_cancel(w, &below.p[i], &turn, err);
    w->hushed = hushed;
    w->results = false;
    return rc;
}

skein_rc skn_turn_shut(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                       skn_delivery_state delivery, skn_str error, skein_error *err)
{
    skein_rc rc = state == SKEIN_TURN_COMMITTED || state == SKEIN_TURN_INTERRUPTED
                      ? SKEIN_OK
                      : cancel_below(w, row->turn.id, err);

    return rc ? rc : shut(w, row, state, delivery, error, err);
}

/* --- Stopping --------------------------------------------------------------------------------------------- */

skein_rc skn_turn_cancel(skn_working *w, const skn_turn_row *row, skein_error *err)
{
    skein_rc rc = cancel_below(w, row->turn.id, err);

    return rc ? rc : withdraw(w, row, err);
}

/* One that was closed with another before is left as it is. */
static skein_rc cancel_open(skn_working *w, int64_t turn, skein_error *err)
{
    skn_turn_row row;
    bool         found;
    skein_rc     rc = skn_turn_get(w->tx, turn, w->a, &row, &found, err);

    return rc || !found || row.turn.state != SKEIN_TURN_OPEN ? rc
                                                             : skn_turn_cancel(w, &row, err);
}

skein_rc skn_work_cancel(skn_working *w, int64_t agent, const skein_stop *what,
                         int64_t *stopped, skein_error *err)
{
    skn_turn_rows     turns;
    skn_delivery_rows rows;
    skein_rc          rc;

    *stopped = 0;
    w->written = what;
    w->withdrawn = 0;
    w->hushed = agent == 0;
    if ((rc = skn_turn_open_rows(w->tx, 0, w->chat.id, w->a, &turns, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < turns.count; i++)
        if (agent == 0 || turns.at[i].turn.agent.v == agent)
            rc = cancel_open(w, turns.at[i].turn.id, err);
    *stopped = w->withdrawn;
    if (rc || (rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        if (agent == 0 || rows.at[i].agent_id == agent) {
            rc = stop_waiting(w, &rows.at[i], err);
            *stopped += 1;
        }
    w->hushed = false;
    return rc;
}

/* --- Settling ------------------------------------------------------------------------------------------------ */

static bool has_cause(const skn_delivery_rows *rows, skn_str cause)
{
    for (size_t i = 0; i < rows->count; i++)
        if (skn_str_eq(rows->at[i].cause, cause) && !skn_is_resting(&rows->at[i]))
            return true;
    return false;
}

/* Is it the message that cannot be said, and not the store that cannot store it? */
static bool is_refusal(skein_rc rc)
{
    return rc == SKEIN_INVALID || rc == SKEIN_LIMIT || rc == SKEIN_NOT_FOUND;
}

/* Says the first that waits, or takes it out when it cannot be said: it must not hold up the rest. */
static skein_rc say_first(skn_working *w, const skn_waiting_row *row, bool *answered,
                          skein_error *err)
{
    skein_posted said;
    skein_rc     rc = skn_say_waiting(w, row, true, &said, err);

    if (rc && !is_refusal(rc))
        return rc;
    *answered = rc == SKEIN_OK && said.waiting > 0;
    skn_note_over(w, rc ? row->uid : said.message.uid);
    return skn_tell_queue(w, rc ? row->uid : said.message.uid, err);
}

/* Says what waits, one after the other, until somebody has to answer. */
static skein_rc say_next(skn_working *w, skein_error *err)
{
    skn_delivery_rows left;
    skn_waiting_row   row;
    bool              found, answered = false;
    skein_rc          rc;

    while (!answered) {
        if ((rc = skn_waiting_first(w->tx, w->chat.id, w->a, &row, &found, err)) || !found ||
            (rc = say_first(w, &row, &answered, err)) || (rc = skn_tell_over(w, &left, err)))
            return rc;
    }
    return SKEIN_OK;
}

skein_rc skn_tell_over(skn_working *w, skn_delivery_rows *left, skein_error *err)
{
    skein_rc rc = skn_sweep(w, left, err);

    for (size_t i = 0; rc == SKEIN_OK && i < w->over.n; i++)
        if (!has_cause(left, w->over.p[i]))
            rc = skn_tell_idle(w, w->over.p[i], left, err);
    w->over.n = 0;
    return rc;
}

skein_rc skn_settle(skn_working *w, skein_error *err)
{
    skn_delivery_rows left;
    skein_rc          rc;

    if (w->silent) {
        w->over.n = 0;
        return SKEIN_OK;
    }
    rc = skn_tell_over(w, &left, err);
    return rc || skn_in_room(&left) > 0 ? rc : say_next(w, err);
}
