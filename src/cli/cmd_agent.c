/* Agents: making, listing and removing them. What they do is in cmd_agent_work.c. */
#include "cli/commands.h"

#include "base/error.h"
#include "base/json.h"
#include "cli/busy.h"
#include "cli/default_model.h"
#include "cli/far_agent.h"
#include "cli/model_name.h"
#include "cli/outlook.h"
#include "cli/unanswered.h"
#include "cli/waits.h"

#include <inttypes.h>

/* A server tells it with the agent. */
static skn_str state_of(skn_cli *cli, const skein_agent *a, const skn_at_work *work,
                        skn_str *detail, int64_t *until)
{
    const skn_json *told;

    *until = skn_agent_until(work, a->id);
    if (!cli->far)
        return skn_agent_state(work, a->id, detail);
    if (skn_json_parse(&told, a->settings, "the agent", cli->keep, NULL))
        told = NULL;
    *detail = skn_far_text(told, "detail");
    *until = skn_far_time(told, "until");
    return skn_far_text(told, "state");
}

/* Who does nothing needs no word for it. */
void skn_agent_line(skn_cli *cli, const skein_agent *a, const skn_at_work *work, skn_str usual)
{
    int64_t until;
    skn_str detail, state = state_of(cli, a, work, &detail, &until);
    bool    idle = skn_str_is(state, "idle");
    int64_t queued = skn_waiting_for(cli, a, work);
    size_t  row = skn_row_begin(cli);

    skn_print_raw(cli, SKN_STR("  @"));
    skn_print_sender(cli, a->name, 16);
    if (!idle)
        skn_print(cli, "  %.*s%s%.*s", SKN_FMT(state), detail.n ? " " : "", SKN_FMT(detail));
    skn_print_until(cli, until);
    skn_print_waits(cli, skn_agent_waits(work, a->id));
    if (queued)
        skn_print(cli, "  %" PRId64 " message%s queued", queued, skn_plural(queued));
    if (a->lead_name.n)
        skn_print(cli, "  works for @%.*s", SKN_FMT(a->lead_name));
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_colour(cli, SKN_DIM, a->model.n ? a->model : usual);
    skn_print_raw(cli, a->model.n ? SKN_STR("\n") : SKN_STR(" (default)\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

skein_rc skn_agent_item(skn_cli *cli, const skein_agent *agent)
{
    skn_at_work work;
    skein_rc    rc = skn_at_work_in(cli, agent->world, &work);

    if (rc)
        return rc;
    if (cli->far)
        skn_jw_raw(skn_item(cli), agent->settings);
    else
        skn_shape_agent_at_work(skn_item(cli), agent, &work, cli->keep);
    return skn_item_end(cli);
}

static skein_rc agent_would_be(skn_cli *cli, const skein_world *world,
                               const skein_agent *wanted)
{
    skein_agents agents;
    skn_str      name;
    skein_rc     rc = skn_name_normal(wanted->name, cli->keep, &name, &cli->err);

    if (!rc)
        rc = skn_agents_of(cli, world, &agents);
    for (size_t i = 0; !rc && i < agents.count; i++)
        if (skn_str_eq(agents.at[i].name, name))
            rc = skn_fail(&cli->err, SKEIN_CONFLICT, "there is already an agent \"%.*s\"",
                          SKN_FMT(name));
    if (!rc)
        skn_would(cli, "make the agent %.*s", SKN_FMT(name));
    return rc;
}

int skn_cmd_agent_new(skn_cli *cli)
{
    skein_world world;
    skein_agent agent = {.name = skn_arg(cli, 0),
                         .system_prompt = skn_str_of(skn_opt(cli, "prompt")),
                         .lead_name = skn_str_of(skn_opt(cli, "lead"))};
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_model_option(cli, &agent.model)))
        return (int)rc;
    agent.world = world.id;
    if (cli->dry_run)
        return (int)agent_would_be(cli, &world, &agent);
    if ((rc = cli->far ? skn_far_agent_new(cli, &agent)
                       : skein_agent_new(cli->engine, &agent, cli->keep, &cli->err)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_print(cli, "Made the agent %.*s in %.*s. Take it back with \"skein agent rm %.*s\".\n",
              SKN_FMT(agent.name), SKN_FMT(world.name), SKN_FMT(agent.name));
    return 0;
}

int skn_cmd_agent_ls(skn_cli *cli)
{
    skein_world  world;
    skein_agents agents;
    skn_at_work  work;
    skn_str      usual = SKN_NONE;
    skein_rc     rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_agents_of(cli, &world, &agents)) ||
        (rc = skn_at_work_in(cli, world.id, &work)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    else
        usual = skn_default_model_shown(cli);
    for (size_t i = 0; i < agents.count && !rc; i++)
        if (cli->json)
            rc = skn_agent_item(cli, &agents.at[i]);
        else
            skn_agent_line(cli, &agents.at[i], &work, usual);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* All, none, or which: an agent that was never held to some has them all. */
static void print_tools(skn_cli *cli, const skein_agent *agent)
{
    const skn_json *settings = NULL, *tools;

    if (agent->settings.n &&
        skn_json_parse(&settings, agent->settings, "settings", cli->keep, NULL))
        settings = NULL;
    tools = settings ? skn_json_get(settings, "tools") : NULL;
    if (!tools || tools->kind != SKN_JSON_ARRAY) {
        skn_print(cli, "  tools: all\n");
        return;
    }
    skn_print(cli, tools->first ? "  tools: " : "  tools: none");
    for (const skn_json *t = tools->first; t; t = t->next) {
        skn_print_line(cli, t->text, 0);
        skn_print_raw(cli, t->next ? SKN_STR(", ") : SKN_STR(""));
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

static void print_tokens(skn_cli *cli, const skein_agent *agent)
{
    const skn_json *settings = NULL, *most;

    if (agent->settings.n &&
        skn_json_parse(&settings, agent->settings, "settings", cli->keep, NULL))
        settings = NULL;
    most = skn_json_get(settings, "maxTokens");
    if (most && most->kind == SKN_JSON_NUMBER)
        skn_print(cli, "  tokens of an answer: at most %.*s\n", SKN_FMT(most->raw));
}

int skn_cmd_agent_show(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skn_at_work work;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_need_agent(cli, &world, cli->args[0], &agent)) ||
        (rc = skn_at_work_in(cli, world.id, &work)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_agent_line(cli, &agent, &work, skn_default_model_shown(cli));
    skn_print_last_turn(cli, &agent, &work);
    skn_print_outlook(cli, &agent, &work, "  ");
    skn_print(cli, "  id %.*s, in %.*s since ", SKN_FMT(agent.uid), SKN_FMT(world.name));
    skn_print_time(cli, agent.created_at);
    skn_print_raw(cli, SKN_STR("\n"));
    print_tools(cli, &agent);
    print_tokens(cli, &agent);
    skn_print_raw(cli, agent.system_prompt.n ? SKN_STR("  is told\n") : SKN_NONE);
    skn_print_block(cli, agent.system_prompt, 4);
    return 0;
}

static skein_rc remove_agent(skn_cli *cli, const skein_agent *agent)
{
    bool force = skn_opt(cli, "force") != NULL;

    return cli->far ? skn_far_agent_remove(cli, agent, force)
                    : skein_agent_remove(cli->engine, agent->id, force, &cli->err);
}

int skn_cmd_agent_rm(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_need_agent(cli, &world, cli->args[0], &agent)) ||
        (rc = skn_confirm(cli, "Remove this agent?", false)))
        return (int)rc;
    if (!cli->dry_run && (rc = remove_agent(cli, &agent)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_print(cli,
              cli->dry_run ? "Would remove the agent %.*s. Nothing was changed.\n"
                           : "Removed the agent %.*s. What it said stays.\n",
              SKN_FMT(agent.name));
    return 0;
}
