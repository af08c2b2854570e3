/* delegation.c: delegations for those who look at them, stop them, or let them begin again. */
#include "engine/act.h"

typedef struct call {
    skein_engine         *e;
    skein_conversation_id chat;
    skn_str               key;
    skein_mem            *mem;
    skein_delegations    *list;
    skein_delegation     *out;

    const skein_stop *written;
} call;

/* --- Looking ----------------------------------------------------------------------------------------------------- */

static skein_rc fill(skn_tx *tx, const skn_conversation_row *chat, const skn_delegation_row *d,
                     skn_arena *a, skein_delegation *out, skein_error *err)
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

static skein_rc delegation_list(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row chat;
    skn_delegation_rows  rows;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->chat, c->mem, &chat, err)) ||
        (rc = skn_delegation_rows_of(tx, chat.id, c->mem, &rows, err)))
        return rc;
    c->list->at = SKN_ARRAY(c->mem, rows.count, skein_delegation);
    c->list->count = rows.count;
    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++)
        rc = fill(tx, &chat, &rows.at[i], c->mem, &c->list->at[i], err);
    return rc;
}

skein_rc skein_delegation_list(skein_engine *e, skein_conversation_id chat, skein_mem *mem,
                               skein_delegations *out, skein_error *err)
{
    call c = {.e = e, .chat = chat, .mem = mem, .list = out};

    *out = (skein_delegations){0};
    return skn_store_read(e->store, delegation_list, &c, err);
}

static skein_rc need(skn_tx *tx, const call *c, const skn_conversation_row *chat,
                     skn_delegation_row *out, skein_error *err)
{
    bool     found;
    skein_rc rc = skn_delegation_by_key(tx, chat->id, c->key, c->mem, out, &found, err);

    if (rc || found)
        return rc;
    return skn_fail(err, SKEIN_NOT_FOUND, "conversation \"%.*s\" has no delegation \"%.*s\"",
                    SKN_FMT(chat->uid), SKN_FMT(skn_str_sub(c->key, 0, 80)));
}

static skein_rc delegation_get(skn_tx *tx, void *arg, skein_error *err)
{
    call                *c = arg;
    skn_conversation_row chat;
    skn_delegation_row   d;
    skein_rc             rc;

    if ((rc = skn_conversation_need(tx, c->chat, c->mem, &chat, err)) ||
        (rc = need(tx, c, &chat, &d, err)))
        return rc;
    return fill(tx, &chat, &d, c->mem, c->out, err);
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
    call     c = {.e = e, .chat = chat, .key = key, .mem = mem, .out = out};
    skein_rc rc = check_key(e, key, err);

    *out = (skein_delegation){0};
    return rc ? rc : skn_store_read(e->store, delegation_get, &c, err);
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

/* All that run below it, whoever waits for them; parents come before children. From the bottom up, so that each
 * end is the result of a call before the turn that made the call is closed. Nobody is woken. */
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

static skein_rc delegation_cancel(skn_tx *tx, void *arg, skein_error *err)
{
    call              *c = arg;
    skn_working        w;
    skn_delegation_row d;
    skein_rc           rc;

    if ((rc = skn_working_take(&w, c->e, tx, c->mem, c->chat, err)) ||
        (rc = need(tx, c, &w.chat, &d, err)))
        return rc;
    if (d.lane.state != SKEIN_LANE_RUNNING)
        return skn_fail(err, SKEIN_CONFLICT, "delegation \"%.*s\" has already ended",
                        SKN_FMT(d.lane.key));
    w.written = c->written;
    if ((rc = stop_below(&w, d.lane.id, err)) || (rc = stop_one(&w, &d, err)))
        return rc;
    return skn_working_done(&w, skn_settle(&w, err));
}

static skein_rc change(call *c, skn_work *work, skein_error *err)
{
    skein_rc rc = check_key(c->e, c->key, err);

    c->mem = skn_arena_new();
    if (rc == SKEIN_OK)
        rc = skn_store_write(c->e->store, work, c, err);
    skn_arena_free(c->mem);
    return rc;
}

skein_rc skein_delegation_cancel(skein_engine *e, skein_conversation_id chat, skein_str key,
                                 const skein_stop *written, skein_error *err)
{
    call c = {.e = e, .chat = chat, .key = key, .written = written};

    return change(&c, delegation_cancel, err);
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

    skn_trees_init(&f, w->tx, w->a, w->chat.id);
    if ((rc = skn_thread_load(&f, w->chat.version_id, d->lane.id, &t, &found, err)))
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

static skein_rc delegation_retry(skn_tx *tx, void *arg, skein_error *err)
{
    call              *c = arg;
    skn_working        w;
    skn_delegation_row d;
    skn_delivery_row   work;
    skein_rc           rc;

    if ((rc = skn_working_take(&w, c->e, tx, c->mem, c->chat, err)) ||
        (rc = need(tx, c, &w.chat, &d, err)) || (rc = check_ended(&d, err)) ||
        (rc = check_above(&w, &d, err)) || (rc = find_first(&w, &d, &work, err)))
        return rc;
    d.lane.state = SKEIN_LANE_RUNNING;
    d.waited = d.told = false;
    if ((rc = skn_delegation_move(tx, &d, err)) || (rc = skn_delivery_insert(tx, &work, err)))
        return rc;
    skn_feed_lane(tx, &w.chat, &d.lane, work.cause);
    return SKEIN_OK;
}

skein_rc skein_delegation_retry(skein_engine *e, skein_conversation_id chat, skein_str key,
                                skein_error *err)
{
    call c = {.e = e, .chat = chat, .key = key};

    return change(&c, delegation_retry, err);
}
