/* sse_kit.h: a strict reader of server-sent events, byte by byte: what a field is not in the standard
 * (WHATWG HTML 9.2) it refuses. The caller feeds it, and gets whole frames. */
#ifndef SKN_TESTS_SSE_KIT_H
#define SKN_TESTS_SSE_KIT_H

#include "base/buf.h"

#include <string.h>

typedef struct sse_frame {
    bool    has_id;
    skn_str id, event, data;
} sse_frame;

typedef struct sse_reader {
    skn_buf line, id, event, data;
    bool    has_id, has_data, was_cr;
    long    retry, comments;
    bool    bad; /* something that the standard has no field for */
    void (*found)(void *arg, const sse_frame *f);
    void *arg;
} sse_reader;

static inline void sse_reader_init(sse_reader *r, void (*found)(void *, const sse_frame *),
                                   void       *arg)
{
    memset(r, 0, sizeof *r);
    skn_buf_init(&r->line, SIZE_MAX / 4);
    skn_buf_init(&r->id, SIZE_MAX / 4);
    skn_buf_init(&r->event, SIZE_MAX / 4);
    skn_buf_init(&r->data, SIZE_MAX / 4);
    r->found = found;
    r->arg = arg;
}

static inline void sse_reader_release(sse_reader *r)
{
    skn_buf_release(&r->line);
    skn_buf_release(&r->id);
    skn_buf_release(&r->event);
    skn_buf_release(&r->data);
}

static inline void sse_dispatch(sse_reader *r)
{
    sse_frame f = {.has_id = r->has_id,
                   .id = skn_buf_str(&r->id),
                   .event = skn_buf_str(&r->event),
                   .data = skn_buf_str(&r->data)};

    if (r->has_data) {
        f.data.n--; /* the line feed behind the last line */
        r->found(r->arg, &f);
    }
    skn_buf_clear(&r->id);
    skn_buf_clear(&r->event);
    skn_buf_clear(&r->data);
    r->has_id = r->has_data = false;
}

static inline void sse_line(sse_reader *r)
{
    skn_str     line = skn_buf_str(&r->line), field, value = SKN_STR("");
    const char *colon = line.n ? memchr(line.p, ':', line.n) : NULL;
    size_t      n = colon ? (size_t)(colon - line.p) : line.n;
    int64_t     ms;

    if (line.n == 0) {
        sse_dispatch(r);
        return;
    }
    field = skn_str_sub(line, 0, n);
    if (colon)
        value = skn_str_sub(line, n + 1 + (n + 1 < line.n && line.p[n + 1] == ' '), line.n);
    if (field.n == 0) {
        r->comments++;
    } else if (skn_str_is(field, "data")) {
        skn_buf_add(&r->data, value);
        skn_buf_addc(&r->data, '\n');
        r->has_data = true;
    } else if (skn_str_is(field, "event")) {
        skn_buf_clear(&r->event);
        skn_buf_add(&r->event, value);
    } else if (skn_str_is(field, "id")) {
        skn_buf_clear(&r->id);
        skn_buf_add(&r->id, value);
        r->has_id = true;
    } else if (skn_str_is(field, "retry") && skn_str_int(value, &ms)) {
        r->retry = (long)ms;
    } else {
        r->bad = true;
    }
}

/* Lines end in LF, CR, or CR LF. */
static inline void sse_feed(sse_reader *r, skn_str bytes)
{
    for (size_t i = 0; i < bytes.n; i++) {
        char c = bytes.p[i];
        bool second = r->was_cr && c == '\n';

        r->was_cr = c == '\r';
        if (second)
            continue;
        if (c != '\n' && c != '\r') {
            skn_buf_addc(&r->line, c);
            continue;
        }
        sse_line(r);
        skn_buf_clear(&r->line);
    }
}

/* What the format makes of a text: line ends of all kinds become LF. */
static inline void sse_normal(skn_buf *out, skn_str data)
{
    for (size_t i = 0; i < data.n; i++) {
        bool lf_follows = i + 1 < data.n && data.p[i + 1] == '\n';

        if (data.p[i] != '\r')
            skn_buf_addc(out, data.p[i]);
        else if (!lf_follows)
            skn_buf_addc(out, '\n');
    }
}

#endif
