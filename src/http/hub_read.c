/* hub_read.c: reads what was committed, by whomever. */
#include "http/hub.h"

#include <stdlib.h>

#define POLL_MS  100  /* how soon a commit of another process is noticed */
#define LAZY_MS  250  /* how soon anything is read while nobody listens */
#define AGAIN_MS 1000 /* after a failure */

/* --- Reading --------------------------------------------------------------------------------- */

typedef struct reading {
    skn_hub    *hub;
    bool        place; /* only find the newest */
    bool        full;
    int64_t     after;
    size_t      limit, count, bytes;
    skn_note   *notes[SKN_HUB_PAGE];
    skein_rc    rc;
    skein_error err;
} reading;

static void read_notes(reading *r, skn_arena *a)
{
    skein_event_query what = {.after = r->after, .limit = r->limit};
    skein_events      list = {.count = 0};

    if ((r->rc = skein_events_read(r->hub->o->engine, &what, a, &list, &r->err)))
        return;
    r->full = skn_events_full(&list, r->limit, r->hub->enough);
    for (; r->count < list.count && r->count < r->limit; r->count++) {
        r->notes[r->count] = skn_note_new(&list.at[r->count], a);
        r->bytes += r->notes[r->count]->frame.size;
    }
}

static void read_work(void *arg)
{
    reading   *r = arg;
    skn_arena *a = skn_arena_new();
    int64_t    forgotten;

    if (r->place)
        r->rc = skein_events_span(r->hub->o->engine, &r->after, &forgotten, &r->err);
    else
        read_notes(r, a);
    skn_arena_free(a);
}

static void read_later(skn_hub *hub, int64_t ms)
{
    if (!hub->soon_on)
        skn_timer_start(hub->soon, ms);
    hub->soon_on = true;
}

size_t skn_hub_page(const skn_hub *hub, size_t limit, size_t bytes)
{
    limit = bytes > hub->enough ? limit / 4 : limit * 2;
    if (limit > hub->most)
        limit = hub->most;
    return limit < 4 ? 4 : limit;
}

static void read_now(skn_hub *hub);

/* Nobody may start another read before all of this one is passed on. */
static void pass_on_all(skn_hub *hub, const reading *r)
{
    if (r->place)
        skn_hub_place(hub, r->after);
    for (size_t i = 0; i < r->count; i++)
        skn_hub_pass_on(hub, r->notes[i]);
    skn_hub_join(hub);
}

/* Whoever works on what was said looks for it: other processes say things too, and on PostgreSQL the
 * stamp of the store may be known before its events are. */
static void tell_change(const skn_hub *hub)
{
    if (hub->o->changed && !hub->closing)
        hub->o->changed(hub->o->arg);
}

static void read_done(void *arg)
{
    reading *r = arg;
    skn_hub *hub = r->hub;
    bool     more;

    if (r->rc == SKEIN_OK) {
        hub->page = skn_hub_page(hub, r->limit, r->bytes);
        pass_on_all(hub, r);
        if (r->count)
            tell_change(hub);
    } else {
        skn_log_say(hub->o->api.log, SKN_LOG_WARN, "events cannot be read: %s", r->err.message);
        read_later(hub, AGAIN_MS);
    }
    more = r->rc == SKEIN_OK && (hub->again || r->place || r->full);
    hub->reading = false;
    if (hub->catch_up && r->rc == SKEIN_OK && !r->full && !--hub->catch_up)
        skn_hub_flush_soon(hub);
    free(r);
    if (more)
        read_now(hub);
    skn_hub_settle(hub);
}

static void read_now(skn_hub *hub)
{
    reading *r;

    hub->again = hub->reading;
    if (hub->reading || hub->closing)
        return;
    hub->reading = true;
    r = skn_heap(sizeof *r);
    r->hub = hub;
    r->place = !hub->placed;
    r->after = hub->seq;
    r->limit = hub->page;
    skn_workers_run(hub->o->inner, read_work, read_done, r);
}

void skn_hub_nudge(skn_hub *hub)
{
    if (hub->streams || hub->waits)
        read_now(hub);
    else
        read_later(hub, LAZY_MS);
}

/* A read that is under way may have begun before the change was made. */
void skn_hub_release(skn_hub *hub)
{
    hub->held--;
    hub->catch_up = hub->reading ? 2 : 1;
    read_now(hub);
}

void skn_hub_read_soon(void *arg)
{
    skn_hub *hub = arg;

    hub->soon_on = false;
    read_now(hub);
}

/* --- Other processes ------------------------------------------------------------------------- */

typedef struct look {
    skn_hub *hub;
    int64_t  stamp;
    skein_rc rc;
} look;

static void look_work(void *arg)
{
    look *l = arg;

    l->rc = skein_store_stamp(l->hub->o->engine, &l->stamp, NULL);
}

static void look_done(void *arg)
{
    look    *l = arg;
    skn_hub *hub = l->hub;

    hub->looking = false;
    if (l->rc == SKEIN_OK && l->stamp != hub->stamp && !hub->closing) {
        hub->stamp = l->stamp;
        skn_hub_nudge(hub);
        tell_change(hub);
    }
    free(l);
    if (!hub->closing)
        skn_timer_start(hub->poll, POLL_MS);
    skn_hub_settle(hub);
}

void skn_hub_poll(void *arg)
{
    skn_hub *hub = arg;
    look    *l;

    if (hub->closing)
        return;
    if (hub->reading) {
        skn_timer_start(hub->poll, POLL_MS);
        return;
    }
    hub->looking = true;
    l = skn_heap(sizeof *l);
    l->hub = hub;
    skn_workers_run(hub->o->inner, look_work, look_done, l);
}
