#include "base/uid.h"
#include "base/arena.h"
#include "base/clock.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

/* 42 bits of milliseconds since 1970 last until 2109; 18 bits count within one. The time is
 * kept between bounds: below 2^36 (1972) an id would begin with '-' and look like an option,
 * and above the upper one there would be no room left to borrow. */
#define COUNTER_BITS 18
#define TIME_MIN     (UINT64_C(1) << 36)
#define TIME_MAX     ((UINT64_C(1) << 42) - (UINT64_C(1) << 36))

struct skn_uid_maker {
    pthread_mutex_t mu;   /* nothing outside base is called while it is held */
    uint64_t        last; /* guarded by mu: time and counter of the newest id */
};

skn_uid_maker *skn_uid_maker_new(void)
{
    skn_uid_maker *m = skn_heap(sizeof *m);

    pthread_mutex_init(&m->mu, NULL);
    return m;
}

void skn_uid_maker_free(skn_uid_maker *m)
{
    if (!m)
        return;
    pthread_mutex_destroy(&m->mu);
    free(m);
}

static uint64_t now_millis(void)
{
    int64_t  micros = skn_clock_micros();
    uint64_t ms = micros > 0 ? (uint64_t)micros / 1000 : 0;

    return ms < TIME_MIN ? TIME_MIN : ms > TIME_MAX ? TIME_MAX : ms;
}

/* A new millisecond starts at random in the lower half, which leaves at least 131072 ids. When
 * they are used up, adding one carries into the time: the next millisecond is borrowed. */
static uint64_t next_locked(skn_uid_maker *m)
{
    uint64_t ms = now_millis();

    if (ms > m->last >> COUNTER_BITS)
        m->last = ms << COUNTER_BITS | skn_random() >> (64 - (COUNTER_BITS - 1));
    else
        m->last++;
    return m->last;
}

void skn_uid_next(skn_uid_maker *m, char out[SKN_UID_LEN + 1])
{
    /* In byte order, so that ids sort as the numbers they stand for. */
    static const char digits[] = "-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "_abcdefghijklmnopqrstuvwxyz";
    uint64_t          v;

    pthread_mutex_lock(&m->mu);
    v = next_locked(m);
    pthread_mutex_unlock(&m->mu);
    for (size_t i = SKN_UID_LEN; i-- > 0; v >>= 6)
        out[i] = digits[v & 63];
    out[SKN_UID_LEN] = '\0';
}

static bool word(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           c == '_';
}

bool skn_uid_valid(skn_str s)
{
    bool words = false;

    if (s.n == 0 || s.n > SKN_UID_MAX || s.p[0] == '.')
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!word(s.p[i]) && s.p[i] != '-' && s.p[i] != '.')
            return false;
        words |= word(s.p[i]);
    }
    return words;
}

/* Waits early in boot, until the system has gathered enough: tokens are made of this. */
uint64_t skn_random(void)
{
    uint64_t v;

    while (getrandom(&v, sizeof v, 0) != (ssize_t)sizeof v)
        if (errno != EINTR) {
            perror("skein: the system gives no random numbers");
            abort();
        }
    return v;
}
