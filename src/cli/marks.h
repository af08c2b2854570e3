/* marks.h: who did not answer the messages of a room, for views that show them one by one.
 *
 * Threads: the command's.  Lifetimes: the marks live in cli->keep. */
#ifndef SKN_CLI_MARKS_H
#define SKN_CLI_MARKS_H

#include "cli/cli.h"

/* Agents that did not answer, by the public id of the message; most messages have none. */
typedef struct skn_marks skn_marks;

/* Reads those of a version. */
skein_rc skn_marks_read(skn_cli *cli, skn_str thread, skn_marks **out);
/* Prints a line for each agent that did not answer this message. */
void skn_print_marks(skn_cli *cli, const skn_marks *marks, skn_str message);

#endif
