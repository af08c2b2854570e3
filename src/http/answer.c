/* The head of an answer. */
#include "base/clock.h"
#include "http/inside.h"

static const char *status_text(int status)
{
    switch (status) {
#define STATUS(number, reason)                                                                 \
    case number:                                                                               \
        return reason;
#include "http/statuses.def"
#undef STATUS
    default:
        return "Unknown";
    }
}

/* "Sun, 15 Nov 2026 14:03:07 GMT", from the text of RFC 3339. */
static void date_line(skn_buf *out)
{
    static const char days[] = "ThuFriSatSunMonTueWed"; /* 1970 began on a Thursday */
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char              text[SKN_TIME_TEXT];
    int64_t           now = skn_clock_micros();
    skn_str           t = skn_time_format(now, text);
    int64_t           day = now / (INT64_C(86400) * 1000000) % 7;
    int               month = (t.p[5] - '0') * 10 + (t.p[6] - '0') - 1;

    skn_buf_addf(out, "Date: %.3s, %.2s %.3s %.4s %.8s GMT\r\n", days + 3 * day, t.p + 8,
                 months + (size_t)month * 3, t.p, t.p + 11);
}

static bool has_header(const skn_api_call *c, const char *name)
{
    for (size_t i = 0; i < c->headers.n; i++)
        if (skn_str_is_word(c->headers.p[i].name, name))
            return true;
    return false;
}

static void line(skn_buf *out, const char *name, skn_str value)
{
    skn_buf_add(out, skn_str_of(name));
    skn_buf_add(out, SKN_STR(": "));
    skn_buf_add(out, value);
    skn_buf_add(out, SKN_STR("\r\n"));
}

/* A client with an ETag may keep the answer and ask whether it is still current. */
static void cache_line(const skn_api_call *c, skn_buf *out)
{
    if (!has_header(c, "Cache-Control"))
        line(out, "Cache-Control",
             has_header(c, "ETag") ? SKN_STR("no-cache") : SKN_STR("no-store"));
}

/* What a page may do: nothing but what came from this server with it, and no text becomes code. */
static void page_lines(const skn_api_call *c, skn_buf *out)
{
    if (!has_header(c, "Content-Security-Policy"))
        line(out, "Content-Security-Policy",
             SKN_STR("default-src 'self'; script-src 'self'; style-src 'self'; "
                     "img-src 'self' data:; connect-src 'self'; object-src 'none'; "
                     "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                     "require-trusted-types-for 'script'; trusted-types 'none'"));
    line(out, "Referrer-Policy", SKN_STR("no-referrer"));
    line(out, "Cross-Origin-Opener-Policy", SKN_STR("same-origin"));
    line(out, "Permissions-Policy",
         SKN_STR("camera=(), geolocation=(), microphone=(), payment=(), usb=()"));
}

static void type_lines(const skn_api_call *c, skn_buf *out)
{
    skn_str type = skn_str_of(c->type ? c->type : "application/json");

    line(out, "Content-Type", type);
    skn_buf_add(out, SKN_STR("X-Content-Type-Options: nosniff\r\n"));
    if (skn_str_starts(type, SKN_STR("text/html")))
        page_lines(c, out);
}

static bool bodyless(int status)
{
    return status == 204 || status == 304;
}

void skn_answer_head(skn_api_call *c, skn_buf *out, bool keep, bool streams)
{
    int  status = c->status ? c->status : 200;
    bool old = c->by->request->minor == 0;

    skn_buf_addf(out, "HTTP/1.1 %d %s\r\n", status, status_text(status));
    date_line(out);
    if (!bodyless(status))
        type_lines(c, out);
    if (streams && !old)
        skn_buf_add(out, SKN_STR("Transfer-Encoding: chunked\r\n"));
    if (!streams && !bodyless(status))
        skn_buf_addf(out, "Content-Length: %zu\r\n", c->out.n);
    if (!keep)
        skn_buf_add(out, SKN_STR("Connection: close\r\n"));
    else if (old)
        skn_buf_add(out, SKN_STR("Connection: keep-alive\r\n"));
    cache_line(c, out);
    line(out, "X-Request-Id", c->request_id);
    line(out, "Skein-Version", skn_str_of(skein_version_text()));
    /* So that a page offers no change that would be refused. */
    if (c->by->http && c->by->http->o.read_only)
        line(out, "Skein-Read-Only", SKN_STR("1"));
    for (size_t i = 0; i < c->headers.n; i++)
        line(out, c->headers.p[i].name.p, c->headers.p[i].value);
    skn_buf_add(out, SKN_STR("\r\n"));
}
