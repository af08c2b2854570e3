#include "base/suggest.h"

#include <string.h>

#define LONGEST 32

/* Letters to insert, delete, change or swap to make one word of the other. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1];

    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);

            if (above[j] + 1 < best)
                best = above[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                two_above[j - 2] + 1 < best)
                best = two_above[j - 2] + 1;
            now[j] = best;
        }
    }
    return rows[n % 3][m];
}

const char *skn_suggest(const char *typed, skn_candidate *next, const void *ctx)
{
    size_t      n = strlen(typed), best = (n + 1) / 3;
    const char *found = NULL, *name;

    if (n < 2 || n > LONGEST)
        return NULL;
    for (size_t i = 0; (name = next(ctx, i)); i++) {
        size_t m = strlen(name), d;

        if (m > LONGEST)
            continue;
        d = !strncmp(name, typed, n) ? 0 : distance(typed, n, name, m);
        if (d < best || (d == best && !found)) {
            best = d;
            found = name;
        }
    }
    return found;
}

skn_candidates skn_candidates_new(skn_arena *a, size_t most)
{
    return (skn_candidates){SKN_ARRAY(a, most + 1, const char *), 0};
}

void skn_candidates_add(skn_arena *a, skn_candidates *names, skn_str name)
{
    names->at[names->count++] = skn_arena_copy(a, name).p;
}

static const char *name_at(const void *ctx, size_t i)
{
    const skn_candidates *names = ctx;

    return i < names->count ? names->at[i] : NULL;
}

const char *skn_candidates_suggest(skn_arena *a, const skn_candidates *names, skn_str typed)
{
    return skn_suggest(skn_arena_copy(a, typed).p, name_at, names);
}
