#include "engine/engine.h"

#include <inttypes.h>
#include <stdio.h>

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

static void version_name(skn_jw *w, const char *key, int64_t number)
{
    char text[32];

    if (!number) {
        skn_jw_knull(w, key);
        return;
    }
    snprintf(text, sizeof text, "v%" PRId64, number);
    skn_jw_kstr(w, key, skn_str_of(text));
}

void skn_shape_thread_members(skn_jw *w, const skein_version *v)
{
    skn_jw_kstr(w, "threadId", v->thread_uid);
    version_name(w, "version", v->number);
    skn_jw_kint(w, "number", v->number);
    skn_jw_kstr(w, "originalThread", v->origin_thread_uid);
    version_name(w, "originalVersion", v->origin);
    skn_jw_kint(w, "originalLength", v->origin_length);
    skn_jw_kstr(w, "operation", v->kind);
    skn_jw_kint(w, "length", v->length);
    skn_jw_kbool(w, "current", v->current);
    skn_jw_kstr(w, "by", v->actor);
    skn_jw_kstr(w, "note", v->note);
    skn_jw_ktime(w, "createdAt", v->created_at);
}

void skn_shape_thread(skn_jw *w, const skein_version *v)
{
    skn_jw_object(w);
    skn_shape_thread_members(w, v);
    skn_jw_object_end(w);
}

/* A number that only a dry run counts; else null. */
static void counted(skn_jw *w, const char *key, int64_t n)
{
    if (n < 0)
        skn_jw_knull(w, key);
    else
        skn_jw_kint(w, key, n);
}

void skn_shape_move_members(skn_jw *w, const skein_move *move)
{
    skn_shape_thread_members(w, &move->to);
    skn_jw_kstr(w, "previousThreadId", move->from.thread_uid);
    version_name(w, "previousVersion", move->from.number);
    skn_jw_kstr(w, "move", move->what);
    skn_jw_kint(w, "steps", move->steps);
    skn_jw_kint(w, "newerMessages", move->newer);
    if (move->returning < 0)
        return; /* nobody counted */
    skn_jw_kint(w, "returning", move->returning);
    skn_jw_kint(w, "leaving", move->leaving);
    skn_jw_kint(w, "sideEffects", move->side_effects);
}

void skn_shape_move(skn_jw *w, const skein_move *move)
{
    skn_jw_object(w);
    skn_shape_move_members(w, move);
    skn_jw_object_end(w);
}

void skn_shape_squash_members(skn_jw *w, const skein_squash *s)
{
    skn_jw_kstr(w, "squashOperationId", s->uid);
    skn_jw_key(w, "sourceMessageIds");
    skn_jw_array(w);
    for (size_t i = 0; i < s->source_count; i++)
        skn_jw_str(w, s->sources[i]);
    skn_jw_array_end(w);
    skn_jw_kstr(w, "resultMessageId", s->result.uid);
    skn_jw_kstr(w, "content", s->result.content);
    skn_jw_kstr(w, "prompt", s->prompt);
    skn_jw_kstr(w, "model", s->model);
    skn_jw_kbool(w, "performedByAgent", s->by_agent);
    skn_jw_kstr(w, "by", s->version.actor);
    skn_jw_kstr(w, "threadId", s->version.thread_uid);
    version_name(w, "version", s->version.number);
    skn_jw_ktime(w, "createdAt", s->created_at);
}

void skn_shape_squash(skn_jw *w, const skein_squash *s)
{
    skn_jw_object(w);
    skn_shape_squash_members(w, s);
    skn_jw_object_end(w);
}

static void counts(skn_jw *w, const char *key, const skein_removal_agent *at, size_t count)
{
    skn_jw_key(w, key);
    skn_jw_object(w);
    for (size_t i = 0; i < count; i++) {
        skn_jw_key_str(w, at[i].name);
        skn_jw_int(w, at[i].count);
    }
    skn_jw_object_end(w);
}

void skn_shape_undo(skn_jw *w, skein_str world_name, skein_str chat_uid, skein_str thread_uid)
{
    skn_buf href;

    skn_buf_init(&href, 1024);
    skn_buf_addf(&href, "/worlds/%.*s/chats/%.*s/currentThread", SKN_FMT(world_name),
                 SKN_FMT(chat_uid));
    skn_jw_key(w, "undo");
    skn_jw_object(w);
    skn_jw_kstr(w, "method", SKN_STR("PUT"));
    skn_jw_kstr(w, "href", skn_buf_str(&href));
    skn_jw_key(w, "headers");
    skn_jw_object(w);
    skn_jw_kstr(w, "If-Match", SKN_STR("*")); /* agents may have answered since */
    skn_jw_object_end(w);
    skn_jw_key(w, "body");
    skn_jw_object(w);
    skn_jw_kstr(w, "threadId", thread_uid);
    skn_jw_object_end(w);
    skn_jw_object_end(w);
    skn_buf_release(&href);
}

void skn_shape_removal(skn_jw *w, skein_str world_name, skein_str chat_uid,
                       const skein_removal *r)
{
    skn_jw_object(w);
    skn_jw_kbool(w, "success", true);
    skn_jw_kstr(w, "messageId", r->message_uid);
    skn_jw_kint(w, "totalAgents", (int64_t)r->by_agent_count);
    skn_jw_key(w, "processedAgents");
    skn_jw_array(w);
    for (size_t i = 0; i < r->by_agent_count; i++)
        skn_jw_str(w, r->by_agent[i].name);
    skn_jw_array_end(w);
    skn_jw_key(w, "failedAgents"); /* all lanes move in one transaction, or none does */
    skn_jw_array(w);
    skn_jw_array_end(w);
    skn_jw_kint(w, "messagesRemovedTotal", r->count);
    counts(w, "removedByAgent", r->by_agent, r->by_agent_count);
    skn_jw_kint(w, "delegations", r->delegations);
    skn_jw_kbool(w, "requiresRetry", false);
    skn_jw_kstr(w, "resubmissionStatus",
                r->added.uid.p ? SKN_STR("success") : SKN_STR("skipped"));
    skn_jw_kstr(w, "newMessageId", r->added.uid);
    counted(w, "sideEffects", r->side_effects);
    skn_jw_kstr(w, "threadId", r->version.thread_uid);
    skn_jw_kstr(w, "previousThreadId", r->previous.thread_uid);
    version_name(w, "version", r->version.number);
    version_name(w, "previousVersion", r->previous.number);
    skn_shape_undo(w, world_name, chat_uid, r->previous.thread_uid);
    skn_jw_object_end(w);
}

void skn_shape_count(skn_jw *w, skein_str chat_uid, bool session, const skein_message *target,
                     const skein_removal *r)
{
    skn_shape_count_blocked(w, chat_uid, session, SKN_NONE, target, r);
}

static void preview(skn_jw *w, const skein_removal *r)
{
    skn_jw_key(w, "preview");
    skn_jw_array(w);
    for (size_t i = 0; i < r->preview_count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "messageId", r->preview[i].uid);
        skn_jw_kstr(w, "sender", r->preview[i].sender);
        skn_jw_kstr(w, "text", r->preview[i].text);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_kint(w, "previewSkipped", r->preview_skipped);
}

void skn_shape_count_blocked(skn_jw *w, skein_str chat_uid, bool session, skn_str blocked_by,
                             const skein_message *target, const skein_removal *r)
{
    char etag[128];

    snprintf(etag, sizeof etag, "\"%.*s.%" PRId64 "\"", SKN_FMT(r->previous.thread_uid),
             r->previous.length);
    skn_jw_object(w);
    skn_jw_kstr(w, "messageId", r->message_uid);
    skn_jw_kstr(w, "chatId", chat_uid);
    skn_jw_kint(w, "count", r->count);
    skn_jw_kbool(w, "isFirst", r->is_first);
    skn_jw_kint(w, "toolResults", r->tool_results);
    counts(w, "byAgent", r->by_sender, r->by_sender_count);
    counts(w, "removedByAgent", r->by_agent, r->by_agent_count);
    skn_jw_kint(w, "delegations", r->delegations);
    skn_jw_kint(w, "briefings", r->briefings);
    counted(w, "sideEffects", r->side_effects);
    skn_jw_kint(w, "agents", (int64_t)r->by_agent_count);
    preview(w, r);
    skn_jw_kbool(w, "editable", session && !blocked_by.p && target->author == SKEIN_BY_HUMAN);
    skn_jw_kstr(w, "blockedBy", blocked_by);
    skn_jw_kbool(w, "sessionMode", session);
    skn_jw_kstr(w, "etag", skn_str_of(etag));
    skn_jw_object_end(w);
}

static const char *const diff_names[] = {"removed", "added", "replaced", "moved"};

static void side(skn_jw *w, const char *key, skein_str chat_uid, const skein_message *m)
{
    skn_jw_key(w, key);
    if (m->uid.p)
        skn_shape_message(w, chat_uid, m, NULL);
    else
        skn_jw_null(w);
}

void skn_shape_diff(skn_jw *w, skein_str chat_uid, const skein_version *from,
                    const skein_version *to, const skein_diff *diff)
{
    skn_jw_object(w);
    version_name(w, "from", from->number);
    version_name(w, "to", to->number);
    skn_jw_kint(w, "same", diff->same);
    skn_jw_key(w, "changes");
    skn_jw_array(w);
    for (size_t i = 0; i < diff->count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "kind", skn_str_of(diff_names[diff->at[i].kind]));
        side(w, "before", chat_uid, &diff->at[i].before);
        side(w, "after", chat_uid, &diff->at[i].after);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}
