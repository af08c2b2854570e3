/* bench_agents.h: the agents' part of "skein bench": this program again as a server, and once more as
 * a provider of models whose answers are known beforehand.
 *
 * Threads: one.  Lifetimes: children run until they are stopped; texts live in cli->keep. */
#pragma once

#include "bench/bench_server.h"

/* --- bench_agents_model.c: the provider ------------------------------------------------------- */

#define SKN_BENCH_PACE_MS  20              /* between chunks: 50 a second */
#define SKN_BENCH_PACED    "bench/paced"   /* begins when all that it waits for have asked */
#define SKN_BENCH_INSTANT  "bench/instant" /* answers at once, with one chunk */
#define SKN_BENCH_QUESTION "bench#" /* and a number, which its answer repeats in every chunk */

/* The requests that it has seen so far. */
typedef struct skn_bench_seen {
    int64_t asked, done;
    int64_t open;  /* paced answers that have begun or wait for the others */
    int64_t again; /* numbers that were asked for more than once */
    int64_t earlier,
        shared; /* bytes of each question before the last one, and those that the next one began with */
    int64_t own_ns; /* from questions to the ends of their answers, all together */
} skn_bench_seen;

/* One whose paced answers have `chunks` chunks and begin when `together` have asked. */
skein_rc skn_bench_model(skn_bench *b, int64_t together, int64_t chunks, skn_bench_child *out);
skein_rc skn_bench_model_seen(skn_bench *b, const skn_bench_child *model, skn_bench_seen *out);
/* Its answer to a number. */
skn_str skn_bench_model_text(skn_arena *a, int64_t number, int64_t chunks);
/* The other process of skn_bench_model: prints its address, and answers until it is ended. */
skein_rc skn_bench_be_model(skn_bench *b);
