/* Work for agents: tasks, what others tell them, what they wait for, and their knowledge. */
#include "api/call.h"

#define LISTED_MOST 1000

/* --- Tasks -------------------------------------------------------------------------------- */

skein_rc skn_api_list_tasks(skn_api_call *c)
{
    skein_tasks tasks;
    skn_str     status = skn_call_query(c, "status");
    skein_rc    rc;

    if (status.p && !skn_str_among(status, "pending completed cancelled"))
        return skn_call_invalid(c, "/status", "is none of pending, completed and cancelled");
    if ((rc = skein_task_list(c->engine, c->agent.id, status, LISTED_MOST, c->mem, &tasks,
                              &c->error)))
        return rc;
    return skn_answer_list(c, skn_arena_printf(c->mem, "tasks %.*s", SKN_FMT(status)),
                           SKN_LIST_NEWEST | SKN_LIST_FIELDS, tasks.at, tasks.count,
                           &skn_task_shape);
}

skein_rc skn_api_create_task(skn_api_call *c)
{
    skein_task task = {.id = 0};
    skein_rc   rc = skn_call_words(c, "content", true, &task.content);

    if (rc)
        return rc;
    task.agent = c->agent.id;
    task.source = SKN_STR("user");
    if ((rc = skein_task_new(c->engine, &task, c->mem, &c->error)))
        return skn_api_blame(c, rc);
    skn_api_location(c, 201, "/tasks/%.*s", SKN_FMT(task.uid));
    return skn_answer_one(c, &skn_task_shape, &task);
}

/* --- Pausing and waking ------------------------------------------------------------------- */

static skein_rc pause_agent(skn_api_call *c, bool paused)
{
    skein_rc rc = skein_agent_pause(c->engine, c->agent.id, paused, &c->error);

    return rc ? rc : skn_api_answer_agent(c, &c->agent);
}

skein_rc skn_api_pause_agent(skn_api_call *c)
{
    return pause_agent(c, true);
}

skein_rc skn_api_resume_agent(skn_api_call *c)
{
    return pause_agent(c, false);
}

skein_rc skn_api_wake_agent(skn_api_call *c)
{
    skein_rc rc = skein_agent_wake(c->engine, c->agent.id, &c->error);

    return rc ? rc : skn_api_answer_agent(c, &c->agent);
}

/* --- Telling ------------------------------------------------------------------------------ */

/* The message is in the agent's background, which this may have made. */
static skein_rc answer_told(skn_api_call *c, const skein_message *told)
{
    skein_message m;
    skein_rc      rc = skein_message_in_world(c->engine, c->world.id, told->uid, c->mem, &m,
                                              &c->chat, &c->error);

    if (rc)
        return rc;
    skn_api_location(c, 202, "/messages/%.*s", SKN_FMT(told->uid));
    skn_shape_message(&c->w, c->chat.uid, &m, NULL);
    return SKEIN_OK;
}

skein_rc skn_api_tell_agent(skn_api_call *c)
{
    skein_agent   from;
    skein_tell    tell = {.response_expected = false};
    skein_message m;
    skein_rc      rc;

    if ((rc = skn_call_words(c, "text", true, &tell.text)) ||
        (rc = skn_call_text(c, "from", false, &tell.from)) ||
        (rc = skn_call_flag(c, "responseExpected", false, &tell.response_expected)))
        return rc;
    if (skn_str_is(tell.from, "human"))
        tell.from = SKN_NONE;
    if (tell.from.p) {
        if ((rc = skn_find_agent(c, tell.from, &from)))
            return rc;
        tell.from = from.name;
    }
    tell.world = c->world.id;
    tell.agent = c->agent.name;
    rc = skein_tell_agent(c->engine, &tell, c->mem, &m, &c->error);
    return rc ? skn_api_blame(c, rc) : answer_told(c, &m);
}
