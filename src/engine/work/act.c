/* act.c: an act of an agent: what its tool does in the store, and the tool's result, in one transaction under
 * the turn. */
#include "engine/work/act.h"
#include "engine/engine.h"
#include "engine/work/mention.h"

#define NAMES_SHOWN 10 /* of the agents, when one that is meant is not there */

/* Where else than in the turn's conversation something is said. */
typedef enum where { NOWHERE, OTHERS_BACKGROUND, LEADS_BACKGROUND, OWN_FOREGROUND } where;

static const struct kind {
    skn_act_fn *run;
    where       where;
    bool        names; /* an agent, which has to be there */
} kinds[] = {
    [SKEIN_ACT_TELL] = {skn_act_tell, OTHERS_BACKGROUND, true},
    [SKEIN_ACT_DELEGATE] = {skn_act_delegate, NOWHERE, false},
    [SKEIN_ACT_REQUEST_INPUT] = {skn_act_request_input, LEADS_BACKGROUND, false},
    [SKEIN_ACT_REPORT] = {skn_act_report, LEADS_BACKGROUND, false},
    [SKEIN_ACT_BRIEF] = {skn_act_brief, OWN_FOREGROUND, false},
    [SKEIN_ACT_ASSIGN] = {skn_act_assign, OTHERS_BACKGROUND, true},
    [SKEIN_ACT_REMEMBER] = {skn_act_remember, NOWHERE, false},
    [SKEIN_ACT_FORGET] = {skn_act_forget, NOWHERE, false},
};

/* --- Who ---------------------------------------------------------------------------------------------------------- */

/* A model that gets the list of agents finds the one it meant. */
static skein_rc no_agent(skn_acting *c, skein_error *err)
{
    skein_agents agents;
    skn_str      list = SKN_STR("");
    skein_rc     rc = skn_agent_rows(c->w->tx, c->turn->world.v, c->w->a, &agents, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < agents.count && i < NAMES_SHOWN; i++)
        list = skn_arena_printf(c->w->a, "%.*s%s%.*s", SKN_FMT(list), i ? ", " : "",
                                SKN_FMT(agents.at[i].name));
    rc = skn_fail(err, SKEIN_NOT_FOUND, "there is no agent \"%.*s\"",
                  SKN_FMT(skn_str_sub(c->act->agent, 0, SKN_NAME_MAX)));
    return skn_hint(err, rc, "Agents here are %.*s%s.", SKN_FMT(list),
                    agents.count > NAMES_SHOWN ? " and others" : "");
}

/* By its name as a model may write it. */
static skein_rc find_other(skn_acting *c, skein_error *err)
{
    skn_str  name = skn_str_trim(c->act->agent);
    bool     found = false;
    skein_rc rc;

    c->other = (skein_agent){0};
    if (!name.n)
        return kinds[c->act->kind].names
                   ? skn_fail(err, SKEIN_INVALID, "it is not said which agent is meant")
                   : SKEIN_OK;
    if (name.p[0] == '@')
        name = skn_str_sub(name, 1, name.n);
    if (skn_name_normal(name, c->w->a, &name, NULL))
        return no_agent(c, err);
    rc = skn_agent_by_ref(c->w->tx, c->turn->world.v, name, SKN_NONE, c->w->a, &c->other,
                          &found, err);
    return rc || found ? rc : no_agent(c, err);
}

static skein_rc find_me(skn_acting *c, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_agent_get(c->w->tx, c->turn->agent.v, c->w->a, &c->me, &found, err);

    return rc || found ? rc
                       : skn_fail(err, SKEIN_TURN_OVER, "agent \"%.*s\" is not there any more",
                                  SKN_FMT(c->turn->agent_name));
}

/* --- Locks ---------------------------------------------------------------------------------------------------------- */

/* The conversation where it is said, if that is there and the first of the two; one that is yet to be made
 * comes after all others. */
static skein_rc lock_first(skn_acting *c, skein_error *err)
{
    where                place = kinds[c->act->kind].where;
    int64_t              agent = place == OTHERS_BACKGROUND  ? c->other.id.v
                                 : place == LEADS_BACKGROUND ? c->me.lead.v
                                                             : c->me.id.v;
    skn_conversation_row row;
    bool                 found;
    skein_rc             rc;

    if (place == NOWHERE || agent == 0)
        return SKEIN_OK;
    rc = skn_conversation_by_agent(
        c->w->tx, agent, place == OWN_FOREGROUND ? SKEIN_FOREGROUND : SKEIN_BACKGROUND, c->w->a,
        &row, &found, err);
    if (rc || !found || row.id >= c->turn->chat.v)
        return rc;
    return skn_conversation_lock(c->w->tx, row.id, c->w->a, &row, &found, err);
}

/* --- The act -------------------------------------------------------------------------------------------------------- */

static skein_rc no_call(const skn_acting *c, const char *why, skein_error *err)
{
    return skn_fail(err, SKEIN_CONFLICT, "tool call \"%.*s\" %s", SKN_FMT(c->act->call_id),
                    why);
}

/* It answers a call of the turn's last message that nothing has answered. */
static skein_rc check_call(const skn_acting *c, skein_error *err)
{
    skn_working  *w = c->w;
    skn_str       id = c->act->call_id;
    int64_t       message = c->row.step_message_id, results, lanes;
    skein_message m = {0};
    bool          found;
    skein_rc      rc;

    if (message && (rc = skn_message_get(w->tx, message, w->a, &m, &found, err)))
        return rc;
    if (!skn_call_of(&m, id))
        return no_call(c, "is none of this turn's last message", err);
    if ((rc = skn_call_results(w->tx, message, id, &results, err)) ||
        (rc = skn_delegation_of_call(w->tx, w->chat.id, message, id, &lanes, err)))
        return rc;
    return results || lanes ? no_call(c, "was done already", err) : SKEIN_OK;
}

static skein_rc store_result(skn_acting *c, skein_error *err)
{
    skein_new_message n = {.role = SKEIN_TOOL,
                           .tool_call_id = c->act->call_id,
                           .content = c->result.p ? c->result : SKN_STR("done")};
    skein_rc          rc = skn_check_new(c->w->e, &n, err);

    return rc ? rc : skn_turn_result(c->w, &c->row, &n, &c->out->result, err);
}

static skein_rc act(skn_working *w, void *arg, skein_error *err)
{
    skn_acting c = *(const skn_acting *)arg;
    skein_rc   rc;

    c.w = w;
    *c.out = (skein_acted){0};
    if ((rc = find_me(&c, err)) || (rc = find_other(&c, err)) || (rc = lock_first(&c, err)) ||
        (rc = skn_turn_take(w, c.turn, &c.row, err)) || (rc = check_call(&c, err)) ||
        (rc = kinds[c.act->kind].run(&c, err)))
        return rc;
    if (!c.no_result && (rc = store_result(&c, err)))
        return rc;
    c.out->waiting = c.no_result;
    return w->over.n ? skn_settle(w, err) : SKEIN_OK;
}

skein_rc skein_turn_act(skein_engine *e, skein_turn *turn, const skein_act *what,
                        skein_mem *mem, skein_acted *out, skein_error *err)
{
    skn_acting c = {.turn = turn, .act = what, .out = out};
    skein_rc   rc = skn_check_word(what->call_id, "a tool call's id", SKN_WORD_MAX, err);

    *out = (skein_acted){0};
    if (rc)
        return rc;
    if ((size_t)what->kind >= sizeof kinds / sizeof *kinds)
        return skn_fail(err, SKEIN_USAGE, "there is no such act");
    return skn_write(e, mem, act, &c, err);
}

/* --- What it waits for ------------------------------------------------------------------------------------------------ */

skein_rc skein_turn_waits(skein_engine *e, const skein_turn *turn, int64_t *open,
                          skein_error *err)
{
    skn_arena   *a = skn_arena_new();
    skn_turn_row row = {.open_calls = 0};
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = skn_turn_look(s.tx, turn, a, &row, err);
    *open = s.rc ? 0 : row.open_calls;
    skn_arena_free(a);
    return s.rc;
}

/* What an agent tells people by itself: an item in the inbox, and the whole of it in the
 * conversation that they have with it. */

#define SUMMARY_BYTES ((size_t)4096)

static skein_rc check_act(const skn_acting *c, skein_error *err)
{
    const skein_act *act = c->act;
    skein_rc         rc;

    if (act->type.p &&
        !skn_str_among(act->type, "briefing feedback signal alert insight question"))
        return skn_fail_hint(
            err, SKEIN_INVALID,
            "The types are briefing, feedback, signal, alert, insight and question.",
            "\"%.*s\" is not a type of a briefing", (int)(act->type.n < 40 ? act->type.n : 40),
            act->type.p);
    if ((rc = skn_check_word(skn_str_trim(act->title), "the title", SKN_TITLE_MAX, err)) ||
        (rc = skn_check_text(c->w->e, act->summary, "the summary", err)) ||
        (rc = skn_check_text(c->w->e, act->text, "the text", err)))
        return rc;
    if (skn_str_trim(act->summary).n == 0 || skn_str_trim(act->text).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the %s is empty",
                        skn_str_trim(act->summary).n == 0 ? "summary" : "text");
    if (act->summary.n > SUMMARY_BYTES)
        return skn_fail(err, SKEIN_LIMIT, "the summary is %zu bytes; the limit is %zu",
                        act->summary.n, SUMMARY_BYTES);
    return SKEIN_OK;
}

static skein_rc say_in_chat(skn_acting *c, const skn_conversation_row *chat, skein_message *out,
                            skein_error *err)
{
    skein_new_message n = {
        .role = SKEIN_ASSISTANT, .sender = c->me.name, .content = c->act->text};
    skein_rc rc = skn_message_say(c->w, chat, SKN_NONE, &n, out, err);

    if (rc || (rc = skn_copy_add(c->w->tx, out->id.v, c->row.step_message_id, err)))
        return rc;
    skn_feed_message(c->w->tx, chat, "message.created", out, c->row.turn.cause, NULL);
    return SKEIN_OK;
}

/* The task that this is done for, and the turn that works on it: this one, or that which asked for the delegation
 * in which this happens. */
static skein_rc find_attempt(const skn_acting *c, skn_inbox_row *item, skein_error *err)
{
    skn_turn_row       row = c->row;
    skn_delegation_row d;
    bool               found = true;
    skein_rc           rc = SKEIN_OK;

    while (rc == SKEIN_OK && found && row.turn.task == 0 && row.turn.lane.v) {
        rc = skn_delegation_get(c->w->tx, row.turn.lane.v, c->w->a, &d, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_turn_get(c->w->tx, d.turn_id, c->w->a, &row, &found, err);
    }
    item->task_id = found ? row.turn.task : 0;
    item->attempt_id = item->task_id ? row.turn.id : 0;
    return rc;
}

/* An attempt at a task that ended too early may have told it: docs/decisions/0020. */
static skein_rc was_sent(skn_acting *c, const skn_inbox_row *item, bool *sent, skein_error *err)
{
    const char *what = item->item.briefing.p ? "briefing" : "question";
    int64_t     id;
    bool        same;
    skein_rc    rc;

    *sent = false;
    if (item->task_id == 0)
        return SKEIN_OK;
    rc = skn_inbox_earlier(c->w->tx, item, c->w->a, &id, &c->out->uid, &same, err);
    if (rc || id == 0)
        return rc;
    *sent = true;
    c->result = skn_arena_printf(
        c->w->a,
        "This %s was sent already, by an earlier attempt at this task, and is not sent "
        "again.%s",
        what,
        same ? ""
             : " Its text was another one: if the person should read this too, send it under "
               "another title.");
    return skn_inbox_repeat(c->w->tx, id, item->attempt_id, err);
}

static skein_rc send_act(skn_acting *c, skn_inbox_row *item, skein_error *err)
{
    skn_conversation_row chat;
    skein_message        m;
    skein_rc             rc;

    if ((rc = skn_own_conversation(c->w, c->me.id.v, SKEIN_FOREGROUND, &chat, err)) ||
        (rc = say_in_chat(c, &chat, &m, err)))
        return rc;
    item->conversation_id = chat.id;
    item->message_id = m.id.v;
    if ((rc = skn_inbox_new(c->w, item, err)) ||
        (!item->item.briefing.p && (rc = skn_expect_person(c, err))))
        return rc;
    c->result = item->item.briefing.p ? SKN_STR("Briefing sent") : SKN_STR("Question sent");
    c->out->uid = item->item.uid;
    return SKEIN_OK;
}

skein_rc skn_act_brief(skn_acting *c, skein_error *err)
{
    bool          asks = skn_str_is(c->act->type, "question"), sent;
    skn_inbox_row item = skn_inbox_of(c->w, &c->row, asks ? "question" : "briefing",
                                      c->act->call_id);
    skein_rc      rc;

    item.item.title = skn_str_trim(c->act->title);
    item.item.content = c->act->summary;
    item.item.briefing = asks ? SKN_NONE : c->act->text;
    if ((rc = check_act(c, err)) || (rc = find_attempt(c, &item, err)) ||
        (rc = was_sent(c, &item, &sent, err)))
        return rc;
    return sent ? SKEIN_OK : send_act(c, &item, err);
}

/* Notes that an agent adds to its knowledge, or removes. */

skein_rc skn_act_remember(skn_acting *c, skein_error *err)
{
    skn_knowledge_row row = {.item = {.type = c->act->type,
                                      .content = c->act->text,
                                      .confidence = c->act->confidence,
                                      .created_at = c->w->now},
                             .agent_id = c->me.id.v,
                             .conversation_id = c->w->chat.id,
                             .message_id = c->row.step_message_id};
    bool              stored;
    skein_rc          rc = skn_knowledge_keep(c->w, &row, &stored, err);

    if (rc)
        return rc;
    c->result = skn_arena_printf(c->w->a,
                                 stored ? "Kept in mind as %.*s" : "Known already as %.*s",
                                 SKN_FMT(row.item.uid));
    c->out->uid = row.item.uid;
    return SKEIN_OK;
}

skein_rc skn_act_forget(skn_acting *c, skein_error *err)
{
    skn_str  uid = skn_str_trim(c->act->text);
    bool     found;
    skein_rc rc = skn_check_word(uid, "the id of what is to be forgotten", SKN_WORD_MAX, err);

    if (rc || (rc = skn_knowledge_forget(c->w->tx, c->me.id.v, uid, c->w->now, &found, err)))
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no note \"%.*s\"", SKN_FMT(uid));
    c->result = SKN_STR("Forgotten");
    c->out->uid = skn_arena_copy(c->w->a, uid);
    return SKEIN_OK;
}
