/* span_read.c: reading trees of spans: slices, finding, differences. */
#include "engine/span.h"

#include <stdlib.h>

typedef skn_vec(skn_span) span_vec;

/* A walk down a tree in order, without recursion: nodes still to visit, the next one last. */
typedef struct step {
    skn_entry *entry;
    int        level; /* of the node the entry stands in */
    int64_t    at;    /* position of its first item */
} step;
typedef skn_vec(step) steps;

/* Puts the entries of a node on the stack, the first one on top. */
static void push_entries(skn_trees *f, steps *stack, skn_node *n, int64_t at)
{
    int64_t end = at;

    for (size_t i = 0; i < n->count; i++)
        end += n->e[i].span.len;
    for (size_t i = n->count; i-- > 0;) {
        step s = {&n->e[i], n->level, 0};

        end -= n->e[i].span.len;
        s.at = end;
        skn_vec_add(f->a, stack, s);
    }
}

static skein_rc push_child(skn_trees *f, steps *stack, const step *s, skein_error *err)
{
    skein_rc rc = skn_tree_child(f, s->level, s->entry, err);

    if (rc == SKEIN_OK)
        push_entries(f, stack, s->entry->child, s->at);
    return rc;
}

/* The part of a span that lies in [i, j), when the span begins at `at`. */
static skein_rc clip(skn_trees *f, const step *s, int64_t i, int64_t j, span_vec *out,
                     skein_error *err)
{
    const skn_span *whole = &s->entry->span;
    int64_t         from = i > s->at ? i - s->at : 0;
    int64_t         to = j < s->at + whole->len ? j - s->at : whole->len;
    skn_span        part;
    skein_rc        rc = skn_span_part(f->tx, whole, from, to, &part, err);

    if (rc == SKEIN_OK)
        skn_vec_add(f->a, out, part);
    return rc;
}

skein_rc skn_tree_slice(skn_trees *f, const skn_tree *t, int64_t i, int64_t j, skn_spans *out,
                        skein_error *err)
{
    steps    stack = {0};
    span_vec found = {0};
    skein_rc rc = SKEIN_OK;

    if (t->root && i < j)
        push_entries(f, &stack, t->root, 0);
    while (rc == SKEIN_OK && stack.n > 0) {
        step s = stack.p[--stack.n];

        if (s.at >= j)
            break;
        if (s.at + s.entry->span.len <= i)
            continue;
        rc = s.level > 0 ? push_child(f, &stack, &s, err) : clip(f, &s, i, j, &found, err);
    }
    *out = (skn_spans){found.p, found.n};
    return rc;
}

/* Finding runs many times in one change, so it asks for memory only in a tree deeper than these
 * steps are enough for. */
enum { FIND_STEPS = 8 * SKN_NODE_ENTRIES };

skein_rc skn_tree_find(skn_trees *f, const skn_tree *t, int64_t thread, int64_t seq,
                       int64_t key, int64_t *position, skein_error *err)
{
    step     room[FIND_STEPS];
    steps    stack = {room, 0, FIND_STEPS};
    skein_rc rc = SKEIN_OK;

    *position = -1;
    if (t->root)
        push_entries(f, &stack, t->root, 0);
    while (rc == SKEIN_OK && stack.n > 0) {
        step            s = stack.p[--stack.n];
        const skn_span *span = &s.entry->span;

        if (key < span->kmin || key > span->kmax)
            continue;
        if (s.level > 0) {
            rc = push_child(f, &stack, &s, err);
        } else if (span->thread == thread && seq >= span->lo && seq < span->lo + span->len) {
            *position = s.at + seq - span->lo;
            break;
        }
    }
    return rc;
}

skein_rc skn_span_first_at(skn_tx *tx, const skn_span *s, int64_t key, int64_t *seq,
                           skein_error *err)
{
    int64_t  lo = s->lo, hi = s->lo + s->len, at, message;
    skein_rc rc;

    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;

        if ((rc = skn_item_key(tx, s->thread, mid, &at, &message, err)))
            return rc;
        if (at >= key)
            hi = mid;
        else
            lo = mid + 1;
    }
    *seq = lo;
    return SKEIN_OK;
}

skein_rc skn_tree_first_at(skn_trees *f, const skn_tree *t, int64_t key, int64_t *position,
                           skein_error *err)
{
    steps    stack = {0};
    int64_t  seq;
    skein_rc rc = SKEIN_OK;

    *position = t->length;
    if (t->root)
        push_entries(f, &stack, t->root, 0);
    while (rc == SKEIN_OK && stack.n > 0) {
        step s = stack.p[--stack.n];

        if (s.entry->span.kmax < key)
            continue;
        if (s.level > 0) {
            rc = push_child(f, &stack, &s, err);
        } else {
            if ((rc = skn_span_first_at(f->tx, &s.entry->span, key, &seq, err)))
                return rc;
            *position = s.at + seq - s.entry->span.lo;
            break;
        }
    }
    return rc;
}

skein_rc skn_tree_least_key(skn_trees *f, const skn_tree *t, int64_t from, int64_t *key,
                            skein_error *err)
{
    steps    stack = {0};
    skein_rc rc = SKEIN_OK;

    *key = INT64_MAX;
    if (t->root)
        push_entries(f, &stack, t->root, 0);
    while (rc == SKEIN_OK && stack.n > 0) {
        step            s = stack.p[--stack.n];
        const skn_span *span = &s.entry->span;
        skn_span        part = *span;

        if (s.at + span->len <= from || span->kmin >= *key)
            continue;
        if (s.at < from && s.level > 0) {
            rc = push_child(f, &stack, &s, err);
            continue;
        }
        if (s.at < from)
            rc = skn_span_part(f->tx, span, from - s.at, span->len, &part, err);
        if (part.kmin < *key)
            *key = part.kmin;
    }
    return rc;
}

/* --- Differences -------------------------------------------------------------------------------- */

/* The nodes of one tree that are still to be compared, and the spans already known to differ. */
typedef struct side {
    skn_vec(skn_entry) nodes;
    span_vec spans;
} side;

static int compare_nodes(const void *x, const void *y)
{
    const skn_node *a = ((const skn_entry *)x)->child, *b = ((const skn_entry *)y)->child;

    return (a->id > b->id) - (a->id < b->id);
}

/* Takes out of both what both have. Saved nodes with the same id are the same. */
static void drop_shared(side *x, side *y)
{
    size_t i = 0, j = 0, keep_x = 0, keep_y = 0;

    if (x->nodes.n)
        qsort(x->nodes.p, x->nodes.n, sizeof *x->nodes.p, compare_nodes);
    if (y->nodes.n)
        qsort(y->nodes.p, y->nodes.n, sizeof *y->nodes.p, compare_nodes);
    while (i < x->nodes.n || j < y->nodes.n) {
        int64_t a = i < x->nodes.n ? x->nodes.p[i].child->id : INT64_MAX;
        int64_t b = j < y->nodes.n ? y->nodes.p[j].child->id : INT64_MAX;

        if (a == b && a != 0) {
            i++;
            j++;
        } else if (a <= b && i < x->nodes.n) {
            x->nodes.p[keep_x++] = x->nodes.p[i++];
        } else {
            y->nodes.p[keep_y++] = y->nodes.p[j++];
        }
    }
    x->nodes.n = keep_x;
    y->nodes.n = keep_y;
}

/* Replaces the nodes of a level by what is under them. */
static skein_rc descend(skn_trees *f, side *s, int level, skein_error *err)
{
    side     below = {.spans = s->spans};
    skein_rc rc;

    for (size_t i = 0; i < s->nodes.n; i++) {
        skn_node *n = s->nodes.p[i].child;

        if (n->level < level) {
            skn_vec_add(f->a, &below.nodes, s->nodes.p[i]);
            continue;
        }
        for (size_t k = 0; k < n->count; k++) {
            if (n->level == 0) {
                skn_vec_add(f->a, &below.spans, n->e[k].span);
                continue;
            }
            if ((rc = skn_tree_child(f, n->level, &n->e[k], err)))
                return rc;
            skn_vec_add(f->a, &below.nodes, n->e[k]);
        }
    }
    *s = below;
    return SKEIN_OK;
}

static void start(skn_trees *f, side *s, const skn_tree *t)
{
    *s = (side){0};
    if (t->root)
        skn_vec_add(f->a, &s->nodes, ((skn_entry){.child = t->root}));
}

skein_rc skn_tree_diff(skn_trees *f, const skn_tree *x, const skn_tree *y, skn_spans *only_x,
                       skn_spans *only_y, skein_error *err)
{
    side      sx, sy;
    skn_spans ax, ay;
    int       level = x->root ? x->root->level : -1;
    skein_rc  rc;

    start(f, &sx, x);
    start(f, &sy, y);
    if (y->root && y->root->level > level)
        level = y->root->level;
    for (; level >= 0; level--) {
        drop_shared(&sx, &sy);
        if ((rc = descend(f, &sx, level, err)) || (rc = descend(f, &sy, level, err)))
            return rc;
    }
    ax = (skn_spans){sx.spans.p, sx.spans.n};
    ay = (skn_spans){sy.spans.p, sy.spans.n};
    *only_x = skn_spans_minus(ax, ay, f->a);
    *only_y = skn_spans_minus(ay, ax, f->a);
    return SKEIN_OK;
}

static int compare_spans(const void *x, const void *y)
{
    const skn_span *a = x, *b = y;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

skn_spans skn_spans_minus(skn_spans xs, skn_spans ys, skn_arena *a)
{
    span_vec out = {0};
    size_t   j = 0;

    if (xs.count)
        qsort(xs.at, xs.count, sizeof *xs.at, compare_spans);
    if (ys.count)
        qsort(ys.at, ys.count, sizeof *ys.at, compare_spans);
    for (size_t i = 0; i < xs.count; i++) {
        skn_span s = xs.at[i];
        int64_t  end = s.lo + s.len;

        while (j < ys.count &&
               (ys.at[j].thread < s.thread ||
                (ys.at[j].thread == s.thread && ys.at[j].lo + ys.at[j].len <= s.lo)))
            j++;
        for (size_t k = j; k < ys.count && ys.at[k].thread == s.thread && ys.at[k].lo < end;
             k++) {
            int64_t hole = ys.at[k].lo, hole_end = hole + ys.at[k].len;

            if (hole > s.lo) {
                s.len = hole - s.lo;
                skn_vec_add(a, &out, s);
            }
            if (hole_end > s.lo)
                s.lo = hole_end;
        }
        s.len = end - s.lo;
        if (s.len > 0)
            skn_vec_add(a, &out, s);
    }
    return (skn_spans){out.p, out.n};
}
