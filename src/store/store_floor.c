/* store_floor.c: the least that a durable message can cost on this database: one row with a unique
 * id, committed by itself, on the connection that the store writes with. */
#include "base/clock.h"
#include "store/stmt.h"

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
