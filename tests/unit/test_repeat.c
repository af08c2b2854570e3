#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/run.h"

#include <string.h>

/* Whether a text is stopped while it comes in pieces; and after how many bytes. */
static size_t stopped_at(skn_str text)
{
    size_t looked = 0;

    for (size_t n = 0; n < text.n; n += 97)
        if (skn_repeats(skn_str_sub(text, 0, n), &looked))
            return n;
    return skn_repeats(text, &looked) ? text.n : 0;
}

static skn_str repeated(skn_buf *b, const char *what, size_t times)
{
    skn_buf_clear(b);
    skn_buf_addf(b, "%s", "This is how it begins.\n");
    for (size_t i = 0; i < times; i++)
        skn_buf_addf(b, "%s", what);
    return skn_buf_str(b);
}

static void a_loop_is_stopped_after_ten_times(void **state)
{
    static const char *const loops[] = {
        "Let me think about it again. ",
        "All was said, and all was said again, and nothing came of what was said. ",
        "Wait, that is not right. **Let me check** the second step once more, from the "
        "begin.\n\n",
        "Je vais v\xc3\xa9rifier encore une fois la r\xc3\xa9ponse, puis je r\xc3\xa9pondrai. ",
        "\xe6\x88\x91\xe5\x86\x8d\xe6\x83\xb3\xe4\xb8\x80\xe6\x83\xb3\xe8\xbf\x99\xe4\xb8\xaa"
        "\xe9\x97\xae\xe9\xa2\x98\xe7\x9a\x84\xe7\xad\x94\xe6\xa1\x88\xe3\x80\x82",
        "I see. Let me look at it once more, from the begin: what was asked, what is known of "
        "it, "
        "and what is still to be found out, step by step, and in the order of the question. ",
    };
    skn_buf b;

    (void)state;
    skn_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        size_t n = strlen(loops[i]), at = stopped_at(repeated(&b, loops[i], 200));

        assert_true(at >= 1600 && at >= 10 * n);
        assert_true(at < 10 * (n > 160 ? n : 160) + 2300); /* it is looked at now and then */
    }
    skn_buf_release(&b);
}

/* Lists, matrices, dumps, forms and programs with lines that are the same, of all sizes that people ask for. */
static void what_is_alike_on_purpose_is_no_loop(void **state)
{
    static const char *const lines[] = {
        "0 ",
        "0, 0, 0, 0, 0, 0, 0, 0, 0, 0,\n",
        "[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],\n",
        "00000000 00000000 00000000 00000000  |................|\n",
        "ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff\n",
        "\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00",
        "| 2026-11-19 | not measured | 0 |\n",
        "|      |      |      |      |\n",
        "+------+------+------+------+\n",
        "Name: ____________  Date: ____________  Signature: ____________\n",
        "Participant's name: ________________\nAddress and city: ________________\n"
        "Telephone number: ________________\nIn case of emergency call: ________________\n\n",
        "    { \"name\": \"\", \"address\": \"\", \"quantity\": 0, \"description\": null },\n",
        "<tr><td>unknown</td><td>to be determined</td><td>by hand</td></tr>\n",
        "    nop\n",
        "    assert(queue.push(item) == true);\n",
        "\t\t<Placeholder width=\"100\" height=\"20\" background=\"transparent\" />\n",
        "- [ ] \n",
        "\xe2\x94\x80",
        "\xe2\x9c\x85 \xe2\x9c\x85 \xe2\x9d\x8c ",
        "ACGTACGTTTAGGCAT",
        "the the the the ",
        "\n",
    };
    skn_buf b;

    (void)state;
    skn_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t times = 30000 / strlen(lines[i]);

        for (size_t n = 10; n < times; n += n / 3)
            assert_int_equal(stopped_at(repeated(&b, lines[i], n)), 0);
        assert_int_equal(stopped_at(repeated(&b, lines[i], times)), 0);
        /* Without an end it is one. */
        assert_true(stopped_at(repeated(&b, lines[i], 3 * times)) >= 32768);
    }
    skn_buf_release(&b);
}

static uint32_t dice(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 16;
}

/* Rows of random columns, of which some are the same in all. */
static void tables_of_any_shape_are_no_loop(void **state)
{
    static const char *const words[] = {"0",    "0.00",    "-",       "n/a",  "none",
                                        "open", "unknown", "to do",   "ok",   "______",
                                        "true", "null",    "0x00000", "yes!", "not measured"};
    static const char *const between[] = {" | ", ", ", "\t", "; ", " = ", "</td><td>"};
    skn_buf                  b;

    (void)state;
    skn_buf_init(&b, 1 << 20);
    for (uint32_t seed = 1; seed <= 300; seed++) {
        uint32_t    s = seed;
        size_t      columns = 2 + dice(&s) % 12, fixed = dice(&s) % 3;
        const char *gap = between[dice(&s) % 6], *cells[16];
        bool        prose = gap[0] == ','; /* words and commas alone may be a sentence */

        for (size_t i = 0; i < columns; i++)
            cells[i] = words[dice(&s) % 15];
        skn_buf_clear(&b);
        for (size_t row = 0; b.n < 25000; row++) {
            if (fixed == 0 || prose)
                skn_buf_addf(&b, "%zu%s", row, gap);
            for (size_t i = 0; i < columns; i++)
                skn_buf_addf(&b, "%s%s", cells[i], i + 1 < columns ? gap : "\n");
        }
        if (stopped_at(skn_buf_str(&b)))
            fail_msg("seed %u: %.200s", seed, b.p);
    }
    skn_buf_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_stopped_after_ten_times),
        cmocka_unit_test(what_is_alike_on_purpose_is_no_loop),
        cmocka_unit_test(tables_of_any_shape_are_no_loop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
