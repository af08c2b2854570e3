/* db_sqlite.h: what the files of the SQLite driver share; the only file that includes sqlite3.h.
 *
 * Threads: a connection is used by one at a time. */
#pragma once

#include "store/db.h"
#include "store/db_file.h"

#include <sqlite3.h>

typedef struct skn_sqlite {
    skn_db         base;
    sqlite3       *handle;
    const char    *path;     /* within base.address */
    bool           vanished; /* the last failure was that a file was gone */
    skn_file_tries tries;    /* to get a lock */
    int            failure;  /* SQLite's code of the last one */
    sqlite3_stmt  *prepared[SKN_Q_COUNT];
} skn_sqlite;

/* SQLite's last error, as an error of ours. */
skein_rc skn_sqlite_fault(skn_sqlite *db, skein_error *err);
/* Sets a connection up for another program's file: nothing that is written in it is run. */
skein_rc skn_sqlite_harden(skn_sqlite *db, skein_error *err);
