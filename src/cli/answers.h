/* answers.h: the fate of a message whose answers are awaited: another terminal or the page may have edited or removed
 * it.
 *
 * |Threads: one. Lifetimes: what is found lives in cli->keep. */
#pragma once

#include "base/json.h"
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/news.h"
#include "cli/print.h"

typedef struct skn_fate {
    bool gone;       /* the current version does not hold it, and it does not wait to be said */
    const char *how; /* "edited" or "amended": what was done to it */
    skn_str     instead; /* the message that took its place; absent: none, or nobody knows */
    skn_str     version; /* "v8", that is current instead; absent: there is none to look at */
    bool        unsaid;  /* it waited, and was never said */
    bool        left;    /* that version was not made from one that holds it */
} skn_fate;

/* Of a message of the conversation of this run. Who cannot be asked has told nothing: then it is still there. */
void skn_fate_look(skn_cli *cli, skn_str message, skn_fate *out);
/* "P6Uh… was edited elsewhere, and P6Uk… took its place" */
skn_str skn_fate_text(skn_arena *a, const skn_fate *fate, skn_str message);

/* A text that comes in pieces, shown at once, in rows that end between words.
 *
 * A word that outgrows its row while it comes is taken back and shown on the next row. Where nobody reads
 * it on a terminal, rows end where lines of the text do. Threads: one. */

typedef struct skn_flow {
    size_t  indent;  /* blanks before rows that are begun */
    size_t  column;  /* of the cursor */
    skn_buf word;    /* as much as there is of the last one, if it may be taken back */
    size_t  shown;   /* columns of it */
    char    last[4]; /* character that came: what the next one is depends on it */
    size_t  last_bytes;
} skn_flow;

/* Shows what a message causes, as the server tells it.
 *
 * On a terminal the answer that began first is shown while it is written, the others after it; else
 * each is shown when it is complete. Threads: one. Lifetimes: of one message. */

typedef struct skn_answers {
    skn_cli    *cli;
    skn_news   *news;    /* over once all have answered */
    skn_str     message; /* the one that was sent; absent until it is known */
    bool        said;    /* it is in the conversation, not in the queue any more */
    bool        watched; /* it is looked for when somebody was stopped */
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

/* Waits for the answers to one message, shows them as they come, and says how it ended. Threads: one. Lifetimes: of one
 * message. */

typedef struct skn_await {
    skn_cli              *cli;
    skein_world_id        world;
    skein_conversation_id chat;
    skn_news              news; /* .first: the post, where that is what begins it */
    skn_answers           answers;
} skn_await;

/* --timeout: "120s", "2m", "1h", "500ms", or seconds alone; -1 without. */
skein_rc skn_await_timeout(skn_cli *cli, int64_t *out);

void skn_await_init(skn_await *w, skn_cli *cli, const skein_world *world,
                    const skein_conversation *chat, const skn_server *server);
void skn_await_release(skn_await *w);
/* For a message that something else than a post makes: from here on nothing that happens is missed … */
skein_rc skn_await_open(skn_await *w);
/* … and this is the message, once it is made. */
void skn_await_message(skn_await *w, skn_str uid);
/* Until all have answered, or for timeout_ms (-1: forever). What was answered only in part, or no longer waited for, has a
 * status of its own. */
skein_rc skn_await_answers(skn_await *w, int64_t timeout_ms);
