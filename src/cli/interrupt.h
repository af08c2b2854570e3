/* interrupt.h: notices a signal without a variable that a handler writes to.
 *
 * A handler that does nothing is set for one time only: once it was called, the signal has its usual
 * meaning again, and that can be asked for. So the first Ctrl-C is noticed and a second one ends the
 * program. poll() returns when a signal comes. Threads: one. */
#ifndef SKN_CLI_INTERRUPT_H
#define SKN_CLI_INTERRUPT_H

#include <stdbool.h>

/* Has it noticed when the signal comes next; one that the program was started to ignore stays so. */
void skn_interrupt_arm(int signal_number);
/* True if it came since it was armed, which it must have been. */
bool skn_interrupt_came(int signal_number);
/* The signal has its usual meaning again. */
void skn_interrupt_disarm(int signal_number);

#endif
