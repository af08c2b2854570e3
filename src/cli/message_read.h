/* message_read.h: a message from a line of JSON, with the names it is printed with. */
#ifndef SKN_CLI_MESSAGE_READ_H
#define SKN_CLI_MESSAGE_READ_H

#include "cli/cli.h"

/* Reads one message; `what` names the line in messages. *lane is absent when it names none. What
 * is read lives in the line or in the arena. Members it does not know are ignored. */
skein_rc skn_message_read(skn_str line, const char *what, skn_arena *a, skein_new_message *out,
                          skn_str *lane, skein_error *err);

#endif
