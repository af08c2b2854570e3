/* test_timeline_kit.h: short ways to make records and look at items. */
#ifndef SKN_TEST_TIMELINE_KIT_H
#define SKN_TEST_TIMELINE_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/timeline/timeline.h"

#include <skein/timeline.h>
#include <stdlib.h>
#include <string.h>

static inline skein_record kit_said(const char *id, skein_record_type type, const char *text)
{
    return (skein_record){
        .id = skein_text(id), .lane = SKN_STR("main"), .type = type, .text = skein_text(text)};
}

static inline skein_record kit_call(const char *id, const char *call_id)
{
    return (skein_record){.id = skein_text(id),
                          .lane = SKN_STR("main"),
                          .type = SKEIN_RECORD_TOOL_CALL,
                          .call_id = skein_text(call_id),
                          .tool_name = SKN_STR("delegate"),
                          .input = SKN_STR("{}")};
}

static inline skein_record kit_result(const char *id, const char *call_id, const char *text)
{
    return (skein_record){.id = skein_text(id),
                          .lane = SKN_STR("main"),
                          .type = SKEIN_RECORD_TOOL_RESULT,
                          .call_id = skein_text(call_id),
                          .text = skein_text(text)};
}

static inline skein_record kit_in(const char *lane, skein_record r)
{
    r.lane = skein_text(lane);
    return r;
}

static inline skein_record kit_child(const char *child, skein_record r)
{
    r.child = skein_text(child);
    return r;
}

static inline skein_record kit_at(int64_t seconds, skein_record r)
{
    r.at = seconds * 1000000;
    return r;
}

static inline void kit_apply(skein_timelines *set, skein_record r)
{
    skein_error err = {.rc = SKEIN_OK};

    if (skein_timelines_apply(set, &r, &err))
        fail_msg("%s", err.message);
}

static inline const skein_timeline *kit_lane(skein_timelines *set, const char *lane)
{
    const skein_timeline *t = skein_timelines_get(set, skein_text(lane));

    assert_non_null(t);
    return t;
}

static inline skein_timeline_item kit_item(skein_timelines *set, const char *lane, size_t i)
{
    const skein_timeline *t = kit_lane(set, lane);

    assert_true(i < skein_timeline_item_count(t));
    return skein_timeline_item_at(t, i);
}

#define kit_assert_text(s, expected)                                                           \
    do {                                                                                       \
        skn_str kit_s = (s), kit_e = skein_text(expected);                                     \
        if (!skn_str_eq(kit_s, kit_e))                                                         \
            fail_msg("\"%.*s\" is not \"%s\"", (int)kit_s.n, kit_s.p ? kit_s.p : "(absent)",   \
                     kit_e.p ? kit_e.p : "(absent)");                                          \
    } while (0)

/* Every record of every lane is shown exactly once. */
static inline void kit_conserved(skein_timelines *set)
{
    skein_error err;

    for (size_t i = 0; i < skein_timelines_count(set); i++)
        if (skein_timeline_check(skein_timelines_at(set, i), &err))
            fail_msg("%s", err.message);
}

/* The set as JSON. */
static inline skn_str kit_json(skein_timelines *set, skein_mem *mem)
{
    skein_error err;
    skn_str     out;

    if (skein_timelines_json(set, mem, &out, &err))
        fail_msg("%s", err.message);
    return out;
}

/* One lane as JSON, with the lanes it started. */
static inline skn_str kit_lane_json(skein_timelines *set, const char *lane, skein_mem *mem)
{
    skein_timeline_view v = skein_build_timeline(kit_lane(set, lane), NULL, 0, mem);
    skn_buf             buf;
    skn_jw              w;
    skn_str             out;

    skn_buf_init(&buf, SIZE_MAX);
    skn_jw_init(&w, &buf);
    skn_timeline_write_nested(&w, &v, 0, mem);
    assert_false(buf.over);
    out = skn_arena_copy(mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return out;
}

static inline size_t kit_messages(skein_timelines *set, const char *lane)
{
    skein_mem *mem = skein_mem_new();
    size_t     n = skein_build_timeline(kit_lane(set, lane), NULL, 0, mem).message_count;

    skein_mem_free(mem);
    return n;
}

#endif
