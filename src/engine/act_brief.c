/* act_brief.c: what an agent tells people by itself: an item in the inbox, and the whole of it in the
 * conversation that they have with it. */
#include "engine/act.h"

#define SUMMARY_BYTES ((size_t)4096)

static bool is_type(skn_str type)
{
    static const char *const types[] = {"briefing", "feedback", "signal",
                                        "alert",    "insight",  "question"};

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (skn_str_is(type, types[i]))
            return true;
    return false;
}

static skein_rc check(const skn_acting *c, skein_error *err)
{
    const skein_act *act = c->act;
    skein_rc         rc;

    if (act->type.p && !is_type(act->type))
        return skn_hint(
            err,
            skn_fail(err, SKEIN_INVALID, "\"%.*s\" is no type of a briefing",
                     (int)(act->type.n < 40 ? act->type.n : 40), act->type.p),
            "The types are briefing, feedback, signal, alert, insight and question.");
    if ((rc = skn_check_word(skn_str_trim(act->title), "the title", SKN_TITLE_MAX, err)) ||
        (rc = skn_check_text(c->w.e, act->summary, "the summary", err)) ||
        (rc = skn_check_text(c->w.e, act->text, "the text", err)))
        return rc;
    if (skn_str_trim(act->summary).n == 0 || skn_str_trim(act->text).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the %s is empty",
                        skn_str_trim(act->summary).n == 0 ? "summary" : "text");
    if (act->summary.n > SUMMARY_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the summary is %zu bytes; the limit is %zu",
                        act->summary.n, SUMMARY_BYTES);
    return SKEIN_OK;
}

static skein_rc say(skn_acting *c, const skn_conversation_row *chat, skein_message *out,
                    skein_error *err)
{
    skein_new_message n = {
        .role = SKEIN_ASSISTANT, .sender = c->me.name, .content = c->act->text};
    skein_append_request r = {.conversation = {chat->id}, .messages = &n, .count = 1};
    skein_messages       stored;
    skein_rc rc = skn_append_in(c->w.e, c->w.tx, chat, &r, c->w.now, c->w.a, &stored, err);

    if (rc || (rc = skn_copy_add(c->w.tx, stored.at[0].id.v, c->row.step_message_id, err)))
        return rc;
    *out = stored.at[0];
    skn_feed_message(c->w.tx, chat, "message.created", out, c->row.turn.cause, NULL);
    return SKEIN_OK;
}

/* The task that this is done for, and the turn that is at it: this one, or that which asked for the delegation
 * in which this happens. */
static skein_rc find_attempt(const skn_acting *c, skn_inbox_row *item, skein_error *err)
{
    skn_turn_row       row = c->row;
    skn_delegation_row d;
    bool               found = true;
    skein_rc           rc = SKEIN_OK;

    while (rc == SKEIN_OK && found && row.turn.task == 0 && row.turn.lane.v) {
        rc = skn_delegation_get(c->w.tx, row.turn.lane.v, c->w.a, &d, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_turn_get(c->w.tx, d.turn_id, c->w.a, &row, &found, err);
    }
    item->task_id = found ? row.turn.task : 0;
    item->attempt_id = item->task_id ? row.turn.id : 0;
    return rc;
}

/* An attempt at a task that ended too early may have told it: docs/decisions/0020. */
static skein_rc was_sent(skn_acting *c, const skn_inbox_row *item, bool *sent, skein_error *err)
{
    const char *what = item->item.briefing.p ? "briefing" : "question";
    int64_t     id;
    bool        same;
    skein_rc    rc;

    *sent = false;
    if (item->task_id == 0)
        return SKEIN_OK;
    rc = skn_inbox_earlier(c->w.tx, item, c->w.a, &id, &c->out->uid, &same, err);
    if (rc || id == 0)
        return rc;
    *sent = true;
    c->result = skn_arena_printf(
        c->w.a,
        "This %s was sent already, by an earlier attempt at this task, and is not sent "
        "again.%s",
        what,
        same ? ""
             : " Its text was another one: if the person should read this too, send it under "
               "another title.");
    return skn_inbox_repeat(c->w.tx, id, item->attempt_id, err);
}

static skein_rc send(skn_acting *c, skn_inbox_row *item, skein_error *err)
{
    skn_conversation_row chat;
    skein_message        m;
    skein_rc             rc;

    if ((rc = skn_own_conversation(c->w.e, c->w.tx, c->w.a, c->me.id.v, SKEIN_FOREGROUND, &chat,
                                   err)) ||
        (rc = say(c, &chat, &m, err)))
        return rc;
    item->conversation_id = chat.id;
    item->message_id = m.id.v;
    if ((rc = skn_inbox_new(c->w.tx, c->w.a, item, err)) ||
        (!item->item.briefing.p && (rc = skn_expect_person(c, err))))
        return rc;
    c->result = item->item.briefing.p ? SKN_STR("Briefing sent") : SKN_STR("Question sent");
    c->out->uid = item->item.uid;
    return SKEIN_OK;
}

skein_rc skn_act_brief(skn_acting *c, skein_error *err)
{
    bool          asks = skn_str_is(c->act->type, "question"), sent;
    skn_inbox_row item = {.item = {.kind = asks ? SKN_STR("question") : SKN_STR("briefing"),
                                   .world = {c->w.chat.world_id},
                                   .title = skn_str_trim(c->act->title),
                                   .content = c->act->summary,
                                   .briefing = asks ? SKN_NONE : c->act->text,
                                   .created_at = c->w.now},
                          .agent_id = c->me.id.v,
                          .work_message_id = c->row.step_message_id,
                          .turn_id = c->row.turn.id,
                          .call_id = c->act->call_id};
    skein_rc      rc;

    if ((rc = check(c, err)) || (rc = find_attempt(c, &item, err)) ||
        (rc = was_sent(c, &item, &sent, err)))
        return rc;
    return sent ? SKEIN_OK : send(c, &item, err);
}
