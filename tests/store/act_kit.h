/* act_kit.h: short words for tests of agents that act: calling a tool, doing what it does, and turns on
 * lanes. */
#ifndef SKN_TESTS_ACT_KIT_H
#define SKN_TESTS_ACT_KIT_H

#include "store/work_kit.h"

/* Calls a tool as a step of the turn. */
static inline skein_message calls(kit *k, skein_turn *t, const char *const *ids, size_t count,
                                  const char *tool)
{
    skein_tool_call   call[8];
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = call, .call_count = count};
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_message     out;

    for (size_t i = 0; i < count; i++)
        call[i] = (skein_tool_call){skein_text(ids[i]), skein_text(tool),
                                    skein_text("{\"title\":\"look it up\"}")};
    KIT_OK(k, skein_turn_step(k->e, t, &s, k->mem, &out, &k->err));
    return out;
}

static inline skein_message call_one(kit *k, skein_turn *t, const char *id, const char *tool)
{
    return calls(k, t, &id, 1, tool);
}

/* Does an act for a call that was made; the error is in k->err. */
static inline skein_rc act(kit *k, skein_turn *t, const skein_act *what, skein_acted *out)
{
    return skein_turn_act(k->e, t, what, k->mem, out, &k->err);
}

/* Calls and does it: hands work to an agent (NULL: to itself). Returns the lane's key. */
static inline const char *delegate(kit *k, skein_turn *t, const char *call, const char *agent,
                                   bool wait)
{
    skein_act   a = {.kind = SKEIN_ACT_DELEGATE,
                     .call_id = skein_text(call),
                     .agent = skein_text(agent),
                     .text = skein_text("please look"),
                     .wait = wait};
    skein_acted out;

    call_one(k, t, call, "delegate");
    KIT_OK(k, act(k, t, &a, &out));
    assert_int_equal(out.waiting, wait);
    return out.lane.p;
}

/* Opens the turn on a lane. */
static inline skein_turn begin_on(kit *k, const char *key)
{
    skein_dues  d;
    skein_lanes lanes;
    skein_turn  t;

    KIT_OK(k, skein_lane_list(k->e, k->how.conversation, k->mem, &lanes, &k->err));
    KIT_OK(k, skein_work_due(k->e, 10000, k->mem, &d, &k->err));
    for (size_t i = 0; i < d.count; i++)
        for (size_t n = 0; n < lanes.count; n++)
            if (lanes.at[n].id.v == d.at[i].lane.v && strcmp(lanes.at[n].key.p, key) == 0) {
                KIT_OK(k, skein_turn_begin(k->e, d.at[i].delivery, skein_text("test"),
                                           skein_text("demo/scripted"), LEASE, k->mem, &t,
                                           &k->err));
                assert_string_equal(t.lane_key.p, key);
                return t;
            }
    fail_msg("nothing is to do on %s", key);
    return (skein_turn){0};
}

static inline int64_t waits(kit *k, const skein_turn *t)
{
    int64_t open;

    KIT_OK(k, skein_turn_waits(k->e, t, &open, &k->err));
    return open;
}

static inline skein_delegation delegation(kit *k, const char *key)
{
    skein_delegation d;

    KIT_OK(k, skein_delegation_get(k->e, k->how.conversation, skein_text(key), k->mem, &d,
                                   &k->err));
    return d;
}

/* The last message of a lane. */
static inline skein_message last_of(kit *k, const char *lane)
{
    skein_slice what = {
        .conversation = k->how.conversation, .lane = skein_text(lane), .from = -1};
    skein_messages m;
    skein_at       at;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    assert_int_equal(m.count, 1);
    return m.at[0];
}

/* The result of a call on a lane: nothing else was said after it. */
static inline void resulted(kit *k, const char *lane, const char *call, const char *text,
                            bool failed)
{
    skein_message m = last_of(k, lane);

    assert_int_equal(m.role, SKEIN_TOOL);
    assert_string_equal(m.tool_call_id.p, call);
    assert_string_equal(m.content.p, text);
    assert_int_equal(m.tool_failed, failed);
}

#endif
