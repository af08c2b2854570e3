/* thin.h: bytes whose lines resemble each other, kept small until they are wanted again.
 *
 * A streamed answer of a model is hundreds of events that differ in a word. Of each line only what differs
 * from the most similar one of the last few is kept, so an answer of 80 kB takes a few. What comes out is
 * what went in, byte for byte, whatever it is.
 * Threads: none of its own.  Lifetimes: skn_thin_release gives all of it back. */
#pragma once

#include "base/buf.h"

enum { SKN_THIN_BACK = 4 /* lines that a line is compared with */ };

typedef struct skn_thin {
    skn_buf  kept;
    skn_buf  lines[SKN_THIN_BACK]; /* the last ones; the newest is at `newest` */
    skn_buf  open;                 /* one whose end has not come */
    unsigned newest;
    size_t   n, limit; /* of what went in */
    bool     over;     /* there was more than the limit; it was ignored */
} skn_thin;

void skn_thin_init(skn_thin *t, size_t limit);
/* It is empty then, with the same limit, and may be used again. */
void skn_thin_release(skn_thin *t);
void skn_thin_add(skn_thin *t, skn_str bytes);
/* All t->n bytes and a NUL; the caller's to free(). */
char *skn_thin_text(const skn_thin *t);
