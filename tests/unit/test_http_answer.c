/* What handlers build their answers with: members of the body, ETags, pages, problems; and the limits
 * around them. */
#include "base/error.h"
#include "http/inside.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct kit {
    skn_api_call c;
    skn_carrier  by;
    skn_request  r;
    skn_header   headers[4];
} kit;

static int set_up(void **state)
{
    kit *k = skn_heap(sizeof *k);

    k->r = (skn_request){.headers = k->headers, .minor = 1};
    k->by = (skn_carrier){.request = &k->r};
    k->c = (skn_api_call){.mem = skn_arena_new(),
                          .by = &k->by,
                          .given = k->headers,
                          .method = SKN_STR("GET"),
                          .path = SKN_STR("/worlds/w"),
                          .request_id = SKN_STR("rid")};
    skn_buf_init(&k->c.out, 1 << 20);
    skn_jw_init(&k->c.w, &k->c.out);
    *state = k;
    return 0;
}

static int tear_down(void **state)
{
    kit *k = *state;

    skn_buf_release(&k->c.out);
    skn_arena_free(k->c.mem);
    free(k);
    return 0;
}

static void with_header(kit *k, const char *name, const char *value)
{
    k->headers[0] = (skn_header){skn_str_of(name), skn_str_of(value)};
    k->r.header_count = 1;
    k->c.given_count = 1;
}

static void with_body(kit *k, const char *json)
{
    k->c.error = (skein_error){0};
    k->c.problem_extra = SKN_NONE;
    assert_int_equal(skn_json_parse(&k->c.json, skn_str_of(json), "body", k->c.mem, NULL), 0);
}

static bool out_has(kit *k, const char *part)
{
    return skn_str_find(skn_buf_str(&k->c.out), skn_str_of(part)) >= 0;
}

static const char *header_of(kit *k, const char *name)
{
    for (size_t i = 0; i < k->c.headers.n; i++)
        if (skn_str_is(k->c.headers.p[i].name, name))
            return k->c.headers.p[i].value.p;
    return "";
}

static void members_of_the_wrong_kind_are_named_by_their_pointer(void **state)
{
    kit    *k = *state;
    skn_str text;
    int64_t n;
    bool    flag;

    with_body(k, "{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":null}");
    assert_int_equal(skn_call_text(&k->c, "b", true, &text), SKEIN_OK);
    assert_true(skn_str_is(text, "x"));
    assert_int_equal(skn_call_text(&k->c, "d", false, &text), SKEIN_OK);
    assert_null(text.p);
    assert_int_equal(skn_call_int(&k->c, "a", 0, 5, 9, &n), SKEIN_OK);
    assert_int_equal(n, 1);
    assert_int_equal(skn_call_flag(&k->c, "c", false, &flag), SKEIN_OK);
    assert_true(flag);
    assert_int_equal(skn_call_text(&k->c, "chatId", true, &text), SKEIN_INVALID);
    assert_true(
        skn_str_is(k->c.problem_extra,
                   "\"errors\":[{\"pointer\":\"/chatId\",\"detail\":\"is required\"}]"));
    assert_string_equal(k->c.error.message, "chatId is required");
    assert_int_equal(skn_call_text(&k->c, "a", true, &text), SKEIN_INVALID);
    assert_int_equal(skn_call_int(&k->c, "a", 2, 5, 9, &n), SKEIN_INVALID);
    assert_int_equal(n, 9);
    assert_int_equal(skn_call_int(&k->c, "b", 0, 5, 9, &n), SKEIN_INVALID);
    assert_int_equal(skn_call_flag(&k->c, "a", false, &flag), SKEIN_INVALID);
}

static void parameters_of_the_query_have_kinds_and_limits(void **state)
{
    kit    *k = *state;
    int64_t n;
    bool    flag;
    skn_str chat;

    k->c.query = SKN_STR("limit=500&big=501&word=x&yes&no=false&bad=maybe&chatId=c_1");
    assert_int_equal(skn_call_query_int(&k->c, "limit", 1, 500, 50, &n), SKEIN_OK);
    assert_int_equal(n, 500);
    assert_int_equal(skn_call_query_int(&k->c, "none", 1, 500, 50, &n), SKEIN_OK);
    assert_int_equal(n, 50);
    assert_int_equal(skn_call_query_int(&k->c, "big", 1, 500, 50, &n), SKEIN_INVALID);
    assert_int_equal(skn_call_query_int(&k->c, "word", 1, 500, 50, &n), SKEIN_INVALID);
    assert_int_equal(skn_call_query_flag(&k->c, "yes", &flag), SKEIN_OK);
    assert_true(flag);
    assert_int_equal(skn_call_query_flag(&k->c, "no", &flag), SKEIN_OK);
    assert_false(flag);
    assert_int_equal(skn_call_query_flag(&k->c, "bad", &flag), SKEIN_INVALID);
    with_body(k, "{\"chatId\":null}");
    assert_int_equal(skn_call_chat_id(&k->c, &chat), SKEIN_OK);
    assert_true(skn_str_is(chat, "c_1"));
    with_body(k, "{\"chatId\":\"c_2\"}");
    assert_int_equal(skn_call_chat_id(&k->c, &chat), SKEIN_OK);
    assert_true(skn_str_is(chat, "c_2"));
}

static void a_header_cannot_hold_another(void **state)
{
    kit *k = *state;

    skn_call_add_header(&k->c, "Location", SKN_STR("/a\r\nSet-Cookie: x"));
    assert_string_equal(header_of(k, "Location"), "/aSet-Cookie: x");
}

static void a_client_that_has_the_answer_gets_304(void **state)
{
    static const char *const have[] = {"\"a15\"", "W/\"a15\"", "\"x\", \"a15\"", "*"};
    kit                     *k = *state;
    bool                     same;

    for (size_t i = 0; i < sizeof have / sizeof *have; i++) {
        with_header(k, "If-None-Match", have[i]);
        skn_buf_add(&k->c.out, SKN_STR("body"));
        skn_call_etag(&k->c, SKN_STR("\"a15\""), &same);
        assert_true(same);
        assert_int_equal(k->c.status, 304);
        assert_int_equal(k->c.out.n, 0);
        k->c.status = 0;
    }
    with_header(k, "If-None-Match", "\"a16\"");
    skn_call_etag(&k->c, SKN_STR("\"a15\""), &same);
    assert_false(same);
    k->c.method = SKN_STR("PUT");
    with_header(k, "If-None-Match", "*");
    skn_call_etag(&k->c, SKN_STR("\"a15\""), &same);
    assert_false(same);
}

static void a_state_is_not_enough_to_know_an_answer_by(void **state)
{
    kit *k = *state;
    char tag[64];
    bool same;

    with_header(k, "If-None-Match", "\"t_1.5\"");
    skn_call_etag(&k->c, SKN_STR("\"t_1.5\""), &same);
    assert_false(same);
    skn_buf_add(&k->c.out, SKN_STR("title: a"));
    skn_call_tag_body(&k->c);
    assert_int_equal(k->c.status, 0);
    snprintf(tag, sizeof tag, "%s", header_of(k, "ETag"));
    assert_int_equal(strncmp(tag, "\"t_1.5-", 7), 0);
    assert_int_equal(strlen(tag), 7 + 8 + 1);
    for (int renamed = 0; renamed < 2; renamed++) {
        k->c.headers.n = 0;
        k->c.status = 0;
        skn_buf_clear(&k->c.out);
        with_header(k, "If-None-Match", tag);
        skn_call_etag(&k->c, SKN_STR("\"t_1.5\""), &same);
        skn_buf_add(&k->c.out, renamed ? SKN_STR("title: b") : SKN_STR("title: a"));
        skn_call_tag_body(&k->c);
        assert_int_equal(k->c.status, renamed ? 0 : 304);
    }
}

static void if_match_is_a_state_of_the_conversation(void **state)
{
    kit               *k = *state;
    skein_conversation chat = {.thread = {9}, .thread_uid = SKN_STR("t_a.b"), .length = 12};
    skein_at           at;

    assert_true(skn_str_is(skn_call_chat_etag(&k->c, &chat), "\"t_a.b.12\""));
    assert_int_equal(skn_call_if_match(&k->c, &chat, false, &at), SKEIN_OK);
    assert_int_equal(at.thread.v, 0);
    assert_int_equal(skn_call_if_match(&k->c, &chat, true, &at), SKEIN_INVALID);
    assert_int_equal(k->c.problem_status, 428);
    for (const char **tag = (const char *[]){"\"t_a.b.12\"", "\"t_a.b.12-0123cdef\"", NULL};
         *tag; tag++) {
        with_header(k, "If-Match", *tag);
        assert_int_equal(skn_call_if_match(&k->c, &chat, true, &at), SKEIN_OK);
        assert_int_equal(at.thread.v, 9);
        assert_int_equal(at.length, 12);
    }
    for (const char **bad = (const char *[]){"\"t_a.b.11\"", "\"t_x.12\"", "t_a.b.12", "\"\"",
                                             "\"12\"", "\"t_a.b.-12\"", NULL};
         *bad; bad++) {
        with_header(k, "If-Match", *bad);
        assert_int_equal(skn_call_if_match(&k->c, &chat, true, &at), SKEIN_VERSION_CHANGED);
        assert_string_equal(k->c.more.current, "t_a.b");
    }
}

static void a_list_says_where_it_goes_on(void **state)
{
    kit *k = *state;

    k->c.query = SKN_STR("limit=2&cursor=old&after=m1&fields=a");
    skn_call_list(&k->c);
    skn_jw_int(&k->c.w, 1);
    skn_call_list_end(&k->c, SKN_STR("n/1"), SKN_NONE, 7);
    assert_true(skn_str_is(skn_buf_str(&k->c.out),
                           "{\"data\":[1],\"page\":{\"next\":\"n/1\",\"prev\":null,"
                           "\"hasMore\":true,\"total\":7,\"totalIsExact\":true}}"));
    assert_string_equal(header_of(k, "Link"),
                        "</worlds/w?cursor=n%2F1&limit=2&fields=a>; rel=\"next\"");
}

/* --- Problems -------------------------------------------------------------------------------------- */

static void a_failure_is_a_problem_with_all_its_members(void **state)
{
    kit *k = *state;

    skn_call_add_header(&k->c, "ETag", SKN_STR("\"x\""));
    skn_buf_add(&k->c.out, SKN_STR("half an ans"));
    skn_fail(&k->c.error, SKEIN_NOT_FOUND, "there is no world \"w\"");
    k->c.more.thing = "world";
    k->c.more.meant = "v";
    skn_problem_write(&k->c);
    assert_int_equal(k->c.status, 404);
    assert_string_equal(k->c.type, "application/problem+json");
    assert_true(skn_str_is(
        skn_buf_str(&k->c.out),
        "{\"type\":\"/problems/world-not-found\",\"title\":\"There is no such world\","
        "\"status\":404,\"detail\":\"there is no world \\\"w\\\"\",\"instance\":\"/worlds/w\","
        "\"code\":\"WORLD_NOT_FOUND\",\"requestId\":\"rid\",\"retryable\":false,"
        "\"error\":\"there is no world \\\"w\\\"\",\"message\":\"There is no such world\","
        "\"didYouMean\":\"v\"}"));
    assert_string_equal(header_of(k, "ETag"), "");
}

static void a_busy_store_is_not_a_busy_agent(void **state)
{
    kit *k = *state;

    k->c.world.id.v = 7;
    skn_fail(&k->c.error, SKEIN_BUSY, "another writer is at work");
    skn_problem_write(&k->c);
    assert_int_equal(k->c.status, 503);
    assert_string_equal(header_of(k, "Retry-After"), "5");
    assert_true(out_has(k, "\"type\":\"/problems/busy\""));
    assert_true(out_has(k, "\"detail\":\"another writer is at work\""));
    assert_true(out_has(k, "\"retryable\":true"));
}

static void what_may_be_tried_again_says_when(void **state)
{
    kit *k = *state;

    k->c.more.retry_after_ms = 1500;
    skn_call_problem(&k->c, 429, "rate-limit", "too fast");
    skn_problem_write(&k->c);
    assert_int_equal(k->c.status, 429);
    assert_string_equal(header_of(k, "Retry-After"), "2");
    assert_true(out_has(k, "\"code\":\"RATE_LIMIT\""));
    assert_true(out_has(k, "\"retryable\":true,\"retryAfterMs\":1500"));
}

static void every_code_of_the_engine_has_a_page_of_help(void **state)
{
    kit *k = *state;

    for (int rc = SKEIN_FAILED; rc <= SKEIN_TIMEOUT; rc++) {
        skn_str   text, word;
        ptrdiff_t at;

        if (rc == SKEIN_AT_WORK) /* asks the store who is at work */
            continue;
        k->c.more = (skn_problem){0};
        k->c.problem = NULL;
        skn_fail(&k->c.error, (skein_rc)rc, "it failed");
        skn_problem_write(&k->c);
        assert_int_equal(k->c.status, skein_rc_http((skein_rc)rc));
        text = skn_buf_str(&k->c.out);
        at = skn_str_find(text, SKN_STR("/problems/"));
        assert_true(at > 0);
        text = skn_str_sub(text, (size_t)at + 10, text.n);
        assert_true(skn_str_split(&text, '"', &word));
        skn_buf_clear(&k->c.out);
        if (!skn_problem_page(word, &k->c.out))
            fail_msg("no page for %.*s", SKN_FMT(word));
        assert_true(out_has(k, "<h1>"));
    }
    assert_false(skn_problem_page(SKN_STR("nope"), &k->c.out));
}

static void the_head_of_an_answer_is_complete(void **state)
{
    kit    *k = *state;
    skn_buf head;

    skn_buf_init(&head, 1 << 16);
    skn_buf_add(&k->c.out, SKN_STR("{}"));
    skn_answer_head(&k->c, &head, true, false);
    for (const char **want = (const char *[]){"HTTP/1.1 200 OK\r\n", "Content-Length: 2\r\n",
                                              "Content-Type: application/json\r\n",
                                              "Cache-Control: no-store\r\n", " GMT\r\n",
                                              "X-Content-Type-Options: nosniff\r\n",
                                              "X-Request-Id: rid\r\n", "Skein-Version: ", NULL};
         *want; want++)
        if (skn_str_find(skn_buf_str(&head), skn_str_of(*want)) < 0)
            fail_msg("no %s in %s", *want, head.p);
    assert_true(skn_str_find(skn_buf_str(&head), SKN_STR("Connection")) < 0);
    assert_true(skn_str_ends(skn_buf_str(&head), SKN_STR("\r\n\r\n")));
    skn_buf_clear(&head);
    k->c.status = 304;
    skn_call_add_header(&k->c, "ETag", SKN_STR("\"x\""));
    skn_answer_head(&k->c, &head, false, false);
    assert_true(skn_str_find(skn_buf_str(&head), SKN_STR("Content-")) < 0);
    assert_true(skn_str_find(skn_buf_str(&head), SKN_STR("Cache-Control: no-cache")) > 0);
    assert_true(skn_str_find(skn_buf_str(&head), SKN_STR("Connection: close")) > 0);
    skn_buf_release(&head);
}

/* --- Limits ---------------------------------------------------------------------------------------- */

static void an_address_may_ask_as_often_as_it_is_allowed(void **state)
{
    skn_rates *r = skn_rates_new(60);
    skn_str    a = SKN_STR("10.0.0.1"), b = SKN_STR("10.0.0.2");
    int64_t    wait = 0;

    (void)state;
    for (int i = 0; i < 60; i++)
        assert_true(skn_rates_take(r, a, 1000, &wait));
    assert_false(skn_rates_take(r, a, 1000, &wait));
    assert_in_range(wait, 1, 1001);
    assert_true(skn_rates_take(r, b, 1000, &wait));
    assert_false(skn_rates_take(r, a, 1500, &wait));
    assert_true(skn_rates_take(r, a, 2001, &wait));
    assert_false(skn_rates_take(r, a, 2001, &wait));
    for (int i = 0; i < 60; i++) /* a long rest fills it up, and no more */
        assert_true(skn_rates_take(r, a, 10000000, &wait));
    assert_false(skn_rates_take(r, a, 10000000, &wait));
    skn_rates_free(r);
    assert_null(skn_rates_new(0));
    assert_true(skn_rates_take(NULL, a, 0, &wait));
}

static void many_addresses_do_not_grow_the_table(void **state)
{
    skn_rates *r = skn_rates_new(1);
    char       text[32];
    int64_t    wait;

    (void)state;
    for (int i = 0; i < 100000; i++) {
        snprintf(text, sizeof text, "10.%d.%d.%d", i >> 16, i >> 8 & 255, i & 255);
        skn_rates_take(r, skn_str_of(text), i, &wait);
    }
    assert_true(skn_rates_take(r, SKN_STR("::1"), 100000, &wait));
    assert_false(skn_rates_take(r, SKN_STR("::1"), 100000, &wait));
    skn_rates_free(r);
}

static void a_key_runs_once_at_a_time(void **state)
{
    skn_keys *k = skn_keys_new();
    char      text[32];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            snprintf(text, sizeof text, "key-%d", i);
            assert_true(skn_keys_begin(k, skn_str_of(text)));
            assert_false(skn_keys_begin(k, skn_str_of(text)));
        }
        for (int i = 0; i < 5000; i++) {
            snprintf(text, sizeof text, "key-%d", i);
            skn_keys_end(k, skn_str_of(text));
        }
    }
    assert_true(skn_keys_begin(k, SKN_STR("left")));
    skn_keys_free(k);
    skn_keys_free(NULL);
}

static void a_request_is_the_same_under_every_prefix_and_no_other(void **state)
{
    kit    *k = *state;
    int64_t hash;

    k->c.path = SKN_STR("/worlds/w");
    k->c.body = SKN_STR("{}");
    hash = skn_keys_hash(&k->c);
    k->c.path = SKN_STR("/api/v1/worlds/w");
    assert_true(skn_keys_hash(&k->c) == hash);
    k->c.body = SKN_STR("{ }");
    assert_true(skn_keys_hash(&k->c) != hash);
    k->c.body = SKN_STR("{}");
    k->c.method = SKN_STR("PUT");
    assert_true(skn_keys_hash(&k->c) != hash);
    k->c.method = SKN_STR("GET");
    k->c.query = SKN_STR("a=1");
    assert_true(skn_keys_hash(&k->c) != hash);
}

#define KIT_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        KIT_TEST(members_of_the_wrong_kind_are_named_by_their_pointer),
        KIT_TEST(parameters_of_the_query_have_kinds_and_limits),
        KIT_TEST(a_header_cannot_hold_another),
        KIT_TEST(a_client_that_has_the_answer_gets_304),
        KIT_TEST(a_state_is_not_enough_to_know_an_answer_by),
        KIT_TEST(if_match_is_a_state_of_the_conversation),
        KIT_TEST(a_list_says_where_it_goes_on),
        KIT_TEST(a_failure_is_a_problem_with_all_its_members),
        KIT_TEST(a_busy_store_is_not_a_busy_agent),
        KIT_TEST(what_may_be_tried_again_says_when),
        KIT_TEST(every_code_of_the_engine_has_a_page_of_help),
        KIT_TEST(the_head_of_an_answer_is_complete),
        KIT_TEST(an_address_may_ask_as_often_as_it_is_allowed),
        KIT_TEST(many_addresses_do_not_grow_the_table),
        KIT_TEST(a_key_runs_once_at_a_time),
        KIT_TEST(a_request_is_the_same_under_every_prefix_and_no_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
