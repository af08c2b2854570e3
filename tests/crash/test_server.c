/* A PostgreSQL server that fails: at every statement of every change in turn, and by dropping its
 * connections at any moment. */
#include "book.h"
#include "deeds.h"
#include "rounds.h"
#include "store/db.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

#define STATEMENTS_MOST 2000

/* --- A statement that fails ------------------------------------------------------------------- */

/* Every statement that changes a table counts, as it begins and, for each row, at the commit; the
 * n-th says that the disk is full. A sequence keeps counting when a transaction is taken back. */
static const char fault_sql[] =
    "CREATE SEQUENCE fault_calls;"
    "CREATE TABLE fault_at(n BIGINT NOT NULL);"
    "INSERT INTO fault_at VALUES(0);"
    "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    "  IF nextval('fault_calls') = (SELECT n FROM fault_at) THEN"
    "    RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100';"
    "  END IF; RETURN NULL; END $$;"
    "DO $$ DECLARE t text; BEGIN"
    "  FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
    "      AND tablename <> 'fault_at' LOOP"
    "    EXECUTE format('CREATE TRIGGER fault BEFORE INSERT OR UPDATE OR DELETE ON %I"
    "      FOR EACH STATEMENT EXECUTE FUNCTION fault()', t);"
    "    EXECUTE format('CREATE CONSTRAINT TRIGGER fault_late AFTER INSERT OR UPDATE OR DELETE"
    "      ON %I DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION fault()', t);"
    "  END LOOP; END $$;";

static void break_at(skn_db *db, int n)
{
    skein_error err;
    char        sql[120];

    snprintf(sql, sizeof sql, "ALTER SEQUENCE fault_calls RESTART; UPDATE fault_at SET n = %d",
             n);
    SKN_OK(skn_db_script(db, sql, &err), err);
}

/* What the deed makes of the scene on SQLite, which is what it must make of it here. */
static skein_str text_on_sqlite(const skn_deed *deed, skein_mem *mem)
{
    skn_fixture   fx;
    skn_scene     scene;
    skein_engine *e;
    skein_error   err;
    skein_str     text;

    skn_fixture_place(&fx, "sqlite");
    e = skn_whole_open(fx.address);
    skn_scene_make(e, &scene);
    if (skn_deed_run(deed, e, &scene, &err))
        fail_msg("%s: %s", deed->name, err.message);
    text = skn_whole_text(&fx, e, mem);
    skein_close(e);
    skn_fixture_close(&fx);
    return text;
}

/* Fails at the first statement, then at the second, … on the same store, until it succeeds. What
 * any of the failures left behind would still be there in the end. */
static void sweep(skn_fixture *fx, skn_db *db, skein_engine *e, const skn_scene *scene,
                  const skn_deed *deed)
{
    skein_mem  *mem = skein_mem_new();
    skein_str   after = text_on_sqlite(deed, mem);
    skein_error err;
    int         n;

    for (n = 1; break_at(db, n), skn_deed_run(deed, e, scene, &err); n++) {
        if (err.rc != SKEIN_FULL || !err.message[0])
            fail_msg("%s, fault at %d: %s \"%s\"", deed->name, n, skein_rc_name(err.rc),
                     err.message);
        assert_true(n < STATEMENTS_MOST);
    }
    assert_true(n > 2); /* at a statement and at the commit, at the least */
    skn_whole_expect(skn_whole_text(fx, e, mem), after, "%s, after %d failures", deed->name,
                     n - 1);
    skn_whole_sound(e, deed->name);
    skein_mem_free(mem);
}

static void sweep_scene(const skn_deed *deed)
{
    skn_fixture   fx;
    skn_scene     scene;
    skein_engine *e;
    skn_db       *db;
    skein_error   err;

    skn_fixture_place(&fx, "pg");
    e = skn_whole_open(fx.address);
    skn_scene_make(e, &scene);
    SKN_OK(skn_db_open(&db, skn_str_of(fx.address), SKN_DB_WRITER, &err), err);
    SKN_OK(skn_db_script(db, fault_sql, &err), err);
    sweep(&fx, db, e, &scene, deed);
    skn_db_close(db);
    skein_close(e);
    skn_fixture_close(&fx);
}

static void a_statement_that_fails_leaves_nothing_of_a_change(void **state)
{
    (void)skn_fixture_of(state);
    for (int i = 0; i < skn_deed_count; i++)
        if (skn_deeds[i].kind != SKN_DEED_TWO_STEPS) /* the second step is not a transaction */
            sweep_scene(&skn_deeds[i]);
}

/* --- Connections that break ------------------------------------------------------------------- */

typedef struct storm {
    skn_book    book;
    atomic_bool over;
    atomic_int  failures;
    skein_error odd; /* a failure that is none of the connection's; written once */
    atomic_bool was_odd;
} storm;

static void keep_line(void *arg, const char *line)
{
    storm *s = arg;

    skn_book_keep(&s->book, line);
}

/* A call whose connection broke may have been carried out: the answer to COMMIT was lost. The same
 * message then finds itself the next time. */
static bool go_on(void *arg, const char *what, const skein_error *err)
{
    storm *s = arg;
    bool   first = false;

    (void)what;
    if (err->rc != SKEIN_UNREACHABLE &&
        atomic_compare_exchange_strong(&s->was_odd, &first, true))
        s->odd = *err;
    atomic_fetch_add(&s->failures, 1);
    return err->rc == SKEIN_UNREACHABLE;
}

static void *run_load(void *arg)
{
    skn_load_run(arg);
    return NULL;
}

/* Drops every connection of the load, so many times, each after it did something new. */
static void drop_connections(skn_fixture *fx, storm *s, int times)
{
    char    sql[200];
    int64_t seen = 0;

    snprintf(sql, sizeof sql,
             "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
             " WHERE application_name = '%s'",
             fx->schema);
    for (int i = 0; i < times; i++) {
        while (skn_book_kept(&s->book) < seen + 3 && !atomic_load(&s->was_odd))
            sched_yield();
        seen = skn_book_kept(&s->book);
        skn_fixture_number(fx, sql);
    }
}

static void check_store(skein_engine *e, const skn_book *book)
{
    skein_mem *mem = skein_mem_new();
    skn_whole  w;

    skn_whole_sound(e, "after the storm");
    skn_whole_read(e, mem, &w);
    skn_book_check(book, &w);
    skein_mem_free(mem);
}

static void a_server_that_drops_connections_loses_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    storm        s = {.failures = 0};
    skn_load     load = {.threads = 3, .tell = keep_line, .fail = go_on, .arg = &s};
    char         address[700];
    skein_error  err;
    pthread_t    thread;

    snprintf(address, sizeof address, "%s&application_name=%s", fx->address, fx->schema);
    skn_book_init(&s.book);
    load.seed = skn_rounds_seed();
    load.stop = &s.over;
    load.e = skn_whole_open(address);
    SKN_OK(skn_load_prepare(load.e, &load.chat, &err), err);
    assert_int_equal(pthread_create(&thread, NULL, run_load, &load), 0);
    drop_connections(fx, &s, skn_rounds(40));
    atomic_store(&s.over, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (s.was_odd)
        fail_msg("%s: %s", skein_rc_name(s.odd.rc), s.odd.message);
    assert_true(s.failures > 0);
    skn_book_settle(&s.book);
    check_store(load.e, &s.book);
    skein_close(load.e);
    skn_book_release(&s.book);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_PG(a_statement_that_fails_leaves_nothing_of_a_change),
        SKN_PLACE_PG(a_server_that_drops_connections_loses_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
