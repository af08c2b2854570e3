#include "cli/line_search.h"

#include "base/utf8.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#define PATTERN_MOST 256
#define LINE_MOST    ((size_t)1 << 20)
#define CTRL_G       7
#define CTRL_H       8
#define CTRL_R       18
#define DELETE       127

void skn_line_search_init(skn_line_search *s)
{
    *s = (skn_line_search){.on = false};
    skn_buf_init(&s->pattern, PATTERN_MOST);
    skn_buf_init(&s->before, LINE_MOST);
    skn_buf_init(&s->line, LINE_MOST);
    skn_buf_init(&s->prompt, 2 * PATTERN_MOST);
}

void skn_line_search_release(skn_line_search *s)
{
    skn_buf_release(&s->pattern);
    skn_buf_release(&s->before);
    skn_buf_release(&s->line);
    skn_buf_release(&s->prompt);
}

static void set_line(skn_line_search *s, skn_str text)
{
    skn_buf_clear(&s->line);
    skn_buf_add(&s->line, text);
}

/* The newest line that has the pattern, from number `from` on. */
static bool find(skn_line_search *s, size_t from, skn_line_older *older, void *arg)
{
    const char *line = older(arg, true);

    for (size_t n = 0; line; line = older(arg, false), n++)
        if (n >= from && strstr(line, s->pattern.p)) {
            s->at = n;
            set_line(s, skn_str_of(line));
            return true;
        }
    return false;
}

static void seek(skn_line_search *s, size_t from, skn_line_older *older, void *arg)
{
    s->failed = s->pattern.n && !find(s, from, older, arg);
    if (!s->pattern.n)
        set_line(s, skn_buf_str(&s->before));
}

static void add_character(skn_buf *pattern, wchar_t c)
{
    char      bytes[MB_LEN_MAX];
    mbstate_t state;
    size_t    n;

    memset(&state, 0, sizeof state);
    n = wcrtomb(bytes, c, &state);
    if (n != (size_t)-1 && pattern->n + n < PATTERN_MOST)
        skn_buf_add(pattern, (skn_str){bytes, n});
}

static void drop_character(skn_buf *pattern)
{
    if (!pattern->n)
        return;
    pattern->n = skn_utf8_cut(skn_buf_str(pattern), pattern->n - 1).n;
    pattern->p[pattern->n] = '\0';
}

void skn_line_search_begin(skn_line_search *s, skn_str line)
{
    skn_buf_clear(&s->pattern);
    skn_buf_clear(&s->before);
    skn_buf_add(&s->before, line);
    set_line(s, line);
    s->at = 0;
    s->failed = false;
    s->on = true;
}

bool skn_line_search_take(skn_line_search *s, wchar_t key, skn_line_older *older, void *arg)
{
    if (key == CTRL_G) {
        skn_line_search_cancel(s);
    } else if (key == CTRL_R) {
        seek(s, s->at + 1, older, arg);
    } else if (key == CTRL_H || key == DELETE) {
        drop_character(&s->pattern);
        seek(s, 0, older, arg);
    } else if (iswprint((wint_t)key)) {
        add_character(&s->pattern, key);
        seek(s, s->at, older, arg);
    } else {
        s->on = false;
        return false;
    }
    return true;
}

void skn_line_search_cancel(skn_line_search *s)
{
    set_line(s, skn_buf_str(&s->before));
    s->on = false;
}

const char *skn_line_search_prompt(skn_line_search *s)
{
    skn_buf_clear(&s->prompt);
    skn_buf_addf(&s->prompt, "%s%.*s › ",
                 s->failed      ? "not found: "
                 : s->pattern.n ? "search "
                                : "search",
                 SKN_FMT(skn_buf_str(&s->pattern)));
    return s->prompt.p;
}
