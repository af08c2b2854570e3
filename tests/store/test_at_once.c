/* test_at_once.c: what is changed as a whole: the tags of a world, the files of a conversation, and
 * things that must still be as they were read. */
#include "store/feed_kit.h"
#include "store/kit.h"

#include "base/arena.h"

#include <pthread.h>

/* --- Tags ---------------------------------------------------------------------------------------------- */

static skein_tag tag_of(const char *name, const char *control, bool active)
{
    return (skein_tag){.name = skein_text(name),
                       .control = skein_text(control),
                       .instruction = skein_text("X"),
                       .include_in_message = true,
                       .active = active};
}

/* "a:toggle+ b:button": + is active */
static void tags_are(kit *k, const char *wanted)
{
    skein_tags tags;
    char       got[200] = "";
    size_t     n = 0;

    KIT_OK(k, skein_tag_list(k->e, k->world.id, k->chat.id, k->mem, &tags, &k->err));
    for (size_t i = 0; i < tags.count && n < sizeof got; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s:%s%s", i ? " " : "",
                              tags.at[i].name.p, tags.at[i].control.p,
                              tags.at[i].active ? "+" : "");
    assert_string_equal(got, wanted);
}

static skein_rc replace(kit *k, skein_tag *tags, size_t count, const bool *touch, size_t *bad)
{
    skein_tags list = {tags, count};

    return skein_tag_replace(k->e, k->world.id, k->chat.id, &list, touch, bad, &k->err);
}

static void the_tags_of_a_world_become_those_that_are_given(void **state)
{
    kit       k;
    bool      all[] = {true, true, true}, one[] = {false, true};
    skein_tag first[] = {tag_of("a", "toggle", true), tag_of("b", "button", false),
                         tag_of("c", "choice", true)};
    skein_tag second[] = {tag_of("b", "toggle", true), tag_of("a", "toggle", false)};
    size_t    bad;
    int64_t   start;

    kit_open(&k, state);
    KIT_OK(&k, replace(&k, first, 3, all, &bad));
    tags_are(&k, "a:toggle+ b:button c:choice+");
    start = feed_newest(&k);
    KIT_OK(&k, replace(&k, first, 3, all, &bad)); /* nothing changes, nobody is told */
    assert_int_equal(feed_newest(&k), start);
    KIT_OK(&k, replace(&k, second, 2, NULL, NULL)); /* none is switched */
    tags_are(&k, "a:toggle+ b:toggle");
    start = feed_newest(&k);
    KIT_OK(&k, replace(&k, second, 2, one, &bad));
    tags_are(&k, "a:toggle b:toggle");
    FEED_TOLD(&k, start, "chat.updated");
    KIT_OK(&k, replace(&k, NULL, 0, NULL, &bad));
    tags_are(&k, "");
    kit_close(&k);
}

static void one_bad_tag_changes_none(void **state)
{
    kit       k;
    skein_tag good = tag_of("a", "toggle", false);
    skein_tag lever[] = {tag_of("b", "toggle", false), tag_of("c", "lever", false)};
    skein_tag twice[] = {tag_of("b", "toggle", false), tag_of("c", "button", false),
                         tag_of("b", "button", false)};
    size_t    bad;
    int64_t   start;

    kit_open(&k, state);
    KIT_OK(&k, replace(&k, &good, 1, NULL, &bad));
    start = feed_newest(&k);
    assert_int_equal(replace(&k, lever, 2, NULL, &bad), SKEIN_INVALID);
    assert_int_equal(bad, 1);
    assert_int_equal(replace(&k, twice, 3, NULL, &bad), SKEIN_INVALID);
    assert_int_equal(bad, 2);
    tags_are(&k, "a:toggle");
    assert_int_equal(feed_newest(&k), start);
    kit_close(&k);
}

static void more_tags_than_there_may_be_change_none(void **state)
{
    static char      names[257][8];
    static skein_tag tags[257];
    kit              k;
    size_t           bad;

    kit_open(&k, state);
    for (int i = 0; i < 257; i++) {
        snprintf(names[i], sizeof names[i], "t%d", i);
        tags[i] = tag_of(names[i], "toggle", false);
    }
    assert_int_equal(replace(&k, tags, 257, NULL, &bad), SKEIN_LIMIT);
    assert_int_equal(bad, 257);
    tags_are(&k, "");
    k.chat.id.v = 999;
    assert_int_equal(replace(&k, tags, 1, NULL, &bad), SKEIN_NOT_FOUND);
    kit_close(&k);
}

/* --- Files --------------------------------------------------------------------------------------------- */

static void files_are(kit *k, const char *wanted)
{
    skein_context_files f;
    char                got[200] = "";
    size_t              n = 0;

    KIT_OK(k, skein_context_file_list(k->e, k->chat.id, k->mem, &f, &k->err));
    for (size_t i = 0; i < f.count && n < sizeof got; i++)
        n += (size_t)snprintf(got + n, sizeof got - n, "%s%s:%zu", i ? " " : "", f.at[i].path.p,
                              f.at[i].item_count);
    assert_string_equal(got, wanted);
}

static void the_files_of_a_chat_become_those_that_are_given(void **state)
{
    kit                k;
    skein_str          items[] = {skein_text("1:2"), skein_text("f")};
    skein_context_file first[] = {{.path = skein_text("a.c"), .items = items, .item_count = 2},
                                  {.path = skein_text("b.c")}};
    skein_context_file second[] = {
        {.path = skein_text("c.c")},
        {.path = skein_text("a.c"), .items = items, .item_count = 1}};
    skein_context_files list = {first, 2};
    size_t              bad;
    int64_t             start;

    kit_open(&k, state);
    KIT_OK(&k, skein_context_file_replace(k.e, k.chat.id, &list, &bad, &k.err));
    files_are(&k, "a.c:2 b.c:0");
    start = feed_newest(&k);
    KIT_OK(&k, skein_context_file_replace(k.e, k.chat.id, &list, NULL, &k.err));
    assert_int_equal(feed_newest(&k), start);
    list.at = second;
    KIT_OK(&k, skein_context_file_replace(k.e, k.chat.id, &list, &bad, &k.err));
    files_are(&k, "a.c:1 c.c:0");
    FEED_TOLD(&k, start, "chat.updated chat.updated chat.updated");
    kit_close(&k);
}

static void one_bad_file_changes_none(void **state)
{
    kit                 k;
    skein_context_file  good = {.path = skein_text("a.c")};
    skein_context_file  wrong[] = {{.path = skein_text("b.c")}, {.path = skein_text("x\ny")}};
    skein_context_file  twice[] = {{.path = skein_text("b.c")}, {.path = skein_text("b.c")}};
    skein_context_files list = {&good, 1};
    size_t              bad;

    kit_open(&k, state);
    KIT_OK(&k, skein_context_file_replace(k.e, k.chat.id, &list, &bad, &k.err));
    list = (skein_context_files){wrong, 2};
    assert_int_equal(skein_context_file_replace(k.e, k.chat.id, &list, &bad, &k.err),
                     SKEIN_INVALID);
    assert_int_equal(bad, 1);
    list.at = twice;
    assert_int_equal(skein_context_file_replace(k.e, k.chat.id, &list, &bad, &k.err),
                     SKEIN_INVALID);
    assert_int_equal(bad, 1);
    files_are(&k, "a.c:0");
    kit_close(&k);
}

/* --- As it was read ------------------------------------------------------------------------------------ */

static void a_world_changes_all_at_once_or_not_at_all(void **state)
{
    kit                k;
    skein_conversation other;
    skein_world        read, now;
    skein_world_change what = {.description = SKN_STR("new"), .set_chat = true};
    int64_t            start;

    kit_open(&k, state);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("other"), k.mem, &other, &k.err));
    KIT_OK(&k, skein_world_find(k.e, k.world.uid, k.mem, &read, &k.err));
    what.id = k.world.id;
    what.chat.v = 999;
    start = feed_newest(&k);
    assert_int_equal(skein_world_patch(k.e, &what, k.mem, &now, &k.err), SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_world_find(k.e, k.world.uid, k.mem, &now, &k.err));
    assert_int_equal(now.description.n, 0);
    what.chat = k.chat.id;
    what.was = &read;
    KIT_OK(&k, skein_world_patch(k.e, &what, k.mem, &now, &k.err));
    FEED_TOLD(&k, start, "world.updated");
    assert_string_equal(now.current_chat_uid.p, k.chat.uid.p);
    what.description = SKN_STR("newer");
    assert_int_equal(skein_world_patch(k.e, &what, k.mem, &now, &k.err), SKEIN_VERSION_CHANGED);
    KIT_OK(&k, skein_world_find(k.e, k.world.uid, k.mem, &now, &k.err));
    assert_string_equal(now.description.p, "new");
    what = (skein_world_change){.id = k.world.id, .was = &now};
    start = feed_newest(&k);
    KIT_OK(&k, skein_world_patch(k.e, &what, k.mem, &read, &k.err)); /* nothing to change */
    assert_int_equal(feed_newest(&k), start);
    kit_close(&k);
}

static void an_agent_that_was_changed_meanwhile_stays_as_it_is(void **state)
{
    kit         k;
    skein_agent was, to, now;

    kit_open(&k, state);
    KIT_OK(&k, skein_agent_find(k.e, k.world.id, SKN_STR("ada"), k.mem, &was, &k.err));
    to = was;
    to.model = SKN_STR("m/1");
    KIT_OK(&k, skein_agent_update_from(k.e, &was, &to, k.mem, &k.err));
    to.model = SKN_STR("m/2");
    assert_int_equal(skein_agent_update_from(k.e, &was, &to, k.mem, &k.err),
                     SKEIN_VERSION_CHANGED);
    KIT_OK(&k, skein_agent_find(k.e, k.world.id, SKN_STR("ada"), k.mem, &now, &k.err));
    assert_string_equal(now.model.p, "m/1");
    kit_close(&k);
}

static void settings_that_were_changed_meanwhile_stay_as_they_are(void **state)
{
    kit            k;
    skein_setting  set = {SKN_STR("a"), SKN_STR("1")};
    skein_settings was, now;

    kit_open(&k, state);
    KIT_OK(&k, skein_setting_list(k.e, k.mem, &was, &k.err));
    KIT_OK(&k, skein_setting_put_from(k.e, &was, &set, 1, &k.err));
    set.value = SKN_STR("2");
    assert_int_equal(skein_setting_put_from(k.e, &was, &set, 1, &k.err), SKEIN_VERSION_CHANGED);
    KIT_OK(&k, skein_setting_list(k.e, k.mem, &now, &k.err));
    assert_int_equal(now.count, was.count + 1);
    assert_string_equal(now.at[0].value.p, "1");
    kit_close(&k);
}

/* Each adds its letter to what it read, until it was the first to do so. */
typedef struct adder {
    skein_engine  *e;
    skein_world_id world;
    char           letter;
} adder;

enum { ADDERS = 4, EACH = 5 };

static void *add(void *arg)
{
    adder *a = arg;

    for (int done = 0; done < EACH;) {
        skein_mem         *mem = skein_mem_new();
        skein_world        was, now;
        skein_worlds       all;
        skein_world_change what = {.id = a->world, .was = &was};
        skein_error        err;

        SKN_OK(skein_world_list(a->e, mem, &all, &err), err);
        was = all.at[0];
        what.description = skn_arena_printf(mem, "%.*s%c", SKN_FMT(was.description), a->letter);
        done += skein_world_patch(a->e, &what, mem, &now, &err) == SKEIN_OK;
        skein_mem_free(mem);
    }
    return NULL;
}

static void of_many_that_change_a_world_none_is_lost(void **state)
{
    kit         k;
    pthread_t   threads[ADDERS];
    adder       adders[ADDERS];
    skein_world now;

    kit_open(&k, state);
    for (int i = 0; i < ADDERS; i++) {
        adders[i] = (adder){k.e, k.world.id, (char)('a' + i)};
        assert_int_equal(pthread_create(&threads[i], NULL, add, &adders[i]), 0);
    }
    for (int i = 0; i < ADDERS; i++)
        pthread_join(threads[i], NULL);
    KIT_OK(&k, skein_world_find(k.e, k.world.uid, k.mem, &now, &k.err));
    assert_int_equal(now.description.n, ADDERS * EACH);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(the_tags_of_a_world_become_those_that_are_given),
        SKN_BOTH(one_bad_tag_changes_none),
        SKN_BOTH(more_tags_than_there_may_be_change_none),
        SKN_BOTH(the_files_of_a_chat_become_those_that_are_given),
        SKN_BOTH(one_bad_file_changes_none),
        SKN_BOTH(a_world_changes_all_at_once_or_not_at_all),
        SKN_BOTH(an_agent_that_was_changed_meanwhile_stays_as_it_is),
        SKN_BOTH(settings_that_were_changed_meanwhile_stay_as_they_are),
        SKN_BOTH(of_many_that_change_a_world_none_is_lost),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
