/* Stops agents: requests are cancelled at once, and unfinished text is kept. A run whose job is on a worker is waited
 * for, because only then it is known how much of its text is stored. */
#include "base/clock.h"
#include "runtime/run.h"

#include <stdlib.h>

struct skn_halt {
    skn_runtime_job       job;
    skn_halt             *next; /* in order of arrival */
    skein_conversation_id chat;
    skein_agent_id        agent;
    skn_stopped          *done;
    void                 *arg;
    size_t                waits; /* runs with a job, and the caller */
    bool                  running;
    skn_vec(skein_partial) partials;
    int64_t stopped;
};

static bool overlaps(const skn_halt *h, skein_conversation_id chat, skein_agent_id agent)
{
    return h->chat.v == chat.v && (!h->agent.v || !agent.v || h->agent.v == agent.v);
}

bool skn_halt_covers(const skn_runtime *r, const skein_due *due)
{
    const skn_halt *h = r->halts;

    while (h && !overlaps(h, due->chat, due->agent))
        h = h->next;
    return h;
}

static void work_halt(void *arg)
{
    skn_halt        *h = arg;
    const skein_stop what = {sizeof what, h->chat, h->agent, h->partials.p, h->partials.n};

    h->job.rc = skein_work_stop(h->job.r->o.engine, &what, &h->stopped, &h->job.err);
}

static void unlink_halt(skn_halt *h)
{
    skn_halt **at = &h->job.r->halts;

    while (*at != h)
        at = &(*at)->next;
    *at = h->next;
}

static void start_ready(skn_runtime *r);

static void halted(void *arg)
{
    skn_halt    *h = arg;
    skn_runtime *r = h->job.r;

    for (skn_run *run = r->runs, *next; run; run = next) {
        next = run->next;
        if (run->halt == h)
            skn_run_free(run);
    }
    unlink_halt(h);
    r->freed = true;
    h->done(h->arg, h->stopped, h->job.rc ? &h->job.err : NULL);
    start_ready(r);
    skn_runtime_nudge(r);
}

/* --- Unfinished text ------------------------------------------------------------------------------- */

static skein_model_call *copy_call(const skein_model_call *from, skn_arena *a)
{
    skein_model_call *to = SKN_NEW(a, skein_model_call);
    skn_str          *pieces = SKN_ARRAY(a, from->piece_count + 1, skn_str);

    for (size_t i = 0; i < from->piece_count; i++)
        pieces[i] = skn_arena_copy(a, from->pieces[i]);
    *to = *from;
    to->pieces = pieces;
    to->made_of = skn_arena_copy(a, from->made_of);
    to->response = skn_arena_copy(a, from->response);
    to->model = skn_arena_copy(a, from->model);
    return to;
}

/* What it has written, also while that is being stored; false if that is nothing. */
static bool copy_written(skn_run *run, skn_arena *a, skein_partial *p)
{
    skein_model_call call;

    *p = run->handed;
    if (run->state & SKN_RUN_ASKS) {
        skn_asking_so_far(run->asking, &run->answer);
        *p = skn_run_written_so_far(run, &call);
    }
    p->message_uid = skn_arena_copy(a, p->message_uid);
    p->text = skn_arena_copy(a, p->text);
    p->thinking = skn_arena_copy(a, p->thinking);
    p->call = p->call ? copy_call(p->call, a) : NULL;
    return p->turn != 0;
}

/* Adds the texts of the whole chat. Delegations that a stopped agent waits for are closed with it; only the store
 * knows which, so it takes the texts of the turns that it closes. */
static void add_others(skn_halt *h)
{
    skein_partial p;

    for (skn_run *run = h->job.r->runs; run; run = run->next)
        if (run->chat.v == h->chat.v && copy_written(run, h->job.a, &p))
            skn_vec_add(h->job.a, &h->partials, p);
}

/* --- Stopping -------------------------------------------------------------------------------------- */

/* The runs are stopped and wait for this, so their texts may be borrowed. */
static void start_halt(skn_halt *h)
{
    for (skn_run *run = h->job.r->runs; run; run = run->next) {
        if (run->halt == h && run->turn_id) {
            skein_partial p = skn_run_written_so_far(run, SKN_NEW(h->job.a, skein_model_call));

            skn_vec_add(h->job.a, &h->partials, p);
        }
    }
    add_others(h);
    h->running = true;
    skn_runtime_job_start(h, work_halt, halted);
}

/* Starts the stops that are ready. Stops of the same agents run one after the other: a second stop must not close a
 * turn whose text only the first one has. */
static void start_ready(skn_runtime *r)
{
    for (skn_halt *h = r->halts; h; h = h->next) {
        const skn_halt *before = r->halts;

        if (h->running || h->waits)
            continue;
        while (before != h && !overlaps(before, h->chat, h->agent))
            before = before->next;
        if (before == h)
            start_halt(h);
    }
}

void skn_halt_ready(skn_halt *h)
{
    h->waits--;
    start_ready(h->job.r);
}

void skn_runtime_stop(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent,
                      skn_stopped *done, void *arg)
{
    skn_halt  *h = skn_runtime_job_new(r, sizeof *h);
    skn_halt **last = &r->halts;

    h->chat = chat;
    h->agent = agent;
    h->done = done;
    h->arg = arg;
    while (*last)
        last = &(*last)->next;
    *last = h;
    h->waits = 1;
    for (skn_run *run = r->runs, *next; run; run = next) {
        next = run->next;
        if (run->state & (SKN_RUN_STOPS | SKN_RUN_CLOSES) ||
            !overlaps(h, run->chat, run->agent))
            continue;
        h->waits++;
        skn_run_drop(run, h);
    }
    skn_model_requests_stop(r, chat, agent);
    skn_halt_ready(h);
}

/* --- Turns that others close ----------------------------------------------------------------------- */

void skn_runtime_written(skn_runtime *r, skein_world_id world, skn_arena *a, skein_stop *out)
{
    skn_vec(skein_partial) all = {0};
    skein_partial p;

    for (skn_run *run = r->runs; run; run = run->next)
        if ((!world.v || run->turn.world.v == world.v) && copy_written(run, a, &p))
            skn_vec_add(a, &all, p);
    *out = (skein_stop){.partials = all.p, .partial_count = all.n};
}

/* Records of requests: what was sent to a model and what came back, for people who want to see what the model saw. */

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

void skn_asked_init(skn_asked *q)
{
    q->a = skn_arena_new();
    skn_thin_init(&q->response, SKN_RUN_RESPONSE);
}

static void forget_response(skn_asked *q)
{
    skn_thin_release(&q->response);
    free(q->whole);
    q->whole = NULL;
}

void skn_asked_begin(skn_asked *q, const skein_context *context)
{
    skn_arena_reset(q->a);
    q->pieces = NULL;
    q->piece_count = 0;
    q->made_of = SKN_NONE;
    q->context = context;
    q->began = now_ms();
    forget_response(q);
}

/* Returns the messages of each part. The sent texts have no ids, and equal texts cannot be told apart. */
static skn_str made_of(const skein_context *c, skn_arena *a)
{
    skn_buf b;
    skn_str out;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; k < c->at[i].source_count; k++) {
            if (k)
                skn_buf_addc(&b, ' ');
            skn_buf_add(&b, c->at[i].sources[k]);
        }
        skn_buf_addc(&b, '\n');
    }
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

void skn_asked_sent(skn_asked *q, const skn_str *pieces, size_t count)
{
    skn_arena_reset(q->a);
    forget_response(q);
    q->pieces = SKN_ARRAY(q->a, count, skn_str);
    q->piece_count = count;
    q->made_of = q->context ? made_of(q->context, q->a) : SKN_NONE;
    for (size_t i = 0; i < count; i++)
        q->pieces[i] = skn_arena_copy(q->a, pieces[i]);
}

void skn_asked_received(skn_asked *q, skn_str bytes)
{
    free(q->whole); /* there is more to add */
    q->whole = NULL;
    skn_thin_add(&q->response, bytes);
}

bool skn_asked_record(skn_asked *q, const skn_answer *answer, skn_str model,
                      const char *purpose, skein_model_call *out)
{
    if (!q->piece_count)
        return false;
    if (!q->whole)
        q->whole = skn_thin_text(&q->response);
    *out = (skein_model_call){.purpose = skn_str_of(purpose),
                              .model = model,
                              .pieces = q->pieces,
                              .piece_count = q->piece_count,
                              .made_of = q->made_of,
                              .response = {q->whole, q->response.n},
                              .state = skn_str_of(skn_ask_state_word(answer->state)),
                              .tokens_in = answer->tokens_in,
                              .tokens_out = answer->tokens_out,
                              .tokens_cached = answer->tokens_cached,
                              .tokens_written = answer->tokens_written,
                              .cost = answer->cost,
                              .estimated = answer->estimated,
                              .first_ms = answer->first_ms,
                              .total_ms = now_ms() - q->began,
                              .tries = answer->tries > 0 ? answer->tries : 1,
                              .created_at = q->read_at};
    if (answer->error.rc)
        out->error = skn_str_of(answer->error.message);
    return true;
}

void skn_asked_release(skn_asked *q)
{
    skn_arena_free(q->a);
    forget_response(q);
}
