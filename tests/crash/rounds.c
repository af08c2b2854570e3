#include "rounds.h"

#include "base/rand.h"
#include "store/fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A sanitizer looks at every access, and needs no more than a sample of the rounds. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SAMPLE 4
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SAMPLE 4
#endif
#endif
#ifndef SAMPLE
#define SAMPLE 1
#endif

int skn_rounds(int usual)
{
    const char *text = getenv("SKEIN_TEST_CRASHES");
    long        asked = text ? strtol(text, NULL, 10) : SKN_ROUNDS_USUAL / SAMPLE;
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
