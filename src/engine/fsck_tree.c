/* fsck_tree.c: every node of the trees of spans, once, in order of their ids: children were written
 * before those they hang on. */
#include "engine/fsck.h"

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

skein_rc skn_fsck_node_of(skn_fsck *f, int64_t id, skn_fsck_node *out, bool *found,
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

    rc = skn_check_keys(f->tx, s->thread, s->lo, s->len, s->lo >= 0, &kmin, &kmax, &found, err);
    if (rc)
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
        rc = skn_fsck_node_of(f, e->child_id, &child, &found, err);
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

static skein_rc on_node(void *arg, const skn_check_node *n, skein_error *err)
{
    skn_fsck *f = arg;
    skn_node *node;
    skein_rc  rc = SKEIN_OK;

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
    return skn_check_nodes(f->tx, on_node, f, err);
}
