/* The SQLite driver. What other programs' files need besides is in foreign.c. */
#include "store/db_sqlite.h"

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define APPLICATION_ID   0x736b656e /* "sken", in the header of every store */
#define APPLICATION_TEXT "1936418158"
_Static_assert(APPLICATION_ID == 1936418158, "both name the same number");

#define BUSY_NANOS  (30 * INT64_C(1000000000)) /* how long to wait for another program's lock */
#define CUT_NANOS   (3 * INT64_C(1000000000))  /* … and for a reader of the log */
#define GONE_NANOS  (3 * INT64_C(1000000000))  /* … and for files that come and go */
#define NO_MORE_ROW (-1)

/* Writers keep more in memory: an append touches the last pages of a dozen trees. */
static const char writer_pragmas[] = "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
                                     "PRAGMA secure_delete=ON; PRAGMA cache_size=-3000;"
                                     "PRAGMA journal_size_limit=16777216; PRAGMA mmap_size=0;";
static const char reader_pragmas[] = "PRAGMA cache_size=-1500; PRAGMA mmap_size=0;";

static skn_sqlite *of(skn_db *db)
{
    return (skn_sqlite *)db;
}

/* --- Failures -------------------------------------------------------------------------------- */

static skein_rc code_of(int extended, int os_error)
{
    if (extended == SQLITE_CONSTRAINT_UNIQUE || extended == SQLITE_CONSTRAINT_PRIMARYKEY ||
        extended == SQLITE_CONSTRAINT_ROWID)
        return SKEIN_CONFLICT;
    if (extended == SQLITE_READONLY_DBMOVED)
        return SKEIN_IO;
    switch (extended & 0xff) {
    case SQLITE_NOMEM:
        return SKEIN_NO_MEMORY;
    case SQLITE_FULL:
        return SKEIN_FULL;
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
        if (os_error == EMFILE || os_error == ENFILE)
            return SKEIN_NO_MEMORY;
        return os_error == ENOSPC || os_error == EDQUOT ? SKEIN_FULL : SKEIN_IO;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return SKEIN_IO;
    case SQLITE_READONLY:
        return SKEIN_READ_ONLY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return SKEIN_BUSY;
    case SQLITE_CORRUPT:
        return SKEIN_DAMAGED;
    case SQLITE_NOTADB:
        return SKEIN_NOT_OURS;
    case SQLITE_TOOBIG:
        return SKEIN_LIMIT;
    default:
        return SKEIN_FAILED;
    }
}

/* The errno behind a failure, 0 when there is none. SQLite keeps it for most calls, but not when a
 * COMMIT cannot sync: then what it keeps is that of an older failure. So errno is set to 0 before
 * each call that may touch the disk, and stands first here. */
static int os_error_of(const skn_sqlite *db)
{
    int now = errno;

    return now ? now : sqlite3_system_errno(db->handle);
}

/* Turns the connection's last failure into an error. Some failures (a full disk) also end the
 * transaction: in_tx says so. */
skein_rc skn_sqlite_fault(skn_sqlite *db, skein_error *err)
{
    int         os_error = os_error_of(db);
    int         extended = sqlite3_extended_errcode(db->handle);
    skein_rc    rc = code_of(extended, os_error);
    char        text[128];
    const char *detail = sqlite3_errmsg(db->handle);

    db->failure = extended & 0xff;
    db->vanished = rc == SKEIN_IO && os_error == ENOENT;
    if (db->base.in_tx && sqlite3_get_autocommit(db->handle))
        db->base.in_tx = false;
    if (rc == SKEIN_NOT_OURS && !db->base.foreign)
        return skn_file_not_ours(db->path, err);
    if (extended == SQLITE_READONLY_DBMOVED)
        detail = "the file was moved or removed while it was open";
    else if (rc == SKEIN_IO && os_error)
        detail = skn_file_words(os_error, text);
    return skn_db_fault(&db->base, rc, detail, err);
}

/* --- Waiting for other programs -------------------------------------------------------------- */

static int on_busy(void *arg, int round)
{
    skn_sqlite *db = arg;

    if (round == 0)
        db->tries = (skn_file_tries){0};
    return skn_file_again(&db->tries, db->base.patience ? db->base.patience : BUSY_NANOS);
}

/* --- Statements ------------------------------------------------------------------------------ */

static int bind(sqlite3_stmt *handle, const skn_stmt *s)
{
    int rc = SQLITE_OK;

    assert(s->bound == sqlite3_bind_parameter_count(handle));
    for (int i = 0; i < s->bound && !rc; i++) {
        const skn_bind *b = &s->binds[i];

        switch (b->kind) {
        case SKN_BIND_END:
        case SKN_BIND_NULL:
            rc = sqlite3_bind_null(handle, i + 1);
            break;
        case SKN_BIND_INT:
            rc = sqlite3_bind_int64(handle, i + 1, b->number);
            break;
        case SKN_BIND_TEXT:
            rc = sqlite3_bind_text64(handle, i + 1, b->bytes.p, b->bytes.n, SQLITE_STATIC,
                                     SQLITE_UTF8);
            break;
        case SKN_BIND_BLOB:
            rc = sqlite3_bind_blob64(handle, i + 1, b->bytes.p, b->bytes.n, SQLITE_STATIC);
            break;
        }
    }
    return rc;
}

static skein_rc first_step(skn_stmt *s, skein_error *err)
{
    skn_sqlite    *db = of(s->db);
    sqlite3_stmt **slot = &db->prepared[s->query];

    errno = 0;
    if (!*slot && sqlite3_prepare_v3(db->handle, skn_queries[s->query].sqlite, -1,
                                     SQLITE_PREPARE_PERSISTENT, slot, NULL))
        return skn_sqlite_fault(db, err);
    assert(!sqlite3_stmt_busy(*slot) && "a statement is done with before its next use");
    s->handle = *slot;
    s->begun = true;
    if (bind(*slot, s))
        return skn_sqlite_fault(db, err);
    return SKEIN_OK;
}

static skein_rc sqlite_step(skn_stmt *s, bool *row, skein_error *err)
{
    skn_sqlite *db = of(s->db);
    skein_rc    rc;

    if (!s->begun && (rc = first_step(s, err)))
        return rc;
    if (s->row == NO_MORE_ROW) /* SQLite would start again */
        return SKEIN_OK;
    errno = 0;
    switch (sqlite3_step(s->handle)) {
    case SQLITE_ROW:
        *row = true;
        return SKEIN_OK;
    case SQLITE_DONE:
        s->row = NO_MORE_ROW;
        db->base.changed = sqlite3_changes64(db->handle);
        *row = skn_queries[s->query].gives_id && db->base.changed > 0;
        return SKEIN_OK;
    default:
        s->row = NO_MORE_ROW;
        return skn_sqlite_fault(db, err);
    }
}

static void sqlite_done(skn_stmt *s)
{
    if (!s->handle)
        return;
    sqlite3_reset(s->handle);
    sqlite3_clear_bindings(s->handle); /* they point into the caller's memory */
}

static int64_t sqlite_int(const skn_stmt *s, int column)
{
    if (skn_queries[s->query].gives_id)
        return sqlite3_last_insert_rowid(of(s->db)->handle);
    return sqlite3_column_int64(s->handle, column);
}

static bool sqlite_null(const skn_stmt *s, int column)
{
    return sqlite3_column_type(s->handle, column) == SQLITE_NULL;
}

static skn_str sqlite_text(const skn_stmt *s, int column)
{
    const unsigned char *p;

    if (sqlite_null(s, column))
        return SKN_NONE;
    p = sqlite3_column_text(s->handle, column);
    return (skn_str){(const char *)p, (size_t)sqlite3_column_bytes(s->handle, column)};
}

static skn_str sqlite_blob(const skn_stmt *s, int column)
{
    const void *p;

    if (sqlite_null(s, column))
        return SKN_NONE;
    p = sqlite3_column_blob(s->handle, column); /* NULL when it is empty */
    return (skn_str){p ? p : "", (size_t)sqlite3_column_bytes(s->handle, column)};
}

static skein_rc sqlite_script(skn_db *base, const char *sql, skein_error *err)
{
    skn_sqlite *db = of(base);

    errno = 0;
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) ? skn_sqlite_fault(db, err)
                                                           : SKEIN_OK;
}

static skein_rc sqlite_number(skn_db *base, const char *sql, int64_t *out, skein_error *err)
{
    skn_sqlite   *db = of(base);
    sqlite3_stmt *s = NULL;
    int           got;
    skein_rc      rc = SKEIN_OK;

    errno = 0;
    got = sqlite3_prepare_v2(db->handle, sql, -1, &s, NULL);
    if (!got)
        got = sqlite3_step(s);
    if (got == SQLITE_ROW)
        *out = sqlite3_column_int64(s, 0);
    else if (got != SQLITE_DONE)
        rc = skn_sqlite_fault(db, err);
    sqlite3_finalize(s);
    return rc;
}

/* --- Opening --------------------------------------------------------------------------------- */

static void sqlite_close(skn_db *base)
{
    skn_sqlite *db = of(base);

    for (int i = 0; i < SKN_Q_COUNT; i++)
        sqlite3_finalize(db->prepared[i]);
    sqlite3_close(db->handle);
    free(base->address);
    free(db);
}

/* Our address with the file's full path, so that it means the same after a change of directory. */
static void keep_address(skn_sqlite *db, const char *path)
{
    char *address = skn_file_address(path);

    free(db->base.address);
    db->base.address = address;
    db->path = address + strlen("sqlite:");
}

static skein_rc open_handle(skn_sqlite *db, const char *name, int flags, skein_error *err)
{
    sqlite3_close(db->handle);
    db->handle = NULL;
    if (sqlite3_open_v2(name, &db->handle, flags | SQLITE_OPEN_NOMUTEX, NULL)) {
        int os_error = db->handle ? sqlite3_system_errno(db->handle) : ENOMEM;

        return skn_file_cannot_open(db->path, os_error ? os_error : EACCES, err);
    }
    sqlite3_extended_result_codes(db->handle, 1);
    sqlite3_busy_handler(db->handle, on_busy, db);
    db->base.read_only = sqlite3_db_readonly(db->handle, "main") == 1;
    return SKEIN_OK;
}

/* Opened where nothing can be written, a file in WAL mode can only be read as if it never changed.
 * That is true as long as nobody has a log beside it; and to see what came later, the connection
 * is not kept. */
static skein_rc open_unchanging(skn_sqlite *db, skein_error *err)
{
    skn_buf  uri;
    skein_rc rc;

    skn_buf_init(&uri, SKN_PATH_LIMIT * 4);
    skn_file_uri(db->path, "immutable=1", &uri);
    rc = open_handle(db, uri.p, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
    skn_buf_release(&uri);
    db->base.read_only = db->base.brief = true;
    return rc;
}

/* Refuses a database that is somebody else's before anything in it is changed; an empty one is
 * free to take. Both questions are asked of one snapshot, since another program may be making the
 * store right now. */
static skein_rc check_ours(skn_sqlite *db, skein_error *err)
{
    int64_t  id = 0, tables = 0;
    skein_rc rc;

    if ((rc = sqlite_script(&db->base, "BEGIN", err)))
        return rc;
    rc = sqlite_number(&db->base, "PRAGMA application_id", &id, err);
    if (!rc)
        rc = sqlite_number(&db->base, "SELECT count(*) FROM sqlite_master", &tables, err);
    sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    if (!rc && id != APPLICATION_ID && (id || tables))
        rc = skn_file_not_ours(db->path, err);
    return rc;
}

/* Changing an empty file to WAL needs it alone, and SQLite does not wait for that. */
static skein_rc use_wal(skn_sqlite *db, skein_error *err)
{
    skn_file_tries tries = {0};
    skein_rc       rc;

    do
        rc = sqlite_script(&db->base, "PRAGMA journal_mode=WAL", err);
    while (rc == SKEIN_BUSY && skn_file_again(&tries, BUSY_NANOS));
    return rc;
}

static skein_rc open_once(skn_sqlite *db, skn_db_mode mode, skein_error *err)
{
    int      flags = mode == SKN_DB_READER ? SQLITE_OPEN_READONLY
                                           : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    skein_rc rc;

    if ((rc = skn_file_look(db->path, mode == SKN_DB_WRITER, err)) ||
        (rc = open_handle(db, db->path, flags, err)))
        return rc;
    rc = check_ours(db, err);
    if (db->vanished && !skn_file_has_room(db->path))
        db->vanished = false; /* nobody could make it */
    if (rc && !db->vanished &&
        (db->failure == SQLITE_CANTOPEN || db->failure == SQLITE_READONLY) &&
        skn_file_log(db->path) < 0 && !(rc = open_unchanging(db, err)))
        rc = check_ours(db, err);
    if (rc)
        return rc;
    if (mode == SKN_DB_READER || db->base.read_only)
        return sqlite_script(&db->base, reader_pragmas, err);
    if ((rc = use_wal(db, err)))
        return rc;
    return sqlite_script(&db->base, writer_pragmas, err);
}

/* While another program makes the store or closes it, the files beside it come and go: one that
 * SQLite saw may be gone when it opens it. Then all of it is done again. */
static skein_rc open_file(skn_sqlite *db, skn_db_mode mode, skein_error *err)
{
    skn_file_tries tries = {0};
    skein_rc       rc;

    do {
        db->vanished = false;
        rc = open_once(db, mode, err);
    } while (rc && db->vanished && skn_file_again(&tries, GONE_NANOS));
    return rc;
}

static skein_rc sqlite_open(skn_db **out, skn_str address, skn_db_mode mode, skein_error *err)
{
    skn_str     path = skn_str_sub(address, strlen("sqlite:"), address.n);
    skn_sqlite *db = NULL;
    char       *name;
    skein_rc    rc;

    *out = NULL;
    if ((rc = skn_file_check_name(path, err)))
        return rc;
    db = skn_heap(sizeof *db);
    db->base.driver = &skn_driver_sqlite;
    name = skn_heap_copy(path);
    keep_address(db, name);
    free(name);
    if (!(rc = open_file(db, mode, err))) {
        if (!db->base.brief)
            keep_address(db, sqlite3_db_filename(db->handle, "main"));
        *out = &db->base;
        db = NULL;
    }
    if (db)
        sqlite_close(&db->base);
    return rc;
}

/* --- Maintenance ----------------------------------------------------------------------------- */

static skein_rc copy_all(skn_sqlite *from, skn_sqlite *to, skein_error *err)
{
    sqlite3_backup *b = sqlite3_backup_init(to->handle, "main", from->handle, "main");
    int             got;

    if (!b)
        return skn_sqlite_fault(to, err);
    errno = 0;
    got = sqlite3_backup_step(b, -1); /* one snapshot; writers go on meanwhile */
    sqlite3_backup_finish(b);
    if (got != SQLITE_DONE)
        return skn_sqlite_fault(to, err);
    return SKEIN_OK;
}

static skein_rc sqlite_backup(skn_db *base, skn_str path, skein_error *err)
{
    skn_sqlite to = {.base.driver = &skn_driver_sqlite};
    char      *name = skn_heap_copy(path);
    skein_rc   rc;

    keep_address(&to, name);
    if (!(rc = skn_file_make(to.path, of(base)->path, err))) {
        if (!(rc = open_handle(&to, name, SQLITE_OPEN_READWRITE, err)))
            rc = copy_all(of(base), &to, err);
        sqlite3_close(to.handle);
        if (rc)
            unlink(name);
    }
    free(to.base.address);
    free(name);
    return rc;
}

/* Freed bytes are overwritten when they are freed (secure_delete), but that is not enough: the
 * index keeps what was removed until its segments are merged, a page that was split or joined
 * keeps copies of the rows that moved, and the log keeps old pages until it is cut. */
static skein_rc sqlite_scrub(skn_db *base, skein_error *err)
{
    int64_t  busy = 0;
    skein_rc rc;

    rc = sqlite_script(base,
                       "INSERT INTO message_words(message_words) VALUES('optimize');"
                       "VACUUM",
                       err);
    base->patience = CUT_NANOS; /* writers wait behind this one, and it can be repeated */
    if (!rc)
        rc = sqlite_number(base, "PRAGMA wal_checkpoint(TRUNCATE)", &busy, err);
    base->patience = 0;
    if (!rc && busy) {
        skn_fail(err, SKEIN_BUSY, "a reader keeps the log of the store from being cut");
        rc = skn_hint(
            err, SKEIN_BUSY,
            "the erased texts are in no view; try again to remove them from the files");
    }
    return rc;
}

/* --- Another program's file -------------------------------------------------------------------- */

/* Without a log nothing beside the file is needed, nor made. */
skein_rc skn_sqlite_open_foreign(skn_db **out, const char *path, skein_error *err)
{
    skn_sqlite *db = skn_heap(sizeof *db);
    skein_rc    rc;

    *out = NULL;
    db->base.driver = &skn_driver_sqlite;
    db->base.foreign = true;
    keep_address(db, path);
    rc = skn_file_look(db->path, false, err);
    if (!rc)
        rc = skn_file_log(db->path) > 0 ? open_handle(db, db->path, SQLITE_OPEN_READONLY, err)
                                        : open_unchanging(db, err);
    if (!rc && !(rc = skn_sqlite_harden(db, err))) {
        *out = &db->base;
        db = NULL;
    }
    if (db)
        sqlite_close(&db->base);
    return rc;
}

skein_rc skn_sqlite_is_ours(skn_db *base, bool *ours, skein_error *err)
{
    int64_t  id = 0;
    skein_rc rc = sqlite_number(base, "PRAGMA application_id", &id, err);

    *ours = id == APPLICATION_ID;
    return rc;
}

const skn_driver skn_driver_sqlite = {
    .scheme = "sqlite:",
    .open = sqlite_open,
    .close = sqlite_close,
    .step = sqlite_step,
    .done = sqlite_done,
    .get_int = sqlite_int,
    .get_text = sqlite_text,
    .get_blob = sqlite_blob,
    .is_null = sqlite_null,
    .script = sqlite_script,
    .number = sqlite_number,
    .backup = sqlite_backup,
    .scrub = sqlite_scrub,
    .begin_write = "BEGIN IMMEDIATE",
    .begin_read = "BEGIN",
    .dialect =
        {
            .suffix = ".pg",
            .id = "INTEGER PRIMARY KEY",
            .blob = "BLOB",
            .code = "TEXT",
            .rowless = " WITHOUT ROWID",
            .lock = "", /* BEGIN IMMEDIATE is the lock */
            .found = "PRAGMA application_id=" APPLICATION_TEXT,
            .has_version = "SELECT count(*) FROM sqlite_master WHERE type='table' AND "
                           "name='schema_version'",
            .has_tables = "SELECT count(*) FROM sqlite_master",
        },
};
