/* bench.h: "skein bench": how fast and how small, as ratios within one run.
 *
 * What is compared is measured in turns, a round of the one and then a round of the other: a disk
 * that others use changes its pace tenfold within seconds, but hardly between two neighbours. A row's
 * figures are medians over the rounds, its ratio is the median of the rounds' own ratios.
 *
 * Threads: one, save for the writers that bench_engine.c starts and joins.
 * Lifetimes: a skn_bench lives as long as the command, its stores until they are closed. */
#pragma once

#include "cli/commands.h"

#include <signal.h>

#define SKN_BENCH_SAMPLES 128
#define SKN_BENCH_CLIENTS 64 /* of one load */

typedef struct skn_samples {
    double at[SKN_BENCH_SAMPLES];
    size_t n;
} skn_samples;

/* A row of the table, by its name in bench_rows.def. */
typedef enum skn_bench_id {
#define ROW(id, what, unit, against, ratio_min, ratio_max, figure_min, figure_max) SKN_ROW_##id,
#include "bench/bench_rows.def"
#undef ROW
    SKN_BENCH_ROWS
} skn_bench_id;

/* The measurement of a row. */
typedef struct skn_bench_result {
    double figure;
    bool   unknown;   /* it cannot be measured on this store */
    double reference; /* 0: none */
    double ratio;     /* 0: figure by reference */
    size_t rounds;    /* 0: one */
} skn_bench_result;

typedef struct skn_bench_sizes {
#define SIZE(name, full, quick) int64_t name;
#include "bench/bench_sizes.def"
#undef SIZE
} skn_bench_sizes;

typedef struct skn_bench {
    skn_cli        *cli;
    bool            quick;
    skn_bench_sizes size;
    const char     *address; /* of --db; NULL: every store is a file of its own in `folder` */
    const char     *folder;
    size_t          missed;
    sigset_t        signals; /* as they were; see bench.c */
} skn_bench;

/* A store with one world, and a chat in it. */
typedef struct skn_bench_store {
    skein_engine         *engine;
    const char           *address;
    skein_world_id        world;
    skein_str             world_name;
    skein_conversation_id chat;
    skein_str             chat_uid;
    int64_t               length; /* messages of the chat */
} skn_bench_store;

/* --- bench.c: numbers ------------------------------------------------------------------ */

/* The text of every message that is measured. */
#define SKN_BENCH_TEXT                                                                         \
    SKN_STR("I looked at the plan again: the freeze lasts until Friday noon, so the notes "    \
            "can wait, and the dates should be checked before anything else is sent out.")

void   skn_samples_add(skn_samples *s, double v);
double skn_samples_median(const skn_samples *s);
/* The median of n numbers, which are put in order. */
double skn_median(double *at, size_t n);
/* Seconds since a skn_clock_monotonic(). */
double skn_bench_since(int64_t start);
/* A formatted text that lives as long as the command. */
#define skn_bench_text(b, ...) (skn_arena_printf((b)->cli->keep, __VA_ARGS__).p)
/* "1,000,000" */
const char *skn_bench_count(const skn_bench *b, int64_t n);

/* --- bench.c: the table ----------------------------------------------------------------- */

skein_rc skn_bench_add(skn_bench *b, skn_bench_id row, skn_bench_result r);
/* Adds a row with the medians of what was measured; reference: NULL if there is none. */
skein_rc skn_bench_compare(skn_bench *b, skn_bench_id row, const skn_samples *figure,
                           const skn_samples *reference);
/* One round of a measurement; it adds a sample to `out`. */
typedef skein_rc skn_bench_round(skn_bench *b, void *what, skn_samples *out);
/* Measures rounds of `figure`, each after one of `reference`, and adds the row. What is compared is warmed
 * up by a round each; without a reference (NULL) every round counts. */
skein_rc skn_bench_in_turns(skn_bench *b, skn_bench_id row, int64_t rounds,
                            skn_bench_round *round, void *figure, void *reference);

/* --- bench.c: where it is measured ---------------------------------------------------- */

/* Makes a folder "skein-bench-…" in another one; NULL: it cannot be made, errno says why. */
const char *skn_bench_folder(const skn_bench *b, const char *above);
/* Removes a folder and the files in it. */
void skn_bench_remove(const char *folder);
/* A number of kB out of /proc/PID/status: "VmRSS"; 0 when it is not there. */
int64_t skn_bench_status_kb(pid_t pid, const char *name);
/* Fails when somebody wants it to end. */
skein_rc skn_bench_go_on(skn_bench *b);

/* --- bench_store.c: what is measured ---------------------------------------------------------- */

/* A store with a world of its own, agents "agent1", …, and an empty chat. */
skein_rc skn_bench_open(skn_bench *b, const char *name, int64_t agents, skn_bench_store *out);
void     skn_bench_close(skn_bench_store *s);
/* Opens a store again that was closed. */
skein_rc skn_bench_reopen(skn_bench *b, skn_bench_store *s);
/* Makes agents "agent1", … of this model; NULL: of none. */
skein_rc skn_bench_agents_new(skn_bench *b, const skn_bench_store *s, int64_t agents,
                              const char *model);
/* Adds messages to the chat, half of them a person's; as fast as it goes. */
skein_rc skn_bench_fill(skn_bench *b, skn_bench_store *s, int64_t count);
/* Adds messages in reply chains, each under the one before; their ids are the chat's with a number
 * behind it. */
skein_rc skn_bench_fill_chains(skn_bench *b, skn_bench_store *s, int64_t count, int64_t levels,
                               int64_t batch);
/* Adds messages to a chat, each with a commit of its own. */
skein_rc skn_bench_say(skein_engine *e, skein_conversation_id chat, int64_t count,
                       skein_error *err);
/* The id of the message at a position. */
skein_rc skn_bench_at(skn_bench *b, const skn_bench_store *s, int64_t position,
                      skein_message_id *out);
/* Bytes of the store's file, after its log was brought into it; -1: it has none. */
skein_rc skn_bench_bytes(skn_bench *b, const skn_bench_store *s, int64_t *out);

/* --- The parts -------------------------------------------------------------------------------- */

skein_rc skn_bench_engine(skn_bench *b); /* bench_engine.c */
skein_rc skn_bench_server(skn_bench *b); /* bench_server.c: also streams */
skein_rc skn_bench_agents(skn_bench *b); /* bench_agents.c */

/* Parts of the first. */
skein_rc skn_bench_by_size(skn_bench *b); /* bench_store.c: also amends, timelines, memory */
skein_rc skn_bench_amends(skn_bench *b, skn_bench_store *large); /* bench_engine.c */
skein_rc skn_bench_timelines(skn_bench *b, skn_bench_store *small, skn_bench_store *large);

/* bench_store.c: what this program needs when it does one thing only, in a process of its own. */
skein_rc skn_bench_validation(skn_bench *b, const skn_bench_store *s);
/* The other process: measures what the first argument names, and prints a number. */
skein_rc skn_bench_alone(skn_bench *b);
