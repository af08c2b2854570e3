/* hub.c: sends on what happened, to all who are there. */
#include "http/hub.h"

#include <stdlib.h>

#define FLUSH_MS 33 /* pieces of text are joined for so long */
#define DRAIN_MS 10 /* looks at clients that have much to take yet */
#define GRACE_S  2  /* for clients to take the last bytes when the server goes */

/* --- Streams --------------------------------------------------------------------------------- */

/* Who wants what is of no chat too is in none's group. */
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

void skn_hub_remove(skn_hub *hub, skn_stream *s)
{
    (void)hub;
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

/* What was told before an erasure may hold the text: who catches up reads the store again. */
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

void skn_hub_pass_on(skn_hub *hub, skn_note *n)
{
    hub->seq = n->seq;
    skn_writing_before(hub, n);
    if (n->about.removed)
        each_live(hub, send_note, n); /* also those of its chats */
    else
        skn_hub_each(hub, n->about.chat, send_note, n);
    skn_writing_after(hub, n);
    skn_hub_wait_note(hub, n);
    keep_recent(hub, n);
}

void skn_hub_place(skn_hub *hub, int64_t seq)
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

void skn_hub_join(skn_hub *hub)
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

skn_hub *skn_hub_new(skn_http *h, const skn_http_options *o)
{
    skn_hub *hub = skn_heap(sizeof *hub);
    int64_t  newest, forgotten;

    hub->http = h;
    hub->o = o;
    hub->most = SKN_HUB_PAGE;
    hub->enough = SKN_HUB_BYTES;
    hub->page = 128;
    hub->soon = skn_timer_new(o->loop, skn_hub_read_soon, hub);
    hub->poll = skn_timer_new(o->loop, skn_hub_poll, hub);
    hub->flush = skn_timer_new(o->loop, on_flush, hub);
    hub->drain = skn_timer_new(o->loop, on_drain, hub);
    hub->second = skn_timer_new(o->loop, on_second, hub);
    hub->heartbeat = skn_frame_new(SKN_STR(":\n\n"));
    /* Before anything can start: a message that started before the hub's place is never known to
     * be written. */
    if (skein_events_span(o->engine, &newest, &forgotten, NULL) == SKEIN_OK)
        skn_hub_place(hub, newest);
    skn_hub_poll(hub);
    return hub;
}

void skn_hub_free(skn_hub *hub)
{
    if (!hub)
        return;
    forget_recent(hub);
    skn_writing_clear(hub);
    skn_hub_wait_clear(hub);
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
    skn_hub_wait_clear(hub);
    skn_hub_settle(hub);
}
