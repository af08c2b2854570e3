/* utf8.h: what text may be stored, and cutting it without breaking a character. */
#pragma once

#include "base/str.h"

/* Refuses what is not storable text on every database: bytes that are not UTF-8 (lone surrogates
 * and over-long forms included) and U+0000. The message names `what` and the byte offset. */
skein_rc skn_utf8_check(skn_str s, const char *what, skein_error *err);
/* True if s is UTF-8 without U+0000; *bad is then untouched, else the offset of the first fault. */
bool skn_utf8_valid(skn_str s, size_t *bad);
/* The character at the front of s, and how many bytes it has; 0 when there is none. U+0000 is one here. */
size_t skn_utf8_get(skn_str s, uint32_t *c);
/* The longest prefix of at most max bytes that ends between characters. */
skn_str skn_utf8_cut(skn_str s, size_t max);
/* Columns on a terminal: none for combining characters, two for those of East Asia and for pictures. */
size_t skn_utf8_columns(skn_str s);
/* Appends code point c, which must be a scalar value, to out[4]; returns the bytes written. */
size_t skn_utf8_put(uint32_t c, char out[4]);

/* Characters from one to another, and whether a character is in any of such ranges. */
typedef struct skn_utf8_range {
    uint32_t from, to;
} skn_utf8_range;

bool skn_utf8_among(const skn_utf8_range *ranges, size_t count, uint32_t c);
