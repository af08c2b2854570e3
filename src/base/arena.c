#include "base/arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
};

static _Noreturn void out_of_memory(void)
{
    fputs("skein: out of memory\n", stderr);
    abort();
}

static block *block_new(size_t size, block *prev)
{
    block *b = NULL;

    if (size <= SIZE_MAX / 2)
        b = malloc(sizeof *b + size);
    if (!b)
        out_of_memory();
    b->prev = prev;
    b->size = size;
    b->used = 0;
    return b;
}

skn_arena *skn_arena_new(void)
{
    skn_arena *a = skn_heap(sizeof *a);

    a->next = FIRST;
    return a;
}

static block *drop(block *b)
{
    block *prev = b->prev;

    free(b);
    return prev;
}

void skn_arena_reset(skn_arena *a)
{
    while (a->own)
        a->own = drop(a->own);
    while (a->shared && a->shared->prev)
        a->shared = drop(a->shared);
    if (a->shared)
        a->shared->used = 0;
    a->next = a->shared ? FIRST * 2 : FIRST;
}

void skn_arena_free(skn_arena *a)
{
    if (!a)
        return;
    while (a->own)
        a->own = drop(a->own);
    while (a->shared)
        a->shared = drop(a->shared);
    free(a);
}

/* A piece above a quarter of the largest block is alone, so at most a quarter of any block is
 * lost at its end. */
static void *take(skn_arena *a, size_t size)
{
    void *piece;

    if (SPLIT || size > LARGEST / 4) {
        a->own = block_new(size, a->own);
        return a->own->data;
    }
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (!a->shared || a->shared->size - a->shared->used < size) {
        while (a->next / 4 < size)
            a->next *= 2;
        a->shared = block_new(a->next, a->shared);
        if (a->next < LARGEST)
            a->next *= 2;
    }
    piece = (char *)a->shared->data + a->shared->used;
    a->shared->used += size;
    return piece;
}

void *skn_arena_alloc(skn_arena *a, size_t size)
{
    return memset(take(a, size), 0, size);
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
    p = take(a, s.n + 1);
    memcpy(p, s.p, s.n);
    p[s.n] = '\0';
    return (skn_str){p, s.n};
}

skn_str skn_arena_printf(skn_arena *a, const char *fmt, ...)
{
    va_list args;
    int     n;
    char   *p;

    va_start(args, fmt);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        out_of_memory();
    p = take(a, (size_t)n + 1);
    va_start(args, fmt);
    vsnprintf(p, (size_t)n + 1, fmt, args);
    va_end(args);
    return (skn_str){p, (size_t)n};
}

/* *p is some other pointer type than void *, so it is read and written as bytes. */
void skn_vec_grow(skn_arena *a, void **p, size_t n, size_t *cap, size_t size)
{
    void *bigger, *old;

    if (n < *cap)
        return;
    *cap = *cap ? times(*cap, 2) : 8;
    bigger = take(a, times(*cap, size));
    memcpy(&old, p, sizeof old);
    if (n)
        memcpy(bigger, old, n * size);
    memset((char *)bigger + n * size, 0, (*cap - n) * size);
    memcpy(p, &bigger, sizeof bigger);
}

void *skn_heap(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p)
        out_of_memory();
    return p;
}

void *skn_heap_resize(void *p, size_t size)
{
    p = realloc(p, size ? size : 1);
    if (!p)
        out_of_memory();
    return p;
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
