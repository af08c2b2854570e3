/* The feed as its readers meet it: in order and without gaps beside many writers, the same bytes
 * every time, forgotten from its old end, and noticed by others. */
#include "store/feed_kit.h"

#include "store/tx.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

static skein_rc say_in(skein_engine *e, skein_conversation_id chat, const char *text,
                       bool wrong_place)
{
    skein_mem           *mem = skein_mem_new();
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text(text)};
    skein_append_request r = {.conversation = chat, .messages = &m, .count = 1};
    skein_messages       out;
    skein_error          err;
    skein_rc             rc;

    if (wrong_place)
        r.expect = (skein_at){{1}, 1000000};
    rc = skein_append(e, &r, mem, &out, &err);
    skein_mem_free(mem);
    return rc;
}

static skein_engine *open_again(kit *k)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e;

    options.store = skein_text(k->fx->address);
    KIT_OK(k, skein_open(&e, &options, &k->err));
    return e;
}

/* --- Writers and a reader at once -------------------------------------------------------------- */

enum { WRITERS = 8, EACH = 60, TOLD = WRITERS * EACH };

typedef struct writer {
    skein_engine         *e;
    skein_conversation_id chat;
    atomic_int           *left;
    int                   wrong;
    pthread_t             thread;
} writer;

/* Tells of a new chat, and is then taken back. */
static skein_rc branch_in_vain(skein_engine *e, skein_conversation_id chat)
{
    skein_mem         *mem = skein_mem_new();
    skein_change       how = {.conversation = chat, .dry_run = true};
    skein_conversation out;
    skein_error        err;
    skein_rc           rc = skein_branch(e, &how, 0, -1, SKN_NONE, mem, &out, &err);

    skein_mem_free(mem);
    return rc;
}

/* Every third time it also does what comes to nothing, and must leave no event. */
static void *write_all(void *arg)
{
    writer *w = arg;
    char    text[40];

    for (int i = 0; i < EACH; i++) {
        snprintf(text, sizeof text, "message %d", i);
        w->wrong += say_in(w->e, w->chat, text, false) != SKEIN_OK;
        if (i % 3 == 0)
            w->wrong += say_in(w->e, w->chat, "never", true) != SKEIN_VERSION_CHANGED;
        if (i % 3 == 1)
            w->wrong += branch_in_vain(w->e, w->chat) != SKEIN_OK;
    }
    atomic_fetch_sub(w->left, 1);
    return NULL;
}

static void make_writers(kit *k, skein_engine *other, writer *w, atomic_int *left)
{
    skein_conversation chat;

    for (int i = 0; i < WRITERS; i++) {
        KIT_OK(k, skein_chat_new(k->e, k->world.id, SKN_NONE, k->mem, &chat, &k->err));
        w[i] = (writer){.e = i % 2 ? other : k->e, .chat = chat.id, .left = left};
    }
}

/* What a reader sees that asks again and again for what came after the last it saw. */
static size_t tail(kit *k, int64_t after, atomic_int *left, int64_t seen[TOLD])
{
    skein_event_query what = {.after = after, .limit = 7};
    skein_events      page;
    skein_mem        *mem = skein_mem_new();
    size_t            n = 0;
    bool              last;

    do {
        last = atomic_load(left) == 0;
        do {
            skein_mem_reset(mem);
            KIT_OK(k, skein_events_read(k->e, &what, mem, &page, &k->err));
            for (size_t i = 0; i < page.count; i++) {
                assert_true(page.at[i].seq > what.after);
                assert_true(n < TOLD);
                what.after = seen[n++] = page.at[i].seq;
            }
        } while (page.count > 0);
    } while (!last);
    skein_mem_free(mem);
    return n;
}

static void a_reader_behind_many_writers_sees_each_event_once(void **state)
{
    kit           k;
    skein_engine *other;
    writer        w[WRITERS];
    atomic_int    left = WRITERS;
    int64_t       seen[TOLD], start;
    skein_events  all;

    kit_open(&k, state);
    other = open_again(&k);
    make_writers(&k, other, w, &left);
    start = feed_newest(&k);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, write_all, &w[i]), 0);
    assert_int_equal(tail(&k, start, &left, seen), TOLD);
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(w[i].thread, NULL);
        assert_int_equal(w[i].wrong, 0);
    }
    all = feed_after(&k, start);
    assert_int_equal(all.count, TOLD);
    for (size_t i = 0; i < TOLD; i++)
        assert_int_equal(seen[i], all.at[i].seq);
    skein_close(other);
    kit_close(&k);
}

/* What was said last in a chat is told last. */
static void the_events_of_a_chat_are_in_the_order_of_what_was_said(void **state)
{
    kit               k;
    skein_engine     *other;
    writer            w[WRITERS];
    atomic_int        left = WRITERS;
    skein_event_query what = {0};
    skein_events      e;
    char              piece[60];

    kit_open(&k, state);
    other = open_again(&k);
    make_writers(&k, other, w, &left);
    what.after = feed_newest(&k);
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, write_all, &w[i]), 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(w[i].thread, NULL);
    for (int i = 0; i < WRITERS; i++) {
        what.chat = w[i].chat;
        e = feed_read(&k, what);
        assert_int_equal(e.count, EACH);
        for (int n = 0; n < EACH; n++) {
            snprintf(piece, sizeof piece, "\"content\":\"message %d\"", n);
            FEED_HAS(e.at[n].data.p, piece);
            snprintf(piece, sizeof piece, "\"position\":%d,", n);
            FEED_HAS(e.at[n].data.p, piece);
        }
    }
    skein_close(other);
    kit_close(&k);
}

/* A writer that has its number but has not committed yet: readers wait for it, or stop before it. */
typedef struct slow {
    skn_store *store;
    int64_t    world;
    sem_t      inside, go;
    skein_rc   rc;
    pthread_t  thread;
} slow;

static skein_rc write_slowly(skn_tx *tx, void *arg, skein_error *err)
{
    slow         *s = arg;
    skn_event_row row = {.world_id = s->world, .type = SKN_STR("slow")};
    skein_rc      rc;

    skn_event_add(tx, &row);
    rc = skn_events_write(tx, err); /* takes the number now */
    skn_events_clear(tx);
    sem_post(&s->inside);
    sem_wait(&s->go);
    return rc;
}

static void *run_slowly(void *arg)
{
    slow       *s = arg;
    skein_error err;

    s->rc = skn_store_write(s->store, write_slowly, s, &err);
    return NULL;
}

typedef struct reader {
    kit         *k;
    int64_t      after;
    skein_events events;
    skein_rc     rc;
    atomic_int   done;
    pthread_t    thread;
} reader;

static void *read_once(void *arg)
{
    reader           *r = arg;
    skein_event_query what = {.after = r->after};
    skein_error       err;

    r->rc = skein_events_read(r->k->e, &what, r->k->mem, &r->events, &err);
    atomic_store(&r->done, 1);
    return NULL;
}

/* The insert of a chat does not wait for the slow one's commit, the reader does. */
static void a_reader_never_passes_a_writer_that_has_not_committed(void **state)
{
    static const char waiting[] =
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    kit     k;
    slow    s = {0};
    reader  r = {0};
    int64_t start;

    kit_open(&k, state);
    start = feed_newest(&k);
    s.store = k.fx->store;
    s.world = k.world.id.v;
    sem_init(&s.inside, 0, 0);
    sem_init(&s.go, 0, 0);
    assert_int_equal(pthread_create(&s.thread, NULL, run_slowly, &s), 0);
    sem_wait(&s.inside);
    say(&k, "faster");
    r = (reader){.k = &k, .after = start};
    assert_int_equal(pthread_create(&r.thread, NULL, read_once, &r), 0);
    while (skn_fixture_number(k.fx, waiting) == 0)
        assert_false(atomic_load(&r.done));
    sem_post(&s.go);
    pthread_join(s.thread, NULL);
    pthread_join(r.thread, NULL);
    assert_int_equal(s.rc, SKEIN_OK);
    assert_int_equal(r.rc, SKEIN_OK);
    assert_int_equal(r.events.count, 2);
    assert_string_equal(r.events.at[0].type.p, "slow");
    assert_string_equal(r.events.at[1].type.p, "message.created");
    sem_destroy(&s.inside);
    sem_destroy(&s.go);
    kit_close(&k);
}

static void many_events_of_one_change_keep_their_order(void **state)
{
    kit               k;
    skein_new_message m[25];
    char              text[25][20], piece[60];
    skein_messages    out;
    skein_events      e;
    int64_t           start;

    kit_open(&k, state);
    start = feed_newest(&k);
    for (int i = 0; i < 25; i++) {
        snprintf(text[i], sizeof text[i], "it's \\\"%d\"\n", i);
        m[i] = (skein_new_message){.role = SKEIN_USER, .content = skein_text(text[i])};
    }
    KIT_OK(&k, kit_append(&k, m, 25, &out));
    KIT_OK(&k, kit_append(&k, m, 2, &out));
    e = feed_after(&k, start);
    assert_int_equal(e.count, 27);
    for (int i = 0; i < 27; i++) {
        snprintf(piece, sizeof piece, "\"content\":\"it's \\\\\\\"%d\\\"\\n\"", i % 25);
        FEED_HAS(e.at[i].data.p, piece);
        assert_string_equal(e.at[i].type.p, "message.created");
        assert_string_equal(e.at[i].chat_uid.p, k.chat.uid.p);
    }
    kit_close(&k);
}

/* --- The same again ------------------------------------------------------------------------------ */

static const char *all_text(kit *k)
{
    skein_events e = feed_after(k, 0);
    skn_buf      b;
    skn_str      text;

    skn_buf_init(&b, SIZE_MAX / 2);
    for (size_t i = 0; i < e.count; i++)
        skn_buf_addf(&b, "%.*s %s\n", SKN_FMT(e.at[i].type), feed_text(k, &e.at[i]));
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

/* All that could shine through: names, versions, positions, answers. */
static void shake(kit *k, skein_message first)
{
    skein_world   world = {.id = k->world.id, .name = skein_text("renamed")};
    skein_version v;
    skein_message edited;
    skein_removal removal;
    skein_move    move;

    kit_reply(k, "ada", "an answer", first.uid);
    KIT_OK(k, skein_amend(k->e, &k->how, first.id, skein_text("edited"), k->mem, &v, &edited,
                          &k->err));
    KIT_OK(k, skein_remove_from(k->e, &k->how, edited.id, false, k->mem, &removal, &k->err));
    KIT_OK(k, skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err));
    KIT_OK(k, skein_world_update(k->e, &world, k->mem, &k->err));
    KIT_OK(k, skein_conversation_rename(k->e, k->chat.id, skein_text("other"), &k->err));
    KIT_OK(k, skein_agent_remove(k->e, k->agent[2].id, false, &k->err));
    KIT_OK(k, skein_conversation_remove(k->e, k->chat.id, false, &k->err));
    KIT_OK(k, skein_world_remove(k->e, k->world.id, false, &k->err));
}

static void an_event_is_the_same_bytes_whenever_it_is_read(void **state)
{
    kit           k;
    skein_message first;
    const char   *before, *after;

    kit_open(&k, state);
    first = say(&k, "hello");
    kit_call(&k, "ada", "c1");
    kit_result(&k, "c1");
    before = all_text(&k);
    FEED_HAS(before, "\"world\":\"lab\"");
    shake(&k, first);
    after = all_text(&k);
    assert_true(strlen(after) > strlen(before));
    assert_memory_equal(before, after, strlen(before));
    assert_string_equal(all_text(&k), after);
    kit_close(&k);
}

static void an_erased_text_is_gone_from_the_events(void **state)
{
    kit              k;
    skein_message    m;
    skein_message_id id;
    int64_t          start, erased;

    kit_open(&k, state);
    start = feed_newest(&k);
    m = say(&k, "the secret");
    id = m.id;
    FEED_HAS(feed_data(&k, start, 0), "the secret");
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&id, 1}, &erased, &k.err));
    assert_null(strstr(all_text(&k), "secret"));
    FEED_HAS(feed_data(&k, start, 0), "\"purged\":true");
    assert_string_equal(feed_types(&k, start), "message.created chat.updated");
    assert_int_equal(
        skn_fixture_number(k.fx, "SELECT count(*) FROM events WHERE data LIKE '%secret%'"), 0);
    kit_close(&k);
}

static void worlds_and_chats_have_their_own_events(void **state)
{
    kit                k;
    skein_world        world = {.name = skein_text("other")};
    skein_conversation chat;
    skein_event_query  what = {0};
    skein_events       e;

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &world, k.mem, &k.err));
    what.after = feed_newest(&k);
    KIT_OK(&k, skein_chat_new(k.e, world.id, SKN_NONE, k.mem, &chat, &k.err));
    say(&k, "in the lab");
    assert_int_equal(say_in(k.e, chat.id, "elsewhere", false), SKEIN_OK);
    what.world = k.world.id;
    e = feed_read(&k, what);
    assert_int_equal(e.count, 1);
    assert_string_equal(e.at[0].world_name.p, "lab");
    what.world = world.id;
    assert_int_equal(feed_read(&k, what).count, 3);
    what.chat = chat.id;
    e = feed_read(&k, what);
    assert_int_equal(e.count, 2);
    FEED_HAS(e.at[1].data.p, "\"elsewhere\"");
    what.limit = 1;
    KIT_OK(&k, skein_events_read(k.e, &what, k.mem, &e, &k.err));
    assert_int_equal(e.count, 1);
    assert_string_equal(e.at[0].type.p, "chat.created");
    kit_close(&k);
}

/* --- Forgetting ------------------------------------------------------------------------------------ */

static void old_events_are_forgotten_and_numbers_are_not_used_again(void **state)
{
    kit     k;
    int64_t newest, forgotten, gone, middle;

    kit_open(&k, state);
    KIT_OK(&k, skein_events_span(k.e, &newest, &forgotten, &k.err));
    assert_int_equal(forgotten, 0);
    say(&k, "one");
    middle = feed_newest(&k);
    skn_fixture_sql(k.fx, "UPDATE events SET created_at = 1000");
    say(&k, "two");
    KIT_OK(&k, skein_events_forget(k.e, 1000, &gone, &k.err));
    assert_int_equal(gone, 0);
    KIT_OK(&k, skein_events_forget(k.e, 1001, &gone, &k.err));
    assert_true(gone >= 2);
    KIT_OK(&k, skein_events_span(k.e, &newest, &forgotten, &k.err));
    assert_int_equal(forgotten, middle);
    assert_string_equal(feed_types(&k, 0), "message.created");
    KIT_OK(&k, skein_events_forget(k.e, INT64_MAX, &gone, &k.err));
    assert_int_equal(gone, 0); /* the newest stays: the next gets a greater number */
    say(&k, "three");
    assert_true(feed_newest(&k) > newest);
    kit_close(&k);
}

static void more_are_forgotten_than_fit_into_one_transaction(void **state)
{
    kit     k;
    char    sql[300];
    int64_t newest, forgotten, gone;

    kit_open(&k, state);
    snprintf(sql, sizeof sql,
             "INSERT INTO events(world_id, type, world, created_at) "
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12000) "
             "SELECT %lld, 'x', 'lab', 1 FROM n",
             (long long)k.world.id.v);
    skn_fixture_sql(k.fx, "UPDATE events SET created_at = 1");
    skn_fixture_sql(k.fx, sql);
    KIT_OK(&k, skein_events_span(k.e, &newest, &forgotten, &k.err));
    KIT_OK(&k, skein_events_forget(k.e, 2, &gone, &k.err));
    assert_true(gone >= 12000);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM events"), 1);
    KIT_OK(&k, skein_events_span(k.e, &gone, &forgotten, &k.err));
    assert_int_equal(gone, newest);
    assert_int_equal(forgotten, newest - 1);
    kit_close(&k);
}

/* --- Noticing ------------------------------------------------------------------------------------- */

static int64_t stamp(kit *k)
{
    int64_t s;

    KIT_OK(k, skein_store_stamp(k->e, &s, &k->err));
    return s;
}

static void in_another_process(kit *k)
{
    pid_t pid = fork();
    int   status = -1;

    assert_true(pid >= 0);
    if (pid == 0) {
        skein_options options = SKEIN_OPTIONS_INIT;
        skein_engine *e = NULL;
        skein_rc      rc;

        options.store = skein_text(k->fx->address);
        rc = skein_open(&e, &options, NULL);
        _exit(rc ? 1 : say_in(e, k->chat.id, "from afar", false) != SKEIN_OK);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void the_stamp_tells_that_anybody_wrote(void **state)
{
    kit           k;
    skein_engine *other;
    int64_t       before, now;

    kit_open(&k, state);
    other = open_again(&k);
    before = stamp(&k);
    assert_int_equal(stamp(&k), before);
    kit_texts(&k, "main", 0);
    assert_int_equal(stamp(&k), before);
    say(&k, "here");
    assert_true((now = stamp(&k)) != before);
    assert_int_equal(say_in(other, k.chat.id, "there", false), SKEIN_OK);
    assert_true((before = stamp(&k)) != now);
    in_another_process(&k);
    assert_true(stamp(&k) != before);
    assert_string_equal(kit_texts(&k, "main", 0), "here there from afar");
    skein_close(other);
    kit_close(&k);
}

static void count_commit(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static void every_commit_is_announced_and_nothing_else(void **state)
{
    kit           k;
    atomic_int    commits = 0;
    skein_version v;
    skein_message m;

    kit_open(&k, state);
    skein_on_commit(k.e, count_commit, &commits);
    m = say(&k, "one");
    assert_int_equal(commits, 1);
    assert_int_equal(say_in(k.e, k.chat.id, "no", true), SKEIN_VERSION_CHANGED);
    k.how.dry_run = true;
    KIT_OK(&k, skein_amend(k.e, &k.how, m.id, skein_text("two"), k.mem, &v, NULL, &k.err));
    kit_texts(&k, "main", 0);
    assert_int_equal(commits, 1);
    k.how.dry_run = false;
    KIT_OK(&k, skein_amend(k.e, &k.how, m.id, skein_text("two"), k.mem, &v, NULL, &k.err));
    assert_int_equal(commits, 2);
    skein_on_commit(k.e, NULL, NULL);
    say(&k, "three");
    assert_int_equal(commits, 2);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_reader_behind_many_writers_sees_each_event_once),
        SKN_BOTH(the_events_of_a_chat_are_in_the_order_of_what_was_said),
        SKN_ON_PG(a_reader_never_passes_a_writer_that_has_not_committed),
        SKN_BOTH(many_events_of_one_change_keep_their_order),
        SKN_BOTH(an_event_is_the_same_bytes_whenever_it_is_read),
        SKN_BOTH(an_erased_text_is_gone_from_the_events),
        SKN_BOTH(worlds_and_chats_have_their_own_events),
        SKN_BOTH(old_events_are_forgotten_and_numbers_are_not_used_again),
        SKN_BOTH(more_are_forgotten_than_fit_into_one_transaction),
        SKN_BOTH(the_stamp_tells_that_anybody_wrote),
        SKN_BOTH(every_commit_is_announced_and_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
