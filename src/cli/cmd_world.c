#include "cli/commands.h"

#include "base/error.h"
#include "cli/answering.h"
#include "cli/current.h"
#include "cli/default_model.h"
#include "cli/far_view.h"
#include "cli/far_world.h"
#include "cli/removed.h"

/* A server that runs here knows more of it: which models answer. */
skein_rc skn_world_item(skn_cli *cli, const skein_world *world)
{
    const skn_json *whole = skn_told_of_world(cli, world, NULL);
    skein_rc        rc = SKEIN_OK;

    if (!whole)
        rc = skn_far_get(cli, &whole, "/worlds/%s", skn_far_part(cli, world->name));
    return rc ? rc : skn_far_item(cli, whole);
}

/* Says that a world is free to be made, without making it. */
static skein_rc world_would_be(skn_cli *cli, const skein_world *wanted)
{
    skein_world there;
    skn_str     name;
    skein_rc    rc = skn_name_normal(wanted->name, cli->keep, &name, &cli->err);

    if (rc)
        return rc;
    rc = skn_far_world(cli, name, &there);
    if (!rc && skn_str_eq(there.name, name))
        return skn_fail(&cli->err, SKEIN_CONFLICT, "there is already a world \"%.*s\"",
                        SKN_FMT(name));
    if (rc && rc != SKEIN_NOT_FOUND)
        return rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
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
    if ((rc = skn_far_world_new(cli, &world)))
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

static size_t count_of(const skn_json *world, const char *list)
{
    const skn_json *v = skn_json_get(world, list);

    return v ? v->count : 0;
}

static void world_line(skn_cli *cli, const skein_world *world, const skn_json *whole)
{
    size_t  agents = count_of(whole, "agents"), chats = count_of(whole, "chats");
    skn_str answers = skn_answers_text(cli, world);
    size_t  row = skn_row_begin(cli);

    skn_print_sender(cli, world->name, 20);
    skn_print(cli, "  %zu agent%s, %zu conversation%s", agents, skn_plural((int64_t)agents),
              chats, skn_plural((int64_t)chats));
    skn_print_raw(cli, answers.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, answers, 0);
    skn_print_raw(cli, world->description.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, world->description, 60);
    skn_print_raw(cli, SKN_STR("\n"));
    skn_row_end(cli, row, SKN_LIST_BEHIND);
}

int skn_cmd_world_ls(skn_cli *cli)
{
    const skn_json *whole;
    skn_json_list   list = {0};
    skein_world     world;
    skein_rc        rc;

    if (skn_opt(cli, "removed"))
        return (int)skn_worlds_removed(cli);
    if ((rc = skn_far_all(cli, "/worlds", 0, &list)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < list.n && !rc; i++) {
        skn_far_read_world(cli, list.p[i], &world);
        if (!cli->json) {
            world_line(cli, &world, list.p[i]);
            continue;
        }
        whole = cli->far ? NULL : skn_told_of_world(cli, &world, NULL);
        rc = skn_far_item(cli, whole ? whole : list.p[i]);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

skein_rc skn_world_named(skn_cli *cli, skein_world *out)
{
    skein_rc rc;

    if (!cli->arg_count)
        return skn_need_world(cli, out);
    rc = skn_far_world(cli, skn_arg(cli, 0), out);
    if (rc)
        return cli->far ? rc : skn_missing_world(cli, rc, skn_arg(cli, 0));
    skn_far_enter(cli, out);
    return SKEIN_OK;
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
static void show_settings(skn_cli *cli, const skn_json *settings)
{
    if (!settings || !settings->first)
        return;
    skn_print_raw(cli, SKN_STR("settings "));
    skn_print_line(cli, settings->raw, 0);
    skn_print_raw(cli, SKN_STR("\n"));
}

int skn_cmd_world_show(skn_cli *cli)
{
    const skn_json    *whole, *chats;
    skein_world        world;
    skein_agents       agents;
    skein_conversation chat;
    skn_str            usual;
    skein_rc           rc = skn_world_named(cli, &world);

    if (rc)
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    if ((rc = skn_far_get(cli, &whole, "%s", cli->door->world)))
        return (int)rc;
    skn_print_sender(cli, world.name, 0);
    skn_print(cli, "  (%.*s)\n", SKN_FMT(world.uid));
    skn_print_block(cli, world.description, 2);
    skn_print(cli, "turns %lld, compacts at %lld messages, session %s\n",
              (long long)world.turn_limit, (long long)world.compact_at,
              world.current_chat_uid.n ? "on" : "off");
    show_settings(cli, skn_json_get(whole, "settings"));
    skn_far_read_agents(cli, whole, &agents);
    usual = agents.count ? skn_default_model_shown(cli) : SKN_NONE;
    for (size_t i = 0; i < agents.count; i++)
        skn_agent_line(cli, &agents.at[i], usual);
    chats = skn_json_get(whole, "chats");
    for (const skn_json *v = chats ? chats->first : NULL; v; v = v->next) {
        skn_far_read_chat(cli, v, &chat);
        chat_line(cli, &chat, skn_str_eq(chat.uid, world.current_chat_uid));
    }
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
    if (!cli->dry_run && (rc = skn_far_remove_world(cli, force)))
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
