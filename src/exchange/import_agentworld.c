/* import_agentworld.c: a SQLite database of agent-world. Its schemas 5, 6 and 7 differ in columns:
 * 6 has ids of messages, 7 has reply links, later ones have tool calls. So columns are taken where
 * they are there, and what has no place here is counted and said. */
#include "base/utf8.h"
#include "exchange/import.h"

#define NEWEST 18 /* of the schemas that are known */

/* --- The tables of the file ----------------------------------------------------------------------- */

/* They are read whole, with the columns that are there. The file may be damaged or made to harm, and a query that looks
 * for something can be kept looking forever: so rows are taken in their order and sorted out here. */
typedef struct tables {
    skn_foreign_file *file;
    skn_foreign_db   *db;
    skn_map          *names;  /* of those that are there; views are none */
    bool              mended; /* a text was no UTF-8, and that was said */
} tables;

/* What is not UTF-8 becomes U+FFFD, and that is said once. */
static skn_str mend(tables *t, skn_str text)
{
    skn_buf buf;
    size_t  bad;

    skn_buf_init(&buf, SKN_IMPORT_FILE);
    while (!skn_utf8_valid(text, &bad)) {
        skn_buf_add(&buf, skn_str_sub(text, 0, bad));
        skn_buf_add(&buf, SKN_STR("\xef\xbf\xbd"));
        text = skn_str_sub(text, bad + 1, text.n);
    }
    skn_buf_add(&buf, text);
    if (!t->mended)
        skn_foreign_note(t->file, "some bytes are no text and became U+FFFD");
    t->mended = true;
    return skn_buf_keep(&buf, t->file->a);
}

static skn_str cell_text(tables *t, const skn_foreign_cell *cell)
{
    size_t bad;

    if (!cell->text.p || skn_utf8_valid(cell->text, &bad))
        return skn_arena_copy(t->file->a, cell->text);
    return mend(t, cell->text);
}

static int64_t cell_number(const skn_foreign_cell *cell)
{
    int64_t n;

    return cell->text.p && skn_str_int(cell->text, &n) ? n : 0;
}

static skein_rc note_table(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    skn_map *names = arg;

    (void)err;
    if (cells[0].text.p)
        *skn_map_slot(names, cells[0].text) = names;
    return SKEIN_OK;
}

static skein_rc note_column(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    return note_table(arg, &cells[1], err);
}

static skein_rc find_tables(tables *t, skn_foreign_file *file, skn_foreign_db *db,
                            skein_error *err)
{
    *t = (tables){.file = file, .db = db, .names = skn_map_new(file->a)};
    return skn_foreign_db_query(db,
                                "SELECT name FROM sqlite_master WHERE type = 'table' AND "
                                "sql LIKE 'CREATE TABLE%'",
                                note_table, t->names, err);
}

static bool has_table(const tables *t, const char *name)
{
    return skn_map_get(t->names, skn_str_of(name)) != NULL;
}

/* Names are ours, so the text is safe to put together. */
static skein_rc find_columns(tables *t, const char *name, skn_map *there, skein_error *err)
{
    skn_str sql = skn_arena_printf(t->file->a, "PRAGMA table_info(%s)", name);

    return skn_foreign_db_query(t->db, sql.p, note_column, there, err);
}

static skein_rc has_column(tables *t, const char *name, const char *column, bool *out,
                           skein_error *err)
{
    skn_map *there = skn_map_new(t->file->a);
    skein_rc rc = find_columns(t, name, there, err);

    *out = skn_map_get(there, skn_str_of(column)) != NULL;
    return rc;
}

static skein_rc note_count(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    (void)err;
    *(int64_t *)arg = cell_number(&cells[0]);
    return SKEIN_OK;
}

/* How many rows it has, up to a million. */
static skein_rc count_rows(tables *t, const char *name, int64_t *out, skein_error *err)
{
    *out = 0;
    if (!has_table(t, name))
        return SKEIN_OK;
    return skn_foreign_db_query(
        t->db,
        skn_arena_text(t->file->a, "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT 1000000)",
                       name),
        note_count, out, err);
}

/* --- Tables and columns ------------------------------------------------------------------- */

#define MEMORY   "agent_memory"
#define ARCHIVED "archived_messages"

typedef enum column_kind {
    TEXT,   /* a text, also of a number */
    NUMBER, /* as it is written, checked by its reader */
    TIME,   /* a number or a text */
    FLAG,
    JSON /* in a text */
} column_kind;

/* A column, and the member that it is in agent-world's JSON: a row is read as an object. Ends where `name` is
 * NULL. */
typedef struct column {
    const char *name, *key;
    column_kind kind;
} column;

#define MOST_COLUMNS 16

#define SKN_COLUMN(name, key, kind) {#name, #key, kind},
#define SKN_TABLE(table, columns)                                                              \
    static const column table##_columns[] = {columns{NULL, NULL, TEXT}};
#include "exchange/agentworld.def"
#undef SKN_TABLE
#undef SKN_COLUMN

/* A row kept until all of its memory is known. In a list: an array that grows would leave its smaller
 * selves behind. */
typedef struct kept {
    skn_memory_row row;
    struct kept   *next;
} kept;

typedef struct kept_rows {
    kept *first, *last;
} kept_rows;

typedef struct session {
    skn_foreign *f;
    size_t       agent;
    skn_str      title;
    int64_t      created_at;
    kept_rows    rows;
} session;

typedef struct world {
    skn_foreign    *f;
    const skn_json *config;      /* its row; NULL: there is none */
    skn_vec(kept_rows) memories; /* by agent */
    skn_vec(session *) sessions;
} world;

/* What an agent is called beside its id. */
typedef struct named {
    skn_foreign *f;
    size_t       agent;
    skn_str      name;
} named;

typedef struct reading {
    skn_foreign_file *file;
    tables            tables;
    const char       *path;
    skn_map          *worlds; /* by id */
    skn_vec(world *) all;
    skn_vec(named) names;
    skn_map *archives; /* by id -> session */
    bool     no_links; /* no column for them */

    /* The table at hand. */
    const char   *table;
    const column *columns;
    skein_rc (*each)(struct reading *r, const skn_json *row, skein_error *err);
    skn_json   *row;  /* an object and its members; NULL: the last one was kept */
    const char *what; /* "row 7 of agent_memory" */
} reading;

/* --- Rows as objects ------------------------------------------------------------------------ */

/* False when there is no such member. */
static bool set_member(reading *r, const column *c, const skn_foreign_cell *cell, skn_json *out)
{
    const skn_json *inner;

    *out = (skn_json){.key = skn_str_of(c->key), .kind = SKN_JSON_STRING};
    if (!cell->text.p)
        return false;
    out->text = out->raw = cell_text(&r->tables, cell);
    switch (c->kind) {
    case TEXT:
        break;
    case NUMBER:
        out->kind = SKN_JSON_NUMBER;
        break;
    case TIME:
        out->kind = cell->number ? SKN_JSON_NUMBER : SKN_JSON_STRING;
        break;
    case FLAG:
        out->kind = SKN_JSON_BOOL;
        out->boolean = cell_number(cell) != 0;
        break;
    case JSON:
        if (!out->text.n)
            return false;
        if (skn_json_parse(&inner, out->text, "it", r->file->a, NULL)) {
            skn_foreign_note(r->file, "%s: its tool calls are no JSON and were left out",
                             r->what);
            return false;
        }
        out->kind = inner->kind;
        out->first = inner->first;
        out->count = inner->count;
        break;
    }
    return true;
}

static skein_rc take_row(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading   *r = arg;
    size_t     n = 0, count = 0;
    skn_json **next;

    if (!r->row)
        r->row = SKN_ARRAY(r->file->a, MOST_COLUMNS + 1, skn_json);
    *r->row = (skn_json){.kind = SKN_JSON_OBJECT};
    next = &r->row->first;
    while (r->columns[count].name)
        count++;
    r->what = skn_arena_text(r->file->a, "row %.*s of %s",
                             SKN_FMT(cell_text(&r->tables, &cells[count])), r->table);
    for (size_t i = 0; i < count; i++)
        if (set_member(r, &r->columns[i], &cells[i], &r->row[n + 1])) {
            *next = &r->row[++n];
            next = &(*next)->next;
        }
    r->row->count = (uint32_t)n;
    return r->each(r, r->row, err);
}

/* Hands over all rows by rowid, with the columns that are there. No rows when there is no such table. */
static skein_rc read_table(reading *r, const char *name, const column *columns,
                           skein_rc (*each)(reading *r, const skn_json *row, skein_error *err),
                           skein_error *err)
{
    skn_map *there = skn_map_new(r->file->a);
    skn_buf  sql;
    skein_rc rc;

    if (!has_table(&r->tables, name))
        return SKEIN_OK;
    r->table = name;
    r->columns = columns;
    r->each = each;
    rc = find_columns(&r->tables, name, there, err);
    skn_buf_init(&sql, 4096);
    skn_buf_addf(&sql, "SELECT ");
    for (const column *c = columns; c->name; c++)
        skn_buf_addf(&sql, "%s, ", skn_map_get(there, skn_str_of(c->name)) ? c->name : "NULL");
    skn_buf_addf(&sql, "rowid FROM %s ORDER BY rowid", name);
    if (!rc)
        rc = skn_foreign_db_query(r->tables.db, sql.p, take_row, r, err);
    skn_buf_release(&sql);
    return rc;
}

/* --- Worlds, agents, chats ---------------------------------------------------------------- */

/* A row may name a world that is not in its table; nothing said is lost for that. */
static skein_rc need_world(reading *r, skn_str id, world **out, skein_error *err)
{
    void **slot = skn_map_slot(r->worlds, id.p ? id : SKN_STR(""));
    world *w = *slot;

    if (!w && r->all.n >= SKN_IMPORT_WORLDS)
        return skn_fail(err, SKEIN_LIMIT, "there are more than %zu worlds in \"%s\"",
                        SKN_IMPORT_WORLDS, r->path);
    if (!w) {
        *slot = w = SKN_NEW(r->file->a, world);
        w->f = skn_foreign_new(r->file);
        skn_import_config(w->f, NULL, id);
        skn_vec_add(r->file->a, &r->all, w);
    }
    *out = w;
    return SKEIN_OK;
}

static skein_rc add_world(reading *r, const skn_json *row, skein_error *err)
{
    world   *w;
    skein_rc rc = need_world(r, skn_json_str(row, "id"), &w, err);

    if (rc)
        return rc;
    skn_import_config(w->f, row, SKN_NONE);
    w->config = row;
    r->row = NULL;
    return SKEIN_OK;
}

/* The world and the agent of a row. */
static skein_rc need_agent(reading *r, const skn_json *row, const char *key, world **w,
                           size_t *out, skein_error *err)
{
    kept_rows none = {NULL, NULL};
    skn_str   id = skn_json_str(row, key);
    int64_t   agent;
    skein_rc  rc = need_world(r, skn_json_str(row, "world"), w, err);

    if (rc)
        return rc;
    agent = skn_foreign_agent_of((*w)->f, id.p ? id : SKN_STR(""));
    if (agent < 0)
        return skn_import_too_many(err);
    while ((*w)->memories.n < (*w)->f->agents.n)
        skn_vec_add(r->file->a, &(*w)->memories, none);
    *out = (size_t)agent;
    return SKEIN_OK;
}

static skein_rc add_agent(reading *r, const skn_json *row, skein_error *err)
{
    skn_str  name = skn_json_str(row, "name");
    world   *w;
    size_t   agent;
    skein_rc rc = need_agent(r, row, "id", &w, &agent, err);

    if (rc)
        return rc;
    skn_import_agent(w->f, agent, row, false);
    if (name.n)
        skn_vec_add(r->file->a, &r->names, ((named){w->f, agent, name}));
    return SKEIN_OK;
}

static skein_rc add_chat(reading *r, const skn_json *row, skein_error *err)
{
    world   *w;
    skein_rc rc = need_world(r, skn_json_str(row, "world"), &w, err);

    if (!rc)
        skn_import_chat(w->f, row);
    return rc;
}

/* --- Messages ----------------------------------------------------------------------------- */

static kept *keep_row(reading *r, skn_foreign *f, kept_rows *rows, const skn_json *row)
{
    kept *k = SKN_NEW(r->file->a, kept);

    k->row.what = r->what;
    skn_foreign_row(f, row, r->what, &k->row.m, &k->row.why);
    if (!skn_json_get(row, "role"))
        k->row.why = "its role is unknown";
    if (rows->last)
        rows->last->next = k;
    else
        rows->first = k;
    rows->last = k;
    return k;
}

static skein_rc add_memory(reading *r, const skn_json *row, skein_error *err)
{
    skn_str  chat = skn_json_str(row, "chatId");
    world   *w;
    size_t   agent;
    skein_rc rc = need_agent(r, row, "agent", &w, &agent, err);

    if (rc || !skn_foreign_fits(r->file))
        return rc ? rc : skn_import_starved(err);
    keep_row(r, w->f, &w->memories.p[agent], row)->row.chat_id = chat.n ? chat : SKN_NONE;
    w->f->metadata += skn_json_str(row, "metadata").n > 0;
    return SKEIN_OK;
}

static void put_rows(skn_memories *m, const kept_rows *rows, int64_t chat)
{
    for (kept *k = rows->first; k; k = k->next) {
        k->row.chat = chat;
        skn_memories_add(m, &k->row);
    }
}

/* --- Archived sessions -------------------------------------------------------------------- */

static skn_str key_of(const skn_json *row, const char *key)
{
    skn_str id = skn_json_str(row, key);

    return id.p ? id : SKN_STR("");
}

/* An archived session becomes a chat with its agent alone. */
static skein_rc add_archive(reading *r, const skn_json *row, skein_error *err)
{
    session        *s = SKN_NEW(r->file->a, session);
    skn_str         name = skn_json_str(row, "name");
    const skn_json *at = skn_json_get(row, "createdAt");
    world          *w;
    skein_rc        rc = need_agent(r, row, "agent", &w, &s->agent, err);

    if (rc)
        return rc;
    if (!name.n)
        name = at ? at->text : SKN_STR("no name");
    s->f = w->f;
    s->title = skn_arena_printf(r->file->a, "archived: %.*s, %.*s",
                                SKN_FMT(w->f->agents.p[s->agent].name), SKN_FMT(name));
    s->created_at = skn_foreign_time(at);
    *skn_map_slot(r->archives, key_of(row, "id")) = s;
    skn_vec_add(r->file->a, &w->sessions, s);
    return SKEIN_OK;
}

static skein_rc add_archived(reading *r, const skn_json *row, skein_error *err)
{
    session *s = skn_map_get(r->archives, key_of(row, "archive"));
    kept    *k;

    (void)err;
    if (!s) {
        skn_foreign_note(r->file, "%s was dropped: it belongs to no archive", r->what);
        if (r->all.n)
            r->all.p[0]->f->report.dropped++;
        return SKEIN_OK;
    }
    k = keep_row(r, s->f, &s->rows, row);
    if (!k->row.m.created_at)
        k->row.m.created_at = skn_foreign_time(skn_json_get(row, "timestamp"));
    return SKEIN_OK;
}

static void put_sessions(world *w, skn_memories *m)
{
    for (size_t i = 0; i < w->sessions.n; i++) {
        session *s = w->sessions.p[i];
        size_t   chat = skn_foreign_chat_new(w->f, skn_foreign_title(w->f, s->title));

        if (s->created_at)
            w->f->chats.p[chat].created_at = s->created_at;
        w->f->report.archives++;
        skn_memories_begin(m, s->agent);
        put_rows(m, &s->rows, (int64_t)chat);
    }
}

/* --- The whole ---------------------------------------------------------------------------- */

/* All chats are known before a message makes one: a chat keeps the order of its table. */
static void put_world(reading *r, world *w)
{
    skn_memories m;

    w->f->no_links = r->no_links;
    skn_memories_init(&m, w->f);
    for (size_t i = 0; i < w->memories.n; i++) {
        skn_memories_begin(&m, i);
        put_rows(&m, &w->memories.p[i], -1);
    }
    put_sessions(w, &m);
    skn_import_extras(w->f, w->config, NULL);
    skn_import_current(w->f, skn_json_str(w->config, "currentChatId"));
}

static skein_rc count_lost(reading *r, skein_error *err)
{
    static const char *const lost[][2] = {
        {"chat_snapshots", "chat snapshots are"},
        {"archive_statistics", "rows of archive statistics are"},
        {"events", "events are"},
        {"message_queue", "queued messages are"},
    };
    int64_t  n;
    skein_rc rc = SKEIN_OK;

    for (size_t i = 0; !rc && i < sizeof lost / sizeof *lost; i++) {
        rc = count_rows(&r->tables, lost[i][0], &n, err);
        if (!rc && n)
            skn_foreign_note(r->file, "%lld %s not kept", (long long)n, lost[i][1]);
    }
    return rc;
}

static skein_rc read_tables(reading *r, skein_error *err)
{
    tables  *t = &r->tables;
    bool     linked;
    skein_rc rc;

    if ((rc = read_table(r, "worlds", world_columns, add_world, err)) ||
        (rc = read_table(r, "agents", agent_columns, add_agent, err)))
        return rc;
    /* Ids lead to agents first; a name does where it is nobody's id. */
    for (size_t i = 0; i < r->names.n; i++)
        skn_foreign_alias(r->names.p[i].f, r->names.p[i].agent, r->names.p[i].name);
    if ((rc = read_table(r, "world_chats", chat_columns, add_chat, err)) ||
        (rc = read_table(r, MEMORY, memory_columns, add_memory, err)) ||
        (rc = read_table(r, "memory_archives", session_columns, add_archive, err)) ||
        (rc = read_table(r, ARCHIVED, archived_columns, add_archived, err)) ||
        (rc = has_column(t, MEMORY, "reply_to_message_id", &linked, err)))
        return rc;
    r->no_links = !linked;
    for (size_t i = 0; i < r->all.n; i++)
        put_world(r, r->all.p[i]);
    return count_lost(r, err);
}

static skein_rc fail_ours(const char *path, skein_error *err)
{
    return skn_fail_hint(
        err, SKEIN_DATA,
        "Use it with --db sqlite:PATH; what \"skein export -f skein\" writes from it "
        "can be imported.",
        "\"%s\" is a skein store, not a file to import", path);
}

static skein_rc need_tables(reading *r, skein_error *err)
{
    static const char *const needed[] = {"worlds", "agents", MEMORY};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!has_table(&r->tables, needed[i]))
            return skn_fail_hint(
                err, SKEIN_DATA, "agent-world keeps its worlds in the file database.db.",
                "\"%s\" is a SQLite database, but none of agent-world: it has no table \"%s\"",
                r->path, needed[i]);
    return SKEIN_OK;
}

static skein_rc read_database(reading *r, skn_foreign_db *db, skein_error *err)
{
    long long version = skn_foreign_db_version(db);
    skein_rc  rc;

    if (skn_foreign_db_is_ours(db))
        return fail_ours(r->path, err);
    if ((rc = find_tables(&r->tables, r->file, db, err)) || (rc = need_tables(r, err)))
        return rc;
    r->file->form = skn_arena_printf(r->file->a, "agent-world database, schema %lld", version);
    if (version > NEWEST)
        skn_foreign_note(r->file,
                         "schema %lld is newer than any known here: what is new in it is not "
                         "kept",
                         version);
    return read_tables(r, err);
}

skein_rc skn_import_agentworld(skn_foreign_file *file, const char *path, skein_error *err)
{
    reading         r = {.file = file, .path = path};
    skn_foreign_db *db;
    skein_rc        rc = skn_foreign_db_open(&db, path, err);

    r.worlds = skn_map_new(file->a);
    r.archives = skn_map_new(file->a);
    if (!rc)
        rc = read_database(&r, db, err);
    skn_foreign_db_close(db);
    return rc;
}
