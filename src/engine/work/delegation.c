/* delegation.c: delegations for those who look at them, stop them, or let them begin again. */
#include "engine/work/act.h"

typedef struct delegation_call {
    skein_conversation_id chat;
    skn_str               key;

    const skein_stop *written;
} delegation_call;

/* --- Looking ----------------------------------------------------------------------------------------------------- */

static skein_rc fill_delegation(skn_tx *tx, const skn_conversation_row *chat,
                                const skn_delegation_row *d, skn_arena *a,
                                skein_delegation *out, skein_error *err)
{
    skn_thread_row t = {0};
    bool           found;
    skein_rc       rc = skn_thread_of(tx, chat->version_id, d->lane.id, a, &t, &found, err);

    *out = (skein_delegation){.chat = {chat->id},
                              .chat_uid = chat->uid,
                              .key = d->lane.key,
                              .parent_key = d->parent_key,
                              .agent = d->lane.agent_name,
                              .asked_by = d->asker,
                              .title = d->title,
                              .spawn_call_id = d->lane.spawn_call_id,
                              .spawn_message_uid = d->spawn_message_uid,
                              .state = d->lane.state,
                              .waited = d->waited,
                              .messages = found ? t.base_length + t.own_length : 0,
                              .created_at = d->created_at};
    return rc;
}

skein_rc skein_delegation_list(skein_engine *e, skein_conversation_id chat, skein_mem *mem,
                               skein_delegations *out, skein_error *err)
{
    skn_conversation_row row;
    skn_delegation_rows  rows;
    skn_snapshot         s = {.store = e->store};

    *out = (skein_delegations){0};
    while (skn_snapshot_next(&s, err)) {
        if ((s.rc = skn_conversation_need(s.tx, chat, mem, &row, err)) ||
            (s.rc = skn_delegation_rows_of(s.tx, row.id, mem, &rows, err)))
            continue;
        *out = (skein_delegations){.at = SKN_ARRAY(mem, rows.count, skein_delegation)};
        for (size_t i = 0; !s.rc && i < rows.count; i++)
            s.rc = fill_delegation(s.tx, &row, &rows.at[i], mem, &out->at[out->count++], err);
    }
    return s.rc;
}

static skein_rc need(skn_tx *tx, const skn_conversation_row *chat, skn_str key, skn_arena *a,
                     skn_delegation_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_delegation_by_key(tx, chat->id, key, a, out, &found, err);

    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND, "conversation \"%.*s\" has no delegation \"%.*s\"",
                    SKN_FMT(chat->uid), SKN_FMT(skn_str_sub(key, 0, 80)));
}

/* Keys may be as long as delegations are deep. */
static skein_rc check_key(const skein_engine *e, skn_str key, skein_error *err)
{
    return key.n ? skn_check_text(e, key, "the delegation's key", err)
                 : skn_fail(err, SKEIN_INVALID, "the delegation's key is empty");
}

skein_rc skein_delegation_get(skein_engine *e, skein_conversation_id chat, skein_str key,
                              skein_mem *mem, skein_delegation *out, skein_error *err)
{
    skn_conversation_row row;
    skn_delegation_row   d;
    skn_snapshot         s = {.store = e->store};

    *out = (skein_delegation){0};
    s.rc = check_key(e, key, err);
    while (skn_snapshot_next(&s, err))
        if (!(s.rc = skn_conversation_need(s.tx, chat, mem, &row, err)) &&
            !(s.rc = need(s.tx, &row, key, mem, &d, err)))
            s.rc = fill_delegation(s.tx, &row, &d, mem, out, err);
    return s.rc;
}

/* --- Stopping ------------------------------------------------------------------------------------------------------ */

/* Work or not, it does not run any more. */
static skein_rc stop_one(skn_working *w, const skn_delegation_row *d, skein_error *err)
{
    skn_delivery_row none = {
        .agent_id = d->lane.agent_id, .agent_name = d->lane.agent_name, .lane_id = d->lane.id};
    int64_t  turn;
    skein_rc rc = skn_lane_cancel(w, d, &turn, err);

    return rc ? rc : skn_delegation_dropped(w, &none, err);
}

/* All running delegations below it; parents come before children. From the bottom up, so that each end is the result
 * of a call before the turn that made the call is closed. Nobody is woken. */
static skein_rc stop_below(skn_working *w, int64_t top, skein_error *err)
{
    skn_map            *below = skn_map_new(w->a);
    skn_delegation_rows rows;
    skein_rc            rc = skn_delegation_rows_of(w->tx, w->chat.id, w->a, &rows, err);

    *skn_map_slot_int(below, top) = w;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        if (*skn_map_slot_int(below, rows.at[i].lane.parent_id))
            *skn_map_slot_int(below, rows.at[i].lane.id) = w;
    w->hushed = w->results = true;
    for (size_t i = rc ? 0 : rows.count; rc == SKEIN_OK && i-- > 0;) {
        const skn_lane_row *lane = &rows.at[i].lane;

        if (lane->id != top && *skn_map_slot_int(below, lane->id) &&
            lane->state == SKEIN_LANE_RUNNING)
            rc = stop_one(w, &rows.at[i], err);
    }
    w->hushed = w->results = false;
    return rc;
}

static skein_rc delegation_cancel(skn_working *w, void *arg, skein_error *err)
{
    delegation_call   *c = arg;
    skn_delegation_row d;
    skein_rc           rc;

    if ((rc = skn_working_hold(w, c->chat, err)) ||
        (rc = need(w->tx, &w->chat, c->key, w->a, &d, err)))
        return rc;
    if (d.lane.state != SKEIN_LANE_RUNNING)
        return skn_fail(err, SKEIN_CONFLICT, "delegation \"%.*s\" has already ended",
                        SKN_FMT(d.lane.key));
    w->written = c->written;
    if ((rc = stop_below(w, d.lane.id, err)) || (rc = stop_one(w, &d, err)))
        return rc;
    return skn_settle(w, err);
}

static skein_rc change_delegation(skein_engine *e, delegation_call *c, skn_job *job,
                                  skein_error *err)
{
    skein_rc rc = check_key(e, c->key, err);

    return rc ? rc : skn_write(e, NULL, job, c, err);
}

skein_rc skein_delegation_cancel(skein_engine *e, skein_conversation_id chat, skein_str key,
                                 const skein_stop *written, skein_error *err)
{
    delegation_call c = {.chat = chat, .key = key, .written = written};

    return change_delegation(e, &c, delegation_cancel, err);
}

/* --- Beginning again ------------------------------------------------------------------------------------------------- */

static skein_rc check_ended(const skn_delegation_row *d, skein_error *err)
{
    const char *why = d->lane.state == SKEIN_LANE_RUNNING       ? "is running"
                      : d->lane.state == SKEIN_LANE_DONE        ? "is done"
                      : d->lane.agent_gone || !d->lane.agent_id ? "has nobody who could do it"
                                                                : NULL;

    return why ? skn_fail(err, SKEIN_CONFLICT, "delegation \"%.*s\" %s", SKN_FMT(d->lane.key),
                          why)
               : SKEIN_OK;
}

/* What is begun again below a lane that has ended would be work that nobody waits for. */
static skein_rc check_above(skn_working *w, const skn_delegation_row *d, skein_error *err)
{
    skn_delegation_row above;
    bool               nested;
    skein_rc rc = skn_delegation_get(w->tx, d->lane.parent_id, w->a, &above, &nested, err);

    if (rc || !nested || above.lane.state == SKEIN_LANE_RUNNING)
        return rc;
    rc = skn_fail(err, SKEIN_CONFLICT,
                  "delegation \"%.*s\" was for \"%.*s\", which has ended: nobody waits for it",
                  SKN_FMT(d->lane.key), SKN_FMT(above.lane.key));
    return above.lane.state == SKEIN_LANE_DONE
               ? skn_hint(err, rc, "Ask %.*s again for what is missing.",
                          SKN_FMT(above.lane.agent_name))
               : skn_hint(err, rc, "Begin \"%.*s\" again; it hands on what it needs.",
                          SKN_FMT(above.lane.key));
}

/* The first message of the lane, and on whose behalf it was given. */
static skein_rc find_first(skn_working *w, const skn_delegation_row *d, skn_delivery_row *out,
                           skein_error *err)
{
    skn_delivery_rows before;
    skn_thread        t;
    skn_trees         f;
    skn_item          first;
    bool              found;
    skein_rc          rc;

    if ((rc = skn_lane_thread(w, d->lane.id, &f, &t, &found, err)))
        return rc;
    if (!found || t.length == 0)
        return skn_fail(err, SKEIN_CONFLICT,
                        "what delegation \"%.*s\" is to do is not in this version",
                        SKN_FMT(d->lane.key));
    if ((rc = skn_thread_item(&f, &t, 0, &first, err)) ||
        (rc = skn_delivery_of(w->tx, &(skn_ids){&first.message_id, 1}, w->a, &before, err)))
        return rc;
    *out = before.count ? before.at[before.count - 1] : (skn_delivery_row){.hops_left = 1};
    out->conversation_id = w->chat.id;
    out->agent_id = d->lane.agent_id;
    out->message_id = first.message_id;
    out->lane_id = d->lane.id;
    out->created_at = w->now;
    return SKEIN_OK;
}

static skein_rc delegation_retry(skn_working *w, void *arg, skein_error *err)
{
    delegation_call   *c = arg;
    skn_delegation_row d;
    skn_delivery_row   work;
    skein_rc           rc;

    if ((rc = skn_working_hold(w, c->chat, err)) ||
        (rc = need(w->tx, &w->chat, c->key, w->a, &d, err)) || (rc = check_ended(&d, err)) ||
        (rc = check_above(w, &d, err)) || (rc = find_first(w, &d, &work, err)))
        return rc;
    d.lane.state = SKEIN_LANE_RUNNING;
    d.waited = d.told = false;
    if ((rc = skn_delegation_move(w->tx, &d, err)) ||
        (rc = skn_delivery_insert(w->tx, &work, err)))
        return rc;
    skn_feed_lane(w->tx, &w->chat, &d.lane, work.cause);
    return SKEIN_OK;
}

skein_rc skein_delegation_retry(skein_engine *e, skein_conversation_id chat, skein_str key,
                                skein_error *err)
{
    delegation_call c = {.chat = chat, .key = key};

    return change_delegation(e, &c, delegation_retry, err);
}

/* The end of a delegation. Its requester gets the result once: as the result of its call while its turn waits, else
 * as a message that wakes it. */

/* --- The words ------------------------------------------------------------------------------------------------ */

/* The outcome of a delegation, and the message that says it; 0: none does. */
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
    static const char *const ended[] = {"is done", "is done", "has failed", "was cancelled",
                                        "was interrupted"}; /* by skein_lane_state */

    return skn_arena_printf(a, "Delegation %.*s (%.*s) %s%s%.*s", SKN_FMT(d->lane.key),
                            SKN_FMT(d->lane.agent_name), ended[d->lane.state],
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
    bool              own = d->asker_id == d->lane.agent_id;
    skein_new_message n = {.role = own ? SKEIN_USER : SKEIN_ASSISTANT,
                           .sender = d->lane.agent_name,
                           .content = as_message(w->a, d, what->text)};
    skein_rc          rc;

    if (!lane.p && w->chat.mode == SKEIN_CHAT) {
        n.heard_by = &d->asker;
        n.heard_by_count = 1;
        n.heard_by_given = true;
    }
    if ((rc = skn_message_say(w, &w->chat, lane, &n, out, err)) ||
        (rc = skn_copy_add(w->tx, out->id.v, what->message, err)))
        return rc;
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
