/* Models behind HTTP. A request is written once and sent until it is answered or another try makes no sense; it is
 * only sent again while nothing of an answer has been passed on. */
#include "base/clock.h"
#include "base/uid.h"
#include "provider/wire_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_REQUEST = 64 << 20,
    MOST_ANSWER = 32 << 20,
    LONGEST_BACKOFF = 30000,
    COARSE_MS = 10,              /* how early a timer may fire: the loop's clock is coarse */
    LONGEST_RETRY_AFTER = 60000, /* a longer wait ends the request with a message */
    HURRIED_RETRY_AFTER = 2000,  /* the same if another model can answer instead */
    IN_LINE_MS = 250,            /* shorter waits in line are not reported */
    DRAIN_MS = 250               /* for the server to close an answer that has ended: see
                                  * `drain` */
};

/* The states of a request. It counts in the provider's `busy` from DUE until it ends.
 *
 *   IN_LINE --> DUE --> SENT --> READING --> DRAINING
 *   SENT, READING, DRAINING --> PAUSING --> SENT         another try
 *   SENT, READING, DRAINING --> OVER
 *   any but OVER --> CANCELLED */
typedef enum talk_state {
    TALK_IN_LINE,  /* in the provider's list */
    TALK_DUE,      /* sent in the next round of the loop */
    TALK_SENT,     /* nothing has arrived */
    TALK_READING,  /* the head has arrived */
    TALK_DRAINING, /* the answer is complete, the connection still open */
    TALK_PAUSING,  /* before another try */
    TALK_OVER,     /* done was called */
    TALK_CANCELLED /* no callback any more */
} talk_state;

struct skn_wire_talk {
    skn_asking       base;
    talk_state       state;
    skn_wire_talk   *next;
    int64_t          from, round;
    skn_answer_sink  sink;
    skn_arena       *a;
    skn_timer       *timer;
    skn_fetch       *fetch;
    skn_wire_request request;
    size_t           asked_bytes; /* of the request, for the estimate */
    skn_wire_answer  w;
    skn_wire_reader  r;
    int64_t          asked_ns; /* when the request was first sent */
    int64_t          sent_ns, first_ms;
    skn_wire_limit   limit;
    int              status, tries;
    bool             stalled; /* an earlier try stalled, which has cost enough time */
    bool             hurried;
    int              handing; /* callbacks may be running, so the talk must not be freed */
};

static skn_wire *wire_of(const skn_wire_talk *t)
{
    return (skn_wire *)t->base.provider;
}

static void enter_talk(skn_wire_talk *t, talk_state to)
{
    enum { ENDS = 1 << TALK_OVER | 1 << TALK_CANCELLED };
    static const unsigned next[] = {
        [TALK_IN_LINE] = 1 << TALK_DUE | 1 << TALK_CANCELLED,
        [TALK_DUE] = 1 << TALK_SENT | 1 << TALK_CANCELLED,
        [TALK_SENT] = 1 << TALK_READING | 1 << TALK_PAUSING | ENDS,
        [TALK_READING] = 1 << TALK_DRAINING | 1 << TALK_PAUSING | ENDS,
        [TALK_DRAINING] = 1 << TALK_PAUSING | ENDS,
        [TALK_PAUSING] = 1 << TALK_SENT | 1 << TALK_CANCELLED,
        [TALK_OVER] = 0,
        [TALK_CANCELLED] = 0,
    };

    assert(next[t->state] >> to & 1);
    t->state = to;
}

static bool has_ended(const skn_wire_talk *t)
{
    return t->state == TALK_OVER || t->state == TALK_CANCELLED;
}

/* --- Waiting in line ------------------------------------------------------------------------- */

static void let_next_run(skn_wire *p)
{
    skn_wire_talk *t = p->first;

    if (!t || (p->at_once && p->busy >= p->at_once))
        return;
    p->first = t->next;
    p->round = t->round;
    enter_talk(t, TALK_DUE);
    p->busy++;
    skn_timer_start(t->timer, 0);
}

void skn_wire_take(skn_wire *p, int at_once)
{
    p->at_once = at_once;
    for (int i = p->busy; i < at_once; i++)
        let_next_run(p);
}

/* Sorts a request into the line by rounds: each conversation has one request in a round, so one with many requests
 * does not delay the others. Within a round the first comes first. */
static void wait_in_line(skn_wire_talk *t)
{
    skn_wire       *p = wire_of(t);
    skn_wire_talk **at = &p->first;

    t->round = p->round;
    for (const skn_wire_talk *o = p->first; o; o = o->next)
        if (o->from == t->from)
            t->round = o->round + 1;
    while (*at && (*at)->round <= t->round)
        at = &(*at)->next;
    t->next = *at;
    *at = t;
    skn_timer_start(t->timer, IN_LINE_MS);
    let_next_run(p);
    if (p->first)
        skn_wire_ask_slots(p);
}

static void leave_line(skn_wire_talk *t)
{
    skn_wire       *p = wire_of(t);
    skn_wire_talk **at = &p->first;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
}

/* Ends a request, and starts the next one in its place. */
static void give_way(skn_wire_talk *t, talk_state how)
{
    skn_wire *p = wire_of(t);

    if (t->state == TALK_IN_LINE)
        leave_line(t);
    else
        p->busy--;
    enter_talk(t, how);
    t->w.stopped = true;
    let_next_run(p);
}

/* The provider may be freed already. */
static void free_talk(skn_wire_talk *t)
{
    skn_fetch_cancel(t->fetch);
    skn_timer_free(t->timer);
    skn_wire_answer_release(&t->w);
    skn_wire_read_release(&t->r);
    skn_buf_release(&t->request.body);
    skn_arena_free(t->a);
    free(t);
}

static void leave_talk(skn_wire_talk *t)
{
    if (--t->handing == 0 && has_ended(t))
        free_talk(t);
}

/* --- The end of a try ------------------------------------------------------------------------ */

static int64_t guess(size_t bytes)
{
    return (int64_t)((bytes + 3) / 4);
}

/* A count that a server reports before the end of its answer covers only the text until then. */
static void count_tokens(const skn_wire_talk *t, skn_answer *answer)
{
    size_t  said = t->w.text_bytes + t->w.thinking_bytes;
    int64_t out = t->w.tokens_out;

    for (size_t i = 0; i < t->w.calls.n; i++)
        said += t->w.calls.p[i].name.n + t->w.calls.p[i].args.n;
    if (!t->w.finish && !t->w.ended && out < guess(said))
        out = -1;
    answer->estimated = t->w.tokens_in < 0 || out < 0;
    answer->tokens_in = t->w.tokens_in < 0 ? guess(t->asked_bytes) : t->w.tokens_in;
    answer->tokens_out = out < 0 ? guess(said) : out;
    skn_wire_count_cached(&t->w, answer);
    answer->cost = -1; /* the caller computes it from prices */
}

/* Counts the tokens of an answer that did not reach its end. Without any text it may have cost nothing. */
static void count_some(const skn_wire_talk *t, skn_answer *answer)
{
    answer->tokens_in = answer->tokens_out = -1;
    if (t->w.text_bytes + t->w.thinking_bytes > 0 || t->w.tokens_in >= 0)
        count_tokens(t, answer);
}

static void end_talk(skn_wire_talk *t, const skn_answer *answer)
{
    give_way(t, TALK_OVER);
    t->sink.done(t->sink.arg, answer);
}

static void answer_with(skn_wire_talk *t)
{
    skn_answer answer = {.state = SKN_ASK_ANSWERED,
                         .status = t->status,
                         .finish = t->w.finish,
                         .first_ms = t->first_ms,
                         .tries = t->tries};

    count_tokens(t, &answer);
    answer.reasoning = skn_wire_reason_keep(&t->w, &t->request);
    skn_wire_hand_calls(&t->w);
    if (!has_ended(t))
        end_talk(t, &answer);
}

static void fail_with(skn_wire_talk *t)
{
    const char *words = t->w.error.message;
    skn_answer  answer = {.state = t->w.state,
                          .status = t->status,
                          .retryable = skn_wire_may_retry(t->w.state, skn_str_of(words)),
                          .retry_after_ms = t->limit.ms,
                          .first_ms = t->first_ms,
                          .tries = t->tries};

    count_some(t, &answer);
    skn_wire_explain(wire_of(t), t->w.state, t->status, &t->limit, words, &answer.error);
    end_talk(t, &answer);
}

/* Doubles with every try, with a random part, so that requests that failed together do not return together. */
static int64_t backoff(const skn_wire_talk *t)
{
    int64_t ms = wire_of(t)->backoff_ms;

    for (int i = 1; i < t->tries && ms < LONGEST_BACKOFF; i++)
        ms *= 2;
    ms = ms < LONGEST_BACKOFF ? ms : LONGEST_BACKOFF;
    ms = ms / 2 + (int64_t)(skn_random() % (uint64_t)(ms / 2 + 1));
    return ms > t->limit.ms + COARSE_MS ? ms : t->limit.ms + COARSE_MS + ms / 4;
}

/* The time left for the request; 0: no limit, negative: none left. */
static int64_t time_left(const skn_wire_talk *t)
{
    int64_t all = wire_of(t)->total_ms,
            left = all - (skn_clock_monotonic() - t->asked_ns) / 1000000;

    return !all || left > 0 ? (all ? left : 0) : -1;
}

static bool shall_retry(const skn_wire_talk *t)
{
    return t->tries <= wire_of(t)->retries && t->w.text_bytes + t->w.thinking_bytes == 0 &&
           !(t->w.state == SKN_ASK_STALLED && t->stalled) && time_left(t) >= 0 &&
           t->limit.ms <= (t->hurried ? HURRIED_RETRY_AFTER : LONGEST_RETRY_AFTER) &&
           skn_wire_may_retry(t->w.state, skn_str_of(t->w.error.message));
}

static void try_talk_later(skn_wire_talk *t)
{
    int64_t     ms = backoff(t);
    skein_error why;

    t->stalled |= t->w.state == SKN_ASK_STALLED;
    enter_talk(t, TALK_PAUSING);
    skn_timer_start(t->timer, ms);
    if (!t->sink.pause)
        return;
    skn_wire_explain(wire_of(t), t->w.state, t->status, &t->limit, t->w.error.message, &why);
    t->sink.pause(t->sink.arg, t->w.state, &why, ms);
}

static void settle_talk(skn_wire_talk *t)
{
    skn_fetch_cancel(t->fetch);
    t->fetch = NULL;
    if (t->w.stopped)
        return;
    if (t->w.state == SKN_ASK_RATE_LIMIT && !t->limit.ms)
        t->limit.ms = skn_wire_wait_in(skn_str_of(t->w.error.message));
    if (!t->w.failed)
        answer_with(t);
    else if (shall_retry(t))
        try_talk_later(t);
    else
        fail_with(t);
}

/* --- The answer as it comes ------------------------------------------------------------------ */

static void got_head(void *arg, const skn_fetch_head *head)
{
    skn_wire_talk *t = arg;

    enter_talk(t, TALK_READING);
    t->status = head->status;
    t->limit = skn_wire_limit_of(head);
    if (head->status / 100 == 2) /* it answers, so no limit applies */
        t->limit = (skn_wire_limit){0};
    skn_wire_read_start(&t->r, wire_of(t)->format, &t->w, head->status, head->content_type);
}

/* Removes the key from the bytes before they are recorded, whatever the server says about it. */
static void hand_received(skn_wire_talk *t, skn_str bytes)
{
    if (!t->sink.received || !bytes.n || has_ended(t))
        return;
    t->sink.received(t->sink.arg,
                     skn_wire_hide(&wire_of(t)->secrets, bytes, t->status / 100 == 2, t->a));
}

static void note_first(skn_wire_talk *t)
{
    bool any = t->w.text_bytes || t->w.thinking_bytes || t->w.calls.n || t->w.held;

    if (any && t->first_ms < 0)
        t->first_ms = (skn_clock_monotonic() - t->sent_ns) / 1000000;
    if (t->w.text_bytes || t->w.thinking_bytes) /* no further try: see shall_retry */
        skn_buf_release(&t->request.body);
}

static void end_reading(skn_wire_talk *t, bool cut)
{
    if (t->r.mode == SKN_WIRE_ERROR) /* hidden as a whole, because errors often name the key */
        hand_received(t, skn_buf_str(&t->r.line));
    if (!has_ended(t))
        skn_wire_read_end(&t->r, cut);
    settle_talk(t);
}

static void got_body(void *arg, skn_str bytes)
{
    skn_wire_talk *t = arg;

    t->handing++;
    if (t->r.mode != SKN_WIRE_ERROR)
        hand_received(t, bytes);
    if (t->state == TALK_READING && !skn_wire_read_bytes(&t->r, bytes)) {
        if (t->w.failed) {
            end_reading(t, false);
        } else if (!has_ended(t)) {
            enter_talk(t, TALK_DRAINING);
            skn_timer_start(t->timer, DRAIN_MS);
        }
    }
    if (!has_ended(t))
        note_first(t);
    leave_talk(t);
}

static void got_end(void *arg, skn_fetch_end how, const char *why)
{
    skn_wire_talk *t = arg;
    bool           has_head = t->state != TALK_SENT;
    bool           silent = how == SKN_FETCH_STALLED || how == SKN_FETCH_TOO_LARGE ||
                  how == SKN_FETCH_MALFORMED || how == SKN_FETCH_LATE;

    t->handing++;
    t->fetch = NULL;
    skn_timer_stop(t->timer);
    if (!has_head || (silent && !t->w.ended && !t->w.finish))
        skn_wire_fail(&t->w, skn_wire_state_of_end(how), skn_str_of(why));
    if (has_head)
        end_reading(t, how != SKN_FETCH_WHOLE);
    else
        settle_talk(t);
    leave_talk(t);
}

/* --- Sending --------------------------------------------------------------------------------- */

static void hand_sent(skn_wire_talk *t)
{
    skn_str  body = skn_buf_str(&t->request.body);
    size_t   count = t->request.ends.n, from = 0;
    skn_str *pieces;

    if (!t->sink.sent)
        return;
    pieces = SKN_ARRAY(t->a, count + 1, skn_str);
    for (size_t i = 0; i < count; i++) {
        pieces[i] = skn_str_sub(body, from, t->request.ends.p[i]);
        from = t->request.ends.p[i];
    }
    t->sink.sent(t->sink.arg, pieces, count);
}

static void begin_try(skn_wire_talk *t)
{
    skn_wire *p = wire_of(t);
    skn_str   id = t->w.id;

    skn_wire_answer_release(&t->w);
    skn_wire_read_release(&t->r);
    skn_wire_answer_init(&t->w, t->a, p->scratch, &t->sink, id);
    t->w.secrets = &p->secrets;
    enter_talk(t, TALK_SENT);
    t->status = 0;
    t->limit = (skn_wire_limit){0};
    t->first_ms = -1;
    t->tries++;
    t->sent_ns = skn_clock_monotonic();
    if (t->tries == 1)
        t->asked_ns = t->sent_ns;
}

static void send_question(skn_wire_talk *t)
{
    skn_wire      *p = wire_of(t);
    skn_fetch_spec what = {.method = "POST",
                           .url = p->url,
                           .headers = p->headers,
                           .header_count = p->header_count,
                           .body = skn_buf_str(&t->request.body),
                           .stall_ms = p->stall_ms,
                           .most = MOST_ANSWER};
    skn_fetch_sink sink = {got_head, got_body, got_end, t};

    begin_try(t);
    what.total_ms = time_left(t);
    if (what.total_ms < 0) {
        skn_wire_fail(&t->w, SKN_ASK_STALLED,
                      SKN_STR("the time limit of the request has passed"));
    } else if (p->key_needed && !p->key) {
        skn_wire_fail(&t->w, SKN_ASK_NO_KEY, SKN_STR(""));
        t->tries = 0;
    } else if (t->request.body.over) {
        skn_wire_fail(&t->w, SKN_ASK_OVERFLOW, SKN_STR("the request is larger than 64 MB"));
        t->tries = 0;
    }
    if (t->w.failed) {
        fail_with(t);
        return;
    }
    hand_sent(t);
    if (!has_ended(t))
        t->fetch = skn_fetch_start(p->net, &what, &sink);
}

static void say_in_line(skn_wire_talk *t)
{
    skein_error why;

    if (!t->sink.pause)
        return;
    skn_wire_explain(wire_of(t), SKN_ASK_IN_LINE, 0, NULL, "", &why);
    t->sink.pause(t->sink.arg, SKN_ASK_IN_LINE, &why, 0);
}

/* The timer: the request is the next to be sent, still waits in line, or its pause before another try is over. Or the
 * server has sent its whole answer and does not close it: then the connection cannot be used again, and the answer
 * does not wait for it. */
static void talk_goes_on(void *arg)
{
    skn_wire_talk *t = arg;

    t->handing++;
    if (t->state == TALK_IN_LINE)
        say_in_line(t);
    else if (t->state == TALK_DRAINING)
        end_reading(t, false);
    else
        send_question(t);
    leave_talk(t);
}

/* They are no words: what they cost is not told by their length. */
static size_t image_bytes(const skein_context *c)
{
    size_t n = 0;

    for (size_t i = 0; c && i < c->count; i++)
        for (size_t k = 0; k < c->at[i].file_count; k++)
            n += c->at[i].files[k].data.n;
    return n;
}

static skn_asking *ask_wire(skn_provider *provider, const skn_ask *what,
                            const skn_answer_sink *sink)
{
    skn_wire      *p = (skn_wire *)provider;
    skn_wire_talk *t = skn_heap(sizeof *t);

    t->base.provider = provider;
    t->sink = *sink;
    t->a = skn_arena_new();
    t->timer = skn_timer_new(p->loop, talk_goes_on, t);
    t->request.a = t->a;
    t->w.id = skn_arena_copy(t->a, what->id);
    t->from = what->from;
    t->hurried = what->hurried;
    skn_wire_request_write(&t->request, p->format, provider->name, what, MOST_REQUEST);
    t->asked_bytes = t->request.body.n - image_bytes(what->context);
    wait_in_line(t);
    return &t->base;
}

static void cancel_talk(skn_asking *a)
{
    skn_wire_talk *t = (skn_wire_talk *)a;

    if (t->state == TALK_OVER) /* called from inside `done`, which frees it afterwards */
        return;
    give_way(t, TALK_CANCELLED);
    if (!t->handing)
        free_talk(t);
}

static void talk_so_far(const skn_asking *a, skn_answer *out)
{
    const skn_wire_talk *t = (const skn_wire_talk *)a;

    if (t->tries == 0) /* nothing was sent yet */
        return;
    out->status = t->status;
    out->first_ms = t->first_ms;
    out->tries = t->tries;
    count_some(t, out);
}

/* --- The provider ---------------------------------------------------------------------------- */

/* Overwrites memory through a volatile pointer, so that the compiler keeps the writes. */
static void wipe(char *p)
{
    volatile char *v = p;

    while (v && *v)
        *v++ = '\0';
}

/* Only values that contain the key were made for it; others may be constants. */
static void wipe_headers(const skn_wire *p)
{
    for (size_t i = 0; p->key && i < p->header_count; i++)
        if (skn_str_find(p->headers[i].value, skn_str_of(p->key)) >= 0)
            skn_wire_blot((char *)(uintptr_t)p->headers[i].value.p, p->headers[i].value.n,
                          skn_str_of(p->key), strlen(p->key));
}

static void free_wire(skn_provider *provider)
{
    skn_wire *p = (skn_wire *)provider;

    skn_wire_end_lists(p);
    skn_wire_end_shows(p);
    wipe_headers(p);
    skn_wire_secrets_wipe(&p->secrets);
    wipe(p->key);
    free(p->key);
    skn_arena_free(p->scratch);
    skn_arena_free(p->known);
    skn_arena_free(p->a);
    free(p);
}

static void add_header(skn_wire *p, skn_str name, skn_str value)
{
    if (p->header_count < sizeof p->headers / sizeof *p->headers)
        p->headers[p->header_count++] = (skn_fetch_header){skn_arena_copy(p->a, name),
                                                           skn_arena_copy(p->a, value)};
}

static void set_headers(skn_wire *p, const skn_wire_options *o)
{
    add_header(p, SKN_STR("Content-Type"), SKN_STR("application/json"));
    add_header(p, SKN_STR("Accept"), SKN_STR("application/json, text/event-stream"));
    p->header_count += p->format->headers(skn_str_of(p->key), p->a,
                                          &p->headers[p->header_count]);
    for (size_t i = 0; i < o->header_count; i++)
        add_header(p, o->headers[i].name, o->headers[i].value);
}

static skn_str url_of(skn_wire *p, skn_str base, const char *path)
{
    while (base.n && base.p[base.n - 1] == '/')
        base.n--;
    return skn_arena_printf(p->a, "%.*s%s", SKN_FMT(base), path);
}

/* Local servers of chat completions have further paths beside "/v1"; services on the internet do not. */
static void find_root(skn_wire *p, const skn_wire_options *o)
{
    skn_str base = skn_arena_copy(p->a, o->base_url), end = SKN_STR("/v1");

    for (size_t i = 0; i < SKN_KEY_NAMES; i++)
        p->famous |= skn_str_eq(skn_url_place(base),
                                skn_url_place(skn_str_of(skn_key_names[i].base_url)));
    while (base.n && base.p[base.n - 1] == '/')
        base.n--;
    if (o->kind == SKN_WIRE_OLLAMA)
        p->root = base;
    else if (o->kind == SKN_WIRE_OPENAI && !p->famous && skn_str_ends(base, end))
        p->root = skn_str_sub(base, 0, base.n - end.n);
}

skn_provider *skn_wire_new(skn_loop *loop, skn_net *net, const skn_wire_options *o)
{
    static const skn_provider_ops ops = {.ask = ask_wire,
                                         .cancel = cancel_talk,
                                         .so_far = talk_so_far,
                                         .free = free_wire,
                                         .window = skn_wire_window};
    skn_wire                     *p = skn_heap(sizeof *p);

    p->a = skn_arena_new();
    p->scratch = skn_arena_new();
    p->base = (skn_provider){&ops, skn_arena_copy(p->a, skn_str_of(o->name)).p};
    p->loop = loop;
    p->net = net;
    p->format = skn_wire_format_of(o->kind);
    p->key = o->key.n ? skn_heap_copy(skn_str_trim(o->key)) : NULL;
    p->key_needed = o->key_needed;
    p->stall_ms = o->stall_ms ? o->stall_ms : 120000;
    p->total_ms = o->total_ms;
    p->backoff_ms = o->backoff_ms > 0 ? o->backoff_ms : 500;
    p->retries = o->retries < 0 ? 3 : o->retries;
    p->learns_slots = o->one_slot && !o->at_once;
    p->at_once = p->learns_slots ? 1 : o->at_once;
    p->url = url_of(p, o->base_url, p->format->path);
    p->models_url = url_of(p, o->base_url, p->format->models_path);
    if (o->kind == SKN_WIRE_OLLAMA)
        p->version_url = url_of(p, o->base_url, "/api/version");
    find_root(p, o);
    set_headers(p, o);
    skn_wire_secrets_find(&p->secrets, skn_str_of(p->key), o, p->a);
    return &p->base;
}

const char *skn_wire_word(const skn_provider *p)
{
    return p->ops->ask == ask_wire ? ((const skn_wire *)p)->format->word : NULL;
}
