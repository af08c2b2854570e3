/* act_work.c: what agents do with each other: asking, reporting, giving work. */
#include "engine/act.h"

#define QUESTION_BYTES ((size_t)16384) /* of one for a person */

static skein_rc check_said(const skn_acting *c, const char *what, skein_error *err)
{
    skein_rc rc = skn_check_text(c->w.e, c->act->text, what, err);

    if (rc || skn_str_trim(c->act->text).n > 0)
        return rc;
    return skn_fail(err, SKEIN_INVALID, "%s is empty", what);
}

/* Agents that set each other to work come to an end. */
static skein_rc check_hops(const skn_acting *c, skein_error *err)
{
    if (c->row.turn.hops_left > 1)
        return SKEIN_OK;
    return skn_hint(
        err,
        skn_fail(err, SKEIN_LIMIT, "this went through as many agents as it may: the hop limit"),
        "Answer with what there is, or ask the person.");
}

static skein_rc find_lead(const skn_acting *c, skein_agent *out, bool *found, skein_error *err)
{
    *found = false;
    if (c->me.lead.v == 0)
        return SKEIN_OK;
    return skn_agent_get(c->w.tx, c->me.lead.v, c->w.a, out, found, err);
}

static skn_heard heard_of(const skn_acting *c, const skein_agent *who, const char *source,
                          const char *how)
{
    return (skn_heard){.agent = who->id.v,
                       .source = source,
                       .sender = c->me.name,
                       .by = c->me.id.v,
                       .text = skn_said_by(c->w.e, c->w.a,
                                           skn_arena_printf(c->w.a, SKN_SUBORDINATE "%.*s%s",
                                                            SKN_FMT(c->me.name), how),
                                           c->act->text),
                       .cause = c->row.turn.cause,
                       .hops_left = c->row.turn.hops_left - 1,
                       .of = {c->row.step_message_id}};
}

static void tell(skn_acting *c, const char *type, skn_str to, skn_str message, skn_str item)
{
    skn_told d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "agent", c->me.name);
    skn_jw_kstr(&d.w, "to", to);
    skn_jw_kstr(&d.w, "toolCallId", c->act->call_id);
    skn_jw_kstr(&d.w, "messageId", message);
    skn_jw_kstr(&d.w, "inboxId", item);
    skn_feed_chat(c->w.tx, &c->w.chat, type, c->row.turn.cause, &d);
}

/* --- request_input ------------------------------------------------------------------------------------------- */

/* Nobody would answer what nobody works on. */
static skein_rc too_busy(const skein_agent *lead, skein_error *err)
{
    return skn_hint(err,
                    skn_fail(err, SKEIN_LIMIT,
                             "\"%.*s\" was not asked: %d tasks wait for it already",
                             SKN_FMT(lead->name), SKN_TASKS_MAX),
                    "Go on without the answer, or end with what is missing.");
}

static skein_rc ask_lead(skn_acting *c, const skein_agent *lead, skein_error *err)
{
    skein_instruction expected = {SKN_STR("ResponseExpected"), c->me.name};
    skn_heard         what = heard_of(c, lead, "question", SKN_ASKS);
    skein_message     m;
    skein_task        task;
    skein_rc          rc;

    what.instructions = &expected;
    what.instruction_count = 1;
    if ((rc = check_hops(c, err)) ||
        (rc = skn_background_say(c->w.e, c->w.tx, c->w.a, &what, c->w.now, &m, &task, err)))
        return rc;
    if (task.id == 0)
        return too_busy(lead, err);
    if ((rc = skn_expect_answer(c->w.tx, &c->me, lead->id.v, m.id.v, c->row.turn.task, c->w.now,
                                err)))
        return rc;
    tell(c, "request.input", lead->name, m.uid, SKN_NONE);
    c->result = SKN_STR("Request sent to lead");
    c->out->uid = task.uid;
    return SKEIN_OK;
}

static skein_rc ask_person(skn_acting *c, skein_error *err)
{
    skn_inbox_row item = {.item = {.kind = SKN_STR("question"),
                                   .world = {c->w.chat.world_id},
                                   .title = skn_inbox_title(c->w.a, c->act->text),
                                   .content = c->act->text,
                                   .created_at = c->w.now},
                          .agent_id = c->me.id.v,
                          .conversation_id = c->w.chat.id,
                          .work_message_id = c->row.step_message_id,
                          .task_id = c->row.turn.task,
                          .turn_id = c->row.turn.id,
                          .call_id = c->act->call_id};
    skein_rc      rc;

    if (c->act->text.n > QUESTION_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the question is %zu bytes; the limit is %zu",
                        c->act->text.n, QUESTION_BYTES);
    if ((rc = skn_inbox_new(c->w.tx, c->w.a, &item, err)) || (rc = skn_expect_person(c, err)))
        return rc;
    tell(c, "request.input", SKN_STR("human"), SKN_NONE, item.item.uid);
    c->result = SKN_STR("Request sent to the person");
    c->out->uid = item.item.uid;
    return SKEIN_OK;
}

skein_rc skn_act_request_input(skn_acting *c, skein_error *err)
{
    skein_agent lead;
    bool        has_lead;
    skein_rc    rc;

    if ((rc = check_said(c, "the question", err)) || (rc = find_lead(c, &lead, &has_lead, err)))
        return rc;
    return has_lead ? ask_lead(c, &lead, err) : ask_person(c, err);
}

/* --- report_to_lead -------------------------------------------------------------------------------------------- */

/* The report is what comes of a task, and that is one text: another would take the place of the first in the task, while
 * the lead has both. */
static skein_rc check_first(const skn_acting *c, const skein_agent *lead, skein_error *err)
{
    skn_task_row task;
    bool         found = false;
    skein_rc     rc = SKEIN_OK;

    if (c->row.turn.task)
        rc = skn_task_get(c->w.tx, c->row.turn.task, c->w.a, &task, &found, err);
    if (rc || !found || !task.task.result.p)
        return rc;
    return skn_hint(err,
                    skn_fail(err, SKEIN_CONFLICT,
                             "the report on this task was sent to \"%.*s\" already",
                             SKN_FMT(lead->name)),
                    "Finish with an answer; what is missing in the report can be told with "
                    "tell_agent.");
}

skein_rc skn_act_report(skn_acting *c, skein_error *err)
{
    skein_agent   lead;
    skn_heard     what;
    skein_message m;
    skein_task    task;
    bool          has_lead;
    skein_rc      rc;

    if ((rc = check_said(c, "the report", err)) || (rc = find_lead(c, &lead, &has_lead, err)))
        return rc;
    if (!has_lead)
        return skn_hint(err,
                        skn_fail(err, SKEIN_INVALID, "\"%.*s\" has no lead to report to",
                                 SKN_FMT(c->me.name)),
                        "Tell the person, with create_inbox_item.");
    what = heard_of(c, &lead, "report", " reports: ");
    if ((rc = check_first(c, &lead, err)) ||
        (rc = skn_background_say(c->w.e, c->w.tx, c->w.a, &what, c->w.now, &m, &task, err)))
        return rc;
    tell(c, "report.lead", lead.name, m.uid, SKN_NONE);
    c->result = SKN_STR("Report sent to lead");
    c->out->uid = m.uid;
    /* The report is what was to come of the task in hand; it is over with the turn. */
    return c->row.turn.task ? skn_task_reported(c->w.tx, c->row.turn.task, c->act->text, err)
                            : SKEIN_OK;
}

/* --- delegate_to_agent ------------------------------------------------------------------------------------------ */

skein_rc skn_act_assign(skn_acting *c, skein_error *err)
{
    skn_task_row task = {.task = {.world = {c->w.chat.world_id},
                                  .agent = c->other.id,
                                  .source = SKN_STR("delegation"),
                                  .content = c->act->text,
                                  .created_at = c->w.now},
                         .assigned_by_id = c->me.id.v,
                         .call_message_id = c->row.step_message_id,
                         .cause = c->row.turn.cause,
                         .hops_left = c->row.turn.hops_left - 1};
    skein_rc     rc;

    if ((rc = check_said(c, "the task", err)) || (rc = check_hops(c, err)))
        return rc;
    if (c->other.id.v == 0)
        return skn_fail(err, SKEIN_INVALID, "no agent is named that is to do it");
    if (c->other.lead.v != c->me.id.v)
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is no subordinate of \"%.*s\"",
                        SKN_FMT(c->other.name), SKN_FMT(c->me.name));
    if ((rc = skn_task_add(c->w.tx, c->w.a, &task, NULL, err)))
        return rc;
    c->result = skn_arena_printf(c->w.a, "Task %.*s was given to %.*s", SKN_FMT(task.task.uid),
                                 SKN_FMT(c->other.name));
    c->out->uid = task.task.uid;
    return SKEIN_OK;
}
