/* world_db_kit.h: databases as agent-world leaves them, schema by schema. */
#ifndef SKN_TESTS_WORLD_DB_KIT_H
#define SKN_TESTS_WORLD_DB_KIT_H

#include "exchange_kit.h"

#include <sqlite3.h>

static inline void run_sql(sqlite3 *db, const char *sql)
{
    char *why = NULL;

    if (sqlite3_exec(db, sql, NULL, NULL, &why))
        fail_msg("%s: %s", why, sql);
}

/* The tables of a schema, with what the versions before it lack left out. */
static inline void make_tables(sqlite3 *db, int schema)
{
    char sql[1000];

    run_sql(db,
            "CREATE TABLE worlds(id TEXT PRIMARY KEY, name TEXT NOT NULL, description TEXT, "
            "turn_limit INTEGER NOT NULL DEFAULT 5, chat_llm_provider TEXT, chat_llm_model "
            "TEXT, current_chat_id TEXT, mcp_config TEXT, created_at TIMESTAMP DEFAULT "
            "CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)");
    run_sql(db, "CREATE TABLE agents(id TEXT NOT NULL, world_id TEXT NOT NULL, name TEXT NOT "
                "NULL, type TEXT NOT NULL DEFAULT 'default', status TEXT DEFAULT 'inactive', "
                "provider TEXT NOT NULL, model TEXT NOT NULL, system_prompt TEXT, temperature "
                "REAL, max_tokens INTEGER, llm_call_count INTEGER DEFAULT 0, created_at "
                "TIMESTAMP DEFAULT CURRENT_TIMESTAMP, last_active TIMESTAMP, last_llm_call "
                "TIMESTAMP, PRIMARY KEY(id, world_id), FOREIGN KEY(world_id) REFERENCES "
                "worlds(id) ON DELETE CASCADE)");
    snprintf(
        sql, sizeof sql,
        "CREATE TABLE agent_memory(id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT NOT "
        "NULL, world_id TEXT NOT NULL, %s%srole TEXT NOT NULL CHECK(role IN('system', "
        "'user', 'assistant')), content TEXT NOT NULL, sender TEXT, chat_id TEXT, created_at "
        "TIMESTAMP DEFAULT CURRENT_TIMESTAMP, FOREIGN KEY(agent_id, world_id) REFERENCES "
        "agents(id, world_id) ON DELETE CASCADE)",
        schema >= 6 ? "message_id TEXT, " : "",
        schema >= 7 ? "reply_to_message_id TEXT, " : "");
    run_sql(db, sql);
    run_sql(db,
            "CREATE TABLE world_chats(id TEXT PRIMARY KEY, world_id TEXT NOT NULL, name TEXT "
            "NOT NULL, description TEXT, message_count INTEGER DEFAULT 0, tags TEXT, "
            "created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP)");
    run_sql(db,
            "CREATE TABLE chat_snapshots(id INTEGER PRIMARY KEY, chat_id TEXT, world_id TEXT, "
            "snapshot_data TEXT, captured_at TIMESTAMP, version TEXT)");
    run_sql(db,
            "CREATE TABLE memory_archives(id INTEGER PRIMARY KEY AUTOINCREMENT, agent_id TEXT "
            "NOT NULL, world_id TEXT NOT NULL, session_name TEXT, archive_reason TEXT, "
            "message_count INTEGER, start_time TIMESTAMP, end_time TIMESTAMP, participants "
            "TEXT, tags TEXT, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP)");
    run_sql(db,
            "CREATE TABLE archived_messages(id INTEGER PRIMARY KEY AUTOINCREMENT, archive_id "
            "INTEGER NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, sender TEXT, "
            "original_created_at TIMESTAMP, archived_at TIMESTAMP)");
    snprintf(sql, sizeof sql, "PRAGMA user_version=%d", schema);
    run_sql(db, sql);
}

/* What the files of migrations 8 to 18 add to the tables of schema 7, in their order. */
static inline void migrate_tables(sqlite3 *db)
{
    static const char *const fields[] = {"ownerAgentIds",    "recipientAgentId",
                                         "messageDirection", "isMemoryOnly",
                                         "threadRootId",     "hasToolCalls"};
    char                     sql[300];

    run_sql(db, "CREATE TABLE IF NOT EXISTS events\n(\n  id TEXT PRIMARY KEY,\n  world_id TEXT "
                "NOT NULL,\n  chat_id TEXT,\n  seq INTEGER,\n  type TEXT NOT NULL,\n  payload "
                "TEXT NOT NULL,\n  meta TEXT,\n  created_at TIMESTAMP DEFAULT "
                "CURRENT_TIMESTAMP,\n  FOREIGN KEY\n(world_id) REFERENCES worlds\n(id) "
                "ON\nDELETE CASCADE\n);"
                "CREATE INDEX idx_events_world_chat_seq ON events(world_id, chat_id, seq)");
    run_sql(db, "ALTER TABLE agent_memory ADD COLUMN tool_calls TEXT;"
                "ALTER TABLE agent_memory ADD COLUMN tool_call_id TEXT");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        snprintf(sql, sizeof sql,
                 "CREATE INDEX\nIF NOT EXISTS idx_events_%zu\n  ON events\n(json_extract\n"
                 "(meta, '$.%s'))",
                 i, fields[i]);
        run_sql(db, sql);
    }
    run_sql(db, "CREATE INDEX idx_events_world_chat_owner ON events(world_id, chat_id, "
                "json_extract(meta, '$.ownerAgentIds'))");
    run_sql(db, "ALTER TABLE worlds ADD COLUMN variables TEXT;"
                "ALTER TABLE worlds ADD COLUMN main_agent TEXT;"
                "ALTER TABLE agents ADD COLUMN auto_reply INTEGER NOT NULL DEFAULT 1;"
                "CREATE TABLE message_queue(id INTEGER PRIMARY KEY, world_id TEXT, chat_id "
                "TEXT, message_id TEXT UNIQUE, content TEXT, sender TEXT DEFAULT 'human', "
                "status TEXT, retry_count INTEGER, created_at TEXT, updated_at TEXT);"
                "ALTER TABLE worlds ADD COLUMN heartbeat_enabled INTEGER DEFAULT 0;"
                "ALTER TABLE worlds ADD COLUMN heartbeat_interval TEXT;"
                "ALTER TABLE worlds ADD COLUMN heartbeat_prompt TEXT;"
                "ALTER TABLE world_chats ADD COLUMN title_provenance TEXT NOT NULL DEFAULT "
                "'default';"
                "ALTER TABLE agent_memory ADD COLUMN message_metadata TEXT;"
                "PRAGMA user_version=18");
}

/* A new database of schema 5, 6, 7 or 18 with no worlds; the caller closes it. */
static inline sqlite3 *new_world_db(place *p, const char *name, int schema, const char **path)
{
    static char where[300];
    sqlite3    *db;

    *path = skn_fixture_file(p->fx, name, where);
    assert_int_equal(sqlite3_open(*path, &db), SQLITE_OK);
    make_tables(db, schema < 18 ? schema : 7);
    if (schema == 18)
        migrate_tables(db);
    return db;
}

/* The world "The Lab" with Fern and Moss, who talk with a person in one chat: what everybody hears,
 * what one says to the other, and what only one of them heard. */
static inline const char *make_lab(place *p, const char *name, int schema)
{
    static const struct {
        const char *agent, *role, *sender, *text, *time, *id, *reply;
    } rows[] = {
        {"fern", "user", "human", "which crop?", "05.000Z", "'m1'", "NULL"},
        {"fern", "assistant", "fern", "@moss beans?", "06.000Z", "'m2'", "'m1'"},
        {"fern", "user", "moss", "agreed", "07.250Z", "'m3'", "NULL"},
        {"fern", "user", "human", "thanks", "09.000Z", "'m4'", "NULL"},
        {"moss", "user", "human", "which crop?", "05.000Z", "'m1'", "NULL"},
        {"moss", "user", "fern", "@moss beans?", "06.040Z", "'m2'", "NULL"},
        {"moss", "assistant", "moss", "agreed", "07.000Z", "'m3'", "'m2'"},
    };
    const char *path;
    sqlite3    *db = new_world_db(p, name, schema, &path);
    char        sql[600];

    run_sql(db,
            "INSERT INTO worlds(id, name, description, turn_limit, current_chat_id, created_at)"
            " VALUES('lab', 'The Lab', 'soil', 5, 'chat-2', '2026-01-02 03:00:00')");
    run_sql(
        db,
        "INSERT INTO agents(id, world_id, name, provider, model, system_prompt, temperature,"
        " max_tokens) VALUES('fern', 'lab', 'Fern', 'openai', 'gpt-4', 'Grow.', 0.5, 800),"
        "('moss', 'lab', 'Moss', 'ollama', 'llama', NULL, NULL, NULL)");
    run_sql(db, "INSERT INTO world_chats(id, world_id, name, created_at) VALUES"
                "('chat-1', 'lab', 'Older', '2026-01-01 00:00:00'),"
                "('chat-2', 'lab', 'Soil plan', '2026-01-02 03:00:00')");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO agent_memory(agent_id, world_id, role, sender, content, chat_id, "
                 "created_at%s%s) VALUES('%s', 'lab', '%s', '%s', '%s', 'chat-2', "
                 "'2026-01-02T03:04:%s'%s%s%s%s)",
                 schema >= 6 ? ", message_id" : "", schema >= 7 ? ", reply_to_message_id" : "",
                 rows[i].agent, rows[i].role, rows[i].sender, rows[i].text, rows[i].time,
                 schema >= 6 ? ", " : "", schema >= 6 ? rows[i].id : "",
                 schema >= 7 ? ", " : "", schema >= 7 ? rows[i].reply : "");
        run_sql(db, sql);
    }
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

/* Runs more SQL on a database that is there. */
static inline void change_db(const char *path, const char *sql)
{
    sqlite3 *db;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

#endif
