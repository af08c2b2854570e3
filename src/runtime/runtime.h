/* runtime.h: the folder's door: gives agents their turns.
 *
 * It takes work that the engine says is due, opens a turn, asks the model, tells what is being
 * written, stores each step, runs tools, and goes on. What it was doing when its process died is
 * closed as interrupted by the next one, once the lease has run out.
 * Threads: all calls on the loop's thread, calls into the engine on the workers.  Lifetimes: the
 * engine, loop, workers and providers outlive it. */
#ifndef SKN_RUNTIME_RUNTIME_H
#define SKN_RUNTIME_RUNTIME_H

#include "base/log.h"
#include "base/loop.h"
#include "base/workers.h"
#include "engine/engine.h"
#include "provider/provider.h"

typedef struct skn_runtime skn_runtime;

typedef struct skn_runtime_options {
    skein_engine *engine;
    skn_loop     *loop;
    skn_workers  *workers;
    skn_log      *log;
    /* The provider of a name, NULL when there is none; lives until what it is asked then is over. */
    skn_provider *(*provider)(void *arg, skn_str name);
    /* The model for agents that name none: "demo/scripted"; lives until the next call. */
    skn_str (*model)(void *arg);
    void       *provider_arg;
    const char *only_model;  /* answers for all agents, whatever they name; NULL: none does */
    skn_net    *net;         /* for tool servers; may be NULL */
    bool        no_commands; /* tool servers that are programs are not started */
    const char *files;       /* the folder that agents may read from; NULL: none */
    const char *holder;      /* names this process in leases */
    int64_t     lease_ms;    /* 0: 30 s */
    int64_t     recover_ms;  /* between looks for turns that others left open; 0: 10 s */
    bool        alone;       /* nobody else speaks for agents on this store: what is open at the
                           start was left, whatever its lease says */
    /* What is being written, as it happens. */
    void (*tell)(void *arg, const skn_live *event);
    void *tell_arg;
} skn_runtime_options;

skn_runtime *skn_runtime_new(const skn_runtime_options *o);
/* Stops taking work, cancels what is asked, closes its open turns as interrupted, keeping what they
 * have written, then calls done. Work that was not begun stays for the next one. */
void skn_runtime_close(skn_runtime *r, skn_call *done, void *arg);
void skn_runtime_free(skn_runtime *r); /* after close */
/* Something was committed: there may be work, or a turn may be over. */
void skn_runtime_nudge(skn_runtime *r);
/* Stops agents of a chat (zero agent: all), keeping what they have written, and the summaries, squashes and notes that
 * models write there; done gets how many agents, or the error. */
typedef void skn_stopped(void *arg, int64_t stopped, const skein_error *err);
void         skn_runtime_stop(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent,
                              skn_stopped *done, void *arg);

/* A copy of what agents of a world (zero: of all) are writing just now (only its partials are set), for whoever is about
 * to close turns of it in the store: they go on until that is done. */
void skn_runtime_written(skn_runtime *r, skein_world_id world, skn_arena *a, skein_stop *out);

/* --- Models at work outside of turns ------------------------------------------------------------- */

/* A summary of a lane or of an agent's memory, now. SKEIN_NOTHING: there is nothing
 * to cover. */
typedef struct skn_compact_spec {
    skein_world_id        world;
    skein_conversation_id chat;
    skein_agent_id        agent;  /* zero: `lane` */
    skn_str               lane;   /* absent: "main" */
    skn_str               model;  /* absent: the default */
    skn_str               reason; /* absent: "manual" */
    bool in_turn; /* what the turn at work has done is covered, except its last exchange */
} skn_compact_spec;

/* A squash whose text a model writes. */
typedef struct skn_squash_spec {
    skein_world_id          world;
    skein_conversation_id   chat;
    const skein_message_id *sources;
    size_t                  source_count;
    skn_str                 prompt, model; /* model absent: the default */
    skn_str                 actor;
    bool                    dry_run; /* only the text */
} skn_squash_spec;

/* How such a thing ended. */
typedef struct skn_model_result {
    const skein_message
        *message; /* that was stored: the summary, or a squash's result; NULL: none */
    const skein_squash *squash;      /* NULL: none */
    int64_t             covers;      /* of a summary */
    skn_str             text;        /* what the model wrote */
    skn_str             model, call; /* call: under which it is kept */
} skn_model_result;

typedef void                     skn_model_request_done(void *arg, const skn_model_result *out,
                                                        const skein_error *err);
typedef struct skn_model_request skn_model_request; /* under way */

/* done comes once, never from inside, unless it is cancelled. */
skn_model_request *skn_runtime_compact(skn_runtime *r, const skn_compact_spec *spec,
                                       skn_model_request_done *done, void *arg);
skn_model_request *skn_runtime_squash(skn_runtime *r, const skn_squash_spec *spec,
                                      skn_model_request_done *done, void *arg);
void skn_model_request_cancel(skn_model_request *w); /* no callback after this; NULL is fine */

/* --- Servers of tools ------------------------------------------------------------------------------ */

/* Fills in what is known of these servers of a world, by their names. Any thread. */
void skn_runtime_tool_servers(skn_runtime *r, skein_world_id world, skn_arena *a,
                              skn_tool_server *at, size_t count);

/* What is known of how much a model ("provider/model") can read: 0: nothing. *from: who says so. Any thread. */
int64_t skn_runtime_window(skn_runtime *r, skn_str model, const char **from);

/* Is a tool of this name built in? */
bool skn_runtime_has_tool(skn_str name);

/* --- What a model would be sent ------------------------------------------------------------------- */

typedef struct skn_sent_spec {
    skein_engine      *engine;
    const skein_world *world;
    skein_mode         mode;  /* of the conversation */
    const char        *files; /* the folder that agents may read from; NULL: none */
    skn_str            model; /* that answers for agents that name none; absent: not known */
    bool               only_model; /* and for those that name one */
} skn_sent_spec;

/* The context, its tokens with the prompt, the files and the tools of who reads it. Any thread. r NULL: no server
 * of tools runs here, and theirs are not counted. */
skein_rc skn_runtime_context(skn_runtime *r, const skn_sent_spec *spec, const skein_slice *what,
                             skein_mem *mem, skein_context *out, skein_error *err);

/* prompt.c: the world "tour" with @lead, @ada and @bo and a chat "Welcome", when the store has no
 * world yet. Of *out, which is zero unless it was made, only the name and the numbers are set. */
skein_rc skn_tour_make(skein_engine *e, skein_world *out, bool *made, skein_error *err);

#endif
