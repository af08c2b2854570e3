#include "store/stmt.h"

void skn_stmt_bind_limit(skn_stmt *s, size_t limit)
{
    skn_stmt_bind_int(s, limit > INT32_MAX ? INT32_MAX : (int64_t)limit);
}

skein_rc skn_stmt_number(skn_stmt *s, int64_t *out, skein_error *err)
{
    bool     row = false;
    skein_rc rc = skn_stmt_step(s, &row, err);

    *out = rc == SKEIN_OK && row ? skn_stmt_int(s, 0) : 0;
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_stmt_numbers(skn_stmt *s, skn_arena *a, skn_ids *out, skein_error *err)
{
    skn_vec(int64_t) v = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(s, &row, err)) && row)
        skn_vec_add(a, &v, skn_stmt_int(s, 0));
    skn_stmt_done(s);
    *out = (skn_ids){v.p, v.n};
    return rc;
}

skein_rc skn_stmt_changed(skn_tx *tx, skn_stmt *s, bool *changed, skein_error *err)
{
    skein_rc rc = skn_stmt_run(s, err);

    *changed = rc == SKEIN_OK && skn_db_changes(tx->db) > 0;
    return rc;
}

void skn_tx_uid(skn_tx *tx, char out[11])
{
    skn_store_uid(tx->store, out);
}

skein_rc skn_tx_made_uid(skn_tx *tx, skein_rc rc)
{
    if (rc != SKEIN_OK && skn_db_was_duplicate(tx->db))
        tx->retry = true;
    return rc;
}

skn_str skn_stmt_keep(const skn_stmt *s, int column, skn_arena *a)
{
    return skn_arena_copy(a, skn_stmt_text(s, column));
}

skn_str skn_prefix_end(skn_str prefix, skn_arena *a)
{
    /* Ids are ASCII, and 0x7f sorts after every character they may have. */
    return skn_arena_printf(a, "%.*s\x7f", SKN_FMT(prefix));
}
