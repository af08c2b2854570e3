/* The road of streamable HTTP: each message is a request of its own, and its answer is a message or a
 * stream of them. Beside that a stream stays open on which the server speaks of its own accord. */
#include "mcp/mcp_inside.h"

#include "base/sse_reader.h"

#include <stdlib.h>

#define SESSION_MOST ((size_t)512)
#define HEADERS_MOST 264 /* ours, and as many as settings take */
enum {
    TELLS_MOST = 64, /* answers and notices under way */
    TRIES_MOST = 5,  /* of going on with a stream, without an event in between */
    RETRY = 1000,    /* ms, when the server has not asked for another time */
    RETRY_LEAST = 100,
    RETRY_MOST = 60 * 1000,
    LINGER = 2000, /* ms that a stream may stay open after the answer was on it */
    TELL_MS = 30 * 1000,
    BYE_MS = 2000
};

typedef enum errand {
    ASK,    /* a request, and its answer */
    TELL,   /* a notice, or an answer of ours */
    BEGIN,  /* the notice that we are initialized */
    LISTEN, /* what the server says of its own accord */
    BYE
} errand;

typedef struct way  way;
typedef struct trip trip;

struct trip {
    way           *w;
    trip          *next;
    errand         errand;
    int64_t        id; /* ASK: of the request */
    skn_fetch     *fetch;
    int            status; /* 0: no answer yet */
    bool           events, resumed, dead;
    int            tries;
    skn_buf        body;
    skn_sse_reader reader;
    skn_timer     *again;
};

struct way {
    skn_mcp   *s;
    char       session[SESSION_MOST + 1]; /* empty: none */
    trip      *trips;
    size_t     tells;
    skn_timer *sweep;
};

static void start_trip(trip *t, const char *method, skn_str body);

/* --- Trips ------------------------------------------------------------------------------------ */

static void free_trip(trip *t)
{
    skn_fetch_cancel(t->fetch);
    skn_timer_free(t->again);
    skn_buf_release(&t->body);
    skn_sse_reader_release(&t->reader);
    free(t);
}

static void on_sweep(void *arg)
{
    way   *w = arg;
    trip **at = &w->trips;

    while (*at) {
        trip *t = *at;

        if (!t->dead) {
            at = &t->next;
            continue;
        }
        *at = t->next;
        free_trip(t);
    }
}

/* It may be in the middle of one of its own callbacks, so it is freed later. */
static void end_trip(trip *t)
{
    if (t->dead)
        return;
    skn_fetch_cancel(t->fetch);
    t->fetch = NULL;
    t->dead = true;
    skn_timer_stop(t->again);
    if (t->errand == TELL)
        t->w->tells--;
    skn_timer_start(t->w->sweep, 0);
}

/* Time to resume a stream, or to leave one that has brought its answer. */
static void on_again(void *arg)
{
    trip *t = arg;

    if (t->fetch)
        end_trip(t);
    else
        start_trip(t, "GET", SKN_NONE);
}

static skein_rc on_event(void *arg, const skn_sse_event *event, skein_error *err)
{
    trip *t = arg;

    t->tries = 0;
    if (event->data.n)
        skn_mcp_take(t->w->s, event->data);
    if (!t->dead && skn_mcp_alive(t->w->s))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_FAILED, "nobody listens any more");
}

static trip *new_trip(way *w, errand what, int64_t id)
{
    trip *t = skn_heap(sizeof *t);

    t->w = w;
    t->errand = what;
    t->id = id;
    t->next = w->trips;
    w->trips = t;
    t->again = skn_timer_new(w->s->loop, on_again, t);
    skn_buf_init(&t->body, SKN_MCP_LINE);
    skn_sse_reader_init(&t->reader, SKN_MCP_LINE);
    t->reader.event = on_event;
    t->reader.arg = t;
    return t;
}

/* A stream was cut, or has ended before its time: goes on after what was seen of it. */
static bool resume(trip *t)
{
    int64_t ms = t->reader.retry_ms;

    if (!t->reader.last_id.n && t->errand == ASK)
        return false;
    if (t->tries >= TRIES_MOST)
        return false;
    if (ms < 0)
        ms = RETRY << t->tries;
    ms = ms > RETRY_LEAST ? ms : RETRY_LEAST;
    t->tries++;
    t->resumed = true;
    skn_sse_reader_cut(&t->reader);
    skn_timer_start(t->again, ms < RETRY_MOST ? ms : RETRY_MOST);
    return true;
}

/* --- Ends ------------------------------------------------------------------------------------- */

/* Trying again later is no use. */
static bool is_final(int status)
{
    return status >= 400 && status < 500 && status != 408 && status != 429;
}

static void refused(trip *t)
{
    skn_mcp *s = t->w->s;

    if (t->body.n)
        skn_mcp_take(s, skn_buf_str(&t->body)); /* it may say why, to the caller */
    if (!skn_mcp_waits(s, t->id))
        return;
    if (t->id == s->hello_id && is_final(t->status))
        skn_mcp_broke(s, true,
                      t->status == 401 || t->status == 403
                          ? "it requires authentication (status %d)"
                          : "it refuses the request (status %d)",
                      t->status);
    else
        skn_mcp_no_answer(s, t->id, t->resumed || t->status >= 500,
                          "the server answered with status %d", t->status);
}

/* The session is not known any more: start again. A request that was refused for that never ran, and is
 * sent once more. Many servers answer 400 where the protocol has 404. */
static void lost(trip *t)
{
    skn_mcp *s = t->w->s;
    bool     fresh = t->errand != ASK || (!t->resumed && skn_mcp_call_unsend(s, t->id));

    if (!fresh)
        refused(t);
    if ((fresh || t->status == 404) && skn_mcp_alive(s)) {
        s->renew = true;
        skn_mcp_broke(s, false, "its session ended");
    }
    end_trip(t);
}

static bool is_lost(const trip *t)
{
    return t->w->session[0] && (t->status == 404 || (t->status == 400 && t->errand == ASK));
}

static void ask_done(trip *t, skn_fetch_end end, const char *why)
{
    skn_mcp *s = t->w->s;

    if (!skn_mcp_waits(s, t->id) || !skn_mcp_alive(s)) {
        end_trip(t);
    } else if (is_lost(t)) {
        lost(t);
    } else if (t->events || (t->resumed && !t->status)) {
        if (resume(t))
            return;
        skn_mcp_no_answer(s, t->id, true, "the stream of its answer ended too early");
        end_trip(t);
    } else if (!t->status || end != SKN_FETCH_WHOLE) {
        bool unreachable = end == SKN_FETCH_UNREACHABLE;

        skn_mcp_no_answer(s, t->id, !unreachable, "%s", why);
        if (unreachable)
            skn_mcp_broke(s, false, "%s", why);
        end_trip(t);
    } else if (t->status < 200 || t->status > 299) {
        refused(t);
        end_trip(t);
    } else {
        skn_mcp_take(s, skn_buf_str(&t->body));
        if (skn_mcp_waits(s, t->id))
            skn_mcp_no_answer(s, t->id, true, "its answer could not be understood");
        end_trip(t);
    }
}

static void tell_done(trip *t, skn_fetch_end end, const char *why)
{
    if (is_lost(t)) {
        lost(t);
        return;
    }
    if (end != SKN_FETCH_WHOLE)
        skn_mcp_note(t->w->s, "warning", "a notice could not be sent: %s", why);
    else if (t->status >= 400)
        skn_mcp_note(t->w->s, "warning", "a notice was answered with status %d", t->status);
    end_trip(t);
}

/* Servers need not offer this stream: most answer 405. */
static void listen_done(trip *t, skn_fetch_end end, const char *why)
{
    bool heard = t->events || (!t->status && t->resumed);

    if (is_lost(t) && t->resumed) {
        lost(t);
        return;
    }
    if (heard && resume(t))
        return;
    if (end == SKN_FETCH_UNREACHABLE && heard)
        skn_mcp_broke(t->w->s, false, "%s", why);
    end_trip(t);
}

static void begin_done(trip *t, skn_fetch_end end, const char *why)
{
    way *w = t->w;

    end_trip(t);
    if (end != SKN_FETCH_WHOLE && !t->status) {
        skn_mcp_broke(w->s, false, "%s", why);
        return;
    }
    start_trip(new_trip(w, LISTEN, 0), "GET", SKN_NONE);
    skn_mcp_list_tools(w->s);
}

static void free_way(way *w)
{
    for (trip *t = w->trips, *next; t; t = next) {
        next = t->next;
        free_trip(t);
    }
    skn_timer_free(w->sweep);
    w->s->way = NULL;
    free(w);
}

static void on_done(void *arg, skn_fetch_end end, const char *why)
{
    trip    *t = arg;
    skn_mcp *s = t->w->s;

    t->fetch = NULL;
    if (t->errand == BYE) {
        free_way(t->w);
        skn_mcp_gone(s);
    } else if (!skn_mcp_alive(s)) {
        end_trip(t);
    } else if (t->errand == ASK) {
        ask_done(t, end, why);
    } else if (t->errand == TELL) {
        tell_done(t, end, why);
    } else if (t->errand == LISTEN) {
        listen_done(t, end, why);
    } else {
        begin_done(t, end, why);
    }
}

/* --- What comes ------------------------------------------------------------------------------- */

/* It is sent back in a header, so it must be able to stand in one. */
static void keep_session(way *w, skn_str id)
{
    for (size_t i = 0; i < id.n; i++)
        if (id.p[i] < 0x21 || id.p[i] > 0x7e)
            id.n = 0;
    if (!id.n || id.n > SESSION_MOST)
        return;
    memcpy(w->session, id.p, id.n);
    w->session[id.n] = '\0';
}

static void on_head(void *arg, const skn_fetch_head *head)
{
    trip *t = arg;

    t->status = head->status;
    t->events = head->status == 200 && skn_str_is(head->content_type, "text/event-stream");
    if (t->errand == ASK && t->id == t->w->s->hello_id && t->status == 200)
        keep_session(t->w, skn_fetch_header_of(head, "Mcp-Session-Id"));
}

static void too_much(trip *t, const skein_error *err)
{
    if (t->errand == ASK)
        skn_mcp_no_answer(t->w->s, t->id, true, "its answer cannot be read: %s", err->message);
    end_trip(t);
}

static void on_body(void *arg, skn_str bytes)
{
    trip       *t = arg;
    skein_error err;

    if (t->dead || !skn_mcp_alive(t->w->s))
        return;
    if (!t->events) {
        skn_buf_add(&t->body, bytes);
        if (t->body.over) {
            skn_fail(&err, SKEIN_LIMIT, "it is larger than %zu bytes", SKN_MCP_LINE);
            too_much(t, &err);
        }
        return;
    }
    if (skn_sse_reader_feed(&t->reader, bytes, &err) && !t->dead && skn_mcp_alive(t->w->s))
        too_much(t, &err);
    else if (!t->dead && t->errand == ASK && !skn_mcp_waits(t->w->s, t->id))
        skn_timer_start(t->again,
                        LINGER); /* it ends by itself, so that the connection is kept */
}

/* --- What is sent ----------------------------------------------------------------------------- */

typedef struct heads {
    skn_fetch_header at[HEADERS_MOST];
    size_t           n;
} heads;

static void add_head(heads *h, const char *name, skn_str value)
{
    if (value.n && h->n < HEADERS_MOST)
        h->at[h->n++] = (skn_fetch_header){skn_str_of(name), value};
}

static void start_trip(trip *t, const char *method, skn_str body)
{
    skn_mcp             *s = t->w->s;
    heads                h = {.n = 0};
    const skn_fetch_sink sink = {on_head, on_body, on_done, t};
    bool                 post = body.p != NULL;
    skn_fetch_spec       what = {.method = method,
                                 .url = s->o.url,
                                 .body = body,
                                 .stall_ms = -1,
                                 .total_ms = t->errand == BYE    ? BYE_MS
                                             : t->errand == TELL ? TELL_MS
                                                                 : 0,
                                 .most = SIZE_MAX / 4};

    add_head(&h, "Accept",
             post ? SKN_STR("application/json, text/event-stream")
                  : SKN_STR("text/event-stream"));
    add_head(&h, "Content-Type", post ? SKN_STR("application/json") : SKN_NONE);
    add_head(&h, "Mcp-Session-Id", skn_str_of(t->w->session));
    add_head(&h, "MCP-Protocol-Version", s->version);
    add_head(&h, "Last-Event-ID", skn_buf_str(&t->reader.last_id));
    for (size_t i = 0; i < s->o.header_count && h.n < HEADERS_MOST; i++)
        h.at[h.n++] = s->o.headers[i];
    what.headers = h.at;
    what.header_count = h.n;
    t->status = 0;
    t->events = false;
    skn_buf_clear(&t->body);
    t->fetch = skn_fetch_start(s->net, &what, &sink);
}

static void send_text(skn_mcp *s, skn_str text, int64_t id)
{
    way *w = s->way;

    if (!w)
        return;
    if (!id && w->tells >= TELLS_MOST) {
        skn_mcp_note(s, "warning", "it sends more requests than can be answered");
        return;
    }
    w->tells += !id;
    start_trip(new_trip(w, id ? ASK : TELL, id), "POST", text);
}

static void initialized(skn_mcp *s, skn_str notice)
{
    start_trip(new_trip(s->way, BEGIN, 0), "POST", notice);
}

static void forget_request(skn_mcp *s, int64_t id)
{
    way *w = s->way;

    for (trip *t = w ? w->trips : NULL; t; t = t->next)
        if (t->errand == ASK && t->id == id)
            end_trip(t);
}

static void open_way(skn_mcp *s)
{
    way *w = skn_heap(sizeof *w);

    s->way = w;
    w->s = s;
    w->sweep = skn_timer_new(s->loop, on_sweep, w);
}

static void close_way(skn_mcp *s, bool politely)
{
    way *w = s->way;

    for (trip *t = w->trips; t; t = t->next)
        end_trip(t);
    if (politely && w->session[0]) {
        start_trip(new_trip(w, BYE, 0), "DELETE", SKN_NONE);
        return;
    }
    free_way(w);
    skn_mcp_gone(s);
}

static void drop_way(skn_mcp *s)
{
    free_way(s->way);
}

const skn_mcp_road skn_mcp_http = {open_way,       send_text, initialized,
                                   forget_request, close_way, drop_way};
