/* rand.h: bits nobody can guess, from the operating system.
 *
 * Threads: any. */
#ifndef SKN_BASE_RAND_H
#define SKN_BASE_RAND_H

#include <stdint.h>

/* 64 random bits, good enough for secrets. */
uint64_t skn_random(void);

#endif
