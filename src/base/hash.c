#include "base/hash.h"
#include "base/uid.h"

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
static cell *find_cell(const skn_map *m, uint64_t hash, skn_str key, int64_t number)
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
    cell *c = find_cell(m, hash, key, number);

    if (c->e)
        return &c->e->value;
    if (m->count + 1 > m->cap / 4 * 3) {
        grow(m);
        c = find_cell(m, hash, key, number);
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
    const cell *c = find_cell(m, hash, key, number);

    return c->e ? c->e->value : NULL;
}

/* An absent text is looked up as the empty one, since no text at all marks a number. */
static skn_str text_key(skn_str key)
{
    return key.p ? key : SKN_STR("");
}

/* Numbers are the store's own and not a stranger's: spreading them is enough (splitmix64). */
static uint64_t hash_int(const skn_map *m, int64_t key)
{
    uint64_t x = (uint64_t)key ^ m->seed;

    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
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

static const uint32_t rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t rotr(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

void skn_sha256_init(skn_sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

    memset(s, 0, sizeof *s);
    memcpy(s->h, start, sizeof start);
}

static void schedule(const unsigned char *p, uint32_t w[64])
{
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t a = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t b = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
}

/* The eight words are named and not indexed: the compiler then keeps them in registers. */
static void mix(uint32_t s[8], const unsigned char *block)
{
    uint32_t a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7];
    uint32_t w[64];

    schedule(block, w);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = h + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) +
                      rounds[i] + w[i];
        uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    s[0] += a, s[1] += b, s[2] += c, s[3] += d;
    s[4] += e, s[5] += f, s[6] += g, s[7] += h;
}

void skn_sha256_add(skn_sha256 *s, skn_str bytes)
{
    while (bytes.n) {
        size_t at = (size_t)(s->bytes % 64), n = 64 - at < bytes.n ? 64 - at : bytes.n;

        memcpy(s->block + at, bytes.p, n);
        s->bytes += n;
        bytes = skn_str_sub(bytes, n, bytes.n);
        if (at + n == 64)
            mix(s->h, s->block);
    }
}

skn_str skn_sha256_text(skn_sha256 *s, char out[SKN_SHA256_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t          bits = s->bytes * 8;
    unsigned char     tail[72] = {0x80};
    size_t            pad = (s->bytes % 64 < 56 ? 56 : 120) - (size_t)(s->bytes % 64);

    for (size_t i = 0; i < 8; i++)
        tail[pad + i] = (unsigned char)(bits >> (56 - 8 * i));
    skn_sha256_add(s, (skn_str){(const char *)tail, pad + 8});
    for (size_t i = 0; i < 64; i++)
        out[i] = digits[s->h[i / 8] >> (28 - 4 * (i % 8)) & 15];
    out[64] = '\0';
    return (skn_str){out, 64};
}

skn_str skn_sha256_of(skn_str bytes, char out[SKN_SHA256_TEXT])
{
    skn_sha256 s;

    skn_sha256_init(&s);
    skn_sha256_add(&s, bytes);
    return skn_sha256_text(&s, out);
}
