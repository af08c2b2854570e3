/* store_audit.c: rows of the trail. */
#include "base/clock.h"
#include "store/stmt.h"

skein_rc skn_audit_insert(skn_tx *tx, const skein_audit_row *row, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_audit_add);

    skn_stmt_bind_int(&s, row->at);
    skn_stmt_bind_text(&s, row->who);
    skn_stmt_bind_text(&s, row->from);
    skn_stmt_bind_text(&s, row->what);
    skn_stmt_bind_text(&s, row->subject);
    skn_stmt_bind_text(&s, row->detail);
    skn_stmt_bind_text(&s, row->request_id);
    return skn_stmt_run(&s, err);
}

skein_rc skn_audit_rows_before(skn_tx *tx, int64_t before, size_t limit, skn_arena *a,
                               skein_audit_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_audit_list);
    skn_vec(skein_audit_row) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, before);
    skn_stmt_bind_int(&s, (int64_t)limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_audit_row one = {.id = skn_stmt_int(&s, 0),
                               .at = skn_stmt_int(&s, 1),
                               .who = skn_stmt_keep(&s, 2, a),
                               .from = skn_stmt_keep(&s, 3, a),
                               .what = skn_stmt_keep(&s, 4, a),
                               .subject = skn_stmt_keep(&s, 5, a),
                               .detail = skn_stmt_keep(&s, 6, a),
                               .request_id = skn_stmt_keep(&s, 7, a)};

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skein_audit_rows){v.p, v.n};
    return rc;
}

/* Browsers that are signed in. */

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

/* Rows of how tools of servers define themselves. */

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

/* The least that a durable message can cost on this database: one row with a unique
 * id, committed by itself, on the connection that the store writes with. */

/* A log that one run left behind must not be tidied away at the next one's expense. */
static skein_rc tidy(skn_db *db, skein_error *err)
{
    if (skn_db_is_pg(db))
        return SKEIN_OK;
    return skn_db_script(db, "PRAGMA wal_checkpoint(RESTART)", err);
}

static skein_rc insert_row(skn_tx *tx, int64_t conversation, skn_str text, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_floor_insert);
    char     uid[11];

    skn_tx_uid(tx, uid);
    skn_stmt_bind_text(&s, skn_str_of(uid));
    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, text);
    skn_stmt_bind_int(&s, skn_clock_micros());
    return skn_stmt_run(&s, err);
}

static skein_rc insert_rows(skn_tx *tx, const skn_floor *what, int64_t *nanos, skein_error *err)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < what->count && rc == SKEIN_OK; i++)
        rc = insert_row(tx, what->conversation, what->text, err);
    *nanos = skn_clock_monotonic() - start;
    return rc;
}

static skein_rc clear(skn_tx *tx, int64_t after, int64_t conversation, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_floor_clear);

    skn_stmt_bind_int(&s, after);
    skn_stmt_bind_int(&s, conversation);
    return skn_stmt_run(&s, err);
}

skein_rc skn_floor_run(skn_tx *tx, const skn_floor *what, int64_t *nanos, skein_error *err)
{
    skn_stmt newest = skn_stmt_use(tx->db, SKN_Q_message_newest);
    int64_t  after;
    skein_rc rc;

    *nanos = 0;
    if ((rc = skn_stmt_number(&newest, &after, err)) || (rc = tidy(tx->db, err)) ||
        what->count == 0)
        return rc;
    if ((rc = insert_rows(tx, what, nanos, err)) ||
        (rc = clear(tx, after, what->conversation, err)))
        return rc;
    return tidy(tx->db, err);
}
