/* marks.h: who did not answer the messages of a room, for views that show them one by one.
 *
 * Threads: the command's.  Lifetimes: the marks live in cli->keep. */
#ifndef SKN_CLI_MARKS_H
#define SKN_CLI_MARKS_H

#include "cli/cli.h"

/* Agents that did not answer, by the public id of the message; most messages have none. */
typedef struct skn_marks skn_marks;

/* Reads those of a version: by its number (0: the current one); from a server by its thread, and chat may be NULL. */
skein_rc skn_marks_read(skn_cli *cli, const skein_conversation *chat, int64_t version,
                        skn_str thread, skn_marks **out);
/* Prints a line for each agent that did not answer this message. */
void skn_print_marks(skn_cli *cli, const skn_marks *marks, skn_str message);

#endif
