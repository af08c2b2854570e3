#include "rounds.h"

#include "base/rand.h"
#include "store/fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int skn_rounds(int usual)
{
    const char *text = getenv("SKEIN_TEST_CRASHES");
    long        asked = text ? strtol(text, NULL, 10) : SKN_ROUNDS_USUAL;
    long        rounds = (long)usual * asked / SKN_ROUNDS_USUAL;

    return rounds < 1 ? 1 : (int)rounds;
}

uint64_t skn_rounds_seed(void)
{
    const char *text = getenv("SKEIN_TEST_SEED");
    uint64_t    seed = text ? strtoull(text, NULL, 10) : skn_random() >> 1;

    printf("# SKEIN_TEST_SEED=%" PRIu64 "\n", seed);
    fflush(stdout);
    return seed;
}
