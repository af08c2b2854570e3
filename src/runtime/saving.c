/* Saves unfinished text at intervals, for all agents in one transaction, so that the end of this program loses only
 * the last moment. An answer that is complete before the first interval costs nothing. */
#include "base/clock.h"
#include "runtime/run.h"

typedef struct saving {
    skn_runtime_job job;
    skn_vec(skein_piece) pieces;
    skn_vec(int64_t) questions; /* the requests that they answer */
} saving;

/* --- Unsaved text ------------------------------------------------------------------------------ */

static void add_piece(saving *s, const skn_run *run, bool thinking)
{
    skn_str     all = skn_buf_str(thinking ? &run->thinking : &run->text);
    size_t      from = run->saved[thinking];
    skein_piece p = {.turn = run->turn.id,
                     .fence = run->turn.fence,
                     .thinking = thinking,
                     .place = (int64_t)from};

    if (all.n <= from)
        return;
    p.message_uid = skn_arena_copy(s->job.a, run->turn.message_uid);
    p.text = skn_arena_copy(s->job.a, skn_str_sub(all, from, all.n));
    skn_vec_add(s->job.a, &s->pieces, p);
    skn_vec_add(s->job.a, &s->questions, run->question);
}

static saving *collect_pieces(skn_runtime *r)
{
    saving *s = skn_runtime_job_new(r, sizeof *s);

    for (const skn_run *run = r->runs; run; run = run->next)
        if (run->state & SKN_RUN_ASKS) { /* no job of it is in progress */
            add_piece(s, run, false);
            add_piece(s, run, true);
        }
    return s;
}

static bool anybody_writes(const skn_runtime *r)
{
    for (const skn_run *run = r->runs; run; run = run->next)
        if (run->state & SKN_RUN_ASKS && (run->text.n || run->thinking.n))
            return true;
    return false;
}

/* --- The job ------------------------------------------------------------------------------------- */

static void work_save(void *arg)
{
    saving *s = arg;

    s->job.rc = skein_turns_save(s->job.r->o.engine, s->pieces.p, s->pieces.n, &s->job.err);
}

static void note_saved(saving *s)
{
    for (skn_run *run = s->job.r->runs; run; run = run->next)
        for (size_t i = 0; i < s->pieces.n; i++) {
            const skein_piece *p = &s->pieces.p[i];

            if (p->saved && run->question == s->questions.p[i])
                run->saved[p->thinking] = (size_t)p->place + p->text.n;
        }
}

static void end_saving(skn_runtime *r)
{
    r->saving = false;
    if (!r->closing && anybody_writes(r))
        skn_saving_soon(r);
}

/* Does not report a failure: the next step that must be stored reports it. */
static void saved(void *arg)
{
    saving *s = arg;

    if (s->job.rc == SKEIN_OK)
        note_saved(s);
    end_saving(s->job.r);
}

void skn_saving_tick(void *arg)
{
    skn_runtime *r = arg;
    saving      *s;

    if (r->closing)
        return;
    s = collect_pieces(r);
    if (s->pieces.n) {
        skn_runtime_job_start(s, work_save, saved);
    } else {
        skn_runtime_job_free(s);
        end_saving(r);
    }
}

void skn_saving_soon(skn_runtime *r)
{
    if (r->saving)
        return;
    r->saving = true;
    skn_timer_start(r->save, SKN_RUN_SAVE_MS);
}

/* Stores beside its turn that an agent writes, or waits until its model can be asked again, for people who look at
 * the agent. No run waits for this, and an answer that is complete at once skips it. */

typedef struct note {
    skn_runtime_job job;
    skein_turn      turn;
    bool            pause; /* false: it writes */
    skn_str         whom;
    int64_t         until;
} note;

/* Ignores errors: a closed turn or a full store is noticed by the next step that must be stored. */
static void work_note(void *arg)
{
    note         *n = arg;
    skein_engine *e = n->job.r->o.engine;

    if (n->pause)
        (void)skein_turn_pause(e, &n->turn, n->whom, n->until, NULL);
    else
        (void)skein_turn_writing(e, &n->turn, NULL);
}

static void note_stored(void *arg)
{
    (void)arg;
}

static note *turn_note_of(const skn_run *run)
{
    note *n = skn_runtime_job_new(run->r, sizeof *n);

    n->turn = (skein_turn){.id = run->turn.id,
                           .fence = run->turn.fence,
                           .chat = run->turn.chat,
                           .uid = skn_arena_copy(n->job.a, run->turn.uid),
                           .message_uid = skn_arena_copy(n->job.a, run->turn.message_uid)};
    return n;
}

static void store_note(note *n)
{
    skn_runtime_job_start(n, work_note, note_stored);
}

static void say_so(skn_run *run)
{
    store_note(turn_note_of(run));
}

void skn_run_writes(skn_run *run)
{
    if (run->state != SKN_RUN_WRITING)
        skn_run_later(run, SKN_RUN_WRITING, say_so, SKN_RUN_WRITING_MS);
}

/* --- Waiting for the model ------------------------------------------------------------------------------- */

/* "for openai, which was asked too often" */
static skn_str whom(const skn_run *run, skn_ask_state why, skn_arena *a)
{
    skn_str rest = run->model, provider = run->model;

    skn_str_split(&rest, '/', &provider);
    return skn_arena_printf(a, "for %.*s, which %s", SKN_FMT(provider),
                            why == SKN_ASK_RATE_LIMIT    ? "was asked too often"
                            : why == SKN_ASK_UNREACHABLE ? "cannot be reached"
                            : why == SKN_ASK_IN_LINE     ? "answers others first"
                                                         : "could not answer");
}

void skn_run_pauses(skn_run *run, skn_ask_state why, int64_t ms)
{
    note *n;

    if (ms < SKN_RUN_WRITING_MS && why != SKN_ASK_IN_LINE)
        return;
    run->pauses = true;
    n = turn_note_of(run);
    n->pause = true;
    n->whom = whom(run, why, n->job.a);
    n->until = ms ? skn_clock_micros() + ms * 1000 : 0;
    store_note(n);
}

void skn_run_paused(skn_run *run)
{
    note *n;

    if (!run->pauses)
        return;
    run->pauses = false;
    n = turn_note_of(run);
    n->pause = true;
    store_note(n);
}
