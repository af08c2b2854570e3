/* store_thread.c: rows of threads, their items, span nodes and compactions. */
#include "store/stmt.h"

skein_rc skn_thread_insert(skn_tx *tx, skn_thread_row *row, skn_arena *a, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_thread_insert);
    char     uid[11];

    skn_store_uid(tx->store, uid);
    row->uid = skn_arena_printf(a, "t_%s", uid);
    skn_stmt_bind_text(&s, row->uid);
    skn_stmt_bind_int(&s, row->lane_id);
    skn_stmt_bind_int(&s, row->version_id);
    skn_stmt_bind_id(&s, row->origin_id);
    skn_stmt_bind_int(&s, row->origin_length);
    skn_stmt_bind_id(&s, row->root_id);
    skn_stmt_bind_int(&s, row->base_length);
    skn_stmt_bind_id(&s, row->compaction_id);
    return skn_tx_made_uid(tx, skn_stmt_number(&s, &row->id, err));
}

skein_rc skn_thread_set_base(skn_tx *tx, int64_t id, int64_t root, int64_t length,
                             skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_thread_set_base);

    skn_stmt_bind_id(&s, root);
    skn_stmt_bind_int(&s, length);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_thread_set_compaction(skn_tx *tx, int64_t id, int64_t compaction, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_thread_set_compaction);

    skn_stmt_bind_id(&s, compaction);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

static skein_rc one_thread(skn_stmt *s, skn_arena *a, skn_thread_row *t, bool *found,
                           skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found) {
        t->id = skn_stmt_int(s, 0);
        t->uid = skn_stmt_keep(s, 1, a);
        t->lane_id = skn_stmt_int(s, 2);
        t->version_id = skn_stmt_int(s, 3);
        t->origin_id = skn_stmt_int(s, 4);
        t->origin_length = skn_stmt_int(s, 5);
        t->root_id = skn_stmt_int(s, 6);
        t->base_length = skn_stmt_int(s, 7);
        t->compaction_id = skn_stmt_int(s, 8);
        t->own_length = skn_stmt_int(s, 9);
    }
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_thread_get(skn_tx *tx, int64_t id, skn_arena *a, skn_thread_row *out, bool *found,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_thread_by_id);

    skn_stmt_bind_int(&s, id);
    return one_thread(&s, a, out, found, err);
}

skein_rc skn_thread_by_uid(skn_tx *tx, skn_str uid, skn_arena *a, skn_thread_row *out,
                           bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_thread_by_uid);

    skn_stmt_bind_text(&s, uid);
    return one_thread(&s, a, out, found, err);
}

skein_rc skn_thread_of(skn_tx *tx, int64_t version, int64_t lane, skn_arena *a,
                       skn_thread_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_thread_of);

    skn_stmt_bind_int(&s, version);
    skn_stmt_bind_int(&s, lane);
    return one_thread(&s, a, out, found, err);
}

skein_rc skn_item_insert(skn_tx *tx, int64_t thread, int64_t seq, int64_t message, int64_t key,
                         skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_item_insert);

    skn_stmt_bind_int(&s, thread);
    skn_stmt_bind_int(&s, seq);
    skn_stmt_bind_int(&s, message);
    skn_stmt_bind_id(&s, key);
    return skn_stmt_run(&s, err);
}

skein_rc skn_item_key(skn_tx *tx, int64_t thread, int64_t seq, int64_t *key, int64_t *message,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_item_key);
    bool     row = false;
    skein_rc rc;

    skn_stmt_bind_int(&s, thread);
    skn_stmt_bind_int(&s, seq);
    rc = skn_stmt_step(&s, &row, err);
    if (rc == SKEIN_OK && !row)
        rc = skn_fail(err, SKEIN_DAMAGED, "item %lld of thread %lld is missing", (long long)seq,
                      (long long)thread);
    if (rc == SKEIN_OK) {
        *key = skn_stmt_int(&s, 0);
        *message = skn_stmt_int(&s, 1);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_item_range(skn_tx *tx, int64_t thread, int64_t from, int64_t to, skn_arena *a,
                        skn_items *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_item_range);
    skn_vec(skn_item) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, thread);
    skn_stmt_bind_int(&s, from);
    skn_stmt_bind_int(&s, to);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_item item = {skn_stmt_int(&s, 0), skn_stmt_int(&s, 1), skn_stmt_int(&s, 2)};

        skn_vec_add(a, &v, item);
    }
    skn_stmt_done(&s);
    *out = (skn_items){v.p, v.n};
    return rc;
}

skein_rc skn_item_last(skn_tx *tx, int64_t thread, int64_t *message, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_item_last);

    skn_stmt_bind_int(&s, thread);
    return skn_stmt_number(&s, message, err);
}

skein_rc skn_items_newer(skn_tx *tx, int64_t thread, int64_t lo, int64_t hi, int64_t message,
                         int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_items_newer);

    skn_stmt_bind_int(&s, thread);
    skn_stmt_bind_int(&s, lo);
    skn_stmt_bind_int(&s, hi);
    skn_stmt_bind_int(&s, message);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_item_placements(skn_tx *tx, int64_t message, skn_arena *a, skn_placements *out,
                             skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_item_placements);
    skn_vec(skn_placement) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, message);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_placement p = {skn_stmt_int(&s, 0), skn_stmt_int(&s, 1), skn_stmt_int(&s, 2),
                           skn_stmt_int(&s, 3), skn_stmt_int(&s, 4)};

        skn_vec_add(a, &v, p);
    }
    skn_stmt_done(&s);
    *out = (skn_placements){v.p, v.n};
    return rc;
}

skein_rc skn_node_insert(skn_tx *tx, int64_t conversation, int level, skn_str entries,
                         int64_t *id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_node_insert);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_int(&s, level);
    skn_stmt_bind_blob(&s, entries);
    return skn_stmt_number(&s, id, err);
}

skein_rc skn_node_get(skn_tx *tx, int64_t id, skn_arena *a, int *level, skn_str *entries,
                      bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_node_get);
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        *level = (int)skn_stmt_int(&s, 0);
        *entries = skn_arena_copy(a, skn_stmt_blob(&s, 1));
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_compaction_insert(skn_tx *tx, skn_compaction_row *row, skn_str reason,
                               skn_str model, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_compaction_insert);

    skn_stmt_bind_int(&s, row->thread_id);
    skn_stmt_bind_int(&s, row->covers);
    skn_stmt_bind_int(&s, row->last_message_id);
    skn_stmt_bind_int(&s, row->summary_message_id);
    skn_stmt_bind_id(&s, row->previous_id);
    skn_stmt_bind_text(&s, reason);
    skn_stmt_bind_text(&s, model);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_number(&s, &row->id, err);
}

skein_rc skn_compaction_get(skn_tx *tx, int64_t id, skn_compaction_row *out, bool *found,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_compaction_by_id);
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        out->id = skn_stmt_int(&s, 0);
        out->thread_id = skn_stmt_int(&s, 1);
        out->covers = skn_stmt_int(&s, 2);
        out->last_message_id = skn_stmt_int(&s, 3);
        out->summary_message_id = skn_stmt_int(&s, 4);
        out->previous_id = skn_stmt_int(&s, 5);
    }
    skn_stmt_done(&s);
    return rc;
}
