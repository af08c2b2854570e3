/* Who answers whom: by lineage, through squashes, in every version; what nobody answered; counting. */
#include "store/reply_kit.h"

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
    tree_is(&k, 0, NULL, "a(b(d) c) x!");
    tree_is(&k, 0, &b, "b(d)");
    they_are(&k, skein_reply_children, a, "b c");
    they_are(&k, skein_reply_ancestors, d, "b a");
    they_are(&k, skein_reply_ancestors, a, "");
    they_are(&k, skein_reply_siblings, c, "b");
    they_are(&k, skein_reply_siblings, a, "");
    assert_int_equal(tree(&k, 0, NULL).depth, 3);
    assert_int_equal(tree(&k, 0, NULL).unanswered, 1);
    kit_close(&k);
}

static void a_reply_to_an_edited_message_still_counts(void **state)
{
    kit           k;
    skein_message a, b, edited;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_reply(&k, "ada", "b", a.uid);
    edited = amend(&k, a, "A");
    tree_is(&k, 0, NULL, "A(b)");
    they_are(&k, skein_reply_ancestors, b, "A");
    they_are(&k, skein_reply_children, edited, "b");
    they_are(&k, skein_reply_children, a, "b"); /* asked for by its old id */
    edited = amend(&k, edited, "AA");
    kit_reply(&k, "bo", "c", edited.uid);
    tree_is(&k, 0, NULL, "AA(b c)");
    tree_is(&k, 1, NULL, "a(b)");
    amend(&k, b, "B");
    tree_is(&k, 0, NULL, "AA(B c)");
    kit_close(&k);
}

static void a_reply_to_a_squashed_message_hangs_under_the_result(void **state)
{
    kit           k;
    skein_message a, b, c, d, r, s;

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = kit_say(&k, SKEIN_USER, "human", "b");
    c = kit_reply(&k, "ada", "c", b.uid);
    d = kit_say(&k, SKEIN_USER, "human", "d");
    r = squash(&k, a, b, "ab");
    tree_is(&k, 0, NULL, "ab(c) d!");
    they_are(&k, skein_reply_ancestors, c, "ab");
    they_are(&k, skein_reply_children, r, "c");
    s = squash(&k, amend(&k, r, "AB"), d, "abd"); /* through an edit and another squash */
    tree_is(&k, 0, NULL, "abd(c)");
    they_are(&k, skein_reply_children, s, "c");
    they_are(&k, skein_reply_children, a, "c");
    amend(&k, s, "ABD");
    tree_is(&k, 0, NULL, "ABD(c)");
    tree_is(&k, 1, NULL, "a! b(c) d!");
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
    tree_is(&k, 0, NULL, "a! c");
    they_are(&k, skein_reply_ancestors, c, "");
    they_are(&k, skein_reply_children, a, "");
    assert_int_equal(skein_reply_children(k.e, k.chat.id, 0, b.id, k.mem, &m, &k.err),
                     SKEIN_NOT_FOUND);
    assert_non_null(strstr(k.err.message, "is not in v2"));
    assert_int_equal(
        skein_reply_ancestors(k.e, k.chat.id, 0, (skein_message_id){999999}, k.mem, &m, &k.err),
        SKEIN_NOT_FOUND);
    tree_is(&k, 1, NULL, "a(b(c))");
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
    tree_is(&k, 0, NULL, "a(c b)");
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
    tree_is(&k, 0, NULL, "a(b there)");
    they_are(&k, skein_reply_children, a, "b there");
    k.how.conversation = k.chat.id;
    tree_is(&k, 0, NULL, "a(b(here))");
    kit_close(&k);
}

static void the_deepest_chain_and_one_more(void **state)
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
    amend(&k, a, "A");
    /* The edited text answers c, which answers b, which answers it. */
    snprintf(sql, sizeof sql,
             "UPDATE messages SET reply_to_id = %lld, reply_to_uid = '%s' WHERE version_of_id "
             "= %lld",
             (long long)c.id.v, c.uid.p, (long long)a.id.v);
    skn_fixture_sql(k.fx, sql);
    tree_is(&k, 0, NULL, "A(b(c))");
    they_are(&k, skein_reply_ancestors, c, "b A");
    they_are(&k, skein_reply_ancestors, a, "");
    they_are(&k, skein_reply_children, c, "");
    they_are(&k, skein_reply_children, a, "b");
    tree_is(&k, 0, &b, "b(c)");
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

/* --- Squashes of answers ------------------------------------------------------------------------------ */

static void a_squash_of_answers_answers_each_question_of_theirs(void **state)
{
    kit            k;
    skein_message  q1, q2, q3, a1, a2, a3, s;
    skein_messages down;
    skein_stats    stats;

    kit_open(&k, state);
    q1 = kit_say(&k, SKEIN_USER, "human", "q1");
    a1 = kit_reply(&k, "ada", "a1", q1.uid);
    q2 = kit_say(&k, SKEIN_USER, "human", "q2");
    a2 = kit_reply(&k, "ada", "a2", q2.uid);
    q3 = kit_say(&k, SKEIN_USER, "human", "q3");
    a3 = kit_reply(&k, "ada", "a3", q3.uid);
    s = squash(&k, a1, a2, "s");
    tree_is(&k, 0, NULL, "q1(s) q2 q3(a3)"); /* "!" would be unanswered */
    KIT_OK(&k, skein_reply_children(k.e, k.chat.id, 0, q2.id, k.mem, &down, &k.err));
    assert_int_equal(down.count, 1);
    assert_int_equal(down.at[0].id.v, s.id.v);
    KIT_OK(&k,
           skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &stats, &k.err));
    assert_int_equal(stats.unanswered, 0);
    assert_int_equal(stats.replies, 2);

    s = squash(&k, s, a3, "all"); /* a squash of a squash */
    tree_is(&k, 0, NULL, "q1(all) q2 q3");
    s = amend(&k, s, "all of it");
    tree_is(&k, 0, NULL, "q1(all of it) q2 q3");
    squash(&k, q2, q3, "both"); /* and of the questions */
    tree_is(&k, 0, NULL, "q1(all of it) both");
    drop(&k, s);
    tree_is(&k, 0, NULL, "q1! both!");
    kit_close(&k);
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
    tree_is(&k, 0, NULL, "a(@bo n1~ @nobody n2 n3 @bo) n4~");
    kit_reply(&k, "bo", "thanks", note.uid);
    tree_is(&k, 0, NULL, "a(@bo n1(thanks) @nobody n2 n3 @bo) n4~");
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
    assert_int_equal(s.tool_results, 0);
    assert_int_equal(s.replies, 4);
    assert_int_equal(s.roots, 2);
    assert_int_equal(s.unanswered, 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(replies_hang_under_what_they_answer),
        SKN_BOTH(a_reply_to_an_edited_message_still_counts),
        SKN_BOTH(a_reply_to_a_squashed_message_hangs_under_the_result),
        SKN_BOTH(a_reply_to_what_the_version_does_not_hold_is_a_root),
        SKN_BOTH(moved_messages_keep_their_parents),
        SKN_BOTH(a_branch_shows_the_replies_it_took_along),
        SKN_BOTH(the_deepest_chain_and_one_more),
        SKN_BOTH(a_loop_in_damaged_data_is_cut_at_its_first_message),
        SKN_BOTH(a_chain_of_ten_thousand_is_walked_without_recursion),
        SKN_BOTH(only_words_wait_for_an_answer),
        SKN_BOTH(a_note_to_others_is_only_in_memory),
        SKN_BOTH(a_squash_of_answers_answers_each_question_of_theirs),
        SKN_BOTH(what_only_its_author_heard_is_unanswered),
        SKN_BOTH(stats_count_who_answers_whom),
        SKN_BOTH(an_empty_version_counts_nothing),
        SKN_BOTH(only_the_ten_busiest_threads_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
