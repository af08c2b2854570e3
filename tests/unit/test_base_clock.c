/* Time to text and back. */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct pair {
    const char *text;
    int64_t     micros;
} pair;

static void known_times_have_their_text(void **state)
{
    static const pair known[] = {
        {"1970-01-01T00:00:00.000Z", 0},
        {"1970-01-01T00:00:00.000Z", 999},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2000-02-29T23:59:59.999Z", INT64_C(951868799999000)},
        {"2000-03-01T00:00:00.000Z", INT64_C(951868800000000)},
        {"2026-11-15T14:02:03.004Z", INT64_C(1794751323004000)},
        {"2100-03-01T00:00:00.000Z", INT64_C(4107542400000000)},
        {"0000-01-01T00:00:00.000Z", INT64_C(-62167219200000000)},
        {"9999-12-31T23:59:59.999Z", INT64_C(253402300799999000)},
        {"0000-01-01T00:00:00.000Z", INT64_MIN},
        {"9999-12-31T23:59:59.999Z", INT64_MAX},
    };
    char out[SKN_TIME_TEXT];

    (void)state;
    for (size_t i = 0; i < COUNT(known); i++) {
        skn_str s = skn_time_format(known[i].micros, out);

        assert_string_equal(out, known[i].text);
        assert_int_equal(s.n, 24);
        assert_ptr_equal(s.p, out);
    }
}

static void all_forms_of_rfc_3339_are_read(void **state)
{
    static const pair forms[] = {
        {"1970-01-01", 0},
        {"1970-01-01T00:00:00Z", 0},
        {"1970-01-01t00:00:00z", 0},
        {"1970-01-01T00:00:00.5Z", 500000},
        {"1970-01-01T00:00:00.1234569Z", 123456},
        {"1970-01-01T01:30:00+01:30", 0},
        {"1969-12-31T20:00:00-04:00", 0},
        {"1970-01-01T00:00:00-00:00", 0},
        {"1969-12-31T23:59:59.999999Z", -1},
        {"2016-12-31T23:59:60Z", INT64_C(1483228800000000)},
        {"2017-01-01T00:59:60+01:00", INT64_C(1483228800000000)},
        {"2000-02-29", INT64_C(951782400000000)},
        {"2026-11-15T14:02:03.004Z", INT64_C(1794751323004000)},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(forms); i++) {
        int64_t v = 7;

        if (!skn_time_parse(skn_str_of(forms[i].text), &v) || v != forms[i].micros)
            fail_msg("\"%s\" gives %lld", forms[i].text, (long long)v);
    }
}

static void what_is_no_time_is_refused(void **state)
{
    static const char *const bad[] = {
        "",
        "2026",
        "2026-1-1",
        "2026-00-01",
        "2026-13-01",
        "2026-01-00",
        "2026-04-31",
        "2025-02-29",
        "1900-02-29",
        "2026-01-01 ",
        " 2026-01-01",
        "2026-01-01T",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00Z",
        "2026-01-01T00:00:00",
        "2026-01-01T24:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:61Z",
        "2026-01-01T12:00:60Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00,5Z",
        "2026-01-01T00:00:00Zx",
        "2026-01-01T00:00:00+1:00",
        "2026-01-01T00:00:00+24:00",
        "2026-01-01T00:00:00+01:60",
        "2026-01-01T00:00:00+0100",
        "-026-01-01",
        "+2026-01-01",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t v;

        if (skn_time_parse(skn_str_of(bad[i]), &v))
            fail_msg("\"%s\" was read", bad[i]);
    }
    assert_false(skn_time_parse(SKN_NONE, &(int64_t){0}));
    assert_false(skn_time_parse((skn_str){"1970-01-01\0", 11}, &(int64_t){0}));
}

static void every_day_comes_back_as_itself(void **state)
{
    char    out[SKN_TIME_TEXT], before[SKN_TIME_TEXT] = "";
    int64_t day = INT64_C(86400000000), v;

    (void)state;
    for (int64_t d = -719528; d <= 2932896; d++) { /* 0000-01-01 to 9999-12-31 */
        skn_str s = skn_time_format(d * day + 1000, out);

        if (!skn_time_parse(s, &v) || v != d * day + 1000 || strcmp(before, out) >= 0)
            fail_msg("day %lld is \"%s\"", (long long)d, out);
        memcpy(before, out, sizeof out);
    }
}

static void a_month_begins_with_its_first_day(void **state)
{
    static const struct {
        const char *at, *begin, *name;
    } cases[] = {
        {"2026-11-15T14:02:03.004Z", "2026-11-01T00:00:00.000Z", "November 2026"},
        {"2024-02-29T23:59:59.999Z", "2024-02-01T00:00:00.000Z", "February 2024"},
        {"2025-01-01T00:00:00.000Z", "2025-01-01T00:00:00.000Z", "January 2025"},
        {"1969-12-31T23:59:59.999Z", "1969-12-01T00:00:00.000Z", "December 1969"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char    text[SKN_TIME_TEXT], name[SKN_MONTH_TEXT];
        int64_t at;

        assert_true(skn_time_parse(skn_str_of(cases[i].at), &at));
        assert_true(skn_str_is(skn_time_format(skn_clock_month(at), text), cases[i].begin));
        assert_true(skn_str_is(skn_month_format(at, name), cases[i].name));
    }
}

static void the_monotonic_clock_never_steps_back(void **state)
{
    int64_t last = skn_clock_monotonic();

    (void)state;
    for (int i = 0; i < 10000; i++) {
        int64_t now = skn_clock_monotonic();

        assert_true(now >= last);
        last = now;
    }
    assert_true(skn_clock_micros() > INT64_C(1700000000000000));
}

static void a_clock_that_is_set_wrong_gives_a_time_that_a_store_can_hold(void **state)
{
    (void)state;
    assert_int_equal(skn_time_nearest(-1795200000 * INT64_C(1000000)), 1);
    assert_int_equal(skn_time_nearest(0), 1);
    assert_int_equal(skn_time_nearest(INT64_C(1700000000000000)), INT64_C(1700000000000000));
    assert_int_equal(skn_time_nearest(SKN_TIME_LAST + 1), SKN_TIME_LAST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_times_have_their_text),
        cmocka_unit_test(all_forms_of_rfc_3339_are_read),
        cmocka_unit_test(what_is_no_time_is_refused),
        cmocka_unit_test(every_day_comes_back_as_itself),
        cmocka_unit_test(a_month_begins_with_its_first_day),
        cmocka_unit_test(the_monotonic_clock_never_steps_back),
        cmocka_unit_test(a_clock_that_is_set_wrong_gives_a_time_that_a_store_can_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
