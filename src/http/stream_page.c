#include "http/stream_page.h"

#include <stdlib.h>

typedef struct job {
    skein_engine   *engine;
    skn_stream_page page;
} job;

/* Finds out where the stream begins. */
static skein_rc find_place(skein_engine *e, skn_stream_page *p)
{
    int64_t  forgotten;
    skein_rc rc = skein_events_span(e, &p->newest, &forgotten, &p->err);

    if (rc)
        return rc;
    if (p->after >= 0 && p->after < forgotten)
        p->reset = "too old";
    else if (p->after > p->newest)
        p->reset = "unknown";
    p->reached = p->newest;
    if (p->known < p->newest)
        p->known = p->newest;
    return SKEIN_OK;
}

/* Nothing that follows the end of a cause is looked at. */
static void add_events(skn_stream_page *p, const skein_events *list, skn_arena *a)
{
    for (size_t i = 0; i < list->count && !p->taking.over; i++)
        p->count += skn_note_add(&p->text, &list->at[i], &p->taking, a);
}

static skein_rc read_events(skein_engine *e, skn_stream_page *p)
{
    const skn_stream_filter *f = &p->taking.filter;
    skein_event_query        what = {.world = f->world, .after = p->after, .limit = p->limit};
    skn_arena               *a = skn_arena_new();
    skein_events             list = {.count = 0};
    skein_rc                 rc;

    if (!f->inbox)
        what.chat = f->chat;
    rc = skein_events_read(e, &what, a, &list, &p->err);
    if (rc == SKEIN_OK) {
        add_events(p, &list, a);
        p->full = skn_events_full(&list, p->limit, p->enough);
        p->reached = list.count ? list.at[list.count - 1].seq : p->after;
        if (!p->full && p->reached < p->known)
            p->reached = p->known;
    }
    skn_arena_free(a);
    return rc;
}

static void work(void *arg)
{
    job             *j = arg;
    skn_stream_page *p = &j->page;

    if (p->opening && (p->rc = find_place(j->engine, p)))
        return;
    if (p->after >= 0 && !p->reset)
        p->rc = read_events(j->engine, p);
}

static void done(void *arg)
{
    job *j = arg;

    j->page.done(j->page.stream, &j->page);
    skn_buf_release(&j->page.text);
    free(j);
}

void skn_stream_page_read(const skn_http_options *o, const skn_stream_page *what)
{
    job *j = skn_heap(sizeof *j);

    j->engine = o->engine;
    j->page = *what;
    skn_buf_init(&j->page.text, SIZE_MAX / 4);
    skn_workers_run(o->inner, work, done, j);
}
