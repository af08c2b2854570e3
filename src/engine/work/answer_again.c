/* answer_again.c: one agent answers a message once more, because it failed to or was stopped. What it said before stays. */
#include "engine/engine.h"
#include "engine/work/chat_work.h"

typedef struct again_call {
    skein_conversation_id chat;
    const skein_again    *what;
    skein_posted         *out;
} again_call;

/* --- Whether it can ----------------------------------------------------------------------------------------- */

static skein_rc find_said(skn_working *w, int64_t message, skein_message *m, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_message_get(w->tx, message, w->a, m, &found, err);

    if (rc || (found && (rc = skn_lane_holds(w, 0, message, &found, err))))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_CONFLICT,
                        "the message is not in the main lane of this version");
    if (m->purged || (m->role != SKEIN_USER && m->role != SKEIN_ASSISTANT))
        return skn_fail(err, SKEIN_CONFLICT, "message \"%.*s\" is none that is answered",
                        SKN_FMT(m->uid));
    return SKEIN_OK;
}

/* In a chat it has to be in the agent's memory; a conversation of its own is its memory. */
static skein_rc check_heard(skn_working *w, skein_message *m, const skein_agent *agent,
                            skein_error *err)
{
    skein_messages   one = {m, 1};
    skein_deliveries heard = {0};
    bool             has = w->chat.mode != SKEIN_CHAT && w->chat.agent_id == agent->id.v;
    skein_rc         rc = SKEIN_OK;

    if (m->author_agent.v == agent->id.v)
        return skn_fail(err, SKEIN_CONFLICT, "%.*s said \"%.*s\" itself", SKN_FMT(agent->name),
                        SKN_FMT(m->uid));
    if (w->chat.mode == SKEIN_CHAT)
        rc = skn_deliveries_read(w, &one, &heard, err);
    for (size_t i = 0; i < heard.count; i++)
        has = has || skn_str_eq(heard.at[i].agent, agent->name);
    if (rc || has)
        return rc;
    return skn_fail_hint(err, SKEIN_CONFLICT, "Say it again, to whom it is for.",
                         "%.*s has not heard message \"%.*s\"", SKN_FMT(agent->name),
                         SKN_FMT(m->uid));
}

/* Nobody answers in the main lane, and nothing waits for this agent: an answer that comes anyway is not asked for twice. */
static skein_rc check_free(skn_working *w, const skein_agent *agent, skein_error *err)
{
    skn_delivery_rows left;
    bool              busy;
    skein_rc          rc = skn_sweep(w, &left, err);

    if (rc || (w->over.n > 0 && ((rc = skn_settle(w, err)) || (rc = skn_sweep(w, &left, err)))))
        return rc;
    busy = skn_in_room(&left) > 0;
    for (size_t i = 0; i < left.count; i++)
        busy = busy || (left.at[i].agent_id == agent->id.v && !left.at[i].lane_id);
    if (!busy)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_AT_WORK, "Wait until they are done, or stop them.",
                         "agents have yet to answer in this conversation");
}

/* --- Asking --------------------------------------------------------------------------------------------------- */

/* As it was asked before, or on behalf of the message itself. Another model was asked that once only. */
static skein_rc work_of(skn_working *w, const skein_message *m, const skein_agent *agent,
                        skn_delivery_row *out, skein_error *err)
{
    int64_t           id = m->id.v;
    skein_world       world = {0};
    skn_delivery_rows before;
    bool              found, any = false;
    skein_rc          rc;

    if ((rc = skn_world_get(w->tx, w->chat.world_id, w->a, &world, &found, err)) ||
        (rc = skn_delivery_of(w->tx, &(skn_ids){&id, 1}, w->a, &before, err)))
        return rc;
    *out = (skn_delivery_row){.cause = m->uid, .hops_left = skn_turn_limit(&world)};
    for (size_t i = 0; i < before.count; i++) {
        skn_delivery_row first = any ? *out : before.at[i];

        if (before.at[i].agent_id != agent->id.v || before.at[i].lane_id ||
            before.at[i].conversation_id != w->chat.id)
            continue;
        *out = before.at[i];
        out->model = first.model;
        out->most_tokens = first.most_tokens;
        any = true;
    }
    out->conversation_id = w->chat.id;
    out->agent_id = agent->id.v;
    out->message_id = id;
    out->task_id = 0;
    out->created_at = w->now;
    return SKEIN_OK;
}

skein_rc skn_ask_again(skn_working *w, const skein_message *m, const skein_agent *agent,
                       const skein_again *how, skein_posted *out, skn_str *cause,
                       skein_error *err)
{
    skein_messages    one = {&out->message, 1};
    skn_delivery_row  work;
    skn_delivery_rows rows;
    skein_rc          rc;

    if ((rc = work_of(w, m, agent, &work, err)))
        return rc;
    work.without_tools = how->without_tools;
    if (how->model.n)
        work.model = how->model;
    if (how->most_tokens)
        work.most_tokens = how->most_tokens;
    *cause = work.cause;
    if ((rc = skn_delivery_insert(w->tx, &work, err)) ||
        (rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err)))
        return rc;
    out->message = *m;
    out->waiting = (int64_t)skn_in_room(&rows);
    skn_tell_delivered(w, m->uid, agent->name, "queued", work.cause);
    if (out->waiting)
        skn_tell_busy(w, work.cause, &rows);
    return skn_deliveries_read(w, &one, &out->deliveries, err);
}

static skein_rc again(skn_working *w, void *arg, skein_error *err)
{
    again_call   *c = arg;
    skein_agent   agent;
    skein_message m;
    skn_str       cause;
    bool          found;
    skein_rc      rc;

    *c->out = (skein_posted){0};
    if ((rc = skn_working_hold(w, c->chat, err)) ||
        (rc = skn_agent_get(w->tx, c->what->agent.v, w->a, &agent, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "the agent is gone");
    if ((rc = find_said(w, c->what->message.v, &m, err)) ||
        (rc = check_heard(w, &m, &agent, err)) || (rc = check_free(w, &agent, err)))
        return rc;
    return skn_ask_again(w, &m, &agent, c->what, c->out, &cause, err);
}

skein_rc skn_again_check(const skein_again *what, skein_error *err)
{
    if (what->most_tokens < 0 || what->most_tokens > SKN_AGENT_TOKENS_MOST)
        return skn_fail(err, SKEIN_INVALID, "an answer has 1 to %lld tokens",
                        (long long)SKN_AGENT_TOKENS_MOST);
    return skn_check_given(what->model, "the model's name", SKN_WORD_MAX, err);
}

skein_rc skein_answer_again(skein_engine *e, skein_conversation_id chat,
                            const skein_again *what, skein_mem *mem, skein_posted *out,
                            skein_error *err)
{
    again_call c = {chat, what, out};
    skein_rc   rc = skn_again_check(what, err);

    return rc ? rc : skn_write(e, mem, again, &c, err);
}
