/* That an agent writes is stored beside its turn, for whoever looks at the agent. It is on nobody's way: an
 * answer that is all there at once never says so, and nobody waits until it is stored. */
#include "runtime/run.h"

#include <stdlib.h>

typedef struct note {
    skn_runtime *r;
    skn_arena   *a;
    skein_turn   turn;
} note;

/* A turn that is over, or a store that takes nothing, is found by those who have to store something. */
static void work_note(void *arg)
{
    note *n = arg;

    (void)skein_turn_writing(n->r->o.engine, &n->turn, NULL);
}

static void noted(void *arg)
{
    note        *n = arg;
    skn_runtime *r = n->r;

    r->jobs--;
    skn_arena_free(n->a);
    free(n);
    skn_runtime_settle(r);
}

static void say_so(skn_run *run)
{
    note *n = skn_heap(sizeof *n);

    n->r = run->r;
    n->a = skn_arena_new();
    n->turn = (skein_turn){.id = run->turn.id,
                           .fence = run->turn.fence,
                           .chat = run->turn.chat,
                           .uid = skn_arena_copy(n->a, run->turn.uid),
                           .message_uid = skn_arena_copy(n->a, run->turn.message_uid)};
    run->r->jobs++;
    skn_workers_run(run->r->o.workers, work_note, noted, n);
}

void skn_run_writes(skn_run *run)
{
    if (run->writes)
        return;
    run->writes = true;
    skn_run_later(run, say_so, SKN_RUN_WRITING_MS);
}

void skn_run_written(skn_run *run)
{
    if (run->writes)
        skn_timer_stop(run->later);
    run->writes = false;
}
