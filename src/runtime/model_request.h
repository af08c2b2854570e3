/* model_request.h: requests to models outside of turns: read the input (worker), ask the model (loop), store the
 * result (worker). Only files of this folder include it.
 *
 * Threads: the loop's, except for `read` and `store`. Lifetimes: a request is freed when it is done, or when it was
 * cancelled and no job of it is in progress. */
#ifndef SKN_RUNTIME_MODEL_REQUEST_H
#define SKN_RUNTIME_MODEL_REQUEST_H

#include "runtime/run.h"

typedef struct skn_model_request_kind {
    const char *purpose; /* summary squash knowledge */
    const char *what;    /* for the log: "a summary" */
    /* worker: fills in system and text; SKEIN_NOTHING: nothing to do. */
    skein_rc (*read)(skn_model_request *q, skein_error *err);
    /* worker: stores q->wrote with skn_model_request_call, and fills in out. */
    skein_rc (*store)(skn_model_request *q, skein_error *err);
    bool whole; /* the text replaces others, so half of it would lose the rest */
} skn_model_request_kind;

struct skn_model_request {
    const skn_model_request_kind *kind;
    skn_runtime                  *r;
    skn_model_request            *next, **link;
    skn_arena                    *a;
    /* Its subject. */
    skein_world_id        world;
    skein_conversation_id chat;
    skein_agent_id        agent;
    skn_str               lane, model;
    void                 *own; /* for the kind */
    skn_str               system, text;
    size_t head; /* bytes of the text with the instruction; the rest may be sent in parts */
    /* Its progress. */
    skn_asking          *asking;
    skn_timer           *soon; /* for an end that must not come from inside a call */
    skn_asked            asked;
    skein_prompt_message message;
    skein_context        context; /* only the message */
    skn_buf              answer;
    size_t               looked[2]; /* of the answer and of the thinking, by skn_repeats */
    skn_buf              thinking;
    /* For a text longer than the window: bytes that were sent, bytes of the current part, and the notes. */
    size_t           at, part;
    skn_buf          notes;
    bool             folded;       /* the text consists of the notes */
    int              parts, looks; /* looks: how often the window was asked for */
    skn_reach        counted;      /* the window that the text was cut for */
    bool             called;       /* the model called a tool, though none was offered */
    skn_answer       told;         /* the outcome; the call borrows from it */
    skn_str          wrote;        /* never blank without an error */
    skein_model_call call;
    skn_limit_hit    limit; /* the reached limit */
    skn_vec(skn_str) let;   /* limits that a person lets the request exceed */
    skein_approval   said;  /* the person's decision about the last of them */
    bool             job, cancelled;
    skn_call        *then; /* after the job */
    skn_model_result out;
    skein_rc         rc;
    skein_error      err;
    void (*over)(skn_model_request *q); /* on the loop, before done; may be NULL */
    skn_request_watch       watch;
    skn_model_request_done *done;
    void                   *arg;
};

/* Starts the request; done may be NULL, the texts must be in q->a. */
skn_model_request *skn_model_request_new(skn_runtime *r, const skn_model_request_kind *kind);
void skn_model_request_start(skn_model_request *q, skn_model_request_done *done, void *arg);
/* Returns the record of the request, to be stored with the result; NULL: nothing was sent. */
skein_model_call *skn_model_request_call(skn_model_request *q);
/* Writes messages as readable text, for a model that writes about them. */
void skn_model_transcript(const skein_context *context, skn_buf *out);

#endif
