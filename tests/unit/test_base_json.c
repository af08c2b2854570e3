/* Reading JSON: what is kept, what is refused and how that is said. */
#include "base/buf.h"
#include "base/json.h"
#include "base/json_schema.h"

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
static skein_rc read_exact(skn_arena *a, skn_str source, const skn_json **out, skein_error *err)
{
    char *exact = skn_arena_alloc(a, source.n);

    memcpy(exact, source.p, source.n);
    return skn_json_parse(out, (skn_str){exact, source.n}, "body", a, err);
}

static const skn_json *must_read(skn_arena *a, const char *source)
{
    const skn_json *v;
    skein_error     err = {0};

    if (read_exact(a, skn_str_of(source), &v, &err))
        fail_msg("%s: %s", source, err.message);
    return v;
}

static void values_keep_their_kind_text_and_source(void **state)
{
    const skn_json *v = must_read(arena_of(state), " {\"a\" : [1, -0.5e+3 ,true,false, null],"
                                                   "\"\\u0062\":\"x\\ny\" , \"c\":{ } } ");
    const skn_json *item = skn_json_get(v, "a")->first;

    assert_int_equal(v->kind, SKN_JSON_OBJECT);
    assert_int_equal(v->count, 3);
    assert_true(skn_str_is(skn_json_get(v, "a")->raw, "[1, -0.5e+3 ,true,false, null]"));
    assert_int_equal(skn_json_get(v, "a")->count, 5);
    assert_true(item->kind == SKN_JSON_NUMBER && skn_str_is(item->text, "1"));
    item = item->next;
    assert_true(item->kind == SKN_JSON_NUMBER && skn_str_is(item->text, "-0.5e+3"));
    item = item->next;
    assert_true(item->kind == SKN_JSON_BOOL && item->boolean);
    item = item->next;
    assert_true(item->kind == SKN_JSON_BOOL && !item->boolean);
    item = item->next;
    assert_true(item->kind == SKN_JSON_NULL && skn_str_is(item->raw, "null"));
    assert_null(item->next);
    assert_true(skn_str_is(skn_json_get(v, "b")->text, "x\ny"));
    assert_true(skn_str_is(skn_json_get(v, "b")->raw, "\"x\\ny\""));
    assert_true(skn_str_is(skn_json_get(v, "c")->raw, "{ }"));
    assert_int_equal(skn_json_get(v, "c")->count, 0);
    assert_null(skn_json_get(v, "d"));
    assert_null(skn_json_get(NULL, "d"));
    assert_null(skn_json_get(skn_json_get(v, "a"), "a"));
}

static void any_value_may_stand_alone(void **state)
{
    static const struct {
        const char   *source;
        skn_json_kind kind;
    } cases[] = {
        {"null", SKN_JSON_NULL},    {"true", SKN_JSON_BOOL},
        {"0", SKN_JSON_NUMBER},     {"-0", SKN_JSON_NUMBER},
        {"[]", SKN_JSON_ARRAY},     {"{}", SKN_JSON_OBJECT},
        {"\"\"", SKN_JSON_STRING},  {"1E9", SKN_JSON_NUMBER},
        {"12.50", SKN_JSON_NUMBER}, {"123456789012345678901234567890", SKN_JSON_NUMBER},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const skn_json *v = must_read(arena_of(state), cases[i].source);

        assert_int_equal(v->kind, cases[i].kind);
        assert_true(skn_str_is(v->raw, cases[i].source));
    }
}

static void escapes_become_the_characters_they_stand_for(void **state)
{
    const skn_json *v = must_read(arena_of(state), "[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\","
                                                   "\"\\u00e9\\u20AC\\uD83D\\ude00\\u0001\","
                                                   "\"d\xc3\xa9j\xc3\xa0\\u0021 \\\\u0000\"]");

    assert_true(skn_str_is(v->first->text, "\"\\/\b\f\n\r\t"));
    assert_true(skn_str_is(v->first->next->text, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\x01"));
    assert_true(skn_str_is(v->first->next->next->text, "d\xc3\xa9j\xc3\xa0! \\u0000"));
}

static void faults_are_refused_with_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"", "line 1, column 1: expected a value, found the end"},
        {" \n ", "line 2, column 2: expected a value, found the end"},
        {"[1 2]", "line 1, column 4: expected ',' or ']'"},
        {"[1", "line 1, column 3: expected ',' or ']', found the end"},
        {"{\"a\":1]", "line 1, column 7: expected ',' or '}'"},
        {"[1}", "line 1, column 3: expected ',' or ']'"},
        {"[1,]", "line 1, column 4: expected a value"},
        {"[,1]", "line 1, column 2: expected a value"},
        {"{,}", "line 1, column 2: expected a key in double quotes"},
        {"{\"a\":1,}", "line 1, column 8: expected a key in double quotes"},
        {"{a:1}", "line 1, column 2: expected a key in double quotes"},
        {"{\"a\" 1}", "line 1, column 6: expected ':'"},
        {"{\"a\":}", "line 1, column 6: expected a value"},
        {"[\n\"\xc3\xa9\", x]", "line 2, column 6: expected a value"},
        {"[1] 2", "line 1, column 5: text after the value"},
        {"nullx", "line 1, column 5: text after the value"},
        {"nul", "line 1, column 1: expected a value"},
        {"True", "line 1, column 1: expected a value"},
        {"'a'", "line 1, column 1: expected a value"},
        {"01", "line 1, column 1: a number has no leading zeros"},
        {"-01", "line 1, column 2: a number has no leading zeros"},
        {"-", "line 1, column 2: expected a digit, found the end"},
        {"+1", "line 1, column 1: expected a value"},
        {".5", "line 1, column 1: expected a value"},
        {"[1.]", "line 1, column 4: expected a digit"},
        {"[1e]", "line 1, column 4: expected a digit"},
        {"[1e+]", "line 1, column 5: expected a digit"},
        {"\"a", "line 1, column 3: expected '\"' at the end of a text, found the end"},
        {"\"a\\", "line 1, column 4: expected '\"' at the end of a text, found the end"},
        {"\"a\nb\"", "line 1, column 3: control character in a text"},
        {"\"\\x\"", "line 1, column 2: unknown escape in a text"},
        {"\"\\u12g4\"", "line 1, column 2: expected four hexadecimal digits after \"\\u\""},
        {"\"\\u123\"", "line 1, column 2: expected four hexadecimal digits after \"\\u\""},
        {"\"ab\\u0000\"", "line 1, column 4: U+0000 is not allowed in a text"},
        {"\"\\ud800\"", "line 1, column 2: lone surrogate in a text"},
        {"\"\\udc00\"", "line 1, column 2: lone surrogate in a text"},
        {"\"\\udc00\\udc00\"", "line 1, column 2: lone surrogate in a text"},
        {"\"\\ud800\\ud800\"", "line 1, column 2: lone surrogate in a text"},
        {"\"\\ud800x12345\"", "line 1, column 2: lone surrogate in a text"},
        {"\"\\ud800\\u00e9\"", "line 1, column 2: lone surrogate in a text"},
        {"\"\\ud83d\\ude0\"", "line 1, column 2: lone surrogate in a text"},
        {"\"ab\xff\"", "line 1, column 4: text is not UTF-8"},
        {"\"\xed\xa0\x80\"", "line 1, column 2: text is not UTF-8"},
        {"{\"\xc0\x80\":1}", "line 1, column 3: text is not UTF-8"},
        {"\xef\xbb\xbf{}", "line 1, column 1: expected a value"},
        {"{\"a\":1,\"b\":2,\"\\u0061\":3}", "line 1, column 14: repeated key \"a\""},
        {"// no\n1", "line 1, column 1: expected a value"},
    };
    char want[200];

    for (size_t i = 0; i < COUNT(cases); i++) {
        skein_error     err = {0};
        const skn_json *v = (const skn_json *)&err;
        skein_rc        rc = read_exact(arena_of(state), skn_str_of(cases[i][0]), &v, &err);

        snprintf(want, sizeof want, "body: %s", cases[i][1]);
        assert_int_equal(rc, SKEIN_INVALID);
        assert_string_equal(err.message, want);
        assert_null(v);
    }
}

static void a_nul_byte_is_not_taken_for_the_end(void **state)
{
    const skn_json *v;

    assert_int_equal(read_exact(arena_of(state), SKN_STR("1\0"), &v, NULL), SKEIN_INVALID);
    assert_int_equal(read_exact(arena_of(state), SKN_STR("\"\0\""), &v, NULL), SKEIN_INVALID);
    assert_int_equal(read_exact(arena_of(state), SKN_STR("\"\\\0\""), &v, NULL), SKEIN_INVALID);
    assert_int_equal(read_exact(arena_of(state), SKN_STR("\0"), &v, NULL), SKEIN_INVALID);
    assert_int_equal(skn_json_parse(&v, SKN_NONE, "body", arena_of(state), NULL),
                     SKEIN_INVALID);
}

static void nesting_has_a_limit(void **state)
{
    skn_buf         b;
    const skn_json *v;
    skein_error     err = {0};

    skn_buf_init(&b, 1024);
    skn_buf_fill(&b, '[', SKN_JSON_DEPTH);
    skn_buf_fill(&b, ']', SKN_JSON_DEPTH);
    assert_int_equal(read_exact(arena_of(state), skn_buf_str(&b), &v, &err), SKEIN_OK);
    skn_buf_clear(&b);
    skn_buf_fill(&b, '[', SKN_JSON_DEPTH + 1);
    skn_buf_fill(&b, ']', SKN_JSON_DEPTH + 1);
    assert_int_equal(read_exact(arena_of(state), skn_buf_str(&b), &v, &err), SKEIN_INVALID);
    assert_string_equal(err.message, "body: line 1, column 129: nested too deeply");
    skn_buf_release(&b);
}

static void every_truncation_of_a_document_is_an_error(void **state)
{
    skn_str         s = SKN_STR("{\"a\":[1,-2.5e-3,{\"b\":null}],"
                                        "\"\\ud83d\\ude00\":\"\\n\xc3\xa9\","
                                        "\"c\":true,\"d\":false}");
    const skn_json *v;

    assert_int_equal(read_exact(arena_of(state), s, &v, NULL), SKEIN_OK);
    for (size_t n = 0; n < s.n; n++)
        if (read_exact(arena_of(state), skn_str_sub(s, 0, n), &v, NULL) != SKEIN_INVALID)
            fail_msg("%.*s", (int)n, s.p);
}

/* Writes {"k0":0,...} with `count` keys, and once more key `again` unless it is negative. */
static skein_rc read_keys(skn_arena *a, int count, int again, const skn_json **v)
{
    skn_buf  b;
    skein_rc rc;

    skn_buf_init(&b, 1024 * 1024);
    for (int i = 0; i < count; i++)
        skn_buf_addf(&b, "%s\"k%d\":%d", i ? "," : "{", i, i);
    if (again >= 0)
        skn_buf_addf(&b, ",\"k%d\":0", again);
    skn_buf_addc(&b, '}');
    rc = read_exact(a, skn_buf_str(&b), v, NULL);
    skn_buf_release(&b);
    return rc;
}

static void a_repeated_key_is_found_in_small_and_large_objects(void **state)
{
    static const int sizes[] = {1, 2, 15, 16, 17, 18, 40, 3000};
    const skn_json  *v;

    for (size_t i = 0; i < COUNT(sizes); i++) {
        assert_int_equal(read_keys(arena_of(state), sizes[i], -1, &v), SKEIN_OK);
        assert_int_equal(v->count, sizes[i]);
        for (int again = 0; again < sizes[i]; again += 1 + sizes[i] / 50)
            assert_int_equal(read_keys(arena_of(state), sizes[i], again, &v), SKEIN_INVALID);
        assert_int_equal(read_keys(arena_of(state), sizes[i], sizes[i] - 1, &v), SKEIN_INVALID);
    }
}

static void equal_keys_of_different_objects_are_no_repetition(void **state)
{
    must_read(arena_of(state), "{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]},\"b\":{\"a\":3}}");
}

static void members_are_asked_for_by_kind(void **state)
{
    const skn_json *v = must_read(arena_of(state), "{\"t\":\"x\",\"n\":-7,\"f\":true,"
                                                   "\"null\":null,\"half\":1.5,\"exp\":1e2,"
                                                   "\"big\":9223372036854775808}");
    skein_error     err = {0};
    skn_str         text;
    int64_t         n;
    bool            flag;

    assert_int_equal(skn_json_text(v, "t", &text, &err), SKEIN_OK);
    assert_true(skn_str_is(text, "x"));
    assert_int_equal(skn_json_text(v, "null", &text, &err), SKEIN_OK);
    assert_null(text.p);
    assert_int_equal(skn_json_text(v, "missing", &text, &err), SKEIN_OK);
    assert_null(text.p);
    assert_int_equal(skn_json_text(v, "n", &text, &err), SKEIN_INVALID);
    assert_string_equal(err.message, "\"n\" must be a text");
    assert_true(skn_json_int(v, "n", 1, &n, &err) == SKEIN_OK && n == -7);
    assert_true(skn_json_int(v, "null", 1, &n, &err) == SKEIN_OK && n == 1);
    assert_true(skn_json_int(v, "missing", 2, &n, &err) == SKEIN_OK && n == 2);
    assert_int_equal(skn_json_int(v, "half", 1, &n, &err), SKEIN_INVALID);
    assert_string_equal(err.message, "\"half\" must be a whole number");
    assert_int_equal(skn_json_int(v, "exp", 1, &n, &err), SKEIN_INVALID);
    assert_int_equal(skn_json_int(v, "t", 1, &n, &err), SKEIN_INVALID);
    assert_int_equal(skn_json_int(v, "big", 1, &n, &err), SKEIN_INVALID);
    assert_string_equal(err.message, "\"big\" is out of range");
    assert_true(skn_json_flag(v, "f", false, &flag, &err) == SKEIN_OK && flag);
    assert_true(skn_json_flag(v, "missing", true, &flag, &err) == SKEIN_OK && flag);
    assert_int_equal(skn_json_flag(v, "n", true, &flag, &err), SKEIN_INVALID);
    assert_string_equal(err.message, "\"n\" must be true or false");
}

/* Two bytes can be one value: what a source costs must not be a matter of who wrote it. */
static void the_number_of_values_has_a_limit(void **state)
{
    const skn_json *v;
    skein_error     err;

    assert_int_equal(skn_json_parse_few(&v, SKN_STR("[1,[2,3]]"), "x", 5, *state, &err),
                     SKEIN_OK);
    assert_int_equal(skn_json_parse_few(&v, SKN_STR("[1,[2,3]]"), "x", 4, *state, &err),
                     SKEIN_LIMIT);
    assert_null(v);
    assert_string_equal(err.message, "x: it has more than 4 values");
    assert_int_equal(skn_json_parse_few(&v, SKN_STR("{\"a\":{\"b\":1}}"), "x", 2, *state, &err),
                     SKEIN_LIMIT);
    assert_int_equal(skn_json_parse_few(&v, SKN_STR("7"), "x", 1, *state, &err), SKEIN_OK);
    assert_int_equal(skn_json_guess(SKN_STR("[1,[2,3]]")), 5);
    assert_true(sizeof(skn_json) <= 72);
}

static void a_value_is_held_against_its_schema(void **state)
{
    static const char *const cases[][3] = {
        {"{}", "[1]", NULL},
        {"{\"type\":\"string\"}", "7", "it must be of type \"string\""},
        {"{\"type\":[\"integer\",\"null\"]}", "null", NULL},
        {"{\"type\":[\"integer\",\"null\"]}", "1.5",
         "it must be of type [\"integer\",\"null\"]"},
        {"{\"enum\":[1,{\"a\":2}]}", "{ \"a\" : 2 }", NULL},
        {"{\"const\":\"a\"}", "\"b\"", "it must be \"a\""},
        {"{\"required\":[\"a\"]}", "{\"b\":1}", "it must have a member \"a\""},
        {"{\"properties\":{\"a\":{}},\"additionalProperties\":false}", "{\"b\":1}",
         "it may have no member \"b\""},
        {"{\"additionalProperties\":{\"type\":\"null\"}}", "{\"b\":1}",
         "/b must be of type \"null\""},
        {"{\"items\":{\"properties\":{\"p\":{\"maximum\":2}}}}", "[{\"p\":2},{\"p\":3}]",
         "/1/p is outside of its maximum 2"},
        {"{\"maxLength\":2}", "\"\xc3\xbc\xc3\xbc\"", NULL},
        {"{\"minItems\":1}", "[]", "it is outside of its minItems 1"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const skn_json *schema, *value;
        skn_str         why;
        skein_error     err;

        assert_int_equal(skn_json_parse(&schema, skn_str_of(cases[i][0]), "x", *state, &err),
                         0);
        assert_int_equal(skn_json_parse(&value, skn_str_of(cases[i][1]), "x", *state, &err), 0);
        why = skn_json_misfit(schema, value, *state);
        if (cases[i][2])
            assert_string_equal(why.p, cases[i][2]);
        else
            assert_null(why.p);
    }
}

/* Each of them is held against each. */
static void a_value_and_a_schema_may_be_too_much_to_be_compared(void **state)
{
    enum { MANY = 20000 };
    const skn_json *schema, *value;
    skn_buf         one, other;
    skein_error     err;

    skn_buf_init(&one, 1 << 20);
    skn_buf_init(&other, 1 << 20);
    skn_buf_add(&one, SKN_STR("{\"items\":{\"enum\":[0"));
    skn_buf_add(&other, SKN_STR("[1"));
    for (int i = 1; i < MANY; i++) {
        skn_buf_addf(&one, ",%d", i);
        skn_buf_add(&other, SKN_STR(",19999"));
    }
    skn_buf_add(&one, SKN_STR("]}}"));
    skn_buf_add(&other, SKN_STR("]"));
    assert_int_equal(skn_json_parse(&schema, skn_buf_str(&one), "x", *state, &err), 0);
    assert_int_equal(skn_json_parse(&value, skn_buf_str(&other), "x", *state, &err), 0);
    assert_string_equal(skn_json_misfit(schema, value, *state).p,
                        "it and the schema are too much to be compared");
    skn_buf_release(&one);
    skn_buf_release(&other);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_arena, free_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_keep_their_kind_text_and_source),
        TEST(any_value_may_stand_alone),
        TEST(escapes_become_the_characters_they_stand_for),
        TEST(faults_are_refused_with_their_place),
        TEST(a_nul_byte_is_not_taken_for_the_end),
        TEST(nesting_has_a_limit),
        TEST(the_number_of_values_has_a_limit),
        TEST(every_truncation_of_a_document_is_an_error),
        TEST(a_repeated_key_is_found_in_small_and_large_objects),
        TEST(equal_keys_of_different_objects_are_no_repetition),
        TEST(members_are_asked_for_by_kind),
        TEST(a_value_is_held_against_its_schema),
        TEST(a_value_and_a_schema_may_be_too_much_to_be_compared),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
