/* hash.h: a map from text or number to a pointer, in an arena, a 64-bit hash of bytes, and SHA-256.
 *
 * Not a store of strangers' data across requests: it lives and dies with its arena. Seeded per
 * process, so that input cannot be made to collide. */
#pragma once

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

/* --- SHA-256 (FIPS 180-4) of bytes that come in pieces ------------------------------------------------ */

#define SKN_SHA256_TEXT 65 /* 64 hexadecimal digits and a NUL */

typedef struct skn_sha256 {
    uint32_t      h[8];
    uint64_t      bytes; /* taken so far */
    unsigned char block[64];
} skn_sha256;

void skn_sha256_init(skn_sha256 *s);
void skn_sha256_add(skn_sha256 *s, skn_str bytes);
/* The digest of all that was added, in lower-case hexadecimal; the state is used up. */
skn_str skn_sha256_text(skn_sha256 *s, char out[SKN_SHA256_TEXT]);
/* The same of one text. */
skn_str skn_sha256_of(skn_str bytes, char out[SKN_SHA256_TEXT]);
