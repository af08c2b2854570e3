/* serve.h: "skein serve" from its start to its end. Only the files serve_….c include it.
 *
 * Threads: the loop's, unless a function says otherwise; engine calls after the start run on the workers.
 * Lifetimes: a skn_serve lives as long as the command; its texts live in cli->keep. */
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

/* Jobs that run from time to time (serve_jobs.c). */
typedef struct skn_serve_jobs skn_serve_jobs;
/* Settings and providers that people changed while the server ran (serve_stored.c). */
typedef struct skn_serve_stored skn_serve_stored;

/* Which model answers for an agent and where that model runs, from the current providers. Threads: any, but only the
 * loop updates it (serve_agents.c). */
typedef struct skn_model_board skn_model_board;

typedef struct skn_serve {
    skn_cli                  *cli;
    int64_t                   began;      /* monotonic */
    int64_t                   started_at; /* microseconds UTC */
    const skn_config_sources *sources;
    skn_config               *config;
    skn_arena                *config_mem;            /* holds the configuration */
    skn_config_value          own[SKN_CONFIG_COUNT]; /* as they are without the store */
    skn_traces                traces;
    const char               *socket; /* NULL: none */
    int                       lock;   /* descriptor; -1: none */
    int                       fd;     /* listens; -1 until then */
    bool                      passed; /* from systemd */
    char                      host[SKN_HOST_TEXT];
    int                       port;
    skn_str                   token;       /* absent: only the owner may connect */
    bool                      token_named; /* by a person: the owner needs it too */
    const char               *token_file;
    bool                      read_only, is_new; /* is_new: this start created the store */
    const char               *url;               /* works on this computer */
    bool                      everywhere; /* it listens on all addresses, not only at `url` */
    skn_loop                 *loop;
    skn_workers              *workers; /* for requests */
    skn_workers      *inner; /* for agents, events and jobs, so that requests cannot delay
                              * them */
    skn_log          *log;
    bool              log_on_terminal;
    skn_http         *http;
    skn_runtime      *runtime; /* NULL: the server only reads */
    skn_net          *net;
    skn_provider     *demo;      /* until `providers` takes it over */
    skn_provider_set *providers; /* NULL: the server only reads, or the store is not open yet */
    skn_model_board  *models;    /* for any thread */
    skn_serve_jobs   *jobs;
    skn_serve_stored *stored; /* NULL: the store is not open yet */
    atomic_bool       nudged; /* a nudge is queued on the loop */
    skein_rc          rc;     /* result of opening the store */
    bool              stopping, http_closed, runtime_closed;
    int               interrupts;
    skn_timer        *say;       /* until the server has said that it is ready; NULL before */
    int64_t           ready_ms;  /* how long the start took */
    int64_t           say_until; /* monotonic, ms: latest time to say so */
} skn_serve;

/* --- Before it runs ------------------------------------------------------------------------- */

/* Reads address, token and socket from options and configuration (serve_options.c). */
skein_rc skn_serve_settle(skn_serve *s);
/* Creates the token of the data folder, unless a person named a token. */
skein_rc skn_serve_token(skn_serve *s);
/* Takes the lock of the store. When another server holds it, *running is true and *other describes that server. */
skein_rc skn_serve_lock(skn_serve *s, bool *running, skn_server *other);
/* Writes the description by which other programs find this server. */
skein_rc skn_serve_describe(const skn_serve *s, skein_error *err);
/* Removes the description and the socket; safe at any time. */
void skn_serve_forget(const skn_serve *s);
/* Binds the address, or takes the socket that systemd passed on. */
skein_rc skn_serve_listen(skn_serve *s);

/* --- While it runs -------------------------------------------------------------------------- */

/* Reads the configuration again; errors in it leave all settings unchanged (serve_options.c). */
skein_rc skn_serve_reload(skn_serve *s, skein_error *err);
/* Returns the server's settings as JSON in the arena, with the problems of `tried`. */
skn_str skn_serve_settings(const skn_serve *s, const skn_config *tried, skn_arena *a);
/* Returns the reason why a setting cannot be changed at run time; absent if it can. Any thread. */
skn_str skn_serve_refuse_setting(void *arg, skn_str name, const skn_json *value, skn_arena *a);
/* Logs the problems of a configuration. */
void skn_serve_problems(const skn_serve *s, const skn_config *c, skn_arena *a);
/* Sets the log level from the configuration. */
void skn_serve_level(const skn_serve *s);
/* Says that the server is ready, as text, JSON or only the address, once the models are known or after a moment
 * (serve_say.c). */
void skn_serve_say_soon(skn_serve *s);
/* With --demo, turns off the search for servers and keys. */
void skn_serve_demo_only(const skn_serve *s, skn_config *c);
void skn_serve_say_running(skn_cli *cli, const skn_server *other);

skn_serve_jobs *skn_serve_jobs_new(skn_serve *s);
void            skn_serve_jobs_stop(skn_serve_jobs *j); /* no job starts after this */
void skn_serve_jobs_free(skn_serve_jobs *j); /* NULL is fine; the workers have ended */
/* Applies a changed configuration. */
void skn_serve_jobs_apply(skn_serve_jobs *j);
/* Logs statistics. */
void skn_serve_count(skn_serve *s);

skn_serve_stored *skn_serve_stored_new(skn_serve *s);
void skn_serve_stored_free(skn_serve_stored *t); /* NULL is fine; the workers have ended */
/* Reads the settings again soon, because something was committed, maybe by another program. NULL is fine. */
void skn_serve_stored_changed(skn_serve_stored *t);
/* Reads the stored settings and applies them, then calls done, which may be NULL. `all`: fetches keys again, too. */
void skn_serve_stored_take(skn_serve_stored *t, bool all, skn_call *done, void *arg);

/* --- Agents (serve_agents.c) ------------------------------------------------------------------ */

/* Callbacks for the runtime; arg is the skn_serve. */
skn_provider *skn_serve_provider(void *arg, skn_str name);
skn_str       skn_serve_model(void *arg);
/* `only` answers for all agents, whatever model they name; NULL: no such override. */
skn_model_board *skn_model_board_new(const char *only);
void             skn_model_board_free(skn_model_board *b); /* NULL is fine */
/* Copies the providers and the default model from the set. */
void skn_model_board_put(skn_model_board *b, skn_provider_set *set);
/* Fills in the callbacks of the HTTP server. */
void skn_serve_agents(skn_serve *s, skn_api_agents *out);
/* For skn_runtime_options. */
void skn_serve_begun(void *arg, skn_model_request *q, const char *purpose,
                     skein_world_id world);

/* --- systemd (serve_notify.c) --------------------------------------------------------------- */

/* Sends a state such as "READY=1" to the service manager, if there is one. */
void skn_notify(const char *state);
/* How often the service manager wants "WATCHDOG=1"; 0: never. */
int64_t skn_notify_watchdog_ms(void);
/* Returns the first socket that systemd passed, or -1, and removes its variables from the environment. */
int skn_notify_socket(int *count);

#endif
