#include "base/clean.h"

bool skn_clean_harmful(skn_str s, size_t *bytes)
{
    const unsigned char *p = (const unsigned char *)s.p;
    size_t               n = s.n;

    *bytes = 1;
    if (!n)
        return false;
    if (p[0] < 0x20 || p[0] == 0x7f)
        return true;
    if (n >= 2 && p[0] == 0xc2 && p[1] < 0xa0) {
        *bytes = 2;
        return true;
    }
    *bytes = 3;
    if (n >= 3 && p[0] == 0xe2 && p[1] == 0x80 && p[2] >= 0xaa && p[2] <= 0xae)
        return true;
    return n >= 3 && p[0] == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9;
}

void skn_clean_add(skn_buf *out, skn_str text, bool lines)
{
    const unsigned char *p = (const unsigned char *)text.p;
    size_t               from = 0, i = 0, bytes;

    while (i < text.n) {
        if ((p[i] >= 0x20 && p[i] < 0x7f) || p[i] == '\t' || (lines && p[i] == '\n') ||
            !skn_clean_harmful(skn_str_sub(text, i, text.n), &bytes)) {
            i++;
            continue;
        }
        skn_buf_add(out, skn_str_sub(text, from, i));
        if (p[i] == '\n')
            skn_buf_addc(out, ' ');
        else if (p[i] < 0x20 && !(p[i] == '\r' && i + 1 < text.n && p[i + 1] == '\n'))
            skn_buf_addf(out, "\xe2\x90%c",
                         0x80 + p[i]); /* U+241B shows an escape, and so on */
        else if (p[i] >= 0x7f)
            skn_buf_add(out, SKN_STR("\xef\xbf\xbd"));
        i += bytes;
        from = i;
    }
    skn_buf_add(out, skn_str_sub(text, from, text.n));
}
