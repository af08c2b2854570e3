/* notice.c: what somebody who said something should know at once. */
#include "engine/core.h"
#include <skein/agents.h>

static bool is_paused(const skein_agents *agents, const skein_agent_work *work, skn_str name)
{
    for (size_t i = 0; i < agents->count; i++)
        if (skn_str_eq(agents->at[i].name, name))
            return work[i].paused;
    return false;
}

static void no_agents(skein_notice *out)
{
    *out = (skein_notice){
        SKN_STR("no-agents"), SKN_STR("This world has no agents, so nobody answers."),
        SKN_STR("Add an agent: on the Agents page, or with \"skein agent new NAME\".")};
}

/* All who have to answer are paused: names them, or leaves it. */
static void all_paused(const skein_deliveries *list, const skein_agents *agents,
                       const skein_agent_work *work, skein_mem *mem, skein_notice *out)
{
    skn_str names = SKN_NONE, first = SKN_NONE;
    size_t  n = 0;

    for (size_t i = 0; i < list->count; i++) {
        skn_str name = list->at[i].agent;

        if (!skn_str_is(list->at[i].state, "queued"))
            continue;
        if (!is_paused(agents, work, name))
            return;
        names = n++ ? skn_arena_printf(mem, "%.*s, %.*s", SKN_FMT(names), SKN_FMT(name)) : name;
        first = first.p ? first : name;
    }
    if (!n)
        return;
    *out = (skein_notice){SKN_STR("all-paused"),
                          skn_arena_printf(mem, "%.*s %s paused: the message waits.",
                                           SKN_FMT(names), n == 1 ? "is" : "are"),
                          skn_arena_printf(mem,
                                           "Resume %s: on the Agents page, or with \"skein "
                                           "agent resume %.*s\".",
                                           n == 1 ? "it" : "them", SKN_FMT(first))};
}

skein_rc skein_posted_notice(skein_engine *e, skein_world_id world, const skein_posted *posted,
                             skein_mem *mem, skein_notice *out, skein_error *err)
{
    skein_agents      agents;
    skein_agent_work *work;
    skein_rc          rc = skein_agent_list(e, world, mem, &agents, err);

    *out = (skein_notice){.code = SKN_NONE};
    if (rc)
        return rc;
    if (!agents.count) {
        no_agents(out);
        return SKEIN_OK;
    }
    work = SKN_ARRAY(mem, agents.count, skein_agent_work);
    if ((rc = skein_agent_work_of(e, &agents, mem, work, err)))
        return rc;
    all_paused(&posted->deliveries, &agents, work, mem, out);
    return SKEIN_OK;
}
