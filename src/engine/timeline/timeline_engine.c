/* timeline_engine.c: the timelines of a stored version: its room and its delegations, folded from the
 * longest prefix that the cache still has. */
#include "engine/read/reading.h"
#include "engine/timeline/timeline.h"
#include "engine/timeline/timeline_cache.h"
#include "engine/tree/holds.h"

typedef struct folding {
    skn_timeline_cache   *cache;
    skein_conversation_id conversation;
    int64_t               version;
    skn_arena            *a;
    skn_tx               *tx;
    skn_lane_row         *lanes; /* all but the agents' memories, by id: parents first */
    skn_thread_row       *rows;  /* of each lane; id 0: it has none in this version */
    skn_folded           *want;  /* of each lane */
    size_t                count;
    skn_timeline_state   *state;
} folding;

/* --- What there is ------------------------------------------------------------------------------- */

static bool is_shown(const skn_lane_row *l)
{
    return l->parent_id || skn_str_eq(l->key, SKN_MAIN);
}

static void keep_lanes(folding *f, const skn_lane_rows *lanes, const skn_thread_rows *threads)
{
    skn_map *of_lane = skn_map_new(f->a);

    for (size_t i = 0; i < threads->count; i++)
        *skn_map_slot_int(of_lane, threads->at[i].lane_id) = &threads->at[i];
    f->count = 0;
    f->lanes = SKN_ARRAY(f->a, lanes->count, skn_lane_row);
    f->rows = SKN_ARRAY(f->a, lanes->count, skn_thread_row);
    f->want = SKN_ARRAY(f->a, lanes->count, skn_folded);
    for (size_t i = 0; i < lanes->count; i++) {
        const skn_thread_row *t = skn_map_get_int(of_lane, lanes->at[i].id);

        if (!is_shown(&lanes->at[i]))
            continue;
        f->lanes[f->count] = lanes->at[i];
        f->want[f->count].lane = lanes->at[i].id;
        if (t) {
            f->rows[f->count] = *t;
            f->want[f->count].thread = t->id;
            f->want[f->count].length = t->base_length + t->own_length;
        }
        f->count++;
    }
}

static skein_rc load_lanes(folding *f, int64_t *erasures, skein_error *err)
{
    skn_conversation_row c;
    skn_version_row      v;
    skn_lane_rows        lanes;
    skn_thread_rows      threads;
    skein_rc             rc;

    if ((rc = skn_conversation_need(f->tx, f->conversation, f->a, &c, err)) ||
        (rc = skn_version_pick(f->tx, &c, f->version, f->a, &v, err)) ||
        (rc = skn_lane_rows_of(f->tx, c.id, f->a, &lanes, err)) ||
        (rc = skn_threads_of_version(f->tx, v.id, f->a, &threads, err)) ||
        (rc = skn_erasures(f->tx, erasures, err)))
        return rc;
    keep_lanes(f, &lanes, &threads);
    return SKEIN_OK;
}

static size_t lane_number(const folding *f, int64_t id)
{
    size_t at = skn_first_from(f->lanes, f->count, sizeof *f->lanes, offsetof(skn_lane_row, id),
                               id);

    return at < f->count && f->lanes[at].id == id ? at : SIZE_MAX;
}

/* --- Links ----------------------------------------------------------------------------------------- */

/* The messages whose calls made lanes, and every text they ever had. */
typedef struct spawns {
    skn_map *heads; /* id -> skn_head */
    skn_map *texts; /* lineage -> text_vec, in order of making, the first left out */
} spawns;

typedef skn_vec(skn_head) text_vec;

static skein_rc load_heads(folding *f, const skn_ids *ids, skn_heads *out, skein_error *err)
{
    *out = (skn_heads){0};
    return ids->count ? skn_heads_of(f->tx, ids, f->a, out, err) : SKEIN_OK;
}

static skein_rc load_texts(folding *f, const skn_heads *of, spawns *s, skein_error *err)
{
    skn_ids   ids = {SKN_ARRAY(f->a, of->count, int64_t), of->count};
    skn_edges edits = {0};
    skn_heads heads;
    skein_rc  rc;

    for (size_t i = 0; i < of->count; i++)
        ids.at[i] = of->at[i].lineage;
    if (ids.count && (rc = skn_edges_of(f->tx, SKN_EDGE_AMEND, &ids, f->a, &edits, err)))
        return rc;
    ids = (skn_ids){SKN_ARRAY(f->a, edits.count, int64_t), edits.count};
    for (size_t i = 0; i < edits.count; i++)
        ids.at[i] = edits.at[i].to;
    if ((rc = load_heads(f, &ids, &heads, err)))
        return rc;
    for (size_t i = 0; i < heads.count; i++) {
        void **slot = skn_map_slot_int(s->texts, heads.at[i].lineage);

        if (!*slot)
            *slot = SKN_NEW(f->a, text_vec);
        skn_vec_add(f->a, (text_vec *)*slot, heads.at[i]);
    }
    return SKEIN_OK;
}

static skein_rc load_spawns(folding *f, const bool *fresh, spawns *s, skein_error *err)
{
    skn_idset of;
    skn_ids   ids;
    skn_heads heads;
    skein_rc  rc;

    s->heads = skn_map_new(f->a);
    s->texts = skn_map_new(f->a);
    skn_idset_init(&of, f->a);
    for (size_t i = 0; i < f->count; i++)
        if (fresh[i])
            skn_idset_add(&of, f->lanes[i].spawn_message_id);
    ids = skn_idset_ids(&of);
    if ((rc = load_heads(f, &ids, &heads, err)))
        return rc;
    for (size_t i = 0; i < heads.count; i++)
        *skn_map_slot_int(s->heads, heads.at[i].id) = &heads.at[i];
    return load_texts(f, &heads, s, err);
}

/* The text of the spawning message that the parent's lane holds: an edit keeps the call. */
static skein_rc spawn_uid(folding *f, size_t parent, const skn_head *spawn, const spawns *s,
                          skn_str *out, skein_error *err)
{
    const text_vec *texts = skn_map_get_int(s->texts, spawn->lineage);
    skn_trees       trees;
    skn_thread      t;
    int64_t         at;
    skein_rc        rc;

    *out = spawn->uid;
    if (!texts || f->rows[parent].id == 0)
        return SKEIN_OK;
    skn_trees_init(&trees, f->tx, f->a, f->conversation.v);
    if ((rc = skn_thread_open(&trees, &f->rows[parent], &t, err)))
        return rc;
    for (size_t i = texts->n; i-- > 0;) {
        if ((rc = skn_thread_position_of(&trees, &t, texts->p[i].id, &at, err)))
            return rc;
        if (at < 0)
            continue;
        *out = texts->p[i].uid;
        break;
    }
    return SKEIN_OK;
}

static skein_rc link_lane(folding *f, size_t i, const spawns *s, skein_error *err)
{
    const skn_lane_row *l = &f->lanes[i];
    size_t              parent = lane_number(f, l->parent_id);
    const skn_head *spawn = l->spawn_message_id ? skn_map_get_int(s->heads, l->spawn_message_id)
                                                : NULL;
    skein_lane_link link = {.child = l->key, .call_id = l->spawn_call_id};
    skein_rc        rc;

    if ((rc = skein_timelines_declare(f->state->set, l->key, err)) || parent == SIZE_MAX)
        return rc;
    link.parent = f->lanes[parent].key;
    if (spawn && (rc = spawn_uid(f, parent, spawn, s, &link.message_id, err)))
        return rc;
    return skein_timelines_link(f->state->set, &link, err);
}

static skein_rc link_lanes(folding *f, const bool *fresh, skein_error *err)
{
    spawns   s;
    skein_rc rc = load_spawns(f, fresh, &s, err);

    for (size_t i = 0; rc == SKEIN_OK && i < f->count; i++)
        if (fresh[i])
            rc = link_lane(f, i, &s, err);
    return rc;
}

/* --- Records --------------------------------------------------------------------------------------- */

typedef struct lane_fold {
    skein_timelines *set;
    skn_str          key;
    skn_arena       *scratch;
} lane_fold;

static skein_rc fold_message(void *arg, skein_message *m, skein_error *err)
{
    lane_fold  *to = arg;
    skn_records records = {0};
    skein_rc    rc = SKEIN_OK;

    skn_records_of_message(m, to->key, to->scratch, &records);
    for (size_t i = 0; rc == SKEIN_OK && i < records.n; i++)
        rc = skein_timelines_apply(to->set, &records.p[i], err);
    return rc;
}

static skein_rc fold_lane(folding *f, size_t i, int64_t from, skn_arena *scratch,
                          skein_error *err)
{
    lane_fold  to = {f->state->set, f->lanes[i].key, scratch};
    skn_trees  trees;
    skn_thread t;
    skein_rc   rc;

    if (from >= f->want[i].length)
        return SKEIN_OK;
    skn_trees_init(&trees, f->tx, f->a, f->conversation.v);
    rc = skn_thread_open(&trees, &f->rows[i], &t, err);
    return rc ? rc
              : skn_thread_each(&trees, &t, from, f->want[i].length, scratch, fold_message, &to,
                                err);
}

/* How far each lane is folded already; fresh are those that the state does not know. */
static void find_progress(const folding *f, int64_t *done, bool *fresh)
{
    size_t k = 0;

    for (size_t i = 0; i < f->count; i++) {
        while (k < f->state->count && f->state->lanes[k].lane < f->want[i].lane)
            k++;
        fresh[i] = k == f->state->count || f->state->lanes[k].lane != f->want[i].lane;
        done[i] = fresh[i] ? 0 : f->state->lanes[k].length;
    }
}

static skein_rc fold_lanes(folding *f, skein_error *err)
{
    int64_t   *done = SKN_ARRAY(f->a, f->count, int64_t);
    bool      *fresh = SKN_ARRAY(f->a, f->count, bool);
    skn_arena *scratch = skn_arena_new();
    skein_rc   rc;

    find_progress(f, done, fresh);
    rc = link_lanes(f, fresh, err);
    for (size_t i = 0; rc == SKEIN_OK && i < f->count; i++)
        rc = fold_lane(f, i, done[i], scratch, err);
    skn_arena_free(scratch);
    if (rc)
        return rc;
    f->state->lanes = skn_heap_resize(f->state->lanes, (f->count + 1) * sizeof *f->want);
    f->state->count = f->count;
    for (size_t i = 0; i < f->count; i++)
        f->state->lanes[i] = f->want[i];
    return SKEIN_OK;
}

/* A state that was folded halfway is not a prefix of anything: it is dropped. */
static skein_rc fold(folding *f, skein_error *err)
{
    int64_t  erasures;
    skein_rc rc;

    skn_timeline_state_free(f->state);
    f->state = NULL;
    if ((rc = load_lanes(f, &erasures, err)))
        return rc;
    f->state = skn_timeline_cache_take(f->cache, f->conversation.v, erasures, f->want,
                                       f->count);
    if (!f->state)
        f->state = skn_timeline_state_new(f->conversation.v, erasures);
    if ((rc = fold_lanes(f, err))) {
        skn_timeline_state_free(f->state);
        f->state = NULL;
    }
    return rc;
}

/* --- Calls ------------------------------------------------------------------------------------------- */

skein_rc skein_timeline_visit(skein_engine *e, skein_conversation_id conversation,
                              int64_t version, skein_timeline_use *use, void *arg,
                              skein_error *err)
{
    folding      f = {.cache = e->timelines, .conversation = conversation, .version = version};
    skn_snapshot s = {.store = e->store};

    f.a = skn_arena_new();
    while (skn_snapshot_next(&s, err)) {
        f.tx = s.tx;
        s.rc = fold(&f, err);
    }
    if (s.rc == SKEIN_OK)
        s.rc = use(f.state->set, arg, err);
    skn_timeline_cache_put(f.cache, &f.state);
    skn_arena_free(f.a);
    return s.rc;
}

static skein_rc copy(skein_timelines *set, void *arg, skein_error *err)
{
    (void)err;
    *(skein_timelines **)arg = skein_timelines_clone(set);
    return SKEIN_OK;
}

skein_rc skein_timeline_read(skein_engine *e, skein_conversation_id conversation,
                             int64_t version, skein_timelines **out, skein_error *err)
{
    *out = NULL;
    return skein_timeline_visit(e, conversation, version, copy, out, err);
}

/* Stored messages as records. */

/* A text as a JSON string, for what should have been JSON and is not. */
static skn_str quoted(skn_str text, skn_arena *a)
{
    skn_buf buf;
    skn_jw  w;

    skn_jw_open(&w, &buf, SIZE_MAX);
    skn_jw_str(&w, text);
    return skn_buf_keep(&buf, a);
}

/* However damaged the stored arguments are, what the record says about them is JSON. */
static void read_args(skn_str args, skn_arena *a, skein_record *r)
{
    skn_arena      *scratch = skn_arena_new();
    const skn_json *v, *child;

    if (args.n > 0 && skn_json_parse(&v, args, "arguments", scratch, NULL)) {
        r->input = quoted(args, a);
    } else if (args.n > 0) {
        r->input = args;
        child = skn_json_get(v, "delegateThreadId");
        if (child && child->kind == SKN_JSON_STRING)
            r->child = skn_arena_copy(a, child->text);
    }
    skn_arena_free(scratch);
}

static skein_record record_of(const skein_message *m, skn_str lane, skein_record_type type)
{
    return (skein_record){.id = m->uid,
                          .lane = lane,
                          .type = type,
                          .at = m->created_at,
                          .message_id = m->uid,
                          .turn_id = m->turn_uid,
                          .sender = m->sender};
}

/* A message is one record if it can be; further ones get ids made from its own. */
static void add_assistant(const skein_message *m, skn_str lane, skn_arena *a, skn_records *out)
{
    skein_record r;

    if (m->thinking.n > 0) {
        r = record_of(m, lane, SKEIN_RECORD_THINKING);
        r.id = skn_arena_printf(a, "%.*s/thinking", SKN_FMT(m->uid));
        r.text = m->thinking;
        skn_vec_add(a, out, r);
    }
    if (m->content.n > 0 || (m->call_count == 0 && (m->unfinished || m->thinking.n == 0))) {
        r = record_of(m, lane, SKEIN_RECORD_AGENT_MESSAGE);
        r.text = m->content;
        r.unfinished = m->unfinished;
        skn_vec_add(a, out, r);
    }
    for (size_t i = 0; i < m->call_count; i++) {
        r = record_of(m, lane, SKEIN_RECORD_TOOL_CALL);
        r.id = skn_arena_printf(a, "%.*s/call/%zu", SKN_FMT(m->uid), i);
        r.call_id = m->calls[i].call_id;
        r.tool_name = m->calls[i].tool_name;
        read_args(m->calls[i].args, a, &r);
        skn_vec_add(a, out, r);
    }
}

void skn_records_of_message(const skein_message *m, skn_str lane, skn_arena *a,
                            skn_records *out)
{
    skein_record r = record_of(m, lane, SKEIN_RECORD_USER_MESSAGE);

    r.text = m->content;
    switch (m->role) {
    case SKEIN_USER:
        break;
    case SKEIN_ASSISTANT:
        add_assistant(m, lane, a, out);
        return;
    case SKEIN_TOOL:
        r.type = SKEIN_RECORD_TOOL_RESULT;
        r.call_id = m->tool_call_id;
        r.failed = m->tool_failed;
        break;
    case SKEIN_SUMMARY:
        r.type = SKEIN_RECORD_SUMMARY;
        break;
    case SKEIN_SYSTEM:
        r.type = SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE;
        break;
    }
    skn_vec_add(a, out, r);
}
