/* Replies in random histories: one pass over the thread and single look-ups say the same. */
#include "store/reply_kit.h"

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void change_somehow(kit *k, uint64_t *seed, const skein_messages *m)
{
    skein_message a = m->at[next(seed) % m->count], b = m->at[next(seed) % m->count];
    skein_version v;

    switch (next(seed) % 12) {
    case 0:
        amend(k, a, "edited");
        break;
    case 1:
        if (a.id.v != b.id.v)
            squash(k, a, b, "squashed");
        break;
    case 2:
        drop(k, a);
        break;
    case 3:
        if (a.id.v != b.id.v)
            KIT_OK(k, skein_reorder(k->e, &k->how, (skein_message_ids){&a.id, 1}, b.id, k->mem,
                                    &v, &k->err));
        break;
    case 4:
        say_to(k, SKEIN_USER, "human", "root", NULL);
        break;
    default:
        say_to(k, SKEIN_ASSISTANT, next(seed) % 2 ? "ada" : "bo",
               next(seed) % 3 ? "x" : "@cy x", &a);
        break;
    }
}

/* A squash answers what each of its sources did, and has one place in the tree. */
static void drop_answers_from_elsewhere(const skein_reply_tree *whole, int64_t of,
                                        skein_messages *down)
{
    size_t n = 0;

    for (size_t i = 0; i < down->count; i++) {
        const skein_reply_node *node = whole->at;

        while (node->message.id.v != down->at[i].id.v)
            node++;
        if (node->parent == of)
            down->at[n++] = down->at[i];
        else
            assert_true(node->message.squash_uid.n || node->message.version_of.v);
    }
    down->count = n;
}

/* Every node of the whole tree, asked for alone. */
static void compare_with_single_calls(kit *k, const skein_reply_tree *whole)
{
    for (size_t i = 0; i < whole->count; i++) {
        const skein_reply_node *n = &whole->at[i];
        skein_messages          up, down;
        size_t                  at = 0;

        KIT_OK(k,
               skein_reply_ancestors(k->e, k->chat.id, 0, n->message.id, k->mem, &up, &k->err));
        assert_int_equal(up.count, n->depth);
        if (n->depth > 0)
            assert_int_equal(up.at[0].id.v, whole->at[n->parent].message.id.v);
        KIT_OK(k, skein_reply_children(k->e, k->chat.id, 0, n->message.id, k->mem, &down,
                                       &k->err));
        assert_int_equal(down.count, n->replies);
        drop_answers_from_elsewhere(whole, (int64_t)i, &down);
        for (size_t c = i + 1; c < whole->count; c++)
            if (whole->at[c].parent == (int64_t)i) {
                assert_int_equal(down.at[at].id.v, whole->at[c].message.id.v);
                assert_int_equal(down.at[at++].position, whole->at[c].message.position);
            }
        assert_int_equal(at, down.count);
    }
}

/* The trees under all roots, one after the other, are the whole tree. */
static void compare_with_subtrees(kit *k, const skein_reply_tree *whole)
{
    size_t at = 0;

    while (at < whole->count) {
        skein_reply_tree sub = tree(k, 0, &whole->at[at].message);

        for (size_t i = 0; i < sub.count; i++, at++) {
            assert_int_equal(sub.at[i].message.id.v, whole->at[at].message.id.v);
            assert_int_equal(sub.at[i].depth, whole->at[at].depth);
            assert_int_equal(sub.at[i].replies, whole->at[at].replies);
            assert_int_equal(sub.at[i].unanswered, whole->at[at].unanswered);
            assert_int_equal(sub.at[i].memory_only, whole->at[at].memory_only);
        }
    }
}

static void compare_with_stats(kit *k, const skein_reply_tree *whole)
{
    skein_stats s;
    int64_t     memory = 0, roots = 0;

    for (size_t i = 0; i < whole->count; i++) {
        memory += whole->at[i].memory_only;
        roots += whole->at[i].parent < 0;
    }
    KIT_OK(k,
           skein_stats_read(k->e, k->chat.id, 0, (skein_message_id){0}, k->mem, &s, &k->err));
    assert_int_equal(s.messages, whole->count);
    assert_int_equal(s.unanswered, whole->unanswered);
    assert_int_equal(s.memory_only, memory);
    assert_int_equal(s.roots, roots);
    assert_int_equal(s.depth, whole->depth);
}

static void all_ways_of_asking_agree_in_random_histories(void **state)
{
    kit      k;
    uint64_t seed = 0x5eed5eed5eed;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "first");
    kit_say(&k, SKEIN_USER, "human", "second");
    for (int i = 0; i < 120; i++) {
        skein_slice      what = {.conversation = k.chat.id};
        skein_messages   m;
        skein_at         at;
        skein_reply_tree whole;

        KIT_OK(&k, skein_read(k.e, &what, k.mem, &m, &at, &k.err));
        if (m.count == 0)
            kit_say(&k, SKEIN_USER, "human", "again");
        else
            change_somehow(&k, &seed, &m);
        if (i % 12 != 11)
            continue;
        whole = tree(&k, 0, NULL);
        compare_with_single_calls(&k, &whole);
        compare_with_subtrees(&k, &whole);
        compare_with_stats(&k, &whole);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(all_ways_of_asking_agree_in_random_histories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
