/* What worlds, agents, chats, delegations and tools tell. */
#include "store/feed_kit.h"

#include "base/json.h"
#include "engine/feed.h"

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
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
    FEED_TOLD(&k, start, "world.updated");
    agent.world = world.id;
    KIT_OK(&k, skein_agent_new(k.e, &agent, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"zed\",\"model\":\"m/1\"");
    FEED_TOLD(&k, start, "agent.created");
    agent.model = skein_text("m/2");
    KIT_OK(&k, skein_agent_update(k.e, &agent, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"model\":\"m/2\"");
    FEED_TOLD(&k, start, "agent.updated");
    KIT_OK(&k, skein_agent_remove(k.e, agent.id, false, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"zed\"");
    FEED_TOLD(&k, start, "agent.removed");
    world = (skein_world){.id = world.id, .name = skein_text("third")};
    KIT_OK(&k, skein_world_update(k.e, &world, k.mem, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"name\":\"third\",\"description\":\"d\"");
    assert_string_equal(feed_after(&k, start).at[0].world_name.p, "third");
    FEED_TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_world_remove(k.e, world.id, false, &k.err));
    assert_string_equal(feed_data(&k, start, 0), "{\"removed\":true}");
    FEED_TOLD(&k, start, "world.updated");
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
             FEED_MADE(&k, "{\"id\":\"%.*s\",\"title\":\"%.*s\"", SKN_FMT(chat.uid), 3, "new"));
    FEED_HAS(feed_data(&k, start, 1),
             FEED_MADE(&k, "\"currentChatId\":\"%.*s\"", SKN_FMT(chat.uid)));
    FEED_TOLD(&k, start, "chat.created world.updated");
    KIT_OK(&k, skein_world_set_chat(k.e, k.world.id, k.chat.id, &k.err));
    FEED_HAS(feed_data(&k, start, 0),
             FEED_MADE(&k, "\"currentChatId\":\"%.*s\"", SKN_FMT(k.chat.uid)));
    FEED_TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_conversation_rename(k.e, chat.id, skein_text("newer"), &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"title\":\"newer\"");
    FEED_TOLD(&k, start, "chat.updated");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("twig"), k.mem, &branch, &k.err));
    FEED_HAS(feed_data(&k, start, 0), FEED_MADE(&k, "{\"id\":\"%.*s\",\"title\":\"%.*s\"",
                                                SKN_FMT(branch.uid), 4, "twig"));
    FEED_TOLD(&k, start, "chat.created");
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, false, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"removed\":true");
    FEED_HAS(feed_data(&k, start, 1), "\"currentChatId\":null");
    FEED_TOLD(&k, start, "chat.updated world.updated");
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &own, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"mode\":\"background\",\"agent\":\"ada\"");
    FEED_TOLD(&k, start, "chat.created");
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &own, &k.err));
    FEED_TOLD(&k, start, "");
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
    FEED_TOLD(&k, start, "delegation.started");
    r.conversation = k.chat.id;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"threadPath\":\"main.1\"");
    FEED_TOLD(&k, start, "message.created");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main.1"), (skein_message_id){0},
                              SKN_NONE, k.mem, &below, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"threadPath\":\"main.1.1\",\"parent\":\"main.1\"");
    FEED_TOLD(&k, start, "delegation.started");
    KIT_OK(&k, skein_lane_finish(k.e, below.id, SKEIN_LANE_FAILED, &k.err));
    FEED_TOLD(&k, start, "delegation.failed");
    KIT_OK(&k, skein_lane_finish(k.e, lane.id, SKEIN_LANE_DONE, &k.err));
    FEED_TOLD(&k, start, "delegation.completed");
    KIT_OK(&k, skein_lane_finish(k.e, lane.id, SKEIN_LANE_DONE, &k.err));
    FEED_TOLD(&k, start, "");
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
    FEED_TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_tag_activate(k.e, k.chat.id, tag.name, true, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"tag\":\"brief\",\"active\":true");
    FEED_TOLD(&k, start, "chat.updated");
    KIT_OK(&k, skein_tag_forget(k.e, k.world.id, tag.name, &k.err));
    FEED_TOLD(&k, start, "world.updated");
    KIT_OK(&k, skein_context_file_set(k.e, k.chat.id, &file, &k.err));
    FEED_HAS(feed_data(&k, start, 0), "\"contextFile\":\"a.c\"");
    FEED_TOLD(&k, start, "chat.updated");
    KIT_OK(&k, skein_context_file_remove(k.e, k.chat.id, file.path, &k.err));
    FEED_TOLD(&k, start, "chat.updated");
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
    skn_feed_tool(tx, &c, "tool.started", &t->call, SKN_STR("c1"), SKN_NONE, SKN_STR("why"));
    skn_feed_tool(tx, &c, "tool.completed", &t->result, SKN_STR("c1"), SKN_STR("main.1"),
                  SKN_NONE);
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
    FEED_HAS(e.at[1].data.p, "\"toolCallId\":\"c1\",\"delegationId\":\"main.1\"");
    FEED_HAS(e.at[1].data.p, "\"content\":\"000");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(worlds_and_agents_tell_what_they_are),
        SKN_BOTH(chats_tell_when_they_come_change_and_go),
        SKN_BOTH(delegations_tell_their_begin_and_their_end),
        SKN_BOTH(tags_and_files_tell_where_they_changed),
        SKN_BOTH(calls_and_results_are_told_cut_and_without_a_copy),
        SKN_BOTH(a_short_call_is_told_with_its_arguments),
        SKN_BOTH(no_member_of_a_told_message_is_there_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
