/* hash.h: a map from text or number to a pointer, in an arena, and a 64-bit hash of bytes.
 *
 * Not a store of strangers' data across requests: it lives and dies with its arena. Seeded per
 * process, so that input cannot be made to collide. */
#ifndef SKN_BASE_HASH_H
#define SKN_BASE_HASH_H

#include "base/arena.h"

uint64_t skn_hash_bytes(uint64_t seed, skn_str s);

typedef struct skn_map skn_map;

skn_map *skn_map_new(skn_arena *a);
/* The slot of a key, made empty (NULL) when it is new. Keys are copied into the arena. */
void **skn_map_slot(skn_map *m, skn_str key);
void  *skn_map_get(const skn_map *m, skn_str key); /* NULL when absent */
void **skn_map_slot_int(skn_map *m, int64_t key);
void  *skn_map_get_int(const skn_map *m, int64_t key);
size_t skn_map_count(const skn_map *m);

#endif
