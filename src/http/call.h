/* call.h: one request and its answer, as handlers see them, and the table of routes. Only files of
 * this folder include it.
 *
 * Threads: a call is touched by one thread at a time: the loop's until it is handed to a worker, the
 * worker's until it returns, then the loop's again.  Lifetimes: everything in c->mem goes with it. */
#ifndef SKN_HTTP_CALL_H
#define SKN_HTTP_CALL_H

#include "base/json.h"
#include "http/http.h"
#include "http/request.h"

typedef struct skn_route skn_route;
typedef struct skn_conn  skn_conn; /* conn.c: what is behind a call */

/* Who asks; skn_admit finds it out, before anything else knows of the request. */
typedef enum skn_who_kind {
    SKN_WHO_NOBODY, /* only OPEN routes are answered */
    SKN_WHO_OWNER,  /* the user that runs the server, or root, on this computer */
    SKN_WHO_TOKEN,  /* brought the token */
    SKN_WHO_SESSION /* a browser that signed in */
} skn_who_kind;

typedef struct skn_who {
    skn_who_kind kind;
    /* For people to read: "owner", "token", "session ID", "user 1001", "nobody". */
    skn_str name;
    skn_str from;    /* the address, or "socket" */
    skn_str session; /* id of a session; absent: it is none */
} skn_who;

typedef struct skn_http_call {
    skn_http        *http;
    skein_engine    *engine;
    skn_arena       *mem;
    const skn_route *route;
    skn_conn        *conn;
    /* The request. */
    const skn_request *request;
    skn_who            who;
    skn_actor          actor; /* the same, for the engine: what was audited is noted in it */
    skn_str            method, path, query; /* as they came; a query may be absent */
    skn_str            params[4]; /* {w} {m} …, decoded, in order of the route's path */
    skn_str            body;
    const skn_json    *json; /* the body, when it is JSON; NULL: there was none */
    skn_str            request_id;
    skn_str            key;          /* Idempotency-Key; absent: none */
    bool               wants_stream; /* Accept: text/event-stream */
    int64_t            wait_ms;      /* Prefer: wait=N; 0: not asked */
    bool               async;        /* Prefer: respond-async */
    bool               minimal;      /* Prefer: return=minimal */
    const skein_stop  *written;      /* by agents whom it may stop, as it came; NULL: nothing */
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
    /* Where it happened, once resolved; http/lookup.c fills them. */
    skein_world        world;
    skein_conversation chat;
} skn_http_call;

/* Fills the answer, or fails with c->error. On a worker. */
typedef skein_rc skn_handler(skn_http_call *c);
/* Takes the call over and answers it later with skn_call_answer. On the loop. */
typedef void skn_loop_handler(skn_http_call *c);

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
    SKN_ROUTE_SIGN = 512  /* signs in or out: also when read only, and kept by no key */
} skn_route_flag;

struct skn_route {
    const char       *method;
    const char       *path; /* "/worlds/{w}/messages/{m}", without prefix */
    skn_handler      *run;
    skn_loop_handler *take; /* instead of run */
    int               flags;
    const char       *id;      /* operationId of the OpenAPI document */
    const char       *summary; /* one line for docs/api.md */
};

extern const skn_route skn_routes[]; /* ends with a NULL method */

/* --- The request (call.c) ------------------------------------------------------------------ */

/* A header's value; absent when there is none. */
skn_str skn_call_header(const skn_http_call *c, const char *name);
/* A query parameter, decoded; absent when there is none. */
skn_str  skn_call_query(skn_http_call *c, const char *name);
skein_rc skn_call_query_int(skn_http_call *c, const char *name, int64_t min, int64_t max,
                            int64_t fallback, int64_t *out);
skein_rc skn_call_query_flag(skn_http_call *c, const char *name, bool *out);
/* Members of the JSON body; a wrong type or a missing one is SKEIN_INVALID with its pointer. */
skein_rc skn_call_text(skn_http_call *c, const char *member, bool needed, skn_str *out);
skein_rc skn_call_int(skn_http_call *c, const char *member, int64_t min, int64_t max,
                      int64_t fallback, int64_t *out);
skein_rc skn_call_flag(skn_http_call *c, const char *member, bool fallback, bool *out);
/* chatId from the body or the query; absent when neither has it. */
skein_rc skn_call_chat_id(skn_http_call *c, skn_str *out);
/* Fails with 400 validation and {"errors":[{"pointer","detail"}]}. */
skein_rc skn_call_invalid(skn_http_call *c, const char *pointer, const char *detail);
/* Fails with a problem that has no code of its own. */
skein_rc skn_call_problem(skn_http_call *c, int status, const char *problem, const char *fmt,
                          ...) __attribute__((format(printf, 4, 5)));

/* --- The answer ---------------------------------------------------------------------------- */

/* Values are copied. */
void skn_call_add_header(skn_http_call *c, const char *name, skn_str value);
/* Sets ETag; answers 304 by itself when the client has it: then *same is true. A tag that names a state
 * gets a hash of the answer once that is whole, and is compared only then. */
void skn_call_etag(skn_http_call *c, skn_str tag, bool *same);
/* "t_….LENGTH" of a conversation, with quotes. */
skn_str skn_call_chat_etag(skn_http_call *c, const skein_conversation *chat);
/* If-Match into the state a change expects. needed: 428 when it is missing. */
skein_rc skn_call_if_match(skn_http_call *c, const skein_conversation *chat, bool needed,
                           skein_at *out);
/* Opens {"data":[ and closes it with ],"page":{…}}; cursors are opaque texts, absent for none. */
void skn_call_list(skn_http_call *c);
void skn_call_list_end(skn_http_call *c, skn_str next, skn_str prev, int64_t total);
/* Gives the answer to the client, and ends the call; on the loop, only for `take`. */
void skn_call_answer(skn_http_call *c, skein_rc rc);

/* --- What is meant (lookup.c): each fills c->world, c->chat, or fails with 404 ----------------- */

skein_rc skn_find_world(skn_http_call *c);            /* params[0] */
skein_rc skn_find_chat(skn_http_call *c, skn_str id); /* of c->world */
skein_rc skn_find_chat_param(skn_http_call *c);       /* world, then params[1] */
skein_rc skn_find_agent(skn_http_call *c, skn_str ref, skein_agent *out);
/* By public id, in any version of the chat; the exact id, no prefix. */
skein_rc skn_find_message(skn_http_call *c, skn_str id, skein_message *out);
/* "t_…" of the chat; absent gives the current one. */
skein_rc skn_find_version(skn_http_call *c, skn_str id, skein_version *out);

/* --- One edit of a chat at a time (editing.c) ------------------------------------------------ */

/* An edit under way; it is its worker's, and lives there from begin to end. */
typedef struct skn_editing {
    skein_conversation_id chat;
    struct skn_editing   *next;
} skn_editing;

/* Fails with 409 edit-in-progress while another edit of c->chat runs; else it has to be ended. */
skein_rc skn_edit_begin(skn_http_call *c, skn_editing *e);
void     skn_edit_end(skn_http_call *c, skn_editing *e);

/* --- The wire (conn.c): for answers that go on ----------------------------------------------- */

/* Bytes that several connections send; freed when the last of them has. */
typedef struct skn_shared skn_shared;
skn_shared               *skn_shared_new(skn_str bytes); /* a copy, held once */
skn_shared               *skn_shared_hold(skn_shared *s);
void                      skn_shared_drop(skn_shared *s);

/* Sends status and headers of c (text/event-stream, no-store, no buffering by proxies), and tells
 * `gone` once when the client has gone or the connection was cut: the last call for this conn. */
void skn_conn_begin(skn_conn *conn, skn_http_call *c, skn_call *gone, void *arg);
void skn_conn_send(skn_conn *conn, skn_shared *bytes);
/* Bytes that the client has not taken yet. */
size_t skn_conn_unsent(const skn_conn *conn);
/* Ends the answer in order once all is sent, or cuts it now; `gone` follows in either case. */
void skn_conn_end(skn_conn *conn);
void skn_conn_cut(skn_conn *conn);
/* Frees a call that a stream owned; after `gone`. */
void skn_call_free(skn_http_call *c);

/* --- Streams (stream.c) -------------------------------------------------------------------- */

/* What a stream gets. */
typedef struct skn_stream_filter {
    skein_world_id        world; /* zero: all */
    skein_conversation_id chat;  /* zero: all */
    skn_str cause; /* set: only what this message causes, and end with world.idle */
    skn_str types; /* "message,thread": beginnings of types; absent: all */
    bool    no_deltas;
    bool    inbox; /* with chat: also what comes into the inbox of its world */
    bool    idle;  /* with cause: nobody has to answer: what it caused, then end */
} skn_stream_filter;

/* The hub (hub.c): all streams, and what is being written. One per server. */
typedef struct skn_hub skn_hub;
skn_hub               *skn_hub_new(skn_http *h, const skn_http_options *o);
void                   skn_hub_free(skn_hub *hub);
void                   skn_hub_nudge(skn_hub *hub);
void                   skn_hub_tell(skn_hub *hub, const skn_live *event);
/* From here to the release nothing more is told of what is being written: what was told is then in what a change keeps
 * of it. After it all is told that the change left. */
void skn_hub_hold(skn_hub *hub);
void skn_hub_release(skn_hub *hub);
/* Tells all streams that the server goes, and ends them; done when the last has gone. */
void skn_hub_close(skn_hub *hub, skn_call *done, void *arg);
/* Calls fn once on the loop: when world.idle of that message passes, or after ms (`late` is true
 * then). An event that passed before is not seen: look for it in the store after this call. */
typedef void skn_hub_waited(void *arg, bool late);
void skn_hub_wait(skn_hub *hub, skn_str cause, int64_t ms, skn_hub_waited *fn, void *arg);
/* Takes a wait back: fn is not called any more. Nothing happens when it was called already. */
void skn_hub_wait_end(skn_hub *hub, void *arg);
/* For /metrics: streams, and events the slowest is behind. */
void skn_hub_count(const skn_hub *hub, int64_t *streams, int64_t *lag);
/* The last event that was passed on, which the store has for certain; -1: not known yet. */
int64_t                 skn_hub_seq(const skn_hub *hub);
skn_hub                *skn_http_hub(skn_http *h); /* server.c */
const skn_http_options *skn_http_opts(const skn_http *h);

/* Makes the call's answer a stream of events after `after` (-1: only new ones), and owns the call
 * from then on. On the loop. */
void skn_stream_open(skn_http_call *c, const skn_stream_filter *filter, int64_t after);

/* Counts reply links that an import had to guess (metrics.c). */
void skn_http_guessed(struct skn_http *h, int64_t links);

#endif
