/* guard.c: changes to a conversation while agents are at work in it: refused, or their work is taken
 * away first, so that no answer to the old text can land in the new one. */
#include "engine/work/act.h"

/* As many names as an error can hold. */
#define NAMES_SHOWN 5

/* agent 0: of all. `what` is to be changed, or to go. */
static skein_rc refuse_busy(skn_working *w, const skn_delivery_rows *rows, int64_t agent,
                            const char *what, skein_error *err)
{
    skn_map *seen = skn_map_new(w->a);
    skn_buf  names;
    size_t   n = 0;
    skein_rc rc;

    skn_buf_init(&names, 300);
    for (size_t i = 0; i < rows->count; i++) {
        void **slot = skn_map_slot_int(seen, rows->at[i].agent_id);

        if (skn_is_resting(&rows->at[i]) ||
            (agent ? rows->at[i].agent_id != agent
                   : rows->at[i].agent_gone && rows->at[i].state == SKN_QUEUED))
            continue;
        if (!*slot && n++ < NAMES_SHOWN)
            skn_buf_addf(&names, "%s%.*s", n > 1 ? ", " : "", SKN_FMT(rows->at[i].agent_name));
        *slot = w;
    }
    if (n > NAMES_SHOWN)
        skn_buf_addf(&names, " and %zu more", n - NAMES_SHOWN);
    if (n == 0) {
        skn_buf_release(&names);
        return SKEIN_OK;
    }
    if (agent)
        rc = skn_fail(err, SKEIN_AT_WORK, "this agent is answering: %.*s",
                      SKN_FMT(skn_buf_str(&names)));
    else
        rc = skn_fail(err, SKEIN_AT_WORK, "agents are answering in this %s: %.*s", what,
                      SKN_FMT(skn_buf_str(&names)));
    skn_buf_release(&names);
    return skn_hint(err, rc, "Wait until they are done, stop them, or let force stop them.");
}

skein_rc skn_work_guard(skn_working *w, const skn_conversation_row *chat,
                        const skein_change *how, bool *stopped, skein_error *err)
{
    skn_delivery_rows rows;
    int64_t           count;
    skein_rc          rc;

    *stopped = false;
    if (how->dry_run)
        return SKEIN_OK;
    if ((rc = skn_delivery_pending(w->tx, chat->id, w->a, &rows, err)) || rows.count == 0)
        return rc;
    skn_working_at(w, chat);
    if ((rc = skn_sweep(w, &rows, err)))
        return rc;
    if (!how->force && (rc = refuse_busy(w, &rows, 0, "conversation", err)))
        return rc;
    *stopped = true;
    if (how->force && (rc = skn_work_cancel(w, 0, how->written, &count, err)))
        return rc;
    return skn_tell_over(w, &rows, err);
}

skein_rc skn_lane_thread(skn_working *w, int64_t lane_id, skn_trees *f, skn_thread *out,
                         bool *found, skein_error *err)
{
    skn_lane_row lane = {.id = lane_id};
    skein_rc     rc = SKEIN_OK;

    skn_trees_init(f, w->tx, w->a, w->chat.id);
    if (!lane.id)
        rc = skn_lane_need(w->tx, &w->chat, SKN_MAIN, w->a, &lane, err);
    return rc ? rc : skn_thread_load(f, w->chat.version_id, lane.id, out, found, err);
}

skein_rc skn_lane_holds(skn_working *w, int64_t lane, int64_t message, bool *holds,
                        skein_error *err)
{
    skn_thread t;
    skn_trees  f;
    int64_t    at = -1;
    skein_rc   rc = skn_lane_thread(w, lane, &f, &t, holds, err);

    if (rc || !*holds)
        return rc;
    rc = skn_thread_position_of(&f, &t, message, &at, err);
    *holds = at >= 0;
    return rc;
}

/* What rests and is not there any more was taken along by the change. */
static skein_rc drop_removed(skn_working *w, skein_error *err)
{
    skn_delivery_rows rows;
    bool              there;
    skein_rc          rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err);

    for (size_t i = 0; rc == SKEIN_OK && i < rows.count; i++) {
        const skn_delivery_row *d = &rows.at[i];

        if (!skn_is_resting(d) ||
            (rc = skn_lane_holds(w, d->lane_id, d->message_id, &there, err)))
            continue;
        if (!there)
            rc = skn_work_drop(w, d, err);
    }
    return rc;
}

skein_rc skn_work_resume(skn_working *w, int64_t version, skein_error *err)
{
    skein_rc rc;

    w->chat.version_id = version;
    rc = drop_removed(w, err);
    return rc ? rc : skn_settle(w, err);
}

/* --- What goes ---------------------------------------------------------------------------------------------- */

/* Takes the work of an agent (0: of all) away, or refuses. */
static skein_rc clear(skn_working *w, int64_t agent, bool force, const char *what,
                      skein_error *err)
{
    skn_delivery_rows rows;
    int64_t           count;
    skein_rc          rc = skn_delivery_pending(w->tx, w->chat.id, w->a, &rows, err);

    if (rc || (!force && (rc = refuse_busy(w, &rows, agent, what, err))))
        return rc;
    return skn_work_cancel(w, agent, NULL, &count, err);
}

skein_rc skn_work_leave_chat(skn_working *w, const skn_conversation_row *chat, bool force,
                             const char *what, skein_error *err)
{
    skn_delivery_rows none;
    skein_rc          rc;

    skn_working_at(w, chat);
    if ((rc = clear(w, 0, force, what, err)))
        return rc;
    return skn_tell_over(w, &none, err); /* what waits is not said */
}

skein_rc skn_work_leave_world(skn_working *w, int64_t world, bool force, skein_error *err)
{
    skn_conversation_row row;
    skn_ids              chats;
    bool                 found;
    skein_rc             rc = skn_delivery_chats_in(w->tx, world, w->a, &chats, err);

    for (size_t i = 0; rc == SKEIN_OK && i < chats.count; i++) {
        rc = skn_conversation_lock(w->tx, chats.at[i], w->a, &row, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_work_leave_chat(w, &row, force, "world", err);
    }
    return rc;
}

skein_rc skn_work_leave_agent(skn_working *w, int64_t agent, bool force, skein_error *err)
{
    skn_ids  chats;
    skein_rc rc = skn_delivery_chats_of(w->tx, agent, w->a, &chats, err);

    for (size_t i = 0; rc == SKEIN_OK && i < chats.count; i++) {
        rc = skn_working_hold(w, (skein_conversation_id){chats.at[i]}, err);
        if (skn_is_gone(rc)) { /* that went before */
            rc = SKEIN_OK;
            continue;
        }
        if (rc || (rc = clear(w, agent, force, "conversation", err)))
            return rc;
        rc = skn_settle(w, err);
    }
    return rc ? rc : skn_expect_drop(w, agent, err);
}
