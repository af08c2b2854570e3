#include "base/env_rule.h"
#include "base/hash.h"
#include "serve/provider_slots.h"

#include <stdlib.h>
#include <string.h>

static const char *get_env(void *arg, const char *name)
{
    (void)arg;
    return getenv(name);
}

void skn_set_changed(skn_provider_set *set)
{
    if (set->o.changed)
        set->o.changed(set->o.arg);
}

skn_slot *skn_slot_find(const skn_provider_set *set, skn_str name)
{
    for (size_t i = 0; i < set->slot_count; i++)
        if (skn_str_is(name, set->slots[i]->name))
            return set->slots[i];
    return NULL;
}

skn_provider *skn_provider_set_find(skn_provider_set *set, skn_str name)
{
    skn_slot *s = skn_slot_find(set, name);

    return s && s->plan ? &s->base : NULL;
}

/* --- Hosts -------------------------------------------------------------------------------------- */

static void add_part(skn_sha256 *sum, skn_str part)
{
    int64_t n = (int64_t)part.n;

    skn_sha256_add(sum, (skn_str){(const char *)&n, sizeof n});
    skn_sha256_add(sum, part);
}

/* Hashes everything that a host is created from; with an equal hash the host can stay. */
static void sum_of(const skn_provider_plan *p, char out[SKN_SHA256_TEXT])
{
    const int64_t numbers[] = {p->kind,      p->scripted,  p->key_needed,
                               p->s.retries, p->s.at_once, p->s.timeout_ms};
    skn_sha256    sum;

    skn_sha256_init(&sum);
    skn_sha256_add(&sum, (skn_str){(const char *)numbers, sizeof numbers});
    add_part(&sum, p->s.base_url);
    add_part(&sum, p->key);
    add_part(&sum, p->damaged);
    for (size_t i = 0; i < p->s.header_count; i++) {
        add_part(&sum, p->s.headers[i].name);
        add_part(&sum, p->s.headers[i].value);
    }
    skn_sha256_text(&sum, out);
}

static skn_provider *new_wire(const skn_provider_set *set, const skn_slot *s)
{
    const skn_provider_plan *p = s->plan;
    skn_arena               *a = skn_arena_new();
    skn_fetch_header        *headers = SKN_ARRAY(a, p->s.header_count + 1, skn_fetch_header);
    skn_wire_options         o = {.name = s->name,
                                  .kind = p->kind,
                                  .base_url = p->s.base_url,
                                  .key = p->key,
                                  .key_needed = p->key_needed,
                                  .headers = headers,
                                  .header_count = p->s.header_count,
                                  .stall_ms = p->s.timeout_ms,
                                  .total_ms = set->o.answer_ms,
                                  .retries = p->s.retries,
                                  .at_once = p->s.at_once,
                                  .one_slot = skn_url_is_local(p->s.base_url)};
    skn_provider            *wire;

    for (size_t i = 0; i < p->s.header_count; i++)
        headers[i] = (skn_fetch_header){p->s.headers[i].name, p->s.headers[i].value};
    wire = skn_wire_new(set->o.loop, set->o.net, &o);
    skn_arena_free(a);
    return wire;
}

static void open_host(skn_slot *s, skn_host *h)
{
    skn_provider_set *set = s->set;

    if (s->plan->scripted) {
        h->front = set->o.demo;
        return;
    }
    h->owned = true;
    if (s->plan->damaged.p) {
        skn_plan_fail(s->plan, s->plan->damaged, &s->broken);
    } else if (set->o.replay) {
        skn_replay_open(&h->front, set->o.loop, set->o.replay, s->name, &s->broken);
    } else if (s->plan->nowhere.p) {
        skn_plan_fail(s->plan, s->plan->nowhere, &s->broken);
    } else if (!s->plan->s.base_url.n) {
        skn_fail(&s->broken, SKEIN_PROVIDER, "the provider \"%s\" has no address", s->name);
    } else {
        if (s->plan->key.n >= 8) /* hiding shorter texts would hide half of the log */
            skn_log_hide(set->o.log, s->plan->key);
        h->wire = h->front = new_wire(set, s);
        if (set->o.record)
            h->front = skn_recorder_new(h->wire, set->o.record, &s->broken);
    }
}

/* Retires the host; requests that it has started finish there. */
static void retire(skn_slot *s)
{
    skn_host *h = s->host;

    s->host = NULL;
    if (!h)
        return;
    h->next = s->set->retired;
    s->set->retired = h;
    skn_timer_start(s->set->sweeper, 0);
}

static void sweep(void *arg)
{
    skn_provider_set *set = arg;
    skn_host        **at = &set->retired;

    while (*at) {
        skn_host *h = *at;

        if (h->questions) {
            at = &h->next;
            continue;
        }
        *at = h->next;
        skn_host_free(h);
    }
}

static void renew_host(skn_slot *s)
{
    char      sum[SKN_SHA256_TEXT];
    skn_host *h;

    sum_of(s->plan, sum);
    if (s->host && !strcmp(s->host->sum, sum))
        return;
    retire(s);
    s->last = SKN_ASK_ANSWERED;
    s->used_at = s->failed_at = 0;
    s->problem[0] = '\0';
    skn_slot_forget_toolless(s, true);
    h = skn_heap(sizeof *h);
    memcpy(h->sum, sum, sizeof sum);
    open_host(s, h);
    if (h->front)
        s->host = h;
    else
        skn_host_free(h);
}

/* --- Plans -------------------------------------------------------------------------------------- */

static skn_slot *add_slot(skn_provider_set *set, skn_str name)
{
    skn_slot *s = skn_heap(sizeof *s);

    s->set = set;
    s->name = skn_heap_copy(name);
    s->base = (skn_provider){&skn_slot_ops, s->name};
    set->slots = skn_heap_resize(set->slots, (set->slot_count + 1) * sizeof *set->slots);
    set->slots[set->slot_count++] = s;
    return s;
}

/* Models that the file names are known without asking the server. */
static void take_models(skn_slot *s)
{
    const skn_provider_setting *from = &s->plan->s;
    skn_arena                  *a = skn_arena_new();
    skn_model                  *models = SKN_ARRAY(a, from->model_count + 1, skn_model);

    for (size_t i = 0; i < from->model_count; i++)
        models[i].name = from->models[i];
    if (from->model_count)
        skn_slot_keep_models(s, models, from->model_count, s->version);
    skn_arena_free(a);
}

void skn_set_apply(skn_provider_set *set, const skn_provider_plans *plans, skn_arena *mem)
{
    skn_arena         *old = set->mem;
    skn_provider_plans before = set->plans;

    set->plans = *plans;
    set->mem = mem;
    for (size_t i = 0; i < set->slot_count; i++)
        set->slots[i]->plan = NULL;
    for (size_t i = 0; i < set->plans.all.n; i++) {
        skn_provider_plan *p = &set->plans.all.p[i];
        skn_slot          *s = skn_slot_find(set, p->s.name);

        s = s ? s : add_slot(set, p->s.name);
        s->plan = p;
        skn_slot_forget_models(s);
        renew_host(s);
        take_models(s);
    }
    for (size_t i = 0; i < set->slot_count; i++)
        if (!set->slots[i]->plan)
            retire(set->slots[i]);
    skn_plans_wipe(&before);
    skn_arena_free(old);
    for (size_t i = 0; i < set->plans.warnings.n; i++)
        skn_log_say(set->o.log, SKN_LOG_WARN, "%.*s", SKN_FMT(set->plans.warnings.p[i]));
    skn_limits_lift(set);
    skn_set_changed(set);
}

/* --- Start and end ------------------------------------------------------------------------------ */

skein_rc skn_provider_set_new(skn_provider_set **out, const skn_provider_set_options *o,
                              const skn_config *config, skein_error *err)
{
    skn_provider_set *set = skn_heap(sizeof *set);
    skein_rc          rc;

    *out = NULL;
    set->o = *o;
    if (!set->o.env)
        set->o.env = get_env;
    set->sweeper = skn_timer_new(o->loop, sweep, set);
    set->model_mem = skn_arena_new();
    set->usual_mem = skn_arena_new();
    if (o->replay)
        set->usual = skn_replay_usual(o->replay, set->usual_mem);
    set->spending = skn_spending_new(set);
    set->o.changed = NULL; /* no caller has the set yet */
    if ((rc = skn_set_begin(set, config, err))) {
        set->o.demo = NULL;
        skn_provider_set_free(set);
        return rc;
    }
    set->o.changed = o->changed;
    skn_provider_set_detect(set, NULL, NULL);
    *out = set;
    return SKEIN_OK;
}

static void free_slot(skn_slot *s)
{
    skn_host_free(s->host);
    skn_slot_forget_toolless(s, false);
    skn_arena_free(s->mem);
    free(s->name);
    free(s);
}

void skn_provider_set_free(skn_provider_set *set)
{
    if (!set)
        return;
    skn_errands_drop(set);
    skn_spending_free(set->spending);
    for (size_t i = 0; i < set->slot_count; i++)
        free_slot(set->slots[i]);
    free(set->slots);
    while (set->retired) {
        skn_host *h = set->retired;

        set->retired = h->next;
        skn_host_free(h);
    }
    skn_timer_free(set->sweeper);
    skn_provider_free(set->o.demo);
    skn_plans_wipe(&set->plans);
    skn_arena_free(set->mem);
    skn_set_config_free(&set->config);
    skn_arena_free(set->found_mem);
    skn_arena_free(set->model_mem);
    skn_arena_free(set->usual_mem);
    free(set);
}

/* Descriptions of providers, and the default model. */

const char *skn_provider_state_word(skn_provider_state state)
{
    static const char *const words[] = {"ready",   "not-tried", "up",
                                        "limited", "failed",    "no-key",
                                        "unused",  "not-there", "over-budget"};

    return words[state];
}

/* Whether the slot is over its limit. A limit that a person lets it exceed does not count. */
static bool is_over(const skn_slot *s)
{
    skn_reached r;
    skein_error err;

    return skn_spending_over(s, &r, &err) && (s->plan->s.stops || r.said != SKEIN_APPROVED);
}

skn_provider_state skn_slot_state(const skn_slot *s)
{
    const skn_provider_plan *p = s->plan;

    if (!p || p->scripted)
        return SKN_PROVIDER_READY;
    if (p->no_key.p && !s->set->o.replay)
        return p->consent || (p->key_needed && !p->key.p) ? SKN_PROVIDER_NO_KEY
                                                          : SKN_PROVIDER_UNUSED;
    if (!s->host)
        return SKN_PROVIDER_FAILED;
    if (is_over(s))
        return SKN_PROVIDER_OVER_BUDGET;
    if (p->server >= 0 && !s->found && !p->kept && !p->in_file && !s->used_at)
        return SKN_PROVIDER_NOT_THERE;
    if (!s->used_at && !s->failed_at) /* detection has reached a local server already */
        return s->found ? SKN_PROVIDER_UP : SKN_PROVIDER_NOT_TRIED;
    if (s->last == SKN_ASK_ANSWERED)
        return SKN_PROVIDER_UP;
    return s->last == SKN_ASK_RATE_LIMIT ? SKN_PROVIDER_LIMITED : SKN_PROVIDER_FAILED;
}

static skn_str copy_some(skn_arena *a, const char *text)
{
    return text && *text ? skn_arena_copy(a, skn_str_of(text)) : SKN_NONE;
}

static void copy_models(const skn_slot *s, skn_arena *a, skn_provider_info *out)
{
    static const skn_model scripted = {.name = {"scripted", sizeof "scripted" - 1}};

    out->models = s->plan->scripted ? &scripted : skn_models_copy(a, s->models, s->model_count);
    out->model_count = s->plan->scripted ? 1 : s->model_count;
}

static void copy_toolless(const skn_slot *s, skn_arena *a, skn_provider_info *out)
{
    size_t n = 0;

    for (const skn_toolless *t = s->toolless; t; t = t->next)
        n++;
    out->toolless = SKN_ARRAY(a, n + 1, skn_named_text);
    for (const skn_toolless *t = s->toolless; t; t = t->next)
        out->toolless[out->toolless_count++] = (skn_named_text){
            skn_arena_copy(a, skn_str_of(t->model)), skn_arena_copy(a, skn_str_of(t->why))};
}

/* Describes the reached limit, and what a person decided about it. */
static void describe_over(const skn_slot *s, const skn_reached *r, const skein_error *over,
                          skn_arena *a, skn_provider_info *out)
{
    skein_approval said = s->plan->s.stops ? SKEIN_APPROVAL_OPEN : r->said;
    const char    *next = r->daily ? "day" : "month";

    out->problem = copy_some(a, over->message);
    out->hint = copy_some(a, over->hint);
    if (said == SKEIN_APPROVED) {
        out->hint = skn_arena_printf(a, "Allowed in the inbox until the end of the %s", next);
    } else if (said == SKEIN_DENIED) {
        out->problem = skn_arena_printf(a, "%s, and more was denied in the inbox",
                                        over->message);
        out->hint = skn_arena_printf(a, "Raise its budget.%s in %.*s, or wait for the next %s",
                                     r->daily ? "daily" : "monthly", SKN_FMT(out->origin),
                                     next);
    }
}

/* Describes spending, and models whose cost nobody can count. */
static void describe_budget(const skn_slot *s, skn_arena *a, skn_provider_info *out)
{
    skn_reached r;
    skein_error err;

    if (!out->monthly_micros && !out->daily_micros)
        return;
    out->used_micros = skn_spending_used(s, false);
    out->today_micros = skn_spending_used(s, true);
    out->unpriced_count = skn_spending_unpriced(s, a, &out->unpriced);
    if (out->problem.p)
        return;
    if (skn_spending_over(s, &r, &err)) {
        describe_over(s, &r, &err, a, out);
    } else if (!s->plan->s.price_count && !skn_str_among(s->plan->s.type, "openai anthropic")) {
        out->problem = SKN_STR("no model of it has a known price: the limit has no effect");
        out->hint = skn_arena_printf(a, "Add prices in %.*s", SKN_FMT(out->origin));
    } else if (out->unpriced_count) {
        out->problem = skn_arena_printf(
            a, "the price of \"%.*s\"%s is not known: its cost is not counted",
            SKN_FMT(out->unpriced[0]), out->unpriced_count > 1 ? " and of others" : "");
        out->hint = skn_arena_printf(a, "Add it to prices in %.*s", SKN_FMT(out->origin));
    }
}

static void describe(const skn_slot *s, skn_arena *a, skn_provider_info *out)
{
    const skn_provider_plan *p = s->plan;

    *out = (skn_provider_info){.name = skn_arena_copy(a, p->s.name),
                               .type = skn_arena_copy(a, p->s.type),
                               .base_url = skn_arena_copy(a, p->s.base_url),
                               .local = p->scripted || skn_url_is_local(p->s.base_url),
                               .key_tail = copy_some(a, p->key_tail),
                               .key_source = skn_arena_copy(a, p->key_source),
                               .origin = skn_arena_copy(a, p->s.origin),
                               .state = skn_slot_state(s),
                               .version = skn_arena_copy(a, s->version),
                               .monthly_micros = p->s.monthly_micros,
                               .daily_micros = p->s.daily_micros,
                               .stops = p->s.stops};
    out->place = out->base_url.n ? skn_url_place(out->base_url) : SKN_NONE;
    out->problem = p->no_key.p ? skn_arena_copy(a, p->no_key) : copy_some(a, s->problem);
    out->hint = skn_arena_copy(a, p->hint);
    if (!out->problem.p && !s->host)
        out->problem = copy_some(a, s->broken.message);
    describe_budget(s, a, out);
    copy_models(s, a, out);
    copy_toolless(s, a, out);
}

bool skn_provider_set_get(skn_provider_set *set, skn_str name, skn_arena *a,
                          skn_provider_info *out)
{
    const skn_slot *s = skn_slot_find(set, name);

    if (!s || !s->plan)
        return false;
    describe(s, a, out);
    return true;
}

/* Whether the provider is listed. A local server that somebody set up under a name of their own is listed once. */
static bool is_shown(const skn_provider_set *set, const skn_slot *s)
{
    if (!s->plan || s->plan->listed)
        return s->plan != NULL;
    for (size_t i = 0; i < set->slot_count; i++) {
        const skn_slot *other = set->slots[i];

        if (other != s && other->plan && other->plan->listed &&
            skn_str_eq(other->plan->s.base_url, s->plan->s.base_url))
            return false;
    }
    return s->found || s->used_at;
}

static int by_name(const void *a, const void *b)
{
    const skn_provider_info *x = a, *y = b;
    bool demo_x = skn_str_is(x->name, "demo"), demo_y = skn_str_is(y->name, "demo");

    return demo_x != demo_y ? (demo_x ? 1 : -1) : skn_str_cmp(x->name, y->name);
}

void skn_provider_set_list(skn_provider_set *set, skn_arena *a, skn_provider_info **out,
                           size_t *count)
{
    *count = 0;
    *out = SKN_ARRAY(a, set->slot_count + 1, skn_provider_info);
    for (size_t i = 0; i < set->slot_count; i++)
        if (is_shown(set, set->slots[i]))
            describe(set->slots[i], a, &(*out)[(*count)++]);
    qsort(*out, *count, sizeof **out, by_name);
}

/* --- JSON --------------------------------------------------------------------------------------- */

static void shape_models(skn_jw *w, const skn_model *models, size_t count)
{
    skn_jw_key(w, "models");
    skn_jw_array(w);
    for (size_t i = 0; i < count; i++)
        skn_jw_str(w, models[i].name);
    skn_jw_array_end(w);
}

static void shape_server(skn_jw *w, const skn_found_server *s)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "name", skn_str_of(s->about->name));
    skn_jw_kstr(w, "label", skn_str_of(s->about->label));
    skn_jw_kstr(w, "place", s->place);
    skn_jw_kbool(w, "answered", s->answered);
    if (s->elsewhere)
        skn_jw_kbool(w, "elsewhere", true);
    if (s->problem)
        skn_jw_kstr(w, "problem", skn_str_of(s->problem));
    if (s->version.p)
        skn_jw_kstr(w, "version", s->version);
    shape_models(w, s->models, s->model_count);
    skn_jw_object_end(w);
}

void skn_detected_shape(skn_jw *w, const skn_detected *found)
{
    skn_jw_object(w);
    skn_jw_key(w, "servers");
    skn_jw_array(w);
    for (size_t i = 0; found->looked_local && i < SKN_SERVERS; i++)
        shape_server(w, &found->servers[i]);
    skn_jw_array_end(w);
    skn_jw_key(w, "keys");
    skn_jw_array(w);
    for (size_t i = 0; i < SKN_KEY_NAMES; i++) {
        const skn_found_key *k = &found->keys[i];

        if (!k->variable)
            continue;
        skn_jw_object(w);
        skn_jw_kstr(w, "provider", skn_str_of(k->about->provider));
        skn_jw_kstr(w, "variable", skn_str_of(k->variable));
        skn_jw_kstr(w, "tail", skn_str_of(k->tail));
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
}

/* --- The default model -------------------------------------------------------------------------- */

/* Skips models that only compute embeddings, which a list may start with. */
static skn_str first_model(const skn_slot *s)
{
    for (size_t i = 0; i < s->model_count; i++)
        if (skn_str_find(s->models[i].name, SKN_STR("embed")) < 0)
            return s->models[i].name;
    return SKN_NONE;
}

static bool is_usable(const skn_slot *s)
{
    return s->plan && !s->plan->scripted && s->host && !s->plan->no_key.p && first_model(s).n;
}

/* Ollama, or the only other local server. */
static const skn_slot *local_slot(const skn_provider_set *set)
{
    const skn_slot *other = NULL;
    int             others = 0;

    for (size_t i = 0; i < set->slot_count; i++) {
        const skn_slot *s = set->slots[i];

        if (!s->found || !is_usable(s) || !is_shown(set, s))
            continue;
        if (s->plan->kind == SKN_WIRE_OLLAMA)
            return s;
        other = s;
        others++;
    }
    return others == 1 ? other : NULL;
}

/* A provider that somebody adds while the server runs is not chosen as the default: adding it must not change who
 * answers. */
static const skn_slot *chosen_slot(const skn_provider_set *set)
{
    const skn_slot *s = local_slot(set);

    for (size_t i = 0; !s && i < set->slot_count; i++)
        if (is_usable(set->slots[i]) && set->slots[i]->plan->in_file)
            s = set->slots[i];
    return s;
}

static skn_str default_model(skn_provider_set *set)
{
    const skn_slot *s;

    if (set->config.model.n && !skn_str_is(set->config.model, "auto"))
        return set->config.model;
    if (set->o.replay) /* the recorded model; the demo would answer something else */
        return set->usual;
    s = chosen_slot(set);
    if (!s)
        return SKN_STR("demo/scripted");
    skn_arena_reset(set->model_mem);
    return skn_arena_printf(set->model_mem, "%s/%.*s", s->name, SKN_FMT(first_model(s)));
}

skn_str skn_provider_set_default_model(skn_provider_set *set)
{
    skn_str model = default_model(set);

    if (set->o.record && !skn_str_eq(model, set->usual) &&
        !skn_str_is(model, "demo/scripted")) {
        skn_arena_reset(set->usual_mem);
        set->usual = skn_arena_copy(set->usual_mem, model);
        skn_record_usual(set->o.record, model);
    }
    return model;
}
