/* diff_tree.c: walking two trees down level by level; a node that is in both is not entered. */
#include "engine/diff.h"

#include <stdlib.h>

/* A node that is still to be compared, and where its first item stands. */
typedef struct spot {
    skn_node *node;
    int64_t   len, at;
} spot;

typedef struct side {
    skn_vec(spot) spots;
    skn_vec(skn_run) runs;
} side;

static int by_id(const void *x, const void *y)
{
    int64_t a = ((const spot *)x)->node->id, b = ((const spot *)y)->node->id;

    return (a > b) - (a < b);
}

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

static int by_items(const void *x, const void *y)
{
    const skn_run *a = x, *b = y;

    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

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

static void start(skn_trees *f, side *s, const skn_tree *t)
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
    start(f, &sx, x);
    start(f, &sy, y);
    if (y->root && y->root->level > level)
        level = y->root->level;
    for (; level >= 0; level--) {
        take_shared(f, &sx, &sy, out);
        if ((rc = descend(f, &sx, level, err)) || (rc = descend(f, &sy, level, err)))
            return rc;
    }
    match_runs(f, &sx, &sy, out);
    skn_shared_mark_moved(out->shared.p, out->shared.n, f->a);
    return SKEIN_OK;
}
