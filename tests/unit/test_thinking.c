#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/view/thinking.h"

#include <string.h>

/* Parts as text: "[…]" is thinking, "(…)" is not. */
static const char *split(const char *text)
{
    static char    out[512];
    size_t         n = 0;
    skn_str        rest = skn_str_of(text);
    skn_think_part part;

    while (skn_think_next(&rest, &part)) {
        assert_true(n + part.text.n + 3 < sizeof out);
        out[n++] = part.thinking ? '[' : '(';
        memcpy(out + n, part.text.p, part.text.n);
        n += part.text.n;
        out[n++] = part.thinking ? ']' : ')';
    }
    out[n] = '\0';
    return out;
}

static void a_text_without_tags_is_one_part(void **state)
{
    (void)state;
    assert_string_equal(split("a < b, <b>bold</b>"), "(a < b, <b>bold</b>)");
    assert_string_equal(split(""), "");
}

static void blocks_are_split_out_in_text_order(void **state)
{
    (void)state;
    assert_string_equal(split("<think>a</think>b<thinking>c</thinking>d"), "[a](b)[c](d)");
    assert_string_equal(split("<think>a</think><think>b</think>"), "[a][b]");
    assert_string_equal(split("<think></think>"), "[]");
}

static void tags_are_found_in_any_case(void **state)
{
    (void)state;
    assert_string_equal(split("<THINK>a</Think>b"), "[a](b)");
}

static void an_unclosed_block_goes_to_the_end(void **state)
{
    (void)state;
    assert_string_equal(split("x<think>a\nb"), "(x)[a\nb]");
    assert_string_equal(split("<think>a</think"), "[a</think]");
}

static void a_nested_open_tag_is_plain_text(void **state)
{
    (void)state;
    assert_string_equal(split("<think>a<think>b</think>c</think>"), "[a<think>b](c</think>)");
}

static void a_close_tag_of_the_other_name_does_not_close(void **state)
{
    (void)state;
    assert_string_equal(split("<think>a</thinking>b</think>c"), "[a</thinking>b](c)");
}

static void a_stray_close_tag_is_plain_text(void **state)
{
    (void)state;
    assert_string_equal(split("a</think>b"), "(a</think>b)");
}

static void something_almost_a_tag_is_plain_text(void **state)
{
    (void)state;
    assert_string_equal(split("<think >a</think>"), "(<think >a</think>)");
    assert_string_equal(split("<thinker>a"), "(<thinker>a)");
    assert_string_equal(split("<<think>a"), "(<)[a]");
}

static uint32_t next_random(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

/* Random bytes, and among them pieces of tags, so that all ways through are taken. */
static size_t random_text(uint32_t *x, char *out, size_t max)
{
    static const char *const pieces[] = {"<think>", "</think>",    "<thinking>", "</thinking>",
                                         "<THINK>", "</Thinking>", "<thin",      "</"};
    size_t                   n = 0;

    while (n + 16 < max) {
        uint32_t r = next_random(x);

        if (r % 3 == 0) {
            const char *piece = pieces[r / 3 % 8];

            memcpy(out + n, piece, strlen(piece));
            n += strlen(piece);
        } else {
            out[n++] = (char)(r >> 8);
        }
    }
    return n;
}

static void the_parts_with_their_tags_are_the_text_to_the_byte(void **state)
{
    uint32_t x = 2463534242u;
    char     text[400], joined[400];

    (void)state;
    for (int round = 0; round < 20000; round++) {
        size_t         n = random_text(&x, text, 20 + next_random(&x) % 380), at = 0;
        skn_str        rest = {text, n};
        skn_think_part part;

        while (skn_think_next(&rest, &part)) {
            assert_true(part.source.n > 0);
            assert_true(part.text.p >= part.source.p);
            assert_true(part.text.p + part.text.n <= part.source.p + part.source.n);
            assert_true(part.thinking || part.text.n == part.source.n);
            memcpy(joined + at, part.source.p, part.source.n);
            at += part.source.n;
        }
        assert_int_equal(at, n);
        assert_memory_equal(joined, text, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_without_tags_is_one_part),
        cmocka_unit_test(blocks_are_split_out_in_text_order),
        cmocka_unit_test(tags_are_found_in_any_case),
        cmocka_unit_test(an_unclosed_block_goes_to_the_end),
        cmocka_unit_test(a_nested_open_tag_is_plain_text),
        cmocka_unit_test(a_close_tag_of_the_other_name_does_not_close),
        cmocka_unit_test(a_stray_close_tag_is_plain_text),
        cmocka_unit_test(something_almost_a_tag_is_plain_text),
        cmocka_unit_test(the_parts_with_their_tags_are_the_text_to_the_byte),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
