/* What was not found, told apart by what it was, with the name that may have been meant. */
#include "cli/place.h"

#include "base/error.h"

#include <stdio.h>

#define LIST_MOST 100 /* bytes of names in one advice */

skein_rc skn_missing(skn_cli *cli, skein_rc rc, const char *thing)
{
    if (rc == SKEIN_NOT_FOUND)
        cli->more.thing = thing;
    return rc;
}

static void suggest(skn_cli *cli, skn_str ref, const skn_candidates *names)
{
    cli->more.meant = skn_candidates_suggest(cli->keep, names, ref);
    if (cli->more.meant)
        skn_hint(&cli->err, cli->err.rc, "Did you mean \"%s\"?", cli->more.meant);
}

/* "Did you mean "launch"? There are launch and lunch. Make it with "skein world new lanch"" */
static void advise_world(skn_cli *cli, skn_str ref, const skn_candidates *names)
{
    const char *meant = skn_candidates_suggest(cli->keep, names, ref);
    char        list[LIST_MOST] = "no world yet";
    size_t      n = 0;

    for (size_t i = 0; i < names->count && n < sizeof list; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", names->at[i]);
    if (n >= sizeof list)
        snprintf(list, sizeof list, "%zu worlds: skein world ls", names->count);
    cli->more.meant = meant;
    skn_hint(&cli->err, cli->err.rc, "%s%s%sThere %s %s. Make it with \"skein world new %.*s\"",
             meant ? "Did you mean \"" : "", meant ? meant : "", meant ? "\"? " : "",
             names->count > 1 ? "are" : "is", list, SKN_FMT(ref));
}

skein_rc skn_missing_world(skn_cli *cli, skein_rc rc, skn_str ref)
{
    skein_worlds   worlds;
    skn_candidates names;

    if (skn_missing(cli, rc, "world") != SKEIN_NOT_FOUND ||
        skein_world_list(cli->engine, cli->keep, &worlds, NULL))
        return rc;
    names = skn_candidates_new(cli->keep, worlds.count);
    for (size_t i = 0; i < worlds.count; i++)
        skn_candidates_add(cli->keep, &names, worlds.at[i].name);
    advise_world(cli, ref, &names);
    return rc;
}

skein_rc skn_missing_chat(skn_cli *cli, const skein_worlds *worlds)
{
    if (worlds->count > 1)
        skn_hint(&cli->err, SKEIN_NOT_FOUND,
                 "\"skein conv ls -w %.*s\" lists those of that world, and so for the others",
                 SKN_FMT(worlds->at[0].name));
    return skn_missing(cli, SKEIN_NOT_FOUND, "chat");
}

skein_rc skn_missing_agent(skn_cli *cli, skein_rc rc, skein_world_id world, skn_str ref)
{
    skein_agents   agents;
    skn_candidates names;

    if (skn_missing(cli, rc, "agent") != SKEIN_NOT_FOUND ||
        skein_agent_list(cli->engine, world, cli->keep, &agents, NULL))
        return rc;
    names = skn_candidates_new(cli->keep, agents.count);
    for (size_t i = 0; i < agents.count; i++)
        skn_candidates_add(cli->keep, &names, agents.at[i].name);
    suggest(cli, ref, &names);
    return rc;
}
