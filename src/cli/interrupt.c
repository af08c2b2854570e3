#include "cli/interrupt.h"

#include <signal.h>
#include <stddef.h>

static void nothing(int signal_number)
{
    (void)signal_number;
}

void skn_interrupt_arm(int signal_number)
{
    struct sigaction now, noticed = {.sa_handler = nothing, .sa_flags = (int)SA_RESETHAND};

    sigemptyset(&noticed.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(signal_number, &noticed, NULL);
}

bool skn_interrupt_came(int signal_number)
{
    struct sigaction now;

    return sigaction(signal_number, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

void skn_interrupt_disarm(int signal_number)
{
    struct sigaction now, usual = {.sa_handler = SIG_DFL};

    sigemptyset(&usual.sa_mask);
    if (sigaction(signal_number, NULL, &now) == 0 && now.sa_handler != SIG_IGN)
        sigaction(signal_number, &usual, NULL);
}
