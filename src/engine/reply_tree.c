/* reply_tree.c: the replies of a version, or of one message, as a tree. */
#include "engine/answered.h"

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
    int64_t        *place; /* in the list, of each item */
    int             depth = 0;
    skein_rc        rc;

    if ((rc = skn_reply_items_read(r, true, &items, err)))
        return rc;
    out->at = SKN_ARRAY(r->trees.a, items.count, skein_reply_node);
    place = SKN_ARRAY(r->trees.a, items.count, int64_t);
    for (int64_t i = -1; (i = skn_reply_items_next(&items, i, &depth)) >= 0;) {
        const skn_reply_item *it = &items.at[i];
        skein_reply_node     *n = &out->at[out->count];

        place[i] = (int64_t)out->count++;
        *n = (skein_reply_node){.message = *it->message,
                                .parent = it->parent < 0 ? -1 : place[it->parent],
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
    if ((rc = skn_reply_need(r, root, &w.id, err)))
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

typedef struct call {
    skein_conversation_id conversation;
    int64_t               version;
    skein_message_id      root;
    skein_mem            *mem;
    skein_reply_tree     *out;
} call;

static skein_rc read_tree(skn_tx *tx, void *arg, skein_error *err)
{
    call       *c = arg;
    skn_replies r;
    skein_rc    rc;

    *c->out = (skein_reply_tree){0};
    rc = skn_replies_open(&r, tx, c->conversation, c->version, SKN_NONE, c->mem, err);
    if (rc)
        return rc;
    return c->root.v ? skn_reply_subtree(&r, c->root, c->out, err)
                     : whole_tree(&r, c->out, err);
}

skein_rc skein_reply_tree_read(skein_engine *e, skein_conversation_id conversation,
                               int64_t version, skein_message_id root, skein_mem *mem,
                               skein_reply_tree *out, skein_error *err)
{
    call c = {conversation, version, root, mem, out};

    return skn_store_read(e->store, read_tree, &c, err);
}
