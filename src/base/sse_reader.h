/* sse_reader.h: reads a stream of server-sent events from bytes as they come, in whatever pieces.
 *
 * Threads: one. Lifetimes: what the callback gets lives until it returns. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

typedef struct skn_sse_event {
    skn_str type; /* "message" when it names none */
    skn_str data;
} skn_sse_event;

typedef struct skn_sse_reader {
    skn_buf line, type, data, id;
    bool    has_data, after_cr, begun;
    skn_buf last_id;  /* of the last event that had one: to go on from */
    int64_t retry_ms; /* as the server asks; -1: it did not */
    /* Takes an event; what it returns ends the reading. */
    skein_rc (*event)(void *arg, const skn_sse_event *event, skein_error *err);
    void *arg;
} skn_sse_reader;

void     skn_sse_reader_init(skn_sse_reader *r, size_t limit); /* of one event */
void     skn_sse_reader_release(skn_sse_reader *r);
skein_rc skn_sse_reader_feed(skn_sse_reader *r, skn_str bytes, skein_error *err);
/* Forgets an event that did not end: the connection was cut. The last id stays. */
void skn_sse_reader_cut(skn_sse_reader *r);
