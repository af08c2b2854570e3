#include "cli/bench.h"

#include "base/clock.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void skn_samples_add(skn_samples *s, double v)
{
    assert(s->n < SKN_BENCH_SAMPLES);
    s->at[s->n++] = v;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double skn_median(double *at, size_t n)
{
    if (n == 0)
        return 0;
    qsort(at, n, sizeof *at, by_value);
    return n % 2 ? at[n / 2] : (at[n / 2 - 1] + at[n / 2]) / 2;
}

double skn_samples_median(const skn_samples *s)
{
    skn_samples copy = *s;

    return skn_median(copy.at, copy.n);
}

double skn_samples_ratio(const skn_samples *figure, const skn_samples *reference)
{
    skn_samples ratios = {.n = 0};

    assert(figure->n == reference->n);
    for (size_t i = 0; i < figure->n; i++)
        if (reference->at[i] > 0)
            skn_samples_add(&ratios, figure->at[i] / reference->at[i]);
    return skn_samples_median(&ratios);
}

double skn_bench_since(int64_t start)
{
    return (double)(skn_clock_monotonic() - start) / 1e9;
}

skn_str skn_bench_count(skn_arena *a, int64_t n)
{
    skn_str digits = skn_arena_printf(a, "%lld", (long long)n);
    char   *out = skn_arena_alloc(a, digits.n * 2);
    size_t  k = 0;

    for (size_t i = 0; i < digits.n; i++) {
        if (i && digits.p[i - 1] != '-' && (digits.n - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits.p[i];
    }
    return (skn_str){out, k};
}
