/* summary.c: contexts that have become long are summarised after a turn. What is covered is fixed before
 * the model is asked; what was said meanwhile stays in the context. A failure writes nothing and is tried
 * again after a later turn, less and less often. */
#include "runtime/wish.h"

#include "base/clock.h"

#include <stdlib.h>

enum { TEXT_BYTES = 4 << 20, REST_MS = 30 * 1000, REST_MOST = 6 };

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

/* --- The wish ------------------------------------------------------------------------------------------ */

static skein_rc read_plan(skn_wish *w, skein_error *err)
{
    summary    *s = w->own;
    skein_slice what = {.conversation = w->chat, .agent = w->agent, .lane = w->lane};
    skein_rc    rc = skein_compact_plan_read(w->r->o.engine, &what, w->a, &s->plan, err);
    skn_buf     b;

    if (rc)
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
                                   .model = w->out.model};
    skein_rc               rc = skein_compact(w->r->o.engine, w->chat, &what, w->a, &s->stored,
                                              &w->out.covers, err);

    if (rc)
        return rc;
    w->out.message = &s->stored;
    w->out.text = s->stored.content;
    w->call.message_uid = s->stored.uid;
    return SKEIN_OK;
}

static const skn_wish_kind summary_kind = {"summary", "a summary was not made", read_plan,
                                           store_summary};

static bool is_under_way(const skn_runtime *r, const skn_run *run)
{
    for (const skn_wish *w = r->wishes; w; w = w->next)
        if (w->kind == &summary_kind && w->chat.v == run->chat.v &&
            w->agent.v == run->agent.v && !w->cancelled)
            return true;
    return false;
}

skn_wish *skn_runtime_compact(skn_runtime *r, const skn_compact_wish *wish, skn_wish_done *done,
                              void *arg)
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
    w->over = note_end;
    skn_wish_start(w, done, arg);
    return w;
}

/* --- By itself ------------------------------------------------------------------------------------------- */

static bool is_long(const skn_run *run)
{
    const skein_context *c = &run->context;
    skn_str              model;
    skn_provider        *p = skn_runtime_provider(run->r, run->model, &model);
    int64_t              window = p ? skn_provider_window(p, model) : 0;

    if (c->limit >= 2 && c->stored + run->since_load >= c->limit)
        return true;
    return window > 0 && c->tokens * 100 >= window * run->limit_share;
}

void skn_summary_consider(skn_run *run)
{
    const skn_compact_wish wish = {
        .world = run->turn.world, .chat = run->chat, .agent = run->agent, .model = run->model};
    const skn_rest *rest = *rest_of(run->r, run->chat, run->agent);

    if (run->lane.v || run->r->closing || !is_long(run) || is_under_way(run->r, run) ||
        (rest && now_ms() < rest->until))
        return;
    skn_runtime_compact(run->r, &wish, NULL, NULL);
}
