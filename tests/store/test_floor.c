/* What the store's own speed is measured against, and the ids that inserts give. */
#include "kit.h"

#include "engine/engine.h"

#include <sys/stat.h>

static void the_floor_takes_time_and_leaves_no_row(void **state)
{
    kit     k;
    int64_t before, nanos = 0;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    before = skn_fixture_number(k.fx, "SELECT count(*) FROM messages");
    KIT_OK(&k, skn_floor_measure(k.e, k.chat.id, SKN_STR("row"), 7, &nanos, &k.err));
    assert_true(nanos > 0);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM messages"), before);
    assert_string_equal(kit_texts(&k, "main", 0), "one");
    kit_check(&k);
    kit_close(&k);
}

static void a_floor_of_no_rows_brings_the_log_into_the_file(void **state)
{
    kit         k;
    int64_t     nanos = 1;
    struct stat before, after;

    kit_open(&k, state);
    for (int i = 0; i < 100; i++)
        kit_say(&k, SKEIN_USER, "human", "something that stays in the log for now");
    assert_int_equal(stat(k.fx->path, &before), 0);
    KIT_OK(&k, skn_floor_measure(k.e, k.chat.id, SKN_NONE, 0, &nanos, &k.err));
    assert_int_equal(stat(k.fx->path, &after), 0);
    assert_true(after.st_size > before.st_size);
    assert_int_equal(nanos, 0);
    kit_close(&k);
}

static void a_floor_row_needs_a_conversation(void **state)
{
    kit     k;
    int64_t nanos;

    kit_open(&k, state);
    assert_int_not_equal(skn_floor_measure(k.e, (skein_conversation_id){987654}, SKN_STR("row"),
                                           1, &nanos, &k.err),
                         SKEIN_OK);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM messages"), 0);
    kit_close(&k);
}

static void a_store_opened_for_reading_has_no_floor(void **state)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *reader;
    kit           k;
    int64_t       nanos;

    kit_open(&k, state);
    options.store = skein_text(k.fx->address);
    options.read_only = true;
    KIT_OK(&k, skein_open(&reader, &options, &k.err));
    assert_int_equal(skn_floor_measure(reader, k.chat.id, SKN_STR("row"), 1, &nanos, &k.err),
                     SKEIN_READ_ONLY);
    skein_close(reader);
    kit_close(&k);
}

/* --- Ids of inserted rows ------------------------------------------------------------------- */

typedef struct twice {
    int64_t conversation;
    int64_t first, again; /* ids */
} twice;

static skein_rc insert_twice(skn_tx *tx, void *arg, skein_error *err)
{
    twice       *t = arg;
    skn_lane_row row = {.conversation_id = t->conversation, .key = SKN_STR("main.7")};
    skein_rc     rc = skn_lane_insert(tx, &row, 1, &t->first, err);

    return rc ? rc : skn_lane_insert(tx, &row, 1, &t->again, err);
}

static void an_insert_gives_the_id_of_its_row_or_none(void **state)
{
    kit   k;
    twice t = {.again = -1};

    kit_open(&k, state);
    t.conversation = k.chat.id.v;
    KIT_OK(&k, skn_store_write(k.fx->store, insert_twice, &t, &k.err));
    assert_int_equal(skn_fixture_number(k.fx, "SELECT id FROM lanes WHERE key = 'main.7'"),
                     t.first);
    assert_int_equal(t.again, 0);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(the_floor_takes_time_and_leaves_no_row),
        SKN_ON_SQLITE(a_floor_of_no_rows_brings_the_log_into_the_file),
        SKN_BOTH(a_floor_row_needs_a_conversation),
        SKN_BOTH(a_store_opened_for_reading_has_no_floor),
        SKN_BOTH(an_insert_gives_the_id_of_its_row_or_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
