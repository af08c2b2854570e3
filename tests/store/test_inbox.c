/* test_inbox.c: what is there for people: briefings, questions, failures and calls that ask for leave. */
#include "store/task_kit.h"

#include <pthread.h>

static skein_inbox listed(kit *k, skein_inbox_query what)
{
    skein_inbox out;

    KIT_OK(k, skein_inbox_list(k->e, &what, k->mem, &out, &k->err));
    return out;
}

static skein_inbox_item got(kit *k, skein_str uid)
{
    skein_inbox_item out;

    KIT_OK(k, skein_inbox_get(k->e, uid, k->mem, &out, &k->err));
    return out;
}

static skein_inbox_item add(kit *k, const char *kind, const char *title)
{
    skein_inbox_item i = {.world = k->world.id,
                          .kind = skein_text(kind),
                          .title = skein_text(title),
                          .content = skein_text("text")};

    KIT_OK(k, skein_inbox_add(k->e, &i, k->mem, &k->err));
    return i;
}

/* "title title" */
static const char *titles(kit *k, const skein_inbox *inbox)
{
    skn_buf buf;
    skn_str text;

    skn_buf_init(&buf, 1 << 16);
    for (size_t i = 0; i < inbox->count; i++)
        skn_buf_addf(&buf, "%s%s", i ? " " : "", inbox->at[i].title.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

static skein_inbox_item set(kit *k, skein_str uid, skein_inbox_change what)
{
    skein_inbox_item out;

    KIT_OK(k, skein_inbox_set(k->e, uid, &what, k->mem, &out, &k->err));
    return out;
}

static skein_rc reply(kit *k, skein_str uid, const char *text, skein_message *said)
{
    skein_inbox_item out;

    return skein_inbox_answer(k->e, uid, skein_text(text), k->mem, &out, said, &k->err);
}

/* --- Briefings -------------------------------------------------------------------------------------------------- */

static skein_act briefing(const char *type)
{
    return (skein_act){.kind = SKEIN_ACT_BRIEF,
                       .type = skein_text(type),
                       .title = skein_text("Freeze"),
                       .summary = skein_text("It ends at noon"),
                       .text = skein_text("What changed: the freeze ends at noon.")};
}

static void a_briefing_is_in_the_inbox_and_in_the_foreground(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_acted      done;
    skein_inbox      inbox;
    skein_inbox_item item;
    int64_t          before;

    kit_open(&k, state);
    task_of(&k, ADA, "look");
    turn = work(&k, ADA);
    before = newest(&k);
    KIT_OK(&k, act_as(&k, &turn, briefing("briefing"), &done));
    assert_string_equal(done.result.content.p, "Briefing sent");
    says(&k, before, "inbox.created", "\"unread\":1");
    assert_null(strstr(event_of(&k, before, "inbox.created").data.p, "noon"));
    assert_string_equal(own_texts(&k, ADA, SKEIN_FOREGROUND),
                        "ada:What changed: the freeze ends at noon.");
    inbox = listed(&k, (skein_inbox_query){0});
    assert_int_equal(inbox.count, 1);
    assert_int_equal(inbox.unread, 1);
    assert_int_equal(inbox.needs_you, 0);
    item = inbox.at[0];
    assert_string_equal(item.uid.p, done.uid.p);
    assert_string_equal(item.kind.p, "briefing");
    assert_string_equal(item.title.p, "Freeze");
    assert_string_equal(item.content.p, "It ends at noon");
    assert_string_equal(item.agent.p, "ada");
    assert_string_equal(item.world_name.p, "lab");
    assert_null(item.briefing.p); /* the list is short */
    assert_non_null(item.message_uid.p);
    assert_string_equal(item.work_chat_uid.p, turn.chat_uid.p);
    assert_non_null(item.work_message_uid.p);
    assert_string_equal(got(&k, item.briefing_uid).briefing.p,
                        "What changed: the freeze ends at noon.");
    assert_string_equal(got(&k, item.briefing_uid).uid.p, item.uid.p);
    KIT_OK(&k, finish(&k, &turn, "told"));
    kit_check(&k);
    kit_close(&k);
}

static void a_briefing_that_cannot_be_writes_nothing(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;
    skein_act   bad[4];
    int64_t     before;

    kit_open(&k, state);
    task_of(&k, ADA, "look");
    turn = work(&k, ADA);
    call_tool(&k, &turn, "c1", "create_inbox_item");
    for (int i = 0; i < 4; i++) {
        bad[i] = briefing("alert");
        bad[i].call_id = skein_text("c1");
    }
    bad[0].type = skein_text("gossip");
    bad[1].title = skein_text(" ");
    bad[2].summary = skein_text("");
    bad[3].text = skein_text("\n");
    before = newest(&k);
    for (int i = 0; i < 4; i++)
        assert_int_equal(skein_turn_act(k.e, &turn, &bad[i], k.mem, &done, &k.err),
                         SKEIN_INVALID);
    assert_int_equal(newest(&k), before);
    assert_int_equal(rows(&k, "SELECT count(*) FROM inbox"), 0);
    assert_int_equal(rows(&k, "SELECT count(*) FROM conversations WHERE mode = 'foreground'"),
                     0);
    kit_close(&k);
}

static void what_is_answered_to_a_briefing_is_said_in_the_foreground(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_acted      done;
    skein_message    said;
    skein_inbox_item item;

    kit_open(&k, state);
    task_of(&k, ADA, "look");
    turn = work(&k, ADA);
    KIT_OK(&k, act_as(&k, &turn, briefing("insight"), &done));
    KIT_OK(&k, finish(&k, &turn, "told"));
    item = got(&k, done.uid);
    KIT_OK(&k, reply(&k, done.uid, "Thanks, and Friday?", &said));
    assert_string_equal(said.reply_to.p, item.message_uid.p);
    assert_int_equal(reply(&k, done.uid, "again", &said), SKEIN_CONFLICT);
    answer(&k, "ada", "Friday is fine");
    assert_string_equal(
        own_texts(&k, ADA, SKEIN_FOREGROUND),
        "ada:What changed: the freeze ends at noon. | human:Thanks, and Friday? "
        "| ada:Friday is fine");
    item = got(&k, done.uid);
    assert_string_equal(item.answer.p, "Thanks, and Friday?");
    assert_true(item.done_at > 0);
    kit_check(&k);
    kit_close(&k);
}

/* --- Questions --------------------------------------------------------------------------------------------------- */

static skein_acted ask(kit *k, skein_turn *turn)
{
    skein_acted done;

    KIT_OK(k, act_as(k, turn,
                     (skein_act){.kind = SKEIN_ACT_REQUEST_INPUT,
                                 .text = skein_text("Which time zone?")},
                     &done));
    return done;
}

static void a_question_without_a_lead_is_for_the_person(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_acted      done;
    skein_inbox      inbox;
    skein_message    said;
    skein_inbox_item item;
    int64_t          before;

    kit_open(&k, state);
    task_of(&k, ADA, "plan");
    turn = work(&k, ADA);
    before = newest(&k);
    done = ask(&k, &turn);
    says(&k, before, "request.input", "\"to\":\"human\"");
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    inbox = listed(&k, (skein_inbox_query){0});
    assert_int_equal(inbox.needs_you, 1);
    assert_string_equal(inbox.at[0].kind.p, "question");
    assert_string_equal(inbox.at[0].content.p, "Which time zone?");
    assert_true(inbox.at[0].open);
    assert_int_equal(reply(&k, done.uid, " ", &said), SKEIN_INVALID);
    before = newest(&k);
    KIT_OK(&k, reply(&k, done.uid, "Berlin", &said));
    says(&k, before, "inbox.updated", "\"needsYou\":0");
    assert_non_null(strstr(own_texts(&k, ADA, SKEIN_BACKGROUND), "| human:Berlin"));
    assert_string_equal(said.content.p, "Berlin");
    item = got(&k, done.uid);
    assert_false(item.open);
    assert_string_equal(item.answer.p, "Berlin");
    assert_int_equal(reply(&k, done.uid, "Rome", &said), SKEIN_CONFLICT);
    turn = work(&k, ADA); /* it wakes her */
    KIT_OK(&k, finish(&k, &turn, "Berlin it is"));
    kit_check(&k);
    kit_close(&k);
}

static void a_question_out_of_a_chat_comes_back_with_its_answer(void **state)
{
    kit           k;
    skein_turn    turn;
    skein_acted   done;
    skein_message said;

    kit_open(&k, state);
    post(&k, "@ada plan");
    turn = begin(&k, "ada");
    done = ask(&k, &turn);
    KIT_OK(&k, finish(&k, &turn, "I asked"));
    KIT_OK(&k, reply(&k, done.uid, "Berlin", &said));
    assert_string_equal(own_texts(&k, ADA, SKEIN_BACKGROUND),
                        "human:The answer to your question \"Which time zone?\": Berlin");
    kit_close(&k);
}

typedef struct racer {
    kit        *k;
    skein_str   uid;
    skein_rc    rc;
    skein_mem  *mem;
    skein_error err;
} racer;

static void *race_reply(void *arg)
{
    racer           *r = arg;
    skein_inbox_item out;
    skein_message    said;

    r->rc = skein_inbox_answer(r->k->e, r->uid, skein_text("Berlin"), r->mem, &out, &said,
                               &r->err);
    return NULL;
}

static void only_one_of_two_answers_counts(void **state)
{
    kit         k;
    skein_turn  turn;
    skein_acted done;
    pthread_t   threads[4];
    racer       r[4];
    int         won = 0;

    kit_open(&k, state);
    task_of(&k, ADA, "plan");
    turn = work(&k, ADA);
    done = ask(&k, &turn);
    KIT_OK(&k, finish(&k, &turn, "I wait"));
    for (int i = 0; i < 4; i++) {
        r[i] = (racer){.k = &k, .uid = done.uid, .mem = skein_mem_new()};
        pthread_create(&threads[i], NULL, race_reply, &r[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        won += r[i].rc == SKEIN_OK;
        assert_true(r[i].rc == SKEIN_OK || r[i].rc == SKEIN_CONFLICT);
        skein_mem_free(r[i].mem);
    }
    assert_int_equal(won, 1);
    assert_int_not_equal(task_due(&k, ADA), 0);
    assert_int_equal(rows(&k, "SELECT count(*) FROM tasks"), 1); /* it goes on with it */
    assert_int_equal(rows(&k, "SELECT count(*) FROM messages WHERE content = 'Berlin'"), 1);
    kit_close(&k);
}

/* --- Approvals ---------------------------------------------------------------------------------------------------- */

static void a_call_waits_until_it_is_allowed(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item one, two;
    skein_approval   is;
    skein_message    said;

    kit_open(&k, state);
    post(&k, "@ada plan");
    turn = begin(&k, "ada");
    call_tool(&k, &turn, "c1", "rm");
    assert_int_equal(skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(skein_approval_ask(k.e, &turn, skein_text("c9"), k.mem, &one, &k.err),
                     SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_approval_ask(k.e, &turn, skein_text("c1"), k.mem, &one, &k.err));
    KIT_OK(&k, skein_approval_ask(k.e, &turn, skein_text("c1"), k.mem, &two, &k.err));
    assert_string_equal(one.uid.p, two.uid.p);
    assert_string_equal(one.tool.p, "rm");
    assert_string_equal(one.args.p, "{\"a\":1}");
    assert_true(one.open);
    KIT_OK(&k, skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err));
    assert_int_equal(is, SKEIN_APPROVAL_OPEN);
    assert_int_equal(reply(&k, one.uid, "perhaps", &said), SKEIN_INVALID);
    KIT_OK(&k, reply(&k, one.uid, "allow", &said));
    assert_int_equal(said.id.v, 0);
    KIT_OK(&k, skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err));
    assert_int_equal(is, SKEIN_APPROVED);
    assert_int_equal(reply(&k, one.uid, "deny", &said), SKEIN_CONFLICT);
    kit_close(&k);
}

static skein_turn with_open_approval(kit *k, skein_inbox_item *out)
{
    skein_turn turn;

    post(k, "@ada plan");
    turn = begin(k, "ada");
    call_tool(k, &turn, "c1", "rm");
    KIT_OK(k, skein_approval_ask(k->e, &turn, skein_text("c1"), k->mem, out, &k->err));
    return turn;
}

static void what_is_denied_or_thrown_away_is_not_allowed(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;
    skein_approval   is;
    skein_message    said;

    kit_open(&k, state);
    turn = with_open_approval(&k, &item);
    KIT_OK(&k, reply(&k, item.uid, "deny", &said));
    KIT_OK(&k, skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err));
    assert_int_equal(is, SKEIN_DENIED);
    KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    turn = with_open_approval(&k, &item);
    set(&k, item.uid,
        (skein_inbox_change){.read = -1, .done = -1, .snoozed_until = -1, .remove = true});
    KIT_OK(&k, skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err));
    assert_int_equal(is, SKEIN_DENIED);
    kit_close(&k);
}

static void a_call_that_waits_is_decided_not_put_away(void **state)
{
    const skein_inbox_change away = {.read = -1, .done = 1, .snoozed_until = -1},
                             back = {.read = -1, .done = 0, .snoozed_until = -1};
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;
    skein_approval   is;
    skein_message    said;

    kit_open(&k, state);
    turn = with_open_approval(&k, &item);
    assert_int_equal(skein_inbox_set(k.e, item.uid, &away, k.mem, &item, &k.err),
                     SKEIN_CONFLICT);
    assert_string_equal(k.err.hint, "Allow or deny it.");
    item = got(&k, item.uid);
    assert_true(item.open);
    KIT_OK(&k, skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err));
    assert_int_equal(is, SKEIN_APPROVAL_OPEN);
    KIT_OK(&k, reply(&k, item.uid, "deny", &said));
    assert_int_equal(skein_inbox_set(k.e, item.uid, &back, k.mem, &item, &k.err),
                     SKEIN_CONFLICT);
    kit_close(&k);
}

static void nobody_is_asked_any_more_when_the_turn_is_over(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;
    skein_approval   is;
    skein_message    said;
    int64_t          before, closed;

    kit_open(&k, state);
    turn = with_open_approval(&k, &item);
    before = newest(&k);
    KIT_OK(&k, skein_turns_recover(k.e, true, &closed, &k.err));
    says(&k, before, "inbox.updated", item.uid.p);
    says(&k, before, "inbox.updated", "\"answer\":\"expired\"");
    item = got(&k, item.uid);
    assert_false(item.open);
    assert_string_equal(item.answer.p, "expired");
    assert_true(item.done_at > 0);
    assert_int_equal(reply(&k, item.uid, "allow", &said), SKEIN_CONFLICT);
    assert_non_null(strstr(k.err.message, "has expired"));
    assert_int_equal(skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err),
                     SKEIN_TURN_OVER);
    assert_int_equal(listed(&k, (skein_inbox_query){0}).needs_you, 0);
    kit_close(&k);
}

/* --- Programs that go away while a person is asked ------------------------------------------------------------- */

/* Another program comes; how many turns it takes over, and closes. */
static skein_turns taken_over(kit *k, bool all, int64_t *closed)
{
    skein_turns out;

    KIT_OK(k, skein_turns_take_over(k->e, all, skein_text("other"), 60000, k->mem, &out, closed,
                                    &k->err));
    return out;
}

static void a_turn_that_waits_for_a_person_is_put_down_and_taken_over(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_turns      taken;
    skein_turn_rest  rest;
    skein_inbox_item item;
    skein_approval   is;
    skein_message    said;
    int64_t          closed;
    bool             put;

    kit_open(&k, state);
    turn = with_open_approval(&k, &item);
    assert_int_equal(taken_over(&k, false, &closed).count, 0); /* it is held */
    KIT_OK(&k, skein_turn_put_down(k.e, &turn, &put, &k.err));
    assert_true(put);
    taken = taken_over(&k, false, &closed);
    assert_int_equal(taken.count, 1);
    assert_int_equal(closed, 0);
    assert_true(got(&k, item.uid).open);
    assert_int_equal(skein_approval_state(k.e, &turn, skein_text("c1"), &is, &k.err),
                     SKEIN_TURN_OVER);
    turn = taken.at[0];
    KIT_OK(&k, skein_turn_rest_read(k.e, &turn, k.mem, &rest, &k.err));
    assert_int_equal(rest.count, 1);
    assert_int_equal(rest.next, 0);
    assert_int_equal(rest.begun, 0);
    assert_string_equal(rest.calls[0].tool_name.p, "rm");
    KIT_OK(&k, reply(&k, item.uid, "allow", &said));
    taken = taken_over(&k, true, &closed); /* allowed, and not begun */
    assert_int_equal(taken.count, 1);
    turn = taken.at[0];
    KIT_OK(&k, skein_approval_take(k.e, &turn, skein_text("c1"), &k.err));
    KIT_OK(&k, skein_turn_put_down(k.e, &turn, &put, &k.err)); /* begun: it may have run */
    assert_false(put);
    assert_int_equal(taken_over(&k, true, &closed).count, 0);
    assert_int_equal(closed, 1);
    kit_close(&k);
}

/* A turn with a delegation that it waits for and a call that a person is asked about; the delegation's turn. */
static skein_turn with_delegation(kit *k, skein_turn *turn, skein_inbox_item *item)
{
    skein_tool_call calls[] = {
        {.call_id = skein_text("c1"), .tool_name = skein_text("delegate")},
        {.call_id = skein_text("c2"), .tool_name = skein_text("rm")}};
    skein_new_message m = {.role = SKEIN_ASSISTANT, .calls = calls, .call_count = 2};
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1};
    skein_act         what = {.kind = SKEIN_ACT_DELEGATE,
                              .call_id = skein_text("c1"),
                              .text = skein_text("please look"),
                              .wait = true};
    skein_acted       acted;
    skein_message     out;
    skein_dues        due;
    skein_turn        child;

    post(k, "@ada plan");
    *turn = begin(k, "ada");
    KIT_OK(k, skein_turn_step(k->e, turn, &s, k->mem, &out, &k->err));
    KIT_OK(k, skein_turn_act(k->e, turn, &what, k->mem, &acted, &k->err));
    KIT_OK(k, skein_approval_ask(k->e, turn, skein_text("c2"), k->mem, item, &k->err));
    KIT_OK(k, skein_work_due(k->e, 10, k->mem, &due, &k->err));
    assert_int_equal(due.count, 1);
    KIT_OK(k, skein_turn_begin(k->e, due.at[0].delivery, skein_text("test"),
                               skein_text("demo/scripted"), LEASE, k->mem, &child, &k->err));
    return child;
}

static skein_turn open_turn(kit *k, const skein_turn *turn)
{
    skein_turns open;

    KIT_OK(k, skein_turns_open(k->e, k->world.id, k->how.conversation, k->mem, &open, &k->err));
    for (size_t i = 0; i < open.count; i++)
        if (open.at[i].id == turn->id)
            return open.at[i];
    fail_msg("the turn is not open");
    return (skein_turn){0};
}

/* Whether a call was begun is a fact of its own, whatever the turn is shown at. */
static void the_end_of_a_delegation_does_not_begin_a_call_that_was_allowed(void **state)
{
    kit              k;
    skein_turn       turn, child;
    skein_turns      taken;
    skein_turn_rest  rest;
    skein_inbox_item item;
    skein_message    said;
    int64_t          closed;

    kit_open(&k, state);
    child = with_delegation(&k, &turn, &item);
    KIT_OK(&k, reply(&k, item.uid, "allow", &said));
    assert_int_equal(open_turn(&k, &turn).waits, SKEIN_WAITS_TO_GO_ON);
    KIT_OK(&k, finish(&k, &child, "done"));
    taken = taken_over(&k, true, &closed);
    assert_int_equal(closed, 0);
    assert_int_equal(taken.count, 1);
    turn = taken.at[0];
    KIT_OK(&k, skein_turn_rest_read(k.e, &turn, k.mem, &rest, &k.err));
    assert_int_equal(rest.next, 1);
    KIT_OK(&k, skein_approval_take(k.e, &turn, skein_text("c2"), &k.err));
    assert_string_equal(open_turn(&k, &turn).tool.p, "rm");
    assert_int_equal(open_turn(&k, &turn).waits, SKEIN_WAITS_NOT);
    assert_int_equal(taken_over(&k, true, &closed).count, 0); /* begun: it may have run */
    assert_int_equal(closed, 1);
    kit_close(&k);
}

static void the_end_of_a_delegation_does_not_hide_that_a_person_is_asked(void **state)
{
    kit              k;
    skein_turn       turn, child;
    skein_inbox_item item;

    kit_open(&k, state);
    child = with_delegation(&k, &turn, &item);
    KIT_OK(&k, finish(&k, &child, "done"));
    turn = open_turn(&k, &turn);
    assert_int_equal(turn.waits, SKEIN_WAITS_FOR_PERSON);
    assert_string_equal(turn.tool.p, "rm, waits for you");
    assert_string_equal(turn.inbox_uid.p, item.uid.p);
    KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    /* A tool may be called what it likes. */
    post(&k, "@ada again");
    turn = begin(&k, "ada");
    call_tool(&k, &turn, "c3", "rm, waits for you");
    assert_int_equal(open_turn(&k, &turn).waits, SKEIN_WAITS_NOT);
    kit_close(&k);
}

/* The store as it was before it had these facts, brought up to date again. */
static void from_schema_9(kit *k)
{
    skein_options options = SKEIN_OPTIONS_INIT;

    skein_close(k->e);
    skn_fixture_sql(k->fx,
                    KIT_DOWN_TO_13 "ALTER TABLE conversations DROP COLUMN expects_agent_id;"
                                   "ALTER TABLE conversations DROP COLUMN read_only;"
                                   "ALTER TABLE messages DROP COLUMN tokens_in;"
                                   "ALTER TABLE messages DROP COLUMN tokens_out;"
                                   "ALTER TABLE messages DROP COLUMN tokens_estimated;"
                                   "ALTER TABLE model_calls DROP COLUMN made_of;"
                                   "ALTER TABLE turns DROP COLUMN waits;"
                                   "ALTER TABLE turns DROP COLUMN waits_until;"
                                   "ALTER TABLE inbox DROP COLUMN begun_at;"
                                   "ALTER TABLE inbox DROP COLUMN reason;"
                                   "DELETE FROM schema_version WHERE version > 9");
    options.store = skein_text(k->fx->address);
    KIT_OK(k, skein_open(&k->e, &options, &k->err));
}

static void what_only_words_told_before_is_a_fact_afterwards(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_turns      taken;
    skein_inbox_item item;
    skein_message    said;
    int64_t          closed;

    kit_open(&k, state);
    turn = with_open_approval(&k, &item);
    from_schema_9(&k);
    assert_int_equal(open_turn(&k, &turn).waits, SKEIN_WAITS_FOR_PERSON);
    KIT_OK(&k, reply(&k, item.uid, "allow", &said));
    from_schema_9(&k);
    assert_int_equal(open_turn(&k, &turn).waits, SKEIN_WAITS_TO_GO_ON);
    taken = taken_over(&k, true, &closed);
    assert_int_equal(taken.count, 1);
    KIT_OK(&k, skein_approval_take(k.e, &taken.at[0], skein_text("c1"), &k.err));
    from_schema_9(&k);
    assert_int_equal(taken_over(&k, true, &closed).count, 0); /* begun: it may have run */
    assert_int_equal(closed, 1);
    kit_close(&k);
}

/* --- Settings that are changed while a person is asked ---------------------------------------------------------- */

static void set_world(kit *k, const char *settings)
{
    skein_world_change what = {.id = k->world.id, .settings = skein_text(settings)};
    skein_world        w;

    KIT_OK(k, skein_world_patch(k->e, &what, k->mem, &w, &k->err));
}

static skein_turn asked_for(kit *k, const char *tool, skein_inbox_item *out)
{
    skein_turn turn;

    post(k, "@ada plan");
    turn = begin(k, "ada");
    call_tool(k, &turn, "c1", tool);
    KIT_OK(k, skein_approval_ask(k->e, &turn, skein_text("c1"), k->mem, out, &k->err));
    return turn;
}

static skein_approval state_is(kit *k, const skein_turn *turn)
{
    skein_approval is;

    KIT_OK(k, skein_approval_state(k->e, turn, skein_text("c1"), &is, &k->err));
    return is;
}

/* --- Tools of servers, which define themselves ---------------------------------------------------------------------- */

static skein_tool_definition defined(const char *text)
{
    return (skein_tool_definition){
        .server = skein_text("files"), .tool = skein_text("read"), .text = skein_text(text)};
}

static skein_turn asked_as(kit *k, const char *text, skein_inbox_item *out)
{
    skein_tool_definition what = defined(text);
    skein_turn            turn;

    post(k, "@ada plan");
    turn = begin(k, "ada");
    call_tool(k, &turn, "c1", "files__read");
    KIT_OK(k, skein_approval_ask_defined(k->e, &turn, skein_text("c1"), &what, k->mem, out,
                                         &k->err));
    return turn;
}

static bool is_allowed(kit *k, const char *text)
{
    skein_tool_definition what = defined(text);
    bool                  yes;

    KIT_OK(k, skein_tool_allowed(k->e, k->world.id, &what, &yes, &k->err));
    return yes;
}

static skein_approval state_as(kit *k, const skein_turn *turn, const char *text)
{
    skein_tool_definition what = defined(text);
    skein_approval        is;

    KIT_OK(k, skein_approval_state_defined(k->e, turn, skein_text("c1"), &what, &is, &k->err));
    return is;
}

static void answer_and_end(kit *k, const skein_turn *turn, const skein_inbox_item *item,
                           const char *word)
{
    skein_message said;

    KIT_OK(k, reply(k, item->uid, word, &said));
    KIT_OK(k, skein_turn_end(k->e, turn, SKEIN_TURN_CANCELLED, NULL, &k->err));
}

static void a_definition_is_allowed_with_the_first_call_of_it(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;

    kit_open(&k, state);
    turn = asked_as(&k, "{\"v\":1}", &item);
    assert_string_equal(item.definition.p, "{\"v\":1}");
    assert_string_equal(item.definition_state.p, "new");
    assert_string_equal(item.title.p, "ada wants to use files__read: its first use here");
    answer_and_end(&k, &turn, &item, "deny");
    assert_false(is_allowed(&k, "{\"v\":1}"));
    turn = asked_as(&k, "{\"v\":1}", &item);
    assert_string_equal(item.definition_state.p, "new");
    answer_and_end(&k, &turn, &item, "allow");
    assert_true(is_allowed(&k, "{\"v\":1}"));
    turn = asked_as(&k, "{\"v\":1}", &item); /* one that asks each time */
    assert_null(item.definition.p);
    assert_null(item.definition_state.p);
    assert_string_equal(item.title.p, "ada wants to use files__read");
    answer_and_end(&k, &turn, &item, "deny");
    assert_true(is_allowed(&k, "{\"v\":1}")); /* that call was not, the definition was */
    turn = asked_as(&k, "{\"v\":2}", &item);
    assert_string_equal(item.definition_state.p, "changed");
    answer_and_end(&k, &turn, &item, "allow");
    assert_true(is_allowed(&k, "{\"v\":2}"));
    assert_false(is_allowed(&k, "{\"v\":1}")); /* of each tool one */
    assert_int_equal(rows(&k, "SELECT count(*) FROM definitions"), 2);
    kit_close(&k);
}

static void a_yes_is_to_the_definition_that_was_shown(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;
    skein_message    said;

    kit_open(&k, state);
    turn = asked_as(&k, "{\"v\":1}", &item);
    assert_int_equal(state_as(&k, &turn, "{\"v\":2}"), SKEIN_APPROVAL_OPEN);
    KIT_OK(&k, reply(&k, item.uid, "allow", &said));
    assert_int_equal(state_as(&k, &turn, "{\"v\":1}"), SKEIN_APPROVED);
    assert_int_equal(state_as(&k, &turn, "{\"v\":2}"), SKEIN_OUTDATED);
    assert_false(is_allowed(&k, "{\"v\":2}"));
    kit_close(&k);
}

/* Nobody has read it: when the settings do not allow it any more, it is asked about. */
static void settings_that_allow_a_tool_allow_no_definition(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;

    kit_open(&k, state);
    turn = asked_as(&k, "{\"v\":1}", &item);
    set_world(&k, "{\"mcpServers\":{\"files\":{\"command\":[\"x\"],\"approval\":\"always\"}}}");
    assert_int_equal(state_as(&k, &turn, "{\"v\":2}"), SKEIN_APPROVED); /* whatever it is */
    assert_false(is_allowed(&k, "{\"v\":1}"));
    kit_close(&k);
}

static void new_settings_decide_what_is_asked(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;
    skein_message    said;
    int64_t          before;

    kit_open(&k, state);
    turn = asked_for(&k, "demo_lookup", &item);
    set_world(&k, "{\"approvals\":{\"remember\":\"never\"}}");
    assert_int_equal(state_is(&k, &turn), SKEIN_APPROVAL_OPEN);
    before = newest(&k);
    set_world(&k, "{\"approvals\":{\"demo_lookup\":\"always\"}}");
    assert_int_equal(state_is(&k, &turn), SKEIN_APPROVED);
    says(&k, before, "inbox.updated", "\"answer\":\"allowed\"");
    item = got(&k, item.uid);
    assert_false(item.open);
    assert_string_equal(item.reason.p,
                        "the settings of the world allow demo_lookup without asking");
    assert_int_equal(reply(&k, item.uid, "deny", &said), SKEIN_CONFLICT);
    KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    set_world(&k, "{}");
    turn = asked_for(&k, "demo_lookup", &item);
    set_world(&k, "{\"approvals\":{\"demo_lookup\":\"never\"}}");
    assert_int_equal(state_is(&k, &turn), SKEIN_FORBIDDEN);
    assert_string_equal(got(&k, item.uid).answer.p, "denied");
    kit_close(&k);
}

/* A turn that has read the settings before they were changed asks all the same. */
static void what_the_settings_have_decided_is_not_asked(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_inbox_item item;

    kit_open(&k, state);
    set_world(&k, "{\"mcpServers\":{\"s\":{\"command\":[\"x\"],\"approval\":\"never\"}}}");
    turn = asked_for(&k, "s__rm", &item);
    assert_int_equal(state_is(&k, &turn), SKEIN_FORBIDDEN);
    assert_false(item.open);
    kit_close(&k);
}

static void a_call_that_waits_for_a_person_is_not_erased_under_it(void **state)
{
    kit              k;
    skein_slice      what = {0};
    skein_messages   m;
    skein_at         at;
    skein_inbox_item item;
    int64_t          erased;

    kit_open(&k, state);
    (void)asked_for(&k, "rm", &item);
    what.conversation = k.how.conversation;
    KIT_OK(&k, skein_read(k.e, &what, k.mem, &m, &at, &k.err));
    assert_int_equal(m.count, 2);
    assert_int_equal(
        skein_purge(k.e, &k.how, (skein_message_ids){&m.at[1].id, 1}, &erased, &k.err),
        SKEIN_AT_WORK);
    assert_non_null(strstr(k.err.message, "ada waits for the result of a call"));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&m.at[0].id, 1}, &erased, &k.err));
    assert_int_equal(erased, 1); /* what was said to it may go */
    kit_close(&k);
}

/* --- The limit of a world ------------------------------------------------------------------------------------------ */

static skein_inbox_item limit_reached(kit *k)
{
    skein_inbox_item item = {.kind = SKN_STR("failure"),
                             .world = k->world.id,
                             .title = SKN_STR("The limit of this month is reached"),
                             .content = SKN_STR("used up"),
                             .call_id = SKN_STR("monthlyTokens")};

    KIT_OK(k, skein_inbox_add(k->e, &item, k->mem, &k->err));
    return item;
}

/* Tells that a limit is reached; how many items there are then, the newest in *out. */
static size_t told_of(kit *k, const char *key, skein_inbox_item *out)
{
    const skein_inbox_query all = {.done = -1};
    skein_inbox             list;
    skein_inbox_item        item = {.kind = SKN_STR("failure"),
                                    .world = k->world.id,
                                    .title = SKN_STR("The limit of this day is reached"),
                                    .call_id = skn_str_of(key)};

    KIT_OK(k, skein_inbox_add(k->e, &item, k->mem, &k->err));
    KIT_OK(k, skein_inbox_list(k->e, &all, k->mem, &list, &k->err));
    *out = list.at[0];
    return list.count;
}

/* The day's is another one on the next day, whatever it is called. */
static void a_limit_is_told_once_while_its_item_is_open(void **state)
{
    const skein_inbox_change away = {.done = 1, .read = -1, .snoozed_until = -1};
    const char              *today = "dailyCents 2026-11-19", *next = "dailyCents 2026-11-20";
    kit                      k;
    skein_inbox_item         item;

    kit_open(&k, state);
    assert_int_equal(told_of(&k, today, &item), 1);
    assert_int_equal(told_of(&k, today, &item), 1);
    assert_int_equal(told_of(&k, next, &item), 2);
    assert_int_equal(told_of(&k, next, &item), 2);
    KIT_OK(&k, skein_inbox_set(k.e, item.uid, &away, k.mem, &item, &k.err));
    assert_int_equal(told_of(&k, today, &item), 2);
    assert_int_equal(told_of(&k, next, &item), 3);
    kit_close(&k);
}

static void a_limit_that_is_raised_is_not_told_any_more(void **state)
{
    kit              k;
    skein_inbox_item item, other;
    int64_t          before;

    kit_open(&k, state);
    other = add(&k, "failure",
                "The limit of this month is reached"); /* somebody else's words */
    set_world(&k, "{\"monthlyTokens\":5}");
    item = limit_reached(&k);
    set_world(&k, "{\"monthlyTokens\":5,\"knowledge\":true}");
    assert_int_equal(got(&k, item.uid).done_at, 0);
    before = newest(&k);
    set_world(&k, "{\"monthlyTokens\":500}");
    says(&k, before, "inbox.updated", "\"needsYou\":1");
    item = got(&k, item.uid);
    assert_true(item.done_at > 0 && item.read_at > 0);
    assert_string_equal(item.reason.p, "the limit is 500 tokens a month now");
    item = limit_reached(&k);
    set_world(&k, "{}");
    assert_string_equal(got(&k, item.uid).reason.p, "the world has no such limit any more");
    item = limit_reached(&k);
    set_world(&k, "{\"monthlyTokens\":5000}");
    assert_int_equal(got(&k, item.uid).done_at, 0); /* the first limit raises none, */
    set_world(&k, "{\"monthlyTokens\":600}");
    assert_int_equal(got(&k, item.uid).done_at, 0); /* and a lower one neither */
    assert_int_equal(got(&k, other.uid).done_at, 0);
    kit_close(&k);
}

static void a_turn_that_waits_for_nobody_is_not_taken_over(void **state)
{
    kit        k;
    skein_turn turn;
    int64_t    closed;
    bool       put;

    kit_open(&k, state);
    post(&k, "@ada plan");
    turn = begin(&k, "ada");
    KIT_OK(&k, skein_turn_put_down(k.e, &turn, &put, &k.err));
    assert_false(put);
    call_tool(&k, &turn, "c1", "rm");
    KIT_OK(&k, skein_turn_put_down(k.e, &turn, &put, &k.err));
    assert_false(put);
    assert_int_equal(taken_over(&k, true, &closed).count, 0);
    assert_int_equal(closed, 1);
    kit_close(&k);
}

/* --- The list ------------------------------------------------------------------------------------------------------- */

static void what_needs_somebody_comes_first(void **state)
{
    kit              k;
    skein_inbox      inbox;
    skein_inbox_item a;

    kit_open(&k, state);
    a = add(&k, "failure", "a");
    add(&k, "finished", "b");
    add(&k, "failure", "c");
    add(&k, "mention", "d");
    inbox = listed(&k, (skein_inbox_query){0});
    assert_string_equal(titles(&k, &inbox), "c a d b");
    assert_int_equal(inbox.unread, 4);
    assert_int_equal(inbox.needs_you, 2);
    inbox = listed(&k, (skein_inbox_query){.limit = 1});
    assert_string_equal(titles(&k, &inbox), "c");
    inbox = listed(&k, (skein_inbox_query){.limit = 2, .before = inbox.at[0].uid});
    assert_string_equal(titles(&k, &inbox), "a d");
    inbox = listed(&k, (skein_inbox_query){.limit = 2, .before = inbox.at[1].uid});
    assert_string_equal(titles(&k, &inbox), "b");
    inbox = listed(&k, (skein_inbox_query){.before = a.uid});
    assert_string_equal(titles(&k, &inbox), "d b");
    inbox = listed(&k, (skein_inbox_query){.kind = skein_text("mention")});
    assert_string_equal(titles(&k, &inbox), "d");
    inbox = listed(&k, (skein_inbox_query){.world = {k.world.id.v + 1}});
    assert_int_equal(inbox.count, 0);
    assert_int_equal(inbox.unread, 0);
    assert_int_equal(skein_inbox_list(k.e,
                                      &(skein_inbox_query){.before = skein_text("in_none")},
                                      k.mem, &inbox, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void items_are_read_done_snoozed_and_taken_out(void **state)
{
    kit              k;
    skein_inbox      inbox;
    skein_inbox_item a, b, item;
    int64_t          before, count;

    kit_open(&k, state);
    a = add(&k, "failure", "a");
    b = add(&k, "finished", "b");
    before = newest(&k);
    item = set(&k, a.uid, (skein_inbox_change){.read = 1, .done = -1, .snoozed_until = -1});
    assert_true(item.read_at > 0);
    assert_int_equal(item.done_at, 0);
    says(&k, before, "inbox.updated", "\"unread\":1");
    item = set(&k, a.uid, (skein_inbox_change){.read = 0, .done = -1, .snoozed_until = -1});
    assert_int_equal(item.read_at, 0);
    item = set(&k, a.uid, (skein_inbox_change){.read = -1, .done = 1, .snoozed_until = -1});
    assert_true(item.done_at > 0 && item.read_at > 0);
    inbox = listed(&k, (skein_inbox_query){0});
    assert_string_equal(titles(&k, &inbox), "b");
    inbox = listed(&k, (skein_inbox_query){.done = 1});
    assert_string_equal(titles(&k, &inbox), "a");
    item = set(&k, a.uid, (skein_inbox_change){.read = -1, .done = 0, .snoozed_until = -1});
    assert_int_equal(item.done_at, 0);
    set(&k, b.uid, (skein_inbox_change){.read = -1, .done = -1, .snoozed_until = INT64_MAX});
    inbox = listed(&k, (skein_inbox_query){0});
    assert_string_equal(titles(&k, &inbox), "a");
    assert_int_equal(inbox.unread, 0);
    inbox = listed(&k, (skein_inbox_query){.done = 2});
    assert_string_equal(titles(&k, &inbox), "b");
    set(&k, b.uid, (skein_inbox_change){.read = -1, .done = -1, .snoozed_until = 0});
    inbox = listed(&k, (skein_inbox_query){.unread = 1});
    assert_string_equal(titles(&k, &inbox), "b");
    before = newest(&k);
    KIT_OK(&k, skein_inbox_read_all(k.e, (skein_world_id){0}, skein_text("mention"), &count,
                                    &k.err));
    assert_int_equal(count, 0);
    assert_int_equal(newest(&k), before);
    KIT_OK(&k, skein_inbox_read_all(k.e, (skein_world_id){0}, (skein_str){0}, &count, &k.err));
    assert_int_equal(count, 1);
    says(&k, before, "inbox.updated", "\"unread\":0");
    set(&k, b.uid,
        (skein_inbox_change){.read = -1, .done = -1, .snoozed_until = -1, .remove = true});
    assert_int_equal(skein_inbox_get(k.e, b.uid, k.mem, &item, &k.err), SKEIN_NOT_FOUND);
    inbox = listed(&k, (skein_inbox_query){.done = -1});
    assert_string_equal(titles(&k, &inbox), "a");
    kit_close(&k);
}

static void what_may_be_put_in(void **state)
{
    kit              k;
    skein_inbox_item i;
    skein_message    said;

    kit_open(&k, state);
    i = (skein_inbox_item){
        .world = k.world.id, .kind = skein_text("approval"), .title = skein_text("x")};
    assert_int_equal(skein_inbox_add(k.e, &i, k.mem, &k.err), SKEIN_INVALID);
    i.kind = skein_text("failure");
    i.agent = skein_text("nobody");
    assert_int_equal(skein_inbox_add(k.e, &i, k.mem, &k.err), SKEIN_NOT_FOUND);
    i.agent = skein_text("bo");
    i.chat_uid = k.chat.uid;
    KIT_OK(&k, skein_inbox_add(k.e, &i, k.mem, &k.err));
    assert_string_equal(i.agent.p, "bo");
    assert_string_equal(i.chat_uid.p, k.chat.uid.p);
    assert_int_equal(reply(&k, i.uid, "why?", &said), SKEIN_INVALID);
    assert_int_equal(reply(&k, skein_text("in_none"), "why?", &said), SKEIN_NOT_FOUND);
    kit_close(&k);
}

/* --- Going ------------------------------------------------------------------------------------------------------------ */

static void the_items_of_an_agent_go_with_it(void **state)
{
    kit              k;
    skein_turn       turn;
    skein_acted      done, other;
    skein_inbox_item item;
    skein_inbox      inbox;
    skein_message    said;

    kit_open(&k, state);
    for (int i = ADA; i <= BO; i++) {
        task_of(&k, i, "plan");
        turn = work(&k, i);
        KIT_OK(&k, act_as(&k, &turn, briefing("briefing"), i == ADA ? &done : &other));
        KIT_OK(&k, finish(&k, &turn, "told"));
    }
    item = got(&k, done.uid);
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[ADA].id, false, &k.err));
    inbox = listed(&k, (skein_inbox_query){.done = -1});
    assert_int_equal(inbox.count, 1);
    assert_string_equal(inbox.at[0].agent.p, "bo");
    assert_int_equal(reply(&k, done.uid, "x", &said), SKEIN_NOT_FOUND);
    /* The briefing itself can still be read. */
    assert_non_null(got(&k, item.briefing_uid).briefing.p);
    assert_int_equal(reply(&k, item.briefing_uid, "x", &said), SKEIN_CONFLICT);
    kit_check(&k);
    kit_close(&k);
}

static void a_list_has_a_definition_only_while_it_is_asked_about_and_not_a_long_one(
    void **state)
{
    kit                     k;
    skein_turn              turn;
    skein_inbox_item        item;
    skein_message           said;
    const skein_inbox_query all = {.done = -1};
    static char             text[2002];

    kit_open(&k, state);
    turn = asked_as(&k, "{\"v\":1}", &item);
    assert_string_equal(listed(&k, all).at[0].definition.p, "{\"v\":1}");
    KIT_OK(&k, reply(&k, item.uid, "deny", &said));
    assert_null(listed(&k, all).at[0].definition.p);
    assert_string_equal(listed(&k, all).at[0].definition_state.p, "new");
    assert_string_equal(got(&k, item.uid).definition.p, "{\"v\":1}");
    KIT_OK(&k, skein_turn_end(k.e, &turn, SKEIN_TURN_CANCELLED, NULL, &k.err));
    memset(text, ' ', sizeof text - 1);
    memcpy(text, "{}", 2);
    turn = asked_as(&k, text, &item);
    assert_null(listed(&k, all).at[0].definition.p);
    assert_string_equal(listed(&k, all).at[0].definition_state.p, "new");
    assert_string_equal(got(&k, item.uid).definition.p, text);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_briefing_is_in_the_inbox_and_in_the_foreground),
        SKN_BOTH(a_briefing_that_cannot_be_writes_nothing),
        SKN_BOTH(what_is_answered_to_a_briefing_is_said_in_the_foreground),
        SKN_BOTH(a_question_without_a_lead_is_for_the_person),
        SKN_BOTH(a_question_out_of_a_chat_comes_back_with_its_answer),
        SKN_BOTH(only_one_of_two_answers_counts),
        SKN_BOTH(a_call_waits_until_it_is_allowed),
        SKN_BOTH(what_is_denied_or_thrown_away_is_not_allowed),
        SKN_BOTH(a_call_that_waits_is_decided_not_put_away),
        SKN_BOTH(nobody_is_asked_any_more_when_the_turn_is_over),
        SKN_BOTH(a_turn_that_waits_for_a_person_is_put_down_and_taken_over),
        SKN_BOTH(the_end_of_a_delegation_does_not_begin_a_call_that_was_allowed),
        SKN_BOTH(the_end_of_a_delegation_does_not_hide_that_a_person_is_asked),
        SKN_BOTH(what_only_words_told_before_is_a_fact_afterwards),
        SKN_BOTH(a_definition_is_allowed_with_the_first_call_of_it),
        SKN_BOTH(a_yes_is_to_the_definition_that_was_shown),
        SKN_BOTH(settings_that_allow_a_tool_allow_no_definition),
        SKN_BOTH(new_settings_decide_what_is_asked),
        SKN_BOTH(what_the_settings_have_decided_is_not_asked),
        SKN_BOTH(a_call_that_waits_for_a_person_is_not_erased_under_it),
        SKN_BOTH(a_limit_is_told_once_while_its_item_is_open),
        SKN_BOTH(a_limit_that_is_raised_is_not_told_any_more),
        SKN_BOTH(a_turn_that_waits_for_nobody_is_not_taken_over),
        SKN_BOTH(what_needs_somebody_comes_first),
        SKN_BOTH(items_are_read_done_snoozed_and_taken_out),
        SKN_BOTH(what_may_be_put_in),
        SKN_BOTH(the_items_of_an_agent_go_with_it),
        SKN_BOTH(a_list_has_a_definition_only_while_it_is_asked_about_and_not_a_long_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
