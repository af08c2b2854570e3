/* The schema: made once, brought up to date, and never where it does not belong. */
#include "store/fsck_store.h"
#include "store/work_kit.h"

#include "store/db.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READERS_OPTIONS (&(skn_store_options){.read_only = true})

static skein_rc open_store(skn_fixture *fx, const skn_store_options *options, skein_error *err)
{
    skn_store *st;
    skein_rc   rc = skn_store_open(&st, skn_str_of(fx->address), options, err);

    assert_int_equal(rc != SKEIN_OK, st == NULL);
    skn_store_close(st);
    return rc;
}

static char *read_file(const char *path, size_t *n)
{
    FILE       *f = fopen(path, "rb");
    struct stat st;
    char       *bytes;

    assert_non_null(f);
    assert_int_equal(fstat(fileno(f), &st), 0);
    *n = (size_t)st.st_size;
    bytes = skn_heap(*n + 1);
    assert_int_equal(fread(bytes, 1, *n, f), *n);
    fclose(f);
    return bytes;
}

static off_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) ? -1 : st.st_size;
}

static void a_fresh_store_has_the_newest_schema(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);

    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"),
                     skn_store_schema());
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM schema_version"),
                     skn_store_schema());
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM messages"), 0);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM message_words"), 0);
}

static void opening_an_up_to_date_store_writes_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    size_t       before_n, after_n;
    char        *before, *after, log[300];

    skn_fixture_shut(fx);
    before = read_file(fx->path, &before_n);
    skn_fixture_begin(fx);
    assert_int_equal(size_of(skn_fixture_file(fx, "store.db-wal", log)), 0);
    skn_fixture_shut(fx);
    after = read_file(fx->path, &after_n);
    assert_int_equal(before_n, after_n);
    assert_memory_equal(before, after, after_n);
    free(before);
    free(after);
}

/* A program that waits for the shot and then opens the store, and again: the last one that closes
 * it takes files away that the next one may just have seen. */
static pid_t start_opener(skn_fixture *fx, const int shot[2])
{
    pid_t       child = fork();
    skn_store  *st;
    skein_error err;
    char        c;

    assert_true(child >= 0);
    if (child)
        return child;
    close(shot[1]);
    if (read(shot[0], &c, 1) != 0) /* the end of the pipe is the shot */
        _exit(2);
    for (int i = 0; i < 4; i++) {
        if (skn_store_open(&st, skn_str_of(fx->address), NULL, &err)) {
            print_message("# %s (%s)\n", err.message, err.hint);
            _exit(1);
        }
        skn_store_close(st);
    }
    _exit(0);
}

static void race_to_open(skn_fixture *fx)
{
    enum { PROGRAMS = 6 };
    pid_t child[PROGRAMS];
    int   shot[2], status;

    assert_int_equal(pipe(shot), 0);
    for (int i = 0; i < PROGRAMS; i++)
        child[i] = start_opener(fx, shot);
    close(shot[1]);
    for (int i = 0; i < PROGRAMS; i++) {
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    close(shot[0]);
}

static void programs_that_open_a_fresh_store_at_once_make_one_schema(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         sql[80];

    snprintf(sql, sizeof sql, "DROP SCHEMA %s CASCADE", fx->schema);
    for (int round = 0; round < 10; round++) { /* a race is not lost every time */
        race_to_open(fx);
        assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM schema_version"),
                         skn_store_schema());
        if (fx->pg)
            skn_fixture_sql(fx, sql);
        else
            assert_int_equal(unlink(fx->path), 0);
    }
}

static void a_newer_schema_is_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;
    char         want[100];

    skn_fixture_shut(fx);
    skn_fixture_sql(fx, "INSERT INTO schema_version(version, applied_at) VALUES(900, 1)");
    snprintf(want, sizeof want, "the store has schema 900, this program knows %d",
             skn_store_schema());
    for (int i = 0; i < 2; i++) {
        memset(&err, 0, sizeof err);
        assert_int_equal(open_store(fx, i ? READERS_OPTIONS : NULL, &err), SKEIN_NEWER);
        assert_string_equal(err.message, want);
        assert_true(err.hint[0] != '\0');
    }
}

static void an_older_schema_is_not_touched_when_only_reading(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    skn_fixture_shut(fx);
    skn_fixture_sql(fx, "DELETE FROM schema_version WHERE version > 1");
    assert_int_equal(open_store(fx, READERS_OPTIONS, &err), SKEIN_READ_ONLY);
    assert_non_null(strstr(err.message, "schema 1"));
    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"), 1);
}

static void a_migration_that_fails_leaves_nothing(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    skn_fixture_shut(fx); /* the second migration will meet its own table */
    skn_fixture_sql(fx, "DELETE FROM schema_version WHERE version > 1");
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_FAILED);
    assert_non_null(strstr(err.message, "message_words"));
    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"), 1);
}

static void reading_does_not_make_a_store(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    assert_int_equal(open_store(fx, READERS_OPTIONS, &err), SKEIN_NOT_FOUND);
    assert_true(err.hint[0] != '\0');
    if (fx->pg)
        assert_int_equal(skn_fixture_number(fx,
                                            "SELECT count(*) FROM pg_namespace WHERE nspname"
                                            " = current_setting('search_path')"),
                         0);
    else
        assert_int_equal(size_of(fx->path), -1);
}

static void tables_of_somebody_else_are_refused(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    char         sql[200], *before = NULL, *after;
    size_t       before_n = 0, after_n;
    skein_error  err;

    if (fx->pg)
        snprintf(sql, sizeof sql, "CREATE SCHEMA %s; CREATE TABLE songs(title TEXT)",
                 fx->schema);
    else
        snprintf(sql, sizeof sql, "PRAGMA journal_mode=DELETE; CREATE TABLE songs(title TEXT)");
    skn_fixture_sql(fx, sql);
    if (!fx->pg)
        before = read_file(fx->path, &before_n);
    assert_int_equal(open_store(fx, READERS_OPTIONS, &err), SKEIN_NOT_OURS);
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_NOT_OURS);
    assert_non_null(strstr(err.message, "not a skein store"));
    assert_true(err.hint[0] != '\0');
    if (fx->pg) {
        assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM songs"), 0);
        return;
    }
    after = read_file(fx->path, &after_n);
    assert_int_equal(before_n, after_n);
    assert_memory_equal(before, after, after_n);
    free(before);
    free(after);
}

static void the_mark_of_another_program_is_respected(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    skein_error  err;

    skn_fixture_sql(fx, "PRAGMA application_id=5");
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_NOT_OURS);
    assert_non_null(strstr(err.message, fx->path));
}

static void an_empty_file_becomes_a_store(void **state)
{
    skn_fixture *fx = skn_fixture_of(state);
    FILE        *f = fopen(fx->path, "w");
    skein_error  err;

    assert_non_null(f);
    fclose(f);
    assert_int_equal(open_store(fx, NULL, &err), SKEIN_OK);
    assert_int_equal(skn_fixture_number(fx, "SELECT max(version) FROM schema_version"),
                     skn_store_schema());
}

/* --- Stores that older programs left ------------------------------------------------------------ */

static void set_something(kit *k)
{
    skein_setting    setting = {skein_text("ui.theme"), skein_text("\"dark\"")};
    skein_task       task = {.agent = k->agent[2].id, .content = skein_text("look around")};
    skein_inbox_item item = {.world = k->world.id,
                             .kind = skein_text("finished"),
                             .title = skein_text("done"),
                             .content = skein_text("all of it")};

    KIT_OK(k, skein_setting_put(k->e, &setting, 1, &k->err));
    KIT_OK(k, skein_task_new(k->e, &task, k->mem, &k->err));
    KIT_OK(k, skein_inbox_add(k->e, &item, k->mem, &k->err));
}

/* Answers that ended before their end, in both ways. */
static void break_off(kit *k)
{
    skein_partial said = {.text = skein_text("half a sen")};
    skein_stop    stop = {
           .chat = k->chat.id, .agent = k->agent[1].id, .partials = &said, .partial_count = 1};
    skein_turn turn;
    int64_t    stopped;

    post(k, "@bo write");
    said.turn = begin(k, "bo").id;
    KIT_OK(k, skein_work_stop(k->e, &stop, &stopped, &k->err));
    post(k, "@bo again");
    turn = begin(k, "bo");
    said.turn = turn.id;
    KIT_OK(k, skein_turn_leave(k->e, &turn, &said, &k->err));
}

/* A turn that waits for a person, and something that is said after it. */
static void wait_for_a_person(kit *k)
{
    skein_tool_call   call = {skein_text("c9"), skein_text("rm"), skein_text("{}")};
    skein_new_message asks = {.role = SKEIN_ASSISTANT, .calls = &call, .call_count = 1};
    skein_step        step = {.message = &asks, .tokens_in = -1, .tokens_out = -1};
    skein_instruction tag = {skein_text("Tag.brief"), skein_text("ada")};
    skein_post        later = {
               .size = sizeof later,
               .chat = k->chat.id,
               .client_id = skein_text("mine"),
               .message = &(skein_new_message){.content = skein_text("and \"then\"?\n\\ \u00fc"),
                                               .reply_to = skein_text("m1"),
                                               .instructions = &tag,
                                               .instruction_count = 1}};
    skein_posted     posted;
    skein_inbox_item item;
    skein_message    stored;
    skein_turn       turn;

    post(k, "@ada remove it");
    turn = begin(k, "ada");
    KIT_OK(k, skein_turn_step(k->e, &turn, &step, k->mem, &stored, &k->err));
    KIT_OK(k, skein_approval_ask(k->e, &turn, call.call_id, k->mem, &item, &k->err));
    KIT_OK(k, skein_post_message(k->e, &later, k->mem, &posted, &k->err));
    assert_true(posted.queued);
}

/* Changes whose names were others once; the last is the first half of an edit. */
static void amend_and_edit(kit *k)
{
    skein_edit_error failed = {.message_uid = skein_text("m"),
                               .operation = skein_text("edit"),
                               .error = skein_text("the disk was full")};
    skein_message    first = kit_say(k, SKEIN_USER, "human", "one"), amended;
    skein_message    second = kit_say(k, SKEIN_USER, "human", "two");
    skein_removal    removal;
    skein_version    v;

    KIT_OK(k, skein_amend(k->e, &k->how, first.id, skein_text("uno"), k->mem, &v, &amended,
                          &k->err));
    KIT_OK(k,
           skein_edit(k->e, &k->how, second.id, skein_text("due"), k->mem, &removal, &k->err));
    k->how.resubmit = true;
    KIT_OK(k, skein_remove_from(k->e, &k->how, amended.id, true, k->mem, &removal, &k->err));
    k->how.resubmit = false;
    KIT_OK(k, skein_edit_error_add(k->e, k->world.id, &failed, &k->err));
}

static void describe_waiting(kit *k, const skein_waiting *w, skn_buf *out)
{
    skein_conversation home;
    skein_posted       found;

    KIT_OK(k, skein_queue_find(k->e, k->world.id, w->uid, k->mem, &found, &home, &k->err));
    assert_int_equal(found.message.instruction_count, 1);
    skn_buf_addf(out, "%s of %s at %lld: \"%s\" to %s (%s %s)\n", w->client_id.p, w->sender.p,
                 (long long)w->created_at, w->content.p, w->reply_to.p,
                 found.message.instructions[0].type.p, found.message.instructions[0].target.p);
}

/* What is read of a store, as far as that schema could hold it. */
static const char *portrait(kit *k, int schema)
{
    skein_slice    what = {.conversation = k->chat.id};
    skein_agents   agents;
    skein_settings settings = {0};
    skein_messages said = {0};
    skein_turns    turns = {0};
    skein_queue    queue = {0};
    skein_at       at;
    skn_buf        buf;
    skn_str        text;

    KIT_OK(k, skein_agent_list(k->e, k->world.id, k->mem, &agents, &k->err));
    if (schema >= 3) {
        KIT_OK(k, skein_setting_list(k->e, k->mem, &settings, &k->err));
        KIT_OK(k, skein_read(k->e, &what, k->mem, &said, &at, &k->err));
        KIT_OK(k, skein_queue_list(k->e, k->chat.id, k->mem, &queue, &k->err));
    }
    if (schema >= 5) /* what a turn does is known since then */
        KIT_OK(k, skein_turns_open(k->e, k->world.id, k->chat.id, k->mem, &turns, &k->err));
    skn_buf_init(&buf, 1 << 24);
    skn_buf_addf(&buf, "%s", kit_state(k));
    for (size_t i = 0; i < agents.count; i++)
        skn_buf_addf(&buf, "agent %s %s\n", agents.at[i].uid.p, agents.at[i].name.p);
    for (size_t i = 0; i < settings.count; i++)
        skn_buf_addf(&buf, "%s = %s\n", settings.at[i].key.p, settings.at[i].value.p);
    for (size_t i = 0; i < said.count; i++)
        if (said.at[i].unfinished)
            skn_buf_addf(&buf, "%s is %s\n", said.at[i].uid.p,
                         skein_unfinished_words(said.at[i].unfinished));
    for (size_t i = 0; i < turns.count; i++)
        skn_buf_addf(&buf, "%s: %s (%d)\n", turns.at[i].agent_name.p, turns.at[i].tool.p,
                     (int)turns.at[i].waits);
    for (size_t i = 0; i < queue.count; i++)
        describe_waiting(k, &queue.at[i], &buf);
    text = skn_arena_copy(k->mem, skn_buf_str(&buf));
    skn_buf_release(&buf);
    return text.p;
}

/* Tables as they are now, and their columns: what can be copied into them, and has to be there after an upgrade. The words
 * are indexed again by whoever searches, meta is set by the migrations themselves, and what waits has other columns now. */
static void note_columns(skn_fixture *fx)
{
    skn_fixture_sql(
        fx, fx->pg
                ? "CREATE TABLE columns_then AS SELECT CAST(table_name AS TEXT) AS t,"
                  " string_agg(quote_ident(column_name), ',') AS c"
                  " FROM information_schema.columns WHERE table_schema ="
                  " current_setting('search_path') AND table_name NOT IN"
                  " ('meta', 'schema_version', 'message_words', 'waiting') GROUP BY table_name"
                : "CREATE TABLE columns_then AS SELECT m.name AS t,"
                  " (SELECT group_concat('\"' || c.name || '\"')"
                  " FROM pragma_table_info(m.name) c) AS c FROM sqlite_master m WHERE"
                  " m.type = 'table' AND m.name NOT IN ('meta', 'schema_version', 'waiting')"
                  " AND m.name NOT GLOB 'message_words*'");
}

static skein_rc add_statement(void *arg, const skn_foreign_cell *cells, size_t count,
                              skein_error *err)
{
    (void)count, (void)err;
    skn_buf_addf(arg, "%.*s;", SKN_FMT(cells[0].text));
    return SKEIN_OK;
}

/* Runs SQL for each of those tables, {T} with its columns {C}, and the table of the same name in another place, {F}.{T}. */
static void for_each_table(skn_fixture *fx, const skn_fixture *from, const char *sql)
{
    char        each[600];
    skein_error err;
    skn_buf     all;
    skn_db     *db;

    snprintf(each, sizeof each,
             "replace(replace(replace('%s', '{F}', '%s'), '{C}', c), '{T}', t)", sql,
             fx->pg ? from->schema : "other");
    skn_buf_init(&all, 1 << 20);
    if (fx->pg) {
        skn_buf_addf(&all,
                     "SET session_replication_role = replica; DO $$ DECLARE s TEXT; BEGIN FOR s"
                     " IN SELECT %s FROM columns_then LOOP EXECUTE s; END LOOP; END $$",
                     each);
    } else {
        char select[700];

        snprintf(select, sizeof select, "SELECT %s FROM columns_then", each);
        skn_buf_addf(&all, "PRAGMA foreign_keys=OFF; ATTACH '%s' AS other;", from->path);
        SKN_OK(skn_db_open(&db, skn_str_of(fx->address), SKN_DB_READER, &err), err);
        SKN_OK(skn_sqlite_walk(db, select, add_statement, &all, &err), err);
        skn_db_close(db);
    }
    skn_fixture_sql(fx, all.p);
    skn_buf_release(&all);
}

/* Until schema 24 what waits had a column for each member. */
static void copy_waiting(skn_fixture *fx, const skn_fixture *from, int schema)
{
    const char *both = "uid, conversation_id, client_id, model, created_at";
    const char *member = fx->pg ? "CAST(said AS json)->>" : "json_extract(said, '$.' || ";
    const char *end = fx->pg ? "" : ")";
    char        text[900];
    skn_buf     sql;

    skn_buf_init(&sql, sizeof text);
    if (!fx->pg)
        skn_buf_addf(&sql, "PRAGMA foreign_keys=OFF; ATTACH '%s' AS other;", from->path);
    if (schema >= 25)
        snprintf(text, sizeof text, "INSERT INTO waiting(%s, said) SELECT %s, said", both,
                 both);
    else
        snprintf(
            text, sizeof text,
            "INSERT INTO waiting(%s, sender, content, reply_to, instructions) SELECT %s,"
            " %s'sender'%s, %s'content'%s, %s'replyToMessageId'%s,"
            " replace(%s'instructions'%s, '{\"type\":\"Source.User\",\"target\":null},', '')",
            both, both, member, end, member, end, member, end, member, end);
    skn_buf_addf(&sql, "%s FROM %s.waiting", text, fx->pg ? from->schema : "other");
    skn_fixture_sql(fx, sql.p);
    skn_buf_release(&sql);
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM waiting"), 1);
}

/* Names of changes, as schema 20 and older ones had them. */
static void name_as_then(skn_fixture *fx, int schema)
{
    skn_fixture_sql(
        fx, "UPDATE versions SET note = 'revise' || substr(note, 5) WHERE kind = 'edit';"
            "UPDATE versions SET kind = 'revise' WHERE kind = 'edit';"
            "UPDATE versions SET note = 'edit' || substr(note, 6) WHERE kind = 'amend';"
            "UPDATE versions SET kind = 'edit' WHERE kind = 'amend';"
            "UPDATE ops SET kind = 'revise' WHERE kind = 'edit';"
            "UPDATE ops SET kind = 'edit' WHERE kind = 'amend'");
    if (schema >= 3)
        skn_fixture_sql(fx,
                        "UPDATE edit_errors SET operation = 'revise' WHERE operation = 'edit';"
                        "UPDATE events SET data = replace(data, '\"op\":\"edit\"',"
                        " '\"op\":\"revise\"');"
                        "UPDATE events SET data = replace(data, '\"op\":\"amend\"',"
                        " '\"op\":\"edit\"')");
    assert_int_equal(skn_fixture_number(fx, "SELECT count(*) FROM versions WHERE kind = 'edit'"
                                            " AND note LIKE 'edit %' OR kind = 'revise'"
                                            " AND note LIKE 'revise from %'"),
                     3);
}

/* The store as the program of that schema would have left it, with the rows of `from`. */
static void leave_behind(skn_fixture *fx, const skn_fixture *from, int schema)
{
    skein_error err;
    skn_db     *db;

    SKN_OK(skn_db_open(&db, skn_str_of(fx->address), SKN_DB_WRITER, &err), err);
    SKN_OK(skn_migrate_to(db, schema, &err), err);
    skn_db_close(db);
    note_columns(fx);
    for_each_table(fx, from, "INSERT INTO {T}({C}) SELECT {C} FROM {F}.{T}");
    if (schema >= 3)
        copy_waiting(fx, from, schema);
    if (schema == 8) /* it did not tell why */
        skn_fixture_sql(fx, "UPDATE messages SET stopped = 1 WHERE stopped = 2");
    if (schema <= 20)
        name_as_then(fx, schema);
    if (fx->pg)
        skn_fixture_sql(fx, "DO $$ DECLARE t TEXT; BEGIN FOR t IN SELECT table_name FROM"
                            " information_schema.columns WHERE is_identity = 'YES' AND"
                            " table_schema = current_setting('search_path') LOOP EXECUTE"
                            " format('SELECT setval(pg_get_serial_sequence(%L, ''id''),"
                            " 1 + (SELECT COALESCE(MAX(id), 0) FROM %I))', t, t);"
                            " END LOOP; END $$");
}

/* Opened by this program, it holds what was put in, and can be used. */
static void upgrade(kit *was, int schema)
{
    skn_fixture fx;
    kit         k = *was;

    skn_fixture_place(&fx, was->fx->pg ? "pg" : "sqlite");
    leave_behind(&fx, was->fx, schema);
    k.fx = &fx;
    come_back(&k);
    assert_int_equal(skn_fixture_number(&fx, "SELECT max(version) FROM schema_version"),
                     skn_store_schema());
    assert_string_equal(portrait(&k, schema), portrait(was, schema));
    skn_fixture_sql(&fx, "CREATE TABLE differs(n BIGINT)");
    for_each_table(&fx, was->fx,
                   "INSERT INTO differs SELECT count(*) FROM"
                   " (SELECT {C} FROM {T} EXCEPT SELECT {C} FROM {F}.{T}) x");
    for_each_table(&fx, was->fx,
                   "INSERT INTO differs SELECT count(*) FROM"
                   " (SELECT {C} FROM {F}.{T} EXCEPT SELECT {C} FROM {T}) x");
    assert_int_equal(skn_fixture_number(&fx, "SELECT sum(n) FROM differs"), 0);
    kit_check(&k);
    kit_say(&k, SKEIN_USER, "human", "still here");
    kit_check(&k);
    leave(&k);
    skn_fixture_close(&fx);
}

/* PostgreSQL takes its time to make tables: there, the first one and those after which a step changes rows. */
static bool is_tried(const skn_fixture *fx, int schema)
{
    return !fx->pg || schema == 1 || (schema >= 7 && schema <= 9) || schema == 13 ||
           schema == 20 || schema == 24;
}

static void a_store_of_every_schema_is_upgraded_as_it_was(void **state)
{
    kit k;

    build(&k, state);
    amend_and_edit(&k);
    post(&k, "@ada plan");
    answer(&k, "ada", "planned");
    break_off(&k);
    set_something(&k);
    wait_for_a_person(&k);
    for (int schema = 1; schema <= skn_store_schema(); schema++)
        if (is_tried(k.fx, schema)) {
            print_message("# schema %d\n", schema);
            upgrade(&k, schema);
        }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_fresh_store_has_the_newest_schema),
        SKN_ON_SQLITE(opening_an_up_to_date_store_writes_nothing),
        SKN_PLACE_BOTH(programs_that_open_a_fresh_store_at_once_make_one_schema),
        SKN_BOTH(a_newer_schema_is_refused),
        SKN_BOTH(an_older_schema_is_not_touched_when_only_reading),
        SKN_BOTH(a_migration_that_fails_leaves_nothing),
        SKN_PLACE_BOTH(reading_does_not_make_a_store),
        SKN_PLACE_BOTH(tables_of_somebody_else_are_refused),
        SKN_PLACE_SQLITE(the_mark_of_another_program_is_respected),
        SKN_PLACE_SQLITE(an_empty_file_becomes_a_store),
        SKN_PLACE_BOTH(a_store_of_every_schema_is_upgraded_as_it_was),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
