/* What models used in this month, and what that costs where their prices are known. The store has the figures of all
 * who share it; what was answered here counts at once, before its call is stored. */
#include "cli/provider_slots.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STALE_MS = 2000, /* others may have spent something since */
    MOST_MODELS = 4096,
    MOST_UNPRICED = 20
};

#define MILLION     INT64_C(1000000)
#define MOST_TOKENS (MILLION * MILLION)

typedef struct use {
    char   *model; /* "provider/model" */
    int64_t in, out;
} use;

struct skn_spending {
    skn_provider_set *set;
    int64_t           month; /* its first moment */
    use              *uses;
    size_t            count;
    int64_t           read_at; /* monotonic, ms */
    bool              reading;
    skn_arena        *a; /* of a reading */
    int64_t           since;
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

/* A new month begins with nothing. */
static void turn_page(skn_spending *p)
{
    int64_t month = skn_clock_month(skn_clock_micros());

    if (month != p->month)
        forget(p);
    p->month = month;
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

/* The larger one counts: the store may not have what was just answered here. */
void skn_spending_take(skn_spending *p, int64_t month, const skein_model_uses *found)
{
    turn_page(p);
    for (size_t i = 0; month == p->month && i < found->count; i++) {
        const skein_model_use *f = &found->at[i];
        use                   *u = use_of(p, f->model);

        if (u && f->tokens_in > u->in)
            u->in = f->tokens_in;
        if (u && f->tokens_out > u->out)
            u->out = f->tokens_out;
    }
    p->read_at = skn_clock_monotonic() / MILLION;
}

void skn_spending_note(const skn_slot *s, const char *model, const skn_answer *answer)
{
    skn_spending *p = s->set->spending;
    skn_arena    *a;
    use          *u;

    if (!s->plan || s->plan->scripted || s->set->o.replay)
        return;
    turn_page(p);
    a = skn_arena_new();
    u = use_of(p, skn_arena_printf(a, "%s/%s", s->name, model));
    skn_arena_free(a);
    if (u && answer->tokens_in > 0 && u->in < MOST_TOKENS)
        u->in += answer->tokens_in;
    if (u && answer->tokens_out > 0 && u->out < MOST_TOKENS)
        u->out += answer->tokens_out;
}

/* --- The store ---------------------------------------------------------------------------------- */

static void work_read(void *arg)
{
    skn_spending *p = arg;
    skein_error   err;

    p->rc = skein_models_used(p->set->o.engine, p->since, p->a, &p->found, &err);
}

static void was_read(void *arg)
{
    skn_spending *p = arg;

    p->reading = false;
    if (!p->rc)
        skn_spending_take(p, p->since, &p->found);
    skn_arena_free(p->a);
    p->a = NULL;
}

static void read_again(skn_spending *p)
{
    if (p->reading || !p->set->o.engine ||
        skn_clock_monotonic() / MILLION - p->read_at < STALE_MS)
        return;
    p->reading = true;
    p->since = p->month;
    p->a = skn_arena_new();
    skn_workers_run(p->set->o.workers, work_read, was_read, p);
}

/* --- Money -------------------------------------------------------------------------------------- */

static int64_t cost_of(int64_t tokens, int64_t price)
{
    tokens = tokens > MOST_TOKENS ? MOST_TOKENS : tokens;
    return tokens / MILLION * price + tokens % MILLION * price / MILLION;
}

static const skn_model_price *price_of(const skn_slot *s, skn_str model)
{
    for (size_t i = 0; i < s->plan->s.price_count; i++)
        if (skn_str_eq(s->plan->s.prices[i].model, model))
            return &s->plan->s.prices[i];
    return NULL;
}

/* The name of the model, if it is one of this provider. */
static bool is_ours(const skn_slot *s, const use *u, skn_str *model)
{
    size_t n = strlen(s->name);

    if (strncmp(u->model, s->name, n) != 0 || u->model[n] != '/')
        return false;
    *model = skn_str_of(u->model + n + 1);
    return u->in || u->out;
}

int64_t skn_spending_used(const skn_slot *s)
{
    const skn_spending *p = s->set->spending;
    int64_t             sum = 0;
    skn_str             model;

    for (size_t i = 0; i < p->count; i++) {
        const skn_model_price *price;

        if (!is_ours(s, &p->uses[i], &model) || !(price = price_of(s, model)))
            continue;
        sum += cost_of(p->uses[i].in, price->input) + cost_of(p->uses[i].out, price->output);
    }
    return sum;
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
    if (!s->plan->s.monthly_micros)
        return 0;
    for (size_t i = 0; i < s->plan->s.model_count; i++)
        add_unpriced(s, s->plan->s.models[i], a, list, &count);
    for (size_t i = 0; i < p->count; i++)
        if (is_ours(s, &p->uses[i], &model))
            add_unpriced(s, model, a, list, &count);
    return count;
}

void skn_spending_limit(const skn_slot *s, char out[SKN_LIMIT_TEXT])
{
    int64_t most = s->plan->s.monthly_micros;
    char    month[SKN_MONTH_TEXT];

    turn_page(s->set->spending);
    skn_month_format(s->set->spending->month, month);
    snprintf(out, SKN_LIMIT_TEXT, "%s: %lld.%06lld %s of %s", s->name,
             (long long)(most / MILLION), (long long)(most % MILLION), s->plan->s.currency,
             month);
}

bool skn_spending_over(const skn_slot *s, skein_error *err)
{
    int64_t most = s->plan->s.monthly_micros, used;
    char    month[SKN_MONTH_TEXT];

    if (!most || s->set->o.replay)
        return false;
    turn_page(s->set->spending);
    read_again(s->set->spending);
    used = skn_spending_used(s);
    if (used < most)
        return false;
    skn_month_format(s->set->spending->month, month);
    skn_fail(err, SKEIN_PROVIDER,
             "the provider \"%s\" has used %lld.%02lld of the %lld.%02lld %s of %s", s->name,
             (long long)(used / MILLION), (long long)(used % MILLION / 10000),
             (long long)(most / MILLION), (long long)(most % MILLION / 10000),
             s->plan->s.currency, month);
    skn_hint(
        err, SKEIN_PROVIDER,
        s->plan->s.stops
            ? "Raise its budget.monthly in %.*s and try again, or wait for the next month"
            : "The inbox asks whether to go on, at the latest with the next message. Or raise "
              "its budget.monthly in %.*s, or wait for the next month",
        SKN_FMT(s->plan->s.origin));
    return true;
}
