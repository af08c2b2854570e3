/* Asking servers what they have: all local ones at once, or one for its models. */
#include "cli/provider_slots.h"

#include <stdlib.h>
#include <string.h>

enum { LIST_MS = 10000 };

struct skn_looking {
    skn_looking     *next;
    skn_detect_done *done;
    void            *arg;
};

struct skn_listing {
    skn_listing      *next, **link;
    skn_provider_set *set; /* NULL: it is gone */
    skn_slot         *slot;
    skn_host         *host;  /* that is asked; or NULL */
    skn_timer        *timer; /* for an answer that is known */
    bool              fresh; /* what is known is no answer */
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
        skn_model        *models = SKN_ARRAY(a, s->model_count + 1, skn_model);

        for (size_t m = 0; m < s->model_count; m++)
            models[m] = (skn_model){skn_arena_copy(a, s->models[m].name), s->models[m].window};
        s->models = models;
        s->base_url = skn_arena_copy(a, s->base_url);
        s->place = skn_arena_copy(a, s->place);
        s->version = skn_arena_copy(a, s->version);
    }
    skn_arena_free(set->found_mem);
    set->found_mem = a;
    set->found = kept;
}

/* Who is at that address, by whatever name, has these models. */
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

/* --- The models of one -------------------------------------------------------------------------- */

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

    if (!l->set) { /* the set is going, and its providers with it */
        free(l);
        return;
    }
    if (l->slot->host == l->host) { /* it was not replaced meanwhile */
        if (models->state == SKN_ASK_ANSWERED && !l->slot->plan->s.model_count)
            skn_slot_keep_models(l->slot, models->at, models->count, models->version);
        skn_slot_note(l->slot, models->state, &models->error);
    }
    l->done(l->arg, models);
    skn_host_leave(l->set, l->host);
    free_listing(l);
}

/* Why a provider cannot be asked. */
static void refuse(const skn_slot *s, skn_models *out)
{
    out->state = s->host && s->plan->no_key.p ? SKN_ASK_NO_KEY : SKN_ASK_FAILED;
    if (s->plan->no_key.p) {
        skn_fail(&out->error, SKEIN_PROVIDER, "%.*s", SKN_FMT(s->plan->no_key));
        skn_hint(&out->error, SKEIN_PROVIDER, "%.*s", SKN_FMT(s->plan->hint));
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

/* Without a key that it needs there is nothing to ask. A key that is there but not in use yet is used
 * where a person asks for just this. */
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
        l->host = s->host;
        l->host->questions++;
        skn_wire_models(l->host->wire, LIST_MS, listed, l);
        return;
    }
    l->timer = skn_timer_new(set->o.loop, known, l);
    skn_timer_start(l->timer, 0);
}

void skn_looking_drop(skn_provider_set *set)
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
