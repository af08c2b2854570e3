/* A frame with any data, read back by a strict reader, is the same frame, and nothing else. */
#include "http/hub.h"
#include "unit/sse_kit.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_sse: %s\n", what);
    abort();
}

typedef struct expected {
    int64_t id;
    skn_str data;
    int     found;
} expected;

static void compare(void *arg, const sse_frame *f)
{
    expected *e = arg;
    int64_t   id = 0;

    e->found++;
    expect(f->has_id == (e->id != 0), "an id where there is none");
    expect(!f->has_id || (skn_str_int(f->id, &id) && id == e->id), "another id");
    expect(skn_str_is(f->event, "message.created"), "another name");
    expect(f->data.n == e->data.n, "another length");
    expect(!f->data.n || !memcmp(f->data.p, e->data.p, f->data.n), "other data");
}

/* The first byte says whether there is an id, and where the bytes are parted. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str    text = {(const char *)data, size};
    size_t     cut;
    expected   e = {.id = size ? data[0] % 4 : 0};
    skn_buf    frame, normal;
    sse_reader r;

    skn_buf_init(&frame, SIZE_MAX / 4);
    skn_buf_init(&normal, SIZE_MAX / 4);
    skn_sse_frame(&frame, e.id, SKN_STR("message.created"), text);
    sse_normal(&normal, text);
    e.data = skn_buf_str(&normal);
    sse_reader_init(&r, compare, &e);
    cut = size ? data[0] * frame.n / 256 : 0;
    sse_feed(&r, skn_str_sub(skn_buf_str(&frame), 0, cut));
    expect(e.found == 0, "a part of a frame was taken for all of it");
    sse_feed(&r, skn_str_sub(skn_buf_str(&frame), cut, frame.n));
    expect(e.found == 1, "not one frame");
    expect(!r.bad && !r.comments && !r.retry, "something else than a frame");
    sse_reader_release(&r);
    skn_buf_release(&frame);
    skn_buf_release(&normal);
    return 0;
}
