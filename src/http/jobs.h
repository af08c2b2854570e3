/* jobs.h: work that goes on after its request was answered, and what became of it: GET /jobs/{id}, and the event
 * job.finished when it ends.
 *
 * Threads: any; the jobs have their own lock, and nothing else is called under it.  Lifetimes: a job
 * is known by its id as long as it runs and for an hour after, or until there are too many or their results
 * too large; it is forgotten when the server ends. */
#ifndef SKN_HTTP_JOBS_H
#define SKN_HTTP_JOBS_H

#include "http/call.h"

#define SKN_JOB_ID 20

typedef struct skn_jobs skn_jobs;
typedef struct skn_job  skn_job;

/* Does the work and adds its result, a JSON value, to out; when it fails, its problem if it has one.
 * Worker. */
typedef skein_rc skn_job_work(skn_job *job, void *arg, skn_buf *out, skein_error *err);

skn_jobs *skn_jobs_new(skn_http *h);
void      skn_jobs_free(skn_jobs *j); /* once none runs; NULL is fine */
/* Starts it on a worker; drop (may be NULL) is called with arg once the work has ended, on its thread.
 * SKEIN_BUSY, and nothing is called, when too many run. `kind` is a constant: "export". */
skein_rc skn_job_start(skn_jobs *j, const char *kind, skn_job_work *work, void *arg,
                       void (*drop)(void *arg), char id[SKN_JOB_ID], skein_error *err);
/* A job that is not done here: start is called on the loop, soon, and cancel at most once after it; both
 * may be followed by skn_job_end at any time, on the loop, which is the job's last word. drop as above,
 * on the loop. */
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
/* The result is a JSON value, which is copied; err NULL: it succeeded. */
void skn_job_end(skn_job *job, skn_str result, const skein_error *err);
/* The world that it turned out to be about; before its end. */
void skn_job_world(skn_job *job, skein_world_id world);
/* For skn_api_options. */
skein_rc skn_http_send_squash(skn_api_call *c, const skn_squash_request *what);
skein_rc skn_http_send_compact(skn_api_call *c, const skn_compact_request *what);
/* How far it is: `done` of `total`. */
void skn_job_progress(skn_job *job, int64_t done, int64_t total);
/* True once somebody asked for its end: the work should return soon. */
bool skn_job_cancelled(skn_job *job);
/* {"id","kind","state","progress","result","error","createdAt","finishedAt"}; false when it is not
 * known. Progress is a part of 1, or null. */
bool skn_job_shape(skn_jobs *j, skn_str id, skn_jw *w);
/* Asks for its end, or with an absent id for that of all; false when there is no such job. */
bool skn_job_cancel(skn_jobs *j, skn_str id);
int  skn_jobs_running(skn_jobs *j);
/* Forgets what ended an hour before now (microseconds UTC). */
void skn_jobs_sweep(skn_jobs *j, int64_t now);

#endif
