/* The log: one line for each, with nothing in it that should not be there. */
#include "base/json.h"
#include "base/log.h"
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct trap {
    int      fds[2];
    skn_log *log;
    char     text[64 * 1024];
} trap;

static trap *set_trap(trap *t, bool json, skn_log_level level)
{
    assert_int_equal(pipe(t->fds), 0);
    t->log = skn_log_new(t->fds[1], json, level);
    return t;
}

/* What was written, as one text. */
static skn_str caught(trap *t)
{
    ssize_t n;
    size_t  all = 0;

    skn_log_free(t->log);
    close(t->fds[1]);
    while ((n = read(t->fds[0], t->text + all, sizeof t->text - all)) > 0)
        all += (size_t)n;
    close(t->fds[0]);
    return (skn_str){t->text, all};
}

static bool has(skn_str text, const char *part)
{
    return skn_str_find(text, skn_str_of(part)) >= 0;
}

static int lines_of(skn_str text)
{
    int n = 0;

    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    return n;
}

static void a_line_has_time_level_phrase_and_fields(void **state)
{
    static trap   t;
    skn_log_field fields[] = {{"path", SKN_STR("/a"), 0}, {"ms", SKN_NONE, 12}};
    skn_str       text;

    (void)state;
    set_trap(&t, false, SKN_LOG_INFO);
    skn_log_write(t.log, SKN_LOG_INFO, "request", fields, 2);
    skn_log_say(t.log, SKN_LOG_WARN, "disk is %d %% full", 97);
    text = caught(&t);
    assert_true(has(text, "Z info  request path=/a ms=12\n"));
    assert_true(has(text, "Z warn  disk is 97 % full\n"));
}

static void lines_above_the_level_are_not_written(void **state)
{
    static trap   t;
    skn_log_level level;
    skn_str       text;

    (void)state;
    set_trap(&t, false, SKN_LOG_WARN);
    skn_log_say(t.log, SKN_LOG_INFO, "first");
    assert_true(skn_log_level_from(SKN_STR("debug"), &level));
    assert_false(skn_log_level_from(SKN_STR("loud"), &level));
    skn_log_set_level(t.log, level);
    skn_log_say(t.log, SKN_LOG_DEBUG, "second");
    skn_log_say(t.log, SKN_LOG_TRACE, "third");
    text = caught(&t);
    assert_false(has(text, "first"));
    assert_true(has(text, "second"));
    assert_false(has(text, "third"));
    skn_log_say(NULL, SKN_LOG_ERROR, "nobody listens");
}

static const char nasty[] = "a\nb\x1b[2J\"c\\ \xc2\x9b"
                            "31m =d";
static const char broken[] = "half a character: \xe2\x82";

static void a_value_cannot_end_its_line_or_move_a_cursor(void **state)
{
    static trap   t;
    skn_log_field f[] = {{"path", SKN_STR(""), 0}, {"half", SKN_STR(""), 0}};
    skn_str       text;

    (void)state;
    f[0].text = skn_str_of(nasty);
    f[1].text = skn_str_of(broken);
    set_trap(&t, false, SKN_LOG_INFO);
    skn_log_write(t.log, SKN_LOG_INFO, "x", f, 2);
    text = caught(&t);
    assert_int_equal(lines_of(text), 1);
    assert_true(skn_utf8_valid(text, NULL));
    for (size_t i = 0; i + 1 < text.n; i++) {
        assert_true((unsigned char)text.p[i] >= ' ');
        assert_false((unsigned char)text.p[i] == 0xc2 && (unsigned char)text.p[i + 1] < 0xa0);
    }
}

static void json_lines_are_json_whatever_is_in_them(void **state)
{
    static trap     t;
    static char     huge[40000];
    skn_log_field   fields[] = {{"path", SKN_STR(""), 0}, {"huge", {huge, sizeof huge}, 0}};
    skn_arena      *a = skn_arena_new();
    const skn_json *v;
    skn_str         text, line;

    (void)state;
    memset(huge, '"', sizeof huge);
    fields[0].text = skn_str_of(nasty);
    set_trap(&t, true, SKN_LOG_INFO);
    skn_log_write(t.log, SKN_LOG_ERROR, "turn failed", fields, 2);
    skn_log_say(t.log, SKN_LOG_INFO, "%s%s", nasty, broken);
    text = caught(&t);
    assert_int_equal(lines_of(text), 2);
    assert_true(skn_str_split(&text, '\n', &line));
    assert_int_equal(skn_json_parse(&v, line, "line", a, NULL), SKEIN_OK);
    assert_true(skn_str_is(skn_json_get(v, "level")->text, "error"));
    assert_true(skn_str_is(skn_json_get(v, "message")->text, "turn failed"));
    assert_true(skn_str_starts(skn_json_get(v, "path")->text, SKN_STR("a\nb\x1b[2J\"c\\ ")));
    assert_true(skn_str_split(&text, '\n', &line));
    assert_int_equal(skn_json_parse(&v, line, "line", a, NULL), SKEIN_OK);
    skn_arena_free(a);
}

static void a_hidden_text_is_nowhere(void **state)
{
    static trap   t;
    skn_log_field f = {"url", SKN_STR("http://x/?token=sesame-1234&k=key\"quoted"), 0};
    skn_str       text;

    (void)state;
    for (int json = 0; json < 2; json++) {
        set_trap(&t, json, SKN_LOG_INFO);
        skn_log_hide(t.log, SKN_STR("sesame-1234"));
        skn_log_hide(t.log, SKN_STR("key\"quoted"));
        skn_log_hide(t.log, SKN_STR(""));
        skn_log_write(t.log, SKN_LOG_INFO, "sesame-1234 came", &f, 1);
        skn_log_say(t.log, SKN_LOG_INFO, "said %s twice %s", "sesame-1234", "sesame-1234");
        text = caught(&t);
        assert_false(has(text, "sesame"));
        assert_false(has(text, "quoted"));
        assert_true(has(text, "token=…&k=…"));
        assert_true(has(text, "said … twice …"));
    }
}

/* Whoever logs would hang here for ever if a line were waited with. */
static void a_log_that_nobody_reads_holds_nobody_up(void **state)
{
    static trap t;
    static char full[128 * 1024];
    skn_str     text;
    ssize_t     n;

    (void)state;
    set_trap(&t, false, SKN_LOG_INFO);
    for (int i = 0; i < 3000; i++)
        skn_log_say(t.log, SKN_LOG_INFO, "line %d of many, with some text behind it", i);
    n = read(t.fds[0], full, sizeof full);
    assert_in_range(n, 1, (ssize_t)sizeof full);
    text = (skn_str){full, (size_t)n};
    assert_true(has(text, "line 0 of"));
    assert_int_equal(text.p[text.n - 1], '\n'); /* whole lines only */
    assert_false(has(text, "lost"));
    skn_log_say(t.log, SKN_LOG_INFO, "somebody reads again");
    skn_log_say(t.log, SKN_LOG_INFO, "and again");
    n = lines_of(text);
    text = caught(&t);
    assert_int_equal(lines_of(text), 3);
    snprintf(full, sizeof full, "lost: nobody read this log lines=%d\n", 3000 - (int)n);
    assert_true(has(text, full));
    assert_true(has(text, "reads again\n"));
}

static void a_long_line_comes_whole(void **state)
{
    static trap   t;
    static char   huge[4 * 1024];
    skn_log_field fields[16];
    skn_str       text;

    (void)state;
    memset(huge, 'x', sizeof huge);
    for (int i = 0; i < 16; i++)
        fields[i] = (skn_log_field){"k", {huge, sizeof huge}, 0};
    set_trap(&t, false, SKN_LOG_INFO);
    skn_log_write(t.log, SKN_LOG_INFO, "long", fields, 16);
    text = caught(&t);
    assert_true(text.n > 30 * 1024);
    assert_int_equal(lines_of(text), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_time_level_phrase_and_fields),
        cmocka_unit_test(lines_above_the_level_are_not_written),
        cmocka_unit_test(a_value_cannot_end_its_line_or_move_a_cursor),
        cmocka_unit_test(json_lines_are_json_whatever_is_in_them),
        cmocka_unit_test(a_hidden_text_is_nowhere),
        cmocka_unit_test(a_log_that_nobody_reads_holds_nobody_up),
        cmocka_unit_test(a_long_line_comes_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
