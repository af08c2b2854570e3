/* diff.c: what two versions of a conversation do not have in common. */
#include "engine/read/reading.h"

#include <stdlib.h>

#define DIFF_MAX INT64_C(100000) /* messages that a difference may show */

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

static skein_rc open_side(skn_reading *r, skn_tx *tx, skein_slice what, skn_arena *a,
                          skn_tree *tree, skein_error *err)
{
    skein_rc rc = skn_reading_open(r, tx, &what, a, err);

    return rc ? rc : skn_thread_freeze(&r->trees, &r->thread, tree, err);
}

static skein_rc check_size(const diffing *d, skein_error *err)
{
    int64_t n = 0;

    for (size_t i = 0; i < d->parts.only_x.n; i++)
        n += d->parts.only_x.p[i].len;
    for (size_t i = 0; i < d->parts.only_y.n; i++)
        n += d->parts.only_y.p[i].len;
    for (size_t i = 0; i < d->parts.shared.n; i++)
        n += d->parts.shared.p[i].moved ? d->parts.shared.p[i].len : 0;
    if (n <= DIFF_MAX)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_LIMIT, "Read the two versions themselves.",
                         "v%lld and v%lld differ in %lld messages; the limit is %lld",
                         (long long)d->x.version.number, (long long)d->y.version.number,
                         (long long)n, (long long)DIFF_MAX);
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

SKN_ORDER(by_position, skein_message, position, position)

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

static skein_rc load_sides(diffing *d, skein_error *err)
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

/* How many of the messages before a place stayed: all but those among the sorted places. */
static int64_t stayed_before(const int64_t *places, size_t count, int64_t at)
{
    return at - (int64_t)skn_first_from(places, count, sizeof *places, 0, at);
}

static void add_change(diffing *d, skein_diff_kind kind, const skein_message *before,
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
        qsort(places, count, sizeof *places, skn_by_number);
    for (size_t i = 0; i < d->only_y.count; i++)
        *skn_map_slot_int(texts, d->only_y.at[i].lineage.v) = &d->only_y.at[i];
    for (size_t i = 0; i < d->only_x.count; i++) {
        skein_message       *m = &d->only_x.at[i];
        void               **slot = skn_map_slot_int(texts, m->lineage.v);
        const skein_message *now = *slot;

        *slot = NULL; /* a text comes for one message */
        add_change(d,
                   !now                   ? SKEIN_DIFF_REMOVED
                   : now->id.v == m->id.v ? SKEIN_DIFF_MOVED
                                          : SKEIN_DIFF_REPLACED,
                   m, now, places, count);
    }
    for (size_t i = 0; i < d->moved_x.count; i++)
        add_change(d, SKEIN_DIFF_MOVED, &d->moved_x.at[i], &d->moved_y.at[i], places, count);
}

static void tell_new(diffing *d)
{
    size_t   count = d->only_y.count + d->moved_y.count, told = d->entries.n;
    int64_t *places = places_of(&d->only_y, &d->moved_y, d->a);
    skn_map *known = skn_map_new(d->a);

    if (count > 0)
        qsort(places, count, sizeof *places, skn_by_number);
    for (size_t i = 0; i < told; i++)
        if (d->entries.p[i].entry.after.id.v)
            *skn_map_slot_int(known, d->entries.p[i].entry.after.id.v) = d;
    for (size_t i = 0; i < d->only_y.count; i++)
        if (!skn_map_get_int(known, d->only_y.at[i].id.v))
            add_change(d, SKEIN_DIFF_ADDED, NULL, &d->only_y.at[i], places, count);
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

static skein_rc diff(skn_tx *tx, skein_slice from, int64_t to, skein_mem *mem, skein_diff *out,
                     skein_error *err)
{
    skein_slice other = {.conversation = from.conversation, .version = to};
    diffing     d = {.a = mem};
    skn_tree    x, y;
    skein_rc    rc;

    if ((rc = open_side(&d.x, tx, from, mem, &x, err)) ||
        (rc = open_side(&d.y, tx, other, mem, &y, err)) ||
        (rc = skn_trees_compare(&d.x.trees, &x, &y, &d.parts, err)) ||
        (rc = check_size(&d, err)) || (rc = load_sides(&d, err)))
        return rc;
    tell_old(&d);
    tell_new(&d);
    write_out(&d, out);
    return SKEIN_OK;
}

skein_rc skein_diff_versions(skein_engine *e, skein_conversation_id conversation, int64_t from,
                             int64_t to, skein_mem *mem, skein_diff *out, skein_error *err)
{
    const skein_slice first = {.conversation = conversation, .version = from};
    skn_snapshot      s = {.store = e->store};

    *out = (skein_diff){0};
    while (skn_snapshot_next(&s, err))
        s.rc = diff(s.tx, first, to, mem, out, err);
    return s.rc;
}

/* Which parts of two lists were moved. What stayed is the heaviest set of parts that
 * stand in the same order in both; the rest was moved. */

/* The heaviest chain that ends with a part. */
typedef struct chain {
    int64_t weight;
    size_t  before; /* the part before it, plus one; 0: it is the first */
} chain;

/* The best chain that ends at a rank of at most i, for every i: a tree of maxima over ranks. */
typedef struct best {
    size_t *part; /* plus one; 0: none */
    size_t  count;
} best;

static size_t best_below(const best *b, const chain *chains, size_t rank)
{
    size_t found = 0;

    for (size_t i = rank; i > 0; i -= i & (~i + 1)) {
        size_t p = b->part[i];

        if (p && (!found || chains[p - 1].weight > chains[found - 1].weight))
            found = p;
    }
    return found;
}

static void best_put(best *b, const chain *chains, size_t rank, size_t part)
{
    for (size_t i = rank; i <= b->count; i += i & (~i + 1)) {
        size_t p = b->part[i];

        if (!p || chains[part].weight > chains[p - 1].weight)
            b->part[i] = part + 1;
    }
}

SKN_ORDER(by_x, skn_shared, at_x, at_x)

typedef struct ranked {
    int64_t at;
    size_t  part;
} ranked;

/* The place of each part among all, in y's order, from 1. */
static size_t *rank_parts(const skn_shared *at, size_t count, skn_arena *a)
{
    ranked *order = SKN_ARRAY(a, count, ranked);
    size_t *rank = SKN_ARRAY(a, count, size_t);

    for (size_t i = 0; i < count; i++)
        order[i] = (ranked){at[i].at_y, i};
    qsort(order, count, sizeof *order, skn_by_number);
    for (size_t i = 0; i < count; i++)
        rank[order[i].part] = i + 1;
    return rank;
}

/* Sorts the shared parts and marks the fewest messages as moved. n log n. */
static void mark_moved(skn_shared *at, size_t count, skn_arena *a)
{
    best    b = {SKN_ARRAY(a, count + 1, size_t), count};
    chain  *chains = SKN_ARRAY(a, count, chain);
    size_t *rank;
    size_t  last;

    if (count < 2)
        return;
    qsort(at, count, sizeof *at, by_x);
    rank = rank_parts(at, count, a);
    for (size_t i = 0; i < count; i++) {
        size_t before = best_below(&b, chains, rank[i] - 1);

        chains[i] = (chain){at[i].len + (before ? chains[before - 1].weight : 0), before};
        best_put(&b, chains, rank[i], i);
        at[i].moved = true;
    }
    for (last = best_below(&b, chains, count); last; last = chains[last - 1].before)
        at[last - 1].moved = false;
}

/* Walking two trees down level by level; a node that is in both is not entered. */

/* A node that is still to be compared, and where its first item stands. */
typedef struct spot {
    skn_node *node;
    int64_t   len, at;
} spot;

typedef struct side {
    skn_vec(spot) spots;
    skn_vec(skn_run) runs;
} side;

SKN_ORDER(by_id, spot, node->id, node->id)

static void sort_spots(side *s)
{
    if (s->spots.n > 1)
        qsort(s->spots.p, s->spots.n, sizeof *s->spots.p, by_id);
}

/* Nodes that were not saved (id 0) are nobody else's. */
static void take_shared(skn_trees *f, side *x, side *y, skn_comparison *out)
{
    size_t i = 0, j = 0, keep_x = 0, keep_y = 0;

    sort_spots(x);
    sort_spots(y);
    while (i < x->spots.n || j < y->spots.n) {
        spot *p = i < x->spots.n ? &x->spots.p[i] : NULL;
        spot *q = j < y->spots.n ? &y->spots.p[j] : NULL;

        if (p && q && p->node->id == q->node->id && p->node->id != 0) {
            skn_vec_add(f->a, &out->shared, ((skn_shared){p->len, p->at, q->at, false}));
            i++;
            j++;
        } else if (p && (!q || p->node->id <= q->node->id)) {
            x->spots.p[keep_x++] = *p;
            i++;
        } else {
            y->spots.p[keep_y++] = *q;
            j++;
        }
    }
    x->spots.n = keep_x;
    y->spots.n = keep_y;
}

static skein_rc add_entry(skn_trees *f, side *s, skn_node *n, skn_entry *e, int64_t at,
                          skein_error *err)
{
    skein_rc rc;

    if (n->level == 0) {
        skn_vec_add(f->a, &s->runs, ((skn_run){e->span.thread, e->span.lo, e->span.len, at}));
        return SKEIN_OK;
    }
    if ((rc = skn_tree_child(f, n->level, e, err)))
        return rc;
    skn_vec_add(f->a, &s->spots, ((spot){e->child, e->span.len, at}));
    return SKEIN_OK;
}

/* Replaces the nodes of a level by what is in them. */
static skein_rc descend(skn_trees *f, side *s, int level, skein_error *err)
{
    side     below = {.runs = {s->runs.p, s->runs.n, s->runs.cap}};
    skein_rc rc;

    for (size_t i = 0; i < s->spots.n; i++) {
        skn_node *n = s->spots.p[i].node;
        int64_t   at = s->spots.p[i].at;

        if (n->level < level)
            skn_vec_add(f->a, &below.spots, s->spots.p[i]);
        for (size_t k = 0; n->level == level && k < n->count; k++) {
            if ((rc = add_entry(f, &below, n, &n->e[k], at, err)))
                return rc;
            at += n->e[k].span.len;
        }
    }
    *s = below;
    return SKEIN_OK;
}

SKN_ORDER(by_items, skn_run, thread, lo)

/* The first len items of a run, which is shorter by them then. */
static skn_run cut(skn_run *r, int64_t len)
{
    skn_run head = *r;

    head.len = len < r->len ? len : r->len;
    r->lo += head.len;
    r->at += head.len;
    r->len -= head.len;
    return head;
}

/* Takes runs apart until each part is in one tree only, or in both. */
static void match_runs(skn_trees *f, side *x, side *y, skn_comparison *out)
{
    size_t i = 0, j = 0;

    if (x->runs.n > 1)
        qsort(x->runs.p, x->runs.n, sizeof *x->runs.p, by_items);
    if (y->runs.n > 1)
        qsort(y->runs.p, y->runs.n, sizeof *y->runs.p, by_items);
    while (i < x->runs.n || j < y->runs.n) {
        skn_run *p = i < x->runs.n ? &x->runs.p[i] : NULL;
        skn_run *q = j < y->runs.n ? &y->runs.p[j] : NULL;
        int      order = !q ? -1 : !p ? 1 : by_items(p, q);
        bool     same_thread = p && q && p->thread == q->thread;

        if (order < 0) {
            skn_vec_add(f->a, &out->only_x, cut(p, same_thread ? q->lo - p->lo : p->len));
        } else if (order > 0) {
            skn_vec_add(f->a, &out->only_y, cut(q, same_thread ? p->lo - q->lo : q->len));
        } else {
            skn_run head = cut(p, q->len), tail = cut(q, head.len);

            skn_vec_add(f->a, &out->shared, ((skn_shared){head.len, head.at, tail.at, false}));
        }
        i += p && p->len == 0;
        j += q && q->len == 0;
    }
}

static void start_side(skn_trees *f, side *s, const skn_tree *t)
{
    if (t->root)
        skn_vec_add(f->a, &s->spots, ((spot){t->root, t->length, 0}));
}

skein_rc skn_trees_compare(skn_trees *f, const skn_tree *x, const skn_tree *y,
                           skn_comparison *out, skein_error *err)
{
    side     sx = {0}, sy = {0};
    int      level = x->root ? x->root->level : -1;
    skein_rc rc;

    *out = (skn_comparison){0};
    start_side(f, &sx, x);
    start_side(f, &sy, y);
    if (y->root && y->root->level > level)
        level = y->root->level;
    for (; level >= 0; level--) {
        take_shared(f, &sx, &sy, out);
        if ((rc = descend(f, &sx, level, err)) || (rc = descend(f, &sy, level, err)))
            return rc;
    }
    for (size_t i = 0; i < sy.runs.n; i++)
        skn_vec_add(f->a, &out->met_y, sy.runs.p[i]);
    match_runs(f, &sx, &sy, out);
    mark_moved(out->shared.p, out->shared.n, f->a);
    return SKEIN_OK;
}
