#include "http/served.h"

#include <assert.h>

#define OPEN   SKN_ROUTE_OPEN
#define PLAIN  SKN_ROUTE_PLAIN
#define ALWAYS SKN_ROUTE_ALWAYS
#define SIGN   SKN_ROUTE_SIGN

const skn_route skn_server_routes[] = {
#define SKN_SERVER_ROUTE(method, path, run, flags, id, summary)                                \
    {method, path, skn_http_##run, flags, id, summary},
#include "http/served.def"
    {0},
};

static const struct {
    const char       *id;
    skn_handler      *run;
    skn_loop_handler *take;
} served[] = {
#define SKN_SERVED(id, run, take) {#id, run, take},
#include "http/served.def"
};

void skn_served_find(skn_api_call *c)
{
    c->run = c->route->run;
    if (!(c->route->flags & SKN_ROUTE_SERVED))
        return;
    for (size_t i = 0; i < sizeof served / sizeof served[0]; i++)
        if (strcmp(served[i].id, c->route->id) == 0) {
            c->run = served[i].run;
            c->by->take = served[i].take;
        }
}

/* Posting at a server: a worker stores the message; then the loop answers, streams what the message causes, or waits for
 * all replies. */

/* The state of a post; it may be answered from every state but WAITING.
 *
 *   STORING --+--> LOOKING --+--> WAITING --+--> GATHERING
 *             |              +--> TOLD -----+
 *             +-----------------------------+ */
typedef enum post_state {
    POST_STORING, /* a worker stores the message */
    POST_LOOKING, /* a worker looks what has happened; meanwhile the hub is asked for what will */
    POST_TOLD,    /* the same, and the hub has answered */
    POST_WAITING,  /* for the hub */
    POST_GATHERING /* a worker reads the answers */
} post_state;

typedef struct waiting_post {
    skn_posting
               p; /* first, so that one is the other; not to be touched while a worker has it */
    post_state state;
    skein_rc (*step)(skn_posting *p); /* that a worker does */
} waiting_post;

static void enter_post(waiting_post *w, post_state to)
{
    static const unsigned next[] = {[POST_STORING] = 1 << POST_LOOKING | 1 << POST_GATHERING,
                                    [POST_LOOKING] = 1 << POST_TOLD | 1 << POST_WAITING |
                                                     1 << POST_GATHERING,
                                    [POST_TOLD] = 1 << POST_GATHERING,
                                    [POST_WAITING] = 1 << POST_GATHERING,
                                    [POST_GATHERING] = 0};

    assert(next[w->state] >> to & 1);
    w->state = to;
}

static void do_step(void *arg)
{
    waiting_post *w = arg;

    w->p.rc = w->step(&w->p);
}

static void run_step(waiting_post *w, skein_rc (*step)(skn_posting *p), skn_call *done)
{
    w->step = step;
    skn_workers_run(skn_http_opts(w->p.c->by->http)->workers, do_step, done, w);
}

static void answer_post(void *arg)
{
    waiting_post *w = arg;

    skn_call_answer(w->p.c, w->p.rc);
}

/* --- Waiting for the answers --------------------------------------------------------------- */

static void gather_replies(waiting_post *w)
{
    enter_post(w, POST_GATHERING);
    run_step(w, skn_post_gather, answer_post);
}

/* The hub saw the end, or the time is up. */
static void hub_has_answered(void *arg, bool late)
{
    waiting_post *w = arg;

    w->p.late = late;
    if (w->state == POST_LOOKING)
        enter_post(w, POST_TOLD);
    else
        gather_replies(w);
}

/* What happened before the hub was asked is in the store. */
static void done_look_post(void *arg)
{
    waiting_post *w = arg;

    if (w->state == POST_LOOKING && w->p.rc == SKEIN_OK && !w->p.idle) {
        enter_post(w, POST_WAITING);
        return;
    }
    if (w->state == POST_LOOKING)
        skn_hub_wait_end(skn_http_hub(w->p.c->by->http), w);
    w->p.late = w->p.late && !w->p.idle;
    if (w->p.rc)
        answer_post(w);
    else
        gather_replies(w);
}

static void wait_for_replies(waiting_post *w)
{
    enter_post(w, POST_LOOKING);
    skn_hub_wait(skn_http_hub(w->p.c->by->http), w->p.posted.message.uid, w->p.c->wait_ms,
                 hub_has_answered, w);
    run_step(w, skn_post_look, done_look_post);
}

/* --- The answer (loop) -------------------------------------------------------------------- */

static void open_stream(waiting_post *w)
{
    skn_posting      *p = &w->p;
    skn_stream_filter filter = {.world = p->c->world.id,
                                .chat = p->c->chat.id,
                                .cause = p->posted.message.uid,
                                .idle = !p->posted.queued && p->posted.waiting == 0};

    skn_api_location(p->c, 200, "/messages/%.*s", SKN_FMT(p->posted.message.uid));
    skn_stream_open(p->c, &filter, p->before);
}

static void done_store_post(void *arg)
{
    waiting_post *w = arg;
    skn_posting  *p = &w->p;
    bool          nobody = !p->posted.queued && p->posted.waiting == 0;

    if (p->rc) {
        answer_post(w);
    } else if (p->stream) {
        open_stream(w);
    } else if (p->c->wait_ms > 0 && nobody) {
        gather_replies(w);
    } else if (p->c->wait_ms > 0) {
        wait_for_replies(w);
    } else {
        skn_post_answer(p);
        answer_post(w);
    }
}

void skn_http_post_message(skn_api_call *c)
{
    waiting_post *w = SKN_NEW(c->mem, waiting_post);

    w->p.c = c;
    run_step(w, skn_post_store, done_store_post);
}

/* --- Events: a stream, unless a page is asked for ------------------------------------------ */

static bool wants_page(const skn_api_call *c)
{
    skn_str accept = skn_call_header(c, "Accept");

    return !c->wants_stream && skn_str_find(accept, SKN_STR("application/json")) >= 0;
}

static void ask_events(void *arg)
{
    skn_events_asked *q = arg;

    q->rc = skn_events_ask(q);
    if (q->rc == SKEIN_OK && !q->stream)
        q->rc = skn_events_page(q);
}

static void open_or_answer(void *arg)
{
    skn_events_asked *q = arg;

    if (q->rc == SKEIN_OK && q->stream)
        skn_stream_open(q->call, &q->filter, q->after);
    else
        skn_call_answer(q->call, q->rc);
}

void skn_http_stream_events(skn_api_call *c)
{
    skn_events_asked *q = SKN_NEW(c->mem, skn_events_asked);

    q->call = c;
    q->stream = !wants_page(c);
    skn_workers_run(skn_http_opts(c->by->http)->workers, ask_events, open_or_answer, q);
}

/* --- Stopping agents: those of this process stop at once and keep their text ----------------- */

static const skn_http_options *options_of(const skn_stopping *s)
{
    return skn_http_opts(s->c->by->http);
}

static void work_find(void *arg)
{
    skn_stopping *s = arg;

    s->rc = skn_stop_find(s);
    if (s->rc == SKEIN_OK && !options_of(s)->stop)
        s->rc = skn_stop_in_store(s);
}

static void work_look_stop(void *arg)
{
    skn_stopping *s = arg;

    s->rc = skn_stop_look(s);
}

static void answer_stop(void *arg)
{
    skn_stopping *s = arg;

    if (s->rc == SKEIN_OK)
        skn_stop_answer(s);
    skn_call_answer(s->c, s->rc);
}

static skn_call stop_next;

static void stopped(void *arg, int64_t count, const skein_error *err)
{
    skn_stopping *s = arg;

    s->stopped += count;
    if (err && err->rc) {
        s->c->error = *err;
        s->rc = err->rc;
        s->at = s->targets.n;
    }
    stop_next(s);
}

static void stop_next(void *arg)
{
    skn_stopping           *s = arg;
    const skn_http_options *o = options_of(s);
    skn_stop_target         t;

    if (s->rc == SKEIN_OK && s->at < s->targets.n) {
        t = s->targets.p[s->at++];
        o->stop(o->arg, t.chat, t.agent, stopped, s);
        return;
    }
    if (s->rc == SKEIN_OK)
        skn_workers_run(o->workers, work_look_stop, answer_stop, s);
    else
        answer_stop(s);
}

void skn_http_stop_agents(skn_api_call *c)
{
    skn_stopping *s = SKN_NEW(c->mem, skn_stopping);

    s->c = c;
    skn_workers_run(options_of(s)->workers, work_find, stop_next, s);
}
