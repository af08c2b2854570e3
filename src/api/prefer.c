/* What a request asks for, beside what its route does. */
#include "api/call.h"
#include "base/error.h"

#include <strings.h>

enum { WAIT_MOST_S = 120, KEY_MOST = 255 };

static void read_prefer(skn_api_call *c)
{
    skn_str list = skn_call_header(c, "Prefer"), piece;
    int64_t seconds;

    while (list.p && skn_str_split(&list, ',', &piece)) {
        piece = skn_str_trim(piece);
        if (skn_str_is(piece, "respond-async"))
            c->async = true;
        else if (skn_str_is(piece, "return=minimal"))
            c->minimal = true;
        else if (skn_str_starts(piece, SKN_STR("wait=")) &&
                 skn_str_int(skn_str_sub(piece, 5, piece.n), &seconds) && seconds > 0)
            c->wait_ms = (seconds < WAIT_MOST_S ? seconds : WAIT_MOST_S) * 1000;
    }
}

static void read_accept(skn_api_call *c)
{
    skn_str list = skn_call_header(c, "Accept"), piece;

    while (list.p && skn_str_split(&list, ',', &piece))
        if (skn_str_starts(skn_str_trim(piece), SKN_STR("text/event-stream")))
            c->wants_stream = true;
}

static bool is_json(skn_str type)
{
    size_t end = 0;

    while (end < type.n && type.p[end] != ';')
        end++;
    type = skn_str_trim(skn_str_sub(type, 0, end));
    return (type.n == 16 && strncasecmp(type.p, "application/json", 16) == 0) ||
           (type.n > 5 && strncasecmp(type.p + type.n - 5, "+json", 5) == 0);
}

skein_rc skn_read_body(skn_api_call *c)
{
    skn_str  type = skn_call_header(c, "Content-Type");
    skein_rc rc;

    if (!c->body.n || c->route->flags & SKN_ROUTE_UPLOAD || skn_str_is(c->method, "GET"))
        return SKEIN_OK;
    if (type.p && !is_json(type)) {
        rc = skn_call_problem(c, 415, "media-type", "\"%.*s\" is not understood here",
                              SKN_FMT(type));
        return skn_hint(&c->error, rc, "Send JSON with \"Content-Type: application/json\".");
    }
    rc = skn_json_parse_few(&c->json, c->body, "the body", SKN_VALUES_MAX, c->mem, &c->error);
    if (rc == SKEIN_LIMIT || rc == SKEIN_NO_MEMORY)
        return rc;
    if (rc)
        return skn_call_invalid(
            c, "", skn_arena_printf(c->mem, "is not JSON: %s", c->error.message).p);
    if (c->json->kind == SKN_JSON_OBJECT ||
        (c->json->kind == SKN_JSON_ARRAY && c->route->flags & SKN_ROUTE_LIST))
        return SKEIN_OK;
    return skn_call_invalid(c, "", "must be an object");
}

skein_rc skn_read_key(skn_api_call *c)
{
    skn_str key = skn_call_header(c, "Idempotency-Key");

    if (!key.p || !(c->route->flags & SKN_ROUTE_CHANGES))
        return SKEIN_OK;
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] <= ' ' || key.p[i] > '~')
            key.n = 0;
    if (key.n < 1 || key.n > KEY_MOST)
        return skn_call_problem(c, 400, "validation",
                                "Idempotency-Key must be 1 to 255 visible characters");
    c->key = key;
    return SKEIN_OK;
}

void skn_read_prefer(skn_api_call *c)
{
    read_prefer(c);
    read_accept(c);
}
