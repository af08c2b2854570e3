/* Memory of a request, growing bytes, the map in it, and errors as values. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
    skn_arena     *a = skn_arena_new();
    unsigned char *piece[600];

    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 600; i++) {
            piece[i] = skn_arena_alloc(a, i * 7);
            assert_int_equal((uintptr_t)piece[i] % _Alignof(max_align_t), 0);
            for (size_t k = 0; k < i * 7; k++)
                assert_int_equal(piece[i][k], 0);
            memset(piece[i], (int)(i % 255 + 1), i * 7);
        }
        for (size_t i = 1; i < 600; i++) {
            assert_int_equal(piece[i][0], i % 255 + 1);
            assert_int_equal(piece[i][i * 7 - 1], i % 255 + 1);
        }
        skn_arena_reset(a); /* the next round must find zeroes again */
    }
    skn_arena_free(a);
    skn_arena_free(NULL);
}

static void a_piece_may_be_larger_than_any_block(void **state)
{
    skein_mem *mem = skein_mem_new();
    char      *big = skn_arena_array(mem, 3, 1024 * 1024), *small = skn_arena_alloc(mem, 1);

    (void)state;
    big[3 * 1024 * 1024 - 1] = 1;
    *small = 2;
    assert_int_equal(big[3 * 1024 * 1024 - 1], 1);
    skein_mem_reset(mem);
    assert_non_null(skn_arena_alloc(mem, 0));
    skein_mem_free(mem);
}

static void who_takes_too_much_beside_others_has_to_end(void **state)
{
    const size_t large = (size_t)10 * 1024 * 1024;
    skn_share    share = {.most = 3 * large / 2};
    skn_arena   *one = skn_arena_new(), *other = skn_arena_new(), *little = skn_arena_new();

    (void)state;
    skn_arena_shares(one, &share);
    skn_arena_shares(other, &share);
    skn_arena_shares(little, &share);
    assert_non_null(skn_arena_alloc(one, 2 * large));
    assert_false(skn_arena_crowded(one)); /* alone */
    assert_non_null(skn_arena_alloc(little, 1000));
    skn_arena_counts(other, large);
    assert_false(skn_arena_crowded(little));
    assert_true(skn_arena_crowded(other));
    skn_arena_free(little);
    assert_false(skn_arena_crowded(one)); /* alone again */
    skn_arena_free(one);
    skn_arena_free(other);
    assert_int_equal(share.taken, 0);
}

static void copies_end_in_nul_and_absent_stays_absent(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_str    copy = skn_arena_copy(a, (skn_str){"abcdef", 3});
    char      *heap = skn_heap_copy((skn_str){"abcdef", 2});

    (void)state;
    assert_string_equal(copy.p, "abc");
    assert_int_equal(copy.n, 3);
    assert_null(skn_arena_copy(a, SKN_NONE).p);
    assert_string_equal(skn_arena_copy(a, SKN_STR("")).p, "");
    assert_string_equal(skn_arena_printf(a, "%d-%s", 7, "x").p, "7-x");
    assert_string_equal(heap, "ab");
    free(heap);
    skn_arena_free(a);
}

static void a_vector_keeps_its_items_while_it_grows(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_vec(int) v = {0};

    (void)state;
    for (int i = 0; i < 10000; i++)
        skn_vec_add(a, &v, i);
    assert_int_equal(v.n, 10000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(v.p[i], i);
    skn_arena_free(a);
}

static void a_buffer_keeps_what_fits_and_remembers_the_rest(void **state)
{
    skn_buf b;

    (void)state;
    skn_buf_init(&b, 10);
    assert_string_equal(skn_buf_str(&b).p, "");
    skn_buf_add(&b, SKN_STR("12345"));
    skn_buf_addf(&b, "%s", "67890");
    assert_false(b.over);
    assert_string_equal(b.p, "1234567890");
    skn_buf_addc(&b, 'x');
    assert_true(b.over);
    assert_int_equal(b.n, 10);
    skn_buf_clear(&b);
    skn_buf_add(&b, SKN_STR("1234567"));
    skn_buf_addf(&b, "%d", 12345);
    skn_buf_add(&b, SKN_STR("late"));
    assert_true(b.over);
    assert_string_equal(b.p, "1234567123");
    skn_buf_release(&b);
    skn_buf_fill(&b, '-', 11);
    assert_true(b.over);
    assert_string_equal(b.p, "----------");
    skn_buf_release(&b);
}

static void a_buffer_of_no_bytes_holds_none(void **state)
{
    skn_buf b;

    (void)state;
    skn_buf_init(&b, 0);
    skn_buf_add(&b, SKN_STR(""));
    skn_buf_addf(&b, "%s", "");
    assert_false(b.over);
    skn_buf_addf(&b, "%s", "x");
    assert_true(b.over);
    assert_int_equal(skn_buf_str(&b).n, 0);
    skn_buf_release(&b);
}

static void detached_bytes_are_the_callers(void **state)
{
    skn_buf b;
    char   *p;

    (void)state;
    skn_buf_init(&b, SIZE_MAX);
    for (int i = 0; i < 1000; i++)
        skn_buf_addf(&b, "%03d,", i);
    p = skn_buf_detach(&b);
    assert_int_equal(strlen(p), 4000);
    assert_memory_equal(p + 3996, "999,", 5);
    free(p);
    p = skn_buf_detach(&b);
    assert_string_equal(p, "");
    free(p);
}

static void a_map_finds_each_key_again_and_no_other(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_map   *m = skn_map_new(a);
    int        values[5000];
    void     **early = skn_map_slot(m, SKN_STR("early"));
    char       key[16];

    (void)state;
    *early = values;
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        assert_null(*skn_map_slot(m, skn_str_of(key)));
        *skn_map_slot(m, skn_str_of(key)) = &values[i];
        *skn_map_slot_int(m, i - 2500) = &values[4999 - i];
    }
    assert_int_equal(skn_map_count(m), 10001);
    for (int i = 0; i < 5000; i++) {
        snprintf(key, sizeof key, "key %d", i);
        assert_ptr_equal(skn_map_get(m, skn_str_of(key)), &values[i]);
        assert_ptr_equal(skn_map_get_int(m, i - 2500), &values[4999 - i]);
    }
    assert_ptr_equal(skn_map_slot(m, SKN_STR("early")), early);
    assert_null(skn_map_get(m, SKN_STR("key 5000")));
    assert_null(skn_map_get(m, SKN_STR("")));
    assert_null(skn_map_get_int(m, 2500));
    skn_arena_free(a);
}

static void a_number_is_not_the_text_of_the_same_bytes(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_map   *m = skn_map_new(a);
    int64_t    number = 0;
    char       bytes[sizeof number] = {0};

    (void)state;
    *skn_map_slot_int(m, number) = m;
    assert_null(skn_map_get(m, (skn_str){bytes, sizeof bytes}));
    *skn_map_slot(m, (skn_str){bytes, sizeof bytes}) = a;
    assert_ptr_equal(skn_map_get_int(m, number), m);
    assert_int_equal(skn_map_count(m), 2);
    skn_arena_free(a);
}

static void the_hash_depends_on_every_byte_the_length_and_the_seed(void **state)
{
    char     text[24] = {0};
    uint64_t whole = skn_hash_bytes(1, (skn_str){text, sizeof text});

    (void)state;
    assert_int_not_equal(whole, skn_hash_bytes(2, (skn_str){text, sizeof text}));
    for (size_t i = 0; i < sizeof text; i++) {
        assert_int_not_equal(skn_hash_bytes(1, (skn_str){text, i}),
                             skn_hash_bytes(1, (skn_str){text, i + 1}));
        text[i] = 1;
        assert_int_not_equal(whole, skn_hash_bytes(1, (skn_str){text, sizeof text}));
        text[i] = 0;
    }
    assert_int_equal(whole, skn_hash_bytes(1, (skn_str){text, sizeof text}));
}

static void an_error_is_one_line_of_valid_text(void **state)
{
    skein_error err;

    (void)state;
    assert_int_equal(skn_fail(&err, SKEIN_INVALID, "no \"%s\"", "a\nb\x1b[2J\xff\xc2\x9b|"),
                     SKEIN_INVALID);
    assert_int_equal(err.rc, SKEIN_INVALID);
    assert_string_equal(err.message, "no \"a b [2J?  |\"");
    assert_string_equal(err.hint, "");
    assert_int_equal(skn_hint(&err, SKEIN_INVALID, "try %d", 2), SKEIN_INVALID);
    assert_string_equal(err.hint, "try 2");
    skn_fail(&err, SKEIN_IO, "%s, again", err.message);
    assert_string_equal(err.message, "no \"a b [2J?  |\", again");
    assert_string_equal(err.hint, "");
    assert_int_equal(skn_fail(NULL, SKEIN_IO, "x"), SKEIN_IO);
    assert_int_equal(skn_hint(NULL, SKEIN_IO, "x"), SKEIN_IO);
}

static void a_long_error_is_cut_between_characters(void **state)
{
    skein_error err;
    char        text[1200];

    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        memset(text, 'x', shift);
        for (size_t i = shift; i + 4 < sizeof text; i += 4)
            memcpy(text + i, "\xf0\x9f\x98\x80", 5);
        skn_fail(&err, SKEIN_LIMIT, "%s", text);
        assert_in_range(strlen(err.message), sizeof err.message - 4, sizeof err.message - 1);
        assert_memory_equal(err.message, text, strlen(err.message));
        assert_true(skn_utf8_valid(skn_str_of(err.message), NULL));
    }
}

static void every_code_has_its_name_and_statuses(void **state)
{
    (void)state;
    assert_string_equal(skein_rc_name(SKEIN_NOT_FOUND), "NOT_FOUND");
    assert_int_equal(skein_rc_http(SKEIN_NOT_FOUND), 404);
    assert_int_equal(skein_rc_exit(SKEIN_NOT_FOUND), 3);
    assert_int_equal(skein_rc_http(SKEIN_OK), 200);
    assert_int_equal(skein_rc_exit(SKEIN_OK), 0);
    assert_string_equal(skein_rc_name((skein_rc)9999), skein_rc_name(SKEIN_FAILED));
    assert_int_equal(skein_rc_http((skein_rc)9999), 500);
    assert_int_equal(skein_rc_exit((skein_rc)9999), 1);
}

/* More than any system has: what cannot be had is an error of whoever wanted it, and nobody else's. */
static void memory_that_cannot_be_had_is_told_and_not_fatal(void **state)
{
    const size_t huge = SIZE_MAX / 8;
    skn_arena   *a = skn_arena_new();
    skn_buf      b;

    (void)state;
    assert_true(skn_heap_has(1000));
    assert_false(skn_heap_has(huge));
    assert_non_null(skn_arena_try(a, 1000));
    assert_true(skn_arena_reserve(a, 1 << 20));
    assert_null(skn_arena_try(a, huge));
    assert_non_null(skn_arena_alloc(a, 1000));
    skn_arena_free(a);
    skn_buf_init(&b, SIZE_MAX / 4);
    skn_buf_add(&b, SKN_STR("before"));
    skn_buf_fill(&b, 'x', huge);
    assert_true(b.over && b.starved);
    assert_string_equal(b.p, "before");
    skn_buf_release(&b);
    skn_buf_fill(&b, 'x', huge);
    assert_true(b.over && b.starved);
    assert_string_equal(b.p, "");
    skn_buf_clear(&b);
    assert_false(b.over || b.starved);
    skn_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(a_piece_may_be_larger_than_any_block),
        cmocka_unit_test(who_takes_too_much_beside_others_has_to_end),
        cmocka_unit_test(copies_end_in_nul_and_absent_stays_absent),
        cmocka_unit_test(a_vector_keeps_its_items_while_it_grows),
        cmocka_unit_test(a_buffer_keeps_what_fits_and_remembers_the_rest),
        cmocka_unit_test(a_buffer_of_no_bytes_holds_none),
        cmocka_unit_test(detached_bytes_are_the_callers),
        cmocka_unit_test(memory_that_cannot_be_had_is_told_and_not_fatal),
        cmocka_unit_test(a_map_finds_each_key_again_and_no_other),
        cmocka_unit_test(a_number_is_not_the_text_of_the_same_bytes),
        cmocka_unit_test(the_hash_depends_on_every_byte_the_length_and_the_seed),
        cmocka_unit_test(an_error_is_one_line_of_valid_text),
        cmocka_unit_test(a_long_error_is_cut_between_characters),
        cmocka_unit_test(every_code_has_its_name_and_statuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
