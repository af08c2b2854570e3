/* input.h: a key that a person types, or a program writes: never an argument, never shown.
 *
 * Threads: one. Lifetimes: the key lives in cli->keep until the caller wipes it. */
#pragma once

#include "cli/cli.h"

#include <stdbool.h>

/* One line, from the terminal without echo, or from standard input. */
skein_rc skn_key_input(skn_cli *cli, skn_str provider, skn_str *out);

/* The person's browser.
 *
 * Threads: one. */

/* True where a browser can be seen: there is a display and a program that opens addresses. */
bool skn_browser_here(void);
/* Opens the address and returns at once; false when no process could be started. */
bool skn_browser_open(const char *url);

/* Notices a signal without a variable that a handler writes to.
 *
 * A handler that does nothing is set for one time only: once it was called, the signal has its usual
 * meaning again, and that can be asked for. So the first Ctrl-C is noticed and a second one ends the
 * program. poll() returns when a signal comes. Threads: one. */

/* Has it noticed when the signal comes next; one that the program was started to ignore stays so. */
void skn_interrupt_arm(int signal_number);
/* True if it came since it was armed, which it must have been. */
bool skn_interrupt_came(int signal_number);
/* The signal has its usual meaning again. */
void skn_interrupt_disarm(int signal_number);
