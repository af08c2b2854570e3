/* The scripted model. When a request arrives, its whole answer is computed as a list of steps; a timer then sends it
 * piece by piece. So nothing of the request is kept, and the text cannot depend on when it is sent. */
#include "base/hash.h"
#include "provider/script.h"

#include <stdlib.h>

typedef enum deed_kind { TEXT, THINKING, CALL, WAIT, FAIL } deed_kind;

typedef struct deed {
    deed_kind       kind;
    skn_str         text;
    skein_tool_call call;
    int64_t         ms;
    bool            retryable;
} deed;

typedef struct scripted {
    skn_provider base;
    skn_loop    *loop;
    skn_script  *script;
    bool         no_delay;
} scripted;

typedef struct talk {
    skn_asking      base;
    skn_answer_sink sink;
    skn_arena      *a;
    skn_timer      *timer;
    deed           *deeds;
    size_t          count, next;
    size_t          from;       /* bytes of the next text that were sent */
    int64_t         words_left; /* until the answer is cut off; -1: never */
    int64_t         pace_ms;
    bool            waits;   /* false: waits are skipped */
    bool            called;  /* whether it has called a tool */
    bool            over;    /* done was called */
    bool            handing; /* a callback may be running, so the talk must not be freed */
    bool            cancelled;
} talk;

static void free_talk(talk *t)
{
    skn_timer_free(t->timer);
    skn_arena_free(t->a);
    free(t);
}

static void end(talk *t, const skn_answer *answer)
{
    t->over = true;
    t->sink.done(t->sink.arg, answer);
}

static void fail(talk *t, skn_str message, bool retryable)
{
    skn_answer answer = {.state = SKN_ASK_FAILED,
                         .retryable = retryable,
                         .tokens_in = -1,
                         .tokens_out = -1,
                         .first_ms = -1};

    skn_fail(&answer.error, SKEIN_PROVIDER, "%.*s", SKN_FMT(message));
    end(t, &answer);
}

static void finish(talk *t)
{
    skn_answer answer = {
        .finish = t->called ? "tool" : "stop", .tokens_in = -1, .tokens_out = -1};

    if (t->words_left >= 0)
        fail(t, SKN_STR("the answer was cut off"), true);
    else
        end(t, &answer);
}

static bool blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Returns the end of the word at `from`, with the blanks before and after it. */
static size_t word_end(skn_str s, size_t from)
{
    while (from < s.n && blank(s.p[from]))
        from++;
    while (from < s.n && !blank(s.p[from]))
        from++;
    while (from < s.n && blank(s.p[from]))
        from++;
    return from;
}

/* The recorded bytes of an answer are its text, and a line for each call. */
static void hand_text(talk *t, const deed *d, skn_str text)
{
    if (d->kind == TEXT && t->sink.received)
        t->sink.received(t->sink.arg, text);
    t->sink.delta(t->sink.arg, d->kind == TEXT ? SKN_PART_TEXT : SKN_PART_THINKING, text);
}

static void hand_call(talk *t, const skein_tool_call *call)
{
    t->called = true;
    if (t->sink.received) {
        skn_str line = skn_arena_printf(t->a, "\n[calls %.*s %.*s]\n", SKN_FMT(call->tool_name),
                                        SKN_FMT(call->args));

        t->sink.received(t->sink.arg, line);
    }
    t->sink.call(t->sink.arg, call);
}

/* Sends the next word, or all words without a pace; returns the time to wait. */
static int64_t hand_words(talk *t, const deed *d)
{
    size_t from = t->from, to = from;

    do {
        if (d->kind == TEXT && t->words_left == 0)
            break;
        if (d->kind == TEXT && t->words_left > 0)
            t->words_left--;
        to = word_end(d->text, to);
    } while (t->pace_ms == 0 && to < d->text.n);
    t->from = to;
    if (to == d->text.n) {
        t->next++;
        t->from = 0;
    }
    if (to > from)
        hand_text(t, d, skn_str_sub(d->text, from, to));
    return t->pace_ms;
}

/* Takes one step; returns the time to wait before the next. */
static int64_t do_next(talk *t)
{
    const deed *d = &t->deeds[t->next];

    if (t->next == t->count || t->words_left == 0) {
        finish(t);
        return 0;
    }
    switch (d->kind) {
    case TEXT:
    case THINKING:
        return hand_words(t, d);
    case CALL:
        t->next++;
        hand_call(t, &d->call);
        return 0;
    case WAIT:
        t->next++;
        return t->waits ? d->ms : 0;
    case FAIL:
        fail(t, d->text, d->retryable);
        return 0;
    }
    return 0;
}

/* A callback may cancel the request that it belongs to; the request is then freed here, after the callback has
 * returned. */
static void go_on(void *arg)
{
    talk   *t = arg;
    int64_t ms = 0;

    t->handing = true;
    while (ms == 0 && !t->over && !t->cancelled)
        ms = do_next(t);
    t->handing = false;
    if (t->over || t->cancelled)
        free_talk(t);
    else
        skn_timer_start(t->timer, ms);
}

/* --- Computing the answer ------------------------------------------------------------------------ */

typedef struct author {
    const skn_script *script;
    skn_script_line   line;
    skn_script_match  match;
    skn_str           id;
    talk             *talk;
    skn_buf           buf;
    size_t            bytes; /* of all texts */
    bool              said;
} author;

static void add(author *w, deed d)
{
    w->talk->deeds[w->talk->count++] = d;
    w->bytes += d.text.n + d.call.args.n;
}

static skn_str kept(author *w)
{
    return skn_arena_copy(w->talk->a, skn_buf_str(&w->buf));
}

static void add_text(author *w, const skn_script_step *step)
{
    bool say = step->kind == SKN_STEP_SAY;

    skn_buf_clear(&w->buf);
    if (say && w->said)
        skn_buf_add(&w->buf, SKN_STR("\n\n"));
    skn_script_text(w->script, step, &w->line, &w->match, &w->buf);
    w->said = w->said || say;
    add(w, (deed){.kind = say ? TEXT : THINKING, .text = kept(w)});
}

static void add_call(author *w, const skn_script_step *step)
{
    skein_tool_call call = {.tool_name = step->name};
    uint64_t        name = skn_hash_bytes((uint64_t)w->script->seed, w->id);

    name = skn_hash_bytes(name + w->talk->count, w->line.text);
    call.call_id = skn_arena_printf(w->talk->a, "call_%016llx", (unsigned long long)name);
    skn_buf_clear(&w->buf);
    skn_script_args(step, &w->line, &w->match, w->talk->a, &w->buf);
    call.args = kept(w);
    add(w, (deed){.kind = CALL, .call = call});
}

static void add_step(author *w, const skn_script_step *step)
{
    switch (step->kind) {
    case SKN_STEP_SAY:
    case SKN_STEP_THINK:
        add_text(w, step);
        break;
    case SKN_STEP_CALL:
        add_call(w, step);
        break;
    case SKN_STEP_WAIT:
        add(w, (deed){.kind = WAIT, .ms = step->ms});
        break;
    case SKN_STEP_FAIL:
        add(w, (deed){.kind = FAIL, .text = step->name, .retryable = step->retryable});
        break;
    }
}

static void only_fail(talk *t, skn_str message)
{
    t->deeds = SKN_NEW(t->a, deed);
    t->deeds[0] = (deed){.kind = FAIL, .text = message};
    t->count = 1;
    t->words_left = -1;
}

static void work_out(author *w)
{
    const skn_script_steps *steps;
    bool                    over = false;

    skn_script_choose(w->script, &w->line, w->talk->a, &w->match);
    steps = w->match.steps;
    w->talk->deeds = SKN_ARRAY(w->talk->a, steps->count + 1, deed);
    w->talk->words_left = steps->cut_after;
    skn_buf_init(&w->buf, SKN_SCRIPT_ANSWER);
    for (size_t i = 0; i < steps->count && !over; i++) {
        add_step(w, &steps->at[i]);
        over = w->buf.over || w->bytes > SKN_SCRIPT_ANSWER;
    }
    skn_buf_release(&w->buf);
    if (over)
        only_fail(w->talk, SKN_STR("the script's answer is over 1 MB"));
}

/* Returns what to answer: the result of a tool, or a message. If the caller sets neither, it is the last message of
 * the context. */
static skn_script_line line_of(const skn_ask *what)
{
    skn_script_line             line = {.agent = what->agent, .sender = what->asker};
    const skein_context        *c = what->context;
    const skein_prompt_message *last = c && c->count ? &c->at[c->count - 1] : NULL;

    line.text = what->tool.p ? what->result : what->said;
    line.tool = what->tool;
    if (!what->tool.p && !what->said.p && last) {
        line.text = last->text;
        line.tool = last->role == SKEIN_TOOL ? last->tool_name : SKN_NONE;
    }
    return line;
}

static skn_asking *ask(skn_provider *p, const skn_ask *what, const skn_answer_sink *sink)
{
    scripted *s = (scripted *)p;
    talk     *t = skn_heap(sizeof *t);
    author    w = {.script = s->script, .line = line_of(what), .id = what->id, .talk = t};

    t->base.provider = p;
    t->sink = *sink;
    t->a = skn_arena_new();
    t->timer = skn_timer_new(s->loop, go_on, t);
    t->waits = !s->no_delay;
    t->pace_ms = s->no_delay ? 0 : s->script->pace_ms;
    if (sink->sent)
        skn_script_sent(what, &w.line, sink);
    if (skn_str_is(what->model, "scripted"))
        work_out(&w);
    else
        only_fail(t, skn_arena_printf(t->a, "no model \"%.*s\"; known: demo/scripted",
                                      SKN_FMT(what->model)));
    skn_timer_start(t->timer, t->pace_ms);
    return &t->base;
}

static void cancel(skn_asking *a)
{
    talk *t = (talk *)a;

    t->cancelled = true;
    if (!t->handing)
        free_talk(t);
}

static void free_scripted(skn_provider *p)
{
    scripted *s = (scripted *)p;

    skn_script_free(s->script);
    free(s);
}

skn_provider *skn_scripted_new(skn_loop *loop, const skn_scripted_options *o)
{
    static const skn_provider_ops ops = {.ask = ask, .cancel = cancel, .free = free_scripted};
    scripted                     *s = skn_heap(sizeof *s);

    s->base = (skn_provider){&ops, "demo"};
    s->loop = loop;
    s->script = o->script;
    s->no_delay = o->no_delay;
    return &s->base;
}
