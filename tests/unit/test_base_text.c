/* Views of text, and what is UTF-8. */
#include "base/arena.h"
#include "base/clean.h"
#include "base/str.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void absent_is_not_empty(void **state)
{
    (void)state;
    assert_true(skn_str_eq(SKN_NONE, SKN_NONE));
    assert_false(skn_str_eq(SKN_NONE, SKN_STR("")));
    assert_true(skn_str_cmp(SKN_NONE, SKN_STR("")) < 0);
    assert_null(skn_str_of(NULL).p);
    assert_non_null(skein_text("").p);
    assert_true(skn_str_is(SKN_STR("ab"), "ab"));
    assert_false(skn_str_is(SKN_STR("ab"), "abc"));
}

static void order_is_by_bytes_and_a_prefix_sorts_first(void **state)
{
    (void)state;
    assert_true(skn_str_cmp(SKN_STR("a"), SKN_STR("b")) < 0);
    assert_true(skn_str_cmp(SKN_STR("ab"), SKN_STR("a")) > 0);
    assert_true(skn_str_cmp(SKN_STR("a"), SKN_STR("\xc3\xa9")) < 0);
    assert_int_equal(skn_str_cmp(SKN_STR("same"), SKN_STR("same")), 0);
}

static void ends_are_found_and_cut_off(void **state)
{
    skn_str s = SKN_STR(" \t\r\ntwo words \n");

    (void)state;
    assert_true(skn_str_is(skn_str_trim(s), "two words"));
    assert_true(skn_str_is(skn_str_trim(SKN_STR(" \n ")), ""));
    assert_true(skn_str_starts(SKN_STR("abc"), SKN_STR("ab")));
    assert_false(skn_str_starts(SKN_STR("a"), SKN_STR("ab")));
    assert_true(skn_str_ends(SKN_STR("abc"), SKN_STR("bc")));
    assert_false(skn_str_ends(SKN_STR("abc"), SKN_STR("ab")));
    assert_true(skn_str_ends(SKN_NONE, SKN_STR("")));
    assert_true(skn_str_is(skn_str_sub(SKN_STR("abcdef"), 2, 4), "cd"));
    assert_true(skn_str_is(skn_str_sub(SKN_STR("abc"), 2, 99), "c"));
    assert_true(skn_str_is(skn_str_sub(SKN_STR("abc"), 9, 2), ""));
}

static void a_needle_is_found_where_it_begins(void **state)
{
    (void)state;
    assert_int_equal(skn_str_find(SKN_STR("aaab"), SKN_STR("ab")), 2);
    assert_int_equal(skn_str_find(SKN_STR("aaab"), SKN_STR("ba")), -1);
    assert_int_equal(skn_str_find(SKN_STR("a"), SKN_STR("aa")), -1);
    assert_int_equal(skn_str_find(SKN_STR("a"), SKN_STR("")), 0);
}

static void splitting_gives_every_piece_and_none_after_the_last_separator(void **state)
{
    skn_str           rest = SKN_STR("a,,bc,"), piece = SKN_NONE;
    const char *const want[] = {"a", "", "bc"};

    (void)state;
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(skn_str_split(&rest, ',', &piece));
        assert_true(skn_str_is(piece, want[i]));
    }
    assert_false(skn_str_split(&rest, ',', &piece));
    rest = SKN_NONE;
    assert_false(skn_str_split(&rest, ',', &piece));
}

static void whole_numbers_are_read_up_to_both_ends_of_the_range(void **state)
{
    const char *const bad[] = {"",   "-",   "+1",  " 1",
                               "1 ", "1.0", "0x1", "9223372036854775808",
                               "a",  "--1", "1-",  "-9223372036854775809",
                               "/",  ":",   "1e3", "99999999999999999999999999"};
    int64_t           v = 0;

    (void)state;
    assert_true(skn_str_int(SKN_STR("9223372036854775807"), &v) && v == INT64_MAX);
    assert_true(skn_str_int(SKN_STR("-9223372036854775808"), &v) && v == INT64_MIN);
    assert_true(skn_str_int(SKN_STR("-0"), &v) && v == 0);
    assert_true(skn_str_int(SKN_STR("-42"), &v) && v == -42);
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_false(skn_str_int(skn_str_of(bad[i]), &v));
    assert_int_equal(v, -42);
}

/* Unicode, table 3-7, row by row, with U+0000 left out. */
static size_t slow_length(const unsigned char *p, size_t n)
{
    static const unsigned char rows[][8] = {
        {0x01, 0x7f},
        {0xc2, 0xdf, 0x80, 0xbf},
        {0xe0, 0xe0, 0xa0, 0xbf, 0x80, 0xbf},
        {0xe1, 0xec, 0x80, 0xbf, 0x80, 0xbf},
        {0xed, 0xed, 0x80, 0x9f, 0x80, 0xbf},
        {0xee, 0xef, 0x80, 0xbf, 0x80, 0xbf},
        {0xf0, 0xf0, 0x90, 0xbf, 0x80, 0xbf, 0x80, 0xbf},
        {0xf1, 0xf3, 0x80, 0xbf, 0x80, 0xbf, 0x80, 0xbf},
        {0xf4, 0xf4, 0x80, 0x8f, 0x80, 0xbf, 0x80, 0xbf},
    };

    for (size_t row = 0; row < COUNT(rows); row++) {
        size_t i = 0;

        while (i < 4 && rows[row][2 * i] && i < n && p[i] >= rows[row][2 * i] &&
               p[i] <= rows[row][2 * i + 1])
            i++;
        if (i == 4 || (i > 0 && !rows[row][2 * i]))
            return i;
    }
    return 0;
}

static bool slow_valid(const unsigned char *p, size_t n, size_t *bad)
{
    size_t i = 0, len;

    for (; i < n; i += len) {
        len = slow_length(p + i, n - i);
        if (len == 0) {
            *bad = i;
            return false;
        }
    }
    return true;
}

static void compare(const unsigned char *p, size_t n)
{
    size_t bad = 99, slow_bad = 99;
    bool   valid = skn_utf8_valid((skn_str){(const char *)p, n}, &bad);

    if (valid != slow_valid(p, n, &slow_bad) || bad != slow_bad)
        fail_msg("%02x %02x %02x %02x, %zu bytes", p[0], p[1], p[2], p[3], n);
}

static void every_start_of_a_character_is_judged_as_the_table_says(void **state)
{
    static const unsigned char edge[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                         0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xff};
    unsigned char              p[4] = {0};

    (void)state;
    for (unsigned lead = 0; lead < 256; lead++)
        for (size_t i = 0; i < COUNT(edge) * COUNT(edge) * COUNT(edge); i++) {
            p[0] = (unsigned char)lead;
            p[1] = edge[i % COUNT(edge)];
            p[2] = edge[i / COUNT(edge) % COUNT(edge)];
            p[3] = edge[i / COUNT(edge) / COUNT(edge)];
            for (size_t n = 1; n <= 4; n++)
                compare(p, n);
        }
}

static void every_scalar_value_is_written_as_valid_text(void **state)
{
    char   out[4];
    size_t n, bad = 0;

    (void)state;
    for (uint32_t c = 1; c <= 0x10ffff; c++) {
        n = skn_utf8_put(c, out);
        if (skn_utf8_valid((skn_str){out, n}, &bad) != (c < 0xd800 || c > 0xdfff))
            fail_msg("U+%04X", (unsigned)c);
        if (slow_length((const unsigned char *)out, n) != n && (c < 0xd800 || c > 0xdfff))
            fail_msg("U+%04X has %zu bytes", (unsigned)c, n);
    }
    assert_int_equal(skn_utf8_put(0x20ac, out), 3);
    assert_memory_equal(out, "\xe2\x82\xac", 3);
}

/* The fast path looks at eight bytes at once: each place in them, at each alignment. */
static void a_fault_is_named_wherever_it_stands_in_long_text(void **state)
{
    static const char faults[] = {'\0', '\x80', '\xff'};
    char              text[40];
    size_t            bad;

    (void)state;
    for (size_t at = 0; at < sizeof text; at++)
        for (size_t f = 0; f < sizeof faults; f++) {
            memset(text, 'x', sizeof text);
            text[at] = faults[f];
            bad = 99;
            assert_false(skn_utf8_valid((skn_str){text, sizeof text}, &bad));
            assert_int_equal(bad, at);
            bad = 99;
            assert_true(skn_utf8_valid((skn_str){text, at}, &bad));
            assert_int_equal(bad, 99);
        }
}

static void the_check_names_the_thing_and_the_byte(void **state)
{
    skein_error err = {0};

    (void)state;
    assert_int_equal(skn_utf8_check(SKN_STR("d\xc3\xa9j\xc3\xa0"), "title", &err), SKEIN_OK);
    assert_int_equal(skn_utf8_check(SKN_STR("ab\xff"), "title", &err), SKEIN_INVALID);
    assert_string_equal(err.message, "title is not UTF-8: byte 0xff at offset 2");
    assert_int_equal(skn_utf8_check(SKN_STR("a\0b"), "title", &err), SKEIN_INVALID);
    assert_string_equal(err.message, "title contains U+0000 at byte 1");
    assert_int_equal(skn_utf8_check(SKN_STR("\xed\xa0\x80"), "title", NULL), SKEIN_INVALID);
}

static void a_cut_never_breaks_a_character(void **state)
{
    skn_str s = SKN_STR("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"); /* 1, 2, 3, 4 and 1 bytes */
    size_t  want[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};

    (void)state;
    for (size_t max = 0; max < COUNT(want); max++)
        assert_int_equal(skn_utf8_cut(s, max).n, want[max]);
    assert_int_equal(skn_utf8_cut(SKN_STR("\x80\x80\x80\x80\x80\x80\x80"), 5).n, 5);
}

static void columns_count_characters_but_not_combining_ones(void **state)
{
    (void)state;
    assert_int_equal(skn_utf8_columns(SKN_STR("abc")), 3);
    assert_int_equal(skn_utf8_columns(SKN_STR("d\xc3\xa9j\xc3\xa0")), 4);
    assert_int_equal(skn_utf8_columns(SKN_STR("e\xcc\x81")), 1); /* e and U+0301 */
    assert_int_equal(skn_utf8_columns(SKN_STR("\xe2\x82\xac\xef\xb8\x8f!")), 2); /* U+FE0F */
    assert_int_equal(skn_utf8_columns(SKN_STR("\xe6\xbc\xa2\xe5\xad\x97")),
                     4);                                                 /* two of East Asia */
    assert_int_equal(skn_utf8_columns(SKN_STR("\xf0\x9f\x9a\x80!")), 3); /* a rocket */
    assert_int_equal(skn_utf8_columns(SKN_NONE), 0);
}

/* As UTF-8, from numbers: what cannot be seen cannot be read in a test either. */
static skn_str spell(skn_arena *a, const uint32_t *c)
{
    char  *out = skn_arena_alloc(a, 64);
    size_t n = 0;

    for (; *c; c++)
        n += skn_utf8_put(*c, out + n);
    return (skn_str){out, n};
}

typedef struct shown_case {
    uint32_t    text[12];
    const char *shown;   /* in a text; NULL: as it is */
    const char *consent; /* NULL: as in a text */
} shown_case;

static const shown_case shown_cases[] = {
    {{'a', 0x1b, 'b', 0x9b, 0x7f},
     "a\xe2\x90\x9b"
     "b\xef\xbf\xbd\xef\xbf\xbd",
     NULL},
    {{'a', 0x200b, 'b', 0xad}, "a<U+200B>b<U+00AD>", NULL},
    {{0x202e, 'x', 0x202c, 0x2066}, "<U+202E>x<U+202C><U+2066>", NULL},
    {{0x2060, 0x2064, 0x206f, 0xfeff}, "<U+2060><U+2064><U+206F><U+FEFF>", NULL},
    {{'a', 0x2028, 0x3164}, "a<U+2028><U+3164>", NULL},
    {{'h', 0xe0041, 0xe0001}, "h<U+E0041><U+E0001>", NULL},
    /* Marks, joiners and lines of scripts that have them. */
    {{0x5d0, 0x200f, '!', 0x200e, 0x61c}, NULL, "\xd7\x90<U+200F>!<U+200E><U+061C>"},
    {{0x645, 0x200c, 0x647}, NULL, NULL},
    {{'a', 0x200d, 'b', 0x200c}, NULL, "a<U+200D>b<U+200C>"},
    {{0x1780, 0x200b, 0x1781}, NULL, "\xe1\x9e\x80<U+200B>\xe1\x9e\x81"},
    {{0x1780, 0x200b, 0x200b},
     "\xe1\x9e\x80\xe2\x80\x8b<U+200B>",
     "\xe1\x9e\x80<U+200B><U+200B>"},
    /* Pictures: a heart on fire, a key, a flag; and what is none. */
    {{0x2764, 0xfe0f, 0x200d, 0x1f525}, NULL, NULL},
    {{'1', 0xfe0f, 0x20e3}, NULL, NULL},
    {{0x2764, 0xfe0f, 0xfe0f, 0xe0100}, "\xe2\x9d\xa4\xef\xb8\x8f<U+FE0F><U+E0100>", NULL},
    {{'a', 0xfe0f}, NULL, "a<U+FE0F>"},
    {{0xfe0f, 'a'}, "<U+FE0F>a", NULL},
    {{0x1f3f4, 0xe0067, 0xe0062, 0xe0065, 0xe006e, 0xe0067, 0xe007f},
     NULL,
     "\xf0\x9f\x8f\xb4<U+E0067><U+E0062><U+E0065><U+E006E><U+E0067><U+E007F>"},
    {{0x1f3f4, 0xe0067, 0xe0062, 0xe0065, '!'},
     "\xf0\x9f\x8f\xb4<U+E0067><U+E0062><U+E0065>!",
     NULL},
};

static void what_hides_or_turns_text_is_shown_by_its_number(void **state)
{
    skn_arena *a = skn_arena_new();

    (void)state;
    for (size_t i = 0; i < COUNT(shown_cases); i++) {
        const shown_case *c = &shown_cases[i];
        skn_str           text = spell(a, c->text), want, agreed;
        skn_buf           out;

        want = c->shown ? skn_str_of(c->shown) : text;
        agreed = c->consent ? skn_str_of(c->consent) : want;
        skn_buf_init(&out, 256);
        skn_clean_add(&out, text, false);
        if (!skn_str_eq(skn_buf_str(&out), want))
            fail_msg("case %zu is shown as %.*s", i, SKN_FMT(skn_buf_str(&out)));
        if (!skn_str_eq(skn_clean_consent(a, text), agreed))
            fail_msg("case %zu is agreed to as %.*s", i, SKN_FMT(skn_clean_consent(a, text)));
        skn_buf_release(&out);
    }
    skn_arena_free(a);
}

static void html_is_escaped_and_shows_what_hides(void **state)
{
    skn_buf out;

    (void)state;
    skn_buf_init(&out, 256);
    skn_clean_html(&out, SKN_STR("<a href='x'>&\"\t\n\033\xe2\x80\xae\xe2\x80\x8b\xc3\xa9"));
    assert_true(skn_str_is(skn_buf_str(&out),
                           "&lt;a href=&#39;x&#39;&gt;&amp;&quot;\t\n\xef\xbf\xbd"
                           "&lt;U+202E&gt;&lt;U+200B&gt;\xc3\xa9"));
    skn_buf_release(&out);
}

static void json_escapes_what_harms_those_who_read_it(void **state)
{
    const skn_str in = SKN_STR(
        "{\"a\":\"\xc2\x9b"
        "31m \xe2\x80\xae \xf3\xa0\x80\x81 \\u001b \xc3\xa9 \xf0\x9f\x98\x80\"}\n");
    skn_buf out;

    (void)state;
    skn_buf_init(&out, 1000);
    skn_clean_json(&out, in);
    assert_string_equal(out.p, "{\"a\":\"\\u009b31m \\u202e \\udb40\\udc01 \\u001b \xc3\xa9 "
                               "\xf0\x9f\x98\x80\"}\n");
    skn_buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_escapes_what_harms_those_who_read_it),
        cmocka_unit_test(absent_is_not_empty),
        cmocka_unit_test(order_is_by_bytes_and_a_prefix_sorts_first),
        cmocka_unit_test(ends_are_found_and_cut_off),
        cmocka_unit_test(a_needle_is_found_where_it_begins),
        cmocka_unit_test(splitting_gives_every_piece_and_none_after_the_last_separator),
        cmocka_unit_test(whole_numbers_are_read_up_to_both_ends_of_the_range),
        cmocka_unit_test(every_start_of_a_character_is_judged_as_the_table_says),
        cmocka_unit_test(every_scalar_value_is_written_as_valid_text),
        cmocka_unit_test(a_fault_is_named_wherever_it_stands_in_long_text),
        cmocka_unit_test(the_check_names_the_thing_and_the_byte),
        cmocka_unit_test(a_cut_never_breaks_a_character),
        cmocka_unit_test(columns_count_characters_but_not_combining_ones),
        cmocka_unit_test(what_hides_or_turns_text_is_shown_by_its_number),
        cmocka_unit_test(html_is_escaped_and_shows_what_hides),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
