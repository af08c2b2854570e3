/* What the server tells of itself. */
#include "http/inside.h"
#include "http/jobs.h"
#include "http/served.h"

static skein_rc plain(skn_api_call *c, skn_str text)
{
    c->type = "text/plain; charset=utf-8";
    skn_buf_add(&c->out, text);
    return SKEIN_OK;
}

/* --- Health --------------------------------------------------------------------------------------- */

typedef struct check {
    const char *name;
    bool        ok;
    skn_str     detail; /* absent: nothing to say */
} check;

enum { CHECKS = 3 };

static bool look(skn_api_call *c, check out[CHECKS])
{
    int64_t     stamp;
    skein_error err = {0};
    bool        store = c->engine && skein_store_stamp(c->engine, &stamp, &err) == SKEIN_OK;
    bool        full = atomic_load(&c->api->full);

    out[0] = (check){"store", store, SKN_NONE};
    out[1] = (check){"disk", !full, full ? SKN_STR("full") : SKN_NONE};
    out[2] = (check){"running", !c->by->http->closing, SKN_NONE};
    if (!c->engine)
        out[0].detail = SKN_STR("is being opened");
    else if (!store)
        out[0].detail = skn_arena_copy(c->mem, skn_str_of(err.message));
    if (c->by->http->closing)
        out[2].detail = SKN_STR("stopping");
    return out[0].ok && out[1].ok && out[2].ok;
}

skein_rc skn_http_livez(skn_api_call *c)
{
    return plain(c, SKN_STR("ok\n"));
}

skein_rc skn_http_readyz(skn_api_call *c)
{
    check    list[CHECKS];
    bool     ok = look(c, list), verbose;
    skein_rc rc = skn_call_query_flag(c, "verbose", &verbose);

    if (rc)
        return rc;
    c->status = ok ? 200 : 503;
    if (!verbose)
        return plain(c, ok ? SKN_STR("ok\n") : SKN_STR("not ready\n"));
    c->type = "text/plain; charset=utf-8";
    for (size_t i = 0; i < CHECKS; i++)
        skn_buf_addf(&c->out, "%s %s%s%.*s\n", list[i].ok ? "ok" : "failed", list[i].name,
                     list[i].detail.p ? ": " : "", SKN_FMT(list[i].detail));
    return SKEIN_OK;
}

skein_rc skn_http_healthz(skn_api_call *c)
{
    check   list[CHECKS];
    bool    ok = look(c, list);
    skn_jw *w = &c->w;

    c->status = ok ? 200 : 503;
    skn_jw_object(w);
    skn_jw_kstr(w, "status", ok ? SKN_STR("ok") : SKN_STR("failed"));
    skn_jw_key(w, "checks");
    skn_jw_array(w);
    for (size_t i = 0; i < CHECKS; i++) {
        skn_jw_object(w);
        skn_jw_kstr(w, "name", skn_str_of(list[i].name));
        skn_jw_kbool(w, "ok", list[i].ok);
        skn_jw_kstr(w, "detail", list[i].detail);
        skn_jw_object_end(w);
    }
    skn_jw_array_end(w);
    skn_jw_object_end(w);
    return SKEIN_OK;
}

/* --- What it is ------------------------------------------------------------------------------------ */

static skein_rc page(skn_api_call *c)
{
    c->type = "text/html; charset=utf-8";
    return SKEIN_OK;
}

skein_rc skn_http_docs(skn_api_call *c)
{
    skn_docs_page(&c->out);
    return page(c);
}

/* --- Jobs ------------------------------------------------------------------------------------------ */

static skein_rc no_such_job(skn_api_call *c)
{
    return skn_call_problem(c, 404, "job-not-found", "there is no job \"%.*s\"",
                            SKN_FMT(c->params[0]));
}

skein_rc skn_http_get_job(skn_api_call *c)
{
    return skn_job_shape(c->by->http->jobs, c->params[0], &c->w) ? SKEIN_OK : no_such_job(c);
}

skein_rc skn_http_cancel_job(skn_api_call *c)
{
    if (!skn_job_cancel(c->by->http->jobs, c->params[0]))
        return no_such_job(c);
    return skn_http_get_job(c);
}
