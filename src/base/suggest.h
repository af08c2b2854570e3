/* suggest.h: the name that was probably meant by one that is not there.
 *
 * Threads: any.  Lifetimes: what it returns is one of the candidates. */
#ifndef SKN_BASE_SUGGEST_H
#define SKN_BASE_SUGGEST_H

#include "base/str.h"

/* Candidate number i, or NULL after the last. */
typedef const char *skn_candidate(const void *ctx, size_t i);

/* The candidate that is nearest to what was typed; NULL when none is near. */
const char *skn_suggest(const char *typed, skn_candidate *next, const void *ctx);

#endif
