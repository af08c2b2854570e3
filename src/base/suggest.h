/* suggest.h: the name that was probably meant by one that is not there.
 *
 * Threads: any.  Lifetimes: what it returns is one of the candidates. */
#pragma once

#include "base/arena.h"

/* Candidate number i, or NULL after the last. */
typedef const char *skn_candidate(const void *ctx, size_t i);

/* The candidate that is nearest to what was typed; NULL when none is near. */
const char *skn_suggest(const char *typed, skn_candidate *next, const void *ctx);

/* Names that were read, as candidates. */
typedef struct skn_candidates {
    const char **at;
    size_t       count;
} skn_candidates;

/* Room for so many names. */
skn_candidates skn_candidates_new(skn_arena *a, size_t most);
void           skn_candidates_add(skn_arena *a, skn_candidates *names, skn_str name);
/* The name that is nearest to what was typed; NULL when none is near. */
const char *skn_candidates_suggest(skn_arena *a, const skn_candidates *names, skn_str typed);
