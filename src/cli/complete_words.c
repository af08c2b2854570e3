/* complete_words.c: what there is in a store, for completion scripts: fast, and quiet when there is none. */
#include "cli/place.h"
#include "cli/print.h"

#include "base/error.h"
#include "engine/engine.h"

#include <inttypes.h>
#include <string.h>

#define RECENT       50
#define WORD_COLUMNS 40

static void word(skn_cli *cli, skn_str text, skn_str about)
{
    skn_print_line(cli, text, 0);
    skn_print_raw(cli, SKN_STR("\t"));
    skn_print_line(cli, about, WORD_COLUMNS);
    skn_print_raw(cli, SKN_STR("\n"));
}

static skein_rc worlds(skn_cli *cli)
{
    skein_worlds list;
    skein_rc     rc = skein_world_list(cli->engine, cli->keep, &list, &cli->err);

    for (size_t i = 0; !rc && i < list.count; i++)
        word(cli, list.at[i].name, list.at[i].description);
    return rc;
}

static skein_rc agents(skn_cli *cli)
{
    skein_world  world;
    skein_agents list;
    skein_rc     rc;

    if ((rc = skn_need_world(cli, &world)) ||
        (rc = skein_agent_list(cli->engine, world.id, cli->keep, &list, &cli->err)))
        return rc;
    for (size_t i = 0; i < list.count; i++)
        word(cli, list.at[i].name, list.at[i].system_prompt);
    return SKEIN_OK;
}

static skein_rc conversations(skn_cli *cli)
{
    skein_world         world;
    skein_conversations list;
    skein_rc            rc;

    if ((rc = skn_need_world(cli, &world)) ||
        (rc = skein_conversation_list(cli->engine, world.id, cli->keep, &list, &cli->err)))
        return rc;
    for (size_t i = 0; i < list.count; i++)
        word(cli, list.at[i].uid, list.at[i].title);
    return SKEIN_OK;
}

static skein_rc versions(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_versions     list;
    skein_rc           rc;

    if ((rc = skn_need_chat(cli, &world, &chat)) ||
        (rc = skein_history(cli->engine, chat.id, cli->keep, &list, &cli->err)))
        return rc;
    for (size_t i = 0; i < list.count && i < RECENT; i++)
        word(cli, skn_arena_printf(cli->keep, "v%" PRId64, list.at[i].number),
             list.at[i].note.n ? list.at[i].note : list.at[i].kind);
    return SKEIN_OK;
}

static skein_rc messages(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_slice        slice = {.from = -RECENT, .count = RECENT};
    skein_messages     list;
    skein_at           at;
    skein_rc           rc = skn_need_chat(cli, &world, &chat);

    if (rc)
        return rc;
    slice.conversation = chat.id;
    rc = skein_read(cli->engine, &slice, cli->keep, &list, &at, &cli->err);
    for (size_t i = rc ? 0 : list.count; i-- > 0;)
        word(cli, list.at[i].uid,
             skn_arena_printf(cli->keep, "%.*s: %.*s", SKN_FMT(list.at[i].sender),
                              SKN_FMT(list.at[i].content)));
    return rc;
}

static skein_rc points(skn_cli *cli)
{
    skein_rc rc = versions(cli);

    return rc ? rc : messages(cli);
}

static skein_rc lanes(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_lanes        list;
    skein_rc           rc;

    if ((rc = skn_need_chat(cli, &world, &chat)) ||
        (rc = skein_lane_list(cli->engine, chat.id, cli->keep, &list, &cli->err)))
        return rc;
    for (size_t i = 0; i < list.count; i++)
        if (skn_is_lane(list.at[i].key))
            word(cli, list.at[i].key, list.at[i].agent_name);
    return SKEIN_OK;
}

static skein_rc tags(skn_cli *cli)
{
    skein_world        world;
    skein_conversation chat;
    skein_tags         list;
    skein_rc           rc;

    if ((rc = skn_need_chat(cli, &world, &chat)) ||
        (rc = skein_tag_list(cli->engine, world.id, chat.id, cli->keep, &list, &cli->err)))
        return rc;
    for (size_t i = 0; i < list.count; i++)
        word(cli, list.at[i].name, list.at[i].instruction);
    return SKEIN_OK;
}

static void formats(skn_cli *cli)
{
    const char *name;

    for (size_t i = 0; (name = skn_format_name(i)); i++)
        word(cli, skn_str_of(name), SKN_STR(""));
}

skein_rc skn_completion_words(skn_cli *cli, skn_str kind)
{
    static const struct {
        const char *name;
        skein_rc (*print)(skn_cli *cli);
    } kinds[] = {
        {"worlds", worlds},     {"agents", agents},     {"conversations", conversations},
        {"versions", versions}, {"messages", messages}, {"points", points},
        {"lanes", lanes},       {"tags", tags}};
    skein_rc rc;

    if (skn_str_is(kind, "formats")) { /* no store is needed for them */
        formats(cli);
        return SKEIN_OK;
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (skn_str_is(kind, kinds[i].name)) {
            rc = skn_place_open(cli);
            return rc ? rc : kinds[i].print(cli);
        }
    return skn_fail(&cli->err, SKEIN_USAGE, "\"%.*s\" is no kind of word", SKN_FMT(kind));
}
