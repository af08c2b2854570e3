/* bench_room.c: chats with many agents, each of whom has heard everything: what is removed leaves all
 * their memories at once. */
#include "cli/bench.h"

#include "base/clock.h"

#include <inttypes.h>

typedef struct room {
    skn_bench_store  store;
    skein_message_id target;
} room;

static skein_rc make(skn_bench *b, const char *what, int64_t agents, room *r)
{
    skn_str  name = skn_arena_printf(b->cli->keep, "%s-%" PRId64, what, agents);
    skein_rc rc;

    if ((rc = skn_bench_open(b, name.p, agents, &r->store)))
        return rc;
    if ((rc = skn_bench_fill(b, &r->store, b->size.room)) ||
        (rc = skn_bench_at(b, &r->store, 0, &r->target)))
        skn_bench_close(&r->store);
    return rc;
}

typedef skein_rc removing(skn_bench *b, const room *r, const skein_change *how);

static skein_rc remove_all(skn_bench *b, const room *r, const skein_change *how)
{
    skein_removal out;

    return skein_remove_from(r->store.engine, how, r->target, true, b->cli->mem, &out,
                             &b->cli->err);
}

static skein_rc revise(skn_bench *b, const room *r, const skein_change *how)
{
    skein_removal out;

    return skein_revise(r->store.engine, how, r->target, SKN_BENCH_TEXT, b->cli->mem, &out,
                        &b->cli->err);
}

/* From the first message on, so that every message leaves every memory; then all come back. */
static skein_rc measure(skn_bench *b, const room *r, removing *remove, skn_samples *out)
{
    skein_change how = {.conversation = r->store.chat};
    skein_move   back;
    skein_rc     rc = SKEIN_OK;

    for (int i = 0; i < b->size.rounds && rc == SKEIN_OK; i++) {
        int64_t start = skn_clock_monotonic();

        if ((rc = remove(b, r, &how)))
            break;
        skn_samples_add(out, skn_bench_since(start) * 1e3);
        if (!(rc = skein_undo(r->store.engine, &how, 1, b->cli->mem, &back, &b->cli->err)))
            rc = skn_bench_go_on(b);
        skein_mem_reset(b->cli->mem);
    }
    return rc;
}

static skein_rc measure_room(skn_bench *b, int64_t agents, const char *what, removing *remove,
                             double limit)
{
    skn_samples   times = {.n = 0};
    skn_str       of = skn_bench_count(b->cli->keep, b->size.room);
    skn_bench_row row = {.unit = "ms", .figure_max = limit};
    room          r;
    skein_rc      rc = make(b, what, agents, &r);

    if (rc)
        return rc;
    row.what = skn_arena_printf(b->cli->keep, "%s, %" PRId64 " agents, %.*s messages", what,
                                agents, SKN_FMT(of))
                   .p;
    if (!(rc = measure(b, &r, remove, &times)))
        rc = skn_bench_compare(b, row, &times, NULL);
    skn_bench_close(&r.store);
    return rc;
}

skein_rc skn_bench_rooms(skn_bench *b)
{
    skein_rc rc;

    if ((rc = measure_room(b, b->size.agents, "remove-from", remove_all, 20)) ||
        (rc = measure_room(b, 10, "revise", revise, 500)) ||
        (rc = measure_room(b, 50, "revise", revise, 2000)))
        return rc;
    return measure_room(b, 100, "revise", revise, 5000);
}
