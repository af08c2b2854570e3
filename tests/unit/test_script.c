/* Reading scripts: what is accepted, what is refused and where, and what fits what. */
#include "provider/script.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static skn_script *must_read(const char *source)
{
    skn_script *s;
    skein_error err = {0};

    if (skn_script_read(&s, skn_str_of(source), "s.yaml", &err))
        fail_msg("%s", err.message);
    return s;
}

static void refused(const char *source, const char *message)
{
    skn_script *s;
    skein_error err = {0};

    if (!skn_script_read(&s, skn_str_of(source), "s.yaml", &err))
        fail_msg("accepted: %s", source);
    assert_null(s);
    assert_int_equal(err.rc, SKEIN_INVALID);
    if (!strstr(err.message, message))
        fail_msg("\"%s\" does not hold \"%s\"", err.message, message);
}

/* What the script says to a line, the texts of its first step. */
static const char *says(const skn_script *s, const char *agent, const char *sender,
                        const char *text)
{
    static char      out[2000];
    skn_arena       *a = skn_arena_new();
    skn_script_line  line = {skn_str_of(agent), skn_str_of(sender), skn_str_of(text), SKN_NONE};
    skn_script_match match;
    skn_buf          b;

    skn_buf_init(&b, sizeof out - 1);
    skn_script_choose(s, &line, a, &match);
    assert_int_equal(match.steps->at[0].kind, SKN_STEP_SAY);
    skn_script_text(s, &match.steps->at[0], &line, &match, &b);
    snprintf(out, sizeof out, "%.*s", SKN_FMT(skn_buf_str(&b)));
    skn_buf_release(&b);
    skn_arena_free(a);
    return out;
}

static void the_first_rule_that_fits_wins(void **state)
{
    skn_script *s = must_read("rules:\n"
                              "  - {when: Tea, agent: ada, do: one}\n"
                              "  - {when: tea, from: '@lead', do: two}\n"
                              "  - {when: tea, do: three}\n"
                              "  - {matches: '^te+$', do: four}\n"
                              "otherwise: five\n");

    (void)state;
    assert_string_equal(says(s, "ada", "human", "green TEA"), "one");
    assert_string_equal(says(s, "ADA", "lead", "tea"), "one");
    assert_string_equal(says(s, "bo", "Lead", "tea"), "two");
    assert_string_equal(says(s, "bo", "human", "steam teas"), "three");
    assert_string_equal(says(s, "bo", "human", "TEE"), "four");
    assert_string_equal(says(s, "bo", "human", "tee time"), "five");
    assert_string_equal(says(s, "bo", "human", ""), "five");
    skn_script_free(s);
}

static void names_and_groups_are_put_in(void **state)
{
    skn_script *s = must_read(
        "rules:\n"
        "  - matches: '(give) (me )?(.*)'\n"
        "    do: '{sender} said {1} to {agent}, for {3}{2}; {x} {} {0} { stay'\n");

    (void)state;
    assert_string_equal(says(s, "ada", "human", "Give {agent}"),
                        "human said Give to ada, for {agent}; {x} {} {0} { stay");
    assert_string_equal(says(s, "ada", "human", "please give me tea"),
                        "human said give to ada, for teame ; {x} {} {0} { stay");
    skn_script_free(s);
}

static void a_rule_for_a_tool_fits_only_results(void **state)
{
    skn_script      *s = must_read("rules:\n"
                                        "  - {when: tea, do: said}\n"
                                        "  - {tool: kettle, when: tea, do: result}\n"
                                        "otherwise: other\n");
    skn_arena       *a = skn_arena_new();
    skn_script_line  line = {SKN_STR("ada"), SKN_STR("human"), SKN_STR("tea"),
                             SKN_STR("kettle")};
    skn_script_match match;

    (void)state;
    assert_string_equal(says(s, "ada", "human", "tea"), "said");
    skn_script_choose(s, &line, a, &match);
    assert_true(skn_str_is(match.steps->at[0].texts[0], "result"));
    line.tool = SKN_STR("pan");
    skn_script_choose(s, &line, a, &match);
    assert_true(skn_str_is(match.steps->at[0].texts[0], "other"));
    skn_arena_free(a);
    skn_script_free(s);
}

static void the_seed_picks_one_of_several_texts(void **state)
{
    char        source[200], first[50];
    bool        other = false;
    skn_script *s;

    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        snprintf(source, sizeof source,
                 "seed: %d\nrules:\n  - {when: a, do: [{say: [x, y, z]}]}\n", seed);
        s = must_read(source);
        if (seed == 0)
            snprintf(first, sizeof first, "%s", says(s, "ada", "human", "a"));
        other = other || strcmp(first, says(s, "ada", "human", "a")) != 0;
        for (int i = 0; i < 3; i++) { /* always the same for the same line */
            char once[50];

            snprintf(once, sizeof once, "%s", says(s, "ada", "human", "a"));
            assert_string_equal(once, says(s, "ada", "human", "a"));
        }
        skn_script_free(s);
    }
    assert_true(other);
}

static void every_step_is_read(void **state)
{
    skn_script *s = must_read(
        "pace: 5\n"
        "rules:\n"
        "  - when: a\n"
        "    do:\n"
        "      - think: hm\n"
        "      - say: |\n"
        "          two\n"
        "          lines\n"
        "      - wait: 2s\n"
        "      - call: t-1_X\n"
        "        args: {n: 7, s: \"7\", yes: true, l: [a, 1.5], q: '\"'}\n"
        "      - cut: after 5 words\n"
        "      - fail: rate_limit\n"
        "otherwise: [{fail: my own words}]\n");
    const skn_script_steps *steps = &s->rules[0].steps;
    skn_script_line         line = {0};
    skn_script_match        match = {0};
    skn_arena              *a = skn_arena_new();
    skn_buf                 b;

    (void)state;
    skn_buf_init(&b, 1000);
    assert_int_equal(s->pace_ms, 5);
    assert_int_equal(steps->count, 5);
    assert_int_equal(steps->cut_after, 5);
    assert_int_equal(steps->at[0].kind, SKN_STEP_THINK);
    assert_true(skn_str_is(steps->at[1].texts[0], "two\nlines"));
    assert_int_equal(steps->at[2].ms, 2000);
    assert_true(skn_str_is(steps->at[3].name, "t-1_X"));
    skn_script_args(&steps->at[3], &line, &match, a, &b);
    assert_string_equal(b.p,
                        "{\"n\":7,\"s\":\"7\",\"yes\":true,\"l\":[\"a\",1.5],\"q\":\"\\\"\"}");
    assert_true(steps->at[4].kind == SKN_STEP_FAIL && steps->at[4].retryable);
    assert_true(skn_str_is(s->otherwise.at[0].name, "my own words"));
    assert_false(s->otherwise.at[0].retryable);
    skn_buf_release(&b);
    skn_arena_free(a);
    skn_script_free(s);
}

static void an_empty_script_says_that_it_has_no_line(void **state)
{
    skn_script *s = must_read("");

    (void)state;
    assert_int_equal(s->pace_ms, 30);
    assert_non_null(
        strstr(says(s, "ada", "human", "x"), "I am a scripted demo and have no line"));
    assert_non_null(strstr(says(s, "ada", "human", "x"), "Connect a model"));
    skn_script_free(s);
}

#define RULE "rules:\n  - when: a\n    "

static void mistakes_are_named_with_their_place(void **state)
{
    static const char *const cases[][2] = {
        {"sed: 1\n", "s.yaml:1:1: unknown key \"sed\" in a script; its keys are: seed pace"},
        {"[]\n", "s.yaml:1:1: a script is a map"},
        {"seed: x\n", "s.yaml:1:7: seed is a whole number"},
        {"pace: -1\n", "s.yaml:1:7: pace is"},
        {"pace: 11s\n", "s.yaml:1:7: pace is at most 10s"},
        {"rules: {}\n", "s.yaml:1:8: rules is a list"},
        {"rules: [x]\n", "s.yaml:1:9: a rule is a map"},
        {"rules:\n  - wen: a\n    do: b\n", "s.yaml:2:5: unknown key \"wen\" in a rule"},
        {RULE "once: true\n    do: b\n", "s.yaml:3:5: unknown key \"once\""},
        {"rules:\n  - do: b\n", "s.yaml:2:5: a rule needs when, matches"},
        {"rules:\n  - when: a\n", "s.yaml:2:5: a rule needs \"do\""},
        {"rules:\n  - when: ''\n    do: b\n", "s.yaml:2:11: when is empty"},
        {"rules:\n  - agent: '@'\n    do: b\n", "s.yaml:2:12: agent has no name"},
        {"rules:\n  - matches: '(a'\n    do: b\n", "s.yaml:2:14: matches cannot be used"},
        {"rules:\n  - matches: '(a)\\1'\n    do: b\n",
         "s.yaml:2:14: matches has a back-reference"},
        {"rules:\n  - matches: '(a{50}){50}'\n    do: b\n", "s.yaml:2:14: matches becomes too"},
        {"rules:\n  - matches: '(a)'\n    do: '{2}'\n", "s.yaml:3:9: {2} stands for a group"},
        {RULE "do: 'x {1}'\n",
         "s.yaml:3:9: {1} stands for a group of \"matches\", which has 0"},
        {RULE "do: [{call: t, args: {a: ['{1}']}}]\n", "s.yaml:3:31: {1} stands for"},
        {"otherwise: '{1}'\n", "s.yaml:1:12: {1} stands for"},
        {RULE "do: []\n", "s.yaml:3:9: there are 1 to 100 steps"},
        {RULE "do: {say: b}\n", "s.yaml:3:9: steps are a list"},
        {RULE "do: [b]\n", "s.yaml:3:10: a step is a map"},
        {RULE "do: [{}]\n", "s.yaml:3:10: a step says what to do"},
        {RULE "do: [{shout: b}]\n", "s.yaml:3:11: unknown key \"shout\" in a step"},
        {RULE "do: [{say: b, wait: 1s}]\n", "a step is one thing; \"say\" and \"wait\""},
        {RULE "do: [{say: b, args: {}}]\n", "s.yaml:3:10: args belong to a call"},
        {RULE "do: [{say: []}]\n", "s.yaml:3:16: say has 1 to 100 texts"},
        {RULE "do: [{say: {}}]\n", "s.yaml:3:16: say is a text"},
        {RULE "do: [{call: 'a b'}]\n", "s.yaml:3:17: the name of a tool"},
        {RULE "do: [{call: a, args: 7}]\n", "s.yaml:3:26: args is a map"},
        {RULE "do: [{wait: 3}]\n", "s.yaml:3:17: wait is a time like"},
        {RULE "do: [{wait: 11m}]\n", "s.yaml:3:17: wait is at most 10m"},
        {RULE "do: [{cut: soon}]\n", "s.yaml:3:16: cut is like"},
        {RULE "do: [{cut: 1}, {cut: 2}]\n", "s.yaml:3:26: an answer is cut only once"},
        {RULE "do: [{fail: x}, {say: b}]\n", "s.yaml:3:21: nothing comes after fail"},
        {RULE "do: [{call: x}, {say: b}]\n", "s.yaml:3:21: text comes before calls"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        refused(cases[i][0], cases[i][1]);
}

/* What a compiler of patterns would write out: each + doubles, each count multiplies. */
static void patterns_that_explode_are_refused(void **state)
{
    static const char *const fine[] = {
        "a+b+c+d+e+f+g+h+i+j+k+l+",
        "([a-z]+ )+",
        "a{1000}",
        "[](+){2,}[:alpha:]]{900}",
        "[^]+{9}]{900}",
        "[[:alnum:]+++++++++++++]+",
        "\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+",
        "a{",
        ")",
    };
    static const char *const refused_ones[] = {
        "a+++++++++++",
        "((((((((((((a)+)+)+)+)+)+)+)+)+)+)+)+",
        "a{2001}",
        "a{99999999999999999999}",
        "(a{50}){50}",
        "(a{,50}b){1,50}",
        "([)]aaaaaaaaaaaa){200}",
        "(a)\\1",
        "(((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(fine); i++) {
        if (skn_pattern_check(skn_str_of(fine[i])))
            fail_msg("%s: %s", fine[i], skn_pattern_check(skn_str_of(fine[i])));
    }
    for (size_t i = 0; i < COUNT(refused_ones); i++) {
        if (!skn_pattern_check(skn_str_of(refused_ones[i])))
            fail_msg("%s", refused_ones[i]);
    }
}

static void long_lists_have_limits(void **state)
{
    skn_buf b;

    (void)state;
    skn_buf_init(&b, 1 << 20);
    skn_buf_add(&b, SKN_STR("rules:\n"));
    for (int i = 0; i < 1001; i++)
        skn_buf_add(&b, SKN_STR(" - {when: a, do: b}\n"));
    refused(b.p, "s.yaml:2:2: more than 1000 rules");
    skn_buf_clear(&b);
    skn_buf_add(&b, SKN_STR("otherwise:\n"));
    for (int i = 0; i < 101; i++)
        skn_buf_add(&b, SKN_STR(" - {say: a}\n"));
    refused(b.p, "s.yaml:2:2: there are 1 to 100 steps");
    skn_buf_release(&b);
}

static skn_step_kind kind_of(const skn_script *s, const char *agent, const char *text)
{
    skn_arena       *a = skn_arena_new();
    skn_script_line  line = {skn_str_of(agent), SKN_STR("human"), skn_str_of(text), SKN_NONE};
    skn_script_match match;

    skn_script_choose(s, &line, a, &match);
    skn_arena_free(a);
    return match.steps->at[0].kind;
}

/* The tour's lines are part of what is promised: everybody has a greeting of their own, and a question
 * without a line is admitted. */
static void the_tour_has_its_lines(void **state)
{
    skn_script *s = skn_script_tour();
    char        hello[500];

    (void)state;
    snprintf(hello, sizeof hello, "%s", says(s, "lead", "human", "Hello everyone!"));
    assert_non_null(strstr(hello, "scripted"));
    assert_string_equal(hello, says(s, "lead", "human", "1"));
    assert_int_equal(kind_of(s, "ada", "hi there"), SKN_STEP_WAIT);
    assert_int_equal(kind_of(s, "bo", "hi there"), SKN_STEP_WAIT);
    assert_int_equal(kind_of(s, "bo", "this"), SKN_STEP_SAY); /* no greeting inside of a word */
    assert_non_null(strstr(says(s, "lead", "human", "2"), "as a delegation"));
    assert_non_null(strstr(says(s, "lead", "human", "3"), "skein undo"));
    assert_non_null(strstr(says(s, "lead", "human", "4"), "skein squash"));
    assert_non_null(strstr(says(s, "lead", "human", "5"), "in the background"));
    assert_non_null(strstr(says(s, "lead", "human", "@lead ask ada"), "\n@ada "));
    assert_non_null(
        strstr(says(s, "ada", "lead", "@ada please say what a reply link is."), "\n@lead "));
    assert_null(strstr(says(s, "lead", "ada", "@lead that is all I have."), "\n@"));
    assert_non_null(
        strstr(says(s, "lead", "human", "what is this?"),
               "I am a scripted demo and have no line for that. I can show: 1 hello"));
    for (int i = 0; i < 2;
         i++) { /* one list is enough; and a name at the start would wake it */
        const char *other = says(s, i ? "ada" : "bo", "human", "what is this?");

        assert_non_null(strstr(other, "scripted demo too and have no line for that; see the"));
        assert_null(strstr(other, "1 hello"));
        assert_true(other[0] != '@' && !strstr(other, "\n@"));
    }
    skn_script_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_rule_that_fits_wins),
        cmocka_unit_test(names_and_groups_are_put_in),
        cmocka_unit_test(a_rule_for_a_tool_fits_only_results),
        cmocka_unit_test(the_seed_picks_one_of_several_texts),
        cmocka_unit_test(every_step_is_read),
        cmocka_unit_test(an_empty_script_says_that_it_has_no_line),
        cmocka_unit_test(mistakes_are_named_with_their_place),
        cmocka_unit_test(patterns_that_explode_are_refused),
        cmocka_unit_test(long_lists_have_limits),
        cmocka_unit_test(the_tour_has_its_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
