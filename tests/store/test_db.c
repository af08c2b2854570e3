/* The two drivers: what goes in comes out, on both alike. */
#include "fixture.h"
#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Steps that tests are made of ------------------------------------------------------------ */

static skn_db *connect_to(skn_fixture *fx)
{
    skein_error err;
    skn_db     *db;

    SKN_OK(skn_db_open(&db, skn_str_of(fx->address), SKN_DB_WRITER, &err), err);
    return db;
}

static skein_rc put(skn_db *db, enum skn_query query, const char *key, int64_t value,
                    skein_error *err)
{
    skn_stmt s = skn_stmt_use(db, query);

    skn_stmt_bind(&s, skn_bind_text(skn_str_of(key)));
    skn_stmt_bind(&s, skn_bind_int(value));
    return skn_stmt_run(&s, err);
}

/* The value of a key in the table meta; -1 when it is not there. */
static int64_t get(skn_db *db, const char *key)
{
    skn_stmt    s = skn_stmt_use(db, SKN_Q_meta_get);
    skein_error err;
    bool        row;
    int64_t     v = -1;

    skn_stmt_bind(&s, skn_bind_text(skn_str_of(key)));
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    if (row)
        v = skn_stmt_int(&s, 0);
    skn_stmt_done(&s);
    return v;
}

static int64_t put_world(skn_db *db, skn_str name, skn_str description, int64_t number)
{
    skn_stmt    s = skn_stmt_use(db, SKN_Q_world_insert);
    skein_error err;
    bool        row;
    int64_t     id;

    skn_stmt_bind(&s, skn_bind_text(name)); /* its uid */
    skn_stmt_bind(&s, skn_bind_text(name));
    skn_stmt_bind(&s, skn_bind_text(description));
    skn_stmt_bind(&s, skn_bind_int(number));
    skn_stmt_bind(&s, skn_bind_int(-number));
    skn_stmt_bind(&s, skn_bind_int(7));
    skn_stmt_bind(&s, skn_bind_text(SKN_NONE)); /* its settings */
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    assert_true(row);
    id = skn_stmt_int(&s, 0);
    skn_stmt_done(&s);
    return id;
}

static void expect_text(skn_str got, skn_str want)
{
    assert_int_equal(got.n, want.n);
    assert_true(skn_str_eq(got, want));
}

/* Stores a description and reads it back, with the columns around it. */
static void expect_round_trip(skn_db *db, const char *name, skn_str description, int64_t number)
{
    int64_t     id = put_world(db, skn_str_of(name), description, number);
    skn_stmt    s = skn_stmt_use(db, SKN_Q_world_get);
    skein_error err;
    bool        row;

    skn_stmt_bind(&s, skn_bind_int(id));
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    assert_true(row);
    assert_int_equal(skn_stmt_int(&s, 0), id);
    expect_text(skn_stmt_text(&s, 2), skn_str_of(name));
    expect_text(skn_stmt_text(&s, 3), description);
    assert_int_equal(skn_stmt_null(&s, 3), description.p == NULL);
    assert_true(skn_stmt_int(&s, 4) == number);
    assert_true(skn_stmt_int(&s, 5) == -number);
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    assert_false(row);
    SKN_OK(skn_stmt_step(&s, &row, &err), err); /* asked once more, it does not start again */
    assert_false(row);
    skn_stmt_done(&s);
}

/* --- Values ---------------------------------------------------------------------------------- */

static void numbers_of_every_size_come_back(void **state)
{
    skn_fixture  *fx = skn_fixture_of(state);
    const int64_t numbers[] = {0,         1,          -1,          127,
                               128,       255,        256,         -129,
                               32768,     2147483648, -2147483649, INT64_C(1) << 53,
                               INT64_MAX, -INT64_MAX};
    skn_db       *db = connect_to(fx);
    skein_error   err;
    char          name[40];

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        snprintf(name, sizeof name, "w%zu", i);
        expect_round_trip(db, name, SKN_STR("x"), numbers[i]);
        SKN_OK(put(db, SKN_Q_meta_insert, name, numbers[i], &err), err);
        assert_true(get(db, name) == numbers[i]);
    }
    SKN_OK(put(db, SKN_Q_meta_insert, "lowest", INT64_MIN, &err), err);
    assert_true(get(db, "lowest") == INT64_MIN);
    skn_db_close(db);
}

static void texts_of_every_kind_come_back(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    const char  *texts[] = {
         "",
         " ",
         "plain",
         "it's \"quoted\" \\ and $1 ? :name @x 100%",
         "\\x41 \\000 E'\\n'",
         "tab\tline\nreturn\rbell\a escape\033 delete\177 one\001",
         "\xc2\x80 \xdf\xbf \xe0\xa0\x80 \xed\x9f\xbf \xee\x80\x80 \xef\xbf\xbd \xef\xbf\xbf",
         "\xf0\x90\x80\x80 \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac \xf4\x8f\xbf\xbf",
         "\xef\xbb\xbf mark, e\xcc\x81 and \xc3\xa9 differ, \xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d",
    };
    skn_db *db = connect_to(fx);
    char    name[40], cut[] = "abcdef";

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(name, sizeof name, "t%zu", i);
        expect_round_trip(db, name, skn_str_of(texts[i]), 1);
    }
    expect_round_trip(db, "none", SKN_NONE, 1);
    expect_round_trip(db, "a view that ends in the middle", (skn_str){cut, 3}, 1);
    skn_db_close(db);
}

static void a_text_of_ten_megabytes_comes_back(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    size_t       n = (size_t)10 * 1024 * 1024;
    char        *big = skn_heap(n);

    for (size_t i = 0; i < n; i++)
        big[i] = (char)('a' + i * 7 % 26);
    expect_round_trip(db, "big", (skn_str){big, n}, 1);
    free(big);
    skn_db_close(db);
}

static void expect_blob(skn_db *db, skn_str bytes)
{
    skn_stmt    s = skn_stmt_use(db, SKN_Q_node_insert);
    skein_error err;
    bool        row;
    int64_t     id;

    skn_stmt_bind(&s, skn_bind_int(1));
    skn_stmt_bind(&s, skn_bind_int(-3));
    skn_stmt_bind(&s, skn_bind_blob(bytes));
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    id = skn_stmt_int(&s, 0);
    skn_stmt_done(&s);
    s = skn_stmt_use(db, SKN_Q_node_get);
    skn_stmt_bind(&s, skn_bind_int(id));
    SKN_OK(skn_stmt_step(&s, &row, &err), err);
    assert_true(row);
    assert_true(skn_stmt_int(&s, 0) == -3); /* from a narrow column */
    expect_text(skn_stmt_blob(&s, 1), bytes);
    skn_stmt_done(&s);
}

static void bytes_of_every_value_come_back(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    char         all[256];

    for (int i = 0; i < 256; i++)
        all[i] = (char)i;
    skn_fixture_sql(fx, "INSERT INTO worlds(id, uid, name, created_at) VALUES(1, 'w', 'w', 0);"
                        "INSERT INTO conversations(id, uid, world_id, mode, created_at)"
                        " VALUES(1, 'c', 1, 'chat', 0)");
    expect_blob(db, (skn_str){all, 256});
    expect_blob(db, (skn_str){"\0\0\0", 3});
    expect_blob(db, SKN_STR(""));
    expect_blob(db, SKN_STR("\\x00 is text here"));
    skn_db_close(db);
}

/* --- Failures -------------------------------------------------------------------------------- */

static void a_taken_key_is_told_from_other_failures(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    skein_error  err;

    SKN_OK(put(db, SKN_Q_meta_insert, "k", 1, &err), err);
    assert_int_equal(put(db, SKN_Q_meta_insert, "k", 2, &err), SKEIN_CONFLICT);
    assert_string_equal(err.message, "a row with this key is there already");
    assert_true(skn_db_was_duplicate(db));
    assert_int_equal(skn_db_script(db, "SELECT x FROM nowhere", &err), SKEIN_FAILED);
    assert_non_null(strstr(err.message, "nowhere"));
    assert_false(skn_db_was_duplicate(db));
    assert_int_equal(get(db, "k"), 1);
    skn_db_close(db);
}

static void a_row_that_refers_to_nothing_is_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    skn_stmt     s = skn_stmt_use(db, SKN_Q_node_insert);
    skein_error  err;

    skn_stmt_bind(&s, skn_bind_int(12345));
    skn_stmt_bind(&s, skn_bind_int(0));
    skn_stmt_bind(&s, skn_bind_blob(SKN_STR("x")));
    assert_int_equal(skn_stmt_run(&s, &err), SKEIN_FAILED);
    assert_false(skn_db_was_duplicate(db));
    skn_db_close(db);
}

static void changes_are_counted(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    skn_stmt     s = skn_stmt_use(db, SKN_Q_world_chat);
    skein_error  err;

    SKN_OK(put(db, SKN_Q_meta_set, "k", 1, &err), err);
    assert_int_equal(skn_db_changes(db), 1);
    skn_stmt_bind(&s, skn_bind_int(1));
    skn_stmt_bind(&s, skn_bind_int(99)); /* no such row */
    SKN_OK(skn_stmt_run(&s, &err), err);
    assert_int_equal(skn_db_changes(db), 0);
    skn_db_close(db);
}

/* --- Transactions ---------------------------------------------------------------------------- */

static void a_savepoint_undone_leaves_the_transaction_usable(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    skein_error  err;

    SKN_OK(skn_db_begin_write(db, &err), err);
    SKN_OK(put(db, SKN_Q_meta_insert, "before", 1, &err), err);
    SKN_OK(skn_db_script(db, "SAVEPOINT step", &err), err);
    SKN_OK(put(db, SKN_Q_meta_insert, "inside", 2, &err), err);
    assert_int_equal(put(db, SKN_Q_meta_insert, "before", 2, &err), SKEIN_CONFLICT);
    SKN_OK(skn_db_script(db, "ROLLBACK TO step; RELEASE step", &err), err);
    assert_true(skn_db_was_duplicate(db)); /* still the last failure */
    SKN_OK(skn_db_script(db, "SAVEPOINT step", &err), err);
    SKN_OK(put(db, SKN_Q_meta_insert, "kept", 3, &err), err);
    SKN_OK(skn_db_script(db, "RELEASE step", &err), err);
    SKN_OK(skn_db_commit(db, &err), err);
    assert_int_equal(get(db, "before"), 1);
    assert_int_equal(get(db, "inside"), -1);
    assert_int_equal(get(db, "kept"), 3);
    skn_db_close(db);
}

static void a_rollback_leaves_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    skein_error  err;

    SKN_OK(skn_db_begin_write(db, &err), err);
    SKN_OK(put(db, SKN_Q_meta_insert, "gone", 1, &err), err);
    skn_db_rollback(db);
    skn_db_rollback(db); /* outside of a transaction it does nothing */
    assert_int_equal(get(db, "gone"), -1);
    SKN_OK(skn_db_begin_write(db, &err), err);
    SKN_OK(put(db, SKN_Q_meta_insert, "gone", 1, &err), err);
    skn_db_close(db); /* closing is not a commit */
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key = 'gone'"), 0);
}

static void a_failed_transaction_is_never_called_committed(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db = connect_to(fx);
    skein_error  err;

    SKN_OK(skn_db_begin_write(db, &err), err);
    SKN_OK(put(db, SKN_Q_meta_insert, "k", 1, &err), err);
    assert_int_equal(put(db, SKN_Q_meta_insert, "k", 1, &err), SKEIN_CONFLICT);
    assert_int_equal(skn_db_commit(db, &err), SKEIN_FAILED); /* the server would say yes */
    assert_int_equal(get(db, "k"), -1);
    skn_db_close(db);
}

static void a_snapshot_does_not_move_and_cannot_write(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *writer = connect_to(fx), *reader;
    skein_error  err;

    SKN_OK(skn_db_open(&reader, skn_str_of(fx->address), SKN_DB_READER, &err), err);
    SKN_OK(put(writer, SKN_Q_meta_set, "k", 1, &err), err);
    SKN_OK(skn_db_begin_read(reader, &err), err);
    assert_int_equal(get(reader, "k"), 1);
    SKN_OK(put(writer, SKN_Q_meta_set, "k", 2, &err), err);
    assert_int_equal(get(reader, "k"), 1);
    assert_int_equal(put(reader, SKN_Q_meta_set, "k", 3, &err), SKEIN_READ_ONLY);
    assert_string_equal(err.message, "the store can be read but not written");
    skn_db_rollback(reader);
    SKN_OK(skn_db_begin_read(reader, &err), err);
    assert_int_equal(get(reader, "k"), 2);
    skn_db_close(reader);
    skn_db_close(writer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(numbers_of_every_size_come_back),
        SKN_BOTH(texts_of_every_kind_come_back),
        SKN_BOTH(a_text_of_ten_megabytes_comes_back),
        SKN_BOTH(bytes_of_every_value_come_back),
        SKN_BOTH(a_taken_key_is_told_from_other_failures),
        SKN_BOTH(a_row_that_refers_to_nothing_is_refused),
        SKN_BOTH(changes_are_counted),
        SKN_BOTH(a_savepoint_undone_leaves_the_transaction_usable),
        SKN_BOTH(a_rollback_leaves_nothing),
        SKN_ON_PG(a_failed_transaction_is_never_called_committed),
        SKN_BOTH(a_snapshot_does_not_move_and_cannot_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
