/* tx.h: a transaction under way, and what the store hands them out from. Only files of this
 * folder include it.
 *
 * Threads: a skn_tx belongs to the thread that runs its work; pools and groups may be used by any.
 * Lock order: a pool's lock and a group's lock are never held together, and never during SQL. */
#pragma once

#include "store/db.h"
#include "store/store.h"

#include <pthread.h>

#define SKN_TX_TRIES 5

/* Events of a transaction that are not yet written (store_feed.c). */
typedef struct skn_told_events {
    skn_arena *a; /* NULL until there is one */
    skn_vec(skn_event_row) rows;
} skn_told_events;

struct skn_tx {
    skn_db         *db;
    skn_store      *store;
    bool            writes; /* false on a snapshot */
    bool            retry;  /* set by a verb that fails: run the work again from its start */
    skn_told_events told;
};

/* Writes the events: the last thing before the commit, or before the end of a savepoint. */
skein_rc skn_events_write(skn_tx *tx, skein_error *err);
/* Drops the events and keeps the memory; at the very end, frees it, too. */
void skn_events_clear(skn_tx *tx);
void skn_events_release(skn_tx *tx);
/* Somebody's work was committed: the listener is called. Under no lock. */
void skn_store_committed(skn_store *st);

/* Writers that share a transaction, since one fsync costs more than many rows: see
 * docs/decisions/0003-group-commit.md. */
typedef struct skn_group skn_group;

/* Refuses when the file of the store is not at its path any more, or another one is. */
skein_rc   skn_store_unmoved(const skn_store *st, skein_error *err);
skn_group *skn_group_new(skn_store *st, skn_db *writer); /* the connection stays the caller's */
void       skn_group_free(skn_group *g);
/* Runs work with others in one transaction; returns when it is durable, or undone. */
skein_rc skn_group_write(skn_group *g, skn_work *work, void *arg, skein_error *err);
/* Runs work in a transaction of its own, or fails with SKEIN_BUSY when anybody else writes. */
skein_rc skn_group_try(skn_group *g, skn_work *work, void *arg, skein_error *err);
/* Runs work alone on the writer's connection, outside of any transaction. */
skein_rc skn_group_alone(skn_group   *g, skein_rc (*work)(skn_db *, skein_error *),
                         skein_error *err);

/* The loop behind skn_store_floor, on the connection of tx and outside of any transaction. */
skein_rc skn_floor_run(skn_tx *tx, const skn_floor *what, int64_t *nanos, skein_error *err);
