/* store_copies.c: texts of messages that stand in other rows too, or in other messages. */
#include "store/stmt.h"

skein_rc skn_copy_hold(skn_tx *tx, int64_t source, skein_error *err)
{
    skn_stmt s;
    bool     row;
    skein_rc rc;

    if (!source)
        return SKEIN_OK;
    s = skn_stmt_use(tx->db, SKN_Q_copy_hold);
    skn_stmt_bind_int(&s, source);
    rc = skn_stmt_step(&s, &row, err);
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_copy_add(skn_tx *tx, int64_t message, int64_t source, skein_error *err)
{
    skn_stmt s;

    if (!source)
        return SKEIN_OK;
    s = skn_stmt_use(tx->db, SKN_Q_copy_insert);
    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_int(&s, source);
    return skn_stmt_run(&s, err);
}

skein_rc skn_copies_of(skn_tx *tx, const skn_ids *messages, skn_arena *a, skn_copy_list *out,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_copies_of_many);
    skn_vec(skn_copy) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_text(&s, skn_number_list(messages, a));
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_copy c = {skn_stmt_int(&s, 0), skn_stmt_int(&s, 1)};

        skn_vec_add(a, &v, c);
    }
    skn_stmt_done(&s);
    *out = (skn_copy_list){v.p, v.n};
    return rc;
}

skein_rc skn_copies_erase(skn_tx *tx, const skn_ids *messages, skn_arena *a, skein_error *err)
{
    static const enum skn_query all[] = {
        SKN_Q_copies_result_of_many,    SKN_Q_copies_answer_of_many,
        SKN_Q_copies_task_of_many,      SKN_Q_copies_inbox_of_many,
        SKN_Q_copies_knowledge_of_many, SKN_Q_copies_title_of_many};
    skn_str  ids = skn_number_list(messages, a);
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < sizeof all / sizeof all[0]; i++) {
        skn_stmt s = skn_stmt_use(tx->db, all[i]);

        skn_stmt_bind_text(&s, ids);
        rc = skn_stmt_run(&s, err);
    }
    return rc;
}

skein_rc skn_copies_pending(skn_tx *tx, const skn_ids *messages, skn_arena *a, skn_ids *out,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_copies_pending_of_many);

    skn_stmt_bind_text(&s, skn_number_list(messages, a));
    return skn_stmt_numbers(&s, a, out, err);
}
