/* Files that messages carry: kept once, gone with the last that carries them. */
#include "store/fsck_kit.h"

#define SECRET "xyzzyplugh"

static skein_attachment add(kit *k, const char *bytes)
{
    skein_attachment f = {.name = skein_text("a.txt")};

    KIT_OK(k, skein_attachment_add(k->e, k->world.id, skein_text(bytes), &f, k->mem, &k->err));
    return f;
}

static void carry(kit *k, skein_message_id message, const skein_attachment *f)
{
    char sql[400];

    snprintf(sql, sizeof sql,
             "INSERT INTO carried(attachment_id, message_id) SELECT id, %lld FROM attachments "
             "WHERE hash = '%s' AND world_id = %lld",
             (long long)message.v, f->id.p, (long long)k->world.id.v);
    skn_fixture_sql(k->fx, sql);
}

static void purge(kit *k, skein_message_id id)
{
    int64_t erased;

    KIT_OK(k, skein_purge(k->e, &k->how, (skein_message_ids){&id, 1}, &erased, &k->err));
    assert_int_equal(erased, 1);
}

static int64_t count(kit *k, const char *table)
{
    char sql[100];

    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    return skn_fixture_number(k->fx, sql);
}

static void equal_bytes_are_kept_once(void **state)
{
    kit              k;
    skein_world      other = {.name = skein_text("other")};
    skein_attachment a, b = {.name = skein_text("b.txt")}, c;
    skein_str        bytes;

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    a = add(&k, "hello");
    KIT_OK(&k, skein_attachment_add(k.e, other.id, skein_text("hello"), &b, k.mem, &k.err));
    assert_int_equal(count(&k, "blobs"), 1);
    assert_int_equal(count(&k, "attachments"), 2);
    KIT_OK(&k, skein_attachment_read(k.e, k.world.id, a.id, 1, 3, k.mem, &c, &bytes, &k.err));
    assert_string_equal(c.name.p, "a.txt");
    assert_int_equal(bytes.n, 3);
    assert_memory_equal(bytes.p, "ell", 3);
    kit_check(&k);
    kit_close(&k);
}

static void a_file_goes_with_the_last_message_that_carries_it(void **state)
{
    kit              k;
    skein_attachment f, kept;
    skein_message    one, two;

    kit_open(&k, state);
    f = add(&k, "the word is " SECRET);
    kept = add(&k, "something else");
    one = kit_say(&k, SKEIN_USER, "human", "one");
    two = kit_say(&k, SKEIN_USER, "human", "two");
    carry(&k, one.id, &f);
    carry(&k, two.id, &f);
    carry(&k, two.id, &kept);
    carry(&k, kit_say(&k, SKEIN_USER, "human", "three").id, &kept);
    purge(&k, one.id);
    assert_int_equal(count(&k, "blobs"), 2);
    purge(&k, two.id);
    assert_int_equal(count(&k, "blobs"), 1);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    kit_check(&k);
    kit_close(&k);
}

static void what_nobody_carries_goes_after_a_time(void **state)
{
    kit              k;
    skein_attachment f, kept;

    kit_open(&k, state);
    f = add(&k, "one");
    kept = add(&k, "two");
    carry(&k, kit_say(&k, SKEIN_USER, "human", "hi").id, &kept);
    KIT_OK(&k, skein_attachments_collect(k.e, f.created_at - 1, &k.err));
    assert_int_equal(count(&k, "blobs"), 2);
    KIT_OK(&k, skein_attachments_collect(k.e, INT64_MAX, &k.err));
    assert_int_equal(count(&k, "blobs"), 1);
    assert_int_equal(skein_attachment_get(k.e, k.world.id, f.id, k.mem, &f, &k.err),
                     SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_attachment_get(k.e, k.world.id, kept.id, k.mem, &f, &k.err));
    kit_check(&k);
    kit_close(&k);
}

static void damage(void **state, const char *sql, const char *invariant, const char *text)
{
    kit k;

    kit_open(&k, state);
    add(&k, "one");
    add(&k, "three");
    kit_check(&k);
    vandalise(&k, sql);
    expect_only(&k, invariant, text);
    done(&k);
}

static void other_bytes_are_found(void **state)
{
    damage(state, "UPDATE blobs SET bytes = (SELECT b.bytes FROM blobs b WHERE b.size = 3)",
           "unchanged", "are not its own");
}

static void missing_bytes_are_found(void **state)
{
    damage(state, "DELETE FROM blobs WHERE size = 5", "references", "are missing");
}

static void bytes_of_no_world_are_found(void **state)
{
    damage(state, "DELETE FROM attachments WHERE size = 5", "references", "are of no world");
}

static void a_file_that_is_not_there_is_found(void **state)
{
    damage(state, "INSERT INTO carried(attachment_id, message_id) VALUES(77, 77)", "references",
           "of another world or not there");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(equal_bytes_are_kept_once),
        SKN_BOTH(a_file_goes_with_the_last_message_that_carries_it),
        SKN_BOTH(what_nobody_carries_goes_after_a_time),
        SKN_BOTH(other_bytes_are_found),
        SKN_BOTH(missing_bytes_are_found),
        SKN_BOTH(bytes_of_no_world_are_found),
        SKN_BOTH(a_file_that_is_not_there_is_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
