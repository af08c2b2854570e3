/* test_cases_context.c: order, summaries and what a model is sent: the cases of
 * docs/model.md. */
#include "store/kit.h"

#include <pthread.h>
#include <stdlib.h>

static void say(kit *k, const char *text)
{
    kit_say(k, SKEIN_USER, "human", text);
}

static skein_rc compact(kit *k, const char *text, skein_at seen, int64_t *covers)
{
    skein_compaction what = {.content = skein_text(text), .seen = seen};
    skein_message    summary;

    return skein_compact(k->e, k->how.conversation, &what, k->mem, &summary, covers, &k->err);
}

static skein_context room(kit *k)
{
    skein_slice   what = {.conversation = k->how.conversation};
    skein_context c;

    KIT_OK(k, skein_context_read(k->e, &what, k->mem, &c, &k->err));
    return c;
}

static void rows_of_one_instant_stay_in_order(void **state)
{
    kit               k;
    skein_messages    out;
    int64_t           covers;
    skein_new_message m[3] = {
        {.role = SKEIN_USER, .content = skein_text("one"), .created_at = 1000},
        {.role = SKEIN_SUMMARY, .content = skein_text("marker"), .created_at = 1000},
        {.role = SKEIN_USER, .content = skein_text("two"), .created_at = 1000}};

    kit_open(&k, state);
    KIT_OK(&k, kit_append(&k, m, 3, &out));
    assert_string_equal(kit_texts(&k, "main", 0), "one marker two");
    KIT_OK(&k, compact(&k, "sum", (skein_at){0}, &covers));
    m[0].content = skein_text("three");
    KIT_OK(&k, kit_append(&k, m, 1, &out));
    assert_string_equal(kit_texts(&k, "main", 0), "one marker two sum three");
    assert_non_null(strstr(kit_context(&k, ""), "three"));
    kit_close(&k);
}

static void what_is_said_during_a_compaction_is_not_covered(void **state)
{
    kit      k;
    int64_t  covers;
    skein_at seen;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    seen = kit_at(&k);
    say(&k, "report");
    KIT_OK(&k, compact(&k, "sum", seen, &covers));
    assert_int_equal(covers, 2);
    {
        skein_compaction greedy = {.content = skein_text("x"), .covers = 3, .seen = seen};
        skein_message    m;

        assert_int_equal(skein_compact(k.e, k.chat.id, &greedy, k.mem, &m, &covers, &k.err),
                         SKEIN_INVALID);
    }
    assert_int_equal(room(&k).covered, 2);
    assert_non_null(strstr(kit_context(&k, ""), "report"));
    assert_null(strstr(kit_context(&k, ""), "two"));
    kit_close(&k);
}

enum { WRITERS = 4, EACH = 25 };

typedef struct slow {
    kit *k;
    int  number;
} slow;

static void *write_slowly(void *arg)
{
    slow      *s = arg;
    skein_mem *mem = skein_mem_new();

    for (int i = 0; i < EACH; i++) {
        char                 text[32];
        skein_error          err;
        skein_messages       out;
        skein_new_message    m = {.role = SKEIN_USER};
        skein_append_request r = {.conversation = s->k->chat.id, .messages = &m, .count = 1};

        snprintf(text, sizeof text, "w%d-%d.", s->number, i);
        m.content = skein_text(text);
        if (skein_append(s->k->e, &r, mem, &out, &err))
            return s; /* any pointer says that it failed */
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return NULL;
}

/* Whatever commits when: a message is covered by the summary, or it is in the context. */
static void a_slow_writer_is_covered_or_in_the_context(void **state)
{
    kit            k;
    pthread_t      threads[WRITERS];
    slow           slows[WRITERS];
    int64_t        covers = 0;
    skein_context  c;
    skein_messages all;
    skein_at       at;
    const char    *context;

    kit_open(&k, state);
    say(&k, "start");
    for (int i = 0; i < WRITERS; i++) {
        slows[i] = (slow){&k, i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_slowly, &slows[i]), 0);
    }
    for (int i = 0; i < 20; i++) {
        skein_rc rc = compact(&k, "sum", kit_at(&k), &covers);

        assert_true(rc == SKEIN_OK || rc == SKEIN_NOTHING);
    }
    for (int i = 0; i < WRITERS; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    c = room(&k);
    context = kit_context(&k, "");
    KIT_OK(&k, skein_read(k.e, &(skein_slice){.conversation = k.chat.id}, k.mem, &all, &at,
                          &k.err));
    for (size_t i = 0; i < all.count; i++)
        if (all.at[i].role == SKEIN_USER && all.at[i].position >= c.covered)
            assert_non_null(strstr(context, all.at[i].content.p));
    kit_close(&k);
}

static void a_compaction_ends_where_no_call_is_open(void **state)
{
    kit               k;
    int64_t           covers;
    skein_tool_call   calls[2] = {{skein_text("a"), skein_text("t"), skein_text("{}")},
                                  {skein_text("b"), skein_text("t"), skein_text("{}")}};
    skein_messages    out;
    skein_new_message m = {
        .role = SKEIN_ASSISTANT, .sender = skein_text("ada"), .calls = calls, .call_count = 2};

    kit_open(&k, state);
    KIT_OK(&k, kit_append(&k, &m, 1, &out));
    kit_result(&k, "a");
    assert_int_equal(compact(&k, "sum", (skein_at){0}, &covers), SKEIN_NOTHING);
    kit_result(&k, "b");
    say(&k, "next");
    kit_call(&k, "ada", "c");
    KIT_OK(&k, compact(&k, "sum", (skein_at){0}, &covers));
    assert_int_equal(covers, 4);
    kit_close(&k);
}

static void of_two_compactions_one_wins(void **state)
{
    kit           k;
    int64_t       covers, before;
    skein_at      seen;
    skein_message first;
    skein_version v;

    kit_open(&k, state);
    first = kit_say(&k, SKEIN_USER, "human", "one");
    say(&k, "two");
    seen = kit_at(&k);
    KIT_OK(&k, compact(&k, "mine", seen, &covers));
    before = kit_at(&k).length;
    assert_int_equal(compact(&k, "yours", seen, &covers), SKEIN_VERSION_CHANGED);
    assert_int_equal(kit_at(&k).length, before);
    assert_null(strstr(kit_context(&k, ""), "yours"));

    seen = kit_at(&k);
    KIT_OK(&k, skein_amend(k.e, &k.how, first.id, skein_text("uno"), k.mem, &v, NULL, &k.err));
    assert_int_equal(compact(&k, "late", seen, &covers), SKEIN_VERSION_CHANGED);
    assert_string_equal(kit_texts(&k, "main", 0), "uno two mine");
    kit_close(&k);
}

static void an_edit_below_a_summary_does_not_use_it(void **state)
{
    kit           k;
    int64_t       covers;
    skein_message early, late;
    skein_version v;
    skein_move    move;

    kit_open(&k, state);
    say(&k, "one");
    early = kit_say(&k, SKEIN_USER, "human", "two");
    KIT_OK(&k, compact(&k, "old-summary", (skein_at){0}, &covers));
    late = kit_say(&k, SKEIN_USER, "human", "three");
    KIT_OK(&k, compact(&k, "new-summary", (skein_at){0}, &covers));
    say(&k, "four");
    assert_non_null(strstr(kit_context(&k, ""), "new-summary"));

    KIT_OK(&k, skein_amend(k.e, &k.how, late.id, skein_text("drei"), k.mem, &v, NULL, &k.err));
    assert_null(strstr(kit_context(&k, ""), "new-summary"));
    assert_non_null(strstr(kit_context(&k, ""), "old-summary"));
    assert_non_null(strstr(kit_context(&k, ""), "drei"));

    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_non_null(strstr(kit_context(&k, ""), "new-summary"));
    KIT_OK(&k, skein_amend(k.e, &k.how, early.id, skein_text("zwei"), k.mem, &v, NULL, &k.err));
    assert_null(strstr(kit_context(&k, ""), "summary\n"));
    assert_non_null(strstr(kit_context(&k, ""), "zwei"));
    kit_close(&k);
}

static void an_edited_summary_covers_what_the_old_one_did(void **state)
{
    kit              k;
    skein_compaction what = {.content = skein_text("draft")};
    skein_message    summary;
    skein_version    v;
    int64_t          covers;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    KIT_OK(&k, skein_compact(k.e, k.chat.id, &what, k.mem, &summary, &covers, &k.err));
    say(&k, "three");
    KIT_OK(&k,
           skein_amend(k.e, &k.how, summary.id, skein_text("final"), k.mem, &v, NULL, &k.err));
    assert_non_null(strstr(kit_context(&k, ""), "final"));
    assert_null(strstr(kit_context(&k, ""), "draft"));
    assert_null(strstr(kit_context(&k, ""), "two"));
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &(skein_move){0}, &k.err));
    assert_non_null(strstr(kit_context(&k, ""), "draft"));
    kit_close(&k);
}

static void a_context_of_one_summary_is_not_compacted_again(void **state)
{
    kit         k;
    int64_t     covers;
    skein_world w = {.name = skein_text("tiny"), .compact_at = 1};

    kit_open(&k, state);
    assert_int_equal(skein_world_new(k.e, &w, k.mem, &k.err), SKEIN_INVALID);
    say(&k, "one");
    KIT_OK(&k, compact(&k, "sum", (skein_at){0}, &covers));
    assert_int_equal(compact(&k, "sum of sum", (skein_at){0}, &covers), SKEIN_NOTHING);
    assert_string_equal(kit_texts(&k, "main", 0), "one sum");
    kit_close(&k);
}

static void a_blank_summary_writes_nothing(void **state)
{
    kit     k;
    int64_t covers;

    kit_open(&k, state);
    say(&k, "one");
    assert_int_equal(compact(&k, " \n\t", (skein_at){0}, &covers), SKEIN_INVALID);
    assert_int_equal(compact(&k, "", (skein_at){0}, &covers), SKEIN_INVALID);
    assert_string_equal(kit_texts(&k, "main", 0), "one");
    kit_close(&k);
}

static void a_reused_call_id_pairs_with_the_nearest_open_call(void **state)
{
    kit                   k;
    skein_timelines      *t;
    const skein_timeline *main_lane;

    kit_open(&k, state);
    kit_call(&k, "ada", "call_1");
    kit_result(&k, "call_1");
    kit_call(&k, "ada", "call_1");
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &t, &k.err));
    skein_timelines_free(t);
    kit_result(&k, "call_1"); /* comes after the timeline was read and kept */
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &t, &k.err));
    main_lane = skein_timelines_main(t);
    assert_int_equal(skein_timeline_item_count(main_lane), 4);
    for (size_t i = 0; i < 4; i++) {
        skein_timeline_item item = skein_timeline_item_at(main_lane, i);

        if (item.kind == SKEIN_ITEM_TOOL_EXECUTION)
            assert_true(item.answered);
        assert_int_equal(item.duplicate_count, 0);
    }
    skein_timelines_free(t);
    kit_close(&k);
}

static void what_another_agent_writes_into_a_background_names_it(void **state)
{
    kit                  k;
    skein_conversation   own;
    skein_messages       out;
    skein_new_message    m = {.role = SKEIN_USER,
                              .sender = skein_text("bo"),
                              .content = skein_text("the result is 7")};
    skein_append_request r = {.messages = &m, .count = 1};

    kit_open(&k, state);
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &own, &k.err));
    r.conversation = k.how.conversation = own.id;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    assert_int_equal(out.at[0].author_agent.v, k.agent[1].id.v);
    assert_non_null(strstr(kit_context(&k, "ada"), "user:bo: the result is 7"));
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(rows_of_one_instant_stay_in_order),
        SKN_BOTH(what_is_said_during_a_compaction_is_not_covered),
        SKN_BOTH(a_slow_writer_is_covered_or_in_the_context),
        SKN_BOTH(a_compaction_ends_where_no_call_is_open),
        SKN_BOTH(of_two_compactions_one_wins),
        SKN_BOTH(an_edit_below_a_summary_does_not_use_it),
        SKN_BOTH(an_edited_summary_covers_what_the_old_one_did),
        SKN_BOTH(a_context_of_one_summary_is_not_compacted_again),
        SKN_BOTH(a_blank_summary_writes_nothing),
        SKN_BOTH(what_another_agent_writes_into_a_background_names_it),
        SKN_BOTH(a_reused_call_id_pairs_with_the_nearest_open_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
