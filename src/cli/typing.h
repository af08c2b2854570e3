/* typing.h: what agents are writing just now, put together from the events of a stream.
 *
 * Threads: one. Lifetimes: one that is typed lives until skn_typing_drop. */
#ifndef SKN_CLI_TYPING_H
#define SKN_CLI_TYPING_H

#include "cli/news.h"

typedef struct skn_typing skn_typing;
struct skn_typing {
    skn_typing *next;
    char       *message, *agent;
    char       *reply_to, *model; /* "" for none */
    char       *lane;             /* the delegation it belongs to; "" for none */
    skn_buf     text;             /* so far */
    bool        thinking;         /* it thinks, or has not begun */
    size_t      shown;            /* bytes of the text that whoever shows it has shown */
    int64_t     since;            /* milliseconds, monotonic */
};

typedef struct skn_typings {
    skn_typing *first; /* in the order they began */
    size_t      count;
} skn_typings;

/* The one that the event is about, brought up to date with it; made when it began. NULL when the event
 * is about none that is known. */
skn_typing *skn_typing_take(skn_typings *all, const skn_news_item *item);
/* What stands under this id; NULL: nothing. */
skn_typing *skn_typing_find(const skn_typings *all, skn_str message);
void        skn_typing_drop(skn_typings *all, skn_typing *t);
void        skn_typing_clear(skn_typings *all);

#endif
