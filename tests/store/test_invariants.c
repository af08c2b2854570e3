/* Every invariant of the model, I1 to I40. What is a property of stored rows is broken by hand, and the check must
 * name it; what no row can show is a property of what the program does, and the table says which test holds it. */
#include "store/fsck_store.h"

typedef struct invariant {
    const char *sql;         /* breaks it; NULL: no row can */
    const char *found;       /* what the check calls it, where that is not its own number */
    const char *file, *test; /* where no row can: the test that holds it */
} invariant;

#define PLANT(sql)                                                                             \
    {                                                                                          \
        sql, NULL, NULL, NULL                                                                  \
    }
#define PLANT_AS(found, sql)                                                                   \
    {                                                                                          \
        sql, found, NULL, NULL                                                                 \
    }
#define HELD(file, test)                                                                       \
    {                                                                                          \
        NULL, NULL, file, test                                                                 \
    }

static const invariant table[40] = {
    /* I1 */ PLANT("UPDATE messages SET uid = 'm 10' WHERE uid = 'm10'"),
    /* I2 */ PLANT("UPDATE messages SET content = content || '.' WHERE uid = 'm10'"),
    /* I3 */ PLANT("UPDATE messages SET created_at = -1 WHERE uid = 'm10'"),
    /* I4 */
    HELD("crash/test_log.c", "case_i4_a_log_cut_anywhere_gives_the_changes_whole_in_it"),
    /* I5 */ HELD("store/test_group.c", "a_failed_commit_reaches_every_member"),
    /* I6 */ PLANT("UPDATE nodes SET conversation_id = 999999"),
    /* I7 */ PLANT("UPDATE items SET seq = 9 WHERE message_id = " ID("d3")),
    /* I8 */ PLANT("UPDATE versions SET origin_id = id WHERE id = " V(2)),
    /* I9: a row cannot tell what was seen of it; what was made of more than is left, is seen */
    PLANT_AS("I8",
             "UPDATE threads SET origin_length = 999999 WHERE lane_id = " LANE(BRANCH, "main")),
    /* I10 */ PLANT("UPDATE conversations SET version_id = NULL WHERE id = " BRANCH),
    /* I11 */ PLANT("DELETE FROM items WHERE message_id = " ID("d3")),
    /* I12 */ PLANT("UPDATE ops SET undoes_id = NULL WHERE kind = 'undo'"),
    /* I13: m6 stands in no thread but old ones */
    PLANT_AS("I2", "UPDATE messages SET content = 'never said' WHERE uid = 'm6'"),
    /* I14 */
    HELD("scenario/cli_changes.sh", "may have changed something outside: it was not undone."),
    /* I15 */ PLANT("UPDATE messages SET role = 'assistant' WHERE version_of_id IS NOT NULL"),
    /* I16 */ PLANT("DELETE FROM squash_sources WHERE idx = 1"),
    /* I17 */
    PLANT("UPDATE messages SET lineage_id = " ID("m1") " WHERE version_of_id IS NOT NULL"),
    /* I18: half of a squash that was given up */
    PLANT_AS("I16", "UPDATE squashes SET result_message_id = 999999"),
    /* I19 */ HELD("store/test_cases_change.c", "case_12_many_scattered_messages_go_at_once"),
    /* I20 */
    PLANT("DELETE FROM message_calls WHERE is_result = 1; UPDATE messages SET "
          "tool_call_id = NULL WHERE uid = 'm5'"),
    /* I21 */ HELD("unit/test_timeline.c", "a_further_result_is_kept_as_a_duplicate"),
    /* I22 */
    HELD("unit/test_timeline_split.c",
         "the_fold_pairs_as_a_plain_search_through_all_records_does"),
    /* I23 */ HELD("store/test_cases_change.c", "case_12_pairs_are_closed_to_the_end"),
    /* I24 */
    HELD("unit/test_modelview.c", "thirty_thousand_damaged_lists_all_give_a_valid_view"),
    /* I25 */
    HELD("unit/test_modelview.c", "thirty_thousand_damaged_lists_all_give_a_valid_view"),
    /* I26 */
    PLANT("UPDATE lanes SET spawn_message_id = 999999 WHERE id = " LANE(CHAT, "main.1")),
    /* I27 */ PLANT("UPDATE lanes SET children = 9 WHERE id = " LANE(CHAT, "main")),
    /* I28 */ PLANT("UPDATE lanes SET key = 'other' WHERE id = " LANE(CHAT, "main.2")),
    /* I29 */
    HELD("unit/test_timeline_links.c",
         "case_21_a_delegate_whose_call_is_gone_is_kept_unattached"),
    /* I30 */
    PLANT("UPDATE lanes SET parent_turn_id = 1, told = 1 WHERE id = " LANE(CHAT, "main.2")),
    /* I31 */
    HELD("unit/test_timeline_split.c",
         "a_history_folded_in_two_at_any_split_is_the_history_folded_whole"),
    /* I32 */
    HELD("store/test_timeline_store.c", "i31_i32_cached_timelines_are_those_of_a_full_fold"),
    /* I33 */
    HELD("unit/test_timeline.c", "counts_last_activity_and_version_follow_the_records"),
    /* I34 */
    HELD("unit/test_timeline_split.c", "lanes_mixed_in_any_way_give_the_same_timelines"),
    /* I35 */
    HELD("unit/test_timeline.c",
         "an_ephemeral_text_is_shown_uncounted_until_its_message_comes"),
    /* I36 */
    HELD("unit/test_thinking.c", "the_parts_with_their_tags_are_the_text_to_the_byte"),
    /* I37 */ HELD("store/test_tell.c", "i37_no_text_passes_for_what_the_system_says"),
    /* I38 */
    PLANT("INSERT INTO waiting(uid, conversation_id, sender, content, created_at) "
          "VALUES('w1', " CHAT ", 'human', 'x', 0)"),
    /* I39 */ PLANT("UPDATE messages SET instructions = '[{}]' WHERE uid = 'm10'"),
    /* I40 */ HELD("store/test_cases_views.c", "case_21_delegations_nest_as_deep_as_they_like"),
};

static void assert_test_exists(const invariant *i)
{
    skn_buf path, text;
    FILE   *f;
    size_t  n;

    skn_buf_init(&path, 4096);
    skn_buf_init(&text, 1 << 20);
    skn_buf_addf(&path, SKN_SOURCE "/tests/%s", i->file);
    f = fopen(path.p, "r");
    if (!f)
        fail_msg("there is no %s", path.p);
    do {
        char piece[4096];

        n = fread(piece, 1, sizeof piece, f);
        skn_buf_add(&text, (skn_str){piece, n});
    } while (n > 0);
    fclose(f);
    skn_buf_addc(&text, '\0');
    if (!strstr(text.p, i->test))
        fail_msg("%s has no test \"%s\"", i->file, i->test);
    skn_buf_release(&path);
    skn_buf_release(&text);
}

static void every_invariant_is_found_when_it_is_planted_or_is_held_by_another_test(void **state)
{
    (void)state;
    for (int n = 0; n < 40; n++) {
        const invariant *i = &table[n];
        skn_fixture      fx;
        void            *own = &fx;
        char             name[8];
        kit              k;

        snprintf(name, sizeof name, "I%d", n + 1);
        if (i->file) {
            assert_test_exists(i);
            continue;
        }
        skn_fixture_open(&fx, "sqlite");
        build(&k, &own);
        vandalise(&k, i->sql);
        expect(&k, i->found ? i->found : name);
        done(&k);
        skn_fixture_close(&fx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            every_invariant_is_found_when_it_is_planted_or_is_held_by_another_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
