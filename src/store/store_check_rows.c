/* store_check_rows.c: every row of a table, in pages: PostgreSQL would hand over all of it at once. */
#include "store/stmt.h"

/* --- Messages ------------------------------------------------------------------------------------- */

static void read_check_message(const skn_stmt *s, skn_check_message *m)
{
    *m = (skn_check_message){.id = skn_stmt_int(s, 0),
                             .conversation = skn_stmt_int(s, 1),
                             .uid = skn_stmt_text(s, 2),
                             .purged = skn_stmt_int(s, 3) != 0,
                             .indexed = skn_stmt_int(s, 4) != 0,
                             .content = skn_stmt_text(s, 5),
                             .calls = skn_stmt_text(s, 6),
                             .instructions = skn_stmt_text(s, 7),
                             .hashed = !skn_stmt_null(s, 8),
                             .hash = skn_stmt_int(s, 8)};
    for (int i = 0; i < SKN_CHECK_TEXTS; i++)
        m->texts[i] = skn_stmt_text(s, 9 + i);
}

skein_rc skn_check_messages(skn_tx *tx, skn_check_message_sink *sink, void *arg,
                            skein_error *err)
{
    int64_t  last = INT64_MIN, rows = 1;
    skein_rc rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt          s = skn_stmt_use(tx->db, SKN_Q_check_messages);
        skn_check_message m;
        bool              row;

        skn_stmt_bind_int(&s, last);
        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            read_check_message(&s, &m);
            last = m.id;
            if ((rc = sink(arg, &m, err)))
                break;
        }
        skn_stmt_done(&s);
    }
    return rc;
}

skein_rc skn_check_has_call(skn_tx *tx, int64_t conversation, skn_str call_id, int64_t message,
                            bool *has, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_has_call);
    int64_t  n;
    skein_rc rc;

    skn_stmt_bind_int(&s, conversation);
    skn_stmt_bind_text(&s, call_id);
    skn_stmt_bind_int(&s, message);
    rc = skn_stmt_number(&s, &n, err);
    *has = n > 0;
    return rc;
}

skein_rc skn_check_calls(skn_tx *tx, skn_check_call_sink *sink, void *arg, skein_error *err)
{
    skn_arena *keys = skn_arena_new(); /* of the page that is read, and of the one before */
    skn_str    after = SKN_STR("");
    int64_t    conversation = 0, message = 0, rows = 1;
    skein_rc   rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt       s = skn_stmt_use(tx->db, SKN_Q_check_calls);
        skn_arena     *next = skn_arena_new();
        const skn_str  last_call = after;
        const int64_t  last_chat = conversation, last_message = message;
        skn_check_call c;
        bool           row;

        skn_stmt_bind_int(&s, conversation);
        skn_stmt_bind_text(&s, after);
        skn_stmt_bind_int(&s, message);
        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            c = (skn_check_call){skn_stmt_text(&s, 1), skn_stmt_text(&s, 3),
                                 skn_stmt_text(&s, 4)};
            conversation = skn_stmt_int(&s, 0);
            message = skn_stmt_int(&s, 2);
            skn_arena_reset(next);
            after = skn_arena_copy(next, c.call_id);
            if ((rc = sink(arg, &c, err)))
                break;
        }
        skn_stmt_done(&s);
        /* As of items: behind what is no number the same page would come for ever. */
        if (!rc && rows && conversation == last_chat && message == last_message &&
            skn_str_eq(after, last_call))
            rc = skn_fail(
                err, SKEIN_DAMAGED,
                "a row of table \"message_calls\" has no number for its conversation");
        skn_arena_free(keys);
        keys = next;
    }
    skn_arena_free(keys);
    return rc;
}

/* --- Items ------------------------------------------------------------------------------------------ */

/* Rows come in this order, each after the one before it, or the next page would begin with them again. A place that
 * is no number, which SQLite lets anybody write, is sorted behind all numbers and read as 0. */
static bool comes_after(const skn_check_item *one, const skn_check_item *last, bool by_message)
{
    if (by_message && one->message != last->message)
        return one->message > last->message;
    return one->thread != last->thread ? one->thread > last->thread : one->seq > last->seq;
}

static skein_rc item_page(skn_stmt *s, bool by_message, skn_check_item *last, int64_t *rows,
                          skn_check_item_sink *sink, void *arg, skein_error *err)
{
    bool     row;
    skein_rc rc;

    for (*rows = 0; !(rc = skn_stmt_step(s, &row, err)) && row; ++*rows) {
        skn_check_item one;
        int64_t        n[5];

        for (int i = 0; i < 5; i++)
            n[i] = skn_stmt_int(s, i);
        if (by_message)
            one = (skn_check_item){
                .message = n[0], .thread = n[1], .seq = n[2], .key = n[3], .lane = n[4]};
        else
            one = (skn_check_item){.thread = n[0],
                                   .seq = n[1],
                                   .message = n[2],
                                   .key = n[3],
                                   .conversation = n[4]};
        if (!comes_after(&one, last, by_message))
            rc = skn_fail(err, SKEIN_DAMAGED,
                          "a row of table \"items\" has no number for its place");
        *last = one;
        if (rc || (rc = sink(arg, last, err)))
            break;
    }
    skn_stmt_done(s);
    return rc;
}

skein_rc skn_check_items(skn_tx *tx, skn_check_item_sink *sink, void *arg, skein_error *err)
{
    skn_check_item last = {.thread = INT64_MIN};
    int64_t        rows = 1;
    skein_rc       rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_items);

        skn_stmt_bind_int(&s, last.thread);
        skn_stmt_bind_int(&s, last.seq);
        rc = item_page(&s, false, &last, &rows, sink, arg, err);
    }
    return rc;
}

skein_rc skn_check_places(skn_tx *tx, skn_check_item_sink *sink, void *arg, skein_error *err)
{
    skn_check_item last = {.message = INT64_MIN};
    int64_t        rows = 1;
    skein_rc       rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_places);

        skn_stmt_bind_int(&s, last.message);
        skn_stmt_bind_int(&s, last.thread);
        skn_stmt_bind_int(&s, last.seq);
        rc = item_page(&s, true, &last, &rows, sink, arg, err);
    }
    return rc;
}

/* --- Nodes and threads -------------------------------------------------------------------------------- */

skein_rc skn_check_nodes(skn_tx *tx, skn_check_node_sink *sink, void *arg, skein_error *err)
{
    int64_t  last = INT64_MIN, rows = 1;
    skein_rc rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt       s = skn_stmt_use(tx->db, SKN_Q_check_nodes);
        skn_check_node n;
        bool           row;

        skn_stmt_bind_int(&s, last);
        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            n = (skn_check_node){skn_stmt_int(&s, 0), skn_stmt_int(&s, 1),
                                 (int)skn_stmt_int(&s, 2), skn_stmt_blob(&s, 3)};
            last = n.id;
            if ((rc = sink(arg, &n, err)))
                break;
        }
        skn_stmt_done(&s);
    }
    return rc;
}

skein_rc skn_check_keys(skn_tx *tx, int64_t thread, int64_t lo, int64_t len, bool rising,
                        int64_t *kmin, int64_t *kmax, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, rising ? SKN_Q_check_ends : SKN_Q_check_keys);
    skein_rc rc;

    skn_stmt_bind_int(&s, thread);
    skn_stmt_bind_int(&s, lo);
    skn_stmt_bind_int(&s, rising ? lo + len - 1 : lo + len);
    rc = skn_stmt_step(&s, found, err);
    if (rc == SKEIN_OK && *found) {
        *found = !skn_stmt_null(&s, 0);
        *kmin = skn_stmt_int(&s, 0);
        *kmax = skn_stmt_int(&s, 1);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_check_threads(skn_tx *tx, skn_check_thread_sink *sink, void *arg, skein_error *err)
{
    int64_t  rows = 1;
    skein_rc rc = SKEIN_OK;

    for (skn_thread_row t = {.id = INT64_MIN}; rc == SKEIN_OK && rows > 0;) {
        skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_threads);
        bool     row;

        skn_stmt_bind_int(&s, t.id);
        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            t = (skn_thread_row){.id = skn_stmt_int(&s, 0),
                                 .uid = skn_stmt_text(&s, 1),
                                 .lane_id = skn_stmt_int(&s, 2),
                                 .version_id = skn_stmt_int(&s, 3),
                                 .origin_id = skn_stmt_int(&s, 4),
                                 .origin_length = skn_stmt_int(&s, 5),
                                 .root_id = skn_stmt_int(&s, 6),
                                 .base_length = skn_stmt_int(&s, 7),
                                 .compaction_id = skn_stmt_int(&s, 8),
                                 .own_length = skn_stmt_int(&s, 9)};
            if ((rc = sink(arg, &t, err)))
                break;
        }
        skn_stmt_done(&s);
    }
    return rc;
}

skein_rc skn_check_source_of(skn_tx *tx, int64_t thread, skn_check_source *out,
                             skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_thread);
    bool     found;
    skein_rc rc;

    *out = (skn_check_source){0};
    skn_stmt_bind_int(&s, thread);
    rc = skn_stmt_step(&s, &found, err);
    if (rc == SKEIN_OK && found)
        *out = (skn_check_source){.id = thread,
                                  .lane = skn_stmt_int(&s, 0),
                                  .conversation = skn_stmt_int(&s, 1),
                                  .branched_from = skn_stmt_int(&s, 2),
                                  .own = skn_stmt_int(&s, 3),
                                  .patches = skn_stmt_int(&s, 4)};
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_check_lane_origin(skn_tx *tx, int64_t lane, int64_t *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_lane_origin);

    skn_stmt_bind_int(&s, lane);
    return skn_stmt_number(&s, out, err);
}

skein_rc skn_check_threads_of_lane(skn_tx *tx, int64_t lane, skn_arena *a, skn_ids *out,
                                   skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_threads_of_lane);

    skn_stmt_bind_int(&s, lane);
    return skn_stmt_numbers(&s, a, out, err);
}

/* --- Compactions and files ----------------------------------------------------------------------------- */

skein_rc skn_check_compactions(skn_tx *tx, skn_check_compaction_sink *sink, void *arg,
                               skein_error *err)
{
    int64_t  rows = 1;
    skein_rc rc = SKEIN_OK;

    for (skn_compaction_row k = {.id = INT64_MIN}; rc == SKEIN_OK && rows > 0;) {
        skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_compactions);
        bool     row;

        skn_stmt_bind_int(&s, k.id);
        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            k = (skn_compaction_row){skn_stmt_int(&s, 0), skn_stmt_int(&s, 1),
                                     skn_stmt_int(&s, 2), skn_stmt_int(&s, 3),
                                     skn_stmt_int(&s, 4), skn_stmt_int(&s, 5)};
            if ((rc = sink(arg, &k, err)))
                break;
        }
        skn_stmt_done(&s);
    }
    return rc;
}

skein_rc skn_check_files(skn_tx *tx, skn_check_file_sink *sink, void *arg, skein_error *err)
{
    int64_t  last = INT64_MIN, rows = 1;
    skein_rc rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_files);
        bool     row;

        skn_stmt_bind_int(&s, last);
        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            last = skn_stmt_int(&s, 0);
            if ((rc = sink(arg, skn_stmt_text(&s, 1), skn_stmt_text(&s, 2), err)))
                break;
        }
        skn_stmt_done(&s);
    }
    return rc;
}
