/* test_change_rules.c: what holds for every change alike: undo and redo, the dry run, the expected state,
 * and that engines do not know of each other. */
#include "store/kit.h"

#include <pthread.h>

/* --- One of each ------------------------------------------------------------------------------------- */

typedef skein_rc act(kit *k, const skein_message_id *ids, skein_version *out);

static skein_rc amend(kit *k, const skein_message_id *ids, skein_version *out)
{
    return skein_amend(k->e, &k->how, ids[1], skein_text("zwei"), k->mem, out, NULL, &k->err);
}

static skein_rc delete (kit *k, const skein_message_id *ids, skein_version *out)
{
    skein_message_id two[2] = {ids[3], ids[1]};

    return skein_delete(k->e, &k->how, (skein_message_ids){two, 2}, k->mem, out, &k->err);
}

static skein_rc insert(kit *k, const skein_message_id *ids, skein_version *out)
{
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("new")};

    return skein_insert(k->e, &k->how, ids[2], &m, k->mem, out, NULL, &k->err);
}

static skein_rc reorder(kit *k, const skein_message_id *ids, skein_version *out)
{
    skein_message_id two[2] = {ids[3],
                               ids[0]}; /* one from behind the place, one from before it */

    return skein_reorder(k->e, &k->how, (skein_message_ids){two, 2}, ids[2], k->mem, out,
                         &k->err);
}

static skein_rc squash(kit *k, const skein_message_id *ids, skein_version *out)
{
    skein_squash_spec spec = {.sources = {&ids[1], 2}, .content = skein_text("short")};
    skein_squash      sq;
    skein_rc          rc = skein_squash_messages(k->e, &k->how, &spec, k->mem, &sq, &k->err);

    *out = sq.version;
    return rc;
}

static skein_rc remove_from(kit *k, const skein_message_id *ids, skein_version *out)
{
    skein_removal r;
    skein_rc      rc = skein_remove_from(k->e, &k->how, ids[2], true, k->mem, &r, &k->err);

    *out = r.version;
    return rc;
}

static skein_rc edit(kit *k, const skein_message_id *ids, skein_version *out)
{
    skein_removal r;
    skein_rc rc = skein_edit(k->e, &k->how, ids[2], skein_text("again"), k->mem, &r, &k->err);

    *out = r.version;
    return rc;
}

static skein_rc restore(kit *k, const skein_message_id *ids, skein_version *out)
{
    (void)ids;
    return skein_restore(k->e, &k->how, 1, k->mem, out, &k->err);
}

static const struct {
    act        *run;
    const char *kind, *after;
} acts[] = {
    {amend, "amend", "one zwei three four last"},
    {delete, "delete", "one three last"},
    {insert, "insert", "one two new three four last"},
    {reorder, "reorder", "two four one three last"},
    {squash, "squash", "one short four last"},
    {remove_from, "remove", "one two"},
    {edit, "edit", "one two again"},
    {restore, "restore", "one two three four five"},
};

enum { ACTS = sizeof acts / sizeof *acts };

static const char base[] = "one two three four last";

/* Five messages, the last of them edited: version 2, which the others change. */
static void begin(kit *k, void **state, skein_message_id ids[5])
{
    static const char *const words[] = {"one", "two", "three", "four", "five"};
    skein_version            v;
    skein_message            last;

    kit_open(k, state);
    for (int i = 0; i < 5; i++)
        ids[i] = kit_say(k, SKEIN_USER, "human", words[i]).id;
    KIT_OK(k,
           skein_amend(k->e, &k->how, ids[4], skein_text("last"), k->mem, &v, &last, &k->err));
    ids[4] = last.id;
}

static skein_move undo(kit *k)
{
    skein_move move;

    KIT_OK(k, skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err));
    return move;
}

static void assert_texts(kit *k, const char *want)
{
    assert_string_equal(kit_texts(k, "main", 0), want);
    assert_string_equal(kit_texts(k, "@bo", 0), want);
}

/* --- Undo and redo -------------------------------------------------------------------------------------- */

static void every_change_is_undone_and_redone(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;
    skein_move       move;

    begin(&k, state, ids);
    for (int i = 0; i < ACTS; i++) {
        skein_at before = kit_at(&k), after;

        KIT_OK(&k, acts[i].run(&k, ids, &v));
        assert_texts(&k, acts[i].after);
        assert_string_equal(v.kind.p, acts[i].kind);
        after = kit_at(&k);
        assert_int_equal(after.thread.v, v.thread.v);
        assert_int_equal(after.length, v.length);
        move = undo(&k);
        assert_string_equal(move.what.p, acts[i].kind);
        assert_int_equal(kit_at(&k).thread.v, before.thread.v);
        assert_texts(&k, base);
        KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err));
        assert_int_equal(kit_at(&k).thread.v, after.thread.v);
        assert_int_equal(kit_at(&k).length, after.length);
        assert_texts(&k, acts[i].after);
        undo(&k);
    }
    kit_close(&k);
}

static void undo_works_after_answers_and_history_keeps_them(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v, left;
    char             want[100];

    begin(&k, state, ids);
    for (int i = 0; i < ACTS; i++) {
        KIT_OK(&k, acts[i].run(&k, ids, &v));
        kit_say(&k, SKEIN_ASSISTANT, "ada", "answer");
        undo(&k);
        assert_texts(&k, base);
        KIT_OK(&k, skein_version_get(k.e, k.chat.id, v.number, k.mem, &left, &k.err));
        assert_int_equal(left.length, v.length + 1);
        assert_false(left.current);
        snprintf(want, sizeof want, "%s answer", acts[i].after);
        assert_string_equal(kit_texts(&k, "main", v.number), want);
    }
    kit_close(&k);
}

static void redo_after_an_append_names_the_version_to_go_to(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;
    skein_move       move;
    const char      *before;
    char             name[24];

    begin(&k, state, ids);
    KIT_OK(&k, amend(&k, ids, &v));
    undo(&k);
    kit_say(&k, SKEIN_USER, "human", "on");
    before = kit_state(&k);
    assert_int_equal(skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_NOTHING);
    snprintf(name, sizeof name, "v%lld", (long long)v.number);
    assert_non_null(strstr(k.err.hint, name));
    assert_string_equal(kit_state(&k), before);
    KIT_OK(&k, skein_switch(k.e, &k.how, v.number, k.mem, &move, &k.err));
    assert_texts(&k, acts[0].after);
    undo(&k); /* a switch is undone like anything else */
    assert_texts(&k, "one two three four last on");
    kit_close(&k);
}

static void redo_after_another_change_is_refused(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;
    skein_move       move;

    begin(&k, state, ids);
    assert_int_equal(skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_NOTHING);
    KIT_OK(&k, amend(&k, ids, &v));
    undo(&k);
    KIT_OK(&k, reorder(&k, ids, &v));
    assert_int_equal(skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_NOTHING);
    assert_texts(&k, acts[3].after);
    kit_close(&k);
}

static void undo_walks_back_as_far_as_there_is_something(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;
    skein_move       move;

    begin(&k, state, ids);
    KIT_OK(&k, amend(&k, ids, &v));
    KIT_OK(&k, remove_from(&k, ids, &v));
    KIT_OK(&k, skein_undo(k.e, &k.how, 2, k.mem, &move, &k.err));
    assert_int_equal(move.steps, 2);
    assert_texts(&k, base);
    KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_texts(&k, acts[0].after);
    KIT_OK(&k, skein_undo(k.e, &k.how, 99, k.mem, &move, &k.err));
    assert_int_equal(move.steps, 2);
    assert_texts(&k, "one two three four five");
    assert_int_equal(skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_NOTHING);
    assert_int_equal(skein_undo(k.e, &k.how, 0, k.mem, &move, &k.err), SKEIN_INVALID);
    KIT_OK(&k, skein_redo(k.e, &k.how, 3, k.mem, &move, &k.err));
    assert_int_equal(move.steps, 3);
    assert_texts(&k, "one zwei");
    kit_close(&k);
}

static void assert_ways(kit *k, bool may_undo, bool may_redo)
{
    skein_ways ways;

    KIT_OK(k, skein_ways_of(k->e, k->chat.id, k->mem, &ways, &k->err));
    assert_int_equal(ways.undo, may_undo);
    assert_int_equal(ways.redo, may_redo);
}

static void what_can_be_undone_is_told_beforehand(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;
    skein_move       move;

    begin(&k, state, ids);
    undo(&k);
    assert_ways(&k, false, true);
    kit_say(&k, SKEIN_USER, "human", "on");
    assert_ways(&k, false, false);
    KIT_OK(&k, amend(&k, ids, &v));
    assert_ways(&k, true, false);
    undo(&k);
    assert_ways(&k, false, true);
    KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_ways(&k, true, false);
    kit_close(&k);
}

static void an_edit_in_two_steps_is_told_from_a_removal_by_its_note(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;

    begin(&k, state, ids);
    KIT_OK(&k, remove_from(&k, ids, &v));
    assert_memory_equal(v.note.p, "remove from ", 12);
    undo(&k);
    k.how.resubmit = true;
    KIT_OK(&k, remove_from(&k, ids, &v));
    assert_string_equal(v.kind.p, "remove");
    assert_memory_equal(v.note.p, SKEIN_NOTE_EDIT " ", sizeof SKEIN_NOTE_EDIT);
    kit_close(&k);
}

/* --- Dry runs --------------------------------------------------------------------------------------------- */

static void a_dry_run_changes_nothing_and_says_the_outcome(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    said, done;
    const char      *before;

    begin(&k, state, ids);
    for (int i = 0; i < ACTS; i++) {
        before = kit_state(&k);
        k.how.dry_run = true;
        KIT_OK(&k, acts[i].run(&k, ids, &said));
        assert_string_equal(kit_state(&k), before);
        k.how.dry_run = false;
        KIT_OK(&k, acts[i].run(&k, ids, &done));
        assert_int_equal(said.number, 0);
        assert_int_equal(said.length, done.length);
        assert_int_equal(said.origin, done.origin);
        assert_string_equal(said.kind.p, done.kind.p);
        undo(&k);
    }
    kit_close(&k);
}

static void a_dry_run_of_a_removal_says_its_numbers(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_removal    said, done;
    const char      *before;

    begin(&k, state, ids);
    kit_call(&k, "ada", "c");
    kit_result(&k, "c");
    before = kit_state(&k);
    k.how.dry_run = true;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, ids[3], true, k.mem, &said, &k.err));
    assert_string_equal(kit_state(&k), before);
    k.how.dry_run = false;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, ids[3], true, k.mem, &done, &k.err));
    assert_int_equal(said.count, 4);
    assert_int_equal(said.count, done.count);
    assert_int_equal(said.is_first, done.is_first);
    assert_int_equal(said.by_agent_count, done.by_agent_count);
    for (size_t i = 0; i < said.by_agent_count; i++)
        assert_int_equal(said.by_agent[i].count, done.by_agent[i].count);
    assert_int_equal(said.by_sender_count, 3); /* a person, an agent and a tool */
    assert_int_equal(said.by_sender[0].count, 2);
    assert_int_equal(said.side_effects, 1);
    assert_int_equal(said.tool_results, 1);
    assert_int_equal(done.tool_results, -1);
    kit_close(&k);
}

static void a_squash_is_counted_for_who_made_it(void **state)
{
    kit               k;
    skein_message_id  ids[5];
    skein_squash_spec spec = {.content = skein_text("all")};
    skein_squash      s;
    skein_removal     said;

    begin(&k, state, ids);
    spec.sources = (skein_message_ids){&ids[2], 2};
    k.how.actor = skein_text("ada");
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &s, &k.err));
    k.how.dry_run = true;
    KIT_OK(&k, skein_remove_from(k.e, &k.how, s.result.id, false, k.mem, &said, &k.err));
    assert_int_equal(said.count, 2); /* the squash, and the last */
    assert_int_equal(said.by_sender_count, 2);
    assert_string_equal(said.by_sender[1].name.p, "ada");
    assert_int_equal(said.by_sender[1].count, 1);
    kit_close(&k);
}

static void a_dry_run_of_time_travel_moves_nothing(void **state)
{
    kit                k;
    skein_message_id   ids[5];
    skein_version      v;
    skein_move         move;
    skein_conversation branch;
    const char        *before;

    begin(&k, state, ids);
    KIT_OK(&k, remove_from(&k, ids, &v));
    kit_call(&k, "ada", "c");
    before = kit_state(&k);
    k.how.dry_run = true;
    move = undo(&k);
    assert_int_equal(move.from.number, 3);
    assert_int_equal(move.to.number, 2);
    assert_int_equal(move.returning, 3);
    assert_int_equal(move.leaving, 1);
    assert_int_equal(move.side_effects, 1);
    KIT_OK(&k, skein_switch(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_int_equal(move.to.number, 1);
    assert_int_equal(skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_NOTHING);
    KIT_OK(&k, skein_branch(k.e, &k.how, 1, 2, skein_text("side"), k.mem, &branch, &k.err));
    assert_int_equal(branch.length, 2);
    assert_string_equal(kit_state(&k), before);
    k.how.dry_run = false;
    undo(&k);
    before = kit_state(&k);
    k.how.dry_run = true;
    KIT_OK(&k, skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err));
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

/* --- The expected state -------------------------------------------------------------------------------------- */

static void a_change_from_a_state_that_has_passed_is_refused(void **state)
{
    kit              k;
    skein_message_id ids[5];
    skein_version    v;
    skein_at         now;
    const char      *before;

    begin(&k, state, ids);
    now = kit_at(&k);
    before = kit_state(&k);
    for (int i = 0; i < ACTS; i++) {
        k.how.expect = (skein_at){now.thread, now.length - 1};
        assert_int_equal(acts[i].run(&k, ids, &v), SKEIN_VERSION_CHANGED);
        k.how.expect = (skein_at){{now.thread.v + 1000}, now.length};
        assert_int_equal(acts[i].run(&k, ids, &v), SKEIN_VERSION_CHANGED);
        assert_non_null(strstr(k.err.message, k.chat.uid.p));
    }
    assert_string_equal(kit_state(&k), before);
    for (int i = 0; i < ACTS; i++) {
        k.how.expect = now;
        KIT_OK(&k, acts[i].run(&k, ids, &v));
        k.how.expect = (skein_at){v.thread, v.length};
        undo(&k);
    }
    kit_close(&k);
}

static void the_other_calls_respect_the_expected_state_too(void **state)
{
    kit                  k;
    skein_message_id     ids[5];
    skein_move           move;
    skein_conversation   branch;
    skein_messages       out;
    int64_t              erased;
    const char          *before;
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text("more")};
    skein_append_request r = {.messages = &m, .count = 1};

    begin(&k, state, ids);
    before = kit_state(&k);
    k.how.expect = (skein_at){kit_at(&k).thread, 4};
    assert_int_equal(skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_VERSION_CHANGED);
    assert_int_equal(skein_redo(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_VERSION_CHANGED);
    assert_int_equal(skein_switch(k.e, &k.how, 1, k.mem, &move, &k.err), SKEIN_VERSION_CHANGED);
    assert_int_equal(
        skein_branch(k.e, &k.how, 0, -1, skein_text("side"), k.mem, &branch, &k.err),
        SKEIN_VERSION_CHANGED);
    assert_int_equal(skein_purge(k.e, &k.how, (skein_message_ids){ids, 1}, &erased, &k.err),
                     SKEIN_VERSION_CHANGED);
    assert_int_equal(skein_purge_unreachable(k.e, &k.how, &erased, &k.err),
                     SKEIN_VERSION_CHANGED);
    r.conversation = k.chat.id;
    r.expect = k.how.expect;
    assert_int_equal(skein_append(k.e, &r, k.mem, &out, &k.err), SKEIN_VERSION_CHANGED);
    assert_string_equal(kit_state(&k), before);
    r.expect = kit_at(&k);
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    kit_close(&k);
}

/* --- Two engines in one process -------------------------------------------------------------------------------- */

enum { EACH = 100 };

typedef struct teller {
    kit        *k;
    const char *word;
} teller;

static void *tell(void *arg)
{
    teller              *t = arg;
    skein_mem           *mem = skein_mem_new();
    skein_error          err;
    skein_messages       out;
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text(t->word)};
    skein_append_request r = {.conversation = t->k->chat.id, .messages = &m, .count = 1};

    for (int i = 0; i < EACH; i++) {
        if (skein_append(t->k->e, &r, mem, &out, &err))
            return t; /* any pointer says that it failed */
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return NULL;
}

static void assert_told(kit *k, const char *word)
{
    skein_messages m;
    skein_at       at;

    KIT_OK(k, skein_read(k->e, &(skein_slice){.conversation = k->chat.id}, k->mem, &m, &at,
                         &k->err));
    assert_int_equal(m.count, EACH);
    for (size_t i = 0; i < m.count; i++)
        assert_string_equal(m.at[i].content.p, word);
}

/* The other store is always a file: on a server's turn two kinds of database are open at once. */
static void two_engines_keep_two_stores_apart(void **state)
{
    kit         k, other;
    skn_fixture file;
    void       *place = &file;
    pthread_t   threads[2];
    teller      tellers[2] = {{&k, "here"}, {&other, "there"}};

    kit_open(&k, state);
    skn_fixture_open(&file, "sqlite");
    kit_open(&other, &place);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, tell, &tellers[i]), 0);
    for (int i = 0; i < 2; i++) {
        void *failed;

        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_told(&k, "here");
    assert_told(&other, "there");
    kit_close(&other);
    skn_fixture_close(&file);
    kit_say(&k, SKEIN_USER, "human", "still open");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(every_change_is_undone_and_redone),
        SKN_BOTH(undo_works_after_answers_and_history_keeps_them),
        SKN_BOTH(redo_after_an_append_names_the_version_to_go_to),
        SKN_BOTH(redo_after_another_change_is_refused),
        SKN_BOTH(undo_walks_back_as_far_as_there_is_something),
        SKN_BOTH(what_can_be_undone_is_told_beforehand),
        SKN_BOTH(an_edit_in_two_steps_is_told_from_a_removal_by_its_note),
        SKN_BOTH(a_dry_run_changes_nothing_and_says_the_outcome),
        SKN_BOTH(a_dry_run_of_a_removal_says_its_numbers),
        SKN_BOTH(a_squash_is_counted_for_who_made_it),
        SKN_BOTH(a_dry_run_of_time_travel_moves_nothing),
        SKN_BOTH(a_change_from_a_state_that_has_passed_is_refused),
        SKN_BOTH(the_other_calls_respect_the_expected_state_too),
        SKN_BOTH(two_engines_keep_two_stores_apart),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
