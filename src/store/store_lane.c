/* store_lane.c: rows of delegations and of answers that somebody expects. */
#include "store/stmt.h"

/* --- Delegations --------------------------------------------------------------------------------- */

static void read_delegation(const skn_stmt *s, skn_arena *a, skn_delegation_row *r)
{
    *r = (skn_delegation_row){.lane = {.id = skn_stmt_int(s, 0),
                                       .conversation_id = skn_stmt_int(s, 1),
                                       .key = skn_stmt_keep(s, 2, a),
                                       .agent_id = skn_stmt_int(s, 3),
                                       .agent_name = skn_stmt_keep(s, 4, a),
                                       .agent_gone = !skn_stmt_null(s, 5),
                                       .parent_id = skn_stmt_int(s, 6),
                                       .ordinal = skn_stmt_int(s, 8),
                                       .spawn_message_id = skn_stmt_int(s, 9),
                                       .spawn_call_id = skn_stmt_keep(s, 11, a),
                                       .state = skn_lane_state_of(skn_stmt_text(s, 12))},
                              .parent_key = skn_stmt_keep(s, 7, a),
                              .spawn_message_uid = skn_stmt_keep(s, 10, a),
                              .asker_id = skn_stmt_int(s, 13),
                              .asker = skn_stmt_keep(s, 14, a),
                              .asker_gone = !skn_stmt_null(s, 15),
                              .turn_id = skn_stmt_int(s, 16),
                              .waited = skn_stmt_int(s, 17) != 0,
                              .told = skn_stmt_int(s, 18) != 0,
                              .title = skn_stmt_keep(s, 19, a),
                              .created_at = skn_stmt_int(s, 20)};
}

static skein_rc one_delegation(skn_stmt *s, skn_arena *a, skn_delegation_row *out, bool *found,
                               skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_delegation(s, a, out);
    skn_stmt_done(s);
    return rc;
}

static skein_rc all_delegations(skn_stmt *s, skn_arena *a, skn_delegation_rows *out,
                                skein_error *err)
{
    skn_vec(skn_delegation_row) v = {0};
    skn_delegation_row r;
    bool               row;
    skein_rc           rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row) {
        read_delegation(s, a, &r);
        skn_vec_add(a, &v, r);
    }
    skn_stmt_done(s);
    *out = (skn_delegation_rows){v.p, v.n};
    return rc;
}

skein_rc skn_delegation_get(skn_tx *tx, int64_t lane, skn_arena *a, skn_delegation_row *out,
                            bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_by_id);

    skn_stmt_bind_int(&s, lane);
    return one_delegation(&s, a, out, found, err);
}

skein_rc skn_delegation_by_key(skn_tx *tx, int64_t conversation, skn_str key, skn_arena *a,
                               skn_delegation_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_by_key);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, key);
    return one_delegation(&s, a, out, found, err);
}

skein_rc skn_delegation_rows_of(skn_tx *tx, int64_t conversation, skn_arena *a,
                                skn_delegation_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_list);

    skn_stmt_bind_int(&s, conversation);
    return all_delegations(&s, a, out, err);
}

skein_rc skn_delegation_waited(skn_tx *tx, int64_t turn, skn_arena *a, skn_delegation_rows *out,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_waited);

    skn_stmt_bind_int(&s, turn);
    return all_delegations(&s, a, out, err);
}

skein_rc skn_delegation_of_call(skn_tx *tx, int64_t conversation, int64_t message, skn_str call,
                                int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_of_call);

    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_text(&s, call);
    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_delegation_running(skn_tx *tx, int64_t conversation, int64_t *count,
                                skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_running);

    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_delegation_ask(skn_tx *tx, const skn_delegation_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_ask);

    skn_stmt_bind_id(&s, row->asker_id);
    skn_stmt_bind_id(&s, row->turn_id);
    skn_stmt_bind_int(&s, row->waited);
    skn_stmt_bind_text(&s, row->title);
    skn_stmt_bind_int(&s, row->lane.id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_delegation_move(skn_tx *tx, const skn_delegation_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_delegation_move);

    skn_stmt_bind_text(&s, skn_str_of(skn_lane_state_word(row->lane.state)));
    skn_stmt_bind_int(&s, row->waited);
    skn_stmt_bind_int(&s, row->told);
    skn_stmt_bind_int(&s, row->lane.id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_call_results(skn_tx *tx, int64_t message, skn_str call, int64_t *count,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_call_result);

    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_text(&s, call);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_call_last_result(skn_tx *tx, int64_t message, int64_t *id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_call_last_result);

    skn_stmt_bind_int(&s, message);
    return skn_stmt_number(&s, id, err);
}

/* --- Expected answers ------------------------------------------------------------------------------ */

skein_rc skn_expected_insert(skn_tx *tx, const skn_expected_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_insert);

    skn_stmt_bind_int(&s, row->world_id);
    skn_stmt_bind_int(&s, row->asker_id);
    skn_stmt_bind_int(&s, row->asked_id);
    skn_stmt_bind_int(&s, row->message_id);
    skn_stmt_bind_id(&s, row->answer_id);
    skn_stmt_bind_text(&s, row->shown.state);
    skn_stmt_bind_int(&s, row->shown.created_at);
    skn_stmt_bind_id(&s, row->closed_at);
    skn_stmt_bind_id(&s, row->task_id);
    return skn_stmt_run(&s, err);
}

static void read_expected(const skn_stmt *s, skn_arena *a, skn_expected_row *r)
{
    *r = (skn_expected_row){.id = skn_stmt_int(s, 0),
                            .world_id = skn_stmt_int(s, 1),
                            .asker_id = skn_stmt_int(s, 2),
                            .asked_id = skn_stmt_int(s, 3),
                            .message_id = skn_stmt_int(s, 4),
                            .shown = {.state = skn_stmt_keep(s, 5, a),
                                      .created_at = skn_stmt_int(s, 6),
                                      .asker = skn_stmt_keep(s, 7, a),
                                      .asked = skn_stmt_keep(s, 8, a),
                                      .message_uid = skn_stmt_keep(s, 9, a),
                                      .answer_uid = skn_stmt_keep(s, 10, a)},
                            .task_id = skn_stmt_int(s, 11)};
}

static skein_rc one_expected(skn_stmt *s, skn_arena *a, skn_expected_row *out, bool *found,
                             skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_expected(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_expected_of(skn_tx *tx, int64_t message, int64_t asked, skn_arena *a,
                         skn_expected_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_of);

    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_int(&s, asked);
    return one_expected(&s, a, out, found, err);
}

skein_rc skn_expected_first(skn_tx *tx, int64_t asker, int64_t asked, skn_arena *a,
                            skn_expected_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_first);

    skn_stmt_bind_int(&s, asked);
    skn_stmt_bind_int(&s, asker);
    return one_expected(&s, a, out, found, err);
}

skein_rc skn_expected_of_people(skn_tx *tx, int64_t message, skn_arena *a,
                                skn_expected_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_of_people);

    skn_stmt_bind_int(&s, message);
    return one_expected(&s, a, out, found, err);
}

skein_rc skn_expected_owed(skn_tx *tx, int64_t agent, skn_arena *a, skn_expected_list *out,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_owed);
    skn_vec(skn_expected_row) v = {0};
    skn_expected_row r;
    bool             row;
    skein_rc         rc;

    skn_stmt_bind_int(&s, agent);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_expected(&s, a, &r);
        skn_vec_add(a, &v, r);
    }
    skn_stmt_done(&s);
    *out = (skn_expected_list){v.p, v.n};
    return rc;
}

skein_rc skn_expected_close(skn_tx *tx, int64_t id, const char *state, int64_t answer,
                            int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_close);

    skn_stmt_bind_text(&s, skn_str_of(state));
    skn_stmt_bind_id(&s, answer);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_expected_withdraw(skn_tx *tx, int64_t task, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_withdraw);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, task);
    return skn_stmt_run(&s, err);
}

skein_rc skn_expected_leave(skn_tx *tx, int64_t task, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_leave);

    skn_stmt_bind_int(&s, task);
    return skn_stmt_run(&s, err);
}

skein_rc skn_expected_drop(skn_tx *tx, int64_t agent, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_expected_drop);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, agent);
    return skn_stmt_run(&s, err);
}

skein_rc skn_expected_rows(skn_tx *tx, int64_t world, int64_t agent, skn_arena *a,
                           skein_expecteds *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, agent ? SKN_Q_expected_list_of : SKN_Q_expected_list);
    skn_vec(skein_expected) v = {0};
    skn_expected_row r;
    bool             row;
    skein_rc         rc;

    skn_stmt_bind_int(&s, world);
    if (agent)
        skn_stmt_bind_int(&s, agent);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_expected(&s, a, &r);
        skn_vec_add(a, &v, r.shown);
    }
    skn_stmt_done(&s);
    *out = (skein_expecteds){v.p, v.n};
    return rc;
}
