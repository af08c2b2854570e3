/* test_timers.c: agents that are paused, woken, or work every so often. */
#include "store/task_kit.h"

static void who_is_paused_begins_nothing(void **state)
{
    kit              k;
    skein_turn       turn, none;
    skein_agents     all = {k.agent, 3};
    skein_agent_work w[3];
    skein_task       t;
    int64_t          before;

    kit_open(&k, state);
    task_of(&k, ADA, "begun");
    turn = work(&k, ADA);
    t = task_of(&k, ADA, "waits");
    before = newest(&k);
    KIT_OK(&k, skein_agent_pause(k.e, k.agent[ADA].id, true, &k.err));
    KIT_OK(&k, skein_agent_pause(k.e, k.agent[ADA].id, true, &k.err));
    assert_string_equal(told(&k, before), "agent.state");
    says(&k, before, "agent.state", "\"state\":\"paused\"");
    KIT_OK(&k, finish(&k, &turn, "goes on"));
    assert_int_equal(task_due(&k, ADA), 0);
    assert_int_equal(try_task(&k, t.id, &none), SKEIN_NOTHING);
    KIT_OK(&k, skein_agent_work_of(k.e, &all, k.mem, w, &k.err));
    assert_true(w[ADA].paused);
    assert_int_equal(w[ADA].pending, 1);
    assert_true(w[ADA].last_completed_at > 0);
    assert_false(w[BO].paused);
    assert_int_equal(w[BO].last_completed_at, 0);
    KIT_OK(&k, skein_agent_pause(k.e, k.agent[ADA].id, false, &k.err));
    assert_int_equal(task_due(&k, ADA), t.id);
    assert_int_equal(skein_agent_pause(k.e, (skein_agent_id){4711}, true, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void waking_ends_back_offs_or_gives_something_to_do(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;

    kit_open(&k, state);
    t = task_of(&k, ADA, "x");
    turn = work(&k, ADA);
    fail_turn(&k, &turn, "no");
    assert_int_equal(task_due(&k, ADA), 0);
    KIT_OK(&k, skein_agent_wake(k.e, k.agent[ADA].id, &k.err));
    assert_int_equal(task_due(&k, ADA), t.id);
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks"), 1);
    KIT_OK(&k, skein_agent_wake(k.e, k.agent[BO].id, &k.err));
    assert_int_not_equal(task_due(&k, BO), 0);
    turn = work(&k, BO);
    assert_int_equal(
        strncmp(own_texts(&k, BO, SKEIN_BACKGROUND), "bo:Look after your work", 23), 0);
    kit_close(&k);
}

static void a_timer_gives_one_task_at_a_time(void **state)
{
    kit              k;
    skein_agents     one = {k.agent, 1};
    skein_agent_work w;
    skein_turn       turn;
    int64_t          next, was;

    kit_open(&k, state);
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    assert_int_equal(next, 0);
    assert_int_equal(skein_agent_timer(k.e, k.agent[ADA].id, 10, &k.err), SKEIN_INVALID);
    KIT_OK(&k, skein_agent_timer(k.e, k.agent[ADA].id, 60000, &k.err));
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    KIT_OK(&k, skein_agent_work_of(k.e, &one, k.mem, &w, &k.err));
    assert_int_equal(w.run_every, 60000);
    assert_int_equal(w.next_run_at, next);
    assert_int_equal(w.pending, 0);

    /* Two and a half periods late: one task, and the next one a period after the last that was missed. */
    skn_fixture_sql(
        k.fx, "UPDATE agents SET next_run_at = next_run_at - 210000000 WHERE run_every > 0");
    was = next - 210000000;
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    assert_int_equal(next, was + 180000000);
    KIT_OK(&k, skein_agent_work_of(k.e, &one, k.mem, &w, &k.err));
    assert_int_equal(w.pending, 1);

    /* One that nobody has come to is enough. */
    skn_fixture_sql(
        k.fx, "UPDATE agents SET next_run_at = next_run_at - 60000000 WHERE run_every > 0");
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    KIT_OK(&k, skein_agent_work_of(k.e, &one, k.mem, &w, &k.err));
    assert_int_equal(w.pending, 1);

    /* The end of a back-off may come before. */
    turn = work(&k, ADA);
    fail_turn(&k, &turn, "no");
    was = next;
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    assert_true(next < was);

    KIT_OK(&k, skein_agent_timer(k.e, k.agent[ADA].id, 0, &k.err));
    skn_fixture_sql(k.fx, "UPDATE tasks SET not_before = 0");
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    assert_int_equal(next, 0);
    kit_close(&k);
}

static void a_timer_of_a_clock_that_was_set_back_starts_anew(void **state)
{
    kit     k;
    int64_t next, was;

    kit_open(&k, state);
    KIT_OK(&k, skein_agent_timer(k.e, k.agent[ADA].id, 60000, &k.err));
    KIT_OK(&k, skein_tasks_tick(k.e, &was, &k.err));
    skn_fixture_sql(
        k.fx, "UPDATE agents SET next_run_at = next_run_at + 86400000000 WHERE run_every > 0");
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    assert_in_range(next, was, was + 60000000);
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks"), 0);
    kit_close(&k);
}

static void timers_of_who_is_paused_rest(void **state)
{
    kit     k;
    int64_t next;

    kit_open(&k, state);
    KIT_OK(&k, skein_agent_timer(k.e, k.agent[ADA].id, 60000, &k.err));
    KIT_OK(&k, skein_agent_pause(k.e, k.agent[ADA].id, true, &k.err));
    skn_fixture_sql(k.fx, "UPDATE agents SET next_run_at = 1 WHERE run_every > 0");
    KIT_OK(&k, skein_tasks_tick(k.e, &next, &k.err));
    assert_int_equal(next, 0);
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks"), 0);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(who_is_paused_begins_nothing),
        SKN_BOTH(waking_ends_back_offs_or_gives_something_to_do),
        SKN_BOTH(a_timer_gives_one_task_at_a_time),
        SKN_BOTH(a_timer_of_a_clock_that_was_set_back_starts_anew),
        SKN_BOTH(timers_of_who_is_paused_rest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
