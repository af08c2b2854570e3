/* store_squash.c: rows of squashes and of what they took. */
#include "store/stmt.h"

skein_rc skn_squash_insert(skn_tx *tx, skn_str uid, const skn_squash_row *row,
                           const int64_t *sources, size_t count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_squash_insert);
    int64_t  id;
    skein_rc rc;

    skn_stmt_bind_text(&s, uid);
    skn_stmt_bind_int(&s, row->conversation_id);
    skn_stmt_bind_int(&s, row->version_id);
    skn_stmt_bind_int(&s, row->result_message_id);
    skn_stmt_bind_text(&s, row->prompt);
    skn_stmt_bind_text(&s, row->model);
    skn_stmt_bind_int(&s, row->by_agent);
    skn_stmt_bind_int(&s, row->created_at);
    rc = skn_tx_made_uid(tx, skn_stmt_number(&s, &id, err));
    for (size_t i = 0; rc == SKEIN_OK && i < count; i++) {
        skn_stmt src = skn_stmt_use(tx->db, SKN_Q_squash_source_insert);

        skn_stmt_bind_int(&src, id);
        skn_stmt_bind_int(&src, (int64_t)i);
        skn_stmt_bind_int(&src, sources[i]);
        rc = skn_stmt_run(&src, err);
    }
    return rc;
}

skein_rc skn_squash_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_squash_row *out,
                           bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_squash_by_uid);
    skein_rc rc;

    skn_stmt_bind_text(&s, uid);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        out->id = skn_stmt_int(&s, 0);
        out->conversation_id = skn_stmt_int(&s, 1);
        out->version_id = skn_stmt_int(&s, 2);
        out->result_message_id = skn_stmt_int(&s, 3);
        out->prompt = skn_stmt_keep(&s, 4, a);
        out->model = skn_stmt_keep(&s, 5, a);
        out->by_agent = skn_stmt_int(&s, 6) != 0;
        out->created_at = skn_stmt_int(&s, 7);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_squash_sources(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *ids, skn_str **uids,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_squash_sources);
    skn_vec(int64_t) v = {0};
    skn_vec(skn_str) names = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_vec_add(a, &v, skn_stmt_int(&s, 0));
        skn_vec_add(a, &names, skn_stmt_keep(&s, 1, a));
    }
    skn_stmt_done(&s);
    *ids = (skn_ids){v.p, v.n};
    *uids = names.p;
    return rc;
}

skein_rc skn_squash_results_of(skn_tx *tx, int64_t message, skn_arena *a, skn_ids *out,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_squash_of_source);
    skn_vec(int64_t) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, message);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row)
        skn_vec_add(a, &v, skn_stmt_int(&s, 1));
    skn_stmt_done(&s);
    *out = (skn_ids){v.p, v.n};
    return rc;
}

skein_rc skn_squashes_of(skn_tx *tx, int64_t conversation, int64_t limit, skn_arena *a,
                         skein_uids *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_squashes_of);
    skn_vec(skein_str) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row)
        skn_vec_add(a, &v, skn_stmt_keep(&s, 0, a));
    skn_stmt_done(&s);
    *out = (skein_uids){v.p, v.n};
    return rc;
}
