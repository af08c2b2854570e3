#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "http/inside.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { ON_LOOP_BYTES = 64 * 1024, ID_MOST = 64, KEY_MOST = 255, WAIT_MOST_S = 120 };

/* A call, and what only this file knows of it. The call is first, so that one is the other. */
typedef struct boxed {
    skn_http_call c;
    skn_request   request;
    skn_refusal   late;
    skn_buf       body;
    size_t        counted; /* bytes of the body, in the sum of all bodies */
    int64_t       started; /* monotonic nanoseconds */
    int64_t       hash;    /* of what was asked under the key */
    skein_rc      rc;
    bool          running;  /* its key is marked as running */
    bool          replayed; /* it was answered before, under its key */
    bool          checked;  /* routed and let in */
} boxed;

static boxed *box_of(skn_http_call *c)
{
    return (boxed *)c;
}

/* --- Making and ending a call ------------------------------------------------------------------- */

static bool id_char(char ch)
{
    return (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9') ||
           ch == '.' || ch == '_' || ch == '-';
}

static skn_str request_id(skn_http *h, const skn_request *r, skn_arena *a)
{
    skn_str given = skn_request_header(r, "X-Request-Id");
    char    made[SKN_UID_LEN + 1];
    size_t  i = 0;

    while (i < given.n && id_char(given.p[i]))
        i++;
    if (given.n >= 1 && given.n <= ID_MOST && i == given.n)
        return given;
    skn_uid_next(h->ids, made);
    return skn_arena_copy(a, (skn_str){made, SKN_UID_LEN});
}

skn_http_call *skn_dispatch_head(skn_http *h, skn_conn *conn, skn_str head, skn_refusal late)
{
    skn_arena     *mem = skn_arena_new();
    boxed         *b = SKN_NEW(mem, boxed);
    skn_http_call *c = &b->c;

    b->started = skn_clock_monotonic();
    b->late = late;
    b->request = (skn_request){.method = SKN_STR("GET"), .path = SKN_STR("/"), .minor = 1};
    if (!late.status)
        skn_request_read(&b->request, skn_arena_copy(mem, head), mem, &b->late);
    *c = (skn_http_call){.http = h, .engine = h->o.engine, .mem = mem, .conn = conn};
    c->request = &b->request;
    c->method = b->request.method;
    c->path = b->request.path;
    c->query = b->request.query;
    c->request_id = request_id(h, c->request, mem);
    skn_buf_init(&b->body, h->o.max_body);
    skn_buf_init(&c->out, SKN_ANSWER_MAX);
    skn_jw_init(&c->w, &c->out);
    h->calls++;
    return c;
}

void skn_call_free(skn_http_call *c)
{
    boxed    *b = box_of(c);
    skn_http *h = c->http;

    *skn_wire_bodies(h) -= b->counted;
    skn_buf_release(&b->body);
    skn_buf_release(&c->out);
    skn_arena_free(c->mem);
    h->calls--;
    skn_http_call_ended(h);
}

skn_buf *skn_dispatch_body(skn_http_call *c)
{
    return &box_of(c)->body;
}

bool skn_dispatch_grew(skn_http_call *c)
{
    boxed  *b = box_of(c);
    size_t *all = skn_wire_bodies(c->http);

    *all += b->body.n - b->counted;
    b->counted = b->body.n;
    return *all <= SKN_BODIES_MAX;
}

int64_t skn_dispatch_started(const skn_http_call *c)
{
    return ((const boxed *)c)->started;
}

bool skn_dispatch_broken(const skn_http_call *c)
{
    return ((const boxed *)c)->late.status != 0;
}

bool skn_dispatch_head_only(const skn_http_call *c)
{
    return skn_str_is(c->method, "HEAD");
}

/* --- Whether it is let in ----------------------------------------------------------------------- */

void skn_dispatch_refuse(skn_http_call *c, skn_refusal why)
{
    const char *word = skn_problem_word_of(why.status);

    skn_call_problem(c, why.status, word, "%s", why.why);
}

static skein_rc check_origin(skn_http_call *c, bool local)
{
    skn_str    origin = skn_call_header(c, "Origin"), site;
    skn_origin from = skn_gate_origin(&c->http->gate, origin, c->request->host);
    bool       reads = skn_str_is(c->method, "GET") || skn_str_is(c->method, "HEAD") ||
                 skn_str_is(c->method, "OPTIONS");

    if (from == SKN_ORIGIN_ALLOWED) {
        skn_call_add_header(c, "Access-Control-Allow-Origin", origin);
        skn_call_add_header(c, "Access-Control-Expose-Headers",
                            SKN_STR("ETag, Idempotency-Replayed, Link, Location, Retry-After, "
                                    "Skein-Version, X-Request-Id"));
    }
    if (c->http->o.allow_origin_count)
        skn_call_add_header(c, "Vary", SKN_STR("Origin"));
    if (from == SKN_ORIGIN_REFUSED && !local)
        return skn_call_problem(c, 403, "origin", "origin \"%.*s\" is not allowed",
                                SKN_FMT(origin));
    site = skn_call_header(c, "Sec-Fetch-Site");
    if (!reads && from == SKN_ORIGIN_OURS && skn_str_is(site, "cross-site"))
        return skn_call_problem(c, 403, "origin", "a page of another site may change nothing");
    return SKEIN_OK;
}

static skein_rc check_host(skn_http_call *c, const skn_peer *peer)
{
    if (peer->local || (!c->request->host.p && c->request->minor == 0) ||
        skn_gate_host(&c->http->gate, c->request->host, skn_str_of(peer->here)))
        return SKEIN_OK;
    return skn_call_problem(c, 403, "origin", "host not allowed: \"%.*s\" is not this server",
                            SKN_FMT(c->request->host));
}

static skein_rc check_rate(skn_http_call *c, const skn_peer *peer)
{
    int64_t wait = 0;

    if (peer->local ||
        skn_rates_take(c->http->rates, skn_str_of(peer->address), skn_wire_now(), &wait))
        return SKEIN_OK;
    c->more.retry_after_ms = wait;
    c->problem_extra = SKN_STR("\"scope\":\"address\"");
    return skn_call_problem(c, 429, "rate-limit",
                            "more than %d requests in a minute from this address",
                            c->http->o.requests_per_minute);
}

static skein_rc check_token(skn_http_call *c, const skn_peer *peer)
{
    if (peer->local || (c->route && c->route->flags & SKN_ROUTE_OPEN) ||
        skn_gate_signed_in(&c->http->gate, skn_call_header(c, "Authorization")))
        return SKEIN_OK;
    skn_call_add_header(c, "WWW-Authenticate", SKN_STR("Bearer realm=\"skein\""));
    return skn_call_problem(c, 401, "sign-in", "this server needs a token");
}

/* What may be done with the path, for browsers that ask before they do it. */
static skein_rc answer_options(skn_http_call *c, skn_str allow)
{
    skn_str origin = skn_call_header(c, "Origin");

    c->status = 204;
    skn_call_add_header(c, "Allow", allow);
    if (skn_gate_origin(&c->http->gate, origin, c->request->host) != SKN_ORIGIN_ALLOWED)
        return SKEIN_OK;
    skn_call_add_header(c, "Access-Control-Allow-Methods", allow);
    skn_call_add_header(c, "Access-Control-Allow-Headers",
                        SKN_STR("Accept, Authorization, Content-Type, Idempotency-Key, "
                                "If-Match, If-None-Match, Last-Event-ID, Prefer, "
                                "X-Request-Id"));
    skn_call_add_header(c, "Access-Control-Max-Age", SKN_STR("600"));
    return SKEIN_OK;
}

static skein_rc find_route(skn_http_call *c, bool *options)
{
    skn_match m;

    skn_tree_match(c->http->tree, c->method, c->path, c->mem, &m);
    *options = skn_str_is(c->method, "OPTIONS");
    if (*options && skn_str_is(c->path, "*"))
        m.allow = SKN_STR("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
    if (!m.allow.p)
        return skn_call_problem(c, 404, "not-found", "there is nothing at \"%.*s\"",
                                SKN_FMT(c->path));
    if (*options)
        return answer_options(c, m.allow);
    if (!m.route) {
        skn_call_add_header(c, "Allow", m.allow);
        return skn_call_problem(c, 405, "method", "\"%.*s\" is not possible here: %.*s",
                                SKN_FMT(c->method), SKN_FMT(m.allow));
    }
    if (m.bad || !skn_query_valid(c->query, c->mem))
        return skn_call_problem(c, 400, "bad-request", "the address does not decode to UTF-8");
    c->route = m.route;
    memcpy(c->params, m.params, sizeof c->params);
    return SKEIN_OK;
}

static skein_rc check_key(skn_http_call *c)
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

static skein_rc check_route(skn_http_call *c)
{
    if (c->http->o.read_only && c->route->flags & SKN_ROUTE_CHANGES)
        return skn_call_problem(c, 503, "read-only", "this server was started read only");
    if (c->request->length > c->http->o.max_body)
        return skn_call_problem(c, 413, "too-large", "the body is %zu bytes; the limit is %zu",
                                c->request->length, c->http->o.max_body);
    return check_key(c);
}

bool skn_dispatch_check(skn_http_call *c)
{
    boxed          *b = box_of(c);
    const skn_peer *peer = skn_conn_peer(c->conn);
    bool            options = false;
    skein_rc        lost;

    if (b->late.status) {
        skn_dispatch_refuse(c, b->late);
        return false;
    }
    if (check_host(c, peer) || check_origin(c, peer->local) || check_rate(c, peer))
        return false;
    lost = find_route(c, &options);
    if (options)
        return false;
    /* In this order, so that whoever is not let in learns nothing of what there is. */
    if (check_token(c, peer) || lost || check_route(c))
        return false;
    b->checked = true;
    return true;
}

/* --- What it asks for --------------------------------------------------------------------------- */

static void read_prefer(skn_http_call *c)
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

static void read_accept(skn_http_call *c)
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

static skein_rc read_json(skn_http_call *c)
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
    rc = skn_json_parse(&c->json, c->body, "the body", c->mem, &c->error);
    return rc == SKEIN_OK || rc == SKEIN_LIMIT
               ? rc
               : skn_call_invalid(c, "", skn_arena_printf(c->mem, "is not JSON: %s",
                                                          c->error.message)
                                             .p);
}

/* --- Running it --------------------------------------------------------------------------------- */

/* ETags for answers that have none of their own: their bytes. */
static void tag_answer(skn_http_call *c)
{
    bool same;

    if (c->status || c->type || !c->route || strcmp(c->route->method, "GET") != 0)
        return;
    for (size_t i = 0; i < c->headers.n; i++)
        if (skn_str_is(c->headers.p[i].name, "ETag"))
            return;
    skn_call_etag(c,
                  skn_arena_printf(c->mem, "W/\"%016llx\"",
                                   (unsigned long long)skn_hash_bytes(7, skn_buf_str(&c->out))),
                  &same);
}

static void shorten(skn_http_call *c)
{
    if (!c->minimal || !c->route || !(c->route->flags & SKN_ROUTE_CHANGES))
        return;
    c->status = !c->status || c->status == 200 ? 204 : c->status;
    skn_buf_clear(&c->out);
    skn_call_add_header(c, "Preference-Applied", SKN_STR("return=minimal"));
}

/* The last part of a call that may touch the store: from what the handler said to the answer. */
static void complete(boxed *b)
{
    skn_http_call *c = &b->c;

    if (b->rc == SKEIN_OK && c->out.over)
        b->rc = skn_call_problem(c, 413, "too-large", "the answer is larger than %zu bytes",
                                 c->out.limit);
    if (b->rc) {
        if (b->rc == SKEIN_FULL)
            atomic_store(&c->http->counts.full, true);
        skn_problem_write(c);
        return;
    }
    if (b->replayed)
        return;
    if (c->route && c->route->flags & SKN_ROUTE_CHANGES)
        atomic_store(&c->http->counts.full, false);
    tag_answer(c);
    shorten(c);
    if (c->key.p && c->status < 300)
        skn_keys_keep(c, b->hash);
}

static void count_work(boxed *b, int64_t since)
{
    skn_http_call *c = &b->c;
    skn_counts    *n = &c->http->counts;
    int64_t        took = skn_clock_monotonic() - since;
    bool           changes = c->route->flags & SKN_ROUTE_CHANGES;

    skn_count_time(changes ? &n->changes : &n->reads, took);
    if (changes && strcmp(c->route->method, "POST") != 0 &&
        strstr(c->route->path, "/messages/{"))
        skn_count_time(&n->edits, took);
}

static void prepare(boxed *b)
{
    b->rc = read_json(&b->c);
    if (b->rc == SKEIN_OK && b->c.key.p) {
        b->hash = skn_keys_hash(&b->c);
        b->rc = skn_keys_find(&b->c, b->hash, &b->replayed);
    }
}

/* --- Parts on a worker; the call is the worker's alone meanwhile. */
static void work_whole(void *arg)
{
    boxed  *b = arg;
    int64_t since = skn_clock_monotonic();

    prepare(b);
    if (b->rc == SKEIN_OK && !b->replayed)
        b->rc = b->c.route->run(&b->c);
    complete(b);
    count_work(b, since);
}

static void work_prepare(void *arg)
{
    prepare(arg);
}

static void work_complete(void *arg)
{
    complete(arg);
}

/* --- Parts on the loop. */
static void log_request(boxed *b, int64_t took)
{
    skn_http_call      *c = &b->c;
    int                 status = c->status ? c->status : 200;
    const skn_log_field fields[] = {
        {"method", c->method, 0},
        {"path", c->path, 0},
        {"status", SKN_NONE, status},
        {"ms", SKN_NONE, took / 1000000},
        {"requestId", c->request_id, 0},
        {"traceparent", skn_call_header(c, "traceparent"), 0},
        {"error", skn_str_of(c->error.message), 0},
    };
    bool   failed = status >= 500;
    size_t count = failed ? 7 : fields[5].text.p ? 6 : 5;

    skn_log_write(c->http->o.log,
                  failed         ? SKN_LOG_WARN
                  : status < 300 ? SKN_LOG_DEBUG
                                 : SKN_LOG_INFO,
                  "request", fields, count);
}

static void close_books(boxed *b)
{
    skn_http_call *c = &b->c;
    int64_t        took = skn_clock_monotonic() - b->started;

    if (b->running)
        skn_keys_end(c->http->keys, c->key);
    b->running = false;
    skn_count_request(&c->http->counts, c->method, c->status ? c->status : 200, took);
    log_request(b, took);
}

static void deliver(void *arg)
{
    boxed *b = arg;

    close_books(b);
    skn_conn_answer(b->c.conn, &b->c);
}

static void finish_here(boxed *b)
{
    complete(b);
    deliver(b);
}

void skn_dispatch_streams(skn_http_call *c)
{
    close_books(box_of(c));
}

/* A failure that is known without the store, or a success without a key, needs no worker. */
void skn_call_answer(skn_http_call *c, skein_rc rc)
{
    boxed *b = box_of(c);

    b->rc = rc;
    if (rc == SKEIN_BUSY || (rc == SKEIN_OK && c->key.p))
        skn_workers_run(c->http->o.workers, work_complete, deliver, b);
    else
        finish_here(b);
}

static void hand_over(void *arg)
{
    boxed *b = arg;

    if (b->rc || b->replayed)
        finish_here(b);
    else
        b->c.route->take(&b->c);
}

static void run_checked(boxed *b)
{
    skn_http_call   *c = &b->c;
    const skn_route *route = c->route;

    if (route->flags & SKN_ROUTE_PLAIN) {
        b->rc = read_json(c);
        b->rc = b->rc ? b->rc : route->run(c);
        finish_here(b);
    } else if (!route->take) {
        skn_workers_run(c->http->o.workers, work_whole, deliver, b);
    } else if (c->key.p || c->body.n > ON_LOOP_BYTES) {
        skn_workers_run(c->http->o.workers, work_prepare, hand_over, b);
    } else {
        prepare(b);
        hand_over(b);
    }
}

void skn_dispatch_run(skn_http_call *c)
{
    boxed *b = box_of(c);

    if (!b->checked || c->error.rc) {
        b->rc = c->error.rc;
        finish_here(b);
        return;
    }
    c->body = skn_buf_str(&b->body);
    read_prefer(c);
    read_accept(c);
    if (c->key.p && !(b->running = skn_keys_begin(c->http->keys, c->key))) {
        b->rc = skn_call_problem(c, 409, "idempotency-running",
                                 "a request with this Idempotency-Key is still running");
        finish_here(b);
        return;
    }
    run_checked(b);
}
