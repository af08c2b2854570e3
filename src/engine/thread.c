/* thread.c: a thread at a length: the frozen tree of spans, then its own items. */
#include "engine/core.h"

skein_rc skn_thread_load(skn_trees *f, int64_t version, int64_t lane, skn_thread *out,
                         bool *found, skein_error *err)
{
    skein_rc rc;

    *out = (skn_thread){0};
    if ((rc = skn_thread_of(f->tx, version, lane, f->a, &out->row, found, err)) || !*found)
        return rc;
    out->length = out->row.base_length + out->row.own_length;
    return skn_tree_open(f, out->row.root_id, out->row.base_length, &out->base, err);
}

/* The own items of positions [i, j) as a span; its length is 0 when there are none. */
static skn_span own_span(const skn_thread *t, int64_t i, int64_t j)
{
    int64_t from = i > t->base.length ? i - t->base.length : 0;
    int64_t to = (j < t->length ? j : t->length) - t->base.length;

    return (skn_span){.thread = t->row.id, .lo = from, .len = to > from ? to - from : 0};
}

static skein_rc span_keys(skn_tx *tx, skn_span *s, skein_error *err)
{
    int64_t  message;
    skein_rc rc = skn_item_key(tx, s->thread, s->lo, &s->kmin, &message, err);

    return rc ? rc : skn_item_key(tx, s->thread, s->lo + s->len - 1, &s->kmax, &message, err);
}

skein_rc skn_thread_slice(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                          skn_spans *out, skein_error *err)
{
    skn_span  own = own_span(t, i, j);
    skn_spans all;
    skein_rc  rc;

    if (j > t->length)
        j = t->length;
    rc = skn_tree_slice(f, &t->base, i, j < t->base.length ? j : t->base.length, out, err);
    if (rc || own.len == 0)
        return rc;
    if ((rc = span_keys(f->tx, &own, err)))
        return rc;
    all = (skn_spans){SKN_ARRAY(f->a, out->count + 1, skn_span), out->count + 1};
    for (size_t k = 0; k < out->count; k++)
        all.at[k] = out->at[k];
    all.at[out->count] = own;
    *out = all;
    return SKEIN_OK;
}

/* --- Messages ----------------------------------------------------------------------------------- */

typedef struct placing {
    int64_t           shift; /* from an item's seq to its position in the thread */
    skn_message_sink *sink;
    void             *arg;
} placing;

static skein_rc place_message(void *arg, skein_message *m, skein_error *err)
{
    placing *p = arg;

    m->position += p->shift;
    return p->sink(p->arg, m, err);
}

skein_rc skn_thread_each(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                         skn_message_sink *sink, void *arg, skein_error *err)
{
    skn_spans spans;
    int64_t   at = i;
    skein_rc  rc;

    if ((rc = skn_thread_slice(f, t, i, j, &spans, err)))
        return rc;
    for (size_t k = 0; k < spans.count; k++) {
        const skn_span *s = &spans.at[k];
        placing         p = {at - s->lo, sink, arg};

        rc = skn_message_range(f->tx, s->thread, s->lo, s->lo + s->len, f->a, place_message, &p,
                               err);
        if (rc)
            return rc;
        at += s->len;
    }
    return SKEIN_OK;
}

typedef struct collecting {
    skn_arena *a;
    skn_vec(skein_message) v;
} collecting;

static skein_rc collect(void *arg, skein_message *m, skein_error *err)
{
    collecting *c = arg;

    (void)err;
    skn_vec_add(c->a, &c->v, *m);
    return SKEIN_OK;
}

skein_rc skn_thread_messages(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                             skein_messages *out, skein_error *err)
{
    collecting c = {.a = f->a};
    skein_rc   rc = skn_thread_each(f, t, i, j, collect, &c, err);

    *out = (skein_messages){c.v.p, c.v.n};
    return rc;
}

/* --- Finding ------------------------------------------------------------------------------------ */

/* A lane's threads are made of its own threads, and in a branch of those of another conversation:
 * the other lanes' places of a message need not be looked for. */
skein_rc skn_thread_position(skn_trees *f, const skn_thread *t, const skn_placements *places,
                             int64_t *position, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    *position = -1;
    for (size_t k = 0; rc == SKEIN_OK && *position < 0 && k < places->count; k++) {
        const skn_placement *p = &places->at[k];

        if (p->thread_id == t->row.id && p->seq >= 0)
            *position = t->row.base_length + p->seq;
        else if (p->lane_id == t->row.lane_id || p->conversation_id != f->conversation)
            rc = skn_tree_find(f, &t->base, p->thread_id, p->seq, p->key, position, err);
    }
    if (*position >= t->length)
        *position = -1;
    return rc;
}

skein_rc skn_thread_position_of(skn_trees *f, const skn_thread *t, int64_t message,
                                int64_t *position, skein_error *err)
{
    skn_placements places;
    skein_rc       rc;

    if ((rc = skn_item_placements(f->tx, message, f->a, &places, err)))
        return rc;
    return skn_thread_position(f, t, &places, position, err);
}

skein_rc skn_thread_item(skn_trees *f, const skn_thread *t, int64_t position, skn_item *out,
                         skein_error *err)
{
    skn_spans spans;
    skein_rc  rc;

    if ((rc = skn_thread_slice(f, t, position, position + 1, &spans, err)))
        return rc;
    if (spans.count != 1)
        return skn_fail(err, SKEIN_DAMAGED, "thread \"%.*s\" has no position %lld",
                        SKN_FMT(t->row.uid), (long long)position);
    out->seq = spans.at[0].lo;
    return skn_item_key(f->tx, spans.at[0].thread, out->seq, &out->key, &out->message_id, err);
}

skein_rc skn_thread_first_at(skn_trees *f, const skn_thread *t, int64_t key, int64_t *position,
                             skein_error *err)
{
    skn_span own = own_span(t, 0, t->length);
    int64_t  seq = 0;
    skein_rc rc = skn_tree_first_at(f, &t->base, key, position, err);

    if (rc || *position < t->base.length)
        return rc;
    if (own.len > 0 && (rc = skn_span_first_at(f->tx, &own, key, &seq, err)))
        return rc;
    *position = t->base.length + seq;
    return SKEIN_OK;
}

skein_rc skn_thread_freeze(skn_trees *f, const skn_thread *t, skn_tree *out, skein_error *err)
{
    skn_span own = own_span(t, 0, t->length);
    skein_rc rc;

    *out = t->base;
    if (own.len == 0)
        return SKEIN_OK;
    if ((rc = span_keys(f->tx, &own, err)))
        return rc;
    return skn_tree_splice(f, out, out->length, out->length, &own, 1, err);
}
