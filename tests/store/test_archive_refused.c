/* The archive: what is cut off, altered or forged does not come in, and leaves nothing
 * behind. */
#include "archive_kit.h"

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
    SKN_OK(skein_amend(p->e, &how, first.id, T("hello there"), p->mem, &v, NULL, &p->err),
           p->err);
    SKN_OK(skein_undo(p->e, &how, 1, p->mem, &move, &p->err), p->err);
    SKN_OK(skein_branch(p->e, &how, 1, 1, T("two"), p->mem, &branch, &p->err), p->err);
    archive_world(p, w.id, out);
}

static const struct {
    const char *from, *to, *why;
} forgeries[] = {
    {"{\"skein\":2,", "{\"skein\":3,", "format 3"},
    {"{\"skein\":2,", "{\"skein\":0,", "format 0"},
    {"{\"skein\":2,", "{\"skein\":2, ", "line 1 is damaged"},
    {"{\"skein\":2,", "{\"schema\":2,", "does not begin as an archive does"},
    {"{\"t\":\"worlds\",\"n\":1,", "{\"t\":\"worlds\",\"n\":2,", "missing or twice"},
    {"{\"t\":\"worlds\"", "{\"t\":\"planets\"", "names no table"},
    {"\"name\":\"known\"", "\"name\":\"Known\"", "is not a name"},
    {"\"name\":\"known\"", "\"name\":7", "must be a text"},
    {"\"name\":\"known\",", "", "\"name\" is missing"},
    {"\"name\":\"known\"", "\"name\":\"kn\xffown\"", "is not JSON"},
    {"\"name\":\"known\"", "\"name\":\"kn\\u0000own\"", "is not JSON"},
    {"\"name\":\"known\"", "\"name\":\"kn\\ud800own\"", "is not JSON"},
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
    {"\"key\":\"main.1\"", "\"key\":\"main.2\"", "is not a key"},
    {"\"key\":\"@1\"", "\"key\":\"@2\"", "is not a key"},
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

/* What fits together row by row and still would not be a sound store is found as fsck finds
 * it. */
static void an_archive_that_is_not_sound_is_refused_and_nothing_is_written(void **state)
{
    static const struct {
        const char *from, *to, *why;
    } unsound[] = {
        {"\"children\":1,", "\"children\":7,", "is not sound: numbered-delegations"},
        {"\"kind\":\"undo\"", "\"kind\":\"amend\"", "is not sound: operation-chain"},
        {"\"from_version_id\":2,\"to_version_id\":1",
         "\"from_version_id\":1,\"to_version_id\":1", "is not sound: operation-chain"},
        {"\"reply_to_uid\":\"", "\"reply_to_uid\":\"x", "is not sound: reply-parent"},
        {"\"origin_length\":2,\"root_id\":1", "\"origin_length\":9,\"root_id\":1",
         "is not sound: earlier-origin"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_PLACE_BOTH(a_truncated_archive_is_refused),
        SKN_PLACE_BOTH(an_altered_archive_is_refused),
        SKN_PLACE_BOTH(a_forged_row_is_refused_and_nothing_is_written),
        SKN_PLACE_BOTH(an_archive_that_is_not_sound_is_refused_and_nothing_is_written),
        SKN_PLACE_BOTH(what_changes_between_two_readings_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
