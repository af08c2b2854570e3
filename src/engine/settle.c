/* settle.c: how work ends: a turn is closed with its delivery, and when nothing is left to do, what
 * waited is said. All in the transaction that ended it, so nobody has to watch. */
#include "engine/chat_work.h"

#include <assert.h>

void skn_working_in(skn_working *w, skein_engine *e, skn_tx *tx, skn_arena *a,
                    const skn_conversation_row *chat, int64_t now)
{
    *w = (skn_working){.e = e, .tx = tx, .a = a, .chat = *chat, .now = now};
}

skein_rc skn_working_take(skn_working *w, skein_engine *e, skn_tx *tx, skn_arena *a,
                          skein_conversation_id chat, skein_error *err)
{
    skn_conversation_row row;
    skein_rc             rc = skn_conversation_take(tx, chat, a, &row, err);

    if (rc == SKEIN_OK)
        skn_working_in(w, e, tx, a, &row, SKN_NOW());
    return rc;
}

skein_rc skn_working_done(const skn_working *w, skein_rc rc)
{
    assert(rc || w->over.n == 0);
    return rc;
}

/* --- Closing --------------------------------------------------------------------------------------------- */

void skn_note_over(skn_working *w, skn_str cause)
{
    for (size_t i = 0; i < w->over.n; i++)
        if (skn_str_eq(w->over.p[i], cause))
            return;
    skn_vec_add(w->a, &w->over, cause);
}

static skein_rc drop(skn_working *w, const skn_delivery_row *d, skein_error *err)
{
    skein_rc rc = skn_delivery_set(w->tx, d->id, SKN_DROPPED, SKN_NONE, w->now, err);

    skn_note_over(w, d->cause);
    skn_tell_delivered(w, d->message_uid, d->agent_name, "inMemory", d->cause);
    return rc;
}

/* Work that came for an agent in the moment in which it was removed is nobody's. */
skein_rc skn_sweep(skn_working *w, skn_delivery_rows *left, skein_error *err)
{
    size_t   n = 0;
    skein_rc rc = skn_delivery_pending(w->tx, w->chat.id, w->a, left, err);

    for (size_t i = 0; rc == SKEIN_OK && i < left->count; i++) {
        if (left->at[i].agent_gone && left->at[i].state == SKN_QUEUED)
            rc = drop(w, &left->at[i], err);
        else
            left->at[n++] = left->at[i];
    }
    left->count = n;
    return rc;
}

skein_rc skn_turn_shut(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                       skn_delivery_state delivery, skn_str error, skein_error *err)
{
    const skein_turn *t = &row->turn;
    skein_rc          rc;

    if ((rc = skn_turn_close(w->tx, t->id, state, error, w->now, err)) ||
        (rc = skn_delivery_set(w->tx, row->delivery_id, delivery, error, w->now, err)))
        return rc;
    skn_note_over(w, t->cause);
    skn_tell_delivered(w, t->trigger_uid, t->agent_name,
                       delivery == SKN_ANSWERED     ? "answered"
                       : delivery == SKN_UNANSWERED ? "failed"
                                                    : "inMemory",
                       t->cause);
    return SKEIN_OK;
}

/* --- Stopping --------------------------------------------------------------------------------------------- */

static const skein_partial *partial_of(const skein_stop *what, int64_t turn)
{
    for (size_t i = 0; what && i < what->partial_count; i++)
        if (what->partials[i].turn == turn)
            return &what->partials[i];
    return NULL;
}

/* What cannot be stored was not written. */
skein_rc skn_keep_partial(skn_working *w, const skein_turn *t, const skein_partial *p,
                          bool *kept, skein_error *err)
{
    skein_new_message    n = {.uid = t->message_uid,
                              .role = SKEIN_ASSISTANT,
                              .sender = t->agent_name,
                              .content = p->text,
                              .thinking = p->thinking,
                              .reply_to = t->trigger_uid,
                              .model = t->model,
                              .turn_uid = t->uid};
    skein_append_request r = {.conversation = {w->chat.id}, .messages = &n, .count = 1};
    skein_messages       stored;
    skein_rc             rc;

    *kept = skn_str_trim(p->text).n > 0 && skn_check_new(w->e, &n, NULL) == SKEIN_OK;
    if (!*kept)
        return SKEIN_OK;
    rc = skn_append_in(w->e, w->tx, &w->chat, &r, w->now, w->a, &stored, err);
    *kept = rc == SKEIN_OK;
    if (rc)
        return rc == SKEIN_CONFLICT ? SKEIN_OK : rc; /* its id was taken */
    skn_tell_completed(w, t, &stored.at[0], SKN_STR("stopped"), -1, -1);
    return SKEIN_OK;
}

static skein_rc cancel_turn(skn_working *w, const skn_turn_row *row, const skein_stop *what,
                            skein_error *err)
{
    const skein_turn    *t = &row->turn;
    const skein_partial *p = partial_of(what, t->id);
    bool                 kept = false;
    skein_rc             rc = p ? skn_keep_partial(w, t, p, &kept, err) : SKEIN_OK;

    if (rc)
        return rc;
    if (!kept && row->open_calls == 0) /* else its next message has not been begun */
        skn_tell_withdrawn(w, t);
    rc = skn_turn_shut(w, row, SKEIN_TURN_CANCELLED, SKN_DROPPED, SKN_NONE, err);
    skn_tell_agent(w, t->agent_name, "idle", t->cause);
    return rc;
}

skein_rc skn_work_cancel(skn_working *w, int64_t agent, const skein_stop *what,
                         int64_t *stopped, skein_error *err)
{
    skn_turn_rows     turns;
    skn_delivery_rows rows;
    skein_rc          rc;

    *stopped = 0;
    if ((rc = skn_turn_open_rows(w->tx, 0, w->chat.id, w->a, &turns, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < turns.count; i++)
        if (agent == 0 || turns.at[i].turn.agent.v == agent) {
            rc = cancel_turn(w, &turns.at[i], what, err);
            *stopped += 1;
        }
    if (rc || (rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        if (agent == 0 || rows.at[i].agent_id == agent) {
            rc = drop(w, &rows.at[i], err);
            *stopped += 1;
        }
    return rc;
}

/* --- Settling ------------------------------------------------------------------------------------------------ */

static bool has_cause(const skn_delivery_rows *rows, skn_str cause)
{
    for (size_t i = 0; i < rows->count; i++)
        if (skn_str_eq(rows->at[i].cause, cause))
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
    skn_note_over(w, rc ? row->message.uid : said.message.uid);
    return skn_tell_queue(w, rc ? row->message.uid : said.message.uid, err);
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
    return rc || left.count > 0 ? rc : say_next(w, err);
}
