/* Events at a server: a stream, unless a page is asked for. */
#include "http/served.h"

static bool wants_page(const skn_api_call *c)
{
    skn_str accept = skn_call_header(c, "Accept");

    return !c->wants_stream && skn_str_find(accept, SKN_STR("application/json")) >= 0;
}

static void work(void *arg)
{
    skn_events_asked *q = arg;

    q->rc = skn_events_ask(q);
    if (q->rc == SKEIN_OK && !q->stream)
        q->rc = skn_events_page(q);
}

static void done(void *arg)
{
    skn_events_asked *q = arg;

    if (q->rc == SKEIN_OK && q->stream)
        skn_stream_open(q->call, &q->filter, q->after);
    else
        skn_call_answer(q->call, q->rc);
}

void skn_http_stream_events(skn_api_call *c)
{
    skn_events_asked *q = SKN_NEW(c->mem, skn_events_asked);

    q->call = c;
    q->stream = !wants_page(c);
    skn_workers_run(skn_http_opts(c->by->http)->workers, work, done, q);
}
