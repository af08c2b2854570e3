#include "engine/engine.h"

static void calls(skn_jw *w, const skein_message *m)
{
    skn_jw_key(w, "toolCalls");
    skn_jw_array(w);
    for (size_t i = 0; i < m->call_count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "toolCallId", m->calls[i].call_id);
        skn_jw_kstr(w, "toolName", m->calls[i].tool_name);
        skn_jw_key(w, "args");
        if (m->calls[i].args.n)
            skn_jw_raw(w, m->calls[i].args);
        else
            skn_jw_null(w);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_kstr(w, "toolCallId", m->tool_call_id);
    skn_jw_kstr(w, "toolStatus",
                m->role != SKEIN_TOOL ? SKN_NONE
                : m->tool_failed      ? SKN_STR("error")
                                      : SKN_STR("ok"));
}

static void instruction(skn_jw *w, skn_str type, skn_str target)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "type", type);
    if (target.p)
        skn_jw_kstr(w, "target", target);
    skn_jw_object_end(w);
}

/* The source is not stored but follows from the author, who cannot be forged. */
static void instructions(skn_jw *w, const skein_message *m)
{
    skn_jw_key(w, "instructions");
    skn_jw_array(w);
    if (m->role == SKEIN_USER && m->author == SKEIN_BY_HUMAN)
        instruction(w, SKN_STR("Source.User"), SKN_NONE);
    else if ((m->role == SKEIN_USER || m->role == SKEIN_ASSISTANT) &&
             m->author == SKEIN_BY_AGENT)
        instruction(w, SKN_STR("Source.Agent"), m->sender);
    for (size_t i = 0; i < m->instruction_count; i++)
        instruction(w, m->instructions[i].type, m->instructions[i].target);
    skn_jw_array_end(w);
}

static void names(skn_jw *w, const char *key, const skein_str *at, size_t count)
{
    skn_jw_key(w, key);
    skn_jw_array(w);
    for (size_t i = 0; i < count; i++)
        skn_jw_str(w, at[i]);
    skn_jw_array_end(w);
}

/* A stored message is in the memory of those who heard it; more is known of it by its deliveries. */
static void delivery(skn_jw *w, const skein_message *m, const skein_message_facts *f)
{
    skn_jw_key(w, "delivery");
    skn_jw_array(w);
    for (size_t i = 0; i < f->seen_by_count; i++) {
        if (m->author_agent.v && skn_str_eq(f->seen_by[i], m->sender))
            continue; /* the author has it, but did not get it */
        skn_jw_object(w);
        skn_jw_kstr(w, "agent", f->seen_by[i]);
        skn_jw_kstr(w, "state", SKN_STR("inMemory"));
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

static void facts(skn_jw *w, const skein_message *m, const skein_message_facts *f,
                  const skein_deliveries *d)
{
    names(w, "originalIds", f->original_ids, f->original_count);
    skn_jw_kstr(w, "previousMessageId", f->previous_uid);
    names(w, "seenByAgents", f->seen_by, f->seen_by_count);
    if (d) {
        skn_jw_key(w, "delivery");
        skn_shape_delivery(w, d);
    } else {
        delivery(w, m, f);
    }
    skn_jw_kbool(w, "hasReply", f->reply_count > 0);
    skn_jw_kint(w, "replyCount", f->reply_count);
    skn_jw_kbool(w, "memoryOnly", f->memory_only);
    skn_jw_kstr(w, "shownReplyToMessageId", f->shown_reply);
    skn_jw_key(w, "versions");
    skn_jw_array(w);
    for (size_t i = 0; i < f->version_count; i++)
        skn_jw_int(w, f->versions[i]);
    skn_jw_array_end(w);
}

/* As an event told it, or as the facts have it. */
static void cost(skn_jw *w, const skein_message_facts *f, skn_str told)
{
    skn_jw_key(w, "usage");
    if (f && f->usage.known)
        skn_shape_usage(w, f->usage.tokens_in, f->usage.tokens_out, f->usage.estimated);
    else
        skn_jw_raw(w, told.n ? told : SKN_STR("null"));
}

static void members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                    const skein_message_facts *f, const skein_deliveries *d, skn_str usage)
{
    skn_jw_kstr(w, "messageId", m->uid);
    skn_jw_kstr(w, "chatId", chat_uid);
    skn_jw_kstr(w, "role", skn_str_of(skein_role_name(m->role)));
    skn_jw_kstr(w, "sender", m->sender);
    skn_jw_kstr(w, "content", m->content.p ? m->content : SKN_STR(""));
    skn_jw_kstr(w, "thinking", m->thinking);
    skn_jw_kstr(w, "replyToMessageId", m->reply_to);
    skn_jw_kint(w, "replyDepth", m->reply_depth);
    calls(w, m);
    instructions(w, m);
    skn_jw_kstr(w, "squashOperationId", m->squash_uid);
    if (f)
        facts(w, m, f, d);
    skn_jw_kstr(w, "model", m->model);
    cost(w, f, usage);
    skn_jw_kstr(w, "turnId", m->turn_uid);
    skn_jw_kbool(w, "stopped", m->unfinished == SKEIN_STOPPED);
    skn_jw_kstr(w, "unfinished", skn_str_of(skein_unfinished_name(m->unfinished)));
    skn_jw_kbool(w, "purged", m->purged);
    skn_jw_kint(w, "position", m->position);
    skn_jw_ktime(w, "createdAt", m->created_at);
    names(w, "warnings", &m->warning, m->warning.n ? 1 : 0);
}

void skn_shape_message_members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                               const skein_message_facts *f)
{
    members(w, chat_uid, m, f, NULL, SKN_NONE);
}

void skn_shape_message_told(skn_jw *w, skein_str chat_uid, const skein_message *m,
                            skn_str usage)
{
    members(w, chat_uid, m, NULL, NULL, usage);
}

void skn_shape_message_delivered_members(skn_jw *w, skein_str chat_uid, const skein_message *m,
                                         const skein_message_facts *f,
                                         const skein_deliveries    *d)
{
    members(w, chat_uid, m, f, d, SKN_NONE);
}

void skn_shape_message_delivered(skn_jw *w, skein_str chat_uid, const skein_message *m,
                                 const skein_message_facts *f, const skein_deliveries *d)
{
    skn_jw_object(w);
    members(w, chat_uid, m, f, d, SKN_NONE);
    skn_jw_object_end(w);
}

void skn_shape_message(skn_jw *w, skein_str chat_uid, const skein_message *m,
                       const skein_message_facts *f)
{
    skn_jw_object(w);
    skn_shape_message_members(w, chat_uid, m, f);
    skn_jw_object_end(w);
}
