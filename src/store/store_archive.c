/* store_archive.c: rows as cells, out of the store and into it. */
#include "base/clock.h"
#include "store/stmt.h"

/* Rows of one statement, as in the LIMIT of its text; of bytes, which may be many, a few. */
#define CHUNK       1000
#define CHUNK_BYTES 4

/* Which parameters stand before "after" in a table's statement. */
typedef enum span {
    OF_WORLD,
    OF_SCOPE,  /* world and conversation */
    OF_PARENT, /* the row above it */
    OF_STORE   /* none: the caller picks */
} span;

static const struct {
    enum skn_query rows, insert, reserve; /* no reserve: rows without ids */
    span           of;
} statements[SKN_AR_TABLES] = {
#define NUMBERED(constant, name, table, of, ...)                                               \
    [SKN_AR_##constant] = {SKN_Q_archive_##name, SKN_Q_archive_put_##name,                     \
                           SKN_Q_archive_ids_##name, of},
#define LISTED NUMBERED
#define HANGING(constant, name, table, ...)                                                    \
    [SKN_AR_##constant] = {SKN_Q_archive_##name, SKN_Q_archive_put_##name, 0, OF_PARENT},
#include "store/archive.def"
#undef NUMBERED
#undef LISTED
#undef HANGING
};

static bool is_text(skn_archive_kind kind)
{
    switch (kind) {
    case SKN_CELL_TEXT:
    case SKN_CELL_JSON:
    case SKN_CELL_UID:
    case SKN_CELL_NAME:
    case SKN_CELL_WORD:
        return true;
    case SKN_CELL_INT:
    case SKN_CELL_REF:
    case SKN_CELL_AHEAD:
    case SKN_CELL_KEY:
    case SKN_CELL_BYTES:
    case SKN_CELL_SPANS:
        break;
    }
    return false;
}

/* Column 0 is the id; the cells follow. */
static void read_cells(const skn_stmt *s, const skn_archive_shape *shape, skn_cell *cells)
{
    for (size_t i = 0; i < shape->count; i++) {
        int              column = (int)i + 1;
        skn_archive_kind kind = shape->columns[i].kind;

        cells[i] = (skn_cell){.null = skn_stmt_null(s, column)};
        if (cells[i].null)
            continue;
        if (kind == SKN_CELL_SPANS || kind == SKN_CELL_BYTES)
            cells[i].text = skn_stmt_blob(s, column);
        else if (is_text(kind))
            cells[i].text = skn_stmt_text(s, column);
        else
            cells[i].number = skn_stmt_int(s, column);
    }
}

static skn_stmt chunk_statement(skn_tx *tx, enum skn_query query, span of,
                                const skn_archive_scope *scope, int64_t after)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    if (of == OF_WORLD || of == OF_SCOPE)
        skn_stmt_bind(&s, INT(scope->world));
    if (of == OF_SCOPE)
        skn_stmt_bind(&s, INT(scope->conversation));
    if (of == OF_PARENT)
        skn_stmt_bind(&s, INT(scope->parent));
    skn_stmt_bind(&s, INT(after));
    return s;
}

/* Chunk by chunk, each behind the last id of the one before; shape is NULL when only ids
 * come. */
static skein_rc read_chunks(skn_tx *tx, enum skn_query query, span of,
                            const skn_archive_shape *shape, const skn_archive_scope *scope,
                            skn_archive_sink *sink, void *arg, skein_error *err)
{
    skn_cell cells[SKN_ARCHIVE_COLUMNS];
    int64_t  after = INT64_MIN;
    int      rows;
    bool     row;
    skein_rc rc;

    do {
        skn_stmt s = chunk_statement(tx, query, of, scope, after);

        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            after = skn_stmt_int(&s, 0);
            if (shape)
                read_cells(&s, shape, cells);
            if ((rc = sink(arg, after, shape ? cells : NULL, err)))
                break;
        }
        skn_stmt_done(&s);
    } while (!rc && rows == (query == SKN_Q_archive_attachments ? CHUNK_BYTES : CHUNK));
    return rc;
}

skein_rc skn_archive_read(skn_tx *tx, skn_archive_table table, const skn_archive_scope *scope,
                          skn_archive_sink *sink, void *arg, skein_error *err)
{
    return read_chunks(tx, statements[table].rows, statements[table].of,
                       &skn_archive_tables[table], scope, sink, arg, err);
}

skein_rc skn_archive_read_ids(skn_tx *tx, skn_archive_table table,
                              const skn_archive_scope *scope, skn_archive_sink *sink, void *arg,
                              skein_error *err)
{
    if (table != SKN_AR_MESSAGES && table != SKN_AR_ATTACHMENTS)
        return skn_archive_read(tx, table, scope, sink, arg, err);
    return read_chunks(
        tx, table == SKN_AR_MESSAGES ? SKN_Q_archive_message_ids : SKN_Q_archive_attachment_ids,
        OF_SCOPE, NULL, scope, sink, arg, err);
}

skein_rc skn_archive_reserve(skn_tx *tx, skn_archive_table table, int64_t count, int64_t *base,
                             skein_error *err)
{
    *base = 0;
    if (count == 0 || !skn_archive_tables[table].numbered)
        return SKEIN_OK;
    return skn_get_number(tx, statements[table].reserve, SKN_WITH(INT(count)), base, err);
}

static void bind_cell(skn_stmt *s, skn_archive_kind kind, const skn_cell *cell)
{
    if (cell->null)
        skn_stmt_bind(s, TEXT(SKN_NONE));
    else if (kind == SKN_CELL_SPANS || kind == SKN_CELL_BYTES)
        skn_stmt_bind(s, BLOB(cell->text));
    else if (is_text(kind))
        skn_stmt_bind(s, TEXT(cell->text));
    else
        skn_stmt_bind(s, INT(cell->number));
}

/* Columns of a message. */
enum {
#define MESSAGE_ROW(column, ...) AT_##column,
#include "store/message.def"
};

/* Of an attachment. */
enum { HASH = 1, BYTES_OF_IT = 8 };

/* Not in the archive, whose own hash is over all of it. */
static int64_t hash_of(const skn_cell *cells)
{
    skn_said said = {cells[AT_content].text, cells[AT_thinking].text, cells[AT_calls].text,
                     cells[AT_instructions].text};

    return cells[AT_purged_at].null ? skn_message_hash(&said) : SKN_HASH_ERASED;
}

static skein_rc insert_half(skn_tx *tx, int64_t message, const skn_cell *cells, skn_str call_id,
                            bool is_result, skein_error *err)
{
    return skn_run(tx,
                   SKN_SQL(message_calls_insert, INT(cells[AT_conversation_id].number),
                           TEXT(call_id), INT(message), INT(is_result)),
                   err);
}

/* The way from a call to its result is not in the archive: it follows from the messages. */
static skein_rc insert_halves(skn_tx *tx, int64_t message, const skn_cell *cells,
                              skein_error *err)
{
    skn_arena      *a;
    const skn_json *v = NULL;
    skein_rc        rc = SKEIN_OK;

    if (!cells[AT_tool_call_id].null)
        rc = insert_half(tx, message, cells, cells[AT_tool_call_id].text, true, err);
    if (rc || cells[AT_calls].null)
        return rc;
    a = skn_arena_new();
    rc = skn_json_parse(&v, cells[AT_calls].text, "calls", a, err);
    for (v = rc || v->kind != SKN_JSON_ARRAY ? NULL : v->first; !rc && v; v = v->next) {
        const skn_json *id = skn_json_get(v, "id");

        if (id && id->kind == SKN_JSON_STRING)
            rc = insert_half(tx, message, cells, id->text, false, err);
    }
    skn_arena_free(a);
    return rc;
}

skein_rc skn_archive_insert(skn_tx *tx, skn_archive_table table, int64_t id,
                            const skn_cell *cells, bool *taken, skein_error *err)
{
    const skn_archive_shape *shape = &skn_archive_tables[table];
    skn_stmt                 s;
    skein_rc                 rc;

    *taken = false;
    if (table == SKN_AR_ATTACHMENTS &&
        (rc = skn_blob_put(tx, cells[HASH].text, cells[BYTES_OF_IT].text, err)))
        return rc;
    s = skn_stmt_use(tx->db, statements[table].insert);
    if (shape->numbered)
        skn_stmt_bind(&s, INT(id));
    for (size_t i = 0; i < shape->count; i++)
        if (shape->columns[i].kind != SKN_CELL_BYTES) /* they have a table of their own */
            bind_cell(&s, shape->columns[i].kind, &cells[i]);
    if (table == SKN_AR_MESSAGES)
        skn_stmt_bind(&s, INT(hash_of(cells)));
    rc = skn_stmt_run(&s, err);
    *taken = rc && skn_db_was_duplicate(tx->db);
    if (rc || table != SKN_AR_MESSAGES)
        return rc;
    return insert_halves(tx, id, cells, err);
}

/* --- The tables ------------------------------------------------------------------------------------ */

/* The kinds of columns: whether an archive may leave one out, what it refers to, and its bounds. */
#undef INT
#undef TEXT
#define INT(min, max)   SKN_CELL_INT, false, 0, min, max, NULL
#define TIME            SKN_CELL_INT, false, 0, 0, SKN_TIME_LAST, NULL
#define MAYBE_TIME      SKN_CELL_INT, true, 0, 0, SKN_TIME_LAST, NULL
#define FLAG            SKN_CELL_INT, false, 0, 0, 1, NULL
#define MAYBE_INT(max)  SKN_CELL_INT, true, 0, 1, max, NULL        /* left out where it is 0 */
#define MAYBE_COUNT     SKN_CELL_INT, true, 0, -1, INT64_MAX, NULL /* -1: it was not measured */
#define MAYBE_FLAG      SKN_CELL_INT, true, 0, 0, 1, NULL
#define TEXT            SKN_CELL_TEXT, false, 0, 0, 0, NULL
#define MAYBE_TEXT      SKN_CELL_TEXT, true, 0, 0, 0, NULL
#define MAYBE_JSON      SKN_CELL_JSON, true, 0, 0, 0, NULL
#define UID             SKN_CELL_UID, false, 0, 0, 0, NULL
#define MAYBE_UID       SKN_CELL_UID, true, 0, 0, 0, NULL
#define NAME            SKN_CELL_NAME, false, 0, 0, 0, NULL
#define ONE_OF(words)   SKN_CELL_WORD, false, 0, 0, 0, words
#define REF(to)         SKN_CELL_REF, false, SKN_AR_##to, 0, 0, NULL
#define MAYBE_REF(to)   SKN_CELL_REF, true, SKN_AR_##to, 0, 0, NULL
#define MAYBE_AHEAD(to) SKN_CELL_AHEAD, true, SKN_AR_##to, 0, 0, NULL
#define KEY             SKN_CELL_KEY, false, SKN_AR_MESSAGES, 0, 0, NULL
#define MAYBE_KEY       SKN_CELL_KEY, true, SKN_AR_MESSAGES, 0, 0, NULL
#define BYTES           SKN_CELL_BYTES, false, 0, 0, 0, NULL
#define SPANS           SKN_CELL_SPANS, false, 0, 0, 0, NULL

#define COL(column, ...)         {#column, __VA_ARGS__},
#define MESSAGE_ROW(column, ...) {#column, __VA_ARGS__},
#define ERASED(...)              __VA_ARGS__
static const skn_archive_column message_columns[] = {
#include "store/message.def"
};

#define COUNT(list)  (sizeof(list) / sizeof(skn_archive_column))
#define COLUMNS(...) ((const skn_archive_column[]){__VA_ARGS__})

/* With its id and a hash a row is the widest that a statement writes. */
_Static_assert(SKN_ARCHIVE_COLUMNS + 2 <= SKN_STMT_PARAMS, "a statement has room for a row");
#define LISTED(constant, statements, table, of, list)                                          \
    _Static_assert(COUNT(list) <= SKN_ARCHIVE_COLUMNS, table);
#define NUMBERED(constant, statements, table, of, ...)                                         \
    LISTED(constant, statements, table, of, COLUMNS(__VA_ARGS__))
#define HANGING(constant, statements, table, ...)                                              \
    LISTED(constant, statements, table, , COLUMNS(__VA_ARGS__))
#include "store/archive.def"
#undef LISTED
#undef NUMBERED
#undef HANGING

#define LISTED(constant, statements, table, of, list)                                          \
    [SKN_AR_##constant] = {table, true, COUNT(list), list},
#define NUMBERED(constant, statements, table, of, ...)                                         \
    [SKN_AR_##constant] = {table, true, COUNT(COLUMNS(__VA_ARGS__)), COLUMNS(__VA_ARGS__)},
#define HANGING(constant, statements, table, ...)                                              \
    [SKN_AR_##constant] = {table, false, COUNT(COLUMNS(__VA_ARGS__)), COLUMNS(__VA_ARGS__)},
const skn_archive_shape skn_archive_tables[SKN_AR_TABLES] = {
#include "store/archive.def"
};
