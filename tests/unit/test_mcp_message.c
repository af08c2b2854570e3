/* Messages of tool servers: reading a stranger's, writing our own, and a result as a model reads it. */
#include "mcp/mcp_message.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct seen {
    skn_buf text; /* "kind method id body|" of each */
    size_t  most; /* takes no more */
    size_t  n;
} seen;

static bool note(void *arg, const skn_mcp_message *m)
{
    static const char *const kinds[] = {"request", "notice", "result", "error"};
    seen                    *s = arg;
    skn_str                  body = m->body ? m->body->raw : SKN_STR("-");

    skn_buf_addf(&s->text, "%s", kinds[m->kind]);
    if (m->kind == SKN_MCP_REQUEST || m->kind == SKN_MCP_NOTICE)
        skn_buf_addf(&s->text, " %.*s", SKN_FMT(m->method));
    if (m->kind == SKN_MCP_REQUEST)
        skn_buf_addf(&s->text, " %.*s", SKN_FMT(m->raw_id));
    if (m->kind == SKN_MCP_RESULT || m->kind == SKN_MCP_ERROR)
        skn_buf_addf(&s->text, " %lld", (long long)m->id);
    skn_buf_addf(&s->text, " %.*s|", SKN_FMT(body));
    return ++s->n < s->most;
}

static skein_rc read_text(skn_str text, size_t most, char *out, size_t size, skein_error *err)
{
    seen       s = {.most = most};
    skn_arena *a = skn_arena_new();
    skein_rc   rc;

    skn_buf_init(&s.text, 100000);
    rc = skn_mcp_read(text, a, note, &s, err);
    snprintf(out, size, "%s", s.text.p ? s.text.p : "");
    skn_buf_release(&s.text);
    skn_arena_free(a);
    return rc;
}

static void reads(const char *text, const char *expected)
{
    char        out[2000];
    skein_error err;

    assert_int_equal(read_text(skn_str_of(text), 100, out, sizeof out, &err), SKEIN_OK);
    assert_string_equal(out, expected);
}

static void is_refused(skn_str text, const char *words)
{
    char        out[2000];
    skein_error err;

    assert_int_not_equal(read_text(text, 100, out, sizeof out, &err), SKEIN_OK);
    assert_string_equal(out, "");
    assert_non_null(strstr(err.message, words));
}

static void each_kind_of_message_is_known(void **state)
{
    (void)state;
    reads("{\"jsonrpc\":\"2.0\",\"id\":\"a 1\",\"method\":\"ping\"}",
          "request ping \"a 1\" -|");
    reads("{\"id\":7,\"method\":\"roots/list\",\"params\":{}}", "request roots/list 7 {}|");
    reads("{\"method\":\"notifications/x\",\"params\":{\"a\":1}}",
          "notice notifications/x {\"a\":1}|");
    reads("{\"id\":3,\"result\":{\"x\":[]}}", "result 3 {\"x\":[]}|");
    reads("{\"id\":4,\"error\":{\"code\":-1}}", "error 4 {\"code\":-1}|");
    reads("{\"id\":4,\"error\":\"boom\"}", "error 4 \"boom\"|");
}

static void an_id_that_is_not_ours_is_none(void **state)
{
    (void)state;
    reads("{\"id\":\"12\",\"result\":1}", "result 12 1|");
    reads("{\"id\":null,\"error\":{}}", "error 0 {}|");
    reads("{\"id\":-3,\"result\":1}", "result 0 1|");
    reads("{\"id\":1.5,\"result\":1}", "result 0 1|");
    reads("{\"id\":99999999999999999999,\"result\":1}", "result 0 1|");
    reads("{\"id\":{},\"method\":\"x\"}", "notice x -|");
}

static void a_batch_is_its_messages_until_nobody_listens(void **state)
{
    const char *text = "[{\"id\":1,\"result\":1},7,{\"x\":1},{\"id\":2,\"result\":2}]";
    char        out[200];
    skein_error err;

    (void)state;
    reads(text, "result 1 1|result 2 2|");
    assert_int_equal(read_text(skn_str_of(text), 1, out, sizeof out, &err), SKEIN_OK);
    assert_string_equal(out, "result 1 1|");
    reads("[]", "");
}

static void what_is_no_message_is_refused(void **state)
{
    (void)state;
    is_refused(SKN_STR("hello"), "a message");
    is_refused(SKN_STR("{}"), "not a JSON-RPC message");
    is_refused(SKN_STR("7"), "not a JSON-RPC message");
    is_refused(SKN_STR("{\"id\":1,\"result\":"), "a message");
    is_refused(SKN_STR(""), "a message");
}

static void text_that_no_store_takes_is_mended(void **state)
{
    (void)state;
    reads("{\"id\":1,\"result\":\"a\\u0000b\"}", "result 1 \"a\\ufffdb\"|");
    reads("{\"id\":1,\"result\":\"\\ud800 \\udc00x \\ud83d\\ude00\"}",
          "result 1 \"\\ufffd \\ufffdx \\ud83d\\ude00\"|");
    reads("{\"id\":1,\"result\":\"\xff\xfe ok \\\\u0000\"}",
          "result 1 \"\xEF\xBF\xBD\xEF\xBF\xBD ok \\\\u0000\"|");
}

static void too_many_values_are_refused_before_they_cost_memory(void **state)
{
    skn_buf text;

    (void)state;
    skn_buf_init(&text, SKN_MCP_LINE);
    skn_buf_add(&text, SKN_STR("{\"id\":1,\"result\":[0"));
    for (size_t i = 0; i < SKN_MCP_VALUES; i++)
        skn_buf_add(&text, SKN_STR(",0"));
    skn_buf_add(&text, SKN_STR("]}"));
    is_refused(skn_buf_str(&text), "more than");
    skn_buf_clear(&text);
    skn_buf_add(&text, SKN_STR("{\"id\":1,\"result\":\""));
    skn_buf_fill(&text, ',', SKN_MCP_VALUES * 2); /* in a text they are none */
    skn_buf_add(&text, SKN_STR("\"}"));
    assert_int_equal(read_text(skn_buf_str(&text), 9, (char[8]){0}, 8, NULL), SKEIN_OK);
    skn_buf_release(&text);
}

static void a_batch_has_a_limit(void **state)
{
    skn_buf text;

    (void)state;
    skn_buf_init(&text, SKN_MCP_LINE);
    skn_buf_addc(&text, '[');
    for (size_t i = 0; i <= SKN_MCP_BATCH; i++)
        skn_buf_addf(&text, "%s{\"method\":\"x\"}", i ? "," : "");
    skn_buf_addc(&text, ']');
    is_refused(skn_buf_str(&text), "batch");
    skn_buf_release(&text);
}

static void is_written(skn_mcp_letter *l, const char *expected)
{
    skn_mcp_letter_end(l);
    assert_string_equal(l->text.p, expected);
    skn_buf_release(&l->text);
}

static void what_is_written_is_one_line(void **state)
{
    skn_mcp_letter l;

    (void)state;
    skn_jw_key(skn_mcp_letter_begin(&l, 1000, 5, "tools/call"), "params");
    skn_jw_raw(&l.w, SKN_STR("{\n  \"a\":\r\n \"x\\n\"}"));
    is_written(&l, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\","
                   "\"params\":{   \"a\":   \"x\\n\"}}");
    skn_mcp_letter_begin(&l, 1000, 0, "notifications/initialized");
    is_written(&l, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    skn_jw_kint(skn_mcp_letter_answer(&l, SKN_STR("\"q\"")), "result", 1);
    is_written(&l, "{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"result\":1}");
}

static bool text_of(const char *result, const char *expected)
{
    skn_arena      *a = skn_arena_new();
    const skn_json *v;
    skn_buf         out;
    bool            failed;

    skn_buf_init(&out, 1000);
    assert_int_equal(skn_json_parse(&v, skn_str_of(result), "a result", a, NULL), SKEIN_OK);
    failed = skn_mcp_result_text(v, &out);
    assert_string_equal(out.p ? out.p : "", expected);
    skn_buf_release(&out);
    skn_arena_free(a);
    return failed;
}

static void texts_are_joined_and_pictures_described(void **state)
{
    (void)state;
    assert_false(
        text_of("{\"content\":[{\"type\":\"text\",\"text\":\"a\"},"
                "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUJDRA==\"},"
                "{\"type\":\"audio\",\"data\":\"QUJD\"},{\"type\":\"text\",\"text\":\"b\"}]}",
                "a\n[image/png, 4 bytes]\n[audio, 3 bytes]\nb"));
}

static void content_that_is_no_list_is_a_failed_result(void **state)
{
    const char *words = "the server of this tool gave a result that cannot be read: its "
                        "\"content\" is not a list";

    (void)state;
    assert_true(text_of("{\"content\":42}", words));
    assert_true(text_of("{\"content\":{\"type\":\"text\",\"text\":\"a\"}}", words));
    assert_false(text_of("{\"content\":[]}", ""));
    words = "the server of this tool gave a result that cannot be read: it is not an object";
    assert_true(text_of("\"done\"", words));
    assert_true(text_of("[1]", words));
}

static void a_resource_is_its_text_or_its_address(void **state)
{
    (void)state;
    text_of(
        "{\"content\":[{\"type\":\"resource\",\"resource\":{\"uri\":\"x:1\",\"text\":\"t\"}},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"x:2\",\"blob\":\"QUI=\"}},"
        "{\"type\":\"resource\",\"resource\":{\"uri\":\"x:3\"}},{\"type\":\"resource\"},"
        "{\"type\":\"resource_link\",\"uri\":\"x:4\",\"name\":\"four\"},{\"type\":\"new\"},{}]"
        "}",
        "t\n[resource, 2 bytes] x:2\nx:3\n[resource]\nfour: x:4\n[new]\n[unknown content]");
}

static void structured_content_counts_where_there_is_no_text(void **state)
{
    (void)state;
    text_of("{\"content\":[],\"structuredContent\":{\"a\": 1}}", "{\"a\": 1}");
    text_of("{\"structuredContent\":{\"a\":1}}", "{\"a\":1}");
    text_of(
        "{\"content\":[{\"type\":\"image\",\"data\":\"\"}],\"structuredContent\":{\"a\":1}}",
        "[image, 0 bytes]\n{\"a\":1}");
    text_of(
        "{\"content\":[{\"type\":\"text\",\"text\":\"t\"}],\"structuredContent\":{\"a\":1}}",
        "t");
    text_of("{\"toolResult\":\"old\"}", "\"old\"");
}

static void an_error_is_a_failed_result(void **state)
{
    (void)state;
    assert_true(
        text_of("{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]}", "no"));
    assert_false(text_of("{\"isError\":\"true\",\"content\":[]}", ""));
    assert_false(text_of("null", ""));
}

static void text_for_people_has_no_control_characters(void **state)
{
    skn_buf out;

    (void)state;
    skn_buf_init(&out, 100);
    skn_mcp_add_clean(&out, SKN_STR("a\x1b[2J\r\n\tb\xff\x7f\xC3\xA9"));
    assert_string_equal(out.p, "a [2J \n\tb? \xC3\xA9");
    skn_buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_message_is_known),
        cmocka_unit_test(an_id_that_is_not_ours_is_none),
        cmocka_unit_test(a_batch_is_its_messages_until_nobody_listens),
        cmocka_unit_test(what_is_no_message_is_refused),
        cmocka_unit_test(text_that_no_store_takes_is_mended),
        cmocka_unit_test(too_many_values_are_refused_before_they_cost_memory),
        cmocka_unit_test(a_batch_has_a_limit),
        cmocka_unit_test(what_is_written_is_one_line),
        cmocka_unit_test(texts_are_joined_and_pictures_described),
        cmocka_unit_test(a_resource_is_its_text_or_its_address),
        cmocka_unit_test(content_that_is_no_list_is_a_failed_result),
        cmocka_unit_test(structured_content_counts_where_there_is_no_text),
        cmocka_unit_test(an_error_is_a_failed_result),
        cmocka_unit_test(text_for_people_has_no_control_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
