#include "engine/thinking.h"

#include <string.h>

typedef struct tag {
    skn_str open, close;
} tag;

static const tag tags[] = {
    {{"<think>", 7}, {"</think>", 8}},
    {{"<thinking>", 10}, {"</thinking>", 11}},
};

/* True if s begins with the tag, whose letters are lower case. */
static bool begins(skn_str s, skn_str with)
{
    if (s.n < with.n)
        return false;
    for (size_t i = 0; i < with.n; i++) {
        char c = s.p[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c | 0x20);
        if (c != with.p[i])
            return false;
    }
    return true;
}

static const tag *opened(skn_str s)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (begins(s, tags[i].open))
            return &tags[i];
    return NULL;
}

/* Where, at or after `from`, an open tag begins, or `close` if one is given; s.n when
 * nowhere. */
static size_t find(skn_str s, size_t from, const skn_str *close)
{
    while (from < s.n) {
        const char *at = memchr(s.p + from, '<', s.n - from);
        skn_str     rest;

        if (!at)
            break;
        from = (size_t)(at - s.p);
        rest = skn_str_sub(s, from, s.n);
        if (close ? begins(rest, *close) : opened(rest) != NULL)
            return from;
        from++;
    }
    return s.n;
}

bool skn_think_next(skn_str *rest, skn_think_part *part)
{
    const tag *t = opened(*rest);
    size_t     inner = t ? t->open.n : 0, end, outer;

    if (rest->n == 0)
        return false;
    end = outer = find(*rest, inner, t ? &t->close : NULL);
    if (t && end < rest->n)
        outer = end + t->close.n;
    *part = (skn_think_part){t != NULL, skn_str_sub(*rest, 0, outer),
                             skn_str_sub(*rest, inner, end)};
    *rest = skn_str_sub(*rest, outer, rest->n);
    return true;
}
