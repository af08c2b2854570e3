/* reply_items.c: all messages of a lane, read in one pass and linked. */
#include "engine/answered.h"

#include <stdlib.h>

#define CHUNK 1000 /* messages read before memory is given back */

/* --- Reading a lane -------------------------------------------------------------------------------- */

typedef struct reading {
    skn_replies    *r;
    skn_reply_item *at;
    size_t          count, most;
    bool            full;
    skn_map        *senders; /* name -> its one copy */
} reading;

static skn_str keep_sender(reading *g, skn_str name)
{
    void **slot = skn_map_slot(g->senders, name);

    if (!*slot) {
        skn_str *copy = SKN_NEW(g->r->trees.a, skn_str);

        *copy = skn_arena_copy(g->r->trees.a, name);
        *slot = copy;
    }
    return *(skn_str *)*slot;
}

static skein_rc take(void *arg, skein_message *m, skein_error *err)
{
    reading        *g = arg;
    skn_reply_item *it = &g->at[g->count];

    if (g->count == g->most)
        return skn_fail(err, SKEIN_DAMAGED, "thread \"%.*s\" is longer than it says",
                        SKN_FMT(g->r->thread.row.uid));
    m->position = (int64_t)g->count++;
    *it = (skn_reply_item){.id = m->id.v,
                           .lineage = m->lineage.v,
                           .reply_to = m->reply_to_id.v,
                           .parent = -1,
                           .first = -1,
                           .last = -1,
                           .next = -1,
                           .sender = keep_sender(g, m->sender),
                           .stands = m->squash_uid.n > 0 || m->lineage.v != m->id.v,
                           .asks = skn_asks(m),
                           .aside = skn_may_be_aside(m),
                           .result = m->role == SKEIN_TOOL};
    if (g->full) {
        it->message = SKN_NEW(g->r->trees.a, skein_message);
        *it->message = *m;
    }
    return SKEIN_OK;
}

static skein_rc read_span(reading *g, const skn_span *s, skein_error *err)
{
    skn_tx    *tx = g->r->trees.tx;
    int64_t    end = s->lo + s->len;
    skn_arena *scratch = g->full ? NULL : skn_arena_new();
    skein_rc   rc = SKEIN_OK;

    for (int64_t lo = s->lo; rc == SKEIN_OK && lo < end; lo += CHUNK) {
        int64_t hi = end - lo > CHUNK ? lo + CHUNK : end;

        rc = skn_message_range(tx, s->thread, lo, hi, scratch ? scratch : g->r->trees.a, take,
                               g, err);
        if (scratch)
            skn_arena_reset(scratch);
    }
    skn_arena_free(scratch);
    return rc;
}

static skein_rc read_lane(reading *g, skein_error *err)
{
    skn_thread *t = &g->r->thread;
    skn_spans   spans = {0};
    skein_rc    rc;

    if (t->length > 0 && (rc = skn_thread_slice(&g->r->trees, t, 0, t->length, &spans, err)))
        return rc;
    g->most = (size_t)t->length;
    g->at = SKN_ARRAY(g->r->trees.a, g->most, skn_reply_item);
    for (size_t i = 0; i < spans.count; i++)
        if ((rc = read_span(g, &spans.at[i], err)))
            return rc;
    return SKEIN_OK;
}

/* --- Linking ----------------------------------------------------------------------------------------- */

/* Where messages stand. A place is kept as the address of its item. */
typedef struct places {
    skn_reply_item **by_id;     /* sorted */
    skn_map         *by_first;  /* later texts of a message, by the id of its first */
    skn_map         *elsewhere; /* targets that are not in the lane themselves */
} places;

static int ascending(const void *x, const void *y)
{
    const skn_reply_item *a = *(skn_reply_item *const *)x, *b = *(skn_reply_item *const *)y;

    return (a->id > b->id) - (a->id < b->id);
}

static void know(places *p, skn_reply_items *items, skn_arena *a)
{
    *p = (places){SKN_ARRAY(a, items->count, skn_reply_item *), skn_map_new(a), skn_map_new(a)};
    for (size_t i = 0; i < items->count; i++) {
        skn_reply_item *it = &items->at[i], *other;
        void          **slot;

        p->by_id[i] = it;
        if (it->lineage == it->id)
            continue;
        slot = skn_map_slot_int(p->by_first, it->lineage);
        other = *slot;
        if (!other || other->id < it->id)
            *slot = it;
    }
    if (items->count > 0)
        qsort(p->by_id, items->count, sizeof *p->by_id, ascending);
}

static skn_reply_item *find(const places *p, const skn_reply_items *items, int64_t id)
{
    size_t lo = 0, hi = items->count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (p->by_id[mid]->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < items->count && p->by_id[lo]->id == id ? p->by_id[lo] : NULL;
}

/* What a link to `id` means, as skn_reply_target says it, but from what was read. */
static skein_rc find_target(skn_replies *r, places *p, const skn_reply_items *items, int64_t id,
                            skn_reply_item **out, skein_error *err)
{
    int64_t  target, at;
    void   **slot;
    skein_rc rc;

    if ((*out = find(p, items, id)) || (*out = skn_map_get_int(p->by_first, id)))
        return SKEIN_OK;
    slot = skn_map_slot_int(p->elsewhere, id);
    if (!*slot) {
        if ((rc = skn_reply_target(r, id, &target, &at, err)))
            return rc;
        *slot = target ? find(p, items, target) : NULL;
        if (!*slot)
            *slot = p; /* asked, and not here */
    }
    *out = *slot == p ? NULL : *slot;
    return SKEIN_OK;
}

/* What a source of a squash replied to is answered by the squash, if nothing else stands for that source. */
static skein_rc answer_for(skn_replies *r, places *p, skn_reply_items *items,
                           const skn_reply_item *squash, int64_t source, skn_map *answered,
                           skein_error *err)
{
    skn_reply_item *target = NULL, *stands = NULL;
    int64_t         link;
    void          **slot;
    skein_rc        rc = skn_reply_link(r->trees.tx, source, &link, err);

    if (rc || link == 0 || (rc = find_target(r, p, items, link, &target, err)) || !target ||
        target == squash || target - items->at == squash->parent ||
        (rc = find_target(r, p, items, source, &stands, err)) || stands != squash)
        return rc;
    slot = skn_map_slot_int(answered, target->id);
    target->replies += !*slot;
    *slot = p;
    return SKEIN_OK;
}

static skein_rc answer_for_sources(skn_replies *r, places *p, skn_reply_items *items,
                                   const skn_reply_item *squash, skein_error *err)
{
    skn_map *answered = skn_map_new(r->trees.a);
    skn_ids  ids;
    skein_rc rc = skn_reply_stands_for(r, squash->id, &ids, err);

    for (size_t i = 1; i < ids.count && !rc; i++)
        rc = answer_for(r, p, items, squash, ids.at[i], answered, err);
    return rc;
}

static skein_rc find_parents(skn_replies *r, skn_reply_items *items, skein_error *err)
{
    places          p;
    skn_reply_item *target;
    skein_rc        rc;

    know(&p, items, r->trees.a);
    for (size_t i = 0; i < items->count; i++) {
        skn_reply_item *it = &items->at[i];

        if (it->reply_to == 0)
            continue;
        if ((rc = find_target(r, &p, items, it->reply_to, &target, err)))
            return rc;
        if (target && target != it)
            it->parent = target - items->at;
    }
    for (size_t i = 0; i < items->count; i++)
        if (items->at[i].stands && (rc = answer_for_sources(r, &p, items, &items->at[i], err)))
            return rc;
    return SKEIN_OK;
}

/* Cuts the loop that `at` lies on before its first message. */
static void cut_loop(skn_reply_items *items, int64_t at)
{
    int64_t first = at;

    for (int64_t i = items->at[at].parent; i != at; i = items->at[i].parent)
        if (i < first)
            first = i;
    items->at[first].parent = -1;
}

/* Follows each way up once, marking it with its number: meeting the own number is a loop. */
static void cut_loops(skn_reply_items *items, skn_arena *a)
{
    size_t *mark = SKN_ARRAY(a, items->count, size_t);

    for (size_t i = 0; i < items->count; i++) {
        int64_t at = (int64_t)i;

        while (at >= 0 && mark[at] == 0) {
            mark[at] = i + 1;
            at = items->at[at].parent;
        }
        if (at >= 0 && mark[at] == i + 1)
            cut_loop(items, at);
    }
}

static void hang_up(skn_reply_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        skn_reply_item *parent;

        if (items->at[i].parent < 0)
            continue;
        parent = &items->at[items->at[i].parent];
        if (parent->first < 0)
            parent->first = (int64_t)i;
        else
            items->at[parent->last].next = (int64_t)i;
        parent->last = (int64_t)i;
        parent->replies++;
    }
}

skein_rc skn_reply_items_read(skn_replies *r, bool full, skn_reply_items *out, skein_error *err)
{
    reading  g = {.r = r, .full = full, .senders = skn_map_new(r->trees.a)};
    skein_rc rc = read_lane(&g, err);

    *out = (skn_reply_items){g.at, g.count};
    if (rc || (rc = find_parents(r, out, err)))
        return rc;
    cut_loops(out, r->trees.a);
    hang_up(out);
    return SKEIN_OK;
}

static int64_t next_root(const skn_reply_items *items, int64_t after)
{
    for (int64_t i = after + 1; i < (int64_t)items->count; i++)
        if (items->at[i].parent < 0)
            return i;
    return -1;
}

int64_t skn_reply_items_next(const skn_reply_items *items, int64_t at, int *depth)
{
    if (at < 0) {
        *depth = 0;
        return next_root(items, -1);
    }
    if (items->at[at].first >= 0) {
        ++*depth;
        return items->at[at].first;
    }
    while (items->at[at].next < 0 && items->at[at].parent >= 0) {
        at = items->at[at].parent;
        --*depth;
    }
    return items->at[at].next >= 0 ? items->at[at].next : next_root(items, at);
}
