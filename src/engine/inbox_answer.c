/* inbox_answer.c: what a person answers to a question, a briefing or a call that asks for leave. */
#include "engine/act.h"

typedef struct call {
    skein_engine     *e;
    skein_mem        *mem;
    skn_str           uid, text;
    skn_str           reason; /* that decides it, where no person does */
    skein_inbox_item *out;
    skein_message    *message;
    skn_inbox_row     row;
    int64_t           now;
} call;

/* What nobody answered in time says so itself. */
static skein_rc was_answered(const call *c, skein_error *err)
{
    skn_str uid = c->uid;

    if (skn_str_is(c->row.item.kind, "approval") && skn_str_is(c->row.item.answer, "expired"))
        return skn_hint(err,
                        skn_fail(err, SKEIN_CONFLICT,
                                 "\"%.*s\" has expired: the agent's turn ended before "
                                 "anybody answered",
                                 SKN_FMT(uid)),
                        "Ask the agent again; it asks again before it runs the tool.");
    return skn_fail(err, SKEIN_CONFLICT, "\"%.*s\" was answered", SKN_FMT(uid));
}

/* Only one answer counts. */
static skein_rc mark(skn_tx *tx, call *c, skn_str answer, skein_error *err)
{
    bool     answered, found;
    skein_rc rc = skn_inbox_answered(tx, c->row.item.id, answer, c->reason, c->now, &answered,
                                     err);

    if (rc || !answered)
        return rc ? rc : was_answered(c, err);
    if ((rc = skn_inbox_by_id(tx, c->row.item.id, c->mem, &c->row, &found, err)))
        return rc;
    return skn_inbox_tell(tx, c->row.item.world.v, &c->row, "inbox.updated", c->now, err);
}

/* The agent goes on: what was shown of it while it waited is over. Who speaks for it may be gone, so a call that is
 * allowed does not run yet: skein_approval_take tells that. */
static skein_rc goes_on(skn_working *w, const call *c, skein_error *err)
{
    skn_turn_row turn;
    bool         found;
    skein_rc     rc = skn_turn_get(w->tx, c->row.turn_id, c->mem, &turn, &found, err);

    bool allowed = skn_str_is(c->row.item.answer, "allowed");

    if (rc || !found || turn.turn.state != SKEIN_TURN_OPEN)
        return rc;
    turn.turn.waits = SKEIN_WAITS_TO_GO_ON;
    turn.turn.tool = skn_approval_words(c->mem, c->row.item.tool, allowed);
    if (!allowed)
        skn_tell_doing(w, &turn.turn);
    return skn_turn_move(w->tx, &turn, err);
}

/* The conversation is held before the item, as by those who ask. */
static skein_rc decide(skn_tx *tx, call *c, skn_str answer, skein_error *err)
{
    skein_conversation_id chat = {c->row.conversation_id};
    skn_working           w;
    skein_rc              rc;

    if (!c->row.item.open || !chat.v)
        return mark(tx, c, answer, err);
    if ((rc = skn_working_take(&w, c->e, tx, c->mem, chat, err)))
        return rc;
    rc = mark(tx, c, answer, err);
    return skn_working_done(&w, rc ? rc : goes_on(&w, c, err));
}

skein_rc skn_approval_decide(skein_engine *e, skn_tx *tx, skn_arena *a, skn_inbox_row *asked,
                             bool allow, skn_str reason, int64_t now, skein_error *err)
{
    call c = {
        .e = e, .mem = a, .uid = asked->item.uid, .reason = reason, .row = *asked, .now = now};
    skein_rc rc = decide(tx, &c, allow ? SKN_STR("allowed") : SKN_STR("denied"), err);

    *asked = c.row;
    return rc == SKEIN_CONFLICT ? SKEIN_OK : rc;
}

static skein_rc answer_approval(skn_tx *tx, call *c, skein_error *err)
{
    bool allow = skn_str_is(c->text, "allow");

    if (!allow && !skn_str_is(c->text, "deny"))
        return skn_hint(err,
                        skn_fail(err, SKEIN_INVALID, "\"%.*s\" is no answer to this",
                                 (int)(c->text.n < 40 ? c->text.n : 40), c->text.p),
                        "Answer \"allow\" or \"deny\".");
    if (c->row.item.answer.p)
        return was_answered(c, err);
    if (!c->row.item.open && !c->row.item.done_at)
        return skn_fail(err, SKEIN_CONFLICT, "the agent does not wait for this any more");
    return decide(tx, c, allow ? SKN_STR("allowed") : SKN_STR("denied"), err);
}

/* A person who allows a call has read how its tool is defined, where that was new: it is not asked about again. The world
 * is held, because of each tool one definition is allowed. */
static skein_rc keep_definition(skn_tx *tx, const call *c, skein_error *err)
{
    bool     found;
    skein_rc rc;

    if (!skn_str_is(c->row.item.answer, "allowed"))
        return SKEIN_OK;
    rc = skn_world_hold(tx, c->row.item.world.v, &found, err);
    return rc ? rc : skn_definition_allow(tx, c->row.definition_id, c->now, err);
}

static skein_rc answer_and_note(skn_tx *tx, call *c, skein_error *err)
{
    skn_str  tool = c->row.item.tool;
    bool     shown = c->row.item.definition_state.p != NULL;
    skein_rc rc = answer_approval(tx, c, err);

    if (rc || (shown && (rc = keep_definition(tx, c, err))))
        return rc;
    return skn_audit_in(
        tx, c->e, "approval.answer", tool.n ? tool : c->uid,
        skn_arena_printf(c->mem, "%.*s, %.*s%s%.*s", SKN_FMT(c->row.item.answer),
                         SKN_FMT(c->uid), shown ? ", definition " : "",
                         shown ? (int)c->row.definition_hash.n : 0, c->row.definition_hash.p),
        err);
}

/* Work that a person's answer sets off may go as far as any other. */
static skein_rc hops_of(skn_tx *tx, call *c, int64_t *hops, skein_error *err)
{
    skein_world world;
    bool        found;
    skein_rc    rc = skn_world_get(tx, c->row.item.world.v, c->mem, &world, &found, err);

    if (rc || !found)
        return rc ? rc : skn_no_world(c->row.item.world.v, err);
    *hops = skn_turn_limit(&world);
    return SKEIN_OK;
}

/* Asked elsewhere, the question is repeated: the agent's background does not have it. */
static skein_rc answer_text(skn_tx *tx, call *c, skn_heard *what, skein_error *err)
{
    skn_conversation_row chat;
    bool                 found;
    skein_rc rc = skn_conversation_by_agent(tx, c->row.agent_id, SKEIN_BACKGROUND, c->mem,
                                            &chat, &found, err);

    what->text = c->text;
    if (rc || (found && c->row.item.work_chat_uid.p &&
               skn_str_eq(c->row.item.work_chat_uid, chat.uid)))
        return rc;
    what->of[0] = c->row.work_message_id;
    what->text = skn_said_by(c->e, c->mem,
                             skn_arena_printf(c->mem, "The answer to your question \"%.*s\": ",
                                              SKN_FMT(c->row.item.title)),
                             c->text);
    return SKEIN_OK;
}

static skein_rc answer_question(skn_tx *tx, call *c, skein_error *err)
{
    skn_heard what = {.agent = c->row.agent_id, .source = "answer", .sender = SKN_STR("human")};
    skn_expected_row asked;
    skein_task       woken;
    bool             waits, found;
    skein_rc         rc;

    if (c->row.agent_id == 0 || c->row.agent_gone)
        return skn_fail(err, SKEIN_CONFLICT, "the agent that asked this is gone");
    if ((rc = skn_copy_hold(tx, c->row.work_message_id, err)) ||
        (rc = skn_inbox_by_uid(tx, c->uid, c->mem, &c->row, &found, err)) ||
        (rc = skn_inbox_hold_asker(tx, c->mem, &c->row, err)) ||
        (rc = mark(tx, c, c->text, err)) || (rc = hops_of(tx, c, &what.hops_left, err)) ||
        (rc = answer_text(tx, c, &what, err)) ||
        (rc = skn_expected_of_people(tx, c->row.work_message_id, c->mem, &asked, &waits,
                                     err)) ||
        (waits && (rc = skn_expect_waiting(tx, &asked, c->mem, &what.task, err))) ||
        (rc = skn_background_say(c->e, tx, c->mem, &what, c->now, c->message, &woken, err)))
        return rc;
    return waits ? skn_expected_close(tx, asked.id, "answered", c->message->id.v, c->now, err)
                 : SKEIN_OK;
}

/* What is said to a briefing is said in the conversation that people have with the agent. */
static skein_rc answer_briefing(skn_tx *tx, call *c, skein_error *err)
{
    skein_new_message n = {
        .role = SKEIN_USER, .content = c->text, .reply_to = c->row.item.message_uid};
    skein_append_request r = {.messages = &n, .count = 1};
    skn_delivery_rows    pending;
    skein_messages       stored;
    skein_posted         posted = {0};
    skn_saying           s = {0};
    skn_conversation_row chat;
    skn_working          w;
    skein_rc             rc;

    if (c->row.agent_id == 0 || c->row.agent_gone)
        return skn_fail(err, SKEIN_CONFLICT, "the agent that wrote this is gone");
    if ((rc = mark(tx, c, c->text, err)) ||
        (rc = skn_own_conversation(c->e, tx, c->mem, c->row.agent_id, SKEIN_FOREGROUND, &chat,
                                   err)))
        return rc;
    skn_working_in(&w, c->e, tx, c->mem, &chat, c->now);
    r.conversation.v = chat.id;
    if ((rc = skn_delivery_pending(tx, chat.id, c->mem, &pending, err)) ||
        (rc = skn_append_in(c->e, tx, &chat, &r, c->now, c->mem, &stored, err)))
        return rc;
    s.idle = pending.count == 0;
    *c->message = stored.at[0];
    return skn_wake(&w, c->message, &s, &posted, err);
}

static skein_rc answer(skn_tx *tx, void *arg, skein_error *err)
{
    call    *c = arg;
    bool     found;
    skein_rc rc = skn_inbox_by_uid(tx, c->uid, c->mem, &c->row, &found, err);

    *c->message = (skein_message){0};
    if (rc)
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is nothing \"%.*s\" in the inbox",
                        SKN_FMT(c->uid));
    c->now = SKN_NOW();
    if (skn_str_is(c->row.item.kind, "approval"))
        rc = answer_and_note(tx, c, err);
    else if (skn_str_is(c->row.item.kind, "question"))
        rc = answer_question(tx, c, err);
    else if (skn_str_is(c->row.item.kind, "briefing"))
        rc = answer_briefing(tx, c, err);
    else
        rc = skn_fail(err, SKEIN_INVALID, "nobody waits for an answer to \"%.*s\"",
                      SKN_FMT(c->uid));
    *c->out = c->row.item;
    return rc;
}

skein_rc skein_inbox_answer(skein_engine *e, skein_str uid, skein_str text, skein_mem *mem,
                            skein_inbox_item *out, skein_message *message, skein_error *err)
{
    skein_message none;
    call          c = {.e = e, .mem = mem, .uid = uid, .text = text, .out = out};
    skein_rc      rc;

    c.message = message ? message : &none;
    if ((rc = skn_check_word(uid, "the item's id", SKN_WORD_MAX, err)) ||
        (rc = skn_check_text(e, text, "the answer", err)))
        return rc;
    if (skn_str_trim(text).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the answer is empty");
    return skn_store_write(e->store, answer, &c, err);
}
