/* span.h: the frozen part of a thread: a persistent B+-tree of ranges of items.
 *
 * A span is a range of some thread's own items. A tree of spans is never changed: a splice makes a
 * new one that shares every node but those on the path, so a change in a thread of a million
 * messages writes two or three nodes. Each entry also carries the smallest and largest order key
 * under it, which makes finding an item by its key a descent, too; after messages were moved the
 * keys are not sorted any more, and finding stays right but looks at more nodes.
 *
 * Threads: a skn_trees belongs to one transaction.  Lifetimes: everything lives in its arena. */
#pragma once

#include "base/buf.h"
#include "base/hash.h"
#include "store/store.h"

#define SKN_NODE_ENTRIES 32
#define SKN_NODE_LEVELS  32 /* far above what any thread needs; a level beyond is damage */

/* Items lo … lo+len-1 of a thread, and the order keys they span. */
typedef struct skn_span {
    int64_t thread, lo, len, kmin, kmax;
} skn_span;

typedef struct skn_spans {
    skn_span *at;
    size_t    count;
} skn_spans;

typedef struct skn_node skn_node;

/* An entry is a span, in a leaf, or a child with everything under it. */
typedef struct skn_entry {
    skn_span  span;     /* of a child: only len, kmin and kmax mean something */
    int64_t   child_id; /* 0 in a leaf, and until the child is saved */
    skn_node *child;    /* NULL until it is loaded */
} skn_entry;

struct skn_node {
    int64_t   id; /* 0 until it is saved */
    int       level;
    size_t    count;
    skn_entry e[]; /* 1 … SKN_NODE_ENTRIES */
};

/* The nodes a transaction has seen or made. */
typedef struct skn_trees {
    skn_tx    *tx;
    skn_arena *a;
    skn_map   *seen;
    int64_t    conversation; /* whose threads these are */
} skn_trees;

typedef struct skn_tree {
    skn_node *root; /* NULL: empty */
    int64_t   length;
} skn_tree;

void skn_trees_init(skn_trees *f, skn_tx *tx, skn_arena *a, int64_t conversation);
/* root_id 0 is the empty tree. */
skein_rc skn_tree_open(skn_trees *f, int64_t root_id, int64_t length, skn_tree *out,
                       skein_error *err);
/* Loads the child of an entry that stands in a node of this level; SKEIN_DAMAGED when the child is
 * not of the level below, so that every way down ends. */
skein_rc skn_tree_child(skn_trees *f, int level, skn_entry *entry, skein_error *err);
/* Replaces positions [i, j) by the given spans. */
skein_rc skn_tree_splice(skn_trees *f, skn_tree *t, int64_t i, int64_t j, const skn_span *ins,
                         size_t count, skein_error *err);
/* Writes the nodes that are new and reachable; *root_id is 0 for the empty tree. */
skein_rc skn_tree_save(skn_trees *f, const skn_tree *t, int64_t conversation, int64_t *root_id,
                       skein_error *err);
/* The spans of positions [i, j), with exact keys at the cuts. */
skein_rc skn_tree_slice(skn_trees *f, const skn_tree *t, int64_t i, int64_t j, skn_spans *out,
                        skein_error *err);
/* The position of an item, or -1. */
skein_rc skn_tree_find(skn_trees *f, const skn_tree *t, int64_t thread, int64_t seq,
                       int64_t key, int64_t *position, skein_error *err);
/* The first position whose key is at least `key`, or the length. */
skein_rc skn_tree_first_at(skn_trees *f, const skn_tree *t, int64_t key, int64_t *position,
                           skein_error *err);
/* The smallest order key from a position on, or INT64_MAX when nothing is there. */
skein_rc skn_tree_least_key(skn_trees *f, const skn_tree *t, int64_t from, int64_t *key,
                            skein_error *err);
/* The part [from, to) of a span, which is not empty, with its keys looked up where it was cut. */
skein_rc skn_span_part(skn_tx *tx, const skn_span *s, int64_t from, int64_t to, skn_span *out,
                       skein_error *err);
/* The first item of [lo, lo+len) of a thread whose key is at least `key`; keys rise in a span. */
skein_rc skn_span_first_at(skn_tx *tx, const skn_span *s, int64_t key, int64_t *seq,
                           skein_error *err);

/* span.c: a node's entries as bytes. */
skn_str skn_node_encode(const skn_node *n, skn_buf *buf);
/* False when the bytes are no node of this level. */
bool skn_node_decode(skn_str bytes, int level, skn_arena *a, skn_node **out);

/* --- diff.c: two trees ---------------------------------------------------------------------------------- *
 * Their common items, the items of only one of them, and moved items. Only nodes that they do not share
 * are looked at, so the cost goes with the change and not with the threads. */

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
