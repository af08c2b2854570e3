#include "base/hash.h"

#include "base/rand.h"

#include <string.h>

static inline uint64_t rotl(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotl(v[1], 13) ^ v[0];
    v[3] = rotl(v[3], 16) ^ v[2];
    v[0] = rotl(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotl(v[1], 17) ^ v[2];
    v[3] = rotl(v[3], 21) ^ v[0];
    v[2] = rotl(v[2], 32);
}

static inline void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

/* Eight bytes, the lowest first; written out, a compiler makes one load of it. */
static inline uint64_t load_word(const char *s)
{
    const unsigned char *p = (const unsigned char *)s;

    return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
           (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
           (uint64_t)p[7] << 56;
}

/* The same of fewer. */
static uint64_t load_rest(const char *p, size_t n)
{
    uint64_t word = 0;

    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return word;
}

/* SipHash-1-3, made for tables whose keys come from strangers; the seed is one half of its key
 * and gives the other. The same on every machine, since a store may keep a hash. */
uint64_t skn_hash_bytes(uint64_t seed, skn_str s)
{
    uint64_t key = rotl(seed * UINT64_C(0x9e3779b97f4a7c15), 32), word;
    uint64_t v[4] = {
        seed ^ UINT64_C(0x736f6d6570736575),
        key ^ UINT64_C(0x646f72616e646f6d),
        seed ^ UINT64_C(0x6c7967656e657261),
        key ^ UINT64_C(0x7465646279746573),
    };
    size_t i;

    for (i = 0; s.n - i >= 8; i += 8)
        sip_word(v, load_word(s.p + i));
    word = i < s.n ? load_rest(s.p + i, s.n - i) : 0;
    sip_word(v, word ^ (uint64_t)s.n << 56);
    v[2] ^= 0xff;
    for (i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Entries stand alone and never move, so a slot stays good while the table grows. */
typedef struct entry {
    skn_str key; /* absent when the key is a number */
    int64_t number;
    void   *value;
} entry;

typedef struct cell {
    uint64_t hash;
    entry   *e; /* NULL: free */
} cell;

struct skn_map {
    skn_arena *a;
    cell      *cells;
    size_t     cap, count; /* cap is a power of two, at most three quarters full */
    uint64_t   seed;
};

skn_map *skn_map_new(skn_arena *a)
{
    skn_map *m = SKN_NEW(a, skn_map);

    m->a = a;
    m->cap = 16;
    m->cells = SKN_ARRAY(a, m->cap, cell);
    m->seed = skn_random();
    return m;
}

/* The cell that holds the key, or the free one where it belongs. */
static cell *find(const skn_map *m, uint64_t hash, skn_str key, int64_t number)
{
    size_t i = hash & (m->cap - 1);

    for (; m->cells[i].e; i = (i + 1) & (m->cap - 1)) {
        const entry *e = m->cells[i].e;

        if (m->cells[i].hash == hash && e->number == number && skn_str_eq(e->key, key))
            break;
    }
    return &m->cells[i];
}

static void grow(skn_map *m)
{
    cell  *old = m->cells;
    size_t cap = m->cap;

    m->cap *= 2;
    m->cells = SKN_ARRAY(m->a, m->cap, cell);
    for (size_t i = 0; i < cap; i++) {
        size_t to = old[i].hash & (m->cap - 1);

        if (!old[i].e)
            continue;
        while (m->cells[to].e)
            to = (to + 1) & (m->cap - 1);
        m->cells[to] = old[i];
    }
}

static void **slot(skn_map *m, uint64_t hash, skn_str key, int64_t number)
{
    cell *c = find(m, hash, key, number);

    if (c->e)
        return &c->e->value;
    if (m->count + 1 > m->cap / 4 * 3) {
        grow(m);
        c = find(m, hash, key, number);
    }
    c->hash = hash;
    c->e = SKN_NEW(m->a, entry);
    c->e->key = skn_arena_copy(m->a, key);
    c->e->number = number;
    m->count++;
    return &c->e->value;
}

static void *value(const skn_map *m, uint64_t hash, skn_str key, int64_t number)
{
    const cell *c = find(m, hash, key, number);

    return c->e ? c->e->value : NULL;
}

/* An absent text is looked up as the empty one, since no text at all marks a number. */
static skn_str text_key(skn_str key)
{
    return key.p ? key : SKN_STR("");
}

static uint64_t hash_int(const skn_map *m, int64_t key)
{
    char bytes[sizeof key];

    memcpy(bytes, &key, sizeof key);
    return skn_hash_bytes(m->seed, (skn_str){bytes, sizeof bytes});
}

void **skn_map_slot(skn_map *m, skn_str key)
{
    return slot(m, skn_hash_bytes(m->seed, key), text_key(key), 0);
}

void *skn_map_get(const skn_map *m, skn_str key)
{
    return value(m, skn_hash_bytes(m->seed, key), text_key(key), 0);
}

void **skn_map_slot_int(skn_map *m, int64_t key)
{
    return slot(m, hash_int(m, key), SKN_NONE, key);
}

void *skn_map_get_int(const skn_map *m, int64_t key)
{
    return value(m, hash_int(m, key), SKN_NONE, key);
}

size_t skn_map_count(const skn_map *m)
{
    return m->count;
}
