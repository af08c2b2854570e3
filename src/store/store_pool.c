#include "store/tx.h"

#include <assert.h>
#include <stdlib.h>

void skn_pool_init(skn_pool *p, skn_str address, skn_db_mode mode, int most)
{
    *p = (skn_pool){.address = skn_heap_copy(address), .mode = mode, .most = most};
    assert(most > 0 && (size_t)most <= sizeof p->kept / sizeof p->kept[0]);
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->freed, NULL);
}

void skn_pool_release(skn_pool *p)
{
    assert(p->open == p->idle && "no call may be under way");
    while (p->idle)
        skn_db_close(p->kept[--p->idle]);
    pthread_cond_destroy(&p->freed);
    pthread_mutex_destroy(&p->mu);
    free(p->address);
    *p = (skn_pool){0};
}

void skn_pool_add(skn_pool *p, skn_db *db)
{
    p->open++;
    skn_pool_give(p, db);
}

/* One connection less; somebody may open another. */
static void forget(skn_pool *p)
{
    pthread_mutex_lock(&p->mu);
    p->open--;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mu);
}

skein_rc skn_pool_take(skn_pool *p, skn_db **out, bool *fresh, skein_error *err)
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
        forget(p);
    return rc;
}

void skn_pool_give(skn_pool *p, skn_db *db)
{
    assert(!db->in_tx);
    if (db->lost || db->brief) {
        skn_db_close(db);
        forget(p);
        return;
    }
    pthread_mutex_lock(&p->mu);
    p->kept[p->idle++] = db;
    pthread_cond_signal(&p->freed);
    pthread_mutex_unlock(&p->mu);
}
