/* bench_row.c: the table: what, figure, floor or reference, ratio, target, ok or not. */
#include "cli/bench.h"

#include <inttypes.h>
#include <stdio.h>

#define WHAT_COLUMNS 50

/* Three digits that count, and commas. */
static skn_str number(skn_arena *a, double v)
{
    if (v >= 1000)
        return skn_bench_count(a, (int64_t)(v + 0.5));
    return skn_arena_printf(a, "%.*f", v >= 100 ? 0 : v >= 10 ? 1 : v >= 1 ? 2 : 3, v);
}

static skn_str with_unit(skn_arena *a, double v, const char *unit)
{
    skn_str n = *unit ? number(a, v) : skn_bench_count(a, (int64_t)v);

    return *unit ? skn_arena_printf(a, "%.*s %s", SKN_FMT(n), unit) : n;
}

static skn_str target_text(skn_arena *a, const skn_bench_row *r)
{
    skn_str ratio = SKN_NONE, figure;

    if (r->ratio_min > 0)
        ratio = skn_arena_printf(a, "at least %g x", r->ratio_min);
    else if (r->ratio_max > 0)
        ratio = skn_arena_printf(a, "at most %g x", r->ratio_max);
    if (r->figure_min > 0) {
        figure = skn_bench_count(a, (int64_t)r->figure_min);
        return skn_arena_printf(a, "at least %.*s %s", SKN_FMT(figure), r->unit);
    }
    if (r->figure_max <= 0)
        return ratio;
    figure = skn_bench_count(a, (int64_t)r->figure_max);
    return skn_arena_printf(a, "%.*s%sunder %.*s %s", SKN_FMT(ratio), ratio.n ? ", " : "",
                            SKN_FMT(figure), r->unit);
}

typedef enum verdict { MET, MISSED, NOT_JUDGED } verdict;

/* A quick run is too short to judge by. */
static verdict judge(const skn_bench *b, const skn_bench_row *r)
{
    if (b->quick || r->unknown)
        return NOT_JUDGED;
    if ((r->ratio_min > 0 && r->ratio < r->ratio_min) ||
        (r->ratio_max > 0 && r->ratio > r->ratio_max) ||
        (r->figure_min > 0 && r->figure < r->figure_min) ||
        (r->figure_max > 0 && r->figure >= r->figure_max))
        return MISSED;
    return MET;
}

static void number_or_null(skn_jw *w, const char *key, bool there, double v)
{
    skn_jw_key(w, key);
    if (there)
        skn_jw_double(w, v);
    else
        skn_jw_null(w);
}

static skein_rc add_json(skn_bench *b, const skn_bench_row *r, verdict v)
{
    skn_jw *w = skn_item(b->cli);

    skn_jw_object(w);
    skn_jw_kstr(w, "what", skn_str_of(r->what));
    number_or_null(w, "figure", !r->unknown, r->figure);
    skn_jw_kstr(w, "unit", skn_str_of(r->unit));
    number_or_null(w, "reference", r->reference > 0, r->reference);
    skn_jw_kstr(w, "against", skn_str_of(r->against));
    number_or_null(w, "ratio", r->ratio > 0, r->ratio);
    skn_jw_kstr(w, "target", target_text(b->cli->mem, r));
    if (v == NOT_JUDGED)
        skn_jw_knull(w, "ok");
    else
        skn_jw_kbool(w, "ok", v == MET);
    skn_jw_kint(w, "rounds", (int64_t)r->rounds);
    skn_jw_object_end(w);
    return skn_item_end(b->cli);
}

static void line(skn_cli *cli, skn_str what, skn_str figure, skn_str reference, skn_str ratio,
                 skn_str target)
{
    skn_print(cli, "%-*.*s %12.*s  %-24.*s %6.*s  %-27.*s ", WHAT_COLUMNS, SKN_FMT(what),
              SKN_FMT(figure), SKN_FMT(reference), SKN_FMT(ratio), SKN_FMT(target));
}

static void add_text(skn_bench *b, const skn_bench_row *r, verdict v)
{
    skn_cli   *cli = b->cli;
    skn_arena *a = cli->mem;
    skn_str    reference = SKN_STR("-"), ratio = SKN_STR("-");

    if (r->reference > 0) {
        reference = with_unit(a, r->reference, r->unit);
        reference = skn_arena_printf(a, "%.*s %s", SKN_FMT(reference), r->against);
    }
    if (r->ratio > 0)
        ratio = skn_arena_printf(a, "%.2f", r->ratio);
    line(cli, skn_str_of(r->what),
         r->unknown ? SKN_STR("not known") : with_unit(a, r->figure, r->unit), reference, ratio,
         target_text(a, r));
    if (v == NOT_JUDGED)
        skn_print(cli, "-\n");
    else if (v == MET)
        skn_print_colour(cli, SKN_GREEN, SKN_STR("ok"));
    else
        skn_print_colour(cli, SKN_RED, SKN_STR("not ok"));
    if (v != NOT_JUDGED)
        skn_print(cli, "\n");
    skn_out_flush(cli);
}

void skn_bench_head(skn_bench *b)
{
    if (b->cli->json)
        return;
    line(b->cli, SKN_STR("what"), SKN_STR("figure"), SKN_STR("floor or reference"),
         SKN_STR("ratio"), SKN_STR("target"));
    skn_print(b->cli, "ok\n");
    skn_out_flush(b->cli);
}

skein_rc skn_bench_add(skn_bench *b, const skn_bench_row *row)
{
    verdict  v = judge(b, row);
    skein_rc rc = SKEIN_OK;

    b->missed += v == MISSED;
    if (b->cli->json)
        rc = add_json(b, row, v);
    else
        add_text(b, row, v);
    skein_mem_reset(b->cli->mem);
    return rc;
}

skein_rc skn_bench_compare(skn_bench *b, skn_bench_row row, const skn_samples *figure,
                           const skn_samples *reference)
{
    row.figure = skn_samples_median(figure);
    row.rounds = figure->n;
    if (reference) {
        row.reference = skn_samples_median(reference);
        row.ratio = skn_samples_ratio(figure, reference);
    }
    return skn_bench_add(b, &row);
}
