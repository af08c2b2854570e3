/* holds.h: which messages of a batch a thread holds, asked of many threads that share most of
 * their nodes: every lane of a version, or a lane in all its versions. A node is looked at once,
 * whichever threads it is part of.
 *
 * Threads: one transaction.  Lifetimes: everything lives in the transaction's arena. */
#pragma once

#include "engine/core.h"

/* Numbers of messages in a batch, as bits. */
typedef uint64_t skn_bits;

static inline bool skn_bit(const skn_bits *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static inline void skn_bit_set(skn_bits *bits, size_t i)
{
    bits[i / 64] |= (skn_bits)1 << (i % 64);
}

/* Messages without repeats, numbered in the order in which they were put in. */
typedef struct skn_idset {
    skn_arena *a;
    skn_map   *number;
    skn_vec(int64_t) v;
} skn_idset;

void skn_idset_init(skn_idset *s, skn_arena *a);
/* Its number; 0 is not a message and gets none. */
size_t skn_idset_add(skn_idset *s, int64_t id);
/* The number, or SIZE_MAX. */
size_t  skn_idset_find(const skn_idset *s, int64_t id);
skn_ids skn_idset_ids(const skn_idset *s);

/* One place of one of the messages. */
typedef struct skn_batch_item {
    int64_t thread, seq;
    size_t  number;
} skn_batch_item;

typedef struct skn_batch {
    skn_trees      *trees;
    size_t          count, words;
    skn_placements *places; /* of each message */
    skn_batch_item *items;  /* every place, by thread and seq */
    int64_t        *keys;   /* of every place, ascending */
    size_t          item_count;
    skn_map        *nodes; /* node id -> the bits under it */
} skn_batch;

/* Finds every place of the messages, which are without repeats. */
skein_rc skn_batch_open(skn_batch *b, skn_trees *f, skn_ids ids, skein_error *err);
/* Bits with room for the batch, all zero. */
skn_bits *skn_batch_bits(const skn_batch *b);
/* Adds the bits of the messages that the thread holds. */
skein_rc skn_batch_held(skn_batch *b, const skn_thread *t, skn_bits *bits, skein_error *err);
