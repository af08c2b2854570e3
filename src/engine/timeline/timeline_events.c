/* Event lines: from bytes to records. */
#include "base/clock.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/timeline/timeline.h"
#include "engine/timeline/timeline_state.h"

#include <errno.h>
#include <stdlib.h>

/* In the order of skein_record_type. */
static const char *const type_names[] = {
    "USER_MESSAGE",  "AGENT_MESSAGE",      "THINKING",
    "SYSTEM_PROMPT", "USER_SYSTEM_PROMPT", "LOCAL_SYSTEM_MESSAGE",
    "TOOL_CALL",     "TOOL_RESULT",        "SUMMARY"};

enum { TYPES = sizeof type_names / sizeof type_names[0], READ_BLOCK = 64 * 1024 };

const char *skein_record_type_name(skein_record_type type)
{
    return (size_t)type < TYPES ? type_names[type] : "UNKNOWN";
}

bool skein_record_type_from(skein_str name, skein_record_type *out)
{
    for (size_t i = 0; i < TYPES; i++) {
        if (!skn_str_is(name, type_names[i]))
            continue;
        *out = (skein_record_type)i;
        return true;
    }
    return false;
}

/* --- One line ----------------------------------------------------------------------------- */

/* The member under either of its names. */
static const skn_json *either(const skn_json *v, const char *key, const char *other)
{
    const skn_json *m = skn_json_given(v, key);

    return m ? m : skn_json_given(v, other);
}

static skn_str text_of(const skn_json *v)
{
    return v && v->kind == SKN_JSON_STRING ? v->text : SKN_NONE;
}

static skein_rc read_type(const skn_json *v, skein_record_type *out, skein_error *err)
{
    skn_str  name, shown;
    skein_rc rc;

    if ((rc = skn_json_text(v, "type", &name, err)))
        return rc;
    if (!name.p)
        return skn_fail(err, SKEIN_DATA, "the event has no \"type\"");
    if (skein_record_type_from(name, out))
        return SKEIN_OK;
    shown = skn_utf8_cut(name, 60);
    rc = skn_fail(err, SKEIN_DATA, "unknown event type \"%.*s\"", SKN_FMT(shown));
    return skn_hint(err, rc, "Known types are %s, %s, %s, %s, %s, %s, %s, %s, %s.",
                    type_names[0], type_names[1], type_names[2], type_names[3], type_names[4],
                    type_names[5], type_names[6], type_names[7], type_names[8]);
}

/* Milliseconds since 1970; a fraction is kept to the microsecond. */
static bool read_millis(skn_str number, int64_t *micros)
{
    const int64_t furthest = INT64_C(8640000000000000); /* what a Date of JavaScript can hold */
    ptrdiff_t     dot = skn_str_find(number, SKN_STR("."));
    skn_str       whole = skn_str_sub(number, 0, dot < 0 ? number.n : (size_t)dot);
    int64_t       ms, fraction = 0;

    if (!skn_str_int(whole, &ms) || ms > furthest || ms < -furthest)
        return false;
    for (size_t i = 0, at = whole.n + 1; i < 3; i++, at++) {
        char c = at < number.n ? number.p[at] : '0';

        if (c < '0' || c > '9')
            return false;
        fraction = fraction * 10 + (c - '0');
    }
    *micros = ms * 1000 + (*number.p == '-' ? -fraction : fraction);
    return true;
}

static skein_rc read_time(const skn_json *v, int64_t *micros, skein_error *err)
{
    const skn_json *time = skn_json_given(v, "timestamp");
    bool            ok = false;

    *micros = 0;
    if (!time)
        return SKEIN_OK;
    if (time->kind == SKN_JSON_STRING)
        ok = skn_time_parse(time->text, micros);
    else if (time->kind == SKN_JSON_NUMBER)
        ok = read_millis(time->text, micros);
    if (!ok)
        return skn_fail(err, SKEIN_DATA,
                        "\"timestamp\" is neither RFC 3339 nor a number of milliseconds");
    if (*micros == 0)
        *micros = 1; /* zero means "not known", and nobody sees a microsecond */
    return SKEIN_OK;
}

static skein_rc read_call(const skn_json *data, skein_record *r, skein_error *err)
{
    const skn_json *input = either(data, "input", "arguments");

    r->tool_name = text_of(either(data, "toolName", "name"));
    if (!r->tool_name.p)
        return skn_fail(err, SKEIN_DATA, "the call has no \"toolName\" that is a text");
    if (input)
        r->input = input->raw;
    r->child = text_of(skn_json_given(input, "delegateThreadId"));
    return SKEIN_OK;
}

/* The texts of a list of text blocks, a line each; absent when anything else is among them. */
static skn_str blocks_text(const skn_json *list, skn_arena *a)
{
    skn_str out = SKN_NONE;
    skn_buf buf;

    if (list->kind != SKN_JSON_ARRAY)
        return SKN_NONE;
    skn_buf_init(&buf, SKN_EVENT_LINE_MAX);
    for (const skn_json *b = list->first; b; b = b->next) {
        skn_str text = text_of(skn_json_given(b, "text"));

        if (!skn_str_is(text_of(skn_json_given(b, "type")), "text") || !text.p)
            goto done;
        if (b != list->first)
            skn_buf_addc(&buf, '\n');
        skn_buf_add(&buf, text);
    }
    out = skn_arena_copy(a, skn_buf_str(&buf));
done:
    skn_buf_release(&buf);
    return out;
}

static skein_rc read_result(const skn_json *data, skn_arena *a, skein_record *r,
                            skein_error *err)
{
    const skn_json *output = either(data, "output", "content"),
                   *error = skn_json_given(data, "error");
    bool     is_error, success;
    skein_rc rc;

    if ((rc = skn_json_flag(data, "isError", error && !skn_json_given(data, "isError"),
                            &is_error, err)) ||
        (rc = skn_json_flag(data, "success", !is_error, &success, err)))
        return rc;
    r->failed = !success;
    if (error)
        r->error = error->kind == SKN_JSON_STRING ? error->text : error->raw;
    if (output && !skn_json_given(data, "output"))
        r->text = blocks_text(output, a);
    if (output && !r->text.p)
        r->output = output->raw;
    r->child = text_of(skn_json_given(skn_json_given(data, "metadata"), "threadId"));
    return SKEIN_OK;
}

static skein_rc read_data(const skn_json *v, skn_arena *a, skein_record *r, skein_error *err)
{
    const skn_json *data = skn_json_get(v, "data");
    bool tool = r->type == SKEIN_RECORD_TOOL_CALL || r->type == SKEIN_RECORD_TOOL_RESULT;

    if (!data || data->kind != (tool ? SKN_JSON_OBJECT : SKN_JSON_STRING))
        return skn_fail(err, SKEIN_DATA, "\"data\" of %s must be %s",
                        skein_record_type_name(r->type), tool ? "an object" : "a text");
    if (!tool) {
        r->text = data->text;
        return SKEIN_OK;
    }
    r->call_id = text_of(either(data, "callId", "id"));
    if (r->call_id.n == 0)
        return skn_fail(err, SKEIN_DATA, "%s has no \"callId\" that is a text",
                        skein_record_type_name(r->type));
    return r->type == SKEIN_RECORD_TOOL_CALL ? read_call(data, r, err)
                                             : read_result(data, a, r, err);
}

static skein_rc read_event(skn_str line, skn_arena *a, skein_record *r, skein_error *err)
{
    const skn_json *v;
    skein_rc        rc;

    *r = (skein_record){.at = 0};
    if ((rc = skn_json_parse(&v, line, "event", a, err)))
        return rc;
    if (v->kind != SKN_JSON_OBJECT)
        return skn_fail(err, SKEIN_DATA, "the event is not an object");
    if ((rc = skn_json_text(v, "id", &r->id, err)) ||
        (rc = skn_json_text(v, "threadId", &r->lane, err)))
        return rc;
    if (r->lane.n == 0)
        return skn_fail(err, SKEIN_DATA, "the event has no \"threadId\"");
    if ((rc = read_type(v, &r->type, err)) || (rc = read_time(v, &r->at, err)))
        return rc;
    return read_data(v, a, r, err);
}

/* The reader of JSON counts lines from the start of the value, where here is always the
 * first. */
static const char *without_line(const char *message)
{
    static const char useless[] = "event: line 1, ";
    size_t            n = sizeof useless - 1;

    return strncmp(message, useless, n) == 0 ? message + n : message;
}

/* Reads one event line; `what` names it in messages. The record's texts live in the line or
 * in a. */
static skein_rc parse_event(skn_str line, const char *what, skn_arena *a, skein_record *out,
                            skein_error *err)
{
    skein_error cause;
    skein_rc    rc = read_event(line, a, out, &cause);

    if (!rc)
        return SKEIN_OK;
    rc = skn_fail(err, SKEIN_DATA, "%s: %s", what, without_line(cause.message));
    return cause.hint[0] ? skn_hint(err, rc, "%s", cause.hint) : rc;
}

/* --- Many lines --------------------------------------------------------------------------- */

void skn_event_reader_init(skn_event_reader *r, skein_timelines *set, const char *name)
{
    *r = (skn_event_reader){.set = set, .name = name, .scratch = skn_arena_new()};
    skn_buf_init(&r->partial, SKN_EVENT_LINE_MAX);
}

void skn_event_reader_release(skn_event_reader *r)
{
    skn_buf_release(&r->partial);
    skn_arena_free(r->scratch);
    r->scratch = NULL;
}

static const char *line_name(skn_event_reader *r)
{
    if (!r->name)
        return skn_arena_text(r->scratch, "line %zu", r->line);
    return skn_arena_text(r->scratch, "%s, line %zu", r->name, r->line);
}

static skein_rc apply_line(skn_event_reader *r, skn_str line, skein_error *err)
{
    skein_error  cause;
    skein_record record;
    const char  *what;
    skein_rc     rc;

    r->line++;
    skn_arena_reset(r->scratch);
    what = line_name(r);
    if (line.n > SKN_EVENT_LINE_MAX)
        return skn_fail(err, SKEIN_LIMIT, "%s is over %zu bytes", what, SKN_EVENT_LINE_MAX);
    line = skn_str_trim(line);
    if (line.n == 0)
        return SKEIN_OK;
    if ((rc = parse_event(line, what, r->scratch, &record, err)))
        return rc;
    if (!(rc = skn_timelines_apply_known(r->set, &record, &cause)))
        return SKEIN_OK;
    skn_fail(err, rc, "%s: %s", what, cause.message);
    return cause.hint[0] ? skn_hint(err, rc, "%s", cause.hint) : rc;
}

static skein_rc apply_partial(skn_event_reader *r, skein_error *err)
{
    skein_rc rc;

    if (r->partial.over) {
        r->line++;
        return skn_fail(err, SKEIN_LIMIT, "%s is over %zu bytes", line_name(r),
                        SKN_EVENT_LINE_MAX);
    }
    rc = apply_line(r, skn_buf_str(&r->partial), err);
    skn_buf_clear(&r->partial);
    return rc;
}

skein_rc skn_event_reader_feed(skn_event_reader *r, skn_str piece, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    while (!rc && piece.n > 0) {
        const char *end = memchr(piece.p, '\n', piece.n);
        skn_str     line = skn_str_sub(piece, 0, end ? (size_t)(end - piece.p) : piece.n);

        piece = skn_str_sub(piece, line.n + (end ? 1 : 0), piece.n);
        if (!end || r->partial.n > 0) {
            skn_buf_add(&r->partial, line);
            rc = end || r->partial.over ? apply_partial(r, err) : SKEIN_OK;
        } else {
            rc = apply_line(r, line, err);
        }
    }
    return rc;
}

skein_rc skn_event_reader_end(skn_event_reader *r, skein_error *err)
{
    return r->partial.n > 0 ? apply_partial(r, err) : SKEIN_OK;
}

skein_rc skein_timelines_read_events(skein_timelines *set, skein_str lines, skein_error *err)
{
    skn_event_reader r;
    skein_rc         rc;

    skn_event_reader_init(&r, set, NULL);
    rc = skn_event_reader_feed(&r, lines, err);
    if (!rc)
        rc = skn_event_reader_end(&r, err);
    skn_event_reader_release(&r);
    return rc;
}

skein_rc skn_timelines_read_file(skein_timelines *set, FILE *in, const char *name,
                                 skein_error *err)
{
    skn_event_reader r;
    char            *block = skn_heap(READ_BLOCK);
    size_t           n;
    skein_rc         rc = SKEIN_OK;

    skn_event_reader_init(&r, set, name);
    while (!rc && (n = fread(block, 1, READ_BLOCK, in)) > 0)
        rc = skn_event_reader_feed(&r, (skn_str){block, n}, err);
    if (!rc && ferror(in))
        rc = skn_fail(err, SKEIN_IO, "cannot read \"%s\": %s", name ? name : "events",
                      strerror(errno));
    if (!rc)
        rc = skn_event_reader_end(&r, err);
    skn_event_reader_release(&r);
    free(block);
    return rc;
}
