/* act_tell.c: telling an agent something. In a chat it is said in the room, where only the other hears it; from
 * anywhere else it goes into the other's background, and wakes it there. */
#include "engine/act.h"

static skein_rc no_hops(skein_error *err)
{
    return skn_hint(err,
                    skn_fail(err, SKEIN_LIMIT,
                             "the hop limit is reached: too many messages between agents came "
                             "of what a person said"),
                    "Finish with an answer; a person has to go on from there.");
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
        rc = skn_message_by_uid(c->w.tx, c->act->reply_to, c->w.a, &m, &found, err);
        if (rc == SKEIN_OK && !found)
            return skn_fail(err, SKEIN_NOT_FOUND, "there is no message \"%.*s\"",
                            SKN_FMT(c->act->reply_to));
        *out = rc ? 0 : m.id.v;
        return rc;
    }
    if (!c->row.trigger_id)
        return SKEIN_OK;
    rc = skn_expected_of(c->w.tx, c->row.trigger_id, c->me.id.v, c->w.a, &row, &found, err);
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
    skein_rc rc = skn_expect_settle(c->w.tx, c->other.id.v, c->me.id.v, question, answer,
                                    c->w.now, &answered, err);

    if (rc || !c->act->response_expected)
        return rc;
    return skn_expect_answer(c->w.tx, &c->me, c->other.id.v, message, task, c->w.now, err);
}

/* --- In the room -------------------------------------------------------------------------------------------------------- */

/* A message to one agent costs what an answer costs. */
static skein_rc check_budget(skn_acting *c, skein_error *err)
{
    skein_agents agents;
    skn_budget   b;
    skein_rc     rc = skn_agent_rows(c->w.tx, c->w.chat.world_id, c->w.a, &agents, err);

    if (rc || (rc = skn_budget_read(&c->w, c->row.turn.cause, agents.count, &b, err)))
        return rc;
    return b.spent < b.in_all ? SKEIN_OK : no_hops(err);
}

static skein_rc deliver(skn_acting *c, const skein_message *m, skein_error *err)
{
    skn_delivery_row d = {.conversation_id = c->w.chat.id,
                          .agent_id = c->other.id.v,
                          .message_id = m->id.v,
                          .cause = c->row.turn.cause,
                          .hops_left = c->row.turn.hops_left - 1,
                          .created_at = c->w.now};

    skn_tell_said(&c->w, m, SKN_NONE, d.cause);
    skn_tell_delivered(&c->w, m->uid, c->other.name, "queued", d.cause);
    return skn_delivery_insert(c->w.tx, &d, err);
}

static skein_rc say_in_room(skn_acting *c, const skein_new_message *said, skein_message *out,
                            skein_error *err)
{
    skein_new_message    n = *said;
    skein_append_request r = {.conversation = {c->w.chat.id}, .messages = &n, .count = 1};
    skein_messages       stored;
    skein_rc             rc;

    n.role = SKEIN_ASSISTANT;
    n.reply_to = c->act->reply_to.n ? c->act->reply_to : SKN_NONE;
    n.turn_uid = c->row.turn.uid;
    n.heard_by = &c->other.name;
    n.heard_by_count = 1;
    n.heard_by_given = true;
    n.not_by_sender = true; /* it has its call and the result */
    if ((rc = check_budget(c, err)) || (rc = skn_check_new(c->w.e, &n, err)) ||
        (rc = skn_append_in(c->w.e, c->w.tx, &c->w.chat, &r, c->w.now, c->w.a, &stored, err)) ||
        (rc = skn_copy_add(c->w.tx, stored.at[0].id.v, c->row.step_message_id, err)))
        return rc;
    *out = stored.at[0];
    return deliver(c, out, err);
}

/* --- From elsewhere ------------------------------------------------------------------------------------------------------- */

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

    return skn_background_say(c->w.e, c->w.tx, c->w.a, &what, c->w.now, out, woken, err);
}

skein_rc skn_act_tell(skn_acting *c, skein_error *err)
{
    skein_instruction expects = {SKN_STR("ResponseExpected"), c->me.name};
    skein_new_message n = {.role = SKEIN_USER,
                           .sender = c->me.name,
                           .content = c->act->text,
                           .instructions = &expects,
                           .instruction_count = c->act->response_expected};
    bool              room = c->w.chat.mode == SKEIN_CHAT && !c->row.turn.lane.v;
    skein_message     m, answer;
    skein_task        woken = {0}, none;
    int64_t           question, waits;
    skein_rc          rc;

    if ((rc = check_other(c, err)) || (rc = skn_check_new(c->w.e, &n, err)) ||
        (rc = find_question(c, &question, err)) ||
        (rc = skn_expect_task(c->w.tx, c->other.id.v, c->me.id.v, question, c->w.a, &waits,
                              err)) ||
        (rc = room ? say_in_room(c, &n, &m, err)
                   : say_in_background(c, &n, waits, &m, &woken, err)))
        return rc;
    answer = m;
    if (room && waits) { /* the task does not hear what is said in the room */
        n.instruction_count = 0;
        if ((rc = say_in_background(c, &n, waits, &answer, &none, err)))
            return rc;
    }
    if ((rc = note(c, question, answer.id.v, m.id.v, room || woken.id, err)))
        return rc;
    c->out->uid = m.uid;
    c->result = skn_arena_printf(
        c->w.a, "sent to %.*s%s", SKN_FMT(c->other.name),
        c->act->response_expected ? "; the answer will come as a message" : "");
    return SKEIN_OK;
}

/* --- From outside ------------------------------------------------------------------------------------------------------------ */

typedef struct outside {
    skein_engine     *e;
    const skein_tell *what;
    skein_mem        *mem;
    skein_message    *out;
} outside;

static skein_rc find(skn_tx *tx, const outside *c, skn_str name, skein_agent *out,
                     skein_error *err)
{
    bool     found;
    skein_rc rc = skn_agent_by_ref(tx, c->what->world.v, name, SKN_NONE, c->mem, out, &found,
                                   err);

    return rc || found
               ? rc
               : skn_fail(err, SKEIN_NOT_FOUND, "there is no agent \"%.*s\"", SKN_FMT(name));
}

static skein_rc expect(skn_tx *tx, const outside *c, const skein_agent *from,
                       const skein_agent *to, int64_t now, skein_error *err)
{
    bool     answered;
    skein_rc rc;

    if (!from->id.v)
        return SKEIN_OK;
    rc = skn_expect_settle(tx, to->id.v, from->id.v, 0, c->out->id.v, now, &answered, err);
    if (rc || !c->what->response_expected)
        return rc;
    return skn_expect_answer(tx, from, to->id.v, c->out->id.v, 0, now, err);
}

static skein_rc tell_agent(skn_tx *tx, void *arg, skein_error *err)
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
    int64_t           now = SKN_NOW();
    bool              found;
    skein_rc          rc;

    if ((rc = skn_world_get(tx, c->what->world.v, c->mem, &world, &found, err)))
        return rc;
    if (!found)
        return skn_no_world(c->what->world.v, err);
    if ((rc = find(tx, c, c->what->agent, &to, err)) ||
        (c->what->from.n && (rc = find(tx, c, c->what->from, &from, err))))
        return rc;
    if (from.id.v == to.id.v)
        return skn_fail(err, SKEIN_INVALID, "an agent cannot tell itself something");
    what.source = from.id.v ? "tell" : "user";
    what.agent = to.id.v;
    what.by = from.id.v;
    what.sender = expects.target = from.name;
    what.hops_left = skn_turn_limit(&world);
    if (from.id.v && (rc = skn_expect_task(tx, to.id.v, from.id.v, 0, c->mem, &what.task, err)))
        return rc;
    if ((rc = skn_background_say(c->e, tx, c->mem, &what, now, c->out, &task, err)))
        return rc;
    return expect(tx, c, &from, &to, now, err);
}

skein_rc skein_tell_agent(skein_engine *e, const skein_tell *what, skein_mem *mem,
                          skein_message *out, skein_error *err)
{
    outside           c = {e, what, mem, out};
    skein_new_message n = {.role = SKEIN_USER, .content = what->text};
    skein_rc          rc = skn_check_new(e, &n, err);

    *out = (skein_message){0};
    return rc ? rc : skn_store_write(e->store, tell_agent, &c, err);
}
