/* line_spot.h: where a text ends on a terminal of so many columns, as libedit writes it. */
#ifndef SKN_CLI_LINE_SPOT_H
#define SKN_CLI_LINE_SPOT_H

#include <stddef.h>

typedef struct skn_spot {
    int row, column;
} skn_spot;

/* Moves the spot behind a text in the locale's encoding; bytes that are none of it take one column. */
void skn_spot_after(skn_spot *at, const char *text, size_t n, int width);

#endif
