/* Asking a model behind HTTP: what is sent, what is tried again and what is not, who waits for whom, and
 * that no key is ever told. */
#include "base/clock.h"
#include "provider/provider.h"
#include "unit/peer_kit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define OK     "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
#define SAY(t) "data: {\"choices\":[{\"delta\":{\"content\":\"" t "\"}}]}\n\n"
#define STOP   "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define CALL                                                                                   \
    "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c\",\"function\":{" \
    "\"name\":\"f\",\"arguments\":\"{}\"}},{\"index\":1,\"id\":\"d\",\"function\":{\"name\":"  \
    "\"g\",\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define ERROR(status, head, words)                                                             \
    "HTTP/1.1 " status " No\r\nContent-Type: application/json\r\n" head                        \
    "Connection: close\r\n\r\n{\"error\":{\"message\":\"" words "\"}}"
#define KEY "sk-very-secret-0123456789"

typedef enum moment { NEVER, AT_SENT, AT_RECEIVED, AT_DELTA, AT_ARGS, AT_CALL, AT_DONE } moment;

typedef struct heard {
    skn_loop     *loop;
    skn_net      *net;
    skn_provider *provider;
    skn_asking   *asking;
    skn_buf       sent, received, text, calls;
    int           tries, pieces, dones, left;
    skn_answer    answer;
    moment        cancel, free; /* the provider, at AT_DONE */
    skn_models    models;
    char          names[200];
    peer          peer;
} heard;

static void at(heard *h, moment now)
{
    assert_int_equal(h->dones, now == AT_DONE);
    if (h->cancel != now)
        return;
    h->cancel = NEVER;
    skn_asking_cancel(h->asking);
    if (now != AT_DONE)
        skn_loop_stop(h->loop);
}

static void on_sent(void *arg, const skn_str *pieces, size_t count)
{
    heard *h = arg;

    h->tries++;
    h->pieces = (int)count;
    skn_buf_clear(&h->sent);
    for (size_t i = 0; i < count; i++)
        skn_buf_add(&h->sent, pieces[i]);
    if (h->left == 1)
        at(h, AT_SENT);
}

static void on_received(void *arg, skn_str bytes)
{
    heard *h = arg;

    skn_buf_add(&h->received, bytes);
    if (h->left == 1)
        at(h, AT_RECEIVED);
}

static void on_delta(void *arg, skn_part part, skn_str text)
{
    heard *h = arg;

    if (part == SKN_PART_ARGS) {
        at(h, AT_ARGS);
        return;
    }
    skn_buf_add(&h->text, text);
    if (h->left == 1)
        at(h, AT_DELTA);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    heard *h = arg;

    skn_buf_addf(&h->calls, "%.*s;", SKN_FMT(call->tool_name));
    at(h, AT_CALL);
}

static void on_done(void *arg, const skn_answer *answer)
{
    heard *h = arg;

    h->answer = *answer;
    if (--h->left)
        return;
    h->dones++;
    at(h, AT_DONE);
    if (h->free == AT_DONE) {
        skn_provider_free(h->provider);
        h->provider = NULL;
    }
    skn_loop_stop(h->loop);
}

static void ask(heard *h, const char *said)
{
    skein_prompt_message message = {.role = SKEIN_USER, .text = skn_str_of(said)};
    skein_context        context = {.at = &message, .count = 1};
    skn_tool_offer       tool = {SKN_STR("f"), SKN_STR("does it"), SKN_STR("{\"a\":1}")};
    skn_ask              what = {.model = SKN_STR("m"),
                                 .system_prompt = SKN_STR("be brief"),
                                 .context = &context,
                                 .id = SKN_STR("m_1"),
                                 .tools = &tool,
                                 .tool_count = 1,
                                 .temperature = 0.5,
                                 .most_tokens = 77};
    skn_answer_sink      sink = {on_sent, on_received, on_delta, on_call, NULL, on_done, h};

    h->left++;
    h->asking = skn_ask_model(h->provider, &what, &sink);
    assert_int_equal(h->tries + h->dones, 0);
}

static void open_heard(heard *h, const peer_reply *replies, int count, skn_wire_options o)
{
    char url[64];

    *h = (heard){.loop = skn_loop_new()};
    h->net = skn_net_new(h->loop);
    peer_open(&h->peer, replies, count);
    snprintf(url, sizeof url, "http://127.0.0.1:%d/v1/", h->peer.port);
    skn_buf_init(&h->sent, 1 << 20);
    skn_buf_init(&h->received, 1 << 20);
    skn_buf_init(&h->text, 1 << 20);
    skn_buf_init(&h->calls, 1 << 20);
    o.name = "test";
    o.base_url = skn_str_of(url);
    o.backoff_ms = o.backoff_ms ? o.backoff_ms : 1;
    h->provider = skn_wire_new(h->loop, h->net, &o);
}

static void close_heard(heard *h)
{
    skn_provider_free(h->provider);
    skn_net_free(h->net);
    peer_close(&h->peer);
    skn_loop_free(h->loop);
    skn_buf_release(&h->sent);
    skn_buf_release(&h->received);
    skn_buf_release(&h->text);
    skn_buf_release(&h->calls);
}

/* Opens, asks once and waits for the end. */
static void one(heard *h, const peer_reply *replies, int count, skn_wire_options o)
{
    open_heard(h, replies, count, o);
    ask(h, "hello");
    skn_loop_run(h->loop);
}

#define SECRET(...) ((skn_wire_options){.key = SKN_STR(KEY), __VA_ARGS__})

static void a_question_is_sent_with_all_that_belongs_to_it(void **state)
{
    static const peer_reply reply = {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    one(&h, &reply, 1, SECRET(.retries = 0));
    assert_non_null(strstr(h.peer.heard.p, "POST /v1/chat/completions HTTP/1.1\r\n"));
    assert_non_null(strstr(h.peer.heard.p, "\r\nAuthorization: Bearer " KEY "\r\n"));
    assert_string_equal(
        h.sent.p,
        "{\"model\":\"m\",\"stream\":true,\"stream_options\":{\"include_usage\":true},"
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"description\":\"does "
        "it\","
        "\"parameters\":{\"a\":1}}}],\"messages\":[{\"role\":\"system\",\"content\":\"be "
        "brief\"},"
        "{\"role\":\"user\",\"content\":\"hello\"}],\"temperature\":0.5,\"max_tokens\":77}");
    assert_int_equal(h.pieces, 4);
    assert_non_null(strstr(h.peer.heard.p, h.sent.p));
    assert_string_equal(h.text.p, "Hi");
    assert_string_equal(h.received.p, SAY("Hi") STOP DONE);
    assert_int_equal(h.answer.state, SKN_ASK_ANSWERED);
    assert_int_equal(h.answer.error.rc, SKEIN_OK);
    assert_string_equal(h.answer.finish, "stop");
    assert_true(h.answer.estimated);
    assert_int_equal(h.answer.tokens_in, (h.sent.n + 3) / 4);
    assert_int_equal(h.answer.tokens_out, 1);
    assert_true(h.answer.first_ms >= 0);
    close_heard(&h);
}

static void an_answer_does_not_wait_for_a_connection_that_stays_open(void **state)
{
    static const peer_reply reply = {OK SAY("Hi") STOP DONE, PEER_HOLD, 0, 0};
    heard                   h;
    int64_t                 begun = skn_clock_monotonic();

    (void)state;
    one(&h, &reply, 1, SECRET(.stall_ms = 60000));
    assert_int_equal(h.answer.state, SKN_ASK_ANSWERED);
    assert_true(skn_clock_monotonic() - begun < INT64_C(20000000000));
    close_heard(&h);
}

/* --- Trying again ------------------------------------------------------------------------------- */

static void what_may_pass_is_tried_again_while_nothing_was_said(void **state)
{
    static const peer_reply replies[][2] = {
        {{ERROR("429", "Retry-After: 0\r\n", "slow"), PEER_CLOSE, 0, 0},
         {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}},
        {{ERROR("503", "", "later"), PEER_CLOSE, 0, 0},
         {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}},
        {{NULL, PEER_RESET, 0, 0}, {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}},
        {{OK, PEER_CLOSE, 0, 0}, {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}},
        {{OK STOP DONE, PEER_CLOSE, 0, 0}, {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}},
    };
    heard h;

    (void)state;
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        one(&h, replies[i], 2, SECRET(.retries = 2));
        assert_int_equal(h.answer.state, SKN_ASK_ANSWERED);
        assert_int_equal(h.answer.tries, 2);
        assert_int_equal(h.tries, 2);
        assert_int_equal(h.peer.requests, 2);
        assert_string_equal(h.text.p, "Hi");
        close_heard(&h);
    }
}

static void what_will_not_pass_is_not_tried_again(void **state)
{
    static const struct {
        peer_reply    reply;
        skn_ask_state state;
        bool          retryable;
    } cases[] = {
        {{OK SAY("Hi"), PEER_CLOSE, 0, 0}, SKN_ASK_CUT, true},
        {{OK SAY("Hi"), PEER_RESET, 0, 0}, SKN_ASK_CUT, true},
        {{ERROR("401", "", "no"), PEER_CLOSE, 0, 0}, SKN_ASK_BAD_KEY, false},
        {{ERROR("400", "", "prompt is too long"), PEER_CLOSE, 0, 0}, SKN_ASK_OVERFLOW, false},
        {{ERROR("404", "", "no model"), PEER_CLOSE, 0, 0}, SKN_ASK_REFUSED, false},
        {{ERROR("429", "", "insufficient_quota"), PEER_CLOSE, 0, 0}, SKN_ASK_RATE_LIMIT, false},
        {{ERROR("429", "Retry-After: 3600\r\n", "tomorrow"), PEER_CLOSE, 0, 0},
         SKN_ASK_RATE_LIMIT,
         true},
        {{OK "data: {oh\n\n", PEER_CLOSE, 0, 0}, SKN_ASK_MALFORMED, false},
    };
    heard h;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        one(&h, &cases[i].reply, 1, SECRET(.retries = 2, .stall_ms = 60000));
        assert_string_equal(skn_ask_state_word(h.answer.state),
                            skn_ask_state_word(cases[i].state));
        assert_int_equal(h.answer.tries, 1);
        assert_int_equal(h.answer.retryable, cases[i].retryable);
        assert_int_equal(h.answer.error.rc, SKEIN_PROVIDER);
        assert_int_equal(h.peer.requests, 1);
        close_heard(&h);
    }
}

/* More would be a wait without end. */
static void silence_before_the_first_word_is_tried_again_once(void **state)
{
    static const peer_reply replies[][2] = {
        {{OK, PEER_HOLD, 0, 0}, {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}},
        {{OK, PEER_HOLD, 0, 0}, {OK, PEER_HOLD, 0, 0}},
        {{OK SAY("Hi"), PEER_HOLD, 0, 0}, {OK SAY("Ho") STOP DONE, PEER_CLOSE, 0, 0}},
    };
    static const struct {
        skn_ask_state state;
        int           tries;
    } ends[] = {{SKN_ASK_ANSWERED, 2}, {SKN_ASK_STALLED, 2}, {SKN_ASK_STALLED, 1}};
    heard h;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        one(&h, replies[i], 2, SECRET(.retries = 3, .stall_ms = 300));
        assert_int_equal(h.answer.state, ends[i].state);
        assert_int_equal(h.answer.tries, ends[i].tries);
        assert_int_equal(h.peer.requests, ends[i].tries);
        close_heard(&h);
    }
}

static void tries_end(void **state)
{
    static const peer_reply reply = {ERROR("500", "", "oh"), PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    one(&h, &reply, 1, SECRET(.retries = 3));
    assert_int_equal(h.answer.state, SKN_ASK_UNAVAILABLE);
    assert_int_equal(h.answer.tries, 4);
    assert_int_equal(h.answer.status, 500);
    assert_string_equal(h.answer.error.message, "test cannot answer just now (500): oh");
    close_heard(&h);
}

static void waiting_as_long_as_the_server_asks_for(void **state)
{
    static const struct {
        const char *reply;
        int64_t     least_ms;
    } cases[] = {
        {ERROR("429", "Retry-After: 1\r\n", "slow"), 1000},
        {ERROR("503", "retry-after-ms: 120\r\n", "slow"), 120},
        {ERROR("503", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n", "slow"), 0},
    };
    heard h;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peer_reply replies[] = {{cases[i].reply, PEER_CLOSE, 0, 0},
                                {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0}};
        int64_t    begun = skn_clock_monotonic();

        one(&h, replies, 2, SECRET(.retries = 1));
        assert_int_equal(h.answer.state, SKN_ASK_ANSWERED);
        assert_true(skn_clock_monotonic() - begun >= cases[i].least_ms * 1000000);
        close_heard(&h);
    }
}

static void a_date_far_away_is_told_and_not_waited_for(void **state)
{
    static const peer_reply reply = {
        ERROR("503", "Retry-After: Fri, 31 Dec 2399 23:59:59 GMT\r\n", "later"), PEER_CLOSE, 0,
        0};
    heard h;

    (void)state;
    one(&h, &reply, 1, SECRET(.retries = 3));
    assert_int_equal(h.answer.tries, 1);
    assert_true(h.answer.retry_after_ms > INT64_C(1000) * 3600 * 24 * 365);
    close_heard(&h);
}

/* --- Keys ---------------------------------------------------------------------------------------- */

static void without_a_needed_key_nothing_is_sent(void **state)
{
    static const peer_reply reply = {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    one(&h, &reply, 1, (skn_wire_options){.key_needed = true});
    assert_int_equal(h.answer.state, SKN_ASK_NO_KEY);
    assert_string_equal(h.answer.error.message, "there is no key for test");
    assert_int_equal(h.answer.tries + h.peer.requests, 0);
    close_heard(&h);
    one(&h, &reply, 1, (skn_wire_options){.key_needed = false});
    assert_int_equal(h.answer.state, SKN_ASK_ANSWERED);
    assert_null(strstr(h.peer.heard.p, "Authorization"));
    close_heard(&h);
}

static void a_key_that_a_server_repeats_is_not_told_on(void **state)
{
    static const char *const replies[] = {
        ERROR("401", "", "the key " KEY " is not valid"),
        OK "data: {\"error\":{\"message\":\"bad key " KEY "\",\"code\":401}}\n\n",
    };
    heard h;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        peer_reply reply = {replies[i], PEER_CLOSE, 0, 0};

        one(&h, &reply, 1, SECRET(.retries = 0));
        assert_int_equal(h.answer.state, SKN_ASK_BAD_KEY);
        assert_null(strstr(h.answer.error.message, KEY));
        assert_null(strstr(h.answer.error.message, "sk-very"));
        assert_non_null(strstr(h.answer.error.message, "key *****"));
        assert_non_null(strstr(h.answer.error.hint, "skein provider login test"));
        assert_null(strstr(h.received.p, KEY));
        close_heard(&h);
    }
}

/* Of the key, of a header, and in other writings; each is a part that must not be shown. */
static void no_part_of_a_secret_that_a_server_repeats_is_told_on(void **state)
{
    static const char *const parts[] = {
        "sk-very-secret-",           /* its beginning */
        "0123456789",                /* its end */
        "ry-secret-01",              /* its middle */
        "c2stdmVyeS1zZWNyZXQtMDEyM", /* base64 */
        "team-blue-42",              /* of a header with the name of a secret */
        "a/longer+value",            /* of another one */
    };
    const skn_fetch_header headers[] = {
        {SKN_STR("X-Auth-Team"), SKN_STR("team-blue-4242")},
        {SKN_STR("X-Place"), SKN_STR("a/longer+value/of/a/header")}};
    heard h;
    char  text[600];

    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        peer_reply reply = {text, PEER_CLOSE, 0, 0};

        snprintf(text, sizeof text, ERROR("401", "", "bad: %s..., see key"), parts[i]);
        one(&h, &reply, 1, SECRET(.retries = 0, .headers = headers, .header_count = 2));
        assert_null(strstr(h.answer.error.message, parts[i]));
        assert_non_null(strstr(h.answer.error.message, "bad: **********"));
        assert_non_null(strstr(h.answer.error.message, "..., see key"));
        assert_null(strstr(h.received.p, parts[i]));
        close_heard(&h);
    }
}

static void a_key_that_is_escaped_in_an_address_is_not_told_on(void **state)
{
    static const peer_reply reply = {ERROR("401", "", "no: a%2Fb%3Dc-12345"), PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    one(&h, &reply, 1, (skn_wire_options){.retries = 0, .key = SKN_STR("a/b=c-12345")});
    assert_non_null(strstr(h.answer.error.message, "no: ***************"));
    close_heard(&h);
}

/* Its beginning is not a secret where a model speaks of keys; but the key is not kept. */
static void an_answer_keeps_its_words_and_loses_the_key(void **state)
{
    static const peer_reply reply = {OK SAY("sk-very is how " KEY " begins") STOP DONE,
                                     PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    one(&h, &reply, 1, SECRET(.retries = 0));
    assert_non_null(strstr(h.received.p, "sk-very is how ************************* begins"));
    close_heard(&h);
}

static void a_key_with_a_line_end_is_trimmed_and_one_with_two_lines_is_refused(void **state)
{
    static const peer_reply reply = {OK SAY("Hi") STOP DONE, PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    one(&h, &reply, 1, (skn_wire_options){.key = SKN_STR(KEY "\n")});
    assert_int_equal(h.answer.state, SKN_ASK_ANSWERED);
    close_heard(&h);
    one(&h, &reply, 1, (skn_wire_options){.key = SKN_STR("a\nb"), .retries = 0});
    assert_int_equal(h.answer.state, SKN_ASK_UNREACHABLE);
    assert_int_equal(h.peer.requests, 0);
    close_heard(&h);
}

/* --- Many ---------------------------------------------------------------------------------------- */

static void questions_over_the_limit_wait_in_order(void **state)
{
    static const peer_reply reply = {OK SAY("x") STOP DONE, PEER_CLOSE, 0, 0};
    static const char      *said[] = {"question-1", "question-2", "question-3", "question-4"};
    heard                   h;
    const char             *place;

    (void)state;
    open_heard(&h, &reply, 1, SECRET(.at_once = 1));
    for (int i = 0; i < 4; i++)
        ask(&h, said[i]);
    skn_loop_run(h.loop);
    assert_string_equal(h.text.p, "xxxx");
    assert_int_equal(h.peer.most, 1);
    place = h.peer.heard.p;
    for (int i = 0; i < 4; i++) {
        place = strstr(place, said[i]);
        assert_non_null(place);
    }
    close_heard(&h);
}

static void without_a_limit_all_go_at_once(void **state)
{
    static const peer_reply reply = {OK SAY("x") STOP DONE, PEER_CLOSE, 10, 0};
    heard                   h;

    (void)state;
    open_heard(&h, &reply, 1, SECRET(.at_once = 0)); /* answers when ten are there */
    for (int i = 0; i < 10; i++)
        ask(&h, "hello");
    skn_loop_run(h.loop);
    assert_string_equal(h.text.p, "xxxxxxxxxx");
    close_heard(&h);
}

static void one_that_waits_may_be_cancelled(void **state)
{
    static const peer_reply reply = {OK SAY("x") STOP DONE, PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    open_heard(&h, &reply, 1, SECRET(.at_once = 1));
    ask(&h, "first");
    ask(&h, "second");
    skn_asking_cancel(h.asking);
    ask(&h, "third");
    h.left--;
    skn_loop_run(h.loop);
    assert_string_equal(h.text.p, "xx");
    assert_null(strstr(h.peer.heard.p, "second"));
    close_heard(&h);
}

/* --- Cancelling ----------------------------------------------------------------------------------- */

static void nothing_comes_after_cancelling_wherever_that_was(void **state)
{
    static const peer_reply reply = {OK SAY("a") SAY("b") CALL DONE, PEER_HOLD, 0, 0};
    heard                   h;

    (void)state;
    for (moment when = AT_SENT; when <= AT_DONE; when++) {
        open_heard(&h, &reply, 1, SECRET(.retries = 0));
        h.cancel = when;
        ask(&h, "hello");
        skn_loop_run(h.loop);
        assert_int_equal(h.dones, when == AT_DONE);
        assert_string_equal(h.text.p ? h.text.p : "", when < AT_DELTA    ? ""
                                                      : when == AT_DELTA ? "a"
                                                                         : "ab");
        assert_string_equal(h.calls.p ? h.calls.p : "", when < AT_CALL    ? ""
                                                        : when == AT_CALL ? "f;"
                                                                          : "f;g;");
        close_heard(&h);
    }
}

static void a_provider_may_go_inside_the_last_done(void **state)
{
    static const peer_reply reply = {OK SAY("a") STOP DONE, PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    open_heard(&h, &reply, 1, SECRET(.retries = 0));
    h.free = AT_DONE;
    ask(&h, "hello");
    skn_loop_run(h.loop);
    assert_int_equal(h.dones, 1);
    close_heard(&h);
}

/* --- Models ---------------------------------------------------------------------------------------- */

static void on_models(void *arg, const skn_models *models)
{
    heard *h = arg;
    size_t n = 0;

    h->models = *models;
    h->dones++;
    for (size_t i = 0; i < models->count; i++)
        n += (size_t)snprintf(h->names + n, sizeof h->names - n, "%.*s %lld;",
                              SKN_FMT(models->at[i].name), (long long)models->at[i].window);
    skn_loop_stop(h->loop);
}

#define LIST(status, body)                                                                     \
    "HTTP/1.1 " status " X\r\nContent-Type: application/json\r\nConnection: "                  \
    "close\r\n\r\n" body

static void the_models_of_a_server_are_listed(void **state)
{
    static const peer_reply reply = {LIST("200",
                                          "{\"data\":[{\"id\":\"a\",\"max_model_len\":8},"
                                          "{\"id\":\"b/c\"},{\"no\":1}]}"),
                                     PEER_CLOSE, 0, 0};
    heard                   h;

    (void)state;
    open_heard(&h, &reply, 1, SECRET(.retries = 0));
    assert_int_equal(skn_provider_window(h.provider, SKN_STR("a"), false).tokens, 0);
    skn_wire_models(h.provider, 5000, on_models, &h);
    assert_int_equal(h.dones, 0);
    skn_loop_run(h.loop);
    assert_non_null(strstr(h.peer.heard.p, "GET /v1/models HTTP/1.1\r\n"));
    assert_int_equal(h.models.state, SKN_ASK_ANSWERED);
    assert_string_equal(h.names, "a 8;b/c 0;");
    assert_int_equal(skn_provider_window(h.provider, SKN_STR("a"), false).tokens, 8);
    assert_int_equal(skn_provider_window(h.provider, SKN_STR("b/c"), false).tokens, 0);
    close_heard(&h);
}

static void why_there_is_no_list_is_told(void **state)
{
    static const struct {
        const char   *reply;
        skn_ask_state state;
    } cases[] = {
        {LIST("401", "{\"error\":{\"message\":\"no " KEY "\"}}"), SKN_ASK_BAD_KEY},
        {LIST("200", "<html>"), SKN_ASK_WRONG_TYPE},
        {LIST("200", "{}"), SKN_ASK_MALFORMED},
        {NULL, SKN_ASK_CUT},
    };
    heard h;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        peer_reply reply = {cases[i].reply, PEER_CLOSE, 0, 0};

        open_heard(&h, &reply, 1, SECRET(.retries = 0));
        skn_wire_models(h.provider, 5000, on_models, &h);
        skn_loop_run(h.loop);
        assert_int_equal(h.models.state, cases[i].state);
        assert_int_equal(h.models.error.rc, SKEIN_PROVIDER);
        assert_null(strstr(h.models.error.message, KEY));
        close_heard(&h);
    }
}

static void a_provider_that_goes_ends_the_asking_for_its_models(void **state)
{
    static const peer_reply reply = {NULL, PEER_HOLD, 0, 0};
    heard                   h;

    (void)state;
    open_heard(&h, &reply, 1, (skn_wire_options){.key_needed = true});
    skn_wire_models(h.provider, 5000, on_models, &h);
    skn_loop_run(h.loop);
    assert_int_equal(h.models.state, SKN_ASK_NO_KEY);
    skn_wire_models(h.provider, 5000, on_models, &h);
    skn_wire_models(h.provider, 5000, on_models, &h);
    skn_provider_free(h.provider);
    h.provider = NULL;
    assert_int_equal(h.dones, 3);
    assert_int_equal(h.models.state, SKN_ASK_FAILED);
    close_heard(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_sent_with_all_that_belongs_to_it),
        cmocka_unit_test(an_answer_does_not_wait_for_a_connection_that_stays_open),
        cmocka_unit_test(what_may_pass_is_tried_again_while_nothing_was_said),
        cmocka_unit_test(what_will_not_pass_is_not_tried_again),
        cmocka_unit_test(silence_before_the_first_word_is_tried_again_once),
        cmocka_unit_test(tries_end),
        cmocka_unit_test(waiting_as_long_as_the_server_asks_for),
        cmocka_unit_test(a_date_far_away_is_told_and_not_waited_for),
        cmocka_unit_test(without_a_needed_key_nothing_is_sent),
        cmocka_unit_test(a_key_that_a_server_repeats_is_not_told_on),
        cmocka_unit_test(no_part_of_a_secret_that_a_server_repeats_is_told_on),
        cmocka_unit_test(a_key_that_is_escaped_in_an_address_is_not_told_on),
        cmocka_unit_test(an_answer_keeps_its_words_and_loses_the_key),
        cmocka_unit_test(a_key_with_a_line_end_is_trimmed_and_one_with_two_lines_is_refused),
        cmocka_unit_test(questions_over_the_limit_wait_in_order),
        cmocka_unit_test(without_a_limit_all_go_at_once),
        cmocka_unit_test(one_that_waits_may_be_cancelled),
        cmocka_unit_test(nothing_comes_after_cancelling_wherever_that_was),
        cmocka_unit_test(a_provider_may_go_inside_the_last_done),
        cmocka_unit_test(the_models_of_a_server_are_listed),
        cmocka_unit_test(why_there_is_no_list_is_told),
        cmocka_unit_test(a_provider_that_goes_ends_the_asking_for_its_models),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
