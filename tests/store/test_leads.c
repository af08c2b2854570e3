/* test_leads.c: what subordinates and leads say to each other in their backgrounds. */
#include "store/task_kit.h"

#include <pthread.h>

/* --- Subordinates and leads -------------------------------------------------------------------------------------------- */

static void a_report_wakes_the_lead_and_ends_the_task(void **state)
{
    kit         k;
    skein_task  t;
    skein_turn  turn;
    skein_acted done;
    int64_t     before;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    t = task_of(&k, BO, "find out");
    turn = work(&k, BO);
    before = newest(&k);
    KIT_OK(&k, act_as(&k, &turn,
                      (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("42")}, &done));
    assert_string_equal(done.result.content.p, "Report sent to lead");
    says(&k, before, "report.lead", "\"agent\":\"bo\",\"to\":\"ada\"");
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND), "bo:Subordinate bo reports: 42");
    assert_true(task_now(&k, t.uid).running);
    fail_turn(&k, &turn, "after the report"); /* it is not done again */
    says(&k, before, "task.finished", t.uid.p);
    t = task_now(&k, t.uid);
    assert_string_equal(t.status.p, "completed");
    assert_string_equal(t.result.p, "42");
    assert_int_equal(t.attempts, 0);

    turn = work(&k, ADA);
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND), "bo:Subordinate bo reports: 42");
    KIT_OK(&k, finish(&k, &turn, "good"));
    kit_check(&k);
    kit_close(&k);
}

static void reports_that_nobody_has_looked_at_wake_the_lead_once(void **state)
{
    kit         k;
    skein_turn  turn, ada;
    skein_acted done;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    lead(&k, CY, "ada");
    for (int i = BO; i <= CY; i++) {
        task_of(&k, i, "find out");
        turn = work(&k, i);
        KIT_OK(&k, act_as(&k, &turn,
                          (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("found")},
                          &done));
        KIT_OK(&k, finish(&k, &turn, "ok"));
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'report'"), 1);
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND),
                        "bo:Subordinate bo reports: found | cy:Subordinate cy reports: found");
    /* One that comes while she is at it wakes her again. */
    ada = work(&k, ADA);
    task_of(&k, BO, "more");
    turn = work(&k, BO);
    KIT_OK(&k,
           act_as(&k, &turn, (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("more")},
                  &done));
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'report'"), 2);
    KIT_OK(&k, finish(&k, &ada, "seen"));
    assert_int_not_equal(task_due(&k, ADA), 0);
    kit_close(&k);
}

/* Case 25. */
static void a_report_to_a_lead_that_is_gone_writes_nothing(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;
    skein_task  t;
    int64_t     before;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    t = task_of(&k, BO, "find out");
    turn = work(&k, BO);
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[ADA].id, false, &k.err));
    call_tool(&k, &turn, "c1", "report_to_lead");
    before = newest(&k);
    assert_int_equal(skein_turn_act(k.e, &turn,
                                    &(skein_act){.kind = SKEIN_ACT_REPORT,
                                                 .call_id = skein_text("c1"),
                                                 .text = skein_text("42")},
                                    k.mem, &done, &k.err),
                     SKEIN_INVALID);
    assert_int_equal(newest(&k), before);
    assert_string_equal(task_now(&k, t.uid).status.p, "pending");
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE role = 'tool'"), 0);
    assert_int_equal(rows(&k, "SELECT count(*) FROM conversations WHERE mode = 'background'"),
                     1);
    kit_close(&k);
}

static void an_empty_report_is_refused(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    task_of(&k, BO, "find out");
    turn = work(&k, BO);
    assert_int_equal(act_as(&k, &turn,
                            (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text(" ")},
                            &done),
                     SKEIN_INVALID);
    kit_close(&k);
}

static void a_question_goes_to_the_lead_and_its_answer_comes_back(void **state)
{
    kit             k;
    skein_turn      turn;
    skein_acted     done;
    skein_expecteds open;
    int64_t         before;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    task_of(&k, BO, "find out");
    turn = work(&k, BO);
    before = newest(&k);
    KIT_OK(&k,
           act_as(&k, &turn,
                  (skein_act){.kind = SKEIN_ACT_REQUEST_INPUT, .text = skein_text("Which?")},
                  &done));
    assert_string_equal(done.result.content.p, "Request sent to lead");
    says(&k, before, "request.input", "\"to\":\"ada\"");
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND),
                        "bo:Subordinate bo is asking: Which?");
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "The left one"));
    assert_int_not_equal(task_due(&k, BO), 0);
    assert_non_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND),
                           "| ada:ada answers your question: The left one"));
    KIT_OK(&k, skein_expected_list(k.e, k.world.id, (skein_agent_id){0}, k.mem, &open, &k.err));
    assert_int_equal(open.count, 1);
    assert_string_equal(open.at[0].state.p, "answered");
    turn = work(&k, BO);
    KIT_OK(&k, finish(&k, &turn, "Then left"));
    assert_int_equal(task_due(&k, ADA), 0);
    assert_idle(&k);
    kit_check(&k);
    kit_close(&k);
}

static void a_lead_that_tells_the_answer_does_not_give_it_twice(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    task_of(&k, BO, "find out");
    turn = work(&k, BO);
    KIT_OK(&k,
           act_as(&k, &turn,
                  (skein_act){.kind = SKEIN_ACT_REQUEST_INPUT, .text = skein_text("Which?")},
                  &done));
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    turn = work(&k, ADA);
    KIT_OK(&k, act_as(&k, &turn,
                      (skein_act){.kind = SKEIN_ACT_TELL,
                                  .agent = skein_text("bo"),
                                  .text = skein_text("left")},
                      &done));
    KIT_OK(&k, finish(&k, &turn, "I told bo"));
    assert_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND), "answers your question"));
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'answer'"), 0);
    kit_close(&k);
}

static void work_is_given_only_to_subordinates(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;
    skein_act   act = {.kind = SKEIN_ACT_ASSIGN, .text = skein_text("dig")};
    skein_task  t;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    task_of(&k, ADA, "lead");
    turn = work(&k, ADA);
    act.agent = skein_text("cy");
    assert_int_equal(act_as(&k, &turn, act, &done), SKEIN_INVALID);
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks"), 1);
    KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    task_of(&k, ADA, "lead");
    turn = work(&k, ADA);
    act.agent = skein_text("bo");
    KIT_OK(&k, act_as(&k, &turn, act, &done));
    t = task_now(&k, done.uid);
    assert_non_null(strstr(done.result.content.p, t.uid.p));
    assert_string_equal(t.source.p, "delegation");
    assert_string_equal(t.assigned_by.p, "ada");
    turn = work(&k, BO);
    assert_int_equal(turn.task, t.id);
    assert_string_equal(own_texts(&k, BO, SKEIN_BACKGROUND), "ada:dig");
    kit_close(&k);
}

static void agents_cannot_set_each_other_to_work_for_ever(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;
    int         rounds = 0;
    skein_rc    rc = SKEIN_OK;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    task_of(&k, ADA, "go");
    while (rc == SKEIN_OK && rounds < 100) {
        turn = work(&k, ADA);
        rc = act_as(&k, &turn,
                    (skein_act){.kind = SKEIN_ACT_ASSIGN,
                                .agent = skein_text("bo"),
                                .text = skein_text("go")},
                    &done);
        if (rc)
            break;
        KIT_OK(&k, finish(&k, &turn, "x"));
        turn = work(&k, BO);
        KIT_OK(&k, act_as(&k, &turn,
                          (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("done")},
                          &done));
        KIT_OK(&k, finish(&k, &turn, "x"));
        if (!task_due(&k, ADA))
            break;
        rounds++;
    }
    assert_true(rc == SKEIN_OK || rc == SKEIN_LIMIT);
    assert_in_range(rounds, 1, 8);
    kit_close(&k);
}

typedef struct teller {
    kit        *k;
    skein_turn  turn;
    skein_act   act;
    skein_mem  *mem;
    skein_acted done;
    skein_rc    rc;
    skein_error err;
} teller;

static void *report_at_once(void *arg)
{
    teller *t = arg;

    t->rc = skein_turn_act(t->k->e, &t->turn, &t->act, t->mem, &t->done, &t->err);
    return NULL;
}

static void two_who_report_at_once_are_both_heard(void **state)
{
    kit       k;
    pthread_t threads[2];
    teller    t[2];

    kit_open(&k, state);
    lead(&k, BO, "ada");
    lead(&k, CY, "ada");
    for (int i = 0; i < 2; i++) {
        task_of(&k, BO + i, "find out");
        t[i] = (teller){.k = &k, .turn = work(&k, BO + i), .mem = skein_mem_new()};
        call_tool(&k, &t[i].turn, "c1", "report_to_lead");
        t[i].act = (skein_act){
            .kind = SKEIN_ACT_REPORT, .call_id = skein_text("c1"), .text = skein_text("found")};
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, report_at_once, &t[i]);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        SKN_OK(t[i].rc, t[i].err);
        skein_mem_free(t[i].mem);
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM conversations WHERE mode = 'background'"),
                     3);
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'report'"), 1);
    assert_int_equal(
        rows(&k, "SELECT count(*) FROM messages WHERE content LIKE 'Subordinate%'"), 2);
    kit_close(&k);
}

/* Each holds its own conversation and wants the other's. */
static void a_report_and_a_word_to_who_reports_do_not_wait_for_each_other(void **state)
{
    kit       k;
    pthread_t threads[2];
    teller    t[2];
    skein_act acts[] = {{.kind = SKEIN_ACT_TELL, .agent = skein_text("bo")},
                        {.kind = SKEIN_ACT_REPORT}};

    kit_open(&k, state);
    lead(&k, BO, "ada");
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 2; i++) {
            task_of(&k, i, "talk");
            t[i] = (teller){.k = &k, .turn = work(&k, i), .act = acts[i]};
            t[i].mem = skein_mem_new();
            t[i].act.call_id = skein_text("c1");
            t[i].act.text = skein_text("word");
            call_tool(&k, &t[i].turn, "c1", "tool");
        }
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, report_at_once, &t[i]);
        for (int i = 0; i < 2; i++) {
            pthread_join(threads[i], NULL);
            SKN_OK(t[i].rc, t[i].err);
            KIT_OK(&k, finish(&k, &t[i].turn, "said"));
            skein_mem_free(t[i].mem);
        }
        skn_fixture_sql(k.fx, "UPDATE tasks SET status = 'cancelled' WHERE status = 'pending'");
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE content LIKE '%word'"), 10);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_report_wakes_the_lead_and_ends_the_task),
        SKN_BOTH(reports_that_nobody_has_looked_at_wake_the_lead_once),
        SKN_BOTH(a_report_to_a_lead_that_is_gone_writes_nothing),
        SKN_BOTH(an_empty_report_is_refused),
        SKN_BOTH(a_question_goes_to_the_lead_and_its_answer_comes_back),
        SKN_BOTH(a_lead_that_tells_the_answer_does_not_give_it_twice),
        SKN_BOTH(work_is_given_only_to_subordinates),
        SKN_BOTH(agents_cannot_set_each_other_to_work_for_ever),
        SKN_BOTH(two_who_report_at_once_are_both_heard),
        SKN_BOTH(a_report_and_a_word_to_who_reports_do_not_wait_for_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
