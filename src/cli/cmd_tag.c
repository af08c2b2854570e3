#include "cli/commands.h"

#include "base/error.h"

#include <stdlib.h>

/* Tags belong to the world; a conversation is only needed to say which are on there. */
static skein_rc tag_place(skn_cli *cli, skein_world *world, skein_conversation_id *chat)
{
    skein_conversation found;
    skein_rc           rc = skn_need_world(cli, world);

    *chat = (skein_conversation_id){0};
    if (rc)
        return rc;
    rc = skn_need_chat(cli, world, &found);
    if (rc == SKEIN_NOT_FOUND && !skn_opt(cli, "conversation")) {
        cli->err = (skein_error){.rc = SKEIN_OK};
        return SKEIN_OK;
    }
    if (!rc)
        *chat = found.id;
    return rc;
}

static skein_rc tag_named(skn_cli *cli, skn_str name, skein_world *world,
                          skein_conversation_id *chat, skein_tag *out)
{
    skein_tags tags;
    skein_rc   rc = tag_place(cli, world, chat);

    if (rc || (rc = skein_tag_list(cli->engine, world->id, *chat, cli->keep, &tags, &cli->err)))
        return rc;
    for (size_t i = 0; i < tags.count; i++)
        if (skn_str_eq(tags.at[i].name, name)) {
            *out = tags.at[i];
            return SKEIN_OK;
        }
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no tag \"%.*s\"", SKN_FMT(name));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Define it with \"skein tag new\"");
}

static skein_rc tag_out(skn_cli *cli, const skein_tag *tag, const char *what)
{
    if (cli->json) {
        skn_shape_tag(skn_item(cli), tag);
        return skn_item_end(cli);
    }
    skn_print_sender(cli, tag->name, 20);
    skn_print(cli, "  %-3s  ", tag->active ? "on" : "off");
    skn_print_line(cli, tag->instruction, 40);
    if (tag->target.n) {
        skn_print_raw(cli, SKN_STR(" → "));
        skn_print_line(cli, tag->target, 40);
    }
    skn_print(cli, "%s%s\n", tag->include_in_message ? "" : "  (trigger only)", what);
    return SKEIN_OK;
}

int skn_cmd_tag_ls(skn_cli *cli)
{
    skein_world           world;
    skein_conversation_id chat;
    skein_tags            tags;
    skein_rc              rc = tag_place(cli, &world, &chat);

    if (rc || (rc = skein_tag_list(cli->engine, world.id, chat, cli->keep, &tags, &cli->err)))
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < tags.count && !rc; i++)
        rc = tag_out(cli, &tags.at[i], "");
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

int skn_cmd_tag_new(skn_cli *cli)
{
    const char *control = skn_opt(cli, "control"), *type = skn_opt(cli, "instruction");
    skein_world world;
    skein_tag   tag = {.name = skn_arg(cli, 0),
                       .control = skn_str_of(control ? control : "toggle"),
                       .instruction = skn_str_of(type ? type : cli->args[0]),
                       .target = skn_str_of(skn_opt(cli, "target")),
                       .include_in_message = !skn_opt(cli, "trigger-only")};
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc)
        return (int)rc;
    if (!skn_str_is(tag.control, "toggle") && !skn_str_is(tag.control, "button") &&
        !skn_str_is(tag.control, "choice"))
        return (int)skn_fail(&cli->err, SKEIN_USAGE,
                             "\"--control\" is button, toggle or choice, not \"%s\"", control);
    if (!cli->dry_run && (rc = skein_tag_define(cli->engine, world.id, &tag, &cli->err)))
        return (int)rc;
    return (int)tag_out(cli, &tag, cli->dry_run ? "  (would be defined)" : "  defined");
}

int skn_cmd_tag_rm(skn_cli *cli)
{
    skein_world           world;
    skein_conversation_id chat;
    skein_tag             tag;
    skein_rc              rc = tag_named(cli, skn_arg(cli, 0), &world, &chat, &tag);

    if (!rc && !cli->dry_run)
        rc = skein_tag_forget(cli->engine, world.id, tag.name, &cli->err);
    return rc ? (int)rc
              : (int)tag_out(cli, &tag, cli->dry_run ? "  (would be removed)" : "  removed");
}

static int tag_turn(skn_cli *cli, bool on)
{
    skein_world           world;
    skein_conversation_id chat;
    skein_tag             tag;
    skein_conversation    found;
    skein_rc              rc = tag_named(cli, skn_arg(cli, 0), &world, &chat, &tag);

    if (!rc && !chat.v)
        rc = skn_need_chat(cli, &world, &found); /* says how to make one */
    if (!rc && !cli->dry_run)
        rc = skein_tag_activate(cli->engine, chat, tag.name, on, &cli->err);
    tag.active = on;
    return rc ? (int)rc : (int)tag_out(cli, &tag, "");
}

int skn_cmd_tag_on(skn_cli *cli)
{
    return tag_turn(cli, true);
}

int skn_cmd_tag_off(skn_cli *cli)
{
    return tag_turn(cli, false);
}
