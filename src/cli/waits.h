/* waits.h: agents that go on only when a person has answered, and what that holds up.
 *
 * Threads: one. Lifetimes: everything lives in cli->keep. */
#ifndef SKN_CLI_WAITS_H
#define SKN_CLI_WAITS_H

#include "cli/far.h"

/* ": skein inbox allow in_…, or deny" behind what was printed of an agent or a task; nothing when it waits for
 * nobody. */
void skn_print_waits(skn_cli *cli, skn_str inbox_uid);
/* ", until …" behind what was printed of an agent that waits; nothing when 0. */
void skn_print_until(skn_cli *cli, int64_t until);
/* What a person has said to the calls of tools that a message makes: a line for each that was asked about. */
skein_rc skn_print_decisions(skn_cli *cli, skn_str message_uid);
/* A result that is none: the call was never begun, because nobody allowed it or its turn ended first. */
bool skn_call_not_run(const skein_message *m);
/* Why a message is not said yet: agents are at work in the conversation, or wait for an answer. */
void skn_note_queued(skn_cli *cli);
/* The turns that are open in the conversation, as the API tells of them; none where it cannot be asked now. */
void skn_turns_here(skn_cli *cli, skn_json_list *out);

#endif
