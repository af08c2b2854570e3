/* test_cases_views.c: what is seen of a conversation, delegations, reply chains and first
 * use: the cases of docs/model.md. */
#include "store/kit.h"

#include <pthread.h>
#include <stdlib.h>

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

/* --- 21: delegations ------------------------------------------------------------------------------- */

static skein_lane delegate(kit *k, const char *parent, skein_message_id caller,
                           const char *call)
{
    skein_lane lane;

    KIT_OK(k, skein_lane_new(k->e, k->chat.id, skein_text(parent), caller, skein_text(call),
                             k->mem, &lane, &k->err));
    return lane;
}

static skein_message say_in(kit *k, skein_str lane, const skein_new_message *m)
{
    skein_append_request r = {
        .conversation = k->chat.id, .lane = lane, .messages = m, .count = 1};
    skein_messages out;

    KIT_OK(k, skein_append(k->e, &r, k->mem, &out, &k->err));
    return out.at[0];
}

static skein_message work_in(kit *k, skein_str lane, const char *text)
{
    return say_in(k, lane,
                  &(skein_new_message){.role = SKEIN_ASSISTANT,
                                       .sender = skein_text("bo"),
                                       .content = skein_text(text)});
}

static skein_message call_in(kit *k, skein_str lane, const char *const *call_ids, size_t count)
{
    skein_tool_call   calls[4];
    skein_new_message m = {.role = SKEIN_ASSISTANT,
                           .sender = skein_text("ada"),
                           .calls = calls,
                           .call_count = count,
                           .created_at = 1000};

    for (size_t i = 0; i < count; i++)
        calls[i] = (skein_tool_call){skein_text(call_ids[i]), skein_text("delegate"),
                                     skein_text("{}")};
    return say_in(k, lane, &m);
}

/* Calls and the lanes under them, lane by lane: "main[c1>main.1 c2>] main.1[…]". */
static const char *shape(kit *k)
{
    static char      out[600];
    skein_timelines *set;
    size_t           n = 0;

    KIT_OK(k, skein_timeline_read(k->e, k->chat.id, 0, &set, &k->err));
    out[0] = '\0';
    for (size_t i = 0; i < skein_timelines_count(set); i++) {
        const skein_timeline *t = skein_timelines_at(set, i);

        KIT_OK(k, skein_timeline_check(t, &k->err));
        n += (size_t)snprintf(out + n, sizeof out - n, "%s%s[", i ? " " : "",
                              skein_timeline_lane(t).p);
        for (size_t j = 0; j < skein_timeline_item_count(t); j++) {
            skein_timeline_item item = skein_timeline_item_at(t, j);

            n += (size_t)snprintf(out + n, sizeof out - n, "%s", j ? " " : "");
            if (item.kind == SKEIN_ITEM_TOOL_EXECUTION)
                n += (size_t)snprintf(out + n, sizeof out - n, "%s>%s", item.record.call_id.p,
                                      item.delegation.p ? item.delegation.p : "");
            else
                n += (size_t)snprintf(out + n, sizeof out - n, "%s", item.text.p);
        }
        n += (size_t)snprintf(out + n, sizeof out - n, "]");
        assert_true(n < sizeof out);
    }
    skein_timelines_free(set);
    return out;
}

static void each_lane_hangs_on_its_own_call(void **state)
{
    static const char *const both[] = {"a", "b"}, *const inner[] = {"a"};
    kit           k;
    skein_message m;
    skein_lane    of_a, of_b, of_inner;

    kit_open(&k, state);
    m = call_in(&k, skein_text("main"), both, 2); /* in one instant */
    of_b = delegate(&k, "main", m.id, "b");       /* the second call's delegate comes first */
    of_a = delegate(&k, "main", m.id, "a");
    assert_string_equal(of_b.key.p, "main.1");
    work_in(&k, of_a.key, "for-a");
    work_in(&k, of_b.key, "for-b");
    assert_string_equal(shape(&k), "main[a>main.2 b>main.1] main.1[for-b] main.2[for-a]");

    m = call_in(&k, of_b.key, inner, 1); /* the same call id, one level down */
    of_inner = delegate(&k, of_b.key.p, m.id, "a");
    assert_string_equal(of_inner.key.p, "main.1.1");
    assert_string_equal(shape(&k),
                        "main[a>main.2 b>main.1] main.1[for-b a>main.1.1] "
                        "main.2[for-a] main.1.1[]"); /* one that says nothing is empty */
    kit_close(&k);
}

static void a_call_id_used_again_gets_its_own_lane(void **state)
{
    static const char *const id[] = {"x"};
    kit                      k;
    skein_message            first, second;
    skein_version            v;

    kit_open(&k, state);
    first = call_in(&k, skein_text("main"), id, 1);
    kit_result(&k, "x");
    second = call_in(&k, skein_text("main"), id, 1);
    delegate(&k, "main", second.id, "x");
    delegate(&k, "main", first.id, "x");
    assert_string_equal(shape(&k), "main[x>main.2 x>main.1] main.1[] main.2[]");
    KIT_OK(&k,
           skein_amend(k.e, &k.how, second.id, skein_text("said"), k.mem, &v, NULL, &k.err));
    assert_string_equal(shape(&k), "main[x>main.2 said x>main.1] main.1[] main.2[]");
    kit_close(&k);
}

static void a_lane_whose_call_is_gone_hangs_on_no_other(void **state)
{
    static const char *const id[] = {"x"};
    kit                      k;
    skein_message            first, call;
    skein_removal            r;
    skein_move               move;
    skein_version            v;

    kit_open(&k, state);
    first = say(&k, "first");
    call = call_in(&k, skein_text("main"), id, 1);
    delegate(&k, "main", call.id, "x");
    work_in(&k, skein_text("main.1"), "work");
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){&call.id, 1}, k.mem, &v, &k.err));
    call_in(&k, skein_text("main"), id, 1);
    assert_string_equal(shape(&k), "main[first x>] main.1[work]");

    KIT_OK(&k, skein_undo(k.e, &k.how, 1, k.mem, &move, &k.err));
    KIT_OK(&k, skein_remove_from(k.e, &k.how, first.id, true, k.mem, &r, &k.err));
    assert_int_equal(r.delegations, 1);
    call_in(&k, skein_text("main"), id, 1);
    assert_string_equal(shape(&k), "main[x>] main.1[]");
    assert_string_equal(kit_texts(&k, "main.1", 1), "work");
    kit_close(&k);
}

static void a_branch_takes_its_delegations_along(void **state)
{
    static const char *const id[] = {"x"};
    kit                      k;
    skein_lane               lane;
    skein_lanes              lanes;
    skein_conversation       branch;
    bool                     found = false;

    kit_open(&k, state);
    lane = delegate(&k, "main", call_in(&k, skein_text("main"), id, 1).id, "x");
    work_in(&k, lane.key, "work");
    KIT_OK(&k, skein_lane_finish(k.e, lane.id, SKEIN_LANE_DONE, &k.err));
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, skein_text("side"), k.mem, &branch, &k.err));
    k.chat = branch;
    assert_string_equal(shape(&k), "main[x>main.1] main.1[work]");
    KIT_OK(&k, skein_lane_list(k.e, branch.id, k.mem, &lanes, &k.err));
    for (size_t i = 0; i < lanes.count; i++)
        if (strcmp(lanes.at[i].key.p, "main.1") == 0) {
            found = true;
            assert_int_equal(lanes.at[i].state, SKEIN_LANE_DONE);
        }
    assert_true(found);
    assert_string_equal(delegate(&k, "main", (skein_message_id){0}, "y").key.p, "main.2");
    kit_close(&k);
}

enum { DEEP = 2000 };

static void delegations_nest_as_deep_as_they_like(void **state)
{
    kit                   k;
    skein_str             key = skein_text("main");
    skein_timelines      *set;
    skein_str             json;
    const skein_timeline *t;
    size_t                depth = 0;

    kit_open(&k, state);
    for (int i = 0; i < DEEP; i++)
        key = delegate(&k, key.p, (skein_message_id){0}, "down").key;
    work_in(&k, key, "bottom");
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &set, &k.err));
    assert_int_equal(skein_timelines_count(set), DEEP + 1);
    t = skein_timelines_get(set, key);
    assert_non_null(t);
    assert_int_equal(skein_timeline_item_count(t), 1);
    for (; skein_timeline_parent(t); t = skein_timeline_parent(t))
        depth++;
    assert_int_equal(depth, DEEP);
    KIT_OK(&k, skein_timelines_json(set, k.mem, &json, &k.err));
    assert_non_null(strstr(json.p, "bottom"));
    skein_timelines_free(set);
    kit_close(&k);
}

/* --- 22: reply chains -------------------------------------------------------------------------------- */

static skein_message reply_as(kit *k, const char *uid, skein_str to)
{
    skein_messages    out;
    skein_new_message m = {.uid = skein_text(uid),
                           .role = SKEIN_USER,
                           .content = skein_text("text"),
                           .reply_to = to};

    KIT_OK(k, kit_append(k, &m, 1, &out));
    return out.at[0];
}

static size_t levels_above(kit *k, skein_message_id of)
{
    skein_messages up;

    KIT_OK(k, skein_reply_ancestors(k->e, k->chat.id, 0, of, k->mem, &up, &k->err));
    return up.count;
}

static void a_chain_has_a_hundred_levels(void **state)
{
    kit              k;
    skein_message    m;
    skein_reply_tree tree;
    skein_stats      stats;

    kit_open(&k, state);
    m = reply_as(&k, NULL, (skein_str){0});
    for (int level = 2; level <= 100; level++) {
        m = reply_as(&k, NULL, m.uid);
        assert_int_equal(m.reply_depth, level - 1);
        assert_null(m.warning.p);
    }
    assert_int_equal(levels_above(&k, m.id), 99);
    m = reply_as(&k, NULL, m.uid);
    assert_null(m.reply_to.p);
    assert_int_equal(m.reply_to_id.v, 0);
    assert_int_equal(m.reply_depth, 0);
    assert_non_null(strstr(m.warning.p, "100 levels"));
    assert_int_equal(levels_above(&k, m.id), 0);
    KIT_OK(&k, skein_reply_tree_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &tree,
                                     &k.err));
    assert_int_equal(tree.count, 101);
    assert_int_equal(tree.depth, 100);
    KIT_OK(&k,
           skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &stats, &k.err));
    assert_int_equal(stats.depth, 100);
    assert_int_equal(stats.roots, 2);
    kit_close(&k);
}

static void a_message_does_not_reply_to_itself(void **state)
{
    kit           k;
    skein_message m;

    kit_open(&k, state);
    m = reply_as(&k, "self", skein_text("self"));
    assert_null(m.reply_to.p);
    assert_non_null(strstr(m.warning.p, "itself"));
    assert_int_equal(levels_above(&k, m.id), 0);
    kit_close(&k);
}

static void an_unknown_parent_is_kept_and_never_filled_in(void **state)
{
    kit                 k;
    skein_message       m, found;
    skein_message_facts facts;

    kit_open(&k, state);
    m = reply_as(&k, "child", skein_text("parent"));
    assert_string_equal(m.reply_to.p, "parent");
    assert_int_equal(m.reply_to_id.v, 0);
    assert_non_null(strstr(m.warning.p, "not known"));
    reply_as(&k, "parent", (skein_str){0});
    KIT_OK(&k,
           skein_message_find(k.e, k.chat.id, 0, skein_text("child"), k.mem, &found, &k.err));
    assert_int_equal(found.reply_to_id.v, 0);
    KIT_OK(&k, skein_message_explain(k.e, k.chat.id, 0, &(skein_messages){&found, 1}, k.mem,
                                     &facts, &k.err));
    assert_null(facts.shown_reply.p);
    kit_close(&k);
}

/* A claims C before there is one; B replies to A; C to B. The claim of A stays a claim, so the link of C is sound. */
static void a_dangling_link_is_never_resolved_later(void **state)
{
    kit              k;
    skein_message    m;
    skein_reply_tree tree;

    kit_open(&k, state);
    reply_as(&k, "a", skein_text("c"));
    m = reply_as(&k, "b", skein_text("a"));
    assert_null(m.warning.p);
    m = reply_as(&k, "c", skein_text("b"));
    assert_string_equal(m.reply_to.p, "b");
    assert_int_equal(m.reply_depth, 2);
    assert_null(m.warning.p);
    KIT_OK(&k, skein_reply_tree_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &tree,
                                     &k.err));
    assert_int_equal(tree.count, 3);
    assert_int_equal(tree.depth, 3);
    kit_close(&k);
}

/* A store that was written by somebody else may hold a loop all the same: an edit of the first message
 * that replies to the second, which replies to the first. */
static void walks_end_on_a_loop_in_the_store(void **state)
{
    kit              k;
    skein_message    one, two, edited;
    skein_version    v;
    skein_reply_tree tree;
    skein_stats      stats;
    skein_messages   out;
    char             sql[120];

    kit_open(&k, state);
    one = say(&k, "one");
    two = kit_reply(&k, "ada", "two", one.uid);
    KIT_OK(&k, skein_amend(k.e, &k.how, one.id, skein_text("uno"), k.mem, &v, &edited, &k.err));
    snprintf(sql, sizeof sql, "UPDATE messages SET reply_to_id = %lld WHERE id = %lld",
             (long long)two.id.v, (long long)edited.id.v);
    skn_fixture_sql(k.fx, sql);
    KIT_OK(&k, skein_reply_tree_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &tree,
                                     &k.err));
    assert_int_equal(tree.count, 2);
    KIT_OK(&k, skein_reply_tree_read(k.e, k.chat.id, 0, two.id, k.mem, &tree, &k.err));
    assert_in_range(tree.count, 1, 2);
    KIT_OK(&k,
           skein_stats_read(k.e, k.chat.id, 0, (skein_message_id){0}, k.mem, &stats, &k.err));
    assert_int_equal(stats.messages, 2);
    assert_in_range(levels_above(&k, two.id), 0, 1);
    assert_in_range(levels_above(&k, edited.id), 0, 1);
    KIT_OK(&k, skein_reply_children(k.e, k.chat.id, 0, two.id, k.mem, &out, &k.err));
    KIT_OK(&k, skein_reply_siblings(k.e, k.chat.id, 0, two.id, k.mem, &out, &k.err));
    snprintf(sql, sizeof sql, "UPDATE messages SET reply_to_id = NULL WHERE id = %lld",
             (long long)edited.id.v);
    skn_fixture_sql(k.fx, sql); /* mended, so that the check at the end finds nothing else */
    kit_close(&k);
}

/* --- 23: first use ------------------------------------------------------------------------------------- */

enum { USERS = 8 };

typedef struct user {
    skein_engine      *e;
    skein_agent_id     agent;
    pthread_barrier_t *start;
    int64_t            conversation, thread;
    skein_rc           rc;
} user;

static void *use_first(void *arg)
{
    user              *u = arg;
    skein_mem         *mem = skein_mem_new();
    skein_error        err;
    skein_conversation c;

    pthread_barrier_wait(u->start);
    u->rc = skein_conversation_of(u->e, u->agent, SKEIN_FOREGROUND, mem, &c, &err);
    if (u->rc == SKEIN_OK) {
        u->conversation = c.id.v;
        u->thread = c.thread.v;
    }
    skein_mem_free(mem);
    return NULL;
}

static int64_t of_agent(kit *k, const char *what)
{
    char sql[300];

    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM %s WHERE conversation_id IN "
             "(SELECT id FROM conversations WHERE mode = 'foreground')",
             what);
    return skn_fixture_number(k->fx, sql);
}

/* Half of them through another engine on the same store. */
static void a_first_use_by_many_makes_one_conversation(void **state)
{
    kit               k;
    skein_options     options = SKEIN_OPTIONS_INIT;
    skein_engine     *other;
    pthread_barrier_t start;
    pthread_t         threads[USERS];
    user              users[USERS];

    kit_open(&k, state);
    options.store = skein_text(k.fx->address);
    KIT_OK(&k, skein_open(&other, &options, &k.err));
    pthread_barrier_init(&start, NULL, USERS);
    for (int i = 0; i < USERS; i++) {
        users[i] = (user){.e = i % 2 ? other : k.e, .agent = k.agent[0].id, .start = &start};
        assert_int_equal(pthread_create(&threads[i], NULL, use_first, &users[i]), 0);
    }
    for (int i = 0; i < USERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    for (int i = 0; i < USERS; i++) {
        assert_int_equal(users[i].rc, SKEIN_OK);
        assert_int_equal(users[i].conversation, users[0].conversation);
        assert_int_equal(users[i].thread, users[0].thread);
    }
    assert_int_equal(skn_fixture_number(
                         k.fx, "SELECT count(*) FROM conversations WHERE mode = 'foreground'"),
                     1);
    assert_int_equal(of_agent(&k, "lanes"), 1);
    assert_int_equal(of_agent(&k, "versions"), 1);
    assert_int_equal(of_agent(&k, "threads t JOIN lanes l ON l.id = t.lane_id"), 1);
    skein_close(other);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(each_lane_hangs_on_its_own_call),
        SKN_BOTH(a_call_id_used_again_gets_its_own_lane),
        SKN_BOTH(a_lane_whose_call_is_gone_hangs_on_no_other),
        SKN_BOTH(a_branch_takes_its_delegations_along),
        SKN_BOTH(delegations_nest_as_deep_as_they_like),
        SKN_BOTH(a_chain_has_a_hundred_levels),
        SKN_BOTH(a_message_does_not_reply_to_itself),
        SKN_BOTH(an_unknown_parent_is_kept_and_never_filled_in),
        SKN_BOTH(a_dangling_link_is_never_resolved_later),
        SKN_BOTH(walks_end_on_a_loop_in_the_store),
        SKN_BOTH(a_first_use_by_many_makes_one_conversation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
