/* late.h: libraries that are loaded when they are wanted: who does not want them starts faster, and need not have them.
 *
 * Threads: any. */
#pragma once

#include <stddef.h>

/* Finds functions of a library, into `calls`: a struct of nothing but pointers to them, in this order. Returns NULL, or the
 * name of what is missing. What was loaded stays: libraries that come with it leave handlers behind. */
const char *skn_late_load(const char *library, const char *const *names, size_t count,
                          void *calls);
/* What to do when something is missing: `install`, unless this program could not load it even then. */
const char *skn_late_advice(const char *install);
