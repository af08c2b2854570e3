/* diff.c: what two versions of a conversation do not have in common. */
#include "engine/diff.h"

#include "engine/reading.h"

#include <stdlib.h>

#define DIFF_MAX INT64_C(100000) /* messages that a difference may show */

typedef struct call {
    skein_conversation_id conversation;
    int64_t               from, to;
    skein_mem            *mem;
    skein_diff           *out;
} call;

/* An entry with what it is sorted by: how many messages that stayed stand before it, then whether it
 * is about the older version, then its place. */
typedef struct sortable {
    skein_diff_entry entry;
    int64_t          rank, at;
    int              side;
} sortable;

typedef struct diffing {
    skn_reading    x, y;
    skn_arena     *a;
    skn_comparison parts;
    skein_messages only_x, only_y, moved_x, moved_y;
    skn_vec(sortable) entries;
} diffing;

/* --- Loading --------------------------------------------------------------------------------------- */

static skein_rc open_side(skn_reading *r, skn_tx *tx, const call *c, int64_t version,
                          skn_tree *tree, skein_error *err)
{
    skein_slice what = {.conversation = c->conversation, .version = version};
    skein_rc    rc = skn_reading_open(r, tx, &what, c->mem, err);

    return rc ? rc : skn_thread_freeze(&r->trees, &r->thread, tree, err);
}

static skein_rc check_size(const diffing *d, skein_error *err)
{
    int64_t  n = 0;
    skein_rc rc;

    for (size_t i = 0; i < d->parts.only_x.n; i++)
        n += d->parts.only_x.p[i].len;
    for (size_t i = 0; i < d->parts.only_y.n; i++)
        n += d->parts.only_y.p[i].len;
    for (size_t i = 0; i < d->parts.shared.n; i++)
        n += d->parts.shared.p[i].moved ? d->parts.shared.p[i].len : 0;
    if (n <= DIFF_MAX)
        return SKEIN_OK;
    rc = skn_fail(err, SKEIN_LIMIT,
                  "v%lld and v%lld differ in %lld messages; the limit is %lld",
                  (long long)d->x.version.number, (long long)d->y.version.number, (long long)n,
                  (long long)DIFF_MAX);
    return skn_hint(err, rc, "Read the two versions themselves.");
}

typedef skn_vec(skein_message) message_vec;

static skein_rc add_messages(skn_reading *r, int64_t at, int64_t len, message_vec *out,
                             skein_error *err)
{
    skein_messages m;
    skein_rc       rc = skn_thread_messages(&r->trees, &r->thread, at, at + len, &m, err);

    for (size_t i = 0; rc == SKEIN_OK && i < m.count; i++)
        skn_vec_add(r->trees.a, out, m.at[i]);
    return rc;
}

static int by_position(const void *a, const void *b)
{
    int64_t x = ((const skein_message *)a)->position, y = ((const skein_message *)b)->position;

    return (x > y) - (x < y);
}

static skein_messages in_order(const message_vec *v)
{
    if (v->n > 1)
        qsort(v->p, v->n, sizeof *v->p, by_position);
    return (skein_messages){v->p, v->n};
}

static skein_rc load_runs(skn_reading *r, const skn_run *runs, size_t count,
                          skein_messages *out, skein_error *err)
{
    message_vec v = {0};
    skein_rc    rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < count; i++)
        rc = add_messages(r, runs[i].at, runs[i].len, &v, err);
    *out = in_order(&v);
    return rc;
}

/* What was moved, once with its old places and once, in the same order, with its new ones. */
static skein_rc load_moved(diffing *d, skein_error *err)
{
    message_vec v = {0};
    skein_rc    rc = SKEIN_OK;
    size_t      n = 0;

    for (size_t i = 0; rc == SKEIN_OK && i < d->parts.shared.n; i++)
        if (d->parts.shared.p[i].moved)
            rc = add_messages(&d->x, d->parts.shared.p[i].at_x, d->parts.shared.p[i].len, &v,
                              err);
    if (rc)
        return rc;
    d->moved_x = (skein_messages){v.p, v.n};
    d->moved_y = (skein_messages){SKN_ARRAY(d->a, v.n, skein_message), v.n};
    for (size_t i = 0; i < d->parts.shared.n; i++) {
        const skn_shared *s = &d->parts.shared.p[i];

        for (int64_t k = 0; s->moved && k < s->len && n < v.n; k++, n++) {
            d->moved_y.at[n] = v.p[n];
            d->moved_y.at[n].position = s->at_y + k;
        }
    }
    return SKEIN_OK;
}

static skein_rc load(diffing *d, skein_error *err)
{
    skein_rc rc;

    if ((rc = load_runs(&d->x, d->parts.only_x.p, d->parts.only_x.n, &d->only_x, err)) ||
        (rc = load_runs(&d->y, d->parts.only_y.p, d->parts.only_y.n, &d->only_y, err)))
        return rc;
    return load_moved(d, err);
}

/* --- Telling what happened ------------------------------------------------------------------------- */

static int64_t *places_of(const skein_messages *a, const skein_messages *b, skn_arena *arena)
{
    int64_t *at = SKN_ARRAY(arena, a->count + b->count, int64_t);

    for (size_t i = 0; i < a->count; i++)
        at[i] = a->at[i].position;
    for (size_t i = 0; i < b->count; i++)
        at[a->count + i] = b->at[i].position;
    return at;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* How many of the messages before a place stayed: all but those among the sorted places. */
static int64_t stayed_before(const int64_t *places, size_t count, int64_t at)
{
    size_t lo = 0, hi = count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (places[mid] < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return at - (int64_t)lo;
}

static void add(diffing *d, skein_diff_kind kind, const skein_message *before,
                const skein_message *after, const int64_t *places, size_t count)
{
    const skein_message *shown = before ? before : after;
    sortable             s = {.entry = {.kind = kind}, .side = before ? 0 : 1};

    if (before)
        s.entry.before = *before;
    if (after)
        s.entry.after = *after;
    s.at = shown->position;
    s.rank = stayed_before(places, count, s.at);
    skn_vec_add(d->a, &d->entries, s);
}

/* Another text of a message that is gone replaced it. */
static void tell_old(diffing *d)
{
    size_t   count = d->only_x.count + d->moved_x.count;
    int64_t *places = places_of(&d->only_x, &d->moved_x, d->a);
    skn_map *texts = skn_map_new(d->a); /* lineage -> the message that came */

    if (count > 0)
        qsort(places, count, sizeof *places, by_number);
    for (size_t i = 0; i < d->only_y.count; i++)
        *skn_map_slot_int(texts, d->only_y.at[i].lineage.v) = &d->only_y.at[i];
    for (size_t i = 0; i < d->only_x.count; i++) {
        skein_message       *m = &d->only_x.at[i];
        void               **slot = skn_map_slot_int(texts, m->lineage.v);
        const skein_message *now = *slot;

        *slot = NULL; /* a text comes for one message */
        add(d,
            !now                   ? SKEIN_DIFF_REMOVED
            : now->id.v == m->id.v ? SKEIN_DIFF_MOVED
                                   : SKEIN_DIFF_REPLACED,
            m, now, places, count);
    }
    for (size_t i = 0; i < d->moved_x.count; i++)
        add(d, SKEIN_DIFF_MOVED, &d->moved_x.at[i], &d->moved_y.at[i], places, count);
}

static void tell_new(diffing *d)
{
    size_t   count = d->only_y.count + d->moved_y.count, told = d->entries.n;
    int64_t *places = places_of(&d->only_y, &d->moved_y, d->a);
    skn_map *known = skn_map_new(d->a);

    if (count > 0)
        qsort(places, count, sizeof *places, by_number);
    for (size_t i = 0; i < told; i++)
        if (d->entries.p[i].entry.after.id.v)
            *skn_map_slot_int(known, d->entries.p[i].entry.after.id.v) = d;
    for (size_t i = 0; i < d->only_y.count; i++)
        if (!skn_map_get_int(known, d->only_y.at[i].id.v))
            add(d, SKEIN_DIFF_ADDED, NULL, &d->only_y.at[i], places, count);
}

static int by_rank(const void *a, const void *b)
{
    const sortable *x = a, *y = b;

    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->side != y->side)
        return x->side - y->side;
    return (x->at > y->at) - (x->at < y->at);
}

static void write_out(diffing *d, skein_diff *out)
{
    if (d->entries.n > 1)
        qsort(d->entries.p, d->entries.n, sizeof *d->entries.p, by_rank);
    out->at = SKN_ARRAY(d->a, d->entries.n, skein_diff_entry);
    out->count = d->entries.n;
    for (size_t i = 0; i < d->entries.n; i++)
        out->at[i] = d->entries.p[i].entry;
    out->same = d->x.thread.length - (int64_t)d->only_x.count;
}

static skein_rc diff(skn_tx *tx, void *arg, skein_error *err)
{
    call    *c = arg;
    diffing  d = {.a = c->mem};
    skn_tree x, y;
    skein_rc rc;

    if ((rc = open_side(&d.x, tx, c, c->from, &x, err)) ||
        (rc = open_side(&d.y, tx, c, c->to, &y, err)) ||
        (rc = skn_trees_compare(&d.x.trees, &x, &y, &d.parts, err)) ||
        (rc = check_size(&d, err)) || (rc = load(&d, err)))
        return rc;
    tell_old(&d);
    tell_new(&d);
    write_out(&d, c->out);
    return SKEIN_OK;
}

skein_rc skein_diff_versions(skein_engine *e, skein_conversation_id conversation, int64_t from,
                             int64_t to, skein_mem *mem, skein_diff *out, skein_error *err)
{
    call c = {conversation, from, to, mem, out};

    *out = (skein_diff){0};
    return skn_store_read(e->store, diff, &c, err);
}
