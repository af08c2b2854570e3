/* test_cases_remove.c: removing messages, sending others instead, and asking for the same
 * twice: the cases of docs/model.md. */
#include "store/kit.h"

#include <string.h>

#include <pthread.h>

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

static skein_rc remove_from(kit *k, skein_message_id id, bool user_only, skein_removal *out)
{
    return skein_remove_from(k->e, &k->how, id, user_only, k->mem, out, &k->err);
}

static void undo(kit *k)
{
    skein_move move;

    KIT_OK(k, skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err));
}

/* --- 14 and 15: removing ---------------------------------------------------------------------------- */

static int64_t gone_of(const skein_removal *r, const char *agent)
{
    for (size_t i = 0; i < r->by_agent_count; i++)
        if (strcmp(r->by_agent[i].name.p, agent) == 0)
            return r->by_agent[i].count;
    return -1;
}

static void who_never_heard_the_target_is_cut_as_well(void **state)
{
    kit           k;
    skein_message target;
    skein_removal r;

    kit_open(&k, state);
    say(&k, "one");
    kit_whisper(&k, "cy", "psst");
    target = kit_whisper(&k, "bo", "two");
    say(&k, "three");
    kit_whisper(&k, "cy", "four");
    KIT_OK(&k, remove_from(&k, target.id, true, &r));
    assert_string_equal(kit_texts(&k, "main", 0), "one psst");
    assert_string_equal(kit_texts(&k, "@ada", 0), "one");
    assert_string_equal(kit_texts(&k, "@bo", 0), "one");
    assert_string_equal(kit_texts(&k, "@cy", 0), "one psst");
    assert_int_equal(r.count, 3);
    assert_int_equal(r.by_agent_count, 3);
    assert_int_equal(gone_of(&r, "ada"), 1);
    assert_int_equal(gone_of(&r, "bo"), 2);
    assert_int_equal(gone_of(&r, "cy"), 2);
    assert_false(r.is_first);
    assert_string_equal(r.message_uid.p, target.uid.p);
    assert_int_equal(r.previous.number, 1);
    assert_int_equal(r.version.number, 2);

    undo(&k); /* all of them come back together */
    assert_string_equal(kit_texts(&k, "@ada", 0), "one three");
    assert_string_equal(kit_texts(&k, "@bo", 0), "one two three");
    assert_string_equal(kit_texts(&k, "@cy", 0), "one psst three four");
    kit_close(&k);
}

/* A message put between others is as old as its place, in every lane. */
static void a_removal_at_an_inserted_message_takes_nothing_before_it(void **state)
{
    kit               k;
    skein_message     two, three, in;
    skein_version     v;
    skein_removal     r;
    skein_str         bo = skein_text("bo");
    skein_new_message m = {.role = SKEIN_USER,
                           .content = skein_text("in"),
                           .heard_by = &bo,
                           .heard_by_count = 1,
                           .heard_by_given = true};

    kit_open(&k, state);
    say(&k, "one");
    two = kit_whisper(&k, "cy", "two");
    three = say(&k, "three");
    KIT_OK(&k, skein_insert(k.e, &k.how, three.id, &m, k.mem, &v, &in, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "one two in three");
    KIT_OK(&k, remove_from(&k, in.id, true, &r));
    assert_string_equal(kit_texts(&k, "main", 0), "one two");
    assert_string_equal(kit_texts(&k, "@bo", 0), "one");
    assert_string_equal(kit_texts(&k, "@cy", 0), "one two");
    assert_int_equal(gone_of(&r, "cy"), 1);
    undo(&k);
    KIT_OK(&k, remove_from(&k, two.id, true, &r)); /* which bo never heard */
    assert_string_equal(kit_texts(&k, "main", 0), "one");
    assert_string_equal(kit_texts(&k, "@bo", 0), "one");
    assert_int_equal(gone_of(&r, "bo"), 2);
    kit_close(&k);
}

static void a_refused_removal_changes_nothing(void **state)
{
    kit           k;
    skein_message mine, answer;
    skein_removal r;
    const char   *before;

    kit_open(&k, state);
    mine = say(&k, "one");
    answer = kit_reply(&k, "ada", "two", mine.uid);
    before = kit_state(&k);
    assert_int_equal(remove_from(&k, answer.id, true, &r), SKEIN_NOT_USER_MESSAGE);
    assert_int_equal(remove_from(&k, (skein_message_id){9999}, false, &r), SKEIN_NOT_FOUND);
    k.how.expect = (skein_at){kit_at(&k).thread, 1};
    assert_int_equal(remove_from(&k, mine.id, true, &r), SKEIN_VERSION_CHANGED);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

static void time_decides_nothing(void **state)
{
    kit               k;
    skein_messages    out;
    skein_removal     r;
    skein_new_message m[4] = {
        {.role = SKEIN_USER, .content = skein_text("late"), .created_at = 9000},
        {.role = SKEIN_USER, .content = skein_text("same"), .created_at = 1000},
        {.role = SKEIN_USER, .content = skein_text("target"), .created_at = 1000},
        {.role = SKEIN_USER, .content = skein_text("early"), .created_at = 500}};

    kit_open(&k, state);
    KIT_OK(&k, kit_append(&k, m, 4, &out));
    KIT_OK(&k, remove_from(&k, out.at[2].id, true, &r));
    assert_string_equal(kit_texts(&k, "main", 0), "late same");
    assert_string_equal(kit_texts(&k, "@bo", 0), "late same");
    assert_int_equal(r.count, 2);
    kit_close(&k);
}

/* --- 16: the same request twice --------------------------------------------------------------------- */

/* Whatever stood in the caller's memory is not part of the answer. */
static void a_repeated_removal_tells_of_no_new_message(void **state)
{
    kit           k;
    skein_message first;
    skein_removal one, two;

    kit_open(&k, state);
    say(&k, "zero");
    first = say(&k, "one");
    k.how.key = skein_text("click-2");
    memset(&one, 0xaa, sizeof one);
    KIT_OK(&k, remove_from(&k, first.id, true, &one));
    memset(&two, 0xaa, sizeof two);
    KIT_OK(&k, remove_from(&k, first.id, true, &two));
    assert_null(one.added.uid.p);
    assert_null(two.added.uid.p);
    assert_int_equal(two.version.number, one.version.number);
    assert_int_equal(two.count, one.count);
    kit_close(&k);
}

static void a_repeated_edit_sends_one_message(void **state)
{
    kit           k;
    skein_message first;
    skein_removal one, two;
    const char   *before;

    kit_open(&k, state);
    say(&k, "zero");
    first = say(&k, "one");
    say(&k, "two");
    k.how.key = skein_text("click-1");
    KIT_OK(&k, skein_edit(k.e, &k.how, first.id, skein_text("eins"), k.mem, &one, &k.err));
    before = kit_state(&k);
    KIT_OK(&k, skein_edit(k.e, &k.how, first.id, skein_text("eins"), k.mem, &two, &k.err));
    assert_string_equal(two.added.uid.p, one.added.uid.p);
    assert_int_equal(two.version.number, one.version.number);
    assert_int_equal(two.previous.number, one.previous.number);
    assert_string_equal(two.message_uid.p, first.uid.p);
    assert_int_equal(two.count, one.count);
    assert_int_equal(two.is_first, one.is_first);
    assert_int_equal(two.by_agent_count, one.by_agent_count);
    assert_int_equal(gone_of(&two, "bo"), gone_of(&one, "bo"));

    assert_int_equal(
        skein_edit(k.e, &k.how, first.id, skein_text("other"), k.mem, &two, &k.err),
        SKEIN_CONFLICT);
    assert_int_equal(remove_from(&k, one.added.id, true, &two), SKEIN_CONFLICT);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

static void every_change_can_be_repeated(void **state)
{
    kit               k;
    skein_message_id  ids[2];
    skein_version     v, again;
    skein_message     m, m_again;
    skein_squash      sq, sq_again;
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text("short")};
    skein_new_message n = {.role = SKEIN_USER, .content = skein_text("new")};

    kit_open(&k, state);
    ids[0] = say(&k, "one").id;
    k.how.key = skein_text("amend");
    KIT_OK(&k, skein_amend(k.e, &k.how, ids[0], skein_text("uno"), k.mem, &v, &m, &k.err));
    KIT_OK(&k, skein_amend(k.e, &k.how, ids[0], skein_text("uno"), k.mem, &again, &m_again,
                           &k.err));
    assert_int_equal(again.number, v.number);
    assert_int_equal(m_again.id.v, m.id.v);
    ids[0] = m.id;
    k.how.key = skein_text("insert");
    KIT_OK(&k, skein_insert(k.e, &k.how, ids[0], &n, k.mem, &v, &m, &k.err));
    KIT_OK(&k, skein_insert(k.e, &k.how, ids[0], &n, k.mem, &again, &m_again, &k.err));
    assert_int_equal(again.number, v.number);
    assert_int_equal(m_again.id.v, m.id.v);
    n.role = SKEIN_SYSTEM;
    assert_int_equal(skein_insert(k.e, &k.how, ids[0], &n, k.mem, &again, NULL, &k.err),
                     SKEIN_CONFLICT);
    ids[1] = m.id;
    k.how.key = skein_text("squash");
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &sq, &k.err));
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &sq_again, &k.err));
    assert_string_equal(sq_again.uid.p, sq.uid.p);
    assert_int_equal(sq_again.result.id.v, sq.result.id.v);
    assert_int_equal(sq_again.source_count, 2);
    assert_string_equal(kit_texts(&k, "main", 0), "short");
    assert_int_equal(kit_at(&k).length, 1);
    assert_int_equal(sq.version.number, 4);
    kit_close(&k);
}

static void a_refused_request_does_not_use_up_its_key(void **state)
{
    kit           k;
    skein_message m;
    skein_removal r;

    kit_open(&k, state);
    m = say(&k, "one");
    k.how.key = skein_text("click-1");
    KIT_OK(&k, skein_world_set_chat(k.e, k.world.id, (skein_conversation_id){0}, &k.err));
    assert_int_equal(skein_edit(k.e, &k.how, m.id, skein_text("eins"), k.mem, &r, &k.err),
                     SKEIN_SESSION_OFF);
    KIT_OK(&k, skein_world_set_chat(k.e, k.world.id, k.chat.id, &k.err));
    KIT_OK(&k, skein_edit(k.e, &k.how, m.id, skein_text("eins"), k.mem, &r, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "eins");
    kit_close(&k);
}

enum { CLICKS = 6 };

typedef struct click {
    kit             *k;
    skein_message_id of;
    int64_t          added;
} click;

static void *edit_once(void *arg)
{
    click        *c = arg;
    skein_mem    *mem = skein_mem_new();
    skein_error   err;
    skein_removal r;
    skein_change  how = {.conversation = c->k->chat.id, .key = skein_text("click")};

    if (!skein_edit(c->k->e, &how, c->of, skein_text("eins"), mem, &r, &err))
        c->added = r.added.id.v;
    skein_mem_free(mem);
    return NULL;
}

static void clicks_at_the_same_moment_make_one_message(void **state)
{
    kit              k;
    pthread_t        threads[CLICKS];
    click            clicks[CLICKS];
    skein_message_id one;

    kit_open(&k, state);
    one = say(&k, "one").id;
    for (int i = 0; i < CLICKS; i++) {
        clicks[i] = (click){&k, one, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, edit_once, &clicks[i]), 0);
    }
    for (int i = 0; i < CLICKS; i++)
        pthread_join(threads[i], NULL);
    assert_int_not_equal(clicks[0].added, 0);
    for (int i = 1; i < CLICKS; i++)
        assert_int_equal(clicks[i].added, clicks[0].added);
    assert_string_equal(kit_texts(&k, "main", 0), "eins");
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM versions"), 2);
    kit_close(&k);
}

static void a_message_with_an_id_is_stored_once(void **state)
{
    kit               k;
    skein_messages    first, again;
    const char       *before;
    skein_instruction tag = {.type = skein_text("ResponseExpected")};
    skein_new_message m = {
        .uid = skein_text("mine-1"), .role = SKEIN_USER, .content = skein_text("one")};

    kit_open(&k, state);
    KIT_OK(&k, kit_append(&k, &m, 1, &first));
    say(&k, "two");
    before = kit_state(&k);
    KIT_OK(&k, kit_append(&k, &m, 1, &again));
    assert_int_equal(again.at[0].id.v, first.at[0].id.v);
    assert_int_equal(again.at[0].created_at, first.at[0].created_at);
    m.content = skein_text("other");
    assert_int_equal(kit_append(&k, &m, 1, &again), SKEIN_CONFLICT);
    assert_non_null(strstr(k.err.message, "mine-1"));
    m.content = skein_text("one");
    m.sender = skein_text("somebody");
    assert_int_equal(kit_append(&k, &m, 1, &again), SKEIN_CONFLICT);
    m.sender = skein_text("human");
    m.instructions = &tag;
    m.instruction_count = 1;
    assert_int_equal(kit_append(&k, &m, 1, &again), SKEIN_CONFLICT);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

/* --- 18: between the removal and the new message ---------------------------------------------------- */

static void what_was_removed_comes_back_by_undo(void **state)
{
    kit           k;
    skein_message one;
    skein_removal r;

    kit_open(&k, state);
    one = say(&k, "one");
    kit_reply(&k, "ada", "two", one.uid);
    KIT_OK(&k, remove_from(&k, one.id, true, &r));
    assert_true(r.is_first);
    assert_string_equal(kit_texts(&k, "main", 0), "");
    undo(&k); /* the new message never came */
    assert_string_equal(kit_texts(&k, "main", 0), "one two");
    assert_string_equal(kit_texts(&k, "@cy", 0), "one two");
    kit_close(&k);
}

static skein_rc edit(kit *k, skein_message_id id, const char *text)
{
    skein_removal r;

    return skein_edit(k->e, &k->how, id, skein_text(text), k->mem, &r, &k->err);
}

static void a_refused_edit_changes_nothing(void **state)
{
    kit           k;
    skein_message one, answer;
    const char   *before;

    kit_open(&k, state);
    one = say(&k, "one");
    answer = kit_reply(&k, "ada", "two", one.uid);
    before = kit_state(&k);
    assert_int_equal(edit(&k, one.id, ""), SKEIN_INVALID);
    assert_int_equal(edit(&k, one.id, "\xff"), SKEIN_INVALID);
    assert_int_equal(edit(&k, answer.id, "new"), SKEIN_NOT_USER_MESSAGE);
    assert_int_equal(edit(&k, (skein_message_id){9999}, "new"), SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_world_set_chat(k.e, k.world.id, (skein_conversation_id){0}, &k.err));
    assert_int_equal(edit(&k, one.id, "new"), SKEIN_SESSION_OFF);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

static const char *const stop_sqlite =
    "CREATE TRIGGER stop BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'stopped'); END";
static const char *const stop_pg =
    "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'stopped'; END $$;"
    "CREATE TRIGGER stop BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION stop()";

static void an_edit_that_cannot_send_removes_nothing(void **state)
{
    kit           k;
    skein_message one;
    const char   *before;

    kit_open(&k, state);
    one = say(&k, "one");
    say(&k, "two");
    before = kit_state(&k);
    skn_fixture_sql(k.fx, k.fx->pg ? stop_pg : stop_sqlite);
    assert_int_not_equal(edit(&k, one.id, "new"), SKEIN_OK);
    assert_string_equal(kit_state(&k), before);
    skn_fixture_sql(k.fx, k.fx->pg ? "DROP TRIGGER stop ON messages" : "DROP TRIGGER stop");
    KIT_OK(&k, edit(&k, one.id, "new"));
    assert_string_equal(kit_texts(&k, "@bo", 0), "new");
    undo(&k);
    assert_string_equal(kit_texts(&k, "@bo", 0), "one two");
    kit_close(&k);
}

/* The order of messages is that of the main lane: a lane that never got the target loses what stands behind it
 * there, and nothing else. */
static void a_removal_after_a_move_cuts_all_lanes_alike(void **state)
{
    kit           k;
    skein_message first, last, whisper;
    skein_version v;
    skein_removal r;

    kit_open(&k, state);
    first = say(&k, "one");
    say(&k, "two");
    whisper = kit_whisper(&k, "bo", "three");
    last = say(&k, "four");
    KIT_OK(&k, skein_reorder(k.e, &k.how, (skein_message_ids){&last.id, 1}, first.id, k.mem, &v,
                             &k.err));
    assert_string_equal(kit_texts(&k, "@ada", 0), "four one two");
    KIT_OK(&k, skein_remove_from(k.e, &k.how, whisper.id, false, k.mem, &r, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "four one two");
    assert_string_equal(kit_texts(&k, "@ada", 0), "four one two");
    assert_string_equal(kit_texts(&k, "@bo", 0), "four one two");
    kit_close(&k);
}

static void an_edited_message_goes_to_those_who_heard_it(void **state)
{
    kit           k;
    skein_message m;
    skein_removal r;

    kit_open(&k, state);
    say(&k, "one");
    m = kit_whisper(&k, "bo", "secret");
    KIT_OK(&k, skein_edit(k.e, &k.how, m.id, skein_text("hint"), k.mem, &r, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "one hint");
    assert_string_equal(kit_texts(&k, "@bo", 0), "one hint");
    assert_string_equal(kit_texts(&k, "@ada", 0), "one");
    kit_close(&k);
}

static void a_key_belongs_to_its_conversation(void **state)
{
    kit                k;
    skein_conversation other;
    skein_message      a, b;
    skein_version      v;

    kit_open(&k, state);
    a = say(&k, "here");
    k.how.key = skein_text("1");
    KIT_OK(&k, skein_amend(k.e, &k.how, a.id, skein_text("HERE"), k.mem, &v, NULL, &k.err));
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("other"), k.mem, &other, &k.err));
    k.how.conversation = other.id;
    b = say(&k, "there");
    KIT_OK(&k, skein_amend(k.e, &k.how, b.id, skein_text("THERE"), k.mem, &v, NULL, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "THERE");
    kit_close(&k);
}

static void an_agent_that_joined_hears_what_is_inserted(void **state)
{
    kit               k;
    skein_agent       zoe;
    skein_message     m;
    skein_version     v;
    skein_new_message in = {.role = SKEIN_USER, .content = skein_text("in")};

    kit_open(&k, state);
    m = say(&k, "one");
    zoe = (skein_agent){.world = k.world.id, .name = skein_text("zoe")};
    KIT_OK(&k, skein_agent_new(k.e, &zoe, k.mem, &k.err));
    KIT_OK(&k, skein_insert(k.e, &k.how, m.id, &in, k.mem, &v, NULL, &k.err));
    assert_string_equal(kit_texts(&k, "@zoe", 0), "in");
    kit_close(&k);
}

static void an_undo_repeated_with_its_key_is_done_once(void **state)
{
    kit           k;
    skein_message m;
    skein_version v;
    skein_move    first, again;
    skein_change  keyed;

    kit_open(&k, state);
    m = say(&k, "one");
    KIT_OK(&k, skein_amend(k.e, &k.how, m.id, skein_text("two"), k.mem, &v, &m, &k.err));
    KIT_OK(&k, skein_amend(k.e, &k.how, m.id, skein_text("three"), k.mem, &v, &m, &k.err));
    keyed = k.how;
    keyed.key = skein_text("click");
    KIT_OK(&k, skein_undo(k.e, &keyed, 1, k.mem, &first, &k.err));
    KIT_OK(&k, skein_undo(k.e, &keyed, 1, k.mem, &again, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "two");
    assert_int_equal(again.to.number, first.to.number);
    assert_int_equal(again.from.number, 3);
    assert_string_equal(again.what.p, "amend");
    assert_int_equal(skein_redo(k.e, &keyed, 1, k.mem, &again, &k.err), SKEIN_CONFLICT);
    kit_close(&k);
}

static void a_removed_conversation_of_an_agent_is_made_anew(void **state)
{
    kit                k;
    skein_conversation old, fresh;
    skein_message_id   id;
    int64_t            erased;

    kit_open(&k, state);
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_FOREGROUND, k.mem, &old, &k.err));
    k.how.conversation = old.id;
    id = say(&k, "secret").id;
    KIT_OK(&k, skein_conversation_remove(k.e, old.id, false, &k.err));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&id, 1}, &erased, &k.err));
    assert_int_equal(erased, 1);
    KIT_OK(&k,
           skein_conversation_of(k.e, k.agent[0].id, SKEIN_FOREGROUND, k.mem, &fresh, &k.err));
    assert_int_not_equal(fresh.id.v, old.id.v);
    k.how.conversation = fresh.id;
    say(&k, "new");
    assert_string_equal(kit_texts(&k, "main", 0), "new");
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[0].id, false, &k.err));
    assert_int_equal(
        skein_conversation_of(k.e, k.agent[0].id, SKEIN_BACKGROUND, k.mem, &fresh, &k.err),
        SKEIN_NOT_FOUND);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_removal_after_a_move_cuts_all_lanes_alike),
        SKN_BOTH(an_edited_message_goes_to_those_who_heard_it),
        SKN_BOTH(a_key_belongs_to_its_conversation),
        SKN_BOTH(an_agent_that_joined_hears_what_is_inserted),
        SKN_BOTH(an_undo_repeated_with_its_key_is_done_once),
        SKN_BOTH(a_removed_conversation_of_an_agent_is_made_anew),
        SKN_BOTH(who_never_heard_the_target_is_cut_as_well),
        SKN_BOTH(a_removal_at_an_inserted_message_takes_nothing_before_it),
        SKN_BOTH(a_refused_removal_changes_nothing),
        SKN_BOTH(time_decides_nothing),
        SKN_BOTH(a_repeated_removal_tells_of_no_new_message),
        SKN_BOTH(a_repeated_edit_sends_one_message),
        SKN_BOTH(every_change_can_be_repeated),
        SKN_BOTH(a_refused_request_does_not_use_up_its_key),
        SKN_BOTH(clicks_at_the_same_moment_make_one_message),
        SKN_BOTH(a_message_with_an_id_is_stored_once),
        SKN_BOTH(what_was_removed_comes_back_by_undo),
        SKN_BOTH(a_refused_edit_changes_nothing),
        SKN_BOTH(an_edit_that_cannot_send_removes_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
