/* Signing browsers in and out. These routes are not refused where the server is read only, and their answers are not kept
 * by Idempotency-Key: a cookie is given once. */
#include "http/served.h"
#include "http/sessions.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LABEL_MOST = 200 };

skn_str skn_cookie_name(const skn_api_call *c)
{
    return skn_arena_printf(c->mem, "skein-%d", c->by->http->gate.port);
}

static void set_cookie(skn_api_call *c, const char *secret, int64_t seconds)
{
    const skn_gate *gate = &c->by->http->gate;
    bool            secure = skn_str_starts(gate->public_url, SKN_STR("https://")) &&
                  skn_gate_public(gate, c->by->request->host);

    skn_call_add_header(
        c, "Set-Cookie",
        skn_arena_printf(
            c->mem, "%.*s=%s; Path=/; Max-Age=%" PRId64 "; HttpOnly; SameSite=Strict%s",
            SKN_FMT(skn_cookie_name(c)), secret, seconds, secure ? "; Secure" : ""));
}

static skein_rc refuse_sign_in(skn_api_call *c, const char *why, const char *cure)
{
    skn_call_add_header(c, "WWW-Authenticate", SKN_STR("Bearer realm=\"skein\""));
    skn_call_problem(c, 401, "sign-in", "%s", why);
    return skn_hint(&c->error, c->error.rc, "%s", cure);
}

/* A link is on the command line of the browser, where other users of the computer can read it. Where the kernel names the
 * user, it must be the owner. */
static bool take_link(skn_api_call *c, skn_str code)
{
    int64_t uid = skn_conn_peer(c->by->conn)->uid;

    return (uid < 0 || skn_peer_is_owner(uid)) && skn_link_take(c->by->http->sessions, code);
}

/* The User-Agent in printable characters. */
static skn_str label_of(skn_api_call *c)
{
    skn_str said = skn_call_header(c, "User-Agent");
    size_t  n = said.n < LABEL_MOST ? said.n : LABEL_MOST;
    char   *p = skn_arena_alloc(c->mem, n + 1);

    for (size_t i = 0; i < n; i++)
        p[i] = said.p[i] >= ' ' && said.p[i] <= '~' ? said.p[i] : '?';
    p[n] = '\0';
    return (skn_str){p, n};
}

static void write_session(skn_jw *w, const skn_session *s, bool current)
{
    skn_jw_object(w);
    skn_jw_kstr(w, "id", s->uid);
    skn_jw_kstr(w, "label", s->label);
    skn_jw_kbool(w, "current", current);
    skn_jw_ktime(w, "createdAt", s->created_at);
    skn_jw_ktime(w, "expiresAt", s->expires_at);
    skn_jw_object_end(w);
}

skein_rc skn_http_sign_in(skn_api_call *c)
{
    skn_str     token, code;
    char        secret[SKN_SECRET_TEXT];
    skn_session made;
    skein_rc    rc;

    if ((rc = skn_call_text(c, "token", false, &token)) ||
        (rc = skn_call_text(c, "code", false, &code)))
        return rc;
    if (!token.p == !code.p)
        return skn_call_invalid(c, "/token",
                                "the body must have either a token, or the code of a link");
    if (token.p && !skn_gate_is_token(&c->by->http->gate, token))
        return refuse_sign_in(
            c, "the server does not know this token",
            "The user who runs the server gets the token with \"skein token\"");
    if (code.p && !take_link(c, code))
        return refuse_sign_in(c,
                              "this link was used before, is too old, or is for another user",
                              "\"skein open\" makes a new one");
    if ((rc = skn_sessions_begin(c, label_of(c),
                                 token.p ? SKN_STR("with a token") : SKN_STR("with a link"),
                                 secret, &made)))
        return rc;
    set_cookie(c, secret, SKN_SESSION_MICROS / 1000000);
    c->status = 201;
    write_session(&c->w, &made, true);
    return SKEIN_OK;
}

skein_rc skn_http_get_session(skn_api_call *c)
{
    static const char *const kinds[] = {"nobody", "owner", "token", "session"};

    skn_jw_object(&c->w);
    skn_jw_kstr(&c->w, "kind", skn_str_of(kinds[c->by->who.kind]));
    skn_jw_kstr(&c->w, "name", c->by->who.name);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

skein_rc skn_http_sign_out(skn_api_call *c)
{
    int64_t  gone;
    skein_rc rc = SKEIN_OK;

    if (c->by->who.session.p)
        rc = skn_sessions_end(c, c->by->who.session, &gone);
    if (rc)
        return rc;
    set_cookie(c, "", 0);
    c->status = 204;
    return SKEIN_OK;
}

skein_rc skn_http_new_link(skn_api_call *c)
{
    char    code[SKN_SECRET_TEXT];
    int64_t expires_at;

    skn_link_new(c->by->http->sessions, code, &expires_at);
    c->status = 201;
    skn_jw_object(&c->w);
    skn_jw_kstr(&c->w, "code", skn_str_of(code));
    skn_jw_ktime(&c->w, "expiresAt", expires_at);
    skn_jw_object_end(&c->w);
    return SKEIN_OK;
}

skein_rc skn_http_list_sessions(skn_api_call *c)
{
    skn_sessions all;
    skn_page     page;
    skein_rc     rc;

    skn_sessions_all(c->by->http->sessions, c->mem, &all);
    if ((rc = skn_page_open(c, SKN_STR("sessions"), all.count, 0, &page)))
        return rc;
    for (int64_t i = page.from; i < page.from + page.count; i++)
        write_session(&c->w, &all.at[i], skn_str_eq(all.at[i].uid, c->by->who.session));
    return skn_page_close(c, &page, NULL);
}

static skein_rc remove_sessions(skn_api_call *c, skn_str uid)
{
    int64_t  gone;
    skein_rc rc = skn_sessions_end(c, uid, &gone);

    if (rc)
        return rc;
    if (uid.p && !gone)
        return skn_call_problem(c, 404, "not-found", "there is no session \"%.*s\"",
                                SKN_FMT(uid));
    c->status = 204;
    return SKEIN_OK;
}

skein_rc skn_http_remove_session(skn_api_call *c)
{
    return remove_sessions(c, c->params[0]);
}

skein_rc skn_http_remove_sessions(skn_api_call *c)
{
    return remove_sessions(c, SKN_NONE);
}

/* Failed sign-ins. Each is a row of the trail, but repeated ones cannot fill the store: an address that has to wait leaves
 * no row, and there is a limit for each minute. */

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
static failing *find_failing(skn_failures *f, const skn_who *them, int64_t now)
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
    failing      *one = find_failing(f, &c->by->who, now_ms);

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
