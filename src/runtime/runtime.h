/* runtime.h: runs the turns of agents; the public header of this folder.
 *
 * It takes work that is due, opens a turn, asks the model, reports unfinished text, stores each step, runs tools, and
 * continues. If the process dies, the next one closes its turns as interrupted once their leases have expired.
 * Threads: all calls on the loop's thread, calls into the engine on the workers. Lifetimes: the engine, loop, workers
 * and providers outlive the runtime. */
#ifndef SKN_RUNTIME_RUNTIME_H
#define SKN_RUNTIME_RUNTIME_H

#include "base/log.h"
#include "base/loop.h"
#include "base/workers.h"
#include "engine/engine.h"
#include "provider/provider.h"

typedef struct skn_runtime       skn_runtime;
typedef struct skn_model_request skn_model_request; /* in progress */

typedef struct skn_runtime_options {
    skein_engine *engine;
    skn_loop     *loop;
    skn_workers  *workers;
    skn_log      *log;
    /* Returns the provider with this name, or NULL; it lives until its requests have ended. */
    skn_provider *(*provider)(void *arg, skn_str name);
    /* Returns the default model, such as "demo/scripted"; it lives until the next call. */
    skn_str (*model)(void *arg);
    void       *provider_arg;
    const char *only_model;  /* answers for all agents, whatever model they name; or NULL */
    skn_net    *net;         /* for tool servers; may be NULL */
    bool        no_commands; /* programs are not started as tool servers */
    const char *files;       /* the folder that agents may read from; NULL: none */
    const char *holder;      /* names this process in leases */
    int64_t     lease_ms;    /* 0: 30 s */
    int64_t     recover_ms;  /* between searches for abandoned turns; 0: 10 s */
    bool        alone;       /* no other process runs agents on this store: turns that are
                              * open at the start are abandoned, whatever their leases say */
    /* A request that nobody waits for has begun (on the loop); `purpose` is a constant. May be NULL. */
    void (*begun)(void *arg, skn_model_request *q, const char *purpose, skein_world_id world);
    /* Reports unfinished text. */
    void (*tell)(void *arg, const skn_live *event);
    void *tell_arg;
} skn_runtime_options;

skn_runtime *skn_runtime_new(const skn_runtime_options *o);
/* Stops taking work, cancels requests, closes open turns as interrupted and keeps their text, then calls done. Work
 * that was not started stays for the next process. */
void skn_runtime_close(skn_runtime *r, skn_call *done, void *arg);
void skn_runtime_free(skn_runtime *r); /* after close */
/* Call this after a commit: there may be new work, or a turn may be closed. */
void skn_runtime_nudge(skn_runtime *r);
/* Stops agents of a chat (zero agent: all), and the summaries, squashes and notes that models write there; unfinished
 * text is kept. done gets the number of agents, or the error. */
typedef void skn_stopped(void *arg, int64_t stopped, const skein_error *err);
void         skn_runtime_stop(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent,
                              skn_stopped *done, void *arg);

/* Copies what agents of a world (zero: of all) are writing, into the partials of *out. For callers that are about to
 * close the turns in the store: the runs continue until that is done. */
void skn_runtime_written(skn_runtime *r, skein_world_id world, skn_arena *a, skein_stop *out);

/* --- Requests outside of turns ------------------------------------------------------------------- */

/* Summarises a lane or an agent's memory now. SKEIN_NOTHING: nothing to cover. */
typedef struct skn_compact_spec {
    skein_world_id        world;
    skein_conversation_id chat;
    skein_agent_id        agent;  /* zero: `lane` */
    skn_str               lane;   /* absent: "main" */
    skn_str               model;  /* absent: the default */
    skn_str               reason; /* absent: "manual" */
    bool in_turn; /* the work of the open turn is covered, too, except for its last exchange */
} skn_compact_spec;

/* A squash whose text a model writes. */
typedef struct skn_squash_spec {
    skein_world_id          world;
    skein_conversation_id   chat;
    const skein_message_id *sources;
    size_t                  source_count;
    skn_str                 prompt, model; /* model absent: the default */
    skn_str                 actor;
    bool                    dry_run; /* returns only the text */
} skn_squash_spec;

/* The outcome of a summary or squash. */
typedef struct skn_model_result {
    const skein_message *message;     /* the stored summary or squash; NULL: none */
    const skein_squash  *squash;      /* NULL: none */
    int64_t              covers;      /* of a summary */
    skn_str              text;        /* the model's text */
    skn_str              model, call; /* call: the id of its model call */
} skn_model_result;

typedef void skn_model_request_done(void *arg, const skn_model_result *out,
                                    const skein_error *err);

/* done is called once, never inside these functions, and not after a cancel. */
skn_model_request *skn_runtime_compact(skn_runtime *r, const skn_compact_spec *spec,
                                       skn_model_request_done *done, void *arg);
skn_model_request *skn_runtime_squash(skn_runtime *r, const skn_squash_spec *spec,
                                      skn_model_request_done *done, void *arg);
void skn_model_request_cancel(skn_model_request *w); /* no callback after this; NULL is fine */

/* Follows a request: how far it is, and its end in any way; err rc SKEIN_OK: it is done. */
typedef struct skn_request_watch {
    void (*progress)(void *arg, int64_t done, int64_t total);
    void (*over)(void *arg, const skein_error *err); /* may be NULL */
    void *arg;
} skn_request_watch;
void skn_model_request_watch(skn_model_request *q, const skn_request_watch *watch);

/* --- Tool servers ---------------------------------------------------------------------------------- */

/* Fills in the state of these servers of a world, by name. Any thread. */
void skn_runtime_tool_servers(skn_runtime *r, skein_world_id world, skn_arena *a,
                              skn_tool_server *at, size_t count);

/* Returns the window of a model ("provider/model") in tokens, 0 if unknown; *from says where it is from. Any thread. */
int64_t skn_runtime_window(skn_runtime *r, skn_str model, const char **from);

/* Is a tool of this name built in? */
bool skn_runtime_has_tool(skn_str name);

/* --- The input of a model ------------------------------------------------------------------------- */

typedef struct skn_sent_spec {
    skein_engine      *engine;
    const skein_world *world;
    skein_mode         mode;       /* of the conversation */
    const char        *files;      /* the folder that agents may read from; NULL: none */
    skn_str            model;      /* the default model; absent: not known */
    bool               only_model; /* it also answers for agents that name a model */
} skn_sent_spec;

/* Returns the context of a lane or memory, with the tokens of prompt, files and tools. Any thread. r NULL: no tool
 * servers run here, and their tools are not counted. */
skein_rc skn_runtime_context(skn_runtime *r, const skn_sent_spec *spec, const skein_slice *what,
                             skein_mem *mem, skein_context *out, skein_error *err);

/* prompt.c: creates the world "tour" with @lead, @ada and @bo and a chat "Welcome", if the store has no world. *out
 * is zero unless the tour was created; only its name and numbers are set. */
skein_rc skn_tour_make(skein_engine *e, skein_world *out, bool *made, skein_error *err);

#endif
