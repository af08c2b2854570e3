/* clock.h: time, for showing. Order never comes from here. */
#ifndef SKN_BASE_CLOCK_H
#define SKN_BASE_CLOCK_H

#include "base/str.h"

int64_t skn_clock_micros(void); /* UTC since 1970, microseconds */
/* The latest time that a clock can have told: a year from now, for clocks that are wrong. */
int64_t skn_time_latest(void);
int64_t skn_clock_monotonic(void); /* nanoseconds since some start; never steps back */

/* The first moment of the month of a time, UTC. */
int64_t skn_clock_month(int64_t micros);
#define SKN_MONTH_TEXT 32
/* "November 2026" */
skn_str skn_month_format(int64_t micros, char out[SKN_MONTH_TEXT]);

#define SKN_TIME_TEXT 32
/* RFC 3339 UTC with milliseconds: 2026-11-15T14:02:03.004Z. Any int64 gives a valid text: years
 * outside 0000 to 9999 are clamped. */
skn_str skn_time_format(int64_t micros, char out[SKN_TIME_TEXT]);
/* Reads RFC 3339 (any offset, any fraction, also "YYYY-MM-DD"); false when it is none. */
bool skn_time_parse(skn_str s, int64_t *micros);

#endif
