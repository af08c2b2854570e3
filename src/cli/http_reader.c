#include "cli/http_reader.h"

#include <stdio.h>
#include <string.h>

#define HEAD_MOST ((size_t)64 << 10)
#define LINE_MOST ((size_t)4 << 10)
#define IDLE_MOST 100

void skn_http_reader_init(skn_http_reader *r)
{
    *r = (skn_http_reader){.part = SKN_ANSWER_HEAD};
    skn_buf_init(&r->line, HEAD_MOST);
}

void skn_http_reader_release(skn_http_reader *r)
{
    skn_buf_release(&r->line);
}

static skein_rc bad(skein_error *err, const char *what)
{
    return skn_fail(err, SKEIN_UNREACHABLE,
                    "the program that answered is not a skein server: %s", what);
}

/* --- The head ----------------------------------------------------------------------------- */

static skein_rc status_line(skn_http_reader *r, skn_str line, skein_error *err)
{
    int64_t code;

    if (!skn_str_starts(line, SKN_STR("HTTP/1.")) || line.n < 12 || line.p[8] != ' ' ||
        !skn_str_int(skn_str_sub(line, 9, 12), &code) || code < 100 || code > 599)
        return bad(err, "its first line is not one of HTTP");
    r->status = (int)code;
    return SKEIN_OK;
}

static skein_rc header(skn_http_reader *r, skn_str line, skein_error *err)
{
    skn_str name, value = line;

    if (!memchr(line.p, ':', line.n))
        return bad(err, "a header has no colon");
    skn_str_split(&value, ':', &name);
    value = skn_str_trim(value);
    if (skn_str_is_word(name, "content-length")) {
        if (r->has_length || !skn_str_int(value, &r->left) || r->left < 0)
            return bad(err, "its length makes no sense");
        r->has_length = true;
    } else if (skn_str_is_word(name, "transfer-encoding")) {
        if (!skn_str_is_word(value, "chunked"))
            return bad(err, "its transfer encoding is not known");
        r->chunked = true;
    } else if (skn_str_is_word(name, "content-type")) {
        skn_str_split(&value, ';', &name);
        r->events = skn_str_is_word(skn_str_trim(name), "text/event-stream");
    } else if (skn_str_is_word(name, "skein-version")) {
        snprintf(r->skein, sizeof r->skein, "%.*s", SKN_FMT(value));
    }
    return SKEIN_OK;
}

static void begin_body(skn_http_reader *r)
{
    skn_buf_clear(&r->line);
    if (r->status < 200) { /* only announces the answer */
        r->has_length = r->chunked = false;
        r->part = SKN_ANSWER_HEAD;
    } else if (r->status == 204 || r->status == 304) {
        r->part = SKN_ANSWER_DONE;
    } else if (r->chunked) {
        r->part = SKN_ANSWER_SIZE;
    } else if (r->has_length) {
        r->part = r->left ? SKN_ANSWER_LENGTH : SKN_ANSWER_DONE;
    } else {
        r->part = SKN_ANSWER_REST;
    }
}

static skein_rc read_head(skn_http_reader *r, skein_error *err)
{
    skn_str  rest = skn_buf_str(&r->line), line;
    bool     first = true;
    skein_rc rc = SKEIN_OK;

    while (!rc && skn_str_split(&rest, '\n', &line)) {
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (line.n)
            rc = first ? status_line(r, line, err) : header(r, line, err);
        first = false;
    }
    if (!rc && r->chunked && r->has_length)
        rc = bad(err, "it gives its length in two ways");
    if (!rc && r->status < 200 && ++r->idle > IDLE_MOST)
        rc = bad(err, "it announces an answer and never gives it");
    if (!rc)
        begin_body(r);
    return rc;
}

/* --- The body ----------------------------------------------------------------------------- */

static bool head_ends(skn_str head)
{
    return skn_str_ends(head, SKN_STR("\r\n\r\n")) || skn_str_ends(head, SKN_STR("\n\n"));
}

static bool hex(skn_str s, int64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < s.n; i++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char       *digit = memchr(digits, s.p[i], sizeof digits - 1);

        if (!digit || *out > INT64_MAX / 32)
            return false;
        *out = *out * 16 + (digit - digits) % 16;
    }
    return s.n > 0;
}

static skein_rc size_line(skn_http_reader *r, skn_str line, skein_error *err)
{
    skn_str size = SKN_NONE, rest = line;

    skn_str_split(&rest, ';', &size);
    if (!hex(skn_str_trim(size), &r->left))
        return bad(err, "the size of a chunk makes no sense");
    r->part = r->left ? SKN_ANSWER_CHUNK : SKN_ANSWER_TRAILER;
    return SKEIN_OK;
}

static skein_rc line_done(skn_http_reader *r, skein_error *err)
{
    skn_str  line = skn_str_trim(skn_buf_str(&r->line));
    skein_rc rc = SKEIN_OK;

    if (r->part == SKN_ANSWER_SIZE)
        rc = size_line(r, line, err);
    else if (r->part == SKN_ANSWER_CHUNK_END && line.n)
        rc = bad(err, "a chunk is longer than its size");
    else if (r->part == SKN_ANSWER_CHUNK_END)
        r->part = SKN_ANSWER_SIZE;
    else if (!line.n) /* lines after the last chunk end with an empty one */
        r->part = SKN_ANSWER_DONE;
    else if (++r->idle > IDLE_MOST)
        rc = bad(err, "it never ends");
    skn_buf_clear(&r->line);
    return rc;
}

/* One byte of the head or of a line of the framing. */
static skein_rc take_byte(skn_http_reader *r, char c, skein_error *err)
{
    skn_buf_addc(&r->line, c);
    if (r->line.over || (r->part != SKN_ANSWER_HEAD && r->line.n > LINE_MOST))
        return bad(err, "its head is too long");
    if (c != '\n')
        return SKEIN_OK;
    if (r->part != SKN_ANSWER_HEAD)
        return line_done(r, err);
    return head_ends(skn_buf_str(&r->line)) ? read_head(r, err) : SKEIN_OK;
}

static skein_rc take_body(skn_http_reader *r, skn_str *bytes, skein_error *err)
{
    skn_str  piece = *bytes;
    skein_rc rc;

    if (r->part != SKN_ANSWER_REST && (uint64_t)r->left < piece.n)
        piece.n = (size_t)r->left;
    if (r->body && (rc = r->body(r->arg, piece, err)))
        return rc;
    *bytes = skn_str_sub(*bytes, piece.n, bytes->n);
    if (r->part == SKN_ANSWER_REST)
        return SKEIN_OK;
    r->left -= (int64_t)piece.n;
    if (r->left == 0)
        r->part = r->part == SKN_ANSWER_CHUNK ? SKN_ANSWER_CHUNK_END : SKN_ANSWER_DONE;
    return SKEIN_OK;
}

skein_rc skn_http_reader_feed(skn_http_reader *r, skn_str bytes, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    while (!rc && bytes.n) {
        switch (r->part) {
        case SKN_ANSWER_LENGTH:
        case SKN_ANSWER_CHUNK:
        case SKN_ANSWER_REST:
            rc = take_body(r, &bytes, err);
            break;
        case SKN_ANSWER_DONE:
            return bad(err, "it has more than one answer");
        default:
            rc = take_byte(r, bytes.p[0], err);
            bytes = skn_str_sub(bytes, 1, bytes.n);
        }
    }
    return rc;
}

skein_rc skn_http_reader_end(skn_http_reader *r, skein_error *err)
{
    if (r->part == SKN_ANSWER_REST)
        r->part = SKN_ANSWER_DONE;
    if (r->part == SKN_ANSWER_DONE)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_UNREACHABLE, "the connection ended in the middle of the answer");
}
