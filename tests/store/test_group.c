/* The group of writers. It is compiled in here once more, under other names, so that the test can
 * look into its queue, count its transactions and make them fail. */
#include "fixture.h"
#include "store/tx.h"

static skein_rc counted_begin(skn_db *db, skein_error *err);
static skein_rc counted_commit(skn_db *db, skein_error *err);

#define skn_group_new      test_group_new
#define skn_group_free     test_group_free
#define skn_group_write    test_group_write
#define skn_group_alone    test_group_alone
#define skn_group_try      test_group_try
#define skn_db_begin_write counted_begin
#define skn_db_commit      counted_commit
skn_group *test_group_new(skn_store *st, skn_db *writer);
void       test_group_free(skn_group *g);
skein_rc   test_group_write(skn_group *g, skn_work *work, void *arg, skein_error *err);
skein_rc   test_group_try(skn_group *g, skn_work *work, void *arg, skein_error *err);
skein_rc   test_group_alone(skn_group   *g, skein_rc (*work)(skn_db *, skein_error *),
                            skein_error *err);
#include "store/store_group.c"
#undef skn_db_begin_write
#undef skn_db_commit

#include <sched.h>
#include <stdio.h>
#include <string.h>

#define MOST_WRITERS 200

/* What the leader's thread alone touches while a group runs; tests run one after the other. */
static struct {
    int  begins, commits;
    bool begin_fails, commit_fails;
} seen;

static skein_rc counted_begin(skn_db *db, skein_error *err)
{
    seen.begins++;
    if (seen.begin_fails)
        return skn_fail(err, SKEIN_BUSY, "begin was made to fail");
    return skn_db_begin_write(db, err);
}

static skein_rc counted_commit(skn_db *db, skein_error *err)
{
    seen.commits++;
    if (seen.commit_fails) {
        skn_db_rollback(db);
        return skn_fail(err, SKEIN_IO, "commit was made to fail");
    }
    return skn_db_commit(db, err);
}

/* --- Writers that meet in one group ---------------------------------------------------------- */

typedef struct writer {
    skn_group  *group;
    skn_work   *work; /* after it has put its number, or NULL */
    int         number;
    int         wait_for; /* the leader holds the group until so many are queued behind it */
    int         runs;
    skein_rc    rc;
    skein_error err;
    pthread_t   thread;
} writer;

static int queued(skn_group *g)
{
    int n = 0;

    pthread_mutex_lock(&g->mu);
    for (request *r = g->first; r; r = r->next)
        n++;
    pthread_mutex_unlock(&g->mu);
    return n;
}

static skein_rc put_number(skn_tx *tx, int number, skein_error *err)
{
    skn_stmt s = skn_stmt_use(tx->db, SKN_Q_meta_insert);
    char     key[20];

    snprintf(key, sizeof key, "test%d", number);
    skn_stmt_bind(&s, skn_bind_text(skn_str_of(key)));
    skn_stmt_bind(&s, skn_bind_int(number));
    return skn_stmt_run(&s, err);
}

static skein_rc put_and_work(skn_tx *tx, void *arg, skein_error *err)
{
    writer  *w = arg;
    skein_rc rc;

    w->runs++;
    while (queued(w->group) < w->wait_for)
        sched_yield();
    if ((rc = put_number(tx, w->number, err)))
        return rc;
    return w->work ? w->work(tx, w, err) : SKEIN_OK;
}

static void *write_in_thread(void *arg)
{
    writer *w = arg;

    w->rc = test_group_write(w->group, put_and_work, w, &w->err);
    return NULL;
}

/* A first writer, which holds its transaction open until `wait_for` others are queued. */
static void start_leader(writer *w, skn_group *g, int wait_for, skn_work *work)
{
    bool leads = false;

    memset(&seen, 0, sizeof seen);
    *w = (writer){.group = g, .number = 1000, .wait_for = wait_for, .work = work};
    assert_int_equal(pthread_create(&w->thread, NULL, write_in_thread, w), 0);
    while (!leads) {
        sched_yield();
        pthread_mutex_lock(&g->mu);
        leads = g->led && !g->first;
        pthread_mutex_unlock(&g->mu);
    }
}

static void start(writer *w, skn_group *g, int number, skn_work *work)
{
    *w = (writer){.group = g, .number = number, .work = work};
    assert_int_equal(pthread_create(&w->thread, NULL, write_in_thread, w), 0);
}

/* Runs writers 1 … n in one group, in this order: all of them come while writer 0 leads a group
 * of its own. */
static void run_group_of(skn_group *g, writer *w, int n, skn_work *work[])
{
    start_leader(&w[0], g, n, NULL);
    for (int i = 1; i <= n; i++) {
        start(&w[i], g, i, work ? work[i] : NULL);
        if (i < n) /* keeps the order; the last is what writer 0 waits for */
            while (queued(g) < i)
                sched_yield();
    }
    for (int i = 0; i <= n; i++)
        assert_int_equal(pthread_join(w[i].thread, NULL), 0);
    assert_int_equal(w[0].rc, SKEIN_OK);
}

static skn_group *open_group(skn_fixture *fx, skn_db **db)
{
    skein_error err;

    SKN_OK(skn_db_open(db, skn_str_of(fx->address), SKN_DB_WRITER, &err), err);
    return test_group_new(fx->store, *db);
}

static void close_group(skn_group *g, skn_db *db)
{
    test_group_free(g);
    skn_db_close(db);
}

static bool stored(skn_fixture *fx, int number)
{
    char sql[80];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM meta WHERE key = 'test%d'", number);
    return skn_fixture_number(fx, sql) == 1;
}

/* --- Tests ----------------------------------------------------------------------------------- */

static void those_who_wait_share_one_commit(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    writer       w[9];

    run_group_of(g, w, 8, NULL);
    assert_int_equal(seen.commits, 2); /* writer 0, then all others */
    for (int i = 1; i <= 8; i++) {
        assert_int_equal(w[i].rc, SKEIN_OK);
        assert_int_equal(w[i].runs, 1);
        assert_true(stored(fx, i));
    }
    assert_false(g->led);
    close_group(g, db);
}

static void a_group_has_a_limit(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    writer       w[MOST_WRITERS + 1];

    run_group_of(g, w, MOST_WRITERS, NULL);
    assert_int_equal(seen.commits, 1 + (MOST_WRITERS + GROUP_MOST - 1) / GROUP_MOST);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key LIKE 'test%'"),
                     MOST_WRITERS + 1);
    close_group(g, db);
}

static skein_rc refuse(skn_tx *tx, void *arg, skein_error *err)
{
    (void)tx;
    return skn_fail(err, SKEIN_INVALID, "writer %d refuses", ((writer *)arg)->number);
}

static void a_failing_member_leaves_nothing_and_hurts_nobody(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    skn_work    *work[6] = {NULL, refuse, NULL, refuse, NULL, refuse};
    writer       w[6];
    char         message[40];

    run_group_of(g, w, 5, work);
    assert_int_equal(seen.commits, 2);
    for (int i = 1; i <= 5; i++) {
        snprintf(message, sizeof message, "writer %d refuses", i);
        assert_int_equal(w[i].rc, work[i] ? SKEIN_INVALID : SKEIN_OK);
        assert_true(stored(fx, i) == !work[i]);
        if (work[i])
            assert_string_equal(w[i].err.message, message);
    }
    close_group(g, db);
}

static void a_group_of_failures_commits_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    skn_work    *work[4] = {NULL, refuse, refuse, refuse};
    writer       w[4];

    run_group_of(g, w, 3, work);
    assert_int_equal(seen.commits, 1); /* that of writer 0 */
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM meta WHERE key LIKE 'test%'"),
                     1);
    assert_false(db->in_tx);
    close_group(g, db);
}

static skein_rc break_commit(skn_tx *tx, void *arg, skein_error *err)
{
    (void)tx, (void)arg, (void)err;
    seen.commit_fails = true;
    return SKEIN_OK;
}

static void a_failed_commit_reaches_every_member(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    skn_work    *work[5] = {NULL, NULL, break_commit, refuse, NULL};
    writer       w[5];

    run_group_of(g, w, 4, work);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(w[i].rc, SKEIN_IO);
        assert_string_equal(w[i].err.message, "commit was made to fail");
        assert_false(stored(fx, i));
    }
    close_group(g, db);
}

static skein_rc break_next_begin(skn_tx *tx, void *arg, skein_error *err)
{
    (void)tx, (void)arg, (void)err;
    seen.begin_fails = true;
    return SKEIN_OK;
}

static void a_failed_begin_reaches_every_member(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    writer       w[4], first;

    start_leader(&first, g, 3, break_next_begin);
    for (int i = 1; i <= 3; i++)
        start(&w[i], g, i, NULL);
    for (int i = 1; i <= 3; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].rc, SKEIN_BUSY);
        assert_string_equal(w[i].err.message, "begin was made to fail");
        assert_int_equal(w[i].runs, 0);
    }
    pthread_join(first.thread, NULL);
    assert_int_equal(first.rc, SKEIN_OK);
    close_group(g, db);
}

/* Writes more than the file may grow: SQLite then ends the whole transaction. */
static skein_rc fill_disk(skn_tx *tx, void *arg, skein_error *err)
{
    skein_rc rc;

    (void)arg;
    if ((rc = skn_db_script(tx->db, "PRAGMA max_page_count=1", err)))
        return rc;
    rc = skn_db_script(tx->db,
                       "INSERT INTO worlds(uid, name, description, created_at)"
                       " VALUES('u', 'n', zeroblob(1000000), 0)",
                       err);
    assert_false(tx->db->in_tx);
    skn_db_script(tx->db, "PRAGMA max_page_count=1000000", NULL);
    return rc;
}

static void a_member_that_ends_the_transaction_does_not_take_the_others_along(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    skn_work    *work[6] = {NULL, NULL, NULL, fill_disk, refuse, NULL};
    writer       w[6];

    run_group_of(g, w, 5, work);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(w[i].rc, i == 3 ? SKEIN_FULL : i == 4 ? SKEIN_INVALID : SKEIN_OK);
        assert_true(stored(fx, i) == (i != 3 && i != 4));
    }
    assert_string_equal(w[3].err.message, "the disk is full");
    assert_int_equal(w[3].runs, 1);
    assert_int_equal(w[1].runs, 2);
    close_group(g, db);
}

static skein_rc swallow_full_disk(skn_tx *tx, void *arg, skein_error *err)
{
    (void)fill_disk(tx, arg, err);
    return SKEIN_OK;
}

static void work_that_overlooks_the_end_of_its_transaction_fails(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    skn_work    *work[3] = {NULL, swallow_full_disk, NULL};
    writer       w[3];

    run_group_of(g, w, 1, work);
    assert_int_equal(w[1].rc, SKEIN_FAILED);
    assert_false(stored(fx, 1));
    close_group(g, db);
}

static skein_rc ask_again(skn_tx *tx, void *arg, skein_error *err)
{
    const writer *w = arg;

    if (w->number == 2 && w->runs == 3)
        return SKEIN_OK;
    tx->retry = true;
    return skn_fail(err, SKEIN_CONFLICT, "again");
}

static void a_member_is_run_again_when_it_asks_but_not_forever(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    skn_work    *work[4] = {NULL, ask_again, ask_again, NULL};
    writer       w[4];

    for (int shared = 1; shared >= 0; shared--) {
        skn_fixture_sql(fx, "DELETE FROM meta WHERE key LIKE 'test%'");
        run_group_of(g, w, shared ? 3 : 1, work);
        assert_int_equal(w[1].rc, SKEIN_CONFLICT);
        assert_int_equal(w[1].runs, SKN_TX_TRIES);
        assert_false(stored(fx, 1));
        if (!shared)
            continue;
        assert_int_equal(w[2].rc, SKEIN_OK);
        assert_int_equal(w[2].runs, 3);
        assert_true(stored(fx, 2));
        assert_int_equal(w[3].runs, 1);
    }
    close_group(g, db);
}

static skein_rc look_at_transaction(skn_db *db, skein_error *err)
{
    (void)err;
    return db->in_tx ? SKEIN_FAILED : skn_db_script(db, "PRAGMA wal_checkpoint(PASSIVE)", err);
}

static void *go_alone(void *arg)
{
    writer *w = arg;

    w->rc = test_group_alone(w->group, look_at_transaction, &w->err);
    return NULL;
}

static void work_alone_is_in_no_transaction(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    writer       first, w[6];

    start_leader(&first, g, 5, NULL);
    for (int i = 1; i <= 5; i++) { /* two writers, one alone, two writers */
        w[i] = (writer){.group = g, .number = i};
        assert_int_equal(
            pthread_create(&w[i].thread, NULL, i == 3 ? go_alone : write_in_thread, &w[i]), 0);
        if (i < 5)
            while (queued(g) < i)
                sched_yield();
    }
    for (int i = 1; i <= 5; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].rc, SKEIN_OK);
    }
    pthread_join(first.thread, NULL);
    assert_int_equal(seen.commits, 3);
    close_group(g, db);
}

static void *try_in_thread(void *arg)
{
    writer *w = arg;

    w->rc = test_group_try(w->group, put_and_work, w, &w->err);
    return NULL;
}

static void who_only_tries_does_not_wait_for_a_writer(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    writer       first, second, hasty = {.group = g, .number = 1};

    start_leader(&first, g, 1, NULL);
    try_in_thread(&hasty);
    assert_int_equal(hasty.rc, SKEIN_BUSY);
    assert_int_equal(hasty.runs, 0);
    start(&second, g, 2, NULL);
    pthread_join(first.thread, NULL);
    pthread_join(second.thread, NULL);
    assert_int_equal(second.rc, SKEIN_OK);
    try_in_thread(&hasty);
    assert_int_equal(hasty.rc, SKEIN_OK);
    assert_true(stored(fx, 1));
    seen.begin_fails = true;
    try_in_thread(&hasty);
    assert_int_equal(hasty.rc, SKEIN_BUSY);
    seen.begin_fails = false;
    close_group(g, db);
}

static void who_comes_after_one_that_tried_gets_its_turn(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skn_db      *db;
    skn_group   *g = open_group(fx, &db);
    writer       hasty = {.group = g, .number = 1, .wait_for = 1}, second;
    bool         leads = false;

    assert_int_equal(pthread_create(&hasty.thread, NULL, try_in_thread, &hasty), 0);
    while (!leads) {
        sched_yield();
        pthread_mutex_lock(&g->mu);
        leads = g->led;
        pthread_mutex_unlock(&g->mu);
    }
    start(&second, g, 2, NULL);
    pthread_join(hasty.thread, NULL);
    pthread_join(second.thread, NULL);
    assert_int_equal(hasty.rc, SKEIN_OK);
    assert_int_equal(second.rc, SKEIN_OK);
    assert_true(stored(fx, 1) && stored(fx, 2));
    close_group(g, db);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_ON_SQLITE(those_who_wait_share_one_commit),
        SKN_ON_SQLITE(a_group_has_a_limit),
        SKN_ON_SQLITE(a_failing_member_leaves_nothing_and_hurts_nobody),
        SKN_ON_SQLITE(a_group_of_failures_commits_nothing),
        SKN_ON_SQLITE(a_failed_commit_reaches_every_member),
        SKN_ON_SQLITE(a_failed_begin_reaches_every_member),
        SKN_ON_SQLITE(a_member_that_ends_the_transaction_does_not_take_the_others_along),
        SKN_ON_SQLITE(work_that_overlooks_the_end_of_its_transaction_fails),
        SKN_ON_SQLITE(a_member_is_run_again_when_it_asks_but_not_forever),
        SKN_ON_SQLITE(work_alone_is_in_no_transaction),
        SKN_ON_SQLITE(who_only_tries_does_not_wait_for_a_writer),
        SKN_ON_SQLITE(who_comes_after_one_that_tried_gets_its_turn),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
