/* Every invariant that a store can break, broken by hand: the check names that one and no other. */
#include "engine/engine.h"
#include "store/fsck_store.h"

/* --- Breaking it --------------------------------------------------------------------------------------- */

static void broken(void **state, const char *invariant, const char *sql)
{
    kit k;

    build(&k, state);
    kit_check(&k);
    vandalise(&k, sql);
    expect(&k, invariant);
    done(&k);
}

#define BREAKS(name, invariant, sql)                                                           \
    static void name(void **state)                                                             \
    {                                                                                          \
        broken(state, invariant, sql);                                                         \
    }

BREAKS(an_id_with_a_blank_is_found, "unique-ids",
       "UPDATE messages SET uid = 'm 10' WHERE uid = 'm10'")
BREAKS(a_text_that_is_not_utf8_is_found, "unchanged",
       "UPDATE messages SET content = CAST(X'c328' AS TEXT) WHERE uid = 'm10'")
BREAKS(a_text_with_a_zero_is_found, "unchanged",
       "UPDATE messages SET content = CAST(X'610062' AS TEXT) WHERE uid = 'm10'")
BREAKS(a_sender_that_is_not_utf8_is_found, "unchanged",
       "UPDATE messages SET sender = CAST(X'ff' AS TEXT) WHERE uid = 'm10'")
BREAKS(a_text_that_changed_is_found, "unchanged",
       "UPDATE messages SET content = 'other words' WHERE uid = 'm10'")
BREAKS(a_thought_that_changed_is_found, "unchanged",
       "UPDATE messages SET thinking = 'hm' WHERE uid = 'm10'")
BREAKS(arguments_of_a_call_that_changed_are_found, "unchanged",
       "UPDATE messages SET calls = replace(calls, '{}', '{\"a\":1}') WHERE uid = 'm4'")
BREAKS(a_message_without_a_hash_is_found, "unchanged",
       "UPDATE messages SET hash = NULL WHERE uid = 'm10'")
BREAKS(a_text_that_says_it_was_erased_is_found, "unchanged",
       "UPDATE messages SET hash = 0 WHERE uid = 'm10'")
BREAKS(an_erased_text_that_is_still_there_is_found, "unchanged",
       "UPDATE messages SET purged_at = 1, hash = 0 WHERE uid = 'd3'")
BREAKS(an_event_that_is_gone_is_found_on_sqlite, "unchanged",
       "DELETE FROM events WHERE id = (SELECT max(id) / 2 FROM events)")
BREAKS(an_event_that_was_forgotten_and_is_there_is_found, "unchanged",
       "UPDATE meta SET value = (SELECT min(id) FROM events) WHERE key = 'events_forgotten'")
BREAKS(a_time_before_all_clocks_is_found, "ids-give-order",
       "UPDATE messages SET created_at = -1 WHERE uid = 'm10'")
BREAKS(a_time_that_cannot_be_shown_is_found, "ids-give-order",
       "UPDATE ops SET at = 253402300800000000 WHERE kind = 'amend'")
BREAKS(settings_of_a_world_that_are_no_object_are_told, "references",
       "UPDATE worlds SET settings = '{\"approvals\":' WHERE id = (SELECT MIN(id) FROM worlds)")
BREAKS(settings_of_an_agent_that_are_no_object_are_told, "references",
       "UPDATE agents SET settings = '[]' WHERE name = 'ada'")
BREAKS(an_agent_whose_name_is_none_is_told, "references",
       "UPDATE agents SET name = 'LEAD' WHERE name = 'ada'")
BREAKS(a_thread_in_a_foreign_lane_is_found, "own-conversation",
       "UPDATE threads SET lane_id = " LANE(BRANCH, "main.2") " WHERE id = " SIDE)
BREAKS(an_item_without_a_message_is_found, "own-conversation",
       "INSERT INTO items(thread_id, seq, message_id) VALUES(" SIDE ", 3, 999999)")
BREAKS(a_node_without_a_conversation_is_found, "own-conversation",
       "UPDATE nodes SET conversation_id = 999999")
BREAKS(
    a_lane_with_a_foreign_agent_is_found, "own-conversation",
    "INSERT INTO agents(uid, world_id, name, created_at) VALUES('spy', (SELECT id FROM worlds "
    "WHERE name = 'elsewhere'), 'spy', 0); UPDATE lanes SET agent_id = (SELECT id FROM agents "
    "WHERE name = 'spy') WHERE id = " LANE(CHAT, "main.2"))
BREAKS(a_gap_in_a_thread_is_found, "dense-positions",
       "UPDATE items SET seq = 7 WHERE message_id = " ID("d3"))
BREAKS(
    a_gap_in_the_patches_is_found, "dense-positions",
    "UPDATE items SET seq = -3 WHERE thread_id = (SELECT MAX(thread_id) FROM items WHERE seq "
    "= -1) AND seq = -1")
BREAKS(a_falling_order_key_is_found, "dense-positions",
       "UPDATE items SET okey = 1 WHERE message_id = " ID("d3"))
BREAKS(a_message_twice_in_a_thread_is_found, "dense-positions",
       "INSERT INTO items(thread_id, seq, message_id, okey) VALUES(" SIDE
       ", 3, " ID("d1") ", 999)")
BREAKS(a_tree_of_another_length_is_found, "dense-positions",
       "UPDATE threads SET base_length = base_length + 1 WHERE lane_id = " LANE(BRANCH, "main"))
BREAKS(a_missing_root_is_found, "dense-positions",
       "UPDATE threads SET root_id = 999999 WHERE lane_id = " LANE(BRANCH, "main"))
BREAKS(a_version_made_from_itself_is_found, "earlier-origin",
       "UPDATE versions SET origin_id = id WHERE id = " V(2))
BREAKS(a_thread_made_from_a_later_one_is_found, "earlier-origin",
       "UPDATE threads SET origin_id = 999999 WHERE lane_id = " LANE(BRANCH, "main"))
BREAKS(a_thread_made_from_more_than_there_was_is_found, "earlier-origin",
       "UPDATE threads SET origin_length = 999999 WHERE lane_id = " LANE(BRANCH, "main"))
BREAKS(a_branch_of_nothing_is_found, "earlier-origin",
       "UPDATE conversations SET branched_from_id = 999999 WHERE id = (SELECT id FROM "
       "conversations WHERE title = 'alone')")
BREAKS(a_pointer_to_a_foreign_version_is_found, "one-pointer",
       "UPDATE conversations SET version_id = " V(1) " WHERE id = " BRANCH)
BREAKS(a_conversation_without_a_version_is_found, "one-pointer",
       "UPDATE conversations SET version_id = NULL WHERE id = " BRANCH)
BREAKS(a_version_without_a_main_thread_is_found, "one-pointer",
       "INSERT INTO versions(conversation_id, number, origin_length, kind, actor, created_at) "
       "VALUES(" CHAT ", 4, 0, 'amend', 'x', 0)")
BREAKS(a_missing_version_number_is_found, "one-pointer",
       "UPDATE versions SET number = 9 WHERE id = " V(3))
BREAKS(a_message_in_no_thread_is_found, "nothing-lost",
       "INSERT INTO messages(uid, conversation_id, role, author, sender, content, created_at, "
       "hash) SELECT 'lost', conversation_id, 'user', 'human', 'human', content, 0, hash FROM "
       "messages WHERE uid = 'm1'")
BREAKS(a_lost_last_item_is_found, "nothing-lost",
       "DELETE FROM items WHERE message_id = " ID("d3"))
BREAKS(a_pointer_that_no_operation_moved_is_found, "operation-chain",
       "UPDATE conversations SET version_id = " V(1) " WHERE id = " CHAT)
BREAKS(an_operation_from_nowhere_is_found, "operation-chain",
       "UPDATE ops SET from_version_id = 999999 WHERE kind = 'amend'")
BREAKS(operations_that_do_not_meet_are_found, "operation-chain",
       "UPDATE ops SET from_version_id = " V(1) " WHERE kind = 'squash'")
BREAKS(an_operation_taken_back_by_none_is_found, "operation-chain",
       "UPDATE ops SET undone_by_id = 999999 WHERE kind = 'amend'")
BREAKS(an_undo_of_nothing_is_found, "operation-chain",
       "UPDATE ops SET undoes_id = NULL WHERE kind = 'undo'")
BREAKS(an_amend_of_another_role_is_found, "amend-replaces-one",
       "UPDATE messages SET role = 'assistant' WHERE version_of_id IS NOT NULL")
BREAKS(a_squash_of_one_is_found, "squash-sources", "DELETE FROM squash_sources WHERE idx = 1")
BREAKS(a_squash_of_one_twice_is_found, "squash-sources",
       "UPDATE squash_sources SET message_id = " ID("m7"))
BREAKS(a_squash_of_its_own_result_is_found, "squash-sources",
       "UPDATE squash_sources SET message_id = (SELECT result_message_id FROM squashes) WHERE "
       "idx = 1")
BREAKS(a_squash_without_a_result_is_found, "squash-sources",
       "UPDATE squashes SET result_message_id = 999999")
BREAKS(a_message_of_an_unknown_squash_is_found, "squash-sources",
       "UPDATE messages SET squash_uid = 'sq_none' WHERE uid = 'm10'")
BREAKS(an_edit_of_another_lineage_is_found, "lineage",
       "UPDATE messages SET lineage_id = " ID("m1") " WHERE version_of_id IS NOT NULL")
BREAKS(a_result_that_no_call_leads_to_is_found, "call-of-result",
       "DELETE FROM message_calls WHERE is_result = 1")
BREAKS(a_call_that_cannot_be_found_is_found, "call-of-result",
       "DELETE FROM message_calls WHERE is_result = 0")
BREAKS(a_call_that_was_not_made_is_found, "call-of-result",
       "INSERT INTO message_calls(conversation_id, call_id, message_id, is_result) VALUES(" CHAT
       ", 'c9', " ID("m4") ", 0)")
BREAKS(calls_that_cannot_be_read_are_found, "call-of-result",
       "UPDATE messages SET calls = '[{' WHERE uid = 'm4'")
BREAKS(a_result_of_no_call_is_found, "call-of-result",
       "DELETE FROM message_calls WHERE is_result = 1; UPDATE messages SET tool_call_id = '' "
       "WHERE uid = 'm5'")
BREAKS(a_delegation_by_no_message_is_found, "known-parent",
       "UPDATE lanes SET spawn_message_id = 999999 WHERE id = " LANE(CHAT, "main.1"))
BREAKS(a_missing_ordinal_is_found, "numbered-delegations",
       "UPDATE lanes SET ordinal = 3, key = 'main.3' WHERE id = " LANE(CHAT, "main.2"))
BREAKS(miscounted_delegations_are_found, "numbered-delegations",
       "UPDATE lanes SET children = 9 WHERE id = " LANE(CHAT, "main"))
BREAKS(a_lane_under_itself_is_found, "lane-tree",
       "UPDATE lanes SET parent_id = id, children = 1 WHERE id = " LANE(
           CHAT, "main.1.1") "; UPDATE lanes SET children = 0 WHERE id = " LANE(CHAT, "main.1"))
BREAKS(a_lane_with_a_strange_name_is_found, "lane-tree",
       "UPDATE lanes SET key = 'other' WHERE id = " LANE(CHAT, "main.2"))
BREAKS(instructions_that_cannot_be_read_are_found, "readable-instructions",
       "UPDATE messages SET instructions = '[{}]' WHERE uid = 'm10'")
BREAKS(a_reply_to_another_than_it_names_is_found, "reply-parent",
       "UPDATE messages SET reply_to_uid = 'm9' WHERE uid = 'm3'")
BREAKS(a_reply_to_nothing_known_is_found, "reply-parent",
       "UPDATE messages SET reply_to_id = 0, reply_depth = 0 WHERE uid = 'm3'")
BREAKS(a_reply_of_the_wrong_depth_is_found, "reply-depth",
       "UPDATE messages SET reply_depth = 7 WHERE uid = 'm3'")
BREAKS(a_world_with_a_foreign_chat_is_found, "current-chat",
       "UPDATE worlds SET current_conversation_id = " CHAT " WHERE name = 'elsewhere'")
BREAKS(a_summary_of_more_than_there_is_is_found, "summary-covers",
       "UPDATE compactions SET covers = 999999")
BREAKS(a_summary_that_ends_elsewhere_is_found, "summary-covers",
       "UPDATE compactions SET last_message_id = " ID("m1"))
BREAKS(a_compaction_without_a_summary_is_found, "summary-covers",
       "UPDATE compactions SET summary_message_id = 999999")
BREAKS(a_thread_with_an_unknown_compaction_is_found, "summary-covers",
       "UPDATE threads SET compaction_id = 999999 WHERE id = " SIDE)
BREAKS(
    a_lead_in_another_world_is_told, "references",
    "INSERT INTO agents(uid, world_id, name, created_at) VALUES('spy', (SELECT id FROM worlds "
    "WHERE name = 'elsewhere'), 'spy', 0); UPDATE agents SET lead_id = (SELECT id FROM agents "
    "WHERE name = 'ada') WHERE name = 'spy'")
BREAKS(an_agent_that_leads_itself_is_told, "references",
       "UPDATE agents SET lead_id = id WHERE name = 'ada'")
BREAKS(agents_that_lead_each_other_are_told, "references",
       "UPDATE agents SET lead_id = (SELECT id FROM agents x WHERE x.name = CASE agents.name "
       "WHEN 'ada' THEN 'bo' WHEN 'bo' THEN 'cy' ELSE 'ada' END)")
BREAKS(a_copy_of_nothing_is_told, "references",
       "INSERT INTO copies(message_id, source_id) VALUES(999999, " ID("m1") ")")
BREAKS(an_event_of_nothing_is_told, "references",
       "UPDATE events SET message_id = 999999 WHERE message_id IS NOT NULL")
BREAKS(a_tag_without_a_control_is_told, "references",
       "UPDATE tag_definitions SET control = 'lever'")
BREAKS(a_tag_of_another_world_is_told, "references",
       "UPDATE tag_definitions SET world_id = (SELECT id FROM worlds WHERE name = 'elsewhere')")
BREAKS(a_file_whose_items_cannot_be_read_is_told, "references",
       "UPDATE context_files SET items = '[1]'")
BREAKS(a_table_that_is_gone_is_told, "database", "DROP TABLE message_words")
BREAKS(an_index_that_claims_too_much_is_told, "search-index",
       "UPDATE meta SET value = 999999 WHERE key = 'words_upto'")
BREAKS(an_erased_message_in_the_index_is_told, "search-index",
       "UPDATE messages SET purged_at = 1, content = '', hash = 0 WHERE uid = 'm10'")
BREAKS(a_message_missing_in_the_index_is_told_on_sqlite, "search-index",
       "DELETE FROM message_words_docsize WHERE id = " ID("m10"))
BREAKS(a_message_missing_in_the_index_is_told_on_pg, "search-index",
       "DELETE FROM message_words WHERE message_id = " ID("m10"))
/* The index no longer has what its definition says. */
BREAKS(an_index_without_its_rows_is_told, "database",
       "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql = 'CREATE INDEX "
       "messages_lineage ON "
       "messages(lineage_id)' WHERE name = 'messages_lineage'")

/* --- Whole stores ------------------------------------------------------------------------------------------ */

static void a_sound_store_is_counted_and_nothing_is_found(void **state)
{
    kit         k;
    skein_check check;

    build(&k, state);
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_int_equal(check.count, 0);
    assert_int_equal(check.messages, skn_fixture_number(k.fx, "SELECT count(*) FROM messages"));
    assert_int_equal(check.threads, skn_fixture_number(k.fx, "SELECT count(*) FROM threads"));
    assert_int_equal(check.nodes, skn_fixture_number(k.fx, "SELECT count(*) FROM nodes"));
    assert_int_equal(check.conversations, 3);
    assert_int_equal(check.warnings, 0);
    kit_close(&k);
}

static void a_dangling_reply_is_a_warning_and_no_finding(void **state)
{
    kit         k;
    skein_check check;

    kit_open(&k, state);
    say(&k, "m1", SKEIN_USER, "human", "nobody");
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_int_equal(check.count, 0);
    assert_int_equal(check.warnings, 1);
    kit_close(&k);
}

/* A thousand are told, the rest is counted. */
static void findings_are_bounded(void **state)
{
    kit               k;
    skein_check       check;
    skein_new_message m[1200];
    skein_messages    out;

    kit_open(&k, state);
    for (int i = 0; i < 1200; i++)
        m[i] = (skein_new_message){.role = SKEIN_USER, .content = skein_text("x")};
    KIT_OK(&k, kit_append(&k, m, 1200, &out));
    vandalise(&k, "UPDATE messages SET instructions = '?'");
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_int_equal(check.count, 1000);
    assert_string_equal(check.at[998].invariant.p, "readable-instructions");
    assert_string_equal(check.at[999].invariant.p, "more");
    assert_non_null(strstr(check.at[999].text.p, "201 more"));
    done(&k);
}

static void an_erased_store_is_sound(void **state)
{
    kit              k;
    skein_message_id ids[2];
    int64_t          erased;

    build(&k, state);
    ids[0] = id_of(&k, "m2");
    ids[1] = id_of(&k, "m4");
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){ids, 2}, &erased, &k.err));
    assert_int_equal(erased, 2);
    kit_close(&k);
}

static void a_damaged_index_of_words_is_told_and_made_anew(void **state)
{
    kit         k;
    skein_check check;

    build(&k, state);
    vandalise(&k, "DELETE FROM message_words_data WHERE id > 10");
    expect_only(&k, "search-index", "doctor --fix");
    KIT_OK(&k, skn_search_anew(k.e, &k.err));
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_int_equal(check.count, 0);
    done(&k);
}

static skein_rc find_while_writing(skn_tx *tx, void *arg, skein_error *err)
{
    int64_t  due;
    skein_rc rc = skn_scrub_due(tx, &due, err);

    expect_only(arg, "search-index", "doctor --fix");
    return rc;
}

/* The index says another number of words than it has; nobody waits for the check, nor it for them. */
static void the_index_of_words_is_looked_at_while_somebody_writes(void **state)
{
    kit k;

    build(&k, state);
    vandalise(&k, "UPDATE message_words_data SET block = (SELECT block FROM message_words_data"
                  " WHERE id = 10) WHERE id = 1");
    SKN_OK(skn_store_write(k.fx->store, find_while_writing, &k, &k.err), k.err);
    KIT_OK(&k, skn_search_anew(k.e, &k.err));
    done(&k);
}

static void a_message_of_a_clock_that_was_ahead_is_no_damage(void **state)
{
    kit         k;
    skein_check check;

    build(&k, state);
    vandalise(&k, "UPDATE messages SET created_at = 4070908800000000 WHERE uid = 'm10'");
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_int_equal(check.count, 0);
    assert_int_equal(check.ahead, 1);
    done(&k);
}

static void what_repeats_an_erased_message_is_told(void **state)
{
    kit              k;
    skein_message_id id;
    int64_t          erased;

    build(&k, state);
    id = id_of(&k, "m2");
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&id, 1}, &erased, &k.err));
    vandalise(&k,
              "INSERT INTO copies(message_id, source_id) VALUES(" ID("m10") ", " ID("m2") ")");
    expect(&k, "references");
    done(&k);
}

/* A store from before there were hashes, brought up to date. */
static void messages_of_an_older_store_are_hashed_once_it_is_opened(void **state)
{
    kit               k;
    skein_new_message m[1200];
    skein_messages    out;
    skein_message_id  first;
    int64_t           erased, sum;

    kit_open(&k, state);
    for (int i = 0; i < 1200; i++) /* more than a page of them */
        m[i] = (skein_new_message){.role = SKEIN_USER, .content = skein_text("x")};
    KIT_OK(&k, kit_append(&k, m, 1200, &out));
    first = out.at[0].id;
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&first, 1}, &erased, &k.err));
    sum = skn_fixture_number(k.fx, "SELECT sum(hash / 1024) FROM messages");
    assert_int_not_equal(sum, 0);
    leave(&k);
    skn_fixture_sql(k.fx, KIT_DOWN_TO_13 "DELETE FROM schema_version WHERE version > 13");
    come_back(&k);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT sum(hash / 1024) FROM messages"), sum);
    kit_close(&k);
}

/* A page of the file overwritten: the check goes on as far as it can, and says so. */
static void a_file_with_a_broken_page_is_told(void **state)
{
    kit         k;
    skein_check check;
    char        junk[4096];
    FILE       *file;
    long        page;

    build(&k, state);
    page = (long)skn_fixture_number(k.fx,
                                    "SELECT rootpage FROM sqlite_master WHERE name = 'items'");
    leave(&k);
    skn_fixture_shut(k.fx); /* the last one out takes the log along */
    memset(junk, 0x5a, sizeof junk);
    file = fopen(k.fx->path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, (page - 1) * 4096, SEEK_SET), 0);
    assert_int_equal(fwrite(junk, 1, sizeof junk, file), sizeof junk);
    assert_int_equal(fclose(file), 0);
    come_back(&k);
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_true(check.count > 1);
    for (size_t i = 0; i < check.count; i++)
        assert_string_equal(check.at[i].invariant.p, "database");
    done(&k);
}

/* SQLite lets anything into a column of numbers; the check ends all the same, and says so. */
static void a_place_that_is_no_number_ends_the_check(void **state)
{
    kit         k;
    skein_check check;

    build(&k, state);
    skn_fixture_sql(k.fx, "PRAGMA foreign_keys = OFF;"
                          "UPDATE items SET thread_id = x'ff00ff' WHERE thread_id = "
                          "(SELECT min(thread_id) FROM items);"
                          "PRAGMA foreign_keys = ON");
    KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
    assert_true(check.count > 0);
    done(&k);
}

/* Each is read as a number that the next page begins behind, and sorted behind all numbers. */
static void a_call_in_no_conversation_ends_the_check(void **state)
{
    static const char *const values[] = {"'['", "x'ff'", "1.5"};
    kit                      k;
    skein_check              check;
    char                     sql[160];

    build(&k, state);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        snprintf(sql, sizeof sql,
                 "PRAGMA foreign_keys = OFF; UPDATE message_calls SET conversation_id = %s;"
                 "PRAGMA foreign_keys = ON",
                 values[i]);
        skn_fixture_sql(k.fx, sql);
        KIT_OK(&k, skein_fsck(k.e, k.mem, &check, &k.err));
        assert_true(check.count > 0);
    }
    done(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_ON_SQLITE(a_place_that_is_no_number_ends_the_check),
        SKN_ON_SQLITE(a_call_in_no_conversation_ends_the_check),
        SKN_BOTH(a_sound_store_is_counted_and_nothing_is_found),
        SKN_BOTH(a_dangling_reply_is_a_warning_and_no_finding),
        SKN_BOTH(findings_are_bounded),
        SKN_BOTH(an_erased_store_is_sound),
        SKN_BOTH(messages_of_an_older_store_are_hashed_once_it_is_opened),
        SKN_BOTH(an_id_with_a_blank_is_found),
        SKN_ON_SQLITE(a_text_that_is_not_utf8_is_found),
        SKN_ON_SQLITE(a_text_with_a_zero_is_found),
        SKN_ON_SQLITE(a_sender_that_is_not_utf8_is_found),
        SKN_BOTH(a_text_that_changed_is_found),
        SKN_BOTH(a_thought_that_changed_is_found),
        SKN_BOTH(arguments_of_a_call_that_changed_are_found),
        SKN_BOTH(a_message_without_a_hash_is_found),
        SKN_BOTH(a_text_that_says_it_was_erased_is_found),
        SKN_ON_SQLITE(an_event_that_is_gone_is_found_on_sqlite),
        SKN_BOTH(an_erased_text_that_is_still_there_is_found),
        SKN_BOTH(an_event_that_was_forgotten_and_is_there_is_found),
        SKN_BOTH(a_time_before_all_clocks_is_found),
        SKN_BOTH(a_time_that_cannot_be_shown_is_found),
        SKN_BOTH(a_message_of_a_clock_that_was_ahead_is_no_damage),
        SKN_ON_SQLITE(a_damaged_index_of_words_is_told_and_made_anew),
        SKN_ON_SQLITE(the_index_of_words_is_looked_at_while_somebody_writes),
        SKN_BOTH(settings_of_a_world_that_are_no_object_are_told),
        SKN_BOTH(settings_of_an_agent_that_are_no_object_are_told),
        SKN_BOTH(an_agent_whose_name_is_none_is_told),
        SKN_BOTH(a_thread_in_a_foreign_lane_is_found),
        SKN_BOTH(an_item_without_a_message_is_found),
        SKN_BOTH(a_node_without_a_conversation_is_found),
        SKN_BOTH(a_lane_with_a_foreign_agent_is_found),
        SKN_BOTH(a_gap_in_a_thread_is_found),
        SKN_BOTH(a_gap_in_the_patches_is_found),
        SKN_BOTH(a_falling_order_key_is_found),
        SKN_BOTH(a_message_twice_in_a_thread_is_found),
        SKN_BOTH(a_tree_of_another_length_is_found),
        SKN_BOTH(a_missing_root_is_found),
        SKN_BOTH(a_version_made_from_itself_is_found),
        SKN_BOTH(a_thread_made_from_a_later_one_is_found),
        SKN_BOTH(a_thread_made_from_more_than_there_was_is_found),
        SKN_BOTH(a_branch_of_nothing_is_found),
        SKN_BOTH(a_pointer_to_a_foreign_version_is_found),
        SKN_BOTH(a_conversation_without_a_version_is_found),
        SKN_BOTH(a_version_without_a_main_thread_is_found),
        SKN_BOTH(a_missing_version_number_is_found),
        SKN_BOTH(a_message_in_no_thread_is_found),
        SKN_BOTH(a_lost_last_item_is_found),
        SKN_BOTH(a_pointer_that_no_operation_moved_is_found),
        SKN_BOTH(an_operation_from_nowhere_is_found),
        SKN_BOTH(operations_that_do_not_meet_are_found),
        SKN_BOTH(an_operation_taken_back_by_none_is_found),
        SKN_BOTH(an_undo_of_nothing_is_found),
        SKN_BOTH(an_amend_of_another_role_is_found),
        SKN_BOTH(a_squash_of_one_is_found),
        SKN_BOTH(a_squash_of_one_twice_is_found),
        SKN_BOTH(a_squash_of_its_own_result_is_found),
        SKN_BOTH(a_squash_without_a_result_is_found),
        SKN_BOTH(a_message_of_an_unknown_squash_is_found),
        SKN_BOTH(an_edit_of_another_lineage_is_found),
        SKN_BOTH(a_result_that_no_call_leads_to_is_found),
        SKN_BOTH(a_call_that_cannot_be_found_is_found),
        SKN_BOTH(a_call_that_was_not_made_is_found),
        SKN_BOTH(calls_that_cannot_be_read_are_found),
        SKN_BOTH(a_result_of_no_call_is_found),
        SKN_BOTH(a_delegation_by_no_message_is_found),
        SKN_BOTH(a_missing_ordinal_is_found),
        SKN_BOTH(miscounted_delegations_are_found),
        SKN_BOTH(a_lane_under_itself_is_found),
        SKN_BOTH(a_lane_with_a_strange_name_is_found),
        SKN_BOTH(instructions_that_cannot_be_read_are_found),
        SKN_BOTH(a_reply_to_another_than_it_names_is_found),
        SKN_BOTH(a_reply_to_nothing_known_is_found),
        SKN_BOTH(a_reply_of_the_wrong_depth_is_found),
        SKN_BOTH(a_world_with_a_foreign_chat_is_found),
        SKN_BOTH(a_summary_of_more_than_there_is_is_found),
        SKN_BOTH(a_summary_that_ends_elsewhere_is_found),
        SKN_BOTH(a_compaction_without_a_summary_is_found),
        SKN_BOTH(a_thread_with_an_unknown_compaction_is_found),
        SKN_BOTH(a_lead_in_another_world_is_told),
        SKN_BOTH(an_agent_that_leads_itself_is_told),
        SKN_BOTH(agents_that_lead_each_other_are_told),
        SKN_BOTH(a_copy_of_nothing_is_told),
        SKN_BOTH(what_repeats_an_erased_message_is_told),
        SKN_BOTH(an_event_of_nothing_is_told),
        SKN_BOTH(a_tag_without_a_control_is_told),
        SKN_BOTH(a_tag_of_another_world_is_told),
        SKN_BOTH(a_file_whose_items_cannot_be_read_is_told),
        SKN_BOTH(a_table_that_is_gone_is_told),
        SKN_BOTH(an_index_that_claims_too_much_is_told),
        SKN_BOTH(an_erased_message_in_the_index_is_told),
        SKN_ON_SQLITE(a_message_missing_in_the_index_is_told_on_sqlite),
        SKN_ON_PG(a_message_missing_in_the_index_is_told_on_pg),
        SKN_ON_SQLITE(an_index_without_its_rows_is_told),
        SKN_ON_SQLITE(a_file_with_a_broken_page_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
