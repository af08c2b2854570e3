/* db_sqlite_foreign.c: another program's SQLite file, which may be made to harm. */
#include "store/db_sqlite.h"

#include <assert.h>
#include <errno.h>

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
