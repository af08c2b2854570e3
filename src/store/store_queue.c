/* store_queue.c: rows of messages that wait to be said. */
#include "store/stmt.h"

skein_rc skn_waiting_insert(skn_tx *tx, const skn_waiting_row *row, skein_error *err)
{
    const skein_waiting *m = &row->message;
    skn_stmt             s = skn_stmt_use(tx->db, SKN_Q_waiting_insert);
    skn_buf              json;
    skein_rc             rc;

    skn_buf_init(&json, SIZE_MAX / 2);
    skn_stmt_bind_text(&s, m->uid);
    skn_stmt_bind_int(&s, row->conversation_id);
    skn_stmt_bind_text(&s, m->sender);
    skn_stmt_bind_text(&s, m->content);
    skn_stmt_bind_text(&s, m->reply_to);
    skn_stmt_bind_text(&s,
                       skn_instructions_json(row->instructions, row->instruction_count, &json));
    skn_stmt_bind_text(&s, m->client_id);
    skn_stmt_bind_text(&s, row->model);
    skn_stmt_bind_int(&s, m->created_at);
    rc = skn_tx_made_uid(tx, skn_stmt_run(&s, err));
    skn_buf_release(&json);
    return rc;
}

static void read_waiting(const skn_stmt *s, skn_arena *a, skn_waiting_row *r)
{
    skein_message tags = {0};

    skn_instructions_read(skn_stmt_text(s, 9), a, &tags);
    *r = (skn_waiting_row){.id = skn_stmt_int(s, 0),
                           .conversation_id = skn_stmt_int(s, 1),
                           .message = {.uid = skn_stmt_keep(s, 2, a),
                                       .sender = skn_stmt_keep(s, 3, a),
                                       .content = skn_stmt_keep(s, 4, a),
                                       .reply_to = skn_stmt_keep(s, 5, a),
                                       .client_id = skn_stmt_keep(s, 6, a),
                                       .created_at = skn_stmt_int(s, 7)},
                           .model = skn_stmt_keep(s, 8, a),
                           .instructions = tags.instructions,
                           .instruction_count = tags.instruction_count};
}

static skein_rc one_waiting(skn_stmt *s, skn_arena *a, skn_waiting_row *out, bool *found,
                            skein_error *err)
{
    skein_rc rc = skn_stmt_step(s, found, err);

    if (rc == SKEIN_OK && *found)
        read_waiting(s, a, out);
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_waiting_list(skn_tx *tx, int64_t conversation, skn_arena *a, skn_waiting_rows *out,
                          skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_list);
    skn_vec(skn_waiting_row) v = {0};
    skn_waiting_row r;
    bool            row;
    skein_rc        rc;

    skn_stmt_bind_int(&s, conversation);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_waiting(&s, a, &r);
        skn_vec_add(a, &v, r);
    }
    skn_stmt_done(&s);
    *out = (skn_waiting_rows){v.p, v.n};
    return rc;
}

skein_rc skn_waiting_get(skn_tx *tx, int64_t conversation, skn_str uid, skn_arena *a,
                         skn_waiting_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_by_uid);

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, uid);
    return one_waiting(&s, a, out, found, err);
}

skein_rc skn_waiting_anywhere(skn_tx *tx, skn_str uid, skn_arena *a, skn_waiting_row *out,
                              bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_anywhere);

    skn_stmt_bind_text(&s, uid);
    return one_waiting(&s, a, out, found, err);
}

skein_rc skn_waiting_first(skn_tx *tx, int64_t conversation, skn_arena *a, skn_waiting_row *out,
                           bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_first);

    skn_stmt_bind_int(&s, conversation);
    return one_waiting(&s, a, out, found, err);
}

skein_rc skn_waiting_uids(skn_tx *tx, int64_t conversation, size_t limit, skn_arena *a,
                          skn_str **out, size_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_uids);
    skn_vec(skn_str) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_limit(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row)
        skn_vec_add(a, &v, skn_stmt_keep(&s, 0, a));
    skn_stmt_done(&s);
    *out = v.p;
    *count = v.n;
    return rc;
}

skein_rc skn_waiting_set(skn_tx *tx, int64_t id, skn_str content, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_set);

    skn_stmt_bind_text(&s, content);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_waiting_delete(skn_tx *tx, int64_t id, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_delete);

    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_waiting_count(skn_tx *tx, int64_t conversation, int64_t *count, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_waiting_count);

    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_number(&s, count, err);
}

skein_rc skn_uid_promised(skn_tx *tx, skn_str uid, bool *promised, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_uid_promised);
    int64_t  count = 0;
    skein_rc rc;

    skn_stmt_bind_text(&s, uid);
    rc = skn_stmt_number(&s, &count, err);
    *promised = count > 0;
    return rc;
}
