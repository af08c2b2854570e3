/* search.h: the index of words as the engine keeps it.
 *
 * Appends do not touch the index: it follows in batches, when somebody searches. What a search finds
 * is decided by the text itself; the index only says where to look.
 *
 * Threads: any.  Lifetimes: one call. */
#ifndef SKN_ENGINE_READ_SEARCH_H
#define SKN_ENGINE_READ_SEARCH_H

#include "engine/core.h"

/* Takes a message out of the index for good. Call it before the message is erased, in the same
 * transaction. */
skein_rc skn_search_forget(skn_tx *tx, int64_t message, skn_arena *a, skein_error *err);

#endif
