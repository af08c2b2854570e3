/* workers.h: threads for calls that wait for the disk or the database, so that the loop does not.
 *
 * Threads: skn_workers_run may be called from any. `work` runs on one of the workers, then `done` on
 * the loop's thread. Requests start in order; how many run at once is the number of threads, which
 * are started as they are needed.  Lifetimes: arg must live until done. */
#pragma once

#include "base/loop.h"

typedef struct skn_workers skn_workers;

skn_workers *skn_workers_new(skn_loop *l, int most);
/* Waits for what runs, drops what waits; their `done` is not called. The loop must have ended. */
void skn_workers_free(skn_workers *w);
/* done may be NULL. */
void skn_workers_run(skn_workers *w, skn_call *work, skn_call *done, void *arg);
/* The same for what may take long: no more than a quarter of the threads do such work at once, so that
 * the rest stays quick. */
void skn_workers_run_slow(skn_workers *w, skn_call *work, skn_call *done, void *arg);
/* For work whose end nobody waits for: drop frees arg, on the worker, or in skn_workers_free where the work was not begun. */
void skn_workers_run_own(skn_workers *w, skn_call *work, skn_call *drop, void *arg);
/* Requests that wait for a thread. */
int skn_workers_waiting(skn_workers *w);
