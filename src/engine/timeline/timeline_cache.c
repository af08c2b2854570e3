#include "engine/timeline/timeline_cache.h"

#include "base/arena.h"

#include <pthread.h>
#include <stdlib.h>

struct skn_timeline_cache {
    pthread_mutex_t     mu;
    skn_timeline_state *first; /* guarded by mu: the one used last */
};

/* --- States -------------------------------------------------------------------------------------- */

skn_timeline_state *skn_timeline_state_new(int64_t conversation, int64_t erasures)
{
    skn_timeline_state *s = skn_heap(sizeof *s);

    s->conversation = conversation;
    s->erasures = erasures;
    s->set = skein_timelines_new(NULL);
    return s;
}

void skn_timeline_state_free(skn_timeline_state *s)
{
    if (!s)
        return;
    skein_timelines_free(s->set);
    free(s->lanes);
    free(s);
}

static void free_list(skn_timeline_state *s)
{
    while (s) {
        skn_timeline_state *next = s->next;

        skn_timeline_state_free(s);
        s = next;
    }
}

/* Do these lanes go on where the state stands? Both are by lane id. */
static bool continues(const skn_timeline_state *s, const skn_folded *lanes, size_t count)
{
    size_t i = 0;

    for (size_t k = 0; k < s->count; k++) {
        const skn_folded *had = &s->lanes[k];

        while (i < count && lanes[i].lane < had->lane)
            i++;
        if (i == count || lanes[i].lane != had->lane)
            return false;
        if (had->thread && (lanes[i].thread != had->thread || lanes[i].length < had->length))
            return false;
    }
    return true;
}

/* Messages that are folded. */
static int64_t progress(const skn_timeline_state *s)
{
    int64_t n = 0;

    for (size_t i = 0; i < s->count; i++)
        n += s->lanes[i].length;
    return n;
}

/* --- The cache ------------------------------------------------------------------------------------- */

skn_timeline_cache *skn_timeline_cache_new(void)
{
    skn_timeline_cache *c = skn_heap(sizeof *c);

    pthread_mutex_init(&c->mu, NULL);
    return c;
}

void skn_timeline_cache_free(skn_timeline_cache *c)
{
    if (!c)
        return;
    free_list(c->first);
    pthread_mutex_destroy(&c->mu);
    free(c);
}

typedef bool unwanted(const skn_timeline_state *s, const void *arg);

/* Unlinks the states that nobody wants, and returns them. */
static skn_timeline_state *drop_locked(skn_timeline_cache *c, unwanted *test, const void *arg)
{
    skn_timeline_state *dropped = NULL, **at = &c->first;

    while (*at) {
        skn_timeline_state *s = *at;

        if (!test(s, arg)) {
            at = &s->next;
            continue;
        }
        *at = s->next;
        s->next = dropped;
        dropped = s;
    }
    return dropped;
}

/* Does it show what was erased since? */
static bool is_stale(const skn_timeline_state *s, const void *erasures)
{
    return s->erasures < *(const int64_t *)erasures;
}

static bool is_outdone(const skn_timeline_state *s, const void *by)
{
    const skn_timeline_state *other = by;

    return s->conversation == other->conversation && continues(s, other->lanes, other->count);
}

skn_timeline_state *skn_timeline_cache_take(skn_timeline_cache *c, int64_t conversation,
                                            int64_t erasures, const skn_folded *lanes,
                                            size_t count)
{
    skn_timeline_state *found = NULL, **where = NULL, *stale;

    pthread_mutex_lock(&c->mu);
    stale = drop_locked(c, is_stale, &erasures);
    for (skn_timeline_state **at = &c->first; *at; at = &(*at)->next) {
        skn_timeline_state *s = *at;

        if (s->conversation != conversation || s->erasures != erasures ||
            !continues(s, lanes, count) || (found && progress(s) <= progress(found)))
            continue;
        found = s;
        where = at;
    }
    if (found) {
        *where = found->next;
        found->next = NULL;
    }
    pthread_mutex_unlock(&c->mu);
    free_list(stale);
    return found;
}

/* Unlinks what is over the limits, and returns it. */
static skn_timeline_state *trim_locked(skn_timeline_cache *c)
{
    skn_timeline_state **at = &c->first, *rest;
    int64_t              messages = 0;

    for (size_t kept = 0; *at && kept < SKN_TIMELINES_KEPT; kept++) {
        messages += progress(*at);
        if (messages > SKN_TIMELINES_MOST)
            break;
        at = &(*at)->next;
    }
    rest = *at;
    *at = NULL;
    return rest;
}

void skn_timeline_cache_put(skn_timeline_cache *c, skn_timeline_state **s)
{
    skn_timeline_state *outdone, *rest;

    if (!*s)
        return;
    pthread_mutex_lock(&c->mu);
    outdone = drop_locked(c, is_outdone, *s);
    (*s)->next = c->first;
    c->first = *s;
    *s = NULL;
    rest = trim_locked(c);
    pthread_mutex_unlock(&c->mu);
    free_list(outdone);
    free_list(rest);
}

void skn_timeline_cache_clear(skn_timeline_cache *c)
{
    skn_timeline_state *all;

    pthread_mutex_lock(&c->mu);
    all = c->first;
    c->first = NULL;
    pthread_mutex_unlock(&c->mu);
    free_list(all);
}
