/* The loop, its timers and watched descriptors, and the workers beside it. */
#include "base/workers.h"

#include "base/clock.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct record {
    skn_loop         *loop;
    pthread_t         main;
    int               order[1000];
    int               count, until; /* stops the loop at this count */
    skn_timer        *timer;
    atomic_int        now, most; /* that work at once */
    pthread_barrier_t together;
} record;

typedef struct step {
    record *r;
    int     number;
} step;

static void note(record *r, int number)
{
    assert_true(pthread_equal(pthread_self(), r->main));
    r->order[r->count++] = number;
    if (r->count == r->until)
        skn_loop_stop(r->loop);
}

static void note_step(void *arg)
{
    step *s = arg;

    note(s->r, s->number);
}

static record begin(int until)
{
    return (record){.loop = skn_loop_new(), .main = pthread_self(), .until = until};
}

static void calls_run_in_the_order_they_were_posted_in(void **state)
{
    record r = begin(100);
    step   steps[100];

    (void)state;
    for (int i = 0; i < 100; i++) {
        steps[i] = (step){&r, i};
        skn_loop_post(r.loop, note_step, &steps[i]);
    }
    skn_loop_run(r.loop);
    assert_int_equal(r.count, 100);
    for (int i = 0; i < 100; i++)
        assert_int_equal(r.order[i], i);
    skn_loop_free(r.loop);
}

static void *post_many(void *arg)
{
    step *s = arg;

    for (int i = 0; i < 200; i++)
        skn_loop_post(s->r->loop, note_step, s);
    return NULL;
}

static void calls_of_all_threads_run_on_the_loops_own(void **state)
{
    record    r = begin(800);
    pthread_t threads[4];
    step      steps[4];
    int       each[4] = {0};

    (void)state;
    for (int i = 0; i < 4; i++) {
        steps[i] = (step){&r, i};
        pthread_create(&threads[i], NULL, post_many, &steps[i]);
    }
    skn_loop_run(r.loop);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < r.count; i++)
        each[r.order[i]]++;
    for (int i = 0; i < 4; i++)
        assert_int_equal(each[i], 200);
    skn_loop_free(r.loop);
}

static void calls_that_never_ran_are_dropped_with_the_loop(void **state)
{
    record r = begin(1);
    step   s = {&r, 0};

    (void)state;
    skn_loop_post(r.loop, note_step, &s);
    skn_loop_free(r.loop);
    skn_loop_free(NULL);
    assert_int_equal(r.count, 0);
}

static void timer_frees_itself(void *arg)
{
    step *s = arg;

    skn_timer_free(s->r->timer);
    note(s->r, s->number);
}

static void timers_fire_by_their_time_once_and_not_when_stopped(void **state)
{
    record     r = begin(2);
    step       late = {&r, 2}, early = {&r, 1}, never = {&r, 3};
    skn_timer *a = skn_timer_new(r.loop, note_step, &early);
    skn_timer *b = skn_timer_new(r.loop, note_step, &never);
    int64_t    since = skn_clock_monotonic();

    (void)state;
    r.timer = skn_timer_new(r.loop, timer_frees_itself, &late);
    skn_timer_start(r.timer, 40);
    skn_timer_start(b, 10);
    skn_timer_stop(b);
    skn_timer_start(a, 60000);
    skn_timer_start(a, 5); /* moves it */
    skn_loop_run(r.loop);
    assert_int_equal(r.order[0], 1);
    assert_int_equal(r.order[1], 2);
    assert_true(skn_clock_monotonic() - since >= 30 * 1000000); /* the loop counts in ticks */
    skn_timer_free(a);
    skn_timer_free(b);
    skn_timer_free(NULL);
    skn_loop_free(r.loop);
}

typedef struct watched {
    record    *r;
    int        fds[2];
    skn_watch *from, *to;
    skn_timer *later;
    int        reads, writes;
} watched;

static void readable(void *arg)
{
    watched *w = arg;
    char     c;

    assert_int_equal(read(w->fds[0], &c, 1), 1);
    if (++w->reads == 3)
        skn_timer_start(w->later, 20); /* for whatever would come now */
}

static void stop_watching(void *arg)
{
    skn_loop_stop(((watched *)arg)->r->loop);
}

static void writable(void *arg)
{
    watched *w = arg;

    assert_int_equal(write(w->fds[1], "x", 1), 1);
    if (++w->writes == 3)
        skn_watch_write(w->to, false);
}

static void a_descriptor_is_told_of_only_while_it_is_watched(void **state)
{
    record  r = begin(0);
    watched w = {.r = &r};

    (void)state;
    assert_int_equal(pipe(w.fds), 0);
    w.later = skn_timer_new(r.loop, stop_watching, &w);
    w.from = skn_watch_new(r.loop, w.fds[0], readable, NULL, &w);
    w.to = skn_watch_new(r.loop, w.fds[1], NULL, writable, &w);
    skn_watch_read(w.from, true);
    skn_watch_write(w.to, true);
    skn_loop_run(r.loop);
    assert_int_equal(w.reads, 3);
    assert_int_equal(w.writes, 3);
    skn_timer_free(w.later);
    skn_watch_free(w.from);
    skn_watch_free(w.to);
    skn_watch_free(NULL);
    close(w.fds[0]);
    close(w.fds[1]);
    skn_loop_free(r.loop);
}

static void a_signal_comes_to_the_loop(void **state)
{
    record r = begin(1);
    step   s = {&r, 7};

    (void)state;
    skn_loop_signal(r.loop, SIGUSR1, note_step, &s);
    raise(SIGUSR1);
    skn_loop_run(r.loop);
    assert_int_equal(r.order[0], 7);
    skn_loop_free(r.loop);
}

/* --- Workers -------------------------------------------------------------------------------------- */

static void work_elsewhere(void *arg)
{
    record *r = ((step *)arg)->r;
    int     now = atomic_fetch_add(&r->now, 1) + 1, most = atomic_load(&r->most);

    assert_false(pthread_equal(pthread_self(), r->main));
    while (now > most && !atomic_compare_exchange_weak(&r->most, &most, now))
        continue;
    if (((step *)arg)->number < 3)
        pthread_barrier_wait(&r->together); /* waits for ever unless three run at once */
    atomic_fetch_sub(&r->now, 1);
}

static void work_runs_on_workers_and_its_end_on_the_loop(void **state)
{
    record       r = begin(100);
    skn_workers *w = skn_workers_new(r.loop, 3);
    step         steps[100];

    (void)state;
    pthread_barrier_init(&r.together, NULL, 3);
    for (int i = 0; i < 100; i++) {
        steps[i] = (step){&r, i};
        skn_workers_run(w, work_elsewhere, note_step, &steps[i]);
    }
    skn_loop_run(r.loop);
    assert_int_equal(r.count, 100);
    assert_int_equal(skn_workers_waiting(w), 0);
    assert_int_equal(atomic_load(&r.most), 3);
    skn_workers_free(w);
    pthread_barrier_destroy(&r.together);
    skn_loop_free(r.loop);
}

static void work_in_order(void *arg)
{
    step *s = arg;

    s->r->order[s->r->count++] = s->number; /* one worker: one at a time */
}

static void stop_loop(void *arg)
{
    skn_loop_stop(((step *)arg)->r->loop);
}

static void requests_start_in_order(void **state)
{
    record       r = begin(0);
    skn_workers *w = skn_workers_new(r.loop, 1);
    step         steps[50];

    (void)state;
    for (int i = 0; i < 50; i++) {
        steps[i] = (step){&r, i};
        skn_workers_run(w, work_in_order, i == 49 ? stop_loop : NULL, &steps[i]);
    }
    skn_loop_run(r.loop);
    for (int i = 0; i < 50; i++)
        assert_int_equal(r.order[i], i);
    skn_workers_free(w);
    skn_workers_free(NULL);
    skn_loop_free(r.loop);
}

typedef struct crowd {
    pthread_mutex_t mu;
    pthread_cond_t  changed;
    int             slow, most, ended; /* guarded by mu */
    bool            open;
    skn_loop       *loop;
} crowd;

static void slow_work(void *arg)
{
    crowd *c = arg;

    pthread_mutex_lock(&c->mu);
    c->most = ++c->slow > c->most ? c->slow : c->most;
    pthread_cond_broadcast(&c->changed);
    while (!c->open)
        pthread_cond_wait(&c->changed, &c->mu);
    c->slow--;
    pthread_mutex_unlock(&c->mu);
}

/* Comes after all slow ones, and is done before any of them. */
static void quick_work(void *arg)
{
    crowd *c = arg;

    pthread_mutex_lock(&c->mu);
    while (c->slow < 2)
        pthread_cond_wait(&c->changed, &c->mu);
    c->open = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->mu);
}

static void one_has_ended(void *arg)
{
    crowd *c = arg;

    if (++c->ended == 31)
        skn_loop_stop(c->loop);
}

static void what_takes_long_leaves_workers_to_the_rest(void **state)
{
    crowd        c = {.loop = skn_loop_new()};
    skn_workers *w = skn_workers_new(c.loop, 8);

    (void)state;
    pthread_mutex_init(&c.mu, NULL);
    pthread_cond_init(&c.changed, NULL);
    for (int i = 0; i < 30; i++)
        skn_workers_run_slow(w, slow_work, one_has_ended, &c);
    skn_workers_run(w, quick_work, one_has_ended, &c);
    skn_loop_run(c.loop);
    assert_int_equal(c.most, 2);
    assert_int_equal(skn_workers_waiting(w), 0);
    skn_workers_free(w);
    pthread_cond_destroy(&c.changed);
    pthread_mutex_destroy(&c.mu);
    skn_loop_free(c.loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_run_in_the_order_they_were_posted_in),
        cmocka_unit_test(calls_of_all_threads_run_on_the_loops_own),
        cmocka_unit_test(calls_that_never_ran_are_dropped_with_the_loop),
        cmocka_unit_test(timers_fire_by_their_time_once_and_not_when_stopped),
        cmocka_unit_test(a_descriptor_is_told_of_only_while_it_is_watched),
        cmocka_unit_test(a_signal_comes_to_the_loop),
        cmocka_unit_test(work_runs_on_workers_and_its_end_on_the_loop),
        cmocka_unit_test(requests_start_in_order),
        cmocka_unit_test(what_takes_long_leaves_workers_to_the_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
