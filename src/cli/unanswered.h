/* unanswered.h: messages that an agent was to answer and did not.
 *
 * Threads: the command's.  Lifetimes: what is read lives in the memory that is given. */
#pragma once

#include "base/json.h"
#include "cli/cli.h"

/* Did the agent fail to answer, or was it stopped before it did? */
bool skn_is_unanswered(const skein_delivery *d);
/* A line for each agent of which that is so. */
void skn_print_unanswered(skn_cli *cli, const skein_deliveries *d);
/* Such a line of an agent whose last turn did not answer; also while it has other work before it, and that is no longer
 * its state. */
void skn_print_last_turn(skn_cli *cli, const skn_json *agent);
/* The command that has an agent answer a message again, or of a lane (may be absent) begins it again: given in the same
 * place as this one. */
skn_str skn_again_command(skn_cli *cli, skn_str message, skn_str agent, skn_str lane);
/* How to ask again: a line for each agent that did not answer the message. */
void skn_print_again(skn_cli *cli, const skein_message *m, const skein_deliveries *d,
                     skn_str lane);
/* The same for an answer that was stopped. */
void skn_print_stopped_again(skn_cli *cli, const skein_message *m, skn_str lane);
/* A line with why a delegation failed; none of one that did not. */
skein_rc skn_print_lane_failure(skn_cli *cli, const skein_conversation *chat,
                                const skn_json *lane);

/* Who did not answer the messages of a conversation, for views that show them one by one.
 *
 * Threads: the command's.  Lifetimes: the marks live in cli->keep. */

/* Agents that did not answer, by the public id of the message; most messages have none. */
typedef struct skn_marks skn_marks;

/* Reads those of a version. */
skein_rc skn_marks_read(skn_cli *cli, skn_str thread, skn_marks **out);
/* Prints a line for each agent that did not answer this message. */
void skn_print_marks(skn_cli *cli, const skn_marks *marks, skn_str message);

/* Agents at work in a conversation that somebody wants to change. */

/* Waits until none of the conversation has something to do. */
skein_rc skn_wait_idle(skn_cli *cli);
/* Says in cli->err, which is SKEIN_AT_WORK, who is in the way and what can be done. */
void skn_busy_explain(skn_cli *cli);
