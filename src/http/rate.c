/* How often an address may ask. Each has a bucket that fills up evenly; the table has a fixed size,
 * and an address that did not ask for long makes room for others. */
#include "base/arena.h"
#include "base/hash.h"
#include "base/rand.h"
#include "http/inside.h"

#include <stdlib.h>

enum { SLOTS = 4096, TRIES = 8 };

typedef struct bucket {
    uint64_t who; /* 0: nobody */
    int64_t  at;  /* milliseconds */
    double   left;
} bucket;

struct skn_rates {
    uint64_t seed;
    double   most, per_ms;
    bucket   at[SLOTS];
};

skn_rates *skn_rates_new(int per_minute)
{
    skn_rates *r;

    if (per_minute <= 0)
        return NULL;
    r = skn_heap(sizeof *r);
    r->seed = skn_random();
    r->most = per_minute;
    r->per_ms = per_minute / 60000.0;
    return r;
}

void skn_rates_free(skn_rates *r)
{
    free(r);
}

static bucket *bucket_of(skn_rates *r, uint64_t who, int64_t now)
{
    bucket *oldest = &r->at[who % SLOTS];

    for (size_t i = 0; i < TRIES; i++) {
        bucket *b = &r->at[(who + i) % SLOTS];

        if (b->who == who)
            return b;
        if (!b->who || b->at < oldest->at)
            oldest = b;
        if (!b->who)
            break;
    }
    *oldest = (bucket){.who = who, .at = now, .left = r->most};
    return oldest;
}

bool skn_rates_take(skn_rates *r, skn_str address, int64_t now_ms, int64_t *wait_ms)
{
    bucket *b;

    if (!r)
        return true;
    b = bucket_of(r, skn_hash_bytes(r->seed, address) | 1, now_ms);
    b->left += (double)(now_ms - b->at) * r->per_ms;
    b->left = b->left > r->most ? r->most : b->left;
    b->at = now_ms;
    if (b->left >= 1) {
        b->left -= 1;
        return true;
    }
    *wait_ms = (int64_t)((1 - b->left) / r->per_ms) + 1;
    return false;
}
