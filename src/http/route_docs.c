/* The table of routes as people read it. */
#include "http/inside.h"

#include <string.h>

/* "worlds" of "/worlds/{w}/…": what a route is about is its last literal part before the end. */
static skn_str group_of(const skn_route *r)
{
    skn_str rest = skn_str_of(r->path + 1), part, group = SKN_STR("");

    while (skn_str_split(&rest, '/', &part))
        if (part.n && part.p[0] != '{' &&
            (!group.n || skn_str_is(group, "worlds") || skn_str_is(group, "chats")))
            group = part;
    return group;
}

static const char *needs(const skn_route *r)
{
    return r->flags & SKN_ROUTE_CHANGES ? "changes" : r->flags & SKN_ROUTE_OPEN ? "open" : "";
}

static const char intro[] =
    "# HTTP API\n\n"
    "Made from the server's table of routes by `skein serve --print-api`; the bodies are in "
    "`/openapi.json` of a running server, which is embedded in the program.\n\n"
    "- Every path also works under `/api/v1` and `/api`.\n"
    "- `{w}` is a world's name or id, `{c}` a conversation (`chatId`), `{m}` a message, `{t}` a "
    "version (`threadId`), `{a}` an agent.\n"
    "- JSON in and out, camelCase. Failures are `application/problem+json`; `type` is the "
    "address of a page of help.\n"
    "- Lists answer `{\"data\":[…],\"page\":{\"next\",\"prev\",\"hasMore\",\"total\","
    "\"totalIsExact\"}}` and take `limit` (1 to 500) and `cursor`.\n"
    "- What *changes* something takes an `Idempotency-Key`, which makes doing it again "
    "harmless, and is refused by a server that was started read only. What is *open* needs no "
    "token.\n"
    "- `HEAD` works as `GET` without the body, `OPTIONS` answers with `Allow`.\n";

void skn_http_reference(skn_buf *out)
{
    skn_str last = SKN_NONE;

    skn_buf_add(out, skn_str_of(intro));
    for (const skn_route *r = skn_routes; r->method; r++) {
        skn_str group = group_of(r);

        if (!last.p || !skn_str_eq(group, last))
            skn_buf_addf(out, "\n## %.*s\n\n| | path | | what |\n|---|---|---|---|\n",
                         SKN_FMT(group.n ? group : SKN_STR("the start page")));
        last = group;
        skn_buf_addf(out, "| %s | `%s` | %s | %s |\n", r->method, r->path, needs(r),
                     r->summary);
    }
}

void skn_docs_page(skn_buf *out)
{
    skn_buf_add(out, SKN_STR("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                             "<meta name=\"viewport\" content=\"width=device-width\">"
                             "<title>skein: HTTP API</title>\n<h1>HTTP API</h1>\n"
                             "<p>Every path also works under <code>/api/v1</code> and "
                             "<code>/api</code>. Bodies: <a href=\"/openapi.json\">"
                             "/openapi.json</a>.</p>\n<table>\n"));
    for (const skn_route *r = skn_routes; r->method; r++) {
        skn_buf_addf(out, "<tr><td>%s<td><code>", r->method);
        skn_html_text(out, skn_str_of(r->path));
        skn_buf_add(out, SKN_STR("</code><td>"));
        skn_html_text(out, skn_str_of(r->summary));
        skn_buf_addf(out, "<td>%s</tr>\n", needs(r));
    }
    skn_buf_add(out, SKN_STR("</table>\n</html>\n"));
}
