/* Stopping agents at a server: those that run in this process stop at once and keep what they wrote. */
#include "http/served.h"

static const skn_http_options *options_of(const skn_stopping *s)
{
    return skn_http_opts(s->c->by->http);
}

static void work_find(void *arg)
{
    skn_stopping *s = arg;

    s->rc = skn_stop_find(s);
    if (s->rc == SKEIN_OK && !options_of(s)->stop)
        s->rc = skn_stop_in_store(s);
}

static void work_look(void *arg)
{
    skn_stopping *s = arg;

    s->rc = skn_stop_look(s);
}

static void answer(void *arg)
{
    skn_stopping *s = arg;

    if (s->rc == SKEIN_OK)
        skn_stop_answer(s);
    skn_call_answer(s->c, s->rc);
}

static void stop_next(skn_stopping *s);

static void stopped(void *arg, int64_t count, const skein_error *err)
{
    skn_stopping *s = arg;

    s->stopped += count;
    if (err && err->rc) {
        s->c->error = *err;
        s->rc = err->rc;
        s->at = s->targets.n;
    }
    stop_next(s);
}

static void stop_next(skn_stopping *s)
{
    const skn_http_options *o = options_of(s);
    skn_stop_target         t;

    if (s->rc == SKEIN_OK && s->at < s->targets.n) {
        t = s->targets.p[s->at++];
        o->stop(o->arg, t.chat, t.agent, stopped, s);
        return;
    }
    if (s->rc == SKEIN_OK)
        skn_workers_run(o->workers, work_look, answer, s);
    else
        answer(s);
}

static void done_find(void *arg)
{
    stop_next(arg);
}

void skn_http_stop_agents(skn_api_call *c)
{
    skn_stopping *s = SKN_NEW(c->mem, skn_stopping);

    s->c = c;
    skn_workers_run(options_of(s)->workers, work_find, done_find, s);
}
