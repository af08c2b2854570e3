/* bench.h: "skein bench": how fast and how small, as ratios within one run.
 *
 * What is compared is measured in turns, a round of the one and then a round of the other: a disk
 * that others use changes its pace tenfold within seconds, but hardly between two neighbours. A row's
 * figures are medians over the rounds, its ratio is the median of the rounds' own ratios.
 *
 * Threads: one, save for the writers that bench_engine.c starts and joins.
 * Lifetimes: a skn_bench lives as long as the command, its stores until they are closed. */
#ifndef SKN_BENCH_BENCH_H
#define SKN_BENCH_BENCH_H

#include "cli/commands.h"

#include <signal.h>

#define SKN_BENCH_SAMPLES 128

typedef struct skn_samples {
    double at[SKN_BENCH_SAMPLES];
    size_t n;
} skn_samples;

/* A line of the table. A target that is 0 is none. */
typedef struct skn_bench_row {
    const char *what;
    const char *unit; /* "ms", "/s"; "" for a plain number */
    double      figure;
    bool        unknown;   /* it cannot be measured on this store */
    double      reference; /* 0: none */
    const char *against;   /* what the reference is: "floor" */
    double      ratio;     /* figure by reference; 0: there is none */
    double      ratio_min, ratio_max;
    double      figure_min; /* the figure must reach it */
    double      figure_max; /* the figure must stay under it */
    size_t      rounds;
} skn_bench_row;

/* How much of everything; small numbers for a quick run. */
typedef struct skn_bench_sizes {
    int64_t large, middle, small; /* messages of the conversations that are compared */
    int64_t batch;                /* commits of one round */
    int64_t amends, edges;       /* amends in a row; how many make the first and last of them */
    int64_t agents, room;        /* of the chat that is cut; its messages */
    int64_t replies;             /* messages among which replies are looked for */
    int     levels;              /* of a reply chain */
    int     threads, writers;    /* at once */
    int     rounds, many_rounds; /* of what takes long, and of what does not */
    int     reads;               /* of one round */
    int64_t requests;            /* for the smallest answer, of one round */
    int64_t streams, events;     /* at once; that each of them gets */
    int64_t turns, chunks;       /* at once; that each of them gets */
    int64_t tasks, workers;      /* that are queued, and agents that do them */
    int64_t depth;               /* of delegations */
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
/* "1,000,000" */
skn_str skn_bench_count(skn_arena *a, int64_t n);

/* --- bench.c: the table ----------------------------------------------------------------- */

skein_rc skn_bench_add(skn_bench *b, const skn_bench_row *row);
/* Fills the row's figures from what was measured, and adds it. */
skein_rc skn_bench_compare(skn_bench *b, skn_bench_row row, const skn_samples *figure,
                           const skn_samples *reference);

/* --- bench.c: where it is measured ---------------------------------------------------- */

/* Removes a folder and the files in it. */
void skn_bench_remove(const char *folder);
/* Fails when somebody wants it to end. */
skein_rc skn_bench_go_on(skn_bench *b);

/* --- bench_store.c: what is measured ---------------------------------------------------------- */

/* A store with a world of its own, agents "agent1", …, and an empty chat. */
skein_rc skn_bench_open(skn_bench *b, const char *name, int64_t agents, skn_bench_store *out);
void     skn_bench_close(skn_bench_store *s);
/* Adds messages to the chat, half of them a person's; as fast as it goes. */
skein_rc skn_bench_fill(skn_bench *b, skn_bench_store *s, int64_t count);
/* Adds messages in reply chains, each under the one before; their ids are the chat's with a number
 * behind it. */
skein_rc skn_bench_fill_chains(skn_bench *b, skn_bench_store *s, int64_t count, int levels,
                               int64_t batch);
/* The id of the message at a position. */
skein_rc skn_bench_at(skn_bench *b, const skn_bench_store *s, int64_t position,
                      skein_message_id *out);
/* Bytes of the store's file, after its log was brought into it; -1: it has none. */
skein_rc skn_bench_bytes(skn_bench *b, const skn_bench_store *s, int64_t *out);

/* --- The parts -------------------------------------------------------------------------------- */

skein_rc skn_bench_appends(skn_bench *b); /* bench_engine.c */
skein_rc skn_bench_by_size(skn_bench *b); /* bench_store.c: also amends, timelines, memory */
skein_rc skn_bench_amends(skn_bench *b, skn_bench_store *large); /* bench_engine.c */
skein_rc skn_bench_timelines(skn_bench *b, skn_bench_store *small, skn_bench_store *large);
skein_rc skn_bench_rooms(skn_bench *b);   /* bench_engine.c */
skein_rc skn_bench_replies(skn_bench *b); /* bench_engine.c */
skein_rc skn_bench_server(skn_bench *b);  /* bench_server.c: also streams */
skein_rc skn_bench_agents(skn_bench *b);  /* bench_agents.c */

/* bench_store.c: what this program needs when it does one thing only, in a process of its own. */
skein_rc skn_bench_validation(skn_bench *b, const skn_bench_store *s);
/* The other process: measures what the first argument names, and prints a number. */
skein_rc skn_bench_alone(skn_bench *b);

#endif
