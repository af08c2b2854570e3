/* definition.h: how a tool of a server defines itself, for a person who is to allow it.
 *
 * Threads: any.  Lifetimes: the parts live in the arena, or in the item. The texts are a server's: whoever prints them cleans
 * them. */
#ifndef SKN_CLI_DEFINITION_H
#define SKN_CLI_DEFINITION_H

#include "base/arena.h"
#include <skein/agents.h>

typedef struct skn_defined {
    skn_str label, text; /* "description", and what it says */
} skn_defined;

typedef struct skn_definition_parts {
    const char *why; /* it is to be read; a sentence. NULL: nothing is */
    skn_vec(skn_defined) parts;
} skn_definition_parts;

void skn_definition_read(const skein_inbox_item *item, skn_arena *a, skn_definition_parts *out);

#endif
