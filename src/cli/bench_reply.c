/* bench_reply.c: reply threads: finding, exporting and checking them. */
#include "cli/bench.h"

#include "base/clock.h"

#include <inttypes.h>

typedef struct threads {
    skn_bench_store  store;
    skein_message_id root, end; /* of one chain in the middle */
} threads;

static skein_rc make(skn_bench *b, threads *t)
{
    int64_t  levels = b->size.levels;
    int64_t  root = b->size.replies / 2 / levels * levels;
    skein_rc rc;

    if ((rc = skn_bench_fill_chains(b, &t->store, b->size.replies, b->size.levels, 10000)) ||
        (rc = skn_bench_at(b, &t->store, root, &t->root)))
        return rc;
    return skn_bench_at(b, &t->store, root + levels - 1, &t->end);
}

/* --- Looking up ------------------------------------------------------------------------------- */

/* A thread whole, and the way up from its end. */
static skein_rc look_up(skn_bench *b, const threads *t)
{
    skein_reply_tree tree;
    skein_messages   above;
    skein_mem       *mem = b->cli->mem;
    skein_rc         rc;

    if ((rc = skein_reply_tree_read(t->store.engine, t->store.chat, 0, t->root, mem, &tree,
                                    &b->cli->err)))
        return rc;
    return skein_reply_ancestors(t->store.engine, t->store.chat, 0, t->end, mem, &above,
                                 &b->cli->err);
}

/* --- Exporting ---------------------------------------------------------------------------------- */

static skein_rc drop(void *arg, skn_str bytes, skein_error *err)
{
    (void)err;
    *(size_t *)arg += bytes.n;
    return SKEIN_OK;
}

static skein_rc export_thread(skn_bench *b, const threads *t)
{
    size_t             written = 0;
    skn_sink           sink = {drop, &written};
    skn_export_request r = {
        .conversation = t->store.chat, .root = t->root, .format = SKN_FORMAT_MD};

    return skn_export(t->store.engine, &r, &sink, &b->cli->err);
}

/* --- The rows ----------------------------------------------------------------------------------- */

static skein_rc measure(skn_bench *b, const threads                                  *t,
                        skein_rc (*what)(skn_bench *, const threads *), skn_bench_row row)
{
    skn_samples times = {.n = 0};
    skein_rc    rc = SKEIN_OK;

    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++) {
        int64_t start = skn_clock_monotonic();

        if (!(rc = what(b, t)))
            rc = skn_bench_go_on(b);
        skn_samples_add(&times, skn_bench_since(start) * 1e3);
        skein_mem_reset(b->cli->mem);
    }
    return rc ? rc : skn_bench_compare(b, row, &times, NULL);
}

static skein_rc rows(skn_bench *b, threads *t)
{
    skn_arena    *a = b->cli->keep;
    skn_str       of = skn_bench_count(a, b->size.replies);
    skn_bench_row find = {.unit = "ms", .figure_max = 100};
    skn_bench_row save = {.unit = "ms", .figure_max = 5000};
    skein_rc      rc;

    find.what = skn_arena_printf(a, "reply thread found in %.*s messages", SKN_FMT(of)).p;
    save.what = skn_arena_printf(a, "export of a reply thread of %d levels", b->size.levels).p;
    if ((rc = make(b, t)) || (rc = measure(b, t, look_up, find)))
        return rc;
    return measure(b, t, export_thread, save);
}

skein_rc skn_bench_replies(skn_bench *b)
{
    threads         t;
    skn_bench_store fresh;
    skein_rc        rc = skn_bench_open(b, "replies", 0, &t.store);

    if (rc)
        return rc;
    rc = rows(b, &t);
    skn_bench_close(&t.store);
    if (rc || (rc = skn_bench_open(b, "validation", 0, &fresh)))
        return rc;
    rc = skn_bench_validation(b, &fresh);
    skn_bench_close(&fresh);
    return rc;
}
