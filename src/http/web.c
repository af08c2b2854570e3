/* The files of the web page, as browsers ask for them. */
#include "http/web.h"
#include "http/served.h"

#include <strings.h>

/* --- Which requests mean the page ----------------------------------------------------------------- */

static bool first_segment_is(skn_str path, const char *word)
{
    size_t n = strlen(word);

    return path.n > n && path.p[0] == '/' && memcmp(path.p + 1, word, n) == 0 &&
           (path.n == n + 1 || path.p[n + 1] == '/');
}

/* "q=0", "q=0.000": it is named only to say that it is not wanted. */
static bool refused(skn_str parameters)
{
    skn_str one;

    while (parameters.p && skn_str_split(&parameters, ';', &one)) {
        size_t i = 2;

        one = skn_str_trim(one);
        if (one.n < 3 || strncasecmp(one.p, "q=", 2) != 0)
            continue;
        while (i < one.n && (one.p[i] == '0' || one.p[i] == '.'))
            i++;
        return i == one.n;
    }
    return false;
}

/* Whether a list such as Accept names this very thing. */
static bool wants(skn_str list, const char *name)
{
    skn_str piece, word;

    while (list.p && skn_str_split(&list, ',', &piece)) {
        if (!skn_str_split(&piece, ';', &word))
            continue;
        word = skn_str_trim(word);
        if (skn_str_is_word(word, name))
            return !refused(piece);
    }
    return false;
}

bool skn_web_shares(skn_str path)
{
    return first_segment_is(path, "inbox") || first_segment_is(path, "search") ||
           first_segment_is(path, "settings");
}

static bool reads(const skn_api_call *c)
{
    return skn_str_is(c->method, "GET") || skn_str_is(c->method, "HEAD");
}

static bool wants_html(const skn_api_call *c)
{
    return wants(skn_call_header(c, "Accept"), "text/html");
}

skn_str skn_web_path(const skn_api_call *c)
{
    if (reads(c) &&
        (first_segment_is(c->path, "w") || (skn_web_shares(c->path) && wants_html(c))))
        return SKN_STR("/w/page");
    return c->path;
}

bool skn_web_tells_lost(const skn_api_call *c)
{
    return reads(c) && wants_html(c) && !first_segment_is(c->path, "api") &&
           !first_segment_is(c->path, "assets");
}

/* --- Files ---------------------------------------------------------------------------------------- */

static const skn_web_file *file_named(skn_str name)
{
    const skn_web_file *f = skn_web_files;

    while (f->name && !skn_str_is(name, f->name))
        f++;
    return f->name ? f : NULL;
}

static void send_file(skn_api_call *c, const skn_web_file *f)
{
    bool packed = f->packed_size && wants(skn_call_header(c, "Accept-Encoding"), "gzip");
    bool same;

    c->type = f->type;
    skn_call_etag(c, skn_str_of(f->tag), &same);
    if (same)
        return;
    if (packed)
        skn_call_add_header(c, "Content-Encoding", SKN_STR("gzip"));
    skn_buf_add(&c->out,
                packed ? (skn_str){f->packed, f->packed_size} : (skn_str){f->bytes, f->size});
}

/* What is there instead in a program that was built without the page. */
static void send_greeting(skn_api_call *c)
{
    c->type = "text/html; charset=utf-8";
    skn_buf_addf(&c->out,
                 "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                 "<meta name=\"viewport\" content=\"width=device-width\"><title>skein</title>\n"
                 "<h1>skein %s</h1>\n<p>This server is running. Talk to its agents in a "
                 "terminal: <code>skein chat</code></p>\n"
                 "<p><a href=\"/plain\">The last messages</a></p>\n"
                 "<p><a href=\"/docs\">The HTTP API</a>, as <a href=\"/openapi.json\">OpenAPI"
                 "</a></p>\n</html>\n",
                 skein_version_text());
}

skein_rc skn_http_page(skn_api_call *c)
{
    const skn_web_file *f = file_named(SKN_STR("index.html"));

    skn_call_add_header(c, "Vary", SKN_STR("Accept, Accept-Encoding"));
    skn_call_add_header(c, "Cache-Control", SKN_STR("no-cache"));
    if (f)
        send_file(c, f);
    else
        send_greeting(c);
    return SKEIN_OK;
}

/* The name has a hash of what is in it: who has the file never has to ask again. */
skein_rc skn_http_asset(skn_api_call *c)
{
    const skn_web_file *f = file_named(
        skn_arena_printf(c->mem, "assets/%.*s", SKN_FMT(c->params[0])));

    if (!f)
        return skn_call_problem(c, 404, "not-found", "there is nothing at \"%.*s\"",
                                SKN_FMT(c->path));
    skn_call_add_header(c, "Vary", SKN_STR("Accept-Encoding"));
    skn_call_add_header(c, "Cache-Control", SKN_STR("public, max-age=31536000, immutable"));
    send_file(c, f);
    return SKEIN_OK;
}
