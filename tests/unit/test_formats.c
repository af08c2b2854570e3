/* The wire formats of Anthropic and Ollama: what is sent, and what is made of what comes, however it is
 * cut. */
#include "provider/record.h"
#include "provider/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- What is made of an answer ------------------------------------------------------------------ */

typedef struct heard {
    skn_buf text, thinking, calls;
} heard;

static void on_delta(void *arg, skn_part part, skn_str text)
{
    heard *h = arg;

    if (part != SKN_PART_ARGS)
        skn_buf_add(part == SKN_PART_TEXT ? &h->text : &h->thinking, text);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    heard *h = arg;

    skn_buf_addf(&h->calls, "%.*s(%.*s);", SKN_FMT(call->tool_name), SKN_FMT(call->args));
    if (skn_str_starts(call->call_id, SKN_STR("toolu_")))
        skn_buf_addf(&h->calls, "%.*s;", SKN_FMT(call->call_id));
}

/* All that came of it in one line. The bytes come in pieces of `step`, the first one of `first`. */
static char *made_of(const skn_wire_format *f, int status, skn_str bytes, size_t first,
                     size_t step)
{
    heard            h = {0};
    skn_answer_sink  sink = {.delta = on_delta, .call = on_call, .arg = &h};
    skn_arena       *a = skn_arena_new(), *scratch = skn_arena_new();
    skn_wire_answer  w;
    skn_wire_reader  r;
    skn_buf          out;
    skn_wire_request none = {.format = f, .model = SKN_STR("n/m")};

    skn_buf_init(&h.text, 1 << 20);
    skn_buf_init(&h.thinking, 1 << 20);
    skn_buf_init(&h.calls, 1 << 20);
    skn_buf_init(&out, 1 << 20);
    skn_wire_answer_init(&w, a, scratch, &sink, SKN_STR("m1"));
    skn_wire_read_start(&r, f, &w, status,
                        f->lines ? SKN_STR("application/x-ndjson")
                                 : SKN_STR("text/event-stream"));
    for (size_t at = 0, n = first; at < bytes.n; at += n, n = step)
        if (!skn_wire_read_bytes(&r, skn_str_sub(bytes, at, at + n)))
            break;
    skn_wire_read_end(&r, false);
    if (!w.failed)
        skn_wire_hand_calls(&w);
    skn_buf_addf(&out, "%s|%s|%s|", h.text.n ? h.text.p : "", h.thinking.n ? h.thinking.p : "",
                 h.calls.n ? h.calls.p : "");
    if (w.failed)
        skn_buf_addf(&out, "%s: %s", skn_ask_state_word(w.state), w.error.message);
    else
        skn_buf_addf(&out, "%s %d %d", w.finish, (int)w.tokens_in, (int)w.tokens_out);
    if (!w.failed && (w.tokens_cached || w.tokens_written))
        skn_buf_addf(&out, " %d cached %d written", (int)w.tokens_cached,
                     (int)w.tokens_written);
    skn_buf_add(&out, w.failed ? SKN_NONE : skn_wire_reason_keep(&w, &none));
    skn_wire_read_release(&r);
    skn_wire_answer_release(&w);
    skn_buf_release(&h.text);
    skn_buf_release(&h.thinking);
    skn_buf_release(&h.calls);
    skn_arena_free(scratch);
    skn_arena_free(a);
    return skn_buf_detach(&out);
}

static void expect(const skn_wire_format *f, int status, const char *bytes, const char *want)
{
    skn_str all = skn_str_of(bytes);

    for (size_t cut = 0; cut <= all.n + 1; cut++) {
        char *got = cut > all.n ? made_of(f, status, all, 1, 1)
                                : made_of(f, status, all, cut, all.n);

        if (strcmp(got, want) != 0)
            fail_msg("cut at %zu: %s instead of %s", cut, got, want);
        free(got);
    }
}

/* --- Anthropic ---------------------------------------------------------------------------------- */

#define EVENT(name, data) "event: " name "\ndata: {\"type\":\"" name "\"," data "}\n\n"
#define START                                                                                  \
    EVENT("message_start", "\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":25,"     \
                           "\"cache_read_input_tokens\":10,\"output_tokens\":1}}")
#define BLOCK(index, block)                                                                    \
    EVENT("content_block_start", "\"index\":" #index ",\"content_block\":{" block "}")
#define DELTA(index, delta)                                                                    \
    EVENT("content_block_delta", "\"index\":" #index ",\"delta\":{" delta "}")
#define TEXT(index, text) DELTA(index, "\"type\":\"text_delta\",\"text\":\"" text "\"")
#define REASON(part)                                                                           \
    "{\"type\":\"anthropic\",\"model\":\"n/m\",\"parts\":[{\"call\":0,\"part\":" part "}]}"
#define STOP(index) EVENT("content_block_stop", "\"index\":" #index)
#define END(reason)                                                                            \
    EVENT("message_delta",                                                                     \
          "\"delta\":{\"stop_reason\":\"" reason "\"},\"usage\":{\"output_tokens\":15}")       \
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

static void text_of_anthropic_is_read_however_it_is_cut(void **state)
{
    (void)state;
    expect(&skn_wire_anthropic, 200,
           START BLOCK(0, "\"type\":\"text\",\"text\":\"\"") EVENT("ping", "\"x\":1")
               TEXT(0, "Gr\\u00fc\xc3\x9f") TEXT(0, " dich\\n\xf0\x9f\x98\x80") STOP(0)
                   END("end_turn"),
           "Grü\xc3\x9f dich\n\xf0\x9f\x98\x80|||stop 35 15 10 cached 0 written");
}

static void thinking_of_anthropic_is_kept_apart(void **state)
{
    (void)state;
    expect(&skn_wire_anthropic, 200,
           START BLOCK(0, "\"type\":\"thinking\",\"thinking\":\"\"")
               DELTA(0, "\"type\":\"thinking_delta\",\"thinking\":\"hm\"")
                   DELTA(0, "\"type\":\"signature_delta\",\"signature\":\"EqQB\"") STOP(0)
                       BLOCK(1, "\"type\":\"text\",\"text\":\"\"") TEXT(1, "Yes.") STOP(1)
                           END("end_turn"),
           "Yes.|hm||stop 35 15 10 cached 0 written" REASON(
               "{\"type\":\"thinking\",\"thinking\":\"hm\","
               "\"signature\":\"EqQB\"}"));
}

static void a_whole_answer_of_anthropic_keeps_its_signatures(void **state)
{
    (void)state;
    expect(&skn_wire_anthropic, 200,
           "{\"type\":\"message\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\","
           "\"signature\":\"EqQB\"},{\"type\":\"text\",\"text\":\"Yes.\"}],"
           "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}",
           "Yes.|hm||stop 3 4" REASON("{\"type\":\"thinking\",\"thinking\":\"hm\","
                                      "\"signature\":\"EqQB\"}"));
}

static void calls_of_anthropic_come_in_pieces_and_in_parallel(void **state)
{
    (void)state;
    expect(
        &skn_wire_anthropic, 200,
        START BLOCK(0, "\"type\":\"text\",\"text\":\"\"") TEXT(0, "Let me see.") STOP(0)
            BLOCK(1, "\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"look\",\"input\":{}")
                DELTA(1, "\"type\":\"input_json_delta\",\"partial_json\":\"\"") DELTA(
                    1, "\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\":\"")
                    DELTA(1, "\"type\":\"input_json_delta\",\"partial_json\":\"1}\"") STOP(1)
                        BLOCK(2, "\"type\":\"tool_use\",\"id\":\"toolu_2\",\"name\":\"now\","
                                 "\"input\":{}") STOP(2) END("tool_use"),
        "Let me see.||look({\"a\":1});toolu_1;now({});toolu_2;|tool 35 15 10 cached 0 written");
}

static void the_ends_of_anthropic_have_our_words(void **state)
{
    static const char *const ends[][2] = {
        {START BLOCK(0, "\"type\":\"text\",\"text\":\"a\"") END("max_tokens"),
         "a|||length 35 15 10 cached 0 written"},
        {START BLOCK(0, "\"type\":\"text\",\"text\":\"a\"") END("stop_sequence"),
         "a|||stop 35 15 10 cached 0 written"},
        {START END("refusal"), "|||refused: the model refused to answer"},
        {START END("end_turn"), "|||empty: the answer is empty"},
        {START BLOCK(0, "\"type\":\"text\",\"text\":\"a\""), "a|||cut: the answer was cut off"},
        {START BLOCK(0, "\"type\":\"text\",\"text\":\"a\"") "data: {\"type\n\n",
         "a|||malformed: an event of it cannot be read"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++)
        expect(&skn_wire_anthropic, 200, ends[i][0], ends[i][1]);
}

static void errors_of_anthropic_become_states(void **state)
{
#define ERROR(type, words)                                                                     \
    "{\"type\":\"error\",\"error\":{\"type\":\"" type "\",\"message\":\"" words "\"}}"
    static const struct {
        int         status;
        const char *body, *want;
    } errors[] = {
        {200, START "event: error\ndata: " ERROR("overloaded_error", "Overloaded") "\n\n",
         "|||unavailable: Overloaded (overloaded_error)"},
        {200, START "event: error\ndata: " ERROR("rate_limit_error", "Slow down") "\n\n",
         "|||rate-limit: Slow down (rate_limit_error)"},
        {529, ERROR("overloaded_error", "Overloaded"),
         "|||unavailable: Overloaded (overloaded_error)"},
        {401, ERROR("authentication_error", "invalid x-api-key"),
         "|||bad-key: invalid x-api-key (authentication_error)"},
        {400,
         ERROR("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
         "|||context-overflow: prompt is too long: 210000 tokens > 200000 maximum "
         "(invalid_request_error)"},
        {413, ERROR("request_too_large", "Too large"),
         "|||context-overflow: Too large (request_too_large)"},
        {404, ERROR("not_found_error", "model: nope"),
         "|||refused: model: nope (not_found_error)"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(errors); i++)
        expect(&skn_wire_anthropic, errors[i].status, errors[i].body, errors[i].want);
}

static void a_whole_answer_of_anthropic_is_read_too(void **state)
{
    (void)state;
    expect(&skn_wire_anthropic, 200,
           "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},"
           "{\"type\":\"tool_use\",\"id\":\"toolu_9\",\"name\":\"f\",\"input\":{\"x\":[1,2]}}],"
           "\"stop_reason\":\"tool_use\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}",
           "Hi||f({\"x\":[1,2]});toolu_9;|tool 3 4");
}

/* --- Ollama ------------------------------------------------------------------------------------- */

#define LINE(message)                                                                          \
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\"," message "},\"done\":false}\n"
#define DONE(reason)                                                                           \
    "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,"    \
    "\"done_reason\":\"" reason "\",\"prompt_eval_count\":26,\"eval_count\":7}\n"

static void lines_of_ollama_are_read_however_they_are_cut(void **state)
{
    (void)state;
    expect(
        &skn_wire_ollama, 200,
        LINE("\"content\":\"\",\"thinking\":\"well\"") LINE("\"content\":\"Hello \"")
            LINE("\"content\":\"w\xc3\xb6rld\"") DONE("stop"),
        "Hello w\xc3\xb6rld|well||stop 26 7{\"type\":\"ollama\",\"model\":\"n/m\",\"parts\":["
        "{\"call\":-1,\"part\":{\"thinking\":\"well\"}}]}");
}

static void calls_of_ollama_get_ids_and_keep_their_arguments(void **state)
{
    (void)state;
    expect(
        &skn_wire_ollama, 200,
        LINE("\"content\":\"\",\"tool_calls\":[{\"function\":{\"index\":0,\"name\":\"look\","
             "\"arguments\":{\"city\":\"Bonn\"}}}]")
            LINE("\"content\":\"\",\"tool_calls\":[{\"function\":{\"index\":0,\"name\":\"now\","
                 "\"arguments\":{}}},{\"function\":{\"name\":\"raw\",\"arguments\":\"{}\"}}]")
                DONE("stop"),
        "||look({\"city\":\"Bonn\"});now({});raw({});|tool 26 7");
}

static void the_ends_of_ollama_have_our_words(void **state)
{
    static const char *const ends[][2] = {
        {LINE("\"content\":\"a\"") DONE("length"), "a|||length 26 7"},
        {LINE("\"content\":\"a\""), "a|||cut: the answer was cut off"},
        {DONE("stop"), "|||empty: the answer is empty"},
        {LINE("\"content\":\"a\"") "{\"error\":\"the runner has gone\"}\n",
         "a|||refused: the runner has gone"},
        {LINE("\"content\":\"a\"") "{\"mess\n", "a|||malformed: a line of it cannot be read"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(ends); i++)
        expect(&skn_wire_ollama, 200, ends[i][0], ends[i][1]);
    expect(&skn_wire_ollama, 404,
           "{\"error\":\"model \\\"x\\\" not found, try pulling it first\"}",
           "|||refused: model \"x\" not found, try pulling it first");
}

/* A stream that says so, in one piece or character by character. */
static void expect_said(const char *said, bool apart, const char *want)
{
    skn_buf b;

    skn_buf_init(&b, 1 << 20);
    for (const char *c = said; *c; c++)
        skn_buf_addf(&b, "%s%s%.*s%s", apart || c == said ? "{\"message\":{\"content\":\"" : "",
                     *c == '\n' ? "\\n" : "", *c != '\n', c,
                     apart || !c[1] ? "\"},\"done\":false}\n" : "");
    skn_buf_addf(&b, "%s", DONE("stop"));
    expect(&skn_wire_ollama, 200, b.p, want);
    skn_buf_release(&b);
}

static void thinking_in_front_of_the_content_is_kept_apart(void **state)
{
    static const char *const told[][2] = {
        {"<think>hm</think>Four.", "Four.|hm||stop 26 7"},
        {"\n <THINK>\na < b </thin k></Think>\n\nFour.", "Four.|a < b </thin k>||stop 26 7"},
        {"<thinking>a</think>b</thinking>c", "c|a</think>b||stop 26 7"},
        {"<think>\n\n</think>\n\nFour.", "Four.|||stop 26 7"},
        {"<think>a</think> <think>b</think> c", "c|ab||stop 26 7"},
        {"<think>it goes on</thi", "|it goes on</thi||stop 26 7"},
        {"<think></think>", "|||empty: the answer is empty"},
        {"Tags: <think>a</think>", "Tags: <think>a</think>|||stop 26 7"},
        {"<thin", "<thin|||stop 26 7"},
        {"<thinks>", "<thinks>|||stop 26 7"},
        {" \n", " \n|||stop 26 7"},
    };

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(told); i++)
        expect_said(told[i / 2][0], i % 2, told[i / 2][1]);
}

static void a_call_without_a_name_is_no_call(void **state)
{
    (void)state;
    expect(&skn_wire_ollama, 200,
           LINE("\"content\":\"a\",\"tool_calls\":[{\"function\":{\"arguments\":{}}},7,null]")
               DONE("stop"),
           "a|||stop 26 7");
}

static void the_models_of_ollama_are_newest_first(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_models got = {0};

    (void)state;
    assert_true(skn_wire_ollama.models(
        SKN_STR("{\"models\":[{\"name\":\"old:1b\",\"modified_at\":\"2025-01-02T03:04:05Z\"},"
                "{\"name\":\"new:7b\",\"modified_at\":\"2025-06-02T03:04:05.123+02:00\"},"
                "{\"name\":\"undated\"},{\"size\":1}]}"),
        a, &got));
    assert_int_equal(got.count, 3);
    assert_true(skn_str_is(got.at[0].name, "new:7b"));
    assert_true(skn_str_is(got.at[1].name, "old:1b"));
    assert_true(skn_str_is(got.at[2].name, "undated"));
    assert_false(skn_wire_ollama.models(SKN_STR("<html>"), a, &got));
    skn_arena_free(a);
}

/* --- What is sent ------------------------------------------------------------------------------- */

static skn_str written(const skn_wire_format *f, const skn_ask *what, skn_arena *a,
                       size_t *pieces)
{
    skn_wire_request r = {.a = a};
    skn_str          text;

    skn_buf_init(&r.body, 1 << 20);
    f->write(&r, what);
    assert_int_equal(r.ends.p[r.ends.n - 1], r.body.n);
    *pieces = r.ends.n;
    text = skn_arena_copy(a, skn_buf_str(&r.body));
    skn_buf_release(&r.body);
    return text;
}

static void expect_written(const skn_wire_format *f, const char *want, size_t want_pieces)
{
    skein_tool_call calls[] = {
        {SKN_STR("c1"), SKN_STR("look"), SKN_STR("{\"a\":1}")},
        {SKN_STR("c2"), SKN_STR("now"), SKN_STR("")},
    };
    skein_prompt_message list[] = {
        {.role = SKEIN_USER, .text = SKN_STR("say \"hi\"")},
        {.role = SKEIN_ASSISTANT, .text = SKN_STR("wait"), .calls = calls, .call_count = 2},
        {.role = SKEIN_TOOL,
         .text = SKN_STR("1"),
         .tool_call_id = SKN_STR("c1"),
         .tool_name = SKN_STR("look")},
        {.role = SKEIN_TOOL,
         .text = SKN_STR("no"),
         .tool_call_id = SKN_STR("c2"),
         .tool_name = SKN_STR("now"),
         .failed = true},
        {.role = SKEIN_USER, .text = SKN_STR("and?")},
    };
    skein_context  context = {.at = list, .count = COUNT(list)};
    skn_tool_offer tools[] = {
        {SKN_STR("look"), SKN_STR("Looks."), SKN_STR("{\"type\":\"object\"}")}};
    skn_ask    what = {.model = SKN_STR("m"),
                       .system_prompt = SKN_STR("Be kind."),
                       .context = &context,
                       .tools = tools,
                       .tool_count = 1,
                       .temperature = 0.5,
                       .most_tokens = 100};
    skn_arena *a = skn_arena_new();
    size_t     pieces;

    assert_string_equal(written(f, &what, a, &pieces).p, want);
    assert_int_equal(pieces, want_pieces);
    skn_arena_free(a);
}

#define MARK "\"cache_control\":{\"type\":\"ephemeral\"}"

static void a_question_to_anthropic_takes_turns(void **state)
{
    (void)state;
    expect_written(
        &skn_wire_anthropic,
        "{\"model\":\"m\",\"stream\":true,"
        "\"tools\":[{\"name\":\"look\",\"description\":\"Looks.\","
        "\"input_schema\":{\"type\":\"object\"}," MARK "}],"
        "\"system\":[{\"type\":\"text\",\"text\":\"Be kind.\"," MARK "}],\"messages\":["
        "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"say \\\"hi\\\"\"," MARK
        "}]},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"wait\"},"
        "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"look\",\"input\":{\"a\":1}},"
        "{\"type\":\"tool_use\",\"id\":\"c2\",\"name\":\"now\",\"input\":{}}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"c1\","
        "\"content\":\"1\"},{\"type\":\"tool_result\",\"tool_use_id\":\"c2\","
        "\"content\":\"no\",\"is_error\":true},{\"type\":\"text\",\"text\":\"and?\"," MARK
        "}]}],\"max_tokens\":100,\"temperature\":0.5}",
        5);
}

static void a_question_to_ollama_names_the_tools_of_results(void **state)
{
    (void)state;
    expect_written(
        &skn_wire_ollama,
        "{\"model\":\"m\",\"stream\":true,\"tools\":[{\"type\":\"function\",\"function\":{"
        "\"name\":\"look\",\"description\":\"Looks.\",\"parameters\":{\"type\":\"object\"}}}],"
        "\"messages\":[{\"role\":\"system\",\"content\":\"Be kind.\"},"
        "{\"role\":\"user\",\"content\":\"say \\\"hi\\\"\"},"
        "{\"role\":\"assistant\",\"content\":\"wait\",\"tool_calls\":["
        "{\"function\":{\"name\":\"look\",\"arguments\":{\"a\":1}}},"
        "{\"function\":{\"name\":\"now\",\"arguments\":{}}}]},"
        "{\"role\":\"tool\",\"content\":\"1\",\"tool_name\":\"look\"},"
        "{\"role\":\"tool\",\"content\":\"no\",\"tool_name\":\"now\"},"
        "{\"role\":\"user\",\"content\":\"and?\"}],\"options\":{\"temperature\":0.5,"
        "\"num_predict\":100}}",
        7);
}

static void a_question_to_anthropic_always_has_a_limit_of_tokens(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_ask    what = {.model = SKN_STR("m"), .temperature = -1};
    size_t     pieces;

    (void)state;
    assert_string_equal(
        written(&skn_wire_anthropic, &what, a, &pieces).p,
        "{\"model\":\"m\",\"stream\":true,\"messages\":[],\"max_tokens\":8192}");
    skn_arena_free(a);
}

static void the_key_goes_into_the_header_that_the_server_wants(void **state)
{
    skn_arena       *a = skn_arena_new();
    skn_fetch_header out[4];

    (void)state;
    assert_int_equal(skn_wire_anthropic.headers(SKN_STR("k"), a, out), 2);
    assert_true(skn_str_is(out[0].name, "anthropic-version"));
    assert_true(skn_str_is(out[1].name, "x-api-key") && skn_str_is(out[1].value, "k"));
    assert_int_equal(skn_wire_anthropic.headers(SKN_NONE, a, out), 1);
    assert_int_equal(skn_wire_ollama.headers(SKN_NONE, a, out), 0);
    assert_int_equal(skn_wire_ollama.headers(SKN_STR("k"), a, out), 1);
    assert_true(skn_str_is(out[0].value, "Bearer k"));
    skn_arena_free(a);
}

static void what_servers_say_of_their_cache_is_read(void **state)
{
    static const struct {
        const char *said, *want;
    } openai[] = {
        {"\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":3,"
         "\"prompt_tokens_details\":{\"cached_tokens\":64,\"cache_write_tokens\":20}}",
         "90 3 64 cached 20 written"},
        {"\"usage\":{\"input_tokens\":90,\"output_tokens\":3,"
         "\"input_tokens_details\":{\"cached_tokens\":64}}",
         "90 3 64 cached 0 written"},
        {"\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":3,"
         "\"prompt_cache_hit_tokens\":64,\"prompt_cache_miss_tokens\":26}",
         "90 3 64 cached 0 written"},
        {"\"usage\":{\"promptTokenCount\":90,\"candidatesTokenCount\":3,"
         "\"cachedContentTokenCount\":64}",
         "90 3 64 cached 0 written"},
        {"\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":3},"
         "\"timings\":{\"cache_n\":64,\"prompt_n\":26}",
         "90 3 64 cached 0 written"},
        {"\"usage\":{\"prompt_tokens\":90,\"completion_tokens\":3,\"cached_tokens\":\"64\"}",
         "90 3"},
    };
    char bytes[600], want[80];

    (void)state;
    for (size_t i = 0; i < COUNT(openai); i++) {
        snprintf(bytes, sizeof bytes,
                 "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},"
                 "\"finish_reason\":\"stop\"}],%s}\n\ndata: [DONE]\n\n",
                 openai[i].said);
        snprintf(want, sizeof want, "a|||stop %s", openai[i].want);
        expect(&skn_wire_openai, 200, bytes, want);
    }
    expect(&skn_wire_anthropic, 200,
           EVENT("message_start",
                 "\"message\":{\"usage\":{\"input_tokens\":5,\"output_tokens\":1,"
                 "\"cache_creation_input_tokens\":20,\"cache_read_input_tokens\":75}}")
               BLOCK(0, "\"type\":\"text\",\"text\":\"a\"") END("end_turn"),
           "a|||stop 100 15 75 cached 20 written");
}

static const char *plain(const char *request, skn_arena *a)
{
    skn_record_ids ids = {0};

    return skn_arena_copy(a, skn_record_plain(skn_str_of(request), &ids, a)).p;
}

static void a_recording_fits_on_another_day(void **state)
{
    skn_arena *a = skn_arena_new();

    (void)state;
    assert_string_equal(plain("You are @ada.\\nToday is Friday, 2026-11-20.\\nSo?", a),
                        plain("You are @ada.\\nToday is Sunday, 2027-01-03.\\nSo?", a));
    assert_string_not_equal(plain("Today is Friday.", a), plain("Today is Sunday.", a));
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_servers_say_of_their_cache_is_read),
        cmocka_unit_test(text_of_anthropic_is_read_however_it_is_cut),
        cmocka_unit_test(thinking_of_anthropic_is_kept_apart),
        cmocka_unit_test(a_whole_answer_of_anthropic_keeps_its_signatures),
        cmocka_unit_test(calls_of_anthropic_come_in_pieces_and_in_parallel),
        cmocka_unit_test(the_ends_of_anthropic_have_our_words),
        cmocka_unit_test(errors_of_anthropic_become_states),
        cmocka_unit_test(a_whole_answer_of_anthropic_is_read_too),
        cmocka_unit_test(lines_of_ollama_are_read_however_they_are_cut),
        cmocka_unit_test(calls_of_ollama_get_ids_and_keep_their_arguments),
        cmocka_unit_test(the_ends_of_ollama_have_our_words),
        cmocka_unit_test(thinking_in_front_of_the_content_is_kept_apart),
        cmocka_unit_test(a_call_without_a_name_is_no_call),
        cmocka_unit_test(the_models_of_ollama_are_newest_first),
        cmocka_unit_test(a_question_to_anthropic_takes_turns),
        cmocka_unit_test(a_question_to_ollama_names_the_tools_of_results),
        cmocka_unit_test(a_question_to_anthropic_always_has_a_limit_of_tokens),
        cmocka_unit_test(the_key_goes_into_the_header_that_the_server_wants),
        cmocka_unit_test(a_recording_fits_on_another_day),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
