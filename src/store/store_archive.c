/* store_archive.c: rows as cells, out of the store and into it. */
#include "base/clock.h"
#include "base/json.h"
#include "store/stmt.h"
#include "store/store.h"

#define CHUNK 1000 /* rows of one statement; as in the LIMIT of its text */

/* Which parameters stand before "after" in a table's statement. */
typedef enum span {
    OF_WORLD,
    OF_SCOPE,  /* world and conversation */
    OF_PARENT, /* the row above it */
    OF_STORE   /* none: the caller picks */
} span;

static const struct {
    enum skn_query rows, insert, reserve; /* no reserve: rows without ids */
    span           of;
} statements[SKN_AR_TABLES] = {
#define NUMBERED(t, name, of)                                                                  \
    [SKN_AR_##                                                                                 \
        t] = {SKN_Q_archive_##name, SKN_Q_archive_put_##name, SKN_Q_archive_ids_##name, of}
#define HANGING(t, name)                                                                       \
    [SKN_AR_##t] = {SKN_Q_archive_##name, SKN_Q_archive_put_##name, 0, OF_PARENT}
    NUMBERED(WORLDS, worlds, OF_WORLD),
    NUMBERED(AGENTS, agents, OF_WORLD),
    NUMBERED(TAGS, tags, OF_WORLD),
    NUMBERED(CONVERSATIONS, conversations, OF_SCOPE),
    HANGING(ACTIVE_TAGS, active_tags),
    NUMBERED(FILES, files, OF_SCOPE),
    NUMBERED(VERSIONS, versions, OF_SCOPE),
    NUMBERED(LANES, lanes, OF_SCOPE),
    NUMBERED(MESSAGES, messages, OF_SCOPE),
    NUMBERED(THREADS, threads, OF_STORE),
    HANGING(ITEMS, items),
    NUMBERED(NODES, nodes, OF_SCOPE),
    NUMBERED(COMPACTIONS, compactions, OF_STORE),
    NUMBERED(SQUASHES, squashes, OF_SCOPE),
    HANGING(SOURCES, sources),
    NUMBERED(OPS, ops, OF_SCOPE),
    NUMBERED(COPIES, copies, OF_STORE),
};

static bool is_text(skn_archive_kind kind)
{
    switch (kind) {
    case SKN_CELL_TEXT:
    case SKN_CELL_JSON:
    case SKN_CELL_UID:
    case SKN_CELL_NAME:
    case SKN_CELL_WORD:
        return true;
    case SKN_CELL_INT:
    case SKN_CELL_REF:
    case SKN_CELL_AHEAD:
    case SKN_CELL_KEY:
    case SKN_CELL_SPANS:
        break;
    }
    return false;
}

/* Column 0 is the id; the cells follow. */
static void read_cells(const skn_stmt *s, const skn_archive_shape *shape, skn_cell *cells)
{
    for (size_t i = 0; i < shape->count; i++) {
        int              column = (int)i + 1;
        skn_archive_kind kind = shape->columns[i].kind;

        cells[i] = (skn_cell){.null = skn_stmt_null(s, column)};
        if (cells[i].null)
            continue;
        if (kind == SKN_CELL_SPANS)
            cells[i].text = skn_stmt_blob(s, column);
        else if (is_text(kind))
            cells[i].text = skn_stmt_text(s, column);
        else
            cells[i].number = skn_stmt_int(s, column);
    }
}

static skn_stmt chunk_statement(skn_tx *tx, enum skn_query query, span of,
                                const skn_archive_scope *scope, int64_t after)
{
    skn_stmt s = skn_stmt_use(tx->db, query);

    if (of == OF_WORLD || of == OF_SCOPE)
        skn_stmt_bind(&s, skn_bind_int(scope->world));
    if (of == OF_SCOPE)
        skn_stmt_bind(&s, skn_bind_int(scope->conversation));
    if (of == OF_PARENT)
        skn_stmt_bind(&s, skn_bind_int(scope->parent));
    skn_stmt_bind(&s, skn_bind_int(after));
    return s;
}

/* Chunk by chunk, each behind the last id of the one before; shape is NULL when only ids
 * come. */
static skein_rc read_chunks(skn_tx *tx, enum skn_query query, span of,
                            const skn_archive_shape *shape, const skn_archive_scope *scope,
                            skn_archive_sink *sink, void *arg, skein_error *err)
{
    skn_cell cells[SKN_ARCHIVE_COLUMNS];
    int64_t  after = INT64_MIN;
    int      rows;
    bool     row;
    skein_rc rc;

    do {
        skn_stmt s = chunk_statement(tx, query, of, scope, after);

        for (rows = 0; !(rc = skn_stmt_step(&s, &row, err)) && row; rows++) {
            after = skn_stmt_int(&s, 0);
            if (shape)
                read_cells(&s, shape, cells);
            if ((rc = sink(arg, after, shape ? cells : NULL, err)))
                break;
        }
        skn_stmt_done(&s);
    } while (!rc && rows == CHUNK);
    return rc;
}

skein_rc skn_archive_read(skn_tx *tx, skn_archive_table table, const skn_archive_scope *scope,
                          skn_archive_sink *sink, void *arg, skein_error *err)
{
    return read_chunks(tx, statements[table].rows, statements[table].of,
                       &skn_archive_tables[table], scope, sink, arg, err);
}

skein_rc skn_archive_read_ids(skn_tx *tx, skn_archive_table table,
                              const skn_archive_scope *scope, skn_archive_sink *sink, void *arg,
                              skein_error *err)
{
    if (table != SKN_AR_MESSAGES)
        return skn_archive_read(tx, table, scope, sink, arg, err);
    return read_chunks(tx, SKN_Q_archive_message_ids, OF_SCOPE, NULL, scope, sink, arg, err);
}

skein_rc skn_archive_reserve(skn_tx *tx, skn_archive_table table, int64_t count, int64_t *base,
                             skein_error *err)
{
    *base = 0;
    if (count == 0 || !skn_archive_tables[table].numbered)
        return SKEIN_OK;
    return skn_get_number(tx, statements[table].reserve, SKN_WITH(skn_bind_int(count)), base,
                          err);
}

static void bind_cell(skn_stmt *s, skn_archive_kind kind, const skn_cell *cell)
{
    if (cell->null)
        skn_stmt_bind(s, skn_bind_text(SKN_NONE));
    else if (kind == SKN_CELL_SPANS)
        skn_stmt_bind(s, skn_bind_blob(cell->text));
    else if (is_text(kind))
        skn_stmt_bind(s, skn_bind_text(cell->text));
    else
        skn_stmt_bind(s, skn_bind_int(cell->number));
}

/* Columns of a message. */
enum {
    CONVERSATION = 1,
    CONTENT = 6,
    THINKING = 7,
    CALLS = 8,
    TOOL_CALL_ID = 9,
    INSTRUCTIONS = 11,
    PURGED_AT = 22
};

/* Not in the archive, whose own hash is over all of it. */
static int64_t hash_of(const skn_cell *cells)
{
    skn_said said = {cells[CONTENT].text, cells[THINKING].text, cells[CALLS].text,
                     cells[INSTRUCTIONS].text};

    return cells[PURGED_AT].null ? skn_message_hash(&said) : SKN_HASH_ERASED;
}

static skein_rc insert_half(skn_tx *tx, int64_t message, const skn_cell *cells, skn_str call_id,
                            bool is_result, skein_error *err)
{
    return skn_run(tx, SKN_Q_message_calls_insert,
                   SKN_WITH(skn_bind_int(cells[CONVERSATION].number), skn_bind_text(call_id),
                            skn_bind_int(message), skn_bind_int(is_result)),
                   err);
}

/* The way from a call to its result is not in the archive: it follows from the messages. */
static skein_rc insert_halves(skn_tx *tx, int64_t message, const skn_cell *cells,
                              skein_error *err)
{
    skn_arena      *a;
    const skn_json *v = NULL;
    skein_rc        rc = SKEIN_OK;

    if (!cells[TOOL_CALL_ID].null)
        rc = insert_half(tx, message, cells, cells[TOOL_CALL_ID].text, true, err);
    if (rc || cells[CALLS].null)
        return rc;
    a = skn_arena_new();
    rc = skn_json_parse(&v, cells[CALLS].text, "calls", a, err);
    for (v = rc || v->kind != SKN_JSON_ARRAY ? NULL : v->first; !rc && v; v = v->next) {
        const skn_json *id = skn_json_get(v, "id");

        if (id && id->kind == SKN_JSON_STRING)
            rc = insert_half(tx, message, cells, id->text, false, err);
    }
    skn_arena_free(a);
    return rc;
}

skein_rc skn_archive_insert(skn_tx *tx, skn_archive_table table, int64_t id,
                            const skn_cell *cells, bool *taken, skein_error *err)
{
    const skn_archive_shape *shape = &skn_archive_tables[table];
    skn_stmt                 s = skn_stmt_use(tx->db, statements[table].insert);
    skein_rc                 rc;

    if (shape->numbered)
        skn_stmt_bind(&s, skn_bind_int(id));
    for (size_t i = 0; i < shape->count; i++)
        bind_cell(&s, shape->columns[i].kind, &cells[i]);
    if (table == SKN_AR_MESSAGES)
        skn_stmt_bind(&s, skn_bind_int(hash_of(cells)));
    rc = skn_stmt_run(&s, err);
    *taken = rc && skn_db_was_duplicate(tx->db);
    if (rc || table != SKN_AR_MESSAGES)
        return rc;
    return insert_halves(tx, id, cells, err);
}

/* The tables of an archive. The order is that of the file: what a row refers to stands before
 * it, save where AHEAD says otherwise. */

#define INT(name, min, max) {name, SKN_CELL_INT, false, 0, min, max, NULL},
#define TIME(name)          {name, SKN_CELL_INT, false, 0, 0, SKN_TIME_LAST, NULL},
#define MAYBE_TIME(name)    {name, SKN_CELL_INT, true, 0, 0, SKN_TIME_LAST, NULL},
#define FLAG(name)          {name, SKN_CELL_INT, false, 0, 0, 1, NULL},
/* A number that older archives do not know: left out where it is 0. */
#define MAYBE_INT(name, max) {name, SKN_CELL_INT, true, 0, 1, max, NULL},
/* A number, or -1 where it was not measured. */
#define MAYBE_COUNT(name)     {name, SKN_CELL_INT, true, 0, -1, INT64_MAX, NULL},
#define MAYBE_FLAG(name)      {name, SKN_CELL_INT, true, 0, 0, 1, NULL},
#define TEXT(name)            {name, SKN_CELL_TEXT, false, 0, 0, 0, NULL},
#define MAYBE_TEXT(name)      {name, SKN_CELL_TEXT, true, 0, 0, 0, NULL},
#define MAYBE_JSON(name)      {name, SKN_CELL_JSON, true, 0, 0, 0, NULL},
#define UID(name)             {name, SKN_CELL_UID, false, 0, 0, 0, NULL},
#define MAYBE_UID(name)       {name, SKN_CELL_UID, true, 0, 0, 0, NULL},
#define NAME(name)            {name, SKN_CELL_NAME, false, 0, 0, 0, NULL},
#define WORD(name, words)     {name, SKN_CELL_WORD, false, 0, 0, 0, words},
#define REF(name, to)         {name, SKN_CELL_REF, false, SKN_AR_##to, 0, 0, NULL},
#define MAYBE_REF(name, to)   {name, SKN_CELL_REF, true, SKN_AR_##to, 0, 0, NULL},
#define MAYBE_AHEAD(name, to) {name, SKN_CELL_AHEAD, true, SKN_AR_##to, 0, 0, NULL},
#define KEY(name)             {name, SKN_CELL_KEY, false, SKN_AR_MESSAGES, 0, 0, NULL},
#define MAYBE_KEY(name)       {name, SKN_CELL_KEY, true, SKN_AR_MESSAGES, 0, 0, NULL},
#define SPANS(name)           {name, SKN_CELL_SPANS, false, 0, 0, 0, NULL},

/* clang-format off */
const skn_archive_shape skn_archive_tables[SKN_AR_TABLES] = {
    [SKN_AR_WORLDS] = {"worlds", true, 8, {
        UID("uid") NAME("name") MAYBE_TEXT("description") INT("turn_limit", 0, INT64_MAX)
        INT("compact_at", 0, INT64_MAX) MAYBE_AHEAD("current_conversation_id", CONVERSATIONS)
        TIME("created_at") MAYBE_TIME("removed_at")}},
    [SKN_AR_AGENTS] = {"agents", true, 9, {
        UID("uid") REF("world_id", WORLDS) MAYBE_REF("lead_id", AGENTS) NAME("name")
        MAYBE_TEXT("system_prompt") MAYBE_TEXT("model") MAYBE_JSON("settings")
        TIME("created_at") MAYBE_TIME("removed_at")}},
    [SKN_AR_TAGS] = {"tag_definitions", true, 7, {
        REF("world_id", WORLDS) TEXT("name") TEXT("control") TEXT("instruction")
        MAYBE_TEXT("target") FLAG("include_in_message") TIME("created_at")}},
    [SKN_AR_CONVERSATIONS] = {"conversations", true, 11, {
        UID("uid") REF("world_id", WORLDS) MAYBE_REF("agent_id", AGENTS)
        WORD("mode", "|chat|foreground|background|") MAYBE_TEXT("title")
        MAYBE_AHEAD("version_id", VERSIONS) MAYBE_REF("branched_from_id", CONVERSATIONS)
        TIME("created_at") MAYBE_TIME("removed_at") MAYBE_REF("expects_agent_id", AGENTS)
        MAYBE_FLAG("read_only")}},
    [SKN_AR_ACTIVE_TAGS] = {"active_tags", false, 2, {
        REF("conversation_id", CONVERSATIONS) REF("tag_id", TAGS)}},
    [SKN_AR_FILES] = {"context_files", true, 4, {
        REF("conversation_id", CONVERSATIONS) TEXT("path") MAYBE_JSON("items")
        TIME("created_at")}},
    [SKN_AR_VERSIONS] = {"versions", true, 8, {
        REF("conversation_id", CONVERSATIONS) INT("number", 1, INT64_MAX)
        MAYBE_REF("origin_id", VERSIONS) INT("origin_length", 0, INT64_MAX) TEXT("kind")
        TEXT("actor") MAYBE_TEXT("note") TIME("created_at")}},
    [SKN_AR_LANES] = {"lanes", true, 11, {
        REF("conversation_id", CONVERSATIONS) TEXT("key") MAYBE_REF("agent_id", AGENTS)
        MAYBE_REF("parent_id", LANES) INT("ordinal", 0, INT64_MAX)
        MAYBE_AHEAD("spawn_message_id", MESSAGES) MAYBE_TEXT("spawn_call_id")
        INT("children", 0, INT64_MAX)
        WORD("state", "|running|done|failed|cancelled|interrupted|")
        MAYBE_REF("branched_from_id", LANES) TIME("created_at")}},
    [SKN_AR_MESSAGES] = {"messages", true, 27, {
        UID("uid") REF("conversation_id", CONVERSATIONS)
        WORD("role", "|user|assistant|tool|summary|system|")
        WORD("author", "|human|agent|tool|system|") MAYBE_REF("agent_id", AGENTS)
        TEXT("sender") TEXT("content") MAYBE_TEXT("thinking") MAYBE_JSON("calls")
        MAYBE_TEXT("tool_call_id") FLAG("tool_failed") MAYBE_JSON("instructions")
        MAYBE_TEXT("reply_to_uid") MAYBE_REF("reply_to_id", MESSAGES)
        INT("reply_depth", 0, 99) MAYBE_REF("lineage_id", MESSAGES)
        MAYBE_REF("version_of_id", MESSAGES) MAYBE_UID("squash_uid") MAYBE_TEXT("model")
        MAYBE_TEXT("turn") MAYBE_TEXT("warning") TIME("created_at")
        MAYBE_TIME("purged_at") MAYBE_INT("stopped", 3) MAYBE_COUNT("tokens_in")
        MAYBE_COUNT("tokens_out") MAYBE_FLAG("tokens_estimated")}},
    [SKN_AR_THREADS] = {"threads", true, 8, {
        UID("uid") REF("lane_id", LANES) REF("version_id", VERSIONS)
        MAYBE_REF("origin_id", THREADS) INT("origin_length", 0, INT64_MAX)
        MAYBE_AHEAD("root_id", NODES) INT("base_length", 0, INT64_MAX)
        MAYBE_AHEAD("compaction_id", COMPACTIONS)}},
    [SKN_AR_ITEMS] = {"items", false, 4, {
        REF("thread_id", THREADS) INT("seq", -INT64_MAX, INT64_MAX)
        REF("message_id", MESSAGES) MAYBE_KEY("okey")}},
    [SKN_AR_NODES] = {"nodes", true, 3, {
        REF("conversation_id", CONVERSATIONS) INT("level", 0, 63) SPANS("entries")}},
    [SKN_AR_COMPACTIONS] = {"compactions", true, 8, {
        REF("thread_id", THREADS) INT("covers", 1, INT64_MAX)
        REF("last_message_id", MESSAGES) REF("summary_message_id", MESSAGES)
        MAYBE_REF("previous_id", COMPACTIONS) TEXT("reason") MAYBE_TEXT("model")
        TIME("created_at")}},
    [SKN_AR_SQUASHES] = {"squashes", true, 8, {
        UID("uid") REF("conversation_id", CONVERSATIONS) REF("version_id", VERSIONS)
        REF("result_message_id", MESSAGES) MAYBE_TEXT("prompt") MAYBE_TEXT("model")
        FLAG("by_agent") TIME("created_at")}},
    [SKN_AR_SOURCES] = {"squash_sources", false, 3, {
        REF("squash_id", SQUASHES) INT("idx", 0, INT64_MAX) REF("message_id", MESSAGES)}},
    [SKN_AR_OPS] = {"ops", true, 9, {
        REF("conversation_id", CONVERSATIONS) TEXT("kind") REF("from_version_id", VERSIONS)
        REF("to_version_id", VERSIONS) KEY("newest_message_id") MAYBE_REF("undoes_id", OPS)
        MAYBE_AHEAD("undone_by_id", OPS) TEXT("actor") TIME("at")}},
    [SKN_AR_COPIES] = {"copies", true, 2, {
        REF("message_id", MESSAGES) REF("source_id", MESSAGES)}},
};
/* clang-format on */
