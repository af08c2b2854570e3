/* Answers of servers that speak like OpenAI's, as they are documented and as they are. Every stream is
 * read whole, byte by byte, and cut in two at every place. */
#include "unit/wire_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define CHUNK(delta, finish)                                                                   \
    "data: {\"choices\":[{\"index\":0,\"delta\":" delta ",\"finish_reason\":" finish "}]}\n\n"
#define SAY(text) CHUNK("{\"content\":\"" text "\"}", "null")
#define STOP      CHUNK("{}", "\"stop\"")
#define DONE      "data: [DONE]\n\n"

typedef struct expected {
    const char   *text, *thinking, *calls; /* NULL: none */
    const char   *finish;
    skn_ask_state state;
    const char   *words; /* in the error */
} expected;

static void compare(const wire_notes *n, const expected *e)
{
    assert_string_equal(n->text.p ? n->text.p : "", e->text ? e->text : "");
    assert_string_equal(n->thinking.p ? n->thinking.p : "", e->thinking ? e->thinking : "");
    assert_string_equal(n->calls.p ? n->calls.p : "", e->calls ? e->calls : "");
    assert_int_equal(n->answer.failed, e->state != SKN_ASK_ANSWERED);
    if (n->answer.failed)
        assert_string_equal(skn_ask_state_word(n->answer.state), skn_ask_state_word(e->state));
    if (e->finish)
        assert_string_equal(n->answer.finish, e->finish);
    if (e->words)
        assert_non_null(strstr(n->answer.error.message, e->words));
}

static void read_all(const wire_bytes *b, const expected *e)
{
    wire_notes whole, other;

    wire_read(&whole, b, b->bytes.n, 0);
    compare(&whole, e);
    wire_read(&other, b, 1, 1);
    assert_true(wire_same(&whole, &other));
    wire_notes_release(&other);
    for (size_t at = 1; at < b->bytes.n; at++) {
        wire_read(&other, b, at, 0);
        assert_true(wire_same(&whole, &other));
        wire_notes_release(&other);
    }
    wire_notes_release(&whole);
}

static void streams(const char *bytes, expected e)
{
    read_all(&(wire_bytes){.format = &skn_wire_openai, .bytes = skn_str_of(bytes)}, &e);
}

static void labelled(const char *type, const char *bytes, expected e)
{
    read_all(
        &(wire_bytes){.format = &skn_wire_openai, .type = type, .bytes = skn_str_of(bytes)},
        &e);
}

static void answers(int status, const char *bytes, expected e)
{
    read_all(&(wire_bytes){.format = &skn_wire_openai,
                           .status = status,
                           .type = "application/json",
                           .bytes = skn_str_of(bytes)},
             &e);
}

/* --- Streams ---------------------------------------------------------------------------------- */

static void text_comes_in_pieces_and_is_whole_at_the_end(void **state)
{
    (void)state;
    streams(CHUNK("{\"role\":\"assistant\",\"content\":\"\"}", "null") SAY("Hel") SAY("lo ")
                SAY("w\\u00f6rld \\ud83d\\ude00") STOP DONE,
            (expected){.text = "Hello w\u00f6rld \U0001F600", .finish = "stop"});
}

static void lines_may_end_in_any_way(void **state)
{
    (void)state;
    streams(
        "\xef\xbb\xbf: hi\r\n\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n"
        "event: x\rdata: {\"choices\":[{\"delta\":\rdata: {\"content\":\"b\"}}]}\r\r"
        "id: 7\nretry: 5\ndata: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        (expected){.text = "ab", .finish = "stop"});
}

static void a_clean_end_without_done_is_an_end_when_a_reason_was_given(void **state)
{
    (void)state;
    streams(SAY("a") STOP, (expected){.text = "a", .finish = "stop"});
    streams(SAY("a") "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}",
            (expected){.text = "a", .finish = "stop"});
    streams(SAY("a"), (expected){.text = "a", .state = SKN_ASK_CUT});
    streams(SAY("a") DONE, (expected){.text = "a", .finish = "stop"});
}

static void a_stream_that_is_cut_keeps_what_came(void **state)
{
    static const char bytes[] = SAY("a") SAY("b") "data: {\"choices\":[{\"del";

    (void)state;
    read_all(&(wire_bytes){.format = &skn_wire_openai, .bytes = skn_str_of(bytes), .cut = true},
             &(expected){.text = "ab", .state = SKN_ASK_CUT});
    read_all(
        &(wire_bytes){.format = &skn_wire_openai, .bytes = SKN_STR(SAY("a") STOP), .cut = true},
        &(expected){.text = "a", .finish = "stop"});
}

static void thinking_goes_by_two_names(void **state)
{
    (void)state;
    streams(CHUNK("{\"reasoning_content\":\"hm\"}", "null")
                CHUNK("{\"reasoning\":\"!\"}", "null") SAY("ok") STOP DONE,
            (expected){.text = "ok", .thinking = "hm!", .finish = "stop"});
}

static void the_usage_is_in_the_last_chunk(void **state)
{
    static const char bytes[] = SAY("a") STOP
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":11,"
        "\"completion_tokens\":3}}\n\n" DONE;
    wire_notes n;

    (void)state;
    wire_read(&n, &(wire_bytes){.format = &skn_wire_openai, .bytes = skn_str_of(bytes)}, 40, 0);
    assert_int_equal(n.answer.tokens_in, 11);
    assert_int_equal(n.answer.tokens_out, 3);
    wire_notes_release(&n);
}

static void an_end_mark_that_leaked_is_dropped_at_the_end_only(void **state)
{
    (void)state;
    streams(SAY("Hi</s>") STOP DONE, (expected){.text = "Hi"});
    streams(SAY("Hi") SAY("</") SAY("s>") STOP DONE, (expected){.text = "Hi"});
    streams(SAY("a</s>b") STOP DONE, (expected){.text = "a</s>b"});
    streams(SAY("a</s>") SAY("b<") STOP DONE, (expected){.text = "a</s>b<"});
    streams(SAY("<s>old</s>") STOP DONE, (expected){.text = "<s>old</s>"});
    streams(SAY("x <") SAY("</s>") STOP DONE, (expected){.text = "x <"});
}

static void what_is_no_text_is_replaced_and_not_refused(void **state)
{
    (void)state;
    streams(SAY("a\\ud83d") SAY("\\u0000b\\\\u0000") SAY("\xff!") STOP DONE,
            (expected){.text = "a\uFFFD\uFFFDb\\u0000\uFFFD!", .finish = "stop"});
}

/* --- Calls ------------------------------------------------------------------------------------ */

#define CALL(fields) CHUNK("{\"tool_calls\":[{" fields "}]}", "null")
#define CALLED       CHUNK("{}", "\"tool_calls\"")

static void parallel_calls_are_told_apart_by_their_number(void **state)
{
    (void)state;
    streams(CALL("\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"\"}")
                CALL("\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"g\"}")
                    CALL("\"index\":1,\"function\":{\"arguments\":\"{}\"}")
                        CALL("\"index\":0,\"function\":{\"arguments\":\"{\\\"a\\\"\"}")
                            CALL("\"index\":0,\"function\":{\"arguments\":\":1}\"}")
                                CALLED DONE,
            (expected){.calls = "c1 f {\"a\":1};c2 g {};", .finish = "tool"});
}

static void calls_without_a_number_or_with_the_same_are_told_apart_too(void **state)
{
    (void)state;
    streams(CALL("\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}")
                CALL("\"function\":{\"arguments\":\"}\"}")
                    CALL("\"id\":\"c2\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}")
                        STOP,
            (expected){.calls = "c1 f {};c2 g {};", .finish = "tool"});
    streams(
        CALL("\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}")
            CALL("\"index\":0,\"id\":\"c2\",\"function\":{\"name\":\"g\",\"arguments\":\"{}\"}")
                CALLED,
        (expected){.calls = "c1 f {};c2 g {};", .finish = "tool"});
}

static void calls_without_an_id_or_with_the_same_get_one(void **state)
{
    static const char two[] = CALL("\"index\":0,\"id\":\"x\",\"function\":{\"name\":\"f\"}")
        CALL("\"index\":1,\"id\":\"x\",\"function\":{\"name\":\"g\"}")
            CALL("\"index\":2,\"function\":{\"name\":\"h\"}") CALLED;
    wire_notes n;
    char       ids[3][64];

    (void)state;
    wire_read(&n, &(wire_bytes){.format = &skn_wire_openai, .bytes = skn_str_of(two)}, 7, 0);
    assert_int_equal(
        sscanf(n.calls.p, "%63s f {};%63s g {};%63s h {};", ids[0], ids[1], ids[2]), 3);
    assert_string_equal(ids[0], "x");
    assert_memory_equal(ids[1], "call_", 5);
    assert_memory_equal(ids[2], "call_", 5);
    assert_string_not_equal(ids[1], ids[2]);
    wire_notes_release(&n);
}

static void arguments_that_are_no_json_are_passed_on_as_they_are(void **state)
{
    (void)state;
    streams(CALL("\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{oh\"}")
                CALLED DONE,
            (expected){.calls = "c f {oh;", .finish = "tool"});
    streams(
        CALL("\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}")
            CALLED DONE,
        (expected){.calls = "c f {\"a\":1};", .finish = "tool"});
}

static void more_than_64_calls_are_refused(void **state)
{
    skn_buf    b;
    wire_notes n;

    (void)state;
    skn_buf_init(&b, 1 << 20);
    for (int i = 0; i < 65; i++)
        skn_buf_addf(&b,
                     "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":%d,\"id\":"
                     "\"c%d\",\"function\":{\"name\":\"f\"}}]}}]}\n\n",
                     i, i);
    skn_buf_add(&b, SKN_STR(CALLED));
    wire_read(&n, &(wire_bytes){.format = &skn_wire_openai, .bytes = skn_buf_str(&b)}, 99, 0);
    compare(&n, &(expected){.state = SKN_ASK_MALFORMED, .words = "64"});
    wire_notes_release(&n);
    skn_buf_release(&b);
}

static void a_call_of_what_can_be_no_tool_is_malformed(void **state)
{
    (void)state;
    streams(SAY("a") CALL("\"index\":0,\"id\":\"c\",\"function\":{\"arguments\":\"{}\"}")
                CALLED DONE,
            (expected){.text = "a", .state = SKN_ASK_MALFORMED, .words = "without a name"});
    streams(CALL("\"index\":0,\"id\":\"c\",\"function\":{\"name\":\"f\\u0007\"}") CALLED DONE,
            (expected){.state = SKN_ASK_MALFORMED, .words = "a name that none can have"});
}

/* --- Failures --------------------------------------------------------------------------------- */

static void an_error_inside_a_stream_ends_it_with_its_words(void **state)
{
    (void)state;
    streams(
        SAY("a") "data: {\"error\":{\"message\":\"Over\\nloaded\",\"type\":\"server_error\"}}"
                 "\n\n" SAY("b"),
        (expected){
            .text = "a", .state = SKN_ASK_UNAVAILABLE, .words = "Over loaded (server_error)"});
    streams("data: {\"error\":{\"message\":\"slow down\",\"code\":429}}\n\n",
            (expected){.state = SKN_ASK_RATE_LIMIT, .words = "slow down"});
    streams("data: {\"object\":\"error\",\"message\":\"no\"}\n\n",
            (expected){.state = SKN_ASK_REFUSED, .words = "no"});
    streams(SAY("a") CHUNK("{}", "\"content_filter\""),
            (expected){.text = "a", .state = SKN_ASK_REFUSED, .words = "content filter"});
}

static void what_cannot_be_read_is_malformed(void **state)
{
    (void)state;
    streams("data: {not-json\n\n" DONE, (expected){.state = SKN_ASK_MALFORMED});
    streams("data: {\"choices\":[null]}\n\n" DONE, (expected){.state = SKN_ASK_MALFORMED});
    streams("data: 7\n\n", (expected){.state = SKN_ASK_MALFORMED});
}

static void nothing_at_all_is_empty(void **state)
{
    (void)state;
    streams(STOP DONE, (expected){.state = SKN_ASK_EMPTY});
    streams(DONE, (expected){.state = SKN_ASK_EMPTY});
    streams("\n\n: wait\n\n", (expected){.state = SKN_ASK_EMPTY});
    streams(CHUNK("{\"role\":\"assistant\"}", "null"), (expected){.state = SKN_ASK_CUT});
}

static void an_event_that_never_ends_is_too_large(void **state)
{
    skn_buf    b;
    wire_notes n;

    (void)state;
    skn_buf_init(&b, 16 << 20);
    skn_buf_add(&b, SKN_STR("data: "));
    skn_buf_fill(&b, 'x', (9 << 20));
    skn_buf_add(&b, SKN_STR("\n\n"));
    wire_read(&n, &(wire_bytes){.format = &skn_wire_openai, .bytes = skn_buf_str(&b)}, 1 << 16,
              1 << 16);
    compare(&n, &(expected){.state = SKN_ASK_MALFORMED, .words = "too large"});
    wire_notes_release(&n);
    skn_buf_release(&b);
}

/* --- Kinds of content -------------------------------------------------------------------------- */

static void a_stream_may_be_labelled_as_json_and_json_as_a_stream(void **state)
{
    static const char whole[] =
        "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"Hi\",\"tool_calls\":["
        "{\"id\":\"c\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},\"finish_reason\":"
        "\"tool_calls\"}],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}";

    (void)state;
    labelled("application/json", SAY("Hi") STOP DONE, (expected){.text = "Hi"});
    labelled("", SAY("Hi") STOP DONE, (expected){.text = "Hi"});
    labelled("application/json", whole,
             (expected){.text = "Hi", .calls = "c f {};", .finish = "tool"});
    labelled("text/event-stream", whole,
             (expected){.text = "Hi", .calls = "c f {};", .finish = "tool"});
    labelled("application/json", "{\"choices\":", (expected){.state = SKN_ASK_MALFORMED});
    labelled("application/json", "{\"hello\":1}", (expected){.state = SKN_ASK_MALFORMED});
}

static void pages_for_people_are_the_wrong_type(void **state)
{
    (void)state;
    labelled("text/html", "<html>Sign in</html>",
             (expected){.state = SKN_ASK_WRONG_TYPE, .words = "text/html"});
    labelled("application/json", "<html>", (expected){.state = SKN_ASK_WRONG_TYPE});
    labelled("text/event-stream", "<html>", (expected){.state = SKN_ASK_WRONG_TYPE});
    labelled("image/png", "data: x\n\n", (expected){.state = SKN_ASK_WRONG_TYPE});
}

static void statuses_and_words_make_states(void **state)
{
    (void)state;
    answers(401, "{\"error\":{\"message\":\"no\",\"code\":\"invalid_api_key\"}}",
            (expected){.state = SKN_ASK_BAD_KEY, .words = "no (invalid_api_key)"});
    answers(403, "", (expected){.state = SKN_ASK_BAD_KEY});
    answers(429, "{\"error\":\"exceeded your tokens\"}",
            (expected){.state = SKN_ASK_RATE_LIMIT});
    answers(400, "{\"error\":{\"message\":\"m\",\"code\":\"context_length_exceeded\"}}",
            (expected){.state = SKN_ASK_OVERFLOW});
    answers(400, "{\"error\":{\"message\":\"This model's maximum context length is 8\"}}",
            (expected){.state = SKN_ASK_OVERFLOW});
    answers(500, "{\"error\":{\"message\":\"the request exceeds the available context size\"}}",
            (expected){.state = SKN_ASK_OVERFLOW});
    answers(413, "", (expected){.state = SKN_ASK_OVERFLOW});
    answers(400, "{\"error\":\"registry.ollama.ai/library/gemma:2b does not support tools\"}",
            (expected){.state = SKN_ASK_NO_TOOLS});
    answers(500, "{\"error\":{\"message\":\"tools param requires --jinja flag\"}}",
            (expected){.state = SKN_ASK_NO_TOOLS});
    answers(404, "{\"error\":{\"message\":\"No endpoints found that support tool use.\"}}",
            (expected){.state = SKN_ASK_NO_TOOLS});
    answers(400,
            "{\"message\":\"\\\"auto\\\" tool choice requires --enable-auto-tool-choice and "
            "--tool-call-parser to be set\"}",
            (expected){.state = SKN_ASK_NO_TOOLS});
    answers(400, "{\"error\":{\"message\":\"there is no tool \\\"x\\\"\"}}",
            (expected){.state = SKN_ASK_REFUSED});
    answers(404, "{\"detail\":\"no such model\"}",
            (expected){.state = SKN_ASK_REFUSED, .words = "no such model"});
    answers(502, "<html>Bad gateway</html>", (expected){.state = SKN_ASK_UNAVAILABLE});
    answers(529, "overloaded", (expected){.state = SKN_ASK_UNAVAILABLE, .words = "overloaded"});
    answers(302, "", (expected){.state = SKN_ASK_REFUSED});
}

static void words_are_one_line_of_at_most_300_bytes(void **state)
{
    char    out[SKN_WIRE_WORDS];
    skn_buf b;

    (void)state;
    skn_wire_line(SKN_STR(" a\n\n\tb\x01 c "), out);
    assert_string_equal(out, "a b c");
    skn_buf_init(&b, 1000);
    skn_buf_fill(&b, 'x', 296);
    skn_buf_add(&b, SKN_STR("\u00e4\u00e4\u00e4"));
    skn_wire_line(skn_buf_str(&b), out);
    assert_true(strlen(out) <= 300);
    assert_string_equal(out + 296, "\u2026");
    skn_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_comes_in_pieces_and_is_whole_at_the_end),
        cmocka_unit_test(lines_may_end_in_any_way),
        cmocka_unit_test(a_clean_end_without_done_is_an_end_when_a_reason_was_given),
        cmocka_unit_test(a_stream_that_is_cut_keeps_what_came),
        cmocka_unit_test(thinking_goes_by_two_names),
        cmocka_unit_test(the_usage_is_in_the_last_chunk),
        cmocka_unit_test(an_end_mark_that_leaked_is_dropped_at_the_end_only),
        cmocka_unit_test(what_is_no_text_is_replaced_and_not_refused),
        cmocka_unit_test(parallel_calls_are_told_apart_by_their_number),
        cmocka_unit_test(calls_without_a_number_or_with_the_same_are_told_apart_too),
        cmocka_unit_test(calls_without_an_id_or_with_the_same_get_one),
        cmocka_unit_test(arguments_that_are_no_json_are_passed_on_as_they_are),
        cmocka_unit_test(more_than_64_calls_are_refused),
        cmocka_unit_test(a_call_of_what_can_be_no_tool_is_malformed),
        cmocka_unit_test(an_error_inside_a_stream_ends_it_with_its_words),
        cmocka_unit_test(what_cannot_be_read_is_malformed),
        cmocka_unit_test(nothing_at_all_is_empty),
        cmocka_unit_test(an_event_that_never_ends_is_too_large),
        cmocka_unit_test(a_stream_may_be_labelled_as_json_and_json_as_a_stream),
        cmocka_unit_test(pages_for_people_are_the_wrong_type),
        cmocka_unit_test(statuses_and_words_make_states),
        cmocka_unit_test(words_are_one_line_of_at_most_300_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
