/* The JSON of every answer has exactly the members that its list of fields names. */
#include "base/json.h"
#include "engine/engine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* For initialisers of static things, where a compound literal is not a constant. */
#define LIT(s)                                                                                 \
    {                                                                                          \
        "" s, sizeof(s) - 1                                                                    \
    }

typedef struct fixture {
    skn_arena *a;
    skn_buf    out;
    skn_jw     w;
} fixture;

static int begin(void **state)
{
    fixture *f = skn_heap(sizeof *f);

    f->a = skn_arena_new();
    skn_buf_init(&f->out, 1 << 20);
    skn_jw_init(&f->w, &f->out);
    *state = f;
    return 0;
}

static int end(void **state)
{
    fixture *f = *state;

    skn_buf_release(&f->out);
    skn_arena_free(f->a);
    free(f);
    return 0;
}

static const skn_json *written(fixture *f)
{
    const skn_json *v;
    skein_error     err;

    if (skn_json_parse(&v, skn_buf_str(&f->out), "shape", f->a, &err))
        fail_msg("%s in %s", err.message, f->out.p);
    return v;
}

static size_t count_fields(const char *fields)
{
    skn_str rest = skn_str_of(fields), name;
    size_t  n = 0;

    while (skn_str_split(&rest, ',', &name))
        n++;
    return n;
}

static bool has_member(const skn_json *v, skn_str name)
{
    for (const skn_json *m = v->first; m; m = m->next)
        if (skn_str_eq(m->key, name))
            return true;
    return false;
}

static void has_members(const skn_json *v, const char *fields)
{
    skn_str rest = skn_str_of(fields), name;

    assert_int_equal(v->kind, SKN_JSON_OBJECT);
    while (skn_str_split(&rest, ',', &name))
        if (!has_member(v, name))
            fail_msg("there is no member \"%.*s\"", SKN_FMT(name));
}

static void has_exactly(const skn_json *v, const char *fields)
{
    has_members(v, fields);
    assert_int_equal(v->count, count_fields(fields));
}

static const skein_tool_call one_call = {LIT("c1"), LIT("look"),
                                         LIT("{\"deep\":[1,{\"a\":null}]}")};

static skein_message sample(void)
{
    static skein_tool_call   calls[1];
    static skein_instruction instructions[1];
    skein_message            m = {.uid = SKN_STR("m-1"),
                                  .role = SKEIN_ASSISTANT,
                                  .author = SKEIN_BY_AGENT,
                                  .sender = SKN_STR("ada"),
                                  .content = SKN_STR("say \"hi\"\n{]"),
                                  .reply_to = SKN_STR("m-0"),
                                  .created_at = 1000000,
                                  .position = 4};

    calls[0] = one_call;
    instructions[0] = (skein_instruction){SKN_STR("ResponseExpected"), SKN_STR("lead")};
    m.calls = calls;
    m.call_count = 1;
    m.instructions = instructions;
    m.instruction_count = 1;
    return m;
}

static void a_message_with_facts_has_every_member(void **state)
{
    fixture            *f = *state;
    skein_message       m = sample();
    skein_str           seen[] = {SKN_STR("lead"), SKN_STR("ada")};
    int64_t             versions[] = {3, 1};
    skein_message_facts facts = {.seen_by = seen,
                                 .seen_by_count = 2,
                                 .reply_count = 1,
                                 .versions = versions,
                                 .version_count = 2,
                                 .usage = {.tokens_in = 7, .tokens_out = -1, .known = true}};
    const skn_json     *v, *call;

    skn_shape_message(&f->w, SKN_STR("c_1"), &m, &facts);
    v = written(f);
    has_exactly(v, SKN_FIELDS_MESSAGE);
    assert_true(skn_str_is(skn_json_get(v, "content")->text, "say \"hi\"\n{]"));
    assert_true(skn_str_is(skn_json_get(v, "seenByAgents")->raw, "[\"lead\",\"ada\"]"));
    assert_true(skn_json_get(v, "hasReply")->boolean);
    assert_true(skn_str_is(skn_json_get(v, "warnings")->raw, "[]"));
    assert_true(skn_str_is(skn_json_get(v, "usage")->raw,
                           "{\"inputTokens\":7,\"outputTokens\":null,\"cachedTokens\":0,"
                           "\"writtenTokens\":0,\"costNanos\":0,\"estimated\":false}"));
    call = skn_json_get(v, "toolCalls")->first;
    assert_true(skn_str_eq(skn_json_get(call, "args")->raw, one_call.args));
}

static void what_was_not_measured_has_no_usage(void **state)
{
    fixture            *f = *state;
    skein_message       m = sample();
    skein_message_facts facts = {.usage = {.tokens_in = -1, .tokens_out = -1}};

    skn_shape_message(&f->w, SKN_STR("c_1"), &m, &facts);
    assert_true(skn_str_is(skn_json_get(written(f), "usage")->raw, "null"));
}

static void a_message_without_facts_leaves_them_out(void **state)
{
    fixture        *f = *state;
    skein_message   m = sample();
    const skn_json *v;

    skn_shape_message(&f->w, SKN_STR("c_1"), &m, NULL);
    v = written(f);
    has_members(v, "messageId,chatId,role,sender,content,replyToMessageId,createdAt");
    assert_null(skn_json_get(v, "hasReply"));
    assert_null(skn_json_get(v, "seenByAgents"));
}

static void a_tool_says_whether_it_failed(void **state)
{
    fixture      *f = *state;
    skein_message m = {.uid = SKN_STR("m"), .role = SKEIN_TOOL, .tool_failed = true};

    skn_shape_message(&f->w, SKN_STR("c_1"), &m, NULL);
    assert_true(skn_str_is(skn_json_get(written(f), "toolStatus")->text, "error"));
}

static void an_agent_keeps_what_its_settings_say(void **state)
{
    fixture        *f = *state;
    skein_agent     agent = {.name = SKN_STR("ada"),
                             .settings = SKN_STR("{\"tools\":[\"tell\"],\"temperature\":0.70}")};
    const skn_json *v;

    skn_shape_agent(&f->w, &agent, f->a);
    v = written(f);
    has_exactly(v, SKN_FIELDS_AGENT);
    assert_true(skn_str_is(skn_json_get(v, "tools")->raw, "[\"tell\"]"));
    assert_true(skn_str_is(skn_json_get(v, "temperature")->raw, "0.70"));
    assert_int_equal(skn_json_get(v, "lead")->kind, SKN_JSON_NULL);
}

static void a_world_holds_its_agents_and_chats(void **state)
{
    fixture            *f = *state;
    skein_world         world = {.name = SKN_STR("launch"), .turn_limit = 8};
    skein_agent         agent = {.name = SKN_STR("ada")};
    skein_conversation  chat = {.uid = SKN_STR("c_1"), .version = 2};
    skein_agents        agents = {&agent, 1};
    skein_conversations chats = {&chat, 1};
    const skn_json     *v;

    skn_shape_world(&f->w, &world, &agents, &chats, f->a);
    v = written(f);
    has_exactly(v, SKN_FIELDS_WORLD);
    has_exactly(skn_json_get(v, "chats")->first, SKN_FIELDS_CHAT);
    assert_false(skn_json_get(v, "sessionMode")->boolean);
}

static void lanes_tags_and_files_have_their_members(void **state)
{
    fixture           *f = *state;
    skein_lane         lane = {.key = SKN_STR("main.1"), .state = SKEIN_LANE_DONE};
    skein_tag          tag = {.name = SKN_STR("urgent")};
    skein_str          items[] = {SKN_STR("fun total")};
    skein_context_file file = {.path = SKN_STR("a.c"), .items = items, .item_count = 1};

    skn_shape_lane(&f->w, &lane);
    has_exactly(written(f), SKN_FIELDS_LANE);
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
    skn_shape_tag(&f->w, &tag);
    has_exactly(written(f), SKN_FIELDS_TAG);
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
    skn_shape_file(&f->w, &file, NULL);
    has_exactly(written(f), SKN_FIELDS_FILE);
}

static const skein_version v2 = {.number = 2,
                                 .thread_uid = LIT("t_2"),
                                 .origin = 1,
                                 .origin_thread_uid = LIT("t_1"),
                                 .kind = LIT("amend"),
                                 .actor = LIT("human"),
                                 .current = true};
static const skein_version v1 = {.number = 1, .thread_uid = LIT("t_1"), .length = 7};

static void a_thread_is_numbered_and_names_its_origin(void **state)
{
    fixture        *f = *state;
    const skn_json *v;

    skn_shape_version(&f->w, &v2);
    v = written(f);
    has_exactly(v, SKN_FIELDS_VERSION);
    assert_true(skn_str_is(skn_json_get(v, "version")->text, "v2"));
    assert_true(skn_str_is(skn_json_get(v, "originalVersion")->text, "v1"));
}

static void the_first_thread_has_no_origin(void **state)
{
    fixture        *f = *state;
    const skn_json *v;

    skn_shape_version(&f->w, &v1);
    v = written(f);
    assert_int_equal(skn_json_get(v, "originalVersion")->kind, SKN_JSON_NULL);
    assert_int_equal(skn_json_get(v, "originalThread")->kind, SKN_JSON_NULL);
}

static void a_move_says_where_it_came_from(void **state)
{
    fixture        *f = *state;
    skein_move      move = {.from = v2, .to = v1, .what = SKN_STR("amend"), .steps = 1};
    const skn_json *v;

    skn_jw_object(&f->w);
    skn_shape_move_members(&f->w, &move);
    skn_jw_object_end(&f->w);
    v = written(f);
    has_exactly(v, SKN_FIELDS_MOVE);
    assert_true(skn_str_is(skn_json_get(v, "version")->text, "v1"));
    assert_true(skn_str_is(skn_json_get(v, "previousVersion")->text, "v2"));
}

static void a_move_that_nobody_counted_has_no_numbers(void **state)
{
    fixture        *f = *state;
    skein_move      move = {.from = v2, .to = v1, .returning = -1, .leaving = -1};
    const skn_json *v;

    move.side_effects = -1;
    skn_jw_object(&f->w);
    skn_shape_move_members(&f->w, &move);
    skn_jw_object_end(&f->w);
    v = written(f);
    assert_non_null(skn_json_get(v, "steps"));
    assert_null(skn_json_get(v, "returning"));
    assert_null(skn_json_get(v, "leaving"));
    assert_null(skn_json_get(v, "sideEffects"));
}

static void a_squash_has_its_members(void **state)
{
    fixture     *f = *state;
    skein_str    sources[] = {SKN_STR("a"), SKN_STR("b")};
    skein_squash s = {.uid = SKN_STR("sq_1"), .sources = sources, .source_count = 2};

    skn_shape_squash(&f->w, &s);
    has_exactly(written(f), SKN_FIELDS_SQUASH);
}

static skein_removal removal(void)
{
    static skein_removal_agent by_sender[] = {{LIT("human"), 1}, {LIT("ada"), 2}};
    static skein_removal_agent by_agent[] = {{LIT("ada"), 3}};
    static skein_removal_line  lines[] = {{LIT("m-1"), LIT("human"), LIT("one")},
                                          {LIT("m-3"), LIT("ada"), LIT("three")}};

    return (skein_removal){.message_uid = SKN_STR("m-1"),
                           .version = v2,
                           .previous = v1,
                           .count = 3,
                           .by_sender = by_sender,
                           .by_sender_count = 2,
                           .by_agent = by_agent,
                           .by_agent_count = 1,
                           .preview = lines,
                           .preview_count = 2,
                           .preview_skipped = 1};
}

static void a_removal_says_how_to_take_it_back(void **state)
{
    fixture        *f = *state;
    skein_removal   r = removal();
    const skn_json *v, *undo;

    skn_shape_removal(&f->w, SKN_STR("launch"), SKN_STR("c_1"), &r);
    v = written(f);
    has_exactly(v, SKN_FIELDS_REMOVAL);
    assert_true(skn_str_is(skn_json_get(v, "resubmissionStatus")->text, "skipped"));
    undo = skn_json_get(v, "undo");
    assert_true(
        skn_str_is(skn_json_get(undo, "href")->text, "/worlds/launch/chats/c_1/currentThread"));
    assert_true(skn_str_is(skn_json_get(skn_json_get(undo, "body"), "threadId")->text, "t_1"));
}

static void an_edit_names_what_was_sent_instead(void **state)
{
    fixture        *f = *state;
    skein_removal   r = removal();
    const skn_json *v;

    r.added.uid = SKN_STR("m-9");
    skn_shape_removal(&f->w, SKN_STR("launch"), SKN_STR("c_1"), &r);
    v = written(f);
    assert_true(skn_str_is(skn_json_get(v, "resubmissionStatus")->text, "success"));
    assert_true(skn_str_is(skn_json_get(v, "newMessageId")->text, "m-9"));
}

static void a_count_can_be_sent_back_as_a_condition(void **state)
{
    fixture        *f = *state;
    skein_removal   r = removal();
    skein_message   m = sample();
    const skn_json *v;

    m.author = SKEIN_BY_HUMAN;
    skn_shape_count(&f->w, SKN_STR("c_1"), true, SKN_NONE, &m, &r);
    v = written(f);
    has_exactly(v, SKN_FIELDS_COUNT);
    assert_true(skn_str_is(skn_json_get(v, "etag")->text, "\"t_1.7\""));
    assert_true(skn_str_is(skn_json_get(v, "byAgent")->raw, "{\"human\":1,\"ada\":2}"));
    assert_true(skn_json_get(v, "editable")->boolean);
    assert_true(skn_str_is(skn_json_get(v, "preview")->raw,
                           "[{\"messageId\":\"m-1\",\"sender\":\"human\",\"text\":\"one\"},"
                           "{\"messageId\":\"m-3\",\"sender\":\"ada\",\"text\":\"three\"}]"));
    assert_true(skn_str_is(skn_json_get(v, "previewSkipped")->raw, "1"));
}

static void a_diff_shows_each_side_that_is_there(void **state)
{
    fixture         *f = *state;
    skein_diff_entry entry = {.kind = SKEIN_DIFF_ADDED, .after = sample()};
    skein_diff       diff = {&entry, 1, 5};
    const skn_json  *v, *change;

    skn_shape_diff(&f->w, SKN_STR("c_1"), &v1, &v2, &diff);
    v = written(f);
    has_exactly(v, SKN_FIELDS_DIFF);
    change = skn_json_get(v, "changes")->first;
    assert_true(skn_str_is(skn_json_get(change, "kind")->text, "added"));
    assert_int_equal(skn_json_get(change, "before")->kind, SKN_JSON_NULL);
    assert_int_equal(skn_json_get(change, "after")->kind, SKN_JSON_OBJECT);
}

static void views_have_their_members(void **state)
{
    fixture             *f = *state;
    skein_prompt_message pm = {.role = SKEIN_USER, .text = SKN_STR("hi")};
    skein_context        context = {.at = &pm, .count = 1};
    skein_pair_count     sender = {SKN_STR("ada"), SKN_NONE, 2};
    skein_stats          stats = {.senders = &sender, .sender_count = 1};
    skein_finding        finding = {SKN_STR("dense-positions"), SKN_STR("twice"),
                                    SKN_STR("Each once.")};
    skein_check          check = {.at = &finding, .count = 1};
    const skn_json      *v;

    skn_shape_context(&f->w, &context);
    has_exactly(written(f), SKN_FIELDS_CONTEXT);
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
    skn_shape_stats(&f->w, SKN_STR("c_1"), &stats);
    v = written(f);
    has_exactly(v, SKN_FIELDS_STATS);
    assert_true(skn_str_is(skn_json_get(v, "senders")->raw, "{\"ada\":2}"));
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
    skn_shape_check(&f->w, &check);
    v = written(f);
    has_exactly(v, SKN_FIELDS_CHECK);
    assert_false(skn_json_get(v, "ok")->boolean);
}

static void again(fixture *f)
{
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
}

static void work_of_agents_has_its_members(void **state)
{
    fixture         *f = *state;
    skein_task       task = {.uid = SKN_STR("task_1"), .attempts = 2};
    skein_inbox_item item = {.uid = SKN_STR("in_1"), .args = SKN_STR("{\"path\": \"x\"}")};
    skein_knowledge  known = {.confidence = 80};
    skein_delegation delegation = {.key = SKN_STR("main.1"), .state = SKEIN_LANE_DONE};
    skein_expected   expected = {.state = SKN_STR("open")};
    skein_model_call call = {.tokens_out = -1};
    const skn_json  *v;

    skn_shape_task(&f->w, &task);
    has_exactly(written(f), SKN_FIELDS_TASK);
    again(f);
    skn_shape_inbox_item(&f->w, &item);
    v = written(f);
    has_exactly(v, SKN_FIELDS_INBOX_ITEM);
    assert_int_equal(skn_json_get(v, "args")->kind, SKN_JSON_OBJECT);
    again(f);
    skn_shape_briefing(&f->w, &item);
    has_exactly(written(f), SKN_FIELDS_BRIEFING);
    again(f);
    skn_shape_knowledge(&f->w, &known);
    has_exactly(written(f), SKN_FIELDS_KNOWLEDGE);
    again(f);
    skn_shape_delegation(&f->w, &delegation);
    v = written(f);
    has_exactly(v, SKN_FIELDS_DELEGATION);
    assert_true(skn_str_is(skn_json_get(v, "state")->text, "done"));
    again(f);
    skn_shape_expected(&f->w, &expected);
    has_exactly(written(f), SKN_FIELDS_EXPECTED);
    again(f);
    skn_shape_model_call(&f->w, &call);
    has_exactly(written(f), SKN_FIELDS_MODEL_CALL);
    again(f);
    skn_shape_model_call_whole(&f->w, &call);
    has_exactly(written(f), SKN_FIELDS_MODEL_CALL_WHOLE);
}

static void an_agent_shows_its_tasks_and_its_pause(void **state)
{
    fixture         *f = *state;
    skein_agent      agent = {.id = {7}, .name = SKN_STR("ada")};
    skein_due        due[] = {{.delivery = 1, .agent = {7}}, {.task = 2, .agent = {7}}};
    skein_agent_work own[] = {{.agent = {3}, .pending = 9},
                              {.agent = {7}, .paused = true, .pending = 4, .run_every = 5000}};
    skn_at_work      work = {.dues = {due, 2}, .agents = own, .agent_count = 2};
    const skn_json  *v;

    skn_shape_agent_at_work(&f->w, &agent, &work, f->a);
    v = written(f);
    has_exactly(v, SKN_FIELDS_AGENT);
    assert_true(skn_str_is(skn_json_get(v, "state")->text, "paused"));
    assert_true(skn_json_get(v, "paused")->boolean);
    assert_true(
        skn_str_is(skn_json_get(v, "pendingTasks")->raw, "5")); /* the task counts once */
    assert_true(skn_str_is(skn_json_get(v, "runEvery")->raw, "5000"));
    again(f);
    work.agent_count = 0;
    skn_shape_agent_at_work(&f->w, &agent, &work, f->a);
    v = written(f);
    assert_true(skn_str_is(skn_json_get(v, "state")->text, "queued"));
    assert_true(skn_str_is(skn_json_get(v, "pendingTasks")->raw, "2"));
}

static void a_node_and_a_hit_are_messages_with_more(void **state)
{
    fixture         *f = *state;
    skein_reply_node node = {.message = sample(), .parent = -1, .unanswered = true};
    skein_hit        hit = {.message = sample(), .version = 3, .in_current = false};

    skn_shape_node(&f->w, SKN_STR("c_1"), &node, NULL);
    has_members(written(f), "messageId,parentMessageId,depth,unanswered,hasReply,memoryOnly");
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
    skn_shape_hit(&f->w, &hit);
    has_members(written(f), "messageId,chatId,title,mode,version,inCurrent,snippet");
}

static void every_code_has_a_problem_of_its_own(void **state)
{
    fixture    *f = *state;
    const char *seen[64] = {NULL};

    for (int rc = SKEIN_OK + 1; rc <= SKEIN_UNREACHABLE; rc++) {
        skein_error err = {.rc = (skein_rc)rc, .message = "what is wrong", .hint = "do this"};
        const skn_json *v;

        skn_buf_clear(&f->out);
        skn_jw_init(&f->w, &f->out);
        skn_shape_problem(&f->w, &err, NULL);
        v = written(f);
        has_exactly(v, "type,title,status,detail,code,retryable,error,message,hint");
        assert_true(skn_str_is(skn_json_get(v, "code")->text, skein_rc_name(err.rc)));
        seen[rc] = skn_arena_copy(f->a, skn_json_get(v, "type")->text).p;
        for (int other = SKEIN_OK + 1; other < rc; other++)
            assert_string_not_equal(seen[rc], seen[other]);
    }
}

static const skn_json *problem(fixture *f, skein_rc rc, const char *message,
                               const skn_problem *more)
{
    skein_error err = {.rc = rc};

    snprintf(err.message, sizeof err.message, "%s", message);
    skn_buf_clear(&f->out);
    skn_jw_init(&f->w, &f->out);
    skn_shape_problem(&f->w, &err, more);
    return written(f);
}

static void what_was_not_found_has_a_problem_of_its_own(void **state)
{
    fixture           *f = *state;
    static const char *things[] = {"world", "chat", "message", "agent", "version"};
    static const char *codes[] = {"WORLD_NOT_FOUND", "CHAT_NOT_FOUND", "MESSAGE_NOT_FOUND",
                                  "AGENT_NOT_FOUND", "VERSION_NOT_FOUND"};
    const skn_json    *v;

    for (size_t i = 0; i < 5; i++) {
        skn_problem more = {.thing = things[i], .meant = "launch"};

        v = problem(f, SKEIN_NOT_FOUND, "gone", &more);
        assert_true(skn_str_is(skn_json_get(v, "code")->text, codes[i]));
        assert_true(skn_str_starts(skn_json_get(v, "type")->text, SKN_STR("/problems/")));
        assert_true(skn_str_ends(skn_json_get(v, "type")->text, SKN_STR("-not-found")));
        assert_true(skn_str_is(skn_json_get(v, "didYouMean")->text, "launch"));
    }
    v = problem(f, SKEIN_INVALID, "bad", &(skn_problem){.thing = "world"});
    assert_true(skn_str_is(skn_json_get(v, "code")->text, skein_rc_name(SKEIN_INVALID)));
}

static void a_problem_says_what_else_is_known(void **state)
{
    fixture        *f = *state;
    const skn_json *v = problem(f, SKEIN_CONFLICT, "the key \"k\" was used before", NULL);

    assert_true(skn_str_is(skn_json_get(v, "code")->text, "IDEMPOTENCY_MISMATCH"));
    assert_true(skn_str_is(skn_json_get(v, "status")->raw, "422"));
    v = problem(f, SKEIN_VERSION_CHANGED, "moved on", &(skn_problem){.current = "t_1.2"});
    assert_true(skn_str_is(skn_json_get(v, "current")->text, "t_1.2"));
    assert_true(skn_str_is(skn_json_get(v, "retryable")->raw, "true"));
    v = problem(f, SKEIN_FULL, "the disk is full", &(skn_problem){.done = true});
    assert_true(skn_str_is(skn_json_get(v, "retryable")->raw, "false"));
}

/* --- The document -------------------------------------------------------------------------- */

extern const char   skn_openapi_json[];
extern const size_t skn_openapi_json_size;

typedef struct documented {
    skn_arena       *a;
    const skn_json  *schemas;
    const char      *name; /* of the schema that is looked at */
    const skn_shape *shape;
} documented;

static const skn_json *schema_of(const documented *d, const skn_json *schema)
{
    const skn_json *ref = skn_json_get(schema, "$ref");

    if (!ref)
        return schema;
    return skn_json_get(
        d->schemas,
        skn_arena_copy(d->a,
                       skn_str_sub(ref->text, sizeof "#/components/schemas/" - 1, ref->text.n))
            .p);
}

/* Of a schema, or of those that it is made of. */
static const skn_json *property(const documented *d, const skn_json *schema, const char *key)
{
    const skn_json *all, *found;

    schema = schema_of(d, schema);
    found = skn_json_get(skn_json_get(schema, "properties"), key);
    all = skn_json_get(schema, "allOf");
    for (const skn_json *one = all ? all->first : NULL; one && !found; one = one->next)
        found = property(d, one, key);
    return found;
}

static bool has_type(const skn_json *property, const char *type)
{
    const skn_json *types = skn_json_get(property, "type");

    if (types && types->kind == SKN_JSON_STRING)
        return skn_str_is(types->text, type);
    for (const skn_json *one = types ? types->first : NULL; one; one = one->next)
        if (skn_str_is(one->text, type))
            return true;
    return false;
}

/* The names that the enum has are those of the document, in any order. */
static bool has_names(const skn_json *property, const skn_enum *names)
{
    const skn_json *list = skn_json_get(property, "enum");
    size_t          found = 0;
    int             number;

    for (const skn_json *one = list ? list->first : NULL; one; one = one->next)
        if (one->kind == SKN_JSON_STRING && !skn_enum_from(names, one->text, &number))
            return false;
        else
            found += one->kind == SKN_JSON_STRING;
    for (size_t i = 0; i < names->count; i++)
        found -= names->at[i] != NULL;
    return found == 0;
}

/* Is it documented as what a row of this kind writes? */
static bool fits(const skn_json *property, const skn_member *m)
{
    const skn_json *format = skn_json_get(property, "format");

    if (m->put)
        return true; /* a function writes it: the contract tests see to those */
    switch ((skn_member_kind)m->kind) {
    case SKN_AS_TEXT:
    case SKN_AS_VERSION:
        return has_type(property, "string");
    case SKN_AS_FILLED:
        return has_type(property, "string") && has_type(property, "null");
    case SKN_AS_WORDS:
        return has_type(property, "string") && !has_type(property, "null");
    case SKN_AS_INT:
    case SKN_AS_SMALL:
        return has_type(property, "integer") && !has_type(property, "null");
    case SKN_AS_COUNT:
        return has_type(property, "integer") && has_type(property, "null");
    case SKN_AS_DOUBLE:
        return has_type(property, "number");
    case SKN_AS_FLAG:
        return has_type(property, "boolean") && !has_type(property, "null");
    case SKN_AS_TIME:
        return has_type(property, "string") && format && skn_str_is(format->text, "date-time");
    case SKN_AS_NAME:
        return has_type(property, "string") && has_names(property, m->of);
    case SKN_AS_TEXTS:
    case SKN_AS_INTS:
    case SKN_AS_LIST:
        return has_type(property, "array");
    case SKN_AS_RAW:
    case SKN_AS_ANY:
    case SKN_AS_PART:
    case SKN_AS_MEMBERS:
    case SKN_AS_OWN:
        break;
    }
    return true;
}

static void is_documented(void *arg, skn_str key, const skn_member *m)
{
    const documented *d = arg;
    const skn_json   *schema = skn_json_get(d->schemas, d->name);
    const skn_json   *found = property(d, schema, skn_arena_copy(d->a, key).p);

    if (!found)
        fail_msg("%s has no \"%.*s\" in openapi.json", d->name, SKN_FMT(key));
    if (!fits(found, m))
        fail_msg("\"%.*s\" of %s is %.*s in openapi.json", SKN_FMT(key), d->name,
                 SKN_FMT(found->raw));
}

static void the_document_has_every_member_of_every_shape(void **state)
{
    fixture        *f = *state;
    documented      all[] = {{.name = "Message", .shape = &skn_message_shape},
                             {.name = "ToolCall", .shape = &skn_tool_call_shape},
                             {.name = "Instruction", .shape = &skn_instruction_shape},
                             {.name = "Delivery", .shape = &skn_delivery_shape},
                             {.name = "Usage", .shape = &skn_usage_shape},
                             {.name = "Cost", .shape = &skn_cost_shape},
                             {.name = "Thread", .shape = &skn_version_shape},
                             {.name = "Squash", .shape = &skn_squash_shape},
                             {.name = "Task", .shape = &skn_task_shape},
                             {.name = "InboxItem", .shape = &skn_inbox_item_shape},
                             {.name = "Briefing", .shape = &skn_briefing_shape},
                             {.name = "Knowledge", .shape = &skn_knowledge_shape},
                             {.name = "Delegation", .shape = &skn_delegation_shape},
                             {.name = "Expected", .shape = &skn_expected_shape},
                             {.name = "ModelCall", .shape = &skn_model_call_shape},
                             {.name = "WholeModelCall", .shape = &skn_model_call_whole_shape},
                             {.name = "QueueItem", .shape = &skn_queue_item_shape},
                             {.name = "Busy", .shape = &skn_turn_shape},
                             {.name = "EditError", .shape = &skn_edit_error_shape},
                             {.name = "Notice", .shape = &skn_notice_shape},
                             {.name = "Chat", .shape = &skn_chat_shape},
                             {.name = "Agent", .shape = &skn_agent_shape},
                             {.name = "World", .shape = &skn_world_shape},
                             {.name = "Tag", .shape = &skn_tag_shape},
                             {.name = "ToolServer", .shape = &skn_tool_server_shape},
                             {.name = "AuditRow", .shape = &skn_audit_shape},
                             {.name = "Context", .shape = &skn_context_shape},
                             {.name = "Stats", .shape = &skn_stats_shape},
                             {.name = "Node", .shape = &skn_node_shape},
                             {.name = "Hit", .shape = &skn_hit_shape}};
    const skn_json *document;
    skein_error     err;

    if (skn_json_parse(&document, (skn_str){skn_openapi_json, skn_openapi_json_size},
                       "openapi.json", f->a, &err))
        fail_msg("%s", err.message);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        all[i].a = f->a;
        all[i].schemas = skn_json_get(skn_json_get(document, "components"), "schemas");
        skn_shape_each(all[i].shape, is_documented, &all[i]);
    }
}

/* What a struct says of itself is read back. */
static void a_message_is_read_as_it_was_written(void **state)
{
    fixture            *f = *state;
    skein_str           seen[] = {SKN_STR("lead")};
    skein_delivery      given[] = {{.agent = SKN_STR("lead"),
                                    .state = SKN_STR("failed"),
                                    .error = SKN_STR("no"),
                                    .failed_at = 2000000}};
    skein_deliveries    deliveries = {given, 1};
    int64_t             versions[] = {3, 1};
    skein_message       m = sample();
    skein_message_facts facts = {.seen_by = seen,
                                 .seen_by_count = 1,
                                 .reply_count = 2,
                                 .versions = versions,
                                 .version_count = 2,
                                 .usage = {.tokens_in = 7, .tokens_out = -1, .known = true}};
    skn_told_message    told;
    const skn_json     *v;
    skn_str             first;

    m.warning = SKN_STR("it answers nothing");
    m.unfinished = SKEIN_CUT;
    skn_shape_message_delivered(&f->w, SKN_STR("c_1"), &m, &facts, &deliveries);
    first = skn_arena_copy(f->a, skn_buf_str(&f->out));
    assert_int_equal(skn_json_parse(&v, first, "shape", f->a, NULL), SKEIN_OK);
    skn_shape_read(&skn_message_shape, v, f->a, &told);
    assert_int_equal(told.m.author, SKEIN_BY_AGENT);
    assert_int_equal(told.m.unfinished, SKEIN_CUT);
    assert_int_equal(told.m.instruction_count, 1);
    assert_true(skn_str_eq(told.m.warning, m.warning));
    assert_int_equal(told.d.at[0].failed_at, 2000000);
    assert_int_equal(told.f.usage.tokens_out, -1);
    again(f);
    skn_shape_message_delivered(&f->w, told.chat_uid, &told.m, &told.f, &told.d);
    assert_string_equal(first.p, f->out.p);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(a_message_with_facts_has_every_member),
        TEST(what_was_not_measured_has_no_usage),
        TEST(a_message_without_facts_leaves_them_out),
        TEST(a_tool_says_whether_it_failed),
        TEST(an_agent_keeps_what_its_settings_say),
        TEST(a_world_holds_its_agents_and_chats),
        TEST(lanes_tags_and_files_have_their_members),
        TEST(a_thread_is_numbered_and_names_its_origin),
        TEST(the_first_thread_has_no_origin),
        TEST(a_move_says_where_it_came_from),
        TEST(a_move_that_nobody_counted_has_no_numbers),
        TEST(a_squash_has_its_members),
        TEST(a_removal_says_how_to_take_it_back),
        TEST(an_edit_names_what_was_sent_instead),
        TEST(a_count_can_be_sent_back_as_a_condition),
        TEST(a_diff_shows_each_side_that_is_there),
        TEST(views_have_their_members),
        TEST(work_of_agents_has_its_members),
        TEST(an_agent_shows_its_tasks_and_its_pause),
        TEST(a_node_and_a_hit_are_messages_with_more),
        TEST(every_code_has_a_problem_of_its_own),
        TEST(what_was_not_found_has_a_problem_of_its_own),
        TEST(a_problem_says_what_else_is_known),
        TEST(the_document_has_every_member_of_every_shape),
        TEST(a_message_is_read_as_it_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
