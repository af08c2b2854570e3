#include "cli/commands.h"

#include "base/error.h"
#include "cli/answering.h"
#include "cli/busy.h"
#include "cli/current.h"
#include "cli/default_model.h"
#include "cli/far_view.h"
#include "cli/far_world.h"
#include "cli/removed.h"

skein_rc skn_world_item(skn_cli *cli, const skein_world *world)
{
    skein_agents        agents;
    skein_conversations chats;
    skn_at_work         work;
    const skn_json     *whole, *answers;
    skein_world         here; /* with the engine's own id, however it was found */
    skein_rc            rc;

    if (cli->far) {
        rc = skn_far_get(cli, &whole, "/worlds/%s", skn_far_part(cli, world->name));
        return rc ? rc : skn_far_item(cli, whole);
    }
    if ((rc = skein_world_find(cli->engine, world->uid, cli->keep, &here, &cli->err)) ||
        (rc = skein_agent_list(cli->engine, here.id, cli->keep, &agents, &cli->err)) ||
        (rc = skein_conversation_list(cli->engine, here.id, cli->keep, &chats, &cli->err)) ||
        (rc = skn_at_work_in(cli, here.id, &work)))
        return rc;
    if ((answers = skn_answers_with(cli, &here)))
        work.answers = answers->raw;
    skn_shape_world_at_work(skn_item(cli), &here, &agents, &chats, &work, cli->keep);
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
    if (cli->far) {
        rc = skn_far_world(cli, name, &there);
        err = cli->err;
    } else {
        rc = skein_world_find(cli->engine, name, cli->keep, &there, &err);
    }
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

/* The world is there either way: that it is not the default is no failure of making it. */
static void keep_default(skn_cli *cli, const skein_world *world)
{
    if (!skn_current_set(cli, world))
        return;
    skn_note(cli, "warning: it is not the default: %s", cli->err.message);
    cli->err = (skein_error){.rc = SKEIN_OK};
}

int skn_cmd_world_new(skn_cli *cli)
{
    skein_world world = {.name = skn_arg(cli, 0),
                         .description = skn_str_of(skn_opt(cli, "description"))};
    skein_rc    rc;

    if ((rc = skn_opt_int(cli, "turn-limit", 1, SKN_TURN_LIMIT_MAX, 0, &world.turn_limit)) ||
        (rc = skn_opt_int(cli, "compact-at", 2, SKN_COMPACT_AT_MAX, 0, &world.compact_at)))
        return (int)rc;
    if (cli->dry_run)
        return (int)world_would_be(cli, &world);
    if ((rc = cli->far ? skn_far_world_new(cli, &world)
                       : skein_world_new(cli->engine, &world, cli->keep, &cli->err)))
        return (int)rc;
    keep_default(cli, &world);
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    skn_print(cli,
              "Made the world %.*s. It is the default now. Take it back with \"skein world rm "
              "%.*s\".\n",
              SKN_FMT(world.name), SKN_FMT(world.name));
    return 0;
}

static skein_rc world_line(skn_cli *cli, const skein_world *world)
{
    skein_agents        agents;
    skein_conversations chats;
    skn_str             answers;
    size_t              row;
    skein_rc            rc;

    if (cli->far)
        skn_far_enter(cli, world);
    if ((rc = skn_agents_of(cli, world, &agents)) || (rc = skn_chats_of(cli, world, &chats)))
        return rc;
    row = skn_row_begin(cli);
    skn_print_sender(cli, world->name, 20);
    skn_print(cli, "  %zu agent%s, %zu conversation%s", agents.count,
              skn_plural((int64_t)agents.count), chats.count, skn_plural((int64_t)chats.count));
    answers = skn_answers_text(cli, world);
    skn_print_raw(cli, answers.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, answers, 0);
    skn_print_raw(cli, world->description.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, world->description, 60);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
    return SKEIN_OK;
}

int skn_cmd_world_ls(skn_cli *cli)
{
    skein_worlds worlds;
    skein_rc     rc;

    if (skn_opt(cli, "removed"))
        return (int)skn_worlds_removed(cli);
    if ((rc = cli->far ? skn_far_worlds(cli, &worlds)
                       : skein_world_list(cli->engine, cli->keep, &worlds, &cli->err)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < worlds.count && !rc; i++)
        rc = cli->json ? skn_world_item(cli, &worlds.at[i]) : world_line(cli, &worlds.at[i]);
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

skein_rc skn_world_named(skn_cli *cli, skein_world *out)
{
    skein_rc rc;

    if (cli->arg_count && cli->far) {
        rc = skn_far_world(cli, skn_arg(cli, 0), out);
        if (!rc)
            skn_far_enter(cli, out);
        return rc;
    }
    if (cli->arg_count)
        return skn_missing_world(
            cli, skein_world_find(cli->engine, skn_arg(cli, 0), cli->keep, out, &cli->err),
            skn_arg(cli, 0));
    return skn_need_world(cli, out);
}

int skn_cmd_world_use(skn_cli *cli)
{
    skein_world world;
    skn_current now;
    skein_rc    rc = skn_world_named(cli, &world);

    if (rc)
        return (int)rc;
    if (cli->dry_run) {
        skn_would(cli, "make %.*s the default", SKN_FMT(world.name));
        return 0;
    }
    if ((rc = skn_current_set(cli, &world)) || (rc = skn_current_of(cli, &now)))
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    skn_print(cli, "The default is the world %.*s now.\n", SKN_FMT(world.name));
    if (now.by)
        skn_note(cli, "Here the world is still \"%s\", which is named by %s.", now.world,
                 now.by);
    return 0;
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

/* What was set, without secrets. */
static void show_settings(skn_cli *cli, const skein_world *world)
{
    skn_buf b;
    skn_jw  w;

    if (!world->settings.n)
        return;
    skn_buf_init(&b, (size_t)4 << 20);
    skn_jw_init(&w, &b);
    skn_world_settings_show(&w, world->settings, cli->keep);
    skn_print_raw(cli, SKN_STR("settings "));
    skn_print_line(cli, skn_buf_str(&b), 0);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_buf_release(&b);
}

int skn_cmd_world_show(skn_cli *cli)
{
    skein_world         world;
    skein_agents        agents;
    skein_conversations chats;
    skn_at_work         work;
    skn_str             usual;
    skein_rc            rc = skn_world_named(cli, &world);

    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    if ((rc = skn_agents_of(cli, &world, &agents)) ||
        (rc = skn_chats_of(cli, &world, &chats)) || (rc = skn_at_work_in(cli, world.id, &work)))
        return (int)rc;
    skn_print_sender(cli, world.name, 0);
    skn_print(cli, "  (%.*s)\n", SKN_FMT(world.uid));
    skn_print_block(cli, world.description, 2);
    skn_print(cli, "turns %lld, compacts at %lld messages, session %s\n",
              (long long)world.turn_limit, (long long)world.compact_at,
              world.current_chat.v ? "on" : "off");
    show_settings(cli, &world);
    usual = agents.count ? skn_default_model_shown(cli) : SKN_NONE;
    for (size_t i = 0; i < agents.count; i++)
        skn_agent_line(cli, &agents.at[i], &work, usual);
    for (size_t i = 0; i < chats.count; i++)
        chat_line(cli, &chats.at[i], chats.at[i].id.v == world.current_chat.v);
    return 0;
}

int skn_cmd_world_rm(skn_cli *cli)
{
    bool        force = skn_opt(cli, "force") != NULL;
    skein_world world;
    skein_rc    rc = skn_world_named(cli, &world);

    if (rc || (rc = skn_confirm(cli, "Remove this world with all its conversations?", false)))
        return (int)rc;
    if (cli->json && (rc = skn_world_item(cli, &world)))
        return (int)rc;
    if (!cli->dry_run &&
        (rc = cli->far ? skn_far_remove_world(cli, force)
                       : skein_world_remove(cli->engine, world.id, force, &cli->err)))
        return (int)rc;
    if (!cli->json)
        skn_print(cli,
                  cli->dry_run ? "Would remove the world %.*s. Nothing was changed.\n"
                               : "Removed the world %.*s. Its texts stay in the store.\n",
                  SKN_FMT(world.name));
    if (!cli->json && !cli->dry_run)
        skn_print(cli, "Bring it back with \"skein world restore %.*s\".\n",
                  SKN_FMT(world.name));
    return 0;
}
