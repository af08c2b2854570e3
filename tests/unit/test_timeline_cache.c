/* Which folded timelines may be continued, and which are dropped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "engine/timeline/timeline_cache.h"

/* A state of conversation 1 whose lane 1 is folded so far. */
static skn_timeline_state *state_of(int64_t conversation, int64_t thread, int64_t length)
{
    skn_timeline_state *s = skn_timeline_state_new(conversation, 0);

    s->lanes = skn_heap(sizeof *s->lanes);
    s->lanes[0] = (skn_folded){1, thread, length};
    s->count = 1;
    return s;
}

static void put(skn_timeline_cache *c, int64_t conversation, int64_t thread, int64_t length)
{
    skn_timeline_state *s = state_of(conversation, thread, length);

    skn_timeline_cache_put(c, &s);
    assert_null(s);
}

/* The length of what is taken for a lane of this thread at this length; -1: nothing. */
static int64_t taken(skn_timeline_cache *c, int64_t conversation, int64_t thread,
                     int64_t length)
{
    skn_folded          want = {1, thread, length};
    skn_timeline_state *s = skn_timeline_cache_take(c, conversation, 0, &want, 1);
    int64_t             n = s ? s->lanes[0].length : -1;

    skn_timeline_state_free(s);
    return n;
}

static void a_state_is_continued_by_the_same_thread_only(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();

    (void)state;
    put(c, 1, 10, 5);
    assert_int_equal(taken(c, 2, 10, 7), -1);
    assert_int_equal(taken(c, 1, 11, 7), -1);
    assert_int_equal(taken(c, 1, 10, 4), -1); /* it cannot be unfolded */
    assert_int_equal(taken(c, 1, 10, 5), 5);
    assert_int_equal(taken(c, 1, 10, 5), -1); /* it was taken */
    put(c, 1, 10, 5);
    assert_int_equal(taken(c, 1, 10, 9), 5);
    skn_timeline_cache_free(c);
}

static void the_state_that_got_furthest_is_taken(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();
    skn_folded          want[2] = {{1, 10, 9}, {2, 20, 9}};
    skn_timeline_state *s = state_of(1, 10, 8);

    (void)state;
    s->lanes = skn_heap_resize(s->lanes, 2 * sizeof *s->lanes);
    s->lanes[1] = (skn_folded){2, 20, 9};
    s->count = 2;
    put(c, 1, 10, 9); /* got further in one lane, but knows nothing of the other */
    skn_timeline_cache_put(c, &s);
    s = skn_timeline_cache_take(c, 1, 0, want, 2);
    assert_non_null(s);
    assert_int_equal(s->count, 2);
    skn_timeline_state_free(s);
    s = skn_timeline_cache_take(c, 1, 0, want, 2);
    assert_non_null(s);
    assert_int_equal(s->lanes[0].length, 9);
    skn_timeline_state_free(s);
    skn_timeline_cache_free(c);
}

static void a_lane_that_went_away_is_not_continued(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();
    skn_folded          want[1] = {{2, 20, 9}};

    (void)state;
    put(c, 1, 10, 5);
    assert_null(skn_timeline_cache_take(c, 1, 0, want, 1));
    assert_null(skn_timeline_cache_take(c, 1, 0, want, 0));
    skn_timeline_cache_free(c);
}

static void a_lane_without_a_thread_may_get_one(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();

    (void)state;
    put(c, 1, 0, 0);
    assert_int_equal(taken(c, 1, 10, 3), 0);
    skn_timeline_cache_free(c);
}

static void a_state_takes_the_place_of_the_one_it_continues(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();

    (void)state;
    put(c, 1, 10, 5);
    put(c, 1, 10, 7);
    assert_int_equal(taken(c, 1, 10, 9), 7);
    assert_int_equal(taken(c, 1, 10, 9), -1);
    skn_timeline_cache_free(c);
}

static void what_was_not_used_for_longest_is_dropped(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();

    (void)state;
    for (int64_t i = 1; i <= SKN_TIMELINES_KEPT + 1; i++)
        put(c, i, 10, 5);
    assert_int_equal(taken(c, 1, 10, 5), -1);
    assert_int_equal(taken(c, 2, 10, 5), 5);
    put(c, 50, 10, SKN_TIMELINES_MOST - 5); /* leaves room for one more */
    assert_int_equal(taken(c, SKN_TIMELINES_KEPT, 10, 5), -1);
    assert_int_equal(taken(c, SKN_TIMELINES_KEPT + 1, 10, 5), 5);
    assert_int_equal(taken(c, 50, 10, INT64_MAX), SKN_TIMELINES_MOST - 5);
    put(c, 51, 10, SKN_TIMELINES_MOST + 1);
    assert_int_equal(taken(c, 51, 10, INT64_MAX), -1);
    skn_timeline_cache_free(c);
}

static void states_from_before_an_erasure_are_dropped(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();
    skn_folded          want = {1, 10, 9};

    (void)state;
    put(c, 1, 10, 5);
    assert_null(skn_timeline_cache_take(c, 1, 1, &want, 1));
    assert_null(
        skn_timeline_cache_take(c, 1, 0, &want, 1)); /* it is gone, not only passed over */
    put(c, 1, 10, 5);
    skn_timeline_cache_clear(c);
    assert_null(skn_timeline_cache_take(c, 1, 0, &want, 1));
    skn_timeline_cache_free(c);
    skn_timeline_cache_free(NULL);
}

/* Somebody may still look at the store as it was before the erasure. */
static void who_sees_an_older_store_leaves_newer_states_alone(void **state)
{
    skn_timeline_cache *c = skn_timeline_cache_new();
    skn_timeline_state *s = state_of(1, 10, 5);
    skn_folded          want = {1, 10, 9};

    (void)state;
    s->erasures = 1;
    skn_timeline_cache_put(c, &s);
    assert_null(skn_timeline_cache_take(c, 1, 0, &want, 1));
    s = skn_timeline_cache_take(c, 1, 1, &want, 1);
    assert_non_null(s);
    skn_timeline_state_free(s);
    skn_timeline_cache_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_state_is_continued_by_the_same_thread_only),
        cmocka_unit_test(the_state_that_got_furthest_is_taken),
        cmocka_unit_test(a_lane_that_went_away_is_not_continued),
        cmocka_unit_test(a_lane_without_a_thread_may_get_one),
        cmocka_unit_test(a_state_takes_the_place_of_the_one_it_continues),
        cmocka_unit_test(what_was_not_used_for_longest_is_dropped),
        cmocka_unit_test(states_from_before_an_erasure_are_dropped),
        cmocka_unit_test(who_sees_an_older_store_leaves_newer_states_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
