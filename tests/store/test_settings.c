/* What the program keeps for itself, and the small changes of worlds, agents and chats. */
#include "store/kit.h"

#include "base/arena.h"
#include "engine/engine.h"
#include "store/db.h"

/* --- Settings -------------------------------------------------------------------------------- */

/* "a=1 b=2" */
static const char *settings(kit *k)
{
    skein_settings all;
    skn_str        text = SKN_STR("");

    KIT_OK(k, skein_setting_list(k->e, k->mem, &all, &k->err));
    for (size_t i = 0; i < all.count; i++)
        text = skn_arena_printf(k->mem, "%.*s%s%.*s=%.*s", SKN_FMT(text), i ? " " : "",
                                SKN_FMT(all.at[i].key), SKN_FMT(all.at[i].value));
    return text.p;
}

static void settings_are_set_changed_and_removed_together(void **state)
{
    kit           k;
    skein_setting first[] = {{SKN_STR("theme"), SKN_STR("\"dark\"")},
                             {SKN_STR("Zoom"), SKN_STR("1.5")},
                             {SKN_STR("keys"), SKN_STR("{\"send\": [1]}")}};
    skein_setting second[] = {{SKN_STR("theme"), SKN_STR("\"light\"")},
                              {SKN_STR("keys"), SKN_NONE},
                              {SKN_STR("never there"), SKN_NONE}};

    kit_open(&k, state);
    assert_string_equal(settings(&k), "");
    KIT_OK(&k, skein_setting_put(k.e, first, 3, &k.err));
    assert_string_equal(settings(&k), "Zoom=1.5 keys={\"send\": [1]} theme=\"dark\"");
    KIT_OK(&k, skein_setting_put(k.e, second, 3, &k.err));
    assert_string_equal(settings(&k), "Zoom=1.5 theme=\"light\"");
    kit_close(&k);
}

static void a_setting_that_is_no_json_changes_none_of_them(void **state)
{
    kit           k;
    skein_setting list[] = {{SKN_STR("good"), SKN_STR("1")}, {SKN_STR("bad"), SKN_STR("dark")}};

    kit_open(&k, state);
    assert_int_not_equal(skein_setting_put(k.e, list, 2, &k.err), SKEIN_OK);
    list[1] = (skein_setting){SKN_STR(""), SKN_STR("1")};
    assert_int_equal(skein_setting_put(k.e, list, 2, &k.err), SKEIN_INVALID);
    assert_string_equal(settings(&k), "");
    kit_close(&k);
}

static void there_are_no_more_than_a_thousand_settings(void **state)
{
    kit           k;
    skein_setting list[1000], more = {SKN_STR("one more"), SKN_STR("1")};

    kit_open(&k, state);
    for (int i = 0; i < 1000; i++)
        list[i] = (skein_setting){skn_arena_printf(k.mem, "s%d", i),
                                  SKN_STR("\"a value of its own\"")};
    KIT_OK(&k, skein_setting_put(k.e, list, 1000, &k.err));
    assert_int_equal(skein_setting_put(k.e, &more, 1, &k.err), SKEIN_LIMIT);
    list[0].value = SKN_NONE;
    KIT_OK(&k, skein_setting_put(k.e, list, 1, &k.err));
    KIT_OK(&k, skein_setting_put(k.e, &more, 1, &k.err));
    kit_close(&k);
}

/* --- Answers ---------------------------------------------------------------------------------- */

static bool find(kit *k, const char *key, skein_kept_answer *out)
{
    bool found;

    KIT_OK(k, skein_answer_find(k->e, skein_text(key), k->mem, out, &found, &k->err));
    return found;
}

static void an_answer_is_found_again_as_it_was(void **state)
{
    kit               k;
    skein_kept_answer a = {.key = SKN_STR("POST k1"),
                           .request = -5,
                           .status = 201,
                           .head = SKN_STR("Location: /x\n"),
                           .body = SKN_STR("{\"a\":\"ä\"}")};
    skein_kept_answer got;

    kit_open(&k, state);
    assert_false(find(&k, "POST k1", &got));
    KIT_OK(&k, skein_answer_keep(k.e, &a, &k.err));
    assert_true(find(&k, "POST k1", &got));
    assert_int_equal(got.request, -5);
    assert_int_equal(got.status, 201);
    assert_string_equal(got.head.p, "Location: /x\n");
    assert_string_equal(got.body.p, "{\"a\":\"ä\"}");
    assert_false(find(&k, "POST k2", &got));
    a.status = 200;
    a.body = SKN_NONE;
    KIT_OK(&k, skein_answer_keep(k.e, &a, &k.err));
    assert_true(find(&k, "POST k1", &got));
    assert_int_equal(got.status, 200);
    assert_null(got.body.p);
    kit_close(&k);
}

static int64_t answers(kit *k)
{
    return skn_fixture_number(k->fx, "SELECT count(*) FROM answers");
}

static void answers_of_yesterday_are_gone_and_go_in_small_numbers(void **state)
{
    kit               k;
    skein_kept_answer a = {.status = 200}, got;
    char              key[20];

    kit_open(&k, state);
    for (int i = 0; i < 150; i++) {
        snprintf(key, sizeof key, "k%d", i);
        a.key = skein_text(key);
        KIT_OK(&k, skein_answer_keep(k.e, &a, &k.err));
    }
    assert_int_equal(answers(&k), 150);
    skn_fixture_sql(k.fx, "UPDATE answers SET created_at = created_at - 86000000000");
    assert_true(find(&k, "k7", &got));
    skn_fixture_sql(k.fx, "UPDATE answers SET created_at = created_at - 500000000");
    assert_false(find(&k, "k7", &got));
    a.key = SKN_STR("new");
    KIT_OK(&k, skein_answer_keep(k.e, &a, &k.err));
    assert_int_equal(answers(&k), 51);
    KIT_OK(&k, skein_answer_keep(k.e, &a, &k.err));
    assert_int_equal(answers(&k), 1);
    kit_close(&k);
}

/* --- Failed edits -------------------------------------------------------------------------------- */

static void the_last_hundred_failed_edits_of_a_world_are_kept(void **state)
{
    kit               k;
    skein_world       other = {.name = SKN_STR("other")};
    skein_edit_error  what = {.operation = SKN_STR("edit"), .message_uid = SKN_STR("m1")};
    skein_edit_errors list;
    char              text[20];

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    what.error = SKN_STR("of another");
    KIT_OK(&k, skein_edit_error_add(k.e, other.id, &what, &k.err));
    what.chat = k.chat.id;
    for (int i = 0; i < 105; i++) {
        snprintf(text, sizeof text, "error %d", i);
        what.error = skein_text(text);
        KIT_OK(&k, skein_edit_error_add(k.e, k.world.id, &what, &k.err));
    }
    KIT_OK(&k, skein_edit_error_list(k.e, k.world.id, k.mem, &list, &k.err));
    assert_int_equal(list.count, 100);
    assert_string_equal(list.at[0].error.p, "error 104");
    assert_string_equal(list.at[99].error.p, "error 5");
    assert_string_equal(list.at[0].operation.p, "edit");
    assert_string_equal(list.at[0].message_uid.p, "m1");
    assert_string_equal(list.at[0].chat_uid.p, k.chat.uid.p);
    assert_memory_equal(list.at[0].uid.p, "ee_", 3);
    assert_true(list.at[0].at > 0);
    KIT_OK(&k, skein_edit_error_list(k.e, other.id, k.mem, &list, &k.err));
    assert_int_equal(list.count, 1);
    assert_null(list.at[0].chat_uid.p);
    assert_int_equal(skein_edit_error_add(k.e, (skein_world_id){99}, &what, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static size_t failed_edits(kit *k, skein_edit_errors *list)
{
    KIT_OK(k, skein_edit_error_list(k->e, k->world.id, k->mem, list, &k->err));
    return list->count;
}

static void a_failed_edit_is_listed_until_its_message_is_edited_or_removed(void **state)
{
    kit              k;
    skein_message    m, other;
    skein_edit_error what = {
        .operation = SKN_STR("remove"), .error = SKN_STR("disk full"), .at = 7};
    skein_edit_errors list;
    skein_removal     done;

    kit_open(&k, state);
    other = kit_say(&k, SKEIN_USER, "human", "other");
    m = kit_say(&k, SKEIN_USER, "human", "hello");
    what.chat = k.chat.id;
    what.message_uid = other.uid;
    KIT_OK(&k, skein_edit_error_add(k.e, k.world.id, &what, &k.err));
    what.message_uid = m.uid;
    KIT_OK(&k, skein_edit_error_add(k.e, k.world.id, &what, &k.err));
    k.how.dry_run = true;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, m.id, true, k.mem, &done, &k.err));
    assert_int_equal(failed_edits(&k, &list), 2);
    k.how.dry_run = false;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, m.id, true, k.mem, &done, &k.err));
    assert_int_equal(failed_edits(&k, &list), 1);
    assert_string_equal(list.at[0].message_uid.p, other.uid.p);
    assert_int_equal(list.at[0].at, 7);
    kit_close(&k);
}

static void fail_edit(kit *k, skn_str message)
{
    skein_edit_error what = {.chat = k->chat.id,
                             .message_uid = message,
                             .operation = SKN_STR("remove"),
                             .error = SKN_STR("disk full")};

    KIT_OK(k, skein_edit_error_add(k->e, k->world.id, &what, &k->err));
}

static void an_edit_in_place_and_a_deletion_solve_a_failed_edit_too(void **state)
{
    kit               k;
    skein_message     m[3], edited;
    skein_edit_errors list;
    skein_version     v;

    kit_open(&k, state);
    for (int i = 0; i < 3; i++) {
        m[i] = kit_say(&k, SKEIN_USER, "human", "hello");
        fail_edit(&k, m[i].uid);
    }
    k.how.dry_run = true;
    KIT_OK(&k, skein_amend(k.e, &k.how, m[0].id, SKN_STR("hi"), k.mem, &v, &edited, &k.err));
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m[1].id, 1}, k.mem, &v, &k.err));
    assert_int_equal(failed_edits(&k, &list), 3);
    k.how.dry_run = false;
    KIT_OK(&k, skein_amend(k.e, &k.how, m[0].id, SKN_STR("hi"), k.mem, &v, &edited, &k.err));
    assert_int_equal(failed_edits(&k, &list), 2);
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m[1].id, 1}, k.mem, &v, &k.err));
    assert_int_equal(failed_edits(&k, &list), 1);
    assert_string_equal(list.at[0].message_uid.p, m[2].uid.p);
    kit_close(&k);
}

static void an_edit_whose_new_text_never_came_is_listed_until_something_is_said_or_undone(
    void **state)
{
    kit               k;
    skein_message     m;
    skein_edit_errors list;
    skein_removal     done;
    skein_move        v;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "first");
    m = kit_say(&k, SKEIN_USER, "human", "hello");
    k.how.resubmit = true;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, m.id, true, k.mem, &done, &k.err));
    assert_int_equal(failed_edits(&k, &list), 0); /* the new text may be on its way */
    skn_fixture_sql(k.fx, "UPDATE versions SET created_at = 1");
    assert_int_equal(failed_edits(&k, &list), 1);
    assert_string_equal(list.at[0].operation.p, "resubmit");
    assert_memory_equal(list.at[0].message_uid.p, m.uid.p, m.uid.n + 1);
    assert_string_equal(list.at[0].chat_uid.p, k.chat.uid.p);
    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &v, &k.err));
    assert_int_equal(failed_edits(&k, &list), 0);
    KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &v, &k.err));
    assert_int_equal(failed_edits(&k, &list), 1);
    kit_say(&k, SKEIN_USER, "human", "hello again");
    assert_int_equal(failed_edits(&k, &list), 0);
    kit_close(&k);
}

/* --- Worlds ----------------------------------------------------------------------------------------- */

static skein_rc update(kit *k, skein_world w, skein_world *out)
{
    skein_rc rc;

    w.id = k->world.id;
    rc = skein_world_update(k->e, &w, k->mem, &k->err);
    *out = w;
    return rc;
}

static void a_world_changes_only_in_what_is_said(void **state)
{
    kit         k;
    skein_world w, found;

    kit_open(&k, state);
    KIT_OK(&k, update(&k, (skein_world){.description = SKN_STR("a place")}, &w));
    assert_string_equal(w.name.p, "lab");
    assert_string_equal(w.uid.p, k.world.uid.p);
    assert_string_equal(w.current_chat_uid.p, k.chat.uid.p);
    KIT_OK(&k, update(&k, (skein_world){.name = SKN_STR("Hall"), .turn_limit = 3}, &w));
    KIT_OK(&k, skein_world_find(k.e, SKN_STR("hall"), k.mem, &found, &k.err));
    assert_string_equal(found.description.p, "a place");
    assert_int_equal(found.turn_limit, 3);
    assert_int_equal(found.compact_at, 50);
    KIT_OK(&k, update(&k, (skein_world){.description = SKN_STR(""), .compact_at = 9}, &w));
    KIT_OK(&k, skein_world_find(k.e, SKN_STR("hall"), k.mem, &found, &k.err));
    assert_int_equal(found.description.n, 0);
    assert_int_equal(found.compact_at, 9);
    assert_int_equal(skein_world_find(k.e, SKN_STR("lab"), k.mem, &found, &k.err),
                     SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void a_world_keeps_its_name_when_the_new_one_will_not_do(void **state)
{
    kit         k;
    skein_world other = {.name = SKN_STR("other")}, w;

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    assert_int_equal(update(&k, (skein_world){.name = SKN_STR("other")}, &w), SKEIN_CONFLICT);
    assert_int_equal(update(&k, (skein_world){.name = SKN_STR("no good")}, &w), SKEIN_INVALID);
    assert_int_equal(update(&k, (skein_world){.compact_at = 1}, &w), SKEIN_INVALID);
    KIT_OK(&k, update(&k, (skein_world){.name = SKN_STR("LAB")}, &w)); /* its own */
    other.id.v = 99;
    assert_int_equal(skein_world_update(k.e, &other, k.mem, &k.err), SKEIN_NOT_FOUND);
    KIT_OK(&k, skein_world_find(k.e, SKN_STR("lab"), k.mem, &w, &k.err));
    kit_close(&k);
}

/* --- Agents and chats --------------------------------------------------------------------------------- */

static void an_agent_becomes_what_is_said(void **state)
{
    kit         k;
    skein_agent a, found;

    kit_open(&k, state);
    a = (skein_agent){.id = k.agent[0].id,
                      .name = SKN_STR("ignored"),
                      .system_prompt = SKN_STR("be kind"),
                      .model = SKN_STR("m/1"),
                      .lead_name = SKN_STR("BO"),
                      .settings = SKN_STR("{\"autoReply\":false}")};
    KIT_OK(&k, skein_agent_update(k.e, &a, k.mem, &k.err));
    assert_string_equal(a.name.p, "ada");
    KIT_OK(&k, skein_agent_find(k.e, k.world.id, SKN_STR("ada"), k.mem, &found, &k.err));
    assert_string_equal(found.system_prompt.p, "be kind");
    assert_string_equal(found.model.p, "m/1");
    assert_string_equal(found.lead_name.p, "bo");
    assert_string_equal(found.settings.p, "{\"autoReply\":false}");
    a = (skein_agent){.id = k.agent[0].id};
    KIT_OK(&k, skein_agent_update(k.e, &a, k.mem, &k.err));
    KIT_OK(&k, skein_agent_find(k.e, k.world.id, SKN_STR("ada"), k.mem, &found, &k.err));
    assert_null(found.system_prompt.p);
    assert_null(found.model.p);
    assert_null(found.lead_name.p);
    assert_int_equal(found.lead.v, 0);
    assert_null(found.settings.p);
    kit_close(&k);
}

static void nobody_is_led_by_those_below(void **state)
{
    kit         k;
    skein_agent a;

    kit_open(&k, state);
    a = (skein_agent){.id = k.agent[0].id, .lead_name = SKN_STR("bo")};
    KIT_OK(&k, skein_agent_update(k.e, &a, k.mem, &k.err));
    a = (skein_agent){.id = k.agent[1].id, .lead_name = SKN_STR("cy")};
    KIT_OK(&k, skein_agent_update(k.e, &a, k.mem, &k.err));
    a = (skein_agent){.id = k.agent[2].id, .lead_name = SKN_STR("ada")};
    assert_int_equal(skein_agent_update(k.e, &a, k.mem, &k.err), SKEIN_INVALID);
    a = (skein_agent){.id = k.agent[2].id, .lead_name = SKN_STR("cy")};
    assert_int_equal(skein_agent_update(k.e, &a, k.mem, &k.err), SKEIN_INVALID);
    a = (skein_agent){.id = k.agent[2].id, .lead_name = SKN_STR("nobody")};
    assert_int_equal(skein_agent_update(k.e, &a, k.mem, &k.err), SKEIN_NOT_FOUND);
    a = (skein_agent){.id = {99}};
    assert_int_equal(skein_agent_update(k.e, &a, k.mem, &k.err), SKEIN_NOT_FOUND);
    a = (skein_agent){.id = k.agent[2].id, .settings = SKN_STR("[]")};
    assert_int_equal(skein_agent_update(k.e, &a, k.mem, &k.err), SKEIN_INVALID);
    kit_close(&k);
}

static void a_chat_gets_another_title_or_none(void **state)
{
    kit                k;
    skein_conversation c;

    kit_open(&k, state);
    KIT_OK(&k, skein_conversation_rename(k.e, k.chat.id, SKN_STR("plans"), &k.err));
    KIT_OK(&k, skein_conversation_get(k.e, k.chat.id, k.mem, &c, &k.err));
    assert_string_equal(c.title.p, "plans");
    KIT_OK(&k, skein_conversation_rename(k.e, k.chat.id, SKN_NONE, &k.err));
    KIT_OK(&k, skein_conversation_get(k.e, k.chat.id, k.mem, &c, &k.err));
    assert_null(c.title.p);
    assert_int_equal(skein_conversation_rename(k.e, k.chat.id, SKN_STR("two\nlines"), &k.err),
                     SKEIN_INVALID);
    assert_int_equal(
        skein_conversation_rename(k.e, (skein_conversation_id){99}, SKN_STR("x"), &k.err),
        SKEIN_NOT_FOUND);
    kit_close(&k);
}

/* --- The trail ------------------------------------------------------------------------------- */

/* Of the kit: its agents, made before anybody works. */
static bool is_of_the_kit(const skein_audit_row *r)
{
    return skn_str_is(r->who, "skein") && skn_str_is(r->what, "agent.create");
}

/* "what subject: detail", the newest first, each by who. */
static const char *trail(kit *k)
{
    skein_audit_rows rows;
    skn_str          text = SKN_STR("");

    KIT_OK(k, skein_audit_list(k->e, 0, 100, k->mem, &rows, &k->err));
    for (size_t i = 0; i < rows.count; i++) {
        const skein_audit_row *r = &rows.at[i];

        assert_true(r->at > 0 && r->id > 0);
        if (is_of_the_kit(r))
            continue;
        text = skn_arena_printf(k->mem, "%.*s%.*s@%.*s %.*s %.*s: %.*s\n", SKN_FMT(text),
                                SKN_FMT(r->who), SKN_FMT(r->from), SKN_FMT(r->what),
                                SKN_FMT(r->subject), SKN_FMT(r->detail));
    }
    return text.p;
}

static void every_change_leaves_a_row_in_the_trail(void **state)
{
    kit                k;
    skein_setting      set[] = {{SKN_STR("defaults.model"), SKN_STR("\"x/y\"")},
                                {SKN_STR("ui.theme"), SKN_STR("1")},
                                {SKN_STR("providers"), SKN_STR("{\"o\":{\"type\":\"openai\"}}")}};
    skein_world_change what = {0};
    skein_message      m;
    skein_version      v;
    skn_actor          kim = {.name = SKN_STR("kim"), .from = SKN_STR("cli")};
    skein_agent        di = {.name = SKN_STR("di"),
                             .system_prompt = SKN_STR("planted prompt"),
                             .model = SKN_STR("x/y"),
                             .lead_name = SKN_STR("ada")};
    skn_session        browser = {.uid = SKN_STR("s1"),
                                  .hash = SKN_STR("h"),
                                  .label = SKN_STR("b"),
                                  .created_at = 1,
                                  .expires_at = INT64_MAX};
    int64_t            erased, gone;

    kit_open(&k, state);
    di.world = k.world.id;
    kim.a = k.mem;
    skn_engine_by(k.e, &kim);
    KIT_OK(&k, skein_setting_put(k.e, set, 3, &k.err));
    what.id = k.world.id;
    what.settings = SKN_STR(
        "{\"knowledge\":true,\"mcpServers\":{\"files\":{\"command\":[\"x\"],"
        "\"env\":{\"PLACE\":\"s3cret\"}}},\"approvals\":{\"remember\":\"ask\"}}");
    KIT_OK(&k, skein_world_patch(k.e, &what, k.mem, &k.world, &k.err));
    what.settings = SKN_STR("{\"knowledge\":true,\"approvals\":{\"remember\":\"never\"}}");
    KIT_OK(&k, skein_world_patch(k.e, &what, k.mem, &k.world, &k.err));
    KIT_OK(&k, skein_world_patch(k.e, &what, k.mem, &k.world, &k.err)); /* no change */
    m = kit_say(&k, SKEIN_USER, NULL, "planted words");
    k.how.dry_run = true;
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m.id, 1}, k.mem, &v, &k.err));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&m.id, 1}, &erased, &k.err));
    k.how.dry_run = false;
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m.id, 1}, k.mem, &v, &k.err));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&m.id, 1}, &erased, &k.err));
    KIT_OK(&k, skein_agent_new(k.e, &di, k.mem, &k.err));
    di.model = SKN_STR("x/z");
    di.settings = SKN_STR("{\"tools\":[\"remember\"]}");
    KIT_OK(&k, skein_agent_update(k.e, &di, k.mem, &k.err));
    KIT_OK(&k, skein_agent_update(k.e, &di, k.mem, &k.err)); /* no change */
    KIT_OK(&k, skein_agent_pause(k.e, di.id, true, &k.err));
    KIT_OK(&k, skein_agent_pause(k.e, di.id, false, &k.err));
    KIT_OK(&k, skein_agent_timer(k.e, di.id, 60000, &k.err));
    KIT_OK(&k, skein_agent_timer(k.e, di.id, 60000, &k.err)); /* no change */
    KIT_OK(&k, skein_agent_timer(k.e, di.id, 0, &k.err));
    KIT_OK(&k, skein_agent_remove(k.e, k.agent[2].id, false, &k.err));
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, true, &k.err));
    KIT_OK(&k, skein_conversation_restore(k.e, k.world.id, k.chat.uid, k.mem, &k.chat, &k.err));
    KIT_OK(&k, skein_world_remove(k.e, k.world.id, true, &k.err));
    KIT_OK(&k, skein_world_restore(k.e, k.world.uid, SKN_NONE, k.mem, &k.world, &k.err));
    KIT_OK(&k, skn_session_put(k.e, &browser, SKN_STR("with a link"), &k.err));
    KIT_OK(&k, skn_session_remove(k.e, browser.uid, &gone, &k.err));
    KIT_OK(&k, skn_session_remove(k.e, browser.uid, &gone, &k.err)); /* there is none */
    assert_string_equal(
        trail(&k),
        skn_arena_printf(
            k.mem,
            "kim@cli session.remove s1: \n"
            "kim@cli sign-in s1: with a link\n"
            "kim@cli world.restore lab: %.*s\n"
            "kim@cli world.remove lab: %.*s\n"
            "kim@cli chat.restore %.*s: lab\n"
            "kim@cli chat.remove %.*s: lab\n"
            "kim@cli agent.remove cy: lab\n"
            "kim@cli agent.change di: lab: runEvery removed\n"
            "kim@cli agent.change di: lab: runEvery\n"
            "kim@cli agent.change di: lab: resumed\n"
            "kim@cli agent.change di: lab: paused\n"
            "kim@cli agent.change di: lab: model, tools\n"
            "kim@cli agent.create di: lab: systemPrompt, model, lead\n"
            "kim@cli purge %.*s: 1 erased\n"
            "kim@cli message.remove %.*s: delete 1\n"
            "kim@cli world.change lab: approvals.remember, mcpServers removed\n"
            "kim@cli world.change lab: knowledge, mcpServers.files, approvals.remember\n"
            "kim@cli provider.change providers: o.type\n"
            "kim@cli setting.change defaults.model: \n",
            SKN_FMT(k.world.uid), SKN_FMT(k.world.uid), SKN_FMT(k.chat.uid),
            SKN_FMT(k.chat.uid), SKN_FMT(k.chat.uid), SKN_FMT(k.chat.uid))
            .p);
    assert_int_equal(kim.noted.n, 14); /* some of them tell the same */
    kit_close(&k);
}

static void a_change_that_fails_leaves_no_row(void **state)
{
    kit           k;
    skein_setting list[1000];

    kit_open(&k, state);
    for (int i = 0; i < 1000; i++)
        list[i] = (skein_setting){skn_arena_printf(k.mem, "s%d", i), SKN_STR("1")};
    KIT_OK(&k, skein_setting_put(k.e, list, 999, &k.err));
    list[0].key = SKN_STR("more");
    assert_int_equal(skein_setting_put(k.e, list, 1000, &k.err), SKEIN_LIMIT);
    assert_int_equal(
        skn_fixture_number(k.fx, "SELECT count(*) FROM audit WHERE what = 'setting.change'"),
        999);
    kit_close(&k);
}

static void rows_of_the_trail_cannot_be_changed_or_removed(void **state)
{
    static const char *const sql[] = {"DELETE FROM audit", "UPDATE audit SET who = 'x'"};
    kit                      k;
    skn_db                  *db;

    kit_open(&k, state);
    KIT_OK(&k, skn_audit_add(k.e, "key.set", SKN_STR("office"), SKN_NONE, &k.err));
    for (size_t i = 0; i < 2; i++) {
        KIT_OK(&k, skn_db_open(&db, skn_str_of(k.fx->address), SKN_DB_WRITER, &k.err));
        assert_int_not_equal(skn_db_script(db, sql[i], &k.err), SKEIN_OK);
        skn_db_close(db);
    }
    assert_string_equal(trail(&k), "skein@process key.set office: \n");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(settings_are_set_changed_and_removed_together),
        SKN_BOTH(a_setting_that_is_no_json_changes_none_of_them),
        SKN_BOTH(there_are_no_more_than_a_thousand_settings),
        SKN_BOTH(an_answer_is_found_again_as_it_was),
        SKN_BOTH(answers_of_yesterday_are_gone_and_go_in_small_numbers),
        SKN_BOTH(the_last_hundred_failed_edits_of_a_world_are_kept),
        SKN_BOTH(a_failed_edit_is_listed_until_its_message_is_edited_or_removed),
        SKN_BOTH(an_edit_in_place_and_a_deletion_solve_a_failed_edit_too),
        SKN_BOTH(an_edit_whose_new_text_never_came_is_listed_until_something_is_said_or_undone),
        SKN_BOTH(a_world_changes_only_in_what_is_said),
        SKN_BOTH(a_world_keeps_its_name_when_the_new_one_will_not_do),
        SKN_BOTH(an_agent_becomes_what_is_said),
        SKN_BOTH(nobody_is_led_by_those_below),
        SKN_BOTH(a_chat_gets_another_title_or_none),
        SKN_BOTH(every_change_leaves_a_row_in_the_trail),
        SKN_BOTH(a_change_that_fails_leaves_no_row),
        SKN_BOTH(rows_of_the_trail_cannot_be_changed_or_removed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
