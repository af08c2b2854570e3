/* Imports of what other programs wrote, and of our own lines. */
#include "exchange_kit.h"

#include <sys/stat.h>

/* --- Importing lines ---------------------------------------------------------------------- */

static skein_rc import_text(place *p, const char *name, const char *text,
                            skn_import_report *report)
{
    return import_file(p, write_file(p, name, skn_str_of(text)), NULL, false, report);
}

static skein_messages room_of(place *p, skein_world_id world, const char *agent)
{
    skein_conversations chats;
    skein_slice         what = {0};
    skein_messages      m;
    skein_agent         a;
    skein_at            at;

    SKN_OK(skein_conversation_list(p->e, world, p->mem, &chats, &p->err), p->err);
    assert_true(chats.count > 0);
    what.conversation = chats.at[0].id;
    if (agent) {
        SKN_OK(skein_agent_find(p->e, world, T(agent), p->mem, &a, &p->err), p->err);
        what.agent = a.id;
    }
    SKN_OK(skein_read(p->e, &what, p->mem, &m, &at, &p->err), p->err);
    return m;
}

static void openai_lines_become_a_chat_with_an_agent(void **state)
{
    place             p;
    skn_import_report report;
    skein_messages    m;
    skein_agent       agent;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(
        import_text(&p, "My Talk.jsonl",
                    "{\"role\":\"system\",\"content\":\"You are terse.\"}\n"
                    "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"weather?\"},"
                    "{\"type\":\"image_url\",\"image_url\":{}}]}\n\n"
                    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\","
                    "\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":"
                    "\"{\\\"at\\\": 1.50}\"}}]}\n"
                    "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"rain\"}\n"
                    "{\"role\":\"assistant\",\"content\":\"It rains.\"}\n"
                    "{\"role\":\"ghost\",\"content\":\"boo\"}\n",
                    &report),
        p.err);
    assert_string_equal(report.form.p, "JSON lines");
    assert_string_equal(report.world.p, "my-talk");
    assert_int_equal(report.messages, 5);
    assert_int_equal(report.ids_made, 5);
    assert_int_equal(report.dropped, 1);
    assert_int_equal(report.links_guessed, 2);
    assert_int_equal(report.note_count, 2);
    m = room_of(&p, report.world_id, NULL);
    assert_int_equal(m.count, 5);
    assert_string_equal(m.at[1].content.p, "weather?");
    assert_string_equal(m.at[2].calls[0].args.p, "{\"at\": 1.50}");
    assert_true(skn_str_eq(m.at[3].reply_to, m.at[2].uid));
    assert_int_equal(m.at[4].reply_to_id.v, m.at[1].id.v);
    assert_string_equal(m.at[4].warning.p, "its reply link was guessed from time");
    SKN_OK(skein_agent_find(p.e, report.world_id, T("assistant"), p.mem, &agent, &p.err),
           p.err);
    assert_string_equal(agent.system_prompt.p, "You are terse.");
    assert_int_equal(room_of(&p, report.world_id, "assistant").count, 4);
    assert_sound(&p);
    place_close(&p);
}

static void a_line_with_messages_is_a_chat_of_its_own(void **state)
{
    place               p;
    skn_import_report   report;
    skein_conversations chats;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_text(&p, "many.jsonl",
                       "{\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}\n"
                       "{\"messages\":[{\"role\":\"user\",\"content\":\"b\"},"
                       "{\"role\":\"assistant\",\"content\":\"c\"}]}\n",
                       &report),
           p.err);
    SKN_OK(skein_conversation_list(p.e, report.world_id, p.mem, &chats, &p.err), p.err);
    assert_int_equal(chats.count, 2);
    assert_int_equal(chats.at[0].length, 1);
    assert_int_equal(chats.at[1].length, 2);
    assert_sound(&p);
    place_close(&p);
}

static void our_own_lines_and_document_keep_ids_links_and_hearers(void **state)
{
    static const skn_format  formats[] = {SKN_FORMAT_JSONL, SKN_FORMAT_JSON};
    static const char *const names[] = {"own.jsonl", "own.json"};
    place                    p, q;
    room                     r;
    skein_new_message        whisper = {.content = T("only ada")};
    skein_str                ada = T("ada");

    place_open(&p, skn_fixture_of(state));
    r = make_room(&p);
    whisper.heard_by = &ada;
    whisper.heard_by_count = 1;
    whisper.heard_by_given = true;
    say(&p, r.chat.id, NULL, &whisper);
    for (size_t i = 0; i < 2; i++) {
        skn_import_report report;
        skein_messages    m;
        skn_buf           out;

        export_room(&p, &r, formats[i], &out);
        place_new(&q, kind_of(p.fx));
        SKN_OK(import_text(&q, names[i], out.p, &report), q.err);
        assert_int_equal(report.ids_kept, 4);
        assert_int_equal(report.links_kept, 1);
        assert_int_equal(report.links_guessed, 0);
        assert_int_equal(report.agents, 3);
        m = room_of(&q, report.world_id, NULL);
        assert_true(skn_str_eq(m.at[1].uid, r.answer.uid));
        assert_int_equal(m.at[1].reply_to_id.v, m.at[0].id.v);
        assert_int_equal(m.at[1].created_at / 1000, r.answer.created_at / 1000);
        assert_int_equal(room_of(&q, report.world_id, "ada").count, 4);
        assert_int_equal(room_of(&q, report.world_id, "bo").count, 3);
        assert_sound(&q);
        skn_buf_release(&out);
        place_close(&q);
    }
    place_close(&p);
}

static void a_broken_line_refuses_the_file(void **state)
{
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\n", "line 2"},
        {"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"user\",\"content\":\"\xff\"}\n",
         "line 2"},
        {"not json", "cannot import"},
        {"", "cannot import"},
        {"[]", "there is no conversation in"},
        {"7", "there is no conversation in"},
        {"{\"a\":1}\n{\"role\":\"user\",\"content\":\"\\u0000\"}", "line 2"},
    };
    place             p;
    skn_import_report report;

    place_open(&p, skn_fixture_of(state));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(import_text(&p, "bad.jsonl", bad[i].text, &report), SKEIN_DATA);
        if (!strstr(p.err.message, bad[i].why))
            fail_msg("\"%s\" does not say \"%s\"", p.err.message, bad[i].why);
    }
    assert_int_equal(import_file(&p, "/nowhere/at.all", NULL, false, &report), SKEIN_NOT_FOUND);
    assert_int_equal(skn_fixture_number(p.fx, "SELECT count(*) FROM worlds"), 0);
    place_close(&p);
}

/* Two bytes of JSON can take a hundred bytes of memory. */
static void a_file_of_too_many_values_is_refused(void **state)
{
    place             p;
    skn_import_report report;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    skn_buf_init(&text, (size_t)1 << 30);
    skn_buf_addc(&text, '[');
    skn_buf_fill(&text, ',', (size_t)33 << 20);
    skn_buf_addc(&text, ']');
    assert_int_equal(
        import_file(&p, write_file(&p, "many.json", skn_buf_str(&text)), NULL, false, &report),
        SKEIN_LIMIT);
    assert_non_null(strstr(p.err.message, "is too large to be imported"));
    skn_buf_release(&text);
    place_close(&p);
}

/* --- Reply links of strangers ------------------------------------------------------------- */

/* A circle in a file does not hang anything. */
static void circles_are_opened_and_orphans_kept(void **state)
{
    place             p;
    skn_import_report report;
    skein_messages    m;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(
        import_text(&p, "circles.jsonl",
                    "{\"messageId\":\"self\",\"content\":\"1\",\"replyToMessageId\":\"self\"}\n"
                    "{\"messageId\":\"a\",\"content\":\"2\",\"replyToMessageId\":\"c\"}\n"
                    "{\"messageId\":\"b\",\"content\":\"3\",\"replyToMessageId\":\"a\"}\n"
                    "{\"messageId\":\"c\",\"content\":\"4\",\"replyToMessageId\":\"b\"}\n"
                    "{\"messageId\":\"d\",\"content\":\"5\",\"replyToMessageId\":\"gone\"}\n"
                    "{\"messageId\":\"e\",\"content\":\"6\",\"replyToMessageId\":\"f\"}\n"
                    "{\"messageId\":\"f\",\"content\":\"7\"}\n"
                    "{\"messageId\":\"no id!\",\"content\":\"8\"}\n"
                    "{\"messageId\":\"h\",\"content\":\"9\",\"replyToMessageId\":\"no id!\"}\n"
                    "{\"messageId\":\"f\",\"content\":\"10\"}\n",
                    &report),
        p.err);
    assert_int_equal(report.messages, 10);
    assert_int_equal(report.circular, 2);
    assert_int_equal(report.orphans, 2);
    assert_int_equal(report.links_kept, 3);
    assert_int_equal(report.ids_kept, 8);
    assert_int_equal(report.ids_made, 2);
    m = room_of(&p, report.world_id, NULL);
    assert_null(m.at[0].reply_to.p);
    assert_non_null(strstr(m.at[0].warning.p, "circle"));
    assert_null(m.at[1].reply_to.p);
    assert_int_equal(m.at[2].reply_to_id.v, m.at[1].id.v);
    assert_int_equal(m.at[3].reply_depth, 2);
    assert_string_equal(m.at[4].reply_to.p, "gone");
    assert_int_equal(m.at[4].reply_to_id.v, 0);
    assert_string_equal(m.at[5].reply_to.p, "f");
    assert_int_equal(m.at[5].reply_to_id.v, 0);
    assert_int_equal(m.at[8].reply_to_id.v, m.at[7].id.v);
    assert_sound(&p);
    place_close(&p);
}

static void the_hundred_and_first_level_is_unlinked(void **state)
{
    place             p;
    skn_import_report report;
    skein_messages    m;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    skn_buf_init(&text, 100000);
    for (int i = 0; i < 205; i++)
        skn_buf_addf(&text,
                     "{\"messageId\":\"m%d\",\"content\":\"x\",\"replyToMessageId\":\"m%d\"}\n",
                     i, i - 1);
    SKN_OK(import_text(&p, "deep.jsonl", text.p, &report), p.err);
    assert_int_equal(report.too_deep, 2);
    assert_int_equal(report.orphans, 1);
    m = room_of(&p, report.world_id, NULL);
    assert_int_equal(m.at[99].reply_depth, 99);
    assert_int_equal(m.at[100].reply_depth, 0);
    assert_null(m.at[100].reply_to.p);
    assert_int_equal(m.at[101].reply_depth, 1);
    assert_sound(&p);
    skn_buf_release(&text);
    place_close(&p);
}

/* One circle of all messages: a walk that starts again at each would take n * n steps. */
static void a_circle_of_a_hundred_thousand_is_opened_at_once(void **state)
{
    enum { N = 100000 };
    place             p;
    skn_import_report report;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    skn_buf_init(&text, (size_t)N * 100);
    for (int i = 0; i < N; i++)
        skn_buf_addf(&text,
                     "{\"messageId\":\"m%d\",\"content\":\"x\",\"replyToMessageId\":\"m%d\"}\n",
                     i, (i + 1) % N);
    SKN_OK(import_file(&p, write_file(&p, "circle.jsonl", skn_buf_str(&text)), NULL, true,
                       &report),
           p.err);
    assert_int_equal(report.circular, 1);
    assert_int_equal(report.orphans + report.links_kept, N - 1);
    assert_int_equal(skn_fixture_number(p.fx, "SELECT count(*) FROM messages"), 0);
    skn_buf_release(&text);
    place_close(&p);
}

/* --- agent-world -------------------------------------------------------------------------- */

static void put_file(place *p, const char *name, const char *text)
{
    write_file(p, name, skn_str_of(text));
}

static void make_folder(place *p, const char *name)
{
    char path[300];

    assert_int_equal(mkdir(skn_fixture_file(p->fx, name, path), 0700), 0);
}

/* Two agents that heard the same; one row of a time before ids; a tool's result; a bad row. */
static const char *make_agent_world(place *p)
{
    static char path[300];

    make_folder(p, "lab");
    make_folder(p, "lab/chats");
    make_folder(p, "lab/agents");
    make_folder(p, "lab/agents/fern");
    make_folder(p, "lab/agents/moss");
    put_file(p, "lab/config.json",
             "{\"id\":\"lab\",\"name\":\"The Lab\",\"description\":\"soil\",\"turnLimit\":5,"
             "\"currentChatId\":\"chat-1\"}");
    put_file(p, "lab/chats/chat-1.json", "{\"id\":\"chat-1\",\"name\":\"Soil plan\"}");
    put_file(p, "lab/agents/fern/config.json",
             "{\"id\":\"fern\",\"name\":\"Fern\",\"provider\":\"openai\",\"model\":\"gpt\"}");
    put_file(p, "lab/agents/fern/system-prompt.md", "Grow.");
    put_file(
        p, "lab/agents/fern/memory.json",
        "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"which crop?\",\"chatId\":"
        "\"chat-1\",\"messageId\":\"m1\",\"createdAt\":\"2026-01-02T03:04:05.000Z\"},"
        "{\"role\":\"assistant\",\"sender\":\"fern\",\"content\":\"@moss beans\",\"chatId\":"
        "\"chat-1\",\"messageId\":\"m2\",\"replyToMessageId\":\"m1\",\"createdAt\":"
        "\"2026-01-02T03:04:06.000Z\"},"
        "{\"role\":\"user\",\"sender\":\"moss\",\"content\":\"agreed\",\"chatId\":\"chat-1\","
        "\"messageId\":\"m3\",\"createdAt\":\"2026-01-02T03:04:07.000Z\"},"
        "{\"role\":\"user\",\"sender\":\"human\",\"content\":\"old\",\"chatId\":\"chat-1\","
        "\"createdAt\":\"2026-01-02T03:04:08.000Z\"},"
        "{\"role\":\"assistant\",\"sender\":\"fern\",\"content\":\"older\",\"chatId\":"
        "\"chat-1\",\"createdAt\":\"2026-01-02T03:04:09.000Z\"}]");
    put_file(p, "lab/agents/moss/config.json", "{\"id\":\"moss\",\"name\":\"Moss\"}");
    put_file(
        p, "lab/agents/moss/memory.json",
        "[{\"role\":\"user\",\"sender\":\"human\",\"content\":\"which crop?\",\"chatId\":"
        "\"chat-1\",\"messageId\":\"m1\",\"createdAt\":\"2026-01-02T03:04:05.000Z\"},"
        "{\"role\":\"user\",\"sender\":\"fern\",\"content\":\"@moss beans\",\"chatId\":"
        "\"chat-1\",\"messageId\":\"m2\",\"createdAt\":\"2026-01-02T03:04:06.000Z\"},"
        "{\"role\":\"assistant\",\"sender\":\"moss\",\"content\":\"agreed\",\"chatId\":"
        "\"chat-1\",\"messageId\":\"m3\",\"replyToMessageId\":\"m2\",\"createdAt\":"
        "\"2026-01-02T03:04:07.000Z\"},"
        "{\"role\":\"user\",\"sender\":\"human\",\"content\":\"old\",\"chatId\":\"chat-1\","
        "\"createdAt\":\"2026-01-02T03:04:08.000Z\"},"
        "{\"role\":\"user\",\"sender\":\"human\",\"content\":\"\",\"chatId\":\"chat-1\"}]");
    return skn_fixture_file(p->fx, "lab", path);
}

static void check_agent_world(place *p, const skn_import_report *report)
{
    skein_messages m;
    skein_world    w;
    skein_agent    fern;

    assert_int_equal(report->agents, 2);
    assert_int_equal(report->messages, 5);
    assert_int_equal(report->copies, 4);
    assert_int_equal(report->ids_kept, 3);
    assert_int_equal(report->ids_made, 2);
    assert_int_equal(report->links_kept, 2);
    assert_int_equal(report->links_guessed, 1);
    assert_int_equal(report->dropped, 1);
    m = room_of(p, report->world_id, NULL);
    assert_int_equal(m.count, 5);
    assert_string_equal(m.at[0].uid.p, "m1");
    assert_string_equal(m.at[0].sender.p, "human");
    assert_int_equal(m.at[1].role, SKEIN_ASSISTANT);
    assert_string_equal(m.at[1].sender.p, "fern");
    assert_int_equal(m.at[2].reply_to_id.v, m.at[1].id.v);
    assert_int_equal(m.at[4].reply_to_id.v, m.at[3].id.v);
    assert_int_equal(room_of(p, report->world_id, "fern").count, 5);
    m = room_of(p, report->world_id, "moss");
    assert_int_equal(m.count, 4);
    assert_int_equal(m.at[1].role, SKEIN_USER);
    assert_int_equal(m.at[2].role, SKEIN_ASSISTANT);
    SKN_OK(skein_world_find(p->e, T("the-lab"), p->mem, &w, &p->err), p->err);
    assert_int_equal(w.turn_limit, 5);
    assert_true(w.current_chat.v != 0);
    SKN_OK(skein_agent_find(p->e, w.id, T("fern"), p->mem, &fern, &p->err), p->err);
    assert_string_equal(fern.model.p, "openai/gpt");
    assert_sound(p);
}

static void copies_in_an_agent_world_folder_become_one_message(void **state)
{
    place             p;
    skn_import_report report;
    skein_agent       fern;
    skn_buf           text;

    place_open(&p, skn_fixture_of(state));
    SKN_OK(import_file(&p, make_agent_world(&p), NULL, false, &report), p.err);
    assert_string_equal(report.form.p, "agent-world folder");
    check_agent_world(&p, &report);
    SKN_OK(skein_agent_find(p.e, report.world_id, T("fern"), p.mem, &fern, &p.err), p.err);
    assert_string_equal(fern.system_prompt.p, "Grow.");
    skn_buf_init(&text, 4000);
    skn_import_report_text(&report, SKN_STR("lab"), false, &text);
    assert_has(&text,
               "lab: agent-world folder, 2 agents, 1 conversation, 5 messages\n"
               "  3 have message ids, 2 got new ones\n"
               "  2 have reply links, 1 was guessed from time and marked as guessed\n"
               "  4 were copies of a message in another agent's memory\n"
               "  1 could not be kept\n"
               "  - row 5 of \"moss\" was dropped: the message has no text\n"
               "  - world \"the-lab\": display names are not kept: Fern (fern), Moss (moss)\n"
               "It is world \"the-lab\".\n");
    skn_buf_release(&text);
    place_close(&p);
}

static void read_into(place *p, const char *name, skn_buf *out)
{
    char  path[300], piece[4096];
    FILE *in = fopen(skn_fixture_file(p->fx, name, path), "rb");

    assert_non_null(in);
    for (size_t n; (n = fread(piece, 1, sizeof piece, in)) > 0;)
        skn_buf_add(out, (skn_str){piece, n});
    fclose(in);
}

static void an_agent_world_document_is_the_same_as_its_folder(void **state)
{
    place             p;
    skn_import_report report;
    skn_buf           doc;

    place_open(&p, skn_fixture_of(state));
    make_agent_world(&p);
    skn_buf_init(&doc, 100000);
    skn_buf_addf(&doc, "{\"world\":");
    read_into(&p, "lab/config.json", &doc);
    skn_buf_addf(&doc, ",\n\"chats\":[");
    read_into(&p, "lab/chats/chat-1.json", &doc);
    skn_buf_addf(&doc,
                 "],\n\"agents\":[{\"id\":\"fern\",\"name\":\"Fern\",\"provider\":\"openai\","
                 "\"model\":\"gpt\",\"memory\":");
    read_into(&p, "lab/agents/fern/memory.json", &doc);
    skn_buf_addf(&doc, "},{\"id\":\"moss\",\"name\":\"Moss\",\"memory\":");
    read_into(&p, "lab/agents/moss/memory.json", &doc);
    skn_buf_addf(&doc, "}]}\n");
    SKN_OK(import_text(&p, "lab.json", doc.p, &report), p.err);
    assert_string_equal(report.form.p, "agent-world export");
    check_agent_world(&p, &report);
    skn_buf_release(&doc);
    place_close(&p);
}

static void a_folder_that_is_none_is_refused(void **state)
{
    place             p;
    skn_import_report report;
    char              path[300];

    place_open(&p, skn_fixture_of(state));
    make_folder(&p, "empty");
    assert_int_equal(
        import_file(&p, skn_fixture_file(p.fx, "empty", path), NULL, false, &report),
        SKEIN_DATA);
    assert_non_null(strstr(p.err.message, "is not an agent-world folder"));
    make_agent_world(&p);
    put_file(&p, "lab/agents/moss/memory.json", "[{\"role\":");
    assert_int_equal(import_file(&p, skn_fixture_file(p.fx, "lab", path), NULL, false, &report),
                     SKEIN_DATA);
    assert_non_null(strstr(p.err.message, "lab/agents/moss/memory.json"));
    assert_int_equal(skn_fixture_number(p.fx, "SELECT count(*) FROM worlds"), 0);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(openai_lines_become_a_chat_with_an_agent),
        SKN_PLACE_SQLITE(a_line_with_messages_is_a_chat_of_its_own),
        SKN_PLACE_BOTH(our_own_lines_and_document_keep_ids_links_and_hearers),
        SKN_PLACE_BOTH(a_broken_line_refuses_the_file),
        SKN_PLACE_SQLITE(a_file_of_too_many_values_is_refused),
        SKN_PLACE_BOTH(circles_are_opened_and_orphans_kept),
        SKN_PLACE_BOTH(the_hundred_and_first_level_is_unlinked),
        SKN_PLACE_SQLITE(a_circle_of_a_hundred_thousand_is_opened_at_once),
        SKN_PLACE_BOTH(copies_in_an_agent_world_folder_become_one_message),
        SKN_PLACE_SQLITE(an_agent_world_document_is_the_same_as_its_folder),
        SKN_PLACE_SQLITE(a_folder_that_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
