/* The PostgreSQL driver; the only file that knows libpq-fe.h.
 *
 * libpq is loaded when the first connection is opened: with it come twenty more libraries, which
 * would cost every start of the program 3 ms and 6 MB, also where PostgreSQL is never used.
 *
 * Texts and bytes go both ways in binary format, so that neither is copied or escaped; whole
 * numbers go as text, since a parameter may be of any width, and come back in binary. */
#include "store/db.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/late.h"

#include <assert.h>
#include <inttypes.h>
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCHEMA_LIMIT 63
#define URL_LIMIT    8192
#define OLDER_NANOS  INT64_C(30000000000) /* a wait that holds nobody up */

#define PQ_CALLS(X)                                                                            \
    X(PQconnectdbParams)                                                                       \
    X(PQfinish)                                                                                \
    X(PQstatus)                                                                                \
    X(PQerrorMessage)                                                                          \
    X(PQconnectionNeedsPassword)                                                               \
    X(PQsetNoticeReceiver)                                                                     \
    X(PQexec)                                                                                  \
    X(PQprepare)                                                                               \
    X(PQexecPrepared)                                                                          \
    X(PQresultStatus)                                                                          \
    X(PQresultErrorField)                                                                      \
    X(PQcmdStatus)                                                                             \
    X(PQcmdTuples)                                                                             \
    X(PQntuples)                                                                               \
    X(PQgetvalue)                                                                              \
    X(PQgetlength)                                                                             \
    X(PQgetisnull)                                                                             \
    X(PQftype)                                                                                 \
    X(PQclear)

typedef struct pq_calls {
#define PQ_FIELD(name) __typeof__(&name) name;
    PQ_CALLS(PQ_FIELD)
#undef PQ_FIELD
} pq_calls;

typedef struct pg_db {
    skn_db   base;
    pq_calls pq;
    PGconn  *conn;
    bool     prepared[SKN_Q_COUNT];
} pg_db;

/* Types by their fixed numbers in the server's catalogue. */
enum { PG_BOOL = 16, PG_BYTEA = 17, PG_INT8 = 20, PG_INT2 = 21, PG_INT4 = 23 };

static pg_db *of(skn_db *db)
{
    return (pg_db *)db;
}

/* --- Failures -------------------------------------------------------------------------------- */

static const struct {
    const char *state;
    skein_rc    rc;
} states[] = {
#define STATE(...) {__VA_ARGS__},
#include "store/faults.def"
};

/* Turns a failed result, or a failed connection, into an error. */
static skein_rc fault(pg_db *db, const PGresult *res, skein_error *err)
{
    const char *state = db->pq.PQresultErrorField(res, PG_DIAG_SQLSTATE);
    const char *detail = db->pq.PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY);
    size_t      i = 0;
    skein_rc    rc;

    if (!detail || !*detail)
        detail = db->pq.PQerrorMessage(db->conn);
    while (!skn_str_starts(skn_str_of(state ? state : "XX000"), skn_str_of(states[i].state)))
        i++;
    rc = states[i].rc;
    if (!state && strstr(detail, "memory")) /* libpq's own failures have no SQLSTATE */
        rc = SKEIN_NO_MEMORY;
    if (db->pq.PQstatus(db->conn) == CONNECTION_BAD)
        rc = SKEIN_UNREACHABLE;
    if (rc == SKEIN_UNREACHABLE)
        db->base.lost = true;
    /* A unique key that another transaction has taken meanwhile: the next try sees it, and says what it is. */
    db->base.retry = state && (!strcmp(state, "40001") || !strcmp(state, "40P01") ||
                               !strcmp(state, "23505"));
    return skn_db_fault(&db->base, rc, detail, err);
}

static bool succeeded(const pg_db *db, const PGresult *res)
{
    ExecStatusType got = db->pq.PQresultStatus(res);

    return got == PGRES_COMMAND_OK || got == PGRES_TUPLES_OK;
}

/* --- Statements ------------------------------------------------------------------------------ */

static skein_rc prepare(pg_db *db, enum skn_query query, skein_error *err)
{
    const struct skn_query_text *q = &skn_queries[query];
    PGresult                    *res;
    skein_rc                     rc = SKEIN_OK;

    if (db->prepared[query])
        return SKEIN_OK;
    res = db->pq.PQprepare(db->conn, q->name, q->pg, 0, NULL);
    if (succeeded(db, res))
        db->prepared[query] = true;
    else
        rc = fault(db, res, err);
    db->pq.PQclear(res);
    return rc;
}

static PGresult *execute(pg_db *db, const skn_stmt *s)
{
    const char *values[SKN_STMT_PARAMS];
    int         lengths[SKN_STMT_PARAMS], binary[SKN_STMT_PARAMS];
    char        numbers[SKN_STMT_PARAMS][24];

    for (int i = 0; i < s->bound; i++) {
        const skn_bind *b = &s->binds[i];

        binary[i] = b->kind == SKN_BIND_TEXT || b->kind == SKN_BIND_BLOB;
        lengths[i] = (int)b->bytes.n;
        values[i] = b->kind == SKN_BIND_NULL ? NULL : b->bytes.p;
        if (b->kind == SKN_BIND_INT) {
            snprintf(numbers[i], sizeof numbers[i], "%" PRId64, b->number);
            values[i] = numbers[i];
        }
    }
    return db->pq.PQexecPrepared(db->conn, skn_queries[s->query].name, s->bound, values,
                                 lengths, binary, 1);
}

static skein_rc first_step(skn_stmt *s, skein_error *err)
{
    pg_db    *db = of(s->db);
    PGresult *res;
    int64_t   changed;
    skein_rc  rc;

    for (int i = 0; i < s->bound; i++)
        if (s->binds[i].bytes.n > INT32_MAX)
            return skn_db_fault(s->db, SKEIN_LIMIT, "a text of 2 GiB or more", err);
    if ((rc = prepare(db, s->query, err)))
        return rc;
    s->begun = true;
    s->row = -1;
    res = execute(db, s);
    if (!succeeded(db, res)) {
        rc = fault(db, res, err);
        db->pq.PQclear(res);
        return rc;
    }
    s->handle = res;
    if (skn_str_int(skn_str_of(db->pq.PQcmdTuples(res)), &changed))
        db->base.changed = changed;
    return SKEIN_OK;
}

static skein_rc pg_step(skn_stmt *s, bool *row, skein_error *err)
{
    pg_db   *db = of(s->db);
    skein_rc rc;

    if (!s->begun && (rc = first_step(s, err)))
        return rc;
    if (!s->handle || s->row + 1 >= db->pq.PQntuples(s->handle))
        return SKEIN_OK;
    s->row++;
    *row = true;
    return SKEIN_OK;
}

static void pg_done(skn_stmt *s)
{
    if (s->handle)
        of(s->db)->pq.PQclear(s->handle);
}

static bool pg_null(const skn_stmt *s, int column)
{
    return of(s->db)->pq.PQgetisnull(s->handle, s->row, column);
}

static skn_str bytes_at(const skn_stmt *s, int column)
{
    const pq_calls *pq = &of(s->db)->pq;

    if (pq->PQgetisnull(s->handle, s->row, column))
        return SKN_NONE;
    return (skn_str){pq->PQgetvalue(s->handle, s->row, column),
                     (size_t)pq->PQgetlength(s->handle, s->row, column)};
}

static bool is_whole(Oid type)
{
    return type == PG_INT8 || type == PG_INT4 || type == PG_INT2 || type == PG_BOOL;
}

static int64_t pg_int(const skn_stmt *s, int column)
{
    skn_str  b = bytes_at(s, column);
    uint64_t v;

    assert(is_whole(of(s->db)->pq.PQftype(s->handle, column)) &&
           "cast it to BIGINT in the SQL");
    if (b.n == 0)
        return 0;
    v = b.p[0] & 0x80 ? UINT64_MAX : 0; /* the sign, then the bytes, highest first */
    for (size_t i = 0; i < b.n; i++)
        v = v << 8 | (unsigned char)b.p[i];
    return (int64_t)v;
}

static skn_str pg_text(const skn_stmt *s, int column)
{
    assert(!is_whole(of(s->db)->pq.PQftype(s->handle, column)) && "cast it to TEXT in the SQL");
    return bytes_at(s, column);
}

static skn_str pg_blob(const skn_stmt *s, int column)
{
    assert(of(s->db)->pq.PQftype(s->handle, column) == PG_BYTEA);
    return bytes_at(s, column);
}

/* Runs SQL text; the result is the caller's to clear. */
static skein_rc run_text(pg_db *db, const char *sql, PGresult **out, skein_error *err)
{
    *out = db->pq.PQexec(db->conn, sql);
    if (!succeeded(db, *out))
        return fault(db, *out, err);
    /* The server ends a transaction in which something failed by undoing it, and calls that a
     * success. */
    if (!strcmp(sql, "COMMIT") && !strcmp(db->pq.PQcmdStatus(*out), "ROLLBACK"))
        return skn_db_fault(&db->base, SKEIN_FAILED, "the transaction has failed before", err);
    return SKEIN_OK;
}

static skein_rc pg_script(skn_db *base, const char *sql, skein_error *err)
{
    pg_db    *db = of(base);
    PGresult *res;
    skein_rc  rc = run_text(db, sql, &res, err);

    db->pq.PQclear(res);
    return rc;
}

static skein_rc pg_number(skn_db *base, const char *sql, int64_t *out, skein_error *err)
{
    pg_db    *db = of(base);
    PGresult *res;
    skein_rc  rc = run_text(db, sql, &res, err);

    if (!rc && db->pq.PQntuples(res) > 0 && !db->pq.PQgetisnull(res, 0, 0) &&
        !skn_str_int(skn_str_of(db->pq.PQgetvalue(res, 0, 0)), out))
        rc = skn_db_fault(base, SKEIN_FAILED, "a number was expected", err);
    db->pq.PQclear(res);
    return rc;
}

/* --- Opening --------------------------------------------------------------------------------- */

static skein_rc load_libpq(pq_calls *pq, skein_error *err)
{
#define PQ_NAME(name) #name,
    static const char *const names[] = {PQ_CALLS(PQ_NAME)};
#undef PQ_NAME
    const char *missing = skn_late_load("libpq.so.5", names, sizeof names / sizeof *names, pq);

    if (!missing)
        return SKEIN_OK;
    skn_fail(err, SKEIN_UNREACHABLE, "PostgreSQL's client library is missing \"%s\"", missing);
    return skn_hint(err, SKEIN_UNREACHABLE, "%s",
                    skn_late_advice("install it: apt install libpq5"));
}

static void ignore_notice(void *arg, const PGresult *res)
{
    (void)arg;
    (void)res;
}

static bool is_schema_name(skn_str s)
{
    if (s.n == 0 || s.n > SCHEMA_LIMIT || (s.p[0] >= '0' && s.p[0] <= '9'))
        return false;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];

        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
            return false;
    }
    return !skn_str_starts(s, SKN_STR("pg_")); /* the server's own */
}

/* Takes skein_schema=NAME, which libpq does not know, out of the address. */
static skein_rc split_address(skn_str address, skn_buf *url, skn_str *schema, skein_error *err)
{
    ptrdiff_t question = skn_str_find(address, SKN_STR("?"));
    skn_str   rest, piece;
    char      before = '?';

    *schema = SKN_STR("skein");
    skn_buf_add(url, question < 0 ? address : skn_str_sub(address, 0, (size_t)question));
    rest = question < 0 ? SKN_NONE : skn_str_sub(address, (size_t)question + 1, address.n);
    while (rest.n && skn_str_split(&rest, '&', &piece)) {
        if (skn_str_starts(piece, SKN_STR("skein_schema="))) {
            *schema = skn_str_sub(piece, strlen("skein_schema="), piece.n);
            continue;
        }
        skn_buf_addc(url, before);
        skn_buf_add(url, piece);
        before = '&';
    }
    if (url->over || memchr(address.p, 0, address.n))
        return skn_fail(err, SKEIN_USAGE, "the address of the store is not usable");
    if (is_schema_name(*schema))
        return SKEIN_OK;
    skn_fail(err, SKEIN_USAGE, "\"%.*s\" cannot be the name of a schema", SKN_FMT(*schema));
    return skn_hint(err, SKEIN_USAGE,
                    "skein_schema takes small letters, digits and _, at most %d", SCHEMA_LIMIT);
}

/* What every connection is told first: where our tables are, that an answer means durable, and
 * how long to wait for a lock (as long as with SQLite). */
static skein_rc set_up(pg_db *db, skn_str schema, skein_error *err)
{
    char sql[400];

    snprintf(sql, sizeof sql,
             "SELECT pg_catalog.set_config('search_path', '%.*s', false),"
             " pg_catalog.set_config('lock_timeout', '30s', false),"
             " pg_catalog.set_config('synchronous_commit', CASE"
             " pg_catalog.current_setting('synchronous_commit') WHEN 'off' THEN 'on'"
             " ELSE pg_catalog.current_setting('synchronous_commit') END, false)",
             SKN_FMT(schema));
    return pg_script(&db->base, sql, err);
}

static skein_rc connect_to(pg_db *db, const char *url, skn_str schema, skein_error *err)
{
    const char *const keys[] = {"connect_timeout", "fallback_application_name", "dbname",
                                "client_encoding", NULL};
    const char *const values[] = {"10", "skein", url, "UTF8", NULL};

    db->conn = db->pq.PQconnectdbParams(keys, values, 1);
    if (db->pq.PQconnectionNeedsPassword(db->conn))
        return skn_fail_hint(
            err, SKEIN_UNREACHABLE,
            "Set PGPASSWORD, add a line to ~/.pgpass, or write it into the address: "
            "postgresql://USER:PASSWORD@HOST/NAME",
            "the database asks for a password, and none was given");
    if (db->pq.PQstatus(db->conn) != CONNECTION_OK)
        return skn_db_fault(&db->base, SKEIN_UNREACHABLE, db->pq.PQerrorMessage(db->conn), err);
    db->pq.PQsetNoticeReceiver(db->conn, ignore_notice, NULL);
    return set_up(db, schema, err);
}

static void pg_close(skn_db *base)
{
    pg_db *db = of(base);

    if (db->conn)
        db->pq.PQfinish(db->conn);
    free(base->address);
    free(db);
}

static skein_rc pg_open(skn_db **out, skn_str address, skn_db_mode mode, skein_error *err)
{
    pg_db   *db = skn_heap(sizeof *db);
    skn_str  schema;
    skn_buf  url;
    skein_rc rc;

    (void)mode; /* a transaction says whether it writes */
    *out = NULL;
    skn_buf_init(&url, URL_LIMIT);
    db->base.driver = &skn_driver_pg;
    db->base.address = skn_heap_copy(address);
    if ((rc = split_address(address, &url, &schema, err)) || (rc = load_libpq(&db->pq, err)) ||
        (rc = connect_to(db, url.p, schema, err)))
        goto out;
    *out = &db->base;
    db = NULL;
out:
    if (db)
        pg_close(&db->base);
    skn_buf_release(&url);
    return rc;
}

/* --- Maintenance ----------------------------------------------------------------------------- */

static skein_rc pg_backup(skn_db *db, skn_str path, skein_error *err)
{
    (void)db;
    (void)path;
    return skn_fail_hint(err, SKEIN_USAGE, "use pg_dump",
                         "a store in PostgreSQL is not copied into a file");
}

/* A row that any transaction could still see is written along by VACUUM FULL: those with a snapshot in
 * this database, and writers in every database, since new snapshots reach back to them. All that are
 * older than this one must have ended; those of other roles the server may not tell about. */
static skein_rc wait_for_older(skn_db *db, skein_error *err)
{
    static const char ours[] = "SELECT CAST(pg_catalog.pg_current_xact_id() AS TEXT)";
    static const char text[] = "SELECT count(*) FROM pg_catalog.pg_stat_activity"
                               " WHERE pid <> pg_catalog.pg_backend_pid() AND GREATEST("
                               "pg_catalog.age(backend_xid), CASE WHEN datname IS NULL OR"
                               " datname = pg_catalog.current_database()"
                               " THEN pg_catalog.age(backend_xmin) END)"
                               " > pg_catalog.age(CAST(CAST('%lld' AS xid8) AS xid))";
    static const struct timespec nap = {.tv_nsec = 5000000};
    int64_t                      since = skn_clock_monotonic(), number = 0, older = 1;
    char                         sql[sizeof text + 24];
    skein_rc                     rc = pg_number(db, ours, &number, err);

    snprintf(sql, sizeof sql, text, (long long)number);
    while (!rc && !(rc = pg_number(db, sql, &older, err)) && older > 0) {
        if (skn_clock_monotonic() - since > OLDER_NANOS) {
            return skn_fail_hint(
                err, SKEIN_BUSY,
                "the erased texts are in no view; try again to remove them from the files",
                "a transaction keeps the server from dropping old rows");
        }
        nanosleep(&nap, NULL);
    }
    return rc;
}

/* A plain VACUUM only marks space as free; FULL rewrites the tables. Each alone: the server
 * refuses several in a transaction. */
static skein_rc pg_scrub(skn_db *db, skein_error *err)
{
    static const char *const tables[] = {
        "VACUUM FULL messages",  "VACUUM FULL message_words", "VACUUM FULL squashes",
        "VACUUM FULL pieces",    "VACUUM FULL model_calls",   "VACUUM FULL tasks",
        "VACUUM FULL knowledge", "VACUUM FULL inbox",         "VACUUM FULL lanes",
        "VACUUM FULL written",   "VACUUM FULL waiting",       "VACUUM FULL answers",
        "VACUUM FULL blobs",     "VACUUM FULL attachments"};
    skein_rc rc = wait_for_older(db, err);

    for (size_t i = 0; !rc && i < sizeof tables / sizeof *tables; i++)
        rc = pg_script(db, tables[i], err);
    return rc;
}

#define IN_OUR_SCHEMA                                                                          \
    " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace"     \
    " WHERE n.nspname = pg_catalog.current_setting('search_path')"                             \
    " AND c.relkind IN ('r','p','v','m','f')"

const skn_driver skn_driver_pg = {
    .scheme = "postgresql://",
    .open = pg_open,
    .close = pg_close,
    .step = pg_step,
    .done = pg_done,
    .get_int = pg_int,
    .get_text = pg_text,
    .get_blob = pg_blob,
    .is_null = pg_null,
    .script = pg_script,
    .number = pg_number,
    .backup = pg_backup,
    .scrub = pg_scrub,
    .begin_write = "BEGIN ISOLATION LEVEL READ COMMITTED",
    .begin_read = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    .dialect =
        {
            .suffix = ".sqlite",
            .id = "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
            .blob = "BYTEA",
            .code = "TEXT COLLATE \"C\"",
            .rowless = "",
            .lock = "SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended("
                    "'skein schema ' || pg_catalog.current_setting('search_path'), 0))",
            .found = "DO $$ BEGIN EXECUTE pg_catalog.format('CREATE SCHEMA IF NOT EXISTS %I',"
                     " pg_catalog.current_setting('search_path')); END $$",
            .has_version = "SELECT count(*)" IN_OUR_SCHEMA " AND c.relname = 'schema_version'",
            .has_tables = "SELECT count(*)" IN_OUR_SCHEMA,
        },
};
