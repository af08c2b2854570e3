/* work_tell.c: the events about agents at work. */
#include "engine/engine.h"
#include "engine/work/chat_work.h"

/* The queue may be long; who wants all of it asks for it. */
#define SHOWN_WAITING ((size_t)100)

static void tell_with_cause(skn_working *w, const char *type, skn_str cause, skn_told *d)
{
    if (w->silent)
        skn_told_drop(d);
    else
        skn_feed_chat(w->tx, &w->chat, type, cause, d);
}

static skn_str none_if_empty(skn_str s)
{
    return s.n ? s : SKN_NONE;
}

/* An agent may be at work in the main lane and on lanes at once. */
void skn_tell_state(skn_working *w, const skein_turn *t, const char *state, skn_str detail)
{
    tell_with_cause(w, "agent.state", t->cause,
                    SKN_TOLD(SKN_M_TEXT("agent", t->agent_name),
                             SKN_M_TEXT("state", skn_str_of(state)),
                             SKN_M_GIVEN("detail", none_if_empty(detail)),
                             SKN_M_GIVEN("threadPath", t->lane_key)));
}

void skn_tell_doing(skn_working *w, const skein_turn *t, skn_str item)
{
    skn_told *d = SKN_TOLD(SKN_M_TEXT("agent", t->agent_name),
                           SKN_M_TEXT("state", skn_str_of(skn_turn_doing(t))),
                           SKN_M_GIVEN("detail", none_if_empty(t->tool)));

    if (t->waits_until)
        skn_jw_ktime(&d->w, "until", t->waits_until);
    skn_jw_kgiven(&d->w, "inboxId", item);
    skn_jw_kgiven(&d->w, "threadPath", t->lane_key);
    tell_with_cause(w, "agent.state", t->cause, d);
}

void skn_tell_said(skn_working *w, const skein_message *m, skn_str lane, skn_str cause)
{
    skn_feed_message(w->tx, &w->chat, "message.created", m, cause,
                     SKN_TOLD(SKN_M_GIVEN("threadPath", lane)));
}

void skn_tell_delivered(skn_working *w, skn_str message, skn_str agent, const char *state,
                        skn_str cause)
{
    tell_with_cause(w, "message.delivered", cause,
                    SKN_TOLD(SKN_M_TEXT("messageId", message), SKN_M_TEXT("agent", agent),
                             SKN_M_TEXT("state", skn_str_of(state))));
}

void skn_tell_stopped(skn_working *w, skn_str message, skn_str agent, skn_str cause)
{
    tell_with_cause(w, "message.delivered", cause,
                    SKN_TOLD(SKN_M_TEXT("messageId", message), SKN_M_TEXT("agent", agent),
                             SKN_M_TEXT("state", SKN_STR("inMemory")),
                             SKN_M_TIME("stoppedAt", w->now)));
}

/* The members that all events of an answer have. */
#define OF_TURN(t)                                                                             \
    SKN_M_TEXT("messageId", (t)->message_uid), SKN_M_TEXT("agent", (t)->agent_name),           \
        SKN_M_TEXT("turnId", (t)->uid), SKN_M_TEXT("replyToMessageId", (t)->trigger_uid),      \
        SKN_M_GIVEN("threadPath", (t)->lane_key)

void skn_tell_started(skn_working *w, const skein_turn *t)
{
    tell_with_cause(w, "message.started", t->cause,
                    SKN_TOLD(OF_TURN(t), SKN_M_TEXT("model", t->model)));
}

void skn_tell_withdrawn(skn_working *w, const skein_turn *t)
{
    tell_with_cause(w, "message.withdrawn", t->cause, SKN_TOLD(OF_TURN(t)));
}

void skn_tell_failed(skn_working *w, const skein_turn *t, const char *finish,
                     const skein_error *why)
{
    skn_told *d = SKN_TOLD(OF_TURN(t), SKN_M_TEXT("finishReason", skn_str_of(finish)),
                           SKN_M_TEXT("model", t->model));

    if (why) {
        skn_jw_kstr(&d->w, "code", skn_str_of(skein_rc_name(why->rc)));
        skn_jw_kstr(&d->w, "detail", skn_str_of(why->message));
        skn_jw_kstr(&d->w, "hint", skn_str_of(why->hint));
    }
    /* What was kept of the answer is marked as cut off: asking again says nothing twice that counts. */
    skn_jw_kbool(&d->w, "retryable", !why || skein_rc_http(why->rc) >= 423);
    tell_with_cause(w, "message.failed", t->cause, d);
}

void skn_tell_completed(skn_working *w, const skein_turn *t, const skein_message *m,
                        skn_str finish, const skein_step *s)
{
    int64_t   tokens_in = s ? s->tokens_in : -1, tokens_out = s ? s->tokens_out : -1;
    skn_told *d = SKN_TOLD(SKN_M_TEXT("agent", t->agent_name),
                           SKN_M_TEXT("finishReason", finish),
                           SKN_M_GIVEN("threadPath", t->lane_key));

    if (tokens_in >= 0 || tokens_out >= 0) {
        const skein_usage used = {.tokens_in = tokens_in > 0 ? tokens_in : 0,
                                  .tokens_out = tokens_out > 0 ? tokens_out : 0,
                                  .tokens_cached = s->tokens_cached,
                                  .tokens_written = s->tokens_written,
                                  .cost = s->cost,
                                  .estimated = s->estimated || tokens_in < 0 || tokens_out < 0};

        skn_jw_key(&d->w, "usage");
        skn_shape_usage(&d->w, &used);
    }
    skn_jw_kint(&d->w, "elapsedMs", w->now > t->since ? (w->now - t->since) / 1000 : 0);
    skn_feed_message(w->tx, &w->chat, "message.completed", m, t->cause, d);
}

static void names_of(skn_told *d, const skn_delivery_rows *rows, skn_arena *a)
{
    skn_map *seen = skn_map_new(a);
    int64_t  pending = 0;

    for (size_t i = 0; i < rows->count; i++)
        pending += !skn_is_resting(&rows->at[i]);
    skn_jw_kint(&d->w, "pending", pending);
    skn_jw_karray(&d->w, "agents");
    for (size_t i = 0; i < rows->count; i++) {
        void **slot = skn_map_slot_int(seen, rows->at[i].agent_id);

        if (skn_is_resting(&rows->at[i]))
            continue;
        if (!*slot)
            skn_jw_str(&d->w, rows->at[i].agent_name);
        *slot = d;
    }
    skn_jw_array_end(&d->w);
}

void skn_tell_busy(skn_working *w, skn_str cause, const skn_delivery_rows *rows)
{
    skn_told d;

    skn_told_open(&d);
    names_of(&d, rows, w->a);
    tell_with_cause(w, "world.busy", cause, &d);
}

skein_rc skn_tell_idle(skn_working *w, skn_str cause, const skn_delivery_rows *left,
                       skein_error *err)
{
    skn_told d;
    int64_t  since = 0;
    skein_rc rc = cause.p ? skn_message_time(w->tx, cause, &since, err) : SKEIN_OK;

    if (rc)
        return rc;
    skn_told_open(&d);
    names_of(&d, left, w->a);
    skn_jw_kint(&d.w, "elapsedMs", since && w->now > since ? (w->now - since) / 1000 : 0);
    tell_with_cause(w, "world.idle", cause, &d);
    return SKEIN_OK;
}

skein_rc skn_tell_queue(skn_working *w, skn_str changed, skein_error *err)
{
    skn_told d;
    skn_str *uids;
    size_t   shown;
    int64_t  count;
    skein_rc rc;

    rc = skn_waiting_uids(w->tx, w->chat.id, SHOWN_WAITING + 1, w->a, &uids, &shown, err);
    count = (int64_t)shown;
    if (rc == SKEIN_OK && shown > SHOWN_WAITING) {
        shown = SHOWN_WAITING;
        rc = skn_waiting_count(w->tx, w->chat.id, &count, err);
    }
    if (rc)
        return rc;
    skn_told_open(&d);
    skn_jw_kstrs(&d.w, "waiting", uids, shown);
    skn_jw_kint(&d.w, "count", count);
    skn_jw_kstr(&d.w, "messageId", changed);
    tell_with_cause(w, "queue.changed", SKN_NONE, &d);
    return SKEIN_OK;
}
