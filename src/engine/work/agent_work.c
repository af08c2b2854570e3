/* agent_work.c: agents that pause, are woken, or work every so often; and one that goes. */
#include "base/utf8.h"
#include "engine/engine.h"
#include "engine/work/act.h"

static const char look_after[] =
    "Look after your work: see what waits for you, continue unfinished work, and tell "
    "those who should know the result.";

typedef struct agent_work_call {
    int64_t agent, every;
    bool    paused;
} agent_work_call;

static void tell_state(skn_working *w, const skein_agent *agent, const char *state)
{
    skn_feed_world(
        w->tx, agent->world.v, "agent.state",
        SKN_TOLD(SKN_M_TEXT("agent", agent->name), SKN_M_TEXT("state", skn_str_of(state))));
}

/* --- Pausing --------------------------------------------------------------------------------------------------- */

/* Nobody waits any more for what it has not begun: what waited for that is said. */
static skein_rc let_go(skn_working *w, const agent_work_call *c, int64_t chat, skein_error *err)
{
    skn_delivery_rows rows;
    skein_rc          rc;

    rc = skn_working_hold(w, (skein_conversation_id){chat}, err);
    if (skn_is_gone(rc)) /* that went before */
        return SKEIN_OK;
    if (rc || (rc = skn_delivery_pending(w->tx, chat, w->a, &rows, err)))
        return rc;
    for (size_t i = 0; i < rows.count; i++)
        if (rows.at[i].agent_id == c->agent && skn_is_resting(&rows.at[i]))
            skn_note_over(w, rows.at[i].cause);
    return skn_settle(w, err);
}

static skein_rc let_all_go(skn_working *w, const agent_work_call *c, skein_error *err)
{
    skn_ids  chats;
    skein_rc rc = skn_delivery_chats_of(w->tx, c->agent, w->a, &chats, err);

    for (size_t i = 0; rc == SKEIN_OK && i < chats.count; i++)
        rc = let_go(w, c, chats.at[i], err);
    return rc;
}

static skein_rc set_paused(skn_working *w, void *arg, skein_error *err)
{
    agent_work_call *c = arg;
    skein_agent      agent;
    skein_agent_work was;
    bool             found;
    skein_rc         rc;

    if ((rc = skn_agent_need(w->tx, c->agent, w->a, &agent, err)) ||
        (rc = skn_agent_work(w->tx, c->agent, w->a, &was, err)) || was.paused == c->paused ||
        (rc = skn_agent_paused(w->tx, c->agent, c->paused ? SKN_NOW() : 0, &found, err)))
        return rc;
    tell_state(w, &agent,
               c->paused         ? "paused"
               : was.pending > 0 ? "queued"
               : was.failed_at   ? "failed"
                                 : "idle");
    if ((rc = skn_agent_audit(w, "agent.change", &agent,
                              c->paused ? SKN_STR("paused") : SKN_STR("resumed"), err)))
        return rc;
    return c->paused ? let_all_go(w, c, err) : SKEIN_OK;
}

skein_rc skein_agent_pause(skein_engine *e, skein_agent_id agent, bool paused, skein_error *err)
{
    agent_work_call c = {.agent = agent.v, .paused = paused};

    return skn_write(e, NULL, set_paused, &c, err);
}

/* --- Waking ----------------------------------------------------------------------------------------------------- */

static skein_rc add_look_after(skn_working *w, const skein_agent *agent, skein_error *err)
{
    skn_task_row row = {.task = {.world = agent->world,
                                 .agent = agent->id,
                                 .source = SKN_STR("system"),
                                 .content = skn_str_of(look_after),
                                 .created_at = w->now}};
    skein_world  world;
    bool         found;
    skein_rc     rc = skn_world_get(w->tx, agent->world.v, w->a, &world, &found, err);

    if (rc || !found)
        return rc;
    row.hops_left = skn_turn_limit(&world);
    return skn_task_add(w, &row, NULL, err);
}

static skein_rc wake(skn_working *w, void *arg, skein_error *err)
{
    agent_work_call *c = arg;
    skein_agent      agent;
    skein_agent_work now;
    skein_rc         rc;

    if ((rc = skn_agent_need(w->tx, c->agent, w->a, &agent, err)) ||
        (rc = skn_task_hurry(w->tx, c->agent, err)) ||
        (rc = skn_agent_work(w->tx, c->agent, w->a, &now, err)))
        return rc;
    if (now.pending == 0)
        return add_look_after(w, &agent, err);
    tell_state(w, &agent, "queued");
    return SKEIN_OK;
}

skein_rc skein_agent_wake(skein_engine *e, skein_agent_id agent, skein_error *err)
{
    agent_work_call c = {.agent = agent.v};

    return skn_write(e, NULL, wake, &c, err);
}

/* --- Timers ------------------------------------------------------------------------------------------------------- */

static skein_rc set_timer(skn_working *w, void *arg, skein_error *err)
{
    agent_work_call *c = arg;
    int64_t          next = c->every ? SKN_NOW() + c->every * 1000 : 0;
    skein_agent      agent;
    skein_agent_work was;
    bool             found;
    skein_rc         rc;

    if ((rc = skn_agent_need(w->tx, c->agent, w->a, &agent, err)) ||
        (rc = skn_agent_work(w->tx, c->agent, w->a, &was, err)) ||
        (rc = skn_timer_set(w->tx, c->agent, c->every, next, &found, err)))
        return rc;
    skn_feed_agent_is(w->tx, &agent, "agent.updated");
    if (was.run_every == c->every)
        return SKEIN_OK;
    return skn_agent_audit(w, "agent.change", &agent,
                           c->every ? SKN_STR("runEvery") : SKN_STR("runEvery removed"), err);
}

/* In milliseconds what SKN_TIMER_RANGE says. */
bool skn_timer_is_one(int64_t ms)
{
    return ms == 0 || (ms >= 1000 && ms <= INT64_C(366) * 24 * 3600 * 1000);
}

skein_rc skn_agent_hours_check(const skn_agent_hours *hours, skein_error *err)
{
    int64_t ms = hours->set_every ? hours->every_ms : 0;

    if (skn_timer_is_one(ms))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_INVALID,
                    "an agent's timer is 0, or " SKN_TIMER_RANGE ", not %lld ms",
                    (long long)ms);
}

skein_rc skein_agent_timer(skein_engine *e, skein_agent_id agent, int64_t every_ms,
                           skein_error *err)
{
    agent_work_call c = {.agent = agent.v, .every = every_ms};
    skn_agent_hours hours = {.set_every = true, .every_ms = every_ms};
    skein_rc        rc = skn_agent_hours_check(&hours, err);

    return rc ? rc : skn_write(e, NULL, set_timer, &c, err);
}

skein_rc skn_agent_hours_in(skn_working *w, skein_agent_id agent, const skn_agent_hours *hours,
                            skein_error *err)
{
    agent_work_call c = {.agent = agent.v, .paused = hours->paused, .every = hours->every_ms};
    skein_rc        rc = hours->set_paused ? set_paused(w, &c, err) : SKEIN_OK;

    return rc || !hours->set_every ? rc : set_timer(w, &c, err);
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static skein_rc read_next(skn_tx *tx, int64_t now, int64_t *next, skein_error *err)
{
    int64_t  timer, back_off;
    skein_rc rc;

    if ((rc = skn_timer_next(tx, &timer, err)) || (rc = skn_task_next(tx, now, &back_off, err)))
        return rc;
    *next = sooner(timer, back_off);
    return SKEIN_OK;
}

/* By whole periods from when it was due. A time that the clock was set back from is given up. */
static int64_t next_run(const skn_timer_row *t, int64_t now)
{
    int64_t period = t->every * 1000;

    if (t->next > now)
        return now + period;
    return t->next + period * (1 + (now - t->next) / period);
}

/* One such task at a time: who has not come to the last one has enough to do. */
static skein_rc run_timer(skn_working *w, const skn_timer_row *t, skein_error *err)
{
    skein_agent agent;
    int64_t     pending;
    bool        moved, found;
    skein_rc    rc = skn_timer_move(w->tx, t, next_run(t, w->now), &moved, err);

    if (rc || !moved || t->next > w->now ||
        (rc = skn_task_of_source(w->tx, t->agent, "system", false, &pending, err)) || pending ||
        (rc = skn_agent_get(w->tx, t->agent, w->a, &agent, &found, err)) || !found)
        return rc;
    rc = add_look_after(w, &agent, err);
    return rc == SKEIN_LIMIT ? SKEIN_OK : rc;
}

static skein_rc tick(skn_working *w, void *arg, skein_error *err)
{
    skn_timer_rows timers;
    skein_rc       rc = skn_timer_due(w->tx, w->now, w->a, &timers, err);

    for (size_t i = 0; rc == SKEIN_OK && i < timers.count; i++)
        rc = run_timer(w, &timers.at[i], err);
    return rc ? rc : read_next(w->tx, w->now, arg, err);
}

/* It only looks first: most ticks have nothing to write. */
skein_rc skein_tasks_tick(skein_engine *e, int64_t *next, skein_error *err)
{
    skn_arena     *scratch = skn_arena_new();
    skn_timer_rows timers = {0};
    skn_snapshot   s = {.store = e->store};

    *next = 0;
    while (skn_snapshot_next(&s, err)) {
        int64_t now = SKN_NOW();

        if (!(s.rc = skn_timer_due(s.tx, now, scratch, &timers, err)))
            s.rc = read_next(s.tx, now, next, err);
    }
    skn_arena_free(scratch);
    return s.rc || !timers.count ? s.rc : skn_write(e, NULL, tick, next, err);
}

/* --- Reading -------------------------------------------------------------------------------------------------------- */

skein_rc skein_agent_work_of(skein_engine *e, const skein_agents *agents, skein_mem *mem,
                             skein_agent_work *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    if (agents->count == 0)
        return SKEIN_OK;
    while (skn_snapshot_next(&s, err))
        for (size_t i = 0; !s.rc && i < agents->count; i++)
            s.rc = skn_agent_work(s.tx, agents->at[i].id.v, mem, &out[i], err);
    return s.rc;
}

/* --- Going ------------------------------------------------------------------------------------------------------------ */

/* Reports everything that its leads wait for as cancelled. */
static skein_rc report_left(skn_working *w, const skein_agent *agent, skein_error *err)
{
    skn_task_end end = {.status = "cancelled"};
    skein_tasks  left;
    skn_task_row row;
    bool         found;
    skein_rc rc = skn_task_list(w->tx, agent->id.v, SKN_STR("pending"), SIZE_MAX, w->a, &left,
                                err);

    end.why = skn_arena_printf(w->a, "%.*s was removed", SKN_FMT(agent->name));
    for (size_t i = 0; rc == SKEIN_OK && i < left.count; i++)
        if (skn_str_is(left.at[i].source, "delegation") &&
            !(rc = skn_task_get(w->tx, left.at[i].id, w->a, &row, &found, err)))
            rc = skn_task_report(w, &row, &end, err);
    return rc;
}

skein_rc skn_agent_left(skn_working *w, const skein_agent *agent, skein_error *err)
{
    bool     any;
    skein_rc rc;

    if ((rc = report_left(w, agent, err)) ||
        (rc = skn_task_drop(w->tx, agent->id.v, w->now, err)) ||
        (rc = skn_inbox_drop(w->tx, agent->id.v, w->now, &any, err)) || !any)
        return rc;
    return skn_inbox_tell(w, agent->world.v, NULL, "inbox.updated", err);
}

/* An agent's own conversations, and what others say into its background. */

skein_rc skn_own_conversation(skn_working *w, int64_t agent, skein_mode mode,
                              skn_conversation_row *out, skein_error *err)
{
    skein_rc rc = skn_conversation_own(w, agent, mode, out, err);

    return rc ? rc
              : skn_conversation_take(w->tx, (skein_conversation_id){out->id}, w->a, out, err);
}

skn_str skn_said_by(const skein_engine *e, skn_arena *a, skn_str prefix, skn_str text)
{
    size_t room = prefix.n < e->max_text ? e->max_text - prefix.n : 0;

    text = skn_utf8_cut(text, room);
    return skn_arena_printf(a, "%.*s%.*s", SKN_FMT(prefix), SKN_FMT(text));
}

static skein_rc say_to_agent(skn_working *w, const skn_conversation_row *chat,
                             const skn_heard *what, skein_message *out, skein_error *err)
{
    skein_new_message n = {.role = SKEIN_USER,
                           .sender = what->sender,
                           .content = what->text,
                           .instructions = what->instructions,
                           .instruction_count = what->instruction_count};
    skein_rc          rc;

    if ((rc = skn_check_new(w->e, &n, err)) ||
        (rc = skn_message_say(w, chat, SKN_NONE, &n, out, err)) ||
        (rc = skn_copy_add(w->tx, out->id.v, what->of[0], err)) ||
        (rc = skn_copy_add(w->tx, out->id.v, what->of[1], err)))
        return rc;
    skn_feed_message(w->tx, chat, "message.created", out, what->cause, NULL);
    return SKEIN_OK;
}

/* Several reports that nobody has looked at yet are one reason to wake up; and who has more to do than
 * may wait for it wakes up anyhow. */
static skein_rc find_wake_up(skn_working *w, const skn_heard *what, skein_task *task,
                             bool *found, skein_error *err)
{
    skn_task_row row;
    int64_t      id = 0, waiting = 0;
    skein_rc     rc = SKEIN_OK;

    *found = false;
    if (skn_str_is(skn_str_of(what->source), "report"))
        rc = skn_task_of_source(w->tx, what->agent, what->source, true, &id, err);
    if (rc == SKEIN_OK && id == 0) {
        rc = skn_task_pending(w->tx, what->agent, &waiting, err);
        *found = waiting >= SKN_TASKS_MAX;
    }
    if (rc || id == 0 || (rc = skn_task_get(w->tx, id, w->a, &row, found, err)) || !*found)
        return rc;
    *task = row.task;
    return SKEIN_OK;
}

/* A task that asks again and again comes to an end like agents that wake each other: it has the hops that a new task
 * would have, and always the last one, for its result. */
static skein_rc go_on(skn_working *w, const skn_heard *what, const skn_conversation_row *chat,
                      skein_error *err)
{
    skn_task_row row;
    int64_t      hops;
    bool         found;
    skein_rc     rc = skn_task_get(w->tx, what->task, w->a, &row, &found, err);

    if (rc || !found)
        return rc;
    hops = what->hops_left > 0 ? what->hops_left : row.hops_left - 1;
    skn_task_tell(w->tx, &row, chat, "task.queued");
    return skn_task_hops(w->tx, what->task, hops > 1 ? hops : 1, err);
}

skein_rc skn_background_say(skn_working *w, const skn_heard *what, skein_message *message,
                            skein_task *task, skein_error *err)
{
    skn_task_row         row = {.task = {.agent = {what->agent},
                                         .source = skn_str_of(what->source),
                                         .content = what->text,
                                         .created_at = w->now},
                                .assigned_by_id = what->by,
                                .cause = what->cause,
                                .hops_left = what->hops_left};
    skn_conversation_row chat;
    skein_message        said;
    skein_task           none;
    bool                 found;
    skein_rc             rc;

    message = message ? message : &said;
    task = task ? task : &none;
    *task = (skein_task){0};
    if ((rc = skn_own_conversation(w, what->agent, SKEIN_BACKGROUND, &chat, err)) ||
        (rc = say_to_agent(w, &chat, what, message, err)))
        return rc;
    if (what->task)
        return go_on(w, what, &chat, err);
    if (what->hops_left < 1 || (rc = find_wake_up(w, what, task, &found, err)) || found)
        return rc;
    row.task.world.v = chat.world_id;
    row.message_id = message->id.v;
    rc = skn_task_add(w, &row, &chat, err);
    *task = row.task;
    return rc;
}
