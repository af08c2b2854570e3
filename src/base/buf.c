#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 64, SMALL = 64 * 1024 /* up to here memory is there, or the process ends */ };

void skn_buf_init(skn_buf *b, size_t limit)
{
    *b = (skn_buf){.limit = limit < SIZE_MAX / 4 ? limit : SIZE_MAX / 4};
}

void skn_buf_release(skn_buf *b)
{
    free(b->p);
    skn_buf_init(b, b->limit);
}

void skn_buf_clear(skn_buf *b)
{
    b->n = 0;
    b->over = b->starved = false;
    if (b->p)
        b->p[0] = '\0';
}

static bool grow(skn_buf *b, size_t cap)
{
    char *p;

    if (cap > SMALL && !b->p) /* p is at least an empty text */
        b->p = skn_heap(b->cap = FIRST);
    p = cap > SMALL ? realloc(b->p, cap) : skn_heap_resize(b->p, cap);
    if (!p) {
        b->over = b->starved = true;
        return false;
    }
    b->p = p;
    b->cap = cap;
    return true;
}

/* Makes room for up to `more` bytes and a NUL; returns how many of them the limit allows. */
static size_t reserve(skn_buf *b, size_t more)
{
    size_t cap = b->cap ? b->cap : FIRST;

    if (b->over)
        return 0;
    if (more > b->limit - b->n) {
        more = b->limit - b->n;
        b->over = true;
    }
    if (b->n + more < b->cap)
        return more;
    while (cap <= b->n + more)
        cap *= 2;
    return grow(b, cap <= b->limit ? cap : b->limit + 1) ? more : 0;
}

void skn_buf_add(skn_buf *b, skn_str s)
{
    size_t n = reserve(b, s.n);

    if (n)
        memcpy(b->p + b->n, s.p, n);
    b->n += n;
    if (b->p)
        b->p[b->n] = '\0';
}

void skn_buf_addc(skn_buf *b, char c)
{
    if (b->over || b->n >= b->limit || b->n + 1 >= b->cap) {
        skn_buf_fill(b, c, 1);
        return;
    }
    b->p[b->n++] = c;
    b->p[b->n] = '\0';
}

void skn_buf_fill(skn_buf *b, char c, size_t count)
{
    size_t n = reserve(b, count);

    if (n)
        memset(b->p + b->n, c, n);
    b->n += n;
    if (b->p)
        b->p[b->n] = '\0';
}

void skn_buf_addf(skn_buf *b, const char *fmt, ...)
{
    va_list args;
    size_t  room = b->cap - b->n; /* NUL included */
    int     n;

    if (b->over)
        return;
    va_start(args, fmt);
    n = vsnprintf(b->p ? b->p + b->n : NULL, b->p ? room : 0, fmt, args);
    va_end(args);
    if (n < 0) {
        b->over = true;
        n = 0;
    } else if ((size_t)n >= room) {
        room = reserve(b, (size_t)n) + 1;
        if (b->starved)
            return;
        va_start(args, fmt);
        vsnprintf(b->p + b->n, room, fmt, args);
        va_end(args);
        n = (int)(room - 1 < (size_t)n ? room - 1 : (size_t)n);
    }
    b->n += (size_t)n;
    if (b->p)
        b->p[b->n] = '\0';
}

skn_str skn_buf_str(const skn_buf *b)
{
    return b->p ? (skn_str){b->p, b->n} : SKN_STR("");
}

skn_str skn_buf_keep(skn_buf *b, skn_arena *a)
{
    skn_str kept = skn_arena_copy(a, skn_buf_str(b));

    skn_buf_release(b);
    return kept;
}

char *skn_buf_detach(skn_buf *b)
{
    char *p = b->p ? b->p : skn_heap_copy(SKN_STR(""));

    skn_buf_init(b, b->limit);
    return p;
}
