/* prompt.c: what the model of a turn is sent: what is in its brief, and what the agent remembers. Read anew for
 * every question. */
#include "runtime/run.h"

#include "base/clock.h"

/* --- Whom it answers ---------------------------------------------------------------------------------- */

/* The message that is answered may be gone from this version: then the turn is about to be closed, and
 * the context is all there is. */
static skein_rc load_trigger(skn_run *run, skein_error *err)
{
    skein_conversation home;
    skein_message      m;
    skein_rc           rc;

    run->asker = run->said = SKN_NONE;
    if (!run->turn.trigger_uid.p)
        return SKEIN_OK;
    rc = skein_message_in_world(run->r->o.engine, run->turn.world, run->turn.trigger_uid,
                                run->a, &m, &home, err);
    if (rc == SKEIN_NOT_FOUND)
        return SKEIN_OK;
    if (!rc) {
        run->asker = m.sender;
        run->said = m.content;
    }
    return rc;
}

/* --- All of it ------------------------------------------------------------------------------------------- */

static skein_rc check_budget(skn_run *run, const skein_world *world, skein_error *err)
{
    skein_rc rc = skn_budget_check(run->r->o.engine, world, err);

    run->limited = rc == SKEIN_PROVIDER;
    return rc;
}

static skein_rc load_brief(skn_run *run, const skein_world *world, skein_error *err)
{
    skn_brief of = {.engine = run->r->o.engine,
                    .files = run->r->o.files,
                    .world = world,
                    .chat = run->turn.chat,
                    .agent = run->agent,
                    .delegated = run->turn.lane.v != 0,
                    .mode = run->turn.mode,
                    .without_tools = run->turn.without_tools,
                    .a = run->round};
    skein_rc  rc = skn_brief_make(&of, err);

    if (rc == SKEIN_NOT_FOUND)
        return skn_fail(err, rc, "the agent \"%.*s\" is gone", SKN_FMT(run->turn.agent_name));
    run->rights = of.rights;
    run->system_prompt = of.system_prompt;
    run->wants_extracts = of.wants_extracts;
    return rc;
}

skein_rc skn_run_load(skn_run *run, skein_error *err)
{
    skein_engine *e = run->r->o.engine;
    skein_slice   memory = {.conversation = run->turn.chat, .agent = run->agent};
    skein_world   world;
    skein_rc      rc;

    skn_arena_reset(run->round);
    run->since_load = 0;
    run->asked.read_at = skn_clock_micros();
    memory.lane = run->turn.lane_key;
    memory.task = run->turn.task;
    memory.turn = run->turn.uid;
    if ((rc = skn_world_read(e, run->turn.world, run->round, &world, err)) ||
        (rc = check_budget(run, &world, err)) || (rc = load_brief(run, &world, err)) ||
        (run->rounds == 0 && (rc = load_trigger(run, err))))
        return rc;
    return skein_context_read(e, &memory, run->round, &run->context, err);
}
