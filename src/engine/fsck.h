/* fsck.h: a check of the whole store under way; shared by the fsck*.c files only.
 *
 * Everything is read once, in pages, on one snapshot; what must be remembered of it fits into tables
 * of a fixed size that may forget. So memory does not grow with the store.
 *
 * Why no message can stand twice in a thread is shown in three steps, none of which lists a thread:
 * a message has one place in a lane; a thread is made of places of its own lane and of the one that
 * was branched from; and its pieces do not overlap. The last is seen from what differs from the
 * thread it was made from: what both share was looked at before.
 *
 * Threads: one transaction.  Lifetimes: findings live in the caller's memory, all else in scratch. */
#pragma once

#include "engine/core.h"

#define SKN_FSCK_FINDINGS 1000 /* that are listed; the rest is only counted */
#define SKN_FSCK_SLOTS    32768

/* The data of a checked node. */
typedef struct skn_fsck_node {
    int64_t id, length, kmin, kmax;
    int     level;
} skn_fsck_node;

typedef struct skn_fsck {
    skn_tx      *tx;
    skein_mem   *mem;
    skein_check *out;
    skn_vec(skein_finding) findings;
    int64_t           untold;
    skn_arena        *scratch; /* of one row */
    skn_check_source *sources; /* by thread id, SKN_FSCK_SLOTS of them; may forget */
    skn_fsck_node    *nodes;   /* by node id, the same */
    skn_span         *spans;   /* those found to be right, by a hash; the same */
} skn_fsck;

/* Adds a finding. */
void skn_fsck_find(skn_fsck *f, enum skn_invariant_name invariant, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The data of a thread; id 0 when there is none. */
skein_rc skn_fsck_source(skn_fsck *f, int64_t thread, skn_check_source *out, skein_error *err);
/* Is a conversation the other one, or branched from it, through any number of steps? */
skein_rc skn_fsck_kin(skn_fsck *f, int64_t conversation, int64_t other, bool *kin,
                      skein_error *err);

/* fsck_tree.c: every node of every tree, once. */
skein_rc skn_fsck_trees(skn_fsck *f, skein_error *err);
/* fsck_tree.c: every thread against the one it was made from, and its compaction. */
skein_rc skn_fsck_threads(skn_fsck *f, skein_error *err);
