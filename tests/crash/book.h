/* book.h: what the load has told, and whether a store keeps it.
 *
 * Threads: skn_book_keep and skn_book_kept may be called by any; the rest by one.
 * Lifetimes: init to release. */
#ifndef SKN_TESTS_BOOK_H
#define SKN_TESTS_BOOK_H

#include "load.h"
#include "whole.h"

#include <pthread.h>

typedef struct skn_book_made {
    skein_str uid, kind;
    uint64_t  hash;
    int64_t   version;
} skn_book_made;

typedef struct skn_book {
    pthread_mutex_t mu;
    skein_mem      *mem;            /* guarded by mu while threads keep lines */
    skn_vec(skein_str) kept;        /* guarded by mu */
    int64_t said[SKN_LOAD_THREADS]; /* messages told, which are 0, 1, 2, … */
    skn_vec(skn_book_made) made;    /* also versions without a message: uid is absent */
    skn_vec(skein_str) forks;
    int64_t lines;
} skn_book;

void skn_book_init(skn_book *b);
void skn_book_release(skn_book *b);
/* Takes a line of the load; one that is none fails the test. */
void skn_book_line(skn_book *b, skein_str line);
/* Keeps a line until skn_book_settle takes all that were kept, in their order. */
void    skn_book_keep(skn_book *b, const char *line);
int64_t skn_book_kept(skn_book *b);
void    skn_book_settle(skn_book *b);

/* Is all there that was told, with its text and in its order; is nothing there that nobody can
 * have sent; and is every change whole? */
void skn_book_check(const skn_book *b, const skn_whole *w);

#endif
