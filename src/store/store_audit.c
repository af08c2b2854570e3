/* store_audit.c: rows of the trail. */
#include "store/stmt.h"

skein_rc skn_audit_insert(skn_tx *tx, const skein_audit_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_audit_add);

    skn_stmt_bind_int(&s, row->at);
    skn_stmt_bind_text(&s, row->who);
    skn_stmt_bind_text(&s, row->from);
    skn_stmt_bind_text(&s, row->what);
    skn_stmt_bind_text(&s, row->subject);
    skn_stmt_bind_text(&s, row->detail);
    skn_stmt_bind_text(&s, row->request_id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_audit_rows_before(skn_tx *tx, int64_t before, size_t limit, skn_arena *a,
                               skein_audit_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_audit_list);
    skn_vec(skein_audit_row) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, before);
    skn_stmt_bind_int(&s, (int64_t)limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_audit_row one = {.id = skn_stmt_int(&s, 0),
                               .at = skn_stmt_int(&s, 1),
                               .who = skn_stmt_keep(&s, 2, a),
                               .from = skn_stmt_keep(&s, 3, a),
                               .what = skn_stmt_keep(&s, 4, a),
                               .subject = skn_stmt_keep(&s, 5, a),
                               .detail = skn_stmt_keep(&s, 6, a),
                               .request_id = skn_stmt_keep(&s, 7, a)};

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skein_audit_rows){v.p, v.n};
    return rc;
}
