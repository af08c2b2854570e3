/* clock.h: time, for showing. Order never comes from here. */
#pragma once

#include "base/str.h"

/* Now, UTC, in microseconds since 1970; of a clock that is set wrong, a time that a store can hold. */
int64_t skn_clock_micros(void);
/* The end of the year 9999: the last time that can be written, and so the last that a store holds. The first is 1970.
 * A program with a wrong clock stored its time: that is not damage. */
#define SKN_TIME_LAST INT64_C(253402300799999999)
/* The nearest time that a store can hold; 0 stands for none. */
int64_t skn_time_nearest(int64_t micros);
/* May somebody say that something was at this time? From 1970 on, and a day ahead of this clock at most. */
bool skn_time_given(int64_t micros);
/* The latest of these. */
int64_t skn_time_latest(void);
int64_t skn_clock_monotonic(void); /* nanoseconds since some start; never steps back */
int64_t skn_clock_ms(void);        /* the same in milliseconds */

/* The first moment of the month of a time, UTC. */
int64_t skn_clock_month(int64_t micros);
/* The first moment of its day, UTC. */
int64_t skn_clock_day(int64_t micros);
#define SKN_MONTH_TEXT 32
/* "November 2026" */
skn_str skn_month_format(int64_t micros, char out[SKN_MONTH_TEXT]);

#define SKN_TIME_TEXT 32
/* RFC 3339 UTC with milliseconds: 2026-11-15T14:02:03.004Z. Any int64 gives a valid text: years
 * outside 0000 to 9999 are clamped. */
skn_str skn_time_format(int64_t micros, char out[SKN_TIME_TEXT]);
/* Reads RFC 3339 (any offset, any fraction, also "YYYY-MM-DD"); false when it is none. */
bool skn_time_parse(skn_str s, int64_t *micros);
