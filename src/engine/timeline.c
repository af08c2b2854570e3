/* The fold itself: what a record becomes, and which call a result belongs to. */
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/utf8.h"
#include "engine/thinking.h"
#include "engine/timeline_state.h"

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

bool skn_lane_has_turn(const skein_timeline *t, skn_str turn_id)
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
    if (turn.n > 0 && !skn_lane_has_turn(t, turn))
        skn_index_add(&t->by_turn, skn_hash_bytes(t->set->seed, turn), rec->seq);
}

static skein_rc fail_changed(const skein_record *r, skein_error *err)
{
    skn_str  id = skn_utf8_cut(r->id, 100), lane = skn_utf8_cut(r->lane, 100);
    skein_rc rc = skn_fail(
        err, SKEIN_CONFLICT,
        "record \"%.*s\" of lane \"%.*s\" was already applied, and was another", SKN_FMT(id),
        SKN_FMT(lane));

    return skn_hint(err, rc, "Give each record of a lane an id of its own.");
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
    if (!rc)
        rc = check_json(record->input, "input of a call", err);
    if (!rc)
        rc = check_json(record->output, "output of a result", err);
    return rc ? rc : skn_timelines_apply_known(set, record, err);
}
