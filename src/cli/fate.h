/* fate.h: what became of a message that somebody waits for: another terminal or the page may have edited it, or
 * taken it away.
 *
 * Threads: one. Lifetimes: what is found lives in cli->keep. */
#ifndef SKN_CLI_FATE_H
#define SKN_CLI_FATE_H

#include "cli/client.h"

/* Which message, and where it was said; as they stand in a path. */
typedef struct skn_waited {
    const char *world, *chat;
    skn_str     message;
} skn_waited;

typedef struct skn_fate {
    bool gone;       /* the current version does not hold it, and it does not wait to be said */
    const char *how; /* "edited": what was done to it */
    skn_str     instead; /* the message that took its place; absent: none, or nobody knows */
    skn_str     version; /* "v8", that is current instead; absent: there is none to look at */
    bool        unsaid;  /* it waited, and was never said */
    bool        left;    /* that version was not made from one that holds it */
} skn_fate;

/* Who cannot be asked has told nothing: then it is still there. */
void skn_fate_look(skn_cli *cli, const skn_server *server, const skn_waited *w, skn_fate *out);
/* "P6Uh… was edited elsewhere, and P6Uk… took its place" */
skn_str skn_fate_text(skn_arena *a, const skn_fate *fate, skn_str message);

#endif
