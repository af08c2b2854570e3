/* bench_server.h: the server part of "skein bench": this program again as a server, and clients that
 * ask it over loopback.
 *
 * Threads: one.  Lifetimes: a child runs until it is stopped; replies live in cli->mem. */
#ifndef SKN_BENCH_BENCH_SERVER_H
#define SKN_BENCH_BENCH_SERVER_H

#include "bench/bench.h"

/* --- bench_server.c: another process that answers HTTP ------------------------------------------ */

typedef struct skn_bench_child {
    pid_t       pid; /* 0: none */
    int         port;
    const char *folder;   /* of its lock and the like */
    double      first_ms; /* from its start to its first answer */
} skn_bench_child;

/* "skein serve" on a store; answers when this returns. */
skein_rc skn_bench_serve(skn_bench *b, const skn_bench_store *s, skn_bench_child *out);
/* The same with a script for the scripted model, which does not pause then; NULL: none. */
skein_rc skn_bench_serve_script(skn_bench *b, const skn_bench_store *s, const char *script,
                                skn_bench_child *out);
/* This program with other words: at most 24 and a NULL, "skein" first. It has to print its address. */
skein_rc skn_bench_start(skn_bench *b, const char *const *words, skn_bench_child *out);
/* The HTTP library alone, which answers with this text. */
skein_rc skn_bench_bare(skn_bench *b, skn_str body, skn_bench_child *out);
/* Ends it and waits for it; none is fine. */
void skn_bench_stop(skn_bench_child *child);
/* What it has in memory now. */
int64_t skn_bench_child_kb(const skn_bench_child *child);
/* The most that it ever had. */
int64_t skn_bench_child_peak_kb(const skn_bench_child *child);
/* The other process of skn_bench_bare: prints its address, and answers until it is ended. */
int skn_bench_be_bare(skn_bench *b);

/* --- bench_streams.c: clients ------------------------------------------------------------------------ */

#define SKN_BENCH_CLIENTS 64

typedef struct skn_bench_reply {
    int     status;
    skn_str etag, body;
} skn_bench_reply;

/* One request by a connection of its own. Headers are whole lines; a status of 400 and more fails. */
skein_rc skn_bench_ask(skn_bench *b, const skn_bench_child *child, const char *method,
                       const char *path, const char *headers, const char *body,
                       skn_bench_reply *out);

/* What each client sends again and again: a whole request. */
typedef struct skn_bench_load {
    int     clients;
    skn_str request[SKN_BENCH_CLIENTS];
    int64_t count; /* of all of them together */
} skn_bench_load;

/* A request with its head, in cli->keep. */
skn_str skn_bench_request(skn_bench *b, const skn_bench_child *child, const char *method,
                          const char *path, const char *headers, const char *body);
/* Sends them, each client its next when it has the answer to the last; *seconds is how long all
 * took. */
skein_rc skn_bench_send(skn_bench *b, const skn_bench_child *child, const skn_bench_load *load,
                        double *seconds);

/* --- bench_streams.c ----------------------------------------------------------------------------- */

/* Many streams on the store's chat; `child` serves it. */
skein_rc skn_bench_streams(skn_bench *b, const skn_bench_store *s,
                           const skn_bench_child *child);

#endif
