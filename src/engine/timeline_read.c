/* Reading timelines, and the calls that fold and read in one. */
#include "base/error.h"
#include "base/utf8.h"
#include "engine/timeline_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

const skein_timeline *skein_timelines_get(skein_timelines *set, skein_str lane)
{
    return skn_lane_find(set, lane);
}

const skein_timeline *skein_timelines_main(skein_timelines *set)
{
    return set->main;
}

size_t skein_timelines_count(skein_timelines *set)
{
    return set->lanes.n;
}

const skein_timeline *skein_timelines_at(skein_timelines *set, size_t index)
{
    skn_links_settle(set);
    return set->sorted[index];
}

skein_str skein_timeline_lane(const skein_timeline *t)
{
    return t->key;
}

const skein_timeline *skein_timeline_parent(const skein_timeline *t)
{
    skn_links_settle(t->set);
    return t->parent;
}

size_t skein_timeline_item_count(const skein_timeline *t)
{
    return t->items.n;
}

static void open_tool(const skein_timeline *t, const skn_tool *tool, skein_timeline_item *out)
{
    out->answered = tool->result != NULL;
    if (tool->result)
        out->result = skn_rec_open(tool->result, t->key);
    out->duplicate_count = tool->duplicate_count;
    out->occurrence = tool->occurrence;
    if (tool->child) {
        out->delegation = tool->child->key;
        out->guessed = tool->child->guessed;
    }
}

skein_timeline_item skein_timeline_item_at(const skein_timeline *t, size_t index)
{
    const skn_item     *item = skn_item_at(t, index);
    skn_str             text = skn_rec_field(item->rec, SKN_FIELD_TEXT);
    skein_timeline_item out = {.kind = (skein_item_kind)item->kind};

    skn_links_settle(t->set);
    out.record = skn_rec_open(item->rec, t->key);
    if (out.kind == SKEIN_ITEM_TOOL_EXECUTION) {
        open_tool(t, item->u.tool, &out);
        return out;
    }
    if (text.p) {
        out.text = (skn_str){text.p + item->u.part.text, item->u.part.text_n};
        out.source = (skn_str){text.p + item->u.part.source, item->u.part.source_n};
    }
    out.split = item->split;
    out.part = item->number;
    return out;
}

skein_record skein_timeline_duplicate(const skein_timeline *t, size_t index, size_t which)
{
    const skn_item *item = skn_item_at(t, index);

    assert(item->kind == SKEIN_ITEM_TOOL_EXECUTION && which < item->u.tool->duplicate_count);
    return skn_rec_open(item->u.tool->duplicates[which], t->key);
}

size_t skein_timeline_record_count(const skein_timeline *t)
{
    return t->records.n;
}

skein_record skein_timeline_record_at(const skein_timeline *t, size_t index)
{
    return skn_rec_open(skn_rec_at(t, index), t->key);
}

/* --- Conservation ------------------------------------------------------------------------- */

typedef struct census {
    const skein_timeline *t;
    bool                 *met;
    size_t                count;
    const skn_rec        *wrong; /* the first found more than once, or not whole */
} census;

static void meet(census *c, const skn_rec *rec)
{
    if (c->met[rec->seq] && !c->wrong)
        c->wrong = rec;
    c->met[rec->seq] = true;
    c->count++;
}

static void meet_tool(census *c, const skn_tool *tool)
{
    meet(c, tool->call);
    if (tool->result)
        meet(c, tool->result);
    for (uint32_t i = 0; i < tool->duplicate_count; i++)
        meet(c, tool->duplicates[i]);
}

/* Takes the items of one record, from item i on, whose sources must be its text without a
 * gap. */
static size_t meet_text(census *c, size_t i)
{
    const skn_rec *rec = skn_item_at(c->t, i)->rec;
    size_t         at = 0;

    meet(c, rec);
    for (; i < c->t->items.n && skn_item_at(c->t, i)->rec == rec; i++) {
        const skn_item *item = skn_item_at(c->t, i);

        if (item->u.part.source != at && !c->wrong)
            c->wrong = rec;
        at += item->u.part.source_n;
    }
    if (at != skn_rec_field(rec, SKN_FIELD_TEXT).n && !c->wrong)
        c->wrong = rec;
    return i;
}

skein_rc skein_timeline_check(const skein_timeline *t, skein_error *err)
{
    census   c = {.t = t, .met = skn_heap(t->records.n * sizeof(bool))};
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < t->items.n;) {
        const skn_item *item = skn_item_at(t, i);

        if (item->kind == SKEIN_ITEM_TOOL_EXECUTION) {
            meet_tool(&c, item->u.tool);
            i++;
        } else {
            i = meet_text(&c, i);
        }
    }
    for (size_t i = 0; i < t->records.n && !c.wrong; i++)
        if (!c.met[i])
            c.wrong = skn_rec_at(t, i);
    if (c.wrong || c.count != t->records.n) {
        skn_str lane = skn_utf8_cut(t->key, 100);

        rc = skn_fail(err, SKEIN_DAMAGED,
                      "record %zu of lane \"%.*s\" is not shown exactly once",
                      c.wrong ? (size_t)c.wrong->seq : t->records.n, SKN_FMT(lane));
    }
    free(c.met);
    return rc;
}

/* --- Copies ------------------------------------------------------------------------------- */

static void replay_links(skein_timelines *to, const skein_timeline *t)
{
    for (size_t i = 0; i < t->spawns.n; i++) {
        const skn_spawn *s = skn_list_at(&t->spawns, sizeof *s, i);
        skein_lane_link  link = {sizeof link, s->child->key, t->key,
                                 s->call_id,  s->message_id, s->occurrence};

        (void)skein_timelines_link(to, &link, NULL);
    }
}

static void replay_records(skein_timelines *to, const skein_timeline *t)
{
    for (size_t i = 0; i < t->records.n; i++) {
        skein_record r = skein_timeline_record_at(t, i);

        (void)skn_timelines_apply_known(to, &r, NULL);
    }
}

static int cmp_orders(const void *a, const void *b)
{
    const skein_timeline *x = *(skein_timeline *const *)a, *y = *(skein_timeline *const *)b;

    return (x->order > y->order) - (x->order < y->order);
}

/* A set is what its records make of it, in whatever mixture of lanes: so a copy is their
 * replay. What was applied once cannot fail now. */
skein_timelines *skein_timelines_clone(const skein_timelines *set)
{
    skein_timeline **lanes = skn_heap((set->lanes.n + 1) * sizeof *lanes);
    skein_timelines *to = skein_timelines_new(NULL);

    to->guess_links = set->guess_links;
    for (size_t i = 0; i < set->lanes.n; i++)
        lanes[i] = skn_lane_at(set, i);
    qsort(lanes, set->lanes.n, sizeof *lanes, cmp_orders);
    for (size_t i = 0; i < set->lanes.n; i++)
        if (lanes[i]->order > 0)
            skn_lane_show(skn_lane_named(to, lanes[i]->key));
    for (size_t i = 0; i < set->lanes.n; i++) {
        replay_links(to, lanes[i]);
        replay_records(to, lanes[i]);
    }
    free(lanes);
    return to;
}

/* --- In one call -------------------------------------------------------------------------- */

skein_rc skein_process_threads(skein_timelines *set, const skein_record *records, size_t count,
                               skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < count; i++)
        rc = skein_timelines_apply(set, &records[i], err);
    return rc;
}

skein_rc skein_process_events(skein_timelines *set, const skein_record *records, size_t count,
                              const skein_timeline **out, skein_error *err)
{
    skein_rc rc;

    *out = NULL;
    for (size_t i = 1; i < count; i++)
        if (!skn_str_eq(records[i].lane, records[0].lane))
            return skn_fail(err, SKEIN_INVALID, "record %zu is of another lane", i);
    if (count == 0 && !skein_timelines_main(set))
        (void)skein_timelines_declare(set, SKN_STR("main"), err);
    if ((rc = skein_process_threads(set, records, count, err)))
        return rc;
    *out = count > 0 ? skn_lane_find(set, records[0].lane) : skein_timelines_main(set);
    return SKEIN_OK;
}

/* "KEY:COUNT:LAST", put together by hand: the keys of deep delegations have thousands of bytes. */
static skn_str version_of(const skein_timeline *t, skn_str last, skn_arena *a)
{
    skn_str count = skn_arena_printf(a, ":%zu:", t->records.n);
    size_t  n = t->key.n + count.n + last.n;
    char   *out = skn_arena_alloc(a, n + 1);

    memcpy(out, t->key.p, t->key.n);
    memcpy(out + t->key.n, count.p, count.n);
    if (last.n)
        memcpy(out + t->key.n + count.n, last.p, last.n);
    return (skn_str){out, n};
}

skein_timeline_view skein_build_timeline(const skein_timeline  *t,
                                         const skein_ephemeral *ephemeral, size_t count,
                                         skein_mem *mem)
{
    skn_str             last = t->last ? skn_rec_field(t->last, SKN_FIELD_ID) : SKN_NONE;
    skein_ephemeral    *left = SKN_ARRAY(mem, count, skein_ephemeral);
    skein_timeline_view v = {.timeline = t};

    for (size_t i = 0; i < count; i++)
        if (!skn_lane_has_turn(t, ephemeral[i].turn_id))
            left[v.ephemeral_count++] = ephemeral[i];
    v.ephemeral = left;
    v.event_count = t->records.n;
    v.item_count = t->items.n;
    v.message_count = t->messages;
    v.last_activity_at = t->last_at;
    v.version = version_of(t, last, mem);
    return v;
}

skein_rc skein_process_thread(skein_timelines *set, const skein_record *records, size_t count,
                              const skein_ephemeral *ephemeral, size_t ephemeral_count,
                              skein_mem *mem, skein_timeline_view *out, skein_error *err)
{
    const skein_timeline *t;
    skein_rc              rc;

    *out = (skein_timeline_view){.timeline = NULL};
    if ((rc = skein_process_events(set, records, count, &t, err)))
        return rc;
    *out = skein_build_timeline(t, ephemeral, ephemeral_count, mem);
    return SKEIN_OK;
}
