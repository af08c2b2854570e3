#include "engine/tree/holds.h"

#include <stdlib.h>

void skn_idset_init(skn_idset *s, skn_arena *a)
{
    *s = (skn_idset){.a = a, .number = skn_map_new(a)};
}

size_t skn_idset_add(skn_idset *s, int64_t id)
{
    void **slot;

    if (id == 0)
        return SIZE_MAX;
    slot = skn_map_slot_int(s->number, id);
    if (!*slot) {
        skn_vec_add(s->a, &s->v, id);
        *slot = (void *)(uintptr_t)s->v.n;
    }
    return (size_t)(uintptr_t)*slot - 1;
}

size_t skn_idset_find(const skn_idset *s, int64_t id)
{
    return (size_t)(uintptr_t)skn_map_get_int(s->number, id) - 1;
}

skn_ids skn_idset_ids(const skn_idset *s)
{
    return (skn_ids){s->v.p, s->v.n};
}

/* --- Places ------------------------------------------------------------------------------------- */

SKN_ORDER(by_place, skn_batch_item, thread, seq)

/* The places come by message, so those of one stand together. */
static void sort_in(skn_batch *b, const skn_idset *ids, const skn_placed_list *placed)
{
    skn_arena     *a = b->trees->a;
    skn_placement *all = SKN_ARRAY(a, placed->count, skn_placement);

    b->items = SKN_ARRAY(a, placed->count, skn_batch_item);
    b->keys = SKN_ARRAY(a, placed->count, int64_t);
    b->item_count = placed->count;
    for (size_t i = 0; i < placed->count; i++) {
        size_t          number = skn_idset_find(ids, placed->at[i].message_id);
        skn_placements *mine = &b->places[number];

        all[i] = placed->at[i].place;
        if (mine->count++ == 0)
            mine->at = &all[i];
        b->items[i] = (skn_batch_item){all[i].thread_id, all[i].seq, number};
        b->keys[i] = all[i].key;
    }
    if (placed->count > 0) {
        qsort(b->items, placed->count, sizeof *b->items, by_place);
        qsort(b->keys, placed->count, sizeof *b->keys, skn_by_number);
    }
}

skein_rc skn_batch_open(skn_batch *b, skn_trees *f, skn_ids ids, skein_error *err)
{
    skn_placed_list placed = {0};
    skn_idset       numbers;
    skein_rc        rc;

    *b = (skn_batch){.trees = f, .count = ids.count, .words = (ids.count + 63) / 64};
    b->places = SKN_ARRAY(f->a, ids.count, skn_placements);
    b->nodes = skn_map_new(f->a);
    skn_idset_init(&numbers, f->a);
    for (size_t i = 0; i < ids.count; i++)
        skn_idset_add(&numbers, ids.at[i]);
    if (ids.count > 0 && (rc = skn_placements_of(f->tx, &ids, f->a, &placed, err)))
        return rc;
    sort_in(b, &numbers, &placed);
    return SKEIN_OK;
}

skn_bits *skn_batch_bits(const skn_batch *b)
{
    return SKN_ARRAY(b->trees->a, b->words + 1, skn_bits);
}

/* --- Threads ------------------------------------------------------------------------------------ */

/* Does any place have a key in [from, to]? */
static bool any_key(const skn_batch *b, int64_t from, int64_t to)
{
    size_t first = skn_first_from(b->keys, b->item_count, sizeof *b->keys, 0, from);

    return first < b->item_count && b->keys[first] <= to;
}

/* Sets the bits of the places in items [from, to) of a thread. */
static void mark_range(const skn_batch *b, int64_t thread, int64_t from, int64_t to,
                       skn_bits *bits)
{
    skn_batch_item first = {.thread = thread, .seq = from};
    size_t         lo = 0, hi = b->item_count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (by_place(&b->items[mid], &first) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < b->item_count && b->items[lo].thread == thread && b->items[lo].seq < to; lo++)
        skn_bit_set(bits, b->items[lo].number);
}

static void merge(const skn_batch *b, skn_bits *to, const skn_bits *from)
{
    for (size_t i = 0; i < b->words; i++)
        to[i] |= from[i];
}

typedef skn_vec(skn_node *) node_list;

static bool worth_it(const skn_batch *b, const skn_entry *e)
{
    return any_key(b, e->span.kmin, e->span.kmax);
}

/* The nodes under `root` that nobody has looked at yet, parents before their children. */
static skein_rc list_new(skn_batch *b, skn_node *root, node_list *out, skein_error *err)
{
    skn_arena *a = b->trees->a;
    skein_rc   rc;

    skn_vec_add(a, out, root);
    for (size_t i = 0; i < out->n; i++) { /* grows while it runs */
        skn_node *n = out->p[i];

        for (size_t k = 0; n->level > 0 && k < n->count; k++) {
            skn_entry *e = &n->e[k];

            if (!worth_it(b, e) || skn_map_get_int(b->nodes, e->child_id))
                continue;
            if ((rc = skn_tree_child(b->trees, n->level, e, err)))
                return rc;
            skn_vec_add(a, out, e->child);
        }
    }
    return SKEIN_OK;
}

/* What stands under a node, whose children are known by now. */
static skn_bits *gather(skn_batch *b, const skn_node *n)
{
    skn_bits *bits = skn_batch_bits(b);

    for (size_t k = 0; k < n->count; k++) {
        const skn_span *s = &n->e[k].span;
        const skn_bits *below;

        if (!worth_it(b, &n->e[k]))
            continue;
        if (n->level == 0)
            mark_range(b, s->thread, s->lo, s->lo + s->len, bits);
        else if ((below = skn_map_get_int(b->nodes, n->e[k].child_id)) != NULL)
            merge(b, bits, below);
    }
    return bits;
}

static skein_rc base_held(skn_batch *b, skn_node *root, skn_bits *bits, skein_error *err)
{
    const skn_bits *known = skn_map_get_int(b->nodes, root->id);
    node_list       fresh = {0};
    skein_rc        rc;

    if (!known) {
        if ((rc = list_new(b, root, &fresh, err)))
            return rc;
        for (size_t i = fresh.n; i-- > 0;)
            *skn_map_slot_int(b->nodes, fresh.p[i]->id) = gather(b, fresh.p[i]);
        known = skn_map_get_int(b->nodes, root->id);
    }
    merge(b, bits, known);
    return SKEIN_OK;
}

skein_rc skn_batch_held(skn_batch *b, const skn_thread *t, skn_bits *bits, skein_error *err)
{
    mark_range(b, t->row.id, 0, t->length - t->base.length, bits);
    return t->base.root ? base_held(b, t->base.root, bits, err) : SKEIN_OK;
}
