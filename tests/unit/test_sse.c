/* One frame of a stream, read back by a strict reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/hub.h"
#include "unit/sse_kit.h"

#include <stdlib.h>

typedef struct expected {
    int64_t id;
    skn_str event, data;
    int     found;
} expected;

static void compare(void *arg, const sse_frame *f)
{
    expected *e = arg;
    int64_t   id = 0;

    assert_int_equal(f->has_id, e->id != 0);
    assert_true(!f->has_id || (skn_str_int(f->id, &id) && id == e->id));
    assert_true(skn_str_eq(f->event, e->event));
    assert_int_equal(f->data.n, e->data.n);
    if (f->data.n)
        assert_memory_equal(f->data.p, e->data.p, e->data.n);
    e->found++;
}

/* The frame read at once, and byte by byte. */
static void comes_back(int64_t id, skn_str event, skn_str data)
{
    expected   e = {.id = id, .event = event};
    skn_buf    frame, normal;
    sse_reader r;

    skn_buf_init(&frame, 1 << 24);
    skn_buf_init(&normal, 1 << 24);
    skn_sse_frame(&frame, id, event, data);
    sse_normal(&normal, data);
    e.data = skn_buf_str(&normal);
    for (size_t step = 1; step <= frame.n; step += frame.n > 1 ? frame.n - 1 : 1) {
        e.found = 0;
        sse_reader_init(&r, compare, &e);
        for (size_t i = 0; i < frame.n; i += step)
            sse_feed(&r, skn_str_sub(skn_buf_str(&frame), i, i + step));
        assert_int_equal(e.found, 1);
        assert_false(r.bad);
        assert_int_equal(r.comments, 0);
        sse_reader_release(&r);
    }
    skn_buf_release(&frame);
    skn_buf_release(&normal);
}

static void a_frame_looks_as_the_contract_says(void **state)
{
    skn_buf b;

    (void)state;
    skn_buf_init(&b, 1000);
    skn_sse_frame(&b, 48213, SKN_STR("message.completed"), SKN_STR("{\"a\":\n 1}"));
    assert_string_equal(b.p,
                        "id: 48213\nevent: message.completed\ndata: {\"a\":\ndata:  1}\n\n");
    skn_buf_clear(&b);
    skn_sse_frame(&b, 0, SKN_STR("stream.open"), SKN_STR("{}"));
    assert_string_equal(b.p, "event: stream.open\ndata: {}\n\n");
    skn_buf_clear(&b);
    skn_sse_retry(&b, 1000);
    assert_string_equal(b.p, "retry: 1000\n\n");
    skn_buf_release(&b);
}

static void what_looks_like_a_field_stays_data(void **state)
{
    (void)state;
    comes_back(1, SKN_STR("x"), SKN_STR(""));
    comes_back(0, SKN_STR("x"), SKN_STR("\n"));
    comes_back(2, SKN_STR("x"), SKN_STR("\n\n\nid: 9\n\nevent: y\n"));
    comes_back(INT64_MAX, SKN_STR("x"), SKN_STR(" leading\n : comment\n:\nretry: 1"));
    comes_back(3, SKN_STR("x"), SKN_STR("a\r\nb\rc\r\r\nd\r"));
}

static void any_bytes_come_back(void **state)
{
    static const char alphabet[] = "\r\n :adit\xff\xc3\xa4{\"";
    char              data[64];

    (void)state;
    srand(7);
    for (int round = 0; round < 20000; round++) {
        size_t n = (size_t)rand() % sizeof data;

        for (size_t i = 0; i < n; i++)
            data[i] = alphabet[(size_t)rand() % (sizeof alphabet - 1)];
        comes_back(rand() % 3, SKN_STR("message.delta"), (skn_str){data, n});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_looks_as_the_contract_says),
        cmocka_unit_test(what_looks_like_a_field_stays_data),
        cmocka_unit_test(any_bytes_come_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
