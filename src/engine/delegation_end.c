/* delegation_end.c: how a delegation ends. Whoever asked for it is told once: as the result of its call while
 * its turn waits, else as a message that wakes it. */
#include "engine/act.h"

/* --- The words ------------------------------------------------------------------------------------------------ */

static const char *ended_as(skein_lane_state state)
{
    switch (state) {
    case SKEIN_LANE_RUNNING:
    case SKEIN_LANE_DONE:
        return "is done";
    case SKEIN_LANE_FAILED:
        return "has failed";
    case SKEIN_LANE_CANCELLED:
        return "was cancelled";
    case SKEIN_LANE_INTERRUPTED:
        break;
    }
    return "was interrupted";
}

/* What came of a delegation, and the message that says it; 0: none does. */
typedef struct outcome {
    skn_str text;
    int64_t message;
} outcome;

/* Its last answer, or why there is none. */
static skein_rc find_outcome(skn_working *w, const skn_turn_row *row,
                             const skn_delegation_row *d, skn_str why, outcome *out,
                             skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    *out = (outcome){why, 0};
    if (d->lane.state == SKEIN_LANE_DONE && row->turn.id)
        rc = skn_turn_words(w, &row->turn, &out->text, &out->message, err);
    if (rc == SKEIN_OK && d->lane.state == SKEIN_LANE_DONE && !out->text.n)
        out->text = SKN_STR("(it said nothing)");
    return rc;
}

/* As a tool's result. */
static skn_str as_result(skn_arena *a, const skn_delegation_row *d, skn_str what)
{
    static const char *const words[] = {"", "", "failed", "cancelled", "interrupted"};

    if (d->lane.state == SKEIN_LANE_DONE)
        return what;
    return skn_arena_printf(a, "%s%s%.*s", words[d->lane.state], what.n ? ": " : "",
                            SKN_FMT(what));
}

/* As a message. */
static skn_str as_message(skn_arena *a, const skn_delegation_row *d, skn_str what)
{
    return skn_arena_printf(a, "Delegation %.*s (%.*s) %s%s%.*s", SKN_FMT(d->lane.key),
                            SKN_FMT(d->lane.agent_name), ended_as(d->lane.state),
                            what.n ? ": " : ".", SKN_FMT(what));
}

/* --- To a turn that waits --------------------------------------------------------------------------------------- */

/* *written is false when the turn is not there to hear it, or has the result from elsewhere. */
static skein_rc write_result(skn_working *w, const skn_delegation_row *d, const outcome *what,
                             bool *written, skein_error *err)
{
    skein_new_message n = {.role = SKEIN_TOOL,
                           .tool_call_id = d->lane.spawn_call_id,
                           .content = as_result(w->a, d, what->text),
                           .tool_failed = d->lane.state != SKEIN_LANE_DONE};
    skn_turn_row      asker;
    skein_message     stored;
    int64_t           results;
    bool              found;
    skein_rc          rc;

    *written = false;
    if (!d->waited)
        return SKEIN_OK;
    if ((rc = skn_turn_get(w->tx, d->turn_id, w->a, &asker, &found, err)) || !found ||
        asker.turn.state != SKEIN_TURN_OPEN ||
        asker.step_message_id != d->lane.spawn_message_id ||
        (rc = skn_call_results(w->tx, asker.step_message_id, n.tool_call_id, &results, err)) ||
        results > 0)
        return rc;
    rc = skn_turn_result(w, &asker, &n, &stored, err);
    *written = rc == SKEIN_OK;
    if (*written)
        rc = skn_copy_add(w->tx, stored.id.v, what->message, err);
    return rc == SKEIN_CONFLICT ? SKEIN_OK : rc;
}

/* --- As a message ------------------------------------------------------------------------------------------------- */

/* What the agent said of its own to itself would be its own words: it comes as from outside. */
static skein_rc say_end(skn_working *w, const skn_turn_row *row, const skn_delegation_row *d,
                        skn_str lane, const outcome *what, skein_message *out, skein_error *err)
{
    bool                 own = d->asker_id == d->lane.agent_id;
    skein_new_message    n = {.role = own ? SKEIN_USER : SKEIN_ASSISTANT,
                              .sender = d->lane.agent_name,
                              .content = as_message(w->a, d, what->text)};
    skein_append_request r = {
        .conversation = {w->chat.id}, .lane = lane, .messages = &n, .count = 1};
    skein_messages stored;
    skein_rc       rc;

    if (!lane.p && w->chat.mode == SKEIN_CHAT) {
        n.heard_by = &d->asker;
        n.heard_by_count = 1;
        n.heard_by_given = true;
    }
    rc = skn_append_in(w->e, w->tx, &w->chat, &r, w->now, w->a, &stored, err);
    if (rc || (rc = skn_copy_add(w->tx, stored.at[0].id.v, what->message, err)))
        return rc;
    *out = stored.at[0];
    skn_tell_said(w, out, lane, row->turn.cause);
    return SKEIN_OK;
}

/* Has the agent yet to begin with something of the same cause there? Then it will see this too. */
static skein_rc is_waiting(skn_working *w, const skn_delivery_row *d, bool *waits,
                           skein_error *err)
{
    skn_delivery_rows rows;
    skein_rc          rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err);

    *waits = false;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        *waits = *waits ||
                 (rows.at[i].state == SKN_QUEUED && rows.at[i].agent_id == d->agent_id &&
                  rows.at[i].lane_id == d->lane_id && skn_str_eq(rows.at[i].cause, d->cause));
    return rc;
}

/* A lane that has ended stays ended: what comes later is there to be read, and wakes nobody. */
static skein_rc wake(skn_working *w, const skn_turn_row *row, const skn_delegation_row *d,
                     const skn_delegation_row *above, int64_t message, skein_error *err)
{
    skn_delivery_row to = {.conversation_id = w->chat.id,
                           .agent_id = d->asker_id,
                           .message_id = message,
                           .cause = row->turn.cause,
                           .hops_left = row->turn.hops_left - 1,
                           .lane_id = above ? above->lane.id : 0,
                           .created_at = w->now};
    bool             waits;
    skein_rc         rc;

    if (to.hops_left < 1 || (above && above->lane.state != SKEIN_LANE_RUNNING))
        return SKEIN_OK;
    if ((rc = is_waiting(w, &to, &waits, err)) || waits)
        return rc;
    return skn_delivery_insert(w->tx, &to, err);
}

static skein_rc tell_asker(skn_working *w, const skn_turn_row *row, const skn_delegation_row *d,
                           skn_str why, skein_error *err)
{
    skn_delegation_row above;
    skein_message      said;
    outcome            what;
    bool               done, nested;
    skein_rc           rc;

    if ((rc = find_outcome(w, row, d, why, &what, err)) ||
        (rc = write_result(w, d, &what, &done, err)) || done || w->hushed ||
        (rc = skn_delegation_get(w->tx, d->lane.parent_id, w->a, &above, &nested, err)) ||
        (rc = say_end(w, row, d, nested ? above.lane.key : SKN_NONE, &what, &said, err)))
        return rc;
    return wake(w, row, d, nested ? &above : NULL, said.id.v, err);
}

/* --- The end ------------------------------------------------------------------------------------------------------ */

skein_rc skn_delegation_over(skn_working *w, const skn_turn_row *row, skein_lane_state state,
                             skn_str text, skein_error *err)
{
    skn_delegation_row d;
    skn_delivery_rows  more;
    bool               found;
    skein_rc           rc;

    rc = skn_delivery_pending_on(w->tx, w->chat.id, row->turn.lane.v, w->a, &more, err);
    if (rc || more.count > 0 ||
        (rc = skn_delegation_get(w->tx, row->turn.lane.v, w->a, &d, &found, err)) || !found ||
        d.lane.state != SKEIN_LANE_RUNNING)
        return rc;
    d.lane.state = state;
    d.told = true;
    if ((rc = skn_delegation_move(w->tx, &d, err)) || w->silent)
        return rc;
    skn_feed_lane(w->tx, &w->chat, &d.lane, row->turn.cause);
    if ((w->hushed && !w->results) || !d.asker_id || d.asker_gone)
        return SKEIN_OK;
    return tell_asker(w, row, &d, text, err);
}

skein_rc skn_delegation_dropped(skn_working *w, const skn_delivery_row *d, skein_error *err)
{
    skn_turn_row row = {.turn = {.chat = {w->chat.id},
                                 .agent = {d->agent_id},
                                 .agent_name = d->agent_name,
                                 .lane = {d->lane_id},
                                 .cause = d->cause,
                                 .hops_left = d->hops_left}};

    return skn_delegation_over(w, &row, SKEIN_LANE_CANCELLED, SKN_NONE, err);
}
