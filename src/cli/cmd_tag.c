#include "cli/commands.h"

#include "base/error.h"
#include "cli/far_view.h"

/* "…/tags/NAME", with the chat where one is known. */
static const char *tag_path(skn_cli *cli, skn_str name)
{
    skn_str chat = cli->door->chat_uid;

    return skn_arena_printf(cli->keep, "%s/tags/%s%s%s", cli->door->world,
                            skn_far_part(cli, name), chat.n ? "?chatId=" : "",
                            skn_far_part(cli, chat))
        .p;
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

/* Tags belong to the world; a conversation is only needed to say which are on there. */
static skein_rc read_tags(skn_cli *cli, skein_tags *out)
{
    skein_world        world;
    skein_conversation chat;
    skein_rc           rc = skn_need_world(cli, &world);

    if (rc)
        return rc;
    rc = skn_need_chat(cli, &world, &chat);
    if (!rc)
        return skn_far_tags(cli, &chat, out);
    if (rc != SKEIN_NOT_FOUND || skn_opt(cli, "conversation"))
        return rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    return skn_far_tags(cli, NULL, out);
}

int skn_cmd_tag_ls(skn_cli *cli)
{
    skein_tags tags;
    skein_rc   rc = read_tags(cli, &tags);

    if (rc)
        return (int)rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; i < tags.count && !rc; i++)
        rc = tag_out(cli, &tags.at[i], "");
    if (cli->json)
        skn_list_done(cli, rc);
    return (int)rc;
}

static skein_rc define(skn_cli *cli, const skein_tag *tag)
{
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);

    skn_jw_kstr(w, "control", tag->control);
    skn_jw_kstr(w, "instruction", tag->instruction);
    skn_jw_kstr(w, "target", tag->target);
    skn_jw_kbool(w, "includeInMessage", tag->include_in_message);
    return skn_far_send(&b, "PUT", tag_path(cli, tag->name), &v);
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
    if (!cli->dry_run && (rc = define(cli, &tag)))
        return (int)rc;
    return (int)tag_out(cli, &tag, cli->dry_run ? "  (would be defined)" : "  defined");
}

static skein_rc tag_named(skn_cli *cli, skein_tag *out)
{
    skein_tags tags;
    skein_rc   rc = read_tags(cli, &tags);

    for (size_t i = 0; !rc && i < tags.count; i++)
        if (skn_str_eq(tags.at[i].name, skn_arg(cli, 0))) {
            *out = tags.at[i];
            return SKEIN_OK;
        }
    if (rc)
        return rc;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "there is no tag \"%s\"", cli->args[0]);
    return skn_hint(&cli->err, SKEIN_NOT_FOUND, "Define it with \"skein tag new\"");
}

int skn_cmd_tag_rm(skn_cli *cli)
{
    const skn_json *none;
    skein_tag       tag;
    skein_rc        rc = tag_named(cli, &tag);

    if (!rc && !cli->dry_run)
        rc = skn_far_change(cli, "DELETE", tag_path(cli, tag.name), SKN_NONE, &none);
    return rc ? (int)rc
              : (int)tag_out(cli, &tag, cli->dry_run ? "  (would be removed)" : "  removed");
}

static skein_rc switch_tag(skn_cli *cli, skein_tag *tag, bool on)
{
    const skn_json *v;
    skn_far_body    b;

    skn_jw_kbool(skn_far_body_begin(cli, &b), "active", on);
    return skn_far_send(&b, "PATCH", tag_path(cli, tag->name), &v);
}

static int tag_turn(skn_cli *cli, bool on)
{
    skein_world        world;
    skein_conversation chat;
    skein_tag          tag;
    skein_rc           rc = tag_named(cli, &tag);

    if (!rc && !cli->door->chat)
        rc = skn_need_chat(cli, &world, &chat); /* says how to make one */
    if (!rc && !cli->dry_run)
        rc = switch_tag(cli, &tag, on);
    tag.active = on;
    return rc ? (int)rc : (int)tag_out(cli, &tag, cli->dry_run ? "  (would be)" : "");
}

int skn_cmd_tag_on(skn_cli *cli)
{
    return tag_turn(cli, true);
}

int skn_cmd_tag_off(skn_cli *cli)
{
    return tag_turn(cli, false);
}
