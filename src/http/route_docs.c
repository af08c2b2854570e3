/* The table of routes as people read it. */
#include "base/clean.h"
#include "http/inside.h"
#include "http/served.h"

/* Where a heading goes: before the route with this path, the first time. */
static const struct {
    const char *path, *heading;
} headings[] = {
    {"/worlds", "Worlds"},
    {"/worlds/{w}/agents", "Agents"},
    {"/worlds/{w}/chats", "Chats"},
    {"/worlds/{w}/messages", "Messages"},
    {"/worlds/{w}/chats/{c}/messages", "Views of a chat"},
    {"/worlds/{w}/chats/{c}/threads", "Versions"},
    {"/worlds/{w}/chats/{c}/queue", "Work"},
    {"/inbox", "Inbox"},
    {"/providers", "Providers"},
    {"/events", "Events"},
    {"/search", "Search"},
    {"/version", "Settings and trail"},
    {"/", "The web page"},
    {"/livez", "The server"},
};

static const char *heading_of(const skn_route *table, const skn_route *r)
{
    if (r > table && strcmp(r[-1].path, r->path) == 0)
        return NULL;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++)
        if (strcmp(headings[i].path, r->path) == 0)
            return headings[i].heading;
    return NULL;
}

static const char *needs(const skn_route *r)
{
    return r->flags & SKN_ROUTE_CHANGES ? "changes" : r->flags & SKN_ROUTE_OPEN ? "open" : "";
}

extern const char
    skn_reference_md[]; /* made from reference.md: what stands before the tables */

static void add_rows(skn_buf *out, const skn_route *table)
{
    for (const skn_route *r = table; r->method; r++) {
        const char *heading = heading_of(table, r);

        if (heading)
            skn_buf_addf(out, "\n## %s\n\n| | path | | what |\n|---|---|---|---|\n", heading);
        skn_buf_addf(out, "| %s | `%s` | %s | %s |\n", r->method, r->path, needs(r),
                     r->summary);
    }
}

void skn_http_reference(skn_buf *out)
{
    skn_buf_add(out, skn_str_of(skn_reference_md));
    add_rows(out, skn_routes);
    add_rows(out, skn_server_routes);
}

static void add_html_rows(skn_buf *out, const skn_route *table)
{
    for (const skn_route *r = table; r->method; r++) {
        const char *heading = heading_of(table, r);

        if (heading)
            skn_buf_addf(out, "<tr><th colspan=\"4\" align=\"left\">%s</tr>\n", heading);
        skn_buf_addf(out, "<tr><td>%s<td><code>", r->method);
        skn_clean_html(out, skn_str_of(r->path));
        skn_buf_add(out, SKN_STR("</code><td>"));
        skn_clean_html(out, skn_str_of(r->summary));
        skn_buf_addf(out, "<td>%s</tr>\n", needs(r));
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
    add_html_rows(out, skn_routes);
    add_html_rows(out, skn_server_routes);
    skn_buf_add(out, SKN_STR("</table>\n</html>\n"));
}
