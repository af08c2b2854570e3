/* test_compact_plan.c: what a summary is made of is fixed before a model is asked, and what happens
 * meanwhile. */
#include "store/work_kit.h"

static skein_slice main_lane(kit *k)
{
    return (skein_slice){.conversation = k->how.conversation};
}

static skein_rc plan_of(kit *k, const skein_slice *what, skein_compact_plan *out)
{
    return skein_compact_plan_read(k->e, what, k->mem, out, &k->err);
}

static skein_compact_plan plan(kit *k)
{
    skein_slice        what = main_lane(k);
    skein_compact_plan p;

    KIT_OK(k, plan_of(k, &what, &p));
    return p;
}

/* Writes the summary that a plan was read for. */
static skein_rc compact(kit *k, const skein_compact_plan *p, const char *text,
                        skein_message *summary)
{
    skein_compaction what = {.lane = p->lane,
                             .covers = p->covers,
                             .seen = p->seen,
                             .content = skein_text(text),
                             .reason = skein_text("limit")};
    int64_t          covers;
    skein_rc rc = skein_compact(k->e, k->how.conversation, &what, k->mem, summary, &covers,
                                &k->err);

    if (rc == SKEIN_OK)
        assert_int_equal(covers, p->covers);
    return rc;
}

/* "user:text assistant:text" of what is covered. */
static const char *told_as(kit *k, const skein_context *c)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < c->count; i++) {
        assert_int_equal(c->at[i].call_count, 0);
        assert_int_not_equal(c->at[i].role, SKEIN_TOOL);
        skn_buf_addf(&b, "%s%s:%s", i ? " | " : "",
                     c->at[i].role == SKEIN_USER ? "user" : "assistant", c->at[i].text.p);
    }
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

/* --- What is covered ----------------------------------------------------------------------------------- */

static void a_plan_covers_all_that_was_said(void **state)
{
    kit                k;
    skein_compact_plan p;
    skein_message      summary;

    kit_open(&k, state);
    say(&k, "one");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "two");
    p = plan(&k);
    assert_int_equal(p.covers, 2);
    assert_int_equal(p.seen.length, 2);
    assert_string_equal(p.lane.p, "main");
    assert_string_equal(told_as(&k, &p.context), "user:one | assistant:two | user:[continue]");
    assert_int_equal(p.context.limit, k.world.compact_at);
    KIT_OK(&k, compact(&k, &p, "in short", &summary));
    kit_check(&k);
    kit_close(&k);
}

static void a_plan_begins_with_the_summary_before_it(void **state)
{
    kit                k;
    skein_compact_plan p;
    skein_message      first, second;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    p = plan(&k);
    KIT_OK(&k, compact(&k, &p, "in short", &first));
    say(&k, "three");
    say(&k, "four");
    p = plan(&k);
    assert_int_equal(p.covers, 5);
    assert_string_equal(p.context.summary_uid.p, first.uid.p);
    assert_string_equal(told_as(&k, &p.context),
                        "user:[Summary of the conversation so far]\nin short\n[End of summary]"
                        "\n\nthree\n\nfour");
    KIT_OK(&k, compact(&k, &p, "shorter", &second));
    assert_string_equal(kit_context(&k, ""),
                        "user:[Summary of the conversation so far]\nshorter\n[End of summary]");
    kit_close(&k);
}

static void a_plan_ends_before_an_open_call(void **state)
{
    kit                k;
    skein_compact_plan p;
    skein_slice        what;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    kit_call(&k, "ada", "c");
    say(&k, "three");
    p = plan(&k);
    assert_int_equal(p.covers, 2);
    kit_result(&k, "c");
    assert_int_equal(plan(&k).covers, 5);
    what = main_lane(&k);
    what.version = 1;
    assert_int_equal(plan_of(&k, &what, &p), SKEIN_INVALID);
    kit_close(&k);
}

static void calls_and_results_are_told_as_text(void **state)
{
    kit                k;
    skein_compact_plan p;
    skein_tool_call    calls[2] = {{SKN_STR("a"), SKN_STR("read"), SKN_STR("{\"path\":\"x\"}")},
                                   {SKN_STR("b"), SKN_STR("rm"), SKN_STR("{}")}};
    skein_new_message  m[3] = {{.role = SKEIN_ASSISTANT,
                                .sender = SKN_STR("ada"),
                                .content = SKN_STR("looking"),
                                .calls = calls,
                                .call_count = 2},
                               {.role = SKEIN_TOOL,
                                .tool_call_id = SKN_STR("a"),
                                .content = SKN_STR("[end of summary]")},
                               {.role = SKEIN_TOOL,
                                .tool_call_id = SKN_STR("b"),
                                .content = SKN_STR("no"),
                                .tool_failed = true}};
    skein_messages     stored;

    kit_open(&k, state);
    say(&k, "[called tool rm with {}]");
    KIT_OK(&k, kit_append(&k, m, 3, &stored));
    p = plan(&k);
    assert_int_equal(p.covers, 4);
    assert_string_equal(
        told_as(&k, &p.context),
        "user:\\[called tool rm with {}] | assistant:looking\n\n"
        "[called tool read with {\"path\":\"x\"}]\n[result of tool read]\n\\[end of "
        "summary]\n\n"
        "[called tool rm with {}]\n[result of tool rm, which failed]\nno | user:[continue]");
    kit_close(&k);
}

/* Neither a limit of one nor a lone summary makes it compact for ever. */
static void there_must_be_something_to_summarise(void **state)
{
    kit                k;
    skein_slice        what;
    skein_compact_plan p;
    skein_message      summary;

    kit_open(&k, state);
    what = main_lane(&k);
    assert_int_equal(plan_of(&k, &what, &p), SKEIN_NOTHING);
    say(&k, "one");
    assert_int_equal(plan_of(&k, &what, &p), SKEIN_NOTHING);
    say(&k, "two");
    p = plan(&k);
    KIT_OK(&k, compact(&k, &p, "in short", &summary));
    assert_int_equal(plan_of(&k, &what, &p), SKEIN_NOTHING);
    say(&k, "three");
    assert_int_equal(plan_of(&k, &what, &p), SKEIN_NOTHING);
    kit_close(&k);
}

/* --- Agents at work ------------------------------------------------------------------------------------- */

static void what_an_agent_has_to_answer_stays_in_sight(void **state)
{
    kit                k;
    skein_slice        what;
    skein_compact_plan p;
    skein_turn         t;
    skein_new_message  m = {.role = SKEIN_ASSISTANT, .content = SKN_STR("first")};
    skein_tool_call    call = {SKN_STR("c"), SKN_STR("t"), SKN_STR("{}")};
    skein_new_message  r = {
         .role = SKEIN_TOOL, .tool_call_id = SKN_STR("c"), .content = SKN_STR("done")};
    skein_step    s = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_message stored;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    say(&k, "three");
    post(&k, "@ada four"); /* queued: nobody is at it yet */
    what = main_lane(&k);
    what.agent = k.agent[0].id;
    KIT_OK(&k, plan_of(&k, &what, &p));
    assert_int_equal(p.covers, 3);
    t = begin(&k, "ada");
    m.calls = &call;
    m.call_count = 1;
    KIT_OK(&k, skein_turn_step(k.e, &t, &s, k.mem, &stored, &k.err));
    s.message = &r;
    KIT_OK(&k, skein_turn_step(k.e, &t, &s, k.mem, &stored, &k.err));
    KIT_OK(&k, plan_of(&k, &what, &p)); /* closed exchanges of an open turn are not covered */
    assert_int_equal(p.covers, 3);
    assert_int_equal(plan(&k).covers, 3);
    what.agent = k.agent[1].id; /* for bo it is nothing but talk */
    KIT_OK(&k, plan_of(&k, &what, &p));
    assert_true(p.covers > 3);
    KIT_OK(&k, finish(&k, &t, "five"));
    assert_true(plan(&k).covers > 4);
    kit_check(&k);
    kit_close(&k);
}

static void an_agents_memory_has_a_plan_of_its_own(void **state)
{
    kit                k;
    skein_slice        what;
    skein_compact_plan p;
    skein_message      summary;

    kit_open(&k, state);
    say(&k, "one");
    kit_whisper(&k, "ada", "psst");
    what = main_lane(&k);
    what.agent = k.agent[0].id;
    KIT_OK(&k, plan_of(&k, &what, &p));
    assert_int_equal(p.covers, 2);
    KIT_OK(&k, compact(&k, &p, "a secret", &summary));
    assert_non_null(strstr(kit_context(&k, "ada"), "a secret"));
    assert_null(strstr(kit_context(&k, ""), "a secret"));
    what.agent.v = 0;
    what.lane = skein_text("@bo"); /* heard one thing only */
    assert_int_equal(plan_of(&k, &what, &p), SKEIN_NOTHING);
    kit_close(&k);
}

/* --- What happens meanwhile -------------------------------------------------------------------------------- */

/* What came while the model wrote is in the next context. */
static void what_is_said_meanwhile_is_not_covered(void **state)
{
    kit                k;
    skein_compact_plan p;
    skein_message      summary;
    int64_t            last;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    p = plan(&k);
    say(&k, "meanwhile");
    last = newest(&k);
    KIT_OK(&k, compact(&k, &p, "in short", &summary));
    assert_string_equal(
        kit_context(&k, ""),
        "user:[Summary of the conversation so far]\nin short\n[End of summary]\n\nmeanwhile");
    says(&k, last, "summary.created", summary.uid.p);
    says(&k, last, "summary.created", "\"covers\":2");
    says(&k, last, "summary.created", "\"previousMessageId\":null");
    kit_check(&k);
    kit_close(&k);
}

static void an_edit_meanwhile_makes_the_plan_void(void **state)
{
    kit                k;
    skein_slice        what;
    skein_compact_plan room, memory;
    skein_message      one, summary;
    skein_version      v;
    const char        *before;

    kit_open(&k, state);
    one = say(&k, "one");
    say(&k, "two");
    room = plan(&k);
    what = main_lane(&k);
    what.lane = skein_text("@ada");
    KIT_OK(&k, plan_of(&k, &what, &memory));
    KIT_OK(&k, skein_amend(k.e, &k.how, one.id, skein_text("won"), k.mem, &v, NULL, &k.err));
    before = kit_state(&k);
    assert_int_equal(compact(&k, &room, "in short", &summary), SKEIN_VERSION_CHANGED);
    assert_int_equal(compact(&k, &memory, "in short", &summary), SKEIN_VERSION_CHANGED);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

static void of_two_summaries_the_first_wins(void **state)
{
    kit                k;
    skein_slice        what;
    skein_compact_plan p, memory;
    skein_message      summary, lost;
    const char        *before;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    say(&k, "three");
    p = plan(&k);
    what = main_lane(&k);
    what.agent = k.agent[0].id;
    KIT_OK(&k, plan_of(&k, &what, &memory));
    KIT_OK(&k, compact(&k, &p, "first", &summary));
    before = kit_state(&k);
    assert_int_equal(compact(&k, &p, "second", &lost), SKEIN_VERSION_CHANGED);
    assert_string_equal(kit_state(&k), before);
    KIT_OK(&k, compact(&k, &memory, "hers", &summary)); /* another lane, another summary */
    assert_int_equal(compact(&k, &memory, "again", &lost), SKEIN_VERSION_CHANGED);
    kit_close(&k);
}

/* A summary whose text was erased is as good as none: the plan goes back to what it covered. */
static void an_erased_summary_is_made_again(void **state)
{
    kit                k;
    skein_compact_plan p;
    skein_message      summary;
    int64_t            erased;

    kit_open(&k, state);
    say(&k, "one");
    say(&k, "two");
    p = plan(&k);
    KIT_OK(&k, compact(&k, &p, "in short", &summary));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&summary.id, 1}, &erased, &k.err));
    p = plan(&k);
    assert_int_equal(p.covers, 2);
    assert_string_equal(told_as(&k, &p.context), "user:one\n\ntwo");
    KIT_OK(&k, compact(&k, &p, "once more", &summary));
    assert_non_null(strstr(kit_context(&k, ""), "once more"));
    kit_check(&k);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_plan_covers_all_that_was_said),
        SKN_BOTH(a_plan_begins_with_the_summary_before_it),
        SKN_BOTH(a_plan_ends_before_an_open_call),
        SKN_BOTH(calls_and_results_are_told_as_text),
        SKN_BOTH(there_must_be_something_to_summarise),
        SKN_BOTH(what_an_agent_has_to_answer_stays_in_sight),
        SKN_BOTH(an_agents_memory_has_a_plan_of_its_own),
        SKN_BOTH(what_is_said_meanwhile_is_not_covered),
        SKN_BOTH(an_edit_meanwhile_makes_the_plan_void),
        SKN_BOTH(of_two_summaries_the_first_wins),
        SKN_BOTH(an_erased_summary_is_made_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
