#include "engine/timeline/timeline_state.h"

#include <assert.h>
#include <stdlib.h>

enum { FIRST_BITS = 2, FIRST_CAP = 8, MOVES = 8 };

/* Block k begins at entry 4 * (2^k - 1), so the place follows from the highest bit of i + 4. */
static size_t block_of(size_t i, size_t *within)
{
    unsigned long long place = (unsigned long long)i + (1u << FIRST_BITS);
    unsigned           top = 63u - (unsigned)__builtin_clzll(place);

    *within = (size_t)(place - (1ull << top));
    return top - FIRST_BITS;
}

void *skn_list_add(skn_list *l, size_t size)
{
    size_t within, k = block_of(l->n, &within);

    assert(k < SKN_LIST_BLOCKS);
    if (!l->block[k])
        l->block[k] = skn_heap(((size_t)1 << (k + FIRST_BITS)) * size);
    l->n++;
    return (char *)l->block[k] + within * size;
}

void *skn_list_at(const skn_list *l, size_t size, size_t i)
{
    size_t within, k = block_of(i, &within);

    assert(i < l->n);
    return (char *)l->block[k] + within * size;
}

void skn_list_release(skn_list *l)
{
    for (size_t k = 0; k < SKN_LIST_BLOCKS; k++)
        free(l->block[k]);
    *l = (skn_list){.n = 0};
}

static bool find_in(const skn_index_slot *slots, size_t cap, uint32_t tag, skn_index_same *same,
                    const void *owner, const void *key, uint32_t *at)
{
    for (size_t i = tag & (cap - 1); slots[i].at; i = (i + 1) & (cap - 1)) {
        if (slots[i].tag != tag || !same(owner, slots[i].at - 1, key))
            continue;
        *at = slots[i].at - 1;
        return true;
    }
    return false;
}

bool skn_index_find(const skn_index *x, uint64_t hash, skn_index_same *same, const void *owner,
                    const void *key, uint32_t *at)
{
    uint32_t tag = (uint32_t)hash;

    if (x->now && find_in(x->now, x->cap, tag, same, owner, key, at))
        return true;
    return x->old && find_in(x->old, x->old_cap, tag, same, owner, key, at);
}

void skn_index_expect(const skn_index *x, uint64_t hash)
{
    if (x->now)
        __builtin_prefetch(&x->now[(uint32_t)hash & (x->cap - 1)], 1);
}

static void put_slot(skn_index_slot *slots, size_t cap, skn_index_slot slot)
{
    size_t i = slot.tag & (cap - 1);

    while (slots[i].at)
        i = (i + 1) & (cap - 1);
    slots[i] = slot;
}

/* Slots are copied, not taken: the chains of the old table stay whole until all are over. */
static void move_some(skn_index *x)
{
    for (int i = 0; i < MOVES && x->moved < x->old_cap; i++, x->moved++)
        if (x->old[x->moved].at)
            put_slot(x->now, x->cap, x->old[x->moved]);
    if (x->moved < x->old_cap)
        return;
    free(x->old);
    x->old = NULL;
}

/* At most half full: the old half is over long before the new table is full again. */
void skn_index_add(skn_index *x, uint64_t hash, uint32_t at)
{
    if (x->old)
        move_some(x);
    if (x->count >= x->cap / 2) {
        assert(!x->old);
        x->old = x->now;
        x->old_cap = x->cap;
        x->moved = 0;
        x->cap = x->cap ? x->cap * 2 : FIRST_CAP;
        x->now = skn_heap(x->cap * sizeof *x->now);
    }
    put_slot(x->now, x->cap, (skn_index_slot){(uint32_t)hash, at + 1});
    x->count++;
}

void skn_index_release(skn_index *x)
{
    free(x->now);
    free(x->old);
    *x = (skn_index){.now = NULL};
}
