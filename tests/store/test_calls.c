/* test_calls.c: what models were sent and answered: kept once, read back byte for byte, erased with what was
 * said. */
#include "store/fsck_kit.h"

#include "base/json.h"
#include "engine/engine.h"
#include "engine/work/act.h"

#include <pthread.h>
#include <stdlib.h>

#define SECRET "xyzzyplugh"

/* A call with the pieces that are given, up to a NULL. */
static skein_model_call call_of(kit *k, const char *const *pieces)
{
    skein_model_call c = {.world = k->world.id,
                          .chat = k->how.conversation,
                          .agent = k->agent[0].id,
                          .purpose = skein_text("turn"),
                          .model = skein_text("demo/scripted"),
                          .state = skein_text("answered"),
                          .response = skein_text("{\"ok\":true}"),
                          .tokens_in = 10,
                          .tokens_out = 3,
                          .tokens_cached = 7,
                          .tokens_written = 2,
                          .cost = -1,
                          .first_ms = 5,
                          .total_ms = 9,
                          .tries = 1};
    skein_str       *list = SKN_ARRAY(k->mem, 16, skein_str);

    for (; pieces[c.piece_count]; c.piece_count++)
        list[c.piece_count] = skein_text(pieces[c.piece_count]);
    c.pieces = list;
    return c;
}

static skein_str keep(kit *k, const skein_model_call *c)
{
    skein_str uid;

    KIT_OK(k, skein_model_call_keep(k->e, c, k->mem, &uid, &k->err));
    return uid;
}

#define PIECES(...) ((const char *const[]){__VA_ARGS__, NULL})

static skein_model_call read_back(kit *k, skein_str uid)
{
    skein_model_call c;

    KIT_OK(k, skein_model_call_get(k->e, k->world.id, uid, k->mem, &c, &k->err));
    return c;
}

static const char *request(kit *k, const skein_model_call *c)
{
    skn_buf b;
    skn_str text;

    skn_buf_init(&b, 1 << 20);
    for (size_t i = 0; i < c->piece_count; i++)
        skn_buf_add(&b, c->pieces[i]);
    text = skn_arena_copy(k->mem, skn_buf_str(&b));
    skn_buf_release(&b);
    return text.p;
}

static int64_t pieces_kept(kit *k)
{
    return skn_fixture_number(k->fx, "SELECT count(*) FROM pieces");
}

static void a_call_is_read_back_byte_for_byte(void **state)
{
    kit              k;
    skein_model_call c, got;
    const char       odd[] = "data: \xff\x00\x01 end";
    skein_str        uid;

    kit_open(&k, state);
    c = call_of(&k, PIECES("{\"messages\":[", "\"a\"", ",", "\"a\"", "]}", ""));
    c.response = (skein_str){odd, sizeof odd - 1};
    c.message_uid = skein_text("m_of_it");
    c.made_of = skein_text("m_one\n\nm_two m_three\n");
    uid = keep(&k, &c);
    assert_memory_equal(uid.p, "call_", 5);
    got = read_back(&k, uid);
    assert_string_equal(request(&k, &got), "{\"messages\":[\"a\",\"a\"]}");
    assert_int_equal(got.piece_count, 6);
    assert_int_equal(got.response.n, sizeof odd - 1);
    assert_memory_equal(got.response.p, odd, sizeof odd - 1);
    assert_string_equal(got.made_of.p, "m_one\n\nm_two m_three\n");
    assert_string_equal(got.agent_name.p, "ada");
    assert_string_equal(got.chat_uid.p, k.chat.uid.p);
    assert_string_equal(got.model.p, "demo/scripted");
    assert_int_equal(got.tokens_out, 3);
    assert_int_equal(got.tokens_cached, 7);
    assert_int_equal(got.tokens_written, 2);
    assert_int_equal(got.cost, -1);
    assert_true(got.created_at > 0);
    got = read_back(&k, skein_text("m_of_it"));
    assert_string_equal(got.uid.p, uid.p);
    kit_check(&k);
    kit_close(&k);
}

static void a_context_that_only_grew_costs_its_last_pieces(void **state)
{
    kit              k;
    skein_model_call c;
    int64_t          before;

    kit_open(&k, state);
    c = call_of(&k, PIECES("{\"messages\":[", "one", "]}"));
    c.made_of = skein_text("m_one\n");
    keep(&k, &c);
    before = pieces_kept(&k);
    c.made_of = skein_text("m_two\n"); /* another message with the same text */
    keep(&k, &c);
    assert_int_equal(pieces_kept(&k), before);
    c = call_of(&k, PIECES("{\"messages\":[", "one", "two", "]}"));
    keep(&k, &c);
    assert_int_equal(pieces_kept(&k), before + 1);
    kit_close(&k);
}

static void calls_of_a_message_are_listed_in_order(void **state)
{
    kit               k;
    skein_model_call  c;
    skein_model_calls list;
    skein_str         first, last;
    skein_world       other = {.name = SKN_STR("other")};

    kit_open(&k, state);
    c = call_of(&k, PIECES("one"));
    c.message_uid = skein_text("m");
    c.state = skein_text("rate-limit");
    c.error = skein_text("slow down");
    c.response = (skein_str){NULL, 0};
    first = keep(&k, &c);
    c.state = skein_text("answered");
    c.error = (skein_str){NULL, 0};
    last = keep(&k, &c);
    c.message_uid = skein_text("n");
    c.agent = k.agent[1].id;
    keep(&k, &c);
    KIT_OK(&k, skein_model_call_list(k.e, k.world.id, skein_text("m"), (skein_agent_id){0}, 0,
                                     k.mem, &list, &k.err));
    assert_int_equal(list.count, 2);
    assert_string_equal(list.at[0].uid.p, first.p);
    assert_string_equal(list.at[0].error.p, "slow down");
    assert_string_equal(list.at[1].uid.p, last.p);
    assert_int_equal(list.at[1].piece_count, 0);
    assert_string_equal(read_back(&k, skein_text("m")).uid.p, last.p);
    KIT_OK(&k, skein_model_call_list(k.e, k.world.id, (skein_str){NULL, 0}, k.agent[0].id, 1,
                                     k.mem, &list, &k.err));
    assert_int_equal(list.count, 1);
    assert_string_equal(list.at[0].uid.p, last.p);
    KIT_OK(&k, skein_model_call_list(k.e, k.world.id, (skein_str){NULL, 0}, (skein_agent_id){0},
                                     0, k.mem, &list, &k.err));
    assert_int_equal(list.count, 3);

    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    assert_int_equal(skein_model_call_get(k.e, other.id, last, k.mem, &c, &k.err),
                     SKEIN_NOT_FOUND);
    assert_int_equal(
        skein_model_call_get(k.e, k.world.id, skein_text("nobody"), k.mem, &c, &k.err),
        SKEIN_NOT_FOUND);
    kit_close(&k);
}

static void what_is_no_call_is_refused(void **state)
{
    kit              k;
    skein_model_call c, bad;
    skein_str        uid;

    kit_open(&k, state);
    c = call_of(&k, PIECES("one"));
    bad = c;
    bad.purpose = skein_text("fun");
    assert_int_equal(skein_model_call_keep(k.e, &bad, k.mem, &uid, &k.err), SKEIN_INVALID);
    bad = c;
    bad.world.v += 99;
    assert_int_equal(skein_model_call_keep(k.e, &bad, k.mem, &uid, &k.err), SKEIN_NOT_FOUND);
    bad = c;
    bad.chat.v += 99;
    assert_int_equal(skein_model_call_keep(k.e, &bad, k.mem, &uid, &k.err), SKEIN_NOT_FOUND);
    bad = c;
    bad.made_of = skein_text("m_one, m_two\n");
    assert_int_equal(skein_model_call_keep(k.e, &bad, k.mem, &uid, &k.err), SKEIN_INVALID);
    assert_int_equal(pieces_kept(&k), 0);
    kit_close(&k);
}

static void a_failure_that_is_no_text_is_kept_as_far_as_it_is(void **state)
{
    kit              k;
    skein_model_call c;

    kit_open(&k, state);
    c = call_of(&k, PIECES("one"));
    c.error = skein_text("it said \xff\xfe");
    assert_string_equal(read_back(&k, keep(&k, &c)).error.p, "it said ");
    kit_close(&k);
}

static void tokens_are_summed_for_a_world_since_a_time(void **state)
{
    kit              k;
    skein_model_call c;
    int64_t          tokens;

    kit_open(&k, state);
    c = call_of(&k, PIECES("one"));
    c.created_at = 1000;
    keep(&k, &c);
    c.created_at = 2000;
    c.estimated = true;
    keep(&k, &c);
    c.tokens_in = c.tokens_out = -1; /* not measured */
    keep(&k, &c);
    KIT_OK(&k, skein_tokens_spent(k.e, k.world.id, 0, &tokens, &k.err));
    assert_int_equal(tokens, 26);
    KIT_OK(&k, skein_tokens_spent(k.e, k.world.id, 1001, &tokens, &k.err));
    assert_int_equal(tokens, 13);
    KIT_OK(&k, skein_tokens_spent(k.e, (skein_world_id){k.world.id.v + 1}, 0, &tokens, &k.err));
    assert_int_equal(tokens, 0);
    kit_close(&k);
}

/* --- As JSON ----------------------------------------------------------------------------------------- */

static void a_call_is_shown_with_its_request_as_json(void **state)
{
    kit              k;
    skein_model_call c;
    const skn_json  *v;
    skn_buf          b;
    skn_jw           w;

    kit_open(&k, state);
    c = call_of(&k, PIECES("{\"messages\":[", "1]}"));
    c.response = (skein_str){"a\xff\x00z", 4};
    c.tokens_in = -1;
    c.made_of = skein_text("m_one\n\nm_two m_three\n");
    skn_buf_init(&b, 1 << 20);
    skn_jw_init(&w, &b);
    skn_jw_array(&w);
    skn_shape_model_call_whole(&w, &c);
    c.piece_count = 1; /* half a document */
    skn_shape_model_call_whole(&w, &c);
    c.piece_count = 0;
    c.made_of = (skein_str){NULL, 0}; /* of a call that was kept before they were */
    skn_shape_model_call_whole(&w, &c);
    skn_jw_array_end(&w);
    KIT_OK(&k, skn_json_parse(&v, skn_buf_str(&b), "calls", k.mem, &k.err));
    v = v->first;
    assert_string_equal(skn_arena_copy(k.mem, skn_json_get(v, "request")->raw).p,
                        "{\"messages\":[1]}");
    assert_true(skn_str_is(skn_json_get(v, "response")->text, "a\xEF\xBF\xBD\xEF\xBF\xBDz"));
    assert_int_equal(skn_json_get(skn_json_get(v, "usage"), "inputTokens")->kind,
                     SKN_JSON_NULL);
    assert_true(skn_str_is(skn_json_get(v->next, "request")->text, "{\"messages\":["));
    assert_int_equal(skn_json_get(v->next->next, "request")->kind, SKN_JSON_NULL);
    assert_string_equal(skn_arena_copy(k.mem, skn_json_get(v, "contextMessageIds")->raw).p,
                        "[[\"m_one\"],[],[\"m_two\",\"m_three\"]]");
    assert_int_equal(skn_json_get(v->next->next, "contextMessageIds")->kind, SKN_JSON_NULL);
    skn_buf_release(&b);
    kit_close(&k);
}

/* --- Erasing ------------------------------------------------------------------------------------------- */

static int64_t purge(kit *k, skein_message_id id)
{
    int64_t erased;

    KIT_OK(k, skein_purge(k->e, &k->how, (skein_message_ids){&id, 1}, &erased, &k->err));
    return erased;
}

static void what_was_erased_is_in_no_call_and_no_file(void **state)
{
    kit                k;
    skein_message      m;
    skein_model_call   c, got;
    skein_conversation other;
    skein_str          with, without;
    int64_t            tokens;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "the word is " SECRET);
    c = call_of(&k, PIECES("{", "the word is " SECRET, "}"));
    c.response = skein_text("you said " SECRET);
    c.error = skein_text("cannot read " SECRET);
    c.made_of = skein_text("m_one\n");
    with = keep(&k, &c);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, skein_text("other"), k.mem, &other, &k.err));
    c = call_of(&k, PIECES("{", "harmless", "}"));
    c.chat = other.id;
    without = keep(&k, &c);
    assert_int_equal(pieces_kept(&k), 6);

    assert_int_equal(purge(&k, m.id), 1);
    got = read_back(&k, with);
    assert_int_equal(got.piece_count, 0);
    assert_null(got.response.p);
    assert_null(got.error.p);
    assert_null(got.made_of.p);
    got = read_back(&k, without); /* shares two pieces with it */
    assert_string_equal(request(&k, &got), "{harmless}");
    assert_string_equal(got.response.p, "{\"ok\":true}");
    assert_int_equal(pieces_kept(&k), 4);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    KIT_OK(&k, skein_tokens_spent(k.e, k.world.id, 0, &tokens, &k.err));
    assert_int_equal(tokens, 26); /* spent is spent */
    kit_check(&k);
    kit_close(&k);
}

static void calls_of_branches_are_erased_with_what_they_branched_from(void **state)
{
    kit                k;
    skein_message      m;
    skein_conversation branch;
    skein_model_call   c;
    skein_str          origin, side;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "the word is " SECRET);
    c = call_of(&k, PIECES("origin: the word is " SECRET));
    origin = keep(&k, &c);
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("side"), k.mem, &branch, &k.err));
    c = call_of(&k, PIECES("side: the word is " SECRET));
    c.chat = branch.id;
    side = keep(&k, &c);
    k.how.conversation = branch.id; /* erased from the branch, where it was not born */
    assert_int_equal(purge(&k, m.id), 1);
    assert_int_equal(read_back(&k, origin).piece_count, 0);
    assert_int_equal(read_back(&k, side).piece_count, 0);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    kit_close(&k);
}

static void a_call_that_was_under_way_while_text_was_erased_is_kept_without_it(void **state)
{
    kit              k;
    skein_message    m;
    skein_model_call c, got;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "the word is " SECRET);
    c = call_of(&k, PIECES("the word is " SECRET));
    c.total_ms = 60000; /* asked a minute ago */
    c.made_of = skein_text("m_one\n");
    assert_int_equal(purge(&k, m.id), 1);
    got = read_back(&k, keep(&k, &c));
    assert_int_equal(got.piece_count, 0);
    assert_null(got.response.p);
    assert_null(got.made_of.p);
    assert_int_equal(got.tokens_in, 10);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    c = call_of(&k, PIECES("later"));
    c.total_ms = 0;
    assert_int_equal(read_back(&k, keep(&k, &c)).piece_count, 1);
    kit_close(&k);
}

static void a_dry_run_of_erasing_leaves_calls_alone(void **state)
{
    kit              k;
    skein_message    m;
    skein_model_call c;
    skein_str        uid;

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "one");
    c = call_of(&k, PIECES("one"));
    uid = keep(&k, &c);
    k.how.dry_run = true;
    assert_int_equal(purge(&k, m.id), 1);
    assert_int_equal(read_back(&k, uid).piece_count, 1);
    kit_close(&k);
}

static void copies_of_a_message_go_with_it(void **state)
{
    kit           k;
    skein_message m;
    char          sql[1200];
    const char   *left = "SELECT (SELECT count(*) FROM tasks WHERE content LIKE '%" SECRET
                       "%' OR result LIKE '%" SECRET "%') + (SELECT count(*) FROM inbox WHERE"
                       " title LIKE '%" SECRET "%' OR content LIKE '%" SECRET
                       "%' OR briefing_text LIKE '%" SECRET "%' OR answer LIKE '%" SECRET
                       "%') + (SELECT count(*) FROM knowledge WHERE content LIKE '%" SECRET
                       "%')";

    kit_open(&k, state);
    m = kit_say(&k, SKEIN_USER, "human", "the word is " SECRET);
    snprintf(
        sql, sizeof sql,
        "INSERT INTO tasks(uid, world_id, agent_id, source, content, message_id, hops_left,"
        " created_at) VALUES('t', %lld, %lld, 'user', '" SECRET "', %lld, 1, 1);"
        "INSERT INTO inbox(uid, world_id, kind, title, content, briefing_text, message_id,"
        " answer, created_at) VALUES('i', %lld, 'question', '" SECRET "', '" SECRET
        "', '" SECRET "', %lld, '" SECRET "', 1);"
        "INSERT INTO knowledge(uid, agent_id, type, content, content_hash, confidence,"
        " message_id, created_at) VALUES('k', %lld, 'fact', '" SECRET "', 'h', 50, %lld, 1)",
        (long long)k.world.id.v, (long long)k.agent[0].id.v, (long long)m.id.v,
        (long long)k.world.id.v, (long long)m.id.v, (long long)k.agent[0].id.v,
        (long long)m.id.v);
    skn_fixture_sql(k.fx, sql);
    assert_int_equal(skn_fixture_number(k.fx, left), 3);
    assert_int_equal(purge(&k, m.id), 1);
    assert_int_equal(skn_fixture_number(k.fx, left), 0);
    assert_false(skn_fixture_holds(k.fx, SECRET));
    assert_int_equal(
        skn_fixture_number(k.fx, "SELECT count(*) FROM tasks WHERE status = 'pending'"), 0);
    kit_close(&k);
}

/* --- Checking -------------------------------------------------------------------------------------------- */

static void a_missing_piece_is_found(void **state)
{
    kit              k;
    skein_model_call c;
    skein_str        uid;

    kit_open(&k, state);
    c = call_of(&k, PIECES("one", "two"));
    uid = keep(&k, &c);
    kit_check(&k);
    vandalise(&k, "DELETE FROM pieces WHERE hash = (SELECT MIN(hash) FROM pieces)");
    expect_only(&k, "references", "a piece of call");
    assert_int_equal(skein_model_call_get(k.e, k.world.id, uid, k.mem, &c, &k.err),
                     SKEIN_DAMAGED);
    vandalise(&k, "DELETE FROM model_calls");
    kit_close(&k);
}

static void what_is_wrong_with_work_is_found(void **state)
{
    static const struct {
        const char *sql, *invariant, *text;
    } harm[] = {
        {"INSERT INTO tasks(uid, world_id, agent_id, source, content, hops_left, created_at)"
         " VALUES('t', 1, 999, 'user', 'x', 1, 1)",
         "references", "task \"t\""},
        {"INSERT INTO tasks(uid, world_id, agent_id, source, content, message_id, hops_left,"
         " created_at) VALUES('t', 1, 1, 'user', 'x', 999, 1, 1)",
         "references", "task \"t\""},
        {"INSERT INTO tasks(uid, world_id, agent_id, source, content, status, hops_left,"
         " created_at) VALUES('t', 1, 1, 'user', 'x', 'completed', 1, 1)",
         "references", "task \"t\""},
        {"INSERT INTO inbox(uid, world_id, kind, title, content, message_id, created_at)"
         " VALUES('i', 1, 'question', 'x', 'x', 999, 1)",
         "references", "inbox item \"i\""},
        {"INSERT INTO inbox(uid, world_id, kind, title, content, briefing_uid, created_at)"
         " VALUES('i', 1, 'briefing', 'x', 'x', 'b', 1)",
         "references", "inbox item \"i\""},
        {"INSERT INTO expected(world_id, asker_id, asked_id, message_id, state, created_at,"
         " closed_at) VALUES(1, 1, 2, 1, 'answered', 1, 1)",
         "work-once", "expected answer"},
        {"INSERT INTO expected(world_id, asker_id, asked_id, message_id, created_at) VALUES(1,"
         " 1, 2, 999, 1)",
         "work-once", "expected answer"},
    };
    static const char clean[] = "DELETE FROM tasks; DELETE FROM inbox; DELETE FROM expected";
    kit               k;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "one");
    for (size_t i = 0; i < sizeof harm / sizeof harm[0]; i++) {
        vandalise(&k, harm[i].sql);
        expect_only(&k, harm[i].invariant, harm[i].text);
        vandalise(&k, clean);
        kit_check(&k);
    }
    kit_close(&k);
}

static void a_delegation_that_nobody_was_told_of_is_found(void **state)
{
    kit           k;
    skein_message m;
    skein_lane    lane;

    kit_open(&k, state);
    m = kit_call(&k, "ada", "c");
    KIT_OK(&k, skein_lane_new(k.e, k.how.conversation, skein_text("main"), m.id,
                              skein_text("c"), k.mem, &lane, &k.err));
    kit_check(&k);
    vandalise(&k, "UPDATE lanes SET parent_turn_id = 1, state = 'done' WHERE key = 'main.1'");
    expect_only(&k, "told-once", "main.1");
    vandalise(&k, "UPDATE lanes SET told = 1 WHERE key = 'main.1'");
    kit_check(&k);
    vandalise(&k, "UPDATE lanes SET state = 'running' WHERE key = 'main.1'");
    expect_only(&k, "told-once", "main.1");
    vandalise(&k, "UPDATE lanes SET told = 0 WHERE key = 'main.1'");
    kit_close(&k);
}

/* --- Many at once ------------------------------------------------------------------------------------------- */

enum { WRITERS = 4, EACH = 25 };

typedef struct writer {
    kit      *k;
    int       number;
    skein_rc  rc;
    pthread_t thread;
} writer;

/* The same pieces in another order for each. */
static void *write_some(void *arg)
{
    writer *w = arg;

    for (int i = 0; i < EACH && w->rc == SKEIN_OK; i++) {
        skein_mem       *mem = skn_arena_new();
        char             texts[8][16];
        skein_str        pieces[8], uid;
        skein_error      err;
        skein_model_call c = call_of(w->k, PIECES("x"));

        for (int p = 0; p < 8; p++) {
            snprintf(texts[p], sizeof texts[p], "%d-%d", i, w->number % 2 ? p : 7 - p);
            pieces[p] = skein_text(texts[p]);
        }
        c.pieces = pieces;
        c.piece_count = 8;
        w->rc = skein_model_call_keep(w->k->e, &c, mem, &uid, &err);
        skn_arena_free(mem);
    }
    return NULL;
}

static void writers_of_the_same_pieces_do_not_wait_for_each_other_for_ever(void **state)
{
    kit    k;
    writer w[WRITERS] = {0};

    kit_open(&k, state);
    for (int i = 0; i < WRITERS; i++) {
        w[i].k = SKN_NEW(k.mem, kit);
        *w[i].k = k;
        w[i].k->mem = skn_arena_new();
        w[i].number = i;
    }
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, write_some, &w[i]), 0);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(w[i].thread, NULL);
    for (int i = 0; i < WRITERS; i++) {
        skn_arena_free(w[i].k->mem);
        assert_int_equal(w[i].rc, SKEIN_OK);
    }
    assert_int_equal(pieces_kept(&k), 8 * EACH + 1); /* and the response */
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM model_calls"),
                     WRITERS * EACH);
    kit_check(&k);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_call_is_read_back_byte_for_byte),
        SKN_BOTH(a_context_that_only_grew_costs_its_last_pieces),
        SKN_BOTH(calls_of_a_message_are_listed_in_order),
        SKN_BOTH(what_is_no_call_is_refused),
        SKN_BOTH(a_failure_that_is_no_text_is_kept_as_far_as_it_is),
        SKN_BOTH(tokens_are_summed_for_a_world_since_a_time),
        SKN_ON_SQLITE(a_call_is_shown_with_its_request_as_json),
        SKN_BOTH(what_was_erased_is_in_no_call_and_no_file),
        SKN_BOTH(calls_of_branches_are_erased_with_what_they_branched_from),
        SKN_BOTH(a_call_that_was_under_way_while_text_was_erased_is_kept_without_it),
        SKN_BOTH(a_dry_run_of_erasing_leaves_calls_alone),
        SKN_BOTH(copies_of_a_message_go_with_it),
        SKN_BOTH(a_missing_piece_is_found),
        SKN_BOTH(what_is_wrong_with_work_is_found),
        SKN_BOTH(a_delegation_that_nobody_was_told_of_is_found),
        SKN_BOTH(writers_of_the_same_pieces_do_not_wait_for_each_other_for_ever),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
