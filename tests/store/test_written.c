/* test_written.c: what agents are writing, saved as it comes: kept once when their program goes away or somebody stops
 * them, and never beside what they have stored. */
#include "base/str.h"
#include "store/fsck_kit.h"
#include "store/work_kit.h"

static skein_piece piece_of(const skein_turn *t, int64_t place, const char *text)
{
    return (skein_piece){.turn = t->id,
                         .fence = t->fence,
                         .message_uid = t->message_uid,
                         .place = place,
                         .text = skein_text(text)};
}

static bool save(kit *k, const skein_turn *t, int64_t place, const char *text)
{
    skein_piece p = piece_of(t, place, text);

    KIT_OK(k, skein_turns_save(k->e, &p, 1, &k->err));
    return p.saved;
}

static int64_t rows(kit *k)
{
    return skn_fixture_number(k->fx, "SELECT count(*) FROM written");
}

/* The lease of every turn has run out, and somebody looks. */
static int64_t recover(kit *k)
{
    int64_t closed;

    skn_fixture_sql(k->fx, "UPDATE turns SET lease_until = 1");
    KIT_OK(k, skein_turns_recover(k->e, false, &closed, &k->err));
    return closed;
}

/* The last message of the main lane. */
static skein_message last(kit *k)
{
    skein_message m;

    KIT_OK(k, skein_message_find(k->e, k->chat.id, 0, skein_text("@"), k->mem, &m, &k->err));
    return m;
}

static void words_of_a_turn_that_was_left_are_kept_once(void **state)
{
    kit         k;
    skein_turn  t;
    skein_piece two[2];
    int64_t     before;

    kit_open(&k, state);
    post(&k, "@ada tell");
    t = begin(&k, "ada");
    before = newest(&k);
    two[0] = piece_of(&t, 0, "Once upon");
    two[1] = piece_of(&t, 0, "hm");
    two[1].thinking = true;
    KIT_OK(&k, skein_turns_save(k.e, two, 2, &k.err));
    assert_true(two[0].saved && two[1].saved);
    assert_true(save(&k, &t, 9, " a ti"));
    assert_true(save(&k, &t, 9, " a time")); /* the same again, with what has come since */
    assert_int_equal(newest(&k), before);
    assert_int_equal(recover(&k), 1);
    assert_string_equal(told(&k, before),
                        "message.completed message.failed message.delivered agent.state "
                        "world.idle");
    says(&k, before, "message.completed", "\"finishReason\":\"cut\"");
    says(&k, before, "message.completed", t.message_uid.p);
    says(&k, before, "message.failed", "\"finishReason\":\"interrupted\"");
    assert_string_equal(kit_texts(&k, "main", 0), "@ada tell Once upon a time");
    assert_int_equal(last(&k).unfinished, SKEIN_CUT);
    assert_string_equal(last(&k).thinking.p, "hm");
    assert_int_equal(recover(&k), 0);
    assert_false(save(&k, &t, 16, " late"));
    assert_int_equal(rows(&k), 0);
    kit_valid(&k);
    kit_check(&k);
    kit_close(&k);
}

static void what_is_stored_is_not_kept_beside_it(void **state)
{
    kit               k;
    skein_turn        t, before;
    skein_new_message m = {.role = SKEIN_ASSISTANT, .content = skein_text("whole")};
    skein_step        s = {.message = &m, .tokens_in = -1, .tokens_out = -1};

    kit_open(&k, state);
    post(&k, "@ada tell");
    before = t = begin(&k, "ada");
    assert_true(save(&k, &t, 0, "who"));
    KIT_OK(&k, skein_turn_step(k.e, &t, &s, k.mem, NULL, &k.err));
    assert_int_equal(rows(&k), 0);
    assert_false(save(&k, &before, 3, "le"));
    assert_true(save(&k, &t, 0, "more"));
    s.last = true;
    KIT_OK(&k, skein_turn_step(k.e, &t, &s, k.mem, NULL, &k.err));
    assert_int_equal(rows(&k), 0);
    assert_int_equal(recover(&k), 0);
    assert_string_equal(kit_texts(&k, "main", 0), "@ada tell whole whole");
    kit_close(&k);
}

static void only_who_holds_the_turn_saves(void **state)
{
    kit        k;
    skein_turn t, other;

    kit_open(&k, state);
    post(&k, "@ada tell");
    other = t = begin(&k, "ada");
    other.fence--;
    assert_false(save(&k, &other, 0, "not mine"));
    assert_true(save(&k, &t, 0, "caf\xc3")); /* the rest of the character comes later */
    assert_true(save(&k, &t, 3, "\xc3\xa9"));
    assert_int_equal(recover(&k), 1);
    assert_string_equal(kit_texts(&k, "main", 0), "@ada tell caf\xc3\xa9");
    kit_close(&k);
}

static void who_stops_from_elsewhere_keeps_what_was_saved(void **state)
{
    kit           k;
    skein_turn    ada, bo;
    skein_partial newer = {.text = skein_text("bo says more")};
    skein_stop    stop = {.partials = &newer, .partial_count = 1};
    int64_t       stopped;

    kit_open(&k, state);
    post(&k, "@ada @bo tell");
    ada = begin(&k, "ada");
    bo = begin(&k, "bo");
    assert_true(save(&k, &ada, 0, "ada says"));
    assert_true(save(&k, &bo, 0, "bo says"));
    newer.turn = bo.id;
    stop.chat = k.chat.id;
    KIT_OK(&k, skein_work_stop(k.e, &stop, &stopped, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "@ada @bo tell ada says bo says more");
    assert_int_equal(last(&k).unfinished, SKEIN_STOPPED);
    assert_int_equal(rows(&k), 0);
    kit_close(&k);
}

static void a_change_by_force_leaves_the_words_in_the_older_version(void **state)
{
    kit           k;
    skein_posted  p;
    skein_turn    t;
    skein_partial newer = {.text = skein_text("a whole tale")};
    skein_stop    written = {.partials = &newer, .partial_count = 1};
    skein_removal r;

    kit_open(&k, state);
    p = post(&k, "@ada one");
    t = begin(&k, "ada");
    assert_true(save(&k, &t, 0, "a tale"));
    k.how.force = true;
    KIT_OK(&k,
           skein_edit(k.e, &k.how, p.message.id, skein_text("@ada two"), k.mem, &r, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "@ada two");
    assert_string_equal(kit_texts(&k, "main", 1), "@ada one a tale");
    p = post(&k, "@ada three");
    newer.turn = begin(&k, "ada").id;
    k.how.written = &written;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, p.message.id, true, k.mem, &r, &k.err));
    assert_string_equal(kit_texts(&k, "main", 0), "@ada two");
    assert_string_equal(kit_texts(&k, "main", 2), "@ada two @ada three a whole tale");
    assert_int_equal(rows(&k), 0);
    kit_check(&k);
    kit_close(&k);
}

static void what_came_before_an_erasure_is_erased_with_it(void **state)
{
    kit               k;
    skein_posted      p;
    skein_turn        t;
    skein_message_ids one;
    int64_t           erased;

    kit_open(&k, state);
    p = post(&k, "@ada secret");
    t = begin(&k, "ada");
    assert_true(save(&k, &t, 0, "the secret is"));
    one = (skein_message_ids){&p.message.id, 1};
    KIT_OK(&k, skein_purge(k.e, &k.how, one, &erased, &k.err));
    assert_int_equal(rows(&k), 0);
    assert_true(save(&k, &t, 13, " out")); /* behind a gap: nobody can say what it means */
    assert_int_equal(recover(&k), 1);
    assert_null(strstr(kit_texts(&k, "main", 0), "out"));
    assert_int_equal(rows(&k), 0);
    kit_check(&k);
    kit_close(&k);
}

static void words_that_belong_to_nobody_are_found(void **state)
{
    kit        k;
    skein_turn t;

    kit_open(&k, state);
    post(&k, "@ada tell");
    t = begin(&k, "ada");
    assert_true(save(&k, &t, 0, "a tale"));
    kit_check(&k);
    KIT_OK(&k, finish(&k, &t, "done"));
    vandalise(&k, "INSERT INTO written(turn_id, part, place, text) "
                  "SELECT id, 0, 0, 'left' FROM turns");
    expect_only(&k, "work-once", "being written, but it is not open");
    skn_fixture_sql(k.fx, "DELETE FROM written");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(words_of_a_turn_that_was_left_are_kept_once),
        SKN_BOTH(what_is_stored_is_not_kept_beside_it),
        SKN_BOTH(only_who_holds_the_turn_saves),
        SKN_BOTH(who_stops_from_elsewhere_keeps_what_was_saved),
        SKN_BOTH(a_change_by_force_leaves_the_words_in_the_older_version),
        SKN_BOTH(what_came_before_an_erasure_is_erased_with_it),
        SKN_BOTH(words_that_belong_to_nobody_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
