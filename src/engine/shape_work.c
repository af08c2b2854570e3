#include "engine/engine.h"

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
