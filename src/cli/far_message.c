/* Messages of a server as the engine's types. */
#include "cli/far.h"

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
