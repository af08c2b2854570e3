/* test_lists.c: what the HTTP API asks of the engine beside its commands: other instructions for a
 * message, an empty memory, and things by other names than their place. */
#include "store/kit.h"

/* --- Other instructions ------------------------------------------------------------------- */

static void other_instructions_make_another_message_in_the_same_place(void **state)
{
    kit               k;
    skein_version     v;
    skein_message     m, now;
    skein_messages    list;
    skein_instruction wanted[] = {{skein_text("Source.Agent"), skein_text("bo")},
                                  {skein_text("ResponseExpected"), skein_text("ada")}};
    skein_slice       room = {.version = 0};

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    m = kit_say(&k, SKEIN_USER, "human", "two");
    kit_say(&k, SKEIN_USER, "human", "three");
    KIT_OK(&k, skein_retag(k.e, &k.how, m.id, wanted, 2, k.mem, &v, &now, &k.err));
    assert_int_equal(v.number, 2);
    assert_int_equal(now.position, 1);
    assert_int_equal(now.version_of.v, m.id.v);
    assert_string_equal(kit_texts(&k, "main", 0), "one two three");
    assert_string_equal(kit_texts(&k, "@ada", 0), "one two three");
    room.conversation = k.chat.id;
    KIT_OK(&k, skein_read(k.e, &room, k.mem, &list, NULL, &k.err));
    assert_int_equal(list.at[1].instruction_count,
                     1); /* who wrote it is not for clients to say */
    assert_string_equal(list.at[1].instructions[0].type.p, "ResponseExpected");
    assert_string_equal(list.at[1].instructions[0].target.p, "ada");
    kit_check(&k);
    kit_close(&k);
}

static void the_same_key_tags_a_message_once(void **state)
{
    kit               k;
    skein_version     first, again;
    skein_message     m;
    skein_instruction a = {skein_text("a"), {NULL, 0}}, b = {skein_text("b"), {NULL, 0}};

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "one");
    k.how.key = skein_text("key");
    KIT_OK(&k, skein_retag(k.e, &k.how, m.id, &a, 1, k.mem, &first, NULL, &k.err));
    KIT_OK(&k, skein_retag(k.e, &k.how, m.id, &a, 1, k.mem, &again, NULL, &k.err));
    assert_int_equal(first.number, again.number);
    assert_int_equal(skein_retag(k.e, &k.how, m.id, &b, 1, k.mem, &again, NULL, &k.err),
                     SKEIN_CONFLICT);
    kit_close(&k);
}

/* --- An empty memory ----------------------------------------------------------------------- */

static void a_memory_is_emptied_and_the_rest_stays(void **state)
{
    kit           k;
    skein_version v;
    skein_move    move;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "two");
    KIT_OK(&k, skein_forget(k.e, &k.how, k.agent[1].id, k.mem, &v, &k.err));
    assert_string_equal(kit_texts(&k, "@bo", 0), "");
    assert_string_equal(kit_texts(&k, "@ada", 0), "one two");
    assert_string_equal(kit_texts(&k, "main", 0), "one two");
    kit_say(&k, SKEIN_USER, "human", "three");
    assert_string_equal(kit_texts(&k, "@bo", 0), "three");
    kit_valid(&k);
    kit_check(&k);
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_string_equal(kit_texts(&k, "@bo", 0), "one two");
    kit_check(&k);
    kit_close(&k);
}

static void emptying_an_empty_memory_changes_nothing(void **state)
{
    kit           k;
    skein_version v;
    const char   *before;

    kit_open(&k, state);
    before = kit_state(&k);
    assert_int_equal(skein_forget(k.e, &k.how, k.agent[0].id, k.mem, &v, &k.err),
                     SKEIN_NOTHING);
    assert_string_equal(kit_state(&k), before);
    kit_say(&k, SKEIN_USER, "human", "one");
    before = kit_state(&k);
    k.how.dry_run = true;
    KIT_OK(&k, skein_forget(k.e, &k.how, k.agent[0].id, k.mem, &v, &k.err));
    assert_int_equal(v.number, 0);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

/* --- By other names ------------------------------------------------------------------------ */

static void a_message_is_found_in_its_own_world_alone(void **state)
{
    kit                k;
    skein_world        other = {.name = skein_text("other")};
    skein_message      m, found;
    skein_conversation home;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "one");
    KIT_OK(&k, skein_message_in_world(k.e, k.world.id, m.uid, k.mem, &found, &home, &k.err));
    assert_int_equal(found.id.v, m.id.v);
    assert_int_equal(home.id.v, k.chat.id.v);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    assert_int_equal(skein_message_in_world(k.e, other.id, m.uid, k.mem, &found, &home, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(skein_message_in_world(k.e, k.world.id, skein_text("nobody"), k.mem,
                                            &found, &home, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static skein_squash squash_two(kit *k)
{
    skein_message_id  ids[2] = {kit_say(k, SKEIN_USER, "human", "a").id,
                                kit_say(k, SKEIN_USER, "human", "b").id};
    skein_squash_spec spec = {.sources = {ids, 2}, .content = skein_text("both")};
    skein_squash      out;

    KIT_OK(k, skein_squash_messages(k->e, &k->how, &spec, k->mem, &out, &k->err));
    return out;
}

static void squashes_are_listed_newest_first(void **state)
{
    kit          k;
    skein_squash one, two;
    skein_uids   list;

    kit_open(&k, state);
    KIT_OK(&k, skein_squash_list(k.e, k.chat.id, 0, k.mem, &list, &k.err));
    assert_int_equal(list.count, 0);
    one = squash_two(&k);
    two = squash_two(&k);
    KIT_OK(&k, skein_squash_list(k.e, k.chat.id, 0, k.mem, &list, &k.err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.at[0].p, two.uid.p);
    assert_string_equal(list.at[1].p, one.uid.p);
    KIT_OK(&k, skein_squash_list(k.e, k.chat.id, 1, k.mem, &list, &k.err));
    assert_int_equal(list.count, 1);
    kit_close(&k);
}

/* --- Summaries, and what was seen once ------------------------------------------------------ */

static void summarise(kit *k, const char *text)
{
    skein_compaction what = {.content = skein_text(text)};
    skein_message    m;
    int64_t          covers;

    KIT_OK(k, skein_compact(k->e, k->chat.id, &what, k->mem, &m, &covers, &k->err));
}

static void summaries_are_listed_newest_first(void **state)
{
    kit             k;
    skein_slice     room = {.version = 0};
    skein_summaries list;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    summarise(&k, "first");
    kit_say(&k, SKEIN_USER, "human", "two");
    summarise(&k, "second");
    room.conversation = k.chat.id;
    KIT_OK(&k, skein_summary_list(k.e, &room, k.mem, &list, &k.err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.at[0].message.content.p, "second");
    assert_int_equal(list.at[0].covers, 3);
    assert_string_equal(list.at[1].message.content.p, "first");
    assert_int_equal(list.at[1].covers, 1);
    room.agent = k.agent[0].id;
    KIT_OK(&k, skein_summary_list(k.e, &room, k.mem, &list, &k.err));
    assert_int_equal(list.count, 0);
    kit_close(&k);
}

static skein_context context_at(kit *k, int64_t length)
{
    skein_slice   what = {.conversation = k->chat.id, .count = length};
    skein_context c;

    KIT_OK(k, skein_context_read(k->e, &what, k->mem, &c, &k->err));
    return c;
}

static void a_context_as_it_was_knows_no_later_summary(void **state)
{
    kit           k;
    skein_context c;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    kit_say(&k, SKEIN_USER, "human", "two");
    summarise(&k, "sum");
    kit_say(&k, SKEIN_USER, "human", "three");
    c = context_at(&k, 2); /* before the summary, though it covers no more than this */
    assert_null(c.summary_uid.p);
    assert_int_equal(c.stored, 2);
    c = context_at(&k, 3);
    assert_non_null(c.summary_uid.p);
    assert_int_equal(c.covered, 2);
    assert_int_equal(c.stored, 1);
    c = context_at(&k, 0);
    assert_int_equal(c.stored, 2);
    c = context_at(&k, 100);
    assert_int_equal(c.stored, 2);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(other_instructions_make_another_message_in_the_same_place),
        SKN_BOTH(the_same_key_tags_a_message_once),
        SKN_BOTH(a_memory_is_emptied_and_the_rest_stays),
        SKN_BOTH(emptying_an_empty_memory_changes_nothing),
        SKN_BOTH(a_message_is_found_in_its_own_world_alone),
        SKN_BOTH(squashes_are_listed_newest_first),
        SKN_BOTH(summaries_are_listed_newest_first),
        SKN_BOTH(a_context_as_it_was_knows_no_later_summary),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
