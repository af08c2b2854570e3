/* What each change tells, and that what did not happen is not told. */
#include "store/feed_kit.h"

#include "base/json.h"
#include "engine/feed.h"

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

/* Says that the change just made was told by these events and no others; the newest is then new. */
#define TOLD(k, start, types)                                                                  \
    do {                                                                                       \
        assert_string_equal(feed_types(k, start), types);                                      \
        start = feed_newest(k);                                                                \
    } while (0)

#define MADE(k, ...) skn_arena_printf((k)->mem, __VA_ARGS__).p

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
    FEED_HAS(e.at[0].data.p, MADE(&k, "{\"messageId\":\"%.*s\",\"chatId\":\"%.*s\"",
                                  SKN_FMT(m.uid), SKN_FMT(k.chat.uid)));
    FEED_HAS(e.at[0].data.p, "\"content\":\"hello\\n\\\"you\\\"\"");
    FEED_HAS(e.at[0].data.p, "\"usage\":null");
    FEED_HAS(e.at[0].data.p, "\"position\":0,");
    FEED_HAS(e.at[1].data.p, MADE(&k, "\"messageId\":\"%.*s\"", SKN_FMT(reply.uid)));
    FEED_HAS(e.at[1].data.p, MADE(&k, "\"replyToMessageId\":\"%.*s\"", SKN_FMT(m.uid)));
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
    TOLD(&k, start, "message.created");
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
    TOLD(&k, start, "chat.updated");
    kit_close(&k);
}

/* --- Versions ------------------------------------------------------------------------------------- */

static void check_created(kit *k, int64_t start, const skein_version *v, const char *op)
{
    const char *data = feed_data(k, start, 0);

    FEED_HAS(data, MADE(k, "{\"threadId\":\"%.*s\",\"originalThread\":\"%.*s\"",
                        SKN_FMT(v->thread_uid), SKN_FMT(v->origin_thread_uid)));
    FEED_HAS(data, MADE(k, "\"op\":\"%.*s\"", (int)strlen(op), op));
    FEED_HAS(data, "\"by\":\"kim\"");
    FEED_HAS(data, MADE(k, "\"length\":%lld,", (long long)v->length));
    FEED_HAS(data, MADE(k, "\"version\":\"v%lld\",\"current\":true", (long long)v->number));
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
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("A"), k.mem, &v, &edited, &k.err));
    check_created(&k, start, &v, "edit");
    TOLD(&k, start, "thread.created");
    KIT_OK(&k, skein_insert(k.e, &k.how, b.id, &m, k.mem, &v, &inserted, &k.err));
    check_created(&k, start, &v, "insert");
    TOLD(&k, start, "thread.created");
    ids[0] = inserted.id;
    KIT_OK(&k, skein_reorder(k.e, &k.how, (skein_message_ids){ids, 1}, edited.id, k.mem, &v,
                             &k.err));
    check_created(&k, start, &v, "reorder");
    TOLD(&k, start, "thread.created");
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){ids, 1}, k.mem, &v, &k.err));
    check_created(&k, start, &v, "delete");
    TOLD(&k, start, "thread.created");
    KIT_OK(&k, skein_restore(k.e, &k.how, 1, k.mem, &v, &k.err));
    check_created(&k, start, &v, "restore");
    TOLD(&k, start, "thread.created");
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
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("A"), k.mem, &v, NULL, &k.err));
    start = feed_newest(&k);
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_string_equal(feed_data(&k, start, 0),
                        MADE(&k, "{\"from\":\"%.*s\",\"to\":\"%.*s\",\"move\":\"undo\"}",
                             SKN_FMT(v.thread_uid), SKN_FMT(k.chat.thread_uid)));
    assert_string_equal(feed_after(&k, start).at[0].thread_uid.p, k.chat.thread_uid.p);
    TOLD(&k, start, "thread.switched");
    KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"move\":\"redo\"");
    TOLD(&k, start, "thread.switched");
    KIT_OK(&k, skein_switch(k.e, &k.how, 1, k.mem, &move, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"move\":\"jump\"");
    TOLD(&k, start, "thread.switched");
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
    TOLD(&k, start, "edit.phase thread.created edit.phase");
    kit_close(&k);
}

static void a_revision_is_told_in_phases_with_its_new_message(void **state)
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
    KIT_OK(&k, skein_revise(k.e, &k.how, a.id, skein_text("better"), k.mem, &r, &k.err));
    first = feed_data(&k, start, 0);
    last = feed_data(&k, start, 4);
    FEED_HAS(first, "\"phase\":\"removing\"");
    FEED_HAS(feed_data(&k, start, 2), "\"phase\":\"resubmitting\"");
    FEED_HAS(feed_data(&k, start, 3), "\"content\":\"better\"");
    FEED_HAS(feed_data(&k, start, 3), "\"clientMessageId\":\"mine-1\"");
    FEED_HAS(feed_data(&k, start, 3), MADE(&k, "\"messageId\":\"%.*s\"", SKN_FMT(r.added.uid)));
    FEED_HAS(last, "\"phase\":\"done\"");
    assert_memory_equal(first, last, strlen("{\"editId\":\"ed_0123456789\""));
    assert_string_equal(feed_after(&k, start).at[3].thread_uid.p, r.version.thread_uid.p);
    TOLD(&k, start, "edit.phase thread.created edit.phase message.created edit.phase");
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
             MADE(&k, "{\"squashOperationId\":\"%.*s\",\"sourceMessageIds\":[\"%.*s\"",
                  SKN_FMT(s.uid), SKN_FMT(a.uid)));
    FEED_HAS(feed_data(&k, start, 1), MADE(&k, ",\"%.*s\"],\"resultMessageId\":\"%.*s\"}",
                                           SKN_FMT(b.uid), SKN_FMT(s.result.uid)));
    TOLD(&k, start, "thread.created squash.completed");
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
    assert_string_equal(feed_data(&k, start, 0),
                        MADE(&k,
                             "{\"messageId\":\"%.*s\",\"covers\":1,\"previousMessageId\":null,"
                             "\"lane\":\"main\"}",
                             SKN_FMT(one.uid)));
    TOLD(&k, start, "summary.created");
    say(&k, "b");
    start = feed_newest(&k);
    KIT_OK(&k, skein_compact(k.e, k.chat.id, &what, k.mem, &two, &covers, &k.err));
    FEED_HAS(feed_data(&k, start, 0),
             MADE(&k, "\"previousMessageId\":\"%.*s\"", SKN_FMT(one.uid)));
    TOLD(&k, start, "summary.created");
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
             MADE(&k, "\"previousMessageId\":\"%.*s\"", SKN_FMT(a.uid)));
    TOLD(&k, start, "thread.created message.retagged");
    kit_close(&k);
}

/* --- Places ----------------------------------------------------------------------------------------- */

static void worlds_and_agents_tell_what_they_are(void **state)
{
    kit         k;
    skein_world world = {.name = skein_text("second"), .description = skein_text("d")};
    skein_agent agent = {.name = skein_text("zed"), .model = skein_text("m/1")};
    int64_t     start;

    kit_open(&k, state);
    start = feed_newest(&k);
    KIT_OK(&k, skein_world_new(k.e, &world, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"second\",\"description\":\"d\"");
    assert_string_equal(feed_after(&k, start).at[0].world_name.p, "second");
    TOLD(&k, start, "world.updated");
    agent.world = world.id;
    KIT_OK(&k, skein_agent_new(k.e, &agent, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"zed\",\"model\":\"m/1\"");
    TOLD(&k, start, "agent.created");
    agent.model = skein_text("m/2");
    KIT_OK(&k, skein_agent_update(k.e, &agent, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"model\":\"m/2\"");
    TOLD(&k, start, "agent.updated");
    KIT_OK(&k, skein_agent_remove(k.e, agent.id, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"zed\"");
    TOLD(&k, start, "agent.removed");
    world = (skein_world){.id = world.id, .name = skein_text("third")};
    KIT_OK(&k, skein_world_update(k.e, &world, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"third\",\"description\":\"d\"");
    assert_string_equal(feed_after(&k, start).at[0].world_name.p, "third");
    TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_world_remove(k.e, world.id, &k.err));
    assert_string_equal(feed_data(&k, start, 0), "{\"removed\":true}");
    TOLD(&k, start, "world.updated");
    kit_close(&k);
}

static void chats_tell_when_they_come_change_and_go(void **state)
{
    kit                k;
    skein_conversation chat, branch, own;
    int64_t            start;

    kit_open(&k, state);
    say(&k, "a");
    start = feed_newest(&k);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("new"), k.mem, &chat, &k.err));
    FEED_HAS(feed_data(&k, start, 0),
             MADE(&k, "{\"id\":\"%.*s\",\"title\":\"%.*s\"", SKN_FMT(chat.uid), 3, "new"));
    FEED_HAS(feed_data(&k, start, 1),
             MADE(&k, "\"currentChatId\":\"%.*s\"", SKN_FMT(chat.uid)));
    TOLD(&k, start, "chat.created world.updated");
    KIT_OK(&k, skein_world_set_chat(k.e, k.world.id, k.chat.id, &k.err));
    FEED_HAS(feed_data(&k, start, 0),
             MADE(&k, "\"currentChatId\":\"%.*s\"", SKN_FMT(k.chat.uid)));
    TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_conversation_rename(k.e, chat.id, skein_text("newer"), &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"title\":\"newer\"");
    TOLD(&k, start, "chat.updated");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("twig"), k.mem, &branch, &k.err));
    FEED_HAS(feed_data(&k, start, 0),
             MADE(&k, "{\"id\":\"%.*s\",\"title\":\"%.*s\"", SKN_FMT(branch.uid), 4, "twig"));
    TOLD(&k, start, "chat.created");
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"removed\":true");
    FEED_HAS(feed_data(&k, start, 1), "\"currentChatId\":null");
    TOLD(&k, start, "chat.updated world.updated");
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &own, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"mode\":\"background\",\"agent\":\"ada\"");
    TOLD(&k, start, "chat.created");
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &own, &k.err));
    TOLD(&k, start, "");
    kit_close(&k);
}

static void delegations_tell_their_begin_and_their_end(void **state)
{
    kit                  k;
    skein_message        call;
    skein_lane           lane, below;
    skein_new_message    m = {.content = skein_text("inside")};
    skein_append_request r = {.messages = &m, .count = 1, .lane = skein_text("main.1")};
    skein_messages       out;
    int64_t              start;

    kit_open(&k, state);
    call = kit_call(&k, "ada", "c1");
    start = feed_newest(&k);
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main"), call.id, skein_text("c1"),
                              k.mem, &lane, &k.err));
    assert_string_equal(feed_data(&k, start, 0),
                        "{\"delegationId\":\"main.1\",\"threadPath\":\"main.1\",\"parent\":"
                        "\"main\",\"agent\":null,\"toolCallId\":\"c1\"}");
    TOLD(&k, start, "delegation.started");
    r.conversation = k.chat.id;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"threadPath\":\"main.1\"");
    TOLD(&k, start, "message.created");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main.1"), (skein_message_id){0},
                              SKN_NONE, k.mem, &below, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"threadPath\":\"main.1.1\",\"parent\":\"main.1\"");
    TOLD(&k, start, "delegation.started");
    KIT_OK(&k, skein_lane_finish(k.e, below.id, SKEIN_LANE_FAILED, &k.err));
    TOLD(&k, start, "delegation.failed");
    KIT_OK(&k, skein_lane_finish(k.e, lane.id, SKEIN_LANE_DONE, &k.err));
    TOLD(&k, start, "delegation.completed");
    KIT_OK(&k, skein_lane_finish(k.e, lane.id, SKEIN_LANE_DONE, &k.err));
    TOLD(&k, start, "");
    kit_close(&k);
}

static void tags_and_files_tell_where_they_changed(void **state)
{
    kit                k;
    skein_tag          tag = {.name = skein_text("brief"),
                              .control = skein_text("toggle"),
                              .instruction = skein_text("Brief")};
    skein_context_file file = {.path = skein_text("a.c")};
    int64_t            start;

    kit_open(&k, state);
    start = feed_newest(&k);
    KIT_OK(&k, skein_tag_define(k.e, k.world.id, &tag, &k.err));
    TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_tag_activate(k.e, k.chat.id, tag.name, true, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"tag\":\"brief\",\"active\":true");
    TOLD(&k, start, "chat.updated");
    KIT_OK(&k, skein_tag_forget(k.e, k.world.id, tag.name, &k.err));
    TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_context_file_set(k.e, k.chat.id, &file, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"contextFile\":\"a.c\"");
    TOLD(&k, start, "chat.updated");
    KIT_OK(&k, skein_context_file_remove(k.e, k.chat.id, file.path, &k.err));
    TOLD(&k, start, "chat.updated");
    kit_close(&k);
}

/* --- Tools --------------------------------------------------------------------------------------------- */

typedef struct tool_work {
    kit          *k;
    skein_message call, result;
} tool_work;

static skein_rc tell_tools(skn_tx *tx, void *arg, skein_error *err)
{
    tool_work           *t = arg;
    skn_conversation_row c;
    skein_rc             rc = skn_conversation_need(tx, t->k->chat.id, t->k->mem, &c, err);

    if (rc)
        return rc;
    skn_feed_tool(tx, &c, "tool.started", &t->call, SKN_STR("c1"), SKN_STR("why"));
    skn_feed_tool(tx, &c, "tool.completed", &t->result, SKN_STR("c1"), SKN_NONE);
    return SKEIN_OK;
}

static void calls_and_results_are_told_cut_and_without_a_copy(void **state)
{
    kit               k;
    char              args[3100], content[3100];
    skein_tool_call   call = {skein_text("c1"), skein_text("look"), SKN_NONE};
    skein_new_message m[2] = {
        {.role = SKEIN_ASSISTANT, .sender = skein_text("ada"), .calls = &call, .call_count = 1},
        {.role = SKEIN_TOOL, .tool_call_id = skein_text("c1")}};
    skein_messages out;
    tool_work      t = {.k = &k};
    skein_events   e;
    int64_t        start;

    kit_open(&k, state);
    snprintf(args, sizeof args, "{\"a\":\"%03000d\"}", 7);
    snprintf(content, sizeof content, "%03000d", 8);
    call.args = skein_text(args);
    m[1].content = skein_text(content);
    KIT_OK(&k, kit_append(&k, m, 2, &out));
    t.call = out.at[0];
    t.result = out.at[1];
    start = feed_newest(&k);
    KIT_OK(&k, skn_store_write(k.e->store, tell_tools, &t, &k.err));
    e = feed_after(&k, start);
    assert_int_equal(e.count, 2);
    assert_string_equal(e.at[0].cause.p, "why");
    FEED_HAS(e.at[0].data.p, "\"toolCallId\":\"c1\",\"toolName\":\"look\",\"args\":\"{");
    FEED_HAS(e.at[0].data.p, "\"cut\":true");
    assert_in_range(e.at[0].data.n, 2000, 2300);
    FEED_HAS(e.at[1].data.p, "\"toolCallId\":\"c1\",\"content\":\"000");
    assert_in_range(e.at[1].data.n, 2000, 2300);
    assert_true(skn_fixture_number(k.fx, "SELECT max(length(data)) FROM events") < 300);
    kit_close(&k);
}

static void a_short_call_is_told_with_its_arguments(void **state)
{
    kit       k;
    tool_work t = {.k = &k};
    int64_t   start;

    kit_open(&k, state);
    t.call = kit_call(&k, "ada", "c1");
    t.result = kit_result(&k, "c1");
    start = feed_newest(&k);
    KIT_OK(&k, skn_store_write(k.e->store, tell_tools, &t, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"args\":{\"at\":1},\"cut\":false}");
    kit_close(&k);
}

/* What the message says itself is not said twice; its usage comes from the event. */
static skein_rc tell_done(skn_tx *tx, void *arg, skein_error *err)
{
    tool_work           *t = arg;
    skn_conversation_row c;
    skn_told             d;
    skein_rc             rc = skn_conversation_need(tx, t->k->chat.id, t->k->mem, &c, err);

    if (rc)
        return rc;
    skn_told_open(&d);
    skn_jw_kstr(&d.w, "turnId", SKN_STR("another"));
    skn_jw_key(&d.w, "usage");
    skn_jw_raw(&d.w, SKN_STR("{\"in\":1}"));
    skn_jw_kstr(&d.w, "finishReason", SKN_STR("stop"));
    skn_feed_message(tx, &c, "message.completed", &t->call, SKN_NONE, &d);
    return SKEIN_OK;
}

static void no_member_of_a_told_message_is_there_twice(void **state)
{
    kit             k;
    tool_work       t = {.k = &k};
    const skn_json *v;
    const char     *data;
    int64_t         start;

    kit_open(&k, state);
    t.call = say(&k, "a");
    start = feed_newest(&k);
    KIT_OK(&k, skn_store_write(k.e->store, tell_done, &t, &k.err));
    data = feed_data(&k, start, 0);
    KIT_OK(&k, skn_json_parse(&v, skein_text(data), "data", k.mem, &k.err)); /* refuses two */
    FEED_HAS(data, "\"usage\":{\"in\":1},\"turnId\":null");
    FEED_HAS(data, ",\"finishReason\":\"stop\"}");
    FEED_HAS(data, "\"position\":0,");
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
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("A"), k.mem, &v, &a, &k.err));
    ids[0] = a.id;
    start = feed_newest(&k);
    k.how.dry_run = true;
    KIT_OK(&k, skein_edit(k.e, &k.how, a.id, skein_text("B"), k.mem, &v, NULL, &k.err));
    KIT_OK(&k, skein_insert(k.e, &k.how, b.id, &m, k.mem, &v, NULL, &k.err));
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){ids, 1}, k.mem, &v, &k.err));
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &squash, &k.err));
    KIT_OK(&k, skein_remove_from(k.e, &k.how, a.id, true, k.mem, &r, &k.err));
    KIT_OK(&k, skein_revise(k.e, &k.how, a.id, skein_text("C"), k.mem, &r, &k.err));
    KIT_OK(&k, skein_restore(k.e, &k.how, 1, k.mem, &v, &k.err));
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    KIT_OK(&k, skein_switch(k.e, &k.how, 1, k.mem, &move, &k.err));
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, SKN_NONE, k.mem, &branch, &k.err));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){ids, 1}, &erased, &k.err));
    TOLD(&k, start, "");
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
    KIT_OK(&k, skein_revise(k.e, &k.how, a.id, skein_text("B"), k.mem, &r, &k.err));
    start = feed_newest(&k);
    KIT_OK(&k, skein_revise(k.e, &k.how, a.id, skein_text("B"), k.mem, &r, &k.err));
    k.how.key = SKN_NONE;
    k.how.expect = (skein_at){{1}, 77};
    assert_int_equal(
        skein_edit(k.e, &k.how, r.added.id, skein_text("C"), k.mem, &v, NULL, &k.err),
        SKEIN_VERSION_CHANGED);
    TOLD(&k, start, "");
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
        SKN_BOTH(a_revision_is_told_in_phases_with_its_new_message),
        SKN_BOTH(a_squash_names_its_sources_and_its_result),
        SKN_BOTH(a_summary_names_what_it_covers_and_the_one_before),
        SKN_BOTH(new_tags_of_a_message_are_told_with_it),
        SKN_BOTH(worlds_and_agents_tell_what_they_are),
        SKN_BOTH(chats_tell_when_they_come_change_and_go),
        SKN_BOTH(delegations_tell_their_begin_and_their_end),
        SKN_BOTH(tags_and_files_tell_where_they_changed),
        SKN_BOTH(calls_and_results_are_told_cut_and_without_a_copy),
        SKN_BOTH(a_short_call_is_told_with_its_arguments),
        SKN_BOTH(no_member_of_a_told_message_is_there_twice),
        SKN_BOTH(a_dry_run_tells_nothing),
        SKN_BOTH(what_is_refused_or_replayed_tells_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
