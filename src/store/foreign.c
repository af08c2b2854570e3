#include "store/foreign.h"
#include "store/db_sqlite.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROWS  INT64_C(4000000)
#define MOST_BYTES ((int64_t)1 << 30)
#define ROW_BYTES  8          /* a row takes at least this much of a file */
#define SLACK      (64 << 10) /* for what is asked about the schema */

struct skn_foreign_db {
    skn_db *db;
    char   *path;
    int64_t version;
    bool    ours;
    int64_t rows, bytes, most; /* read so far, and how much its size allows */
};

bool skn_foreign_db_is(skn_str start)
{
    return start.n >= 16 && memcmp(start.p, "SQLite format 3", 16) == 0;
}

/* Texts in UTF-16 grow by a half when they are read, and some are read twice; a file that says much
 * more than its size has the same page in many places, as only a damaged one does. */
static skein_rc fail_size(const skn_foreign_db *f, skein_error *err)
{
    if (f->rows <= MOST_ROWS && f->bytes <= MOST_BYTES)
        return skn_fail(err, SKEIN_DATA, "\"%s\" is damaged: it says more than it can hold",
                        f->path);
    return skn_fail(err, SKEIN_LIMIT, "\"%s\" is too large to be imported", f->path);
}

typedef struct walk {
    skn_foreign_db   *f;
    skn_foreign_each *each;
    void             *arg;
} walk;

static skein_rc take_row(void *arg, const skn_foreign_cell *cells, size_t count,
                         skein_error *err)
{
    walk           *w = arg;
    skn_foreign_db *f = w->f;

    f->rows++;
    f->bytes += ROW_BYTES;
    for (size_t i = 0; i < count; i++)
        f->bytes += (int64_t)cells[i].text.n;
    if (f->rows > MOST_ROWS || f->bytes > f->most)
        return fail_size(f, err);
    return w->each(w->arg, cells, err);
}

skein_rc skn_foreign_db_query(skn_foreign_db *db, const char *sql, skn_foreign_each *each,
                              void *arg, skein_error *err)
{
    walk w = {db, each, arg};

    return skn_sqlite_walk(db->db, sql, take_row, &w, err);
}

bool skn_foreign_db_is_ours(const skn_foreign_db *db)
{
    return db->ours;
}

int64_t skn_foreign_db_version(const skn_foreign_db *db)
{
    return db->version;
}

static uint32_t number_at(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* SQLite sees that a page is missing when it needs it, and takes half a page for a whole one. The
 * header says how many there are, unless an old library wrote last. With a log that need not be so
 * yet. */
static skein_rc check_whole(const skn_foreign_db *f, skein_error *err)
{
    unsigned char head[100] = {0};
    FILE         *in = fopen(f->path, "rb");
    size_t        n = in ? fread(head, 1, sizeof head, in) : 0;
    int64_t       page = (int64_t)head[16] << 8 | head[17];

    if (in)
        fclose(in);
    if (n < sizeof head)
        return skn_fail(err, SKEIN_DATA, "\"%s\" is cut off", f->path);
    if (skn_file_log(f->path) > 0 || number_at(head + 24) != number_at(head + 92))
        return SKEIN_OK;
    if (skn_file_size(f->path) < (page == 1 ? 65536 : page) * (int64_t)number_at(head + 28))
        return skn_fail(err, SKEIN_DATA, "\"%s\" is cut off", f->path);
    return SKEIN_OK;
}

/* The schema is read here, so that a file which is not a database is refused before it is used. */
static skein_rc look_inside(skn_foreign_db *f, skein_error *err)
{
    int64_t  tables;
    skein_rc rc = skn_db_begin_read(f->db, err);

    if (!rc && !(rc = skn_db_number(
                     f->db, "SELECT count(*) FROM (SELECT 1 FROM sqlite_master LIMIT 1)",
                     &tables, err)))
        rc = skn_db_number(f->db, "PRAGMA user_version", &f->version, err);
    if (!rc)
        rc = skn_sqlite_is_ours(f->db, &f->ours, err);
    return rc;
}

skein_rc skn_foreign_db_open(skn_foreign_db **out, const char *path, skein_error *err)
{
    skn_foreign_db *f = skn_heap(sizeof *f);
    int64_t         size = skn_file_size(path);
    skein_rc        rc;

    *out = NULL;
    f->path = skn_heap_copy(skn_str_of(path));
    f->most = size > MOST_BYTES / 4 ? MOST_BYTES : 4 * size + SLACK;
    if (!(rc = check_whole(f, err)) && !(rc = skn_sqlite_open_foreign(&f->db, path, err)) &&
        !(rc = look_inside(f, err))) {
        *out = f;
        f = NULL;
    }
    skn_foreign_db_close(f);
    return rc;
}

void skn_foreign_db_close(skn_foreign_db *db)
{
    if (!db)
        return;
    skn_db_close(db->db);
    free(db->path);
    free(db);
}

/* Another program's SQLite file, which may be made to harm. */

#define VALUE_LONGEST (64 << 20) /* bytes of a value in it */

static void no_value(sqlite3_context *ctx, int n, sqlite3_value **values)
{
    (void)n;
    (void)values;
    sqlite3_result_null(ctx);
}

/* agent-world has indexes on JSON, and a schema that is not trusted may not name these functions: the
 * whole file would be refused. Nothing that is read here asks an index, so what stands in for them
 * need not know any JSON. */
static void stand_in_for_json(skn_sqlite *db)
{
    static const char *const names[] = {"json",       "json_extract", "json_type",
                                        "json_valid", "json_quote",   "json_array_length",
                                        "->",         "->>"};
    const int                flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        sqlite3_create_function_v2(db->handle, names[i], -1, flags, NULL, no_value, NULL, NULL,
                                   NULL);
}

/* The schema of a file from anywhere may hold code: none of it is run. */
skein_rc skn_sqlite_harden(skn_sqlite *db, skein_error *err)
{
    static const int off[] = {SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_ENABLE_TRIGGER,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA,
                              SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER,
                              SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION};

    for (size_t i = 0; i < sizeof off / sizeof *off; i++)
        sqlite3_db_config(db->handle, off[i], 0, NULL);
    sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_limit(db->handle, SQLITE_LIMIT_LENGTH, VALUE_LONGEST);
    sqlite3_limit(db->handle, SQLITE_LIMIT_ATTACHED, 0);
    stand_in_for_json(db);
    return skn_db_script(&db->base,
                         "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0;"
                         "PRAGMA temp_store=MEMORY; PRAGMA query_only=ON",
                         err);
}

static skein_rc get_cell(skn_sqlite *db, sqlite3_stmt *s, int column, skn_foreign_cell *out,
                         skein_error *err)
{
    int                  type = sqlite3_column_type(s, column);
    const unsigned char *text = type == SQLITE_NULL ? NULL : sqlite3_column_text(s, column);

    *out = (skn_foreign_cell){.number = type == SQLITE_INTEGER || type == SQLITE_FLOAT};
    if (text)
        out->text = (skn_str){(const char *)text, (size_t)sqlite3_column_bytes(s, column)};
    else if (type == SQLITE_BLOB && sqlite3_column_bytes(s, column) == 0)
        out->text = SKN_STR("");
    else if (type != SQLITE_NULL)
        return skn_sqlite_fault(db, err);
    return SKEIN_OK;
}

skein_rc skn_sqlite_walk(skn_db *base, const char *sql, skn_sqlite_row *each, void *arg,
                         skein_error *err)
{
    skn_sqlite      *db = (skn_sqlite *)base;
    sqlite3_stmt    *s = NULL;
    skn_foreign_cell cells[SKN_FOREIGN_CELLS];
    int              got, count;
    skein_rc         rc = SKEIN_OK;

    errno = 0;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL))
        return skn_sqlite_fault(db, err);
    count = sqlite3_column_count(s);
    assert(count <= SKN_FOREIGN_CELLS);
    while (!rc && (got = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; !rc && i < count; i++)
            rc = get_cell(db, s, i, &cells[i], err);
        if (!rc)
            rc = each(arg, cells, (size_t)count, err);
    }
    if (!rc && got != SQLITE_DONE)
        rc = skn_sqlite_fault(db, err);
    sqlite3_finalize(s);
    return rc;
}
