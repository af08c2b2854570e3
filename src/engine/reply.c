/* reply.c: finding parents and replies of single messages, without reading the thread. */
#include "engine/reply.h"

#include <stdlib.h>

skein_rc skn_replies_open(skn_replies *r, skn_tx *tx, skein_conversation_id conversation,
                          int64_t version, skn_str lane, skn_arena *a, skein_error *err)
{
    skn_lane_row row;
    bool         found;
    skein_rc     rc;

    *r = (skn_replies){0};
    skn_trees_init(&r->trees, tx, a, conversation.v);
    if ((rc = skn_conversation_need(tx, conversation, a, &r->conversation, err)) ||
        (rc = skn_version_pick(tx, &r->conversation, version, a, &r->version, err)) ||
        (rc = skn_lane_need(tx, &r->conversation, lane, a, &row, err)))
        return rc;
    return skn_thread_load(&r->trees, r->version.id, row.id, &r->thread, &found, err);
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

/* The message itself if the lane holds it, else the latest of its other texts that it does; on the
 * way, what became of them is put into the queue. */
static skein_rc look(skn_replies *r, queue *q, int64_t id, int64_t *out, int64_t *position,
                     skein_error *err)
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
        if ((rc = look(r, &q, q.ids.p[i], out, position, err)) || *position >= 0)
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

static int by_position(const void *x, const void *y)
{
    const place *a = x, *b = y;

    return (a->position > b->position) - (a->position < b->position);
}

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

skein_rc skn_reply_stands_for(skn_replies *r, int64_t id, skn_ids *out, skein_error *err)
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

skein_rc skn_reply_need(skn_replies *r, skein_message_id of, int64_t *id, skein_error *err)
{
    int64_t  position;
    skein_rc rc = skn_reply_target(r, of.v, id, &position, err);

    return rc || *id ? rc : not_here(r, of.v, err);
}

/* --- Public calls -------------------------------------------------------------------------------- */

typedef enum relation { CHILDREN, ANCESTORS, SIBLINGS } relation;

typedef struct call {
    skein_conversation_id conversation;
    int64_t               version;
    skein_message_id      of;
    relation              which;
    skein_mem            *mem;
    skein_messages       *out;
} call;

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

static skein_rc related(skn_tx *tx, void *arg, skein_error *err)
{
    call       *c = arg;
    skn_replies r;
    skn_ids     ids = {0};
    int64_t     id;
    skein_rc    rc;

    if ((rc = skn_replies_open(&r, tx, c->conversation, c->version, SKN_NONE, c->mem, err)) ||
        (rc = skn_reply_need(&r, c->of, &id, err)))
        return rc;
    switch (c->which) {
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
    return rc ? rc : skn_reply_messages(&r, &ids, c->out, err);
}

static skein_rc run(skein_engine *e, call *c, skein_error *err)
{
    *c->out = (skein_messages){0};
    return skn_store_read(e->store, related, c, err);
}

skein_rc skein_reply_children(skein_engine *e, skein_conversation_id conversation,
                              int64_t version, skein_message_id of, skein_mem *mem,
                              skein_messages *out, skein_error *err)
{
    call c = {conversation, version, of, CHILDREN, mem, out};

    return run(e, &c, err);
}

skein_rc skein_reply_ancestors(skein_engine *e, skein_conversation_id conversation,
                               int64_t version, skein_message_id of, skein_mem *mem,
                               skein_messages *out, skein_error *err)
{
    call c = {conversation, version, of, ANCESTORS, mem, out};

    return run(e, &c, err);
}

skein_rc skein_reply_siblings(skein_engine *e, skein_conversation_id conversation,
                              int64_t version, skein_message_id of, skein_mem *mem,
                              skein_messages *out, skein_error *err)
{
    call c = {conversation, version, of, SIBLINGS, mem, out};

    return run(e, &c, err);
}
