/* news.h: what happens in a world, as a running server tells it, event by event.
 *
 * A lost connection is made again, and goes on where it ended; only when that fails for long is it an
 * error. Threads: one. Lifetimes: what a piece of news holds lives until the next one is taken. */
#pragma once

#include "base/json.h"
#include "cli/client.h"

/* One event, opened. Texts that it has not are absent. */
typedef struct skn_news_item {
    skn_str         type, cause, chat;
    skn_str         message; /* "messageId" */
    skn_str         agent;   /* or the sender of a message */
    skn_str         reply_to;
    skn_str         text; /* of a message, or the piece of one */
    skn_str         model;
    const skn_json *data;
} skn_news_item;

typedef struct skn_news {
    skn_cli         *cli;
    skn_server       server; /* as it was found; looked for again when it is gone */
    skn_event_stream stream;
    skn_request_spec first;    /* how it begins: a post, or the events of a chat */
    skn_request_spec again;    /* how it goes on after a cut */
    bool             begun;    /* the first request has got an answer */
    int              lost;     /* connections in a row that brought nothing */
    int64_t          again_at; /* when the next connection is due; milliseconds */
    skn_arena       *mem;      /* of one item */
    /* Takes one item; what it returns ends the reading. */
    skein_rc (*take)(void *arg, const skn_news_item *item);
    void *arg;
    bool  over; /* set by the reader: nothing more to wait for */
} skn_news;

void skn_news_init(skn_news *n, skn_cli *cli, const skn_server *server);
void skn_news_release(skn_news *n);
/* The file to poll for reading; -1: none now. */
int     skn_news_fd(const skn_news *n);
int64_t skn_news_pause(
    const skn_news *n); /* milliseconds until skn_news_step has to be called */
/* Connects when that is due, or reads what has come. Losing the server is an error only after many
 * tries. */
skein_rc skn_news_step(skn_news *n);
/* Does both until it is over, for up to `ms` (-1: forever). SKEIN_TIMEOUT when the time is up,
 * SKEIN_NOTHING when a signal came (input.h). */
skein_rc skn_news_wait(skn_news *n, int64_t ms);

/* The texts that agents are writing, joined from the events of a stream.
 *
 * Threads: one. Lifetimes: one that is typed lives until skn_typing_drop. */

typedef struct skn_typing skn_typing;
struct skn_typing {
    skn_typing *next;
    char       *message, *agent;
    char       *reply_to, *model; /* "" for none */
    char       *lane;             /* the delegation it belongs to; "" for none */
    skn_buf     text;             /* so far */
    bool        thinking;         /* it thinks, or has not begun */
    size_t      shown;            /* bytes of the text that were shown */
    int64_t     since;            /* milliseconds, monotonic */
};

typedef struct skn_typings {
    skn_typing *first; /* in the order they began */
    size_t      count;
} skn_typings;

/* The one that the event is about, brought up to date with it; made when it began. NULL when the event
 * is about none that is known. */
skn_typing *skn_typing_take(skn_typings *all, const skn_news_item *item);
void        skn_typing_drop(skn_typings *all, skn_typing *t);
void        skn_typing_clear(skn_typings *all);
