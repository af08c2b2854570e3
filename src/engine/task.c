/* task.c: work for an agent's background: it is stored, begun as a turn there, and may be cancelled. */
#include "engine/act.h"

#define TASKS_SHOWN ((size_t)1000)

/* --- Telling ------------------------------------------------------------------------------------------------ */

void skn_task_tell(skn_tx *tx, const skn_task_row *row, const skn_conversation_row *chat,
                   const char *type)
{
    const skein_task *t = &row->task;
    skn_told          d;

    skn_told_open(&d);
    skn_jw_kstr(&d.w, "taskId", t->uid);
    skn_jw_kstr(&d.w, "agent", t->agent_name);
    skn_jw_kstr(&d.w, "source", t->source);
    skn_jw_kstr(&d.w, "status", t->status);
    skn_jw_kstr(&d.w, "assignedBy", t->assigned_by);
    skn_jw_kint(&d.w, "attempts", t->attempts);
    skn_jw_ktime(&d.w, "notBefore", t->not_before);
    if (chat)
        skn_feed_chat(tx, chat, type, row->cause, &d);
    else
        skn_feed_world(tx, t->world.v, type, &d);
}

skein_rc skn_no_task(skn_str uid, skein_error *err)
{
    return skn_hint(
        err, skn_fail(err, SKEIN_NOT_FOUND, "there is no task \"%.*s\" here", SKN_FMT(uid)),
        "\"skein task ls\" lists them.");
}

/* --- A new one ---------------------------------------------------------------------------------------------- */

skein_rc skn_task_room(int64_t waiting, skein_error *err)
{
    if (waiting < SKN_TASKS_MAX)
        return SKEIN_OK;
    return skn_hint(
        err, skn_fail(err, SKEIN_LIMIT, "%d tasks wait for this agent already", SKN_TASKS_MAX),
        "Wait until it has done some of them, or cancel some.");
}

skein_rc skn_task_add(skn_tx *tx, skn_arena *a, skn_task_row *row,
                      const skn_conversation_row *chat, skein_error *err)
{
    int64_t  waiting;
    bool     found;
    skein_rc rc = skn_task_pending(tx, row->task.agent.v, &waiting, err);

    if (rc || (rc = skn_task_room(waiting, err)) || (rc = skn_task_insert(tx, row, a, err)) ||
        (rc = skn_task_get(tx, row->task.id, a, row, &found, err)))
        return rc;
    skn_task_tell(tx, row, chat, "task.queued");
    return SKEIN_OK;
}

typedef struct call {
    skein_engine *e;
    skein_mem    *mem;
    skein_task   *task;
    skein_tasks  *list;
    int64_t       world, agent, id;
    skn_str       ref;
    size_t        limit;
    skn_holding   how;
    skein_turn   *turn;

    const skein_stop *written;
} call;

static skein_rc task_new(skn_tx *tx, void *arg, skein_error *err)
{
    call        *c = arg;
    skn_task_row row = {
        .task = {.agent = c->task->agent, .source = c->ref, .content = c->task->content}};
    skein_agent agent;
    skein_world world;
    bool        found;
    skein_rc    rc;

    if ((rc = skn_agent_get(tx, c->task->agent.v, c->mem, &agent, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no agent with the number %lld",
                        (long long)c->task->agent.v);
    if ((rc = skn_world_get(tx, agent.world.v, c->mem, &world, &found, err)))
        return rc;
    if (!found)
        return skn_no_world(agent.world.v, err);
    row.task.world = agent.world;
    row.task.created_at = SKN_NOW();
    row.hops_left = skn_turn_limit(&world);
    if ((rc = skn_task_add(tx, c->mem, &row, NULL, err)))
        return rc;
    *c->task = row.task;
    return SKEIN_OK;
}

skein_rc skein_task_new(skein_engine *e, skein_task *t, skein_mem *mem, skein_error *err)
{
    call     c = {.e = e, .mem = mem, .task = t, .ref = t->source};
    skein_rc rc = skn_check_text(e, t->content, "the task", err);

    if (rc)
        return rc;
    if (skn_str_trim(t->content).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the task is empty");
    if (!c.ref.p)
        c.ref = SKN_STR("user");
    if (!skn_str_is(c.ref, "user") && !skn_str_is(c.ref, "system") &&
        !skn_str_is(c.ref, "self"))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is no source that a task may be given",
                        SKN_FMT(c.ref));
    return skn_store_write(e->store, task_new, &c, err);
}

/* --- Reading ------------------------------------------------------------------------------------------------- */

static skein_rc task_get(skn_tx *tx, void *arg, skein_error *err)
{
    call        *c = arg;
    skn_task_row row;
    bool         found;
    skein_rc     rc = skn_task_by_uid(tx, c->world, c->ref, c->mem, &row, &found, err);

    if (rc || !found)
        return rc ? rc : skn_no_task(c->ref, err);
    *c->task = row.task;
    return SKEIN_OK;
}

skein_rc skein_task_get(skein_engine *e, skein_world_id world, skein_str uid, skein_mem *mem,
                        skein_task *out, skein_error *err)
{
    call     c = {.e = e, .mem = mem, .task = out, .world = world.v, .ref = uid};
    skein_rc rc = skn_check_word(uid, "the task's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_read(e->store, task_get, &c, err);
}

static skein_rc task_list(skn_tx *tx, void *arg, skein_error *err)
{
    call *c = arg;

    return skn_task_list(tx, c->agent, c->ref, c->limit, c->mem, c->list, err);
}

skein_rc skein_task_list(skein_engine *e, skein_agent_id agent, skein_str status, size_t limit,
                         skein_mem *mem, skein_tasks *out, skein_error *err)
{
    call c = {.e = e, .mem = mem, .list = out, .agent = agent.v, .ref = status};

    *out = (skein_tasks){0};
    if (status.p && !skn_str_is(status, "pending") && !skn_str_is(status, "completed") &&
        !skn_str_is(status, "cancelled"))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is no status of a task", SKN_FMT(status));
    c.limit = limit && limit < TASKS_SHOWN ? limit : TASKS_SHOWN;
    return skn_store_read(e->store, task_list, &c, err);
}

/* --- Cancelling ------------------------------------------------------------------------------------------------ */

skein_rc skn_task_finish(skein_engine *e, skn_tx *tx, skn_arena *a, int64_t task,
                         const skn_task_end *end, int64_t now, const skn_conversation_row *chat,
                         skein_error *err)
{
    skn_task_row before, row;
    bool         changed, found;
    skein_rc     rc;

    if ((rc = skn_task_get(tx, task, a, &before, &found, err)) || !found ||
        (rc = skn_task_close(tx, task, end->status, end->result, now, &changed, err)) ||
        !changed || (rc = skn_task_get(tx, task, a, &row, &found, err)))
        return rc;
    skn_task_tell(tx, &row, chat, "task.finished");
    return skn_task_report(e, tx, a, &before, end, now, err);
}

/* The turn that is at it goes, and the task with it. */
static skein_rc stop_turn(skn_working *w, const skn_task_row *task, skein_error *err)
{
    skn_turn_rows turns;
    skein_rc      rc = skn_turn_open_rows(w->tx, 0, w->chat.id, w->a, &turns, err);

    for (size_t i = 0; rc == SKEIN_OK && i < turns.count; i++)
        if (turns.at[i].turn.task == task->task.id)
            rc = skn_turn_cancel(w, &turns.at[i], err);
    return rc ? rc : skn_working_done(w, skn_settle(w, err));
}

skein_rc skn_task_stop(skein_engine *e, skn_tx *tx, skn_arena *a, const skn_task_row *row,
                       const skein_stop *written, const skn_task_end *end, skein_error *err)
{
    skn_conversation_row chat;
    skn_working          w;
    bool                 has_chat;
    skein_rc rc = skn_conversation_by_agent(tx, row->task.agent.v, SKEIN_BACKGROUND, a, &chat,
                                            &has_chat, err);

    if (rc == SKEIN_OK && has_chat)
        rc = skn_working_take(&w, e, tx, a, (skein_conversation_id){chat.id}, err);
    if (skn_is_gone(rc)) /* and nobody is at work there */
        has_chat = false, rc = SKEIN_OK;
    if (rc == SKEIN_OK && has_chat) {
        w.written = written;
        rc = stop_turn(&w, row, err);
    }
    return rc ? rc
              : skn_task_finish(e, tx, a, row->task.id, end, SKN_NOW(),
                                has_chat ? &w.chat : NULL, err);
}

static skein_rc cancel(skn_tx *tx, void *arg, skein_error *err)
{
    call              *c = arg;
    const skn_task_end end = {.status = "cancelled"};
    skn_task_row       row;
    bool               found;
    skein_rc           rc;

    if ((rc = skn_task_by_uid(tx, c->world, c->ref, c->mem, &row, &found, err)))
        return rc;
    if (!found)
        return skn_no_task(c->ref, err);
    if ((rc = skn_copy_hold(tx, row.call_message_id, err)) || /* its words may be reported */
        (rc = skn_task_stop(c->e, tx, c->mem, &row, c->written, &end, err)) ||
        (rc = skn_task_get(tx, row.task.id, c->mem, &row, &found, err)))
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
    call c = {
        .e = e, .mem = mem, .task = out, .world = world.v, .ref = uid, .written = written};
    skein_rc rc = skn_check_word(uid, "the task's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_write(e->store, cancel, &c, err);
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
static skein_rc say(skn_working *w, skn_task_row *row, skein_error *err)
{
    skein_new_message n = {
        .role = SKEIN_USER, .sender = sender_of(row), .content = row->task.content};
    skein_append_request r = {.conversation = {w->chat.id}, .messages = &n, .count = 1};
    skein_message        m;
    skein_messages       stored;
    bool                 found = false;
    skein_rc             rc = SKEIN_OK;

    if (row->message_id)
        rc = skn_message_get(w->tx, row->message_id, w->a, &m, &found, err);
    if (rc == SKEIN_OK && !(found && m.born_in.v == w->chat.id)) {
        if ((rc = skn_append_in(w->e, w->tx, &w->chat, &r, w->now, w->a, &stored, err)) ||
            (rc = skn_copy_add(w->tx, stored.at[0].id.v, row->call_message_id, err)))
            return rc;
        m = stored.at[0];
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

static skein_rc open_turn(call *c, skn_working *w, skn_task_row *row, skein_error *err)
{
    skn_delivery_row d = {.conversation_id = w->chat.id,
                          .agent_id = row->task.agent.v,
                          .hops_left = row->hops_left,
                          .task_id = row->task.id,
                          .created_at = w->now};
    bool             found;
    skein_rc         rc;

    if ((rc = say(w, row, err)) || (rc = find_trigger(w, row, &d.message_id, err)))
        return rc;
    d.cause = row->cause;
    if ((rc = skn_delivery_insert(w->tx, &d, err)) ||
        (rc = skn_delivery_get(w->tx, d.id, w->a, &d, &found, err)))
        return rc;
    skn_task_tell(w->tx, row, &w->chat, "task.started");
    return skn_turn_open(w, &d, &c->how, c->turn, err);
}

static skein_rc begin(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row chat;
    skn_task_row         row;
    skn_working          w;
    bool                 due, found;
    skein_rc             rc;

    if ((rc = skn_task_is_due(tx, c->id, SKN_NOW(), &due, err)) ||
        (due && (rc = skn_task_get(tx, c->id, c->mem, &row, &found, err))))
        return rc;
    if (!due || !found)
        return not_due(err);
    if ((rc = skn_copy_hold(tx, row.call_message_id, err)))
        return rc;
    rc = skn_own_conversation(c->e, tx, c->mem, row.task.agent.v, SKEIN_BACKGROUND, &chat, err);
    if (rc == SKEIN_NOT_FOUND)
        return not_due(err);
    if (rc)
        return rc;
    skn_working_in(&w, c->e, tx, c->mem, &chat, SKN_NOW());
    /* Again, now that nobody else can begin with it, or erase it. */
    if ((rc = skn_task_is_due(tx, c->id, w.now, &due, err)) ||
        (rc = skn_task_get(tx, c->id, c->mem, &row, &found, err)))
        return rc;
    return due && found ? open_turn(c, &w, &row, err) : not_due(err);
}

skein_rc skein_task_begin(skein_engine *e, int64_t task, skein_str holder, skein_str model,
                          int64_t lease_ms, skein_mem *mem, skein_turn *out, skein_error *err)
{
    call c = {.e = e, .mem = mem, .id = task, .how = {holder, model, lease_ms}, .turn = out};
    skein_rc rc = skn_holding_check(&c.how, err);

    *out = (skein_turn){0};
    return rc ? rc : skn_store_write(e->store, begin, &c, err);
}
