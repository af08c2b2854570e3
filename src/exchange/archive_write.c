/* archive_write.c: the store's rows as an archive, all of them from one snapshot.
 *
 * Rows come by ascending id, and their place in that order is their number in the archive; so
 * the ids met so far, sorted as they came, are all that is needed to translate references. */
#include "exchange/archive.h"

typedef skn_vec(int64_t) id_list;

typedef struct writer {
    skn_tx           *tx;
    skn_arena        *a; /* of the whole export: ids only */
    skn_arena        *row_memory;
    skn_archive_scope scope;
    skn_archive_table table; /* being written */
    id_list           ids[SKN_AR_TABLES];
    skn_archive_row   row;
    skn_buf           line;
    skn_sha256        hash;
    int64_t           rows;
    skn_sink         *sink;
} writer;

static skein_rc flush(writer *w, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    if (w->line.starved)
        return skn_no_memory(err);
    if (w->line.over)
        return skn_fail(err, SKEIN_LIMIT, "row %lld of \"%s\" is over %zu bytes",
                        (long long)w->row.number, skn_archive_tables[w->table].name,
                        w->line.limit);
    if (w->line.n)
        rc = w->sink->write(w->sink->arg, skn_buf_str(&w->line), err);
    skn_buf_clear(&w->line);
    return rc;
}

/* How many of the sorted ids are at most `id`. */
static int64_t rank(const id_list *ids, int64_t id)
{
    size_t lo = 0, hi = ids->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (ids->p[mid] <= id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return (int64_t)lo;
}

/* The number of a row, or 0 when it is not in the archive. */
static int64_t number_of(const id_list *ids, int64_t id)
{
    int64_t n = rank(ids, id);

    return n > 0 && ids->p[n - 1] == id ? n : 0;
}

static skein_rc fail_reference(const writer *w, const char *column, int64_t to,
                               skein_error *err)
{
    return skn_fail(err, SKEIN_DAMAGED,
                    "\"%s\" of row %lld of \"%s\" names %lld, which is not there", column,
                    (long long)w->row.number, skn_archive_tables[w->table].name, (long long)to);
}

/* --- What a row refers to ----------------------------------------------------------------- */

/* Threads, compactions and copies are read of the whole store, carried files with all that carry them; the others are in
 * scope already. A copy whose source stays
 * behind comes as what anybody says. */
static bool belongs(const writer *w, const skn_cell *cells)
{
    if (w->table == SKN_AR_THREADS)
        return number_of(&w->ids[SKN_AR_VERSIONS], cells[2].number) != 0;
    if (w->table == SKN_AR_COMPACTIONS)
        return number_of(&w->ids[SKN_AR_THREADS], cells[0].number) != 0;
    if (w->table == SKN_AR_CARRIED)
        return number_of(&w->ids[SKN_AR_MESSAGES], cells[1].number) != 0;
    if (w->table == SKN_AR_COPIES)
        return number_of(&w->ids[SKN_AR_MESSAGES], cells[0].number) != 0 &&
               number_of(&w->ids[SKN_AR_MESSAGES], cells[1].number) != 0;
    return true;
}

/* References may lead ahead, so all ids are read before the first row is written. */
static skein_rc keep_id(void *arg, int64_t id, const skn_cell *cells, skein_error *err)
{
    writer *w = arg;

    (void)err;
    if (belongs(w, cells))
        skn_vec_add(w->a, &w->ids[w->table], id);
    return SKEIN_OK;
}

static skein_rc translate_spans(writer *w, const skn_cell *cell, skein_error *err)
{
    skn_node *n;

    if (!skn_node_decode(cell->text, (int)w->row.cells[1].number, w->row_memory, &n))
        return skn_fail(err, SKEIN_DAMAGED, "span node %lld is damaged",
                        (long long)w->row.number);
    w->row.spans = SKN_ARRAY(w->row_memory, n->count, skn_archive_span);
    w->row.span_count = n->count;
    for (size_t i = 0; i < n->count; i++) {
        const skn_entry  *e = &n->e[i];
        skn_archive_span *s = &w->row.spans[i];

        s->len = e->span.len;
        s->kmin = rank(&w->ids[SKN_AR_MESSAGES], e->span.kmin);
        s->kmax = rank(&w->ids[SKN_AR_MESSAGES], e->span.kmax);
        s->lo = e->span.lo;
        if (n->level > 0)
            s->child = number_of(&w->ids[SKN_AR_NODES], e->child_id);
        else
            s->src = number_of(&w->ids[SKN_AR_THREADS], e->span.thread);
        if (!s->child && !s->src)
            return fail_reference(w, "entries", n->level ? e->child_id : e->span.thread, err);
    }
    return SKEIN_OK;
}

static skein_rc translate_cell(writer *w, const skn_archive_column *column,
                               const skn_cell *from, skn_cell *to, skein_error *err)
{
    *to = *from;
    if (from->null)
        return SKEIN_OK;
    if (column->kind == SKN_CELL_SPANS)
        return translate_spans(w, from, err);
    if (column->kind == SKN_CELL_KEY)
        to->number = rank(&w->ids[SKN_AR_MESSAGES], from->number);
    if (column->kind != SKN_CELL_REF && column->kind != SKN_CELL_AHEAD)
        return SKEIN_OK;
    to->number = number_of(&w->ids[column->ref], from->number);
    return to->number ? SKEIN_OK : fail_reference(w, column->name, from->number, err);
}

/* When one conversation leaves its world, the world's current chat may stay behind. */
static void fit_to_scope(const writer *w, skn_cell *cells)
{
    if (w->table == SKN_AR_WORLDS && !number_of(&w->ids[SKN_AR_CONVERSATIONS], cells[5].number))
        cells[5].null = true;
}

/* The key of an agent's lane has the agent's id in it. */
static void translate_key(writer *w)
{
    skn_cell *key = &w->row.cells[SKN_LANE_KEY];

    if (w->table == SKN_AR_LANES && key->text.n && key->text.p[0] == '@')
        key->text = skn_arena_printf(w->row_memory, "@%lld",
                                     (long long)w->row.cells[SKN_LANE_AGENT].number);
}

/* --- Rows --------------------------------------------------------------------------------- */

static skein_rc write_row(void *arg, int64_t id, const skn_cell *cells, skein_error *err)
{
    writer                  *w = arg;
    const skn_archive_shape *shape = &skn_archive_tables[w->table];
    skn_cell                 fitted[SKN_ARCHIVE_COLUMNS];
    skein_rc                 rc;

    if (!belongs(w, cells))
        return SKEIN_OK;
    skn_arena_reset(w->row_memory);
    memcpy(fitted, cells, shape->count * sizeof *cells);
    if (w->scope.conversation)
        fit_to_scope(w, fitted);
    w->row.table = w->table;
    w->row.number = shape->numbered ? number_of(&w->ids[w->table], id) : 0;
    for (size_t i = 0; i < shape->count; i++)
        if ((rc = translate_cell(w, &shape->columns[i], &fitted[i], &w->row.cells[i], err)))
            return rc;
    translate_key(w);
    skn_archive_row_write(&w->row, &w->line);
    w->rows++;
    skn_sha256_add(&w->hash, skn_buf_str(&w->line));
    return flush(w, err);
}

/* Rows without ids are read for each row that they hang on. */
static skein_rc write_hanging(writer *w, skn_archive_table parents, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < w->ids[parents].n; i++) {
        w->scope.parent = w->ids[parents].p[i];
        rc = skn_archive_read(w->tx, w->table, &w->scope, write_row, w, err);
    }
    return rc;
}

static skein_rc write_table(writer *w, skn_archive_table table, skein_error *err)
{
    w->table = table;
    if (skn_archive_tables[table].numbered)
        return skn_archive_read(w->tx, table, &w->scope, write_row, w, err);
    return write_hanging(w, skn_archive_tables[table].columns[0].ref, err);
}

static skein_rc collect_ids(writer *w, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < SKN_AR_TABLES; i++) {
        w->table = (skn_archive_table)i;
        if (skn_archive_tables[i].numbered)
            rc = skn_archive_read_ids(w->tx, w->table, &w->scope, keep_id, w, err);
    }
    return rc;
}

static skein_rc count_waiting(const writer *w, int64_t *sum, skein_error *err)
{
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < w->ids[SKN_AR_CONVERSATIONS].n; i++) {
        int64_t count = 0;

        rc = skn_waiting_count(w->tx, w->ids[SKN_AR_CONVERSATIONS].p[i], &count, err);
        *sum += count;
    }
    return rc;
}

/* They may name programs, which nobody should get with a file; the report says how many there were. */
static skein_rc count_tool_servers(const writer *w, int64_t *count, skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    skein_world world = {.id = {0}};
    bool        found = false;
    skein_rc    rc = SKEIN_OK;

    if (w->ids[SKN_AR_WORLDS].n)
        rc = skn_world_get(w->tx, w->ids[SKN_AR_WORLDS].p[0], a, &world, &found, err);
    if (!rc && found)
        *count = skn_world_tool_servers(world.settings, a);
    skn_arena_free(a);
    return rc;
}

static skein_rc write_header(writer *w, skein_error *err)
{
    skn_archive_header h = {.format = SKN_ARCHIVE_FORMAT, .schema = skn_store_schema()};
    skein_rc           rc = count_waiting(w, &h.waiting, err);

    if (rc || (rc = count_tool_servers(w, &h.tool_servers, err)))
        return rc;
    if (w->ids[SKN_AR_WORLDS].n == 0)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no such world");
    if (w->scope.conversation)
        h.conversation = number_of(&w->ids[SKN_AR_CONVERSATIONS], w->scope.conversation);
    skn_archive_header_write(&h, &w->line);
    skn_sha256_add(&w->hash, skn_buf_str(&w->line));
    return flush(w, err);
}

static skein_rc write_all(writer *w, skein_error *err)
{
    char     digits[SKN_SHA256_TEXT];
    skein_rc rc;

    if ((rc = collect_ids(w, err)) || (rc = write_header(w, err)))
        return rc;
    for (size_t i = 0; !rc && i < SKN_AR_TABLES; i++)
        rc = write_table(w, (skn_archive_table)i, err);
    if (rc)
        return rc;
    skn_archive_end_write(w->rows, skn_sha256_text(&w->hash, digits), &w->line);
    return flush(w, err);
}

skein_rc skn_archive_export(skn_store *st, skein_world_id world,
                            skein_conversation_id conversation, skn_sink *sink,
                            skein_error *err)
{
    writer w = {.scope = {.world = world.v, .conversation = conversation.v}, .sink = sink};
    skn_snapshot s = {.store = st};

    w.a = skn_arena_new();
    w.row_memory = skn_arena_new();
    skn_buf_init(&w.line, SKN_ARCHIVE_LINE);
    skn_sha256_init(&w.hash);
    while (skn_snapshot_next(&s, err)) {
        w.tx = s.tx;
        s.rc = write_all(&w, err);
    }
    skn_buf_release(&w.line);
    skn_arena_free(w.row_memory);
    skn_arena_free(w.a);
    return s.rc;
}
