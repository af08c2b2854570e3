/* store_feed.c: rows of events, and of what the program keeps for itself. */
#include "base/clock.h"
#include "base/json_write.h"
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
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_event_insert);

    skn_stmt_bind_int(&s, row->world_id);
    skn_stmt_bind_id(&s, row->conversation_id);
    skn_stmt_bind_id(&s, row->version_id);
    skn_stmt_bind_id(&s, row->message_id);
    skn_stmt_bind_text(&s, row->cause);
    skn_stmt_bind_text(&s, row->type);
    skn_stmt_bind_text(&s, row->data);
    skn_stmt_bind_int(&s, row->at);
    return skn_stmt_run(&s, err);
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
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_event_insert_many);
    skn_buf  buf;
    skn_jw   w;
    skein_rc rc;

    skn_buf_init(&buf, SIZE_MAX / 2);
    skn_jw_init(&w, &buf);
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
    skn_stmt_bind_text(&s, skn_buf_str(&buf));
    rc = skn_stmt_run(&s, err);
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

static void read_event(const skn_stmt *s, skn_arena *a, skn_event_row *e)
{
    *e = (skn_event_row){.id = skn_stmt_int(s, 0),
                         .world_id = skn_stmt_int(s, 1),
                         .conversation_id = skn_stmt_int(s, 2),
                         .version_id = skn_stmt_int(s, 3),
                         .message_id = skn_stmt_int(s, 4),
                         .at = skn_stmt_int(s, 5)};
    e->cause = skn_stmt_keep(s, 6, a);
    e->type = skn_stmt_keep(s, 7, a);
    e->data = skn_stmt_keep(s, 8, a);
    e->world = skn_stmt_keep(s, 9, a);
    e->chat_uid = skn_stmt_keep(s, 10, a);
    e->thread_uid = skn_stmt_keep(s, 11, a);
}

skein_rc skn_event_rows_in(skn_tx *tx, const skn_event_range *range, skn_arena *a,
                           skn_event_rows *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, range->conversation ? SKN_Q_event_after_conversation
                                      : range->world      ? SKN_Q_event_after_world
                                                          : SKN_Q_event_after);
    skn_vec(skn_event_row) v = {0};
    skn_event_row e;
    bool          row;
    skein_rc      rc;

    if (range->conversation || range->world)
        skn_stmt_bind_int(&s, range->conversation ? range->conversation : range->world);
    skn_stmt_bind_int(&s, range->after);
    skn_stmt_bind_int(&s, range->upto);
    skn_stmt_bind_limit(&s, range->limit);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        read_event(&s, a, &e);
        skn_vec_add(a, &v, e);
    }
    skn_stmt_done(&s);
    *out = (skn_event_rows){v.p, v.n};
    return rc;
}

static skein_rc number(skn_tx *tx, enum skn_query query, int64_t *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    return skn_stmt_number(&s, out, err);
}

static skein_rc number_for(skn_tx *tx, enum skn_query query, int64_t given, int64_t *out,
                           skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    skn_stmt_bind_int(&s, given);
    return skn_stmt_number(&s, out, err);
}

skein_rc skn_event_newest(skn_tx *tx, int64_t *newest, skein_error *err)
{
    return number(tx, SKN_Q_event_newest, newest, err);
}

/* Nobody is asked to stand still when there is nothing to read. */
skein_rc skn_event_settled(skn_tx *tx, int64_t after, int64_t *upto, skein_error *err)
{
    skein_rc rc = skn_event_newest(tx, upto, err);

    if (rc || *upto <= after) {
        *upto = 0;
        return rc;
    }
    return number(tx, SKN_Q_event_settled, upto, err);
}

skein_rc skn_event_span(skn_tx *tx, int64_t upto, int64_t *newest, int64_t *forgotten,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_meta_get);
    skein_rc rc;

    *forgotten = 0;
    if ((rc = number_for(tx, SKN_Q_event_last_below, upto + 1, newest, err)))
        return rc;
    skn_stmt_bind_text(&s, SKN_STR("events_forgotten"));
    return skn_stmt_number(&s, forgotten, err);
}

skein_rc skn_event_older(skn_tx *tx, int64_t before, int64_t *oldest, int64_t *stays,
                         skein_error *err)
{
    skein_rc rc = number(tx, SKN_Q_event_oldest, oldest, err);

    return rc ? rc : number_for(tx, SKN_Q_event_stays, before, stays, err);
}

skein_rc skn_event_forget(skn_tx *tx, int64_t below, int64_t *gone, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_event_delete);
    int64_t  last;
    skein_rc rc;

    *gone = 0;
    if ((rc = number_for(tx, SKN_Q_event_last_below, below, &last, err)) || last == 0)
        return rc;
    skn_stmt_bind_int(&s, below);
    if ((rc = skn_stmt_run(&s, err)))
        return rc;
    *gone = skn_db_changes(tx->db);
    s = skn_stmt_use(tx->db, SKN_Q_event_forgotten);
    skn_stmt_bind_int(&s, last);
    return skn_stmt_run(&s, err);
}

/* --- Settings ----------------------------------------------------------------------------------- */

skein_rc skn_setting_rows(skn_tx *tx, skn_arena *a, skein_settings *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_setting_list);
    skn_vec(skein_setting) v = {0};
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_setting one = {skn_stmt_keep(&s, 0, a), skn_stmt_keep(&s, 1, a)};

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skein_settings){v.p, v.n};
    return rc;
}

skein_rc skn_setting_hold(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_setting_hold);

    return skn_stmt_run(&s, err);
}

skein_rc skn_setting_put(skn_tx *tx, const skein_setting *setting, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db,
                              setting->value.p ? SKN_Q_setting_put : SKN_Q_setting_delete);

    skn_stmt_bind_text(&s, setting->key);
    if (setting->value.p)
        skn_stmt_bind_text(&s, setting->value);
    return skn_stmt_run(&s, err);
}

skein_rc skn_setting_changed(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_setting_changed);

    return skn_stmt_run(&s, err);
}

skein_rc skn_setting_changes(skn_tx *tx, int64_t *out, skein_error *err)
{
    return number(tx, SKN_Q_setting_changes, out, err);
}

skein_rc skn_stamp_number(skn_tx *tx, int64_t *out, skein_error *err)
{
    return number(tx, SKN_Q_store_stamp, out, err);
}

/* --- Answers ------------------------------------------------------------------------------------ */

skein_rc skn_answer_get(skn_tx *tx, skn_str key, int64_t since, skn_arena *a,
                        skein_kept_answer *out, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_answer_get);
    skein_rc rc;

    skn_stmt_bind_text(&s, key);
    skn_stmt_bind_int(&s, since);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found)
        *out = (skein_kept_answer){.key = skn_arena_copy(a, key),
                                   .request = skn_stmt_int(&s, 0),
                                   .status = skn_stmt_int(&s, 1),
                                   .head = skn_stmt_keep(&s, 2, a),
                                   .body = skn_stmt_keep(&s, 3, a)};
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_answer_put(skn_tx *tx, const skein_kept_answer *answer, int64_t now,
                        skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_answer_put);

    skn_stmt_bind_text(&s, answer->key);
    skn_stmt_bind_int(&s, answer->request);
    skn_stmt_bind_int(&s, answer->status);
    skn_stmt_bind_text(&s, answer->head);
    skn_stmt_bind_text(&s, answer->body);
    skn_stmt_bind_int(&s, now);
    return skn_stmt_run(&s, err);
}

skein_rc skn_answer_begin(skn_tx *tx, skn_str key, int64_t request, int64_t now, int64_t since,
                          bool *begun, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_answer_begin);

    skn_stmt_bind_text(&s, key);
    skn_stmt_bind_int(&s, request);
    skn_stmt_bind_int(&s, SKEIN_ANSWER_BEGUN);
    skn_stmt_bind_int(&s, now);
    skn_stmt_bind_int(&s, SKEIN_ANSWER_FAILED);
    skn_stmt_bind_int(&s, since);
    return skn_stmt_changed(tx, &s, begun, err);
}

skein_rc skn_answer_erase(skn_tx *tx, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_answer_erase);

    skn_stmt_bind_int(&s, SKEIN_ANSWER_ERASED);
    return skn_stmt_run(&s, err);
}

skein_rc skn_answer_expire(skn_tx *tx, int64_t before, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_answer_expire);

    skn_stmt_bind_int(&s, before);
    return skn_stmt_run(&s, err);
}

/* --- Failed edits --------------------------------------------------------------------------------- */

skein_rc skn_edit_error_insert(skn_tx *tx, int64_t world, const skein_edit_error *what,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_edit_error_insert);

    skn_stmt_bind_text(&s, what->uid);
    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_id(&s, what->chat.v);
    skn_stmt_bind_text(&s, what->message_uid);
    skn_stmt_bind_text(&s, what->operation);
    skn_stmt_bind_text(&s, what->error);
    skn_stmt_bind_int(&s, what->at);
    return skn_tx_made_uid(tx, skn_stmt_run(&s, err));
}

skein_rc skn_edit_error_trim(skn_tx *tx, int64_t world, size_t keep, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_edit_error_trim);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_int(&s, (int64_t)keep);
    return skn_stmt_run(&s, err);
}

skein_rc skn_edit_error_solved(skn_tx *tx, int64_t world, int64_t conversation, skn_str message,
                               skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_edit_error_solved);

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, message);
    return skn_stmt_run(&s, err);
}

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
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_edit_halves);
    skn_vec(skein_edit_error) v = {0};
    bool     row;
    skein_rc rc;

    skn_stmt_bind_int(&s, world);
    skn_stmt_bind_text(&s, SKN_STR(HALF_BEGIN "%"));
    skn_stmt_bind_int(&s, before);
    skn_stmt_bind_int(&s, (int64_t)most);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_edit_error one = half_edit(&s, a);

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skein_edit_errors){v.p, v.n};
    return rc;
}

/* After those that are in the list already. */
skein_rc skn_edit_error_rows(skn_tx *tx, int64_t world, skn_arena *a, skein_edit_errors *out,
                             skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_edit_error_list);
    skn_vec(skein_edit_error) v = {0};
    bool     row;
    skein_rc rc;

    for (size_t i = 0; i < out->count; i++)
        skn_vec_add(a, &v, out->at[i]);
    skn_stmt_bind_int(&s, world);
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        skein_edit_error one = {.uid = skn_stmt_keep(&s, 0, a),
                                .chat = {skn_stmt_int(&s, 1)},
                                .chat_uid = skn_stmt_keep(&s, 2, a),
                                .message_uid = skn_stmt_keep(&s, 3, a),
                                .operation = skn_stmt_keep(&s, 4, a),
                                .error = skn_stmt_keep(&s, 5, a),
                                .at = skn_stmt_int(&s, 6)};

        skn_vec_add(a, &v, one);
    }
    skn_stmt_done(&s);
    *out = (skein_edit_errors){v.p, v.n};
    return rc;
}
