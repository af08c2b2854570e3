#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/run.h"

#define M SKN_STR("home/m")

static const skn_reach unknown = {.scale = 100};

/* What servers say of a question of 1,000 estimated tokens, the window that is in it, and what they count. */
static const struct {
    const char *words;
    int64_t     window, scale;
} refusals[] = {
    {"request (5012 tokens) exceeds the available context size (4096 tokens), try increasing "
     "it",
     4096, 400},
    {"the request exceeds the available context size. try increasing the context size", 900,
     100},
    {"This model's maximum context length is 4096 tokens. However, you requested 5012 tokens "
     "(1500 "
     "in the messages, 3512 in the completion).",
     4096, 151},
    {"This model's maximum context length is 8192 tokens. However, your messages resulted in "
     "1300 "
     "tokens.",
     8192, 131},
    {"prompt is too long: 1210 tokens > 200000 maximum", 200000, 122},
    {"Trying to keep the first 2000 tokens when context the overflows. However, the model is "
     "loaded "
     "with context length of only 4096 tokens, which is not enough.",
     4096, 201},
    {"The number of tokens to keep from the initial prompt is greater than the context length "
     "(n_keep: 1100>= n_ctx: 2048)",
     2048, 111},
    {"The input token count (1,200) exceeds the maximum number of tokens allowed (1,048,576).",
     1048576, 121},
    {"prompt too long; exceeded max context length by 4 tokens", 900, 100},
};

static void what_a_refusal_says_is_learned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        skn_windows *ws = skn_windows_new();
        skn_reach    reach;

        assert_true(skn_windows_refused(ws, M, 1000, &unknown, skn_str_of(refusals[i].words)));
        reach = skn_windows_read(ws, M);
        assert_int_equal(reach.tokens, refusals[i].window);
        assert_int_equal(reach.scale, refusals[i].scale);
        assert_string_equal(reach.from, "error");
        skn_windows_free(ws);
    }
}

static void each_refusal_makes_less_of_it_until_it_fits(void **state)
{
    skn_windows *ws = skn_windows_new();
    int64_t      before = 1000;

    (void)state;
    for (int i = 0; i < 20; i++) {
        skn_reach counted = skn_windows_read(ws, M);

        assert_true(skn_windows_refused(ws, M, before, &counted, SKN_STR("it is too long")));
        assert_true(skn_windows_read(ws, M).tokens < before);
        before = skn_windows_read(ws, M).tokens;
    }
    assert_int_equal(skn_windows_read(ws, SKN_STR("home/other")).tokens, 0);
    skn_windows_free(ws);
}

/* Each was counted before the first of them was refused. */
static void of_questions_that_are_refused_at_once_each_is_asked_again_with_less(void **state)
{
    skn_windows *ws = skn_windows_new();

    (void)state;
    for (int i = 0; i < 6; i++)
        assert_true(skn_windows_refused(ws, M, 5000, &unknown,
                                        SKN_STR("request (6500 tokens) exceeds the available "
                                                "context size (4096 tokens)")));
    assert_int_equal(skn_windows_read(ws, M).tokens, 4096);
    assert_int_equal(skn_windows_read(ws, M).scale, 131);
    skn_windows_free(ws);
}

/* Six agents are answered at once: of 1,000 estimated tokens each model counts 1,300. */
static void answers_that_come_at_once_teach_what_one_would(void **state)
{
    skn_windows *ws = skn_windows_new();

    (void)state;
    for (int i = 0; i < 6; i++)
        skn_windows_measured(ws, M, 1000, 1300);
    assert_int_equal(skn_windows_read(ws, M).scale, 131);
    skn_windows_measured(ws, M, 1000, 3900); /* a dense text */
    for (int i = 0; i < 100; i++)
        skn_windows_measured(ws, M, 1000, 1300);
    assert_int_equal(skn_windows_read(ws, M).scale, 131);
    skn_windows_free(ws);
}

static void what_a_model_counts_is_believed_where_it_is_more(void **state)
{
    skn_windows *ws = skn_windows_new();

    (void)state;
    skn_windows_measured(ws, M, 100, 400); /* too little to say anything */
    assert_int_equal(skn_windows_read(ws, M).scale, 100);
    skn_windows_measured(ws, M, 1000, 1200);
    assert_int_equal(skn_windows_read(ws, M).scale, 121);
    skn_windows_measured(ws, M, 1000, 300); /* the rest of it was cached */
    assert_int_equal(skn_windows_read(ws, M).scale, 121);
    skn_windows_measured(ws, M, 1000, INT32_MAX);
    assert_int_equal(skn_windows_read(ws, M).scale, 400);
    skn_windows_free(ws);
}

static void the_account_is_the_same_however_often_it_is_made(void **state)
{
    skn_sizes     sizes = {.prompt = 100,
                           .files = 50,
                           .tools = 333,
                           .summary = 10,
                           .results = 20,
                           .messages = 77,
                           .reach = {.tokens = 2000, .from = "provider", .scale = 137}};
    skein_context c = {0}, again;

    (void)state;
    skn_context_account(&c, &sizes);
    again = c;
    skn_context_account(&again, &sizes);
    assert_memory_equal(&again.parts, &c.parts, sizeof c.parts);
    assert_int_equal(c.tokens, 137 + 69 + 457 + 14 + 28 + 106);
    assert_int_equal(c.fixed, 137 + 69 + 457);
    assert_int_equal(c.room, 500);
    assert_true(skn_context_fits(&c));
    sizes.most_tokens = 5000;
    skn_context_account(&c, &sizes);
    assert_int_equal(c.room, 1000); /* never more than half */
    sizes.most_tokens = 100;
    sizes.thinking = 300;
    skn_context_account(&c, &sizes);
    assert_int_equal(c.room, 400); /* with what it thinks before */
    assert_int_equal(skn_most_tokens(&c, &sizes), 100);
    sizes.thinking = 5000;
    skn_context_account(&c, &sizes);
    assert_int_equal(c.room, 1000);
    sizes.prompt = 800;
    skn_context_account(&c, &sizes);
    assert_false(skn_context_fits(&c));
    sizes.reach = (skn_reach){0};
    skn_context_account(&c, &sizes);
    assert_true(skn_context_fits(&c)); /* nobody knows */
    assert_int_equal(c.window, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_refusal_says_is_learned),
        cmocka_unit_test(each_refusal_makes_less_of_it_until_it_fits),
        cmocka_unit_test(of_questions_that_are_refused_at_once_each_is_asked_again_with_less),
        cmocka_unit_test(answers_that_come_at_once_teach_what_one_would),
        cmocka_unit_test(what_a_model_counts_is_believed_where_it_is_more),
        cmocka_unit_test(the_account_is_the_same_however_often_it_is_made),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
