/* What a model may be sent: the summary first, then what was said since, seen by whoever is to
 * answer; and never an invalid list, whatever the store holds. */
#include "store/kit.h"

#include "prompt_check.h"

static skein_context context(kit *k, const skein_slice *what)
{
    skein_slice   s = *what;
    skein_context c;
    skn_prompt    p;

    if (s.conversation.v == 0)
        s.conversation = k->how.conversation;
    KIT_OK(k, skein_context_read(k->e, &s, k->mem, &c, &k->err));
    p = (skn_prompt){.at = c.at, .count = c.count};
    KIT_OK(k, prompt_valid(&p, &k->err));
    return c;
}

static int64_t compact_lane(kit *k, const char *lane, const char *text, int64_t covers)
{
    skein_compaction what = {
        .lane = skein_text(lane), .covers = covers, .content = skein_text(text)};
    skein_message summary;

    KIT_OK(k,
           skein_compact(k->e, k->how.conversation, &what, k->mem, &summary, &covers, &k->err));
    return covers;
}

static void sql(kit *k, const char *text)
{
    skn_fixture_sql(k->fx, text);
}

/* The store is damaged: closing must not check it. */
static void close_damaged(kit *k)
{
    skein_close(k->e);
    skein_mem_free(k->mem);
}

static void a_context_is_the_summary_and_what_was_said_since(void **state)
{
    kit           k;
    skein_context c;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "two");
    compact_lane(&k, "main", "in short", 0);
    kit_say(&k, SKEIN_SYSTEM, "system", "notice");
    kit_say(&k, SKEIN_USER, "human", "three");
    c = context(&k, &(skein_slice){0});
    assert_int_equal(c.count, 1);
    assert_int_equal(c.at[0].role, SKEIN_USER);
    assert_non_null(strstr(c.at[0].text.p, "in short"));
    assert_non_null(strstr(c.at[0].text.p, "three"));
    assert_null(strstr(c.at[0].text.p, "one"));
    assert_null(strstr(c.at[0].text.p, "notice"));
    assert_int_equal(c.at[0].source_count, 2);
    assert_non_null(c.summary_uid.p);
    assert_string_equal(c.at[0].sources[0].p, c.summary_uid.p);
    assert_int_equal(c.covered, 2);
    assert_int_equal(c.stored, 2); /* the summary, and "three" */
    assert_int_equal(c.limit, k.world.compact_at);
    assert_true(c.tokens > 0);
    kit_close(&k);
}

static void without_a_summary_all_of_it_is_the_context(void **state)
{
    kit           k;
    skein_context c;

    kit_open(&k, state);
    c = context(&k, &(skein_slice){0});
    assert_int_equal(c.count, 1);
    assert_true(c.at[0].synthetic);
    assert_int_equal(c.stored, 0);
    kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "two");
    c = context(&k, &(skein_slice){0});
    assert_null(c.summary_uid.p);
    assert_int_equal(c.covered, 0);
    assert_int_equal(c.stored, 2);
    assert_string_equal(kit_context(&k, ""), "user:one | assistant:two | user:[continue]");
    kit_close(&k);
}

static void an_agent_is_sent_its_own_memory_with_the_others_named(void **state)
{
    kit            k;
    skein_messages out;
    skein_str      bo = skein_text("bo");

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    kit_say(&k, SKEIN_ASSISTANT, "bo", "I am bo");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "I am ada");
    KIT_OK(&k, kit_append(&k,
                          &(skein_new_message){.role = SKEIN_USER,
                                               .content = skein_text("psst"),
                                               .heard_by = &bo,
                                               .heard_by_count = 1,
                                               .heard_by_given = true},
                          1, &out));
    assert_string_equal(kit_context(&k, "ada"),
                        "user:hi\n\nbo: I am bo | assistant:I am ada | user:[continue]");
    assert_string_equal(kit_context(&k, "bo"),
                        "user:hi | assistant:I am bo | user:ada: I am ada\n\nhuman: psst");
    kit_close(&k);
}

static void each_lane_has_its_own_summary(void **state)
{
    kit           k;
    skein_context c;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_USER, "human", "two");
    compact_lane(&k, "@ada", "ada's view", 0);
    c = context(&k, &(skein_slice){.agent = k.agent[0].id});
    assert_int_equal(c.covered, 2);
    assert_non_null(strstr(c.at[0].text.p, "ada's view"));
    c = context(&k, &(skein_slice){.agent = k.agent[1].id});
    assert_int_equal(c.covered, 0);
    assert_int_equal(context(&k, &(skein_slice){0}).covered, 0);
    kit_close(&k);
}

static void an_agents_own_conversation_is_seen_with_its_eyes(void **state)
{
    kit                k;
    skein_conversation own;
    skein_context      c;

    kit_open(&k, state);
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &own, &k.err));
    k.how.conversation = own.id;
    kit_say(&k, SKEIN_ASSISTANT, "bo", "report");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "thanks");
    c = context(&k, &(skein_slice){0});
    assert_int_equal(c.count, 3);
    assert_string_equal(c.at[0].text.p, "bo: report");
    assert_int_equal(c.at[1].role, SKEIN_ASSISTANT);
    c = context(&k, &(skein_slice){.agent = k.agent[0].id});
    assert_int_equal(c.count, 3);
    kit_close(&k);
}

static void a_version_has_the_context_it_had(void **state)
{
    kit           k;
    skein_message one, edited;
    skein_version v;

    kit_open(&k, state);
    one = kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_USER, "human", "two");
    compact_lane(&k, "main", "sum", 0);
    kit_say(&k, SKEIN_USER, "human", "three");
    KIT_OK(&k, skein_amend(k.e, &k.how, one.id, skein_text("uno"), k.mem, &v, &edited, &k.err));
    assert_int_equal(context(&k, &(skein_slice){.version = 1}).covered, 2);
    assert_int_equal(context(&k, &(skein_slice){.version = 2}).covered, 0);
    assert_int_equal(context(&k, &(skein_slice){.version = 2}).stored, 3);
    kit_close(&k);
}

static void what_the_summary_covers_is_not_read(void **state)
{
    kit           k;
    skein_context before, after;

    kit_open(&k, state);
    for (int i = 0; i < 50; i++)
        kit_say(&k, SKEIN_USER, "human", "long ago");
    compact_lane(&k, "main", "sum", 0);
    kit_say(&k, SKEIN_USER, "human", "now");
    before = context(&k, &(skein_slice){0});
    sql(&k, "DELETE FROM items WHERE seq < 49");
    after = context(&k, &(skein_slice){0});
    assert_int_equal(after.covered, 50);
    assert_int_equal(after.count, before.count);
    assert_string_equal(after.at[0].text.p, before.at[0].text.p);
    close_damaged(&k);
}

static void a_summary_that_does_not_hold_gives_way_to_the_one_before(void **state)
{
    static const char *const damage[] = {
        "UPDATE compactions SET covers = 999 WHERE previous_id > 0",
        "UPDATE compactions SET covers = covers - 1 WHERE previous_id > 0",
        "UPDATE compactions SET last_message_id = 1 WHERE previous_id > 0",
        "UPDATE compactions SET summary_message_id = 999999 WHERE previous_id > 0",
        "UPDATE compactions SET summary_message_id = last_message_id WHERE previous_id > 0",
        "UPDATE messages SET content = ' ' WHERE content = 'second'",
        "UPDATE messages SET purged_at = 1 WHERE content = 'second'"};
    kit           k;
    skein_context c;

    kit_open(&k, state);
    for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
        KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("x"), k.mem, &k.chat, &k.err));
        k.how.conversation = k.chat.id;
        kit_say(&k, SKEIN_USER, "human", "one");
        kit_say(&k, SKEIN_USER, "human", "two");
        compact_lane(&k, "main", "first", 2);
        kit_say(&k, SKEIN_USER, "human", "three");
        compact_lane(&k, "main", "second", 0);
        kit_say(&k, SKEIN_USER, "human", "four");
        assert_int_equal(context(&k, &(skein_slice){0}).covered, 4);
        sql(&k, damage[i]);
        c = context(&k, &(skein_slice){0});
        assert_int_equal(c.covered, 2);
        assert_non_null(strstr(c.at[0].text.p, "first"));
        assert_non_null(strstr(c.at[0].text.p, "three"));
        assert_null(strstr(c.at[0].text.p, "one"));
    }
    close_damaged(&k);
}

static void records_that_name_each_other_in_a_circle_end_the_search(void **state)
{
    kit           k;
    skein_context c;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    compact_lane(&k, "main", "sum", 0);
    sql(&k, "UPDATE compactions SET covers = 99, previous_id = id");
    c = context(&k, &(skein_slice){0});
    assert_int_equal(c.covered, 0);
    assert_string_equal(kit_context(&k, ""), "user:one");
    sql(&k, "UPDATE threads SET compaction_id = 999999 WHERE compaction_id IS NOT NULL");
    assert_string_equal(kit_context(&k, ""), "user:one");
    close_damaged(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_context_is_the_summary_and_what_was_said_since),
        SKN_BOTH(without_a_summary_all_of_it_is_the_context),
        SKN_BOTH(an_agent_is_sent_its_own_memory_with_the_others_named),
        SKN_BOTH(each_lane_has_its_own_summary),
        SKN_BOTH(an_agents_own_conversation_is_seen_with_its_eyes),
        SKN_BOTH(a_version_has_the_context_it_had),
        SKN_BOTH(what_the_summary_covers_is_not_read),
        SKN_BOTH(a_summary_that_does_not_hold_gives_way_to_the_one_before),
        SKN_BOTH(records_that_name_each_other_in_a_circle_end_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
