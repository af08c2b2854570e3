/* Writing JSON, and reading back what was written. */
#include "base/json.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void commas_stand_between_and_nowhere_else(void **state)
{
    skn_buf b;
    skn_jw  w;

    (void)state;
    skn_buf_init(&b, 1000);
    skn_jw_init(&w, &b);
    skn_jw_object(&w);
    skn_jw_kstr(&w, "a", SKN_STR("x"));
    skn_jw_kstr(&w, "none", SKN_NONE);
    skn_jw_key(&w, "list");
    skn_jw_array(&w);
    skn_jw_int(&w, 1);
    skn_jw_array(&w);
    skn_jw_array_end(&w);
    skn_jw_object(&w);
    skn_jw_object_end(&w);
    skn_jw_raw(&w, SKN_STR("[ 2 ]"));
    skn_jw_bool(&w, false);
    skn_jw_null(&w);
    skn_jw_array_end(&w);
    skn_jw_kint(&w, "n", -5);
    skn_jw_kbool(&w, "b", true);
    skn_jw_knull(&w, "z");
    skn_jw_ktime(&w, "at", INT64_C(1794751323004000));
    skn_jw_ktime(&w, "never", 0);
    skn_jw_key_str(&w, (skn_str){"k\"xyz", 2});
    skn_jw_str(&w, SKN_STR(""));
    skn_jw_object_end(&w);
    assert_string_equal(b.p, "{\"a\":\"x\",\"none\":null,\"list\":[1,[],{},[ 2 ],false,null],"
                             "\"n\":-5,\"b\":true,\"z\":null,"
                             "\"at\":\"2026-11-15T14:02:03.004Z\",\"never\":null,"
                             "\"k\\\"\":\"\"}");
    skn_buf_release(&b);
}

static void text_is_escaped_so_that_it_may_stand_in_a_script(void **state)
{
    skn_buf b;
    skn_jw  w;

    (void)state;
    skn_buf_init(&b, 1000);
    skn_jw_init(&w, &b);
    skn_jw_str(&w, SKN_STR("\"\\/\b\f\n\r\t\x01\x1f\x7f \xe2\x80\xa8\xe2\x80\xa9"
                           "\xe2\x80\x94\xe2\x82\xac\xc3\xa9\xf0\x9f\x98\x80"));
    assert_string_equal(b.p, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\\u007f \\u2028\\u2029"
                             "\xe2\x80\x94\xe2\x82\xac\xc3\xa9\xf0\x9f\x98\x80\"");
    skn_buf_release(&b);
}

/* The fast path looks at eight bytes at once: each place in them, and each byte of ASCII. */
static void escapes_are_found_wherever_they_stand(void **state)
{
    char    text[24], want[40];
    skn_buf b;
    skn_jw  w;

    (void)state;
    skn_buf_init(&b, 1000);
    for (size_t at = 0; at < sizeof text; at++)
        for (int c = 1; c < 0x80; c++) {
            bool escaped = c < 0x20 || c == '"' || c == '\\' || c == 0x7f;

            memset(text, 'x', sizeof text);
            text[at] = (char)c;
            snprintf(want, sizeof want, "\"%.*s%s", (int)at, text, escaped ? "\\" : "");
            skn_buf_clear(&b);
            skn_jw_init(&w, &b);
            skn_jw_str(&w, (skn_str){text, sizeof text});
            assert_memory_equal(b.p, want, strlen(want));
            assert_int_equal(b.n == sizeof text + 2, !escaped);
        }
    skn_buf_release(&b);
}

static void whole_numbers_are_written_up_to_both_ends(void **state)
{
    skn_buf b;
    skn_jw  w;

    (void)state;
    skn_buf_init(&b, 1000);
    skn_jw_init(&w, &b);
    skn_jw_array(&w);
    skn_jw_int(&w, INT64_MIN);
    skn_jw_int(&w, INT64_MAX);
    skn_jw_int(&w, 0);
    skn_jw_array_end(&w);
    assert_string_equal(b.p, "[-9223372036854775808,9223372036854775807,0]");
    skn_buf_release(&b);
}

static void expect_double(double v, const char *want)
{
    skn_buf b;
    skn_jw  w;

    skn_buf_init(&b, 100);
    skn_jw_init(&w, &b);
    skn_jw_double(&w, v);
    assert_string_equal(b.p, want);
    skn_buf_release(&b);
}

static void doubles_have_their_shortest_text(void **state)
{
    (void)state;
    expect_double(0.1, "0.1");
    expect_double(1.0 / 3, "0.3333333333333333");
    expect_double(0.1 + 0.2, "0.30000000000000004");
    expect_double(100, "100");
    expect_double(-0.0, "-0");
    expect_double(1e300, "1e+300");
    expect_double(DBL_TRUE_MIN, "5e-324");
    expect_double(DBL_MAX, "1.7976931348623157e+308");
    expect_double((double)INFINITY, "null");
    expect_double((double)NAN, "null");
}

/* Makes a locale that writes a comma, since a bare system has none. */
static void make_comma_locale(char dir[static 64])
{
    char command[256];

    snprintf(dir, 64, "%s", "/tmp/skein-locale-XXXXXX");
    assert_non_null(mkdtemp(dir));
    snprintf(command, sizeof command,
             "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", dir);
    if (system(
            command)) /* warnings about the sources count as failure, so only the use tells */
        print_message("localedef had something to say\n");
    assert_int_equal(setenv("LOCPATH", dir, 1), 0);
}

static void doubles_have_a_point_in_every_locale(void **state)
{
    char dir[64], command[128];

    (void)state;
    make_comma_locale(dir);
    assert_non_null(setlocale(LC_NUMERIC, "de_DE.UTF-8"));
    assert_string_equal(localeconv()->decimal_point, ",");
    expect_double(1234.5, "1234.5");
    setlocale(LC_NUMERIC, "C");
    snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
}

static void too_deep_nesting_is_remembered_and_closes_in_order(void **state)
{
    skn_buf b;
    skn_jw  w;

    (void)state;
    skn_buf_init(&b, 10000);
    skn_jw_init(&w, &b);
    for (int i = 0; i < 256; i++)
        skn_jw_array(&w);
    assert_false(b.over);
    for (int i = 0; i < 50; i++)
        skn_jw_array(&w);
    skn_jw_int(&w, 1);
    assert_true(b.over);
    for (int i = 0; i < 306; i++)
        skn_jw_array_end(&w);
    assert_int_equal(w.depth, 0);
    assert_int_equal(b.n, 256);
    skn_buf_release(&b);
}

/* Random documents. The same seed is drawn from twice: to write one, and to say what must be
 * read back. */

static uint64_t draw(uint64_t *rng)
{
    *rng ^= *rng << 13;
    *rng ^= *rng >> 7;
    *rng ^= *rng << 17;
    return *rng * UINT64_C(0x2545f4914f6cdd1d) >> 11;
}

static skn_str draw_text(uint64_t *rng, char out[64])
{
    static const uint32_t ends[] = {0x20, 0x7f, 0x80, 0x800, 0x2030, 0xd7ff, 0x10000, 0x10ffff};
    size_t                n = 0;

    for (uint64_t left = draw(rng) % 15; left > 0; left--) {
        uint32_t end = ends[draw(rng) % COUNT(ends)], c = 1 + (uint32_t)(draw(rng) % end);

        n += skn_utf8_put(c >= 0xd800 && c <= 0xdfff ? 0xfffd : c, out + n);
    }
    return (skn_str){out, n};
}

enum { KINDS = 7, DEEPEST = 5 };

static unsigned draw_kind(uint64_t *rng, unsigned depth)
{
    return (unsigned)(draw(rng) % (depth == DEEPEST ? KINDS - 2 : KINDS));
}

static int64_t draw_int(uint64_t *rng)
{
    uint64_t shift = draw(rng) % 12;

    return (int64_t)(draw(rng) << shift);
}

static double draw_double(uint64_t *rng)
{
    double below = (double)(1 + draw(rng) % 1000000);

    return (double)draw_int(rng) / below;
}

static void draw_key(uint64_t *rng, size_t number, char out[80])
{
    char    text[64];
    skn_str s = draw_text(rng, text);

    snprintf(out, 80, "%zu %.*s", number, SKN_FMT(s)); /* the number keeps keys apart */
}

static void write_random(uint64_t *rng, skn_jw *w, unsigned depth);

static void write_children(uint64_t *rng, skn_jw *w, unsigned depth, bool keys)
{
    char   key[80];
    size_t count = draw(rng) % (depth ? 4 : 30);

    for (size_t i = 0; i < count; i++) {
        if (keys) {
            draw_key(rng, i, key);
            skn_jw_key(w, key);
        }
        write_random(rng, w, depth + 1);
    }
}

static void write_random(uint64_t *rng, skn_jw *w, unsigned depth)
{
    char text[64];

    switch (draw_kind(rng, depth)) {
    case 0:
        skn_jw_null(w);
        break;
    case 1:
        skn_jw_bool(w, draw(rng) % 2);
        break;
    case 2:
        skn_jw_int(w, draw_int(rng));
        break;
    case 3:
        skn_jw_double(w, draw_double(rng));
        break;
    case 4:
        skn_jw_str(w, draw_text(rng, text));
        break;
    case 5:
        skn_jw_array(w);
        write_children(rng, w, depth, false);
        skn_jw_array_end(w);
        break;
    default:
        skn_jw_object(w);
        write_children(rng, w, depth, true);
        skn_jw_object_end(w);
    }
}

static void expect_random(uint64_t *rng, const skn_json *v, unsigned depth);

static void expect_children(uint64_t *rng, const skn_json *v, unsigned depth)
{
    char            key[80];
    size_t          count = draw(rng) % (depth ? 4 : 30);
    const skn_json *child = v->first;

    assert_int_equal(v->count, count);
    for (size_t i = 0; i < count; i++, child = child->next) {
        if (v->kind == SKN_JSON_OBJECT) {
            draw_key(rng, i, key);
            assert_true(skn_str_is(child->key, key));
        }
        expect_random(rng, child, depth + 1);
    }
    assert_null(child);
}

static void expect_random(uint64_t *rng, const skn_json *v, unsigned depth)
{
    static const skn_json_kind kinds[] = {SKN_JSON_NULL,   SKN_JSON_BOOL,   SKN_JSON_NUMBER,
                                          SKN_JSON_NUMBER, SKN_JSON_STRING, SKN_JSON_ARRAY,
                                          SKN_JSON_OBJECT};
    unsigned                   kind = draw_kind(rng, depth);
    char                       text[64];
    int64_t                    n = 0;

    assert_int_equal(v->kind, kinds[kind]);
    if (kind == 1) {
        assert_int_equal(v->boolean, draw(rng) % 2);
    } else if (kind == 2) {
        assert_true(skn_str_int(v->text, &n));
        assert_true(n == draw_int(rng));
    } else if (kind == 3) {
        assert_true(strtod(v->text.p, NULL) == draw_double(rng)); /* a bracket or NUL follows */
    } else if (kind == 4) {
        assert_true(skn_str_eq(v->text, draw_text(rng, text)));
    } else if (kind > 4) {
        expect_children(rng, v, depth);
    }
}

static void what_was_written_is_read_back_equal(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        uint64_t        rng = seed * UINT64_C(0x9e3779b97f4a7c15), again = rng;
        skn_arena      *a = skn_arena_new();
        const skn_json *v;
        skein_error     err;
        skn_buf         b;
        skn_jw          w;

        skn_buf_init(&b, 1024 * 1024);
        skn_jw_init(&w, &b);
        write_random(&rng, &w, 0);
        assert_false(b.over);
        if (skn_json_parse(&v, skn_buf_str(&b), "random", a, &err))
            fail_msg("seed %d: %s in %s", (int)seed, err.message, b.p);
        expect_random(&again, v, 0);
        skn_buf_release(&b);
        skn_arena_free(a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_between_and_nowhere_else),
        cmocka_unit_test(text_is_escaped_so_that_it_may_stand_in_a_script),
        cmocka_unit_test(escapes_are_found_wherever_they_stand),
        cmocka_unit_test(whole_numbers_are_written_up_to_both_ends),
        cmocka_unit_test(doubles_have_their_shortest_text),
        cmocka_unit_test(doubles_have_a_point_in_every_locale),
        cmocka_unit_test(too_deep_nesting_is_remembered_and_closes_in_order),
        cmocka_unit_test(what_was_written_is_read_back_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
