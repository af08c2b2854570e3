/* store.h: the door of the store: keeps worlds, conversations and every version of them.
 *
 * All work is done inside a transaction: skn_store_write or skn_store_read runs the caller's
 * function with a skn_tx, and every verb of this folder takes that skn_tx. A write is durable when
 * skn_store_write returns SKEIN_OK, and has left nothing behind otherwise.
 *
 * Threads: any. Writes to SQLite form groups: the first writer to come runs the work of all that
 * wait, each in a savepoint, and commits once; so a work function may run on another thread than
 * its caller's, and must touch only its argument and the transaction. Readers never wait for the
 * writer. On PostgreSQL every call takes a connection of its own from a pool.
 * Lifetimes: results live in the arena that the verb was given. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "store/rows.h"

typedef struct skn_store skn_store;
typedef struct skn_tx    skn_tx;

typedef skein_rc skn_work(skn_tx *tx, void *arg, skein_error *err);

typedef struct skn_store_options {
    bool read_only; /* never creates or migrates; writes fail with SKEIN_READ_ONLY */
} skn_store_options;

/* address: "sqlite:PATH" or "postgresql://…"; creates or migrates the store when needed. */
skein_rc skn_store_open(skn_store **out, skn_str address, const skn_store_options *options,
                        skein_error *err);
void     skn_store_close(skn_store *st); /* NULL is fine; no call may be under way */

/* Runs work in a write transaction. It may be run again from the start when the database asks for
 * it (a deadlock, a collision of made ids), so it must set, not add to, its results. */
skein_rc skn_store_write(skn_store *st, skn_work *work, void *arg, skein_error *err);
/* The same for work that can be put off: SKEIN_BUSY when another writer of a SQLite store is at
 * work. On PostgreSQL writers meet at rows: there the statements of the work decide. */
skein_rc skn_store_try_write(skn_store *st, skn_work *work, void *arg, skein_error *err);
/* Runs work on one snapshot. */
skein_rc skn_store_read(skn_store *st, skn_work *work, void *arg, skein_error *err);

/* The same in the caller's own words. The body may run again, as work may, and must come to its end. It does not
 * run when rc is set before:
 *
 *     skn_snapshot s = {.store = st};
 *
 *     while (skn_snapshot_next(&s, err))
 *         s.rc = skn_world_rows(s.tx, a, &worlds, err);
 *     return s.rc; */
typedef struct skn_snapshot {
    skn_store *store;
    skn_tx    *tx; /* for the body */
    skein_rc   rc; /* the body's; after the loop that of the whole */
    int        tries;
} skn_snapshot;

bool skn_snapshot_next(skn_snapshot *s, skein_error *err);

/* A copy of the whole store into a new SQLite file, taken while others write. SQLite only. */
skein_rc skn_store_backup(skn_store *st, skn_str path, skein_error *err);
/* After an erasure: makes sure that erased text is in no free page, log or index segment. When it
 * fails the erasure stays due, see skn_scrub_due. */
skein_rc skn_store_scrub(skn_store *st, skein_error *err);

/* The bare loop that the store's own speed is measured against (store_feed.c). */
typedef struct skn_floor {
    int64_t conversation; /* one that has no messages */
    skn_str text;
    int64_t count; /* 0: only brings the log into the file */
} skn_floor;
/* Inserts message rows, each committed by itself, says how long that took, and removes them. No
 * other call may be under way. */
skein_rc skn_store_floor(skn_store *st, const skn_floor *what, int64_t *nanos,
                         skein_error *err);

/* Calls fn after every commit of this store, on the thread that committed; one call may stand for
 * several writers that shared it. fn must not call the store. Set before others use it. */
void skn_store_on_commit(skn_store *st, void (*fn)(void *arg), void *arg);
/* A number that differs whenever anybody has changed the store since (PostgreSQL: told an event). */
skein_rc skn_store_stamp(skn_store *st, int64_t *stamp, skein_error *err);

bool skn_store_is_pg(const skn_store *st);
/* The schema version of this program's newest migration. */
int skn_store_schema(void);
/* Makes public ids for this store. */
void skn_store_uid(skn_store *st, char out[11]);
void skn_tx_uid(skn_tx *tx, char out[11]);

#include "store/archive_verbs.h"
#include "store/foreign.h"
#include "store/verbs.h"
#include "store/verbs_check.h"
