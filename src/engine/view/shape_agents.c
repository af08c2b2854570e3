/* shape_agents.c: tasks, inbox, knowledge, delegations and calls of models as JSON. */
#include "base/json.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/work/act.h"

skn_str skn_task_label(const skein_task *task)
{
    if (!skn_str_is(task->status, "pending"))
        return task->status;
    if (task->running)
        return task->waits ? SKN_STR("waiting") : SKN_STR("running");
    if (task->waits_for.p)
        return SKN_STR("waiting");
    return task->attempts ? SKN_STR("retrying") : task->status;
}

/* Without the words that the lead was asked it with. */
skn_str skn_task_question(const skein_task *task)
{
    skn_str before = SKN_STR(SKN_SUBORDINATE), asks = SKN_STR(SKN_ASKS);
    skn_str q = task->question, rest = q;

    if (!skn_str_starts(q, before))
        return q;
    rest = skn_str_sub(q, before.n, q.n);
    if (!skn_str_starts(rest, task->agent_name))
        return q;
    rest = skn_str_sub(rest, task->agent_name.n, rest.n);
    return skn_str_starts(rest, asks) ? skn_str_sub(rest, asks.n, rest.n) : q;
}

void skn_shape_task(skn_jw *w, const skein_task *task)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", task->uid);
    skn_jw_kstr(w, "agent", task->agent_name);
    skn_jw_kstr(w, "assignedBy", task->assigned_by);
    skn_jw_kstr(w, "source", task->source);
    skn_jw_kstr(w, "content", task->content);
    skn_jw_kstr(w, "status", task->status);
    skn_jw_kstr(w, "label", skn_task_label(task));
    skn_jw_kbool(w, "running", task->running);
    skn_jw_kstr(w, "waitsFor", task->waits ? SKN_STR("human") : task->waits_for);
    skn_jw_kstr(w, "question", skn_task_question(task));
    skn_jw_kstr(w, "inboxId", task->inbox_uid);
    skn_jw_kint(w, "attempts", task->attempts);
    skn_jw_kstr(w, "lastError", task->last_error);
    skn_jw_kstr(w, "result", task->result);
    skn_jw_ktime(w, "notBefore", task->not_before);
    skn_jw_kstr(w, "messageId", task->message_uid);
    skn_jw_ktime(w, "createdAt", task->created_at);
    skn_jw_ktime(w, "completedAt", task->completed_at);
    skn_jw_object_end(w);
}

/* --- Inbox ------------------------------------------------------------------------------------ */

/* Where it is, in front and behind the scenes. */
static void places(skn_jw *w, const skein_inbox_item *item)
{
    skn_jw_kstr(w, "agent", item->agent);
    skn_jw_kstr(w, "world", item->world_name);
    skn_jw_kstr(w, "chatId", item->chat_uid);
    skn_jw_kstr(w, "messageId", item->message_uid);
    skn_jw_kstr(w, "workChatId", item->work_chat_uid);
    skn_jw_kstr(w, "workMessageId", item->work_message_uid);
}

/* JSON as it was written, or a text when it is none. */
static void json_or_text(skn_jw *w, skn_str s, skn_arena *scratch)
{
    const skn_json *v;

    if (s.p && skn_json_parse(&v, s, "text", scratch, NULL) == SKEIN_OK)
        skn_jw_raw(w, v->raw);
    else
        skn_jw_str(w, s);
}

void skn_shape_inbox_item(skn_jw *w, const skein_inbox_item *item, skn_arena *scratch)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", item->uid);
    skn_jw_kstr(w, "type", item->kind);
    skn_jw_kstr(w, "title", item->title);
    skn_jw_kstr(w, "content", item->content);
    places(w, item);
    skn_jw_kstr(w, "briefingId", item->briefing_uid);
    skn_jw_kstr(w, "taskId", item->task_uid);
    skn_jw_kstr(w, "tool", item->tool);
    skn_jw_key(w, "args");
    json_or_text(w, item->args, scratch);
    skn_jw_kstr(w, "toolCallId", item->call_id);
    skn_jw_key(w, "definition");
    json_or_text(w, item->definition, scratch);
    skn_jw_kstr(w, "definitionState", item->definition_state);
    skn_jw_kstr(w, "answer", item->answer);
    skn_jw_kstr(w, "reason", item->reason);
    skn_jw_kstr(w, "result", item->result);
    skn_jw_kbool(w, "open", item->open);
    skn_jw_ktime(w, "readAt", item->read_at);
    skn_jw_ktime(w, "doneAt", item->done_at);
    skn_jw_ktime(w, "snoozedUntil", item->snoozed_until);
    skn_jw_ktime(w, "createdAt", item->created_at);
    skn_jw_object_end(w);
}

void skn_shape_briefing(skn_jw *w, const skein_inbox_item *item)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", item->briefing_uid);
    skn_jw_kstr(w, "inboxId", item->uid);
    skn_jw_kstr(w, "title", item->title);
    skn_jw_kstr(w, "summary", item->content);
    skn_jw_kstr(w, "text", item->briefing);
    places(w, item);
    skn_jw_ktime(w, "createdAt", item->created_at);
    skn_jw_object_end(w);
}

/* --- What agents know, asked and were asked --------------------------------------------------- */

void skn_shape_knowledge(skn_jw *w, const skein_knowledge *item)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", item->uid);
    skn_jw_kstr(w, "type", item->type);
    skn_jw_kstr(w, "content", item->content);
    skn_jw_kint(w, "confidence", item->confidence);
    skn_jw_kstr(w, "chatId", item->chat_uid);
    skn_jw_kstr(w, "messageId", item->message_uid);
    skn_jw_ktime(w, "createdAt", item->created_at);
    skn_jw_object_end(w);
}

void skn_shape_delegation(skn_jw *w, const skein_delegation *d)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "delegationId", d->key);
    skn_jw_kstr(w, "threadPath", d->key);
    skn_jw_kstr(w, "parent", d->parent_key);
    skn_jw_kstr(w, "chatId", d->chat_uid);
    skn_jw_kstr(w, "agent", d->agent);
    skn_jw_kstr(w, "askedBy", d->asked_by);
    skn_jw_kstr(w, "title", d->title);
    skn_jw_kstr(w, "spawnCallId", d->spawn_call_id);
    skn_jw_kstr(w, "spawnMessageId", d->spawn_message_uid);
    skn_jw_kstr(w, "state", skn_str_of(skn_lane_state_name(d->state)));
    skn_jw_kbool(w, "waited", d->waited);
    skn_jw_kint(w, "messageCount", d->messages);
    skn_jw_ktime(w, "createdAt", d->created_at);
    skn_jw_object_end(w);
}

void skn_shape_expected(skn_jw *w, const skein_expected *e)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "asker", e->asker);
    skn_jw_kstr(w, "asked", e->asked);
    skn_jw_kstr(w, "messageId", e->message_uid);
    skn_jw_kstr(w, "answerMessageId", e->answer_uid);
    skn_jw_kstr(w, "state", e->state);
    skn_jw_ktime(w, "createdAt", e->created_at);
    skn_jw_object_end(w);
}

/* --- Calls of models -------------------------------------------------------------------------- */

static void counted(skn_jw *w, const char *key, int64_t tokens)
{
    if (tokens < 0)
        skn_jw_knull(w, key);
    else
        skn_jw_kint(w, key, tokens);
}

void skn_shape_usage(skn_jw *w, int64_t tokens_in, int64_t tokens_out, bool estimated)
{
    skn_jw_object(w);
    counted(w, "inputTokens", tokens_in);
    counted(w, "outputTokens", tokens_out);
    skn_jw_kbool(w, "estimated", estimated);
    skn_jw_object_end(w);
}

static void call_members(skn_jw *w, const skein_model_call *call)
{
    skn_jw_kstr(w, "id", call->uid);
    skn_jw_kstr(w, "agent", call->agent_name);
    skn_jw_kstr(w, "chatId", call->chat_uid);
    skn_jw_kstr(w, "messageId", call->message_uid);
    skn_jw_kstr(w, "purpose", call->purpose);
    skn_jw_kstr(w, "model", call->model);
    skn_jw_kstr(w, "state", call->state);
    skn_jw_kstr(w, "error", call->error);
    skn_jw_key(w, "usage");
    skn_shape_usage(w, call->tokens_in, call->tokens_out, call->estimated);
    skn_jw_kint(w, "firstMs", call->first_ms);
    skn_jw_kint(w, "totalMs", call->total_ms);
    skn_jw_kint(w, "tries", call->tries);
    skn_jw_ktime(w, "createdAt", call->created_at);
}

void skn_shape_model_call(skn_jw *w, const skein_model_call *call)
{
    skn_jw_object(w);
    call_members(w, call);
    skn_jw_object_end(w);
}

/* What a server sent need not be text: every byte that is none becomes U+FFFD. */
static skn_str as_text(skn_str s, skn_arena *a)
{
    skn_buf b;
    skn_str out;
    size_t  bad;

    if (!s.p || skn_utf8_valid(s, &bad))
        return s;
    skn_buf_init(&b, SIZE_MAX);
    while (!skn_utf8_valid(s, &bad)) {
        skn_buf_add(&b, (skn_str){s.p, bad});
        skn_buf_add(&b, SKN_STR("\xEF\xBF\xBD"));
        s.p += bad + 1;
        s.n -= bad + 1;
    }
    skn_buf_add(&b, s);
    out = skn_arena_copy(a, skn_buf_str(&b));
    skn_buf_release(&b);
    return out;
}

/* A list of ids for each part of the context. */
static void made_of(skn_jw *w, skn_str parts)
{
    skn_str part, id;

    skn_jw_key(w, "contextMessageIds");
    if (!parts.p) {
        skn_jw_null(w);
        return;
    }
    skn_jw_array(w);
    while (parts.n && skn_str_split(&parts, '\n', &part)) {
        skn_jw_array(w);
        while (part.n && skn_str_split(&part, ' ', &id))
            skn_jw_str(w, id);
        skn_jw_array_end(w);
    }
    skn_jw_array_end(w);
}

void skn_shape_model_call_whole(skn_jw *w, const skein_model_call *call, skn_arena *scratch)
{
    skn_buf b;

    skn_buf_init(&b, SIZE_MAX);
    for (size_t i = 0; i < call->piece_count; i++)
        skn_buf_add(&b, call->pieces[i]);
    skn_jw_object(w);
    call_members(w, call);
    skn_jw_key(w, "request");
    json_or_text(w, call->piece_count ? as_text(skn_buf_str(&b), scratch) : SKN_NONE, scratch);
    skn_jw_kstr(w, "response", as_text(call->response, scratch));
    made_of(w, call->made_of);
    skn_jw_object_end(w);
    skn_buf_release(&b);
}

void skn_shape_event(skn_jw *w, const skein_event *event)
{
    skn_jw_object(w);
    skn_jw_kint(w, "seq", event->seq);
    skn_jw_ktime(w, "time", event->at);
    skn_jw_kstr(w, "world", event->world_name);
    skn_jw_kstr(w, "chatId", event->chat_uid);
    skn_jw_kstr(w, "threadId", event->thread_uid);
    skn_jw_kstr(w, "cause", event->cause);
    skn_jw_key(w, "data");
    skn_jw_raw(w, event->data.n ? event->data : SKN_STR("{}"));
    skn_jw_object_end(w);
}

void skn_shape_delivery(skn_jw *w, const skein_deliveries *list)
{
    skn_jw_array(w);
    for (size_t i = 0; i < list->count; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "agent", list->at[i].agent);
        skn_jw_kstr(w, "state", list->at[i].state);
        if (list->at[i].failed_at) {
            skn_jw_kstr(w, "error", list->at[i].error);
            skn_jw_ktime(w, "failedAt", list->at[i].failed_at);
        }
        if (list->at[i].stopped_at)
            skn_jw_ktime(w, "stoppedAt", list->at[i].stopped_at);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

void skn_shape_waiting(skn_jw *w, skein_str chat_uid, const skein_waiting *waiting)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", waiting->uid);
    skn_jw_kstr(w, "messageId", waiting->uid);
    skn_jw_kstr(w, "chatId", chat_uid);
    skn_jw_kstr(w, "sender", waiting->sender);
    skn_jw_kstr(w, "content", waiting->content);
    skn_jw_kstr(w, "replyToMessageId", waiting->reply_to);
    skn_jw_kstr(w, "clientMessageId", waiting->client_id);
    skn_jw_kbool(w, "queued", true);
    skn_jw_ktime(w, "createdAt", waiting->created_at);
    skn_jw_object_end(w);
}

void skn_shape_busy(skn_jw *w, const skein_turns *turns, int64_t now)
{
    skn_jw_array(w);
    for (size_t i = 0; i < turns->count; i++) {
        const skein_turn *t = &turns->at[i];

        skn_jw_object(w);
        skn_jw_kstr(w, "agent", t->agent_name);
        skn_jw_kstr(w, "chatId", t->chat_uid);
        skn_jw_kstr(w, "messageId", t->message_uid);
        skn_jw_kstr(w, "state", skn_str_of(skn_turn_doing(t)));
        skn_jw_kstr(w, "detail", t->tool);
        skn_jw_ktime(w, "until", t->waits_until);
        skn_jw_kstr(w, "inboxId", t->inbox_uid);
        skn_jw_kbool(w, "waitsForPerson", t->waits == SKEIN_WAITS_FOR_PERSON);
        skn_jw_kint(w, "sinceMs", now > t->since ? (now - t->since) / 1000 : 0);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
}

void skn_shape_edit_error(skn_jw *w, const skein_edit_error *what)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", what->uid);
    skn_jw_kstr(w, "chatId", what->chat_uid);
    skn_jw_kstr(w, "messageId", what->message_uid);
    skn_jw_kstr(w, "operation", what->operation);
    skn_jw_kstr(w, "error", what->error);
    skn_jw_ktime(w, "createdAt", what->at);
    skn_jw_object_end(w);
}

const char *skn_turn_state_name(skein_turn_state state)
{
    static const char *const names[] = {"open", "committed", "failed", "cancelled",
                                        "interrupted"};

    return names[state];
}

void skn_shape_notice(skn_jw *w, const skein_notice *notice)
{
    skn_jw_key(w, "notice");
    if (!notice->code.p) {
        skn_jw_null(w);
        return;
    }
    skn_jw_object(w);
    skn_jw_kstr(w, "code", notice->code);
    skn_jw_kstr(w, "text", notice->text);
    skn_jw_kstr(w, "hint", notice->hint);
    skn_jw_object_end(w);
}
