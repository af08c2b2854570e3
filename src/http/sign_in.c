/* Sign-ins that failed. Each is a row of the trail, but neither a client that tries again and again nor many of them can
 * fill the store: an address that has to wait leaves no row, and all together have a limit in a minute. */
#include "base/hash.h"
#include "base/rand.h"
#include "http/inside.h"

#include <stdlib.h>

enum {
    SLOTS = 1024,
    TRIES = 8,
    FREE = 20,          /* failures before an address has to wait */
    LONGEST_MS = 60000, /* how long it waits at most */
    FORGET_MS = 600000, /* without a failure, and it is as if there was none */
    ROWS_A_MINUTE = 60,
};

typedef struct failing {
    uint64_t who; /* 0: nobody */
    int64_t  at;  /* the last that counted; milliseconds */
    int64_t  until;
    int      count;
    int64_t  unseen; /* that left no row */
} failing;

struct skn_failures {
    uint64_t seed;
    int64_t  minute;
    int      rows;
    failing  at[SLOTS];
};

skn_failures *skn_failures_new(void)
{
    skn_failures *f = skn_heap(sizeof *f);

    f->seed = skn_random();
    return f;
}

void skn_failures_free(skn_failures *f)
{
    free(f);
}

/* By address and, on this computer, by user: what one of them does holds up no other. */
static failing *find(skn_failures *f, const skn_who *them, int64_t now)
{
    uint64_t who = skn_hash_bytes(skn_hash_bytes(f->seed, them->from), them->name) | 1;
    failing *oldest = &f->at[who % SLOTS];

    for (size_t i = 0; i < TRIES; i++) {
        failing *one = &f->at[(who + i) % SLOTS];

        if (one->who == who)
            return one;
        if (one->at < oldest->at)
            oldest = one;
    }
    *oldest = (failing){.who = who, .at = now};
    return oldest;
}

static int64_t pause_after(int count)
{
    int64_t ms = 1000;

    for (int i = FREE; i < count && ms < LONGEST_MS; i++)
        ms *= 2;
    return count < FREE ? 0 : ms < LONGEST_MS ? ms : LONGEST_MS;
}

void skn_audit_log(skn_http *h, const skein_audit_row *row)
{
    const skn_log_field fields[] = {
        {"who", row->who, 0},       {"from", row->from, 0},
        {"what", row->what, 0},     {"subject", row->subject, 0},
        {"detail", row->detail, 0}, {"requestId", row->request_id, 0}};

    skn_log_write(h->o.api.log, SKN_LOG_INFO, "audit", fields, sizeof fields / sizeof *fields);
}

/* --- The row, written by a worker ---------------------------------------------------------------- */

typedef struct failed {
    skn_http   *http;
    skn_arena  *a;
    skn_actor   by;
    skn_str     subject, detail;
    skein_error err;
} failed;

static void work_add(void *arg)
{
    failed       *f = arg;
    skein_engine *e = skn_engine_for(f->http->o.engine, &f->by, f->a);

    skn_audit_add(e, "sign-in.failed", f->subject, f->detail, &f->err);
}

static void added(void *arg)
{
    failed   *f = arg;
    skn_http *h = f->http;

    if (f->err.rc)
        skn_log_say(h->o.api.log, SKN_LOG_WARN, "a failed sign-in cannot be noted: %s",
                    f->err.message);
    for (size_t i = 0; i < f->by.noted.n; i++)
        skn_audit_log(h, &f->by.noted.p[i]);
    skn_arena_free(f->a);
    free(f);
    h->calls--;
    skn_http_call_ended(h);
}

static void keep_row(skn_api_call *c, int64_t unseen)
{
    skn_http *h = c->by->http;
    failed   *f = skn_heap(sizeof *f);
    bool      tried = c->route && c->route->flags & SKN_ROUTE_OPEN;
    skn_str   with = tried || skn_call_header(c, "Authorization").p ? SKN_STR("a wrong token")
                                                                    : SKN_STR("no token");

    *f = (failed){.http = h, .a = skn_arena_new()};
    f->by = (skn_actor){.name = skn_arena_copy(f->a, c->by->who.name),
                        .from = skn_arena_copy(f->a, c->by->who.from),
                        .request_id = skn_arena_copy(f->a, c->request_id),
                        .a = f->a};
    f->subject = skn_arena_copy(f->a, c->method);
    f->detail = unseen ? skn_arena_printf(f->a, "%.*s; %lld more before", SKN_FMT(with),
                                          (long long)unseen)
                       : with;
    h->calls++; /* the server waits for it before it ends */
    skn_workers_run(h->o.workers, work_add, added, f);
}

static bool may_keep(skn_failures *f, const skn_http *h, int64_t now)
{
    if (now / 60000 != f->minute) {
        f->minute = now / 60000;
        f->rows = 0;
    }
    return h->o.engine && !h->o.read_only && !h->closing && f->rows++ < ROWS_A_MINUTE;
}

bool skn_sign_in_failed(skn_api_call *c, int64_t now_ms, int64_t *wait_ms)
{
    skn_failures *f = c->by->http->failures;
    failing      *one = find(f, &c->by->who, now_ms);

    if (now_ms - one->at > FORGET_MS)
        one->count = 0;
    if (now_ms < one->until) {
        one->unseen++;
        *wait_ms = one->until - now_ms;
        return false;
    }
    one->at = now_ms;
    one->count++;
    one->until = now_ms + pause_after(one->count);
    if (may_keep(f, c->by->http, now_ms)) {
        keep_row(c, one->unseen);
        one->unseen = 0;
    } else {
        one->unseen++;
    }
    return true;
}

void skn_sign_in_wait(skn_api_call *c, int64_t wait_ms)
{
    c->more.retry_after_ms = wait_ms;
    c->problem_extra = SKN_STR("\"scope\":\"sign-in\"");
    skn_call_problem(c, 429, "rate-limit",
                     "too many requests from this address without a right token");
}
