/* import_agentworld.c: a SQLite database of agent-world. Its schemas 5, 6 and 7 differ in columns:
 * 6 has ids of messages, 7 has reply links, later ones have tool calls. So columns are taken where
 * they are there, and what has no place here is counted and said. */
#include "base/utf8.h"
#include "exchange/import.h"

#define NEWEST 18 /* of the schemas that are known */

/* --- The tables of the file ----------------------------------------------------------------------- */

/* They are read whole, with the columns that are there. The file may be damaged or made to harm, and a query that looks
 * for something can be kept looking for ever: so rows are taken in their order and sorted out here. */
typedef struct tables {
    skn_foreign_file *file;
    skn_foreign_db   *db;
    skn_map          *names;  /* of those that are there; views are none */
    bool              mended; /* a text was no UTF-8, and that was said */
} tables;

/* What is no UTF-8 becomes U+FFFD, and that is said once. */
static skn_str mend(tables *t, skn_str text)
{
    skn_buf buf;
    size_t  bad;
    skn_str mended;

    skn_buf_init(&buf, SKN_IMPORT_FILE);
    while (!skn_utf8_valid(text, &bad)) {
        skn_buf_add(&buf, skn_str_sub(text, 0, bad));
        skn_buf_add(&buf, SKN_STR("\xef\xbf\xbd"));
        text = skn_str_sub(text, bad + 1, text.n);
    }
    skn_buf_add(&buf, text);
    mended = skn_arena_copy(t->file->a, skn_buf_str(&buf));
    skn_buf_release(&buf);
    if (!t->mended)
        skn_foreign_note(t->file, "some bytes are no text and became U+FFFD");
    t->mended = true;
    return mended;
}

static skn_str cell_text(tables *t, const skn_foreign_cell *cell)
{
    size_t bad;

    if (!cell->text.p || skn_utf8_valid(cell->text, &bad))
        return skn_arena_copy(t->file->a, cell->text);
    return mend(t, cell->text);
}

static int64_t cell_time(const skn_foreign_cell *cell)
{
    if (!cell->text.p)
        return 0;
    return cell->number ? skn_foreign_time_number(cell->text)
                        : skn_foreign_time_text(cell->text);
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

/* Hands over all rows by rowid: the columns named (a NULL ends them), where those that are not there
 * are NULL, and after them the rowid. No rows when there is no such table. */
static skein_rc read_table(tables *t, const char *name, const char *const *columns,
                           skn_foreign_each *each, void *arg, skein_error *err)
{
    skn_map *there = skn_map_new(t->file->a);
    skn_buf  sql;
    skein_rc rc;

    if (!has_table(t, name))
        return SKEIN_OK;
    rc = find_columns(t, name, there, err);
    skn_buf_init(&sql, 4096);
    skn_buf_addf(&sql, "SELECT ");
    for (size_t i = 0; columns[i]; i++)
        skn_buf_addf(&sql, "%s, ",
                     skn_map_get(there, skn_str_of(columns[i])) ? columns[i] : "NULL");
    skn_buf_addf(&sql, "rowid FROM %s ORDER BY rowid", name);
    if (!rc)
        rc = skn_foreign_db_query(t->db, sql.p, each, arg, err);
    skn_buf_release(&sql);
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
        skn_arena_printf(t->file->a, "SELECT count(*) FROM (SELECT 1 FROM %s LIMIT 1000000)",
                         name)
            .p,
        note_count, out, err);
}

/* --- Tables and columns ------------------------------------------------------------------- */

#define MEMORY   "agent_memory"
#define ARCHIVED "archived_messages"

/* clang-format off */
enum { W_ID, W_NAME, W_DESCRIPTION, W_TURNS, W_CHAT, W_CREATED, W_MCP, W_PROVIDER, W_MODEL,
       W_VARIABLES, W_MAIN, W_BEATS, W_BEAT, W_BEAT_PROMPT };
static const char *const world_columns[] = {
    "id", "name", "description", "turn_limit", "current_chat_id", "created_at", "mcp_config",
    "chat_llm_provider", "chat_llm_model", "variables", "main_agent", "heartbeat_enabled",
    "heartbeat_interval", "heartbeat_prompt", NULL};

/* Not "auto_reply": it tells whether "@sender" is put before an answer, and here nothing is put there. */
enum { A_ID, A_WORLD, A_NAME, A_PROVIDER, A_MODEL, A_PROMPT, A_TEMPERATURE, A_TOKENS, A_CREATED };
static const char *const agent_columns[] = {
    "id", "world_id", "name", "provider", "model", "system_prompt", "temperature", "max_tokens",
    "created_at", NULL};

enum { C_ID, C_WORLD, C_NAME, C_CREATED };
static const char *const chat_columns[] = {"id", "world_id", "name", "created_at", NULL};

enum { M_AGENT, M_WORLD, M_ROLE, M_CONTENT, M_SENDER, M_CHAT, M_CREATED, M_UID, M_REPLY, M_CALLS,
       M_CALL, M_METADATA, M_ROW };
static const char *const memory_columns[] = {
    "agent_id", "world_id", "role", "content", "sender", "chat_id", "created_at", "message_id",
    "reply_to_message_id", "tool_calls", "tool_call_id", "message_metadata", NULL};

enum { S_ID, S_AGENT, S_WORLD, S_NAME, S_CREATED };
static const char *const session_columns[] = {
    "id", "agent_id", "world_id", "session_name", "created_at", NULL};

enum { X_ARCHIVE, X_ROLE, X_CONTENT, X_SENDER, X_CREATED, X_STAMP, X_ROW };
static const char *const archived_columns[] = {
    "archive_id", "role", "content", "sender", "original_created_at", "original_timestamp", NULL};
/* clang-format on */

/* A row kept until all of its memory is known. In a list: an array that grows would leave its smaller
 * selves behind. */
typedef struct kept {
    skn_memory_row row;
    skn_str        number; /* its rowid */
    struct kept   *next;
} kept;

typedef struct kept_rows {
    kept *first, *last;
} kept_rows;

typedef struct session {
    size_t    agent;
    skn_str   title;
    int64_t   created_at;
    kept_rows rows;
} session;

typedef struct world {
    skn_foreign       *f;
    skn_str            current_chat;
    skn_foreign_extras extras;
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
} reading;

static skn_str text_of(reading *r, const skn_foreign_cell *cell)
{
    return cell_text(&r->tables, cell);
}

/* --- Worlds, agents, chats ---------------------------------------------------------------- */

/* A row may name a world that is not in its table; nothing said is lost for that. */
static skein_rc need_world(reading *r, const skn_foreign_cell *id, world **out,
                           skein_error *err)
{
    skn_str key = id->text.p ? id->text : SKN_STR("");
    void  **slot = skn_map_slot(r->worlds, key);
    world  *w = *slot;

    if (!w && r->all.n >= SKN_IMPORT_WORLDS)
        return skn_fail(err, SKEIN_LIMIT, "there are more than %zu worlds in \"%s\"",
                        SKN_IMPORT_WORLDS, r->path);
    if (!w) {
        *slot = w = SKN_NEW(r->file->a, world);
        w->f = skn_foreign_new(r->file);
        skn_foreign_world_is(w->f, text_of(r, id), SKN_NONE, SKN_NONE, 0, 0);
        skn_vec_add(r->file->a, &r->all, w);
    }
    *out = w;
    return SKEIN_OK;
}

static void set_extras(reading *r, world *w, const skn_foreign_cell *cells)
{
    skn_foreign_extras *x = &w->extras;

    x->mcp = text_of(r, &cells[W_MCP]);
    x->title_provider = text_of(r, &cells[W_PROVIDER]);
    x->title_model = text_of(r, &cells[W_MODEL]);
    x->variables = text_of(r, &cells[W_VARIABLES]);
    x->main_agent = text_of(r, &cells[W_MAIN]);
    if (cell_number(&cells[W_BEATS]) || cells[W_BEAT_PROMPT].text.n) {
        x->heartbeat = text_of(r, &cells[W_BEAT]);
        x->heartbeat_prompt = text_of(r, &cells[W_BEAT_PROMPT]);
    }
}

static skein_rc add_world(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading *r = arg;
    world   *w;
    skein_rc rc = need_world(r, &cells[W_ID], &w, err);

    if (rc)
        return rc;
    skn_foreign_world_is(w->f, text_of(r, &cells[W_ID]), text_of(r, &cells[W_NAME]),
                         text_of(r, &cells[W_DESCRIPTION]), cell_number(&cells[W_TURNS]),
                         cell_time(&cells[W_CREATED]));
    w->current_chat = text_of(r, &cells[W_CHAT]);
    set_extras(r, w, cells);
    return SKEIN_OK;
}

static skein_rc need_agent(reading *r, world *w, const skn_foreign_cell *id, size_t *out,
                           skein_error *err)
{
    kept_rows none = {NULL, NULL};
    int64_t   agent = skn_foreign_agent_of(w->f, id->text.p ? text_of(r, id) : SKN_STR(""));

    if (agent < 0)
        return skn_import_too_many(err);
    while (w->memories.n < w->f->agents.n)
        skn_vec_add(r->file->a, &w->memories, none);
    *out = (size_t)agent;
    return SKEIN_OK;
}

static skein_rc add_agent(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading            *r = arg;
    skn_foreign_profile p = {.name = text_of(r, &cells[A_NAME])};
    world              *w;
    size_t              agent;
    skein_rc            rc;

    if ((rc = need_world(r, &cells[A_WORLD], &w, err)) ||
        (rc = need_agent(r, w, &cells[A_ID], &agent, err)))
        return rc;
    p.provider = text_of(r, &cells[A_PROVIDER]);
    p.model = text_of(r, &cells[A_MODEL]);
    p.system_prompt = text_of(r, &cells[A_PROMPT]);
    p.temperature = text_of(r, &cells[A_TEMPERATURE]);
    p.max_tokens = text_of(r, &cells[A_TOKENS]);
    p.created_at = cell_time(&cells[A_CREATED]);
    skn_foreign_describe(w->f, agent, &p);
    if (p.name.n)
        skn_vec_add(r->file->a, &r->names, ((named){w->f, agent, p.name}));
    return SKEIN_OK;
}

static skein_rc add_chat(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading *r = arg;
    world   *w;
    skein_rc rc = need_world(r, &cells[C_WORLD], &w, err);

    if (!rc)
        skn_foreign_chat_is(w->f, text_of(r, &cells[C_ID]), text_of(r, &cells[C_NAME]),
                            cell_time(&cells[C_CREATED]));
    return rc;
}

/* --- Messages ----------------------------------------------------------------------------- */

static kept *keep_row(reading *r, kept_rows *rows, const skn_foreign_cell *number)
{
    kept *k = SKN_NEW(r->file->a, kept);

    k->number = text_of(r, number);
    k->row.chat = -1;
    if (rows->last)
        rows->last->next = k;
    else
        rows->first = k;
    rows->last = k;
    return k;
}

static void set_role(skn_memory_row *row, const skn_foreign_cell *role)
{
    if (!skn_foreign_role(role->text, &row->m.role))
        row->why = "its role is unknown";
}

static void set_calls(reading *r, world *w, kept *k, const skn_foreign_cell *cell)
{
    const skn_json *list;

    if (!cell->text.n)
        return;
    k->row.what = skn_arena_printf(r->file->a, "row %.*s of " MEMORY, SKN_FMT(k->number)).p;
    if (skn_json_parse(&list, text_of(r, cell), "its tool calls", r->file->a, NULL))
        skn_foreign_note(r->file, "%s: its tool calls are no JSON and were left out",
                         k->row.what);
    else
        skn_foreign_calls(w->f, list, k->row.what, &k->row.m);
}

static skein_rc add_memory(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading           *r = arg;
    world             *w;
    kept              *k;
    skein_new_message *m;
    size_t             agent;
    skein_rc           rc;

    if ((rc = need_world(r, &cells[M_WORLD], &w, err)) ||
        (rc = need_agent(r, w, &cells[M_AGENT], &agent, err)))
        return rc;
    k = keep_row(r, &w->memories.p[agent], &cells[M_ROW]);
    m = &k->row.m;
    set_role(&k->row, &cells[M_ROLE]);
    m->uid = text_of(r, &cells[M_UID]);
    m->reply_to = text_of(r, &cells[M_REPLY]);
    m->content = text_of(r, &cells[M_CONTENT]);
    m->sender = text_of(r, &cells[M_SENDER]);
    m->tool_call_id = text_of(r, &cells[M_CALL]);
    m->created_at = cell_time(&cells[M_CREATED]);
    k->row.chat_id = cells[M_CHAT].text.n ? text_of(r, &cells[M_CHAT]) : SKN_NONE;
    set_calls(r, w, k, &cells[M_CALLS]);
    w->f->metadata += cells[M_METADATA].text.n > 0;
    return SKEIN_OK;
}

static void put_rows(reading *r, skn_memories *m, const kept_rows *rows, const char *table,
                     int64_t chat)
{
    for (kept *k = rows->first; k; k = k->next) {
        k->row.chat = chat;
        k->row.what =
            skn_arena_printf(r->file->a, "row %.*s of %s", SKN_FMT(k->number), table).p;
        skn_memories_add(m, &k->row);
    }
}

/* --- Archived sessions -------------------------------------------------------------------- */

static skn_str archive_key(const skn_foreign_cell *id)
{
    return id->text.p ? id->text : SKN_STR("");
}

/* A session that was put away becomes a chat that only its agent was in. */
static skein_rc add_archive(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading *r = arg;
    session *s = SKN_NEW(r->file->a, session);
    skn_str  name = text_of(r, &cells[S_NAME]);
    world   *w;
    skein_rc rc;

    if ((rc = need_world(r, &cells[S_WORLD], &w, err)) ||
        (rc = need_agent(r, w, &cells[S_AGENT], &s->agent, err)))
        return rc;
    if (!name.n)
        name = text_of(r, &cells[S_CREATED]);
    s->title = skn_arena_printf(r->file->a, "archived: %.*s, %.*s",
                                SKN_FMT(w->f->agents.p[s->agent].name),
                                SKN_FMT(name.p ? name : SKN_STR("no name")));
    s->created_at = cell_time(&cells[S_CREATED]);
    *skn_map_slot(r->archives, archive_key(&cells[S_ID])) = s;
    skn_vec_add(r->file->a, &w->sessions, s);
    return SKEIN_OK;
}

static skein_rc add_archived(void *arg, const skn_foreign_cell *cells, skein_error *err)
{
    reading *r = arg;
    session *s = skn_map_get(r->archives, archive_key(&cells[X_ARCHIVE]));
    skn_str  row = text_of(r, &cells[X_ROW]);
    kept    *k;

    (void)err;
    if (!s) {
        skn_foreign_note(r->file,
                         "row %.*s of " ARCHIVED " was dropped: it belongs to no archive",
                         SKN_FMT(row));
        if (r->all.n)
            r->all.p[0]->f->report.dropped++;
        return SKEIN_OK;
    }
    k = keep_row(r, &s->rows, &cells[X_ROW]);
    set_role(&k->row, &cells[X_ROLE]);
    k->row.m.content = text_of(r, &cells[X_CONTENT]);
    k->row.m.sender = text_of(r, &cells[X_SENDER]);
    k->row.m.created_at = cell_time(&cells[X_CREATED]);
    if (!k->row.m.created_at)
        k->row.m.created_at = cell_time(&cells[X_STAMP]);
    return SKEIN_OK;
}

static void put_sessions(reading *r, world *w, skn_memories *m)
{
    for (size_t i = 0; i < w->sessions.n; i++) {
        session *s = w->sessions.p[i];
        size_t   chat = skn_foreign_chat_new(w->f, skn_foreign_title(w->f, s->title));

        if (s->created_at)
            w->f->chats.p[chat].created_at = s->created_at;
        w->f->report.archives++;
        skn_memories_begin(m, s->agent);
        put_rows(r, m, &s->rows, ARCHIVED, (int64_t)chat);
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
        put_rows(r, &m, &w->memories.p[i], MEMORY, -1);
    }
    put_sessions(r, w, &m);
    skn_foreign_extras_settle(w->f, &w->extras);
    skn_import_current(w->f, w->current_chat);
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

    if ((rc = read_table(t, "worlds", world_columns, add_world, r, err)) ||
        (rc = read_table(t, "agents", agent_columns, add_agent, r, err)))
        return rc;
    /* Ids lead to agents first; a name does where it is nobody's id. */
    for (size_t i = 0; i < r->names.n; i++)
        skn_foreign_alias(r->names.p[i].f, r->names.p[i].agent, r->names.p[i].name);
    if ((rc = read_table(t, "world_chats", chat_columns, add_chat, r, err)) ||
        (rc = read_table(t, MEMORY, memory_columns, add_memory, r, err)) ||
        (rc = read_table(t, "memory_archives", session_columns, add_archive, r, err)) ||
        (rc = read_table(t, ARCHIVED, archived_columns, add_archived, r, err)))
        return rc;
    if ((rc = has_column(t, MEMORY, "reply_to_message_id", &linked, err)))
        return rc;
    r->no_links = !linked;
    for (size_t i = 0; i < r->all.n; i++)
        put_world(r, r->all.p[i]);
    return count_lost(r, err);
}

static skein_rc fail_ours(const char *path, skein_error *err)
{
    skein_rc rc = skn_fail(err, SKEIN_DATA, "\"%s\" is a skein store, not a file to import",
                           path);

    return skn_hint(
        err, rc,
        "Use it with --db sqlite:PATH; what \"skein export -f skein\" writes from it "
        "can be imported.");
}

static skein_rc need_tables(reading *r, skein_error *err)
{
    static const char *const needed[] = {"worlds", "agents", MEMORY};
    skein_rc                 rc;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (has_table(&r->tables, needed[i]))
            continue;
        rc = skn_fail(err, SKEIN_DATA,
                      "\"%s\" is a SQLite database, but none of agent-world: it has no table "
                      "\"%s\"",
                      r->path, needed[i]);
        return skn_hint(err, rc, "agent-world keeps its worlds in the file database.db.");
    }
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
