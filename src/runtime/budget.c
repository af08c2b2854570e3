/* budget.c: what a world may spend in a month, counted in tokens: those that providers report, and
 * estimates where they report none. */
#include "runtime/run.h"

#include "base/clock.h"

#include <time.h>

/* The first moment of this month, UTC. */
static int64_t month_began(int64_t now)
{
    time_t    t = (time_t)(now / 1000000);
    struct tm day;

    gmtime_r(&t, &day);
    return now -
           (((int64_t)(day.tm_mday - 1) * 24 + day.tm_hour) * 3600 + (int64_t)day.tm_min * 60 +
            day.tm_sec) *
               1000000 -
           now % 1000000;
}

skein_rc skn_budget_check(skein_engine *e, const skein_world *world, skein_error *err)
{
    skn_arena      *a;
    const skn_json *settings;
    int64_t         most = 0, spent = 0;
    skein_rc        rc = SKEIN_OK;

    if (!world->settings.n)
        return SKEIN_OK;
    a = skn_arena_new();
    if (!skn_json_parse(&settings, world->settings, "settings", a, NULL))
        skn_json_int(settings, "monthlyTokens", 0, &most, NULL);
    if (most > 0)
        rc = skein_tokens_spent(e, world->id, month_began(skn_clock_micros()), &spent, err);
    skn_arena_free(a);
    if (rc || most <= 0 || spent < most)
        return rc;
    skn_fail(err, SKEIN_PROVIDER,
             "the world \"%.*s\" has used %lld of the %lld tokens of this month",
             SKN_FMT(world->name), (long long)spent, (long long)most);
    return skn_hint(err, SKEIN_PROVIDER,
                    "raise monthlyTokens in the world's settings, or wait for the next month");
}
