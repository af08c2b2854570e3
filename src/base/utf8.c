#include "base/utf8.h"

#include "base/error.h"

#include <string.h>

/* By table 3-7 of Unicode. */
size_t skn_utf8_get(skn_str s, uint32_t *c)
{
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char  *p = (const unsigned char *)s.p;
    size_t                len;

    if (s.n == 0)
        return 0;
    if (p[0] < 0x80) {
        *c = p[0];
        return 1;
    }
    len = p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (len == 0 || len > s.n)
        return 0;
    *c = p[0] & (0x7fu >> len);
    for (size_t i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | (p[i] & 0x3f);
    }
    if (*c < lowest[len] || *c > 0x10ffff || (*c >= 0xd800 && *c <= 0xdfff))
        return 0;
    return len;
}

/* True if the eight bytes are ASCII and none is zero. With no high bit set in w, taking one
 * from each byte borrows exactly where a byte was zero, and the borrow shows as a high bit. */
static bool plain8(const unsigned char *p)
{
    uint64_t w;

    memcpy(&w, p, sizeof w);
    return ((w | (w - 0x0101010101010101u)) & 0x8080808080808080u) == 0;
}

bool skn_utf8_valid(skn_str s, size_t *bad)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t               i = 0, len;
    uint32_t             c;

    while (i < s.n) {
        if (s.n - i >= 8 && plain8(p + i)) {
            i += 8;
            continue;
        }
        len = skn_utf8_get((skn_str){s.p + i, s.n - i}, &c);
        if (len == 0 || c == 0) {
            if (bad)
                *bad = i;
            return false;
        }
        i += len;
    }
    return true;
}

skein_rc skn_utf8_check(skn_str s, const char *what, skein_error *err)
{
    size_t bad = 0;

    if (skn_utf8_valid(s, &bad))
        return SKEIN_OK;
    if (s.p[bad] == '\0')
        return skn_fail(err, SKEIN_INVALID, "%s contains U+0000 at byte %zu", what, bad);
    return skn_fail(err, SKEIN_INVALID, "%s is not UTF-8: byte 0x%02x at offset %zu", what,
                    (unsigned)(unsigned char)s.p[bad], bad);
}

static bool inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

skn_str skn_utf8_cut(skn_str s, size_t max)
{
    size_t n = max;

    if (s.n <= max)
        return s;
    while (n > 0 && max - n < 3 && inside(s.p[n]))
        n--;
    if (inside(s.p[n])) /* no character is that long: not UTF-8, so any cut will do */
        n = max;
    return (skn_str){s.p, n};
}

bool skn_utf8_among(const skn_utf8_range *ranges, size_t count, uint32_t c)
{
    for (size_t i = 0; i < count; i++)
        if (c >= ranges[i].from && c <= ranges[i].to)
            return true;
    return false;
}

/* The blocks made of combining marks only, joiners and variation selectors: enough to line up
 * a table, not a full width database. */
static bool combining(uint32_t c)
{
    static const skn_utf8_range ranges[] = {
        {0x0300, 0x036f},   {0x0483, 0x0489},   {0x0591, 0x05bd}, {0x061c, 0x061c},
        {0x064b, 0x065f},   {0x1ab0, 0x1aff},   {0x1dc0, 0x1dff}, {0x200b, 0x200f},
        {0x20d0, 0x20ff},   {0x3099, 0x309a},   {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f},
        {0xe0020, 0xe007f}, {0xe0100, 0xe01ef},
    };

    return skn_utf8_among(ranges, sizeof ranges / sizeof *ranges, c);
}

/* The scripts of East Asia, and the pictures that terminals draw as wide as these. */
static bool wide(uint32_t c)
{
    static const skn_utf8_range ranges[] = {
        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x23e9, 0x23ec},   {0x25fd, 0x25fe},
        {0x2614, 0x2615},   {0x2648, 0x2653},   {0x26aa, 0x26ab},   {0x2705, 0x2705},
        {0x270a, 0x270b},   {0x2728, 0x2728},   {0x274c, 0x274c},   {0x2753, 0x2755},
        {0x2795, 0x2797},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},   {0x2e80, 0x303e},
        {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},   {0xac00, 0xd7a3},
        {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
        {0x1f191, 0x1f19a}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff},
        {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
    };

    return skn_utf8_among(ranges, sizeof ranges / sizeof *ranges, c);
}

static size_t columns_of(uint32_t c)
{
    return c < 0x300 ? 1 : combining(c) ? 0 : c >= 0x1100 && wide(c) ? 2 : 1;
}

size_t skn_utf8_columns(skn_str s)
{
    size_t   columns = 0, i = 0, len;
    uint32_t c;

    while (i < s.n) {
        len = skn_utf8_get((skn_str){s.p + i, s.n - i}, &c);
        columns += len == 0 ? 1 : columns_of(c);
        i += len ? len : 1;
    }
    return columns;
}

size_t skn_utf8_put(uint32_t c, char out[4])
{
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

    if (n == 1) {
        out[0] = (char)c;
        return 1;
    }
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)((0xf00u >> n) | c);
    return n;
}
