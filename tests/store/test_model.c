/* test_model.c: random histories of every operation, compared with plain lists.
 *
 * The model keeps, for every version ever made, one list for each lane, and copies whole lists where
 * the engine shares structure. After each operation the current version must be the same in both; at
 * the end of a history every version must. There are SKEIN_TEST_HISTORIES of them, beginning with number
 * SKEIN_TEST_FIRST; an argument picks the database, so that parts of the work can run side by side. */
#include "store/fixture.h"

#include "engine/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 4, AGENTS = 2, OPS = 200, MAX_LEN = 4000 };

typedef struct item {
    int64_t id, key;
} item;

typedef struct list {
    item  *p;
    size_t n, cap;
} list;

typedef struct version {
    list    lane[LANES]; /* main, two agents' memories, one delegation */
    int64_t number;
} version;

typedef struct op {
    size_t from, to; /* versions */
    bool   undone;
} op;

typedef struct message {
    int64_t id;
    int     call; /* number of the tool exchange it belongs to, or 0 */
    bool    result, human;
} message;

typedef struct world {
    skein_engine         *e;
    skein_mem            *mem;
    skein_conversation_id chat;
    int64_t               lane_id[LANES];
    version              *versions;
    size_t                version_count, current;
    op                    ops[OPS + 1];
    size_t                op_count;
    size_t                redo[OPS + 1]; /* operations that may come again, the next one last */
    size_t                redo_count;
    message              *messages;
    size_t                message_count;
    int64_t               open_call; /* a call without a result, or 0 */
    char                  open_id[24];
    uint64_t              seed;
    int                   calls;
} world;

static uint64_t next_random(world *w)
{
    w->seed ^= w->seed << 13;
    w->seed ^= w->seed >> 7;
    w->seed ^= w->seed << 17;
    return w->seed;
}

static size_t below(world *w, size_t n)
{
    return (size_t)(next_random(w) % n);
}

/* --- Lists --------------------------------------------------------------------------------------- */

static void grow(list *l, size_t n)
{
    if (n <= l->cap)
        return;
    l->cap = n * 2 + 8;
    l->p = realloc(l->p, l->cap * sizeof *l->p);
    assert_non_null(l->p);
}

static void splice(list *l, size_t i, size_t j, const item *ins, size_t n)
{
    size_t tail = l->n - j;

    grow(l, i + n + tail);
    if (tail)
        memmove(l->p + i + n, l->p + j, tail * sizeof *l->p);
    if (n)
        memcpy(l->p + i, ins, n * sizeof *ins);
    l->n = i + n + tail;
}

static ptrdiff_t find(const list *l, int64_t id)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->p[i].id == id)
            return (ptrdiff_t)i;
    return -1;
}

static version *now(world *w)
{
    return &w->versions[w->current];
}

/* A new version that begins as a copy of another. */
static version *derive(world *w, size_t from)
{
    version *v, *old;

    w->versions = realloc(w->versions, (w->version_count + 1) * sizeof *w->versions);
    assert_non_null(w->versions);
    v = &w->versions[w->version_count];
    old = &w->versions[from];
    memset(v, 0, sizeof *v);
    for (int k = 0; k < LANES; k++)
        splice(&v->lane[k], 0, 0, old->lane[k].p, old->lane[k].n);
    v->number = (int64_t)w->version_count + 1;
    w->ops[w->op_count++] = (op){w->current, w->version_count, false};
    w->redo_count = 0;
    w->current = w->version_count++;
    return v;
}

static message *message_of(world *w, int64_t id)
{
    for (size_t i = 0; i < w->message_count; i++)
        if (w->messages[i].id == id)
            return &w->messages[i];
    fail_msg("message %lld is unknown to the model", (long long)id);
    return NULL;
}

static void remember(world *w, int64_t id, bool human, int call, bool result)
{
    w->messages = realloc(w->messages, (w->message_count + 1) * sizeof *w->messages);
    assert_non_null(w->messages);
    w->messages[w->message_count++] = (message){id, call, result, human};
}

/* --- Comparing ------------------------------------------------------------------------------------- */

typedef struct reading {
    world *w;
    size_t from, to;    /* versions to look at: from … to - 1 */
    int    first, last; /* lanes to look at */
    bool   whole;       /* all of them, or a part */
    skn_map
        *items; /* of whole threads, by thread: versions share them, so they are read once */
} reading;

/* The items of a whole thread, patches included; their numbers follow each other. */
static const skn_items *thread_items(reading *r, skn_trees *f, int64_t thread, skein_error *err)
{
    void     **slot = skn_map_slot_int(r->items, thread);
    skn_items *all = *slot;

    if (all)
        return all;
    *slot = all = SKN_NEW(f->a, skn_items);
    SKN_OK(skn_item_range(f->tx, thread, INT64_MIN, INT64_MAX, f->a, all, err), *err);
    return all;
}

/* The items of a span, as many as it says. */
static const skn_item *span_items(reading *r, skn_trees *f, const skn_span *s, skein_error *err)
{
    const skn_items *all;
    skn_items        items;
    int64_t          at;

    if (!r->whole) {
        SKN_OK(skn_item_range(f->tx, s->thread, s->lo, s->lo + s->len, f->a, &items, err),
               *err);
        assert_int_equal(items.count, s->len);
        return items.at;
    }
    all = thread_items(r, f, s->thread, err);
    assert_true(all->count > 0);
    at = s->lo - all->at[0].seq;
    assert_true(at >= 0 && at + s->len <= (int64_t)all->count);
    return all->at + at;
}

/* Positions [i, j) of a lane hold what the list holds, and each message is found where it stands. */
static void compare_range(reading *r, skn_trees *f, const skn_thread *t, const list *want,
                          int64_t i, int64_t j, skein_error *err)
{
    skn_spans spans;
    int64_t   at = i;

    SKN_OK(skn_thread_slice(f, t, i, j, &spans, err), *err);
    for (size_t k = 0; k < spans.count; k++) {
        const skn_span *s = &spans.at[k];
        const skn_item *items = span_items(r, f, s, err);

        for (int64_t n = 0; n < s->len; n++, at++) {
            assert_int_equal(items[n].seq, s->lo + n);
            assert_int_equal(items[n].message_id, want->p[at].id);
            assert_int_equal(items[n].key, want->p[at].key);
        }
    }
    assert_int_equal(at, j);
    if (j == i)
        return;
    SKN_OK(skn_thread_position_of(f, t, want->p[i].id, &at, err), *err);
    assert_int_equal(at, i);
}

static void compare_version(reading *r, skn_trees *f, const skn_conversation_row *c,
                            const version *v, skein_error *err)
{
    skn_version_row row;

    SKN_OK(skn_version_pick(f->tx, c, v->number, f->a, &row, err), *err);
    for (int lane = r->first; lane <= r->last; lane++) {
        size_t     n = v->lane[lane].n;
        int64_t    i = 0, j = (int64_t)n;
        skn_thread t;
        bool       found;

        if (!r->whole && n > 0) {
            i = (int64_t)below(r->w, n);
            j = i + (int64_t)below(r->w, n - (size_t)i) + 1;
        }
        SKN_OK(skn_thread_load(f, row.id, r->w->lane_id[lane], &t, &found, err), *err);
        assert_int_equal(t.length, n);
        compare_range(r, f, &t, &v->lane[lane], i, j, err);
    }
}

static skein_rc compare_versions(skn_tx *tx, void *arg, skein_error *err)
{
    reading             *r = arg;
    skn_arena           *a = skn_arena_new();
    skn_trees            f;
    skn_conversation_row c;

    r->items = skn_map_new(a);
    skn_trees_init(&f, tx, a, r->w->chat.v);
    SKN_OK(skn_conversation_need(tx, r->w->chat, a, &c, err), *err);
    for (size_t v = r->from; v < r->to; v++)
        compare_version(r, &f, &c, &r->w->versions[v], err);
    skn_arena_free(a);
    return SKEIN_OK;
}

/* The current version: all lanes whole, or a part of one. */
static void compare(world *w, bool whole)
{
    skein_error err = {0};
    int         lane = (int)below(w, LANES);
    reading     r = {w, w->current, w->current + 1, lane, lane, whole, NULL};

    if (whole) {
        r.first = 0;
        r.last = LANES - 1;
    }
    SKN_OK(skn_store_read(w->e->store, compare_versions, &r, &err), err);
}

/* All lanes of all versions, whole. */
static void compare_all(world *w)
{
    skein_error err = {0};
    reading     r = {w, 0, w->version_count, 0, LANES - 1, true, NULL};

    SKN_OK(skn_store_read(w->e->store, compare_versions, &r, &err), err);
}

/* --- Operations ------------------------------------------------------------------------------------- */

static skein_change how(world *w)
{
    return (skein_change){.conversation = w->chat};
}

/* Says something, heard by both agents, one, or none; or in the delegation. */
static void do_append(world *w)
{
    static const skein_str names[AGENTS] = {{"ada", 3}, {"bo", 2}};
    skein_error            err = {0};
    skein_messages         stored;
    size_t                 count = 1 + below(w, 4), hear = below(w, 4);
    bool                   delegated = below(w, 6) == 0;
    skein_new_message      m[4] = {0};
    skein_append_request   r = {.conversation = w->chat, .messages = m, .count = count};

    for (size_t i = 0; i < count; i++) {
        bool human = below(w, 2);

        m[i].role = human ? SKEIN_USER : SKEIN_ASSISTANT;
        m[i].sender = human ? skein_text("human") : skein_text("guest");
        m[i].content = skein_text("something");
        m[i].heard_by_given = hear < 3;
        m[i].heard_by = hear == 1 ? &names[1] : names;
        m[i].heard_by_count = hear == 3 ? 0 : hear == 2 ? 1 : hear;
    }
    if (delegated)
        r.lane = skein_text("main.1");
    SKN_OK(skein_append(w->e, &r, w->mem, &stored, &err), err);
    for (size_t i = 0; i < count; i++) {
        item it = {stored.at[i].id.v, stored.at[i].id.v};
        bool to[LANES] = {!delegated, !delegated && (hear == 2 || hear == 3),
                          !delegated && (hear == 1 || hear == 3), delegated};

        remember(w, it.id, m[i].role == SKEIN_USER, 0, false);
        for (int k = 0; k < LANES; k++)
            if (to[k])
                splice(&now(w)->lane[k], now(w)->lane[k].n, now(w)->lane[k].n, &it, 1);
    }
    w->redo_count = 0;
}

/* A tool call of ada's, or the result of the last one. */
static void do_tool(world *w)
{
    skein_error          err = {0};
    skein_messages       stored;
    skein_new_message    m = {.role = SKEIN_ASSISTANT, .sender = skein_text("ada")};
    skein_append_request r = {.conversation = w->chat, .messages = &m, .count = 1};
    skein_tool_call      call;
    item                 it;
    bool                 result = w->open_call && find(&now(w)->lane[0], w->open_call) >= 0;

    if (result) {
        m.role = SKEIN_TOOL;
        m.tool_call_id = skein_text(w->open_id);
        m.content = skein_text("done");
    } else {
        snprintf(w->open_id, sizeof w->open_id, "call_%d", ++w->calls);
        call = (skein_tool_call){skein_text(w->open_id), skein_text("tool"), skein_text("{}")};
        m.calls = &call;
        m.call_count = 1;
        m.heard_by_given = true;
    }
    SKN_OK(skein_append(w->e, &r, w->mem, &stored, &err), err);
    it = (item){stored.at[0].id.v, stored.at[0].id.v};
    remember(w, it.id, false, w->calls, result);
    w->open_call = result ? 0 : it.id;
    splice(&now(w)->lane[0], now(w)->lane[0].n, now(w)->lane[0].n, &it, 1);
    splice(&now(w)->lane[1], now(w)->lane[1].n, now(w)->lane[1].n, &it, 1);
    w->redo_count = 0;
}

static int64_t pick(world *w)
{
    list *l = &now(w)->lane[below(w, 8) == 0 && now(w)->lane[3].n ? 3 : 0];

    return l->n ? l->p[below(w, l->n)].id : 0;
}

/* A message as the first lane that holds it has it. */
typedef struct anchor {
    const list *lane;
    ptrdiff_t   at;
    int64_t     id, key;
} anchor;

static anchor anchor_of(const version *v, int64_t id)
{
    for (int k = 0; k < LANES; k++) {
        ptrdiff_t at = find(&v->lane[k], id);

        if (at >= 0)
            return (anchor){&v->lane[k], at, id, v->lane[k].p[at].key};
    }
    return (anchor){0};
}

/* Where a lane has it, or would have it: before the first that stands behind it in the anchor's lane.
 * What only this lane holds is compared by its key. */
static size_t place_in(const list *l, const anchor *a)
{
    ptrdiff_t at = find(l, a->id);
    size_t    i;

    if (at >= 0)
        return (size_t)at;
    for (i = 0; i < l->n; i++) {
        ptrdiff_t there = find(a->lane, l->p[i].id);

        if (there >= 0 ? there >= a->at : l->p[i].key >= a->key)
            break;
    }
    return i;
}

/* The same for lane k of a version; agents go by the main lane, also for what a delegation holds. */
static size_t place_of(const version *v, int k, const anchor *a)
{
    anchor in_main = *a;

    if (a->lane == &v->lane[0] || k == 0 || k > AGENTS || find(&v->lane[k], a->id) >= 0)
        return place_in(&v->lane[k], a);
    in_main.lane = &v->lane[0];
    in_main.at = (ptrdiff_t)place_in(&v->lane[0], a);
    return place_in(&v->lane[k], &in_main);
}

static void do_amend(world *w)
{
    int64_t       id = pick(w);
    skein_change  h = how(w);
    skein_version out;
    skein_message edited;
    skein_error   err = {0};
    version      *v;

    if (!id)
        return;
    SKN_OK(skein_amend(w->e, &h, (skein_message_id){id}, skein_text("edited"), w->mem, &out,
                       &edited, &err),
           err);
    remember(w, edited.id.v, message_of(w, id)->human, message_of(w, id)->call,
             message_of(w, id)->result);
    v = derive(w, w->current);
    assert_int_equal(out.number, v->number);
    for (int k = 0; k < LANES; k++) {
        ptrdiff_t at = find(&v->lane[k], id);

        if (at >= 0)
            v->lane[k].p[at].id = edited.id.v;
    }
    if (w->open_call == id)
        w->open_call = edited.id.v;
}

/* Two to four different messages, with the other halves of their tool exchanges. */
static size_t pick_several(world *w, skein_message_id *ids, size_t most)
{
    size_t n = 0;

    for (size_t tries = 0; n < most && tries < most * 3; tries++) {
        int64_t id = now(w)->lane[0].n ? now(w)->lane[0].p[below(w, now(w)->lane[0].n)].id : 0;
        bool    twice = id == 0;

        for (size_t i = 0; i < n; i++)
            twice = twice || ids[i].v == id;
        if (!twice)
            ids[n++].v = id;
    }
    return n;
}

/* The other half of a tool exchange in the current version: a result stands after its call. */
static int64_t partner_of(world *w, int64_t id)
{
    const list    *l = &now(w)->lane[0];
    const message *m = message_of(w, id);
    ptrdiff_t      at = find(l, id);

    for (size_t i = 0; m->call && i < l->n; i++) {
        const message *other = message_of(w, l->p[i].id);

        if (other->call == m->call && other->result != m->result &&
            (other->result ? (ptrdiff_t)i > at : (ptrdiff_t)i < at))
            return other->id;
    }
    return 0;
}

static size_t close_pairs(world *w, skein_message_id *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t partner = partner_of(w, ids[i].v);
        bool    in = partner == 0;

        for (size_t k = 0; k < n; k++)
            in = in || ids[k].v == partner;
        if (!in)
            ids[n++].v = partner;
    }
    return n;
}

static void take_out(list *l, const skein_message_id *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t at = find(l, ids[i].v);

        if (at >= 0)
            splice(l, (size_t)at, (size_t)at + 1, NULL, 0);
    }
}

static void do_delete(world *w)
{
    skein_message_id ids[8];
    size_t           n = pick_several(w, ids, 1 + below(w, 3));
    skein_change     h = how(w);
    skein_version    out;
    skein_error      err = {0};
    version         *v;

    if (n == 0)
        return;
    SKN_OK(skein_delete(w->e, &h, (skein_message_ids){ids, n}, w->mem, &out, &err), err);
    n = close_pairs(w, ids, n);
    v = derive(w, w->current);
    for (int k = 0; k < LANES; k++)
        take_out(&v->lane[k], ids, n);
    assert_int_equal(out.length, v->lane[0].n);
}

static void do_insert(world *w)
{
    int64_t           before = below(w, 4) ? pick(w) : 0;
    bool              in_main = before == 0 || find(&now(w)->lane[0], before) >= 0;
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("inserted")};
    skein_change      h = how(w);
    skein_version     out;
    skein_message     made;
    skein_error       err = {0};
    anchor            a = anchor_of(now(w), before);
    const list       *from = in_main ? &now(w)->lane[0] : &now(w)->lane[3];
    size_t            to = before ? place_in(from, &a) : from->n;
    int64_t           key = from->n ? from->p[to > 0 ? to - 1 : 0].key : 0;
    size_t            places[LANES];
    version          *v;

    for (int k = 0; k < LANES; k++)
        places[k] = before ? place_of(now(w), k, &a) : now(w)->lane[k].n;
    SKN_OK(skein_insert(w->e, &h, (skein_message_id){before}, &m, w->mem, &out, &made, &err),
           err);
    remember(w, made.id.v, true, 0, false);
    v = derive(w, w->current);
    for (int k = 0; k < LANES; k++) {
        list  *l = &v->lane[k];
        size_t at = places[k];
        item   it = {made.id.v, made.id.v};

        if ((k == 3) == in_main)
            continue;
        if (key || l->n)
            it.key = key ? key : l->p[at > 0 ? at - 1 : 0].key;
        splice(l, at, at, &it, 1);
    }
}

static void move_in(list *l, const skein_message_id *ids, size_t n, size_t to)
{
    item   moved[8];
    size_t m = 0;

    for (size_t i = 0; i < n; i++) {
        ptrdiff_t at = find(l, ids[i].v);

        if (at >= 0)
            moved[m++] = l->p[at];
    }
    if (m == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        ptrdiff_t at = find(l, ids[i].v);

        if (at < 0)
            continue;
        splice(l, (size_t)at, (size_t)at + 1, NULL, 0);
        to -= (size_t)at < to;
    }
    splice(l, to, to, moved, m);
}

/* Each with the other half of its exchange, the call first, in the order in which they were named. */
static size_t close_groups(world *w, skein_message_id *ids, size_t n)
{
    skein_message_id all[8];
    size_t           count = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t partner = partner_of(w, ids[i].v);
        bool    in = false, second = partner && message_of(w, ids[i].v)->result;

        for (size_t k = 0; k < count; k++)
            in = in || all[k].v == ids[i].v;
        if (in)
            continue;
        all[count++].v = second ? partner : ids[i].v;
        if (partner)
            all[count++].v = second ? ids[i].v : partner;
    }
    memcpy(ids, all, sizeof all);
    return count;
}

static void do_reorder(world *w)
{
    skein_message_id ids[8], all[8];
    size_t           n = pick_several(w, ids, 1 + below(w, 3)), count;
    int64_t          before = below(w, 4) ? pick(w) : 0;
    skein_change     h = how(w);
    skein_version    out;
    skein_error      err = {0};
    anchor           a = anchor_of(now(w), before);
    size_t           to[LANES];
    version         *v;

    memcpy(all, ids, sizeof all);
    count = close_groups(w, all, n);
    for (size_t i = 0; i < count; i++)
        if (all[i].v == before)
            return;
    if (n == 0)
        return;
    for (int k = 0; k < LANES; k++)
        to[k] = before ? place_of(now(w), k, &a) : now(w)->lane[k].n;
    SKN_OK(skein_reorder(w->e, &h, (skein_message_ids){ids, n}, (skein_message_id){before},
                         w->mem, &out, &err),
           err);
    v = derive(w, w->current);
    for (int k = 0; k < LANES; k++)
        move_in(&v->lane[k], all, count, to[k]);
}

/* The result stands where the first source stands or would stand. */
static void squash_in(list *l, const skein_message_id *ids, size_t n, size_t to, item result)
{
    size_t before = 0, held = l->n;

    for (size_t i = 0; i < n; i++) {
        ptrdiff_t at = find(l, ids[i].v);

        before += at >= 0 && (size_t)at < to;
    }
    take_out(l, ids, n);
    if (l->n < held)
        splice(l, to - before, to - before, &result, 1);
}

static void do_squash(world *w)
{
    skein_message_id  ids[8];
    size_t            n = pick_several(w, ids, 2 + below(w, 2));
    skein_squash_spec spec = {.sources = {ids, n}, .content = skein_text("squashed")};
    skein_change      h = how(w);
    skein_squash      out;
    skein_error       err = {0};
    anchor            first;
    size_t            to[LANES];
    version          *v;

    if (n < 2)
        return;
    SKN_OK(skein_squash_messages(w->e, &h, &spec, w->mem, &out, &err), err);
    remember(w, out.result.id.v, out.result.author == SKEIN_BY_HUMAN, 0, false);
    n = close_pairs(w, ids, n);
    assert_int_equal(out.source_count, n);
    first = anchor_of(now(w), ids[0].v);
    for (size_t i = 1; i < n; i++) {
        anchor next = anchor_of(now(w), ids[i].v);

        if (next.at < first.at)
            first = next;
    }
    for (int k = 0; k < LANES; k++)
        to[k] = place_of(now(w), k, &first);
    v = derive(w, w->current);
    for (int k = 0; k < LANES; k++)
        squash_in(&v->lane[k], ids, n, to[k], (item){out.result.id.v, first.key});
}

static void cut_from(version *v, int64_t id)
{
    anchor a = anchor_of(v, id);
    size_t to[LANES];

    for (int k = 0; k < LANES; k++)
        to[k] = place_of(v, k, &a);
    for (int k = 0; k < LANES; k++)
        v->lane[k].n = to[k];
}

static void do_remove(world *w)
{
    int64_t       id = pick(w);
    skein_change  h = how(w);
    skein_removal out;
    skein_error   err = {0};

    if (!id)
        return;
    SKN_OK(skein_remove_from(w->e, &h, (skein_message_id){id}, false, w->mem, &out, &err), err);
    assert_int_equal(out.previous.number, now(w)->number);
    cut_from(derive(w, w->current), id);
    assert_int_equal(out.version.length, now(w)->lane[0].n);
}

/* Which lanes get what is sent in the place of a message: those that have it, and where all agents that
 * remember anything have it, all agents. */
static void receivers_of(const version *v, int64_t id, bool to[LANES])
{
    bool all = true;

    to[0] = find(&v->lane[0], id) >= 0;
    to[3] = !to[0];
    for (int k = 1; k <= AGENTS; k++) {
        to[k] = find(&v->lane[k], id) >= 0;
        all = all && (to[k] || v->lane[k].n == 0);
    }
    for (int k = 1; k <= AGENTS; k++)
        to[k] = to[0] && (to[k] || all);
}

static void do_edit(world *w)
{
    int64_t       id = pick(w);
    bool          to[LANES];
    skein_change  h = how(w);
    skein_removal out;
    skein_error   err = {0};
    skein_rc      rc;

    if (!id)
        return;
    rc = skein_edit(w->e, &h, (skein_message_id){id}, skein_text("again"), w->mem, &out, &err);
    if (!message_of(w, id)->human) {
        assert_int_equal(rc, SKEIN_NOT_USER_MESSAGE);
        return;
    }
    SKN_OK(rc, err);
    receivers_of(now(w), id, to);
    cut_from(derive(w, w->current), id);
    remember(w, out.added.id.v, true, 0, false);
    for (int k = 0; k < LANES; k++)
        if (to[k])
            splice(&now(w)->lane[k], now(w)->lane[k].n, now(w)->lane[k].n,
                   &(item){out.added.id.v, out.added.id.v}, 1);
}

static void do_undo(world *w)
{
    skein_change h = how(w);
    skein_move   out;
    skein_error  err = {0};
    skein_rc     rc = skein_undo(w->e, &h, 1, w->mem, &out, &err);
    size_t       i = w->op_count;

    while (i > 0 && w->ops[i - 1].undone)
        i--;
    if (i == 0) {
        assert_int_equal(rc, SKEIN_NOTHING);
        return;
    }
    SKN_OK(rc, err);
    w->ops[i - 1].undone = true;
    w->redo[w->redo_count++] = i - 1;
    w->current = w->ops[i - 1].from;
    assert_int_equal(out.to.number, now(w)->number);
}

static void do_redo(world *w)
{
    skein_change h = how(w);
    skein_move   out;
    skein_error  err = {0};
    skein_rc     rc = skein_redo(w->e, &h, 1, w->mem, &out, &err);
    op          *o;

    if (w->redo_count == 0) {
        assert_int_equal(rc, SKEIN_NOTHING);
        return;
    }
    SKN_OK(rc, err);
    o = &w->ops[w->redo[--w->redo_count]];
    o->undone = false;
    w->current = o->to;
    assert_int_equal(out.to.number, now(w)->number);
}

static void do_switch(world *w)
{
    size_t       to = below(w, w->version_count);
    skein_change h = how(w);
    skein_move   out;
    skein_error  err = {0};
    skein_rc     rc = skein_switch(w->e, &h, w->versions[to].number, w->mem, &out, &err);

    if (to == w->current) {
        assert_int_equal(rc, SKEIN_NOTHING);
        return;
    }
    SKN_OK(rc, err);
    w->ops[w->op_count++] = (op){w->current, to, false};
    w->redo_count = 0;
    w->current = to;
}

static void do_restore(world *w)
{
    size_t        from = below(w, w->version_count);
    skein_change  h = how(w);
    skein_version out;
    skein_error   err = {0};

    SKN_OK(skein_restore(w->e, &h, w->versions[from].number, w->mem, &out, &err), err);
    derive(w, from);
}

/* --- Histories ------------------------------------------------------------------------------------- */

static void find_lanes(world *w)
{
    skein_error err = {0};
    skein_lanes lanes;

    SKN_OK(skein_lane_list(w->e, w->chat, w->mem, &lanes, &err), err);
    assert_int_equal(lanes.count, LANES);
    for (size_t i = 0; i < lanes.count; i++)
        w->lane_id[i] = lanes.at[i].id.v;
}

static void begin(world *w, skein_world_id home)
{
    skein_error        err = {0};
    skein_conversation c;
    skein_lane         lane;

    SKN_OK(skein_chat_new(w->e, home, skein_text(NULL), w->mem, &c, &err), err);
    w->chat = c.id;
    SKN_OK(skein_lane_new(w->e, c.id, skein_text("main"), (skein_message_id){0},
                          skein_text(NULL), w->mem, &lane, &err),
           err);
    find_lanes(w);
    w->versions = calloc(1, sizeof *w->versions);
    w->versions[0].number = 1;
    w->version_count = 1;
}

/* Goes on in a new chat that begins with what some version held. */
static void do_branch(world *w)
{
    size_t             from = below(w, w->version_count);
    version            first = {.number = 1};
    size_t             n = w->versions[from].lane[0].n, length = below(w, n + 1);
    anchor             a = {&w->versions[from].lane[0], (ptrdiff_t)length, 0, 0};
    skein_change       h = how(w);
    skein_conversation c;
    skein_error        err = {0};

    SKN_OK(skein_branch(w->e, &h, w->versions[from].number, (int64_t)length,
                        skein_text("branch"), w->mem, &c, &err),
           err);
    if (length < n) {
        a.id = a.lane->p[length].id;
        a.key = a.lane->p[length].key;
    }
    for (int k = 0; k < LANES; k++) {
        list  *l = &w->versions[from].lane[k];
        size_t cut = length == n ? l->n : place_in(l, &a);

        splice(&first.lane[k], 0, 0, l->p, cut);
    }
    compare_all(w); /* the old chat stays as it is; from here on the new one is looked at */
    for (size_t v = 0; v < w->version_count; v++)
        for (int k = 0; k < LANES; k++)
            free(w->versions[v].lane[k].p);
    w->versions[0] = first;
    w->version_count = 1;
    w->current = w->op_count = w->redo_count = 0;
    w->open_call = 0;
    w->chat = c.id;
    find_lanes(w);
}

static void one_operation(world *w)
{
    switch (below(w, 20)) {
    case 0:
    case 1:
    case 2:
    case 3:
        do_append(w);
        break;
    case 4:
    case 5:
        do_tool(w);
        break;
    case 6:
    case 7:
        do_amend(w);
        break;
    case 8:
        do_delete(w);
        break;
    case 9:
    case 10:
        do_insert(w);
        break;
    case 11:
    case 12:
        do_reorder(w);
        break;
    case 13:
        do_squash(w);
        break;
    case 14:
        do_remove(w);
        break;
    case 15:
        do_edit(w);
        break;
    case 16:
        do_undo(w);
        break;
    case 17:
        do_redo(w);
        break;
    case 18:
        do_switch(w);
        break;
    default:
        if (below(w, 10) == 0)
            do_branch(w);
        else
            do_restore(w);
    }
}

static void history(skein_engine *e, skein_world_id home, uint64_t seed)
{
    world *w = calloc(1, sizeof *w);

    w->e = e;
    w->mem = skein_mem_new();
    w->seed = seed;
    begin(w, home);
    for (int i = 0; i < OPS; i++) {
        one_operation(w);
        compare(w, i % 8 == 0);
        skein_mem_reset(w->mem);
    }
    compare_all(w);
    for (size_t v = 0; v < w->version_count; v++)
        for (int k = 0; k < LANES; k++)
            free(w->versions[v].lane[k].p);
    free(w->versions);
    free(w->messages);
    skein_mem_free(w->mem);
    free(w);
}

static skein_world_id make_home(skein_engine *e)
{
    skein_error err = {0};
    skein_mem  *mem = skein_mem_new();
    skein_world home = {.name = skein_text("lab")};
    const char *names[] = {"ada", "bo"};

    SKN_OK(skein_world_new(e, &home, mem, &err), err);
    for (int i = 0; i < AGENTS; i++) {
        skein_agent agent = {.world = home.id, .name = skein_text(names[i])};

        SKN_OK(skein_agent_new(e, &agent, mem, &err), err);
    }
    skein_mem_free(mem);
    return home.id;
}

static long number_of(const char *variable, long otherwise)
{
    const char *text = getenv(variable);

    return text ? strtol(text, NULL, 10) : otherwise;
}

static void random_histories_equal_plain_lists(void **state)
{
    skn_fixture   *fx = skn_fixture_of(state);
    long           first = number_of("SKEIN_TEST_FIRST", 0);
    long           count = number_of("SKEIN_TEST_HISTORIES", 300);
    skein_options  options = SKEIN_OPTIONS_INIT;
    skein_engine  *e;
    skein_error    err = {0};
    skein_check    check;
    skein_mem     *mem = skein_mem_new();
    skein_world_id home;

    options.store = skein_text(fx->address);
    SKN_OK(skein_open(&e, &options, &err), err);
    home = make_home(e);
    for (long i = first; i < first + count; i++)
        history(e, home, 0x9e3779b97f4a7c15u * (uint64_t)(i + 1));
    SKN_OK(skein_fsck(e, mem, &check, &err), err);
    for (size_t i = 0; i < check.count; i++)
        print_error("%s: %s\n", check.at[i].invariant.p, check.at[i].text.p);
    assert_int_equal(check.count, 0);
    skein_mem_free(mem);
    skein_close(e);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(random_histories_equal_plain_lists),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
