/* task_over.c: how a task ends with the turn that was at it: it is completed, cancelled, or tried again
 * later. */
#include "base/utf8.h"
#include "engine/act.h"
#include "engine/engine.h"

#define SECOND      ((int64_t)1000000)
#define ERROR_SHOWN ((size_t)2000)
#define TASK_NAMED  ((size_t)100) /* bytes of its first line, in a title */

/* One second, then four times as long each time, up to an hour. */
static int64_t back_off(int64_t failures)
{
    int64_t wait = SECOND;

    for (int64_t i = 1; i < failures && wait < SKN_BACK_OFF_MAX; i++)
        wait *= 4;
    return wait < SKN_BACK_OFF_MAX ? wait : SKN_BACK_OFF_MAX;
}

/* How a task is called: its first line. */
static skn_str name_of(const skein_task *t)
{
    skn_str rest = skn_str_trim(t->content), line = SKN_NONE;

    skn_str_split(&rest, '\n', &line);
    return skn_utf8_cut(skn_str_trim(line), TASK_NAMED);
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
                                       SKN_FMT(name_of(t)));
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
    return failures == SKN_TASK_FAILURES ? tell_person(w, &row, err) : SKEIN_OK;
}

/* Somebody waits for the answer, and was not told it in the turn. */
static skein_rc answer_asker(skn_working *w, const skn_task_row *task, skn_str text,
                             skein_error *err)
{
    skn_heard        what = {.source = "answer",
                             .sender = task->task.agent_name,
                             .by = task->task.agent.v,
                             .cause = task->cause,
                             .hops_left = task->hops_left - 1};
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
        (rc = skn_agent_get(w->tx, asked.asker_id, w->a, &asker, &found, err)) || !found)
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

static skein_rc finish(skn_working *w, const skn_task_row *task, const char *status,
                       skn_str result, skein_error *err)
{
    return skn_task_finish(w->tx, w->a, task->task.id, status, result, w->now,
                           w->silent ? NULL : &w->chat, err);
}

skein_rc skn_task_over(skn_working *w, const skn_turn_row *row, skein_turn_state state,
                       skn_str text, skein_error *err)
{
    skn_task_row task;
    bool         found;
    skein_rc     rc;

    if (row->turn.task == 0)
        return SKEIN_OK;
    if ((rc = skn_task_get(w->tx, row->turn.task, w->a, &task, &found, err)) || !found)
        return rc;
    if (task.task.result.p) /* it was reported: whatever came after that, it is done */
        rc = finish(w, &task, "completed", task.task.result, err);
    else if (state == SKEIN_TURN_COMMITTED)
        rc = finish(w, &task, "completed", text, err);
    else if (state == SKEIN_TURN_CANCELLED)
        rc = finish(w, &task, "cancelled", SKN_NONE, err);
    else
        rc = put_off(w, &task, text.n ? text : SKN_STR("the turn was interrupted"), err);
    return rc || state != SKEIN_TURN_COMMITTED ? rc : answer_asker(w, &task, text, err);
}
