/* reply.c: finding parents and replies of single messages, without reading the thread. */
#include "engine/read/reply.h"
#include "engine/read/reading.h"

#include <stdlib.h>

skein_rc skn_replies_open(skn_replies *r, skn_tx *tx, skein_conversation_id conversation,
                          int64_t version, skn_arena *a, skein_error *err)
{
    const skein_slice main = {.conversation = conversation, .version = version};
    skn_reading       at;
    skein_rc          rc = skn_reading_open(&at, tx, &main, a, err);

    *r = skn_replies_of(&at);
    return rc;
}

static skein_rc position_of(skn_replies *r, int64_t id, int64_t *position, skein_error *err)
{
    return skn_thread_position_of(&r->trees, &r->thread, id, position, err);
}

/* --- Targets ------------------------------------------------------------------------------------- */

/* Messages that are looked at in turn, each once. */
typedef struct queue {
    skn_arena *a;
    skn_map   *seen;
    skn_vec(int64_t) ids;
} queue;

static void enqueue(queue *q, int64_t id)
{
    void **slot = skn_map_slot_int(q->seen, id);

    if (*slot)
        return;
    *slot = q;
    skn_vec_add(q->a, &q->ids, id);
}

static void enqueue_all(queue *q, const skn_ids *ids)
{
    for (size_t i = 0; i < ids->count; i++)
        enqueue(q, ids->at[i]);
}

/* The message itself if the lane holds it, else the latest of its other texts that it does; on the way, the messages
 * that replaced them are put into the queue. */
static skein_rc look_for_target(skn_replies *r, queue *q, int64_t id, int64_t *out,
                                int64_t *position, skein_error *err)
{
    skn_tx    *tx = r->trees.tx;
    skn_arena *a = r->trees.a;
    skn_ids    texts, results;
    skein_rc   rc = position_of(r, id, position, err);

    *out = id;
    if (rc || *position >= 0 || (rc = skn_reply_lineage(tx, id, a, &texts, err)))
        return rc;
    for (size_t i = texts.count; i-- > 0;) {
        *out = texts.at[i];
        if ((rc = position_of(r, *out, position, err)) || *position >= 0)
            return rc;
    }
    for (size_t i = 0; i < texts.count; i++) {
        if ((rc = skn_squash_results_of(tx, texts.at[i], a, &results, err)))
            return rc;
        enqueue_all(q, &results);
    }
    return SKEIN_OK;
}

skein_rc skn_reply_target(skn_replies *r, int64_t id, int64_t *out, int64_t *position,
                          skein_error *err)
{
    queue    q = {.a = r->trees.a};
    skein_rc rc = position_of(r, id, position, err);

    *out = id;
    if (rc || *position >= 0) /* nearly always */
        return rc;
    q.seen = skn_map_new(r->trees.a);
    enqueue(&q, id);
    for (size_t i = 0; i < q.ids.n; i++) /* grows while it runs; each message comes once */
        if ((rc = look_for_target(r, &q, q.ids.p[i], out, position, err)) || *position >= 0)
            return rc;
    *out = 0;
    *position = -1;
    return SKEIN_OK;
}

/* --- Parents ------------------------------------------------------------------------------------- */

/* The parent before loops are cut. */
static skein_rc raw_parent(skn_replies *r, int64_t id, int64_t *parent, int64_t *position,
                           skein_error *err)
{
    int64_t  link;
    skein_rc rc = skn_reply_link(r->trees.tx, id, &link, err);

    *parent = 0;
    *position = -1;
    if (rc || link == 0)
        return rc;
    rc = skn_reply_target(r, link, parent, position, err);
    if (*parent == id)
        *parent = 0;
    return rc;
}

/* Does the way up from `parent` come back to `id`, and is that the first of the loop? */
static skein_rc begins_loop(skn_replies *r, int64_t id, int64_t at, int64_t parent,
                            int64_t parent_at, bool *yes, skein_error *err)
{
    skn_map *seen = skn_map_new(r->trees.a);
    skein_rc rc;

    *yes = false;
    while (parent && parent != id && parent_at > at) {
        void **slot = skn_map_slot_int(seen, parent);

        if (*slot)
            return SKEIN_OK; /* another loop, further up */
        *slot = seen;
        if ((rc = raw_parent(r, parent, &parent, &parent_at, err)))
            return rc;
    }
    *yes = parent == id;
    return SKEIN_OK;
}

skein_rc skn_reply_parent(skn_replies *r, int64_t id, int64_t *parent, skein_error *err)
{
    int64_t  at, parent_at;
    bool     cut;
    skein_rc rc;

    if ((rc = raw_parent(r, id, parent, &parent_at, err)) || *parent == 0 ||
        (rc = position_of(r, id, &at, err)) || parent_at < at)
        return rc;
    if ((rc = begins_loop(r, id, at, *parent, parent_at, &cut, err)))
        return rc;
    if (cut)
        *parent = 0;
    return SKEIN_OK;
}

/* --- Replies ------------------------------------------------------------------------------------- */

typedef struct place {
    int64_t id, position;
    bool    under; /* and in the tree, too */
} place;
typedef skn_vec(place) places;

SKN_ORDER(by_position, place, position, position)

static bool has(const places *list, int64_t id)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->p[i].id == id)
            return true;
    return false;
}

/* A reply that the lane does not hold: what it was squashed into answers in its place, unless that is a
 * reply of its own. */
static skein_rc add_squash(skn_replies *r, int64_t reply, int64_t of, places *out,
                           skein_error *err)
{
    int64_t  parent, parent_at;
    place    p = {0};
    skein_rc rc = skn_reply_target(r, reply, &p.id, &p.position, err);

    if (rc || p.id == 0 || p.id == of || has(out, p.id) ||
        (rc = raw_parent(r, p.id, &parent, &parent_at, err)) || parent == of)
        return rc;
    skn_vec_add(r->trees.a, out, p);
    return SKEIN_OK;
}

/* Adds those who reply to `id`, when a reply to `id` is one to `of`. */
static skein_rc add_replies(skn_replies *r, int64_t id, int64_t of, int64_t of_at, places *out,
                            skein_error *err)
{
    skn_ids  ids;
    int64_t  target, at;
    bool     cut;
    skein_rc rc;

    if ((rc = skn_message_children(r->trees.tx, id, r->trees.a, &ids, err)) || ids.count == 0)
        return rc;
    if ((rc = skn_reply_target(r, id, &target, &at, err)) || target != of)
        return rc;
    for (size_t i = 0; i < ids.count; i++) {
        place p = {ids.at[i], -1, true};

        cut = p.id == of;
        if ((rc = position_of(r, p.id, &p.position, err)) ||
            (p.position < 0 && (rc = add_squash(r, p.id, of, out, err))))
            return rc;
        if (!cut && p.position >= 0 && p.position < of_at &&
            (rc = begins_loop(r, p.id, p.position, of, of_at, &cut, err)))
            return rc;
        if (!cut && p.position >= 0)
            skn_vec_add(r->trees.a, out, p);
    }
    return SKEIN_OK;
}

/* All that this message stands for: its texts, and what was squashed into any of them. */
static skein_rc stands_for(skn_replies *r, int64_t id, queue *q, skein_error *err)
{
    skn_tx    *tx = r->trees.tx;
    skn_arena *a = r->trees.a;
    skn_ids    ids;
    skein_rc   rc;

    enqueue(q, id);
    for (size_t i = 0; i < q->ids.n; i++) { /* grows while it runs; each message comes once */
        if ((rc = skn_reply_lineage(tx, q->ids.p[i], a, &ids, err)))
            return rc;
        enqueue_all(q, &ids);
        if ((rc = skn_reply_sources(tx, q->ids.p[i], a, &ids, err)))
            return rc;
        enqueue_all(q, &ids);
    }
    return SKEIN_OK;
}

/* What a message of the lane stands for: its texts and what was squashed into any of them, itself first. */
static skein_rc all_it_stands_for(skn_replies *r, int64_t id, skn_ids *out, skein_error *err)
{
    queue    q = {.a = r->trees.a, .seen = skn_map_new(r->trees.a)};
    skein_rc rc = stands_for(r, id, &q, err);

    *out = (skn_ids){q.ids.p, q.ids.n};
    return rc;
}

static void sort_out(skn_replies *r, const places *found, skn_ids *out, skn_ids *under)
{
    *out = (skn_ids){SKN_ARRAY(r->trees.a, found->n, int64_t), found->n};
    if (under)
        *under = (skn_ids){SKN_ARRAY(r->trees.a, found->n, int64_t), 0};
    for (size_t i = 0; i < found->n; i++) {
        out->at[i] = found->p[i].id;
        if (under && found->p[i].under)
            under->at[under->count++] = found->p[i].id;
    }
}

skein_rc skn_reply_ids(skn_replies *r, int64_t of, skn_ids *out, skn_ids *under,
                       skein_error *err)
{
    queue    q = {.a = r->trees.a, .seen = skn_map_new(r->trees.a)};
    places   found = {0};
    int64_t  at;
    skein_rc rc;

    sort_out(r, &found, out, under);
    if ((rc = position_of(r, of, &at, err)) || at < 0 || (rc = stands_for(r, of, &q, err)))
        return rc;
    for (size_t i = 0; i < q.ids.n; i++)
        if ((rc = add_replies(r, q.ids.p[i], of, at, &found, err)))
            return rc;
    if (found.n > 0)
        qsort(found.p, found.n, sizeof *found.p, by_position);
    sort_out(r, &found, out, under);
    return SKEIN_OK;
}

skein_rc skn_reply_messages(skn_replies *r, const skn_ids *ids, skein_messages *out,
                            skein_error *err)
{
    bool     found;
    skein_rc rc;

    *out = (skein_messages){SKN_ARRAY(r->trees.a, ids->count, skein_message), 0};
    for (size_t i = 0; i < ids->count; i++) {
        skein_message *m = &out->at[out->count];

        if ((rc = skn_message_get(r->trees.tx, ids->at[i], r->trees.a, m, &found, err)) ||
            (found && (rc = position_of(r, m->id.v, &m->position, err))))
            return rc;
        out->count += found;
    }
    return SKEIN_OK;
}

static skein_rc not_here(skn_replies *r, int64_t id, skein_error *err)
{
    skein_message m;
    bool          found;
    skein_rc      rc = skn_message_get(r->trees.tx, id, r->trees.a, &m, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no message with the number %lld",
                        (long long)id);
    rc = skn_fail(err, SKEIN_NOT_FOUND, "message \"%.*s\" is not in v%lld", SKN_FMT(m.uid),
                  (long long)r->version.number);
    return skn_hint(err, rc, "Another version holds it: \"skein show %.*s\" says which.",
                    SKN_FMT(m.uid));
}

/* The same for a message that a caller named: SKEIN_NOT_FOUND when the lane holds nothing of it. */
static skein_rc need_held(skn_replies *r, skein_message_id of, int64_t *id, skein_error *err)
{
    int64_t  position;
    skein_rc rc = skn_reply_target(r, of.v, id, &position, err);

    return rc || *id ? rc : not_here(r, of.v, err);
}

/* --- Public calls -------------------------------------------------------------------------------- */

typedef enum relation { CHILDREN, ANCESTORS, SIBLINGS } relation;

static skein_rc ancestors(skn_replies *r, int64_t id, skn_ids *out, skein_error *err)
{
    queue    q = {.a = r->trees.a, .seen = skn_map_new(r->trees.a)};
    int64_t  parent = id;
    size_t   before;
    skein_rc rc;

    enqueue(&q, id);
    do {
        before = q.ids.n;
        if ((rc = skn_reply_parent(r, parent, &parent, err)))
            return rc;
        if (parent)
            enqueue(&q, parent);
    } while (q.ids.n > before);
    *out = (skn_ids){q.ids.p + 1, q.ids.n - 1};
    return SKEIN_OK;
}

static skein_rc siblings(skn_replies *r, int64_t id, skn_ids *out, skein_error *err)
{
    int64_t  parent;
    size_t   n = 0;
    skein_rc rc;

    *out = (skn_ids){0};
    if ((rc = skn_reply_parent(r, id, &parent, err)) || parent == 0 ||
        (rc = skn_reply_ids(r, parent, out, NULL, err)))
        return rc;
    for (size_t i = 0; i < out->count; i++)
        if (out->at[i] != id)
            out->at[n++] = out->at[i];
    out->count = n;
    return SKEIN_OK;
}

static skein_rc related(skn_tx *tx, skein_conversation_id conversation, int64_t version,
                        skein_message_id of, relation which, skein_mem *mem,
                        skein_messages *out, skein_error *err)
{
    skn_replies r;
    skn_ids     ids = {0};
    int64_t     id;
    skein_rc    rc;

    if ((rc = skn_replies_open(&r, tx, conversation, version, mem, err)) ||
        (rc = need_held(&r, of, &id, err)))
        return rc;
    switch (which) {
    case CHILDREN:
        rc = skn_reply_ids(&r, id, &ids, NULL, err);
        break;
    case ANCESTORS:
        rc = ancestors(&r, id, &ids, err);
        break;
    case SIBLINGS:
        rc = siblings(&r, id, &ids, err);
        break;
    }
    return rc ? rc : skn_reply_messages(&r, &ids, out, err);
}

static skein_rc find_related(skein_engine *e, skein_conversation_id conversation,
                             int64_t version, skein_message_id of, relation which,
                             skein_mem *mem, skein_messages *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    *out = (skein_messages){0};
    while (skn_snapshot_next(&s, err))
        s.rc = related(s.tx, conversation, version, of, which, mem, out, err);
    return s.rc;
}

skein_rc skein_reply_children(skein_engine *e, skein_conversation_id conversation,
                              int64_t version, skein_message_id of, skein_mem *mem,
                              skein_messages *out, skein_error *err)
{
    return find_related(e, conversation, version, of, CHILDREN, mem, out, err);
}

skein_rc skein_reply_ancestors(skein_engine *e, skein_conversation_id conversation,
                               int64_t version, skein_message_id of, skein_mem *mem,
                               skein_messages *out, skein_error *err)
{
    return find_related(e, conversation, version, of, ANCESTORS, mem, out, err);
}

skein_rc skein_reply_siblings(skein_engine *e, skein_conversation_id conversation,
                              int64_t version, skein_message_id of, skein_mem *mem,
                              skein_messages *out, skein_error *err)
{
    return find_related(e, conversation, version, of, SIBLINGS, mem, out, err);
}

/* All messages of a lane, read in one pass and linked. */

/* --- Reading a lane -------------------------------------------------------------------------------- */

typedef struct reading {
    skn_replies    *r;
    skn_reply_item *at;
    size_t          count, most;
    bool            full;
    skn_map        *senders; /* name -> its one copy */
} reading;

static skn_str keep_sender(reading *g, skn_str name)
{
    void **slot = skn_map_slot(g->senders, name);

    if (!*slot) {
        skn_str *copy = SKN_NEW(g->r->trees.a, skn_str);

        *copy = skn_arena_copy(g->r->trees.a, name);
        *slot = copy;
    }
    return *(skn_str *)*slot;
}

static skein_rc take_message(void *arg, skein_message *m, skein_error *err)
{
    reading        *g = arg;
    skn_reply_item *it = &g->at[g->count];

    if (g->count == g->most)
        return skn_fail(err, SKEIN_DAMAGED, "thread \"%.*s\" is longer than it says",
                        SKN_FMT(g->r->thread.row.uid));
    m->position = (int64_t)g->count++;
    *it = (skn_reply_item){.id = m->id.v,
                           .lineage = m->lineage.v,
                           .reply_to = m->reply_to_id.v,
                           .created_at = m->created_at,
                           .parent = -1,
                           .first = -1,
                           .last = -1,
                           .next = -1,
                           .sender = keep_sender(g, m->sender),
                           .stands = m->squash_uid.n > 0 || m->lineage.v != m->id.v,
                           .asks = skn_asks(m),
                           .aside = skn_may_be_aside(m),
                           .result = m->role == SKEIN_TOOL};
    if (g->full) {
        it->message = SKN_NEW(g->r->trees.a, skein_message);
        *it->message = *m;
    }
    return SKEIN_OK;
}

static skein_rc read_lane(reading *g, skein_error *err)
{
    skn_trees        *f = &g->r->trees;
    const skn_thread *t = &g->r->thread;
    skn_arena        *scratch = g->full ? NULL : skn_arena_new();
    skein_rc          rc = SKEIN_OK;

    g->most = (size_t)t->length;
    g->at = SKN_ARRAY(f->a, g->most, skn_reply_item);
    if (t->length > 0)
        rc = skn_thread_each(f, t, 0, t->length, scratch, take_message, g, err);
    skn_arena_free(scratch);
    return rc;
}

/* --- Linking ----------------------------------------------------------------------------------------- */

/* Where messages stand. A place is kept as the address of its item. */
typedef struct items_places {
    skn_reply_item **by_id;     /* sorted */
    skn_map         *by_first;  /* later texts of a message, by the id of its first */
    skn_map         *elsewhere; /* targets that are not in the lane themselves */
} items_places;

SKN_ORDER_OF(ascending, skn_reply_item, id, id)

static void know(items_places *p, skn_reply_items *items, skn_arena *a)
{
    *p = (items_places){SKN_ARRAY(a, items->count, skn_reply_item *), skn_map_new(a),
                        skn_map_new(a)};
    for (size_t i = 0; i < items->count; i++) {
        skn_reply_item *it = &items->at[i], *other;
        void          **slot;

        p->by_id[i] = it;
        if (it->lineage == it->id)
            continue;
        slot = skn_map_slot_int(p->by_first, it->lineage);
        other = *slot;
        if (!other || other->id < it->id)
            *slot = it;
    }
    if (items->count > 0)
        qsort(p->by_id, items->count, sizeof *p->by_id, ascending);
}

static skn_reply_item *find_item(const items_places *p, const skn_reply_items *items,
                                 int64_t id)
{
    size_t lo = 0, hi = items->count;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (p->by_id[mid]->id < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < items->count && p->by_id[lo]->id == id ? p->by_id[lo] : NULL;
}

/* What a link to `id` means, as skn_reply_target says it, but from what was read. */
static skein_rc find_target(skn_replies *r, items_places *p, const skn_reply_items *items,
                            int64_t id, skn_reply_item **out, skein_error *err)
{
    int64_t  target, at;
    void   **slot;
    skein_rc rc;

    if ((*out = find_item(p, items, id)) || (*out = skn_map_get_int(p->by_first, id)))
        return SKEIN_OK;
    slot = skn_map_slot_int(p->elsewhere, id);
    if (!*slot) {
        if ((rc = skn_reply_target(r, id, &target, &at, err)))
            return rc;
        *slot = target ? find_item(p, items, target) : NULL;
        if (!*slot)
            *slot = p; /* asked, and not here */
    }
    *out = *slot == p ? NULL : *slot;
    return SKEIN_OK;
}

/* What a source of a squash replied to is answered by the squash, if nothing else stands for that source. */
static skein_rc answer_for(skn_replies *r, items_places *p, skn_reply_items *items,
                           const skn_reply_item *squash, int64_t source, skn_map *answered,
                           skein_error *err)
{
    skn_reply_item *target = NULL, *stands = NULL;
    int64_t         link;
    void          **slot;
    skein_rc        rc = skn_reply_link(r->trees.tx, source, &link, err);

    if (rc || link == 0 || (rc = find_target(r, p, items, link, &target, err)) || !target ||
        target == squash || target - items->at == squash->parent ||
        (rc = find_target(r, p, items, source, &stands, err)) || stands != squash)
        return rc;
    slot = skn_map_slot_int(answered, target->id);
    target->replies += !*slot;
    *slot = p;
    return SKEIN_OK;
}

static skein_rc answer_for_sources(skn_replies *r, items_places *p, skn_reply_items *items,
                                   const skn_reply_item *squash, skein_error *err)
{
    skn_map *answered = skn_map_new(r->trees.a);
    skn_ids  ids;
    skein_rc rc = all_it_stands_for(r, squash->id, &ids, err);

    for (size_t i = 1; i < ids.count && !rc; i++)
        rc = answer_for(r, p, items, squash, ids.at[i], answered, err);
    return rc;
}

static skein_rc find_parents(skn_replies *r, skn_reply_items *items, skein_error *err)
{
    items_places    p;
    skn_reply_item *target;
    skein_rc        rc;

    know(&p, items, r->trees.a);
    for (size_t i = 0; i < items->count; i++) {
        skn_reply_item *it = &items->at[i];

        if (it->reply_to == 0)
            continue;
        if ((rc = find_target(r, &p, items, it->reply_to, &target, err)))
            return rc;
        if (target && target != it)
            it->parent = target - items->at;
    }
    for (size_t i = 0; i < items->count; i++)
        if (items->at[i].stands && (rc = answer_for_sources(r, &p, items, &items->at[i], err)))
            return rc;
    return SKEIN_OK;
}

/* Cuts the loop that `at` lies on before its first message. */
static void cut_loop(skn_reply_items *items, int64_t at)
{
    int64_t first = at;

    for (int64_t i = items->at[at].parent; i != at; i = items->at[i].parent)
        if (i < first)
            first = i;
    items->at[first].parent = -1;
}

/* Follows each way up once, marking it with its number: meeting the own number is a loop. */
static void cut_loops(skn_reply_items *items, skn_arena *a)
{
    size_t *mark = SKN_ARRAY(a, items->count, size_t);

    for (size_t i = 0; i < items->count; i++) {
        int64_t at = (int64_t)i;

        while (at >= 0 && mark[at] == 0) {
            mark[at] = i + 1;
            at = items->at[at].parent;
        }
        if (at >= 0 && mark[at] == i + 1)
            cut_loop(items, at);
    }
}

static void hang_up(skn_reply_items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        skn_reply_item *parent;

        if (items->at[i].parent < 0)
            continue;
        parent = &items->at[items->at[i].parent];
        if (parent->first < 0)
            parent->first = (int64_t)i;
        else
            items->at[parent->last].next = (int64_t)i;
        parent->last = (int64_t)i;
        parent->replies++;
    }
}

skein_rc skn_reply_items_read(skn_replies *r, bool full, skn_reply_items *out, skein_error *err)
{
    reading  g = {.r = r, .full = full, .senders = skn_map_new(r->trees.a)};
    skein_rc rc = read_lane(&g, err);

    *out = (skn_reply_items){g.at, g.count};
    if (rc || (rc = find_parents(r, out, err)))
        return rc;
    cut_loops(out, r->trees.a);
    hang_up(out);
    return SKEIN_OK;
}

static int64_t next_root(const skn_reply_items *items, int64_t after)
{
    for (int64_t i = after + 1; i < (int64_t)items->count; i++)
        if (items->at[i].parent < 0)
            return i;
    return -1;
}

int64_t skn_reply_items_next(const skn_reply_items *items, int64_t at, int *depth)
{
    if (at < 0) {
        *depth = 0;
        return next_root(items, -1);
    }
    if (items->at[at].first >= 0) {
        ++*depth;
        return items->at[at].first;
    }
    while (items->at[at].next < 0 && items->at[at].parent >= 0) {
        at = items->at[at].parent;
        --*depth;
    }
    return items->at[at].next >= 0 ? items->at[at].next : next_root(items, at);
}

/* The replies of a version, or of one message, as a tree. */

/* --- Trees ------------------------------------------------------------------------------------------- */

static skein_rc judge(skn_replies *r, skein_reply_node *n, skein_reply_tree *tree,
                      skein_error *err)
{
    skein_rc rc = skn_memory_only(r, &n->message, n->replies, &n->memory_only, err);

    n->unanswered = skn_unanswered(&n->message, n->replies, n->memory_only);
    tree->unanswered += n->unanswered;
    if (n->depth >= tree->depth)
        tree->depth = n->depth + 1;
    return rc;
}

static skein_rc whole_tree(skn_replies *r, skein_reply_tree *out, skein_error *err)
{
    skn_reply_items items;
    int64_t        *row_of; /* in the list, of each item */
    int             depth = 0;
    skein_rc        rc;

    if ((rc = skn_reply_items_read(r, true, &items, err)))
        return rc;
    out->at = SKN_ARRAY(r->trees.a, items.count, skein_reply_node);
    row_of = SKN_ARRAY(r->trees.a, items.count, int64_t);
    for (int64_t i = -1; (i = skn_reply_items_next(&items, i, &depth)) >= 0;) {
        const skn_reply_item *it = &items.at[i];
        skein_reply_node     *n = &out->at[out->count];

        row_of[i] = (int64_t)out->count++;
        *n = (skein_reply_node){.message = *it->message,
                                .parent = it->parent < 0 ? -1 : row_of[it->parent],
                                .depth = depth,
                                .replies = it->replies};
        if ((rc = judge(r, n, out, err)))
            return rc;
    }
    return SKEIN_OK;
}

/* A message whose turn comes later, and the place of its parent in the list. */
typedef struct waiting {
    int64_t id, parent;
} waiting;

typedef struct growing {
    skn_replies      *r;
    skein_reply_tree *out;
    skn_map          *seen;
    skn_vec(waiting) stack;
    skn_vec(skein_reply_node) nodes;
} growing;

/* Adds a message to the list, and its replies to those who wait, the first of them on top. */
static skein_rc grow(growing *g, const waiting *w, skein_error *err)
{
    skn_arena       *a = g->r->trees.a;
    skein_reply_node n = {.parent = w->parent};
    int64_t          id = w->id;
    skein_messages   one;
    skn_ids          ids, under;
    skein_rc         rc;

    if ((rc = skn_reply_messages(g->r, &(skn_ids){&id, 1}, &one, err)) || one.count == 0 ||
        (rc = skn_reply_ids(g->r, id, &ids, &under, err)))
        return rc;
    n.message = one.at[0];
    n.depth = w->parent < 0 ? 0 : g->nodes.p[w->parent].depth + 1;
    n.replies = (int64_t)ids.count;
    if ((rc = judge(g->r, &n, g->out, err)))
        return rc;
    skn_vec_add(a, &g->nodes, n);
    for (size_t i = under.count; i-- > 0;) {
        waiting next = {under.at[i], (int64_t)g->nodes.n - 1};

        skn_vec_add(a, &g->stack, next);
    }
    return SKEIN_OK;
}

skein_rc skn_reply_subtree(skn_replies *r, skein_message_id root, skein_reply_tree *out,
                           skein_error *err)
{
    growing  g = {.r = r, .out = out, .seen = skn_map_new(r->trees.a)};
    waiting  w = {0, -1};
    skein_rc rc;

    *out = (skein_reply_tree){0};
    if ((rc = need_held(r, root, &w.id, err)))
        return rc;
    skn_vec_add(r->trees.a, &g.stack, w);
    while (g.stack.n > 0) {
        void **slot;

        w = g.stack.p[--g.stack.n];
        slot = skn_map_slot_int(g.seen, w.id);
        if (*slot)
            continue;
        *slot = r;
        if ((rc = grow(&g, &w, err)))
            return rc;
    }
    out->at = g.nodes.p;
    out->count = g.nodes.n;
    return SKEIN_OK;
}

skein_rc skein_reply_tree_read(skein_engine *e, skein_conversation_id conversation,
                               int64_t version, skein_message_id root, skein_mem *mem,
                               skein_reply_tree *out, skein_error *err)
{
    skn_replies  r;
    skn_snapshot s = {.store = e->store};

    while (skn_snapshot_next(&s, err)) {
        *out = (skein_reply_tree){0};
        if (!(s.rc = skn_replies_open(&r, s.tx, conversation, version, mem, err)))
            s.rc = root.v ? skn_reply_subtree(&r, root, out, err) : whole_tree(&r, out, err);
    }
    return s.rc;
}
