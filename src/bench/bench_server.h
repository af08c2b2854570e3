/* bench_server.h: the server part of "skein bench": this program again as a server, and clients that
 * ask it over loopback.
 *
 * Threads: one.  Lifetimes: a child runs until it is stopped; replies live in cli->mem. */
#pragma once

#include "base/loop.h"
#include "bench/bench.h"

/* --- bench_server.c: another process that answers HTTP ------------------------------------------ */

typedef struct skn_bench_child {
    pid_t       pid; /* 0: none */
    int         port;
    const char *folder;   /* of its lock and the like */
    double      first_ms; /* from its start to its first answer */
} skn_bench_child;

/* "skein serve" on a store; answers when this returns. script: for the scripted model, which then does
 * not pause; NULL: none. */
skein_rc skn_bench_serve(skn_bench *b, const skn_bench_store *s, const char *script,
                         skn_bench_child *out);
/* This program with other words; *from is what it prints. False when it cannot be. */
bool skn_bench_spawn(skn_bench *b, const char *const *words, pid_t *pid, int *from);
/* The same as a server: at most 24 and a NULL, "skein" first. It has to print its address. */
skein_rc skn_bench_start(skn_bench *b, const char *const *words, skn_bench_child *out);
/* The HTTP library alone, which answers with this text. */
skein_rc skn_bench_bare(skn_bench *b, skn_str body, skn_bench_child *out);
/* Waits until it has ended; its status. */
int skn_bench_wait(pid_t pid);
/* Ends it and waits for it; none is fine. */
void skn_bench_stop(skn_bench_child *child);
/* In a child: prints the address of this port, and answers until SIGTERM. */
void skn_bench_answer(skn_bench *b, skn_loop *loop, int port);
/* The other process of skn_bench_bare. */
skein_rc skn_bench_be_bare(skn_bench *b);

/* --- bench_streams.c: clients ------------------------------------------------------------------------ */

typedef struct skn_bench_reply {
    int     status;
    skn_str etag, body;
} skn_bench_reply;

/* One request by a connection of its own. Headers are whole lines; a status of 400 and more fails. */
skein_rc skn_bench_ask(skn_bench *b, const skn_bench_child *child, const char *method,
                       const char *path, const char *headers, const char *body,
                       skn_bench_reply *out);

/* The request that each client repeats. */
typedef struct skn_bench_load {
    int     clients;
    skn_str request[SKN_BENCH_CLIENTS];
    int64_t count; /* of all of them together */
} skn_bench_load;

/* A request with its head, in cli->keep. */
skn_str skn_bench_request(skn_bench *b, const skn_bench_child *child, const char *method,
                          const char *path, const char *headers, const char *body);
/* A request that posts to the world of a store: "messages"; the body is JSON. */
skn_str skn_bench_post(skn_bench *b, const skn_bench_store *s, const skn_bench_child *child,
                       const char *headers, const char *body);
/* {"chatId":…,"message":…} with the usual text. */
const char *skn_bench_message(const skn_bench *b, const char *chat_uid);
/* Sends them, each client its next when it has the answer to the last; *seconds is how long all
 * took. */
skein_rc skn_bench_send(skn_bench *b, const skn_bench_child *child, const skn_bench_load *load,
                        double *seconds);

/* The value of a header; absent when there is none. */
skn_str skn_bench_header(skn_str head, const char *name);
/* Many streams on the store's chat; `child` serves it. */
skein_rc skn_bench_streams(skn_bench *b, const skn_bench_store *s,
                           const skn_bench_child *child);
