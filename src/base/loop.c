#include "base/loop.h"

#include "base/arena.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct posted {
    skn_call      *fn;
    void          *arg;
    struct posted *next;
} posted;

typedef struct watched_signal {
    struct event          *ev;
    skn_call              *fn;
    void                  *arg;
    struct watched_signal *next;
} watched_signal;

struct skn_loop {
    struct event_base *base;
    struct event      *woken;
    int                wake[2]; /* a byte in this pipe: there are posted calls */
    watched_signal    *signals;
    pthread_mutex_t    mu;
    posted            *first, **last; /* guarded by mu */
};

struct skn_timer {
    struct event *ev;
    skn_call     *fn;
    void         *arg;
};

struct skn_watch {
    skn_loop     *loop;
    struct event *read, *write; /* write: made when it is first needed */
    int           fd;
    bool          reading, writing;
    skn_ready    *readable, *writable;
    void         *arg;
};

/* Out of descriptors or memory before anything runs: nothing could be told to anybody. */
static void need(bool ok, const char *what)
{
    if (ok)
        return;
    perror(what);
    abort();
}

/* Takes the calls that are there now; what they post themselves comes in the next round, so that
 * sockets get their turn in between. */
static void run_posted(evutil_socket_t fd, short what, void *arg)
{
    skn_loop *l = arg;
    posted   *list, *next;
    char      bytes[64];

    (void)what;
    while (read(fd, bytes, sizeof bytes) > 0)
        continue;
    pthread_mutex_lock(&l->mu);
    list = l->first;
    l->first = NULL;
    l->last = &l->first;
    pthread_mutex_unlock(&l->mu);
    for (; list; list = next) {
        next = list->next;
        list->fn(list->arg);
        free(list);
    }
}

static void open_wake(skn_loop *l)
{
    need(pipe(l->wake) == 0, "pipe");
    for (int i = 0; i < 2; i++) {
        fcntl(l->wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(l->wake[i], F_SETFL, O_NONBLOCK);
    }
    l->woken = event_new(l->base, l->wake[0], EV_READ | EV_PERSIST, run_posted, l);
    need(l->woken && event_add(l->woken, NULL) == 0, "event_new");
}

skn_loop *skn_loop_new(void)
{
    skn_loop            *l = skn_heap(sizeof *l);
    struct event_config *config = event_config_new();

    /* Other threads come in by the pipe alone, so libevent needs no locks. */
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK);
    l->base = event_base_new_with_config(config);
    event_config_free(config);
    need(l->base != NULL, "event_base_new");
    pthread_mutex_init(&l->mu, NULL);
    l->last = &l->first;
    open_wake(l);
    return l;
}

void skn_loop_free(skn_loop *l)
{
    if (!l)
        return;
    for (posted *p = l->first, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    for (watched_signal *s = l->signals, *next; s; s = next) {
        next = s->next;
        event_free(s->ev);
        free(s);
    }
    event_free(l->woken);
    event_base_free(l->base);
    close(l->wake[0]);
    close(l->wake[1]);
    pthread_mutex_destroy(&l->mu);
    free(l);
}

void skn_loop_run(skn_loop *l)
{
    event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY);
}

static void break_loop(void *arg)
{
    event_base_loopbreak(((skn_loop *)arg)->base);
}

void skn_loop_stop(skn_loop *l)
{
    skn_loop_post(l, break_loop, l);
}

void skn_loop_post(skn_loop *l, skn_call *fn, void *arg)
{
    posted *p = skn_heap(sizeof *p);
    bool    first;

    *p = (posted){fn, arg, NULL};
    pthread_mutex_lock(&l->mu);
    first = !l->first;
    *l->last = p;
    l->last = &p->next;
    pthread_mutex_unlock(&l->mu);
    while (first && write(l->wake[1], "", 1) < 0 && errno == EINTR)
        continue; /* a full pipe wakes as well */
}

static void signal_came(evutil_socket_t fd, short what, void *arg)
{
    watched_signal *s = arg;

    (void)fd, (void)what;
    s->fn(s->arg);
}

void skn_loop_signal(skn_loop *l, int signal, skn_call *fn, void *arg)
{
    watched_signal *s = skn_heap(sizeof *s);

    *s = (watched_signal){NULL, fn, arg, l->signals};
    s->ev = evsignal_new(l->base, signal, signal_came, s);
    need(s->ev && event_add(s->ev, NULL) == 0, "evsignal_new");
    l->signals = s;
}

struct event_base *skn_loop_base(skn_loop *l)
{
    return l->base;
}

static void timer_fired(evutil_socket_t fd, short what, void *arg)
{
    skn_timer *t = arg;

    (void)fd, (void)what;
    t->fn(t->arg); /* may free t */
}

skn_timer *skn_timer_new(skn_loop *l, skn_call *fn, void *arg)
{
    skn_timer *t = skn_heap(sizeof *t);

    *t = (skn_timer){evtimer_new(l->base, timer_fired, t), fn, arg};
    need(t->ev != NULL, "evtimer_new");
    return t;
}

void skn_timer_start(skn_timer *t, int64_t ms)
{
    struct timeval tv;

    ms = ms < 0 ? 0 : ms;
    tv = (struct timeval){.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};
    evtimer_add(t->ev, &tv);
}

void skn_timer_stop(skn_timer *t)
{
    evtimer_del(t->ev);
}

void skn_timer_free(skn_timer *t)
{
    if (!t)
        return;
    event_free(t->ev);
    free(t);
}

static void can_read(evutil_socket_t fd, short what, void *arg)
{
    skn_watch *w = arg;

    (void)fd, (void)what;
    w->readable(w->arg); /* may free w */
}

static void can_write(evutil_socket_t fd, short what, void *arg)
{
    skn_watch *w = arg;

    (void)fd, (void)what;
    w->writable(w->arg);
}

skn_watch *skn_watch_new(skn_loop *l, int fd, skn_ready *readable, skn_ready *writable,
                         void *arg)
{
    skn_watch *w = skn_heap(sizeof *w);

    w->loop = l;
    w->fd = fd;
    w->readable = readable;
    w->writable = writable;
    w->arg = arg;
    w->read = event_new(l->base, fd, EV_READ | EV_PERSIST, can_read, w);
    need(w->read != NULL, "event_new");
    return w;
}

/* Adding again costs a call into the kernel, so only changes are passed on. */
static void turn(struct event *ev, bool *is, bool on)
{
    if (*is == on)
        return;
    *is = on;
    need((on ? event_add(ev, NULL) : event_del(ev)) == 0, "event_add");
}

void skn_watch_read(skn_watch *w, bool on)
{
    turn(w->read, &w->reading, on);
}

void skn_watch_write(skn_watch *w, bool on)
{
    if (on && !w->write) {
        w->write = event_new(w->loop->base, w->fd, EV_WRITE | EV_PERSIST, can_write, w);
        need(w->write != NULL, "event_new");
    }
    if (w->write)
        turn(w->write, &w->writing, on);
}

void skn_watch_free(skn_watch *w)
{
    if (!w)
        return;
    event_free(w->read);
    if (w->write)
        event_free(w->write);
    free(w);
}
