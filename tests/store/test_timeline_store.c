/* Timelines of stored versions: whatever the cache holds, they are what a fold of everything gives. */
#include "store/kit.h"

#include "engine/timeline/timeline.h"

#include <pthread.h>
#include <stdlib.h>

static const char *json(kit *k, skein_engine *e, int64_t version)
{
    skein_timelines *set;
    skein_str        text;

    KIT_OK(k, skein_timeline_read(e, k->how.conversation, version, &set, &k->err));
    for (size_t i = 0; i < skein_timelines_count(set); i++)
        KIT_OK(k, skein_timeline_check(skein_timelines_at(set, i), &k->err));
    KIT_OK(k, skein_timelines_json(set, k->mem, &text, &k->err));
    skein_timelines_free(set);
    return text.p;
}

static skein_engine *another_engine(kit *k)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e;

    options.store = skein_text(k->fx->address);
    KIT_OK(k, skein_open(&e, &options, &k->err));
    return e;
}

/* The same, folded by somebody who has never seen anything. */
static const char *json_from_nothing(kit *k, int64_t version)
{
    skein_engine *e = another_engine(k);
    const char   *text = json(k, e, version);

    skein_close(e);
    return text;
}

static skein_message say_in(kit *k, const char *lane, skein_new_message m)
{
    skein_append_request r = {.conversation = k->how.conversation, .messages = &m, .count = 1};
    skein_messages       out;

    r.lane = skein_text(lane);
    r.import = true; /* results may come for calls that are not there */
    KIT_OK(k, skein_append(k->e, &r, k->mem, &out, &k->err));
    return out.at[0];
}

static skein_message call_in(kit *k, const char *lane, const char *call_id)
{
    skein_tool_call call = {skein_text(call_id), skein_text("delegate"), skein_text("{}")};

    return say_in(k, lane,
                  (skein_new_message){.role = SKEIN_ASSISTANT,
                                      .sender = skein_text("ada"),
                                      .calls = &call,
                                      .call_count = 1});
}

static skein_lane new_lane(kit *k, const char *parent, skein_message_id message,
                           const char *call)
{
    skein_lane lane;

    KIT_OK(k, skein_lane_new(k->e, k->how.conversation, skein_text(parent), message,
                             skein_text(call), k->mem, &lane, &k->err));
    return lane;
}

/* The lane that the calls of a lane show, in order: "main.1 - main.2", "-" for a call without. */
static const char *shown_lanes(kit *k, int64_t version, const char *lane, char out[static 200])
{
    skein_timelines      *set;
    const skein_timeline *t;

    KIT_OK(k, skein_timeline_read(k->e, k->how.conversation, version, &set, &k->err));
    t = skein_timelines_get(set, skein_text(lane));
    assert_non_null(t);
    out[0] = '\0';
    for (size_t i = 0; i < skein_timeline_item_count(t); i++) {
        skein_timeline_item item = skein_timeline_item_at(t, i);
        size_t              n = strlen(out);

        if (item.kind == SKEIN_ITEM_TOOL_EXECUTION)
            snprintf(out + n, 200 - n, "%s%s", n ? " " : "",
                     item.delegation.p ? item.delegation.p : "-");
    }
    skein_timelines_free(set);
    return out;
}

/* --- What is shown ------------------------------------------------------------------------------------ */

static void a_timeline_has_the_room_and_its_delegations_and_no_memories(void **state)
{
    kit                   k;
    skein_timelines      *set;
    const skein_timeline *t;
    skein_message         call;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    call = call_in(&k, "main", "c1");
    new_lane(&k, "main", call.id, "c1");
    say_in(&k, "main.1", (skein_new_message){.role = SKEIN_USER, .content = skein_text("do")});
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &set, &k.err));
    assert_int_equal(skein_timelines_count(set), 2);
    t = skein_timelines_main(set);
    assert_string_equal(skein_timeline_lane(t).p, "main");
    assert_int_equal(skein_timeline_item_count(t), 2);
    t = skein_timelines_get(set, skein_text("main.1"));
    assert_int_equal(skein_timeline_record_count(t), 1);
    assert_ptr_equal(skein_timeline_parent(t), skein_timelines_main(set));
    skein_timelines_free(set);
    assert_int_equal(skein_timeline_read(k.e, k.chat.id, 9, &set, &k.err), SKEIN_NOT_FOUND);
    assert_null(set);
    kit_close(&k);
}

static void each_delegation_hangs_on_its_own_call(void **state)
{
    kit                   k;
    skein_message         call, nested;
    skein_removal         gone;
    skein_timelines      *set;
    const skein_timeline *t;
    char                  out[200];

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    call = kit_call(&k, "ada", "call_1");
    kit_result(&k, "call_1");
    new_lane(&k, "main", call.id, "call_1");
    call = kit_call(&k, "ada", "call_1"); /* the id comes again, within the same second */
    new_lane(&k, "main", call.id, "call_1");
    nested = call_in(&k, "main.1", "inner");
    new_lane(&k, "main.1", nested.id, "inner"); /* and never says a word */
    assert_string_equal(shown_lanes(&k, 0, "main", out), "main.1 main.2");
    assert_string_equal(shown_lanes(&k, 0, "main.1", out), "main.1.1");
    KIT_OK(&k, skein_remove_from(k.e, &k.how, call.id, false, k.mem, &gone, &k.err));
    assert_string_equal(shown_lanes(&k, 0, "main", out), "main.1");
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &set, &k.err));
    t = skein_timelines_get(set, skein_text("main.2")); /* its call is gone: kept, on no call */
    assert_non_null(t);
    t = skein_timelines_get(set, skein_text("main.1.1"));
    assert_non_null(t);
    assert_int_equal(skein_timeline_item_count(t), 0);
    skein_timelines_free(set);
    assert_string_equal(json(&k, k.e, 0), json_from_nothing(&k, 0));
    assert_string_equal(shown_lanes(&k, 1, "main", out), "main.1 main.2");
    kit_close(&k);
}

static void delegations_nest_deeply(void **state)
{
    enum { DEPTH = 120 };
    kit                   k;
    char                  lane[4 * DEPTH] = "main";
    skein_timelines      *set;
    const skein_timeline *t;
    int                   depth = 0;

    kit_open(&k, state);
    for (int i = 0; i < DEPTH; i++) {
        skein_message call = call_in(&k, lane, "again");

        assert_true(strlen(lane) + 3 < sizeof lane);
        memcpy(lane, new_lane(&k, lane, call.id, "again").key.p, strlen(lane) + 3);
    }
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &set, &k.err));
    for (t = skein_timelines_get(set, skein_text(lane)); t; t = skein_timeline_parent(t))
        depth++;
    assert_int_equal(depth, DEPTH + 1);
    skein_timelines_free(set);
    assert_string_equal(json(&k, k.e, 0), json_from_nothing(&k, 0));
    kit_close(&k);
}

static void an_edited_call_keeps_its_delegation(void **state)
{
    kit           k;
    skein_message call, edited;
    skein_version v;
    char          out[200];

    kit_open(&k, state);
    call = kit_call(&k, "ada", "c1");
    new_lane(&k, "main", call.id, "c1");
    KIT_OK(&k,
           skein_amend(k.e, &k.how, call.id, skein_text("asking"), k.mem, &v, &edited, &k.err));
    assert_string_equal(shown_lanes(&k, 0, "main", out), "main.1");
    assert_string_equal(shown_lanes(&k, 1, "main", out), "main.1");
    kit_close(&k);
}

/* --- The cache ---------------------------------------------------------------------------------------- */

static void what_a_caller_does_with_its_timelines_is_its_own_business(void **state)
{
    kit              k;
    skein_timelines *set;
    const char      *before;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    before = json(&k, k.e, 0);
    KIT_OK(&k, skein_timeline_read(k.e, k.chat.id, 0, &set, &k.err));
    KIT_OK(&k, skein_timelines_apply(set,
                                     &(skein_record){.lane = skein_text("main"),
                                                     .type = SKEIN_RECORD_USER_MESSAGE,
                                                     .text = skein_text("not stored")},
                                     &k.err));
    skein_timelines_free(set);
    assert_string_equal(json(&k, k.e, 0), before);
    kit_close(&k);
}

static skein_rc count_records(skein_timelines *set, void *arg, skein_error *err)
{
    (void)err;
    *(size_t *)arg = skein_timeline_record_count(skein_timelines_main(set));
    return SKEIN_OK;
}

static void only_what_is_new_is_read_again(void **state)
{
    kit    k;
    size_t n;

    kit_open(&k, state);
    for (int i = 0; i < 50; i++)
        kit_say(&k, SKEIN_USER, "human", "said");
    KIT_OK(&k, skein_timeline_visit(k.e, k.chat.id, 0, count_records, &n, &k.err));
    assert_int_equal(n, 50);
    skn_fixture_sql(k.fx, "DELETE FROM items WHERE seq < 49"); /* whoever looks, misses them */
    kit_say(&k, SKEIN_USER, "human", "more");
    KIT_OK(&k, skein_timeline_visit(k.e, k.chat.id, 0, count_records, &n, &k.err));
    assert_int_equal(n, 51);
    skein_close(k.e);
    skein_mem_free(k.mem);
}

static void an_erased_text_leaves_the_timelines_of_every_engine(void **state)
{
    kit           k;
    skein_engine *other;
    skein_message m;
    int64_t       erased;

    kit_open(&k, state);
    other = another_engine(&k);
    kit_say(&k, SKEIN_USER, "human", "hi");
    m = kit_say(&k, SKEIN_USER, "human", "my secret");
    assert_non_null(strstr(json(&k, k.e, 0), "my secret"));
    assert_non_null(strstr(json(&k, other, 0), "my secret"));
    KIT_OK(&k, skein_purge(other, &k.how, (skein_message_ids){&m.id, 1}, &erased, &k.err));
    assert_int_equal(erased, 1);
    assert_null(strstr(json(&k, other, 0), "my secret"));
    assert_null(strstr(json(&k, k.e, 0), "my secret"));
    skein_close(other);
    kit_close(&k);
}

static skein_rc refuse(skein_timelines *set, void *arg, skein_error *err)
{
    (void)set;
    (void)arg;
    (void)err;
    return SKEIN_IO;
}

static void who_looks_may_fail_and_the_next_one_sees_the_same(void **state)
{
    kit         k;
    const char *before;

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hi");
    before = json(&k, k.e, 0);
    assert_int_equal(skein_timeline_visit(k.e, k.chat.id, 0, refuse, NULL, &k.err), SKEIN_IO);
    assert_string_equal(json(&k, k.e, 0), before);
    kit_close(&k);
}

/* --- Random histories ----------------------------------------------------------------------------------- */

typedef struct random_history {
    kit     *k;
    uint64_t seed;
    size_t   lanes; /* "main", "main.1", … */
} random_history;

static size_t below(random_history *h, size_t n)
{
    h->seed ^= h->seed << 13;
    h->seed ^= h->seed >> 7;
    h->seed ^= h->seed << 17;
    return (size_t)(h->seed % n);
}

static const char *a_lane(random_history *h, char out[static 24])
{
    size_t n = below(h, h->lanes);

    snprintf(out, 24, n ? "main.%zu" : "main", n);
    return out;
}

/* Few call ids, so that they come again, late, twice and for nothing. */
static void append_something(random_history *h)
{
    char              lane[24], id[24];
    skein_new_message m = {.role = SKEIN_USER, .content = skein_text("said <think>x</think>")};

    a_lane(h, lane);
    snprintf(id, sizeof id, "call_%zu", below(h, 4));
    switch (below(h, 5)) {
    case 0:
        call_in(h->k, lane, id);
        return;
    case 1:
        m = (skein_new_message){.role = SKEIN_TOOL,
                                .content = skein_text("result"),
                                .tool_call_id = skein_text(id)};
        break;
    case 2:
        m.role = SKEIN_ASSISTANT;
        m.sender = skein_text("bo");
        m.thinking = skein_text("hm");
        break;
    case 3:
        if (h->lanes < 6) {
            new_lane(h->k, "main", call_in(h->k, "main", id).id, id);
            h->lanes++;
            return;
        }
        break;
    default:
        break;
    }
    say_in(h->k, lane, m);
}

static void change_something(random_history *h)
{
    kit           *k = h->k;
    skein_slice    what = {.conversation = k->chat.id};
    skein_messages m;
    skein_version  v;
    skein_message  edited;
    skein_move     move;
    skein_versions all;
    skein_message  target;
    skein_rc       rc;

    KIT_OK(k, skein_read(k->e, &what, k->mem, &m, NULL, &k->err));
    if (m.count == 0)
        return;
    target = m.at[below(h, m.count)];
    switch (below(h, 5)) {
    case 0:
        rc = skein_amend(k->e, &k->how, target.id, skein_text("edited"), k->mem, &v, &edited,
                         &k->err);
        break;
    case 1:
        rc = skein_delete(k->e, &k->how, (skein_message_ids){&target.id, 1}, k->mem, &v,
                          &k->err);
        break;
    case 2:
        rc = skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err);
        break;
    case 3:
        rc = skein_redo(k->e, &k->how, 1, k->mem, &move, &k->err);
        break;
    default:
        KIT_OK(k, skein_history(k->e, k->chat.id, k->mem, &all, &k->err));
        rc = skein_switch(k->e, &k->how, (int64_t)below(h, all.count) + 1, k->mem, &move,
                          &k->err);
        break;
    }
    if (rc != SKEIN_OK && rc != SKEIN_NOTHING)
        fail_msg("%s", k->err.message);
}

static void cached_timelines_are_those_of_a_full_fold(void **state)
{
    kit            k;
    random_history h = {.k = &k, .seed = 2685821657736338717u, .lanes = 1};
    skein_versions all;

    kit_open(&k, state);
    for (int step = 0; step < 120; step++) {
        if (below(&h, 4))
            append_something(&h);
        else
            change_something(&h);
        if (below(&h, 3) == 0)
            assert_string_equal(json(&k, k.e, 0), json_from_nothing(&k, 0));
        if (below(&h, 10) == 0) {
            KIT_OK(&k, skein_history(k.e, k.chat.id, k.mem, &all, &k.err));
            (void)json(&k, k.e, (int64_t)below(&h, all.count) + 1); /* stirs the cache */
        }
        if (step % 20 == 19)
            skein_mem_reset(k.mem);
    }
    KIT_OK(&k, skein_history(k.e, k.chat.id, k.mem, &all, &k.err));
    for (size_t v = 1; v <= all.count; v += 4)
        assert_string_equal(json(&k, k.e, (int64_t)v), json_from_nothing(&k, (int64_t)v));
    kit_close(&k);
}

/* --- Several at once ------------------------------------------------------------------------------------ */

typedef struct reader {
    skein_engine         *e;
    skein_conversation_id chat;
    bool                  failed;
} reader;

static void *read_often(void *arg)
{
    reader *r = arg;
    size_t  last = 0;

    for (int i = 0; i < 30 && !r->failed; i++) {
        size_t n = 0;

        r->failed = skein_timeline_visit(r->e, r->chat, 0, count_records, &n, NULL) || n < last;
        last = n;
    }
    return NULL;
}

static void many_may_look_while_somebody_speaks(void **state)
{
    enum { READERS = 4 };
    kit       k;
    pthread_t threads[READERS];
    reader    readers[READERS];

    kit_open(&k, state);
    for (int i = 0; i < READERS; i++) {
        readers[i] = (reader){k.e, k.chat.id, false};
        assert_int_equal(pthread_create(&threads[i], NULL, read_often, &readers[i]), 0);
    }
    for (int i = 0; i < 30; i++)
        kit_say(&k, SKEIN_USER, "human", "said");
    for (int i = 0; i < READERS; i++) {
        pthread_join(threads[i], NULL);
        assert_false(readers[i].failed);
    }
    assert_string_equal(json(&k, k.e, 0), json_from_nothing(&k, 0));
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_timeline_has_the_room_and_its_delegations_and_no_memories),
        SKN_BOTH(each_delegation_hangs_on_its_own_call),
        SKN_BOTH(delegations_nest_deeply),
        SKN_BOTH(an_edited_call_keeps_its_delegation),
        SKN_BOTH(what_a_caller_does_with_its_timelines_is_its_own_business),
        SKN_BOTH(only_what_is_new_is_read_again),
        SKN_BOTH(an_erased_text_leaves_the_timelines_of_every_engine),
        SKN_BOTH(who_looks_may_fail_and_the_next_one_sees_the_same),
        SKN_BOTH(cached_timelines_are_those_of_a_full_fold),
        SKN_BOTH(many_may_look_while_somebody_speaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
