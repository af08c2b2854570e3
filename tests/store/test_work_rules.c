/* test_work_rules.c: what keeps agents and the queue within bounds: nothing wedges a chat, nobody works
 * for ever, and what is removed comes back with what waited in it. */
#include "store/work_kit.h"

static skein_messages all_of(kit *k)
{
    skein_slice    all = {.conversation = k->chat.id};
    skein_messages m;
    skein_at       at;

    KIT_OK(k, skein_read(k->e, &all, k->mem, &m, &at, &k->err));
    return m;
}

static int64_t waiting_rows(kit *k)
{
    return skn_fixture_number(k->fx, "SELECT count(*) FROM waiting");
}

/* Something else is stored under an id that was promised, as an import could. */
static void take_uid(kit *k, skein_message_id id, skein_str uid)
{
    char sql[120];

    snprintf(sql, sizeof sql, "UPDATE messages SET uid = '%s' WHERE id = %lld", uid.p,
             (long long)id.v);
    skn_fixture_sql(k->fx, sql);
}

/* --- Promised ids ---------------------------------------------------------------------------------------- */

static void an_id_that_was_promised_is_not_given_to_another(void **state)
{
    kit               k;
    skein_posted      two;
    skein_turn        t;
    skein_messages    out;
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("mine")};

    kit_open(&k, state);
    post(&k, "@ada one");
    two = post(&k, "@bo two");
    t = begin(&k, "ada");
    m.uid = two.message.uid;
    assert_int_equal(kit_append(&k, &m, 1, &out), SKEIN_CONFLICT);
    m.uid = t.message_uid;
    assert_int_equal(kit_append(&k, &m, 1, &out), SKEIN_CONFLICT);
    KIT_OK(&k, finish(&k, &t, "1"));
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1 @bo two");
    assert_string_equal(due(&k), "bo");
    kit_close(&k);
}

static void a_waiting_message_whose_id_was_taken_is_said_under_another(void **state)
{
    kit            k;
    skein_post     p = {.message = &(skein_new_message){.content = skein_text("@bo two")},
                        .client_id = skein_text("tmp-1")};
    skein_message  other;
    skein_posted   two, again;
    skein_messages m;
    int64_t        before;

    kit_open(&k, state);
    other = kit_say(&k, SKEIN_USER, NULL, "zero");
    post(&k, "@ada one");
    KIT_OK(&k, post_as(&k, &p, &two));
    post(&k, "@cy three");
    take_uid(&k, other.id, two.message.uid);
    before = newest(&k);
    answer(&k, "ada", "1");
    assert_string_equal(kit_texts(&k, "main", 0), "zero @ada one 1 @bo two");
    assert_string_equal(due(&k), "bo");
    m = all_of(&k);
    assert_string_not_equal(m.at[3].uid.p, two.message.uid.p);
    /* Who follows the old id is told that nothing comes of it. */
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, two.message.uid.p);
    KIT_OK(&k, post_as(&k, &p, &again));
    assert_true(again.again);
    assert_string_equal(again.message.uid.p, m.at[3].uid.p);
    answer(&k, "bo", "2");
    assert_string_equal(due(&k), "cy");
    kit_close(&k);
}

static void an_answer_whose_id_was_taken_lands_under_another(void **state)
{
    kit            k;
    skein_message  other;
    skein_turn     t;
    skein_str      promised;
    skein_messages m;
    int64_t        before;

    kit_open(&k, state);
    other = kit_say(&k, SKEIN_USER, NULL, "zero");
    post(&k, "@ada one");
    t = begin(&k, "ada");
    promised = t.message_uid;
    take_uid(&k, other.id, promised);
    before = newest(&k);
    KIT_OK(&k, finish(&k, &t, "1"));
    says(&k, before, "message.withdrawn", promised.p);
    m = all_of(&k);
    assert_string_equal(m.at[2].content.p, "1");
    says(&k, before, "message.started", m.at[2].uid.p);
    assert_idle(&k);
    kit_close(&k);
}

static void a_stop_keeps_going_when_the_id_of_the_answer_was_taken(void **state)
{
    kit           k;
    skein_message other;
    skein_turn    t;
    skein_partial p;
    skein_stop    stop;
    int64_t       stopped;

    kit_open(&k, state);
    other = kit_say(&k, SKEIN_USER, NULL, "zero");
    post(&k, "@ada one");
    t = begin(&k, "ada");
    take_uid(&k, other.id, t.message_uid);
    p = (skein_partial){.turn = t.id, .text = skein_text("half")};
    stop = (skein_stop){.chat = k.chat.id, .partials = &p, .partial_count = 1};
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_int_equal(stopped, 1);
    assert_idle(&k);
    kit_close(&k);
}

/* --- Programs that went away ------------------------------------------------------------------------------ */

static void a_chat_that_cannot_be_settled_does_not_keep_others_from_it(void **state)
{
    kit                k;
    skein_conversation other;
    skein_post         p = {.message = &(skein_new_message){.content = skein_text("@bo hi")}};
    skein_posted       out;
    skein_turn         t;
    int64_t            closed;

    kit_open(&k, state);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("b"), k.mem, &other, &k.err));
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, NULL, &k.err));
    /* From now on a second failure cannot be stored in a chat. */
    skn_fixture_sql(k.fx, "CREATE UNIQUE INDEX trap ON deliveries(conversation_id) WHERE "
                          "state = 'failed'");
    post(&k, "@ada again");
    begin(&k, "ada");
    p.chat = other.id;
    KIT_OK(&k, post_as(&k, &p, &out));
    begin(&k, "bo");
    skn_fixture_sql(k.fx, "UPDATE turns SET lease_until = 1 WHERE state = 'open'");
    assert_int_equal(skein_turns_recover(k.e, false, &closed, &k.err), SKEIN_CONFLICT);
    assert_int_equal(closed, 1);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM turns WHERE state='open'"),
                     1);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

static void who_is_alone_closes_every_turn_that_is_open(void **state)
{
    kit        k;
    skein_turn t;
    int64_t    closed;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 0);
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    assert_int_equal(closed, 1);
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_idle(&k);
    kit_close(&k);
}

static void a_lease_that_no_clock_of_today_could_give_has_run_out(void **state)
{
    kit     k;
    int64_t closed;

    kit_open(&k, state);
    post(&k, "@ada hello");
    begin(&k, "ada");
    skn_fixture_sql(k.fx, "UPDATE turns SET lease_until = lease_until + 86400000000");
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 1);
    assert_idle(&k);
    kit_close(&k);
}

/* --- Who still has to answer ------------------------------------------------------------------------------- */

static void a_post_that_comes_again_waits_for_all_that_the_first_caused(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("@ada one")},
                      .client_id = skein_text("tmp-1")};
    skein_posted out;

    kit_open(&k, state);
    KIT_OK(&k, post_as(&k, &p, &out));
    answer(&k, "ada", "@bo @cy what do you think?");
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_true(out.again);
    assert_int_equal(out.waiting, 2);
    answer(&k, "bo", "nothing");
    answer(&k, "cy", "nothing");
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(out.waiting, 0);
    kit_close(&k);
}

static void what_is_sent_at_once_and_nobody_answers_is_done_with(void **state)
{
    kit               k;
    skein_instruction tag = {.type = skein_text("ReadOnly")};
    skein_post        p = {.message = &(skein_new_message){.content = skein_text("two"),
                                                           .instructions = &tag,
                                                           .instruction_count = 1}};
    skein_posted      two, out;
    int64_t           before;

    kit_open(&k, state);
    post(&k, "@ada one");
    KIT_OK(&k, post_as(&k, &p, &two));
    before = newest(&k);
    KIT_OK(&k, skein_queue_send(k.e, k.chat.id, two.message.uid, k.mem, &out, &k.err));
    assert_string_equal(told(&k, before), "message.created queue.changed world.idle");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, two.message.uid.p);
    says(&k, before, "world.idle", "\"pending\":1,\"agents\":[\"ada\"]");
    kit_close(&k);
}

/* Whoever finds work of an agent that is gone settles what that held up. */
static void sending_and_taking_back_settle_what_a_removed_agent_held_up(void **state)
{
    kit          k;
    skein_posted one, two, out;
    int64_t      before;

    kit_open(&k, state);
    one = post(&k, "@ada one");
    two = post(&k, "two");
    post(&k, "@bo three");
    skn_fixture_sql(k.fx, "UPDATE agents SET removed_at = 1 WHERE name = 'ada'");
    before = newest(&k);
    KIT_OK(&k, skein_queue_remove(k.e, k.chat.id, two.message.uid, &k.err));
    assert_string_equal(told(&k, before),
                        "queue.changed message.delivered world.idle world.idle "
                        "message.created world.busy queue.changed");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, one.message.uid.p);
    assert_string_equal(due(&k), "bo");
    two = post(&k, "@cy four");
    skn_fixture_sql(k.fx, "UPDATE agents SET removed_at = 1 WHERE name = 'bo'");
    before = newest(&k);
    KIT_OK(&k, skein_queue_send(k.e, k.chat.id, two.message.uid, k.mem, &out, &k.err));
    assert_string_equal(
        told(&k, before),
        "message.delivered message.created world.busy queue.changed world.idle");
    assert_string_equal(due(&k), "cy");
    kit_close(&k);
}

/* --- The budget ---------------------------------------------------------------------------------------------- */

static void set_turn_limit(kit *k, int64_t n)
{
    skein_world limit = {.id = k->world.id, .turn_limit = n};

    KIT_OK(k, skein_world_update(k->e, &limit, k->mem, &k->err));
}

static void who_has_yet_to_begin_is_asked_once(void **state)
{
    kit k;

    kit_open(&k, state);
    post(&k, "@ada @bo begin");
    answer(&k, "ada", "@cy 1");
    answer(&k, "bo", "@cy 2"); /* who has not begun, and will see both */
    assert_string_equal(due(&k), "cy");
    answer(&k, "cy", "3");
    assert_string_equal(due(&k), "");
    assert_idle(&k);
    kit_close(&k);
}

static void who_is_at_it_already_is_asked_again(void **state)
{
    kit        k;
    skein_turn t;

    kit_open(&k, state);
    post(&k, "@bo @cy begin");
    t = begin(&k, "cy");
    answer(&k, "bo", "@cy 1"); /* what it is just sent has not got this */
    KIT_OK(&k, finish(&k, &t, "2"));
    assert_string_equal(due(&k), "cy");
    kit_close(&k);
}

/* Everybody asks everybody, for as long as they are let. */
static int64_t talk(kit *k)
{
    static const char *const names[] = {"ada", "bo", "cy"};
    int64_t                  said = 0;

    for (const char *who = due(k); *who; who = due(k))
        for (int i = 0; i < 3; i++)
            if (strstr(due(k), names[i])) {
                answer(k, names[i], "@ada @bo @cy again");
                said++;
                assert_true(said < 1000);
            }
    return said;
}

static size_t notices(kit *k)
{
    skein_messages m = all_of(k);
    size_t         n = 0;

    for (size_t i = 0; i < m.count; i++)
        n += m.at[i].role == SKEIN_SYSTEM;
    return n;
}

static void a_message_causes_no_more_answers_than_its_budget(void **state)
{
    kit     k;
    int64_t said;

    kit_open(&k, state);
    set_turn_limit(&k, 4);
    post(&k, "begin");
    said = talk(&k);
    assert_true(said > 4 && said <= 4 * 3);
    assert_idle(&k);
    assert_int_equal(notices(&k), 1);
    post(&k, "@ada go on"); /* a new budget, and a notice of its own */
    said = talk(&k);
    assert_true(said > 0 && said <= 4 * 3);
    assert_int_equal(notices(&k), 2);
    kit_close(&k);
}

/* A chain that is not deep may still be long: its work is counted as well. */
static void a_budget_that_is_used_up_is_told_with_what_was_done(void **state)
{
    kit k;

    kit_open(&k, state);
    set_turn_limit(&k, 4);
    post(&k, "@ada begin");
    skn_fixture_sql(k.fx,
                    "INSERT INTO deliveries(conversation_id, agent_id, message_id, cause, "
                    "hops_left, state, created_at, closed_at) WITH RECURSIVE n(i) AS "
                    "(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 11) "
                    "SELECT conversation_id, agent_id, message_id, cause, 3, 'answered', "
                    "1, 1 FROM deliveries CROSS JOIN n");
    answer(&k, "ada", "@bo 12");
    assert_string_equal(due(&k), "");
    assert_string_equal(kit_texts(&k, "main", 0),
                        "@ada begin @bo 12 The agents have answered 12 times and pause here. "
                        "Say something to go on.");
    kit_close(&k);
}

static void a_turn_limit_has_a_limit(void **state)
{
    kit         k;
    skein_world w = {.name = skein_text("other"), .turn_limit = 1001};

    kit_open(&k, state);
    assert_int_equal(skein_world_new(k.e, &w, k.mem, &k.err), SKEIN_LIMIT);
    w = (skein_world){.id = k.world.id, .turn_limit = 1001};
    assert_int_equal(skein_world_update(k.e, &w, k.mem, &k.err), SKEIN_LIMIT);
    w = (skein_world){.id = k.world.id, .turn_limit = 1000};
    KIT_OK(&k, skein_world_update(k.e, &w, k.mem, &k.err));
    kit_close(&k);
}

/* --- What is removed -------------------------------------------------------------------------------------------- */

static void what_agents_work_in_is_removed_only_by_force(void **state)
{
    kit         k;
    skein_turn  t;
    const char *before;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    before = kit_state(&k);
    assert_int_equal(skein_conversation_remove(k.e, k.chat.id, false, &k.err), SKEIN_AT_WORK);
    assert_non_null(strstr(k.err.message, "ada"));
    assert_int_equal(skein_world_remove(k.e, k.world.id, false, &k.err), SKEIN_AT_WORK);
    assert_int_equal(skein_agent_remove(k.e, k.agent[0].id, false, &k.err), SKEIN_AT_WORK);
    assert_string_equal(kit_state(&k), before);
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[1].id, false, &k.err)); /* who does nothing */
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[0].id, true, &k.err));
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, false, &k.err));
    assert_idle(&k);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

static void a_removed_chat_comes_back_with_what_waited_in_it(void **state)
{
    kit                k;
    skein_conversation back;
    skein_turn         t;
    int64_t            before;

    kit_open(&k, state);
    post(&k, "@ada one");
    post(&k, "@bo two");
    post(&k, "@cy three");
    t = begin(&k, "ada");
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, true, &k.err));
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_int_equal(waiting_rows(&k), 2);
    assert_idle(&k);
    assert_string_equal(due(&k), "");
    before = newest(&k);
    KIT_OK(&k, skein_conversation_restore(k.e, k.world.id, k.chat.uid, k.mem, &back, &k.err));
    assert_int_equal(back.id.v, k.chat.id.v);
    assert_string_equal(told(&k, before),
                        "chat.updated message.created world.busy queue.changed");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one @bo two");
    assert_string_equal(due(&k), "bo");
    assert_int_equal(
        skein_conversation_restore(k.e, k.world.id, k.chat.uid, k.mem, &back, &k.err),
        SKEIN_NOT_FOUND); /* it is there */
    kit_close(&k);
}

static void a_removed_world_comes_back_with_what_waited_in_it(void **state)
{
    kit         k;
    skein_world back;
    skein_turn  t;
    int64_t     before;

    kit_open(&k, state);
    post(&k, "@ada one");
    post(&k, "@bo two");
    t = begin(&k, "ada");
    KIT_OK(&k, skein_world_remove(k.e, k.world.id, true, &k.err));
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_int_equal(waiting_rows(&k), 1);
    before = newest(&k);
    KIT_OK(&k,
           skein_world_restore(k.e, k.world.uid, skein_text("again"), k.mem, &back, &k.err));
    assert_int_equal(back.id.v, k.world.id.v);
    assert_string_equal(told(&k, before),
                        "world.updated message.created world.busy queue.changed");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one @bo two");
    assert_string_equal(due(&k), "bo");
    assert_int_equal(skein_world_restore(k.e, k.world.uid, SKN_NONE, k.mem, &back, &k.err),
                     SKEIN_NOT_FOUND); /* it is there */
    kit_close(&k);
}

static void a_chat_of_another_world_is_not_brought_back(void **state)
{
    kit                k;
    skein_world        other = {.name = skein_text("other")};
    skein_conversation back, own, next;

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, false, &k.err));
    assert_int_equal(
        skein_conversation_restore(k.e, other.id, k.chat.uid, k.mem, &back, &k.err),
        SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_conversation_restore(k.e, k.world.id, k.chat.uid, k.mem, &back, &k.err));
    /* An agent has one foreground conversation, and this one came after. */
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_FOREGROUND, k.mem, &own, &k.err));
    KIT_OK(&k, skein_conversation_remove(k.e, own.id, false, &k.err));
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_FOREGROUND, k.mem, &next, &k.err));
    assert_int_equal(skein_conversation_restore(k.e, k.world.id, own.uid, k.mem, &back, &k.err),
                     SKEIN_CONFLICT);
    kit_close(&k);
}

/* --- Limits -------------------------------------------------------------------------------------------------------- */

static void a_queue_has_an_end(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("one more")}};
    skein_posted out;
    char         sql[400];
    int64_t      before;

    kit_open(&k, state);
    post(&k, "@ada one");
    snprintf(
        sql, sizeof sql,
        "INSERT INTO waiting(uid, conversation_id, said, created_at) WITH "
        "RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999) "
        "SELECT 'w' || i, %lld, '{\"sender\":\"human\",\"content\":\"@ada hi\"}', 1 FROM n",
        (long long)k.chat.id.v);
    skn_fixture_sql(k.fx, sql);
    before = newest(&k);
    KIT_OK(&k, post_as(&k, &p, &out));
    says(&k, before, "queue.changed", "\"w100\"],\"count\":1000");
    assert_int_equal(post_as(&k, &p, &out), SKEIN_LIMIT);
    assert_non_null(strstr(k.err.message, "1000 messages wait"));
    p.now = true;
    KIT_OK(&k, post_as(&k, &p, &out));
    kit_close(&k);
}

static void the_ids_of_clients_are_forgotten_after_a_week(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("@ada one")},
                      .client_id = skein_text("tmp-1")};
    skein_posted out;

    kit_open(&k, state);
    KIT_OK(&k, post_as(&k, &p, &out));
    p.client_id = skein_text("tmp-2");
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM idempotency"), 2);
    skn_fixture_sql(k.fx, "UPDATE idempotency SET created_at = 1 WHERE key LIKE '%tmp-1'");
    p.client_id = skein_text("tmp-3");
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM idempotency"), 2);
    kit_close(&k);
}

static void a_state_that_nobody_wrote_is_damage(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("two")}};
    skein_posted out;

    kit_open(&k, state);
    post(&k, "@ada one");
    skn_fixture_sql(k.fx,
                    k.fx->pg ? "ALTER TABLE deliveries DROP CONSTRAINT deliveries_state_check; "
                               "DROP INDEX deliveries_due; UPDATE deliveries SET state = 'q'"
                             : "PRAGMA ignore_check_constraints = 1; "
                               "UPDATE deliveries SET state = 'q'");
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(skein_turn_begin(k.e, 1, skein_text("x"), skein_text(NULL), LEASE, k.mem,
                                      &(skein_turn){0}, &k.err),
                     SKEIN_DAMAGED);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(an_id_that_was_promised_is_not_given_to_another),
        SKN_BOTH(a_waiting_message_whose_id_was_taken_is_said_under_another),
        SKN_BOTH(an_answer_whose_id_was_taken_lands_under_another),
        SKN_BOTH(a_stop_keeps_going_when_the_id_of_the_answer_was_taken),
        SKN_BOTH(a_chat_that_cannot_be_settled_does_not_keep_others_from_it),
        SKN_BOTH(who_is_alone_closes_every_turn_that_is_open),
        SKN_BOTH(a_lease_that_no_clock_of_today_could_give_has_run_out),
        SKN_BOTH(a_post_that_comes_again_waits_for_all_that_the_first_caused),
        SKN_BOTH(what_is_sent_at_once_and_nobody_answers_is_done_with),
        SKN_BOTH(sending_and_taking_back_settle_what_a_removed_agent_held_up),
        SKN_BOTH(who_has_yet_to_begin_is_asked_once),
        SKN_BOTH(who_is_at_it_already_is_asked_again),
        SKN_BOTH(a_message_causes_no_more_answers_than_its_budget),
        SKN_BOTH(a_budget_that_is_used_up_is_told_with_what_was_done),
        SKN_BOTH(a_turn_limit_has_a_limit),
        SKN_BOTH(what_agents_work_in_is_removed_only_by_force),
        SKN_BOTH(a_removed_chat_comes_back_with_what_waited_in_it),
        SKN_BOTH(a_removed_world_comes_back_with_what_waited_in_it),
        SKN_BOTH(a_chat_of_another_world_is_not_brought_back),
        SKN_BOTH(a_queue_has_an_end),
        SKN_BOTH(the_ids_of_clients_are_forgotten_after_a_week),
        SKN_BOTH(a_state_that_nobody_wrote_is_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
