/* task_report.c: what is told of a task's end when its agent tells nothing, in the transaction of the end: to the lead
 * that gave it, to the person, and to who asked the question that was the task. In the system's name: these are not
 * the agent's words. */
#include "base/utf8.h"
#include "engine/act.h"

#define TASK_NAMED ((size_t)100) /* bytes of its first line, in a title */
#define WORDS_SENT ((size_t)8000)

skn_str skn_task_name(const skein_task *t)
{
    skn_str rest = skn_str_trim(t->content), line = SKN_NONE;

    skn_str_split(&rest, '\n', &line);
    return skn_utf8_cut(skn_str_trim(line), TASK_NAMED);
}

/* --- The lead ------------------------------------------------------------------------------------------------- */

/* Who gave the task, if it was a lead who is still there. */
static skein_rc find_lead(skn_tx *tx, skn_arena *a, const skn_task_row *task, skein_agent *out,
                          bool *found, skein_error *err)
{
    *found = false;
    if (!skn_str_is(task->task.source, "delegation") || !task->assigned_by_id)
        return SKEIN_OK;
    return skn_agent_get(tx, task->assigned_by_id, a, out, found, err);
}

/* `from` is the message that has the words; 0: none. */
static skein_rc tell_lead(skein_engine *e, skn_tx *tx, skn_arena *a, const skn_task_row *task,
                          const char *how, skn_str words, int64_t from, int64_t now,
                          skein_error *err)
{
    const skein_task *t = &task->task;
    skn_heard         what = {.source = "report",
                              .sender = SKN_STR("system"),
                              .cause = task->cause,
                              .hops_left = task->hops_left - 1,
                              .of = {from}};
    skn_str           name = skn_task_name(t); /* none of one that was erased */
    skein_agent       lead;
    skein_message     said;
    skein_task        woken;
    bool              found;
    skein_rc          rc = find_lead(tx, a, task, &lead, &found, err);

    if (rc || !found)
        return rc;
    what.agent = lead.id.v;
    if (name.n)
        what.of[1] = task->message_id ? task->message_id : task->call_message_id;
    what.text = skn_said_by(e, a,
                            skn_arena_printf(a, "The system reports: %.*s %s %s%.*s%s. ",
                                             SKN_FMT(t->agent_name), how,
                                             name.n ? "the task \"" : "a task", SKN_FMT(name),
                                             name.n ? "\"" : ""),
                            words);
    rc = skn_background_say(e, tx, a, &what, now, &said, &woken, err);
    return skn_is_gone(rc) ? SKEIN_OK : rc; /* with its world */
}

/* What the agent said last, or that it said nothing. */
static skn_str last_words(skn_arena *a, const char *before, skn_str text)
{
    return skn_str_trim(text).n ? skn_arena_printf(a, "%s Its last words: %.*s", before,
                                                   SKN_FMT(skn_utf8_cut(text, WORDS_SENT)))
                                : skn_arena_printf(a, "%s It said nothing.", before);
}

/* The agent has reported itself, to its lead: is it still the one who gave the task? */
static skein_rc was_reported(skein_engine *e, skn_tx *tx, skn_arena *a,
                             const skn_task_row *task, int64_t now, skein_error *err)
{
    skein_agent me;
    bool        found;
    skein_rc    rc = skn_agent_get(tx, task->task.agent.v, a, &me, &found, err);

    if (rc || !found || !me.lead.v || me.lead.v == task->assigned_by_id)
        return rc;
    return tell_lead(
        e, tx, a, task, "has completed",
        skn_arena_printf(a, "It has reported to %.*s, its lead now.", SKN_FMT(me.lead_name)), 0,
        now, err);
}

static skein_rc report_to_lead(skein_engine *e, skn_tx *tx, skn_arena *a,
                               const skn_task_row *task, const skn_task_end *end, int64_t now,
                               skein_error *err)
{
    if (task->task.result.p)
        return was_reported(e, tx, a, task, now, err);
    if (skn_str_is(skn_str_of(end->status), "completed"))
        return tell_lead(e, tx, a, task, "has completed",
                         last_words(a, "It sent no report.", end->result), end->words, now,
                         err);
    return tell_lead(e, tx, a, task, "does not do",
                     skn_arena_printf(a, "It was cancelled%s%.*s.", end->why.n ? ": " : "",
                                      SKN_FMT(end->why)),
                     0, now, err);
}

skein_rc skn_task_report_failing(skein_engine *e, skn_tx *tx, skn_arena *a,
                                 const skn_task_row *task, int64_t now, skein_error *err)
{
    return tell_lead(e, tx, a, task, "has failed at",
                     skn_arena_printf(a, "It is tried again. The last failure: %.*s",
                                      SKN_FMT(skn_utf8_cut(task->task.last_error, WORDS_SENT))),
                     0, now, err);
}

/* --- The person ----------------------------------------------------------------------------------------------- */

/* What was reported to a lead is not copied: it is the text of a call, and not of the words that are named. */
static skn_str says_person(skn_arena *a, const skn_task_row *task, const skn_task_end *end)
{
    if (task->task.result.p)
        return SKN_STR(
            "The system tells you this: there was no briefing. The agent has reported "
            "to its lead.");
    return last_words(a, "The system tells you this: there was no briefing.", end->result);
}

/* Is it for a person to be told, who was not? Who cancelled a task knows it. */
static skein_rc is_untold(skn_tx *tx, const skein_task *t, const skn_task_end *end, bool *yes,
                          skein_error *err)
{
    bool     told = true;
    skein_rc rc = SKEIN_OK;

    if (skn_str_is(t->source, "user") && skn_str_is(skn_str_of(end->status), "completed"))
        rc = skn_inbox_briefed(tx, t->id, &told, err);
    *yes = !told;
    return rc;
}

static skein_rc tell_person(skn_tx *tx, skn_arena *a, const skn_task_row *task,
                            const skn_task_end *end, int64_t now, skein_error *err)
{
    const skein_task    *t = &task->task;
    skn_conversation_row chat;
    skn_inbox_row        item = {
               .item = {.kind = SKN_STR("finished"), .world = t->world, .created_at = now},
               .agent_id = t->agent.v,
               .message_id = end->words,
               .work_message_id = task->message_id,
               .task_id = t->id};
    bool     untold, found;
    skein_rc rc;

    if ((rc = is_untold(tx, t, end, &untold, err)) || !untold ||
        (rc = skn_conversation_by_agent(tx, t->agent.v, SKEIN_BACKGROUND, a, &chat, &found,
                                        err)))
        return rc;
    item.conversation_id = found ? chat.id : 0;
    item.item.title = skn_arena_printf(a, "%.*s has finished a task: %.*s",
                                       SKN_FMT(t->agent_name), SKN_FMT(skn_task_name(t)));
    item.item.content = says_person(a, task, end);
    return skn_inbox_new(tx, a, &item, err);
}

/* --- Who asked, and who was asked -------------------------------------------------------------------------------- */

skein_rc skn_task_unanswered(skein_engine *e, skn_tx *tx, skn_arena *a,
                             const skn_task_row *task, const skn_task_end *end, int64_t now,
                             skein_error *err)
{
    const skein_task *t = &task->task;
    bool              cancelled = skn_str_is(skn_str_of(end->status), "cancelled");
    skn_expected_row  asked;
    bool              found = false;
    skein_rc          rc = SKEIN_OK;

    if (task->message_id)
        rc = skn_expected_of(tx, task->message_id, t->agent.v, a, &asked, &found, err);
    if (rc || !found)
        return rc;
    return skn_expect_none(
        e, tx, &asked,
        cancelled ? skn_arena_printf(a, "the work of %.*s on it was cancelled%s%.*s",
                                     SKN_FMT(t->agent_name), end->why.n ? ": " : "",
                                     SKN_FMT(end->why))
                  : skn_arena_printf(a, "%.*s has said nothing to it", SKN_FMT(t->agent_name)),
        now, a, err);
}

/* Nobody goes on with what is answered to a task that is cancelled. */
static skein_rc withdraw(skn_tx *tx, const skn_task_row *task, int64_t now, skein_error *err)
{
    bool     any;
    skein_rc rc;

    if ((rc = skn_expected_withdraw(tx, task->task.id, now, err)) ||
        (rc = skn_inbox_withdraw(tx, task->task.id, SKN_STR("its task was cancelled"), now,
                                 &any, err)) ||
        !any)
        return rc;
    return skn_inbox_tell(tx, task->task.world.v, NULL, "inbox.updated", now, err);
}

skein_rc skn_task_report(skein_engine *e, skn_tx *tx, skn_arena *a, const skn_task_row *task,
                         const skn_task_end *end, int64_t now, skein_error *err)
{
    skein_rc rc;

    if ((rc = report_to_lead(e, tx, a, task, end, now, err)) ||
        (rc = tell_person(tx, a, task, end, now, err)) ||
        !skn_str_is(skn_str_of(end->status), "cancelled") ||
        (rc = skn_task_unanswered(e, tx, a, task, end, now, err)))
        return rc;
    return withdraw(tx, task, now, err);
}
