/* Bytes that are kept small come out as they went in. */
#include "base/arena.h"
#include "base/hash.h"
#include "base/thin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LIMIT ((size_t)1 << 20)

/* Adds the text in pieces of `at_once` bytes, and looks whether it comes out again. */
static void assert_kept(skn_thin *t, skn_str text, size_t at_once)
{
    char *out;

    skn_thin_release(t);
    for (size_t i = 0; i < text.n; i += at_once)
        skn_thin_add(t, skn_str_sub(text, i, i + at_once < text.n ? i + at_once : text.n));
    out = skn_thin_text(t);
    assert_int_equal(t->n, text.n);
    assert_memory_equal(out, text.p, text.n);
    assert_int_equal(out[text.n], '\0');
    free(out);
}

static void add_events(skn_buf *out, int count)
{
    for (int i = 0; i < count; i++)
        skn_buf_addf(
            out,
            "event: content_block_delta\n"
            "data: {\"id\":\"msg_1\",\"index\":0,\"delta\":{\"text\":\" word%d\"}}\n\n",
            i);
}

static void a_stream_of_events_takes_a_fraction(void **state)
{
    skn_thin t;
    skn_buf  text;

    (void)state;
    skn_thin_init(&t, LIMIT);
    skn_buf_init(&text, LIMIT);
    add_events(&text, 1000);
    for (size_t at_once = 1; at_once < 400; at_once += 57)
        assert_kept(&t, skn_buf_str(&text), at_once);
    assert_true(t.kept.n < text.n / 5);
    skn_buf_release(&text);
    skn_thin_release(&t);
}

static void any_bytes_come_out_as_they_went_in(void **state)
{
    static const char few[] = "a\n\r\0";
    char             *bytes = skn_heap(60000);
    skn_thin          t;

    (void)state;
    skn_thin_init(&t, LIMIT);
    for (unsigned round = 0; round < 8; round++) {
        uint64_t h = round;

        for (size_t i = 0; i < 60000; i++) {
            h = h * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = round % 2 ? (char)(h >> 60) : few[h >> 62];
        }
        assert_kept(&t, (skn_str){bytes, 60000}, 1 + round * 999);
    }
    free(bytes);
    skn_thin_release(&t);
}

static void lines_longer_than_any_are_kept_too(void **state)
{
    const size_t lengths[] = {0, 1, 4094, 4095, 4096, 4097, 8192, 50000};
    char        *text = skn_heap(100001);
    skn_thin     t;

    (void)state;
    skn_thin_init(&t, LIMIT);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        memset(text, 'x', 100001);
        text[lengths[i]] = '\n';
        assert_kept(&t, (skn_str){text, 2 * lengths[i]}, 100);
        assert_kept(&t, (skn_str){text, 2 * lengths[i]}, 100001);
    }
    free(text);
    skn_thin_release(&t);
}

static void what_is_over_the_limit_is_ignored(void **state)
{
    skn_thin t;
    char    *out;

    (void)state;
    skn_thin_init(&t, 5);
    skn_thin_add(&t, SKN_STR("abc"));
    assert_false(t.over);
    skn_thin_add(&t, SKN_STR("\ndef"));
    skn_thin_add(&t, SKN_STR("ghi"));
    assert_true(t.over);
    out = skn_thin_text(&t);
    assert_string_equal(out, "abc\nd");
    free(out);
    skn_thin_release(&t);
    assert_false(t.over);
    out = skn_thin_text(&t);
    assert_string_equal(out, "");
    free(out);
}

/* A store may keep hashes, so they must never change. */
static void a_hash_is_the_same_everywhere(void **state)
{
    const char text[] = "0123456789abcdefghij\xff\x80";

    (void)state;
    assert_int_equal(skn_hash_bytes(0, SKN_STR("")), UINT64_C(0xd1fba762150c532c));
    assert_int_equal(skn_hash_bytes(1, (skn_str){text, 8}), UINT64_C(0xd2f3a5bbc82b6222));
    assert_int_equal(skn_hash_bytes(7, (skn_str){text, sizeof text - 1}),
                     UINT64_C(0xd4cfffe949ff8608));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_of_events_takes_a_fraction),
        cmocka_unit_test(any_bytes_come_out_as_they_went_in),
        cmocka_unit_test(lines_longer_than_any_are_kept_too),
        cmocka_unit_test(what_is_over_the_limit_is_ignored),
        cmocka_unit_test(a_hash_is_the_same_everywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
