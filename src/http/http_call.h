/* http_call.h: a call of the API that came by a socket, and answers that come later or go on. For this folder alone.
 *
 * Threads: a call belongs to one thread at a time: the loop's, a worker's while it runs there, then the loop's again.
 * Lifetimes: everything in c->mem goes with the call. */
#pragma once

#include "api/call.h"
#include "http/http.h"
#include "http/request.h"

typedef struct skn_conn skn_conn; /* conn.c: what is behind a call */

/* Who asks; skn_admit finds out. */
typedef enum skn_who_kind {
    SKN_WHO_NOBODY, /* only OPEN routes are answered */
    SKN_WHO_OWNER,  /* the user that runs the server, or root, on this computer */
    SKN_WHO_TOKEN,  /* brought the token */
    SKN_WHO_SESSION /* a browser that signed in */
} skn_who_kind;

typedef struct skn_who {
    skn_who_kind kind;
    skn_str      name;    /* "owner", "token", "session ID", "user 1001", "nobody" */
    skn_str      from;    /* the address, or "socket" */
    skn_str      session; /* id of the session; absent: there is none */
} skn_who;

/* Takes the call over and answers it later with skn_call_answer. On the loop. */
typedef void skn_loop_handler(skn_api_call *c);

struct skn_carrier {
    skn_http          *http;
    skn_conn          *conn;
    const skn_request *request;
    skn_who            who;
    skn_loop_handler  *take; /* instead of c->run; NULL: there is none */
};

/* Answers and ends a call that was taken. On the loop. */
void skn_call_answer(skn_api_call *c, skein_rc rc);

/* --- The wire (conn.c): for answers that go on ----------------------------------------------- */

/* Bytes that several connections send; freed when the last of them has. */
typedef struct skn_shared skn_shared;
skn_shared               *skn_shared_new(skn_str bytes); /* a copy, held once */
void                      skn_shared_drop(skn_shared *s);

/* Sends the status and headers of a stream. `gone` is called once, when the client is gone or the connection was closed;
 * after that the connection must not be used. */
void   skn_conn_begin(skn_conn *conn, skn_api_call *c, skn_call *gone, void *arg);
void   skn_conn_send(skn_conn *conn, skn_shared *bytes);
size_t skn_conn_unsent(const skn_conn *conn); /* bytes that the client has not taken yet */
/* Ends the answer once all is sent, or closes the connection now; `gone` follows in either case. */
void skn_conn_end(skn_conn *conn);
void skn_conn_close(skn_conn *conn);
/* Frees a call that a stream owned; after `gone`. */
void skn_call_free(skn_api_call *c);

/* --- Streams (stream.c) -------------------------------------------------------------------- */

/* The hub (hub.c): all streams, and what is being written. One per server. */
typedef struct skn_hub skn_hub;
skn_hub               *skn_hub_new(skn_http *h, const skn_http_options *o);
void                   skn_hub_free(skn_hub *hub);
void                   skn_hub_nudge(skn_hub *hub);
void                   skn_hub_tell(skn_hub *hub, const skn_live *event);
/* From here to the release no events are sent about unfinished texts, so that a change keeps at least what was sent. Then
 * all that the change left is sent. */
void skn_hub_hold(skn_hub *hub);
void skn_hub_release(skn_hub *hub);
/* Ends all streams with a notice; done when the last is gone. */
void skn_hub_close(skn_hub *hub, skn_call *done, void *arg);
/* Calls fn once on the loop: when world.idle of that message passes, or late, after ms. An event that passed before is not
 * seen: look for it in the store after this call. */
typedef void skn_hub_waited(void *arg, bool late);
void skn_hub_wait(skn_hub *hub, skn_str cause, int64_t ms, skn_hub_waited *fn, void *arg);
/* fn is not called any more; nothing happens when it was called already. */
void skn_hub_wait_end(skn_hub *hub, void *arg);
/* For /metrics: streams, and events the slowest is behind. */
void skn_hub_count(const skn_hub *hub, int64_t *streams, int64_t *lag);
/* The last event that was sent on; -1: not known yet. */
int64_t                 skn_hub_seq(const skn_hub *hub);
skn_hub                *skn_http_hub(skn_http *h); /* server.c */
const skn_http_options *skn_http_opts(const skn_http *h);

/* Makes the answer a stream of the events after `after` (-1: only new ones), and owns the call. On the loop. */
void skn_stream_open(skn_api_call *c, const skn_stream_filter *filter, int64_t after);
