/* store_tree.c: rows of tags, threads, operations and squashes, where a verb is more than one statement. */
#include "store/stmt.h"

/* --- Tags ----------------------------------------------------------------------------------------- */

skein_rc skn_tag_drop(skn_tx *tx, int64_t id, skein_error *err)
{
    const skn_bind *with = SKN_WITH(INT(id));
    skein_rc        rc = skn_run(tx, SKN_Q_tag_clear, with, err);

    return rc ? rc : skn_run(tx, SKN_Q_tag_delete, with, err);
}

skein_rc skn_tag_set_active(skn_tx *tx, int64_t conversation, int64_t id, bool active,
                            skein_error *err)
{
    return skn_run(
        tx, active ? SKN_Q_tag_activate : SKN_SQL(tag_deactivate, INT(conversation), INT(id)),
        err);
}

/* --- Threads, items, nodes -------------------------------------------------------------------------- */

skein_rc skn_item_key(skn_tx *tx, int64_t thread, int64_t seq, int64_t *key, int64_t *message,
                      skein_error *err)
{
    bool     found;
    skein_rc rc = skn_get_columns(tx, SKN_SQL(item_key, INT(thread), INT(seq)),
                                  SKN_INTO(SKN_TO(key), SKN_TO(message)), NULL, &found, err);

    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_DAMAGED, "item %lld of thread %lld is missing", (long long)seq,
                    (long long)thread);
}

skein_rc skn_compaction_get(skn_tx *tx, int64_t id, skn_compaction_row *out, bool *found,
                            skein_error *err)
{
    return skn_get_row(tx, SKN_SQL(compaction_by_id, INT(id)), &skn_row_of_skn_compaction_row,
                       NULL, out, found, err);
}

skein_rc skn_edges_of(skn_tx *tx, skn_edge_kind kind, const skn_ids *from, skn_arena *a,
                      skn_edges *out, skein_error *err)
{
    static const enum skn_query queries[] = {
        [SKN_EDGE_REPLY] = SKN_Q_replies_of_many,
        [SKN_EDGE_AMEND] = SKN_Q_amends_of_many,
        [SKN_EDGE_SOURCE] = SKN_Q_sources_of_many,
    };
    skn_rows rows = {0};
    skein_rc rc = skn_get_rows(tx, queries[kind], SKN_WITH(TEXT(skn_number_list(from, a))),
                               &skn_row_of_skn_edge, a, &rows, err);

    *out = (skn_edges){rows.at, rows.count};
    return rc;
}

/* --- Requests that are known, squashes ------------------------------------------------------------- */

/* How long a repeated request is known. */
#define KEY_KEPT ((int64_t)7 * 86400 * 1000000)

skein_rc skn_idempotency_insert(skn_tx *tx, skn_str key, int64_t hash, skn_str response,
                                int64_t now, skein_error *err)
{
    skein_rc rc = skn_run(tx, SKN_SQL(idempotency_expire, INT(now - KEY_KEPT)), err);

    return rc ? rc
              : skn_run(
                    tx,
                    SKN_SQL(idempotency_insert, TEXT(key), INT(hash), TEXT(response), INT(now)),
                    err);
}

skein_rc skn_squash_insert(skn_tx *tx, skn_str uid, const skn_squash_row *row,
                           const int64_t *sources, size_t count, skein_error *err)
{
    int64_t  id;
    skein_rc rc = skn_get_number(tx,
                                 SKN_SQL(squash_insert, TEXT(uid), INT(row->conversation_id),
                                         INT(row->version_id), INT(row->result_message_id),
                                         TEXT(row->prompt), TEXT(row->model),
                                         INT(row->by_agent), INT(row->created_at)),
                                 &id, err);

    rc = skn_tx_made_uid(tx, rc);
    for (size_t i = 0; rc == SKEIN_OK && i < count; i++)
        rc = skn_run(
            tx, SKN_SQL(squash_source_insert, INT(id), INT((int64_t)i), INT(sources[i])), err);
    return rc;
}

skein_rc skn_squash_sources(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *ids, skn_str **uids,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_SQL(squash_sources, INT(id)));
    skn_vec(int64_t) v = {0};
    skn_vec(skn_str) names = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_vec_add(a, &v, skn_stmt_int(&s, 0));
        skn_vec_add(a, &names, skn_stmt_keep(&s, 1, a));
    }
    skn_stmt_done(&s);
    *ids = (skn_ids){v.p, v.n};
    *uids = names.p;
    return rc;
}
