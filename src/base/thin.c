#include "base/thin.h"

#include <string.h>

enum { LONGEST = 4096 /* of a line; more of it is another one */ };

void skn_thin_init(skn_thin *t, size_t limit)
{
    *t = (skn_thin){.limit = limit};
    skn_buf_init(&t->kept, SIZE_MAX);
    skn_buf_init(&t->open, LONGEST);
    for (size_t i = 0; i < SKN_THIN_BACK; i++)
        skn_buf_init(&t->lines[i], LONGEST);
}

void skn_thin_release(skn_thin *t)
{
    size_t limit = t->limit;

    skn_buf_release(&t->kept);
    skn_buf_release(&t->open);
    for (size_t i = 0; i < SKN_THIN_BACK; i++)
        skn_buf_release(&t->lines[i]);
    skn_thin_init(t, limit);
}

/* --- In ------------------------------------------------------------------------------------- */

/* What a line has in common with another at both ends; the ends do not overlap in either. */
typedef struct alike {
    size_t back, before, after;
} alike;

static alike compare(skn_str line, skn_str other, size_t back)
{
    size_t most = line.n < other.n ? line.n : other.n;
    alike  a = {.back = back};

    while (a.before < most && line.p[a.before] == other.p[a.before])
        a.before++;
    most -= a.before;
    while (a.after < most && line.p[line.n - 1 - a.after] == other.p[other.n - 1 - a.after])
        a.after++;
    return a;
}

static alike most_alike(const skn_thin *t)
{
    alike best = {0};

    for (unsigned i = 0; i < SKN_THIN_BACK; i++) {
        const skn_buf *other = &t->lines[(t->newest + SKN_THIN_BACK - i) % SKN_THIN_BACK];
        alike          a = compare(skn_buf_str(&t->open), skn_buf_str(other), i);

        if (a.before + a.after > best.before + best.after)
            best = a;
    }
    return best;
}

/* Seven bits at a time, the lowest first. */
static void add_number(skn_buf *out, size_t n)
{
    for (; n >= 128; n /= 128)
        skn_buf_addc(out, (char)(unsigned char)(n % 128 + 128));
    skn_buf_addc(out, (char)(unsigned char)n);
}

static void keep_line(skn_thin *t)
{
    skn_str line = skn_buf_str(&t->open);
    alike   a = most_alike(t);
    skn_str rest = skn_str_sub(line, a.before, line.n - a.after);
    skn_buf swap;

    add_number(&t->kept, a.back);
    add_number(&t->kept, a.before);
    add_number(&t->kept, a.after);
    add_number(&t->kept, rest.n);
    skn_buf_add(&t->kept, rest);
    t->newest = (t->newest + 1) % SKN_THIN_BACK;
    swap = t->lines[t->newest];
    t->lines[t->newest] = t->open;
    t->open = swap;
    skn_buf_clear(&t->open);
}

void skn_thin_add(skn_thin *t, skn_str bytes)
{
    if (bytes.n > t->limit - t->n) {
        bytes.n = t->limit - t->n;
        t->over = true;
    }
    t->n += bytes.n;
    while (bytes.n) {
        size_t      room = LONGEST - t->open.n, n = bytes.n < room ? bytes.n : room;
        const char *end = memchr(bytes.p, '\n', n);

        n = end ? (size_t)(end - bytes.p) + 1 : n;
        skn_buf_add(&t->open, skn_str_sub(bytes, 0, n));
        if (end || n == room)
            keep_line(t);
        bytes = skn_str_sub(bytes, n, bytes.n);
    }
}

/* --- Out ------------------------------------------------------------------------------------ */

typedef struct growing {
    skn_str in;
    char   *out;
    size_t  n;
    size_t  starts[SKN_THIN_BACK], lengths[SKN_THIN_BACK];
    size_t  newest;
} growing;

static size_t take_number(skn_str *in)
{
    size_t   n = 0;
    unsigned shift = 0, c;

    do {
        c = (unsigned char)in->p[0];
        n |= (size_t)(c % 128) << shift;
        shift += 7;
        *in = skn_str_sub(*in, 1, in->n);
    } while (c >= 128);
    return n;
}

static void put_bytes(growing *g, const char *from, size_t n)
{
    if (n)
        memcpy(g->out + g->n, from, n);
    g->n += n;
}

static void take_line(growing *g)
{
    size_t back = take_number(&g->in), before = take_number(&g->in);
    size_t after = take_number(&g->in), rest = take_number(&g->in);
    size_t like = (g->newest + SKN_THIN_BACK - back) % SKN_THIN_BACK, start = g->n;
    size_t end = g->starts[like] + g->lengths[like];

    put_bytes(g, g->out + g->starts[like], before);
    put_bytes(g, g->in.p, rest);
    put_bytes(g, g->out + end - after, after);
    g->in = skn_str_sub(g->in, rest, g->in.n);
    g->newest = (g->newest + 1) % SKN_THIN_BACK;
    g->starts[g->newest] = start;
    g->lengths[g->newest] = g->n - start;
}

char *skn_thin_text(const skn_thin *t)
{
    growing g = {.in = skn_buf_str(&t->kept), .out = skn_heap(t->n + 1)};

    while (g.in.n)
        take_line(&g);
    put_bytes(&g, t->open.p, t->open.n);
    return g.out;
}
