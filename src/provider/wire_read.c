/* Cuts the bytes of an answer into events. The result does not depend on the pieces in which they arrive. */
#include "base/json.h"
#include "provider/wire.h"

#include <string.h>

enum { MOST_EVENT = 8 << 20, MOST_WHOLE = 32 << 20, MOST_ERROR = 64 << 10 };

/* --- Events ---------------------------------------------------------------------------------- */

static void malformed(skn_wire_reader *r, const char *why)
{
    skn_wire_fail(r->w, SKN_ASK_MALFORMED, skn_str_of(why));
}

static bool over(const skn_wire_reader *r)
{
    return r->w->failed || r->w->ended || r->w->stopped;
}

static bool hand(skn_wire_reader *r, skn_str event, skn_str data)
{
    skn_wire_answer *w = r->w;

    skn_arena_reset(w->scratch);
    r->count++;
    return r->format->read(w, event, skn_json_repair(data, w->scratch)) || w->failed;
}

/* Takes an event of a stream; any result but OK stops reading these bytes. */
static skein_rc take_event(void *arg, const skn_sse_event *e, skein_error *err)
{
    skn_wire_reader *r = arg;

    (void)err;
    if (!hand(r, e->type, e->data))
        malformed(r, "an event of it cannot be read");
    return over(r) ? SKEIN_FAILED : SKEIN_OK;
}

static void take_events(skn_wire_reader *r, skn_str bytes)
{
    skein_error err;

    if (skn_sse_reader_feed(&r->sse, bytes, &err) == SKEIN_LIMIT)
        malformed(r, "an event of it is too large");
}

/* Takes a line of JSON. The first line may turn out to be the start of one document on many lines. */
static void take_line(skn_wire_reader *r, skn_str line)
{
    line = skn_str_trim(line);
    if (r->count == 0 && line.n < 3) {
        r->mode = line.n ? SKN_WIRE_WHOLE : r->mode;
        skn_buf_add(&r->line, line);
    } else if (line.n && !hand(r, SKN_NONE, line)) {
        malformed(r, "a line of it cannot be read");
    }
}

/* Takes one line, or the start of one, from the bytes. */
static void next_line(skn_wire_reader *r, skn_str *rest)
{
    const char *lf = memchr(rest->p, '\n', rest->n);
    skn_str     piece = skn_str_sub(*rest, 0, lf ? (size_t)(lf - rest->p) : rest->n);
    skn_buf     whole = r->line;

    *rest = skn_str_sub(*rest, piece.n + (lf != NULL), rest->n);
    if (!lf || r->line.n) {
        skn_buf_add(&r->line, piece);
        whole = r->line;
    }
    if (!lf)
        return;
    if (!whole.n) {
        take_line(r, piece);
        return;
    }
    skn_buf_init(&r->line, MOST_WHOLE); /* taking the line may fill the buffer again */
    take_line(r, skn_buf_str(&whole));
    skn_buf_release(&whole);
}

/* --- The kind of answer ---------------------------------------------------------------------- */

static bool is_one_of(skn_str type, const char *const *list)
{
    for (; *list; list++)
        if (skn_str_is(type, *list))
            return true;
    return false;
}

static bool may_be_read(skn_str type)
{
    static const char *const known[] = {"text/event-stream",
                                        "application/json",
                                        "application/x-ndjson",
                                        "application/jsonl",
                                        "application/ndjson",
                                        "application/stream+json",
                                        "text/json",
                                        "text/plain",
                                        "application/octet-stream",
                                        NULL};

    return type.n == 0 || is_one_of(type, known);
}

void skn_wire_read_start(skn_wire_reader *r, const skn_wire_format *f, skn_wire_answer *w,
                         int status, skn_str type)
{
    *r = (skn_wire_reader){.format = f, .w = w, .status = status};
    r->event_stream = skn_str_is(type, "text/event-stream");
    skn_buf_init(&r->line, MOST_WHOLE);
    skn_sse_reader_init(&r->sse, MOST_EVENT);
    r->sse.event = take_event;
    r->sse.arg = r;
    if (status / 100 != 2)
        r->mode = SKN_WIRE_ERROR;
    else if (!may_be_read(type))
        skn_wire_fail(w, SKN_ASK_WRONG_TYPE,
                      skn_arena_printf(w->a, "the content type is \"%.*s\"",
                                       (int)(type.n < 100 ? type.n : 100), type.p));
}

/* Decides by the first character: servers label streams as documents and documents as streams. */
static skn_wire_mode mode_of(skn_wire_reader *r, char first)
{
    if (first == '{' || first == '[')
        return r->format->lines ? SKN_WIRE_LINES : SKN_WIRE_WHOLE;
    if (strchr("deri:", first)) /* data, event, retry, id, or a comment */
        return SKN_WIRE_EVENTS;
    if (r->event_stream && first != '<')
        return SKN_WIRE_EVENTS; /* an unknown field */
    skn_wire_fail(r->w, SKN_ASK_WRONG_TYPE,
                  SKN_STR("what came is neither a stream of events nor JSON"));
    return SKN_WIRE_ERROR;
}

/* Skips blanks and a byte order mark, and decides by the next character. */
static void decide(skn_wire_reader *r, skn_str *rest)
{
    while (rest->n && r->mode == SKN_WIRE_UNDECIDED) {
        if (strchr(" \t\r\n\xef\xbb\xbf", rest->p[0]) && rest->p[0])
            *rest = skn_str_sub(*rest, 1, rest->n);
        else
            r->mode = rest->p[0] ? mode_of(r, rest->p[0]) : SKN_WIRE_EVENTS;
    }
}

bool skn_wire_read_bytes(skn_wire_reader *r, skn_str bytes)
{
    decide(r, &bytes);
    while (bytes.n && r->mode == SKN_WIRE_LINES && !over(r))
        next_line(r, &bytes);
    if (r->mode == SKN_WIRE_EVENTS && !over(r))
        take_events(r, bytes);
    else if (r->mode != SKN_WIRE_LINES && !over(r))
        skn_buf_add(&r->line, bytes);
    return !over(r);
}

/* --- The end --------------------------------------------------------------------------------- */

static void end_document(skn_wire_reader *r, bool cut)
{
    skn_wire_answer *w = r->w;
    skn_str          body = skn_str_trim(skn_buf_str(&r->line));

    skn_arena_reset(w->scratch);
    if (r->line.over) {
        malformed(r, "it is too large");
    } else if (!r->format->whole(w, skn_json_repair(body, w->scratch))) {
        if (!cut)
            malformed(r, "it cannot be read");
    } else {
        w->ended = true;
    }
}

static void end_error(skn_wire_reader *r)
{
    skn_wire_answer *w = r->w;
    skn_str          body = skn_str_trim(skn_buf_str(&r->line)), words;

    skn_arena_reset(w->scratch);
    body = skn_json_repair(skn_str_sub(body, 0, body.n < MOST_ERROR ? body.n : MOST_ERROR),
                           w->scratch);
    words = r->format->error_words(body, w->scratch);
    if (!words.n && body.n && body.p[0] != '<') /* HTML pages are of no use here */
        words = body;
    skn_wire_fail(w, skn_wire_state_of(r->status, words), words.n ? words : SKN_STR(""));
}

/* Ends the last event: servers leave out the empty line after it, or even its line end. */
static void end_stream(skn_wire_reader *r)
{
    if (r->mode == SKN_WIRE_EVENTS)
        take_events(r, SKN_STR("\n\n"));
    else if (r->mode == SKN_WIRE_LINES)
        skn_wire_read_bytes(r, SKN_STR("\n"));
}

/* Refuses a call that could not be stored as a fault of the model; otherwise the store would report it. */
static void check_call(skn_wire_reader *r, const skn_wire_call *c)
{
    bool fits = c->name.n <= SKN_WIRE_NAME;

    for (size_t i = 0; i < c->name.n && fits; i++)
        fits = (unsigned char)c->name.p[i] >= 0x20 && c->name.p[i] != 0x7f;
    if (!c->name.n)
        malformed(r, "it calls a tool without a name");
    else if (!fits)
        malformed(r, "it calls a tool by a name that none can have");
    else if (c->args.over)
        malformed(r, "the arguments of a call are over 1 MB");
}

static void settle(skn_wire_reader *r, bool cut)
{
    skn_wire_answer *w = r->w;
    bool             whole = w->ended || w->finish;

    skn_wire_content_end(w);
    if (!whole && (cut || r->count))
        skn_wire_fail(w, SKN_ASK_CUT, SKN_STR("the answer was cut off"));
    else if (!w->text_bytes && !w->thinking_bytes && !w->calls.n)
        skn_wire_fail(w, SKN_ASK_EMPTY, SKN_STR("the answer is empty"));
    for (size_t i = 0; i < w->calls.n && !w->failed; i++)
        check_call(r, &w->calls.p[i]);
    if (w->calls.n && (!w->finish || strcmp(w->finish, "length") != 0))
        w->finish = "tool"; /* some servers say "stop" */
    else if (!w->finish)
        w->finish = "stop";
}

void skn_wire_read_end(skn_wire_reader *r, bool cut)
{
    if (r->mode == SKN_WIRE_ERROR && !r->w->failed)
        end_error(r);
    else if (r->mode == SKN_WIRE_WHOLE && !over(r))
        end_document(r, cut);
    else if (!cut && !over(r))
        end_stream(r);
    if (!r->w->failed && !r->w->stopped)
        settle(r, cut);
}

void skn_wire_read_release(skn_wire_reader *r)
{
    skn_buf_release(&r->line);
    skn_sse_reader_release(&r->sse);
}
