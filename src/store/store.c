#include "base/uid.h"
#include "store/db_file.h"
#include "store/tx.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Enough for all workers of a server: otherwise a request would wait for the request of another client. */
#define SQLITE_READERS 20
#define PG_CONNECTIONS 20

/* Connections that are opened when they are needed and kept for the next call. */
typedef struct pool {
    pthread_mutex_t mu;
    pthread_cond_t  freed;   /* a connection came back, or may be opened */
    char           *address; /* set before the first take */
    skn_db_mode     mode;
    int             most;     /* connections at a time; a caller waits when all are taken */
    int             open;     /* guarded by mu: idle ones, and those in use */
    int             idle;     /* guarded by mu */
    skn_db         *kept[20]; /* guarded by mu: the idle ones, the last used at the end */
} pool;

struct skn_store {
    bool           pg, read_only;
    skn_file_place place;  /* SQLite: the file that was opened; zeros: it is none */
    skn_db        *writer; /* SQLite: the one connection that writes */
    skn_group     *group;  /* SQLite: those who wait for it */
    pool           pool;   /* SQLite: readers; PostgreSQL: all connections */
    skn_uid_maker *uids;
    void (*on_commit)(void *arg); /* set before others use the store */
    void           *on_commit_arg;
    pthread_mutex_t watch_mu;
    skn_db         *watch; /* guarded by watch_mu; SQLite: only looks whether others wrote */
};

/* --- Connections that are kept ----------------------------------------------------------------- */

static void pool_init(pool *p, skn_str address, skn_db_mode mode, int most)
{
    *p = (pool){.address = skn_heap_copy(address), .mode = mode, .most = most};
    assert(most > 0 && (size_t)most <= sizeof p->kept / sizeof p->kept[0]);
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->freed, NULL);
}

static void pool_release(pool *p)
{
    assert(p->open == p->idle && "no call may be under way");
    while (p->idle)
        skn_db_close(p->kept[--p->idle]);
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->mu);
    free(p->address);
    *p = (pool){0};
}

/* One connection less; somebody may open another. */
static void forget_connections(pool *p)
{
    pthread_mutex_lock(&p->mu);
    p->open--;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mu);
}

/* A connection for the caller alone; *fresh tells that it was opened just now. */
static skein_rc pool_take(pool *p, skn_db **out, bool *fresh, skein_error *err)
{
    skein_rc rc;

    *out = NULL;
    pthread_mutex_lock(&p->mu);
    while (p->idle == 0 && p->open == p->most)
        pthread_cond_wait(&p->freed, &p->mu);
    *fresh = p->idle == 0;
    if (*fresh)
        p->open++;
    else
        *out = p->kept[--p->idle];
    pthread_mutex_unlock(&p->mu);
    if (!*fresh)
        return SKEIN_OK;
    if ((rc = skn_db_open(out, skn_str_of(p->address), p->mode, err)))
        forget_connections(p);
    return rc;
}

/* Takes the connection back, and closes it when it is of no more use. */
static void pool_give(pool *p, skn_db *db)
{
    assert(!db->in_tx);
    if (db->lost || db->brief) {
        skn_db_close(db);
        forget_connections(p);
        return;
    }
    pthread_mutex_lock(&p->mu);
    p->kept[p->idle++] = db;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mu);
}

/* Puts an open connection in; before the first take. */
static void pool_add(pool *p, skn_db *db)
{
    p->open++;
    pool_give(p, db);
}

/* --- Opening --------------------------------------------------------------------------------- */

static const char *file_of(const skn_store *st)
{
    return st->pool.address + strlen("sqlite:");
}

/* A connection keeps the file that it opened, the next one opens what has its name by then: a store that was moved would
 * become two. */
skein_rc skn_store_unmoved(const skn_store *st, skein_error *err)
{
    return st->place.node ? skn_file_unmoved(file_of(st), st->place, err) : SKEIN_OK;
}

skein_rc skn_store_open(skn_store **out, skn_str address, const skn_store_options *options,
                        skein_error *err)
{
    bool       read_only = options && options->read_only;
    skn_db    *db = NULL;
    skn_store *st;
    skein_rc   rc;

    *out = NULL;
    if ((rc = skn_db_open(&db, address, read_only ? SKN_DB_READER : SKN_DB_WRITER, err)))
        return rc;
    if ((rc = read_only ? skn_migrate_check(db, err) : skn_migrate(db, err))) {
        skn_db_close(db);
        return rc;
    }
    st = skn_heap(sizeof *st);
    st->pg = skn_db_is_pg(db);
    st->read_only = read_only || db->read_only;
    st->uids = skn_uid_maker_new();
    pthread_mutex_init(&st->watch_mu, NULL);
    pool_init(&st->pool, skn_str_of(db->address), SKN_DB_READER,
              st->pg ? PG_CONNECTIONS : SQLITE_READERS);
    if (!st->pg)
        st->place = skn_file_at(file_of(st));
    if (st->pg || st->read_only) {
        pool_add(&st->pool, db);
    } else {
        st->writer = db;
        st->group = skn_group_new(st, db);
    }
    *out = st;
    return SKEIN_OK;
}

void skn_store_close(skn_store *st)
{
    if (!st)
        return;
    skn_db_close(st->watch);
    pthread_mutex_destroy(&st->watch_mu);
    pool_release(&st->pool); /* before the writer: the last one to go tidies the log away */
    skn_group_free(st->group);
    skn_db_close(st->writer);
    skn_uid_maker_free(st->uids);
    free(st);
}

bool skn_store_is_pg(const skn_store *st)
{
    return st->pg;
}

int skn_store_schema(void)
{
    return skn_migrate_newest();
}

void skn_store_uid(skn_store *st, char out[11])
{
    skn_uid_next(st->uids, out);
}

/* --- Transactions ---------------------------------------------------------------------------- */

/* Uneven, so that two that got into each other's way do not meet again. */
static void nap(int tries)
{
    int64_t         most = INT64_C(1000000) << tries; /* 2 ms, then twice as long each time */
    struct timespec t = {.tv_nsec = (long)(skn_random() % (uint64_t)most)};

    nanosleep(&t, NULL);
}

/* A connection in a transaction. One that was kept may have been lost meanwhile, when nothing of
 * this call has happened yet: then the next is tried, at last a new one. */
static skein_rc take_connection_and_begin(skn_store *st, bool writes, skn_db **out,
                                          skein_error *err)
{
    bool     fresh, lost = false;
    skein_rc rc = skn_store_unmoved(st, err);

    if (rc)
        return rc;
    do {
        if ((rc = pool_take(&st->pool, out, &fresh, err)))
            return rc;
        rc = writes ? skn_db_begin_write(*out, err) : skn_db_begin_read(*out, err);
        if (rc) {
            lost = (*out)->lost;
            pool_give(&st->pool, *out);
            *out = NULL;
        }
    } while (rc && lost && !fresh);
    return rc;
}

/* Ends a try of a transaction; true when it should be run again. */
static bool end_try(skn_tx *tx, int tries, skein_rc *rc, skein_error *err)
{
    bool again;

    if (!*rc)
        *rc = skn_events_write(tx, err);
    if (!*rc)
        *rc = skn_db_commit(tx->db, err);
    else
        skn_db_rollback(tx->db);
    again = *rc && (tx->retry || tx->db->retry) && tries < SKN_TX_TRIES;
    pool_give(&tx->store->pool, tx->db);
    skn_events_release(tx);
    return again;
}

/* Runs work in transactions of its own, as often as it takes. */
static skein_rc run_write(skn_store *st, skn_work *work, void *arg, skein_error *err)
{
    bool     again = true;
    skein_rc rc = SKEIN_OK;

    for (int tries = 1; again; tries++) {
        skn_tx tx = {.store = st, .writes = true};

        if ((rc = take_connection_and_begin(st, true, &tx.db, err)))
            return rc;
        rc = work(&tx, arg, err);
        if ((again = end_try(&tx, tries, &rc, err)))
            nap(tries);
    }
    if (!rc)
        skn_store_committed(st);
    return rc;
}

bool skn_snapshot_next(skn_snapshot *s, skein_error *err)
{
    bool again = s->tries ? end_try(s->tx, s->tries, &s->rc, err) : !s->rc;

    if (again && s->tries > 0)
        nap(s->tries);
    if (again && s->tries++ == 0)
        s->tx = skn_heap(sizeof *s->tx);
    if (again) {
        *s->tx = (skn_tx){.store = s->store};
        s->rc = take_connection_and_begin(s->store, false, &s->tx->db, err);
        again = !s->rc;
    }
    if (!again) {
        free(s->tx);
        s->tx = NULL;
    }
    return again;
}

skein_rc skn_store_read(skn_store *st, skn_work *work, void *arg, skein_error *err)
{
    skn_snapshot s = {.store = st};

    while (skn_snapshot_next(&s, err))
        s.rc = work(s.tx, arg, err);
    return s.rc;
}

static skein_rc refuse_write(skein_error *err)
{
    return skn_fail_hint(err, SKEIN_READ_ONLY,
                         "check who owns it, its permissions, and how it was opened",
                         "the store can be read but not written");
}

skein_rc skn_store_write(skn_store *st, skn_work *work, void *arg, skein_error *err)
{
    if (st->read_only)
        return refuse_write(err);
    if (st->group)
        return skn_group_write(st->group, work, arg, err);
    return run_write(st, work, arg, err);
}

skein_rc skn_store_try_write(skn_store *st, skn_work *work, void *arg, skein_error *err)
{
    if (st->read_only)
        return refuse_write(err);
    if (st->group)
        return skn_group_try(st->group, work, arg, err);
    return run_write(st, work, arg, err);
}

/* --- Noticing changes ------------------------------------------------------------------------ */

void skn_store_on_commit(skn_store *st, void (*fn)(void *arg), void *arg)
{
    st->on_commit = fn;
    st->on_commit_arg = arg;
}

void skn_store_committed(skn_store *st)
{
    if (st->on_commit)
        st->on_commit(st->on_commit_arg);
}

static skein_rc stamp_number(skn_tx *tx, void *arg, skein_error *err)
{
    return skn_stamp_number(tx, arg, err);
}

/* A connection that never writes sees a change of data_version after every commit of others, those
 * of this process too; only between two looks of the same one. */
skein_rc skn_store_stamp(skn_store *st, int64_t *stamp, skein_error *err)
{
    skein_rc rc = SKEIN_OK;
    bool     brief;

    if (st->pg)
        return skn_store_read(st, stamp_number, stamp, err);
    pthread_mutex_lock(&st->watch_mu);
    if (!st->watch)
        rc = skn_db_open(&st->watch, skn_str_of(st->pool.address), SKN_DB_READER, err);
    brief = st->watch && st->watch->brief;
    if (!rc && !brief)
        rc = skn_db_number(st->watch, "PRAGMA data_version", stamp, err);
    pthread_mutex_unlock(&st->watch_mu);
    return brief && !rc ? skn_store_read(st, stamp_number, stamp, err) : rc;
}

/* --- Maintenance ----------------------------------------------------------------------------- */

skein_rc skn_store_backup(skn_store *st, skn_str path, skein_error *err)
{
    skn_db  *db;
    bool     fresh;
    skein_rc rc;

    if ((rc = pool_take(&st->pool, &db, &fresh, err)))
        return rc;
    rc = skn_db_backup(db, path, err);
    pool_give(&st->pool, db);
    return rc;
}

static skein_rc look_due(skn_tx *tx, void *arg, skein_error *err)
{
    return skn_scrub_due(tx, arg, err);
}

static skein_rc set_done(skn_tx *tx, void *arg, skein_error *err)
{
    return skn_scrub_done(tx, *(const int64_t *)arg, err);
}

static skein_rc rewrite(skn_store *st, skein_error *err)
{
    skn_db  *db;
    bool     fresh;
    skein_rc rc;

    if (st->group)
        return skn_group_alone(st->group, skn_db_scrub, err);
    if ((rc = pool_take(&st->pool, &db, &fresh, err)))
        return rc;
    rc = skn_db_scrub(db, err);
    pool_give(&st->pool, db);
    return rc;
}

/* Done is only what was erased before it began: what others erase meanwhile stays due. */
skein_rc skn_store_scrub(skn_store *st, skein_error *err)
{
    int64_t  erasures;
    skein_rc rc;

    if (st->read_only)
        return refuse_write(err);
    if ((rc = skn_store_read(st, look_due, &erasures, err)) || (rc = rewrite(st, err)))
        return rc;
    return erasures ? skn_store_write(st, set_done, &erasures, err) : SKEIN_OK;
}

skein_rc skn_store_floor(skn_store *st, const skn_floor *what, int64_t *nanos, skein_error *err)
{
    skn_tx   tx = {.db = st->writer, .store = st, .writes = true};
    bool     fresh;
    skein_rc rc;

    if (st->read_only)
        return refuse_write(err);
    if (st->writer)
        return skn_floor_run(&tx, what, nanos, err);
    if ((rc = pool_take(&st->pool, &tx.db, &fresh, err)))
        return rc;
    rc = skn_floor_run(&tx, what, nanos, err);
    pool_give(&st->pool, tx.db);
    return rc;
}
