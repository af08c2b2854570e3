/* The rules of the fold, one by one. */
#include "test_timeline_kit.h"

static skein_timelines *new_set(void)
{
    return skein_timelines_new(NULL);
}

static void each_kind_of_record_becomes_its_kind_of_item(void **state)
{
    static const skein_item_kind kinds[] = {
        SKEIN_ITEM_USER_MESSAGE,   SKEIN_ITEM_AGENT_MESSAGE,  SKEIN_ITEM_THINKING,
        SKEIN_ITEM_SYSTEM_MESSAGE, SKEIN_ITEM_SYSTEM_MESSAGE, SKEIN_ITEM_SYSTEM_MESSAGE,
        SKEIN_ITEM_TOOL_EXECUTION, SKEIN_ITEM_ORPHAN_RESULT,  SKEIN_ITEM_SUMMARY};
    skein_timelines *set = new_set();

    (void)state;
    for (int i = 0; i < 9; i++) {
        skein_record r = kit_said(NULL, (skein_record_type)i, "text");

        r.call_id = i == 7 ? SKN_STR("nobody") : SKN_STR("c");
        kit_apply(set, r);
    }
    for (size_t i = 0; i < 9; i++)
        assert_int_equal(kit_item(set, "main", i).kind, kinds[i]);
    kit_assert_text(kit_item(set, "main", 3).text, "text");
    kit_conserved(set);
    skein_timelines_free(set);
}

static void prompts_say_which_event_they_were(void **state)
{
    skein_timelines *set = new_set();
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_apply(set, kit_said("1", SKEIN_RECORD_USER_SYSTEM_PROMPT, "be brief"));
    assert_true(
        skn_str_find(kit_json(set, mem), SKN_STR("{\"kind\":\"system_message\",\"id\":\"1\","
                                                 "\"messageId\":null,\"at\":null,"
                                                 "\"eventType\":\"USER_SYSTEM_PROMPT\","
                                                 "\"content\":\"be brief\"}")) > 0);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void a_result_joins_its_call(void **state)
{
    skein_timelines    *set = new_set();
    skein_timeline_item item;

    (void)state;
    kit_apply(set, kit_call("1", "c"));
    assert_false(kit_item(set, "main", 0).answered);
    kit_apply(set, kit_result("2", "c", "done"));
    item = kit_item(set, "main", 0);
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 1);
    assert_true(item.answered);
    kit_assert_text(item.result.text, "done");
    kit_assert_text(item.result.id, "2");
    kit_conserved(set);
    skein_timelines_free(set);
}

static void a_reused_call_id_pairs_with_the_nearest_open_call(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_call("1", "call_1"));
    kit_apply(set, kit_result("2", "call_1", "first"));
    kit_apply(set, kit_call("3", "call_1"));
    kit_apply(set, kit_result("4", "call_1", "second"));
    kit_assert_text(kit_item(set, "main", 0).result.text, "first");
    kit_assert_text(kit_item(set, "main", 1).result.text, "second");
    assert_int_equal(kit_item(set, "main", 0).occurrence, 1);
    assert_int_equal(kit_item(set, "main", 1).occurrence, 2);
    kit_conserved(set);
    skein_timelines_free(set);
}

static void a_late_result_updates_the_item_that_was_already_built(void **state)
{
    skein_timelines *set = new_set();
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_apply(set, kit_call("1", "c"));
    kit_apply(set, kit_said("2", SKEIN_RECORD_USER_MESSAGE, "are you there?"));
    assert_true(skn_str_find(kit_json(set, mem), SKN_STR("\"result\":null")) > 0);
    kit_apply(set, kit_result("3", "c", "late"));
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 2);
    kit_assert_text(kit_item(set, "main", 0).result.text, "late");
    assert_int_equal(skn_str_find(kit_json(set, mem), SKN_STR("\"result\":null")), -1);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void two_open_calls_with_one_id_are_answered_last_first(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_call("1", "c"));
    kit_apply(set, kit_call("2", "c"));
    kit_apply(set, kit_result("3", "c", "a"));
    kit_apply(set, kit_result("4", "c", "b"));
    kit_assert_text(kit_item(set, "main", 1).result.text, "a");
    kit_assert_text(kit_item(set, "main", 0).result.text, "b");
    skein_timelines_free(set);
}

static void a_further_result_is_kept_as_a_duplicate(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_call("1", "c"));
    kit_apply(set, kit_result("2", "c", "first"));
    for (int i = 0; i < 5; i++) {
        char id[2] = {(char)('a' + i), '\0'};

        kit_apply(set, kit_result(id, "c", id));
    }
    kit_assert_text(kit_item(set, "main", 0).result.text, "first");
    assert_int_equal(kit_item(set, "main", 0).duplicate_count, 5);
    kit_assert_text(skein_timeline_duplicate(kit_lane(set, "main"), 0, 4).text, "e");
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 1);
    kit_conserved(set);
    skein_timelines_free(set);
}

static void a_result_before_its_call_waits_for_it_and_is_shown_alone_until_then(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_result("1", "c", "early"));
    kit_apply(set, kit_result("2", "c", "early too"));
    assert_int_equal(kit_item(set, "main", 0).kind, SKEIN_ITEM_ORPHAN_RESULT);
    kit_conserved(set);
    kit_apply(set, kit_call("3", "c"));
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 2);
    assert_int_equal(kit_item(set, "main", 0).kind, SKEIN_ITEM_TOOL_EXECUTION);
    assert_true(kit_item(set, "main", 0).answered);
    kit_assert_text(kit_item(set, "main", 0).result.id, "1");
    assert_int_equal(kit_item(set, "main", 1).kind, SKEIN_ITEM_ORPHAN_RESULT);
    kit_conserved(set);
    kit_apply(set, kit_call("4", "c"));
    kit_assert_text(kit_item(set, "main", 1).result.id, "2");
    kit_apply(set, kit_call("5", "c"));
    assert_false(kit_item(set, "main", 2).answered);
    kit_conserved(set);
    skein_timelines_free(set);
}

static void a_result_never_joins_a_call_of_another_lane(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_call("1", "c"));
    kit_apply(set, kit_in("main.1", kit_result("2", "c", "x")));
    assert_false(kit_item(set, "main", 0).answered);
    assert_int_equal(kit_item(set, "main.1", 0).kind, SKEIN_ITEM_ORPHAN_RESULT);
    skein_timelines_free(set);
}

static void calls_and_results_without_a_call_id_pair_with_nothing(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_call("1", NULL));
    kit_apply(set, kit_result("2", NULL, "x"));
    assert_false(kit_item(set, "main", 0).answered);
    assert_int_equal(kit_item(set, "main", 1).kind, SKEIN_ITEM_ORPHAN_RESULT);
    kit_conserved(set);
    skein_timelines_free(set);
}

static void a_record_delivered_again_is_nothing_new(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    for (int i = 0; i < 2; i++) {
        kit_apply(set, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "hi"));
        kit_apply(set, kit_call("2", "c"));
        kit_apply(set, kit_result("3", "c", "ok"));
    }
    assert_int_equal(skein_timeline_record_count(kit_lane(set, "main")), 3);
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 2);
    assert_int_equal(kit_item(set, "main", 1).duplicate_count, 0);
    skein_timelines_free(set);
}

static void a_known_id_with_other_content_is_refused_and_changes_nothing(void **state)
{
    skein_timelines *set = new_set();
    skein_mem       *mem = skein_mem_new();
    skein_error      err;
    skn_str          before;
    skein_record     other = kit_said("1", SKEIN_RECORD_USER_MESSAGE, "ho");

    (void)state;
    kit_apply(set, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "hi"));
    before = kit_json(set, mem);
    assert_int_equal(skein_timelines_apply(set, &other, &err), SKEIN_CONFLICT);
    assert_non_null(strstr(err.message, "\"1\""));
    assert_true(skn_str_eq(before, kit_json(set, mem)));
    other = kit_at(5, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "hi"));
    assert_int_equal(skein_timelines_apply(set, &other, &err), SKEIN_CONFLICT);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void empty_ids_are_never_compared_and_lanes_have_their_own(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_said("", SKEIN_RECORD_USER_MESSAGE, "a"));
    kit_apply(set, kit_said("", SKEIN_RECORD_USER_MESSAGE, "b"));
    kit_apply(set, kit_said(NULL, SKEIN_RECORD_USER_MESSAGE, "b"));
    assert_int_equal(skein_timeline_record_count(kit_lane(set, "main")), 3);
    kit_apply(set, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "a"));
    kit_apply(set, kit_in("main.1", kit_said("1", SKEIN_RECORD_USER_MESSAGE, "b")));
    assert_int_equal(skein_timeline_record_count(kit_lane(set, "main.1")), 1);
    skein_timelines_free(set);
}

static void thinking_is_split_out_of_an_agents_message(void **state)
{
    skein_timelines    *set = new_set();
    skein_timeline_item item;

    (void)state;
    kit_apply(set, kit_said("1", SKEIN_RECORD_AGENT_MESSAGE, "Hm. <think>why</think>Because."));
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 3);
    assert_int_equal(kit_item(set, "main", 0).kind, SKEIN_ITEM_AGENT_MESSAGE);
    kit_assert_text(kit_item(set, "main", 0).text, "Hm. ");
    item = kit_item(set, "main", 1);
    assert_int_equal(item.kind, SKEIN_ITEM_THINKING);
    kit_assert_text(item.text, "why");
    kit_assert_text(item.source, "<think>why</think>");
    kit_assert_text(item.record.id, "1");
    assert_int_equal(item.part, 1);
    kit_assert_text(kit_item(set, "main", 2).text, "Because.");
    kit_conserved(set);
    skein_timelines_free(set);
}

/* Every byte outside of the tags is in the text of a part. */
static void blanks_beside_thinking_are_parts_of_their_own_and_no_messages(void **state)
{
    static const char *const parts[] = {" ", "a", "\n ", "b", "\n\n"};
    skein_timelines         *set = new_set();

    (void)state;
    kit_apply(set, kit_said("1", SKEIN_RECORD_AGENT_MESSAGE,
                            " <think>a</think>\n <think>b</think>\n\n"));
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 5);
    for (size_t i = 0; i < 5; i++) {
        skein_timeline_item item = kit_item(set, "main", i);

        kit_assert_text(item.text, parts[i]);
        assert_int_equal(item.part, i);
        assert_int_equal(item.kind, i % 2 ? SKEIN_ITEM_THINKING : SKEIN_ITEM_AGENT_MESSAGE);
    }
    kit_assert_text(kit_item(set, "main", 1).source, "<think>a</think>");
    assert_int_equal(kit_messages(set, "main"), 0);
    kit_apply(set, kit_said("2", SKEIN_RECORD_AGENT_MESSAGE, " \n"));
    kit_assert_text(kit_item(set, "main", 5).text, " \n");
    assert_int_equal(kit_messages(set, "main"), 1);
    kit_conserved(set);
    skein_timelines_free(set);
}

static void only_agents_messages_are_searched_for_thinking(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    kit_apply(set, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "what is <think>x</think>?"));
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), 1);
    kit_assert_text(kit_item(set, "main", 0).text, "what is <think>x</think>?");
    skein_timelines_free(set);
}

static void counts_last_activity_and_version_follow_the_records(void **state)
{
    skein_timelines    *set = new_set();
    skein_mem          *mem = skein_mem_new();
    skein_timeline_view v;

    (void)state;
    kit_apply(set, kit_at(7, kit_said("a", SKEIN_RECORD_USER_MESSAGE, "hi")));
    kit_apply(set, kit_at(3, kit_call("b", "c")));
    kit_apply(set, kit_result("d", "c", "ok"));
    v = skein_build_timeline(kit_lane(set, "main"), NULL, 0, mem);
    assert_int_equal(v.event_count, 3);
    assert_int_equal(v.item_count, 2);
    assert_int_equal(v.message_count, 1);
    assert_int_equal(v.last_activity_at, 3000000);
    kit_assert_text(v.version, "main:3:d");
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void an_ephemeral_text_is_shown_uncounted_until_its_message_comes(void **state)
{
    const skein_ephemeral live[] = {{SKN_STR("writ"), 9, SKN_STR("t1")},
                                    {SKN_STR("other"), 9, SKN_STR("t2")},
                                    {SKN_STR("no turn"), 9, SKN_NONE}};
    skein_timelines      *set = new_set();
    skein_mem            *mem = skein_mem_new();
    skein_record          call = kit_call("1", "c"), final;
    skein_timeline_view   v;

    (void)state;
    call.turn_id = SKN_STR("t1");
    assert_int_equal(skein_process_thread(set, &call, 1, live, 3, mem, &v, NULL), SKEIN_OK);
    assert_int_equal(v.ephemeral_count, 3);
    assert_int_equal(v.item_count, 1);
    final = kit_said("2", SKEIN_RECORD_AGENT_MESSAGE, "written");
    final.turn_id = SKN_STR("t1");
    assert_int_equal(skein_process_thread(set, &final, 1, live, 3, mem, &v, NULL), SKEIN_OK);
    assert_int_equal(v.ephemeral_count, 2);
    kit_assert_text(v.ephemeral[0].text, "other");
    kit_assert_text(v.version, "main:2:2");
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void an_ephemeral_item_has_no_id_and_stands_last(void **state)
{
    const skein_ephemeral live = {SKN_STR("writ"), 1000000, SKN_STR("t")};
    skein_timelines      *set = new_set();
    skein_mem            *mem = skein_mem_new();
    skein_record          r = kit_said("1", SKEIN_RECORD_USER_MESSAGE, "hi");
    skein_timeline_view   v;
    skn_buf               buf;
    skn_jw                w;

    (void)state;
    assert_int_equal(skein_process_thread(set, &r, 1, &live, 1, mem, &v, NULL), SKEIN_OK);
    skn_buf_init(&buf, 10000);
    skn_jw_init(&w, &buf);
    skn_timeline_write_json(&w, &v, 1);
    kit_assert_text(
        skn_buf_str(&buf),
        "{\"lane\":\"main\",\"items\":[{\"kind\":\"ephemeral\",\"id\":null,"
        "\"messageId\":null,\"at\":\"1970-01-01T00:00:01.000Z\",\"turnId\":\"t\","
        "\"content\":\"writ\"}],\"counts\":{\"events\":1,\"items\":1,\"messages\":1},"
        "\"lastActivityAt\":null,\"version\":\"main:1:1\",\"delegations\":{}}");
    skn_buf_release(&buf);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void processing_one_lane_refuses_records_of_two(void **state)
{
    skein_timelines      *set = new_set();
    skein_record          r[] = {kit_said("1", SKEIN_RECORD_USER_MESSAGE, "a"),
                                 kit_in("b", kit_said("2", SKEIN_RECORD_USER_MESSAGE, "b"))};
    const skein_timeline *t;

    (void)state;
    assert_int_equal(skein_process_events(set, r, 2, &t, NULL), SKEIN_INVALID);
    assert_null(t);
    assert_int_equal(skein_timelines_count(set), 0);
    assert_int_equal(skein_process_events(set, r, 1, &t, NULL), SKEIN_OK);
    assert_int_equal(skein_timeline_item_count(t), 1);
    assert_int_equal(skein_process_threads(set, r, 2, NULL), SKEIN_OK);
    assert_int_equal(skein_timelines_count(set), 2);
    skein_timelines_free(set);
}

static void the_main_lane_is_the_first_without_a_dot(void **state)
{
    skein_timelines *set = new_set();

    (void)state;
    assert_null(skein_timelines_main(set));
    kit_apply(set, kit_in("m.1", kit_said("1", SKEIN_RECORD_USER_MESSAGE, "a")));
    kit_assert_text(skein_timeline_lane(skein_timelines_main(set)), "m.1");
    kit_apply(set, kit_in("m", kit_said("1", SKEIN_RECORD_USER_MESSAGE, "a")));
    kit_apply(set, kit_in("k", kit_said("1", SKEIN_RECORD_USER_MESSAGE, "a")));
    kit_assert_text(skein_timeline_lane(skein_timelines_main(set)), "m");
    skein_timelines_free(set);
}

static void a_record_that_is_not_well_formed_is_refused_whole(void **state)
{
    skein_timelines *set = new_set();
    skein_error      err;
    skein_record     r = kit_said("1", SKEIN_RECORD_USER_MESSAGE, "\xff");

    (void)state;
    assert_int_equal(skein_timelines_apply(set, &r, &err), SKEIN_INVALID);
    r = kit_in("", kit_said("1", SKEIN_RECORD_USER_MESSAGE, "a"));
    assert_int_equal(skein_timelines_apply(set, &r, &err), SKEIN_INVALID);
    r = kit_said("1", (skein_record_type)99, "a");
    assert_int_equal(skein_timelines_apply(set, &r, &err), SKEIN_INVALID);
    r = kit_call("1", "c");
    r.input = SKN_STR("{\"a\":}");
    assert_int_equal(skein_timelines_apply(set, &r, &err), SKEIN_INVALID);
    r = kit_result("1", "c", NULL);
    r.output = SKN_STR("oops");
    assert_int_equal(skein_timelines_apply(set, &r, &err), SKEIN_INVALID);
    assert_int_equal(skein_timelines_count(set), 0);
    skein_timelines_free(set);
}

static void records_can_be_read_back_as_they_were(void **state)
{
    skein_timelines *set = new_set();
    skein_record     r = kit_at(1, kit_call("1", "c")), back;

    (void)state;
    r.error = SKN_STR("");
    r.sender = SKN_STR("ada");
    kit_apply(set, r);
    back = skein_timeline_record_at(kit_lane(set, "main"), 0);
    assert_true(skn_str_eq(back.error, r.error)); /* empty, not absent */
    assert_null(back.text.p);
    kit_assert_text(back.sender, "ada");
    kit_assert_text(back.input, "{}");
    assert_int_equal(back.at, 1000000);
    assert_int_equal(back.sender.p[back.sender.n], '\0');
    skein_timelines_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_record_becomes_its_kind_of_item),
        cmocka_unit_test(prompts_say_which_event_they_were),
        cmocka_unit_test(a_result_joins_its_call),
        cmocka_unit_test(a_reused_call_id_pairs_with_the_nearest_open_call),
        cmocka_unit_test(a_late_result_updates_the_item_that_was_already_built),
        cmocka_unit_test(two_open_calls_with_one_id_are_answered_last_first),
        cmocka_unit_test(a_further_result_is_kept_as_a_duplicate),
        cmocka_unit_test(a_result_before_its_call_waits_for_it_and_is_shown_alone_until_then),
        cmocka_unit_test(a_result_never_joins_a_call_of_another_lane),
        cmocka_unit_test(calls_and_results_without_a_call_id_pair_with_nothing),
        cmocka_unit_test(a_record_delivered_again_is_nothing_new),
        cmocka_unit_test(a_known_id_with_other_content_is_refused_and_changes_nothing),
        cmocka_unit_test(empty_ids_are_never_compared_and_lanes_have_their_own),
        cmocka_unit_test(thinking_is_split_out_of_an_agents_message),
        cmocka_unit_test(blanks_beside_thinking_are_parts_of_their_own_and_no_messages),
        cmocka_unit_test(only_agents_messages_are_searched_for_thinking),
        cmocka_unit_test(counts_last_activity_and_version_follow_the_records),
        cmocka_unit_test(an_ephemeral_text_is_shown_uncounted_until_its_message_comes),
        cmocka_unit_test(an_ephemeral_item_has_no_id_and_stands_last),
        cmocka_unit_test(processing_one_lane_refuses_records_of_two),
        cmocka_unit_test(the_main_lane_is_the_first_without_a_dot),
        cmocka_unit_test(a_record_that_is_not_well_formed_is_refused_whole),
        cmocka_unit_test(records_can_be_read_back_as_they_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
