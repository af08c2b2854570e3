/* turn_limit.c: a turn whose provider has reached its limit of this month, where a person may let it go on: the
 * turn waits for the answer like for any other word of a person. */
#include "runtime/run.h"

void skn_limit_words(skn_str model, const skein_error *why, skn_arena *a, skein_limit *out)
{
    skn_str rest = model, provider = SKN_NONE;

    skn_str_split(&rest, '/', &provider);
    out->title = skn_arena_printf(a, "The monthly limit of %.*s is reached. Go on?",
                                  SKN_FMT(provider));
    out->content = skn_arena_printf(
        a, "%s. Allow: go on, over the limit, until the end of the month. Deny: stop.",
        why->message);
}

static void limit_answer_seen(skn_run *run)
{
    if (!run->rc && run->approval == SKEIN_APPROVAL_OPEN) {
        skn_run_enter(run, SKN_RUN_WAITING);
    } else if (!run->rc && run->approval == SKEIN_APPROVED) {
        run->limit = SKN_NONE;
        run->over_limit = true;
        run->tries = 0;
        skn_run_ask(run);
    } else {
        if (!run->rc)
            run->err = run->why; /* the limit is why it stops */
        skn_run_give_up(run);
    }
}

static void work_limit_ask(skn_run *run)
{
    skein_limit what = {.world = run->turn.world, .key = run->limit};

    skn_limit_words(run->model, &run->why, run->a, &what);
    run->rc = skein_limit_ask(run->r->o.engine, &what, &run->turn, run->a, &run->approval,
                              &run->err);
}

void skn_run_limit(skn_run *run)
{
    run->why = run->err;
    skn_run_job(run, work_limit_ask, limit_answer_seen);
}

/* Most looks find that nothing was answered yet: those do not write. */
static void work_limit_look(skn_run *run)
{
    run->rc = skein_limit_state(run->r->o.engine, run->limit, &run->approval, &run->err);
    if (!run->rc && run->approval != SKEIN_APPROVAL_OPEN)
        work_limit_ask(run);
}

void skn_run_limit_look(skn_run *run)
{
    skn_run_job(run, work_limit_look, limit_answer_seen);
}
