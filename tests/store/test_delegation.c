/* test_delegation.c: work handed to an agent on a lane of its own: how it is made, how it runs beside the main lane,
 * and every way its end is told, once. */
#include "store/act_kit.h"

#include <pthread.h>

static void settings(kit *k, const char *json)
{
    skein_world_change what = {.id = k->world.id, .settings = skein_text(json)};
    skein_world        out;

    KIT_OK(k, skein_world_patch(k->e, &what, k->mem, &out, &k->err));
}

/* How many messages anywhere begin like this. */
static int64_t said(kit *k, const char *start)
{
    char sql[300];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM messages WHERE content LIKE '%s%%'", start);
    return skn_fixture_number(k->fx, sql);
}

static skein_turn asked(kit *k)
{
    post(k, "@ada hello");
    return begin(k, "ada");
}

/* --- Making -------------------------------------------------------------------------------------------------------- */

static void a_delegation_is_made_with_its_call_and_its_first_message(void **state)
{
    kit              k;
    skein_turn       t, child;
    skein_delegation d;
    skein_message    caller, first;
    skein_acted      out;
    int64_t          before;
    skein_act        a = {.kind = SKEIN_ACT_DELEGATE,
                          .call_id = skein_text("c1"),
                          .agent = skein_text("@Bo"),
                          .text = skein_text("please look"),
                          .title = skein_text("look it up"),
                          .wait = true};

    kit_open(&k, state);
    t = asked(&k);
    caller = call_one(&k, &t, "c1", "delegate");
    before = newest(&k);
    KIT_OK(&k, act(&k, &t, &a, &out));
    assert_true(out.waiting);
    assert_int_equal(out.result.id.v, 0);
    assert_string_equal(out.lane.p, "main.1");
    assert_string_equal(told(&k, before), "delegation.started message.created");
    assert_string_equal(event_of(&k, before, "delegation.started").cause.p, t.cause.p);
    says(&k, before, "delegation.started", "\"delegationId\":\"main.1\"");
    says(&k, before, "delegation.started", "\"parent\":\"main\"");
    says(&k, before, "delegation.started", "\"agent\":\"bo\"");
    says(&k, before, "delegation.started", "\"toolCallId\":\"c1\"");
    says(&k, before, "delegation.started", "\"title\":\"look it up\"");
    says(&k, before, "message.created", "\"threadPath\":\"main.1\"");
    says(&k, before, "message.created", "{\"type\":\"Source.Agent\",\"target\":\"ada\"}");
    says(&k, before, "message.created", "{\"type\":\"ResponseExpected\",\"target\":\"ada\"}");

    d = delegation(&k, "main.1");
    assert_string_equal(d.parent_key.p, "main");
    assert_string_equal(d.agent.p, "bo");
    assert_string_equal(d.asked_by.p, "ada");
    assert_string_equal(d.title.p, "look it up");
    assert_string_equal(d.spawn_call_id.p, "c1");
    assert_string_equal(d.spawn_message_uid.p, caller.uid.p);
    assert_int_equal(d.state, SKEIN_LANE_RUNNING);
    assert_true(d.waited);
    assert_int_equal(d.messages, 1);

    assert_string_equal(kit_texts(&k, "main.1", 0), "please look");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada hello ");
    assert_string_equal(kit_texts(&k, "@bo", 0), "@ada hello");
    assert_int_equal(waits(&k, &t), 1);
    child = begin_on(&k, "main.1");
    first = last_of(&k, "main.1");
    assert_string_equal(child.trigger_uid.p, first.uid.p);
    assert_string_equal(child.cause.p, t.cause.p);
    assert_string_equal(child.agent_name.p, "bo");
    assert_int_equal(child.mode, SKEIN_CHAT);
    assert_int_equal(child.task, 0);
    kit_close(&k);
}

static void an_agent_may_hand_work_to_itself(void **state)
{
    kit           k;
    skein_turn    t, child;
    skein_slice   what;
    skein_context c;

    kit_open(&k, state);
    t = asked(&k);
    assert_string_equal(delegate(&k, &t, "c1", NULL, true), "main.1");
    child = begin_on(&k, "main.1"); /* though it has a turn in the main lane */
    assert_string_equal(child.agent_name.p, "ada");
    what = (skein_slice){.conversation = k.chat.id, .lane = skein_text("main.1")};
    KIT_OK(&k, skein_context_read(k.e, &what, k.mem, &c, &k.err));
    assert_int_equal(c.count, 1);
    assert_int_equal(c.at[0].role, SKEIN_USER);
    assert_non_null(strstr(c.at[0].text.p, "ada: please look"));
    KIT_OK(&k, finish(&k, &child, "found it"));
    resulted(&k, "main", "c1", "found it", false);
    kit_close(&k);
}

static void an_act_is_done_once_for_each_call(void **state)
{
    kit         k;
    skein_turn  t;
    skein_acted out;
    skein_act   a = {.kind = SKEIN_ACT_DELEGATE,
                     .call_id = skein_text("c1"),
                     .agent = skein_text("bo"),
                     .text = skein_text("please look"),
                     .wait = true};
    const char *before;

    kit_open(&k, state);
    t = asked(&k);
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_CONFLICT); /* nothing was called */
    delegate(&k, &t, "c1", "bo", true);
    before = kit_state(&k);
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_CONFLICT);
    a.wait = false;
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_CONFLICT);
    a.call_id = skein_text("c2");
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_CONFLICT);
    assert_string_equal(kit_state(&k), before);
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, NULL, &k.err));
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_TURN_OVER);
    kit_close(&k);
}

static void who_is_not_there_is_named_with_those_who_are(void **state)
{
    kit         k;
    skein_turn  t;
    skein_acted out;
    skein_act   a = {.kind = SKEIN_ACT_DELEGATE,
                     .call_id = skein_text("c1"),
                     .agent = skein_text("bob"),
                     .text = skein_text("please look")};
    const char *before;

    kit_open(&k, state);
    t = asked(&k);
    call_one(&k, &t, "c1", "delegate");
    before = kit_state(&k);
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_NOT_FOUND);
    assert_string_equal(k.err.hint, "Agents here are ada, bo, cy.");
    a.agent = skein_text("bo");
    a.text = skein_text(" ");
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_INVALID);
    assert_string_equal(kit_state(&k), before);
    assert_int_equal(waits(&k, &t), 1); /* the caller stores what went wrong as the result */
    kit_close(&k);
}

/* --- Ends that are waited for ------------------------------------------------------------------------------------------ */

static void an_end_that_is_waited_for_is_the_result_of_the_call(void **state)
{
    kit        k;
    skein_turn t, child;
    int64_t    before;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    before = newest(&k);
    KIT_OK(&k, finish(&k, &child, "@cy it is blue"));
    resulted(&k, "main", "c1", "@cy it is blue", false);
    assert_string_equal(last_of(&k, "main").turn_uid.p, t.uid.p);
    assert_int_equal(waits(&k, &t), 0);
    assert_string_equal(due(&k), ""); /* nobody whom a lane names has to answer */
    assert_string_equal(kit_texts(&k, "main.1", 0), "please look @cy it is blue");
    assert_string_equal(kit_texts(&k, "@bo", 0), "@ada hello");
    assert_string_equal(told(&k, before),
                        "message.completed message.delivered delegation.completed "
                        "tool.completed agent.state message.started agent.state "
                        "reply.changed");
    assert_string_equal(event_of(&k, before, "delegation.completed").cause.p, t.cause.p);
    says(&k, before, "message.completed", "\"threadPath\":\"main.1\"");
    says(&k, before, "agent.state", "\"threadPath\":\"main.1\"");
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_DONE);
    before = newest(&k);
    KIT_OK(&k, finish(&k, &t, "it is blue"));
    says(&k, before, "world.idle", "\"pending\":0");
    assert_idle(&k);
    kit_valid(&k);
    kit_close(&k);
}

static void an_end_without_success_is_a_result_that_failed(void **state)
{
    kit               k;
    skein_turn        t, child;
    const skein_error why = {.rc = SKEIN_FAILED, .message = "no model"};
    const char *const ids[] = {"c1", "c2", "c3"};
    skein_act   a = {.kind = SKEIN_ACT_DELEGATE, .text = skein_text("look"), .wait = true};
    skein_acted out;

    kit_open(&k, state);
    t = asked(&k);
    calls(&k, &t, ids, 3, "delegate");
    a.agent = skein_text("bo");
    for (int i = 0; i < 3; i++) {
        a.call_id = skein_text(ids[i]);
        KIT_OK(&k, act(&k, &t, &a, &out));
    }
    child = begin_on(&k, "main.1");
    KIT_OK(&k, skein_turn_end(k.e, &child, SKEIN_TURN_FAILED, &why, &k.err));
    resulted(&k, "main", "c1", "failed: no model", true);
    assert_int_equal(waits(&k, &t), 2);
    child = begin_on(&k, "main.2");
    KIT_OK(&k, skein_turn_end(k.e, &child, SKEIN_TURN_INTERRUPTED, NULL, &k.err));
    resulted(&k, "main", "c2", "interrupted: interrupted", true);
    KIT_OK(&k, skein_delegation_cancel(k.e, k.chat.id, skein_text("main.3"), NULL, &k.err));
    resulted(&k, "main", "c3", "cancelled", true);
    assert_int_equal(waits(&k, &t), 0);
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_FAILED);
    assert_int_equal(delegation(&k, "main.2").state, SKEIN_LANE_INTERRUPTED);
    assert_int_equal(delegation(&k, "main.3").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(
        skein_delegation_cancel(k.e, k.chat.id, skein_text("main.3"), NULL, &k.err),
        SKEIN_CONFLICT);
    assert_int_equal(said(&k, "Delegation"), 0);
    KIT_OK(&k, finish(&k, &t, "well"));
    assert_idle(&k);
    kit_close(&k);
}

static void an_agent_that_is_removed_does_not_leave_others_waiting(void **state)
{
    kit        k;
    skein_turn t, child;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    assert_int_equal(skein_agent_remove(k.e, k.agent[1].id, false, &k.err), SKEIN_AT_WORK);
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[1].id, true, &k.err));
    resulted(&k, "main", "c1", "cancelled", true);
    assert_int_equal(finish(&k, &child, "late"), SKEIN_TURN_OVER);
    kit_close(&k);
}

/* --- Ends that are told as messages ---------------------------------------------------------------------------------------- */

static void an_end_that_nobody_waits_for_is_a_message_that_wakes(void **state)
{
    kit           k;
    skein_turn    t, child;
    skein_message m;
    int64_t       hops;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", false);
    resulted(&k, "main", "c1", "started main.1", false);
    assert_int_equal(waits(&k, &t), 0);
    hops = t.hops_left;
    KIT_OK(&k, finish(&k, &t, "bo is at it"));
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "it is blue"));
    m = last_of(&k, "main");
    assert_string_equal(m.content.p, "Delegation main.1 (bo) is done: it is blue");
    assert_string_equal(m.sender.p, "bo");
    assert_int_equal(m.author_agent.v, k.agent[1].id.v);
    assert_string_equal(last_of(&k, "@ada").uid.p, m.uid.p);
    assert_string_not_equal(last_of(&k, "@cy").uid.p, m.uid.p);
    assert_string_equal(due(&k), "ada");
    t = begin(&k, "ada");
    assert_string_equal(t.trigger_uid.p, m.uid.p);
    assert_int_equal(t.hops_left, hops - 1);
    assert_int_equal(t.lane.v, 0);
    KIT_OK(&k, finish(&k, &t, "so it is blue"));
    assert_idle(&k);
    assert_int_equal(said(&k, "Delegation"), 1);
    kit_valid(&k);
    kit_close(&k);
}

static void ends_that_come_together_wake_once(void **state)
{
    kit        k;
    skein_turn t, child;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", false);
    delegate(&k, &t, "c2", "cy", false);
    KIT_OK(&k, finish(&k, &t, "they are at it"));
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "blue"));
    child = begin_on(&k, "main.2");
    KIT_OK(&k, finish(&k, &child, "green"));
    assert_int_equal(said(&k, "Delegation"), 2);
    t = begin(&k, "ada");
    KIT_OK(&k, finish(&k, &t, "blue and green"));
    assert_idle(&k);
    kit_close(&k);
}

static void the_end_of_ones_own_work_comes_from_outside(void **state)
{
    kit        k;
    skein_turn t, child;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", NULL, false);
    KIT_OK(&k, finish(&k, &t, "later"));
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "blue"));
    assert_non_null(
        strstr(kit_context(&k, "ada"), "user:ada: Delegation main.1 (ada) is done: blue"));
    answer(&k, "ada", "it is blue");
    assert_idle(&k);
    kit_close(&k);
}

static void a_waiting_turn_that_was_killed_is_told_by_a_message_once(void **state)
{
    kit        k;
    skein_turn t, child;
    int64_t    closed;
    char       sql[100];

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    snprintf(sql, sizeof sql, "UPDATE turns SET lease_until = 1 WHERE id = %lld",
             (long long)t.id);
    skn_fixture_sql(k.fx, sql);
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 1);
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_RUNNING);
    assert_int_equal(said(&k, "interrupted: the outcome of this call is unknown"), 1);
    KIT_OK(&k, finish(&k, &child, "it is blue"));
    assert_int_equal(said(&k, "Delegation main.1 (bo) is done: it is blue"), 1);
    assert_int_equal(finish(&k, &child, "again"), SKEIN_TURN_OVER);
    assert_int_equal(said(&k, "Delegation"), 1);
    /* Its call has the result that it got with the end of the turn, and no other. */
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM messages WHERE role = "
                                              "'tool'"),
                     1);
    answer(&k, "ada", "so it is blue");
    assert_idle(&k);
    kit_valid(&k);
    kit_close(&k);
}

static void all_that_was_killed_at_once_is_closed_and_told_once(void **state)
{
    kit        k;
    skein_turn t, child;
    int64_t    closed;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    delegate(&k, &child, "c1", "cy", true);
    begin_on(&k, "main.1.1");
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    assert_int_equal(closed, 3);
    assert_idle(&k);
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_INTERRUPTED);
    assert_int_equal(delegation(&k, "main.1.1").state, SKEIN_LANE_INTERRUPTED);
    assert_int_equal(said(&k, "interrupted: "), 2); /* results */
    assert_int_equal(said(&k, "Delegation"), 0);
    kit_valid(&k);
    kit_close(&k);
}

static void what_ends_below_a_lane_that_is_done_leaves_it_done(void **state)
{
    kit        k;
    skein_turn t, child, grandchild;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    assert_string_equal(delegate(&k, &child, "c1", "cy", false), "main.1.1");
    KIT_OK(&k, finish(&k, &child, "cy is at it"));
    resulted(&k, "main", "c1", "cy is at it", false);
    KIT_OK(&k, finish(&k, &t, "bo says that cy is at it"));
    grandchild = begin_on(&k, "main.1.1");
    KIT_OK(&k, finish(&k, &grandchild, "blue"));
    assert_string_equal(last_of(&k, "main.1").content.p,
                        "Delegation main.1.1 (cy) is done: blue");
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_DONE);
    assert_string_equal(due(&k), "");
    assert_int_equal(said(&k, "Delegation"), 1);
    assert_idle(&k);
    kit_valid(&k);
    kit_close(&k);
}

static void each_end_of_a_chain_is_told_once(void **state)
{
    enum { LEVELS = 8 };
    kit         k;
    skein_turn  t;
    const char *key;

    kit_open(&k, state);
    settings(&k, "{\"delegationDepth\":8}");
    t = asked(&k);
    for (int i = 0; i < LEVELS; i++) {
        key = delegate(&k, &t, "c", i % 2 ? "ada" : "bo", false);
        KIT_OK(&k, finish(&k, &t, "handed on"));
        t = begin_on(&k, key);
    }
    KIT_OK(&k, finish(&k, &t, "bottom"));
    answer(&k, "ada", "good");
    assert_idle(&k);
    assert_int_equal(said(&k, "Delegation main.1 (bo)"), 1);
    assert_int_equal(said(&k, "Delegation"), LEVELS);
    kit_close(&k);
}

static void a_lane_that_begins_again_is_told_again_once(void **state)
{
    kit         k;
    skein_turn  t, child, grandchild;
    skein_error why = {.rc = SKEIN_FAILED, .message = "no model"};

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", false);
    child = begin_on(&k, "main.1");
    delegate(&k, &child, "c1", "cy", false);
    grandchild = begin_on(&k, "main.1.1");
    KIT_OK(&k, skein_turn_end(k.e, &child, SKEIN_TURN_FAILED, &why, &k.err));
    assert_int_equal(said(&k, "Delegation main.1 (bo) has failed"), 1);
    KIT_OK(&k, skein_delegation_retry(k.e, k.chat.id, skein_text("main.1"), &k.err));
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "done now"));
    KIT_OK(&k, finish(&k, &grandchild, "blue"));
    assert_int_equal(said(&k, "Delegation main.1 (bo) is done"), 1);
    assert_int_equal(said(&k, "Delegation"), 3);
    KIT_OK(&k, finish(&k, &t, "later"));
    answer(&k, "ada", "good");
    assert_idle(&k);
    kit_close(&k);
}

static void what_is_told_on_a_lane_at_work_is_part_of_the_same_run(void **state)
{
    kit        k;
    skein_turn t, child, grandchild;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    delegate(&k, &child, "c1", "cy", false);
    grandchild = begin_on(&k, "main.1.1");
    KIT_OK(&k, finish(&k, &grandchild, "blue"));
    KIT_OK(&k, finish(&k, &child, "cy is at it"));
    assert_int_equal(waits(&k, &t), 1); /* there is more to do on the lane */
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "it is blue"));
    resulted(&k, "main", "c1", "it is blue", false);
    kit_close(&k);
}

/* --- Stopping -------------------------------------------------------------------------------------------------------------- */

static void a_turn_that_ends_takes_along_what_it_waits_for(void **state)
{
    kit         k;
    skein_turn  t, child;
    skein_error why = {.rc = SKEIN_FAILED, .message = "no model"};

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    delegate(&k, &child, "c1", "cy", true);
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, &why, &k.err));
    assert_idle(&k);
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(delegation(&k, "main.1.1").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(finish(&k, &child, "late"), SKEIN_TURN_OVER);
    resulted(&k, "main", "c1", "cancelled", true);
    resulted(&k, "main.1", "c1", "cancelled", true);
    assert_int_equal(said(&k, "Delegation"), 0);
    kit_valid(&k);
    kit_close(&k);
}

static void a_stop_stops_all_and_wakes_nobody(void **state)
{
    kit        k;
    skein_turn t;
    skein_stop stop;
    int64_t    stopped;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", false);
    begin_on(&k, "main.1");
    delegate(&k, &t, "c2", "cy", true);
    stop = (skein_stop){.chat = k.chat.id};
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_int_equal(stopped, 2); /* what ended with another is not counted */
    assert_idle(&k);
    resulted(&k, "main", "c2", "cancelled", true);
    assert_int_equal(said(&k, "Delegation"), 0);
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(delegation(&k, "main.2").state, SKEIN_LANE_CANCELLED);
    kit_close(&k);
}

static void a_cancelled_delegation_takes_along_all_below_it(void **state)
{
    kit        k;
    skein_turn t, child, grandchild;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    delegate(&k, &child, "c1", "cy", false);
    grandchild = begin_on(&k, "main.1.1");
    delegate(&k, &grandchild, "c1", "ada", true);
    KIT_OK(&k, skein_delegation_cancel(k.e, k.chat.id, skein_text("main.1"), NULL, &k.err));
    resulted(&k, "main", "c1", "cancelled", true);
    resulted(&k, "main.1.1", "c1", "cancelled", true);
    assert_int_equal(delegation(&k, "main.1.1").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(delegation(&k, "main.1.1.1").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(finish(&k, &child, "late"), SKEIN_TURN_OVER);
    assert_int_equal(finish(&k, &grandchild, "late"), SKEIN_TURN_OVER);
    assert_int_equal(said(&k, "Delegation"), 0);
    KIT_OK(&k, finish(&k, &t, "then not"));
    assert_idle(&k);
    assert_int_equal(
        skein_delegation_cancel(k.e, k.chat.id, skein_text("main.7"), NULL, &k.err),
        SKEIN_NOT_FOUND);
    kit_close(&k);
}

/* How many results of a call a lane has. */
static int results(kit *k, const char *lane, const char *call)
{
    skein_slice what = {
        .conversation = k->how.conversation, .lane = skein_text(lane), .from = 0};
    skein_messages m;
    skein_at       at;
    int            n = 0;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    for (size_t i = 0; i < m.count; i++)
        n += m.at[i].role == SKEIN_TOOL && strcmp(m.at[i].tool_call_id.p, call) == 0;
    return n;
}

/* ada waits for bo, bo for cy, cy for a copy of itself. */
static skein_turn chain(kit *k)
{
    skein_turn t = asked(k), child, grandchild;

    delegate(k, &t, "c1", "bo", true);
    child = begin_on(k, "main.1");
    delegate(k, &child, "c2", "cy", true);
    grandchild = begin_on(k, "main.1.1");
    delegate(k, &grandchild, "c3", NULL, true);
    begin_on(k, "main.1.1.1");
    return t;
}

static void each_who_waited_is_told(kit *k)
{
    const char *const lanes[] = {"main", "main.1", "main.1.1"};
    const char *const call_ids[] = {"c1", "c2", "c3"};

    for (int i = 0; i < 3; i++) {
        resulted(k, lanes[i], call_ids[i], "cancelled", true);
        assert_int_equal(results(k, lanes[i], call_ids[i]), 1);
    }
    assert_int_equal(said(k, "Delegation"), 0);
}

static void the_end_of_a_chain_that_is_cancelled_is_told_at_every_level_once(void **state)
{
    kit        k;
    skein_turn t;

    kit_open(&k, state);
    t = chain(&k);
    KIT_OK(&k, skein_delegation_cancel(k.e, k.chat.id, skein_text("main.1"), NULL, &k.err));
    each_who_waited_is_told(&k);
    assert_int_equal(waits(&k, &t), 0);
    KIT_OK(&k, finish(&k, &t, "then not"));
    assert_idle(&k);
    kit_valid(&k);
    kit_close(&k);
}

static void a_forced_edit_tells_the_end_at_every_level_once(void **state)
{
    kit           k;
    skein_posted  p;
    skein_version v;

    kit_open(&k, state);
    p = post(&k, "something before");
    answer(&k, "ada", "yes");
    answer(&k, "bo", "yes");
    answer(&k, "cy", "yes");
    chain(&k);
    k.how.force = true;
    KIT_OK(&k, skein_amend(k.e, &k.how, p.message.id, skein_text("something else before"),
                           k.mem, &v, NULL, &k.err));
    assert_idle(&k);
    each_who_waited_is_told(&k);
    kit_valid(&k);
    kit_close(&k);
}

static void a_delegation_that_did_not_succeed_can_begin_again(void **state)
{
    kit         k;
    skein_turn  t, child;
    skein_error why = {.rc = SKEIN_FAILED, .message = "no model"};

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    assert_int_equal(skein_delegation_retry(k.e, k.chat.id, skein_text("main.1"), &k.err),
                     SKEIN_CONFLICT);
    child = begin_on(&k, "main.1");
    KIT_OK(&k, skein_turn_end(k.e, &child, SKEIN_TURN_FAILED, &why, &k.err));
    resulted(&k, "main", "c1", "failed: no model", true);
    KIT_OK(&k, skein_delegation_retry(k.e, k.chat.id, skein_text("main.1"), &k.err));
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_RUNNING);
    child = begin_on(&k, "main.1");
    assert_string_equal(child.cause.p, t.cause.p);
    KIT_OK(&k, finish(&k, &child, "it is blue"));
    assert_int_equal(said(&k, "failed: no model"), 1);
    assert_int_equal(said(&k, "Delegation main.1 (bo) is done: it is blue"), 1);
    KIT_OK(&k, finish(&k, &t, "it did not go"));
    answer(&k, "ada", "now it is blue");
    assert_idle(&k);
    assert_int_equal(skein_delegation_retry(k.e, k.chat.id, skein_text("main.1"), &k.err),
                     SKEIN_CONFLICT);
    kit_close(&k);
}

static void what_was_for_a_lane_that_has_ended_does_not_begin_again(void **state)
{
    kit         k;
    skein_turn  t, child, grandchild;
    skein_error why = {.rc = SKEIN_FAILED, .message = "no model"};

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    delegate(&k, &child, "c1", "cy", true);
    grandchild = begin_on(&k, "main.1.1");
    KIT_OK(&k, skein_turn_end(k.e, &grandchild, SKEIN_TURN_FAILED, &why, &k.err));
    KIT_OK(&k, skein_turn_end(k.e, &child, SKEIN_TURN_FAILED, &why, &k.err));
    assert_int_equal(skein_delegation_retry(k.e, k.chat.id, skein_text("main.1.1"), &k.err),
                     SKEIN_CONFLICT);
    assert_non_null(strstr(k.err.message, "\"main.1\", which has ended"));
    assert_non_null(strstr(k.err.hint, "Begin \"main.1\" again"));
    assert_int_equal(delegation(&k, "main.1.1").state, SKEIN_LANE_FAILED);
    KIT_OK(&k, skein_delegation_retry(k.e, k.chat.id, skein_text("main.1"), &k.err));
    KIT_OK(&k, skein_delegation_retry(k.e, k.chat.id, skein_text("main.1.1"), &k.err));
    grandchild = begin_on(&k, "main.1.1");
    KIT_OK(&k, finish(&k, &grandchild, "blue"));
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "it is blue"));
    KIT_OK(&k, finish(&k, &t, "it did not go"));
    answer(&k, "ada", "now it is blue");
    assert_idle(&k);
    kit_close(&k);
}

/* --- Beside the main lane --------------------------------------------------------------------------------------------------------- */

static void a_delegation_that_nobody_waits_for_holds_up_no_person(void **state)
{
    kit          k;
    skein_turn   t, child;
    skein_posted p;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", false);
    child = begin_on(&k, "main.1");
    p = post(&k, "@ada more");
    assert_true(p.queued); /* she is at work in the main lane herself */
    KIT_OK(&k, finish(&k, &t, "bo is at it"));
    answer(&k, "ada", "more then"); /* what waited was said */
    p = post(&k, "@cy hello");
    assert_false(p.queued);
    answer(&k, "cy", "hi");
    assert_int_equal(
        skein_amend(k.e, &k.how, p.message.id, skein_text("x"), k.mem, NULL, NULL, &k.err),
        SKEIN_AT_WORK);
    KIT_OK(&k, finish(&k, &child, "blue"));
    answer(&k, "ada", "it is blue");
    assert_idle(&k);
    kit_close(&k);
}

static void a_branch_does_not_run_what_runs_where_it_came_from(void **state)
{
    kit                k;
    skein_turn         t, child;
    skein_conversation branch;

    kit_open(&k, state);
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("side"), k.mem, &branch, &k.err));
    k.how.conversation = branch.id;
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_INTERRUPTED);
    k.how.conversation = k.chat.id;
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_RUNNING);
    KIT_OK(&k, finish(&k, &child, "blue"));
    resulted(&k, "main", "c1", "blue", false);
    kit_valid(&k);
    kit_close(&k);
}

static void a_forced_edit_takes_delegations_away(void **state)
{
    kit           k;
    skein_turn    t, child;
    skein_posted  p;
    skein_removal r;

    kit_open(&k, state);
    p = post(&k, "@ada hello");
    t = begin(&k, "ada");
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    k.how.force = true;
    KIT_OK(&k, skein_edit(k.e, &k.how, p.message.id, skein_text("new"), k.mem, &r, &k.err));
    assert_idle(&k);
    assert_int_equal(finish(&k, &child, "late"), SKEIN_TURN_OVER);
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_string_equal(kit_texts(&k, "main", 0), "new");
    /* Its call is not in this version: it is kept, and cannot begin again here. */
    assert_int_equal(delegation(&k, "main.1").state, SKEIN_LANE_CANCELLED);
    assert_int_equal(delegation(&k, "main.1").messages, 0);
    assert_int_equal(skein_delegation_retry(k.e, k.chat.id, skein_text("main.1"), &k.err),
                     SKEIN_CONFLICT);
    kit_close(&k);
}

static void an_agent_that_is_paused_begins_nothing(void **state)
{
    kit         k;
    skein_turn  t;
    skein_dues  d;
    const char *lane;

    kit_open(&k, state);
    t = asked(&k);
    lane = delegate(&k, &t, "c1", "bo", true);
    KIT_OK(&k, skein_work_due(k.e, 10, k.mem, &d, &k.err));
    assert_int_equal(d.count, 1);
    KIT_OK(&k, skein_agent_pause(k.e, k.agent[1].id, true, &k.err));
    assert_string_equal(due(&k), "");
    assert_int_equal(skein_turn_begin(k.e, d.at[0].delivery, skein_text("x"), skein_text(NULL),
                                      LEASE, k.mem, &t, &k.err),
                     SKEIN_NOTHING);
    KIT_OK(&k, skein_agent_pause(k.e, k.agent[1].id, false, &k.err));
    begin_on(&k, lane);
    kit_close(&k);
}

/* --- Limits, depth, many at once ---------------------------------------------------------------------------------------------- */

static void a_world_says_how_deep_and_how_many(void **state)
{
    kit         k;
    skein_turn  t, child;
    skein_acted out;
    skein_act   a = {
          .kind = SKEIN_ACT_DELEGATE, .agent = skein_text("cy"), .text = skein_text("look")};
    const char *before;

    kit_open(&k, state);
    settings(&k, "{\"delegationDepth\":1,\"delegationsMost\":2}");
    t = asked(&k);
    delegate(&k, &t, "c1", "bo", false);
    child = begin_on(&k, "main.1");
    a.call_id = skein_text("deep");
    call_one(&k, &child, "deep", "delegate");
    before = kit_state(&k);
    assert_int_equal(act(&k, &child, &a, &out), SKEIN_LIMIT);
    assert_string_equal(kit_state(&k), before);
    delegate(&k, &t, "c2", "cy", false);
    a.call_id = skein_text("c3");
    call_one(&k, &t, "c3", "delegate");
    before = kit_state(&k);
    assert_int_equal(act(&k, &t, &a, &out), SKEIN_LIMIT);
    assert_string_equal(kit_state(&k), before);
    settings(&k, "{\"delegationDepth\":1,\"delegationsMost\":3}");
    KIT_OK(&k, act(&k, &t, &a, &out));
    assert_string_equal(out.lane.p, "main.3");
    kit_close(&k);
}

enum { DEEP = 200 };

static void delegations_go_deep_and_come_back(void **state)
{
    static skein_turn turns[DEEP + 1];
    kit               k;
    skein_delegations list;
    const char       *key = "main";

    kit_open(&k, state);
    settings(&k, "{\"delegationDepth\":1000,\"delegationsMost\":1000}");
    turns[0] = asked(&k);
    for (int i = 0; i < DEEP; i++) {
        key = delegate(&k, &turns[i], "c", i % 2 ? "ada" : "bo", true);
        turns[i + 1] = begin_on(&k, key);
    }
    assert_int_equal(strlen(key), 4 + 2 * DEEP);
    KIT_OK(&k, skein_delegation_list(k.e, k.chat.id, k.mem, &list, &k.err));
    assert_int_equal(list.count, DEEP);
    for (int i = DEEP; i > 0; i--) {
        KIT_OK(&k, finish(&k, &turns[i], i == DEEP ? "bottom" : "passed on"));
        assert_int_equal(waits(&k, &turns[i - 1]), 0);
    }
    resulted(&k, "main", "c", "passed on", false);
    KIT_OK(&k, finish(&k, &turns[0], "done"));
    assert_idle(&k);
    assert_int_equal(said(&k, "Delegation"), 0);
    kit_close(&k);
}

static void a_stop_goes_down_as_deep(void **state)
{
    kit         k;
    skein_turn  top, t;
    skein_error why = {.rc = SKEIN_FAILED, .message = "no model"};

    kit_open(&k, state);
    settings(&k, "{\"delegationDepth\":1000,\"delegationsMost\":1000}");
    t = top = asked(&k);
    for (int i = 0; i < DEEP; i++)
        t = begin_on(&k, delegate(&k, &t, "c", "bo", true));
    KIT_OK(&k, skein_turn_end(k.e, &top, SKEIN_TURN_FAILED, &why, &k.err));
    assert_idle(&k);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM lanes WHERE state = "
                                              "'cancelled'"),
                     DEEP);
    kit_close(&k);
}

typedef struct doer {
    kit       *k;
    skein_turn turn;
    skein_act  act;
    skein_rc   rc;
    char       lane[20];
} doer;

static void *do_it(void *arg)
{
    doer       *d = arg;
    skein_mem  *mem = skein_mem_new();
    skein_error err;
    skein_acted out;

    d->rc = skein_turn_act(d->k->e, &d->turn, &d->act, mem, &out, &err);
    if (d->rc == SKEIN_OK)
        snprintf(d->lane, sizeof d->lane, "%s", out.lane.p);
    skein_mem_free(mem);
    return NULL;
}

static void delegations_of_one_moment_have_numbers_of_their_own(void **state)
{
    enum { MANY = 8 };
    const char *const ids[MANY] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    kit               k;
    doer              doers[MANY];
    pthread_t         threads[MANY];
    skein_turn        t;
    bool              seen[MANY + 1] = {0};

    kit_open(&k, state);
    t = asked(&k);
    calls(&k, &t, ids, MANY, "delegate");
    for (int i = 0; i < MANY; i++) {
        doers[i] = (doer){.k = &k,
                          .turn = t,
                          .act = {.kind = SKEIN_ACT_DELEGATE,
                                  .call_id = skein_text(ids[i]),
                                  .agent = skein_text(i % 2 ? "bo" : "cy"),
                                  .text = skein_text("look"),
                                  .wait = true}};
        assert_int_equal(pthread_create(&threads[i], NULL, do_it, &doers[i]), 0);
    }
    for (int i = 0; i < MANY; i++) {
        int n = 0;

        pthread_join(threads[i], NULL);
        assert_int_equal(doers[i].rc, SKEIN_OK);
        assert_int_equal(sscanf(doers[i].lane, "main.%d", &n), 1);
        assert_true(n >= 1 && n <= MANY && !seen[n]);
        seen[n] = true;
        assert_string_equal(delegation(&k, doers[i].lane).spawn_call_id.p, ids[i]);
    }
    assert_int_equal(waits(&k, &t), MANY);
    kit_close(&k);
}

/* --- In an agent's own conversation --------------------------------------------------------------------------------------------- */

static void a_delegation_of_the_background_stays_there(void **state)
{
    kit           k;
    skein_task    task;
    skein_turn    t, child;
    skein_slice   what;
    skein_context c;

    kit_open(&k, state);
    task = (skein_task){.agent = k.agent[0].id, .content = skein_text("find out")};
    KIT_OK(&k, skein_task_new(k.e, &task, k.mem, &k.err));
    KIT_OK(&k, skein_task_begin(k.e, task.id, skein_text("test"), skein_text(NULL), LEASE,
                                k.mem, &t, &k.err));
    assert_int_equal(t.task, task.id);
    assert_int_equal(t.mode, SKEIN_BACKGROUND);
    k.how.conversation = t.chat;
    delegate(&k, &t, "c1", "bo", true);
    child = begin_on(&k, "main.1");
    assert_int_equal(child.chat.v, t.chat.v);
    call_one(&k, &child, "x", "look"); /* not heard by an agent that has no part in this */
    KIT_OK(&k, skein_turn_end(k.e, &child, SKEIN_TURN_FAILED, NULL, &k.err));
    resulted(&k, "main", "c1", "failed: error", true);
    KIT_OK(&k, skein_delegation_retry(k.e, t.chat, skein_text("main.1"), &k.err));
    child = begin_on(&k, "main.1");
    KIT_OK(&k, finish(&k, &child, "blue"));
    what = (skein_slice){.conversation = t.chat, .lane = skein_text("main.1")};
    KIT_OK(&k, skein_context_read(k.e, &what, k.mem, &c, &k.err));
    assert_int_equal(c.at[c.count - 2].role, SKEIN_ASSISTANT); /* seen by who works on it */
    assert_string_equal(c.at[c.count - 2].text.p, "blue");
    assert_string_equal(last_of(&k, "main").content.p, "Delegation main.1 (bo) is done: blue");
    KIT_OK(&k, finish(&k, &t, "it did not go"));
    KIT_OK(&k, skein_task_get(k.e, k.world.id, task.uid, k.mem, &task, &k.err));
    assert_string_equal(task.status.p, "completed");
    assert_string_equal(task.result.p, "it did not go");
    answer(&k, "ada", "it is blue");
    assert_idle(&k);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_delegation_is_made_with_its_call_and_its_first_message),
        SKN_BOTH(an_agent_may_hand_work_to_itself),
        SKN_BOTH(an_act_is_done_once_for_each_call),
        SKN_BOTH(who_is_not_there_is_named_with_those_who_are),
        SKN_BOTH(an_end_that_is_waited_for_is_the_result_of_the_call),
        SKN_BOTH(an_end_without_success_is_a_result_that_failed),
        SKN_BOTH(an_agent_that_is_removed_does_not_leave_others_waiting),
        SKN_BOTH(an_end_that_nobody_waits_for_is_a_message_that_wakes),
        SKN_BOTH(ends_that_come_together_wake_once),
        SKN_BOTH(the_end_of_ones_own_work_comes_from_outside),
        SKN_BOTH(a_waiting_turn_that_was_killed_is_told_by_a_message_once),
        SKN_BOTH(all_that_was_killed_at_once_is_closed_and_told_once),
        SKN_BOTH(what_ends_below_a_lane_that_is_done_leaves_it_done),
        SKN_BOTH(each_end_of_a_chain_is_told_once),
        SKN_BOTH(a_lane_that_begins_again_is_told_again_once),
        SKN_BOTH(what_is_told_on_a_lane_at_work_is_part_of_the_same_run),
        SKN_BOTH(a_turn_that_ends_takes_along_what_it_waits_for),
        SKN_BOTH(a_stop_stops_all_and_wakes_nobody),
        SKN_BOTH(a_cancelled_delegation_takes_along_all_below_it),
        SKN_BOTH(a_delegation_that_did_not_succeed_can_begin_again),
        SKN_BOTH(what_was_for_a_lane_that_has_ended_does_not_begin_again),
        SKN_BOTH(a_delegation_that_nobody_waits_for_holds_up_no_person),
        SKN_BOTH(a_branch_does_not_run_what_runs_where_it_came_from),
        SKN_BOTH(a_forced_edit_takes_delegations_away),
        SKN_BOTH(the_end_of_a_chain_that_is_cancelled_is_told_at_every_level_once),
        SKN_BOTH(a_forced_edit_tells_the_end_at_every_level_once),
        SKN_BOTH(an_agent_that_is_paused_begins_nothing),
        SKN_BOTH(a_world_says_how_deep_and_how_many),
        SKN_BOTH(delegations_go_deep_and_come_back),
        SKN_BOTH(a_stop_goes_down_as_deep),
        SKN_BOTH(delegations_of_one_moment_have_numbers_of_their_own),
        SKN_BOTH(a_delegation_of_the_background_stays_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
