/* test_turns.c: turns: steps as they happen, every way a turn may end, and that nothing of it lands
 * once it is over. */
#include "engine/engine.h"
#include "store/work_kit.h"

#include <pthread.h>

static skein_rc step(kit *k, skein_turn *t, const skein_new_message *m, bool last,
                     skein_message *out)
{
    skein_step s = {.message = m, .tokens_in = 7, .tokens_out = 3, .last = last};

    return skein_turn_step(k->e, t, &s, k->mem, out, &k->err);
}

static skein_new_message says_so(const char *text)
{
    return (skein_new_message){.role = SKEIN_ASSISTANT, .content = skein_text(text)};
}

static skein_new_message found(const char *call_id, bool failed)
{
    return (skein_new_message){.role = SKEIN_TOOL,
                               .content = skein_text("found"),
                               .tool_call_id = skein_text(call_id),
                               .tool_failed = failed};
}

/* What the agent does is stored nowhere. */
static void lands_nowhere(kit *k, skein_turn *t)
{
    skein_new_message m = says_so("late");
    skein_message     out;
    const char       *before = kit_state(k);
    int64_t           last = newest(k);

    assert_int_equal(finish(k, t, "late"), SKEIN_TURN_OVER);
    assert_int_equal(step(k, t, &m, false, &out), SKEIN_TURN_OVER);
    assert_int_equal(skein_turn_end(k->e, t, SKEIN_TURN_FAILED, NULL, &k->err),
                     SKEIN_TURN_OVER);
    assert_string_equal(kit_state(k), before);
    assert_int_equal(newest(k), last);
}

/* What the one agent at work does: "tool look". */
static const char *doing(kit *k)
{
    skein_turns open;
    skn_at_work work = {0};
    skn_str     detail, word;

    KIT_OK(k, skein_turns_open(k->e, k->world.id, (skein_conversation_id){0}, k->mem, &open,
                               &k->err));
    assert_int_equal(open.count, 1);
    work.turns = open;
    word = skn_agent_state(&work, open.at[0].agent, &detail);
    return skn_arena_printf(k->mem, "%.*s%s%.*s", SKN_FMT(word), detail.n ? " " : "",
                            SKN_FMT(detail))
        .p;
}

/* --- Steps ------------------------------------------------------------------------------------------------ */

static void a_turn_has_an_id_for_what_is_being_written(void **state)
{
    kit               k;
    skein_posted      p;
    skein_turn        t;
    skein_turns       open;
    skein_message     out;
    skein_new_message m = says_so("hi");
    int64_t           before;

    kit_open(&k, state);
    p = post(&k, "@ada hello");
    before = newest(&k);
    t = begin(&k, "ada");
    assert_string_equal(t.world_name.p, "lab");
    assert_string_equal(t.trigger_uid.p, p.message.uid.p);
    assert_string_equal(t.cause.p, p.message.uid.p);
    assert_string_equal(told(&k, before), "agent.state message.started");
    says(&k, before, "agent.state", "\"agent\":\"ada\",\"state\":\"thinking\"");
    says(&k, before, "message.started", t.message_uid.p);
    says(&k, before, "message.started", "\"model\":\"demo/scripted\"");
    KIT_OK(&k,
           skein_turns_open(k.e, k.world.id, (skein_conversation_id){0}, k.mem, &open, &k.err));
    assert_int_equal(open.count, 1);
    assert_string_equal(open.at[0].uid.p, t.uid.p);

    before = newest(&k);
    skein_str reserved = t.message_uid;
    KIT_OK(&k, step(&k, &t, &m, true, &out));
    assert_string_equal(out.uid.p, reserved.p);
    assert_string_equal(out.sender.p, "ada");
    assert_string_equal(out.reply_to.p, p.message.uid.p);
    assert_string_equal(out.turn_uid.p, t.uid.p);
    assert_string_equal(out.model.p, "demo/scripted");
    assert_string_equal(told(&k, before), "message.completed message.delivered agent.state "
                                          "reply.changed world.idle");
    says(&k, before, "message.completed", "\"content\":\"hi\"");
    says(&k, before, "message.completed", "\"finishReason\":\"stop\"");
    says(&k, before, "message.completed", "\"inputTokens\":7,\"outputTokens\":3");
    says(&k, before, "message.delivered", "\"state\":\"answered\"");
    says(&k, before, "reply.changed", "\"state\":\"replied\",\"count\":1");
    KIT_OK(&k, skein_turns_open(k.e, (skein_world_id){0}, k.chat.id, k.mem, &open, &k.err));
    assert_int_equal(open.count, 0);
    lands_nowhere(&k, &t);
    kit_close(&k);
}

static void calls_and_results_are_stored_as_they_happen(void **state)
{
    kit               k;
    skein_tool_call   calls[] = {{skein_text("c1"), skein_text("look"), skein_text("{}")},
                                 {skein_text("c2"), skein_text("look"), skein_text("{}")}};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = calls, .call_count = 2};
    skein_new_message r1 = found("c1", false), r2 = found("c2", true);
    skein_message     call, result;
    skein_turn        t;
    skein_str         first;
    int64_t           before;

    kit_open(&k, state);
    post(&k, "@ada look");
    t = begin(&k, "ada");
    first = t.message_uid;
    before = newest(&k);
    KIT_OK(&k, step(&k, &t, &m, false, &call));
    assert_string_equal(call.uid.p, first.p);
    assert_string_not_equal(t.message_uid.p, first.p); /* the next one's */
    assert_string_equal(told(&k, before),
                        "message.completed tool.started tool.started agent.state");
    says(&k, before, "message.completed", "\"finishReason\":\"tool\"");
    says(&k, before, "agent.state", "\"agent\":\"ada\",\"state\":\"tool\",\"detail\":\"look\"");
    says(&k, before, "tool.started", "\"toolCallId\":\"c2\"");
    before = newest(&k);
    KIT_OK(&k, step(&k, &t, &r1, false, &result));
    assert_string_equal(result.reply_to.p, call.uid.p);
    assert_string_equal(told(&k, before), "tool.completed"); /* one is still out */
    before = newest(&k);
    KIT_OK(&k, step(&k, &t, &r2, false, &result));
    assert_string_equal(told(&k, before), "tool.failed agent.state message.started");
    says(&k, before, "agent.state", "\"agent\":\"ada\",\"state\":\"thinking\"");
    says(&k, before, "message.started", t.message_uid.p);
    assert_int_equal(step(&k, &t, &r2, false, &result), SKEIN_CONFLICT); /* it has its result */
    KIT_OK(&k, finish(&k, &t, "done"));
    assert_string_equal(kit_texts(&k, "@ada", 0), "@ada look  found found done");
    assert_string_equal(kit_texts(&k, "@bo", 0), "@ada look done");
    assert_string_equal(kit_context(&k, "ada"),
                        "user:@ada look | assistant: | tool:found | tool:found | "
                        "assistant:done | user:[continue]");
    kit_valid(&k);
    assert_idle(&k);
    kit_close(&k);
}

static void an_agent_shows_the_tool_that_runs_and_that_it_writes(void **state)
{
    kit               k;
    skein_tool_call   calls[] = {{skein_text("c1"), skein_text("look"), skein_text("{}")},
                                 {skein_text("c2"), skein_text("ask"), skein_text("{}")}};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = calls, .call_count = 2};
    skein_new_message r1 = found("c1", false), r2 = found("c2", false);
    skein_message     out;
    skein_turn        t, early;
    int64_t           before;

    kit_open(&k, state);
    post(&k, "@ada look");
    t = begin(&k, "ada");
    assert_string_equal(doing(&k), "thinking");
    before = newest(&k);
    KIT_OK(&k, skein_turn_writing(k.e, &t, &k.err));
    assert_string_equal(told(&k, before), "agent.state");
    says(&k, before, "agent.state", "\"state\":\"writing\"");
    assert_string_equal(doing(&k), "writing");
    early = t;
    KIT_OK(&k, step(&k, &t, &m, false, &out));
    assert_string_equal(doing(&k), "tool look");
    before = newest(&k);
    KIT_OK(&k, skein_turn_writing(k.e, &early, &k.err)); /* too late: it is stored */
    KIT_OK(&k, skein_turn_writing(k.e, &t, &k.err));     /* too early: tools run */
    assert_string_equal(told(&k, before), "");
    KIT_OK(&k, step(&k, &t, &r1, false, &out));
    says(&k, before, "agent.state", "\"state\":\"tool\",\"detail\":\"ask\"");
    assert_string_equal(doing(&k), "tool ask");
    KIT_OK(&k, step(&k, &t, &r2, false, &out));
    assert_string_equal(doing(&k), "thinking");
    KIT_OK(&k, finish(&k, &t, "done"));
    assert_int_equal(skein_turn_writing(k.e, &t, &k.err), SKEIN_TURN_OVER);
    kit_close(&k);
}

/* Models number their calls, so two agents may use the same id at the same time. */
static void the_calls_of_two_agents_are_not_mixed_up(void **state)
{
    kit               k;
    skein_tool_call   c = {skein_text("call_1"), skein_text("look"), skein_text("{}")};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = &c, .call_count = 1};
    skein_new_message r = found("call_1", false);
    skein_message     by_ada, by_bo, result;
    skein_turn        ada, bo;

    kit_open(&k, state);
    post(&k, "@ada @bo look");
    ada = begin(&k, "ada");
    bo = begin(&k, "bo");
    KIT_OK(&k, step(&k, &ada, &m, false, &by_ada));
    KIT_OK(&k, step(&k, &bo, &m, false, &by_bo));
    r.content = skein_text("for-ada");
    KIT_OK(&k, step(&k, &ada, &r, false, &result));
    assert_string_equal(result.reply_to.p, by_ada.uid.p);
    r.content = skein_text("for-bo");
    KIT_OK(&k, step(&k, &bo, &r, false, &result));
    assert_string_equal(result.reply_to.p, by_bo.uid.p);
    assert_string_equal(kit_context(&k, "ada"),
                        "user:@ada @bo look | assistant: | tool:for-ada");
    assert_string_equal(kit_context(&k, "bo"), "user:@ada @bo look | assistant: | tool:for-bo");
    KIT_OK(&k, finish(&k, &bo, "b"));
    KIT_OK(&k, finish(&k, &ada, "a"));
    kit_close(&k);
}

static void an_agent_may_choose_to_say_nothing(void **state)
{
    kit              k;
    skein_posted     p;
    skein_turn       t;
    skein_messages   one;
    skein_deliveries d;
    int64_t          before;

    kit_open(&k, state);
    p = post(&k, "@ada hello");
    t = begin(&k, "ada");
    before = newest(&k);
    KIT_OK(&k, finish(&k, &t, " \n"));
    assert_string_equal(told(&k, before),
                        "message.withdrawn message.delivered agent.state world.idle");
    says(&k, before, "message.withdrawn", t.message_uid.p);
    assert_string_equal(kit_texts(&k, "main", 0), "@ada hello");
    one = (skein_messages){&p.message, 1};
    KIT_OK(&k, skein_deliveries_of(k.e, k.chat.id, &one, k.mem, &d, &k.err));
    assert_string_equal(shown(&k, &d), "ada:inMemory bo:inMemory cy:inMemory");
    assert_idle(&k);
    lands_nowhere(&k, &t);
    kit_close(&k);
}

static void what_is_no_step_is_refused(void **state)
{
    kit               k;
    skein_turn        t;
    skein_message     out;
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("x")};
    const char       *before;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    before = kit_state(&k);
    assert_int_equal(step(&k, &t, &m, false, &out), SKEIN_INVALID);
    m = says_so("");
    assert_int_equal(step(&k, &t, &m, false, &out), SKEIN_INVALID);
    m = says_so("x");
    m.uid = skein_text("mine");
    assert_int_equal(step(&k, &t, &m, false, &out), SKEIN_INVALID);
    m = found("c1", false);
    assert_int_equal(step(&k, &t, &m, false, &out), SKEIN_CONFLICT);
    assert_int_equal(skein_turn_end(k.e, &t, SKEIN_TURN_COMMITTED, NULL, &k.err),
                     SKEIN_INVALID);
    assert_string_equal(kit_state(&k), before);
    KIT_OK(&k, finish(&k, &t, "fine"));
    kit_close(&k);
}

/* --- Other ends ------------------------------------------------------------------------------------------- */

static void a_turn_that_fails_says_why_and_the_queue_goes_on(void **state)
{
    kit         k;
    skein_error why = {.rc = SKEIN_PROVIDER, .message = "the model is asleep"};
    skein_turn  t;
    int64_t     before;

    kit_open(&k, state);
    post(&k, "@ada one");
    post(&k, "@bo two");
    t = begin(&k, "ada");
    before = newest(&k);
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, &why, &k.err));
    assert_string_equal(told(&k, before),
                        "message.failed message.delivered agent.state world.idle "
                        "message.created world.busy queue.changed");
    says(&k, before, "message.failed", t.message_uid.p);
    says(&k, before, "message.failed", "\"finishReason\":\"error\"");
    says(&k, before, "message.failed", "\"code\":\"PROVIDER_ERROR\"");
    says(&k, before, "message.failed", "\"detail\":\"the model is asleep\"");
    says(&k, before, "message.failed", "\"retryable\":true");
    says(&k, before, "agent.state", "\"state\":\"failed\"");
    assert_string_equal(due(&k), "bo");
    lands_nowhere(&k, &t);
    kit_close(&k);
}

static void a_stop_keeps_what_was_written(void **state)
{
    kit           k;
    skein_turn    ada, bo;
    skein_partial part = {.text = skein_text("half an ans"), .thinking = skein_text("hm")};
    skein_stop    stop = {.partials = &part, .partial_count = 1};
    int64_t       before, stopped;

    kit_open(&k, state);
    post(&k, "hello");
    ada = begin(&k, "ada");
    bo = begin(&k, "bo");
    post(&k, "@cy next");
    part.turn = ada.id;
    stop.chat = k.chat.id;
    before = newest(&k);
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_int_equal(stopped, 3); /* two turns, and cy's work */
    assert_string_equal(told(&k, before),
                        "message.completed message.delivered agent.state message.withdrawn "
                        "message.delivered agent.state message.delivered world.idle "
                        "message.created world.busy queue.changed");
    says(&k, before, "message.completed", "\"finishReason\":\"stopped\"");
    says(&k, before, "message.completed", ada.message_uid.p);
    says(&k, before, "message.withdrawn", bo.message_uid.p);
    assert_string_equal(kit_texts(&k, "main", 0), "hello half an ans @cy next");
    assert_string_equal(kit_texts(&k, "@bo", 0), "hello half an ans @cy next");
    assert_string_equal(due(&k), "cy"); /* for what waited */
    lands_nowhere(&k, &ada);
    lands_nowhere(&k, &bo);
    answer(&k, "cy", "ok");
    assert_idle(&k);
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err)); /* nothing is left to stop */
    assert_int_equal(stopped, 0);
    kit_close(&k);
}

static void one_agent_can_be_stopped_alone(void **state)
{
    kit        k;
    skein_turn ada, bo;
    skein_stop stop = {0};
    int64_t    before, stopped;

    kit_open(&k, state);
    post(&k, "@ada @bo hello");
    ada = begin(&k, "ada");
    bo = begin(&k, "bo");
    stop.chat = k.chat.id;
    stop.agent = k.agent[0].id;
    before = newest(&k);
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_int_equal(stopped, 1);
    assert_string_equal(told(&k, before), "message.withdrawn message.delivered agent.state");
    lands_nowhere(&k, &ada);
    KIT_OK(&k, finish(&k, &bo, "here"));
    assert_idle(&k);
    kit_close(&k);
}

static void a_stop_between_calls_withdraws_nothing_that_was_not_begun(void **state)
{
    kit               k;
    skein_tool_call   c = {skein_text("c1"), skein_text("look"), skein_text("{}")};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = &c, .call_count = 1};
    skein_message     out;
    skein_turn        t;
    skein_stop        stop = {0};
    int64_t           before, stopped;

    kit_open(&k, state);
    post(&k, "@ada look");
    t = begin(&k, "ada");
    KIT_OK(&k, step(&k, &t, &m, false, &out));
    stop.chat = k.chat.id;
    before = newest(&k);
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_string_equal(told(&k, before),
                        "tool.failed message.delivered agent.state world.idle");
    m = found("c1", false);
    assert_int_equal(step(&k, &t, &m, false, &out), SKEIN_TURN_OVER);
    kit_valid(&k);
    kit_close(&k);
}

static void what_fails_between_calls_was_begun(void **state)
{
    kit               k;
    skein_tool_call   c = {skein_text("c1"), skein_text("look"), skein_text("{}")};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = &c, .call_count = 1};
    skein_message     out;
    skein_turn        t;
    int64_t           before;

    kit_open(&k, state);
    post(&k, "@ada look");
    t = begin(&k, "ada");
    KIT_OK(&k, step(&k, &t, &m, false, &out));
    before = newest(&k);
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, NULL, &k.err));
    assert_string_equal(told(&k, before),
                        "message.started message.failed tool.failed message.delivered "
                        "agent.state world.idle");
    says(&k, before, "message.started", t.message_uid.p);
    says(&k, before, "message.failed", t.message_uid.p);
    assert_string_not_equal(t.message_uid.p, out.uid.p);
    kit_close(&k);
}

/* --- Calls that are left without a result ------------------------------------------------------------------- */

/* A turn with three calls: one has its result, one waits for a person, and one may have run. */
static skein_turn with_calls(kit *k)
{
    skein_tool_call   calls[] = {{skein_text("c1"), skein_text("look"), skein_text("{}")},
                                 {skein_text("c2"), skein_text("rm"), skein_text("{}")},
                                 {skein_text("c3"), skein_text("look"), skein_text("{}")}};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = calls, .call_count = 3};
    skein_new_message r = found("c1", false);
    skein_inbox_item  item;
    skein_message     out;
    skein_turn        t;

    post(k, "@ada look");
    t = begin(k, "ada");
    KIT_OK(k, step(k, &t, &m, false, &out));
    KIT_OK(k, step(k, &t, &r, false, &out));
    KIT_OK(k, skein_approval_ask(k->e, &t, skein_text("c2"), k->mem, &item, &k->err));
    return t;
}

/* Each call has one result, which says what became of it, and a summary may cover it all. */
static void has_all_results(kit *k, skein_turn *t)
{
    static const char *const texts[] = {
        "found", "not run: its turn ended before a person had allowed it",
        "interrupted: the outcome of this call is unknown"};
    static const char *const ids[] = {"c1", "c2", "c3"};
    skein_slice        what = {.conversation = k->how.conversation, .lane = skein_text("@ada")};
    skein_new_message  late = found("c3", false);
    skein_compact_plan plan;
    skein_messages     m;
    skein_message      out;
    skein_at           at;

    assert_int_equal(step(k, t, &late, false, &out), SKEIN_TURN_OVER);
    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, &at, &k->err));
    assert_int_equal(m.count, 5);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(m.at[2 + i].role, SKEIN_TOOL);
        assert_string_equal(m.at[2 + i].tool_call_id.p, ids[i]);
        assert_string_equal(m.at[2 + i].content.p, texts[i]);
        assert_int_equal(m.at[2 + i].tool_failed, i > 0);
    }
    KIT_OK(k, skein_compact_plan_read(k->e, &what, k->mem, &plan, &k->err));
    assert_int_equal(plan.covers, 5);
    assert_idle(k);
    kit_valid(k);
    kit_check(k);
}

static void calls_of_a_turn_that_is_stopped_get_a_result(void **state)
{
    kit        k;
    skein_turn t;
    skein_stop stop = {0};
    int64_t    stopped;

    kit_open(&k, state);
    t = with_calls(&k);
    stop.chat = k.chat.id;
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    has_all_results(&k, &t);
    kit_close(&k);
}

static void calls_of_a_turn_that_fails_get_a_result(void **state)
{
    kit        k;
    skein_turn t;

    kit_open(&k, state);
    t = with_calls(&k);
    KIT_OK(&k, skein_turn_end(k.e, &t, SKEIN_TURN_FAILED, NULL, &k.err));
    has_all_results(&k, &t);
    kit_close(&k);
}

static void calls_of_a_turn_that_was_left_behind_get_a_result(void **state)
{
    kit        k;
    skein_turn t;
    int64_t    closed;

    kit_open(&k, state);
    t = with_calls(&k);
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    has_all_results(&k, &t);
    kit_close(&k);
}

/* --- 19: programs that go away ------------------------------------------------------------------------------- */

static void an_interrupted_turn_keeps_its_steps_and_is_not_repeated(void **state)
{
    kit               k;
    skein_tool_call   c = {skein_text("c1"), skein_text("look"), skein_text("{}")};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = &c, .call_count = 1};
    skein_message     out;
    skein_turn        t;
    int64_t           before, closed;

    kit_open(&k, state);
    post(&k, "@ada look");
    t = begin(&k, "ada");
    KIT_OK(&k, step(&k, &t, &m, false, &out));
    skn_fixture_sql(k.fx, "UPDATE turns SET lease_until = 1");
    before = newest(&k);
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 1);
    assert_string_equal(told(&k, before),
                        "message.started message.failed tool.failed message.delivered "
                        "agent.state world.idle");
    says(&k, before, "message.failed", "\"finishReason\":\"interrupted\"");
    assert_string_equal(kit_texts(&k, "@ada", 0),
                        "@ada look  interrupted: the outcome of this call is unknown");
    assert_string_equal(due(&k), ""); /* its tools do not run a second time */
    assert_idle(&k);
    m = found("c1", false);
    assert_int_equal(step(&k, &t, &m, false, &out), SKEIN_TURN_OVER);
    lands_nowhere(&k, &t);
    kit_valid(&k);
    kit_close(&k);
}

/* Why the last turn of the first agent failed; "": it did not. */
static const char *failure(kit *k)
{
    const skein_agents one = {k->agent, 1};
    skein_agent_work   w;

    KIT_OK(k, skein_agent_work_of(k->e, &one, k->mem, &w, &k->err));
    assert_int_equal(w.failed_at != 0, w.failed_in.n != 0);
    return w.failed_at ? w.failure.p : "";
}

static void an_interrupted_turn_is_a_failure_until_the_agent_answers(void **state)
{
    kit        k;
    skein_turn t;
    int64_t    before, closed;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    before = newest(&k);
    KIT_OK(&k, skein_turn_leave(k.e, &t, NULL, &k.err));
    says(&k, before, "agent.state", "\"state\":\"failed\",\"detail\":\"the server was ended");
    assert_string_equal(failure(&k), "the server was ended in the middle of it");
    post(&k, "@ada again");
    t = begin(&k, "ada");
    before = newest(&k);
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    says(&k, before, "agent.state", "\"state\":\"failed\",\"detail\":\"" SKN_WENT_AWAY);
    assert_string_equal(failure(&k), SKN_WENT_AWAY);
    post(&k, "@ada and now");
    t = begin(&k, "ada");
    KIT_OK(&k, finish(&k, &t, "here"));
    assert_string_equal(failure(&k), "");
    kit_close(&k);
}

static void a_turn_that_is_stopped_is_no_failure(void **state)
{
    kit        k;
    skein_turn t;
    skein_stop what = {0};
    int64_t    before, stopped;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    what.chat = k.how.conversation;
    before = newest(&k);
    KIT_OK(&k, skein_work_stop(k.e, &what, &stopped, &k.err));
    assert_int_equal(stopped, 1);
    says(&k, before, "agent.state", "\"state\":\"idle\"");
    assert_string_equal(failure(&k), "");
    lands_nowhere(&k, &t);
    kit_close(&k);
}

static void only_turns_whose_lease_ran_out_are_closed(void **state)
{
    kit        k;
    skein_turn ada, bo;
    bool       kept[2];
    int64_t    closed;
    char       sql[80];

    kit_open(&k, state);
    post(&k, "@ada @bo hello");
    ada = begin(&k, "ada");
    bo = begin(&k, "bo");
    assert_true(bo.fence > ada.fence);
    snprintf(sql, sizeof sql, "UPDATE turns SET lease_until = 1 WHERE id = %lld",
             (long long)ada.id);
    skn_fixture_sql(k.fx, sql);
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 1);
    KIT_OK(&k, skein_turns_renew(k.e, (skein_turn[]){bo, ada}, 2, LEASE, kept, &k.err));
    assert_true(kept[0]);
    assert_false(kept[1]);
    lands_nowhere(&k, &ada);
    KIT_OK(&k, finish(&k, &bo, "here"));
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 0);
    kit_close(&k);
}

static void a_lease_that_is_renewed_in_time_holds(void **state)
{
    kit        k;
    skein_turn t, stranger;
    bool       kept;
    int64_t    closed;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    skn_fixture_sql(k.fx, "UPDATE turns SET lease_until = 1");
    stranger = t;
    stranger.fence++;
    KIT_OK(&k, skein_turns_renew(k.e, &stranger, 1, LEASE, &kept, &k.err));
    assert_false(kept);
    lands_nowhere(&k, &stranger);
    KIT_OK(&k, skein_turns_renew(k.e, &t, 1, LEASE, &kept, &k.err));
    assert_true(kept);
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 0);
    KIT_OK(&k, finish(&k, &t, "hi"));
    kit_close(&k);
}

static void turns_of_a_chat_that_is_gone_are_closed_as_well(void **state)
{
    kit        k;
    skein_turn t;
    int64_t    before, closed;

    kit_open(&k, state);
    post(&k, "@ada hello");
    t = begin(&k, "ada");
    skn_fixture_sql(k.fx, "UPDATE turns SET lease_until = 1");
    skn_fixture_sql(k.fx, "UPDATE conversations SET removed_at = 1");
    before = newest(&k);
    KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
    assert_int_equal(closed, 1);
    assert_int_equal(newest(&k), before); /* nobody is left to be told */
    assert_idle(&k);
    assert_int_equal(finish(&k, &t, "late"), SKEIN_TURN_OVER);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

/* --- 17: changes while an agent answers ------------------------------------------------------------------------- */

/* Every change that makes a version or moves the pointer, on a chat "one two three". */
typedef skein_rc change_fn(kit *k, const skein_message *m, skein_mem *mem);

static skein_rc do_amend(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_version v;
    skein_message out;

    return skein_amend(k->e, &k->how, m[0].id, skein_text("eins"), mem, &v, &out, &k->err);
}

static skein_rc do_delete(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_version v;

    return skein_delete(k->e, &k->how, (skein_message_ids){&m[1].id, 1}, mem, &v, &k->err);
}

static skein_rc do_insert(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_new_message n = {.content = skein_text("between")};
    skein_version     v;

    return skein_insert(k->e, &k->how, m[1].id, &n, mem, &v, NULL, &k->err);
}

static skein_rc do_reorder(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_version v;

    return skein_reorder(k->e, &k->how, (skein_message_ids){&m[1].id, 1}, m[0].id, mem, &v,
                         &k->err);
}

static skein_rc do_restore(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_version v;

    (void)m;
    return skein_restore(k->e, &k->how, 1, mem, &v, &k->err);
}

static skein_rc do_squash(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_message_id  ids[] = {m[0].id, m[1].id};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text("both")};
    skein_squash      out;

    return skein_squash_messages(k->e, &k->how, &spec, mem, &out, &k->err);
}

static skein_rc do_remove(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_removal r;

    return skein_remove_from(k->e, &k->how, m[1].id, true, mem, &r, &k->err);
}

static skein_rc do_edit(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_removal r;

    return skein_edit(k->e, &k->how, m[1].id, skein_text("zwei"), mem, &r, &k->err);
}

static skein_rc do_undo(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_move move;

    (void)m;
    return skein_undo(k->e, &k->how, 1, mem, &move, &k->err);
}

static skein_rc do_redo(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_move move;

    (void)m;
    return skein_redo(k->e, &k->how, 1, mem, &move, &k->err);
}

static skein_rc do_switch(kit *k, const skein_message *m, skein_mem *mem)
{
    skein_move move;

    (void)m;
    return skein_switch(k->e, &k->how, 1, mem, &move, &k->err);
}

static change_fn *const changes[] = {do_amend,  do_delete, do_insert, do_reorder, do_restore,
                                     do_squash, do_remove, do_edit,   do_undo,    do_switch};
enum { CHANGES = sizeof changes / sizeof changes[0] };

/* A fresh chat that has two versions, where ada and bo are to answer and ada is at it. */
static skein_turn busy_chat(kit *k, skein_message m[3])
{
    skein_version v;
    skein_message out;
    skein_post   p = {.message = &(skein_new_message){.content = skein_text("@ada @bo three")}};
    skein_posted posted;

    KIT_OK(k, skein_chat_new(k->e, k->world.id, skein_text("t"), k->mem, &k->chat, &k->err));
    k->how.conversation = k->chat.id;
    m[0] = kit_say(k, SKEIN_USER, "human", "one");
    m[1] = kit_say(k, SKEIN_USER, "human", "two");
    KIT_OK(k,
           skein_amend(k->e, &k->how, m[0].id, skein_text("uno"), k->mem, &v, &out, &k->err));
    m[0] = out;
    KIT_OK(k, post_as(k, &p, &posted));
    m[2] = posted.message;
    return begin(k, "ada");
}

/* Redo needs an undo that nothing followed, so nobody can be asked after it: only work that was there
 * before is in its way. */
static skein_turn busy_before_redo(kit *k, skein_message m[3])
{
    skein_turn t = busy_chat(k, m);
    skein_stop stop = {.chat = k->chat.id, .agent = k->agent[1].id};
    int64_t    stopped;
    char       sql[200];

    KIT_OK(k, skein_work_stop(k->e, &stop, &stopped, &k->err));
    snprintf(sql, sizeof sql,
             "UPDATE deliveries SET state = 'answered' WHERE state = 'working'");
    skn_fixture_sql(k->fx, sql);
    KIT_OK(k, do_undo(k, m, k->mem));
    snprintf(sql, sizeof sql,
             "UPDATE deliveries SET state = 'working' WHERE state = 'answered' AND "
             "conversation_id = %lld",
             (long long)k->chat.id.v);
    skn_fixture_sql(k->fx, sql);
    return t;
}

static void is_refused(kit *k, change_fn *change, const skein_message *m, const char *who)
{
    const char *before = kit_state(k);
    int64_t     last = newest(k);

    assert_int_equal(change(k, m, k->mem), SKEIN_AT_WORK);
    assert_string_equal(strstr(k->err.message, ": "), who);
    assert_string_equal(kit_state(k), before);
    assert_int_equal(newest(k), last);
    k->how.dry_run = true; /* asking what would happen disturbs nobody */
    KIT_OK(k, change(k, m, k->mem));
    k->how.dry_run = false;
    assert_string_equal(kit_state(k), before);
}

static void a_change_while_an_agent_answers_is_refused(void **state)
{
    kit                k;
    skein_message      m[3];
    skein_turn         t;
    skein_conversation copy;

    kit_open(&k, state);
    for (int i = 0; i < CHANGES; i++) {
        t = busy_chat(&k, m);
        is_refused(&k, changes[i], m, ": ada, bo");
        KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("copy"), k.mem, &copy, &k.err));
        KIT_OK(&k, finish(&k, &t, "a"));
        is_refused(&k, changes[i], m, ": bo"); /* who has yet to answer */
        answer(&k, "bo", "b");
        KIT_OK(&k, changes[i](&k, m, k.mem));
    }
    busy_before_redo(&k, m);
    is_refused(&k, do_redo, m, ": ada");
    kit_close(&k);
}

static void with_force_the_answer_never_lands(void **state)
{
    kit           k;
    skein_message m[3];
    skein_turn    t;
    int64_t       before, closed;

    kit_open(&k, state);
    for (int i = 0; i <= CHANGES; i++) {
        t = i < CHANGES ? busy_chat(&k, m) : busy_before_redo(&k, m);
        before = newest(&k);
        k.how.force = true;
        KIT_OK(&k, (i < CHANGES ? changes[i] : do_redo)(&k, m, k.mem));
        k.how.force = false;
        says(&k, before, "message.withdrawn", t.message_uid.p);
        says(&k, before, "agent.state", "\"state\":\"idle\"");
        assert_string_equal(event_of(&k, before, "world.idle").cause.p, t.cause.p);
        assert_string_equal(due(&k), "");
        lands_nowhere(&k, &t);
        skn_fixture_sql(k.fx, "UPDATE turns SET lease_until = 1"); /* also much later */
        KIT_OK(&k, skein_turns_recover(k.e, false, &closed, &k.err));
        assert_int_equal(closed, 0);
        lands_nowhere(&k, &t);
        assert_null(strstr(kit_texts(&k, "main", 0), "late"));
        assert_idle(&k);
    }
    kit_close(&k);
}

static void a_forced_change_that_fails_stops_nobody(void **state)
{
    kit           k;
    skein_message m[3];
    skein_turn    t;
    skein_removal r;

    kit_open(&k, state);
    t = busy_chat(&k, m);
    k.how.force = true;
    assert_int_equal(
        skein_remove_from(k.e, &k.how, (skein_message_id){4711}, true, k.mem, &r, &k.err),
        SKEIN_NOT_FOUND);
    KIT_OK(&k, finish(&k, &t, "a"));
    assert_string_equal(due(&k), "bo");
    kit_close(&k);
}

static void what_waited_goes_on_in_the_new_version(void **state)
{
    kit           k;
    skein_message m[3];
    skein_turn    t;
    int64_t       before;

    kit_open(&k, state);
    t = busy_chat(&k, m);
    post(&k, "@cy waited");
    before = newest(&k);
    k.how.force = true;
    KIT_OK(&k, do_remove(&k, m, k.mem));
    k.how.force = false;
    assert_string_equal(kit_texts(&k, "main", 0), "uno @cy waited");
    assert_string_equal(kit_texts(&k, "main", 2), "uno two @ada @bo three");
    assert_string_equal(told(&k, before),
                        "message.withdrawn message.delivered agent.state message.delivered "
                        "world.idle edit.phase thread.created edit.phase message.created "
                        "world.busy queue.changed");
    assert_string_equal(due(&k), "cy");
    lands_nowhere(&k, &t);
    kit_close(&k);
}

/* --- Edits that are to be answered --------------------------------------------------------------------------- */

static void an_edit_wakes_as_a_post_does(void **state)
{
    kit           k;
    skein_posted  p, waits;
    skein_removal r;
    skein_turn    t;
    int64_t       before;

    kit_open(&k, state);
    p = post(&k, "@ada plan");
    t = begin(&k, "ada");
    waits = post(&k, "@cy more");
    k.how.force = k.how.wake = true;
    k.how.client_id = skein_text("tmp-9");
    before = newest(&k);
    KIT_OK(&k,
           skein_edit(k.e, &k.how, p.message.id, skein_text("@bo plan"), k.mem, &r, &k.err));
    assert_string_equal(due(&k), "bo");
    assert_string_equal(kit_texts(&k, "main", 0), "@bo plan");
    assert_string_equal(kit_texts(&k, "@cy", 0), "@bo plan");
    assert_string_equal(told(&k, before),
                        "message.withdrawn message.delivered agent.state world.idle edit.phase "
                        "thread.created edit.phase message.created world.busy edit.phase");
    says(&k, before, "message.created", "\"clientMessageId\":\"tmp-9\"");
    says(&k, before, "message.created", "{\"agent\":\"bo\",\"state\":\"queued\"}");
    assert_string_equal(event_of(&k, before, "world.busy").cause.p, r.added.uid.p);
    lands_nowhere(&k, &t);
    before = newest(&k);
    answer(&k, "bo", "done");
    assert_string_equal(event_of(&k, before, "message.created").cause.p, waits.message.uid.p);
    answer(&k, "cy", "ok");

    /* The client's id is taken now, for posts and edits alike. */
    k.how.force = false;
    assert_int_equal(skein_edit(k.e, &k.how, r.added.id, skein_text("x"), k.mem, &r, &k.err),
                     SKEIN_CONFLICT);
    assert_non_null(strstr(k.err.message, "\"tmp-9\" was used"));
    assert_int_equal(
        post_as(&k,
                &(skein_post){.message = &(skein_new_message){.content = skein_text("x")},
                              .client_id = skein_text("tmp-9")},
                &p),
        SKEIN_CONFLICT);
    kit_close(&k);
}

static void an_edit_that_is_to_be_answered_is_heard_by_all(void **state)
{
    kit           k;
    skein_message m;
    skein_removal r;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    m = kit_whisper(&k, "cy", "psst");
    k.how.wake = true;
    KIT_OK(&k, skein_edit(k.e, &k.how, m.id, skein_text("@ada loud"), k.mem, &r, &k.err));
    assert_string_equal(kit_texts(&k, "@ada", 0), "one @ada loud");
    assert_string_equal(due(&k), "ada");
    kit_close(&k);
}

static void an_edit_that_is_not_to_be_answered_wakes_nobody(void **state)
{
    kit           k;
    skein_message m;
    skein_removal r;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "@ada plan");
    KIT_OK(&k, skein_edit(k.e, &k.how, m.id, skein_text("@bo plan"), k.mem, &r, &k.err));
    assert_string_equal(due(&k), "");
    k.how.wake = k.how.dry_run = true;
    KIT_OK(&k, skein_edit(k.e, &k.how, r.added.id, skein_text("@bo x"), k.mem, &r, &k.err));
    assert_string_equal(due(&k), "");
    kit_close(&k);
}

/* --- Rows that contradict each other ---------------------------------------------------------------------------- */

/* Breaks it by hand, sees that the check finds just that, and puts it right again. */
static void is_found(kit *k, const char *broken, const char *text, const char *right)
{
    skein_check check;

    kit_check(k);
    skn_fixture_sql(k->fx, broken);
    KIT_OK(k, skein_fsck(k->e, k->mem, &check, &k->err));
    assert_int_equal(check.count, 1);
    assert_string_equal(check.at[0].invariant.p, "work-once");
    assert_non_null(strstr(check.at[0].text.p, text));
    skn_fixture_sql(k->fx, right);
}

static void the_check_finds_work_that_nobody_does(void **state)
{
    kit k;

    kit_open(&k, state);
    post(&k, "@ada hello");
    post(&k, "more");
    is_found(&k, "UPDATE deliveries SET state = 'working'", "has no turn",
             "UPDATE deliveries SET state = 'queued'");
    is_found(&k, "UPDATE deliveries SET state = 'dropped'", "waits",
             "UPDATE deliveries SET state = 'queued'");
    begin(&k, "ada");
    is_found(&k, "UPDATE deliveries SET state = 'queued'", "is open",
             "UPDATE deliveries SET state = 'working'");
    is_found(&k, "UPDATE turns SET state = 'cancelled'", "has no turn",
             "UPDATE turns SET state = 'open'");
    kit_close(&k);
}

/* --- Many at once ------------------------------------------------------------------------------------------------- */

enum { TAKERS = 8 };

typedef struct taker {
    kit     *k;
    int64_t  delivery;
    skein_rc rc;
} taker;

static void *take(void *arg)
{
    taker      *t = arg;
    skein_mem  *mem = skein_mem_new();
    skein_error err;
    skein_turn  turn;

    t->rc = skein_turn_begin(t->k->e, t->delivery, skein_text("x"), skein_text(NULL), LEASE,
                             mem, &turn, &err);
    skein_mem_free(mem);
    return NULL;
}

static void work_is_taken_by_one(void **state)
{
    kit       k;
    pthread_t threads[TAKERS];
    taker     takers[TAKERS];
    int       got = 0;

    kit_open(&k, state);
    post(&k, "@ada hello");
    for (int i = 0; i < TAKERS; i++) {
        takers[i] = (taker){&k, due_of(&k, "ada"), SKEIN_OK};
    }
    for (int i = 0; i < TAKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take, &takers[i]), 0);
    for (int i = 0; i < TAKERS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(takers[i].rc == SKEIN_OK || takers[i].rc == SKEIN_NOTHING);
        got += takers[i].rc == SKEIN_OK;
    }
    assert_int_equal(got, 1);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM turns"), 1);
    kit_close(&k);
}

/* An answer and a forced edit at the same moment: either the answer was there before the edit, or it is
 * nowhere. */
static void *finish_now(void *arg)
{
    taker            *t = arg;
    skein_mem        *mem = skein_mem_new();
    skein_error       err;
    skein_new_message m = says_so("answer");
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1, .last = true};
    skein_message     out;
    skein_turns       open;

    t->rc = skein_turns_open(t->k->e, (skein_world_id){0}, t->k->chat.id, mem, &open, &err);
    if (t->rc == SKEIN_OK && open.count == 1)
        t->rc = skein_turn_step(t->k->e, &open.at[0], &s, mem, &out, &err);
    skein_mem_free(mem);
    return NULL;
}

static void an_answer_and_a_forced_edit_do_not_mix(void **state)
{
    kit       k;
    pthread_t thread;

    kit_open(&k, state);
    k.how.force = true;
    for (int i = 0; i < 20; i++) {
        taker         t = {.k = &k};
        skein_posted  p;
        skein_removal r;

        KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("t"), k.mem, &k.chat, &k.err));
        k.how.conversation = k.chat.id;
        p = post(&k, "@ada old");
        begin(&k, "ada");
        assert_int_equal(pthread_create(&thread, NULL, finish_now, &t), 0);
        KIT_OK(&k, skein_edit(k.e, &k.how, p.message.id, skein_text("new"), k.mem, &r, &k.err));
        pthread_join(thread, NULL);
        assert_true(t.rc == SKEIN_OK || t.rc == SKEIN_TURN_OVER);
        assert_string_equal(kit_texts(&k, "main", 0), "new");
        assert_idle(&k);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_turn_has_an_id_for_what_is_being_written),
        SKN_BOTH(calls_and_results_are_stored_as_they_happen),
        SKN_BOTH(an_agent_shows_the_tool_that_runs_and_that_it_writes),
        SKN_BOTH(the_calls_of_two_agents_are_not_mixed_up),
        SKN_BOTH(an_agent_may_choose_to_say_nothing),
        SKN_BOTH(what_is_no_step_is_refused),
        SKN_BOTH(a_turn_that_fails_says_why_and_the_queue_goes_on),
        SKN_BOTH(a_stop_keeps_what_was_written),
        SKN_BOTH(one_agent_can_be_stopped_alone),
        SKN_BOTH(a_stop_between_calls_withdraws_nothing_that_was_not_begun),
        SKN_BOTH(what_fails_between_calls_was_begun),
        SKN_BOTH(calls_of_a_turn_that_is_stopped_get_a_result),
        SKN_BOTH(calls_of_a_turn_that_fails_get_a_result),
        SKN_BOTH(calls_of_a_turn_that_was_left_behind_get_a_result),
        SKN_BOTH(an_interrupted_turn_keeps_its_steps_and_is_not_repeated),
        SKN_BOTH(an_interrupted_turn_is_a_failure_until_the_agent_answers),
        SKN_BOTH(a_turn_that_is_stopped_is_no_failure),
        SKN_BOTH(only_turns_whose_lease_ran_out_are_closed),
        SKN_BOTH(a_lease_that_is_renewed_in_time_holds),
        SKN_BOTH(turns_of_a_chat_that_is_gone_are_closed_as_well),
        SKN_BOTH(a_change_while_an_agent_answers_is_refused),
        SKN_BOTH(with_force_the_answer_never_lands),
        SKN_BOTH(a_forced_change_that_fails_stops_nobody),
        SKN_BOTH(what_waited_goes_on_in_the_new_version),
        SKN_BOTH(an_edit_wakes_as_a_post_does),
        SKN_BOTH(an_edit_that_is_to_be_answered_is_heard_by_all),
        SKN_BOTH(an_edit_that_is_not_to_be_answered_wakes_nobody),
        SKN_BOTH(the_check_finds_work_that_nobody_does),
        SKN_BOTH(work_is_taken_by_one),
        SKN_BOTH(an_answer_and_a_forced_edit_do_not_mix),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
