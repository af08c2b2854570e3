/* The store as its callers meet it: transactions from many threads and programs, readers beside
 * the writer, copies and erasure. */
#include "fixture.h"
#include "store/tx.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- Work ------------------------------------------------------------------------------------ */

static skein_rc put(skn_tx *tx, enum skn_query query, const char *key, int64_t value,
                    skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    skn_stmt_bind(&s, skn_bind_text(skn_str_of(key)));
    skn_stmt_bind(&s, skn_bind_int(value));
    return skn_stmt_run(&s, err);
}

/* -1 when it is not there. */
static skein_rc get(skn_tx *tx, const char *key, int64_t *value, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_meta_get);
    bool     row;
    skein_rc rc;

    skn_stmt_bind(&s, skn_bind_text(skn_str_of(key)));
    rc = skn_stmt_step(&s, &row, err);
    *value = !rc && row ? skn_stmt_int(&s, 0) : -1;
    skn_stmt_done(&s);
    return rc;
}

static skein_rc put_key(skn_tx *tx, void *arg, skein_error *err)
{
    return put(tx, SKN_Q_meta_insert, arg, 1, err);
}

static skein_rc put_key_and_fail(skn_tx *tx, void *arg, skein_error *err)
{
    skein_rc rc = put(tx, SKN_Q_meta_insert, arg, 1, err);

    return rc ? rc : skn_fail(err, SKEIN_INVALID, "not this one");
}

static skein_rc add_one(skn_tx *tx, void *arg, skein_error *err)
{
    int64_t  n;
    skein_rc rc = get(tx, arg, &n, err);

    return rc ? rc : put(tx, SKN_Q_meta_set, arg, n + 1, err);
}

/* --- Writers --------------------------------------------------------------------------------- */

enum { WRITERS = 16, WRITES = 40 };

typedef struct writer {
    skn_store *store;
    int        number, wrong;
    int        elsewhere; /* how much of its work another thread ran */
    pthread_t  thread;
} writer;

typedef struct task {
    char      key[40];
    bool      fails;
    pthread_t ran_on;
} task;

static skein_rc run_task(skn_tx *tx, void *arg, skein_error *err)
{
    task *t = arg;

    t->ran_on = pthread_self();
    return t->fails ? put_key_and_fail(tx, t->key, err) : put_key(tx, t->key, err);
}

static void *write_many(void *arg)
{
    writer     *w = arg;
    skein_error err;

    for (int i = 0; i < WRITES; i++) {
        task     t = {.fails = i % 4 == 3};
        skein_rc rc;

        snprintf(t.key, sizeof t.key, "%s-%d-%d", t.fails ? "bad" : "good", w->number, i);
        rc = skn_store_write(w->store, run_task, &t, &err);
        w->wrong += rc != (t.fails ? SKEIN_INVALID : SKEIN_OK);
        w->elsewhere += !pthread_equal(t.ran_on, pthread_self());
    }
    return NULL;
}

static void threads_write_all_they_should_and_nothing_else(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    writer       w[WRITERS];
    int          elsewhere = 0;

    for (int i = 0; i < WRITERS; i++) {
        w[i] = (writer){.store = fx->store, .number = i};
        assert_int_equal(pthread_create(&w[i].thread, NULL, write_many, &w[i]), 0);
    }
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].wrong, 0);
        elsewhere += w[i].elsewhere;
    }
    if (fx->pg)
        assert_int_equal(elsewhere, 0);
    skn_fixture_shut(fx);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key LIKE 'good%'"),
                     WRITERS * WRITES * 3 / 4);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key LIKE 'bad%'"),
                     0);
}

static void programs_that_write_at_once_lose_nothing(void **state)
{
    enum { PROGRAMS = 4, STEPS = 50 };
    skn_fixture *fx = skn_fixture_of(state);
    pid_t        child[PROGRAMS];
    int          status;

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('n', 0)");
    skn_fixture_shut(fx);
    for (int i = 0; i < PROGRAMS; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            skn_store  *st;
            skein_error err;

            if (skn_store_open(&st, skn_str_of(fx->address), NULL, &err))
                _exit(1);
            for (int n = 0; n < STEPS; n++)
                if (skn_store_write(st, add_one, (char[]){"n"}, &err))
                    _exit(2);
            skn_store_close(st);
            _exit(0);
        }
    }
    for (int i = 0; i < PROGRAMS; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(skn_fixture_number(fx, "SELECT value FROM meta WHERE key = 'n'"),
                     PROGRAMS * STEPS);
}

static skein_rc limit_pages(skn_tx *tx, void *arg, skein_error *err)
{
    return skn_db_script(tx->db, arg, err);
}

static skein_rc put_large(skn_tx *tx, void *arg, skein_error *err)
{
    char     sql[200];
    skein_rc rc = put(tx, SKN_Q_meta_insert, arg, 1, err);

    snprintf(sql, sizeof sql,
             "INSERT INTO worlds(uid, name, description, created_at)"
             " VALUES('%s', '%s', zeroblob(400000), 0)",
             (const char *)arg, (const char *)arg);
    return rc ? rc : skn_db_script(tx->db, sql, err);
}

static void a_full_disk_is_said_so_and_leaves_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    SKN_OK(skn_store_write(fx->store, limit_pages, (char[]){"PRAGMA max_page_count=1"}, &err),
           err);
    assert_int_equal(skn_store_write(fx->store, put_large, (char[]){"a"}, &err), SKEIN_FULL);
    assert_string_equal(err.message, "the disk is full");
    assert_true(err.hint[0] != '\0');
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key = 'a'"), 0);
    SKN_OK(
        skn_store_write(fx->store, limit_pages, (char[]){"PRAGMA max_page_count=999999"}, &err),
        err);
    SKN_OK(skn_store_write(fx->store, put_large, (char[]){"a"}, &err), err);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key = 'a'"), 1);
}

static void a_store_opened_for_reading_refuses_to_write(void **state)
{
    skn_fixture      *fx = skn_fixture_of(state);
    skn_store_options options = {.read_only = true};
    skein_error       err;
    skn_store        *st;

    SKN_OK(skn_store_open(&st, skn_str_of(fx->address), &options, &err), err);
    assert_int_equal(skn_store_write(st, put_key, (char[]){"k"}, &err), SKEIN_READ_ONLY);
    assert_int_equal(skn_store_scrub(st, &err), SKEIN_READ_ONLY);
    skn_store_close(st);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key = 'k'"), 0);
}

/* --- Deadlock -------------------------------------------------------------------------------- */

typedef struct crosser {
    skn_store         *store;
    const char        *first, *second;
    pthread_barrier_t *meet;
    int                runs;
    skein_rc           rc;
    skein_error        err;
    pthread_t          thread;
} crosser;

static skein_rc cross(skn_tx *tx, void *arg, skein_error *err)
{
    crosser *c = arg;
    skein_rc rc = put(tx, SKN_Q_meta_set, c->first, 1, err);

    if (c->runs++ == 0)
        pthread_barrier_wait(c->meet); /* each now holds what the other wants */
    return rc ? rc : put(tx, SKN_Q_meta_set, c->second, 1, err);
}

static void *cross_in_thread(void *arg)
{
    crosser *c = arg;

    c->rc = skn_store_write(c->store, cross, c, &c->err);
    return NULL;
}

static void a_deadlock_is_run_again(void **state)
{
    skn_fixture      *fx = skn_fixture_of(state);
    crosser           c[2] = {{.first = "a", .second = "b"}, {.first = "b", .second = "a"}};
    pthread_barrier_t meet;
    char              address[700];
    skein_error       err;
    skn_store        *st;

    snprintf(address, sizeof address, "%s&options=-cdeadlock_timeout%%3D20ms", fx->address);
    SKN_OK(skn_store_open(&st, skn_str_of(address), NULL, &err), err);
    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('a', 0), ('b', 0)");
    pthread_barrier_init(&meet, NULL, 2);
    for (int i = 0; i < 2; i++) {
        c[i].store = st;
        c[i].meet = &meet;
        assert_int_equal(pthread_create(&c[i].thread, NULL, cross_in_thread, &c[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(c[i].thread, NULL);
        SKN_OK(c[i].rc, c[i].err);
    }
    assert_true(c[0].runs + c[1].runs >= 3);
    pthread_barrier_destroy(&meet);
    skn_store_close(st);
}

/* --- Readers --------------------------------------------------------------------------------- */

typedef struct looker {
    skn_store *store;
    int64_t    value;
    skein_rc   rc;
} looker;

static skein_rc look(skn_tx *tx, void *arg, skein_error *err)
{
    return get(tx, "k", &((looker *)arg)->value, err);
}

static void *look_in_thread(void *arg)
{
    looker *l = arg;

    l->rc = skn_store_read(l->store, look, l, NULL);
    return NULL;
}

/* Has a value changed but not committed while somebody else reads to the end. */
static skein_rc change_while_read(skn_tx *tx, void *arg, skein_error *err)
{
    looker   *l = arg;
    pthread_t thread;
    skein_rc  rc = put(tx, SKN_Q_meta_set, "k", 2, err);

    if (pthread_create(&thread, NULL, look_in_thread, l))
        abort();
    pthread_join(thread, NULL);
    return rc;
}

static void readers_do_not_wait_for_the_writer(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    looker       l = {.store = fx->store, .value = -5};
    skein_error  err;

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('k', 1)");
    SKN_OK(skn_store_write(fx->store, change_while_read, &l, &err), err);
    assert_int_equal(l.rc, SKEIN_OK);
    assert_int_equal(l.value, 1);
    SKN_OK(skn_store_read(fx->store, look, &l, &err), err);
    assert_int_equal(l.value, 2);
}

static skein_rc set_to_three(skn_tx *tx, void *arg, skein_error *err)
{
    (void)arg;
    return put(tx, SKN_Q_meta_set, "k", 3, err);
}

static skein_rc read_around_a_write(skn_tx *tx, void *arg, skein_error *err)
{
    int64_t *values = arg;
    skein_rc rc = get(tx, "k", &values[0], err);

    if (!rc)
        rc = skn_store_write(tx->store, set_to_three, NULL, err);
    return rc ? rc : get(tx, "k", &values[1], err);
}

static void a_reader_keeps_its_snapshot(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    looker       l = {.store = fx->store};
    int64_t      values[2];
    skein_error  err;

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('k', 1)");
    SKN_OK(skn_store_read(fx->store, read_around_a_write, values, &err), err);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], 1);
    SKN_OK(skn_store_read(fx->store, look, &l, &err), err);
    assert_int_equal(l.value, 3);
}

/* More often than there are connections. */
static void a_snapshot_that_fails_gives_its_connection_back(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;
    int          runs = 0;

    for (int i = 0; i < 50; i++) {
        skn_snapshot s = {.store = fx->store};

        while (skn_snapshot_next(&s, &err))
            s.rc = skn_fail(&err, SKEIN_INVALID, "run %d", ++runs);
        assert_int_equal(s.rc, SKEIN_INVALID);
    }
    assert_int_equal(runs, 50);
}

static void a_snapshot_is_read_again_when_its_transaction_asks_for_it(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_snapshot s = {.store = fx->store}, none = {.store = fx->store, .rc = SKEIN_INVALID};
    int64_t      value = -5;
    skein_error  err;
    int          runs = 0;

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('k', 1)");
    while (skn_snapshot_next(&s, &err)) {
        s.tx->retry = ++runs == 1;
        s.rc = runs == 1 ? SKEIN_FAILED : get(s.tx, "k", &value, &err);
    }
    assert_int_equal(s.rc, SKEIN_OK);
    assert_int_equal(runs, 2);
    assert_int_equal(value, 1);
    while (skn_snapshot_next(&none, &err))
        fail();
    assert_int_equal(none.rc, SKEIN_INVALID);
}

typedef struct crowd {
    skn_store      *store;
    pthread_mutex_t mu;
    int             inside, most; /* guarded by mu */
    int             wrong;        /* guarded by mu */
} crowd;

static skein_rc stay_a_while(skn_tx *tx, void *arg, skein_error *err)
{
    crowd   *c = arg;
    int64_t  k;
    skein_rc rc;

    pthread_mutex_lock(&c->mu);
    c->inside++;
    c->most = c->inside > c->most ? c->inside : c->most;
    pthread_mutex_unlock(&c->mu);
    rc = get(tx, "k", &k, err);
    sched_yield();
    pthread_mutex_lock(&c->mu);
    c->inside--;
    c->wrong += k != 1;
    pthread_mutex_unlock(&c->mu);
    return rc;
}

static void *read_many(void *arg)
{
    crowd *c = arg;

    for (int i = 0; i < 50; i++)
        if (skn_store_read(c->store, stay_a_while, c, NULL)) {
            pthread_mutex_lock(&c->mu);
            c->wrong++;
            pthread_mutex_unlock(&c->mu);
        }
    return NULL;
}

static void more_readers_than_connections_take_turns(void **state)
{
    enum { READERS = 48, CONNECTIONS = 20 };
    skn_fixture *fx = skn_fixture_of(state);
    crowd        c = {.store = fx->store};
    pthread_t    thread[READERS];

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('k', 1)");
    pthread_mutex_init(&c.mu, NULL);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, read_many, &c), 0);
    for (int i = 0; i < READERS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(c.wrong, 0);
    assert_in_range(c.most, 1, CONNECTIONS);
    pthread_mutex_destroy(&c.mu);
}

/* --- Copies ---------------------------------------------------------------------------------- */

static void a_copy_holds_the_whole_store(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_fixture  copy = *fx;
    char         path[300];
    skein_error  err;

    skn_fixture_sql(fx, "INSERT INTO meta(key, value) VALUES('k', 77)");
    skn_fixture_file(fx, "copy.db", path);
    SKN_OK(skn_store_backup(fx->store, skn_str_of(path), &err), err);
    snprintf(copy.address, sizeof copy.address, "sqlite:%s", path);
    assert_int_equal(skn_fixture_number(&copy, "SELECT value FROM meta WHERE key = 'k'"), 77);
    skn_fixture_begin(&copy); /* it is a store of its own */
    skn_fixture_shut(&copy);
    assert_int_equal(skn_store_backup(fx->store, skn_str_of(path), &err), SKEIN_CONFLICT);
    assert_non_null(strstr(err.message, "copy.db\" is there already"));
    skn_fixture_file(fx, "no/such/copy.db", path);
    assert_int_equal(skn_store_backup(fx->store, skn_str_of(path), &err), SKEIN_IO);
}

static void a_copy_from_a_server_is_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         path[300];
    skein_error  err;

    skn_fixture_file(fx, "copy.db", path);
    assert_int_equal(skn_store_backup(fx->store, skn_str_of(path), &err), SKEIN_USAGE);
    assert_string_equal(err.hint, "use pg_dump");
    assert_int_equal(access(path, F_OK), -1);
}

/* --- Erasure --------------------------------------------------------------------------------- */

#define SECRET "zq7secret"

/* Messages of many lengths, every third of them secret, in the table and in the search index. Some
 * rows grow afterwards, so that pages are split and rows move. */
static void tell_secrets(skn_fixture *fx)
{
    static const char make[] =
        "INSERT INTO worlds(id, uid, name, created_at) VALUES(1, 'w', 'w', 0);"
        "INSERT INTO conversations(id, uid, world_id, mode, created_at)"
        " VALUES(1, 'c', 1, 'chat', 0);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)"
        " INSERT INTO messages(id, uid, conversation_id, role, author, sender, content, "
        "created_at)"
        " SELECT i, 'm' || i, 1, 'user', 'human', 'me', CASE WHEN i %% 3 = 0 THEN"
        " '" SECRET " ' ELSE 'open ' END || replace(%s, 'y', CASE WHEN i %% 60 = 0 THEN"
        " '" SECRET " ' ELSE 'y' END), 0 FROM n;"
        "UPDATE messages SET warning = %s WHERE id %% 5 = 0;"
        "INSERT INTO message_words%s";
    char sql[2000];

    if (fx->pg)
        snprintf(sql, sizeof sql, make, "repeat('y', 200 + (i * 37) % 700)",
                 "repeat('n', 100 + CAST(id AS INTEGER) * 7)",
                 "(message_id, words) SELECT id, to_tsvector('simple', content) FROM messages");
    else
        snprintf(sql, sizeof sql, make, "printf('%.*c', 200 + (i * 37) % 700, 'y')",
                 "printf('%.*c', 100 + id * 7, 'n')",
                 "(rowid, content) SELECT id, content FROM messages");
    skn_fixture_sql(fx, sql);
}

static void erase_secrets(skn_fixture *fx)
{
    skn_fixture_sql(fx, fx->pg
                            ? "DELETE FROM message_words WHERE message_id % 3 = 0"
                            : "INSERT INTO message_words(message_words, rowid, content)"
                              " SELECT 'delete', id, content FROM messages WHERE id % 3 = 0");
    skn_fixture_sql(fx, "UPDATE messages SET content = '' WHERE id % 3 = 0");
}

static void erased_text_is_in_no_file_after_scrubbing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    tell_secrets(fx);
    assert_true(skn_fixture_holds(fx, SECRET));
    erase_secrets(fx);
    SKN_OK(skn_store_scrub(fx->store, &err), err);
    assert_false(skn_fixture_holds(fx, SECRET));
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM messages"), 300);
    assert_int_equal(
        skn_fixture_number(fx, "SELECT count(*) FROM messages WHERE content LIKE 'open%'"),
        200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(threads_write_all_they_should_and_nothing_else),
        SKN_ON_SQLITE(programs_that_write_at_once_lose_nothing),
        SKN_ON_SQLITE(a_full_disk_is_said_so_and_leaves_nothing),
        SKN_BOTH(a_store_opened_for_reading_refuses_to_write),
        SKN_ON_PG(a_deadlock_is_run_again),
        SKN_BOTH(readers_do_not_wait_for_the_writer),
        SKN_BOTH(a_reader_keeps_its_snapshot),
        SKN_BOTH(a_snapshot_that_fails_gives_its_connection_back),
        SKN_BOTH(a_snapshot_is_read_again_when_its_transaction_asks_for_it),
        SKN_BOTH(more_readers_than_connections_take_turns),
        SKN_ON_SQLITE(a_copy_holds_the_whole_store),
        SKN_ON_PG(a_copy_from_a_server_is_refused),
        SKN_BOTH(erased_text_is_in_no_file_after_scrubbing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
