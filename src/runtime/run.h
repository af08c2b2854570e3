/* run.h: one turn at work. Only files of this folder include it.
 *
 * A run is on the loop, or one job of it is on a worker, never both: while run->job is set the loop
 * touches only what is marked (L). It begins with due work, opens the turn, and goes round: read the
 * context, ask the model, store the answer, run the tools that were called; until an answer calls
 * none.
 * Threads: the loop's, but for functions that say "worker".  Lifetimes: a run is freed once its turn
 * is over and no job of it is under way. */
#ifndef SKN_RUNTIME_RUN_H
#define SKN_RUNTIME_RUN_H

#include "base/buf.h"
#include "runtime/runtime.h"

enum {
    SKN_RUNS_MOST = 64,  /* turns at once; the rest waits */
    SKN_RUN_ROUNDS = 16, /* times that a turn may ask the model */
    SKN_RUN_CALLS = 64,  /* calls of one answer */
    SKN_RUN_TRIES = 2,   /* times that one question is put to a model that cannot answer now */
    SKN_RUN_PAUSE_MS = 1000, /* before anything is tried again */
    SKN_RUN_TEXT = 16 << 20  /* bytes of one answer */
};

typedef struct skn_run  skn_run;
typedef struct skn_halt skn_halt; /* a stop that somebody asked for */

struct skn_run {
    skn_runtime *r;            /* (L) */
    skn_run     *next, **link; /* (L) */
    /* What it is about: set before the first job, never changed. */
    int64_t               delivery; /* (L) */
    skein_conversation_id chat;     /* (L) */
    skein_agent_id        agent;    /* (L) */
    skn_str               model;    /* "provider/model" */
    skn_provider         *provider; /* NULL: there is none of that name */
    skn_arena            *a;        /* for the whole turn */
    /* The turn. */
    int64_t    turn_id, fence; /* (L) 0: not open, as far as the loop knows */
    skein_turn turn;
    /* What is asked. */
    skn_arena    *round; /* for one round */
    skein_context context;
    skn_str       system_prompt, asker, said;
    skn_str       tool, result; /* the last tool of this turn */
    bool          tool_failed;
    size_t        ran; /* calls of this answer whose tools have run */
    int           rounds, tries;
    /* What is answered. */
    skn_asking *asking; /* (L) */
    skn_buf     text, thinking;
    skn_vec(skein_tool_call) calls;
    size_t     next_call;
    skn_answer answer;
    /* The job. */
    bool job;                   /* (L) */
    void (*work)(skn_run *run); /* worker */
    void (*then)(skn_run *run);
    skein_rc    rc;
    skein_error err, why; /* of the last job; of a turn that fails */
    /* Waiting to try again; not while a job or an asking is under way. */
    skn_timer *later;            /* (L) */
    void (*again)(skn_run *run); /* (L) */
    int64_t trying_since;        /* (L) that the store does not take it, ms; 0: it does */
    /* Set from outside. */
    bool      over;   /* (L) the turn is closed, or is to be: nothing more is asked or stored */
    bool      ending; /* (L) the job that closes the turn is under way, or was */
    skn_halt *halt;   /* (L) a stop waits for this run */
};

/* turn_run.c */
void skn_run_start(skn_runtime *r, const skein_due *due);
/* Stops asking; the run goes once its job, if any, is back. `halt`: it waits for the stop instead. */
void skn_run_drop(skn_run *run, skn_halt *halt);
/* Closes the turn as interrupted, keeping what it has written. */
void skn_run_interrupt(skn_run *run);
void skn_run_free(skn_run *run);

/* prompt.c: worker: who answers, whom, and what the model may be sent. */
skein_rc skn_run_load(skn_run *run, skein_error *err);

/* tools.c: worker: runs a tool; *failed when it could not. The result is never absent. */
skn_str skn_tool_run(const skein_tool_call *call, skn_arena *a, bool *failed);

/* --- The runtime (runtime.c) ------------------------------------------------------------------- */

struct skn_runtime {
    skn_runtime_options o;
    char               *model, *holder;
    skn_run            *runs;
    size_t              run_count;
    size_t              jobs; /* of any kind, under way */
    skn_timer          *recover, *renew, *check;
    int64_t             checked; /* when the turns were last looked at, ms */
    bool                started; /* recovered once: work may be taken */
    bool                looking, look_again;
    bool                checking, check_again;
    bool                more; /* the last look found work that was not taken */
    bool      freed;          /* since then something has ended that may have been in its way */
    skn_halt *halts;
    bool      closing;
    skn_call *done;
    void     *done_arg;
};

/* A job of a run or of the runtime came back, or a run has gone. */
void skn_runtime_settle(skn_runtime *r);
/* halt.c: a run that a stop waits for is ready for it. */
void skn_halt_ready(skn_halt *halt);
/* Whether the work is about to be taken back. */
bool skn_halt_covers(const skn_runtime *r, const skein_due *due);
/* The provider of a model's name, and what follows it. NULL: there is none. */
skn_provider *skn_runtime_provider(const skn_runtime *r, skn_str model, skn_str *rest);

#endif
