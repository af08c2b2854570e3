/* task_kit.h: short words for tests of agents that work by themselves: tasks, tools, and what is in their
 * own conversations. */
#ifndef SKN_TESTS_TASK_KIT_H
#define SKN_TESTS_TASK_KIT_H

#include "store/work_kit.h"

enum { ADA, BO, CY };

/* Makes an agent the lead of another. */
static inline void lead(kit *k, int of, const char *name)
{
    k->agent[of].lead_name = skein_text(name);
    KIT_OK(k, skein_agent_update(k->e, &k->agent[of], k->mem, &k->err));
}

static inline skein_task task_of(kit *k, int agent, const char *text)
{
    skein_task t = {.agent = k->agent[agent].id, .content = skein_text(text)};

    KIT_OK(k, skein_task_new(k->e, &t, k->mem, &k->err));
    return t;
}

static inline skein_task task_now(kit *k, skein_str uid)
{
    skein_task t;

    KIT_OK(k, skein_task_get(k->e, k->world.id, uid, k->mem, &t, &k->err));
    return t;
}

/* The task that an agent would begin with now; 0: none. */
static inline int64_t task_due(kit *k, int agent)
{
    skein_dues d;

    KIT_OK(k, skein_work_due(k->e, 100, k->mem, &d, &k->err));
    for (size_t i = 0; i < d.count; i++)
        if (d.at[i].task && d.at[i].agent.v == k->agent[agent].id.v)
            return d.at[i].task;
    return 0;
}

static inline skein_rc try_task(kit *k, int64_t task, skein_turn *out)
{
    return skein_task_begin(k->e, task, skein_text("test"), skein_text("demo/scripted"), LEASE,
                            k->mem, out, &k->err);
}

/* Begins with what is due for an agent. */
static inline skein_turn work(kit *k, int agent)
{
    int64_t    task = task_due(k, agent);
    skein_turn t;

    if (!task)
        fail_msg("%s has no task", k->agent[agent].name.p);
    KIT_OK(k, try_task(k, task, &t));
    return t;
}

static inline void fail_turn(kit *k, const skein_turn *t, const char *why)
{
    skein_error e = {.rc = SKEIN_PROVIDER};

    snprintf(e.message, sizeof e.message, "%s", why);
    KIT_OK(k, skein_turn_end(k->e, t, SKEIN_TURN_FAILED, &e, &k->err));
}

/* The agent calls a tool; its call waits for what comes of it. */
static inline void call_tool(kit *k, skein_turn *t, const char *call_id, const char *tool)
{
    skein_tool_call   call = {skein_text(call_id), skein_text(tool), skein_text("{\"a\":1}")};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = &call, .call_count = 1};
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_message     stored;

    KIT_OK(k, skein_turn_step(k->e, t, &s, k->mem, &stored, &k->err));
}

/* The same, and what the tool does. */
static inline skein_rc act_as(kit *k, skein_turn *t, skein_act act, skein_acted *out)
{
    static int calls;
    char       id[32];

    snprintf(id, sizeof id, "call_%d", ++calls);
    call_tool(k, t, id, "tool");
    act.call_id = skn_arena_copy(k->mem, skein_text(id));
    if (act.confidence == 0)
        act.confidence = -1;
    return skein_turn_act(k->e, t, &act, k->mem, out, &k->err);
}

/* The texts of an agent's own conversation: "user:text assistant:text …". */
static inline const char *own_texts(kit *k, int agent, skein_mode mode)
{
    skein_conversation c;
    skein_slice        what = {0};
    skein_at           at;
    skein_messages     m;
    skn_buf            buf;
    skn_str            text;

    KIT_OK(k, skein_conversation_of(k->e, k->agent[agent].id, mode, k->mem, &c, &k->err));
    what.conversation = c.id;
    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    skn_buf_init(&buf, 1 << 20);
    for (size_t i = 0; i < m.count; i++)
        skn_buf_addf(&buf, "%s%s:%s", i ? " | " : "", m.at[i].sender.p,
                     m.at[i].content.n ? m.at[i].content.p : "()");
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

static inline int64_t rows(kit *k, const char *sql)
{
    return skn_fixture_number(k->fx, sql);
}

#endif
