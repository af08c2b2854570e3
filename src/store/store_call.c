/* store_call.c: rows of what models were sent and answered, where a verb is more than one statement. */
#include "base/hash.h"
#include "store/stmt.h"

/* --- Pieces ------------------------------------------------------------------------------------ */

/* The hashes as an "_of_many" statement takes them. */
static skn_str hash_list(const skn_str *hashes, size_t count, skn_arena *a)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i)
            skn_buf_addc(&b, ',');
        skn_buf_add(&b, hashes[i]);
    }
    return skn_buf_keep(&b, a);
}

skein_rc skn_pieces_known(skn_tx *tx, const skn_str *hashes, size_t count, bool *known,
                          int64_t *erased_at, skn_arena *a, skein_error *err)
{
    skn_stmt s = skn_stmt_with(
        tx, SKN_SQL(pieces_known_of_many, TEXT(hash_list(hashes, count, a))));
    skn_map *there = skn_map_new(a);
    bool     row;
    skein_rc rc;

    *erased_at = 0;
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

skein_rc skn_pieces_read(skn_tx *tx, const skn_str *hashes, size_t count, skn_str *bytes,
                         skn_arena *a, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, SKN_SQL(pieces_of_many, TEXT(hash_list(hashes, count, a))));
    skn_map *there = skn_map_new(a);
    bool     row;
    skein_rc rc;

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

/* --- Calls --------------------------------------------------------------------------------------- */

skein_rc skn_call_get(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a, skn_call_row *out,
                      bool *found, skein_error *err)
{
    static const enum skn_query ways[] = {SKN_Q_call_by_uid, SKN_Q_call_by_message,
                                          SKN_Q_call_in_vain};
    const skn_bind             *with = SKN_WITH(TEXT(uid), INT(world));
    skein_rc                    rc = SKEIN_OK;

    *found = false;
    for (size_t i = 0; rc == SKEIN_OK && !*found && i < sizeof ways / sizeof ways[0]; i++)
        rc = skn_get_row(tx, ways[i], with, &skn_row_of_skn_call_row, a, out, found, err);
    return rc;
}

skein_rc skn_model_calls_of(skn_tx *tx, int64_t world, skn_str message_uid, int64_t agent,
                            size_t limit, skn_arena *a, skein_model_calls *out,
                            skein_error *err)
{
    const skn_bind *message = SKN_WITH(INT(world), TEXT(message_uid), INT(agent), LIMIT(limit));
    const skn_bind *one = SKN_WITH(INT(world), INT(agent), LIMIT(limit));
    const skn_bind *all = SKN_WITH(INT(world), LIMIT(limit));
    const enum skn_query query = message_uid.p ? SKN_Q_call_list_message
                                 : agent       ? SKN_Q_call_list_agent
                                               : SKN_Q_call_list_world;
    skn_rows             rows = {0};
    skein_rc             rc = skn_get_rows(tx, query,
                               message_uid.p ? message
                                           : agent       ? one
                                                         : all,
                                           &skn_row_of_skein_model_call, a, &rows, err);

    *out = (skein_model_calls){rows.at, rows.count};
    return rc;
}

skein_rc skn_call_usage(skn_tx *tx, int64_t world, const skn_ids *messages, skn_arena *a,
                        skein_usage *out, skein_error *err)
{
    skn_stmt s = skn_stmt_with(
        tx, SKN_SQL(call_usage_of_many, TEXT(skn_number_list(messages, a)), INT(world)));
    skn_map *of = skn_map_new(a);
    bool     row;
    skein_rc rc;

    for (size_t i = 0; i < messages->count; i++)
        *skn_map_slot_int(of, messages->at[i]) = &out[i];
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_usage *u = skn_map_get_int(of, skn_stmt_int(&s, 0));

        *u = (skein_usage){.tokens_in = skn_stmt_int(&s, 1),
                           .tokens_out = skn_stmt_int(&s, 2),
                           .estimated = skn_stmt_int(&s, 3) != 0,
                           .tokens_cached = skn_stmt_int(&s, 4),
                           .tokens_written = skn_stmt_int(&s, 5),
                           .cost = skn_stmt_int(&s, 6)};
        u->known = u->tokens_in >= 0 || u->tokens_out >= 0;
    }
    skn_stmt_done(&s);
    return rc;
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
        skn_stmt_bind(&s, INT(last));
        if (conversation)
            skn_stmt_bind(&s, INT(conversation));
        skn_stmt_bind(&s, INT(PORTION));
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
