/* explain_links.c: how many answer a message, and whom it answers, in one lane of a version.
 *
 * The rule is that of reply.h, where a reply to any text of a message counts for the text that the
 * lane holds. Here it is applied to a page at once; what squashes have to do with is rare, and left
 * to reply.c. */
#include "engine/explain.h"

typedef skn_vec(int64_t) id_vec;

/* Every text a message ever had, in order of making. */
typedef struct texts {
    id_vec  ids;
    bool    squashed; /* one of them stands for others */
    int64_t held;     /* the latest that the lane holds; 0: none */
} texts;

typedef struct linking {
    skn_explain *x;
    size_t       lane;
    size_t      *mine; /* the messages at home here */
    size_t       count;
    skn_map     *texts;   /* id of any text -> texts */
    skn_map     *replies; /* id -> id_vec of those that reply to it */
    skn_idset    ids;     /* all of these */
    skn_bits    *held;    /* those of ids that the lane holds */
} linking;

static const skein_message *message_at(const linking *l, size_t i)
{
    return &l->x->at[l->mine[i]];
}

static bool is_held(const linking *l, int64_t id)
{
    size_t n = skn_idset_find(&l->ids, id);

    return n != SIZE_MAX && skn_bit(l->held, n);
}

/* --- Loading --------------------------------------------------------------------------------------- */

static void find_mine(linking *l)
{
    const skn_explain *x = l->x;

    l->mine = SKN_ARRAY(x->a, x->count, size_t);
    for (size_t i = 0; i < x->count; i++) {
        size_t home = x->home[x->number[i]];

        if (home == l->lane || (home == SKN_NO_LANE && l->lane == 0))
            l->mine[l->count++] = i;
    }
}

static void add_text(linking *l, texts *t, int64_t id)
{
    *skn_map_slot_int(l->texts, id) = t;
    skn_vec_add(l->x->a, &t->ids, id);
    skn_idset_add(&l->ids, id);
}

/* The lineages of the messages and of what they claim to answer. */
static skein_rc find_lineages(linking *l, skn_idset *out, skein_error *err)
{
    skn_idset claimed;
    skn_ids   ids;
    skn_heads parents = {0};
    skein_rc  rc;

    skn_idset_init(&claimed, l->x->a);
    skn_idset_init(out, l->x->a);
    for (size_t i = 0; i < l->count; i++) {
        skn_idset_add(out, message_at(l, i)->lineage.v);
        skn_idset_add(&claimed, message_at(l, i)->reply_to_id.v);
    }
    ids = skn_idset_ids(&claimed);
    if (ids.count > 0 && (rc = skn_heads_of(l->x->trees->tx, &ids, l->x->a, &parents, err)))
        return rc;
    for (size_t i = 0; i < parents.count; i++)
        skn_idset_add(out, parents.at[i].lineage);
    return SKEIN_OK;
}

/* A lineage is named by its first text. */
static skein_rc load_texts(linking *l, skein_error *err)
{
    skn_idset lineages;
    skn_ids   ids;
    skn_edges edits;
    skein_rc  rc;

    if ((rc = find_lineages(l, &lineages, err)))
        return rc;
    ids = skn_idset_ids(&lineages);
    for (size_t i = 0; i < ids.count; i++)
        add_text(l, SKN_NEW(l->x->a, texts), ids.at[i]);
    if ((rc = skn_edges_of(l->x->trees->tx, SKN_EDGE_EDIT, &ids, l->x->a, &edits, err)))
        return rc;
    for (size_t i = 0; i < edits.count; i++)
        add_text(l, skn_map_get_int(l->texts, edits.at[i].from), edits.at[i].to);
    return SKEIN_OK;
}

static skn_ids texts_of_mine(const linking *l)
{
    skn_idset s;

    skn_idset_init(&s, l->x->a);
    for (size_t i = 0; i < l->count; i++) {
        const texts *t = skn_map_get_int(l->texts, message_at(l, i)->lineage.v);

        for (size_t k = 0; k < t->ids.n; k++)
            skn_idset_add(&s, t->ids.p[k]);
    }
    return skn_idset_ids(&s);
}

static skein_rc load_replies(linking *l, skein_error *err)
{
    skn_arena *a = l->x->a;
    skn_ids    ids = texts_of_mine(l);
    skn_edges  sources, replies;
    skein_rc   rc;

    if ((rc = skn_edges_of(l->x->trees->tx, SKN_EDGE_SOURCE, &ids, a, &sources, err)) ||
        (rc = skn_edges_of(l->x->trees->tx, SKN_EDGE_REPLY, &ids, a, &replies, err)))
        return rc;
    for (size_t i = 0; i < sources.count; i++) {
        texts *t = skn_map_get_int(l->texts, sources.at[i].from);

        t->squashed = true;
    }
    for (size_t i = 0; i < replies.count; i++) {
        void **slot = skn_map_slot_int(l->replies, replies.at[i].from);

        if (!*slot)
            *slot = SKN_NEW(a, id_vec);
        skn_vec_add(a, (id_vec *)*slot, replies.at[i].to);
        skn_idset_add(&l->ids, replies.at[i].to);
    }
    return SKEIN_OK;
}

static skein_rc load_held(linking *l, skein_error *err)
{
    skn_batch         batch;
    const skn_thread *t;
    skn_ids           ids = skn_idset_ids(&l->ids);
    skein_rc          rc;

    if ((rc = skn_explain_thread(l->x, l->lane, &t, err)) ||
        (rc = skn_batch_open(&batch, l->x->trees, ids, err)))
        return rc;
    l->held = skn_batch_bits(&batch);
    if ((rc = skn_batch_held(&batch, t, l->held, err)))
        return rc;
    for (size_t i = 0; i < ids.count; i++) {
        texts *of = skn_map_get_int(l->texts, ids.at[i]);

        if (of && skn_bit(l->held, i) && ids.at[i] > of->held)
            of->held = ids.at[i];
    }
    return SKEIN_OK;
}

/* --- Answers ----------------------------------------------------------------------------------------- */

/* A version holds one text of a message at most, so a reply to any of them is one to that. */
static int64_t count_replies(const linking *l, const skein_message *m, const texts *t)
{
    int64_t n = 0;

    for (size_t i = 0; i < t->ids.n; i++) {
        const id_vec *v = skn_map_get_int(l->replies, t->ids.p[i]);

        for (size_t k = 0; v && k < v->n; k++)
            n += v->p[k] != m->id.v && is_held(l, v->p[k]);
    }
    return n;
}

/* Was a reply squashed away? What it became may answer in its place. */
static skein_rc lost_replies(const linking *l, const texts *t, bool *out, skein_error *err)
{
    skn_ids  results = {0};
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < t->ids.n && !rc && !results.count; i++) {
        const id_vec *v = skn_map_get_int(l->replies, t->ids.p[i]);

        for (size_t k = 0; v && k < v->n && !rc && !results.count; k++)
            if (!is_held(l, v->p[k]))
                rc = skn_squash_results_of(l->x->trees->tx, v->p[k], l->x->a, &results, err);
    }
    *out = results.count > 0;
    return rc;
}

static skein_rc find_replies(linking *l, skn_replies *links, size_t i, skein_error *err)
{
    const skein_message *m = message_at(l, i);
    const texts         *t = skn_map_get_int(l->texts, m->lineage.v);
    bool                 held = is_held(l, m->id.v), squashed = t->squashed;
    skn_ids              ids;
    skein_rc             rc;

    if (held && !squashed && (rc = lost_replies(l, t, &squashed, err)))
        return rc;
    if (!squashed || !held) {
        l->x->replies[l->mine[i]] = count_replies(l, m, t);
        return SKEIN_OK;
    }
    rc = skn_reply_ids(links, m->id.v, &ids, NULL, err);
    l->x->replies[l->mine[i]] = (int64_t)ids.count;
    return rc;
}

static skein_rc find_parent(linking *l, skn_replies *links, size_t i, skein_error *err)
{
    const skein_message *m = message_at(l, i);
    const texts         *t = skn_map_get_int(l->texts, m->reply_to_id.v);
    int64_t             *shown = &l->x->shown[l->mine[i]], at;

    if (!t) {
        *shown = 0;
        return SKEIN_OK;
    }
    *shown = is_held(l, m->reply_to_id.v) ? m->reply_to_id.v : t->held;
    if (*shown)
        return SKEIN_OK;
    if (is_held(l, m->id.v))
        return skn_reply_parent(links, m->id.v, shown, err);
    return skn_reply_target(links, m->reply_to_id.v, shown, &at, err);
}

skein_rc skn_explain_links(skn_explain *x, size_t lane, skein_error *err)
{
    linking     l = {.x = x, .lane = lane};
    skn_replies links;
    skein_rc    rc;

    l.texts = skn_map_new(x->a);
    l.replies = skn_map_new(x->a);
    skn_idset_init(&l.ids, x->a);
    find_mine(&l);
    if ((rc = load_texts(&l, err)) || (rc = load_replies(&l, err)) ||
        (rc = load_held(&l, err)) || (rc = skn_explain_replies(x, lane, &links, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < l.count; i++)
        if ((rc = find_replies(&l, &links, i, err)) == SKEIN_OK)
            rc = find_parent(&l, &links, i, err);
    return rc;
}
