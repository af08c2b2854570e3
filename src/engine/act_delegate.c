/* act_delegate.c: handing work to an agent on a lane of its own, below the one that asks: the lane, its number,
 * the call that made it, its first message and who has to answer it are written together. */
#include "engine/act.h"

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
        return skn_hint(err,
                        skn_fail(err, SKEIN_LIMIT,
                                 "delegations go %lld levels deep at most in this world",
                                 (long long)limits.delegation_depth),
                        "Do it yourself.");
    if (running >= limits.delegations_most)
        return skn_hint(
            err,
            skn_fail(err, SKEIN_LIMIT, "%lld delegations run here already", (long long)running),
            "Wait until some are done, or do it yourself.");
    return SKEIN_OK;
}

static skein_rc find_parent(skn_acting *c, skn_lane_row *out, skein_error *err)
{
    skn_str key = c->row.turn.lane_key;

    return skn_lane_need(c->w.tx, &c->w.chat, key.p ? key : SKN_MAIN, c->w.a, out, err);
}

static skein_rc make(skn_acting *c, const skn_lane_row *parent, const skein_agent *who,
                     skn_delegation_row *out, skein_error *err)
{
    skein_rc rc;

    *out = (skn_delegation_row){
        .lane = {.conversation_id = c->w.chat.id,
                 .agent_id = who->id.v,
                 .spawn_message_id = c->row.step_message_id,
                 .spawn_call_id = c->act->call_id},
        .asker_id = c->me.id.v,
        .turn_id = c->row.turn.id,
        .title = c->act->title.n ? c->act->title : SKN_NONE,
        .waited = c->act->wait,
    };
    rc = skn_lane_make(c->w.tx, parent, c->w.now, c->w.a, &out->lane, err);
    return rc ? rc : skn_delegation_ask(c->w.tx, out, err);
}

/* The first message of the lane, which is what has to be answered there. */
static skein_rc ask(skn_acting *c, const skn_delegation_row *d, skein_error *err)
{
    skein_instruction    expects = {SKN_STR("ResponseExpected"), c->me.name};
    skein_new_message    n = {.role = SKEIN_USER,
                              .sender = c->me.name,
                              .content = c->act->text,
                              .instructions = &expects,
                              .instruction_count = c->act->wait};
    skein_append_request r = {
        .conversation = {c->w.chat.id}, .lane = d->lane.key, .messages = &n, .count = 1};
    skn_delivery_row to = {.conversation_id = c->w.chat.id,
                           .agent_id = d->lane.agent_id,
                           .cause = c->row.turn.cause,
                           .hops_left = c->row.turn.hops_left,
                           .lane_id = d->lane.id,
                           .created_at = c->w.now};
    skein_messages   stored;
    skein_rc         rc;

    if ((rc = skn_append_in(c->w.e, c->w.tx, &c->w.chat, &r, c->w.now, c->w.a, &stored, err)) ||
        (rc = skn_copy_add(c->w.tx, stored.at[0].id.v, c->row.step_message_id, err)))
        return rc;
    skn_feed_lane(c->w.tx, &c->w.chat, &d->lane, to.cause);
    skn_tell_said(&c->w, &stored.at[0], d->lane.key, to.cause);
    to.message_id = stored.at[0].id.v;
    c->out->uid = stored.at[0].uid;
    return skn_delivery_insert(c->w.tx, &to, err);
}

static skein_rc check_words(const skn_acting *c, skein_error *err)
{
    skein_new_message n = {.role = SKEIN_USER, .content = c->act->text};

    if (c->act->title.n) {
        skein_rc rc = skn_check_word(c->act->title, "the title", SKN_TITLE_MAX, err);

        if (rc)
            return rc;
    }
    return skn_check_new(c->w.e, &n, err);
}

skein_rc skn_act_delegate(skn_acting *c, skein_error *err)
{
    const skein_agent *who = c->other.id.v ? &c->other : &c->me;
    skn_lane_row       parent;
    skn_delegation_row d;
    skein_rc           rc;

    if ((rc = check_words(c, err)) || (rc = find_parent(c, &parent, err)) ||
        (rc = check_limits(&c->w, &parent, err)) || (rc = make(c, &parent, who, &d, err)) ||
        (rc = ask(c, &d, err)))
        return rc;
    c->out->lane = d.lane.key;
    c->no_result = c->act->wait;
    c->result = skn_arena_printf(c->w.a, "started %.*s", SKN_FMT(d.lane.key));
    return SKEIN_OK;
}
