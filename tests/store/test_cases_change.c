/* test_cases_change.c: changing what was said: the cases of docs/model.md. */
#include "store/kit.h"

#include "engine/core.h"

static skein_message say(kit *k, const char *text)
{
    return kit_say(k, SKEIN_USER, "human", text);
}

static skein_version amend(kit *k, skein_message_id id, const char *text)
{
    skein_version v;

    KIT_OK(k, skein_amend(k->e, &k->how, id, skein_text(text), k->mem, &v, NULL, &k->err));
    return v;
}

static skein_rc delete_one(kit *k, skein_message_id id)
{
    skein_version v;

    return skein_delete(k->e, &k->how, (skein_message_ids){&id, 1}, k->mem, &v, &k->err);
}

static skein_rc squash(kit *k, const skein_message_id *ids, size_t count, skein_squash *out)
{
    skein_squash_spec spec = {.sources = {ids, count}, .content = skein_text("short")};

    return skein_squash_messages(k->e, &k->how, &spec, k->mem, out, &k->err);
}

static void undo(kit *k)
{
    skein_move move;

    KIT_OK(k, skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err));
}

static void go_to(kit *k, int64_t version)
{
    skein_move move;

    KIT_OK(k, skein_switch(k->e, &k->how, version, k->mem, &move, &k->err));
}

/* --- 9 and 10: threads that share structure ------------------------------------------------------ */

static void an_append_leaves_what_was_derived_alone(void **state)
{
    kit                k;
    skein_message      two;
    skein_conversation branch;
    skein_messages     first;
    skein_at           before, at;

    kit_open(&k, state);
    say(&k, "one");
    two = say(&k, "two");
    say(&k, "three");
    before = kit_at(&k);
    amend(&k, two.id, "zwei");
    KIT_OK(&k, skein_branch(k.e, &k.how, 1, 2, skein_text("side"), k.mem, &branch, &k.err));
    undo(&k);
    say(&k, "four");
    assert_string_equal(kit_texts(&k, "main", 1), "one two three four");
    assert_string_equal(kit_texts(&k, "main", 2), "one zwei three");
    go_to(&k, 2);
    say(&k, "five");
    assert_string_equal(kit_texts(&k, "main", 1), "one two three four");
    assert_string_equal(kit_texts(&k, "@bo", 1), "one two three four");
    assert_string_equal(kit_texts(&k, "main", 2), "one zwei three five");
    assert_string_equal(kit_texts(&k, "@bo", 2), "one zwei three five");

    /* The state before the append has a name of its own, and that still reads the same. */
    KIT_OK(&k, skein_read(k.e,
                          &(skein_slice){
                              .conversation = k.chat.id, .version = 1, .count = before.length},
                          k.mem, &first, &at, &k.err));
    assert_int_equal(at.thread.v, before.thread.v);
    assert_int_equal(first.count, 3);
    assert_string_equal(first.at[1].content.p, "two");
    assert_string_equal(first.at[2].content.p, "three");
    k.how.conversation = branch.id;
    assert_string_equal(kit_texts(&k, "main", 0), "one two");
    kit_close(&k);
}

enum { MANY = 20000, EDITS = 300, STEP = 50 };

static void say_many(kit *k, skein_message_id *ids)
{
    static skein_new_message batch[MANY / 4];
    skein_mem               *mem = skein_mem_new(), *own = k->mem;
    skein_messages           out;

    k->mem = mem;
    for (size_t i = 0; i < MANY / 4; i++)
        batch[i] = (skein_new_message){
            .role = SKEIN_USER, .content = skein_text("word"), .heard_by_given = true};
    for (size_t i = 0; i < MANY; i += MANY / 4) {
        KIT_OK(k, kit_append(k, batch, MANY / 4, &out));
        for (size_t n = 0; n < out.count; n++)
            ids[i + n] = out.at[n].id;
        skein_mem_reset(mem);
    }
    k->mem = own;
    skein_mem_free(mem);
}

static void an_edit_costs_the_same_at_any_place_and_for_ever(void **state)
{
    static skein_message_id ids[MANY];
    kit                     k;
    int64_t                 nodes, items, bytes[EDITS / STEP + 1];

    kit_open(&k, state);
    say_many(&k, ids);
    nodes = skn_fixture_number(k.fx, "SELECT count(*) FROM nodes");
    items = skn_fixture_number(k.fx, "SELECT count(*) FROM items");
    amend(&k, ids[0], "erstes");
    nodes = skn_fixture_number(k.fx, "SELECT count(*) FROM nodes") - nodes;
    assert_in_range(nodes, 1, 3);
    assert_int_equal(skn_fixture_number(k.fx, "SELECT count(*) FROM items"), items + 1);
    assert_int_equal(kit_at(&k).length, MANY);

    for (int i = 0; i <= EDITS; i++) {
        if (i % STEP == 0)
            bytes[i / STEP] = skn_fixture_number(k.fx,
                                                 "SELECT sum(length(entries)) FROM nodes");
        if (i < EDITS) /* at places far from each other, each on the version before */
            amend(&k, ids[1 + i * 7919 % (MANY - 1)], "again");
    }
    /* A list copied by every edit would be written four times as fast at the end as early on. */
    assert_true(bytes[EDITS / STEP] - bytes[EDITS / STEP - 1] < 2 * (bytes[2] - bytes[1]));
    assert_true(bytes[EDITS / STEP] < 4096 * EDITS);
    kit_close(&k);
}

/* --- 11 and 12: squashing and deleting ------------------------------------------------------------ */

static void a_squash_of_what_changed_meanwhile_is_refused(void **state)
{
    kit              k;
    skein_message_id ids[3];
    skein_squash     out;
    const char      *before;

    kit_open(&k, state);
    ids[0] = say(&k, "one").id;
    say(&k, "between");
    ids[1] = say(&k, "two").id;
    ids[2] = say(&k, "three").id;

    amend(&k, ids[1], "zwei"); /* while the text of the squash was being written */
    before = kit_state(&k);
    assert_int_equal(squash(&k, ids, 3, &out), SKEIN_CONFLICT);
    assert_int_equal(k.err.rc, SKEIN_CONFLICT);
    assert_string_equal(kit_state(&k), before);

    undo(&k);
    KIT_OK(&k, delete_one(&k, ids[2]));
    before = kit_state(&k);
    assert_int_equal(squash(&k, ids, 3, &out), SKEIN_CONFLICT);
    assert_string_equal(kit_state(&k), before);

    undo(&k);
    KIT_OK(&k, squash(&k, ids, 3, &out));
    assert_string_equal(kit_texts(&k, "main", 0), "short between");
    kit_close(&k);
}

static void a_call_goes_with_its_result(void **state)
{
    kit           k;
    skein_message call, result;

    kit_open(&k, state);
    say(&k, "ask");
    call = kit_call(&k, "ada", "c1");
    result = kit_result(&k, "c1");
    say(&k, "then");
    KIT_OK(&k, delete_one(&k, call.id));
    assert_string_equal(kit_texts(&k, "main", 0), "ask then");
    assert_string_equal(kit_texts(&k, "@ada", 0), "ask then");
    kit_valid(&k);
    undo(&k);
    KIT_OK(&k, delete_one(&k, result.id));
    assert_string_equal(kit_texts(&k, "main", 0), "ask then");
    kit_valid(&k);
    kit_close(&k);
}

static void pairs_are_closed_to_the_end(void **state)
{
    kit               k;
    skein_message_id  ids[2];
    skein_squash      out;
    skein_messages    stored;
    skein_tool_call   calls[2] = {{skein_text("a"), skein_text("t"), skein_text("{}")},
                                  {skein_text("b"), skein_text("t"), skein_text("{}")}};
    skein_new_message m = {.role = SKEIN_ASSISTANT,
                           .sender = skein_text("ada"),
                           .content = skein_text("both"),
                           .calls = calls,
                           .call_count = 2};

    kit_open(&k, state);
    ids[0] = say(&k, "ask").id;
    KIT_OK(&k, kit_append(&k, &m, 1, &stored));
    kit_result(&k, "a");
    say(&k, "aside");
    ids[1] = kit_result(&k, "b").id; /* leads to the call, and that to the other result */
    KIT_OK(&k, squash(&k, ids, 2, &out));
    assert_int_equal(out.source_count, 4);
    assert_string_equal(out.sources[1].p, stored.at[0].uid.p);
    assert_string_equal(kit_texts(&k, "main", 0), "short aside");
    kit_valid(&k);
    kit_close(&k);
}

static void a_pair_in_a_delegation_goes_together(void **state)
{
    kit               k;
    skein_lane        lane;
    skein_messages    out;
    skein_tool_call   call = {skein_text("in"), skein_text("t"), skein_text("{}")};
    skein_new_message m[3] = {
        {.role = SKEIN_ASSISTANT,
         .sender = skein_text("bo"),
         .content = skein_text("calling"),
         .calls = &call,
         .call_count = 1},
        {.role = SKEIN_TOOL, .content = skein_text("found"), .tool_call_id = skein_text("in")},
        {.role = SKEIN_ASSISTANT, .sender = skein_text("bo"), .content = skein_text("done")}};
    skein_append_request r = {.messages = m, .count = 3};

    kit_open(&k, state);
    kit_call(&k, "ada", "c1");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main"), (skein_message_id){0},
                              skein_text("c1"), k.mem, &lane, &k.err));
    r.conversation = k.chat.id;
    r.lane = lane.key;
    KIT_OK(&k, skein_append(k.e, &r, k.mem, &out, &k.err));
    KIT_OK(&k, delete_one(&k, out.at[1].id));
    assert_string_equal(kit_texts(&k, "main.1", 0), "done");
    assert_string_equal(kit_texts(&k, "main", 0), "calling");
    kit_close(&k);
}

/* A call with its result and what was made of it, in one lane only. */
static skein_messages say_in_lane(kit *k, const char *lane, const char *sender)
{
    skein_messages    out;
    skein_tool_call   call = {skein_text("in"), skein_text("t"), skein_text("{}")};
    skein_new_message m[3] = {
        {.role = SKEIN_ASSISTANT,
         .sender = skein_text(sender),
         .content = skein_text("calling"),
         .calls = &call,
         .call_count = 1},
        {.role = SKEIN_TOOL, .content = skein_text("found"), .tool_call_id = skein_text("in")},
        {.role = SKEIN_ASSISTANT, .sender = skein_text(sender), .content = skein_text("done")}};
    skein_append_request r = {
        .conversation = k->chat.id, .lane = skein_text(lane), .messages = m, .count = 3};

    KIT_OK(k, skein_append(k->e, &r, k->mem, &out, &k->err));
    return out;
}

static void a_pair_in_an_agents_own_lane_goes_together(void **state)
{
    kit              k;
    skein_messages   own;
    skein_message_id ids[2];
    skein_squash     out;

    kit_open(&k, state);
    say(&k, "ask");
    own = say_in_lane(&k, "@ada", "ada");
    assert_string_equal(kit_texts(&k, "main", 0), "ask");
    KIT_OK(&k, delete_one(&k, own.at[1].id));
    assert_string_equal(kit_texts(&k, "@ada", 0), "ask done");
    undo(&k);
    KIT_OK(&k, delete_one(&k, own.at[0].id));
    assert_string_equal(kit_texts(&k, "@ada", 0), "ask done");
    kit_valid(&k);
    undo(&k);
    ids[0] = own.at[2].id;
    ids[1] = own.at[1].id;
    KIT_OK(&k, squash(&k, ids, 2, &out));
    assert_int_equal(out.source_count, 3);
    assert_string_equal(kit_texts(&k, "@ada", 0), "ask short");
    kit_check(&k);
    kit_close(&k);
}

static void sources_are_in_the_order_of_the_lane_that_holds_them(void **state)
{
    kit              k;
    skein_lane       lane;
    skein_messages   in;
    skein_message    edited, later;
    skein_version    v;
    skein_squash     out;
    skein_message_id ids[3];

    kit_open(&k, state);
    kit_call(&k, "ada", "c1");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, skein_text("main"), (skein_message_id){0},
                              skein_text("c1"), k.mem, &lane, &k.err));
    in = say_in_lane(&k, "main.1", "bo");
    later = say(&k, "in main");
    KIT_OK(&k, skein_amend(k.e, &k.how, in.at[0].id, skein_text("first"), k.mem, &v, &edited,
                           &k.err));
    assert_string_equal(kit_texts(&k, "main.1", 0), "first found done");
    ids[0] = in.at[2].id;
    ids[1] = edited.id;
    ids[2] = later.id;
    KIT_OK(&k, squash(&k, ids, 3, &out));
    assert_int_equal(out.source_count, 4);
    assert_string_equal(out.sources[0].p, later.uid.p);
    assert_string_equal(out.sources[1].p, edited.uid.p);
    assert_string_equal(out.sources[2].p, in.at[1].uid.p);
    assert_string_equal(out.sources[3].p, in.at[2].uid.p);
    kit_close(&k);
}

static void many_scattered_messages_go_at_once(void **state)
{
    static skein_message_id ids[MANY], gone[MANY / 10], left[MANY];
    kit                     k;
    skein_version           v;
    skein_messages          now;
    skein_at                at;
    skein_message           m;
    size_t                  take = 0, keep = 0;
    uint32_t                dice = 7;

    kit_open(&k, state);
    say_many(&k, ids);
    for (size_t i = 40; i < MANY; i += 997) { /* a tree with several leaves */
        KIT_OK(&k, skein_amend(k.e, &k.how, ids[i], skein_text("new"), k.mem, &v, &m, &k.err));
        ids[i] = m.id;
    }
    for (size_t i = 0; i < MANY; i++) {
        dice = dice * 1664525u + 1013904223u;
        if ((dice >> 16) % 11 == 0 && take < MANY / 10)
            gone[take++] = ids[i];
        else
            left[keep++] = ids[i];
    }
    assert_true(take > MANY / 20);
    KIT_OK(&k, skein_delete(k.e, &k.how, (skein_message_ids){gone, take}, k.mem, &v, &k.err));
    assert_int_equal(v.length, keep);
    KIT_OK(&k, skein_read(k.e, &(skein_slice){.conversation = k.chat.id, .count = MANY}, k.mem,
                          &now, &at, &k.err));
    assert_int_equal(now.count, keep);
    for (size_t i = 0; i < keep; i++)
        assert_int_equal(now.at[i].id.v, left[i].v);
    kit_check(&k);
    kit_close(&k);
}

/* --- 20: a call id that is used again ---------------------------------------------------------------- */

typedef struct waiting {
    kit    *k;
    int64_t open, caller;
} waiting;

static skein_rc ask_open(skn_tx *tx, void *arg, skein_error *err)
{
    waiting             *w = arg;
    skn_conversation_row row;
    skn_lane_row         lane;
    skn_thread           t;
    skn_trees            f;
    skn_ids              kin;
    bool                 found;
    skein_rc             rc;

    skn_trees_init(&f, tx, w->k->mem, w->k->how.conversation.v);
    if ((rc = skn_conversation_need(tx, w->k->how.conversation, w->k->mem, &row, err)) ||
        (rc = skn_lane_need(tx, &row, SKN_MAIN, w->k->mem, &lane, err)) ||
        (rc = skn_conversation_kin(tx, &row, w->k->mem, &kin, err)) ||
        (rc = skn_thread_load(&f, row.version_id, lane.id, &t, &found, err)))
        return rc;
    return skn_open_calls(&f, &t, &kin, SKN_STR("call_1"), &w->open, &w->caller, err);
}

/* What the engine finds from the newest half on is what reading the thread from its start finds. */
static skein_messages compare_open(kit *k)
{
    waiting        w = {.k = k};
    skein_messages all;
    skein_at       at;
    int64_t        open[500], last = 0;
    size_t         n = 0;

    KIT_OK(k,
           skein_read(k->e, &(skein_slice){.conversation = k->how.conversation, .count = 500},
                      k->mem, &all, &at, &k->err));
    for (size_t i = 0; i < all.count; i++) {
        if (all.at[i].call_count)
            open[n++] = last = all.at[i].id.v;
        else if (all.at[i].role == SKEIN_TOOL && n > 0)
            n--;
    }
    KIT_OK(k, skn_store_read(k->fx->store, ask_open, &w, &k->err));
    assert_int_equal(w.open, n > 0);
    assert_int_equal(w.caller, n > 0 ? open[n - 1] : last);
    return all;
}

static void change_somehow(kit *k, skein_messages all, uint32_t dice)
{
    skein_message_id   ids[2] = {all.at[dice % all.count].id, all.at[dice / 7 % all.count].id};
    skein_version      v;
    skein_move         move;
    skein_conversation branch;

    switch (dice / 64 % 10) {
    case 0:
    case 1:
        amend(k, ids[0], "edited");
        break;
    case 2:
    case 3:
        if (ids[0].v != ids[1].v && /* before its own other half nothing is moved */
            skein_reorder(k->e, &k->how, (skein_message_ids){ids, 1}, ids[1], k->mem, &v,
                          &k->err))
            assert_non_null(strstr(k->err.message, "before itself"));
        break;
    case 4:
        (void)delete_one(k, ids[0]);
        break;
    case 5:
        (void)skein_undo(k->e, &k->how, 1, k->mem, &move, &k->err);
        break;
    case 6:
        KIT_OK(k, skein_branch(k->e, &k->how, 0, (int64_t)(dice % all.count) + 1,
                               skein_text("side"), k->mem, &branch, &k->err));
        if (dice / 1024 % 2)
            k->how.conversation = branch.id;
        break;
    default:
        break;
    }
}

static void say_half(kit *k, bool call)
{
    skein_messages       out;
    skein_tool_call      c = {skein_text("call_1"), skein_text("t"), skein_text("{}")};
    skein_new_message    m = {.role = call ? SKEIN_ASSISTANT : SKEIN_TOOL,
                              .content = skein_text(call ? "calling" : "found"),
                              .sender = skein_text(call ? "ada" : "tool"),
                              .calls = &c,
                              .call_count = call,
                              .tool_call_id = call ? (skein_str){0} : skein_text("call_1")};
    skein_append_request r = {
        .conversation = k->how.conversation, .messages = &m, .count = 1, .import = true};

    KIT_OK(k, skein_append(k->e, &r, k->mem, &out, &k->err));
}

static void the_open_call_is_found_in_any_history(void **state)
{
    kit            k;
    skein_messages all;
    uint32_t       dice = 20;

    kit_open(&k, state);
    for (int round = 0; round < 8; round++) {
        k.how.conversation = k.chat.id;
        for (int i = 0; i < 40; i++) {
            dice = dice * 1664525u + 1013904223u;
            say_half(&k, (dice >> 28) < 8);
            all = compare_open(&k);
            if (all.count)
                change_somehow(&k, all, dice >> 8);
            compare_open(&k);
        }
    }
    kit_close(&k);
}

/* --- 13: replies to what was changed --------------------------------------------------------------- */

static const char *shown_parent(kit *k, skein_message reply)
{
    skein_messages      one = {&reply, 1};
    skein_message_facts facts;

    KIT_OK(k, skein_message_explain(k->e, k->chat.id, 0, &one, k->mem, &facts, &k->err));
    return facts.shown_reply.p ? facts.shown_reply.p : "";
}

static const skein_reply_node *node_of(kit *k, const char *uid, skein_reply_tree *tree)
{
    KIT_OK(k, skein_reply_tree_read(k->e, k->chat.id, 0, (skein_message_id){0}, k->mem, tree,
                                    &k->err));
    for (size_t i = 0; i < tree->count; i++)
        if (strcmp(tree->at[i].message.uid.p, uid) == 0)
            return &tree->at[i];
    fail_msg("message %s is not in the tree", uid);
    return NULL;
}

/* The reply stands under `parent`, which counts as answered, in every view of replies. */
static void assert_answers(kit *k, skein_message reply, const char *parent)
{
    skein_reply_tree        tree;
    skein_messages          up, down;
    const skein_reply_node *node = node_of(k, reply.uid.p, &tree), *above;

    assert_string_equal(shown_parent(k, reply), parent);
    assert_true(node->parent >= 0);
    above = &tree.at[node->parent];
    assert_string_equal(above->message.uid.p, parent);
    assert_int_equal(above->replies, 1);
    assert_false(above->unanswered);
    KIT_OK(k, skein_reply_ancestors(k->e, k->chat.id, 0, reply.id, k->mem, &up, &k->err));
    assert_int_equal(up.count, 1);
    assert_string_equal(up.at[0].uid.p, parent);
    KIT_OK(k, skein_reply_children(k->e, k->chat.id, 0, above->message.id, k->mem, &down,
                                   &k->err));
    assert_int_equal(down.count, 1);
    assert_int_equal(down.at[0].id.v, reply.id.v);
}

static void a_reply_follows_what_became_of_its_parent(void **state)
{
    kit              k;
    skein_message    question, other, answer, edited;
    skein_version    v;
    skein_squash     out;
    skein_reply_tree tree;
    skein_message_id ids[2];

    kit_open(&k, state);
    question = say(&k, "question");
    other = say(&k, "other");
    answer = kit_reply(&k, "ada", "answer", question.uid);
    assert_answers(&k, answer, question.uid.p);

    KIT_OK(&k, skein_amend(k.e, &k.how, question.id, skein_text("better"), k.mem, &v, &edited,
                           &k.err));
    assert_answers(&k, answer, edited.uid.p);

    ids[0] = edited.id;
    ids[1] = other.id;
    KIT_OK(&k, squash(&k, ids, 2, &out));
    assert_answers(&k, answer, out.result.uid.p);

    KIT_OK(&k, delete_one(&k, out.result.id)); /* nothing is left to show it under */
    assert_string_equal(shown_parent(&k, answer), "");
    assert_int_equal(node_of(&k, answer.uid.p, &tree)->parent, -1);
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(an_append_leaves_what_was_derived_alone),
        SKN_BOTH(an_edit_costs_the_same_at_any_place_and_for_ever),
        SKN_BOTH(a_squash_of_what_changed_meanwhile_is_refused),
        SKN_BOTH(a_call_goes_with_its_result),
        SKN_BOTH(pairs_are_closed_to_the_end),
        SKN_BOTH(a_pair_in_a_delegation_goes_together),
        SKN_BOTH(a_pair_in_an_agents_own_lane_goes_together),
        SKN_BOTH(sources_are_in_the_order_of_the_lane_that_holds_them),
        SKN_BOTH(many_scattered_messages_go_at_once),
        SKN_BOTH(the_open_call_is_found_in_any_history),
        SKN_BOTH(a_reply_follows_what_became_of_its_parent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
