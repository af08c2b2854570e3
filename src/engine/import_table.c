#include "engine/import_table.h"

#include "base/utf8.h"

/* --- Tables and columns ------------------------------------------------------------------- */

static skein_rc note_table(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    skn_map *names = arg;

    (void)err;
    if (cells[0].text.p)
        *skn_map_slot(names, cells[0].text) = names;
    return SKEIN_OK;
}

static skein_rc note_column(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    return note_table(arg, &cells[1], err);
}

skein_rc skn_tables_init(skn_tables *t, skn_foreign_file *file, skn_foreign_db *db,
                         skein_error *err)
{
    *t = (skn_tables){.file = file, .db = db, .names = skn_map_new(file->a)};
    return skn_foreign_db_query(db,
                                "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                "sql LIKE 'CREATE TABLE%'",
                                note_table, t->names, err);
}

bool skn_tables_has(const skn_tables *t, const char *name)
{
    return skn_map_get(t->names, skn_str_of(name)) != NULL;
}

/* Names are ours, so the text is safe to put together. */
static skein_rc find_columns(skn_tables *t, const char *name, skn_map *there, skein_error *err)
{
    skn_str sql = skn_arena_printf(t->file->a, "PRAGMA table_info(%s)", name);

    return skn_foreign_db_query(t->db, sql.p, note_column, there, err);
}

skein_rc skn_tables_has_column(skn_tables *t, const char *name, const char *column, bool *out,
                               skein_error *err)
{
    skn_map *there = skn_map_new(t->file->a);
    skein_rc rc = find_columns(t, name, there, err);

    *out = skn_map_get(there, skn_str_of(column)) != NULL;
    return rc;
}

skein_rc skn_tables_read(skn_tables *t, const char *name, const char *const *columns,
                         skn_foreign_each *each, void *arg, skein_error *err)
{
    skn_map *there = skn_map_new(t->file->a);
    skn_buf  sql;
    skein_rc rc;

    if (!skn_tables_has(t, name))
        return SKEIN_OK;
    rc = find_columns(t, name, there, err);
    skn_buf_init(&sql, 4096);
    skn_buf_addf(&sql, "SELECT ");
    for (size_t i = 0; columns[i]; i++)
        skn_buf_addf(&sql, "%s, ",
                     skn_map_get(there, skn_str_of(columns[i])) ? columns[i] : "NULL");
    skn_buf_addf(&sql, "rowid FROM %s ORDER BY rowid", name);
    if (!rc)
        rc = skn_foreign_db_query(t->db, sql.p, each, arg, err);
    skn_buf_release(&sql);
    return rc;
}

static skein_rc note_count(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    (void)err;
    *(int64_t *)arg = skn_tables_number(&cells[0]);
    return SKEIN_OK;
}

skein_rc skn_tables_count(skn_tables *t, const char *name, int64_t *out, skein_error *err)
{
    *out = 0;
    if (!skn_tables_has(t, name))
        return SKEIN_OK;
    return skn_foreign_db_query(
        t->db,
        skn_arena_printf(t->file->a, "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT 1000000)",
                         name)
            .p,
        note_count, out, err);
}

/* --- Cells -------------------------------------------------------------------------------- */

static skn_str mend(skn_tables *t, skn_str text)
{
    skn_buf buf;
    size_t  bad;
    skn_str mended;

    skn_buf_init(&buf, SKN_IMPORT_FILE);
    while (!skn_utf8_valid(text, &bad)) {
        skn_buf_add(&buf, skn_str_sub(text, 0, bad));
        skn_buf_add(&buf, SKN_STR("\xef\xbf\xbd"));
        text = skn_str_sub(text, bad + 1, text.n);
    }
    skn_buf_add(&buf, text);
    mended = skn_arena_copy(t->file->a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    if (!t->mended)
        skn_foreign_note(t->file, "some bytes are no text and became U+FFFD");
    t->mended = true;
    return mended;
}

skn_str skn_tables_text(skn_tables *t, const skn_foreign_cell *cell)
{
    size_t bad;

    if (!cell->text.p || skn_utf8_valid(cell->text, &bad))
        return skn_arena_copy(t->file->a, cell->text);
    return mend(t, cell->text);
}

int64_t skn_tables_time(const skn_foreign_cell *cell)
{
    if (!cell->text.p)
        return 0;
    return cell->number ? skn_foreign_time_number(cell->text)
                        : skn_foreign_time_text(cell->text);
}

int64_t skn_tables_number(const skn_foreign_cell *cell)
{
    int64_t n;

    return cell->text.p && skn_str_int(cell->text, &n) ? n : 0;
}
