#include "base/workers.h"

#include "base/arena.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

typedef struct job {
    skn_call   *work, *done;
    void       *arg;
    struct job *next;
} job;

struct skn_workers {
    skn_loop       *loop;
    int             most;
    pthread_mutex_t mu;
    pthread_cond_t  changed; /* there is a job, or closing */
    /* All guarded by mu. */
    pthread_t *threads;
    int        started, idle, waiting;
    bool       closing;
    job       *first, **last;
};

static job *next_job(skn_workers *w)
{
    job *j = NULL;

    pthread_mutex_lock(&w->mu);
    w->idle++;
    while (!w->first && !w->closing)
        pthread_cond_wait(&w->changed, &w->mu);
    w->idle--;
    if (!w->closing) {
        j = w->first;
        w->first = j->next;
        if (!w->first)
            w->last = &w->first;
        w->waiting--;
    }
    pthread_mutex_unlock(&w->mu);
    return j;
}

static void *worker(void *arg)
{
    skn_workers *w = arg;
    job         *j;

    while ((j = next_job(w))) {
        j->work(j->arg);
        if (j->done)
            skn_loop_post(w->loop, j->done, j->arg);
        free(j);
    }
    return NULL;
}

/* Signals are the loop's: a worker that took one would wake nobody. */
static void start_one_locked(skn_workers *w)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&w->threads[w->started], NULL, worker, w) == 0)
        w->started++;
    else if (w->started == 0)
        abort(); /* nobody would ever do the work */
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

skn_workers *skn_workers_new(skn_loop *l, int most)
{
    skn_workers *w = skn_heap(sizeof *w);

    w->loop = l;
    w->most = most > 0 ? most : 1;
    w->threads = skn_heap((size_t)w->most * sizeof *w->threads);
    w->last = &w->first;
    pthread_mutex_init(&w->mu, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

void skn_workers_free(skn_workers *w)
{
    if (!w)
        return;
    pthread_mutex_lock(&w->mu);
    w->closing = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->mu);
    for (int i = 0; i < w->started; i++)
        pthread_join(w->threads[i], NULL);
    for (job *j = w->first, *next; j; j = next) {
        next = j->next;
        free(j);
    }
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mu);
    free(w->threads);
    free(w);
}

void skn_workers_run(skn_workers *w, skn_call *work, skn_call *done, void *arg)
{
    job *j = skn_heap(sizeof *j);

    *j = (job){work, done, arg, NULL};
    pthread_mutex_lock(&w->mu);
    *w->last = j;
    w->last = &j->next;
    w->waiting++;
    if (w->waiting > w->idle && w->started < w->most)
        start_one_locked(w);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mu);
}

int skn_workers_waiting(skn_workers *w)
{
    int n;

    pthread_mutex_lock(&w->mu);
    n = w->waiting;
    pthread_mutex_unlock(&w->mu);
    return n;
}
