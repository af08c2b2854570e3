/* serve.h: "skein serve" from its start to its end. Only the files serve_….c and serve_run.c
 * include it.
 *
 * Threads: the loop's, unless a function says otherwise; engine calls after the start run on the workers.
 * Lifetimes: a skn_serve lives as long as the command; texts in it live in cli->keep. */
#ifndef SKN_SERVE_SERVE_H
#define SKN_SERVE_SERVE_H

#include "cli/cli.h"
#include "cli/config_cli.h"
#include "cli/discover.h"
#include "http/http.h"
#include "runtime/runtime.h"
#include "serve/provider_set.h"

#include <stdatomic.h>

#define SKN_HOST_TEXT 46

/* Things that are done now and then while the server runs (serve_jobs.c). */
typedef struct skn_serve_jobs skn_serve_jobs;
/* What people chose while working (serve_stored.c). */
typedef struct skn_serve_stored skn_serve_stored;

/* Which model answers for an agent, and where that runs, as the providers are now. Threads: any; putting is the loop's
 * (serve_agents.c). */
typedef struct skn_model_board skn_model_board;

typedef struct skn_serve {
    skn_cli                  *cli;
    int64_t                   began;      /* monotonic */
    int64_t                   started_at; /* microseconds UTC */
    const skn_config_sources *sources;
    skn_config               *config;
    skn_arena                *config_mem;            /* holds it */
    skn_config_value          own[SKN_CONFIG_COUNT]; /* as they are without the store */
    skn_traces                traces;
    const char               *socket; /* NULL: none */
    int                       lock;   /* descriptor; -1: none */
    int                       fd;     /* that listens; -1 until then */
    bool                      passed; /* it was given to us by systemd */
    char                      host[SKN_HOST_TEXT];
    int                       port;
    skn_str                   token;       /* absent: nobody but the owner is let in */
    bool                      token_named; /* by a person: the owner needs it too */
    const char               *token_file;
    bool                      read_only, is_new; /* the store was made by this start */
    const char               *url;               /* that answers on this computer */
    bool                      everywhere; /* it listens on all addresses, not only there */
    skn_loop                 *loop;
    skn_workers              *workers; /* for requests */
    skn_workers      *inner; /* for agents, events and jobs: requests do not hold them up */
    skn_log          *log;
    bool              log_on_terminal;
    skn_http         *http;
    skn_runtime      *runtime; /* NULL: read only */
    skn_net          *net;
    skn_provider     *demo;      /* until the set has it */
    skn_provider_set *providers; /* NULL: read only, or the store is not open yet */
    skn_model_board  *models;    /* which of their models answer, for any thread */
    skn_serve_jobs   *jobs;
    skn_serve_stored *stored; /* NULL: the store is not open yet */
    atomic_bool       nudged; /* a nudge is on its way to the loop */
    skein_rc          rc;     /* of opening the store */
    bool              stopping, http_closed, runtime_closed;
    int               interrupts;
    skn_timer        *say;       /* until it has said that it is ready; NULL: not yet */
    int64_t           ready_ms;  /* how long that took */
    int64_t           say_until; /* monotonic, ms: no later than then */
} skn_serve;

/* --- Before it runs ------------------------------------------------------------------------- */

/* Address, token and socket from options and configuration (serve_options.c). */
skein_rc skn_serve_settle(skn_serve *s);
/* Makes the token of the data folder, unless a person named one. */
skein_rc skn_serve_token(skn_serve *s);
/* Takes the lock of the store. *running is true when another server has it, and *other is that. */
skein_rc skn_serve_lock(skn_serve *s, bool *running, skn_server *other);
/* Describes this server to who looks for it. */
skein_rc skn_serve_describe(const skn_serve *s, skein_error *err);
/* Removes the description and the socket; safe at any time. */
void skn_serve_forget(const skn_serve *s);
/* Binds the address, or takes the socket that systemd passed on. */
skein_rc skn_serve_listen(skn_serve *s);

/* --- While it runs -------------------------------------------------------------------------- */

/* Reads the configuration again; one with errors changes nothing (serve_options.c). */
skein_rc skn_serve_reload(skn_serve *s, skein_error *err);
/* What is shown as the settings of the server: JSON in the arena, with the problems of `tried`. */
skn_str skn_serve_settings(const skn_serve *s, const skn_config *tried, skn_arena *a);
/* Why a setting cannot be changed while working; absent: it can. Any thread. */
skn_str skn_serve_refuse_setting(void *arg, skn_str name, const skn_json *value, skn_arena *a);
/* The problems of a configuration into the log. */
void skn_serve_problems(const skn_serve *s, const skn_config *c, skn_arena *a);
/* Takes the level of the log from the configuration. */
void skn_serve_level(const skn_serve *s);
/* Says that it is ready: text, JSON or the address alone; once it is known which models there are, or after a moment
 * (serve_say.c). */
void skn_serve_say_soon(skn_serve *s);
/* With --demo nothing is looked for. */
void skn_serve_demo_only(const skn_serve *s, skn_config *c);
void skn_serve_say_running(skn_cli *cli, const skn_server *other);

skn_serve_jobs *skn_serve_jobs_new(skn_serve *s);
void            skn_serve_jobs_stop(skn_serve_jobs *j); /* no job begins after this */
void skn_serve_jobs_free(skn_serve_jobs *j); /* NULL is fine; the workers have ended */
/* The configuration changed. */
void skn_serve_jobs_apply(skn_serve_jobs *j);
/* Statistics into the log. */
void skn_serve_count(skn_serve *s);

skn_serve_stored *skn_serve_stored_new(skn_serve *s);
void skn_serve_stored_free(skn_serve_stored *t); /* NULL is fine; the workers have ended */
/* Something was committed, maybe by another program: settings are looked at soon. NULL is fine. */
void skn_serve_stored_changed(skn_serve_stored *t);
/* What is stored now counts once done is called; done may be NULL. `all`: keys are fetched again too. */
void skn_serve_stored_take(skn_serve_stored *t, bool all, skn_call *done, void *arg);

/* --- Agents (serve_agents.c) ------------------------------------------------------------------ */

/* For the runtime; arg is the skn_serve. */
skn_provider *skn_serve_provider(void *arg, skn_str name);
skn_str       skn_serve_model(void *arg);
/* `only` answers for all agents, whatever they name; NULL: none does. */
skn_model_board *skn_model_board_new(const char *only);
void             skn_model_board_free(skn_model_board *b); /* NULL is fine */
/* The providers, and the model for agents that name none, are as they are in the set now. */
void skn_model_board_put(skn_model_board *b, skn_provider_set *set);
/* For the HTTP server. */
void skn_serve_agents(skn_serve *s, skn_api_agents *out);

/* --- systemd (serve_notify.c) --------------------------------------------------------------- */

/* Tells the service manager, if there is one: "READY=1". */
void skn_notify(const char *state);
/* How often it wants to hear "WATCHDOG=1"; 0: never. */
int64_t skn_notify_watchdog_ms(void);
/* The first socket that was passed on, or -1; its variables are taken out of the environment. */
int skn_notify_socket(int *count);

#endif
