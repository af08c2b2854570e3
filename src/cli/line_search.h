/* line_search.h: Ctrl-R at a prompt: a line that was typed before, found by a part of it.
 *
 * It is a state, not a loop: between two keys it can be left from outside, the line as it was before.
 * Threads: one. Lifetimes: texts live until the next call with the same search. */
#ifndef SKN_CLI_LINE_SEARCH_H
#define SKN_CLI_LINE_SEARCH_H

#include "base/buf.h"

#include <wchar.h>

typedef struct skn_line_search {
    bool    on;
    bool    failed;  /* nothing has all of the pattern: the last hit stays */
    size_t  at;      /* the hit, counted from the newest line */
    skn_buf pattern; /* what is looked for */
    skn_buf before;  /* the line as it was */
    skn_buf line;    /* the line as it is to be: the hit, or what was before */
    skn_buf prompt;
} skn_line_search;

/* The newest line that was typed, or the one before the last that was given; NULL when there is none. */
typedef const char *skn_line_older(void *arg, bool newest);

void skn_line_search_init(skn_line_search *s);
void skn_line_search_release(skn_line_search *s);
void skn_line_search_begin(skn_line_search *s, skn_str line);
/* False when the key is none of the search: it has ended then, and the hit is the line. */
bool skn_line_search_take(skn_line_search *s, wchar_t key, skn_line_older *older, void *arg);
void skn_line_search_cancel(skn_line_search *s);
/* Stands in place of the usual prompt. */
const char *skn_line_search_prompt(skn_line_search *s);

#endif
