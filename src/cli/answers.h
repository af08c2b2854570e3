/* answers.h: shows what a message causes, as the server tells it.
 *
 * On a terminal the answer that began first is shown while it is written, the others after it; else
 * each is shown when it is complete. Threads: one. Lifetimes: of one message. */
#ifndef SKN_CLI_ANSWERS_H
#define SKN_CLI_ANSWERS_H

#include "cli/fate.h"
#include "cli/flow.h"
#include "cli/typing.h"

typedef struct skn_answers {
    skn_cli    *cli;
    skn_news   *news;    /* over once all have answered */
    skn_str     message; /* the one that was sent; absent until it is known */
    bool        said;    /* it is in the conversation, not in the queue any more */
    skn_waited  where;   /* it is looked for when somebody was stopped; no chat: nowhere */
    skn_fate    fate;    /* gone: nobody answers it any more, and the rest is not waited for */
    bool        live;
    skn_typings typing;
    skn_typing *current;     /* whose text the cursor stands behind */
    skn_flow    flow;        /* of that text */
    skn_buf     held;        /* complete ones that wait for that */
    skn_vec(skn_str) agents; /* that had to answer */
    skn_vec(skn_str) begun;  /* of them, those that have begun to */
    skn_vec(skn_str) silent; /* of the agents at work, those that have sent nothing yet */
    size_t  failed, answered;
    size_t  keyless;              /* of those that failed: for want of a key that works */
    size_t  resting;              /* agents that are paused, and answer later */
    int64_t begun_at, elapsed_ms; /* milliseconds */
} skn_answers;

void skn_answers_init(skn_answers *a, skn_cli *cli, skn_news *news);
void skn_answers_release(skn_answers *a);
/* Takes an event of the stream: arg is the skn_answers. */
skein_rc skn_answers_take(void *arg, const skn_news_item *item);
/* Has this agent to answer, and not begun? */
bool skn_answers_waits(const skn_answers *a, skn_str name);
/* The line under them, when all is done. */
void skn_answers_end(skn_answers *a);
/* Leaves the cursor at the start of a line, whatever is half shown. */
void skn_answers_break(skn_answers *a);

#endif
