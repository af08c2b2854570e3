#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem: linear whatever the needle */
#endif
#include "base/str.h"

#include <string.h>
#include <strings.h>

skein_str skein_text(const char *s)
{
    return s ? (skein_str){s, strlen(s)} : SKN_NONE;
}

skn_str skn_str_of(const char *s)
{
    return skein_text(s);
}

bool skn_str_eq(skn_str a, skn_str b)
{
    if (a.n != b.n || !a.p != !b.p)
        return false;
    return a.n == 0 || memcmp(a.p, b.p, a.n) == 0;
}

bool skn_str_is(skn_str a, const char *b)
{
    return skn_str_eq(a, skn_str_of(b));
}

bool skn_str_is_word(skn_str a, const char *b)
{
    return a.p && a.n == strlen(b) && strncasecmp(a.p, b, a.n) == 0;
}

bool skn_str_among(skn_str s, const char *words)
{
    skn_str rest = skn_str_of(words), word;

    while (skn_str_split(&rest, ' ', &word))
        if (skn_str_eq(s, word))
            return true;
    return false;
}

int skn_str_cmp(skn_str a, skn_str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int    order = n ? memcmp(a.p, b.p, n) : 0;

    if (order)
        return order;
    if (a.n != b.n)
        return a.n < b.n ? -1 : 1;
    return (a.p != NULL) - (b.p != NULL);
}

bool skn_str_starts(skn_str s, skn_str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool skn_str_ends(skn_str s, skn_str suffix)
{
    if (s.n < suffix.n)
        return false;
    return suffix.n == 0 || memcmp(s.p + (s.n - suffix.n), suffix.p, suffix.n) == 0;
}

ptrdiff_t skn_str_find(skn_str s, skn_str needle)
{
    const char *at;

    if (needle.n == 0)
        return 0;
    if (s.n < needle.n)
        return -1;
    at = memmem(s.p, s.n, needle.p, needle.n);
    return at ? at - s.p : -1;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

skn_str skn_str_trim(skn_str s)
{
    while (s.n && blank(s.p[s.n - 1]))
        s.n--;
    while (s.n && blank(*s.p)) {
        s.p++;
        s.n--;
    }
    return s;
}

skn_str skn_str_sub(skn_str s, size_t from, size_t to)
{
    if (to > s.n)
        to = s.n;
    if (from > to)
        from = to;
    return s.p ? (skn_str){s.p + from, to - from} : SKN_NONE;
}

bool skn_str_split(skn_str *rest, char sep, skn_str *piece)
{
    const char *at;

    if (rest->n == 0)
        return false;
    at = memchr(rest->p, sep, rest->n);
    piece->p = rest->p;
    piece->n = at ? (size_t)(at - rest->p) : rest->n;
    *rest = skn_str_sub(*rest, piece->n + 1, rest->n);
    return true;
}

bool skn_str_int(skn_str s, int64_t *out)
{
    bool     minus = s.n && *s.p == '-';
    uint64_t v = 0, max = (uint64_t)INT64_MAX + minus;

    if (s.n == minus)
        return false;
    for (size_t i = minus; i < s.n; i++) {
        unsigned digit = (unsigned)(unsigned char)s.p[i] - '0';

        if (digit > 9 || v > (max - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    if (minus && v) /* in two steps: the lowest number has no positive twin */
        *out = -(int64_t)(v - 1) - 1;
    else
        *out = (int64_t)v;
    return true;
}

int skn_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

typedef struct unit {
    const char *name;
    int64_t     factor;
} unit;

/* A whole number and one of the units after it, with or without blanks between. */
static bool read_amount(skn_str text, const unit *units, size_t count, int64_t *out)
{
    skn_str s = skn_str_trim(text);
    size_t  digits = 0;
    int64_t n;

    while (digits < s.n && s.p[digits] >= '0' && s.p[digits] <= '9')
        digits++;
    if (!skn_str_int(skn_str_sub(s, 0, digits), &n))
        return false;
    s = skn_str_trim(skn_str_sub(s, digits, s.n));
    for (size_t i = 0; i < count; i++) {
        if (!skn_str_is_word(s, units[i].name))
            continue;
        if (n > INT64_MAX / units[i].factor)
            return false;
        *out = n * units[i].factor;
        return true;
    }
    return false;
}

bool skn_amount_size(skn_str text, int64_t *bytes)
{
    static const unit units[] = {
        {"", 1}, {"B", 1}, {"kB", 1000}, {"MB", 1000000}, {"GB", 1000000000}};

    return read_amount(text, units, sizeof units / sizeof *units, bytes);
}

bool skn_amount_duration(skn_str text, int64_t *ms)
{
    static const unit units[] = {
        {"ms", 1}, {"s", 1000}, {"m", 60000}, {"h", 3600000}, {"d", 86400000}};

    if (skn_str_is(skn_str_trim(text), "0")) {
        *ms = 0;
        return true;
    }
    return read_amount(text, units, sizeof units / sizeof *units, ms);
}

int skn_by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool skn_str_in(const skn_str *list, size_t count, skn_str s)
{
    for (size_t i = 0; i < count; i++)
        if (skn_str_eq(list[i], s))
            return true;
    return false;
}

bool skn_is_among(skn_str names, skn_str wanted)
{
    skn_str name;

    while (skn_str_split(&names, ',', &name))
        if (skn_str_eq(name, wanted))
            return true;
    return false;
}
