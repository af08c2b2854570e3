/* turn_stop.c: turns that end without a last word: failed, stopped, or left behind by a program that
 * went away. */
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/work/act.h"

/* --- Kept as a message -------------------------------------------------------------------------------------------- */

static skein_rc keep_call(skn_working *w, const skein_turn *t, const skein_model_call *call,
                          skn_str message, skein_error *err)
{
    skein_model_call k;

    if (!call)
        return SKEIN_OK;
    k = *call;
    k.agent = t->agent;
    k.turn = t->id;
    return skn_call_keep_with(w, &k, &w->chat, message, err);
}

static skein_rc append_partial(skn_working *w, const skein_turn *t, const skein_partial *p,
                               const skein_new_message *n, bool *kept, skein_error *err)
{
    const skein_model_call *call = p->call;
    const skein_step        used = {.tokens_in = call ? call->tokens_in : -1,
                                    .tokens_out = call ? call->tokens_out : -1,
                                    .tokens_cached = call ? call->tokens_cached : 0,
                                    .tokens_written = call ? call->tokens_written : 0,
                                    .cost = call ? call->cost : 0,
                                    .estimated = call && call->estimated};
    skein_message           stored;
    skein_rc                rc = skn_message_say(w, &w->chat, t->lane_key, n, &stored, err);

    *kept = rc == SKEIN_OK;
    if (rc)
        return rc == SKEIN_CONFLICT ? SKEIN_OK : rc; /* its id was taken */
    skn_tell_completed(w, t, &stored, skn_str_of(skein_unfinished_name(n->unfinished)), &used);
    return SKEIN_OK;
}

/* As much as a message can hold; calls that were begun are no part of it. */
static skein_rc keep_text(skn_working *w, const skein_turn *t, const skein_partial *p,
                          skein_unfinished why, bool *kept, skein_error *err)
{
    skein_new_message n = {.uid = t->message_uid,
                           .role = SKEIN_ASSISTANT,
                           .sender = t->agent_name,
                           .content = skn_text_fit(w->e, p->text),
                           .thinking = skn_text_fit(w->e, p->thinking),
                           .reply_to = t->trigger_uid,
                           .model = p->call && p->call->model.n ? p->call->model : t->model,
                           .turn_uid = t->uid,
                           .unfinished = why};

    if (skn_str_trim(n.content).n == 0) {
        n.content = SKN_STR("");
        n.heard_by = &t->agent_name; /* nothing for others */
        n.heard_by_count = 1;
        n.heard_by_given = !t->lane.v;
        if (skn_str_trim(n.thinking).n == 0)
            return SKEIN_OK;
    }
    if (skn_check_new(w->e, &n, NULL))
        return SKEIN_OK;
    return append_partial(w, t, p, &n, kept, err);
}

/* Of a message that the turn has stored meanwhile nothing is left to be kept. */
static bool is_of(const skein_partial *p, const skein_turn *t)
{
    return p->turn == t->id &&
           (!p->message_uid.p || skn_str_eq(p->message_uid, t->message_uid));
}

/* How the model was asked is kept also when nothing of its answer is: it has cost something. */
static skein_rc keep_partial(skn_working *w, const skn_turn_row *row, const skein_partial *p,
                             skein_unfinished why, bool *kept, skein_error *err)
{
    const skein_turn *t = &row->turn;
    skein_rc          rc = SKEIN_OK;

    *kept = false;
    if (row->open_calls == 0 && !w->silent && is_of(p, t))
        rc = keep_text(w, t, p, why, kept, err);
    return rc ? rc : keep_call(w, t, p->call, *kept ? t->message_uid : SKN_NONE, err);
}

skein_rc skn_keep_written(skn_working *w, const skn_turn_row *row, skein_unfinished why,
                          bool *kept, skein_error *err)
{
    const skein_stop *given = w->written;
    skein_partial     saved = {.turn = row->turn.id};
    skein_rc          rc;

    for (size_t i = 0; given && i < given->partial_count; i++)
        if (is_of(&given->partials[i], &row->turn))
            return keep_partial(w, row, &given->partials[i], why, kept, err);
    rc = skn_written_of(w->tx, row->turn.id, w->a, &saved.text, &saved.thinking, err);
    return rc ? rc : keep_partial(w, row, &saved, why, kept, err);
}

/* --- Ended by its holder ---------------------------------------------------------------------------------------- */

typedef struct end_call {
    const skein_turn    *turn;
    skein_turn_state     state;
    const skein_error   *why;
    const skein_partial *written; /* so far, to be kept; or NULL */
} end_call;

static const char *finish_of(skein_turn_state state)
{
    return state == SKEIN_TURN_FAILED      ? "error"
           : state == SKEIN_TURN_CANCELLED ? "stopped"
                                           : "interrupted";
}

/* Closes it; a message that was being written does not come, unless it was kept, and why is told in any case. While
 * calls wait for their results the next one has not been begun: it is told first, so that whatever fails was there. */
static skein_rc give_up(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                        const skein_error *why, bool kept, skein_error *err)
{
    skn_str  error = skn_str_of(why ? why->message : finish_of(state));
    skein_rc rc;

    if (row->open_calls > 0 && !kept)
        skn_tell_started(w, &row->turn);
    if (!kept || why)
        skn_tell_failed(w, &row->turn, finish_of(state), why);
    rc = skn_turn_shut(w, row, state,
                       state == SKEIN_TURN_CANCELLED ? SKN_DROPPED : SKN_UNANSWERED, error,
                       err);
    if (state == SKEIN_TURN_CANCELLED)
        skn_tell_state(w, &row->turn, "idle", SKN_NONE);
    else
        skn_tell_state(w, &row->turn, "failed", error);
    return rc;
}

static skein_rc end_turn(skn_working *w, void *arg, skein_error *err)
{
    end_call    *c = arg;
    skn_turn_row row;
    bool         kept = false;
    skein_rc     rc = skn_turn_take(w, c->turn, &row, err);

    if (rc == SKEIN_OK && c->written)
        rc = keep_partial(w, &row, c->written, SKEIN_CUT, &kept, err);
    if (rc == SKEIN_OK)
        rc = give_up(w, &row, c->state, c->why, kept, err);
    return rc ? rc : skn_settle(w, err);
}

skein_rc skein_turn_end(skein_engine *e, const skein_turn *turn, skein_turn_state state,
                        const skein_error *why, skein_error *err)
{
    end_call c = {.turn = turn, .state = state, .why = why};

    if (state != SKEIN_TURN_FAILED && state != SKEIN_TURN_CANCELLED &&
        state != SKEIN_TURN_INTERRUPTED)
        return skn_fail(err, SKEIN_INVALID,
                        "a turn ends as failed, cancelled or interrupted without a last step");
    return skn_write(e, NULL, end_turn, &c, err);
}

skein_rc skein_turn_fail(skein_engine *e, const skein_turn *turn, const skein_error *why,
                         const skein_partial *written, skein_error *err)
{
    end_call c = {.turn = turn, .state = SKEIN_TURN_FAILED, .why = why, .written = written};

    return skn_write(e, NULL, end_turn, &c, err);
}

skein_rc skein_turn_leave(skein_engine *e, const skein_turn *turn, const skein_partial *written,
                          skein_error *err)
{
    static const skein_error why = {.rc = SKEIN_FAILED,
                                    .message = "the server was ended in the middle of it",
                                    .hint = "Ask again to get an answer."};
    end_call                 c = {
                        .turn = turn, .state = SKEIN_TURN_INTERRUPTED, .why = &why, .written = written};

    return skn_write(e, NULL, end_turn, &c, err);
}

/* --- Stopped by somebody else ---------------------------------------------------------------------------------- */

typedef struct stop_call {
    const skein_stop *what;
    int64_t          *stopped;
} stop_call;

static skein_rc stop_work(skn_working *w, void *arg, skein_error *err)
{
    stop_call *c = arg;
    skein_rc   rc = skn_working_hold(w, c->what->chat, err);

    if (rc == SKEIN_OK)
        rc = skn_work_cancel(w, c->what->agent.v, c->what, c->stopped, err);
    return rc ? rc : skn_settle(w, err);
}

skein_rc skein_work_stop(skein_engine *e, const skein_stop *what, int64_t *stopped,
                         skein_error *err)
{
    int64_t   none;
    stop_call c = {what, stopped ? stopped : &none};

    *c.stopped = 0;
    return skn_write(e, NULL, stop_work, &c, err);
}

/* --- Left behind ---------------------------------------------------------------------------------------------------- */

typedef struct recover_call {
    skn_ids chats;
    int64_t chat, closed, before, after; /* leases that end before or after are no leases */
    const skn_holding *how; /* who takes over what waits for a person; NULL: it is closed too */
    skein_mem         *mem; /* of those that were taken … */
    skn_vec(skein_turn) taken;
    size_t kept; /* … before this chat, in which it may be tried again */
} recover_call;

/* A chat that is gone has nobody to tell. */
static skein_rc take_any(recover_call *c, skn_working *w, skein_error *err)
{
    skein_conversation_id id = {c->chat};
    skn_conversation_row  row;
    skein_rc              rc = skn_working_hold(w, id, err);

    if (!skn_is_gone(rc))
        return rc;
    if ((rc = skn_conversation_need(w->tx, id, w->a, &row, err)))
        return rc;
    skn_working_at(w, &row);
    w->silent = true;
    return SKEIN_OK;
}

static bool is_left(const recover_call *c, const skn_turn_row *row)
{
    return row->lease_until < c->before || row->lease_until > c->after;
}

/* Goes on with it, or closes it. */
static skein_rc recover_turn(recover_call *c, skn_working *w, int64_t id, skein_error *err)
{
    static const skein_error why = {
        .rc = SKEIN_FAILED, .message = SKN_WENT_AWAY, .hint = "Ask again to get an answer."};
    skein_turn   taken;
    skn_turn_row row;
    bool         found, kept, waits = false;
    skein_rc     rc = skn_turn_get(w->tx, id, w->a, &row, &found, err);

    if (!rc && c->how)
        rc = skn_turn_waits(w, &row, &waits, err);
    if (!rc && !waits) {
        c->closed++;
        rc = skn_keep_written(w, &row, SKEIN_CUT, &kept, err);
        return rc ? rc : give_up(w, &row, SKEIN_TURN_INTERRUPTED, &why, kept, err);
    }
    if (!rc && !(rc = skn_turn_take_over(w, &row, c->how, c->mem, &taken, err)))
        skn_vec_add(c->mem, &c->taken, taken);
    return rc;
}

static skein_rc recover_chat(skn_working *w, void *arg, skein_error *err)
{
    recover_call *c = arg;
    skn_turn_rows turns;
    skein_rc      rc;

    c->closed = 0;
    c->taken.n = c->kept;
    if ((rc = take_any(c, w, err)) ||
        (rc = skn_turn_open_rows(w->tx, 0, c->chat, w->a, &turns, err)))
        return rc;
    /* The newest first: a delegation that was interrupted is told to the turn that waits for it. */
    for (size_t i = turns.count; rc == SKEIN_OK && i-- > 0;)
        if (is_left(c, &turns.at[i]))
            rc = recover_turn(c, w, turns.at[i].turn.id, err);
    return rc ? rc : skn_settle(w, err);
}

/* A chat where it fails does not keep the others from it. */
static skein_rc recover_all(skein_engine *e, recover_call *c, bool all, int64_t *closed,
                            skein_error *err)
{
    int64_t      now = SKN_NOW(), sum = 0;
    skein_error  other;
    skn_arena   *a = skn_arena_new();
    skn_snapshot s = {.store = e->store};
    skein_rc     rc;

    c->before = all ? INT64_MAX : now;
    c->after = now + SKN_LEASE_MAX; /* the clock was set back */
    while (skn_snapshot_next(&s, err))
        s.rc = skn_turn_expired(s.tx, c->before, c->after, a, &c->chats, err);
    rc = s.rc;
    for (size_t i = 0; !s.rc && i < c->chats.count; i++) {
        skein_rc one;

        c->chat = c->chats.at[i];
        one = skn_write(e, a, recover_chat, c, rc ? &other : err);
        sum += one == SKEIN_OK ? c->closed : 0;
        c->kept = c->taken.n = one == SKEIN_OK ? c->taken.n : c->kept;
        rc = rc ? rc : one;
    }
    skn_arena_free(a);
    if (closed)
        *closed = sum;
    return rc;
}

skein_rc skein_turns_recover(skein_engine *e, bool all, int64_t *closed, skein_error *err)
{
    recover_call c = {0};

    return recover_all(e, &c, all, closed, err);
}

skein_rc skein_turns_take_over(skein_engine *e, bool all, skein_str holder, int64_t lease_ms,
                               skein_mem *mem, skein_turns *taken, int64_t *closed,
                               skein_error *err)
{
    const skn_holding how = {.holder = holder, .lease_ms = lease_ms};
    recover_call      c = {.how = &how, .mem = mem};
    skein_rc          rc = skn_holding_check(&how, err);

    *taken = (skein_turns){0};
    if (rc)
        return rc;
    rc = recover_all(e, &c, all, closed, err);
    *taken = (skein_turns){c.taken.p, c.taken.n};
    return rc;
}

/* What agents have written before their end: saved as it comes, and kept as a message when no more of it
 * will come. */

/* --- As it comes ------------------------------------------------------------------------------------------------- */

typedef struct save_call {
    skein_piece *pieces;
    size_t       count;
} save_call;

static skein_rc save_pieces(skn_working *w, void *arg, skein_error *err)
{
    const save_call *c = arg;
    skein_rc         rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < c->count; i++)
        if (c->pieces[i].text.n)
            rc = skn_written_add(w->tx, &c->pieces[i], err);
    return rc;
}

/* A text may have come up to the middle of a character. */
static void cut_to_text(skein_piece *p)
{
    size_t bad;

    p->saved = false;
    if (!skn_utf8_valid(p->text, &bad))
        p->text.n = bad;
}

skein_rc skein_turns_save(skein_engine *e, skein_piece *pieces, size_t count, skein_error *err)
{
    save_call c = {pieces, count};

    for (size_t i = 0; i < count; i++)
        cut_to_text(&pieces[i]);
    return count ? skn_write(e, NULL, save_pieces, &c, err) : SKEIN_OK;
}
