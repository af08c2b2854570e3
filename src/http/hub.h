/* hub.h: streams of events: what hub.c, stream.c, note.c and writing.c share.
 *
 * The hub reads each stored event once, after its commit, and sends it to all live streams. A live stream stands where the
 * hub stands (hub->seq). A stream that is behind reads pages of its own until it has caught up. So nothing is lost or sent
 * twice, and what the hub knows of messages that are being written is right for every live stream.
 *
 * Threads: the loop's, unless a comment says "worker".  Lifetimes: a stream lives until its connection is gone and its page
 * job is back; the hub until it was closed. */
#pragma once

#include "http/http_call.h"

#define SKN_HUB_GROUPS  256
#define SKN_HUB_RECENT  256           /* notes that are kept for streams that catch up … */
#define SKN_HUB_KEPT    (1024 * 1024) /* … as long as they are not more bytes than this */
#define SKN_HUB_PAGE    500           /* events of one read, at most … */
#define SKN_HUB_BYTES   (1024 * 1024) /* … and about so many bytes; the store gives no fewer */
#define SKN_STREAM_LOW  (256 * 1024)  /* a page is read when less than this is unsent */
#define SKN_WRITING_MAX (16 * 1024 * 1024)

/* Bytes that are sent to several streams. */
typedef struct skn_frame {
    skn_shared *bytes;
    size_t      size;
} skn_frame;

skn_frame skn_frame_new(skn_str bytes); /* any thread */
void      skn_frame_drop(skn_frame *f); /* empty is fine */

/* --- Frames of server-sent events (WHATWG HTML 9.2), as bytes (stream.c). Any thread. */

/* id 0: none. The event's name has no line ends; data may be anything, also empty. The format cannot carry a carriage
 * return in data: it becomes a line feed, which is white space in JSON either way. */
void skn_sse_frame(skn_buf *out, int64_t id, skn_str event, skn_str data);
/* How long a client waits before it comes back. */
void skn_sse_retry(skn_buf *out, int64_t ms);

/* --- Events as bytes (note.c) ------------------------------------------------------------------ */

/* More events may follow: these are as many as were asked for, or so large that the store may have ended the page early. Any
 * thread. */
bool skn_events_full(const skein_events *list, size_t limit, size_t enough);

/* A durable event, formatted once. */
typedef struct skn_note {
    int64_t   seq;
    skn_about about;
    skn_frame frame;
} skn_note;

/* Worker. */
skn_note *skn_note_new(const skein_event *e, skn_arena *scratch);
void      skn_note_free(skn_note *n);
/* Adds the event's frame to `out` when t takes it. Worker. */
bool skn_note_add(skn_buf *out, const skein_event *e, skn_taking *t, skn_arena *scratch);
/* An event that is not stored; data is ready JSON. */
void skn_note_volatile(skn_buf *out, const skn_live *what);

/* --- Streams (stream.c) ---------------------------------------------------------------------- */

typedef enum skn_stream_state {
    SKN_STREAM_BEHIND,  /* a page is being read, or will be when the client has taken enough */
    SKN_STREAM_JOINING, /* ahead of the hub, which it waits for */
    SKN_STREAM_LIVE,
    SKN_STREAM_ENDING
} skn_stream_state;

typedef struct skn_stream skn_stream;
struct skn_stream {
    skn_stream      *next, **link; /* of its group */
    skn_hub         *hub;
    skn_api_call    *call;
    skn_taking       taking;
    skn_stream_state state;
    bool             busy;   /* a page job, or the opening, is under way */
    bool             gone;   /* the connection is no more */
    bool             opened; /* stream.open was sent */
    bool             more;   /* its last page was full */
    int64_t          seq;    /* stands behind this event; a live one behind hub->seq */
    size_t           page;   /* events of its next page */
    int64_t          given;  /* bytes */
    int64_t          taken;  /* by the client, as of the last look */
    size_t           extra;  /* unsent bytes that are allowed on top */
    int              still;  /* seconds without progress */
    unsigned         beat;   /* second of its heartbeat */
};

/* Sends, or cuts a stream of which too much is unsent. */
void skn_stream_send(skn_stream *s, const skn_frame *f);
/* Sends in any case, which a stream needs before it is live. */
void skn_stream_push(skn_stream *s, const skn_frame *f);
/* Sends the note if the stream takes it, and ends the stream after its last one. */
void skn_stream_note(skn_stream *s, const skn_note *n);
/* The same for a stream that is behind; false when it can take no more for now. */
bool skn_stream_catch_up(skn_stream *s, const skn_note *n);
void skn_stream_advance(skn_stream *s);               /* resumes a stream that is behind */
void skn_stream_look(skn_stream *s, unsigned second); /* once a second */
void skn_stream_dismiss(skn_stream *s, const skn_frame *notice); /* the server goes */

/* --- What is being written (writing.c) ------------------------------------------------------- */

typedef struct skn_writing skn_writing;

void skn_writing_tell(skn_hub *hub, const skn_live *event);
/* Before a note goes out: sends the rest of a message that has ended, and forgets it. */
void skn_writing_before(skn_hub *hub, const skn_note *n);
/* After a note went out: sends what is there of a message that has started. */
void skn_writing_after(skn_hub *hub, const skn_note *n);
/* Sends what was added since; false when nothing is left for the next time. */
bool skn_writing_flush(skn_hub *hub);
/* Sends all that is being written to a stream that went live. */
void skn_writing_join(skn_hub *hub, skn_stream *s);
/* Once a second: forgets messages that never started. */
void skn_writing_sweep(skn_hub *hub);
void skn_writing_clear(skn_hub *hub);

/* --- The hub (hub.c) ------------------------------------------------------------------------- */

typedef struct skn_hub_waiting skn_hub_waiting;

struct skn_hub {
    skn_http               *http;
    const skn_http_options *o;
    int64_t                 seq;            /* of the last event that was sent on */
    bool                    placed;         /* seq is known */
    size_t                  page, most;     /* events of the next read, and of any */
    size_t                  enough;         /* bytes of one */
    bool                    reading, again; /* a read is under way; another is wanted */
    bool                    looking;        /* at the store's stamp */
    int64_t                 stamp;
    skn_stream             *groups[SKN_HUB_GROUPS]; /* 0: of all chats */
    size_t                  streams, jobs, joining;
    /* The newest notes: all after `floor`. */
    skn_note *recent[SKN_HUB_RECENT];
    size_t    recent_first, recent_count, recent_bytes;
    int64_t   floor;
    /* Messages. */
    skn_writing *writings;
    size_t       writing_count;
    int          held;     /* changes that keep what is being written are under way */
    int          catch_up; /* reads until the hub knows what they did */
    /* Who waits for the end of what a message caused. */
    skn_hub_waiting *waits;
    skn_timer       *soon, *poll, *flush, *drain, *second;
    bool             soon_on, flush_on, drain_on, second_on;
    unsigned         seconds;
    skn_frame        heartbeat;
    /* Closing. */
    bool      closing, closed;
    int       grace; /* seconds until those who do not read are cut */
    skn_call *done;
    void     *done_arg;
};

/* Calls fn for the live streams that may want what is about a chat (zero: about none). */
typedef void skn_stream_fn(skn_stream *s, const void *arg);
void skn_hub_each(skn_hub *hub, skein_conversation_id chat, skn_stream_fn *fn, const void *arg);
void skn_hub_add(skn_hub *hub, skn_stream *s);
void skn_hub_remove(skn_stream *s);
void skn_hub_settle(skn_hub *hub); /* ends a closing hub once it is empty */
/* Sends the recent notes to a stream at or after `floor`; false when it can take no more for now. */
bool skn_hub_recent(skn_hub *hub, skn_stream *s);
/* No events are wanted about texts that are being written. */
bool skn_hub_holds(const skn_hub *hub);
/* Each starts a timer, unless it runs. */
void skn_hub_flush_soon(skn_hub *hub);
void skn_hub_drain_soon(skn_hub *hub);
void skn_hub_look_soon(skn_hub *hub);

/* How many events to read after a page of `limit` events with so many bytes: fewer large ones, more small ones. */
size_t skn_hub_page(const skn_hub *hub, size_t limit, size_t bytes);
