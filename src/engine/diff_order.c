/* diff_order.c: which parts of two lists were moved. What stayed is the heaviest set of parts that
 * stand in the same order in both; the rest was moved. */
#include "engine/diff.h"

#include <stdlib.h>

/* The heaviest chain that ends with a part. */
typedef struct chain {
    int64_t weight;
    size_t  before; /* the part before it, plus one; 0: it is the first */
} chain;

/* The best chain that ends at a rank of at most i, for every i: a tree of maxima over ranks. */
typedef struct best {
    size_t *part; /* plus one; 0: none */
    size_t  count;
} best;

static size_t best_below(const best *b, const chain *chains, size_t rank)
{
    size_t found = 0;

    for (size_t i = rank; i > 0; i -= i & (~i + 1)) {
        size_t p = b->part[i];

        if (p && (!found || chains[p - 1].weight > chains[found - 1].weight))
            found = p;
    }
    return found;
}

static void best_put(best *b, const chain *chains, size_t rank, size_t part)
{
    for (size_t i = rank; i <= b->count; i += i & (~i + 1)) {
        size_t p = b->part[i];

        if (!p || chains[part].weight > chains[p - 1].weight)
            b->part[i] = part + 1;
    }
}

static int by_x(const void *a, const void *b)
{
    int64_t x = ((const skn_shared *)a)->at_x, y = ((const skn_shared *)b)->at_x;

    return (x > y) - (x < y);
}

typedef struct ranked {
    int64_t at;
    size_t  part;
} ranked;

static int by_at(const void *a, const void *b)
{
    const ranked *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* The place of each part among all, in y's order, from 1. */
static size_t *rank_parts(const skn_shared *at, size_t count, skn_arena *a)
{
    ranked *order = SKN_ARRAY(a, count, ranked);
    size_t *rank = SKN_ARRAY(a, count, size_t);

    for (size_t i = 0; i < count; i++)
        order[i] = (ranked){at[i].at_y, i};
    qsort(order, count, sizeof *order, by_at);
    for (size_t i = 0; i < count; i++)
        rank[order[i].part] = i + 1;
    return rank;
}

void skn_shared_mark_moved(skn_shared *at, size_t count, skn_arena *a)
{
    best    b = {SKN_ARRAY(a, count + 1, size_t), count};
    chain  *chains = SKN_ARRAY(a, count, chain);
    size_t *rank;
    size_t  last;

    if (count < 2)
        return;
    qsort(at, count, sizeof *at, by_x);
    rank = rank_parts(at, count, a);
    for (size_t i = 0; i < count; i++) {
        size_t before = best_below(&b, chains, rank[i] - 1);

        chains[i] = (chain){at[i].len + (before ? chains[before - 1].weight : 0), before};
        best_put(&b, chains, rank[i], i);
        at[i].moved = true;
    }
    for (last = best_below(&b, chains, count); last; last = chains[last - 1].before)
        at[last - 1].moved = false;
}
