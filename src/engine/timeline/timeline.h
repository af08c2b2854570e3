/* timeline.h: timelines as JSON, and records from event files and stored messages.
 *
 * The fold itself is <skein/timeline.h>. Threads and lifetimes are as there. */
#pragma once

#include "base/arena.h"
#include "base/json_write.h"

#include <skein/engine.h>
#include <skein/timeline.h>
#include <stdio.h>

#define SKN_EVENT_LINE_MAX ((size_t)16 << 20)

/* Writes a Timeline with the items from number `after` on; "delegations" stays empty. */
void skn_timeline_write_json(skn_jw *w, const skein_timeline_view *v, size_t after);
/* The same with the lanes it started inside "delegations", theirs inside these, to any
 * depth. */
void skn_timeline_write_nested(skn_jw *w, const skein_timeline_view *v, size_t after,
                               skn_arena *scratch);
/* Writes {"mainTimeline":Timeline,"delegateTimelines":{…}}, every lane but the main one
 * below its own key, attached to a call or not. */
void skn_timelines_write_json(skn_jw *w, skein_timelines *set, skn_arena *scratch);

/* Event lines as they come, in pieces cut anywhere. */
typedef struct skn_event_reader {
    skein_timelines *set;
    const char      *name;    /* of the source, for messages; NULL: none */
    skn_buf          partial; /* a line whose end has not come yet */
    skn_arena       *scratch;
    size_t           line; /* lines ended so far */
} skn_event_reader;

void skn_event_reader_init(skn_event_reader *r, skein_timelines *set, const char *name);
void skn_event_reader_release(skn_event_reader *r);
/* Applies the lines that end in this piece. */
skein_rc skn_event_reader_feed(skn_event_reader *r, skn_str piece, skein_error *err);
/* Applies a last line that has no line end. */
skein_rc skn_event_reader_end(skn_event_reader *r, skein_error *err);
/* Applies all lines of an open file. */
skein_rc skn_timelines_read_file(skein_timelines *set, FILE *in, const char *name,
                                 skein_error *err);

typedef skn_vec(skein_record) skn_records;

/* Adds the records that a stored message stands for: its thinking, its text, its calls, or a
 * tool's result. Texts point into the message where they can, else into a. */
void skn_records_of_message(const skein_message *m, skn_str lane, skn_arena *a,
                            skn_records *out);
