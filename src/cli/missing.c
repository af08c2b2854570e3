/* What was not found, told apart by what it was, with the name that may have been meant. */
#include "cli/place.h"

#include "base/error.h"

skein_rc skn_missing(skn_cli *cli, skein_rc rc, const char *thing)
{
    if (rc == SKEIN_NOT_FOUND)
        cli->more.thing = thing;
    return rc;
}

typedef struct name_list {
    const char **at;
    size_t       count;
} name_list;

static const char *name_at(const void *ctx, size_t i)
{
    const name_list *names = ctx;

    return i < names->count ? names->at[i] : NULL;
}

static void suggest(skn_cli *cli, skn_str ref, const name_list *names)
{
    cli->more.meant = skn_suggest(skn_arena_copy(cli->keep, ref).p, name_at, names);
    if (cli->more.meant)
        skn_hint(&cli->err, cli->err.rc, "Did you mean \"%s\"?", cli->more.meant);
}

skein_rc skn_missing_world(skn_cli *cli, skein_rc rc, skn_str ref)
{
    skein_worlds worlds;
    name_list    names = {NULL, 0};

    if (skn_missing(cli, rc, "world") != SKEIN_NOT_FOUND ||
        skein_world_list(cli->engine, cli->keep, &worlds, NULL))
        return rc;
    names.at = SKN_ARRAY(cli->keep, worlds.count + 1, const char *);
    for (size_t i = 0; i < worlds.count; i++)
        names.at[names.count++] = skn_arena_copy(cli->keep, worlds.at[i].name).p;
    suggest(cli, ref, &names);
    return rc;
}

skein_rc skn_missing_agent(skn_cli *cli, skein_rc rc, skein_world_id world, skn_str ref)
{
    skein_agents agents;
    name_list    names = {NULL, 0};

    if (skn_missing(cli, rc, "agent") != SKEIN_NOT_FOUND ||
        skein_agent_list(cli->engine, world, cli->keep, &agents, NULL))
        return rc;
    names.at = SKN_ARRAY(cli->keep, agents.count + 1, const char *);
    for (size_t i = 0; i < agents.count; i++)
        names.at[names.count++] = skn_arena_copy(cli->keep, agents.at[i].name).p;
    suggest(cli, ref, &names);
    return rc;
}
