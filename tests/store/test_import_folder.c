/* agent-world's worlds as folders, and as documents: what test_import.c leaves open. */
#include "exchange_kit.h"

#include <sys/stat.h>
#include <unistd.h>

static void make_folder(place *p, const char *name)
{
    char path[300];

    assert_int_equal(mkdir(skn_fixture_file(p->fx, name, path), 0700), 0);
}

static void put_file(place *p, const char *name, const char *text)
{
    write_file(p, name, skn_str_of(text));
}

static const char *folder(place *p, const char *name)
{
    static char path[300];

    return skn_fixture_file(p->fx, name, path);
}

/* Two worlds beside each other, the second without a configuration. */
static void make_worlds(place *p)
{
    make_folder(p, "data");
    make_folder(p, "data/lab");
    make_folder(p, "data/lab/agents");
    make_folder(p, "data/lab/agents/fern");
    make_folder(p, "data/lab/agents/fern/archive");
    make_folder(p, "data/The Shed");
    make_folder(p, "data/The Shed/agents");
    make_folder(p, "data/The Shed/agents/rake");
    make_folder(p, "data/no-world");
    put_file(p, "data/lab/config.json",
             "{\"id\":\"lab\",\"name\":\"Lab\",\"createdAt\":\"2026-01-02T03:00:00.000Z\"}");
    put_file(p, "data/lab/agents/fern/config.json",
             "{\"id\":\"fern\",\"name\":\"Fern\",\"provider\":\"openai\",\"model\":\"gpt\","
             "\"temperature\":0.25,\"maxTokens\":100,\"autoReply\":false}");
    put_file(p, "data/lab/agents/fern/memory.json",
             "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"hello\"}]");
    put_file(p, "data/lab/agents/fern/archive/memory-2025-04-01T10-00-00-000Z.json",
             "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"before\"},"
             "{\"role\":\"assistant\",\"sender\":\"fern\",\"content\":\"long ago\"}]");
    put_file(p, "data/The Shed/agents/rake/memory.json",
             "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"hello\"}]");
}

static skein_conversations chats_of(place *p, const char *world)
{
    skein_conversations chats;
    skein_world         w;

    SKN_OK(skein_world_find(p->e, T(world), p->mem, &w, &p->err), p->err);
    SKN_OK(skein_conversation_list(p->e, w.id, p->mem, &chats, &p->err), p->err);
    return chats;
}

static void a_folder_of_worlds_becomes_several(void **state)
{
    place               p;
    skn_import_report   r;
    skein_conversations chats;

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    SKN_OK(import_file(&p, folder(&p, "data"), NULL, false, &r), p.err);
    assert_string_equal(r.form.p, "agent-world folder");
    assert_int_equal(r.world_count, 2);
    assert_int_equal(r.messages, 4);
    assert_int_equal(r.archives, 1);
    assert_int_equal(chats_of(&p, "the-shed").at[0].length, 1);
    chats = chats_of(&p, "lab");
    assert_int_equal(chats.count, 2);
    assert_int_equal(chats.at[0].length, 1);
    assert_string_equal(chats.at[1].title.p,
                        "archived: fern, memory-2025-04-01T10-00-00-000Z.json");
    assert_int_equal(chats.at[1].length, 2);
    assert_sound(&p);
    place_close(&p);
}

static void an_agents_settings_are_kept(void **state)
{
    place             p;
    skn_import_report r;
    skein_agent       fern;

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    SKN_OK(import_file(&p, folder(&p, "data/lab"), NULL, false, &r), p.err);
    SKN_OK(skein_agent_find(p.e, r.world_id, T("fern"), p.mem, &fern, &p.err), p.err);
    assert_string_equal(fern.settings.p, "{\"temperature\":0.25,\"maxTokens\":100}");
    place_close(&p);
}

static skein_messages room_in(place *p, skein_conversation_id chat)
{
    skein_slice    what = {.conversation = chat};
    skein_messages m;
    skein_at       at;

    SKN_OK(skein_read(p->e, &what, p->mem, &m, &at, &p->err), p->err);
    return m;
}

static void assert_noted(const skn_import_report *r, const char *text)
{
    for (size_t i = 0; i < r->note_count; i++)
        if (strstr(r->notes[i].p, text))
            return;
    fail_msg("no note says \"%s\"; the first of %zu: %s", text, r->note_count,
             r->note_count ? r->notes[0].p : "");
}

/* It writes a line end as "\\n" in memory.json, and reads it back so. */
static void line_ends_of_a_folder_are_line_ends(void **state)
{
    place             p;
    skn_import_report r;
    skein_messages    m;

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    put_file(&p, "data/lab/agents/fern/memory.json",
             "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"one\\\\ntwo\\\\n\"},"
             "{\"role\":\"assistant\",\"sender\":\"fern\",\"content\":\"a\\tb\\\\\\\\c\"}]");
    put_file(&p, "data/The Shed/agents/rake/memory.json",
             "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"printf(\\\"\\\\n\\\")\"},"
             "{\"role\":\"assistant\",\"sender\":\"rake\",\"content\":\"one\\ntwo\"}]");
    SKN_OK(import_file(&p, folder(&p, "data"), NULL, false, &r), p.err);
    m = room_in(&p, chats_of(&p, "lab").at[0].id);
    assert_string_equal(m.at[0].content.p, "one\ntwo\n");
    assert_string_equal(m.at[1].content.p, "a\tb\\\\c");
    m = room_in(&p, chats_of(&p, "the-shed").at[0].id);
    assert_string_equal(m.at[0].content.p, "printf(\"\\n\")");
    assert_string_equal(m.at[1].content.p, "one\ntwo");
    place_close(&p);
}

static const char extras[] =
    "\"id\":\"lab\",\"name\":\"Lab\",\"chatLLMProvider\":\"openai\",\"chatLLMModel\":\"mini\","
    "\"variables\":\"ROOT=/srv\\nKEY=s3cret\",\"mainAgent\":\"fern\",\"heartbeatEnabled\":true,"
    "\"heartbeatInterval\":\"0 9 * * *\",\"heartbeatPrompt\":\"News?\"";

static void assert_extras(const skn_import_report *r)
{
    assert_noted(r, "world \"lab\": its MCP configuration is not kept: files (a command)");
    assert_noted(r, "world \"lab\": its model for chat titles is not kept: openai/mini");
    assert_noted(r, "world \"lab\": its variables are not kept: ROOT, KEY");
    assert_noted(r, "world \"lab\": fern answers what names nobody, as its main agent");
    assert_noted(r, "world \"lab\": its heartbeat is not kept: 0 9 * * *, News?");
    assert_noted(r, "world \"lab\": display names are not kept: The Fern (fern)");
    assert_noted(r, "world \"lab\": metadata of 1 row of memory is not kept");
    for (size_t i = 0; i < r->note_count; i++)
        assert_null(strstr(r->notes[i].p, "s3cret"));
}

static void what_has_no_place_is_named_for_a_folder_and_a_document(void **state)
{
    static const char row[] =
        "{\"role\":\"user\",\"sender\":\"human\",\"content\":\"hi\",\"agentTurn\":{\"n\":1}}";
    place             p, q;
    skn_import_report r;
    char              text[1200];

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    snprintf(text, sizeof text, "{%s}", extras);
    put_file(&p, "data/lab/config.json", text);
    put_file(&p, "data/lab/mcp.json", "{\"servers\":{\"files\":{\"command\":\"npx\"}}}");
    put_file(&p, "data/lab/agents/fern/config.json", "{\"id\":\"fern\",\"name\":\"The Fern\"}");
    snprintf(text, sizeof text, "[%s]", row);
    put_file(&p, "data/lab/agents/fern/memory.json", text);
    SKN_OK(import_file(&p, folder(&p, "data/lab"), NULL, false, &r), p.err);
    assert_extras(&r);
    place_new(&q, kind_of(p.fx));
    snprintf(text, sizeof text,
             "{%s,\"mcpConfig\":\"{\\\"mcpServers\\\":{\\\"files\\\":{\\\"command\\\":"
             "\\\"npx\\\"}}}\",\"agents\":[{\"id\":\"fern\",\"name\":\"The Fern\","
             "\"memory\":[%s]}]}",
             extras, row);
    SKN_OK(import_file(&q, write_file(&q, "w.json", skn_str_of(text)), NULL, false, &r), q.err);
    assert_extras(&r);
    place_close(&q);
    place_close(&p);
}

/* A world with ids and not one link is of a release that knew of none. */
static void edits_that_had_failed_are_listed_and_those_of_unknown_messages_named(void **state)
{
    place             p;
    skn_import_report r;
    skein_edit_errors list;

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    put_file(&p, "data/lab/agents/fern/memory.json",
             "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"hello\","
             "\"messageId\":\"aaaaaaaaaa\"}]");
    put_file(&p, "data/lab/edit-errors.json",
             "[{\"worldId\":\"lab\",\"messageId\":\"aaaaaaaaaa\",\"chatId\":\"c\","
             "\"timestamp\":\"2026-01-02T03:04:05.000Z\",\"operation\":\"removal\","
             "\"failedAgents\":[{\"agentId\":\"fern\",\"error\":\"memory is locked\"},"
             "{\"agentId\":\"bo\",\"error\":\"disk full\"}],\"retryCount\":0},"
             "{\"messageId\":\"gone\",\"operation\":\"resubmission\"},7]");
    SKN_OK(import_file(&p, folder(&p, "data/lab"), NULL, false, &r), p.err);
    assert_noted(&r, "that an edit of \"gone\" had failed was not kept");
    SKN_OK(skein_edit_error_list(p.e, r.world_id, p.mem, &list, &p.err), p.err);
    assert_int_equal(list.count, 1);
    assert_string_equal(list.at[0].error.p, "fern: memory is locked; bo: disk full");
    assert_string_equal(list.at[0].operation.p, "remove");
    assert_string_equal(list.at[0].message_uid.p, "aaaaaaaaaa");
    assert_non_null(list.at[0].chat_uid.p);
    assert_int_equal(list.at[0].at, 1767323045000000);
    assert_sound(&p);
    place_close(&p);
}

static void links_that_a_folder_never_had_are_guessed(void **state)
{
    place             p;
    skn_import_report r;

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    put_file(
        &p, "data/lab/agents/fern/memory.json",
        "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"hi\",\"messageId\":\"m1\"},"
        "{\"role\":\"assistant\",\"sender\":\"fern\",\"content\":\"ho\",\"messageId\":"
        "\"m2\"}]");
    SKN_OK(import_file(&p, folder(&p, "data/lab"), NULL, false, &r), p.err);
    assert_int_equal(r.ids_kept, 2);
    assert_int_equal(r.links_guessed, 2); /* one of them in the archived session */
    place_close(&p);
}

static void a_folder_that_was_imported_is_there(void **state)
{
    place             p;
    skn_import_report r;

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    SKN_OK(import_file(&p, folder(&p, "data/lab"), NULL, false, &r), p.err);
    assert_int_equal(import_file(&p, folder(&p, "data/lab"), "copy", false, &r),
                     SKEIN_CONFLICT);
    assert_non_null(strstr(p.err.message, "is already in this store"));
    SKN_OK(import_file(&p, folder(&p, "data"), NULL, false, &r), p.err);
    assert_string_equal(r.world.p, "the-shed");
    assert_int_equal(r.world_count, 1);
    assert_int_equal(skn_fixture_number(p.fx, "SELECT count(*) FROM worlds"), 2);
    place_close(&p);
}

/* A name leads to its agent only where it is nobody's id. */
static void an_agent_named_as_another_ones_id_stays_itself(void **state)
{
    place             p;
    skn_import_report r;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(
        import_file(
            &p,
            write_file(&p, "w.json",
                       SKN_STR("{\"agents\":[{\"id\":\"a\",\"name\":\"b\",\"memory\":["
                               "{\"role\":\"assistant\",\"content\":\"I am a\"}]},"
                               "{\"id\":\"c\",\"memory\":[{\"role\":\"user\",\"sender\":\"b\","
                               "\"content\":\"I am b\",\"messageId\":\"m1\"}]},"
                               "{\"id\":\"b\",\"name\":\"x\",\"memory\":["
                               "{\"role\":\"assistant\",\"content\":\"I am b\","
                               "\"messageId\":\"m1\"}]}]}")),
            NULL, false, &r),
        p.err);
    assert_int_equal(r.agents, 3);
    assert_int_equal(r.messages, 2);
    assert_int_equal(r.copies, 1);
    assert_sound(&p);
    place_close(&p);
}

static void an_agent_that_is_there_twice_is_refused(void **state)
{
    place             p;
    skn_import_report r;

    place_open(&p, skn_fixture_of(state));
    assert_int_equal(import_file(&p,
                                 write_file(&p, "w.json",
                                            SKN_STR("{\"agents\":[{\"id\":\"a\",\"memory\":[]},"
                                                    "{\"id\":\"a\",\"memory\":[]}]}")),
                                 NULL, false, &r),
                     SKEIN_DATA);
    assert_string_equal(p.err.message, "agent \"a\" is there twice");
    place_close(&p);
}

/* A folder from somebody else must not say which file of ours becomes a prompt. */
static void a_folder_with_links_in_it_is_refused(void **state)
{
    static const char *const links[] = {"data/lab/agents/fern/system-prompt.md",
                                        "data/lab/agents/fern/archive/memory-x.json",
                                        "data/lab/edit-errors.json",
                                        "data/lab/chats",
                                        "data/lab/agents/other",
                                        "data/database.db"};
    place                    p;
    skn_import_report        r;
    char                     secret[300];

    place_open(&p, skn_fixture_of(state));
    make_worlds(&p);
    make_folder(&p, "elsewhere");
    put_file(&p, "secret", "nobody is to read this");
    snprintf(secret, sizeof secret, "%s", folder(&p, "secret"));
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const char *at = folder(&p, links[i]);

        assert_int_equal(symlink(secret, at), 0);
        assert_int_equal(import_file(&p, folder(&p, "data"), NULL, false, &r), SKEIN_DATA);
        assert_non_null(strstr(p.err.message, "is a link, which is not followed"));
        assert_int_equal(unlink(folder(&p, links[i])), 0);
    }
    assert_int_equal(mkfifo(folder(&p, links[0]), 0600), 0);
    assert_int_equal(import_file(&p, folder(&p, "data"), NULL, false, &r), SKEIN_DATA);
    assert_non_null(strstr(p.err.message, "is not a file"));
    assert_int_equal(unlink(folder(&p, links[0])), 0);
    assert_int_equal(skn_fixture_number(p.fx, "SELECT count(*) FROM worlds"), 0);
    snprintf(secret, sizeof secret, "%s", folder(&p, "data"));
    assert_int_equal(symlink(secret, folder(&p, "named")), 0);
    SKN_OK(import_file(&p, folder(&p, "named"), NULL, false, &r), p.err);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(a_folder_of_worlds_becomes_several),
        SKN_PLACE_SQLITE(an_agents_settings_are_kept),
        SKN_PLACE_SQLITE(line_ends_of_a_folder_are_line_ends),
        SKN_PLACE_SQLITE(what_has_no_place_is_named_for_a_folder_and_a_document),
        SKN_PLACE_BOTH(edits_that_had_failed_are_listed_and_those_of_unknown_messages_named),
        SKN_PLACE_SQLITE(links_that_a_folder_never_had_are_guessed),
        SKN_PLACE_BOTH(a_folder_that_was_imported_is_there),
        SKN_PLACE_SQLITE(a_folder_with_links_in_it_is_refused),
        SKN_PLACE_SQLITE(an_agent_named_as_another_ones_id_stays_itself),
        SKN_PLACE_SQLITE(an_agent_that_is_there_twice_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
