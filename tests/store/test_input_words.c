/* test_input_words.c: bad input in names, keys and references: one clear error, the same on both databases,
 * and nothing half-written. */
#include "store/kit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define BYTES(s)                                                                               \
    {                                                                                          \
        (s), sizeof(s) - 1                                                                     \
    }

static const skein_str broken[] = {
    BYTES("a\xff z"),        /* no such byte */
    BYTES("abc\xe2\x82"),    /* cut off */
    BYTES("\xed\xa0\x80zz"), /* a lone surrogate */
    BYTES("a\0bc"),          /* U+0000 */
};

typedef struct room {
    kit              k;
    skein_message_id ids[2];
    const char      *before;
} room;

typedef skein_rc place(room *r, skein_str text);

static void begin(room *r, void **state)
{
    kit_open(&r->k, state);
    r->ids[0] = kit_say(&r->k, SKEIN_USER, "human", "one").id;
    r->ids[1] = kit_say(&r->k, SKEIN_USER, "human", "two").id;
    r->before = kit_state(&r->k);
}

static void end(room *r)
{
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

static skein_rc append(room *r, const skein_new_message *m)
{
    skein_messages out;

    return kit_append(&r->k, m, 1, &out);
}

/* --- Names and other short texts ------------------------------------------------------------------------ */

static skein_rc as_sender(room *r, skein_str s)
{
    return append(
        r, &(skein_new_message){.role = SKEIN_USER, .content = skein_text("x"), .sender = s});
}

static skein_rc as_uid(room *r, skein_str s)
{
    return append(
        r, &(skein_new_message){.role = SKEIN_USER, .content = skein_text("x"), .uid = s});
}

static skein_rc as_reply_to(room *r, skein_str s)
{
    return append(
        r, &(skein_new_message){.role = SKEIN_USER, .content = skein_text("x"), .reply_to = s});
}

static skein_rc as_model(room *r, skein_str s)
{
    return append(
        r, &(skein_new_message){.role = SKEIN_USER, .content = skein_text("x"), .model = s});
}

static skein_rc as_turn(room *r, skein_str s)
{
    return append(
        r, &(skein_new_message){.role = SKEIN_USER, .content = skein_text("x"), .turn_uid = s});
}

static skein_rc calling(room *r, skein_str id, skein_str tool, skein_str args)
{
    skein_tool_call call = {id, tool, args};

    return append(r, &(skein_new_message){.role = SKEIN_ASSISTANT,
                                          .sender = skein_text("ada"),
                                          .calls = &call,
                                          .call_count = 1});
}

static skein_rc as_call_id(room *r, skein_str s)
{
    return calling(r, s, skein_text("t"), skein_text("{}"));
}

static skein_rc as_tool(room *r, skein_str s)
{
    return calling(r, skein_text("c"), s, skein_text("{}"));
}

static skein_rc as_tag(room *r, skein_str s)
{
    skein_instruction tag = {.type = s};

    return append(r, &(skein_new_message){.role = SKEIN_USER,
                                          .content = skein_text("x"),
                                          .instructions = &tag,
                                          .instruction_count = 1});
}

static skein_rc as_actor(room *r, skein_str s)
{
    skein_change  how = {.conversation = r->k.chat.id, .actor = s};
    skein_version v;

    return skein_amend(r->k.e, &how, r->ids[0], skein_text("x"), r->k.mem, &v, NULL, &r->k.err);
}

static skein_rc as_undo_actor(room *r, skein_str s)
{
    skein_change how = {.conversation = r->k.chat.id, .actor = s};
    skein_move   move;

    return skein_undo(r->k.e, &how, 1, r->k.mem, &move, &r->k.err);
}

static skein_rc as_key(room *r, skein_str s)
{
    skein_change  how = {.conversation = r->k.chat.id, .key = s};
    skein_version v;

    return skein_amend(r->k.e, &how, r->ids[0], skein_text("x"), r->k.mem, &v, NULL, &r->k.err);
}

static skein_rc as_title(room *r, skein_str s)
{
    skein_conversation c;

    return skein_chat_new(r->k.e, r->k.world.id, s, r->k.mem, &c, &r->k.err);
}

static skein_rc as_branch(room *r, skein_str s)
{
    skein_conversation c;

    return skein_branch(r->k.e, &r->k.how, 0, -1, s, r->k.mem, &c, &r->k.err);
}

static skein_rc as_world(room *r, skein_str s)
{
    skein_world w = {.name = s};

    return skein_world_new(r->k.e, &w, r->k.mem, &r->k.err);
}

static skein_rc as_agent(room *r, skein_str s)
{
    skein_agent a = {.world = r->k.world.id, .name = s};

    return skein_agent_new(r->k.e, &a, r->k.mem, &r->k.err);
}

static const struct {
    place      *put;
    const char *name;
} words[] = {
    {as_sender, "sender"},     {as_uid, "uid"},
    {as_reply_to, "reply to"}, {as_model, "model"},
    {as_turn, "turn"},         {as_call_id, "call id"},
    {as_tool, "tool"},         {as_tag, "instruction"},
    {as_actor, "actor"},       {as_undo_actor, "actor of an undo"},
    {as_key, "key"},           {as_title, "title"},
    {as_branch, "branch"},     {as_world, "world"},
    {as_agent, "agent"},
};

static void words_that_are_none_are_refused_everywhere(void **state)
{
    room     r;
    char     text[2000];
    skein_rc rc;

    begin(&r, state);
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < COUNT(words); i++) {
        for (size_t n = 0; n < COUNT(broken); n++)
            refused(&r, words[i].put(&r, broken[n]), SKEIN_INVALID, words[i].name);
        refused(&r, words[i].put(&r, skein_text("")), SKEIN_INVALID, words[i].name);
        refused(&r, words[i].put(&r, skein_text("two\nlines")), SKEIN_INVALID, words[i].name);
        rc = words[i].put(&r, (skein_str){text, sizeof text});
        refused(&r, rc, rc == SKEIN_LIMIT ? SKEIN_LIMIT : SKEIN_INVALID, words[i].name);
    }
    end(&r);
}

static void a_call_with_arguments_that_are_no_json_is_refused(void **state)
{
    static const char *const bad[] = {"{", "{} x", "{\"a\":\"\\ud800\"}", "\xff",
                                      "{\"a\":\"\\u0000\"}"};
    room                     r;

    begin(&r, state);
    for (size_t i = 0; i < COUNT(bad); i++) {
        skein_rc rc = calling(&r, skein_text("c"), skein_text("t"), skein_text(bad[i]));

        refused(&r, rc, SKEIN_INVALID, bad[i]);
    }
    end(&r);
}

/* --- Bytes where an id is expected ---------------------------------------------------------------------------- */

static skein_rc find_world(room *r, skein_str ref)
{
    skein_world w;

    return skein_world_find(r->k.e, ref, r->k.mem, &w, &r->k.err);
}

static skein_rc find_agent(room *r, skein_str ref)
{
    skein_agent a;

    return skein_agent_find(r->k.e, r->k.world.id, ref, r->k.mem, &a, &r->k.err);
}

static skein_rc find_chat(room *r, skein_str ref)
{
    skein_conversation c;

    return skein_conversation_find(r->k.e, r->k.world.id, ref, r->k.mem, &c, &r->k.err);
}

static skein_rc find_message(room *r, skein_str ref)
{
    skein_message m;

    return skein_message_find(r->k.e, r->k.chat.id, 0, ref, r->k.mem, &m, &r->k.err);
}

static skein_rc find_squash(room *r, skein_str ref)
{
    skein_squash s;

    return skein_squash_get(r->k.e, ref, r->k.mem, &s, &r->k.err);
}

static skein_rc find_thread(room *r, skein_str ref)
{
    skein_version v;

    return skein_version_of_thread(r->k.e, r->k.chat.id, ref, r->k.mem, &v, &r->k.err);
}

static skein_rc read_lane(room *r, skein_str ref)
{
    skein_messages m;
    skein_slice    what = {.conversation = r->k.chat.id, .lane = ref};

    return skein_read(r->k.e, &what, r->k.mem, &m, NULL, &r->k.err);
}

static skein_rc append_lane(room *r, skein_str ref)
{
    skein_messages       out;
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text("x")};
    skein_append_request q = {.conversation = r->k.chat.id, .lane = ref, .messages = &m};

    q.count = 1;
    return skein_append(r->k.e, &q, r->k.mem, &out, &r->k.err);
}

static skein_rc new_lane(room *r, skein_str ref)
{
    skein_lane lane;

    return skein_lane_new(r->k.e, r->k.chat.id, ref, (skein_message_id){0}, (skein_str){0},
                          r->k.mem, &lane, &r->k.err);
}

static skein_rc compact_lane(room *r, skein_str ref)
{
    skein_compaction what = {.lane = ref, .content = skein_text("x")};
    skein_message    m;
    int64_t          covers;

    return skein_compact(r->k.e, r->k.chat.id, &what, r->k.mem, &m, &covers, &r->k.err);
}

static skein_rc hear(room *r, skein_str ref)
{
    skein_messages    out;
    skein_new_message m = {.role = SKEIN_USER,
                           .content = skein_text("x"),
                           .heard_by = &ref,
                           .heard_by_count = 1,
                           .heard_by_given = true};

    return kit_append(&r->k, &m, 1, &out);
}

static skein_rc forget_tag(room *r, skein_str ref)
{
    return skein_tag_forget(r->k.e, r->k.world.id, ref, &r->k.err);
}

static skein_rc activate_tag(room *r, skein_str ref)
{
    return skein_tag_activate(r->k.e, r->k.chat.id, ref, true, &r->k.err);
}

static skein_rc remove_file(room *r, skein_str ref)
{
    return skein_context_file_remove(r->k.e, r->k.chat.id, ref, &r->k.err);
}

static const struct {
    place      *run;
    const char *name;
    skein_rc    broken; /* what bytes get that are no text */
} looks[] = {
    {find_world, "world", SKEIN_INVALID},
    {find_agent, "agent", SKEIN_INVALID},
    {find_chat, "chat", SKEIN_INVALID},
    {find_message, "message", SKEIN_INVALID},
    {find_squash, "squash", SKEIN_INVALID},
    {find_thread, "thread", SKEIN_INVALID},
    {read_lane, "read", SKEIN_INVALID},
    {append_lane, "append", SKEIN_INVALID},
    {new_lane, "lane", SKEIN_INVALID},
    {compact_lane, "compact", SKEIN_INVALID},
    {hear, "hear", SKEIN_NOT_FOUND}, /* only compared with names */
    {forget_tag, "forget a tag", SKEIN_INVALID},
    {activate_tag, "use a tag", SKEIN_INVALID},
    {remove_file, "remove a file", SKEIN_INVALID},
};

static void bytes_that_are_no_id_find_nothing(void **state)
{
    room r;

    begin(&r, state);
    for (size_t i = 0; i < COUNT(looks); i++) {
        for (size_t n = 0; n < COUNT(broken); n++)
            refused(&r, looks[i].run(&r, broken[n]), looks[i].broken, looks[i].name);
        refused(&r, looks[i].run(&r, skein_text("nowhere")), SKEIN_NOT_FOUND, looks[i].name);
    }
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(words_that_are_none_are_refused_everywhere),
        SKN_BOTH(a_call_with_arguments_that_are_no_json_is_refused),
        SKN_BOTH(bytes_that_are_no_id_find_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
