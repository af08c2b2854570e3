/* chat_box.h: a delegation of a chat as a box: who has it, its steps, how it stands.
 *
 * Threads: one. Lifetimes: a box and its texts live in the arena that it was read into. */
#ifndef SKN_TERMINAL_CHAT_BOX_H
#define SKN_TERMINAL_CHAT_BOX_H

#include "terminal/chat.h"

typedef struct skn_box_row {
    skn_str left, right; /* the right one may be absent */
} skn_box_row;

typedef struct skn_box {
    skn_str          key, agent, title;
    skein_lane_state state;
    int64_t          from, to; /* microseconds UTC; `to` counts once it has ended */
    int64_t          steps;    /* its messages, as every view counts them */
    int64_t          tokens;   /* -1: not measured */
    skn_box_row     *rows;
    size_t           count;
} skn_box;

/* Reads delegation number i of those there are; with the texts of its messages when it is `whole`. */
skein_rc skn_box_read(skn_chat *c, skn_arena *mem, const skein_delegations *all, size_t i,
                      bool whole, skn_box *out);
/* What the newest answer of the conversation was made of, as a box of its own; *found is false when there is
 * no answer. */
skein_rc skn_box_answer(skn_chat *c, skn_arena *mem, skn_box *out, bool *found);
/* Prints it with at most so many of its rows, the last ones, and what can be done at its foot. Each row is
 * ended by `end`. */
void skn_box_print(skn_chat *c, const skn_box *box, size_t most, const char *foot,
                   void (*end)(skn_chat *c));

#endif
