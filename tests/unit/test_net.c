/* Asking other servers over HTTP: what comes, how it ends, and cancelling from anywhere. */
#include "net/net.h"
#include "unit/peer_kit.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define HEAD  "HTTP/1.1 200 OK\r\nContent-Type: Text/Plain; charset=utf-8\r\nX-Thing:  a b \r\n"
#define WHOLE HEAD "Content-Length: 5\r\n\r\nhello"

typedef enum place { NOWHERE, IN_HEAD, IN_BODY, IN_DONE } place;

typedef struct seen {
    skn_loop     *loop;
    skn_net      *net;
    skn_fetch    *fetch;
    place         cancel, again; /* where to do so */
    int           heads, dones, status;
    char          type[64], thing[64], why[400];
    skn_buf       body;
    skn_fetch_end end;
    int           left; /* requests until the loop is stopped */
    int64_t       begun;
    char          url[128];
    skn_timer    *timer;
    bool          woken;
} seen;

static void start(seen *s, const skn_fetch_spec *more);

static void at(seen *s, place where)
{
    if (s->again == where) {
        s->again = NOWHERE;
        s->left++;
        start(s, &(skn_fetch_spec){0});
    } else if (s->cancel == where) {
        s->cancel = NOWHERE;
        skn_fetch_cancel(s->fetch);
        if (where != IN_DONE)
            skn_loop_stop(s->loop);
    }
}

static void on_head(void *arg, const skn_fetch_head *head)
{
    seen *s = arg;

    s->heads++;
    s->status = head->status;
    snprintf(s->type, sizeof s->type, "%.*s", SKN_FMT(head->content_type));
    snprintf(s->thing, sizeof s->thing, "%.*s", SKN_FMT(skn_fetch_header_of(head, "x-thing")));
    assert_null(skn_fetch_header_of(head, "x-thin").p);
    assert_true(s->heads > 1 || s->body.n == 0);
    at(s, IN_HEAD);
}

static void on_body(void *arg, skn_str bytes)
{
    seen *s = arg;

    assert_true(s->heads > 0);
    skn_buf_add(&s->body, bytes);
    at(s, IN_BODY);
}

static void on_done(void *arg, skn_fetch_end end, const char *why)
{
    seen *s = arg;

    s->dones++;
    s->end = end;
    snprintf(s->why, sizeof s->why, "%s", why);
    at(s, IN_DONE);
    if (--s->left == 0)
        skn_loop_stop(s->loop);
}

static void start(seen *s, const skn_fetch_spec *more)
{
    skn_fetch_spec spec = *more;
    skn_fetch_sink sink = {on_head, on_body, on_done, s};
    int            dones = s->dones;

    spec.method = spec.method ? spec.method : "GET";
    spec.url = spec.url.n ? spec.url : skn_str_of(s->url);
    s->fetch = skn_fetch_start(s->net, &spec, &sink);
    assert_int_equal(s->dones, dones);
}

static void open_seen(seen *s, int port)
{
    *s = (seen){.loop = skn_loop_new(), .left = 1, .begun = skn_clock_monotonic()};
    s->net = skn_net_new(s->loop);
    skn_buf_init(&s->body, 64 << 20);
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d/x", port);
}

static void close_seen(seen *s)
{
    skn_net_free(s->net);
    skn_loop_free(s->loop);
    skn_buf_release(&s->body);
}

/* One request to a peer with one reply. */
static void fetch(seen *s, const peer_reply *reply, const skn_fetch_spec *spec)
{
    peer p;

    peer_open(&p, reply, 1);
    open_seen(s, p.port);
    start(s, spec);
    skn_loop_run(s->loop);
    close_seen(s);
    peer_close(&p);
}

static void an_answer_has_a_head_and_then_a_body(void **state)
{
    seen s;

    (void)state;
    open_seen(&s, 0);
    close_seen(&s);
    fetch(&s, &(peer_reply){"HTTP/1.1 100 Continue\r\n\r\n" WHOLE, PEER_CLOSE, 0, 0},
          &(skn_fetch_spec){0});
    assert_int_equal(s.heads, 1);
    assert_int_equal(s.status, 200);
    assert_string_equal(s.type, "text/plain");
    assert_string_equal(s.thing, "a b");
    assert_int_equal(s.dones, 1);
    assert_int_equal(s.end, SKN_FETCH_WHOLE);
    assert_string_equal(s.why, "");
}

static void a_request_is_sent_as_it_was_given(void **state)
{
    static const peer_reply reply = {WHOLE, PEER_CLOSE, 0, 0};
    skn_fetch_header        headers[] = {{SKN_STR("Content-Type"), SKN_STR("application/json")},
                                         {SKN_STR("X-Empty"), SKN_STR("")}};
    char                    body[] = "{\"a\":1}";
    peer                    p;
    seen                    s;

    (void)state;
    peer_open(&p, &reply, 1);
    open_seen(&s, p.port);
    start(&s, &(skn_fetch_spec){.method = "POST",
                                .headers = headers,
                                .header_count = 2,
                                .body = skn_str_of(body)});
    memset(body, '!', 7);
    skn_loop_run(s.loop);
    assert_non_null(strstr(p.heard.p, "POST /x HTTP/1.1\r\n"));
    assert_non_null(strstr(p.heard.p, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(p.heard.p, "\r\nX-Empty:\r\n"));
    assert_non_null(strstr(p.heard.p, "\r\nUser-Agent: skein/"));
    assert_non_null(strstr(p.heard.p, "\r\n\r\n{\"a\":1}\n"));
    assert_null(strstr(p.heard.p, "Expect"));
    assert_null(strstr(p.heard.p, "Cookie"));
    close_seen(&s);
    peer_close(&p);
}

static void a_large_request_goes_out_whole(void **state)
{
    static const peer_reply reply = {WHOLE, PEER_CLOSE, 0, 0};
    skn_buf                 body;
    peer                    p;
    seen                    s;

    (void)state;
    skn_buf_init(&body, 8 << 20);
    skn_buf_fill(&body, 'q', 5 << 20);
    peer_open(&p, &reply, 1);
    open_seen(&s, p.port);
    start(&s, &(skn_fetch_spec){.method = "POST", .body = skn_buf_str(&body)});
    skn_loop_run(s.loop);
    assert_int_equal(s.end, SKN_FETCH_WHOLE);
    assert_true(p.heard.n > body.n);
    close_seen(&s);
    peer_close(&p);
    skn_buf_release(&body);
}

static void redirects_are_told_and_not_followed(void **state)
{
    seen s;

    (void)state;
    fetch(&s,
          &(peer_reply){"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
                        "Content-Length: 0\r\n\r\n",
                        PEER_CLOSE, 0, 0},
          &(skn_fetch_spec){0});
    assert_int_equal(s.status, 302);
    assert_int_equal(s.end, SKN_FETCH_WHOLE);
}

static void connections_are_used_again(void **state)
{
    static const peer_reply reply = {WHOLE, PEER_KEEP, 0, 0};
    peer                    p;
    seen                    s;

    (void)state;
    peer_open(&p, &reply, 1);
    open_seen(&s, p.port);
    s.again = IN_DONE;
    start(&s, &(skn_fetch_spec){0});
    skn_loop_run(s.loop);
    assert_int_equal(s.dones, 2);
    assert_int_equal(p.requests, 2);
    assert_int_equal(p.connections, 1);
    close_seen(&s);
    peer_close(&p);
}

/* --- How it can end ---------------------------------------------------------------------------- */

static void a_connection_that_goes_is_a_cut(void **state)
{
    static const peer_reply replies[] = {
        {NULL, PEER_CLOSE, 0, 0},
        {NULL, PEER_RESET, 0, 0},
        {HEAD "Content-Length: 9\r\n\r\nhello", PEER_CLOSE, 0, 0},
        {HEAD "Content-Length: 9\r\n\r\nhello", PEER_RESET, 0, 0},
        {HEAD "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", PEER_CLOSE, 0, 0},
    };
    seen s;

    (void)state;
    for (size_t i = 0; i < sizeof replies / sizeof *replies; i++) {
        fetch(&s, &replies[i], &(skn_fetch_spec){0});
        assert_int_equal(s.end, SKN_FETCH_CUT);
        assert_int_equal(s.dones, 1);
        assert_int_equal(s.heads, i > 1);
        assert_non_null(strstr(s.why, "127.0.0.1:"));
        assert_non_null(strstr(s.why, "closed the connection"));
    }
}

static void a_peer_that_falls_silent_has_stalled(void **state)
{
    static const peer_reply replies[] = {
        {NULL, PEER_HOLD, 0, 0},
        {HEAD "Content-Length: 9\r\n\r\nhello", PEER_HOLD, 0, 0},
    };
    seen s;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        /* On a busy machine the peer may be late with its head, but not each time. */
        for (int tries = 0; tries == 0 || (tries < 5 && s.heads < (int)i); tries++)
            fetch(&s, &replies[i], &(skn_fetch_spec){.stall_ms = 500});
        assert_int_equal(s.end, SKN_FETCH_STALLED);
        assert_int_equal(s.heads, i);
        assert_true(skn_clock_monotonic() - s.begun >= 500000000);
        assert_non_null(strstr(s.why, "has sent nothing for 0.5 s"));
    }
}

/* What was sent before the silence is not part of what came in it. */
static void a_silence_after_a_request_with_a_body_is_as_long_as_any(void **state)
{
    enum { STALL_MS = 1000 };
    static const peer_reply replies[] = {
        {NULL, PEER_HOLD, 0, 0},
        {HEAD "Content-Length: 9\r\n\r\nhello", PEER_HOLD, 0, 0},
    };
    seen s;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        int64_t ms = 0;

        /* So may this program be with the end. */
        for (int tries = 0; tries == 0 || (tries < 5 && ms >= 2 * STALL_MS); tries++) {
            fetch(&s, &replies[i],
                  &(skn_fetch_spec){
                      .method = "POST", .body = SKN_STR("{\"ask\":1}"), .stall_ms = STALL_MS});
            ms = (skn_clock_monotonic() - s.begun) / 1000000;
        }
        assert_int_equal(s.end, SKN_FETCH_STALLED);
        assert_true(ms >= STALL_MS);
        assert_true(ms < 2 * STALL_MS);
    }
}

static void a_total_time_is_kept(void **state)
{
    seen s;

    (void)state;
    fetch(&s, &(peer_reply){HEAD "Content-Length: 9\r\n\r\nhello", PEER_HOLD, 0, 0},
          &(skn_fetch_spec){.total_ms = 60, .stall_ms = -1});
    assert_int_equal(s.end, SKN_FETCH_LATE);
}

static void an_answer_over_the_limit_is_too_large(void **state)
{
    seen s;

    (void)state;
    fetch(&s, &(peer_reply){HEAD "Content-Length: 5\r\n\r\nhello", PEER_CLOSE, 0, 0},
          &(skn_fetch_spec){.most = 4});
    assert_int_equal(s.end, SKN_FETCH_TOO_LARGE);
    fetch(&s, &(peer_reply){HEAD "Content-Length: 5\r\n\r\nhello", PEER_CLOSE, 0, 0},
          &(skn_fetch_spec){.most = 5});
    assert_int_equal(s.end, SKN_FETCH_WHOLE);
}

static void what_is_no_http_is_malformed(void **state)
{
    seen s;

    (void)state;
    fetch(&s, &(peer_reply){"SSH-2.0-thing\r\n", PEER_CLOSE, 0, 0}, &(skn_fetch_spec){0});
    assert_int_equal(s.end, SKN_FETCH_MALFORMED);
    assert_non_null(strstr(s.why, "does not speak HTTP"));
}

/* Whoever reads bodies counts on a head before the first one. */
static void a_body_never_comes_before_a_head(void **state)
{
    static const struct {
        const char   *bytes;
        skn_fetch_end end;
        int           status; /* 0: no head */
    } cases[] = {
        {"HTTP/1.1 101 Switching Protocols\r\n\r\ndata: {}", SKN_FETCH_MALFORMED, 0},
        {"HTTP/1.1 101 Switching Protocols\r\n\r\n", SKN_FETCH_CUT, 0},
        {"HTTP/1.1 199 X\r\nContent-Length: 2\r\n\r\nhi", SKN_FETCH_MALFORMED, 0},
        {"HTTP/1.1 000 X\r\n\r\ndata: {}", SKN_FETCH_MALFORMED, 0},
        {"HTTP/1.1 100 Continue\r\nHTTP/1.1 200 OK\r\n\r\nhi", SKN_FETCH_MALFORMED, 0},
        {"HTTP/1.1  200 OK\r\n\r\ndata: {}", SKN_FETCH_WHOLE, 200},
        {"HTTP/1.1 200 OK\r\nHTTP/x: y\r\n\r\ndata: {}", SKN_FETCH_WHOLE, 200},
        {"HTTP/1.1 103 Early\r\nX-Thing: early\r\n\r\n" WHOLE, SKN_FETCH_WHOLE, 200},
    };
    seen s;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fetch(&s, &(peer_reply){cases[i].bytes, PEER_CLOSE, 0, 0}, &(skn_fetch_spec){0});
        assert_int_equal(s.end, cases[i].end);
        assert_int_equal(s.dones, 1);
        assert_int_equal(s.heads, cases[i].status != 0);
        assert_int_equal(s.status, cases[i].status);
        if (cases[i].end == SKN_FETCH_MALFORMED)
            assert_non_null(strstr(s.why, "does not speak HTTP"));
    }
}

static void who_does_not_listen_cannot_be_reached(void **state)
{
    peer p;
    seen s;
    char want[128];

    (void)state;
    peer_open(&p, &(peer_reply){WHOLE, PEER_CLOSE, 0, 0}, 1);
    peer_close(&p); /* its port is free now */
    open_seen(&s, p.port);
    start(&s, &(skn_fetch_spec){0});
    skn_loop_run(s.loop);
    assert_int_equal(s.end, SKN_FETCH_UNREACHABLE);
    snprintf(want, sizeof want, "cannot reach 127.0.0.1:%d: connection refused", p.port);
    assert_string_equal(s.why, want);
    close_seen(&s);
}

static void what_cannot_be_sent_is_refused_without_its_secret(void **state)
{
    const struct {
        skn_fetch_spec spec;
        const char    *why;
    } cases[] = {
        {{.url = SKN_STR("ftp://me:secret@host/x")}, "cannot ask host: "},
        {{.url = SKN_STR("http://me:secret@host/a b")}, "cannot ask host: "},
        {{.headers = &(skn_fetch_header){SKN_STR("A"), SKN_STR("secret\r\nB: c")},
          .header_count = 1},
         "a header has a line end"},
    };
    seen s;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        open_seen(&s, 9);
        start(&s, &cases[i].spec);
        skn_loop_run(s.loop);
        assert_int_equal(s.end, SKN_FETCH_UNREACHABLE);
        assert_non_null(strstr(s.why, cases[i].why));
        assert_null(strstr(s.why, "secret"));
        close_seen(&s);
    }
}

/* --- Proxies ------------------------------------------------------------------------------------ */

static void name_proxy(const char *value)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy",
                                        "ALL_PROXY"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(value ? setenv(names[i], value, 1) : unsetenv(names[i]), 0);
}

/* All variables name the peer as a proxy; gives how many connections it got. */
static int ask_beside_proxy(seen *s, peer *proxy, const char *url)
{
    skn_fetch_header secret = {SKN_STR("Authorization"), SKN_STR("Bearer sk-secret")};
    char             value[64];
    int              before = proxy->connections;

    snprintf(value, sizeof value, "http://127.0.0.1:%d", proxy->port);
    name_proxy(value);
    open_seen(s, 0);
    start(s, &(skn_fetch_spec){.url = skn_str_of(url), .headers = &secret, .header_count = 1});
    skn_loop_run(s->loop);
    close_seen(s);
    name_proxy(NULL);
    return proxy->connections - before;
}

static void loopback_and_plain_http_go_through_no_proxy(void **state)
{
    static const char *const places[] = {"http://127.0.0.1", "http://localhost",
                                         "http://0.0.0.0" /* loopback to nobody but Linux */};
    static const char *const safe[] = {"https://127.0.0.1", "https://LocalHost"};
    peer                     p, proxy;
    seen                     s;
    char                     url[64];

    (void)state;
    peer_open(&p, &(peer_reply){WHOLE, PEER_CLOSE, 0, 0}, 1);
    peer_open(&proxy, &(peer_reply){WHOLE, PEER_CLOSE, 0, 0}, 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(url, sizeof url, "%s:%d/x", places[i], p.port);
        assert_int_equal(ask_beside_proxy(&s, &proxy, url), 0);
        assert_int_equal(s.end, SKN_FETCH_WHOLE);
        assert_int_equal(p.requests, i + 1);
    }
    peer_close(&p); /* its port is free now */
    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++) {
        snprintf(url, sizeof url, "%s:%d/x", safe[i], p.port);
        assert_int_equal(ask_beside_proxy(&s, &proxy, url), 0);
        assert_int_equal(s.end, SKN_FETCH_UNREACHABLE);
    }
    peer_close(&proxy);
}

static void a_proxy_of_https_learns_the_host_alone(void **state)
{
    peer proxy;
    seen s;

    (void)state;
    peer_open(&proxy,
              &(peer_reply){"HTTP/1.1 502 No\r\nContent-Length: 0\r\n\r\n", PEER_CLOSE, 0, 0},
              1);
    assert_int_equal(ask_beside_proxy(&s, &proxy, "https://llm.example.org/x"), 1);
    assert_int_equal(s.heads, 0);
    assert_non_null(strstr(proxy.heard.p, "CONNECT llm.example.org:443 HTTP/1.1\r\n"));
    assert_null(strstr(proxy.heard.p, "secret"));
    assert_null(strstr(proxy.heard.p, "/x"));
    peer_close(&proxy);
}

static void no_proxy_is_heard(void **state)
{
    peer proxy;
    seen s;

    (void)state;
    peer_open(&proxy, &(peer_reply){WHOLE, PEER_CLOSE, 0, 0}, 1);
    setenv("no_proxy", "0.0.0.0", 1);
    assert_int_equal(ask_beside_proxy(&s, &proxy, "https://0.0.0.0:9/x"), 0);
    unsetenv("no_proxy");
    peer_close(&proxy);
}

/* --- Cancelling and pausing --------------------------------------------------------------------- */

static void nothing_comes_after_cancelling_wherever_that_was(void **state)
{
    static const peer_reply reply = {WHOLE, PEER_HOLD, 0, 0};
    seen                    s;

    (void)state;
    for (place where = IN_HEAD; where <= IN_DONE; where++) {
        peer p;

        peer_open(&p, &reply, 1);
        open_seen(&s, p.port);
        s.cancel = where;
        start(&s, &(skn_fetch_spec){0});
        skn_loop_run(s.loop);
        assert_int_equal(s.dones, where == IN_DONE);
        assert_int_equal(s.body.n, where == IN_HEAD ? 0 : 5);
        close_seen(&s);
        peer_close(&p);
    }
}

static void a_request_may_be_cancelled_before_it_begins(void **state)
{
    seen s;

    (void)state;
    open_seen(&s, 9);
    start(&s, &(skn_fetch_spec){0});
    skn_fetch_cancel(s.fetch);
    skn_fetch_cancel(NULL);
    close_seen(&s);
    assert_int_equal(s.dones, 0);
}

static void others_may_be_begun_from_anywhere(void **state)
{
    static const peer_reply reply = {WHOLE, PEER_KEEP, 0, 0};
    seen                    s;

    (void)state;
    for (place where = IN_HEAD; where <= IN_DONE; where++) {
        peer p;

        peer_open(&p, &reply, 1);
        open_seen(&s, p.port);
        s.again = where;
        start(&s, &(skn_fetch_spec){0});
        skn_loop_run(s.loop);
        assert_int_equal(s.dones, 2);
        assert_int_equal(s.body.n, 10);
        close_seen(&s);
        peer_close(&p);
    }
}

static void wake(void *arg)
{
    seen *s = arg;

    assert_true(s->body.n <= 64 << 10); /* what was under way when it was paused */
    assert_int_equal(s->dones, 0);
    s->woken = true;
    skn_fetch_pause(s->fetch, false);
}

static void pause_first(void *arg, skn_str bytes)
{
    seen *s = arg;

    if (!s->body.n) {
        skn_fetch_pause(s->fetch, true);
        skn_timer_start(s->timer, 1500);
    }
    skn_buf_add(&s->body, bytes);
}

static void a_paused_answer_waits_and_loses_nothing(void **state)
{
    char                 bytes[4097];
    peer_reply           reply = {bytes, PEER_CLOSE, 0, 1000};
    const skn_fetch_sink sink_of = {on_head, pause_first, on_done, NULL};
    skn_fetch_sink       sink = sink_of;
    peer                 p;
    seen                 s;

    (void)state;
    memset(bytes, 'x', 4096);
    bytes[4096] = '\0';
    memcpy(bytes, "HTTP/1.1 200 OK\r\n\r\n", 19); /* the first 19 bytes are no body */
    peer_open(&p, &reply, 1);
    open_seen(&s, p.port);
    s.timer = skn_timer_new(s.loop, wake, &s);
    sink.arg = &s;
    s.fetch = skn_fetch_start(
        s.net, &(skn_fetch_spec){.method = "GET", .url = skn_str_of(s.url), .stall_ms = 500},
        &sink);
    skn_loop_run(s.loop);
    assert_int_equal(s.end, SKN_FETCH_WHOLE);
    assert_true(s.woken);
    assert_int_equal(s.body.n, 1000 * 4096 - 19);
    skn_timer_free(s.timer);
    close_seen(&s);
    peer_close(&p);
}

static void fifty_at_once_are_all_answered(void **state)
{
    static const peer_reply reply = {WHOLE, PEER_CLOSE, 50, 0};
    peer                    p;
    seen                    s;

    (void)state;
    peer_open(&p, &reply, 1); /* it answers when all fifty are there */
    open_seen(&s, p.port);
    s.left = 50;
    for (int i = 0; i < 50; i++)
        start(&s, &(skn_fetch_spec){0});
    skn_loop_run(s.loop);
    assert_int_equal(s.dones, 50);
    assert_int_equal(s.body.n, 250);
    close_seen(&s);
    peer_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_has_a_head_and_then_a_body),
        cmocka_unit_test(a_request_is_sent_as_it_was_given),
        cmocka_unit_test(a_large_request_goes_out_whole),
        cmocka_unit_test(redirects_are_told_and_not_followed),
        cmocka_unit_test(connections_are_used_again),
        cmocka_unit_test(a_connection_that_goes_is_a_cut),
        cmocka_unit_test(a_peer_that_falls_silent_has_stalled),
        cmocka_unit_test(a_silence_after_a_request_with_a_body_is_as_long_as_any),
        cmocka_unit_test(a_total_time_is_kept),
        cmocka_unit_test(an_answer_over_the_limit_is_too_large),
        cmocka_unit_test(what_is_no_http_is_malformed),
        cmocka_unit_test(a_body_never_comes_before_a_head),
        cmocka_unit_test(who_does_not_listen_cannot_be_reached),
        cmocka_unit_test(what_cannot_be_sent_is_refused_without_its_secret),
        cmocka_unit_test(loopback_and_plain_http_go_through_no_proxy),
        cmocka_unit_test(a_proxy_of_https_learns_the_host_alone),
        cmocka_unit_test(no_proxy_is_heard),
        cmocka_unit_test(nothing_comes_after_cancelling_wherever_that_was),
        cmocka_unit_test(a_request_may_be_cancelled_before_it_begins),
        cmocka_unit_test(others_may_be_begun_from_anywhere),
        cmocka_unit_test(a_paused_answer_waits_and_loses_nothing),
        cmocka_unit_test(fifty_at_once_are_all_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
