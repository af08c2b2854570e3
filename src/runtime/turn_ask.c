/* One round of a turn: reads the context, asks the model, reports its text, stores its answer. */
#include "runtime/run.h"

#include "base/json_schema.h"
#include "base/json_write.h"
#include "base/utf8.h"

#include <string.h>

/* --- The answer as it comes ------------------------------------------------------------------------ */

static void on_turn_sent(void *arg, const skn_str *pieces, size_t count)
{
    skn_run *run = arg;

    skn_run_paused(run);
    skn_asked_sent(&run->asked, pieces, count);
}

static void on_turn_received(void *arg, skn_str bytes)
{
    skn_run *run = arg;

    skn_asked_received(&run->asked, bytes);
}

static const skn_json *schema_of(const skn_run *run)
{
    const skn_json *schema = skn_json_get(run->rights.settings, "schema");

    return schema && schema->kind == SKN_JSON_OBJECT ? schema : NULL;
}

static void work_store_answer(skn_run *run);
static void answer_stored(skn_run *run);

/* Whether the answer is longer than allowed, or than the window: servers without a limit would continue forever. On
 * average a token has at most 8 bytes. */
static bool is_over_long(const skn_run *run)
{
    return run->most_written &&
           (int64_t)(run->text.n + run->thinking.n + run->args.n) / 8 > run->most_written;
}

/* Stops an endless answer and keeps it. */
static void end_answer(skn_run *run, const char *finish)
{
    skn_timer_stop(run->later);
    skn_asking_so_far(run->asking, &run->answer);
    skn_asking_cancel(run->asking);
    run->answer.finish = finish;
    skn_run_enter(run, SKN_RUN_READY);
    skn_run_job(run, work_store_answer, answer_stored);
}

static void tell_delta(skn_run *run, skn_part part, skn_str text)
{
    skn_live live = {.world = run->turn.world,
                     .world_name = run->turn.world_name,
                     .chat = run->chat,
                     .chat_uid = run->turn.chat_uid,
                     .cause = run->turn.cause,
                     .type = "message.delta",
                     .message = run->turn.message_uid,
                     .text = text};

    live.part = part == SKN_PART_TEXT ? SKN_STR("text") : SKN_STR("thinking");
    if (part == SKN_PART_TEXT)
        skn_run_writes(run);
    /* An answer that may have to be repeated is not shown, because text that was shown cannot be taken back. */
    if (!schema_of(run)) {
        skn_saving_soon(run->r);
        if (run->r->o.tell)
            run->r->o.tell(run->r->o.tell_arg, &live);
    }
}

static void on_turn_delta(void *arg, skn_part part, skn_str text)
{
    skn_run *run = arg;
    skn_buf *whole = part == SKN_PART_TEXT       ? &run->text
                     : part == SKN_PART_THINKING ? &run->thinking
                                                 : &run->args;

    skn_buf_add(whole, text);
    if (part != SKN_PART_ARGS)
        tell_delta(run, part, text);
    if (is_over_long(run))
        end_answer(run, skein_unfinished_name(SKEIN_LENGTH));
    else if (skn_repeats(skn_buf_str(whole), &run->looked[part]))
        end_answer(run, skein_unfinished_name(SKEIN_REPEATED));
}

/* Arguments that are not JSON are stored as a JSON string. Like every value that is not an object they do not run,
 * and models are sent them inside an object. */
static skn_str sound_args(skn_run *run, skn_str args)
{
    const skn_json *json;
    skn_str         text = skn_str_trim(args);
    size_t          bad;
    skn_buf         b;
    skn_jw          w;

    if (!text.n)
        return SKN_STR("{}");
    if (!skn_json_parse(&json, text, "arguments", run->a, NULL))
        return skn_arena_copy(run->a, text);
    if (!skn_utf8_valid(text, &bad))
        text = skn_str_sub(text, 0, bad);
    skn_buf_init(&b, 6 * text.n + 100);
    skn_jw_init(&w, &b);
    skn_jw_str(&w, text);
    text = skn_arena_copy(run->a, skn_buf_str(&b));
    skn_buf_release(&b);
    return text;
}

static void on_turn_call(void *arg, const skein_tool_call *call)
{
    skn_run        *run = arg;
    skein_tool_call kept = {skn_arena_copy(run->a, call->call_id),
                            skn_arena_copy(run->a, call->tool_name),
                            sound_args(run, call->args)};

    skn_vec_add(run->a, &run->calls, kept);
}

static void on_turn_pause(void *arg, skn_ask_state why, const skein_error *err, int64_t ms)
{
    skn_run *run = arg;

    (void)err;
    skn_run_pauses(run, why, ms);
}

static bool answer_is_told(const skn_run *run)
{
    return run->text.n || run->thinking.n || run->calls.n;
}

/* --- Storing --------------------------------------------------------------------------------------- */

/* Marks an answer without text with the reason, and keeps its thinking. If nothing came at all, the provider reports
 * a failure, except for scripts, which may end like this. */
static void say_no_text(skein_new_message *m)
{
    if (m->call_count || skn_str_trim(m->content).n || !(m->content.n || m->thinking.n))
        return;
    m->unfinished = m->thinking.n ? SKEIN_THOUGHT : SKEIN_BLANK;
    if (m->thinking.n)
        m->content = SKN_STR("");
}

/* Removes the partial text and, after the last step, the turn in the same job, so that no stop between them uses them
 * again. */
static void work_store_answer(skn_run *run)
{
    skein_new_message m = {.role = SKEIN_ASSISTANT,
                           .content = skn_buf_str(&run->text),
                           .calls = run->calls.p,
                           .call_count = run->calls.n,
                           .reasoning = run->answer.reasoning,
                           .model = skn_run_said_by(run)};
    skein_step        step = {.message = &m,
                              .finish = skn_str_of(run->answer.finish),
                              .tokens_in = run->answer.tokens_in,
                              .tokens_out = run->answer.tokens_out,
                              .tokens_cached = run->answer.tokens_cached,
                              .tokens_written = run->answer.tokens_written,
                              .cost = run->answer.cost,
                              .estimated = run->answer.estimated,
                              .last = run->calls.n == 0};
    skein_model_call  call;
    skein_message     stored;

    if (skn_str_trim(skn_buf_str(&run->thinking)).n)
        m.thinking = skn_text_fit(run->r->o.engine, skn_buf_str(&run->thinking));
    if (skn_str_is(step.finish, "length")) /* an answer with calls may have its text cut, too */
        m.unfinished = SKEIN_LENGTH;
    say_no_text(&m);
    if (skn_str_is(step.finish, skein_unfinished_name(SKEIN_REPEATED)))
        m.unfinished = SKEIN_REPEATED;
    if (m.unfinished && !m.content.n) /* it was stopped in a call that nobody has whole */
        m.content = SKN_STR("");
    if (skn_asked_record(&run->asked, &run->answer, m.model, "turn", &call))
        step.call = &call;
    run->rc = skein_turn_step(run->r->o.engine, &run->turn, &step, run->a, &stored, &run->err);
    if (run->rc)
        return;
    run->since_load++;
    run->kept = true;
    skn_buf_clear(&run->text);
    skn_buf_clear(&run->thinking);
    if (step.last)
        run->turn.id = 0;
}

static void answer_stored(skn_run *run)
{
    if (run->rc) {
        skn_run_give_up(run);
    } else if (run->calls.n) {
        skn_run_tools(run);
    } else {
        skn_summary_consider(run);
        skn_learn_consider(run);
        skn_run_free(run);
    }
}

static void offer_nothing(skn_run *run)
{
    run->rights.offers.n = 0;
    run->sizes.tools = 0;
    skn_context_account(&run->context, &run->sizes);
}

/* --- Retries ---------------------------------------------------------------------------------------- */

/* Asks a model that could not answer once more, unless its provider has retried, or part of its answer was shown,
 * which cannot be taken back. */
static bool ask_model_again(skn_run *run)
{
    if (!run->answer.retryable || run->answer.tries > 0 || run->tries == SKN_RUN_TRIES ||
        answer_is_told(run))
        return false;
    skn_run_log(run, SKN_LOG_WARN, "the model did not answer; asking once more", &run->err);
    skn_run_pauses(run, run->answer.state, SKN_RUN_PAUSE_MS);
    skn_run_later(run, SKN_RUN_PAUSING, skn_run_ask, SKN_RUN_PAUSE_MS);
    return true;
}

/* Sends the request again without tools at once. The provider remembers this for later requests. */
static bool ask_without_tools(skn_run *run)
{
    if (run->answer.state != SKN_ASK_NO_TOOLS || !run->rights.offers.n || answer_is_told(run))
        return false;
    skn_run_log(run, SKN_LOG_INFO, "the model cannot use tools; asking without", &run->err);
    run->tries--;
    offer_nothing(run);
    skn_run_ask(run);
    return true;
}

/* Stores the failed request to the agent's own model with its outcome. */
static void work_keep_failed(skn_run *run)
{
    skein_model_call    call;
    const skein_partial none = skn_run_written_so_far(run, &call);
    skn_str             uid;

    if (!none.call)
        return;
    call.world = run->turn.world;
    call.chat = run->turn.chat;
    call.agent = run->agent;
    (void)skein_model_call_keep(run->r->o.engine, &call, run->a, &uid, NULL);
}

static void fallen_back(skn_run *run)
{
    skn_str rest;

    run->model = skn_arena_copy(run->a, run->rights.fallback);
    run->provider = skn_runtime_provider(run->r, run->model, &rest);
    run->limit = (skn_limit_hit){0};
    if (run->provider)
        skn_run_round(run);
    else
        skn_run_give_up(run);
}

bool skn_run_fall_back(skn_run *run)
{
    skn_str rest;

    if (run->fell_back || !run->rights.fallback.n || answer_is_told(run) ||
        !skn_runtime_provider(run->r, run->rights.fallback, &rest))
        return false;
    run->fell_back = true;
    skn_run_log(run, SKN_LOG_WARN, "the model did not answer; asking the fallback", &run->err);
    skn_run_job(run, work_keep_failed, fallen_back);
    return true;
}

/* Whether the provider is down, over its limit, or has no key. A request that was refused for its content is not sent
 * to another provider. */
static bool is_down(skn_ask_state state, bool replayed)
{
    return state == SKN_ASK_NO_KEY || state == SKN_ASK_BAD_KEY || state == SKN_ASK_RATE_LIMIT ||
           state == SKN_ASK_CUT || state == SKN_ASK_STALLED || state == SKN_ASK_WRONG_TYPE ||
           state == SKN_ASK_UNAVAILABLE || state == SKN_ASK_UNREACHABLE ||
           state == SKN_ASK_OVER_BUDGET || (state == SKN_ASK_FAILED && !replayed);
}

/* --- Fitting into the window ------------------------------------------------------------------------ */

enum {
    REFUSALS_MOST = 10,
    SHRINKS_MOST = 30,
    MOST_LEAST = 256,
    SMALL_TOKENS = 1000,
    SUMMARY_MS = 50 /* between checks for a summary */
};

/* The measures, in this order. */
enum { FIT_BEFORE, FIT_WITHIN, FIT_SHORTER, FIT_FAILS };

static void work_load_round(skn_run *run);

/* Reads the context again in the same round. */
static void load_again(skn_run *run)
{
    run->rounds--;
    skn_run_job(run, work_load_round, skn_run_loaded);
}

static void make_fit(skn_run *run);

static void on_shrunk(void *arg, const skn_model_result *out, const skein_error *err)
{
    skn_run *run = arg;

    (void)out;
    skn_run_enter(run, SKN_RUN_READY);
    if (err->rc == SKEIN_OK || err->rc == SKEIN_CONFLICT) { /* changed meanwhile */
        load_again(run);
        return;
    }
    if (err->rc != SKEIN_NOTHING)
        run->why = *err;
    run->fit++;
    make_fit(run);
}

/* Requests a summary of the messages before this turn, or of the turn's steps except for the last. Waits for one that is
 * already in progress: it may be enough. */
static void shrink(skn_run *run)
{
    const skn_compact_spec spec = {.world = run->turn.world,
                                   .chat = run->chat,
                                   .agent = run->lane.v ? (skein_agent_id){0} : run->agent,
                                   .lane = run->turn.lane_key,
                                   .model = run->model,
                                   .reason = SKN_STR("window"),
                                   .in_turn = run->fit == FIT_WITHIN};

    if (skn_summary_under_way(run->r, &spec)) {
        run->waits_for_summary = true;
        skn_run_later(run, SKN_RUN_PAUSING, shrink, SUMMARY_MS);
        return;
    }
    if (run->waits_for_summary) {
        run->waits_for_summary = false;
        load_again(run);
        return;
    }
    if (run->shrinks++ == SHRINKS_MOST)
        run->fit = FIT_SHORTER;
    skn_run_log(run, SKN_LOG_INFO, "the context is too long; summarising it", &run->err);
    skn_run_enter(run, SKN_RUN_REQUESTING);
    run->request = skn_runtime_compact(run->r, &spec, on_shrunk, run);
}

static void say_window(skn_run *run)
{
    const skein_context *c = &run->context;

    if (c->window <= 0) /* the error says it already */
        return;
    if (run->why.rc) { /* why there is no summary */
        run->err = run->why;
        return;
    }
    skn_fail(
        &run->err, SKEIN_PROVIDER,
        "%.*s can read %lld tokens (%s); the prompt, files and tools take %lld, the messages "
        "%lld, and %lld are for the answer",
        SKN_FMT(run->model), (long long)c->window, run->sizes.reach.from, (long long)c->fixed,
        (long long)(c->tokens - c->fixed), (long long)c->room);
    skn_hint(
        &run->err, SKEIN_PROVIDER,
        "Give the agent fewer tools or a shorter prompt, or a model that can read more; see "
        "skein context");
}

static void make_fit(skn_run *run)
{
    if (run->fit < FIT_SHORTER) {
        shrink(run);
    } else if (run->fit == FIT_SHORTER && run->most > MOST_LEAST) {
        run->most /= 2;
        load_again(run);
    } else {
        say_window(run);
        skn_run_give_up(run);
    }
}

/* An image can be refused for its bytes, its sides or its number, and a limit of bytes teaches nothing about the window. The
 * image stays in the conversation, so without this no later turn would be answered. */
static bool ask_without_images(skn_run *run)
{
    bool refused = run->answer.state == SKN_ASK_REFUSED ||
                   (run->answer.state == SKN_ASK_OVERFLOW &&
                    !skn_window_is_told(skn_str_of(run->err.message)));

    if (!refused || !run->sees || !run->context.images || answer_is_told(run))
        return false;
    skn_run_log(run, SKN_LOG_INFO, "the model refuses the images; asking without", &run->err);
    run->tries--;
    run->without_images = true;
    run->sees = false;
    load_again(run);
    return true;
}

/* The model could read less than was assumed, or counts more tokens. The next request uses what was learned. */
static bool ask_for_less(skn_run *run)
{
    const skein_context *c = &run->context;

    if (run->answer.state != SKN_ASK_OVERFLOW || run->refusals++ == REFUSALS_MOST ||
        answer_is_told(run))
        return false;
    if (c->window <= 0 &&
        c->tokens < SMALL_TOKENS) { /* no window is so small: nothing is learned */
        if (run->refusals == 1)
            shrink(run);
        return run->refusals == 1;
    }
    if (!skn_runtime_refused(run->r, run->model, skn_sizes_all(&run->sizes), &run->sizes.reach,
                             skn_str_of(run->err.message)))
        return false;
    skn_run_log(run, SKN_LOG_INFO, "the model can read less than that", &run->err);
    load_again(run);
    return true;
}

/* work_fail keeps the part that fits. */
static void say_too_long(skn_run *run)
{
    skn_fail(&run->err, SKEIN_LIMIT, "the answer is %s%zu bytes; limits.messageBytes is %zu",
             run->text.over ? "over " : "", run->text.n, skn_text_most(run->r->o.engine));
    skn_hint(&run->err, SKEIN_LIMIT,
             "Ask for a shorter one, or raise the limit and start the server again: skein "
             "config set limits.messageBytes 16MB");
}

/* Worker: says in run->err why an answer does not fit the agent's schema. */
static void work_check_schema(skn_run *run)
{
    const skn_json *schema = schema_of(run), *value;
    skn_str         why;

    if (skn_json_parse(&value, skn_str_trim(skn_buf_str(&run->text)), "the answer", run->round,
                       &run->err)) {
        skn_fail(&run->err, SKEIN_PROVIDER,
                 "the answer is not JSON, as the agent's schema asks for");
        return;
    }
    why = skn_json_misfit(schema, value, run->round);
    if (why.p)
        skn_fail(&run->err, SKEIN_PROVIDER, "the answer does not fit the agent's schema: %.*s",
                 SKN_FMT(why));
}

/* Stores the unusable answer with the model calls, because it has cost tokens. */
static void work_keep_misfit(skn_run *run)
{
    skein_model_call call;
    skn_str          uid;

    if (!skn_asked_record(&run->asked, &run->answer, skn_run_said_by(run), "turn", &call))
        return;
    call.world = run->turn.world;
    call.chat = run->chat;
    call.agent = run->agent;
    call.error = skn_str_of(run->err.message);
    run->rc = skein_model_call_keep(run->r->o.engine, &call, run->round, &uid, NULL);
}

/* Appends the answer and its fault to the messages. */
static void ask_to_fit(skn_run *run)
{
    skein_context        *c = &run->context;
    skein_prompt_message *at = SKN_ARRAY(run->round, c->count + 2, skein_prompt_message);

    memcpy(at, c->at, c->count * sizeof *at);
    at[c->count] = (skein_prompt_message){
        .role = SKEIN_ASSISTANT,
        .text = skn_arena_copy(run->round, skn_buf_str(&run->text)),
        .synthetic = true};
    at[c->count + 1] = (skein_prompt_message){
        .role = SKEIN_USER,
        .text = skn_arena_printf(run->round,
                                 "[%s. Answer again, with JSON that fits and nothing else.]",
                                 run->err.message),
        .synthetic = true};
    run->sizes.messages += (int64_t)skn_tokens_of(at[c->count].text.n) +
                           (int64_t)skn_tokens_of(at[c->count + 1].text.n);
    c->at = at;
    c->count += 2;
    skn_context_account(c, &run->sizes);
    if (!skn_context_fits(c)) {
        skn_run_give_up(run);
        return;
    }
    run->err = (skein_error){0};
    skn_run_ask(run);
}

static bool ask_for_schema(skn_run *run)
{
    if (run->answer.error.rc || !schema_of(run) || run->misfit || !run->text.n)
        return false;
    run->misfit = true;
    skn_run_job(run, work_keep_misfit, ask_to_fit);
    return true;
}

static void answer_checked(skn_run *run)
{
    if (!run->err.rc)
        skn_run_job(run, work_store_answer, answer_stored);
    else if (ask_model_again(run) ||
             (is_down(run->answer.state, run->answer.replayed) && skn_run_fall_back(run)))
        return;
    else if (run->limit.key.n && !run->limit.stops)
        skn_run_limit(run);
    else if (!ask_for_schema(run) && !ask_without_tools(run) && !ask_without_images(run) &&
             !ask_for_less(run))
        skn_run_give_up(run);
}

static void on_turn_answered(void *arg, const skn_answer *answer)
{
    skn_run *run = arg;

    skn_timer_stop(run->later);
    skn_run_enter(run, SKN_RUN_READY);
    run->answer = *answer;
    run->err = answer->error;
    if (!answer->error.rc)
        run->fit = FIT_BEFORE;
    if (!answer->error.rc && !answer->estimated && !answer->replayed)
        skn_runtime_measured(run->r, run->model, skn_sizes_all(&run->sizes), answer->tokens_in);
    run->limit = answer->limit;
    run->limit.key = skn_arena_copy(run->a, answer->limit.key);
    run->answer.reasoning = answer->reasoning.n > skn_text_most(run->r->o.engine)
                                ? SKN_NONE
                                : skn_arena_copy(run->a, answer->reasoning);
    if (!answer->error.rc && (run->text.over || run->text.n > skn_text_most(run->r->o.engine)))
        say_too_long(run);
    else if (!answer->error.rc && run->calls.n > SKN_RUN_CALLS)
        skn_fail(&run->err, SKEIN_PROVIDER, "the answer calls more than %d tools",
                 SKN_RUN_CALLS);
    if (!run->err.rc && schema_of(run) && !run->calls.n)
        skn_run_job(run, work_check_schema, answer_checked);
    else
        answer_checked(run);
}

/* --- Asking ----------------------------------------------------------------------------------------- */

/* Finds the last tool's result, which may be from a delegation that has ended. */
static void find_result(skn_run *run)
{
    const skein_prompt_message *last = run->context.count
                                           ? &run->context.at[run->context.count - 1]
                                           : NULL;

    if (run->rounds > 1 && last && last->role == SKEIN_TOOL) {
        run->tool = skn_arena_copy(run->a, last->tool_name);
        run->result = skn_arena_copy(run->a, last->text);
    }
}

void skn_run_ask(skn_run *run)
{
    const skn_answer_sink sink = {.sent = on_turn_sent,
                                  .received = on_turn_received,
                                  .delta = on_turn_delta,
                                  .call = on_turn_call,
                                  .pause = on_turn_pause,
                                  .done = on_turn_answered,
                                  .arg = run};
    skn_ask               what = {.agent = run->turn.agent_name,
                                  .system_prompt = run->system_prompt,
                                  .context = &run->context,
                                  .asker = run->asker,
                                  .said = run->said,
                                  .tool = run->tool,
                                  .result = run->result,
                                  .id = run->turn.message_uid,
                                  .hops_left = run->turn.hops_left,
                                  .tools = run->rights.offers.p,
                                  .tool_count = run->rights.offers.n,
                                  .temperature = run->rights.temperature,
                                  .most_tokens = skn_most_tokens(&run->context, &run->sizes),
                                  .settings = run->rights.settings,
                                  .let = run->let.p,
                                  .let_count = run->let.n,
                                  .hurried = run->rights.fallback.n && !run->fell_back,
                                  .from = run->chat.v,
                                  .window = run->sizes.reach.tokens,
                                  .left = skn_tokens_left(&run->context)};

    skn_run_paused(run);
    skn_buf_clear(&run->text);
    skn_buf_clear(&run->thinking);
    skn_buf_clear(&run->args);
    run->question = ++run->r->questions;
    run->saved[0] = run->saved[1] = 0;
    run->looked[0] = run->looked[1] = run->looked[2] = 0;
    run->calls.n = run->next_call = run->ran = run->begun = run->allowed = run->cleared = 0;
    run->tries++;
    run->kept = false;
    skn_asked_begin(&run->asked, &run->context);
    skn_runtime_provider(run->r, run->model, &what.model);
    run->most_written = what.most_tokens ? what.most_tokens + run->sizes.thinking
                                         : run->sizes.reach.tokens;
    skn_run_enter(run, SKN_RUN_ASKING);
    run->asking = skn_ask_model(run->provider, &what, &sink);
}

/* Waits a little for tool servers that are starting: a model without their tools would say that it has none. A server
 * that does not start delays nobody. */
static void ask_with_tools(skn_run *run)
{
    skn_str model;

    run->room = run->turn.without_tools
                    ? NULL
                    : skn_mcp_room_for(run->r, run->turn.world, run->rights.servers);
    if (run->room && skn_mcp_room_starting(run->room) && run->waits_for_tools-- > 0) {
        skn_run_later(run, SKN_RUN_PAUSING, ask_with_tools, SKN_RUN_TOOLS_MS);
        return;
    }
    run->waits_for_tools = 0; /* not again in this turn */
    if (run->room)
        skn_mcp_room_offer(run->room, run);
    skn_runtime_provider(run->r, run->model, &model);
    if (skn_provider_toolless(run->provider, model))
        offer_nothing(run);
    run->sizes.tools = skn_offers_tokens(&run->rights);
    skn_context_account(&run->context, &run->sizes);
    if (skn_context_fits(&run->context))
        skn_run_ask(run);
    else
        make_fit(run);
}

/* Whether a text that was read is longer than the share of the window that has become known. */
static bool takes_too_much(skn_run *run)
{
    int64_t most = skn_share_bytes(&run->sizes.reach);

    if (!most || (run->most && run->most <= most))
        return false;
    run->most = most;
    return run->context.tokens * 4 > most || run->sizes.files * 4 > most;
}

/* What was loaded has images and should not, or the other way round. */
static bool sees_otherwise(skn_run *run)
{
    bool sees = !run->without_images &&
                skn_sees_images(run->rights.settings, &run->sizes.reach);
    bool other = run->context.images > 0 && sees != run->sees;

    run->sees = sees;
    return other;
}

/* What is sent depends on the window, so this waits a little for the server that tells it. */
static void ask_within(skn_run *run)
{
    run->sizes.reach = skn_runtime_reach(run->r, run->model);
    if (run->sizes.reach.asked && run->waits_for_window-- > 0) {
        skn_run_later(run, SKN_RUN_PAUSING, ask_within, SKN_RUN_WINDOW_MS);
    } else if (takes_too_much(run) | sees_otherwise(run)) {
        load_again(run);
    } else {
        skn_sizes_answer(&run->sizes, &run->rights);
        skn_sizes_messages(&run->sizes, &run->context, run->model);
        ask_with_tools(run);
    }
}

void skn_run_loaded(skn_run *run)
{
    if (run->rc) {
        skn_run_give_up(run);
        return;
    }
    if (skn_run_extract(run))
        return;
    run->rounds++;
    run->tries = 0;
    run->misfit = false;
    find_result(run);
    ask_within(run);
}

static void work_load_round(skn_run *run)
{
    run->rc = skn_run_load(run, &run->err);
}

void skn_run_round(skn_run *run)
{
    if (run->rounds == SKN_RUN_ROUNDS) {
        skn_fail(&run->err, SKEIN_PROVIDER,
                 "the model was asked %d times in one turn and still calls tools",
                 SKN_RUN_ROUNDS);
        skn_run_give_up(run);
    } else {
        skn_run_job(run, work_load_round, skn_run_loaded);
    }
}
