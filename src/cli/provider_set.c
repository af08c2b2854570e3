#include "cli/provider_slots.h"

#include "base/sha256.h"

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

/* Of all that a host is made from: equal sums, and it may stay. */
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
                                  .at_once = p->s.at_once};
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
        skn_fail(&s->broken, SKEIN_PROVIDER, "%.*s", SKN_FMT(s->plan->damaged));
        skn_hint(&s->broken, SKEIN_PROVIDER, "%.*s", SKN_FMT(s->plan->hint));
        return;
    }
    if (set->o.replay) {
        skn_replay_open(&h->front, set->o.loop, set->o.replay, s->name, &s->broken);
        return;
    }
    if (s->plan->nowhere.p) {
        skn_fail(&s->broken, SKEIN_PROVIDER, "%.*s", SKN_FMT(s->plan->nowhere));
        skn_hint(&s->broken, SKEIN_PROVIDER, "%.*s", SKN_FMT(s->plan->hint));
        return;
    }
    if (!s->plan->s.base_url.n) {
        skn_fail(&s->broken, SKEIN_PROVIDER, "nobody has said where \"%s\" is", s->name);
        return;
    }
    if (s->plan->key.n >= 8) /* less would hide half of the log */
        skn_log_hide(set->o.log, s->plan->key);
    h->wire = h->front = new_wire(set, s);
    if (set->o.record)
        h->front = skn_recorder_new(h->wire, set->o.record, &s->broken);
}

/* Questions to the host before end there. */
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

/* Models that the file names are known without asking. */
static void take_models(skn_slot *s)
{
    const skn_provider_setting *from = &s->plan->s;
    skn_arena                  *a;
    skn_model                  *models;

    if (!from->model_count)
        return;
    a = skn_arena_new();
    models = SKN_ARRAY(a, from->model_count, skn_model);
    for (size_t i = 0; i < from->model_count; i++)
        models[i].name = from->models[i];
    skn_slot_keep_models(s, models, from->model_count, s->version);
    skn_arena_free(a);
}

static void say_warnings(const skn_provider_set *set)
{
    for (size_t i = 0; i < set->plans.warnings.n; i++)
        skn_log_say(set->o.log, SKN_LOG_WARN, "%.*s", SKN_FMT(set->plans.warnings.p[i]));
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
    say_warnings(set);
    skn_set_changed(set);
}

/* --- The beginning and the end ------------------------------------------------------------------ */

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
    set->spending = skn_spending_new(set);
    set->o.changed = NULL; /* nobody has it yet */
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
    skn_arena_free(s->mem);
    free(s->name);
    free(s);
}

void skn_provider_set_free(skn_provider_set *set)
{
    if (!set)
        return;
    skn_looking_drop(set);
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
    free(set);
}
