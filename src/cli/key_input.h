/* key_input.h: a key that a person types, or a program writes: never an argument, never shown.
 *
 * Threads: one. Lifetimes: the key lives in cli->keep until the caller wipes it. */
#ifndef SKN_CLI_KEY_INPUT_H
#define SKN_CLI_KEY_INPUT_H

#include "cli/cli.h"

/* One line, from the terminal without echo, or from standard input. */
skein_rc skn_key_input(skn_cli *cli, skn_str provider, skn_str *out);

#endif
