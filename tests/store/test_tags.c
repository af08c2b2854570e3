/* Tags of a world, which are on in a conversation, and context files. */
#include "store/kit.h"

#include "base/arena.h"
#include "base/buf.h"

static skein_tag tag_of(const char *name, const char *control)
{
    return (skein_tag){.name = skein_text(name),
                       .control = skein_text(control),
                       .instruction = skein_text("ResponseExpected"),
                       .include_in_message = true};
}

static void define(kit *k, const char *name, const char *control)
{
    skein_tag tag = tag_of(name, control);

    KIT_OK(k, skein_tag_define(k->e, k->world.id, &tag, &k->err));
}

static skein_tags list(kit *k, skein_conversation_id conversation)
{
    skein_tags tags;

    KIT_OK(k, skein_tag_list(k->e, k->world.id, conversation, k->mem, &tags, &k->err));
    return tags;
}

/* "brief:toggle+ long:button": + is active */
static const char *as_text(kit *k, skein_tags tags)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR(""));
    for (size_t i = 0; i < tags.count; i++)
        skn_buf_addf(&b, "%s%s:%s%s", i ? " " : "", tags.at[i].name.p, tags.at[i].control.p,
                     tags.at[i].active ? "+" : "");
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static void tags_are_defined_changed_and_forgotten(void **state)
{
    kit        k;
    skein_tags tags;
    skein_tag  tag = tag_of("brief", "choice");

    kit_open(&k, state);
    define(&k, "brief", "toggle");
    define(&k, "Long answer", "button");
    assert_string_equal(as_text(&k, list(&k, k.chat.id)), "brief:toggle Long answer:button");
    tag.target = skein_text("ada");
    tag.include_in_message = false;
    KIT_OK(&k, skein_tag_define(k.e, k.world.id, &tag, &k.err));
    tags = list(&k, k.chat.id);
    assert_string_equal(as_text(&k, tags), "brief:choice Long answer:button");
    assert_string_equal(tags.at[0].target.p, "ada");
    assert_string_equal(tags.at[0].instruction.p, "ResponseExpected");
    assert_false(tags.at[0].include_in_message);
    assert_true(tags.at[1].include_in_message);
    assert_null(tags.at[1].target.p);
    KIT_OK(&k, skein_tag_forget(k.e, k.world.id, skein_text("brief"), &k.err));
    assert_string_equal(as_text(&k, list(&k, k.chat.id)), "Long answer:button");
    assert_int_equal(skein_tag_forget(k.e, k.world.id, skein_text("brief"), &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void a_tag_is_on_in_one_conversation_and_not_in_another(void **state)
{
    kit                k;
    skein_conversation other;

    kit_open(&k, state);
    define(&k, "brief", "toggle");
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("other"), k.mem, &other, &k.err));
    for (int i = 0; i < 2; i++) /* twice is once */
        KIT_OK(&k, skein_tag_activate(k.e, k.chat.id, skein_text("brief"), true, &k.err));
    assert_string_equal(as_text(&k, list(&k, k.chat.id)), "brief:toggle+");
    assert_string_equal(as_text(&k, list(&k, other.id)), "brief:toggle");
    assert_string_equal(as_text(&k, list(&k, (skein_conversation_id){0})), "brief:toggle");
    define(&k, "brief", "button"); /* changed, and still on */
    assert_string_equal(as_text(&k, list(&k, k.chat.id)), "brief:button+");
    KIT_OK(&k, skein_tag_activate(k.e, k.chat.id, skein_text("brief"), false, &k.err));
    assert_string_equal(as_text(&k, list(&k, k.chat.id)), "brief:button");
    kit_close(&k);
}

static void a_forgotten_tag_is_off_when_it_comes_back(void **state)
{
    kit k;

    kit_open(&k, state);
    define(&k, "brief", "toggle");
    KIT_OK(&k, skein_tag_activate(k.e, k.chat.id, skein_text("brief"), true, &k.err));
    KIT_OK(&k, skein_tag_forget(k.e, k.world.id, skein_text("brief"), &k.err));
    define(&k, "brief", "toggle");
    assert_string_equal(as_text(&k, list(&k, k.chat.id)), "brief:toggle");
    kit_close(&k);
}

static skein_rc refused(kit *k, skein_tag tag)
{
    return skein_tag_define(k->e, k->world.id, &tag, &k->err);
}

static void what_cannot_be_a_tag_is_refused(void **state)
{
    kit       k;
    skein_tag tag = tag_of("ok", "toggle");
    char      long_name[70];

    kit_open(&k, state);
    memset(long_name, 'x', 69);
    long_name[69] = '\0';
    assert_int_equal(refused(&k, tag_of("", "toggle")), SKEIN_INVALID);
    assert_int_equal(refused(&k, tag_of(" x", "toggle")), SKEIN_INVALID);
    assert_int_equal(refused(&k, tag_of("a\nb", "toggle")), SKEIN_INVALID);
    assert_int_equal(refused(&k, tag_of("a\xff", "toggle")), SKEIN_INVALID);
    assert_int_equal(refused(&k, tag_of(long_name, "toggle")), SKEIN_LIMIT);
    assert_int_equal(refused(&k, tag_of("x", "lever")), SKEIN_INVALID);
    assert_int_equal(refused(&k, tag_of("x", "")), SKEIN_INVALID);
    assert_int_equal(refused(&k, tag_of("source.user", "toggle")), SKEIN_INVALID);
    tag.instruction = skein_text("Source.Agent"); /* only the system says who speaks */
    assert_int_equal(refused(&k, tag), SKEIN_INVALID);
    tag.instruction = skein_text("");
    assert_int_equal(refused(&k, tag), SKEIN_INVALID);
    assert_int_equal(list(&k, k.chat.id).count, 0);
    kit_close(&k);
}

static void unknown_places_and_names_are_not_found(void **state)
{
    kit            k;
    skein_tag      tag = tag_of("x", "toggle");
    skein_world    other = {.name = skein_text("other")};
    skein_tags     tags;
    skein_world_id none = {999};

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    assert_int_equal(skein_tag_define(k.e, none, &tag, &k.err), SKEIN_NOT_FOUND);
    assert_int_equal(skein_tag_list(k.e, none, k.chat.id, k.mem, &tags, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(skein_tag_list(k.e, other.id, k.chat.id, k.mem, &tags, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(skein_tag_activate(k.e, k.chat.id, skein_text("x"), true, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(
        skein_tag_activate(k.e, (skein_conversation_id){999}, skein_text("x"), true, &k.err),
        SKEIN_NOT_FOUND);
    /* A tag of another world is none of this one's. */
    KIT_OK(&k, skein_tag_define(k.e, other.id, &tag, &k.err));
    assert_int_equal(skein_tag_activate(k.e, k.chat.id, skein_text("x"), true, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void a_world_has_room_for_256_tags(void **state)
{
    kit       k;
    skein_tag last = tag_of("one too many", "toggle");

    kit_open(&k, state);
    for (int i = 0; i < 256; i++) {
        char name[16];

        snprintf(name, sizeof name, "tag %d", i);
        define(&k, name, "toggle");
    }
    assert_int_equal(skein_tag_define(k.e, k.world.id, &last, &k.err), SKEIN_LIMIT);
    define(&k, "tag 7", "button"); /* changing one is not a new one */
    assert_int_equal(list(&k, k.chat.id).count, 256);
    kit_close(&k);
}

/* --- Context files ------------------------------------------------------------------------------------- */

static skein_context_files files(kit *k)
{
    skein_context_files f;

    KIT_OK(k, skein_context_file_list(k->e, k->chat.id, k->mem, &f, &k->err));
    return f;
}

static void files_are_set_replaced_and_removed(void **state)
{
    kit                k;
    skein_str          items[] = {skein_text("fun \"main\""), skein_text("10:20")};
    skein_context_file one = {
        .path = skein_text("src/main.c"), .items = items, .item_count = 2};
    skein_context_file  two = {.path = skein_text("docs/\xc3\xa4.md")};
    skein_context_files f;

    kit_open(&k, state);
    KIT_OK(&k, skein_context_file_set(k.e, k.chat.id, &one, &k.err));
    KIT_OK(&k, skein_context_file_set(k.e, k.chat.id, &two, &k.err));
    f = files(&k);
    assert_int_equal(f.count, 2);
    assert_string_equal(f.at[0].path.p, "src/main.c");
    assert_int_equal(f.at[0].item_count, 2);
    assert_string_equal(f.at[0].items[0].p, "fun \"main\"");
    assert_string_equal(f.at[0].items[1].p, "10:20");
    assert_string_equal(f.at[1].path.p, "docs/\xc3\xa4.md");
    assert_int_equal(f.at[1].item_count, 0);
    assert_null(f.at[0].prompt.p);
    one.prompt = skein_text("Only \"signatures\",\none a line.");
    KIT_OK(&k, skein_context_file_set(k.e, k.chat.id, &one, &k.err));
    f = files(&k);
    assert_string_equal(f.at[0].prompt.p, "Only \"signatures\",\none a line.");
    assert_int_equal(f.at[0].item_count, 2);
    one.item_count = 0; /* all of it, in its old place */
    KIT_OK(&k, skein_context_file_set(k.e, k.chat.id, &one, &k.err));
    f = files(&k);
    assert_string_equal(f.at[0].prompt.p, "Only \"signatures\",\none a line.");
    assert_string_equal(f.at[0].path.p, "src/main.c");
    assert_int_equal(f.at[0].item_count, 0);
    KIT_OK(&k, skein_context_file_remove(k.e, k.chat.id, one.path, &k.err));
    assert_int_equal(skein_context_file_remove(k.e, k.chat.id, one.path, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(files(&k).count, 1);
    kit_close(&k);
}

static skein_rc set(kit *k, const char *path, const char *item, size_t count)
{
    skein_str          items[2000];
    skein_context_file f = {.path = skein_text(path), .items = items, .item_count = count};

    for (size_t i = 0; i < count; i++)
        items[i] = skein_text(item);
    return skein_context_file_set(k->e, k->chat.id, &f, &k->err);
}

static void what_cannot_be_a_file_is_refused(void **state)
{
    kit  k;
    char path[5000];

    kit_open(&k, state);
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    assert_int_equal(set(&k, "", "a", 0), SKEIN_INVALID);
    assert_int_equal(set(&k, path, "a", 0), SKEIN_LIMIT);
    assert_int_equal(set(&k, "a\nb", "a", 0), SKEIN_INVALID);
    assert_int_equal(set(&k, "a\xff", "a", 0), SKEIN_INVALID);
    assert_int_equal(set(&k, "./a", "a", 0), SKEIN_INVALID); /* it is "a" */
    assert_int_equal(set(&k, "b/./a", "a", 0), SKEIN_INVALID);
    assert_int_equal(set(&k, "b//a", "a", 0), SKEIN_INVALID);
    assert_int_equal(set(&k, "a", "", 1), SKEIN_INVALID);
    assert_int_equal(set(&k, "a", path, 1), SKEIN_LIMIT);
    assert_int_equal(set(&k, "a", "a", 1001), SKEIN_LIMIT);
    assert_int_equal(set(&k, "a", "a", 1000), SKEIN_OK);
    assert_int_equal(files(&k).count, 1);
    assert_int_equal(files(&k).at[0].item_count, 1000);
    k.chat.id.v = 999;
    assert_int_equal(set(&k, "a", "a", 1), SKEIN_NOT_FOUND);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(tags_are_defined_changed_and_forgotten),
        SKN_BOTH(a_tag_is_on_in_one_conversation_and_not_in_another),
        SKN_BOTH(a_forgotten_tag_is_off_when_it_comes_back),
        SKN_BOTH(what_cannot_be_a_tag_is_refused),
        SKN_BOTH(unknown_places_and_names_are_not_found),
        SKN_BOTH(a_world_has_room_for_256_tags),
        SKN_BOTH(files_are_set_replaced_and_removed),
        SKN_BOTH(what_cannot_be_a_file_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
