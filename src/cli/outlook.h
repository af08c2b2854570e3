/* outlook.h: what agents have before them: messages that wait until they are done, and timers that wake them.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_OUTLOOK_H
#define SKN_CLI_OUTLOOK_H

#include "cli/cli.h"

/* A line for each: "1 message waits until ada is done", "ada wakes every 15 min, next at 14:02". */
void skn_print_outlook(skn_cli *cli, const skein_agent *agent, const skn_at_work *work,
                       const char *indent);
/* How many messages wait until it is done. */
int64_t skn_waiting_for(skn_cli *cli, const skein_agent *agent, const skn_at_work *work);
/* "waiting" and "timers": those of the agents that have any. */
void skn_outlook_json(skn_cli *cli, skn_jw *w, const skein_agents *agents,
                      const skn_at_work *work);
/* The messages that wait in a conversation, and for whom; nothing when there is none. */
skein_rc skn_print_queue(skn_cli *cli, const skein_conversation *chat);

#endif
