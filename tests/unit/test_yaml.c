/* Reading YAML: what is kept, what is refused, and that the message says where. */
#include "base/buf.h"
#include "base/str.h"
#include "base/yaml.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static skn_arena *arena_of(void **state)
{
    return *state;
}

static int make_arena(void **state)
{
    *state = skn_arena_new();
    return 0;
}

static int free_arena(void **state)
{
    skn_arena_free(*state);
    return 0;
}

/* Reads from a block of exactly its size, so that a sanitizer sees a step past the end. */
static skein_rc read_exact(skn_arena *a, skn_str source, const skn_yaml **out, skein_error *err)
{
    char *exact = skn_arena_alloc(a, source.n);

    if (source.n)
        memcpy(exact, source.p, source.n);
    return skn_yaml_parse(out, (skn_str){exact, source.n}, "f.yaml", a, err);
}

static const skn_yaml *must_read(skn_arena *a, const char *source)
{
    const skn_yaml *v;
    skein_error     err = {0};

    if (read_exact(a, skn_str_of(source), &v, &err))
        fail_msg("%s: %s", source, err.message);
    return v;
}

static void refused(skn_arena *a, skn_str source, const char *message)
{
    const skn_yaml *v;
    skein_error     err = {0};

    if (!read_exact(a, source, &v, &err))
        fail_msg("accepted: %.*s", SKN_FMT(source));
    assert_null(v);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not hold \"%s\"", err.message, message);
}

static void values_keep_their_text_and_their_place(void **state)
{
    const skn_yaml *v = must_read(arena_of(state), "# a comment\n"
                                                   "server:\n"
                                                   "  listen: 127.0.0.1:7534\n"
                                                   "  keep: \"no\"\n"
                                                   "list: [a, {b: c}]\n");
    const skn_yaml *server = skn_yaml_get(v, "server"), *list = skn_yaml_get(v, "list");
    const skn_yaml *listen = skn_yaml_get(server, "listen");

    assert_true(v->kind == SKN_YAML_MAP && v->count == 2);
    assert_true(server->kind == SKN_YAML_MAP && server->count == 2);
    assert_int_equal(server->key_line, 2);
    assert_int_equal(server->key_column, 1);
    assert_true(skn_str_is(listen->text, "127.0.0.1:7534") && !listen->quoted);
    assert_int_equal(listen->key_line, 3);
    assert_int_equal(listen->key_column, 3);
    assert_int_equal(listen->line, 3);
    assert_int_equal(listen->column, 11);
    assert_true(skn_yaml_get(server, "keep")->quoted);
    assert_true(list->kind == SKN_YAML_LIST && list->count == 2);
    assert_true(skn_str_is(list->first->text, "a") && !list->first->key.p);
    assert_true(skn_str_is(skn_yaml_get(list->first->next, "b")->text, "c"));
    assert_null(skn_yaml_get(list, "a"));
    assert_null(skn_yaml_get(NULL, "a"));
    assert_null(skn_yaml_get(v, "lsten"));
}

static void scalars_are_text_and_nothing_else(void **state)
{
    const skn_yaml *v = must_read(arena_of(state),
                                  "a: 08\nb: 1.10\nc: null\nd: no\ne:\nf: ~\n");

    assert_true(skn_str_is(skn_yaml_get(v, "a")->text, "08"));
    assert_true(skn_str_is(skn_yaml_get(v, "b")->text, "1.10"));
    assert_true(skn_str_is(skn_yaml_get(v, "c")->text, "null"));
    assert_true(skn_str_is(skn_yaml_get(v, "d")->text, "no"));
    assert_true(skn_str_is(skn_yaml_get(v, "e")->text, ""));
    assert_true(skn_str_is(skn_yaml_get(v, "f")->text, "~"));
}

static void block_text_keeps_its_lines(void **state)
{
    const skn_yaml *v = must_read(arena_of(state), "say: |\n  one\n\n  two \xc3\xa4\nfold: >\n"
                                                   "  three\n  four\n");

    assert_true(skn_str_is(skn_yaml_get(v, "say")->text, "one\n\ntwo \xc3\xa4\n"));
    assert_true(skn_str_is(skn_yaml_get(v, "fold")->text, "three four\n"));
}

static void nothing_written_is_an_empty_map(void **state)
{
    static const char *const sources[] = {"", "# only a comment\n", "---\n", "\n\n"};

    for (size_t i = 0; i < COUNT(sources); i++) {
        const skn_yaml *v = must_read(arena_of(state), sources[i]);

        assert_true(v->kind == SKN_YAML_MAP && v->count == 0);
    }
}

static void what_surprises_people_is_refused_with_its_place(void **state)
{
    static const char *const cases[][2] = {
        {"a: &x 1\n", "f.yaml:1:4: anchors and tags"},
        {"a: 1\nb: &x [1]\n", "f.yaml:2:4: anchors and tags"},
        {"a: *x\n", "f.yaml:1:4: aliases"},
        {"a: !!int 1\n", "f.yaml:1:4: anchors and tags"},
        {"a: !!map {}\n", "f.yaml:1:4: anchors and tags"},
        {"a:\n  <<: {b: 1}\n", "f.yaml:2:3: merge keys"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document"},
        {"%YAML 1.1\n---\na: 1\n", "f.yaml:1:1: directives"},
        {"a: 1\nb: 2\na: 3\n", "f.yaml:3:1: \"a\" is here twice"},
        {"? [a]\n: 1\n", "f.yaml:1:3: a key must be text"},
        {"a:\n\tb: 1\n", "use spaces"},
        {"a:\n  \tb: 1\n  c: 2\n", "use spaces"},
        {"a: [1\n", "f.yaml:2:1: "},
        {"a: \"\\0\"\n", "f.yaml:1:4: the text holds a character"},
        {"a: \"\\ud800\"\n", "f.yaml:1:"},
        {"a: b: c\n", "f.yaml:1:5: "},
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        refused(arena_of(state), skn_str_of(cases[i][0]), cases[i][1]);
}

static void only_utf8_is_read(void **state)
{
    refused(arena_of(state), SKN_STR("a: 1\nb: \xff\n"), "f.yaml:2:1: this line is not UTF-8");
    refused(arena_of(state), (skn_str){"a: \0\n", 5}, "f.yaml:1:1: this line is not UTF-8");
    refused(arena_of(state), SKN_STR("a: \x01\n"), "f.yaml:1:");
}

static void a_repeated_key_is_found_among_many(void **state)
{
    skn_buf b;

    skn_buf_init(&b, 1 << 20);
    for (int i = 0; i < 1000; i++)
        skn_buf_addf(&b, "k%d: 1\n", i);
    assert_int_equal(must_read(arena_of(state), b.p)->count, 1000);
    skn_buf_addf(&b, "k7: 1\n");
    refused(arena_of(state), skn_buf_str(&b), "f.yaml:1001:1: \"k7\" is here twice");
    skn_buf_release(&b);
}

static void depth_size_and_number_have_limits(void **state)
{
    skn_buf b;

    assert_non_null(must_read(arena_of(state), "[[[[[[[[1]]]]]]]]"));
    refused(arena_of(state), SKN_STR("[[[[[[[[[1]]]]]]]]]"), "f.yaml:1:9: nested more than 8");
    skn_buf_init(&b, 2 << 20);
    skn_buf_fill(&b, '[', 1 << 19);
    refused(arena_of(state), skn_buf_str(&b), "nested more than 8");
    skn_buf_clear(&b);
    for (int i = 0; i < 70000; i++)
        skn_buf_add(&b, SKN_STR("- 1\n"));
    refused(arena_of(state), skn_buf_str(&b), "f.yaml:65536:3: too many values");
    skn_buf_clear(&b);
    skn_buf_fill(&b, '#', (1 << 20) + 1);
    refused(arena_of(state), skn_buf_str(&b), "the limit is 1 MB");
    skn_buf_release(&b);
}

static void yes_and_no_have_six_words(void **state)
{
    const skn_yaml *v = must_read(arena_of(state),
                                  "[true, Yes, ON, false, no, off, 1, [], '']");
    const skn_yaml *item = v->first;
    bool            b;

    for (int i = 0; i < 6; i++, item = item->next)
        assert_true(skn_yaml_bool(item, &b) && b == (i < 3));
    for (; item; item = item->next)
        assert_false(skn_yaml_bool(item, &b));
    assert_false(skn_yaml_bool(NULL, &b));
}

static void sizes_and_durations_have_units(void **state)
{
    int64_t n = -1;

    (void)state;
    assert_true(skn_amount_size(SKN_STR("17"), &n) && n == 17);
    assert_true(skn_amount_size(SKN_STR("64kB"), &n) && n == 64000);
    assert_true(skn_amount_size(SKN_STR(" 1 mb "), &n) && n == 1000000);
    assert_true(skn_amount_size(SKN_STR("2GB"), &n) && n == 2000000000);
    assert_false(skn_amount_size(SKN_STR("9223372036854775807kB"), &n));
    assert_false(skn_amount_size(SKN_STR("-1"), &n));
    assert_false(skn_amount_size(SKN_STR("MB"), &n));
    assert_false(skn_amount_size(SKN_STR("1 TB"), &n));
    assert_false(skn_amount_size(SKN_NONE, &n));
    assert_true(skn_amount_duration(SKN_STR("300ms"), &n) && n == 300);
    assert_true(skn_amount_duration(SKN_STR("30s"), &n) && n == 30000);
    assert_true(skn_amount_duration(SKN_STR("2 m"), &n) && n == 120000);
    assert_true(skn_amount_duration(SKN_STR("24h"), &n) && n == 86400000);
    assert_true(skn_amount_duration(SKN_STR("30d"), &n) && n == 2592000000);
    assert_true(skn_amount_duration(SKN_STR("0"), &n) && n == 0);
    assert_false(skn_amount_duration(SKN_STR("30"), &n));
    assert_false(skn_amount_duration(SKN_STR("1.5s"), &n));
    assert_false(skn_amount_duration(SKN_STR(""), &n));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_keep_their_text_and_their_place),
        cmocka_unit_test(scalars_are_text_and_nothing_else),
        cmocka_unit_test(block_text_keeps_its_lines),
        cmocka_unit_test(nothing_written_is_an_empty_map),
        cmocka_unit_test(what_surprises_people_is_refused_with_its_place),
        cmocka_unit_test(only_utf8_is_read),
        cmocka_unit_test(a_repeated_key_is_found_among_many),
        cmocka_unit_test(depth_size_and_number_have_limits),
        cmocka_unit_test(yes_and_no_have_six_words),
        cmocka_unit_test(sizes_and_durations_have_units),
    };

    return cmocka_run_group_tests(tests, make_arena, free_arena);
}
