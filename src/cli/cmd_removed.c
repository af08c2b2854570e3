/* What was removed: listing it, and bringing it back. */
#include "cli/removed.h"

#include "base/error.h"
#include "cli/commands.h"
#include "cli/far_view.h"
#include "cli/news.h"

/* What a dry run would bring back must be there. */
static skein_rc need_removed(skn_cli *cli, const char *kind, const char *path, skn_str ref)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, path, 0, &list);

    for (size_t i = 0; !rc && i < list.n; i++)
        if (skn_str_eq(skn_news_text(list.p[i], "id"), ref) ||
            skn_str_eq(skn_news_text(list.p[i], "name"), ref))
            return SKEIN_OK;
    return rc ? rc
              : skn_fail(&cli->err, SKEIN_NOT_FOUND, "no %s \"%.*s\" was removed here", kind,
                         SKN_FMT(ref));
}

/* --- Worlds ------------------------------------------------------------------------------- */

/* Its name may be another's now: its id is told. */
static void world_line(skn_cli *cli, const skein_world *world)
{
    skn_print(cli, "%.*s  ", SKN_FMT(world->uid));
    skn_print_sender(cli, world->name, 20);
    skn_print_raw(cli, world->description.n ? SKN_STR("  ") : SKN_STR(""));
    skn_print_line(cli, world->description, 60);
    skn_print_raw(cli, SKN_STR("\n"));
}

skein_rc skn_worlds_removed(skn_cli *cli)
{
    skn_json_list list = {0};
    skein_world   world;
    skein_rc      rc = skn_far_all(cli, "/worlds?removed=true", 0, &list);

    if (rc)
        return rc;
    if (cli->json)
        skn_list_begin(cli);
    for (size_t i = 0; !rc && i < list.n; i++) {
        skn_far_read_world(cli, list.p[i], &world);
        if (cli->json)
            rc = skn_far_item(cli, list.p[i]);
        else
            world_line(cli, &world);
    }
    if (cli->json)
        skn_list_done(cli, rc);
    else if (!list.n)
        skn_print(cli, "No world was removed.\n");
    return rc;
}

static skein_rc restore_world(skn_cli *cli, skn_str ref, skn_str name, skein_world *out)
{
    const char *path =
        skn_arena_printf(cli->keep, "/worlds/%s/restore", skn_far_part(cli, ref)).p;
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    if (name.p)
        skn_jw_kstr(w, "name", name);
    if (!(rc = skn_far_send(&b, "POST", path, &v)))
        skn_far_read_world(cli, v, out);
    return rc;
}

int skn_cmd_world_restore(skn_cli *cli)
{
    skn_str     ref = skn_arg(cli, 0), name = skn_str_of(skn_opt(cli, "as"));
    skein_world world;
    skein_rc    rc;

    if (cli->dry_run) {
        if (!(rc = need_removed(cli, "world", "/worlds?removed=true", ref)))
            skn_would(cli, "bring the world %s back", cli->args[0]);
        return (int)rc;
    }
    if ((rc = restore_world(cli, ref, name, &world)))
        return (int)rc;
    if (cli->json)
        return (int)skn_world_item(cli, &world);
    skn_print(cli, "The world %.*s is back, with its agents and conversations.\n",
              SKN_FMT(world.name));
    return 0;
}

/* --- Conversations ------------------------------------------------------------------------ */

/* The path of the list. */
static const char *archived_path(skn_cli *cli, const skein_world *world)
{
    skn_far_enter(cli, world);
    return skn_arena_printf(cli->keep, "%s/chats?archived=true", cli->door->world).p;
}

skein_rc skn_chats_removed(skn_cli *cli, const skein_world *world, skein_conversations *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, archived_path(cli, world), 0, &list);

    *out = (skein_conversations){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_conversation)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_far_read_chat(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_need_chat_removed(skn_cli *cli, const skein_world *world, skn_str uid)
{
    return need_removed(cli, "conversation", archived_path(cli, world), uid);
}

skein_rc skn_chat_restore(skn_cli *cli, const skein_world *world, skn_str uid,
                          skein_conversation *out)
{
    const skn_json *v;
    skn_far_body    b;
    skein_rc        rc;

    skn_far_enter(cli, world);
    skn_far_body_begin(cli, &b);
    rc = skn_far_send(&b, "POST",
                      skn_arena_printf(cli->keep, "%s/chats/%s/restore", cli->door->world,
                                       skn_far_part(cli, uid))
                          .p,
                      &v);
    if (!rc)
        skn_far_read_chat(cli, v, out);
    return rc;
}
