/* The life of a run: its start, its jobs and its end. The rounds are in turn_ask.c and turn_tools.c. */
#include "base/clock.h"
#include "runtime/run.h"

#include <assert.h>
#include <stdlib.h>

static void finish_run(skn_run *run);

/* --- The state ------------------------------------------------------------------------------------- */

/* The arrows of the picture in run.h. */
static const struct {
    skn_run_state from;
    unsigned      to;
} arrows[] = {
    {SKN_RUN_READY, SKN_RUN_ASKING | SKN_RUN_CALLING | SKN_RUN_REQUESTING | SKN_RUN_PAUSING |
                        SKN_RUN_WORKING | SKN_RUN_WAITING | SKN_RUN_CLOSING | SKN_RUN_STOPPED},
    {SKN_RUN_ASKING, SKN_RUN_READY | SKN_RUN_WRITING},
    {SKN_RUN_WRITING, SKN_RUN_READY},
    {SKN_RUN_CALLING, SKN_RUN_READY},
    {SKN_RUN_REQUESTING, SKN_RUN_READY},
    {SKN_RUN_PAUSING, SKN_RUN_READY},
    {SKN_RUN_WORKING, SKN_RUN_READY | SKN_RUN_WORK_LATER | SKN_RUN_LET_GO | SKN_RUN_STOPPING},
    {SKN_RUN_WORK_LATER, SKN_RUN_READY | SKN_RUN_WORKING},
    {SKN_RUN_WAITING, SKN_RUN_READY | SKN_RUN_LOOKING},
    {SKN_RUN_LOOKING, SKN_RUN_READY | SKN_RUN_LOOK_LATER | SKN_RUN_LET_GO | SKN_RUN_STOPPING},
    {SKN_RUN_LOOK_LATER, SKN_RUN_READY | SKN_RUN_LOOKING},
    {SKN_RUN_CLOSING, SKN_RUN_READY | SKN_RUN_CLOSE_LATER},
    {SKN_RUN_CLOSE_LATER, SKN_RUN_READY | SKN_RUN_CLOSING},
    {SKN_RUN_LET_GO, SKN_RUN_READY | SKN_RUN_STOPPING},
    {SKN_RUN_STOPPING, SKN_RUN_READY},
};

static bool is_arrow(skn_run_state from, skn_run_state to)
{
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (arrows[i].from == from)
            return arrows[i].to & to;
    return false;
}

void skn_run_enter(skn_run *run, skn_run_state state)
{
    assert(is_arrow(run->state, state));
    if (run->state & SKN_RUN_WAITS)
        run->r->waiting_count--;
    if (state & SKN_RUN_WAITS)
        run->r->waiting_count++;
    run->state = state;
}

/* --- Retries --------------------------------------------------------------------------------------- */

static void on_later(void *arg)
{
    skn_run *run = arg;

    if (run->state == SKN_RUN_PAUSING)
        skn_run_enter(run, SKN_RUN_READY);
    run->again(run);
}

void skn_run_later(skn_run *run, skn_run_state state, void (*again)(skn_run *), int64_t ms)
{
    skn_run_enter(run, state);
    run->again = again;
    skn_timer_start(run->later, ms);
}

/* Whether the same may succeed a little later: disk or memory may be free again, or another program done. */
static bool may_pass(skein_rc rc)
{
    return rc == SKEIN_FULL || rc == SKEIN_BUSY || rc == SKEIN_IO || rc == SKEIN_UNREACHABLE ||
           rc == SKEIN_NO_MEMORY;
}

/* Retries for the length of a lease: after that another process closes the turn. */
static bool try_on(skn_run *run)
{
    int64_t now = skn_clock_monotonic() / 1000000;

    if (!may_pass(run->rc) || !run->turn_id || run->r->closing || run->state & SKN_RUN_OVER) {
        run->trying_since = 0;
        return false;
    }
    if (!run->trying_since) {
        skn_run_log(run, SKN_LOG_WARN, "the store accepts no writes; trying again", &run->err);
        run->trying_since = now;
    }
    return now - run->trying_since < run->r->o.lease_ms;
}

/* --- Jobs ---------------------------------------------------------------------------------------- */

static void on_worker(void *arg)
{
    skn_run *run = arg;

    run->work(run);
}

static void job_back(void *arg);

static void launch(skn_run *run, skn_run_state state)
{
    skn_run_enter(run, state);
    run->rc = SKEIN_OK;
    run->r->jobs++;
    skn_workers_run(run->r->o.workers, on_worker, job_back, run);
}

static void start_again(skn_run *run)
{
    run->repeated = true;
    launch(run, run->state == SKN_RUN_CLOSE_LATER  ? SKN_RUN_CLOSING
                : run->state == SKN_RUN_LOOK_LATER ? SKN_RUN_LOOKING
                                                   : SKN_RUN_WORKING);
}

static void try_job_later(skn_run *run)
{
    skn_run_later(run,
                  run->state == SKN_RUN_CLOSING   ? SKN_RUN_CLOSE_LATER
                  : run->state == SKN_RUN_LOOKING ? SKN_RUN_LOOK_LATER
                                                  : SKN_RUN_WORK_LATER,
                  start_again, SKN_RUN_PAUSE_MS);
}

/* Whether the run continues. It does not if its turn was closed. The check of open turns may notice before the loop
 * does that this job's own last step has closed the turn. */
static bool run_goes_on(const skn_run *run, bool stored_last)
{
    if (run->state & SKN_RUN_OVER)
        return run->state == SKN_RUN_LET_GO && stored_last;
    return run->state == SKN_RUN_CLOSING || run->rc != SKEIN_TURN_OVER;
}

static void job_back(void *arg)
{
    skn_run     *run = arg;
    skn_runtime *r = run->r;
    bool         stored_last = run->turn_id && !run->turn.id;

    r->jobs--;
    run->turn_id = run->turn.id;
    run->fence = run->turn.fence;
    if (try_on(run)) {
        try_job_later(run);
    } else if (run_goes_on(run, stored_last)) {
        run->handed = (skein_partial){0};
        skn_run_enter(run, SKN_RUN_READY);
        run->then(run);
    } else {
        run->handed = (skein_partial){0};
        finish_run(run);
    }
    skn_runtime_settle(r);
}

/* A change by force that comes before the job keeps what was written, and the loop cannot look while the job may clear
 * it. */
static void hand_over(skn_run *run)
{
    if (run->turn.id && (run->text.n || run->thinking.n))
        run->handed = (skein_partial){
            .turn = run->turn.id,
            .message_uid = skn_arena_copy(run->a, run->turn.message_uid),
            .text = skn_arena_copy(run->a, skn_buf_str(&run->text)),
            .thinking = skn_arena_copy(run->a, skn_buf_str(&run->thinking))};
}

static void start_job(skn_run *run, skn_run_state state, void (*work)(skn_run *),
                      void (*then)(skn_run *))
{
    hand_over(run);
    run->work = work;
    run->then = then;
    run->repeated = false;
    launch(run, state);
}

void skn_run_job(skn_run *run, void (*work)(skn_run *), void (*then)(skn_run *))
{
    start_job(run, run->state == SKN_RUN_WAITING ? SKN_RUN_LOOKING : SKN_RUN_WORKING, work,
              then);
}

void skn_run_log(const skn_run *run, skn_log_level level, const char *what,
                 const skein_error *err)
{
    const skn_log_field fields[] = {
        {"turn", run->turn.uid.p ? run->turn.uid : SKN_STR("-"), 0},
        {"model", run->model, 0},
        {"code", skn_str_of(skein_rc_name(err->rc)), 0},
        {"why", skn_str_of(err->message), 0},
    };

    skn_log_write(run->r->o.log, level, what, fields, sizeof fields / sizeof *fields);
}

/* --- The end --------------------------------------------------------------------------------------- */

void skn_run_free(skn_run *run)
{
    assert(run->state & (SKN_RUN_READY | SKN_RUN_STOPPED));
    skn_timer_free(run->later);
    *run->link = run->next;
    if (run->next)
        run->next->link = run->link;
    run->r->run_count--;
    run->r->freed = true;
    if (run->lane.v)
        skn_runtime_lane_over(run->r, run);
    skn_asked_release(&run->asked);
    skn_buf_release(&run->text);
    skn_buf_release(&run->thinking);
    skn_buf_release(&run->args);
    skn_arena_free(run->round);
    skn_arena_free(run->a);
    free(run);
}

static void turn_closed(skn_run *run)
{
    if (run->rc && run->rc != SKEIN_TURN_OVER)
        skn_run_log(run, SKN_LOG_WARN, "turn not closed", &run->err);
    skn_run_free(run);
}

skn_str skn_run_said_by(const skn_run *run)
{
    return run->answer.replayed
               ? skn_arena_printf(run->a, SKN_REPLAYED "%.*s", SKN_FMT(run->model))
               : run->model;
}

/* Whether a request was sent whose answer is not stored. */
static bool is_asked(skn_run *run, skein_model_call *call)
{
    return !run->kept &&
           skn_asked_record(&run->asked, &run->answer, skn_run_said_by(run), "turn", call);
}

skein_partial skn_run_written_so_far(skn_run *run, skein_model_call *call)
{
    return (skein_partial){.turn = run->turn.id,
                           .message_uid = run->turn.message_uid,
                           .text = skn_buf_str(&run->text),
                           .thinking = skn_buf_str(&run->thinking),
                           .call = is_asked(run, call) ? call : NULL};
}

/* Stores a failed request with its outcome, unless its answer was stored before the turn failed. */
static void work_fail(skn_run *run)
{
    skein_model_call    call;
    const skein_partial written = skn_run_written_so_far(run, &call);

    if (written.call && !call.error.n)
        call.error = skn_str_of(run->why.message);
    run->rc = skein_turn_fail(run->r->o.engine, &run->turn, &run->why, &written, &run->err);
    if (!run->rc && run->limit.key.n && run->limit.stops)
        skn_budget_tell(run);
}

/* Leaves a turn that waits for a person open for the next process. */
static void work_leave_turn(skn_run *run)
{
    skein_model_call    call;
    const skein_partial written = skn_run_written_so_far(run, &call);
    bool                put;

    run->rc = skein_turn_put_down(run->r->o.engine, &run->turn, &put, &run->err);
    if (!run->rc && !put)
        run->rc = skein_turn_leave(run->r->o.engine, &run->turn, &written, &run->err);
}

static void close_turn(skn_run *run, void (*work)(skn_run *))
{
    start_job(run, SKN_RUN_CLOSING, work, turn_closed);
}

void skn_run_give_up(skn_run *run)
{
    skn_run_log(run, SKN_LOG_WARN, "turn failed", &run->err);
    run->why = run->err;
    close_turn(run, work_fail);
}

/* Ends the run: it waits for the stop that requested it, or closes its turn if the runtime closes, or is freed. */
static void finish_run(skn_run *run)
{
    skn_run_enter(run, SKN_RUN_READY);
    if (run->halt) {
        skn_run_enter(run, SKN_RUN_STOPPED);
        skn_halt_ready(run->halt);
    } else if (run->r->closing && run->turn_id && run->rc != SKEIN_TURN_OVER) {
        close_turn(run, work_leave_turn);
    } else {
        skn_run_free(run);
    }
}

/* Cancels everything that is not on a worker. */
static void cut_short(skn_run *run)
{
    skn_timer_stop(run->later);
    if (run->state & SKN_RUN_ASKS) {
        skn_asking_so_far(run->asking, &run->answer);
        skn_asking_cancel(run->asking);
    } else if (run->state == SKN_RUN_CALLING) {
        skn_mcp_cancel(run->mcp_call);
    } else if (run->state == SKN_RUN_REQUESTING) {
        skn_model_request_cancel(run->request);
    }
}

/* A job that is closing the turn notices by itself that the turn is closed. */
void skn_run_drop(skn_run *run, skn_halt *halt)
{
    run->halt = halt;
    run->extracting = SKN_NONE;
    if (!(run->state & SKN_RUN_ON_WORKER)) {
        cut_short(run);
        finish_run(run);
    } else if (halt) {
        skn_run_enter(run, SKN_RUN_STOPPING);
    } else if (run->state & (SKN_RUN_WORKING | SKN_RUN_LOOKING)) {
        skn_run_enter(run, SKN_RUN_LET_GO);
    }
}

/* A run that waits to close its turn tries it once more. */
void skn_run_interrupt(skn_run *run)
{
    if (run->state == SKN_RUN_CLOSE_LATER) {
        skn_timer_stop(run->later);
        start_again(run);
    } else if (!(run->state & (SKN_RUN_STOPS | SKN_RUN_CLOSING))) {
        skn_run_drop(run, NULL);
    }
}

/* --- The start ------------------------------------------------------------------------------------- */

static void say_no_provider(skn_run *run)
{
    skn_str rest = run->model, name = SKN_NONE;

    skn_str_split(&rest, '/', &name);
    if (!rest.n)
        skn_fail(&run->err, SKEIN_PROVIDER, "\"%.*s\" is not a model: write PROVIDER/MODEL",
                 SKN_FMT(run->model));
    else
        skn_fail(&run->err, SKEIN_PROVIDER,
                 "there is no provider \"%.*s\" for the model \"%.*s\"", SKN_FMT(name),
                 SKN_FMT(run->model));
    skn_hint(&run->err, SKEIN_PROVIDER, "list the providers: skein provider ls");
}

/* Closes the turn because its model has no provider. */
static void run_no_provider(skn_run *run)
{
    say_no_provider(run);
    skn_run_give_up(run);
}

static void turn_begun(skn_run *run)
{
    if (!run->turn.id) {
        if (run->rc != SKEIN_NOTHING) {
            skn_run_log(run, SKN_LOG_WARN, "turn not begun", &run->err);
            run->r->more = false; /* it would fail again at once */
        }
        skn_run_free(run);
        return;
    }
    run->chat = run->turn.chat;
    if (run->provider)
        skn_run_loaded(run);
    else if (run->rc || !skn_run_fall_back(run))
        run_no_provider(run);
}

/* A retry may find the turn open already. */
static void work_begin(skn_run *run)
{
    const skn_runtime *r = run->r;
    skein_engine      *e = r->o.engine;
    skn_str            holder = skn_str_of(r->holder);

    if (!run->turn.id && run->task)
        run->rc = skein_task_begin(e, run->task, holder, run->model, r->o.lease_ms, run->a,
                                   &run->turn, &run->err);
    else if (!run->turn.id)
        run->rc = skein_turn_begin(e, run->delivery, holder, run->model, r->o.lease_ms, run->a,
                                   &run->turn, &run->err);
    if (run->rc)
        run->turn = (skein_turn){0};
    else
        run->rc = skn_run_load(run, &run->err);
}

static void link_run(skn_runtime *r, skn_run *run)
{
    run->link = &r->runs;
    run->next = r->runs;
    if (run->next)
        run->next->link = &run->next;
    r->runs = run;
    r->run_count++;
}

/* Creates the run of this work, without starting it. */
static skn_run *run_new(skn_runtime *r, const skein_due *due)
{
    skn_run *run = skn_heap(sizeof *run);
    skn_str  rest;

    run->r = r;
    run->state = SKN_RUN_READY;
    run->delivery = due->delivery;
    run->task = due->task;
    run->chat = due->chat;
    run->agent = due->agent;
    run->lane = due->lane;
    run->waits_for_tools = SKN_RUN_TOOLS_LOOKS;
    run->waits_for_window = SKN_RUN_WINDOW_LOOKS;
    run->a = skn_arena_new();
    run->round = skn_arena_new();
    run->later = skn_timer_new(r->o.loop, on_later, run);
    run->model = skn_arena_copy(run->a, skn_runtime_model(r, due->model));
    run->provider = skn_runtime_provider(r, run->model, &rest);
    skn_buf_init(&run->text, SKN_RUN_TEXT);
    skn_buf_init(&run->thinking, SKN_RUN_TEXT);
    skn_buf_init(&run->args, SKN_RUN_TEXT);
    skn_asked_init(&run->asked);
    link_run(r, run);
    return run;
}

void skn_run_start(skn_runtime *r, const skein_due *due)
{
    skn_run_job(run_new(r, due), work_begin, turn_begun);
}

/* Limits of providers: if a person may lift the limit, the turn waits for the decision as for any approval. */

void skn_limit_words(skn_str model, const skn_limit_hit *hit, const skein_error *why,
                     skn_arena *a, skein_limit *out)
{
    skn_str rest = model, provider = SKN_NONE;

    skn_str_split(&rest, '/', &provider);
    out->key = hit->key;
    out->title = skn_arena_printf(a, "The %s limit of %.*s is reached. Continue?",
                                  hit->daily ? "daily" : "monthly", SKN_FMT(provider));
    out->content = skn_arena_printf(
        a, "%s. Allow: continue above the limit until the end of the %s. Deny: stop.",
        why->message, hit->daily ? "day" : "month");
}

static void limit_answer_seen(skn_run *run)
{
    if (!run->rc && run->approval == SKEIN_APPROVAL_OPEN) {
        skn_run_enter(run, SKN_RUN_WAITING);
    } else if (!run->rc &&
               (run->approval == SKEIN_APPROVED || run->approval == SKEIN_OUTDATED)) {
        if (run->approval == SKEIN_APPROVED)
            skn_vec_add(run->a, &run->let, run->limit.key);
        run->limit = (skn_limit_hit){0};
        run->tries = 0;
        skn_run_ask(run);
    } else {
        if (!run->rc)
            run->err = run->why; /* the limit is the reason */
        skn_run_give_up(run);
    }
}

static void ask_limit(skn_run *run, bool waits)
{
    skein_limit what = {.world = run->turn.world, .waits = waits};

    skn_limit_words(run->model, &run->limit, &run->why, run->a, &what);
    run->rc = skein_limit_ask(run->r->o.engine, &what, &run->turn, run->a, &run->approval,
                              &run->err);
}

static void work_limit_ask(skn_run *run)
{
    ask_limit(run, false);
}

void skn_run_limit(skn_run *run)
{
    run->why = run->err;
    skn_run_job(run, work_limit_ask, limit_answer_seen);
}

/* Checks without writing, because most checks find no decision. */
static void work_limit_look(skn_run *run)
{
    run->rc = skein_limit_state(run->r->o.engine, run->limit.key, &run->approval, &run->err);
    if (!run->rc && run->approval != SKEIN_APPROVAL_OPEN)
        ask_limit(run, true);
}

void skn_run_limit_look(skn_run *run)
{
    skn_run_job(run, work_limit_look, limit_answer_seen);
}

/* Turns that wait for a person and were begun by another program: their state is read from the store, and the run
 * continues as if it had asked the person itself. */

static bool has_tool(skn_run *run)
{
    skn_mcp_found found;
    skn_str       name;

    if (run->next_call == run->calls.n)
        return true;
    name = run->calls.p[run->next_call].tool_name;
    return skn_tool_find(name) || skn_mcp_room_find(run->room, name, &found);
}

/* Waits for the server of the tool in question as long as it may start: nothing else can be done here, and without
 * the server the result would be that the tool does not exist. */
static void resume_with_tools(skn_run *run)
{
    run->room = skn_mcp_room_for(run->r, run->turn.world, run->rights.servers);
    if (run->room && skn_mcp_room_starting(run->room) && !has_tool(run)) {
        skn_run_later(run, SKN_RUN_PAUSING, resume_with_tools,
                      run->waits_for_tools-- > 0 ? SKN_RUN_TOOLS_MS : SKN_RUN_PAUSE_MS);
        return;
    }
    if (run->room)
        skn_mcp_room_offer(run->room, run);
    skn_run_tools_again(run);
}

static void rest_loaded(skn_run *run)
{
    if (run->rc) {
        skn_run_give_up(run);
        return;
    }
    run->rounds = 1; /* the number of earlier requests is not known */
    resume_with_tools(run);
}

static void work_load_rest(skn_run *run)
{
    skein_turn_rest rest;

    if ((run->rc = skein_turn_rest_read(run->r->o.engine, &run->turn, run->a, &rest,
                                        &run->err)) ||
        (run->rc = skn_run_load(run, &run->err)))
        return;
    run->calls.n = 0;
    for (size_t i = 0; i < rest.count; i++)
        skn_vec_add(run->a, &run->calls, rest.calls[i]);
    run->next_call = rest.next;
    run->begun = rest.begun;
}

static void copy_turn(skn_run *run, const skein_turn *t)
{
    skn_arena *a = run->a;

    run->turn = *t;
    run->turn.uid = skn_arena_copy(a, t->uid);
    run->turn.world_name = skn_arena_copy(a, t->world_name);
    run->turn.chat_uid = skn_arena_copy(a, t->chat_uid);
    run->turn.agent_name = skn_arena_copy(a, t->agent_name);
    run->turn.lane_key = skn_arena_copy(a, t->lane_key);
    run->turn.trigger_uid = skn_arena_copy(a, t->trigger_uid);
    run->turn.cause = skn_arena_copy(a, t->cause);
    run->turn.message_uid = skn_arena_copy(a, t->message_uid);
    run->turn.model = run->model;
    run->turn.tool = run->turn.inbox_uid = SKN_NONE;
    run->turn_id = t->id;
    run->fence = t->fence;
}

void skn_run_resume(skn_runtime *r, const skein_turn *turn)
{
    const skein_due what = {.task = turn->task,
                            .chat = turn->chat,
                            .agent = turn->agent,
                            .lane = turn->lane,
                            .model = turn->model};
    skn_run        *run = run_new(r, &what);

    copy_turn(run, turn);
    if (run->provider)
        skn_run_job(run, work_load_rest, rest_loaded);
    else
        run_no_provider(run);
    if (r->closing)
        skn_run_interrupt(run);
}
