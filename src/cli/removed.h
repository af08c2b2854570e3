/* removed.h: worlds and conversations that were removed: the store keeps them.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_REMOVED_H
#define SKN_CLI_REMOVED_H

#include "cli/cli.h"

/* Prints the worlds, the last one that was removed first. */
skein_rc skn_worlds_removed(skn_cli *cli);
/* The conversations of the world that skn_need_world gave. */
skein_rc skn_chats_removed(skn_cli *cli, const skein_world *world, skein_conversations *out);
/* SKEIN_NOT_FOUND: none of them has this id. */
skein_rc skn_need_chat_removed(skn_cli *cli, const skein_world *world, skn_str uid);
/* Brings one back, by its whole id. */
skein_rc skn_chat_restore(skn_cli *cli, const skein_world *world, skn_str uid,
                          skein_conversation *out);

#endif
