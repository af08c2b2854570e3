/* budget.c: what a world may spend in a month, counted in tokens: those that providers report, and
 * estimates where they report none. */
#include "runtime/run.h"

#include "base/clock.h"

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
        rc = skein_tokens_spent(e, world->id, skn_clock_month(skn_clock_micros()), &spent, err);
    skn_arena_free(a);
    if (rc || most <= 0 || spent < most)
        return rc;
    skn_fail(err, SKEIN_PROVIDER,
             "the world \"%.*s\" has used %lld of the %lld tokens of this month",
             SKN_FMT(world->name), (long long)spent, (long long)most);
    return skn_hint(
        err, SKEIN_PROVIDER,
        "raise it in the world's settings, with \"skein world set monthlyTokens N\", "
        "or wait for the next month");
}

/* Whoever reads one of them knows about all: they are about the same month. */
static bool is_told(skein_engine *e, skein_world_id world, skn_str title, skn_arena *a)
{
    const skein_inbox_query what = {
        .world = world, .kind = SKN_STR("failure"), .done = -1, .limit = 100};
    skein_inbox list;

    if (skein_inbox_list(e, &what, a, &list, NULL))
        return false;
    for (size_t i = 0; i < list.count; i++)
        if (!list.at[i].done_at && skn_str_eq(list.at[i].title, title))
            return true;
    return false;
}

void skn_budget_tell(skn_run *run)
{
    skn_str          rest = run->model, provider = SKN_NONE;
    skein_inbox_item item = {.kind = SKN_STR("failure"),
                             .world = run->turn.world,
                             .title = SKN_STR("The limit of this month is reached"),
                             .call_id = SKN_STR("monthlyTokens")};

    if (run->answer.state == SKN_ASK_OVER_BUDGET && skn_str_split(&rest, '/', &provider)) {
        item.title = skn_arena_printf(run->a, "The monthly limit of %.*s is reached",
                                      SKN_FMT(provider));
        item.call_id = SKN_NONE;
    }
    item.agent = run->turn.agent_name;
    item.chat_uid = run->turn.chat_uid;
    item.content = skn_arena_printf(run->a, "%s. %s", run->why.message, run->why.hint);
    if (!is_told(run->r->o.engine, run->turn.world, item.title, run->a))
        skein_inbox_add(run->r->o.engine, &item, run->a, NULL);
}
