/* summary.c: summarises long contexts after a turn. The covered messages are fixed before the model is asked; later
 * messages stay in the context. A failure stores nothing and is retried after later turns, at growing intervals. */
#include "runtime/model_request.h"

#include "base/clock.h"

#include <stdlib.h>

enum { TEXT_BYTES = 64 << 20, REST_MS = 30 * 1000, REST_MOST = 6, WORTH_PERCENT = 10 };

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
    int64_t            share; /* percent of the window */
    skn_sizes          sizes; /* of everything besides the messages */
    bool               by_itself, in_turn;
    bool               again; /* a turn ended meanwhile: check once more */
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

static void ended(skn_model_request *q);

static void note_end(skn_model_request *q)
{
    skn_rest **at = rest_of(q->r, q->chat, q->agent), *rest = *at;

    if (q->rc == SKEIN_OK || q->rc == SKEIN_NOTHING) {
        if (rest) {
            *at = rest->next;
            free(rest);
        }
        return;
    }
    if (!rest) {
        rest = *at = skn_heap(sizeof *rest);
        rest->chat = q->chat;
        rest->agent = q->agent;
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

/* Everything that is sent counts against the window. But a summary only shortens the messages: if they are a small
 * part, a summary after every turn would cost much and help little. */
static bool is_long(const skein_context *c, int64_t share)
{
    int64_t window = c->window;

    return (c->limit >= 2 && c->stored >= c->limit) ||
           (window > 0 && c->tokens * 100 >= window * share &&
            (c->tokens - c->fixed) * 100 >= window * WORTH_PERCENT);
}

/* --- The request ------------------------------------------------------------------------------------------ */

/* Checks again: another summary may have been made since the turn ended. */
static skein_rc check_long(skn_model_request *q, const summary *s, const skein_slice *what,
                           skein_error *err)
{
    skn_sizes     sizes = s->sizes;
    skein_context c;
    skein_rc      rc;

    if (!s->by_itself)
        return SKEIN_OK;
    rc = skein_context_read(q->r->o.engine, what, q->a, &c, err);
    if (rc)
        return rc;
    skn_sizes_messages(&sizes, &c, q->model);
    skn_context_account(&c, &sizes);
    return is_long(&c, s->share) ? SKEIN_OK : SKEIN_NOTHING;
}

static skein_rc read_plan(skn_model_request *q, skein_error *err)
{
    summary    *s = q->own;
    skein_slice what = {
        .conversation = q->chat, .agent = q->agent, .lane = q->lane, .in_turn = s->in_turn};
    skein_rc rc = check_long(q, s, &what, err);
    skn_buf  b;

    if (rc || (rc = skein_compact_plan_read(q->r->o.engine, &what, q->a, &s->plan, err)))
        return rc;
    skn_buf_init(&b, TEXT_BYTES);
    skn_buf_add(&b, SKN_STR("Summarise this conversation.\n\n"));
    q->head = b.n;
    skn_model_transcript(&s->plan.context, &b);
    q->text = skn_arena_copy(q->a, skn_buf_str(&b));
    if (b.over)
        rc = skn_fail(err, SKEIN_LIMIT, "what is to be summarised is over %d MB",
                      TEXT_BYTES >> 20);
    skn_buf_release(&b);
    q->system = SKN_STR(
        "You write summaries that take the place of the beginning of a conversation in your "
        "own "
        "memory. Keep what will matter later: what was asked and decided, names, numbers, "
        "dates, "
        "open questions, results of tools, and what an earlier summary says. Write plain text, "
        "without a preamble. \"you\" is who will read the summary.");
    return rc;
}

static skein_rc store_summary(skn_model_request *q, skein_error *err)
{
    summary               *s = q->own;
    const skein_compaction what = {.lane = s->plan.lane,
                                   .covers = s->plan.covers,
                                   .seen = s->plan.seen,
                                   .content = q->wrote,
                                   .reason = s->reason,
                                   .model = q->out.model,
                                   .call = skn_model_request_call(q)};
    skein_rc               rc = skein_compact(q->r->o.engine, q->chat, &what, q->a, &s->stored,
                                              &q->out.covers, err);

    if (rc)
        return rc;
    q->out.message = &s->stored;
    q->out.text = s->stored.content;
    return SKEIN_OK;
}

static const skn_model_request_kind summary_kind = {"summary", "a summary was not made",
                                                    read_plan, store_summary, .whole = true};

static skn_model_request *under_way(const skn_runtime *r, skein_conversation_id chat,
                                    skein_agent_id agent, skn_str lane)
{
    skn_model_request *q = r->requests;

    while (q && (q->kind != &summary_kind || q->chat.v != chat.v || q->agent.v != agent.v ||
                 !skn_str_eq(q->lane, lane) || q->cancelled))
        q = q->next;
    return q;
}

static skn_model_request *new_request(skn_runtime *r, const skn_compact_spec *spec)
{
    skn_model_request *q = skn_model_request_new(r, &summary_kind);
    summary           *s = SKN_NEW(q->a, summary);

    s->reason = spec->reason.n ? skn_arena_copy(q->a, spec->reason) : SKN_STR("manual");
    s->in_turn = spec->in_turn;
    q->own = s;
    q->world = spec->world;
    q->chat = spec->chat;
    q->agent = spec->agent;
    q->lane = skn_arena_copy(q->a, spec->lane);
    q->model = skn_arena_copy(q->a, spec->model);
    q->over = ended;
    return q;
}

/* Starts a summary after a turn: of an agent's memory, and only while that is long. */
static void start_by_itself(skn_runtime *r, const skn_compact_spec *spec, int64_t share,
                            const skn_sizes *sizes)
{
    skn_model_request *q = new_request(r, spec);
    summary           *s = q->own;

    s->by_itself = true;
    s->share = share;
    s->sizes = *sizes;
    skn_model_request_start(q, NULL, NULL);
}

static void ended(skn_model_request *q)
{
    const summary         *s = q->own;
    const skn_compact_spec spec = {.world = q->world,
                                   .chat = q->chat,
                                   .agent = q->agent,
                                   .model = q->model,
                                   .reason = SKN_STR("limit")};

    note_end(q);
    if (s->again && !q->r->closing && (q->rc == SKEIN_OK || q->rc == SKEIN_NOTHING))
        start_by_itself(q->r, &spec, s->share, &s->sizes);
}

bool skn_summary_under_way(const skn_runtime *r, const skn_compact_spec *spec)
{
    return under_way(r, spec->chat, spec->agent, spec->lane) != NULL;
}

skn_model_request *skn_runtime_compact(skn_runtime *r, const skn_compact_spec *spec,
                                       skn_model_request_done *done, void *arg)
{
    skn_model_request *q = new_request(r, spec);

    skn_model_request_start(q, done, arg);
    return q;
}

/* --- Automatic summaries --------------------------------------------------------------------------------- */

/* As far as the run knows. */
static bool seems_long(const skn_run *run)
{
    skein_context c = run->context;

    c.stored += run->since_load;
    return is_long(&c, run->rights.limit_share);
}

void skn_summary_consider(skn_run *run)
{
    const skn_compact_spec spec = {.world = run->turn.world,
                                   .chat = run->chat,
                                   .agent = run->agent,
                                   .model = run->model,
                                   .reason = SKN_STR("limit")};
    const skn_rest        *rest = *rest_of(run->r, run->chat, run->agent);
    skn_model_request     *q = under_way(run->r, run->chat, run->agent, SKN_NONE);

    if (run->lane.v || run->r->closing || (rest && now_ms() < rest->until))
        return;
    if (q) {
        summary *s = q->own;

        s->again = true;
        s->share = run->rights.limit_share;
        s->sizes = run->sizes;
    } else if (seems_long(run)) {
        start_by_itself(run->r, &spec, run->rights.limit_share, &run->sizes);
    }
}
