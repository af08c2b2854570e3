/* task_over.c: how a task ends with the turn that was at it: it is completed, cancelled, or tried again
 * later. */
#include "base/utf8.h"
#include "engine/act.h"
#include "engine/engine.h"

#define SECOND      ((int64_t)1000000)
#define ERROR_SHOWN ((size_t)2000)

/* One second, then four times as long each time, up to an hour. */
static int64_t back_off(int64_t failures)
{
    int64_t wait = SECOND;

    for (int64_t i = 1; i < failures && wait < SKN_BACK_OFF_MAX; i++)
        wait *= 4;
    return wait < SKN_BACK_OFF_MAX ? wait : SKN_BACK_OFF_MAX;
}

static skein_rc tell_person(skn_working *w, const skn_task_row *task, skein_error *err)
{
    const skein_task *t = &task->task;
    skn_inbox_row     item = {.item = {.kind = SKN_STR("failure"),
                                       .world = t->world,
                                       .content = skn_utf8_cut(t->last_error, ERROR_SHOWN),
                                       .created_at = w->now},
                              .agent_id = t->agent.v,
                              .conversation_id = w->chat.id,
                              .work_message_id = task->message_id,
                              .task_id = t->id};

    item.item.title = skn_arena_printf(w->a, "%.*s has failed %d times at a task: %.*s",
                                       SKN_FMT(t->agent_name), SKN_TASK_FAILURES,
                                       SKN_FMT(skn_task_name(t)));
    return skn_inbox_new(w->tx, w->a, &item, err);
}

static skein_rc put_off(skn_working *w, const skn_task_row *task, skn_str why, skein_error *err)
{
    int64_t      failures = task->task.attempts + 1;
    skn_task_row row;
    bool         found;
    skein_rc     rc;

    if (!skn_str_is(task->task.status, "pending"))
        return SKEIN_OK;
    rc = skn_task_put_off(w->tx, task->task.id, why, w->now + back_off(failures), err);
    if (rc || (rc = skn_task_get(w->tx, task->task.id, w->a, &row, &found, err)))
        return rc;
    if (!w->silent)
        skn_task_tell(w->tx, &row, &w->chat, "task.queued");
    if (failures != SKN_TASK_FAILURES || (rc = tell_person(w, &row, err)))
        return rc;
    return skn_task_report_failing(w->e, w->tx, w->a, &row, w->now, err);
}

/* --- It comes to its end ------------------------------------------------------------------------------------ */

/* Somebody waits for the answer, and was not told it in the turn. */
static skein_rc answer_asker(skn_working *w, const skn_task_row *task, skn_str text,
                             int64_t words, skein_error *err)
{
    skn_heard        what = {.source = "answer",
                             .sender = task->task.agent_name,
                             .by = task->task.agent.v,
                             .cause = task->cause,
                             .hops_left = task->hops_left - 1,
                             .of = {words}};
    skn_expected_row asked;
    skein_agent      asker;
    skein_message    said;
    skein_task       woken;
    bool             found = false;
    skein_rc         rc = SKEIN_OK;

    if (task->message_id && skn_str_trim(text).n > 0)
        rc = skn_expected_of(w->tx, task->message_id, task->task.agent.v, w->a, &asked, &found,
                             err);
    if (rc || !found || !skn_str_is(asked.shown.state, "open") ||
        (rc = skn_agent_get(w->tx, asked.asker_id, w->a, &asker, &found, err)) || !found ||
        (rc = skn_expect_waiting(w->tx, &asked, w->a, &what.task, err)))
        return rc;
    what.agent = asker.id.v;
    what.text = skn_said_by(
        w->e, w->a,
        skn_arena_printf(w->a, "%.*s answers your question: ", SKN_FMT(task->task.agent_name)),
        text);
    if ((rc = skn_background_say(w->e, w->tx, w->a, &what, w->now, &said, &woken, err)))
        return rc;
    return skn_expect_settle(w->tx, asker.id.v, task->task.agent.v, task->message_id, said.id.v,
                             w->now, &found, err);
}

static skein_rc finish(skn_working *w, const skn_task_row *task, const skn_task_end *end,
                       skein_error *err)
{
    return skn_task_finish(w->e, w->tx, w->a, task->task.id, end, w->now,
                           w->silent ? NULL : &w->chat, err);
}

/* It is completed. Who asked the question that was the task hears what was said at the end, or that nothing was. */
static skein_rc finish_and_answer(skn_working *w, const skn_task_row *task,
                                  const skn_task_end *end, skn_str said, skein_error *err)
{
    skein_rc rc;

    if ((rc = finish(w, task, end, err)) || (rc = answer_asker(w, task, said, end->words, err)))
        return rc;
    return skn_task_unanswered(w->e, w->tx, w->a, task, end, w->now, err);
}

/* The answer to the task's question came after the model was asked for the last time in this turn. */
static skein_rc was_answered(skn_working *w, const skn_turn_row *row, const skn_task_row *task,
                             bool *yes, skein_error *err)
{
    int64_t  seen = 0;
    skein_rc rc = SKEIN_OK;

    if (task->answer_id && row->step_message_id)
        rc = skn_call_last_result(w->tx, row->step_message_id, &seen, err);
    if (seen < row->trigger_id)
        seen = row->trigger_id;
    *yes = task->answer_id > seen;
    return rc;
}

/* The turn has come to its end, and so has the task, unless the agent has asked something for it: then it waits, and
 * what was said at the end of the turn is not what comes of it. */
static skein_rc complete(skn_working *w, const skn_turn_row *row, const skn_task_row *task,
                         const skn_task_end *end, skein_error *err)
{
    bool     goes_on, waits = task->task.waits_for.p != NULL;
    bool     pending = skn_str_is(task->task.status, "pending");
    skein_rc rc = was_answered(w, row, task, &goes_on, err);

    if (rc)
        return rc;
    if (!pending || (!waits && !goes_on))
        return finish_and_answer(w, task, end, end->result, err);
    if (!w->silent)
        skn_task_tell(w->tx, task, &w->chat, waits ? "task.waiting" : "task.queued");
    return SKEIN_OK;
}

skein_rc skn_task_over(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                       skn_str text, int64_t words, skein_error *err)
{
    skn_task_end end = {"completed", text, words, SKN_NONE};
    skn_task_row task;
    bool         found;
    skein_rc     rc;

    if (row->turn.task == 0)
        return SKEIN_OK;
    if ((rc = skn_task_get(w->tx, row->turn.task, w->a, &task, &found, err)) || !found)
        return rc;
    if (task.task.result.p) { /* it was reported: whatever came after that, it is done */
        end.result = task.task.result;
        return finish_and_answer(w, &task, &end,
                                 state == SKEIN_TURN_COMMITTED ? text : SKN_NONE, err);
    }
    if (state == SKEIN_TURN_COMMITTED)
        return complete(w, row, &task, &end, err);
    if (state == SKEIN_TURN_CANCELLED)
        return finish(w, &task, &(skn_task_end){.status = "cancelled"}, err);
    return put_off(w, &task, text.n ? text : SKN_STR("the turn was interrupted"), err);
}
