/* Requests as bytes: where they end, what they say, which are refused, and whom they belong to. */
#include "api/api.h"
#include "base/url.h"
#include "http/gate.h"
#include "http/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct kit {
    skn_arena  *a;
    skn_request r;
    skn_refusal no;
    size_t      head;
} kit;

static int set_up(void **state)
{
    kit *k = skn_heap(sizeof *k);

    k->a = skn_arena_new();
    *state = k;
    return 0;
}

static int tear_down(void **state)
{
    kit *k = *state;

    skn_arena_free(k->a);
    free(k);
    return 0;
}

/* Reads what stands in text; the status it was refused with, or 0. */
static int reading(kit *k, skn_str text)
{
    size_t from = 0;

    k->no = (skn_refusal){0};
    k->head = skn_head_end(text, &from, &k->no);
    if (k->head)
        skn_request_read(&k->r, skn_str_sub(text, 0, k->head), k->a, &k->no);
    assert_true(!k->no.status == !k->no.why);
    return k->no.status;
}

static int reading_text(kit *k, const char *text)
{
    return reading(k, skn_str_of(text));
}

static void a_request_is_taken_apart(void **state)
{
    kit *k = *state;

    assert_int_equal(reading_text(k, "POST /worlds/a%20b/messages?x=1&y HTTP/1.1\r\n"
                                     "Host: localhost:7534\r\ncontent-length:  12 \r\n"
                                     "Accept:\ttext/event-stream\r\nX-Empty:\r\n\r\nrest"),
                     0);
    assert_true(skn_str_is(k->r.method, "POST"));
    assert_true(skn_str_is(k->r.path, "/worlds/a%20b/messages"));
    assert_true(skn_str_is(k->r.query, "x=1&y"));
    assert_true(skn_str_is(k->r.host, "localhost:7534"));
    assert_true(skn_str_is(skn_request_header(&k->r, "ACCEPT"), "text/event-stream"));
    assert_true(skn_str_is(skn_request_header(&k->r, "X-Empty"), ""));
    assert_null(skn_request_header(&k->r, "X-None").p);
    assert_int_equal(k->r.length, 12);
    assert_true(k->r.keep && !k->r.chunked && !k->r.expect);
    assert_int_equal(k->r.minor, 1);
}

static void a_head_is_found_however_its_bytes_arrive(void **state)
{
    static const char text[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
    kit              *k = *state;
    size_t            from = 0, n = 0;

    for (size_t i = 1; i < sizeof text && !n; i++) {
        n = skn_head_end((skn_str){text, i}, &from, &k->no);
        assert_int_equal(k->no.status, 0);
        assert_true(!n || i == n);
    }
    assert_int_equal(n, sizeof text - 1 - 3);
}

static void whether_to_stay_depends_on_the_version(void **state)
{
    kit *k = *state;

    assert_int_equal(reading_text(k, "GET / HTTP/1.1\r\nHost: a\r\nConnection: Close\r\n\r\n"),
                     0);
    assert_false(k->r.keep);
    assert_int_equal(reading_text(k, "GET / HTTP/1.0\r\n\r\n"), 0);
    assert_false(k->r.keep);
    assert_null(k->r.host.p);
    assert_int_equal(reading_text(k, "GET / HTTP/1.0\r\nConnection: x, keep-alive\r\n\r\n"), 0);
    assert_true(k->r.keep);
}

static void a_proxys_address_names_the_host(void **state)
{
    kit *k = *state;

    assert_int_equal(
        reading_text(k, "GET http://evil:80/a?b HTTP/1.1\r\nHost: localhost\r\n\r\n"), 0);
    assert_true(skn_str_is(k->r.host, "evil:80"));
    assert_true(skn_str_is(k->r.path, "/a"));
    assert_int_equal(reading_text(k, "GET http://evil HTTP/1.1\r\nHost: evil\r\n\r\n"), 0);
    assert_true(skn_str_is(k->r.path, "/"));
}

#define LINE "POST / HTTP/1.1\r\nHost: a\r\n"

static void what_two_readers_could_see_differently_is_refused(void **state)
{
    static const struct {
        int         status;
        const char *text;
    } bad[] = {
        {400, LINE "Content-Length: 5\r\nContent-Length: 5\r\n\r\n"},
        {400, LINE "Content-Length: 5, 5\r\n\r\n"},
        {400, LINE "Content-Length: +5\r\n\r\n"},
        {400, LINE "Content-Length: 0x5\r\n\r\n"},
        {400, LINE "Content-Length: -1\r\n\r\n"},
        {400, LINE "Content-Length:\r\n\r\n"},
        {413, LINE "Content-Length: 9999999999999999999\r\n\r\n"},
        {400, LINE "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {501, LINE "Transfer-Encoding: gzip, chunked\r\n\r\n"},
        {501, LINE "Transfer-Encoding: xchunked\r\n\r\n"},
        {501, LINE "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {400, "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"},
        {400, LINE "Host: b\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\n\r\n"},
        {400, LINE "A: b\nC: d\r\n\r\n"},
        {400, LINE "A: b\r\n folded\r\n\r\n"},
        {400, LINE "A : b\r\n\r\n"},
        {400, LINE " A: b\r\n\r\n"},
        {400, LINE "no colon\r\n\r\n"},
        {400, LINE ": nameless\r\n\r\n"},
        {400, LINE "A: b\rc\r\n\r\n"},
        {400, LINE "A: b\r\r\n\r\n"},
        {400, "GET /\r HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n"},
        {400, LINE "A: b\x01\r\n\r\n"},
        {417, LINE "Expect: miracles\r\n\r\n"},
        {400, "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET / \r\nHost: a\r\n\r\n"},
        {400, "GET /\r\nHost: a\r\n\r\n"},
        {400, "GET a HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET /#a HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "GET /\xc3\xa9 HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, "G@T / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {400, " GET / HTTP/1.1\r\nHost: a\r\n\r\n"},
        {505, "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
        {400, "GET / HTTP/1.\r\nHost: a\r\n\r\n"},
        {400, "GET / http/1.1\r\nHost: a\r\n\r\n"},
        {400, "\n"},
        {400, "\x16\x03\x01"},
        {400, "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"},
    };
    kit *k = *state;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (reading_text(k, bad[i].text) != bad[i].status)
            fail_msg("%d instead of %d: %s", k->no.status, bad[i].status, bad[i].text);
    assert_int_equal(reading(k, SKN_STR("GET / HTTP/1.1\r\nHost: a\r\nA: b\0c\r\n\r\n")), 400);
}

/* A request with an address of `url` bytes and a header of `head`. */
static skn_str sized(kit *k, size_t url, size_t head)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR("GET /"));
    skn_buf_fill(&b, 'u', url - 1);
    skn_buf_add(&b, SKN_STR(" HTTP/1.1\r\nHost: a\r\nX: "));
    skn_buf_fill(&b, 'h', head);
    skn_buf_add(&b, SKN_STR("\r\n\r\n"));
    text = skn_arena_copy(k->a, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

static void sizes_have_limits_and_are_refused_as_soon_as_they_show(void **state)
{
    kit        *k = *state;
    size_t      from = 0;
    skn_refusal no = {0};
    skn_str     endless = sized(k, 20000, 1);

    assert_int_equal(reading(k, sized(k, SKN_URL_MAX, 1)), 0);
    assert_int_equal(reading(k, sized(k, SKN_URL_MAX + 1, 1)), 414);
    assert_int_equal(reading(k, sized(k, 10, SKN_HEAD_MAX - 100)), 0);
    assert_int_equal(reading(k, sized(k, 10, SKN_HEAD_MAX)), 431);
    assert_int_equal(reading(k, sized(k, SKN_URL_MAX, SKN_HEAD_MAX - 100)), 0);
    assert_int_equal(skn_head_end(skn_str_sub(endless, 0, 10000), &from, &no), 0);
    assert_int_equal(no.status, 414);
}

static void a_hundred_headers_are_enough(void **state)
{
    kit    *k = *state;
    skn_buf b;

    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR("GET / HTTP/1.1\r\nHost: a\r\n"));
    for (int i = 0; i < 99; i++)
        skn_buf_addf(&b, "X%d: y\r\n", i);
    skn_buf_add(&b, SKN_STR("\r\n"));
    assert_int_equal(reading(k, skn_buf_str(&b)), 0);
    assert_int_equal(k->r.header_count, 100);
    b.n -= 2;
    skn_buf_add(&b, SKN_STR("One-More: y\r\n\r\n"));
    assert_int_equal(reading(k, skn_buf_str(&b)), 431);
    skn_buf_release(&b);
}

/* --- Chunks ---------------------------------------------------------------------------------------- */

/* Feeds the text in pieces of `step` bytes; the body, or the status it was refused with. */
static int chunked(const char *text, size_t step, size_t limit, char out[64], size_t *left)
{
    skn_chunks  c = {0};
    skn_buf     body;
    skn_refusal no = {0};
    skn_str     all = skn_str_of(text);
    size_t      at = 0, used;
    bool        end = false;

    skn_buf_init(&body, limit);
    while (at < all.n && !end && !no.status) {
        end = skn_chunks_read(&c, skn_str_sub(all, at, at + step), &used, &body, &no);
        at += used;
        assert_true(used > 0);
    }
    snprintf(out, 64, "%.*s", SKN_FMT(skn_buf_str(&body)));
    *left = all.n - at;
    skn_buf_release(&body);
    return no.status ? no.status : end ? 0 : -1;
}

static void chunks_make_a_body_however_they_arrive(void **state)
{
    char   out[64];
    size_t left;

    (void)state;
    for (size_t step = 1; step < 60; step++) {
        assert_int_equal(
            chunked("5\r\nhello\r\n0A;ext=\"1\"\r\n, world: x\r\n00\r\nT: r\r\n\r\nGET", step,
                    100, out, &left),
            0);
        assert_string_equal(out, "hello, world: x");
        assert_int_equal(left, 3);
    }
    assert_int_equal(chunked("0\r\n\r\n", 1, 100, out, &left), 0);
    assert_string_equal(out, "");
}

static void malformed_chunks_are_refused(void **state)
{
    static const struct {
        int         status;
        const char *text;
    } bad[] = {
        {400, "\r\n"},
        {400, "x\r\n"},
        {400, "5\nhello\r\n"},
        {400, "5\r\nhelloX\r\n"},
        {400, "5\r\nhello\rX"},
        {400, "-5\r\nhello\r\n"},
        {400, "5 ;\nhello"},
        {413, "FFFFFFFFFFFFFFFFF\r\n"},
        {413, "33\r\n012345678901234567890123456789012345678901234567890\r\n"},
    };
    char   out[64];
    size_t left;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (chunked(bad[i].text, 1, 50, out, &left) != bad[i].status)
            fail_msg("chunk %zu: %s", i, bad[i].text);
}

/* --- Addresses ------------------------------------------------------------------------------------- */

static void parameters_of_the_query_are_decoded(void **state)
{
    kit    *k = *state;
    skn_str q = SKN_STR("a=1&b=x%20y+z&%63=3&d&a=2&e=%2B%26&=empty");

    assert_true(skn_query_valid(q, k->a));
    assert_true(skn_str_is(skn_query_get(q, "a", k->a), "1"));
    assert_true(skn_str_is(skn_query_get(q, "b", k->a), "x y z"));
    assert_true(skn_str_is(skn_query_get(q, "c", k->a), "3"));
    assert_true(skn_str_is(skn_query_get(q, "d", k->a), ""));
    assert_true(skn_str_is(skn_query_get(q, "e", k->a), "+&"));
    assert_null(skn_query_get(q, "f", k->a).p);
    assert_null(skn_query_get(SKN_NONE, "a", k->a).p);
    assert_false(skn_query_valid(SKN_STR("a=%"), k->a));
    assert_false(skn_query_valid(SKN_STR("a=%4"), k->a));
    assert_false(skn_query_valid(SKN_STR("a=%zz"), k->a));
    assert_false(skn_query_valid(SKN_STR("a=%00"), k->a));
    assert_false(skn_query_valid(SKN_STR("a=%c3%28"), k->a));
}

static const skn_route routes[] = {
    {"GET", "/", NULL, 0, "root", ""},
    {"GET", "/version", NULL, 0, "version", ""},
    {"GET", "/worlds/{w}", NULL, 0, "world", ""},
    {"DELETE", "/worlds/{w}", NULL, 0, "unworld", ""},
    {"POST", "/worlds/import", NULL, 0, "import", ""},
    {"POST", "/worlds/{w}/messages/stop", NULL, 0, "stop", ""},
    {"GET", "/worlds/{w}/messages/{m}", NULL, 0, "message", ""},
    {"GET", "/worlds/{w}/messages/{m}/count", NULL, 0, "count", ""},
    {0},
};

static const char *matched(kit *k, const char *method, const char *path, skn_match *m)
{
    static skn_match unused;

    m = m ? m : &unused;
    skn_tree_match(skn_tree_new(routes, k->a), skn_str_of(method), skn_str_of(path), k->a, m);
    return m->route ? m->route->id : m->allow.p ? "405" : "404";
}

static void a_path_finds_its_route_with_or_without_prefix(void **state)
{
    kit *k = *state;

    assert_string_equal(matched(k, "GET", "/version", NULL), "version");
    assert_string_equal(matched(k, "HEAD", "/version", NULL), "version");
    assert_string_equal(matched(k, "GET", "/api/version", NULL), "version");
    assert_string_equal(matched(k, "GET", "/api/v1/version/", NULL), "version");
    assert_string_equal(matched(k, "GET", "/api/v1", NULL), "root");
    assert_string_equal(matched(k, "GET", "/", NULL), "root");
    assert_string_equal(matched(k, "GET", "/api/v2/version", NULL), "404");
    assert_string_equal(matched(k, "GET", "/apiversion", NULL), "404");
    assert_string_equal(matched(k, "GET", "/apixversion", NULL), "404");
    assert_string_equal(matched(k, "GET", "/versions", NULL), "404");
    assert_string_equal(matched(k, "GET", "/worlds", NULL), "404");
    assert_string_equal(matched(k, "GET", "/worlds//messages/x", NULL), "404");
    assert_string_equal(matched(k, "GET", "*", NULL), "404");
    assert_string_equal(matched(k, "GET", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14", NULL), "404");
}

static void a_literal_part_wins_unless_it_leads_nowhere(void **state)
{
    kit      *k = *state;
    skn_match m;

    assert_string_equal(matched(k, "POST", "/worlds/import", NULL), "import");
    assert_string_equal(matched(k, "GET", "/worlds/import", NULL), "405");
    assert_string_equal(matched(k, "POST", "/worlds/a/messages/stop", NULL), "stop");
    assert_string_equal(matched(k, "GET", "/worlds/a/messages/stop/count", &m), "count");
    assert_true(skn_str_is(m.params[1], "stop"));
}

static void parameters_are_decoded_and_the_method_must_fit(void **state)
{
    kit      *k = *state;
    skn_match m;

    assert_string_equal(matched(k, "GET", "/api/worlds/a%2Fb%20c/messages/%C3%A9", &m),
                        "message");
    assert_true(skn_str_is(m.params[0], "a/b c"));
    assert_true(skn_str_is(m.params[1], "é"));
    assert_false(m.bad);
    assert_string_equal(matched(k, "GET", "/worlds/%ff", &m), "world");
    assert_true(m.bad);
    assert_string_equal(matched(k, "PUT", "/worlds/a", &m), "405");
    assert_true(skn_str_find(m.allow, SKN_STR("DELETE")) >= 0);
    assert_true(skn_str_find(m.allow, SKN_STR("HEAD")) >= 0);
    assert_string_equal(matched(k, "get", "/worlds/a", &m), "405");
}

/* --- Who may ask ----------------------------------------------------------------------------------- */

static bool host_ok(const skn_gate *g, const char *host)
{
    return skn_gate_host(g, skn_str_of(host), SKN_STR("192.168.1.5"));
}

static void only_our_own_names_are_hosts(void **state)
{
    skn_gate g = {.host = SKN_STR("10.0.0.1"), .port = 7534};

    (void)state;
    assert_true(host_ok(&g, "localhost"));
    assert_true(host_ok(&g, "LOCALHOST:7534"));
    assert_true(host_ok(&g, "127.0.0.1:7534"));
    assert_true(host_ok(&g, "[::1]:7534"));
    assert_true(host_ok(&g, "10.0.0.1:7534"));
    assert_true(host_ok(&g, "192.168.1.5"));
    assert_false(host_ok(&g, "localhost:80"));
    assert_false(host_ok(&g, "localhost:"));
    assert_false(host_ok(&g, "localhost:07534x"));
    assert_false(host_ok(&g, "localhost.evil.example"));
    assert_false(host_ok(&g, "evil.example:7534"));
    assert_false(host_ok(&g, "10.0.0.2"));
    assert_false(host_ok(&g, "[::1"));
    assert_false(host_ok(&g, "[::1]7534"));
    assert_false(host_ok(&g, ""));
    assert_false(skn_gate_host(&g, SKN_NONE, SKN_NONE));
    assert_false(skn_gate_host(&g, SKN_STR(":7534"), SKN_NONE));
    assert_false(host_ok(&g, "team.example"));
    g.public_url = SKN_STR("https://team.example:8443/skein");
    assert_true(host_ok(&g, "team.example:8443"));
    assert_false(host_ok(&g, "team.example"));
}

static void only_pages_of_ours_or_of_the_list_are_origins(void **state)
{
    static const char *const list[] = {"https://app.example"};
    skn_gate                 g = {.port = 7534, .origins = list, .origin_count = 1};
    skn_str                  host = SKN_STR("localhost:7534");

    (void)state;
    assert_int_equal(skn_gate_origin(&g, SKN_NONE, host), SKN_ORIGIN_OURS);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("http://localhost:7534"), host),
                     SKN_ORIGIN_OURS);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("https://app.example"), host),
                     SKN_ORIGIN_ALLOWED);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("http://localhost:9"), host),
                     SKN_ORIGIN_REFUSED);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("http://app.example"), host),
                     SKN_ORIGIN_REFUSED);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("file://localhost:7534"), host),
                     SKN_ORIGIN_REFUSED);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("null"), host), SKN_ORIGIN_REFUSED);
    assert_int_equal(skn_gate_origin(&g, SKN_STR(""), host), SKN_ORIGIN_REFUSED);
    g.public_url = SKN_STR("https://team.example/");
    assert_int_equal(skn_gate_origin(&g, SKN_STR("https://team.example"), host),
                     SKN_ORIGIN_OURS);
    assert_int_equal(skn_gate_origin(&g, SKN_STR("https://team.example.evil"), host),
                     SKN_ORIGIN_REFUSED);
}

static void a_token_has_to_be_the_whole_token(void **state)
{
    skn_gate g = {0};

    (void)state;
    assert_false(skn_gate_bearer(&g, SKN_STR("Bearer ")));
    skn_gate_token(&g, SKN_STR("open-sesame"));
    assert_true(skn_gate_bearer(&g, SKN_STR("Bearer open-sesame")));
    assert_true(skn_gate_bearer(&g, SKN_STR("bearer  open-sesame ")));
    assert_false(skn_gate_bearer(&g, SKN_STR("Bearer open-sesam")));
    assert_false(skn_gate_bearer(&g, SKN_STR("Bearer open-sesamee")));
    assert_false(skn_gate_bearer(&g, SKN_STR("Basic open-sesame")));
    assert_false(skn_gate_bearer(&g, SKN_STR("open-sesame")));
    assert_false(skn_gate_bearer(&g, SKN_STR("Bearer ")));
    assert_false(skn_gate_bearer(&g, SKN_NONE));
}

#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(a_request_is_taken_apart),
        KIT_TEST(a_head_is_found_however_its_bytes_arrive),
        KIT_TEST(whether_to_stay_depends_on_the_version),
        KIT_TEST(a_proxys_address_names_the_host),
        KIT_TEST(what_two_readers_could_see_differently_is_refused),
        KIT_TEST(sizes_have_limits_and_are_refused_as_soon_as_they_show),
        KIT_TEST(a_hundred_headers_are_enough),
        KIT_TEST(chunks_make_a_body_however_they_arrive),
        KIT_TEST(malformed_chunks_are_refused),
        KIT_TEST(parameters_of_the_query_are_decoded),
        KIT_TEST(a_path_finds_its_route_with_or_without_prefix),
        KIT_TEST(a_literal_part_wins_unless_it_leads_nowhere),
        KIT_TEST(parameters_are_decoded_and_the_method_must_fit),
        KIT_TEST(only_our_own_names_are_hosts),
        KIT_TEST(only_pages_of_ours_or_of_the_list_are_origins),
        KIT_TEST(a_token_has_to_be_the_whole_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
