/* test_input_ids.c: ids that name nothing, or something elsewhere: one clear error, the same on both
 * databases, and nothing half-written. */
#include "store/kit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const skein_message_id nobody = {99999};

/* A chat with three messages and a version 2, and another chat with one of its own. */
typedef struct room {
    kit                k;
    skein_message_id   ids[3], theirs;
    skein_str          theirs_uid;
    skein_conversation other;
    const char        *before;
} room;

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

static void begin(room *r, void **state)
{
    skein_message m;
    skein_version v;

    kit_open(&r->k, state);
    KIT_OK(&r->k, skein_chat_new(r->k.e, r->k.world.id, skein_text("other"), r->k.mem,
                                 &r->other, &r->k.err));
    r->k.how.conversation = r->other.id;
    m = say(&r->k, "theirs");
    r->theirs = m.id;
    r->theirs_uid = m.uid;
    r->k.how.conversation = r->k.chat.id;
    r->ids[0] = say(&r->k, "one").id;
    r->ids[1] = say(&r->k, "two").id;
    KIT_OK(&r->k, skein_amend(r->k.e, &r->k.how, r->ids[0], skein_text("uno"), r->k.mem, &v, &m,
                              &r->k.err));
    r->ids[0] = m.id;
    r->ids[2] = say(&r->k, "three").id;
    r->before = kit_state(&r->k);
}

static void end(room *r)
{
    r->k.how.conversation = r->k.chat.id;
    assert_string_equal(kit_state(&r->k), r->before);
    kit_close(&r->k);
}

static void refused(room *r, skein_rc rc, skein_rc want, const char *where)
{
    if (rc != want)
        fail_msg("%s: %s instead of %s (%s)", where, skein_rc_name(rc), skein_rc_name(want),
                 rc ? r->k.err.message : "");
    assert_int_equal(r->k.err.rc, want);
    assert_true(strlen(r->k.err.message) > 5);
}

/* --- Messages ------------------------------------------------------------------------------------------ */

typedef skein_rc use(room *r, skein_message_id id);

static skein_rc amend(room *r, skein_message_id id)
{
    skein_version v;

    return skein_amend(r->k.e, &r->k.how, id, skein_text("x"), r->k.mem, &v, NULL, &r->k.err);
}

static skein_rc delete (room *r, skein_message_id id)
{
    skein_message_id ids[2] = {r->ids[0], id};
    skein_version    v;

    return skein_delete(r->k.e, &r->k.how, (skein_message_ids){ids, 2}, r->k.mem, &v,
                        &r->k.err);
}

static skein_rc insert_before(room *r, skein_message_id id)
{
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("x")};
    skein_version     v;

    return skein_insert(r->k.e, &r->k.how, id, &m, r->k.mem, &v, NULL, &r->k.err);
}

static skein_rc reorder(room *r, skein_message_id id)
{
    skein_message_id ids[2] = {r->ids[1], id};
    skein_version    v;

    return skein_reorder(r->k.e, &r->k.how, (skein_message_ids){ids, 2}, r->ids[0], r->k.mem,
                         &v, &r->k.err);
}

static skein_rc reorder_before(room *r, skein_message_id id)
{
    skein_version v;

    return skein_reorder(r->k.e, &r->k.how, (skein_message_ids){&r->ids[1], 1}, id, r->k.mem,
                         &v, &r->k.err);
}

static skein_rc squash(room *r, skein_message_id id)
{
    skein_message_id  ids[2] = {r->ids[1], id};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text("x")};
    skein_squash      out;

    return skein_squash_messages(r->k.e, &r->k.how, &spec, r->k.mem, &out, &r->k.err);
}

static skein_rc remove_from(room *r, skein_message_id id)
{
    skein_removal out;

    return skein_remove_from(r->k.e, &r->k.how, id, false, r->k.mem, &out, &r->k.err);
}

static skein_rc edit(room *r, skein_message_id id)
{
    skein_removal out;

    return skein_edit(r->k.e, &r->k.how, id, skein_text("x"), r->k.mem, &out, &r->k.err);
}

static skein_rc purge(room *r, skein_message_id id)
{
    skein_message_id ids[2] = {r->ids[1], id};
    int64_t          erased;

    return skein_purge(r->k.e, &r->k.how, (skein_message_ids){ids, 2}, &erased, &r->k.err);
}

static skein_rc delegate(room *r, skein_message_id id)
{
    skein_lane lane;

    return skein_lane_new(r->k.e, r->k.how.conversation, skein_text("main"), id,
                          skein_text("c"), r->k.mem, &lane, &r->k.err);
}

static skein_rc children(room *r, skein_message_id id)
{
    skein_messages out;

    return skein_reply_children(r->k.e, r->k.how.conversation, 0, id, r->k.mem, &out,
                                &r->k.err);
}

static skein_rc subtree(room *r, skein_message_id id)
{
    skein_reply_tree out;

    return skein_reply_tree_read(r->k.e, r->k.how.conversation, 0, id, r->k.mem, &out,
                                 &r->k.err);
}

/* Calls that take a message, the last two of them for reading. */
static const struct {
    use        *run;
    const char *name;
} uses[] = {
    {amend, "amend"},
    {delete, "delete"},
    {insert_before, "insert before"},
    {reorder, "reorder"},
    {reorder_before, "reorder before"},
    {squash, "squash"},
    {remove_from, "remove"},
    {edit, "edit"},
    {delegate, "delegate"},
    {purge, "purge"},
    {children, "children"},
    {subtree, "subtree"},
};

static void a_message_that_is_not_there_is_not_found(void **state)
{
    room r;

    begin(&r, state);
    for (size_t i = 0; i < COUNT(uses); i++) {
        refused(&r, uses[i].run(&r, nobody), SKEIN_NOT_FOUND, uses[i].name);
        refused(&r, uses[i].run(&r, (skein_message_id){-1}), SKEIN_NOT_FOUND, uses[i].name);
    }
    end(&r);
}

static void a_message_of_another_conversation_is_not_found(void **state)
{
    room r;

    begin(&r, state);
    for (size_t i = 0; i < COUNT(uses); i++)
        refused(&r, uses[i].run(&r, r.theirs), SKEIN_NOT_FOUND, uses[i].name);
    r.k.how.conversation = r.other.id;
    assert_string_equal(kit_texts(&r.k, "main", 0), "theirs");
    end(&r);
}

static void no_message_and_the_same_one_twice_are_refused(void **state)
{
    room              r;
    skein_version     v;
    skein_squash      sq;
    skein_message_ids none = {NULL, 0};
    skein_message_id  same[2];
    skein_squash_spec spec = {.content = skein_text("x")};

    begin(&r, state);
    same[0] = same[1] = r.ids[1];
    refused(&r, skein_delete(r.k.e, &r.k.how, none, r.k.mem, &v, &r.k.err), SKEIN_INVALID,
            "delete nothing");
    refused(&r, skein_reorder(r.k.e, &r.k.how, none, r.ids[0], r.k.mem, &v, &r.k.err),
            SKEIN_INVALID, "reorder nothing");
    refused(&r, delete (&r, r.ids[0]), SKEIN_INVALID, "delete twice");
    refused(&r, reorder(&r, r.ids[1]), SKEIN_INVALID, "reorder twice");
    refused(&r, reorder_before(&r, r.ids[1]), SKEIN_INVALID, "before itself");
    spec.sources = (skein_message_ids){same, 1};
    refused(&r, skein_squash_messages(r.k.e, &r.k.how, &spec, r.k.mem, &sq, &r.k.err),
            SKEIN_INVALID, "squash one");
    spec.sources.count = 2;
    refused(&r, skein_squash_messages(r.k.e, &r.k.how, &spec, r.k.mem, &sq, &r.k.err),
            SKEIN_INVALID, "squash twice");
    end(&r);
}

static void an_id_that_is_taken_is_a_conflict(void **state)
{
    room              r;
    skein_version     v;
    skein_messages    out;
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("theirs")};

    begin(&r, state);
    m.uid = r.theirs_uid; /* the same text, but it was said elsewhere */
    refused(&r, kit_append(&r.k, &m, 1, &out), SKEIN_CONFLICT, "append");
    assert_non_null(strstr(r.k.err.message, r.theirs_uid.p));
    refused(&r, skein_insert(r.k.e, &r.k.how, r.ids[1], &m, r.k.mem, &v, NULL, &r.k.err),
            SKEIN_CONFLICT, "insert");
    assert_non_null(strstr(r.k.err.message, r.theirs_uid.p));
    end(&r);
}

static void a_reply_to_another_conversation_is_no_link(void **state)
{
    room              r;
    skein_messages    out;
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("x")};

    begin(&r, state);
    m.reply_to = r.theirs_uid;
    KIT_OK(&r.k, kit_append(&r.k, &m, 1, &out));
    assert_int_equal(out.at[0].reply_to_id.v, 0);
    assert_non_null(strstr(out.at[0].warning.p, "another conversation"));
    kit_close(&r.k);
}

static void a_batch_with_one_bad_message_stores_none(void **state)
{
    room              r;
    skein_messages    out;
    skein_new_message m[3] = {
        {.role = SKEIN_USER, .content = skein_text("a")},
        {.role = SKEIN_USER, .content = skein_text("b")},
        {.role = SKEIN_TOOL, .content = skein_text("c"), .tool_call_id = skein_text("none")}};
    skein_str nobody_hears = skein_text("dan");

    begin(&r, state);
    refused(&r, kit_append(&r.k, m, 3, &out), SKEIN_CONFLICT, "a result without a call");
    assert_int_equal(out.count, 2); /* the index of the one that cannot be stored */
    m[1].heard_by = &nobody_hears;
    m[1].heard_by_count = 1;
    m[1].heard_by_given = true;
    refused(&r, kit_append(&r.k, m, 2, &out), SKEIN_NOT_FOUND, "an agent that is not here");
    assert_int_equal(out.count, 1);
    m[0].content = skein_text("");
    refused(&r, kit_append(&r.k, m, 1, &out), SKEIN_INVALID, "no text");
    assert_int_equal(out.count, 0);
    refused(&r, kit_append(&r.k, m, 0, &out), SKEIN_LIMIT, "no message");
    end(&r);
}

/* --- Versions, conversations, worlds, agents, lanes ------------------------------------------------------- */

static void a_version_that_is_not_there_is_not_found(void **state)
{
    room               r;
    skein_version      v;
    skein_move         move;
    skein_conversation c;
    skein_diff         diff;
    skein_messages     m;
    skein_timelines   *t;
    skein_slice        what = {0};

    begin(&r, state);
    what.conversation = r.k.chat.id;
    for (int64_t n = -1; n <= 3; n += 4) {
        what.version = n;
        refused(&r, skein_switch(r.k.e, &r.k.how, n, r.k.mem, &move, &r.k.err), SKEIN_NOT_FOUND,
                "switch");
        refused(&r, skein_restore(r.k.e, &r.k.how, n, r.k.mem, &v, &r.k.err), SKEIN_NOT_FOUND,
                "restore");
        refused(&r, skein_branch(r.k.e, &r.k.how, n, -1, (skein_str){0}, r.k.mem, &c, &r.k.err),
                SKEIN_NOT_FOUND, "branch");
        refused(&r, skein_diff_versions(r.k.e, r.k.chat.id, 1, n, r.k.mem, &diff, &r.k.err),
                SKEIN_NOT_FOUND, "diff");
        refused(&r, skein_read(r.k.e, &what, r.k.mem, &m, NULL, &r.k.err), SKEIN_NOT_FOUND,
                "read");
        refused(&r, skein_timeline_read(r.k.e, r.k.chat.id, n, &t, &r.k.err), SKEIN_NOT_FOUND,
                "timeline");
    }
    refused(&r, skein_branch(r.k.e, &r.k.how, 1, 3, (skein_str){0}, r.k.mem, &c, &r.k.err),
            SKEIN_INVALID, "branch behind the end");
    refused(&r, skein_switch(r.k.e, &r.k.how, 2, r.k.mem, &move, &r.k.err), SKEIN_NOTHING,
            "switch to the current one");
    end(&r);
}

/* Every call that takes a conversation, on one that is not there or no longer there. */
static void no_such_conversation(room *r, skein_conversation_id id)
{
    skein_conversation c;
    skein_lanes        lanes;
    skein_move         move;
    skein_versions     versions;
    skein_messages     out;
    int64_t            erased;
    skein_new_message  m = {.role = SKEIN_USER, .content = skein_text("x")};
    bool               hidden = id.v == r->other.id.v; /* it can still be read, and erased */
    skein_rc           why = hidden ? SKEIN_ARCHIVED : SKEIN_NOT_FOUND;

    r->k.how.conversation = id;
    for (size_t i = 0; i < COUNT(uses) - (hidden ? 3 : 0); i++)
        refused(r, uses[i].run(r, r->theirs), why, uses[i].name);
    refused(r, kit_append(&r->k, &m, 1, &out), why, "append");
    refused(r, skein_undo(r->k.e, &r->k.how, 1, r->k.mem, &move, &r->k.err), why, "undo");
    refused(r, skein_switch(r->k.e, &r->k.how, 1, r->k.mem, &move, &r->k.err), why, "switch");
    if (!hidden)
        refused(r, skein_purge_unreachable(r->k.e, &r->k.how, &erased, &r->k.err), why,
                "purge unreachable");
    refused(r, skein_conversation_remove(r->k.e, id, false, &r->k.err), why, "remove");
    refused(r, skein_world_set_chat(r->k.e, r->k.world.id, id, &r->k.err), why, "make current");
    refused(r, skein_branch(r->k.e, &r->k.how, 0, -1, (skein_str){0}, r->k.mem, &c, &r->k.err),
            why, "branch");
    if (!hidden) {
        refused(r, skein_conversation_get(r->k.e, id, r->k.mem, &c, &r->k.err), SKEIN_NOT_FOUND,
                "get");
        refused(r, skein_history(r->k.e, id, r->k.mem, &versions, &r->k.err), SKEIN_NOT_FOUND,
                "history");
        refused(r, skein_lane_list(r->k.e, id, r->k.mem, &lanes, &r->k.err), SKEIN_NOT_FOUND,
                "lanes");
    }
}

static void a_conversation_that_is_not_there_is_not_found(void **state)
{
    room r;

    begin(&r, state);
    no_such_conversation(&r, (skein_conversation_id){99999});
    end(&r);
}

static void an_archived_conversation_is_read_and_takes_no_change(void **state)
{
    room               r;
    skein_conversation c;

    begin(&r, state);
    KIT_OK(&r.k, skein_conversation_remove(r.k.e, r.other.id, false, &r.k.err));
    no_such_conversation(&r, r.other.id);
    KIT_OK(&r.k,
           skein_conversation_find(r.k.e, r.k.world.id, r.other.uid, r.k.mem, &c, &r.k.err));
    assert_true(c.archived);
    end(&r);
}

static void a_world_or_agent_that_is_not_there_is_not_found(void **state)
{
    room               r;
    skein_conversation c;
    skein_world_id     world = {99999};
    skein_agent        a = {.world = world, .name = skein_text("new")};
    skein_agent        led = {.name = skein_text("new"), .lead_name = skein_text("dan")};

    begin(&r, state);
    led.world = r.k.world.id;
    refused(&r, skein_chat_new(r.k.e, world, skein_text("x"), r.k.mem, &c, &r.k.err),
            SKEIN_NOT_FOUND, "chat");
    refused(&r, skein_agent_new(r.k.e, &a, r.k.mem, &r.k.err), SKEIN_NOT_FOUND, "agent");
    refused(&r, skein_agent_new(r.k.e, &led, r.k.mem, &r.k.err), SKEIN_NOT_FOUND, "lead");
    refused(&r, skein_world_remove(r.k.e, world, false, &r.k.err), SKEIN_NOT_FOUND, "remove");
    refused(&r, skein_world_set_chat(r.k.e, world, (skein_conversation_id){0}, &r.k.err),
            SKEIN_NOT_FOUND, "session off");
    refused(&r, skein_agent_remove(r.k.e, (skein_agent_id){99999}, false, &r.k.err),
            SKEIN_NOT_FOUND, "remove agent");
    refused(&r,
            skein_conversation_of(r.k.e, (skein_agent_id){99999}, SKEIN_FOREGROUND, r.k.mem, &c,
                                  &r.k.err),
            SKEIN_NOT_FOUND, "foreground");
    refused(&r,
            skein_conversation_of(r.k.e, r.k.agent[0].id, SKEIN_CHAT, r.k.mem, &c, &r.k.err),
            SKEIN_USAGE, "an agent's chat");
    end(&r);
}

static void a_name_that_is_taken_is_a_conflict(void **state)
{
    room        r;
    skein_world w = {.name = skein_text("LAB")};
    skein_agent a = {.name = skein_text("Ada")}, human = {.name = skein_text("human")};

    begin(&r, state);
    a.world = human.world = r.k.world.id;
    refused(&r, skein_world_new(r.k.e, &w, r.k.mem, &r.k.err), SKEIN_CONFLICT, "world");
    refused(&r, skein_agent_new(r.k.e, &a, r.k.mem, &r.k.err), SKEIN_CONFLICT, "agent");
    refused(&r, skein_agent_new(r.k.e, &human, r.k.mem, &r.k.err), SKEIN_INVALID, "human");
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_message_that_is_not_there_is_not_found),
        SKN_BOTH(a_message_of_another_conversation_is_not_found),
        SKN_BOTH(no_message_and_the_same_one_twice_are_refused),
        SKN_BOTH(an_id_that_is_taken_is_a_conflict),
        SKN_BOTH(a_reply_to_another_conversation_is_no_link),
        SKN_BOTH(a_batch_with_one_bad_message_stores_none),
        SKN_BOTH(a_version_that_is_not_there_is_not_found),
        SKN_BOTH(a_conversation_that_is_not_there_is_not_found),
        SKN_BOTH(an_archived_conversation_is_read_and_takes_no_change),
        SKN_BOTH(a_world_or_agent_that_is_not_there_is_not_found),
        SKN_BOTH(a_name_that_is_taken_is_a_conflict),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
