#include "base/clock.h"
#include "http/inside.h"
#include "http/jobs.h"

#include <inttypes.h>

enum {
    ON_LOOP_BYTES = 64 * 1024,
    ID_MOST = 64,
    CROWD = 16, /* so many requests wait for a worker */
    TRIM_BYTES = 512 *
                 1024 /* a request that needed more leaves memory to be given back, see tick */
};

/* A call, and what only this file knows of it. The call is first, so that one is the other. */
typedef struct boxed {
    skn_api_call c;
    skn_carrier  by;
    skn_request  request;
    skn_refusal  late;
    skn_str      head; /* as it came */
    skn_buf      body;
    size_t       counted; /* bytes of the body and reserved for it, in the sum of all */
    int64_t      started; /* monotonic nanoseconds */
    bool         running; /* its key is among those that run now */
    bool         checked; /* routed and let in */
} boxed;

static boxed *box_of(skn_api_call *c)
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

skn_api_call *skn_dispatch_head(skn_http *h, skn_conn *conn, skn_str head, skn_refusal late)
{
    skn_arena    *mem = skn_arena_new();
    boxed        *b = SKN_NEW(mem, boxed);
    skn_api_call *c = &b->c;

    b->started = skn_clock_monotonic();
    b->late = late;
    b->request = (skn_request){.method = SKN_STR("GET"), .path = SKN_STR("/"), .minor = 1};
    b->head = skn_arena_copy(mem, head);
    if (!late.status)
        skn_request_read(&b->request, b->head, mem, &b->late);
    b->by = (skn_carrier){.http = h, .conn = conn, .request = &b->request};
    *c = (skn_api_call){.api = h->api, .engine = h->o.engine, .mem = mem, .by = &b->by};
    c->given = b->request.headers;
    c->given_count = b->request.header_count;
    c->method = b->request.method;
    c->path = b->request.path;
    c->query = b->request.query;
    c->request_id = request_id(h, &b->request, mem);
    skn_buf_init(&b->body, h->o.max_body);
    skn_jw_open(&c->w, &c->out, SKN_ANSWER_MAX);
    h->calls++;
    return c;
}

void skn_call_free(skn_api_call *c)
{
    boxed    *b = box_of(c);
    skn_http *h = c->by->http;
    bool      large = b->counted + c->out.cap > TRIM_BYTES;

    h->bodies -= b->counted;
    skn_api_release(c);
    skn_buf_release(&b->body);
    skn_buf_release(&c->out);
    skn_arena_free(c->mem);
    h->trim = h->trim || large;
    h->calls--;
    skn_http_call_ended(h);
}

skn_buf *skn_dispatch_body(skn_api_call *c)
{
    return &box_of(c)->body;
}

bool skn_dispatch_grew(skn_api_call *c)
{
    boxed    *b = box_of(c);
    skn_http *h = c->by->http;

    h->bodies += b->body.n - b->counted;
    b->counted = b->body.n;
    return h->bodies <= SKN_BODIES_MAX && !b->body.starved;
}

/* What bodies need is bounded for all requests together. */
static bool reserve(boxed *b)
{
    skn_http *h = b->c.by->http;
    size_t    need = skn_api_need(&b->c);

    if ((need && h->bodies + need > SKN_BODIES_MAX) || !skn_api_has_memory(&b->c, h->bodies))
        return false;
    h->bodies += need;
    b->counted += need;
    return true;
}

bool skn_dispatch_broken(const skn_api_call *c)
{
    return ((const boxed *)c)->late.status != 0;
}

bool skn_dispatch_head_only(const skn_api_call *c)
{
    return skn_str_is(c->method, "HEAD");
}

void skn_dispatch_refuse(skn_api_call *c, skn_refusal why)
{
    const char *word = skn_problem_word_of(why.status);

    skn_call_problem(c, why.status, word, "%s", why.why);
}

/* What is changed from here on is changed by who asks. */
static void work_for(skn_api_call *c)
{
    c->actor = (skn_actor){.name = c->by->who.name,
                           .from = c->by->who.from,
                           .request_id = c->request_id,
                           .a = c->mem};
    if (c->engine)
        c->engine = skn_engine_for(c->engine, &c->actor, c->mem);
}

bool skn_dispatch_check(skn_api_call *c)
{
    boxed *b = box_of(c);

    if (b->late.status)
        skn_dispatch_refuse(c, b->late);
    else
        b->checked = skn_admit(c);
    c->admitted = c->headers.n;
    if (b->checked) {
        b->body.limit = skn_body_most(c);
        work_for(c);
    }
    return b->checked;
}

/* --- Running it --------------------------------------------------------------------------------- */

static void count_work(boxed *b, int64_t since)
{
    skn_api_call *c = &b->c;
    skn_counts   *n = &c->by->http->counts;
    int64_t       took = skn_clock_monotonic() - since;
    bool          changes = c->route->flags & SKN_ROUTE_CHANGES;

    skn_count_time(changes ? &n->changes : &n->reads, took);
    if (changes && strcmp(c->route->method, "POST") != 0 &&
        strstr(c->route->path, "/messages/{"))
        skn_count_time(&n->edits, took);
}

/* --- Parts on a worker; the call is the worker's alone meanwhile. */
/* Nobody takes the answer; or perhaps: a client that has closed its side may still read, and is refused only where many
 * wait. */
static bool is_unwanted(const boxed *b)
{
    skn_conn_closed end = b->by.conn ? skn_conn_seen_end(b->by.conn) : SKN_CONN_OPEN;

    return end == SKN_CONN_GONE ||
           (end == SKN_CONN_HALF && skn_workers_waiting(b->by.http->o.workers) >= CROWD);
}

static void work_read(boxed *b)
{
    skn_api_call *c = &b->c;

    skn_arena_shares(c->mem, &b->by.http->reads);
    if (is_unwanted(b)) {
        c->rc = skn_call_problem(c, 503, "overloaded", "the client has closed its side");
        skn_api_complete(c);
    } else {
        skn_api_run(c);
    }
    skn_arena_counts(c->mem, c->out.cap);
}

static void work_whole(void *arg)
{
    boxed  *b = arg;
    int64_t since = skn_clock_monotonic();

    if (b->c.route->flags & SKN_ROUTE_CHANGES)
        skn_api_run(&b->c);
    else
        work_read(b);
    count_work(b, since);
}

static void work_prepare(void *arg)
{
    skn_api_prepare(&((boxed *)arg)->c);
}

static void work_complete(void *arg)
{
    skn_api_complete(&((boxed *)arg)->c);
}

/* --- Parts on the loop. */
static void log_request(boxed *b, int64_t took)
{
    skn_api_call *c = &b->c;
    skn_str       trace = skn_call_header(c, "traceparent");
    int           status = c->status ? c->status : 200;
    skn_log_field fields[7] = {
        {"method", c->method, 0},        {"path", c->path, 0},
        {"status", SKN_NONE, status},    {"ms", SKN_NONE, took / 1000000},
        {"requestId", c->request_id, 0},
    };
    size_t count = 5;
    bool   failed = status >= 500;

    if (trace.p)
        fields[count++] = (skn_log_field){"traceparent", trace, 0};
    if (failed)
        fields[count++] = (skn_log_field){"error", skn_str_of(c->error.message), 0};
    skn_log_write(c->by->http->o.api.log,
                  failed         ? SKN_LOG_WARN
                  : status < 300 ? SKN_LOG_DEBUG
                                 : SKN_LOG_INFO,
                  "request", fields, count);
}

/* Events about texts that are being written may continue. */
static void let_go(skn_api_call *c)
{
    if (c->written)
        skn_hub_release(c->by->http->hub);
    c->written = NULL;
}

static void close_books(boxed *b)
{
    skn_api_call *c = &b->c;
    int64_t       took = skn_clock_monotonic() - b->started;

    let_go(c);
    if (b->running)
        skn_keys_end(c->by->http->keys, c->key);
    b->running = false;
    skn_count_request(&c->by->http->counts, c->method, c->status ? c->status : 200, took);
    log_request(b, took);
    for (size_t i = 0; !b->c.rc && i < c->actor.noted.n; i++)
        skn_audit_log(c->by->http, &c->actor.noted.p[i]);
}

/* Clients that take no answers would fill the memory, so the next large answer is refused. The answer to a change is given
 * in any case. */
static void hold_back(boxed *b)
{
    skn_api_call *c = &b->c;

    if (b->c.rc || c->out.n < SKN_ANSWER_BIG || !c->route ||
        c->route->flags & SKN_ROUTE_CHANGES ||
        c->by->http->answers + c->out.n <= SKN_ANSWERS_MAX)
        return;
    b->c.rc = skn_call_problem(c, 503, "overloaded",
                               "too many answers wait for their clients to take them");
    skn_problem_write(c);
}

/* A refused sign-in counts like a request without access. */
static void count_refused(boxed *b)
{
    skn_api_call *c = &b->c;
    int64_t       wait = 0;

    if (!b->c.rc || !b->checked || c->problem_status != 401 ||
        skn_sign_in_failed(c, skn_clock_ms(), &wait))
        return;
    skn_buf_clear(&c->out);
    skn_sign_in_wait(c, wait);
    skn_problem_write(c);
}

static void deliver(void *arg)
{
    boxed *b = arg;

    hold_back(b);
    count_refused(b);
    close_books(b);
    skn_conn_answer(b->by.conn, &b->c);
}

static void finish_here(boxed *b)
{
    skn_api_complete(&b->c);
    deliver(b);
}

void skn_dispatch_streams(skn_api_call *c)
{
    close_books(box_of(c));
}

/* A failure that is known without the store, or a success without a key, needs no worker. */
void skn_call_answer(skn_api_call *c, skein_rc rc)
{
    boxed *b = box_of(c);

    b->c.rc = rc;
    if (rc == SKEIN_AT_WORK || (rc == SKEIN_OK && c->key.p))
        skn_workers_run(c->by->http->o.workers, work_complete, deliver, b);
    else
        finish_here(b);
}

static void hand_over(void *arg)
{
    boxed *b = arg;

    if (b->c.rc || b->c.replayed)
        finish_here(b);
    else {
        b->c.ran = true;
        b->by.take(&b->c);
    }
}

/* --- Prefer: respond-async. The call becomes the work of a job; another one answers the client. */

static void free_job_call(void *arg)
{
    boxed *b = arg;

    let_go(&b->c);
    skn_call_free(arg);
}

static void drop_job_call(void *arg)
{
    boxed *b = arg;

    skn_loop_post(b->by.http->o.loop, free_job_call, b);
}

/* The result of a job is the body of the answer; one that is not JSON stands in it as a text. */
static skein_rc work_as_job(skn_job *job, void *arg, skn_buf *out, skein_error *err)
{
    boxed        *b = arg;
    skn_api_call *c = &b->c;
    skn_jw        w;

    skn_job_progress(job, 0, 1);
    work_whole(b);
    skn_job_world(job, c->world.id);
    if (b->c.rc)
        *err = c->error;
    skn_jw_init(&w, out);
    if (c->type && !b->c.rc)
        skn_jw_str(&w, skn_buf_str(&c->out));
    else
        skn_buf_add(out, skn_buf_str(&c->out));
    return b->c.rc;
}

/* False: there are too many jobs, and the request is done at once, which the client must accept, too. */
static bool become_job(boxed *b)
{
    skn_http     *h = b->by.http;
    skn_api_call *c = skn_dispatch_head(h, b->by.conn, b->head, (skn_refusal){0});
    char          id[SKN_JOB_ID];

    c->request_id = skn_arena_copy(c->mem, b->c.request_id);
    for (size_t i = 0; i < b->c.admitted; i++) /* who is let in may read this answer, too */
        skn_call_add_header(c, b->c.headers.p[i].name.p, b->c.headers.p[i].value);
    b->by.conn = NULL; /* from its start on the job is a worker's */
    if (skn_job_start(h->jobs, b->c.route->id, work_as_job, b, drop_job_call, id, NULL)) {
        b->by.conn = c->by->conn;
        skn_call_free(c);
        return false;
    }
    c->status = 202;
    skn_call_add_header(c, "Location", skn_arena_printf(c->mem, "/jobs/%s", id));
    skn_call_add_header(c, "Preference-Applied", SKN_STR("respond-async"));
    skn_job_shape(h->jobs, skn_str_of(id), &c->w);
    finish_here(box_of(c));
    return true;
}

/* A job outlives its connection, which a sign-in needs; and clients without access get no jobs. */
static bool wants_job(const skn_api_call *c)
{
    return c->async && !c->key.p && c->run && !c->written &&
           !(c->route->flags & (SKN_ROUTE_PLAIN | SKN_ROUTE_OPEN | SKN_ROUTE_SIGN));
}

/* Only the loop knows what agents are writing, which a forced change keeps. "force" itself is read later. */
static void note_written(skn_api_call *c)
{
    const skn_http_options *o = &c->by->http->o;
    skn_str                 word = SKN_STR("force");
    skein_stop             *out;

    if (!o->written || !c->run || !(c->route->flags & SKN_ROUTE_CHANGES) ||
        (!(c->route->flags & SKN_ROUTE_STOPS) && skn_str_find(c->body, word) < 0 &&
         skn_str_find(c->query, word) < 0))
        return;
    out = SKN_NEW(c->mem, skein_stop);
    o->written(o->arg, (skein_world_id){0}, c->mem, out);
    c->written = out;
    skn_hub_hold(c->by->http->hub);
}

/* Set before the store is read, so a stream that begins after this event misses nothing. */
static void name_event(skn_api_call *c)
{
    int64_t seq = skn_hub_seq(c->by->http->hub);

    if (seq >= 0 && !(c->route->flags & SKN_ROUTE_PLAIN) &&
        strcmp(c->route->method, "GET") == 0)
        skn_call_add_header(c, "Skein-Event-Id", skn_arena_printf(c->mem, "%" PRId64, seq));
}

static void run_checked(boxed *b)
{
    skn_api_call    *c = &b->c;
    const skn_route *route = c->route;

    note_written(c);
    name_event(c);
    if (wants_job(c) && become_job(b))
        return;
    if (route->flags & SKN_ROUTE_PLAIN) {
        b->c.rc = skn_read_body(c);
        b->c.rc = b->c.rc ? b->c.rc : c->run(c);
        finish_here(b);
    } else if (!c->by->take && route->flags & SKN_ROUTE_LONG) {
        skn_workers_run_slow(c->by->http->o.workers, work_whole, deliver, b);
    } else if (!c->by->take) {
        skn_workers_run(c->by->http->o.workers, work_whole, deliver, b);
    } else if (c->key.p || c->body.n > ON_LOOP_BYTES) {
        skn_workers_run(c->by->http->o.workers, work_prepare, hand_over, b);
    } else {
        skn_api_prepare(&b->c);
        hand_over(b);
    }
}

void skn_dispatch_run(skn_api_call *c)
{
    boxed *b = box_of(c);

    if (!b->checked || c->error.rc) {
        b->c.rc = c->error.rc;
        finish_here(b);
        return;
    }
    c->body = skn_buf_str(&b->body);
    if (!reserve(b)) {
        b->c.rc = skn_api_no_memory(c);
        finish_here(b);
        return;
    }
    skn_read_prefer(c);
    if (c->key.p && !(b->running = skn_keys_begin(c->by->http->keys, c->key))) {
        b->c.rc = skn_call_problem(c, 409, "idempotency-running",
                                   "a request with this Idempotency-Key is still running");
        finish_here(b);
        return;
    }
    run_checked(b);
}
