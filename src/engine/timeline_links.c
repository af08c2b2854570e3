/* Which call started which lane. Records claim it, skein_timelines_link states it; here it is
 * settled, so that every lane has one parent at most and no lane is its own ancestor. */
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "engine/timeline_state.h"

#include <stdlib.h>

/* A call by more than its id: by its message, or by its number among the calls with its id. */
typedef struct exact {
    skn_str  call_id, message_id; /* message_id.n == 0: by occurrence */
    uint32_t occurrence;
} exact;

static uint64_t exact_hash(const skein_timelines *set, const exact *key)
{
    uint64_t hash = skn_hash_bytes(set->seed, key->call_id);

    if (key->message_id.n > 0)
        return skn_hash_bytes(hash, key->message_id);
    return skn_hash_bytes(~hash,
                          (skn_str){(const char *)&key->occurrence, sizeof key->occurrence});
}

static bool tool_is(const void *owner, uint32_t at, const void *key)
{
    const exact    *k = key;
    const skn_tool *tool = skn_tool_at(owner, at);

    if (!skn_str_eq(skn_rec_field(tool->call, SKN_FIELD_CALL_ID), k->call_id))
        return false;
    if (k->message_id.n > 0)
        return skn_str_eq(skn_rec_field(tool->call, SKN_FIELD_MESSAGE_ID), k->message_id);
    return tool->occurrence == k->occurrence;
}

static const skn_spawn *spawn_at(const skein_timeline *t, size_t i)
{
    return skn_list_at(&t->spawns, sizeof(skn_spawn), i);
}

static bool spawn_is(const void *owner, uint32_t at, const void *key)
{
    const exact     *k = key;
    const skn_spawn *s = spawn_at(owner, at);

    return skn_str_eq(s->call_id, k->call_id) && skn_str_eq(s->message_id, k->message_id) &&
           s->occurrence == k->occurrence;
}

static exact by_message(const skn_tool *tool)
{
    return (exact){skn_rec_field(tool->call, SKN_FIELD_CALL_ID),
                   skn_rec_field(tool->call, SKN_FIELD_MESSAGE_ID), 0};
}

static exact by_occurrence(const skn_tool *tool)
{
    return (exact){skn_rec_field(tool->call, SKN_FIELD_CALL_ID), SKN_NONE, tool->occurrence};
}

static void attach(skn_tool *tool, skein_timeline *child)
{
    if (tool->linked)
        return;
    tool->linked = child;
    child->link_tool = tool;
    child->set->unsettled = true;
}

/* Files the call under one of its keys, unless an earlier one has it, and returns the number
 * of the link that waits for this key; UINT32_MAX when none does. The first call of an id
 * needs no filing by occurrence: its group knows it. */
static uint32_t file_call(skein_timeline *t, const exact *key, bool first)
{
    uint64_t hash = first && t->spawns.n == 0 ? 0 : exact_hash(t->set, key);
    uint32_t at;

    if (!first) {
        if (skn_index_find(&t->by_exact_call, hash, tool_is, t, key, &at))
            return UINT32_MAX;
        skn_index_add(&t->by_exact_call, hash, (uint32_t)(t->tools.n - 1));
    }
    if (t->spawns.n > 0 && skn_index_find(&t->by_spawn, hash, spawn_is, t, key, &at))
        return at;
    return UINT32_MAX;
}

/* Of two links to one call, one by message and one by occurrence, the earlier given holds,
 * as it would if the call had been there first. */
void skn_links_call(skein_timeline *t, skn_tool *tool)
{
    exact    message = by_message(tool), number = by_occurrence(tool);
    uint32_t a = UINT32_MAX, b = file_call(t, &number, tool->occurrence == 1);

    if (message.message_id.n > 0)
        a = file_call(t, &message, false);
    if (b < a)
        a = b;
    if (a < UINT32_MAX)
        attach(tool, spawn_at(t, a)->child);
}

static skn_tool *find_call(const skein_timeline *t, const exact *key)
{
    const skn_calls *calls;
    uint32_t         at;

    if (key->message_id.n == 0 && key->occurrence == 1) {
        calls = skn_lane_calls(t, key->call_id);
        return calls ? calls->first : NULL;
    }
    if (!skn_index_find(&t->by_exact_call, exact_hash(t->set, key), tool_is, t, key, &at))
        return NULL;
    return skn_tool_at(t, at);
}

/* The first claim of a call holds, and among those for one child that of the outermost lane,
 * then the earliest of its lane: an order that knows nothing of how lanes were mixed. */
void skn_links_claim(skein_timeline *t, skn_tool *tool, const skn_rec *by)
{
    skn_str         key = skn_rec_field(by, SKN_FIELD_CHILD);
    skein_timeline *child;

    if (key.n == 0 || tool->claimed || skn_str_eq(key, t->key))
        return;
    child = skn_lane_named(t->set, key);
    tool->claimed = child;
    t->set->unsettled = true;
    if (child->claim_lane == t || (child->claim_lane && skn_lane_cmp(child->claim_lane, t) < 0))
        return;
    child->claim_tool = tool;
    child->claim_lane = t;
}

/* --- Stated links ------------------------------------------------------------------------- */

static skein_rc check_link(const skein_lane_link *link, skein_error *err)
{
    skein_rc rc;

    if ((rc = skn_lane_check(link->child, err)) || (rc = skn_lane_check(link->parent, err)))
        return rc;
    if (skn_str_eq(link->child, link->parent))
        return skn_fail(err, SKEIN_INVALID, "a lane cannot start itself");
    if ((rc = skn_utf8_check(link->call_id, "call id", err)))
        return rc;
    return skn_utf8_check(link->message_id, "message id", err);
}

static exact key_of_link(const skein_lane_link *link)
{
    if (link->message_id.n > 0)
        return (exact){link->call_id, link->message_id, 0};
    return (exact){link->call_id, SKN_NONE, link->occurrence ? link->occurrence : 1};
}

static bool same_link(const skein_timeline *child, const skein_timeline *parent, const exact *k)
{
    const skn_spawn *s = child->link;

    return child->link_lane == parent && skn_str_eq(s->call_id, k->call_id) &&
           skn_str_eq(s->message_id, k->message_id) && s->occurrence == k->occurrence;
}

static void add_link(skein_timeline *parent, skein_timeline *child, const exact *k)
{
    skn_arena *a = parent->set->memory;
    uint64_t   hash = exact_hash(parent->set, k);
    skn_spawn *s = skn_list_add(&parent->spawns, sizeof *s);
    skn_tool  *tool;
    uint32_t   at;

    *s = (skn_spawn){skn_arena_copy(a, k->call_id), skn_arena_copy(a, k->message_id),
                     k->occurrence, child};
    child->link = s;
    child->link_lane = parent;
    if (k->call_id.n == 0 || skn_index_find(&parent->by_spawn, hash, spawn_is, parent, k, &at))
        return;
    skn_index_add(&parent->by_spawn, hash, (uint32_t)parent->spawns.n - 1);
    if ((tool = find_call(parent, k)))
        attach(tool, child);
}

skein_rc skein_timelines_link(skein_timelines *set, const skein_lane_link *link,
                              skein_error *err)
{
    exact           key = key_of_link(link);
    skein_timeline *child, *parent;
    skein_rc        rc = check_link(link, err);

    if (rc)
        return rc;
    child = skn_lane_find(set, link->child);
    if (child && child->link_lane) {
        skn_str name = skn_utf8_cut(link->child, 100);

        if (same_link(child, skn_lane_find(set, link->parent), &key))
            return SKEIN_OK;
        return skn_fail(err, SKEIN_CONFLICT, "lane \"%.*s\" is already linked to another call",
                        SKN_FMT(name));
    }
    parent = skn_lane_named(set, link->parent);
    add_link(parent, skn_lane_named(set, link->child), &key);
    set->unsettled = true;
    return SKEIN_OK;
}

/* --- Settling ----------------------------------------------------------------------------- */

static int cmp_lanes(const void *a, const void *b)
{
    return skn_lane_cmp(*(skein_timeline *const *)a, *(skein_timeline *const *)b);
}

static void sort_lanes(skein_timelines *set)
{
    if (set->sorted_count == set->lanes.n)
        return;
    if (set->sorted_cap < set->lanes.n) {
        set->sorted_cap = set->lanes.n * 2;
        set->sorted = skn_heap_resize(set->sorted, set->sorted_cap * sizeof(skein_timeline *));
    }
    set->sorted_count = set->lanes.n;
    for (size_t i = 0; i < set->lanes.n; i++)
        set->sorted[i] = skn_lane_at(set, i);
    qsort(set->sorted, set->sorted_count, sizeof(skein_timeline *), cmp_lanes);
}

/* What was stated stands above what records claim. */
static void choose_parent(skein_timeline *t)
{
    t->parent = NULL;
    t->via = NULL;
    t->guessed = false;
    t->seen = 0;
    t->first_child = t->last_child = t->next_sibling = NULL;
    if (t->link_lane) {
        t->parent = t->link_lane;
        t->via = t->link_tool;
    } else if (t->claim_tool && !t->claim_tool->linked) {
        t->parent = t->claim_lane;
        t->via = t->claim_tool;
    }
    if (t->via)
        t->via->child = t;
}

/* Opens the ring that t is in: at a guess if there is one, else at the outermost lane. */
static void cut_ring(skein_timeline *t)
{
    skein_timeline *cut = t;

    for (skein_timeline *p = t->parent; p != t; p = p->parent)
        if (p->guessed != cut->guessed ? p->guessed : skn_lane_cmp(p, cut) < 0)
            cut = p;
    if (cut->via)
        cut->via->child = NULL;
    cut->parent = NULL;
    cut->via = NULL;
    cut->guessed = false;
}

enum { NEW, ON_THIS_WALK, DONE };

/* Follows parents from every lane; a lane met twice on one walk is in a ring. */
static void cut_rings(skein_timelines *set)
{
    for (size_t i = 0; i < set->sorted_count; i++) {
        skein_timeline *t = set->sorted[i], *end;
        bool            ring;

        for (end = t; end && end->seen == NEW; end = end->parent)
            end->seen = ON_THIS_WALK;
        ring = end && end->seen == ON_THIS_WALK;
        for (; t && t->seen == ON_THIS_WALK; t = t->parent)
            t->seen = DONE;
        if (ring)
            cut_ring(end);
    }
}

static void adopt(skein_timeline *t)
{
    skein_timeline *p = t->parent;

    if (!p)
        return;
    if (p->last_child)
        p->last_child->next_sibling = t;
    else
        p->first_child = t;
    p->last_child = t;
}

void skn_links_settle(skein_timelines *set)
{
    if (!set->unsettled)
        return;
    set->unsettled = false;
    for (size_t i = 0; i < set->sorted_count; i++)
        if (set->sorted[i]->via)
            set->sorted[i]->via->child = NULL;
    sort_lanes(set);
    for (size_t i = 0; i < set->sorted_count; i++)
        choose_parent(set->sorted[i]);
    if (set->guess_links)
        skn_links_guess(set);
    cut_rings(set);
    for (size_t i = 0; i < set->sorted_count; i++)
        adopt(set->sorted[i]);
}
