/* limit.c: a reached limit of spending that a person may lift: the question is asked once for each limit and month.
 * The answer stays in the inbox's row, so it outlives every program. */
#include "engine/work/act.h"

typedef struct limit_call {
    const skein_limit *what;
    const skein_turn  *turn; /* that waits for the answer; NULL: nobody does */
    skein_approval     state;
} limit_call;

static skein_approval state_of(const skein_inbox_item *item)
{
    return !item->answer.p                       ? SKEIN_APPROVAL_OPEN
           : skn_str_is(item->answer, "allowed") ? SKEIN_APPROVED
           : skn_str_is(item->answer, "expired") ? SKEIN_OUTDATED
                                                 : SKEIN_DENIED;
}

/* --- Asking ---------------------------------------------------------------------------------------------------- */

static skein_rc add_question(skn_working *w, const limit_call *c, skn_inbox_row *row,
                             skein_error *err)
{
    skein_world world;
    skein_rc    rc = skn_world_need(w->tx, c->what->world.v, w->a, &world, err);

    if (rc)
        return rc;
    *row = (skn_inbox_row){.item = {.kind = SKN_STR("approval"),
                                    .world = world.id,
                                    .title = c->what->title,
                                    .content = c->what->content,
                                    .created_at = SKN_NOW()},
                           .call_id = c->what->key};
    return skn_inbox_new(w, row, err);
}

/* Who looks at the agent sees that it waits for a person, and when it goes on. */
static skein_rc show_waiting(skn_working *w, const limit_call *c, const skein_inbox_item *item,
                             skein_error *err)
{
    bool         waits = c->state == SKEIN_APPROVAL_OPEN;
    skn_str      shown = waits ? SKN_STR("a limit is reached, waits for you") : SKN_NONE;
    skn_turn_row row;
    skein_rc     rc = skn_turn_take(w, c->turn, &row, err);

    if (rc || (row.turn.waits == SKEIN_WAITS_FOR_PERSON) == waits)
        return rc;
    row.turn.tool = shown;
    row.turn.waits = waits ? SKEIN_WAITS_FOR_PERSON : SKEIN_WAITS_NOT;
    row.turn.waits_until = 0;
    skn_tell_doing(w, &row.turn, waits ? item->uid : SKN_NONE);
    return skn_turn_move(w->tx, &row, err);
}

/* Asked by two at once it is still one question. One that a raised limit has ended is asked again, if need be. */
static skein_rc ask_limit(skn_working *w, void *arg, skein_error *err)
{
    limit_call   *c = arg;
    skn_inbox_row row;
    bool          found;
    skein_rc      rc;

    if ((rc = skn_limits_hold(w->tx, err)) ||
        (rc = skn_inbox_limit(w->tx, c->what->key, w->a, &row, &found, err)))
        return rc;
    found = found && (c->what->waits || state_of(&row.item) != SKEIN_OUTDATED);
    if (!found && (rc = add_question(w, c, &row, err)))
        return rc;
    c->state = state_of(&row.item);
    return c->turn ? show_waiting(w, c, &row.item, err) : SKEIN_OK;
}

skein_rc skein_limit_ask(skein_engine *e, const skein_limit *what, const skein_turn *turn,
                         skein_mem *mem, skein_approval *out, skein_error *err)
{
    limit_call c = {.what = what, .turn = turn};
    skein_rc   rc;

    if ((rc = skn_check_word(what->key, "the limit's name", SKN_WORD_MAX, err)) ||
        (rc = skn_check_word(what->title, "the title", SKN_TITLE_MAX, err)) ||
        (rc = skn_check_text(e, what->content, "the text", err)))
        return rc;
    rc = skn_write(e, mem, ask_limit, &c, err);
    *out = rc ? SKEIN_APPROVAL_OPEN : c.state;
    return rc;
}

/* --- Lifting ---------------------------------------------------------------------------------------------------- */

typedef struct lift_call {
    skn_str begin, reason, still[2];
} lift_call;

static skein_rc lift_one(skn_working *w, skn_inbox_row *row, skn_str reason, skein_error *err)
{
    bool     changed, found;
    skn_str  answer = skn_str_is(row->item.kind, "approval") ? SKN_STR("expired") : SKN_NONE;
    skein_rc rc = skn_inbox_answered(w->tx, row->item.id, answer, reason, w->now, &changed,
                                     err);

    if (rc || !changed || (rc = skn_inbox_by_id(w->tx, row->item.id, w->a, row, &found, err)))
        return rc;
    return skn_inbox_tell(w, row->item.world.v, row, "inbox.updated", err);
}

static skein_rc lift(skn_working *w, void *arg, skein_error *err)
{
    const lift_call *c = arg;
    skn_inbox_rows   told;
    skein_rc rc = skn_inbox_limits_told(w->tx, c->begin, c->still[0], c->still[1], w->a, &told,
                                        err);

    for (size_t i = 0; !rc && i < told.count; i++)
        rc = lift_one(w, &told.at[i], c->reason, err);
    return rc;
}

skein_rc skein_limits_lift(skein_engine *e, skein_str begin, const skein_str still[2],
                           skein_str reason, skein_mem *mem, skein_error *err)
{
    lift_call c = {begin, reason, {still[0], still[1]}};

    return skn_write(e, mem, lift, &c, err);
}

/* --- Looking --------------------------------------------------------------------------------------------------- */

skein_rc skein_limit_state(skein_engine *e, skein_str key, skein_approval *out,
                           skein_error *err)
{
    skn_arena    *a = skn_arena_new();
    skn_inbox_row row;
    bool          found;
    skn_snapshot  s = {.store = e->store};

    while (skn_snapshot_next(&s, err))
        s.rc = skn_inbox_limit(s.tx, key, a, &row, &found, err);
    *out = s.rc || !found ? SKEIN_APPROVAL_OPEN : state_of(&row.item);
    skn_arena_free(a);
    return s.rc;
}

/* How much a person's message may cause, so that agents who answer each other come to an end. */

skein_rc skn_budget_read(skn_working *w, skn_str cause, size_t agents, skn_budget *out,
                         skein_error *err)
{
    skein_world world = {0};
    bool        found;
    skein_rc    rc = skn_world_get(w->tx, w->chat.world_id, w->a, &world, &found, err);

    out->in_a_row = skn_turn_limit(&world);
    out->in_all = out->in_a_row * (int64_t)agents;
    return rc ? rc
              : skn_delivery_spent(w->tx, cause, w->chat.id, &out->spent, &out->paused, err);
}
