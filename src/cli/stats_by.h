/* stats_by.h: numbers about reply threads for each agent, day or thread.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_STATS_BY_H
#define SKN_CLI_STATS_BY_H

#include "cli/cli.h"

#define SKN_FIELDS_STATS_BY "by,group,firstReplyMs,firstAt,lastAt"

/* What --by asks for, of the messages of a tree of replies. */
skein_rc skn_stats_by(skn_cli *cli, const char *by, const skein_reply_tree *tree);

#endif
