/* word_diff.h: which words of two texts differ. Threads: any. */
#ifndef SKN_CLI_WORD_DIFF_H
#define SKN_CLI_WORD_DIFF_H

#include "base/arena.h"

typedef struct skn_diff_word {
    skn_str text; /* of the text that was given */
    bool    changed;
} skn_diff_word;

typedef struct skn_diff_words {
    skn_diff_word *at;
    size_t         count;
} skn_diff_words;

/* Words that stand in both texts, in the same order, are not changed. */
void skn_word_diff(skn_arena *mem, skn_str before, skn_str after, skn_diff_words *old,
                   skn_diff_words *new);

#endif
