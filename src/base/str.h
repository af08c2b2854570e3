/* str.h: text as a view, pointer and length. It need not end in NUL.
 *
 * Threads: any.  Lifetimes: a view never owns; to keep it past its owner, copy it into an arena. */
#pragma once

#include <skein/text.h>
#include <stdbool.h>
#include <stdint.h>

typedef skein_str skn_str;

#define SKN_STR(lit) ((skn_str){"" lit, sizeof(lit) - 1})
#define SKN_FMT(s)   (int)(s).n, (s).p /* for "%.*s" */
#define SKN_NONE     ((skn_str){NULL, 0})

skn_str skn_str_of(const char *s);        /* NULL gives SKN_NONE */
bool    skn_str_eq(skn_str a, skn_str b); /* absent and empty differ */
bool    skn_str_is(skn_str a, const char *b);
bool    skn_str_is_word(skn_str a, const char *b); /* in any case of letters */
/* Is it one of these words, which have a blank between them? */
bool skn_str_among(skn_str s, const char *words);
/* Below, at or above zero, by bytes; a prefix sorts first. */
int skn_str_cmp(skn_str a, skn_str b);
/* Is it one of these? */
bool skn_str_in(const skn_str *list, size_t count, skn_str s);
/* The same of names with commas between. */
bool skn_is_among(skn_str names, skn_str wanted);
/* For qsort: texts in C by their bytes. */
int  skn_by_name(const void *a, const void *b);
bool skn_str_starts(skn_str s, skn_str prefix);
bool skn_str_ends(skn_str s, skn_str suffix);
/* Where needle begins in s, or -1. */
ptrdiff_t skn_str_find(skn_str s, skn_str needle);
skn_str   skn_str_trim(skn_str s); /* without blanks, tabs and line ends at both ends */
skn_str   skn_str_sub(skn_str s, size_t from, size_t to);
/* Cuts the text before the first sep off *rest and returns it; false when *rest is used up, so
 * a sep at the very end is followed by no empty piece. */
bool skn_str_split(skn_str *rest, char sep, skn_str *piece);
/* A decimal whole number filling all of s; false when it is none or does not fit. */
bool skn_str_int(skn_str s, int64_t *out);
/* Sizes and durations as people write them: "64kB", "15 m". Sizes know kB MB GB, durations ms s m h d. */
bool skn_amount_size(skn_str text, int64_t *bytes);
bool skn_amount_duration(skn_str text, int64_t *ms);
/* The value of a hexadecimal digit, or -1. */
int skn_hex_digit(char c);
