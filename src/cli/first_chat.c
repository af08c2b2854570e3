/* A world without a current conversation: its newest is taken. One without any gets its first when somebody says
 * something. */
#include "cli/far_change.h"
#include "cli/place.h"
#include "cli/print.h"

#include "base/error.h"

#include <string.h>

skein_rc skn_no_chat(skn_cli *cli, const skein_world *world)
{
    cli->untouched = true;
    skn_fail(&cli->err, SKEIN_NOT_FOUND, "the world \"%.*s\" has no conversation yet",
             SKN_FMT(world->name));
    return skn_hint(&cli->err, SKEIN_NOT_FOUND,
                    "Make one with \"skein conv new\", or name one with -c");
}

skein_rc skn_newest_chat(skn_cli *cli, const skein_world *world, skein_conversation *out)
{
    skein_conversations all;
    size_t              best = SIZE_MAX;
    skein_rc rc = skein_conversation_list(cli->engine, world->id, cli->keep, &all, &cli->err);

    for (size_t i = 0; !rc && i < all.count; i++)
        if (all.at[i].mode == SKEIN_CHAT &&
            (best == SIZE_MAX || all.at[i].created_at > all.at[best].created_at))
            best = i;
    if (rc || best == SIZE_MAX)
        return rc ? rc : skn_no_chat(cli, world);
    *out = all.at[best];
    return SKEIN_OK;
}

skein_rc skn_need_chat_if_any(skn_cli *cli, skein_world *world, skein_conversation *out,
                              bool *any)
{
    skein_rc rc = skn_need_chat(cli, world, out);

    *any = rc != SKEIN_NOT_FOUND || !cli->untouched;
    if (*any)
        return rc;
    cli->untouched = false;
    cli->err = (skein_error){.rc = SKEIN_OK};
    cli->more = (skn_problem){.thing = NULL};
    return SKEIN_OK;
}

skein_rc skn_need_first_chat(skn_cli *cli, skein_world *world, skein_conversation *out)
{
    bool     any;
    skein_rc rc = skn_need_chat_if_any(cli, world, out, &any);

    if (rc || any)
        return rc;
    return cli->dry_run ? skn_no_chat(cli, world) : skn_make_first_chat(cli, world, out);
}

skein_rc skn_make_first_chat(skn_cli *cli, skein_world *world, skein_conversation *out)
{
    skein_rc rc;

    if (cli->far && (rc = skn_far_chat_new(cli, SKN_NONE, out)))
        return rc;
    if (cli->far)
        return skn_need_chat(cli, world, out);
    rc = skein_chat_first(cli->engine, world->id, cli->keep, out, &cli->err);
    if (rc == SKEIN_SESSION_OFF) { /* all that it had are archived */
        cli->err = (skein_error){.rc = SKEIN_OK};
        rc = skein_chat_new(cli->engine, world->id, SKN_NONE, cli->keep, out, &cli->err);
    }
    if (!rc)
        skn_far_enter_chat(cli, out);
    return rc;
}

/* Does the command show all of a conversation? What was asked of it by name is not there. */
static bool shows_all(const skn_cli *cli)
{
    static const char *const those[] = {"log",     "timeline", "tree",    "history",
                                        "lane ls", "queue ls", "files ls"};

    if (cli->arg_count || skn_opt(cli, "at") || skn_opt(cli, "follow") ||
        skn_opt(cli, "agent") || skn_opt(cli, "delegation"))
        return false;
    for (size_t i = 0; i < sizeof those / sizeof those[0]; i++)
        if (!strcmp(cli->command->name, those[i]))
            return true;
    return false;
}

bool skn_nothing_open(skn_cli *cli)
{
    if (!cli->untouched || cli->err.rc != SKEIN_NOT_FOUND || !shows_all(cli))
        return false;
    cli->err = (skein_error){.rc = SKEIN_OK};
    cli->more = (skn_problem){.thing = NULL};
    if (!cli->json) {
        skn_note(cli, "Nothing to show: no conversation is open in this world. Begin one: "
                      "skein conv new");
    } else if (strcmp(cli->command->name, "timeline") != 0) { /* which is no list */
        skn_list_begin(cli);
        skn_list_end(cli);
    }
    return true;
}
