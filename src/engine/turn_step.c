/* turn_step.c: what an agent does in its turn, stored as it happens. A turn that is over stores
 * nothing, whoever still believes in it. */
#include "engine/chat_work.h"

typedef struct call {
    skein_engine     *e;
    const skein_turn *turn;
    const skein_step *step;
    skein_mem        *mem;
    skein_message    *stored;
    skn_turn_row      row; /* as it is after the step */
    skn_working       w;
} call;

static bool is_silent(const skein_step *s)
{
    return !s->message ||
           (s->message->role == SKEIN_ASSISTANT && skn_str_trim(s->message->content).n == 0 &&
            s->message->call_count == 0);
}

/* --- The message ------------------------------------------------------------------------------------------------ */

/* The answer to a call names the message that called: another agent's call may have the same id. */
static skein_rc link_result(call *c, skein_new_message *n, skein_error *err)
{
    skein_message caller;
    bool          found = false;
    skein_rc      rc = SKEIN_OK;

    if (c->row.step_message_id && !n->reply_to.p)
        rc = skn_message_get(c->w.tx, c->row.step_message_id, c->mem, &caller, &found, err);
    if (found && caller.reply_depth + 1 < SKN_REPLY_LEVELS)
        n->reply_to = caller.uid;
    return rc;
}

/* Fills in from the turn what the step left out. */
static skein_rc complete(call *c, skein_new_message *n, skein_error *err)
{
    const skein_turn *t = &c->row.turn;

    *n = *c->step->message;
    if (!n->sender.p)
        n->sender = t->agent_name;
    if (!n->turn_uid.p)
        n->turn_uid = t->uid;
    if (n->role == SKEIN_TOOL)
        return link_result(c, n, err);
    n->uid = t->message_uid;
    if (!n->reply_to.p)
        n->reply_to = t->trigger_uid;
    if (!n->model.p)
        n->model = t->model;
    if (skn_str_trim(n->content).n == 0) { /* only calls: nothing for the others */
        n->heard_by = &t->agent_name;
        n->heard_by_count = 1;
        n->heard_by_given = true;
    }
    return SKEIN_OK;
}

static void tell_answer(call *c)
{
    const skein_step    *s = c->step;
    const skein_message *m = c->stored;
    skn_str              finish = s->finish;

    if (!finish.p)
        finish = m->call_count ? SKN_STR("tool") : SKN_STR("stop");
    skn_tell_completed(&c->w, &c->row.turn, m, finish, s->tokens_in, s->tokens_out);
    for (size_t i = 0; i < m->call_count; i++)
        skn_feed_tool(c->w.tx, &c->w.chat, "tool.started", m, m->calls[i].call_id,
                      c->row.turn.cause);
}

static void give_uid(call *c)
{
    char uid[11];

    skn_tx_uid(c->w.tx, uid);
    c->row.turn.message_uid = skn_arena_copy(c->mem, skn_str_of(uid));
}

static skein_rc append(call *c, skein_error *err)
{
    skein_new_message    n;
    skein_append_request r = {.conversation = {c->w.chat.id}, .messages = &n, .count = 1};
    skein_messages       stored;
    skein_rc             rc;

    if ((rc = complete(c, &n, err)))
        return rc;
    rc = skn_append_in(c->e, c->w.tx, &c->w.chat, &r, c->w.now, c->mem, &stored, err);
    if (rc == SKEIN_CONFLICT && n.role == SKEIN_ASSISTANT) { /* its id was taken meanwhile */
        skn_tell_withdrawn(&c->w, &c->row.turn);
        give_uid(c);
        skn_tell_started(&c->w, &c->row.turn);
        n.uid = c->row.turn.message_uid;
        rc = skn_append_in(c->e, c->w.tx, &c->w.chat, &r, c->w.now, c->mem, &stored, err);
    }
    if (rc == SKEIN_OK)
        *c->stored = stored.at[0];
    return rc;
}

/* The turn goes on: when no call waits, the model is asked again, and its next message begins. */
static skein_rc go_on(call *c, skein_error *err)
{
    if (c->stored->role == SKEIN_ASSISTANT) {
        give_uid(c);
        c->row.step_message_id = c->stored->id.v;
        c->row.open_calls = (int64_t)c->stored->call_count;
    } else if (c->row.open_calls > 0) {
        c->row.open_calls--;
    }
    if (c->row.open_calls == 0)
        skn_tell_started(&c->w, &c->row.turn);
    return skn_turn_move(c->w.tx, &c->row, err);
}

/* --- The end -------------------------------------------------------------------------------------------------- */

/* What a person's message may cause: so many answers in a row, and in all as many for each agent. */
typedef struct budget {
    int64_t in_a_row, in_all, spent;
    bool    paused; /* that it is used up was said */
} budget;

static skein_rc read_budget(call *c, size_t agents, budget *b, skein_error *err)
{
    skein_world world = {0};
    bool        found;
    skein_rc    rc = skn_world_get(c->w.tx, c->w.chat.world_id, c->w.a, &world, &found, err);

    b->in_a_row = skn_turn_limit(&world);
    b->in_all = b->in_a_row * (int64_t)agents;
    return rc ? rc
              : skn_delivery_spent(c->w.tx, c->row.turn.cause, c->w.chat.id, &b->spent,
                                   &b->paused, err);
}

/* Once for each message of a person. */
static skein_rc say_pause(call *c, const budget *b, skein_error *err)
{
    skn_working         *w = &c->w;
    bool                 in_a_row = c->row.turn.hops_left <= 1;
    int64_t              count = in_a_row ? b->in_a_row : b->spent;
    skein_new_message    n = {.role = SKEIN_SYSTEM, .sender = SKN_STR("system")};
    skein_append_request r = {.conversation = {w->chat.id}, .messages = &n, .count = 1};
    skein_messages       stored;
    skein_rc             rc;

    if (b->paused)
        return SKEIN_OK;
    n.content = skn_arena_printf(w->a,
                                 "The agents have answered %lld time%s%s and pause here. Say "
                                 "something to go on.",
                                 (long long)count, count == 1 ? "" : "s",
                                 in_a_row ? " in a row" : "");
    if ((rc = skn_delivery_pause(w->tx, c->row.delivery_id, err)) ||
        (rc = skn_append_in(w->e, w->tx, &w->chat, &r, w->now, w->a, &stored, err)))
        return rc;
    skn_feed_message(w->tx, &w->chat, "message.created", &stored.at[0], c->row.turn.cause,
                     NULL);
    return SKEIN_OK;
}

/* Agents that the answer names have to answer it, as long as the budget lasts. */
static skein_rc hand_on(call *c, skein_error *err)
{
    skn_str    cause = c->row.turn.cause;
    int64_t    hops = c->row.turn.hops_left - 1;
    skn_routed to;
    budget     b;
    skein_rc   rc;

    if ((rc = skn_route(&c->w, c->stored, &to, err)) || to.count == 0 ||
        (rc = skn_route_merge(&c->w, cause, &to, err)) || to.count == 0 ||
        (rc = read_budget(c, to.agents.count, &b, err)))
        return rc;
    if (hops < 1 || b.spent + (int64_t)to.count > b.in_all)
        return say_pause(c, &b, err);
    return skn_deliver(&c->w, c->stored, &to, cause, hops, SKN_NONE, err);
}

static skein_rc tell_replied(call *c, skein_error *err)
{
    const skein_turn *t = &c->row.turn;
    int64_t           count;
    skn_told          d;
    skein_rc          rc = skn_reply_tally(c->w.tx, c->row.trigger_id, &count, err);

    if (rc)
        return rc;
    skn_told_open(&d);
    skn_jw_kstr(&d.w, "messageId", t->trigger_uid);
    skn_jw_kstr(&d.w, "state", SKN_STR("replied"));
    skn_jw_kint(&d.w, "count", count);
    skn_feed_chat(c->w.tx, &c->w.chat, "reply.changed", t->cause, &d);
    return SKEIN_OK;
}

static skein_rc close_turn(call *c, bool silent, skein_error *err)
{
    const skein_turn *t = &c->row.turn;
    skein_rc          rc = SKEIN_OK;

    if (silent && c->row.open_calls == 0) /* else its next message has not been begun */
        skn_tell_withdrawn(&c->w, t);
    else if (c->stored->role == SKEIN_ASSISTANT)
        rc = hand_on(c, err);
    if (rc || (rc = skn_turn_shut(&c->w, &c->row, SKEIN_TURN_COMMITTED,
                                  silent ? SKN_DROPPED : SKN_ANSWERED, SKN_NONE, err)))
        return rc;
    skn_tell_agent(&c->w, t->agent_name, "idle", t->cause);
    if (!silent && (rc = tell_replied(c, err)))
        return rc;
    return skn_working_done(&c->w, skn_settle(&c->w, err));
}

/* --- One step ---------------------------------------------------------------------------------------------------- */

static skein_rc is_over(const skein_turn *t, skein_error *err)
{
    return skn_fail(err, SKEIN_TURN_OVER, "turn \"%.*s\" is over", SKN_FMT(t->uid));
}

skein_rc skn_turn_take(skn_working *w, skein_engine *e, skn_tx *tx, skn_arena *a,
                       const skein_turn *turn, skn_turn_row *row, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_working_take(w, e, tx, a, turn->chat, err);

    if (rc == SKEIN_NOT_FOUND)
        return is_over(turn, err);
    if (rc || (rc = skn_turn_get(tx, turn->id, a, row, &found, err)))
        return rc;
    if (!found || row->turn.state != SKEIN_TURN_OPEN || row->turn.fence != turn->fence ||
        row->turn.chat.v != turn->chat.v)
        return is_over(turn, err);
    return SKEIN_OK;
}

static skein_rc step(skn_tx *tx, void *arg, skein_error *err)
{
    call    *c = arg;
    bool     silent = is_silent(c->step);
    skein_rc rc;

    *c->stored = (skein_message){0};
    if ((rc = skn_turn_take(&c->w, c->e, tx, c->mem, c->turn, &c->row, err)))
        return rc;
    if (silent)
        return close_turn(c, true, err);
    if ((rc = append(c, err)))
        return rc;
    if (c->stored->role == SKEIN_ASSISTANT)
        tell_answer(c);
    else
        skn_feed_tool(tx, &c->w.chat, c->stored->tool_failed ? "tool.failed" : "tool.completed",
                      c->stored, c->stored->tool_call_id, c->row.turn.cause);
    return c->step->last ? close_turn(c, false, err) : go_on(c, err);
}

static skein_rc check_step(const skein_engine *e, const skein_step *s, skein_error *err)
{
    if (is_silent(s))
        return s->last ? SKEIN_OK
                       : skn_fail(err, SKEIN_INVALID,
                                  "a step that is not the last needs a message");
    if (s->message->role != SKEIN_ASSISTANT && s->message->role != SKEIN_TOOL)
        return skn_fail(err, SKEIN_INVALID, "a message of role \"%s\" is no step of a turn",
                        skein_role_name(s->message->role));
    if (s->message->uid.p)
        return skn_fail(err, SKEIN_INVALID, "the id of a step's message is the turn's");
    return skn_check_new(e, s->message, err);
}

skein_rc skein_turn_step(skein_engine *e, skein_turn *turn, const skein_step *what,
                         skein_mem *mem, skein_message *stored, skein_error *err)
{
    skein_message none;
    call          c = {.e = e, .turn = turn, .step = what, .mem = mem};
    skein_rc      rc = check_step(e, what, err);

    c.stored = stored ? stored : &none;
    if (rc || (rc = skn_store_write(e->store, step, &c, err)))
        return rc;
    turn->message_uid = skn_arena_copy(mem, c.row.turn.message_uid);
    if (what->last)
        turn->state = SKEIN_TURN_COMMITTED;
    return SKEIN_OK;
}
