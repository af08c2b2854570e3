/* store_session.c: browsers that are signed in. */
#include "store/stmt.h"

skein_rc skn_session_insert(skn_tx *tx, const skn_session *what, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_session_insert);

    skn_stmt_bind_text(&s, what->uid);
    skn_stmt_bind_text(&s, what->hash);
    skn_stmt_bind_text(&s, what->label);
    skn_stmt_bind_int(&s, what->peer_uid);
    skn_stmt_bind_int(&s, what->created_at);
    skn_stmt_bind_int(&s, what->expires_at);
    return skn_stmt_run(&s, err);
}

skein_rc skn_session_trim(skn_tx *tx, int64_t now, int64_t most, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_session_trim);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, most);
    return skn_stmt_run(&s, err);
}

skein_rc skn_session_rows(skn_tx *tx, int64_t now, skn_arena *a, skn_sessions *out,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_session_list);
    skn_vec(skn_session) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, now);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_session one = {.uid = skn_stmt_keep(&s, 0, a),
                           .hash = skn_stmt_keep(&s, 1, a),
                           .label = skn_stmt_keep(&s, 2, a),
                           .peer_uid = skn_stmt_int(&s, 3),
                           .created_at = skn_stmt_int(&s, 4),
                           .expires_at = skn_stmt_int(&s, 5)};

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skn_sessions){v.p, v.n};
    return rc;
}

skein_rc skn_session_delete(skn_tx *tx, skn_str uid, int64_t *gone, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, uid.p ? SKN_Q_session_delete : SKN_Q_session_delete_all);
    skein_rc rc;

    if (uid.p)
        skn_stmt_bind_text(&s, uid);
    rc = skn_stmt_run(&s, err);
    *gone = rc ? 0 : skn_db_changes(tx->db);
    return rc;
}
