/* Names of messages as people type them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/read/reference.h"

#include <string.h>

static skn_reference parsed(const char *text)
{
    skn_reference r;
    skein_error   err;

    if (skn_reference_parse(skn_str_of(text), &r, &err))
        fail_msg("%s", err.message);
    return r;
}

static void refused(skn_str text, const char *says)
{
    skn_reference r;
    skein_error   err;

    assert_int_equal(skn_reference_parse(text, &r, &err), SKEIN_INVALID);
    if (!strstr(err.message, says))
        fail_msg("\"%s\" does not say \"%s\"", err.message, says);
}

static void an_at_is_the_latest_message(void **state)
{
    skn_reference r = parsed("@");

    (void)state;
    assert_null(r.id.p);
    assert_int_equal(r.back, 0);
    assert_int_equal(r.up, 0);
}

static void a_tilde_counts_back_from_the_latest(void **state)
{
    (void)state;
    assert_int_equal(parsed("@~0").back, 0);
    assert_int_equal(parsed("@~2").back, 2);
    assert_true(parsed("@~9223372036854775807").back == INT64_MAX);
}

static void an_id_or_the_beginning_of_one_is_taken_as_it_is(void **state)
{
    (void)state;
    assert_true(skn_str_is(parsed("a1b2c3d4e5").id, "a1b2c3d4e5"));
    assert_true(skn_str_is(parsed("Zq_9").id, "Zq_9"));
    assert_int_equal(parsed("a1b2c3d4e5").up, 0);
}

static void carets_go_up_from_any_form(void **state)
{
    skn_reference r = parsed("a1b2^^");

    (void)state;
    assert_true(skn_str_is(r.id, "a1b2"));
    assert_int_equal(r.up, 2);
    r = parsed("@~3^");
    assert_int_equal(r.back, 3);
    assert_int_equal(r.up, 1);
}

static void what_has_no_known_form_is_refused(void **state)
{
    static const char *const wrong[] = {"",    "^",   "@~",  "@~-1", "@~+1",
                                        "@~x", "a^b", "a b", "@a b", "@~9223372036854775808"};

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        refused(skn_str_of(wrong[i]), "does not name a message");
    refused((skn_str){"a\0b", 3}, "does not name a message");
}

static void nobody_goes_up_further_than_replies_can_reach(void **state)
{
    char text[SKN_UP_MAX + 3] = "@";

    (void)state;
    memset(text + 1, '^', SKN_UP_MAX);
    assert_int_equal(parsed(text).up, SKN_UP_MAX);
    text[SKN_UP_MAX + 1] = '^';
    refused(skn_str_of(text), "goes up more than 99");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_at_is_the_latest_message),
        cmocka_unit_test(a_tilde_counts_back_from_the_latest),
        cmocka_unit_test(an_id_or_the_beginning_of_one_is_taken_as_it_is),
        cmocka_unit_test(carets_go_up_from_any_form),
        cmocka_unit_test(what_has_no_known_form_is_refused),
        cmocka_unit_test(nobody_goes_up_further_than_replies_can_reach),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
