/* store_call.c: rows of what models were sent and answered. */
#include "base/hash.h"
#include "store/stmt.h"

/* --- Pieces ------------------------------------------------------------------------------------ */

/* SQLite has one writer at a time. */
static skein_rc lock(skn_tx *tx, enum skn_query query, skein_error *err)
{
    skn_stmt s;
    int64_t  n;

    if (!skn_db_is_pg(tx->db))
        return SKEIN_OK;
    s = skn_stmt_use(tx->db, query);
    return skn_stmt_number(&s, &n, err);
}

skein_rc skn_pieces_share(skn_tx *tx, skein_error *err)
{
    return lock(tx, SKN_Q_pieces_share, err);
}

skein_rc skn_pieces_hold(skn_tx *tx, skein_error *err)
{
    return lock(tx, SKN_Q_pieces_hold, err);
}

/* The hashes as an "_of_many" statement takes them. */
static skn_str hash_list(const skn_str *hashes, size_t count, skn_arena *a)
{
    skn_buf b;
    skn_str out;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i)
            skn_buf_addc(&b, ',');
        skn_buf_add(&b, hashes[i]);
    }
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

skein_rc skn_pieces_known(skn_tx *tx, const skn_str *hashes, size_t count, bool *known,
                          int64_t *erased_at, skn_arena *a, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_pieces_known_of_many);
    skn_map *there = skn_map_new(a);
    bool     row;
    skein_rc rc;

    *erased_at = 0;
    skn_stmt_bind_text(&s, hash_list(hashes, count, a));
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        if (skn_stmt_text(&s, 0).n)
            *skn_map_slot(there, skn_stmt_text(&s, 0)) = there;
        else
            *erased_at = skn_stmt_int(&s, 1);
    }
    skn_stmt_done(&s);
    for (size_t i = 0; i < count; i++)
        known[i] = skn_map_get(there, hashes[i]) != NULL;
    return rc;
}

skein_rc skn_piece_insert(skn_tx *tx, skn_str hash, skn_str bytes, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_piece_insert);

    skn_stmt_bind_text(&s, hash);
    skn_stmt_bind_blob(&s, bytes);
    return skn_stmt_run(&s, err);
}

skein_rc skn_pieces_read(skn_tx *tx, const skn_str *hashes, size_t count, skn_str *bytes,
                         skn_arena *a, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_pieces_of_many);
    skn_map *there = skn_map_new(a);
    bool     row;
    skein_rc rc;

    skn_stmt_bind_text(&s, hash_list(hashes, count, a));
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skn_str *kept = SKN_NEW(a, skn_str);
        skn_str  b = skn_stmt_blob(&s, 1);

        *kept = skn_arena_copy(a, b.p ? b : SKN_STR(""));
        *skn_map_slot(there, skn_stmt_text(&s, 0)) = kept;
    }
    skn_stmt_done(&s);
    for (size_t i = 0; i < count; i++) {
        const skn_str *found = skn_map_get(there, hashes[i]);

        bytes[i] = found ? *found : SKN_NONE;
    }
    return rc;
}

skein_rc skn_pieces_erased(skn_tx *tx, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_pieces_erased);

    skn_stmt_bind_int(&s, now);
    return skn_stmt_run(&s, err);
}

skein_rc skn_piece_remove(skn_tx *tx, skn_str hash, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_piece_remove);

    skn_stmt_bind_text(&s, hash);
    return skn_stmt_run(&s, err);
}

/* --- Calls --------------------------------------------------------------------------------------- */

skein_rc skn_call_insert(skn_tx *tx, const skn_call_row *row, skein_error *err)
{
    const skein_model_call *c = &row->call;
    skn_stmt                s = skn_stmt_use(tx->db, SKN_Q_call_insert);

    skn_stmt_bind_text(&s, c->uid);
    skn_stmt_bind_int(&s, c->world.v);
    skn_stmt_bind_id(&s, c->chat.v);
    skn_stmt_bind_id(&s, c->agent.v);
    skn_stmt_bind_id(&s, c->turn);
    skn_stmt_bind_text(&s, c->message_uid);
    skn_stmt_bind_text(&s, c->purpose);
    skn_stmt_bind_text(&s, c->model);
    skn_stmt_bind_blob(&s, row->request);
    skn_stmt_bind_text(&s, row->response);
    skn_stmt_bind_text(&s, c->state);
    skn_stmt_bind_text(&s, c->error);
    skn_stmt_bind_int(&s, c->tokens_in);
    skn_stmt_bind_int(&s, c->tokens_out);
    skn_stmt_bind_int(&s, c->estimated);
    skn_stmt_bind_int(&s, c->first_ms);
    skn_stmt_bind_int(&s, c->total_ms);
    skn_stmt_bind_int(&s, c->tries);
    skn_stmt_bind_int(&s, c->created_at);
    skn_stmt_bind_text(&s, c->made_of);
    return skn_tx_made_uid(tx, skn_stmt_run(&s, err));
}

static void read_call(const skn_stmt *s, skn_arena *a, skein_model_call *c)
{
    *c = (skein_model_call){.uid = skn_stmt_keep(s, 0, a),
                            .world.v = skn_stmt_int(s, 1),
                            .chat.v = skn_stmt_int(s, 2),
                            .chat_uid = skn_stmt_keep(s, 3, a),
                            .agent.v = skn_stmt_int(s, 4),
                            .agent_name = skn_stmt_keep(s, 5, a),
                            .turn = skn_stmt_int(s, 6),
                            .message_uid = skn_stmt_keep(s, 7, a),
                            .purpose = skn_stmt_keep(s, 8, a),
                            .model = skn_stmt_keep(s, 9, a),
                            .state = skn_stmt_keep(s, 10, a),
                            .error = skn_stmt_keep(s, 11, a),
                            .tokens_in = skn_stmt_int(s, 12),
                            .tokens_out = skn_stmt_int(s, 13),
                            .estimated = skn_stmt_int(s, 14) != 0,
                            .first_ms = skn_stmt_int(s, 15),
                            .total_ms = skn_stmt_int(s, 16),
                            .tries = skn_stmt_int(s, 17),
                            .created_at = skn_stmt_int(s, 18)};
}

static skein_rc get_by(skn_tx *tx, enum skn_query query, int64_t world, skn_str uid,
                       skn_arena *a, skn_call_row *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);
    skein_rc rc;

    skn_stmt_bind_text(&s, uid);
    skn_stmt_bind_int(&s, world);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        read_call(&s, a, &out->call);
        out->request = skn_arena_copy(a, skn_stmt_blob(&s, 19));
        out->response = skn_stmt_keep(&s, 20, a);
        out->call.made_of = skn_stmt_keep(&s, 21, a);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_call_get(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a, skn_call_row *out,
                      bool *found, skein_error *err)
{
    static const enum skn_query ways[] = {SKN_Q_call_by_uid, SKN_Q_call_by_message,
                                          SKN_Q_call_in_vain};
    skein_rc                    rc = SKEIN_OK;

    *found = false;
    for (size_t i = 0; rc == SKEIN_OK && !*found && i < sizeof ways / sizeof ways[0]; i++)
        rc = get_by(tx, ways[i], world, uid, a, out, found, err);
    return rc;
}

skein_rc skn_model_calls_of(skn_tx *tx, int64_t world, skn_str message_uid, int64_t agent,
                            size_t limit, skn_arena *a, skein_model_calls *out,
                            skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, message_uid.p ? SKN_Q_call_list_message
                                      : agent       ? SKN_Q_call_list_agent
                                                    : SKN_Q_call_list_world);
    skn_vec(skein_model_call) v = {0};
    skein_model_call c;
    bool             row;
    skein_rc         rc;

    skn_stmt_bind_int(&s, world);
    if (message_uid.p)
        skn_stmt_bind_text(&s, message_uid);
    if (message_uid.p || agent)
        skn_stmt_bind_int(&s, agent);
    skn_stmt_bind_limit(&s, limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_call(&s, a, &c);
        skn_vec_add(a, &v, c);
    }
    skn_stmt_done(&s);
    *out = (skein_model_calls){v.p, v.n};
    return rc;
}

skein_rc skn_call_tokens(skn_tx *tx, int64_t world, int64_t since, int64_t *tokens,
                         skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_call_tokens);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_int(&s, since);
    return skn_stmt_number(&s, tokens, err);
}

skein_rc skn_call_spending(skn_tx *tx, int64_t since, skn_arena *a, skein_model_uses *out,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_call_spending);
    skn_vec(skein_model_use) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, since);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_model_use one = {skn_stmt_keep(&s, 0, a), skn_stmt_int(&s, 1),
                               skn_stmt_int(&s, 2)};

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skein_model_uses){v.p, v.n};
    return rc;
}

skein_rc skn_call_usage(skn_tx *tx, int64_t world, const skn_ids *messages, skn_arena *a,
                        skein_usage *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_call_usage_of_many);
    skn_map *of = skn_map_new(a);
    bool     row;
    skein_rc rc;

    for (size_t i = 0; i < messages->count; i++)
        *skn_map_slot_int(of, messages->at[i]) = &out[i];
    skn_stmt_bind_text(&s, skn_number_list(messages, a));
    skn_stmt_bind_int(&s, world);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_usage *u = skn_map_get_int(of, skn_stmt_int(&s, 0));

        *u = (skein_usage){.tokens_in = skn_stmt_int(&s, 1),
                           .tokens_out = skn_stmt_int(&s, 2),
                           .estimated = skn_stmt_int(&s, 3) != 0};
        u->known = u->tokens_in >= 0 || u->tokens_out >= 0;
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_call_erase(skn_tx *tx, int64_t conversation, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_call_erase);

    skn_stmt_bind_blob(&s, SKN_STR(""));
    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_run(&s, err);
}

skein_rc skn_call_each(skn_tx *tx, int64_t conversation, skn_call_sink *sink, void *arg,
                       skein_error *err)
{
    enum { PORTION = 256 };
    int64_t  last = 0, n = PORTION;
    bool     row;
    skein_rc rc = SKEIN_OK;

    while (rc == SKEIN_OK && n == PORTION) {
        skn_stmt s = skn_stmt_use(tx->db,
                                  conversation ? SKN_Q_call_pieces_of : SKN_Q_call_pieces);

        n = 0;
        skn_stmt_bind_int(&s, last);
        if (conversation)
            skn_stmt_bind_int(&s, conversation);
        skn_stmt_bind_int(&s, PORTION);
        while (rc == SKEIN_OK && !(rc = skn_stmt_step(&s, &row, err)) && row) {
            last = skn_stmt_int(&s, 0);
            n++;
            rc = sink(arg, skn_stmt_text(&s, 1), skn_stmt_blob(&s, 2), skn_stmt_text(&s, 3),
                      err);
        }
        skn_stmt_done(&s);
    }
    return rc;
}
