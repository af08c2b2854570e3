#include "base/url.h"

#include "base/utf8.h"

#include <string.h>

bool skn_url_decode(skn_str text, bool query, skn_arena *a, skn_str *out)
{
    char  *p = skn_arena_alloc(a, text.n + 1);
    size_t n = 0, bad;

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '%') {
            int high = i + 2 < text.n ? skn_hex_digit(text.p[i + 1]) : -1;
            int low = i + 2 < text.n ? skn_hex_digit(text.p[i + 2]) : -1;

            if (high < 0 || low < 0)
                return false;
            p[n++] = (char)(high << 4 | low);
            i += 2;
        } else {
            p[n++] = query && text.p[i] == '+' ? ' ' : text.p[i];
        }
    }
    *out = (skn_str){p, n};
    return skn_utf8_valid(*out, &bad);
}

void skn_url_encode(skn_buf *out, skn_str text)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];

        if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
            (c && strchr("-._~", c))) {
            skn_buf_addc(out, (char)c);
        } else {
            skn_buf_addc(out, '%');
            skn_buf_addc(out, hex[c >> 4]);
            skn_buf_addc(out, hex[c & 15]);
        }
    }
}

static skn_str cut_name(skn_str *pair)
{
    const char *eq = pair->n ? memchr(pair->p, '=', pair->n) : NULL;
    size_t      n = eq ? (size_t)(eq - pair->p) : pair->n;
    skn_str     name = skn_str_sub(*pair, 0, n);

    *pair = eq ? skn_str_sub(*pair, n + 1, pair->n) : SKN_STR("");
    return name;
}

skn_str skn_query_get(skn_str query, const char *name, skn_arena *a)
{
    skn_str pair, key, value;

    while (query.p && skn_str_split(&query, '&', &pair)) {
        skn_str raw = cut_name(&pair);
        bool    coded = raw.n && (memchr(raw.p, '%', raw.n) || memchr(raw.p, '+', raw.n));

        if (!coded)
            key = raw;
        else if (!skn_url_decode(raw, true, a, &key))
            continue;
        if (skn_str_is(key, name) && skn_url_decode(pair, true, a, &value))
            return value;
    }
    return SKN_NONE;
}

bool skn_query_valid(skn_str query, skn_arena *a)
{
    skn_str pair, part;

    while (query.p && skn_str_split(&query, '&', &pair))
        if (!skn_url_decode(cut_name(&pair), true, a, &part) ||
            !skn_url_decode(pair, true, a, &part))
            return false;
    return true;
}

/* --- base64 ------------------------------------------------------------------------------------ */

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

/* The text of `s`, without "=". */
static size_t write_letters(char *out, skn_str s, const char *letters)
{
    size_t n = 0;

    for (size_t i = 0; i < s.n; i += 3) {
        size_t   left = s.n - i < 3 ? s.n - i : 3;
        uint32_t bits = 0;

        for (size_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < left ? (unsigned char)s.p[i + k] : 0U);
        for (size_t k = 0; k <= left; k++)
            out[n++] = letters[bits >> (18 - 6 * k) & 63];
    }
    return n;
}

void skn_base64_add(skn_buf *out, skn_str bytes)
{
    enum { AT_ONCE = 3 * 1024 };
    char text[AT_ONCE / 3 * 4];

    for (size_t i = 0; i < bytes.n; i += AT_ONCE) {
        size_t left = bytes.n - i < AT_ONCE ? bytes.n - i : AT_ONCE;
        size_t n = write_letters(text, (skn_str){bytes.p + i, left}, LETTERS "+/");

        while (n % 4)
            text[n++] = '=';
        skn_buf_add(out, (skn_str){text, n});
    }
}

skn_str skn_base64url(skn_arena *a, skn_str bytes)
{
    char *out = skn_arena_alloc(a, bytes.n / 3 * 4 + 5);

    return (skn_str){out, write_letters(out, bytes, LETTERS "-_")};
}

static int value_of(unsigned char c, bool url)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == (url ? '-' : '+') ? 62 : c == (url ? '_' : '/') ? 63 : -1;
}

static bool read_letters(skn_arena *a, skn_str s, bool url, skn_str *out)
{
    char    *p = skn_arena_alloc(a, s.n / 4 * 3 + 4);
    size_t   n = 0;
    uint32_t bits = 0;
    int      held = 0;

    for (size_t i = 0; i < s.n; i++) {
        int v = value_of((unsigned char)s.p[i], url);

        if (v < 0)
            return false;
        bits = bits << 6 | (uint32_t)v;
        held += 6;
        if (held >= 8) {
            held -= 8;
            p[n++] = (char)(bits >> held & 255);
        }
    }
    *out = (skn_str){p, n};
    return s.n % 4 != 1 && (url || !(bits & ((1U << held) - 1)));
}

bool skn_base64_read(skn_arena *a, skn_str text, skn_str *out)
{
    if (text.n % 4)
        return false;
    for (int i = 0; i < 2 && text.n && text.p[text.n - 1] == '='; i++)
        text.n--;
    return read_letters(a, text, false, out);
}

bool skn_base64url_read(skn_arena *a, skn_str text, skn_str *out)
{
    return read_letters(a, text, true, out);
}
