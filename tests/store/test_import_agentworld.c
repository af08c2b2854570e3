/* Databases of agent-world, schemas 5, 6 and 7, into both of our databases. */
#include "world_db_kit.h"

#include <sys/stat.h>
#include <unistd.h>

static skein_conversations chats_of(place *p, skein_world_id world)
{
    skein_conversations chats;

    SKN_OK(skein_conversation_list(p->e, world, p->mem, &chats, &p->err), p->err);
    return chats;
}

/* What a chat, or an agent's memory of it, says. */
static skein_messages said(place *p, skein_conversation_id chat, skein_world_id world,
                           const char *agent)
{
    skein_slice    what = {.conversation = chat};
    skein_messages m;
    skein_agent    a;
    skein_at       at;

    if (agent) {
        SKN_OK(skein_agent_find(p->e, world, T(agent), p->mem, &a, &p->err), p->err);
        what.agent = a.id;
    }
    SKN_OK(skein_read(p->e, &what, p->mem, &m, &at, &p->err), p->err);
    return m;
}

static skein_conversation chat_named(place *p, skein_world_id world, const char *title)
{
    skein_conversations chats = chats_of(p, world);

    for (size_t i = 0; i < chats.count; i++)
        if (chats.at[i].title.p && !strcmp(chats.at[i].title.p, title))
            return chats.at[i];
    fail_msg("there is no chat \"%s\"", title);
    return chats.at[0];
}

static int64_t worlds_in(place *p)
{
    return skn_fixture_number(p->fx, "SELECT count(*) FROM worlds");
}

static void assert_noted(const skn_import_report *r, const char *text)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (strstr(r->notes[i].p, text))
            return;
    fail_msg("no note says \"%s\"; the first of %zu: %s", text, r->note_count,
             r->note_count ? r->notes[0].p : "");
}

/* --- The three schemas -------------------------------------------------------------------- */

/* Four messages, each once, in the order they were said, and who heard them. */
static skein_messages assert_lab(place *p, const skn_import_report *r)
{
    static const char *const texts[] = {"which crop?", "@moss beans?", "agreed", "thanks"};
    static const char *const senders[] = {"human", "fern", "moss", "human"};
    skein_conversation       chat = chat_named(p, r->world_id, "Soil plan");
    skein_messages           m = said(p, chat.id, r->world_id, NULL), fern, moss;

    assert_int_equal(r->agents, 2);
    assert_int_equal(r->conversations, 2);
    assert_int_equal(r->messages, 4);
    assert_int_equal(r->copies, 3);
    assert_int_equal(r->dropped, 0);
    assert_int_equal(m.count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(m.at[i].content.p, texts[i]);
        assert_string_equal(m.at[i].sender.p, senders[i]);
    }
    fern = said(p, chat.id, r->world_id, "fern");
    moss = said(p, chat.id, r->world_id, "moss");
    assert_int_equal(fern.count, 4);
    assert_int_equal(moss.count, 3);
    assert_int_equal(moss.at[1].id.v, m.at[1].id.v);
    assert_int_equal(fern.at[1].role, SKEIN_ASSISTANT);
    assert_int_equal(moss.at[1].role, SKEIN_USER);
    assert_sound(p);
    return m;
}

static void schema_7_keeps_ids_and_reply_links(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, make_lab(&p, "database.db", 7), NULL, false, &r), p.err);
    assert_string_equal(r.form.p, "agent-world database, schema 7");
    m = assert_lab(&p, &r);
    assert_int_equal(r.ids_kept, 4);
    assert_int_equal(r.ids_made, 0);
    assert_int_equal(r.links_kept, 2);
    assert_int_equal(r.links_guessed, 0);
    assert_string_equal(m.at[2].uid.p, "m3");
    assert_int_equal(m.at[1].reply_to_id.v, m.at[0].id.v);
    assert_int_equal(m.at[2].reply_to_id.v, m.at[1].id.v);
    assert_int_equal(m.at[3].reply_to_id.v, 0);
    assert_int_equal(m.at[2].created_at, INT64_C(1767323047000000));
    place_close(&p);
}

/* Ids but no links: its release knew of none, so they are guessed as for older ones. */
static void schema_6_keeps_ids_and_gets_links_that_are_marked_as_guessed(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, make_lab(&p, "database.db", 6), NULL, false, &r), p.err);
    assert_string_equal(r.form.p, "agent-world database, schema 6");
    m = assert_lab(&p, &r);
    assert_int_equal(r.ids_kept, 4);
    assert_int_equal(r.links_kept, 0);
    assert_int_equal(r.links_guessed, 2);
    assert_int_equal(m.at[1].reply_to_id.v, m.at[0].id.v);
    assert_int_equal(m.at[2].reply_to_id.v, m.at[1].id.v);
    for (size_t i = 1; i <= 2; i++)
        assert_string_equal(m.at[i].warning.p, "its reply link was guessed from time");
    place_close(&p);
}

static void schema_5_gets_ids_and_links_that_are_marked_as_guessed(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, make_lab(&p, "database.db", 5), NULL, false, &r), p.err);
    m = assert_lab(&p, &r);
    assert_int_equal(r.ids_kept, 0);
    assert_int_equal(r.ids_made, 4);
    assert_int_equal(r.links_guessed, 2);
    assert_int_equal(m.at[1].reply_to_id.v, m.at[0].id.v);
    assert_int_equal(m.at[2].reply_to_id.v, m.at[1].id.v);
    assert_string_equal(m.at[2].warning.p, "its reply link was guessed from time");
    skn_buf_init(&text, 4000);
    skn_import_report_text(&r, SKN_STR("database.db"), false, &text);
    assert_has(&text,
               "database.db: agent-world database, schema 5, 2 agents, 2 conversations, 4 "
               "messages\n  0 have message ids, 4 got new ones\n"
               "  0 have reply links, 2 were guessed from time and marked as guessed\n"
               "  3 were copies of a message in another agent's memory\n"
               "  - world \"the-lab\": display names are not kept: Fern (fern), Moss (moss)\n"
               "It is world \"the-lab\".\n");
    skn_buf_release(&text);
    place_close(&p);
}

static void agents_chats_and_the_world_are_as_they_were(void **state)
{
    place             p;
    skn_import_report r;
    skein_world       w;
    skein_agent       fern, moss;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, make_lab(&p, "database.db", 7), NULL, false, &r), p.err);
    SKN_OK(skein_world_find(p.e, T("the-lab"), p.mem, &w, &p.err), p.err);
    assert_string_equal(w.description.p, "soil");
    assert_int_equal(w.turn_limit, 5);
    assert_int_equal(w.created_at, INT64_C(1767322800000000));
    assert_int_equal(w.current_chat.v, chat_named(&p, w.id, "Soil plan").id.v);
    assert_int_equal(chat_named(&p, w.id, "Older").length, 0);
    SKN_OK(skein_agent_find(p.e, w.id, T("fern"), p.mem, &fern, &p.err), p.err);
    SKN_OK(skein_agent_find(p.e, w.id, T("moss"), p.mem, &moss, &p.err), p.err);
    assert_string_equal(fern.model.p, "openai/gpt-4");
    assert_string_equal(fern.system_prompt.p, "Grow.");
    assert_string_equal(fern.settings.p, "{\"temperature\":0.5,\"maxTokens\":800}");
    assert_string_equal(moss.model.p, "ollama/llama");
    assert_null(moss.settings.p);
    place_close(&p);
}

/* --- Again -------------------------------------------------------------------------------- */

/* The ids that a file without ids gets follow from what it says. */
static void a_second_import_says_that_the_world_is_there(void **state)
{
    place             p, q;
    skn_import_report r;
    skein_messages    here, there;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 5);
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    here = assert_lab(&p, &r);
    assert_int_equal(import_file(&p, path, NULL, false, &r), SKEIN_CONFLICT);
    assert_non_null(strstr(p.err.message, "is already in this store"));
    assert_int_equal(import_file(&p, path, "other", false, &r), SKEIN_CONFLICT);
    assert_int_equal(import_file(&p, path, NULL, true, &r), SKEIN_CONFLICT);
    assert_int_equal(worlds_in(&p), 1);
    place_new(&q, kind_of(p.fx));
    SKN_OK(import_file(&q, path, "other", false, &r), q.err);
    there = assert_lab(&q, &r);
    for (size_t i = 0; i < 4; i++)
        assert_true(skn_str_eq(here.at[i].uid, there.at[i].uid));
    place_close(&q);
    place_close(&p);
}

/* Rows that are the same in every word and at the same time are still two. */
static void equal_rows_of_one_memory_stay_two(void **state)
{
    static const char more[] =
        "INSERT INTO agent_memory(agent_id, world_id, role, sender, content, chat_id, "
        "created_at) "
        "SELECT id, 'lab', 'user', 'human', 'yes', 'chat-2', '2026-01-02 03:05:00' FROM agents "
        "UNION ALL SELECT id, 'lab', 'user', 'human', 'yes', 'chat-2', '2026-01-02 03:05:00' "
        "FROM agents";
    place             p;
    skn_import_report r;
    skein_messages    m;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 5);
    change_db(path, more);
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_int_equal(r.messages, 6);
    assert_int_equal(r.copies, 5);
    m = said(&p, chat_named(&p, r.world_id, "Soil plan").id, r.world_id, "moss");
    assert_int_equal(m.count, 5);
    assert_string_equal(m.at[4].content.p, "yes");
    assert_false(skn_str_eq(m.at[3].uid, m.at[4].uid));
    assert_sound(&p);
    place_close(&p);
}

/* --- Archived sessions, several worlds ---------------------------------------------------- */

static void archived_sessions_become_chats(void **state)
{
    place              p;
    skn_import_report  r;
    skein_conversation chat;
    skein_messages     m;
    const char        *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path,
              "INSERT INTO memory_archives(id, agent_id, world_id, session_name) VALUES"
              "(4, 'moss', 'lab', 'spring');"
              "INSERT INTO archived_messages(archive_id, role, content, sender, "
              "original_created_at) VALUES(4, 'user', 'is it wet?', 'human', "
              "'2025-04-01T10:00:00.000Z'), (4, 'assistant', 'very', 'moss', "
              "'2025-04-01T10:00:02.000Z'), (9, 'user', 'lost', 'human', NULL);"
              "INSERT INTO chat_snapshots(chat_id, snapshot_data) VALUES('chat-1', '{}')");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_int_equal(r.archives, 1);
    assert_int_equal(r.conversations, 3);
    assert_int_equal(r.messages, 6);
    assert_int_equal(r.links_guessed, 1);
    assert_int_equal(r.dropped, 1);
    assert_noted(&r, "row 3 of archived_messages was dropped: it belongs to no archive");
    assert_noted(&r, "1 chat snapshots are not kept");
    chat = chat_named(&p, r.world_id, "archived: moss, spring");
    m = said(&p, chat.id, r.world_id, NULL);
    assert_int_equal(m.count, 2);
    assert_string_equal(m.at[1].content.p, "very");
    assert_int_equal(said(&p, chat.id, r.world_id, "moss").count, 2);
    assert_sound(&p);
    place_close(&p);
}

static const char more_worlds[] =
    "INSERT INTO worlds(id, name, mcp_config) VALUES('lab-two', 'the lab', '{}'),('empty', "
    "'Empty', NULL);"
    "INSERT INTO agents(id, world_id, name, provider, model) VALUES"
    "('fern', 'lab-two', 'Fern', 'openai', 'x');"
    "INSERT INTO agent_memory(agent_id, world_id, role, sender, content, message_id) VALUES"
    "('fern', 'lab-two', 'user', 'human', 'other', 'm1'),"
    "('ghost', 'nowhere', 'user', 'human', 'still here', 'm9')";

/* Also one that only a row names. */
static void a_database_of_several_worlds_becomes_several(void **state)
{
    place             p;
    skn_import_report r;
    skein_world       w;
    skein_messages    m;
    const char       *path;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path, more_worlds);
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_int_equal(r.world_count, 4);
    assert_int_equal(r.agents, 4);
    assert_int_equal(worlds_in(&p), 4);
    assert_noted(&r, "world \"the-lab\": its MCP configuration is not kept");
    assert_noted(&r, "id \"m1\" is there twice and was replaced");
    SKN_OK(skein_world_find(p.e, T("the-lab-2"), p.mem, &w, &p.err), p.err);
    m = said(&p, chats_of(&p, w.id).at[0].id, w.id, "fern");
    assert_string_equal(m.at[0].content.p, "other");
    SKN_OK(skein_world_find(p.e, T("nowhere"), p.mem, &w, &p.err), p.err);
    m = said(&p, chats_of(&p, w.id).at[0].id, w.id, "ghost");
    assert_string_equal(m.at[0].content.p, "still here");
    skn_buf_init(&text, 4000);
    skn_import_report_text(&r, SKN_STR("database.db"), false, &text);
    assert_has(&text, "agent-world database, schema 7, 4 worlds, 4 agents,");
    assert_has(&text, "They are worlds \"the-lab\", \"the-lab-2\", \"empty\", \"nowhere\".\n");
    skn_buf_release(&text);
    assert_sound(&p);
    place_close(&p);
}

/* What came before stays, what is new comes: one import after the other loses nothing. */
static void of_several_worlds_those_that_are_there_are_left_out(void **state)
{
    place             p;
    skn_import_report r;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    change_db(path, "INSERT INTO worlds(id, name) VALUES('new', 'New')");
    SKN_OK(import_file(&p, path, "second", false, &r), p.err);
    assert_int_equal(r.world_count, 1);
    assert_string_equal(r.world.p, "second-new");
    assert_int_equal(r.messages, 0);
    assert_noted(&r, "world \"the-lab\" is already in this store and was left as it is");
    assert_int_equal(worlds_in(&p), 2);
    assert_int_equal(import_file(&p, path, NULL, false, &r), SKEIN_CONFLICT);
    assert_int_equal(worlds_in(&p), 2);
    place_close(&p);
}

/* --- One transaction ---------------------------------------------------------------------- */

static void a_name_that_is_taken_leaves_no_world_at_all(void **state)
{
    place             p;
    skn_import_report r;
    skein_world       w = {.name = T("the-lab-2")};
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(skein_world_new(p.e, &w, p.mem, &p.err), p.err);
    path = make_lab(&p, "database.db", 7);
    change_db(path, more_worlds);
    assert_int_equal(import_file(&p, path, NULL, false, &r), SKEIN_CONFLICT);
    assert_non_null(strstr(p.err.message, "there is a world \"the-lab-2\" already"));
    assert_int_equal(worlds_in(&p), 1);
    assert_int_equal(skn_fixture_number(p.fx, "SELECT count(*) FROM messages"), 0);
    place_close(&p);
}

static void a_dry_run_reports_and_writes_nothing(void **state)
{
    place             p;
    skn_import_report r;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, make_lab(&p, "database.db", 5), NULL, true, &r), p.err);
    assert_int_equal(r.messages, 4);
    assert_int_equal(r.world_id.v, 0);
    assert_int_equal(worlds_in(&p), 0);
    skn_buf_init(&text, 4000);
    skn_import_report_text(&r, SKN_STR("x"), true, &text);
    assert_has(&text, "0 have message ids, 4 will get new ones\n");
    assert_has(&text, "2 will be guessed from time and marked as guessed\n");
    assert_has(&text, "Nothing was written (-n).\n");
    skn_buf_release(&text);
    place_close(&p);
}

/* --- Files as they are found -------------------------------------------------------------- */

static void the_file_is_left_as_it_is(void **state)
{
    place             p;
    skn_import_report r;
    skn_buf           before, after;
    const char       *path;
    char              beside[320], piece[4096];

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path, "PRAGMA journal_mode=WAL");
    for (int i = 0; i < 2; i++) {
        skn_buf *out = i ? &after : &before;
        FILE    *in = fopen(path, "rb");

        assert_non_null(in);
        skn_buf_init(out, 1 << 20);
        for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
            skn_buf_add(out, (skn_str){piece, n});
        fclose(in);
        if (i == 0)
            SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    }
    assert_same_bytes(&before, &after);
    snprintf(beside, sizeof beside, "%s-wal", path);
    assert_int_not_equal(access(beside, F_OK), 0);
    snprintf(beside, sizeof beside, "%s-shm", path);
    assert_int_not_equal(access(beside, F_OK), 0);
    skn_buf_release(&before);
    skn_buf_release(&after);
    place_close(&p);
}

/* Its program is still running: the last message is only in the log. */
static void what_is_still_in_the_log_is_read(void **state)
{
    place             p;
    skn_import_report r;
    const char       *path;
    sqlite3          *db;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "PRAGMA journal_mode=WAL; INSERT INTO agent_memory(agent_id, world_id, role, "
                "content, chat_id, message_id) VALUES('fern', 'lab', 'user', 'late', 'chat-2', "
                "'m5')");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_int_equal(r.messages, 5);
    sqlite3_close(db);
    place_close(&p);
}

static void a_folder_with_a_database_in_it_is_that_database(void **state)
{
    place             p;
    skn_import_report r;
    char              dir[300];

    place_open(&p, skn_fixture_of(state));
    assert_int_equal(mkdir(skn_fixture_file(p.fx, "agent-world", dir), 0700), 0);
    make_lab(&p, "agent-world/database.db", 7);
    SKN_OK(import_file(&p, dir, NULL, false, &r), p.err);
    assert_string_equal(r.form.p, "agent-world database, schema 7");
    assert_lab(&p, &r);
    place_close(&p);
}

/* Later schemas have tools. */
static void tool_calls_of_a_later_schema_are_kept(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(
        path,
        "ALTER TABLE agent_memory ADD COLUMN tool_calls TEXT;"
        "ALTER TABLE agent_memory ADD COLUMN tool_call_id TEXT;"
        "PRAGMA ignore_check_constraints=ON;"
        "INSERT INTO agent_memory(agent_id, world_id, role, content, chat_id, created_at, "
        "message_id, tool_calls, tool_call_id) VALUES"
        "('fern', 'lab', 'assistant', '', 'chat-2', '2026-01-02T03:06:00Z', 'm5', "
        "'[{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"look\","
        "\"arguments\":\"{\\\"at\\\":1}\"}}]', NULL),"
        "('fern', 'lab', 'tool', 'rain', 'chat-2', '2026-01-02T03:06:01Z', 'm6', NULL, 'c1'),"
        "('fern', 'lab', 'oracle', 'hm', 'chat-2', '2026-01-02T03:06:02Z', 'm7', 'no', NULL);"
        "PRAGMA user_version=18");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_int_equal(r.messages, 6);
    assert_int_equal(r.dropped, 1);
    assert_noted(&r, "row 10 of agent_memory was dropped: its role is unknown");
    assert_noted(&r, "its tool calls are no JSON and were left out");
    m = said(&p, chat_named(&p, r.world_id, "Soil plan").id, r.world_id, "fern");
    assert_string_equal(m.at[4].calls[0].tool_name.p, "look");
    assert_string_equal(m.at[4].calls[0].args.p, "{\"at\":1}");
    assert_string_equal(m.at[5].tool_call_id.p, "c1");
    assert_int_equal(m.at[5].reply_to_id.v, m.at[4].id.v);
    assert_sound(&p);
    place_close(&p);
}

/* --- Later releases ------------------------------------------------------------------------ */

/* Their indexes on events call json_extract, and triggers keep times. */
static void a_database_with_json_indexes_is_read(void **state)
{
    place             p;
    skn_import_report r;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 18);
    change_db(path,
              "INSERT INTO events(id, world_id, chat_id, seq, type, payload, meta) VALUES"
              "('e1', 'lab', 'chat-2', 1, 'message', '{}', '{\"ownerAgentIds\":[\"fern\"]}');"
              "INSERT INTO message_queue(world_id, chat_id, message_id, content, status) VALUES"
              "('lab', 'chat-2', 'q1', 'later', 'queued');"
              "CREATE TRIGGER worlds_updated_at AFTER UPDATE ON worlds BEGIN UPDATE worlds SET "
              "updated_at = CURRENT_TIMESTAMP WHERE id = NEW.id; END");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_string_equal(r.form.p, "agent-world database, schema 18");
    assert_lab(&p, &r);
    assert_int_equal(r.links_kept, 2);
    assert_noted(&r, "1 events are not kept");
    assert_noted(&r, "1 queued messages are not kept");
    place_close(&p);
}

static void what_a_later_database_has_and_we_have_not_is_named(void **state)
{
    place             p;
    skn_import_report r;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 18);
    change_db(
        path,
        "UPDATE worlds SET variables = 'working_directory=/srv' || char(10) || "
        "'TOKEN=s3cret', main_agent = 'nobody', heartbeat_enabled = 1, heartbeat_interval "
        "= '*/5 * * * *', heartbeat_prompt = 'Anything new?', chat_llm_provider = "
        "'openai', chat_llm_model = 'gpt-mini', mcp_config = '{\"mcpServers\":{\"files\":"
        "{\"command\":\"npx\",\"args\":[\"-y\",\"evil\"]},\"web\":{\"url\":"
        "\"https://mcp.example\"}}}';"
        "UPDATE agent_memory SET message_metadata = '{\"agentTurn\":{}}' WHERE message_id "
        "= 'm2'");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_lab(&p, &r);
    assert_noted(
        &r, "world \"the-lab\": its MCP configuration is not kept: files (a command), web");
    assert_noted(&r,
                 "world \"the-lab\": its model for chat titles is not kept: openai/gpt-mini");
    assert_noted(&r, "world \"the-lab\": its variables are not kept: working_directory, TOKEN");
    assert_noted(&r, "world \"the-lab\": its main agent \"nobody\" is not in it");
    assert_noted(&r,
                 "world \"the-lab\": its heartbeat is not kept: */5 * * * *, Anything new?");
    assert_noted(&r, "world \"the-lab\": display names are not kept: Fern (fern), Moss (moss)");
    assert_noted(&r, "world \"the-lab\": metadata of 2 rows of memory is not kept");
    for (size_t i = 0; i < r.note_count; i++)
        assert_null(strstr(r.notes[i].p, "s3cret"));
    assert_int_equal(
        skn_fixture_number(p.fx, "SELECT count(*) FROM worlds WHERE settings LIKE '%evil%'"),
        0);
    place_close(&p);
}

static skn_str settings_of(place *p, skein_world_id world, const char *name)
{
    skein_agent agent;

    SKN_OK(skein_agent_find(p->e, world, T(name), p->mem, &agent, &p->err), p->err);
    return agent.settings;
}

/* Only the main agent answers what names nobody; there the others had to be named, too. */
static void a_main_agent_is_the_only_one_that_answers_by_itself(void **state)
{
    place             p;
    skn_import_report r;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 18);
    change_db(path, "UPDATE worlds SET main_agent = 'Moss'");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_noted(&r, "world \"the-lab\": moss answers what names nobody, as its main agent");
    assert_string_equal(settings_of(&p, r.world_id, "fern").p,
                        "{\"temperature\":0.5,\"maxTokens\":800,\"autoReply\":false}");
    assert_null(settings_of(&p, r.world_id, "moss").p);
    place_close(&p);
}

/* There it says that no "@sender" is put before an answer; here nothing is put there. */
static void auto_reply_off_silences_nobody(void **state)
{
    place             p;
    skn_import_report r;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 18);
    change_db(path, "UPDATE agents SET auto_reply = 0");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_string_equal(settings_of(&p, r.world_id, "fern").p,
                        "{\"temperature\":0.5,\"maxTokens\":800}");
    assert_null(settings_of(&p, r.world_id, "moss").p);
    place_close(&p);
}

/* A branch copies rows behind those of the chat it was made from, with their old times. */
static void a_branched_chat_keeps_its_order(void **state)
{
    static const char more[] =
        "INSERT INTO world_chats(id, world_id, name) VALUES('chat-3', 'lab', 'Branch');"
        "INSERT INTO agent_memory(agent_id, world_id, role, sender, content, chat_id, "
        "created_at, message_id, reply_to_message_id) "
        "SELECT agent_id, world_id, role, sender, content, 'chat-3', created_at, "
        "'b' || message_id, 'b' || reply_to_message_id FROM agent_memory "
        "WHERE chat_id = 'chat-2' AND agent_id = 'moss' ORDER BY id;"
        "INSERT INTO agent_memory(agent_id, world_id, role, sender, content, chat_id, "
        "created_at, message_id, reply_to_message_id) "
        "SELECT agent_id, world_id, role, sender, content, 'chat-3', created_at, "
        "'b' || message_id, 'b' || reply_to_message_id FROM agent_memory "
        "WHERE chat_id = 'chat-2' AND agent_id = 'fern' ORDER BY id;"
        "UPDATE agent_memory SET id = -10 * id WHERE id > 7;"
        "UPDATE agent_memory SET id = -id WHERE id < 0;"
        "INSERT INTO agent_memory(id, agent_id, world_id, role, sender, content, chat_id, "
        "created_at, message_id) VALUES(85, 'moss', 'lab', 'user', 'human', 'only to you', "
        "'chat-3', '2026-01-02T03:04:05.500Z', 'bm9')";
    static const char *const texts[] = {"which crop?", "only to you", "@moss beans?", "agreed",
                                        "thanks"};
    place                    p;
    skn_import_report        r;
    skein_messages           m;
    const char              *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path, more);
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    m = said(&p, chat_named(&p, r.world_id, "Branch").id, r.world_id, NULL);
    assert_int_equal(m.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(m.at[i].content.p, texts[i]);
    assert_int_equal(m.at[3].reply_to_id.v, m.at[2].id.v);
    assert_sound(&p);
    place_close(&p);
}

static void an_id_that_begins_with_a_dash_is_kept(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path, "UPDATE agent_memory SET message_id = '-V1StGXR8_' WHERE message_id = 'm1';"
                    "UPDATE agent_memory SET reply_to_message_id = '-V1StGXR8_' WHERE "
                    "reply_to_message_id = 'm1'");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    m = assert_lab(&p, &r);
    assert_int_equal(r.ids_kept, 4);
    assert_string_equal(m.at[0].uid.p, "-V1StGXR8_");
    assert_string_equal(m.at[1].reply_to.p, "-V1StGXR8_");
    assert_int_equal(m.at[1].reply_to_id.v, m.at[0].id.v);
    place_close(&p);
}

static void bytes_that_are_no_text_are_marked(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;
    const char       *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path,
              "INSERT INTO agent_memory(agent_id, world_id, role, content, chat_id, "
              "message_id, created_at) VALUES('fern', 'lab', 'user', CAST(x'61ff6200c3a4' "
              "AS TEXT), 'chat-2', 'm5', 1767323400000);"
              "UPDATE agents SET temperature=9, system_prompt=x'ff' WHERE id='fern';"
              "UPDATE worlds SET name=''");
    SKN_OK(import_file(&p, path, NULL, false, &r), p.err);
    assert_string_equal(r.world.p, "lab");
    assert_noted(&r, "some bytes are no text and became U+FFFD");
    assert_noted(&r,
                 "agent \"fern\": its temperature was left out: it is not a number up to 2");
    m = said(&p, chat_named(&p, r.world_id, "Soil plan").id, r.world_id, NULL);
    assert_string_equal(m.at[4].content.p, "a\xef\xbf\xbd"
                                           "b\xef\xbf\xbd\xc3\xa4");
    assert_int_equal(m.at[4].created_at, INT64_C(1767323400000000));
    assert_sound(&p);
    place_close(&p);
}

/* --- Files that are none, or made to harm ------------------------------------------------- */

static void assert_refused(place *p, const char *path, skein_rc rc, const char *why)
{
    skn_import_report r;
    skein_rc          got = import_file(p, path, NULL, false, &r);

    if (got != rc || !strstr(p->err.message, why))
        fail_msg("%d: \"%s\" instead of %d: \"%s\"", got, got ? p->err.message : "", rc, why);
    assert_int_equal(worlds_in(p), 0);
}

static void a_store_of_ours_is_no_file_to_import(void **state)
{
    place p, q;

    place_open(&p, skn_fixture_of(state));
    place_new(&q, "sqlite");
    make_room(&q);
    assert_refused(&p, q.fx->path, SKEIN_DATA, "is a skein store, not a file to import");
    assert_non_null(strstr(p.err.hint, "export -f skein"));
    place_close(&q);
    place_close(&p);
}

static void a_database_of_another_program_is_refused(void **state)
{
    place       p;
    sqlite3    *db;
    const char *path;

    place_open(&p, skn_fixture_of(state));
    path = make_lab(&p, "database.db", 7);
    change_db(path, "DROP TABLE agent_memory");
    assert_refused(&p, path, SKEIN_DATA,
                   "none of agent-world: it has no table \"agent_memory\"");
    change_db(path, "CREATE VIEW agent_memory AS SELECT 1");
    assert_refused(&p, path, SKEIN_DATA, "has no table \"agent_memory\"");
    db = new_world_db(&p, "empty.db", 7, &path);
    sqlite3_close(db);
    assert_refused(&p, path, SKEIN_DATA, "there is no conversation in");
    place_close(&p);
}

static void read_whole(const char *path, skn_buf *out)
{
    char  piece[4096];
    FILE *in = fopen(path, "rb");

    assert_non_null(in);
    skn_buf_init(out, (size_t)1 << 20);
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
        skn_buf_add(out, (skn_str){piece, n});
    fclose(in);
}

/* Cut anywhere, it is refused with one error, and never half read. */
static void a_database_that_is_cut_off_is_refused(void **state)
{
    place       p;
    const char *path;
    skn_buf     whole;

    place_open(&p, skn_fixture_of(state));
    read_whole(make_lab(&p, "database.db", 7), &whole);
    for (size_t cut = 16; cut < whole.n; cut += 1234) {
        path = write_file(&p, "cut.db", (skn_str){whole.p, cut});
        assert_refused(&p, path, SKEIN_DATA, "is cut off");
    }
    path = write_file(&p, "cut.db", (skn_str){whole.p, whole.n - 1});
    assert_refused(&p, path, SKEIN_DATA, "is cut off");
    skn_buf_release(&whole);
    place_close(&p);
}

/* One byte after the other is another one: refused, or read as something that is still sound. */
static void a_damaged_database_leaves_the_store_sound(void **state)
{
    place       p;
    const char *path;
    skn_buf     whole;

    place_open(&p, skn_fixture_of(state));
    read_whole(make_lab(&p, "database.db", 7), &whole);
    for (size_t at = 20; at < whole.n; at += 131) {
        skn_import_report r;
        char              kept = whole.p[at], name[40];

        whole.p[at] = (char)(kept ^ (1 << at % 8));
        path = write_file(&p, "bad.db", skn_buf_str(&whole));
        snprintf(name, sizeof name, "n%zu", at);
        (void)import_file(&p, path, name, true, &r);
        whole.p[at] = kept;
    }
    assert_int_equal(worlds_in(&p), 0);
    assert_sound(&p);
    skn_buf_release(&whole);
    place_close(&p);
}

enum { PAGE = 512, CHAIN = 4 };

/* A table of several levels. */
static const char *make_deep_table(place *p)
{
    static char path[300];
    sqlite3    *db;

    skn_fixture_file(p->fx, "deep.db", path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db, "PRAGMA page_size=512");
    make_tables(db, 7);
    run_sql(db, "INSERT INTO worlds(id, name) VALUES('w', 'w');"
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 9000) "
                "INSERT INTO agent_memory(agent_id, world_id, role, content) SELECT 'a', 'w', "
                "'user', 'some words that take room ' || i FROM n");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    return path;
}

static void lead_all_to(unsigned char *page, unsigned long to)
{
    unsigned      cells = (unsigned)page[3] << 8 | page[4];
    unsigned char number[4] = {(unsigned char)(to >> 24), (unsigned char)(to >> 16),
                               (unsigned char)(to >> 8), (unsigned char)to};

    for (unsigned i = 0; i < cells; i++)
        memcpy(page + ((unsigned)page[12 + 2 * i] << 8 | page[13 + 2 * i]), number, 4);
    memcpy(page + 8, number, 4);
}

/* Every entry of a page leads to the same next page, and so on: a small file with rows nearly
 * without end. */
static void a_database_that_repeats_itself_is_refused(void **state)
{
    place          p;
    skn_buf        whole;
    unsigned char *last = NULL;
    int            chained = 0;

    place_open(&p, skn_fixture_of(state));
    read_whole(make_deep_table(&p), &whole);
    for (size_t at = PAGE; at + PAGE <= whole.n && chained <= CHAIN; at += PAGE) {
        unsigned char *page = (unsigned char *)whole.p + at;

        if (page[0] != 5 || page[4] < 20) /* no interior page of a table, or a small one */
            continue;
        if (last)
            lead_all_to(last, at / PAGE + 1);
        last = page;
        chained++;
    }
    assert_int_equal(chained, CHAIN + 1);
    assert_refused(&p, write_file(&p, "again.db", skn_buf_str(&whole)), SKEIN_DATA,
                   "is damaged: it says more than it can hold");
    skn_buf_release(&whole);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(schema_7_keeps_ids_and_reply_links),
        SKN_PLACE_BOTH(schema_6_keeps_ids_and_gets_links_that_are_marked_as_guessed),
        SKN_PLACE_BOTH(schema_5_gets_ids_and_links_that_are_marked_as_guessed),
        SKN_PLACE_BOTH(agents_chats_and_the_world_are_as_they_were),
        SKN_PLACE_BOTH(a_second_import_says_that_the_world_is_there),
        SKN_PLACE_SQLITE(equal_rows_of_one_memory_stay_two),
        SKN_PLACE_BOTH(archived_sessions_become_chats),
        SKN_PLACE_BOTH(a_database_of_several_worlds_becomes_several),
        SKN_PLACE_BOTH(of_several_worlds_those_that_are_there_are_left_out),
        SKN_PLACE_BOTH(a_name_that_is_taken_leaves_no_world_at_all),
        SKN_PLACE_BOTH(a_dry_run_reports_and_writes_nothing),
        SKN_PLACE_SQLITE(the_file_is_left_as_it_is),
        SKN_PLACE_SQLITE(what_is_still_in_the_log_is_read),
        SKN_PLACE_SQLITE(a_folder_with_a_database_in_it_is_that_database),
        SKN_PLACE_BOTH(tool_calls_of_a_later_schema_are_kept),
        SKN_PLACE_BOTH(a_database_with_json_indexes_is_read),
        SKN_PLACE_BOTH(what_a_later_database_has_and_we_have_not_is_named),
        SKN_PLACE_SQLITE(a_main_agent_is_the_only_one_that_answers_by_itself),
        SKN_PLACE_SQLITE(auto_reply_off_silences_nobody),
        SKN_PLACE_BOTH(a_branched_chat_keeps_its_order),
        SKN_PLACE_BOTH(an_id_that_begins_with_a_dash_is_kept),
        SKN_PLACE_BOTH(bytes_that_are_no_text_are_marked),
        SKN_PLACE_BOTH(a_store_of_ours_is_no_file_to_import),
        SKN_PLACE_SQLITE(a_database_of_another_program_is_refused),
        SKN_PLACE_SQLITE(a_database_that_is_cut_off_is_refused),
        SKN_PLACE_SQLITE(a_damaged_database_leaves_the_store_sound),
        SKN_PLACE_SQLITE(a_database_that_repeats_itself_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
