/* hub.c: sends on what happened, to all who are there. */
#include "http/hub.h"

#include <stdlib.h>

#define FLUSH_MS 33 /* pieces of text are joined for so long */
#define DRAIN_MS 10 /* looks at clients that have much to take yet */
#define GRACE_S  2  /* for clients to take the last bytes when the server goes */

/* --- Streams --------------------------------------------------------------------------------- */

/* A filter that also wants events without a chat belongs to no group. */
static skein_conversation_id chat_of(const skn_stream_filter *f)
{
    return f->inbox ? (skein_conversation_id){0} : f->chat;
}

static size_t group_of(skein_conversation_id chat)
{
    return chat.v ? 1 + (uint64_t)chat.v % (SKN_HUB_GROUPS - 1) : 0;
}

void skn_hub_add(skn_hub *hub, skn_stream *s)
{
    skn_stream **head = &hub->groups[group_of(chat_of(&s->taking.filter))];

    s->next = *head;
    s->link = head;
    if (*head)
        (*head)->link = &s->next;
    *head = s;
    hub->streams++;
    skn_hub_look_soon(hub);
}

void skn_hub_remove(skn_stream *s)
{
    *s->link = s->next;
    if (s->next)
        s->next->link = s->link;
    s->link = NULL;
}

/* fn may end the stream it is given, and no other. */
static void each_of_group(skn_hub *hub, size_t group, skn_stream_fn *fn, const void *arg)
{
    for (skn_stream *s = hub->groups[group], *next; s; s = next) {
        next = s->next;
        fn(s, arg);
    }
}

static void each_stream(skn_hub *hub, skn_stream_fn *fn, const void *arg)
{
    for (size_t i = 0; i < SKN_HUB_GROUPS; i++)
        each_of_group(hub, i, fn, arg);
}

typedef struct live_call {
    skn_stream_fn *fn;
    const void    *arg;
} live_call;

static void if_live(skn_stream *s, const void *arg)
{
    const live_call *call = arg;

    if (s->state == SKN_STREAM_LIVE)
        call->fn(s, call->arg);
}

static void each_live(skn_hub *hub, skn_stream_fn *fn, const void *arg)
{
    live_call call = {fn, arg};

    each_stream(hub, if_live, &call);
}

void skn_hub_each(skn_hub *hub, skein_conversation_id chat, skn_stream_fn *fn, const void *arg)
{
    live_call call = {fn, arg};

    each_of_group(hub, 0, if_live, &call);
    if (chat.v)
        each_of_group(hub, group_of(chat), if_live, &call);
}

/* --- Sending on ------------------------------------------------------------------------------ */

static void drop_oldest(skn_hub *hub)
{
    skn_note *n = hub->recent[hub->recent_first];

    hub->floor = n->seq;
    hub->recent_bytes -= n->frame.size;
    hub->recent_first = (hub->recent_first + 1) % SKN_HUB_RECENT;
    hub->recent_count--;
    skn_note_free(n);
}

static void forget_recent(skn_hub *hub)
{
    while (hub->recent_count)
        drop_oldest(hub);
}

/* Notes from before an erasure may have the text: streams that catch up read the store again. */
static void keep_recent(skn_hub *hub, skn_note *n)
{
    if (n->about.erased)
        forget_recent(hub);
    if (hub->recent_count == SKN_HUB_RECENT)
        drop_oldest(hub);
    hub->recent[(hub->recent_first + hub->recent_count++) % SKN_HUB_RECENT] = n;
    hub->recent_bytes += n->frame.size;
    while (hub->recent_bytes > SKN_HUB_KEPT)
        drop_oldest(hub);
}

bool skn_hub_recent(skn_hub *hub, skn_stream *s)
{
    for (size_t i = 0; i < hub->recent_count; i++) {
        const skn_note *n = hub->recent[(hub->recent_first + i) % SKN_HUB_RECENT];

        if (n->seq > s->seq && !skn_stream_catch_up(s, n))
            return false;
    }
    s->seq = hub->seq;
    return true;
}

static void send_note(skn_stream *s, const void *arg)
{
    skn_stream_note(s, arg);
}

static void hub_wait_note(skn_hub *hub, const skn_note *n);

/* Sends the next event to all live streams; the note is the hub's then. */
static void hub_pass_on(skn_hub *hub, skn_note *n)
{
    hub->seq = n->seq;
    skn_writing_before(hub, n);
    if (n->about.removed)
        each_live(hub, send_note, n); /* also those of its chats */
    else
        skn_hub_each(hub, n->about.chat, send_note, n);
    skn_writing_after(hub, n);
    hub_wait_note(hub, n);
    keep_recent(hub, n);
}

/* The event after which it begins, and that all before it is passed. */
static void hub_place(skn_hub *hub, int64_t seq)
{
    hub->seq = hub->floor = seq;
    hub->placed = true;
}

static void join(skn_stream *s, const void *arg)
{
    (void)arg;
    if (s->state == SKN_STREAM_JOINING && s->seq <= s->hub->seq)
        skn_stream_advance(s);
}

/* Lets those join who waited for the place where the hub stands now. */
static void hub_join(skn_hub *hub)
{
    if (hub->joining)
        each_stream(hub, join, NULL);
}

/* --- Timers ---------------------------------------------------------------------------------- */

static void on_flush(void *arg)
{
    skn_hub *hub = arg;

    hub->flush_on = false;
    if (!skn_hub_holds(hub) && skn_writing_flush(hub))
        skn_hub_flush_soon(hub);
}

bool skn_hub_holds(const skn_hub *hub)
{
    return hub->held || hub->catch_up;
}

void skn_hub_hold(skn_hub *hub)
{
    hub->held++;
}

void skn_hub_flush_soon(skn_hub *hub)
{
    if (!hub->flush_on)
        skn_timer_start(hub->flush, FLUSH_MS);
    hub->flush_on = true;
}

static void drain_one(skn_stream *s, const void *arg)
{
    (void)arg;
    if (s->state == SKN_STREAM_BEHIND)
        skn_stream_advance(s);
}

static void on_drain(void *arg)
{
    skn_hub *hub = arg;

    hub->drain_on = false;
    each_stream(hub, drain_one, NULL);
}

void skn_hub_drain_soon(skn_hub *hub)
{
    if (!hub->drain_on)
        skn_timer_start(hub->drain, DRAIN_MS);
    hub->drain_on = true;
}

static void look_at(skn_stream *s, const void *second)
{
    skn_stream_look(s, *(const unsigned *)second);
}

static void on_second(void *arg)
{
    skn_hub *hub = arg;

    hub->seconds++;
    hub->grace--;
    each_stream(hub, look_at, &hub->seconds);
    skn_writing_sweep(hub);
    hub->second_on = false;
    if (hub->streams || hub->writings)
        skn_hub_look_soon(hub);
}

void skn_hub_look_soon(skn_hub *hub)
{
    if (!hub->second_on)
        skn_timer_start(hub->second, 1000);
    hub->second_on = true;
}

/* --- Life ------------------------------------------------------------------------------------ */

static void hub_read_soon(void *arg);
static void hub_poll(void *arg);

skn_hub *skn_hub_new(skn_http *h, const skn_http_options *o)
{
    skn_hub *hub = skn_heap(sizeof *hub);
    int64_t  newest, forgotten;

    hub->http = h;
    hub->o = o;
    hub->most = SKN_HUB_PAGE;
    hub->enough = SKN_HUB_BYTES;
    hub->page = 128;
    hub->soon = skn_timer_new(o->loop, hub_read_soon, hub);
    hub->poll = skn_timer_new(o->loop, hub_poll, hub);
    hub->flush = skn_timer_new(o->loop, on_flush, hub);
    hub->drain = skn_timer_new(o->loop, on_drain, hub);
    hub->second = skn_timer_new(o->loop, on_second, hub);
    hub->heartbeat = skn_frame_new(SKN_STR(":\n\n"));
    /* Before any turn: a message that started before the hub's place would never be known. */
    if (skein_events_span(o->engine, &newest, &forgotten, NULL) == SKEIN_OK)
        hub_place(hub, newest);
    hub_poll(hub);
    return hub;
}

static void hub_wait_clear(skn_hub *hub);

void skn_hub_free(skn_hub *hub)
{
    if (!hub)
        return;
    forget_recent(hub);
    skn_writing_clear(hub);
    hub_wait_clear(hub);
    skn_frame_drop(&hub->heartbeat);
    skn_timer_free(hub->soon);
    skn_timer_free(hub->poll);
    skn_timer_free(hub->flush);
    skn_timer_free(hub->drain);
    skn_timer_free(hub->second);
    free(hub);
}

void skn_hub_tell(skn_hub *hub, const skn_live *event)
{
    if (!hub->closing)
        skn_writing_tell(hub, event);
}

void skn_hub_count(const skn_hub *hub, int64_t *streams, int64_t *lag)
{
    *streams = (int64_t)hub->streams;
    *lag = 0;
    for (size_t i = 0; i < SKN_HUB_GROUPS; i++)
        for (const skn_stream *s = hub->groups[i]; s; s = s->next)
            if (s->state == SKN_STREAM_BEHIND && s->seq >= 0 && hub->seq - s->seq > *lag)
                *lag = hub->seq - s->seq;
}

int64_t skn_hub_seq(const skn_hub *hub)
{
    return hub && hub->placed ? hub->seq : -1;
}

void skn_hub_settle(skn_hub *hub)
{
    if (!hub->closing || hub->closed || hub->streams || hub->jobs || hub->reading ||
        hub->looking)
        return;
    hub->closed = true;
    skn_loop_post(hub->o->loop, hub->done, hub->done_arg);
}

static void dismiss(skn_stream *s, const void *notice)
{
    skn_stream_dismiss(s, notice);
}

void skn_hub_close(skn_hub *hub, skn_call *done, void *arg)
{
    skn_live  what = {.type = "server.notice",
                      .data = SKN_STR("{\"reason\":\"shutting down\",\"inMs\":0}")};
    skn_frame notice;
    skn_buf   b;

    hub->closing = true;
    hub->grace = GRACE_S;
    hub->done = done;
    hub->done_arg = arg;
    skn_buf_init(&b, 4096);
    skn_note_volatile(&b, &what);
    notice = skn_frame_new(skn_buf_str(&b));
    skn_buf_release(&b);
    each_stream(hub, dismiss, &notice);
    skn_frame_drop(&notice);
    hub_wait_clear(hub);
    skn_hub_settle(hub);
}

/* Reads what was committed, by whomever. */

#define POLL_MS  100  /* how soon a commit of another process is noticed */
#define LAZY_MS  250  /* how soon anything is read while nobody listens */
#define AGAIN_MS 1000 /* after a failure */

/* --- Reading --------------------------------------------------------------------------------- */

typedef struct reading {
    skn_hub    *hub;
    bool        place; /* only find the newest */
    bool        full;
    int64_t     after;
    size_t      limit, count, bytes;
    skn_note   *notes[SKN_HUB_PAGE];
    skein_rc    rc;
    skein_error err;
} reading;

static void read_notes(reading *r, skn_arena *a)
{
    skein_event_query what = {.after = r->after, .limit = r->limit};
    skein_events      list = {.count = 0};

    if ((r->rc = skein_events_read(r->hub->o->engine, &what, a, &list, &r->err)))
        return;
    r->full = skn_events_full(&list, r->limit, r->hub->enough);
    for (; r->count < list.count && r->count < r->limit; r->count++) {
        r->notes[r->count] = skn_note_new(&list.at[r->count], a);
        r->bytes += r->notes[r->count]->frame.size;
    }
}

static void read_work(void *arg)
{
    reading   *r = arg;
    skn_arena *a = skn_arena_new();
    int64_t    forgotten;

    if (r->place)
        r->rc = skein_events_span(r->hub->o->engine, &r->after, &forgotten, &r->err);
    else
        read_notes(r, a);
    skn_arena_free(a);
}

static void read_later(skn_hub *hub, int64_t ms)
{
    if (!hub->soon_on)
        skn_timer_start(hub->soon, ms);
    hub->soon_on = true;
}

size_t skn_hub_page(const skn_hub *hub, size_t limit, size_t bytes)
{
    limit = bytes > hub->enough ? limit / 4 : limit * 2;
    if (limit > hub->most)
        limit = hub->most;
    return limit < 4 ? 4 : limit;
}

static void read_now(skn_hub *hub);

/* Nobody may start another read before all of this one is passed on. */
static void pass_on_all(skn_hub *hub, const reading *r)
{
    if (r->place)
        hub_place(hub, r->after);
    for (size_t i = 0; i < r->count; i++)
        hub_pass_on(hub, r->notes[i]);
    hub_join(hub);
}

/* Other processes store messages, too; and on PostgreSQL the stamp may be seen before the events. */
static void tell_change(const skn_hub *hub)
{
    if (hub->o->changed && !hub->closing)
        hub->o->changed(hub->o->arg);
}

static void read_done(void *arg)
{
    reading *r = arg;
    skn_hub *hub = r->hub;
    bool     more;

    if (r->rc == SKEIN_OK) {
        hub->page = skn_hub_page(hub, r->limit, r->bytes);
        pass_on_all(hub, r);
        if (r->count)
            tell_change(hub);
    } else {
        skn_log_say(hub->o->api.log, SKN_LOG_WARN, "events cannot be read: %s", r->err.message);
        read_later(hub, AGAIN_MS);
    }
    more = r->rc == SKEIN_OK && (hub->again || r->place || r->full);
    hub->reading = false;
    if (hub->catch_up && r->rc == SKEIN_OK && !r->full && !--hub->catch_up)
        skn_hub_flush_soon(hub);
    free(r);
    if (more)
        read_now(hub);
    skn_hub_settle(hub);
}

static void read_now(skn_hub *hub)
{
    reading *r;

    hub->again = hub->reading;
    if (hub->reading || hub->closing)
        return;
    hub->reading = true;
    r = skn_heap(sizeof *r);
    r->hub = hub;
    r->place = !hub->placed;
    r->after = hub->seq;
    r->limit = hub->page;
    skn_workers_run(hub->o->inner, read_work, read_done, r);
}

void skn_hub_nudge(skn_hub *hub)
{
    if (hub->streams || hub->waits)
        read_now(hub);
    else
        read_later(hub, LAZY_MS);
}

/* A read that is under way may have begun before the change was made. */
void skn_hub_release(skn_hub *hub)
{
    hub->held--;
    hub->catch_up = hub->reading ? 2 : 1;
    read_now(hub);
}

static void hub_read_soon(void *arg)
{
    skn_hub *hub = arg;

    hub->soon_on = false;
    read_now(hub);
}

/* --- Other processes ------------------------------------------------------------------------- */

typedef struct look {
    skn_hub *hub;
    int64_t  stamp;
    skein_rc rc;
} look;

static void look_work(void *arg)
{
    look *l = arg;

    l->rc = skein_store_stamp(l->hub->o->engine, &l->stamp, NULL);
}

static void look_done(void *arg)
{
    look    *l = arg;
    skn_hub *hub = l->hub;

    hub->looking = false;
    if (l->rc == SKEIN_OK && l->stamp != hub->stamp && !hub->closing) {
        hub->stamp = l->stamp;
        skn_hub_nudge(hub);
        tell_change(hub);
    }
    free(l);
    if (!hub->closing)
        skn_timer_start(hub->poll, POLL_MS);
    skn_hub_settle(hub);
}

/* The calls of two timers. */
static void hub_poll(void *arg)
{
    skn_hub *hub = arg;
    look    *l;

    if (hub->closing)
        return;
    if (hub->reading) {
        skn_timer_start(hub->poll, POLL_MS);
        return;
    }
    hub->looking = true;
    l = skn_heap(sizeof *l);
    l->hub = hub;
    skn_workers_run(hub->o->inner, look_work, look_done, l);
}

/* Who waits until all that a message caused is done. */

struct skn_hub_waiting {
    skn_hub_waiting *next;
    skn_hub         *hub;
    skn_arena       *mem;
    skn_taking       taking;
    skn_timer       *timer;
    skn_hub_waited  *fn;
    void            *arg;
};

/* Takes it out of the list first: fn may wait again, or end. */
static void finish_waiting(skn_hub_waiting *w, bool tell, bool late)
{
    skn_hub_waiting **at = &w->hub->waits;
    skn_hub_waited   *fn = w->fn;
    void             *arg = w->arg;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    skn_timer_free(w->timer);
    skn_arena_free(w->mem);
    free(w);
    if (tell)
        fn(arg, late);
}

static void on_late(void *arg)
{
    finish_waiting(arg, true, true);
}

void skn_hub_wait(skn_hub *hub, skn_str cause, int64_t ms, skn_hub_waited *fn, void *arg)
{
    skn_hub_waiting *w = skn_heap(sizeof *w);

    w->hub = hub;
    w->mem = skn_arena_new();
    w->taking.filter.cause = skn_arena_copy(w->mem, cause);
    w->fn = fn;
    w->arg = arg;
    w->timer = skn_timer_new(hub->o->loop, on_late, w);
    w->next = hub->waits;
    hub->waits = w;
    skn_timer_start(w->timer, hub->closing ? 0 : ms); /* nobody tells it anything any more */
    skn_hub_nudge(hub);
}

void skn_hub_wait_end(skn_hub *hub, void *arg)
{
    for (skn_hub_waiting *w = hub->waits, *next; w; w = next) {
        next = w->next;
        if (w->arg == arg)
            finish_waiting(w, false, false);
    }
}

static void hub_wait_note(skn_hub *hub, const skn_note *n)
{
    skn_hub_waiting *w = hub->waits;

    for (; w; w = w->next)
        skn_takes(&w->taking, &n->about);
    w = hub->waits;
    while (w) {
        if (w->taking.over) {
            finish_waiting(w, true, false);
            w = hub->waits; /* fn may have changed the list */
        } else {
            w = w->next;
        }
    }
}

static void hub_wait_clear(skn_hub *hub)
{
    while (hub->waits)
        finish_waiting(hub->waits, true, true);
}
