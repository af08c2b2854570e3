/* inside.h: what the files below the handlers share: the server, how a request goes through it, and what is counted.
 *
 * Threads: the loop's, unless a comment says otherwise. */
#pragma once

#include "base/uid.h"
#include "http/gate.h"
#include "http/http_call.h"

#include <pthread.h>
#include <stdatomic.h>

#define SKN_IDLE_MS  (60 * 1000) /* a kept connection without a request */
#define SKN_SEND_MS  (30 * 1000) /* to take an answer, and a second more for every … */
#define SKN_SLOWEST  (32 * 1024) /* … bytes of it; the same for bodies that come in */
#define SKN_BODY_MAX ((size_t)1024 * 1024) /* of one request, unless its route allows more */
#define SKN_BODIES_MAX                                                                         \
    ((size_t)256 * 1024 * 1024) /* of all requests, with their working memory */
#define SKN_ANSWER_BIG  ((size_t)64 * 1024)
#define SKN_ANSWERS_MAX ((size_t)256 * 1024 * 1024) /* of all answers that wait for clients */
#define SKN_READS_MAX   ((size_t)256 * 1024 * 1024) /* of all answers that are being made */
#define SKN_READ_BYTES  ((size_t)64 * 1024)
#define SKN_AHEAD_BYTES ((size_t)32 * 1024) /* of further requests, while one is worked on */

/* --- What is counted (metrics.c) ------------------------------------------------------------- */

enum { SKN_METHODS = 8, SKN_STATUSES = 600, SKN_BUCKETS = 12, SKN_MODELS = 64 };

typedef struct skn_times {
    atomic_ullong bucket[SKN_BUCKETS + 1]; /* the last: longer than all */
    atomic_ullong nanos, count;
} skn_times;

typedef struct skn_model_count {
    char    name[128];
    int64_t ok, failed;
} skn_model_count;

typedef struct skn_counts {
    atomic_uint  requests[SKN_METHODS][SKN_STATUSES];
    skn_times    request, reads, changes, edits;
    atomic_int   connections;
    atomic_llong streams, lag;
    bool         begun;
    atomic_bool reading; /* a thread counts the events behind seq, which is its own meanwhile */
    int64_t     seq;
    /* Counted from events. Guarded by mu, which nobody holds while the store is read. */
    pthread_mutex_t mu;
    int64_t         messages, tokens_in, tokens_out, tokens_cached, cost_nanos;
    skn_model_count models[SKN_MODELS];
    size_t          model_count;
} skn_counts;

void skn_count_time(skn_times *t, int64_t nanos); /* any thread */
void skn_count_begin(skn_http *h);                /* events from now on are counted */
void skn_count_request(skn_counts *n, skn_str method, int status, int64_t nanos);

/* --- The server ------------------------------------------------------------------------------ */

typedef struct skn_rates         skn_rates;         /* gate.c */
typedef struct skn_failures      skn_failures;      /* api_sessions.c */
typedef struct skn_jobs          skn_jobs;          /* jobs.c */
typedef struct skn_wire          skn_wire;          /* server.c */
typedef struct skn_sessions_kept skn_sessions_kept; /* sessions.c */

typedef enum skn_conn_row {
    SKN_ROW_ALL,
    SKN_ROW_IDLE,     /* those that may do nothing */
    SKN_ROW_STRANGER, /* those that nobody with access has used yet */
    SKN_ROWS
} skn_conn_row;

typedef struct skn_conn_list {
    struct {
        skn_conn *first, *last; /* the latest are last */
        int       count;
    } row[SKN_ROWS];
    int late; /* of all: came while the server was closing, which does not wait for them */
} skn_conn_list;

struct skn_http {
    skn_http_options   o; /* texts are copies in mem */
    skn_arena         *mem;
    skn_gate           gate;
    skn_api           *api;
    skn_hub           *hub;
    skn_jobs          *jobs;
    skn_rates         *rates;
    skn_failures      *failures;
    skn_keys          *keys;
    skn_sessions_kept *sessions;
    skn_uid_maker     *ids;
    skn_wire          *wire;
    skn_conn_list      conns;
    char              *scratch; /* SKN_READ_BYTES for one read */
    skn_buf            head;    /* of one answer */
    size_t             bodies;  /* bytes of requests in memory, and reserved for them */
    size_t             answers; /* bytes of answers that wait for clients */
    skn_share          reads;   /* of what is read for answers */
    skn_counts         counts;
    int64_t            started; /* microseconds UTC */
    int                calls;   /* that are not answered yet */
    bool               trim;    /* memory can be given back to the system */
    bool               closing;
    pthread_mutex_t    mu;
    char              *settings; /* guarded by mu */
};

/* A copy of the settings that are shown; any thread. */
skn_str skn_http_shown_settings(skn_http *h, skn_arena *a);
/* A call, a connection or a job has ended: the last one lets a closing server go on. */
void skn_http_call_ended(skn_http *h);
/* The connection is written to in this round of the loop. */
void skn_wire_flush_later(skn_http *h, skn_conn *conn);

/* --- From request to answer (dispatch.c) ------------------------------------------------------ */

/* A call for a head that was read; never NULL. `late`: the request was refused before it had a head. */
skn_api_call *skn_dispatch_head(skn_http *h, skn_conn *conn, skn_str head, skn_refusal late);
/* True: the body is wanted. False: the answer is known already. */
bool     skn_dispatch_check(skn_api_call *c);
skn_buf *skn_dispatch_body(skn_api_call *c); /* where the body is collected */
/* More of the body is there. False: all bodies together are too large, or there is no memory. */
bool skn_dispatch_grew(skn_api_call *c);
/* Fails the call with a status of HTTP's own, before it was run. */
void skn_dispatch_refuse(skn_api_call *c, skn_refusal why);
/* Runs the call, or answers with its failure; the answer comes by skn_conn_answer. */
void skn_dispatch_run(skn_api_call *c);
/* The answer is a stream now: nothing of it is kept, and others with its key may run. */
void skn_dispatch_streams(skn_api_call *c);
/* The request could not be read, so the beginning of the next one is not known. */
bool skn_dispatch_broken(const skn_api_call *c);
bool skn_dispatch_head_only(const skn_api_call *c);

/* Checks Host, Origin, rate, route, token, and what the route asks for (admit.c). False: the call has failed, or is
 * answered. */
bool skn_admit(skn_api_call *c);
/* The largest body that the call may have. */
size_t skn_body_most(const skn_api_call *c);

/* Failed sign-ins by address (api_sessions.c): after a few, each further one has to wait, longer and longer. A right token is
 * never refused. */
skn_failures *skn_failures_new(void);
void          skn_failures_free(skn_failures *f);
/* Puts a failed sign-in into the trail and the log. False: the address has to wait for *wait_ms, which leaves no row. */
bool skn_sign_in_failed(skn_api_call *c, int64_t now_ms, int64_t *wait_ms);
void skn_sign_in_wait(skn_api_call *c, int64_t wait_ms); /* fails it with 429 */
/* A line in the log for a row of the trail. */
void skn_audit_log(skn_http *h, const skein_audit_row *row);

/* Requests of an address in a minute (gate.c). False: it has to wait for *wait_ms. */
skn_rates *skn_rates_new(int per_minute);
void       skn_rates_free(skn_rates *r);
bool       skn_rates_take(skn_rates *r, skn_str address, int64_t now_ms, int64_t *wait_ms);

/* The first line and all headers of the answer, with the empty line (answer.c). */
void skn_answer_head(skn_api_call *c, skn_buf *out, bool keep, bool streams);

/* --- Who connects (peer.c) --------------------------------------------------------------------- */

typedef struct skn_peer {
    char address[48]; /* of the client, as text */
    char here[48];    /* the address it came to */
    bool local;       /* by the Unix socket */
    /* The user at the other end, as the kernel said at the start; -1: not known, or not on this computer. */
    int64_t uid;
    bool    gone; /* it hung up before the kernel was asked, so its user is not known */
} skn_peer;

struct sockaddr_storage;
int skn_peer_ask_open(void); /* a socket to ask the kernel; -1: it cannot be asked */
/* The user at the other end of `fd`. *gone: it was on this computer and has hung up. */
int64_t skn_peer_tcp_uid(int ask, int fd, const struct sockaddr_storage *from,
                         const struct sockaddr_storage *here, bool *gone);
int64_t skn_peer_unix_uid(int fd);
/* The user that this server runs as, or root. */
bool skn_peer_is_owner(int64_t uid);

/* --- Connections (conn.c) ---------------------------------------------------------------------- */

/* Takes the descriptor over. */
skn_conn       *skn_conn_new(skn_http *h, int fd, const skn_peer *peer);
const skn_peer *skn_conn_peer(const skn_conn *conn);
skn_conn       *skn_conn_next(const skn_conn *conn); /* of all */
/* How much of the connection its client has closed, as far as it was seen; any thread, while it is held. */
typedef enum skn_conn_closed { SKN_CONN_OPEN, SKN_CONN_HALF, SKN_CONN_GONE } skn_conn_closed;
skn_conn_closed skn_conn_seen_end(const skn_conn *conn);
/* Streams of the connection end with this session; empty: with none. */
void skn_conn_belongs(skn_conn *conn, const char *session);
/* Somebody with access uses the connection: it is no longer a stranger's. */
void skn_conn_let_in(skn_conn *conn);
/* Sends c's answer and frees c. */
void skn_conn_answer(skn_conn *conn, skn_api_call *c);
void skn_conn_flush(skn_conn *conn);
/* Ends what is over its deadline; the server calls it twice a second. */
void skn_conn_tick(skn_conn *conn, int64_t now_ms);
/* The server closes: an idle connection goes at once, another after its answer. */
void skn_conn_finish(skn_conn *conn);
/* Close the connection that was idle for the longest time, or the oldest one of strangers; false: there is none. */
bool skn_conn_make_room(skn_http *h);
bool skn_conn_drop_stranger(skn_http *h);

/* --- Listening (listen.c) ---------------------------------------------------------------------- */

/* A socket that listens at a host (NULL: any address) and a port (0: a free one). */
skein_rc skn_listen_tcp(int *out, const char *host, int port, skein_error *err);
/* A Unix socket that only its owner may use; removes one that an earlier server left. */
skein_rc skn_listen_unix(int *out, const char *path, skein_error *err);
int      skn_listen_port(int fd);
/* Makes the descriptor non-blocking and private to this program; gives it back. */
int skn_listen_ours(int fd);
/* The next client; -1: there is none now, -2: no more can be taken for a while. */
int skn_listen_accept(int fd, bool local, int ask, skn_peer *peer);

void skn_docs_page(skn_buf *out); /* route_docs.c */
