/* diff.h: what two trees of spans share, what only one of them holds, and what stands elsewhere.
 *
 * Only nodes that the trees do not share are looked at, so the cost goes with the change and not
 * with the threads.
 *
 * Threads: one transaction.  Lifetimes: everything lives in its arena. */
#ifndef SKN_ENGINE_TREE_DIFF_H
#define SKN_ENGINE_TREE_DIFF_H

#include "engine/tree/span.h"

/* Items lo … lo+len-1 of a thread, and where the first of them stands. */
typedef struct skn_run {
    int64_t thread, lo, len, at;
} skn_run;

/* Items that both trees hold, one behind the other in both. */
typedef struct skn_shared {
    int64_t len, at_x, at_y;
    bool    moved; /* to take these out of both leaves the rest in the same order */
} skn_shared;

typedef struct skn_comparison {
    skn_vec(skn_run) only_x, only_y;
    skn_vec(skn_shared) shared; /* by place in x */
    skn_vec(skn_run) met_y;     /* what of y was looked at, in both or not */
} skn_comparison;

/* Compares two trees whose saved nodes have ids. */
skein_rc skn_trees_compare(skn_trees *f, const skn_tree *x, const skn_tree *y,
                           skn_comparison *out, skein_error *err);

#endif
