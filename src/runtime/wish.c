/* wish.c: the way of everything that a model writes outside of turns. */
#include "runtime/wish.h"
#include "base/clock.h"
#include "runtime/run.h"

#include <stdlib.h>

static void wish_free(skn_wish *w)
{
    skn_runtime *r = w->r;

    skn_errand_free(w->errand);
    *w->link = w->next;
    if (w->next)
        w->next->link = w->link;
    skn_arena_free(w->a);
    free(w);
    skn_runtime_settle(r);
}

static void finish(skn_wish *w)
{
    const skn_log_field why = {"why", skn_str_of(w->err.message), 0};

    w->err.rc = w->rc;
    if (w->rc && w->rc != SKEIN_NOTHING && !w->cancelled)
        skn_log_write(w->r->o.log, SKN_LOG_WARN, w->kind->what, &why, 1);
    if (w->over)
        w->over(w);
    if (w->done && !w->cancelled)
        w->done(w->arg, &w->out, &w->err);
    wish_free(w);
}

/* --- Storing ---------------------------------------------------------------------------------------- */

/* What was asked is kept with what came of it, or by itself when nothing did. */
static void work_store(void *arg)
{
    skn_wish *w = arg;

    w->call.world = w->world;
    w->call.chat = w->chat;
    w->call.agent = w->agent;
    if (!w->rc)
        w->rc = w->kind->store(w, &w->err);
    if (w->rc)
        w->call.uid = SKN_NONE; /* of a transaction that came to nothing */
    if (w->call.piece_count && !w->call.uid.p)
        skein_model_call_keep(w->r->o.engine, &w->call, w->a, &w->call.uid, NULL);
    w->out.call = w->call.uid;
}

skein_model_call *skn_wish_call(skn_wish *w)
{
    return w->call.piece_count ? &w->call : NULL;
}

static void stored(void *arg)
{
    skn_wish *w = arg;

    w->job = false;
    w->r->jobs--;
    finish(w);
}

/* --- Asking ----------------------------------------------------------------------------------------- */

static void start_errand(skn_wish *w);

static void job(skn_wish *w, void (*work)(void *), void (*then)(void *))
{
    w->job = true;
    w->r->jobs++;
    skn_workers_run(w->r->o.workers, work, then, w);
}

/* A limit that a person lets be exceeded is none; else it is asked, and nobody waits for the answer. */
static void work_limit(void *arg)
{
    skn_wish      *w = arg;
    skein_limit    what = {.world = w->world, .key = w->limit};
    skein_approval state;

    skn_limit_words(w->out.model, &w->err, w->a, &what);
    w->over_limit = !skein_limit_ask(w->r->o.engine, &what, NULL, w->a, &state, NULL) &&
                    state == SKEIN_APPROVED;
}

static void limit_seen(void *arg)
{
    skn_wish *w = arg;

    w->job = false;
    w->r->jobs--;
    if (w->over_limit && !w->cancelled && !w->r->closing) {
        w->rc = SKEIN_OK;
        w->err = (skein_error){0};
        start_errand(w);
    } else {
        finish(w);
    }
}

static void answered(void *arg, const skn_errand_answer *answer)
{
    skn_wish *w = arg;

    w->limit = skn_arena_copy(w->a, answer->limit);
    w->wrote = answer->text;
    w->call = answer->call;
    w->err = answer->error;
    w->rc = answer->error.rc;
    if (w->limit.n)
        job(w, work_limit, limit_seen);
    else
        job(w, work_store, stored);
}

static void start_errand(skn_wish *w)
{
    const skn_errand_wish wish = {w->model,   w->system,     w->text,       w->kind->purpose,
                                  w->read_at, w->over_limit, w->kind->whole};

    skn_errand_free(w->errand);
    w->errand = skn_errand_start(w->r, &wish, answered, w);
}

static void was_read(void *arg)
{
    skn_wish *w = arg;

    w->job = false;
    w->r->jobs--;
    if (w->rc || w->cancelled || w->r->closing) {
        finish(w);
        return;
    }
    w->out.model = skn_arena_copy(w->a, skn_runtime_model(w->r, w->model));
    start_errand(w);
}

/* Whose it is: the agent's whose memory or conversation it is; in a room that of the one who leads. */
static bool is_whose(const skn_wish *w, const skein_conversation *chat, const skein_agent *one)
{
    int64_t agent = w->agent.v ? w->agent.v : chat->agent.v;

    return agent ? one->id.v == agent : !one->lead_name.n;
}

/* Where nobody has named a model it is that agent's. */
static skein_rc pick_model(skn_wish *w)
{
    skein_conversation chat;
    skein_agents       all;
    skein_rc           rc;

    if (w->model.n || !w->chat.v)
        return SKEIN_OK;
    if ((rc = skein_conversation_get(w->r->o.engine, w->chat, w->a, &chat, &w->err)) ||
        (rc = skein_agent_list(w->r->o.engine, chat.world, w->a, &all, &w->err)))
        return rc;
    for (size_t i = 0; i < all.count; i++)
        if (is_whose(w, &chat, &all.at[i])) {
            w->model = all.at[i].model;
            break;
        }
    return SKEIN_OK;
}

/* What the world may spend is asked last: where there is nothing to do, that is all there is to say. */
static skein_rc check_budget(skn_wish *w)
{
    skein_engine *e = w->r->o.engine;
    skein_world   world;
    skein_rc      rc = skn_world_read(e, w->world, w->a, &world, &w->err);

    return rc ? rc : skn_budget_check(e, &world, &w->err);
}

static void work_read(void *arg)
{
    skn_wish *w = arg;

    w->read_at = skn_clock_micros();
    w->rc = pick_model(w);
    if (!w->rc)
        w->rc = w->kind->read(w, &w->err);
    if (!w->rc)
        w->rc = check_budget(w);
}

/* --- From outside ------------------------------------------------------------------------------------ */

skn_wish *skn_wish_new(skn_runtime *r, const skn_wish_kind *kind)
{
    skn_wish *w = skn_heap(sizeof *w);

    w->r = r;
    w->kind = kind;
    w->a = skn_arena_new();
    w->link = &r->wishes;
    w->next = r->wishes;
    if (w->next)
        w->next->link = &w->next;
    r->wishes = w;
    return w;
}

void skn_wish_start(skn_wish *w, skn_wish_done *done, void *arg)
{
    w->done = done;
    w->arg = arg;
    job(w, work_read, was_read);
}

void skn_wish_cancel(skn_wish *w)
{
    if (!w)
        return;
    w->cancelled = true;
    if (!w->job)
        wish_free(w);
}

void skn_wishes_cancel(skn_runtime *r)
{
    for (skn_wish *w = r->wishes, *next; w; w = next) {
        next = w->next;
        if (w->done && !w->cancelled) { /* whoever waits is told */
            w->rc = skn_fail(&w->err, SKEIN_UNREACHABLE, "the server is shutting down");
            w->done(w->arg, &w->out, &w->err);
        }
        skn_wish_cancel(w);
    }
}

/* --- What it is about --------------------------------------------------------------------------------- */

static void add_calls(const skein_prompt_message *m, skn_buf *out)
{
    for (size_t i = 0; i < m->call_count; i++)
        skn_buf_addf(out, "[calls %.*s %.*s]\n", SKN_FMT(m->calls[i].tool_name),
                     SKN_FMT(m->calls[i].args));
}

void skn_wish_transcript(const skein_context *context, skn_buf *out)
{
    for (size_t i = 0; i < context->count; i++) {
        const skein_prompt_message *m = &context->at[i];

        if (m->synthetic)
            continue;
        if (m->role == SKEIN_TOOL)
            skn_buf_addf(out, "[result of %.*s%s] %.*s\n", SKN_FMT(m->tool_name),
                         m->failed ? ", failed" : "", SKN_FMT(m->text));
        else
            skn_buf_addf(out, "%s: %.*s\n", m->role == SKEIN_ASSISTANT ? "you" : "them",
                         SKN_FMT(m->text));
        add_calls(m, out);
    }
}

/* What a world may spend in a month, counted in tokens: those that providers report, and
 * estimates where they report none. */

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
