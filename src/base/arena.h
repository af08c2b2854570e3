/* arena.h: memory of one request, given back at once.
 *
 * Threads: one at a time.  Allocation never fails: when memory is out it waits a while for others to give theirs back, and
 * then ends the process; what input can make large has a limit checked by its owner, and is reserved
 * before it is used; what the store can make large is read only while there is memory (store/db.c).  In sanitizer builds every piece is a
 * block of its own, so that an overflow is seen. */
#pragma once

#include "base/str.h"

#include <stdatomic.h>

typedef struct skein_mem skn_arena;

skn_arena *skn_arena_new(void);
void       skn_arena_reset(skn_arena *a);
void       skn_arena_free(skn_arena *a); /* NULL is fine */
/* Gets room for so many bytes beforehand, which pieces are cut from; false when there is no memory, and nothing has
 * changed. For what the size of an input decides: it fails before it begins. */
bool skn_arena_reserve(skn_arena *a, size_t size);
/* What arenas may take together, and have taken. Threads: any. */
typedef struct skn_share {
    size_t        most;
    atomic_size_t taken;
} skn_share;

/* What the arena takes from here on counts in the share, until it is freed or reset. */
void skn_arena_shares(skn_arena *a, skn_share *share);
/* Counts bytes that belong to the arena's work and are elsewhere. */
void skn_arena_counts(skn_arena *a, size_t size);
/* True: all together took too much, and this one has to end; it counts no more. Never for one alone, or one that took
 * little. */
bool skn_arena_crowded(skn_arena *a);
/* Zeroed, aligned for any type. */
void *skn_arena_alloc(skn_arena *a, size_t size);
/* The same, but NULL when there is no memory. */
void *skn_arena_try(skn_arena *a, size_t size);
void *skn_arena_array(skn_arena *a, size_t count, size_t size);
/* A copy that ends in NUL; an absent text stays absent. */
skn_str skn_arena_copy(skn_arena *a, skn_str s);
skn_str skn_arena_printf(skn_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *skn_arena_text(skn_arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#define SKN_NEW(a, type)      ((type *)skn_arena_alloc((a), sizeof(type)))
#define SKN_ARRAY(a, n, type) ((type *)skn_arena_array((a), (n), sizeof(type)))

/* A growing array in an arena: doubles when full, so that adding n costs O(n).
 *   skn_vec(int) v = {0};  skn_vec_add(a, &v, 7);  v.p[0], v.n */
#define skn_vec(type)                                                                          \
    struct {                                                                                   \
        type  *p;                                                                              \
        size_t n, cap;                                                                         \
    }
#define skn_vec_add(a, v, item)                                                                \
    (skn_vec_grow((a), (void **)&(v)->p, (v)->n, &(v)->cap, sizeof *(v)->p),                   \
     (void)((v)->p[(v)->n++] = (item)))
void skn_vec_grow(skn_arena *a, void **p, size_t n, size_t *cap, size_t size);
/* Whether there is memory for one more: for arrays whose length the store or an input decides. */
#define skn_vec_fits(v)                                                                        \
    ((v)->n < (v)->cap || (v)->cap < 1024 ||                                                   \
     skn_heap_has(SKN_HEADROOM + 2 * (v)->cap * sizeof *(v)->p))

/* A function for qsort: by one member, and then by another. SKN_ORDER_OF is for lists of pointers. */
#define SKN_ORDER(name, type, one, two)                                                        \
    static int name(const void *x, const void *y)                                              \
    {                                                                                          \
        const type *a = x, *b = y;                                                             \
        return a->one != b->one ? (a->one < b->one ? -1 : 1)                                   \
                                : (a->two > b->two) - (a->two < b->two);                       \
    }
#define SKN_ORDER_OF(name, type, one, two)                                                     \
    SKN_ORDER(name##_in, type, one, two)                                                       \
    static int name(const void *x, const void *y)                                              \
    {                                                                                          \
        return name##_in(*(type *const *)x, *(type *const *)y);                                \
    }

/* Whether so many bytes could be had now. */
bool skn_heap_has(size_t size);
/* Memory that is kept for what is small and cannot fail: where there is less, nothing large is begun or gone on with. */
#define SKN_HEADROOM ((size_t)32 * 1024 * 1024)
/* For a process that runs for long: what is large is given back to the system as soon as it is freed, and threads share
 * few places to take memory from. */
void skn_heap_tidy(void);
/* Gives memory that is not in use back to the system. */
void skn_heap_trim(void);
/* Heap memory of the engine's lifetime; ends the process when there is none. */
void *skn_heap(size_t size); /* zeroed */
void *skn_heap_resize(void *p, size_t size);
char *skn_heap_copy(skn_str s);
