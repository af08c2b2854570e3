/* Trees of spans, broken by hand: the check says "dense-positions", and why. */
#include "store/fsck_kit.h"

#include "engine/core.h"

typedef struct node_work {
    kit      *k;
    int64_t   root; /* of the thread whose tree is broken */
    skn_node *node;
    bool      decoded;
} node_work;

static skein_rc read_root(skn_tx *tx, void *arg, skein_error *err)
{
    node_work *w = arg;
    skn_str    bytes;
    int        level;
    bool       found;
    skein_rc   rc = skn_node_get(tx, w->root, w->k->mem, &level, &bytes, &found, err);

    w->decoded = !rc && found && skn_node_decode(bytes, level, w->k->mem, &w->node);
    return rc;
}

/* Writes a node over the one with this id, and the length that goes with it. */
static void write_node(kit *k, int64_t id, const skn_node *n)
{
    skn_buf bytes, sql;
    skn_str b;

    skn_buf_init(&bytes, 1 << 20);
    skn_buf_init(&sql, 1 << 20);
    b = skn_node_encode(n, &bytes);
    skn_buf_addf(&sql, "UPDATE nodes SET entries = %s", k->fx->pg ? "'\\x" : "X'");
    for (size_t i = 0; i < b.n; i++)
        skn_buf_addf(&sql, "%02x", (unsigned)(unsigned char)b.p[i]);
    skn_buf_addf(&sql, "' WHERE id = %lld", (long long)id);
    vandalise(k, sql.p);
    skn_buf_release(&sql);
    skn_buf_release(&bytes);
}

/* A chat with enough edits for a tree of several spans, and the root of its current thread. */
static node_work grow(kit *k, void **state, int messages)
{
    node_work        w = {.k = k};
    skein_version    v = {0};
    skein_message_id ids[400];
    skein_message    m;

    kit_open(k, state);
    for (int i = 0; i < messages; i++)
        ids[i] = kit_say(k, SKEIN_USER, "human", "one more").id;
    for (int i = 1; i < messages; i += 2)
        KIT_OK(k, skein_amend(k->e, &k->how, ids[i], skein_text("edited"), k->mem, &v, &m,
                              &k->err));
    w.root = skn_fixture_number(
        k->fx, "SELECT root_id FROM threads WHERE id = (SELECT MAX(t.id) FROM "
               "threads t JOIN lanes l ON l.id = t.lane_id WHERE l.key = 'main')");
    kit_check(k);
    KIT_OK(k, skn_store_read(k->fx->store, read_root, &w, &k->err));
    assert_true(w.decoded);
    return w;
}

static void after(node_work *w, const char *text)
{
    write_node(w->k, w->root, w->node);
    expect_only(w->k, "dense-positions", text);
    done(w->k);
}

static void a_span_beyond_its_items_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 6);

    assert_true(w.node->count > 2);
    w.node->e[0].span.lo += 1000;
    after(&w, "not there");
}

static void a_span_with_narrow_keys_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 6);

    w.node->e[0].span.kmin += 1000;
    w.node->e[0].span.kmax += 1000;
    after(&w, "do not bound");
}

static void an_item_twice_in_a_tree_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 6);
    size_t    other = 2;

    assert_int_equal(w.node->e[0].span.len, w.node->e[other].span.len);
    w.node->e[other] = w.node->e[0];
    after(&w, "holds an item twice");
}

static void a_node_that_miscounts_its_child_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 80);

    assert_int_equal(w.node->level, 1);
    w.node->e[0].span.len++;
    w.node->e[1].span.len--;
    after(&w, "miscounts");
}

static void a_node_with_a_child_of_its_own_level_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 80);

    w.node->e[0].child_id = w.root;
    after(&w, "no earlier node");
}

static void a_node_that_holds_a_child_twice_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 80);

    assert_int_equal(w.node->e[0].span.len, w.node->e[1].span.len);
    w.node->e[1] = w.node->e[0];
    after(&w, "holds an item twice");
}

/* What the newest leaf repeats stands in a leaf that it shares with the thread it was made from. */
static void an_item_twice_across_leaves_is_found(void **state)
{
    kit        k;
    node_work  w = grow(&k, state, 80), fresh = {.k = &k};
    skn_entry *newest = &w.node->e[0], *other = &w.node->e[0];

    for (size_t i = 0; i < w.node->count; i++)
        if (w.node->e[i].child_id > newest->child_id)
            newest = &w.node->e[i];
    if (newest == other)
        other++;
    fresh.root = newest->child_id;
    KIT_OK(&k, skn_store_read(k.fx->store, read_root, &fresh, &k.err));
    w.root = other->child_id;
    KIT_OK(&k, skn_store_read(k.fx->store, read_root, &w, &k.err));
    assert_true(fresh.decoded && w.decoded);
    assert_int_equal(fresh.node->e[0].span.len, w.node->e[0].span.len);
    fresh.node->e[0] = w.node->e[0];
    write_node(&k, fresh.root, fresh.node);
    expect_among(&k, "dense-positions", "holds an item twice");
    done(&k);
}

static void a_node_that_cannot_be_read_is_found(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 80);

    vandalise(&k, k.fx->pg ? "UPDATE nodes SET entries = '\\x05' WHERE level = 1"
                           : "UPDATE nodes SET entries = X'05' WHERE level = 1");
    (void)w;
    expect(&k, "dense-positions");
    done(&k);
}

/* --- Changing what is damaged ------------------------------------------------------------------- */

/* Every change and every reading that comes by says so, and none of them runs for ever. */
static void expect_damaged(node_work *w)
{
    kit             *k = w->k;
    skein_version    v;
    skein_messages   all;
    skein_at         at;
    skein_message_id first = {
        skn_fixture_number(k->fx, "SELECT MIN(message_id) FROM items WHERE seq = 0")};

    write_node(k, w->root, w->node);
    assert_int_equal(
        skein_amend(k->e, &k->how, first, skein_text("again"), k->mem, &v, NULL, &k->err),
        SKEIN_DAMAGED);
    assert_int_equal(
        skein_delete(k->e, &k->how, (skein_message_ids){&first, 1}, k->mem, &v, &k->err),
        SKEIN_DAMAGED);
    assert_int_equal(skein_read(k->e, &(skein_slice){.conversation = k->chat.id, .count = 100},
                                k->mem, &all, &at, &k->err),
                     SKEIN_DAMAGED);
    done(k);
}

static void a_node_that_is_its_own_child_stops_every_change(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 80);

    assert_int_equal(w.node->level, 1);
    for (size_t i = 0; i < w.node->count; i++)
        w.node->e[i].child_id = w.root;
    expect_damaged(&w);
}

static void lengths_that_overflow_are_damage(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 6);

    w.node->e[0].span.len = INT64_MAX;
    w.node->e[1].span.len = INT64_MAX;
    expect_damaged(&w);
}

/* The root's splice goes down by position alone, before anything was looked for by its key. */
static skein_rc splice_damaged(skn_tx *tx, void *arg, skein_error *err)
{
    node_work *w = arg;
    skn_trees  f;
    skn_tree   t;
    skein_rc   rc;

    skn_trees_init(&f, tx, w->k->mem, w->k->chat.id.v);
    if ((rc = skn_tree_open(&f, w->root, 80, &t, err)))
        return rc;
    return skn_tree_splice(&f, &t, 1, 2, NULL, 0, err);
}

static void a_splice_does_not_follow_a_circle(void **state)
{
    kit       k;
    node_work w = grow(&k, state, 80);

    for (size_t i = 0; i < w.node->count; i++)
        w.node->e[i].child_id = w.root;
    write_node(&k, w.root, w.node);
    assert_int_equal(skn_store_read(k.fx->store, splice_damaged, &w, &k.err), SKEIN_DAMAGED);
    done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_span_beyond_its_items_is_found),
        SKN_BOTH(a_span_with_narrow_keys_is_found),
        SKN_BOTH(an_item_twice_in_a_tree_is_found),
        SKN_BOTH(a_node_that_miscounts_its_child_is_found),
        SKN_BOTH(a_node_with_a_child_of_its_own_level_is_found),
        SKN_BOTH(a_node_that_holds_a_child_twice_is_found),
        SKN_BOTH(an_item_twice_across_leaves_is_found),
        SKN_BOTH(a_node_that_cannot_be_read_is_found),
        SKN_BOTH(a_node_that_is_its_own_child_stops_every_change),
        SKN_BOTH(lengths_that_overflow_are_damage),
        SKN_BOTH(a_splice_does_not_follow_a_circle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
