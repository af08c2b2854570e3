/* Agents at work: turns with the real engine and the scripted model, or one that answers when the test
 * says so. */
#include "base/buf.h"
#include "base/clock.h"
#include "runtime/runtime.h"
#include "store/kit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define DAY_MS 86400000

/* --- A model in the test's hand ------------------------------------------------------------------ */

typedef struct puppet puppet;

typedef struct question {
    skn_asking       base;
    skn_answer_sink  sink;
    puppet          *of;
    struct question *next;
} question;

struct puppet {
    skn_provider base;
    question    *open;
    int          asked, cancelled;
    char         agent[80], said[200]; /* of the last question */
};

static skn_asking *puppet_ask(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    puppet   *u = (puppet *)p;
    question *q = calloc(1, sizeof *q);

    *q = (question){{p}, *sink, u, u->open};
    u->open = q;
    u->asked++;
    snprintf(u->agent, sizeof u->agent, "%.*s", SKN_FMT(what->agent));
    snprintf(u->said, sizeof u->said, "%.*s", SKN_FMT(what->said));
    return &q->base;
}

static void forget(question *q)
{
    question **at = &q->of->open;

    while (*at != q)
        at = &(*at)->next;
    *at = q->next;
    free(q);
}

static void puppet_cancel(skn_asking *a)
{
    question *q = (question *)a;

    q->of->cancelled++;
    forget(q);
}

static void puppet_free(skn_provider *p)
{
    (void)p;
}

static const skn_provider_ops puppet_ops = {
    .ask = puppet_ask, .cancel = puppet_cancel, .free = puppet_free};

static void say_piece(puppet *u, const char *text)
{
    u->open->sink.delta(u->open->sink.arg, SKN_PART_TEXT, skn_str_of(text));
}

static void say_call_with(puppet *u, const char *args)
{
    const skein_tool_call call = {SKN_STR("call-1"), SKN_STR("demo_lookup"), skn_str_of(args)};

    u->open->sink.call(u->open->sink.arg, &call);
}

static void say_call(puppet *u)
{
    say_call_with(u, "{}");
}

static void end_answer(puppet *u, const skn_answer *answer)
{
    question       *q = u->open;
    skn_answer_sink sink = q->sink;

    forget(q);
    sink.done(sink.arg, answer);
}

static void say_done(puppet *u)
{
    const skn_answer whole = {.finish = "stop", .tokens_in = -1, .tokens_out = -1};

    end_answer(u, &whole);
}

/* Cannot be reached, which may pass. */
static void say_failed(puppet *u)
{
    skn_answer broken = {.retryable = true, .tokens_in = -1, .tokens_out = -1};

    skn_fail(&broken.error, SKEIN_PROVIDER, "the puppet cannot be reached");
    end_answer(u, &broken);
}

/* --- The stage ----------------------------------------------------------------------------------- */

typedef struct stage stage;

struct stage {
    kit           k;
    skn_loop     *loop;
    skn_workers  *workers;
    skn_provider *demo;
    puppet        puppet;
    skn_provider *providers[2];
    skn_runtime  *runtime;
    skn_timer    *patience;
    skn_buf       told; /* "UID:text\n" for every piece */
    int           pieces;
    bool (*until)(stage *s);
    bool    met;
    int     stops;   /* that were answered */
    int64_t stopped; /* by all of them */
    int     want;    /* what `until` waits for */
    int     commits;
    bool    closed;
    int64_t since; /* monotonic ns, or until when a lease was, where a test wants to know */
    /* What the runtime logs, where a test wants to know. */
    skn_log *log;
    int      log_in, log_out;
    skn_buf  logged;
};

static void look(stage *s)
{
    if (s->until && s->until(s)) {
        s->met = true;
        s->until = NULL;
        skn_loop_stop(s->loop);
    }
}

static void on_nudge(void *arg)
{
    stage *s = arg;

    s->commits++;
    if (s->runtime)
        skn_runtime_nudge(s->runtime);
    look(s);
}

static void on_commit(void *arg)
{
    skn_loop_post(((stage *)arg)->loop, on_nudge, arg);
}

static void on_tell(void *arg, const skn_live *e)
{
    stage *s = arg;

    assert_string_equal(e->type, "message.delta");
    assert_int_equal(e->chat.v, s->k.chat.id.v);
    assert_true(skn_str_eq(e->chat_uid, s->k.chat.uid));
    assert_true(e->message.n > 0 && e->text.n > 0 && e->cause.n > 0);
    skn_buf_addf(&s->told, "%.*s:%.*s:%.*s\n", SKN_FMT(e->message), SKN_FMT(e->part),
                 SKN_FMT(e->text));
    s->pieces++;
    look(s);
}

static void out_of_patience(void *arg)
{
    skn_loop_stop(((stage *)arg)->loop);
}

/* Runs the loop until something holds, looking after every commit and every piece. */
static void run_until(stage *s, bool (*until)(stage *s))
{
    s->met = until(s);
    if (s->met)
        return;
    s->until = until;
    skn_timer_start(s->patience, 60000);
    skn_loop_run(s->loop);
    skn_timer_stop(s->patience);
    if (!s->met)
        fail_msg("it did not happen within a minute");
}

static skn_provider *provider_of(void *arg, skn_str name)
{
    stage *s = arg;

    for (size_t i = 0; i < sizeof s->providers / sizeof *s->providers; i++)
        if (skn_str_is(name, s->providers[i]->name))
            return s->providers[i];
    return NULL;
}

static skn_str model_of(void *arg)
{
    (void)arg;
    return SKN_STR("demo/scripted");
}

static void start_runtime_with(stage *s, int64_t lease_ms, int64_t recover_ms)
{
    const skn_runtime_options o = {.engine = s->k.e,
                                   .loop = s->loop,
                                   .workers = s->workers,
                                   .log = s->log,
                                   .provider = provider_of,
                                   .model = model_of,
                                   .provider_arg = s,
                                   .holder = "test",
                                   .lease_ms = lease_ms,
                                   .recover_ms = recover_ms,
                                   .tell = on_tell,
                                   .tell_arg = s};

    s->runtime = skn_runtime_new(&o);
}

static void start_runtime(stage *s, int64_t lease_ms)
{
    start_runtime_with(s, lease_ms, 0);
}

static void open_stage(stage *s, void **state, const char *script, bool no_delay)
{
    skn_scripted_options o = {.no_delay = no_delay};

    memset(s, 0, sizeof *s);
    kit_open(&s->k, state);
    s->loop = skn_loop_new();
    s->workers = skn_workers_new(s->loop, 4);
    s->patience = skn_timer_new(s->loop, out_of_patience, s);
    skn_buf_init(&s->told, 1 << 20);
    KIT_OK(&s->k, skn_script_read(&o.script, skn_str_of(script), "test.yaml", &s->k.err));
    s->demo = skn_scripted_new(s->loop, &o);
    s->puppet.base = (skn_provider){&puppet_ops, "puppet"};
    s->providers[0] = s->demo;
    s->providers[1] = &s->puppet.base;
    skein_on_commit(s->k.e, on_commit, s);
}

static void on_closed(void *arg)
{
    stage *s = arg;

    s->closed = true;
    look(s);
}

static bool is_closed(stage *s)
{
    return s->closed;
}

static void close_runtime(stage *s)
{
    s->closed = false;
    skn_runtime_close(s->runtime, on_closed, s);
    run_until(s, is_closed);
    skn_runtime_free(s->runtime);
    s->runtime = NULL;
}

static void close_stage(stage *s)
{
    if (s->runtime)
        close_runtime(s);
    skein_on_commit(s->k.e, NULL, NULL);
    skn_workers_free(s->workers);
    skn_timer_free(s->patience);
    skn_provider_free(s->demo);
    skn_loop_free(s->loop);
    if (s->log) {
        skn_log_free(s->log);
        close(s->log_in);
        close(s->log_out);
        skn_buf_release(&s->logged);
    }
    skn_buf_release(&s->told);
    kit_close(&s->k);
}

static skein_posted post_how(stage *s, const char *text, bool now)
{
    skein_post   p = {.chat = s->k.chat.id,
                      .message = &(skein_new_message){.content = skein_text(text)},
                      .now = now};
    skein_posted out;

    KIT_OK(&s->k, skein_post_message(s->k.e, &p, s->k.mem, &out, &s->k.err));
    return out;
}

static skein_posted post(stage *s, const char *text)
{
    return post_how(s, text, false);
}

/* Gives the agent (0: ada) a model. */
static void set_model(stage *s, int agent, const char *model)
{
    s->k.agent[agent].model = skein_text(model);
    KIT_OK(&s->k, skein_agent_update(s->k.e, &s->k.agent[agent], s->k.mem, &s->k.err));
}

static size_t open_turns(stage *s)
{
    skein_turns turns;

    KIT_OK(&s->k, skein_turns_open(s->k.e, s->k.world.id, (skein_conversation_id){0}, s->k.mem,
                                   &turns, &s->k.err));
    return turns.count;
}

static bool is_idle(stage *s)
{
    skein_dues due;

    KIT_OK(&s->k, skein_work_due(s->k.e, 10, s->k.mem, &due, &s->k.err));
    return due.count == 0 && open_turns(s) == 0;
}

static bool is_asked(stage *s)
{
    return s->puppet.asked >= s->want;
}

static bool is_cancelled(stage *s)
{
    return s->puppet.cancelled >= s->want;
}

/* The puppet is asked and cancelled without a commit of its own, so it is looked at now and then. */
static void run_until_puppet(stage *s, bool (*until)(stage *s), int times)
{
    int rounds = 0;

    s->want = times;
    while (!until(s)) {
        if (rounds++ == 6000)
            fail_msg("it did not happen within a minute");
        skn_timer_start(s->patience, 10);
        skn_loop_run(s->loop);
    }
}

static void run_until_asked(stage *s, int times)
{
    run_until_puppet(s, is_asked, times);
}

static void run_until_cancelled(stage *s, int times)
{
    run_until_puppet(s, is_cancelled, times);
}

static skein_messages room(stage *s)
{
    skein_slice    all = {.conversation = s->k.chat.id};
    skein_messages out;
    skein_at       at;

    KIT_OK(&s->k, skein_read(s->k.e, &all, s->k.mem, &out, &at, &s->k.err));
    return out;
}

/* The pieces of one message, put together. */
static const char *told_of(stage *s, skn_str uid, const char *part, skn_buf *out)
{
    skn_str rest = skn_buf_str(&s->told), line;
    skn_str head = skn_arena_printf(s->k.mem, "%.*s:%s:", SKN_FMT(uid), part);

    skn_buf_clear(out);
    skn_buf_add(out, SKN_STR(""));
    while (skn_str_split(&rest, '\n', &line)) {
        if (skn_str_starts(line, head))
            skn_buf_add(out, skn_str_sub(line, head.n, line.n));
    }
    return skn_buf_str(out).p;
}

/* How often an event of a type says something. */
static int events_with(stage *s, const char *type, const char *text)
{
    skein_event_query q = {.world = s->k.world.id};
    skein_events      events;
    int               n = 0;

    KIT_OK(&s->k, skein_events_read(s->k.e, &q, s->k.mem, &events, &s->k.err));
    for (size_t i = 0; i < events.count; i++)
        n += skn_str_is(events.at[i].type, type) &&
             skn_str_find(events.at[i].data, skn_str_of(text)) >= 0;
    return n;
}

#define SCRIPT                                                                                 \
    "pace: 1\n"                                                                                \
    "rules:\n"                                                                                 \
    "  - {when: hello, do: [{think: hm so}, {say: 'Hi {sender}, I am {agent}.'}]}\n"           \
    "  - {when: look, do: [{say: Looking.}, {call: demo_lookup, args: {query: tea}}]}\n"       \
    "  - {when: wrong, do: [{call: no_such_tool}, {call: demo_lookup, args: {query: 7}}]}\n"   \
    "  - {tool: demo_lookup, matches: '\"(t[ea]+)\"', do: 'Found {1}.'}\n"                     \
    "  - {tool: demo_lookup, do: 'Found.'}\n"                                                  \
    "  - {tool: no_such_tool, do: 'Not found.'}\n"                                             \
    "  - {when: rate, do: [{say: oh}, {fail: rate_limit}]}\n"                                  \
    "  - {when: net, do: [{fail: network}]}\n"                                                 \
    "  - {when: forever, do: [{call: again}]}\n"                                               \
    "  - {tool: again, do: [{call: again}]}\n"                                                 \
    "  - {when: mum, do: [{wait: 1ms}]}\n"                                                     \
    "  - {when: slow, do: 'a b c d e f g h i j k l m n o p q r s t u v w x y z'}\n"            \
    "  - {when: ask, agent: ada, from: human, do: \"I ask.\\n@bo please answer\"}\n"           \
    "  - {from: ada, agent: bo, do: \"Answered.\\n@ada done\"}\n"                              \
    "  - {from: bo, agent: ada, do: 'Thanks.'}\n"                                              \
    "otherwise: no line\n"

/* --- Answers --------------------------------------------------------------------------------------- */

static void everybody_who_has_to_answer_does(void **state)
{
    stage          s;
    skein_posted   posted;
    skein_messages m;
    skn_buf        b;

    open_stage(&s, state, SCRIPT, false);
    skn_buf_init(&b, 10000);
    start_runtime(&s, 0);
    posted = post(&s, "hello all");
    assert_int_equal(posted.waiting, 3);
    run_until(&s, is_idle);
    m = room(&s);
    assert_int_equal(m.count, 4);
    for (size_t i = 1; i < m.count; i++) {
        const skein_message *a = &m.at[i];
        char                 text[100];

        snprintf(text, sizeof text, "Hi human, I am %.*s.", SKN_FMT(a->sender));
        assert_true(skn_str_is(a->content, text));
        assert_true(skn_str_is(a->thinking, "hm so"));
        assert_true(skn_str_is(a->model, "demo/scripted"));
        assert_true(skn_str_eq(a->reply_to, posted.message.uid));
        assert_true(a->role == SKEIN_ASSISTANT && a->turn_uid.n);
        assert_string_equal(told_of(&s, a->uid, "text", &b), text);
        assert_string_equal(told_of(&s, a->uid, "thinking", &b), "hm so");
    }
    assert_int_equal(s.pieces, 3 * 7);
    skn_buf_release(&b);
    close_stage(&s);
}

static void a_call_is_stored_before_its_result_and_answered(void **state)
{
    stage          s;
    skein_messages m;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    post(&s, "@ada look");
    run_until(&s, is_idle);
    m = room(&s);
    assert_int_equal(m.count, 4);
    assert_true(skn_str_is(m.at[1].content, "Looking.") && m.at[1].call_count == 1);
    assert_true(skn_str_is(m.at[1].calls[0].args, "{\"query\":\"tea\"}"));
    assert_true(m.at[2].role == SKEIN_TOOL && !m.at[2].tool_failed);
    assert_true(skn_str_eq(m.at[2].tool_call_id, m.at[1].calls[0].call_id));
    assert_true(skn_str_starts(m.at[2].content, SKN_STR("demo data")));
    assert_true(skn_str_is(m.at[3].content, "Found tea."));
    assert_true(skn_str_eq(m.at[1].turn_uid, m.at[3].turn_uid));
    kit_valid(&s.k);
    close_stage(&s);
}

static void a_tool_that_is_not_there_or_misused_fails_and_the_turn_goes_on(void **state)
{
    stage          s;
    skein_messages m;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    post(&s, "@ada wrong");
    run_until(&s, is_idle);
    m = room(&s);
    assert_int_equal(m.count, 5);
    assert_int_equal(m.at[1].call_count, 2);
    assert_true(m.at[2].tool_failed && m.at[3].tool_failed);
    assert_true(skn_str_starts(
        m.at[2].content,
        SKN_STR("not run: there is no tool \"no_such_tool\"; known: tell_agent, ")));
    assert_true(skn_str_starts(m.at[3].content, SKN_STR("demo data: the arguments")));
    assert_true(skn_str_is(m.at[4].content, "Found."));
    close_stage(&s);
}

static void a_list_of_tools_may_have_either_name_of_one(void **state)
{
    stage          s;
    skein_agent    ada;
    skein_messages m;

    open_stage(&s, state, SCRIPT, true);
    KIT_OK(&s.k,
           skein_agent_find(s.k.e, s.k.world.id, SKN_STR("ada"), s.k.mem, &ada, &s.k.err));
    ada.settings = SKN_STR("{\"tools\":[\"tellAgent\",\"recall\"]}");
    KIT_OK(&s.k, skein_agent_update(s.k.e, &ada, s.k.mem, &s.k.err));
    start_runtime(&s, 0);
    post(&s, "@ada wrong");
    run_until(&s, is_idle);
    m = room(&s);
    assert_non_null(strstr(m.at[2].content.p, "known: tell_agent, recall"));
    close_stage(&s);
}

static void agents_that_name_each_other_answer_in_turn(void **state)
{
    stage          s;
    skein_messages m;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    post(&s, "@ada ask");
    run_until(&s, is_idle);
    m = room(&s);
    assert_int_equal(m.count, 4);
    assert_true(skn_str_is(m.at[1].sender, "ada") && skn_str_is(m.at[2].sender, "bo"));
    assert_true(skn_str_is(m.at[3].content, "Thanks."));
    assert_true(skn_str_eq(m.at[2].reply_to, m.at[1].uid));
    assert_true(skn_str_eq(m.at[3].reply_to, m.at[2].uid));
    close_stage(&s);
}

static void an_answer_of_nothing_is_no_message(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    post(&s, "@ada mum");
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 1);
    close_stage(&s);
}

/* --- Failures -------------------------------------------------------------------------------------- */

static void a_provider_that_is_not_there_fails_the_turn(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "nowhere/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 1);
    assert_int_equal(
        events_with(&s, "message.failed", "no provider \\\"nowhere\\\" for the model"), 1);
    close_stage(&s);
}

static void a_model_that_fails_fails_the_turn_and_keeps_its_words(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    post(&s, "@ada rate");
    run_until(&s, is_idle);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada rate oh");
    assert_int_equal(events_with(&s, "message.completed", "\"unfinished\":\"cut\""), 1);
    assert_int_equal(events_with(&s, "message.failed", "too many requests"), 1);
    post(&s, "@ada hello");
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 4);
    close_stage(&s);
}

static void a_model_that_cannot_be_reached_is_asked_once_more(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_failed(&s.puppet);
    run_until_asked(&s, 2);
    assert_string_equal(s.puppet.said, "@ada hello");
    say_piece(&s.puppet, "here I am");
    say_done(&s.puppet);
    run_until(&s, is_idle);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada hello here I am");
    assert_int_equal(events_with(&s, "message.failed", ""), 0);
    close_stage(&s);
}

static void a_model_that_stays_away_fails_the_turn(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    for (int i = 1; i <= 2; i++) {
        run_until_asked(&s, i);
        say_failed(&s.puppet);
    }
    run_until(&s, is_idle);
    assert_int_equal(s.puppet.asked, 2);
    assert_int_equal(events_with(&s, "message.failed", "cannot be reached"), 1);
    post(&s, "@bo net"); /* the scripted one, as docs/scripts.md has it */
    run_until(&s, is_idle);
    assert_int_equal(events_with(&s, "message.failed", "scripted failure"), 1);
    close_stage(&s);
}

/* What was told of an answer cannot be taken back. */
static void a_model_that_fails_in_the_middle_is_not_asked_again(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "well");
    say_failed(&s.puppet);
    run_until(&s, is_idle);
    assert_int_equal(s.puppet.asked, 1);
    assert_int_equal(events_with(&s, "message.failed", "cannot be reached"), 1);
    close_stage(&s);
}

static void arguments_that_cannot_be_read_are_told_to_the_model(void **state)
{
    static const char *const odd[] = {"{\"query\": nope}", "[1]", "tea",
                                      "{\"query\":\"\xff\"}"};
    stage                    s;
    skein_messages           m;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        post(&s, "@ada hello");
        run_until_asked(&s, (int)(2 * i + 1));
        say_call_with(&s.puppet, odd[i]);
        say_done(&s.puppet);
        run_until_asked(&s, (int)(2 * i + 2));
        say_piece(&s.puppet, "I see");
        say_done(&s.puppet);
        run_until(&s, is_idle);
        m = room(&s);
        assert_int_equal(m.count, 4 * (i + 1));
        assert_true(m.at[4 * i + 2].tool_failed);
        assert_true(skn_str_starts(m.at[4 * i + 2].content,
                                   SKN_STR("not run: the arguments are not a JSON object")));
    }
    kit_valid(&s.k);
    close_stage(&s);
}

static void calling_tools_without_end_is_ended(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    post(&s, "@ada forever");
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 1 + 2 * 50);
    assert_int_equal(events_with(&s, "message.failed", "asked 50 times in one turn"), 1);
    kit_valid(&s.k);
    close_stage(&s);
}

/* --- Stopping --------------------------------------------------------------------------------------- */

static void on_stopped(void *arg, int64_t stopped, const skein_error *err)
{
    stage *s = arg;

    if (err)
        fail_msg("%s", err->message);
    s->stops++;
    s->stopped += stopped;
    look(s);
}

static bool is_stopped(stage *s)
{
    return s->stops >= s->want;
}

static void run_until_stopped(stage *s, int times)
{
    s->want = times;
    run_until(s, is_stopped);
}

static bool has_pieces(stage *s)
{
    return s->pieces >= s->want;
}

static void a_stop_keeps_what_was_written(void **state)
{
    stage          s;
    skein_messages m;
    skn_buf        b;
    int            pieces;

    open_stage(&s, state, SCRIPT, false);
    skn_buf_init(&b, 10000);
    start_runtime(&s, 0);
    post(&s, "@ada slow");
    s.want = 5;
    run_until(&s, has_pieces);
    skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
    pieces = s.pieces;
    run_until_stopped(&s, 1);
    assert_int_equal(s.stopped, 1);
    assert_int_equal(open_turns(&s), 0);
    m = room(&s);
    assert_int_equal(m.count, 2);
    assert_true(skn_str_starts(m.at[1].content, SKN_STR("a b c d e")));
    assert_true(skn_str_is(skn_str_trim(skn_str_of(told_of(&s, m.at[1].uid, "text", &b))),
                           skn_arena_copy(s.k.mem, skn_str_trim(m.at[1].content)).p));
    post(&s, "@bo hello"); /* by the time this is answered, ada would have gone on */
    run_until(&s, is_idle);
    assert_int_equal(s.pieces, pieces + 7);
    assert_int_equal(room(&s).count, 4);
    skn_buf_release(&b);
    close_stage(&s);
}

static void a_stop_of_one_agent_leaves_the_others(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, false);
    for (int i = 0; i < 3; i++)
        set_model(&s, i, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "hello");
    run_until_asked(&s, 3);
    skn_runtime_stop(s.runtime, s.k.chat.id, s.k.agent[1].id, on_stopped, &s);
    run_until_stopped(&s, 1);
    assert_int_equal(s.stopped, 1);
    assert_int_equal(s.puppet.cancelled, 1);
    assert_int_equal(open_turns(&s), 2);
    for (int i = 0; i < 2; i++) {
        say_piece(&s.puppet, "fine");
        say_done(&s.puppet);
    }
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 3);
    close_stage(&s);
}

/* The stop comes while the answer is being stored: it is kept once, not once more as half of one. */
static void a_stop_does_not_keep_what_is_stored_already(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "text");
    say_call(&s.puppet);
    say_done(&s.puppet);
    skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
    run_until_stopped(&s, 1);
    assert_int_equal(s.stopped, 1);
    assert_string_equal(kit_texts(&s.k, "main", 0),
                        "@ada hello text interrupted: the outcome of this call is unknown");
    assert_true(is_idle(&s));
    kit_valid(&s.k);
    close_stage(&s);
}

static void a_stop_that_comes_after_the_last_word_stops_nothing(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "text");
    say_done(&s.puppet);
    skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
    run_until_stopped(&s, 1);
    assert_int_equal(s.stopped, 0);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada hello text");
    close_stage(&s);
}

static void of_two_stops_at_once_the_first_keeps_the_text(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "half");
    skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
    skn_runtime_stop(s.runtime, s.k.chat.id, s.k.agent[0].id, on_stopped, &s);
    run_until_stopped(&s, 2);
    assert_int_equal(s.stopped, 1);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada hello half");
    close_stage(&s);
}

/* Right after the post, or later: whatever is on its way, nothing is left open. */
static void a_stop_may_come_at_any_time(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    start_runtime(&s, 0);
    for (int round = 0; round < 12; round++) {
        int seen = s.commits;

        post(&s, round % 2 ? "look" : "hello");
        s.until = NULL;
        while (s.commits < seen + round) { /* a little further each time, or to the end */
            skn_timer_start(s.patience, 20);
            skn_loop_run(s.loop);
            if (is_idle(&s))
                break;
        }
        skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
        skn_runtime_stop(s.runtime, s.k.chat.id, s.k.agent[0].id, on_stopped, &s);
        run_until_stopped(&s, 2 * round + 2);
        assert_true(is_idle(&s));
    }
    kit_valid(&s.k);
    close_stage(&s);
}

static void stop_elsewhere(stage *s)
{
    const skein_stop all = {.chat = s->k.chat.id};
    int64_t          stopped;

    KIT_OK(&s->k, skein_work_stop(s->k.e, &all, &stopped, &s->k.err));
    assert_int_equal(stopped, 1);
}

static void a_stop_by_another_program_ends_the_asking(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "half a");
    stop_elsewhere(&s);
    run_until_cancelled(&s, 1);
    assert_int_equal(room(&s).count, 1);
    close_stage(&s);
}

static void a_late_answer_never_lands(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    stop_elsewhere(&s);
    say_piece(&s.puppet, "too late"); /* before the runtime can know */
    say_done(&s.puppet);
    post(&s, "@bo hello");
    run_until(&s, is_idle);
    close_runtime(&s);
    assert_int_equal(s.puppet.cancelled, 0);
    assert_int_equal(room(&s).count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_false(skn_str_is(room(&s).at[i].content, "too late"));
    close_stage(&s);
}

static void an_edit_by_force_ends_the_asking_and_is_answered(void **state)
{
    stage         s;
    skein_posted  posted;
    skein_removal removal;
    skein_change  how;
    int64_t       since;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    posted = post(&s, "@ada hello");
    run_until_asked(&s, 1);
    how = (skein_change){.conversation = s.k.chat.id, .wake = true};
    assert_int_equal(skein_edit(s.k.e, &how, posted.message.id, SKN_STR("@ada again"), s.k.mem,
                                &removal, &s.k.err),
                     SKEIN_AT_WORK);
    how.force = true;
    since = skn_clock_monotonic();
    KIT_OK(&s.k, skein_edit(s.k.e, &how, posted.message.id, SKN_STR("@ada again"), s.k.mem,
                            &removal, &s.k.err));
    run_until_asked(&s, 2);
    assert_true(skn_clock_monotonic() - since <
                8 * INT64_C(1000000000)); /* not by chance later */
    assert_int_equal(s.puppet.cancelled, 1);
    assert_string_equal(s.puppet.said, "@ada again");
    say_piece(&s.puppet, "new");
    say_done(&s.puppet);
    run_until(&s, is_idle);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada again new");
    close_stage(&s);
}

/* --- Beginnings and ends ---------------------------------------------------------------------------- */

static void what_a_dead_program_left_is_closed_at_the_start(void **state)
{
    stage      s;
    skein_dues due;
    skein_turn turn;

    open_stage(&s, state, SCRIPT, true);
    post(&s, "@ada hello");
    KIT_OK(&s.k, skein_work_due(s.k.e, 10, s.k.mem, &due, &s.k.err));
    assert_int_equal(due.count, 1);
    KIT_OK(&s.k, skein_turn_begin(s.k.e, due.at[0].delivery, SKN_STR("dead"), SKN_STR("demo/x"),
                                  1, s.k.mem, &turn, &s.k.err));
    while (events_with(&s, "message.failed", "went away") == 0) { /* a lease of 1 ms */
        start_runtime(&s, 0);
        close_runtime(&s);
    }
    assert_int_equal(open_turns(&s), 0);
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 3);
    close_stage(&s);
}

static void work_from_before_the_start_is_done(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    post(&s, "hello");
    start_runtime(&s, 0);
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 4);
    close_stage(&s);
}

/* How a message's delivery to the first agent stands. */
static skn_str state_of(stage *s, const skein_message *m)
{
    skein_message    copy = *m;
    skein_messages   one = {&copy, 1};
    skein_deliveries of;

    KIT_OK(&s->k, skein_deliveries_of(s->k.e, s->k.chat.id, &one, s->k.mem, &of, &s->k.err));
    for (size_t i = 0; i < of.count; i++)
        if (skn_str_eq(of.at[i].agent, s->k.agent[0].name))
            return of.at[i].state;
    return SKN_NONE;
}

static void closing_keeps_what_was_written(void **state)
{
    stage          s;
    skein_posted   posted;
    skein_messages m;
    int64_t        since;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    posted = post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "half of it\n@bo help");
    since = skn_clock_monotonic();
    close_runtime(&s);
    assert_true(skn_clock_monotonic() - since < 2 * INT64_C(1000000000));
    m = room(&s);
    assert_int_equal(m.count, 2);
    assert_true(skn_str_is(m.at[1].content, "half of it\n@bo help"));
    assert_true(skn_str_eq(m.at[1].reply_to, posted.message.uid));
    assert_int_equal(events_with(&s, "message.completed", "\"finishReason\":\"cut\""), 1);
    assert_int_equal(events_with(&s, "message.failed", "the server was ended"), 1);
    assert_true(skn_str_is(state_of(&s, &posted.message), "failed"));
    assert_true(is_idle(&s)); /* nobody is named by half an answer */
    kit_valid(&s.k);
    close_stage(&s);
}

/* The agent works on one message, and another one that it has to answer waits. */
static void closing_leaves_work_that_was_not_begun_to_the_next(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_piece(&s.puppet, "half");
    post_how(&s, "@ada hello again", true);
    close_runtime(&s);
    start_runtime(&s, 0);
    run_until_asked(&s, 2);
    assert_string_equal(s.puppet.said, "@ada hello again");
    say_piece(&s.puppet, "whole");
    say_done(&s.puppet);
    run_until(&s, is_idle);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada hello @ada hello again half whole");
    close_stage(&s);
}

static void closing_ends_open_turns_as_interrupted(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    for (int i = 0; i < 3; i++)
        set_model(&s, i, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "hello");
    run_until_asked(&s, 3);
    close_runtime(&s);
    assert_int_equal(s.puppet.cancelled, 3);
    assert_true(is_idle(&s));
    assert_int_equal(room(&s).count, 1);
    assert_int_equal(events_with(&s, "message.failed", "\"interrupted\""), 3);
    close_stage(&s);
}

static void closing_waits_for_a_stop(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    for (int i = 0; i < 3; i++)
        set_model(&s, i, "puppet/x");
    start_runtime(&s, 0);
    post(&s, "hello");
    run_until_asked(&s, 3);
    say_piece(&s.puppet, "half");
    skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
    close_runtime(&s);
    assert_int_equal(s.stops, 1);
    assert_int_equal(s.stopped, 3);
    assert_string_equal(kit_texts(&s.k, "main", 0), "hello half");
    close_stage(&s);
}

static void closing_at_once_is_fine(void **state)
{
    stage s;

    open_stage(&s, state, SCRIPT, true);
    for (int i = 0; i < 10; i++) {
        post(&s, "hello");
        start_runtime(&s, 0);
        if (i % 2)
            on_nudge(&s);
        close_runtime(&s);
        assert_int_equal(open_turns(&s), 0);
    }
    close_stage(&s);
}

static int64_t lease_of(stage *s)
{
    return skn_fixture_number(s->k.fx, "SELECT lease_until FROM turns WHERE state = 'open'");
}

static bool is_renewed(stage *s)
{
    return lease_of(s) > s->since;
}

static void a_lease_is_held_as_long_as_the_model_takes(void **state)
{
    stage   s;
    int64_t closed = -1;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    start_runtime(&s, 900);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    /* Longer than a lease, which is renewed after a third of it. */
    for (int i = 0; i < 4; i++) {
        s.since = lease_of(&s);
        run_until_puppet(&s, is_renewed, 0);
    }
    KIT_OK(&s.k, skein_turns_recover(s.k.e, false, &closed, &s.k.err));
    assert_int_equal(closed, 0);
    say_piece(&s.puppet, "at last");
    say_done(&s.puppet);
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 2);
    close_stage(&s);
}

static bool is_swept(stage *s)
{
    return events_with(s, "message.failed", "went away") > 0;
}

/* The clock is set, or the computer slept: what is ours is held on to, what others left is closed. */
static void a_clock_that_jumps_closes_no_turn_of_ours(void **state)
{
    stage      s;
    skein_dues due;
    skein_turn turn;

    open_stage(&s, state, SCRIPT, true);
    set_model(&s, 0, "puppet/x");
    post(&s, "@bo hello");
    KIT_OK(&s.k, skein_work_due(s.k.e, 10, s.k.mem, &due, &s.k.err));
    KIT_OK(&s.k, skein_turn_begin(s.k.e, due.at[0].delivery, SKN_STR("dead"), SKN_STR("demo/x"),
                                  DAY_MS, s.k.mem, &turn, &s.k.err));
    start_runtime_with(&s, DAY_MS, 50);
    post_how(&s, "@ada hello", true);
    run_until_asked(&s, 1);
    skn_fixture_sql(s.k.fx, "UPDATE turns SET lease_until = 1 WHERE state = 'open'");
    run_until(&s, is_swept);
    assert_int_equal(open_turns(&s), 1);
    say_piece(&s.puppet, "still here");
    say_done(&s.puppet);
    run_until(&s, is_idle);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@bo hello @ada hello still here");
    close_stage(&s);
}

static void more_work_than_turns_at_once_is_done_in_the_end(void **state)
{
    enum { EXTRA = 70 };
    stage s;

    open_stage(&s, state, SCRIPT, true);
    for (int i = 0; i < EXTRA; i++) {
        char        name[20];
        skein_agent agent = {.world = s.k.world.id};

        snprintf(name, sizeof name, "agent-%d", i);
        agent.name = skein_text(name);
        KIT_OK(&s.k, skein_agent_new(s.k.e, &agent, s.k.mem, &s.k.err));
    }
    start_runtime(&s, 0);
    assert_int_equal(post(&s, "hello").waiting, EXTRA + 3);
    run_until(&s, is_idle);
    assert_int_equal(room(&s).count, 1 + EXTRA + 3);
    close_stage(&s);
}

/* --- A store that takes nothing ------------------------------------------------------------------ */

static void listen_to_log(stage *s)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    s->log_in = ends[0];
    s->log_out = ends[1];
    assert_int_not_equal(fcntl(s->log_in, F_SETFL, O_NONBLOCK), -1);
    s->log = skn_log_new(s->log_out, false, SKN_LOG_INFO);
    skn_buf_init(&s->logged, 1 << 20);
}

static bool is_trying(stage *s)
{
    char    bytes[512];
    ssize_t n;

    while ((n = read(s->log_in, bytes, sizeof bytes)) > 0)
        skn_buf_add(&s->logged, (skn_str){bytes, (size_t)n});
    return skn_str_find(skn_buf_str(&s->logged), SKN_STR("trying again")) >= 0;
}

/* No file grows any more; the other server says that its disk is full. */
static void fill_disk(stage *s)
{
    struct rlimit files;

    if (s->k.fx->pg) {
        skn_fixture_sql(s->k.fx,
                        "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ "
                        "BEGIN RAISE EXCEPTION 'full' USING ERRCODE = '53100'; END $$;"
                        "CREATE TRIGGER full_disk BEFORE UPDATE ON turns "
                        "FOR EACH ROW EXECUTE FUNCTION full_disk()");
        return;
    }
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &files), 0);
    files.rlim_cur = 1;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &files), 0);
}

static void empty_disk(stage *s)
{
    struct rlimit files;

    if (s->k.fx->pg) {
        skn_fixture_sql(s->k.fx, "DROP TRIGGER full_disk ON turns; DROP FUNCTION full_disk()");
        return;
    }
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &files), 0);
    files.rlim_cur = files.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &files), 0);
}

/* Has one turn that is asked on a disk that is full from now on. */
static void ask_and_fill(stage *s, void **state)
{
    open_stage(s, state, SCRIPT, true);
    listen_to_log(s);
    set_model(s, 0, "puppet/x");
    start_runtime(s, 0);
    post(s, "@ada hello");
    run_until_asked(s, 1);
    say_piece(&s->puppet, "an answer");
    fill_disk(s);
}

#define LEASE_NS (30 * INT64_C(1000000000)) /* that of a runtime that is told none */

static void an_answer_is_stored_once_there_is_room_for_it(void **state)
{
    stage   s;
    int64_t since;

    ask_and_fill(&s, state);
    say_done(&s.puppet);
    run_until_puppet(&s, is_trying, 0);
    empty_disk(&s);
    since = skn_clock_monotonic();
    run_until(&s, is_idle);
    assert_true(skn_clock_monotonic() - since < LEASE_NS); /* none ran out */
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada hello an answer");
    assert_int_equal(events_with(&s, "message.failed", ""), 0);
    close_stage(&s);
}

static void a_failed_turn_is_closed_once_there_is_room_for_that(void **state)
{
    stage   s;
    int64_t since;

    ask_and_fill(&s, state);
    say_failed(&s.puppet);
    run_until_puppet(&s, is_trying, 0);
    empty_disk(&s);
    since = skn_clock_monotonic();
    run_until(&s, is_idle);
    assert_true(skn_clock_monotonic() - since < LEASE_NS);
    assert_int_equal(events_with(&s, "message.failed", "the puppet cannot be reached"), 1);
    close_stage(&s);
}

/* Whether a change by force would be given this alone, or nothing. */
static bool is_to_be_kept(stage *s, const char *text)
{
    skn_arena *a = skn_arena_new();
    skein_stop all;
    bool       is;

    skn_runtime_written(s->runtime, (skein_world_id){0}, a, &all);
    is = text ? all.partial_count == 1 && skn_str_is(all.partials[0].text, text)
              : all.partial_count == 0;
    skn_arena_free(a);
    return is;
}

static bool nothing_is_to_be_kept(stage *s)
{
    return is_to_be_kept(s, NULL);
}

static void an_answer_that_is_being_stored_is_there_for_a_change_by_force(void **state)
{
    stage s;

    ask_and_fill(&s, state);
    say_done(&s.puppet);
    run_until_puppet(&s, is_trying, 0);
    assert_true(is_to_be_kept(&s, "an answer"));
    empty_disk(&s);
    run_until(&s, is_idle);
    run_until_puppet(&s, nothing_is_to_be_kept, 0);
    close_stage(&s);
}

static void an_answer_that_waits_for_room_is_kept_by_a_stop(void **state)
{
    stage s;

    ask_and_fill(&s, state);
    say_done(&s.puppet);
    run_until_puppet(&s, is_trying, 0);
    empty_disk(&s);
    skn_runtime_stop(s.runtime, s.k.chat.id, (skein_agent_id){0}, on_stopped, &s);
    run_until_stopped(&s, 1);
    assert_int_equal(s.stopped, 1);
    assert_string_equal(kit_texts(&s.k, "main", 0), "@ada hello an answer");
    close_stage(&s);
}

static skein_inbox questions(stage *s)
{
    const skein_inbox_query what = {.world = s->k.world.id, .done = -1, .limit = 10};
    skein_inbox             out;

    KIT_OK(&s->k, skein_inbox_list(s->k.e, &what, s->k.mem, &out, &s->k.err));
    return out;
}

static bool is_questioned(stage *s)
{
    return questions(s).count == 1;
}

/* The look was tried again, and nothing else that it might have set off can still come. */
static bool has_looked_again(stage *s)
{
    return s->puppet.asked >= 2 &&
           skn_clock_monotonic() - s->since > 3 * INT64_C(1000000000) / 2;
}

static void a_look_that_waits_for_room_is_not_taken_twice(void **state)
{
    stage              s;
    skein_world_change ask = {.settings = SKN_STR("{\"approvals\":{\"demo_lookup\":\"ask\"}}")};
    skein_inbox_item   answered;
    skein_message      said;

    open_stage(&s, state, SCRIPT, true);
    listen_to_log(&s);
    set_model(&s, 0, "puppet/x");
    ask.size = sizeof ask;
    ask.id = s.k.world.id;
    KIT_OK(&s.k, skein_world_patch(s.k.e, &ask, s.k.mem, &s.k.world, &s.k.err));
    start_runtime(&s, 0);
    post(&s, "@ada hello");
    run_until_asked(&s, 1);
    say_call(&s.puppet);
    say_done(&s.puppet);
    run_until(&s, is_questioned);
    KIT_OK(&s.k, skein_inbox_answer(s.k.e, questions(&s).at[0].uid, SKN_STR("allow"), s.k.mem,
                                    &answered, &said, &s.k.err));
    fill_disk(&s);
    run_until_puppet(&s, is_trying, 0);
    empty_disk(&s);
    s.since = skn_clock_monotonic();
    skn_runtime_nudge(s.runtime);
    run_until_puppet(&s, has_looked_again, 0);
    assert_int_equal(s.puppet.asked, 2);
    say_piece(&s.puppet, "an answer");
    say_done(&s.puppet);
    run_until(&s, is_idle);
    assert_int_equal(s.puppet.asked, 2);
    close_stage(&s);
}

static void close_while_full(stage *s)
{
    int64_t since;

    run_until_puppet(s, is_trying, 0);
    since = skn_clock_monotonic();
    close_runtime(s);
    assert_true(skn_clock_monotonic() - since < 2 * INT64_C(1000000000));
    empty_disk(s);
    assert_int_equal(open_turns(s), 1);
    assert_int_equal(room(s).count, 1);
    close_stage(s);
}

static void closing_does_not_wait_for_room(void **state)
{
    stage s;

    ask_and_fill(&s, state);
    say_done(&s.puppet);
    close_while_full(&s);
}

static void closing_does_not_wait_for_room_to_close_a_turn(void **state)
{
    stage s;

    ask_and_fill(&s, state);
    say_failed(&s.puppet);
    close_while_full(&s);
}

/* --- The tour ------------------------------------------------------------------------------------- */

static void the_tour_is_made_once_and_only_in_an_empty_store(void **state)
{
    skn_fixture  *fx = skn_fixture_of(state);
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e;
    skein_mem    *mem = skein_mem_new();
    skein_world   tour, found;
    skein_agents  agents;
    skein_error   err = {0};
    bool          made;

    options.store = skein_text(fx->address);
    SKN_OK(skein_open(&e, &options, &err), err);
    SKN_OK(skn_tour_make(e, &tour, &made, &err), err);
    assert_true(made && skn_str_is(tour.name, "tour") && tour.current_chat.v);
    SKN_OK(skein_world_find(e, SKN_STR("tour"), mem, &found, &err), err);
    assert_int_equal(found.current_chat.v, tour.current_chat.v);
    SKN_OK(skein_agent_list(e, tour.id, mem, &agents, &err), err);
    assert_int_equal(agents.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_null(agents.at[i].model.p); /* it answers by whatever model there is */
        assert_true(!agents.at[i].lead_name.p == skn_str_is(agents.at[i].name, "lead"));
    }
    SKN_OK(skn_tour_make(e, &tour, &made, &err), err);
    assert_true(!made && !tour.id.v);
    skein_close(e);
    skein_mem_free(mem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(everybody_who_has_to_answer_does),
        SKN_BOTH(a_call_is_stored_before_its_result_and_answered),
        SKN_BOTH(a_tool_that_is_not_there_or_misused_fails_and_the_turn_goes_on),
        SKN_ON_SQLITE(a_list_of_tools_may_have_either_name_of_one),
        SKN_BOTH(agents_that_name_each_other_answer_in_turn),
        SKN_BOTH(an_answer_of_nothing_is_no_message),
        SKN_BOTH(a_provider_that_is_not_there_fails_the_turn),
        SKN_BOTH(a_model_that_fails_fails_the_turn_and_keeps_its_words),
        SKN_BOTH(a_model_that_cannot_be_reached_is_asked_once_more),
        SKN_BOTH(a_model_that_stays_away_fails_the_turn),
        SKN_BOTH(a_model_that_fails_in_the_middle_is_not_asked_again),
        SKN_BOTH(arguments_that_cannot_be_read_are_told_to_the_model),
        SKN_BOTH(calling_tools_without_end_is_ended),
        SKN_BOTH(a_stop_keeps_what_was_written),
        SKN_BOTH(a_stop_of_one_agent_leaves_the_others),
        SKN_BOTH(a_stop_does_not_keep_what_is_stored_already),
        SKN_BOTH(a_stop_that_comes_after_the_last_word_stops_nothing),
        SKN_BOTH(of_two_stops_at_once_the_first_keeps_the_text),
        SKN_BOTH(a_stop_may_come_at_any_time),
        SKN_BOTH(a_stop_by_another_program_ends_the_asking),
        SKN_BOTH(a_late_answer_never_lands),
        SKN_BOTH(an_edit_by_force_ends_the_asking_and_is_answered),
        SKN_BOTH(what_a_dead_program_left_is_closed_at_the_start),
        SKN_BOTH(work_from_before_the_start_is_done),
        SKN_BOTH(closing_keeps_what_was_written),
        SKN_BOTH(closing_leaves_work_that_was_not_begun_to_the_next),
        SKN_BOTH(closing_ends_open_turns_as_interrupted),
        SKN_BOTH(closing_waits_for_a_stop),
        SKN_BOTH(closing_at_once_is_fine),
        SKN_BOTH(a_lease_is_held_as_long_as_the_model_takes),
        SKN_BOTH(a_clock_that_jumps_closes_no_turn_of_ours),
        SKN_BOTH(more_work_than_turns_at_once_is_done_in_the_end),
        SKN_BOTH(an_answer_is_stored_once_there_is_room_for_it),
        SKN_BOTH(a_failed_turn_is_closed_once_there_is_room_for_that),
        SKN_BOTH(an_answer_that_is_being_stored_is_there_for_a_change_by_force),
        SKN_BOTH(an_answer_that_waits_for_room_is_kept_by_a_stop),
        SKN_BOTH(a_look_that_waits_for_room_is_not_taken_twice),
        SKN_BOTH(closing_does_not_wait_for_room),
        SKN_BOTH(closing_does_not_wait_for_room_to_close_a_turn),
        SKN_BOTH(the_tour_is_made_once_and_only_in_an_empty_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
