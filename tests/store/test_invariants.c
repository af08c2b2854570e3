/* Every invariant of src/store/invariants.def. What is a property of stored rows is broken by hand, and the check must
 * name it; what no row can show is a property of what the program does, and the table says which test holds it. */
#include "store/fsck_store.h"

typedef struct invariant {
    const char             *sql;   /* breaks it; NULL: no row can */
    enum skn_invariant_name found; /* what the check calls it then, where not by its own name */
    const char             *file, *test; /* where no row can: the test that holds it */
} invariant;

#define PLANT(sql)                                                                             \
    {                                                                                          \
        sql, SKN_INVARIANTS, NULL, NULL                                                        \
    }
#define PLANT_AS(found, sql)                                                                   \
    {                                                                                          \
        sql, found, NULL, NULL                                                                 \
    }
#define HELD(file, test)                                                                       \
    {                                                                                          \
        NULL, SKN_INVARIANTS, file, test                                                       \
    }

static const invariant table[SKN_INVARIANTS] = {
    [SKN_INV_UNIQUE_IDS] = PLANT("UPDATE messages SET uid = 'm 10' WHERE uid = 'm10'"),
    [SKN_INV_UNCHANGED] = PLANT(
        "UPDATE messages SET content = content || '.' WHERE uid = 'm10'"),
    [SKN_INV_IDS_GIVE_ORDER] = PLANT("UPDATE messages SET created_at = -1 WHERE uid = 'm10'"),
    [SKN_INV_ALL_OR_NOTHING] = HELD("crash/test_log.c",
                                    "a_log_cut_anywhere_gives_the_changes_whole_in_it"),
    [SKN_INV_COMMIT_FIRST] = HELD("store/test_group.c", "a_failed_commit_reaches_every_member"),
    [SKN_INV_OWN_CONVERSATION] = PLANT("UPDATE nodes SET conversation_id = 999999"),
    [SKN_INV_DENSE_POSITIONS] = PLANT("UPDATE items SET seq = 9 WHERE message_id = " ID("d3")),
    [SKN_INV_EARLIER_ORIGIN] = PLANT("UPDATE versions SET origin_id = id WHERE id = " V(2)),
    /* a row cannot tell what was seen of it; what was made of more than is left, is seen */
    [SKN_INV_APPEND_ONLY] = PLANT_AS(
        SKN_INV_EARLIER_ORIGIN,
        "UPDATE threads SET origin_length = 999999 WHERE lane_id = " LANE(BRANCH, "main")),
    [SKN_INV_ONE_POINTER] = PLANT(
        "UPDATE conversations SET version_id = NULL WHERE id = " BRANCH),
    [SKN_INV_NOTHING_LOST] = PLANT("DELETE FROM items WHERE message_id = " ID("d3")),
    [SKN_INV_OPERATION_CHAIN] = PLANT("UPDATE ops SET undoes_id = NULL WHERE kind = 'undo'"),
    /* m6 stands in no thread but old ones */
    [SKN_INV_OLD_VERSIONS_STAY] = PLANT_AS(
        SKN_INV_UNCHANGED, "UPDATE messages SET content = 'never said' WHERE uid = 'm6'"),
    [SKN_INV_UNDO_STAYS_INSIDE] = HELD(
        "scenario/cli_changes.sh", "may have changed something outside: it was not undone."),
    [SKN_INV_AMEND_REPLACES_ONE] = PLANT(
        "UPDATE messages SET role = 'assistant' WHERE version_of_id IS NOT NULL"),
    [SKN_INV_SQUASH_SOURCES] = PLANT("DELETE FROM squash_sources WHERE idx = 1"),
    [SKN_INV_LINEAGE] = PLANT(
        "UPDATE messages SET lineage_id = " ID("m1") " WHERE version_of_id IS NOT NULL"),
    /* half of a squash that was given up */
    [SKN_INV_NO_HALF_RESULTS] = PLANT_AS(SKN_INV_SQUASH_SOURCES,
                                         "UPDATE squashes SET result_message_id = 999999"),
    [SKN_INV_SQUASH_TAKES_ITS_OWN] = HELD("store/test_cases_change.c",
                                          "many_scattered_messages_go_at_once"),
    [SKN_INV_CALL_OF_RESULT] = PLANT(
        "DELETE FROM message_calls WHERE is_result = 1; UPDATE messages SET "
        "tool_call_id = NULL WHERE uid = 'm5'"),
    [SKN_INV_ONE_RESULT] = HELD("unit/test_timeline.c",
                                "a_further_result_is_kept_as_a_duplicate"),
    [SKN_INV_EVERY_EVENT_ONCE] = HELD(
        "unit/test_timeline_split.c",
        "the_fold_pairs_as_a_plain_search_through_all_records_does"),
    [SKN_INV_WHOLE_PAIRS] = HELD("store/test_cases_change.c", "pairs_are_closed_to_the_end"),
    [SKN_INV_VALID_PROMPT] = HELD("unit/test_modelview.c",
                                  "thirty_thousand_damaged_lists_all_give_a_valid_view"),
    [SKN_INV_REPAIR_ONCE] = HELD("unit/test_modelview.c",
                                 "thirty_thousand_damaged_lists_all_give_a_valid_view"),
    [SKN_INV_KNOWN_PARENT] = PLANT(
        "UPDATE lanes SET spawn_message_id = 999999 WHERE id = " LANE(CHAT, "main.1")),
    [SKN_INV_NUMBERED_DELEGATIONS] = PLANT(
        "UPDATE lanes SET children = 9 WHERE id = " LANE(CHAT, "main")),
    [SKN_INV_LANE_TREE] = PLANT(
        "UPDATE lanes SET key = 'other' WHERE id = " LANE(CHAT, "main.2")),
    [SKN_INV_UNDER_ITS_CALL] = HELD("unit/test_timeline_links.c",
                                    "a_delegate_whose_call_is_gone_is_kept_unattached"),
    [SKN_INV_TOLD_ONCE] = PLANT(
        "UPDATE lanes SET parent_turn_id = 1, told = 1 WHERE id = " LANE(CHAT, "main.2")),
    [SKN_INV_ANY_SPLIT] = HELD(
        "unit/test_timeline_split.c",
        "a_history_folded_in_two_at_any_split_is_the_history_folded_whole"),
    [SKN_INV_CACHES_FORGET] = HELD("store/test_timeline_store.c",
                                   "cached_timelines_are_those_of_a_full_fold"),
    [SKN_INV_LOCAL_VERSION] = HELD("unit/test_timeline.c",
                                   "counts_last_activity_and_version_follow_the_records"),
    [SKN_INV_OWN_RECORDS] = HELD("unit/test_timeline_split.c",
                                 "lanes_mixed_in_any_way_give_the_same_timelines"),
    [SKN_INV_DRAFTS_ARE_NOT_COUNTED] = HELD(
        "unit/test_timeline.c", "an_ephemeral_text_is_shown_uncounted_until_its_message_comes"),
    [SKN_INV_THINKING_IN_PLACE] = HELD("unit/test_thinking.c",
                                       "the_parts_with_their_tags_are_the_text_to_the_byte"),
    [SKN_INV_NO_FORGED_SENDER] = HELD("store/test_tell.c",
                                      "no_text_passes_for_what_the_system_says"),
    [SKN_INV_WORK_ONCE] = PLANT("INSERT INTO waiting(uid, conversation_id, said, created_at) "
                                "VALUES('w1', " CHAT ", '{}', 0)"),
    [SKN_INV_READABLE_INSTRUCTIONS] = PLANT(
        "UPDATE messages SET instructions = '[{}]' WHERE uid = 'm10'"),
    [SKN_INV_BOUNDED] = HELD("store/test_cases_views.c",
                             "delegations_nest_as_deep_as_they_like"),
    [SKN_INV_REFERENCES] = PLANT("UPDATE agents SET settings = '[]' WHERE name = 'ada'"),
    [SKN_INV_SEARCH_INDEX] = PLANT("UPDATE meta SET value = 999999 WHERE key = 'words_upto'"),
    [SKN_INV_DATABASE] = HELD("store/test_fsck.c", "a_file_with_a_broken_page_is_told"),
    [SKN_INV_CURRENT_CHAT] = PLANT("UPDATE worlds SET current_conversation_id = " CHAT
                                   " WHERE name = 'elsewhere'"),
    [SKN_INV_SUMMARY_COVERS] = PLANT("UPDATE compactions SET covers = 999999"),
    [SKN_INV_REPLY_PARENT] = PLANT("UPDATE messages SET reply_to_uid = 'm9' WHERE uid = 'm3'"),
    [SKN_INV_REPLY_DEPTH] = PLANT("UPDATE messages SET reply_depth = 9 WHERE uid = 'm3'"),
};

/* A file of the tree, with a zero behind it. */
static void read_source(const char *folder, const char *file, skn_buf *text)
{
    skn_buf path;
    FILE   *f;
    size_t  n;

    skn_buf_init(&path, 4096);
    skn_buf_init(text, 1 << 20);
    skn_buf_addf(&path, SKN_SOURCE "/%s/%s", folder, file);
    f = fopen(path.p, "r");
    if (!f)
        fail_msg("there is no %s", path.p);
    do {
        char piece[4096];

        n = fread(piece, 1, sizeof piece, f);
        skn_buf_add(text, (skn_str){piece, n});
    } while (n > 0);
    fclose(f);
    skn_buf_addc(text, '\0');
    skn_buf_release(&path);
}

static void assert_test_exists(const char *file, const char *test)
{
    skn_buf text;

    read_source("tests", file, &text);
    if (!strstr(text.p, test))
        fail_msg("%s has no test \"%s\"", file, test);
    skn_buf_release(&text);
}

static void every_invariant_is_found_when_it_is_planted_or_is_held_by_another_test(void **state)
{
    (void)state;
    for (enum skn_invariant_name n = 0; n < SKN_INVARIANTS; n++) {
        const invariant *i = &table[n];
        skn_fixture      fx;
        void            *own = &fx;
        kit              k;

        if (i->file) {
            assert_test_exists(i->file, i->test);
            continue;
        }
        if (!i->sql)
            fail_msg("nothing here holds \"%s\"", skn_invariants[n].name);
        skn_fixture_open(&fx, "sqlite");
        build(&k, &own);
        vandalise(&k, i->sql);
        expect(&k, skn_invariants[i->found < SKN_INVARIANTS ? i->found : n].name);
        done(&k);
        skn_fixture_close(&fx);
    }
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *p = text; (p = strstr(p, part)); p++)
        n++;
    return n;
}

static void the_page_of_the_model_has_these_names_and_sentences_and_no_other(void **state)
{
    skn_buf page, row;

    (void)state;
    read_source("docs", "model.md", &page);
    skn_buf_init(&row, 4096);
    for (int n = 0; n < SKN_INVARIANTS; n++) {
        skn_buf_clear(&row);
        skn_buf_addf(&row, "\n| `%s` | %s |\n", skn_invariants[n].name,
                     skn_invariants[n].sentence);
        if (count_of(page.p, row.p) != 1)
            fail_msg("docs/model.md has this not once:%s", row.p);
    }
    assert_int_equal(count_of(strstr(page.p, "\n## Invariants"), "\n| `"), SKN_INVARIANTS);
    skn_buf_release(&page);
    skn_buf_release(&row);
}

/* They are written `store/test_x.c: name_of_the_test`. */
static void the_tests_that_the_page_of_the_model_names_exist(void **state)
{
    skn_buf page;
    size_t  named = 0;

    (void)state;
    read_source("docs", "model.md", &page);
    for (char *rest = page.p, *line; (line = strtok_r(rest, "`", &rest));) {
        char *test = strpbrk(line, " \n");

        if (!test || test == line || test[-1] != ':' || !strchr(line, '/'))
            continue;
        test[-1] = '\0';
        assert_test_exists(line, test + 1);
        named++;
    }
    assert_true(named > 25);
    skn_buf_release(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            every_invariant_is_found_when_it_is_planted_or_is_held_by_another_test),
        cmocka_unit_test(the_page_of_the_model_has_these_names_and_sentences_and_no_other),
        cmocka_unit_test(the_tests_that_the_page_of_the_model_names_exist),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
