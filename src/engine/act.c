/* act.c: an act of an agent: what its tool does in the store, and the tool's result, in one transaction under
 * the turn. */
#include "engine/act.h"
#include "engine/mention.h"

#define NAMES_SHOWN 10 /* of the agents, when one that is meant is not there */

typedef struct call {
    skein_engine     *e;
    const skein_turn *turn;
    const skein_act  *act;
    skein_mem        *mem;
    skein_acted      *out;
} call;

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

/* A model that is told who there is finds the one it meant. */
static skein_rc no_agent(skn_tx *tx, const call *c, skein_error *err)
{
    skein_agents agents;
    skn_str      list = SKN_STR("");
    skein_rc     rc = skn_agent_rows(tx, c->turn->world.v, c->mem, &agents, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < agents.count && i < NAMES_SHOWN; i++)
        list = skn_arena_printf(c->mem, "%.*s%s%.*s", SKN_FMT(list), i ? ", " : "",
                                SKN_FMT(agents.at[i].name));
    rc = skn_fail(err, SKEIN_NOT_FOUND, "there is no agent \"%.*s\"",
                  SKN_FMT(skn_str_sub(c->act->agent, 0, SKN_NAME_MAX)));
    return skn_hint(err, rc, "Agents here are %.*s%s.", SKN_FMT(list),
                    agents.count > NAMES_SHOWN ? " and others" : "");
}

/* By its name as a model may write it. */
static skein_rc find_other(skn_tx *tx, const call *c, skein_agent *out, skein_error *err)
{
    skn_str  name = skn_str_trim(c->act->agent);
    bool     found = false;
    skein_rc rc;

    *out = (skein_agent){0};
    if (!name.n)
        return kinds[c->act->kind].names
                   ? skn_fail(err, SKEIN_INVALID, "it is not said which agent is meant")
                   : SKEIN_OK;
    if (name.p[0] == '@')
        name = skn_str_sub(name, 1, name.n);
    if (skn_name_normal(name, c->mem, &name, NULL))
        return no_agent(tx, c, err);
    rc = skn_agent_by_ref(tx, c->turn->world.v, name, SKN_NONE, c->mem, out, &found, err);
    return rc || found ? rc : no_agent(tx, c, err);
}

static skein_rc find_me(skn_tx *tx, const call *c, skein_agent *out, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_agent_get(tx, c->turn->agent.v, c->mem, out, &found, err);

    return rc || found ? rc
                       : skn_fail(err, SKEIN_TURN_OVER, "agent \"%.*s\" is not there any more",
                                  SKN_FMT(c->turn->agent_name));
}

/* --- Locks ---------------------------------------------------------------------------------------------------------- */

/* The conversation where it is said, if that is there and the first of the two; one that is yet to be made
 * comes after all others. */
static skein_rc lock_first(skn_tx *tx, const call *c, const skn_acting *who, skein_error *err)
{
    where                place = kinds[c->act->kind].where;
    int64_t              agent = place == OTHERS_BACKGROUND  ? who->other.id.v
                                 : place == LEADS_BACKGROUND ? who->me.lead.v
                                                             : who->me.id.v;
    skn_conversation_row row;
    bool                 found;
    skein_rc             rc;

    if (place == NOWHERE || agent == 0)
        return SKEIN_OK;
    rc = skn_conversation_by_agent(
        tx, agent, place == OWN_FOREGROUND ? SKEIN_FOREGROUND : SKEIN_BACKGROUND, c->mem, &row,
        &found, err);
    if (rc || !found || row.id >= c->turn->chat.v)
        return rc;
    return skn_conversation_lock(tx, row.id, c->mem, &row, &found, err);
}

/* --- The act -------------------------------------------------------------------------------------------------------- */

static skein_rc no_call(const call *c, const char *why, skein_error *err)
{
    return skn_fail(err, SKEIN_CONFLICT, "tool call \"%.*s\" %s", SKN_FMT(c->act->call_id),
                    why);
}

/* It answers a call of the turn's last message that nothing has answered. */
static skein_rc check_call(const call *c, skn_acting *acting, skein_error *err)
{
    skn_tx       *tx = acting->w.tx;
    skn_str       id = c->act->call_id;
    int64_t       message = acting->row.step_message_id, results, lanes;
    skein_message m = {0};
    bool          found = false;
    skein_rc      rc;

    if (message && (rc = skn_message_get(tx, message, c->mem, &m, &found, err)))
        return rc;
    found = false;
    for (size_t i = 0; i < m.call_count; i++)
        found = found || skn_str_eq(m.calls[i].call_id, id);
    if (!found)
        return no_call(c, "is none of this turn's last message", err);
    if ((rc = skn_call_results(tx, message, id, &results, err)) ||
        (rc = skn_delegation_of_call(tx, acting->w.chat.id, message, id, &lanes, err)))
        return rc;
    return results || lanes ? no_call(c, "was done already", err) : SKEIN_OK;
}

static skein_rc store_result(skn_acting *c, skein_error *err)
{
    skein_new_message n = {.role = SKEIN_TOOL,
                           .tool_call_id = c->act->call_id,
                           .content = c->result.p ? c->result : SKN_STR("done")};
    skein_rc          rc = skn_check_new(c->w.e, &n, err);

    return rc ? rc : skn_turn_result(&c->w, &c->row, &n, &c->out->result, err);
}

static skein_rc act(skn_tx *tx, void *arg, skein_error *err)
{
    call      *c = arg;
    skn_acting a = {.act = c->act, .out = c->out};
    skein_rc   rc;

    *c->out = (skein_acted){0};
    if ((rc = find_me(tx, c, &a.me, err)) || (rc = find_other(tx, c, &a.other, err)) ||
        (rc = lock_first(tx, c, &a, err)) ||
        (rc = skn_turn_take(&a.w, c->e, tx, c->mem, c->turn, &a.row, err)) ||
        (rc = check_call(c, &a, err)) || (rc = kinds[c->act->kind].run(&a, err)))
        return rc;
    if (!a.no_result && (rc = store_result(&a, err)))
        return rc;
    c->out->waiting = a.no_result;
    return skn_working_done(&a.w, a.w.over.n ? skn_settle(&a.w, err) : SKEIN_OK);
}

skein_rc skein_turn_act(skein_engine *e, skein_turn *turn, const skein_act *what,
                        skein_mem *mem, skein_acted *out, skein_error *err)
{
    call     c = {e, turn, what, mem, out};
    skein_rc rc = skn_check_word(what->call_id, "a tool call's id", SKN_WORD_MAX, err);

    *out = (skein_acted){0};
    if (rc)
        return rc;
    if ((size_t)what->kind >= sizeof kinds / sizeof *kinds)
        return skn_fail(err, SKEIN_USAGE, "there is no such act");
    return skn_store_write(e->store, act, &c, err);
}

/* --- What it waits for ------------------------------------------------------------------------------------------------ */

typedef struct waits_call {
    const skein_turn *turn;
    int64_t          *open;
} waits_call;

static skein_rc turn_waits(skn_tx *tx, void *arg, skein_error *err)
{
    waits_call  *c = arg;
    skn_arena   *a = skn_arena_new();
    skn_turn_row row;
    bool         found;
    skein_rc     rc = skn_turn_get(tx, c->turn->id, a, &row, &found, err);

    if (rc == SKEIN_OK &&
        (!found || row.turn.state != SKEIN_TURN_OPEN || row.turn.fence != c->turn->fence))
        rc = skn_fail(err, SKEIN_TURN_OVER, "turn \"%.*s\" is over", SKN_FMT(c->turn->uid));
    if (rc == SKEIN_OK)
        *c->open = row.open_calls;
    skn_arena_free(a);
    return rc;
}

skein_rc skein_turn_waits(skein_engine *e, const skein_turn *turn, int64_t *open,
                          skein_error *err)
{
    waits_call c = {turn, open};

    *open = 0;
    return skn_store_read(e->store, turn_waits, &c, err);
}
