/* http.h: the API over sockets, and the streams of events; the public header of this folder.
 *
 * |Threads: all calls on the loop's thread; handlers run on the workers. Lifetimes: what the options name outlives
 * the server; texts in them are copied. */
#pragma once

#include "api/api.h"
#include "base/loop.h"
#include "base/workers.h"

typedef struct skn_http skn_http;

/* --- The server ------------------------------------------------------------------------------ */

typedef void skn_http_stopped(void *arg, int64_t stopped, const skein_error *err);

typedef struct skn_http_options {
    skein_engine      *engine; /* NULL: skn_http_ready brings it */
    skn_loop          *loop;
    skn_workers       *workers;      /* for requests */
    skn_workers       *inner;        /* for the events: requests do not hold them up */
    const char        *host;         /* "127.0.0.1", "::1", "0.0.0.0" */
    int                port;         /* 0: a free one */
    int                fd;           /* -1, or a listening socket that was passed on */
    bool               fd_stays;     /* others hold it too: who comes while this server stops
                                     * waits there for the next one */
    const char        *socket_path;  /* NULL: no Unix socket */
    skn_str            token;        /* absent: nobody but the owner is let in */
    bool               token_always; /* the owner needs it too, but at the Unix socket */
    const char *const *allow_origins;
    size_t             allow_origin_count;
    skn_str            public_url; /* may be absent */
    bool               read_only;
    size_t             max_body;            /* of a file; 0: 17 MiB */
    size_t             max_text;            /* of what carries a message; 0: max_body */
    int                max_connections;     /* 0: 6000 */
    int                requests_per_minute; /* of one address; 0: no limit */
    int64_t            client_timeout_ms;   /* for a whole request to arrive; 0: 15 s */
    size_t             stream_backlog;      /* unsent bytes of a stream; 0: 2 MB */
    skn_str            settings; /* effective configuration with origins, a JSON object */
    /* Why people may not give a setting of the configuration this value; absent: they may. On the
     * loop; the text is in the arena. NULL: they may set nothing but "ui.…". */
    skn_str (*refuse_setting)(void *arg, skn_str name, const skn_json *value, skn_arena *a);
    /* Stops agents, keeping what they wrote; may be NULL. */
    void (*stop)(void *arg, skein_conversation_id chat, skein_agent_id agent,
                 skn_http_stopped *done, void *done_arg);
    /* The unfinished texts of the agents of a world (zero: of all worlds); NULL: nobody writes here. */
    void (*written)(void *arg, skein_world_id world, skn_arena *a, skein_stop *out);
    /* Reads the configuration again; may be NULL. */
    skein_rc (*reload)(void *arg, skein_error *err);
    /* Settings in the store were changed: they count once done is called; may be NULL. */
    void (*settle)(void *arg, skn_call *done, void *done_arg);
    /* Adds lines to /metrics; on a worker; may be NULL. */
    void (*metrics)(void *arg, skn_buf *out);
    /* Another process committed or announced something; may be NULL. */
    void (*changed)(void *arg);
    void           *arg;
    skn_api_options api;
} skn_http_options;

/* Without an engine everything that needs one is answered with 503 starting. */
skein_rc skn_http_start(skn_http **out, const skn_http_options *o, skein_error *err);
/* The store is open: requests are served from here on. */
void skn_http_ready(skn_http *h, skein_engine *engine);
/* Something was committed: new events are read and sent on. */
void skn_http_nudge(skn_http *h);
/* Sends on what is being written; never stored, never with an id. */
void                   skn_http_tell(skn_http *h, const skn_live *event);
typedef struct skn_job skn_job;
/* Work that no request has asked for, as a job that GET /jobs/{id} shows: the events job.started and job.finished tell of
 * it. `kind` is a constant; cancel is called at most once, before its end. NULL: there are too many. On the loop. */
skn_job *skn_http_job(skn_http *h, const char *kind, skein_world_id world,
                      void (*cancel)(void *arg), void *arg);
/* How far it is: `done` of `total`. */
void skn_job_progress(skn_job *job, int64_t done, int64_t total);
/* Ends it with a JSON value, which is copied; err NULL: it succeeded. */
void skn_job_end(skn_job *job, skn_str result, const skein_error *err);
/* New requests get 503 starting; streams are told, and end; answers under way are finished; then
 * done. */
void skn_http_close(skn_http *h, skn_call *done, void *arg);
void skn_http_free(skn_http *h); /* after close; NULL is fine */
/* Removes a Unix socket that a server left behind, and never anything else; NULL is fine. */
void skn_socket_remove(const char *path);
/* The reference of all routes as Markdown (docs/api.md). */
void skn_http_reference(skn_buf *out);
/* Replaces the settings that are shown. */
void skn_http_settings(skn_http *h, skn_str settings);

/* For measuring: libevent's own HTTP server on a free port of 127.0.0.1, which answers everything with
 * this JSON and does nothing else (bare.c). NULL when it cannot. */
typedef struct skn_bare skn_bare;
skn_bare               *skn_bare_new(skn_loop *loop, skn_str body, int *port);
void                    skn_bare_free(skn_bare *b); /* NULL is fine */
