/* An answer of a server, whole or byte by byte, gives the same events, the same end, the same error. */
#include "base/sse_reader.h"
#include "cli/http_reader.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENT_LIMIT ((size_t)4096)

typedef struct reading {
    skn_http_reader http;
    skn_sse_reader  sse;
    skn_buf         told;
    skein_rc        rc;
} reading;

static skein_rc take_event(void *arg, const skn_sse_event *event, skein_error *err)
{
    reading *r = arg;

    (void)err;
    skn_buf_addf(&r->told, "%zu:%zu:", event->type.n, event->data.n);
    skn_buf_add(&r->told, event->type);
    skn_buf_add(&r->told, event->data);
    return SKEIN_OK;
}

static skein_rc take_body(void *arg, skn_str piece, skein_error *err)
{
    reading *r = arg;

    return skn_sse_reader_feed(&r->sse, piece, err);
}

static void open_reading(reading *r)
{
    *r = (reading){.rc = SKEIN_OK};
    skn_http_reader_init(&r->http);
    skn_sse_reader_init(&r->sse, EVENT_LIMIT);
    skn_buf_init(&r->told, SIZE_MAX / 4);
    r->http.body = take_body;
    r->http.arg = r->sse.arg = r;
    r->sse.event = take_event;
}

static void close_reading(reading *r)
{
    skn_http_reader_release(&r->http);
    skn_sse_reader_release(&r->sse);
    skn_buf_release(&r->told);
}

/* With a head before them, or as a stream's bytes alone. */
static void feed(reading *r, skn_str bytes, size_t piece, bool bare)
{
    skein_error err = {.rc = SKEIN_OK};

    for (size_t i = 0; i < bytes.n && !r->rc; i += piece) {
        skn_str part = skn_str_sub(bytes, i, bytes.n - i < piece ? bytes.n : i + piece);

        r->rc = bare ? skn_sse_reader_feed(&r->sse, part, &err)
                     : skn_http_reader_feed(&r->http, part, &err);
    }
    if (!r->rc && !bare)
        r->rc = skn_http_reader_end(&r->http, &err);
}

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_client: %s\n", what);
    abort();
}

static void compare(const reading *a, const reading *b)
{
    expect(a->rc == b->rc, "another outcome");
    expect(a->http.status == b->http.status, "another status");
    expect(a->http.part == b->http.part, "another end");
    expect(skn_str_eq(skn_buf_str(&a->told), skn_buf_str(&b->told)), "other events");
    expect(skn_str_eq(skn_buf_str(&a->sse.last_id), skn_buf_str(&b->sse.last_id)),
           "another last id");
    expect(a->sse.retry_ms == b->sse.retry_ms, "another time to wait");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool    bare = size && data[0] == '!';
    skn_str bytes = {(const char *)data + bare, size - bare};
    reading whole, pieces;

    open_reading(&whole);
    feed(&whole, bytes, bytes.n ? bytes.n : 1, bare);
    for (size_t piece = 1; piece <= 7; piece += 6) {
        open_reading(&pieces);
        feed(&pieces, bytes, piece, bare);
        compare(&whole, &pieces);
        close_reading(&pieces);
    }
    close_reading(&whole);
    return 0;
}
