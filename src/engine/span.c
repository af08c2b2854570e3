/* span.c: making trees: open, splice, save. Reading them is in span_read.c. */
#include "engine/span.h"

typedef skn_vec(skn_entry) entries;

void skn_trees_init(skn_trees *f, skn_tx *tx, skn_arena *a, int64_t conversation)
{
    *f = (skn_trees){tx, a, skn_map_new(a), conversation};
}

static skein_rc load(skn_trees *f, int64_t id, skn_node **out, skein_error *err)
{
    void   **slot = skn_map_slot_int(f->seen, id);
    skn_str  bytes;
    bool     found;
    int      level;
    skein_rc rc;

    if (!*slot) {
        if ((rc = skn_node_get(f->tx, id, f->a, &level, &bytes, &found, err)))
            return rc;
        if (!found || !skn_node_decode(bytes, level, f->a, out))
            return skn_fail(err, SKEIN_DAMAGED, "span node %lld is missing or damaged",
                            (long long)id);
        (*out)->id = id;
        *slot = *out;
    }
    *out = *slot;
    return SKEIN_OK;
}

skein_rc skn_tree_open(skn_trees *f, int64_t root_id, int64_t length, skn_tree *out,
                       skein_error *err)
{
    *out = (skn_tree){NULL, length};
    return root_id ? load(f, root_id, &out->root, err) : SKEIN_OK;
}

skein_rc skn_tree_child(skn_trees *f, int level, skn_entry *entry, skein_error *err)
{
    skein_rc rc = entry->child ? SKEIN_OK : load(f, entry->child_id, &entry->child, err);

    if (rc == SKEIN_OK && entry->child->level != level - 1)
        rc = skn_fail(err, SKEIN_DAMAGED, "span node %lld has the wrong level",
                      (long long)entry->child_id);
    return rc;
}

/* --- Making nodes ------------------------------------------------------------------------------- */

static skn_entry make_node(skn_trees *f, int level, const skn_entry *e, size_t count)
{
    skn_node *n = skn_arena_alloc(f->a, sizeof *n + count * sizeof *e);
    skn_entry ref = {.span = {0, 0, 0, e[0].span.kmin, e[0].span.kmax}, .child = n};

    n->level = level;
    n->count = count;
    for (size_t i = 0; i < count; i++) {
        n->e[i] = e[i];
        ref.span.len += e[i].span.len;
        if (e[i].span.kmin < ref.span.kmin)
            ref.span.kmin = e[i].span.kmin;
        if (e[i].span.kmax > ref.span.kmax)
            ref.span.kmax = e[i].span.kmax;
    }
    return ref;
}

/* Packs entries of one level into as few nodes as possible, evenly filled. */
static void pack(skn_trees *f, int level, const entries *from, entries *out)
{
    size_t nodes = (from->n + SKN_NODE_ENTRIES - 1) / SKN_NODE_ENTRIES;
    size_t at = 0;

    for (size_t k = 0; k < nodes; k++) {
        size_t width = from->n / nodes + (k < from->n % nodes ? 1 : 0);

        skn_vec_add(f->a, out, make_node(f, level, from->p + at, width));
        at += width;
    }
}

/* Adds a span, joining it with the one before where they are one range of the same thread. Patches
 * (below zero) and the tail never join: nothing stands between -1 and 0. */
static void add_span(skn_trees *f, entries *out, const skn_entry *e)
{
    skn_span *last = out->n ? &out->p[out->n - 1].span : NULL;

    if (e->span.len == 0)
        return;
    if (last && last->thread == e->span.thread && last->lo + last->len == e->span.lo &&
        e->span.lo != 0) {
        last->len += e->span.len;
        if (e->span.kmin < last->kmin)
            last->kmin = e->span.kmin;
        if (e->span.kmax > last->kmax)
            last->kmax = e->span.kmax;
        return;
    }
    skn_vec_add(f->a, out, *e);
}

/* --- Splicing ----------------------------------------------------------------------------------- */

skein_rc skn_span_part(skn_tx *tx, const skn_span *s, int64_t from, int64_t to, skn_span *out,
                       skein_error *err)
{
    int64_t  message;
    skein_rc rc;

    *out = (skn_span){s->thread, s->lo + from, to - from, s->kmin, s->kmax};
    if (from > 0 && (rc = skn_item_key(tx, s->thread, s->lo + from, &out->kmin, &message, err)))
        return rc;
    if (to < s->len &&
        (rc = skn_item_key(tx, s->thread, s->lo + to - 1, &out->kmax, &message, err)))
        return rc;
    return SKEIN_OK;
}

/* Copies what lies in [from, to) of a leaf's entries. */
static skein_rc copy_part(skn_trees *f, const skn_node *leaf, int64_t from, int64_t to,
                          entries *out, skein_error *err)
{
    int64_t pos = 0;

    for (size_t i = 0; i < leaf->count && pos < to; pos += leaf->e[i++].span.len) {
        const skn_span *s = &leaf->e[i].span;
        int64_t         a = from > pos ? from - pos : 0;
        int64_t         b = to < pos + s->len ? to - pos : s->len;
        skn_entry       part = {0};
        skein_rc        rc;

        if (a >= b)
            continue;
        if ((rc = skn_span_part(f->tx, s, a, b, &part.span, err)))
            return rc;
        add_span(f, out, &part);
    }
    return SKEIN_OK;
}

static skein_rc splice_leaf(skn_trees *f, const skn_node *leaf, int64_t i, int64_t j,
                            const skn_span *ins, size_t count, entries *out, skein_error *err)
{
    entries  all = {0};
    skein_rc rc;

    if ((rc = copy_part(f, leaf, 0, i, &all, err)))
        return rc;
    for (size_t k = 0; k < count; k++)
        add_span(f, &all, &(skn_entry){.span = ins[k]});
    if ((rc = copy_part(f, leaf, j, INT64_MAX, &all, err)))
        return rc;
    if (all.n)
        pack(f, 0, &all, out);
    return SKEIN_OK;
}

/* Joins neighbours whose entries fit one node, so that trees do not thin out. */
static skein_rc join_small(skn_trees *f, int level, const entries *refs, entries *out,
                           skein_error *err)
{
    skein_rc rc;

    for (size_t i = 0; i < refs->n; i++) {
        skn_entry *last = out->n ? &out->p[out->n - 1] : NULL;
        skn_entry  next = refs->p[i];
        entries    both = {0};

        if ((last && (rc = skn_tree_child(f, level + 1, last, err))) ||
            (rc = skn_tree_child(f, level + 1, &next, err)))
            return rc;
        if (!last || last->child->count + next.child->count > SKN_NODE_ENTRIES) {
            skn_vec_add(f->a, out, next);
            continue;
        }
        for (size_t k = 0; k < last->child->count; k++)
            skn_vec_add(f->a, &both, last->child->e[k]);
        for (size_t k = 0; k < next.child->count; k++) {
            if (level == 0)
                add_span(f, &both, &next.child->e[k]);
            else
                skn_vec_add(f->a, &both, next.child->e[k]);
        }
        *last = make_node(f, level, both.p, both.n);
    }
    return SKEIN_OK;
}

static skein_rc splice_node(skn_trees *f, skn_node *n, int64_t i, int64_t j,
                            const skn_span *ins, size_t count, entries *out, skein_error *err);

/* Which children positions i and j fall into, and where those begin. */
static void find_children(const skn_node *n, int64_t i, int64_t j, size_t *first, size_t *last,
                          int64_t *first_at, int64_t *last_at)
{
    int64_t pos = 0;

    *first = *last = n->count;
    for (size_t k = 0; k < n->count; pos += n->e[k++].span.len) {
        bool end = k == n->count - 1;

        if (*first == n->count && (i < pos + n->e[k].span.len || end)) {
            *first = k;
            *first_at = pos;
        }
        if (*first != n->count && *last == n->count && (j <= pos + n->e[k].span.len || end)) {
            *last = k;
            *last_at = pos;
        }
    }
}

static skein_rc splice_inner(skn_trees *f, skn_node *n, int64_t i, int64_t j,
                             const skn_span *ins, size_t count, entries *out, skein_error *err)
{
    size_t   first, last, from, to;
    int64_t  first_at = 0, last_at = 0;
    entries  near = {0}, all = {0};
    skein_rc rc;

    find_children(n, i, j, &first, &last, &first_at, &last_at);
    from = first ? first - 1 : 0; /* the neighbours take part, so that small nodes join */
    to = last + 2 < n->count ? last + 2 : n->count;
    for (size_t k = from; k < first; k++)
        skn_vec_add(f->a, &near, n->e[k]);
    if ((rc = skn_tree_child(f, n->level, &n->e[first], err)) ||
        (rc = skn_tree_child(f, n->level, &n->e[last], err)))
        return rc;
    rc = splice_node(f, n->e[first].child, i - first_at,
                     first == last ? j - first_at : n->e[first].span.len, ins, count, &near,
                     err);
    if (rc == SKEIN_OK && first != last)
        rc = splice_node(f, n->e[last].child, 0, j - last_at, NULL, 0, &near, err);
    if (rc)
        return rc;
    for (size_t k = last + 1; k < to; k++)
        skn_vec_add(f->a, &near, n->e[k]);
    for (size_t k = 0; k < from; k++)
        skn_vec_add(f->a, &all, n->e[k]);
    if ((rc = join_small(f, n->level - 1, &near, &all, err)))
        return rc;
    for (size_t k = to; k < n->count; k++)
        skn_vec_add(f->a, &all, n->e[k]);
    if (all.n)
        pack(f, n->level, &all, out);
    return SKEIN_OK;
}

/* Recursion is as deep as the tree: a handful of levels for any thread that fits a disk, and in a
 * damaged store no more than SKN_NODE_LEVELS. */
static skein_rc splice_node(skn_trees *f, skn_node *n, int64_t i, int64_t j,
                            const skn_span *ins, size_t count, entries *out, skein_error *err)
{
    return n->level == 0 ? splice_leaf(f, n, i, j, ins, count, out, err)
                         : splice_inner(f, n, i, j, ins, count, out, err);
}

/* Grows levels until there is one root, and drops roots that have only one child. */
static skein_rc crown(skn_trees *f, entries *refs, skn_tree *t, skein_error *err)
{
    skein_rc rc;

    t->root = NULL;
    if (refs->n == 0)
        return SKEIN_OK;
    while (refs->n > 1) {
        entries up = {0};

        pack(f, refs->p[0].child->level + 1, refs, &up);
        *refs = up;
    }
    t->root = refs->p[0].child;
    while (t->root->level > 0 && t->root->count == 1) {
        if ((rc = skn_tree_child(f, t->root->level, &t->root->e[0], err)))
            return rc;
        t->root = t->root->e[0].child;
    }
    return SKEIN_OK;
}

skein_rc skn_tree_splice(skn_trees *f, skn_tree *t, int64_t i, int64_t j, const skn_span *ins,
                         size_t count, skein_error *err)
{
    skn_node empty = {.level = 0};
    entries  refs = {0};
    skein_rc rc;

    rc = splice_node(f, t->root ? t->root : &empty, i, j, ins, count, &refs, err);
    if (rc)
        return rc;
    for (size_t k = 0; k < count; k++)
        t->length += ins[k].len;
    t->length -= j - i;
    return crown(f, &refs, t, err);
}

/* --- Saving ------------------------------------------------------------------------------------- */

static skein_rc save_node(skn_trees *f, skn_node *n, int64_t conversation, skein_error *err)
{
    skn_buf  buf;
    skein_rc rc = SKEIN_OK;

    if (n->id)
        return SKEIN_OK;
    for (size_t i = 0; n->level > 0 && i < n->count; i++) {
        if (n->e[i].child && (rc = save_node(f, n->e[i].child, conversation, err)))
            return rc;
        if (n->e[i].child)
            n->e[i].child_id = n->e[i].child->id;
    }
    skn_buf_init(&buf, 16 * 1024);
    rc = skn_node_insert(f->tx, conversation, n->level, skn_node_encode(n, &buf), &n->id, err);
    skn_buf_release(&buf);
    if (rc == SKEIN_OK)
        *skn_map_slot_int(f->seen, n->id) = n;
    return rc;
}

skein_rc skn_tree_save(skn_trees *f, const skn_tree *t, int64_t conversation, int64_t *root_id,
                       skein_error *err)
{
    skein_rc rc;

    *root_id = 0;
    if (!t->root)
        return SKEIN_OK;
    if ((rc = save_node(f, t->root, conversation, err)))
        return rc;
    *root_id = t->root->id;
    return SKEIN_OK;
}
