#include "base/rand.h"

#include "base/clock.h"

#include <sys/random.h>

uint64_t skn_random(void)
{
    uint64_t v;

    if (getrandom(&v, sizeof v, GRND_NONBLOCK) == (ssize_t)sizeof v)
        return v;
    /* Early in boot only. What is asked for here are starting points, never secrets. */
    v = (uint64_t)skn_clock_micros() ^ (uint64_t)skn_clock_monotonic() << 20;
    v ^= (uint64_t)(uintptr_t)&v;
    return v * UINT64_C(0x9e3779b97f4a7c15) ^ v >> 29;
}
