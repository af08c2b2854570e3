#define _XOPEN_SOURCE 700 /* for wcwidth, which libedit measures with */

#include "cli/line_spot.h"

#include <string.h>
#include <wchar.h>

/* As libedit places it: what does not fit begins a row, and a full row is followed by another. */
static void place(skn_spot *at, wchar_t c, int width)
{
    int n = wcwidth(c);

    if (c == L'\n') {
        *at = (skn_spot){at->row + 1, 0};
        return;
    }
    if (c == L'\t')
        n = 8 - at->column % 8;
    else if (n < 0)
        n = 2; /* ^X */
    if (at->column + n > width)
        *at = (skn_spot){at->row + 1, 0};
    at->column += n;
    if (at->column >= width)
        *at = (skn_spot){at->row + 1, 0};
}

void skn_spot_after(skn_spot *at, const char *text, size_t n, int width)
{
    mbstate_t state;
    wchar_t   c;

    memset(&state, 0, sizeof state);
    while (n) {
        size_t used = mbrtowc(&c, text, n, &state);

        if (used == 0 || used > n) {
            memset(&state, 0, sizeof state);
            used = 1;
            c = L'?';
        }
        place(at, c, width);
        text += used;
        n -= used;
    }
}
