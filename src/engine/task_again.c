/* task_again.c: a task that failed or was cancelled is begun anew; and which ones a stop has cancelled. */
#include "engine/act.h"

typedef struct call {
    skein_mem          *mem;
    skein_task         *task;
    skein_tasks        *list;
    const skein_agents *agents;
    int64_t             world, since;
    skn_str             ref;
} call;

/* --- Once more ----------------------------------------------------------------------------------------------- */

static skein_rc refuse(const skn_task_row *row, skein_error *err)
{
    if (skn_str_is(row->task.status, "completed"))
        return skn_hint(err,
                        skn_fail(err, SKEIN_CONFLICT, "the task \"%.*s\" is completed",
                                 SKN_FMT(row->task.uid)),
                        "Give the agent a new task.");
    if (!skn_str_trim(row->task.content).n)
        return skn_fail(err, SKEIN_CONFLICT, "the text of the task \"%.*s\" was erased",
                        SKN_FMT(row->task.uid));
    return skn_fail(err, SKEIN_CONFLICT, "the task \"%.*s\" runs already",
                    SKN_FMT(row->task.uid));
}

/* Is there somebody to do it? One that was cancelled takes a place again among those that wait. */
static skein_rc has_room(skn_tx *tx, const call *c, const skn_task_row *row, skein_error *err)
{
    skein_agent agent;
    int64_t     waiting;
    bool        found;
    skein_rc    rc = skn_agent_get(tx, row->task.agent.v, c->mem, &agent, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_CONFLICT, "the agent \"%.*s\" of this task was removed",
                        SKN_FMT(row->task.agent_name));
    if (skn_str_is(row->task.status, "pending"))
        return SKEIN_OK;
    rc = skn_task_pending(tx, row->task.agent.v, &waiting, err);
    return rc ? rc : skn_task_room(waiting, err);
}

static skein_rc retry(skn_tx *tx, void *arg, skein_error *err)
{
    call        *c = arg;
    skn_task_row row;
    bool         found, changed;
    skein_rc     rc;

    if ((rc = skn_task_by_uid(tx, c->world, c->ref, c->mem, &row, &found, err)))
        return rc;
    if (!found)
        return skn_no_task(c->ref, err);
    if ((rc = has_room(tx, c, &row, err)) ||
        (rc = skn_task_again(tx, row.task.id, &changed, err)) ||
        (changed && (rc = skn_expected_leave(tx, row.task.id, err))) ||
        (rc = skn_task_get(tx, row.task.id, c->mem, &row, &found, err)))
        return rc;
    if (!changed)
        return refuse(&row, err);
    skn_task_tell(tx, &row, NULL, "task.queued");
    *c->task = row.task;
    return SKEIN_OK;
}

skein_rc skein_task_retry(skein_engine *e, skein_world_id world, skein_str uid, skein_mem *mem,
                          skein_task *out, skein_error *err)
{
    call     c = {.mem = mem, .task = out, .world = world.v, .ref = uid};
    skein_rc rc = skn_check_word(uid, "the task's id", SKN_WORD_MAX, err);

    return rc ? rc : skn_store_write(e->store, retry, &c, err);
}

/* --- What a stop took with it -------------------------------------------------------------------------------- */

static skein_rc cancelled(skn_tx *tx, void *arg, skein_error *err)
{
    call    *c = arg;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < c->agents->count; i++)
        rc = skn_tasks_cancelled(tx, c->agents->at[i].id.v, c->since, c->mem, c->list, err);
    return rc;
}

skein_rc skein_tasks_cancelled(skein_engine *e, const skein_agents *agents, int64_t since,
                               skein_mem *mem, skein_tasks *out, skein_error *err)
{
    call c = {.mem = mem, .list = out, .agents = agents, .since = since};

    *out = (skein_tasks){0};
    return agents->count ? skn_store_read(e->store, cancelled, &c, err) : SKEIN_OK;
}
