/* Lanes and packed records: where the fold keeps what it was given. */
#include "base/error.h"
#include "base/hash.h"
#include "base/uid.h"
#include "base/utf8.h"
#include "engine/timeline/timeline_state.h"

#include <stdlib.h>
#include <string.h>

static const size_t field_at[SKN_FIELDS] = {
    [SKN_FIELD_ID] = offsetof(skein_record, id),
    [SKN_FIELD_TEXT] = offsetof(skein_record, text),
    [SKN_FIELD_CALL_ID] = offsetof(skein_record, call_id),
    [SKN_FIELD_TOOL_NAME] = offsetof(skein_record, tool_name),
    [SKN_FIELD_INPUT] = offsetof(skein_record, input),
    [SKN_FIELD_OUTPUT] = offsetof(skein_record, output),
    [SKN_FIELD_ERROR] = offsetof(skein_record, error),
    [SKN_FIELD_CHILD] = offsetof(skein_record, child),
    [SKN_FIELD_MESSAGE_ID] = offsetof(skein_record, message_id),
    [SKN_FIELD_TURN_ID] = offsetof(skein_record, turn_id),
    [SKN_FIELD_SENDER] = offsetof(skein_record, sender),
};

/* --- Packed records ----------------------------------------------------------------------- */

skn_str skn_record_field(const skein_record *r, int i)
{
    return *(const skn_str *)((const char *)r + field_at[i]);
}

skn_str skn_rec_field(const skn_rec *r, int i)
{
    uint32_t start = i > 0 ? r->end[i - 1] : 0;

    if (!(r->has >> i & 1))
        return SKN_NONE;
    return (skn_str){r->bytes + start, r->end[i] - start - 1};
}

skein_record skn_rec_open(const skn_rec *r, skn_str lane)
{
    skein_record out = {.lane = lane, .type = (skein_record_type)r->type, .at = r->at};

    out.failed = r->failed;
    out.unfinished = (skein_unfinished)r->unfinished;
    for (int i = 0; i < SKN_FIELDS; i++)
        *(skn_str *)((char *)&out + field_at[i]) = skn_rec_field(r, i);
    return out;
}

bool skn_rec_same(const skn_rec *a, const skein_record *b)
{
    if (a->type != b->type || a->failed != b->failed || a->unfinished != b->unfinished ||
        a->at != b->at)
        return false;
    for (int i = 0; i < SKN_FIELDS; i++)
        if (!skn_str_eq(skn_rec_field(a, i), skn_record_field(b, i)))
            return false;
    return true;
}

size_t skn_record_size(const skein_record *r)
{
    size_t size = 0;

    for (int i = 0; i < SKN_FIELDS; i++) {
        skn_str s = skn_record_field(r, i);

        if (s.n > SKN_RECORD_MAX || (size += s.p ? s.n + 1 : 0) > SKN_RECORD_MAX)
            return SKN_RECORD_MAX + 1;
    }
    return size;
}

/* The memory is zeroed, so every field already ends in its NUL. */
skn_rec *skn_record_pack(skn_arena *a, const skein_record *r, size_t size, uint32_t seq)
{
    skn_rec *out = skn_arena_alloc(a, offsetof(skn_rec, bytes) + size);
    uint32_t end = 0;

    out->at = r->at;
    out->seq = seq;
    out->type = (uint8_t)r->type;
    out->failed = r->failed;
    out->unfinished = (uint8_t)(r->unfinished & 7);
    for (int i = 0; i < SKN_FIELDS; i++) {
        skn_str s = skn_record_field(r, i);

        if (s.p) {
            memcpy(out->bytes + end, s.p, s.n);
            end += (uint32_t)s.n + 1;
            out->has = (uint16_t)(out->has | 1u << i);
        }
        out->end[i] = end;
    }
    return out;
}

/* --- Lanes -------------------------------------------------------------------------------- */

skein_timelines *skein_timelines_new(const skein_timeline_options *options)
{
    skein_timelines *set = skn_heap(sizeof *set);

    set->memory = skn_arena_new();
    set->seed = skn_random();
    set->guess_links = options && options->guess_links;
    return set;
}

static void lane_release(skein_timeline *t)
{
    skn_list_release(&t->records);
    skn_list_release(&t->items);
    skn_list_release(&t->tools);
    skn_list_release(&t->calls);
    skn_list_release(&t->spawns);
    skn_index_release(&t->by_id);
    skn_index_release(&t->by_call_id);
    skn_index_release(&t->by_exact_call);
    skn_index_release(&t->by_turn);
    skn_index_release(&t->by_spawn);
}

void skein_timelines_free(skein_timelines *set)
{
    if (!set)
        return;
    for (size_t i = 0; i < set->lanes.n; i++)
        lane_release(skn_lane_at(set, i));
    skn_list_release(&set->lanes);
    skn_index_release(&set->by_key);
    skn_arena_free(set->memory);
    free(set->sorted);
    free(set);
}

static bool lane_has_key(const void *owner, uint32_t at, const void *key)
{
    return skn_str_eq(skn_lane_at(owner, at)->key, *(const skn_str *)key);
}

skein_timeline *skn_lane_find(const skein_timelines *set, skn_str key)
{
    uint32_t at;

    if (set->latest && skn_str_eq(set->latest->key, key))
        return set->latest;
    if (!skn_index_find(&set->by_key, skn_hash_bytes(set->seed, key), lane_has_key, set, &key,
                        &at))
        return NULL;
    return skn_lane_at(set, at);
}

skein_timeline *skn_lane_named(skein_timelines *set, skn_str key)
{
    skein_timeline *t = skn_lane_find(set, key);

    if (t)
        return t;
    t = SKN_NEW(set->memory, skein_timeline);
    t->set = set;
    t->key = skn_arena_copy(set->memory, key);
    for (size_t i = 0; i < key.n; i++)
        t->dots += key.p[i] == '.';
    skn_index_add(&set->by_key, skn_hash_bytes(set->seed, key), (uint32_t)set->lanes.n);
    *(skein_timeline **)skn_list_add(&set->lanes, sizeof t) = t;
    set->unsettled = true;
    return t;
}

void skn_lane_show(skein_timeline *t)
{
    skein_timeline *main = t->set->main;

    if (t->order > 0)
        return;
    t->order = ++t->set->orders;
    if (!main || (main->dots > 0 && t->dots == 0))
        t->set->main = t;
}

int skn_lane_cmp(const skein_timeline *a, const skein_timeline *b)
{
    if (a->dots != b->dots)
        return a->dots < b->dots ? -1 : 1;
    if (a->key.n != b->key.n)
        return a->key.n < b->key.n ? -1 : 1;
    return skn_str_cmp(a->key, b->key);
}

skein_rc skn_lane_check(skn_str key, skein_error *err)
{
    if (!key.p || key.n == 0)
        return skn_fail(err, SKEIN_INVALID, "the lane has no key");
    return skn_utf8_check(key, "lane", err);
}

skein_rc skein_timelines_declare(skein_timelines *set, skein_str lane, skein_error *err)
{
    skein_rc rc = skn_lane_check(lane, err);

    if (!rc)
        skn_lane_show(skn_lane_named(set, lane));
    return rc;
}
