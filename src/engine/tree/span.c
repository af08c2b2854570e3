/* span.c: making trees: open, splice, save. Reading them is in span.c. */
#include "engine/tree/span.h"

typedef skn_vec(skn_entry) entries;

void skn_trees_init(skn_trees *f, skn_tx *tx, skn_arena *a, int64_t conversation)
{
    *f = (skn_trees){tx, a, skn_map_new(a), conversation};
}

static skein_rc load_node(skn_trees *f, int64_t id, skn_node **out, skein_error *err)
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
    return root_id ? load_node(f, root_id, &out->root, err) : SKEIN_OK;
}

skein_rc skn_tree_child(skn_trees *f, int level, skn_entry *entry, skein_error *err)
{
    skein_rc rc = entry->child ? SKEIN_OK : load_node(f, entry->child_id, &entry->child, err);

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

    if ((rc = splice_node(f, t->root ? t->root : &empty, i, j, ins, count, &refs, err)))
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

/* A node as bytes: a count, then for each entry its numbers as variable-length
 * integers of seven bits, signed ones folded so that small negatives stay small. */

static void put_number(skn_buf *b, uint64_t v)
{
    while (v >= 0x80) {
        skn_buf_addc(b, (char)(v | 0x80));
        v >>= 7;
    }
    skn_buf_addc(b, (char)v);
}

static void put_signed(skn_buf *b, int64_t v)
{
    put_number(b, ((uint64_t)v << 1) ^ (uint64_t)(v >> 63));
}

static bool get(skn_str *s, uint64_t *out)
{
    uint64_t v = 0;

    for (unsigned shift = 0; shift < 64 && s->n > 0; shift += 7) {
        unsigned char c = (unsigned char)*s->p++;

        s->n--;
        v |= (uint64_t)(c & 0x7f) << shift;
        if (c < 0x80) {
            *out = v;
            return true;
        }
    }
    return false;
}

static bool get_signed(skn_str *s, int64_t *out)
{
    uint64_t v;

    if (!get(s, &v))
        return false;
    *out = (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
    return true;
}

skn_str skn_node_encode(const skn_node *n, skn_buf *buf)
{
    put_number(buf, n->count);
    for (size_t i = 0; i < n->count; i++) {
        const skn_entry *e = &n->e[i];

        if (n->level > 0) {
            put_signed(buf, e->child_id);
        } else {
            put_signed(buf, e->span.thread);
            put_signed(buf, e->span.lo);
        }
        put_signed(buf, e->span.len);
        put_signed(buf, e->span.kmin);
        put_signed(buf, e->span.kmax - e->span.kmin);
    }
    return skn_buf_str(buf);
}

/* More than any thread has, and so little that positions add up without overflow on every level. */
#define ITEMS_MAX ((int64_t)1 << 56)

static bool decode_entry(skn_str *s, int level, skn_entry *e)
{
    int64_t width, end;
    bool    ok = level > 0 ? get_signed(s, &e->child_id)
                           : get_signed(s, &e->span.thread) && get_signed(s, &e->span.lo);

    if (!ok || !get_signed(s, &e->span.len) || !get_signed(s, &e->span.kmin) ||
        !get_signed(s, &width))
        return false;
    return e->span.len > 0 && e->span.len <= ITEMS_MAX && width >= 0 &&
           !__builtin_add_overflow(e->span.lo, e->span.len, &end) &&
           !__builtin_add_overflow(e->span.kmin, width, &e->span.kmax);
}

bool skn_node_decode(skn_str bytes, int level, skn_arena *a, skn_node **out)
{
    uint64_t  count;
    int64_t   items = 0;
    skn_node *n;

    if (!get(&bytes, &count) || count == 0 || count > SKN_NODE_ENTRIES || level < 0 ||
        level > SKN_NODE_LEVELS)
        return false;
    n = skn_arena_alloc(a, sizeof *n + (size_t)count * sizeof(skn_entry));
    n->level = level;
    n->count = (size_t)count;
    for (size_t i = 0; i < n->count; i++) {
        if (!decode_entry(&bytes, level, &n->e[i]))
            return false;
        items += n->e[i].span.len;
    }
    *out = n;
    return bytes.n == 0 && items <= ITEMS_MAX;
}

/* Reading trees of spans: slices, finding. */

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
