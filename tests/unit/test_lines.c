/* The lines of a file and of the same bytes in memory are the same. */
#include "base/lines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct source {
    char      path[40];
    skn_lines lines[2]; /* memory, and a file with the same bytes */
} source;

static void source_open(source *s, skn_str bytes, size_t limit)
{
    skein_error err;
    int         fd;

    memcpy(s->path, "/tmp/skein-lines-XXXXXX", 24);
    fd = mkstemp(s->path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes.p, bytes.n), (ssize_t)bytes.n);
    close(fd);
    skn_lines_memory(&s->lines[0], "memory", bytes, limit);
    assert_int_equal(skn_lines_open(&s->lines[1], s->path, limit, &err), SKEIN_OK);
}

static void source_close(source *s)
{
    skn_lines_close(&s->lines[0]);
    skn_lines_close(&s->lines[1]);
    unlink(s->path);
}

static void expect_line(skn_lines *l, const char *text, bool is_whole)
{
    skn_str     line;
    bool        more, whole;
    skein_error err;

    assert_int_equal(skn_lines_next(l, &line, &more, &whole, &err), SKEIN_OK);
    assert_int_equal(more, text != NULL);
    if (!text)
        return;
    assert_int_equal(line.n, strlen(text));
    assert_memory_equal(line.p, text, line.n);
    assert_int_equal(whole, is_whole);
}

static void lines_come_one_by_one_and_again_after_rewinding(void **state)
{
    source      s;
    skein_error err;

    (void)state;
    source_open(&s, SKN_STR("one\n\nthree\nfour"), 100);
    for (int k = 0; k < 2; k++)
        for (int round = 0; round < 2; round++) {
            expect_line(&s.lines[k], "one", true);
            expect_line(&s.lines[k], "", true);
            expect_line(&s.lines[k], "three", true);
            expect_line(&s.lines[k], "four", false);
            assert_int_equal(s.lines[k].number, 4);
            expect_line(&s.lines[k], NULL, false);
            expect_line(&s.lines[k], NULL, false);
            assert_int_equal(s.lines[k].number, 4);
            assert_int_equal(skn_lines_rewind(&s.lines[k], &err), SKEIN_OK);
        }
    source_close(&s);
}

static void a_line_over_the_limit_is_refused_with_its_number(void **state)
{
    skn_buf     bytes;
    source      s;
    skn_str     line;
    bool        more;
    skein_error err;

    (void)state;
    skn_buf_init(&bytes, 1 << 20);
    skn_buf_addf(&bytes, "short\n");
    skn_buf_fill(&bytes, 'x', 200001);
    skn_buf_addf(&bytes, "\nlast\n");
    source_open(&s, skn_buf_str(&bytes), 200000);
    for (int k = 0; k < 2; k++) {
        expect_line(&s.lines[k], "short", true);
        assert_int_equal(skn_lines_next(&s.lines[k], &line, &more, NULL, &err), SKEIN_DATA);
        assert_non_null(strstr(err.message, "line 2 of "));
        assert_non_null(strstr(err.message, "longer than 200000 bytes"));
    }
    source_close(&s);
    skn_buf_release(&bytes);
}

/* Longer than what is read at a time, and just at the limit. */
static void long_lines_are_whole(void **state)
{
    skn_buf bytes;
    source  s;
    char   *one;

    (void)state;
    one = calloc(1, 200001);
    memset(one, 'x', 200000);
    skn_buf_init(&bytes, 1 << 20);
    for (int i = 0; i < 3; i++)
        skn_buf_addf(&bytes, "%s\n", one);
    source_open(&s, skn_buf_str(&bytes), 200000);
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            expect_line(&s.lines[k], one, true);
        expect_line(&s.lines[k], NULL, false);
    }
    source_close(&s);
    skn_buf_release(&bytes);
    free(one);
}

static void a_missing_file_is_not_found(void **state)
{
    skn_lines   l;
    skein_error err;

    (void)state;
    assert_int_equal(skn_lines_open(&l, "/nowhere/at/all", 10, &err), SKEIN_NOT_FOUND);
    assert_non_null(strstr(err.message, "\"/nowhere/at/all\""));
    skn_lines_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_come_one_by_one_and_again_after_rewinding),
        cmocka_unit_test(a_line_over_the_limit_is_refused_with_its_number),
        cmocka_unit_test(long_lines_are_whole),
        cmocka_unit_test(a_missing_file_is_not_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
