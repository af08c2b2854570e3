/* Comparing trees of spans that are made here by hand: no store is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/tree/span.h"

#include <string.h>

/* A leaf of single items of thread 1, by their numbers. */
static skn_node *leaf(skn_arena *a, int64_t id, const char *items)
{
    size_t    n = strlen(items);
    skn_node *l = skn_arena_alloc(a, sizeof *l + n * sizeof *l->e);

    l->id = id;
    l->count = n;
    for (size_t i = 0; i < n; i++)
        l->e[i].span = (skn_span){1, items[i], 1, items[i], items[i]};
    return l;
}

static skn_tree tree(skn_arena *a, skn_node *x, skn_node *y, skn_node *z)
{
    skn_node *children[] = {x, y, z};
    skn_node *root = skn_arena_alloc(a, sizeof *root + 3 * sizeof *root->e);
    skn_tree  t = {root, 0};

    root->level = 1;
    root->count = 3;
    for (size_t i = 0; i < 3; i++) {
        root->e[i].child = children[i];
        root->e[i].child_id = children[i]->id;
        root->e[i].span.len = (int64_t)children[i]->count;
        t.length += root->e[i].span.len;
    }
    return t;
}

static skn_comparison compared(skn_arena *a, skn_tree x, skn_tree y)
{
    skn_trees      f = {.a = a};
    skn_comparison c;
    skein_error    err;

    if (skn_trees_compare(&f, &x, &y, &c, &err))
        fail_msg("%s", err.message);
    return c;
}

static int64_t moved(const skn_comparison *c)
{
    int64_t n = 0;

    for (size_t i = 0; i < c->shared.n; i++)
        n += c->shared.p[i].moved ? c->shared.p[i].len : 0;
    return n;
}

/* The item stands last in its leaf and then first in another: only the leaf between them, which
 * both trees have, tells that it went somewhere. */
static void an_item_that_jumps_over_a_shared_leaf_was_moved(void **state)
{
    skn_arena     *a = skn_arena_new();
    skn_node      *same = leaf(a, 2, "cde");
    skn_comparison c;

    (void)state;
    c = compared(a, tree(a, leaf(a, 1, "ab"), same, leaf(a, 3, "fg")),
                 tree(a, leaf(a, 4, "a"), same, leaf(a, 5, "bfg")));
    assert_int_equal(c.only_x.n + c.only_y.n, 0);
    assert_int_equal(moved(&c), 1);
    for (size_t i = 0; i < c.shared.n; i++)
        if (c.shared.p[i].moved) {
            assert_int_equal(c.shared.p[i].at_x, 1);
            assert_int_equal(c.shared.p[i].at_y, 4);
        }
    skn_arena_free(a);
}

/* When what was jumped over is less than what jumped, it is what was moved. */
static void the_fewest_items_are_called_moved(void **state)
{
    skn_arena     *a = skn_arena_new();
    skn_node      *same = leaf(a, 2, "d");
    skn_comparison c;

    (void)state;
    c = compared(a, tree(a, leaf(a, 1, "abc"), same, leaf(a, 3, "e")),
                 tree(a, leaf(a, 4, "a"), same, leaf(a, 5, "bce")));
    assert_int_equal(moved(&c), 1);
    for (size_t i = 0; i < c.shared.n; i++)
        assert_int_equal(c.shared.p[i].moved, c.shared.p[i].at_x == 3);
    skn_arena_free(a);
}

static void what_one_tree_lacks_is_told_with_its_place(void **state)
{
    skn_arena     *a = skn_arena_new();
    skn_node      *same = leaf(a, 2, "cde");
    skn_comparison c;

    (void)state;
    c = compared(a, tree(a, leaf(a, 1, "ab"), same, leaf(a, 3, "fg")),
                 tree(a, leaf(a, 4, "a"), same, leaf(a, 5, "fxg")));
    assert_int_equal(c.only_x.n, 1);
    assert_int_equal(c.only_x.p[0].lo, 'b');
    assert_int_equal(c.only_x.p[0].at, 1);
    assert_int_equal(c.only_y.n, 1);
    assert_int_equal(c.only_y.p[0].lo, 'x');
    assert_int_equal(c.only_y.p[0].at, 5);
    assert_int_equal(moved(&c), 0);
    skn_arena_free(a);
}

static void trees_that_were_not_saved_share_no_nodes_but_all_items(void **state)
{
    skn_arena     *a = skn_arena_new();
    skn_comparison c;

    (void)state;
    c = compared(a, tree(a, leaf(a, 0, "a"), leaf(a, 0, "b"), leaf(a, 0, "c")),
                 tree(a, leaf(a, 0, "a"), leaf(a, 0, "b"), leaf(a, 0, "c")));
    assert_int_equal(c.only_x.n + c.only_y.n, 0);
    assert_int_equal(c.shared.n, 3);
    assert_int_equal(moved(&c), 0);
    skn_arena_free(a);
}

static void a_node_of_the_wrong_level_is_called_damage(void **state)
{
    skn_arena     *a = skn_arena_new();
    skn_tree       x = tree(a, leaf(a, 1, "a"), leaf(a, 2, "b"), leaf(a, 3, "c")), none = {0};
    skn_trees      f = {.a = a};
    skn_comparison c;
    skein_error    err;

    (void)state;
    x.root->level = 3;
    assert_int_equal(skn_trees_compare(&f, &x, &none, &c, &err), SKEIN_DAMAGED);
    skn_arena_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_item_that_jumps_over_a_shared_leaf_was_moved),
        cmocka_unit_test(the_fewest_items_are_called_moved),
        cmocka_unit_test(what_one_tree_lacks_is_told_with_its_place),
        cmocka_unit_test(trees_that_were_not_saved_share_no_nodes_but_all_items),
        cmocka_unit_test(a_node_of_the_wrong_level_is_called_damage),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
