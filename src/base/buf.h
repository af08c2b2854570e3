/* buf.h: bytes that grow up to a limit. The buffer remembers that it was passed (`over`), keeps what
 * fitted, and ignores what follows, so one check at the end is enough. The same when it is large and there is no memory for
 * more of it. */
#pragma once

#include "base/arena.h"
#include "base/str.h"

typedef struct skn_buf {
    char  *p; /* ends in NUL once anything was added */
    size_t n, cap, limit;
    bool   over;
    bool   starved; /* it is over because there was no memory */
} skn_buf;

void    skn_buf_init(skn_buf *b, size_t limit);
void    skn_buf_release(skn_buf *b);
void    skn_buf_clear(skn_buf *b); /* empty, memory kept, `over` forgotten */
void    skn_buf_add(skn_buf *b, skn_str s);
void    skn_buf_addc(skn_buf *b, char c);
void    skn_buf_addf(skn_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void    skn_buf_fill(skn_buf *b, char c, size_t count);
skn_str skn_buf_str(const skn_buf *b); /* borrowed; never absent */
/* The bytes, in an arena; the buffer is released. */
skn_str skn_buf_keep(skn_buf *b, skn_arena *a);
char   *skn_buf_detach(skn_buf *b); /* the bytes, ending in NUL, are the caller's to free() */
