/* stream.c: one stream: opening, sending, catching up, ending. */
#include "base/clock.h"
#include "base/uid.h"
#include "base/url.h"
#include "http/hub.h"
#include "http/served.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#define HEARTBEAT_S 15
#define STILL_S     5 /* without progress: it is cut, and may come back */
#define RETRY_MS    1000
#define FIRST_PAGE  256
#define DATA_MOST   4096 /* of an event about the stream itself; names of worlds are short */

/* Past events for one stream: asked for on the loop, read and formatted on a worker. */
typedef struct page {
    skn_stream *stream;
    skn_taking  taking;  /* comes back as it is behind the last event */
    bool        opening; /* look first whether `after` can be continued from */
    int64_t     after;   /* -1: only new ones; nothing is read */
    int64_t     known;   /* the store has all events up to here */
    size_t      limit, enough;
    /* What was found. */
    skein_rc    rc;
    skein_error err;
    int64_t     newest; /* when opening */
    const char *reset;  /* why the stream cannot be continued; NULL: it can */
    skn_buf     text;   /* the frames */
    size_t      count;  /* of them */
    bool        full;   /* there may be more */
    int64_t     reached;
} page;

static void set_state(skn_stream *s, skn_stream_state state)
{
    s->hub->joining -= s->state == SKN_STREAM_JOINING;
    s->hub->joining += state == SKN_STREAM_JOINING;
    s->state = state;
}

/* --- Coming and going ------------------------------------------------------------------------ */

static void release(void *arg)
{
    skn_stream *s = arg;
    skn_hub    *hub = s->hub;

    skn_call_free(s->call);
    free(s);
    hub->streams--;
    skn_hub_settle(hub);
}

/* It may be told in the middle of a send, whose caller still looks at the stream. */
static void gone(void *arg)
{
    skn_stream *s = arg;

    s->gone = true;
    set_state(s, SKN_STREAM_ENDING);
    skn_hub_remove(s);
    if (!s->busy)
        skn_loop_post(s->hub->o->loop, release, s);
}

static void end_stream(skn_stream *s)
{
    if (s->gone || s->state == SKN_STREAM_ENDING)
        return;
    set_state(s, SKN_STREAM_ENDING);
    skn_conn_end(s->call->by->conn);
}

static void cut(skn_stream *s, const char *why)
{
    if (s->gone)
        return;
    skn_log_say(s->hub->o->api.log, SKN_LOG_DEBUG, "a stream was cut: %s", why);
    set_state(s, SKN_STREAM_ENDING);
    skn_conn_close(s->call->by->conn);
}

/* --- Sending --------------------------------------------------------------------------------- */

static size_t backlog(const skn_stream *s)
{
    size_t most = s->hub->o->stream_backlog;

    return most ? most : 2 * 1000 * 1000;
}

void skn_stream_push(skn_stream *s, const skn_frame *f)
{
    if (s->gone || s->state == SKN_STREAM_ENDING || !f->size)
        return;
    s->given += (int64_t)f->size;
    skn_conn_send(s->call->by->conn, f->bytes);
}

static void push_text(skn_stream *s, skn_str bytes)
{
    skn_frame f;

    if (!bytes.n)
        return;
    f = skn_frame_new(bytes);
    skn_stream_push(s, &f);
    skn_frame_drop(&f);
}

/* A frame larger than the backlog is allowed on top until it is taken: the client would otherwise reconnect and get the
 * same again. */
void skn_stream_send(skn_stream *s, const skn_frame *f)
{
    size_t unsent;

    if (s->gone || s->state == SKN_STREAM_ENDING)
        return;
    unsent = skn_conn_unsent(s->call->by->conn);
    if (s->extra > unsent)
        s->extra = unsent;
    if (unsent > backlog(s) + s->extra) {
        cut(s, "its client is too far behind");
        return;
    }
    if (f->size > backlog(s))
        s->extra += f->size;
    skn_stream_push(s, f);
}

void skn_stream_note(skn_stream *s, const skn_note *n)
{
    if (skn_takes(&s->taking, &n->about))
        skn_stream_send(s, &n->frame);
    if (s->taking.over)
        end_stream(s);
}

/* Something about the stream itself, or about its whole world: ready JSON by its format. */
__attribute__((format(printf, 3, 4))) static void write_frame(skn_stream *s, const char *type,
                                                              const char *fmt, ...)
{
    skn_live what = {.type = type, .cause = s->taking.filter.cause};
    char     data[DATA_MOST];
    skn_buf  frame;
    va_list  args;

    va_start(args, fmt);
    vsnprintf(data, sizeof data, fmt, args);
    va_end(args);
    what.data = skn_str_of(data);
    if (s->taking.filter.world.v)
        what.world_name = s->call->world.name;
    if (s->taking.filter.chat.v)
        what.chat_uid = s->call->chat.uid;
    skn_buf_init(&frame, 64 * 1024);
    skn_note_volatile(&frame, &what);
    push_text(s, skn_buf_str(&frame));
    skn_buf_release(&frame);
}

/* --- Catching up ----------------------------------------------------------------------------- */

/* Its message found nobody who has to answer. */
static void end_idle(skn_stream *s)
{
    write_frame(s, "world.idle", "{\"pending\":0,\"agents\":[],\"elapsedMs\":0}");
    end_stream(s);
}

static void go_live(skn_stream *s)
{
    if (s->taking.filter.cause.p && s->taking.filter.idle) {
        end_idle(s);
        return;
    }
    set_state(s, SKN_STREAM_LIVE);
    skn_writing_join(s->hub, s);
    if (!s->gone)
        s->extra = skn_conn_unsent(s->call->by->conn);
}

static skn_call work, paged;

static void read_page(skn_stream *s, bool opening)
{
    page *p = skn_heap(sizeof *p);

    *p = (page){.stream = s,
                .taking = s->taking,
                .opening = opening,
                .after = s->seq,
                .known = s->hub->seq,
                .limit = s->page,
                .enough = s->hub->enough};
    skn_buf_init(&p->text, SIZE_MAX / 4);
    s->busy = true;
    s->hub->jobs++;
    skn_workers_run(s->hub->o->inner, work, paged, p);
}

static size_t low_mark(const skn_stream *s)
{
    size_t half = backlog(s) / 2;

    return half < SKN_STREAM_LOW ? half : SKN_STREAM_LOW;
}

/* Enough is unsent: the rest comes when some of it was taken. */
static bool is_full(const skn_stream *s)
{
    return skn_conn_unsent(s->call->by->conn) >= low_mark(s);
}

static void drain(skn_stream *s)
{
    set_state(s, SKN_STREAM_BEHIND);
    skn_hub_drain_soon(s->hub);
}

bool skn_stream_catch_up(skn_stream *s, const skn_note *n)
{
    s->seq = n->seq;
    if (skn_takes(&s->taking, &n->about))
        skn_stream_push(s, &n->frame);
    if (s->taking.over)
        end_stream(s);
    return s->state != SKN_STREAM_ENDING && !is_full(s);
}

void skn_stream_advance(skn_stream *s)
{
    skn_hub *hub = s->hub;

    if (s->busy || s->gone || s->state == SKN_STREAM_LIVE || s->state == SKN_STREAM_ENDING)
        return;
    if (is_full(s)) {
        drain(s);
    } else if (s->seq > hub->seq && !s->more) {
        set_state(s, SKN_STREAM_JOINING);
        skn_hub_nudge(hub);
    } else if (s->seq > hub->seq || s->seq < hub->floor) {
        read_page(s, false);
    } else if (skn_hub_recent(hub, s)) {
        go_live(s);
    } else if (s->state != SKN_STREAM_ENDING) {
        drain(s);
    }
}

static void say_open(skn_stream *s, int64_t last)
{
    char    time[SKN_TIME_TEXT];
    skn_str now = skn_time_format(skn_clock_micros(), time);

    write_frame(s, "stream.open",
                "{\"lastEventId\":%" PRId64 ",\"serverTime\":\"%.*s\",\"version\":\"%s\"}",
                last, SKN_FMT(now), skein_version_text());
    s->opened = true;
}

/* "snapshot" is where a client finds everything as it is now. */
static void say_reset(skn_stream *s, const page *p)
{
    const skn_stream_filter *f = &s->taking.filter;
    skn_buf                  at;

    skn_buf_init(&at, DATA_MOST / 2);
    skn_buf_add(&at, SKN_STR("/worlds"));
    if (f->world.v) {
        skn_buf_addc(&at, '/');
        skn_url_encode(&at, s->call->world.name);
    }
    if (f->world.v && f->chat.v)
        skn_buf_addf(&at, "/chats/%.*s/messages", SKN_FMT(s->call->chat.uid));
    write_frame(s, "stream.reset",
                "{\"reason\":\"%s\",\"snapshot\":\"%.*s\",\"lastEventId\":%" PRId64 "}",
                p->reset, SKN_FMT(skn_buf_str(&at)), p->newest);
    skn_buf_release(&at);
}

/* How many follow is known when they are all in the first page. */
static void say_resume(skn_stream *s, const page *p)
{
    char count[40] = "";

    if (!p->full)
        snprintf(count, sizeof count, ",\"count\":%zu", p->count);
    write_frame(s, "stream.resume", "{\"from\":%" PRId64 ",\"to\":%" PRId64 "%s}", p->after,
                p->newest, count);
}

static void say_beginning(skn_stream *s, const page *p)
{
    say_open(s, p->after < 0 || p->reset ? p->newest : p->after);
    if (p->reset)
        say_reset(s, p);
    else if (p->after >= 0 && !s->taking.filter.cause.p)
        say_resume(s, p);
}

static void take_page(skn_stream *s, const page *p)
{
    s->busy = false;
    s->hub->jobs--;
    if (s->gone) {
        release(s);
        return;
    }
    if (p->rc) {
        skn_log_say(s->hub->o->api.log, SKN_LOG_WARN, "events cannot be read: %s",
                    p->err.message);
        cut(s, "the store does not answer");
        return;
    }
    if (p->opening)
        say_beginning(s, p);
    s->taking = p->taking;
    s->seq = p->reached;
    s->more = p->full;
    s->page = skn_hub_page(s->hub, p->limit, p->text.n);
    push_text(s, skn_buf_str(&p->text));
    if (s->taking.over)
        end_stream(s);
    else
        skn_stream_advance(s);
}

static void paged(void *arg)
{
    page *p = arg;

    take_page(p->stream, p);
    skn_buf_release(&p->text);
    free(p);
}

/* --- Opening --------------------------------------------------------------------------------- */

static void say_retry(skn_stream *s, int64_t ms)
{
    skn_buf frame;

    skn_buf_init(&frame, 256);
    skn_sse_retry(&frame, ms);
    push_text(s, skn_buf_str(&frame));
    skn_buf_release(&frame);
}

static skn_stream *stream_new(skn_api_call *c, const skn_stream_filter *filter, int64_t after)
{
    skn_stream *s = skn_heap(sizeof *s);

    s->hub = skn_http_hub(c->by->http);
    s->call = c;
    s->taking.filter = *filter;
    s->taking.filter.cause = skn_arena_copy(c->mem, filter->cause);
    s->taking.filter.types = skn_arena_copy(c->mem, filter->types);
    s->seq = after;
    s->page = s->hub->most < FIRST_PAGE ? s->hub->most : FIRST_PAGE;
    s->beat = s->hub->seconds % HEARTBEAT_S;
    return s;
}

void skn_stream_open(skn_api_call *c, const skn_stream_filter *filter, int64_t after)
{
    skn_stream *s = stream_new(c, filter, after);

    c->status = 200;
    c->type = "text/event-stream";
    skn_hub_add(s->hub, s);
    s->busy = true;
    skn_conn_begin(c->by->conn, c, gone, s);
    say_retry(s, RETRY_MS);
    if (s->gone) {
        s->busy = false;
        skn_loop_post(s->hub->o->loop, release, s);
    } else if (s->hub->closing) {
        s->busy = false;
        skn_stream_dismiss(s, NULL);
    } else {
        read_page(s, true);
    }
}

/* --- From time to time ----------------------------------------------------------------------- */

void skn_stream_look(skn_stream *s, unsigned second)
{
    size_t  unsent = skn_conn_unsent(s->call->by->conn);
    int64_t taken = s->given - (int64_t)unsent;

    s->still = unsent == 0 || taken > s->taken ? 0 : s->still + 1;
    s->taken = taken;
    if (s->still >= STILL_S)
        cut(s, "its client reads nothing");
    else if (s->hub->closing && s->hub->grace <= 0)
        cut(s, "the server stops");
    else if (s->opened && second % HEARTBEAT_S == s->beat)
        skn_stream_send(s, &s->hub->heartbeat);
}

void skn_stream_dismiss(skn_stream *s, const skn_frame *notice)
{
    if (notice)
        skn_stream_push(s, notice);
    say_retry(s, 1000 + (int64_t)(skn_random() % 4001));
    end_stream(s);
}

/* --- Reading a page (worker) ----------------------------------------------------------------- */

/* Finds out where the stream begins. */
static skein_rc find_place(skein_engine *e, page *p)
{
    int64_t  forgotten;
    skein_rc rc = skein_events_span(e, &p->newest, &forgotten, &p->err);

    if (rc)
        return rc;
    if (p->after >= 0 && p->after < forgotten)
        p->reset = "too old";
    else if (p->after > p->newest)
        p->reset = "unknown";
    p->reached = p->newest;
    if (p->known < p->newest)
        p->known = p->newest;
    return SKEIN_OK;
}

/* Nothing that follows the end of a cause is looked at. */
static void add_events(page *p, const skein_events *list, skn_arena *a)
{
    for (size_t i = 0; i < list->count && !p->taking.over; i++)
        p->count += skn_note_add(&p->text, &list->at[i], &p->taking, a);
}

static skein_rc read_events(skein_engine *e, page *p)
{
    const skn_stream_filter *f = &p->taking.filter;
    skein_event_query        what = {.world = f->world, .after = p->after, .limit = p->limit};
    skn_arena               *a = skn_arena_new();
    skein_events             list = {.count = 0};
    skein_rc                 rc;

    if (!f->inbox)
        what.chat = f->chat;
    rc = skein_events_read(e, &what, a, &list, &p->err);
    if (rc == SKEIN_OK) {
        add_events(p, &list, a);
        p->full = skn_events_full(&list, p->limit, p->enough);
        p->reached = list.count ? list.at[list.count - 1].seq : p->after;
        if (!p->full && p->reached < p->known)
            p->reached = p->known;
    }
    skn_arena_free(a);
    return rc;
}

static void work(void *arg)
{
    page         *p = arg;
    skein_engine *e = p->stream->hub->o->engine;

    if (p->opening && (p->rc = find_place(e, p)))
        return;
    if (p->after >= 0 && !p->reset)
        p->rc = read_events(e, p);
}

/* --- Frames --------------------------------------------------------------------------------- */

/* Where the line that begins at `from` ends. */
static size_t line_end(skn_str s, size_t from)
{
    while (from < s.n && s.p[from] != '\n' && s.p[from] != '\r')
        from++;
    return from;
}

/* Where the next line begins: behind LF, CR, or both. */
static size_t after_end(skn_str s, size_t end)
{
    if (s.p[end] == '\r' && end + 1 < s.n && s.p[end + 1] == '\n')
        return end + 2;
    return end + 1;
}

static void add_line(skn_buf *out, skn_str line)
{
    skn_buf_add(out, SKN_STR("data: "));
    skn_buf_add(out, line);
    skn_buf_addc(out, '\n');
}

void skn_sse_frame(skn_buf *out, int64_t id, skn_str event, skn_str data)
{
    size_t from = 0, end;

    if (id)
        skn_buf_addf(out, "id: %" PRId64 "\n", id);
    skn_buf_add(out, SKN_STR("event: "));
    skn_buf_add(out, event);
    skn_buf_addc(out, '\n');
    while (data.n && (end = line_end(data, from)) < data.n) {
        add_line(out, skn_str_sub(data, from, end));
        from = after_end(data, end);
    }
    add_line(out, data.n ? skn_str_sub(data, from, data.n) : SKN_STR(""));
    skn_buf_addc(out, '\n');
}

void skn_sse_retry(skn_buf *out, int64_t ms)
{
    skn_buf_addf(out, "retry: %" PRId64 "\n\n", ms);
}
