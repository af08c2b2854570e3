/* world_decide.c: what new settings of a world decide of what waits there, in the transaction that changes them: calls
 * that people are asked about, and the notice that the limit of the month is reached. */
#include "base/clock.h"
#include "engine/act.h"
#include "engine/world_settings.h"

/* --- Calls that people are asked about ------------------------------------------------------------ */

skein_rc skn_world_hold_asked(skn_tx *tx, int64_t world, int64_t from, int64_t below,
                              skn_arena *a, skein_error *err)
{
    skn_conversation_row chat;
    skn_inbox_rows       asked;
    int64_t              last = 0;
    bool                 found;
    skein_rc             rc = skn_inbox_asked_in(tx, world, a, &asked, err);

    for (size_t i = 0; !rc && i < asked.count; i++) {
        int64_t id = asked.at[i].conversation_id;

        if (id == last || id < from || id >= below)
            continue;
        last = id;
        rc = skn_conversation_lock(tx, id, a, &chat, &found, err);
    }
    return rc;
}

skein_rc skn_world_decide_one(skein_engine *e, skn_tx *tx, const skein_world *world,
                              skn_inbox_row *asked, int64_t now, skn_arena *a, skein_error *err)
{
    skn_str word = skn_world_approval(world->settings, asked->item.tool, a);
    bool    allow = skn_str_is(word, "always");
    skn_str why = skn_arena_printf(a, "the settings of the world %s %.*s%s",
                                   allow ? "allow" : "do not allow", SKN_FMT(asked->item.tool),
                                   allow ? " without asking" : "");

    if (!allow && !skn_str_is(word, "never"))
        return SKEIN_OK;
    return skn_approval_decide(e, tx, a, asked, allow, why, now, err);
}

static skein_rc decide_asked(skein_engine *e, skn_tx *tx, const skein_world *world, int64_t now,
                             skn_arena *a, skein_error *err)
{
    skn_inbox_rows asked;
    skein_rc       rc = skn_inbox_asked_in(tx, world->id.v, a, &asked, err);

    for (size_t i = 0; !rc && i < asked.count; i++)
        rc = skn_world_decide_one(e, tx, world, &asked.at[i], now, a, err);
    return rc;
}

/* --- The limit of the month -------------------------------------------------------------------------- */

/* What was put off, for whatever reason, is tried at once: it may have been for the limit. */
static skein_rc end_limit(skn_tx *tx, const skein_world *world, int64_t most, int64_t now,
                          skn_arena *a, skein_error *err)
{
    skn_str  why = most ? skn_arena_printf(a, "the limit is %lld tokens a month now",
                                           (long long)most)
                        : SKN_STR("the world has no limit any more");
    bool     any;
    skein_rc rc = skn_inbox_limit_over(tx, world->id.v, why, now, &any, err);

    if (rc || (rc = skn_tasks_hurry(tx, world->id.v, now, err)))
        return rc;
    return any ? skn_inbox_tell(tx, world->id.v, NULL, "inbox.updated", now, err) : SKEIN_OK;
}

static skein_rc decide_limit(skn_tx *tx, const skein_world *before, const skein_world *world,
                             int64_t now, skn_arena *a, skein_error *err)
{
    int64_t  was = skn_world_limits_of(before->settings, a).monthly_tokens;
    int64_t  most = skn_world_limits_of(world->settings, a).monthly_tokens;
    int64_t  spent = 0;
    skein_rc rc = SKEIN_OK;

    if (was == most || !was || (most && most < was)) /* neither raised nor lifted */
        return SKEIN_OK;
    if (most)
        rc = skn_call_tokens(tx, world->id.v, skn_clock_month(now), &spent, err);
    return rc || (most && spent >= most) ? rc : end_limit(tx, world, most, now, a, err);
}

skein_rc skn_world_decide(skein_engine *e, skn_tx *tx, const skein_world *before,
                          const skein_world *world, int64_t now, skn_arena *a, skein_error *err)
{
    skein_rc rc = decide_asked(e, tx, world, now, a, err);

    return rc ? rc : decide_limit(tx, before, world, now, a, err);
}
