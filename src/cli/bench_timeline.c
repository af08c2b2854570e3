/* bench_timeline.c: one more record costs the same, however many came before it: in the fold itself,
 * and through the engine's cache of what it has folded. */
#include "cli/bench.h"

#include "base/clock.h"

#include <inttypes.h>
#include <stdio.h>

#define BURST 64 /* records of a round: one alone is too short for the clock */

/* --- The fold ------------------------------------------------------------------------------- */

typedef struct folded {
    skein_timelines *set;
    int64_t          count;
} folded;

/* A person's message, an answer, a call and its result, over and over. */
static skein_record record(int64_t n, char id[static 32], char call[static 32])
{
    static const skein_record_type types[] = {SKEIN_RECORD_USER_MESSAGE,
                                              SKEIN_RECORD_AGENT_MESSAGE,
                                              SKEIN_RECORD_TOOL_CALL, SKEIN_RECORD_TOOL_RESULT};
    skein_record r = {.lane = SKN_STR("main"), .type = types[n % 4], .text = SKN_BENCH_TEXT};

    snprintf(id, 32, "e%" PRId64, n);
    snprintf(call, 32, "call%" PRId64, n / 4);
    r.id = skn_str_of(id);
    if (n % 4 >= 2)
        r.call_id = skn_str_of(call);
    if (n % 4 == 2) {
        r.tool_name = SKN_STR("search");
        r.input = SKN_STR("{\"query\":\"dates\"}");
        r.text = SKN_NONE;
    }
    return r;
}

static skein_rc apply(skn_bench *b, folded *f, int64_t count)
{
    char     id[32], call[32];
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < count && rc == SKEIN_OK; i++) {
        skein_record r = record(f->count++, id, call);

        rc = skein_timelines_apply(f->set, &r, &b->cli->err);
    }
    return rc;
}

static skein_rc time_burst(skn_bench *b, folded *f, skn_samples *out)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = apply(b, f, BURST);

    skn_samples_add(out, skn_bench_since(start) * 1e6 / BURST);
    return rc;
}

static skein_rc compare_folds(skn_bench *b, folded *small, folded *large)
{
    skn_arena    *a = b->cli->keep;
    skn_samples   figure = {.n = 0}, reference = {.n = 0};
    skn_str       of = skn_bench_count(a, b->size.large);
    skn_bench_row row = {.unit = "us", .ratio_max = 2};
    skein_rc      rc;

    row.what = skn_arena_printf(a, "timeline: one more record after %.*s", SKN_FMT(of)).p;
    of = skn_bench_count(a, b->size.small);
    row.against = skn_arena_printf(a, "after %.*s", SKN_FMT(of)).p;
    if ((rc = apply(b, small, b->size.small)) || (rc = apply(b, large, b->size.large)))
        return rc;
    for (int i = 0; i < b->size.many_rounds; i++)
        if ((rc = skn_bench_go_on(b)) || (rc = time_burst(b, small, &reference)) ||
            (rc = time_burst(b, large, &figure)))
            return rc;
    return skn_bench_compare(b, row, &figure, &reference);
}

static skein_rc measure_fold(skn_bench *b)
{
    folded   small = {skein_timelines_new(NULL), 0}, large = {skein_timelines_new(NULL), 0};
    skein_rc rc = compare_folds(b, &small, &large);

    skein_timelines_free(small.set);
    skein_timelines_free(large.set);
    return rc;
}

/* --- The engine's timelines ------------------------------------------------------------------- */

static skein_rc look(skein_timelines *set, void *arg, skein_error *err)
{
    (void)err;
    *(size_t *)arg = skein_timeline_item_count(skein_timelines_main(set));
    return SKEIN_OK;
}

static skein_rc time_visit(skn_bench *b, skn_bench_store *s, skn_samples *out)
{
    size_t   items;
    int64_t  start;
    skein_rc rc = skn_bench_fill(b, s, 1);

    if (rc)
        return rc;
    start = skn_clock_monotonic();
    rc = skein_timeline_visit(s->engine, s->chat, 0, look, &items, &b->cli->err);
    skn_samples_add(out, skn_bench_since(start) * 1e3);
    return rc;
}

static skein_rc measure_visits(skn_bench *b, skn_bench_store *small, skn_bench_store *large)
{
    skn_arena    *a = b->cli->keep;
    skn_samples   figure = {.n = 0}, reference = {.n = 0}, warm = {.n = 0};
    skn_str       of = skn_bench_count(a, b->size.large);
    skn_bench_row row = {.unit = "ms", .ratio_max = 2};
    skein_rc      rc;

    row.what = skn_arena_printf(a, "timeline of a chat: one more after %.*s", SKN_FMT(of)).p;
    of = skn_bench_count(a, b->size.small);
    row.against = skn_arena_printf(a, "after %.*s", SKN_FMT(of)).p;
    if ((rc = time_visit(b, small, &warm)) || (rc = time_visit(b, large, &warm)))
        return rc;
    for (int i = 0; i < b->size.many_rounds; i++)
        if ((rc = skn_bench_go_on(b)) || (rc = time_visit(b, small, &reference)) ||
            (rc = time_visit(b, large, &figure)))
            return rc;
    return skn_bench_compare(b, row, &figure, &reference);
}

skein_rc skn_bench_timelines(skn_bench *b, skn_bench_store *small, skn_bench_store *large)
{
    skein_rc rc = measure_fold(b);

    return rc ? rc : measure_visits(b, small, large);
}
