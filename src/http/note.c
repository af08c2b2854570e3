/* note.c: an event as bytes, and who wants it. */
#include "http/hub.h"

#include "base/clock.h"
#include "http/sse.h"

#include <stdlib.h>
#include <string.h>

/* A message's text becomes at most six times as long in JSON. */
#define FRAME_LIMIT ((size_t)1 << 30)

skn_frame skn_frame_new(skn_str bytes)
{
    return (skn_frame){skn_shared_new(bytes), bytes.n};
}

void skn_frame_drop(skn_frame *f)
{
    if (f->bytes)
        skn_shared_drop(f->bytes);
    *f = (skn_frame){NULL, 0};
}

/* --- Who wants it ---------------------------------------------------------------------------- */

/* "message" is a beginning of "message.created", but not of "messages.x". */
static bool is_beginning(skn_str type, skn_str word)
{
    return word.n && skn_str_starts(type, word) &&
           (type.n == word.n || type.p[word.n] == '.' || word.p[word.n - 1] == '.');
}

static bool takes_type(skn_str types, skn_str type)
{
    skn_str word;

    if (!types.p)
        return true;
    while (skn_str_split(&types, ',', &word))
        if (is_beginning(type, skn_str_trim(word)))
            return true;
    return false;
}

/* What ended is known by its own cause: others may be at work in the chat all the time. */
static bool takes_cause(skn_taking *t, const skn_about *a)
{
    bool caused = skn_str_eq(a->cause, t->filter.cause);

    if (caused && skn_str_is(a->type, "world.idle")) {
        t->over = true;
        return true;
    }
    return (caused || skn_str_eq(a->message, t->filter.cause)) &&
           takes_type(t->filter.types, a->type);
}

/* Of a world that is no more nothing can come; whoever asked for all worlds goes on. */
static bool takes_end(skn_taking *t, const skn_about *a)
{
    const skn_stream_filter *f = &t->filter;

    t->over = true;
    return !f->chat.v && !f->cause.p && takes_type(f->types, a->type);
}

bool skn_takes(skn_taking *t, const skn_about *a)
{
    const skn_stream_filter *f = &t->filter;

    if (f->world.v && f->world.v == a->world.v && a->removed)
        return takes_end(t, a);
    if ((f->world.v && f->world.v != a->world.v) ||
        (f->chat.v && f->chat.v != a->chat.v &&
         !(f->inbox && is_beginning(a->type, SKN_STR("inbox")))))
        return false;
    return f->cause.p ? takes_cause(t, a) : takes_type(f->types, a->type);
}

bool skn_events_full(const skein_events *list, size_t limit, size_t enough)
{
    size_t bytes = 0;

    for (size_t i = 0; i < list->count; i++)
        bytes += list->at[i].data.n;
    return list->count >= limit || bytes >= enough;
}

/* --- Durable --------------------------------------------------------------------------------- */

/* The message that an event is about, whether it is the last one of its world, and whether it tells of an
 * erasure. */
static void look_inside(skn_about *about, const skein_event *e, skn_arena *scratch)
{
    bool world = skn_str_is(e->type, "world.updated"),
         chat = skn_str_is(e->type, "chat.updated");
    const skn_json *data, *member;

    if (!(world || chat || skn_str_starts(e->type, SKN_STR("message."))) ||
        skn_json_parse(&data, e->data, "event", scratch, NULL) != SKEIN_OK)
        return;
    member = skn_json_get(data, world ? "removed" : chat ? "purged" : "messageId");
    about->erased = chat && member;
    if (member && member->kind == SKN_JSON_STRING)
        about->message = member->text;
    about->removed = member && member->kind == SKN_JSON_BOOL && member->boolean;
}

static skn_about about_event(const skein_event *e, skn_arena *scratch)
{
    skn_about about = {.world = e->world, .chat = e->chat, .type = e->type, .cause = e->cause};

    look_inside(&about, e, scratch);
    return about;
}

static void add_event(skn_buf *out, const skein_event *e)
{
    skn_buf json;
    skn_jw  w;

    skn_buf_init(&json, FRAME_LIMIT);
    skn_jw_init(&w, &json);
    skn_shape_event(&w, e);
    skn_sse_frame(out, e->seq, e->type, skn_buf_str(&json));
    skn_buf_release(&json);
}

static skn_str keep(char **at, skn_str s)
{
    skn_str kept = {*at, s.n};

    if (!s.p)
        return SKN_NONE;
    memcpy(*at, s.p, s.n);
    *at += s.n;
    return kept;
}

skn_note *skn_note_new(const skein_event *e, skn_arena *scratch)
{
    skn_about about = about_event(e, scratch);
    skn_note *n = skn_heap(sizeof *n + about.type.n + about.cause.n + about.message.n);
    char     *texts = (char *)(n + 1);
    skn_buf   frame;

    skn_buf_init(&frame, FRAME_LIMIT);
    add_event(&frame, e);
    n->seq = e->seq;
    n->about = about;
    n->about.type = keep(&texts, about.type);
    n->about.cause = keep(&texts, about.cause);
    n->about.message = keep(&texts, about.message);
    n->frame = skn_frame_new(skn_buf_str(&frame));
    skn_buf_release(&frame);
    return n;
}

void skn_note_free(skn_note *n)
{
    if (n)
        skn_frame_drop(&n->frame);
    free(n);
}

bool skn_note_add(skn_buf *out, const skein_event *e, skn_taking *t, skn_arena *scratch)
{
    skn_about about = about_event(e, scratch);

    if (!skn_takes(t, &about))
        return false;
    add_event(out, e);
    return true;
}

/* --- Volatile -------------------------------------------------------------------------------- */

/* The same members as around an event that is stored, but for its number. */
void skn_note_volatile(skn_buf *out, const skn_live *what)
{
    skn_buf json;
    skn_jw  w;

    skn_buf_init(&json, FRAME_LIMIT);
    skn_jw_init(&w, &json);
    skn_jw_object(&w);
    skn_jw_ktime(&w, "time", skn_clock_micros());
    skn_jw_kstr(&w, "world", what->world_name);
    skn_jw_kstr(&w, "chatId", what->chat_uid);
    skn_jw_knull(&w, "threadId");
    skn_jw_kstr(&w, "cause", what->cause);
    skn_jw_key(&w, "data");
    skn_jw_raw(&w, what->data);
    skn_jw_object_end(&w);
    skn_sse_frame(out, 0, skn_str_of(what->type), skn_buf_str(&json));
    skn_buf_release(&json);
}
