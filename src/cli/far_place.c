/* Worlds, conversations, agents, messages and versions of a store that is elsewhere. */
#include "cli/far.h"

#include "base/error.h"
#include "cli/place.h"

#include <inttypes.h>

/* --- Worlds and agents -------------------------------------------------------------------- */

skein_rc skn_far_worlds(skn_cli *cli, skein_worlds *out)
{
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, "/worlds", 0, &list);

    *out = (skein_worlds){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_world)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_far_read_world(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

void skn_far_enter(skn_cli *cli, const skein_world *world)
{
    cli->door->world =
        skn_arena_printf(cli->keep, "/worlds/%s", skn_far_part(cli, world->name)).p;
}

void skn_far_enter_chat(skn_cli *cli, const skein_conversation *chat)
{
    cli->door->chat_uid = chat->uid;
    cli->door->chat = skn_arena_printf(cli->keep, "%s/chats/%s", cli->door->world,
                                       skn_far_part(cli, chat->uid))
                          .p;
}

skein_rc skn_far_world(skn_cli *cli, skn_str ref, skein_world *out)
{
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "/worlds/%s", skn_far_part(cli, ref));

    if (!rc)
        skn_far_read_world(cli, v, out);
    return skn_missing(cli, rc, "world");
}

skein_rc skn_far_agents(skn_cli *cli, skein_agents *out)
{
    skn_json_list list = {0};
    skein_rc rc = skn_far_all(cli, skn_arena_printf(cli->keep, "%s/agents", cli->door->world).p,
                              0, &list);

    *out = (skein_agents){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_agent)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_far_read_agent(cli, list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_far_agent(skn_cli *cli, skn_str name, skein_agent *out)
{
    skn_str         bare = skn_str_sub(name, skn_str_starts(name, SKN_STR("@")), name.n);
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "%s/agents/%s", cli->door->world,
                                     skn_far_part(cli, bare));

    if (!rc)
        skn_far_read_agent(cli, v, out);
    return skn_missing(cli, rc, "agent");
}

/* --- Conversations ------------------------------------------------------------------------ */

/* In the order in which they were made. */
static void put_chat(skein_conversations *all, skein_conversation chat)
{
    size_t i = all->count++;

    for (; i > 0 && all->at[i - 1].created_at > chat.created_at; i--)
        all->at[i] = all->at[i - 1];
    all->at[i] = chat;
}

/* A server lists what agents do in the background only when that is asked for. */
skein_rc skn_far_chats(skn_cli *cli, skein_conversations *out)
{
    const char        *path = skn_arena_printf(cli->keep, "%s/chats", cli->door->world).p;
    skn_json_list      list = {0};
    skein_conversation chat;
    skein_rc           rc = skn_far_all(cli, path, 0, &list);

    if (!rc)
        rc = skn_far_all(cli, skn_arena_printf(cli->keep, "%s?mode=background", path).p, 0,
                         &list);
    *out = (skein_conversations){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_conversation)};
    for (size_t i = 0; !rc && i < list.n; i++) {
        skn_far_read_chat(cli, list.p[i], &chat);
        put_chat(out, chat);
    }
    return rc;
}

skein_rc skn_far_chat(skn_cli *cli, const char *ref, const skein_world *world,
                      skein_conversation *out)
{
    const skn_json *v;
    skein_rc        rc = skn_far_get(cli, &v, "%s/chats/%s?typed=true", cli->door->world,
                                     skn_far_part(cli, skn_str_of(ref ? ref : "@")));

    if (rc == SKEIN_NOT_FOUND && !ref)
        rc = skn_no_chat(cli, world);
    if (rc)
        return cli->more.thing ? rc : skn_missing(cli, rc, "chat");
    skn_far_read_chat(cli, v, out);
    skn_far_enter_chat(cli, out);
    return SKEIN_OK;
}

skein_rc skn_far_tags(skn_cli *cli, const skein_conversation *chat, skein_tags *out)
{
    const char *path = skn_arena_printf(cli->keep, "%s/tags%s%s", cli->door->world,
                                        chat ? "?chatId=" : "",
                                        chat ? skn_far_part(cli, chat->uid) : "")
                           .p;
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, path, 0, &list);

    *out = (skein_tags){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_tag)};
    for (size_t i = 0; !rc && i < list.n; i++)
        out->at[out->count++] = (skein_tag){
            .name = skn_far_text(list.p[i], "name"),
            .control = skn_far_text(list.p[i], "control"),
            .instruction = skn_far_text(list.p[i], "instruction"),
            .target = skn_far_text(list.p[i], "target"),
            .include_in_message = skn_far_flag(list.p[i], "includeInMessage"),
            .active = skn_far_flag(list.p[i], "active")};
    return rc;
}

skein_rc skn_far_queue(skn_cli *cli, skein_queue *out)
{
    skn_json_list list = {0};
    skein_rc rc = skn_far_all(cli, skn_arena_printf(cli->keep, "%s/queue", cli->door->chat).p,
                              0, &list);

    *out = (skein_queue){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_waiting)};
    for (size_t i = 0; !rc && i < list.n; i++)
        out->at[out->count++] = (skein_waiting){
            .uid = skn_far_text(list.p[i], "id"),
            .sender = skn_far_text(list.p[i], "sender"),
            .content = skn_far_text(list.p[i], "content"),
            .reply_to = skn_far_text(list.p[i], "replyToMessageId"),
            .client_id = skn_far_text(list.p[i], "clientMessageId"),
            .created_at = skn_far_time(list.p[i], "createdAt")};
    return rc;
}

/* --- Messages and versions ---------------------------------------------------------------- */

skein_rc skn_far_message(skn_cli *cli, skn_str ref, skein_message *out,
                         skein_message_facts *facts, skein_deliveries *deliveries)
{
    const skn_json *v;
    skein_rc rc = skn_far_get(cli, &v, "%s/messages/%s?chatId=%s&typed=true", cli->door->world,
                              skn_far_part(cli, ref), skn_far_part(cli, cli->door->chat_uid));

    if (!rc)
        skn_far_read_message(cli, v, out, facts, deliveries);
    return skn_missing(cli, rc, "message");
}

skein_rc skn_far_history(skn_cli *cli, skein_versions *out)
{
    skn_json_list list = {0};
    skein_rc rc = skn_far_all(cli, skn_arena_printf(cli->keep, "%s/threads", cli->door->chat).p,
                              0, &list);

    *out = (skein_versions){.at = SKN_ARRAY(cli->keep, list.n + 1, skein_version)};
    for (size_t i = 0; !rc && i < list.n; i++)
        skn_far_read_version(list.p[i], &out->at[out->count++]);
    return rc;
}

skein_rc skn_far_version(skn_cli *cli, int64_t number, skn_str thread, skein_version *out)
{
    const skn_json *v;
    skn_str         ref = number ? skn_arena_printf(cli->keep, "v%" PRId64, number) : thread;
    skein_rc        rc = skn_far_get(cli, &v, "%s/threads/%s", cli->door->chat,
                                     skn_far_part(cli, ref));

    if (!rc)
        skn_far_read_version(v, out);
    return rc;
}
