/* Finds work, renews the leases of open turns, takes over abandoned ones, and closes. A single turn is in turn_run.c,
 * stopping in halt.c. */
#include "runtime/run.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_LEASE_MS = 30 * 1000,
    DEFAULT_RECOVER_MS = 10 * 1000,
    CHECK_MS = 200, /* least time between checks whether our turns are open */
    TICK_MS = 60 * 1000,
    TICK_SOON_MS = 500 /* after a commit, which may have set a timer */
};

static void look_for_work(skn_runtime *r);

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

static void warn(skn_runtime *r, const char *what, const skein_error *err)
{
    const skn_log_field why = {"why", skn_str_of(err->message), 0};

    skn_log_write(r->o.log, SKN_LOG_WARN, what, &why, 1);
}

/* --- Jobs -------------------------------------------------------------------------------------- */

void *skn_runtime_job_new(skn_runtime *r, size_t size)
{
    skn_arena       *a = skn_arena_new();
    skn_runtime_job *job = skn_arena_alloc(a, size);

    job->r = r;
    job->a = a;
    return job;
}

void skn_runtime_job_free(void *job)
{
    skn_arena_free(((skn_runtime_job *)job)->a);
}

static void job_back(void *arg)
{
    skn_runtime_job *job = arg;
    skn_runtime     *r = job->r;

    r->jobs--;
    job->then(job);
    skn_runtime_job_free(job);
    skn_runtime_settle(r);
}

void skn_runtime_job_start(void *of, skn_call *work, skn_call *then)
{
    skn_runtime_job *job = of;

    job->then = then;
    job->r->jobs++;
    skn_workers_run(job->r->o.workers, work, job_back, job);
}

/* Returns false if it is in progress; then it is repeated at the end. */
static bool single_begin(skn_single *s)
{
    bool first = !s->busy;

    s->busy = true;
    s->again = !first;
    return first;
}

/* Returns whether to repeat it. */
static bool single_end(skn_single *s)
{
    bool again = s->again;

    *s = (skn_single){0};
    return again;
}

/* --- Work that is due -------------------------------------------------------------------------- */

typedef struct work_search {
    skn_runtime_job job;
    skein_dues      dues;
} work_search;

static void work_find_due(void *arg)
{
    work_search *s = arg;

    s->job.rc = skein_work_due(s->job.r->o.engine, SKN_RUN_LOOK, s->job.a, &s->dues,
                               &s->job.err);
}

/* Whether a run has this work already. */
static bool in_hand(const skn_runtime *r, const skein_due *due)
{
    const skn_run *run = r->runs;

    while (run && (run->delivery != due->delivery || run->task != due->task))
        run = run->next;
    return run;
}

/* Whether other work blocks this one: an agent does one thing at a time in a chat or on a lane, and one task at a
 * time. Work that is about to be stopped is blocked, too. */
static bool in_the_way(const skn_runtime *r, const skein_due *due)
{
    for (const skn_run *run = r->runs; run; run = run->next) {
        if (run->agent.v == due->agent.v && run->lane.v == due->lane.v &&
            (run->chat.v == due->chat.v || (run->task && due->task)))
            return true;
    }
    return r->run_count - r->waiting_count >= SKN_RUNS_MOST || skn_halt_covers(r, due);
}

/* Compares at most 256 pieces of work with all runs. */
static void take_work(skn_runtime *r, const skein_dues *dues)
{
    r->more = dues->count == SKN_RUN_LOOK;
    for (size_t i = 0; i < dues->count; i++) {
        if (in_hand(r, &dues->at[i]))
            continue;
        if (in_the_way(r, &dues->at[i]))
            r->more = true;
        else
            skn_run_start(r, &dues->at[i]);
    }
}

static void due_work_seen(void *arg)
{
    work_search *s = arg;
    skn_runtime *r = s->job.r;
    bool         again = single_end(&r->looking);

    if (s->job.rc)
        warn(r, "cannot look for work", &s->job.err);
    else if (!r->closing)
        take_work(r, &s->dues);
    if (again)
        look_for_work(r);
}

static void look_for_work(skn_runtime *r)
{
    if (r->closing || !r->started || !single_begin(&r->looking))
        return;
    r->more = r->freed = false;
    skn_runtime_job_start(skn_runtime_job_new(r, sizeof(work_search)), work_find_due,
                          due_work_seen);
}

/* --- Our turns --------------------------------------------------------------------------------- */

/* The open turns of this runtime, as they were when the job started. */
typedef struct held {
    skn_runtime_job job;
    size_t          count;
    skein_turn     *turns; /* only ids, fence and place */
    bool           *kept;
} held;

/* Whether its turn is open, as far as the loop knows. */
static bool run_is_open(const skn_run *run)
{
    return run->turn_id && !(run->state & SKN_RUN_OVER);
}

/* Creates a job of `size` bytes that starts with the open turns. */
static void *hold_turns(skn_runtime *r, size_t size)
{
    held *h = skn_runtime_job_new(r, size);

    h->turns = SKN_ARRAY(h->job.a, r->run_count + 1, skein_turn);
    h->kept = SKN_ARRAY(h->job.a, r->run_count + 1, bool);
    for (const skn_run *run = r->runs; run; run = run->next) {
        if (run_is_open(run))
            h->turns[h->count++] = (skein_turn){.id = run->turn_id,
                                                .fence = run->fence,
                                                .chat = run->chat,
                                                .agent = run->agent};
    }
    return h;
}

static skn_run *run_of(const skn_runtime *r, int64_t turn_id)
{
    skn_run *run = r->runs;

    while (run && run->turn_id != turn_id)
        run = run->next;
    return run;
}

/* Drops the runs whose turns others have closed. */
static void let_turns_go(held *h)
{
    if (h->job.rc)
        warn(h->job.r, "cannot check which turns are open", &h->job.err);
    for (size_t i = 0; i < h->count && !h->job.rc; i++) {
        skn_run *run = h->kept[i] ? NULL : run_of(h->job.r, h->turns[i].id);

        if (run && run_is_open(run))
            skn_run_drop(run, NULL);
    }
}

static bool any_open(const skn_runtime *r)
{
    for (const skn_run *run = r->runs; run; run = run->next) {
        if (run_is_open(run))
            return true;
    }
    return false;
}

static void work_renew(void *arg)
{
    held *h = arg;

    h->job.rc = skein_turns_renew(h->job.r->o.engine, h->turns, h->count, h->job.r->o.lease_ms,
                                  h->kept, &h->job.err);
}

static void renewed(void *arg)
{
    held        *h = arg;
    skn_runtime *r = h->job.r;

    let_turns_go(h);
    if (!r->closing)
        skn_timer_start(r->renew, r->o.lease_ms / 3);
}

static void on_renew(void *arg)
{
    skn_runtime *r = arg;

    if (r->closing)
        return;
    if (any_open(r))
        skn_runtime_job_start(hold_turns(r, sizeof(held)), work_renew, renewed);
    else
        skn_timer_start(r->renew, r->o.lease_ms / 3);
}

static int turn_by_id(const void *x, const void *y)
{
    const skein_turn *a = x, *b = y;

    return (a->id > b->id) - (a->id < b->id);
}

/* Reads which turns are open instead of renewing them after each commit: a renewal is a commit, too. */
static void work_check(void *arg)
{
    held       *h = arg;
    skein_turns open;

    h->job.rc = skein_turns_open(h->job.r->o.engine, (skein_world_id){0},
                                 (skein_conversation_id){0}, h->job.a, &open, &h->job.err);
    if (!h->job.rc && open.count)
        qsort(open.at, open.count, sizeof *open.at, turn_by_id);
    for (size_t i = 0; i < h->count && !h->job.rc; i++)
        h->kept[i] = open.count &&
                     bsearch(&h->turns[i], open.at, open.count, sizeof *open.at, turn_by_id);
}

/* Lets waiting runs check for results. */
static void poll_waiting(skn_runtime *r)
{
    for (skn_run *run = r->runs, *next; run; run = next) {
        next = run->next;
        skn_run_poll(run);
    }
}

/* "main.1.2" is below "main.1"; lanes below "main" belong to runs without a lane. */
static bool is_below(const skn_run *child, const skn_run *run)
{
    skn_str key = child->turn.lane_key;

    while (key.n && key.p[key.n - 1] != '.')
        key.n--;
    key.n -= key.n > 0;
    return run->turn.lane_key.p ? skn_str_eq(key, run->turn.lane_key) : skn_str_is(key, "main");
}

void skn_runtime_lane_over(skn_runtime *r, const skn_run *child)
{
    for (skn_run *run = r->runs, *next; run; run = next) {
        next = run->next;
        if (run->state == SKN_RUN_WAITING && run->chat.v == child->chat.v &&
            is_below(child, run))
            skn_run_poll(run);
    }
}

static void check_soon(skn_runtime *r);

static void checked(void *arg)
{
    held        *h = arg;
    skn_runtime *r = h->job.r;
    bool         again = single_end(&r->checking);

    let_turns_go(h);
    if (!r->closing)
        poll_waiting(r);
    if (again)
        check_soon(r);
}

static void on_check(void *arg)
{
    skn_runtime *r = arg;

    if (r->closing || !any_open(r) || !single_begin(&r->checking))
        return;
    r->checked = now_ms();
    skn_runtime_job_start(hold_turns(r, sizeof(held)), work_check, checked);
}

/* Plans a check soon, but not for each of many commits. */
static void check_soon(skn_runtime *r)
{
    int64_t wait = r->checked + CHECK_MS - now_ms();

    if (r->closing || !any_open(r))
        return;
    if (r->checking.busy || wait <= 0)
        on_check(r);
    else
        skn_timer_start(r->check, wait);
}

/* --- Abandoned turns --------------------------------------------------------------------------- */

typedef struct recovery {
    held        ours; /* its job is that of the recovery */
    bool        all;
    skein_turns taken;
    int64_t     closed;
    skein_rc    rc; /* of taking over */
    skein_error err;
} recovery;

/* Renews our turns first: after a change of the clock or a sleep of the computer their leases have expired, too. */
static void work_recover(void *arg)
{
    recovery          *v = arg;
    const skn_runtime *r = v->ours.job.r;
    skn_learned_list   learned;

    if (!r->started && !skn_learned_read(r->o.engine, v->ours.job.a, &learned, &v->err))
        skn_windows_load(r->windows, &learned, v->ours.job.a);
    work_renew(&v->ours);
    if (!v->ours.job.rc)
        v->rc = skein_turns_take_over(r->o.engine, v->all, skn_str_of(r->holder), r->o.lease_ms,
                                      v->ours.job.a, &v->taken, &v->closed, &v->err);
}

static void recovered(void *arg)
{
    recovery    *v = arg;
    skn_runtime *r = v->ours.job.r;

    let_turns_go(&v->ours);
    if (v->rc)
        warn(r, "cannot look for abandoned turns", &v->err);
    else if (v->closed)
        skn_log_say(r->o.log, SKN_LOG_INFO, "abandoned turns closed: %lld",
                    (long long)v->closed);
    for (size_t i = 0; i < v->taken.count; i++)
        skn_run_resume(r, &v->taken.at[i]);
    r->started = true;
    if (!r->closing)
        skn_timer_start(r->recover, r->o.recover_ms);
    look_for_work(r);
}

static void on_recover(void *arg)
{
    skn_runtime *r = arg;
    recovery    *v;

    if (r->closing)
        return;
    v = hold_turns(r, sizeof *v);
    v->all = r->o.alone && !r->started;
    skn_runtime_job_start(v, work_recover, recovered);
}

/* --- Timers of agents ------------------------------------------------------------------------------ */

typedef struct ticking {
    skn_runtime_job job;
    int64_t         next; /* microseconds; 0: none */
} ticking;

static void work_tick(void *arg)
{
    ticking *t = arg;

    t->job.rc = skein_tasks_tick(t->job.r->o.engine, &t->next, &t->job.err);
}

/* Repeated when the next timer expires, and at least every minute, because the clock may be set. */
static void ticked(void *arg)
{
    ticking     *t = arg;
    skn_runtime *r = t->job.r;
    int64_t      wait = t->next ? (t->next - skn_clock_micros()) / 1000 + 1 : TICK_MS;
    int64_t      most = r->tick_soon ? TICK_SOON_MS : TICK_MS; /* nudged meanwhile */
    bool         again = single_end(&r->ticking);

    if (t->job.rc)
        warn(r, "cannot look for timers of agents", &t->job.err);
    if (r->closing)
        return;
    skn_timer_start(r->tick, again || wait < 1 ? 1 : wait > most ? most : wait);
    look_for_work(r); /* the pause of a retry may have ended */
}

static void on_tick(void *arg)
{
    skn_runtime *r = arg;

    r->tick_soon = false;
    if (r->closing)
        return;
    skn_mcp_rooms_look(r);
    if (single_begin(&r->ticking))
        skn_runtime_job_start(skn_runtime_job_new(r, sizeof(ticking)), work_tick, ticked);
}

/* --- The runtime ------------------------------------------------------------------------------- */

skn_provider *skn_runtime_provider(const skn_runtime *r, skn_str model, skn_str *rest)
{
    skn_str name;

    *rest = model;
    return skn_str_split(rest, '/', &name) && rest->n ? r->o.provider(r->o.provider_arg, name)
                                                      : NULL;
}

skn_str skn_runtime_model(const skn_runtime *r, skn_str model)
{
    if (r->o.only_model)
        return skn_str_of(r->o.only_model);
    return model.n ? model : r->o.model(r->o.provider_arg);
}

skn_runtime *skn_runtime_new(const skn_runtime_options *o)
{
    skn_runtime *r = skn_heap(sizeof *r);

    r->board = skn_mcp_board_new();
    r->windows = skn_windows_new();
    r->o = *o;
    r->o.lease_ms = o->lease_ms > 0 ? o->lease_ms : DEFAULT_LEASE_MS;
    r->o.recover_ms = o->recover_ms > 0 ? o->recover_ms : DEFAULT_RECOVER_MS;
    r->holder = skn_heap_copy(skn_str_of(o->holder ? o->holder : "skein"));
    r->recover = skn_timer_new(o->loop, on_recover, r);
    r->renew = skn_timer_new(o->loop, on_renew, r);
    r->check = skn_timer_new(o->loop, on_check, r);
    r->tick = skn_timer_new(o->loop, on_tick, r);
    r->save = skn_timer_new(o->loop, skn_saving_tick, r);
    if (o->files)
        r->o.files = r->files = skn_heap_copy(skn_str_of(o->files));
    r->checked = now_ms() - CHECK_MS;
    skn_timer_start(r->renew, r->o.lease_ms / 3);
    on_recover(r);
    on_tick(r);
    return r;
}

void skn_runtime_nudge(skn_runtime *r)
{
    look_for_work(r);
    check_soon(r);
    if (!r->closing && r->started && !r->tick_soon) { /* later commits do not delay it */
        r->tick_soon = true;
        skn_timer_start(r->tick, TICK_SOON_MS);
    }
}

void skn_runtime_settle(skn_runtime *r)
{
    skn_call *done = r->done;

    if (r->more && r->freed)
        look_for_work(r);
    if (!r->closing || r->runs || r->jobs || r->halts || r->requests || !done)
        return;
    r->done = NULL;
    done(r->done_arg); /* may free r */
}

static void settle_later(void *arg)
{
    skn_runtime *r = arg;

    r->jobs--;
    skn_runtime_settle(r);
}

void skn_runtime_close(skn_runtime *r, skn_call *done, void *arg)
{
    r->closing = true;
    r->done = done;
    r->done_arg = arg;
    skn_timer_stop(r->recover);
    skn_timer_stop(r->renew);
    skn_timer_stop(r->check);
    skn_timer_stop(r->tick);
    skn_timer_stop(r->save);
    skn_log_say(r->o.log, SKN_LOG_INFO, "shutting down; answers being written are kept: %zu",
                r->run_count);
    for (skn_run *run = r->runs, *next; run; run = next) {
        next = run->next;
        skn_run_interrupt(run);
    }
    skn_model_requests_cancel(r);
    skn_mcp_rooms_stop(r);
    r->jobs++; /* so that done is never called from this function */
    skn_loop_post(r->o.loop, settle_later, r);
}

void skn_runtime_tool_servers(skn_runtime *r, skein_world_id world, skn_arena *a,
                              skn_tool_server *at, size_t count)
{
    skn_mcp_board_read(r->board, world, a, at, count);
}

void skn_runtime_free(skn_runtime *r)
{
    if (!r)
        return;
    skn_timer_free(r->recover);
    skn_timer_free(r->renew);
    skn_timer_free(r->check);
    skn_timer_free(r->tick);
    skn_timer_free(r->save);
    skn_mcp_rooms_free(r);
    skn_mcp_board_free(r->board);
    skn_windows_free(r->windows);
    skn_rests_free(r);
    free(r->holder);
    free(r->files);
    free(r);
}
