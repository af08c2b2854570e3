/* The schema: made once, brought up to date, and never where it does not belong. */
#include "fixture.h"
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READERS_OPTIONS (&(skn_store_options){.read_only = true})

static skein_rc open_store(skn_fixture *fx, const skn_store_options *options, skein_error *err)
{
    skn_store *st;
    skein_rc   rc = skn_store_open(&st, skn_str_of(fx->address), options, err);

    assert_int_equal(rc != SKEIN_OK, st == NULL);
    skn_store_close(st);
    return rc;
}

static char *read_file(const char *path, size_t *n)
{
    FILE       *f = fopen(path, "rb");
    struct stat st;
    char       *bytes;

    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    *n = (size_t)st.st_size;
    bytes = skn_heap(*n + 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static off_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) ? -1 : st.st_size;
}

static void a_fresh_store_has_the_newest_schema(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);

    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"),
                     skn_store_schema());
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM schema_version"),
                     skn_store_schema());
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM messages"), 0);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM message_words"), 0);
}

static void opening_an_up_to_date_store_writes_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    size_t       before_n, after_n;
    char        *before, *after, log[300];

    skn_fixture_shut(fx);
    before = read_file(fx->path, &before_n);
    skn_fixture_begin(fx);
    assert_int_equal(size_of(skn_fixture_file(fx, "store.db-wal", log)), 0);
    skn_fixture_shut(fx);
    after = read_file(fx->path, &after_n);
    assert_int_equal(before_n, after_n);
    assert_memory_equal(before, after, after_n);
    free(before);
    free(after);
}

/* A program that waits for the shot and then opens the store, and again: the last one that closes
 * it takes files away that the next one may just have seen. */
static pid_t start_opener(skn_fixture *fx, const int shot[2])
{
    pid_t       child = fork();
    skn_store  *st;
    skein_error err;
    char        c;

    assert_true(child >= 0);
    if (child)
        return child;
    close(shot[1]);
    if (read(shot[0], &c, 1) != 0) /* the end of the pipe is the shot */
        _exit(2);
    for (int i = 0; i < 4; i++) {
        if (skn_store_open(&st, skn_str_of(fx->address), NULL, &err)) {
            print_message("# %s (%s)\n", err.message, err.hint);
            _exit(1);
        }
        skn_store_close(st);
    }
    _exit(0);
}

static void race_to_open(skn_fixture *fx)
{
    enum { PROGRAMS = 6 };
    pid_t child[PROGRAMS];
    int   shot[2], status;

    assert_int_equal(pipe(shot), 0);
    for (int i = 0; i < PROGRAMS; i++)
        child[i] = start_opener(fx, shot);
    close(shot[1]);
    for (int i = 0; i < PROGRAMS; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    close(shot[0]);
}

static void programs_that_open_a_fresh_store_at_once_make_one_schema(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         sql[80];

    snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", fx->schema);
    for (int round = 0; round < 10; round++) { /* a race is not lost every time */
        race_to_open(fx);
        assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM schema_version"),
                         skn_store_schema());
        if (fx->pg)
            skn_fixture_sql(fx, sql);
        else
            assert_int_equal(unlink(fx->path), 0);
    }
}

static void a_newer_schema_is_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;
    char         want[100];

    skn_fixture_shut(fx);
    skn_fixture_sql(fx, "INSERT INTO schema_version(version, applied_at) VALUES(900, 1)");
    snprintf(want, sizeof want, "the store has schema 900, this program knows %d",
             skn_store_schema());
    for (int i = 0; i < 2; i++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(open_store(fx, i ? READERS_OPTIONS : NULL, &err), SKEIN_NEWER);
        assert_string_equal(err.message, want);
        assert_true(err.hint[0] != '\0');
    }
}

static void an_older_schema_is_not_touched_when_only_reading(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    skn_fixture_shut(fx);
    skn_fixture_sql(fx, "DELETE FROM schema_version WHERE version > 1");
    assert_int_equal(open_store(fx, READERS_OPTIONS, &err), SKEIN_READ_ONLY);
    assert_non_null(strstr(err.message, "schema 1"));
    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"), 1);
}

static void a_migration_that_fails_leaves_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    skn_fixture_shut(fx); /* the second migration will meet its own table */
    skn_fixture_sql(fx, "DELETE FROM schema_version WHERE version > 1");
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_FAILED);
    assert_non_null(strstr(err.message, "message_words"));
    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"), 1);
}

static void reading_does_not_make_a_store(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    assert_int_equal(open_store(fx, READERS_OPTIONS, &err), SKEIN_NOT_FOUND);
    assert_true(err.hint[0] != '\0');
    if (fx->pg)
        assert_int_equal(skn_fixture_number(fx,
                                            "SELECT count(*) FROM pg_namespace WHERE nspname"
                                            " = current_setting('search_path')"),
                         0);
    else
        assert_int_equal(size_of(fx->path), -1);
}

static void tables_of_somebody_else_are_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         sql[200], *before = NULL, *after;
    size_t       before_n = 0, after_n;
    skein_error  err;

    if (fx->pg)
        snprintf(sql, sizeof sql, "CREATE SCHEMA %s; CREATE TABLE songs(title TEXT)",
                 fx->schema);
    else
        snprintf(sql, sizeof sql, "PRAGMA journal_mode=DELETE; CREATE TABLE songs(title TEXT)");
    skn_fixture_sql(fx, sql);
    if (!fx->pg)
        before = read_file(fx->path, &before_n);
    assert_int_equal(open_store(fx, READERS_OPTIONS, &err), SKEIN_NOT_OURS);
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_NOT_OURS);
    assert_non_null(strstr(err.message, "not a skein store"));
    assert_true(err.hint[0] != '\0');
    if (fx->pg) {
        assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM songs"), 0);
        return;
    }
    after = read_file(fx->path, &after_n);
    assert_int_equal(before_n, after_n);
    assert_memory_equal(before, after, after_n);
    free(before);
    free(after);
}

static void the_mark_of_another_program_is_respected(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    skn_fixture_sql(fx, "PRAGMA application_id=5");
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_NOT_OURS);
    assert_non_null(strstr(err.message, fx->path));
}

static void an_empty_file_becomes_a_store(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    FILE        *f = fopen(fx->path, "w");
    skein_error  err;

    assert_non_null(f);
    fclose(f);
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_OK);
    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"),
                     skn_store_schema());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_fresh_store_has_the_newest_schema),
        SKN_ON_SQLITE(opening_an_up_to_date_store_writes_nothing),
        SKN_PLACE_BOTH(programs_that_open_a_fresh_store_at_once_make_one_schema),
        SKN_BOTH(a_newer_schema_is_refused),
        SKN_BOTH(an_older_schema_is_not_touched_when_only_reading),
        SKN_BOTH(a_migration_that_fails_leaves_nothing),
        SKN_PLACE_BOTH(reading_does_not_make_a_store),
        SKN_PLACE_BOTH(tables_of_somebody_else_are_refused),
        SKN_PLACE_SQLITE(the_mark_of_another_program_is_respected),
        SKN_PLACE_SQLITE(an_empty_file_becomes_a_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
