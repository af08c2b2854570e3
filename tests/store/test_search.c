/* Finding messages by their words: the same on both databases, in all versions, and never what was
 * erased or hidden. */
#include "store/kit.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "engine/read/reading.h"
#include "engine/work/chat_work.h"

#include <pthread.h>

static skein_hits search(kit *k, skein_search_request what)
{
    skein_hits hits;

    KIT_OK(k, skein_search(k->e, &what, k->mem, &hits, &k->err));
    return hits;
}

static skein_hits find(kit *k, const char *query)
{
    return search(k, (skein_search_request){.query = skein_text(query)});
}

/* The texts found, joined by "|". */
static const char *texts(kit *k, skein_hits hits)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR(""));
    for (size_t i = 0; i < hits.count; i++)
        skn_buf_addf(&b, "%s%s", i ? "|" : "", hits.at[i].message.content.p);
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static void found(kit *k, const char *query, const char *expected)
{
    assert_string_equal(texts(k, find(k, query)), expected);
}

static skein_message human(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

/* --- What matches ------------------------------------------------------------------------------------ */

static void words_phrases_and_beginnings_match_alike_on_both(void **state)
{
    kit k;

    kit_open(&k, state);
    human(&k, "The freeze lasts until Friday noon.");
    human(&k, "until NOON on Friday: read_file(a.c)");
    human(&k, "\xc3\x84rger \xe2\x80\x9cnoon\xe2\x80\x9d \xe6\x9d\xb1\xe4\xba\xac\xe9\x83\xbd "
              "\xf0\x9f\x91\x8d");
    human(&k, "afternoon");
    found(&k, "noon friday",
          "until NOON on Friday: read_file(a.c)|The freeze lasts until Friday noon.");
    found(&k, "\"until friday\"", "The freeze lasts until Friday noon.");
    found(&k, "\"until noon\"", "until NOON on Friday: read_file(a.c)");
    found(&k, "free*", "The freeze lasts until Friday noon.");
    found(&k, "\"friday no\"*", "The freeze lasts until Friday noon.");
    found(&k, "read_file", "until NOON on Friday: read_file(a.c)");
    found(&k, "file_read", "");
    found(&k, "\xc3\xa4rger", texts(&k, find(&k, "\xe4\xba\xac\xe9\x83\xbd")));
    assert_int_equal(find(&k, "\xc3\xa4rger \xf0\x9f\x91\x8d").count, 1);
    assert_int_equal(find(&k, "\xe6\x9d\xb1\xe9\x83\xbd").count, 0);
    found(&k, "noon nowhere", "");
    /* Words of the databases' own query languages are words. */
    found(&k, "NOT friday", "");
    found(&k, "friday OR", "");
    found(&k, "'friday' & !noon | <->:*", texts(&k, find(&k, "friday noon")));
    kit_close(&k);
}

static void bad_queries_are_refused(void **state)
{
    kit                  k;
    skein_hits           hits;
    skein_search_request none = {.query = skein_text(" - ")},
                         many = {.query = skein_text("a"), .limit = 1001};
    skein_search_request nowhere = {.query = skein_text("a"), .conversation = {999}};
    skein_search_request no_world = {.query = skein_text("a"), .world = {999}};

    kit_open(&k, state);
    assert_int_equal(skein_search(k.e, &none, k.mem, &hits, &k.err), SKEIN_INVALID);
    assert_int_equal(skein_search(k.e, &many, k.mem, &hits, &k.err), SKEIN_LIMIT);
    assert_int_equal(skein_search(k.e, &nowhere, k.mem, &hits, &k.err), SKEIN_NOT_FOUND);
    assert_int_equal(skein_search(k.e, &no_world, k.mem, &hits, &k.err), SKEIN_NOT_FOUND);
    assert_int_equal(hits.count, 0);
    kit_close(&k);
}

static void the_newest_come_first_up_to_the_limit(void **state)
{
    kit               k;
    skein_new_message m[450];
    char              text[450][16];
    skein_messages    out;
    skein_hits        hits;

    kit_open(&k, state);
    for (int i = 0; i < 450; i++) {
        snprintf(text[i], sizeof text[i], "word n%d", i);
        m[i] = (skein_new_message){.role = SKEIN_USER, .content = skein_text(text[i])};
    }
    KIT_OK(&k, kit_append(&k, m, 450, &out));
    hits = find(&k, "word");
    assert_int_equal(hits.count, 50);
    assert_string_equal(hits.at[0].message.content.p, "word n449");
    assert_string_equal(hits.at[49].message.content.p, "word n400");
    hits = search(&k, (skein_search_request){.query = skein_text("word"), .limit = 1000});
    assert_int_equal(hits.count, 450); /* more than a page */
    assert_string_equal(hits.at[449].message.content.p, "word n0");
    kit_close(&k);
}

static void a_hit_shows_where_the_word_is(void **state)
{
    kit        k;
    skein_hits hits;

    kit_open(&k, state);
    human(&k, "one two three four five six seven eight nine ten eleven twelve thirteen\n"
              "fourteen fifteen needle sixteen seventeen eighteen nineteen twenty");
    hits = find(&k, "needle");
    assert_int_equal(hits.count, 1);
    assert_non_null(strstr(hits.at[0].snippet.p, "fourteen fifteen needle sixteen"));
    assert_true(strlen(hits.at[0].snippet.p) < 90);
    kit_close(&k);
}

/* --- Versions ------------------------------------------------------------------------------------------ */

static void a_hit_says_which_version_holds_it(void **state)
{
    kit           k;
    skein_message m;
    skein_version v;
    skein_hits    hits;

    kit_open(&k, state);
    m = human(&k, "old text");
    KIT_OK(&k, skein_amend(k.e, &k.how, m.id, skein_text("new text"), k.mem, &v, &m, &k.err));
    human(&k, "later text");
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m.id, 1}, k.mem, &v, &k.err));
    hits = find(&k, "text");
    assert_string_equal(texts(&k, hits), "later text|new text|old text");
    assert_true(hits.at[0].in_current);
    assert_int_equal(hits.at[0].version, 3);
    assert_false(hits.at[1].in_current);
    assert_int_equal(hits.at[1].version, 2);
    assert_int_equal(hits.at[2].version, 1);
    assert_string_equal(hits.at[2].conversation.uid.p, k.chat.uid.p);
    assert_int_equal(hits.at[2].conversation.version, 3);
    hits = search(&k,
                  (skein_search_request){.query = skein_text("text"), .current_only = true});
    assert_string_equal(texts(&k, hits), "later text");
    kit_close(&k);
}

/* What is only in a delegation is in the version all the same. */
static void a_hit_in_a_delegation_is_in_the_current_version(void **state)
{
    kit                  k;
    skein_lane           lane;
    skein_message        call;
    skein_new_message    m = {.role = SKEIN_USER, .content = skein_text("inside")};
    skein_append_request r = {.lane = skein_text("main.1"), .messages = &m, .count = 1};
    skein_messages       out;
    skein_hits           hits;

    kit_open(&k, state);
    call = kit_call(&k, "ada", "c1");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main"), call.id, skein_text("c1"),
                              k.mem, &lane, &k.err));
    r.conversation = k.chat.id;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    hits = search(&k,
                  (skein_search_request){.query = skein_text("inside"), .current_only = true});
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.at[0].version, 1);
    kit_close(&k);
}

/* --- Places ---------------------------------------------------------------------------------------------- */

static bool is_even(const skein_message *m, void *arg)
{
    *(int *)arg += 1;
    return (m->content.p[m->content.n - 1] - '0') % 2 == 0;
}

/* Words, or none; some of them in the index already. */
static void check_pages(kit *k, skein_str query)
{
    int                  asked = 0;
    skein_search_request what = {
        .query = query, .world = k->world.id, .limit = 2, .wants = is_even, .arg = &asked};
    skein_hits hits = search(k, what);

    assert_string_equal(texts(k, hits), "word 8|word 6");
    what.below = hits.below;
    what.looks = 3;
    hits = search(k, what);
    assert_string_equal(texts(k, hits), "word 4");
    assert_int_equal(hits.looked, 3);
    what.below = hits.below;
    what.looks = 0;
    what.limit = 50;
    hits = search(k, what);
    assert_string_equal(texts(k, hits), "word 2|word 0");
    assert_int_equal(hits.below.v, 0); /* the end */
    assert_int_equal(asked, 10);
}

static void a_search_goes_on_where_it_ended_with_words_and_without(void **state)
{
    kit  k;
    char text[8];

    kit_open(&k, state);
    for (int i = 0; i < 10; i++) {
        snprintf(text, sizeof text, "word %d", i);
        kit_say(&k, SKEIN_USER, "human", text);
        if (i == 4)
            find(&k, "word"); /* brings these into the index */
    }
    check_pages(&k, (skein_str){0});
    check_pages(&k, skein_text("word"));
    kit_close(&k);
}

static void a_search_keeps_to_its_world_and_conversation(void **state)
{
    kit                k;
    skein_world        other = {.name = skein_text("other")};
    skein_conversation chat, second;

    kit_open(&k, state);
    human(&k, "word here");
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("second"), k.mem, &second, &k.err));
    k.how.conversation = second.id;
    human(&k, "word in the second");
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    KIT_OK(&k, skein_chat_new(k.e, other.id, skein_text("far"), k.mem, &chat, &k.err));
    k.how.conversation = chat.id;
    human(&k, "word far away");
    found(&k, "word", "word far away|word in the second|word here");
    assert_string_equal(texts(&k, search(&k, (skein_search_request){.query = skein_text("word"),
                                                                    .world = k.world.id})),
                        "word in the second|word here");
    assert_string_equal(
        texts(&k, search(&k, (skein_search_request){.query = skein_text("word"),
                                                    .conversation = k.chat.id})),
        "word here");
    KIT_OK(&k, skein_conversation_remove(k.e, second.id, false, &k.err));
    found(&k, "word", "word far away|word in the second|word here");
    assert_string_equal(
        texts(&k, search(&k, (skein_search_request){.query = skein_text("word"),
                                                    .archived = SKEIN_ARCHIVED_NOT})),
        "word far away|word here");
    assert_string_equal(
        texts(&k, search(&k, (skein_search_request){.query = skein_text("word"),
                                                    .archived = SKEIN_ARCHIVED_ONLY})),
        "word in the second");
    KIT_OK(&k, skein_conversation_restore(k.e, k.world.id, second.uid, k.mem, &second, &k.err));
    KIT_OK(&k, skein_world_remove(k.e, other.id, false, &k.err));
    found(&k, "word", "word in the second|word here");
    k.how.conversation = k.chat.id;
    kit_close(&k);
}

static void a_branch_finds_what_it_took_along(void **state)
{
    kit                k;
    skein_conversation branch;
    skein_hits         hits;
    skein_message      m;
    skein_version      v;

    kit_open(&k, state);
    m = human(&k, "word one");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("branch"), k.mem, &branch, &k.err));
    human(&k, "word two"); /* not in the branch */
    k.how.conversation = branch.id;
    human(&k, "word three");
    hits = search(
        &k, (skein_search_request){.query = skein_text("word"), .conversation = branch.id});
    assert_string_equal(texts(&k, hits), "word three|word one");
    assert_string_equal(hits.at[1].conversation.uid.p, branch.uid.p);
    assert_true(hits.at[1].in_current);
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&m.id, 1}, k.mem, &v, &k.err));
    hits = search(
        &k, (skein_search_request){.query = skein_text("one"), .conversation = branch.id});
    assert_int_equal(hits.count, 1);
    assert_false(hits.at[0].in_current);
    assert_int_equal(hits.at[0].version, 1);
    /* Without a conversation a message is shown where it was said. */
    hits = find(&k, "one");
    assert_int_equal(hits.count, 1);
    assert_string_equal(hits.at[0].conversation.uid.p, k.chat.uid.p);
    /* A branch keeps what it holds when the other goes. */
    KIT_OK(&k, skein_conversation_remove(k.e, k.chat.id, false, &k.err));
    hits = find(&k, "word");
    assert_string_equal(texts(&k, hits), "word three|word two|word one");
    assert_true(hits.at[1].conversation.archived);
    assert_string_equal(hits.at[2].conversation.uid.p, branch.uid.p);
    assert_false(hits.at[2].conversation.archived);
    kit_close(&k);
}

/* --- Erasing ---------------------------------------------------------------------------------------------- */

static void erased_words_are_found_no_more(void **state)
{
    kit           k;
    skein_message known, fresh;
    int64_t       erased;

    kit_open(&k, state);
    known = human(&k, "secret one");
    human(&k, "secret two");
    assert_int_equal(find(&k, "secret").count, 2);
    fresh = human(&k, "secret three"); /* not in the index yet */
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&known.id, 1}, &erased, &k.err));
    KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&fresh.id, 1}, &erased, &k.err));
    found(&k, "secret", "secret two");
    found(&k, "one", "");
    if (!k.fx->pg)
        assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM message_words WHERE "
                                                  "message_words MATCH 'one OR three'"),
                         0);
    kit_close(&k);
}

/* Erasing the same again, or what was never in the index, leaves the index whole. */
static void forgetting_twice_harms_nothing(void **state)
{
    kit           k;
    skein_message m;
    int64_t       erased;

    kit_open(&k, state);
    m = human(&k, "alpha beta");
    human(&k, "alpha gamma");
    assert_int_equal(find(&k, "alpha").count, 2);
    for (int i = 0; i < 2; i++)
        KIT_OK(&k, skein_purge(k.e, &k.how, (skein_message_ids){&m.id, 1}, &erased, &k.err));
    found(&k, "alpha", "alpha gamma");
    if (!k.fx->pg)
        skn_fixture_sql(k.fx,
                        "INSERT INTO message_words(message_words) VALUES('integrity-check')");
    kit_close(&k);
}

/* --- Keeping up -------------------------------------------------------------------------------------------- */

static void an_index_in_several_batches_misses_nothing(void **state)
{
    kit                k;
    skein_new_message *m;
    skein_messages     out;
    skein_hits         hits;

    kit_open(&k, state);
    m = SKN_ARRAY(k.mem, 4500, skein_new_message);
    for (int i = 0; i < 4500; i++)
        m[i] = (skein_new_message){.role = SKEIN_USER,
                                   .content = skein_text(i % 1500 ? "hay" : "needle")};
    KIT_OK(&k, kit_append(&k, m, 4500, &out));
    hits = find(&k, "needle");
    assert_int_equal(hits.count, 3);
    assert_int_equal(
        skn_fixture_number(k.fx, "SELECT value FROM meta WHERE key = 'words_upto'"),
        out.at[4499].id.v);
    kit_close(&k);
}

/* What the index does not know yet is read as it is. */
static void a_store_that_cannot_be_written_is_searched_whole(void **state)
{
    kit           k;
    skein_options options = SKEIN_OPTIONS_INIT;

    kit_open(&k, state);
    human(&k, "word one");
    found(&k, "word", "word one");
    human(&k, "word two");
    skein_close(k.e);
    options.store = skein_text(k.fx->address);
    options.read_only = true;
    KIT_OK(&k, skein_open(&k.e, &options, &k.err));
    found(&k, "word", "word two|word one");
    found(&k, "\"word two\"", "word two");
    found(&k, "three", "");
    kit_close(&k);
}

typedef struct worker {
    kit                  *k;
    skein_conversation_id chat;
    skein_error           err;
    bool                  searches;
    skein_rc              rc;
} worker;

static void *work(void *arg)
{
    worker    *w = arg;
    skein_mem *mem = skein_mem_new();

    for (int i = 0; w->rc == SKEIN_OK && i < 40; i++) {
        skein_new_message    m = {.role = SKEIN_USER, .content = skein_text("common")};
        skein_append_request r = {.conversation = w->chat, .messages = &m, .count = 1};
        skein_search_request what = {.query = skein_text("common"), .limit = 1000};
        skein_messages       out;
        skein_hits           hits;

        w->rc = w->searches ? skein_search(w->k->e, &what, mem, &hits, &w->err)
                            : skein_append(w->k->e, &r, mem, &out, &w->err);
        skein_mem_reset(mem);
    }
    skein_mem_free(mem);
    return NULL;
}

static skein_conversation_id new_chat(kit *k)
{
    skein_conversation c;

    KIT_OK(k, skein_chat_new(k->e, k->world.id, skein_text("one more"), k->mem, &c, &k->err));
    return c.id;
}

static void searching_while_others_write_loses_nothing(void **state)
{
    kit       k;
    pthread_t t[6];
    worker    w[6];

    kit_open(&k, state);
    for (int i = 0; i < 6; i++)
        w[i] = (worker){.k = &k, .chat = new_chat(&k), .searches = i >= 4};
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&t[i], NULL, work, &w[i]), 0);
    for (int i = 0; i < 6; i++) {
        pthread_join(t[i], NULL);
        if (w[i].rc)
            fail_msg("%s", w[i].err.message);
    }
    assert_int_equal(
        search(&k, (skein_search_request){.query = skein_text("common"), .limit = 1000}).count,
        160);
    kit_close(&k);
}

/* A writer that has its message's id, and does not commit before a search waits for it or is over. */
typedef struct late {
    kit                  *k;
    skein_conversation_id chat;
    skein_error           err;
    skein_rc              rc;
    pthread_mutex_t       mu;
    pthread_cond_t        changed;
    bool                  said, over; /* guarded by mu */
    bool                  waited_for; /* a search did */
} late;

static bool is_over(late *l)
{
    bool over;

    pthread_mutex_lock(&l->mu);
    over = l->over;
    pthread_mutex_unlock(&l->mu);
    return over;
}

static void tell(late *l, bool *what)
{
    pthread_mutex_lock(&l->mu);
    *what = true;
    pthread_cond_signal(&l->changed);
    pthread_mutex_unlock(&l->mu);
}

static skein_rc say_late(skn_tx *tx, void *arg, skein_error *err)
{
    static const char *waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND "
                                 "relation = CAST('messages' AS regclass)";
    late              *l = arg;
    skein_mem         *mem = skein_mem_new();
    skein_new_message  m = {.role = SKEIN_USER, .content = skein_text("word late")};
    skn_working        w = {.e = l->k->e, .tx = tx, .a = mem};
    skein_message      out;
    skein_rc           rc = skn_working_hold(&w, l->chat, err);

    if (rc == SKEIN_OK)
        rc = skn_message_say(&w, &w.chat, SKN_NONE, &m, &out, err);
    tell(l, &l->said);
    while (!is_over(l) && !l->waited_for)
        l->waited_for = skn_fixture_number(l->k->fx, waiting) > 0;
    skein_mem_free(mem);
    return rc;
}

static void *late_writer(void *arg)
{
    late *l = arg;

    l->rc = skn_store_write(l->k->e->store, say_late, l, &l->err);
    return NULL;
}

/* On PostgreSQL a smaller id may become visible after a larger one. A search that waited for it
 * would make every later append wait too. */
static void an_id_that_shows_up_late_is_not_passed_over(void **state)
{
    kit       k;
    late      l = {.mu = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t t;

    kit_open(&k, state);
    l.k = &k;
    l.chat = new_chat(&k);
    assert_int_equal(pthread_create(&t, NULL, late_writer, &l), 0);
    pthread_mutex_lock(&l.mu);
    while (!l.said)
        pthread_cond_wait(&l.changed, &l.mu);
    pthread_mutex_unlock(&l.mu);
    human(&k, "word early"); /* a larger id, and there at once */
    found(&k, "word", "word early");
    tell(&l, &l.over);
    pthread_join(t, NULL);
    assert_false(l.waited_for);
    if (l.rc)
        fail_msg("%s", l.err.message);
    found(&k, "word", "word early|word late");
    kit_close(&k);
}

static skein_rc hold_on(skn_tx *tx, void *arg, skein_error *err)
{
    late *l = arg;

    (void)tx;
    (void)err;
    tell(l, &l->said);
    pthread_mutex_lock(&l->mu);
    while (!l->over)
        pthread_cond_wait(&l->changed, &l->mu);
    pthread_mutex_unlock(&l->mu);
    return SKEIN_OK;
}

static void *other_program(void *arg)
{
    late *l = arg;

    l->rc = skn_store_write(l->k->fx->store, hold_on, l, &l->err);
    return NULL;
}

/* What is not in the index yet is read as it is. */
static void a_search_does_not_wait_for_another_program(void **state)
{
    kit       k;
    late      l = {.mu = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    pthread_t t;
    int64_t   began;

    kit_open(&k, state);
    l.k = &k;
    human(&k, "word one");
    found(&k, "word", "word one");
    human(&k, "word two");
    assert_int_equal(pthread_create(&t, NULL, other_program, &l), 0);
    pthread_mutex_lock(&l.mu);
    while (!l.said)
        pthread_cond_wait(&l.changed, &l.mu);
    pthread_mutex_unlock(&l.mu);
    began = skn_clock_monotonic();
    found(&k, "word", "word two|word one");
    assert_true(skn_clock_monotonic() - began < INT64_C(10000000000)); /* a lock is 30 s */
    tell(&l, &l.over);
    pthread_join(t, NULL);
    found(&k, "word", "word two|word one");
    kit_close(&k);
}

/* --- Random texts: what is found is what reading everything finds -------------------------------------------- */

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void random_text(uint64_t *seed, char out[static 200])
{
    static const char *const pieces[] = {"alpha",
                                         "Beta",
                                         "al",
                                         "be_ta",
                                         "GAMMA",
                                         "gamma-ray",
                                         "\xc3\xa9t\xc3\xa9",
                                         "\xc3\x89",
                                         "12",
                                         "1e5",
                                         "a.b",
                                         "\xe6\x97\xa5\xe6\x9c\xac",
                                         "'q'",
                                         "\"",
                                         "http://x.y/z?a=b",
                                         "&",
                                         "<b>",
                                         "x'y''",
                                         "\\n:",
                                         "\xf0\x9f\x8e\x89",
                                         "--",
                                         "%s"};
    size_t                   n = 1 + next(seed) % 8;

    out[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(out + strlen(out), 200 - strlen(out), "%s%s", i && next(seed) % 4 ? " " : "",
                 pieces[next(seed) % (sizeof pieces / sizeof *pieces)]);
}

static void what_is_found_is_what_reading_everything_finds(void **state)
{
    kit            k;
    uint64_t       seed = 0x0ddba11;
    char           text[200];
    skein_slice    what = {0};
    skein_messages all;

    kit_open(&k, state);
    for (int i = 0; i < 60; i++) {
        random_text(&seed, text);
        human(&k, text);
    }
    what.conversation = k.chat.id;
    KIT_OK(&k, skein_read(k.e, &what, k.mem, &all, NULL, &k.err));
    for (int i = 0; i < 80; i++) {
        skn_terms  terms;
        skein_hits hits;
        size_t     at = 0, where;

        random_text(&seed, text);
        if (next(&seed) % 2)
            snprintf(text + strlen(text), sizeof text - strlen(text), "*");
        if (skn_words_query(skn_str_of(text), k.mem, &terms, NULL))
            continue;
        hits = search(&k, (skein_search_request){.query = skein_text(text), .limit = 1000});
        for (size_t n = all.count; n-- > 0;)
            if (skn_words_match(all.at[n].content, &terms, &where)) {
                assert_true(at < hits.count);
                assert_int_equal(hits.at[at++].message.id.v, all.at[n].id.v);
            }
        assert_int_equal(at, hits.count);
    }
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(words_phrases_and_beginnings_match_alike_on_both),
        SKN_BOTH(bad_queries_are_refused),
        SKN_BOTH(the_newest_come_first_up_to_the_limit),
        SKN_BOTH(a_hit_shows_where_the_word_is),
        SKN_BOTH(a_hit_says_which_version_holds_it),
        SKN_BOTH(a_hit_in_a_delegation_is_in_the_current_version),
        SKN_BOTH(a_search_goes_on_where_it_ended_with_words_and_without),
        SKN_BOTH(a_search_keeps_to_its_world_and_conversation),
        SKN_BOTH(a_branch_finds_what_it_took_along),
        SKN_BOTH(erased_words_are_found_no_more),
        SKN_BOTH(forgetting_twice_harms_nothing),
        SKN_BOTH(an_index_in_several_batches_misses_nothing),
        SKN_BOTH(a_store_that_cannot_be_written_is_searched_whole),
        SKN_BOTH(searching_while_others_write_loses_nothing),
        SKN_ON_PG(an_id_that_shows_up_late_is_not_passed_over),
        SKN_ON_SQLITE(a_search_does_not_wait_for_another_program),
        SKN_BOTH(what_is_found_is_what_reading_everything_finds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
