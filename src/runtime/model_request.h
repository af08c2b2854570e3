/* model_request.h: what a model is asked for besides turns: read what it is about (worker), ask the model (loop),
 * store what it wrote (worker). Only files of this folder include it.
 *
 * Threads: the loop's, except for `read` and `store`.  Lifetimes: a request is freed when it is done, or when it was
 * cancelled and no job of it is under way. */
#ifndef SKN_RUNTIME_MODEL_REQUEST_H
#define SKN_RUNTIME_MODEL_REQUEST_H

#include "runtime/run.h"

typedef struct skn_model_request_kind {
    const char *purpose; /* summary squash knowledge */
    const char *what;    /* for the log: "a summary" */
    /* worker: fills in system and text; SKEIN_NOTHING: there is nothing to do. */
    skein_rc (*read)(skn_model_request *q, skein_error *err);
    /* worker: stores what q->wrote has, with skn_model_request_call, and fills in out. */
    skein_rc (*store)(skn_model_request *q, skein_error *err);
    bool whole; /* it takes the place of other text: half of it would lose the rest */
} skn_model_request_kind;

struct skn_model_request {
    const skn_model_request_kind *kind;
    skn_runtime                  *r;
    skn_model_request            *next, **link;
    skn_arena                    *a;
    /* What it is about. */
    skein_world_id        world;
    skein_conversation_id chat;
    skein_agent_id        agent;
    skn_str               lane, model;
    void                 *own; /* the kind's */
    skn_str               system, text;
    size_t head; /* bytes of the text that say what to do; the rest may be asked in parts */
    /* How it goes. */
    skn_asking          *asking;
    skn_timer           *soon; /* for an end that must not come from inside */
    skn_asked            asked;
    skein_prompt_message message;
    skein_context        context; /* the message alone */
    skn_buf              answer;
    size_t               looked[2]; /* of the answer and of the thinking, by skn_repeats */
    skn_buf              thinking;
    /* Of a text that is more than the model can read: how much was asked, of how much it is asked now, and the notes. */
    size_t           at, part;
    skn_buf          notes;
    int              parts, looks; /* looks: whether it is known how much the model reads */
    skn_reach        counted;      /* what is asked was cut by this */
    bool             called;       /* a tool, though none was offered */
    skn_answer       told;         /* how it ended; the call borrows from it */
    skn_str          wrote;        /* never blank when there is no error */
    skein_model_call call;
    skn_str          limit;      /* of its provider, that a person is asked about; or absent */
    bool             over_limit; /* a person lets it be exceeded */
    bool             job, cancelled;
    skn_call        *then; /* of the job */
    skn_model_result out;
    skein_rc         rc;
    skein_error      err;
    void (*over)(skn_model_request *q); /* on the loop, before done; may be NULL */
    skn_model_request_done *done;
    void                   *arg;
};

/* Starts it; done may be NULL, the texts must be in q->a. */
skn_model_request *skn_model_request_new(skn_runtime *r, const skn_model_request_kind *kind);
void skn_model_request_start(skn_model_request *q, skn_model_request_done *done, void *arg);
/* How the model was asked, to be kept with the outcome; NULL when nothing was sent. */
skein_model_call *skn_model_request_call(skn_model_request *q);
/* Messages as a person would read them, for a model that is to write about them. */
void skn_model_transcript(const skein_context *context, skn_buf *out);

#endif
