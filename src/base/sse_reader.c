#include "base/sse_reader.h"

#include <string.h>

#define ID_MOST   ((size_t)256)
#define TYPE_MOST ((size_t)256)

void skn_sse_reader_init(skn_sse_reader *r, size_t limit)
{
    *r = (skn_sse_reader){.retry_ms = -1};
    skn_buf_init(&r->line, limit);
    skn_buf_init(&r->data, limit);
    skn_buf_init(&r->type, TYPE_MOST);
    skn_buf_init(&r->id, ID_MOST);
    skn_buf_init(&r->last_id, ID_MOST);
}

void skn_sse_reader_release(skn_sse_reader *r)
{
    skn_buf_release(&r->line);
    skn_buf_release(&r->data);
    skn_buf_release(&r->type);
    skn_buf_release(&r->id);
    skn_buf_release(&r->last_id);
}

static void forget_event(skn_sse_reader *r)
{
    skn_buf_clear(&r->data);
    skn_buf_clear(&r->type);
    skn_buf_clear(&r->id);
    r->has_data = false;
}

void skn_sse_reader_cut(skn_sse_reader *r)
{
    forget_event(r);
    skn_buf_clear(&r->line);
    r->after_cr = r->begun = false;
}

/* An empty line ends the event. Its id counts only from here on: a client that was cut off in the middle of an event
 * has not seen it. */
static skein_rc dispatch(skn_sse_reader *r, skein_error *err)
{
    const skn_buf *over = r->data.over ? &r->data : r->type.over ? &r->type : &r->id;
    skn_sse_event  event = {r->type.n ? skn_buf_str(&r->type) : SKN_STR("message"),
                           skn_buf_str(&r->data)};
    skein_rc rc = SKEIN_OK;

    if (over->over)
        rc = skn_fail(err, SKEIN_LIMIT, "%s of an event is larger than %zu bytes",
                      over == &r->data ? "the text"
                      : over == &r->id ? "the id"
                                       : "the name",
                      over->limit);
    else if (r->has_data && r->event)
        rc = r->event(r->arg, &event, err);
    if (!rc && r->id.n) {
        skn_buf_clear(&r->last_id);
        skn_buf_add(&r->last_id, skn_buf_str(&r->id));
    }
    forget_event(r);
    return rc;
}

static void field(skn_sse_reader *r, skn_str name, skn_str value)
{
    int64_t ms;

    if (skn_str_is(name, "data")) {
        if (r->has_data)
            skn_buf_addc(&r->data, '\n');
        skn_buf_add(&r->data, value);
        r->has_data = true;
    } else if (skn_str_is(name, "event")) {
        skn_buf_clear(&r->type);
        skn_buf_add(&r->type, value);
    } else if (skn_str_is(name, "id") && !memchr(value.p, 0, value.n)) {
        skn_buf_clear(&r->id);
        skn_buf_add(&r->id, value);
    } else if (skn_str_is(name, "retry") && skn_str_int(value, &ms) && ms >= 0) {
        r->retry_ms = ms;
    }
}

static skein_rc take_line(skn_sse_reader *r, skein_error *err)
{
    skn_str line = skn_buf_str(&r->line), name, value;

    if (r->line.over)
        return skn_fail(err, SKEIN_LIMIT, "a line of an event is larger than %zu bytes",
                        r->line.limit);
    if (!r->begun && skn_str_starts(line, SKN_STR("\xEF\xBB\xBF")))
        line = skn_str_sub(line, 3, line.n);
    r->begun = true;
    if (line.n == 0)
        return dispatch(r, err);
    if (line.p[0] == ':')
        return SKEIN_OK;
    value = line;
    skn_str_split(&value, ':', &name);
    if (name.n == line.n)
        value = SKN_STR("");
    else if (value.n && value.p[0] == ' ')
        value = skn_str_sub(value, 1, value.n);
    field(r, name, value);
    return SKEIN_OK;
}

/* Lines end in CR, LF, or both. */
static skein_rc take_end(skn_sse_reader *r, char c, skein_error *err)
{
    bool     second = r->after_cr && c == '\n';
    skein_rc rc = SKEIN_OK;

    r->after_cr = c == '\r';
    if (second)
        return SKEIN_OK;
    rc = take_line(r, err);
    skn_buf_clear(&r->line);
    return rc;
}

skein_rc skn_sse_reader_feed(skn_sse_reader *r, skn_str bytes, skein_error *err)
{
    skein_rc rc = SKEIN_OK;
    size_t   from = 0;

    for (size_t i = 0; !rc && i < bytes.n; i++) {
        if (bytes.p[i] != '\r' && bytes.p[i] != '\n')
            continue;
        if (i > from) {
            skn_buf_add(&r->line, skn_str_sub(bytes, from, i));
            r->after_cr = false;
        }
        rc = take_end(r, bytes.p[i], err);
        from = i + 1;
    }
    if (!rc && from < bytes.n) {
        skn_buf_add(&r->line, skn_str_sub(bytes, from, bytes.n));
        r->after_cr = false;
    }
    return rc;
}
