/* note.c: an event as bytes. */
#include "http/hub.h"

#include "base/clock.h"

#include <stdlib.h>

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

bool skn_events_full(const skein_events *list, size_t limit, size_t enough)
{
    size_t bytes = 0;

    for (size_t i = 0; i < list->count; i++)
        bytes += list->at[i].data.n;
    return list->count >= limit || bytes >= enough;
}

/* --- Durable --------------------------------------------------------------------------------- */

/* Finds the message that an event is about, the removal of its world, and an erasure. */
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

    skn_jw_open(&w, &json, FRAME_LIMIT);
    skn_shape_event(&w, e);
    skn_sse_frame(out, e->seq, e->type, skn_buf_str(&json));
    skn_buf_release(&json);
}

static skn_str keep_text(char **at, skn_str s)
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
    n->about.type = keep_text(&texts, about.type);
    n->about.cause = keep_text(&texts, about.cause);
    n->about.message = keep_text(&texts, about.message);
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

/* The same members as around a stored event, without its number. */
void skn_note_volatile(skn_buf *out, const skn_live *what)
{
    skn_buf json;
    skn_jw  w;

    skn_jw_open(&w, &json, FRAME_LIMIT);
    skn_jw_object(&w);
    skn_jw_ktime(&w, "time", skn_clock_micros());
    skn_jw_kstr(&w, "world", what->world_name);
    skn_jw_kstr(&w, "chatId", what->chat_uid);
    skn_jw_knull(&w, "threadId");
    skn_jw_kstr(&w, "cause", what->cause);
    skn_jw_kraw(&w, "data", what->data);
    skn_jw_object_end(&w);
    skn_sse_frame(out, 0, skn_str_of(what->type), skn_buf_str(&json));
    skn_buf_release(&json);
}
