/* api.h: everything the product can do, as a table of operations; the public header of this folder.
 *
 * An operation takes a request (method, path, headers, body) and gives an answer (status, headers, JSON). A call is
 * one request and its answer. Calls come from a server with sockets or from a host program in its own process, which
 * create, admit and run them; nothing here knows a socket or a terminal.
 *
 * |Threads: a call is touched by one thread at a time. Lifetimes: everything in c->mem goes with the call. */
#pragma once

#include "api/asks.h"
#include "base/log.h"
#include "exchange/exchange.h"

#include <skein/call.h>

#include <pthread.h>
#include <stdatomic.h>

#define SKN_URL_MAX    ((size_t)8 * 1024)
#define SKN_VALUES_MAX ((size_t)100 * 1000) /* in a body that is JSON */
#define SKN_ANSWER_MAX ((size_t)256 * 1024 * 1024)

typedef struct skn_api      skn_api;
typedef struct skn_api_call skn_api_call;
typedef struct skn_route    skn_route;
typedef struct skn_carrier  skn_carrier; /* what the carrier knows of a call; its own */
typedef struct skn_editing  skn_editing;
typedef struct skn_tree     skn_tree;
typedef struct skn_keys     skn_keys;

/* --- The API of one store ---------------------------------------------------------------------- */

typedef struct skn_api_options {
    skn_log    *log;         /* NULL: nothing is logged */
    const char *files;       /* the folder agents read; NULL: none */
    bool        no_commands; /* worlds get no programs to start */
    /* Without them nobody asks models here. */
    skn_api_agents agents;
    /* Begins a job for what a model is asked for, and answers with the job; NULL: this process has no jobs. */
    skein_rc (*send_squash)(skn_api_call *c, const skn_squash_request *what);
    skein_rc (*send_compact)(skn_api_call *c, const skn_compact_request *what);
} skn_api_options;

struct skn_api {
    skn_api_options o;
    skn_arena      *mem;
    skn_tree       *tree;    /* of all routes */
    atomic_ullong   guessed; /* reply links that an import had to guess */
    atomic_bool     full;    /* the last change found no room on the disk */
    pthread_mutex_t mu;
    skn_editing    *editing; /* guarded by mu */
    size_t          large;   /* bytes that large calls may need now; guarded by mu */
};

/* `more` are routes that only the carrier has; NULL: none. */
skn_api *skn_api_new(const skn_api_options *o, const skn_route *more);
void     skn_api_free(skn_api *api); /* NULL is fine */

/* A call of this process, from its request to its answer. `pieces` takes exports as they are made; NULL: they are kept,
 * and not any size. */
skein_rc skn_call_here(skn_api *api, skein_engine *e, const skein_request *request,
                       const skn_sink *pieces, skein_mem *mem, skein_answer *out,
                       skein_error *err);

/* --- A call ---------------------------------------------------------------------------------------- */

typedef skein_header skn_header;

struct skn_api_call {
    skn_api         *api;
    skein_engine    *engine; /* works for who asks; NULL: the store is not open yet */
    skn_arena       *mem;
    const skn_route *route;
    skn_carrier     *by; /* NULL: a call of this process */
    /* Its handler: the route's, unless the carrier has another; NULL: not possible here. */
    skein_rc (*run)(skn_api_call *c);
    /* The request. */
    const skn_header *given; /* its headers */
    size_t            given_count;
    skn_actor         actor; /* who asks, for the engine: what was audited is noted in it */
    skn_str           method, path, query; /* as they came; a query may be absent */
    skn_str           params[4]; /* {w} {m} …, decoded, in order of the route's path */
    skn_str           body;
    const skn_sink   *pieces; /* see skn_call_here */
    const skn_json   *json;   /* the body, when it is JSON; NULL: there was none */
    skn_str           request_id;
    skn_str           key;          /* Idempotency-Key; absent: none */
    bool              wants_stream; /* Accept: text/event-stream */
    int64_t           wait_ms;      /* Prefer: wait=N; 0: not asked */
    bool              async;        /* Prefer: respond-async */
    bool              minimal;      /* Prefer: return=minimal */
    const skein_stop *written;      /* by agents whom it may stop, as it came; NULL: nothing */
    /* The answer. */
    int         status; /* 0: 200 */
    bool        early;  /* the time to wait was up before the end */
    const char *type;   /* NULL: application/json */
    skn_buf     out;
    skn_jw      w; /* writes into out */
    skn_vec(skn_header) headers;
    size_t admitted; /* of them, the first: they say who is let in, not what was answered */
    /* A failure: what the handler returned, and what else is known. */
    skein_error error;
    skn_problem more;
    const char *problem;        /* the word after /problems/; NULL: by the code */
    int         problem_status; /* 0: by the code */
    skn_str     problem_extra;  /* members for the problem, ready JSON without braces */
    /* The objects that the path names: {w}, {c} and {a} are there before the handler runs; lookup.c fills them. */
    skein_world        world;
    skein_conversation chat;
    skein_agent        agent;
    /* How far it is (run.c). */
    skein_rc rc;
    int64_t  hash;     /* of what was asked under the key */
    bool     marked;   /* the store says that it has begun */
    bool     replayed; /* it was answered before, under its key */
    size_t   large;    /* its part of the memory of large calls */
    bool     ran; /* its handler was called: from then on something may have been changed */
};

/* Fills the answer, or fails with c->error. On a worker. */
typedef skein_rc skn_handler(skn_api_call *c);

typedef enum skn_route_flag {
    SKN_ROUTE_CHANGES = 1, /* refused when read only; may have an Idempotency-Key */
    SKN_ROUTE_OPEN = 2,    /* needs no sign-in */
    SKN_ROUTE_PLAIN = 4,   /* answered on the loop: touches no store */
    SKN_ROUTE_UPLOAD = 8,  /* the body is not JSON */
    SKN_ROUTE_LONG = 16,   /* may take long: only some of them run at once */
    SKN_ROUTE_ONCE = 32,   /* the engine does not know its Idempotency-Key: see keys.c */
    SKN_ROUTE_ALWAYS =
        64, /* also while the server starts or stops, as PLAIN ones are; c->engine
                              may be NULL then */
    SKN_ROUTE_KNOWN =
        128,              /* the engine does know its key: done again, it tells what was done */
    SKN_ROUTE_TEXT = 256, /* the body carries what somebody says: it may be as large as that */
    SKN_ROUTE_SIGN = 512, /* signs in or out: also when read only, and kept by no key */
    SKN_ROUTE_SERVED =
        1024, /* a server does it in its own way: it waits, streams or asks others */
    SKN_ROUTE_STOPS = 2048, /* stops agents: what they are writing just now is kept */
    SKN_ROUTE_LIST = 4096,  /* the body may also be the list itself, without its name */
    SKN_ROUTE_DRY = 8192,   /* can be tried with dryRun; where it cannot, that is refused */
    SKN_ROUTE_GONE =
        16384, /* the last thing that its path names was removed: the handler looks for it */
    SKN_ROUTE_TYPED = 32768, /* with "typed" a conversation is named as a person types it */
    SKN_ROUTE_WHOLE =
        65536, /* reads all of a conversation: large ones share a limit of memory */
    SKN_ROUTE_BYTES = 131072 /* with UPLOAD: the body is kept as it is, and not taken apart */
} skn_route_flag;

struct skn_route {
    const char  *method;
    const char  *path; /* "/worlds/{w}/messages/{m}", without prefix */
    skn_handler *run;  /* NULL: only a server can do it */
    int          flags;
    const char  *id;      /* operationId of the OpenAPI document */
    const char  *summary; /* one line for docs/api.md */
};

extern const skn_route skn_routes[]; /* all operations; ends with a NULL method */

/* --- Which route a path belongs to (api.c) ------------------------------------------------------ */

#define SKN_PATH_SEGMENTS 12

typedef struct skn_match {
    const skn_route *route; /* NULL: see the rest */
    skn_str          params[4];
    bool             bad;   /* a parameter that does not decode */
    skn_str          allow; /* methods that the path has; absent: there is no such path */
} skn_match;

/* The table of routes becomes a tree of path segments, so that finding one costs the length of the
 * path and not the length of the table. A literal segment is preferred to a parameter. It lives in the arena. */
skn_tree *skn_tree_new(const skn_route *routes, skn_arena *a);
/* The path without "/api/v1" or "/api" before it. */
skn_str skn_path_bare(skn_str path);
/* HEAD is GET. The path is as it came, with or without a prefix. */
void skn_tree_match(const skn_tree *t, skn_str method, skn_str path, skn_arena *a,
                    skn_match *out);

/* --- Running it (run.c) ------------------------------------------------------------------------------ */

/* Takes the route that the match found, or fails with 404, 405 or 400. */
skein_rc skn_api_route(skn_api_call *c, const skn_match *m);
/* Reads the body, and looks whether the request was answered before, under its key: then c->replayed. */
void skn_api_prepare(skn_api_call *c);
/* prepare, the handler, complete. */
void skn_api_run(skn_api_call *c);
/* The call's memory is free again. */
void skn_api_release(skn_api_call *c);
/* The last part of a call that may touch the store: from what the handler said (c->rc) to the answer. */
void skn_api_complete(skn_api_call *c);
/* What the size of the body decides is got before anything is begun, so that a request for which there is no memory
 * fails alone; what else is needed is little, and there for all by SKN_HEADROOM. `others` is what is promised already. */
size_t   skn_api_need(const skn_api_call *c);
bool     skn_api_has_memory(skn_api_call *c, size_t others);
skein_rc skn_api_no_memory(skn_api_call *c); /* 503 */
/* A call is complete, but there is no memory to hand its answer over: it becomes a failure that says so. */
void skn_api_lose_answer(skn_api_call *c);
/* The preferences of a request: Prefer and Accept (run.c). */
void skn_read_prefer(skn_api_call *c);
/* Idempotency-Key, of what changes something. */
skein_rc skn_read_key(skn_api_call *c);
/* The body as JSON, unless the route wants it as it is. */
skein_rc skn_read_body(skn_api_call *c);

/* Idempotency-Key: of those that run now (loop), and of those that were answered (worker). */
skn_keys *skn_keys_new(void);
void      skn_keys_free(skn_keys *k);
bool      skn_keys_begin(skn_keys *k, skn_str key); /* false: it runs already */
void      skn_keys_end(skn_keys *k, skn_str key);
int64_t   skn_keys_hash(const skn_api_call *c);
/* *again: the answer is in c, as it was. */
skein_rc skn_keys_find(skn_api_call *c, int64_t hash, bool *again);
void     skn_keys_keep(skn_api_call *c, int64_t hash);
/* Before it is done: that it has begun; and that it failed, so that it may be tried again. */
skein_rc skn_keys_mark(skn_api_call *c, int64_t hash);
void     skn_keys_unmark(skn_api_call *c, int64_t hash);

/* Writes c's failure as its answer; may ask the store who is busy. Worker, or the loop when the
 * failure is none of the store's. */
void skn_problem_write(skn_api_call *c);
/* The page behind /problems/word; false when there is no such word. */
bool        skn_problem_page(skn_str word, skn_buf *out);
const char *skn_problem_word_of(int status); /* of HTTP's own refusals */

/* Gives the answer to a GET a tag of its bytes, or adds that to one which names a state only; 304 when
 * the client has it (call.c). */
void skn_call_tag_body(skn_api_call *c);
