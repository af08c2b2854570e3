/* That an agent writes, or waits until its model can be asked again, is stored beside its turn, for whoever looks at
 * the agent. It is on nobody's way: an answer that is all there at once never says so, and nobody waits until it is
 * stored. */
#include "runtime/run.h"

#include "base/clock.h"

#include <stdlib.h>

typedef struct note {
    skn_runtime *r;
    skn_arena   *a;
    skein_turn   turn;
    bool         pause; /* else it writes */
    skn_str      whom;
    int64_t      until;
} note;

/* A turn that is over, or a store that takes nothing, is found by those who have to store something. */
static void work_note(void *arg)
{
    note *n = arg;

    if (n->pause)
        (void)skein_turn_pause(n->r->o.engine, &n->turn, n->whom, n->until, NULL);
    else
        (void)skein_turn_writing(n->r->o.engine, &n->turn, NULL);
}

static void note_stored(void *arg)
{
    note        *n = arg;
    skn_runtime *r = n->r;

    r->jobs--;
    skn_arena_free(n->a);
    free(n);
    skn_runtime_settle(r);
}

static note *turn_note_of(const skn_run *run)
{
    note *n = skn_heap(sizeof *n);

    n->r = run->r;
    n->a = skn_arena_new();
    n->turn = (skein_turn){.id = run->turn.id,
                           .fence = run->turn.fence,
                           .chat = run->turn.chat,
                           .uid = skn_arena_copy(n->a, run->turn.uid),
                           .message_uid = skn_arena_copy(n->a, run->turn.message_uid)};
    return n;
}

static void store_note(note *n)
{
    n->r->jobs++;
    skn_workers_run(n->r->o.workers, work_note, note_stored, n);
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
                                                         : "could not answer");
}

void skn_run_pauses(skn_run *run, skn_ask_state why, int64_t ms)
{
    note *n;

    if (ms < SKN_RUN_WRITING_MS)
        return;
    run->pauses = true;
    n = turn_note_of(run);
    n->pause = true;
    n->whom = whom(run, why, n->a);
    n->until = skn_clock_micros() + ms * 1000;
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
