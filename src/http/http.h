/* http.h: the folder's door: the API on the wire, and the streams of events.
 *
 * Threads: all calls on the loop's thread; handlers run on the workers.  Lifetimes: what the options
 * name outlives the server; texts in them are copied. */
#ifndef SKN_HTTP_HTTP_H
#define SKN_HTTP_HTTP_H

#include "base/json.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/workers.h"
#include "engine/engine.h"

typedef struct skn_http skn_http;

/* --- What models are asked for ------------------------------------------------------------------- */

/* Who asks them is behind functions, so that this folder knows neither agents at work nor providers. All
 * of them are called on the loop and call back on the loop, once, never from inside. What a callback gets
 * lives until it returns; a wish lives until its answer. A function that is NULL is answered with 503. */

/* What a model made. */
typedef struct skn_http_made {
    skn_str              text;    /* as it wrote it */
    skn_str              model;   /* that wrote it: "provider/model" */
    skn_str              call;    /* public id of the call that was kept; may be absent */
    const skein_squash  *squash;  /* that was stored; NULL: none, as of a dry run */
    const skein_message *summary; /* that was stored; NULL: none */
    int64_t              covers;  /* of the summary */
} skn_http_made;

/* Who waits for it: a job. */
typedef struct skn_http_waiter {
    /* How far it is, as often as it likes; total 0: not known. */
    void (*progress)(void *arg, int64_t done, int64_t total);
    /* err is NULL, or why there is nothing. Also after a cancel, with whatever it came to. */
    void (*done)(void *arg, const skn_http_made *made, const skein_error *err);
    void *arg;
} skn_http_waiter;

/* One message in the place of several, by a model. When it has answered, `spec` with its text as content
 * is what skein_squash_messages wants; how.dry_run: nothing is stored, the text alone is told. */
typedef struct skn_http_squash_wish {
    skein_world_id    world;
    skein_change      how;
    skein_squash_spec spec;     /* prompt, model (absent: the agent's), sources; no content */
    skn_str           rerun_of; /* the squash that is made anew; else absent */
} skn_http_squash_wish;

/* A summary of a lane or of an agent's memory, by a model. */
typedef struct skn_http_compact_wish {
    skein_world_id world;
    skein_slice    what;   /* as skein_compact_plan_read wants it */
    skn_str        model;  /* absent: the agent's, else the default */
    skn_str        reason; /* why now; may be absent */
} skn_http_compact_wish;

/* --- Providers */

typedef struct skn_http_model {
    skn_str name;
    int64_t window; /* tokens it can read; 0: not known */
} skn_http_model;

/* A provider as people see it: of its key only the end and where it comes from. */
typedef struct skn_http_provider {
    skn_str name, type; /* type: "openai" "anthropic" "ollama" "scripted" "replay" */
    skn_str base_url;
    skn_str key_tail, key_source; /* "…9f3a", "env OPENAI_API_KEY"; absent: there is none */
    skn_str origin;               /* "built-in", "store", or the file that has it */
    skn_str state, detail;        /* "up", "no-key", … and why, in words */
    bool    local;                /* what is sent stays on this computer */
    bool    editable;             /* PATCH and DELETE work */
    skn_str default_model;        /* its model for agents that name none; absent: another's */
    /* What it may cost in a month, and has, in millionths; 0: there is no limit. */
    int64_t        monthly_micros, used_micros;
    skn_str        currency;
    bool           stops;
    const skn_str *unpriced; /* its models that have no price */
    size_t         unpriced_count;
} skn_http_provider;

/* What /providers/detect found: a server on this computer, or a key in the environment. */
typedef struct skn_http_found {
    skn_str               name, label, type, base_url; /* what POST /providers would take */
    skn_str               version;                     /* of a server; may be absent */
    skn_str               key_env, key_tail;           /* of a key: the variable, "…9f3a" */
    bool                  local, in_use;
    const skn_http_model *models;
    size_t                model_count;
} skn_http_found;

typedef enum skn_http_provider_op {
    SKN_PROVIDERS_LIST,
    SKN_PROVIDERS_GET,
    SKN_PROVIDERS_NEW,    /* SKEIN_CONFLICT when the name is taken */
    SKN_PROVIDERS_CHANGE, /* absent: as it is; an empty text: removed */
    SKN_PROVIDERS_REMOVE,
    SKN_PROVIDERS_TEST,
    SKN_PROVIDERS_MODELS,
    SKN_PROVIDERS_DETECT
} skn_http_provider_op;

typedef struct skn_http_provider_wish {
    skn_http_provider_op op;
    skn_str              name, type, base_url;
    skn_str              key;     /* a secret: kept where keys are, told to nobody */
    skn_str              key_env; /* the variable that has it */
    skein_engine        *engine;  /* works for who asks; good until done was called */
    const skn_json
        *more; /* headers, timeoutMs, maxRetries, concurrency, where the body has them */
} skn_http_provider_wish;

typedef struct skn_http_providers {
    const skn_http_provider *at; /* LIST: all; GET, NEW, CHANGE: the one */
    size_t                   count;
    const skn_http_model    *models; /* MODELS, TEST */
    size_t                   model_count;
    const skn_http_found    *found; /* DETECT */
    size_t                   found_count;
    skn_str                  state, detail; /* TEST: "answered", "bad-key", …; in words */
    int64_t                  took_ms;       /* TEST */
} skn_http_providers;

typedef void skn_http_providers_done(void *arg, const skn_http_providers *told,
                                     const skein_error *err);

/* The model that would answer for an agent, and where it runs. */
typedef struct skn_http_answerer {
    skn_str model;
    bool    known;    /* its provider is there; else nothing below is */
    bool    scripted; /* canned texts, no model */
    bool    local;    /* what is sent stays on this computer */
    skn_str host;     /* "api.openai.com"; absent for a scripted one */
} skn_http_answerer;

typedef struct skn_http_lane {
    skein_engine      *engine; /* works for who asks */
    const skein_world *world;
    skein_mode         mode;  /* of the conversation */
    const char        *files; /* the folder agents read; NULL: none */
    const skein_slice *what;
} skn_http_lane;

typedef struct skn_http_agents {
    void *arg;
    /* Both give a handle that is good for cancel until done was called; not NULL. */
    void *(*squash)(void *arg, const skn_http_squash_wish *wish, const skn_http_waiter *who);
    void *(*compact)(void *arg, const skn_http_compact_wish *wish, const skn_http_waiter *who);
    void (*cancel)(void *arg, void *handle);
    void (*providers)(void *arg, const skn_http_provider_wish *wish,
                      skn_http_providers_done *done, void *done_arg);
    /* Fills in what is known of these servers of tools of a world, by their names. On a worker, unlike the
     * others; NULL: nothing is. */
    void (*tool_servers)(void *arg, skein_world_id world, skn_arena *a, skn_tool_server *at,
                         size_t count);
    /* Is a tool of this name built in? On a worker; NULL: every name may be one. */
    bool (*has_tool)(skn_str name);
    /* What a model would be sent of a lane, counted with all that goes with it. On a worker; NULL: only the messages
     * are counted. */
    skein_rc (*context)(void *arg, const skn_http_lane *lane, skn_arena *a, skein_context *out,
                        skein_error *err);
    /* What answers for an agent that names this model, or none. On a worker; NULL: nothing is known of it. */
    void (*answerer)(void *arg, skn_str model, skn_arena *a, skn_http_answerer *out);
} skn_http_agents;

/* --- The server ------------------------------------------------------------------------------ */

typedef void skn_http_stopped(void *arg, int64_t stopped, const skein_error *err);

typedef struct skn_http_options {
    skein_engine      *engine; /* NULL: skn_http_ready brings it */
    skn_loop          *loop;
    skn_workers       *workers; /* for requests */
    skn_workers       *inner;   /* for the events: requests do not hold them up */
    skn_log           *log;
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
    bool               no_commands;         /* worlds get no programs to start */
    const char        *files;               /* the folder agents read; NULL: none */
    size_t             max_body;            /* of a file; 0: 17 MiB */
    size_t             max_text;            /* of what carries a message; 0: max_body */
    int                max_connections;     /* 0: 6000 */
    int                requests_per_minute; /* of one address; 0: no limit */
    int64_t            client_timeout_ms;   /* for a whole request to arrive; 0: 15 s */
    size_t             stream_backlog;      /* unsent bytes of a stream; 0: 2 MB */
    skn_str            settings; /* effective configuration with origins, a JSON object */
    /* Why people may not give a setting of the configuration this value; absent: they may. On a
     * worker; the text is in the arena. NULL: they may set nothing but "ui.…". */
    skn_str (*refuse_setting)(void *arg, skn_str name, const skn_json *value, skn_arena *a);
    /* Stops agents, keeping what they wrote; may be NULL. */
    void (*stop)(void *arg, skein_conversation_id chat, skein_agent_id agent,
                 skn_http_stopped *done, void *done_arg);
    /* What agents of a world (zero: of all) are writing just now, its partials; NULL: nobody writes here. */
    void (*written)(void *arg, skein_world_id world, skn_arena *a, skein_stop *out);
    /* Reads the configuration again; may be NULL. */
    skein_rc (*reload)(void *arg, skein_error *err);
    /* Settings in the store were changed: they count once done is called; may be NULL. */
    void (*settle)(void *arg, skn_call *done, void *done_arg);
    /* Adds lines to /metrics; on a worker; may be NULL. */
    void (*metrics)(void *arg, skn_buf *out);
    /* Something was committed by another process, or told of; may be NULL. */
    void (*changed)(void *arg);
    void *arg;
    /* Without them nobody asks models here. */
    skn_http_agents agents;
} skn_http_options;

/* Without an engine everything that needs one is answered with 503 starting. */
skein_rc skn_http_start(skn_http **out, const skn_http_options *o, skein_error *err);
/* The store is open: requests are served from here on. */
void skn_http_ready(skn_http *h, skein_engine *engine);
int  skn_http_port(const skn_http *h);
/* Something was committed: new events are read and sent on. */
void skn_http_nudge(skn_http *h);
/* Sends on what is being written; never stored, never with an id. */
void skn_http_tell(skn_http *h, const skn_live *event);
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

#endif
