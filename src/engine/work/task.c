/* task.c: work for an agent's background: it is stored, begun as a turn there, and may be cancelled. */
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/work/act.h"

#define TASKS_SHOWN ((size_t)1000)

/* --- Telling ------------------------------------------------------------------------------------------------ */

void skn_task_tell(skn_tx *tx, const skn_task_row *row, const skn_conversation_row *chat,
                   const char *type)
{
    const skein_task *t = &row->task;
    skn_told *d = SKN_TOLD(SKN_M_TEXT("taskId", t->uid), SKN_M_TEXT("agent", t->agent_name),
                           SKN_M_TEXT("source", t->source), SKN_M_TEXT("status", t->status),
                           SKN_M_TEXT("assignedBy", t->assigned_by),
                           SKN_M_INT("attempts", t->attempts),
                           SKN_M_TIME("notBefore", t->not_before));

    if (chat)
        skn_feed_chat(tx, chat, type, row->cause, d);
    else
        skn_feed_world(tx, t->world.v, type, d);
}

static skein_rc need_task(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a,
                          skn_task_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_task_by_uid(tx, world, uid, a, out, &found, err);

    if (rc || found)
        return rc;
    return skn_fail_hint(err, SKEIN_NOT_FOUND, "\"skein task ls\" lists them.",
                         "there is no task \"%.*s\" here", SKN_FMT(uid));
}

/* --- A new one ---------------------------------------------------------------------------------------------- */

/* SKEIN_LIMIT when as many wait as may. */
static skein_rc check_waiting(int64_t waiting, skein_error *err)
{
    if (waiting < SKN_TASKS_MAX)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_LIMIT,
                         "Wait until it has done some of them, or cancel some.",
                         "%d tasks wait for this agent already", SKN_TASKS_MAX);
}

skein_rc skn_task_add(skn_working *w, skn_task_row *row, const skn_conversation_row *chat,
                      skein_error *err)
{
    int64_t  waiting;
    bool     found;
    skein_rc rc = skn_task_pending(w->tx, row->task.agent.v, &waiting, err);

    if (rc || (rc = check_waiting(waiting, err)) ||
        (rc = skn_task_insert(w->tx, row, w->a, err)) ||
        (rc = skn_task_get(w->tx, row->task.id, w->a, row, &found, err)))
        return rc;
    skn_task_tell(w->tx, row, chat, "task.queued");
    return SKEIN_OK;
}

typedef struct task_call {
    skein_task *task;
    int64_t     world, id;
    skn_str     ref;
    skn_holding how;
    skein_turn *turn;

    const skein_stop *written;
} task_call;

static skein_rc task_new(skn_working *w, void *arg, skein_error *err)
{
    task_call   *c = arg;
    skn_task_row row = {
        .task = {.agent = c->task->agent, .source = c->ref, .content = c->task->content}};
    skein_agent agent;
    skein_world world;
    skein_rc    rc;

    if ((rc = skn_agent_need(w->tx, c->task->agent.v, w->a, &agent, err)) ||
        (rc = skn_world_need(w->tx, agent.world.v, w->a, &world, err)))
        return rc;
    row.task.world = agent.world;
    row.task.created_at = SKN_NOW();
    row.hops_left = skn_turn_limit(&world);
    if ((rc = skn_task_add(w, &row, NULL, err)))
        return rc;
    *c->task = row.task;
    return SKEIN_OK;
}

skein_rc skein_task_new(skein_engine *e, skein_task *t, skein_mem *mem, skein_error *err)
{
    task_call c = {.task = t, .ref = t->source};
    skein_rc  rc = skn_check_text(e, t->content, "the task", err);

    if (rc)
        return rc;
    if (skn_str_trim(t->content).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the task is empty");
    if (!c.ref.p)
        c.ref = SKN_STR("user");
    if (!skn_str_among(c.ref, "user system self"))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a source that a task may be given",
                        SKN_FMT(c.ref));
    return skn_write(e, mem, task_new, &c, err);
}

/* --- Reading ------------------------------------------------------------------------------------------------- */

skein_rc skein_task_get(skein_engine *e, skein_world_id world, skein_str uid, skein_mem *mem,
                        skein_task *out, skein_error *err)
{
    skn_task_row row;
    skn_snapshot s = {.store = e->store};

    s.rc = skn_check_word(uid, "the task's id", SKN_WORD_MAX, err);
    while (skn_snapshot_next(&s, err))
        s.rc = need_task(s.tx, world.v, uid, mem, &row, err);
    if (!s.rc)
        *out = row.task;
    return s.rc;
}

skein_rc skein_task_list(skein_engine *e, skein_agent_id agent, skein_str status, size_t limit,
                         skein_mem *mem, skein_tasks *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_tasks){0};
    if (status.p && !skn_str_among(status, "pending completed cancelled"))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a status of a task",
                        SKN_FMT(status));
    limit = limit && limit < TASKS_SHOWN ? limit : TASKS_SHOWN;
    while (skn_snapshot_next(&s, err))
        s.rc = skn_task_list(s.tx, agent.v, status, limit, mem, out, err);
    return s.rc;
}

/* --- Cancelling ------------------------------------------------------------------------------------------------ */

/* Completes or cancels one that is pending, writes its event and reports it; else nothing happens. chat may be NULL. */
static skein_rc finish_task(skn_working *w, int64_t task, const skn_task_end *end,
                            const skn_conversation_row *chat, skein_error *err)
{
    skn_task_row before, row;
    bool         changed, found;
    skein_rc     rc;

    if ((rc = skn_task_get(w->tx, task, w->a, &before, &found, err)) || !found ||
        (rc = skn_task_close(w->tx, task, end->status, end->result, w->now, &changed, err)) ||
        !changed || (rc = skn_task_get(w->tx, task, w->a, &row, &found, err)))
        return rc;
    skn_task_tell(w->tx, &row, chat, "task.finished");
    return skn_task_report(w, &before, end, err);
}

/* Cancels the turn that works on it, and the task. */
static skein_rc stop_turn(skn_working *w, const skn_task_row *task, skein_error *err)
{
    skn_turn_rows turns;
    skein_rc      rc = skn_turn_open_rows(w->tx, 0, w->chat.id, w->a, &turns, err);

    for (size_t i = 0; rc == SKEIN_OK && i < turns.count; i++)
        if (turns.at[i].turn.task == task->task.id)
            rc = skn_turn_cancel(w, &turns.at[i], err);
    return rc ? rc : skn_settle(w, err);
}

skein_rc skn_task_stop(skn_working *w, const skn_task_row *row, const skein_stop *written,
                       const skn_task_end *end, skein_error *err)
{
    skn_conversation_row chat;
    bool                 has_chat;
    skein_rc rc = skn_conversation_by_agent(w->tx, row->task.agent.v, SKEIN_BACKGROUND, w->a,
                                            &chat, &has_chat, err);

    if (rc == SKEIN_OK && has_chat)
        rc = skn_working_hold(w, (skein_conversation_id){chat.id}, err);
    if (skn_is_gone(rc)) /* and nobody is at work there */
        has_chat = false, rc = SKEIN_OK;
    if (rc == SKEIN_OK && has_chat) {
        w->written = written;
        rc = stop_turn(w, row, err);
    }
    return rc ? rc : finish_task(w, row->task.id, end, has_chat ? &w->chat : NULL, err);
}

static skein_rc cancel_task(skn_working *w, void *arg, skein_error *err)
{
    task_call         *c = arg;
    const skn_task_end end = {.status = "cancelled"};
    skn_task_row       row;
    bool               found;
    skein_rc           rc;

    if ((rc = need_task(w->tx, c->world, c->ref, w->a, &row, err)) ||
        (rc = skn_copy_hold(w->tx, row.call_message_id, err)) || /* its words may be reported */
        (rc = skn_task_stop(w, &row, c->written, &end, err)) ||
        (rc = skn_task_get(w->tx, row.task.id, w->a, &row, &found, err)))
        return rc;
    *c->task = row.task;
    if (skn_str_is(row.task.status, "cancelled"))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_CONFLICT, "the task \"%.*s\" is completed", SKN_FMT(c->ref));
}

skein_rc skein_task_cancel(skein_engine *e, skein_world_id world, skein_str uid,
                           const skein_stop *written, skein_mem *mem, skein_task *out,
                           skein_error *err)
{
    task_call c = {.task = out, .world = world.v, .ref = uid, .written = written};
    skein_rc  rc = skn_check_word(uid, "the task's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_write(e, mem, cancel_task, &c, err);
}

/* --- Beginning ------------------------------------------------------------------------------------------------- */

static skein_rc not_due(skein_error *err)
{
    return skn_fail(err, SKEIN_NOTHING, "this work is no longer due");
}

static skn_str sender_of(const skn_task_row *row)
{
    if (row->task.assigned_by.p)
        return row->task.assigned_by;
    return skn_str_is(row->task.source, "user") ? SKN_STR("human") : row->task.agent_name;
}

/* What it became there, once: on another try it is there already. Unless it was said in a conversation
 * that is gone. */
static skein_rc say_task(skn_working *w, skn_task_row *row, skein_error *err)
{
    skein_new_message n = {
        .role = SKEIN_USER, .sender = sender_of(row), .content = row->task.content};
    skein_message m;
    bool          found = false;
    skein_rc      rc = SKEIN_OK;

    if (row->message_id)
        rc = skn_message_get(w->tx, row->message_id, w->a, &m, &found, err);
    if (rc == SKEIN_OK && !(found && m.born_in.v == w->chat.id)) {
        if ((rc = skn_message_say(w, &w->chat, SKN_NONE, &n, &m, err)) ||
            (rc = skn_copy_add(w->tx, m.id.v, row->call_message_id, err)))
            return rc;
        skn_feed_message(w->tx, &w->chat, "message.created", &m, row->cause, NULL);
        rc = skn_task_said(w->tx, row->task.id, m.id.v, err);
    }
    row->message_id = m.id.v;
    if (!row->cause.p)
        row->cause = m.uid;
    return rc;
}

/* What the turn answers: the task, or what was said to its question, where that can be read there. */
static skein_rc find_trigger(skn_working *w, const skn_task_row *row, int64_t *out,
                             skein_error *err)
{
    skein_message m;
    bool          found = false;
    skein_rc      rc = SKEIN_OK;

    *out = row->message_id;
    if (row->answer_id)
        rc = skn_message_get(w->tx, row->answer_id, w->a, &m, &found, err);
    if (rc == SKEIN_OK && found && m.born_in.v == w->chat.id)
        *out = row->answer_id;
    return rc;
}

static skein_rc open_turn(task_call *c, skn_working *w, skn_task_row *row, skein_error *err)
{
    skn_delivery_row d = {.conversation_id = w->chat.id,
                          .agent_id = row->task.agent.v,
                          .hops_left = row->hops_left,
                          .task_id = row->task.id,
                          .created_at = w->now};
    bool             found;
    skein_rc         rc;

    if ((rc = say_task(w, row, err)) || (rc = find_trigger(w, row, &d.message_id, err)))
        return rc;
    d.cause = row->cause;
    if ((rc = skn_delivery_insert(w->tx, &d, err)) ||
        (rc = skn_delivery_get(w->tx, d.id, w->a, &d, &found, err)))
        return rc;
    skn_task_tell(w->tx, row, &w->chat, "task.started");
    return skn_turn_open(w, &d, &c->how, c->turn, err);
}

static skein_rc begin_task(skn_working *w, void *arg, skein_error *err)
{
    task_call           *c = arg;
    skn_conversation_row chat;
    skn_task_row         row;
    bool                 due, found;
    skein_rc             rc;

    if ((rc = skn_task_is_due(w->tx, c->id, SKN_NOW(), &due, err)) ||
        (due && (rc = skn_task_get(w->tx, c->id, w->a, &row, &found, err))))
        return rc;
    if (!due || !found)
        return not_due(err);
    if ((rc = skn_copy_hold(w->tx, row.call_message_id, err)))
        return rc;
    rc = skn_own_conversation(w, row.task.agent.v, SKEIN_BACKGROUND, &chat, err);
    if (rc == SKEIN_NOT_FOUND)
        return not_due(err);
    if (rc)
        return rc;
    skn_working_at(w, &chat);
    /* Again, now that nobody else can begin with it, or erase it. */
    if ((rc = skn_task_is_due(w->tx, c->id, w->now, &due, err)) ||
        (rc = skn_task_get(w->tx, c->id, w->a, &row, &found, err)))
        return rc;
    return due && found ? open_turn(c, w, &row, err) : not_due(err);
}

skein_rc skein_task_begin(skein_engine *e, int64_t task, skein_str holder, skein_str model,
                          int64_t lease_ms, skein_mem *mem, skein_turn *out, skein_error *err)
{
    task_call c = {.id = task, .how = {holder, model, lease_ms}, .turn = out};
    skein_rc  rc = skn_holding_check(&c.how, err);

    *out = (skein_turn){0};
    return rc ? rc : skn_write(e, mem, begin_task, &c, err);
}

/* A task that failed or was cancelled is restarted; and which ones a stop has cancelled. */

/* --- Once more ----------------------------------------------------------------------------------------------- */

static skein_rc refuse_task(const skn_task_row *row, skein_error *err)
{
    if (skn_str_is(row->task.status, "completed"))
        return skn_fail_hint(err, SKEIN_CONFLICT, "Give the agent a new task.",
                             "the task \"%.*s\" is completed", SKN_FMT(row->task.uid));
    if (!skn_str_trim(row->task.content).n)
        return skn_fail(err, SKEIN_CONFLICT, "the text of the task \"%.*s\" was erased",
                        SKN_FMT(row->task.uid));
    return skn_fail(err, SKEIN_CONFLICT, "the task \"%.*s\" runs already",
                    SKN_FMT(row->task.uid));
}

/* Is there somebody to do it? One that was cancelled takes a place again among those that wait. */
static skein_rc has_room(skn_working *w, const skn_task_row *row, skein_error *err)
{
    skein_agent agent;
    int64_t     waiting;
    bool        found;
    skein_rc    rc = skn_agent_get(w->tx, row->task.agent.v, w->a, &agent, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_CONFLICT, "the agent \"%.*s\" of this task was removed",
                        SKN_FMT(row->task.agent_name));
    if (skn_str_is(row->task.status, "pending"))
        return SKEIN_OK;
    rc = skn_task_pending(w->tx, row->task.agent.v, &waiting, err);
    return rc ? rc : check_waiting(waiting, err);
}

static skein_rc retry_task(skn_working *w, void *arg, skein_error *err)
{
    task_call   *c = arg;
    skn_task_row row;
    bool         found, changed;
    skein_rc     rc;

    if ((rc = need_task(w->tx, c->world, c->ref, w->a, &row, err)) ||
        (rc = has_room(w, &row, err)) ||
        (rc = skn_task_again(w->tx, row.task.id, &changed, err)) ||
        (changed && (rc = skn_expected_leave(w->tx, row.task.id, err))) ||
        (rc = skn_task_get(w->tx, row.task.id, w->a, &row, &found, err)))
        return rc;
    if (!changed)
        return refuse_task(&row, err);
    skn_task_tell(w->tx, &row, NULL, "task.queued");
    *c->task = row.task;
    return SKEIN_OK;
}

skein_rc skein_task_retry(skein_engine *e, skein_world_id world, skein_str uid, skein_mem *mem,
                          skein_task *out, skein_error *err)
{
    task_call c = {.task = out, .world = world.v, .ref = uid};
    skein_rc  rc = skn_check_word(uid, "the task's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_write(e, mem, retry_task, &c, err);
}

/* --- What a stop took with it -------------------------------------------------------------------------------- */

skein_rc skein_tasks_cancelled(skein_engine *e, const skein_agents *agents, int64_t since,
                               skein_mem *mem, skein_tasks *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_tasks){0};
    if (agents->count == 0)
        return SKEIN_OK;
    while (skn_snapshot_next(&s, err)) {
        *out = (skein_tasks){0};
        for (size_t i = 0; !s.rc && i < agents->count; i++)
            s.rc = skn_tasks_cancelled(s.tx, agents->at[i].id.v, since, mem, out, err);
    }
    return s.rc;
}

/* The report of a task's end when its agent reports nothing, in the transaction of the end: to the lead
 * that gave it, to the person, and to who asked the question that was the task. In the system's name: these are not
 * the agent's words. */

#define TASK_NAMED ((size_t)100) /* bytes of its first line, in a title */
#define WORDS_SENT ((size_t)8000)

/* How a task is called: its first line. */
static skn_str name_of_task(const skein_task *t)
{
    skn_str rest = skn_str_trim(t->content), line = SKN_NONE;

    skn_str_split(&rest, '\n', &line);
    return skn_utf8_cut(skn_str_trim(line), TASK_NAMED);
}

/* --- The lead ------------------------------------------------------------------------------------------------- */

/* Who gave the task, if it was a lead who is still there. */
static skein_rc find_lead(skn_working *w, const skn_task_row *task, skein_agent *out,
                          bool *found, skein_error *err)
{
    *found = false;
    if (!skn_str_is(task->task.source, "delegation") || !task->assigned_by_id)
        return SKEIN_OK;
    return skn_agent_get(w->tx, task->assigned_by_id, w->a, out, found, err);
}

/* `from` is the message that has the words; 0: none. */
static skein_rc tell_lead(skn_working *w, const skn_task_row *task, const char *how,
                          skn_str words, int64_t from, skein_error *err)
{
    const skein_task *t = &task->task;
    skn_heard         what = {.source = "report",
                              .sender = SKN_STR("system"),
                              .cause = task->cause,
                              .hops_left = task->hops_left - 1,
                              .of = {from}};
    skn_str           name = name_of_task(t); /* none of one that was erased */
    skein_agent       lead;
    bool              found;
    skein_rc          rc = find_lead(w, task, &lead, &found, err);

    if (rc || !found)
        return rc;
    what.agent = lead.id.v;
    if (name.n)
        what.of[1] = task->message_id ? task->message_id : task->call_message_id;
    what.text = skn_said_by(w->e, w->a,
                            skn_arena_printf(w->a, "The system reports: %.*s %s %s%.*s%s. ",
                                             SKN_FMT(t->agent_name), how,
                                             name.n ? "the task \"" : "a task", SKN_FMT(name),
                                             name.n ? "\"" : ""),
                            words);
    rc = skn_background_say(w, &what, NULL, NULL, err);
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
static skein_rc was_reported(skn_working *w, const skn_task_row *task, skein_error *err)
{
    skein_agent me;
    bool        found;
    skein_rc    rc = skn_agent_get(w->tx, task->task.agent.v, w->a, &me, &found, err);

    if (rc || !found || !me.lead.v || me.lead.v == task->assigned_by_id)
        return rc;
    return tell_lead(
        w, task, "has completed",
        skn_arena_printf(w->a, "It has reported to %.*s, its lead now.", SKN_FMT(me.lead_name)),
        0, err);
}

static skein_rc report_to_lead(skn_working *w, const skn_task_row *task,
                               const skn_task_end *end, skein_error *err)
{
    if (task->task.result.p)
        return was_reported(w, task, err);
    if (skn_str_is(skn_str_of(end->status), "completed"))
        return tell_lead(w, task, "has completed",
                         last_words(w->a, "It sent no report.", end->result), end->words, err);
    return tell_lead(w, task, "does not do",
                     skn_arena_printf(w->a, "It was cancelled%s%.*s.", end->why.n ? ": " : "",
                                      SKN_FMT(end->why)),
                     0, err);
}

/* Reports to the lead that a task of its subordinate fails and is tried again. */
static skein_rc report_failing(skn_working *w, const skn_task_row *task, skein_error *err)
{
    return tell_lead(w, task, "has failed at",
                     skn_arena_printf(w->a, "It is tried again. The last failure: %.*s",
                                      SKN_FMT(skn_utf8_cut(task->task.last_error, WORDS_SENT))),
                     0, err);
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
static skein_rc is_untold(skn_working *w, const skein_task *t, const skn_task_end *end,
                          bool *yes, skein_error *err)
{
    bool     told = true;
    skein_rc rc = SKEIN_OK;

    if (skn_str_is(t->source, "user") && skn_str_is(skn_str_of(end->status), "completed"))
        rc = skn_inbox_briefed(w->tx, t->id, &told, err);
    *yes = !told;
    return rc;
}

static skein_rc report_tell_person(skn_working *w, const skn_task_row *task,
                                   const skn_task_end *end, skein_error *err)
{
    const skein_task    *t = &task->task;
    skn_conversation_row chat;
    skn_inbox_row        item = {
               .item = {.kind = SKN_STR("finished"), .world = t->world, .created_at = w->now},
               .agent_id = t->agent.v,
               .message_id = end->words,
               .work_message_id = task->message_id,
               .task_id = t->id};
    bool     untold, found;
    skein_rc rc;

    if ((rc = is_untold(w, t, end, &untold, err)) || !untold ||
        (rc = skn_conversation_by_agent(w->tx, t->agent.v, SKEIN_BACKGROUND, w->a, &chat,
                                        &found, err)))
        return rc;
    item.conversation_id = found ? chat.id : 0;
    item.item.title = skn_arena_printf(w->a, "%.*s has finished a task: %.*s",
                                       SKN_FMT(t->agent_name), SKN_FMT(name_of_task(t)));
    item.item.content = says_person(w->a, task, end);
    return skn_inbox_new(w, &item, err);
}

/* --- Who asked, and who was asked -------------------------------------------------------------------------------- */

/* The task that has ended was a question: an agent that waits for its answer and got none continues without it. */
static skein_rc tell_asker(skn_working *w, const skn_task_row *task, const skn_task_end *end,
                           skein_error *err)
{
    const skein_task *t = &task->task;
    bool              cancelled = skn_str_is(skn_str_of(end->status), "cancelled");
    skn_expected_row  asked;
    bool              found = false;
    skein_rc          rc = SKEIN_OK;

    if (task->message_id)
        rc = skn_expected_of(w->tx, task->message_id, t->agent.v, w->a, &asked, &found, err);
    if (rc || !found)
        return rc;
    return skn_expect_none(
        w, &asked,
        cancelled
            ? skn_arena_printf(w->a, "the work of %.*s on it was cancelled%s%.*s",
                               SKN_FMT(t->agent_name), end->why.n ? ": " : "",
                               SKN_FMT(end->why))
            : skn_arena_printf(w->a, "%.*s has said nothing to it", SKN_FMT(t->agent_name)),
        err);
}

/* Nobody continues with the answer to a cancelled task. */
static skein_rc withdraw(skn_working *w, const skn_task_row *task, skein_error *err)
{
    bool     any;
    skein_rc rc;

    if ((rc = skn_expected_withdraw(w->tx, task->task.id, w->now, err)) ||
        (rc = skn_inbox_withdraw(w->tx, task->task.id, SKN_STR("its task was cancelled"),
                                 w->now, &any, err)) ||
        !any)
        return rc;
    return skn_inbox_tell(w, task->task.world.v, NULL, "inbox.updated", err);
}

skein_rc skn_task_report(skn_working *w, const skn_task_row *task, const skn_task_end *end,
                         skein_error *err)
{
    skein_rc rc;

    if ((rc = report_to_lead(w, task, end, err)) ||
        (rc = report_tell_person(w, task, end, err)) ||
        !skn_str_is(skn_str_of(end->status), "cancelled") ||
        (rc = tell_asker(w, task, end, err)))
        return rc;
    return withdraw(w, task, err);
}

/* How a task ends with the turn that worked on it: it is completed, cancelled, or tried again
 * later. */

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
                                       SKN_FMT(name_of_task(t)));
    return skn_inbox_new(w, &item, err);
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
    return report_failing(w, &row, err);
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
    bool             found = false;
    skein_rc         rc = SKEIN_OK;

    if (task->message_id && skn_str_trim(text).n > 0)
        rc = skn_expected_of(w->tx, task->message_id, task->task.agent.v, w->a, &asked, &found,
                             err);
    if (rc || !found || !skn_str_is(asked.shown.state, "open") ||
        (rc = skn_agent_get(w->tx, asked.asker_id, w->a, &asker, &found, err)) || !found ||
        (rc = skn_expect_waiting(w, &asked, &what.task, err)))
        return rc;
    what.agent = asker.id.v;
    what.text = skn_said_by(
        w->e, w->a,
        skn_arena_printf(w->a, "%.*s answers your question: ", SKN_FMT(task->task.agent_name)),
        text);
    if ((rc = skn_background_say(w, &what, &said, NULL, err)))
        return rc;
    return skn_expect_settle(w, asker.id.v, task->task.agent.v, task->message_id, said.id.v,
                             &found, err);
}

static skein_rc close_task(skn_working *w, const skn_task_row *task, const skn_task_end *end,
                           skein_error *err)
{
    return finish_task(w, task->task.id, end, w->silent ? NULL : &w->chat, err);
}

/* It is completed. Who asked the question that was the task hears what was said at the end, or that nothing was. */
static skein_rc finish_and_answer(skn_working *w, const skn_task_row *task,
                                  const skn_task_end *end, skn_str said, skein_error *err)
{
    skein_rc rc;

    if ((rc = close_task(w, task, end, err)) ||
        (rc = answer_asker(w, task, said, end->words, err)))
        return rc;
    return tell_asker(w, task, end, err);
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
 * the text at the end of the turn is not its result. */
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
        return close_task(w, &task, &(skn_task_end){.status = "cancelled"}, err);
    return put_off(w, &task, text.n ? text : SKN_STR("the turn was interrupted"), err);
}
