/* store_version.c: rows of versions, of the operations that moved between them, and of keys that
 * make a repeated request harmless. */
#include "store/stmt.h"

skein_rc skn_version_insert(skn_tx *tx, const skn_version_row *row, int64_t *id,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_version_insert);

    skn_stmt_bind_int(&s, row->conversation_id);
    skn_stmt_bind_id(&s, row->origin_id);
    skn_stmt_bind_int(&s, row->origin_length);
    skn_stmt_bind_text(&s, row->kind);
    skn_stmt_bind_text(&s, row->actor);
    skn_stmt_bind_text(&s, row->note);
    skn_stmt_bind_int(&s, row->created_at);
    return skn_stmt_number(&s, id, err);
}

static void read_version(const skn_stmt *s, skn_arena *a, skn_version_row *v)
{
    v->id = skn_stmt_int(s, 0);
    v->conversation_id = skn_stmt_int(s, 1);
    v->number = skn_stmt_int(s, 2);
    v->origin_id = skn_stmt_int(s, 3);
    v->origin_number = skn_stmt_int(s, 4);
    v->origin_length = skn_stmt_int(s, 5);
    v->kind = skn_stmt_keep(s, 6, a);
    v->actor = skn_stmt_keep(s, 7, a);
    v->note = skn_stmt_keep(s, 8, a);
    v->created_at = skn_stmt_int(s, 9);
}

static skein_rc one_version(skn_stmt *s, skn_arena *a, skn_version_row *out, bool *found,
                            skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_version(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_version_get(skn_tx *tx, int64_t id, skn_arena *a, skn_version_row *out,
                         bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_version_by_id);

    skn_stmt_bind_int(&s, id);
    return one_version(&s, a, out, found, err);
}

skein_rc skn_version_by_number(skn_tx *tx, int64_t conversation, int64_t number, skn_arena *a,
                               skn_version_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_version_by_number);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, number);
    return one_version(&s, a, out, found, err);
}

skein_rc skn_op_insert(skn_tx *tx, int64_t conversation, const skn_op_row *row, skn_str actor,
                       int64_t now, int64_t *id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_op_insert);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, row->kind);
    skn_stmt_bind_int(&s, row->from_version_id);
    skn_stmt_bind_int(&s, row->to_version_id);
    skn_stmt_bind_int(&s, row->newest_message_id);
    skn_stmt_bind_id(&s, row->undoes_id);
    skn_stmt_bind_text(&s, actor);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_number(&s, id, err);
}

static enum skn_query op_query(skn_op_which which)
{
    switch (which) {
    case SKN_OP_LAST_STANDING:
        return SKN_Q_op_last_standing;
    case SKN_OP_LAST_UNDONE:
        break;
    }
    return SKN_Q_op_last_undone;
}

static skein_rc one_op(skn_stmt *s, skn_arena *a, skn_op_row *out, bool *found,
                       skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found) {
        out->id = skn_stmt_int(s, 0);
        out->kind = skn_stmt_keep(s, 1, a);
        out->from_version_id = skn_stmt_int(s, 2);
        out->to_version_id = skn_stmt_int(s, 3);
        out->newest_message_id = skn_stmt_int(s, 4);
        out->undoes_id = skn_stmt_int(s, 5);
        out->undone_by_id = skn_stmt_int(s, 6);
    }
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_op_find(skn_tx *tx, int64_t conversation, skn_op_which which, skn_arena *a,
                     skn_op_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, op_query(which));

    skn_stmt_bind_int(&s, conversation);
    return one_op(&s, a, out, found, err);
}

skein_rc skn_op_get(skn_tx *tx, int64_t id, skn_arena *a, skn_op_row *out, bool *found,
                    skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_op_by_id);

    skn_stmt_bind_int(&s, id);
    return one_op(&s, a, out, found, err);
}

skein_rc skn_op_left_newest(skn_tx *tx, int64_t conversation, int64_t version, int64_t *message,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_op_left_newest);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, version);
    return skn_stmt_number(&s, message, err);
}

skein_rc skn_op_set_undone(skn_tx *tx, int64_t id, int64_t by, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_op_set_undone);

    skn_stmt_bind_id(&s, by);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_idempotency_get(skn_tx *tx, skn_str key, skn_arena *a, int64_t *hash,
                             skn_str *response, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_idempotency_get);
    skein_rc rc;

    skn_stmt_bind_text(&s, key);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        *hash = skn_stmt_int(&s, 0);
        *response = skn_stmt_keep(&s, 1, a);
    }
    skn_stmt_done(&s);
    return rc;
}

/* How long a repeated request is known. */
#define KEY_KEPT ((int64_t)7 * 86400 * 1000000)

skein_rc skn_idempotency_insert(skn_tx *tx, skn_str key, int64_t hash, skn_str response,
                                int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_idempotency_expire);
    skein_rc rc;

    skn_stmt_bind_int(&s, now - KEY_KEPT);
    if ((rc = skn_stmt_run(&s, err)))
        return rc;
    s = skn_stmt_use(tx->db, SKN_Q_idempotency_insert);
    skn_stmt_bind_text(&s, key);
    skn_stmt_bind_int(&s, hash);
    skn_stmt_bind_text(&s, response);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_run(&s, err);
}

skein_rc skn_idempotency_move(skn_tx *tx, skn_str key, skn_str response, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_idempotency_move);

    skn_stmt_bind_text(&s, response);
    skn_stmt_bind_text(&s, key);
    return skn_stmt_run(&s, err);
}

/* Rows of squashes and of what they took. */

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
