/* test_world_settings.c: what a world may say of its agents' work, what is kept of it and what is shown. */
#include "store/kit.h"

#include "base/buf.h"
#include "engine/engine.h"

static skein_rc set(kit *k, const char *json, skein_world *out)
{
    skein_world_change what = {.id = k->world.id, .settings = skein_text(json)};

    return skein_world_patch(k->e, &what, k->mem, out, &k->err);
}

/* What a client is shown of them. */
static const char *shown(kit *k, skein_str settings)
{
    skn_buf b;
    skn_jw  w;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    skn_jw_init(&w, &b);
    skn_world_settings_show(&w, settings, k->mem);
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static void what_is_set_is_read_again(void **state)
{
    kit              k;
    skein_world      w, again;
    skn_world_limits limits;

    kit_open(&k, state);
    KIT_OK(&k, set(&k,
                   "{ \"delegationDepth\": 1000, \"monthlyTokens\": 5, \"knowledge\": true,"
                   " \"approvals\": {\"remember\": \"ask\"}}",
                   &w));
    KIT_OK(&k, skein_world_find(k.e, k.world.name, k.mem, &again, &k.err));
    assert_string_equal(w.settings.p, again.settings.p);
    limits = skn_world_limits_of(again.settings, k.mem);
    assert_int_equal(limits.delegation_depth, 1000);
    assert_int_equal(limits.delegations_most, 64);
    assert_int_equal(limits.monthly_tokens, 5);
    assert_int_equal(limits.compact_share, 75);
    assert_true(limits.knowledge);
    assert_string_equal(shown(&k, again.settings), again.settings.p);
    kit_close(&k);
}

static void settings_are_replaced_whole_and_left_alone_by_other_changes(void **state)
{
    kit                k;
    skein_world        w, was;
    skein_world_change what = {.turn_limit = 3};

    kit_open(&k, state);
    KIT_OK(&k, set(&k, "{\"compactShare\":50}", &w));
    what.id = k.world.id;
    KIT_OK(&k, skein_world_patch(k.e, &what, k.mem, &w, &k.err));
    assert_string_equal(w.settings.p, "{\"compactShare\":50}");
    was = w;
    KIT_OK(&k, set(&k, "{\"knowledge\":false}", &w));
    assert_string_equal(w.settings.p, "{\"knowledge\":false}");
    what.was = &was; /* read before the settings were changed */
    assert_int_equal(skein_world_patch(k.e, &what, k.mem, &w, &k.err), SKEIN_VERSION_CHANGED);
    kit_close(&k);
}

static void a_new_world_may_have_settings(void **state)
{
    kit         k;
    skein_world w = {.name = SKN_STR("other"), .settings = SKN_STR("{\"delegationsMost\":2}")};

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &w, k.mem, &k.err));
    KIT_OK(&k, skein_world_find(k.e, w.uid, k.mem, &w, &k.err));
    assert_int_equal(skn_world_limits_of(w.settings, k.mem).delegations_most, 2);
    w = (skein_world){.name = SKN_STR("bad"), .settings = SKN_STR("{\"delegationsMost\":0}")};
    assert_int_equal(skein_world_new(k.e, &w, k.mem, &k.err), SKEIN_INVALID);
    kit_close(&k);
}

static void what_is_wrong_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *json, *place;
    } wrong[] = {
        {"[]", "\"/settings\""},
        {"{\"colour\":1}", "\"/settings/colour\""},
        {"{\"delegationDepth\":0}", "\"/settings/delegationDepth\""},
        {"{\"delegationDepth\":10001}", "\"/settings/delegationDepth\""},
        {"{\"delegationsMost\":\"9\"}", "\"/settings/delegationsMost\""},
        {"{\"monthlyTokens\":-1}", "\"/settings/monthlyTokens\""},
        {"{\"monthlyTokens\":1.5}", "\"/settings/monthlyTokens\""},
        {"{\"compactShare\":9}", "\"/settings/compactShare\""},
        {"{\"compactShare\":96}", "\"/settings/compactShare\""},
        {"{\"knowledge\":1}", "\"/settings/knowledge\""},
        {"{\"approvals\":[]}", "\"/settings/approvals\""},
        {"{\"approvals\":{\"rm\":\"maybe\"}}", "\"/settings/approvals/rm\""},
        {"{\"mcpServers\":1}", "\"/settings/mcpServers\""},
        {"{\"mcpServers\":{\"a b\":{\"command\":[\"x\"]}}}", "\"/settings/mcpServers/a b\""},
        {"{\"mcpServers\":{\"a\":{}}}", "\"/settings/mcpServers/a\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"x\"],\"url\":\"http://h\"}}}",
         "\"/settings/mcpServers/a\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"x\"],\"headers\":{}}}}",
         "\"/settings/mcpServers/a\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[]}}}", "\"/settings/mcpServers/a/command\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"\"]}}}", "\"/settings/mcpServers/a/command\""},
        {"{\"mcpServers\":{\"a\":{\"command\":\"x\"}}}", "\"/settings/mcpServers/a/command\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"file:///x\"}}}", "\"/settings/mcpServers/a/url\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"http://h:84537/\"}}}",
         "\"/settings/mcpServers/a/url\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"http://h:19001;x\"}}}",
         "\"/settings/mcpServers/a/url\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https:///x\"}}}", "\"/settings/mcpServers/a/url\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://me:pw@h/x\"}}}",
         "\"/settings/mcpServers/a/url\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"K\":1}}}}",
         "\"/settings/mcpServers/a/headers/K\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"Host\":\"x\"}}}}",
         "\"/settings/mcpServers/a/headers/Host\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://"
         "h\",\"headers\":{\"mcp-session-ID\":\"x\"}}}}",
         "\"/settings/mcpServers/a/headers/mcp-session-ID\""},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"X C: q\":\"x\"}}}}",
         "\"/settings/mcpServers/a/headers/X C: q\" is not a header"},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"\":\"x\"}}}}",
         "\"/settings/mcpServers/a/headers/\" is not a header"},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"X\\r\\nY\":"
         "{\"env\":\"X\"}}}}}",
         "is not a header that can be sent"},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"X-A\":"
         "\"x\\r\\nY: z\"}}}}",
         "\"/settings/mcpServers/a/headers/X-A\" is not a header"},
        {"{\"mcpServers\":{\"a\":{\"url\":\"https://h\",\"headers\":{\"Content-Length\":"
         "{\"env\":\"X\"}}}}}",
         "\"/settings/mcpServers/a/headers/Content-Length\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"x\"],\"env\":{\"K\":{\"env\":\"1X\"}}}}}",
         "\"/settings/mcpServers/a/env/K\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"x\"],\"timeoutMs\":1}}}",
         "\"/settings/mcpServers/a/timeoutMs\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"x\"],\"approval\":true}}}",
         "\"/settings/mcpServers/a/approval\""},
        {"{\"mcpServers\":{\"a\":{\"command\":[\"x\"],\"cwd\":\"/\"}}}",
         "\"/settings/mcpServers/a/cwd\""},
    };
    kit         k;
    skein_world w;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (set(&k, wrong[i].json, &w) != SKEIN_INVALID)
            fail_msg("not refused: %s", wrong[i].json);
        if (!strstr(k.err.message, wrong[i].place))
            fail_msg("%s: %s", wrong[i].json, k.err.message);
    }
    assert_int_equal(set(&k, "{\"knowledge\":true", &w), SKEIN_INVALID);
    KIT_OK(&k, skein_world_find(k.e, k.world.name, k.mem, &w, &k.err));
    assert_null(w.settings.p);
    kit_close(&k);
}

/* A server need not run, nor ever have run, for its tools to be named. */
static void approvals_name_tools_that_there_are(void **state)
{
    static const char *const fine[] = {
        "{\"approvals\":{\"remember\":\"never\",\"tellAgent\":\"ask\",\"demo_lookup\":\"ask\"}"
        "}",
        "{\"mcpServers\":{\"files\":{\"command\":[\"x\"]}},\"approvals\":{\"files__write\":"
        "\"ask\"}}",
        "{\"approvals\":{\"files__write\":\"never\"}}" /* it was there before its server went */};
    static const char *const wrong[] = {"rm",    "files__write", "git__log",
                                        "web__", "web__*",       "webx"};
    kit                      k;
    skein_world              w;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        skn_str json = skn_arena_printf(
            k.mem,
            "{\"approvals\":{\"%s\":\"ask\"},\"mcpServers\":{\"web\":{\"url\":\"http://h\"}}}",
            wrong[i]);

        if (set(&k, json.p, &w) != SKEIN_INVALID)
            fail_msg("not refused: %s", wrong[i]);
        assert_non_null(strstr(k.err.message, "names no tool"));
        assert_non_null(strstr(k.err.message, wrong[i]));
        assert_non_null(strstr(k.err.hint, "remember"));
        assert_non_null(strstr(k.err.hint, "web__TOOL"));
    }
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        KIT_OK(&k, set(&k, fine[i], &w));
    kit_close(&k);
}

static void two_names_of_one_tool_are_refused(void **state)
{
    kit         k;
    skein_world w;

    kit_open(&k, state);
    assert_int_equal(
        set(&k, "{\"approvals\":{\"tellAgent\":\"always\",\"tell_agent\":\"never\"}}", &w),
        SKEIN_INVALID);
    assert_non_null(strstr(k.err.message, "tellAgent"));
    assert_non_null(strstr(k.err.message, "tell_agent"));
    assert_int_equal(
        set(&k, "{\"approvals\":{\"recall\":\"always\",\"recall\":\"never\"}}", &w),
        SKEIN_INVALID);
    KIT_OK(&k, set(&k, "{\"approvals\":{\"tellAgent\":\"never\",\"recall\":\"ask\"}}", &w));
    kit_close(&k);
}

/* As stores have them that are older than the rule. */
static void of_two_words_for_one_tool_the_stricter_counts(void **state)
{
    static const char *const cases[][4] = {
        /* approvals, servers, tool, word */
        {"\"tellAgent\":\"always\",\"tell_agent\":\"never\"", "", "tellAgent", "never"},
        {"\"tell_agent\":\"ask\",\"tellAgent\":\"always\"", "", "tell_agent", "ask"},
        {"\"tellAgent\":\"always\"", "", "tell_agent", "always"},
        {"\"a__b__c\":\"always\"", "\"a\":{},\"a__b\":{}", "a__b__c", "ask"},
        {"\"a__b__c\":\"always\"", "\"a__b\":{}", "a__b__c", "always"},
        {"\"a__b__c\":\"never\"", "\"a\":{},\"a__b\":{}", "a__b__c", "never"},
        {"", "\"a\":{\"approval\":\"always\"},\"a__b\":{}", "a__b__c", NULL},
        {"", "\"a\":{\"approval\":\"never\"},\"a__b\":{}", "a__b__c", "never"},
        {"\"recall\":\"perhaps\"", "", "recall", "never"},
        {"", "", "recall", NULL}};
    kit k;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        skn_str json = skn_arena_printf(k.mem, "{\"approvals\":{%s},\"mcpServers\":{%s}}",
                                        cases[i][0], cases[i][1]);
        skn_str word = skn_world_approval(json, skn_str_of(cases[i][2]), k.mem);

        if (!skn_str_eq(word, skn_str_of(cases[i][3])))
            fail_msg("%s: %s is %.*s", json.p, cases[i][2], SKN_FMT(word));
    }
    kit_close(&k);
}

static void names_of_servers_leave_no_doubt_whose_a_tool_is(void **state)
{
    static const char *const refused[] = {"a__b", "_a", "a_", "_", "__"};
    kit                      k;
    skein_world              w;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        skn_str json = skn_arena_printf(
            k.mem, "{\"mcpServers\":{\"%s\":{\"url\":\"http://h\"}}}", refused[i]);

        if (set(&k, json.p, &w) != SKEIN_INVALID)
            fail_msg("not refused: %s", refused[i]);
        assert_non_null(strstr(k.err.message, "begins or ends with _, or has __ in it"));
    }
    assert_int_equal(set(&k,
                         "{\"mcpServers\":{\"a\":{\"url\":\"http://h\"},"
                         "\"a\":{\"url\":\"http://g\"}}}",
                         &w),
                     SKEIN_INVALID);
    KIT_OK(&k, set(&k, "{\"mcpServers\":{\"a_b-c\":{\"url\":\"http://h\"}}}", &w));
    skn_fixture_sql(k.fx, "UPDATE worlds SET settings = "
                          "'{\"mcpServers\":{\"a__b\":{\"url\":\"http://h\"}}}'");
    KIT_OK(&k, set(&k, "{\"mcpServers\":{\"a__b\":{\"url\":\"http://g\"}}}", &w));
    kit_close(&k);
}

/* Whoever set it did so under older rules; it is refused when it is used. */
static void an_address_from_before_does_not_keep_the_rest_from_being_changed(void **state)
{
    kit         k;
    skein_world w;

    kit_open(&k, state);
    skn_fixture_sql(k.fx, "UPDATE worlds SET settings = '{\"mcpServers\":{\"a\":{\"url\":"
                          "\"http://h:84537/\",\"headers\":{\"X\":\"1\"}}}}'");
    KIT_OK(&k, set(&k,
                   "{\"compactShare\":50,\"mcpServers\":{\"a\":{\"url\":\"http://h:84537/\","
                   "\"headers\":{\"X\":\"2\"}}}}",
                   &w));
    assert_int_equal(set(&k, "{\"mcpServers\":{\"a\":{\"url\":\"http://h:84538/\"}}}", &w),
                     SKEIN_INVALID);
    assert_int_equal(set(&k, "{\"mcpServers\":{\"b\":{\"url\":\"http://h:84537/\"}}}", &w),
                     SKEIN_INVALID);
    kit_close(&k);
}

#define SERVERS                                                                                \
    "{\"mcpServers\":{\"git\":{\"command\":[\"mcp-git\",\"--all\"],\"env\":{\"PLACE\":\"%s\"," \
    "\"HOME\":{\"env\":\"HOME\"}}},\"web\":{\"url\":\"https://h/mcp\",\"headers\":"            \
    "{\"X-Team\":\"%s\"},\"timeoutMs\":5000,\"approval\":\"ask\"}}}"
#define HIDDEN "\xE2\x80\xA6"

static void secrets_are_kept_but_never_shown(void **state)
{
    kit         k;
    char        json[600], kept[600];
    skein_world w;

    kit_open(&k, state);
    snprintf(kept, sizeof kept, SERVERS, "s3cret", "Bearer s3cret");
    KIT_OK(&k, set(&k, kept, &w));
    assert_string_equal(w.settings.p, kept);
    snprintf(json, sizeof json, SERVERS, HIDDEN, HIDDEN);
    assert_string_equal(shown(&k, w.settings), json);
    assert_int_equal(
        skn_fixture_number(k.fx, "SELECT count(*) FROM events WHERE data LIKE '%s3cret%'"), 0);
    kit_close(&k);
}

static void what_was_shown_can_be_sent_back(void **state)
{
    kit         k;
    char        json[600], kept[600];
    skein_world w;

    kit_open(&k, state);
    snprintf(json, sizeof json, SERVERS, "s3cret", HIDDEN);
    assert_int_equal(set(&k, json, &w),
                     SKEIN_INVALID); /* there is nothing that it stands for */
    assert_null(strstr(k.err.message, "s3cret"));
    snprintf(json, sizeof json, SERVERS, "s3cret", "Bearer old");
    KIT_OK(&k, set(&k, json, &w));
    snprintf(json, sizeof json, SERVERS, HIDDEN, "Bearer new");
    KIT_OK(&k, set(&k, json, &w));
    snprintf(kept, sizeof kept, SERVERS, "s3cret", "Bearer new");
    assert_string_equal(w.settings.p, kept);
    kit_close(&k);
}

static void what_is_secret_by_its_name_is_not_kept(void **state)
{
    static const char *const refused[] = {
        "{\"mcpServers\":{\"git\":{\"command\":[\"g\"],\"env\":{\"API_KEY\":\"s3cret\"}}}}",
        "{\"mcpServers\":{\"git\":{\"command\":[\"g\"],\"env\":{\"github_Token\":\"s3cret\"}}}"
        "}",
        "{\"mcpServers\":{\"w\":{\"url\":\"https://h/"
        "\",\"headers\":{\"authorization\":\"s3cret\"}}}}"};
    kit         k;
    skein_world w;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(set(&k, refused[i], &w), SKEIN_INVALID);
        assert_null(strstr(k.err.message, "s3cret"));
    }
    KIT_OK(&k, set(&k,
                   "{\"mcpServers\":{\"git\":{\"command\":[\"g\"],\"env\":{\"API_KEY\":{"
                   "\"env\":\"MY_KEY\"}}}}}",
                   &w));
    kit_close(&k);
}

static void settings_have_a_limit(void **state)
{
    kit         k;
    skn_buf     b;
    skein_world w;

    kit_open(&k, state);
    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR("{\"approvals\":{\""));
    skn_buf_fill(&b, 'x', 70000);
    skn_buf_add(&b, SKN_STR("\":\"ask\"}}"));
    assert_int_equal(set(&k, b.p, &w), SKEIN_LIMIT);
    skn_buf_clear(&b);
    skn_buf_add(&b, SKN_STR("{\"approvals\":{\"t\":\"ask\""));
    for (int i = 0; i < 256; i++)
        skn_buf_addf(&b, ",\"t%d\":\"ask\"", i);
    skn_buf_add(&b, SKN_STR("}}"));
    assert_int_equal(set(&k, b.p, &w), SKEIN_INVALID);
    skn_buf_release(&b);
    kit_close(&k);
}

static void a_world_tells_that_its_settings_changed(void **state)
{
    kit          k;
    skein_world  w;
    skein_events events;
    int64_t      last, forgotten;

    kit_open(&k, state);
    KIT_OK(&k, skein_events_span(k.e, &last, &forgotten, &k.err));
    KIT_OK(&k, set(&k, "{\"knowledge\":true}", &w));
    KIT_OK(&k, set(&k, "{\"knowledge\":true}", &w)); /* as it was */
    KIT_OK(&k,
           skein_events_read(k.e, &(skein_event_query){.after = last}, k.mem, &events, &k.err));
    assert_int_equal(events.count, 1);
    assert_string_equal(events.at[0].type.p, "world.updated");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(what_is_set_is_read_again),
        SKN_BOTH(settings_are_replaced_whole_and_left_alone_by_other_changes),
        SKN_BOTH(a_new_world_may_have_settings),
        SKN_ON_SQLITE(what_is_wrong_is_refused_with_its_place),
        SKN_BOTH(approvals_name_tools_that_there_are),
        SKN_ON_SQLITE(two_names_of_one_tool_are_refused),
        SKN_ON_SQLITE(of_two_words_for_one_tool_the_stricter_counts),
        SKN_ON_SQLITE(names_of_servers_leave_no_doubt_whose_a_tool_is),
        SKN_BOTH(an_address_from_before_does_not_keep_the_rest_from_being_changed),
        SKN_BOTH(secrets_are_kept_but_never_shown),
        SKN_BOTH(what_was_shown_can_be_sent_back),
        SKN_ON_SQLITE(what_is_secret_by_its_name_is_not_kept),
        SKN_ON_SQLITE(settings_have_a_limit),
        SKN_BOTH(a_world_tells_that_its_settings_changed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
