#include "store/db.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

enum {
    CHECK_BYTES = 512 *
                  1024, /* that were read before it is asked again whether there is memory */
    ROW_BYTES = 128     /* what a row counts beside its texts */
};

/* --- Statements ------------------------------------------------------------------------------ */

skn_stmt skn_stmt_use(skn_db *db, enum skn_query query)
{
    return (skn_stmt){.db = db, .query = query};
}

void skn_stmt_bind(skn_stmt *s, skn_bind v)
{
    assert(!s->begun && "a statement is bound before its first step");
    assert(s->bound < SKN_STMT_PARAMS);
    s->binds[s->bound++] = v;
}

/* Readers keep what they read, so reading continues only while there is memory: all large reads pass here, and here
 * they can still fail alone. */
static skein_rc check_memory(skn_db *db, skein_error *err)
{
    db->fetched += ROW_BYTES;
    if (db->fetched < CHECK_BYTES)
        return SKEIN_OK;
    db->fetched = 0;
    return skn_heap_has(SKN_HEADROOM) ? SKEIN_OK : skn_no_memory(err);
}

skein_rc skn_stmt_step(skn_stmt *s, bool *row, skein_error *err)
{
    skein_rc rc = check_memory(s->db, err);

    *row = false;
    return rc ? rc : s->db->driver->step(s, row, err);
}

skein_rc skn_stmt_run(skn_stmt *s, skein_error *err)
{
    bool     row;
    skein_rc rc = skn_stmt_step(s, &row, err);

    skn_stmt_done(s);
    return rc;
}

int64_t skn_stmt_int(const skn_stmt *s, int column)
{
    return s->db->driver->get_int(s, column);
}

static skn_str fetched(const skn_stmt *s, skn_str bytes)
{
    s->db->fetched += bytes.n;
    return bytes;
}

skn_str skn_stmt_text(const skn_stmt *s, int column)
{
    return fetched(s, s->db->driver->get_text(s, column));
}

skn_str skn_stmt_blob(const skn_stmt *s, int column)
{
    return fetched(s, s->db->driver->get_blob(s, column));
}

bool skn_stmt_null(const skn_stmt *s, int column)
{
    return s->db->driver->is_null(s, column);
}

void skn_stmt_done(skn_stmt *s)
{
    s->db->driver->done(s);
    s->handle = NULL;
    s->bound = 0;
    s->row = 0;
    s->begun = false;
}

int64_t skn_db_changes(skn_db *db)
{
    return db->changed;
}

bool skn_db_was_duplicate(const skn_db *db)
{
    return db->duplicate;
}

/* --- Transactions ---------------------------------------------------------------------------- */

static skein_rc begin_transaction(skn_db *db, const char *sql, skein_error *err)
{
    skein_rc rc;

    assert(!db->in_tx);
    db->duplicate = db->retry = false; /* of an earlier transaction */
    if (!(rc = db->driver->script(db, sql, err)))
        db->in_tx = true;
    return rc;
}

skein_rc skn_db_begin_write(skn_db *db, skein_error *err)
{
    return begin_transaction(db, db->driver->begin_write, err);
}

skein_rc skn_db_begin_read(skn_db *db, skein_error *err)
{
    return begin_transaction(db, db->driver->begin_read, err);
}

skein_rc skn_db_commit(skn_db *db, skein_error *err)
{
    skein_rc rc = db->driver->script(db, "COMMIT", err);

    if (rc && db->lost)
        skn_hint(err, rc,
                 "the connection broke at the last moment: check whether the change was made "
                 "before you try again");
    if (rc)
        skn_db_rollback(db);
    db->in_tx = false;
    return rc;
}

void skn_db_rollback(skn_db *db)
{
    if (db->in_tx)
        (void)db->driver->script(db, "ROLLBACK", NULL);
    db->in_tx = false;
}

/* --- The rest -------------------------------------------------------------------------------- */

skein_rc skn_db_script(skn_db *db, const char *sql, skein_error *err)
{
    return db->driver->script(db, sql, err);
}

skein_rc skn_db_number(skn_db *db, const char *sql, int64_t *out, skein_error *err)
{
    *out = 0;
    return db->driver->number(db, sql, out, err);
}

bool skn_db_is_pg(const skn_db *db)
{
    return db->driver == &skn_driver_pg;
}

skein_rc skn_db_backup(skn_db *db, skn_str path, skein_error *err)
{
    return db->driver->backup(db, path, err);
}

skein_rc skn_db_scrub(skn_db *db, skein_error *err)
{
    return db->driver->scrub(db, err);
}

/* An address of another kind, up to where a password may stand: "mysql://" */
static skn_str harmless(skn_str address)
{
    ptrdiff_t end = skn_str_find(address, SKN_STR("://"));
    size_t    n = 0;

    if (end >= 0)
        return skn_str_sub(address, 0, (size_t)end + 3);
    if (skn_str_find(address, SKN_STR("@")) < 0 && skn_str_find(address, SKN_STR("=")) < 0)
        return address;
    while (n < address.n && isalnum((unsigned char)address.p[n]))
        n++;
    return skn_str_sub(address, 0, n < address.n && strchr(":=", address.p[n]) ? n + 1 : 0);
}

static skein_rc no_store(skn_str address, skein_error *err)
{
    skn_str shown = harmless(address);

    return skn_fail_hint(
        err, SKEIN_USAGE,
        "A store is in SQLite or in PostgreSQL: write sqlite:PATH for a file, or "
        "postgresql://USER@HOST/NAME for a server",
        "\"%.*s%s\" is not the address of a store", SKN_FMT(shown),
        shown.n < address.n ? "\xE2\x80\xA6" : "");
}

skein_rc skn_db_open(skn_db **out, skn_str address, skn_db_mode mode, skein_error *err)
{
    *out = NULL;
    if (skn_str_starts(address, SKN_STR("sqlite:")))
        return skn_driver_sqlite.open(out, address, mode, err);
    if (skn_str_starts(address, SKN_STR("postgresql://")) ||
        skn_str_starts(address, SKN_STR("postgres://")))
        return skn_driver_pg.open(out, address, mode, err);
    return no_store(address, err);
}

void skn_db_close(skn_db *db)
{
    if (!db)
        return;
    skn_db_rollback(db);
    db->driver->close(db);
}

/* What goes wrong in another program's file is not a fault of the store. */
static skein_rc foreign_fault(const skn_db *db, skein_rc rc, const char *detail,
                              skein_error *err)
{
    const char *path = db->address + sizeof "sqlite:" - 1;

    if (rc == SKEIN_DAMAGED || rc == SKEIN_NOT_OURS || rc == SKEIN_FAILED)
        rc = SKEIN_DATA;
    skn_fail(err, rc, "cannot read \"%s\": %s", path, detail);
    if (rc == SKEIN_READ_ONLY || rc == SKEIN_IO || rc == SKEIN_BUSY)
        skn_hint(err, rc,
                 "end the program it belongs to, or copy it with its \"-wal\" file to where "
                 "you can write");
    return rc;
}

static const struct {
    skein_rc    rc;
    const char *message;
    bool        detailed; /* the driver's text follows */
    const char *hint;
} faults[] = {
#define FAULT(...) {__VA_ARGS__},
#include "store/faults.def"
};

skein_rc skn_db_fault(skn_db *db, skein_rc rc, const char *detail, skein_error *err)
{
    size_t i = 0;

    db->duplicate = rc == SKEIN_CONFLICT;
    if (db->foreign)
        return foreign_fault(db, rc, detail, err);
    while (faults[i].rc && faults[i].rc != rc)
        i++;
    skn_fail(err, rc, "%s%s", faults[i].message, faults[i].detailed ? detail : "");
    return faults[i].hint ? skn_hint(err, rc, "%s", faults[i].hint) : rc;
}
