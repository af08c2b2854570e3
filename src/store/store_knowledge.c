/* store_knowledge.c: rows of what agents keep in mind. */
#include "base/sha256.h"
#include "store/stmt.h"

#define UID_TRIES 5

static void read_item(const skn_stmt *s, skn_arena *a, skein_knowledge *out)
{
    *out = (skein_knowledge){.uid = skn_stmt_keep(s, 1, a),
                             .type = skn_stmt_keep(s, 2, a),
                             .content = skn_stmt_keep(s, 3, a),
                             .confidence = skn_stmt_int(s, 4),
                             .chat_uid = skn_stmt_keep(s, 5, a),
                             .message_uid = skn_stmt_keep(s, 6, a),
                             .created_at = skn_stmt_int(s, 7)};
}

static skein_rc insert(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                       skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_insert);
    char     uid[11];

    skn_tx_uid(tx, uid);
    row->item.uid = skn_arena_printf(a, "know_%s", uid);
    skn_stmt_bind_text(&s, row->item.uid);
    skn_stmt_bind_int(&s, row->agent_id);
    skn_stmt_bind_text(&s, row->item.type);
    skn_stmt_bind_text(&s, row->item.content);
    skn_stmt_bind_text(&s, hash);
    skn_stmt_bind_int(&s, row->item.confidence);
    skn_stmt_bind_id(&s, row->conversation_id);
    skn_stmt_bind_id(&s, row->message_id);
    skn_stmt_bind_int(&s, row->item.created_at);
    return skn_stmt_number(&s, &row->id, err);
}

static skein_rc find(skn_tx *tx, skn_knowledge_row *row, skn_str hash, skn_arena *a,
                     bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_by_hash);
    skein_rc rc;

    skn_stmt_bind_int(&s, row->agent_id);
    skn_stmt_bind_text(&s, hash);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        row->id = skn_stmt_int(&s, 0);
        read_item(&s, a, &row->item);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_knowledge_put(skn_tx *tx, skn_knowledge_row *row, skn_arena *a, bool *stored,
                           skein_error *err)
{
    char       text[SKN_SHA256_TEXT];
    skn_sha256 sum;
    skn_str    hash;
    bool       found = false;
    skein_rc   rc = SKEIN_OK;

    skn_sha256_init(&sum);
    skn_sha256_add(&sum, row->item.content);
    hash = skn_sha256_text(&sum, text);
    row->id = 0;
    *stored = false;
    /* Whoever is not stored meets the same thought, or an id that was made before. */
    for (int tries = 0; rc == SKEIN_OK && !found && row->id == 0 && tries < UID_TRIES; tries++)
        if ((rc = insert(tx, row, hash, a, err)) == SKEIN_OK && row->id == 0)
            rc = find(tx, row, hash, a, &found, err);
    *stored = rc == SKEIN_OK && !found;
    if (rc == SKEIN_OK && row->id == 0)
        return skn_fail(err, SKEIN_CONFLICT, "the id of the new item is taken; try again");
    return rc;
}

skein_rc skn_knowledge_rows(skn_tx *tx, int64_t agent, size_t limit,
                            skn_knowledge_sieve *wanted, void *arg, skn_arena *a,
                            skein_knowledges *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_list);
    skn_vec(skein_knowledge) v = {0};
    bool     row;
    skein_rc rc = SKEIN_OK;

    skn_stmt_bind_int(&s, agent);
    while (v.n < limit && !(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_knowledge item = {.content = skn_stmt_text(&s, 3)};

        if (wanted && !wanted(arg, &item))
            continue;
        read_item(&s, a, &item);
        skn_vec_add(a, &v, item);
    }
    skn_stmt_done(&s);
    *out = (skein_knowledges){v.p, v.n};
    return rc;
}

skein_rc skn_knowledge_count(skn_tx *tx, int64_t agent, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_count);

    skn_stmt_bind_int(&s, agent);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_knowledge_forget(skn_tx *tx, int64_t agent, skn_str uid, int64_t now, bool *found,
                              skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_forget);

    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_text(&s, uid);
    return skn_stmt_changed(tx, &s, found, err);
}

skein_rc skn_knowledge_mark(skn_tx *tx, int64_t lane, int64_t *upto, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_mark);

    skn_stmt_bind_int(&s, lane);
    return skn_stmt_number(&s, upto, err);
}

skein_rc skn_knowledge_mark_move(skn_tx *tx, int64_t lane, int64_t from, int64_t upto,
                                 bool *moved, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_knowledge_mark_move);

    skn_stmt_bind_int(&s, upto);
    skn_stmt_bind_int(&s, lane);
    skn_stmt_bind_int(&s, from);
    return skn_stmt_changed(tx, &s, moved, err);
}
