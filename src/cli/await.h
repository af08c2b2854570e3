/* await.h: waits for the answers to one message, shows them as they come, and says how it ended.
 *
 * Threads: one. Lifetimes: of one message. */
#ifndef SKN_CLI_AWAIT_H
#define SKN_CLI_AWAIT_H

#include "cli/answers.h"

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
/* Until all have answered, or for timeout_ms (-1: for ever). What was answered only in part, or no longer waited for, has a
 * status of its own. */
skein_rc skn_await_answers(skn_await *w, int64_t timeout_ms);

#endif
