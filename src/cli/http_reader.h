/* http_reader.h: reads one HTTP/1.1 answer from bytes as they come, in whatever pieces.
 *
 * Strict: what is not an answer is an error, and so are heads over 64 kB. The body is handed on as it
 * arrives, without its framing (Content-Length, chunks, or the end of the connection).
 * Threads: one. Lifetimes: what a callback gets lives until it returns. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

typedef enum skn_answer_part {
    SKN_ANSWER_HEAD,
    SKN_ANSWER_LENGTH, /* a body of a known length */
    SKN_ANSWER_SIZE,   /* the line with the size of a chunk */
    SKN_ANSWER_CHUNK,
    SKN_ANSWER_CHUNK_END,
    SKN_ANSWER_TRAILER,
    SKN_ANSWER_REST, /* a body up to the end of the connection */
    SKN_ANSWER_DONE
} skn_answer_part;

typedef struct skn_http_reader {
    skn_answer_part part;
    skn_buf         line; /* the line being read; during the head all of it so far */
    int             status;
    int             idle;      /* heads that only announce an answer, and lines behind one */
    bool            events;    /* Content-Type: text/event-stream */
    char            skein[32]; /* Skein-Version: who answers; "" when it does not say */
    bool            chunked, has_length;
    int64_t         left; /* bytes of the body or chunk that are still to come */
    /* Takes a piece of the body; what it returns ends the reading. */
    skein_rc (*body)(void *arg, skn_str piece, skein_error *err);
    void *arg;
} skn_http_reader;

void skn_http_reader_init(skn_http_reader *r);
void skn_http_reader_release(skn_http_reader *r);
/* Takes bytes; those after the end of the answer are an error. */
skein_rc skn_http_reader_feed(skn_http_reader *r, skn_str bytes, skein_error *err);
/* The connection has ended: fine after the last byte, or where its end is that of the body. */
skein_rc skn_http_reader_end(skn_http_reader *r, skein_error *err);
