/* Event lines and stored messages as records. */
#include "test_timeline_kit.h"

static skein_timelines *fold(const char *lines)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_error      err = {.rc = SKEIN_OK};

    if (skein_timelines_read_events(set, skein_text(lines), &err))
        fail_msg("%s", err.message);
    return set;
}

static void assert_refused(const char *lines, const char *message)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_error      err = {.rc = SKEIN_OK};

    assert_int_equal(skein_timelines_read_events(set, skein_text(lines), &err), SKEIN_DATA);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not say \"%s\"", err.message, message);
    skein_timelines_free(set);
}

static void events_become_the_two_maps_of_timelines(void **state)
{
    skein_timelines *set = fold(
        "{\"id\":\"1\",\"threadId\":\"main\",\"type\":\"USER_MESSAGE\","
        "\"timestamp\":\"2026-01-02T03:04:05.006Z\",\"data\":\"go\"}\n"
        "\n"
        "{\"id\":\"2\",\"threadId\":\"main\",\"type\":\"TOOL_CALL\",\"timestamp\":1000,"
        "\"data\":"
        "{\"callId\":\"c\",\"toolName\":\"delegate\",\"input\":{\"delegateThreadId\":\"main."
        "1\"}}}\r\n"
        "  \t\n"
        "{\"id\":\"3\",\"threadId\":\"main.1\",\"type\":\"AGENT_MESSAGE\",\"data\":\"hi\"}\n"
        "{\"id\":\"4\",\"threadId\":\"main\",\"type\":\"TOOL_RESULT\",\"data\":"
        "{\"callId\":\"c\",\"output\":{\"n\": 1},\"success\":true,\"error\":null}}");
    skein_mem *mem = skein_mem_new();

    (void)state;
    kit_assert_text(
        kit_json(set, mem),
        "{\"mainTimeline\":{\"lane\":\"main\",\"items\":["
        "{\"kind\":\"user_message\",\"id\":\"1\",\"messageId\":null,"
        "\"at\":\"2026-01-02T03:04:05.006Z\",\"content\":\"go\"},"
        "{\"kind\":\"tool_execution\",\"id\":\"2\",\"messageId\":null,"
        "\"at\":\"1970-01-01T00:00:01.000Z\",\"call\":{\"callId\":\"c\",\"toolName\":"
        "\"delegate\","
        "\"input\":{\"delegateThreadId\":\"main.1\"},\"occurrence\":1},"
        "\"result\":{\"id\":\"4\",\"messageId\":null,\"at\":null,\"output\":{\"n\": 1},"
        "\"success\":true,\"error\":null},\"duplicates\":[],\"delegation\":\"main.1\"}],"
        "\"counts\":{\"events\":3,\"items\":2,\"messages\":1},"
        "\"lastActivityAt\":\"1970-01-01T00:00:01.000Z\",\"version\":\"main:3:4\","
        "\"delegations\":{}},"
        "\"delegateTimelines\":{\"main.1\":{\"lane\":\"main.1\",\"items\":["
        "{\"kind\":\"agent_message\",\"id\":\"3\",\"messageId\":null,\"at\":null,"
        "\"content\":\"hi\"}],\"counts\":{\"events\":1,\"items\":1,\"messages\":1},"
        "\"lastActivityAt\":null,\"version\":\"main.1:1:3\",\"delegations\":{}}}}");
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void no_events_give_an_empty_main_timeline(void **state)
{
    skein_timelines *set = fold("\n\n");
    skein_mem       *mem = skein_mem_new();

    (void)state;
    kit_assert_text(
        kit_json(set, mem),
        "{\"mainTimeline\":{\"lane\":\"main\",\"items\":[],\"counts\":{\"events\":0,"
        "\"items\":0,\"messages\":0},\"lastActivityAt\":null,\"version\":\"main:0:\","
        "\"delegations\":{}},\"delegateTimelines\":{}}");
    skein_mem_free(mem);
    skein_timelines_free(set);
}

static void the_other_spelling_of_calls_and_results_is_read(void **state)
{
    skein_timelines *set = fold(
        "{\"threadId\":\"m\",\"type\":\"TOOL_CALL\",\"data\":"
        "{\"id\":\"c\",\"name\":\"bash\",\"arguments\":{\"a\":1}}}\n"
        "{\"threadId\":\"m\",\"type\":\"TOOL_RESULT\",\"data\":{\"id\":\"c\",\"content\":"
        "[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"two\"}],"
        "\"isError\":true,\"metadata\":{\"threadId\":\"m.1\"}}}\n"
        "{\"threadId\":\"m\",\"type\":\"TOOL_RESULT\",\"data\":{\"id\":\"c\",\"content\":"
        "[{\"type\":\"image\",\"url\":\"x\"}]}}\n");
    skein_timeline_item item = kit_item(set, "m", 0);

    (void)state;
    kit_assert_text(item.record.tool_name, "bash");
    kit_assert_text(item.record.input, "{\"a\":1}");
    kit_assert_text(item.result.text, "one\ntwo");
    assert_true(item.result.failed);
    kit_assert_text(item.delegation, "m.1");
    kit_assert_text(skein_timeline_duplicate(kit_lane(set, "m"), 0, 0).output,
                    "[{\"type\":\"image\",\"url\":\"x\"}]");
    skein_timelines_free(set);
}

static void success_is_what_the_result_says_or_that_there_is_no_error(void **state)
{
    static const struct {
        const char *data;
        bool        failed;
    } cases[] = {{"\"output\":1", false},
                 {"\"output\":1,\"success\":false", true},
                 {"\"error\":\"no\"", true},
                 {"\"error\":{\"code\":7}", true},
                 {"\"error\":\"no\",\"success\":true", false},
                 {"\"isError\":true", true},
                 {"\"isError\":false", false}};
    char line[200];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        skein_timelines *set;

        snprintf(line, sizeof line,
                 "{\"threadId\":\"m\",\"type\":\"TOOL_RESULT\",\"data\":{\"callId\":\"c\",%s}}",
                 cases[i].data);
        set = fold(line);
        assert_int_equal(kit_item(set, "m", 0).record.failed, cases[i].failed);
        if (i == 3)
            kit_assert_text(kit_item(set, "m", 0).record.error, "{\"code\":7}");
        skein_timelines_free(set);
    }
}

static void times_are_rfc_3339_or_milliseconds(void **state)
{
    static const struct {
        const char *text;
        int64_t     micros;
    } cases[] = {{"1500", 1500000},
                 {"1500.25", 1500250},
                 {"-1.5", -1500},
                 {"0", 1},
                 {"null", 0},
                 {"\"1970-01-01T01:00:02+01:00\"", 2000000},
                 {"1700000000000", INT64_C(1700000000000000)}};
    char line[200];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        skein_timelines *set;

        snprintf(line, sizeof line,
                 "{\"threadId\":\"m\",\"type\":\"THINKING\",\"timestamp\":%s,\"data\":\"x\"}",
                 cases[i].text);
        set = fold(line);
        assert_int_equal(kit_item(set, "m", 0).record.at, cases[i].micros);
        skein_timelines_free(set);
    }
    assert_refused(
        "{\"threadId\":\"m\",\"type\":\"THINKING\",\"timestamp\":1e99,\"data\":\"x\"}",
        "\"timestamp\"");
    assert_refused(
        "{\"threadId\":\"m\",\"type\":\"THINKING\",\"timestamp\":\"soon\",\"data\":\"x\"}",
        "\"timestamp\"");
    assert_refused("{\"threadId\":\"m\",\"type\":\"THINKING\",\"timestamp\":9999999999999999,"
                   "\"data\":\"x\"}",
                   "\"timestamp\"");
}

static void a_bad_line_is_named_by_its_number(void **state)
{
    (void)state;
    assert_refused("\n\n{\"id\":", "line 3: column 7: ");
    assert_refused("[]", "line 1: the event is not an object");
    assert_refused("{\"threadId\":\"m\",\"type\":\"THINKING\",\"data\":7}",
                   "\"data\" of THINKING must be a text");
    assert_refused("{\"threadId\":\"m\",\"type\":\"TOOL_CALL\",\"data\":\"x\"}",
                   "\"data\" of TOOL_CALL must be an object");
    assert_refused("{\"threadId\":\"m\",\"type\":\"TOOL_CALL\",\"data\":{\"toolName\":\"x\"}}",
                   "TOOL_CALL has no \"callId\"");
    assert_refused("{\"threadId\":\"m\",\"type\":\"TOOL_CALL\",\"data\":{\"callId\":\"x\"}}",
                   "\"toolName\"");
    assert_refused("{\"type\":\"THINKING\",\"data\":\"x\"}", "no \"threadId\"");
    assert_refused("{\"threadId\":\"m\",\"data\":\"x\"}", "no \"type\"");
    assert_refused("{\"threadId\":\"m\",\"type\":\"THINKING\",\"data\":\"\xff\"}", "UTF-8");
}

static void an_unknown_type_lists_the_known_ones(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_error      err;
    const char      *line = "{\"threadId\":\"m\",\"type\":\"NOISE\",\"data\":\"x\"}";

    (void)state;
    assert_int_equal(skein_timelines_read_events(set, skein_text(line), &err), SKEIN_DATA);
    assert_non_null(strstr(err.message, "line 1: unknown event type \"NOISE\""));
    for (int i = 0; i <= SKEIN_RECORD_SUMMARY; i++)
        assert_non_null(strstr(err.hint, skein_record_type_name((skein_record_type)i)));
    skein_timelines_free(set);
}

static void a_changed_event_of_a_known_id_is_a_conflict_that_names_its_line(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    skein_error      err;
    const char      *lines =
        "{\"id\":\"1\",\"threadId\":\"m\",\"type\":\"THINKING\",\"data\":\"a\"}\n"
        "{\"id\":\"1\",\"threadId\":\"m\",\"type\":\"THINKING\",\"data\":\"a\"}\n"
        "{\"id\":\"1\",\"threadId\":\"m\",\"type\":\"THINKING\",\"data\":\"b\"}\n";

    (void)state;
    assert_int_equal(skein_timelines_read_events(set, skein_text(lines), &err), SKEIN_CONFLICT);
    assert_non_null(strstr(err.message, "line 3: record \"1\""));
    assert_int_equal(skein_timeline_record_count(kit_lane(set, "m")), 1);
    skein_timelines_free(set);
}

static void a_line_over_the_limit_is_refused(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL);
    size_t           n = SKN_EVENT_LINE_MAX;
    char            *line = skn_heap(n + 2);
    skein_error      err;

    (void)state;
    memset(line, ' ', n + 1);
    line[n + 1] = '\n';
    for (size_t ended = 0; ended < 2; ended++) {
        skn_str text = {line, n + 1 + ended};

        assert_int_equal(skein_timelines_read_events(set, text, &err), SKEIN_LIMIT);
        assert_non_null(strstr(err.message, "line 1 is over 16777216 bytes"));
    }
    line[n] = '\n';
    assert_int_equal(skein_timelines_read_events(set, (skn_str){line, n + 2}, &err), SKEIN_OK);
    free(line);
    skein_timelines_free(set);
}

static void lines_may_come_cut_anywhere_and_from_a_file(void **state)
{
    const char *lines =
        "{\"id\":\"1\",\"threadId\":\"m\",\"type\":\"THINKING\",\"data\":\"a\"}\n\n"
        "{\"id\":\"2\",\"threadId\":\"m\",\"type\":\"SUMMARY\",\"data\":\"b\"}";
    skein_mem       *mem = skein_mem_new();
    skein_timelines *whole = fold(lines), *set;
    skn_str          text = skein_text(lines), expected = kit_json(whole, mem);
    FILE            *file = tmpfile();

    (void)state;
    for (size_t cut = 0; cut <= text.n; cut++) {
        skn_event_reader r;

        set = skein_timelines_new(NULL);
        skn_event_reader_init(&r, set, "events");
        assert_int_equal(skn_event_reader_feed(&r, skn_str_sub(text, 0, cut), NULL), SKEIN_OK);
        assert_int_equal(skn_event_reader_feed(&r, skn_str_sub(text, cut, text.n), NULL),
                         SKEIN_OK);
        assert_int_equal(skn_event_reader_end(&r, NULL), SKEIN_OK);
        skn_event_reader_release(&r);
        assert_true(skn_str_eq(kit_json(set, mem), expected));
        skein_timelines_free(set);
    }
    assert_non_null(file);
    assert_int_equal(fwrite(text.p, 1, text.n, file), text.n);
    rewind(file);
    set = skein_timelines_new(NULL);
    assert_int_equal(skn_timelines_read_file(set, file, "events", NULL), SKEIN_OK);
    assert_true(skn_str_eq(kit_json(set, mem), expected));
    fclose(file);
    skein_timelines_free(set);
    skein_timelines_free(whole);
    skein_mem_free(mem);
}

/* --- Stored messages ---------------------------------------------------------------------- */

static skein_message said(const char *uid, skein_role role, const char *content)
{
    return (skein_message){.uid = skein_text(uid),
                           .role = role,
                           .content = skein_text(content),
                           .sender = SKN_STR("ada"),
                           .turn_uid = SKN_STR("t1"),
                           .created_at = 5000000};
}

static void a_stored_answer_is_its_thinking_its_text_and_its_calls(void **state)
{
    skein_tool_call calls[] = {{SKN_STR("c1"), SKN_STR("delegate"),
                                SKN_STR("{\"delegateThreadId\":\"main\\u002e1\"}")},
                               {SKN_STR("c2"), SKN_STR("bash"), SKN_STR("{not json")}};
    skein_message   m = said("m1", SKEIN_ASSISTANT, "on it");
    skn_arena      *a = skn_arena_new();
    skn_records     r = {0};

    (void)state;
    m.thinking = SKN_STR("hm");
    m.calls = calls;
    m.call_count = 2;
    skn_records_of_message(&m, SKN_STR("main"), a, &r);
    assert_int_equal(r.n, 4);
    assert_int_equal(r.p[0].type, SKEIN_RECORD_THINKING);
    kit_assert_text(r.p[0].text, "hm");
    kit_assert_text(r.p[0].id, "m1/thinking");
    assert_int_equal(r.p[1].type, SKEIN_RECORD_AGENT_MESSAGE);
    kit_assert_text(r.p[1].id, "m1");
    kit_assert_text(r.p[1].text, "on it");
    kit_assert_text(r.p[2].id, "m1/call/0");
    kit_assert_text(r.p[2].child, "main.1");
    kit_assert_text(r.p[2].message_id, "m1");
    kit_assert_text(r.p[3].input, "\"{not json\"");
    kit_assert_text(r.p[3].turn_id, "t1");
    assert_int_equal(r.p[3].at, 5000000);
    skn_arena_free(a);
}

static void every_stored_message_is_at_least_one_record(void **state)
{
    static const struct {
        skein_role        role;
        skein_record_type type;
    } cases[] = {{SKEIN_USER, SKEIN_RECORD_USER_MESSAGE},
                 {SKEIN_ASSISTANT, SKEIN_RECORD_AGENT_MESSAGE},
                 {SKEIN_TOOL, SKEIN_RECORD_TOOL_RESULT},
                 {SKEIN_SUMMARY, SKEIN_RECORD_SUMMARY},
                 {SKEIN_SYSTEM, SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE}};
    skn_arena *a = skn_arena_new();

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        skein_message m = said("m", cases[i].role, i % 2 ? "" : "x");
        skn_records   r = {0};

        m.tool_call_id = SKN_STR("c");
        m.tool_failed = true;
        skn_records_of_message(&m, SKN_STR("main"), a, &r);
        assert_int_equal(r.n, 1);
        assert_int_equal(r.p[0].type, cases[i].type);
        kit_assert_text(r.p[0].sender, "ada");
        assert_int_equal(r.p[0].failed, cases[i].role == SKEIN_TOOL);
        if (cases[i].role == SKEIN_TOOL)
            kit_assert_text(r.p[0].call_id, "c");
    }
    skn_arena_free(a);
}

static void an_answer_of_calls_alone_has_no_empty_message(void **state)
{
    skein_tool_call call = {SKN_STR("c"), SKN_STR("bash"), SKN_NONE};
    skein_message   m = said("m", SKEIN_ASSISTANT, "");
    skn_arena      *a = skn_arena_new();
    skn_records     r = {0};

    (void)state;
    m.calls = &call;
    m.call_count = 1;
    skn_records_of_message(&m, SKN_STR("main"), a, &r);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.p[0].type, SKEIN_RECORD_TOOL_CALL);
    assert_null(r.p[0].input.p);
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_become_the_two_maps_of_timelines),
        cmocka_unit_test(no_events_give_an_empty_main_timeline),
        cmocka_unit_test(the_other_spelling_of_calls_and_results_is_read),
        cmocka_unit_test(success_is_what_the_result_says_or_that_there_is_no_error),
        cmocka_unit_test(times_are_rfc_3339_or_milliseconds),
        cmocka_unit_test(a_bad_line_is_named_by_its_number),
        cmocka_unit_test(an_unknown_type_lists_the_known_ones),
        cmocka_unit_test(a_changed_event_of_a_known_id_is_a_conflict_that_names_its_line),
        cmocka_unit_test(a_line_over_the_limit_is_refused),
        cmocka_unit_test(lines_may_come_cut_anywhere_and_from_a_file),
        cmocka_unit_test(a_stored_answer_is_its_thinking_its_text_and_its_calls),
        cmocka_unit_test(every_stored_message_is_at_least_one_record),
        cmocka_unit_test(an_answer_of_calls_alone_has_no_empty_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
