/* Messages that wait until the agents are done, and stopping the agents. */
#include "api/call.h"
#include "base/clock.h"

/* --- The queue ---------------------------------------------------------------------------- */

skein_rc skn_api_list_queue(skn_api_call *c)
{
    skein_queue queue;
    skn_page    page;
    skein_rc    rc;

    if ((rc = skein_queue_list(c->engine, c->chat.id, c->mem, &queue, &c->error)) ||
        (rc = skn_page_open(c, SKN_STR("queue"), queue.count, 0, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        skn_shape_waiting(&c->w, c->chat.uid, &queue.at[i]);
    return skn_page_close(c, &page, NULL);
}

static skein_rc find_waiting(skn_api_call *c, skein_waiting *out)
{
    skein_queue queue;
    skein_rc    rc = skein_queue_list(c->engine, c->chat.id, c->mem, &queue, &c->error);

    for (size_t i = 0; rc == SKEIN_OK && i < queue.count; i++)
        if (skn_str_eq(queue.at[i].uid, c->params[2])) {
            *out = queue.at[i];
            return SKEIN_OK;
        }
    return rc ? rc
              : skn_fail(&c->error, SKEIN_NOT_FOUND, "no message \"%.*s\" is waiting",
                         SKN_FMT(c->params[2]));
}

static skein_rc send_now(skn_api_call *c)
{
    skein_posted posted;
    skein_rc     rc = skein_queue_send(c->engine, c->chat.id, c->params[2], c->mem, &posted,
                                       &c->error);

    if (rc)
        return rc;
    skn_api_location(c, 202, "/messages/%.*s", SKN_FMT(posted.message.uid));
    skn_api_write_posted(c, &posted, SKN_NONE, &(skein_notice){.code = SKN_NONE});
    return SKEIN_OK;
}

skein_rc skn_api_change_queued(skn_api_call *c)
{
    skein_waiting waiting;
    skn_str       content;
    bool          now;
    skein_rc      rc;

    if ((rc = skn_call_words(c, "content", false, &content)) ||
        (rc = skn_call_flag(c, "send", false, &now)) || (rc = find_waiting(c, &waiting)))
        return rc;
    if (content.p &&
        (rc = skein_queue_edit(c->engine, c->chat.id, c->params[2], content, &c->error)))
        return skn_api_blame(c, rc);
    if (now)
        return send_now(c);
    if ((rc = find_waiting(c, &waiting)))
        return rc;
    skn_shape_waiting(&c->w, c->chat.uid, &waiting);
    return SKEIN_OK;
}

skein_rc skn_api_remove_queued(skn_api_call *c)
{
    return skein_queue_remove(c->engine, c->chat.id, c->params[2], &c->error);
}

/* --- Stopping ----------------------------------------------------------------------------- */

/* A task that has not begun may have no conversation yet. */
static void add_target(skn_stopping *s, skein_conversation_id chat, skein_agent_id agent)
{
    if (!chat.v)
        return;
    for (size_t i = 0; i < s->targets.n; i++)
        if (s->targets.p[i].chat.v == chat.v && s->targets.p[i].agent.v == agent.v)
            return;
    skn_vec_add(s->c->mem, &s->targets, ((skn_stop_target){chat, agent}));
}

/* Without a chat: wherever anybody of this world is at work. */
static skein_rc find_chats(skn_stopping *s, skein_agent_id agent)
{
    skn_api_call *c = s->c;
    skein_agents  agents;
    skn_at_work   work;
    skein_rc      rc;

    if ((rc = skn_api_at_work(c, c->world.id, &work)) ||
        (rc = skein_agent_list(c->engine, c->world.id, c->mem, &agents, &c->error)))
        return rc;
    for (size_t i = 0; i < work.turns.count; i++)
        if (!agent.v || work.turns.at[i].agent.v == agent.v)
            add_target(s, work.turns.at[i].chat, agent);
    for (size_t i = 0; i < work.dues.count; i++)
        for (size_t k = 0; k < agents.count; k++)
            if (work.dues.at[i].agent.v == agents.at[k].id.v &&
                (!agent.v || agents.at[k].id.v == agent.v))
                add_target(s, work.dues.at[i].chat, agent);
    return SKEIN_OK;
}

static skein_rc add_agent(skn_stopping *s, skein_agent_id agent)
{
    if (!s->c->chat.id.v)
        return find_chats(s, agent);
    add_target(s, s->c->chat.id, agent);
    return SKEIN_OK;
}

static skein_rc find_targets(skn_stopping *s)
{
    skn_api_call   *c = s->c;
    const skn_json *list;
    skein_agent     agent;
    skn_str         chat;
    size_t          n = 0;
    skein_rc        rc;

    if ((rc = skn_find_named(c)) || (rc = skn_call_chat_id(c, &chat)) ||
        (chat.p && (rc = skn_find_chat(c, chat))) ||
        (rc = skn_api_list(c, c->json, "agents", &list)))
        return rc;
    if (!list)
        return add_agent(s, (skein_agent_id){0});
    for (const skn_json *v = list->first; v; v = v->next, n++) {
        if (v->kind != SKN_JSON_STRING)
            return skn_call_wrong(c, "must be the name of an agent", "/agents/%zu", n);
        if ((rc = skn_find_agent(c, v->text, &agent)) || (rc = add_agent(s, agent.id)))
            return rc;
    }
    return SKEIN_OK;
}

skein_rc skn_stop_in_store(skn_stopping *s)
{
    skein_rc rc = SKEIN_OK;

    for (; rc == SKEIN_OK && s->at < s->targets.n; s->at++) {
        skein_stop what = {.chat = s->targets.p[s->at].chat,
                           .agent = s->targets.p[s->at].agent};
        int64_t    n = 0;

        rc = skein_work_stop(s->c->engine, &what, &n, &s->c->error);
        s->stopped += n;
    }
    return rc;
}

skein_rc skn_stop_find(skn_stopping *s)
{
    s->since = skn_clock_micros();
    return find_targets(s);
}

/* Of the background that was named, or of everybody. */
skein_rc skn_stop_look(skn_stopping *s)
{
    skn_api_call *c = s->c;
    skein_agent   owner = {.id = c->chat.agent};
    skein_agents  agents = {&owner, c->chat.mode == SKEIN_BACKGROUND};
    skein_rc      rc = SKEIN_OK;

    if (!c->chat.id.v)
        rc = skein_agent_list(c->engine, c->world.id, c->mem, &agents, &c->error);
    return rc ? rc
              : skein_tasks_cancelled(c->engine, &agents, s->since, c->mem, &s->tasks,
                                      &c->error);
}

void skn_stop_answer(skn_stopping *s)
{
    skn_jw *w = &s->c->w;

    skn_jw_object(w);
    skn_jw_kint(w, "stopped", s->stopped);
    skn_jw_karray(w, "tasks");
    for (size_t i = 0; i < s->tasks.count; i++)
        skn_shape_task(w, &s->tasks.at[i]);
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

skein_rc skn_api_stop_agents(skn_api_call *c)
{
    skn_stopping s = {.c = c};
    skein_rc     rc;

    if ((rc = skn_stop_find(&s)) || (rc = skn_stop_in_store(&s)) || (rc = skn_stop_look(&s)))
        return rc;
    skn_stop_answer(&s);
    return SKEIN_OK;
}

/* One agent answers a message once more. */

skein_rc skn_api_read_again(skn_api_call *c, skein_again *out)
{
    bool     tools;
    skein_rc rc = skn_call_flag(c, "tools", true, &tools);

    if (!rc && !(rc = skn_call_text(c, "model", false, &out->model)))
        rc = skn_call_int(c, "maxTokens", 1, SKN_AGENT_TOKENS_MOST, 0, &out->most_tokens);
    out->without_tools = !tools;
    return rc;
}

static skein_rc read_again(skn_api_call *c, skein_again *out)
{
    skein_agent agent;
    skn_str     name;
    skein_rc    rc = skn_call_text(c, "agent", true, &name);

    if (rc || (rc = skn_find_agent(c, name, &agent)))
        return rc;
    out->agent = agent.id;
    return skn_api_read_again(c, out);
}

/* It continues by itself: events of the chat report the outcome. */
skein_rc skn_api_retry_answer(skn_api_call *c)
{
    skein_message     m;
    skein_messages    list = {&m, 1};
    skein_again       what = {.model = SKN_NONE};
    skein_posted      posted;
    skn_told_messages told;
    skein_rc          rc;

    if ((rc = skn_api_message(c, &m)) || (rc = read_again(c, &what)))
        return rc;
    what.message = m.id;
    if ((rc = skein_answer_again(c->engine, c->chat.id, &what, c->mem, &posted, &c->error)) ||
        (rc = skn_api_explain(c, c->chat.version, &list, &told)))
        return rc;
    skn_api_location(c, 202, "/messages/%.*s", SKN_FMT(m.uid));
    skn_api_write_message(c, &told, 0);
    return SKEIN_OK;
}
