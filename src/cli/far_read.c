/* Answers of a server as the engine's types: places and versions. Messages are in far_message.c. */
#include "cli/far.h"

#include "base/clock.h"

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
