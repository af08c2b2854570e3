/* import_table.h: tables of another program's database, read whole, with the columns that are there.
 * Only files of this folder include it.
 *
 * The file may be damaged or made to harm, and a query that looks for something can be kept looking
 * for ever: so rows are taken in their order and sorted out by the reader.
 *
 * Threads: one.  Lifetimes: texts live in the file's arena, cells until the next row. */
#ifndef SKN_EXCHANGE_IMPORT_TABLE_H
#define SKN_EXCHANGE_IMPORT_TABLE_H

#include "exchange/import.h"

typedef struct skn_tables {
    skn_foreign_file *file;
    skn_foreign_db   *db;
    skn_map          *names;  /* of those that are there */
    bool              mended; /* a text was no UTF-8, and that was said */
} skn_tables;

/* Finds the tables of an open database; views are none. */
skein_rc skn_tables_init(skn_tables *t, skn_foreign_file *file, skn_foreign_db *db,
                         skein_error *err);
bool     skn_tables_has(const skn_tables *t, const char *name);
skein_rc skn_tables_has_column(skn_tables *t, const char *name, const char *column, bool *out,
                               skein_error *err);
/* Hands over all rows by rowid: the columns named (a NULL ends them), where those that are not there
 * are NULL, and after them the rowid. No rows when there is no such table. */
skein_rc skn_tables_read(skn_tables *t, const char *name, const char *const *columns,
                         skn_foreign_each *each, void *arg, skein_error *err);
/* How many rows it has, up to a million. */
skein_rc skn_tables_count(skn_tables *t, const char *name, int64_t *out, skein_error *err);

/* A cell as text in UTF-8, kept; what is none becomes U+FFFD, and that is said once. */
skn_str skn_tables_text(skn_tables *t, const skn_foreign_cell *cell);
int64_t skn_tables_time(const skn_foreign_cell *cell);   /* 0: none */
int64_t skn_tables_number(const skn_foreign_cell *cell); /* 0: none */

#endif
