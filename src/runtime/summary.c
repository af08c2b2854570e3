/* summary.c: contexts that have become long are summarised after a turn. What is covered is fixed before
 * the model is asked; what was said meanwhile stays in the context. A failure writes nothing and is tried
 * again after a later turn, less and less often. */
#include "runtime/wish.h"

#include "base/clock.h"

#include <stdlib.h>

enum { TEXT_BYTES = 4 << 20, REST_MS = 30 * 1000, REST_MOST = 6, WORTH_PERCENT = 10 };

/* A lane whose summary failed, and when it may be tried again. */
struct skn_rest {
    skn_rest             *next;
    skein_conversation_id chat;
    skein_agent_id        agent;
    int                   failures;
    int64_t               until; /* ms */
};

typedef struct summary {
    skein_compact_plan plan;
    skein_message      stored;
    skn_str            reason;
    int64_t            window; /* of the model, in tokens; 0: not known */
    int64_t            share;  /* percent of it */
    int64_t            fixed;  /* tokens that are sent besides the messages */
    bool               by_itself;
    bool               again; /* a turn ended meanwhile: look once more */
} summary;

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

static skn_rest **rest_of(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent)
{
    skn_rest **at = &r->rests;

    while (*at && ((*at)->chat.v != chat.v || (*at)->agent.v != agent.v))
        at = &(*at)->next;
    return at;
}

static void ended(skn_wish *w);

static void note_end(skn_wish *w)
{
    skn_rest **at = rest_of(w->r, w->chat, w->agent), *rest = *at;

    if (w->rc == SKEIN_OK || w->rc == SKEIN_NOTHING) {
        if (rest) {
            *at = rest->next;
            free(rest);
        }
        return;
    }
    if (!rest) {
        rest = *at = skn_heap(sizeof *rest);
        rest->chat = w->chat;
        rest->agent = w->agent;
    }
    rest->until = now_ms() + ((int64_t)REST_MS << rest->failures);
    if (rest->failures < REST_MOST)
        rest->failures++;
}

void skn_rests_free(skn_runtime *r)
{
    for (skn_rest *rest = r->rests, *next; rest; rest = next) {
        next = rest->next;
        free(rest);
    }
    r->rests = NULL;
}

/* All that is sent counts against the window. But a summary makes only the messages shorter: where these are little
 * of it, one after every turn would cost much and help nobody. */
static bool is_long(const skein_context *c, int64_t window, int64_t share)
{
    return (c->limit >= 2 && c->stored >= c->limit) ||
           (window > 0 && c->tokens * 100 >= window * share &&
            (c->tokens - c->fixed) * 100 >= window * WORTH_PERCENT);
}

/* --- The wish ------------------------------------------------------------------------------------------ */

/* What was long when the turn ended may have been summarised since. */
static skein_rc check_long(skn_wish *w, const summary *s, const skein_slice *what,
                           skein_error *err)
{
    skein_context c;
    skein_rc      rc;

    if (!s->by_itself)
        return SKEIN_OK;
    rc = skein_context_read(w->r->o.engine, what, w->a, &c, err);
    skn_context_add(&c, s->fixed);
    return rc || is_long(&c, s->window, s->share) ? rc : SKEIN_NOTHING;
}

static skein_rc read_plan(skn_wish *w, skein_error *err)
{
    summary    *s = w->own;
    skein_slice what = {.conversation = w->chat, .agent = w->agent, .lane = w->lane};
    skein_rc    rc = check_long(w, s, &what, err);
    skn_buf     b;

    if (rc || (rc = skein_compact_plan_read(w->r->o.engine, &what, w->a, &s->plan, err)))
        return rc;
    skn_buf_init(&b, TEXT_BYTES);
    skn_buf_add(&b, SKN_STR("Summarise this conversation.\n\n"));
    skn_wish_transcript(&s->plan.context, &b);
    w->text = skn_arena_copy(w->a, skn_buf_str(&b));
    if (b.over)
        rc = skn_fail(err, SKEIN_LIMIT, "what is to be summarised is over %d MB",
                      TEXT_BYTES >> 20);
    skn_buf_release(&b);
    w->system = SKN_STR(
        "You write summaries that take the place of the beginning of a conversation in your "
        "own "
        "memory. Keep what will matter later: what was asked and decided, names, numbers, "
        "dates, "
        "open questions, results of tools, and what an earlier summary says. Write plain text, "
        "without a preamble. \"you\" is who will read the summary.");
    return rc;
}

static skein_rc store_summary(skn_wish *w, skein_error *err)
{
    summary               *s = w->own;
    const skein_compaction what = {.lane = s->plan.lane,
                                   .covers = s->plan.covers,
                                   .seen = s->plan.seen,
                                   .content = w->wrote,
                                   .reason = s->reason,
                                   .model = w->out.model,
                                   .call = skn_wish_call(w)};
    skein_rc               rc = skein_compact(w->r->o.engine, w->chat, &what, w->a, &s->stored,
                                              &w->out.covers, err);

    if (rc)
        return rc;
    w->out.message = &s->stored;
    w->out.text = s->stored.content;
    return SKEIN_OK;
}

static const skn_wish_kind summary_kind = {"summary", "a summary was not made", read_plan,
                                           store_summary, .whole = true};

static skn_wish *under_way(const skn_runtime *r, skein_conversation_id chat,
                           skein_agent_id agent)
{
    skn_wish *w = r->wishes;

    while (w && (w->kind != &summary_kind || w->chat.v != chat.v || w->agent.v != agent.v ||
                 w->cancelled))
        w = w->next;
    return w;
}

static skn_wish *new_wish(skn_runtime *r, const skn_compact_wish *wish)
{
    skn_wish *w = skn_wish_new(r, &summary_kind);
    summary  *s = SKN_NEW(w->a, summary);

    s->reason = wish->reason.n ? skn_arena_copy(w->a, wish->reason) : SKN_STR("manual");
    w->own = s;
    w->world = wish->world;
    w->chat = wish->chat;
    w->agent = wish->agent;
    w->lane = skn_arena_copy(w->a, wish->lane);
    w->model = skn_arena_copy(w->a, wish->model);
    w->over = ended;
    return w;
}

/* One that a turn asks for: of an agent's memory, and only while that is long. */
static void start_by_itself(skn_runtime *r, const skn_compact_wish *wish, int64_t share,
                            int64_t fixed)
{
    skn_wish     *w = new_wish(r, wish);
    summary      *s = w->own;
    skn_str       model;
    skn_provider *p = skn_runtime_provider(r, skn_runtime_model(r, wish->model), &model);

    s->by_itself = true;
    s->share = share;
    s->fixed = fixed;
    s->window = p ? skn_provider_window(p, model) : 0;
    skn_wish_start(w, NULL, NULL);
}

static void ended(skn_wish *w)
{
    const summary         *s = w->own;
    const skn_compact_wish wish = {.world = w->world,
                                   .chat = w->chat,
                                   .agent = w->agent,
                                   .model = w->model,
                                   .reason = SKN_STR("limit")};

    note_end(w);
    if (s->again && !w->r->closing && (w->rc == SKEIN_OK || w->rc == SKEIN_NOTHING))
        start_by_itself(w->r, &wish, s->share, s->fixed);
}

skn_wish *skn_runtime_compact(skn_runtime *r, const skn_compact_wish *wish, skn_wish_done *done,
                              void *arg)
{
    skn_wish *w = new_wish(r, wish);

    skn_wish_start(w, done, arg);
    return w;
}

/* --- By itself ------------------------------------------------------------------------------------------- */

/* As far as the run knows. */
static bool seems_long(const skn_run *run)
{
    skein_context c = run->context;
    skn_str       model;
    skn_provider *p = skn_runtime_provider(run->r, run->model, &model);

    c.stored += run->since_load;
    return is_long(&c, p ? skn_provider_window(p, model) : 0, run->rights.limit_share);
}

void skn_summary_consider(skn_run *run)
{
    const skn_compact_wish wish = {.world = run->turn.world,
                                   .chat = run->chat,
                                   .agent = run->agent,
                                   .model = run->model,
                                   .reason = SKN_STR("limit")};
    const skn_rest        *rest = *rest_of(run->r, run->chat, run->agent);
    skn_wish              *w = under_way(run->r, run->chat, run->agent);

    if (run->lane.v || run->r->closing || (rest && now_ms() < rest->until))
        return;
    if (w) {
        summary *s = w->own;

        s->again = true;
        s->share = run->rights.limit_share;
        s->fixed = run->context.fixed;
    } else if (seems_long(run)) {
        start_by_itself(run->r, &wish, run->rights.limit_share, run->context.fixed);
    }
}
