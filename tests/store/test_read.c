/* Reading lanes, finding messages by what people call them, and listing versions. */
#include "engine/engine.h"
#include "store/kit.h"

#define SAYS(err, text)                                                                        \
    do {                                                                                       \
        if (!strstr((err).message, text))                                                      \
            fail_msg("\"%s\" does not say \"%s\"", (err).message, text);                       \
    } while (0)

static skein_messages read_lane(kit *k, const skein_slice *what, skein_at *at)
{
    skein_slice    s = *what;
    skein_messages m;

    if (s.conversation.v == 0)
        s.conversation = k->chat.id;
    KIT_OK(k, skein_read(k->e, &s, k->mem, &m, at, &k->err));
    return m;
}

static skein_messages memory_of(kit *k, int agent, bool raw)
{
    skein_at at;

    return read_lane(k, &(skein_slice){.agent = k->agent[agent].id, .raw = raw}, &at);
}

static skein_message as(kit *k, const char *uid, const char *text)
{
    skein_messages out;

    KIT_OK(k, kit_append(k,
                         &(skein_new_message){.uid = skein_text(uid),
                                              .role = SKEIN_USER,
                                              .content = skein_text(text)},
                         1, &out));
    return out.at[0];
}

static skein_message found(kit *k, int64_t version, const char *ref)
{
    skein_message m;

    KIT_OK(k, skein_message_find(k->e, k->how.conversation, version, skein_text(ref), k->mem,
                                 &m, &k->err));
    return m;
}

static void not_found(kit *k, const char *ref, skein_rc rc, const char *says)
{
    skein_message m;

    assert_int_equal(
        skein_message_find(k->e, k->how.conversation, 0, skein_text(ref), k->mem, &m, &k->err),
        rc);
    SAYS(k->err, says);
}

/* --- Slices ---------------------------------------------------------------------------------------- */

static void a_slice_is_cut_from_either_end_and_never_fails_for_being_too_long(void **state)
{
    static const struct {
        int64_t     from, count;
        const char *texts;
    } cases[] = {{0, 0, "01234"},
                 {0, 2, "01"},
                 {1, 3, "123"},
                 {-2, 0, "34"},
                 {-2, 1, "3"},
                 {-9, 0, "01234"},
                 {-9, 2, "01"},
                 {5, 0, ""},
                 {9, 3, ""},
                 {3, 99, "34"},
                 {INT64_MIN, INT64_MAX, "01234"},
                 {INT64_MAX, INT64_MAX, ""}};
    kit            k;
    skein_messages m;
    skein_at       at;

    kit_open(&k, state);
    for (int i = 0; i < 5; i++)
        kit_say(&k, SKEIN_USER, "human", (char[]){(char)('0' + i), '\0'});
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        skein_slice what = {.from = cases[c].from, .count = cases[c].count};
        char        texts[8] = "";

        m = read_lane(&k, &what, &at);
        for (size_t i = 0; i < m.count; i++) {
            texts[i] = m.at[i].content.p[0];
            assert_int_equal(m.at[i].position, texts[i] - '0');
        }
        assert_string_equal(texts, cases[c].texts);
        assert_int_equal(at.length, 5);
        assert_true(at.thread.v == k.chat.thread.v);
    }
    assert_int_equal(skein_read(k.e, &(skein_slice){.conversation = k.chat.id, .count = -1},
                                k.mem, &m, &at, &k.err),
                     SKEIN_INVALID);
    kit_close(&k);
}

static void an_old_version_reads_as_it_was(void **state)
{
    kit           k;
    skein_version v;
    skein_message one, edited;

    kit_open(&k, state);
    one = kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_USER, "human", "two");
    KIT_OK(&k, skein_amend(k.e, &k.how, one.id, skein_text("uno"), k.mem, &v, &edited, &k.err));
    kit_say(&k, SKEIN_USER, "human", "three");
    assert_string_equal(kit_texts(&k, "main", 1), "one two");
    assert_string_equal(kit_texts(&k, "main", 2), "uno two three");
    assert_string_equal(kit_texts(&k, "main", 0), "uno two three");
    assert_int_equal(skein_read(k.e, &(skein_slice){.conversation = k.chat.id, .version = 3},
                                k.mem, &(skein_messages){0}, NULL, &k.err),
                     SKEIN_NOT_FOUND);
    SAYS(k.err, "no version v3");
    kit_close(&k);
}

static void what_is_not_there_cannot_be_read(void **state)
{
    kit            k;
    skein_messages m;
    skein_slice    what = {.conversation = {999999}};

    kit_open(&k, state);
    assert_int_equal(skein_read(k.e, &what, k.mem, &m, NULL, &k.err), SKEIN_NOT_FOUND);
    what = (skein_slice){.conversation = k.chat.id, .lane = skein_text("main.7")};
    assert_int_equal(skein_read(k.e, &what, k.mem, &m, NULL, &k.err), SKEIN_NOT_FOUND);
    SAYS(k.err, "no lane \"main.7\"");
    what = (skein_slice){.conversation = k.chat.id, .agent = {999999}};
    assert_int_equal(skein_read(k.e, &what, k.mem, &m, NULL, &k.err), SKEIN_NOT_FOUND);
    SAYS(k.err, "no agent with the number");
    kit_close(&k);
}

/* --- Memory ---------------------------------------------------------------------------------------- */

static void an_agent_sees_itself_as_the_assistant_and_all_others_as_users(void **state)
{
    kit            k;
    skein_message  ask;
    skein_messages m;

    kit_open(&k, state);
    ask = kit_say(&k, SKEIN_USER, "human", "hi");
    kit_reply(&k, "ada", "hello", ask.uid);
    kit_reply(&k, "bo", "hey", ask.uid);
    kit_call(&k, "ada", "c1");
    kit_result(&k, "c1");
    m = memory_of(&k, 0, false);
    assert_int_equal(m.count, 5);
    assert_int_equal(m.at[0].role, SKEIN_USER);
    assert_int_equal(m.at[1].role, SKEIN_ASSISTANT);
    assert_int_equal(m.at[2].role, SKEIN_USER);
    assert_string_equal(m.at[2].sender.p, "bo");
    assert_int_equal(m.at[3].call_count, 1);
    assert_int_equal(m.at[4].role, SKEIN_TOOL);
    m = memory_of(&k, 1, false);
    assert_int_equal(m.count, 4); /* the result of ada's tool is ada's alone */
    assert_int_equal(m.at[1].role, SKEIN_USER);
    assert_int_equal(m.at[2].role, SKEIN_ASSISTANT);
    assert_int_equal(m.at[3].role, SKEIN_USER);
    assert_int_equal(m.at[3].call_count, 0);
    kit_close(&k);
}

static void whom_others_answered_is_masked_in_memory_unless_it_is_read_raw(void **state)
{
    kit            k;
    skein_message  ask;
    skein_messages m;

    kit_open(&k, state);
    ask = kit_say(&k, SKEIN_USER, "human", "hi");
    kit_reply(&k, "ada", "hello", ask.uid);
    kit_reply(&k, "bo", "hey", ask.uid);
    m = memory_of(&k, 0, false);
    assert_string_equal(m.at[1].reply_to.p, ask.uid.p);
    assert_true(m.at[1].reply_to_id.v == ask.id.v);
    assert_null(m.at[2].reply_to.p);
    assert_true(m.at[2].reply_to_id.v == 0);
    assert_int_equal(m.at[2].reply_depth, 0);
    m = memory_of(&k, 0, true);
    assert_string_equal(m.at[2].reply_to.p, ask.uid.p);
    assert_int_equal(m.at[2].role, SKEIN_USER);
    m = read_lane(&k, &(skein_slice){.from = 0}, &(skein_at){0});
    assert_int_equal(m.at[2].role, SKEIN_ASSISTANT);
    assert_string_equal(m.at[2].reply_to.p, ask.uid.p);
    kit_close(&k);
}

static void an_agents_memory_can_be_named_by_the_agent(void **state)
{
    kit            k;
    skein_messages out;
    skein_str      only = skein_text("ada");

    kit_open(&k, state);
    KIT_OK(&k, kit_append(&k,
                          &(skein_new_message){.role = SKEIN_USER,
                                               .content = skein_text("psst"),
                                               .heard_by = &only,
                                               .heard_by_count = 1,
                                               .heard_by_given = true},
                          1, &out));
    assert_string_equal(kit_texts(&k, "@ada", 0), "psst");
    assert_string_equal(kit_texts(&k, "@bo", 0), "");
    kit_close(&k);
}

static void an_agent_that_came_later_remembers_nothing(void **state)
{
    kit            k;
    skein_agent    late = {.name = skein_text("dot")}, far = {.name = skein_text("eve")};
    skein_world    other = {.name = skein_text("mars")};
    skein_messages m;
    skein_slice    what;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    late.world = k.world.id;
    KIT_OK(&k, skein_agent_new(k.e, &late, k.mem, &k.err));
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    far.world = other.id;
    KIT_OK(&k, skein_agent_new(k.e, &far, k.mem, &k.err));
    what = (skein_slice){.conversation = k.chat.id, .agent = late.id};
    KIT_OK(&k, skein_read(k.e, &what, k.mem, &m, NULL, &k.err));
    assert_int_equal(m.count, 0);
    what.agent = far.id;
    assert_int_equal(skein_read(k.e, &what, k.mem, &m, NULL, &k.err), SKEIN_NOT_FOUND);
    SAYS(k.err, "agent \"eve\" has no part");
    kit_close(&k);
}

static void an_agents_own_conversation_is_its_memory(void **state)
{
    kit                k;
    skein_conversation own;
    skein_messages     m;

    kit_open(&k, state);
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_FOREGROUND, k.mem, &own, &k.err));
    k.how.conversation = own.id;
    kit_say(&k, SKEIN_USER, "human", "hi");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "hello");
    KIT_OK(&k, skein_read(k.e, &(skein_slice){.conversation = own.id, .agent = k.agent[0].id},
                          k.mem, &m, NULL, &k.err));
    assert_int_equal(m.count, 2);
    assert_int_equal(m.at[1].role, SKEIN_ASSISTANT);
    assert_int_equal(skein_read(k.e,
                                &(skein_slice){.conversation = own.id, .agent = k.agent[1].id},
                                k.mem, &m, NULL, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

/* --- Finding --------------------------------------------------------------------------------------- */

static void messages_are_found_by_place_id_and_prefix(void **state)
{
    kit           k;
    skein_message a, b;

    kit_open(&k, state);
    a = as(&k, "abcd-1", "one");
    b = as(&k, "abce-2", "two");
    as(&k, "abc", "three");
    assert_string_equal(found(&k, 0, "@").content.p, "three");
    assert_string_equal(found(&k, 0, "@~2").content.p, "one");
    assert_true(found(&k, 0, "abcd-1").id.v == a.id.v);
    assert_true(found(&k, 0, "abcd").id.v == a.id.v);
    assert_true(found(&k, 0, "abce").id.v == b.id.v);
    assert_int_equal(found(&k, 0, "abce").position, 1);
    assert_string_equal(found(&k, 0, "abc").content.p, "three"); /* whole ids may be short */
    kit_close(&k);
}

static void a_prefix_of_several_messages_names_them(void **state)
{
    kit k;

    kit_open(&k, state);
    as(&k, "pref-1", "one");
    as(&k, "pref-2", "two");
    not_found(&k, "pref", SKEIN_INVALID, "\"pref-1\", \"pref-2\"");
    assert_non_null(strstr(k.err.hint, "more characters"));
    assert_string_equal(found(&k, 0, "pref-2").content.p, "two");
    kit_close(&k);
}

static void a_message_that_is_nowhere_is_not_found_and_the_hint_helps(void **state)
{
    kit k;

    kit_open(&k, state);
    not_found(&k, "@", SKEIN_NOT_FOUND, "has no messages");
    as(&k, "first", "one");
    not_found(&k, "nothing-like-it", SKEIN_NOT_FOUND, "no message \"nothing-like-it\"");
    assert_non_null(strstr(k.err.hint, "\"skein log\" shows ids."));
    not_found(&k, "fir", SKEIN_NOT_FOUND, "no message \"fir\"");
    assert_non_null(strstr(k.err.hint, "4 characters"));
    not_found(&k, "@~1", SKEIN_NOT_FOUND, "before the first message");
    not_found(&k, "@~9223372036854775807", SKEIN_NOT_FOUND, "before the first message");
    not_found(&k, "not an id", SKEIN_INVALID, "does not name a message");
    kit_close(&k);
}

static void a_message_of_another_conversation_is_said_to_be_there(void **state)
{
    kit                k;
    skein_conversation other;
    skein_message      there;

    kit_open(&k, state);
    as(&k, "mine-1", "one");
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("two"), k.mem, &other, &k.err));
    k.how.conversation = other.id;
    not_found(&k, "mine-1", SKEIN_NOT_FOUND, "is in another conversation");
    SAYS(k.err, k.chat.uid.p);
    assert_non_null(strstr(k.err.hint, "skein show -c "));
    assert_non_null(strstr(k.err.hint, " -- mine-1"));
    assert_int_equal(
        skn_message_typed(k.e, other.id, skein_text("ne-1"), k.mem, &there, &k.err),
        SKEIN_NOT_FOUND);
    SAYS(k.err, "\"mine-1\" is in another conversation");
    assert_int_equal(
        skn_message_typed(k.e, other.id, skein_text("mine"), k.mem, &there, &k.err),
        SKEIN_NOT_FOUND);
    SAYS(k.err, "\"mine-1\" is in another conversation");
    as(&k, "mine-2", "two");
    assert_string_equal(found(&k, 0, "mine").content.p,
                        "two"); /* only those of this one count */
    kit_close(&k);
}

static void a_message_is_found_in_whatever_version_holds_it(void **state)
{
    kit           k;
    skein_message one, edited;
    skein_version v;

    kit_open(&k, state);
    one = as(&k, "old-one", "one");
    KIT_OK(&k, skein_amend(k.e, &k.how, one.id, skein_text("uno"), k.mem, &v, &edited, &k.err));
    assert_string_equal(found(&k, 0, "old-one").content.p, "one");
    assert_int_equal(found(&k, 0, "old-one").position, -1);
    assert_int_equal(found(&k, 1, "old-one").position, 0);
    assert_string_equal(found(&k, 1, "@").content.p, "one");
    assert_string_equal(found(&k, 2, "@").content.p, "uno");
    kit_close(&k);
}

static void a_branch_finds_what_came_along_and_nothing_said_since(void **state)
{
    kit                k;
    skein_conversation branch;
    skein_message      m;

    kit_open(&k, state);
    as(&k, "line-1", "one");
    as(&k, "line-2", "two");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, 1, skein_text("b"), k.mem, &branch, &k.err));
    as(&k, "line-3", "three");
    k.how.conversation = branch.id;
    assert_string_equal(found(&k, 0, "line-1").content.p, "one");
    assert_int_equal(found(&k, 0, "line-1").position, 0);
    not_found(&k, "line-2", SKEIN_NOT_FOUND, "is in another conversation");
    not_found(&k, "line-3", SKEIN_NOT_FOUND, "is in another conversation");
    assert_string_equal(found(&k, 0, "line").content.p, "one");
    m = as(&k, "line-4", "four");
    assert_true(found(&k, 0, "@").id.v == m.id.v);
    not_found(&k, "line", SKEIN_INVALID, "\"line-4\"");
    kit_close(&k);
}

static void carets_follow_replies_to_the_text_that_the_version_holds(void **state)
{
    kit            k;
    skein_message  ask, edited, odd;
    skein_messages out;
    skein_version  v;

    kit_open(&k, state);
    ask = as(&k, "question", "why");
    kit_reply(&k, "bo", "because", kit_reply(&k, "ada", "hm", ask.uid).uid);
    assert_string_equal(found(&k, 0, "@^").content.p, "hm");
    assert_string_equal(found(&k, 0, "@^^").content.p, "why");
    not_found(&k, "@^^^", SKEIN_NOT_FOUND, "\"question\" replies to nothing");
    KIT_OK(&k, skein_amend(k.e, &k.how, ask.id, skein_text("how"), k.mem, &v, &edited, &k.err));
    assert_string_equal(found(&k, 0, "@^^").content.p, "how");
    assert_int_equal(found(&k, 0, "@^^").position, 0);
    assert_string_equal(found(&k, 1, "@^^").content.p, "why");
    KIT_OK(&k, kit_append(&k,
                          &(skein_new_message){.role = SKEIN_USER,
                                               .content = skein_text("odd"),
                                               .reply_to = skein_text("nobody")},
                          1, &out));
    odd = out.at[0];
    assert_non_null(odd.warning.p);
    not_found(&k, "@^", SKEIN_NOT_FOUND, "\"nobody\", which is not known here");
    kit_close(&k);
}

/* --- Versions -------------------------------------------------------------------------------------- */

static bool same_str(skein_str a, skein_str b)
{
    return !a.p == !b.p && a.n == b.n && (!a.p || memcmp(a.p, b.p, a.n) == 0);
}

static void assert_same_version(const skein_version *a, const skein_version *b)
{
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->thread.v, b->thread.v);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->origin_length, b->origin_length);
    assert_int_equal(a->current, b->current);
    assert_int_equal(a->created_at, b->created_at);
    assert_true(same_str(a->thread_uid, b->thread_uid));
    assert_true(same_str(a->origin_thread_uid, b->origin_thread_uid));
    assert_true(same_str(a->kind, b->kind));
    assert_true(same_str(a->actor, b->actor));
    assert_true(same_str(a->note, b->note));
}

static void history_lists_every_version_newest_first(void **state)
{
    kit            k;
    skein_message  one, edited;
    skein_version  v, got;
    skein_versions all;
    skein_move     move;

    kit_open(&k, state);
    one = kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_USER, "human", "two");
    KIT_OK(&k, skein_amend(k.e, &k.how, one.id, skein_text("uno"), k.mem, &v, &edited, &k.err));
    kit_say(&k, SKEIN_USER, "human", "three");
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    KIT_OK(&k, skein_history(k.e, k.chat.id, k.mem, &all, &k.err));
    assert_int_equal(all.count, 2);
    assert_int_equal(all.at[0].number, 2);
    assert_int_equal(all.at[0].length, 3);
    assert_int_equal(all.at[0].origin, 1);
    assert_int_equal(all.at[0].origin_length, 2);
    assert_false(all.at[0].current);
    assert_true(all.at[1].current);
    assert_string_equal(all.at[0].kind.p, "amend");
    assert_string_equal(all.at[1].kind.p, "start");
    for (size_t i = 0; i < all.count; i++) {
        KIT_OK(&k, skein_version_get(k.e, k.chat.id, all.at[i].number, k.mem, &got, &k.err));
        assert_same_version(&all.at[i], &got);
        KIT_OK(&k, skein_version_of_thread(k.e, k.chat.id, all.at[i].thread_uid, k.mem, &got,
                                           &k.err));
        assert_same_version(&all.at[i], &got);
    }
    KIT_OK(&k, skein_version_get(k.e, k.chat.id, 0, k.mem, &got, &k.err));
    assert_int_equal(got.number, 1);
    kit_close(&k);
}

static void a_thread_of_another_conversation_is_no_version_of_this_one(void **state)
{
    kit                k;
    skein_conversation other;
    skein_version      v;

    kit_open(&k, state);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("two"), k.mem, &other, &k.err));
    assert_int_equal(
        skein_version_of_thread(k.e, k.chat.id, other.thread_uid, k.mem, &v, &k.err),
        SKEIN_NOT_FOUND);
    SAYS(k.err, "is in another conversation");
    assert_int_equal(
        skein_version_of_thread(k.e, k.chat.id, skein_text("t_none"), k.mem, &v, &k.err),
        SKEIN_NOT_FOUND);
    SAYS(k.err, "no thread \"t_none\"");
    assert_int_equal(skein_version_get(k.e, k.chat.id, 5, k.mem, &v, &k.err), SKEIN_NOT_FOUND);
    assert_int_equal(skein_version_get(k.e, k.chat.id, -1, k.mem, &v, &k.err), SKEIN_NOT_FOUND);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_slice_is_cut_from_either_end_and_never_fails_for_being_too_long),
        SKN_BOTH(an_old_version_reads_as_it_was),
        SKN_BOTH(what_is_not_there_cannot_be_read),
        SKN_BOTH(an_agent_sees_itself_as_the_assistant_and_all_others_as_users),
        SKN_BOTH(whom_others_answered_is_masked_in_memory_unless_it_is_read_raw),
        SKN_BOTH(an_agents_memory_can_be_named_by_the_agent),
        SKN_BOTH(an_agent_that_came_later_remembers_nothing),
        SKN_BOTH(an_agents_own_conversation_is_its_memory),
        SKN_BOTH(messages_are_found_by_place_id_and_prefix),
        SKN_BOTH(a_prefix_of_several_messages_names_them),
        SKN_BOTH(a_message_that_is_nowhere_is_not_found_and_the_hint_helps),
        SKN_BOTH(a_message_of_another_conversation_is_said_to_be_there),
        SKN_BOTH(a_message_is_found_in_whatever_version_holds_it),
        SKN_BOTH(a_branch_finds_what_came_along_and_nothing_said_since),
        SKN_BOTH(carets_follow_replies_to_the_text_that_the_version_holds),
        SKN_BOTH(history_lists_every_version_newest_first),
        SKN_BOTH(a_thread_of_another_conversation_is_no_version_of_this_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
