/* Other names for conversations and worlds. An agent keeps its name: messages carry it. */
#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_view.h"

/* --- A conversation ----------------------------------------------------------------------- */

static skein_rc set_title(skn_cli *cli, const skein_world *world, skein_conversation *chat,
                          skn_str title)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_far_enter(cli, world);
    skn_far_enter_chat(cli, chat);
    skn_jw_kstr(skn_far_body_begin(cli, &b), "title", title);
    if (!(rc = skn_far_send(&b, "PATCH", cli->door->chat, &v)))
        chat->title = title;
    return rc;
}

static void say_title(skn_cli *cli, const skein_conversation *chat)
{
    skn_print(cli,
              chat->title.p ? "The conversation %.*s is now called "
                            : "The conversation %.*s has ",
              SKN_FMT(chat->uid));
    skn_print_line(cli, chat->title.p ? chat->title : SKN_STR("no title now"), 0);
    skn_print_raw(cli, SKN_STR(".\n"));
}

int skn_cmd_conv_rename(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skn_str            title = skn_arg(cli, 1);
    skein_rc           rc = skn_chat_named(cli, &world, &chat);

    if (rc)
        return (int)rc;
    if (chat.mode != SKEIN_CHAT)
        return (int)skn_fail(&cli->err, SKEIN_INVALID,
                             "the %s conversation of @%.*s is named after its agent",
                             skn_mode_name(chat.mode), SKN_FMT(chat.agent_name));
    if (cli->dry_run) {
        skn_would(cli, "call the conversation %.*s \"%.*s\"", SKN_FMT(chat.uid),
                  SKN_FMT(title));
        return 0;
    }
    if ((rc = set_title(cli, &world, &chat, title.n ? title : SKN_NONE)))
        return (int)rc;
    if (cli->json)
        return (int)skn_chat_item(cli, &chat);
    say_title(cli, &chat);
    return 0;
}

/* --- A world ------------------------------------------------------------------------------ */

static skein_rc set_world_name(skn_cli *cli, skein_world *world, skn_str name)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_jw_kstr(skn_far_body_begin(cli, &b), "name", name);
    skn_far_enter(cli, world);
    if (!(rc = skn_far_send(&b, "PATCH", cli->door->world, &v)))
        skn_far_read_world(cli, v, world);
    return rc;
}

int skn_cmd_world_rename(skn_cli *cli)
{
    skein_world world;
    skn_str     old, name;
    skein_rc    rc = skn_world_named(cli, &world);

    if (rc || (rc = skn_name_normal(skn_arg(cli, 1), cli->keep, &name, &cli->err)))
        return (int)rc;
    old = world.name;
    if (cli->dry_run) {
        skn_would(cli, "call the world %.*s %.*s", SKN_FMT(old), SKN_FMT(name));
        return 0;
    }
    if ((rc = set_world_name(cli, &world, name)))
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    skn_print(cli, "The world %.*s is now called %.*s.\n", SKN_FMT(old), SKN_FMT(world.name));
    return 0;
}
