/* test_usage.c: what the messages of a page cost, from the calls of models that wrote them. */
#include "store/kit.h"

/* The facts of the chat's messages, of which there are so many. */
static void explain(kit *k, skein_message_facts *facts, size_t count)
{
    skein_slice    all = {.conversation = k->how.conversation};
    skein_messages m;

    KIT_OK(k, skein_read(k->e, &all, k->mem, &m, NULL, &k->err));
    assert_int_equal(m.count, count);
    KIT_OK(k, skein_message_explain(k->e, all.conversation, 0, &m, k->mem, facts, &k->err));
}

/* Says something as written by a model. */
static skein_message written(kit *k, skein_role role, const char *sender, const char *text)
{
    skein_messages    out;
    skein_new_message m = {.role = role,
                           .sender = skein_text(sender),
                           .content = skein_text(text),
                           .model = skein_text("openai/some")};

    KIT_OK(k, kit_append(k, &m, 1, &out));
    return out.at[0];
}

static void cost(kit *k, skein_world_id world, skein_str message, int64_t in, int64_t out,
                 bool estimated)
{
    skein_str        uid;
    skein_model_call c = {.world = world,
                          .purpose = skein_text("turn"),
                          .model = skein_text("openai/some"),
                          .state = skein_text("answered"),
                          .message_uid = message,
                          .tokens_in = in,
                          .tokens_out = out,
                          .estimated = estimated,
                          .tries = 1};

    KIT_OK(k, skein_model_call_keep(k->e, &c, k->mem, &uid, &k->err));
}

/* "12/3", "~12/3" when it is a guess, "-" when it is not known. */
static const char *usage_of(const skein_message_facts *f, char out[static 64])
{
    if (f->usage.known)
        snprintf(out, 64, "%s%lld/%lld", f->usage.estimated ? "~" : "",
                 (long long)f->usage.tokens_in, (long long)f->usage.tokens_out);
    else
        snprintf(out, 64, "-");
    return out;
}

static void usage_is_that_of_the_last_call_for_the_message(void **state)
{
    kit                 k;
    char                text[64];
    skein_message       a, b, c;
    skein_message_facts f[5];

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "hello");
    a = written(&k, SKEIN_ASSISTANT, "ada", "a");
    b = written(&k, SKEIN_ASSISTANT, "bo", "b");
    c = written(&k, SKEIN_ASSISTANT, "cy", "c");
    written(&k, SKEIN_ASSISTANT, "cy", "d");
    cost(&k, k.world.id, a.uid, 900, 90, true);
    cost(&k, k.world.id, b.uid, 0, 4, true);
    cost(&k, k.world.id, a.uid, 12, 3, false);
    cost(&k, k.world.id, c.uid, -1, -1, false);
    explain(&k, f, 5);
    assert_string_equal(usage_of(&f[0], text), "-");
    assert_string_equal(usage_of(&f[1], text), "12/3");
    assert_string_equal(usage_of(&f[2], text), "~0/4");
    assert_string_equal(usage_of(&f[3], text), "-");
    assert_string_equal(usage_of(&f[4], text), "-");
    kit_close(&k);
}

static void usage_is_not_that_of_another_world(void **state)
{
    kit                 k;
    char                text[64];
    skein_world         other = {.name = skein_text("other")};
    skein_message       a;
    skein_message_facts f[1];

    kit_open(&k, state);
    KIT_OK(&k, skein_world_new(k.e, &other, k.mem, &k.err));
    a = written(&k, SKEIN_ASSISTANT, "ada", "a");
    cost(&k, k.world.id, a.uid, 12, 3, false);
    cost(&k, other.id, a.uid, 900, 90, false);
    explain(&k, f, 1);
    assert_string_equal(usage_of(&f[0], text), "12/3");
    kit_close(&k);
}

static void usage_of_a_squash_is_that_of_writing_it(void **state)
{
    kit               k;
    char              text[64];
    skein_message     a, b;
    skein_message_id  ids[2];
    skein_squash_spec spec = {
        .sources = {ids, 2}, .content = skein_text("ab"), .model = skein_text("openai/some")};
    skein_squash        s;
    skein_message_facts f[1];

    kit_open(&k, state);
    a = kit_say(&k, SKEIN_USER, "human", "a");
    b = written(&k, SKEIN_ASSISTANT, "ada", "b");
    ids[0] = a.id;
    ids[1] = b.id;
    cost(&k, k.world.id, b.uid, 900, 90, false);
    KIT_OK(&k, skein_squash_messages(k.e, &k.how, &spec, k.mem, &s, &k.err));
    assert_int_equal(s.result.role, SKEIN_USER);
    cost(&k, k.world.id, s.result.uid, 12, 3, false);
    explain(&k, f, 1);
    assert_string_equal(usage_of(&f[0], text), "12/3");
    kit_close(&k);
}

/* A page that nobody's model wrote is explained without a look at the calls. */
static void what_no_model_wrote_is_not_asked_for(void **state)
{
    kit                 k;
    char                text[64];
    skein_message_facts f[2];

    kit_open(&k, state);
    kit_say(&k, SKEIN_USER, "human", "a");
    kit_say(&k, SKEIN_ASSISTANT, "ada", "b");
    skn_fixture_sql(k.fx, "ALTER TABLE model_calls RENAME TO put_away");
    explain(&k, f, 2);
    assert_string_equal(usage_of(&f[1], text), "-");
    skn_fixture_sql(k.fx, "ALTER TABLE put_away RENAME TO model_calls");
    kit_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SKN_BOTH(usage_is_that_of_the_last_call_for_the_message),
        SKN_BOTH(usage_is_not_that_of_another_world),
        SKN_BOTH(usage_of_a_squash_is_that_of_writing_it),
        SKN_BOTH(what_no_model_wrote_is_not_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
