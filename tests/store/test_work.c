/* test_work.c: posting: who has to answer, what waits while they do, and what is said when. */
#include "store/work_kit.h"

#include <pthread.h>

/* --- Who has to answer -------------------------------------------------------------------------------- */

static void a_message_that_names_nobody_is_for_all(void **state)
{
    kit          k;
    skein_posted p;
    int64_t      before;

    kit_open(&k, state);
    before = newest(&k);
    p = post(&k, "hello");
    assert_false(p.queued);
    assert_int_equal(p.waiting, 3);
    assert_string_equal(shown(&k, &p.deliveries), "ada:queued bo:queued cy:queued");
    assert_string_equal(due(&k), "ada bo cy");
    assert_string_equal(told(&k, before), "message.created world.busy");
    says(&k, before, "message.created", "\"content\":\"hello\"");
    says(&k, before, "message.created", "\"queued\":false");
    says(&k, before, "message.created", "{\"agent\":\"bo\",\"state\":\"queued\"}");
    says(&k, before, "world.busy", "\"pending\":3,\"agents\":[\"ada\",\"bo\",\"cy\"]");
    assert_string_equal(event_of(&k, before, "world.busy").cause.p, p.message.uid.p);
    kit_close(&k);
}

static void names_at_the_start_of_a_line_decide_who_answers(void **state)
{
    kit          k;
    skein_posted p;

    kit_open(&k, state);
    p = post(&k, "something for two of you\n  @Bo, @cy: please, not @ada");
    assert_string_equal(shown(&k, &p.deliveries), "ada:inMemory bo:queued cy:queued");
    assert_string_equal(due(&k), "bo cy");
    assert_string_equal(kit_texts(&k, "@ada", 0), p.message.content.p); /* she has it too */
    kit_close(&k);
}

static void an_address_and_an_unknown_name_are_plain_text(void **state)
{
    kit          k;
    skein_posted p;

    kit_open(&k, state);
    p = post(&k, "@nobody, ask ada@example.org, or @example.org\n@adamant");
    assert_string_equal(shown(&k, &p.deliveries), "ada:queued bo:queued cy:queued");
    assert_string_equal(p.message.content.p,
                        "@nobody, ask ada@example.org, or @example.org\n@adamant");
    kit_close(&k);
}

static void who_does_not_reply_by_itself_answers_only_when_named(void **state)
{
    kit          k;
    skein_posted p;

    kit_open(&k, state);
    k.agent[1].settings = skein_text("{\"autoReply\":false}");
    KIT_OK(&k, skein_agent_update(k.e, &k.agent[1], k.mem, &k.err));
    p = post(&k, "hello");
    assert_string_equal(shown(&k, &p.deliveries), "ada:queued bo:inMemory cy:queued");
    answer(&k, "ada", "hi");
    answer(&k, "cy", "hi");
    p = post(&k, "@bo hello");
    assert_string_equal(shown(&k, &p.deliveries), "ada:inMemory bo:queued cy:inMemory");
    kit_close(&k);
}

static void a_message_to_read_only_is_for_nobody(void **state)
{
    kit               k;
    skein_instruction tag = {.type = skein_text("ReadOnly")};
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("@ada note this"),
                                                      .instructions = &tag,
                                                      .instruction_count = 1}};
    skein_posted out;
    int64_t      before;

    kit_open(&k, state);
    before = newest(&k);
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(out.waiting, 0);
    assert_string_equal(shown(&k, &out.deliveries), "ada:inMemory bo:inMemory cy:inMemory");
    assert_string_equal(told(&k, before), "message.created");
    assert_string_equal(due(&k), "");
    kit_close(&k);
}

static void an_agents_own_conversation_is_for_that_agent(void **state)
{
    kit                k;
    skein_conversation own;
    skein_post         p = {
                .message = &(skein_new_message){.content = skein_text("@ada how are you?")}};
    skein_posted out;

    kit_open(&k, state);
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[1].id, SKEIN_FOREGROUND, k.mem, &own, &k.err));
    p.chat = own.id;
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_string_equal(shown(&k, &out.deliveries), "bo:queued");
    answer(&k, "bo", "fine. @ada @bo");
    assert_string_equal(due(&k), ""); /* nobody else is there */
    p.message = &(skein_new_message){.content = skein_text("@ada how are you?"),
                                     .sender = skein_text("bo")};
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(out.waiting, 0);
    kit_close(&k);
}

static void an_agents_message_wakes_only_those_it_names_and_never_itself(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("thinking aloud"),
                                                      .sender = skein_text("ada")}};
    skein_posted out;

    kit_open(&k, state);
    KIT_OK(&k, post_as(&k, &p, &out));
    assert_int_equal(out.waiting, 0);
    post(&k, "@ada hello");
    answer(&k, "ada", "@ada @bo what do you think?\n@ada");
    assert_string_equal(due(&k), "bo");
    answer(&k, "bo", "nothing, @ada");
    assert_string_equal(due(&k), ""); /* not at the start of a line */
    assert_idle(&k);
    kit_close(&k);
}

static void what_is_posted_in_an_agents_name_is_the_assistants_in_its_own_memory(void **state)
{
    kit          k;
    skein_posted out;

    kit_open(&k, state);
    KIT_OK(&k,
           post_as(&k,
                   &(skein_post){
                       .message = &(skein_new_message){.content = skein_text("said for ada"),
                                                       .sender = skein_text("ada")}},
                   &out));
    assert_int_equal(out.message.role, SKEIN_ASSISTANT);
    assert_non_null(strstr(kit_context(&k, "ada"), "assistant:said for ada"));
    assert_non_null(strstr(kit_context(&k, "bo"), "ada: said for ada"));
    kit_close(&k);
}

static void agents_do_not_talk_for_ever(void **state)
{
    kit          k;
    skein_world  limit = {.turn_limit = 3};
    skein_posted p;
    int64_t      before;

    kit_open(&k, state);
    limit.id = k.world.id;
    KIT_OK(&k, skein_world_update(k.e, &limit, k.mem, &k.err));
    p = post(&k, "@ada begin");
    answer(&k, "ada", "@bo 1");
    answer(&k, "bo", "@ada 2");
    before = newest(&k);
    answer(&k, "ada", "@bo @cy 3");
    assert_string_equal(due(&k), "");
    assert_idle(&k);
    assert_string_equal(kit_texts(&k, "main", 0),
                        "@ada begin @bo 1 @ada 2 @bo @cy 3 The agents have answered 3 times in "
                        "a row and pause here. Say something to go on.");
    assert_string_equal(kit_texts(&k, "@bo", 0), "@ada begin @bo 1 @ada 2 @bo @cy 3");
    says(&k, before, "message.created", "\"role\":\"system\",\"sender\":\"system\"");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, p.message.uid.p);

    post(&k, "@bo go on"); /* a new budget */
    answer(&k, "bo", "@ada 4");
    assert_string_equal(due(&k), "ada");
    kit_close(&k);
}

/* --- What is due ---------------------------------------------------------------------------------------- */

static void an_agent_gets_one_thing_to_do_at_a_time(void **state)
{
    kit          k;
    skein_post   now = {.message = &(skein_new_message){.content = skein_text("@ada two")},
                        .now = true};
    skein_posted out;
    skein_turn   t;
    skein_dues   d;

    kit_open(&k, state);
    post(&k, "@ada one");
    KIT_OK(&k, post_as(&k, &now, &out));
    KIT_OK(&k, skein_work_due(k.e, 10, k.mem, &d, &k.err));
    assert_int_equal(d.count, 1);
    t = begin(&k, "ada");
    assert_string_equal(due(&k), "");
    for (int64_t i = 0; i < 2; i++) /* neither the one that is taken nor the next */
        assert_int_equal(skein_turn_begin(k.e, d.at[0].delivery + i, skein_text("x"),
                                          skein_text(NULL), LEASE, k.mem, &(skein_turn){0},
                                          &k.err),
                         SKEIN_NOTHING);
    KIT_OK(&k, finish(&k, &t, "1"));
    assert_string_equal(due(&k), "ada");
    answer(&k, "ada", "2");
    assert_idle(&k);
    kit_close(&k);
}

static void the_model_that_was_asked_for_counts_once(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("@ada @bo hi")},
                      .model = skein_text("local/big")};
    skein_posted out;
    skein_dues   d;

    kit_open(&k, state);
    k.agent[0].model = skein_text("local/small");
    KIT_OK(&k, skein_agent_update(k.e, &k.agent[0], k.mem, &k.err));
    KIT_OK(&k, post_as(&k, &p, &out));
    KIT_OK(&k, skein_work_due(k.e, 10, k.mem, &d, &k.err));
    assert_string_equal(d.at[0].model.p, "local/big");
    answer(&k, "ada", "hi");
    answer(&k, "bo", "@ada hm");
    KIT_OK(&k, skein_work_due(k.e, 10, k.mem, &d, &k.err));
    assert_string_equal(d.at[0].model.p, "local/small");
    kit_close(&k);
}

/* --- The queue ------------------------------------------------------------------------------------------- */

static void what_is_said_while_agents_work_waits_its_turn(void **state)
{
    kit          k;
    skein_posted one, two, three;
    skein_queue  q;
    int64_t      before;

    kit_open(&k, state);
    one = post(&k, "@ada one");
    before = newest(&k);
    two = post(&k, "@bo two");
    three = post(&k, "three");
    assert_true(two.queued);
    assert_int_equal(two.message.id.v, 0);
    assert_string_equal(told(&k, before), "queue.changed queue.changed");
    says(&k, before, "queue.changed", two.message.uid.p);
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one");
    KIT_OK(&k, skein_queue_list(k.e, k.chat.id, k.mem, &q, &k.err));
    assert_int_equal(q.count, 2);
    assert_string_equal(q.at[0].uid.p, two.message.uid.p);
    assert_string_equal(q.at[1].content.p, "three");

    before = newest(&k);
    answer(&k, "ada", "1");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1 @bo two");
    assert_string_equal(due(&k), "bo");
    assert_string_equal(told(&k, before),
                        "agent.state message.started message.completed message.delivered "
                        "agent.state reply.changed world.idle message.created world.busy "
                        "queue.changed");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, one.message.uid.p);
    assert_string_equal(event_of(&k, before, "world.busy").cause.p, two.message.uid.p);
    answer(&k, "bo", "2");
    assert_string_equal(due(&k), "ada bo cy");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1 @bo two 2 three");
    before = newest(&k);
    answer(&k, "cy", "3");
    answer(&k, "bo", "4");
    assert_null(strstr(told(&k, before), "world.idle"));
    answer(&k, "ada", "5");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, three.message.uid.p);
    says(&k, before, "world.idle", "\"pending\":0,\"agents\":[]");
    assert_idle(&k);
    kit_close(&k);
}

static void what_nobody_has_to_answer_does_not_hold_up_the_queue(void **state)
{
    kit               k;
    skein_instruction tag = {.type = skein_text("ReadOnly")};
    skein_post        p = {.message = &(skein_new_message){.content = skein_text("two"),
                                                           .instructions = &tag,
                                                           .instruction_count = 1}};
    skein_posted      two;
    int64_t           before;

    kit_open(&k, state);
    post(&k, "@ada one");
    KIT_OK(&k, post_as(&k, &p, &two));
    assert_true(two.queued);
    post(&k, "@bo three");
    before = newest(&k);
    answer(&k, "ada", "1");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1 two @bo three");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, two.message.uid.p);
    assert_string_equal(due(&k), "bo");
    kit_close(&k);
}

static void a_waiting_message_can_be_changed_and_taken_back(void **state)
{
    kit          k;
    skein_posted two, three;
    skein_queue  q;
    int64_t      before;

    kit_open(&k, state);
    post(&k, "@ada one");
    two = post(&k, "two");
    three = post(&k, "three");
    before = newest(&k);
    KIT_OK(&k,
           skein_queue_edit(k.e, k.chat.id, two.message.uid, skein_text("@cy zwei"), &k.err));
    KIT_OK(&k, skein_queue_remove(k.e, k.chat.id, three.message.uid, &k.err));
    assert_string_equal(told(&k, before), "queue.changed queue.changed world.idle");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, three.message.uid.p);
    says(&k, before, "world.idle", "\"pending\":1,\"agents\":[\"ada\"]");
    KIT_OK(&k, skein_queue_list(k.e, k.chat.id, k.mem, &q, &k.err));
    assert_int_equal(q.count, 1);
    assert_string_equal(q.at[0].content.p, "@cy zwei");
    assert_int_equal(
        skein_queue_edit(k.e, k.chat.id, two.message.uid, skein_text("  "), &k.err),
        SKEIN_INVALID);
    assert_int_equal(
        skein_queue_edit(k.e, k.chat.id, three.message.uid, skein_text("x"), &k.err),
        SKEIN_NOT_FOUND);
    assert_int_equal(skein_queue_remove(k.e, k.chat.id, skein_text("nope"), &k.err),
                     SKEIN_NOT_FOUND);
    answer(&k, "ada", "1");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1 @cy zwei");
    assert_string_equal(due(&k), "cy");
    kit_close(&k);
}

static void a_waiting_message_can_be_said_at_once(void **state)
{
    kit          k;
    skein_posted one, two, three, out;
    skein_turn   t;
    int64_t      before;

    kit_open(&k, state);
    one = post(&k, "@ada one");
    two = post(&k, "@cy two");
    three = post(&k, "@bo three");
    t = begin(&k, "ada");
    before = newest(&k);
    KIT_OK(&k, skein_queue_send(k.e, k.chat.id, three.message.uid, k.mem, &out, &k.err));
    assert_string_equal(out.message.uid.p, three.message.uid.p);
    assert_int_equal(out.waiting, 1);
    assert_string_equal(told(&k, before), "message.created queue.changed"); /* busy before */
    assert_string_equal(due(&k), "bo");
    answer(&k, "bo", "3");
    /* What it caused is done with; the world is not idle yet. */
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, three.message.uid.p);
    says(&k, before, "world.idle", "\"pending\":1,\"agents\":[\"ada\"]");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one @bo three 3");
    KIT_OK(&k, finish(&k, &t, "1"));
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, one.message.uid.p);
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one @bo three 3 1 @cy two");
    assert_int_equal(skein_queue_send(k.e, k.chat.id, two.message.uid, k.mem, &out, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void what_waits_keeps_what_it_came_with(void **state)
{
    kit               k;
    skein_instruction tag = {skein_text("ResponseExpected"), skein_text("bo")};
    skein_posted      one, out;
    skein_post        p = {.client_id = skein_text("tmp-1"), .model = skein_text("local/big")};
    skein_slice       last = {.from = -1};
    skein_messages    m;
    skein_at          at;
    skein_dues        d;
    int64_t           before;

    kit_open(&k, state);
    one = post(&k, "@ada one");
    p.message = &(skein_new_message){.content = skein_text("@bo two"),
                                     .sender = skein_text("eve"),
                                     .reply_to = one.message.uid,
                                     .instructions = &tag,
                                     .instruction_count = 1};
    KIT_OK(&k, post_as(&k, &p, &out));
    before = newest(&k);
    answer(&k, "ada", "1");
    last.conversation = k.chat.id;
    KIT_OK(&k, skein_read(k.e, &last, k.mem, &m, &at, &k.err));
    assert_string_equal(m.at[0].uid.p, out.message.uid.p);
    assert_string_equal(m.at[0].sender.p, "eve");
    assert_string_equal(m.at[0].reply_to.p, one.message.uid.p);
    assert_int_equal(m.at[0].instruction_count, 1);
    assert_string_equal(m.at[0].instructions[0].target.p, "bo");
    says(&k, before, "message.created", "\"clientMessageId\":\"tmp-1\"");
    KIT_OK(&k, skein_work_due(k.e, 10, k.mem, &d, &k.err));
    assert_string_equal(d.at[0].model.p, "local/big");
    kit_close(&k);
}

/* --- The client's own ids ----------------------------------------------------------------------------------- */

static void a_post_that_comes_twice_is_stored_once(void **state)
{
    kit          k;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("@ada one")},
                      .client_id = skein_text("tmp-1")};
    skein_posted first, again, other;

    kit_open(&k, state);
    KIT_OK(&k, post_as(&k, &p, &first));
    assert_false(first.again);
    KIT_OK(&k, post_as(&k, &p, &again));
    assert_true(again.again);
    assert_false(again.queued);
    assert_string_equal(again.message.uid.p, first.message.uid.p);
    assert_int_equal(again.waiting, 1);
    assert_string_equal(shown(&k, &again.deliveries), "ada:queued bo:inMemory cy:inMemory");
    answer(&k, "ada", "1");
    KIT_OK(&k, post_as(&k, &p, &again));
    assert_int_equal(again.waiting, 0);
    assert_string_equal(shown(&k, &again.deliveries), "ada:answered bo:inMemory cy:inMemory");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1");

    p.message = &(skein_new_message){.content = skein_text("@ada two")};
    assert_int_equal(post_as(&k, &p, &other), SKEIN_CONFLICT);
    p.client_id = skein_text("tmp-2");
    KIT_OK(&k, post_as(&k, &p, &other));
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one 1 @ada two");
    kit_close(&k);
}

static void a_post_that_comes_twice_waits_once(void **state)
{
    kit                k;
    skein_post         p = {.message = &(skein_new_message){.content = skein_text("two")},
                            .client_id = skein_text("tmp-2")};
    skein_conversation other;
    skein_posted       first, again;
    skein_queue        q;

    kit_open(&k, state);
    post(&k, "@ada one");
    KIT_OK(&k, post_as(&k, &p, &first));
    KIT_OK(&k, post_as(&k, &p, &again));
    assert_true(again.again && again.queued);
    assert_string_equal(again.message.uid.p, first.message.uid.p);
    KIT_OK(&k, skein_queue_list(k.e, k.chat.id, k.mem, &q, &k.err));
    assert_int_equal(q.count, 1);
    KIT_OK(&k, skein_queue_remove(k.e, k.chat.id, first.message.uid, &k.err));
    assert_int_equal(post_as(&k, &p, &again), SKEIN_CONFLICT); /* it was taken back */

    /* Another chat has ids of its own. */
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("b"), k.mem, &other, &k.err));
    p.chat = other.id;
    KIT_OK(&k, post_as(&k, &p, &again));
    assert_false(again.again);
    kit_close(&k);
}

static void what_cannot_be_posted_is_refused(void **state)
{
    kit          k;
    skein_posted out;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text(" \n")}};
    const char  *before;

    kit_open(&k, state);
    before = kit_state(&k);
    assert_int_equal(post_as(&k, &p, &out), SKEIN_INVALID);
    p.message = &(skein_new_message){.role = SKEIN_ASSISTANT, .content = skein_text("x")};
    assert_int_equal(post_as(&k, &p, &out), SKEIN_INVALID);
    p.message = &(skein_new_message){.uid = skein_text("mine"), .content = skein_text("x")};
    assert_int_equal(post_as(&k, &p, &out), SKEIN_INVALID);
    p.message = &(skein_new_message){.content = skein_text("x")};
    p.client_id = skein_text("a\nb");
    assert_int_equal(post_as(&k, &p, &out), SKEIN_INVALID);
    p.client_id = skein_text(NULL);
    p.chat.v = 4711;
    assert_int_equal(post_as(&k, &p, &out), SKEIN_NOT_FOUND);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

/* --- What became of messages ---------------------------------------------------------------------------------- */

static void what_became_of_messages_is_known(void **state)
{
    kit              k;
    skein_error      why = {.rc = SKEIN_PROVIDER, .message = "no answer"};
    skein_posted     p;
    skein_turn       t;
    skein_slice      all = {0};
    skein_messages   m;
    skein_at         at;
    skein_deliveries d[8];

    kit_open(&k, state);
    kit_whisper(&k, "cy", "psst");
    p = post(&k, "@ada @bo hi");
    answer(&k, "ada", "hello");
    t = begin(&k, "bo");
    all.conversation = k.chat.id;
    KIT_OK(&k, skein_read(k.e, &all, k.mem, &m, &at, &k.err));
    assert_int_equal(m.count, 3);
    KIT_OK(&k, skein_deliveries_of(k.e, k.chat.id, &m, k.mem, d, &k.err));
    assert_string_equal(shown(&k, &d[0]), "cy:inMemory");
    assert_string_equal(shown(&k, &d[1]), "ada:answered bo:queued cy:inMemory");
    assert_string_equal(shown(&k, &d[2]), "bo:inMemory cy:inMemory"); /* ada said it */
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, &why, &k.err));
    m.at[0] = p.message;
    m.count = 1;
    KIT_OK(&k, skein_deliveries_of(k.e, k.chat.id, &m, k.mem, d, &k.err));
    assert_string_equal(shown(&k, &d[0]), "ada:answered bo:failed cy:inMemory");
    m.count = 0;
    KIT_OK(&k, skein_deliveries_of(k.e, k.chat.id, &m, k.mem, d, &k.err));
    kit_close(&k);
}

/* --- What goes takes its work along ------------------------------------------------------------------------------ */

static void what_became_of_messages_is_known_in_every_version(void **state)
{
    kit              k;
    skein_posted     p;
    skein_deliveries d;
    skein_version    v;
    skein_messages   one;

    kit_open(&k, state);
    p = post(&k, "@ada hello");
    answer(&k, "ada", "hi");
    one = (skein_messages){&p.message, 1};
    KIT_OK(&k,
           skein_delete(k.e, &k.how, (skein_message_ids){&p.message.id, 1}, k.mem, &v, &k.err));
    KIT_OK(&k, skein_deliveries_of(k.e, k.chat.id, &one, k.mem, &d, &k.err));
    assert_string_equal(shown(&k, &d), ""); /* nobody remembers it now */
    KIT_OK(&k, skein_deliveries_in(k.e, k.chat.id, v.number, &one, k.mem, &d, &k.err));
    assert_string_equal(shown(&k, &d), "");
    KIT_OK(&k, skein_deliveries_in(k.e, k.chat.id, v.origin, &one, k.mem, &d, &k.err));
    assert_string_equal(shown(&k, &d), "ada:answered bo:inMemory cy:inMemory");
    assert_int_equal(skein_deliveries_in(k.e, k.chat.id, 99, &one, k.mem, &d, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void a_waiting_message_is_found_in_its_world(void **state)
{
    kit                k;
    skein_world        other = {.name = skein_text("other")};
    skein_conversation home;
    skein_posted       p, q;

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    post(&k, "@ada hello");
    p = post(&k, "and then?");
    assert_true(p.queued);
    KIT_OK(&k, skein_queue_find(k.e, k.world.id, p.message.uid, k.mem, &q, &home, &k.err));
    assert_true(q.queued);
    assert_string_equal(q.message.content.p, "and then?");
    assert_int_equal(q.message.position, -1);
    assert_int_equal(home.id.v, k.chat.id.v);
    assert_int_equal(skein_queue_find(k.e, other.id, p.message.uid, k.mem, &q, &home, &k.err),
                     SKEIN_NOT_FOUND);
    answer(&k, "ada", "hi"); /* now it is said */
    assert_int_equal(skein_queue_find(k.e, k.world.id, p.message.uid, k.mem, &q, &home, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void an_agent_that_is_removed_holds_nobody_up(void **state)
{
    kit        k;
    skein_turn t;
    int64_t    before;

    kit_open(&k, state);
    post(&k, "@ada @bo one");
    post(&k, "@cy two");
    t = begin(&k, "ada");
    answer(&k, "bo", "1");
    before = newest(&k);
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[0].id, true, &k.err));
    assert_string_equal(told(&k, before),
                        "agent.removed message.withdrawn message.delivered agent.state "
                        "world.idle message.created world.busy queue.changed");
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_string_equal(kit_texts(&k, "main", 0), "@ada @bo one 1 @cy two");
    assert_string_equal(due(&k), "cy");
    kit_close(&k);
}

/* Two transactions at the same moment: the one that removes the agent does not see the other's. */
static void work_that_came_while_its_agent_was_removed_is_nobodys(void **state)
{
    kit          k;
    skein_posted one, two;
    int64_t      delivery, before;

    kit_open(&k, state);
    one = post(&k, "@ada one");
    post(&k, "@bo two");
    delivery = due_of(&k, "ada");
    skn_fixture_sql(k.fx, "UPDATE agents SET removed_at = 1 WHERE name = 'ada'");
    assert_string_equal(due(&k), "");
    assert_int_equal(skein_turn_begin(k.e, delivery, skein_text("x"), skein_text(NULL), LEASE,
                                      k.mem, &(skein_turn){0}, &k.err),
                     SKEIN_NOTHING);
    before = newest(&k);
    two = post(&k, "@cy three");
    assert_true(two.queued); /* after what waited before it */
    assert_string_equal(kit_texts(&k, "main", 0), "@ada one @bo two");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, one.message.uid.p);
    assert_string_equal(due(&k), "bo");
    kit_close(&k);
}

static void a_chat_or_world_that_is_removed_leaves_no_work(void **state)
{
    kit                k;
    skein_conversation other;
    skein_post         p = {.message = &(skein_new_message){.content = skein_text("hi")}};
    skein_posted       out;
    skein_turn         t;

    kit_open(&k, state);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("b"), k.mem, &other, &k.err));
    p.chat = other.id;
    KIT_OK(&k, post_as(&k, &p, &out));
    KIT_OK(&k, post_as(&k, &p, &out));
    t = begin(&k, "ada");
    KIT_OK(&k, skein_conversation_remove(k.e, other.id, true, &k.err));
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_idle(&k);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM waiting"), 1);

    post(&k, "one");
    t = begin(&k, "bo");
    KIT_OK(&k, skein_world_remove(k.e, k.world.id, true, &k.err));
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    assert_idle(&k);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

/* --- Many at once -------------------------------------------------------------------------------------------------- */

enum { POSTERS = 8, EACH = 12 };

typedef struct poster {
    kit *k;
    int  number;
    int  failed;
} poster;

static void *post_many(void *arg)
{
    poster      *p = arg;
    skein_mem   *mem = skein_mem_new();
    skein_error  err;
    skein_posted out;

    for (int i = 0; i < EACH; i++) {
        char              text[32], id[32];
        skein_new_message said = SKEIN_NEW_MESSAGE_INIT;
        skein_post        what = {.chat = p->k->chat.id, .message = &said};

        snprintf(text, sizeof text, "@ada %d.%02d", p->number, i);
        snprintf(id, sizeof id, "c%d.%d", p->number, i);
        said.content = skein_text(text);
        what.client_id = skein_text(id);
        for (int twice = 0; twice < 2; twice++) /* the answer got lost, so it comes again */
            p->failed += skein_post_message(p->k->e, &what, mem, &out, &err) != SKEIN_OK;
    }
    skein_mem_free(mem);
    return NULL;
}

/* Answers until all were said; a turn at a time, as everybody else writes. */
static void answer_all(kit *k)
{
    for (int done = 0; done < POSTERS * EACH;) {
        skein_dues d;

        KIT_OK(k, skein_work_due(k->e, 10, k->mem, &d, &k->err));
        if (d.count == 0)
            continue;
        answer(k, "ada", "ok");
        done++;
    }
}

static void eight_posters_make_one_order_and_each_message_once(void **state)
{
    kit            k;
    pthread_t      threads[POSTERS];
    poster         posters[POSTERS];
    skein_slice    all = {0};
    skein_messages m, memory;
    skein_at       at;
    int            next[POSTERS] = {0}, said = 0;

    kit_open(&k, state);
    for (int i = 0; i < POSTERS; i++) {
        posters[i] = (poster){&k, i, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, post_many, &posters[i]), 0);
    }
    answer_all(&k);
    for (int i = 0; i < POSTERS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(posters[i].failed, 0);
    }
    all.conversation = k.chat.id;
    KIT_OK(&k, skein_read(k.e, &all, k.mem, &m, &at, &k.err));
    assert_int_equal(m.count, 2 * POSTERS * EACH);
    for (size_t i = 0; i < m.count; i++) {
        int who, which;

        /* Each is answered before the next is said. */
        assert_int_equal(m.at[i].role, i % 2 ? SKEIN_ASSISTANT : SKEIN_USER);
        if (i % 2) {
            assert_string_equal(m.at[i].reply_to.p, m.at[i - 1].uid.p);
            continue;
        }
        assert_int_equal(sscanf(m.at[i].content.p, "@ada %d.%d", &who, &which), 2);
        assert_int_equal(which, next[who]++);
        said++;
    }
    assert_int_equal(said, POSTERS * EACH);
    all.lane = skein_text("@cy");
    KIT_OK(&k, skein_read(k.e, &all, k.mem, &memory, &at, &k.err));
    assert_int_equal(memory.count, m.count);
    for (size_t i = 0; i < m.count; i++)
        assert_int_equal(memory.at[i].id.v, m.at[i].id.v);
    assert_idle(&k);
    kit_close(&k);
}

/* --- Agents that are paused ----------------------------------------------------------------------------- */

static void set_paused(kit *k, int agent, bool paused)
{
    KIT_OK(k, skein_agent_pause(k->e, k->agent[agent].id, paused, &k->err));
}

static void work_of_a_paused_agent_holds_nobody_up(void **state)
{
    kit          k;
    skein_posted p;
    int64_t      before;

    kit_open(&k, state);
    set_paused(&k, 0, true);
    before = newest(&k);
    p = post(&k, "@ada hi");
    assert_false(p.queued);
    assert_int_equal(p.waiting, 0);
    assert_string_equal(shown(&k, &p.deliveries), "ada:queued bo:inMemory cy:inMemory");
    assert_string_equal(told(&k, before), "message.created");
    p = post(&k, "hello");
    assert_false(p.queued);
    assert_int_equal(p.waiting, 2);
    says(&k, before, "world.busy", "\"pending\":2,\"agents\":[\"bo\",\"cy\"]");
    answer(&k, "bo", "@ada what do you think?");
    p = post(&k, "@cy and then?");
    assert_true(p.queued);
    before = newest(&k);
    answer(&k, "cy", "hi"); /* what waited is said */
    says(&k, before, "world.idle", "\"pending\":0,\"agents\":[]");
    assert_string_equal(due(&k), "cy");
    answer(&k, "cy", "nothing");
    assert_string_equal(due(&k), "");
    set_paused(&k, 0, false);
    answer(&k, "ada", "here I am"); /* one after the other */
    answer(&k, "ada", "good");
    assert_idle(&k);
    kit_close(&k);
}

static void a_pause_lets_go_what_waits_for_the_agent(void **state)
{
    kit          k;
    skein_posted first, second;
    skein_turn   t;
    int64_t      before;

    kit_open(&k, state);
    first = post(&k, "@ada hi");
    second = post(&k, "@bo hello");
    assert_true(second.queued);
    before = newest(&k);
    set_paused(&k, 0, true);
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, first.message.uid.p);
    assert_string_equal(event_of(&k, before, "world.busy").cause.p, second.message.uid.p);
    assert_string_equal(due(&k), "bo");
    answer(&k, "bo", "hi");
    set_paused(&k, 0, false);
    t = begin(&k, "ada");
    second = post(&k, "@bo more");
    set_paused(&k, 0, true);
    assert_string_equal(due(&k), ""); /* she is at it, and goes on */
    KIT_OK(&k, finish(&k, &t, "there"));
    answer(&k, "bo", "well");
    assert_idle(&k);
    kit_close(&k);
}

static void a_change_takes_along_work_of_a_paused_agent(void **state)
{
    kit           k;
    skein_posted  kept, gone;
    skein_removal r;
    skein_version v;
    skein_message edited;
    int64_t       before;

    kit_open(&k, state);
    set_paused(&k, 0, true);
    kept = post(&k, "@ada one");
    gone = post(&k, "@ada two");
    before = newest(&k);
    KIT_OK(&k, skein_remove_from(k.e, &k.how, gone.message.id, false, k.mem, &r, &k.err));
    says(&k, before, "message.delivered", "\"agent\":\"ada\",\"state\":\"inMemory\"");
    assert_string_equal(event_of(&k, before, "world.idle").cause.p, gone.message.uid.p);
    set_paused(&k, 0, false);
    assert_string_equal(due(&k), "ada");
    assert_int_equal(
        skein_amend(k.e, &k.how, kept.message.id, skein_text("x"), k.mem, &v, &edited, &k.err),
        SKEIN_AT_WORK);
    set_paused(&k, 0, true);
    KIT_OK(&k, skein_amend(k.e, &k.how, kept.message.id, skein_text("x"), k.mem, &v, &edited,
                           &k.err));
    assert_idle(&k);
    kit_valid(&k);
    kit_close(&k);
}

static void a_stop_drops_and_counts_work_of_a_paused_agent(void **state)
{
    kit        k;
    skein_stop stop;
    int64_t    stopped;

    kit_open(&k, state);
    set_paused(&k, 0, true);
    post(&k, "@ada one");
    post(&k, "@ada two");
    stop = (skein_stop){.chat = k.chat.id};
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_int_equal(stopped, 2);
    assert_idle(&k);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_message_that_names_nobody_is_for_all),
        SKN_BOTH(names_at_the_start_of_a_line_decide_who_answers),
        SKN_BOTH(an_address_and_an_unknown_name_are_plain_text),
        SKN_BOTH(who_does_not_reply_by_itself_answers_only_when_named),
        SKN_BOTH(a_message_to_read_only_is_for_nobody),
        SKN_BOTH(an_agents_own_conversation_is_for_that_agent),
        SKN_BOTH(an_agents_message_wakes_only_those_it_names_and_never_itself),
        SKN_BOTH(what_is_posted_in_an_agents_name_is_the_assistants_in_its_own_memory),
        SKN_BOTH(agents_do_not_talk_for_ever),
        SKN_BOTH(an_agent_gets_one_thing_to_do_at_a_time),
        SKN_BOTH(the_model_that_was_asked_for_counts_once),
        SKN_BOTH(what_is_said_while_agents_work_waits_its_turn),
        SKN_BOTH(what_nobody_has_to_answer_does_not_hold_up_the_queue),
        SKN_BOTH(a_waiting_message_can_be_changed_and_taken_back),
        SKN_BOTH(a_waiting_message_can_be_said_at_once),
        SKN_BOTH(what_waits_keeps_what_it_came_with),
        SKN_BOTH(a_post_that_comes_twice_is_stored_once),
        SKN_BOTH(a_post_that_comes_twice_waits_once),
        SKN_BOTH(what_cannot_be_posted_is_refused),
        SKN_BOTH(what_became_of_messages_is_known),
        SKN_BOTH(what_became_of_messages_is_known_in_every_version),
        SKN_BOTH(a_waiting_message_is_found_in_its_world),
        SKN_BOTH(an_agent_that_is_removed_holds_nobody_up),
        SKN_BOTH(work_that_came_while_its_agent_was_removed_is_nobodys),
        SKN_BOTH(a_chat_or_world_that_is_removed_leaves_no_work),
        SKN_BOTH(work_of_a_paused_agent_holds_nobody_up),
        SKN_BOTH(a_pause_lets_go_what_waits_for_the_agent),
        SKN_BOTH(a_change_takes_along_work_of_a_paused_agent),
        SKN_BOTH(a_stop_drops_and_counts_work_of_a_paused_agent),
        SKN_BOTH(eight_posters_make_one_order_and_each_message_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
