#include "runtime/run.h"

/* The message that is answered may be gone from this version: then the turn is about to be closed, and
 * the context is all there is. */
static skein_rc load_trigger(skn_run *run, skein_error *err)
{
    skein_message m;
    skein_rc      rc;

    run->asker = run->said = SKN_NONE;
    if (!run->turn.trigger_uid.p)
        return SKEIN_OK;
    rc = skein_message_find(run->r->o.engine, run->chat, 0, run->turn.trigger_uid, run->a, &m,
                            err);
    if (rc == SKEIN_NOT_FOUND)
        return SKEIN_OK;
    if (!rc) {
        run->asker = m.sender;
        run->said = m.content;
    }
    return rc;
}

skein_rc skn_run_load(skn_run *run, skein_error *err)
{
    skein_engine *e = run->r->o.engine;
    skein_slice   memory = {.conversation = run->chat, .agent = run->agent};
    skein_agent   agent;
    skein_rc      rc;

    skn_arena_reset(run->round);
    rc = skein_agent_find(e, run->turn.world, run->turn.agent_name, run->round, &agent, err);
    if (rc)
        return rc;
    run->system_prompt = agent.system_prompt;
    if (run->rounds == 0 && (rc = load_trigger(run, err)))
        return rc;
    return skein_context_read(e, &memory, run->round, &run->context, err);
}
