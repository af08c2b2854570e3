/* wish.h: what a model is asked for besides turns: read what it is about (worker), ask the model (loop), store
 * what it wrote (worker). Only files of this folder include it.
 *
 * Threads: the loop's, but for `read` and `store`.  Lifetimes: a wish is freed when it is done, or when it was
 * cancelled and no job of it is under way. */
#ifndef SKN_RUNTIME_WISH_H
#define SKN_RUNTIME_WISH_H

#include "runtime/run.h"

typedef struct skn_wish_kind {
    const char *purpose; /* summary squash knowledge */
    const char *what;    /* for the log: "a summary" */
    /* worker: fills in system and text; SKEIN_NOTHING: there is nothing to do. */
    skein_rc (*read)(skn_wish *w, skein_error *err);
    /* worker: stores what w->wrote has, with skn_wish_call, and fills in out. */
    skein_rc (*store)(skn_wish *w, skein_error *err);
    bool whole; /* it takes the place of other text: half of it would lose the rest */
} skn_wish_kind;

struct skn_wish {
    const skn_wish_kind *kind;
    skn_runtime         *r;
    skn_wish            *next, **link;
    skn_arena           *a;
    /* What it is about. */
    skein_world_id        world;
    skein_conversation_id chat;
    skein_agent_id        agent;
    skn_str               lane, model;
    void                 *own; /* the kind's */
    skn_str               system, text;
    int64_t               read_at; /* microseconds */
    /* How it goes. */
    skn_errand      *errand;
    skn_str          wrote;
    skein_model_call call;
    skn_str          limit;      /* of its provider, that a person is asked about; or absent */
    bool             over_limit; /* a person lets it be exceeded */
    bool             job, cancelled;
    skn_wished       out;
    skein_rc         rc;
    skein_error      err;
    void (*over)(skn_wish *w); /* on the loop, before done; may be NULL */
    skn_wish_done *done;
    void          *arg;
};

/* Starts it; done may be NULL, the texts must be in w->a. */
skn_wish *skn_wish_new(skn_runtime *r, const skn_wish_kind *kind);
void      skn_wish_start(skn_wish *w, skn_wish_done *done, void *arg);
/* How the model was asked, to be kept with what came of it; NULL when nothing was sent. */
skein_model_call *skn_wish_call(skn_wish *w);
/* Messages as a person would read them, for a model that is to write about them. */
void skn_wish_transcript(const skein_context *context, skn_buf *out);

#endif
