/* What a call returns lives in the skein_mem it was given, and not in what the caller passed in:
 * every argument is overwritten as soon as its call has returned. */
#include "store/kit.h"

#include <stdlib.h>

/* --- Arguments that go away ------------------------------------------------------------------- */

typedef struct passing {
    char  *at[16];
    size_t n;
} passing;

static skein_str pass(passing *p, const char *text)
{
    assert_true(p->n < 16);
    p->at[p->n] = skn_heap_copy(skein_text(text));
    return skein_text(p->at[p->n++]);
}

static void forget(passing *p)
{
    while (p->n > 0) {
        char *text = p->at[--p->n];

        memset(text, '#', strlen(text));
        free(text);
    }
}

static void is(skein_str text, const char *expected)
{
    assert_non_null(text.p);
    assert_string_equal(text.p, expected); /* it ends in NUL as well */
    assert_int_equal(text.n, strlen(expected));
}

/* --- Tests ------------------------------------------------------------------------------------ */

static void a_stored_message_outlives_what_it_was_made_of(void **state)
{
    passing           p = {.n = 0};
    kit               k;
    skein_messages    out;
    skein_message     first;
    skein_tool_call   call;
    skein_instruction tag;
    skein_new_message m;

    kit_open(&k, state);
    first = kit_say(&k, SKEIN_USER, "human", "hello");
    call = (skein_tool_call){pass(&p, "call_1"), pass(&p, "look"), pass(&p, "{}")};
    tag = (skein_instruction){pass(&p, "ResponseExpected"), pass(&p, "bo")};
    m = (skein_new_message){.uid = pass(&p, "m.1"),
                            .role = SKEIN_ASSISTANT,
                            .sender = pass(&p, "ada"),
                            .content = pass(&p, "text"),
                            .thinking = pass(&p, "thought"),
                            .calls = &call,
                            .call_count = 1,
                            .instructions = &tag,
                            .instruction_count = 1,
                            .reply_to = pass(&p, first.uid.p),
                            .model = pass(&p, "model"),
                            .turn_uid = pass(&p, "turn")};
    KIT_OK(&k, kit_append(&k, &m, 1, &out));
    forget(&p);
    is(out.at[0].uid, "m.1");
    is(out.at[0].sender, "ada");
    is(out.at[0].content, "text");
    is(out.at[0].thinking, "thought");
    is(out.at[0].calls[0].call_id, "call_1");
    is(out.at[0].calls[0].tool_name, "look");
    is(out.at[0].calls[0].args, "{}");
    is(out.at[0].instructions[0].type, "ResponseExpected");
    is(out.at[0].instructions[0].target, "bo");
    is(out.at[0].reply_to, first.uid.p);
    is(out.at[0].model, "model");
    is(out.at[0].turn_uid, "turn");
    kit_close(&k);
}

static void a_change_outlives_what_it_was_made_of(void **state)
{
    passing           p = {.n = 0};
    kit               k;
    skein_message     first, made;
    skein_version     v;
    skein_removal     removal;
    skein_new_message m = {.role = SKEIN_USER};

    kit_open(&k, state);
    first = kit_say(&k, SKEIN_USER, "human", "hello");
    k.how.actor = pass(&p, "somebody");
    KIT_OK(&k,
           skein_amend(k.e, &k.how, first.id, pass(&p, "edited"), k.mem, &v, &made, &k.err));
    forget(&p);
    is(v.actor, "somebody");
    is(made.content, "edited");
    k.how.actor = pass(&p, "another");
    m.content = pass(&p, "inserted");
    KIT_OK(&k, skein_insert(k.e, &k.how, made.id, &m, k.mem, &v, &first, &k.err));
    forget(&p);
    is(v.actor, "another");
    is(first.content, "inserted");
    k.how.actor = SKN_NONE;
    KIT_OK(&k, skein_edit(k.e, &k.how, first.id, pass(&p, "revised"), k.mem, &removal, &k.err));
    forget(&p);
    is(removal.added.content, "revised");
    kit_close(&k);
}

static void a_squash_and_a_summary_outlive_what_they_were_made_of(void **state)
{
    passing           p = {.n = 0};
    kit               k;
    skein_message_id  ids[2];
    skein_squash_spec spec = {.sources = {ids, 2}};
    skein_squash      squash;
    skein_compaction  what = {0};
    skein_message     summary;
    int64_t           covers;

    kit_open(&k, state);
    ids[0] = kit_say(&k, SKEIN_USER, "human", "one").id;
    ids[1] = kit_say(&k, SKEIN_USER, "human", "two").id;
    spec.content = pass(&p, "both");
    spec.prompt = pass(&p, "make one of them");
    spec.model = pass(&p, "model");
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &squash, &k.err));
    forget(&p);
    is(squash.result.content, "both");
    is(squash.prompt, "make one of them");
    is(squash.model, "model");
    what.content = pass(&p, "so far");
    what.model = pass(&p, "model");
    KIT_OK(&k, skein_compact(k.e, k.chat.id, &what, k.mem, &summary, &covers, &k.err));
    forget(&p);
    is(summary.content, "so far");
    is(summary.model, "model");
    kit_close(&k);
}

static void a_place_outlives_what_it_was_named_with(void **state)
{
    passing            p = {.n = 0};
    kit                k;
    skein_conversation c;
    skein_lane         lane;

    kit_open(&k, state);
    KIT_OK(&k, skein_chat_new(k.e, k.world.id, pass(&p, "a chat"), k.mem, &c, &k.err));
    forget(&p);
    is(c.title, "a chat");
    kit_say(&k, SKEIN_USER, "human", "hello");
    KIT_OK(&k, skein_branch(k.e, &k.how, 0, -1, pass(&p, "a branch"), k.mem, &c, &k.err));
    forget(&p);
    is(c.title, "a branch");
    KIT_OK(&k, skein_lane_new(k.e, k.chat.id, pass(&p, "main"), (skein_message_id){0},
                              pass(&p, "call_9"), k.mem, &lane, &k.err));
    forget(&p);
    is(lane.spawn_call_id, "call_9");
    is(lane.key, "main.1");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(a_stored_message_outlives_what_it_was_made_of),
        SKN_BOTH(a_change_outlives_what_it_was_made_of),
        SKN_BOTH(a_squash_and_a_summary_outlive_what_they_were_made_of),
        SKN_BOTH(a_place_outlives_what_it_was_named_with),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
