/* What needs the disk, the store or another program: done by the workers, one errand after the other, so
 * that none works with what another one is replacing. Each ends with new plans. */
#include "cli/provider_slots.h"

#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

struct skn_errand {
    skn_errand            *next;
    skn_provider_set      *set;
    skn_arena             *a;      /* of the change */
    skn_set_config         config; /* to be taken; mem NULL: the set's stays */
    skn_provider_change    what;
    skn_arena             *mem; /* of the plans */
    skn_provider_plans     plans;
    int64_t                month; /* of what models used; 0: nobody wants to know */
    skein_model_uses       uses;
    skein_error            err;
    skn_provider_set_done *done;
    void                  *arg;
};

/* --- On a worker -------------------------------------------------------------------------------- */

static bool has_limit(const skn_set_config *config)
{
    size_t i = 0;

    while (i < config->count && !config->settings[i].monthly_micros)
        i++;
    return i < config->count;
}

static skn_env_rule *rule_of(const skn_provider_set *set)
{
    return set->o.engine ? skn_engine_env_rule(set->o.engine) : NULL;
}

static skein_rc make_plans(skn_errand *r, skein_error *err)
{
    const skn_provider_set *set = r->set;
    const skn_set_config   *config = r->config.mem ? &r->config : &set->config;
    skn_plan_sources        from = {.settings = config->settings,
                                    .setting_count = config->count,
                                    .data_dir = set->o.data_dir,
                                    .environment = config->environment,
                                    .no_commands = config->no_commands,
                                    .env = set->o.env,
                                    .env_arg = set->o.env_arg,
                                    .env_rule = rule_of(set)};
    skein_settings          all = {0};
    skein_rc                rc = SKEIN_OK;

    memcpy(from.ports, set->o.ports, sizeof from.ports);
    r->mem = skn_arena_new();
    if (set->o.engine)
        rc = skein_setting_list(set->o.engine, r->mem, &all, err);
    from.stored = skn_change_setting(&all);
    if (!rc && set->o.engine && has_limit(config)) {
        r->month = skn_clock_month(skn_clock_micros());
        rc = skein_models_used(set->o.engine, r->month, r->mem, &r->uses, err);
    }
    if (!rc)
        skn_plans_make(&r->plans, &from, r->mem);
    return rc;
}

static void work(void *arg)
{
    skn_errand *r = arg;

    if (!skn_change_make(&r->what, &r->set->o, &r->err))
        make_plans(r, &r->err);
}

/* --- On the loop -------------------------------------------------------------------------------- */

void skn_set_config_free(skn_set_config *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->settings[i].key.from == SKN_KEY_WRITTEN)
            skn_secret_wipe(c->settings[i].key.name);
    skn_arena_free(c->mem);
    *c = (skn_set_config){0};
}

static void free_errand(skn_errand *r)
{
    skn_secret_wipe(r->what.key);
    skn_set_config_free(&r->config);
    skn_plans_wipe(&r->plans);
    skn_arena_free(r->mem);
    skn_arena_free(r->a);
    free(r);
}

void skn_errands_drop(skn_provider_set *set)
{
    while (set->errands) {
        skn_errand *r = set->errands;

        set->errands = r->next;
        free_errand(r);
    }
}

static void take_result(skn_errand *r)
{
    skn_provider_set  *set = r->set;
    skn_provider_plans plans = r->plans;
    skn_arena         *mem = r->mem;

    if (r->config.mem) {
        skn_set_config_free(&set->config);
        set->config = r->config;
        r->config = (skn_set_config){0};
    }
    if (r->month)
        skn_spending_take(set->spending, r->month, &r->uses);
    r->plans = (skn_provider_plans){0};
    r->mem = NULL;
    skn_set_apply(set, &plans, mem);
}

static void begin_next(skn_provider_set *set);

static void finished(void *arg)
{
    skn_errand       *r = arg;
    skn_provider_set *set = r->set;

    set->errands = r->next;
    if (r->err.rc == SKEIN_OK)
        take_result(r);
    if (r->done)
        r->done(r->arg, &r->err);
    free_errand(r);
    begin_next(set);
}

static void begin_next(skn_provider_set *set)
{
    if (set->errands)
        skn_workers_run_slow(set->o.workers, work, finished, set->errands);
}

static skn_errand *new_errand(skn_provider_set *set, skn_provider_set_done *done, void *arg)
{
    skn_errand *r = skn_heap(sizeof *r);

    r->set = set;
    r->a = skn_arena_new();
    r->done = done;
    r->arg = arg;
    return r;
}

static void send(skn_errand *r)
{
    skn_provider_set *set = r->set;
    skn_errand      **at = &set->errands;

    while (*at)
        at = &(*at)->next;
    *at = r;
    if (set->errands == r)
        begin_next(set);
}

static void read_config(skn_set_config *out, const skn_config *c)
{
    skn_arena *a = skn_arena_new();

    *out = (skn_set_config){.mem = a, .count = c->providers.n};
    out->settings = SKN_ARRAY(a, c->providers.n + 1, skn_provider_setting);
    for (size_t i = 0; i < c->providers.n; i++)
        skn_config_provider_read(&c->providers.p[i], &out->settings[i], a);
    out->model = skn_arena_copy(a, c->values[SKN_CONFIG_DEFAULT_MODEL].text);
    out->local = c->values[SKN_CONFIG_DETECT_LOCAL].number > 0;
    out->environment = c->values[SKN_CONFIG_DETECT_ENVIRONMENT].number > 0;
    out->no_commands = !c->values[SKN_CONFIG_COMMANDS].number;
}

skein_rc skn_set_begin(skn_provider_set *set, const skn_config *config, skein_error *err)
{
    skn_errand *r = new_errand(set, NULL, NULL);
    skein_rc    rc;

    read_config(&r->config, config);
    rc = make_plans(r, err);
    if (!rc)
        take_result(r);
    free_errand(r);
    return rc;
}

void skn_provider_set_reload(skn_provider_set *set, const skn_config *config,
                             skn_provider_set_done *done, void *arg)
{
    skn_errand *r = new_errand(set, done, arg);

    if (config)
        read_config(&r->config, config);
    send(r);
}

void skn_provider_set_remove(skn_provider_set *set, skn_str name, skein_engine *as,
                             skn_provider_set_done *done, void *arg)
{
    skn_errand     *r = new_errand(set, done, arg);
    const skn_slot *s = skn_slot_find(set, name);

    r->what.name = skn_arena_copy(r->a, name);
    r->what.remove = true;
    r->what.as = as ? as : set->o.engine;
    if (!s || !s->plan || s->plan->scripted) {
        r->what = (skn_provider_change){0};
        skn_fail(&r->err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\" to forget",
                 SKN_FMT(name));
    }
    send(r);
}

skein_rc skn_provider_set_put(skn_provider_set *set, skn_str name, const skn_json *body,
                              skn_provider_put how, skein_engine *as,
                              skn_provider_set_done *done, void *arg, const char **at,
                              skein_error *err)
{
    skn_errand     *r = new_errand(set, done, arg);
    const skn_slot *s = skn_slot_find(set, name);
    skein_rc        rc;

    if (at)
        *at = NULL;
    r->what.name = r->what.patch.name = skn_arena_copy(r->a, name);
    r->what.as = as ? as : set->o.engine;
    if ((rc = skn_change_read(&r->what, body, s ? s->plan : NULL, how, rule_of(set), r->a, at,
                              err)) ||
        !done)
        free_errand(r);
    else
        send(r);
    return rc;
}
