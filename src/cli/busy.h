/* busy.h: agents at work in a conversation that somebody wants to change. */
#ifndef SKN_CLI_BUSY_H
#define SKN_CLI_BUSY_H

#include "cli/cli.h"

/* Has any agent of the conversation something to do? The turns are those that are open in it. */
skein_rc skn_chat_busy(skn_cli *cli, skein_conversation_id chat, skein_mem *mem,
                       skein_turns *turns, bool *busy);
/* Waits until none has. */
skein_rc skn_wait_idle(skn_cli *cli, skein_conversation_id chat);
/* Says in cli->err, which is SKEIN_AT_WORK, who is in the way and what can be done. */
void skn_busy_explain(skn_cli *cli);

#endif
