/* test_cases_purge.c: erasing what was said, and clocks that step backwards: the cases of
 * docs/model.md that need no server. */
#include "store/work_kit.h"

#include "engine/core.h"

#include <pthread.h>
#include <stdlib.h>

#define SECRET "xyzzyplugh" /* one word, so that search can find it */

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

static skein_rc purge(kit *k, const skein_message_id *ids, size_t count, int64_t *erased)
{
    return skein_purge(k->e, &k->how, (skein_message_ids){ids, count}, erased, &k->err);
}

/* --- Where text could be left ---------------------------------------------------------------------- */

static int64_t rows_with_it(kit *k)
{
    return skn_fixture_number(k->fx,
                              "SELECT count(*) FROM messages WHERE content LIKE '%" SECRET
                              "%' OR thinking LIKE '%" SECRET "%' OR calls LIKE '%" SECRET
                              "%' OR reasoning LIKE '%" SECRET
                              "%' OR instructions LIKE '%" SECRET "%'") +
           skn_fixture_number(k->fx,
                              "SELECT count(*) FROM squashes WHERE prompt LIKE '%" SECRET "%'");
}

static size_t hits(kit *k)
{
    skein_search_request what = {.query = skein_text(SECRET)};
    skein_hits           found;

    KIT_OK(k, skein_search(k->e, &what, k->mem, &found, &k->err));
    return found.count;
}

static const char *timeline(kit *k, int64_t version)
{
    skein_timelines *set;
    skein_str        json;

    KIT_OK(k, skein_timeline_read(k->e, k->how.conversation, version, &set, &k->err));
    KIT_OK(k, skein_timelines_json(set, k->mem, &json, &k->err));
    skein_timelines_free(set);
    return json.p;
}

/* --- 25 ---------------------------------------------------------------------------------------------- */

/* A secret in everything that can hold one: text, thinking, reasoning, a call's arguments, a squash's prompt. */
static void tell_secrets(kit *k, skein_message_id ids[4])
{
    skein_tool_call   call = {skein_text("c"), skein_text("t"),
                              skein_text("{\"a\":\"" SECRET "\"}")};
    skein_new_message thinks = {.role = SKEIN_ASSISTANT,
                                .sender = skein_text("ada"),
                                .thinking = skein_text("hm, " SECRET),
                                .reasoning = skein_text("[\"" SECRET "\"]"),
                                .calls = &call,
                                .call_count = 1};
    skein_squash_spec spec = {.content = skein_text("squashed " SECRET),
                              .prompt = skein_text("make it short: " SECRET)};
    skein_message_id  sources[2];
    skein_messages    out;
    skein_squash      sq;
    skein_version     v;
    skein_message     edited;

    sources[0] = say(k, "one").id;
    sources[1] = say(k, "two").id;
    ids[0] = say(k, "the word is " SECRET).id;
    KIT_OK(k, kit_append(k, &thinks, 1, &out));
    ids[1] = out.at[0].id;
    kit_result(k, "c");
    KIT_OK(k, skein_amend(k->e, &k->how, ids[0], skein_text("not " SECRET), k->mem, &v, &edited,
                          &k->err));
    ids[2] = edited.id;
    spec.sources = (skein_message_ids){sources, 2};
    KIT_OK(k, skein_squash_messages(k->e, &k->how, &spec, k->mem, &sq, &k->err));
    ids[3] = sq.result.id;
}

static void what_was_erased_is_nowhere(void **state)
{
    kit                k;
    skein_message_id   ids[4];
    skein_conversation branch;
    int64_t            erased;

    kit_open(&k, state);
    tell_secrets(&k, ids);
    KIT_OK(&k, skein_branch(k.e, &k.how, 2, -1, skein_text("side"), k.mem, &branch, &k.err));
    assert_int_equal(hits(&k), 3);
    assert_non_null(strstr(timeline(&k, 1), SECRET));
    KIT_OK(&k, purge(&k, ids, 4, &erased));
    assert_int_equal(erased, 4);
    assert_int_equal(rows_with_it(&k), 0);
    assert_int_equal(hits(&k), 0);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    assert_null(strstr(kit_state(&k), SECRET));
    assert_null(strstr(kit_context(&k, ""), SECRET));
    for (int64_t version = 1; version <= 3; version++)
        assert_null(strstr(timeline(&k, version), SECRET));
    kit_valid(&k);
    KIT_OK(&k, purge(&k, ids, 4, &erased));
    assert_int_equal(erased, 0);
    k.how.conversation = branch.id;
    assert_null(strstr(kit_state(&k), SECRET));
    kit_close(&k);
}

static void erased_messages_keep_their_places_and_ids(void **state)
{
    kit               k;
    skein_message     two, later;
    skein_version     v;
    skein_messages    m, out;
    skein_at          at;
    int64_t           erased;
    skein_new_message again = {.role = SKEIN_USER, .content = skein_text("two")};

    kit_open(&k, state);
    say(&k, "one");
    two = say(&k, "two");
    say(&k, "three");
    KIT_OK(&k, purge(&k, &two.id, 1, &erased));
    KIT_OK(&k,
           skein_read(k.e, &(skein_slice){.conversation = k.chat.id}, k.mem, &m, &at, &k.err));
    assert_int_equal(m.count, 3);
    assert_int_equal(m.at[1].id.v, two.id.v);
    assert_string_equal(m.at[1].uid.p, two.uid.p);
    assert_int_equal(m.at[1].created_at, two.created_at);
    assert_true(m.at[1].purged);
    assert_string_equal(m.at[1].content.p, "");
    assert_string_equal(m.at[2].content.p, "three");

    later = say(&k, "four");
    assert_true(later.id.v > m.at[2].id.v);
    again.uid = two.uid; /* its id is taken for ever */
    assert_int_equal(kit_append(&k, &again, 1, &out), SKEIN_CONFLICT);
    assert_int_equal(
        skein_amend(k.e, &k.how, two.id, skein_text("back"), k.mem, &v, NULL, &k.err),
        SKEIN_CONFLICT);
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&two.id, 1}, k.mem, &v, &k.err));
    assert_string_equal(kit_texts(&k, "@bo", 0), "one three four");
    kit_close(&k);
}

static void erasing_is_all_or_nothing(void **state)
{
    kit                k;
    skein_conversation other;
    skein_message_id   ids[2];
    int64_t            erased;
    const char        *before;

    kit_open(&k, state);
    ids[0] = say(&k, "mine").id;
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("other"), k.mem, &other, &k.err));
    k.how.conversation = other.id;
    ids[1] = say(&k, "theirs").id;
    k.how.conversation = k.chat.id;
    before = kit_state(&k);
    assert_int_equal(purge(&k, ids, 2, &erased), SKEIN_NOT_FOUND);
    ids[1] = (skein_message_id){9999};
    assert_int_equal(purge(&k, ids, 2, &erased), SKEIN_NOT_FOUND);
    assert_int_equal(purge(&k, ids, 0, &erased), SKEIN_INVALID);
    k.how.dry_run = true;
    KIT_OK(&k, purge(&k, ids, 1, &erased));
    assert_int_equal(erased, 1);
    assert_string_equal(kit_state(&k), before);
    kit_close(&k);
}

static void what_no_current_version_holds_can_be_erased(void **state)
{
    kit                k;
    skein_message      two;
    skein_removal      r;
    skein_conversation branch;
    int64_t            erased;

    kit_open(&k, state);
    say(&k, "one");
    two = say(&k, "two");
    kit_whisper(&k, "bo", "three");
    say(&k, "four");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, 2, skein_text("side"), k.mem, &branch, &k.err));
    KIT_OK(&k, skein_remove_from(k.e, &k.how, two.id, true, k.mem, &r, &k.err));
    say(&k, "five");
    k.how.dry_run = true;
    KIT_OK(&k, skein_purge_unreachable(k.e, &k.how, &erased, &k.err));
    assert_int_equal(erased, 2);
    assert_string_equal(kit_texts(&k, "main", 1), "one two three four");
    k.how.dry_run = false;
    KIT_OK(&k, skein_purge_unreachable(k.e, &k.how, &erased, &k.err));
    assert_int_equal(erased, 2); /* a branch still shows the second */
    assert_string_equal(kit_texts(&k, "main", 1), "one two  ");
    assert_string_equal(kit_texts(&k, "main", 0), "one five");
    k.how.conversation = branch.id;
    assert_string_equal(kit_texts(&k, "main", 0), "one two");
    kit_close(&k);
}

/* --- Others at the same time --------------------------------------------------------------------------- */

/* A transaction that stays open until it is told to end. */
typedef struct holder {
    kit            *k;
    pthread_t       thread;
    pthread_mutex_t mu;
    pthread_cond_t  changed;
    bool            there, over; /* guarded by mu */
    skein_rc        rc;
    skein_error     err;
} holder;

#define HOLDER(kit)                                                                            \
    {                                                                                          \
        .k = (kit), .mu = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER       \
    }

static void set(holder *h, bool *what)
{
    pthread_mutex_lock(&h->mu);
    *what = true;
    pthread_cond_broadcast(&h->changed);
    pthread_mutex_unlock(&h->mu);
}

static void await(holder *h, const bool *what)
{
    pthread_mutex_lock(&h->mu);
    while (!*what)
        pthread_cond_wait(&h->changed, &h->mu);
    pthread_mutex_unlock(&h->mu);
}

static skein_rc look_and_hold(skn_tx *tx, void *arg, skein_error *err)
{
    holder  *h = arg;
    int64_t  count;
    skein_rc rc = skn_erasures(tx, &count, err); /* the snapshot begins */

    set(h, &h->there);
    await(h, &h->over);
    return rc;
}

static void *reader(void *arg)
{
    holder *h = arg;

    h->rc = skn_store_read(h->k->fx->store, look_and_hold, h, &h->err);
    return NULL;
}

static void what_could_not_be_driven_out_is_at_the_next_call(void **state)
{
    kit              k;
    holder           h = HOLDER(&k);
    skein_message_id ids[4];
    int64_t          erased;
    skein_rc         rc;
    bool             left;

    kit_open(&k, state);
    tell_secrets(&k, ids);
    assert_int_equal(pthread_create(&h.thread, NULL, reader, &h), 0);
    await(&h, &h.there);
    rc = purge(&k, ids, 4, &erased);
    left = skn_fixture_holds(k.fx, SECRET);
    set(&h, &h.over);
    pthread_join(h.thread, NULL);
    SKN_OK(h.rc, h.err);
    assert_int_equal(rc, SKEIN_BUSY);
    assert_int_equal(erased, 4);
    assert_int_equal(rows_with_it(&k), 0);
    assert_true(left);
    KIT_OK(&k, purge(&k, ids, 1, &erased));
    assert_int_equal(erased, 0);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM meta e, meta s WHERE"
                                              " e.key = 'erasures' AND s.key = 'scrubbed'"
                                              " AND e.value = s.value"),
                     1);
    kit_close(&k);
}

/* How many wait for somebody who uses this store's conversations. */
static int64_t waiting(kit *k)
{
    return skn_fixture_number(
        k->fx, "SELECT count(*) FROM pg_stat_activity a WHERE EXISTS(SELECT 1 FROM pg_locks l"
               " WHERE l.pid = ANY(pg_blocking_pids(a.pid))"
               " AND l.relation = CAST('conversations' AS regclass))");
}

static bool is_over(holder *h)
{
    bool over;

    pthread_mutex_lock(&h->mu);
    over = h->over;
    pthread_mutex_unlock(&h->mu);
    return over;
}

/* Keeps the conversation until two wait for it: the change, and behind it the erasure. */
static skein_rc lock_and_hold(skn_tx *tx, void *arg, skein_error *err)
{
    holder              *h = arg;
    skn_arena           *a = skn_arena_new();
    skn_conversation_row row;
    bool                 found;
    skein_rc rc = skn_conversation_lock(tx, h->k->how.conversation.v, a, &row, &found, err);

    set(h, &h->there);
    while (!is_over(h) && waiting(h->k) < 2)
        ;
    skn_arena_free(a);
    return rc;
}

static void *locker(void *arg)
{
    holder *h = arg;

    h->rc = skn_store_write(h->k->fx->store, lock_and_hold, h, &h->err);
    return NULL;
}

typedef struct other {
    kit        *k;
    skein_mem  *mem;
    pthread_t   thread;
    bool        branches; /* else it switches back to the first version */
    skein_rc    rc;
    skein_error err;
} other;

static void *change(void *arg)
{
    other             *o = arg;
    skein_conversation branch;
    skein_move         moved;

    o->rc = o->branches ? skein_branch(o->k->e, &o->k->how, 1, -1, skein_text("side"), o->mem,
                                       &branch, &o->err)
                        : skein_switch(o->k->e, &o->k->how, 1, o->mem, &moved, &o->err);
    return NULL;
}

/* Erases what is unreachable while a change that reaches the first version again goes ahead of it. */
static void erase_behind(kit *k, bool branches)
{
    holder        h = HOLDER(k);
    other         o = {.k = k, .branches = branches, .mem = skein_mem_new()};
    skein_message two;
    skein_removal r;
    int64_t       erased;
    skein_rc      rc;

    say(k, "one");
    two = say(k, "two");
    KIT_OK(k, skein_remove_from(k->e, &k->how, two.id, true, k->mem, &r, &k->err));
    assert_int_equal(pthread_create(&h.thread, NULL, locker, &h), 0);
    await(&h, &h.there);
    assert_int_equal(pthread_create(&o.thread, NULL, change, &o), 0);
    while (waiting(k) < 1)
        ;
    rc = skein_purge_unreachable(k->e, &k->how, &erased, &k->err);
    set(&h, &h.over);
    pthread_join(h.thread, NULL);
    pthread_join(o.thread, NULL);
    SKN_OK(h.rc, h.err);
    SKN_OK(o.rc, o.err);
    KIT_OK(k, rc);
    skein_mem_free(o.mem);
    assert_int_equal(erased, 0);
    assert_string_equal(kit_texts(k, "main", 1), "one two");
}

/* --- What repeats it at the same time --- */

typedef struct beginner {
    kit        *k;
    skein_mem  *mem;
    pthread_t   thread;
    int64_t     task;
    skein_rc    rc;
    skein_error err;
} beginner;

static void *begin_task(void *arg)
{
    beginner  *b = arg;
    skein_turn turn;

    b->rc = skein_task_begin(b->k->e, b->task, skein_text("host"), skein_text("m/m"), 30000,
                             b->mem, &turn, &b->err);
    return NULL;
}

/* Keeps the task from being begun until two wait: who begins with it, and the erasure. */
static skein_rc put_off_and_hold(skn_tx *tx, void *arg, skein_error *err)
{
    holder              *h = arg;
    skn_arena           *a = skn_arena_new();
    skn_conversation_row row;
    bool                 found;
    skein_rc rc = skn_conversation_row_get(tx, h->k->how.conversation.v, a, &row, &found, err);

    if (!rc)
        rc = skn_task_put_off(tx, 1, skein_text("later"), 1, err);
    set(h, &h->there);
    while (!rc && !is_over(h) && waiting(h->k) < 2)
        ;
    skn_arena_free(a);
    return rc ? rc : skn_fail(err, SKEIN_NOTHING, "it is as it was");
}

static void *putter(void *arg)
{
    holder *h = arg;

    h->rc = skn_store_write(h->k->fx->store, put_off_and_hold, h, &h->err);
    return NULL;
}

/* The first task there is, with the words of what was said. */
static skein_message give_task(kit *k)
{
    skein_message said = say(k, SECRET);

    skn_fixture_sql(
        k->fx, skn_arena_printf(
                   k->mem,
                   "INSERT INTO tasks(uid, world_id, agent_id, source, content,"
                   " call_message_id, hops_left, created_at)"
                   " VALUES('t', %lld, %lld, 'delegation', '" SECRET "', %lld, 1, 1)",
                   (long long)k->world.id.v, (long long)k->agent[0].id.v, (long long)said.id.v)
                   .p);
    return said;
}

static void a_task_at_work_ends_with_its_words(void **state)
{
    kit           k;
    skein_message said;
    skein_turn    turn;
    int64_t       erased;

    kit_open(&k, state);
    said = give_task(&k);
    KIT_OK(&k, skein_task_begin(k.e, 1, skein_text("host"), skein_text("m/m"), 30000, k.mem,
                                &turn, &k.err));
    KIT_OK(&k, purge(&k, &said.id, 1, &erased));
    assert_int_equal(erased, 2);
    assert_int_equal(rows_with_it(&k), 0);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM tasks WHERE status ="
                                              " 'cancelled'"),
                     1);
    kit_close(&k);
}

static void a_task_that_is_begun_meanwhile_repeats_nothing_erased(void **state)
{
    kit           k;
    holder        h = HOLDER(&k);
    beginner      b = {.k = &k, .task = 1, .mem = skein_mem_new()};
    skein_message said;
    int64_t       erased = 0;
    skein_rc      rc;

    kit_open(&k, state);
    said = give_task(&k);
    assert_int_equal(pthread_create(&h.thread, NULL, putter, &h), 0);
    await(&h, &h.there);
    assert_int_equal(pthread_create(&b.thread, NULL, begin_task, &b), 0);
    while (waiting(&k) < 1)
        ;
    rc = purge(&k, &said.id, 1, &erased);
    set(&h, &h.over);
    pthread_join(h.thread, NULL);
    pthread_join(b.thread, NULL);
    skein_mem_free(b.mem);
    assert_int_equal(h.rc, SKEIN_NOTHING);
    SKN_OK(b.rc, b.err);
    KIT_OK(&k, rc);
    assert_int_equal(erased, 2);
    assert_int_equal(rows_with_it(&k), 0);
    kit_close(&k);
}

static void what_a_switch_brings_back_meanwhile_stays(void **state)
{
    kit k;

    kit_open(&k, state);
    erase_behind(&k, false);
    assert_string_equal(kit_texts(&k, "main", 0), "one two");
    kit_close(&k);
}

static void what_a_branch_takes_along_meanwhile_stays(void **state)
{
    kit k;

    kit_open(&k, state);
    erase_behind(&k, true);
    assert_string_equal(kit_texts(&k, "main", 0), "one");
    kit_close(&k);
}

/* It was a row of its own before it was said, and that row is gone. */
static void what_waited_before_it_was_said_is_nowhere(void **state)
{
    kit          k;
    skein_posted waits, said;
    int64_t      erased;

    kit_open(&k, state);
    post(&k, "@ada have a look"); /* nobody is at it yet */
    waits = post(&k, "the word is " SECRET);
    assert_true(waits.queued);
    KIT_OK(&k, skein_queue_send(k.e, k.chat.id, waits.message.uid, k.mem, &said, &k.err));
    KIT_OK(&k, purge(&k, &said.message.id, 1, &erased));
    assert_int_equal(erased, 1);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    kit_close(&k);
}

/* Nobody can tell which of them repeat it, so all are emptied; that they were given stays known. */
static void what_was_answered_under_a_key_is_erased_too(void **state)
{
    kit               k;
    skein_message_id  ids[4];
    skein_kept_answer kept = {.key = skein_text("a key"),
                              .request = 7,
                              .status = 201,
                              .head = skein_text("application/json\n"),
                              .body = skein_text("{\"content\":\"" SECRET "\"}")};
    skein_kept_answer found;
    int64_t           erased;
    bool              there;

    kit_open(&k, state);
    tell_secrets(&k, ids);
    KIT_OK(&k, skein_answer_keep(k.e, &kept, &k.err));
    KIT_OK(&k, purge(&k, ids, 4, &erased));
    assert_false(skn_fixture_holds(k.fx, SECRET));
    KIT_OK(&k, skein_answer_find(k.e, kept.key, k.mem, &found, &there, &k.err));
    assert_true(there);
    assert_int_equal(found.request, 7);
    assert_int_equal(found.status, SKEIN_ANSWER_ERASED);
    assert_int_equal(found.body.n, 0);
    kit_close(&k);
}

static void a_hidden_conversation_can_be_erased(void **state)
{
    kit              k;
    skein_message_id ids[4];
    int64_t          erased;

    kit_open(&k, state);
    tell_secrets(&k, ids);
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, false, &k.err));
    KIT_OK(&k, purge(&k, ids, 4, &erased));
    assert_int_equal(erased, 4);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    k.how.conversation.v = 9999;
    assert_int_equal(purge(&k, ids, 4, &erased), SKEIN_NOT_FOUND);
    k.how.conversation = k.chat.id;
    kit_close(&k);
}

static void a_clock_that_steps_back_changes_no_order(void **state)
{
    kit               k;
    skein_messages    out, found;
    skein_at          at;
    skein_new_message m[3] = {
        {.role = SKEIN_USER, .content = skein_text("one"), .created_at = 3000},
        {.role = SKEIN_USER, .content = skein_text("two"), .created_at = 2000},
        {.role = SKEIN_USER, .content = skein_text("three"), .created_at = 1000}};

    kit_open(&k, state);
    for (int i = 0; i < 3; i++)
        KIT_OK(&k, kit_append(&k, &m[i], 1, &out));
    assert_string_equal(kit_texts(&k, "main", 0), "one two three");
    assert_string_equal(kit_texts(&k, "@cy", 0), "one two three");
    assert_string_equal(kit_context(&k, "cy"), "user:one\n\ntwo\n\nthree");
    KIT_OK(&k, skein_read(k.e, &(skein_slice){.conversation = k.chat.id, .from = -1}, k.mem,
                          &found, &at, &k.err));
    assert_string_equal(found.at[0].content.p, "three");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(what_was_erased_is_nowhere),
        SKN_BOTH(erased_messages_keep_their_places_and_ids),
        SKN_BOTH(erasing_is_all_or_nothing),
        SKN_BOTH(what_no_current_version_holds_can_be_erased),
        SKN_BOTH(what_could_not_be_driven_out_is_at_the_next_call),
        SKN_BOTH(a_task_at_work_ends_with_its_words),
        SKN_ON_PG(a_task_that_is_begun_meanwhile_repeats_nothing_erased),
        SKN_ON_PG(what_a_switch_brings_back_meanwhile_stays),
        SKN_ON_PG(what_a_branch_takes_along_meanwhile_stays),
        SKN_BOTH(what_waited_before_it_was_said_is_nowhere),
        SKN_BOTH(what_was_answered_under_a_key_is_erased_too),
        SKN_BOTH(a_hidden_conversation_can_be_erased),
        SKN_BOTH(a_clock_that_steps_back_changes_no_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
