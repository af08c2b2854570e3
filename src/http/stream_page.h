/* stream_page.h: past events for one stream, read and formatted on a worker.
 *
 * Threads: asked for on the loop, filled on a worker, given back on the loop.  Lifetimes: the page
 * belongs to the reading; it is gone when `done` returns. */
#ifndef SKN_HTTP_STREAM_PAGE_H
#define SKN_HTTP_STREAM_PAGE_H

#include "http/hub.h"

typedef struct skn_stream_page skn_stream_page;
struct skn_stream_page {
    /* What is asked for. */
    skn_stream *stream;
    skn_taking  taking;  /* comes back as it is behind the last event */
    bool        opening; /* look first whether `after` can be continued from */
    int64_t     after;   /* -1: only new ones; nothing is read */
    int64_t     known;   /* the store has all events up to here */
    size_t      limit, enough;
    void (*done)(skn_stream *s, const skn_stream_page *p);
    /* What was found. */
    skein_rc    rc;
    skein_error err;
    int64_t     newest; /* when opening */
    const char *reset;  /* why the stream cannot be continued; NULL: it can */
    skn_buf     text;   /* the frames */
    size_t      count;  /* of them */
    bool        full;   /* there may be more */
    int64_t     reached;
};

#endif
