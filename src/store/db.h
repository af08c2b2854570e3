/* db.h: one connection to a database and its prepared statements; the seam between the store's
 * files and the two drivers. Only files of this folder include it.
 *
 * Threads: a connection is used by one thread at a time; its owner sees to that.
 * Lifetimes: texts and blobs of a row die at the next step or done. */
#pragma once

#include "base/arena.h"
#include "base/error.h"
#include "store/foreign.h"

#include "queries.h" /* generated from sql/: enum skn_query, skn_queries, skn_migrations */

typedef struct skn_db skn_db;

#define SKN_STMT_PARAMS 40

/* The value of a parameter. */
typedef struct skn_bind {
    enum { SKN_BIND_END, SKN_BIND_NULL, SKN_BIND_INT, SKN_BIND_TEXT, SKN_BIND_BLOB } kind;
    int64_t number;
    skn_str bytes; /* borrowed until done */
} skn_bind;

/* A statement in use. Always: use, bind in order, step until no row (or run), done. */
typedef struct skn_stmt {
    skn_db        *db;
    enum skn_query query;
    void          *handle; /* the driver's */
    int            bound;
    int            row;   /* the driver's: which row is shown, or that there are no more */
    bool           begun; /* a step was made */
    skn_bind       binds[SKN_STMT_PARAMS];
} skn_stmt;

/* An id of 0 and an absent text are NULL. */
static inline skn_bind skn_bind_int(int64_t v)
{
    return (skn_bind){.kind = SKN_BIND_INT, .number = v};
}

static inline skn_bind skn_bind_id(int64_t v)
{
    return (skn_bind){.kind = v ? SKN_BIND_INT : SKN_BIND_NULL, .number = v};
}

static inline skn_bind skn_bind_text(skn_str v)
{
    return (skn_bind){.kind = v.p ? SKN_BIND_TEXT : SKN_BIND_NULL, .bytes = v};
}

static inline skn_bind skn_bind_blob(skn_str v)
{
    return (skn_bind){.kind = v.p ? SKN_BIND_BLOB : SKN_BIND_NULL, .bytes = v};
}

skn_stmt skn_stmt_use(skn_db *db, enum skn_query query);
void     skn_stmt_bind(skn_stmt *s, skn_bind v);
/* Moves to the next row; *row is false when there is none. */
skein_rc skn_stmt_step(skn_stmt *s, bool *row, skein_error *err);
/* For statements without rows: steps once and is done with it, also on failure. */
skein_rc skn_stmt_run(skn_stmt *s, skein_error *err);
int64_t  skn_stmt_int(const skn_stmt *s, int column);  /* NULL reads as 0 */
skn_str  skn_stmt_text(const skn_stmt *s, int column); /* NULL reads as absent */
skn_str  skn_stmt_blob(const skn_stmt *s, int column);
bool     skn_stmt_null(const skn_stmt *s, int column);
void     skn_stmt_done(skn_stmt *s); /* also after a failed step; twice is fine */
/* Rows changed by the last run of this connection. */
int64_t skn_db_changes(skn_db *db);
/* Was the last failure of this connection a broken unique key? The transaction is then lost on
 * PostgreSQL: use a savepoint where it is expected. */
bool skn_db_was_duplicate(const skn_db *db);

/* Transactions. A write transaction holds the write lock from its begin (SQLite: BEGIN IMMEDIATE,
 * PostgreSQL: READ COMMITTED); a read transaction sees one snapshot. */
skein_rc skn_db_begin_write(skn_db *db, skein_error *err);
skein_rc skn_db_begin_read(skn_db *db, skein_error *err);
skein_rc skn_db_commit(skn_db *db, skein_error *err);
void     skn_db_rollback(skn_db *db); /* fine outside of a transaction */
/* Runs SQL text; only migration, maintenance (vacuum, checkpoint) and savepoints use it. */
skein_rc skn_db_script(skn_db *db, const char *sql, skein_error *err);
/* The number that SQL text selects, 0 for NULL or no row; only migration and skn_store_stamp use
 * it. */
skein_rc skn_db_number(skn_db *db, const char *sql, int64_t *out, skein_error *err);
bool     skn_db_is_pg(const skn_db *db);

typedef enum skn_db_mode {
    SKN_DB_WRITER, /* creates the database when it is missing */
    SKN_DB_READER
} skn_db_mode;

/* address: "sqlite:PATH", "postgresql://…" or "postgres://…". */
skein_rc skn_db_open(skn_db **out, skn_str address, skn_db_mode mode, skein_error *err);
void     skn_db_close(skn_db *db); /* NULL is fine */

/* Copies all that this connection sees into a new file. */
skein_rc skn_db_backup(skn_db *db, skn_str path, skein_error *err);
/* Drives erased text out of free pages, index segments and the log; not inside a transaction. */
skein_rc skn_db_scrub(skn_db *db, skein_error *err);

/* --- Another program's SQLite file (foreign.c) ----------------------------------------------- */

typedef skein_rc skn_sqlite_row(void *arg, const skn_foreign_cell *cells, size_t count,
                                skein_error *err);

/* Opens it to be read only, with nothing run that is written in it. */
skein_rc skn_sqlite_open_foreign(skn_db **out, const char *path, skein_error *err);
/* Does its header say that it is a store? */
skein_rc skn_sqlite_is_ours(skn_db *db, bool *ours, skein_error *err);
/* Hands over the rows of a query. */
skein_rc skn_sqlite_walk(skn_db *db, const char *sql, skn_sqlite_row *each, void *arg,
                         skein_error *err);

/* Brings the schema up to date, each step in its own transaction, under the write lock; refuses a
 * newer one and a database that is not ours. */
skein_rc skn_migrate(skn_db *db, skein_error *err);
/* The same up to an older schema: a store as an older program left it. */
skein_rc skn_migrate_to(skn_db *db, int schema, skein_error *err);
/* stmt.c: hashes the messages that have no hash; part of the migration that brings it. */
skein_rc skn_hash_old_messages(skn_db *db, skein_error *err);
/* Refuses a schema that skn_migrate would have to change; writes nothing. */
skein_rc skn_migrate_check(skn_db *db, skein_error *err);
/* The number of the newest migration. */
int skn_migrate_newest(void);

/* --- What a driver is ------------------------------------------------------------------------ */

/* The texts that differ in migrations. */
typedef struct skn_dialect {
    const char *suffix;                     /* of migrations for the other database: ".pg" */
    const char *id, *blob, *code, *rowless; /* what {ID}, {BLOB}, {CODE}, {ROWLESS} stand for */
    const char *lock;        /* SQL, first in the transaction: one migration at a time */
    const char *found;       /* SQL, before the first migration */
    const char *has_version; /* selects 1 when there is a table schema_version, else 0 */
    const char *has_tables;  /* selects how many tables there are */
} skn_dialect;

typedef struct skn_driver {
    const char *scheme;
    skein_rc (*open)(skn_db **out, skn_str address, skn_db_mode mode, skein_error *err);
    void (*close)(skn_db *db);
    skein_rc (*step)(skn_stmt *s, bool *row, skein_error *err); /* first step binds and runs */
    void (*done)(skn_stmt *s);
    int64_t (*get_int)(const skn_stmt *s, int column);
    skn_str (*get_text)(const skn_stmt *s, int column);
    skn_str (*get_blob)(const skn_stmt *s, int column);
    bool (*is_null)(const skn_stmt *s, int column);
    skein_rc (*script)(skn_db *db, const char *sql, skein_error *err);
    skein_rc (*number)(skn_db *db, const char *sql, int64_t *out, skein_error *err);
    skein_rc (*backup)(skn_db *db, skn_str path, skein_error *err);
    skein_rc (*scrub)(skn_db *db, skein_error *err);
    const char *begin_write, *begin_read; /* SQL */
    skn_dialect dialect;
} skn_driver;

/* A driver's connection begins with this. */
struct skn_db {
    const skn_driver *driver;
    char             *address;   /* opens another connection to the same place */
    bool              duplicate; /* the last failure was a broken unique key */
    bool              retry;     /* the last failure asks to run the transaction again */
    int64_t           patience;  /* nanoseconds to wait for a lock of SQLite; 0: as usual */
    bool              lost;      /* of no more use: close it */
    bool              brief;     /* good for one transaction only: do not keep it */
    bool              read_only; /* writing is known to be impossible */
    bool              foreign;   /* another program's file, to be read only */
    bool              in_tx;
    int64_t           changed;
    size_t            fetched; /* bytes, since it was last asked whether there is memory */
};

/* What a failure of a database is called, the same for both drivers: fills err by the code;
 * detail is the driver's own text, used where the code alone says too little. */
skein_rc skn_db_fault(skn_db *db, skein_rc rc, const char *detail, skein_error *err);

extern const skn_driver skn_driver_sqlite;
extern const skn_driver skn_driver_pg;
