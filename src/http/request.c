#include "http/request.h"

#include <strings.h>

static void refuse_request(skn_refusal *no, int status, const char *why)
{
    if (!no->status)
        *no = (skn_refusal){status, why};
}

/* RFC 9110's tchar. */
static bool token_char(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!token_char((unsigned char)s.p[i]))
            return false;
    return s.n > 0;
}

/* --- Where the head ends ---------------------------------------------------------------------- */

static void check_sizes(size_t first, size_t seen, skn_refusal *no)
{
    if (first > SKN_URL_MAX + 64)
        refuse_request(no, 414, "the address is longer than 8 kB");
    else if (seen > first + SKN_HEAD_MAX)
        refuse_request(no, 431, "the headers are larger than 16 kB");
}

size_t skn_head_end(skn_str bytes, size_t *from, skn_refusal *no)
{
    const char *first = bytes.n ? memchr(bytes.p, '\n', bytes.n) : NULL;
    size_t      line = first ? (size_t)(first - bytes.p) + 1 : bytes.n;
    size_t      at = *from;

    if (bytes.n && bytes.p[0] != '\r' && !token_char((unsigned char)bytes.p[0]))
        refuse_request(no, 400,
                       "this is not HTTP; perhaps it is TLS, which is not spoken here");
    while (at < bytes.n && !no->status) {
        const char *lf = memchr(bytes.p + at, '\n', bytes.n - at);
        size_t      end = lf ? (size_t)(lf - bytes.p) : bytes.n;

        if (!lf)
            break;
        if (end == 0 || bytes.p[end - 1] != '\r') {
            refuse_request(no, 400, "a line does not end in CR LF");
            return 0;
        }
        if (end >= 3 && bytes.p[end - 2] == '\n') {
            check_sizes(line, end, no);
            return no->status ? 0 : end + 1;
        }
        *from = at = end + 1;
    }
    check_sizes(line, bytes.n, no);
    return 0;
}

/* --- The first line --------------------------------------------------------------------------- */

static bool cut(skn_str *rest, char sep, skn_str *piece)
{
    const char *p = memchr(rest->p, sep, rest->n);

    if (!p)
        return false;
    *piece = (skn_str){rest->p, (size_t)(p - rest->p)};
    *rest = skn_str_sub(*rest, piece->n + 1, rest->n);
    return true;
}

static void read_version(skn_request *r, skn_str v, skn_refusal *no)
{
    bool known = v.n == 8 && memcmp(v.p, "HTTP/", 5) == 0 && v.p[6] == '.';

    if (!known || v.p[5] < '0' || v.p[5] > '9' || v.p[7] < '0' || v.p[7] > '9')
        refuse_request(no, 400, "the first line names no version of HTTP");
    else if (v.p[5] != '1')
        refuse_request(no, 505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    else
        r->minor = v.p[7] - '0';
}

/* "/path", "http://host/path" as proxies send it, or "*" of OPTIONS. */
static void read_target(skn_request *r, skn_refusal *no)
{
    skn_str t = r->target, path = t;

    for (size_t i = 0; i < t.n; i++)
        if ((unsigned char)t.p[i] <= ' ' || (unsigned char)t.p[i] >= 0x7f || t.p[i] == '#')
            refuse_request(no, 400, "the address has a character that may not stand there");
    if (t.n > SKN_URL_MAX)
        refuse_request(no, 414, "the address is longer than 8 kB");
    if (t.n > 7 && strncasecmp(t.p, "http://", 7) == 0) {
        skn_str rest = skn_str_sub(t, 7, t.n);
        size_t  host = 0;

        while (host < rest.n && rest.p[host] != '/' && rest.p[host] != '?')
            host++;
        r->host = skn_str_sub(rest, 0, host);
        path = skn_str_sub(rest, host, rest.n);
        path = path.n ? path : SKN_STR("/");
    }
    if (!path.n || (path.p[0] != '/' && !skn_str_is(path, "*")))
        refuse_request(no, 400, "the address does not begin with \"/\"");
    r->path = path;
    if (cut(&path, '?', &r->path))
        r->query = path;
}

static void read_first_line(skn_request *r, skn_str line, skn_refusal *no)
{
    skn_str rest = line;

    if (!cut(&rest, ' ', &r->method) || !cut(&rest, ' ', &r->target)) {
        refuse_request(no, 400, "the first line is not \"METHOD ADDRESS HTTP/1.1\"");
        return;
    }
    if (!is_token(r->method) || r->method.n > 32)
        refuse_request(no, 400, "the method is not a word");
    read_version(r, rest, no);
    read_target(r, no);
}

/* --- Headers ---------------------------------------------------------------------------------- */

static skn_str trim_blanks(skn_str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = skn_str_sub(s, 1, s.n);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

static bool header_value_ok(skn_str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if ((c < ' ' && c != '\t') || c == 0x7f)
            return false;
    }
    return true;
}

static void read_header(skn_request *r, skn_str line, skn_refusal *no)
{
    skn_header h;

    if (r->header_count == SKN_HEADERS_MAX) {
        refuse_request(no, 431, "there are more than 100 headers");
        return;
    }
    if (!cut(&line, ':', &h.name) || !is_token(h.name)) {
        refuse_request(no, 400, "a header is not \"Name: value\"");
        return;
    }
    h.value = trim_blanks(line);
    if (!header_value_ok(h.value))
        refuse_request(no, 400, "a header's value has a control character");
    r->headers[r->header_count++] = h;
}

static size_t count_of(const skn_request *r, const char *name, skn_str *value)
{
    size_t n = 0;

    for (size_t i = 0; i < r->header_count; i++)
        if (skn_str_is_word(r->headers[i].name, name)) {
            if (n++ == 0)
                *value = r->headers[i].value;
        }
    return n;
}

skn_str skn_request_header(const skn_request *r, const char *name)
{
    skn_str value = SKN_NONE;

    if (r)
        count_of(r, name, &value);
    return value;
}

/* True if the comma-separated list has this token, in any case of letters. */
static bool list_has(skn_str list, const char *token)
{
    skn_str piece;

    while (list.p && skn_str_split(&list, ',', &piece))
        if (skn_str_is_word(trim_blanks(piece), token))
            return true;
    return false;
}

/* --- What follows from the headers ------------------------------------------------------------- */

static void read_length(skn_request *r, skn_str value, skn_refusal *no)
{
    size_t n = 0;

    if (!value.n || value.n > 18)
        refuse_request(no, value.n ? 413 : 400,
                       "the Content-Length is not a number that can be");
    for (size_t i = 0; i < value.n && !no->status; i++) {
        if (value.p[i] < '0' || value.p[i] > '9')
            refuse_request(no, 400, "the Content-Length is not a number");
        n = n * 10 + (size_t)(value.p[i] - '0');
    }
    r->length = n;
}

/* A request whose end is ambiguous can be smuggled past a proxy. */
static void read_framing(skn_request *r, skn_refusal *no)
{
    skn_str length = SKN_NONE, coding = SKN_NONE;
    size_t  lengths = count_of(r, "content-length", &length);
    size_t  codings = count_of(r, "transfer-encoding", &coding);

    if (lengths > 1)
        refuse_request(no, 400, "Content-Length is given more than once");
    if (lengths && codings)
        refuse_request(no, 400, "Content-Length stands beside Transfer-Encoding");
    if (codings && r->minor == 0)
        refuse_request(no, 400, "HTTP/1.0 has no Transfer-Encoding");
    if (codings && (codings > 1 || !skn_str_is_word(coding, "chunked")))
        refuse_request(no, 501, "the only Transfer-Encoding understood is \"chunked\"");
    r->chunked = codings == 1;
    if (lengths)
        read_length(r, length, no);
}

static void read_host(skn_request *r, skn_refusal *no)
{
    skn_str host = SKN_NONE;
    size_t  hosts = count_of(r, "host", &host);

    if (hosts > 1 || (hosts == 0 && r->minor > 0))
        refuse_request(no, 400,
                       hosts ? "Host is given more than once" : "the Host header is missing");
    if (!r->host.p)
        r->host = host;
}

/* If a header occurs twice, the next program may use the other one. */
static void check_single(const skn_request *r, skn_refusal *no)
{
    static const char *const once[][2] = {
        {"origin", "Origin is given more than once"},
        {"sec-fetch-site", "Sec-Fetch-Site is given more than once"},
        {"authorization", "Authorization is given more than once"},
        {"content-type", "Content-Type is given more than once"},
        {"idempotency-key", "Idempotency-Key is given more than once"}};
    skn_str value;

    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++)
        if (count_of(r, once[i][0], &value) > 1)
            refuse_request(no, 400, once[i][1]);
}

static void read_connection(skn_request *r, skn_refusal *no)
{
    skn_str connection = SKN_NONE, expect = SKN_NONE;

    count_of(r, "connection", &connection);
    r->keep = r->minor > 0 ? !list_has(connection, "close")
                           : list_has(connection, "keep-alive");
    if (!count_of(r, "expect", &expect))
        return;
    if (!skn_str_is_word(expect, "100-continue"))
        refuse_request(no, 417, "the only expectation understood is \"100-continue\"");
    r->expect = r->minor > 0 && (r->chunked || r->length);
}

/* As many as there can be headers. */
static size_t lines_in(skn_str head)
{
    size_t n = 1;

    for (size_t i = 0; i < head.n; i++)
        n += head.p[i] == '\n';
    return n < SKN_HEADERS_MAX ? n : SKN_HEADERS_MAX;
}

void skn_request_read(skn_request *r, skn_str head, skn_arena *a, skn_refusal *no)
{
    skn_str rest = head, line;
    bool    first = true;

    *r = (skn_request){.method = SKN_STR(""), .path = SKN_STR("")};
    r->headers = SKN_ARRAY(a, lines_in(head), skn_header);
    for (; skn_str_split(&rest, '\n', &line) && line.n > 1; first = false) {
        line.n--; /* CR */
        if (first)
            read_first_line(r, line, no);
        else
            read_header(r, line, no);
        if (no->status)
            return;
    }
    if (first)
        refuse_request(no, 400, "the first line is empty");
    read_host(r, no);
    check_single(r, no);
    read_framing(r, no);
    read_connection(r, no);
}

/* --- Chunked bodies ----------------------------------------------------------------------------- */

enum { SIZE, SIZE_REST, SIZE_LF, DATA, DATA_CR, DATA_LF, TRAILER, TRAILER_REST, END_LF };
enum { LINE_MOST = 4096 };

static int digit_of(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void expect_char(skn_chunks *c, char is, char want, int next, skn_refusal *no)
{
    if (is != want)
        refuse_request(no, 400, "a chunk of the body is malformed");
    c->state = next;
}

static void size_char(skn_chunks *c, char ch, skn_refusal *no)
{
    int d = digit_of((unsigned char)ch);

    if (d >= 0 && c->left >> 56) {
        refuse_request(no, 413, "a chunk of the body is too large");
    } else if (d >= 0) {
        c->left = c->left << 4 | (uint64_t)d;
        c->digit = true;
    } else if (!c->digit) {
        refuse_request(no, 400, "a chunk of the body has no size");
    } else if (ch == '\r') {
        c->state = SIZE_LF;
    } else if (ch == ';' || ch == ' ' || ch == '\t') {
        c->state = SIZE_REST;
    } else {
        refuse_request(no, 400, "the size of a chunk is not a number");
    }
}

/* Takes one character outside of the data; true: it was the last of the body. Extensions and trailers are skipped. */
static bool frame_char(skn_chunks *c, char ch, skn_refusal *no)
{
    if (++c->line > LINE_MOST)
        refuse_request(no, 431, "a line between chunks of the body is too long");
    switch (c->state) {
    case SIZE:
        size_char(c, ch, no);
        break;
    case SIZE_REST:
        if (ch == '\n')
            refuse_request(no, 400, "a line between chunks does not end in CR LF");
        c->state = ch == '\r' ? SIZE_LF : SIZE_REST;
        break;
    case SIZE_LF:
        expect_char(c, ch, '\n', c->left ? DATA : TRAILER, no);
        break;
    case DATA_CR:
        expect_char(c, ch, '\r', DATA_LF, no);
        break;
    case DATA_LF:
        expect_char(c, ch, '\n', SIZE, no);
        *c = (skn_chunks){.state = SIZE};
        break;
    case TRAILER:
        c->state = ch == '\r' ? END_LF : TRAILER_REST;
        break;
    case TRAILER_REST:
        c->state = ch == '\n' ? TRAILER : TRAILER_REST;
        break;
    case END_LF:
        expect_char(c, ch, '\n', END_LF, no);
        return !no->status;
    }
    return false;
}

bool skn_chunks_read(skn_chunks *c, skn_str bytes, size_t *used, skn_buf *out, skn_refusal *no)
{
    size_t i = 0;
    bool   end = false;

    while (i < bytes.n && !end && !no->status) {
        if (c->state == DATA) {
            size_t n = bytes.n - i < c->left ? bytes.n - i : (size_t)c->left;

            skn_buf_add(out, skn_str_sub(bytes, i, i + n));
            i += n;
            c->left -= n;
            if (out->over)
                refuse_request(no, 413, "the body is too large");
            if (!c->left)
                *c = (skn_chunks){.state = DATA_CR};
        } else {
            end = frame_char(c, bytes.p[i++], no);
        }
    }
    *used = i;
    return end;
}
