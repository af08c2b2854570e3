/* travel.c: undo, redo, switch. A conversation has one pointer to its current version; time travel
 * moves it and writes down from where, and that is all: no thread is touched. */
#include "engine/feed.h"

typedef struct move_call {
    const skein_change  *how;
    skein_move          *out;
    const char          *kind; /* undo, redo or switch */
    int64_t              steps, version;
    skn_working         *w;
    skn_tx              *tx;
    skn_arena           *mem;
    skn_conversation_row row;
    skn_trees            trees;
    bool                 replayed;
    bool                 stopped; /* agents' work was taken away for it */
} move_call;

static skein_rc fill_version(move_call *c, int64_t version_id, skein_version *out,
                             skein_error *err)
{
    skn_version_row row;
    bool            found;
    skein_rc        rc = skn_version_get(c->tx, version_id, c->mem, &row, &found, err);

    if (rc)
        return rc;
    if (!found)
        return skn_fail(err, SKEIN_DAMAGED, "version row %lld is missing",
                        (long long)version_id);
    return skn_version_fill(c->tx, &c->row, &row, c->mem, out, err);
}

/* --- What a move changes, in numbers: only asked for on a dry run ------------------------------------------ */

static skein_rc load_main(move_call *c, int64_t version_id, skn_thread *t, skein_error *err)
{
    skn_lane_row lane;
    bool         found;
    skein_rc     rc = skn_lane_need(c->tx, &c->row, SKN_MAIN, c->mem, &lane, err);

    return rc ? rc : skn_thread_load(&c->trees, version_id, lane.id, t, &found, err);
}

/* What of the main lane a move takes away (only_x) and brings (only_y). */
static skein_rc compare(move_call *c, int64_t from, int64_t to, skn_thread *b,
                        skn_comparison *out, skein_error *err)
{
    skn_thread a;
    skn_tree   x, y;
    skein_rc   rc;

    if ((rc = load_main(c, from, &a, err)) || (rc = load_main(c, to, b, err)) ||
        (rc = skn_thread_freeze(&c->trees, &a, &x, err)) ||
        (rc = skn_thread_freeze(&c->trees, b, &y, err)))
        return rc;
    return skn_trees_compare(&c->trees, &x, &y, out, err);
}

/* What was said after the version that is gone to was left, and leaves with the move. What a change put
 * into the middle (items below zero) is the change itself. */
static skein_rc count_newer(move_call *c, int64_t from, int64_t to, skein_error *err)
{
    skn_thread     b;
    skn_comparison parts;
    skein_messages last = {NULL, 0};
    int64_t        newest, n;
    skein_rc       rc = compare(c, from, to, &b, &parts, err);

    c->out->newer = 0;
    if (rc || (rc = skn_op_left_newest(c->tx, c->row.id, to, &newest, err)) ||
        (b.length &&
         (rc = skn_thread_messages(&c->trees, &b, b.length - 1, b.length, &last, err))))
        return rc;
    if (last.count && last.at[0].id.v > newest)
        newest = last.at[0].id.v;
    for (size_t i = 0; rc == SKEIN_OK && i < parts.only_x.n; i++) {
        const skn_run *s = &parts.only_x.p[i];

        if (s->lo < 0)
            continue;
        rc = skn_items_newer(c->tx, s->thread, s->lo, s->lo + s->len, newest, &n, err);
        c->out->newer += n;
    }
    return rc;
}

static skein_rc count_calls(void *arg, skein_message *m, skein_error *err)
{
    (void)err;
    *(int64_t *)arg += (int64_t)m->call_count;
    return SKEIN_OK;
}

static skein_rc count_move(move_call *c, int64_t from, int64_t to, skein_error *err)
{
    skn_thread     b;
    skn_comparison parts;
    skein_rc       rc;

    c->out->returning = c->out->leaving = c->out->side_effects = 0;
    if ((rc = compare(c, from, to, &b, &parts, err)))
        return rc;
    for (size_t i = 0; i < parts.only_y.n; i++)
        c->out->returning += parts.only_y.p[i].len;
    for (size_t i = 0; rc == SKEIN_OK && i < parts.only_x.n; i++) {
        const skn_run *s = &parts.only_x.p[i];

        c->out->leaving += s->len;
        rc = skn_message_range(c->tx, s->thread, s->lo, s->lo + s->len, c->mem, count_calls,
                               &c->out->side_effects, err);
    }
    return rc;
}

/* --- The three moves ------------------------------------------------------------------------------------------- */

/* --- Keys: the same request again moves nothing and has the first outcome ---------------------- */

static int64_t request_hash(const move_call *c)
{
    skn_str what = skn_arena_printf(c->mem, "%s %lld %lld", c->kind, (long long)c->steps,
                                    (long long)c->version);

    return (int64_t)skn_hash_bytes((uint64_t)c->how->conversation.v, what);
}

/* An outcome is kept as "FROM TO STEPS WHAT", versions by number. */
static skein_rc replay(move_call *c, skn_str outcome, skein_error *err)
{
    skein_version  *versions[] = {&c->out->from, &c->out->to};
    skn_version_row row;
    skn_str         word;
    int64_t         n = 0, ids[2];
    skein_rc        rc;

    for (int i = 0; i < 2; i++) {
        if (skn_str_split(&outcome, ' ', &word))
            skn_str_int(word, &n);
        if ((rc = skn_version_pick(c->tx, &c->row, n, c->mem, &row, err)) ||
            (rc = skn_version_fill(c->tx, &c->row, &row, c->mem, versions[i], err)))
            return rc;
        ids[i] = row.id;
    }
    if (skn_str_split(&outcome, ' ', &word))
        skn_str_int(word, &c->out->steps);
    c->out->what = outcome;
    c->replayed = true;
    return count_newer(c, ids[0], ids[1], err);
}

static skein_rc find_key(move_call *c, skein_error *err)
{
    skn_str  outcome;
    bool     found;
    skein_rc rc = skn_key_find(c->w, skn_key_of(c->how), request_hash(c), &outcome, &found,
                               err);

    c->replayed = false;
    return rc || !found ? rc : replay(c, outcome, err);
}

static skein_rc keep_key(move_call *c, skein_error *err)
{
    skn_str outcome = skn_arena_printf(
        c->mem, "%lld %lld %lld %.*s", (long long)c->out->from.number,
        (long long)c->out->to.number, (long long)c->out->steps, SKN_FMT(c->out->what));
    return skn_key_keep(c->w, skn_key_of(c->how), request_hash(c), outcome, err);
}

static skein_rc begin_move(move_call *c, skn_working *w, skein_error *err)
{
    skn_tx  *tx = w->tx;
    skein_rc rc;

    c->w = w;
    c->tx = tx;
    c->mem = w->a;
    *c->out = (skein_move){.returning = -1, .leaving = -1, .side_effects = -1};
    if ((rc = skn_conversation_take(tx, c->how->conversation, c->mem, &c->row, err)))
        return rc;
    skn_trees_init(&c->trees, tx, c->mem, c->row.id);
    if ((rc = find_key(c, err)) || c->replayed)
        return rc;
    if ((rc = fill_version(c, c->row.version_id, &c->out->from, err)) ||
        (rc = skn_expect(c->how->expect, c->out->from.thread.v, c->out->from.length,
                         "conversation", c->row.uid, err)) ||
        (rc = skn_work_guard(w, &c->row, c->how, &c->stopped, err)))
        return rc;
    /* What agents waited for has ended, and they got the result. */
    return c->stopped && c->how->force ? fill_version(c, c->row.version_id, &c->out->from, err)
                                       : SKEIN_OK;
}

static skein_rc finish_move(move_call *c, int64_t started_at, skein_error *err)
{
    skein_rc rc = fill_version(c, c->row.version_id, &c->out->to, err);

    c->out->from.current = c->row.version_id == started_at;
    if (rc == SKEIN_OK)
        rc = count_newer(c, started_at, c->row.version_id, err);
    if (rc == SKEIN_OK)
        skn_feed_move(c->tx, &c->row, c->kind, &c->out->from, &c->out->to);
    if (rc == SKEIN_OK)
        rc = keep_key(c, err);
    if (rc)
        return rc;
    if (c->how->dry_run)
        return count_move(c, started_at, c->row.version_id, err);
    return c->stopped ? skn_work_resume(c->w, c->row.version_id, err) : SKEIN_OK;
}

static skein_rc undo_one(move_call *c, skein_error *err)
{
    skn_op_row op;
    int64_t    id;
    bool       found;
    skein_rc   rc = skn_op_last_standing(c->tx, c->row.id, c->mem, &op, &found, err);

    if (rc)
        return rc;
    if (!found) {
        rc = skn_fail(err, SKEIN_NOTHING, "there is nothing to undo");
        return c->out->from.length
                   ? skn_hint(err, rc,
                              "Messages are not undone: \"skein rm @\" removes the last one.")
                   : rc;
    }
    rc = skn_version_move(c->tx, &c->row, "undo", op.from_version_id, op.id, c->how->actor,
                          c->w->now, &id, err);
    if (rc == SKEIN_OK)
        rc = skn_op_set_undone(c->tx, op.id, id, err);
    c->row.version_id = op.from_version_id;
    c->out->what = op.kind;
    c->out->steps++;
    return rc;
}

/* Was anything said since that operation, in any lane of the version that is current? */
static skein_rc said_since(move_call *c, int64_t newest, bool *said, skein_error *err)
{
    skn_lane_rows lanes;
    skein_rc      rc = skn_lane_rows_of(c->tx, c->row.id, c->mem, &lanes, err);

    *said = false;
    for (size_t i = 0; rc == SKEIN_OK && !*said && i < lanes.count; i++) {
        skn_thread_row t;
        int64_t        last = 0;
        bool           found;

        rc = skn_thread_of(c->tx, c->row.version_id, lanes.at[i].id, c->mem, &t, &found, err);
        if (rc == SKEIN_OK && found)
            rc = skn_item_last(c->tx, t.id, &last, err);
        *said = last > newest;
    }
    return rc;
}

static skein_rc nothing_to_redo(move_call *c, int64_t version_id, skein_error *err)
{
    skein_version left;
    skein_rc      rc;

    if (version_id == 0)
        return skn_fail(err, SKEIN_NOTHING, "there is nothing to redo");
    if ((rc = fill_version(c, version_id, &left, err)))
        return rc;
    rc = skn_fail(err, SKEIN_NOTHING,
                  "the conversation went on after the undo, so redo would lose that");
    return skn_hint(err, rc, "The version left by the undo is v%lld: \"skein switch v%lld\".",
                    (long long)left.number, (long long)left.number);
}

/* What was taken back last (no id: nothing was) may come again while nothing was said or changed since
 * it was. */
static skein_rc find_undone(move_call *c, skn_op_row *op, bool *may, skein_error *err)
{
    skn_op_row undo, last;
    bool       found, changed, said = false;
    skein_rc   rc;

    *may = false;
    rc = skn_op_last_undone(c->tx, c->row.id, c->mem, op, &found, err);
    if (!found)
        *op = (skn_op_row){0};
    if (rc || !found)
        return rc;
    if ((rc = skn_op_get(c->tx, op->undone_by_id, c->mem, &undo, &found, err)) ||
        (rc = skn_op_last_standing(c->tx, c->row.id, c->mem, &last, &changed, err)) ||
        (rc = said_since(c, undo.newest_message_id, &said, err)))
        return rc;
    *may = !said && !(changed && op->undone_by_id < last.id);
    return SKEIN_OK;
}

static skein_rc redo_one(move_call *c, skein_error *err)
{
    skn_op_row op;
    int64_t    id;
    bool       may;
    skein_rc   rc = find_undone(c, &op, &may, err);

    if (rc)
        return rc;
    if (!may)
        return nothing_to_redo(c, op.to_version_id, err);
    rc = skn_version_move(c->tx, &c->row, "redo", op.to_version_id, op.undone_by_id,
                          c->how->actor, c->w->now, &id, err);
    if (rc == SKEIN_OK)
        rc = skn_op_set_undone(c->tx, op.id, 0, err);
    c->row.version_id = op.to_version_id;
    c->out->what = op.kind;
    c->out->steps++;
    return rc;
}

/* As many steps as there are, if at least one is. */
static skein_rc walk(skn_working *w, void *arg, skein_error *err)
{
    move_call *c = arg;
    bool       undoes = c->kind[0] == 'u';
    int64_t    started_at;
    skein_rc   rc = begin_move(c, w, err);

    if (rc || c->replayed)
        return rc;
    started_at = c->row.version_id;
    for (int64_t i = 0; rc == SKEIN_OK && i < c->steps; i++)
        rc = undoes ? undo_one(c, err) : redo_one(c, err);
    if (rc && (rc != SKEIN_NOTHING || c->out->steps == 0))
        return rc;
    return finish_move(c, started_at, err);
}

static skein_rc switch_to(skn_working *w, void *arg, skein_error *err)
{
    move_call      *c = arg;
    skn_version_row to;
    int64_t         started_at, op;
    skein_rc        rc = begin_move(c, w, err);

    if (rc || c->replayed ||
        (rc = skn_version_pick(w->tx, &c->row, c->version, w->a, &to, err)))
        return rc;
    started_at = c->row.version_id;
    c->out->what = SKN_STR("switch");
    c->out->steps = to.id != started_at;
    if (to.id == started_at && c->how->dry_run) /* a dry run says that nothing would change */
        return finish_move(c, started_at, err);
    if (to.id == started_at)
        return skn_fail(err, SKEIN_NOTHING, "v%lld is already the current version",
                        (long long)to.number);
    rc = skn_version_move(w->tx, &c->row, "switch", to.id, 0, c->how->actor, w->now, &op, err);
    c->row.version_id = to.id;
    return rc ? rc : finish_move(c, started_at, err);
}

static skein_rc run_move(skein_engine *e, move_call *c, skn_job *job, skein_mem *mem,
                         skein_error *err)
{
    skein_rc rc;

    if (c->steps < 1 || c->steps > 1000000)
        return skn_fail(err, SKEIN_INVALID, "the number of steps must be 1 or more");
    if ((rc = skn_check_given(c->how->actor, "actor", SKN_WORD_MAX, err)) ||
        (rc = skn_check_given(c->how->key, "the key", SKN_WORD_MAX, err)))
        return rc;
    return skn_write_dry(e, c->how->dry_run, mem, job, c, err);
}

skein_rc skein_undo(skein_engine *e, const skein_change *how, int64_t steps, skein_mem *mem,
                    skein_move *out, skein_error *err)
{
    move_call c = {.how = how, .out = out, .kind = "undo", .steps = steps};

    return run_move(e, &c, walk, mem, err);
}

skein_rc skein_redo(skein_engine *e, const skein_change *how, int64_t steps, skein_mem *mem,
                    skein_move *out, skein_error *err)
{
    move_call c = {.how = how, .out = out, .kind = "redo", .steps = steps};

    return run_move(e, &c, walk, mem, err);
}

skein_rc skein_switch(skein_engine *e, const skein_change *how, int64_t version, skein_mem *mem,
                      skein_move *out, skein_error *err)
{
    move_call c = {.how = how, .out = out, .kind = "switch", .steps = 1, .version = version};

    return run_move(e, &c, switch_to, mem, err);
}

/* --- What could be done, without doing it ------------------------------------------------------ */

skein_rc skein_ways_of(skein_engine *e, skein_conversation_id conversation, skein_mem *mem,
                       skein_ways *out, skein_error *err)
{
    skein_change how = {.conversation = conversation};
    move_call    c = {.how = &how, .mem = mem};
    skn_op_row   op;
    skn_snapshot s = {.store = e->store};

    *out = (skein_ways){.undo = false};
    while (skn_snapshot_next(&s, err)) {
        c.tx = s.tx;
        if (!(s.rc = skn_conversation_need(s.tx, conversation, mem, &c.row, err)) &&
            !(s.rc = skn_op_last_standing(s.tx, c.row.id, mem, &op, &out->undo, err)))
            s.rc = find_undone(&c, &op, &out->redo, err);
    }
    return s.rc;
}
