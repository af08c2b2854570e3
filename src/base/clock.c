#include "base/clock.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000) /* microseconds */
#define DAY    (INT64_C(86400) * SECOND)

int64_t skn_time_nearest(int64_t micros)
{
    return micros < 1 ? 1 : micros > SKN_TIME_LAST ? SKN_TIME_LAST : micros;
}

int64_t skn_clock_micros(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return skn_time_nearest((int64_t)t.tv_sec * SECOND + t.tv_nsec / 1000);
}

int64_t skn_time_latest(void)
{
    return skn_clock_micros() + DAY;
}

bool skn_time_given(int64_t micros)
{
    return micros >= 0 && micros <= skn_time_latest();
}

int64_t skn_clock_monotonic(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int64_t skn_clock_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

/* Days are counted in years that begin on 1 March, so that the leap day is a year's last, and
 * in eras of 400 years, which all have 146097 days. 1970-01-01 is 719468 after 0000-03-01. */
static int64_t days_of(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t in_era = y - era * 400;
    int64_t in_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;

    return era * 146097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719468;
}

static void date_of(int64_t days, int *year, int *month, int *day)
{
    int64_t z = days + 719468;
    int64_t era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t in_era = z - era * 146097;
    int64_t y = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t in_year = in_era - (365 * y + y / 4 - y / 100);
    int64_t m = (5 * in_year + 2) / 153;

    *day = (int)(in_year - (153 * m + 2) / 5 + 1);
    *month = (int)(m < 10 ? m + 3 : m - 9);
    *year = (int)(y + era * 400 + (*month <= 2));
}

static char *put_digits(char *p, int64_t v, int count)
{
    for (int i = count - 1; i >= 0; i--) {
        p[i] = (char)('0' + v % 10);
        v /= 10;
    }
    return p + count;
}

int64_t skn_clock_month(int64_t micros)
{
    int64_t days = micros / DAY - (micros % DAY < 0);
    int     year, month, day;

    date_of(days, &year, &month, &day);
    return (days - day + 1) * DAY;
}

int64_t skn_clock_day(int64_t micros)
{
    return (micros / DAY - (micros % DAY < 0)) * DAY;
}

skn_str skn_month_format(int64_t micros, char out[SKN_MONTH_TEXT])
{
    static const char *const names[] = {"January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December"};
    int                      year, month, day;

    date_of(micros / DAY - (micros % DAY < 0), &year, &month, &day);
    snprintf(out, SKN_MONTH_TEXT, "%s %d", names[month - 1], year);
    return skn_str_of(out);
}

skn_str skn_time_format(int64_t micros, char out[SKN_TIME_TEXT])
{
    int64_t lowest = days_of(0, 1, 1) * DAY, highest = days_of(10000, 1, 1) * DAY - 1;
    int64_t days, rest;
    int     year, month, day;
    char   *p = out;

    micros = micros < lowest ? lowest : micros > highest ? highest : micros;
    days = micros / DAY - (micros % DAY < 0);
    rest = micros - days * DAY;
    date_of(days, &year, &month, &day);
    p = put_digits(p, year, 4);
    *p++ = '-';
    p = put_digits(p, month, 2);
    *p++ = '-';
    p = put_digits(p, day, 2);
    *p++ = 'T';
    p = put_digits(p, rest / SECOND / 3600, 2);
    *p++ = ':';
    p = put_digits(p, rest / SECOND / 60 % 60, 2);
    *p++ = ':';
    p = put_digits(p, rest / SECOND % 60, 2);
    *p++ = '.';
    p = put_digits(p, rest / 1000 % 1000, 3);
    *p++ = 'Z';
    *p = '\0';
    return (skn_str){out, (size_t)(p - out)};
}

static bool get_char(skn_str *s, const char *any_of)
{
    if (s->n == 0 || *s->p == '\0' || !strchr(any_of, *s->p))
        return false;
    *s = skn_str_sub(*s, 1, s->n);
    return true;
}

static bool get_digits(skn_str *s, size_t count, int max, int *out)
{
    if (s->n < count)
        return false;
    *out = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->p[i] < '0' || s->p[i] > '9')
            return false;
        *out = *out * 10 + (s->p[i] - '0');
    }
    *s = skn_str_sub(*s, count, s->n);
    return *out <= max;
}

static bool get_date(skn_str *s, int64_t *days)
{
    static const int length[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int              year, month, day;
    bool             leap;

    if (!get_digits(s, 4, 9999, &year) || !get_char(s, "-") || !get_digits(s, 2, 12, &month) ||
        !get_char(s, "-") || !get_digits(s, 2, 31, &day) || month < 1 || day < 1)
        return false;
    leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if (day > length[month - 1] + (month == 2 && leap))
        return false;
    *days = days_of(year, month, day);
    return true;
}

/* Optional; digits past microseconds are read and dropped. */
static bool get_fraction(skn_str *s, int64_t *micros)
{
    int     digit;
    int64_t unit = SECOND / 10;

    *micros = 0;
    if (!get_char(s, "."))
        return true;
    if (s->n == 0 || *s->p < '0' || *s->p > '9')
        return false;
    for (; get_digits(s, 1, 9, &digit); unit /= 10)
        *micros += unit * digit;
    return true;
}

static bool get_offset(skn_str *s, int64_t *minutes)
{
    int  hour, minute;
    bool west = s->n && *s->p == '-';

    *minutes = 0;
    if (get_char(s, "Zz"))
        return true;
    if (!get_char(s, "+-") || !get_digits(s, 2, 23, &hour) || !get_char(s, ":") ||
        !get_digits(s, 2, 59, &minute))
        return false;
    *minutes = (west ? -1 : 1) * (hour * 60 + minute);
    return true;
}

bool skn_time_parse(skn_str s, int64_t *micros)
{
    int64_t days, fraction, offset, seconds;
    int     hour, minute, second;

    if (!get_date(&s, &days))
        return false;
    if (s.n == 0) {
        *micros = days * DAY;
        return true;
    }
    if (!get_char(&s, "Tt") || !get_digits(&s, 2, 23, &hour) || !get_char(&s, ":") ||
        !get_digits(&s, 2, 59, &minute) || !get_char(&s, ":") ||
        !get_digits(&s, 2, 60, &second) || !get_fraction(&s, &fraction) ||
        !get_offset(&s, &offset) || s.n)
        return false;
    seconds = days * 86400 + hour * 3600 + (minute - offset) * 60 + second;
    if (second == 60 && seconds % 86400 != 0) /* a leap second ends a UTC day */
        return false;
    *micros = seconds * SECOND + fraction;
    return true;
}
