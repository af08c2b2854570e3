/* The archive: what goes out comes back as it was, on either database, and nothing else comes in. */
#include "exchange_kit.h"

#include "base/sha256.h"
#include "engine/archive.h"

/* --- A world with everything in it ------------------------------------------------------------------- */

typedef struct history {
    skein_world        world;
    skein_conversation chat, branch;
} history;

static skein_message_id ids_at(place *p, skein_conversation_id chat, int64_t position)
{
    skein_slice    what = {.conversation = chat, .from = position, .count = 1};
    skein_messages m;
    skein_at       at;

    SKN_OK(skein_read(p->e, &what, p->mem, &m, &at, &p->err), p->err);
    assert_int_equal(m.count, 1);
    return m.at[0].id;
}

static void talk(place *p, skein_conversation_id chat)
{
    skein_tool_call call = {T("call_1"), T("search"), T("{\"q\": [1, \"\xf0\x9f\x8c\xb1\"]}")};
    skein_instruction tags[] = {{T("Source.User"), T(NULL)},
                                {T("ResponseExpected"), T("lead")}};
    skein_new_message asks = {
        .content = T("Plan the launch.\n\t\"quoted\" \\ \x01 \xe2\x80\xa9"),
        .instructions = tags,
        .instruction_count = 2};
    skein_message     first = say(p, chat, NULL, &asks);
    skein_new_message works = {.role = SKEIN_ASSISTANT, .sender = T("lead"), .calls = &call};
    skein_new_message result = {
        .role = SKEIN_TOOL, .content = T("nothing"), .tool_failed = true};

    works.call_count = 1;
    works.thinking = T("hm");
    works.model = T("demo/scripted");
    works.turn_uid = T("turn-1");
    works.reply_to = first.uid;
    result.tool_call_id = call.call_id;
    say(p, chat, NULL, &works);
    say(p, chat, NULL, &result);
    say_as(p, chat, SKEIN_ASSISTANT, "ada", "The dates: noon.", first.uid.p);
    say_as(p, chat, SKEIN_ASSISTANT, "bo", "Friday clashes.", "nobody-said-this");
    say_as(p, chat, SKEIN_USER, "human", "Then Monday.", NULL);
}

static void delegate(place *p, skein_conversation_id chat)
{
    skein_new_message inside = {
        .role = SKEIN_ASSISTANT, .sender = T("ada"), .content = T("done")};
    skein_lane lane, deeper;

    SKN_OK(skein_lane_new(p->e, chat, T(NULL), ids_at(p, chat, 1), T("call_1"), p->mem, &lane,
                          &p->err),
           p->err);
    say(p, chat, lane.key.p, &inside);
    SKN_OK(skein_lane_new(p->e, chat, lane.key, (skein_message_id){0}, T(NULL), p->mem, &deeper,
                          &p->err),
           p->err);
    SKN_OK(skein_lane_finish(p->e, lane.id, SKEIN_LANE_DONE, &p->err), p->err);
}

static void change(place *p, skein_conversation_id chat)
{
    skein_change      how = {.conversation = chat};
    skein_message_id  two[2];
    skein_squash_spec spec = {.sources = {two, 2}, .content = T("both"), .prompt = T("why")};
    skein_version     v;
    skein_move        move;
    skein_squash      squash;
    skein_removal     removal;

    SKN_OK(skein_edit(p->e, &how, ids_at(p, chat, 3), T("The dates: one."), p->mem, &v, NULL,
                      &p->err),
           p->err);
    two[0] = ids_at(p, chat, 3);
    two[1] = ids_at(p, chat, 4);
    SKN_OK(skein_squash_messages(p->e, &how, &spec, p->mem, &squash, &p->err), p->err);
    SKN_OK(skein_undo(p->e, &how, 1, p->mem, &move, &p->err), p->err);
    SKN_OK(skein_reorder(p->e, &how, (skein_message_ids){two, 1}, ids_at(p, chat, 0), p->mem,
                         &v, &p->err),
           p->err);
    SKN_OK(skein_delete(p->e, &how, (skein_message_ids){two + 1, 1}, p->mem, &v, &p->err),
           p->err);
    say_as(p, chat, SKEIN_USER, "human", "after the change", NULL);
    SKN_OK(skein_remove_from(p->e, &how, ids_at(p, chat, 4), false, p->mem, &removal, &p->err),
           p->err);
    SKN_OK(skein_undo(p->e, &how, 1, p->mem, &move, &p->err), p->err);
}

static void sum_up(place *p, skein_conversation_id chat)
{
    skein_compaction what = {.content = T("In short: Monday."), .model = T("m")};
    skein_message    summary;
    int64_t          covers;

    SKN_OK(skein_compact(p->e, chat, &what, p->mem, &summary, &covers, &p->err), p->err);
    say_as(p, chat, SKEIN_USER, "human", "go on", NULL);
}

static void dress(place *p, const history *h)
{
    skein_str          items[] = {{"142:156", 7}, {"fun x", 5}};
    skein_context_file file = {T("src/main.c"), items, 2};
    skein_tag          tag = {.name = T("expect"), .control = T("toggle"), .target = T("lead")};

    tag.instruction = T("ResponseExpected");
    tag.include_in_message = true;
    SKN_OK(skein_tag_define(p->e, h->world.id, &tag, &p->err), p->err);
    SKN_OK(skein_tag_activate(p->e, h->chat.id, tag.name, true, &p->err), p->err);
    SKN_OK(skein_context_file_set(p->e, h->chat.id, &file, &p->err), p->err);
}

static history make_history(place *p, const char *name)
{
    history      h = {.world = make_world(p, name)};
    skein_change how;
    int64_t      erased;
    skein_agent  ada;

    SKN_OK(skein_chat_new(p->e, h.world.id, T("the launch"), p->mem, &h.chat, &p->err), p->err);
    talk(p, h.chat.id);
    delegate(p, h.chat.id);
    change(p, h.chat.id);
    how = (skein_change){.conversation = h.chat.id};
    SKN_OK(skein_branch(p->e, &how, 0, 3, T("aside"), p->mem, &h.branch, &p->err), p->err);
    say_as(p, h.branch.id, SKEIN_USER, "human", "in the branch", NULL);
    say_as(p, h.chat.id, SKEIN_USER, "human", "in the chat meanwhile", NULL);
    sum_up(p, h.chat.id);
    skein_message_id gone = ids_at(p, h.chat.id, 3);
    SKN_OK(skein_purge(p->e, &how, (skein_message_ids){&gone, 1}, &erased, &p->err), p->err);
    dress(p, &h);
    SKN_OK(skein_agent_find(p->e, h.world.id, T("ada"), p->mem, &ada, &p->err), p->err);
    SKN_OK(skein_conversation_of(p->e, ada.id, SKEIN_BACKGROUND, p->mem, &h.branch, &p->err),
           p->err);
    SKN_OK(
        skein_conversation_list(p->e, h.world.id, p->mem, &(skein_conversations){0}, &p->err),
        p->err);
    return h;
}

/* --- What comes back ----------------------------------------------------------------------------------- */

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

/* A table that a world with everything in it does not fill would not be tested by any of these. */
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
    static const char needless[] = "('meta','idempotency','message_calls','schema_version')";
    place             p;
    char              sql[400];
    int64_t           known = 0;

    place_open(&p, skn_fixture_of(state));
    for (size_t i = 0; i < SKN_AR_TABLES; i++) {
        const skn_archive_shape *t = &skn_archive_tables[i];

        snprintf(sql, sizeof sql, "SELECT count(*) FROM pragma_table_info('%s')", t->name);
        if (skn_fixture_number(p.fx, sql) != (int64_t)t->count + t->numbered)
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
    SKN_OK(skein_edit(q.e, &how, ids_at(&q, was.id, 0), T("new"), q.mem, &v, NULL, &q.err),
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

/* The index of words follows by itself, in batches. */
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

/* --- Names and ids that are there --------------------------------------------------------------------- */

static int64_t rows_of(place *p)
{
    return skn_fixture_number(p->fx, "SELECT (SELECT count(*) FROM worlds) + "
                                     "(SELECT count(*) FROM messages) + "
                                     "(SELECT count(*) FROM items)");
}

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
    SKN_OK(skein_world_remove(p.e, h.world.id, &p.err), p.err);
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

/* --- What does not come in ------------------------------------------------------------------------------ */

static void refuse(place *q, skn_str bytes, const char *why)
{
    skn_import_report report;
    skein_rc          rc = import_bytes(q, bytes, NULL, &report);

    if (rc != SKEIN_DATA)
        fail_msg("%d (%s) and not refused for \"%s\"", (int)rc, rc ? q->err.message : "", why);
    if (!strstr(q->err.message, why))
        fail_msg("refused for \"%s\" and not for \"%s\"", q->err.message, why);
}

static void a_truncated_archive_is_refused(void **state)
{
    place   p, q;
    history h;
    skn_buf archive;
    size_t  last;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    for (last = archive.n - 1; archive.p[last - 1] != '\n';)
        last--;
    refuse(&q, (skn_str){archive.p, archive.n - 1}, "is cut off");
    refuse(&q, (skn_str){archive.p, last}, "is cut off");
    for (size_t n = 17; n < last; n += archive.n / 60)
        refuse(&q, (skn_str){archive.p, n}, "");
    refuse(&q, SKN_STR(""), "is cut off");
    assert_int_equal(rows_of(&q), 0);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

static void an_altered_archive_is_refused(void **state)
{
    place   p, q;
    history h;
    skn_buf archive;

    place_open(&p, skn_fixture_of(state));
    h = make_history(&p, "launch");
    archive_world(&p, h.world.id, &archive);
    place_new(&q, kind_of(p.fx));
    for (size_t at = 0; at < archive.n; at += archive.n / 150) {
        char was = archive.p[at];

        archive.p[at] = (char)(was ^ 1);
        refuse(&q, skn_buf_str(&archive), "");
        archive.p[at] = was;
    }
    memcpy(strstr(archive.p, "Then Monday"), "Then Sunday", 11);
    refuse(&q, skn_buf_str(&archive), "was altered");
    assert_int_equal(rows_of(&q), 0);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* The archive with one text replaced by another, and a last line that fits again. */
static void forge(const skn_buf *archive, const char *from, const char *to, skn_buf *out)
{
    const char *at = strstr(archive->p, from), *end = archive->p + archive->n - 1;
    char        digits[SKN_SHA256_TEXT];
    skn_sha256  hash;
    int64_t     rows = -1;

    if (!at)
        fail_msg("\"%s\" is not in the archive: %s", from, archive->p);
    while (end[-1] != '\n')
        end--;
    skn_buf_init(out, archive->n + 1000);
    skn_buf_add(out, (skn_str){archive->p, (size_t)(at - archive->p)});
    skn_buf_addf(out, "%s", to);
    at += strlen(from);
    skn_buf_add(out, (skn_str){at, (size_t)(end - at)});
    for (size_t i = 0; i < out->n; i++)
        rows += out->p[i] == '\n';
    skn_sha256_init(&hash);
    skn_sha256_add(&hash, skn_buf_str(out));
    skn_buf_addf(out, "{\"end\":true,\"rows\":%lld,\"sha256\":\"%s\"}\n", (long long)rows,
                 skn_sha256_text(&hash, digits).p);
}

/* A small archive in which every row is known, so that each can be spoiled. */
static void make_known(place *p, skn_buf *out)
{
    skein_world        w = {.name = T("known")};
    skein_agent        a = {.name = T("ada")};
    skein_conversation chat, branch;
    skein_change       how;
    skein_version      v;
    skein_message      first;
    skein_lane         lane;
    skein_move         move;

    SKN_OK(skein_world_new(p->e, &w, p->mem, &p->err), p->err);
    a.world = w.id;
    SKN_OK(skein_agent_new(p->e, &a, p->mem, &p->err), p->err);
    SKN_OK(skein_chat_new(p->e, w.id, T("one"), p->mem, &chat, &p->err), p->err);
    first = say_as(p, chat.id, SKEIN_USER, "human", "hello", NULL);
    say_as(p, chat.id, SKEIN_ASSISTANT, "ada", "hi", first.uid.p);
    SKN_OK(skein_lane_new(p->e, chat.id, T(NULL), first.id, T("c"), p->mem, &lane, &p->err),
           p->err);
    how = (skein_change){.conversation = chat.id};
    SKN_OK(skein_edit(p->e, &how, first.id, T("hello there"), p->mem, &v, NULL, &p->err),
           p->err);
    SKN_OK(skein_undo(p->e, &how, 1, p->mem, &move, &p->err), p->err);
    SKN_OK(skein_branch(p->e, &how, 1, 1, T("two"), p->mem, &branch, &p->err), p->err);
    archive_world(p, w.id, out);
}

static const struct {
    const char *from, *to, *why;
} forgeries[] = {
    {"{\"skein\":1,", "{\"skein\":2,", "format 2"},
    {"{\"skein\":1,", "{\"skein\":1, ", "line 1 is damaged"},
    {"{\"skein\":1,", "{\"schema\":1,", "does not begin as an archive does"},
    {"{\"t\":\"worlds\",\"n\":1,", "{\"t\":\"worlds\",\"n\":2,", "missing or twice"},
    {"{\"t\":\"worlds\"", "{\"t\":\"planets\"", "names no table"},
    {"\"name\":\"known\"", "\"name\":\"Known\"", "is no name"},
    {"\"name\":\"known\"", "\"name\":7", "must be a text"},
    {"\"name\":\"known\",", "", "\"name\" is missing"},
    {"\"name\":\"known\"", "\"name\":\"kn\xffown\"", "is no JSON"},
    {"\"name\":\"known\"", "\"name\":\"kn\\u0000own\"", "is no JSON"},
    {"\"name\":\"known\"", "\"name\":\"kn\\ud800own\"", "is no JSON"},
    {"\"name\":\"known\"", "\"name\":\"kn\\u006fwn\"",
     "is not written as an archive writes it"},
    {"\"name\":\"known\"", "\"name\":\"known\",\"colour\":1", "is missing"},
    {"}\n{\"t\":\"versions\",\"n\":1,", ",\"colour\":1}\n{\"t\":\"versions\",\"n\":1,",
     "unknown or out of order"},
    {"\"turn_limit\":8", "\"turn_limit\":\"8\"", "must be a number"},
    {"\"turn_limit\":8", "\"turn_limit\":-8", "out of range"},
    {"\"turn_limit\":8", "\"turn_limit\":99999999999999999999", "out of range"},
    {"\"turn_limit\":8", "\"turn_limit\":8.0", "out of range"},
    {"\"current_conversation_id\":1", "\"current_conversation_id\":3", "is referred to"},
    {"\"mode\":\"chat\"", "\"mode\":\"chats\"", "none of its words"},
    {"\"mode\":\"chat\"", "\"mode\":\"foreground\"", "conversations that are no chat"},
    {"\"branched_from_id\":1,", "\"branched_from_id\":2,", "stand before it"},
    {"\"title\":\"one\",\"version_id\":1", "\"title\":\"one\",\"version_id\":3",
     "belongs to another"},
    {"\"title\":\"one\",\"version_id\":1", "\"title\":\"one\",\"version_id\":44",
     "is referred to"},
    {"\"title\":\"one\",\"version_id\":1,", "\"title\":\"one\",", "needs a \"version_id\""},
    {"\"number\":2,\"origin_id\":1", "\"number\":2,\"origin_id\":2", "stand before it"},
    {"\"number\":2,\"origin_id\":1", "\"number\":3,\"origin_id\":1", "not numbered 1, 2, 3"},
    {"\"key\":\"main.1\",\"parent_id\":1", "\"key\":\"main.1\",\"parent_id\":3",
     "stand before it"},
    {"\"key\":\"main.1\"", "\"key\":\"main.2\"", "is no key"},
    {"\"key\":\"@1\"", "\"key\":\"@2\"", "is no key"},
    {"\"reply_to_id\":1", "\"reply_to_id\":2", "stand before it"},
    {"\"reply_to_id\":1", "\"reply_to_id\":0", "out of range"},
    {"\"reply_depth\":1", "\"reply_depth\":100", "out of range"},
    {"\"reply_depth\":1", "\"reply_depth\":2", "does not fit to its parent's"},
    {"\"lineage_id\":1,", "", "go together"},
    {"\"version_of_id\":1", "\"version_of_id\":3", "stand before it"},
    {"\"role\":\"assistant\"", "\"role\":\"tool\"", "needs a \"tool_call_id\""},
    {"\"role\":\"user\",\"author\":\"human\"", "\"role\":\"user\",\"author\":\"ghost\"",
     "none of its words"},
    {"\"origin_id\":1,\"origin_length\":2,\"root_id\"",
     "\"origin_id\":9,\"origin_length\":2,\"root_id\"", "stand before it"},
    {"\"root_id\":1", "\"root_id\":77", "is referred to"},
    {"\"base_length\":2", "\"base_length\":3", "not as long as its node says"},
    {"{\"t\":\"items\",\"thread_id\":1,\"seq\":0,",
     "{\"t\":\"items\",\"thread_id\":1,\"seq\":1,", "without a gap"},
    {"{\"t\":\"items\",\"thread_id\":1,\"seq\":0,\"message_id\":1",
     "{\"t\":\"items\",\"thread_id\":1,\"seq\":0,\"message_id\":9", "stand before it"},
    {"\"level\":0,\"entries\":[[1,", "\"level\":0,\"entries\":[[7,",
     "items that are not there"},
    {"\"level\":0,\"entries\":[[1,", "\"level\":0,\"entries\":[[0,",
     "without length or source"},
    {"\"level\":0,\"entries\":[[1,", "\"level\":1,\"entries\":[[1,",
     "items that are not there"},
    {"\"level\":0,\"entries\":[[1,", "\"level\":0,\"entries\":[7,[1,", "four or five numbers"},
    {"\"entries\":[[1,1,1,3,-1]", "\"entries\":[[1,1,1,9,-1]", "a thread that is not there"},
    {"\"entries\":[[1,1,1,3,-1]", "\"entries\":[[1,1,1,5,-1]", "of a stranger's conversation"},
    {"\"entries\":[[1,1,1,3,-1]", "\"entries\":[[1,1,1,3,-2]", "items that are not there"},
    {"\"entries\":[[1,1,1,3,-1]", "\"entries\":[[1,2,2,3,-1]", "keys that are not there"},
    {"\"entries\":[[1,1,1,3,-1]", "\"entries\":[[1,1,9,3,-1]", "keys that are not there"},
    {"\"level\":0,\"entries\":[[1,1,1,3,-1],", "\"level\":1,\"entries\":[[1,1,1,1],",
     "does not stand before it"},
    {"\"level\":0,\"entries\":[[1,1,1,1,0]]}", "\"level\":1,\"entries\":[[1,1,1,2]]}",
     "does not say what its node holds"},
    {"{\"t\":\"nodes\",\"n\":4", "{\"t\":\"nodes\",\"n\":3", "missing or twice"},
    {"{\"t\":\"ops\",\"n\":2", "{\"t\":\"nodes\",\"n\":5", "\"level\" is missing"},
    {"\"from_version_id\":1", "\"from_version_id\":3", "of another conversation"},
    {"\"undoes_id\":1", "\"undoes_id\":2", "stand before it"},
};

static void a_forged_row_is_refused_and_nothing_is_written(void **state)
{
    place   p, q;
    skn_buf archive, forged;

    place_open(&p, skn_fixture_of(state));
    make_known(&p, &archive);
    place_new(&q, kind_of(p.fx));
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        forge(&archive, forgeries[i].from, forgeries[i].to, &forged);
        refuse(&q, skn_buf_str(&forged), forgeries[i].why);
        skn_buf_release(&forged);
    }
    assert_int_equal(rows_of(&q), 0);
    forge(&archive, "hello there", "hello there!", &forged);
    SKN_OK(import_bytes(&q, skn_buf_str(&forged), NULL, &(skn_import_report){0}), q.err);
    skn_buf_release(&forged);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* What fits together row by row and still would not be a sound store is found as fsck finds it. */
static void an_archive_that_is_not_sound_is_refused_and_nothing_is_written(void **state)
{
    static const struct {
        const char *from, *to, *why;
    } unsound[] = {
        {"\"children\":1,", "\"children\":7,", "is not sound: I27"},
        {"\"kind\":\"undo\"", "\"kind\":\"edit\"", "is not sound: I12"},
        {"\"from_version_id\":2,\"to_version_id\":1", "\"from_version_id\":1,\"to_version_id\":1",
         "is not sound: I12"},
        {"\"reply_to_uid\":\"", "\"reply_to_uid\":\"x", "is not sound: C16"},
        {"\"origin_length\":2,\"root_id\":1", "\"origin_length\":9,\"root_id\":1",
         "is not sound: I8"},
        {"\"key\":\"@1\",\"agent_id\":1", "\"key\":\"main\",\"agent_id\":1",
         "this row of \"lanes\" is twice in it"},
    };
    place   p, q;
    skn_buf archive, forged;

    place_open(&p, skn_fixture_of(state));
    make_known(&p, &archive);
    place_new(&q, kind_of(p.fx));
    for (size_t i = 0; i < sizeof unsound / sizeof *unsound; i++) {
        forge(&archive, unsound[i].from, unsound[i].to, &forged);
        refuse(&q, skn_buf_str(&forged), unsound[i].why);
        skn_buf_release(&forged);
    }
    assert_int_equal(rows_of(&q), 0);
    skn_buf_release(&archive);
    place_close(&q);
    place_close(&p);
}

/* A file may be written to while it is read, and a name taken meanwhile. */
static void what_changes_between_two_readings_is_noticed(void **state)
{
    place              p, q;
    skn_buf            archive, changed;
    skn_lines          lines;
    skn_intake         intake;
    skn_import_request req = {0};
    skn_import_report  report;

    place_open(&p, skn_fixture_of(state));
    make_known(&p, &archive);
    forge(&archive, "hello there", "Hello there", &changed);
    assert_int_equal(archive.n, changed.n);
    place_new(&q, kind_of(p.fx));
    skn_fixture_begin(q.fx);
    skn_lines_memory(&lines, "it", skn_buf_str(&archive), SKN_ARCHIVE_LINE);
    SKN_OK(skn_intake_read(&intake, &lines, &req, q.mem, &report, &q.err), q.err);
    lines.memory = skn_buf_str(&changed);
    assert_int_equal(skn_intake_put(&intake, q.fx->store, &q.err), SKEIN_DATA);
    assert_string_equal(q.err.message, "\"it\" changed while it was read");
    assert_int_equal(rows_of(&q), 0);
    lines.memory = skn_buf_str(&archive);
    make_world(&q, "known");
    assert_int_equal(skn_intake_put(&intake, q.fx->store, &q.err), SKEIN_CONFLICT);
    assert_string_equal(q.err.message, "there is a world \"known\" already");
    skn_buf_release(&archive);
    skn_buf_release(&changed);
    place_close(&q);
    place_close(&p);
}

/* --- Sinks -------------------------------------------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(an_archive_comes_back_byte_for_byte),
        SKN_PLACE_SQLITE(every_table_is_in_the_archive_of_a_full_world),
        SKN_PLACE_SQLITE(an_archive_knows_every_table_and_column),
        SKN_PLACE_PG(an_archive_crosses_to_the_other_database_and_back),
        SKN_PLACE_BOTH(an_archive_is_the_same_out_of_a_store_with_other_worlds),
        SKN_PLACE_BOTH(every_version_reads_the_same_after_import),
        SKN_PLACE_BOTH(an_imported_chat_goes_on),
        SKN_PLACE_BOTH(a_branch_takes_what_it_was_branched_from_along),
        SKN_PLACE_BOTH(an_imported_text_is_found),
        SKN_PLACE_BOTH(a_taken_name_is_a_conflict_and_another_name_helps),
        SKN_PLACE_BOTH(the_same_archive_twice_is_a_conflict),
        SKN_PLACE_BOTH(an_archive_of_a_removed_world_is_still_a_conflict),
        SKN_PLACE_BOTH(a_dry_run_writes_nothing),
        SKN_PLACE_BOTH(a_truncated_archive_is_refused),
        SKN_PLACE_BOTH(an_altered_archive_is_refused),
        SKN_PLACE_BOTH(a_forged_row_is_refused_and_nothing_is_written),
        SKN_PLACE_BOTH(an_archive_that_is_not_sound_is_refused_and_nothing_is_written),
        SKN_PLACE_BOTH(what_changes_between_two_readings_is_noticed),
        SKN_PLACE_SQLITE(a_sink_that_refuses_ends_the_export),
        SKN_PLACE_SQLITE(a_part_of_a_conversation_is_no_archive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
