/* test_tasks.c: tasks of agents: how they are begun, end, fail and are tried again. */
#include "store/task_kit.h"

#include <pthread.h>

/* --- Beginning and ending ------------------------------------------------------------------------------------- */

static void a_task_is_done_in_the_background(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;
    int64_t    before;

    kit_open(&k, state);
    before = newest(&k);
    t = task_of(&k, ADA, "Research NVDA");
    assert_string_equal(t.status.p, "pending");
    assert_string_equal(t.source.p, "user");
    assert_string_equal(t.agent_name.p, "ada");
    assert_null(t.message_uid.p);
    assert_string_equal(told(&k, before), "task.queued");
    says(&k, before, "task.queued", t.uid.p);

    before = newest(&k);
    turn = work(&k, ADA);
    assert_int_equal(turn.task, t.id);
    assert_int_equal(turn.mode, SKEIN_BACKGROUND);
    assert_string_equal(
        told(&k, before),
        "chat.created message.created task.started agent.state message.started");
    t = task_now(&k, t.uid);
    assert_true(t.running);
    assert_non_null(t.message_uid.p);
    assert_string_equal(t.message_uid.p, turn.trigger_uid.p);
    assert_int_equal(task_due(&k, ADA), 0);

    before = newest(&k);
    KIT_OK(&k, finish(&k, &turn, "142.50"));
    t = task_now(&k, t.uid);
    assert_string_equal(t.status.p, "completed");
    assert_string_equal(t.result.p, "142.50");
    assert_false(t.running);
    assert_true(t.completed_at > 0);
    says(&k, before, "task.finished", "\"status\":\"completed\"");
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND),
                        "human:Research NVDA | ada:142.50");
    assert_idle(&k);
    kit_check(&k);
    kit_close(&k);
}

static void background_work_stores_calls_and_results(void **state)
{
    kit            k;
    skein_turn     turn;
    skein_messages m;
    skein_at       at;
    skein_message  stored;

    kit_open(&k, state);
    task_of(&k, ADA, "What is the price?");
    turn = work(&k, ADA);
    call_tool(&k, &turn, "call_1", "search");
    KIT_OK(&k,
           skein_turn_step(
               k.e, &turn,
               &(skein_step){
                   .message = &(skein_new_message){.role = SKEIN_TOOL,
                                                   .content = skein_text("{\"price\":142.5}"),
                                                   .tool_call_id = skein_text("call_1")},
                   .tokens_in = -1,
                   .tokens_out = -1},
               k.mem, &stored, &k.err));
    KIT_OK(&k, finish(&k, &turn, "142.5"));
    KIT_OK(&k,
           skein_read(k.e, &(skein_slice){.conversation = turn.chat}, k.mem, &m, &at, &k.err));
    assert_int_equal(m.count, 4);
    assert_int_equal(m.at[0].role, SKEIN_USER);
    assert_int_equal(m.at[1].role, SKEIN_ASSISTANT);
    assert_string_equal(m.at[1].calls[0].tool_name.p, "search");
    assert_int_equal(m.at[2].role, SKEIN_TOOL);
    assert_string_equal(m.at[2].tool_call_id.p, "call_1");
    assert_string_equal(m.at[2].reply_to.p, m.at[1].uid.p);
    assert_int_equal(m.at[3].role, SKEIN_ASSISTANT);
    for (size_t i = 1; i < 4; i++)
        assert_string_equal(m.at[i].turn_uid.p, turn.uid.p);
    kit_close(&k);
}

static void tasks_of_one_agent_are_done_in_turn_in_one_conversation(void **state)
{
    kit        k;
    skein_task one, two;
    skein_turn turn, none;

    kit_open(&k, state);
    one = task_of(&k, ADA, "one");
    two = task_of(&k, ADA, "two");
    turn = work(&k, ADA);
    assert_int_equal(turn.task, one.id);
    assert_int_equal(try_task(&k, two.id, &none), SKEIN_NOTHING);
    KIT_OK(&k, finish(&k, &turn, "1"));
    turn = work(&k, ADA);
    assert_int_equal(turn.task, two.id);
    KIT_OK(&k, finish(&k, &turn, "2"));
    assert_int_equal(try_task(&k, one.id, &none), SKEIN_NOTHING);
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND),
                        "human:one | ada:1 | human:two | ada:2");
    assert_int_equal(rows(&k, "SELECT count(*) FROM conversations WHERE mode = 'background'"),
                     1);
    kit_close(&k);
}

static void what_a_task_may_be(void **state)
{
    kit         k;
    skein_task  t, out;
    skein_tasks list;

    kit_open(&k, state);
    t = (skein_task){.agent = k.agent[ADA].id, .content = skein_text("  \n")};
    assert_int_equal(skein_task_new(k.e, &t, k.mem, &k.err), SKEIN_INVALID);
    t = (skein_task){
        .agent = k.agent[ADA].id, .content = skein_text("x"), .source = skein_text("report")};
    assert_int_equal(skein_task_new(k.e, &t, k.mem, &k.err), SKEIN_INVALID);
    t = (skein_task){.agent = {4711}, .content = skein_text("x")};
    assert_int_equal(skein_task_new(k.e, &t, k.mem, &k.err), SKEIN_NOT_FOUND);
    assert_int_equal(
        skein_task_get(k.e, k.world.id, skein_text("task_none"), k.mem, &out, &k.err),
        SKEIN_NOT_FOUND);
    t = task_of(&k, ADA, "x");
    assert_int_equal(
        skein_task_get(k.e, (skein_world_id){k.world.id.v + 1}, t.uid, k.mem, &out, &k.err),
        SKEIN_NOT_FOUND);
    task_of(&k, ADA, "y");
    KIT_OK(&k, skein_task_list(k.e, k.agent[ADA].id, skein_text("pending"), 10, k.mem, &list,
                               &k.err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.at[0].content.p, "y");
    KIT_OK(&k, skein_task_list(k.e, k.agent[ADA].id, (skein_str){0}, 1, k.mem, &list, &k.err));
    assert_int_equal(list.count, 1);
    KIT_OK(&k, skein_task_list(k.e, k.agent[ADA].id, skein_text("completed"), 1, k.mem, &list,
                               &k.err));
    assert_int_equal(list.count, 0);
    assert_int_equal(
        skein_task_list(k.e, k.agent[ADA].id, skein_text("odd"), 1, k.mem, &list, &k.err),
        SKEIN_INVALID);
    kit_close(&k);
}

static void who_has_a_thousand_tasks_gets_no_more(void **state)
{
    kit        k;
    skein_task t;

    kit_open(&k, state);
    t = task_of(&k, ADA, "x");
    for (int i = 0; i < 999; i++)
        t = task_of(&k, ADA, "x");
    assert_int_equal(skein_task_new(k.e, &t, k.mem, &k.err), SKEIN_LIMIT);
    task_of(&k, BO, "x");
    kit_close(&k);
}

/* --- At once ---------------------------------------------------------------------------------------------------- */

typedef struct racer {
    kit       *k;
    int64_t    task;
    int        agent;
    skein_rc   rc;
    skein_mem *mem;
    skein_turn turn;
} racer;

static void *race_begin(void *arg)
{
    racer      *r = arg;
    skein_error err;

    r->rc = skein_task_begin(r->k->e, r->task, skein_text("test"), (skein_str){0}, LEASE,
                             r->mem, &r->turn, &err);
    return NULL;
}

/* Case 23. */
static void two_who_begin_at_once_make_one_conversation_and_one_turn(void **state)
{
    kit       k;
    pthread_t threads[4];
    racer     r[4];
    int       began = 0;

    kit_open(&k, state);
    task_of(&k, ADA, "one");
    task_of(&k, ADA, "two");
    for (int i = 0; i < 4; i++) {
        r[i] = (racer){.k = &k, .task = task_due(&k, ADA), .mem = skein_mem_new()};
        pthread_create(&threads[i], NULL, race_begin, &r[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        began += r[i].rc == SKEIN_OK;
        assert_true(r[i].rc == SKEIN_OK || r[i].rc == SKEIN_NOTHING);
        skein_mem_free(r[i].mem);
    }
    assert_int_equal(began, 1);
    assert_int_equal(rows(&k, "SELECT count(*) FROM conversations WHERE mode = 'background'"),
                     1);
    assert_int_equal(rows(&k, "SELECT count(*) FROM turns"), 1);
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND), "human:one");
    kit_close(&k);
}

/* --- Failing ------------------------------------------------------------------------------------------------------ */

static void end_back_off(kit *k)
{
    skn_fixture_sql(k->fx, "UPDATE tasks SET not_before = 0");
}

static void a_task_that_fails_is_tried_again_later_without_saying_it_twice(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;
    int64_t    before, waits[3];
    skein_str  message;

    kit_open(&k, state);
    t = task_of(&k, ADA, "poison");
    for (int i = 0; i < 3; i++) {
        turn = work(&k, ADA);
        before = newest(&k);
        fail_turn(&k, &turn, "no model");
        says(&k, before, "task.queued", "\"attempts\":");
        t = task_now(&k, t.uid);
        assert_string_equal(t.status.p, "pending");
        assert_int_equal(t.attempts, i + 1);
        assert_non_null(strstr(t.last_error.p, "no model"));
        assert_int_equal(task_due(&k, ADA), 0);
        waits[i] = t.not_before - turn.since;
        if (i == 0)
            message = t.message_uid;
        assert_string_equal(t.message_uid.p, message.p);
        end_back_off(&k);
    }
    assert_in_range(waits[0], 900000, 3000000);
    assert_in_range(waits[1], 3900000, 7000000);
    assert_in_range(waits[2], 15900000, 19000000);
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND), "human:poison");
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "at last"));
    assert_string_equal(task_now(&k, t.uid).status.p, "completed");
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND), "human:poison | ada:at last");
    kit_close(&k);
}

static void a_person_is_told_once_of_a_task_that_fails(void **state)
{
    kit         k;
    skein_task  t;
    skein_inbox inbox;

    kit_open(&k, state);
    t = task_of(&k, ADA, "poison");
    for (int i = 0; i < 5; i++) {
        skein_turn turn = work(&k, ADA);

        fail_turn(&k, &turn, "no model");
        KIT_OK(&k, skein_inbox_list(k.e, &(skein_inbox_query){0}, k.mem, &inbox, &k.err));
        assert_int_equal(inbox.count, i < 2 ? 0 : 1);
        end_back_off(&k);
    }
    assert_string_equal(inbox.at[0].kind.p, "failure");
    assert_string_equal(inbox.at[0].agent.p, "ada");
    assert_non_null(strstr(inbox.at[0].content.p, "no model"));
    assert_string_equal(inbox.at[0].work_message_uid.p, task_now(&k, t.uid).message_uid.p);
    assert_int_equal(inbox.needs_you, 1);
    kit_close(&k);
}

/* Case 25. */
static void a_poison_task_keeps_nobody_else_from_working(void **state)
{
    kit        k;
    skein_task poison, other;
    skein_turn turn;

    kit_open(&k, state);
    poison = task_of(&k, ADA, "poison");
    other = task_of(&k, ADA, "other");
    turn = work(&k, ADA);
    assert_int_equal(turn.task, poison.id);
    fail_turn(&k, &turn, "no");
    task_of(&k, BO, "bo's");
    turn = work(&k, BO);
    KIT_OK(&k, finish(&k, &turn, "done"));
    turn = work(&k, ADA); /* the next one, while the poison waits */
    assert_int_equal(turn.task, other.id);
    KIT_OK(&k, finish(&k, &turn, "done"));
    KIT_OK(&k, skein_task_cancel(k.e, k.world.id, poison.uid, NULL, k.mem, &poison, &k.err));
    assert_string_equal(poison.status.p, "cancelled");
    end_back_off(&k);
    assert_int_equal(task_due(&k, ADA), 0);
    kit_close(&k);
}

/* Case 19. */
static void a_crash_in_the_middle_leaves_the_task_to_be_tried_again(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;
    int64_t    closed;

    kit_open(&k, state);
    t = task_of(&k, ADA, "long work");
    turn = work(&k, ADA);
    call_tool(&k, &turn, "c1", "look");
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    assert_int_equal(closed, 1);
    t = task_now(&k, t.uid);
    assert_string_equal(t.status.p, "pending");
    assert_int_equal(t.attempts, 1);
    assert_false(t.running);
    assert_int_equal(finish(&k, &turn, "late"), SKEIN_TURN_OVER);
    end_back_off(&k);
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "done"));
    assert_string_equal(
        own_texts(&k, ADA, SKEIN_BACKGROUND),
        "human:long work | ada:() | ada:interrupted: the outcome of this call is "
        "unknown | ada:done");
    assert_string_equal(task_now(&k, t.uid).result.p, "done");
    kit_close(&k);
}

/* --- What is told once ------------------------------------------------------------------------------------------ */

static const char *brief(kit *k, skein_turn *t, const char *title, const char *text)
{
    skein_act   act = {.kind = SKEIN_ACT_BRIEF,
                       .title = skein_text(title),
                       .summary = skein_text("in short"),
                       .text = skein_text(text)};
    skein_acted done;

    KIT_OK(k, act_as(k, t, act, &done));
    return done.result.content.p;
}

/* The program dies, and the task is begun again. */
static skein_turn crash(kit *k)
{
    int64_t closed;

    KIT_OK(k, skein_turns_recover(k->e, true, &closed, &k->err));
    assert_in_range(closed, 1, 2);
    end_back_off(k);
    return work(k, ADA);
}

static void a_briefing_is_sent_once_however_often_its_task_is_tried(void **state)
{
    kit        k;
    skein_turn t;

    kit_open(&k, state);
    task_of(&k, ADA, "write them");
    t = work(&k, ADA);
    assert_string_equal(brief(&k, &t, "One", "the first"), "Briefing sent");
    for (int i = 0; i < 2; i++) {
        t = crash(&k);
        assert_string_equal(brief(&k, &t, "One", "the first"),
                            "This briefing was sent already, by an earlier attempt at this "
                            "task, and is not sent again.");
    }
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND), "ada:Briefing sent"));
    assert_string_equal(brief(&k, &t, "Two", "the second"), "Briefing sent");
    assert_string_equal(brief(&k, &t, "Two", "the second"), "Briefing sent"); /* as it likes */
    KIT_OK(&k, finish(&k, &t, "done"));
    task_of(&k, ADA, "write them");
    t = work(&k, ADA); /* another task: another briefing */
    assert_string_equal(brief(&k, &t, "One", "the first"), "Briefing sent");
    KIT_OK(&k, finish(&k, &t, "done"));
    assert_int_equal(rows(&k, "SELECT count(*) FROM inbox WHERE kind = 'briefing'"), 4);
    assert_string_equal(own_texts(&k, ADA, SKEIN_FOREGROUND),
                        "ada:the first | ada:the second | ada:the second | ada:the first");
    kit_check(&k);
    kit_close(&k);
}

static void a_person_whose_task_ends_without_a_briefing_is_told(void **state)
{
    kit              k;
    skein_task       t;
    skein_turn       turn;
    skein_inbox      inbox;
    skein_inbox_item item;

    kit_open(&k, state);
    t = task_of(&k, ADA, "count the stars\none by one");
    turn = work(&k, ADA);
    turn = crash(&k);
    KIT_OK(&k, finish(&k, &turn, "there are many"));
    KIT_OK(&k, skein_inbox_list(k.e, &(skein_inbox_query){0}, k.mem, &inbox, &k.err));
    assert_int_equal(inbox.count, 1);
    assert_int_equal(inbox.needs_you, 0);
    item = inbox.at[0];
    assert_string_equal(item.kind.p, "finished");
    assert_string_equal(item.agent.p, "ada");
    assert_string_equal(item.title.p, "ada has finished a task: count the stars");
    assert_string_equal(item.content.p, "The system tells you this: there was no briefing. Its "
                                        "last words: there are many");
    assert_string_equal(item.task_uid.p, t.uid.p);
    assert_string_equal(item.work_message_uid.p, task_now(&k, t.uid).message_uid.p);
    assert_non_null(item.message_uid.p);
    /* Not when it was briefed, in whichever attempt, nor of what was cancelled or nobody gave. */
    task_of(&k, ADA, "tell me");
    turn = work(&k, ADA);
    assert_string_equal(brief(&k, &turn, "Stars", "many"), "Briefing sent");
    turn = crash(&k);
    KIT_OK(&k, finish(&k, &turn, "told"));
    t = task_of(&k, ADA, "stop");
    turn = work(&k, ADA);
    KIT_OK(&k, skein_task_cancel(k.e, k.world.id, t.uid, NULL, k.mem, &t, &k.err));
    t = (skein_task){.agent = k.agent[ADA].id,
                     .source = skein_text("self"),
                     .content = skein_text("by myself")};
    KIT_OK(&k, skein_task_new(k.e, &t, k.mem, &k.err));
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "done"));
    assert_int_equal(rows(&k, "SELECT count(*) FROM inbox WHERE kind <> 'briefing'"), 1);
    kit_check(&k);
    kit_close(&k);
}

static void a_briefing_in_other_words_is_the_same_and_one_more_is_not(void **state)
{
    kit         k;
    skein_turn  t;
    const char *said;

    kit_open(&k, state);
    task_of(&k, ADA, "write them");
    t = work(&k, ADA);
    assert_string_equal(brief(&k, &t, "Report", "the first"), "Briefing sent");
    t = crash(&k);
    said = brief(&k, &t, "Report", "the first, in other words");
    assert_non_null(strstr(said, "was sent already"));
    assert_non_null(strstr(said, "under another title"));
    assert_string_equal(brief(&k, &t, "Report", "the second"), "Briefing sent");
    t = crash(&k);
    assert_non_null(strstr(brief(&k, &t, "Report", "the second"), "was sent already"));
    assert_non_null(strstr(brief(&k, &t, "Report", "the first"), "was sent already"));
    assert_string_equal(brief(&k, &t, "Report", "the third"), "Briefing sent");
    assert_string_equal(own_texts(&k, ADA, SKEIN_FOREGROUND),
                        "ada:the first | ada:the second | ada:the third");
    kit_close(&k);
}

/* The turn on the lane of a delegation that the task's turn waits for. */
static skein_turn hand_on(kit *k, skein_turn *t, int agent)
{
    skein_act   act = {.kind = SKEIN_ACT_DELEGATE,
                       .agent = k->agent[agent].name,
                       .text = skein_text("please tell the person"),
                       .wait = true};
    skein_acted done;
    skein_dues  d;
    skein_turn  child;

    KIT_OK(k, act_as(k, t, act, &done));
    KIT_OK(k, skein_work_due(k->e, 100, k->mem, &d, &k->err));
    for (size_t i = 0; i < d.count; i++)
        if (d.at[i].lane.v) {
            KIT_OK(k, skein_turn_begin(k->e, d.at[i].delivery, skein_text("test"),
                                       skein_text("demo/scripted"), LEASE, k->mem, &child,
                                       &k->err));
            return child;
        }
    fail_msg("nothing is to do on a lane");
    return (skein_turn){0};
}

static void what_a_delegation_of_a_task_tells_is_told_once_too(void **state)
{
    kit        k;
    skein_turn t, child;

    kit_open(&k, state);
    task_of(&k, ADA, "let it be told");
    t = work(&k, ADA);
    child = hand_on(&k, &t, BO);
    assert_string_equal(brief(&k, &child, "One", "the first"), "Briefing sent");
    t = crash(&k);
    child = hand_on(&k, &t, BO);
    assert_non_null(strstr(brief(&k, &child, "One", "the first"), "was sent already"));
    KIT_OK(&k, finish(&k, &child, "told"));
    child = hand_on(&k, &t, BO); /* in the same attempt: another one */
    assert_string_equal(brief(&k, &child, "One", "the first"), "Briefing sent");
    assert_int_equal(rows(&k, "SELECT count(*) FROM inbox WHERE kind = 'briefing'"), 2);
    kit_close(&k);
}

static void a_back_off_of_a_clock_that_was_set_back_is_over(void **state)
{
    kit        k;
    skein_turn turn;

    kit_open(&k, state);
    task_of(&k, ADA, "x");
    turn = work(&k, ADA);
    fail_turn(&k, &turn, "no");
    assert_int_equal(task_due(&k, ADA), 0);
    skn_fixture_sql(k.fx, "UPDATE tasks SET not_before = not_before + 86400000000");
    assert_int_not_equal(task_due(&k, ADA), 0);
    kit_close(&k);
}

/* --- Cancelling ----------------------------------------------------------------------------------------------------- */

static void cancelling_a_task_stops_the_turn_that_is_at_it(void **state)
{
    kit        k;
    skein_task t, done;
    skein_turn turn;
    int64_t    before;

    kit_open(&k, state);
    t = task_of(&k, ADA, "x");
    turn = work(&k, ADA);
    before = newest(&k);
    KIT_OK(&k, skein_task_cancel(k.e, k.world.id, t.uid, NULL, k.mem, &t, &k.err));
    assert_string_equal(t.status.p, "cancelled");
    assert_false(t.running);
    says(&k, before, "task.finished", "\"status\":\"cancelled\"");
    assert_int_equal(finish(&k, &turn, "late"), SKEIN_TURN_OVER);
    assert_idle(&k);
    /* Again it is the same; what is completed stays so. */
    KIT_OK(&k, skein_task_cancel(k.e, k.world.id, t.uid, NULL, k.mem, &t, &k.err));
    done = task_of(&k, ADA, "y");
    turn = work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "done"));
    assert_int_equal(skein_task_cancel(k.e, k.world.id, done.uid, NULL, k.mem, &t, &k.err),
                     SKEIN_CONFLICT);
    done = task_of(&k, BO, "before there is a background");
    KIT_OK(&k, skein_task_cancel(k.e, k.world.id, done.uid, NULL, k.mem, &t, &k.err));
    assert_int_equal(task_due(&k, BO), 0);
    kit_close(&k);
}

static void stopping_the_session_cancels_its_task(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;
    int64_t    stopped;

    kit_open(&k, state);
    t = task_of(&k, ADA, "x");
    turn = work(&k, ADA);
    KIT_OK(&k, skein_work_stop(k.e, &(skein_stop){.chat = turn.chat}, &stopped, &k.err));
    assert_string_equal(task_now(&k, t.uid).status.p, "cancelled");
    kit_close(&k);
}

/* --- Going --------------------------------------------------------------------------------------------------------------- */

static void the_tasks_of_an_agent_go_with_it(void **state)
{
    kit        k;
    skein_task mine, others;
    skein_turn turn;

    kit_open(&k, state);
    mine = task_of(&k, ADA, "x");
    others = task_of(&k, BO, "x");
    turn = work(&k, ADA);
    assert_int_equal(skein_agent_remove(k.e, k.agent[ADA].id, false, &k.err), SKEIN_AT_WORK);
    assert_string_equal(task_now(&k, mine.uid).status.p, "pending");
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[ADA].id, true, &k.err));
    assert_int_equal(finish(&k, &turn, "late"), SKEIN_TURN_OVER);
    assert_string_equal(task_now(&k, mine.uid).status.p, "cancelled");
    assert_string_equal(task_now(&k, others.uid).status.p, "pending");
    assert_int_equal(task_due(&k, ADA), 0);
    kit_check(&k);
    kit_close(&k);
}

static void a_background_that_was_removed_is_made_anew_for_what_waits(void **state)
{
    kit        k;
    skein_task t;
    skein_turn turn;

    kit_open(&k, state);
    t = task_of(&k, ADA, "x");
    turn = work(&k, ADA);
    fail_turn(&k, &turn, "no");
    KIT_OK(&k, skein_conversation_remove(k.e, turn.chat, false, &k.err));
    end_back_off(&k);
    turn = work(&k, ADA);
    assert_int_equal(turn.task, t.id);
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND), "human:x");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_task_is_done_in_the_background),
        SKN_BOTH(background_work_stores_calls_and_results),
        SKN_BOTH(tasks_of_one_agent_are_done_in_turn_in_one_conversation),
        SKN_BOTH(what_a_task_may_be),
        SKN_BOTH(who_has_a_thousand_tasks_gets_no_more),
        SKN_BOTH(two_who_begin_at_once_make_one_conversation_and_one_turn),
        SKN_BOTH(a_task_that_fails_is_tried_again_later_without_saying_it_twice),
        SKN_BOTH(a_person_is_told_once_of_a_task_that_fails),
        SKN_BOTH(a_poison_task_keeps_nobody_else_from_working),
        SKN_BOTH(a_crash_in_the_middle_leaves_the_task_to_be_tried_again),
        SKN_BOTH(a_back_off_of_a_clock_that_was_set_back_is_over),
        SKN_BOTH(a_briefing_is_sent_once_however_often_its_task_is_tried),
        SKN_BOTH(a_person_whose_task_ends_without_a_briefing_is_told),
        SKN_BOTH(a_briefing_in_other_words_is_the_same_and_one_more_is_not),
        SKN_BOTH(what_a_delegation_of_a_task_tells_is_told_once_too),
        SKN_BOTH(cancelling_a_task_stops_the_turn_that_is_at_it),
        SKN_BOTH(stopping_the_session_cancels_its_task),
        SKN_BOTH(the_tasks_of_an_agent_go_with_it),
        SKN_BOTH(a_background_that_was_removed_is_made_anew_for_what_waits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
