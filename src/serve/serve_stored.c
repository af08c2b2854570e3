/* What people changed while the server ran: read from the store at once after a change here, and soon after a change
 * by another program. Readings never overlap, so an older state never replaces a newer one. */
#include "base/hash.h"
#include "serve/serve.h"

#include <stdlib.h>

enum { LOOK_MS = 50 };

typedef struct waiter {
    struct waiter *next;
    skn_call      *done;
    void          *arg;
} waiter;

struct skn_serve_stored {
    skn_serve     *serve;
    skn_timer     *soon;
    bool           soon_on, busy;
    bool           look, all; /* what the next reading is for: a change, or everything */
    bool           full; /* the reading in progress is for everything; the worker reads it */
    waiter        *next, *here; /* callers that wait for the next reading, and for this one */
    int64_t        seen;        /* the number of changes at the last reading; -1: never */
    uint64_t       sum;         /* hash of what the providers depend on, at that time */
    skn_arena     *mem;         /* holds the values in use */
    skn_arena     *a;           /* holds the reading in progress */
    skein_settings list;
    int64_t        changes;
    bool           read;
    skein_rc       rc;
};

static void begin(skn_serve_stored *t);

/* --- On a worker -------------------------------------------------------------------------------- */

/* Reads the number of changes first: a change in between is then read once more. */
static void read_stored(void *arg)
{
    skn_serve_stored *t = arg;
    skein_engine     *e = t->serve->cli->engine;
    skein_error       err;

    t->rc = skein_setting_changes(e, &t->changes, &err);
    t->read = !t->rc && (t->full || t->changes != t->seen);
    if (t->read)
        t->rc = skein_setting_list(e, t->a, &t->list, &err);
}

/* --- On the loop -------------------------------------------------------------------------------- */

static void end(skn_serve_stored *t)
{
    waiter *all = t->here;

    t->here = NULL;
    t->busy = false;
    skn_arena_free(t->a);
    t->a = NULL;
    while (all) {
        waiter *w = all;

        all = w->next;
        w->done(w->arg);
        free(w);
    }
    if (t->look || t->all || t->next)
        begin(t);
}

static void providers_read(void *arg, const skein_error *err)
{
    (void)err; /* the providers stay, and the next change tries again */
    end(arg);
}

/* Applies the stored settings. What is no longer in the store gets its value from the file again. */
static void take(skn_serve_stored *t)
{
    skn_serve *s = t->serve;
    skn_arena *mem = skn_arena_new();

    for (int i = 0; i < SKN_CONFIG_COUNT; i++)
        if (skn_config_rows[i].use == SKN_USE_STORED)
            s->config->values[i] = s->own[i];
    for (size_t i = 0; i < t->list.count; i++)
        skn_config_stored(s->config, &t->list.at[i], mem);
    skn_arena_free(t->mem);
    t->mem = mem;
    skn_http_settings(s->http, skn_serve_settings(s, s->config, t->a));
}

/* Hashes what providers depend on. Keys may come from commands, which must not run because somebody changed a
 * colour. */
static uint64_t sum_of(const skn_serve_stored *t)
{
    uint64_t sum = skn_hash_bytes(7, t->serve->config->values[SKN_CONFIG_DEFAULT_MODEL].text);

    for (size_t i = 0; i < t->list.count; i++)
        if (skn_str_is(t->list.at[i].key, "providers"))
            sum = skn_hash_bytes(sum, t->list.at[i].value);
    return sum;
}

static void stored_read(void *arg)
{
    skn_serve_stored *t = arg;
    skn_serve        *s = t->serve;
    uint64_t          was = t->sum;

    if (t->rc || !t->read || s->http_closed) {
        end(t);
        return;
    }
    t->seen = t->changes;
    take(t);
    t->sum = sum_of(t);
    if (s->providers && (t->full || t->sum != was))
        skn_provider_set_reload(s->providers, s->config, providers_read, t);
    else
        end(t);
}

static void begin(skn_serve_stored *t)
{
    t->busy = true;
    t->look = false;
    t->full = t->all;
    t->all = false;
    t->here = t->next;
    t->next = NULL;
    t->a = skn_arena_new();
    t->list = (skein_settings){0};
    skn_workers_run(t->serve->inner, read_stored, stored_read, t);
}

static void on_soon(void *arg)
{
    skn_serve_stored *t = arg;

    t->soon_on = false;
    t->look = true;
    if (!t->busy)
        begin(t);
}

void skn_serve_stored_changed(skn_serve_stored *t)
{
    if (!t || t->soon_on)
        return;
    t->soon_on = true;
    skn_timer_start(t->soon, LOOK_MS);
}

void skn_serve_stored_take(skn_serve_stored *t, bool all, skn_call *done, void *arg)
{
    waiter *w = done ? skn_heap(sizeof *w) : NULL;

    if (w) {
        *w = (waiter){t->next, done, arg};
        t->next = w;
    }
    t->look = true;
    t->all |= all;
    if (!t->busy)
        begin(t);
}

skn_serve_stored *skn_serve_stored_new(skn_serve *s)
{
    skn_serve_stored *t = skn_heap(sizeof *t);

    *t = (skn_serve_stored){.serve = s, .seen = -1, .soon = skn_timer_new(s->loop, on_soon, t)};
    return t;
}

static void free_waiters(waiter *all)
{
    for (waiter *next; all; all = next) {
        next = all->next;
        free(all);
    }
}

void skn_serve_stored_free(skn_serve_stored *t)
{
    if (!t)
        return;
    free_waiters(t->here);
    free_waiters(t->next);
    skn_timer_free(t->soon);
    skn_arena_free(t->a);
    skn_arena_free(t->mem);
    free(t);
}
