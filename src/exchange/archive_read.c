/* archive_read.c: an archive into the store.
 *
 * The file is read twice: first only to check it, so that a bad one never takes the write lock,
 * then inside the transaction, where it is checked again while it is written. What changed in
 * between is found by the hash in its last line, and the transaction leaves nothing behind. */
#include "engine/feed.h"
#include "exchange/archive.h"

/* Columns of the one world, of versions, of operations and of summaries. */
enum {
    WORLD_UID,
    WORLD_NAME,
    VERSION_KIND = 4,
    VERSION_NOTE = 6,
    OP_KIND = 1,
    COMPACTION_REASON = 5
};
enum { REPLY_TO_UID = 12, REASONING = 27 }; /* columns of a message */

_Static_assert(SKN_ARCHIVE_COLUMNS > REASONING, "a row has room for it");

static bool is_unreasoned(const skn_archive_row *row)
{
    return row->table == SKN_AR_MESSAGES && !row->cells[REASONING].null &&
           !skn_archive_reason_valid(row->cells[REASONING].text);
}

/* --- First reading ------------------------------------------------------------------------ */

static skein_rc note_row(void *arg, skn_archive_row *row, int64_t line, skein_error *err)
{
    skn_intake *im = arg;

    (void)line, (void)err;
    if (row->table == SKN_AR_WORLDS) {
        im->uid = skn_arena_copy(im->mem, row->cells[WORLD_UID].text);
        im->report->world = skn_arena_copy(
            im->mem, im->req->as_name.p ? im->req->as_name : row->cells[WORLD_NAME].text);
    }
    if (row->table == SKN_AR_MESSAGES && !row->cells[REPLY_TO_UID].null)
        im->report->links_kept++;
    im->unreasoned += is_unreasoned(row);
    return SKEIN_OK;
}

/* What had not been said when it was written is not in it, and neither are programs to start. */
static void note_left_out(skn_intake *im)
{
    skn_import_report *r = im->report;
    int64_t            servers = im->facts.header.tool_servers;

    r->not_said = im->facts.header.waiting;
    r->notes = SKN_ARRAY(im->mem, 3, skn_str);
    if (r->not_said) {
        r->exact = false;
        r->notes[r->note_count++] = skn_arena_printf(im->mem, "%lld waiting message%s not kept",
                                                     (long long)r->not_said,
                                                     r->not_said == 1 ? " is" : "s are");
    }
    if (im->unreasoned) {
        r->exact = false;
        r->notes[r->note_count++] = skn_arena_printf(
            im->mem,
            "what models want back of their thinking is not kept of %lld message%s: it has "
            "parts that no model makes",
            (long long)im->unreasoned, im->unreasoned == 1 ? "" : "s");
    }
    if (servers)
        r->notes[r->note_count++] = skn_arena_printf(
            im->mem,
            "%lld tool server%s not kept: an archive never carries commands. Set "
            "mcpServers again",
            (long long)servers, servers == 1 ? " is" : "s are");
}

skein_rc skn_intake_read(skn_intake *im, skn_lines *lines, const skn_import_request *req,
                         skein_mem *mem, skn_import_report *r, skein_error *err)
{
    skein_rc rc;

    *im = (skn_intake){.lines = lines, .req = req, .mem = mem, .report = r};
    *r = (skn_import_report){.form = SKN_STR("skein archive"), .exact = true};
    if ((rc = skn_archive_scan(im->lines, note_row, im, &im->facts, err)))
        return rc;
    note_left_out(im);
    r->agents = im->facts.counts[SKN_AR_AGENTS];
    r->conversations = im->facts.counts[SKN_AR_CONVERSATIONS];
    r->versions = im->facts.counts[SKN_AR_VERSIONS];
    r->messages = r->ids_kept = im->facts.counts[SKN_AR_MESSAGES];
    return SKEIN_OK;
}

/* --- Is there room for it? ---------------------------------------------------------------- */

static skein_rc check_clash(skn_tx *tx, skn_intake *im, skein_error *err)
{
    skn_arena  *a = skn_arena_new();
    skn_str     name = im->report->world;
    skein_world w;
    bool        same, taken = false;
    skein_rc    rc;

    rc = skn_world_by_ref(tx, SKN_NONE, im->uid, a, &w, &same, err);
    if (!rc && !same)
        rc = skn_world_by_ref(tx, name, SKN_NONE, a, &w, &taken, err);
    if (!rc && same)
        im->there = skn_arena_copy(im->mem, w.name);
    skn_arena_free(a);
    if (rc)
        return rc;
    im->known = same;
    if (same)
        return skn_fail(err, SKEIN_CONFLICT,
                        "world \"%.*s\" of \"%s\" is already in this store", SKN_FMT(im->there),
                        im->lines->name);
    if (!taken)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_CONFLICT,
                         "Give the imported one another name with --as NAME.",
                         "there is a world \"%.*s\" already", SKN_FMT(name));
}

skein_rc skn_intake_try(skn_intake *im, skn_store *st, skein_error *err)
{
    skn_snapshot s = {.store = st};

    while (skn_snapshot_next(&s, err))
        s.rc = check_clash(s.tx, im, err);
    return s.rc;
}

/* --- Second reading ----------------------------------------------------------------------- */

static skn_str pack_spans(const skn_intake *im, const skn_archive_row *row, skn_buf *buf)
{
    skn_node *n = skn_arena_alloc(im->a, sizeof *n + row->span_count * sizeof(skn_entry));

    n->level = (int)row->cells[1].number;
    n->count = row->span_count;
    for (size_t i = 0; i < n->count; i++) {
        const skn_archive_span *s = &row->spans[i];
        skn_entry              *e = &n->e[i];

        e->span.len = s->len;
        e->span.kmin = im->base[SKN_AR_MESSAGES] + s->kmin;
        e->span.kmax = im->base[SKN_AR_MESSAGES] + s->kmax;
        e->span.lo = s->lo;
        if (s->child)
            e->child_id = im->base[SKN_AR_NODES] + s->child;
        else
            e->span.thread = im->base[SKN_AR_THREADS] + s->src;
    }
    return skn_node_encode(n, buf);
}

/* What a text of format 1 that is one of the old names, or begins with it, is called now. */
static skn_str name_now(const skn_intake *im, skn_str text)
{
    if (skn_str_is(text, "edit") || skn_str_starts(text, SKN_STR("edit ")))
        return skn_arena_printf(im->a, "amend%.*s", SKN_FMT(skn_str_sub(text, 4, text.n)));
    if (skn_str_is(text, "revise") || skn_str_starts(text, SKN_STR("revise ")))
        return skn_arena_printf(im->a, "edit%.*s", SKN_FMT(skn_str_sub(text, 6, text.n)));
    return text;
}

/* A removal's note begins with "edit", too, where it is the first half of an edit: that is its name still. */
static void name_anew(const skn_intake *im, skn_archive_row *row)
{
    skn_cell *cells = row->cells;

    if (row->table == SKN_AR_VERSIONS && !skn_str_is(cells[VERSION_KIND].text, "remove"))
        cells[VERSION_NOTE].text = name_now(im, cells[VERSION_NOTE].text);
    if (row->table == SKN_AR_VERSIONS)
        cells[VERSION_KIND].text = name_now(im, cells[VERSION_KIND].text);
    if (row->table == SKN_AR_OPS)
        cells[OP_KIND].text = name_now(im, cells[OP_KIND].text);
    if (row->table == SKN_AR_COMPACTIONS)
        cells[COMPACTION_REASON].text = name_now(im, cells[COMPACTION_REASON].text);
}

/* From the archive's numbers to the ids that were set aside. */
static void translate(const skn_intake *im, skn_archive_row *row, skn_buf *packed)
{
    const skn_archive_shape *shape = &skn_archive_tables[row->table];

    if (row->table == SKN_AR_WORLDS)
        row->cells[WORLD_NAME].text = im->report->world;
    for (size_t i = 0; i < shape->count; i++) {
        skn_archive_kind kind = shape->columns[i].kind;

        if (row->cells[i].null)
            continue;
        if (kind == SKN_CELL_REF || kind == SKN_CELL_AHEAD || kind == SKN_CELL_KEY)
            row->cells[i].number += im->base[shape->columns[i].ref];
        if (kind == SKN_CELL_SPANS)
            row->cells[i].text = pack_spans(im, row, packed);
    }
    if (row->table == SKN_AR_LANES && row->cells[SKN_LANE_KEY].text.p[0] == '@')
        row->cells[SKN_LANE_KEY].text = skn_arena_printf(
            im->a, "@%lld", (long long)row->cells[SKN_LANE_AGENT].number);
}

static skein_rc fail_taken(const skn_intake *im, const skn_archive_row *row, int64_t line,
                           skein_error *err)
{
    const char *table = skn_archive_tables[row->table].name;

    if (im->alone)
        return skn_fail(err, SKEIN_DATA, "archive line %lld: this row of \"%s\" is twice in it",
                        (long long)line, table);
    return skn_fail_hint(err, SKEIN_CONFLICT,
                         "Import it into another store: --db sqlite:NEW.db.",
                         "row %lld of \"%s\" (line %lld) is already in this store",
                         (long long)row->number, table, (long long)line);
}

static skein_rc put_row(void *arg, skn_archive_row *row, int64_t line, skein_error *err)
{
    skn_intake *im = arg;
    skn_buf     packed;
    bool        taken;
    skein_rc    rc;

    skn_arena_reset(im->a);
    skn_buf_init(&packed, 64 * 1024);
    if (im->facts.header.format == 1)
        name_anew(im, row);
    if (is_unreasoned(row))
        row->cells[REASONING].null = true;
    translate(im, row, &packed);
    rc = skn_archive_insert(im->tx, row->table, im->base[row->table] + row->number, row->cells,
                            &taken, err);
    skn_buf_release(&packed);
    return taken ? fail_taken(im, row, line, err) : rc;
}

static skein_rc fail_changed(const skn_intake *im, skein_error *err)
{
    return skn_fail(err, SKEIN_DATA, "\"%s\" changed while it was read", im->lines->name);
}

/* The world and its conversations are news; what was said in them is not, message by message. */
static skein_rc tell_import(skn_tx *tx, const skn_intake *im, skein_error *err)
{
    skn_conversation_rows chats;
    skein_world           world;
    bool                  found;
    skein_rc              rc;

    skn_arena_reset(im->a);
    if ((rc = skn_world_get(tx, im->report->world_id.v, im->a, &world, &found, err)) ||
        !found || (rc = skn_conversation_list(tx, im->report->world_id.v, im->a, &chats, err)))
        return rc;
    skn_feed_world_is(tx, &world);
    for (size_t i = 0; i < chats.count; i++)
        skn_feed_chat_is(tx, &chats.at[i], "chat.created");
    return SKEIN_OK;
}

static skein_rc put_one(skn_tx *tx, skn_intake *im, skein_error *err)
{
    skn_archive_facts again;
    skein_rc          rc;

    im->tx = tx;
    if ((rc = check_clash(tx, im, err)))
        return rc;
    for (size_t i = 0; !rc && i < SKN_AR_TABLES; i++)
        rc = skn_archive_reserve(tx, (skn_archive_table)i, im->facts.counts[i], &im->base[i],
                                 err);
    if (rc)
        return rc;
    if ((rc = skn_archive_scan(im->lines, put_row, im, &again, err)))
        return rc;
    if (memcmp(again.hash, im->facts.hash, sizeof again.hash) != 0)
        return fail_changed(im, err);
    im->report->world_id.v = im->base[SKN_AR_WORLDS] + 1;
    return tell_import(tx, im, err);
}

typedef struct batch {
    skn_intake *const *at;
    size_t             count;
} batch;

static skein_rc put_all(skn_tx *tx, void *arg, skein_error *err)
{
    const batch *b = arg;
    skein_rc     rc = skn_archive_lock(tx, err);

    for (size_t i = 0; !rc && i < b->count; i++)
        rc = put_one(tx, b->at[i], err);
    return rc;
}

skein_rc skn_intake_put_all(skn_intake *const *list, size_t count, skn_store *st,
                            skein_error *err)
{
    skn_arena *a = skn_arena_new();
    batch      b = {list, count};
    skein_rc   rc;

    for (size_t i = 0; i < count; i++)
        list[i]->a = a;
    rc = skn_store_write(st, put_all, &b, err);
    skn_arena_free(a);
    return rc;
}

skein_rc skn_intake_put(skn_intake *im, skn_store *st, skein_error *err)
{
    return skn_intake_put_all(&im, 1, st, err);
}
