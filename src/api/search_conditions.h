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

/* Reads q; *words is what is left for the engine. Fails on a condition that cannot be. */
skein_rc skn_conditions_read(skn_api_call *c, skn_str q, skn_conditions **out, skn_str *words);
/* Is there any condition at all? */
bool skn_conditions_any(const skn_conditions *w);
/* Does a message meet those that it tells by itself? For skein_search_request. */
bool skn_conditions_wants(const skein_message *m, void *conditions);
/* Leaves the hits that meet the others too. */
skein_rc skn_conditions_sift(skn_api_call *c, const skn_conditions *w, skein_hits *hits);

#endif
