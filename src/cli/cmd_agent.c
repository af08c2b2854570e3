/* Agents: making, listing and removing them. What they do is in cmd_agent_work.c. */
#include "cli/commands.h"

#include "base/error.h"
#include "base/json.h"
#include "cli/default_model.h"
#include "cli/far_agent.h"
#include "cli/model_name.h"
#include "cli/outlook.h"
#include "cli/unanswered.h"
#include "cli/waits.h"

#include <inttypes.h>

/* Who does nothing needs no word for it. */
void skn_agent_line(skn_cli *cli, const skein_agent *a, skn_str usual)
{
    skn_doings d = skn_doings_of(cli, a);
    size_t     row = skn_row_begin(cli);

    skn_print_raw(cli, SKN_STR("  @"));
    skn_print_sender(cli, a->name, 16);
    if (!skn_str_is(d.state, "idle"))
        skn_print_doing(cli, &d);
    skn_print_waits(cli, d.inbox_uid);
    if (d.waiting)
        skn_print(cli, "  %" PRId64 " message%s queued", d.waiting, skn_plural(d.waiting));
    if (a->lead_name.n)
        skn_print(cli, "  works for @%.*s", SKN_FMT(a->lead_name));
    skn_print_raw(cli, SKN_STR("  "));
    skn_print_colour(cli, SKN_DIM, a->model.n ? a->model : usual);
    skn_print_raw(cli, a->model.n ? SKN_STR("\n") : SKN_STR(" (default)\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

skein_rc skn_agent_item(skn_cli *cli, const skein_agent *agent)
{
    skn_jw_raw(skn_item(cli), agent->settings);
    return skn_item_end(cli);
}

static skein_rc agent_would_be(skn_cli *cli, const skein_agent *wanted)
{
    skein_agents agents;
    skn_str      name;
    skein_rc     rc = skn_name_normal(wanted->name, cli->keep, &name, &cli->err);

    if (!rc)
        rc = skn_far_agents(cli, &agents);
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
    if (cli->dry_run)
        return (int)agent_would_be(cli, &agent);
    if ((rc = skn_far_agent_new(cli, &agent)))
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
    skn_str      usual = SKN_NONE;
    skein_rc     rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_agents(cli, &agents)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    else
        usual = skn_default_model_shown(cli);
    for (size_t i = 0; i < agents.count && !rc; i++)
        if (cli->json)
            rc = skn_agent_item(cli, &agents.at[i]);
        else
            skn_agent_line(cli, &agents.at[i], usual);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

/* All, none, or which: an agent that was never held to some has them all. */
static void print_tools(skn_cli *cli, const skn_json *agent)
{
    const skn_json *tools = skn_json_get(agent, "tools");

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

static void print_tokens(skn_cli *cli, const skn_json *agent)
{
    const skn_json *most = skn_json_get(agent, "maxTokens");

    if (most && most->kind == SKN_JSON_NUMBER)
        skn_print(cli, "  tokens of an answer: at most %.*s\n", SKN_FMT(most->raw));
}

int skn_cmd_agent_show(skn_cli *cli)
{
    skein_world     world;
    skein_agent     agent;
    const skn_json *told;
    skein_rc        rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_agent(cli, skn_arg(cli, 0), &agent)) ||
        (rc = skn_json_parse(&told, agent.settings, "the agent", cli->keep, &cli->err)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_agent_line(cli, &agent, skn_default_model_shown(cli));
    skn_print_last_turn(cli, &agent);
    skn_print_outlook(cli, &agent, "  ");
    skn_print(cli, "  id %.*s, in %.*s since ", SKN_FMT(agent.uid), SKN_FMT(world.name));
    skn_print_time(cli, agent.created_at);
    skn_print_raw(cli, SKN_STR("\n"));
    print_tools(cli, told);
    print_tokens(cli, told);
    skn_print_raw(cli, agent.system_prompt.n ? SKN_STR("  is told\n") : SKN_NONE);
    skn_print_block(cli, agent.system_prompt, 4);
    return 0;
}

int skn_cmd_agent_rm(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_far_agent(cli, skn_arg(cli, 0), &agent)) ||
        (rc = skn_confirm(cli, "Remove this agent?", false)))
        return (int)rc;
    if (!cli->dry_run &&
        (rc = skn_far_agent_remove(cli, &agent, skn_opt(cli, "force") != NULL)))
        return (int)rc;
    if (cli->json)
        return (int)skn_agent_item(cli, &agent);
    skn_print(cli,
              cli->dry_run ? "Would remove the agent %.*s. Nothing was changed.\n"
                           : "Removed the agent %.*s. What it said stays.\n",
              SKN_FMT(agent.name));
    return 0;
}
