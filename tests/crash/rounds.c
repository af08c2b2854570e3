#include "rounds.h"

#include "base/uid.h"
#include "store/fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static long asked(void)
{
    const char *text = getenv("SKEIN_TEST_CRASHES");
    long        n = text ? strtol(text, NULL, 10) : SKN_ROUNDS_USUAL;

    return n < 1 ? 1 : n;
}

int skn_rounds(int usual)
{
    long rounds = (long)usual * asked() / SKN_ROUNDS_USUAL;

    return rounds < 1 ? 1 : (int)rounds;
}

int skn_rounds_step(void)
{
    return asked() < SKN_ROUNDS_USUAL ? (int)(SKN_ROUNDS_USUAL / asked()) : 1;
}

uint64_t skn_rounds_seed(void)
{
    const char *text = getenv("SKEIN_TEST_SEED");
    uint64_t    seed = text ? strtoull(text, NULL, 10) : skn_random() >> 1;

    printf("# SKEIN_TEST_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
    return seed;
}
