/* client.h: speaks to a running server, over its Unix socket or TCP.
 *
 * Threads: one. Lifetimes: a client is a connection's worth of state; answers live in cli->keep. */
#pragma once

#include "api/api.h"
#include "base/json.h"
#include "base/sse_reader.h"
#include "cli/discover.h"
#include "cli/http_reader.h"

typedef struct skn_request_spec {
    const char *method;  /* "GET" */
    const char *path;    /* with its query, encoded */
    skn_str     body;    /* JSON; absent: none */
    const char *type;    /* of the body, where it is something else; NULL: JSON */
    skn_str     key;     /* Idempotency-Key; absent: none */
    const char *match;   /* If-Match; NULL: none */
    bool        stream;  /* asks for events */
    skn_str     last_id; /* Last-Event-ID; absent: none */
    /* Takes the pieces of an answer that is not a problem; NULL: they are kept, up to 32 MB. */
    skein_rc (*take)(void *arg, skn_str piece, skein_error *err);
    void *arg;
} skn_request_spec;

typedef struct skn_client_answer {
    int         status;
    skn_str     body;
    const char *version; /* of the program that answered */
} skn_client_answer;

/* One request and its whole answer, within timeout_ms. A problem that the server answers with becomes
 * cli->err, with its code. */
skein_rc skn_client_call(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                         int64_t timeout_ms, skn_client_answer *out);

/* The same, with the answer read as JSON; null where it is empty. */
skein_rc skn_client_json(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                         int64_t timeout_ms, const skn_json **out);

/* A problem of the server (RFC 9457), as cli->err with its code. */
skein_rc skn_client_problem(skn_cli *cli, int status, skn_str body);

/* A stream of events that is read while other things happen. */
typedef struct skn_event_stream {
    int             fd;
    skn_http_reader http;
    skn_sse_reader  sse;      /* last_id survives the connection */
    skn_buf         problem;  /* what came instead of events */
    bool            over;     /* the server ended it in order */
    int64_t         heard_at; /* the last byte, or the question; monotonic milliseconds */
} skn_event_stream;

void skn_event_stream_init(skn_event_stream *s,
                           skein_rc (*event)(void *arg, const skn_sse_event *event,
                                             skein_error *err),
                           void *arg);
/* Connects and asks; the answer is still to come. With an earlier connection's last id it goes on
 * where that ended. */
skein_rc skn_event_stream_connect(skn_cli *cli, const skn_server *server, skn_event_stream *s,
                                  const skn_request_spec *what);
/* Reads the available bytes, once poll says that fd can be read. A lost connection is SKEIN_UNREACHABLE. */
skein_rc skn_event_stream_read(skn_cli *cli, skn_event_stream *s);
/* How many milliseconds it may still be quiet before there is nobody at the other end. */
int64_t skn_event_stream_left(const skn_event_stream *s);
void    skn_event_stream_close(skn_event_stream *s); /* the last id stays */
void    skn_event_stream_release(skn_event_stream *s);

/* Text that may stand in a path or a query. */
const char *skn_client_encode(skn_arena *a, skn_str text);

/* The API of a store that is open in this process.
 *
 * Threads: one. Lifetimes: from skn_door_begin to skn_door_end. */

/* With what a server would know beside the store: files, tools, and abandoned turns. */
skn_api *skn_here_new(skn_cli *cli);
/* skn_client_call, without a server. */
skein_rc skn_here_call(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                       skn_client_answer *out);
