#define _XOPEN_SOURCE 700 /* nftw */
#include "fixture.h"

#include "base/uid.h"
#include "store/db.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void need(bool ok, const char *what)
{
    if (!ok)
        fail_msg("the fixture could not %s", what);
}

/* --- Databases --------------------------------------------------------------------------------- */

enum { ADDRESS = 500, NAME = 40 };

static const char *server(void)
{
    const char *url = getenv("SKEIN_TEST_PG");

    return url && *url ? url : NULL;
}

static void new_name(char name[static NAME])
{
    snprintf(name, NAME, "t%016llx", (unsigned long long)skn_random());
}

/* The server's address with another database in it. */
static void address_of(const char *database, char out[static ADDRESS])
{
    const char *url = server(), *name, *end;

    need(url != NULL, "find a server: set SKEIN_TEST_PG");
    end = strchr(url, '?');
    need(end != NULL, "read SKEIN_TEST_PG: it has no query part");
    for (name = end; name > url && name[-1] != '/'; name--)
        ;
    snprintf(out, ADDRESS, "%.*s%s%s", (int)(name - url), url, database, end);
}

static void run_sql(const char *address, const char *sql)
{
    skein_error err;
    skn_db     *db;

    SKN_OK(skn_db_open(&db, skn_str_of(address), SKN_DB_WRITER, &err), err);
    if (skn_db_script(db, sql, &err)) {
        skn_db_close(db);
        fail_msg("%s: %s", sql, err.message);
    }
    skn_db_close(db);
}

static void make_database(char name[static NAME], const char *how)
{
    char sql[200];

    need(server() != NULL, "find a server: set SKEIN_TEST_PG");
    new_name(name);
    snprintf(sql, sizeof sql, "CREATE DATABASE %s %s", name, how);
    run_sql(server(), sql);
}

/* A database of this program alone: what one program has under way would keep another's erased
 * rows alive. It goes with the cluster. */
static const char *own_database(void)
{
    static char name[NAME];

    if (!name[0])
        make_database(name, "");
    return name;
}

static void in_schema(skn_fixture *fx, const char *database)
{
    char url[ADDRESS];

    address_of(database, url);
    snprintf(fx->address, sizeof fx->address, "%s&skein_schema=%s", url, fx->schema);
}

/* A database with nothing but a new store in it, in a schema of the same name. To copy its files takes a
 * tenth of the time that it takes to make all the tables again, and to remove them one by one. */
static const char *pattern(void)
{
    static char name[NAME];
    skn_fixture fx = {.pg = true};

    if (name[0])
        return name;
    make_database(fx.schema, "");
    in_schema(&fx, fx.schema);
    skn_fixture_begin(&fx);
    skn_fixture_shut(&fx);
    memcpy(name, fx.schema, sizeof name);
    return name;
}

/* --- Places ------------------------------------------------------------------------------------ */

static void make_folder(skn_fixture *fx, const char *kind)
{
    const char *tmp = getenv("TMPDIR");

    *fx = (skn_fixture){.pg = !strcmp(kind, "pg")};
    snprintf(fx->dir, sizeof fx->dir, "%s/skein-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    need(mkdtemp(fx->dir) != NULL, "make a directory");
    if (fx->pg)
        return;
    snprintf(fx->path, sizeof fx->path, "%s/store.db", fx->dir);
    snprintf(fx->address, sizeof fx->address, "sqlite:%s", fx->path);
}

void skn_fixture_place(skn_fixture *fx, const char *kind)
{
    make_folder(fx, kind);
    if (!fx->pg)
        return;
    new_name(fx->schema);
    in_schema(fx, own_database());
}

void skn_fixture_new(skn_fixture *fx, const char *kind)
{
    char how[100];

    make_folder(fx, kind);
    if (!fx->pg)
        return; /* the file is made by whoever opens it first */
    memcpy(fx->schema, pattern(), sizeof fx->schema);
    snprintf(how, sizeof how, "TEMPLATE %s STRATEGY file_copy", fx->schema);
    make_database(fx->database, how);
    in_schema(fx, fx->database);
}

void skn_fixture_begin(skn_fixture *fx)
{
    skein_error err;

    SKN_OK(skn_store_open(&fx->store, skn_str_of(fx->address), NULL, &err), err);
}

void skn_fixture_open(skn_fixture *fx, const char *kind)
{
    skn_fixture_new(fx, kind);
    skn_fixture_begin(fx);
}

void skn_fixture_shut(skn_fixture *fx)
{
    skn_store_close(fx->store);
    fx->store = NULL;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

void skn_fixture_close(skn_fixture *fx)
{
    char sql[100];

    skn_fixture_shut(fx);
    if (fx->database[0]) {
        snprintf(sql, sizeof sql, "DROP DATABASE IF EXISTS %s WITH (FORCE)", fx->database);
        run_sql(server(), sql);
    } else if (fx->pg) {
        snprintf(sql, sizeof sql, "DROP SCHEMA IF EXISTS %s CASCADE", fx->schema);
        skn_fixture_sql(fx, sql);
    }
    need(nftw(fx->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT,
         "remove its directory");
}

void skn_fixture_sql(skn_fixture *fx, const char *sql)
{
    run_sql(fx->address, sql);
}

int64_t skn_fixture_number(skn_fixture *fx, const char *sql)
{
    skein_error err;
    skn_db     *db;
    int64_t     n = 0;

    SKN_OK(skn_db_open(&db, skn_str_of(fx->address), SKN_DB_READER, &err), err);
    if (skn_db_number(db, sql, &n, &err)) {
        skn_db_close(db);
        fail_msg("%s: %s", sql, err.message);
    }
    skn_db_close(db);
    return n;
}

const char *skn_fixture_file(skn_fixture *fx, const char *name, char out[static 300])
{
    snprintf(out, 300, "%s/%s", fx->dir, name);
    return out;
}

/* --- For cmocka ------------------------------------------------------------------------------ */

static int set_up(void **state, const char *kind, bool store)
{
    skn_fixture *fx;

    *state = NULL;
    if (!strcmp(kind, "pg") && !server())
        return 0; /* the test skips itself */
    fx = skn_heap(sizeof *fx);
    *state = fx;
    if (store)
        skn_fixture_open(fx, kind);
    else
        skn_fixture_place(fx, kind);
    return 0;
}

int skn_fixture_setup_sqlite(void **state)
{
    return set_up(state, "sqlite", true);
}

int skn_fixture_setup_pg(void **state)
{
    return set_up(state, "pg", true);
}

int skn_fixture_setup_sqlite_place(void **state)
{
    return set_up(state, "sqlite", false);
}

int skn_fixture_setup_pg_place(void **state)
{
    return set_up(state, "pg", false);
}

int skn_fixture_teardown(void **state)
{
    if (!*state)
        return 0;
    skn_fixture_close(*state);
    free(*state);
    return 0;
}

skn_fixture *skn_fixture_of(void **state)
{
    if (!*state)
        fail_msg("there is no PostgreSQL: run this under \"tools/pg.sh run\"");
    return *state;
}

/* --- What is left in the files --------------------------------------------------------------------- */

static bool file_holds(const char *path, const char *text)
{
    FILE  *f = fopen(path, "rb");
    char  *bytes;
    size_t n, want = strlen(text);
    bool   there = false;

    if (!f)
        return false; /* a log that is not there holds nothing */
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    n = (size_t)ftell(f);
    rewind(f);
    bytes = malloc(n + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, n, f), n);
    fclose(f);
    for (size_t i = 0; i + want <= n && !there; i++)
        there = memcmp(bytes + i, text, want) == 0;
    free(bytes);
    return there;
}

bool skn_fixture_holds(skn_fixture *fx, const char *text)
{
    char name[300], sql[600];

    if (!fx->pg) {
        snprintf(name, sizeof name, "%s-wal", fx->path);
        return file_holds(fx->path, text) || file_holds(name, text);
    }
    skn_fixture_sql(fx, "CHECKPOINT");
    snprintf(
        sql, sizeof sql,
        "SELECT sum(position('%s'::bytea IN pg_read_binary_file(pg_relation_filepath(oid))))"
        " FROM pg_class WHERE relkind IN ('r', 'i', 't') AND relnamespace ="
        " current_setting('search_path')::regnamespace",
        text);
    return skn_fixture_number(fx, sql) > 0;
}
