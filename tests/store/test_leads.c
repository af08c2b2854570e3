/* test_leads.c: what subordinates and leads say to each other in their backgrounds. */
#include "engine/engine.h"
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
    assert_int_equal(act_as(&k, &turn,
                            (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("43")},
                            &done),
                     SKEIN_CONFLICT);
    assert_string_equal(k.err.message, "the report on this task was sent to \"ada\" already");
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

/* --- Tasks that wait for an answer ------------------------------------------------------------------------------ */

static void ask(kit *k, skein_turn *turn, const char *question)
{
    skein_acted done;

    KIT_OK(k, act_as(k, turn,
                     (skein_act){.kind = SKEIN_ACT_REQUEST_INPUT, .text = skein_text(question)},
                     &done));
}

/* bo, whose lead is ada, has asked her "Which?" for his task and waits. */
static skein_task waiting_task(kit *k)
{
    skein_task t;
    skein_turn turn;

    lead(k, BO, "ada");
    t = task_of(k, BO, "find out");
    turn = work(k, BO);
    ask(k, &turn, "Which?");
    KIT_OK(k, finish(k, &turn, "I wait"));
    return t;
}

static void is_waiting(kit *k, skein_task t, const char *whom)
{
    t = task_now(k, t.uid);
    assert_string_equal(t.status.p, "pending");
    assert_string_equal(skn_task_label(&t).p, "waiting");
    assert_string_equal(t.waits_for.p, whom);
    assert_string_equal(skn_task_question(&t).p, "Which?");
    assert_null(t.result.p);
}

/* It is due, and its turn ends with its result. */
static void goes_on(kit *k, skein_task t, int agent, const char *result)
{
    skein_turn turn = work(k, agent);

    assert_int_equal(turn.task, t.id);
    KIT_OK(k, finish(k, &turn, result));
    t = task_now(k, t.uid);
    assert_string_equal(t.status.p, "completed");
    assert_string_equal(t.result.p, result);
    assert_null(t.waits_for.p);
    assert_null(t.question.p);
}

static skein_context sees(kit *k, const skein_turn *turn)
{
    skein_slice   what = {.conversation = turn->chat, .task = turn->task, .turn = turn->uid};
    skein_context seen;

    KIT_OK(k, skein_context_read(k->e, &what, k->mem, &seen, &k->err));
    return seen;
}

static void a_task_that_asked_the_lead_waits_and_goes_on_with_the_answer(void **state)
{
    kit           k;
    skein_task    t, other;
    skein_turn    turn, next;
    skein_context seen;
    int64_t       before;

    kit_open(&k, state);
    before = newest(&k);
    t = waiting_task(&k);
    says(&k, before, "task.waiting", t.uid.p);
    is_waiting(&k, t, "ada");
    assert_int_equal(task_due(&k, BO), 0);
    /* He does something else meanwhile, and does not see what that has to do with the task. */
    other = task_of(&k, BO, "something else");
    turn = work(&k, BO);
    assert_int_equal(turn.task, other.id);
    next = work(&k, ADA);
    KIT_OK(&k, finish(&k, &next, "The left one"));
    seen = sees(&k, &turn);
    assert_string_equal(seen.at[seen.count - 1].text.p, "something else");
    KIT_OK(&k, finish(&k, &turn, "done"));
    assert_string_equal(task_now(&k, t.uid).status.p, "pending");
    assert_null(task_now(&k, t.uid).waits_for.p);
    /* The answer is what the next turn is asked. */
    turn = work(&k, BO);
    assert_int_equal(turn.task, t.id);
    seen = sees(&k, &turn);
    assert_string_equal(seen.at[seen.count - 1].text.p,
                        "ada: ada answers your question: The left one");
    KIT_OK(&k, finish(&k, &turn, "Then left"));
    assert_string_equal(task_now(&k, t.uid).status.p, "completed");
    assert_string_equal(task_now(&k, t.uid).result.p, "Then left");
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'answer'"), 0);
    assert_idle(&k);
    kit_check(&k);
    kit_close(&k);
}

static void an_answer_that_comes_while_the_turn_runs_is_not_passed_over(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn, ada;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    t = task_of(&k, BO, "find out");
    turn = work(&k, BO);
    ask(&k, &turn, "Which?");
    ada = work(&k, ADA);
    KIT_OK(&k, finish(&k, &ada, "The left one"));
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    assert_string_equal(task_now(&k, t.uid).status.p, "pending");
    assert_null(task_now(&k, t.uid).waits_for.p);
    goes_on(&k, t, BO, "Then left");
    /* What was read in the same turn, before its end, is done with. */
    t = task_of(&k, BO, "find out more");
    turn = work(&k, BO);
    ask(&k, &turn, "Which?");
    ada = work(&k, ADA);
    KIT_OK(&k, finish(&k, &ada, "The left one"));
    KIT_OK(&k, act_as(&k, &turn,
                      (skein_act){.kind = SKEIN_ACT_REMEMBER,
                                  .type = skein_text("fact"),
                                  .text = skein_text("left")},
                      &(skein_acted){0}));
    KIT_OK(&k, finish(&k, &turn, "Left, then"));
    assert_string_equal(task_now(&k, t.uid).result.p, "Left, then");
    /* And a report is the result, whatever was asked. */
    t = task_of(&k, BO, "find out the rest");
    turn = work(&k, BO);
    ask(&k, &turn, "Which?");
    KIT_OK(&k,
           act_as(&k, &turn, (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("42")},
                  &(skein_acted){0}));
    KIT_OK(&k, finish(&k, &turn, "all said"));
    assert_string_equal(task_now(&k, t.uid).result.p, "42");
    assert_string_equal(task_now(&k, t.uid).status.p, "completed");
    kit_check(&k);
    kit_close(&k);
}

/* A question that goes up twice: the one in the middle does not answer with "I wait". */
static void a_lead_that_asks_its_own_lead_does_not_answer_before(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;

    kit_open(&k, state);
    lead(&k, ADA, "cy");
    t = waiting_task(&k);
    turn = work(&k, ADA);
    ask(&k, &turn, "He asks which");
    KIT_OK(&k, finish(&k, &turn, "I wait, too"));
    is_waiting(&k, t, "ada");
    turn = work(&k, CY);
    KIT_OK(&k, finish(&k, &turn, "Left"));
    turn = work(&k, ADA);
    is_waiting(&k, t, "ada");
    KIT_OK(&k, finish(&k, &turn, "cy says left"));
    assert_non_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND),
                           "| ada:ada answers your question: cy says left"));
    goes_on(&k, t, BO, "Then left");
    kit_check(&k);
    kit_close(&k);
}

static void a_question_that_nobody_will_answer_lets_the_task_go_on(void **state)
{
    kit                      k;
    skein_task               t;
    skein_tasks              asked;
    skein_turn               turn;
    static const char *const why[] = {"the work of ada on it was cancelled",
                                      "ada has said nothing to it", "ada was removed"};

    kit_open(&k, state);
    for (int i = 0; i < 3; i++) {
        t = waiting_task(&k);
        KIT_OK(&k, skein_agent_pause(k.e, k.agent[ADA].id, true, &k.err));
        is_waiting(&k, t, "ada");
        KIT_OK(&k, skein_agent_pause(k.e, k.agent[ADA].id, false, &k.err));
        if (i == 0) {
            KIT_OK(&k, skein_task_list(k.e, k.agent[ADA].id, skein_text("pending"), 1, k.mem,
                                       &asked, &k.err));
            KIT_OK(&k, skein_task_cancel(k.e, k.world.id, asked.at[0].uid, NULL, k.mem,
                                         &(skein_task){0}, &k.err));
        } else if (i == 1) {
            turn = work(&k, ADA);
            KIT_OK(&k, finish(&k, &turn, " "));
        } else {
            KIT_OK(&k, skein_agent_remove(k.e, k.agent[ADA].id, false, &k.err));
        }
        assert_non_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND), why[i]));
        goes_on(&k, t, BO, "without her, then");
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM expected WHERE state = 'undeliverable'"),
                     3);
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE sender = 'system'"), 3);
    kit_check(&k);
    kit_close(&k);
}

/* What a lead has reported to its own lead is not an answer to who asked it. */
static void a_lead_that_only_reports_lets_the_task_go_on(void **state)
{
    kit         k;
    skein_task  t;
    skein_turn  turn;
    skein_acted done;

    kit_open(&k, state);
    lead(&k, ADA, "cy");
    for (int i = 0; i < 3; i++) {
        t = waiting_task(&k);
        turn = work(&k, ADA);
        KIT_OK(&k, act_as(&k, &turn,
                          (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("he asks")},
                          &done));
        if (i == 0)
            KIT_OK(&k, finish(&k, &turn, " "));
        else if (i == 1)
            fail_turn(&k, &turn, "no model");
        else
            KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
        assert_null(task_now(&k, t.uid).waits_for.p);
        goes_on(&k, t, BO, "without her, then");
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE content LIKE '%ada has said "
                              "nothing to it%'"),
                     3);
    /* Her last words after a report are an answer. */
    t = waiting_task(&k);
    turn = work(&k, ADA);
    KIT_OK(&k,
           act_as(&k, &turn,
                  (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("he asks")}, &done));
    KIT_OK(&k, finish(&k, &turn, "left"));
    assert_non_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND), "answers your question: left"));
    goes_on(&k, t, BO, "Then left");
    kit_check(&k);
    kit_close(&k);
}

/* Erases what was said with a task. */
static void erase_task(kit *k, skein_task t)
{
    skein_conversation c;
    skein_change       how = {0};
    skein_slice        what = {0};
    skein_messages     m;
    skein_at           at;
    int64_t            erased = 0;

    t = task_now(k, t.uid);
    KIT_OK(k, skein_conversation_of(k->e, t.agent, SKEIN_BACKGROUND, k->mem, &c, &k->err));
    what.conversation = how.conversation = c.id;
    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    for (size_t i = 0; i < m.count; i++)
        if (skn_str_eq(m.at[i].uid, t.message_uid))
            KIT_OK(k, skein_purge(k->e, &how, (skein_message_ids){&m.at[i].id, 1}, &erased,
                                  &k->err));
    assert_int_equal(erased, 1);
}

static void a_task_goes_on_when_its_question_was_erased(void **state)
{
    kit         k;
    skein_task  t;
    skein_tasks asked;
    int64_t     before;

    kit_open(&k, state);
    t = waiting_task(&k);
    KIT_OK(&k, skein_task_list(k.e, k.agent[ADA].id, skein_text("pending"), 1, k.mem, &asked,
                               &k.err));
    before = newest(&k);
    erase_task(&k, asked.at[0]);
    assert_null(task_now(&k, t.uid).waits_for.p);
    says(&k, before, "task.queued", t.uid.p);
    assert_int_equal(task_due(&k, ADA), 0);
    assert_non_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND), "its text was erased"));
    goes_on(&k, t, BO, "without her, then");
    assert_int_equal(rows(&k, "SELECT count(*) FROM expected WHERE state = 'undeliverable'"),
                     1);
    kit_check(&k);
    kit_close(&k);
}

static void a_task_that_waits_can_be_cancelled_and_begun_anew(void **state)
{
    kit           k;
    skein_task    t, now;
    skein_turn    turn;
    skein_message m;
    skein_tell    what = {
           .agent = skein_text("bo"), .from = skein_text("ada"), .text = skein_text("Here")};

    kit_open(&k, state);
    t = waiting_task(&k);
    KIT_OK(&k, skein_task_cancel(k.e, k.world.id, t.uid, NULL, k.mem, &now, &k.err));
    assert_string_equal(now.status.p, "cancelled");
    assert_null(now.waits_for.p);
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "The left one"));
    assert_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND), "left"));
    assert_int_equal(task_due(&k, BO), 0);
    KIT_OK(&k, skein_task_retry(k.e, k.world.id, t.uid, k.mem, &now, &k.err));
    goes_on(&k, t, BO, "by myself");
    /* Restarted while it waits, it goes on without the answer, which comes for itself. */
    t = waiting_task(&k);
    KIT_OK(&k, skein_task_retry(k.e, k.world.id, t.uid, k.mem, &now, &k.err));
    goes_on(&k, t, BO, "by myself, too");
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "The left one"));
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'answer'"), 1);
    turn = work(&k, BO);
    KIT_OK(&k, finish(&k, &turn, "I know"));
    /* A person may answer in the place of the lead. */
    t = waiting_task(&k);
    what.world = k.world.id;
    KIT_OK(&k, skein_tell_agent(k.e, &what, k.mem, &m, &k.err));
    goes_on(&k, t, BO, "There, then");
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'tell'"), 0);
    kit_check(&k);
    kit_close(&k);
}

/* A turn that fails after the question does not ask it twice. */
static void a_task_that_failed_after_its_question_waits_for_the_answer(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    t = task_of(&k, BO, "find out");
    turn = work(&k, BO);
    ask(&k, &turn, "Which?");
    fail_turn(&k, &turn, "no model");
    skn_fixture_sql(k.fx, "UPDATE tasks SET not_before = 0");
    is_waiting(&k, t, "ada");
    assert_int_equal(task_due(&k, BO), 0);
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "The left one"));
    goes_on(&k, t, BO, "Then left");
    kit_close(&k);
}

/* Who has no lead asks the person. */
static void a_task_that_asked_the_person_waits_for_the_inbox(void **state)
{
    kit              k;
    skein_task       t;
    skein_turn       turn;
    skein_inbox      inbox;
    skein_inbox_item item;
    skein_expecteds  open;

    kit_open(&k, state);
    for (int i = 0; i < 3; i++) {
        t = task_of(&k, CY, "find out");
        turn = work(&k, CY);
        ask(&k, &turn, "Which?");
        KIT_OK(&k, finish(&k, &turn, "I wait"));
        is_waiting(&k, t, "human");
        KIT_OK(&k, skein_inbox_list(k.e, &(skein_inbox_query){0}, k.mem, &inbox, &k.err));
        item = inbox.at[0];
        assert_string_equal(item.kind.p, "question");
        assert_string_equal(task_now(&k, t.uid).inbox_uid.p, item.uid.p);
        assert_int_equal(task_due(&k, CY), 0);
        if (i == 0)
            KIT_OK(&k, skein_inbox_answer(k.e, item.uid, skein_text("Left"), k.mem, &item, NULL,
                                          &k.err));
        else if (i == 1)
            KIT_OK(&k, skein_inbox_set(
                           k.e, item.uid,
                           &(skein_inbox_change){.read = -1, .done = 1, .snoozed_until = -1},
                           k.mem, &item, &k.err));
        else
            KIT_OK(&k, skein_task_cancel(k.e, k.world.id, t.uid, NULL, k.mem, &t, &k.err));
        if (i < 2)
            goes_on(&k, t, CY, "Then left");
    }
    assert_non_null(strstr(own_texts(&k, CY, SKEIN_BACKGROUND), "the person has put it away"));
    KIT_OK(&k, skein_inbox_get(k.e, item.uid, k.mem, &item, &k.err));
    assert_int_not_equal(item.done_at, 0); /* nobody is asked for a task that was cancelled */
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'answer'"), 0);
    KIT_OK(&k, skein_expected_list(k.e, k.world.id, (skein_agent_id){0}, k.mem, &open, &k.err));
    assert_int_equal(open.count, 0);
    kit_check(&k);
    kit_close(&k);
}

static skein_inbox_item set_done(kit *k, skein_str uid, int done, int read)
{
    skein_inbox_change what = {.read = read, .done = done, .snoozed_until = -1};
    skein_inbox_item   item;

    KIT_OK(k, skein_inbox_set(k->e, uid, &what, k->mem, &item, &k->err));
    return item;
}

/* cy asks the person twice with one message: gives what is in the inbox. */
static skein_task asked_twice(kit *k, skein_str items[2])
{
    skein_tool_call   calls[] = {{skein_text("t1"), skein_text("tool"), skein_text("{}")},
                                 {skein_text("t2"), skein_text("tool"), skein_text("{}")}};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = calls, .call_count = 2};
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_task        t = task_of(k, CY, "find out");
    skein_turn        turn = work(k, CY);
    skein_message     stored;
    skein_acted       done;

    KIT_OK(k, skein_turn_step(k->e, &turn, &s, k->mem, &stored, &k->err));
    for (int i = 0; i < 2; i++) {
        skein_act act = {.kind = SKEIN_ACT_REQUEST_INPUT,
                         .call_id = calls[i].call_id,
                         .text = skein_text("Which?"),
                         .confidence = -1};

        KIT_OK(k, skein_turn_act(k->e, &turn, &act, k->mem, &done, &k->err));
        items[i] = done.uid;
    }
    KIT_OK(k, finish(k, &turn, "I wait"));
    return t;
}

static void a_question_that_is_put_away_takes_no_other_with_it(void **state)
{
    kit                k;
    skein_task         t;
    skein_turn         turn;
    skein_str          items[2];
    skein_inbox_item   item;
    skein_inbox_change remove = {.read = -1, .done = -1, .snoozed_until = -1, .remove = true};

    kit_open(&k, state);
    t = asked_twice(&k, items);
    set_done(&k, items[0], 1, -1);
    is_waiting(&k, t, "human");
    set_done(&k, items[0], -1, 1);
    is_waiting(&k, t, "human");
    set_done(&k, items[0], 0, -1);
    set_done(&k, items[0], 1, -1);
    is_waiting(&k, t, "human");
    KIT_OK(&k, skein_inbox_set(k.e, items[0], &remove, k.mem, &item, &k.err));
    is_waiting(&k, t, "human");
    KIT_OK(&k,
           skein_inbox_answer(k.e, items[1], skein_text("Left"), k.mem, &item, NULL, &k.err));
    goes_on(&k, t, CY, "Then left");
    /* Nor does an answer to what was put away. */
    t = asked_twice(&k, items);
    set_done(&k, items[0], 1, -1);
    KIT_OK(&k, skein_inbox_answer(k.e, items[0], skein_text("Up"), k.mem, &item, NULL, &k.err));
    is_waiting(&k, t, "human");
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks WHERE source = 'answer'"), 1);
    turn = work(&k, CY);
    KIT_OK(&k, finish(&k, &turn, "I know"));
    KIT_OK(&k, skein_inbox_set(k.e, items[1], &remove, k.mem, &item, &k.err));
    goes_on(&k, t, CY, "Up, then");
    /* Both answers are waited for. */
    t = asked_twice(&k, items);
    for (int i = 0; i < 2; i++) {
        is_waiting(&k, t, "human");
        KIT_OK(&k, skein_inbox_answer(k.e, items[i], skein_text("Left"), k.mem, &item, NULL,
                                      &k.err));
    }
    goes_on(&k, t, CY, "Left and left");
    kit_check(&k);
    kit_close(&k);
}

static void a_lead_with_a_full_queue_keeps_no_task_waiting(void **state)
{
    kit         k;
    skein_task  t;
    skein_turn  turn;
    skein_acted done;

    kit_open(&k, state);
    lead(&k, BO, "ada");
    task_of(&k, ADA, "x");
    for (int i = 0; i < 10; i++)
        skn_fixture_sql(
            k.fx, "INSERT INTO tasks(uid, world_id, agent_id, source, content, "
                  "hops_left, created_at) SELECT 'task_' || id || '_' || (SELECT MAX(id) FROM "
                  "tasks), "
                  "world_id, agent_id, source, content, hops_left, created_at FROM tasks");
    t = task_of(&k, BO, "find out");
    turn = work(&k, BO);
    call_tool(&k, &turn, "c1", "request_input");
    assert_int_equal(skein_turn_act(k.e, &turn,
                                    &(skein_act){.kind = SKEIN_ACT_REQUEST_INPUT,
                                                 .call_id = skein_text("c1"),
                                                 .text = skein_text("Which?")},
                                    k.mem, &done, &k.err),
                     SKEIN_LIMIT);
    assert_non_null(strstr(k.err.message, "ada"));
    assert_int_equal(rows(&k, "SELECT count(*) FROM expected"), 0);
    KIT_OK(&k, skein_turn_act(k.e, &turn,
                              &(skein_act){.kind = SKEIN_ACT_TELL,
                                           .call_id = skein_text("c1"),
                                           .agent = skein_text("ada"),
                                           .text = skein_text("Which?"),
                                           .response_expected = true},
                              k.mem, &done, &k.err));
    KIT_OK(&k, finish(&k, &turn, "by myself"));
    assert_string_equal(task_now(&k, t.uid).status.p, "completed");
    kit_close(&k);
}

/* --- What the system reports ------------------------------------------------------------------------------------- */

/* ada gives bo a task; gives it as it is before he begins. */
static skein_task given(kit *k, const char *text)
{
    skein_turn  turn;
    skein_acted done;

    lead(k, BO, "ada");
    task_of(k, ADA, "lead");
    turn = work(k, ADA);
    KIT_OK(k, act_as(k, &turn,
                     (skein_act){.kind = SKEIN_ACT_ASSIGN,
                                 .agent = skein_text("bo"),
                                 .text = skein_text(text)},
                     &done));
    KIT_OK(k, finish(k, &turn, "bo has it"));
    return task_now(k, done.uid);
}

static void a_subordinate_that_ends_without_a_report_is_reported(void **state)
{
    kit         k;
    skein_task  t;
    skein_turn  turn;
    skein_acted done;

    kit_open(&k, state);
    given(&k, "dig\ndeep");
    turn = work(&k, BO);
    KIT_OK(&k, finish(&k, &turn, "a hole"));
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND),
                           "| system:The system reports: bo has completed the task \"dig\". It "
                           "sent no report. Its last words: a hole"));
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "seen"));
    /* Cancelled, before it was begun and while it runs. */
    for (int i = 0; i < 2; i++) {
        t = given(&k, "fly");
        if (i)
            turn = work(&k, BO);
        KIT_OK(&k, skein_task_cancel(k.e, k.world.id, t.uid, NULL, k.mem, &t, &k.err));
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE content LIKE 'The system "
                              "reports: bo does not do the task \"fly\". It was cancelled.'"),
                     2);
    /* He has reported: once is enough. */
    given(&k, "run");
    turn = work(&k, BO);
    KIT_OK(&k, act_as(&k, &turn,
                      (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("far")}, &done));
    KIT_OK(&k, finish(&k, &turn, "reported"));
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE sender = 'system'"), 3);
    /* Who waits for an answer has not ended. */
    t = given(&k, "wait");
    turn = work(&k, BO);
    ask(&k, &turn, "Which?");
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    is_waiting(&k, t, "ada");
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE sender = 'system'"), 3);
    kit_check(&k);
    kit_close(&k);
}

/* bo reports to cy, who leads him now. */
static void who_gave_the_task_hears_of_a_report_to_another(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;

    kit_open(&k, state);
    given(&k, "dig");
    turn = work(&k, BO);
    lead(&k, BO, "cy");
    KIT_OK(&k,
           act_as(&k, &turn,
                  (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("a hole")}, &done));
    KIT_OK(&k, finish(&k, &turn, "reported"));
    assert_string_equal(own_texts(&k, CY, SKEIN_BACKGROUND),
                        "bo:Subordinate bo reports: a hole");
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND),
                           "system:The system reports: bo has completed the task \"dig\". It "
                           "has reported to cy, its lead now."));
    kit_check(&k);
    kit_close(&k);
}

static void a_lead_hears_of_a_task_whose_text_was_erased(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;

    kit_open(&k, state);
    t = given(&k, "dig for the secret");
    turn = work(&k, BO);
    fail_turn(&k, &turn, "no model");
    erase_task(&k, t);
    t = task_now(&k, t.uid);
    assert_string_equal(t.status.p, "cancelled");
    assert_int_not_equal(t.completed_at, 0);
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND),
                           "system:The system reports: bo does not do a task. It was "
                           "cancelled: its text was erased."));
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE sender = 'system' AND "
                              "content LIKE '%secret%'"),
                     0);
    /* What such a task has asked is asked no more. */
    t = task_of(&k, CY, "find the secret");
    turn = work(&k, CY);
    ask(&k, &turn, "Which?");
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    is_waiting(&k, t, "human");
    erase_task(&k, t);
    assert_string_equal(task_now(&k, t.uid).status.p, "cancelled");
    assert_int_equal(rows(&k, "SELECT count(*) FROM inbox WHERE kind = 'question' AND done_at "
                              "IS NOT NULL"),
                     1);
    assert_int_equal(rows(&k, "SELECT count(*) FROM expected WHERE state = 'open'"), 0);
    kit_check(&k);
    kit_close(&k);
}

/* Erases what an agent said last in its background with this in it (NULL: the message with its last call). */
static int64_t erase_said(kit *k, int agent, const char *part)
{
    skein_conversation c;
    skein_change       how = {0};
    skein_slice        what = {0};
    skein_messages     m;
    skein_at           at;
    int64_t            erased;

    KIT_OK(k, skein_conversation_of(k->e, k->agent[agent].id, SKEIN_BACKGROUND, k->mem, &c,
                                    &k->err));
    what.conversation = how.conversation = c.id;
    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    for (size_t i = m.count; i-- > 0;)
        if (part ? m.at[i].role == SKEIN_ASSISTANT && strstr(m.at[i].content.p, part) != NULL
                 : m.at[i].call_count > 0) {
            KIT_OK(k, skein_purge(k->e, &how, (skein_message_ids){&m.at[i].id, 1}, &erased,
                                  &k->err));
            return erased;
        }
    fail_msg("%s has not said it", k->agent[agent].name.p);
    return 0;
}

/* A report by the system has words of two messages: of what gave the task, and of what came of it. */
static void what_a_report_repeats_is_erased_with_it(void **state)
{
    kit        k;
    skein_turn turn;
    skein_task t;

    kit_open(&k, state);
    given(&k, "dig for xyzzyplugh");
    turn = work(&k, BO);
    KIT_OK(&k, finish(&k, &turn, "a hole"));
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND), "xyzzyplugh"));
    assert_int_equal(erase_said(&k, ADA, NULL),
                     3); /* the call, the task in bo's background, the report */
    assert_false(skn_fixture_holds(k.fx, "xyzzyplugh"));
    assert_int_equal(task_due(&k, ADA), 0); /* nothing is left that she could look at */
    given(&k, "dig");
    turn = work(&k, BO);
    KIT_OK(&k, finish(&k, &turn, "I have found plughxyzzy"));
    assert_int_equal(erase_said(&k, BO, "plughxyzzy"), 2);
    assert_false(skn_fixture_holds(k.fx, "plughxyzzy"));
    t = given(&k, "dig before nitfolplugh"); /* not begun yet */
    assert_int_equal(erase_said(&k, ADA, NULL), 1);
    assert_string_equal(task_now(&k, t.uid).status.p, "cancelled");
    assert_false(skn_fixture_holds(k.fx, "nitfolplugh"));
    kit_check(&k);
    kit_close(&k);
}

static void what_an_answer_repeats_is_erased_with_it(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_task  t;
    skein_acted done;
    int64_t     before;

    kit_open(&k, state);
    t = waiting_task(&k);
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "the xyzzyplugh one"));
    assert_non_null(strstr(own_texts(&k, BO, SKEIN_BACKGROUND),
                           "ada answers your question: the xyzzyplugh one"));
    before = newest(&k);
    assert_int_equal(erase_said(&k, ADA, "xyzzyplugh"), 2);
    assert_string_equal(told(&k, before), "chat.updated chat.updated");
    assert_false(skn_fixture_holds(k.fx, "xyzzyplugh"));
    goes_on(&k, t, BO, "the left one, then");
    /* What a tool said elsewhere goes with the call. */
    t = task_of(&k, BO, "report");
    turn = work(&k, BO);
    KIT_OK(&k, act_as(&k, &turn,
                      (skein_act){.kind = SKEIN_ACT_REPORT, .text = skein_text("plughxyzzy")},
                      &done));
    KIT_OK(&k, finish(&k, &turn, "reported"));
    assert_int_equal(erase_said(&k, BO, NULL), 2);
    assert_false(skn_fixture_holds(k.fx, "plughxyzzy"));
    kit_check(&k);
    kit_close(&k);
}

static void a_lead_hears_of_a_subordinate_that_fails_or_goes(void **state)
{
    kit        k;
    skein_turn turn;

    kit_open(&k, state);
    given(&k, "dig");
    for (int i = 0; i < 4; i++) {
        turn = work(&k, BO);
        fail_turn(&k, &turn, "no model");
        skn_fixture_sql(k.fx, "UPDATE tasks SET not_before = 0");
    }
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE content LIKE 'The system "
                              "reports: bo has failed at the task \"dig\". It is tried again. "
                              "The last failure: no model'"),
                     1);
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[BO].id, false, &k.err));
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND),
                           "system:The system reports: bo does not do the task \"dig\". It was "
                           "cancelled: bo was removed."));
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE sender = 'system'"), 2);
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
    skein_task  t;
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
    /* Nor can one that asks again whatever it is answered; at last it has to answer with what there is. */
    skn_fixture_sql(k.fx, "UPDATE tasks SET status = 'cancelled' WHERE status = 'pending'");
    if (rc)
        KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    t = task_of(&k, BO, "ask");
    for (rounds = 0, rc = SKEIN_OK; rc == SKEIN_OK && rounds < 100; rounds++) {
        turn = work(&k, BO);
        rc = act_as(&k, &turn,
                    (skein_act){.kind = SKEIN_ACT_REQUEST_INPUT, .text = skein_text("Which?")},
                    &done);
        KIT_OK(&k, finish(&k, &turn, "I wait"));
        if (rc)
            break;
        turn = work(&k, ADA);
        KIT_OK(&k, finish(&k, &turn, rounds % 2 ? " " : "left"));
    }
    assert_int_equal(rc, SKEIN_LIMIT);
    assert_in_range(rounds, 1, 8);
    assert_string_equal(task_now(&k, t.uid).status.p, "completed");
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
        SKN_BOTH(a_task_that_asked_the_lead_waits_and_goes_on_with_the_answer),
        SKN_BOTH(an_answer_that_comes_while_the_turn_runs_is_not_passed_over),
        SKN_BOTH(a_lead_that_asks_its_own_lead_does_not_answer_before),
        SKN_BOTH(a_question_that_nobody_will_answer_lets_the_task_go_on),
        SKN_BOTH(a_lead_that_only_reports_lets_the_task_go_on),
        SKN_BOTH(a_task_goes_on_when_its_question_was_erased),
        SKN_BOTH(a_task_that_waits_can_be_cancelled_and_begun_anew),
        SKN_BOTH(a_task_that_failed_after_its_question_waits_for_the_answer),
        SKN_BOTH(a_task_that_asked_the_person_waits_for_the_inbox),
        SKN_BOTH(a_question_that_is_put_away_takes_no_other_with_it),
        SKN_BOTH(a_lead_with_a_full_queue_keeps_no_task_waiting),
        SKN_BOTH(a_subordinate_that_ends_without_a_report_is_reported),
        SKN_BOTH(who_gave_the_task_hears_of_a_report_to_another),
        SKN_BOTH(a_lead_hears_of_a_task_whose_text_was_erased),
        SKN_BOTH(what_a_report_repeats_is_erased_with_it),
        SKN_BOTH(what_an_answer_repeats_is_erased_with_it),
        SKN_BOTH(a_lead_hears_of_a_subordinate_that_fails_or_goes),
        SKN_BOTH(a_lead_that_tells_the_answer_does_not_give_it_twice),
        SKN_BOTH(work_is_given_only_to_subordinates),
        SKN_BOTH(agents_cannot_set_each_other_to_work_for_ever),
        SKN_BOTH(two_who_report_at_once_are_both_heard),
        SKN_BOTH(a_report_and_a_word_to_who_reports_do_not_wait_for_each_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
