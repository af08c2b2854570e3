/* search_conditions.h: what a search asks for beside its words: from:ada is:unreplied -not.
 *
 * A word with a known beginning before its colon is a condition, one after "-" must not be there; the
 * rest is what the engine looks for. Conditions of a message are checked while it looks, those that need
 * more on what it found.
 * Threads, lifetimes: those of the call. */
#ifndef SKN_API_SEARCH_CONDITIONS_H
#define SKN_API_SEARCH_CONDITIONS_H

#include "api/call.h"

typedef struct skn_conditions skn_conditions;

#endif
