/* Saying something at a server: the message is stored on a worker; then, on the loop, the answer is given at once, becomes
 * a stream of what the message causes, or waits until all have answered. */
#include "http/served.h"

#include <assert.h>

/* What a call that says something is at; it may be answered from every state but WAITING.
 *
 *   STORING --+--> LOOKING --+--> WAITING --+--> GATHERING
 *             |              +--> TOLD -----+
 *             +-----------------------------+                */
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

static skn_workers *workers_of(const waiting_post *w)
{
    return skn_http_opts(w->p.c->by->http)->workers;
}

static void answer_post(waiting_post *w)
{
    skn_call_answer(w->p.c, w->p.rc);
}

/* --- Waiting for the answers --------------------------------------------------------------- */

static void work_gather_post(void *arg)
{
    waiting_post *w = arg;

    w->p.rc = skn_post_gather(&w->p);
}

static void done_gather_post(void *arg)
{
    answer_post(arg);
}

static void gather_replies(waiting_post *w)
{
    enter_post(w, POST_GATHERING);
    skn_workers_run(workers_of(w), work_gather_post, done_gather_post, w);
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

static void work_look_post(void *arg)
{
    waiting_post *w = arg;

    w->p.rc = skn_post_look(&w->p);
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
    skn_workers_run(workers_of(w), work_look_post, done_look_post, w);
}

/* --- The answer (loop) -------------------------------------------------------------------- */

static void open_stream(waiting_post *w)
{
    skn_posting      *p = &w->p;
    skn_stream_filter filter = {.world = p->c->world.id,
                                .chat = p->c->chat.id,
                                .cause = p->posted.message.uid,
                                .idle = !p->posted.queued && p->posted.waiting == 0};

    skn_api_location(p->c, "/messages/%.*s", SKN_FMT(p->posted.message.uid));
    skn_stream_open(p->c, &filter, p->before);
}

static void work_store_post(void *arg)
{
    waiting_post *w = arg;

    w->p.rc = skn_post_store(&w->p);
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
    skn_workers_run(workers_of(w), work_store_post, done_store_post, w);
}
