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
