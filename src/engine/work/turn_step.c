/* turn_step.c: what an agent does in its turn, stored as it happens. A closed turn stores nothing, even if a program
 * still believes in it. */
#include "engine/work/act.h"

typedef struct step_call {
    const skein_turn *turn;
    const skein_step *step;
    skein_message    *stored;
    skn_turn_row      row; /* as it is after the step */
    skn_working      *w;
} step_call;

static bool is_silent(const skein_step *s)
{
    return !s->message ||
           (s->message->role == SKEIN_ASSISTANT && skn_str_trim(s->message->content).n == 0 &&
            s->message->call_count == 0 && !s->message->unfinished);
}

/* --- The message ------------------------------------------------------------------------------------------------ */

/* Fills in from the turn what the step left out. */
static void complete(const step_call *c, skein_new_message *n)
{
    const skein_turn *t = &c->row.turn;

    *n = *c->step->message;
    if (!n->sender.p)
        n->sender = t->agent_name;
    if (!n->turn_uid.p)
        n->turn_uid = t->uid;
    n->uid = t->message_uid;
    if (!n->reply_to.p)
        n->reply_to = t->trigger_uid;
    if (!n->model.p)
        n->model = t->model;
    if (!t->lane.v && skn_str_trim(n->content).n == 0) { /* nothing for others */
        n->heard_by = &t->agent_name;
        n->heard_by_count = 1;
        n->heard_by_given = true;
    }
}

static void tell_answer(step_call *c)
{
    const skein_step    *s = c->step;
    const skein_message *m = c->stored;
    skn_str              finish = s->finish;

    if (!finish.p)
        finish = m->call_count ? SKN_STR("tool") : SKN_STR("stop");
    skn_tell_completed(c->w, &c->row.turn, m, finish, s);
    for (size_t i = 0; i < m->call_count; i++)
        skn_feed_tool(c->w->tx, &c->w->chat, "tool.started", m, m->calls[i].call_id,
                      c->row.turn.lane_key, c->row.turn.cause);
}

/* How the model was asked for it. */
static skein_rc keep_call(step_call *c, skein_error *err)
{
    const skein_turn *t = &c->row.turn;
    skein_model_call  k;
    skn_str           uid;

    if (!c->step->call)
        return SKEIN_OK;
    k = *c->step->call;
    k.world = t->world;
    k.chat = t->chat;
    k.agent = t->agent;
    k.turn = t->id;
    k.message_uid = c->stored->uid;
    if (!k.purpose.p)
        k.purpose = SKN_STR("turn");
    return skn_call_keep(c->w, &k, &uid, err);
}

static void give_uid(step_call *c)
{
    char uid[11];

    skn_tx_uid(c->w->tx, uid);
    c->row.turn.message_uid = skn_arena_copy(c->w->a, skn_str_of(uid));
}

static skein_rc append_answer(step_call *c, skein_error *err)
{
    skn_str           lane = c->row.turn.lane_key;
    skein_new_message n;
    skein_rc          rc;

    complete(c, &n);
    rc = skn_message_say(c->w, &c->w->chat, lane, &n, c->stored, err);
    if (rc == SKEIN_CONFLICT) { /* its id was taken meanwhile */
        skn_tell_withdrawn(c->w, &c->row.turn);
        give_uid(c);
        skn_tell_started(c->w, &c->row.turn);
        n.uid = c->row.turn.message_uid;
        rc = skn_message_say(c->w, &c->w->chat, lane, &n, c->stored, err);
    }
    if (rc)
        return rc;
    tell_answer(c);
    return keep_call(c, err);
}

/* --- Results ---------------------------------------------------------------------------------------------------- */

/* The answer to a call names the message that called: another agent's call may have the same id. */
static skein_rc link_result(skn_working *w, const skn_turn_row *row, skein_new_message *n,
                            skein_error *err)
{
    skein_message caller;
    bool          found = false;
    skein_rc      rc = SKEIN_OK;

    if (row->step_message_id && !n->reply_to.p)
        rc = skn_message_get(w->tx, row->step_message_id, w->a, &caller, &found, err);
    if (found && caller.reply_depth + 1 < SKN_REPLY_LEVELS)
        n->reply_to = caller.uid;
    return rc;
}

static skein_rc append_result(skn_working *w, const skn_turn_row *row,
                              const skein_new_message *result, skein_message *stored,
                              skein_error *err)
{
    const skein_turn *t = &row->turn;
    skein_new_message n = *result;
    skein_rc          rc;

    if (!n.sender.p)
        n.sender = t->agent_name;
    if (!n.turn_uid.p)
        n.turn_uid = t->uid;
    if ((rc = link_result(w, row, &n, err)) ||
        (rc = skn_message_say(w, &w->chat, t->lane_key, &n, stored, err)))
        return rc;
    skn_feed_tool(w->tx, &w->chat, stored->tool_failed ? "tool.failed" : "tool.completed",
                  stored, stored->tool_call_id, t->lane_key, t->cause);
    return SKEIN_OK;
}

/* The turn goes on: with the tool of a call, or when none waits, the model is asked again and its next message
 * begins. */
static skein_rc move_on(skn_working *w, skn_turn_row *row, skn_str tool, skein_error *err)
{
    skein_turn *t = &row->turn;
    bool        other = t->writing || !skn_str_eq(t->tool, tool);

    t->tool = tool;
    t->writing = false;
    t->waits = SKEIN_WAITS_NOT;
    t->waits_until = 0;
    if (other)
        skn_tell_doing(w, t, SKN_NONE);
    if (row->open_calls == 0)
        skn_tell_started(w, t);
    return skn_turn_move(w->tx, row, err);
}

/* The first call without a result behind the one that got one just now. Calls run in their order, so it is the
 * next one but where ends of delegations come in between. */
static skein_rc next_tool(skn_working *w, const skn_turn_row *row, skn_str done, skn_str *out,
                          skein_error *err)
{
    skein_message m;
    bool          found;
    size_t        from = 0;
    int64_t       results = 1;
    skein_rc      rc = skn_message_get(w->tx, row->step_message_id, w->a, &m, &found, err);

    if (rc || !found)
        return rc;
    while (from < m.call_count && !skn_str_eq(m.calls[from].call_id, done))
        from++;
    for (size_t i = 1; rc == SKEIN_OK && results && i < m.call_count; i++) {
        const skein_tool_call *next = &m.calls[(from + i) % m.call_count];

        rc = skn_call_results(w->tx, row->step_message_id, next->call_id, &results, err);
        if (results == 0)
            *out = next->tool_name;
    }
    return rc;
}

/* The end of a delegation comes while a person is asked about another call, or has just answered. */
static skein_rc waits_for_other(skn_working *w, const skn_turn_row *row, skn_str done,
                                bool *other, skein_error *err)
{
    skn_inbox_row asked;
    skein_rc      rc = SKEIN_OK;

    *other = false;
    if (row->open_calls > 0 &&
        (row->turn.waits == SKEIN_WAITS_FOR_PERSON || row->turn.waits == SKEIN_WAITS_TO_GO_ON))
        rc = skn_inbox_asked(w->tx, row->turn.id, w->a, &asked, other, err);
    *other = *other && asked.work_message_id == row->step_message_id &&
             !skn_str_eq(asked.item.call_id, done);
    return rc;
}

static skein_rc count_result(skn_working *w, skn_turn_row *row, skn_str done, skein_error *err)
{
    skn_str  tool = SKN_NONE;
    bool     waits;
    skein_rc rc;

    if (row->open_calls > 0)
        row->open_calls--;
    if ((rc = waits_for_other(w, row, done, &waits, err)))
        return rc;
    if (waits) /* it still waits */
        return skn_turn_move(w->tx, row, err);
    if (row->open_calls > 0)
        rc = next_tool(w, row, done, &tool, err);
    return rc ? rc : move_on(w, row, tool, err);
}

skein_rc skn_turn_result(skn_working *w, skn_turn_row *row, const skein_new_message *result,
                         skein_message *stored, skein_error *err)
{
    skein_rc rc = append_result(w, row, result, stored, err);

    if (rc || w->hushed) /* it is about to be closed */
        return rc;
    return count_result(w, row, stored->tool_call_id, err);
}

/* What is said of a call that nobody will answer any more. */
static skein_rc lost_words(skn_working *w, const skn_turn_row *row, skn_str call_id,
                           skn_str *out, skein_error *err)
{
    skn_inbox_row asked;
    bool          found;
    skein_rc rc = skn_inbox_approval(w->tx, row->turn.id, call_id, row->step_message_id, w->a,
                                     &asked, &found, err);

    if (rc || !found)
        *out = SKN_STR("interrupted: the outcome of this call is unknown");
    else if (skn_str_is(asked.item.answer, "denied"))
        *out = asked.item.reason.p ? SKN_STR("not run: this tool is not allowed in this world")
                                   : SKN_STR("not run: a person did not allow it");
    else if (!skn_str_is(asked.item.answer, "allowed"))
        *out = SKN_STR("not run: its turn ended before a person had allowed it");
    else if (skn_approval_rests(&asked))
        *out = SKN_STR("not run: it was allowed, but its turn ended before it began");
    else
        *out = SKN_STR("interrupted: the outcome of this call is unknown");
    return rc;
}

/* A result that is refused must not keep the turn open forever. */
static skein_rc lose_call(skn_working *w, const skn_turn_row *row, skn_str call_id,
                          skein_error *err)
{
    skein_new_message n = {.role = SKEIN_TOOL, .tool_call_id = call_id, .tool_failed = true};
    skein_message     stored;
    int64_t           results;
    skein_rc          rc;

    if ((rc = skn_call_results(w->tx, row->step_message_id, call_id, &results, err)) ||
        results > 0 || (rc = lost_words(w, row, call_id, &n.content, err)))
        return rc;
    rc = append_result(w, row, &n, &stored, err);
    return rc == SKEIN_INVALID || rc == SKEIN_LIMIT || rc == SKEIN_CONFLICT ? SKEIN_OK : rc;
}

skein_rc skn_turn_lose_calls(skn_working *w, const skn_turn_row *row, skein_error *err)
{
    skein_message m;
    bool          found;
    skein_rc      rc;

    if (row->open_calls == 0 || w->silent)
        return SKEIN_OK;
    rc = skn_message_get(w->tx, row->step_message_id, w->a, &m, &found, err);
    for (size_t i = 0; rc == SKEIN_OK && found && i < m.call_count; i++)
        rc = lose_call(w, row, m.calls[i].call_id, err);
    return rc;
}

static skein_rc go_on(step_call *c, skein_error *err)
{
    const skein_message *m = c->stored;
    skein_rc             rc;

    if (m->role == SKEIN_TOOL)
        return count_result(c->w, &c->row, m->tool_call_id, err);
    if ((rc = skn_written_drop(c->w->tx, c->row.turn.id, err)))
        return rc;
    give_uid(c);
    c->row.step_message_id = m->id.v;
    c->row.open_calls = (int64_t)m->call_count;
    return move_on(c->w, &c->row, m->call_count ? m->calls[0].tool_name : SKN_NONE, err);
}

/* --- The end -------------------------------------------------------------------------------------------------- */

/* Once for each message of a person. */
static skein_rc say_pause(step_call *c, const skn_budget *b, skein_error *err)
{
    skn_working      *w = c->w;
    bool              in_a_row = c->row.turn.hops_left <= 1;
    int64_t           count = in_a_row ? b->in_a_row : b->spent;
    skein_new_message n = {.role = SKEIN_SYSTEM, .sender = SKN_STR("system")};
    skein_message     stored;
    skein_rc          rc;

    if (b->paused)
        return SKEIN_OK;
    n.content = skn_arena_printf(w->a,
                                 "The agents have answered %lld time%s%s and pause here. Say "
                                 "something to go on.",
                                 (long long)count, count == 1 ? "" : "s",
                                 in_a_row ? " in a row" : "");
    if ((rc = skn_delivery_pause(w->tx, c->row.delivery_id, err)) ||
        (rc = skn_message_say(w, &w->chat, SKN_NONE, &n, &stored, err)))
        return rc;
    skn_feed_message(w->tx, &w->chat, "message.created", &stored, c->row.turn.cause, NULL);
    return SKEIN_OK;
}

/* Somebody waited for this answer, and is to hear it like one whom it names. Who is not in the chat gets
 * it with the end of the task. */
static skein_rc answer_asker(step_call *c, skn_routed *to, skein_error *err)
{
    int64_t  asker;
    skein_rc rc;

    if (c->w->chat.mode != SKEIN_CHAT) /* what is said there does not come to who asked */
        return SKEIN_OK;
    rc = skn_expect_answered(c->w, c->row.trigger_id, c->row.turn.agent.v, c->stored->id.v,
                             &asker, err);
    for (size_t i = 0; rc == SKEIN_OK && asker && i < to->agents.count; i++)
        if (to->agents.at[i].id.v == asker && !to->answers[i]) {
            to->answers[i] = true;
            to->count++;
        }
    return rc;
}

/* Agents that the answer names have to answer it, as long as the budget lasts. What is said on a lane is
 * for who asked for it. */
static skein_rc hand_on(step_call *c, skein_error *err)
{
    skn_str    cause = c->row.turn.cause;
    int64_t    hops = c->row.turn.hops_left - 1;
    skn_routed to;
    skn_budget b;
    skein_rc   rc;

    if (c->row.turn.lane.v)
        return SKEIN_OK;
    if ((rc = skn_route(c->w, c->stored, &to, err)) || (rc = answer_asker(c, &to, err)) ||
        to.count == 0 || (rc = skn_route_merge(c->w, cause, &to, err)) || to.count == 0 ||
        (rc = skn_budget_read(c->w, cause, to.agents.count, &b, err)))
        return rc;
    if (hops < 1 || b.spent + (int64_t)to.count > b.in_all)
        return say_pause(c, &b, err);
    return skn_deliver(c->w, c->stored, &to, cause, hops, NULL, err);
}

static skein_rc tell_replied(step_call *c, skein_error *err)
{
    const skein_turn *t = &c->row.turn;
    int64_t           count;
    skein_rc          rc = skn_reply_tally(c->w->tx, c->row.trigger_id, &count, err);

    if (rc)
        return rc;
    skn_feed_chat(c->w->tx, &c->w->chat, "reply.changed", t->cause,
                  SKN_TOLD(SKN_M_TEXT("messageId", t->trigger_uid),
                           SKN_M_TEXT("state", SKN_STR("replied")), SKN_M_INT("count", count)));
    return SKEIN_OK;
}

static skein_rc close_turn(step_call *c, bool silent, skein_error *err)
{
    const skein_turn *t = &c->row.turn;
    skein_rc          rc = SKEIN_OK;

    if (silent && c->row.open_calls == 0) /* else its next message has not been begun */
        skn_tell_withdrawn(c->w, t);
    else if (c->stored->role == SKEIN_ASSISTANT)
        rc = hand_on(c, err);
    if (rc || (rc = skn_turn_shut(c->w, &c->row, SKEIN_TURN_COMMITTED,
                                  silent ? SKN_DROPPED : SKN_ANSWERED, SKN_NONE, err)))
        return rc;
    skn_tell_state(c->w, t, "idle", SKN_NONE);
    if (!silent && (rc = tell_replied(c, err)))
        return rc;
    return skn_settle(c->w, err);
}

/* --- One step ---------------------------------------------------------------------------------------------------- */

static skein_rc is_over(const skein_turn *t, skein_error *err)
{
    return skn_fail(err, SKEIN_TURN_OVER, "turn \"%.*s\" is over", SKN_FMT(t->uid));
}

skein_rc skn_turn_look(skn_tx *tx, const skein_turn *turn, skn_arena *a, skn_turn_row *row,
                       skein_error *err)
{
    bool     found;
    skein_rc rc = skn_turn_get(tx, turn->id, a, row, &found, err);

    if (rc || (found && row->turn.state == SKEIN_TURN_OPEN && row->turn.fence == turn->fence))
        return rc;
    return is_over(turn, err);
}

skein_rc skn_turn_take(skn_working *w, const skein_turn *turn, skn_turn_row *row,
                       skein_error *err)
{
    skein_rc rc = skn_working_hold(w, turn->chat, err);

    if (skn_is_gone(rc))
        return is_over(turn, err);
    if (rc || (rc = skn_turn_look(w->tx, turn, w->a, row, err)))
        return rc;
    return row->turn.chat.v == turn->chat.v ? SKEIN_OK : is_over(turn, err);
}

static skein_rc store_step(skn_working *w, void *arg, skein_error *err)
{
    step_call *c = arg;
    bool       silent = is_silent(c->step);
    skein_rc   rc;

    c->w = w;
    *c->stored = (skein_message){0};
    if ((rc = skn_turn_take(w, c->turn, &c->row, err)))
        return rc;
    if (silent)
        return (rc = keep_call(c, err)) ? rc : close_turn(c, true, err);
    if ((rc = c->step->message->role == SKEIN_ASSISTANT
                  ? append_answer(c, err)
                  : append_result(c->w, &c->row, c->step->message, c->stored, err)))
        return rc;
    return c->step->last ? close_turn(c, false, err) : go_on(c, err);
}

static skein_rc check_step(const skein_engine *e, const skein_step *s, skein_error *err)
{
    if (is_silent(s))
        return s->last ? SKEIN_OK
                       : skn_fail(err, SKEIN_INVALID,
                                  "a step that is not the last needs a message");
    if (s->message->role != SKEIN_ASSISTANT && s->message->role != SKEIN_TOOL)
        return skn_fail(err, SKEIN_INVALID, "a message of role \"%s\" is not a step of a turn",
                        skein_role_name(s->message->role));
    if (s->message->uid.p)
        return skn_fail(err, SKEIN_INVALID, "the id of a step's message is the turn's");
    return skn_check_new(e, s->message, err);
}

/* --- From outside ------------------------------------------------------------------------------------------------ */

skein_rc skein_turn_step(skein_engine *e, skein_turn *turn, const skein_step *what,
                         skein_mem *mem, skein_message *stored, skein_error *err)
{
    skein_message none;
    step_call     c = {.turn = turn, .step = what};
    skein_rc      rc = check_step(e, what, err);

    c.stored = stored ? stored : &none;
    if (rc || (rc = skn_write(e, mem, store_step, &c, err)))
        return rc;
    turn->message_uid = skn_arena_copy(mem, c.row.turn.message_uid);
    if (what->last)
        turn->state = SKEIN_TURN_COMMITTED;
    return SKEIN_OK;
}

/* What an agent said in a turn, looked up where it was stored. */

/* Behind the last text of a turn there are the results of its calls, and what others said meanwhile. */
#define BACK    ((int64_t)1000)
#define AT_ONCE ((int64_t)20)

static bool is_text_of(const skein_message *m, const skein_turn *t)
{
    return m->role == SKEIN_ASSISTANT && skn_str_eq(m->turn_uid, t->uid) &&
           skn_str_trim(m->content).n > 0;
}

skein_rc skn_turn_words(skn_working *w, const skein_turn *t, skn_str *out, int64_t *message,
                        skein_error *err)
{
    skein_messages some;
    skn_thread     thread;
    skn_trees      f;
    bool           found;
    skein_rc       rc;

    *out = SKN_NONE;
    *message = 0;
    if ((rc = skn_lane_thread(w, t->lane.v, &f, &thread, &found, err)) || !found)
        return rc;
    for (int64_t to = thread.length, end = to - BACK; to > 0 && to > end; to -= AT_ONCE) {
        if ((rc = skn_thread_messages(&f, &thread, to > AT_ONCE ? to - AT_ONCE : 0, to, &some,
                                      err)))
            return rc;
        for (size_t i = some.count; i-- > 0;)
            if (is_text_of(&some.at[i], t)) {
                *out = some.at[i].content;
                *message = some.at[i].id.v;
                return SKEIN_OK;
            }
    }
    return SKEIN_OK;
}
