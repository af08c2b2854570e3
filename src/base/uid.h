/* uid.h: public ids, and random numbers. An id is ten URL-safe characters, ordered by time of making.
 *
 * Milliseconds, then a counter that starts at random each millisecond, in an alphabet whose byte
 * order is its value order: an index over such ids grows at its end. Within one maker ids strictly
 * increase, also when the clock steps back. Makers of different processes may collide; the caller
 * inserts under a unique index and makes another on collision.
 *
 * Threads: any; a maker has its own lock. */
#pragma once

#include "base/str.h"

#define SKN_UID_LEN 10
#define SKN_UID_MAX 64 /* ids that clients or archives bring may be longer than our own */

typedef struct skn_uid_maker skn_uid_maker;

skn_uid_maker *skn_uid_maker_new(void);
void           skn_uid_maker_free(skn_uid_maker *m);
void           skn_uid_next(skn_uid_maker *m, char out[SKN_UID_LEN + 1]);
/* True for 1 to SKN_UID_MAX characters of A-Z a-z 0-9 '-' '_' '.', not all of them signs and the first
 * no dot. Ours never begin with '-'; those of other programs may. */
bool skn_uid_valid(skn_str s);
/* 64 bits that nobody can guess, from the operating system; good enough for secrets. */
uint64_t skn_random(void);
