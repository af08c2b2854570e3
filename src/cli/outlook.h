/* outlook.h: what agents do and have before them: messages that wait until they are done, and timers that wake them.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_OUTLOOK_H
#define SKN_CLI_OUTLOOK_H

#include "cli/cli.h"

/* As the API tells it with the agent. Times are 0 where there is none. */
typedef struct skn_doings {
    skn_str state, detail, inbox_uid;
    skn_str failure; /* of its last turn */
    int64_t until, failed_at, stopped_at, next;
    int64_t pending, waiting; /* tasks, messages */
    int64_t every;            /* milliseconds; 0: it has no timer */
    bool    paused;
} skn_doings;

skn_doings skn_doings_of(skn_cli *cli, const skein_agent *agent);
/* "  tool shell, until …" behind its name. */
void skn_print_doing(skn_cli *cli, const skn_doings *d);
/* A line for each: "1 message waits until ada is done", "ada wakes every 15 min, next at 14:02". */
void skn_print_outlook(skn_cli *cli, const skein_agent *agent, const char *indent);
/* "waiting" and "timers": those of the agents that have any. */
void skn_outlook_json(skn_cli *cli, skn_jw *w, const skein_agents *agents);
/* The messages that wait in the conversation, and for whom; nothing when there is none. */
skein_rc skn_print_queue(skn_cli *cli);

#endif
