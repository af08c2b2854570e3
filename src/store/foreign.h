/* foreign.h: another program's SQLite database, opened only to be read; part of the door
 * (store.h includes it).
 *
 * The file is somebody else's and may be damaged or made to harm: it is never written, its views
 * and triggers are not run, and it cannot give more than it is large. All queries of one opening
 * see the same state, also while the other program goes on writing.
 *
 * Threads: one at a time.  Lifetimes: the cells of a row are gone when the next one is read. */
#pragma once

#include "base/arena.h"
#include "base/error.h"

#define SKN_FOREIGN_CELLS 16

typedef struct skn_foreign_db skn_foreign_db;

typedef struct skn_foreign_cell {
    bool    number; /* stored as one; its digits are in text */
    skn_str text;   /* absent for NULL; any bytes, not only UTF-8 */
} skn_foreign_cell;

typedef skein_rc skn_foreign_each(void *arg, const skn_foreign_cell *cells, skein_error *err);

/* True if a file that begins with these bytes (16 are enough) is a SQLite database. */
bool skn_foreign_db_is(skn_str start);
/* Refuses with SKEIN_DATA what cannot be read as a database. */
skein_rc skn_foreign_db_open(skn_foreign_db **out, const char *path, skein_error *err);
void     skn_foreign_db_close(skn_foreign_db *db); /* NULL is fine */
/* Is it a store of ours? */
bool skn_foreign_db_is_ours(const skn_foreign_db *db);
/* The value of PRAGMA user_version. */
int64_t skn_foreign_db_version(const skn_foreign_db *db);
/* Hands over the rows of a query of at most SKN_FOREIGN_CELLS columns; ends with what `each`
 * returned when that is not a success. */
skein_rc skn_foreign_db_query(skn_foreign_db *db, const char *sql, skn_foreign_each *each,
                              void *arg, skein_error *err);
