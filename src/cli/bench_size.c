/* bench_size.c: what must not depend on how long a conversation is. The same is done in turns to a
 * large conversation and to a smaller one, each in a store of its own. */
#include "cli/bench.h"

#include "base/clock.h"

#include <inttypes.h>

#define TAIL 50

typedef struct sized {
    skn_bench_store  store;
    int64_t          stands; /* messages before the summary */
    skein_message_id first, middle;
} sized;

/* --- Making --------------------------------------------------------------------------------- */

/* The context is then the summary and the same number of messages at every size. */
static skein_rc compact(skn_bench *b, sized *s)
{
    skein_compaction what = {.covers = s->store.length - TAIL,
                             .content = SKN_BENCH_TEXT,
                             .reason = SKN_STR("manual")};
    skein_message    summary;
    int64_t          covers;
    skein_rc         rc;

    rc = skein_compact(s->store.engine, s->store.chat, &what, b->cli->mem, &summary, &covers,
                       &b->cli->err);
    s->store.length += rc == SKEIN_OK;
    return rc;
}

static skein_rc make(skn_bench *b, const char *name, int64_t length, sized *s)
{
    int64_t  start = skn_clock_monotonic();
    skn_str  count = skn_bench_count(b->cli->keep, length);
    skein_rc rc;

    if ((rc = skn_bench_open(b, name, 0, &s->store)) ||
        (rc = skn_bench_fill(b, &s->store, length)) || (rc = compact(b, s)) ||
        (rc = skn_bench_at(b, &s->store, 0, &s->first)))
        return rc;
    s->stands = length;
    if (length == b->size.large)
        skn_note(b->cli, "made a conversation of %.*s messages in %.1f s", SKN_FMT(count),
                 skn_bench_since(start));
    return skn_bench_at(b, &s->store, length / 2, &s->middle);
}

/* --- Reading -------------------------------------------------------------------------------- */

typedef skein_rc reading(skn_bench *b, const sized *s);

static skein_rc read_last(skn_bench *b, const sized *s)
{
    skein_slice    what = {.conversation = s->store.chat, .from = -TAIL};
    skein_messages m;

    return skein_read(s->store.engine, &what, b->cli->mem, &m, NULL, &b->cli->err);
}

static skein_rc read_context(skn_bench *b, const sized *s)
{
    skein_slice   what = {.conversation = s->store.chat};
    skein_context c;

    return skein_context_read(s->store.engine, &what, b->cli->mem, &c, &b->cli->err);
}

static skein_rc time_reads(skn_bench *b, const sized *s, reading *read, skn_samples *out)
{
    int64_t  start = skn_clock_monotonic();
    skein_rc rc = SKEIN_OK;

    for (int i = 0; i < b->size.reads && rc == SKEIN_OK; i++) {
        rc = read(b, s);
        skein_mem_reset(b->cli->mem);
    }
    skn_samples_add(out, skn_bench_since(start) * 1e3 / b->size.reads);
    return rc;
}

static skein_rc compare_reads(skn_bench *b, const char *what, reading *read, const sized *small,
                              const sized *large)
{
    skn_samples   figure = {.n = 0}, reference = {.n = 0}, warm = {.n = 0};
    skn_arena    *a = b->cli->keep;
    skn_str       of = skn_bench_count(a, large->stands);
    skn_bench_row row = {.unit = "ms", .ratio_max = 1.5};
    skein_rc      rc;

    row.what = skn_arena_printf(a, "%s of %.*s", what, SKN_FMT(of)).p;
    of = skn_bench_count(a, small->stands);
    row.against = skn_arena_printf(a, "of %.*s", SKN_FMT(of)).p;
    if ((rc = time_reads(b, small, read, &warm)) || (rc = time_reads(b, large, read, &warm)))
        return rc;
    for (int i = 0; i < b->size.many_rounds; i++)
        if ((rc = skn_bench_go_on(b)) || (rc = time_reads(b, small, read, &reference)) ||
            (rc = time_reads(b, large, read, &figure)))
            return rc;
    return skn_bench_compare(b, row, &figure, &reference);
}

/* --- Changing ------------------------------------------------------------------------------- */

enum { EDIT, REMOVE, UNDO, BRANCH, CHANGES };

static const char *const change_names[CHANGES] = {
    "edit of the first of", "remove-from the middle of", "undo of that, in", "branch in"};

typedef skein_rc changing(skn_bench *b, const sized *s, const skein_change *how);

static skein_rc edit(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_version v;
    skein_message m;

    return skein_edit(s->store.engine, how, s->first, SKN_STR("Another beginning."),
                      b->cli->mem, &v, &m, &b->cli->err);
}

static skein_rc remove_middle(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_removal r;

    return skein_remove_from(s->store.engine, how, s->middle, false, b->cli->mem, &r,
                             &b->cli->err);
}

static skein_rc undo(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_move m;

    return skein_undo(s->store.engine, how, 1, b->cli->mem, &m, &b->cli->err);
}

static skein_rc branch(skn_bench *b, const sized *s, const skein_change *how)
{
    skein_conversation c;

    return skein_branch(s->store.engine, how, 0, s->stands / 2, SKN_STR("branch"), b->cli->mem,
                        &c, &b->cli->err);
}

static skein_rc timed(skn_bench *b, const sized *s, changing *change, skn_samples *out)
{
    skein_change how = {.conversation = s->store.chat};
    int64_t      start = skn_clock_monotonic();
    skein_rc     rc = change(b, s, &how);

    if (out)
        skn_samples_add(out, skn_bench_since(start) * 1e3);
    skein_mem_reset(b->cli->mem);
    return rc;
}

/* Every change is made to the same version, and undone. */
static skein_rc cycle(skn_bench *b, const sized *s, skn_samples out[CHANGES])
{
    skein_rc rc;

    if ((rc = timed(b, s, edit, &out[EDIT])) || (rc = timed(b, s, undo, NULL)) ||
        (rc = timed(b, s, remove_middle, &out[REMOVE])) || (rc = timed(b, s, undo, &out[UNDO])))
        return rc;
    return timed(b, s, branch, &out[BRANCH]);
}

static skein_rc change_row(skn_bench *b, int which, const sized *middle, const sized *large,
                           const skn_samples *reference, const skn_samples *figure)
{
    skn_arena    *a = b->cli->keep;
    skn_str       of = skn_bench_count(a, large->stands);
    skn_bench_row row = {.unit = "ms", .ratio_max = 2, .figure_max = 1};

    row.what = skn_arena_printf(a, "%s %.*s", change_names[which], SKN_FMT(of)).p;
    of = skn_bench_count(a, middle->stands);
    row.against = skn_arena_printf(a, "of %.*s", SKN_FMT(of)).p;
    return skn_bench_compare(b, row, figure, reference);
}

static skein_rc compare_changes(skn_bench *b, const sized *middle, const sized *large)
{
    skn_samples figure[CHANGES] = {{.n = 0}}, reference[CHANGES] = {{.n = 0}};
    skein_rc    rc;

    if ((rc = cycle(b, middle, reference)) || (rc = cycle(b, large, figure)))
        return rc;
    for (int i = 0; i < CHANGES; i++)
        figure[i].n = reference[i].n = 0; /* that was to warm up */
    for (int i = 0; i < b->size.many_rounds; i++)
        if ((rc = skn_bench_go_on(b)) || (rc = cycle(b, middle, reference)) ||
            (rc = cycle(b, large, figure)))
            return rc;
    for (int i = 0; i < CHANGES && rc == SKEIN_OK; i++)
        rc = change_row(b, i, middle, large, &reference[i], &figure[i]);
    return rc;
}

/* --- All of it ------------------------------------------------------------------------------ */

static skein_rc measure(skn_bench *b, sized *small, sized *middle, sized *large)
{
    skein_rc rc;

    if ((rc = make(b, "small", b->size.small, small)) ||
        (rc = make(b, "middle", b->size.middle, middle)) ||
        (rc = make(b, "large", b->size.large, large)) ||
        (rc = compare_reads(b, "last 50 messages", read_last, small, large)) ||
        (rc = compare_reads(b, "context after a summary", read_context, small, large)) ||
        (rc = compare_changes(b, middle, large)) || (rc = skn_bench_edits(b, &large->store)))
        return rc;
    rc = skn_bench_timelines(b, &small->store, &large->store);
    return rc ? rc : skn_bench_resident(b, &large->store);
}

skein_rc skn_bench_by_size(skn_bench *b)
{
    sized    small = {.stands = 0}, middle = {.stands = 0}, large = {.stands = 0};
    skein_rc rc = measure(b, &small, &middle, &large);

    skn_bench_close(&small.store);
    skn_bench_close(&middle.store);
    skn_bench_close(&large.store);
    return rc;
}
