#include "cli/commands.h"

#include "base/error.h"
#include "cli/busy.h"

static skein_rc world_item(skn_cli *cli, const skein_world *world)
{
    skein_agents        agents;
    skein_conversations chats;
    skn_at_work         work;
    skein_rc            rc;

    if ((rc = skein_agent_list(cli->engine, world->id, cli->keep, &agents, &cli->err)) ||
        (rc = skein_conversation_list(cli->engine, world->id, cli->keep, &chats, &cli->err)) ||
        (rc = skn_at_work_in(cli, world->id, &work)))
        return rc;
    skn_shape_world_at_work(skn_item(cli), world, &agents, &chats, &work, cli->keep);
    return skn_item_end(cli);
}

/* Says that a world is free to be made, without making it. */
static skein_rc world_would_be(skn_cli *cli, const skein_world *wanted)
{
    skein_world there;
    skein_error err = {.rc = SKEIN_OK};
    skn_str     name;
    skein_rc    rc = skn_name_normal(wanted->name, cli->keep, &name, &cli->err);

    if (rc)
        return rc;
    rc = skein_world_find(cli->engine, name, cli->keep, &there, &err);
    if (!rc && skn_str_eq(there.name, name))
        return skn_fail(&cli->err, SKEIN_CONFLICT, "there is already a world \"%.*s\"",
                        SKN_FMT(name));
    if (rc && rc != SKEIN_NOT_FOUND) {
        cli->err = err;
        return rc;
    }
    skn_would(cli, "make the world %.*s", SKN_FMT(name));
    return SKEIN_OK;
}

int skn_cmd_world_new(skn_cli *cli)
{
    skein_world world = {.name = skn_arg(cli, 0),
                         .description = skn_str_of(skn_opt(cli, "description"))};
    skein_rc    rc;

    if ((rc = skn_opt_int(cli, "turn-limit", 1, 1000000, 0, &world.turn_limit)) ||
        (rc = skn_opt_int(cli, "compact-at", 2, 1000000000, 0, &world.compact_at)))
        return (int)rc;
    if (cli->dry_run)
        return (int)world_would_be(cli, &world);
    if ((rc = skein_world_new(cli->engine, &world, cli->keep, &cli->err)))
        return (int)rc;
    if (cli->json)
        return (int)world_item(cli, &world);
    skn_print(cli, "Made the world %.*s. Take it back with \"skein world rm %.*s\".\n",
              SKN_FMT(world.name), SKN_FMT(world.name));
    return 0;
}

static skein_rc world_line(skn_cli *cli, const skein_world *world)
{
    skein_agents        agents;
    skein_conversations chats;
    skein_rc            rc;

    if ((rc = skein_agent_list(cli->engine, world->id, cli->keep, &agents, &cli->err)) ||
        (rc = skein_conversation_list(cli->engine, world->id, cli->keep, &chats, &cli->err)))
        return rc;
    skn_print_sender(cli, world->name, 20);
    skn_print(cli, "  %zu agent%s, %zu conversation%s", agents.count,
              skn_plural((int64_t)agents.count), chats.count, skn_plural((int64_t)chats.count));
    skn_print_raw(cli, world->description.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, world->description, 60);
    skn_print_raw(cli, SKN_STR("\n"));
    return SKEIN_OK;
}

int skn_cmd_world_ls(skn_cli *cli)
{
    skein_worlds worlds;
    skein_rc     rc = skein_world_list(cli->engine, cli->keep, &worlds, &cli->err);

    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < worlds.count && !rc; i++)
        rc = cli->json ? world_item(cli, &worlds.at[i]) : world_line(cli, &worlds.at[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

static skein_rc world_named(skn_cli *cli, skein_world *out)
{
    if (cli->arg_count)
        return skn_missing_world(
            cli, skein_world_find(cli->engine, skn_arg(cli, 0), cli->keep, out, &cli->err),
            skn_arg(cli, 0));
    return skn_need_world(cli, out);
}

static void agent_line(skn_cli *cli, const skein_agent *a)
{
    skn_print_raw(cli, SKN_STR("  @"));
    skn_print_sender(cli, a->name, a->lead_name.n || a->model.n ? 16 : 0);
    if (a->lead_name.n)
        skn_print(cli, "  works for @%.*s", SKN_FMT(a->lead_name));
    if (a->model.n) {
        skn_print_raw(cli, SKN_STR("  "));
        skn_print_colour(cli, SKN_DIM, a->model);
    }
    skn_print_raw(cli, SKN_STR("\n"));
}

static void chat_line(skn_cli *cli, const skein_conversation *c, bool current)
{
    skn_print(cli, "%c %.*s  v%lld  %6lld message%s", current ? '*' : ' ', SKN_FMT(c->uid),
              (long long)c->version, (long long)c->length, skn_plural(c->length));
    skn_print_raw(cli, c->title.n || c->mode != SKEIN_CHAT ? SKN_STR("  ") : SKN_STR(""));
    if (c->mode == SKEIN_CHAT)
        skn_print_line(cli, c->title, 60);
    else
        skn_print(cli, "%s of @%.*s", skn_mode_name(c->mode), SKN_FMT(c->agent_name));
    skn_print_raw(cli, SKN_STR("\n"));
}

int skn_cmd_world_show(skn_cli *cli)
{
    skein_world         world;
    skein_agents        agents;
    skein_conversations chats;
    skein_rc            rc = world_named(cli, &world);

    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)world_item(cli, &world);
    if ((rc = skein_agent_list(cli->engine, world.id, cli->keep, &agents, &cli->err)) ||
        (rc = skein_conversation_list(cli->engine, world.id, cli->keep, &chats, &cli->err)))
        return (int)rc;
    skn_print_sender(cli, world.name, 0);
    skn_print(cli, "  (%.*s)\n", SKN_FMT(world.uid));
    skn_print_block(cli, world.description, 2);
    skn_print(cli, "turns %lld, compacts at %lld messages, session %s\n",
              (long long)world.turn_limit, (long long)world.compact_at,
              world.current_chat.v ? "on" : "off");
    for (size_t i = 0; i < agents.count; i++)
        agent_line(cli, &agents.at[i]);
    for (size_t i = 0; i < chats.count; i++)
        chat_line(cli, &chats.at[i], chats.at[i].id.v == world.current_chat.v);
    return 0;
}

int skn_cmd_world_rm(skn_cli *cli)
{
    skein_world world;
    skein_rc    rc = world_named(cli, &world);

    if (rc || (rc = skn_confirm(cli, "Remove this world with all its conversations?", false)))
        return (int)rc;
    if (cli->json && (rc = world_item(cli, &world)))
        return (int)rc;
    if (!cli->dry_run && (rc = skein_world_remove(cli->engine, world.id,
                                                  skn_opt(cli, "force") != NULL, &cli->err)))
        return (int)rc;
    if (!cli->json)
        skn_print(cli,
                  cli->dry_run ? "Would remove the world %.*s. Nothing was changed.\n"
                               : "Removed the world %.*s. Its texts stay in the store.\n",
                  SKN_FMT(world.name));
    return 0;
}

/* --- Agents ------------------------------------------------------------------------------- */

static skein_rc agent_item(skn_cli *cli, const skein_agent *agent)
{
    skn_at_work work;
    skein_rc    rc = skn_at_work_in(cli, agent->world, &work);

    if (rc)
        return rc;
    skn_shape_agent_at_work(skn_item(cli), agent, &work, cli->keep);
    return skn_item_end(cli);
}

static skein_rc agent_would_be(skn_cli *cli, const skein_agent *wanted)
{
    skein_agents agents;
    skn_str      name;
    skein_rc     rc = skn_name_normal(wanted->name, cli->keep, &name, &cli->err);

    if (!rc)
        rc = skein_agent_list(cli->engine, wanted->world, cli->keep, &agents, &cli->err);
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
                         .model = skn_str_of(skn_opt(cli, "model")),
                         .lead_name = skn_str_of(skn_opt(cli, "lead"))};
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc)
        return (int)rc;
    agent.world = world.id;
    if (cli->dry_run)
        return (int)agent_would_be(cli, &agent);
    if ((rc = skein_agent_new(cli->engine, &agent, cli->keep, &cli->err)))
        return (int)rc;
    if (cli->json)
        return (int)agent_item(cli, &agent);
    skn_print(cli, "Made the agent %.*s in %.*s. Take it back with \"skein agent rm %.*s\".\n",
              SKN_FMT(agent.name), SKN_FMT(world.name), SKN_FMT(agent.name));
    return 0;
}

int skn_cmd_agent_ls(skn_cli *cli)
{
    skein_world  world;
    skein_agents agents;
    skein_rc     rc = skn_need_world(cli, &world);

    if (rc || (rc = skein_agent_list(cli->engine, world.id, cli->keep, &agents, &cli->err)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < agents.count && !rc; i++)
        if (cli->json)
            rc = agent_item(cli, &agents.at[i]);
        else
            agent_line(cli, &agents.at[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

int skn_cmd_agent_show(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_need_agent(cli, &world, cli->args[0], &agent)))
        return (int)rc;
    if (cli->json)
        return (int)agent_item(cli, &agent);
    agent_line(cli, &agent);
    skn_print(cli, "  id %.*s, in %.*s since ", SKN_FMT(agent.uid), SKN_FMT(world.name));
    skn_print_time(cli, agent.created_at);
    skn_print_raw(cli, agent.system_prompt.n ? SKN_STR("\n  is told\n") : SKN_STR("\n"));
    skn_print_block(cli, agent.system_prompt, 4);
    return 0;
}

int skn_cmd_agent_rm(skn_cli *cli)
{
    skein_world world;
    skein_agent agent;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc || (rc = skn_need_agent(cli, &world, cli->args[0], &agent)) ||
        (rc = skn_confirm(cli, "Remove this agent?", false)))
        return (int)rc;
    if (!cli->dry_run && (rc = skein_agent_remove(cli->engine, agent.id,
                                                  skn_opt(cli, "force") != NULL, &cli->err)))
        return (int)rc;
    if (cli->json)
        return (int)agent_item(cli, &agent);
    skn_print(cli,
              cli->dry_run ? "Would remove the agent %.*s. Nothing was changed.\n"
                           : "Removed the agent %.*s. What it said stays.\n",
              SKN_FMT(agent.name));
    return 0;
}
