#include "http/jobs.h"

#include "base/clock.h"
#include "http/inside.h"

#include <stdlib.h>

enum { RUNNING_MOST = 64, OWN_MOST = 32, KEPT_MOST = 200, RESULT_MOST = 16 * 1024 * 1024 };

#define RESULTS_MOST ((size_t)64 * 1024 * 1024) /* of all jobs that have ended */
#define KEPT_MICROS  (INT64_C(3600) * 1000000)

typedef enum job_state { RUNNING, DONE, FAILED, CANCELLED } job_state;

static const char *const state_names[] = {"running", "done", "failed", "cancelled"};

struct skn_job {
    skn_jobs     *jobs;
    skn_job      *next; /* newest first */
    char          id[SKN_JOB_ID];
    const char   *kind;
    skn_job_work *work;
    skn_job_away  away; /* instead of work */
    void (*drop)(void *arg);
    void          *arg;
    skein_world_id world;
    int64_t        created_at;
    int64_t        finished_at; /* guarded by mu, as all below */
    job_state      state;
    int64_t        done, total;  /* total 0: not known */
    int64_t        lease;        /* until then somebody waits for it; 0: nobody has said so */
    bool           cancel, over; /* over: nothing of it runs any more */
    bool           held;         /* a cancel is on its way to the loop */
    skn_buf        result;
    skein_error    err;
};

struct skn_jobs {
    skn_http       *http;
    skn_uid_maker  *ids;
    pthread_mutex_t mu;
    skn_job        *first; /* guarded by mu, as all below */
    int             count, running;
    int             posts; /* of cancels, that the loop has not seen yet */
    size_t          bytes; /* of the results */
};

skn_jobs *skn_jobs_new(skn_http *h)
{
    skn_jobs *j = skn_heap(sizeof *j);

    j->http = h;
    j->ids = skn_uid_maker_new();
    pthread_mutex_init(&j->mu, NULL);
    return j;
}

static void job_free(skn_job *job)
{
    skn_buf_release(&job->result);
    free(job);
}

void skn_jobs_free(skn_jobs *j)
{
    if (!j)
        return;
    for (skn_job *job = j->first, *next; job; job = next) {
        next = job->next;
        if (job->state == RUNNING && job->drop)
            job->drop(job->arg);
        job_free(job);
    }
    skn_uid_maker_free(j->ids);
    pthread_mutex_destroy(&j->mu);
    free(j);
}

static void tell_end(void *arg);

/* Takes the result over; err NULL: it succeeded. */
static void finish_job(skn_job *job, skn_buf *result, const skein_error *err)
{
    skein_error lost = {0};

    if (!err && result->starved)
        skn_no_memory(&lost);
    else if (!err && result->over)
        skn_fail(&lost, SKEIN_LIMIT, "the result is larger than %zu bytes", result->limit);
    if (lost.rc)
        skn_buf_clear(result);
    pthread_mutex_lock(&job->jobs->mu);
    job->state = lost.rc ? FAILED : !err ? DONE : job->cancel ? CANCELLED : FAILED;
    job->finished_at = skn_clock_micros();
    job->result = *result;
    job->err = err ? *err : lost;
    pthread_mutex_unlock(&job->jobs->mu);
    if (job->drop)
        job->drop(job->arg);
    job->drop = NULL;
}

static void run_job(void *arg)
{
    skn_job    *job = arg;
    skn_buf     out;
    skein_error err = {0};
    skein_rc    rc;

    skn_buf_init(&out, RESULT_MOST);
    rc = job->work(job, job->arg, &out, &err);
    finish_job(job, &out, rc ? &err : NULL);
    tell_end(job);
}

static void forget_locked(skn_jobs *j, skn_job **at)
{
    skn_job *gone = *at;

    *at = gone->next;
    j->count--;
    j->bytes -= gone->result.n;
    job_free(gone);
}

/* Removes the job that ended first, other than `but`; false when there is none. */
static bool forget_one_locked(skn_jobs *j, const skn_job *but)
{
    skn_job **oldest = NULL;

    for (skn_job **at = &j->first; *at; at = &(*at)->next)
        if ((*at)->over && *at != but &&
            (!oldest || (*at)->finished_at <= (*oldest)->finished_at))
            oldest = at;
    if (oldest)
        forget_locked(j, oldest);
    return oldest != NULL;
}

/* On the loop: a caller that waits for the last job may continue only when nothing of it is left to run. */
static void job_over(void *arg)
{
    skn_job  *job = arg;
    skn_jobs *j = job->jobs;

    pthread_mutex_lock(&j->mu);
    job->over = true;
    j->running--;
    j->bytes += job->result.n;
    while (j->bytes > RESULTS_MOST && forget_one_locked(j, job))
        continue;
    pthread_mutex_unlock(&j->mu);
    skn_http_call_ended(j->http);
}

static void cancel_locked(skn_job *job);
static void cancel_held(void *arg);

void skn_jobs_sweep(skn_jobs *j, int64_t now)
{
    int64_t   ms = skn_clock_ms();
    bool      tell = false;
    skn_job **at;

    pthread_mutex_lock(&j->mu);
    for (skn_job *job = j->first; job; job = job->next)
        if (job->lease && job->lease < ms && !job->cancel && job->state == RUNNING) {
            cancel_locked(job);
            tell = tell || job->held;
        }
    j->posts += tell;
    at = &j->first;
    while (*at)
        if ((*at)->over && now - (*at)->finished_at >= KEPT_MICROS)
            forget_locked(j, at);
        else
            at = &(*at)->next;
    pthread_mutex_unlock(&j->mu);
    if (tell)
        cancel_held(j);
}

static void tell_begin(skn_job *job);

/* Takes the job in and gives it its id; frees it when there are too many. */
static skein_rc add_job(skn_jobs *j, skn_job *job, int most, char id[SKN_JOB_ID],
                        skein_error *err)
{
    char uid[SKN_UID_LEN + 1];
    bool room;

    job->created_at = skn_clock_micros();
    skn_uid_next(j->ids, uid);
    snprintf(job->id, sizeof job->id, "job_%s", uid);
    memcpy(id, job->id, SKN_JOB_ID);
    pthread_mutex_lock(&j->mu);
    room = j->running < most;
    if (room) {
        if (++j->count > KEPT_MOST)
            forget_one_locked(j, NULL);
        j->running++;
        job->next = j->first;
        j->first = job;
    }
    pthread_mutex_unlock(&j->mu);
    if (room)
        return SKEIN_OK;
    job_free(job);
    return skn_fail(err, SKEIN_BUSY, "%d jobs are running already", RUNNING_MOST);
}

skein_rc skn_job_start(skn_jobs *j, const char *kind, skn_job_work *work, void *arg,
                       void (*drop)(void *arg), char id[SKN_JOB_ID], skein_error *err)
{
    skn_job *job = skn_heap(sizeof *job);
    skein_rc rc;

    *job = (skn_job){.jobs = j, .kind = kind, .work = work, .drop = drop, .arg = arg};
    if ((rc = add_job(j, job, RUNNING_MOST, id, err)))
        return rc;
    skn_workers_run_slow(j->http->o.workers, run_job, job_over, job);
    return SKEIN_OK;
}

/* --- Jobs that are done elsewhere ----------------------------------------------------------------- */

void skn_job_end(skn_job *job, skn_str result, const skein_error *err)
{
    skn_buf out;

    skn_buf_init(&out, RESULT_MOST);
    skn_buf_add(&out, result);
    finish_job(job, &out, err);
    skn_workers_run(job->jobs->http->o.workers, tell_end, job_over, job);
}

static void start_away(void *arg)
{
    skn_job    *job = arg;
    skein_error err = {0};

    if (!skn_job_cancelled(job) && !job->jobs->http->closing) {
        job->away.start(job, job->arg);
        return;
    }
    skn_fail(&err, SKEIN_TURN_OVER, "it was cancelled before it began");
    skn_job_end(job, SKN_STR(""), &err);
}

skein_rc skn_job_send(skn_jobs *j, const skn_job_away *what, char id[SKN_JOB_ID],
                      skein_error *err)
{
    skn_job *job = skn_heap(sizeof *job);
    skein_rc rc;

    *job = (skn_job){.jobs = j,
                     .kind = what->kind,
                     .away = *what,
                     .drop = what->drop,
                     .arg = what->arg,
                     .world = what->world};
    if ((rc = add_job(j, job, RUNNING_MOST, id, err)))
        return rc;
    skn_loop_post(j->http->o.loop, start_away, job);
    return SKEIN_OK;
}

skn_job *skn_http_job(skn_http *h, const char *kind, skein_world_id world,
                      void (*cancel)(void *arg), void *arg)
{
    skn_job *job = skn_heap(sizeof *job);
    char     id[SKN_JOB_ID];

    *job = (skn_job){
        .jobs = h->jobs, .kind = kind, .away = {.cancel = cancel}, .arg = arg, .world = world};
    if (h->closing || add_job(h->jobs, job, OWN_MOST, id, &(skein_error){0}))
        return NULL;
    tell_begin(job);
    return job;
}

/* The next that is to be cancelled; one that has ended meanwhile needs nothing more. */
static skn_job *next_held(skn_jobs *j)
{
    skn_job *job;

    pthread_mutex_lock(&j->mu);
    for (job = j->first; job; job = job->next) {
        bool cancel = job->held && job->state == RUNNING;

        job->held = false;
        if (cancel)
            break;
    }
    pthread_mutex_unlock(&j->mu);
    return job;
}

/* They were started before: what is posted comes in order. */
static void cancel_held(void *arg)
{
    skn_jobs *j = arg;
    skn_job  *job;

    while ((job = next_held(j)))
        job->away.cancel(job->arg);
    pthread_mutex_lock(&j->mu);
    j->posts--;
    pthread_mutex_unlock(&j->mu);
    skn_http_call_ended(j->http);
}

/* --- Asking about them ---------------------------------------------------------------------------- */

void skn_job_world(skn_job *job, skein_world_id world)
{
    job->world = world;
}

void skn_job_progress(skn_job *job, int64_t done, int64_t total)
{
    pthread_mutex_lock(&job->jobs->mu);
    job->done = done;
    job->total = total;
    pthread_mutex_unlock(&job->jobs->mu);
}

bool skn_job_cancelled(skn_job *job)
{
    bool cancelled;

    pthread_mutex_lock(&job->jobs->mu);
    cancelled = job->cancel;
    pthread_mutex_unlock(&job->jobs->mu);
    return cancelled;
}

static void shape_locked(const skn_job *job, bool whole, skn_jw *w)
{
    skn_str at = skn_str_of(job->id);

    skn_jw_object(w);
    skn_jw_kstr(w, "id", skn_str_of(job->id));
    skn_jw_kstr(w, "kind", skn_str_of(job->kind));
    skn_jw_kstr(w, "state", skn_str_of(state_names[job->state]));
    skn_jw_key(w, "progress");
    if (job->state == DONE || job->total > 0)
        skn_jw_double(w, job->state == DONE ? 1 : (double)job->done / (double)job->total);
    else
        skn_jw_null(w);
    skn_jw_key(w, "result");
    if (job->state == DONE && job->result.n && whole)
        skn_jw_raw(w, skn_buf_str(&job->result));
    else
        skn_jw_null(w);
    skn_jw_key(w, "error");
    if (job->state == FAILED && job->result.n)
        skn_jw_raw(w, skn_buf_str(&job->result));
    else if (job->state == FAILED)
        skn_shape_problem(w, &job->err, &(skn_problem){.instance = at, .request_id = at});
    else
        skn_jw_null(w);
    skn_jw_ktime(w, "createdAt", job->created_at);
    skn_jw_ktime(w, "finishedAt", job->finished_at);
    skn_jw_object_end(w);
}

/* On a worker, before the job can be forgotten. The event has no result: texts in events could not be erased. */
static void tell_end(void *arg)
{
    skn_job      *job = arg;
    skein_engine *e = job->jobs->http->o.engine;
    skein_error   err;
    skein_rc      rc;
    skn_buf       b;
    skn_jw        w;

    if (!e)
        return;
    skn_jw_open(&w, &b, RESULT_MOST + 4096);
    pthread_mutex_lock(&job->jobs->mu);
    shape_locked(job, false, &w);
    pthread_mutex_unlock(&job->jobs->mu);
    rc = skn_event_tell(e, job->world, "job.finished", skn_buf_str(&b), &err);
    if (rc && rc != SKEIN_READ_ONLY) /* there nothing is kept */
        skn_log_say(job->jobs->http->o.api.log, SKN_LOG_WARN, "the end of %s was not told: %s",
                    job->id, err.message);
    skn_buf_release(&b);
}

/* The job may have ended before its begin is told. */
typedef struct beginning {
    skn_jobs      *jobs;
    skein_world_id world;
    skn_buf        text;
} beginning;

static void work_begin(void *arg)
{
    beginning  *b = arg;
    skein_error err;

    (void)skn_event_tell(b->jobs->http->o.engine, b->world, "job.started",
                         skn_buf_str(&b->text), &err);
}

static void begin_told(void *arg)
{
    beginning *b = arg;
    skn_jobs  *j = b->jobs;

    skn_buf_release(&b->text);
    free(b);
    pthread_mutex_lock(&j->mu);
    j->posts--;
    pthread_mutex_unlock(&j->mu);
    skn_http_call_ended(j->http);
}

static void tell_begin(skn_job *job)
{
    beginning *b = skn_heap(sizeof *b);
    skn_jw     w;

    *b = (beginning){.jobs = job->jobs, .world = job->world};
    skn_jw_open(&w, &b->text, RESULT_MOST);
    pthread_mutex_lock(&b->jobs->mu);
    b->jobs->posts++;
    shape_locked(job, false, &w);
    pthread_mutex_unlock(&b->jobs->mu);
    skn_workers_run(b->jobs->http->o.workers, work_begin, begin_told, b);
}

bool skn_job_shape(skn_jobs *j, skn_str id, skn_jw *w)
{
    const skn_job *job;

    pthread_mutex_lock(&j->mu);
    for (job = j->first; job && !skn_str_is(id, job->id);)
        job = job->next;
    if (job)
        shape_locked(job, true, w);
    pthread_mutex_unlock(&j->mu);
    return job != NULL;
}

static void cancel_locked(skn_job *job)
{
    job->held = job->held || (job->away.cancel && !job->cancel && !job->over);
    job->cancel = true;
}

/* Until the loop knows of a cancel, the job counts as running. */
bool skn_job_cancel(skn_jobs *j, skn_str id)
{
    bool found = false, tell = false;

    pthread_mutex_lock(&j->mu);
    for (skn_job *job = j->first; job; job = job->next) {
        if (id.p && !skn_str_is(id, job->id))
            continue;
        found = true;
        cancel_locked(job);
        tell = tell || job->held;
    }
    j->posts += tell;
    pthread_mutex_unlock(&j->mu);
    if (tell)
        skn_loop_post(j->http->o.loop, cancel_held, j);
    return found;
}

void skn_job_lease(skn_jobs *j, skn_str id, int64_t seconds)
{
    pthread_mutex_lock(&j->mu);
    for (skn_job *job = j->first; job; job = job->next)
        if (skn_str_is(id, job->id))
            job->lease = skn_clock_ms() + seconds * 1000;
    pthread_mutex_unlock(&j->mu);
}

int skn_jobs_running(skn_jobs *j)
{
    int n;

    pthread_mutex_lock(&j->mu);
    n = j->running + j->posts;
    pthread_mutex_unlock(&j->mu);
    return n;
}
