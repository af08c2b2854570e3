/* store_feed.c: rows of events, and of what the program keeps for itself, where a verb is more than one statement. */
#include "base/clock.h"
#include "store/stmt.h"

/* More of them go in one statement: PostgreSQL is asked once, and nobody waits for it for long. */
#define FEW 3

/* --- Telling --------------------------------------------------------------------------------- */

void skn_event_add(skn_tx *tx, const skn_event_row *row)
{
    skn_event_row copy = *row;

    if (!tx->told.a)
        tx->told.a = skn_arena_new();
    copy.cause = skn_arena_copy(tx->told.a, row->cause);
    copy.type = skn_arena_copy(tx->told.a, row->type);
    copy.data = skn_arena_copy(tx->told.a, row->data);
    copy.at = row->at ? row->at : skn_clock_micros();
    skn_vec_add(tx->told.a, &tx->told.rows, copy);
}

static skein_rc write_one(skn_tx *tx, const skn_event_row *row, skein_error *err)
{
    return skn_run(tx,
                   SKN_SQL(event_insert, INT(row->world_id), ID(row->conversation_id),
                           ID(row->version_id), ID(row->message_id), TEXT(row->cause),
                           TEXT(row->type), TEXT(row->data), INT(row->at)),
                   err);
}

static void id_or_null(skn_jw *w, int64_t id)
{
    if (id)
        skn_jw_int(w, id);
    else
        skn_jw_null(w);
}

static skein_rc write_many(skn_tx *tx, skein_error *err)
{
    skn_buf  buf;
    skn_jw   w;
    skein_rc rc;

    skn_jw_open(&w, &buf, SIZE_MAX / 2);
    skn_jw_array(&w);
    for (size_t i = 0; i < tx->told.rows.n; i++) {
        const skn_event_row *row = &tx->told.rows.p[i];

        skn_jw_array(&w);
        skn_jw_int(&w, row->world_id);
        id_or_null(&w, row->conversation_id);
        id_or_null(&w, row->version_id);
        id_or_null(&w, row->message_id);
        skn_jw_str(&w, row->cause);
        skn_jw_str(&w, row->type);
        skn_jw_str(&w, row->data);
        skn_jw_int(&w, row->at);
        skn_jw_array_end(&w);
    }
    skn_jw_array_end(&w);
    rc = skn_run(tx, SKN_SQL(event_insert_many, TEXT(skn_buf_str(&buf))), err);
    skn_buf_release(&buf);
    return rc;
}

skein_rc skn_events_write(skn_tx *tx, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    if (tx->told.rows.n > FEW)
        return write_many(tx, err);
    for (size_t i = 0; rc == SKEIN_OK && i < tx->told.rows.n; i++)
        rc = write_one(tx, &tx->told.rows.p[i], err);
    return rc;
}

void skn_events_clear(skn_tx *tx)
{
    skn_arena *a = tx->told.a;

    if (a)
        skn_arena_reset(a);
    tx->told = (skn_told_events){.a = a};
}

void skn_events_release(skn_tx *tx)
{
    skn_arena_free(tx->told.a);
    tx->told = (skn_told_events){0};
}

/* --- Reading ---------------------------------------------------------------------------------- */

skein_rc skn_event_rows_in(skn_tx *tx, const skn_event_range *range, skn_arena *a,
                           skn_event_rows *out, skein_error *err)
{
    const int64_t        of = range->conversation ? range->conversation : range->world;
    const enum skn_query query = range->conversation ? SKN_Q_event_after_conversation
                                 : of                ? SKN_Q_event_after_world
                                                     : SKN_Q_event_after;
    const skn_bind      *with = SKN_WITH(INT(of), INT(range->after), INT(range->upto),
                                         LIMIT(range->limit));
    skn_rows             rows = {0};
    skein_rc rc = skn_get_rows(tx, query, of ? with : with + 1, &skn_row_of_skn_event_row, a,
                               &rows, err);

    *out = (skn_event_rows){rows.at, rows.count};
    return rc;
}

/* Nobody is asked to stand still when there is nothing to read. */
skein_rc skn_event_settled(skn_tx *tx, int64_t after, int64_t *upto, skein_error *err)
{
    skein_rc rc = skn_event_newest(tx, upto, err);

    if (rc || *upto <= after) {
        *upto = 0;
        return rc;
    }
    return skn_get_number(tx, SKN_SQL(event_settled, NOTHING), upto, err);
}

static skein_rc last_below(skn_tx *tx, int64_t id, int64_t *last, skein_error *err)
{
    return skn_get_number(tx, SKN_SQL(event_last_below, INT(id)), last, err);
}

skein_rc skn_event_span(skn_tx *tx, int64_t upto, int64_t *newest, int64_t *forgotten,
                        skein_error *err)
{
    skein_rc rc = last_below(tx, upto + 1, newest, err);

    *forgotten = 0;
    return rc ? rc
              : skn_get_number(tx, SKN_SQL(meta_get, TEXT(SKN_STR("events_forgotten"))),
                               forgotten, err);
}

skein_rc skn_event_older(skn_tx *tx, int64_t before, int64_t *oldest, int64_t *stays,
                         skein_error *err)
{
    skein_rc rc = skn_get_number(tx, SKN_SQL(event_oldest, NOTHING), oldest, err);

    return rc ? rc : skn_get_number(tx, SKN_SQL(event_stays, INT(before)), stays, err);
}

skein_rc skn_event_forget(skn_tx *tx, int64_t below, int64_t *gone, skein_error *err)
{
    int64_t  last;
    skein_rc rc;

    *gone = 0;
    if ((rc = last_below(tx, below, &last, err)) || last == 0 ||
        (rc = skn_run(tx, SKN_SQL(event_delete, INT(below)), err)))
        return rc;
    *gone = skn_db_changes(tx->db);
    return skn_run(tx, SKN_SQL(event_forgotten, INT(last)), err);
}

/* --- Settings, sessions ------------------------------------------------------------------------- */

skein_rc skn_setting_put(skn_tx *tx, const skein_setting *setting, skein_error *err)
{
    if (!setting->value.p)
        return skn_run(tx, SKN_SQL(setting_delete, TEXT(setting->key)), err);
    return skn_run(tx, SKN_SQL(setting_put, TEXT(setting->key), TEXT(setting->value)), err);
}

skein_rc skn_session_delete(skn_tx *tx, skn_str uid, int64_t *gone, skein_error *err)
{
    skein_rc rc = uid.p ? skn_run(tx, SKN_SQL(session_delete, TEXT(uid)), err)
                        : skn_run(tx, SKN_SQL(session_delete_all, NOTHING), err);

    *gone = rc ? 0 : skn_db_changes(tx->db);
    return rc;
}

/* --- Edits that were not finished ----------------------------------------------------------------- */

/* How the note of such a version begins; the id of its message follows. */
#define HALF_BEGIN SKEIN_NOTE_EDIT " "

static skein_edit_error half_edit(const skn_stmt *s, skn_arena *a)
{
    const skn_str begin = SKN_STR(HALF_BEGIN);
    skn_str       note = skn_stmt_keep(s, 2, a), chat = skn_stmt_keep(s, 1, a);

    return (skein_edit_error){.uid = skn_arena_printf(a, SKEIN_EDIT_HALF "%.*s", SKN_FMT(chat)),
                              .chat = {skn_stmt_int(s, 0)},
                              .chat_uid = chat,
                              .message_uid = skn_str_sub(note, begin.n, note.n),
                              .operation = SKN_STR("resubmit"),
                              .error = SKN_STR("the messages were removed, and the new text "
                                               "never came; undo puts them back"),
                              .at = skn_stmt_int(s, 3)};
}

skein_rc skn_edit_half_rows(skn_tx *tx, int64_t world, int64_t before, size_t most,
                            skn_arena *a, skein_edit_errors *out, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx,
                               SKN_SQL(edit_halves, INT(world), TEXT(SKN_STR(HALF_BEGIN "%")),
                                       INT(before), INT((int64_t)most)));
    skn_vec(skein_edit_error) v = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row)
        skn_vec_add(a, &v, half_edit(&s, a));
    skn_stmt_done(&s);
    *out = (skein_edit_errors){v.p, v.n};
    return rc;
}

/* --- How tools of servers define themselves --------------------------------------------------------- */

skein_rc skn_definition_put(skn_tx *tx, skn_definition_row *row, int64_t now, skein_error *err)
{
    skein_rc rc = skn_get_number(tx,
                                 SKN_SQL(definition_find, INT(row->world_id), TEXT(row->server),
                                         TEXT(row->tool), TEXT(row->hash)),
                                 &row->id, err);

    if (rc || row->id)
        return rc;
    return skn_get_number(tx,
                          SKN_SQL(definition_insert, INT(row->world_id), TEXT(row->server),
                                  TEXT(row->tool), TEXT(row->hash), TEXT(row->text), INT(now)),
                          &row->id, err);
}

skein_rc skn_definition_allowed(skn_tx *tx, const skn_definition_row *like, skn_arena *a,
                                skn_str *hash, skein_error *err)
{
    bool found;

    *hash = SKN_NONE;
    return skn_get_row(
        tx,
        SKN_SQL(definition_allowed, INT(like->world_id), TEXT(like->server), TEXT(like->tool)),
        &skn_row_of_skein_str, a, hash, &found, err);
}

skein_rc skn_definition_allow(skn_tx *tx, int64_t id, int64_t now, skein_error *err)
{
    skein_rc rc = skn_run(tx, SKN_SQL(definition_outdate, INT(id)), err);

    return rc ? rc : skn_run(tx, SKN_SQL(definition_allow, INT(now), INT(id)), err);
}

/* --- The floor -------------------------------------------------------------------------------------- */

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
    char uid[11];

    skn_tx_uid(tx, uid);
    return skn_run(tx,
                   SKN_SQL(floor_insert, TEXT(skn_str_of(uid)), INT(conversation), TEXT(text),
                           INT(skn_clock_micros())),
                   err);
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

skein_rc skn_floor_run(skn_tx *tx, const skn_floor *what, int64_t *nanos, skein_error *err)
{
    int64_t  after;
    skein_rc rc;

    *nanos = 0;
    if ((rc = skn_message_newest(tx, &after, err)) || (rc = tidy(tx->db, err)) ||
        what->count == 0)
        return rc;
    if ((rc = insert_rows(tx, what, nanos, err)) ||
        (rc = skn_run(tx, SKN_SQL(floor_clear, INT(after), INT(what->conversation)), err)))
        return rc;
    return tidy(tx->db, err);
}
