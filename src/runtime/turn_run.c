/* The way of a turn: begin, load, ask, store, tools, load, ask, … */
#include "runtime/run.h"

#include "base/clock.h"

#include <stdlib.h>

static void finish(skn_run *run);
static void log_run(const skn_run *run, skn_log_level level, const char *what,
                    const skein_error *err);

/* --- Trying again ---------------------------------------------------------------------------------- */

static void on_later(void *arg)
{
    skn_run *run = arg;

    run->again(run);
}

static void later(skn_run *run, void (*again)(skn_run *))
{
    run->again = again;
    skn_timer_start(run->later, SKN_RUN_PAUSE_MS);
}

/* Whether the same may succeed a little later: there is room on the disk again, or another program is
 * done. */
static bool may_pass(skein_rc rc)
{
    return rc == SKEIN_FULL || rc == SKEIN_BUSY || rc == SKEIN_IO || rc == SKEIN_UNREACHABLE;
}

/* As long as the turn would be left to itself otherwise: for a lease. */
static bool try_on(skn_run *run)
{
    int64_t now = skn_clock_monotonic() / 1000000;

    if (!may_pass(run->rc) || !run->turn_id || run->r->closing || run->halt ||
        (run->over && !run->ending)) {
        run->trying_since = 0;
        return false;
    }
    if (!run->trying_since) {
        log_run(run, SKN_LOG_WARN, "the store takes nothing; trying again", &run->err);
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

static void start_again(skn_run *run);

/* A turn that was closed meanwhile goes no further; the rest is for run->then. */
static void back(void *arg)
{
    skn_run     *run = arg;
    skn_runtime *r = run->r;

    r->jobs--;
    run->job = false;
    run->turn_id = run->turn.id;
    run->fence = run->turn.fence;
    if (run->rc == SKEIN_TURN_OVER)
        run->over = true;
    if (try_on(run))
        later(run, start_again);
    else if (run->ending || !run->over)
        run->then(run);
    else
        finish(run);
    skn_runtime_settle(r);
}

static void start_job(skn_run *run, void (*work)(skn_run *), void (*then)(skn_run *))
{
    run->job = true;
    run->work = work;
    run->then = then;
    run->rc = SKEIN_OK;
    run->r->jobs++;
    skn_workers_run(run->r->o.workers, on_worker, back, run);
}

static void start_again(skn_run *run)
{
    start_job(run, run->work, run->then);
}

static void log_run(const skn_run *run, skn_log_level level, const char *what,
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

/* --- Ending ---------------------------------------------------------------------------------------- */

void skn_run_free(skn_run *run)
{
    skn_asking_cancel(run->asking);
    skn_timer_free(run->later);
    *run->link = run->next;
    if (run->next)
        run->next->link = run->link;
    run->r->run_count--;
    run->r->freed = true;
    skn_buf_release(&run->text);
    skn_buf_release(&run->thinking);
    skn_arena_free(run->round);
    skn_arena_free(run->a);
    free(run);
}

static void ended(skn_run *run)
{
    if (run->rc && run->rc != SKEIN_TURN_OVER)
        log_run(run, SKN_LOG_WARN, "turn not closed", &run->err);
    skn_run_free(run);
}

static void work_fail(skn_run *run)
{
    run->rc = skein_turn_end(run->r->o.engine, &run->turn, SKEIN_TURN_FAILED, &run->why,
                             &run->err);
}

static void work_leave(skn_run *run)
{
    run->rc = skein_turn_leave(run->r->o.engine, &run->turn, skn_buf_str(&run->text),
                               skn_buf_str(&run->thinking), &run->err);
}

static void close_turn(skn_run *run, void (*work)(skn_run *))
{
    run->ending = true;
    start_job(run, work, ended);
}

/* Closes the turn as failed, for the reason in run->err. */
static void give_up(skn_run *run)
{
    log_run(run, SKN_LOG_WARN, "turn failed", &run->err);
    run->why = run->err;
    close_turn(run, work_fail);
}

/* The run does nothing more by itself: it waits for the stop that wants it, closes its turn when the
 * runtime closes, or goes. */
static void finish(skn_run *run)
{
    if (run->halt)
        skn_halt_ready(run->halt);
    else if (run->r->closing && run->turn_id && run->rc != SKEIN_TURN_OVER)
        close_turn(run, work_leave);
    else
        skn_run_free(run);
}

void skn_run_drop(skn_run *run, skn_halt *halt)
{
    run->over = true;
    run->halt = halt;
    skn_asking_cancel(run->asking);
    run->asking = NULL;
    skn_timer_stop(run->later);
    if (!run->job)
        finish(run);
}

/* One that waits to close its turn tries it once more. */
void skn_run_interrupt(skn_run *run)
{
    if (run->halt || (run->ending && run->job))
        return;
    if (!run->ending) {
        skn_run_drop(run, NULL);
        return;
    }
    skn_timer_stop(run->later);
    start_again(run);
}

/* --- Asking ---------------------------------------------------------------------------------------- */

static void store_answer(skn_run *run);

static void on_delta(void *arg, skn_part part, skn_str text)
{
    skn_run *run = arg;
    skn_live live = {.world = run->turn.world,
                     .world_name = run->turn.world_name,
                     .chat = run->chat,
                     .chat_uid = run->turn.chat_uid,
                     .cause = run->turn.cause,
                     .type = "message.delta",
                     .message = run->turn.message_uid,
                     .text = text};

    skn_buf_add(part == SKN_PART_TEXT ? &run->text : &run->thinking, text);
    live.part = part == SKN_PART_TEXT ? SKN_STR("text") : SKN_STR("thinking");
    if (run->r->o.tell)
        run->r->o.tell(run->r->o.tell_arg, &live);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    skn_run        *run = arg;
    skein_tool_call kept = {skn_arena_copy(run->a, call->call_id),
                            skn_arena_copy(run->a, call->tool_name),
                            skn_arena_copy(run->a, call->args)};

    skn_vec_add(run->a, &run->calls, kept);
}

static void ask(skn_run *run);

/* A model that could not answer just now is asked once more, unless a part of its answer was told
 * already: nobody could take that back. */
static bool ask_again(skn_run *run)
{
    if (!run->answer.retryable || run->tries == SKN_RUN_TRIES || run->text.n ||
        run->thinking.n || run->calls.n)
        return false;
    log_run(run, SKN_LOG_WARN, "the model did not answer; asking once more", &run->err);
    later(run, ask);
    return true;
}

static void on_done(void *arg, const skn_answer *answer)
{
    skn_run *run = arg;

    run->asking = NULL;
    run->answer = *answer;
    run->err = answer->error;
    if (!answer->error.rc && (run->text.over || run->thinking.over))
        skn_fail(&run->err, SKEIN_PROVIDER, "the answer is over %d MB", SKN_RUN_TEXT >> 20);
    else if (!answer->error.rc && run->calls.n > SKN_RUN_CALLS)
        skn_fail(&run->err, SKEIN_PROVIDER, "the answer calls more than %d tools",
                 SKN_RUN_CALLS);
    if (!run->err.rc)
        store_answer(run);
    else if (!ask_again(run))
        give_up(run);
}

static void ask(skn_run *run)
{
    const skn_answer_sink sink = {
        .delta = on_delta, .call = on_call, .done = on_done, .arg = run};
    skn_ask               what = {.agent = run->turn.agent_name,
                                  .system_prompt = run->system_prompt,
                                  .context = &run->context,
                                  .asker = run->asker,
                                  .said = run->said,
                                  .tool = run->tool,
                                  .result = run->result,
                                  .id = run->turn.message_uid,
                                  .hops_left = run->turn.hops_left};

    skn_buf_clear(&run->text);
    skn_buf_clear(&run->thinking);
    run->calls.n = run->next_call = run->ran = 0;
    run->tries++;
    skn_runtime_provider(run->r, run->model, &what.model);
    run->asking = skn_ask_model(run->provider, &what, &sink);
}

static void loaded(skn_run *run)
{
    if (run->rc) {
        give_up(run);
        return;
    }
    run->rounds++;
    run->tries = 0;
    ask(run);
}

static void work_load(skn_run *run)
{
    run->rc = skn_run_load(run, &run->err);
}

static void load(skn_run *run)
{
    if (run->rounds == SKN_RUN_ROUNDS) {
        skn_fail(&run->err, SKEIN_PROVIDER,
                 "the model was asked %d times in one turn and still "
                 "calls tools",
                 SKN_RUN_ROUNDS);
        give_up(run);
    } else {
        start_job(run, work_load, loaded);
    }
}

/* --- Storing --------------------------------------------------------------------------------------- */

static void run_tools(skn_run *run);

static void work_tool(skn_run *run)
{
    const skein_tool_call *call = &run->calls.p[run->next_call];
    skein_new_message      m = {.role = SKEIN_TOOL, .tool_call_id = call->call_id};
    skein_step             step = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_message          stored;

    if (run->ran == run->next_call) { /* never twice, however often its result is stored */
        run->result = skn_tool_run(call, run->a, &run->tool_failed);
        run->tool = call->tool_name;
        run->ran++;
    }
    m.content = run->result;
    m.tool_failed = run->tool_failed;
    run->rc = skein_turn_step(run->r->o.engine, &run->turn, &step, run->a, &stored, &run->err);
}

static void tool_stored(skn_run *run)
{
    run->next_call++;
    if (run->rc)
        give_up(run);
    else
        run_tools(run);
}

/* The call is stored before its tool runs, and each result before the next one does: whoever dies in
 * between has not done anything that nobody knows of. */
static void run_tools(skn_run *run)
{
    if (run->next_call < run->calls.n)
        start_job(run, work_tool, tool_stored);
    else
        load(run);
}

static void answer_stored(skn_run *run)
{
    if (run->rc)
        give_up(run);
    else if (run->calls.n)
        run_tools(run);
    else
        skn_run_free(run);
}

/* What is stored is no partial text any more, and a turn with its last step is not to be closed again:
 * said here, where no stop can come between. */
static void work_store(skn_run *run)
{
    skein_new_message m = {.role = SKEIN_ASSISTANT,
                           .content = skn_buf_str(&run->text),
                           .calls = run->calls.p,
                           .call_count = run->calls.n,
                           .model = run->model};
    skein_step        step = {.message = &m,
                              .finish = skn_str_of(run->answer.finish),
                              .tokens_in = run->answer.tokens_in,
                              .tokens_out = run->answer.tokens_out,
                              .last = run->calls.n == 0};
    skein_message     stored;

    if (run->thinking.n)
        m.thinking = skn_buf_str(&run->thinking);
    run->rc = skein_turn_step(run->r->o.engine, &run->turn, &step, run->a, &stored, &run->err);
    if (run->rc)
        return;
    skn_buf_clear(&run->text);
    skn_buf_clear(&run->thinking);
    if (step.last)
        run->turn.id = 0;
}

static void store_answer(skn_run *run)
{
    start_job(run, work_store, answer_stored);
}

/* --- Beginning ------------------------------------------------------------------------------------- */

static void say_no_provider(skn_run *run)
{
    const skn_runtime *r = run->r;
    skn_buf            known;
    skn_str            rest = run->model, name = SKN_NONE;

    skn_buf_init(&known, 200);
    for (size_t i = 0; i < r->o.provider_count; i++)
        skn_buf_addf(&known, "%s%s", i ? ", " : "", r->o.providers[i]->name);
    skn_str_split(&rest, '/', &name);
    skn_fail(&run->err, SKEIN_PROVIDER, "no provider \"%.*s\"; known: %.*s", SKN_FMT(name),
             SKN_FMT(skn_buf_str(&known)));
    skn_buf_release(&known);
}

static void begun(skn_run *run)
{
    if (!run->turn.id) {
        if (run->rc != SKEIN_NOTHING) {
            log_run(run, SKN_LOG_WARN, "turn not begun", &run->err);
            run->r->more = false; /* it would fail again at once: better later */
        }
        skn_run_free(run);
    } else if (!run->provider) {
        say_no_provider(run);
        give_up(run);
    } else {
        loaded(run);
    }
}

/* When it is tried again the turn may be open already. */
static void work_begin(skn_run *run)
{
    const skn_runtime *r = run->r;

    if (!run->turn.id)
        run->rc = skein_turn_begin(r->o.engine, run->delivery, skn_str_of(r->holder),
                                   run->model, r->o.lease_ms, run->a, &run->turn, &run->err);
    if (run->rc)
        run->turn = (skein_turn){0};
    else if (run->provider)
        run->rc = skn_run_load(run, &run->err);
}

void skn_run_start(skn_runtime *r, const skein_due *due)
{
    skn_run *run = skn_heap(sizeof *run);
    skn_str  rest;

    run->r = r;
    run->delivery = due->delivery;
    run->chat = due->chat;
    run->agent = due->agent;
    run->a = skn_arena_new();
    run->round = skn_arena_new();
    run->later = skn_timer_new(r->o.loop, on_later, run);
    run->model = skn_arena_copy(run->a, due->model.n ? due->model : skn_str_of(r->model));
    run->provider = skn_runtime_provider(r, run->model, &rest);
    skn_buf_init(&run->text, SKN_RUN_TEXT);
    skn_buf_init(&run->thinking, SKN_RUN_TEXT);
    run->link = &r->runs;
    run->next = r->runs;
    if (run->next)
        run->next->link = &run->next;
    r->runs = run;
    r->run_count++;
    start_job(run, work_begin, begun);
}
