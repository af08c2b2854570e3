/* thinking.h: finds <think>…</think> and <thinking>…</thinking> in a text, losing no byte.
 *
 * A block ends at the first close tag of its own name, or with the text. Tags are ASCII in
 * any case. An open tag inside a block, a close tag outside of one, and a close tag of the
 * other name are plain text. One pass: every byte is looked at once.
 *
 * Threads: any.  Lifetimes: parts are views of the text. */
#pragma once

#include "base/str.h"

typedef struct skn_think_part {
    bool    thinking;
    skn_str source; /* with the tags; the sources in order are the whole text */
    skn_str text;   /* without */
} skn_think_part;

/* Cuts the next part off *rest; false when *rest is used up. */
bool skn_think_next(skn_str *rest, skn_think_part *part);
/* The text without the blocks that it begins with, and the blanks around these. */
skn_str skn_think_skip(skn_str text);
