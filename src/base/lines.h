/* lines.h: the lines of a file or of bytes in memory, one after the other, as often as wanted.
 *
 * Threads: one at a time.  Lifetimes: a line is gone when the next one is read; the bytes of a
 * source in memory stay the caller's. */
#pragma once

#include "base/buf.h"
#include "base/error.h"

typedef struct skn_lines {
    const char *name; /* for messages; borrowed */
    skn_str     memory;
    int         fd; /* -1: memory */
    bool        borrowed;
    size_t      limit;
    skn_buf     buf; /* of a file: bytes read and not yet given out, from `at` on */
    size_t      at;
    bool        end;
    int64_t     number; /* of the line given out last */
} skn_lines;

/* limit: bytes of the longest line that is read. */
void skn_lines_memory(skn_lines *l, const char *name, skn_str bytes, size_t limit);
/* Of what is open already; it is closed by its owner. */
void     skn_lines_of(skn_lines *l, const char *name, int fd, size_t limit);
skein_rc skn_lines_open(skn_lines *l, const char *path, size_t limit, skein_error *err);
void     skn_lines_close(skn_lines *l);
/* Back to the first line. */
skein_rc skn_lines_rewind(skn_lines *l, skein_error *err);
/* The next line without its line end; *more is false when there is none. *whole (may be NULL)
 * is false for a last line that lacks its line end. */
skein_rc skn_lines_next(skn_lines *l, skn_str *line, bool *more, bool *whole, skein_error *err);
