#include "cli/commands.h"

#include "api/call.h"

#define TAG "{world}/tags/{name}"

/* With the chat where one is known. */
static const char *in_chat(skn_cli *cli, const char *path)
{
    skn_str chat = cli->door->chat_uid;

    return skn_arena_text(cli->keep, "%s%s%s", path, chat.n ? "?chatId=" : "",
                          skn_door_part(cli, chat));
}

static skein_rc tag_out(skn_cli *cli, const skn_json *tag, const char *what)
{
    if (cli->json)
        return skn_door_item(cli, tag);
    skn_say(cli, tag,
            "{sender name 20}  [active:on ][!active:off]  {line instruction 40}"
            "[target: → {line target 40}][!includeInMessage:  (trigger only)]");
    skn_print(cli, "%s\n", what);
    return SKEIN_OK;
}

static skein_rc listed(skn_cli *cli, const skn_json *tag)
{
    return tag_out(cli, tag, "");
}

skein_rc skn_tags_read(skn_cli *cli, skn_json_list *out)
{
    return skn_door_all(cli, in_chat(cli, skn_path(cli, NULL, "{world}/tags")), 0, out);
}

/* Tags belong to the world; a conversation is only needed to say which are on there. */
static skein_rc read_tags(skn_cli *cli, skn_json_list *out)
{
    skein_world world;
    skein_rc    rc = skn_need_world(cli, &world);

    if (rc)
        return rc;
    rc = skn_need_chat(cli, &world, NULL);
    if (rc && (rc != SKEIN_NOT_FOUND || skn_opt(cli, "conversation")))
        return rc;
    cli->err = (skein_error){.rc = SKEIN_OK};
    return skn_tags_read(cli, out);
}

skein_rc skn_cmd_tag_ls(skn_cli *cli)
{
    skn_json_list tags = {0};
    skein_rc      rc = read_tags(cli, &tags);

    return (rc ? rc : skn_say_list(cli, &tags, listed));
}

/* Makes it so; a dry run shows it as it would be. */
static skein_rc put_tag(skn_cli *cli, const char *method, const skn_json **tag)
{
    const char *path = skn_path(cli, *tag, in_chat(cli, TAG));

    return cli->dry_run ? SKEIN_OK : skn_door_change(cli, method, path, (*tag)->raw, tag);
}

skein_rc skn_cmd_tag_new(skn_cli *cli)
{
    const char     *control = skn_opt(cli, "control"), *type = skn_opt(cli, "instruction");
    const skn_json *tag;
    skn_door_body   b;
    skn_jw         *w;
    skein_rc        rc = skn_need_world(cli, NULL);

    if (rc)
        return rc;
    if (control && !skn_is_among(SKN_STR("toggle,button,choice"), skn_str_of(control)))
        return skn_fail(&cli->err, SKEIN_USAGE,
                        "\"--control\" is button, toggle or choice, not \"%s\"", control);
    w = skn_door_body_begin(cli, &b);
    skn_jw_kstr(w, "name", skn_arg(cli, 0));
    skn_jw_kstr(w, "control", skn_str_of(control ? control : "toggle"));
    skn_jw_kstr(w, "instruction", skn_str_of(type ? type : cli->args[0]));
    skn_jw_kstr(w, "target", skn_str_of(skn_opt(cli, "target")));
    skn_jw_kbool(w, "includeInMessage", !skn_opt(cli, "trigger-only"));
    skn_jw_kbool(w, "active", false);
    if ((rc = skn_body_read(&b, &tag)) || (rc = put_tag(cli, "PUT", &tag)))
        return rc;
    return tag_out(cli, tag, cli->dry_run ? "  (would be defined)" : "  defined");
}

static skein_rc tag_named(skn_cli *cli, const skn_json **out)
{
    skn_json_list tags = {0};
    skein_rc      rc = read_tags(cli, &tags);

    if (rc || (*out = skn_list_find(&tags, "name", skn_arg(cli, 0))))
        return rc;
    return skn_no_tag(skn_arg(cli, 0), cli->keep, &cli->err);
}

skein_rc skn_cmd_tag_rm(skn_cli *cli)
{
    const skn_json *tag, *none;
    skein_rc        rc = tag_named(cli, &tag);

    if (!rc && !cli->dry_run)
        rc = skn_send(cli, NULL, "DELETE", tag, in_chat(cli, TAG), &none);
    return rc ? rc : tag_out(cli, tag, cli->dry_run ? "  (would be removed)" : "  removed");
}

static skein_rc turned(skn_cli *cli, const skn_json *tag, bool on, const skn_json **out)
{
    skn_door_body b;
    skn_jw       *w = skn_door_body_begin(cli, &b);

    for (const skn_json *m = tag->first; m; m = m->next)
        if (!skn_str_is(m->key, "active"))
            skn_jw_member(w, m);
    skn_jw_kbool(w, "active", on);
    return skn_body_read(&b, out);
}

skein_rc skn_cmd_tag_turn(skn_cli *cli)
{
    const skn_json *tag;
    skein_rc        rc = tag_named(cli, &tag);

    if (!rc && !cli->door->chat)
        rc = skn_need_chat(cli, NULL, NULL); /* says how to make one */
    if (rc || (rc = turned(cli, tag, skn_verb_is(cli, "on"), &tag)) ||
        (rc = put_tag(cli, "PATCH", &tag)))
        return rc;
    return tag_out(cli, tag, cli->dry_run ? "  (would be)" : "");
}
