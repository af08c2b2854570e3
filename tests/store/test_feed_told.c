/* What each change tells, and that what did not happen is not told. */
#include "store/feed_kit.h"

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

/* --- Saying ------------------------------------------------------------------------------------- */

static void what_is_said_is_told_whole(void **state)
{
    kit           k;
    skein_message m, reply;
    skein_events  e;
    int64_t       start;

    kit_open(&k, state);
    start = feed_newest(&k);
    m = say(&k, "hello\n\"you\"");
    reply = kit_reply(&k, "ada", "hi", m.uid);
    e = feed_after(&k, start);
    assert_int_equal(e.count, 2);
    assert_string_equal(e.at[0].type.p, "message.created");
    assert_int_equal(e.at[0].world.v, k.world.id.v);
    assert_int_equal(e.at[0].chat.v, k.chat.id.v);
    assert_string_equal(e.at[0].chat_uid.p, k.chat.uid.p);
    assert_string_equal(e.at[0].thread_uid.p, k.chat.thread_uid.p);
    assert_string_equal(e.at[0].cause.p, m.uid.p);
    assert_null(e.at[1].cause.p);
    FEED_HAS(e.at[0].data.p, FEED_MADE(&k, "{\"messageId\":\"%.*s\",\"chatId\":\"%.*s\"",
                                       SKN_FMT(m.uid), SKN_FMT(k.chat.uid)));
    FEED_HAS(e.at[0].data.p, "\"content\":\"hello\\n\\\"you\\\"\"");
    FEED_HAS(e.at[0].data.p, "\"usage\":null");
    FEED_HAS(e.at[0].data.p, "\"position\":0,");
    FEED_HAS(e.at[1].data.p, FEED_MADE(&k, "\"messageId\":\"%.*s\"", SKN_FMT(reply.uid)));
    FEED_HAS(e.at[1].data.p, FEED_MADE(&k, "\"replyToMessageId\":\"%.*s\"", SKN_FMT(m.uid)));
    FEED_HAS(e.at[1].data.p, "\"position\":1,");
    FEED_HAS(feed_text(&k, &e.at[0]), "\"world\":\"lab\",\"chatId\":\"c_");
    kit_close(&k);
}

static void the_same_message_again_is_told_once(void **state)
{
    kit               k;
    skein_new_message m = {.uid = skein_text("once"), .content = skein_text("hello")};
    skein_messages    out;
    int64_t           start;

    kit_open(&k, state);
    start = feed_newest(&k);
    KIT_OK(&k, kit_append(&k, &m, 1, &out));
    KIT_OK(&k, kit_append(&k, &m, 1, &out));
    FEED_TOLD(&k, start, "message.created");
    kit_close(&k);
}

static void an_import_is_told_as_one_thing(void **state)
{
    kit                  k;
    skein_new_message    m[2] = {{.content = skein_text("a")}, {.content = skein_text("b")}};
    skein_append_request r = {.messages = m, .count = 2, .import = true};
    skein_messages       out;
    int64_t              start;

    kit_open(&k, state);
    start = feed_newest(&k);
    r.conversation = k.chat.id;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    FEED_TOLD(&k, start, "chat.updated");
    kit_close(&k);
}

/* --- Versions ------------------------------------------------------------------------------------- */

static void check_created(kit *k, int64_t start, const skein_version *v, const char *op)
{
    const char *data = feed_data(k, start, 0);

    FEED_HAS(data, FEED_MADE(k, "{\"threadId\":\"%.*s\",\"originalThread\":\"%.*s\"",
                             SKN_FMT(v->thread_uid), SKN_FMT(v->origin_thread_uid)));
    FEED_HAS(data, FEED_MADE(k, "\"op\":\"%.*s\"", (int)strlen(op), op));
    FEED_HAS(data, "\"by\":\"kim\"");
    FEED_HAS(data, FEED_MADE(k, "\"length\":%lld,", (long long)v->length));
    FEED_HAS(data,
             FEED_MADE(k, "\"version\":\"v%lld\",\"current\":true", (long long)v->number));
    assert_string_equal(feed_after(k, start).at[0].thread_uid.p, v->thread_uid.p);
}

static void every_new_version_is_told_as_a_thread(void **state)
{
    kit               k;
    skein_message     a, b, edited, inserted;
    skein_message_id  ids[1];
    skein_new_message m = {.content = skein_text("between")};
    skein_version     v;
    int64_t           start;

    kit_open(&k, state);
    k.how.actor = skein_text("kim");
    a = say(&k, "a");
    b = say(&k, "b");
    start = feed_newest(&k);
    KIT_OK(&k, skein_amend(k.e, &k.how, a.id, skein_text("A"), k.mem, &v, &edited, &k.err));
    check_created(&k, start, &v, "amend");
    FEED_TOLD(&k, start, "thread.created");
    KIT_OK(&k, skein_insert(k.e, &k.how, b.id, &m, k.mem, &v, &inserted, &k.err));
    check_created(&k, start, &v, "insert");
    FEED_TOLD(&k, start, "thread.created");
    ids[0] = inserted.id;
    KIT_OK(&k, skein_reorder(k.e, &k.how, (skein_message_ids){ids, 1}, edited.id, k.mem, &v,
                             &k.err));
    check_created(&k, start, &v, "reorder");
    FEED_TOLD(&k, start, "thread.created");
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){ids, 1}, k.mem, &v, &k.err));
    check_created(&k, start, &v, "delete");
    FEED_TOLD(&k, start, "thread.created");
    KIT_OK(&k, skein_restore(k.e, &k.how, 1, k.mem, &v, &k.err));
    check_created(&k, start, &v, "restore");
    FEED_TOLD(&k, start, "thread.created");
    kit_close(&k);
}

static void travel_is_told_with_both_ends(void **state)
{
    kit           k;
    skein_message a;
    skein_version v;
    skein_move    move;
    int64_t       start;

    kit_open(&k, state);
    a = say(&k, "a");
    KIT_OK(&k, skein_amend(k.e, &k.how, a.id, skein_text("A"), k.mem, &v, NULL, &k.err));
    start = feed_newest(&k);
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_string_equal(feed_data(&k, start, 0),
                        FEED_MADE(&k, "{\"from\":\"%.*s\",\"to\":\"%.*s\",\"move\":\"undo\"}",
                                  SKN_FMT(v.thread_uid), SKN_FMT(k.chat.thread_uid)));
    assert_string_equal(feed_after(&k, start).at[0].thread_uid.p, k.chat.thread_uid.p);
    FEED_TOLD(&k, start, "thread.switched");
    KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"move\":\"redo\"");
    FEED_TOLD(&k, start, "thread.switched");
    KIT_OK(&k, skein_switch(k.e, &k.how, 1, k.mem, &move, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"move\":\"jump\"");
    FEED_TOLD(&k, start, "thread.switched");
    kit_close(&k);
}

static void a_removal_is_told_in_phases(void **state)
{
    kit           k;
    skein_message a;
    skein_removal r;
    int64_t       start;

    kit_open(&k, state);
    say(&k, "first");
    a = say(&k, "a");
    start = feed_newest(&k);
    KIT_OK(&k, skein_remove_from(k.e, &k.how, a.id, true, k.mem, &r, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "{\"editId\":\"ed_");
    FEED_HAS(feed_data(&k, start, 0), "\"phase\":\"removing\",\"done\":0,\"total\":3}");
    FEED_HAS(feed_data(&k, start, 1), "\"op\":\"remove\"");
    FEED_HAS(feed_data(&k, start, 2), "\"phase\":\"done\",\"done\":3,\"total\":3}");
    FEED_TOLD(&k, start, "edit.phase thread.created edit.phase");
    kit_close(&k);
}

static void an_edit_is_told_in_phases_with_its_new_message(void **state)
{
    kit           k;
    skein_message a;
    skein_removal r;
    const char   *first, *last;
    int64_t       start;

    kit_open(&k, state);
    a = say(&k, "a");
    start = feed_newest(&k);
    k.how.client_id = skein_text("mine-1");
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("better"), k.mem, &r, &k.err));
    first = feed_data(&k, start, 0);
    last = feed_data(&k, start, 4);
    FEED_HAS(first, "\"phase\":\"removing\"");
    FEED_HAS(feed_data(&k, start, 2), "\"phase\":\"resubmitting\"");
    FEED_HAS(feed_data(&k, start, 3), "\"content\":\"better\"");
    FEED_HAS(feed_data(&k, start, 3), "\"clientMessageId\":\"mine-1\"");
    FEED_HAS(feed_data(&k, start, 3),
             FEED_MADE(&k, "\"messageId\":\"%.*s\"", SKN_FMT(r.added.uid)));
    FEED_HAS(last, "\"phase\":\"done\"");
    assert_memory_equal(first, last, strlen("{\"editId\":\"ed_0123456789\""));
    assert_string_equal(feed_after(&k, start).at[3].thread_uid.p, r.version.thread_uid.p);
    FEED_TOLD(&k, start, "edit.phase thread.created edit.phase message.created edit.phase");
    kit_close(&k);
}

static void a_squash_names_its_sources_and_its_result(void **state)
{
    kit               k;
    skein_message     a, b;
    skein_message_id  ids[2];
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text("both")};
    skein_squash      s;
    int64_t           start;

    kit_open(&k, state);
    a = say(&k, "a");
    b = say(&k, "b");
    ids[0] = a.id;
    ids[1] = b.id;
    start = feed_newest(&k);
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &s, &k.err));
    FEED_HAS(feed_data(&k, start, 1),
             FEED_MADE(&k, "{\"squashOperationId\":\"%.*s\",\"sourceMessageIds\":[\"%.*s\"",
                       SKN_FMT(s.uid), SKN_FMT(a.uid)));
    FEED_HAS(feed_data(&k, start, 1), FEED_MADE(&k, ",\"%.*s\"],\"resultMessageId\":\"%.*s\"}",
                                                SKN_FMT(b.uid), SKN_FMT(s.result.uid)));
    FEED_TOLD(&k, start, "thread.created squash.completed");
    kit_close(&k);
}

static void a_summary_names_what_it_covers_and_the_one_before(void **state)
{
    kit              k;
    skein_compaction what = {.content = skein_text("short")};
    skein_message    one, two;
    int64_t          covers, start;

    kit_open(&k, state);
    say(&k, "a");
    start = feed_newest(&k);
    KIT_OK(&k, skein_compact(k.e, k.chat.id, &what, k.mem, &one, &covers, &k.err));
    assert_string_equal(
        feed_data(&k, start, 0),
        FEED_MADE(&k,
                  "{\"messageId\":\"%.*s\",\"covers\":1,\"previousMessageId\":null,"
                  "\"lane\":\"main\"}",
                  SKN_FMT(one.uid)));
    FEED_TOLD(&k, start, "summary.created");
    say(&k, "b");
    start = feed_newest(&k);
    KIT_OK(&k, skein_compact(k.e, k.chat.id, &what, k.mem, &two, &covers, &k.err));
    FEED_HAS(feed_data(&k, start, 0),
             FEED_MADE(&k, "\"previousMessageId\":\"%.*s\"", SKN_FMT(one.uid)));
    FEED_TOLD(&k, start, "summary.created");
    kit_close(&k);
}

static void new_tags_of_a_message_are_told_with_it(void **state)
{
    kit               k;
    skein_message     a, retagged;
    skein_instruction in = {skein_text("Brief"), SKN_NONE};
    skein_version     v;
    int64_t           start;

    kit_open(&k, state);
    a = say(&k, "a");
    start = feed_newest(&k);
    KIT_OK(&k, skein_retag(k.e, &k.how, a.id, &in, 1, k.mem, &v, &retagged, &k.err));
    FEED_HAS(feed_data(&k, start, 1), "{\"type\":\"Brief\"}");
    FEED_HAS(feed_data(&k, start, 1),
             FEED_MADE(&k, "\"previousMessageId\":\"%.*s\"", SKN_FMT(a.uid)));
    FEED_TOLD(&k, start, "thread.created message.retagged");
    kit_close(&k);
}

/* --- What did not happen --------------------------------------------------------------------------------- */

static void a_dry_run_tells_nothing(void **state)
{
    kit                k;
    skein_message      a, b;
    skein_message_id   ids[2];
    skein_new_message  m = {.content = skein_text("x")};
    skein_squash_spec  spec = {.sources = {ids, 2}, .content = skein_text("both")};
    skein_squash       squash;
    skein_version      v;
    skein_removal      r;
    skein_move         move;
    skein_conversation branch;
    int64_t            start, erased;

    kit_open(&k, state);
    a = say(&k, "a");
    b = say(&k, "b");
    ids[0] = a.id;
    ids[1] = b.id;
    KIT_OK(&k, skein_amend(k.e, &k.how, a.id, skein_text("A"), k.mem, &v, &a, &k.err));
    ids[0] = a.id;
    start = feed_newest(&k);
    k.how.dry_run = true;
    KIT_OK(&k, skein_amend(k.e, &k.how, a.id, skein_text("B"), k.mem, &v, NULL, &k.err));
    KIT_OK(&k, skein_insert(k.e, &k.how, b.id, &m, k.mem, &v, NULL, &k.err));
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){ids, 1}, k.mem, &v, &k.err));
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &squash, &k.err));
    KIT_OK(&k, skein_remove_from(k.e, &k.how, a.id, true, k.mem, &r, &k.err));
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("C"), k.mem, &r, &k.err));
    KIT_OK(&k, skein_restore(k.e, &k.how, 1, k.mem, &v, &k.err));
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    KIT_OK(&k, skein_switch(k.e, &k.how, 1, k.mem, &move, &k.err));
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, SKN_NONE, k.mem, &branch, &k.err));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){ids, 1}, &erased, &k.err));
    FEED_TOLD(&k, start, "");
    kit_close(&k);
}

static void what_is_refused_or_replayed_tells_nothing(void **state)
{
    kit           k;
    skein_message a;
    skein_version v;
    skein_removal r;
    int64_t       start;

    kit_open(&k, state);
    a = say(&k, "a");
    k.how.key = skein_text("k1");
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("B"), k.mem, &r, &k.err));
    start = feed_newest(&k);
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("B"), k.mem, &r, &k.err));
    k.how.key = SKN_NONE;
    k.how.expect = (skein_at){{1}, 77};
    assert_int_equal(
        skein_amend(k.e, &k.how, r.added.id, skein_text("C"), k.mem, &v, NULL, &k.err),
        SKEIN_VERSION_CHANGED);
    FEED_TOLD(&k, start, "");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(what_is_said_is_told_whole),
        SKN_BOTH(the_same_message_again_is_told_once),
        SKN_BOTH(an_import_is_told_as_one_thing),
        SKN_BOTH(every_new_version_is_told_as_a_thread),
        SKN_BOTH(travel_is_told_with_both_ends),
        SKN_BOTH(a_removal_is_told_in_phases),
        SKN_BOTH(an_edit_is_told_in_phases_with_its_new_message),
        SKN_BOTH(a_squash_names_its_sources_and_its_result),
        SKN_BOTH(a_summary_names_what_it_covers_and_the_one_before),
        SKN_BOTH(new_tags_of_a_message_are_told_with_it),
        SKN_BOTH(a_dry_run_tells_nothing),
        SKN_BOTH(what_is_refused_or_replayed_tells_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
