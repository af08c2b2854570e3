#include "cli/far_inspect.h"

#include "base/error.h"
#include "cli/place.h"

/* The lists of ids as a store keeps them. */
static skn_str made_of(skn_cli *cli, const skn_json *parts)
{
    skn_buf b;
    skn_str out;

    if (!parts || parts->kind != SKN_JSON_ARRAY)
        return SKN_NONE;
    skn_buf_init(&b, SIZE_MAX);
    for (const skn_json *part = parts->first; part; part = part->next) {
        for (const skn_json *id = part->first; id; id = id->next) {
            if (id != part->first)
                skn_buf_addc(&b, ' ');
            skn_buf_add(&b, id->text);
        }
        skn_buf_addc(&b, '\n');
    }
    out = skn_arena_copy(cli->keep, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

/* A request that was no JSON is told as text. */
static void read_call(skn_cli *cli, const skn_json *v, skein_model_call *out)
{
    const skn_json *usage = skn_json_get(v, "usage"), *request = skn_json_get(v, "request");
    skein_str      *piece = SKN_ARRAY(cli->keep, 1, skein_str);

    *out = (skein_model_call){.uid = skn_far_text(v, "id"),
                              .agent_name = skn_far_text(v, "agent"),
                              .chat_uid = skn_far_text(v, "chatId"),
                              .message_uid = skn_far_text(v, "messageId"),
                              .purpose = skn_far_text(v, "purpose"),
                              .model = skn_far_text(v, "model"),
                              .state = skn_far_text(v, "state"),
                              .error = skn_far_text(v, "error"),
                              .response = skn_far_text(v, "response"),
                              .made_of = made_of(cli, skn_json_get(v, "contextMessageIds")),
                              .tokens_in = skn_far_int(usage, "inputTokens", -1),
                              .tokens_out = skn_far_int(usage, "outputTokens", -1),
                              .estimated = skn_far_flag(usage, "estimated"),
                              .first_ms = skn_far_int(v, "firstMs", 0),
                              .total_ms = skn_far_int(v, "totalMs", 0),
                              .tries = skn_far_int(v, "tries", 0),
                              .created_at = skn_far_time(v, "createdAt")};
    if (!request || request->kind == SKN_JSON_NULL)
        return;
    *piece = request->kind == SKN_JSON_STRING ? request->text : request->raw;
    out->pieces = piece;
    out->piece_count = 1;
}

/* A message of the conversation, however it is named, or else one of another. */
static skn_str message_uid(skn_cli *cli, skn_str ref)
{
    skein_error        before = cli->err;
    skn_problem        more = cli->more;
    skein_world        world;
    skein_conversation chat;
    skein_message      m;
    bool found = !skn_need_chat(cli, &world, &chat) && !skn_need_message(cli, &chat, ref, &m);

    cli->err = before;
    cli->more = more;
    return found ? m.uid : ref;
}

skein_rc skn_far_call(skn_cli *cli, skn_str ref, skein_model_call *out, const skn_json **whole)
{
    bool     own = skn_str_starts(ref, SKN_STR("call_"));
    skein_rc rc;

    if (!own)
        ref = message_uid(cli, ref);
    rc = skn_far_get(cli, whole, own ? "%s/calls/%s" : "%s/messages/%s/context",
                     cli->door->world, skn_far_part(cli, ref));
    if (!rc)
        read_call(cli, *whole, out);
    else if (skn_str_find(skn_str_of(cli->err.hint), SKN_STR("/context")) >= 0)
        skn_hint(&cli->err, rc, "What a model would be sent now: skein context");
    return skn_missing(cli, rc, "call");
}

skein_rc skn_far_background(skn_cli *cli, const skein_agent *agent, skein_conversation *out,
                            bool *found)
{
    const char *path = skn_arena_printf(cli->keep, "%s/agents/%s/conversations",
                                        cli->door->world, skn_far_part(cli, agent->name))
                           .p;
    skn_json_list list = {0};
    skein_rc      rc = skn_far_all(cli, path, 0, &list);

    *found = false;
    for (size_t i = 0; !rc && i < list.n && !*found; i++) {
        skn_far_read_chat(cli, list.p[i], out);
        *found = out->mode == SKEIN_BACKGROUND;
    }
    if (*found)
        skn_far_enter_chat(cli, out);
    return rc;
}

skein_rc skn_far_background_new(skn_cli *cli, const skein_agent *agent, skein_conversation *out)
{
    const skn_json *v;
    skn_far_body    b;
    skn_jw         *w = skn_far_body_begin(cli, &b);
    skein_rc        rc;

    skn_jw_kstr(w, "mode", SKN_STR("background"));
    skn_jw_kstr(w, "agent", agent->name);
    rc = skn_far_send(&b, "POST", skn_arena_printf(cli->keep, "%s/chats", cli->door->world).p,
                      &v);
    if (!rc)
        skn_far_read_chat(cli, v, out);
    return rc;
}
