/* Ids. The maker is compiled in here once more, under other names and with a clock that the
 * test sets, so that time can stand still and step back. */
#define skn_clock_micros   set_micros
#define skn_uid_maker_new  set_maker_new
#define skn_uid_maker_free set_maker_free
#define skn_uid_next       set_next
#define skn_uid_valid      set_valid
#include "base/uid.c"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define YEAR_2026 INT64_C(1767225600000000) /* microseconds */

static int64_t now; /* read only while one thread runs, or left alone */

int64_t set_micros(void)
{
    return now;
}

/* Makes `count` ids and demands that each is above the one before, which is left in `last`. */
static void expect_rising(skn_uid_maker *m, size_t count, char last[SKN_UID_LEN + 1])
{
    char id[SKN_UID_LEN + 1];

    for (size_t i = 0; i < count; i++) {
        skn_uid_next(m, id);
        if (strcmp(id, last) <= 0)
            fail_msg("\"%s\" is not above \"%s\"", id, last);
        memcpy(last, id, sizeof id);
    }
}

static void ids_are_ten_characters_that_can_stand_anywhere(void **state)
{
    skn_uid_maker *m = skn_uid_maker_new();
    char           id[SKN_UID_LEN + 1];

    (void)state;
    now = YEAR_2026;
    for (int i = 0; i < 1000; i++) {
        now += 700;
        skn_uid_next(m, id);
        assert_int_equal(strlen(id), SKN_UID_LEN);
        assert_true(skn_uid_valid(skn_str_of(id)));
        assert_null(strchr(id, '.'));
        assert_int_equal(id[0], 'O');
    }
    skn_uid_maker_free(m);
    skn_uid_maker_free(NULL);
}

static void ids_rise_with_time_also_across_makers(void **state)
{
    char earlier[SKN_UID_LEN + 1], later[SKN_UID_LEN + 1];

    (void)state;
    now = YEAR_2026;
    for (int64_t step = 1000; step < INT64_C(1000000000000000); step *= 3) {
        skn_uid_maker *m = skn_uid_maker_new(), *other = skn_uid_maker_new();

        skn_uid_next(m, earlier);
        now += step;
        skn_uid_next(other, later);
        assert_true(strcmp(earlier, later) < 0);
        skn_uid_maker_free(m);
        skn_uid_maker_free(other);
    }
}

static void ids_rise_when_the_clock_stands_still_or_steps_back(void **state)
{
    skn_uid_maker *m = skn_uid_maker_new();
    char           last[SKN_UID_LEN + 1] = "";

    (void)state;
    now = YEAR_2026;
    expect_rising(m, 600000, last); /* more than two milliseconds have room for */
    now += 1000;
    expect_rising(m, 10, last);
    now -= INT64_C(3600) * 1000000;
    expect_rising(m, 10, last);
    now += INT64_C(7200) * 1000000;
    expect_rising(m, 10, last);
    skn_uid_maker_free(m);
}

static void ids_stay_well_formed_when_the_clock_is_absurd(void **state)
{
    static const int64_t absurd[] = {INT64_MIN, -1, 0, INT64_C(4398046511104000), INT64_MAX};
    char                 last[SKN_UID_LEN + 1] = "";

    (void)state;
    for (size_t i = 0; i < sizeof absurd / sizeof *absurd; i++) {
        skn_uid_maker *m = skn_uid_maker_new();

        now = absurd[i];
        last[0] = '\0';
        expect_rising(m, 300000, last);
        assert_int_not_equal(last[0], '-');
        assert_true(skn_uid_valid(skn_str_of(last)));
        skn_uid_maker_free(m);
    }
}

static void the_first_id_of_a_millisecond_cannot_be_foretold(void **state)
{
    char id[SKN_UID_LEN + 1], first[SKN_UID_LEN + 1];
    int  same = 0;

    (void)state;
    now = YEAR_2026;
    for (int i = 0; i < 50; i++) {
        skn_uid_maker *m = skn_uid_maker_new();

        skn_uid_next(m, i ? id : first);
        same += i && strcmp(id, first) == 0;
        skn_uid_maker_free(m);
    }
    assert_in_range(same, 0, 5);
}

enum { THREADS = 4, EACH = 20000 };

typedef struct lot {
    skn_uid_maker     *m;
    pthread_barrier_t *start;
    char               ids[EACH][SKN_UID_LEN + 1];
} lot;

static void *make_many(void *arg)
{
    lot *l = arg;

    pthread_barrier_wait(l->start);
    for (size_t i = 0; i < EACH; i++)
        skn_uid_next(l->m, l->ids[i]);
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void threads_that_share_a_maker_never_get_the_same_id(void **state)
{
    skn_uid_maker *m = skn_uid_maker_new();
    lot           *lots = skn_heap(THREADS * sizeof *lots);
    char(*all)[SKN_UID_LEN + 1] = skn_heap(THREADS * sizeof lots->ids);
    pthread_t         threads[THREADS];
    pthread_barrier_t start;

    (void)state;
    now = YEAR_2026;
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        lots[i].m = m;
        lots[i].start = &start;
        assert_int_equal(pthread_create(&threads[i], NULL, make_many, &lots[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        memcpy(all[i * EACH], lots[i].ids, sizeof lots[i].ids);
    }
    qsort(all, THREADS * EACH, sizeof *all, by_text);
    for (size_t i = 1; i < THREADS * EACH; i++)
        assert_string_not_equal(all[i - 1], all[i]);
    pthread_barrier_destroy(&start);
    free(all);
    free(lots);
    skn_uid_maker_free(m);
}

static void brought_ids_are_valid_only_as_plain_words(void **state)
{
    static const char *const good[] = {"a", "_x", "9.b-c_D", "P6TpuEMNAg", "-V1StGXR8_"};
    static const char *const bad[] = {"",    "-",    "--",  ".a",       "a b",
                                      "a/b", "a\nb", "a%b", "\xc3\xa9", "a:b"};
    char                     text[SKN_UID_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(skn_uid_valid(skn_str_of(good[i])));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(skn_uid_valid(skn_str_of(bad[i])));
    memset(text, 'a', sizeof text);
    assert_true(skn_uid_valid((skn_str){text, SKN_UID_MAX}));
    assert_false(skn_uid_valid((skn_str){text, SKN_UID_MAX + 1}));
    assert_false(skn_uid_valid(SKN_NONE));
    assert_false(skn_uid_valid((skn_str){"a\0b", 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_ten_characters_that_can_stand_anywhere),
        cmocka_unit_test(ids_rise_with_time_also_across_makers),
        cmocka_unit_test(ids_rise_when_the_clock_stands_still_or_steps_back),
        cmocka_unit_test(ids_stay_well_formed_when_the_clock_is_absurd),
        cmocka_unit_test(the_first_id_of_a_millisecond_cannot_be_foretold),
        cmocka_unit_test(threads_that_share_a_maker_never_get_the_same_id),
        cmocka_unit_test(brought_ids_are_valid_only_as_plain_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
