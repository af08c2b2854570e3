/* Asking the scripted model: pieces that add up, ends that are told once, cancelling that is final. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "provider/provider.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One request and all that came of it. */
typedef struct heard {
    skn_loop   *loop;
    skn_buf     text, thinking, calls, sent, received;
    int         deltas, dones;
    skn_answer  answer;
    skn_asking *asking;
    int         cancel_at; /* delta; 0: never */
    bool        cancel_in_done;
} heard;

static void on_delta(void *arg, skn_part part, skn_str text)
{
    heard *h = arg;

    assert_true(text.n > 0);
    assert_int_equal(h->dones, 0);
    h->deltas++;
    skn_buf_add(part == SKN_PART_TEXT ? &h->text : &h->thinking, text);
    if (h->deltas == h->cancel_at)
        skn_asking_cancel(h->asking);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    heard *h = arg;

    skn_buf_addf(&h->calls, "%.*s %.*s %.*s;", SKN_FMT(call->call_id), SKN_FMT(call->tool_name),
                 SKN_FMT(call->args));
}

static void on_sent(void *arg, const skn_str *pieces, size_t count)
{
    heard *h = arg;

    skn_buf_clear(&h->sent);
    for (size_t i = 0; i < count; i++)
        skn_buf_add(&h->sent, pieces[i]);
}

static void on_received(void *arg, skn_str bytes)
{
    heard *h = arg;

    skn_buf_add(&h->received, bytes);
}

static void on_done(void *arg, const skn_answer *answer)
{
    heard *h = arg;

    h->dones++;
    h->answer = *answer;
    if (h->cancel_in_done)
        skn_asking_cancel(h->asking);
    skn_loop_stop(h->loop);
}

static void heard_init(heard *h)
{
    *h = (heard){.loop = skn_loop_new()};
    skn_buf_init(&h->text, 4 << 20);
    skn_buf_init(&h->thinking, 1 << 20);
    skn_buf_init(&h->calls, 1 << 20);
    skn_buf_init(&h->sent, 1 << 20);
    skn_buf_init(&h->received, 1 << 20);
}

static void heard_release(heard *h)
{
    skn_buf_release(&h->text);
    skn_buf_release(&h->thinking);
    skn_buf_release(&h->calls);
    skn_buf_release(&h->sent);
    skn_buf_release(&h->received);
    skn_loop_free(h->loop);
}

static skn_provider *provider_of(heard *h, const char *source, bool no_delay)
{
    skn_scripted_options o = {NULL, no_delay};
    skein_error          err = {0};

    if (skn_script_read(&o.script, skn_str_of(source), "s.yaml", &err))
        fail_msg("%s", err.message);
    return skn_scripted_new(h->loop, &o);
}

static void start(heard *h, skn_provider *p, const skn_ask *what)
{
    const skn_answer_sink sink = {.sent = on_sent,
                                  .received = on_received,
                                  .delta = on_delta,
                                  .call = on_call,
                                  .done = on_done,
                                  .arg = h};

    h->asking = skn_ask_model(p, what, &sink);
    assert_int_equal(h->deltas + h->dones, 0); /* never from inside */
}

static skn_ask said(const char *text)
{
    return (skn_ask){.model = SKN_STR("scripted"),
                     .agent = SKN_STR("ada"),
                     .asker = SKN_STR("human"),
                     .said = skn_str_of(text),
                     .id = SKN_STR("m1")};
}

/* Asks once and runs until it is answered. */
static void hear(heard *h, const char *source, bool no_delay, const skn_ask *what)
{
    skn_provider *p;

    heard_init(h);
    p = provider_of(h, source, no_delay);
    start(h, p, what);
    skn_loop_run(h->loop);
    assert_int_equal(h->dones, 1);
    skn_provider_free(p);
}

static const char script[] =
    "pace: 1\n"
    "rules:\n"
    "  - when: long\n"
    "    do:\n"
    "      - think: let me see\n"
    "      - say: '  One two\tthree'\n"
    "      - wait: 5ms\n"
    "      - say: four {sender}.\n"
    "  - when: call\n"
    "    do:\n"
    "      - say: Calling.\n"
    "      - {call: t, args: {q: '{sender}'}}\n"
    "      - call: u\n"
    "  - tool: t\n"
    "    matches: '([0-9]+)'\n"
    "    do: got {1}\n"
    "  - {when: cut, do: [{say: a b c}, {say: d e f}, {cut: after 4 words}]}\n"
    "  - {when: short, do: [{say: a b}, {cut: after 9 words}]}\n"
    "  - {when: nothing, do: [{cut: after 0 words}, {say: a}]}\n"
    "  - {when: rate, do: [{say: a}, {fail: rate_limit}]}\n"
    "  - {when: auth, do: [{fail: auth}]}\n"
    "  - {when: network, do: [{fail: network}]}\n"
    "  - {when: own, do: [{fail: the dog ate it}]}\n"
    "  - {when: silent, do: [{wait: 1ms}]}\n"
    "  - {when: slow, do: [{wait: 10m}, {say: late}]}\n";

static void pieces_add_up_to_the_text(void **state)
{
    heard   h;
    skn_ask what = said("a long one");

    (void)state;
    hear(&h, script, false, &what);
    assert_string_equal(h.text.p, "  One two\tthree\n\nfour human.");
    assert_string_equal(h.thinking.p, "let me see");
    assert_int_equal(h.deltas, 8); /* a word each */
    assert_int_equal(h.answer.error.rc, SKEIN_OK);
    assert_string_equal(h.answer.finish, "stop");
    assert_int_equal(h.answer.tokens_in, -1);
    assert_int_equal(h.answer.tokens_out, -1);
    heard_release(&h);
}

static void without_delay_it_is_the_same_text(void **state)
{
    heard   h;
    skn_ask what = said("a long one");

    (void)state;
    hear(&h, script, true, &what);
    assert_string_equal(h.text.p, "  One two\tthree\n\nfour human.");
    assert_string_equal(h.thinking.p, "let me see");
    assert_int_equal(h.deltas, 3);
    heard_release(&h);
}

static void without_delay_no_wait_is_kept(void **state)
{
    heard   h;
    skn_ask what = said("slow");
    int64_t from = skn_clock_monotonic();

    (void)state;
    hear(&h, script, true, &what);
    assert_string_equal(h.text.p, "late");
    assert_true(skn_clock_monotonic() - from < 60 * INT64_C(1000000000)); /* not ten minutes */
    heard_release(&h);
}

static void pace_and_waits_take_their_time(void **state)
{
    heard   h;
    skn_ask what = said("x");
    int64_t from = skn_clock_monotonic();

    (void)state;
    hear(&h, "pace: 5\notherwise: [{say: a b}, {wait: 20ms}, {say: c}]\n", false, &what);
    assert_true(skn_clock_monotonic() - from >= 30 * 1000000);
    heard_release(&h);
}

static void calls_are_told_and_end_the_answer(void **state)
{
    heard   h, again;
    skn_ask what = said("call it");

    (void)state;
    hear(&h, script, true, &what);
    hear(&again, script, false, &what);
    assert_string_equal(h.text.p, "Calling.");
    assert_string_equal(h.answer.finish, "tool");
    assert_non_null(strstr(h.calls.p, " t {\"q\":\"human\"};call_"));
    assert_non_null(strstr(h.calls.p, " u {};"));
    assert_string_equal(h.calls.p, again.calls.p); /* the same request, the same ids */
    assert_memory_not_equal(h.calls.p, strstr(h.calls.p, ";") + 1, 21);
    heard_release(&again);
    what.id = SKN_STR("m2");
    hear(&again, script, true, &what);
    assert_string_not_equal(h.calls.p, again.calls.p);
    heard_release(&again);
    heard_release(&h);
}

static void a_result_is_answered_by_its_own_rule(void **state)
{
    heard   h;
    skn_ask what = said("call it");

    (void)state;
    what.tool = SKN_STR("t");
    what.result = SKN_STR("it is 42, call");
    hear(&h, script, true, &what);
    assert_string_equal(h.text.p, "got 42");
    assert_string_equal(h.answer.finish, "stop");
    heard_release(&h);
}

static void without_words_of_its_own_the_context_speaks(void **state)
{
    heard                h;
    skein_prompt_message list[] = {
        {.role = SKEIN_USER, .text = SKN_STR("long")},
        {.role = SKEIN_TOOL, .text = SKN_STR("7 of 9"), .tool_name = SKN_STR("t")}};
    skein_context context = {.at = list, .count = 1};
    skn_ask       what = said(NULL);

    (void)state;
    what.context = &context;
    hear(&h, script, true, &what);
    assert_non_null(strstr(h.text.p, "One two"));
    heard_release(&h);
    context.count = 2;
    hear(&h, script, true, &what);
    assert_string_equal(h.text.p, "got 7");
    heard_release(&h);
}

static void failures_say_what_and_whether_to_try_again(void **state)
{
    static const struct {
        const char *said, *text, *message;
        bool        retryable;
    } cases[] = {
        {"cut", "a b c\n\nd ", "the answer was cut off", true},
        {"short", "a b", "the answer was cut off", true},
        {"nothing", "", "the answer was cut off", true},
        {"rate", "a", "scripted failure: too many requests", true},
        {"auth", "", "scripted failure: the key is not valid", false},
        {"network", "", "scripted failure: the provider cannot be reached", true},
        {"own", "", "the dog ate it", false},
    };

    (void)state;
    for (size_t i = 0; i < 2 * COUNT(cases); i++) {
        size_t  k = i / 2;
        heard   h;
        skn_ask what = said(cases[k].said);

        hear(&h, script, i % 2, &what);
        assert_string_equal(skn_buf_str(&h.text).p, cases[k].text);
        assert_int_equal(h.answer.error.rc, SKEIN_PROVIDER);
        assert_string_equal(h.answer.error.message, cases[k].message);
        assert_int_equal(h.answer.retryable, cases[k].retryable);
        heard_release(&h);
    }
}

static void an_answer_of_nothing_ends_well(void **state)
{
    heard   h;
    skn_ask what = said("silent");

    (void)state;
    hear(&h, script, false, &what);
    assert_int_equal(h.deltas, 0);
    assert_string_equal(h.answer.finish, "stop");
    heard_release(&h);
}

static void another_model_is_refused(void **state)
{
    heard   h;
    skn_ask what = said("long");

    (void)state;
    what.model = SKN_STR("gpt");
    hear(&h, script, true, &what);
    assert_string_equal(h.answer.error.message, "no model \"gpt\"; known: demo/scripted");
    heard_release(&h);
}

static void an_answer_that_grows_too_large_fails(void **state)
{
    heard   h;
    skn_buf text, source;
    skn_ask what = said("");

    (void)state;
    skn_buf_init(&text, 10000);
    skn_buf_fill(&text, 'x', 4000);
    skn_buf_init(&source, 1 << 20);
    skn_buf_add(&source, SKN_STR("rules: [{matches: '(.*)', do: '"));
    for (int i = 0; i < 300; i++)
        skn_buf_add(&source, SKN_STR("{1}"));
    skn_buf_add(&source, SKN_STR("'}]\n"));
    what.said = skn_buf_str(&text);
    hear(&h, source.p, true, &what);
    assert_int_equal(h.deltas, 0);
    assert_string_equal(h.answer.error.message, "the script's answer is over 1 MB");
    heard_release(&h);
    skn_buf_release(&text);
    skn_buf_release(&source);
}

/* Asks h's question, and the same for another one that is not cancelled: when that one is answered,
 * h would have been long ago. */
static void hear_beside(heard *h, const skn_ask *what, bool cancel_first)
{
    heard         other;
    skn_provider *p;

    heard_init(&other);
    skn_loop_free(h->loop);
    h->loop = other.loop;
    p = provider_of(h, script, false);
    start(h, p, what);
    start(&other, p, what);
    if (cancel_first)
        skn_asking_cancel(h->asking);
    while (!other.dones)
        skn_loop_run(h->loop);
    assert_string_equal(other.text.p, "  One two\tthree\n\nfour human.");
    skn_provider_free(p);
    heard_release(&other);
    h->loop = NULL;
}

static void after_cancelling_nothing_comes(void **state)
{
    skn_ask what = said("long");

    (void)state;
    for (int at = 0; at < 8; at++) { /* before, and inside of every piece */
        heard h;

        heard_init(&h);
        h.cancel_at = at;
        hear_beside(&h, &what, at == 0);
        assert_int_equal(h.deltas, at);
        assert_int_equal(h.dones, 0);
        heard_release(&h);
    }
    skn_asking_cancel(NULL);
}

static void cancelling_inside_of_the_end_is_harmless(void **state)
{
    heard   h;
    skn_ask what = said("long");

    (void)state;
    heard_init(&h);
    h.cancel_in_done = true;
    hear_beside(&h, &what, false);
    assert_int_equal(h.deltas, 8);
    assert_int_equal(h.dones, 1);
    heard_release(&h);
}

/* --- What it was sent ----------------------------------------------------------------------------- */

/* All of it as JSON, what it looks at included; and the answer as it was handed out. */
static void what_it_was_sent_and_answered_is_told(void **state)
{
    skein_prompt_message messages[] = {
        {.role = SKEIN_USER, .text = SKN_STR("a \"quoted\" word")},
        {.role = SKEIN_ASSISTANT, .text = SKN_STR("yes")},
        {.role = SKEIN_TOOL, .text = SKN_STR("data"), .tool_call_id = SKN_STR("c1")}};
    skein_context   context = {.at = messages, .count = COUNT(messages)};
    skn_tool_offer  tool = {.name = SKN_STR("recall")};
    skn_ask         what = said("long");
    skn_arena      *a = skn_arena_new();
    const skn_json *json;
    heard           h;

    (void)state;
    what.context = &context;
    what.system_prompt = SKN_STR("You are ada.");
    what.tools = &tool;
    what.tool_count = 1;
    hear(&h, script, true, &what);
    assert_int_equal(skn_json_parse(&json, skn_buf_str(&h.sent), "sent", a, NULL), SKEIN_OK);
    assert_true(skn_str_is(skn_json_get(json, "model")->text, "demo/scripted"));
    assert_true(skn_str_is(skn_json_get(json, "system")->text, "You are ada."));
    assert_int_equal(skn_json_get(json, "messages")->count, 3);
    assert_true(skn_str_is(skn_json_get(skn_json_get(json, "messages")->first, "content")->text,
                           "a \"quoted\" word"));
    assert_true(skn_str_is(skn_json_get(json, "tools")->first->text, "recall"));
    assert_true(skn_str_is(skn_json_get(skn_json_get(json, "looksAt"), "text")->text, "long"));
    assert_string_equal(h.received.p, h.text.p);
    heard_release(&h);
    skn_arena_free(a);
}

/* --- The example -------------------------------------------------------------------------------- */

static const char *tree = "."; /* where the sources are */

static char *read_example(void)
{
    char   path[1000], *text = calloc(1, 10000);
    FILE  *f;
    size_t n;

    snprintf(path, sizeof path, "%s/examples/team.script.yaml", tree);
    f = fopen(path, "r");
    if (!f)
        fail_msg("%s cannot be read", path);
    n = fread(text, 1, 9999, f);
    fclose(f);
    assert_in_range(n, 100, 9998);
    return text;
}

static void the_example_does_what_it_says(void **state)
{
    static const struct {
        const char *agent, *asker, *said, *tool, *text, *calls, *error;
    } cases[] = {
        {"ada", "human", "Hi, my name is Kim.", NULL, "Hello Kim, I am ada.", "", ""},
        {"bo", "human", "my name is Kim", NULL, "I have no line for that.", "", ""},
        {"bo", "human", "the weather in Oslo", NULL, "I look it up.",
         "demo_lookup {\"query\":\"weather Oslo\",\"days\":3};", ""},
        {"bo", "human", "anything", "demo_lookup", "There it is.", "", ""},
        {"ada", "human", "review it", NULL,
         "I ask for a second pair of eyes.\n\n@bo please review this.", "", ""},
        {"bo", "ada", "@bo please review this.", NULL, "Reviewed, ada. It is fine.", "", ""},
        {"bo", "human", "busy?", NULL, "", "", "scripted failure: too many requests"},
        {"bo", "human", "unplug it", NULL, "The cable is loose ", "", "the answer was cut off"},
    };
    char *source = read_example();

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        heard   h;
        skn_ask what = said(cases[i].said);

        what.agent = skn_str_of(cases[i].agent);
        what.asker = skn_str_of(cases[i].asker);
        what.tool = skn_str_of(cases[i].tool);
        what.result = SKN_STR("demo data");
        hear(&h, source, true, &what);
        assert_string_equal(skn_buf_str(&h.text).p, cases[i].text);
        assert_non_null(strstr(skn_buf_str(&h.calls).p, cases[i].calls));
        assert_int_equal(h.calls.n > 0, cases[i].calls[0] != '\0');
        assert_string_equal(h.answer.error.message, cases[i].error);
        heard_release(&h);
    }
    free(source);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_add_up_to_the_text),
        cmocka_unit_test(without_delay_it_is_the_same_text),
        cmocka_unit_test(without_delay_no_wait_is_kept),
        cmocka_unit_test(pace_and_waits_take_their_time),
        cmocka_unit_test(calls_are_told_and_end_the_answer),
        cmocka_unit_test(a_result_is_answered_by_its_own_rule),
        cmocka_unit_test(without_words_of_its_own_the_context_speaks),
        cmocka_unit_test(failures_say_what_and_whether_to_try_again),
        cmocka_unit_test(an_answer_of_nothing_ends_well),
        cmocka_unit_test(another_model_is_refused),
        cmocka_unit_test(an_answer_that_grows_too_large_fails),
        cmocka_unit_test(after_cancelling_nothing_comes),
        cmocka_unit_test(cancelling_inside_of_the_end_is_harmless),
        cmocka_unit_test(what_it_was_sent_and_answered_is_told),
        cmocka_unit_test(the_example_does_what_it_says),
    };

    tree = argc > 1 ? argv[1] : tree;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
