/* Jobs that a server does from time to time: deletes old events, backs up the store, sends the service manager signs
 * of life. */
#include "config/backups.h"
#include "serve/serve.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define HOUR_MS    ((int64_t)3600 * 1000)
#define SOON_MS    ((int64_t)60 * 1000)
#define LONGEST_MS ((int64_t)24 * HOUR_MS)

/* A job that a timer starts on a worker, never twice at once. */
typedef struct job {
    skn_serve_jobs *jobs;
    skn_timer      *timer;
    skn_call       *work, *done;
    bool            runs;
    skein_error     err;
    int64_t         before, keep, count; /* input of the work, and its result */
} job;

struct skn_serve_jobs {
    skn_serve *serve;
    job        forget, backup;
    skn_timer *watchdog;
    bool       stopped;
};

static int64_t setting(const skn_serve *s, skn_config_id id)
{
    return s->config->values[id].number;
}

static void begin(job *j)
{
    if (j->runs || j->jobs->stopped)
        return;
    j->runs = true;
    j->err = (skein_error){.rc = SKEIN_OK};
    skn_workers_run(j->jobs->serve->inner, j->work, j->done, j);
}

static void say_failure(const job *j, const char *what)
{
    skn_log_field field = {"error", skn_str_of(j->err.message), 0};

    if (j->err.rc)
        skn_log_write(j->jobs->serve->log, SKN_LOG_ERROR, what, &field, 1);
}

/* --- Old events, and files that nobody sent ----------------------------------------------------------------------------- */

static void forget_due(void *arg)
{
    job    *j = arg;
    int64_t keep = setting(j->jobs->serve, SKN_CONFIG_EVENT_RETENTION);

    skn_timer_start(j->timer, HOUR_MS);
    j->before = keep ? skn_clock_micros() - keep * 1000 : 0;
    begin(j);
}

static void forget_work(void *arg)
{
    job *j = arg;

    skein_engine *e = j->jobs->serve->cli->engine;

    j->count = 0;
    if (!skein_attachments_collect(e, skn_clock_micros() - SKEIN_FILE_KEPT, &j->err) &&
        j->before)
        skein_events_forget(e, j->before, &j->count, &j->err);
}

static void forget_done(void *arg)
{
    job *j = arg;

    j->runs = false;
    say_failure(j, "old events and files could not be deleted");
    if (!j->err.rc && j->count)
        skn_log_say(j->jobs->serve->log, SKN_LOG_INFO, "deleted %" PRId64 " old events",
                    j->count);
}

/* --- Backups -------------------------------------------------------------------------------- */

static bool makes_backups(const skn_serve *s)
{
    return s->traces.backups && !s->read_only && setting(s, SKN_CONFIG_BACKUP_EVERY) > 0;
}

/* Returns the time until the next backup. A store without a backup gets its first soon, unless the store is new. */
static int64_t backup_wait(const skn_serve *s)
{
    int64_t every = setting(s, SKN_CONFIG_BACKUP_EVERY), count, wait;
    int64_t newest = skn_backup_newest(s->traces.backups, &count);

    if (!newest)
        return s->is_new ? every : SOON_MS < every ? SOON_MS : every;
    wait = every - (skn_clock_micros() - newest) / 1000;
    return wait < SOON_MS && every > SOON_MS ? SOON_MS : wait > every ? every : wait;
}

static void plan_backup(job *j, int64_t wait)
{
    if (!j->jobs->stopped && makes_backups(j->jobs->serve))
        skn_timer_start(j->timer, wait < LONGEST_MS ? wait : LONGEST_MS);
}

static void backup_due(void *arg)
{
    job       *j = arg;
    skn_serve *s = j->jobs->serve;
    int64_t    wait = backup_wait(s), every = setting(s, SKN_CONFIG_BACKUP_EVERY);

    if (wait > SOON_MS &&
        wait < every) { /* the timer was cut short, or another program made one */
        plan_backup(j, wait);
        return;
    }
    j->keep = setting(s, SKN_CONFIG_KEEP_BACKUPS);
    begin(j);
}

static void backup_work(void *arg)
{
    job       *j = arg;
    skn_serve *s = j->jobs->serve;

    skn_backup_make(s->cli->engine, s->traces.backups, j->keep, &j->err);
}

static void backup_done(void *arg)
{
    job    *j = arg;
    int64_t every = setting(j->jobs->serve, SKN_CONFIG_BACKUP_EVERY);

    j->runs = false;
    say_failure(j, "the backup failed");
    if (!j->err.rc)
        skn_log_say(j->jobs->serve->log, SKN_LOG_INFO, "backup made in %s",
                    j->jobs->serve->traces.backups);
    plan_backup(j, j->err.rc && every > HOUR_MS ? HOUR_MS : every);
}

/* --- The service manager -------------------------------------------------------------------- */

static void watchdog_due(void *arg)
{
    skn_serve_jobs *jobs = arg;

    skn_notify("WATCHDOG=1");
    skn_timer_start(jobs->watchdog, skn_notify_watchdog_ms());
}

/* --- All of them ---------------------------------------------------------------------------- */

static void job_init(job *j, skn_serve_jobs *jobs, skn_call *due, skn_call *work,
                     skn_call *done)
{
    *j = (job){.jobs = jobs, .work = work, .done = done};
    j->timer = skn_timer_new(jobs->serve->loop, due, j);
}

skn_serve_jobs *skn_serve_jobs_new(skn_serve *s)
{
    skn_serve_jobs *jobs = skn_heap(sizeof *jobs);
    int64_t         watchdog = skn_notify_watchdog_ms();

    jobs->serve = s;
    job_init(&jobs->forget, jobs, forget_due, forget_work, forget_done);
    job_init(&jobs->backup, jobs, backup_due, backup_work, backup_done);
    jobs->watchdog = skn_timer_new(s->loop, watchdog_due, jobs);
    if (!s->read_only) {
        skn_timer_start(jobs->forget.timer, SOON_MS);
        plan_backup(&jobs->backup, makes_backups(s) ? backup_wait(s) : 0);
    }
    if (watchdog)
        skn_timer_start(jobs->watchdog, watchdog);
    return jobs;
}

void skn_serve_jobs_apply(skn_serve_jobs *j)
{
    skn_timer_stop(j->backup.timer);
    if (!j->backup.runs && makes_backups(j->serve))
        plan_backup(&j->backup, backup_wait(j->serve));
}

void skn_serve_jobs_stop(skn_serve_jobs *j)
{
    j->stopped = true;
    skn_timer_stop(j->forget.timer);
    skn_timer_stop(j->backup.timer);
}

void skn_serve_jobs_free(skn_serve_jobs *j)
{
    if (!j)
        return;
    skn_timer_free(j->forget.timer);
    skn_timer_free(j->backup.timer);
    skn_timer_free(j->watchdog);
    free(j);
}

/* --- Statistics ----------------------------------------------------------------------------- */

typedef struct counting {
    skn_serve  *serve;
    int64_t     newest, forgotten;
    skein_turns turns;
    skein_error err;
} counting;

static int64_t resident_kb(void)
{
    FILE *f = fopen("/proc/self/statm", "re");
    long  pages = 0;

    if (f && fscanf(f, "%*s %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (int64_t)pages * sysconf(_SC_PAGESIZE) / 1024;
}

static void count_work(void *arg)
{
    counting     *c = arg;
    skein_engine *e = c->serve->cli->engine;
    skein_mem    *mem = skein_mem_new();

    if (!skein_events_span(e, &c->newest, &c->forgotten, &c->err))
        skein_turns_open(e, (skein_world_id){0}, (skein_conversation_id){0}, mem, &c->turns,
                         &c->err);
    skein_mem_free(mem);
}

static void count_done(void *arg)
{
    counting           *c = arg;
    skn_serve          *s = c->serve;
    const skn_log_field fields[] = {
        {"uptimeMs", SKN_NONE, (skn_clock_monotonic() - s->began) / 1000000},
        {"residentKb", SKN_NONE, resident_kb()},
        {"newestEvent", SKN_NONE, c->newest},
        {"openTurns", SKN_NONE, (int64_t)c->turns.count},
        {"waitingForWorker", SKN_NONE, skn_workers_waiting(s->workers)},
    };

    skn_log_write(s->log, SKN_LOG_INFO, "statistics", fields, sizeof fields / sizeof fields[0]);
    free(c);
}

void skn_serve_count(skn_serve *s)
{
    counting *c = skn_heap(sizeof *c);

    c->serve = s;
    skn_workers_run(s->inner, count_work, count_done, c);
}
