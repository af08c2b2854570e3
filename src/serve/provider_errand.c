/* Jobs that need the disk, the store or another program. The workers do them one after the other, so that none uses
 * what another one is replacing. Each ends with new plans. */
#include "base/clock.h"
#include "serve/provider_slots.h"

#include <stdlib.h>
#include <string.h>

/* A change to the store that somebody requested. */
typedef struct skn_provider_change {
    bool                put, remove;
    skein_engine       *as; /* the engine of the caller */
    skn_str             name;
    skn_provider_stored patch;
    unsigned            members; /* members that the body has */
    bool                consent_unless_said;
    skn_str             key, place; /* the key to store, and its address; absent: unknown */
    bool                forget_key;
    skn_str             moved_from; /* set: the key was meant for this address, and is
                                     * removed */
} skn_provider_change;

enum { TRIES = 5 };

static const char *const member_names[] = {"type",       "baseUrl",     "apiKeyEnv",
                                           "consent",    "headers",     "timeoutMs",
                                           "maxRetries", "concurrency", "contextWindow"};

enum {
    TYPE = 1,
    URL = 2,
    KEY_ENV = 4,
    CONSENT = 8,
    HEADERS = 16,
    TIMEOUT = 32,
    RETRIES = 64,
    AT_ONCE = 128,
    WINDOW = 256
};

static void merge(skn_provider_stored *to, const skn_provider_change *c)
{
    const skn_provider_stored *from = &c->patch;

    if (c->members & TYPE)
        to->type = from->type;
    if (c->members & URL)
        to->base_url = from->base_url;
    if (c->members & KEY_ENV)
        to->key_env = from->key_env;
    if (c->members & HEADERS) {
        to->headers = from->headers;
        to->header_count = from->header_count;
    }
    if (c->members & TIMEOUT)
        to->timeout_ms = from->timeout_ms;
    if (c->members & RETRIES)
        to->retries = from->retries;
    if (c->members & AT_ONCE)
        to->at_once = from->at_once;
    if (c->members & WINDOW)
        to->window = from->window;
    if (c->members & CONSENT)
        to->consent = from->consent;
    else if (c->consent_unless_said || c->key.p || (c->members & KEY_ENV))
        to->consent = true;
    if (c->key.p)
        to->key_env = SKN_NONE;
    if (c->key.p || c->forget_key)
        to->key_kept = c->key.p;
}

static void edit(skn_providers_stored *all, const skn_provider_change *c, skn_arena *a)
{
    skn_provider_stored *list = SKN_ARRAY(a, all->count + 1, skn_provider_stored);
    skn_provider_stored  one = {.name = c->name, .retries = -1};
    size_t               n = 0;

    for (size_t i = 0; i < all->count; i++)
        if (!skn_str_eq(all->at[i].name, c->name))
            list[n++] = all->at[i];
        else if (!all->at[i].damaged.p)
            one = all->at[i];
    if (c->put) {
        merge(&one, c);
        list[n++] = one;
    }
    *all = (skn_providers_stored){list, n};
}

/* Changes the settings only if nobody else has since they were read. */
static skein_rc try_change(skein_engine *e, const skn_provider_change *c, skn_arena *a,
                           skein_error *err)
{
    skein_settings       was;
    skn_providers_stored all;
    skein_setting        now = {.key = SKN_STR("providers")};
    skein_rc             rc;

    if ((rc = skein_setting_list(e, a, &was, err)) ||
        (rc = skn_stored_read(&all, skn_stored_setting(&was), a, err)))
        return rc;
    edit(&all, c, a);
    if (all.count)
        now.value = skn_stored_write(&all, a);
    return skein_setting_put_from(e, &was, &now, 1, err);
}

static skein_rc change_store(skein_engine *e, const skn_provider_change *c, skein_error *err)
{
    skn_arena *a = skn_arena_new();
    skein_rc   rc = SKEIN_VERSION_CHANGED;

    for (int i = 0; i < TRIES && rc == SKEIN_VERSION_CHANGED; i++)
        rc = try_change(e, c, a, err);
    skn_arena_free(a);
    return rc;
}

/* Stores the key first: without it the settings would be useless, and a key alone does no harm. */
static skein_rc change_make(const skn_provider_change *c, const skn_provider_set_options *o,
                            skein_error *err)
{
    bool     had = false;
    skein_rc rc = SKEIN_OK;

    if (c->key.p)
        rc = skn_secret_put(o->data_dir, c->name, c->key, c->place, err);
    else if (c->moved_from.p)
        rc = skn_secret_drop(o->data_dir, c->name, c->moved_from, err);
    else if (c->forget_key || c->remove)
        rc = skn_secret_remove(o->data_dir, c->name, &had, err);
    if (!rc && c->as && (c->key.p || had))
        rc = skn_audit_add(c->as, c->key.p ? "key.set" : "key.remove", c->name, c->place, err);
    if (!rc && (c->put || c->remove))
        rc = change_store(c->as, c, err);
    return rc;
}

/* --- Reading ------------------------------------------------------------------------------------ */

static skein_rc invalid(const char **at, const char *member, const char *why, skein_error *err)
{
    if (at)
        *at = member;
    return skn_fail(err, SKEIN_INVALID, "\"%s\" %s", member + 1, why);
}

static skein_rc read_key(skn_provider_change *c, const skn_json *body, skn_arena *a,
                         const char **at, skein_error *err)
{
    const skn_json *key = skn_json_get(body, "apiKey");

    if (!key)
        return SKEIN_OK;
    c->forget_key = key->kind == SKN_JSON_NULL;
    if (c->forget_key)
        return SKEIN_OK;
    if (key->kind != SKN_JSON_STRING || !skn_secret_valid(key->text))
        return invalid(at, "/apiKey", "must be a key: visible characters without blanks", err);
    c->key = skn_arena_copy(a, key->text);
    return SKEIN_OK;
}

static skein_rc read_members(skn_provider_change *c, const skn_json *body, skn_arena *a,
                             const char **at, skein_error *err)
{
    skein_rc rc = skn_stored_read_one(&c->patch, body, a, at, err);

    for (size_t i = 0; !rc && i < sizeof member_names / sizeof *member_names; i++)
        if (skn_json_get(body, member_names[i]))
            c->members |= 1U << i;
    c->put = true;
    return rc ? rc : read_key(c, body, a, at, err);
}

/* Fails because a provider of the file must be changed in the file. */
static skein_rc fail_in_file(const skn_provider_plan *p, skein_error *err)
{
    skn_arena *a = skn_arena_new();
    skein_rc   rc = skn_fail_hint(
          err, SKEIN_CONFLICT,
          skn_arena_printf(a, "Change it there, then: skein config check %.*s",
                           SKN_FMT(skn_plan_file(p, a)))
              .p,
          "\"%.*s\" is set up in %.*s", SKN_FMT(p->s.name), SKN_FMT(p->s.origin));

    skn_arena_free(a);
    return rc;
}

/* Providers of the file are changed there; only a key is not written into that file. */
static skein_rc check_file(skn_provider_change *c, const skn_provider_plan *p, skein_error *err)
{
    if (!p->in_file)
        return SKEIN_OK;
    if (p->s.key.from == SKN_KEY_UNSAID && !(c->members & ~(unsigned)CONSENT)) {
        c->put = false;
        return SKEIN_OK;
    }
    return fail_in_file(p, err);
}

static skein_rc check_new(const skn_provider_change *c, const char **at, skein_error *err)
{
    if (!c->patch.type.p)
        return invalid(at, "/type", "is missing", err);
    if (skn_str_is(c->patch.type, "openai-compatible") && !c->patch.base_url.p)
        return invalid(at, "/baseUrl", "is missing", err);
    return SKEIN_OK;
}

static skein_rc check_change(skn_provider_change *c, const skn_provider_plan *p,
                             skn_provider_put how, const char **at, skein_error *err)
{
    if (!skn_is_provider_name(c->name) || skn_str_is(c->name, "demo"))
        return invalid(at, "/name", "must be small letters, digits, - and _, and not \"demo\"",
                       err);
    if (how == SKN_PROVIDER_CREATE && p && (p->kept || p->in_file))
        return skn_fail(err, SKEIN_CONFLICT, "there is a provider \"%.*s\" already",
                        SKN_FMT(c->name));
    if (how == SKN_PROVIDER_CHANGE && !p)
        return skn_hint(
            err,
            skn_fail(err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\"", SKN_FMT(c->name)),
            "\"skein provider ls\" lists them.");
    return p ? check_file(c, p, err) : check_new(c, at, err);
}

/* The address that the provider will have. */
static skn_str url_of(const skn_provider_change *c, const skn_provider_plan *p)
{
    if (c->patch.base_url.n)
        return c->patch.base_url;
    if (p)
        return p->s.base_url;
    for (size_t i = 0; i < SKN_KEY_NAMES; i++)
        if (skn_str_is(c->patch.type, skn_key_names[i].provider))
            return skn_str_of(skn_key_names[i].base_url);
    return SKN_NONE;
}

/* Checks the environment variable for the key, if this change names a variable or an address. */
static skein_rc check_env(const skn_provider_change *c, const skn_provider_plan *p,
                          skn_env_rule *rule, const char **at, skein_error *err)
{
    bool     kept = p && p->kept && p->s.key.from == SKN_KEY_ENV && !c->key.p;
    skn_str  name = c->members & KEY_ENV ? c->patch.key_env : kept ? p->s.key.name : SKN_NONE;
    skn_str  url = url_of(c, p);
    skein_rc rc;

    if (!name.p || !(c->members & (KEY_ENV | URL)))
        return SKEIN_OK;
    rc = skn_env_rule_check(rule, name, url.p ? url : SKN_STR(""), err);
    if (rc && at)
        *at = c->members & KEY_ENV ? "/apiKeyEnv" : "/baseUrl";
    return rc;
}

/* A key must not be sent to another address than the one that it was given for. */
static void guard_key(skn_provider_change *c, const skn_provider_plan *p, skn_arena *a)
{
    bool moved = p && (c->members & URL) && c->patch.base_url.p &&
                 !skn_site_covers(skn_url_site(p->s.base_url), c->patch.base_url);

    if (moved && !c->key.p && !c->forget_key && !(c->members & KEY_ENV))
        c->moved_from = skn_arena_copy(a, skn_url_site(p->s.base_url));
    if (!c->key.p && (moved || (c->members & KEY_ENV)))
        c->forget_key = true;
    c->place = skn_arena_copy(a, url_of(c, p).n ? skn_url_site(url_of(c, p)) : SKN_NONE);
}

/* Reads a change from the body; `p` is the current plan or NULL. The other arguments are those of
 * skn_provider_set_put. */
static skein_rc change_read(skn_provider_change *c, const skn_json *body,
                            const skn_provider_plan *p, skn_provider_put how,
                            skn_env_rule *rule, skn_arena *a, const char **at, skein_error *err)
{
    skein_rc rc;

    c->consent_unless_said = how != SKN_PROVIDER_CHANGE;
    if ((rc = read_members(c, body, a, at, err)) || (rc = check_change(c, p, how, at, err)) ||
        (rc = check_env(c, p, rule, at, err)))
        return rc;
    guard_key(c, p, a);
    return SKEIN_OK;
}

/* --- Jobs --------------------------------------------------------------------------------------- */

struct skn_errand {
    skn_errand            *next;
    skn_provider_set      *set;
    skn_arena             *a;      /* holds the change */
    skn_set_config         config; /* the new configuration; mem NULL: unchanged */
    skn_provider_change    what;
    skn_arena             *mem; /* holds the plans */
    skn_provider_plans     plans;
    int64_t                month, day; /* for spending; 0: not needed */
    skn_learned_list       learned;    /* of models, as it is stored */
    skein_model_uses       uses;
    skein_error            err;
    skn_provider_set_done *done;
    void                  *arg;
};

/* --- On a worker -------------------------------------------------------------------------------- */

static bool has_limit(const skn_set_config *config)
{
    size_t i = 0;

    while (i < config->count && !config->settings[i].monthly_micros &&
           !config->settings[i].daily_micros)
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
    if (!rc && set->o.engine)
        rc = skn_learned_read(set->o.engine, r->mem, &r->learned, err);
    from.stored = skn_stored_setting(&all);
    if (!rc && set->o.engine && has_limit(config)) {
        r->month = skn_clock_month(skn_clock_micros());
        r->day = skn_clock_day(skn_clock_micros());
        rc = skein_models_used(set->o.engine, r->month, r->day, r->mem, &r->uses, err);
    }
    if (!rc)
        skn_plans_make(&r->plans, &from, r->mem);
    return rc;
}

static void work(void *arg)
{
    skn_errand *r = arg;

    if (!change_make(&r->what, &r->set->o, &r->err))
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

static void drop_lookings(skn_provider_set *set);

void skn_errands_drop(skn_provider_set *set)
{
    drop_lookings(set);
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
        skn_spending_take(set->spending, r->month, r->day, &r->uses);
    r->plans = (skn_provider_plans){0};
    r->mem = NULL;
    skn_set_apply(set, &plans, mem);
    if (!set->learned && set->o.engine) {
        skn_set_learned(set, &r->learned);
        set->learned = true;
    }
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

static void read_prices(skn_set_config *out, const skn_config *c, skn_arena *a)
{
    skn_model_price *list = SKN_ARRAY(a, c->prices.n + 1, skn_model_price);

    for (size_t i = 0; i < c->prices.n; i++) {
        list[i] = c->prices.p[i];
        list[i].model = skn_arena_copy(a, list[i].model);
    }
    out->prices = list;
    out->price_count = c->prices.n;
}

static void read_config(skn_set_config *out, const skn_config *c)
{
    skn_arena *a = skn_arena_new();

    *out = (skn_set_config){.mem = a, .count = c->providers.n};
    out->settings = SKN_ARRAY(a, c->providers.n + 1, skn_provider_setting);
    for (size_t i = 0; i < c->providers.n; i++)
        skn_config_provider_read(&c->providers.p[i], &out->settings[i], a);
    read_prices(out, c, a);
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

void skn_provider_set_remove(skn_provider_set *set, skn_str name, bool dry, skein_engine *as,
                             skn_provider_set_done *done, void *arg)
{
    skn_errand     *r = new_errand(set, done, arg);
    const skn_slot *s = skn_slot_find(set, name);

    r->what.name = skn_arena_copy(r->a, name);
    r->what.remove = true;
    r->what.as = as ? as : set->o.engine;
    if (!s || !s->plan || s->plan->scripted)
        skn_fail(&r->err, SKEIN_NOT_FOUND, "there is no provider \"%.*s\" to forget",
                 SKN_FMT(name));
    else if (s->plan->in_file)
        fail_in_file(s->plan, &r->err);
    if (dry || r->err.rc)
        r->what = (skn_provider_change){0};
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
    if ((rc = change_read(&r->what, body, s ? s->plan : NULL, how, rule_of(set), r->a, at,
                          err)) ||
        !done)
        free_errand(r);
    else
        send(r);
    return rc;
}

/* Asks servers for their models: all local servers at once, or one provider. */

enum { LIST_MS = 10000 };

struct skn_looking {
    skn_looking     *next;
    skn_detect_done *done;
    void            *arg;
};

struct skn_listing {
    skn_listing      *next, **link;
    skn_provider_set *set; /* NULL: the set was freed */
    skn_slot         *slot;
    skn_host         *host;  /* the one that is asked; or NULL */
    skn_timer        *timer; /* for a result that is known already */
    bool              fresh; /* known models do not count */
    skn_models_done  *done;
    void             *arg;
};

/* --- Local servers ------------------------------------------------------------------------------ */

static void keep_found(skn_provider_set *set, const skn_detected *found)
{
    skn_arena    *a = skn_arena_new();
    skn_detected *kept = SKN_NEW(a, skn_detected);

    *kept = *found;
    for (size_t i = 0; i < SKN_SERVERS; i++) {
        skn_found_server *s = &kept->servers[i];

        s->models = skn_models_copy(a, s->models, s->model_count);
        s->base_url = skn_arena_copy(a, s->base_url);
        s->place = skn_arena_copy(a, s->place);
        s->version = skn_arena_copy(a, s->version);
        s->problem = skn_arena_copy(a, skn_str_of(s->problem)).p;
    }
    skn_arena_free(set->found_mem);
    set->found_mem = a;
    set->found = kept;
}

/* Gives each provider the models of the server at its address, whatever its name. */
static void tell_slots(skn_provider_set *set)
{
    for (size_t i = 0; i < set->slot_count; i++) {
        skn_slot *s = set->slots[i];

        s->found = false;
        for (size_t k = 0; s->plan && !s->plan->scripted && k < SKN_SERVERS; k++) {
            const skn_found_server *f = &set->found->servers[k];

            if (!f->answered || !skn_str_eq(f->base_url, s->plan->s.base_url))
                continue;
            s->found = true;
            if (!s->plan->s.model_count)
                skn_slot_keep_models(s, f->models, f->model_count, f->version);
        }
    }
}

static void detected(void *arg, const skn_detected *found)
{
    skn_provider_set *set = arg;
    skn_looking      *all = set->looking;

    set->detecting = NULL;
    set->looking = NULL;
    keep_found(set, found);
    tell_slots(set);
    skn_set_changed(set);
    while (all) {
        skn_looking *one = all;

        all = one->next;
        if (one->done)
            one->done(one->arg, set->found);
        free(one);
    }
}

void skn_provider_set_detect(skn_provider_set *set, skn_detect_done *done, void *arg)
{
    skn_looking       *one = skn_heap(sizeof *one);
    skn_detect_options o = {.local = set->config.local && !set->o.replay && set->o.net,
                            .environment = set->config.environment,
                            .env = set->o.env,
                            .env_arg = set->o.env_arg};

    *one = (skn_looking){set->looking, done, arg};
    set->looking = one;
    memcpy(o.ports, set->o.ports, sizeof o.ports);
    if (!set->detecting)
        set->detecting = skn_detect(set->o.loop, set->o.net, &o, detected, set);
}

const skn_detected *skn_provider_set_found(const skn_provider_set *set)
{
    return set->found;
}

/* --- The models of one provider ----------------------------------------------------------------- */

static void free_listing(skn_listing *l)
{
    *l->link = l->next;
    if (l->next)
        l->next->link = l->link;
    skn_timer_free(l->timer);
    free(l);
}

static void listed(void *arg, const skn_models *models)
{
    skn_listing *l = arg;

    if (!l->set) { /* the set is being freed, and its providers with it */
        free(l);
        return;
    }
    if (l->slot->host == l->host) { /* the host was not replaced meanwhile */
        if (models->state == SKN_ASK_ANSWERED && !l->slot->plan->s.model_count)
            skn_slot_keep_models(l->slot, models->at, models->count, models->version);
        skn_slot_note(l->slot, models->state, &models->error);
    }
    l->done(l->arg, models);
    skn_host_leave(l->set, l->host);
    free_listing(l);
}

/* Says why a provider cannot be asked. */
static void refuse(const skn_slot *s, skn_models *out)
{
    out->state = s->host && s->plan->no_key.p ? SKN_ASK_NO_KEY : SKN_ASK_FAILED;
    if (s->plan->no_key.p) {
        skn_plan_fail(s->plan, s->plan->no_key, &out->error);
    } else if (s->host) {
        skn_fail(&out->error, SKEIN_PROVIDER,
                 "\"%s\" answers from a recording: there is no server to ask", s->name);
    } else {
        out->error = s->broken;
    }
}

static void known(void *arg)
{
    skn_listing *l = arg;
    skn_slot    *s = l->slot;
    skn_model    scripted = {SKN_STR("scripted"), 0};
    skn_models   models = {0};

    if (!s || !s->plan) {
        models.state = SKN_ASK_FAILED;
        skn_fail(&models.error, SKEIN_NOT_FOUND, "there is no such provider");
    } else if (s->plan->scripted) {
        models.at = &scripted;
        models.count = 1;
    } else if (s->model_count && !l->fresh) {
        models.at = s->models;
        models.count = s->model_count;
        models.version = s->version;
    } else {
        refuse(s, &models);
    }
    l->done(l->arg, &models);
    free_listing(l);
}

/* Whether the provider's server can be asked: not if it needs a key that is missing. A key whose use nobody has
 * allowed yet is used only when a person asks for this test. */
static bool can_be_asked(const skn_slot *s, bool fresh)
{
    const skn_provider_plan *p = s ? s->plan : NULL;

    if (!p || p->scripted || !s->host || !s->host->wire || (p->key_needed && !p->key.p))
        return false;
    return fresh || (!s->model_count && !p->no_key.p);
}

void skn_provider_set_models(skn_provider_set *set, skn_str name, bool fresh,
                             skn_models_done *done, void *arg)
{
    skn_listing *l = skn_heap(sizeof *l);
    skn_slot    *s = skn_slot_find(set, name);

    *l = (skn_listing){.next = set->listings,
                       .link = &set->listings,
                       .set = set,
                       .slot = s,
                       .fresh = fresh,
                       .done = done,
                       .arg = arg};
    if (l->next)
        l->next->link = &l->next;
    set->listings = l;
    if (can_be_asked(s, fresh)) {
        if (fresh) /* the server may have been restarted with other options */
            skn_slot_forget_toolless(s, true);
        l->host = s->host;
        l->host->questions++;
        skn_wire_models(l->host->wire, LIST_MS, listed, l);
        return;
    }
    l->timer = skn_timer_new(set->o.loop, known, l);
    skn_timer_start(l->timer, 0);
}

static void drop_lookings(skn_provider_set *set)
{
    skn_detect_cancel(set->detecting);
    while (set->looking) {
        skn_looking *one = set->looking;

        set->looking = one->next;
        free(one);
    }
    while (set->listings) {
        skn_listing *l = set->listings;

        set->listings = l->next;
        if (l->next)
            l->next->link = &set->listings;
        l->set = NULL;
        if (l->timer) {
            skn_timer_free(l->timer);
            free(l);
        }
    }
}
