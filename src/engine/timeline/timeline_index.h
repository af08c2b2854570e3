/* timeline_index.h: lists and tables that grow without ever copying all they hold, so that
 * adding to a million costs what adding to a thousand does.
 *
 * Threads: one at a time.  Lifetimes: entries of a list never move. */
#ifndef SKN_ENGINE_TIMELINE_TIMELINE_INDEX_H
#define SKN_ENGINE_TIMELINE_TIMELINE_INDEX_H

#include "base/str.h"

#define SKN_LIST_BLOCKS 31 /* of 4, 8, 16, … entries */

typedef struct skn_list {
    void  *block[SKN_LIST_BLOCKS];
    size_t n;
} skn_list;

/* A new entry of `size` bytes at the end, zeroed; every call for one list has the same size. */
void *skn_list_add(skn_list *l, size_t size);
/* Entry i, which must be there. */
void *skn_list_at(const skn_list *l, size_t size, size_t i);
void  skn_list_release(skn_list *l);

/* A table from a hash to numbers that mean entries of some list. Nothing is ever removed. While
 * it grows, old and new table stand side by side, and each addition moves a few slots over. */
typedef struct skn_index_slot {
    uint32_t tag; /* the hash's lower half */
    uint32_t at;  /* the number plus one; 0: free */
} skn_index_slot;

typedef struct skn_index {
    skn_index_slot *now, *old;
    size_t          cap, old_cap; /* powers of two, or 0 */
    size_t          moved;        /* slots of old that are also in now */
    size_t          count;
} skn_index;

/* True if entry `at` has the key; `owner` is whose list it is. */
typedef bool skn_index_same(const void *owner, uint32_t at, const void *key);

/* Finds the number whose entry has the key. */
bool skn_index_find(const skn_index *x, uint64_t hash, skn_index_same *same, const void *owner,
                    const void *key, uint32_t *at);
/* Asks for the memory where the hash belongs, so that it comes while other work is done. */
void skn_index_expect(const skn_index *x, uint64_t hash);
/* Adds a number; its key must not be there yet. */
void skn_index_add(skn_index *x, uint64_t hash, uint32_t at);
void skn_index_release(skn_index *x);

#endif
