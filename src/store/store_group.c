/* Group commit without a thread of its own. A writer puts its request into the queue; when nobody
 * leads, it leads: it takes what waits, runs all of it in one transaction, commits once, wakes the
 * others and passes the lead on. While it waits for the disk, the next group gathers by itself, so
 * a lone writer is never held up. */
#include "store/tx.h"

#include <stdlib.h>
#include <string.h>

/* Requests in a transaction: a bound on how long the first of them waits for the last. */
#define GROUP_MOST 64

typedef skein_rc alone_work(skn_db *db, skein_error *err);

typedef struct request {
    skn_work       *work; /* or, outside of any transaction: */
    alone_work     *alone;
    void           *arg;
    skein_error    *err;
    skein_rc        rc;
    int             tries;
    bool            done;  /* guarded by mu: its caller may return */
    bool            leads; /* guarded by mu: its caller is to lead */
    pthread_cond_t  wake;  /* done or leads was set; one each, so that only one thread wakes */
    struct request *next;  /* guarded by mu */
} request;

struct skn_group {
    skn_store      *store;
    skn_db         *db; /* used by the leader only */
    pthread_mutex_t mu;
    request        *first, *last; /* guarded by mu */
    bool            led;          /* guarded by mu: some thread leads */
    skn_arena      *told;         /* used by the leader only: events until they are written */
};

typedef struct members {
    request *p[GROUP_MOST];
    int      n;
} members;

skn_group *skn_group_new(skn_store *st, skn_db *writer)
{
    skn_group *g = skn_heap(sizeof *g);

    g->store = st;
    g->db = writer;
    g->told = skn_arena_new();
    pthread_mutex_init(&g->mu, NULL);
    return g;
}

void skn_group_free(skn_group *g)
{
    if (!g)
        return;
    pthread_mutex_destroy(&g->mu);
    skn_arena_free(g->told);
    free(g);
}

/* --- The transaction ------------------------------------------------------------------------- */

static skein_rc run_work(skn_tx *tx, request *r)
{
    skein_rc rc;

    tx->retry = false;
    tx->db->duplicate = tx->db->retry = false; /* of another member */
    r->tries++;
    skn_events_clear(tx); /* of another member, or of an earlier try */
    rc = r->work(tx, r->arg, r->err);
    if (!rc && !tx->db->in_tx) /* the work went on after a failure that ended all */
        rc = skn_db_fault(tx->db, SKEIN_FAILED, "the transaction has ended early", r->err);
    return rc ? rc : skn_events_write(tx, r->err);
}

static bool wants_again(const skn_tx *tx, const request *r)
{
    return r->rc && tx->retry && r->tries < SKN_TX_TRIES;
}

/* With others in the transaction a request works in a savepoint, so that its failure takes nothing
 * of theirs away. */
static skein_rc run_in_savepoint(skn_tx *tx, request *r)
{
    skein_rc rc;

    if ((rc = skn_db_script(tx->db, "SAVEPOINT member", r->err)))
        return rc;
    rc = run_work(tx, r);
    if (!rc)
        rc = skn_db_script(tx->db, "RELEASE member", r->err);
    if (rc && tx->db->in_tx &&
        skn_db_script(tx->db, "ROLLBACK TO member; RELEASE member", NULL))
        skn_db_rollback(tx->db); /* nothing of it may stay */
    return rc;
}

static void fail_all(members *m, const skein_error *why)
{
    for (int i = 0; i < m->n; i++) {
        m->p[i]->rc = why->rc;
        if (m->p[i]->err)
            *m->p[i]->err = *why;
    }
    m->n = 0;
}

/* Runs the members until one of them ends the transaction for all (a full disk does that); that
 * one is then out, and true says that the rest must run again. */
static bool run_members(skn_group *g, members *m)
{
    skn_tx tx = {.db = g->db, .store = g->store, .writes = true, .told.a = g->told};

    for (int i = 0; i < m->n; i++) {
        request *r = m->p[i];

        do
            r->rc = m->n > 1 ? run_in_savepoint(&tx, r) : run_work(&tx, r);
        while (m->n > 1 && g->db->in_tx && wants_again(&tx, r));
        if (!g->db->in_tx) {
            m->n--;
            memmove(&m->p[i], &m->p[i + 1], (size_t)(m->n - i) * sizeof m->p[0]);
            return m->n > 0;
        }
    }
    if (m->n == 1 && wants_again(&tx, m->p[0])) {
        skn_db_rollback(g->db);
        return true;
    }
    return false;
}

/* Commits what succeeded, once for all; false when nothing was. */
static bool commit(skn_group *g, members *m)
{
    skein_error why;
    int         good = 0;

    for (int i = 0; i < m->n; i++)
        good += m->p[i]->rc == SKEIN_OK;
    if (good == 0) {
        skn_db_rollback(g->db);
        return false;
    }
    if (skn_db_commit(g->db, &why) == SKEIN_OK)
        return true;
    fail_all(m, &why); /* also those that failed: the rows they met never were */
    return false;
}

static bool run_group(skn_group *g, members *m)
{
    skein_error why;
    bool        again = true;

    while (again) {
        if (skn_store_unmoved(g->store, &why) || skn_db_begin_write(g->db, &why)) {
            fail_all(m, &why);
            return false;
        }
        again = run_members(g, m);
    }
    return g->db->in_tx && commit(g, m);
}

/* --- The queue ------------------------------------------------------------------------------- */

/* Moves what waits into a group: as many as may share a transaction, or one that must be alone. */
static void take_locked(skn_group *g, members *m)
{
    m->n = 0;
    while (g->first && m->n < GROUP_MOST && (m->n == 0 || !g->first->alone)) {
        m->p[m->n++] = g->first;
        g->first = g->first->next;
        if (m->p[0]->alone)
            break;
    }
    if (!g->first)
        g->last = NULL;
}

static void pass_lead_locked(skn_group *g)
{
    if (g->first) {
        g->first->leads = true;
        pthread_cond_signal(&g->first->wake);
    } else {
        g->led = false;
    }
}

/* The caller's own request is the first of the queue. */
static void lead(skn_group *g, request *own)
{
    members all, left;
    bool    changed = false;

    pthread_mutex_lock(&g->mu);
    take_locked(g, &all);
    pthread_mutex_unlock(&g->mu);
    if (own->alone) {
        own->rc = own->alone(g->db, own->err);
    } else {
        left = all; /* loses those whose end is known */
        changed = run_group(g, &left);
    }
    pthread_mutex_lock(&g->mu);
    pass_lead_locked(g);
    for (int i = 1; i < all.n; i++) {
        all.p[i]->done = true;
        pthread_cond_signal(&all.p[i]->wake);
    }
    pthread_mutex_unlock(&g->mu);
    if (changed)
        skn_store_committed(g->store);
}

static skein_rc submit(skn_group *g, request *r)
{
    bool leads;

    pthread_cond_init(&r->wake, NULL);
    pthread_mutex_lock(&g->mu);
    if (g->last)
        g->last->next = r;
    else
        g->first = r;
    g->last = r;
    leads = !g->led;
    g->led = true;
    while (!leads && !r->leads && !r->done)
        pthread_cond_wait(&r->wake, &g->mu);
    leads = leads || r->leads;
    pthread_mutex_unlock(&g->mu);
    if (leads)
        lead(g, r);
    pthread_cond_destroy(&r->wake);
    return r->rc;
}

skein_rc skn_group_write(skn_group *g, skn_work *work, void *arg, skein_error *err)
{
    request r = {.work = work, .arg = arg, .err = err};

    return submit(g, &r);
}

skein_rc skn_group_alone(skn_group *g, alone_work *work, skein_error *err)
{
    request r = {.alone = work, .err = err};

    return submit(g, &r);
}

/* Not in the queue: others gather behind it as behind any leader. */
skein_rc skn_group_try(skn_group *g, skn_work *work, void *arg, skein_error *err)
{
    request r = {.work = work, .arg = arg, .err = err};
    members m = {.p = {&r}, .n = 1};
    bool    led, changed;

    pthread_mutex_lock(&g->mu);
    led = g->led;
    g->led = true;
    pthread_mutex_unlock(&g->mu);
    if (led)
        return skn_fail(err, SKEIN_BUSY, "another writer is at work");
    g->db->patience = 1; /* for other programs */
    changed = run_group(g, &m);
    g->db->patience = 0;
    pthread_mutex_lock(&g->mu);
    pass_lead_locked(g);
    pthread_mutex_unlock(&g->mu);
    if (changed)
        skn_store_committed(g->store);
    return r.rc;
}
