/* compact.c: a summary that stands for the beginning of a lane. It is appended, nothing is removed,
 * and the context begins after what it covers. */
#include "engine/feed.h"
#include "engine/read/reading.h"
#include "engine/view/modelview.h"
#include "engine/work/act.h"

/* Is this summary's message still in the new thread? */
static skein_rc holds(skn_draft *d, const skn_lane_draft *l, int64_t message, bool *held,
                      skein_error *err)
{
    skn_thread     as_new = {.row = {.id = l->thread_id, .lane_id = l->lane.id},
                             .length = l->tree.length,
                             .base = l->tree};
    skn_placements places;
    int64_t        position = -1;
    skein_rc       rc = skn_item_placements(d->tx, message, d->a, &places, err);

    if (rc == SKEIN_OK)
        rc = skn_thread_position(&d->trees, &as_new, &places, &position, err);
    *held = position >= 0;
    return rc;
}

/* An amended summary covers what the old one covered, with its new text. */
static skein_rc renew(skn_draft *d, const skn_lane_draft *l, const skn_compaction_row *old,
                      int64_t *id, skein_error *err)
{
    skn_compaction_row row = *old;
    skein_rc           rc;

    row.thread_id = l->thread_id;
    row.summary_message_id = d->amended_to;
    rc = skn_compaction_insert(d->tx, &row, SKN_STR("amend"), SKN_NONE, d->now, err);
    *id = row.id;
    return rc;
}

/* The newest compaction whose covered messages the new thread shares, and whose summary it holds. */
skein_rc skn_compaction_inherit(skn_draft *d, skn_lane_draft *l, int64_t *id, skein_error *err)
{
    skn_compaction_row row;
    bool               found = true, held;
    skein_rc           rc;

    *id = l->from.row.compaction_id;
    while (*id && found) {
        if ((rc = skn_compaction_get(d->tx, *id, &row, &found, err)))
            return rc;
        if (found && row.covers <= l->first_changed) {
            if ((rc = holds(d, l, row.summary_message_id, &held, err)) || held)
                return rc;
            if (d->amended_from == row.summary_message_id)
                return renew(d, l, &row, id, err);
        }
        *id = found && row.previous_id < *id ? row.previous_id : 0;
    }
    return SKEIN_OK;
}

/* --- Recording a compaction -------------------------------------------------------------------------- */

typedef struct compact_call {
    skein_conversation_id   conversation;
    const skein_compaction *what;
    skein_message          *summary;
    int64_t                *covers;
    int64_t                 wanted; /* how many messages to cover; 0: as many as may be */
} compact_call;

static skein_rc moved_on(skn_str lane, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_VERSION_CHANGED, "Nothing was written; summarise it again.",
                         "lane \"%.*s\" changed while it was summarised", SKN_FMT(lane));
}

/* What pairing needs to know of messages, without their texts. */
typedef struct outline {
    skn_arena *a;
    skn_vec(skein_message) v;
} outline;

static skein_rc add_outline(void *arg, skein_message *m, skein_error *err)
{
    outline      *o = arg;
    skein_message light = {.role = m->role, .purged = m->purged, .call_count = m->call_count};

    (void)err;
    light.tool_call_id = skn_arena_copy(o->a, m->tool_call_id);
    light.calls = SKN_ARRAY(o->a, m->call_count, skein_tool_call);
    for (size_t i = 0; i < m->call_count; i++)
        light.calls[i].call_id = skn_arena_copy(o->a, m->calls[i].call_id);
    skn_vec_add(o->a, &o->v, light);
    return SKEIN_OK;
}

/* A summary of summaries alone adds nothing, and notices are no part of what is said. */
static size_t said_in(const outline *m, size_t n)
{
    size_t said = 0;

    for (size_t i = 0; i < n; i++)
        said += m->v.p[i].role != SKEIN_SUMMARY && m->v.p[i].role != SKEIN_SYSTEM &&
                !m->v.p[i].purged;
    return said;
}

/* How much of positions [from, to) a summary may cover: up to *cut, where no call waits for its result; *said
 * is how many messages of it say something. keep_last: and before what an agent said last. */
static skein_rc find_cut(skn_trees *f, const skn_thread *t, int64_t from, int64_t to,
                         bool keep_last, int64_t *cut, size_t *said, skein_error *err)
{
    outline    m = {.a = f->a};
    size_t     closed = 0;
    skn_arena *scratch = skn_arena_new();
    skein_rc   rc = SKEIN_OK;

    if (to > from)
        rc = skn_thread_each(f, t, from, to, scratch, add_outline, &m, err);
    skn_arena_free(scratch);
    if (rc)
        return rc;
    while (keep_last && m.v.n > 0 && m.v.p[--m.v.n].role != SKEIN_ASSISTANT)
        ;
    closed = skn_closed_prefix(m.v.p, m.v.n);
    while (closed > 0 && m.v.p[closed - 1].role == SKEIN_SUMMARY)
        closed--;
    *cut = from + (int64_t)closed;
    *said = said_in(&m, closed);
    return SKEIN_OK;
}

static skein_rc nothing_to_compact(skein_error *err)
{
    return skn_fail_hint(err, SKEIN_NOTHING,
                         "A summary ends where every tool call has its result.",
                         "there is nothing to compact in this lane");
}

/* How far the summary may reach: it ends where no call waits for its result, and after the one
 * before it. */
static skein_rc choose_cut(skn_trees *f, const skn_thread *t, int64_t previous, int64_t wanted,
                           int64_t *cut, skein_error *err)
{
    size_t   said;
    skein_rc rc;

    if (wanted > t->length || wanted < 0)
        return skn_fail(err, SKEIN_INVALID, "cannot cover %lld messages of %lld",
                        (long long)wanted, (long long)t->length);
    if ((rc = find_cut(f, t, previous, wanted, false, cut, &said, err)))
        return rc;
    return *cut > previous ? SKEIN_OK : nothing_to_compact(err);
}

static skein_rc record(skn_trees *f, compact_call *c, skn_thread *t, int64_t previous_covers,
                       int64_t now, skein_error *err)
{
    skn_compaction_row row = {.thread_id = t->row.id, .previous_id = t->row.compaction_id};
    skn_item           last;
    skein_rc           rc;

    rc = choose_cut(f, t, previous_covers, c->wanted ? c->wanted : t->length, &row.covers, err);
    if (rc || (rc = skn_thread_item(f, t, row.covers - 1, &last, err)))
        return rc;
    *c->summary = (skein_message){.born_in = {f->conversation},
                                  .role = SKEIN_SUMMARY,
                                  .author = SKEIN_BY_SYSTEM,
                                  .sender = SKN_STR("summary"),
                                  .content = c->what->content,
                                  .model = c->what->model,
                                  .created_at = now,
                                  .position = t->length};
    if ((rc = skn_message_insert(f->tx, c->summary, f->a, err)) ||
        (rc = skn_item_insert(f->tx, t->row.id, t->row.own_length, c->summary->id.v, 0, err)))
        return rc;
    row.last_message_id = last.message_id;
    row.summary_message_id = c->summary->id.v;
    *c->covers = row.covers;
    rc = skn_compaction_insert(f->tx, &row,
                               c->what->reason.p ? c->what->reason : SKN_STR("manual"),
                               c->what->model, now, err);
    return rc ? rc : skn_thread_set_compaction(f->tx, t->row.id, row.id, err);
}

/* What was said since the text was made is not covered by it; and if another summary came since,
 * that one has won. */
static skein_rc check_seen(skn_trees *f, compact_call *c, const skn_thread *t,
                           const skn_compaction_row *previous, skein_error *err)
{
    const skein_at *seen = &c->what->seen;
    int64_t         at;
    skein_rc        rc;

    c->wanted = c->what->covers;
    if (seen->thread.v == 0)
        return SKEIN_OK;
    if (c->wanted == 0)
        c->wanted = seen->length;
    if (c->wanted > seen->length)
        return skn_fail(err, SKEIN_INVALID, "a summary of %lld messages cannot cover %lld",
                        (long long)seen->length, (long long)c->wanted);
    if (previous->summary_message_id == 0)
        return SKEIN_OK;
    rc = skn_thread_position_of(f, t, previous->summary_message_id, &at, err);
    if (rc || at < seen->length)
        return rc;
    return moved_on(c->what->lane.p ? c->what->lane : SKN_MAIN, err);
}

/* An agent has one memory of a conversation, so its name will do. */
static skn_str lane_name(const skn_lane_row *lane, skn_arena *a)
{
    if (lane->agent_id && !lane->parent_id && !skn_str_eq(lane->key, SKN_MAIN))
        return skn_arena_printf(a, "@%.*s", SKN_FMT(lane->agent_name));
    return skn_arena_copy(a, lane->key);
}

static skein_rc tell(skn_working *w, const compact_call *c, const skn_lane_row *lane,
                     int64_t previous, skein_error *err)
{
    skein_message before = {0};
    bool          found;
    skein_rc      rc = SKEIN_OK;

    if (previous && (rc = skn_message_get(w->tx, previous, w->a, &before, &found, err)))
        return rc;
    skn_feed_chat(w->tx, &w->chat, "summary.created", SKN_NONE,
                  SKN_TOLD(SKN_M_TEXT("messageId", c->summary->uid),
                           SKN_M_INT("covers", *c->covers),
                           SKN_M_TEXT("previousMessageId", before.uid),
                           SKN_M_TEXT("lane", lane_name(lane, w->a))));
    return SKEIN_OK;
}

static skein_rc compact(skn_working *w, void *arg, skein_error *err)
{
    compact_call      *c = arg;
    skn_lane_row       lane;
    skn_thread         t;
    skn_trees          f;
    skn_compaction_row previous;
    skein_message      older;
    bool               found;
    skein_rc           rc;

    if ((rc = skn_working_hold(w, c->conversation, err)) ||
        (rc = skn_lane_need(w->tx, &w->chat, c->what->lane, w->a, &lane, err)))
        return rc;
    skn_trees_init(&f, w->tx, w->a, w->chat.id);
    if ((rc = skn_thread_load(&f, w->chat.version_id, lane.id, &t, &found, err)))
        return rc;
    if (!found && !c->what->seen.thread.v) /* an agent that has heard nothing */
        return nothing_to_compact(err);
    if (!found || (c->what->seen.thread.v && c->what->seen.thread.v != t.row.id))
        return moved_on(lane_name(&lane, w->a), err);
    if ((rc = skn_summary_find(&f, &t, &older, &previous, err)) ||
        (rc = check_seen(&f, c, &t, &previous, err)) ||
        (rc = record(&f, c, &t, previous.covers, w->now, err)) ||
        (rc = skn_call_keep_with(w, c->what->call, &w->chat, c->summary->uid, err)))
        return rc;
    return tell(w, c, &lane, previous.summary_message_id, err);
}

skein_rc skein_compact(skein_engine *e, skein_conversation_id conversation,
                       const skein_compaction *what, skein_mem *mem, skein_message *summary,
                       int64_t *covers, skein_error *err)
{
    compact_call c = {conversation, what, summary, covers, 0};
    skein_rc     rc = skn_check_text(e, what->content, "the summary", err);

    if (rc)
        return rc;
    if (skn_str_trim(what->content).n == 0)
        return skn_fail(err, SKEIN_INVALID, "the summary has no text");
    if ((rc = skn_check_given(what->model, "the model's name", SKN_WORD_MAX, err)) ||
        (rc = skn_check_given(what->reason, "the reason", SKN_WORD_MAX, err)))
        return rc;
    return skn_write(e, mem, compact, &c, err);
}

/* What a summary has to be made of, fixed before a model is asked for it. What comes later
 * is appended behind, so the plan stays true; a change of what it covers makes another thread, and
 * skein_compact refuses. */

#define SAID_LEAST 2 /* a summary of less says no more than what it replaces */

/* Is this work done, or going to be, with this lane as what the agent sees? */
static bool concerns(const skn_reading *r, const skn_delivery_row *d)
{
    if (d->lane_id || r->lane.parent_id)
        return d->lane_id == r->lane.id;
    return r->lane.agent_id == 0 || r->lane.agent_id == d->agent_id;
}

/* Messages that an agent is answering, or has yet to answer, stay in the context with everything after them. */
static skein_rc before_work(skn_reading *r, int64_t *to, skein_error *err)
{
    skn_delivery_rows work;
    skein_rc rc = skn_delivery_pending(r->trees.tx, r->conversation.id, r->trees.a, &work, err);

    *to = r->thread.length;
    for (size_t i = 0; rc == SKEIN_OK && i < work.count; i++) {
        int64_t at;

        if (!concerns(r, &work.at[i]))
            continue;
        rc = skn_thread_position_of(&r->trees, &r->thread, work.at[i].message_id, &at, err);
        if (rc == SKEIN_OK && at < 0)
            rc = skn_thread_first_at(&r->trees, &r->thread, work.at[i].message_id, &at, err);
        if (rc == SKEIN_OK && at < *to)
            *to = at;
    }
    return rc;
}

static skein_rc plan(skn_tx *tx, const skein_slice *what, skein_mem *mem,
                     skein_compact_plan *out, skein_error *err)
{
    skn_reading        r;
    skein_message      summary;
    skn_compaction_row row;
    int64_t            to = 0;
    size_t             said;
    skein_rc           rc;

    *out = (skein_compact_plan){0};
    if ((rc = skn_reading_open(&r, tx, what, mem, err)))
        return rc;
    if (r.thread.row.id == 0)
        return nothing_to_compact(err);
    if ((rc = skn_summary_find(&r.trees, &r.thread, &summary, &row, err)) ||
        (!what->in_turn && (rc = before_work(&r, &to, err))) ||
        (rc = find_cut(&r.trees, &r.thread, row.covers, what->in_turn ? r.thread.length : to,
                       what->in_turn, &out->covers, &said, err)))
        return rc;
    if (said < SAID_LEAST)
        return nothing_to_compact(err);
    out->lane = lane_name(&r.lane, mem);
    out->seen = (skein_at){{r.thread.row.id}, r.thread.length};
    return skn_context_fill(
        &r, &(skn_context_spec){what->agent, &summary, &row, out->covers, true, NULL},
        &out->context, err);
}

skein_rc skein_compact_plan_read(skein_engine *e, const skein_slice *what, skein_mem *mem,
                                 skein_compact_plan *out, skein_error *err)
{
    skn_snapshot s = {.store = e->store};

    if (what->version)
        return skn_fail(err, SKEIN_INVALID, "only the current version can be summarised");
    while (skn_snapshot_next(&s, err))
        s.rc = plan(s.tx, what, mem, out, err);
    return s.rc;
}
