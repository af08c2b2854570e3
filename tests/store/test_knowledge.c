/* test_knowledge.c: what agents keep in mind, forget, and find again; and how far it was looked for. */
#include "store/task_kit.h"

static const char *in_mind(kit *k, int agent, const char *words)
{
    skein_knowledges list;
    skn_buf          buf;
    skn_str          text;

    KIT_OK(k, skein_knowledge_list(k->e, k->agent[agent].id, skein_text(words), 0, k->mem,
                                   &list, &k->err));
    skn_buf_init(&buf, 1 << 16);
    for (size_t i = 0; i < list.count; i++)
        skn_buf_addf(&buf, "%s%s", i ? " | " : "", list.at[i].content.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

static skein_rc remember(kit *k, skein_turn *t, const char *type, const char *text,
                         skein_acted *out)
{
    return act_as(k, t,
                  (skein_act){.kind = SKEIN_ACT_REMEMBER,
                              .type = skein_text(type),
                              .text = skein_text(text)},
                  out);
}

static skein_turn at_work(kit *k, int agent)
{
    task_of(k, agent, "learn");
    return work(k, agent);
}

static void what_is_kept_in_mind_is_there_once(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_acted      one, again;
    skein_knowledges list;

    kit_open(&k, state);
    turn = at_work(&k, ADA);
    KIT_OK(&k, remember(&k, &turn, "fact", "The freeze ends at noon", &one));
    assert_int_equal(strncmp(one.result.content.p, "Kept in mind as know_", 21), 0);
    KIT_OK(&k, remember(&k, &turn, "lesson", " The freeze ends at noon\n", &again));
    assert_string_equal(one.uid.p, again.uid.p);
    KIT_OK(&k, remember(&k, &turn, "preference", "Short answers", &again));
    KIT_OK(&k,
           skein_knowledge_list(k.e, k.agent[ADA].id, (skein_str){0}, 0, k.mem, &list, &k.err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.at[0].content.p, "Short answers");
    assert_string_equal(list.at[0].type.p, "preference");
    assert_int_equal(list.at[0].confidence, 80);
    assert_string_equal(list.at[1].type.p, "fact");
    assert_string_equal(list.at[1].chat_uid.p, turn.chat_uid.p);
    assert_non_null(list.at[1].message_uid.p);
    assert_string_equal(in_mind(&k, BO, ""), "");
    /* Another agent may think the same. */
    turn = at_work(&k, BO);
    KIT_OK(&k, remember(&k, &turn, "fact", "Short answers", &again));
    assert_string_equal(in_mind(&k, BO, ""), "Short answers");
    kit_check(&k);
    kit_close(&k);
}

static void what_has_all_words_is_found_in_any_case(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_acted      done;
    skein_knowledges list;

    kit_open(&k, state);
    turn = at_work(&k, ADA);
    KIT_OK(&k, remember(&k, &turn, "fact", "Die ÜBUNG ends at Noon, 100% sure", &done));
    KIT_OK(&k, remember(&k, &turn, "fact", "noon is 12:00", &done));
    assert_string_equal(in_mind(&k, ADA, "NOON"),
                        "noon is 12:00 | Die ÜBUNG ends at Noon, 100% sure");
    assert_string_equal(in_mind(&k, ADA, "noon übung"), "Die ÜBUNG ends at Noon, 100% sure");
    assert_string_equal(in_mind(&k, ADA, "noon friday"), "");
    assert_string_equal(in_mind(&k, ADA, "1%0"), "");
    KIT_OK(&k, skein_knowledge_list(k.e, k.agent[ADA].id, skein_text("noon"), 1, k.mem, &list,
                                    &k.err));
    assert_int_equal(list.count, 1);
    kit_close(&k);
}

static void what_is_forgotten_can_be_learnt_again(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted one, two;
    skein_act   forget = {.kind = SKEIN_ACT_FORGET};

    kit_open(&k, state);
    turn = at_work(&k, ADA);
    KIT_OK(&k, remember(&k, &turn, "fact", "x is 1", &one));
    forget.text = one.uid;
    KIT_OK(&k, act_as(&k, &turn, forget, &two));
    assert_string_equal(two.result.content.p, "Forgotten");
    assert_string_equal(in_mind(&k, ADA, ""), "");
    assert_int_equal(act_as(&k, &turn, forget, &two), SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    turn = at_work(&k, ADA);
    KIT_OK(&k, remember(&k, &turn, "fact", "x is 1", &two));
    assert_string_not_equal(one.uid.p, two.uid.p);
    assert_string_equal(in_mind(&k, ADA, ""), "x is 1");
    /* Nobody forgets for another. */
    turn = at_work(&k, BO);
    forget.text = two.uid;
    assert_int_equal(act_as(&k, &turn, forget, &one), SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void what_cannot_be_kept_in_mind(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;
    char        large[9000];

    kit_open(&k, state);
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    turn = at_work(&k, ADA);
    call_tool(&k, &turn, "c1", "remember");
    skein_act bad[] = {
        {.kind = SKEIN_ACT_REMEMBER, .type = skein_text("rumour"), .text = skein_text("x")},
        {.kind = SKEIN_ACT_REMEMBER, .type = skein_text("fact"), .text = skein_text(" ")},
        {.kind = SKEIN_ACT_REMEMBER,
         .type = skein_text("fact"),
         .text = skein_text("x"),
         .confidence = 101},
        {.kind = SKEIN_ACT_REMEMBER, .type = skein_text("fact"), .text = skein_text(large)}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bad[i].call_id = skein_text("c1");
        assert_int_equal(skein_turn_act(k.e, &turn, &bad[i], k.mem, &done, &k.err),
                         i == 3 ? SKEIN_LIMIT : SKEIN_INVALID);
    }
    assert_string_equal(in_mind(&k, ADA, ""), "");
    kit_close(&k);
}

/* --- How far was looked ---------------------------------------------------------------------------------------------- */

static size_t due_now(kit *k, size_t limit, int64_t *from, int64_t *upto)
{
    skein_messages m;

    KIT_OK(k,
           skein_knowledge_due(k->e, k->agent[ADA].id, limit, k->mem, &m, from, upto, &k->err));
    return m.count;
}

static void knowledge_is_taken_from_each_message_once(void **state)
{
    kit             k;
    skein_turn      turn;
    int64_t         from, upto, stored;
    skein_knowledge items[] = {
        {.type = skein_text("fact"), .content = skein_text("one"), .confidence = 90},
        {.type = skein_text("fact"), .content = skein_text("one"), .confidence = 90},
        {.type = skein_text("insight"), .content = skein_text("two"), .confidence = -1}};

    kit_open(&k, state);
    assert_int_equal(due_now(&k, 10, &from, &upto), 0);
    assert_int_equal(upto, 0);
    turn = at_work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "learnt"));
    assert_int_equal(due_now(&k, 10, &from, &upto), 2);
    assert_int_equal(from, 0);
    assert_true(upto > 0);
    KIT_OK(&k, skein_knowledge_take(k.e, k.agent[ADA].id, from, upto, items, 3, NULL, NULL,
                                    &stored, &k.err));
    assert_int_equal(stored, 2);
    assert_string_equal(in_mind(&k, ADA, ""), "two | one");
    assert_int_equal(due_now(&k, 10, &from, &upto), 0);
    assert_int_equal(from, upto);
    turn = at_work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "more"));
    assert_int_equal(due_now(&k, 1, &from, &upto), 1);
    KIT_OK(&k, skein_knowledge_take(k.e, k.agent[ADA].id, from, upto, NULL, 0, NULL, NULL,
                                    &stored, &k.err));
    assert_int_equal(due_now(&k, 10, &from, &upto), 1);
    kit_close(&k);
}

static void of_two_who_take_the_same_one_is_refused(void **state)
{
    kit             k;
    skein_turn      turn;
    int64_t         from, upto, stored;
    skein_knowledge item = {
        .type = skein_text("fact"), .content = skein_text("x"), .confidence = 90};
    skein_knowledge bad = {
        .type = skein_text("rumour"), .content = skein_text("y"), .confidence = 90};

    kit_open(&k, state);
    turn = at_work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "learnt"));
    due_now(&k, 10, &from, &upto);
    /* What fails moves no mark. */
    assert_int_equal(skein_knowledge_take(k.e, k.agent[ADA].id, from, upto, &bad, 1, NULL, NULL,
                                          &stored, &k.err),
                     SKEIN_INVALID);
    assert_int_equal(due_now(&k, 10, &from, &upto), 2);
    KIT_OK(&k, skein_knowledge_take(k.e, k.agent[ADA].id, from, upto, NULL, 0, NULL, NULL,
                                    &stored, &k.err));
    assert_int_equal(skein_knowledge_take(k.e, k.agent[ADA].id, from, upto, &item, 1, NULL,
                                          NULL, &stored, &k.err),
                     SKEIN_CONFLICT);
    assert_string_equal(in_mind(&k, ADA, ""), "");
    assert_int_equal(
        skein_knowledge_take(k.e, k.agent[BO].id, 0, 1, &item, 1, NULL, NULL, &stored, &k.err),
        SKEIN_CONFLICT);
    kit_close(&k);
}

static void what_comes_while_knowledge_is_taken_is_next(void **state)
{
    kit        k;
    skein_turn turn;
    int64_t    from, upto, stored;

    kit_open(&k, state);
    turn = at_work(&k, ADA);
    KIT_OK(&k, finish(&k, &turn, "learnt"));
    due_now(&k, 10, &from, &upto);
    turn = at_work(&k, ADA);
    KIT_OK(&k, skein_knowledge_take(k.e, k.agent[ADA].id, from, upto, NULL, 0, NULL, NULL,
                                    &stored, &k.err));
    assert_int_equal(due_now(&k, 10, &from, &upto), 1);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(what_is_kept_in_mind_is_there_once),
        SKN_BOTH(what_has_all_words_is_found_in_any_case),
        SKN_BOTH(what_is_forgotten_can_be_learnt_again),
        SKN_BOTH(what_cannot_be_kept_in_mind),
        SKN_BOTH(knowledge_is_taken_from_each_message_once),
        SKN_BOTH(of_two_who_take_the_same_one_is_refused),
        SKN_BOTH(what_comes_while_knowledge_is_taken_is_next),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
