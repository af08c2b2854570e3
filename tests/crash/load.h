/* load.h: a mixed load of several threads on one chat, which tells every success.
 *
 * Each thread says its own numbered messages under ids it gives itself, in order, and between them
 * amends, inserts, squashes, removes, edits, branches and travels in time. What was told has
 * happened; a message whose call failed is sent again under the same id, as a client would.
 *
 * Threads: one for each skn_load_thread; the callbacks must stand that.
 * Lifetimes: the caller's, until skn_load_run returns. */
#ifndef SKN_TESTS_LOAD_H
#define SKN_TESTS_LOAD_H

#include "base/buf.h"
#include <skein/skein.h>

#include <stdatomic.h>

#define SKN_LOAD_THREADS 8
#define SKN_LOAD_BATCH   3 /* most messages of one append */

typedef struct skn_load {
    skein_engine         *e;
    skein_conversation_id chat;
    uint64_t              seed;
    int                   first;    /* number of its first thread */
    int                   threads;  /* first + threads is at most SKN_LOAD_THREADS */
    int64_t               changes;  /* each thread ends after so many calls; 0: never */
    const atomic_bool    *stop;     /* or as soon as this is set; may be NULL */
    int64_t next[SKN_LOAD_THREADS]; /* number of the first message of each thread */
    /* Takes a line about a success, after the call has returned:
     *   said THREAD FIRST COUNT     messages of a thread
     *   made UID HASH VERSION KIND  a message that a change made, and its version
     *   version VERSION KIND        a version without a new message
     *   fork CHAT                   a branch
     *   moved VERSION               by undo, redo or switch */
    void (*tell)(void *arg, const char *line);
    /* Hears of a failure that is not part of the game; false ends the thread. */
    bool (*fail)(void *arg, const char *what, const skein_error *err);
    void *arg;
} skn_load;

/* Makes the world, its agents and the chat, or finds what is there of them. */
skein_rc skn_load_prepare(skein_engine *e, skein_conversation_id *chat, skein_error *err);
/* Runs all threads until each has ended. */
void skn_load_run(skn_load *l);

/* The id and the text of a thread's n-th message, the same each time. */
void skn_load_uid(int thread, int64_t n, char out[static 32]);
void skn_load_text(int thread, int64_t n, skn_buf *out);
/* How many messages the append that begins with the n-th has. */
size_t skn_load_batch(int thread, int64_t n);

/* Numbers that look random and are the same for the same seed. */
typedef struct skn_dice {
    uint64_t state;
} skn_dice;
uint64_t skn_dice_next(skn_dice *d);
size_t   skn_dice_below(skn_dice *d, size_t n);

#endif
