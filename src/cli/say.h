/* say.h: a person's message, made of what was typed: whom it is for, what it answers, its tags.
 *
 * Threads: one. Lifetimes: what is made lives in cli->keep. */
#ifndef SKN_CLI_SAY_H
#define SKN_CLI_SAY_H

#include "cli/place.h"

typedef struct skn_names {
    const char **at;
    size_t       count;
} skn_names;

typedef struct skn_saying {
    skn_str     text;
    const char *reply_to; /* a message, however it is named; NULL: none */
    skn_names   to;       /* agents that it is for; their names are put before the text */
    skn_names   expect;   /* agents whose answer is expected */
    skn_names   tags;     /* beside those that are on in the conversation */
} skn_saying;

/* Finds all that is named. */
skein_rc skn_say_compose(skn_cli *cli, const skein_world *world, const skein_conversation *chat,
                         const skn_saying *what, skein_new_message *out);
/* The body of the request that says it; client and model may be absent. */
skn_str skn_say_body(skn_cli *cli, const skein_conversation *chat, const skein_new_message *m,
                     skn_str client, skn_str model);
/* A name for a message that no other message has: the same again is the same message. */
skn_str skn_say_client_id(skn_cli *cli);
/* "/worlds/NAME/…" */
const char *skn_world_path(skn_cli *cli, const skein_world *world, const char *rest);

/* What the server's answer says that who said it should know at once. */
void skn_say_notice(skn_cli *cli, const skn_json *answer);

#endif
