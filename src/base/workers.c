#include "base/workers.h"

#include "base/arena.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

typedef struct job {
    skn_call   *work, *done, *drop;
    void       *arg;
    bool        slow;
    uint64_t    number; /* in order of coming */
    struct job *next;
} job;

typedef struct line {
    job *first, **last;
} line;

struct skn_workers {
    skn_loop       *loop;
    int             most, most_slow;
    pthread_mutex_t mu;
    pthread_cond_t  changed; /* there is a job, or closing */
    /* All guarded by mu. */
    pthread_t *threads;
    int        started, idle, waiting, slow_running;
    bool       closing;
    uint64_t   came;
    line       quick, slow;
};

/* The one that came first of those that may run now. */
static line *next_line_locked(skn_workers *w)
{
    bool slow = w->slow.first && w->slow_running < w->most_slow;

    if (slow && (!w->quick.first || w->slow.first->number < w->quick.first->number))
        return &w->slow;
    return w->quick.first ? &w->quick : NULL;
}

static job *take_locked(skn_workers *w, line *from)
{
    job *j = from->first;

    from->first = j->next;
    if (!from->first)
        from->last = &from->first;
    w->waiting--;
    w->slow_running += j->slow;
    return j;
}

static job *next_job(skn_workers *w)
{
    line *from = NULL;
    job  *j = NULL;

    pthread_mutex_lock(&w->mu);
    w->idle++;
    while (!w->closing && !(from = next_line_locked(w)))
        pthread_cond_wait(&w->changed, &w->mu);
    w->idle--;
    if (!w->closing)
        j = take_locked(w, from);
    pthread_mutex_unlock(&w->mu);
    return j;
}

static void end_slow(skn_workers *w)
{
    pthread_mutex_lock(&w->mu);
    w->slow_running--;
    pthread_mutex_unlock(&w->mu);
}

static void job_free(job *j)
{
    if (j->drop)
        j->drop(j->arg);
    free(j);
}

static void *worker(void *arg)
{
    skn_workers *w = arg;
    job         *j;

    while ((j = next_job(w))) {
        j->work(j->arg);
        if (j->slow)
            end_slow(w);
        if (j->done)
            skn_loop_post(w->loop, j->done, j->arg);
        job_free(j);
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
    w->most_slow = w->most >= 8 ? w->most / 4 : 1;
    w->threads = skn_heap((size_t)w->most * sizeof *w->threads);
    w->quick.last = &w->quick.first;
    w->slow.last = &w->slow.first;
    pthread_mutex_init(&w->mu, NULL);
    pthread_cond_init(&w->changed, NULL);
    return w;
}

static void drop_line(line *l)
{
    for (job *j = l->first, *next; j; j = next) {
        next = j->next;
        job_free(j);
    }
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
    drop_line(&w->quick);
    drop_line(&w->slow);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->mu);
    free(w->threads);
    free(w);
}

static void run_on(skn_workers *w, line *l, const job *what)
{
    job *j = skn_heap(sizeof *j);

    *j = *what;
    pthread_mutex_lock(&w->mu);
    j->number = w->came++;
    *l->last = j;
    l->last = &j->next;
    w->waiting++;
    if (w->waiting > w->idle && w->started < w->most)
        start_one_locked(w);
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mu);
}

void skn_workers_run(skn_workers *w, skn_call *work, skn_call *done, void *arg)
{
    run_on(w, &w->quick, &(job){.work = work, .done = done, .arg = arg});
}

void skn_workers_run_slow(skn_workers *w, skn_call *work, skn_call *done, void *arg)
{
    run_on(w, &w->slow, &(job){.work = work, .done = done, .arg = arg, .slow = true});
}

void skn_workers_run_own(skn_workers *w, skn_call *work, skn_call *drop, void *arg)
{
    run_on(w, &w->quick, &(job){.work = work, .drop = drop, .arg = arg});
}

int skn_workers_waiting(skn_workers *w)
{
    int n;

    pthread_mutex_lock(&w->mu);
    n = w->waiting;
    pthread_mutex_unlock(&w->mu);
    return n;
}
