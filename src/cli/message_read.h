/* message_read.h: a message from a line of JSON, with the names it is printed with. */
#ifndef SKN_CLI_MESSAGE_READ_H
#define SKN_CLI_MESSAGE_READ_H

#include "cli/cli.h"

/* Reads one message; `what` names the line in messages. *lane is absent when it names none. What
 * is read lives in the line or in the arena. Members that are only printed are passed over; *unknown is the
 * first that no message has, absent when there is none. */
skein_rc skn_message_read(skn_str line, const char *what, skn_arena *a, skein_new_message *out,
                          skn_str *lane, skn_str *unknown, skein_error *err);
/* The member that was probably meant; NULL when none is near. */
const char *skn_message_member_near(skn_str unknown, skn_arena *a);

#endif
