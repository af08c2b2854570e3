/* store_work.c: rows of work, where a verb is more than one statement: turns, what they write, messages that wait, tasks. */
#include "store/stmt.h"

/* --- Deliveries and turns --------------------------------------------------------------------------- */

skein_rc skn_delivery_spent(skn_tx *tx, skn_str cause, int64_t conversation, int64_t *count,
                            bool *paused, skein_error *err)
{
    bool row;

    return skn_get_columns(tx, SKN_SQL(delivery_spent, TEXT(cause), INT(conversation)),
                           SKN_INTO(SKN_TO(count), SKN_TO(paused)), NULL, &row, err);
}

skein_rc skn_turn_open_rows(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                            skn_turn_rows *out, skein_error *err)
{
    const enum skn_query query = conversation ? SKN_Q_turns_open_in_chat
                                 : world      ? SKN_Q_turns_open_in_world
                                              : SKN_Q_turns_open;
    const skn_bind      *of = SKN_WITH(INT(conversation ? conversation : world));
    const skn_bind      *all = SKN_WITH(NOTHING);
    skn_rows             rows = {0};
    skein_rc             rc = skn_get_rows(tx, query, conversation || world ? of : all,
                                           &skn_row_of_skn_turn_row, a, &rows, err);

    *out = (skn_turn_rows){rows.at, rows.count};
    return rc;
}

/* --- Messages that wait, and what agents are writing ------------------------------------------------- */

skein_rc skn_waiting_uids(skn_tx *tx, int64_t conversation, size_t limit, skn_arena *a,
                          skn_str **out, size_t *count, skein_error *err)
{
    skn_rows rows = {0};
    skein_rc rc = skn_get_rows(tx, SKN_SQL(waiting_uids, INT(conversation), LIMIT(limit)),
                               &skn_row_of_skein_str, a, &rows, err);

    *out = rows.at;
    *count = rows.count;
    return rc;
}

skein_rc skn_written_add(skn_tx *tx, skein_piece *piece, skein_error *err)
{
    return skn_run_changed(tx,
                           SKN_SQL(written_add, INT(piece->thinking), INT(piece->place),
                                   TEXT(piece->text), INT(piece->turn), INT(piece->fence),
                                   TEXT(piece->message_uid)),
                           &piece->saved, err);
}

/* A piece that does not begin where the one before it ended comes behind a gap. */
static skein_rc gather(skn_stmt *s, skn_buf parts[2], skein_error *err)
{
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        skn_buf *to = &parts[skn_stmt_int(s, 0) != 0];

        if (skn_stmt_int(s, 1) == (int64_t)to->n)
            skn_buf_add(to, skn_stmt_text(s, 2));
    }
    return rc;
}

skein_rc skn_written_of(skn_tx *tx, int64_t turn, skn_arena *a, skn_str *text,
                        skn_str *thinking, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_SQL(written_of, INT(turn)));
    skn_buf  parts[2];
    skein_rc rc;

    skn_buf_init(&parts[0], SIZE_MAX / 2);
    skn_buf_init(&parts[1], SIZE_MAX / 2);
    rc = gather(&s, parts, err);
    skn_stmt_done(&s);
    *text = parts[0].n ? skn_arena_copy(a, skn_buf_str(&parts[0])) : SKN_NONE;
    *thinking = parts[1].n ? skn_arena_copy(a, skn_buf_str(&parts[1])) : SKN_NONE;
    skn_buf_release(&parts[0]);
    skn_buf_release(&parts[1]);
    return rc;
}

/* --- Tasks ----------------------------------------------------------------------------------------- */

/* The person still waits, whether the model failed or the agent's server ended. */
static bool has_no_answer(skn_str turn_state)
{
    return skn_str_is(turn_state, "failed") || skn_str_is(turn_state, "interrupted");
}

skein_rc skn_agent_work(skn_tx *tx, int64_t agent, skn_arena *a, skein_agent_work *out,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_SQL(agent_work, INT(agent)));
    bool     row;
    skein_rc rc;

    *out = (skein_agent_work){.agent = {agent}};
    rc = skn_stmt_step(&s, &row, err);
    if (rc == SKEIN_OK && row) {
        out->paused = !skn_stmt_null(&s, 0);
        out->run_every = skn_stmt_int(&s, 1);
        out->next_run_at = skn_stmt_int(&s, 2);
        out->pending = skn_stmt_int(&s, 3);
        out->last_completed_at = skn_stmt_int(&s, 4);
        out->waiting = skn_stmt_int(&s, 9);
        if (has_no_answer(skn_stmt_text(&s, 5))) {
            out->failure = skn_stmt_keep(&s, 6, a);
            out->failed_at = skn_stmt_int(&s, 7);
            out->failed_in = skn_stmt_keep(&s, 8, a);
        }
        if (skn_str_is(skn_stmt_text(&s, 5), "cancelled") &&
            skn_str_eq(skn_stmt_text(&s, 6), SKN_WAS_STOPPED))
            out->stopped_at = skn_stmt_int(&s, 7);
    }
    skn_stmt_done(&s);
    return rc;
}
