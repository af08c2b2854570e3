/* asks.h: what the API asks of who runs agents and knows providers: summaries, squashes, models.
 *
 * Who that is stands behind functions, so that the API knows neither agents at work nor providers. Unless they say
 * otherwise, they are called on
 * the loop and call back on the loop, once, never from inside. What a callback gets lives until it returns; a request lives
 * until its answer. A function that is NULL is answered with 503. */
#pragma once

#include "base/json.h"
#include "engine/engine.h"

/* The result of a model. */
typedef struct skn_api_made {
    skn_str              text;    /* as it wrote it */
    skn_str              model;   /* that wrote it: "provider/model" */
    skn_str              call;    /* public id of the call that was kept; may be absent */
    const skein_squash  *squash;  /* that was stored; NULL: none, as of a dry run */
    const skein_message *summary; /* that was stored; NULL: none */
    int64_t              covers;  /* of the summary */
} skn_api_made;

/* Who waits for it: a job. */
typedef struct skn_api_waiter {
    /* How far it is, as often as it likes; total 0: not known. */
    void (*progress)(void *arg, int64_t done, int64_t total);
    /* err is NULL, or why there is nothing. Also after a cancel, with whatever it came to. */
    void (*done)(void *arg, const skn_api_made *made, const skein_error *err);
    void *arg;
} skn_api_waiter;

/* One message in the place of several, by a model. When it has answered, `spec` with its text as content
 * is what skein_squash_messages wants; how.dry_run: nothing is stored, only the text is returned. */
typedef struct skn_squash_request {
    skein_world_id    world;
    skein_change      how;
    skein_squash_spec spec;     /* prompt, model (absent: the agent's), sources; no content */
    skn_str           rerun_of; /* the squash that is made again; else absent */
} skn_squash_request;

/* A summary of a lane or of an agent's memory, by a model. */
typedef struct skn_compact_request {
    skein_world_id world;
    skein_slice    what;   /* as skein_compact_plan_read wants it */
    skn_str        model;  /* absent: the agent's, else the default */
    skn_str        reason; /* why now; may be absent */
} skn_compact_request;

/* --- Providers */

typedef struct skn_api_model {
    skn_str name, whole; /* whole: "provider/name" */
    int64_t window;      /* tokens it can read; -1: not known */
    skn_str window_from; /* who says so; absent: nobody */
} skn_api_model;

/* A provider as people see it: of its key only the end and where it comes from. */
typedef struct skn_api_provider {
    skn_str name, type; /* type: "openai" "anthropic" "ollama" "scripted" "replay" */
    skn_str base_url;
    skn_str key_tail, key_source; /* "…9f3a", "env OPENAI_API_KEY"; absent: there is none */
    skn_str origin;               /* "built-in", "store", or the file that has it */
    skn_str state, detail;        /* "up", "no-key", … and why, in words */
    bool    local;                /* what is sent stays on this computer */
    bool    editable;             /* PATCH and DELETE work */
    skn_str default_model;        /* its model for agents that name none; absent: another's */
    /* What it may cost in a month and a day, and has, in millionths of a dollar; 0: there is no limit. */
    int64_t        monthly_micros, daily_micros, used_micros, today_micros;
    bool           stops;
    const skn_str *unpriced; /* its models that have no price */
    size_t         unpriced_count;
} skn_api_provider;

/* A result of /providers/detect: a server on this computer, or a key in the environment. */
typedef struct skn_api_found {
    skn_str        name, label, type, base_url; /* what POST /providers would take */
    skn_str        version;                     /* of a server; may be absent */
    skn_str        key_source, key_tail;        /* "env OPENAI_API_KEY", "…9f3a" */
    skn_str        problem;                     /* why it was not asked; may be absent */
    bool           local, in_use;
    skn_api_model *models;
    size_t         model_count;
} skn_api_found;

typedef enum skn_api_provider_op {
    SKN_PROVIDERS_LIST,
    SKN_PROVIDERS_GET,
    SKN_PROVIDERS_NEW,    /* SKEIN_CONFLICT when the name is taken */
    SKN_PROVIDERS_CHANGE, /* absent: as it is; an empty text: removed */
    SKN_PROVIDERS_REMOVE,
    SKN_PROVIDERS_TEST,
    SKN_PROVIDERS_MODELS,
    SKN_PROVIDERS_DETECT
} skn_api_provider_op;

typedef struct skn_provider_request {
    skn_api_provider_op op;
    skn_str             name, type, base_url;
    skn_str             key;     /* a secret: kept where keys are, told to nobody */
    skn_str             key_env; /* the variable that has it */
    bool          dry_run; /* NEW, REMOVE: what would be refused is, nothing is done or told */
    skein_engine *engine;  /* works for who asks; good until done was called */
    const skn_json *
        more; /* headers, timeoutMs, maxRetries, concurrency, contextWindow, where the body has them */
} skn_provider_request;

typedef struct skn_api_providers {
    const skn_api_provider *at; /* LIST: all; GET, NEW, CHANGE: the one */
    size_t                  count;
    skn_api_model          *models; /* MODELS, TEST */
    size_t                  model_count;
    const skn_api_found    *found; /* DETECT */
    size_t                  found_count;
    skn_str                 state, detail; /* TEST: "answered", "bad-key", …; in words */
    int64_t                 took_ms;       /* TEST */
} skn_api_providers;

typedef void skn_api_providers_done(void *arg, const skn_api_providers *told,
                                    const skein_error *err);

/* The model that would answer for an agent, and where it runs. */
typedef struct skn_api_answerer {
    skn_str model;
    bool    gone;     /* there is no such provider */
    bool    known;    /* its provider is there and may be asked; else nothing below is */
    bool    scripted; /* canned texts, no model */
    bool    local;    /* what is sent stays on this computer */
    skn_str host;     /* "api.openai.com"; absent for a scripted one */
    skn_str no_tools; /* why it is offered no tools, and what to do; absent: it is */
} skn_api_answerer;

typedef struct skn_api_lane {
    skein_engine      *engine; /* works for who asks */
    const skein_world *world;
    skein_mode         mode;  /* of the conversation */
    const char        *files; /* the folder agents read; NULL: none */
    const skein_slice *what;
} skn_api_lane;

typedef struct skn_api_agents {
    void *arg;
    /* Both give a handle that is good for cancel until done was called; not NULL. */
    void *(*squash)(void *arg, const skn_squash_request *request, const skn_api_waiter *who);
    void *(*compact)(void *arg, const skn_compact_request *request, const skn_api_waiter *who);
    void (*cancel)(void *arg, void *handle);
    void (*providers)(void *arg, const skn_provider_request *request,
                      skn_api_providers_done *done, void *done_arg);
    /* Fills in what is known of these tool servers of a world, by their names. On a worker, unlike the
     * others; NULL: nothing is. */
    void (*tool_servers)(void *arg, skein_world_id world, skn_arena *a, skn_tool_server *at,
                         size_t count);
    /* Is a tool of this name built in? On a worker; NULL: every name may be one. */
    bool (*has_tool)(skn_str name);
    /* What a model would be sent of a lane, counted with all that goes with it. On a worker; NULL: only the messages
     * are counted. */
    skein_rc (*context)(void *arg, const skn_api_lane *lane, skn_arena *a, skein_context *out,
                        skein_error *err);
    /* Turns whose lease ends before this time are nobody's. On a worker; NULL: none are, who serves ends them itself. */
    int64_t (*left_before)(void *arg, int64_t now);
    /* What answers for an agent that names this model, or none. On a worker; NULL: nothing is known of it. */
    void (*answerer)(void *arg, skn_str model, skn_arena *a, skn_api_answerer *out);
} skn_api_agents;
