/* Answers of a server as the engine's types: messages, versions, and the places where they are. */
#include "base/clock.h"
#include "base/error.h"
#include "cli/door.h"
#include "cli/door_view.h"
#include "cli/place.h"

#include <inttypes.h>
#include <string.h>

skn_str skn_door_text(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_STRING ? m->text : SKN_NONE;
}

const skn_json *skn_first(const skn_json *v, const char *member)
{
    const skn_json *list = skn_json_get(v, member);

    return list ? list->first : NULL; /* what is no list has none */
}

int64_t skn_door_int(const skn_json *v, const char *key, int64_t fallback)
{
    int64_t out;

    return skn_json_int(v, key, fallback, &out, NULL) ? fallback : out;
}

bool skn_door_flag(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_BOOL && m->boolean;
}

int64_t skn_door_time(const skn_json *v, const char *key)
{
    int64_t at = 0;

    return skn_time_parse(skn_door_text(v, key), &at) ? at : 0;
}

/* Of a world or an agent. Hints are commands to paste that name it, so one that a shell would obey is no name. */
static skn_str name_of(const skn_json *v)
{
    skn_str name = skn_door_text(v, "name");

    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] <= ' ' || strchr("\"'`$&|;<>()*?[]{}#~!\\", name.p[i]))
            return SKN_NONE;
    return name;
}

void skn_door_read_world(skn_cli *cli, const skn_json *v, skein_world *out)
{
    skn_told_world told;

    skn_shape_read(&skn_world_shape, v, cli->keep, &told);
    *out = told.world;
    out->name = name_of(v);
    out->id.v = skn_door_number(cli, out->uid);
    out->current_chat.v = skn_door_number(cli, out->current_chat_uid);
}

void skn_door_read_agent(skn_cli *cli, const skn_json *v, skein_agent *out)
{
    skn_told_agent told;

    skn_shape_read(&skn_agent_shape, v, cli->keep, &told);
    *out = told.agent;
    out->name = name_of(v);
    out->settings = v->raw;
    out->id.v = skn_door_number(cli, out->uid);
    out->lead.v = out->lead_name.n ? 1 : 0; /* who it is, is known by name alone */
}

void skn_door_read_chat(skn_cli *cli, const skn_json *v, skein_conversation *out)
{
    skn_chat_from_json(v, cli->keep, out);
    out->id.v = skn_door_number(cli, out->uid);
}

int64_t skn_door_version_number(skn_str name)
{
    int64_t n = 0;

    return name.n > 1 && skn_str_int(skn_str_sub(name, 1, name.n), &n) ? n : 0;
}

void skn_door_read_version(const skn_json *v, skein_version *out)
{
    skn_version_from_json(v, NULL, out);
}

void skn_door_read_message(skn_cli *cli, const skn_json *v, skein_message *out,
                           skein_message_facts *facts, skein_deliveries *deliveries)
{
    skn_told_message told = {.m.position = -1};

    skn_shape_fill(&skn_message_shape, v, cli->keep, &told);
    *out = told.m;
    out->id.v = skn_door_number(cli, out->uid);
    if (out->author == SKEIN_BY_AGENT)
        out->author_agent.v = skn_door_number(cli, out->sender);
    if (told.f.original_count &&
        !out->squash_uid.n) /* an edit; of what, is told by the facts */
        out->version_of = out->id;
    if (facts)
        *facts = told.f;
    if (deliveries)
        *deliveries = told.d;
}

/* Worlds, conversations, agents, messages and versions of a store that is elsewhere. */

/* --- Worlds and agents -------------------------------------------------------------------- */

/* Without its agents and conversations, which take longer. */
#define WORLD_ALONE                                                                            \
    "?fields=id,name,description,turnLimit,compactAt,settings,currentChatId,createdAt"

skein_rc skn_door_worlds(skn_cli *cli, skein_worlds *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_door_all(cli, "/worlds" WORLD_ALONE, 0, &list);

    *out = (skein_worlds){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_world)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_door_read_world(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

void skn_door_enter(skn_cli *cli, const skein_world *world)
{
    cli->door->world_name = world->name;
    cli->door->world =
        skn_arena_printf(cli->keep, "/worlds/%s", skn_door_part(cli, world->name)).p;
}

void skn_door_enter_chat(skn_cli *cli, const skein_conversation *chat)
{
    cli->door->chat_uid = chat->uid;
    cli->door->chat = skn_arena_printf(cli->keep, "%s/chats/%s", cli->door->world,
                                       skn_door_part(cli, chat->uid))
                          .p;
}

skein_rc skn_door_world(skn_cli *cli, skn_str ref, skein_world *out)
{
    const skn_json *v;
    skein_rc rc = skn_door_get(cli, &v, "/worlds/%s" WORLD_ALONE, skn_door_part(cli, ref));

    if (!rc)
        skn_door_read_world(cli, v, out);
    return skn_missing(cli, rc, "world");
}

skein_rc skn_door_agents(skn_cli *cli, skein_agents *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_door_all(
             cli, skn_arena_printf(cli->keep, "%s/agents", cli->door->world).p, 0, &list);

    *out = (skein_agents){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_agent)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_door_read_agent(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_door_agent(skn_cli *cli, skn_str name, skein_agent *out)
{
    skn_str         bare = skn_str_sub(name, skn_str_starts(name, SKN_STR("@")), name.n);
    const skn_json *v;
    skein_rc        rc = skn_door_get(cli, &v, "%s/agents/%s", cli->door->world,
                                      skn_door_part(cli, bare));

    if (!rc)
        skn_door_read_agent(cli, v, out);
    return skn_missing(cli, rc, "agent");
}

/* --- Conversations ------------------------------------------------------------------------ */

skein_rc skn_door_chat(skn_cli *cli, const char *ref, skein_conversation *out)
{
    const skn_json *v;
    skein_rc        rc = skn_door_get(cli, &v, "%s/chats/%s?typed=true", cli->door->world,
                                      skn_door_part(cli, skn_str_of(ref)));

    if (rc)
        return cli->more.thing ? rc : skn_missing(cli, rc, "chat");
    skn_door_read_chat(cli, v, out);
    skn_door_enter_chat(cli, out);
    return SKEIN_OK;
}

/* --- Messages and versions ---------------------------------------------------------------- */

skein_rc skn_door_message(skn_cli *cli, skn_str ref, skein_message *out,
                          skein_message_facts *facts, skein_deliveries *deliveries)
{
    const skn_json *v;
    skein_rc rc = skn_door_get(cli, &v, "%s/messages/%s?chatId=%s&typed=true", cli->door->world,
                               skn_door_part(cli, ref),
                               skn_door_part(cli, cli->door->chat_uid));

    if (!rc)
        skn_door_read_message(cli, v, out, facts, deliveries);
    return skn_missing(cli, rc, "message");
}

skein_rc skn_door_history(skn_cli *cli, skein_versions *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_door_all(
             cli, skn_arena_printf(cli->keep, "%s/threads", cli->door->chat).p, 0, &list);

    *out = (skein_versions){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_version)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_door_read_version(list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_door_version(skn_cli *cli, skn_str ref, skein_version *out)
{
    const skn_json *v;
    skein_rc        rc = skn_door_get(cli, &v, "%s/threads/%s", cli->door->chat,
                                      skn_door_part(cli, ref));

    if (!rc)
        skn_door_read_version(v, out);
    return skn_missing(cli, rc, "version");
}

skein_rc skn_door_version_numbered(skn_cli *cli, int64_t number, skein_version *out)
{
    return skn_door_version(cli, skn_arena_printf(cli->keep, "v%" PRId64, number), out);
}
