/* store_check.c: what the database can check by itself, and what a row that breaks a rule means. */
#include "base/clock.h"
#include "store/stmt.h"

const skn_invariant skn_invariants[SKN_INVARIANTS] = {
#define SKN_INVARIANT(constant, name, sentence) {name, sentence},
#include "store/invariants.def"
#undef SKN_INVARIANT
};

typedef struct rule {
    enum skn_query          query;
    enum skn_invariant_name invariant;
    const char             *text;
} rule;

static const rule rules[] = {
#define SKN_RULE(query, invariant, text) {SKN_Q_check_##query, SKN_INV_##invariant, text},
#include "store/rules.def"
#undef SKN_RULE
};

static void fill_in(const char *text, skn_str one, skn_str two, skn_buf *out)
{
    skn_buf_clear(out);
    for (const char *p = text; *p; p++) {
        if (p[0] != '%' || (p[1] != '1' && p[1] != '2')) {
            skn_buf_addc(out, *p);
            continue;
        }
        skn_buf_add(out, *++p == '1' ? one : two);
    }
}

static skein_rc apply(skn_tx *tx, const rule *r, skn_buf *line, skn_check_sink *sink, void *arg,
                      skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, r->query);
    bool     row;
    skein_rc rc;

    if (r->query == SKN_Q_check_time)
        skn_stmt_bind(&s, INT(SKN_TIME_LAST));
    while (!(rc = skn_stmt_step(&s, &row, err)) && row) {
        fill_in(r->text, skn_stmt_text(&s, 0), skn_stmt_text(&s, 1), line);
        sink(arg, r->invariant, skn_buf_str(line));
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_check_rules(skn_tx *tx, skn_check_sink *sink, void *arg, skein_error *err)
{
    skn_buf  line;
    skein_rc rc = SKEIN_OK;

    skn_buf_init(&line, SIZE_MAX / 2);
    for (size_t i = 0; rc == SKEIN_OK && i < sizeof rules / sizeof rules[0]; i++)
        rc = apply(tx, &rules[i], &line, sink, arg, err);
    skn_buf_release(&line);
    return rc;
}

skein_rc skn_check_database(skn_tx *tx, skn_check_sink *sink, void *arg, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_database);
    bool     row;
    skein_rc rc;

    while (!(rc = skn_stmt_step(&s, &row, err)) && row)
        if (!skn_str_is(skn_stmt_text(&s, 0), "ok"))
            sink(arg, SKN_INV_DATABASE, skn_stmt_text(&s, 0));
    skn_stmt_done(&s);
    return rc;
}

/* A number as SQLite writes it: seven bits in a byte, the highest bit says that there are more. */
static int64_t next_number(skn_str *bytes)
{
    uint64_t n = 0;
    bool     more = true;

    while (more && bytes->n > 0) {
        n = n << 7 | ((unsigned char)bytes->p[0] & 0x7f);
        more = (unsigned char)bytes->p[0] & 0x80;
        *bytes = skn_str_sub(*bytes, 1, bytes->n);
    }
    return (int64_t)n;
}

/* Kept beside the words: how many messages, then how many words. */
static skein_rc words_said(skn_tx *tx, int64_t *out, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_check_index_total);
    bool     row = false;
    skein_rc rc = skn_stmt_step(&s, &row, err);
    skn_str  bytes = rc == SKEIN_OK && row ? skn_stmt_blob(&s, 0) : SKN_NONE;

    next_number(&bytes);
    *out = next_number(&bytes);
    skn_stmt_done(&s);
    return rc;
}

/* A table of this connection alone shows what the index has, and nobody who writes waits for it. */
skein_rc skn_check_index(skn_tx *tx, skein_error *err)
{
    int64_t     there = 0, said = 0;
    skein_error none;
    skein_rc    rc;

    if (skn_db_is_pg(tx->db))
        return SKEIN_OK;
    if ((rc = skn_db_script(tx->db,
                            "CREATE VIRTUAL TABLE temp.words_there USING "
                            "fts5vocab('main', 'message_words', 'row')",
                            err)))
        return rc;
    if (!(rc = skn_get_number(tx, SKN_SQL(check_index, NOTHING), &there, err)) &&
        !(rc = words_said(tx, &said, err)) && there != said)
        rc = skn_fail(err, SKEIN_DAMAGED, "the index has %lld words, and says %lld",
                      (long long)there, (long long)said);
    (void)skn_db_script(tx->db, "DROP TABLE temp.words_there", &none);
    return rc;
}

skein_rc skn_check_count(skn_tx *tx, skn_check_counts *out, skein_error *err)
{
    bool found;

    *out = (skn_check_counts){0};
    return skn_get_row(tx, SKN_SQL(check_counts, INT(skn_time_latest())),
                       &skn_row_of_skn_check_counts, NULL, out, &found, err);
}

/* --- Every row of a table ------------------------------------------------------------------------- */

/* In pages: PostgreSQL would hand over all of it at once. */
typedef struct table {
    const char    *name;
    enum skn_query query;
    const skn_row *row;
    size_t         keys
        [3]; /* where the numbers stand that rows are ordered by; the next page begins behind them */
    int key_count;
} table;

#define ITEM(member) offsetof(skn_check_item, member)

static const table tables[] = {
    [SKN_CHECK_MESSAGES] =
        {"messages", SKN_Q_check_messages, &skn_row_of_skn_check_message, {0}, 1},
    [SKN_CHECK_ITEMS] =
        {"items", SKN_Q_check_items, &skn_row_of_skn_check_item, {ITEM(thread), ITEM(seq)}, 2},
    [SKN_CHECK_PLACES] = {"items",
                          SKN_Q_check_places,
                          &skn_row_of_skn_check_place,
                          {ITEM(message), ITEM(thread), ITEM(seq)},
                          3},
    [SKN_CHECK_NODES] = {"nodes", SKN_Q_check_nodes, &skn_row_of_skn_check_node, {0}, 1},
    [SKN_CHECK_THREADS] = {"threads", SKN_Q_check_threads, &skn_row_of_skn_thread_row, {0}, 1},
    [SKN_CHECK_COMPACTIONS] =
        {"compactions", SKN_Q_check_compactions, &skn_row_of_skn_compaction_row, {0}, 1},
    [SKN_CHECK_FILES] =
        {"context_files", SKN_Q_check_files, &skn_row_of_skn_check_file, {0}, 1},
    [SKN_CHECK_BLOBS] = {"attachments", SKN_Q_check_blobs, &skn_row_of_skn_check_blob, {0}, 1},
};

typedef union any_row {
    skn_check_message  message;
    skn_check_item     item;
    skn_check_node     node;
    skn_check_file     file;
    skn_check_blob     blob;
    skn_thread_row     thread;
    skn_compaction_row compaction;
} any_row;

static int64_t key_of(const table *t, const any_row *row, int i)
{
    int64_t key;

    memcpy(&key, (const char *)row + t->keys[i], sizeof key);
    return key;
}

/* Rows come in this order, each after the one before it, or the next page would begin with them again. A place that
 * is not a number, which SQLite lets anybody write, is sorted behind all numbers and read as 0. */
static bool comes_after(const table *t, const any_row *one, const int64_t *last)
{
    for (int i = 0; i < t->key_count; i++)
        if (key_of(t, one, i) != last[i])
            return key_of(t, one, i) > last[i];
    return false;
}

static skein_rc read_page(skn_stmt *s, const table *t, int64_t *last, int64_t *rows,
                          skn_check_row_sink *sink, void *arg, skein_error *err)
{
    any_row  one;
    bool     row;
    skein_rc rc;

    for (*rows = 0; !(rc = skn_stmt_step(s, &row, err)) && row; ++*rows) {
        if ((rc = skn_stmt_row(s, t->row, NULL, &one, err)))
            break;
        if (!comes_after(t, &one, last))
            rc = skn_fail(err, SKEIN_DAMAGED,
                          "a row of table \"%s\" has no number for its place", t->name);
        for (int i = 0; i < t->key_count; i++)
            last[i] = key_of(t, &one, i);
        if (rc || (rc = sink(arg, &one, err)))
            break;
    }
    skn_stmt_done(s);
    return rc;
}

/* By conversation, call and message. */
static skein_rc each_call(skn_tx *tx, skn_check_row_sink *sink, void *arg, skein_error *err)
{
    skn_arena     *keys = skn_arena_new(); /* of the page that is read, and of the one before */
    skn_check_call last = {.call_id = SKN_STR("")};
    int64_t        rows = 1;
    skein_rc       rc = SKEIN_OK;

    while (rc == SKEIN_OK && rows > 0) {
        const skn_check_call before = last;
        skn_arena           *next = skn_arena_new();
        skn_stmt             s = skn_stmt_with(tx, SKN_SQL(check_calls, INT(last.conversation),
                                                           TEXT(last.call_id), INT(last.message)));
        bool                 row;

        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            if ((rc = skn_stmt_row(&s, &skn_row_of_skn_check_call, NULL, &last, err)) ||
                (rc = sink(arg, &last, err)))
                break;
            skn_arena_reset(next);
            last.call_id = skn_arena_copy(next, last.call_id);
        }
        skn_stmt_done(&s);
        /* As of items: behind what is not a number the same page would come forever. */
        if (!rc && rows && last.conversation == before.conversation &&
            last.message == before.message && skn_str_eq(last.call_id, before.call_id))
            rc = skn_fail(
                err, SKEIN_DAMAGED,
                "a row of table \"message_calls\" has no number for its conversation");
        skn_arena_free(keys);
        keys = next;
    }
    skn_arena_free(keys);
    return rc;
}

skein_rc skn_check_each(skn_tx *tx, skn_check_table which, skn_check_row_sink *sink, void *arg,
                        skein_error *err)
{
    const table *t = &tables[which];
    int64_t      last[3] = {INT64_MIN}, rows = 1;
    skein_rc     rc = SKEIN_OK;

    if (which == SKN_CHECK_CALLS)
        return each_call(tx, sink, arg, err);
    while (rc == SKEIN_OK && rows > 0) {
        skn_stmt s = skn_stmt_use(tx->db, t->query);

        for (int i = 0; i < t->key_count; i++)
            skn_stmt_bind(&s, INT(last[i]));
        rc = read_page(&s, t, last, &rows, sink, arg, err);
    }
    return rc;
}

/* --- What one row refers to ------------------------------------------------------------------------ */

skein_rc skn_check_keys(skn_tx *tx, int64_t thread, int64_t lo, int64_t len, bool rising,
                        int64_t *kmin, int64_t *kmax, bool *found, skein_error *err)
{
    skn_stmt s = skn_stmt_with(tx, rising ? SKN_Q_check_ends
                                          : SKN_SQL(check_keys, INT(thread), INT(lo),
                                                    INT(rising ? lo + len - 1 : lo + len)));
    skein_rc rc = skn_stmt_step(&s, found, err);

    if (rc == SKEIN_OK && *found) {
        *found = !skn_stmt_null(&s, 0);
        *kmin = skn_stmt_int(&s, 0);
        *kmax = skn_stmt_int(&s, 1);
    }
    skn_stmt_done(&s);
    return rc;
}

skein_rc skn_check_source_of(skn_tx *tx, int64_t thread, skn_check_source *out,
                             skein_error *err)
{
    bool     found;
    skein_rc rc = skn_get_row(tx, SKN_SQL(check_thread, INT(thread)),
                              &skn_row_of_skn_check_source, NULL, out, &found, err);

    if (rc || !found)
        *out = (skn_check_source){0};
    else
        out->id = thread;
    return rc;
}
