/* The archive: what goes out comes back as it was, on either database. */
#include "archive_kit.h"

#include <pthread.h>

/* --- What comes back ---------------------------------------------------------------------- */

static void comes_back_in(place *p, const char *kind, const skn_buf *first)
{
    place             q;
    skn_import_report report;
    skn_buf           again;

    place_new(&q, kind);
    SKN_OK(import_bytes(&q, skn_buf_str(first), NULL, &report), q.err);
    assert_true(report.exact);
    assert_sound(&q);
    archive_world(&q, report.world_id, &again);
    assert_same_bytes(first, &again);
    (void)p;
    skn_buf_release(&again);
    place_close(&q);
}

static void an_archive_comes_back_byte_for_byte(void **state)
{
    place   p;
    history h;
    skn_buf first;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    assert_sound(&p);
    archive_world(&p, h.world.id, &first);
    comes_back_in(&p, kind_of(p.fx), &first);
    skn_buf_release(&first);
    place_close(&p);
}

/* Everything that is called an amend or an edit: versions, operations and summaries. */
static void amend_and_edit(place *p, skein_conversation_id chat)
{
    skein_change      how = {.conversation = chat};
    skein_compaction  brief = {.content = T("In short."), .model = T("m")};
    skein_instruction tag = {T("ReadOnly"), T(NULL)};
    skein_message     summary;
    skein_removal     removal;
    skein_version     v;
    int64_t           covers;

    for (int i = 0; i < 6; i++)
        say_as(p, chat, SKEIN_USER, "human", "hello", NULL);
    SKN_OK(skein_compact(p->e, chat, &brief, p->mem, &summary, &covers, &p->err), p->err);
    SKN_OK(skein_amend(p->e, &how, summary.id, T("Shorter."), p->mem, &v, NULL, &p->err),
           p->err);
    SKN_OK(skein_retag(p->e, &how, ids_at(p, chat, 0), &tag, 1, p->mem, &v, NULL, &p->err),
           p->err);
    SKN_OK(skein_amend(p->e, &how, ids_at(p, chat, 0), T("edit me"), p->mem, &v, NULL, &p->err),
           p->err);
    SKN_OK(
        skein_edit(p->e, &how, ids_at(p, chat, 4), T("revise me"), p->mem, &removal, &p->err),
        p->err);
    how.resubmit = true;
    SKN_OK(skein_remove_from(p->e, &how, ids_at(p, chat, 3), true, p->mem, &removal, &p->err),
           p->err);
}

static const struct {
    const char *now, *then;
} names[] = {{"\"kind\":\"edit\"", "\"kind\":\"revise\""},
             {"\"revise\",\"actor\":\"human\",\"note\":\"edit ",
              "\"revise\",\"actor\":\"human\",\"note\":\"revise "},
             {"\"kind\":\"amend\"", "\"kind\":\"edit\""},
             {"\"note\":\"amend ", "\"note\":\"edit "},
             {"\"reason\":\"amend\"", "\"reason\":\"edit\""},
             {"{\"skein\":2,", "{\"skein\":1,"}};

/* Programs that wrote format 1 called an amend "edit", and an edit "revise". */
static void an_archive_of_format_1_is_read_with_the_old_names(void **state)
{
    place              p, q;
    skein_world        w;
    skein_conversation chat;
    skn_import_report  report;
    skn_buf            now, then, again;

    place_open(&p, skn_fixture_of(state));
    w = make_world(&p, "launch");
    SKN_OK(skein_chat_new(p.e, w.id, T("the launch"), p.mem, &chat, &p.err), p.err);
    amend_and_edit(&p, chat.id);
    archive_world(&p, w.id, &now);
    forge(&now, "", "", &then);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_has(&then, names[i].now);
        while (strstr(then.p, names[i].now)) {
            skn_buf one = then;

            forge(&one, names[i].now, names[i].then, &then);
            skn_buf_release(&one);
        }
    }
    assert_has(&then, "\"note\":\"edit from ");
    place_new(&q, kind_of(p.fx));
    SKN_OK(import_bytes(&q, skn_buf_str(&then), NULL, &report), q.err);
    archive_world(&q, report.world_id, &again);
    assert_same_bytes(&now, &again);
    skn_buf_release(&again);
    skn_buf_release(&then);
    skn_buf_release(&now);
    place_close(&q);
    place_close(&p);
}

static void an_archive_of_a_clock_that_was_ahead_comes_back(void **state)
{
    place   p;
    history h;
    skn_buf first;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    skn_fixture_sql(p.fx, "UPDATE messages SET created_at = 4070908800000000;"
                          "UPDATE versions SET created_at = 4070908800000000");
    archive_world(&p, h.world.id, &first);
    comes_back_in(&p, kind_of(p.fx), &first);
    skn_buf_release(&first);
    place_close(&p);
}

/* Of the message with this id, wherever it is. */
static skein_usage usage_of(place *p, skein_world_id world, skein_str uid)
{
    skein_message       m;
    skein_messages      one = {&m, 1};
    skein_conversation  home;
    skein_message_facts facts = {0};

    SKN_OK(skein_message_in_world(p->e, world, uid, p->mem, &m, &home, &p->err), p->err);
    SKN_OK(skein_message_explain(p->e, home.id, 0, &one, p->mem, &facts, &p->err), p->err);
    return facts.usage;
}

/* The calls themselves stay behind, what they used does not. */
static void what_a_message_used_comes_along(void **state)
{
    place             p, q;
    history           h;
    skein_slice       what = {.conversation = {0}};
    skein_messages    m;
    skein_at          at;
    skein_model_call  call = {.purpose = SKN_STR("turn"), .model = SKN_STR("demo/scripted")};
    skein_usage       usage;
    skn_import_report report;
    skn_buf           first;
    skein_str         uid;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    what.conversation = h.chat.id;
    SKN_OK(skein_read(p.e, &what, p.mem, &m, &at, &p.err), p.err);
    call.world = h.world.id;
    call.chat = h.chat.id;
    for (size_t i = 0; i < m.count; i++)
        if (m.at[i].role == SKEIN_ASSISTANT)
            call.message_uid = m.at[i].uid;
    call.state = SKN_STR("answered");
    call.tokens_in = 120;
    call.tokens_out = 0;
    call.tokens_cached = 100;
    call.tokens_written = 20;
    call.cost = 1500;
    call.estimated = true;
    SKN_OK(skein_model_call_keep(p.e, &call, p.mem, &uid, &p.err), p.err);
    archive_world(&p, h.world.id, &first);
    assert_has(&first, "\"tokens_in\":120,\"tokens_out\":0,\"tokens_estimated\":1,");
    assert_has(&first, "\"tokens_cached\":100,\"tokens_written\":20,\"cost\":1500");
    place_new(&q, kind_of(p.fx));
    SKN_OK(import_bytes(&q, skn_buf_str(&first), NULL, &report), q.err);
    usage = usage_of(&q, report.world_id, call.message_uid);
    assert_true(usage.known);
    assert_int_equal(usage.tokens_in, 120);
    assert_int_equal(usage.tokens_out, 0);
    assert_int_equal(usage.tokens_cached, 100);
    assert_int_equal(usage.tokens_written, 20);
    assert_int_equal(usage.cost, 1500);
    assert_true(usage.estimated);
    comes_back_in(&p, kind_of(p.fx), &first);
    skn_buf_release(&first);
    place_close(&q);
    place_close(&p);
}

/* A table that a world with everything in it does not fill would not be tested by any of
 * these. */
static void every_table_is_in_the_archive_of_a_full_world(void **state)
{
    place   p;
    history h;
    skn_buf archive;
    char    row[60];

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    for (size_t i = 0; i < SKN_AR_TABLES; i++) {
        snprintf(row, sizeof row, "\n{\"t\":\"%s\",", skn_archive_tables[i].name);
        assert_has(&archive, row);
    }
    skn_buf_release(&archive);
    place_close(&p);
}

/* A column or table that is added to the store has to be added here, or named as needless. */
static void an_archive_knows_every_table_and_column(void **state)
{
    static const char needless[] =
        "('meta','idempotency','message_calls','schema_version','events','turns','deliveries',"
        "'waiting','edit_errors','settings','answers','sessions','tasks','inbox','knowledge','"
        "expected',"
        "'pieces','blobs','model_calls','written','audit','definitions','learned')";
    /* What only agents at work need: they do not come along. Settings may hold secrets. */
    static const char beside[] =
        "('worlds.settings','agents.paused_at','agents.run_every','agents.next_run_at',"
        "'lanes.parent_agent_id','lanes.parent_turn_id','lanes.waited','lanes.told',"
        "'lanes.title','lanes.knowledge_upto','messages.hash')";
    place   p;
    char    sql[800];
    int64_t known = 0;

    place_open(&p, skn_fixture_of(state));
    for (size_t i = 0; i < SKN_AR_TABLES; i++) {
        const skn_archive_shape *t = &skn_archive_tables[i];
        int64_t                  columns = (int64_t)t->count + t->numbered;

        snprintf(sql, sizeof sql,
                 "SELECT count(*) FROM pragma_table_info('%s') WHERE '%s.' || name NOT IN %s",
                 t->name, t->name, beside);
        for (size_t k = 0; k < t->count; k++) /* bytes have a table of their own */
            columns -= t->columns[k].kind == SKN_CELL_BYTES;
        if (skn_fixture_number(p.fx, sql) != columns)
            fail_msg("\"%s\" has other columns than its archive", t->name);
        known++;
    }
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name NOT IN %s AND "
             "name NOT LIKE 'message_words%%' AND name NOT LIKE 'sqlite_%%'",
             needless);
    assert_int_equal(skn_fixture_number(p.fx, sql), known);
    place_close(&p);
}

static void an_archive_crosses_to_the_other_database_and_back(void **state)
{
    place             p, q;
    history           h;
    skn_import_report report;
    skn_buf           first, there;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &first);
    place_new(&q, "sqlite");
    SKN_OK(import_bytes(&q, skn_buf_str(&first), NULL, &report), q.err);
    archive_world(&q, report.world_id, &there);
    assert_same_bytes(&first, &there);
    comes_back_in(&q, "pg", &there);
    skn_buf_release(&first);
    skn_buf_release(&there);
    place_close(&q);
    place_close(&p);
}

static void an_archive_says_what_waited_and_is_not_in_it(void **state)
{
    place               p, q;
    history             h;
    skn_import_report   report;
    skn_buf             archive;
    skein_conversations chats;
    skein_posted        out;
    skein_post  post = {.message = &(skein_new_message){.content = skein_text("hello")}};
    skein_agent agent = {.name = skein_text("eager")};

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    agent.world = h.world.id;
    SKN_OK(skein_agent_new(p.e, &agent, p.mem, &p.err), p.err);
    SKN_OK(skein_conversation_list(p.e, h.world.id, p.mem, &chats, &p.err), p.err);
    for (size_t i = 0; i < chats.count && !post.chat.v; i++)
        if (chats.at[i].mode == SKEIN_CHAT)
            post.chat = chats.at[i].id;
    for (int i = 0; i < 3; i++) /* the first is said, the others wait */
        SKN_OK(skein_post_message(p.e, &post, p.mem, &out, &p.err), p.err);
    archive_world(&p, h.world.id, &archive);
    place_new(&q, p.fx->pg ? "pg" : "sqlite");
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    assert_false(report.exact);
    assert_int_equal(report.note_count, 1);
    assert_string_equal(report.notes[0].p, "2 waiting messages are not kept");
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* They name programs that the server would start. */
static void an_archive_never_carries_commands_and_its_import_says_so(void **state)
{
    place              p, q;
    history            h;
    skn_import_report  report;
    skn_buf            archive;
    skein_world        world;
    skein_world_change change = {
        .settings = skein_text("{\"mcpServers\":{\"x\":{\"command\":[\"planted\"]}}}")};

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    change.id = h.world.id;
    SKN_OK(skein_world_patch(p.e, &change, p.mem, &world, &p.err), p.err);
    archive_world(&p, h.world.id, &archive);
    assert_true(skn_str_find(skn_buf_str(&archive), SKN_STR("planted")) < 0);
    place_new(&q, p.fx->pg ? "pg" : "sqlite");
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    assert_int_equal(report.note_count, 1);
    assert_string_equal(report.notes[0].p, "1 tool server is not kept: an archive never "
                                           "carries commands. Set mcpServers again");
    SKN_OK(skein_world_find(q.e, skein_text("launch"), q.mem, &world, &q.err), q.err);
    assert_int_equal(world.settings.n, 0);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

static void an_archive_is_told_as_a_world_and_its_chats(void **state)
{
    place               p, q;
    history             h;
    skn_import_report   report;
    skn_buf             archive;
    skein_conversations chats;
    skein_event_query   what = {0};
    skein_events        e;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, p.fx->pg ? "pg" : "sqlite");
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    SKN_OK(skein_conversation_list(q.e, report.world_id, q.mem, &chats, &q.err), q.err);
    SKN_OK(skein_events_read(q.e, &what, q.mem, &e, &q.err), q.err);
    assert_int_equal(e.count, 1 + chats.count);
    assert_string_equal(e.at[0].type.p, "world.updated");
    for (size_t i = 1; i < e.count; i++)
        assert_string_equal(e.at[i].type.p, "chat.created");
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* Ids of the store differ then, and the rows of other worlds must not be taken along. */
static void an_archive_is_the_same_out_of_a_store_with_other_worlds(void **state)
{
    place             p, q;
    history           h;
    skn_import_report report;
    skn_buf           first, again;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &first);
    place_new(&q, kind_of(p.fx));
    make_history(&q, "other");
    SKN_OK(import_bytes(&q, skn_buf_str(&first), NULL, &report), q.err);
    make_history(&q, "third");
    archive_world(&q, report.world_id, &again);
    assert_same_bytes(&first, &again);
    assert_sound(&q);
    skn_buf_release(&first);
    skn_buf_release(&again);
    place_close(&q);
    place_close(&p);
}

/* The versions of a chat as one JSON text, which has every id, link and text in it. */
static void all_versions(place *p, skein_conversation_id chat, skn_buf *out)
{
    skein_versions     versions;
    skn_export_request req = {.conversation = chat, .format = SKN_FORMAT_JSONL};
    skn_buf            one;

    req.delegations = SKN_DELEGATIONS_FULL;
    SKN_OK(skein_history(p->e, chat, p->mem, &versions, &p->err), p->err);
    skn_buf_init(out, (size_t)64 << 20);
    for (size_t i = 0; i < versions.count; i++) {
        req.version = versions.at[i].number;
        export_to(p, &req, &one);
        skn_buf_addf(out, "v%lld %s %.*s\n", (long long)versions.at[i].number,
                     versions.at[i].current ? "now" : "", SKN_FMT(versions.at[i].thread_uid));
        skn_buf_add(out, skn_buf_str(&one));
        skn_buf_release(&one);
    }
}

static void every_version_reads_the_same_after_import(void **state)
{
    place              p, q;
    history            h;
    skein_conversation chat;
    skn_import_report  report;
    skn_buf            archive, before, after;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    make_history(&q, "other");
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    SKN_OK(skein_conversation_find(q.e, report.world_id, h.chat.uid, q.mem, &chat, &q.err),
           q.err);
    all_versions(&p, h.chat.id, &before);
    all_versions(&q, chat.id, &after);
    assert_same_bytes(&before, &after);
    skn_buf_release(&archive);
    skn_buf_release(&before);
    skn_buf_release(&after);
    place_close(&q);
    place_close(&p);
}

static void an_imported_chat_goes_on(void **state)
{
    place              p, q;
    history            h;
    skein_conversation chat, was;
    skein_change       how;
    skein_move         move;
    skein_version      v;
    skn_import_report  report;
    skn_buf            archive;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    SKN_OK(skein_conversation_find(q.e, report.world_id, h.chat.uid, q.mem, &was, &q.err),
           q.err);
    how = (skein_change){.conversation = was.id};
    SKN_OK(skein_amend(q.e, &how, ids_at(&q, was.id, 0), T("new"), q.mem, &v, NULL, &q.err),
           q.err);
    say_as(&q, was.id, SKEIN_USER, "human", "more", NULL);
    SKN_OK(skein_undo(q.e, &how, 1, q.mem, &move, &q.err), q.err);
    SKN_OK(skein_conversation_get(q.e, was.id, q.mem, &chat, &q.err), q.err);
    assert_int_equal(chat.version, was.version);
    assert_int_equal(chat.length, was.length);
    SKN_OK(skein_undo(q.e, &how, 1, q.mem, &move, &q.err), q.err);
    assert_sound(&q);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

static void a_branch_takes_what_it_was_branched_from_along(void **state)
{
    place              p, q;
    history            h;
    skein_conversation branch;
    skn_import_report  report;
    skn_buf            first, again;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    SKN_OK(skein_conversation_find(p.e, h.world.id, T("aside"), p.mem, &branch, &p.err), p.err);
    archive_chat(&p, branch.id, &first);
    assert_lacks(&first, "\"mode\":\"background\"");
    place_new(&q, kind_of(p.fx));
    SKN_OK(import_bytes(&q, skn_buf_str(&first), NULL, &report), q.err);
    assert_int_equal(report.conversations, 2);
    assert_sound(&q);
    SKN_OK(skein_conversation_find(q.e, report.world_id, T("aside"), q.mem, &branch, &q.err),
           q.err);
    archive_chat(&q, branch.id, &again);
    assert_same_bytes(&first, &again);
    skn_buf_release(&first);
    skn_buf_release(&again);
    place_close(&q);
    place_close(&p);
}

enum { WRITERS = 3, EACH = 40 };

typedef struct writer {
    place                *p;
    skein_conversation_id chat;
    skein_error           err;
    int                   stored;
} writer;

static void *keep_writing(void *arg)
{
    writer              *w = arg;
    skein_mem           *mem = skein_mem_new();
    skein_new_message    m = {.content = T("meanwhile")};
    skein_append_request req = {.conversation = w->chat, .messages = &m, .count = 1};
    skein_messages       stored;

    while (w->stored < EACH && !skein_append(w->p->e, &req, mem, &stored, &w->err)) {
        w->stored++;
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return NULL;
}

/* Ids are given out in ranges while others write: none is given twice, and nobody fails. */
static void an_import_gets_along_with_writers(void **state)
{
    place             p, q;
    history           h;
    skein_world       other;
    writer            w[WRITERS];
    pthread_t         threads[WRITERS];
    skn_import_report report;
    skn_buf           archive;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    other = make_world(&q, "other");
    for (size_t i = 0; i < WRITERS; i++) {
        skein_conversation chat;

        SKN_OK(skein_chat_new(q.e, other.id, T("busy"), q.mem, &chat, &q.err), q.err);
        w[i] = (writer){.p = &q, .chat = chat.id};
    }
    for (size_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_writing, &w[i]), 0);
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    for (size_t i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        if (w[i].stored != EACH)
            fail_msg("a writer failed: %s", w[i].err.message);
    }
    assert_sound(&q);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* The search index follows by itself, in batches. */
static void an_imported_text_is_found(void **state)
{
    place                p, q;
    history              h;
    skein_search_request what = {.query = T("Friday clashes")};
    skein_hits           hits;
    skn_import_report    report;
    skn_buf              archive;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    make_world(&q, "other");
    SKN_OK(skein_search(q.e, &what, q.mem, &hits, &q.err), q.err);
    assert_int_equal(hits.count, 0);
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), NULL, &report), q.err);
    SKN_OK(skein_search(q.e, &what, q.mem, &hits, &q.err), q.err);
    assert_int_equal(hits.count, 1);
    assert_true(skn_str_eq(hits.at[0].conversation.uid, h.chat.uid));
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* --- Names and ids that are there --------------------------------------------------------- */

static void a_taken_name_is_a_conflict_and_another_name_helps(void **state)
{
    place             p, q;
    history           h;
    skn_import_report report;
    skn_buf           archive;
    int64_t           before;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    make_world(&q, "launch");
    before = rows_of(&q);
    assert_int_equal(import_bytes(&q, skn_buf_str(&archive), NULL, &report), SKEIN_CONFLICT);
    assert_string_equal(q.err.message, "there is a world \"launch\" already");
    assert_non_null(strstr(q.err.hint, "--as"));
    assert_int_equal(rows_of(&q), before);
    SKN_OK(import_bytes(&q, skn_buf_str(&archive), "Again", &report), q.err);
    assert_string_equal(report.world.p, "again");
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

static void the_same_archive_twice_is_a_conflict(void **state)
{
    place             p;
    history           h;
    skn_import_report report;
    skn_buf           archive;
    int64_t           before;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    before = rows_of(&p);
    assert_int_equal(import_bytes(&p, skn_buf_str(&archive), "copy", &report), SKEIN_CONFLICT);
    assert_non_null(strstr(p.err.message, "already in this store"));
    assert_int_equal(rows_of(&p), before);
    skn_buf_release(&archive);
    place_close(&p);
}

/* A world that was removed keeps its rows, and with them its ids. */
static void an_archive_of_a_removed_world_is_still_a_conflict(void **state)
{
    place             p;
    history           h;
    skn_import_report report;
    skn_buf           archive;
    int64_t           before;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    SKN_OK(skein_world_remove(p.e, h.world.id, false, &p.err), p.err);
    before = rows_of(&p);
    assert_int_equal(import_bytes(&p, skn_buf_str(&archive), NULL, &report), SKEIN_CONFLICT);
    assert_non_null(strstr(p.err.message, "already in this store"));
    assert_int_equal(rows_of(&p), before);
    skn_buf_release(&archive);
    place_close(&p);
}

static void a_dry_run_writes_nothing(void **state)
{
    place             p, q;
    history           h;
    skn_import_report report;
    skn_buf           archive, text;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    SKN_OK(
        import_file(&q, write_file(&q, "in.skein", skn_buf_str(&archive)), NULL, true, &report),
        q.err);
    assert_int_equal(rows_of(&q), 0);
    assert_int_equal(report.agents, 3);
    assert_int_equal(report.conversations, 3);
    skn_buf_init(&text, 4000);
    skn_import_report_text(&report, SKN_STR("in.skein"), true, &text);
    assert_has(&text, "in.skein: skein archive, 3 agents, 3 conversations, ");
    assert_has(&text, "Nothing was written (-n).\n");
    skn_buf_release(&text);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* --- Sinks -------------------------------------------------------------------------------- */

static skein_rc refuse_piece(void *arg, skn_str bytes, skein_error *err)
{
    int *left = arg;

    (void)bytes;
    return (*left)-- > 0 ? SKEIN_OK : skn_fail(err, SKEIN_IO, "the pipe is closed");
}

static void a_sink_that_refuses_ends_the_export(void **state)
{
    place              p;
    history            h;
    int                left = 5;
    skn_sink           sink = {refuse_piece, &left};
    skn_export_request req = {.format = SKN_FORMAT_ARCHIVE};

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    req.world = h.world.id;
    assert_int_equal(skn_export(p.e, &req, &sink, &p.err), SKEIN_IO);
    assert_string_equal(p.err.message, "the pipe is closed");
    assert_int_equal(left, -1);
    place_close(&p);
}

static void a_part_of_a_conversation_is_no_archive(void **state)
{
    place              p;
    history            h;
    skn_buf            out;
    skn_sink           sink = skn_sink_buf(&out);
    skn_export_request req = {.format = SKN_FORMAT_ARCHIVE, .version = 1};

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    req.conversation = h.chat.id;
    assert_int_equal(skn_export(p.e, &req, &sink, &p.err), SKEIN_USAGE);
    assert_string_equal(p.err.message, "an archive is always complete");
    place_close(&p);
}

/* It would go into requests as it stands. */
static void reasoning_that_no_model_makes_is_left_out(void **state)
{
    static const char *const forgeries[][2] = {
        {"\\\"redacted_thinking\\\"", "\\\"text\\\""},
        {"\\\"redacted_thinking\\\"", "\\\"thinking\\\""},
        {"\\\"data\\\":\\\"x\\\"", "\\\"data\\\":\\\"x\\\",\\\"cache_control\\\":\\\"x\\\""},
        {"\\\"data\\\":\\\"x\\\"", "\\\"data\\\":[1]"},
        {"\\\"type\\\":\\\"anthropic\\\"", "\\\"type\\\":\\\"openai\\\""},
        {"\\\"call\\\":0,", "\\\"call\\\":\\\"0\\\","},
        {"\\\"model\\\":\\\"a/m\\\",\\\"parts\\\"", "\\\"model\\\":\\\"a/m\\\",\\\"arts\\\""},
    };
    const char *left = "SELECT COUNT(*) FROM messages WHERE reasoning IS NOT NULL";
    place       p, q;
    history     h;
    skn_buf     archive, forged;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    for (size_t i = 0; i <= sizeof forgeries / sizeof *forgeries; i++) {
        bool              good = i == sizeof forgeries / sizeof *forgeries;
        skn_import_report report;

        if (good)
            forge(&archive, "Plan the launch", "Plan the launch", &forged);
        else
            forge(&archive, forgeries[i][0], forgeries[i][1], &forged);
        place_new(&q, p.fx->pg ? "pg" : "sqlite");
        SKN_OK(import_bytes(&q, skn_buf_str(&forged), NULL, &report), q.err);
        assert_int_equal(report.exact, good);
        assert_int_equal(report.note_count, !good);
        if (!good)
            assert_string_equal(report.notes[0].p,
                                "what models want back of their thinking is not kept of 1 "
                                "message: it has parts that no model makes");
        assert_int_equal(skn_fixture_number(q.fx, left), good);
        skn_buf_release(&forged);
        place_close(&q);
    }
    skn_buf_release(&archive);
    place_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(an_archive_comes_back_byte_for_byte),
        SKN_PLACE_BOTH(an_archive_of_format_1_is_read_with_the_old_names),
        SKN_PLACE_BOTH(an_archive_of_a_clock_that_was_ahead_comes_back),
        SKN_PLACE_BOTH(what_a_message_used_comes_along),
        SKN_PLACE_SQLITE(every_table_is_in_the_archive_of_a_full_world),
        SKN_PLACE_SQLITE(an_archive_knows_every_table_and_column),
        SKN_PLACE_PG(an_archive_crosses_to_the_other_database_and_back),
        SKN_BOTH(an_archive_says_what_waited_and_is_not_in_it),
        SKN_BOTH(an_archive_never_carries_commands_and_its_import_says_so),
        SKN_PLACE_BOTH(an_archive_is_told_as_a_world_and_its_chats),
        SKN_PLACE_BOTH(an_archive_is_the_same_out_of_a_store_with_other_worlds),
        SKN_PLACE_BOTH(every_version_reads_the_same_after_import),
        SKN_PLACE_BOTH(an_imported_chat_goes_on),
        SKN_PLACE_BOTH(a_branch_takes_what_it_was_branched_from_along),
        SKN_PLACE_BOTH(an_import_gets_along_with_writers),
        SKN_PLACE_BOTH(an_imported_text_is_found),
        SKN_PLACE_BOTH(a_taken_name_is_a_conflict_and_another_name_helps),
        SKN_PLACE_BOTH(the_same_archive_twice_is_a_conflict),
        SKN_PLACE_BOTH(an_archive_of_a_removed_world_is_still_a_conflict),
        SKN_PLACE_BOTH(a_dry_run_writes_nothing),
        SKN_PLACE_SQLITE(a_sink_that_refuses_ends_the_export),
        SKN_PLACE_SQLITE(a_part_of_a_conversation_is_no_archive),
        SKN_BOTH(reasoning_that_no_model_makes_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
