#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#endif
#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SPLIT 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) && !defined(SPLIT)
#define SPLIT 1
#endif
#ifndef SPLIT
#define SPLIT 0 /* pieces share blocks */
#endif

enum { LARGE = 128 * 1024, HEAPS = 2 };
enum { LITTLE = 8 * 1024 * 1024 /* of a share, which nobody is refused */ };
enum { WAITS = 50, WAIT_NS = 100 * 1000 * 1000 };
enum { FIRST = 4 * 1024, LARGEST = 1024 * 1024, ALIGN = _Alignof(max_align_t) };

typedef struct block block;
struct block {
    block      *prev;
    size_t      size, used;
    max_align_t data[];
};

struct skein_mem {
    block *shared; /* the newest block that pieces are cut from; its oldest survives a reset */
    block *own;    /* blocks of a single piece */
    size_t next;   /* size of the next shared block */

    skn_share *share; /* NULL: nobody counts */
    size_t     taken; /* of it */
};

static _Noreturn void out_of_memory(void)
{
    fputs("skein: out of memory\n", stderr);
    abort();
}

void skn_heap_tidy(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
    mallopt(M_ARENA_MAX, HEAPS);
#endif
}

void skn_heap_trim(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* Memory may be short because of what others do just now: they are waited for, since there is no other way out. */
static void *patiently(void *old, size_t size)
{
    const struct timespec pause = {0, WAIT_NS};
    void                 *p = NULL;

    if (size > SIZE_MAX / 2)
        out_of_memory();
    for (int i = 0; i < WAITS && !(p = realloc(old, size)); i++) {
        skn_heap_trim();
        nanosleep(&pause, NULL);
    }
    if (!p)
        out_of_memory();
    return p;
}

bool skn_heap_has(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        return false;
    munmap(p, size);
    return true;
}

static block *block_init(block *b, size_t size, block *prev)
{
    b->prev = prev;
    b->size = size;
    b->used = 0;
    return b;
}

void skn_arena_counts(skn_arena *a, size_t size)
{
    if (!a->share)
        return;
    a->taken += size;
    atomic_fetch_add(&a->share->taken, size);
}

static void give_share_back(skn_arena *a)
{
    if (a->share)
        atomic_fetch_sub(&a->share->taken, a->taken);
    a->taken = 0;
}

void skn_arena_shares(skn_arena *a, skn_share *share)
{
    give_share_back(a);
    a->share = share;
}

bool skn_arena_crowded(skn_arena *a)
{
    size_t all = a->share ? atomic_load(&a->share->taken) : 0;

    if (!a->share || all <= a->share->most || all == a->taken || a->taken < LITTLE)
        return false;
    skn_arena_shares(a, NULL);
    return true;
}

static block *block_new(skn_arena *a, size_t size, block *prev)
{
    skn_arena_counts(a, size);
    return block_init(patiently(NULL, sizeof(block) + size), size, prev);
}

static size_t room_in(const skn_arena *a)
{
    return a->shared ? a->shared->size - a->shared->used : 0;
}

skn_arena *skn_arena_new(void)
{
    skn_arena *a = skn_heap(sizeof *a);

    a->next = FIRST;
    return a;
}

bool skn_arena_reserve(skn_arena *a, size_t size)
{
    block *b;

    if (room_in(a) >= size)
        return true;
    if (SPLIT) /* each piece is got alone, later */
        return skn_heap_has(size);
    if (!(b = malloc(sizeof *b + size)))
        return false;
    skn_arena_counts(a, size);
    a->shared = block_init(b, size, a->shared);
    return true;
}

static block *drop_block(block *b)
{
    block *prev = b->prev;

    free(b);
    return prev;
}

void skn_arena_reset(skn_arena *a)
{
    give_share_back(a);
    while (a->own)
        a->own = drop_block(a->own);
    while (a->shared && a->shared->prev)
        a->shared = drop_block(a->shared);
    if (a->shared)
        a->shared->used = 0;
    a->next = a->shared ? FIRST * 2 : FIRST;
}

void skn_arena_free(skn_arena *a)
{
    if (!a)
        return;
    give_share_back(a);
    while (a->own)
        a->own = drop_block(a->own);
    while (a->shared)
        a->shared = drop_block(a->shared);
    free(a);
}

/* A piece above a quarter of the largest block is alone, so at most a quarter of any block is
 * lost at its end. */
static void *take_bytes(skn_arena *a, size_t size)
{
    size_t room = room_in(a);
    void  *piece;

    if (SPLIT || (size > LARGEST / 4 && room < size + ALIGN)) {
        a->own = block_new(a, size, a->own);
        return a->own->data;
    }
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (!a->shared || room < size) {
        while (a->next / 4 < size)
            a->next *= 2;
        a->shared = block_new(a, a->next, a->shared);
        if (a->next < LARGEST)
            a->next *= 2;
    }
    piece = (char *)a->shared->data + a->shared->used;
    a->shared->used += size;
    return piece;
}

void *skn_arena_alloc(skn_arena *a, size_t size)
{
    return memset(take_bytes(a, size), 0, size);
}

void *skn_arena_try(skn_arena *a, size_t size)
{
    size_t needed = size + ALIGN;

    if (room_in(a) < needed) {
        if (!skn_arena_reserve(a, needed > a->next ? needed : a->next))
            return NULL;
        a->next *= a->next < LARGEST ? 2 : 1;
    }
    return skn_arena_alloc(a, size);
}

static size_t times(size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        out_of_memory();
    return count * size;
}

void *skn_arena_array(skn_arena *a, size_t count, size_t size)
{
    return skn_arena_alloc(a, times(count, size));
}

skn_str skn_arena_copy(skn_arena *a, skn_str s)
{
    char *p;

    if (!s.p)
        return SKN_NONE;
    p = take_bytes(a, s.n + 1);
    memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (skn_str){p, s.n};
}

__attribute__((format(printf, 2, 0))) static skn_str print(skn_arena *a, const char *fmt,
                                                           va_list args)
{
    va_list again;
    int     n;
    char   *p;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0)
        out_of_memory();
    p = take_bytes(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, args);
    return (skn_str){p, (size_t)n};
}

skn_str skn_arena_printf(skn_arena *a, const char *fmt, ...)
{
    va_list args;
    skn_str s;

    va_start(args, fmt);
    s = print(a, fmt, args);
    va_end(args);
    return s;
}

const char *skn_arena_text(skn_arena *a, const char *fmt, ...)
{
    va_list args;
    skn_str s;

    va_start(args, fmt);
    s = print(a, fmt, args);
    va_end(args);
    return s.p;
}

/* *p is some other pointer type than void *, so it is read and written as bytes. */
void skn_vec_grow(skn_arena *a, void **p, size_t n, size_t *cap, size_t size)
{
    void *bigger, *old;

    if (n < *cap)
        return;
    *cap = *cap ? times(*cap, 2) : 8;
    bigger = take_bytes(a, times(*cap, size));
    memcpy(&old, p, sizeof old);
    if (n)
        memcpy(bigger, old, n * size);
    memset((char *)bigger + n * size, 0, (*cap - n) * size);
    memcpy(p, &bigger, sizeof bigger);
}

void *skn_heap(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    return p ? p : memset(patiently(NULL, size ? size : 1), 0, size);
}

void *skn_heap_resize(void *p, size_t size)
{
    return patiently(p, size ? size : 1);
}

char *skn_heap_copy(skn_str s)
{
    char *p = skn_heap(s.n + 1);

    if (s.n)
        memcpy(p, s.p, s.n);
    return p;
}

skein_mem *skein_mem_new(void)
{
    return skn_arena_new();
}

void skein_mem_reset(skein_mem *mem)
{
    skn_arena_reset(mem);
}

void skein_mem_free(skein_mem *mem)
{
    skn_arena_free(mem);
}
