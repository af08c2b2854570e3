/* Messages that are being written. Pieces are joined, so a message causes at most 30 events a second; the text so far is
 * kept for new streams. A piece may come before the hub has read the start of its message, or after its end: it waits, and
 * is forgotten if no start follows. */
#include "http/hub.h"

#include <stdlib.h>

#define MOST        1024 /* messages at once */
#define NEVER_S     60   /* of pieces whose message never started */
#define FRAME_LIMIT ((size_t)1 << 30)

struct skn_writing {
    skn_writing *next;
    skn_arena   *mem; /* of the texts in `live` */
    skn_live     live;
    bool         started, full;
    bool         thought; /* the last piece was one of thinking */
    int64_t      chunk;   /* the last that was sent */
    skn_buf      text, thinking;
    size_t       text_sent, thinking_sent;
    skn_frame    snapshot; /* up to the last chunk; empty: not made yet */
    int          age;
};

/* --- The list -------------------------------------------------------------------------------- */

static skn_writing **place_of(skn_hub *hub, skn_str message)
{
    skn_writing **at = &hub->writings;

    while (*at && !skn_str_eq((*at)->live.message, message))
        at = &(*at)->next;
    return at;
}

static skn_writing *find_or_make(skn_hub *hub, skn_str message)
{
    skn_writing **at = place_of(hub, message), *w = *at;

    if (w || hub->writing_count >= MOST)
        return w;
    w = skn_heap(sizeof *w);
    w->mem = skn_arena_new();
    w->live.message = skn_arena_copy(w->mem, message);
    skn_buf_init(&w->text, SKN_WRITING_MAX);
    skn_buf_init(&w->thinking, SKN_WRITING_MAX);
    hub->writing_count++;
    skn_hub_look_soon(hub);
    *at = w;
    return w;
}

static void forget_writing(skn_hub *hub, skn_writing **at)
{
    skn_writing *w = *at;

    *at = w->next;
    hub->writing_count--;
    skn_frame_drop(&w->snapshot);
    skn_buf_release(&w->text);
    skn_buf_release(&w->thinking);
    skn_arena_free(w->mem);
    free(w);
}

void skn_writing_clear(skn_hub *hub)
{
    while (hub->writings)
        forget_writing(hub, &hub->writings);
}

void skn_writing_sweep(skn_hub *hub)
{
    skn_writing **at = &hub->writings;

    while (*at) {
        if (!(*at)->started && ++(*at)->age > NEVER_S)
            forget_writing(hub, at);
        else
            at = &(*at)->next;
    }
}

/* --- Frames ---------------------------------------------------------------------------------- */

static skn_frame frame_of(const skn_live *what)
{
    skn_frame f;
    skn_buf   b;

    skn_buf_init(&b, FRAME_LIMIT);
    skn_note_volatile(&b, what);
    f = skn_frame_new(skn_buf_str(&b));
    skn_buf_release(&b);
    return f;
}

/* {"messageId","chunk","text"} of a message that is being written, and one more member. */
static skn_frame text_frame(const skn_writing *w, const char *type, skn_str text,
                            const char *key, skn_str value)
{
    skn_live  what = w->live;
    skn_buf   data;
    skn_frame f;
    skn_jw    j;

    skn_jw_open(&j, &data, FRAME_LIMIT);
    skn_jw_object(&j);
    skn_jw_kstr(&j, "messageId", w->live.message);
    skn_jw_kint(&j, "chunk", w->chunk);
    skn_jw_kstr(&j, "text", text);
    skn_jw_kstr(&j, key, value);
    skn_jw_object_end(&j);
    what.type = type;
    what.data = skn_buf_str(&data);
    f = frame_of(&what);
    skn_buf_release(&data);
    return f;
}

static const skn_frame *snapshot_of(skn_writing *w)
{
    skn_str text = skn_str_sub(skn_buf_str(&w->text), 0, w->text_sent);
    skn_str thinking = skn_str_sub(skn_buf_str(&w->thinking), 0, w->thinking_sent);

    if (!w->snapshot.bytes)
        w->snapshot = text_frame(w, "message.snapshot", text, "thinking", thinking);
    return &w->snapshot;
}

/* --- Sending --------------------------------------------------------------------------------- */

typedef struct sending {
    skn_about        about;
    bool             text; /* of a message: not for those who want no deltas */
    const skn_frame *frame;
} sending;

/* What is volatile neither begins nor ends anything. */
static bool takes(const skn_stream *s, const sending *what)
{
    skn_taking t = s->taking;

    return !(what->text && t.filter.no_deltas) && skn_takes(&t, &what->about);
}

static void send_if_taken(skn_stream *s, const void *arg)
{
    const sending *what = arg;

    if (takes(s, what))
        skn_stream_send(s, what->frame);
}

static sending sending_of(const skn_live *live, const char *type, const skn_frame *f)
{
    return (sending){.about = {.world = live->world,
                               .chat = live->chat,
                               .type = skn_str_of(type),
                               .cause = live->cause,
                               .message = live->message},
                     .text = skn_str_among(skn_str_of(type), "message.delta message.snapshot"),
                     .frame = f};
}

static void send_live(skn_hub *hub, const skn_live *live, const char *type, const skn_frame *f)
{
    sending what = sending_of(live, type, f);

    skn_hub_each(hub, live->chat, send_if_taken, &what);
}

static void send_delta(skn_hub *hub, skn_writing *w, skn_str text, const char *part)
{
    skn_frame f;

    w->chunk++;
    skn_frame_drop(&w->snapshot);
    if (!hub->streams)
        return;
    f = text_frame(w, "message.delta", text, "part", skn_str_of(part));
    send_live(hub, &w->live, "message.delta", &f);
    skn_frame_drop(&f);
}

static bool flush_part(skn_hub *hub, skn_writing *w, bool thinking)
{
    skn_buf *b = thinking ? &w->thinking : &w->text;
    size_t  *sent = thinking ? &w->thinking_sent : &w->text_sent, from = *sent;

    if (from == b->n)
        return false;
    *sent = b->n;
    w->thought = thinking;
    send_delta(hub, w, skn_str_sub(skn_buf_str(b), from, b->n), thinking ? "thinking" : "text");
    return true;
}

/* One piece of each message for each time; if there is one of both kinds they take turns. */
bool skn_writing_flush(skn_hub *hub)
{
    bool more = false;

    for (skn_writing *w = hub->writings; w; w = w->next) {
        if (!w->started)
            continue;
        if (!flush_part(hub, w, !w->thought))
            flush_part(hub, w, w->thought);
        more = more || w->text_sent < w->text.n || w->thinking_sent < w->thinking.n;
    }
    return more;
}

static void send_other(skn_hub *hub, const skn_live *event)
{
    skn_frame f;

    if (!hub->streams)
        return;
    f = frame_of(event);
    send_live(hub, event, event->type, &f);
    skn_frame_drop(&f);
}

static void remember_where(skn_writing *w, const skn_live *event)
{
    if (w->live.world_name.p)
        return;
    w->live.world = event->world;
    w->live.chat = event->chat;
    w->live.world_name = skn_arena_copy(w->mem, event->world_name);
    w->live.chat_uid = skn_arena_copy(w->mem, event->chat_uid);
    w->live.cause = skn_arena_copy(w->mem, event->cause);
}

void skn_writing_tell(skn_hub *hub, const skn_live *event)
{
    skn_writing *w;
    skn_buf     *b;

    if (!skn_str_is(skn_str_of(event->type), "message.delta")) {
        send_other(hub, event);
        return;
    }
    if (!(w = find_or_make(hub, event->message)) || w->full)
        return;
    remember_where(w, event);
    w->age = 0;
    b = skn_str_is(event->part, "thinking") ? &w->thinking : &w->text;
    w->full = b->n + event->text.n > SKN_WRITING_MAX; /* the whole text comes at the end */
    if (!w->full)
        skn_buf_add(b, event->text);
    if (w->started)
        skn_hub_flush_soon(hub);
}

/* --- Beginning and end ----------------------------------------------------------------------- */

static bool is_end(skn_str type)
{
    return skn_str_is(type, "message.completed") || skn_str_is(type, "message.failed") ||
           skn_str_is(type, "message.withdrawn");
}

/* Readers get the whole text before its end, unless a change has just kept a part of it. */
void skn_writing_before(skn_hub *hub, const skn_note *n)
{
    skn_writing **at;
    bool          thought;

    if (!n->about.message.p || !is_end(n->about.type) ||
        !*(at = place_of(hub, n->about.message)))
        return;
    thought = (*at)->thought;
    if ((*at)->started && !skn_str_is(n->about.type, "message.withdrawn") &&
        !skn_hub_holds(hub)) {
        flush_part(hub, *at, !thought);
        flush_part(hub, *at, thought);
    }
    forget_writing(hub, at);
}

void skn_writing_after(skn_hub *hub, const skn_note *n)
{
    skn_writing *w;

    if (!skn_str_is(n->about.type, "message.started") || !n->about.message.p ||
        !(w = find_or_make(hub, n->about.message)))
        return;
    w->started = true;
    if (skn_hub_holds(hub) || (!w->text.n && !w->thinking.n))
        return; /* what a change may leave out is told when it is over */
    w->chunk++;
    w->text_sent = w->text.n;
    w->thinking_sent = w->thinking.n;
    send_live(hub, &w->live, "message.snapshot", snapshot_of(w));
}

void skn_writing_join(skn_hub *hub, skn_stream *s)
{
    for (skn_writing *w = hub->writings; w; w = w->next) {
        sending what = sending_of(&w->live, "message.snapshot", NULL);

        if (w->started && w->chunk && takes(s, &what))
            skn_stream_push(s, snapshot_of(w));
    }
}
