/* The words of texts and queries, as searching sees them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>

static void words_are(const char *text, const char *list)
{
    skn_buf b;

    skn_buf_init(&b, 1 << 20);
    skn_words_list(skn_str_of(text), &b);
    assert_string_equal(b.p ? b.p : "", list);
    skn_buf_release(&b);
}

static bool finds(const char *query, const char *text)
{
    skn_arena  *a = skn_arena_new();
    skn_terms   terms;
    skein_error err;
    size_t      at;
    bool        found;

    if (skn_words_query(skn_str_of(query), a, &terms, &err))
        fail_msg("%s", err.message);
    found = skn_words_match(skn_str_of(text), &terms, &at);
    skn_arena_free(a);
    return found;
}

static skein_rc refused(const char *query)
{
    skn_arena  *a = skn_arena_new();
    skn_terms   terms;
    skein_error err;
    skein_rc    rc = skn_words_query(skn_str_of(query), a, &terms, &err);

    skn_arena_free(a);
    return rc;
}

/* --- Words ---------------------------------------------------------------------------------------- */

static void signs_stand_between_words(void **state)
{
    (void)state;
    words_are("", "");
    words_are(" ,;- ", "");
    words_are("Hello, World!", "'hello' 'world'");
    words_are("read_file(path/to.c:12)", "'read' 'file' 'path' 'to' 'c' '12'");
    words_are("it's \xe2\x80\x9cquoted\xe2\x80\x9d\xe2\x80\x94so", "'it' 's' 'quoted' 'so'");
    words_are("a\xc2\xa0z\xe3\x80\x80y", "'a' 'z' 'y'");
}

static void capitals_of_many_scripts_become_small(void **state)
{
    (void)state;
    words_are("\xc3\x84RGER \xc3\x96\xc3\x9c", "'\xc3\xa4rger' '\xc3\xb6\xc3\xbc'");
    words_are("\xc5\x81\xc3\x93\x44\xc5\xb9", "'\xc5\x82\xc3\xb3\x64\xc5\xba'");
    words_are("\xce\x91\xce\x98\xce\x97\xce\x9d\xce\x91",
              "'\xce\xb1\xce\xb8\xce\xb7\xce\xbd\xce\xb1'");
    words_are("\xd0\x9c\xd0\x9e\xd0\xa1\xd0\x9a", "'\xd0\xbc\xd0\xbe\xd1\x81\xd0\xba'");
    words_are("STRA\xe1\xba\x9e\x45", "'stra\xc3\x9f\x65'");
}

/* Scripts without blanks: each character is a word, and a query of several looks for neighbours. */
static void han_and_kana_are_words_of_one_character(void **state)
{
    (void)state;
    words_are("\xe6\x9d\xb1\xe4\xba\xac\xe3\x80\x82", "'\xe6\x9d\xb1' '\xe4\xba\xac'");
    words_are("ok\xf0\x9f\x91\x8d", "'ok' '\xf0\x9f\x91\x8d'");
    assert_true(finds("\xe4\xba\xac\xe9\x83\xbd", "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd"));
    assert_false(finds("\xe6\x9d\xb1\xe9\x83\xbd", "\xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd"));
}

static void damaged_text_is_walked_without_harm(void **state)
{
    (void)state;
    words_are("a\xff\x62 \xc3", "'a' 'b'");
    words_are("x\xe2\x80", "'x'");
    words_are("\x80\xbf\xc0\xaf", "");
}

static void a_long_word_counts_by_its_beginning(void **state)
{
    char long_word[1001], other[1001];

    (void)state;
    memset(long_word, 'a', 1000);
    long_word[1000] = '\0';
    memcpy(other, long_word, sizeof other);
    other[500] = 'b';
    assert_true(finds(long_word, other));
    other[50] = 'b';
    assert_false(finds(long_word, other));
    /* Cut between characters: 64 of two bytes. */
    for (int i = 0; i < 1000; i += 2)
        memcpy(long_word + i, "\xc3\xa4", 2);
    assert_true(finds(long_word, long_word));
}

static void only_the_beginning_of_a_long_text_counts(void **state)
{
    size_t n = SKN_WORDS_TEXT + 100;
    char  *text = malloc(n + 1);

    (void)state;
    memset(text, ' ', n);
    text[n] = '\0';
    memcpy(text + SKN_WORDS_TEXT - 10, "before", 6);
    memcpy(text + SKN_WORDS_TEXT + 10, "beyond", 6);
    assert_true(finds("before", text));
    assert_false(finds("beyond", text));
    free(text);
}

/* --- Queries ---------------------------------------------------------------------------------------- */

static void all_words_must_be_there(void **state)
{
    (void)state;
    assert_true(finds("release plan", "The PLAN of the Release"));
    assert_false(finds("release plan", "The planning of the release"));
    assert_false(finds("plan", "plans"));
}

static void a_phrase_keeps_words_together_and_in_order(void **state)
{
    (void)state;
    assert_true(finds("\"until noon\"", "The freeze lasts until\n noon."));
    assert_false(finds("\"until noon\"", "noon, until"));
    assert_false(finds("\"until noon\"", "until Friday noon"));
    assert_true(finds("\"a b", "x a b"));          /* never closed */
    assert_true(finds("\"a b\"\"b c\"", "a b c")); /* two of them */
    assert_true(finds("\"b a b\"", "a b b a b"));
}

static void what_is_written_together_is_looked_for_together(void **state)
{
    (void)state;
    assert_true(finds("read_file", "call read_file now"));
    assert_true(finds("read_file", "read-file"));
    assert_false(finds("read_file", "a file to read"));
    assert_true(finds("it's", "it\xe2\x80\x99s"));
}

static void a_star_stands_for_any_ending(void **state)
{
    (void)state;
    assert_true(finds("pla*", "planning"));
    assert_false(finds("pla*", "replay"));
    assert_true(finds("\"the pla\"*", "see the plan"));
    assert_false(finds("\"the pla\"*", "the other plan"));
    assert_true(finds("read_fi*", "read_file"));
    assert_true(finds("\xc3\xa4r*", "\xc3\x84rger"));
}

static void a_query_without_words_is_refused(void **state)
{
    (void)state;
    assert_int_equal(refused(""), SKEIN_INVALID);
    assert_int_equal(refused("  \t"), SKEIN_INVALID);
    assert_int_equal(refused("\"\" * -"), SKEIN_INVALID);
    assert_int_equal(refused("a\xff"), SKEIN_INVALID);
}

static void an_endless_query_is_refused(void **state)
{
    char query[SKN_QUERY_BYTES + 2];

    (void)state;
    memset(query, ' ', sizeof query);
    for (int i = 0; i < SKN_QUERY_WORDS; i++)
        query[2 * i] = 'a';
    query[2 * SKN_QUERY_WORDS] = '\0';
    assert_int_equal(refused(query), SKEIN_OK);
    assert_true(finds(query, "a"));
    query[2 * SKN_QUERY_WORDS] = 'a';
    query[2 * SKN_QUERY_WORDS + 1] = '\0';
    assert_int_equal(refused(query), SKEIN_LIMIT);
    memset(query, 'a', sizeof query - 1);
    query[sizeof query - 1] = '\0';
    assert_int_equal(refused(query), SKEIN_LIMIT);
}

/* --- Snippets ----------------------------------------------------------------------------------------- */

static void snippet_is(const char *text, const char *query, size_t width, const char *expected)
{
    skn_arena  *a = skn_arena_new();
    skn_terms   terms;
    skein_error err;
    size_t      at;

    assert_int_equal(skn_words_query(skn_str_of(query), a, &terms, &err), SKEIN_OK);
    assert_true(skn_words_match(skn_str_of(text), &terms, &at));
    assert_string_equal(skn_words_snippet(skn_str_of(text), at, width, a).p, expected);
    skn_arena_free(a);
}

static void a_snippet_shows_the_first_match_on_one_line(void **state)
{
    (void)state;
    snippet_is("short", "short", 80, "short");
    snippet_is("one\n  two\tthree", "two", 80, "one two three");
    snippet_is("zero one two three four five six seven eight nine ten", "six", 20,
               "\xe2\x80\xa6"
               "five six seven eight\xe2\x80\xa6");
    snippet_is("six and six", "six", 4, "six\xe2\x80\xa6");
}

static void a_snippet_breaks_no_character(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_buf    text;

    (void)state;
    skn_buf_init(&text, 1 << 20);
    for (int i = 0; i < 200; i++)
        skn_buf_add(&text, SKN_STR("\xc3\xa4\xe6\x9d\xb1\xf0\x9f\x91\x8d"));
    for (size_t at = 0; at < text.n; at++) {
        skn_str s;

        if (((unsigned char)text.p[at] & 0xc0) == 0x80)
            continue;
        s = skn_words_snippet(skn_buf_str(&text), at, 20, a);
        assert_true(skn_utf8_valid(s, NULL));
        assert_true(s.n <= 20 * 4 + 6);
    }
    skn_buf_release(&text);
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_stand_between_words),
        cmocka_unit_test(capitals_of_many_scripts_become_small),
        cmocka_unit_test(han_and_kana_are_words_of_one_character),
        cmocka_unit_test(damaged_text_is_walked_without_harm),
        cmocka_unit_test(a_long_word_counts_by_its_beginning),
        cmocka_unit_test(only_the_beginning_of_a_long_text_counts),
        cmocka_unit_test(all_words_must_be_there),
        cmocka_unit_test(a_phrase_keeps_words_together_and_in_order),
        cmocka_unit_test(what_is_written_together_is_looked_for_together),
        cmocka_unit_test(a_star_stands_for_any_ending),
        cmocka_unit_test(a_query_without_words_is_refused),
        cmocka_unit_test(an_endless_query_is_refused),
        cmocka_unit_test(a_snippet_shows_the_first_match_on_one_line),
        cmocka_unit_test(a_snippet_breaks_no_character),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
