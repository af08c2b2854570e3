/* What a shape writes of a struct it reads back equal; and what it cannot read is none. */
#include "base/shape_rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef enum colour { RED, GREEN, NO_COLOUR, BLUE } colour;

typedef struct leaf {
    skn_str name, note;
    int64_t count;
} leaf;

typedef struct tree {
    skn_str  text, words, raw, shouted, first;
    int64_t  number, left, at, version, ended_at;
    int      small;
    double   weight;
    bool     open;
    colour   colour;
    skn_str *names;
    size_t   name_count;
    int64_t *numbers;
    size_t   number_count;
    leaf    *leaves;
    size_t   leaf_count;
    leaf     root, stem;
    skn_str  bark;
} tree;

static const char *const colour_names[] = {"red", "green", NULL, "blue"};
static const skn_enum    colours = SKN_ENUM(colour_names);

/* In capitals, of ASCII letters alone. */
static void put_shouted(skn_jw *w, const void *thing)
{
    skn_str    s = ((const tree *)thing)->shouted;
    skn_arena *a = skn_arena_new();
    char      *copy = skn_arena_alloc(a, s.n + 1);

    for (size_t i = 0; i < s.n; i++)
        copy[i] = (char)(s.p[i] - 'a' + 'A');
    skn_jw_str(w, s.p ? (skn_str){copy, s.n} : SKN_NONE);
    skn_arena_free(a);
}

static void take_shouted(const skn_json *v, void *thing, skn_arena *a)
{
    skn_str s = skn_arena_copy(a, v->text);

    for (size_t i = 0; i < s.n; i++)
        ((char *)(uintptr_t)s.p)[i] = (char)(s.p[i] - 'A' + 'a');
    ((tree *)thing)->shouted = s;
}

static void put_first(skn_jw *w, const void *thing)
{
    skn_jw_str(w, ((const tree *)thing)->first);
}

static void put_size(skn_jw *w, const void *thing)
{
    skn_jw_int(w, (int64_t)((const tree *)thing)->leaf_count);
}

#define THING leaf
static const skn_member leaf_rows[] = {TEXT(name, "name") COUNT(count, "count")};
static const skn_member note_rows[] = {TEXT(note, "note")};
#undef THING
static const skn_shape leaf_shape = SKN_SHAPE(leaf_rows, leaf);
static const skn_shape note_shape = SKN_SHAPE(note_rows, leaf);

#define THING tree
static const skn_member bark_rows[] = {TEXT(bark, "bark")};
static const skn_shape  bark_shape = SKN_SHAPE(bark_rows, tree);
/* clang-format off */
static const skn_member tree_rows[] = {
    TEXT(text, "text")
    WORDS(words, "words")
    RAW(raw, "raw", "null")
    TEXT_OWN(shouted, "shouted", put_shouted, take_shouted)
    TEXT_BY(first, "first", put_first)
    INT(number, "number")
    COUNT(left, "left")
    TIME(at, "at")
    VERSION(version, "version")
    TIME_WHEN(ended_at, ended_at, "endedAt")
    SMALL(small, "small")
    DOUBLE(weight, "weight")
    FLAG(open, "open")
    NAME(colour, "colour", &colours)
    TEXTS(names, name_count, "names")
    INTS(numbers, number_count, "numbers")
    LIST(leaves, leaf_count, "leaves", &leaf_shape)
    PART(root, "root", &leaf_shape)
    MEMBERS(stem, &note_shape)
    MORE_WHEN(bark, &bark_shape)
    OWN("size", put_size, NULL)
};
/* clang-format on */
#undef THING
static const skn_shape tree_shape = SKN_SHAPE(tree_rows, tree);

static uint64_t seed = 1;

static uint64_t any(uint64_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % below;
}

static skn_str any_text(skn_arena *a)
{
    static const char *const pieces[] = {"a",        "\"",           "\\", "\n",
                                         "\xc3\xa4", "\xe2\x80\xa8", " ",  "{"};
    skn_buf                  b;
    skn_str                  out;

    if (any(4) == 0)
        return SKN_NONE;
    skn_buf_init(&b, 1000);
    for (uint64_t n = any(6); n; n--)
        skn_buf_add(&b, skn_str_of(pieces[any(sizeof pieces / sizeof *pieces)]));
    out = skn_arena_copy(a, b.n ? skn_buf_str(&b) : SKN_STR(""));
    skn_buf_release(&b);
    return out;
}

static skn_str any_word(skn_arena *a)
{
    char word[4] = {0};

    for (uint64_t i = 0, n = any(4); i < n; i++)
        word[i] = (char)('a' + any(26));
    return any(3) ? skn_arena_copy(a, skn_str_of(word)) : SKN_NONE;
}

static int64_t any_int(void)
{
    static const int64_t edges[] = {0, 1, -1, INT64_MAX, INT64_MIN};

    return any(3) ? (int64_t)any(1000) - 500 : edges[any(5)];
}

static leaf any_leaf(skn_arena *a)
{
    return (leaf){.name = any_text(a), .count = any(2) ? -1 : (int64_t)any(100)};
}

static tree any_tree(skn_arena *a)
{
    static const char *const raws[] = {"[1, {\"a\":null}]", "\"x\"", "{}", "0.70"};
    tree                     t = {.text = any_text(a),
                                  .words = any_text(a),
                                  .shouted = any_word(a),
                                  .first = any_text(a),
                                  .number = any_int(),
                                  .left = any(2) ? -1 : (int64_t)any(100),
                                  .at = (int64_t)any(1 << 30) * 1000,
                                  .version = (int64_t)any(9),
                                  .ended_at = (int64_t)any(2) * 5000000,
                                  .small = (int)any(100) - 50,
                                  .weight = (double)any(1000) / 7,
                                  .open = any(2),
                                  .colour = (colour)any(4),
                                  .root = any_leaf(a),
                                  .stem.note = any_text(a),
                                  .bark = any_text(a)};

    if (any(2))
        t.raw = skn_str_of(raws[any(4)]);
    t.names = SKN_ARRAY(a, 3, skn_str);
    t.numbers = SKN_ARRAY(a, 3, int64_t);
    t.leaves = SKN_ARRAY(a, 3, leaf);
    for (t.name_count = any(4); t.name_count > 3;)
        t.name_count--;
    for (size_t i = 0; i < t.name_count; i++)
        t.names[i] = skn_str_of("n");
    for (t.number_count = 0; t.number_count < 3 && any(2);)
        t.numbers[t.number_count++] = any_int();
    for (t.leaf_count = 0; t.leaf_count < 3 && any(2);)
        t.leaves[t.leaf_count++] = any_leaf(a);
    if (t.colour == NO_COLOUR) /* reads as the first there is: it stands as null */
        t.colour = RED;
    if (!t.words.p) /* and this one as "" */
        t.words = SKN_STR("");
    return t;
}

static const skn_json *written(const tree *t, skn_buf *out, skn_arena *a)
{
    const skn_json *v;
    skein_error     err;
    skn_jw          w;

    skn_buf_clear(out);
    skn_jw_init(&w, out);
    skn_shape_write(&w, &tree_shape, t);
    if (skn_json_parse(&v, skn_buf_str(out), "a tree", a, &err))
        fail_msg("%s in %s", err.message, out->p);
    return v;
}

static void what_is_written_is_read_back_equal(void **state)
{
    skn_arena *a = skn_arena_new();
    skn_buf    one, two;

    (void)state;
    skn_buf_init(&one, 1 << 20);
    skn_buf_init(&two, 1 << 20);
    for (int i = 0; i < 2000; i++) {
        tree t = any_tree(a), back;

        skn_shape_read(&tree_shape, written(&t, &one, a), a, &back);
        if (!skn_shape_equal(&tree_shape, &t, &back))
            fail_msg("%s", one.p);
        written(&back, &two, a);
        assert_string_equal(one.p, two.p);
    }
    skn_buf_release(&one);
    skn_buf_release(&two);
    skn_arena_free(a);
}

static void the_order_of_members_does_not_matter(void **state)
{
    skn_arena      *a = skn_arena_new();
    const skn_json *v;
    tree            t;

    (void)state;
    assert_int_equal(
        skn_json_parse(&v,
                       SKN_STR("{\"note\":\"n\",\"size\":9,\"version\":\"v7\","
                               "\"more\":[1],\"leaves\":[{\"count\":2,\"name\":\"x\"}],"
                               "\"number\":3,\"text\":\"t\"}"),
                       "a tree", a, NULL),
        SKEIN_OK);
    skn_shape_read(&tree_shape, v, a, &t);
    assert_true(skn_str_is(t.stem.note, "n") && skn_str_is(t.text, "t"));
    assert_int_equal(t.version, 7);
    assert_int_equal(t.number, 3);
    assert_int_equal(t.leaf_count, 1);
    assert_int_equal(t.leaves[0].count, 2);
    skn_arena_free(a);
}

static void what_is_of_another_kind_is_none(void **state)
{
    skn_arena      *a = skn_arena_new();
    const skn_json *v;
    tree            t;

    (void)state;
    assert_int_equal(
        skn_json_parse(&v,
                       SKN_STR("{\"text\":1,\"number\":\"3\",\"open\":\"true\",\"names\":{},"
                               "\"leaves\":[1,null],\"at\":\"soon\",\"colour\":\"grey\","
                               "\"root\":[],\"version\":7,\"numbers\":[1,\"2\",3.5],"
                               "\"weight\":null,\"raw\":null}"),
                       "a tree", a, NULL),
        SKEIN_OK);
    skn_shape_read(&tree_shape, v, a, &t);
    assert_null(t.text.p);
    assert_null(t.raw.p);
    assert_int_equal(t.number, 0);
    assert_false(t.open);
    assert_int_equal(t.name_count, 0);
    assert_int_equal(t.leaf_count, 2); /* empty ones */
    assert_int_equal(t.number_count, 1);
    assert_int_equal(t.at, 0);
    assert_int_equal(t.version, 0);
    skn_shape_read(&tree_shape, NULL, a, &t);
    assert_int_equal(t.leaf_count, 0);
    skn_arena_free(a);
}

static void what_is_kept_outlives_its_source(void **state)
{
    skn_arena *a = skn_arena_new(), *source = skn_arena_new();
    skn_buf    out;
    tree       t = any_tree(source), kept;

    (void)state;
    t.bark = SKN_STR("b");
    skn_buf_init(&out, 1 << 20);
    skn_shape_read(&tree_shape, written(&t, &out, source), source, &kept);
    skn_shape_keep(&tree_shape, &kept, a);
    assert_true(skn_shape_equal(&tree_shape, &t, &kept));
    assert_true(kept.bark.p != t.bark.p);
    assert_true(kept.text.p == NULL || kept.text.p != t.text.p);
    skn_buf_release(&out);
    skn_arena_free(source);
    assert_true(skn_str_is(kept.bark, "b"));
    skn_arena_free(a);
}

static void things_that_differ_are_not_equal(void **state)
{
    skn_arena *a = skn_arena_new();
    tree       t = any_tree(a), other = t;

    (void)state;
    assert_true(skn_shape_equal(&tree_shape, &t, &other));
    other.stem.note = SKN_STR("another");
    assert_false(skn_shape_equal(&tree_shape, &t, &other));
    other = t;
    other.weight += 1;
    assert_false(skn_shape_equal(&tree_shape, &t, &other));
    other = t;
    other.open = !other.open;
    assert_false(skn_shape_equal(&tree_shape, &t, &other));
    skn_arena_free(a);
}

static void its_fields_are_its_keys_in_order(void **state)
{
    skn_arena *a = skn_arena_new();

    (void)state;
    assert_string_equal(
        skn_shape_fields(&tree_shape, a).p,
        "text,words,raw,shouted,first,number,left,at,version,endedAt,small,weight,"
        "open,colour,names,numbers,leaves,root,note,bark,size");
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read_back_equal),
        cmocka_unit_test(the_order_of_members_does_not_matter),
        cmocka_unit_test(what_is_of_another_kind_is_none),
        cmocka_unit_test(what_is_kept_outlives_its_source),
        cmocka_unit_test(things_that_differ_are_not_equal),
        cmocka_unit_test(its_fields_are_its_keys_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
