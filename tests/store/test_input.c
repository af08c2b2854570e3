/* test_input.c: unusual and bad input wherever text or an id goes in: one clear error, the same on both databases, and nothing half-written. */
#include "store/kit.h"

#include "base/clock.h"
#include "base/utf8.h"
#include <stdlib.h>

#define BYTES(s)                                                                               \
    {                                                                                          \
        (s), sizeof(s) - 1                                                                     \
    }

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

/* The call was refused with this code, and the error is a line that can be shown. */
static void refused(kit *k, skein_rc rc, skein_rc want, const char *where)
{
    if (rc != want)
        fail_msg("%s: %s instead of %s (%s)", where, skein_rc_name(rc), skein_rc_name(want),
                 rc ? k->err.message : "");
    assert_int_equal(k->err.rc, want);
    assert_true(strlen(k->err.message) > 5);
    assert_true(skn_utf8_valid(skein_text(k->err.message), NULL));
    for (const char *c = k->err.message; *c; c++)
        assert_true((unsigned char)*c >= ' ');
}

/* --- Where text goes in ------------------------------------------------------------------------------- */

typedef struct room {
    kit              k;
    skein_message_id ids[2];
} room;

typedef skein_rc place(room *r, skein_str text);

static void begin(room *r, void **state)
{
    kit_open(&r->k, state);
    r->ids[0] = say(&r->k, "one").id;
    r->ids[1] = say(&r->k, "two").id;
}

static skein_rc append(room *r, const skein_new_message *m)
{
    skein_messages out;

    return kit_append(&r->k, m, 1, &out);
}

static skein_rc as_content(room *r, skein_str text)
{
    return append(r, &(skein_new_message){.role = SKEIN_USER, .content = text});
}

static skein_rc as_thinking(room *r, skein_str text)
{
    return append(r, &(skein_new_message){.role = SKEIN_ASSISTANT,
                                          .sender = skein_text("ada"),
                                          .content = skein_text("x"),
                                          .thinking = text});
}

static skein_rc as_amend(room *r, skein_str text)
{
    skein_version v;

    return skein_amend(r->k.e, &r->k.how, r->ids[0], text, r->k.mem, &v, NULL, &r->k.err);
}

static skein_rc as_insert(room *r, skein_str text)
{
    skein_new_message m = {.role = SKEIN_USER, .content = text};
    skein_version     v;

    return skein_insert(r->k.e, &r->k.how, r->ids[1], &m, r->k.mem, &v, NULL, &r->k.err);
}

static skein_rc as_edit(room *r, skein_str text)
{
    skein_removal out;

    return skein_edit(r->k.e, &r->k.how, r->ids[0], text, r->k.mem, &out, &r->k.err);
}

static skein_rc squash(room *r, skein_str text, skein_str prompt)
{
    skein_squash_spec spec = {.sources = {r->ids, 2}, .content = text, .prompt = prompt};
    skein_squash      out;

    return skein_squash_messages(r->k.e, &r->k.how, &spec, r->k.mem, &out, &r->k.err);
}

static skein_rc as_squash(room *r, skein_str text)
{
    return squash(r, text, (skein_str){0});
}

static skein_rc as_prompt(room *r, skein_str text)
{
    return squash(r, skein_text("short"), text);
}

static skein_rc as_summary(room *r, skein_str text)
{
    skein_compaction what = {.content = text};
    skein_message    out;
    int64_t          covers;

    return skein_compact(r->k.e, r->k.chat.id, &what, r->k.mem, &out, &covers, &r->k.err);
}

static skein_rc as_system_prompt(room *r, skein_str text)
{
    skein_agent a = {.world = r->k.world.id, .name = skein_text("new"), .system_prompt = text};

    return skein_agent_new(r->k.e, &a, r->k.mem, &r->k.err);
}

static skein_rc as_description(room *r, skein_str text)
{
    skein_world w = {.name = skein_text("new"), .description = text};

    return skein_world_new(r->k.e, &w, r->k.mem, &r->k.err);
}

typedef struct entry {
    place      *put;
    const char *name;
    bool        may_be_empty;
} entry;

static const entry texts[] = {
    {as_content, "content", false},  {as_thinking, "thinking", true},
    {as_amend, "amend", false},      {as_insert, "insert", false},
    {as_edit, "edit", false},        {as_squash, "squash", false},
    {as_prompt, "prompt", true},     {as_summary, "summary", false},
    {as_description, "world", true}, {as_system_prompt, "agent", true},
};

static const skein_str broken[] = {
    BYTES("a\xff"),                                    /* no such byte */
    BYTES("a\x80 b"),                                  /* a tail without a head */
    BYTES("a\xe2\x82"),                                /* cut off */
    BYTES("\xc0\xaf"),                                 /* over-long */
    BYTES("\xed\xa0\x80"),                             /* lone surrogates */
    BYTES("x\xed\xbf\xbf"), BYTES("\xf4\x90\x80\x80"), /* above the last code point */
    BYTES("a\0b"),                                     /* U+0000 */
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void text_that_is_none_is_refused_everywhere(void **state)
{
    room        r;
    const char *before;

    begin(&r, state);
    before = kit_state(&r.k);
    for (size_t i = 0; i < COUNT(texts); i++)
        for (size_t n = 0; n < COUNT(broken); n++)
            refused(&r.k, texts[i].put(&r, broken[n]), SKEIN_INVALID, texts[i].name);
    assert_string_equal(kit_state(&r.k), before);
    kit_close(&r.k);
}

static void empty_text_is_refused_where_something_must_be_said(void **state)
{
    room            r;
    const char     *before;
    skein_tool_call call = {skein_text("c"), skein_text("t"), skein_text("{}")};

    begin(&r, state);
    before = kit_state(&r.k);
    for (size_t i = 0; i < COUNT(texts); i++) {
        if (texts[i].may_be_empty)
            continue;
        refused(&r.k, texts[i].put(&r, skein_text("")), SKEIN_INVALID, texts[i].name);
        refused(&r.k, texts[i].put(&r, (skein_str){0}), SKEIN_INVALID, texts[i].name);
        if (texts[i].put != as_summary) /* a person who gives only blanks says nothing */
            refused(&r.k, texts[i].put(&r, skein_text(" \n\t")), SKEIN_INVALID, texts[i].name);
    }
    refused(
        &r.k,
        append(&r, &(skein_new_message){.role = SKEIN_ASSISTANT, .sender = skein_text("ada")}),
        SKEIN_INVALID, "assistant");
    assert_string_equal(kit_state(&r.k), before);
    KIT_OK(&r.k, append(&r, &(skein_new_message){.role = SKEIN_ASSISTANT,
                                                 .sender = skein_text("ada"),
                                                 .content = skein_text(""),
                                                 .calls = &call,
                                                 .call_count = 1}));
    KIT_OK(&r.k, append(&r, &(skein_new_message){.role = SKEIN_TOOL,
                                                 .tool_call_id = skein_text("c")}));
    assert_string_equal(kit_texts(&r.k, "main", 0), "one two  ");
    kit_close(&r.k);
}

static void text_over_the_limit_is_refused(void **state)
{
    room          r;
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *small;
    char          text[102];
    const char   *before;

    begin(&r, state);
    before = kit_state(&r.k);
    options.store = skein_text(r.k.fx->address);
    options.max_text = 100;
    KIT_OK(&r.k, skein_open(&small, &options, &r.k.err));
    skein_close(r.k.e);
    r.k.e = small;
    memset(text, 'a', sizeof text);
    for (size_t i = 0; i < COUNT(texts); i++) {
        refused(&r.k, texts[i].put(&r, (skein_str){text, 101}), SKEIN_LIMIT, texts[i].name);
        assert_non_null(strstr(r.k.err.message, "101"));
        assert_non_null(strstr(r.k.err.message, "100"));
    }
    assert_string_equal(kit_state(&r.k), before);
    KIT_OK(&r.k, as_content(&r, (skein_str){text, 100}));
    kit_close(&r.k);
}

static void a_time_that_was_not_yet_or_is_before_1970_is_refused(void **state)
{
    static const int64_t times[] = {-1, INT64_MIN, INT64_C(4070908800000000), INT64_MAX};
    room                 r;
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text("x")};

    begin(&r, state);
    for (size_t i = 0; i < COUNT(times); i++) {
        m.created_at = times[i];
        refused(&r.k, append(&r, &m), SKEIN_INVALID, "a time");
        assert_non_null(strstr(r.k.err.message, times[i] < 0 ? "before 1970" : "a day ahead"));
    }
    m.created_at = 1;
    KIT_OK(&r.k, append(&r, &m));
    m.created_at = skn_clock_micros() + INT64_C(3600) * 1000000; /* a clock an hour ahead */
    KIT_OK(&r.k, append(&r, &m));
    kit_check(&r.k);
    kit_close(&r.k);
}

enum { MEGABYTES = 10 << 20 };

static void ten_megabytes_come_back_byte_for_byte(void **state)
{
    room           r;
    char          *text = malloc(MEGABYTES);
    skein_messages m;
    skein_at       at;

    assert_non_null(text);
    for (size_t i = 0; i < MEGABYTES; i++)
        text[i] = (char)('a' + i * 7 % 23);
    begin(&r, state);
    KIT_OK(&r.k, as_content(&r, (skein_str){text, MEGABYTES}));
    KIT_OK(&r.k, skein_read(r.k.e, &(skein_slice){.conversation = r.k.chat.id, .from = -1},
                            r.k.mem, &m, &at, &r.k.err));
    assert_int_equal(m.at[0].content.n, MEGABYTES);
    assert_memory_equal(m.at[0].content.p, text, MEGABYTES);
    free(text);
    kit_close(&r.k);
}

static void unusual_text_comes_back_byte_for_byte(void **state)
{
    static const char *const unusual[] = {
        "\xef\xbb\xbf with a mark",      "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac",
        "\xef\xbf\xbf \xf4\x8f\xbf\xbf", "line\r\nline\n\ttab\x01\x7f",
        " \n blanks around \n ",         "'); DROP TABLE messages; -- $1 ?1 %s \\",
        "e\xcc\x81 is not \xc3\xa9"};
    room           r;
    skein_messages m;
    skein_at       at;

    begin(&r, state);
    for (size_t i = 0; i < COUNT(unusual); i++) {
        KIT_OK(&r.k, as_content(&r, skein_text(unusual[i])));
        KIT_OK(&r.k, skein_read(r.k.e, &(skein_slice){.conversation = r.k.chat.id, .from = -1},
                                r.k.mem, &m, &at, &r.k.err));
        assert_int_equal(m.at[0].content.n, strlen(unusual[i]));
        assert_string_equal(m.at[0].content.p, unusual[i]);
    }
    kit_close(&r.k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(text_that_is_none_is_refused_everywhere),
        SKN_BOTH(empty_text_is_refused_where_something_must_be_said),
        SKN_BOTH(ten_megabytes_come_back_byte_for_byte),
        SKN_BOTH(unusual_text_comes_back_byte_for_byte),
        SKN_BOTH(text_over_the_limit_is_refused),
        SKN_BOTH(a_time_that_was_not_yet_or_is_before_1970_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
