/* timeline_cache.h: timelines that were folded before, kept for the next one who asks.
 *
 * A state is the fold of the first so many messages of certain threads. Those never change, so a state can be
 * continued for the same threads at the same length or longer. It is taken out to be used, so nobody else touches it
 * meanwhile; who finds none folds from the start, and gets the same.
 *
 * |Threads: any; a cache has its own lock, under which nothing but its own list is touched.
 * Lifetimes: a state that was taken belongs to the taker until it is put back or freed. */
#pragma once

#include <skein/timeline.h>

#define SKN_TIMELINES_KEPT 8                  /* states */
#define SKN_TIMELINES_MOST (INT64_C(5) << 18) /* messages in all of them */

/* How far a lane is folded. */
typedef struct skn_folded {
    int64_t lane, thread, length; /* thread 0: the lane has none yet */
} skn_folded;

typedef struct skn_timeline_state skn_timeline_state;
struct skn_timeline_state {
    int64_t             conversation;
    int64_t             erasures; /* of the store when it was begun; see skn_erasures */
    skein_timelines    *set;
    skn_folded         *lanes; /* by lane id */
    size_t              count;
    skn_timeline_state *next; /* in the cache: the one used before */
};

typedef struct skn_timeline_cache skn_timeline_cache;

skn_timeline_cache *skn_timeline_cache_new(void);
void                skn_timeline_cache_free(skn_timeline_cache *c); /* NULL is fine */
/* Takes out the state that got furthest of those that these lanes, given by id, continue; NULL
 * when there is none. States from before an erasure are dropped. */
skn_timeline_state *skn_timeline_cache_take(skn_timeline_cache *c, int64_t conversation,
                                            int64_t erasures, const skn_folded *lanes,
                                            size_t count);
/* Keeps a state in place of those that it continues, and drops what was not used for longest when
 * there is too much. */
void skn_timeline_cache_put(skn_timeline_cache *c, skn_timeline_state **s);
/* Drops all. */
void skn_timeline_cache_clear(skn_timeline_cache *c);

/* An empty state of a conversation. */
skn_timeline_state *skn_timeline_state_new(int64_t conversation, int64_t erasures);
void                skn_timeline_state_free(skn_timeline_state *s); /* NULL is fine */
