/* purge.c: erasing text permanently. The places of erased messages stay, so every version keeps its
 * shape; the text is gone from all versions and branches, from the search index and from the file. */
#include "engine/engine.h"
#include "engine/read/reading.h"
#include "engine/timeline/timeline_cache.h"
#include "engine/tree/holds.h"
#include "engine/work/act.h"
#include "engine/world/attachment.h"

#define AT_ONCE ((size_t)1000) /* ids in one statement */
/* Messages that are looked for at once; a node of a tree is remembered with a bit for each. */
#define PORTION ((size_t)4096)

typedef struct purge_call {
    skn_working        *w;
    const skein_change *how;
    skein_message_ids   ids;
    bool                unreachable;
    skein_mem          *mem;   /* of `shown`; NULL: nobody wants to see */
    skein_messages     *shown; /* the first of those that go */
    size_t              most;  /* of them */
    skn_arena          *a;
    skn_vec(int64_t) leave;    /* messages that go */
    skn_vec(int64_t) homes;    /* conversations they were said in */
    skn_vec(int64_t) families; /* of the first `held` homes: they and their branches */
    size_t  held;
    int64_t erased;
    int64_t due; /* not 0: a scrub is */
} purge_call;

static void add_leaving(purge_call *c, int64_t message, int64_t home)
{
    skn_vec_add(c->a, &c->leave, message);
    for (size_t i = 0; i < c->homes.n; i++)
        if (c->homes.p[i] == home)
            return;
    skn_vec_add(c->a, &c->homes, home);
}

/* The conversations that the texts were said in, with their branches: nobody repeats any of it there meanwhile. */
static skein_rc hold_homes(purge_call *c, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (; rc == SKEIN_OK && c->held < c->homes.n; c->held++) {
        skn_ids family;

        rc = skn_conversation_family(c->w->tx, c->homes.p[c->held], c->a, &family, err);
        for (size_t i = 0; rc == SKEIN_OK && i < family.count; i++)
            skn_vec_add(c->a, &c->families, family.at[i]);
    }
    return rc;
}

/* What the system has made of a text goes with it, and what was made of that. */
static skein_rc find_copies(purge_call *c, skein_error *err)
{
    skn_map *in = skn_map_new(c->a);
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; i < c->leave.n; i++)
        *skn_map_slot_int(in, c->leave.p[i]) = c;
    for (size_t i = 0; i < c->leave.n;) {
        size_t        left = c->leave.n - i;
        skn_ids       some = {c->leave.p + i, left < AT_ONCE ? left : AT_ONCE};
        skn_copy_list more;

        if ((rc = hold_homes(c, err)) ||
            (rc = skn_copies_of(c->w->tx, &some, c->a, &more, err)))
            return rc;
        for (size_t k = 0; k < more.count; k++) {
            void **slot = skn_map_slot_int(in, more.at[k].message);

            if (!*slot)
                add_leaving(c, more.at[k].message, more.at[k].home);
            *slot = c;
        }
        i += some.count;
    }
    return hold_homes(c, err);
}

static skein_rc erase(purge_call *c, int64_t id, skein_error *err)
{
    bool     erased;
    skein_rc rc;

    if ((rc = skn_search_forget(c->w->tx, id, c->a, err)) ||
        (rc = skn_message_erase(c->w->tx, id, SKN_NOW(), c->a, &erased, err)))
        return rc;
    c->erased += erased;
    return SKEIN_OK;
}

/* Models of a branch were sent what its origin said before. */
static skein_rc erase_calls(purge_call *c, skein_error *err)
{
    return skn_calls_erase(c->w, &(skn_ids){c->families.p, c->families.n}, err);
}

/* Who gave such a task, or waits for an answer to it, hears that it was cancelled; the text itself is gone from it by
 * then. */
static skein_rc end_tasks(purge_call *c, const skn_ids *messages, skein_error *err)
{
    skn_task_end end = {.status = "cancelled", .why = SKN_STR("its text was erased")};
    skn_ids      tasks = {0};
    skn_task_row row;
    bool         found;
    skein_rc     rc = skn_copies_pending(c->w->tx, messages, c->a, &tasks, err);

    for (size_t i = 0; rc == SKEIN_OK && i < tasks.count; i++)
        if (!(rc = skn_task_get(c->w->tx, tasks.at[i], c->a, &row, &found, err)) && found)
            rc = skn_task_stop(c->w, &row, NULL, &end, err);
    return rc;
}

/* Copies first: they are found by the texts. */
static skein_rc erase_all(purge_call *c, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < c->leave.n; i += AT_ONCE) {
        size_t  left = c->leave.n - i;
        skn_ids some = {c->leave.p + i, left < AT_ONCE ? left : AT_ONCE};

        if (!(rc = skn_copies_erase(c->w->tx, &some, c->a, err)) &&
            !(rc = end_tasks(c, &some, err)))
            rc = skn_files_erase(c->w->tx, &some, c->a, err);
    }
    for (size_t i = 0; rc == SKEIN_OK && i < c->leave.n; i++)
        rc = erase(c, c->leave.p[i], err);
    return rc || c->leave.n == 0 ? rc : erase_calls(c, err);
}

/* Those that were erased before do not go again. */
static skein_rc show_messages(purge_call *c, skein_error *err)
{
    skein_rc rc = SKEIN_OK;
    bool     found;

    *c->shown = (skein_messages){SKN_ARRAY(c->mem, c->most, skein_message), 0};
    for (size_t i = 0; rc == SKEIN_OK && i < c->leave.n && c->shown->count < c->most; i++) {
        skein_message *m = &c->shown->at[c->shown->count];

        rc = skn_message_get(c->w->tx, c->leave.p[i], c->mem, m, &found, err);
        c->shown->count += rc == SKEIN_OK && found && !m->purged;
    }
    return rc;
}

/* --- Named messages ------------------------------------------------------------------------------------- */

static skein_rc find_named(purge_call *c, const skn_conversation_row *row, skein_error *err)
{
    skn_ids  kin;
    skein_rc rc = skn_conversation_kin(c->w->tx, row, c->a, &kin, err);

    for (size_t i = 0; rc == SKEIN_OK && i < c->ids.count; i++) {
        skein_message m;
        bool          found;

        if ((rc = skn_message_get(c->w->tx, c->ids.at[i].v, c->a, &m, &found, err)))
            return rc;
        if (!found || !skn_is_kin(&kin, m.born_in.v))
            return skn_fail(err, SKEIN_NOT_FOUND, "conversation \"%.*s\" has no such message",
                            SKN_FMT(row->uid));
        add_leaving(c, m.id.v, m.born_in.v);
    }
    return rc;
}

/* --- What no current version holds ------------------------------------------------------------------------ */

typedef struct reach {
    skn_trees trees;
    skn_vec(skn_thread) threads; /* current ones, of the conversation and of its branches */
} reach;

static skein_rc add_threads(reach *r, const skn_conversation_row *row, skein_error *err)
{
    skn_lane_rows lanes;
    skein_rc      rc = skn_lane_rows_of(r->trees.tx, row->id, r->trees.a, &lanes, err);

    for (size_t i = 0; rc == SKEIN_OK && i < lanes.count; i++) {
        skn_thread t;
        bool       found;

        rc = skn_thread_load(&r->trees, row->version_id, lanes.at[i].id, &t, &found, err);
        if (rc == SKEIN_OK && found)
            skn_vec_add(r->trees.a, &r->threads, t);
    }
    return rc;
}

/* A branch, or a branch of a branch, may still show what its origin left behind. */
static skein_rc find_reach(reach *r, const skn_ids *family, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; rc == SKEIN_OK && i < family->count; i++) {
        skn_conversation_row at;

        rc = skn_conversation_need(r->trees.tx, (skein_conversation_id){family->at[i]},
                                   r->trees.a, &at, err);
        if (rc == SKEIN_OK)
            rc = add_threads(r, &at, err);
    }
    return rc;
}

static skein_rc find_unheld(purge_call *c, reach *r, int64_t home, skn_ids ids,
                            skein_error *err)
{
    skn_batch batch;
    skn_bits *held;
    skein_rc  rc = skn_batch_open(&batch, &r->trees, ids, err);

    if (rc)
        return rc;
    held = skn_batch_bits(&batch);
    for (size_t k = 0; rc == SKEIN_OK && k < r->threads.n; k++)
        rc = skn_batch_held(&batch, &r->threads.p[k], held, err);
    for (size_t i = 0; rc == SKEIN_OK && i < ids.count; i++)
        if (!skn_bit(held, i))
            add_leaving(c, ids.at[i], home);
    return rc;
}

static skein_rc find_unreachable(purge_call *c, const skn_conversation_row *row,
                                 const skn_ids *family, skein_error *err)
{
    reach    r = {0};
    skn_ids  all;
    skein_rc rc;

    skn_trees_init(&r.trees, c->w->tx, c->a, 0);
    if ((rc = find_reach(&r, family, err)) ||
        (rc = skn_conversation_messages(c->w->tx, row->id, c->a, &all, err)))
        return rc;
    for (size_t i = 0; rc == SKEIN_OK && i < all.count; i += PORTION) {
        size_t left = all.count - i;

        rc = find_unheld(c, &r, row->id, (skn_ids){all.at + i, left < PORTION ? left : PORTION},
                         err);
    }
    return rc;
}

/* --- What may not go yet ------------------------------------------------------------------------------------ */

static bool leaves(const purge_call *c, int64_t message)
{
    for (size_t i = 0; i < c->leave.n; i++)
        if (c->leave.p[i] == message)
            return true;
    return false;
}

/* A call that waits for its result, or for a person who allows it, would run with what was erased, and its result would
 * find no place. */
static skein_rc check_calls(const purge_call *c, skein_error *err)
{
    skn_turn_rows open;
    skein_rc      rc;

    for (size_t i = 0; i < c->homes.n; i++) {
        if ((rc = skn_turn_open_rows(c->w->tx, 0, c->homes.p[i], c->a, &open, err)))
            return rc;
        for (size_t k = 0; k < open.count; k++) {
            const skn_turn_row *t = &open.at[k];

            if (!t->open_calls || !leaves(c, t->step_message_id))
                continue;
            skn_fail(err, SKEIN_AT_WORK,
                     "%.*s waits for the result of a call that would be erased",
                     SKN_FMT(t->turn.agent_name));
            return skn_hint(err, SKEIN_AT_WORK, "Wait until it is done, or stop it.");
        }
    }
    return SKEIN_OK;
}

/* --- The whole of it ---------------------------------------------------------------------------------------- */

/* Nobody may move a pointer of the family meanwhile: what it would show decides what may go. One
 * that branched off while this waited for its origin is found in the next round. */
static skein_rc take_family(purge_call *c, skn_ids *out, skein_error *err)
{
    size_t   before;
    skein_rc rc;

    *out = (skn_ids){0};
    do {
        before = out->count;
        rc = skn_conversation_family(c->w->tx, c->how->conversation.v, c->a, out, err);
    } while (rc == SKEIN_OK && out->count > before);
    return rc;
}

static skein_rc check_expected(purge_call *c, const skn_conversation_row *row, skein_error *err)
{
    skein_at        at = c->how->expect;
    skn_version_row current;
    skein_version   v;
    skein_rc        rc;

    if (at.thread.v == 0)
        return SKEIN_OK;
    if ((rc = skn_version_pick(c->w->tx, row, 0, c->a, &current, err)) ||
        (rc = skn_version_fill(c->w->tx, row, &current, c->a, &v, err)))
        return rc;
    return skn_expect(at, v.thread.v, v.length, "conversation", row->uid, err);
}

static void tell_of(skn_tx *tx, const skn_conversation_row *row, int64_t erased)
{
    skn_feed_chat(tx, row, "chat.updated", SKN_NONE,
                  SKN_TOLD(SKN_M_TEXT("id", row->uid), SKN_M_INT("purged", erased)));
}

/* Programs that show the texts must forget them, too. */
static skein_rc tell_purge(const purge_call *c, const skn_conversation_row *row,
                           skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    tell_of(c->w->tx, row, c->erased);
    for (size_t i = 0; rc == SKEIN_OK && i < c->homes.n; i++) {
        skn_conversation_row home;
        bool                 found;

        if (c->homes.p[i] == row->id)
            continue;
        rc = skn_conversation_row_get(c->w->tx, c->homes.p[i], c->a, &home, &found, err);
        if (rc == SKEIN_OK && found)
            tell_of(c->w->tx, &home, c->erased);
    }
    return rc;
}

/* What agents there are writing may repeat it, and what was answered under keys. */
static skein_rc erase_repeated(const purge_call *c, skein_error *err)
{
    skein_rc rc = skn_answer_erase(c->w->tx, err);

    for (size_t i = 0; rc == SKEIN_OK && i < c->families.n; i++)
        rc = skn_written_erase(c->w->tx, c->families.p[i], err);
    return rc;
}

static skein_rc find_leaving(purge_call *c, const skn_conversation_row *row,
                             const skn_ids *family, skein_error *err)
{
    skein_rc rc = c->unreachable ? find_unreachable(c, row, family, err)
                                 : find_named(c, row, err);

    return rc ? rc : find_copies(c, err);
}

static skein_rc purge(skn_working *w, void *arg, skein_error *err)
{
    purge_call          *c = arg;
    skn_tx              *tx = w->tx;
    skn_conversation_row row;
    skn_ids              family;
    skein_rc             rc;

    c->w = w;
    c->a = w->a;
    c->erased = 0;
    c->leave.n = c->homes.n = c->families.n = c->held = 0;
    if ((rc = take_family(c, &family, err)) ||
        (rc = skn_conversation_need(tx, c->how->conversation, c->a, &row, err)) ||
        (rc = check_expected(c, &row, err)))
        return rc;
    if (!(rc = find_leaving(c, &row, &family, err)) && !(rc = check_calls(c, err)) &&
        !(rc = c->mem ? show_messages(c, err) : SKEIN_OK))
        rc = erase_all(c, err);
    if (rc == SKEIN_OK && c->erased > 0 && !(rc = erase_repeated(c, err)))
        rc = skn_erasure_count(tx, err);
    if (rc == SKEIN_OK)
        rc = skn_scrub_due(tx, &c->due, err);
    if (rc == SKEIN_OK && c->erased > 0)
        rc = tell_purge(c, &row, err);
    if (rc == SKEIN_OK && c->erased > 0 && !c->how->dry_run)
        rc = skn_audit_in(w, "purge", row.uid,
                          skn_arena_printf(c->a, "%lld erased%s", (long long)c->erased,
                                           c->unreachable ? ", unreachable" : ""),
                          err);
    return rc;
}

/* An earlier erasure may still be due, when its scrub failed. */
static skein_rc run_purge(skein_engine *e, purge_call *c, int64_t *erased, skein_error *err)
{
    skein_rc rc = skn_write_dry(e, c->how->dry_run, NULL, purge, c, err);

    *erased = rc ? 0 : c->erased;
    if (rc || c->how->dry_run)
        return rc;
    if (c->erased > 0)
        skn_timeline_cache_clear(e->timelines);
    return c->due ? skn_store_scrub(e->store, err) : SKEIN_OK;
}

skein_rc skein_purge(skein_engine *e, const skein_change *how, skein_message_ids ids,
                     int64_t *erased, skein_error *err)
{
    purge_call c = {.how = how, .ids = ids};

    *erased = 0;
    if (ids.count == 0 || ids.count > SKN_BATCH_MAX)
        return skn_fail(err, SKEIN_INVALID, "%zu messages were named; 1 to %zu are possible",
                        ids.count, SKN_BATCH_MAX);
    return run_purge(e, &c, erased, err);
}

skein_rc skein_purge_unreachable(skein_engine *e, const skein_change *how, int64_t *erased,
                                 skein_error *err)
{
    purge_call c = {.how = how, .unreachable = true};

    return run_purge(e, &c, erased, err);
}

skein_rc skn_purge_look(skein_engine *e, const skein_change *how, skein_message_ids ids,
                        size_t most, skein_mem *mem, skein_messages *out, int64_t *count,
                        skein_error *err)
{
    skein_change dry = *how;
    purge_call   c = {.how = &dry,
                      .ids = ids,
                      .unreachable = ids.count == 0,
                      .mem = mem,
                      .shown = out,
                      .most = most};

    dry.dry_run = true;
    return run_purge(e, &c, count, err);
}
