/* jobs.h: work that goes on after its request was answered: GET /jobs/{id}, and the event job.finished at its end.
 *
 * Threads: any; the jobs have their own lock, and nothing else is called under it.  Lifetimes: a job is known while it runs and
 * for an hour after, or until there are too many or their results are too large; the server's end forgets it. */
#pragma once

#include "http/http_call.h"

#define SKN_JOB_ID 20

typedef struct skn_jobs skn_jobs;

/* Does the work and adds its result to out, a JSON value; of a failure its problem, if it has one. Worker. */
typedef skein_rc skn_job_work(skn_job *job, void *arg, skn_buf *out, skein_error *err);

skn_jobs *skn_jobs_new(skn_http *h);
void      skn_jobs_free(skn_jobs *j); /* once none runs; NULL is fine */
/* Starts a job on a worker; drop (may be NULL) is called there with arg once the work has ended. When too many run, it is
 * SKEIN_BUSY and nothing is called. `kind` is a constant: "export". */
skein_rc skn_job_start(skn_jobs *j, const char *kind, skn_job_work *work, void *arg,
                       void (*drop)(void *arg), char id[SKN_JOB_ID], skein_error *err);
/* A job that others do: start is called on the loop, cancel at most once after it; skn_job_end follows at any time. All of
 * them, and drop, are called on the loop. */
typedef struct skn_job_away {
    const char *kind;
    void (*start)(skn_job *job, void *arg);
    void (*cancel)(void *arg);
    void (*drop)(void *arg);
    void          *arg;
    skein_world_id world; /* that it is about; zero: none */
} skn_job_away;
skein_rc skn_job_send(skn_jobs *j, const skn_job_away *what, char id[SKN_JOB_ID],
                      skein_error *err);
/* The world that it turned out to be about; before its end. */
void skn_job_world(skn_job *job, skein_world_id world);
/* For skn_api_options. */
skein_rc skn_http_send_squash(skn_api_call *c, const skn_squash_request *what);
skein_rc skn_http_send_compact(skn_api_call *c, const skn_compact_request *what);
/* True once somebody asked for its end: the work should return soon. */
bool skn_job_cancelled(skn_job *job);
/* Writes the job; false when it is not known. */
bool skn_job_shape(skn_jobs *j, skn_str id, skn_jw *w);
/* Asks for its end, or with an absent id for that of all; false when there is no such job. */
bool skn_job_cancel(skn_jobs *j, skn_str id);
/* Somebody waits for it, and asks again within so many seconds; else it is cancelled. */
void skn_job_lease(skn_jobs *j, skn_str id, int64_t seconds);
int  skn_jobs_running(skn_jobs *j);
/* Forgets what ended an hour before now (microseconds UTC). */
void skn_jobs_sweep(skn_jobs *j, int64_t now);
