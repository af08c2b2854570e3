/* Asking through a slot: it counts the questions of its host, and remembers how they ended. */
#include "cli/provider_slots.h"

#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct question {
    skn_asking      base;
    skn_slot       *slot;
    skn_host       *host;
    char           *model;
    skn_asking     *inner;
    skn_answer_sink sink;
    skn_timer      *timer; /* of one that is refused here */
    skein_error     refusal;
    skn_ask_state   why;
    char limit[SKN_LIMIT_TEXT]; /* that it is refused for, where a person may let it pass */
    bool over;
} question;

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
    if (set->retired) /* not here: it may still be on the stack */
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

void skn_slot_keep_models(skn_slot *s, const skn_model *models, size_t count, skn_str version)
{
    skn_arena *a = skn_arena_new();

    s->models = SKN_ARRAY(a, count + 1, skn_model);
    for (size_t i = 0; i < count; i++)
        s->models[i] = (skn_model){skn_arena_copy(a, models[i].name), models[i].window};
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

/* --- Questions ---------------------------------------------------------------------------------- */

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

/* An answer that the provider refused for what it says is no fault of the provider. */
static bool is_its_fault(skn_ask_state state)
{
    return state != SKN_ASK_OVERFLOW && state != SKN_ASK_NO_TOOLS && state != SKN_ASK_REFUSED &&
           state != SKN_ASK_OVER_BUDGET;
}

static void note(const question *q, skn_ask_state state, const skein_error *err)
{
    if (is_its_fault(state) && q->slot->host == q->host)
        skn_slot_note(q->slot, state, err);
}

/* The pause may last minutes: meanwhile the provider says what is wrong with it. */
static void on_pause(void *arg, skn_ask_state why, const skein_error *err, int64_t ms)
{
    question *q = arg;

    note(q, why, err);
    if (q->sink.pause)
        q->sink.pause(q->sink.arg, why, err, ms);
}

static void on_done(void *arg, const skn_answer *answer)
{
    question *q = arg;

    q->over = true;
    note(q, answer->state, &answer->error);
    skn_spending_note(q->slot, q->model, answer);
    q->sink.done(q->sink.arg, answer);
    free_question(q);
}

static void refuse(void *arg)
{
    question  *q = arg;
    skn_answer answer = {.error = q->refusal,
                         .state = q->why,
                         .tokens_in = -1,
                         .tokens_out = -1,
                         .first_ms = -1};

    if (q->limit[0])
        answer.limit = skn_str_of(q->limit);
    q->over = true;
    q->sink.done(q->sink.arg, &answer);
    free_question(q);
}

/* What is over its limit is asked when a person lets it, and else refused. */
static skn_ask_state check_limit(skn_slot *s, bool let, question *q)
{
    char limit[SKN_LIMIT_TEXT];

    if (!skn_spending_over(s, &q->refusal))
        return SKN_ASK_ANSWERED;
    skn_spending_limit(s, limit);
    if (s->plan->s.stops)
        return SKN_ASK_OVER_BUDGET;
    if (!let) {
        memcpy(q->limit, limit, sizeof limit);
        return SKN_ASK_OVER_BUDGET;
    }
    skn_limit_note(s, limit, SKEIN_APPROVED);
    return SKN_ASK_ANSWERED;
}

/* Why a question is not handed on; SKN_ASK_ANSWERED when it is. */
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
        return check_limit(s, what->over_limit, q);
    skn_fail(err, SKEIN_PROVIDER, "%.*s", SKN_FMT(p->no_key));
    skn_hint(err, SKEIN_PROVIDER, "%.*s", SKN_FMT(p->hint));
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
    (void)skn_provider_window(q->host->front, what->model); /* known once the answer is there */
    return &q->base;
}

/* One that is refused here has no inner one, and has cost nothing. */
static void so_far(const skn_asking *a, skn_answer *out)
{
    const question *q = (const question *)a;

    if (q->inner)
        skn_asking_so_far(q->inner, out);
}

/* What was written until then is to be paid all the same. */
static void cancel(skn_asking *a)
{
    question  *q = (question *)a;
    skn_answer cost;

    if (q->over)
        return;
    if (q->inner) {
        skn_asking_so_far(q->inner, &cost);
        skn_spending_note(q->slot, q->model, &cost);
    }
    skn_asking_cancel(q->inner);
    free_question(q);
}

/* Slots go with their set. */
static void keep(skn_provider *p)
{
    (void)p;
}

static int64_t window(skn_provider *p, skn_str model)
{
    const skn_slot *s = (const skn_slot *)p;

    for (size_t i = 0; i < s->model_count; i++)
        if (s->models[i].window && skn_str_eq(s->models[i].name, model))
            return s->models[i].window;
    return s->host ? skn_provider_window(s->host->front, model) : 0;
}

const skn_provider_ops skn_slot_ops = {
    .ask = ask, .cancel = cancel, .so_far = so_far, .free = keep, .window = window};
