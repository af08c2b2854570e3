/* bench_edits.c: many edits in a row, each on the version that the one before made: they must not
 * become slower, and each may keep only what it changed. */
#include "cli/bench.h"

#include "base/clock.h"
#include "base/rand.h"

#include <inttypes.h>

typedef struct editing {
    skn_bench_store  *store;
    skein_message_id *targets;
    double           *times; /* milliseconds */
    int64_t           count;
    int64_t           before, after; /* bytes */
    double            seconds;
} editing;

/* The middle of every part of equal size, shifted at random: no message is edited twice, so its id
 * is known beforehand. The order is random too. */
static skein_rc pick_targets(skn_bench *b, editing *e)
{
    int64_t  part = e->store->length / (e->count + 1);
    skein_rc rc = SKEIN_OK;

    for (int64_t i = 0; i < e->count && rc == SKEIN_OK; i++)
        rc = skn_bench_at(b, e->store, i * part + (int64_t)(skn_random() % (uint64_t)part),
                          &e->targets[i]);
    for (int64_t i = e->count - 1; i > 0; i--) {
        int64_t          k = (int64_t)(skn_random() % (uint64_t)(i + 1));
        skein_message_id kept = e->targets[i];

        e->targets[i] = e->targets[k];
        e->targets[k] = kept;
    }
    return rc;
}

static skein_rc edit_one(skn_bench *b, editing *e, int64_t i)
{
    skein_change  how = {.conversation = e->store->chat};
    skein_version v;
    skein_message m;
    int64_t       start = skn_clock_monotonic();
    skein_rc rc = skein_edit(e->store->engine, &how, e->targets[i], SKN_BENCH_TEXT, b->cli->mem,
                             &v, &m, &b->cli->err);

    e->times[i] = skn_bench_since(start) * 1e3;
    e->seconds += e->times[i] / 1e3;
    skein_mem_reset(b->cli->mem);
    return rc;
}

static skein_rc edit_all(skn_bench *b, editing *e)
{
    skein_rc rc = skn_bench_bytes(b, e->store, &e->before);

    for (int64_t i = 0; i < e->count && rc == SKEIN_OK; i++)
        if (!(rc = skn_bench_go_on(b)))
            rc = edit_one(b, e, i);
    return rc ? rc : skn_bench_bytes(b, e->store, &e->after);
}

/* --- The rows ------------------------------------------------------------------------------- */

/* What the bare database takes for as many commits, from a sample of them just after. */
static skein_rc floor_of(skn_bench *b, const editing *e, double *seconds)
{
    skein_conversation chat;
    int64_t            nanos;
    skein_rc           rc;

    if ((rc = skein_chat_new(e->store->engine, e->store->world, SKN_STR("empty"), b->cli->mem,
                             &chat, &b->cli->err)) ||
        (rc = skn_floor_measure(e->store->engine, chat.id, SKN_BENCH_TEXT, b->size.batch,
                                &nanos, &b->cli->err)))
        return rc;
    *seconds = (double)nanos / 1e9 / (double)b->size.batch * (double)e->count;
    return SKEIN_OK;
}

static skein_rc add_total(skn_bench *b, const editing *e)
{
    skn_arena *a = b->cli->keep;
    skn_str    edits = skn_bench_count(a, e->count), of = skn_bench_count(a, e->store->length);
    skn_bench_row row = {
        .unit = "s", .figure = e->seconds, .against = "floor", .figure_max = 5, .rounds = 1};
    skein_rc rc = floor_of(b, e, &row.reference);

    row.what = skn_arena_printf(a, "%.*s edits in %.*s", SKN_FMT(edits), SKN_FMT(of)).p;
    row.ratio = row.reference > 0 ? row.figure / row.reference : 0;
    return rc ? rc : skn_bench_add(b, &row);
}

static skein_rc add_growth(skn_bench *b, const editing *e)
{
    skn_bench_row row = {.what = "growth of the store by these edits",
                         .unit = "MB",
                         .figure = (double)(e->after - e->before) / 1e6,
                         .unknown = e->after < 0,
                         .figure_max = 40,
                         .rounds = 1};

    return skn_bench_add(b, &row);
}

static skein_rc add_edges(skn_bench *b, const editing *e)
{
    size_t        n = (size_t)b->size.edges;
    skn_bench_row row = {.unit = "ms", .against = "the first", .ratio_max = 3, .rounds = n};

    row.what = skn_arena_printf(b->cli->keep, "one of the last %zu of these edits", n).p;
    row.reference = skn_median(e->times, n);
    row.figure = skn_median(e->times + e->count - b->size.edges, n);
    row.ratio = row.figure / row.reference;
    return skn_bench_add(b, &row);
}

skein_rc skn_bench_edits(skn_bench *b, skn_bench_store *large)
{
    skn_arena *a = skn_arena_new();
    editing    e = {.store = large, .count = b->size.edits};
    skein_rc   rc;

    e.targets = SKN_ARRAY(a, (size_t)e.count, skein_message_id);
    e.times = SKN_ARRAY(a, (size_t)e.count, double);
    if (!(rc = pick_targets(b, &e)) && !(rc = edit_all(b, &e)) && !(rc = add_total(b, &e)) &&
        !(rc = add_growth(b, &e)))
        rc = add_edges(b, &e);
    skn_arena_free(a);
    return rc;
}
