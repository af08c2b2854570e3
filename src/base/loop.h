/* loop.h: one thread that waits for everything: timers, signals, sockets, and calls from other threads. The home of
 * libevent.
 *
 * |Threads: skn_loop_post and skn_loop_stop may be called from any thread, and skn_loop_post from a signal handler
 * never; everything else belongs to the thread that runs the loop, or to the one that sets it up before it runs.
 * Lifetimes: timers go before their loop. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct event_base;

typedef struct skn_loop  skn_loop;
typedef struct skn_timer skn_timer;
typedef void             skn_call(void *arg);

skn_loop *skn_loop_new(void);
void skn_loop_free(skn_loop *l); /* NULL is fine; posted calls that never ran are dropped */
/* Runs until it is stopped. */
void skn_loop_run(skn_loop *l);
void skn_loop_stop(skn_loop *l);
/* Runs fn on the loop's thread, soon, in the order of posting. */
void skn_loop_post(skn_loop *l, skn_call *fn, void *arg);
/* Runs fn on the loop's thread whenever the signal comes. */
void               skn_loop_signal(skn_loop *l, int signal, skn_call *fn, void *arg);
struct event_base *skn_loop_base(skn_loop *l);

/* A timer that calls fn once for each start; starting it again moves it. */
skn_timer *skn_timer_new(skn_loop *l, skn_call *fn, void *arg);
void       skn_timer_start(skn_timer *t, int64_t ms);
void       skn_timer_stop(skn_timer *t);
void       skn_timer_free(skn_timer *t); /* NULL is fine; also from inside its own fn */

/* A descriptor that is watched: fn is called whenever what is waited for is possible. */
typedef struct skn_watch skn_watch;
typedef void             skn_ready(void *arg);

skn_watch *skn_watch_new(skn_loop *l, int fd, skn_ready *readable, skn_ready *writable,
                         void *arg);
/* The events to wait for from now on; none at first. */
void skn_watch_read(skn_watch *w, bool on);
void skn_watch_write(skn_watch *w, bool on);
/* NULL is fine; also from inside its own functions. The descriptor stays the caller's. */
void skn_watch_free(skn_watch *w);
