/* Which call started which lane. */
#include "test_timeline_kit.h"

static skein_timelines *guessing_set(void)
{
    skein_timeline_options o = SKEIN_TIMELINE_OPTIONS_INIT;

    o.guess_links = true;
    return skein_timelines_new(&o);
}

static skein_record hello(const char *lane, int64_t seconds)
{
    return kit_at(seconds, kit_in(lane, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "hello")));
}

static void link_lane(skein_timelines *set, const char *child, const char *parent,
                      const char *call_id, const char *message_id, uint32_t occurrence)
{
    skein_lane_link link = {sizeof link,         skein_text(child),      skein_text(parent),
                            skein_text(call_id), skein_text(message_id), occurrence};
    skein_error     err = {.rc = SKEIN_OK};

    if (skein_timelines_link(set, &link, &err))
        fail_msg("%s", err.message);
}

static void a_call_that_names_its_lane_is_linked(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_child("main.1", kit_call("1", "c")));
    kit_apply(set, hello("main.1", 0));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    assert_false(kit_item(set, "main", 0).guessed);
    assert_ptr_equal(skein_timeline_parent(kit_lane(set, "main.1")), kit_lane(set, "main"));
    skein_timelines_free(set);
}

static void a_result_that_names_the_lane_links_its_call(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_call("1", "c"));
    kit_apply(set, hello("main.1", 0));
    assert_null(kit_item(set, "main", 0).delegation.p);
    kit_apply(set, kit_child("main.1", kit_result("2", "c", "ok")));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    skein_timelines_free(set);
}

static void names_and_times_link_nothing_unless_asked(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_at(10, kit_call("1", "c")));
    kit_apply(set,
              kit_said("2", SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE, "Starting (Thread: main.1)"));
    kit_apply(set, hello("main.1", 10));
    assert_null(kit_item(set, "main", 0).delegation.p);
    assert_null(skein_timeline_parent(kit_lane(set, "main.1")));
    skein_timelines_free(set);
}

static void a_child_belongs_to_one_call_and_the_first_claim_holds(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_call("1", "a"));
    kit_apply(set, kit_child("main.1", kit_call("2", "b")));
    kit_apply(set, kit_child("main.1", kit_result("3", "a", "mine too")));
    kit_apply(set, kit_child("main.1", kit_call("4", "c")));
    assert_null(kit_item(set, "main", 0).delegation.p);
    kit_assert_text(kit_item(set, "main", 1).delegation, "main.1");
    assert_null(kit_item(set, "main", 2).delegation.p);
    skein_timelines_free(set);
}

static void a_call_keeps_the_first_child_it_names(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_child("main.1", kit_call("1", "a")));
    kit_apply(set, kit_child("main.2", kit_result("2", "a", "ok")));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    skein_timelines_free(set);
}

static void two_lanes_that_claim_one_child_settle_alike_in_any_order(void **state)
{
    const skein_record outer = kit_child("x", kit_in("main", kit_call("1", "c"))),
                       inner = kit_child("x", kit_in("main.2", kit_call("1", "c")));

    (void)state;
    for (int turned = 0; turned < 2; turned++) {
        skein_timelines *set = skein_timelines_new(NULL);

        kit_apply(set, turned ? inner : outer);
        if (turned)
            kit_assert_text(kit_item(set, "main.2", 0).delegation, "x");
        kit_apply(set, turned ? outer : inner);
        kit_assert_text(kit_item(set, "main", 0).delegation, "x");
        assert_null(kit_item(set, "main.2", 0).delegation.p);
        skein_timelines_free(set);
    }
}

static void a_stated_link_works_before_and_after_its_call(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        skein_timelines *set = skein_timelines_new(NULL);
        skein_record     a = kit_call("1", "c"), b = kit_call("2", "c");

        a.message_id = SKN_STR("m1");
        b.message_id = SKN_STR("m2");
        if (!late)
            link_lane(set, "main.1", "main", "c", "m2", 0);
        kit_apply(set, a);
        kit_apply(set, b);
        if (late)
            link_lane(set, "main.1", "main", "c", "m2", 0);
        assert_null(kit_item(set, "main", 0).delegation.p);
        kit_assert_text(kit_item(set, "main", 1).delegation, "main.1");
        skein_timelines_free(set);
    }
}

static void a_stated_link_may_name_the_occurrence(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        skein_timelines *set = skein_timelines_new(NULL);

        if (!late)
            link_lane(set, "main.1", "main", "c", NULL, 2);
        kit_apply(set, kit_call("1", "c"));
        kit_apply(set, kit_call("2", "c"));
        if (late)
            link_lane(set, "main.1", "main", "c", NULL, 2);
        link_lane(set, "main.2", "main", "c", NULL, 0);
        kit_assert_text(kit_item(set, "main", 0).delegation, "main.2");
        kit_assert_text(kit_item(set, "main", 1).delegation, "main.1");
        skein_timelines_free(set);
    }
}

static void a_stated_link_stands_above_what_records_say(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_child("main.1", kit_call("1", "liar")));
    kit_apply(set, kit_call("2", "c"));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    link_lane(set, "main.1", "main", "c", NULL, 1);
    assert_null(kit_item(set, "main", 0).delegation.p);
    kit_assert_text(kit_item(set, "main", 1).delegation, "main.1");
    skein_timelines_free(set);
}

static void a_call_with_a_stated_link_starts_no_other_lane(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_child("main.5", kit_call("1", "c")));
    link_lane(set, "main.1", "main", "c", NULL, 1);
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    assert_null(skein_timeline_parent(kit_lane(set, "main.5")));
    skein_timelines_free(set);
}

static void a_stated_link_may_be_repeated_but_not_changed(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_lane_link  other = {sizeof other, SKN_STR("main.1"), SKN_STR("main"),
                              SKN_STR("d"), SKN_NONE,          1};
    skein_error      err;

    (void)state;
    link_lane(set, "main.1", "main", "c", NULL, 1);
    link_lane(set, "main.1", "main", "c", NULL, 0);
    assert_int_equal(skein_timelines_link(set, &other, &err), SKEIN_CONFLICT);
    assert_non_null(strstr(err.message, "\"main.1\""));
    other.child = other.parent;
    assert_int_equal(skein_timelines_link(set, &other, &err), SKEIN_INVALID);
    skein_timelines_free(set);
}

static void the_first_stated_link_to_a_call_holds(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        skein_timelines *set = skein_timelines_new(NULL);
        skein_record     call = kit_call("1", "c");

        call.message_id = SKN_STR("m1");
        if (late)
            kit_apply(set, call);
        link_lane(set, "main.1", "main", "c", NULL, 1);
        link_lane(set, "main.2", "main", "c", "m1", 0);
        link_lane(set, "main.3", "main", "c", NULL, 1);
        if (!late)
            kit_apply(set, call);
        kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
        assert_ptr_equal(skein_timeline_parent(kit_lane(set, "main.2")), kit_lane(set, "main"));
        skein_timelines_free(set);
    }
}

static void two_delegates_of_one_second_have_their_own_calls(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_at(1, kit_child("main.1", kit_call("1", "a"))));
    kit_apply(set, kit_at(1, kit_child("main.2", kit_call("2", "b"))));
    kit_apply(set, hello("main.2", 1));
    kit_apply(set, hello("main.1", 1));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    kit_assert_text(kit_item(set, "main", 1).delegation, "main.2");
    skein_timelines_free(set);
}

static void a_delegate_without_any_event_renders_empty(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_apply(set, kit_child("main.1", kit_call("1", "a")));
    assert_int_equal(skein_timelines_declare(set, SKN_STR("main.2"), NULL), SKEIN_OK);
    assert_true(skn_str_find(kit_json(set, mem),
                             SKN_STR("\"delegateTimelines\":{"
                                     "\"main.1\":{\"lane\":\"main.1\",\"items\":[],")) > 0);
    assert_true(skn_str_find(kit_json(set, mem),
                             SKN_STR("\"main.2\":{\"lane\":\"main.2\",\"items\":[],"
                                     "\"counts\":{\"events\":0,\"items\":0,\"messages\":0},"
                                     "\"lastActivityAt\":null,\"version\":\"main.2:0:\"")) > 0);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void a_delegate_whose_call_is_gone_is_kept_unattached(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_apply(set, kit_call("1", "other"));
    kit_apply(set, hello("main.1", 0));
    link_lane(set, "main.1", "main", "gone", "m9", 0);
    assert_null(kit_item(set, "main", 0).delegation.p);
    assert_ptr_equal(skein_timeline_parent(kit_lane(set, "main.1")), kit_lane(set, "main"));
    assert_true(skn_str_find(kit_json(set, mem), SKN_STR("{\"main.1\":{\"lane\"")) > 0);
    assert_true(
        skn_str_find(kit_lane_json(set, "main", mem), SKN_STR("{\"main.1\":{\"lane\"")) > 0);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void delegation_inside_delegation_nests(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_mem       *mem = skein_mem_new();
    skn_str          json;

    (void)state;
    kit_apply(set, kit_child("main.1", kit_call("1", "a")));
    kit_apply(set, kit_child("main.2", kit_call("2", "b")));
    kit_apply(set, kit_in("main.1", kit_child("main.1.1", kit_call("1", "a"))));
    kit_apply(set, hello("main.1.1", 0));
    json = kit_lane_json(set, "main", mem);
    assert_true(
        skn_str_find(json, SKN_STR("\"delegations\":{\"main.1\":{\"lane\":\"main.1\"")) > 0);
    assert_true(skn_str_find(json, SKN_STR("\"delegations\":{\"main.1.1\":{")) > 0);
    assert_true(
        skn_str_ends(json, SKN_STR("\"delegations\":{}}}},\"main.2\":{\"lane\":\"main.2\","
                                   "\"items\":[],\"counts\":{\"events\":0,\"items\":0,"
                                   "\"messages\":0},\"lastActivityAt\":null,\"version\":"
                                   "\"main.2:0:\",\"delegations\":{}}}}")));
    json = kit_lane_json(set, "main.1", mem);
    assert_true(skn_str_starts(json, SKN_STR("{\"lane\":\"main.1\"")));
    assert_true(skn_str_ends(json, SKN_STR("\"delegations\":{}}}}")));
    skein_mem_free(mem);
    skein_timelines_free(set);
}

enum { DEEP = 10000 };

static void ten_thousand_lanes_deep_is_written_without_recursion(void **state)
{
    skein_timelines      *set = skein_timelines_new(NULL);
    skein_mem            *mem = skein_mem_new();
    const skein_timeline *t;
    skn_str               json;
    size_t                open = 0, deepest = 0, depth = 0;
    char                  lane[16], child[16];

    (void)state;
    for (int i = 0; i < DEEP; i++) {
        snprintf(lane, sizeof lane, "n%d", i);
        snprintf(child, sizeof child, "n%d", i + 1);
        kit_apply(set, kit_in(lane, kit_child(child, kit_call("1", "c"))));
    }
    for (t = kit_lane(set, child); t; t = skein_timeline_parent(t))
        depth++;
    assert_int_equal(depth, DEEP + 1);
    json = kit_lane_json(set, "n0", mem);
    for (size_t i = 0; i < json.n; i++) {
        open += json.p[i] == '{';
        open -= json.p[i] == '}';
        deepest = open > deepest ? open : deepest;
    }
    assert_int_equal(open, 0);
    assert_true(deepest >= 2 * DEEP);
    assert_true(skn_str_find(kit_json(set, mem), SKN_STR("\"n9999\":{\"lane\":\"n9999\"")) > 0);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void a_ring_of_lanes_is_opened_at_the_outermost(void **state)
{
    static const int orders[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        const skein_record r[] = {kit_in("a", kit_child("a.b", kit_call("1", "c"))),
                                  kit_in("a.b", kit_child("a.b.c", kit_call("1", "c"))),
                                  kit_in("a.b.c", kit_child("a", kit_call("1", "c")))};
        skein_timelines   *set = skein_timelines_new(NULL);
        skein_mem         *mem = skein_mem_new();

        for (size_t k = 0; k < 3; k++)
            kit_apply(set, r[orders[i][k]]);
        kit_apply(set, kit_in("z", kit_child("a.b", kit_call("1", "c"))));
        assert_null(skein_timeline_parent(kit_lane(set, "a")));
        kit_assert_text(kit_item(set, "a", 0).delegation, "a.b");
        kit_assert_text(kit_item(set, "a.b", 0).delegation, "a.b.c");
        assert_null(kit_item(set, "a.b.c", 0).delegation.p);
        assert_true(kit_lane_json(set, "a", mem).n > 0);
        skein_mem_free(mem);
        skein_timelines_free(set);
    }
}

static void a_lane_that_leads_into_a_ring_is_no_part_of_it(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    link_lane(set, "r.2", "r.1", "c", NULL, 1);
    link_lane(set, "r.1", "r.2", "c", NULL, 1);
    link_lane(set, "a", "r.2", "c", NULL, 1);
    link_lane(set, "b", "r.1", "c", NULL, 1);
    assert_null(skein_timeline_parent(kit_lane(set, "r.1")));
    assert_ptr_equal(skein_timeline_parent(kit_lane(set, "r.2")), kit_lane(set, "r.1"));
    assert_ptr_equal(skein_timeline_parent(kit_lane(set, "a")), kit_lane(set, "r.2"));
    assert_ptr_equal(skein_timeline_parent(kit_lane(set, "b")), kit_lane(set, "r.1"));
    skein_timelines_free(set);
}

static void a_lane_cannot_start_itself(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);

    (void)state;
    kit_apply(set, kit_child("main", kit_call("1", "c")));
    assert_null(kit_item(set, "main", 0).delegation.p);
    assert_null(skein_timeline_parent(kit_lane(set, "main")));
    kit_apply(set, kit_child("main.1", kit_result("2", "c", "the right one")));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    skein_timelines_free(set);
}

static void lanes_stand_in_the_order_of_depth_then_number(void **state)
{
    static const char *const given[] = {"main.10", "main.1.1", "main.2", "main"};
    static const char *const sorted[] = {"main", "main.2", "main.10", "main.1.1"};
    skein_timelines         *set = skein_timelines_new(NULL);

    (void)state;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(skein_timelines_declare(set, skein_text(given[i]), NULL), SKEIN_OK);
    for (size_t i = 0; i < 4; i++)
        kit_assert_text(skein_timeline_lane(skein_timelines_at(set, i)), sorted[i]);
    skein_timelines_free(set);
}

/* --- Guesses ------------------------------------------------------------------------------ */

static void a_notice_ties_the_first_open_call_to_the_lane_it_names(void **state)
{
    skein_timelines *set = guessing_set();

    (void)state;
    kit_apply(set, kit_call("1", "a"));
    kit_apply(set, kit_result("2", "a", "long done"));
    kit_apply(set, kit_call("3", "b"));
    kit_apply(set, kit_call("4", "c"));
    kit_apply(set, kit_said("5", SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE, "One (Thread: main.1)"));
    kit_apply(set, kit_said("6", SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE, "Two (Thread: main.2)"));
    kit_apply(set, hello("main.1", 0));
    kit_apply(set, hello("main.2", 0));
    assert_null(kit_item(set, "main", 0).delegation.p);
    kit_assert_text(kit_item(set, "main", 1).delegation, "main.1");
    assert_true(kit_item(set, "main", 1).guessed);
    kit_assert_text(kit_item(set, "main", 2).delegation, "main.2");
    skein_timelines_free(set);
}

static void times_tie_calls_to_lanes_within_five_seconds_each_once(void **state)
{
    skein_timelines *set = guessing_set();

    (void)state;
    kit_apply(set, kit_at(100, kit_call("1", "a")));
    kit_apply(set, kit_at(101, kit_call("2", "b")));
    kit_apply(set, kit_at(200, kit_call("3", "c")));
    kit_apply(set, hello("main.0", 10));
    kit_apply(set, hello("main.2", 102));
    kit_apply(set, hello("main.1", 101));
    kit_apply(set, hello("main.3", 205));
    kit_apply(set, kit_at(900, kit_in("main.1", kit_call("2", "c"))));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    kit_assert_text(kit_item(set, "main", 1).delegation, "main.2");
    assert_true(kit_item(set, "main", 1).guessed);
    assert_null(kit_item(set, "main", 2).delegation.p);
    skein_timelines_free(set);
}

static void a_guess_never_takes_a_lane_that_is_linked(void **state)
{
    skein_timelines *set = guessing_set();
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_apply(set, kit_at(100, kit_call("1", "a")));
    kit_apply(set, kit_said("2", SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE, "(Thread: main.1)"));
    kit_apply(set, kit_at(100, kit_child("main.1", kit_call("3", "b"))));
    kit_apply(set, hello("main.1", 100));
    assert_null(kit_item(set, "main", 0).delegation.p);
    kit_assert_text(kit_item(set, "main", 2).delegation, "main.1");
    assert_false(kit_item(set, "main", 2).guessed);
    assert_int_equal(skn_str_find(kit_json(set, mem), SKN_STR("guessed")), -1);
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void a_guess_never_takes_a_call_that_is_linked(void **state)
{
    skein_timelines *set = guessing_set();

    (void)state;
    kit_apply(set, kit_at(100, kit_child("main.1", kit_call("1", "a"))));
    kit_apply(set, kit_said("2", SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE, "(Thread: main.2)"));
    kit_apply(set, hello("main.2", 100));
    kit_assert_text(kit_item(set, "main", 0).delegation, "main.1");
    assert_null(skein_timeline_parent(kit_lane(set, "main.2")));
    skein_timelines_free(set);
}

static void only_calls_of_delegate_are_guessed(void **state)
{
    skein_timelines *set = guessing_set();
    skein_record     call = kit_at(100, kit_call("1", "a"));

    (void)state;
    call.tool_name = SKN_STR("bash");
    kit_apply(set, call);
    kit_apply(set, hello("main.1", 100));
    assert_null(kit_item(set, "main", 0).delegation.p);
    skein_timelines_free(set);
}

static void a_guess_is_marked_in_json_and_given_up_for_a_stated_link(void **state)
{
    skein_timelines *set = guessing_set();
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_apply(set, kit_at(100, kit_call("1", "a")));
    kit_apply(set, hello("main.1", 100));
    assert_true(skn_str_find(kit_json(set, mem),
                             SKN_STR("\"delegation\":\"main.1\",\"guessed\":true}")) > 0);
    kit_apply(set, kit_child("main.1", kit_call("2", "b")));
    assert_null(kit_item(set, "main", 0).delegation.p);
    kit_assert_text(kit_item(set, "main", 1).delegation, "main.1");
    skein_mem_free(mem);
    skein_timelines_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_that_names_its_lane_is_linked),
        cmocka_unit_test(a_result_that_names_the_lane_links_its_call),
        cmocka_unit_test(names_and_times_link_nothing_unless_asked),
        cmocka_unit_test(a_child_belongs_to_one_call_and_the_first_claim_holds),
        cmocka_unit_test(a_call_keeps_the_first_child_it_names),
        cmocka_unit_test(two_lanes_that_claim_one_child_settle_alike_in_any_order),
        cmocka_unit_test(a_stated_link_works_before_and_after_its_call),
        cmocka_unit_test(a_stated_link_may_name_the_occurrence),
        cmocka_unit_test(a_stated_link_stands_above_what_records_say),
        cmocka_unit_test(a_call_with_a_stated_link_starts_no_other_lane),
        cmocka_unit_test(a_stated_link_may_be_repeated_but_not_changed),
        cmocka_unit_test(the_first_stated_link_to_a_call_holds),
        cmocka_unit_test(two_delegates_of_one_second_have_their_own_calls),
        cmocka_unit_test(a_delegate_without_any_event_renders_empty),
        cmocka_unit_test(a_delegate_whose_call_is_gone_is_kept_unattached),
        cmocka_unit_test(delegation_inside_delegation_nests),
        cmocka_unit_test(ten_thousand_lanes_deep_is_written_without_recursion),
        cmocka_unit_test(a_ring_of_lanes_is_opened_at_the_outermost),
        cmocka_unit_test(a_lane_that_leads_into_a_ring_is_no_part_of_it),
        cmocka_unit_test(a_lane_cannot_start_itself),
        cmocka_unit_test(lanes_stand_in_the_order_of_depth_then_number),
        cmocka_unit_test(a_notice_ties_the_first_open_call_to_the_lane_it_names),
        cmocka_unit_test(times_tie_calls_to_lanes_within_five_seconds_each_once),
        cmocka_unit_test(a_guess_never_takes_a_lane_that_is_linked),
        cmocka_unit_test(a_guess_never_takes_a_call_that_is_linked),
        cmocka_unit_test(only_calls_of_delegate_are_guessed),
        cmocka_unit_test(a_guess_is_marked_in_json_and_given_up_for_a_stated_link),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
