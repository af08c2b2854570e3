/* store_task.c: rows of tasks, and the timers and pauses of agents. */
#include "store/stmt.h"

/* --- Rows ---------------------------------------------------------------------------------------- */

skein_rc skn_task_insert(skn_tx *tx, skn_task_row *row, skn_arena *a, skein_error *err)
{
    skein_task *t = &row->task;
    skn_stmt    s = skn_stmt_use(tx->db, SKN_Q_task_insert);
    char        uid[11];
    skein_rc    rc;

    skn_tx_uid(tx, uid);
    t->uid = skn_arena_printf(a, "task_%s", uid);
    skn_stmt_bind_text(&s, t->uid);
    skn_stmt_bind_int(&s, t->world.v);
    skn_stmt_bind_int(&s, t->agent.v);
    skn_stmt_bind_id(&s, row->assigned_by_id);
    skn_stmt_bind_text(&s, t->source);
    skn_stmt_bind_text(&s, t->content);
    skn_stmt_bind_id(&s, row->message_id);
    skn_stmt_bind_text(&s, row->cause);
    skn_stmt_bind_int(&s, row->hops_left);
    skn_stmt_bind_int(&s, t->created_at);
    skn_stmt_bind_id(&s, row->call_message_id);
    rc = skn_stmt_number(&s, &t->id, err);
    return skn_tx_made_uid(tx, rc);
}

static void read_task(const skn_stmt *s, skn_arena *a, skn_task_row *out)
{
    *out = (skn_task_row){.task = {.id = skn_stmt_int(s, 0),
                                   .uid = skn_stmt_keep(s, 1, a),
                                   .world = {skn_stmt_int(s, 2)},
                                   .agent = {skn_stmt_int(s, 3)},
                                   .agent_name = skn_stmt_keep(s, 4, a),
                                   .assigned_by = skn_stmt_keep(s, 5, a),
                                   .source = skn_stmt_keep(s, 6, a),
                                   .content = skn_stmt_keep(s, 7, a),
                                   .result = skn_stmt_keep(s, 8, a),
                                   .last_error = skn_stmt_keep(s, 9, a),
                                   .status = skn_stmt_keep(s, 10, a),
                                   .attempts = skn_stmt_int(s, 11),
                                   .not_before = skn_stmt_int(s, 12),
                                   .created_at = skn_stmt_int(s, 13),
                                   .completed_at = skn_stmt_int(s, 14),
                                   .message_uid = skn_stmt_keep(s, 15, a),
                                   .running = skn_stmt_int(s, 16) != 0,
                                   .waits = skn_stmt_int(s, 21) != 0,
                                   .inbox_uid = skn_stmt_keep(s, 22, a),
                                   .waits_for = skn_stmt_keep(s, 23, a),
                                   .question = skn_stmt_keep(s, 24, a)},
                          .assigned_by_id = skn_stmt_int(s, 17),
                          .message_id = skn_stmt_int(s, 18),
                          .hops_left = skn_stmt_int(s, 19),
                          .cause = skn_stmt_keep(s, 20, a),
                          .answer_id = skn_stmt_int(s, 25),
                          .call_message_id = skn_stmt_int(s, 26)};
}

static skein_rc one_task(skn_stmt *s, skn_arena *a, skn_task_row *out, bool *found,
                         skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_task(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_task_get(skn_tx *tx, int64_t id, skn_arena *a, skn_task_row *out, bool *found,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_by_id);

    skn_stmt_bind_int(&s, id);
    return one_task(&s, a, out, found, err);
}

skein_rc skn_task_by_uid(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a,
                         skn_task_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_by_uid);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_text(&s, uid);
    return one_task(&s, a, out, found, err);
}

skein_rc skn_task_list(skn_tx *tx, int64_t agent, skn_str status, size_t limit, skn_arena *a,
                       skein_tasks *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_list);
    skn_vec(skein_task) v = {0};
    skn_task_row t;
    bool         row;
    skein_rc     rc;

    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_text(&s, status);
    skn_stmt_bind_limit(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_task(&s, a, &t);
        skn_vec_add(a, &v, t.task);
    }
    skn_stmt_done(&s);
    *out = (skein_tasks){v.p, v.n};
    return rc;
}

/* --- What is due --------------------------------------------------------------------------------- */

skein_rc skn_task_due(skn_tx *tx, size_t limit, int64_t now, skn_arena *a, skein_dues *out,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_due);
    skn_vec(skein_due) v = {.p = out->at, .n = out->count, .cap = out->count};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, now + SKN_BACK_OFF_MAX);
    skn_stmt_bind_limit(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_due d = {.task = skn_stmt_int(&s, 0),
                       .chat = {skn_stmt_int(&s, 1)},
                       .agent = {skn_stmt_int(&s, 2)},
                       .model = skn_stmt_keep(&s, 3, a)};

        skn_vec_add(a, &v, d);
    }
    skn_stmt_done(&s);
    *out = (skein_dues){v.p, v.n};
    return rc;
}

skein_rc skn_task_is_due(skn_tx *tx, int64_t id, int64_t now, bool *due, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_is_due);
    int64_t  count;
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, now + SKN_BACK_OFF_MAX);
    rc = skn_stmt_number(&s, &count, err);
    *due = count > 0;
    return rc;
}

skein_rc skn_task_next(skn_tx *tx, int64_t now, int64_t *next, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_next);

    skn_stmt_bind_int(&s, now);
    return skn_stmt_number(&s, next, err);
}

/* --- Changes --------------------------------------------------------------------------------------- */

skein_rc skn_task_close(skn_tx *tx, int64_t id, const char *status, skn_str result, int64_t now,
                        bool *closed, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_close);

    skn_stmt_bind_text(&s, skn_str_of(status));
    skn_stmt_bind_text(&s, result);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, closed, err);
}

skein_rc skn_task_reported(skn_tx *tx, int64_t id, skn_str result, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_reported);

    skn_stmt_bind_text(&s, result);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_task_put_off(skn_tx *tx, int64_t id, skn_str error, int64_t until,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_put_off);

    skn_stmt_bind_text(&s, error);
    skn_stmt_bind_int(&s, until);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_tasks_hurry(skn_tx *tx, int64_t world, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_tasks_hurry);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_run(&s, err);
}

skein_rc skn_task_again(skn_tx *tx, int64_t id, bool *changed, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_again);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_changed(tx, &s, changed, err);
}

skein_rc skn_tasks_cancelled(skn_tx *tx, int64_t agent, int64_t since, skn_arena *a,
                             skein_tasks *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_tasks_cancelled);
    skn_vec(skein_task) v = {.p = out->at, .n = out->count, .cap = out->count};
    skn_task_row t;
    bool         row;
    skein_rc     rc;

    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_int(&s, since);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_task(&s, a, &t);
        skn_vec_add(a, &v, t.task);
    }
    skn_stmt_done(&s);
    *out = (skein_tasks){v.p, v.n};
    return rc;
}

skein_rc skn_task_hops(skn_tx *tx, int64_t id, int64_t left, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_hops);

    skn_stmt_bind_int(&s, left);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_task_said(skn_tx *tx, int64_t id, int64_t message, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_said);

    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_task_pending(skn_tx *tx, int64_t agent, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_pending);

    skn_stmt_bind_int(&s, agent);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_task_of_source(skn_tx *tx, int64_t agent, const char *source, bool fresh,
                            int64_t *id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, fresh ? SKN_Q_task_waiting : SKN_Q_task_pending_of);

    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_text(&s, skn_str_of(source));
    return skn_stmt_number(&s, id, err);
}

skein_rc skn_task_unfinished(skn_tx *tx, int64_t agent, int64_t first, int64_t but,
                             skn_arena *a, skn_ids *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_unfinished);

    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_int(&s, first);
    skn_stmt_bind_int(&s, but);
    return skn_stmt_numbers(&s, a, out, err);
}

skein_rc skn_task_hurry(skn_tx *tx, int64_t agent, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_task_hurry);

    skn_stmt_bind_int(&s, agent);
    return skn_stmt_run(&s, err);
}

skein_rc skn_task_drop(skn_tx *tx, int64_t agent, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_tasks_drop);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, agent);
    return skn_stmt_run(&s, err);
}

/* --- Timers and pauses -------------------------------------------------------------------------------- */

skein_rc skn_timer_due(skn_tx *tx, int64_t now, skn_arena *a, skn_timer_rows *out,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_timers_due);
    skn_vec(skn_timer_row) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, now);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_timer_row t = {skn_stmt_int(&s, 0), skn_stmt_int(&s, 1), skn_stmt_int(&s, 2)};

        skn_vec_add(a, &v, t);
    }
    skn_stmt_done(&s);
    *out = (skn_timer_rows){v.p, v.n};
    return rc;
}

skein_rc skn_timer_next(skn_tx *tx, int64_t *next, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_timer_next);

    return skn_stmt_number(&s, next, err);
}

skein_rc skn_timer_move(skn_tx *tx, const skn_timer_row *row, int64_t next, bool *moved,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_timer_move);

    skn_stmt_bind_int(&s, next);
    skn_stmt_bind_int(&s, row->agent);
    skn_stmt_bind_int(&s, row->next);
    return skn_stmt_changed(tx, &s, moved, err);
}

skein_rc skn_timer_set(skn_tx *tx, int64_t agent, int64_t every, int64_t next, bool *found,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_timer_set);

    skn_stmt_bind_int(&s, every);
    skn_stmt_bind_id(&s, next);
    skn_stmt_bind_int(&s, agent);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_agent_paused(skn_tx *tx, int64_t agent, int64_t since, bool *found,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_pause);

    skn_stmt_bind_id(&s, since);
    skn_stmt_bind_int(&s, agent);
    return skn_stmt_changed(tx, &s, found, err);
}

/* Whoever asked still waits, whether the model failed or the server that spoke for the agent went away. */
static bool has_no_answer(skn_str turn_state)
{
    return skn_str_is(turn_state, "failed") || skn_str_is(turn_state, "interrupted");
}

skein_rc skn_agent_work(skn_tx *tx, int64_t agent, skn_arena *a, skein_agent_work *out,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_agent_work);
    bool     row;
    skein_rc rc;

    *out = (skein_agent_work){.agent = {agent}};
    skn_stmt_bind_int(&s, agent);
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
