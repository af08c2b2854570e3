/* store_definition.c: rows of how tools of servers define themselves. */
#include "store/stmt.h"

static void bind_tool(skn_stmt *s, const skn_definition_row *row)
{
    skn_stmt_bind_int(s, row->world_id);
    skn_stmt_bind_text(s, row->server);
    skn_stmt_bind_text(s, row->tool);
}

skein_rc skn_definition_put(skn_tx *tx, skn_definition_row *row, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_definition_find);
    bool     found = false;
    skein_rc rc;

    bind_tool(&s, row);
    skn_stmt_bind_text(&s, row->hash);
    rc = skn_stmt_step(&s, &found, err);
    if (rc == SKEIN_OK && found)
        row->id = skn_stmt_int(&s, 0);
    skn_stmt_done(&s);
    if (rc || found)
        return rc;
    s = skn_stmt_use(tx->db, SKN_Q_definition_insert);
    bind_tool(&s, row);
    skn_stmt_bind_text(&s, row->hash);
    skn_stmt_bind_text(&s, row->text);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_number(&s, &row->id, err);
}

skein_rc skn_definition_allowed(skn_tx *tx, const skn_definition_row *like, skn_arena *a,
                                skn_str *hash, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_definition_allowed);
    bool     found = false;
    skein_rc rc;

    bind_tool(&s, like);
    rc = skn_stmt_step(&s, &found, err);
    *hash = rc == SKEIN_OK && found ? skn_stmt_keep(&s, 0, a) : SKN_NONE;
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_definition_allow(skn_tx *tx, int64_t id, int64_t now, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_definition_outdate);
    skein_rc rc;

    skn_stmt_bind_int(&s, id);
    if ((rc = skn_stmt_run(&s, err)))
        return rc;
    s = skn_stmt_use(tx->db, SKN_Q_definition_allow);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, id);
    return skn_stmt_run(&s, err);
}
