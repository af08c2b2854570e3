/* model_request.c: requests to models outside of turns, from start to end. */
#include "runtime/model_request.h"

#include "base/clock.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_WRITTEN = 256 << 10 }; /* bytes of an answer with its thinking */

static void request_free(skn_model_request *q)
{
    skn_runtime *r = q->r;

    if (q->cancelled && !q->out.message)
        skn_fail(&q->err, SKEIN_CONFLICT, "it was cancelled; nothing was changed");
    if (q->watch.over)
        q->watch.over(q->watch.arg, &q->err);
    skn_asking_cancel(q->asking);
    skn_timer_free(q->soon);
    skn_asked_release(&q->asked);
    skn_buf_release(&q->answer);
    skn_buf_release(&q->thinking);
    skn_buf_release(&q->notes);
    *q->link = q->next;
    if (q->next)
        q->next->link = q->link;
    skn_arena_free(q->a);
    free(q);
    skn_runtime_settle(r);
}

static void finish(skn_model_request *q)
{
    const skn_log_field why = {"why", skn_str_of(q->err.message), 0};

    q->err.rc = q->rc;
    if (q->rc && q->rc != SKEIN_NOTHING && !q->cancelled)
        skn_log_write(q->r->o.log, SKN_LOG_WARN, q->kind->what, &why, 1);
    if (q->over)
        q->over(q);
    if (q->done && !q->cancelled)
        q->done(q->arg, &q->out, &q->err);
    request_free(q);
}

static void job_back(void *arg)
{
    skn_model_request *q = arg;

    q->job = false;
    q->r->jobs--;
    q->then(q);
}

static void job(skn_model_request *q, skn_call *work, skn_call *then)
{
    q->job = true;
    q->then = then;
    q->r->jobs++;
    skn_workers_run(q->r->o.workers, work, job_back, q);
}

/* --- Storing ---------------------------------------------------------------------------------------- */

/* Stores the request with its result, or alone without one. */
static void work_store(void *arg)
{
    skn_model_request *q = arg;

    q->call.world = q->world;
    q->call.chat = q->chat;
    q->call.agent = q->agent;
    if (!q->rc)
        q->rc = q->kind->store(q, &q->err);
    if (q->rc)
        q->call.uid = SKN_NONE; /* its transaction was rolled back */
    if (q->call.piece_count && !q->call.uid.p)
        skein_model_call_keep(q->r->o.engine, &q->call, q->a, &q->call.uid, NULL);
    q->out.call = q->call.uid;
}

skein_model_call *skn_model_request_call(skn_model_request *q)
{
    return q->call.piece_count ? &q->call : NULL;
}

static void stored(void *arg)
{
    finish(arg);
}

/* --- The limit of a provider -------------------------------------------------------------------------- */

static void ask(skn_model_request *q);

/* Asks a person whether the limit may be exceeded, without waiting for the answer. A limit that a person lets it
 * exceed does not count. */
static void work_limit(void *arg)
{
    skn_model_request *q = arg;
    skein_limit        what = {.world = q->world};

    skn_limit_words(q->out.model, &q->limit, &q->err, q->a, &what);
    (void)skein_limit_ask(q->r->o.engine, &what, NULL, q->a, &q->said, NULL);
}

static void limit_seen(void *arg)
{
    skn_model_request *q = arg;

    if (q->said == SKEIN_APPROVED && !q->cancelled && !q->r->closing) {
        skn_vec_add(q->a, &q->let, q->limit.key);
        q->rc = SKEIN_OK;
        q->err = (skein_error){0};
        ask(q);
    } else {
        finish(q);
    }
}

/* --- Longer than the window --- -------------------------------------------------------------------------
 *
 * The text is cut into parts that the model can read. Its notes on the parts are joined, and the joined text is
 * sent next; if necessary in parts again, which are fewer each time. */

enum {
    PARTS_MOST = 4000,
    PART_LEAST = 512, /* bytes */
    NOTE_SHARE = 4    /* a note is at most this part of the text */
};

/* Bytes of the text that fit into one request; SIZE_MAX: not known. */
static size_t part_most(skn_model_request *q)
{
    skn_reach reach = skn_runtime_reach(q->r, q->out.model);
    int64_t   bytes = reach.tokens - skn_answer_room(reach.tokens, 0, 0);

    if (reach.tokens <= 0)
        return SIZE_MAX;
    bytes = bytes * 4 * 100 / reach.scale - (int64_t)(q->system.n + q->head + 200);
    return bytes > PART_LEAST ? (size_t)bytes : PART_LEAST;
}

/* Cuts after a line, if one ends in the second half. */
static size_t cut_part(skn_str text, size_t most)
{
    size_t n = skn_utf8_cut(text, most).n, at = n;

    while (at > n / 2 && text.p[at - 1] != '\n')
        at--;
    return at > n / 2 ? at : n;
}

/* Returns the next part, or the whole text if it fits. */
static skn_str next_text(skn_model_request *q)
{
    skn_str rest = skn_str_sub(q->text, q->at ? q->at : q->head, q->text.n);
    size_t  most = part_most(q);

    q->part = 0;
    if (!q->at && rest.n <= most)
        return q->text;
    if (!q->at)
        q->at = q->head;
    q->part = rest.n <= most ? rest.n : cut_part(rest, most);
    q->parts++;
    return skn_arena_printf(q->a, "%.*s[This is a part of it.]\n%.*s", (int)q->head, q->text.p,
                            (int)q->part, rest.p);
}

/* The parts are about nine tenths of the work. */
static void tell_progress(const skn_model_request *q)
{
    if (q->watch.progress && !q->folded)
        q->watch.progress(q->watch.arg, (int64_t)(q->at - q->head) * 9,
                          (int64_t)(q->text.n - q->head) * 10);
}

/* After the last part: the notes replace the text. */
static void fold(skn_model_request *q)
{
    q->text = skn_arena_printf(
        q->a,
        "%.*s[Of its parts this was written, one after the other. Make one text of it.]\n%.*s",
        (int)q->head, q->text.p, SKN_FMT(skn_buf_str(&q->notes)));
    q->at = 0;
    q->folded = true;
    skn_buf_clear(&q->notes);
}

static void part_stored(void *arg)
{
    skn_model_request *q = arg;

    if (q->cancelled || q->r->closing) {
        q->rc = SKEIN_NOTHING;
        finish(q);
        return;
    }
    skn_buf_addf(&q->notes, "%.*s\n\n",
                 SKN_FMT(skn_utf8_cut(q->wrote, q->part / NOTE_SHARE + 100)));
    q->at += q->part;
    tell_progress(q);
    if (q->at >= q->text.n)
        fold(q);
    q->call = (skein_model_call){0};
    ask(q);
}

static void work_part(void *arg)
{
    skn_model_request *q = arg;

    q->call.world = q->world;
    q->call.chat = q->chat;
    q->call.agent = q->agent;
    if (q->call.piece_count)
        skein_model_call_keep(q->r->o.engine, &q->call, q->a, &q->call.uid, NULL);
}

/* Sends the next part, or the same in smaller ones if it was refused as too long. */
static bool goes_on(skn_model_request *q)
{
    if (q->told.state == SKN_ASK_OVERFLOW &&
        skn_runtime_refused(q->r, q->out.model, (int64_t)(q->message.text.n + q->system.n) / 4,
                            &q->counted, skn_str_of(q->err.message)) &&
        q->parts < PARTS_MOST) {
        q->parts++;
        q->rc = SKEIN_OK;
        q->err = (skein_error){0};
        ask(q);
        return true;
    }
    if (q->rc || !q->part)
        return false;
    if (q->parts < PARTS_MOST) {
        job(q, work_part, part_stored);
        return true;
    }
    q->rc = skn_fail(&q->err, SKEIN_LIMIT, "it is more than %d times what the model can read",
                     PARTS_MOST);
    return false;
}

/* --- Asking: no text is reported while it arrives ----------------------------------------------------- */

static void on_sent(void *arg, const skn_str *pieces, size_t count)
{
    skn_model_request *q = arg;

    skn_asked_sent(&q->asked, pieces, count);
}

static void on_received(void *arg, skn_str bytes)
{
    skn_model_request *q = arg;

    skn_asked_received(&q->asked, bytes);
}

static void on_done(void *arg, const skn_answer *answer);

/* Stops an answer that is too long or repeats itself: a useful answer is shorter than its text, and an endless one
 * costs money and delays others. */
static const char *endless(skn_model_request *q, const skn_buf *whole, skn_part part)
{
    if (q->answer.n + q->thinking.n > MOST_WRITTEN)
        return "length";
    return skn_repeats(skn_buf_str(whole), &q->looked[part]) ? "repeated" : NULL;
}

static void on_delta(void *arg, skn_part part, skn_str text)
{
    skn_model_request *q = arg;
    skn_buf           *whole = part == SKN_PART_TEXT ? &q->answer : &q->thinking;
    const char        *finish;
    skn_answer         answer;

    if (part == SKN_PART_ARGS) /* no tool was offered */
        return;
    skn_buf_add(whole, text);
    if (!(finish = endless(q, whole, part)))
        return;
    skn_asking_so_far(q->asking, &answer);
    answer.finish = finish;
    skn_asking_cancel(q->asking);
    on_done(q, &answer);
}

/* No tool was offered, so none is run. */
static void on_call(void *arg, const skein_tool_call *call)
{
    (void)call;
    ((skn_model_request *)arg)->called = true;
}

/* Returns why an answer cannot be used. */
static skein_rc check_answer(const skn_model_request *q, skein_error *err)
{
    const char *finish = q->told.finish;

    if (q->answer.over)
        return skn_fail(err, SKEIN_PROVIDER, "the answer is over %d MB", SKN_RUN_TEXT >> 20);
    if (finish && strcmp(finish, "repeated") == 0)
        return skn_fail(err, SKEIN_PROVIDER, "the model repeated itself and was stopped");
    if (q->kind->whole && q->called) {
        skn_fail(err, SKEIN_PROVIDER, "the model called a tool instead of writing the text");
        return skn_hint(err, SKEIN_PROVIDER, "try again, or name another model");
    }
    if (q->kind->whole && !q->part && finish && strcmp(finish, "length") == 0) {
        skn_fail(err, SKEIN_PROVIDER,
                 "the answer was cut off: the model may not write a longer one");
        return skn_hint(err, SKEIN_PROVIDER, "name a model that may write more");
    }
    return q->wrote.n ? SKEIN_OK
                      : skn_fail(err, SKEIN_PROVIDER,
                                 q->thinking.n ? "the model ended while it thought"
                                               : "the model answered with nothing");
}

static void on_done(void *arg, const skn_answer *answer)
{
    skn_model_request *q = arg;

    q->asking = NULL;
    q->told = *answer;
    q->err = answer->error;
    q->limit = answer->limit;
    q->limit.key = skn_arena_copy(q->a, answer->limit.key);
    q->wrote = skn_str_trim(skn_buf_str(&q->answer));
    if (!skn_asked_record(&q->asked, &q->told, q->out.model, q->kind->purpose, &q->call))
        q->call = (skein_model_call){0};
    if (!q->err.rc && check_answer(q, &q->err) && q->call.piece_count)
        q->call.error = skn_str_of(q->err.message);
    q->rc = q->err.rc;
    if (q->limit.key.n && !q->limit.stops)
        job(q, work_limit, limit_seen);
    else if (!goes_on(q))
        job(q, work_store, stored);
}

static void on_soon(void *arg)
{
    skn_model_request *q = arg;

    if (q->rc)
        job(q, work_store, stored);
    else
        ask(q);
}

static void ask(skn_model_request *q)
{
    const skn_answer_sink sink = {.sent = on_sent,
                                  .received = on_received,
                                  .delta = on_delta,
                                  .call = on_call,
                                  .done = on_done,
                                  .arg = q};
    skn_ask               what = {.agent = SKN_STR("skein"),
                                  .system_prompt = q->system,
                                  .context = &q->context,
                                  .asker = SKN_STR("skein"),
                                  .said = q->text,
                                  .id = skn_str_of(q->kind->purpose),
                                  .temperature = -1,
                                  .let = q->let.p,
                                  .let_count = q->let.n,
                                  .from = q->chat.v};
    skn_provider         *p = skn_runtime_provider(q->r, q->out.model, &what.model);
    skn_reach             reach = skn_runtime_reach(q->r, q->out.model);

    q->counted = reach;
    if (reach.asked && q->looks++ < SKN_RUN_WINDOW_LOOKS) {
        skn_timer_start(q->soon, SKN_RUN_WINDOW_MS);
        return;
    }
    what.window = reach.tokens;
    q->called = false;
    q->message = (skein_prompt_message){.role = SKEIN_USER, .text = next_text(q)};
    q->context = (skein_context){.at = &q->message, .count = 1};
    skn_buf_clear(&q->answer);
    skn_buf_clear(&q->thinking);
    q->looked[0] = q->looked[1] = 0;
    if (p) {
        skn_asked_begin(&q->asked, NULL);
        q->asking = skn_ask_model(p, &what, &sink);
        return;
    }
    q->rc = skn_fail(&q->err, SKEIN_PROVIDER, "there is no provider for the model \"%.*s\"",
                     SKN_FMT(q->out.model));
    skn_timer_start(q->soon, 0);
}

static void was_read(void *arg)
{
    skn_model_request *q = arg;

    if (q->rc || q->cancelled || q->r->closing) {
        finish(q);
        return;
    }
    q->out.model = skn_arena_copy(q->a, skn_runtime_model(q->r, q->model));
    if (!q->done && q->r->o.begun)
        q->r->o.begun(q->r->o.tell_arg, q, q->kind->purpose, q->world);
    ask(q);
}

/* Whether an agent's model is the default here: the agent of the memory or conversation, in a chat the lead. */
static bool is_whose(const skn_model_request *q, const skein_conversation *chat,
                     const skein_agent *one)
{
    int64_t agent = q->agent.v ? q->agent.v : chat->agent.v;

    return agent ? one->id.v == agent : !one->lead_name.n;
}

/* Takes that agent's model if none was named. */
static skein_rc pick_model(skn_model_request *q)
{
    skein_conversation chat;
    skein_agents       all;
    skein_rc           rc;

    if (q->model.n || !q->chat.v)
        return SKEIN_OK;
    if ((rc = skein_conversation_get(q->r->o.engine, q->chat, q->a, &chat, &q->err)) ||
        (rc = skein_agent_list(q->r->o.engine, chat.world, q->a, &all, &q->err)))
        return rc;
    for (size_t i = 0; i < all.count; i++)
        if (is_whose(q, &chat, &all.at[i])) {
            q->model = all.at[i].model;
            break;
        }
    return SKEIN_OK;
}

/* Checks the budget last: without work it does not matter. */
static skein_rc check_budget(skn_model_request *q)
{
    skein_engine *e = q->r->o.engine;
    skein_world   world;
    skein_rc      rc = skn_world_read(e, q->world, q->a, &world, &q->err);

    return rc ? rc : skn_budget_check(e, &world, q->a, &q->limit, &q->err);
}

static void work_read(void *arg)
{
    skn_model_request *q = arg;

    q->asked.read_at = skn_clock_micros();
    q->rc = pick_model(q);
    if (!q->rc)
        q->rc = q->kind->read(q, &q->err);
    if (!q->rc)
        q->rc = check_budget(q);
}

/* --- Calls from outside ------------------------------------------------------------------------------ */

skn_model_request *skn_model_request_new(skn_runtime *r, const skn_model_request_kind *kind)
{
    skn_model_request *q = skn_heap(sizeof *q);

    q->r = r;
    q->kind = kind;
    q->a = skn_arena_new();
    q->soon = skn_timer_new(r->o.loop, on_soon, q);
    skn_asked_init(&q->asked);
    skn_buf_init(&q->answer, SKN_RUN_TEXT);
    skn_buf_init(&q->thinking, SKN_RUN_TEXT);
    skn_buf_init(&q->notes, SKN_RUN_TEXT);
    q->link = &r->requests;
    q->next = r->requests;
    if (q->next)
        q->next->link = &q->next;
    r->requests = q;
    return q;
}

void skn_model_request_start(skn_model_request *q, skn_model_request_done *done, void *arg)
{
    q->done = done;
    q->arg = arg;
    job(q, work_read, was_read);
}

void skn_model_request_watch(skn_model_request *q, const skn_request_watch *watch)
{
    q->watch = *watch;
}

void skn_model_request_cancel(skn_model_request *q)
{
    if (!q)
        return;
    q->cancelled = true;
    if (!q->job)
        request_free(q);
}

/* Reports the reason to the caller. */
static void end_early(skn_model_request *q, skein_rc rc, const char *why)
{
    if (q->done && !q->cancelled) {
        q->rc = skn_fail(&q->err, rc, "%s", why);
        q->done(q->arg, &q->out, &q->err);
    }
    skn_model_request_cancel(q);
}

void skn_model_requests_cancel(skn_runtime *r)
{
    for (skn_model_request *q = r->requests, *next; q; q = next) {
        next = q->next;
        end_early(q, SKEIN_UNREACHABLE, "the server is shutting down");
    }
}

void skn_model_requests_stop(skn_runtime *r, skein_conversation_id chat, skein_agent_id agent)
{
    for (skn_model_request *q = r->requests, *next; q; q = next) {
        next = q->next;
        if (q->chat.v == chat.v && (!agent.v || q->agent.v == agent.v))
            end_early(q, SKEIN_CONFLICT, "it was stopped; nothing was changed");
    }
}

/* --- The input ---------------------------------------------------------------------------------------- */

static void add_calls(const skein_prompt_message *m, skn_buf *out)
{
    for (size_t i = 0; i < m->call_count; i++)
        skn_buf_addf(out, "[calls %.*s %.*s]\n", SKN_FMT(m->calls[i].tool_name),
                     SKN_FMT(m->calls[i].args));
}

void skn_model_transcript(const skein_context *context, skn_buf *out)
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

/* What a world may spend in a month or a day: tokens as providers report them, otherwise estimates; and money, where
 * prices are known. */

typedef struct limit {
    const char *name, *next;
    int64_t     since, unit;
    bool        money, daily;
} limit;

static skein_rc limit_reached(const skein_world *world, const limit *l, int64_t spent,
                              int64_t most, skn_arena *a, skn_limit_hit *hit, skein_error *err)
{
    char    of[SKN_MONTH_TEXT], time[SKN_TIME_TEXT];
    skn_str day = skn_str_sub(skn_time_format(l->since, time), 0, 10);
    skn_str when = l->daily ? day : skn_month_format(l->since, of);

    *hit = (skn_limit_hit){.key = skn_arena_printf(a, "%s %.*s", l->name, SKN_FMT(when)),
                           .daily = l->daily,
                           .world = true,
                           .stops = true};
    if (l->money)
        skn_fail(err, SKEIN_PROVIDER,
                 "the world \"%.*s\" has used %lld.%02lld of the %lld.%02lld USD of %.*s",
                 SKN_FMT(world->name), (long long)(spent / 100), (long long)(spent % 100),
                 (long long)(most / 100), (long long)(most % 100), SKN_FMT(when));
    else
        skn_fail(err, SKEIN_PROVIDER,
                 "the world \"%.*s\" has used %lld of the %lld tokens of this month",
                 SKN_FMT(world->name), (long long)spent, (long long)most);
    return skn_hint(err, SKEIN_PROVIDER,
                    "raise it in the world's settings, with \"skein world set %s N\", "
                    "or wait for the next %s",
                    l->name, l->next);
}

skein_rc skn_budget_check(skein_engine *e, const skein_world *world, skn_arena *mem,
                          skn_limit_hit *hit, skein_error *err)
{
    int64_t     now = skn_clock_micros(), month = skn_clock_month(now);
    const limit limits[] = {
        {.name = "monthlyTokens", .next = "month", .since = month, .unit = 1},
        {.name = "monthlyCents",
         .next = "month",
         .since = month,
         .unit = 10000000,
         .money = true},
        {.name = "dailyCents",
         .next = "day",
         .since = skn_clock_day(now),
         .unit = 10000000,
         .money = true,
         .daily = true}};
    skn_arena      *a;
    const skn_json *settings;
    skein_rc        rc = SKEIN_OK;

    if (!world->settings.n)
        return SKEIN_OK;
    a = skn_arena_new();
    if (skn_json_parse(&settings, world->settings, "settings", a, NULL))
        settings = NULL;
    for (size_t i = 0; !rc && settings && i < sizeof limits / sizeof *limits; i++) {
        int64_t most = 0, spent = 0;

        skn_json_int(settings, limits[i].name, 0, &most, NULL);
        if (most <= 0)
            continue;
        rc = (limits[i].money ? skein_cost_spent
                              : skein_tokens_spent)(e, world->id, limits[i].since, &spent, err);
        spent /= limits[i].unit;
        if (!rc && spent >= most)
            rc = limit_reached(world, &limits[i], spent, most, mem, hit, err);
    }
    skn_arena_free(a);
    return rc;
}

void skn_budget_tell(skn_run *run)
{
    skn_str          rest = run->model, provider = SKN_NONE;
    skein_inbox_item item = {.kind = SKN_STR("failure"),
                             .world = run->turn.world,
                             .title = run->limit.daily
                                          ? SKN_STR("The limit of this day is reached")
                                          : SKN_STR("The limit of this month is reached"),
                             .call_id = run->limit.key};

    if (!run->limit.world && skn_str_split(&rest, '/', &provider))
        item.title = skn_arena_printf(run->a, "The %s limit of %.*s is reached",
                                      run->limit.daily ? "daily" : "monthly",
                                      SKN_FMT(provider));
    item.agent = run->turn.agent_name;
    item.chat_uid = run->turn.chat_uid;
    item.content = skn_arena_printf(run->a, "%s. %s", run->why.message, run->why.hint);
    skein_inbox_add(run->r->o.engine, &item, run->a, NULL);
}
