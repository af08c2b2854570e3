#include "store/foreign.h"

#include "store/db.h"
#include "store/db_file.h"

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

/* Texts in UTF-16 grow by a half when they are read; beyond twice its size a file says something
 * more than once, as only a damaged one does. */
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

/* The schema is read here, so that a file which is no database is refused before it is used. */
static skein_rc look_inside(skn_foreign_db *f, skein_error *err)
{
    int64_t  tables;
    skein_rc rc = skn_db_begin_read(f->db, err);

    if (!rc)
        rc = skn_db_number(f->db, "SELECT count(*) FROM (SELECT 1 FROM sqlite_master LIMIT 1)",
                           &tables, err);
    if (!rc)
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
    f->most = size > MOST_BYTES / 2 ? MOST_BYTES : 2 * size + SLACK;
    if (!(rc = skn_sqlite_open_foreign(&f->db, path, err)) && !(rc = look_inside(f, err))) {
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
