/* Finding a store: addresses, files and permissions, and connections that break. */
#include "fixture.h"
#include "store/tx.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static skein_rc put_k(skn_db *db, int64_t value, skein_error *err)
{
    skn_stmt s = skn_stmt_use(db, SKN_Q_meta_set);

    skn_stmt_bind(&s, skn_bind_text(SKN_STR("k")));
    skn_stmt_bind(&s, skn_bind_int(value));
    return skn_stmt_run(&s, err);
}

/* -1 when it is not there. */
static int64_t get_k(skn_db *db)
{
    skn_stmt    s = skn_stmt_use(db, SKN_Q_meta_get);
    skein_error err;
    bool        row;
    int64_t     v = -1;

    skn_stmt_bind(&s, skn_bind_text(SKN_STR("k")));
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    if (row)
        v = skn_stmt_int(&s, 0);
    skn_stmt_done(&s);
    return v;
}

/* --- Addresses and files --------------------------------------------------------------------- */

static void expect_open_fails(const char *address, skn_db_mode mode, skein_rc rc,
                              const char *message)
{
    skein_error err;
    skn_db     *db;

    assert_int_equal(skn_db_open(&db, skn_str_of(address), mode, &err), rc);
    assert_null(db);
    assert_non_null(strstr(err.message, message));
    assert_true(err.hint[0] != '\0');
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void an_address_that_names_no_store_is_refused(void **state)
{
    (void)state;
    expect_open_fails("", SKN_DB_WRITER, SKEIN_USAGE, "is not the address of a store");
    expect_open_fails("mysql://x", SKN_DB_WRITER, SKEIN_USAGE, "\"mysql://…\"");
    expect_open_fails("notes.db", SKN_DB_WRITER, SKEIN_USAGE, "\"notes.db\"");
    expect_open_fails("sqlite:", SKN_DB_WRITER, SKEIN_USAGE, "names no file");
    expect_open_fails("sqlite::memory:", SKN_DB_WRITER, SKEIN_USAGE, "names no file");
    expect_open_fails("postgresql:///x?skein_schema=Bad", SKN_DB_WRITER, SKEIN_USAGE,
                      "\"Bad\"");
    expect_open_fails("postgresql:///x?skein_schema=", SKN_DB_WRITER, SKEIN_USAGE, "\"\"");
    expect_open_fails("postgresql:///x?a=b&skein_schema=pg_x", SKN_DB_WRITER, SKEIN_USAGE,
                      "pg_x");
    expect_open_fails("postgresql:///x?skein_schema=a;b", SKN_DB_WRITER, SKEIN_USAGE,
                      "\"a;b\"");
}

static void a_password_is_never_repeated(void **state)
{
    static const char *const others[][2] = {{"pg://me:secret@host/x", "\"pg://…\""},
                                            {"mysql://host/x?password=secret", "\"mysql://…\""},
                                            {"mysql:me:secret@host", "\"mysql:…\""},
                                            {"host=h password=secret", "\"host=…\""},
                                            {"secret@host", "\"…\""}};
    skein_error              err;
    skn_db                  *db;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        expect_open_fails(others[i][0], SKN_DB_WRITER, SKEIN_USAGE, others[i][1]);
        skn_db_open(&db, skn_str_of(others[i][0]), SKN_DB_WRITER, &err);
        assert_null(strstr(err.message, "secret"));
    }
    assert_int_equal(
        skn_db_open(&db, SKN_STR("postgres://me:secret@/x?host=/nowhere"), SKN_DB_WRITER, &err),
        SKEIN_UNREACHABLE);
    assert_non_null(strstr(err.message, "/nowhere"));
    assert_null(strstr(err.message, "secret"));
}

static void a_file_that_cannot_be_a_store_is_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         path[300], address[320];

    snprintf(address, sizeof address, "sqlite:%s", fx->dir);
    expect_open_fails(address, SKN_DB_WRITER, SKEIN_IO, "is a directory");
    snprintf(address, sizeof address, "sqlite:%s/no/such/dir.db", fx->dir);
    expect_open_fails(address, SKN_DB_WRITER, SKEIN_IO, "no such file or directory");
    snprintf(address, sizeof address, "sqlite:%s", skn_fixture_file(fx, "no.db", path));
    expect_open_fails(address, SKN_DB_READER, SKEIN_NOT_FOUND, "there is no store");
    assert_int_equal(access(path, F_OK), -1); /* and was not made */
    write_file(skn_fixture_file(fx, "note.txt", path), "this is a text and not a database, "
                                                       "though quite a long one\n");
    snprintf(address, sizeof address, "sqlite:%s", path);
    expect_open_fails(address, SKN_DB_WRITER, SKEIN_NOT_OURS,
                      "note.txt\" is not a skein store");
    expect_open_fails(address, SKN_DB_READER, SKEIN_NOT_OURS,
                      "note.txt\" is not a skein store");
}

static void the_address_survives_a_change_of_directory(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;
    skn_db      *db, *second;
    char         here[1000];

    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(fx->dir), 0);
    SKN_OK(skn_db_open(&db, SKN_STR("sqlite:store.db"), SKN_DB_WRITER, &err), err);
    assert_int_equal(chdir(here), 0);
    SKN_OK(skn_db_open(&second, skn_str_of(db->address), SKN_DB_READER, &err), err);
    assert_int_equal(get_k(second), -1);
    skn_db_close(second);
    skn_db_close(db);
}

/* Runs body in another process as somebody who may only do what the permissions say. */
static void as_nobody(void (*body)(skn_fixture *fx), skn_fixture *fx)
{
    pid_t child;
    int   status;

    assert_int_equal(chmod(fx->dir, 0755), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
            _exit(3);
        body(fx);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static skein_rc read_k(skn_tx *tx, void *arg, skein_error *err)
{
    (void)err;
    *(int64_t *)arg = get_k(tx->db);
    return SKEIN_OK;
}

static skein_rc write_k(skn_tx *tx, void *arg, skein_error *err)
{
    return put_k(tx->db, *(int64_t *)arg, err);
}

static void read_but_not_write(skn_fixture *fx)
{
    skein_error err;
    int64_t     k = 0;

    if (skn_store_open(&fx->store, skn_str_of(fx->address), NULL, &err))
        _exit(10);
    for (int i = 0; i < 3; i++)
        if (skn_store_read(fx->store, read_k, &k, &err) || k != 5)
            _exit(11);
    if (skn_store_write(fx->store, write_k, &k, &err) != SKEIN_READ_ONLY)
        _exit(12);
    if (skn_store_scrub(fx->store, &err) != SKEIN_READ_ONLY)
        _exit(13);
    skn_store_close(fx->store);
}

static void a_file_without_permission_to_write_can_be_read(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('k', 5)");
    skn_fixture_shut(fx);
    assert_int_equal(chmod(fx->path, 0444), 0);
    as_nobody(read_but_not_write, fx); /* nor may it make a log beside it */
    skn_fixture_begin(fx);
}

static void open_fails_with_io(skn_fixture *fx)
{
    skein_error err;

    if (skn_store_open(&fx->store, skn_str_of(fx->address), NULL, &err) != SKEIN_IO)
        _exit(10);
    if (!strstr(err.message, "permission denied"))
        _exit(11);
}

static void a_file_without_permission_to_read_is_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);

    skn_fixture_shut(fx);
    assert_int_equal(chmod(fx->path, 0), 0);
    as_nobody(open_fails_with_io, fx);
}

/* Reads and writes as often as there may be connections: old ones and new ones are asked. */
static void expect_all(skn_fixture *fx, skein_rc rc)
{
    skein_error err;
    int64_t     k = 7;

    for (int i = 0; i < 3; i++) {
        assert_int_equal(skn_store_read(fx->store, read_k, &k, &err), rc);
        assert_int_equal(skn_store_write(fx->store, write_k, &k, &err), rc);
    }
    assert_true(!rc || strstr(err.message, "was moved, removed or replaced"));
}

static void a_store_that_was_moved_is_neither_read_nor_written(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;
    skn_store   *other;
    char         away[700];

    snprintf(away, sizeof away, "%s.away", fx->dir);
    expect_all(fx, SKEIN_OK);
    assert_int_equal(rename(fx->dir, away), 0);
    expect_all(fx, SKEIN_IO);
    assert_int_equal(mkdir(fx->dir, 0700), 0);
    SKN_OK(skn_store_open(&other, skn_str_of(fx->address), NULL, &err), err);
    skn_store_close(other);
    expect_all(fx, SKEIN_IO); /* another store has the name now */
    assert_int_equal(unlink(fx->path), 0);
    assert_int_equal(rmdir(fx->dir), 0);
    assert_int_equal(rename(away, fx->dir), 0);
    expect_all(fx, SKEIN_OK);
}

/* --- Lost connections ------------------------------------------------------------------------ */

/* A second store on the same schema, whose connections can be told from all others. */
static skn_store *open_named(skn_fixture *fx)
{
    skein_error err;
    skn_store  *st;
    char        address[700];

    snprintf(address, sizeof address, "%s&application_name=%s", fx->address, fx->schema);
    SKN_OK(skn_store_open(&st, skn_str_of(address), NULL, &err), err);
    return st;
}

static void cut_connections(skn_fixture *fx)
{
    char sql[200];

    snprintf(sql, sizeof sql,
             "SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity"
             " WHERE application_name = '%s'",
             fx->schema);
    assert_true(skn_fixture_number(fx, sql) > 0);
}

static void a_kept_connection_that_was_cut_is_replaced(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_store   *st = open_named(fx);
    skein_error  err;
    int64_t      k = 7;

    SKN_OK(skn_store_write(st, write_k, &k, &err), err);
    cut_connections(fx);
    k = 0;
    SKN_OK(skn_store_read(st, read_k, &k, &err), err);
    assert_int_equal(k, 7);
    cut_connections(fx);
    k = 8;
    SKN_OK(skn_store_write(st, write_k, &k, &err), err);
    skn_store_close(st);
}

static skein_rc write_and_be_cut(skn_tx *tx, void *arg, skein_error *err)
{
    SKN_OK(put_k(tx->db, 9, err), *err);
    cut_connections(arg);
    return put_k(tx->db, 10, err);
}

static skein_rc write_and_be_cut_at_the_end(skn_tx *tx, void *arg, skein_error *err)
{
    SKN_OK(put_k(tx->db, 9, err), *err);
    cut_connections(arg);
    return SKEIN_OK;
}

static void a_connection_cut_in_a_transaction_is_reported(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_store   *st = open_named(fx);
    skein_error  err;
    int64_t      k = 0;

    assert_int_equal(skn_store_write(st, write_and_be_cut, fx, &err), SKEIN_UNREACHABLE);
    assert_non_null(strstr(err.message, "cannot be reached"));
    assert_int_equal(skn_store_write(st, write_and_be_cut_at_the_end, fx, &err),
                     SKEIN_UNREACHABLE);
    assert_non_null(strstr(err.hint, "check whether the change was made"));
    SKN_OK(skn_store_read(st, read_k, &k, &err),
           err); /* the next call finds the server again */
    assert_int_equal(k, -1);
    skn_store_close(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_address_that_names_no_store_is_refused),
        cmocka_unit_test(a_password_is_never_repeated),
        SKN_ON_SQLITE(a_file_that_cannot_be_a_store_is_refused),
        SKN_ON_SQLITE(the_address_survives_a_change_of_directory),
        SKN_ON_SQLITE(a_file_without_permission_to_write_can_be_read),
        SKN_ON_SQLITE(a_file_without_permission_to_read_is_refused),
        SKN_ON_SQLITE(a_store_that_was_moved_is_neither_read_nor_written),
        SKN_ON_PG(a_kept_connection_that_was_cut_is_replaced),
        SKN_ON_PG(a_connection_cut_in_a_transaction_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
