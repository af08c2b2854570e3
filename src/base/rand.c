#include "base/rand.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* Waits early in boot, until the system has gathered enough: tokens are made of this. */
uint64_t skn_random(void)
{
    uint64_t v;

    while (getrandom(&v, sizeof v, 0) != (ssize_t)sizeof v)
        if (errno != EINTR) {
            perror("skein: the system gives no random numbers");
            abort();
        }
    return v;
}
