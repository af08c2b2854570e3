/* Requests through a slot: counts the requests of its host, and remembers how they ended. */
#include "base/clock.h"
#include "serve/provider_slots.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Hosts -------------------------------------------------------------------------------------- */

void skn_host_free(skn_host *h)
{
    if (!h)
        return;
    if (h->owned && h->front != h->wire)
        skn_provider_free(h->front);
    skn_provider_free(h->wire);
    free(h);
}

void skn_host_leave(skn_provider_set *set, skn_host *h)
{
    h->questions--;
    if (set->retired) /* not freed here: it may still be on the stack */
        skn_timer_start(set->sweeper, 0);
}

void skn_slot_note(skn_slot *s, skn_ask_state state, const skein_error *err)
{
    skn_provider_state was = skn_slot_state(s);
    bool               good = state == SKN_ASK_ANSWERED;

    *(good ? &s->used_at : &s->failed_at) = skn_clock_micros();
    s->last = state;
    s->problem[0] = '\0';
    if (!good)
        snprintf(s->problem, sizeof s->problem, "%s", err->message);
    if (skn_slot_state(s) != was)
        skn_set_changed(s->set);
}

skn_model *skn_models_copy(skn_arena *a, const skn_model *models, size_t count)
{
    skn_model *out = SKN_ARRAY(a, count + 1, skn_model);

    for (size_t i = 0; i < count; i++)
        out[i] = (skn_model){skn_arena_copy(a, models[i].name), models[i].window};
    return out;
}

skein_rc skn_plan_fail(const skn_provider_plan *p, skn_str why, skein_error *err)
{
    skn_fail(err, SKEIN_PROVIDER, "%.*s", SKN_FMT(why));
    return skn_hint(err, SKEIN_PROVIDER, "%.*s", SKN_FMT(p->hint));
}

void skn_slot_keep_models(skn_slot *s, const skn_model *models, size_t count, skn_str version)
{
    skn_arena *a = skn_arena_new();

    s->models = skn_models_copy(a, models, count);
    s->model_count = count;
    s->version = skn_arena_copy(a, version);
    s->listed_at = skn_arena_copy(a, s->plan->s.base_url);
    skn_arena_free(s->mem);
    s->mem = a;
}

void skn_slot_forget_models(skn_slot *s)
{
    if (!s->mem || skn_str_eq(s->listed_at, s->plan->s.base_url))
        return;
    skn_arena_free(s->mem);
    s->mem = NULL;
    s->models = NULL;
    s->model_count = 0;
    s->version = s->listed_at = SKN_NONE;
}

/* --- Models without tools ----------------------------------------------------------------------- */

enum { MOST_TOOLLESS = 100 };

static const skn_toolless *toolless_of(const skn_slot *s, skn_str model)
{
    const skn_toolless *t = s->toolless;

    while (t && !skn_str_is(model, t->model))
        t = t->next;
    return t;
}

static bool is_toolless(const skn_provider *p, skn_str model)
{
    return toolless_of((const skn_slot *)p, model) != NULL;
}

/* What was learned is stored, for the next server. */
typedef struct learning {
    skein_engine    *engine;
    skn_arena       *a;
    skn_learned_list list;
} learning;

static void work_learn(void *arg)
{
    learning   *l = arg;
    skein_error err;

    (void)skn_learned_put(l->engine, l->list.at, l->list.count, &err);
}

static void drop_learning(void *arg)
{
    skn_arena_free(((learning *)arg)->a);
}

/* why NULL: none of them is known to have no tools. */
static void store_toolless(skn_slot *s, const char *why)
{
    skn_arena *a = skn_arena_new();
    learning  *l = SKN_NEW(a, learning);
    skn_vec(skn_learned) list = {0};

    l->a = a;
    l->engine = s->set->o.engine;
    for (const skn_toolless *t = s->toolless; t && (!why || !list.n); t = t->next)
        skn_vec_add(a, &list,
                    ((skn_learned){skn_arena_printf(a, "%s/%s", s->name, t->model),
                                   SKN_STR(SKN_LEARNED_NO_TOOLS),
                                   why ? skn_arena_copy(a, skn_str_of(why)) : SKN_NONE}));
    l->list = (skn_learned_list){list.p, list.n};
    if (l->engine && list.n)
        skn_workers_run(s->set->o.workers, work_learn, drop_learning, l);
    else
        skn_arena_free(a);
}

static bool add_toolless(skn_slot *s, skn_str model, skn_str why)
{
    skn_toolless *t;
    size_t        count = 0;

    for (t = s->toolless; t; t = t->next)
        count++;
    if (count == MOST_TOOLLESS || is_toolless(&s->base, model))
        return false;
    t = skn_heap(sizeof *t);
    *t = (skn_toolless){s->toolless, skn_heap_copy(model), skn_heap_copy(why)};
    s->toolless = t;
    return true;
}

static void toolless_note(skn_slot *s, skn_str model, const skein_error *err)
{
    skn_arena *a = skn_arena_new();

    if (add_toolless(s, model, skn_arena_printf(a, "%s. %s", err->message, err->hint))) {
        store_toolless(s, s->toolless->why);
        skn_set_changed(s->set);
    }
    skn_arena_free(a);
}

void skn_set_learned(skn_provider_set *set, const skn_learned_list *all)
{
    for (size_t i = 0; i < all->count; i++) {
        skn_str   model = all->at[i].model, name = SKN_NONE;
        skn_slot *s = skn_str_split(&model, '/', &name) ? skn_slot_find(set, name) : NULL;

        if (s && skn_str_is(all->at[i].what, SKN_LEARNED_NO_TOOLS))
            add_toolless(s, model, all->at[i].value);
    }
}

void skn_slot_forget_toolless(skn_slot *s, bool stored)
{
    if (stored)
        store_toolless(s, NULL);
    while (s->toolless) {
        skn_toolless *t = s->toolless;

        s->toolless = t->next;
        free(t->model);
        free(t->why);
        free(t);
    }
}

/* What models cost in this month and day, where their prices are known. The store has the figures of all servers that
 * share it; answers of this server count at once, before their calls are stored. */

enum {
    STALE_MS = 2000, /* other servers may have spent something since */
    MOST_MODELS = 4096,
    MOST_UNPRICED = 20
};

#define MILLION   INT64_C(1000000)
#define MOST_COST (MILLION * MILLION * MILLION) /* so that sums stay in range */

typedef struct use {
    char   *model;        /* "provider/model" */
    int64_t month, today; /* billionths of a dollar */
    bool    unpriced;     /* it was used, but has no price */
} use;

struct skn_spending {
    skn_provider_set *set;
    int64_t           month, day; /* when they began */
    use              *uses;
    size_t            count;
    int64_t           read_at; /* monotonic, ms */
    bool              reading;
    skn_arena        *a; /* for a reading in progress */
    int64_t           since, today;
    skein_model_uses  found;
    skein_rc          rc;
};

skn_spending *skn_spending_new(skn_provider_set *set)
{
    skn_spending *p = skn_heap(sizeof *p);

    p->set = set;
    return p;
}

static void forget(skn_spending *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->uses[i].model);
    free(p->uses);
    p->uses = NULL;
    p->count = 0;
}

void skn_spending_free(skn_spending *p)
{
    if (!p)
        return;
    forget(p);
    skn_arena_free(p->a);
    free(p);
}

/* --- Figures ------------------------------------------------------------------------------------ */

/* Resets the figures when a new month or day begins. */
static void turn_page(skn_spending *p)
{
    int64_t now = skn_clock_micros(), month = skn_clock_month(now), day = skn_clock_day(now);

    if (month != p->month)
        forget(p);
    for (size_t i = 0; day != p->day && i < p->count; i++)
        p->uses[i].today = 0;
    p->month = month;
    p->day = day;
}

static use *use_of(skn_spending *p, skn_str model)
{
    for (size_t i = 0; i < p->count; i++)
        if (skn_str_is(model, p->uses[i].model))
            return &p->uses[i];
    if (p->count == MOST_MODELS)
        return NULL;
    p->uses = skn_heap_resize(p->uses, (p->count + 1) * sizeof *p->uses);
    p->uses[p->count] = (use){.model = skn_heap_copy(model)};
    return &p->uses[p->count++];
}

/* The larger figure counts: answers of this server may not be stored yet. */
void skn_spending_take(skn_spending *p, int64_t month, int64_t day,
                       const skein_model_uses *found)
{
    turn_page(p);
    for (size_t i = 0; month == p->month && i < found->count; i++) {
        const skein_model_use *f = &found->at[i];
        use                   *u = use_of(p, f->model);

        if (!u)
            continue;
        if (f->cost > u->month)
            u->month = f->cost;
        if (day == p->day && f->cost_today > u->today)
            u->today = f->cost_today;
        u->unpriced |= f->unpriced > 0;
    }
    p->read_at = skn_clock_ms();
}

/* --- Prices ------------------------------------------------------------------------------------- */

static const skn_model_price free_of_charge;

/* A model on this computer costs nothing, unless the file gives it a price or a limit. */
static const skn_model_price *price_of(const skn_slot *s, skn_str model)
{
    const skn_provider_setting *own = &s->plan->s;
    const skn_model_price      *p = skn_price_find(own->prices, own->price_count, model);

    if (p)
        return p;
    if (s->plan->scripted || s->set->o.replay ||
        (!own->price_count && !own->monthly_micros && !own->daily_micros &&
         skn_url_is_local(own->base_url)))
        return &free_of_charge;
    return skn_price_find(s->set->config.prices, s->set->config.price_count, model);
}

/* Sets the cost of the answer so far. Returns false if nothing counts. */
static bool put_cost(const skn_slot *s, const char *model, skn_answer *answer)
{
    const skn_model_price *price = s->plan ? price_of(s, skn_str_of(model)) : NULL;

    answer->cost = -1;
    if (answer->tokens_in < 0 && answer->tokens_out < 0)
        answer->cost = 0;
    else if (price)
        answer->cost = skn_price_of(price, answer->tokens_in, answer->tokens_cached,
                                    answer->tokens_written, answer->tokens_out);
    return answer->cost && s->plan;
}

/* Counts the cost of a model's answer, complete or cut short. */
static void spending_note(const skn_slot *s, const char *model, skn_answer *answer)
{
    skn_spending *p = s->set->spending;
    skn_arena    *a;
    use          *u;

    if (!put_cost(s, model, answer))
        return;
    turn_page(p);
    a = skn_arena_new();
    u = use_of(p, skn_arena_printf(a, "%s/%s", s->name, model));
    skn_arena_free(a);
    if (u && answer->cost > 0 && u->month < MOST_COST) {
        u->month += answer->cost;
        u->today += answer->cost;
    }
    if (u)
        u->unpriced |= answer->cost < 0;
}

/* --- The store ---------------------------------------------------------------------------------- */

static void work_read(void *arg)
{
    skn_spending *p = arg;
    skein_error   err;

    p->rc = skein_models_used(p->set->o.engine, p->since, p->today, p->a, &p->found, &err);
}

static void was_read(void *arg)
{
    skn_spending *p = arg;

    p->reading = false;
    if (!p->rc)
        skn_spending_take(p, p->since, p->today, &p->found);
    skn_arena_free(p->a);
    p->a = NULL;
}

static void read_again(skn_spending *p)
{
    if (p->reading || !p->set->o.engine || skn_clock_ms() - p->read_at < STALE_MS)
        return;
    p->reading = true;
    p->since = p->month;
    p->today = p->day;
    p->a = skn_arena_new();
    skn_workers_run(p->set->o.workers, work_read, was_read, p);
}

/* --- Money -------------------------------------------------------------------------------------- */

/* Whether the model belongs to this provider; then *model is its name there. */
static bool is_ours(const skn_slot *s, const use *u, skn_str *model)
{
    size_t n = strlen(s->name);

    if (strncmp(u->model, s->name, n) != 0 || u->model[n] != '/')
        return false;
    *model = skn_str_of(u->model + n + 1);
    return true;
}

int64_t skn_spending_used(const skn_slot *s, bool today)
{
    const skn_spending *p = s->set->spending;
    int64_t             sum = 0;
    skn_str             model;

    for (size_t i = 0; i < p->count && sum < MOST_COST; i++)
        if (is_ours(s, &p->uses[i], &model))
            sum += today ? p->uses[i].today : p->uses[i].month;
    return sum / 1000;
}

static void add_unpriced(const skn_slot *s, skn_str model, skn_arena *a, skn_str *list,
                         size_t *count)
{
    if (price_of(s, model) || *count == MOST_UNPRICED)
        return;
    for (size_t i = 0; i < *count; i++)
        if (skn_str_eq(list[i], model))
            return;
    list[(*count)++] = skn_arena_copy(a, model);
}

size_t skn_spending_unpriced(const skn_slot *s, skn_arena *a, const skn_str **out)
{
    const skn_spending *p = s->set->spending;
    skn_str            *list = SKN_ARRAY(a, MOST_UNPRICED, skn_str), model;
    size_t              count = 0;

    *out = list;
    if (!s->plan->s.monthly_micros && !s->plan->s.daily_micros)
        return 0;
    for (size_t i = 0; i < s->plan->s.model_count; i++)
        add_unpriced(s, s->plan->s.models[i], a, list, &count);
    for (size_t i = 0; i < p->count; i++)
        if (p->uses[i].unpriced && is_ours(s, &p->uses[i], &model))
            add_unpriced(s, model, a, list, &count);
    return count;
}

/* The reached limits, that of the day first. */
static size_t find_reached(const skn_slot *s, skn_reached out[2])
{
    const skn_provider_setting *own = &s->plan->s;
    size_t                      count = 0;

    turn_page(s->set->spending);
    for (int daily = 1; daily >= 0; daily--) {
        skn_reached *r = &out[count];
        char         time[SKN_TIME_TEXT];

        *r = (skn_reached){.daily = daily,
                           .most = daily ? own->daily_micros : own->monthly_micros,
                           .used = skn_spending_used(s, daily)};
        if (!r->most || r->used < r->most)
            continue;
        skn_month_format(s->set->spending->month, r->of);
        skn_time_format(s->set->spending->day, time);
        if (daily)
            snprintf(r->of, sizeof r->of, "%.10s", time);
        snprintf(r->key, sizeof r->key, "%s: %lld.%06lld USD of %s", s->name,
                 (long long)(r->most / MILLION), (long long)(r->most % MILLION), r->of);
        if (!strcmp(r->key, s->limits[daily].key))
            r->said = s->limits[daily].said;
        count++;
    }
    return count;
}

static void say_reached(const skn_slot *s, const skn_reached *r, skein_error *err)
{
    const char *key = r->daily ? "daily" : "monthly", *next = r->daily ? "day" : "month";

    skn_fail(err, SKEIN_PROVIDER,
             "the provider \"%s\" has used %lld.%02lld of the %lld.%02lld USD of %s", s->name,
             (long long)(r->used / MILLION), (long long)(r->used % MILLION / 10000),
             (long long)(r->most / MILLION), (long long)(r->most % MILLION / 10000), r->of);
    if (s->plan->s.stops)
        skn_hint(err, SKEIN_PROVIDER,
                 "Raise its budget.%s in %.*s and try again, or wait for the next %s", key,
                 SKN_FMT(s->plan->s.origin), next);
    else
        skn_hint(err, SKEIN_PROVIDER,
                 "The inbox asks whether to continue, at the latest with the next message. "
                 "Or raise its budget.%s in %.*s, or wait for the next %s",
                 key, SKN_FMT(s->plan->s.origin), next);
}

bool skn_spending_over(const skn_slot *s, skn_reached *which, skein_error *err)
{
    skn_reached all[2];
    size_t      count;

    if ((!s->plan->s.monthly_micros && !s->plan->s.daily_micros) || s->set->o.replay)
        return false;
    turn_page(s->set->spending);
    read_again(s->set->spending);
    count = find_reached(s, all);
    if (!count)
        return false;
    *which = all[count == 2 && all[0].said == SKEIN_APPROVED];
    say_reached(s, which, err);
    return true;
}

/* --- Raised limits ---------------------------------------------------------------------------------- */

typedef struct lift {
    skn_str begin, still[2];
} lift;

typedef struct lifting {
    skein_engine *engine;
    skn_arena    *a;
    skn_vec(lift) all;
} lifting;

static void work_lift(void *arg)
{
    lifting    *l = arg;
    skein_error err;

    for (size_t i = 0; i < l->all.n; i++)
        (void)skein_limits_lift(l->engine, l->all.p[i].begin, l->all.p[i].still,
                                SKN_STR("the limit was raised"), l->a, &err);
}

static void drop_lifting(void *arg)
{
    lifting *l = arg;

    skn_arena_free(l->a);
}

void skn_limits_lift(skn_provider_set *set)
{
    skn_arena *a;
    lifting   *l;

    if (!set->o.engine || set->o.replay)
        return;
    a = skn_arena_new();
    l = SKN_NEW(a, lifting);
    *l = (lifting){.engine = set->o.engine, .a = a};
    for (size_t i = 0; i < set->slot_count; i++) {
        const skn_slot *s = set->slots[i];
        skn_reached     r[2];
        lift            one = {0};

        if (!s->plan || s->plan->scripted)
            continue;
        one.begin = skn_arena_printf(a, "%s: ", s->name);
        for (size_t k = find_reached(s, r); k-- > 0;)
            one.still[k] = skn_arena_copy(a, skn_str_of(r[k].key));
        skn_vec_add(a, &l->all, one);
    }
    if (l->all.n)
        skn_workers_run_own(set->o.workers, work_lift, drop_lifting, l);
    else
        skn_arena_free(a);
}

/* What people decided about reached limits. It is read from the store, because the decision may have been made
 * elsewhere, or before this server started. */

typedef struct asked {
    skn_slot   *slot;
    skn_reached limit;
} asked;

typedef struct look {
    skn_provider_set      *set;
    asked                 *at;
    size_t                 count;
    skn_provider_set_done *done;
    void                  *arg;
} look;

static void limit_note(skn_slot *s, const skn_reached *r, skein_approval said)
{
    memcpy(s->limits[r->daily].key, r->key, SKN_LIMIT_TEXT);
    s->limits[r->daily].said = said;
}

/* If the store cannot be read, the last known decision stays. */
static void work_look(void *arg)
{
    look       *l = arg;
    skein_error err;

    for (size_t i = 0; i < l->count; i++)
        if (skein_limit_state(l->set->o.engine, skn_str_of(l->at[i].limit.key),
                              &l->at[i].limit.said, &err))
            l->at[i].slot = NULL;
}

static void looked(void *arg)
{
    look *l = arg;

    for (size_t i = 0; i < l->count; i++)
        if (l->at[i].slot)
            limit_note(l->at[i].slot, &l->at[i].limit, l->at[i].limit.said);
    l->done(l->arg, NULL);
    free(l->at);
    free(l);
}

/* A provider that stops at its limit asks nobody. */
bool skn_provider_set_look(skn_provider_set *set, skn_provider_set_done *done, void *arg)
{
    look *l;

    if (!set->o.engine)
        return false;
    l = skn_heap(sizeof *l);
    *l = (look){.set = set,
                .at = skn_heap((2 * set->slot_count + 1) * sizeof *l->at),
                .done = done,
                .arg = arg};
    for (size_t i = 0; i < set->slot_count; i++) {
        skn_slot   *s = set->slots[i];
        skn_reached first, all[2];
        skein_error err;

        if (!s->plan || s->plan->s.stops || !skn_spending_over(s, &first, &err))
            continue;
        for (size_t k = find_reached(s, all); k-- > 0;)
            l->at[l->count++] = (asked){s, all[k]};
    }
    if (l->count) {
        skn_workers_run(set->o.workers, work_look, looked, l);
        return true;
    }
    free(l->at);
    free(l);
    return false;
}

/* --- Requests ----------------------------------------------------------------------------------- */

typedef struct question {
    skn_asking      base;
    skn_slot       *slot;
    skn_host       *host;
    char           *model;
    skn_asking     *inner;
    skn_answer_sink sink;
    skn_timer      *timer; /* to end a request that is refused here */
    skein_error     refusal;
    skn_ask_state   why;
    skn_reached     limit; /* the limit that it was refused for; its key may be "" */
    bool            over;
} question;

static void free_question(question *q)
{
    if (q->host)
        skn_host_leave(q->slot->set, q->host);
    skn_timer_free(q->timer);
    free(q->model);
    free(q);
}

static void on_sent(void *arg, const skn_str *pieces, size_t count)
{
    question *q = arg;

    q->sink.sent(q->sink.arg, pieces, count);
}

static void on_received(void *arg, skn_str bytes)
{
    question *q = arg;

    q->sink.received(q->sink.arg, bytes);
}

static void on_delta(void *arg, skn_part part, skn_str text)
{
    question *q = arg;

    q->sink.delta(q->sink.arg, part, text);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    question *q = arg;

    q->sink.call(q->sink.arg, call);
}

/* A refusal because of the request's content is not a fault of the provider. */
static bool is_its_fault(skn_ask_state state)
{
    return state != SKN_ASK_OVERFLOW && state != SKN_ASK_NO_TOOLS && state != SKN_ASK_REFUSED &&
           state != SKN_ASK_OVER_BUDGET && state != SKN_ASK_IN_LINE;
}

static void note(const question *q, skn_ask_state state, const skein_error *err)
{
    if (is_its_fault(state) && q->slot->host == q->host)
        skn_slot_note(q->slot, state, err);
}

/* The pause may last minutes; meanwhile the provider's state says what is wrong. */
static void on_pause(void *arg, skn_ask_state why, const skein_error *err, int64_t ms)
{
    question *q = arg;

    note(q, why, err);
    if (q->sink.pause)
        q->sink.pause(q->sink.arg, why, err, ms);
}

static void on_done(void *arg, const skn_answer *answer)
{
    question  *q = arg;
    skn_answer priced = *answer;

    q->over = true;
    note(q, answer->state, &answer->error);
    if (answer->state == SKN_ASK_NO_TOOLS && q->slot->host == q->host)
        toolless_note(q->slot, skn_str_of(q->model), &answer->error);
    spending_note(q->slot, q->model, &priced);
    q->sink.done(q->sink.arg, &priced);
    free_question(q);
}

static void refuse(void *arg)
{
    question  *q = arg;
    skn_answer answer = {.error = q->refusal,
                         .state = q->why,
                         .tokens_in = -1,
                         .tokens_out = -1,
                         .first_ms = -1,
                         .replayed = q->slot->set->o.replay != NULL};

    if (q->limit.key[0])
        answer.limit = (skn_limit_hit){.key = skn_str_of(q->limit.key),
                                       .daily = q->limit.daily,
                                       .stops = q->slot->plan && q->slot->plan->s.stops};
    q->over = true;
    q->sink.done(q->sink.arg, &answer);
    free_question(q);
}

static bool is_let(const skn_ask *what, const skn_reached *r)
{
    size_t i = 0;

    while (i < what->let_count && !skn_str_is(what->let[i], r->key))
        i++;
    return i < what->let_count;
}

/* Over its limits, a provider may be used only if a person allows each of them. */
static skn_ask_state check_limit(skn_slot *s, const skn_ask *what, question *q)
{
    skn_reached all[2], first;
    size_t      count;

    if (!skn_spending_over(s, &first, &q->refusal))
        return SKN_ASK_ANSWERED;
    count = find_reached(s, all);
    for (size_t i = 0; i < count; i++) {
        if (s->plan->s.stops || !is_let(what, &all[i])) {
            say_reached(s, &all[i], &q->refusal);
            q->limit = all[i];
            return SKN_ASK_OVER_BUDGET;
        }
        limit_note(s, &all[i], SKEIN_APPROVED);
    }
    return SKN_ASK_ANSWERED;
}

/* Returns the reason to refuse a request, or SKN_ASK_ANSWERED if it may be sent. */
static skn_ask_state refusal_of(skn_slot *s, const skn_ask *what, question *q)
{
    skein_error             *err = &q->refusal;
    const skn_provider_plan *p = s->plan;

    if (!p) {
        skn_fail(err, SKEIN_PROVIDER, "there is no provider \"%s\" any more", s->name);
        return SKN_ASK_FAILED;
    }
    if (s->set->o.replay ? !s->host : !p->no_key.p && !s->host) {
        *err = s->broken;
        return SKN_ASK_FAILED;
    }
    if (!p->no_key.p || s->set->o.replay)
        return check_limit(s, what, q);
    skn_plan_fail(p, p->no_key, err);
    return SKN_ASK_NO_KEY;
}

static skn_asking *ask(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    skn_slot             *s = (skn_slot *)p;
    question             *q = skn_heap(sizeof *q);
    const skn_answer_sink ours = {.sent = sink->sent ? on_sent : NULL,
                                  .received = sink->received ? on_received : NULL,
                                  .delta = on_delta,
                                  .call = on_call,
                                  .pause = on_pause,
                                  .done = on_done,
                                  .arg = q};

    q->base.provider = p;
    q->slot = s;
    q->sink = *sink;
    q->why = refusal_of(s, what, q);
    if (q->why != SKN_ASK_ANSWERED) {
        q->timer = skn_timer_new(s->set->o.loop, refuse, q);
        skn_timer_start(q->timer, 0);
        return &q->base;
    }
    q->host = s->host;
    q->host->questions++;
    q->model = skn_heap_copy(what->model);
    q->inner = skn_ask_model(q->host->front, what, &ours);
    return &q->base;
}

/* A request that was refused here has no inner one and costs nothing. */
static void so_far(const skn_asking *a, skn_answer *out)
{
    const question *q = (const question *)a;

    if (!q->inner)
        return;
    skn_asking_so_far(q->inner, out);
    (void)put_cost(q->slot, q->model, out);
}

/* A cancelled request has cost tokens, too: the text so far must be paid. */
static void cancel(skn_asking *a)
{
    question  *q = (question *)a;
    skn_answer cost;

    if (q->over)
        return;
    if (q->inner) {
        skn_asking_so_far(q->inner, &cost);
        spending_note(q->slot, q->model, &cost);
    }
    skn_asking_cancel(q->inner);
    free_question(q);
}

/* Slots are freed with their set. */
static void keep(skn_provider *p)
{
    (void)p;
}

static skn_window window(skn_provider *p, skn_str model, bool ask)
{
    const skn_slot *s = (const skn_slot *)p;
    skn_window      w = {0}, host = {0};

    if (s->plan && s->plan->s.window)
        w = (skn_window){.tokens = s->plan->s.window, .from = "setting"};
    for (size_t i = 0; i < s->model_count && !w.tokens; i++)
        if (s->models[i].window && skn_str_eq(s->models[i].name, model))
            w = (skn_window){.tokens = s->models[i].window, .from = "provider"};
    if (s->host && s->plan) /* a provider without consent is not contacted */
        host = skn_provider_window(s->host->front, model,
                                   ask && !w.tokens && !s->plan->no_key.p);
    w.format = host.format;
    return w.tokens ? w : host;
}

const skn_provider_ops skn_slot_ops = {.ask = ask,
                                       .cancel = cancel,
                                       .so_far = so_far,
                                       .free = keep,
                                       .window = window,
                                       .toolless = is_toolless};
