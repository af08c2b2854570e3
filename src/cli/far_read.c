/* Answers of a server as the engine's types: places and versions. Messages are in far_read.c. */
#include "base/clock.h"
#include "base/error.h"
#include "cli/far.h"
#include "cli/far_view.h"
#include "cli/place.h"

#include <inttypes.h>
#include <string.h>

skn_str skn_far_text(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_STRING ? m->text : SKN_NONE;
}

int64_t skn_far_int(const skn_json *v, const char *key, int64_t fallback)
{
    int64_t out;

    return skn_json_int(v, key, fallback, &out, NULL) ? fallback : out;
}

bool skn_far_flag(const skn_json *v, const char *key)
{
    const skn_json *m = skn_json_get(v, key);

    return m && m->kind == SKN_JSON_BOOL && m->boolean;
}

int64_t skn_far_time(const skn_json *v, const char *key)
{
    int64_t at = 0;

    return skn_time_parse(skn_far_text(v, key), &at) ? at : 0;
}

/* Of a world or an agent. Hints are commands to paste that name it, so one that a shell would obey is no name. */
static skn_str name_of(const skn_json *v)
{
    skn_str name = skn_far_text(v, "name");

    for (size_t i = 0; i < name.n; i++)
        if ((unsigned char)name.p[i] <= ' ' || strchr("\"'`$&|;<>()*?[]{}#~!\\", name.p[i]))
            return SKN_NONE;
    return name;
}

void skn_far_read_world(skn_cli *cli, const skn_json *v, skein_world *out)
{
    const skn_json *settings = skn_json_get(v, "settings");

    *out = (skein_world){.uid = skn_far_text(v, "id"),
                         .name = name_of(v),
                         .description = skn_far_text(v, "description"),
                         .turn_limit = skn_far_int(v, "turnLimit", 0),
                         .compact_at = skn_far_int(v, "compactAt", 0),
                         .settings = settings ? settings->raw : SKN_NONE,
                         .current_chat_uid = skn_far_text(v, "currentChatId"),
                         .created_at = skn_far_time(v, "createdAt")};
    out->id.v = skn_far_number(cli, out->uid);
    out->current_chat.v = skn_far_number(cli, out->current_chat_uid);
}

void skn_far_read_agent(skn_cli *cli, const skn_json *v, skein_agent *out)
{
    *out = (skein_agent){.uid = skn_far_text(v, "id"),
                         .name = name_of(v),
                         .system_prompt = skn_far_text(v, "systemPrompt"),
                         .model = skn_far_text(v, "model"),
                         .lead_name = skn_far_text(v, "lead"),
                         .settings = v->raw,
                         .created_at = skn_far_time(v, "createdAt")};
    out->id.v = skn_far_number(cli, out->uid);
    out->lead.v = out->lead_name.n ? 1 : 0; /* who it is, is known by name alone */
}

void skn_far_read_agents(skn_cli *cli, const skn_json *world, skein_agents *out)
{
    const skn_json *list = skn_json_get(world, "agents");

    *out = (skein_agents){.at = SKN_ARRAY(cli->keep, list ? list->count + 1 : 1, skein_agent)};
    for (const skn_json *v = list ? list->first : NULL; v; v = v->next)
        skn_far_read_agent(cli, v, &out->at[out->count++]);
}

void skn_far_read_chat(skn_cli *cli, const skn_json *v, skein_conversation *out)
{
    *out = (skein_conversation){.uid = skn_far_text(v, "id"),
                                .title = skn_far_text(v, "title"),
                                .agent_name = skn_far_text(v, "agent"),
                                .version = skn_far_int(v, "version", 0),
                                .thread_uid = skn_far_text(v, "currentThread"),
                                .length = skn_far_int(v, "messageCount", 0),
                                .created_at = skn_far_time(v, "createdAt"),
                                .last_activity_at = skn_far_time(v, "lastActivityAt"),
                                .archived = skn_far_flag(v, "archived"),
                                .reply_expected = skn_far_text(v, "replyExpected"),
                                .read_only = skn_far_flag(v, "readOnly")};
    out->id.v = skn_far_number(cli, out->uid);
    skn_mode_from(skn_far_text(v, "mode"), &out->mode);
}

int64_t skn_far_version_number(skn_str name)
{
    int64_t n = 0;

    return name.n > 1 && skn_str_int(skn_str_sub(name, 1, name.n), &n) ? n : 0;
}

void skn_far_read_version(const skn_json *v, skein_version *out)
{
    *out = (skein_version){.number = skn_far_int(v, "number", 0),
                           .thread_uid = skn_far_text(v, "threadId"),
                           .length = skn_far_int(v, "length", 0),
                           .origin = skn_far_version_number(skn_far_text(v, "originalVersion")),
                           .origin_thread_uid = skn_far_text(v, "originalThread"),
                           .origin_length = skn_far_int(v, "originalLength", 0),
                           .kind = skn_far_text(v, "operation"),
                           .actor = skn_far_text(v, "by"),
                           .note = skn_far_text(v, "note"),
                           .current = skn_far_flag(v, "current"),
                           .created_at = skn_far_time(v, "createdAt")};
}

/* Messages of a server as the engine's types. */

static skein_str *read_names(skn_cli *cli, const skn_json *v, const char *key, size_t *count)
{
    const skn_json *list = skn_json_get(v, key);
    skein_str      *out = SKN_ARRAY(cli->keep, (list ? list->count : 0) + 1, skein_str);

    *count = 0;
    for (const skn_json *i = list ? list->first : NULL; i; i = i->next)
        if (i->kind == SKN_JSON_STRING)
            out[(*count)++] = i->text;
    return out;
}

static void read_calls(skn_cli *cli, const skn_json *v, skein_message *out)
{
    const skn_json *list = skn_json_get(v, "toolCalls"), *args;

    out->calls = SKN_ARRAY(cli->keep, (list ? list->count : 0) + 1, skein_tool_call);
    for (const skn_json *c = list ? list->first : NULL; c; c = c->next) {
        args = skn_json_get(c, "args");
        out->calls[out->call_count++] = (skein_tool_call){
            .call_id = skn_far_text(c, "toolCallId"),
            .tool_name = skn_far_text(c, "toolName"),
            .args = args && args->kind != SKN_JSON_NULL ? args->raw : SKN_NONE};
    }
}

/* Who wrote it is told as an instruction, which is none of its own. */
static void read_instructions(skn_cli *cli, const skn_json *v, skein_message *out)
{
    const skn_json *list = skn_json_get(v, "instructions");

    out->author = out->role == SKEIN_TOOL ? SKEIN_BY_TOOL : SKEIN_BY_SYSTEM;
    out->instructions = SKN_ARRAY(cli->keep, (list ? list->count : 0) + 1, skein_instruction);
    for (const skn_json *i = list ? list->first : NULL; i; i = i->next) {
        skein_instruction one = {skn_far_text(i, "type"), skn_far_text(i, "target")};

        if (skn_str_is(one.type, "Source.User"))
            out->author = SKEIN_BY_HUMAN;
        else if (skn_str_is(one.type, "Source.Agent"))
            out->author = SKEIN_BY_AGENT;
        else
            out->instructions[out->instruction_count++] = one;
    }
    if (out->author == SKEIN_BY_AGENT)
        out->author_agent.v = skn_far_number(cli, out->sender);
}

static void read_facts(skn_cli *cli, const skn_json *v, skein_message_facts *out)
{
    const skn_json *versions = skn_json_get(v, "versions"), *usage = skn_json_get(v, "usage");

    *out = (skein_message_facts){.previous_uid = skn_far_text(v, "previousMessageId"),
                                 .reply_count = skn_far_int(v, "replyCount", 0),
                                 .memory_only = skn_far_flag(v, "memoryOnly"),
                                 .shown_reply = skn_far_text(v, "shownReplyToMessageId")};
    out->seen_by = read_names(cli, v, "seenByAgents", &out->seen_by_count);
    out->original_ids = read_names(cli, v, "originalIds", &out->original_count);
    out->versions = SKN_ARRAY(cli->keep, (versions ? versions->count : 0) + 1, int64_t);
    for (const skn_json *n = versions ? versions->first : NULL; n; n = n->next)
        if (skn_str_int(n->text, &out->versions[out->version_count]))
            out->version_count++;
    if (usage && usage->kind == SKN_JSON_OBJECT)
        out->usage = (skein_usage){.tokens_in = skn_far_int(usage, "inputTokens", -1),
                                   .tokens_out = skn_far_int(usage, "outputTokens", -1),
                                   .estimated = skn_far_flag(usage, "estimated"),
                                   .known = true};
}

static void read_deliveries(skn_cli *cli, const skn_json *v, skein_deliveries *out)
{
    const skn_json *list = skn_json_get(v, "delivery");

    *out = (skein_deliveries){
        .at = SKN_ARRAY(cli->keep, (list ? list->count : 0) + 1, skein_delivery)};
    for (const skn_json *d = list ? list->first : NULL; d; d = d->next)
        out->at[out->count++] = (skein_delivery){.agent = skn_far_text(d, "agent"),
                                                 .state = skn_far_text(d, "state"),
                                                 .error = skn_far_text(d, "error"),
                                                 .failed_at = skn_far_time(d, "failedAt"),
                                                 .stopped_at = skn_far_time(d, "stoppedAt")};
}

void skn_far_read_message(skn_cli *cli, const skn_json *v, skein_message *out,
                          skein_message_facts *facts, skein_deliveries *deliveries)
{
    size_t     count;
    skein_str *warnings = read_names(cli, v, "warnings", &count);

    *out = (skein_message){.uid = skn_far_text(v, "messageId"),
                           .sender = skn_far_text(v, "sender"),
                           .content = skn_far_text(v, "content"),
                           .thinking = skn_far_text(v, "thinking"),
                           .tool_call_id = skn_far_text(v, "toolCallId"),
                           .tool_failed = skn_str_is(skn_far_text(v, "toolStatus"), "error"),
                           .reply_to = skn_far_text(v, "replyToMessageId"),
                           .reply_depth = (int)skn_far_int(v, "replyDepth", 0),
                           .squash_uid = skn_far_text(v, "squashOperationId"),
                           .model = skn_far_text(v, "model"),
                           .turn_uid = skn_far_text(v, "turnId"),
                           .warning = count ? warnings[0] : SKN_NONE,
                           .purged = skn_far_flag(v, "purged"),
                           .created_at = skn_far_time(v, "createdAt"),
                           .position = skn_far_int(v, "position", -1)};
    skein_role_from(skn_far_text(v, "role"), &out->role);
    skein_unfinished_from(skn_far_text(v, "unfinished"), &out->unfinished);
    out->id.v = skn_far_number(cli, out->uid);
    read_calls(cli, v, out);
    read_instructions(cli, v, out);
    (void)read_names(cli, v, "originalIds", &count);
    if (count && !out->squash_uid.n) /* an edit; of what, is told by the facts */
        out->version_of.v = out->id.v;
    if (facts)
        read_facts(cli, v, facts);
    if (deliveries)
        read_deliveries(cli, v, deliveries);
}

/* Worlds, conversations, agents, messages and versions of a store that is elsewhere. */

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
