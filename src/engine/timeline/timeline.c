/* The fold itself: what a record becomes, and which call a result belongs to. */
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "engine/timeline/timeline_state.h"
#include "engine/view/thinking.h"

#include <assert.h>
#include <stdlib.h>

/* --- Thinking in a text --------------------------------------------------------------------- */

typedef struct tag {
    skn_str open, close;
} tag;

static const tag tags[] = {
    {{"<think>", 7}, {"</think>", 8}},
    {{"<thinking>", 10}, {"</thinking>", 11}},
};

/* True if s begins with the tag, whose letters are lower case. */
static bool begins(skn_str s, skn_str with)
{
    return skn_str_is_word(skn_str_sub(s, 0, with.n), with.p);
}

static const tag *opened(skn_str s)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        if (begins(s, tags[i].open))
            return &tags[i];
    return NULL;
}

/* Where, at or after `from`, an open tag begins, or `close` if one is given; s.n when
 * nowhere. */
static size_t find_tag(skn_str s, size_t from, const skn_str *close)
{
    while (from < s.n) {
        const char *at = memchr(s.p + from, '<', s.n - from);
        skn_str     rest;

        if (!at)
            break;
        from = (size_t)(at - s.p);
        rest = skn_str_sub(s, from, s.n);
        if (close ? begins(rest, *close) : opened(rest) != NULL)
            return from;
        from++;
    }
    return s.n;
}

bool skn_think_next(skn_str *rest, skn_think_part *part)
{
    const tag *t = opened(*rest);
    size_t     inner = t ? t->open.n : 0, end, outer;

    if (rest->n == 0)
        return false;
    end = outer = find_tag(*rest, inner, t ? &t->close : NULL);
    if (t && end < rest->n)
        outer = end + t->close.n;
    *part = (skn_think_part){t != NULL, skn_str_sub(*rest, 0, outer),
                             skn_str_sub(*rest, inner, end)};
    *rest = skn_str_sub(*rest, outer, rest->n);
    return true;
}

skn_str skn_think_skip(skn_str text)
{
    skn_str        rest = skn_str_trim(text);
    skn_think_part part;

    if (!opened(rest))
        return text;
    while (opened(rest) && skn_think_next(&rest, &part))
        rest = skn_str_trim(rest);
    return rest;
}

/* --- The fold ----------------------------------------------------------------------------------- */

static bool rec_has_id(const void *owner, uint32_t at, const void *key)
{
    return skn_str_eq(skn_rec_field(skn_rec_at(owner, at), SKN_FIELD_ID),
                      *(const skn_str *)key);
}

static bool rec_has_turn(const void *owner, uint32_t at, const void *key)
{
    return skn_str_eq(skn_rec_field(skn_rec_at(owner, at), SKN_FIELD_TURN_ID),
                      *(const skn_str *)key);
}

static bool calls_have_id(const void *owner, uint32_t at, const void *key)
{
    const skein_timeline *t = owner;
    const skn_calls      *c = skn_list_at(&t->calls, sizeof *c, at);

    return skn_str_eq(skn_rec_field(c->named, SKN_FIELD_CALL_ID), *(const skn_str *)key);
}

/* A call or result without an id pairs with nothing. */
skn_calls *skn_lane_calls(const skein_timeline *t, skn_str call_id)
{
    uint32_t at;

    if (call_id.n == 0 || !skn_index_find(&t->by_call_id, skn_hash_bytes(t->set->seed, call_id),
                                          calls_have_id, t, &call_id, &at))
        return NULL;
    return skn_list_at(&t->calls, sizeof(skn_calls), at);
}

static skn_item *add_item(skein_timeline *t, const skn_rec *rec, skein_item_kind kind)
{
    skn_item *item = skn_list_add(&t->items, sizeof *item);

    item->rec = rec;
    item->kind = (uint8_t)kind;
    if (kind == SKEIN_ITEM_USER_MESSAGE || kind == SKEIN_ITEM_AGENT_MESSAGE)
        t->messages++;
    return item;
}

static void add_text(skein_timeline *t, const skn_rec *rec, skein_item_kind kind)
{
    skn_item *item = add_item(t, rec, kind);

    item->u.part.text_n = (uint32_t)skn_rec_field(rec, SKN_FIELD_TEXT).n;
    item->u.part.source_n = item->u.part.text_n;
}

/* Every part is an item, so that they are the text to the byte. One that is blank, beside a block, is no
 * message: views leave it out, and it is not counted as one. */
static void add_agent_message(skein_timeline *t, const skn_rec *rec)
{
    skn_str        text = skn_rec_field(rec, SKN_FIELD_TEXT), rest = text;
    skn_think_part part;
    skn_item      *item = NULL;
    uint32_t       number = 0;

    while (skn_think_next(&rest, &part)) {
        item = add_item(t, rec, part.thinking ? SKEIN_ITEM_THINKING : SKEIN_ITEM_AGENT_MESSAGE);
        item->u.part.text = (uint32_t)(part.text.p - text.p);
        item->u.part.text_n = (uint32_t)part.text.n;
        item->u.part.source = (uint32_t)(part.source.p - text.p);
        item->u.part.source_n = (uint32_t)part.source.n;
        item->number = number++;
        item->split = part.thinking || number > 1 || rest.n > 0;
        t->messages -= !part.thinking && item->split && skn_str_trim(part.text).n == 0;
    }
    if (!item)
        add_text(t, rec, SKEIN_ITEM_AGENT_MESSAGE);
}

/* The calls with the record's id; NULL when it has none. */
static skn_calls *calls_of(skein_timeline *t, const skn_rec *rec)
{
    skn_str    id = skn_rec_field(rec, SKN_FIELD_CALL_ID);
    skn_calls *calls = skn_lane_calls(t, id);

    if (calls || id.n == 0)
        return calls;
    skn_index_add(&t->by_call_id, skn_hash_bytes(t->set->seed, id), (uint32_t)t->calls.n);
    calls = skn_list_add(&t->calls, sizeof *calls);
    calls->named = rec;
    return calls;
}

/* A call whose result is there already stands where that stood. */
static skn_item *item_of_call(skein_timeline *t, const skn_rec *rec, const skn_early *early)
{
    skn_item *item;

    if (!early)
        return add_item(t, rec, SKEIN_ITEM_TOOL_EXECUTION);
    item = skn_list_at(&t->items, sizeof *item, early->item);
    item->rec = rec;
    item->kind = SKEIN_ITEM_TOOL_EXECUTION;
    return item;
}

static void add_call(skein_timeline *t, const skn_rec *rec)
{
    skn_calls *calls = calls_of(t, rec);
    skn_early *early = calls ? calls->early : NULL;
    skn_tool  *tool = skn_list_add(&t->tools, sizeof *tool);

    item_of_call(t, rec, early)->u.tool = tool;
    tool->call = rec;
    tool->occurrence = calls && calls->latest ? calls->latest->occurrence + 1 : 1;
    if (calls) {
        calls->first = calls->first ? calls->first : tool;
        calls->latest = tool;
        if (!early) {
            tool->open_below = calls->open;
            calls->open = tool;
        }
        skn_links_call(t, tool);
    }
    skn_links_claim(t, tool, rec);
    if (early) {
        tool->result = early->result;
        calls->early = early->next;
        skn_links_claim(t, tool, early->result);
    }
}

static void add_early(skein_timeline *t, const skn_rec *rec)
{
    skn_calls *calls = calls_of(t, rec);
    skn_early *early;

    add_text(t, rec, SKEIN_ITEM_ORPHAN_RESULT);
    if (!calls)
        return;
    early = SKN_NEW(t->set->memory, skn_early);
    *early = (skn_early){.result = rec, .item = (uint32_t)t->items.n - 1};
    if (calls->early)
        calls->last_early->next = early;
    else
        calls->early = early;
    calls->last_early = early;
}

static void add_duplicate(skein_timeline *t, skn_tool *tool, const skn_rec *rec)
{
    if (tool->duplicate_count == tool->duplicate_cap) {
        uint32_t        cap = tool->duplicate_cap ? tool->duplicate_cap * 2 : 2;
        const skn_rec **more = SKN_ARRAY(t->set->memory, cap, const skn_rec *);

        for (uint32_t i = 0; i < tool->duplicate_count; i++)
            more[i] = tool->duplicates[i];
        tool->duplicates = more;
        tool->duplicate_cap = cap;
    }
    tool->duplicates[tool->duplicate_count++] = rec;
}

static void add_result(skein_timeline *t, const skn_rec *rec)
{
    skn_calls *calls = skn_lane_calls(t, skn_rec_field(rec, SKN_FIELD_CALL_ID));

    if (!calls || !calls->latest) {
        add_early(t, rec);
    } else if (!calls->open) {
        add_duplicate(t, calls->latest, rec);
    } else {
        skn_tool *tool = calls->open;

        tool->result = rec;
        calls->open = tool->open_below;
        skn_links_claim(t, tool, rec);
    }
}

static void fold(skein_timeline *t, const skn_rec *rec)
{
    switch ((skein_record_type)rec->type) {
    case SKEIN_RECORD_USER_MESSAGE:
        add_text(t, rec, SKEIN_ITEM_USER_MESSAGE);
        break;
    case SKEIN_RECORD_AGENT_MESSAGE:
        add_agent_message(t, rec);
        break;
    case SKEIN_RECORD_THINKING:
        add_text(t, rec, SKEIN_ITEM_THINKING);
        break;
    case SKEIN_RECORD_SYSTEM_PROMPT:
    case SKEIN_RECORD_USER_SYSTEM_PROMPT:
    case SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE:
        add_text(t, rec, SKEIN_ITEM_SYSTEM_MESSAGE);
        break;
    case SKEIN_RECORD_TOOL_CALL:
        add_call(t, rec);
        break;
    case SKEIN_RECORD_TOOL_RESULT:
        add_result(t, rec);
        break;
    case SKEIN_RECORD_SUMMARY:
        add_text(t, rec, SKEIN_ITEM_SUMMARY);
        break;
    }
}

/* True if a message of this turn was applied. */
static bool has_turn(const skein_timeline *t, skn_str turn_id)
{
    uint32_t at;

    return turn_id.n > 0 && skn_index_find(&t->by_turn, skn_hash_bytes(t->set->seed, turn_id),
                                           rec_has_turn, t, &turn_id, &at);
}

/* Only a message ends what is shown while its turn runs, not the calls on the way to it. */
static void note_turn(skein_timeline *t, const skn_rec *rec)
{
    skn_str turn = skn_rec_field(rec, SKN_FIELD_TURN_ID);

    if (rec->type != SKEIN_RECORD_USER_MESSAGE && rec->type != SKEIN_RECORD_AGENT_MESSAGE)
        return;
    if (turn.n > 0 && !has_turn(t, turn))
        skn_index_add(&t->by_turn, skn_hash_bytes(t->set->seed, turn), rec->seq);
}

static skein_rc fail_changed(const skein_record *r, skein_error *err)
{
    skn_str id = skn_utf8_cut(r->id, 100), lane = skn_utf8_cut(r->lane, 100);
    return skn_fail_hint(
        err, SKEIN_CONFLICT, "Give each record of a lane an id of its own.",
        "record \"%.*s\" of lane \"%.*s\" was already applied, and was another", SKN_FMT(id),
        SKN_FMT(lane));
}

skein_rc skn_timelines_apply_known(skein_timelines *set, const skein_record *r,
                                   skein_error *err)
{
    skein_timeline *t = skn_lane_find(set, r->lane);
    size_t          size = skn_record_size(r);
    uint64_t        hash = r->id.n > 0 ? skn_hash_bytes(set->seed, r->id) : 0;
    uint32_t        at;
    skn_rec        *rec;

    if (size > SKN_RECORD_MAX || (t && t->records.n >= UINT32_MAX - 1))
        return skn_fail(err, SKEIN_LIMIT, "a record or its lane is over the limit");
    if (t && r->id.n > 0 && skn_index_find(&t->by_id, hash, rec_has_id, t, &r->id, &at))
        return skn_rec_same(skn_rec_at(t, at), r) ? SKEIN_OK : fail_changed(r, err);
    t = t ? t : skn_lane_named(set, r->lane);
    skn_lane_show(t);
    set->latest = t;
    rec = skn_record_pack(set->memory, r, size, (uint32_t)t->records.n);
    *(const skn_rec **)skn_list_add(&t->records, sizeof rec) = rec;
    if (r->id.n > 0)
        skn_index_add(&t->by_id, hash, rec->seq);
    fold(t, rec);
    note_turn(t, rec);
    t->last = rec;
    t->last_at = rec->at ? rec->at : t->last_at;
    t->first_at = t->first_at ? t->first_at : rec->at;
    set->unsettled = set->unsettled || set->guess_links;
    return SKEIN_OK;
}

static skein_rc check_json(skn_str text, const char *what, skein_error *err)
{
    const skn_json *v;
    skn_arena      *scratch;
    skein_rc        rc;

    if (!text.p)
        return SKEIN_OK;
    scratch = skn_arena_new();
    rc = skn_json_parse(&v, text, what, scratch, err);
    skn_arena_free(scratch);
    return rc;
}

/* In a long history the places of ids are far from any cache; checking the record takes
 * about as long as they need to come near. */
static void expect_ids(const skein_timelines *set, const skein_record *r)
{
    const skein_timeline *t = skn_lane_find(set, r->lane);

    if (t && r->id.n > 0)
        skn_index_expect(&t->by_id, skn_hash_bytes(set->seed, r->id));
    if (t && r->call_id.n > 0)
        skn_index_expect(&t->by_call_id, skn_hash_bytes(set->seed, r->call_id));
}

skein_rc skein_timelines_apply(skein_timelines *set, const skein_record *record,
                               skein_error *err)
{
    skein_rc rc = skn_lane_check(record->lane, err);

    expect_ids(set, record);
    if (!rc && (unsigned)record->type > SKEIN_RECORD_SUMMARY)
        rc = skn_fail(err, SKEIN_INVALID, "record type %d is none", (int)record->type);
    for (int i = 0; !rc && i < SKN_FIELDS; i++)
        rc = skn_utf8_check(skn_record_field(record, i), "record", err);
    if (!rc && !(rc = check_json(record->input, "input of a call", err)))
        rc = check_json(record->output, "output of a result", err);
    return rc ? rc : skn_timelines_apply_known(set, record, err);
}

/* Reading timelines, and the calls that fold and read in one. */

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

SKN_ORDER_OF(cmp_orders, skein_timeline, order, order)

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
        if (!has_turn(t, ephemeral[i].turn_id))
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
