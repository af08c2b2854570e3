/* feed_kit.h: short words for tests of what is told. */
#ifndef SKN_TESTS_FEED_KIT_H
#define SKN_TESTS_FEED_KIT_H

#include "store/kit.h"

#include "base/buf.h"
#include "base/json_write.h"
#include "engine/engine.h"

/* The newest event there is. */
static inline int64_t feed_newest(kit *k)
{
    int64_t newest, forgotten;

    KIT_OK(k, skein_events_span(k->e, &newest, &forgotten, &k->err));
    return newest;
}

/* All events after a number, in pages as readers take them. */
static inline skein_events feed_read(kit *k, skein_event_query what)
{
    skein_events all = {.at = SKN_ARRAY(k->mem, 20000, skein_event)}, page;

    for (;;) {
        KIT_OK(k, skein_events_read(k->e, &what, k->mem, &page, &k->err));
        if (page.count == 0)
            return all;
        assert_true(all.count + page.count <= 20000);
        memcpy(all.at + all.count, page.at, page.count * sizeof page.at[0]);
        all.count += page.count;
        what.after = page.at[page.count - 1].seq;
    }
}

static inline skein_events feed_after(kit *k, int64_t after)
{
    return feed_read(k, (skein_event_query){.after = after});
}

/* Their types, joined by blanks. */
static inline const char *feed_types(kit *k, int64_t after)
{
    skein_events e = feed_after(k, after);
    skn_str      text = SKN_STR("");

    for (size_t i = 0; i < e.count; i++)
        text = skn_arena_printf(k->mem, "%.*s%s%.*s", SKN_FMT(text), i ? " " : "",
                                SKN_FMT(e.at[i].type));
    return text.p;
}

/* One event as it stands in a stream. */
static inline const char *feed_text(kit *k, const skein_event *e)
{
    skn_buf buf;
    skn_jw  w;
    skn_str text;

    skn_buf_init(&buf, SIZE_MAX / 2);
    skn_jw_init(&w, &buf);
    skn_shape_event(&w, e);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

/* The data of the n-th event after a number. */
static inline const char *feed_data(kit *k, int64_t after, size_t n)
{
    skein_events e = feed_after(k, after);

    assert_true(n < e.count);
    return e.at[n].data.p;
}

/* Does the data have this piece? What it has instead is in the message. */
#define FEED_HAS(data, piece)                                                                  \
    do {                                                                                       \
        if (!strstr(data, piece))                                                              \
            fail_msg("%s is not in %s", piece, data);                                          \
    } while (0)

/* Says that the change just made was told by these events and no others; the newest is then new. */
#define FEED_TOLD(k, start, types)                                                             \
    do {                                                                                       \
        assert_string_equal(feed_types(k, start), types);                                      \
        start = feed_newest(k);                                                                \
    } while (0)

#define FEED_MADE(k, ...) skn_arena_printf((k)->mem, __VA_ARGS__).p

#endif
