/* Event lines folded whole, and folded in two with a copy made in between, give the same
 * bytes; so do lines cut anywhere. What comes out is JSON, and shows every record exactly
 * once. */
#include "base/json.h"
#include "engine/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_events: %s\n", what);
    abort();
}

static skein_timelines *new_set(bool guess)
{
    skein_timeline_options o = SKEIN_TIMELINE_OPTIONS_INIT;

    o.guess_links = guess;
    return skein_timelines_new(&o);
}

/* Bad lines are left out, so that what stands behind them is reached too. */
static void fold_lines(skein_timelines *set, skn_str lines)
{
    skn_str line;

    while (skn_str_split(&lines, '\n', &line))
        (void)skein_timelines_read_events(set, line, NULL);
}

static skn_str json_of(skein_timelines *set, skein_mem *mem)
{
    skn_str out;

    expect(!skein_timelines_json(set, mem, &out, NULL), "no JSON");
    return out;
}

/* What was nested as deeply as a reader goes is nested deeper inside a timeline. */
static void expect_json(skn_str text)
{
    skein_mem      *mem = skein_mem_new();
    skein_error     err;
    const skn_json *v;
    bool            ok = !skn_json_parse(&v, text, "output", mem, &err);

    expect(ok || strstr(err.message, "nested too deeply"), "the output is not JSON");
    skein_mem_free(mem);
}

static void expect_nested(const skein_timeline *t, skein_mem *mem)
{
    skein_timeline_view v = skein_build_timeline(t, NULL, 0, mem);
    skn_buf             buf;
    skn_jw              w;

    skn_buf_init(&buf, SIZE_MAX);
    skn_jw_init(&w, &buf);
    skn_timeline_write_nested(&w, &v, 0, mem);
    expect_json(skn_buf_str(&buf));
    skn_buf_release(&buf);
}

static void expect_whole(skein_timelines *set, skein_mem *mem)
{
    expect_json(json_of(set, mem));
    for (size_t i = 0; i < skein_timelines_count(set); i++) {
        const skein_timeline *t = skein_timelines_at(set, i);

        expect(!skein_timeline_check(t, NULL), "a record is not shown exactly once");
        if (!skein_timeline_parent(t))
            expect_nested(t, mem);
    }
}

static void split_by_lines(skn_str text, bool guess, skein_mem *mem)
{
    skein_timelines *whole = new_set(guess), *first = new_set(guess), *rest;
    size_t           cut = text.n / 2;
    skn_str          before;

    while (cut < text.n && text.p[cut] != '\n')
        cut++;
    fold_lines(whole, text);
    fold_lines(first, skn_str_sub(text, 0, cut));
    before = json_of(first, mem);
    rest = skein_timelines_clone(first);
    fold_lines(rest, skn_str_sub(text, cut, text.n));
    expect(skn_str_eq(json_of(rest, mem), json_of(whole, mem)), "the copy folds differently");
    expect(skn_str_eq(json_of(first, mem), before), "the copy changed its source");
    fold_lines(first, skn_str_sub(text, cut, text.n));
    expect(skn_str_eq(json_of(first, mem), json_of(whole, mem)), "two halves differ");
    expect_whole(whole, mem);
    skein_timelines_free(whole);
    skein_timelines_free(first);
    skein_timelines_free(rest);
}

static void split_by_bytes(skn_str text, skein_mem *mem)
{
    skein_timelines *whole = new_set(false), *cut = new_set(false);
    skein_rc         expected = skein_timelines_read_events(whole, text, NULL), rc;
    skn_event_reader r;

    skn_event_reader_init(&r, cut, "input");
    rc = skn_event_reader_feed(&r, skn_str_sub(text, 0, text.n / 2), NULL);
    if (!rc)
        rc = skn_event_reader_feed(&r, skn_str_sub(text, text.n / 2, text.n), NULL);
    if (!rc)
        rc = skn_event_reader_end(&r, NULL);
    skn_event_reader_release(&r);
    expect(rc == expected, "cut lines fail differently");
    expect(skn_str_eq(json_of(cut, mem), json_of(whole, mem)), "cut lines fold differently");
    skein_timelines_free(whole);
    skein_timelines_free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    skn_str    text = {(const char *)data, size};
    skein_mem *mem = skein_mem_new();

    if (size == 0)
        text = SKN_STR("");
    split_by_lines(text, false, mem);
    split_by_lines(text, true, mem);
    split_by_bytes(text, mem);
    skein_mem_free(mem);
    return 0;
}
