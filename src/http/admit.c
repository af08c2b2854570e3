/* Whether a request is let in, and where it belongs: before its body is read. */
#include "base/clock.h"
#include "http/served.h"
#include "http/sessions.h"
#include "http/web.h"

#include <inttypes.h>
#include <strings.h>

enum { READ_BODY = 64 * 1024 };

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* A request that only reads needs no body. One is skipped, but it may not fill the memory of a server that lets its sender
 * change nothing. */
size_t skn_body_most(const skn_api_call *c)
{
    const skn_http_options *o = &c->by->http->o;
    int                     flags = c->route->flags;

    if (flags & SKN_ROUTE_UPLOAD)
        return o->max_body;
    if (flags & SKN_ROUTE_TEXT)
        return o->max_text;
    return lesser(o->max_body, flags & SKN_ROUTE_CHANGES && !(flags & SKN_ROUTE_OPEN)
                                   ? SKN_BODY_MAX
                                   : READ_BODY);
}

static skein_rc check_origin(skn_api_call *c, bool local)
{
    skn_str    origin = skn_call_header(c, "Origin"), site;
    skn_origin from = skn_gate_origin(&c->by->http->gate, origin, c->by->request->host);
    bool       reads = skn_str_is(c->method, "GET") || skn_str_is(c->method, "HEAD") ||
                 skn_str_is(c->method, "OPTIONS");

    if (from == SKN_ORIGIN_ALLOWED) {
        skn_call_add_header(c, "Access-Control-Allow-Origin", origin);
        skn_call_add_header(
            c, "Access-Control-Expose-Headers",
            SKN_STR("ETag, Idempotency-Replayed, Link, Location, Retry-After, "
                    "Skein-Event-Id, Skein-Read-Only, Skein-Version, X-Request-Id"));
    }
    if (c->by->http->o.allow_origin_count)
        skn_call_add_header(c, "Vary", SKN_STR("Origin"));
    /* A browser sends the cookie with every request, so a change must come from our own page. */
    if (!reads && c->by->who.kind == SKN_WHO_SESSION && (from != SKN_ORIGIN_OURS || !origin.p))
        return skn_call_problem(c, 403, "origin", "a page of another site may change nothing");
    if (from == SKN_ORIGIN_REFUSED && !local)
        return skn_call_problem(c, 403, "origin", "origin \"%.*s\" is not allowed",
                                SKN_FMT(origin));
    site = skn_call_header(c, "Sec-Fetch-Site");
    if (!reads && from == SKN_ORIGIN_OURS && skn_str_is(site, "cross-site"))
        return skn_call_problem(c, 403, "origin", "a page of another site may change nothing");
    return SKEIN_OK;
}

static skein_rc check_host(skn_api_call *c, const skn_peer *peer)
{
    if (peer->local || (!c->by->request->host.p && c->by->request->minor == 0) ||
        skn_gate_host(&c->by->http->gate, c->by->request->host, skn_str_of(peer->here)))
        return SKEIN_OK;
    return skn_call_problem(c, 403, "origin", "host not allowed: \"%.*s\" is not this server",
                            SKN_FMT(c->by->request->host));
}

static skein_rc check_rate(skn_api_call *c, const skn_peer *peer)
{
    int64_t wait = 0;

    if (peer->local ||
        skn_rates_take(c->by->http->rates, skn_str_of(peer->address), skn_clock_ms(), &wait))
        return SKEIN_OK;
    c->more.retry_after_ms = wait;
    c->problem_extra = SKN_STR("\"scope\":\"address\"");
    return skn_call_problem(c, 429, "rate-limit",
                            "more than %d requests in a minute from this address",
                            c->by->http->o.requests_per_minute);
}

/* Headers that proxies add; "-" at the end: all that begin so. skein-api(7) lists them. */
static const char *const proxy_marks[] = {"Forwarded",        "Via",
                                          "X-Forwarded-",     "X-Real-IP",
                                          "X-Client-IP",      "X-Original-Forwarded-For",
                                          "CF-Connecting-IP", "X-Envoy-External-Address",
                                          "True-Client-IP"};

static bool is_proxy_mark(skn_str name)
{
    for (size_t i = 0; i < sizeof proxy_marks / sizeof proxy_marks[0]; i++) {
        skn_str mark = skn_str_of(proxy_marks[i]);

        if (strncasecmp(name.p, mark.p, lesser(name.n, mark.n)) == 0 &&
            (name.n == mark.n || (name.n > mark.n && mark.p[mark.n - 1] == '-')))
            return true;
    }
    return false;
}

/* A proxy runs as one user and speaks for anybody. */
static bool came_by_proxy(const skn_api_call *c)
{
    for (size_t i = 0; i < c->given_count; i++)
        if (is_proxy_mark(c->given[i].name))
            return true;
    return skn_gate_public(&c->by->http->gate, c->by->request->host);
}

/* The value of our own cookie; absent: there is none. */
static skn_str cookie_of(const skn_api_call *c)
{
    skn_str rest = skn_call_header(c, "Cookie"), one;
    skn_str name = skn_cookie_name(c);

    while (skn_str_split(&rest, ';', &one)) {
        one = skn_str_trim(one);
        if (one.n > name.n && skn_str_starts(one, name) && one.p[name.n] == '=')
            return skn_str_sub(one, name.n + 1, one.n);
    }
    return SKN_NONE;
}

/* The only place that decides who asks. */
static skn_who find_who(const skn_api_call *c, const skn_peer *peer)
{
    const skn_gate *gate = &c->by->http->gate;
    skn_who         who = {.from = peer->local ? SKN_STR("socket") : skn_str_of(peer->address)};
    char            session[SKN_UID_LEN + 1] = "";

    if (skn_peer_is_owner(peer->uid) && (peer->local || (!gate->always && !came_by_proxy(c)))) {
        who.kind = SKN_WHO_OWNER;
        who.name = SKN_STR("owner");
    } else if (skn_gate_bearer(gate, skn_call_header(c, "Authorization"))) {
        who.kind = SKN_WHO_TOKEN;
        who.name = SKN_STR("token");
    } else if (skn_sessions_find(c->by->http->sessions, cookie_of(c), peer->uid, session)) {
        who.kind = SKN_WHO_SESSION;
        who.session = skn_arena_copy(c->mem, skn_str_of(session));
        who.name = skn_arena_printf(c->mem, "session %s", session);
    } else {
        who.name = peer->uid < 0 ? SKN_STR("nobody")
                                 : skn_arena_printf(c->mem, "user %" PRId64, peer->uid);
    }
    skn_conn_belongs(c->by->conn, session);
    if (who.kind != SKN_WHO_NOBODY)
        skn_conn_let_in(c->by->conn);
    return who;
}

/* The owner may have hung up before the kernel was asked. A token or a cookie counts in any case: otherwise hanging up
 * would allow many tries. */
static bool is_sign_in(const skn_api_call *c)
{
    return !skn_conn_peer(c->by->conn)->gone || skn_call_header(c, "Authorization").p ||
           cookie_of(c).p;
}

static skein_rc check_who(skn_api_call *c)
{
    int64_t wait = 0;

    if (c->by->who.kind != SKN_WHO_NOBODY || (c->route && c->route->flags & SKN_ROUTE_OPEN))
        return SKEIN_OK;
    if (cookie_of(c).p && !skn_sessions_loaded(c->by->http->sessions))
        return skn_call_problem(c, 503, "starting", "the server is starting");
    if (is_sign_in(c) && !skn_sign_in_failed(c, skn_clock_ms(), &wait)) {
        skn_sign_in_wait(c, wait);
        return c->error.rc;
    }
    skn_call_add_header(c, "WWW-Authenticate", SKN_STR("Bearer realm=\"skein\""));
    skn_call_problem(c, 401, "sign-in", "this server needs a token");
    return skn_hint(&c->error, c->error.rc,
                    "Send \"Authorization: Bearer TOKEN\"; the user who runs the server gets "
                    "the token with \"skein token\"");
}

/* What may be done with the path, for browsers that ask before they do it. */
static skein_rc answer_options(skn_api_call *c, skn_str allow)
{
    skn_str origin = skn_call_header(c, "Origin");

    c->status = 204;
    skn_call_add_header(c, "Allow", allow);
    if (skn_gate_origin(&c->by->http->gate, origin, c->by->request->host) != SKN_ORIGIN_ALLOWED)
        return SKEIN_OK;
    skn_call_add_header(c, "Access-Control-Allow-Methods", allow);
    skn_call_add_header(c, "Access-Control-Allow-Headers",
                        SKN_STR("Accept, Authorization, Content-Type, Idempotency-Key, "
                                "If-Match, If-None-Match, Last-Event-ID, Prefer, "
                                "X-Request-Id"));
    skn_call_add_header(c, "Access-Control-Max-Age", SKN_STR("600"));
    return SKEIN_OK;
}

static skein_rc find_route(skn_api_call *c, bool *options)
{
    skn_str   path = skn_web_path(c);
    skn_match m;
    skein_rc  rc;

    skn_tree_match(c->api->tree, c->method, path, c->mem, &m);
    if (path.p == c->path.p && skn_web_shares(path))
        skn_call_add_header(c, "Vary", SKN_STR("Accept"));
    if (!m.allow.p && skn_web_tells_lost(c)) {
        c->status = 404;
        skn_tree_match(c->api->tree, c->method, SKN_STR("/w/page"), c->mem, &m);
    }
    *options = skn_str_is(c->method, "OPTIONS");
    if (*options && skn_str_is(c->path, "*"))
        m.allow = SKN_STR("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    if (*options && m.allow.p)
        return answer_options(c, m.allow);
    rc = skn_api_route(c, &m);
    if (rc == SKEIN_OK)
        skn_served_find(c);
    return rc;
}

/* A stopping server waits for no body, which could delay its end. */
static skein_rc check_ready(skn_api_call *c)
{
    const skn_http *h = c->by->http;
    bool            always = c->route->flags & (SKN_ROUTE_PLAIN | SKN_ROUTE_ALWAYS);
    bool            body = c->by->request->length || c->by->request->chunked;

    if ((h->o.engine && !h->closing) || (always && !(h->closing && body)))
        return SKEIN_OK;
    return skn_call_problem(c, 503, "starting", "the server is %s",
                            h->closing ? "stopping" : "starting");
}

static skein_rc check_route(skn_api_call *c)
{
    if (check_ready(c))
        return c->error.rc;
    if (c->by->http->o.read_only && c->route->flags & SKN_ROUTE_CHANGES)
        return skn_call_problem(c, 503, "read-only", "this server was started read only");
    if (c->by->request->length > skn_body_most(c))
        return skn_call_problem(c, 413, "too-large", "the body is %zu bytes; the limit is %zu",
                                c->by->request->length, skn_body_most(c));
    return skn_read_key(c);
}

bool skn_admit(skn_api_call *c)
{
    const skn_peer *peer = skn_conn_peer(c->by->conn);
    bool            options = false;
    skein_rc        lost;

    c->by->who = find_who(c, peer);
    if (check_host(c, peer) || check_origin(c, peer->local) || check_rate(c, peer))
        return false;
    lost = find_route(c, &options);
    if (options)
        return false;
    /* In this order, so that without access nobody learns which routes exist. */
    return !check_who(c) && !lost && !check_route(c);
}
