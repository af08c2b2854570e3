/* thread.c: a thread at a length: the frozen tree of spans, then its own items. */
#include "engine/work/chat_work.h"

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
                         skn_arena *scratch, skn_message_sink *sink, void *arg,
                         skein_error *err)
{
    enum { PIECE = 1000 };
    skn_spans spans;
    int64_t   at = i;
    skein_rc  rc = skn_thread_slice(f, t, i, j, &spans, err);

    for (size_t k = 0; rc == SKEIN_OK && k < spans.count; at += spans.at[k++].len) {
        const skn_span *s = &spans.at[k];
        int64_t         end = s->lo + s->len, most = scratch ? PIECE : s->len;
        placing         p = {at - s->lo, sink, arg};

        for (int64_t lo = s->lo; rc == SKEIN_OK && lo < end; lo += most) {
            rc = skn_message_range(f->tx, s->thread, lo, end - lo < most ? end : lo + most,
                                   scratch ? scratch : f->a, place_message, &p, err);
            if (scratch)
                skn_arena_reset(scratch);
        }
    }
    return rc;
}

typedef struct collecting {
    skn_arena *a;
    skn_vec(skein_message) v;
} collecting;

static skein_rc collect(void *arg, skein_message *m, skein_error *err)
{
    collecting *c = arg;

    if (!skn_vec_fits(&c->v))
        return skn_no_memory(err);
    skn_vec_add(c->a, &c->v, *m);
    return SKEIN_OK;
}

skein_rc skn_thread_messages(skn_trees *f, const skn_thread *t, int64_t i, int64_t j,
                             skein_messages *out, skein_error *err)
{
    collecting c = {.a = f->a};
    skein_rc   rc = skn_thread_each(f, t, i, j, NULL, collect, &c, err);

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

/* The lanes of a conversation; a delegation's lane is the child of the lane that called. */

typedef struct lane_call {
    skein_mem            *mem;
    skein_conversation_id conversation;
    skn_str               parent, call_id;
    int64_t               message, id;
    skein_lane_state      state;
    skein_lane           *out;
} lane_call;

static skein_rc fill_lane(skn_trees *f, int64_t version, const skn_lane_row *row,
                          skein_lane *out, skein_error *err)
{
    skn_thread_row t = {0};
    bool           found;
    skein_rc       rc = skn_thread_of(f->tx, version, row->id, f->a, &t, &found, err);

    *out = (skein_lane){.id = {row->id},
                        .key = row->key,
                        .agent = {row->agent_id},
                        .agent_name = row->agent_name,
                        .parent = {row->parent_id},
                        .ordinal = row->ordinal,
                        .spawn_message = {row->spawn_message_id},
                        .spawn_call_id = row->spawn_call_id,
                        .state = row->state,
                        .thread = {t.id},
                        .length = t.base_length + t.own_length};
    if (row->agent_id && !row->parent_id && !skn_str_eq(row->key, SKN_MAIN))
        out->key = skn_arena_printf(f->a, "@%.*s", SKN_FMT(row->agent_name));
    return rc;
}

skein_rc skein_lane_list(skein_engine *e, skein_conversation_id conversation, skein_mem *mem,
                         skein_lanes *out, skein_error *err)
{
    skn_conversation_row row;
    skn_lane_rows        lanes;
    skn_snapshot         s = {.store = e->store};

    while (skn_snapshot_next(&s, err)) {
        skn_trees f;

        if ((s.rc = skn_conversation_need(s.tx, conversation, mem, &row, err)) ||
            (s.rc = skn_lane_rows_of(s.tx, row.id, mem, &lanes, err)))
            continue;
        skn_trees_init(&f, s.tx, mem, row.id);
        *out = (skein_lanes){.at = SKN_ARRAY(mem, lanes.count, skein_lane)};
        for (size_t i = 0; !s.rc && i < lanes.count; i++)
            s.rc = fill_lane(&f, row.version_id, &lanes.at[i], &out->at[out->count++], err);
    }
    return s.rc;
}

/* The message whose call makes the lane is one of this conversation, in whatever version. */
static skein_rc check_spawn(skn_tx *tx, const lane_call *c, const skn_conversation_row *row,
                            skein_error *err)
{
    skein_message m;
    skn_ids       kin;
    bool          found;
    skein_rc      rc;

    if (c->message == 0)
        return SKEIN_OK;
    if ((rc = skn_message_get(tx, c->message, c->mem, &m, &found, err)) ||
        (rc = skn_conversation_kin(tx, row, c->mem, &kin, err)))
        return rc;
    if (found && skn_is_kin(&kin, m.born_in.v))
        return SKEIN_OK;
    return skn_fail(err, SKEIN_NOT_FOUND,
                    "conversation \"%.*s\" has no message with the number "
                    "%lld",
                    SKN_FMT(row->uid), (long long)c->message);
}

/* The link to the call is written together with the lane, never guessed later. */
skein_rc skn_lane_make(skn_tx *tx, const skn_lane_row *parent, int64_t now, skn_arena *a,
                       skn_lane_row *row, skein_error *err)
{
    bool     found;
    skein_rc rc;

    row->parent_id = parent->id;
    if ((rc = skn_lane_count_child(tx, parent->id, &row->ordinal, err)))
        return rc;
    row->key = skn_arena_printf(a, "%.*s.%lld", SKN_FMT(parent->key), (long long)row->ordinal);
    rc = skn_lane_insert(tx, row, now, &row->id, err);
    return rc ? rc : skn_lane_get(tx, row->id, a, row, &found, err);
}

static skein_rc lane_new(skn_tx *tx, void *arg, skein_error *err)
{
    lane_call           *c = arg;
    skn_conversation_row conversation;
    skn_lane_row         parent, row = {0};
    skn_trees            f;
    skein_rc             rc;

    if ((rc = skn_conversation_take(tx, c->conversation, c->mem, &conversation, err)) ||
        (rc = skn_lane_need(tx, &conversation, c->parent, c->mem, &parent, err)) ||
        (rc = check_spawn(tx, c, &conversation, err)))
        return rc;
    row = (skn_lane_row){.conversation_id = conversation.id,
                         .spawn_message_id = c->message,
                         .spawn_call_id = c->call_id};
    if ((rc = skn_lane_make(tx, &parent, SKN_NOW(), c->mem, &row, err)))
        return rc;
    skn_feed_lane(tx, &conversation, &row, SKN_NONE);
    skn_trees_init(&f, tx, c->mem, conversation.id);
    return fill_lane(&f, conversation.version_id, &row, c->out, err);
}

skein_rc skein_lane_new(skein_engine *e, skein_conversation_id conversation, skein_str parent,
                        skein_message_id spawn_message, skein_str spawn_call_id, skein_mem *mem,
                        skein_lane *out, skein_error *err)
{
    lane_call c = {.mem = mem,
                   .conversation = conversation,
                   .parent = parent,
                   .call_id = spawn_call_id,
                   .message = spawn_message.v,
                   .out = out};
    skein_rc  rc;

    if ((rc = skn_check_given(spawn_call_id, "a tool call's id", SKN_WORD_MAX, err)))
        return rc;
    if (parent.p && parent.n > 0 && parent.p[0] == '@')
        return skn_fail(err, SKEIN_INVALID,
                        "an agent's memory has no delegations; use \"main\"");
    return skn_store_write(e->store, lane_new, &c, err);
}

static skein_rc lane_finish(skn_working *w, void *arg, skein_error *err)
{
    lane_call           *c = arg;
    skn_conversation_row conversation;
    skn_lane_row         row;
    bool                 found, changed;
    skein_rc             rc;

    if ((rc = skn_lane_get(w->tx, c->id, w->a, &row, &found, err)))
        return rc;
    if (!found || !row.parent_id)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no delegation with the number %lld",
                        (long long)c->id);
    if ((rc = skn_lane_set_state(w->tx, c->id, c->state, &changed, err)))
        return rc;
    if (!changed && row.state != c->state)
        return skn_fail(err, SKEIN_CONFLICT, "delegation \"%.*s\" has already ended",
                        SKN_FMT(row.key));
    if (!changed ||
        (rc = skn_conversation_need(w->tx, (skein_conversation_id){row.conversation_id}, w->a,
                                    &conversation, err)))
        return rc;
    row.state = c->state;
    skn_feed_lane(w->tx, &conversation, &row, SKN_NONE);
    return SKEIN_OK;
}

skein_rc skein_lane_finish(skein_engine *e, skein_lane_id lane, skein_lane_state state,
                           skein_error *err)
{
    lane_call c = {.id = lane.v, .state = state};

    if (state == SKEIN_LANE_RUNNING)
        return skn_fail(err, SKEIN_USAGE, "a delegation cannot be set running");
    return skn_write(e, NULL, lane_finish, &c, err);
}
