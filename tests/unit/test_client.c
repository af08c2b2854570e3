/* The client's readers: an answer over HTTP, and a stream of events, in whatever pieces they come. */
#include "base/sse_reader.h"
#include "cli/http_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* --- Answers ------------------------------------------------------------------------------ */

typedef struct got {
    skn_http_reader r;
    skn_buf         body;
    skein_error     err;
} got;

static skein_rc keep(void *arg, skn_str piece, skein_error *err)
{
    (void)err;
    skn_buf_add(arg, piece);
    return SKEIN_OK;
}

/* Reads it in pieces of so many bytes, and then the end of the connection. */
static skein_rc read_answer(got *g, const char *text, size_t piece)
{
    skn_str  rest = skn_str_of(text);
    skein_rc rc = SKEIN_OK;

    *g = (got){.err = {.rc = SKEIN_OK}};
    skn_http_reader_init(&g->r);
    skn_buf_init(&g->body, 100000);
    g->r.body = keep;
    g->r.arg = &g->body;
    while (!rc && rest.n) {
        size_t n = rest.n < piece ? rest.n : piece;

        rc = skn_http_reader_feed(&g->r, skn_str_sub(rest, 0, n), &g->err);
        rest = skn_str_sub(rest, n, rest.n);
    }
    return rc ? rc : skn_http_reader_end(&g->r, &g->err);
}

static void release(got *g)
{
    skn_http_reader_release(&g->r);
    skn_buf_release(&g->body);
}

static void answers(const char *text, int status, const char *body)
{
    got g;

    for (size_t piece = 1; piece <= 4096; piece *= 4) {
        assert_int_equal(read_answer(&g, text, piece), SKEIN_OK);
        assert_int_equal(g.r.status, status);
        assert_int_equal(g.r.part, SKN_ANSWER_DONE);
        assert_true(skn_str_is(skn_buf_str(&g.body), body));
        release(&g);
    }
}

static void is_refused(const char *text, const char *why)
{
    got g;

    for (size_t piece = 1; piece <= 4096; piece *= 4) {
        assert_int_equal(read_answer(&g, text, piece), SKEIN_UNREACHABLE);
        assert_non_null(strstr(g.err.message, why));
        release(&g);
    }
}

static void a_body_has_the_length_it_says(void **state)
{
    (void)state;
    answers("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, "hello");
    answers("HTTP/1.1 202 Accepted\r\ncontent-length:0\r\n\r\n", 202, "");
    answers("HTTP/1.1 204 No Content\r\n\r\n", 204, "");
}

static void chunks_are_put_together(void **state)
{
    (void)state;
    answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n "
            "world\r\n0\r\n\r\n",
            200, "hello world");
    answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n0\r\nX: "
            "y\r\n\r\n",
            200, "0123456789");
}

static void a_body_without_a_length_ends_with_the_connection(void **state)
{
    (void)state;
    answers("HTTP/1.0 200 OK\r\n\r\nall of it", 200, "all of it");
}

static void what_only_announces_an_answer_is_passed_over(void **state)
{
    (void)state;
    answers("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", 200,
            "ok");
}

static void an_answer_that_only_goes_on_is_given_up(void **state)
{
    skn_buf text;

    (void)state;
    skn_buf_init(&text, 100000);
    for (int i = 0; i < 101; i++)
        skn_buf_addf(&text, "HTTP/1.1 100 Continue\r\n\r\n");
    skn_buf_addc(&text, 0);
    is_refused(text.p, "it announces an answer and never gives it");
    skn_buf_clear(&text);
    skn_buf_addf(&text, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
    for (int i = 0; i < 101; i++)
        skn_buf_addf(&text, "X-More: %d\r\n", i);
    skn_buf_addc(&text, 0);
    is_refused(text.p, "it never ends");
    skn_buf_release(&text);
}

static void a_stream_of_events_is_known_by_its_type(void **state)
{
    got g;

    (void)state;
    read_answer(&g, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n",
                3);
    assert_true(g.r.events);
    release(&g);
    read_answer(&g, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n", 3);
    assert_false(g.r.events);
    release(&g);
}

static void what_is_no_answer_is_refused(void **state)
{
    (void)state;
    is_refused("SSH-2.0-OpenSSH\r\n\r\n", "its first line is not one of HTTP");
    is_refused("HTTP/1.1 abc\r\n\r\n", "its first line is not one of HTTP");
    is_refused("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n", "a header has no colon");
    is_refused("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "its length makes no sense");
    is_refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx",
               "its length makes no sense");
    is_refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
               "it gives its length in two ways");
    is_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nx",
               "its transfer encoding is not known");
    is_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
               "the size of a chunk makes no sense");
    is_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
               "the size of a chunk makes no sense");
    is_refused("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n",
               "a chunk is longer than its size");
    is_refused("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n",
               "it has more than one answer");
}

static void an_answer_that_is_cut_off_is_told(void **state)
{
    static const char whole[] = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "5\r\nhello\r\n0\r\n\r\n";
    char              part[sizeof whole];
    got               g;

    (void)state;
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        memcpy(part, whole, n);
        part[n] = '\0';
        assert_int_equal(read_answer(&g, part, 7), SKEIN_UNREACHABLE);
        release(&g);
    }
}

static void a_head_has_an_end(void **state)
{
    got     g;
    skn_buf text;

    (void)state;
    skn_buf_init(&text, 200000);
    skn_buf_add(&text, SKN_STR("HTTP/1.1 200 OK\r\nX: "));
    skn_buf_fill(&text, 'x', 70000);
    assert_int_equal(read_answer(&g, text.p, 4096), SKEIN_UNREACHABLE);
    assert_non_null(strstr(g.err.message, "its head is too long"));
    release(&g);
    skn_buf_release(&text);
}

/* --- Events ------------------------------------------------------------------------------- */

typedef struct seen {
    skn_sse_reader r;
    skn_buf        text; /* "type=data|" of each */
    skein_error    err;
} seen;

static skein_rc note(void *arg, const skn_sse_event *event, skein_error *err)
{
    skn_buf *text = arg;

    (void)err;
    skn_buf_addf(text, "%.*s=%.*s|", SKN_FMT(event->type), SKN_FMT(event->data));
    return SKEIN_OK;
}

static void open_events(seen *s, size_t limit)
{
    *s = (seen){.err = {.rc = SKEIN_OK}};
    skn_sse_reader_init(&s->r, limit);
    skn_buf_init(&s->text, 100000);
    s->r.event = note;
    s->r.arg = &s->text;
}

static void close_events(seen *s)
{
    skn_sse_reader_release(&s->r);
    skn_buf_release(&s->text);
}

static void feed(seen *s, const char *text)
{
    assert_int_equal(skn_sse_reader_feed(&s->r, skn_str_of(text), &s->err), SKEIN_OK);
}

static void tells(const char *text, const char *events, const char *last_id)
{
    for (size_t piece = 1; piece <= 256; piece *= 4) {
        skn_str rest = skn_str_of(text);
        seen    s;

        open_events(&s, 10000);
        while (rest.n) {
            size_t n = rest.n < piece ? rest.n : piece;

            assert_int_equal(skn_sse_reader_feed(&s.r, skn_str_sub(rest, 0, n), &s.err),
                             SKEIN_OK);
            rest = skn_str_sub(rest, n, rest.n);
        }
        assert_string_equal(s.text.n ? s.text.p : "", events);
        assert_true(skn_str_is(skn_buf_str(&s.r.last_id), last_id));
        close_events(&s);
    }
}

static void events_are_told_whole(void **state)
{
    (void)state;
    tells("id: 7\nevent: message.created\ndata: {\"a\":1}\n\n", "message.created={\"a\":1}|",
          "7");
    tells("data: one\ndata: two\ndata\ndata:three\n\n", "message=one\ntwo\n\nthree|", "");
    tells(": a comment\nretry: 1000\n\nevent: x\ndata:  two blanks\n\n", "x= two blanks|", "");
    tells("event: nothing\n\ndata: z\n\n", "message=z|", "");
}

static void lines_end_in_any_way(void **state)
{
    (void)state;
    tells("event: a\r\ndata: 1\r\n\r\nevent: b\rdata: 2\r\revent: c\ndata: 3\n\n",
          "a=1|b=2|c=3|", "");
    tells("\xEF\xBB\xBF"
          "event: a\ndata: 1\n\n",
          "a=1|", "");
}

static void an_id_counts_when_its_event_was_told(void **state)
{
    seen s;

    (void)state;
    open_events(&s, 1000);
    feed(&s, "id: 5\ndata: x\n\nid: 6\ndata: half");
    assert_true(skn_str_is(skn_buf_str(&s.r.last_id), "5"));
    skn_sse_reader_cut(&s.r);
    feed(&s, "data: y\n\n");
    assert_string_equal(s.text.p, "message=x|message=y|");
    assert_true(skn_str_is(skn_buf_str(&s.r.last_id), "5"));
    close_events(&s);
}

static void an_event_without_an_id_leaves_the_last_one(void **state)
{
    (void)state;
    tells("id: 5\ndata: x\n\ndata: volatile\n\n", "message=x|message=volatile|", "5");
}

static void the_time_to_wait_is_kept(void **state)
{
    seen s;

    (void)state;
    open_events(&s, 1000);
    assert_int_equal(s.r.retry_ms, -1);
    feed(&s, "retry: 2500\n\nretry: soon\n\n");
    assert_int_equal(s.r.retry_ms, 2500);
    close_events(&s);
}

static void an_event_that_is_too_large_is_an_error(void **state)
{
    seen s;

    (void)state;
    open_events(&s, 20);
    assert_int_equal(
        skn_sse_reader_feed(&s.r, SKN_STR("data: 0123456789\ndata: 0123456789\n\n"), &s.err),
        SKEIN_LIMIT);
    close_events(&s);
    open_events(&s, 20);
    assert_int_equal(
        skn_sse_reader_feed(&s.r, SKN_STR("data: 01234567890123456789012\n"), &s.err),
        SKEIN_LIMIT);
    close_events(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_has_the_length_it_says),
        cmocka_unit_test(chunks_are_put_together),
        cmocka_unit_test(a_body_without_a_length_ends_with_the_connection),
        cmocka_unit_test(what_only_announces_an_answer_is_passed_over),
        cmocka_unit_test(an_answer_that_only_goes_on_is_given_up),
        cmocka_unit_test(a_stream_of_events_is_known_by_its_type),
        cmocka_unit_test(what_is_no_answer_is_refused),
        cmocka_unit_test(an_answer_that_is_cut_off_is_told),
        cmocka_unit_test(a_head_has_an_end),
        cmocka_unit_test(events_are_told_whole),
        cmocka_unit_test(lines_end_in_any_way),
        cmocka_unit_test(an_id_counts_when_its_event_was_told),
        cmocka_unit_test(an_event_without_an_id_leaves_the_last_one),
        cmocka_unit_test(the_time_to_wait_is_kept),
        cmocka_unit_test(an_event_that_is_too_large_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
