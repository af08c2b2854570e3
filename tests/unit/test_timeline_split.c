/* However a history is cut or mixed, its timelines are the same to the byte. */
#include "test_timeline_kit.h"

enum { STREAMS = 200 / SKN_TEST_SHARE, LENGTH = 60, TEXTS = 24 };

static const char *const lanes[] = {"main",       "main.1", "main.1.1",
                                    "main.1.1.1", "main.2", "side"};
enum { LANES = sizeof lanes / sizeof lanes[0], LINKS = LANES /* the stream of links */ };

typedef struct step {
    bool            is_link;
    size_t          lane; /* LINKS for a link */
    skein_record    record;
    skein_lane_link link;
} step;

typedef struct stream {
    uint32_t random;
    size_t   n;
    step     steps[LENGTH];
    char     texts[LENGTH][TEXTS];
    bool     guess;
} stream;

static uint32_t pick(stream *s, uint32_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 17;
    s->random ^= s->random << 5;
    return (s->random >> 8) % below;
}

static const char *pick_lane(stream *s)
{
    return lanes[pick(s, LANES)];
}

static const char *pick_call(stream *s)
{
    static const char *const ids[] = {"c1", "c2", "c3", "c4"};

    return ids[pick(s, 4)];
}

static const char *pick_text(stream *s)
{
    static const char *const texts[] = {"plain",
                                        "a<think>b</think>c",
                                        "<think>b</think>\n<thinking>d",
                                        "(Thread: main.1)",
                                        "see (Thread: main.2)",
                                        "</think>"};

    return texts[pick(s, 6)];
}

/* Few call ids, so that they are reused, answered late, twice, or without ever being called. */
static skein_record pick_record(stream *s, size_t lane, const char *id)
{
    static const skein_record_type said[] = {
        SKEIN_RECORD_USER_MESSAGE,  SKEIN_RECORD_AGENT_MESSAGE,
        SKEIN_RECORD_AGENT_MESSAGE, SKEIN_RECORD_LOCAL_SYSTEM_MESSAGE,
        SKEIN_RECORD_SUMMARY,       SKEIN_RECORD_THINKING};
    skein_record r = {.at = 0};

    if (pick(s, 3) == 0)
        r = kit_said(id, said[pick(s, 6)], pick_text(s));
    else if (pick(s, 2) == 0)
        r = kit_call(id, pick_call(s));
    else
        r = kit_result(id, pick_call(s), pick_text(s));
    r = kit_in(lanes[lane], r);
    if (pick(s, 3) == 0 && r.call_id.p)
        r = kit_child(pick_lane(s), r);
    if (pick(s, 2) == 0)
        r = kit_at(1 + pick(s, 30), r);
    if (pick(s, 8) == 0)
        r.id = SKN_NONE;
    if (pick(s, 3) == 0)
        r.message_id = pick(s, 2) ? SKN_STR("m1") : SKN_STR("m2");
    r.failed = pick(s, 2) && r.type == SKEIN_RECORD_TOOL_RESULT;
    return r;
}

static skein_lane_link pick_link(stream *s)
{
    skein_lane_link l = {sizeof l,
                         skein_text(pick_lane(s)),
                         skein_text(pick_lane(s)),
                         skein_text(pick_call(s)),
                         SKN_NONE,
                         pick(s, 4)};

    if (pick(s, 2) == 0)
        l.message_id = pick(s, 2) ? SKN_STR("m1") : SKN_STR("m2");
    return l;
}

static void make_stream(stream *s, uint32_t seed)
{
    s->random = seed * 2654435769u + 1;
    s->guess = seed % 2;
    for (s->n = 0; s->n < LENGTH; s->n++) {
        step    *to = &s->steps[s->n];
        uint32_t what = pick(s, 20);

        snprintf(s->texts[s->n], TEXTS, "r%zu", s->n);
        *to = (step){.lane = pick(s, LANES)};
        if (what == 0) {
            *to = (step){.is_link = true, .lane = LINKS, .link = pick_link(s)};
        } else if (what < 4 && s->n > 0) {
            *to = s->steps[pick(s, (uint32_t)s->n)]; /* delivered again */
        } else {
            to->record = pick_record(s, to->lane, s->texts[s->n]);
        }
    }
}

static skein_timelines *set_for(const stream *s)
{
    skein_timeline_options o = SKEIN_TIMELINE_OPTIONS_INIT;

    o.guess_links = s->guess;
    return skein_timelines_new(&o);
}

/* A link may be refused; then it is refused however the stream is cut. */
static void apply_step(skein_timelines *set, const step *st)
{
    if (st->is_link)
        (void)skein_timelines_link(set, &st->link, NULL);
    else
        kit_apply(set, st->record);
}

static void apply_range(skein_timelines *set, const stream *s, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        apply_step(set, &s->steps[i]);
}

/* The same in batches, with a reader looking in between. */
static void apply_batches(skein_timelines *set, stream *s, size_t from, skein_mem *mem)
{
    while (from < s->n) {
        skein_record batch[LENGTH];
        size_t       n = 0, size = 1 + pick(s, 7);

        while (from < s->n && n < size && !s->steps[from].is_link)
            batch[n++] = s->steps[from++].record;
        assert_int_equal(skein_process_threads(set, batch, n, NULL), SKEIN_OK);
        if (from < s->n && s->steps[from].is_link)
            apply_step(set, &s->steps[from++]);
        if (pick(s, 4) == 0)
            (void)kit_json(set, mem);
    }
}

static void assert_same(skn_str a, skn_str b, uint32_t seed, size_t at)
{
    size_t i = 0;

    if (skn_str_eq(a, b))
        return;
    while (i < a.n && i < b.n && a.p[i] == b.p[i])
        i++;
    a = skn_str_sub(a, i < 200 ? 0 : i - 200, i + 200);
    b = skn_str_sub(b, i < 200 ? 0 : i - 200, i + 200);
    fail_msg("stream %u, round %zu:\n%.*s\n%.*s", seed, at, SKN_FMT(a), SKN_FMT(b));
}

static void a_history_folded_in_two_at_any_split_is_the_history_folded_whole(void **state)
{
    stream    *s = skn_heap(sizeof *s);
    skein_mem *mem = skein_mem_new();

    (void)state;
    for (uint32_t seed = 1; seed <= STREAMS; seed++) {
        skein_timelines *whole;
        skn_str          expected;

        make_stream(s, seed);
        whole = set_for(s);
        apply_range(whole, s, 0, s->n);
        kit_conserved(whole);
        expected = kit_json(whole, mem);
        for (size_t cut = 0; cut <= s->n; cut++) {
            skein_timelines *first = set_for(s), *saved;
            skn_str          before;

            apply_range(first, s, 0, cut);
            before = kit_json(first, mem);
            saved = skein_timelines_clone(first);
            assert_same(kit_json(saved, mem), before, seed, cut);
            apply_batches(saved, s, cut, mem);
            assert_same(kit_json(saved, mem), expected, seed, cut);
            assert_same(kit_json(first, mem), before, seed, cut);
            apply_range(first, s, cut, s->n);
            assert_same(kit_json(first, mem), expected, seed, cut);
            kit_conserved(first);
            skein_timelines_free(first);
            skein_timelines_free(saved);
        }
        skein_timelines_free(whole);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    free(s);
}

static void a_copy_keeps_lanes_that_have_no_record(void **state)
{
    skein_timelines *set = skein_timelines_new(NULL), *copy;
    skein_mem       *mem = skein_mem_new();

    (void)state;
    assert_int_equal(skein_timelines_declare(set, SKN_STR("empty"), NULL), SKEIN_OK);
    kit_apply(set, kit_said("1", SKEIN_RECORD_USER_MESSAGE, "hello"));
    copy = skein_timelines_clone(set);
    kit_assert_text(skein_timeline_lane(skein_timelines_main(copy)), "empty");
    assert_true(skn_str_eq(kit_json(copy, mem), kit_json(set, mem)));
    skein_timelines_free(set);
    skein_timelines_free(copy);
    skein_mem_free(mem);
}

/* Takes the next step of a lane chosen at random until all are used up. */
static void apply_mixed(skein_timelines *set, stream *s)
{
    size_t next[LANES + 1] = {0}, left = s->n;

    while (left > 0) {
        size_t lane = pick(s, LANES + 1);

        while (next[lane] < s->n && s->steps[next[lane]].lane != lane)
            next[lane]++;
        if (next[lane] == s->n)
            continue;
        apply_step(set, &s->steps[next[lane]++]);
        left--;
    }
}

static void lanes_mixed_in_any_way_give_the_same_timelines(void **state)
{
    stream    *s = skn_heap(sizeof *s);
    skein_mem *mem = skein_mem_new();

    (void)state;
    for (uint32_t seed = 1; seed <= STREAMS; seed++) {
        skein_timelines *whole;

        make_stream(s, seed);
        whole = set_for(s);
        apply_range(whole, s, 0, s->n);
        for (size_t round = 0; round < 8; round++) {
            skein_timelines *mixed = set_for(s);

            apply_mixed(mixed, s);
            for (size_t i = 0; i < skein_timelines_count(whole); i++) {
                const char *lane = skein_timeline_lane(skein_timelines_at(whole, i)).p;

                assert_same(kit_lane_json(mixed, lane, mem), kit_lane_json(whole, lane, mem),
                            seed, round);
            }
            assert_int_equal(skein_timelines_count(whole), skein_timelines_count(mixed));
            skein_timelines_free(mixed);
        }
        skein_timelines_free(whole);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    free(s);
}

/* --- Against a plain fold ----------------------------------------------------------------- */

enum { NOBODY = LENGTH };

/* For each record of a lane: the record it hangs on, itself for one that stands alone. */
typedef struct plain {
    size_t n;
    size_t record[LENGTH]; /* number of the step */
    size_t on[LENGTH];
    size_t
         place[LENGTH]; /* of a call: where its item stands, that of a result that came first */
    bool extra[LENGTH]; /* a duplicate */
    bool answered[LENGTH];
} plain;

static bool same_call(const stream *s, const plain *p, size_t a, size_t b)
{
    return skn_str_eq(s->steps[p->record[a]].record.call_id,
                      s->steps[p->record[b]].record.call_id);
}

static void plain_result(const stream *s, plain *p, size_t i)
{
    size_t latest = NOBODY;

    for (size_t k = i; k-- > 0;) {
        const skein_record *r = &s->steps[p->record[k]].record;

        if (r->type != SKEIN_RECORD_TOOL_CALL || !same_call(s, p, k, i))
            continue;
        latest = latest == NOBODY ? k : latest;
        if (p->answered[k])
            continue;
        p->answered[k] = true;
        p->on[i] = k;
        return;
    }
    p->extra[i] = latest != NOBODY;
    p->on[i] = latest == NOBODY ? i : latest;
}

/* A call takes the first result of its id that waits. */
static void plain_call(const stream *s, plain *p, size_t i)
{
    for (size_t k = 0; s->steps[p->record[i]].record.call_id.n && k < i; k++) {
        const skein_record *r = &s->steps[p->record[k]].record;

        if (r->type != SKEIN_RECORD_TOOL_RESULT || p->on[k] != k || !same_call(s, p, k, i))
            continue;
        p->answered[i] = true;
        p->on[k] = i;
        p->place[i] = k;
        return;
    }
}

static bool already_there(const stream *s, const plain *p, const skein_record *r)
{
    for (size_t k = 0; k < p->n; k++)
        if (r->id.p && skn_str_eq(s->steps[p->record[k]].record.id, r->id))
            return true;
    return false;
}

static void plain_fold(const stream *s, size_t lane, plain *p)
{
    *p = (plain){.n = 0};
    for (size_t i = 0; i < s->n; i++) {
        if (s->steps[i].lane != lane || already_there(s, p, &s->steps[i].record))
            continue;
        p->record[p->n] = i;
        p->on[p->n] = p->n;
        if (s->steps[i].record.type == SKEIN_RECORD_TOOL_RESULT)
            plain_result(s, p, p->n);
        p->place[p->n] = p->n;
        if (s->steps[i].record.type == SKEIN_RECORD_TOOL_CALL)
            plain_call(s, p, p->n);
        p->n++;
    }
}

/* Where in the items record i of the lane is: as result or duplicate of its call, or alone. */
static void assert_placed(const skein_timeline *t, const stream *s, const plain *p, size_t i,
                          size_t *item_of)
{
    const skein_record *r = &s->steps[p->record[i]].record;
    skein_timeline_item item = skein_timeline_item_at(t, item_of[p->on[i]]);
    bool                found = false;

    if (p->on[i] == i) {
        assert_true(skn_str_eq(item.record.id, r->id) && skn_str_eq(item.record.text, r->text));
        assert_int_equal(item.kind == SKEIN_ITEM_ORPHAN_RESULT,
                         r->type == SKEIN_RECORD_TOOL_RESULT);
    } else if (!p->extra[i]) {
        assert_true(item.answered && skn_str_eq(item.result.id, r->id));
        assert_true(skn_str_eq(item.result.text, r->text));
    } else {
        for (size_t k = 0; k < item.duplicate_count; k++)
            found |= skn_str_eq(skein_timeline_duplicate(t, item_of[p->on[i]], k).id, r->id);
        assert_true(found);
    }
}

static void the_fold_pairs_as_a_plain_search_through_all_records_does(void **state)
{
    stream *s = skn_heap(sizeof *s);
    plain  *p = skn_heap(sizeof *p);

    (void)state;
    for (uint32_t seed = 1; seed <= STREAMS; seed++) {
        skein_timelines *set;

        make_stream(s, seed);
        set = set_for(s);
        apply_range(set, s, 0, s->n);
        for (size_t lane = 0; lane < LANES; lane++) {
            const skein_timeline *t = skein_timelines_get(set, skein_text(lanes[lane]));
            size_t                item_of[LENGTH], item = 0;

            plain_fold(s, lane, p);
            if (!t) {
                assert_int_equal(p->n, 0);
                continue;
            }
            assert_int_equal(p->n, skein_timeline_record_count(t));
            for (size_t at = 0; at < p->n; at++) {
                size_t i = p->on[at] != at && p->place[p->on[at]] == at ? p->on[at] : at;

                if (p->on[i] != i || p->place[i] != at)
                    continue;
                item_of[i] = item++;
                while (item < skein_timeline_item_count(t) &&
                       skein_timeline_item_at(t, item).part > 0)
                    item++;
            }
            assert_int_equal(item, skein_timeline_item_count(t));
            for (size_t i = 0; i < p->n; i++)
                assert_placed(t, s, p, i, item_of);
        }
        skein_timelines_free(set);
    }
    free(p);
    free(s);
}

/* Tables grow many times on the way, and an id must be found in the old and in the new. */
static void a_lane_of_many_records_finds_each_of_them_again(void **state)
{
    enum { MANY = 50000 };
    skein_timelines *set = skein_timelines_new(NULL);
    char             id[16], call[16];

    (void)state;
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < MANY; i++) {
            snprintf(id, sizeof id, "r%d", i);
            snprintf(call, sizeof call, "c%d", i / 2);
            kit_apply(set, i % 2 ? kit_result(id, call, "ok") : kit_call(id, call));
        }
    }
    assert_int_equal(skein_timeline_record_count(kit_lane(set, "main")), MANY);
    assert_int_equal(skein_timeline_item_count(kit_lane(set, "main")), MANY / 2);
    for (size_t i = 0; i < MANY / 2; i++)
        assert_true(kit_item(set, "main", i).answered);
    kit_conserved(set);
    skein_timelines_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_history_folded_in_two_at_any_split_is_the_history_folded_whole),
        cmocka_unit_test(a_copy_keeps_lanes_that_have_no_record),
        cmocka_unit_test(lanes_mixed_in_any_way_give_the_same_timelines),
        cmocka_unit_test(the_fold_pairs_as_a_plain_search_through_all_records_does),
        cmocka_unit_test(a_lane_of_many_records_finds_each_of_them_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
