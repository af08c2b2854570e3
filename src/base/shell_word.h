/* shell_word.h: words of commands that a person is told.
 *
 * Threads: any. */
#ifndef SKN_BASE_SHELL_WORD_H
#define SKN_BASE_SHELL_WORD_H

#include "base/arena.h"

/* A word as a shell reads it: in quotes where it needs them. */
skn_str skn_shell_word(skn_arena *a, const char *word);

#endif
