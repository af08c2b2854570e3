/* Names, and whom a text speaks to. */
#include "base/buf.h"
#include "engine/work/mention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const skn_str team[] = {
    {"ada", 3}, {"bo", 2}, {"bo-2", 4}, {"lead_x", 6}, {"7", 1}, {"not a name", 10},
};

static void expect_mentions(const char *text, const char *want)
{
    skn_arena *a = skn_arena_new();
    skn_buf    got;
    size_t    *found, n = skn_mentions(skn_str_of(text), team, COUNT(team), a, &found);

    skn_buf_init(&got, 1000);
    skn_buf_add(&got, SKN_STR(""));
    for (size_t i = 0; i < n; i++)
        skn_buf_addf(&got, "%s%.*s", i ? " " : "", SKN_FMT(team[found[i]]));
    if (!skn_str_is(skn_buf_str(&got), want))
        fail_msg("\"%s\" gave \"%.*s\", not \"%s\"", text, SKN_FMT(skn_buf_str(&got)), want);
    skn_buf_release(&got);
    skn_arena_free(a);
}

static void a_mention_counts_at_the_start_of_a_line(void **state)
{
    (void)state;
    expect_mentions("@ada hi", "ada");
    expect_mentions("  \t@ada hi", "ada");
    expect_mentions("hi @ada", "");
    expect_mentions("hi\n@bo\nand\r\n @ada", "bo ada");
    expect_mentions("hi\r@bo", "bo");
    expect_mentions("(@ada)", "");
    expect_mentions("", "");
    expect_mentions("@", "");
    expect_mentions("\n\n@", "");
}

static void several_in_a_row_all_count(void **state)
{
    (void)state;
    expect_mentions("@bo @ada look", "bo ada");
    expect_mentions("@bo, @ada: look", "bo ada");
    expect_mentions("@bo,@ada:@7 look", "bo ada 7");
    expect_mentions("@bo and @ada", "bo");
    expect_mentions("@bo@ada", "");
    expect_mentions("@ada,, @bo", "ada");
}

static void only_the_whole_name_of_a_known_agent_counts(void **state)
{
    (void)state;
    expect_mentions("@adam hi", "");
    expect_mentions("@ad hi", "");
    expect_mentions("@bo-2 hi", "bo-2");
    expect_mentions("@bo-3 hi", "");
    expect_mentions("@bo- hi", "");
    expect_mentions("@ada.org", "");
    expect_mentions("@ada\xc3\xa9", "");
    expect_mentions("@@ada", "");
    expect_mentions("@ ada", "");
    expect_mentions("@eve @ada", "");
    expect_mentions("@not a name", "");
}

static void case_does_not_matter_and_nobody_counts_twice(void **state)
{
    (void)state;
    expect_mentions("@ADA @Lead_X hi", "ada lead_x");
    expect_mentions("@ada @bo\n@Ada @bo @7", "ada bo 7");
}

static void a_name_of_every_length_is_read_to_its_end(void **state)
{
    char       text[80] = "@";
    skn_arena *a = skn_arena_new();
    size_t    *found;

    (void)state;
    for (size_t n = 1; n <= 66; n++) {
        skn_str name = {text + 1, n};

        text[n] = 'a';
        assert_int_equal(skn_mentions((skn_str){text, n + 1}, &name, 1, a, &found), n <= 64);
        name.n = 64;
        assert_int_equal(skn_mentions((skn_str){text, n + 1}, &name, 1, a, &found), n == 64);
    }
    skn_arena_free(a);
}

static void names_are_lower_cased_and_checked(void **state)
{
    static const char *const bad[] = {"", "-a", "_a", "a b", "a.b", "\xc3\xa9", "a\n", "@a"};
    skn_arena               *a = skn_arena_new();
    skn_str                  out;
    skein_error              err;

    (void)state;
    assert_int_equal(skn_name_normal(SKN_STR("Ada-7_X"), a, &out, &err), SKEIN_OK);
    assert_true(skn_str_is(out, "ada-7_x"));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_int_equal(skn_name_normal(skn_str_of(bad[i]), a, &out, &err), SKEIN_INVALID);
        assert_null(out.p);
        assert_int_not_equal(err.hint[0], '\0');
    }
    assert_int_equal(skn_name_normal(SKN_STR("a b"), a, &out, &err), SKEIN_INVALID);
    assert_string_equal(err.message,
                        "the name \"a b\" has a character that names may not have");
    skn_arena_free(a);
}

static void a_name_may_have_64_characters_and_no_more(void **state)
{
    char       name[66];
    skn_arena *a = skn_arena_new();
    skn_str    out;

    (void)state;
    memset(name, 'a', sizeof name);
    assert_int_equal(skn_name_normal((skn_str){name, 64}, a, &out, NULL), SKEIN_OK);
    assert_int_equal(skn_name_normal((skn_str){name, 65}, a, &out, NULL), SKEIN_INVALID);
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mention_counts_at_the_start_of_a_line),
        cmocka_unit_test(several_in_a_row_all_count),
        cmocka_unit_test(only_the_whole_name_of_a_known_agent_counts),
        cmocka_unit_test(case_does_not_matter_and_nobody_counts_twice),
        cmocka_unit_test(a_name_of_every_length_is_read_to_its_end),
        cmocka_unit_test(names_are_lower_cased_and_checked),
        cmocka_unit_test(a_name_may_have_64_characters_and_no_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
