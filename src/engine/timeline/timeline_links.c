/* Which call started which lane. Records claim it, skein_timelines_link states it; here it is
 * settled, so that every lane has one parent at most and no lane is its own ancestor. */
#include "base/error.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "engine/timeline/timeline_state.h"

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

/* Guessed links, made only when asked for: the ways in which a call of the tool "delegate"
 * was tied to its lane before calls named it. Nothing stated is overruled, and no lane is
 * used twice. */

enum { WINDOW = 5 * 1000 * 1000 }; /* microseconds between a call and its lane's first record */

static bool may_guess(const skn_tool *tool)
{
    return !tool->child && !tool->linked &&
           skn_str_is(skn_rec_field(tool->call, SKN_FIELD_TOOL_NAME), "delegate");
}

static void guess(skein_timeline *parent, skn_tool *tool, skein_timeline *child)
{
    tool->child = child;
    child->parent = parent;
    child->via = tool;
    child->guessed = true;
}

/* --- By notices --------------------------------------------------------------------------- */

/* The X of the last "(Thread: X)"; absent when there is none. */
static skn_str named_thread(skn_str text)
{
    skn_str open = SKN_STR("(Thread: "), name = SKN_NONE;
    size_t  start = 0; /* 0: none is open */

    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '(' && skn_str_starts(skn_str_sub(text, i, text.n), open)) {
            start = i + open.n;
        } else if (text.p[i] == ')' && start > 0) {
            name = skn_str_sub(text, start, i);
            start = 0;
        }
    }
    return name;
}

static skein_timeline *noticed_lane(const skein_timeline *t, const skn_rec *rec)
{
    skn_str         key = SKN_NONE;
    skein_timeline *child;

    if (rec->type == SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE)
        key = named_thread(skn_rec_field(rec, SKN_FIELD_TEXT));
    if (key.n == 0 || skn_str_eq(key, t->key))
        return NULL;
    child = skn_lane_find(t->set, key);
    return child && child->order > 0 && !child->parent ? child : NULL;
}

/* Of the calls before notice `seq`, from *next on: the first that was still open, else the last
 * that was not. */
static skn_tool *noticed_call(const skein_timeline *t, uint32_t seq, size_t *next,
                              skn_tool **answered)
{
    skn_tool *found = NULL;

    for (; !found && *next < t->tools.n; (*next)++) {
        skn_tool *tool = skn_tool_at(t, *next);

        if (tool->call->seq > seq)
            break;
        if (!may_guess(tool))
            continue;
        if (tool->result && tool->result->seq < seq)
            *answered = tool;
        else
            found = tool;
    }
    if (!found && *answered && may_guess(*answered))
        found = *answered;
    return found;
}

static void guess_by_notices(skein_timeline *t)
{
    skn_tool *answered = NULL;
    size_t    next = 0;

    if (t->tools.n == 0)
        return;
    for (size_t i = 0; i < t->records.n; i++) {
        skein_timeline *child = noticed_lane(t, skn_rec_at(t, i));
        skn_tool       *tool = child ? noticed_call(t, (uint32_t)i, &next, &answered) : NULL;

        if (tool)
            guess(t, tool, child);
    }
}

/* --- By time ------------------------------------------------------------------------------ */

typedef struct candidate {
    skein_timeline *parent, *child;
} candidate;

static int cmp_times(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int cmp_candidates(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    int              order = x->parent == y->parent ? 0 : skn_lane_cmp(x->parent, y->parent);

    if (order == 0)
        order = cmp_times(x->child->first_at, y->child->first_at);
    return order ? order : skn_lane_cmp(x->child, y->child);
}

static int cmp_calls(const void *a, const void *b)
{
    const skn_rec *x = (*(skn_tool *const *)a)->call, *y = (*(skn_tool *const *)b)->call;
    int            order = cmp_times(x->at, y->at);

    return order ? order : cmp_times(x->seq, y->seq);
}

/* Only lanes whose key is their parent's with one more part: a guess may look at names. */
static size_t find_candidates(const skein_timelines *set, candidate *out)
{
    size_t n = 0;

    for (size_t i = 0; i < set->sorted_count; i++) {
        skein_timeline *t = set->sorted[i], *parent;
        size_t          dot = t->key.n;

        if (t->parent || t->first_at == 0 || t->dots == 0)
            continue;
        while (t->key.p[--dot] != '.')
            ;
        parent = skn_lane_find(set, skn_str_sub(t->key, 0, dot));
        if (parent)
            out[n++] = (candidate){parent, t};
    }
    qsort(out, n, sizeof *out, cmp_candidates);
    return n;
}

static size_t find_calls(const skein_timeline *t, skn_tool **out)
{
    size_t n = 0;

    for (size_t i = 0; i < t->tools.n; i++) {
        skn_tool *tool = skn_tool_at(t, i);

        if (may_guess(tool) && tool->call->at != 0)
            out[n++] = tool;
    }
    qsort(out, n, sizeof *out, cmp_calls);
    return n;
}

static bool within(int64_t earlier, int64_t later)
{
    return (uint64_t)later - (uint64_t)earlier < WINDOW;
}

/* Both lists in order of time: the first call takes the first lane that is near enough. */
static void guess_by_time(candidate *c, size_t count)
{
    skein_timeline *parent = c->parent;
    skn_tool      **calls = skn_heap((parent->tools.n + 1) * sizeof *calls);
    size_t          n = find_calls(parent, calls), i = 0, k = 0;

    while (i < count && k < n) {
        int64_t at = calls[k]->call->at, first = c[i].child->first_at;

        if (first < at ? within(first, at) : within(at, first))
            guess(parent, calls[k++], c[i++].child);
        else if (first < at)
            i++;
        else
            k++;
    }
    free(calls);
}

/* Adds guessed parents to lanes that have none. */
static void add_guesses(skein_timelines *set)
{
    candidate *c = skn_heap((set->sorted_count + 1) * sizeof *c);
    size_t     n, end;

    for (size_t i = 0; i < set->sorted_count; i++)
        guess_by_notices(set->sorted[i]);
    n = find_candidates(set, c);
    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && c[end].parent == c[i].parent; end++)
            ;
        guess_by_time(c + i, end - i);
    }
    free(c);
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
        add_guesses(set);
    cut_rings(set);
    for (size_t i = 0; i < set->sorted_count; i++)
        adopt(set->sorted[i]);
}
