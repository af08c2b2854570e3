/* span_code.c: a node as bytes: a count, then for each entry its numbers as variable-length
 * integers of seven bits, signed ones folded so that small negatives stay small. */
#include "engine/span.h"

static void put(skn_buf *b, uint64_t v)
{
    while (v >= 0x80) {
        skn_buf_addc(b, (char)(v | 0x80));
        v >>= 7;
    }
    skn_buf_addc(b, (char)v);
}

static void put_signed(skn_buf *b, int64_t v)
{
    put(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static bool get(skn_str *s, uint64_t *out)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64 && s->n > 0; shift += 7) {
        unsigned char c = (unsigned char)*s->p++;

        s->n--;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

static bool get_signed(skn_str *s, int64_t *out)
{
    uint64_t v;

    if (!get(s, &v))
        return false;
    *out = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
    return true;
}

skn_str skn_node_encode(const skn_node *n, skn_buf *buf)
{
    put(buf, n->count);
    for (size_t i = 0; i < n->count; i++) {
        const skn_entry *e = &n->e[i];

        if (n->level > 0) {
            put_signed(buf, e->child_id);
        } else {
            put_signed(buf, e->span.thread);
            put_signed(buf, e->span.lo);
        }
        put_signed(buf, e->span.len);
        put_signed(buf, e->span.kmin);
        put_signed(buf, e->span.kmax - e->span.kmin);
    }
    return skn_buf_str(buf);
}

/* More than any thread has, and so little that positions add up without overflow on every level. */
#define ITEMS_MAX ((int64_t)1 << 56)

static bool decode_entry(skn_str *s, int level, skn_entry *e)
{
    int64_t width, end;
    bool    ok = level > 0 ? get_signed(s, &e->child_id)
                           : get_signed(s, &e->span.thread) && get_signed(s, &e->span.lo);

    if (!ok || !get_signed(s, &e->span.len) || !get_signed(s, &e->span.kmin) ||
        !get_signed(s, &width))
        return false;
    return e->span.len > 0 && e->span.len <= ITEMS_MAX && width >= 0 &&
           !__builtin_add_overflow(e->span.lo, e->span.len, &end) &&
           !__builtin_add_overflow(e->span.kmin, width, &e->span.kmax);
}

bool skn_node_decode(skn_str bytes, int level, skn_arena *a, skn_node **out)
{
    uint64_t  count;
    int64_t   items = 0;
    skn_node *n;

    if (!get(&bytes, &count) || count == 0 || count > SKN_NODE_ENTRIES || level < 0 ||
        level > SKN_NODE_LEVELS)
        return false;
    n = skn_arena_alloc(a, sizeof *n + (size_t)count * sizeof(skn_entry));
    n->level = level;
    n->count = (size_t)count;
    for (size_t i = 0; i < n->count; i++) {
        if (!decode_entry(&bytes, level, &n->e[i]))
            return false;
        items += n->e[i].span.len;
    }
    *out = n;
    return bytes.n == 0 && items <= ITEMS_MAX;
}
