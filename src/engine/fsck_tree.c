/* fsck_tree.c: every node of the trees of spans, once, in order of their ids: children were written
 * before those they hang on. */
#include "engine/fsck.h"

#include <stdlib.h>

/* --- What is known of nodes ------------------------------------------------------------------------------ */

static skn_fsck_node sum_up(int64_t id, const skn_node *n)
{
    skn_fsck_node s = {
        .id = id, .level = n->level, .kmin = n->e[0].span.kmin, .kmax = n->e[0].span.kmax};

    for (size_t i = 0; i < n->count; i++) {
        const skn_span *e = &n->e[i].span;

        if (__builtin_add_overflow(s.length, e->len, &s.length))
            s.length = INT64_MAX;
        if (e->kmin < s.kmin)
            s.kmin = e->kmin;
        if (e->kmax > s.kmax)
            s.kmax = e->kmax;
    }
    return s;
}

/* The length and keys of a node; *found is false when it is missing or unreadable. */
static skein_rc node_of(skn_fsck *f, int64_t id, skn_fsck_node *out, bool *found,
                        skein_error *err)
{
    skn_fsck_node *slot = &f->nodes[(uint64_t)id % SKN_FSCK_SLOTS];
    skn_node      *n;
    skn_str        entries;
    int            level;
    skein_rc       rc;

    *found = slot->id == id && id != 0;
    if (!*found) {
        if ((rc = skn_node_get(f->tx, id, f->scratch, &level, &entries, found, err)) || !*found)
            return rc;
        *found = skn_node_decode(entries, level, f->scratch, &n);
        if (!*found)
            return SKEIN_OK;
        *slot = sum_up(id, n);
    }
    *out = *slot;
    return SKEIN_OK;
}

/* --- Entries ------------------------------------------------------------------------------------------------ */

static void wrong(skn_fsck *f, int64_t node, size_t entry, const char *what)
{
    skn_fsck_find(f, SKN_INV_DENSE_POSITIONS, "entry %zu of span node %lld %s", entry,
                  (long long)node, what);
}

static bool same_span(const skn_span *a, const skn_span *b)
{
    return a->thread == b->thread && a->lo == b->lo && a->len == b->len && a->kmin == b->kmin &&
           a->kmax == b->kmax;
}

/* Versions repeat most of each other's spans: one that was right before is right again. */
static skn_span *slot_of(skn_fsck *f, const skn_span *s)
{
    uint64_t h = (uint64_t)s->thread * 0x9e3779b97f4a7c15U +
                 (uint64_t)s->lo * 0xc2b2ae3d27d4eb4fU + (uint64_t)s->len * 0x165667b19e3779f9U;

    return &f->spans[(h >> 32) % SKN_FSCK_SLOTS];
}

/* Own items have rising keys, which was seen when they were read; patches need not. */
static skein_rc check_keys(skn_fsck *f, int64_t node, size_t entry, const skn_span *s,
                           skein_error *err)
{
    int64_t  kmin, kmax;
    bool     found;
    skein_rc rc;

    if ((rc = skn_check_keys(f->tx, s->thread, s->lo, s->len, s->lo >= 0, &kmin, &kmax, &found,
                             err)))
        return rc;
    if (!found)
        wrong(f, node, entry, "names items that are not there");
    else if (kmin < s->kmin || kmax > s->kmax)
        wrong(f, node, entry, "has keys that do not bound those of its items");
    else
        *slot_of(f, s) = *s;
    return SKEIN_OK;
}

static skein_rc check_span(skn_fsck *f, const skn_check_node *n, size_t entry,
                           const skn_span *s, skein_error *err)
{
    skn_check_source source;
    bool             kin, inside;
    int64_t          end;
    skein_rc         rc;

    if ((rc = skn_fsck_source(f, s->thread, &source, err)))
        return rc;
    inside = source.id != 0 && !__builtin_add_overflow(s->lo, s->len, &end) &&
             (s->lo >= 0 ? end <= source.own : s->lo >= -source.patches && end <= 0);
    if (!inside) {
        wrong(f, n->id, entry, "names items that are not there");
        return SKEIN_OK;
    }
    if (source.conversation != n->conversation) {
        if ((rc = skn_fsck_kin(f, n->conversation, source.conversation, &kin, err)))
            return rc;
        if (!kin)
            skn_fsck_find(f, SKN_INV_OWN_CONVERSATION,
                          "span node %lld holds items of a conversation it is not of",
                          (long long)n->id);
    }
    return same_span(slot_of(f, s), s) ? SKEIN_OK : check_keys(f, n->id, entry, s, err);
}

static skein_rc check_child(skn_fsck *f, const skn_check_node *n, size_t entry,
                            const skn_entry *e, skein_error *err)
{
    skn_fsck_node child;
    bool          found = false;
    skein_rc      rc = SKEIN_OK;

    if (e->child_id > 0 && e->child_id < n->id)
        rc = node_of(f, e->child_id, &child, &found, err);
    if (rc)
        return rc;
    if (!found)
        wrong(f, n->id, entry, "names no earlier node");
    else if (child.level != n->level - 1)
        wrong(f, n->id, entry, "names a node of the wrong level");
    else if (child.length != e->span.len)
        wrong(f, n->id, entry, "miscounts what is under it");
    else if (child.kmin < e->span.kmin || child.kmax > e->span.kmax)
        wrong(f, n->id, entry, "has keys that do not bound those under it");
    return SKEIN_OK;
}

static skein_rc on_node(void *arg, const void *row, skein_error *err)
{
    const skn_check_node *n = row;
    skn_fsck             *f = arg;
    skn_node             *node;
    skein_rc              rc = SKEIN_OK;

    if (!skn_node_decode(n->entries, n->level, f->scratch, &node)) {
        skn_fsck_find(f, SKN_INV_DENSE_POSITIONS, "span node %lld cannot be read",
                      (long long)n->id);
        skn_arena_reset(f->scratch);
        return SKEIN_OK;
    }
    for (size_t i = 0; rc == SKEIN_OK && i < node->count; i++)
        rc = n->level == 0 ? check_span(f, n, i, &node->e[i].span, err)
                           : check_child(f, n, i, &node->e[i], err);
    f->nodes[(uint64_t)n->id % SKN_FSCK_SLOTS] = sum_up(n->id, node);
    skn_arena_reset(f->scratch);
    return rc;
}

skein_rc skn_fsck_trees(skn_fsck *f, skein_error *err)
{
    return skn_check_each(f->tx, SKN_CHECK_NODES, on_node, f, err);
}

/* Every thread: its tree, what differs from the thread it was made from, and the
 * summary it uses. */

/* --- Messages twice ---------------------------------------------------------------------------------------- */

SKN_ORDER(by_place, skn_run, thread, lo)

static bool overlap(skn_run *runs, size_t count)
{
    if (count > 0)
        qsort(runs, count, sizeof *runs, by_place);
    for (size_t i = 1; i < count; i++)
        if (runs[i].thread == runs[i - 1].thread &&
            runs[i].lo < runs[i - 1].lo + runs[i - 1].len)
            return true;
    return false;
}

static void twice(skn_fsck *f, const skn_thread_row *t)
{
    skn_fsck_find(f, SKN_INV_DENSE_POSITIONS, "thread \"%.*s\" holds an item twice",
                  SKN_FMT(t->uid));
}

/* Is all that the origin's tree does not hold one of the thread's own patches, or of the origin's own
 * items? Then it cannot repeat what both share. */
static bool only_known(const skn_thread_row *t, const skn_thread_row *origin,
                       const skn_comparison *parts)
{
    int64_t tail = origin->id ? t->origin_length - origin->base_length : 0;

    for (size_t i = 0; i < parts->only_y.n; i++) {
        const skn_run *r = &parts->only_y.p[i];

        if (r->thread != t->id &&
            (r->thread != origin->id || r->lo < 0 || r->lo + r->len > tail))
            return false;
    }
    return true;
}

/* Looks at all of the thread, where the difference alone does not tell. */
static skein_rc check_whole(skn_fsck *f, skn_trees *trees, const skn_thread_row *t,
                            const skn_tree *tree, skein_error *err)
{
    skn_tree       nothing = {NULL, 0};
    skn_comparison all;
    skein_rc       rc = skn_trees_compare(trees, &nothing, tree, &all, err);

    if (rc == SKEIN_OK && overlap(all.met_y.p, all.met_y.n))
        twice(f, t);
    return rc;
}

static skein_rc check_repeats(skn_fsck *f, skn_trees *trees, const skn_thread_row *t,
                              const skn_thread_row *origin, const skn_tree *tree,
                              skn_comparison *parts, skein_error *err)
{
    if (overlap(parts->met_y.p, parts->met_y.n)) {
        twice(f, t);
        return SKEIN_OK;
    }
    return only_known(t, origin, parts) || origin->id == 0
               ? SKEIN_OK
               : check_whole(f, trees, t, tree, err);
}

/* --- Where the pieces come from -------------------------------------------------------------------------------- */

/* Is the lane the other one, or branched from it? */
static skein_rc lane_of_kin(skn_fsck *f, int64_t lane, int64_t other, bool *yes,
                            skein_error *err)
{
    int64_t  before = INT64_MAX;
    skein_rc rc;

    *yes = lane == other;
    while (!*yes && lane > 0 && lane < before) { /* a branch's lanes are younger */
        before = lane;
        if ((rc = skn_check_lane_origin(f->tx, lane, &lane, err)))
            return rc;
        *yes = lane == other && lane != 0;
    }
    return SKEIN_OK;
}

static skein_rc check_sources(skn_fsck *f, const skn_thread_row *t, const skn_comparison *parts,
                              skein_error *err)
{
    skn_check_source source;
    int64_t          last = 0;
    bool             ok;
    skein_rc         rc;

    for (size_t i = 0; i < parts->met_y.n; i++) {
        const skn_run *s = &parts->met_y.p[i];

        ok = s->thread < t->id || (s->thread == t->id && s->lo < 0);
        if (ok && s->thread != last) {
            last = s->thread;
            if ((rc = skn_fsck_source(f, s->thread, &source, err)) ||
                (source.id && (rc = lane_of_kin(f, t->lane_id, source.lane, &ok, err))))
                return rc;
        }
        if (ok)
            continue;
        skn_fsck_find(f, SKN_INV_OWN_CONVERSATION,
                      "thread \"%.*s\" holds items of thread %lld, which is not of its lane "
                      "or later",
                      SKN_FMT(t->uid), (long long)s->thread);
        break;
    }
    return SKEIN_OK;
}

/* --- Threads ------------------------------------------------------------------------------------------------------ */

/* What cannot be read was reported when the nodes were checked. */
static skein_rc unless_damaged(skein_rc rc)
{
    return rc == SKEIN_DAMAGED ? SKEIN_OK : rc;
}

static skein_rc check_root(skn_fsck *f, const skn_thread_row *t, bool *readable,
                           skein_error *err)
{
    skn_fsck_node root = {0};
    bool          found = true;
    skein_rc      rc = SKEIN_OK;

    if (t->root_id)
        rc = node_of(f, t->root_id, &root, &found, err);
    if (rc)
        return rc;
    *readable = found && root.length == t->base_length;
    if (!found)
        skn_fsck_find(f, SKN_INV_DENSE_POSITIONS,
                      "the root of thread \"%.*s\" is missing or cannot be read",
                      SKN_FMT(t->uid));
    else if (!*readable)
        skn_fsck_find(f, SKN_INV_DENSE_POSITIONS,
                      "thread \"%.*s\" says %lld messages, its tree holds %lld",
                      SKN_FMT(t->uid), (long long)t->base_length, (long long)root.length);
    return SKEIN_OK;
}

static skein_rc check_tree(skn_fsck *f, const skn_thread_row *t, skein_error *err)
{
    skn_trees      trees;
    skn_thread_row origin = {0};
    skn_tree       tree, base = {0};
    skn_comparison parts;
    bool           found = false;
    skein_rc       rc;

    skn_trees_init(&trees, f->tx, f->scratch, 0);
    if (t->origin_id && t->origin_id < t->id &&
        (rc = skn_thread_get(f->tx, t->origin_id, f->scratch, &origin, &found, err)))
        return rc;
    if ((rc = skn_tree_open(&trees, t->root_id, t->base_length, &tree, err)))
        return unless_damaged(rc);
    if (found && (rc = skn_tree_open(&trees, origin.root_id, origin.base_length, &base, err))) {
        origin.id = 0; /* then all of it is looked at */
        base = (skn_tree){0};
    }
    if ((rc = skn_trees_compare(&trees, &base, &tree, &parts, err)) ||
        (rc = check_sources(f, t, &parts, err)) ||
        (rc = check_repeats(f, &trees, t, &origin, &tree, &parts, err)))
        return unless_damaged(rc);
    return SKEIN_OK;
}

/* --- Compactions ----------------------------------------------------------------------------------------------- */

/* A summary covers the beginning of the thread, up to the message it names. */
static skein_rc check_cover(skn_fsck *f, const skn_thread_row *t, const skn_compaction_row *k,
                            skein_error *err)
{
    skn_trees  trees;
    skn_thread thread = {.row = *t, .length = t->base_length + t->own_length};
    skn_item   last = {0};
    skein_rc   rc;

    if (k->covers > thread.length) {
        skn_fsck_find(f, SKN_INV_SUMMARY_COVERS,
                      "compaction %lld covers %lld messages, thread \"%.*s\" has %lld",
                      (long long)k->id, (long long)k->covers, SKN_FMT(t->uid),
                      (long long)thread.length);
        return SKEIN_OK;
    }
    skn_trees_init(&trees, f->tx, f->scratch, 0);
    if ((rc = skn_tree_open(&trees, t->root_id, t->base_length, &thread.base, err)) ||
        (rc = skn_thread_item(&trees, &thread, k->covers - 1, &last, err)))
        return unless_damaged(rc);
    if (last.message_id != k->last_message_id)
        skn_fsck_find(f, SKN_INV_SUMMARY_COVERS,
                      "compaction %lld does not end at message %lld in thread \"%.*s\"",
                      (long long)k->id, (long long)k->last_message_id, SKN_FMT(t->uid));
    return SKEIN_OK;
}

static skein_rc check_compaction_of(skn_fsck *f, const skn_thread_row *t, skein_error *err)
{
    skn_compaction_row k;
    bool               found = false;
    skein_rc           rc = SKEIN_OK;

    if (t->compaction_id)
        rc = skn_compaction_get(f->tx, t->compaction_id, &k, &found, err);
    if (rc || !found || k.thread_id == t->id) /* its own come with the compactions */
        return rc;
    return check_cover(f, t, &k, err);
}

static skein_rc on_thread(void *arg, const void *row, skein_error *err)
{
    const skn_thread_row *t = row;
    skn_fsck             *f = arg;
    bool                  readable = false;
    skein_rc              rc = check_root(f, t, &readable, err);

    if (rc == SKEIN_OK && readable)
        rc = check_tree(f, t, err);
    if (rc == SKEIN_OK && readable)
        rc = check_compaction_of(f, t, err);
    skn_arena_reset(f->scratch);
    return rc;
}

static skein_rc on_compaction(void *arg, const void *row, skein_error *err)
{
    const skn_compaction_row *k = row;
    skn_fsck                 *f = arg;
    skn_thread_row            t;
    bool                      found;
    skein_rc rc = skn_thread_get(f->tx, k->thread_id, f->scratch, &t, &found, err);

    if (rc == SKEIN_OK && found)
        rc = check_cover(f, &t, k, err);
    skn_arena_reset(f->scratch);
    return rc;
}

skein_rc skn_fsck_threads(skn_fsck *f, skein_error *err)
{
    skein_rc rc = skn_check_each(f->tx, SKN_CHECK_THREADS, on_thread, f, err);

    return rc ? rc : skn_check_each(f->tx, SKN_CHECK_COMPACTIONS, on_compaction, f, err);
}
