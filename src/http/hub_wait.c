/* hub_wait.c: who waits until all that a message caused is done. */
#include "http/hub.h"

#include <stdlib.h>

struct skn_hub_waiting {
    skn_hub_waiting *next;
    skn_hub         *hub;
    skn_arena       *mem;
    skn_taking       taking;
    skn_timer       *timer;
    skn_hub_waited  *fn;
    void            *arg;
};

/* Takes it out of the list first: fn may wait again, or end. */
static void finish(skn_hub_waiting *w, bool tell, bool late)
{
    skn_hub_waiting **at = &w->hub->waits;
    skn_hub_waited   *fn = w->fn;
    void             *arg = w->arg;

    while (*at != w)
        at = &(*at)->next;
    *at = w->next;
    skn_timer_free(w->timer);
    skn_arena_free(w->mem);
    free(w);
    if (tell)
        fn(arg, late);
}

static void on_late(void *arg)
{
    finish(arg, true, true);
}

void skn_hub_wait(skn_hub *hub, skn_str cause, int64_t ms, skn_hub_waited *fn, void *arg)
{
    skn_hub_waiting *w = skn_heap(sizeof *w);

    w->hub = hub;
    w->mem = skn_arena_new();
    w->taking.filter.cause = skn_arena_copy(w->mem, cause);
    w->fn = fn;
    w->arg = arg;
    w->timer = skn_timer_new(hub->o->loop, on_late, w);
    w->next = hub->waits;
    hub->waits = w;
    skn_timer_start(w->timer, hub->closing ? 0 : ms); /* nobody tells it anything any more */
    skn_hub_nudge(hub);
}

void skn_hub_wait_end(skn_hub *hub, void *arg)
{
    for (skn_hub_waiting *w = hub->waits, *next; w; w = next) {
        next = w->next;
        if (w->arg == arg)
            finish(w, false, false);
    }
}

void skn_hub_wait_note(skn_hub *hub, const skn_note *n)
{
    skn_hub_waiting *w = hub->waits;

    for (; w; w = w->next)
        skn_takes(&w->taking, &n->about);
    w = hub->waits;
    while (w) {
        if (w->taking.over) {
            finish(w, true, false);
            w = hub->waits; /* fn may have changed the list */
        } else {
            w = w->next;
        }
    }
}

void skn_hub_wait_clear(skn_hub *hub)
{
    while (hub->waits)
        finish(hub->waits, true, true);
}
