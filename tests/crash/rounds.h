/* rounds.h: how often a crash test repeats itself, and from which seed.
 *
 * SKEIN_TEST_CRASHES is how often a program is killed on SQLite; the other tests repeat themselves
 * in proportion. SKEIN_TEST_SEED repeats a run that failed.
 *
 * Threads: one. */
#ifndef SKN_TESTS_ROUNDS_H
#define SKN_TESTS_ROUNDS_H

#include <stdint.h>

#define SKN_ROUNDS_USUAL 200

/* `usual` in an ordinary run, in proportion to SKEIN_TEST_CRASHES in others; at least 1. */
int skn_rounds(int usual);
/* A test that goes through all places takes every so-manieth: 1 in an ordinary run, more in a
 * shorter one. */
int skn_rounds_step(void);
/* The seed of this run, which it prints. */
uint64_t skn_rounds_seed(void);

#endif
