/* Calls of this process: the program's own, and those of a host program. */
#include "api/call.h"

#include "base/clock.h"

#include <time.h>

enum { WAIT_FIRST_MS = 5, WAIT_MOST_MS = 100 };

/* Who was compiled before there was such a member has none. */
static skn_str files_of(const skein_request *r)
{
    return r->size >= offsetof(skein_request, files) + sizeof r->files ? r->files : SKN_NONE;
}

static void read_request(skn_api_call *c, const skein_request *r)
{
    ptrdiff_t mark = skn_str_find(r->path, SKN_STR("?"));

    c->method = r->method;
    c->path = mark < 0 ? r->path : skn_str_sub(r->path, 0, (size_t)mark);
    c->query = mark < 0 ? SKN_NONE : skn_str_sub(r->path, (size_t)mark + 1, r->path.n);
    c->given = r->headers;
    c->given_count = r->header_count;
    c->body = r->body;
}

/* Finds its route; none when the answer is there already. */
static skein_rc admit(skn_api_call *c)
{
    skn_match m;
    skein_rc  rc;

    if (c->path.n + c->query.n > SKN_URL_MAX)
        return skn_call_problem(c, 414, "url-too-long", "the path is longer than %zu bytes",
                                SKN_URL_MAX);
    skn_tree_match(c->api->tree, c->method, c->path, c->mem, &m);
    if (m.allow.p && skn_str_is(c->method, "OPTIONS")) {
        c->status = 204;
        skn_call_add_header(c, "Allow", m.allow);
        return SKEIN_OK;
    }
    if ((rc = skn_api_route(c, &m)) || (rc = skn_read_key(c)))
        return rc;
    skn_read_prefer(c);
    if (c->wants_stream)
        return skn_call_problem(c, 501, "server-needed", "a stream needs a server");
    return skn_api_has_memory(c, 0) ? SKEIN_OK : skn_api_no_memory(c);
}

static void fill_answer(skn_api_call *c, skein_answer *out)
{
    if (!skn_arena_reserve(c->mem, c->out.n + sizeof(max_align_t)))
        skn_api_lose_answer(c);
    *out = (skein_answer){.status = c->status ? c->status : 200,
                          .type = skn_str_of(c->type ? c->type : "application/json"),
                          .headers = c->headers.p,
                          .header_count = c->headers.n,
                          .body = skn_str_is(c->method, "HEAD")
                                      ? SKN_STR("")
                                      : skn_arena_copy(c->mem, skn_buf_str(&c->out))};
}

skein_rc skn_call_here(skn_api *api, skein_engine *e, const skein_request *request,
                       const skn_sink *pieces, skein_mem *mem, skein_answer *out,
                       skein_error *err)
{
    skn_api_call c = {.api = api, .engine = e, .mem = mem, .pieces = pieces};

    skn_jw_open(&c.w, &c.out, SKN_ANSWER_MAX);
    read_request(&c, request);
    if ((c.rc = admit(&c)))
        skn_problem_write(&c);
    else if (c.route)
        skn_api_run(&c);
    fill_answer(&c, out);
    skn_api_release(&c);
    skn_buf_release(&c.out);
    if (err)
        *err = c.rc ? c.error : (skein_error){.rc = SKEIN_OK};
    return c.rc;
}

/* The table is made for each call: an engine knows nothing of the API, and that costs less than the smallest read. */
skein_rc skein_call(skein_engine *e, const skein_request *request, skein_mem *mem,
                    skein_answer *out, skein_error *err)
{
    const char *files = skn_arena_copy(mem, files_of(request)).p;
    skn_api    *api = skn_api_new(&(skn_api_options){.files = files}, NULL);
    skein_rc    rc = skn_call_here(api, e, request, NULL, mem, out, err);

    skn_api_free(api);
    return rc;
}

static void sleep_ms(int64_t ms)
{
    struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};

    nanosleep(&t, NULL);
}

/* Other processes cannot wake this one by the store: what is asked for often is the stamp alone, which is cheap. */
skein_rc skein_wait(skein_engine *e, int64_t after, int64_t timeout_ms, int64_t *newest,
                    skein_error *err)
{
    int64_t  now = skn_clock_monotonic() / 1000000;
    int64_t  end = timeout_ms < INT64_MAX - now ? now + timeout_ms : INT64_MAX;
    int64_t  pause = WAIT_FIRST_MS, forgotten, left, seen = 0, stamp = 0;
    bool     first = true;
    skein_rc rc;

    for (;;) {
        if ((rc = skein_store_stamp(e, &stamp, err)))
            return rc;
        if ((first || stamp != seen) && (rc = skein_events_span(e, newest, &forgotten, err)))
            return rc;
        first = false;
        seen = stamp;
        left = end - skn_clock_monotonic() / 1000000;
        if (*newest > after || left <= 0)
            return SKEIN_OK;
        sleep_ms(pause < left ? pause : left);
        pause = pause * 2 < WAIT_MOST_MS ? pause * 2 : WAIT_MOST_MS;
    }
}
