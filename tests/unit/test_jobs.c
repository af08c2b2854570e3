/* Work that goes on after its request: how it ends, and what is known of it then. The server around it
 * is played by the test. */
#include "base/clock.h"
#include "base/error.h"
#include "http/inside.h"
#include "http/jobs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct kit {
    skn_http       *http;
    skn_jobs       *jobs;
    pthread_mutex_t gate; /* held: work waits */
    atomic_int      dropped;
    skn_buf         out;
} kit;

/* A job has ended: the loop may stop. */
void skn_http_call_ended(skn_http *h)
{
    skn_loop_stop(h->o.loop);
}

static int set_up(void **state)
{
    kit *k = skn_heap(sizeof *k);

    k->http = skn_heap(sizeof *k->http);
    k->http->o.loop = skn_loop_new();
    k->http->o.workers = skn_workers_new(k->http->o.loop, 2);
    k->jobs = skn_jobs_new(k->http);
    pthread_mutex_init(&k->gate, NULL);
    skn_buf_init(&k->out, 1 << 20);
    *state = k;
    return 0;
}

static int tear_down(void **state)
{
    kit *k = *state;

    skn_jobs_free(k->jobs);
    skn_workers_free(k->http->o.workers);
    skn_loop_free(k->http->o.loop);
    pthread_mutex_destroy(&k->gate);
    skn_buf_release(&k->out);
    free(k->http);
    free(k);
    return 0;
}

static bool shown(kit *k, const char *id, const char *part)
{
    skn_jw w;

    skn_buf_clear(&k->out);
    skn_jw_init(&w, &k->out);
    return skn_job_shape(k->jobs, skn_str_of(id), &w) &&
           skn_str_find(skn_buf_str(&k->out), skn_str_of(part)) >= 0;
}

static void drop(void *arg)
{
    atomic_fetch_add(&((kit *)arg)->dropped, 1);
}

static skein_rc succeed(skn_job *job, void *arg, skn_buf *out, skein_error *err)
{
    kit *k = arg;

    (void)err;
    skn_job_progress(job, 1, 4);
    pthread_mutex_lock(&k->gate);
    pthread_mutex_unlock(&k->gate);
    skn_buf_add(out, SKN_STR("{\"n\":7}"));
    return SKEIN_OK;
}

static skein_rc fail_it(skn_job *job, void *arg, skn_buf *out, skein_error *err)
{
    (void)job, (void)arg, (void)out;
    return skn_fail(err, SKEIN_FULL, "no room");
}

static skein_rc until_cancelled(skn_job *job, void *arg, skn_buf *out, skein_error *err)
{
    (void)arg, (void)out;
    while (!skn_job_cancelled(job))
        continue;
    return skn_fail(err, SKEIN_FAILED, "cancelled");
}

static void a_job_is_running_and_then_done(void **state)
{
    kit *k = *state;
    char id[SKN_JOB_ID];

    pthread_mutex_lock(&k->gate);
    assert_int_equal(skn_job_start(k->jobs, "export", succeed, k, drop, id, NULL), SKEIN_OK);
    assert_true(shown(k, id, "\"kind\":\"export\",\"state\":\"running\""));
    assert_true(shown(k, id, "\"result\":null"));
    assert_int_equal(skn_jobs_running(k->jobs), 1);
    pthread_mutex_unlock(&k->gate);
    skn_loop_run(k->http->o.loop);
    assert_int_equal(skn_jobs_running(k->jobs), 0);
    assert_int_equal(atomic_load(&k->dropped), 1);
    assert_true(shown(k, id, "\"state\":\"done\",\"progress\":1,\"result\":{\"n\":7}"));
    assert_false(shown(k, id, "\"finishedAt\":null"));
    assert_false(shown(k, "job_nope", ""));
}

static void a_job_that_fails_says_why(void **state)
{
    kit *k = *state;
    char id[SKN_JOB_ID];

    assert_int_equal(skn_job_start(k->jobs, "import", fail_it, k, NULL, id, NULL), SKEIN_OK);
    skn_loop_run(k->http->o.loop);
    assert_true(shown(k, id, "\"state\":\"failed\""));
    assert_true(shown(k, id, "/problems/storage-full"));
    assert_true(shown(k, id, "no room"));
}

static void a_job_ends_when_it_is_asked_to(void **state)
{
    kit *k = *state;
    char id[SKN_JOB_ID];

    assert_int_equal(skn_job_start(k->jobs, "x", until_cancelled, k, NULL, id, NULL), SKEIN_OK);
    assert_false(skn_job_cancel(k->jobs, SKN_STR("job_nope")));
    assert_true(skn_job_cancel(k->jobs, skn_str_of(id)));
    skn_loop_run(k->http->o.loop);
    assert_true(shown(k, id, "\"state\":\"cancelled\""));
}

static void there_is_a_limit_to_jobs_and_the_oldest_are_forgotten(void **state)
{
    kit *k = *state;
    char first[SKN_JOB_ID], last[SKN_JOB_ID];
    int  started = 1;

    pthread_mutex_lock(&k->gate);
    assert_int_equal(skn_job_start(k->jobs, "x", succeed, k, drop, first, NULL), SKEIN_OK);
    while (skn_job_start(k->jobs, "x", succeed, k, drop, last, NULL) == SKEIN_OK)
        started++;
    pthread_mutex_unlock(&k->gate);
    while (skn_jobs_running(k->jobs))
        skn_loop_run(k->http->o.loop);
    assert_int_equal(started, 64);
    assert_int_equal(atomic_load(&k->dropped), started);
    for (int i = 0; i < 200; i++) {
        assert_int_equal(skn_job_start(k->jobs, "x", succeed, k, drop, last, NULL), SKEIN_OK);
        while (skn_jobs_running(k->jobs))
            skn_loop_run(k->http->o.loop);
    }
    assert_false(shown(k, first, ""));
    assert_true(shown(k, last, "\"state\":\"done\""));
}

static skein_rc much(skn_job *job, void *arg, skn_buf *out, skein_error *err)
{
    (void)job, (void)arg, (void)err;
    skn_buf_addc(out, '"');
    for (size_t i = 0; i < 15 * 1024; i++)
        skn_buf_addf(out, "%01024d", 0);
    skn_buf_addc(out, '"');
    return SKEIN_OK;
}

static void run_one(kit *k, skn_job_work *work, char id[SKN_JOB_ID])
{
    assert_int_equal(skn_job_start(k->jobs, "x", work, k, NULL, id, NULL), SKEIN_OK);
    while (skn_jobs_running(k->jobs))
        skn_loop_run(k->http->o.loop);
}

static bool known(kit *k, const char *id)
{
    skn_buf_clear(&k->out);
    return skn_job_shape(k->jobs, skn_str_of(id), &(skn_jw){.out = &k->out});
}

static void results_have_a_limit_together(void **state)
{
    kit *k = *state;
    char id[6][SKN_JOB_ID];

    for (int i = 0; i < 6; i++)
        run_one(k, much, id[i]);
    for (int i = 0; i < 6; i++) /* four of 15 MB are less than 64 MB */
        assert_int_equal(known(k, id[i]), i >= 2);
}

static void what_ended_an_hour_ago_is_forgotten(void **state)
{
    kit    *k = *state;
    char    id[SKN_JOB_ID];
    int64_t hour = INT64_C(3600) * 1000000;

    run_one(k, succeed, id);
    skn_jobs_sweep(k->jobs, skn_clock_micros() + hour - 10 * 1000000);
    assert_true(known(k, id));
    skn_jobs_sweep(k->jobs, skn_clock_micros() + hour);
    assert_false(known(k, id));
}

#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_job_is_running_and_then_done),
        KIT_TEST(a_job_that_fails_says_why),
        KIT_TEST(a_job_ends_when_it_is_asked_to),
        KIT_TEST(there_is_a_limit_to_jobs_and_the_oldest_are_forgotten),
        KIT_TEST(results_have_a_limit_together),
        KIT_TEST(what_ended_an_hour_ago_is_forgotten),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
