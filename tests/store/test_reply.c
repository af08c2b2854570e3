/* Who answers whom: by lineage, through squashes, in every version; what nobody answered; counting. */
#include "store/kit.h"

#include "base/arena.h"
#include "base/buf.h"

#include <stdlib.h>

static skein_message say_to(kit *k, skein_role role, const char *sender, const char *text,
                            const skein_message *to)
{
    skein_new_message m = {
        .role = role, .sender = skein_text(sender), .content = skein_text(text)};
    skein_messages out;

    if (to)
        m.reply_to = to->uid;
    KIT_OK(k, kit_append(k, &m, 1, &out));
    return out.at[0];
}

static skein_message edit(kit *k, skein_message m, const char *text)
{
    skein_version v;
    skein_message out;

    KIT_OK(k, skein_edit(k->e, &k->how, m.id, skein_text(text), k->mem, &v, &out, &k->err));
    return out;
}

static skein_message squash(kit *k, skein_message a, skein_message b, const char *text)
{
    skein_message_id  ids[] = {a.id, b.id};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text(text)};
    skein_squash      s;

    KIT_OK(k, skein_squash_messages(k->e, &k->how, &spec, k->mem, &s, &k->err));
    return s.result;
}

static void drop(kit *k, skein_message m)
{
    skein_version v;

    KIT_OK(k, skein_delete(k->e, &k->how, (skein_message_ids){&m.id, 1}, k->mem, &v, &k->err));
}

/* "a(b(c) d) e": the texts, replies in brackets; "!" unanswered, "~" only in memory. */
static const char *tree_text(kit *k, const skein_reply_tree *t)
{
    skn_buf b;
    skn_str text;
    int     depth = 0;

    skn_buf_init(&b, 1 << 24);
    for (size_t i = 0; i < t->count; i++) {
        const skein_reply_node *n = &t->at[i];

        for (; depth > n->depth; depth--)
            skn_buf_addc(&b, ')');
        if (i > 0)
            skn_buf_addc(&b, depth < n->depth ? '(' : ' ');
        depth = n->depth;
        skn_buf_add(&b, n->message.content);
        skn_buf_addf(&b, "%s%s", n->unanswered ? "!" : "", n->memory_only ? "~" : "");
    }
    skn_buf_fill(&b, ')', (size_t)depth);
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static skein_reply_tree tree(kit *k, int64_t version, const skein_message *root)
{
    skein_reply_tree t;

    KIT_OK(k,
           skein_reply_tree_read(k->e, k->how.conversation, version,
                                 root ? root->id : (skein_message_id){0}, k->mem, &t, &k->err));
    return t;
}

static void tree_is(kit *k, int64_t version, const skein_message *root, const char *expected)
{
    skein_reply_tree t = tree(k, version, root);

    assert_string_equal(tree_text(k, &t), expected);
}

typedef skein_rc related(skein_engine *, skein_conversation_id, int64_t, skein_message_id,
                         skein_mem *, skein_messages *, skein_error *);

static void they_are(kit *k, related *call, skein_message of, const char *expected)
{
    skein_messages m;
    skn_buf        b;

    KIT_OK(k, call(k->e, k->how.conversation, 0, of.id, k->mem, &m, &k->err));
    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR(""));
    for (size_t i = 0; i < m.count; i++)
        skn_buf_addf(&b, "%s%s", i ? " " : "", m.at[i].content.p);
    assert_string_equal(b.p, expected);
    skn_buf_release(&b);
}

/* --- Replies --------------------------------------------------------------------------------------- */

static void replies_hang_under_what_they_answer(void **state)
{
    kit           k;
    skein_message a, b, c, d;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    kit_say(&k, SKEIN_USER, "human", "x");
    c = kit_reply(&k, "bo", "c", a.uid);
    d = kit_reply(&k, "cy", "d", b.uid);
    tree_is(&k, 0, NULL, "a(b(d!) c!) x!");
    tree_is(&k, 0, &b, "b(d!)");
    they_are(&k, skein_reply_children, a, "b c");
    they_are(&k, skein_reply_ancestors, d, "b a");
    they_are(&k, skein_reply_ancestors, a, "");
    they_are(&k, skein_reply_siblings, c, "b");
    they_are(&k, skein_reply_siblings, a, "");
    assert_int_equal(tree(&k, 0, NULL).depth, 3);
    assert_int_equal(tree(&k, 0, NULL).unanswered, 3);
    kit_close(&k);
}

static void case_13_a_reply_to_an_edited_message_still_counts(void **state)
{
    kit           k;
    skein_message a, b, edited;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    edited = edit(&k, a, "A");
    tree_is(&k, 0, NULL, "A(b!)");
    they_are(&k, skein_reply_ancestors, b, "A");
    they_are(&k, skein_reply_children, edited, "b");
    they_are(&k, skein_reply_children, a, "b"); /* asked for by its old id */
    edited = edit(&k, edited, "AA");
    kit_reply(&k, "bo", "c", edited.uid);
    tree_is(&k, 0, NULL, "AA(b! c!)");
    tree_is(&k, 1, NULL, "a(b!)");
    edit(&k, b, "B");
    tree_is(&k, 0, NULL, "AA(B! c!)");
    kit_close(&k);
}

static void case_13_a_reply_to_a_squashed_message_hangs_under_the_result(void **state)
{
    kit           k;
    skein_message a, b, c, d, r, s;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_say(&k, SKEIN_USER, "human", "b");
    c = kit_reply(&k, "ada", "c", b.uid);
    d = kit_say(&k, SKEIN_USER, "human", "d");
    r = squash(&k, a, b, "ab");
    tree_is(&k, 0, NULL, "ab(c!) d!");
    they_are(&k, skein_reply_ancestors, c, "ab");
    they_are(&k, skein_reply_children, r, "c");
    s = squash(&k, edit(&k, r, "AB"), d, "abd"); /* through an edit and another squash */
    tree_is(&k, 0, NULL, "abd(c!)");
    they_are(&k, skein_reply_children, s, "c");
    they_are(&k, skein_reply_children, a, "c");
    edit(&k, s, "ABD");
    tree_is(&k, 0, NULL, "ABD(c!)");
    tree_is(&k, 1, NULL, "a! b(c!) d!");
    kit_close(&k);
}

static void a_reply_to_what_the_version_does_not_hold_is_a_root(void **state)
{
    kit            k;
    skein_message  a, b, c;
    skein_messages m;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    c = kit_reply(&k, "bo", "c", b.uid);
    drop(&k, b);
    tree_is(&k, 0, NULL, "a! c!");
    they_are(&k, skein_reply_ancestors, c, "");
    they_are(&k, skein_reply_children, a, "");
    assert_int_equal(skein_reply_children(k.e, k.chat.id, 0, b.id, k.mem, &m, &k.err),
                     SKEIN_NOT_FOUND);
    assert_non_null(strstr(k.err.message, "is not in v2"));
    assert_int_equal(
        skein_reply_ancestors(k.e, k.chat.id, 0, (skein_message_id){999999}, k.mem, &m, &k.err),
        SKEIN_NOT_FOUND);
    tree_is(&k, 1, NULL, "a(b(c!))");
    kit_close(&k);
}

static void moved_messages_keep_their_parents(void **state)
{
    kit           k;
    skein_message a, b, c;
    skein_version v;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    c = kit_reply(&k, "bo", "c", a.uid);
    KIT_OK(&k,
           skein_reorder(k.e, &k.how, (skein_message_ids){&c.id, 1}, a.id, k.mem, &v, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "c a b");
    tree_is(&k, 0, NULL, "a(c! b!)");
    they_are(&k, skein_reply_children, a, "c b");
    they_are(&k, skein_reply_siblings, b, "c");
    kit_close(&k);
}

static void a_branch_shows_the_replies_it_took_along(void **state)
{
    kit                k;
    skein_message      a, b;
    skein_conversation branch;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("other"), k.mem, &branch, &k.err));
    kit_reply(&k, "bo", "here", b.uid);
    k.how.conversation = branch.id;
    kit_reply(&k, "bo", "there", a.uid);
    tree_is(&k, 0, NULL, "a(b! there!)");
    they_are(&k, skein_reply_children, a, "b there");
    k.how.conversation = k.chat.id;
    tree_is(&k, 0, NULL, "a(b(here!))");
    kit_close(&k);
}

static void case_22_the_deepest_chain_and_one_more(void **state)
{
    kit              k;
    skein_message    m;
    skein_messages   up;
    skein_reply_tree t;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "m");
    for (int i = 1; i < 100; i++) {
        m = kit_reply(&k, "ada", "m", m.uid);
        assert_int_equal(m.reply_depth, i);
    }
    KIT_OK(&k, skein_reply_ancestors(k.e, k.chat.id, 0, m.id, k.mem, &up, &k.err));
    assert_int_equal(up.count, 99);
    m = kit_reply(&k, "ada", "m", m.uid);
    assert_int_equal(m.reply_depth, 0);
    assert_non_null(m.warning.p);
    t = tree(&k, 0, NULL);
    assert_int_equal(t.depth, 100);
    assert_int_equal(t.at[100].depth, 0);
    kit_close(&k);
}

/* Rows that no program writes: a loop through an edit, and a chain far beyond the limit. */
static void a_loop_in_damaged_data_is_cut_at_its_first_message(void **state)
{
    kit           k;
    skein_message a, b, c;
    char          sql[400];
    skein_stats   s;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    c = kit_reply(&k, "bo", "c", b.uid);
    edit(&k, a, "A");
    /* The edited text answers c, which answers b, which answers it. */
    snprintf(sql, sizeof sql,
             "UPDATE messages SET reply_to_id = %lld, reply_to_uid = '%s' WHERE version_of_id "
             "= %lld",
             (long long)c.id.v, c.uid.p, (long long)a.id.v);
    skn_fixture_sql(k.fx, sql);
    tree_is(&k, 0, NULL, "A(b(c!))");
    they_are(&k, skein_reply_ancestors, c, "b A");
    they_are(&k, skein_reply_ancestors, a, "");
    they_are(&k, skein_reply_children, c, "");
    they_are(&k, skein_reply_children, a, "b");
    tree_is(&k, 0, &b, "b(c!)");
    KIT_OK(&k, skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &s, &k.err));
    assert_int_equal(s.depth, 3);
    skein_close(k.e); /* fsck would find it */
    skein_mem_free(k.mem);
}

static void a_chain_of_ten_thousand_is_walked_without_recursion(void **state)
{
    kit                k;
    skein_messages     out, up;
    skein_new_message  m[5000];
    skein_reply_tree   t;
    static const char *sql =
        "UPDATE messages SET reply_to_id = id - 1, reply_to_uid = (SELECT p.uid "
        "FROM messages p WHERE p.id = messages.id - 1) WHERE id > (SELECT "
        "min(id) FROM messages)";

    kit_open(&k, state);
    for (int i = 0; i < 5000; i++)
        m[i] = (skein_new_message){.role = SKEIN_USER, .content = skein_text("m")};
    for (int i = 0; i < 2; i++)
        KIT_OK(&k, kit_append(&k, m, 5000, &out));
    skn_fixture_sql(k.fx, sql);
    t = tree(&k, 0, NULL);
    assert_int_equal(t.count, 10000);
    assert_int_equal(t.depth, 10000);
    assert_int_equal(t.at[9999].parent, 9998);
    KIT_OK(&k, skein_reply_ancestors(k.e, k.chat.id, 0, out.at[4999].id, k.mem, &up, &k.err));
    assert_int_equal(up.count, 9999);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

/* --- What nobody answered ------------------------------------------------------------------------------ */

static void only_words_wait_for_an_answer(void **state)
{
    kit k;

    kit_open(&k, state);
    kit_call(&k, "ada", "c1");
    kit_result(&k, "c1");
    kit_say(&k, SKEIN_SYSTEM, "system", "notice");
    kit_say(&k, SKEIN_USER, "human", "a");
    tree_is(&k, 0, NULL, "calling(found) notice a!");
    kit_close(&k);
}

static void a_note_to_others_is_only_in_memory(void **state)
{
    kit           k;
    skein_message a, note;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    note = say_to(&k, SKEIN_ASSISTANT, "ada", "@bo n1", &a); /* answers, but speaks to bo */
    say_to(&k, SKEIN_ASSISTANT, "ada", "@nobody n2", &a);    /* no such agent */
    say_to(&k, SKEIN_ASSISTANT, "ada", "n3 @bo", &a);        /* not at the beginning */
    say_to(&k, SKEIN_ASSISTANT, "ada", "n4", NULL);          /* answers nothing */
    tree_is(&k, 0, NULL, "a(@bo n1~ @nobody n2! n3 @bo!) n4~");
    kit_reply(&k, "bo", "thanks", note.uid);
    tree_is(&k, 0, NULL, "a(@bo n1(thanks!) @nobody n2! n3 @bo!) n4~");
    kit_close(&k);
}

/* Nobody else has it in memory. */
static void what_only_its_author_heard_is_unanswered(void **state)
{
    kit               k;
    skein_str         self = skein_text("ada");
    skein_messages    out;
    skein_new_message m = {.role = SKEIN_ASSISTANT,
                           .sender = skein_text("ada"),
                           .content = skein_text("aloud"),
                           .heard_by = &self,
                           .heard_by_count = 1,
                           .heard_by_given = true};

    kit_open(&k, state);
    KIT_OK(&k, kit_append(&k, &m, 1, &out));
    tree_is(&k, 0, NULL, "aloud!");
    kit_close(&k);
}

/* --- Counting --------------------------------------------------------------------------------------------- */

static const char *pairs(kit *k, const skein_pair_count *p, size_t n)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < n; i++)
        skn_buf_addf(&b, "%s%s%s%s:%lld", i ? " " : "", p[i].who.p, p[i].whom.p ? ">" : "",
                     p[i].whom.p ? p[i].whom.p : "", (long long)p[i].count);
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static void stats_count_who_answers_whom(void **state)
{
    kit           k;
    skein_message a, b, c;
    skein_stats   s;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    c = kit_reply(&k, "bo", "c", b.uid);
    kit_reply(&k, "ada", "d", c.uid);
    kit_reply(&k, "ada", "e", a.uid);
    say_to(&k, SKEIN_ASSISTANT, "cy", "f", NULL);
    KIT_OK(&k, skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &s, &k.err));
    assert_int_equal(s.messages, 6);
    assert_int_equal(s.replies, 4);
    assert_int_equal(s.roots, 2);
    assert_int_equal(s.unanswered, 2);
    assert_int_equal(s.memory_only, 1);
    assert_int_equal(s.depth, 4);
    assert_true(s.replies_a_message > 0.66 && s.replies_a_message < 0.67);
    assert_string_equal(pairs(&k, s.answers, s.answer_count), "ada>human:2 ada>bo:1 bo>ada:1");
    assert_string_equal(pairs(&k, s.senders, s.sender_count), "ada:3 bo:1 cy:1 human:1");
    assert_int_equal(s.busiest_count, 2);
    assert_string_equal(s.busiest[0].root.content.p, "a");
    assert_int_equal(s.busiest[0].messages, 5);
    assert_int_equal(s.busiest[0].depth, 4);
    assert_int_equal(s.busiest[0].root.position, 0);
    KIT_OK(&k, skein_stats_read(k.e, k.chat.id, 0, b.id, k.mem, &s, &k.err));
    assert_int_equal(s.messages, 3);
    assert_int_equal(s.depth, 3);
    assert_string_equal(pairs(&k, s.answers, s.answer_count), "ada>bo:1 bo>ada:1");
    kit_close(&k);
}

static void an_empty_version_counts_nothing(void **state)
{
    kit              k;
    skein_stats      s;
    skein_reply_tree t;

    kit_open(&k, state);
    KIT_OK(&k, skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &s, &k.err));
    assert_int_equal(s.messages, 0);
    assert_int_equal(s.depth, 0);
    t = tree(&k, 0, NULL);
    assert_int_equal(t.count, 0);
    assert_int_equal(
        skein_reply_tree_read(k.e, k.chat.id, 7, (skein_message_id){0}, k.mem, &t, &k.err),
        SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void only_the_ten_busiest_threads_are_listed(void **state)
{
    kit         k;
    skein_stats s;

    kit_open(&k, state);
    for (int i = 0; i < 12; i++) {
        skein_message m = kit_say(&k, SKEIN_USER, "human", "m");

        for (int n = 0; n < i; n++)
            kit_reply(&k, "ada", "r", m.uid);
    }
    KIT_OK(&k, skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &s, &k.err));
    assert_int_equal(s.busiest_count, 10);
    assert_int_equal(s.busiest[0].messages, 12);
    assert_int_equal(s.busiest[9].messages, 3);
    kit_close(&k);
}

/* --- Random histories: one pass over the thread and single look-ups say the same --------------------------- */

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
        edit(k, a, "edited");
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
        SKN_BOTH(replies_hang_under_what_they_answer),
        SKN_BOTH(case_13_a_reply_to_an_edited_message_still_counts),
        SKN_BOTH(case_13_a_reply_to_a_squashed_message_hangs_under_the_result),
        SKN_BOTH(a_reply_to_what_the_version_does_not_hold_is_a_root),
        SKN_BOTH(moved_messages_keep_their_parents),
        SKN_BOTH(a_branch_shows_the_replies_it_took_along),
        SKN_BOTH(case_22_the_deepest_chain_and_one_more),
        SKN_BOTH(a_loop_in_damaged_data_is_cut_at_its_first_message),
        SKN_BOTH(a_chain_of_ten_thousand_is_walked_without_recursion),
        SKN_BOTH(only_words_wait_for_an_answer),
        SKN_BOTH(a_note_to_others_is_only_in_memory),
        SKN_BOTH(what_only_its_author_heard_is_unanswered),
        SKN_BOTH(stats_count_who_answers_whom),
        SKN_BOTH(an_empty_version_counts_nothing),
        SKN_BOTH(only_the_ten_busiest_threads_are_listed),
        SKN_BOTH(all_ways_of_asking_agree_in_random_histories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
