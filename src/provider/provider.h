/* provider.h: the folder's door: asking a model, and getting its answer piece by piece.
 *
 * A model is named "provider/model". Providers are behind one table of functions; the scripted one
 * (demo/scripted) needs neither key nor network.
 * Threads: everything on the loop's thread; callbacks too.  Lifetimes: a request is copied, so it may
 * go once ask has returned; texts handed to callbacks live until the callback returns. */
#ifndef SKN_PROVIDER_PROVIDER_H
#define SKN_PROVIDER_PROVIDER_H

#include "base/arena.h"
#include "base/error.h"
#include "base/loop.h"
#include <skein/view.h>

typedef struct skn_ask {
    skn_str              model; /* what follows "provider/" */
    skn_str              agent; /* the name of who answers */
    skn_str              system_prompt;
    const skein_context *context; /* may be NULL for the scripted one */
    skn_str              asker;   /* who wrote what is answered: "human", "lead" */
    skn_str              said; /* what is answered, alone: the context may hold more after it */
    skn_str tool, result;      /* the tool whose result came last in this turn; or absent */
    skn_str id;                /* of the message to come: makes ids of calls unique */
    int64_t hops_left;
} skn_ask;

typedef enum skn_part { SKN_PART_TEXT, SKN_PART_THINKING } skn_part;

/* How an answer ended. */
typedef struct skn_answer {
    skein_error error;                 /* code SKEIN_OK: it is whole */
    bool        retryable;             /* of a failure */
    const char *finish;                /* "stop", "length" or "tool" */
    int64_t     tokens_in, tokens_out; /* -1: not measured */
} skn_answer;

typedef struct skn_answer_sink {
    void (*delta)(void *arg, skn_part part, skn_str text);
    void (*call)(void *arg, const skein_tool_call *call);
    /* Once, last, unless the request was cancelled; never from inside skn_ask_model. */
    void (*done)(void *arg, const skn_answer *answer);
    void *arg;
} skn_answer_sink;

typedef struct skn_asking   skn_asking;
typedef struct skn_provider skn_provider;

typedef struct skn_provider_ops {
    skn_asking *(*ask)(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink);
    void (*cancel)(skn_asking *a); /* no callback after this */
    void (*free)(skn_provider *p); /* all requests are over */
} skn_provider_ops;

/* First member of every provider and of every request. */
struct skn_provider {
    const skn_provider_ops *ops;
    const char             *name; /* what stands before "/" */
};
struct skn_asking {
    skn_provider *provider;
};

skn_asking *skn_ask_model(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink);
void        skn_asking_cancel(skn_asking *a); /* NULL is fine */
void        skn_provider_free(skn_provider *p);

/* --- scripted.c: canned answers, honest about it --------------------------------------------- */

typedef struct skn_script skn_script; /* script.c: rules, checked; immutable */

/* Reads a script (docs/scripts.md); `what` names it in messages: "FILE:3:5: …". */
skein_rc skn_script_read(skn_script **out, skn_str source, const char *what, skein_error *err);
/* The tour's own. */
skn_script *skn_script_tour(void);
void        skn_script_free(skn_script *s);

typedef struct skn_scripted_options {
    skn_script *script;   /* taken over */
    bool        no_delay; /* skips every wait */
} skn_scripted_options;

/* Named "demo"; answers to the model "scripted". */
skn_provider *skn_scripted_new(skn_loop *loop, const skn_scripted_options *o);

#endif
