/* Signing browsers in and out. These routes are not refused where the server is read only, and their answers are not kept
 * by Idempotency-Key: a cookie is given once. */
#include "base/error.h"
#include "http/inside.h"
#include "http/served.h"
#include "http/sessions.h"

#include <inttypes.h>

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

static skein_rc refuse(skn_api_call *c, const char *why, const char *cure)
{
    skn_call_add_header(c, "WWW-Authenticate", SKN_STR("Bearer realm=\"skein\""));
    skn_call_problem(c, 401, "sign-in", "%s", why);
    return skn_hint(&c->error, c->error.rc, "%s", cure);
}

/* A link stands on the command line of the browser that is started with it, where other users of the computer can read
 * it: where the kernel tells who comes, it must be the owner. */
static bool take_link(skn_api_call *c, skn_str code)
{
    int64_t uid = skn_conn_peer(c->by->conn)->uid;

    return (uid < 0 || skn_peer_is_owner(uid)) && skn_link_take(c->by->http->sessions, code);
}

/* What the browser says of itself, in letters that can be shown anywhere. */
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
        return refuse(c, "the server does not know this token",
                      "The user who runs the server gets the token with \"skein token\"");
    if (code.p && !take_link(c, code))
        return refuse(c, "this link was used before, is too old, or is for another user",
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
    if ((rc = skn_page_of(c, SKN_STR("sessions"), all.count, false, &page)))
        return rc;
    skn_call_list(c);
    for (int64_t i = page.from; i < page.from + page.count; i++)
        write_session(&c->w, &all.at[i], skn_str_eq(all.at[i].uid, c->by->who.session));
    skn_page_end(c, &page);
    return SKEIN_OK;
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
