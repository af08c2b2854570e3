/* act_tell.c: telling an agent something. In a chat it is said in the main lane, where only the other hears it; from
 * anywhere else it goes into the other's background, and wakes it there. */
#include "engine/work/act.h"

static skein_rc no_hops(skein_error *err)
{
    return skn_fail_hint(err, SKEIN_LIMIT,
                         "Finish with an answer; a person has to go on from there.",
                         "the hop limit is reached: one message of a person led to too many "
                         "messages between agents");
}

static skein_rc check_other(const skn_acting *c, skein_error *err)
{
    if (c->other.id.v == c->me.id.v)
        return skn_fail(err, SKEIN_INVALID, "an agent cannot tell itself something");
    return c->row.turn.hops_left > 1 ? SKEIN_OK : no_hops(err);
}

/* --- What is answered ------------------------------------------------------------------------------------------------- */

/* The question that this answers: the one that is named, or that the turn is about. 0: whichever is open. */
static skein_rc find_question(skn_acting *c, int64_t *out, skein_error *err)
{
    skn_expected_row row;
    skein_message    m;
    bool             found;
    skein_rc         rc;

    *out = 0;
    if (c->act->reply_to.n) {
        rc = skn_message_by_uid(c->w->tx, c->act->reply_to, c->w->a, &m, &found, err);
        if (rc == SKEIN_OK && !found)
            return skn_fail(err, SKEIN_NOT_FOUND, "there is no message \"%.*s\"",
                            SKN_FMT(c->act->reply_to));
        *out = rc ? 0 : m.id.v;
        return rc;
    }
    if (!c->row.trigger_id)
        return SKEIN_OK;
    rc = skn_expected_of(c->w->tx, c->row.trigger_id, c->me.id.v, c->w->a, &row, &found, err);
    if (rc == SKEIN_OK && found && row.asker_id == c->other.id.v)
        *out = row.message_id;
    return rc;
}

/* What the message answers, and that it is to be answered: by its lead, if the message wakes it, its task waits for
 * that. */
static skein_rc note(skn_acting *c, int64_t question, int64_t answer, int64_t message,
                     bool wakes, skein_error *err)
{
    bool     answered;
    int64_t  task = wakes && c->other.id.v == c->me.lead.v ? c->row.turn.task : 0;
    skein_rc rc = skn_expect_settle(c->w, c->other.id.v, c->me.id.v, question, answer,
                                    &answered, err);

    if (rc || !c->act->response_expected)
        return rc;
    return skn_expect_answer(c->w, &c->me, c->other.id.v, message, task, err);
}

/* --- In the main lane
 * -------------------------------------------------------------------------------------------------------- */

/* A message to one agent costs what an answer costs. */
static skein_rc check_budget(skn_acting *c, skein_error *err)
{
    skein_agents agents;
    skn_budget   b;
    skein_rc     rc = skn_agent_rows(c->w->tx, c->w->chat.world_id, c->w->a, &agents, err);

    if (rc || (rc = skn_budget_read(c->w, c->row.turn.cause, agents.count, &b, err)))
        return rc;
    return b.spent < b.in_all ? SKEIN_OK : no_hops(err);
}

static skein_rc deliver(skn_acting *c, const skein_message *m, skein_error *err)
{
    skn_delivery_row d = {.conversation_id = c->w->chat.id,
                          .agent_id = c->other.id.v,
                          .message_id = m->id.v,
                          .cause = c->row.turn.cause,
                          .hops_left = c->row.turn.hops_left - 1,
                          .created_at = c->w->now};

    skn_tell_said(c->w, m, SKN_NONE, d.cause);
    skn_tell_delivered(c->w, m->uid, c->other.name, "queued", d.cause);
    return skn_delivery_insert(c->w->tx, &d, err);
}

static skein_rc say_in_room(skn_acting *c, const skein_new_message *said, skein_message *out,
                            skein_error *err)
{
    skein_new_message n = *said;
    skein_rc          rc;

    n.role = SKEIN_ASSISTANT;
    n.reply_to = c->act->reply_to.n ? c->act->reply_to : SKN_NONE;
    n.turn_uid = c->row.turn.uid;
    n.heard_by = &c->other.name;
    n.heard_by_count = 1;
    n.heard_by_given = true;
    n.not_by_sender = true; /* it has its call and the result */
    if ((rc = check_budget(c, err)) || (rc = skn_check_new(c->w->e, &n, err)) ||
        (rc = skn_message_say(c->w, &c->w->chat, SKN_NONE, &n, out, err)) ||
        (rc = skn_copy_add(c->w->tx, out->id.v, c->row.step_message_id, err)))
        return rc;
    return deliver(c, out, err);
}

/* --- From elsewhere
 * ------------------------------------------------------------------------------------------------------- */

static skein_rc say_in_background(skn_acting *c, const skein_new_message *said, int64_t waits,
                                  skein_message *out, skein_task *woken, skein_error *err)
{
    skn_heard what = {.agent = c->other.id.v,
                      .source = "tell",
                      .sender = c->me.name,
                      .by = c->me.id.v,
                      .text = said->content,
                      .instructions = said->instructions,
                      .instruction_count = said->instruction_count,
                      .cause = c->row.turn.cause,
                      .hops_left = c->row.turn.hops_left - 1,
                      .task = waits,
                      .of = {c->row.step_message_id}};

    return skn_background_say(c->w, &what, out, woken, err);
}

skein_rc skn_act_tell(skn_acting *c, skein_error *err)
{
    skein_instruction expects = {SKN_STR("ResponseExpected"), c->me.name};
    skein_new_message n = {.role = SKEIN_USER,
                           .sender = c->me.name,
                           .content = c->act->text,
                           .instructions = &expects,
                           .instruction_count = c->act->response_expected};
    bool              room = c->w->chat.mode == SKEIN_CHAT && !c->row.turn.lane.v;
    skein_message     m, answer;
    skein_task        woken = {0}, none;
    int64_t           question, waits;
    skein_rc          rc;

    if ((rc = check_other(c, err)) || (rc = skn_check_new(c->w->e, &n, err)) ||
        (rc = find_question(c, &question, err)) ||
        (rc = skn_expect_task(c->w, c->other.id.v, c->me.id.v, question, &waits, err)) ||
        (rc = room ? say_in_room(c, &n, &m, err)
                   : say_in_background(c, &n, waits, &m, &woken, err)))
        return rc;
    answer = m;
    if (room && waits) { /* the task does not hear what is said in the main lane */
        n.instruction_count = 0;
        if ((rc = say_in_background(c, &n, waits, &answer, &none, err)))
            return rc;
    }
    if ((rc = note(c, question, answer.id.v, m.id.v, room || woken.id, err)))
        return rc;
    c->out->uid = m.uid;
    c->result = skn_arena_printf(
        c->w->a, "sent to %.*s%s", SKN_FMT(c->other.name),
        c->act->response_expected ? "; the answer will come as a message" : "");
    return SKEIN_OK;
}

/* --- From outside
 * ------------------------------------------------------------------------------------------------------------ */

typedef struct outside {
    const skein_tell *what;
    skein_message    *out;
} outside;

static skein_rc find_agent(skn_working *w, const outside *c, skn_str name, skein_agent *out,
                           skein_error *err)
{
    bool     found;
    skein_rc rc = skn_agent_by_ref(w->tx, c->what->world.v, name, SKN_NONE, w->a, out, &found,
                                   err);

    return rc || found
               ? rc
               : skn_fail(err, SKEIN_NOT_FOUND, "there is no agent \"%.*s\"", SKN_FMT(name));
}

static skein_rc expect(skn_working *w, const outside *c, const skein_agent *from,
                       const skein_agent *to, skein_error *err)
{
    bool     answered;
    skein_rc rc;

    if (!from->id.v)
        return SKEIN_OK;
    rc = skn_expect_settle(w, to->id.v, from->id.v, 0, c->out->id.v, &answered, err);
    if (rc || !c->what->response_expected)
        return rc;
    return skn_expect_answer(w, from, to->id.v, c->out->id.v, 0, err);
}

static skein_rc tell_agent(skn_working *w, void *arg, skein_error *err)
{
    outside          *c = arg;
    skein_agent       to, from = {.name = SKN_STR("human")};
    skein_instruction expects = {SKN_STR("ResponseExpected"), SKN_NONE};
    skein_world       world;
    skein_task        task;
    skn_heard         what = {.source = "user",
                              .text = c->what->text,
                              .instructions = &expects,
                              .instruction_count = c->what->response_expected};
    skein_rc          rc;

    if ((rc = skn_world_need(w->tx, c->what->world.v, w->a, &world, err)) ||
        (rc = find_agent(w, c, c->what->agent, &to, err)) ||
        (c->what->from.n && (rc = find_agent(w, c, c->what->from, &from, err))))
        return rc;
    if (from.id.v == to.id.v)
        return skn_fail(err, SKEIN_INVALID, "an agent cannot tell itself something");
    what.source = from.id.v ? "tell" : "user";
    what.agent = to.id.v;
    what.by = from.id.v;
    what.sender = expects.target = from.name;
    what.hops_left = skn_turn_limit(&world);
    if (from.id.v && (rc = skn_expect_task(w, to.id.v, from.id.v, 0, &what.task, err)))
        return rc;
    if ((rc = skn_background_say(w, &what, c->out, &task, err)))
        return rc;
    return expect(w, c, &from, &to, err);
}

skein_rc skein_tell_agent(skein_engine *e, const skein_tell *what, skein_mem *mem,
                          skein_message *out, skein_error *err)
{
    outside           c = {what, out};
    skein_new_message n = {.role = SKEIN_USER, .content = what->text};
    skein_rc          rc = skn_check_new(e, &n, err);

    *out = (skein_message){0};
    return rc ? rc : skn_write(e, mem, tell_agent, &c, err);
}

/* What agents do with each other: asking, reporting, giving work. */

#define QUESTION_BYTES ((size_t)16384) /* of one for a person */

static skein_rc check_said(const skn_acting *c, const char *what, skein_error *err)
{
    skein_rc rc = skn_check_text(c->w->e, c->act->text, what, err);

    if (rc || skn_str_trim(c->act->text).n > 0)
        return rc;
    return skn_fail(err, SKEIN_INVALID, "%s is empty", what);
}

/* Agents that set each other to work come to an end. */
static skein_rc check_hops(const skn_acting *c, skein_error *err)
{
    if (c->row.turn.hops_left > 1)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_LIMIT, "Answer with what you have, or ask the person.",
                         "this went through as many agents as it may: the hop limit");
}

static skein_rc find_lead(const skn_acting *c, skein_agent *out, bool *found, skein_error *err)
{
    *found = false;
    if (c->me.lead.v == 0)
        return SKEIN_OK;
    return skn_agent_get(c->w->tx, c->me.lead.v, c->w->a, out, found, err);
}

static skn_heard heard_of(const skn_acting *c, const skein_agent *who, const char *source,
                          const char *how)
{
    return (skn_heard){.agent = who->id.v,
                       .source = source,
                       .sender = c->me.name,
                       .by = c->me.id.v,
                       .text = skn_said_by(c->w->e, c->w->a,
                                           skn_arena_printf(c->w->a, SKN_SUBORDINATE "%.*s%s",
                                                            SKN_FMT(c->me.name), how),
                                           c->act->text),
                       .cause = c->row.turn.cause,
                       .hops_left = c->row.turn.hops_left - 1,
                       .of = {c->row.step_message_id}};
}

static void tell_of_act(skn_acting *c, const char *type, skn_str to, skn_str message,
                        skn_str item)
{
    skn_feed_chat(c->w->tx, &c->w->chat, type, c->row.turn.cause,
                  SKN_TOLD(SKN_M_TEXT("agent", c->me.name), SKN_M_TEXT("to", to),
                           SKN_M_TEXT("toolCallId", c->act->call_id),
                           SKN_M_TEXT("messageId", message), SKN_M_TEXT("inboxId", item)));
}

/* --- request_input ------------------------------------------------------------------------------------------- */

/* Nobody would answer what nobody works on. */
static skein_rc too_busy(const skein_agent *lead, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_LIMIT,
                         "Go on without the answer, or end with what is missing.",
                         "\"%.*s\" was not asked: %d tasks wait for it already",
                         SKN_FMT(lead->name), SKN_TASKS_MAX);
}

static skein_rc ask_lead(skn_acting *c, const skein_agent *lead, skein_error *err)
{
    skein_instruction expected = {SKN_STR("ResponseExpected"), c->me.name};
    skn_heard         what = heard_of(c, lead, "question", SKN_ASKS);
    skein_message     m;
    skein_task        task;
    skein_rc          rc;

    what.instructions = &expected;
    what.instruction_count = 1;
    if ((rc = check_hops(c, err)) || (rc = skn_background_say(c->w, &what, &m, &task, err)))
        return rc;
    if (task.id == 0)
        return too_busy(lead, err);
    if ((rc = skn_expect_answer(c->w, &c->me, lead->id.v, m.id.v, c->row.turn.task, err)))
        return rc;
    tell_of_act(c, "request.input", lead->name, m.uid, SKN_NONE);
    c->result = SKN_STR("Request sent to lead");
    c->out->uid = task.uid;
    return SKEIN_OK;
}

static skein_rc ask_person(skn_acting *c, skein_error *err)
{
    skn_inbox_row item = skn_inbox_of(c->w, &c->row, "question", c->act->call_id);
    skein_rc      rc;

    item.item.title = skn_inbox_title(c->w->a, c->act->text);
    item.item.content = c->act->text;
    if (c->act->text.n > QUESTION_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the question is %zu bytes; the limit is %zu",
                        c->act->text.n, QUESTION_BYTES);
    if ((rc = skn_inbox_new(c->w, &item, err)) || (rc = skn_expect_person(c, err)))
        return rc;
    tell_of_act(c, "request.input", SKN_STR("human"), SKN_NONE, item.item.uid);
    c->result = SKN_STR("Request sent to the person");
    c->out->uid = item.item.uid;
    return SKEIN_OK;
}

skein_rc skn_act_request_input(skn_acting *c, skein_error *err)
{
    skein_agent lead;
    bool        has_lead;
    skein_rc    rc;

    if ((rc = check_said(c, "the question", err)) || (rc = find_lead(c, &lead, &has_lead, err)))
        return rc;
    return has_lead ? ask_lead(c, &lead, err) : ask_person(c, err);
}

/* --- report_to_lead -------------------------------------------------------------------------------------------- */

/* The report is the result of a task, and that is one text: another would take the place of the first in the task, while
 * the lead has both. */
static skein_rc check_first(const skn_acting *c, const skein_agent *lead, skein_error *err)
{
    skn_task_row task;
    bool         found = false;
    skein_rc     rc = SKEIN_OK;

    if (c->row.turn.task)
        rc = skn_task_get(c->w->tx, c->row.turn.task, c->w->a, &task, &found, err);
    if (rc || !found || !task.task.result.p)
        return rc;
    return skn_fail_hint(
        err, SKEIN_CONFLICT,
        "Finish with an answer; what is missing in the report can be told with "
        "tell_agent.",
        "the report on this task was sent to \"%.*s\" already", SKN_FMT(lead->name));
}

skein_rc skn_act_report(skn_acting *c, skein_error *err)
{
    skein_agent   lead;
    skn_heard     what;
    skein_message m;
    skein_task    task;
    bool          has_lead;
    skein_rc      rc;

    if ((rc = check_said(c, "the report", err)) || (rc = find_lead(c, &lead, &has_lead, err)))
        return rc;
    if (!has_lead)
        return skn_fail_hint(err, SKEIN_INVALID, "Tell the person, with create_inbox_item.",
                             "\"%.*s\" has no lead to report to", SKN_FMT(c->me.name));
    what = heard_of(c, &lead, "report", " reports: ");
    if ((rc = check_first(c, &lead, err)) ||
        (rc = skn_background_say(c->w, &what, &m, &task, err)))
        return rc;
    tell_of_act(c, "report.lead", lead.name, m.uid, SKN_NONE);
    c->result = SKN_STR("Report sent to lead");
    c->out->uid = m.uid;
    /* The report is the result of the current task, which ends with the turn. */
    return c->row.turn.task ? skn_task_reported(c->w->tx, c->row.turn.task, c->act->text, err)
                            : SKEIN_OK;
}

/* --- delegate_to_agent ------------------------------------------------------------------------------------------ */

skein_rc skn_act_assign(skn_acting *c, skein_error *err)
{
    skn_task_row task = {.task = {.world = {c->w->chat.world_id},
                                  .agent = c->other.id,
                                  .source = SKN_STR("delegation"),
                                  .content = c->act->text,
                                  .created_at = c->w->now},
                         .assigned_by_id = c->me.id.v,
                         .call_message_id = c->row.step_message_id,
                         .cause = c->row.turn.cause,
                         .hops_left = c->row.turn.hops_left - 1};
    skein_rc     rc;

    if ((rc = check_said(c, "the task", err)) || (rc = check_hops(c, err)))
        return rc;
    if (c->other.id.v == 0)
        return skn_fail(err, SKEIN_INVALID, "no agent is named that is to do it");
    if (c->other.lead.v != c->me.id.v)
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a subordinate of \"%.*s\"",
                        SKN_FMT(c->other.name), SKN_FMT(c->me.name));
    if ((rc = skn_task_add(c->w, &task, NULL, err)))
        return rc;
    c->result = skn_arena_printf(c->w->a, "Task %.*s was given to %.*s", SKN_FMT(task.task.uid),
                                 SKN_FMT(c->other.name));
    c->out->uid = task.task.uid;
    return SKEIN_OK;
}

/* Handing work to an agent on a lane of its own, below the one that asks: the lane, its number,
 * the call that made it, its first message and who has to answer it are written together. */

static int64_t depth_of(skn_str key)
{
    int64_t n = 0;

    for (size_t i = 0; i < key.n; i++)
        n += key.p[i] == '.';
    return n;
}

static skein_rc check_limits(skn_working *w, const skn_lane_row *parent, skein_error *err)
{
    skn_world_limits limits;
    int64_t          running;
    skein_rc         rc;

    if ((rc = skn_world_limits_get(w->tx, w->chat.world_id, w->a, &limits, err)) ||
        (rc = skn_delegation_running(w->tx, w->chat.id, &running, err)))
        return rc;
    if (depth_of(parent->key) >= limits.delegation_depth)
        return skn_fail_hint(err, SKEIN_LIMIT, "Do it yourself.",
                             "delegations go %lld levels deep at most in this world",
                             (long long)limits.delegation_depth);
    if (running >= limits.delegations_most)
        return skn_fail_hint(err, SKEIN_LIMIT, "Wait until some are done, or do it yourself.",
                             "%lld delegations run here already", (long long)running);
    return SKEIN_OK;
}

static skein_rc find_parent(skn_acting *c, skn_lane_row *out, skein_error *err)
{
    skn_str key = c->row.turn.lane_key;

    return skn_lane_need(c->w->tx, &c->w->chat, key.p ? key : SKN_MAIN, c->w->a, out, err);
}

static skein_rc make_lane(skn_acting *c, const skn_lane_row *parent, const skein_agent *who,
                          skn_delegation_row *out, skein_error *err)
{
    skein_rc rc;

    *out = (skn_delegation_row){
        .lane = {.conversation_id = c->w->chat.id,
                 .agent_id = who->id.v,
                 .spawn_message_id = c->row.step_message_id,
                 .spawn_call_id = c->act->call_id},
        .asker_id = c->me.id.v,
        .turn_id = c->row.turn.id,
        .title = c->act->title.n ? c->act->title : SKN_NONE,
        .waited = c->act->wait,
    };
    rc = skn_lane_make(c->w->tx, parent, c->w->now, c->w->a, &out->lane, err);
    return rc ? rc : skn_delegation_ask(c->w->tx, out, err);
}

/* The first message of the lane, which is what has to be answered there. */
static skein_rc ask_on_lane(skn_acting *c, const skn_delegation_row *d, skein_error *err)
{
    skein_instruction expects = {SKN_STR("ResponseExpected"), c->me.name};
    skein_new_message n = {.role = SKEIN_USER,
                           .sender = c->me.name,
                           .content = c->act->text,
                           .instructions = &expects,
                           .instruction_count = c->act->wait};
    skn_delivery_row  to = {.conversation_id = c->w->chat.id,
                            .agent_id = d->lane.agent_id,
                            .cause = c->row.turn.cause,
                            .hops_left = c->row.turn.hops_left,
                            .lane_id = d->lane.id,
                            .created_at = c->w->now};
    skein_message     m;
    skein_rc          rc;

    if ((rc = skn_message_say(c->w, &c->w->chat, d->lane.key, &n, &m, err)) ||
        (rc = skn_copy_add(c->w->tx, m.id.v, c->row.step_message_id, err)))
        return rc;
    skn_feed_lane(c->w->tx, &c->w->chat, &d->lane, to.cause);
    skn_tell_said(c->w, &m, d->lane.key, to.cause);
    to.message_id = m.id.v;
    c->out->uid = m.uid;
    return skn_delivery_insert(c->w->tx, &to, err);
}

static skein_rc check_words(const skn_acting *c, skein_error *err)
{
    skein_new_message n = {.role = SKEIN_USER, .content = c->act->text};

    if (c->act->title.n) {
        skein_rc rc = skn_check_word(c->act->title, "the title", SKN_TITLE_MAX, err);

        if (rc)
            return rc;
    }
    return skn_check_new(c->w->e, &n, err);
}

skein_rc skn_act_delegate(skn_acting *c, skein_error *err)
{
    const skein_agent *who = c->other.id.v ? &c->other : &c->me;
    skn_lane_row       parent;
    skn_delegation_row d;
    skein_rc           rc;

    if ((rc = check_words(c, err)) || (rc = find_parent(c, &parent, err)) ||
        (rc = check_limits(c->w, &parent, err)) || (rc = make_lane(c, &parent, who, &d, err)) ||
        (rc = ask_on_lane(c, &d, err)))
        return rc;
    c->out->lane = d.lane.key;
    c->no_result = c->act->wait;
    c->result = skn_arena_printf(c->w->a, "started %.*s", SKN_FMT(d.lane.key));
    return SKEIN_OK;
}
