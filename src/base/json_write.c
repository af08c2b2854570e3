#include "base/json_write.h"
#include "base/clock.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEEPEST = sizeof(((skn_jw *)0)->first) / sizeof(bool) };

void skn_jw_init(skn_jw *w, skn_buf *out)
{
    w->out = out;
    w->depth = 0;
    w->after_key = false;
}

void skn_jw_open(skn_jw *w, skn_buf *out, size_t limit)
{
    skn_buf_init(out, limit);
    skn_jw_init(w, out);
}

/* A comma, unless this is a member's value or the first thing in its bracket. Past the deepest
 * level nothing is written any more, so nothing is remembered either. */
static void comma(skn_jw *w)
{
    if (w->after_key || w->depth == 0 || w->depth > DEEPEST) {
        w->after_key = false;
        return;
    }
    if (!w->first[w->depth - 1])
        skn_buf_addc(w->out, ',');
    w->first[w->depth - 1] = false;
}

static void open_bracket(skn_jw *w, char c)
{
    comma(w);
    if (w->depth < DEEPEST)
        w->first[w->depth] = true;
    else
        w->out->over = true;
    w->depth++;
    skn_buf_addc(w->out, c);
}

static void close_bracket(skn_jw *w, char c)
{
    assert(w->depth > 0 && !w->after_key);
    w->depth--;
    skn_buf_addc(w->out, c);
}

void skn_jw_object(skn_jw *w)
{
    open_bracket(w, '{');
}

void skn_jw_object_end(skn_jw *w)
{
    close_bracket(w, '}');
}

void skn_jw_array(skn_jw *w)
{
    open_bracket(w, '[');
}

void skn_jw_array_end(skn_jw *w)
{
    close_bracket(w, ']');
}

/* True if c can be copied as it is; 0xe2 may begin U+2028 or U+2029. */
static bool plain(char c)
{
    unsigned char u = (unsigned char)c;

    return u >= 0x20 && u != '"' && u != '\\' && u != 0x7f && u != 0xe2;
}

static size_t plain_run(skn_str s)
{
    size_t n = 0;

    while (s.n - n >= 8 && skn_json_plain(skn_json_word(s.p + n)))
        n += 8;
    while (n < s.n && plain(s.p[n]))
        n++;
    return n;
}

/* Writes what stands at the front of s, which is not plain; returns the bytes used. */
static size_t escape(skn_buf *out, skn_str s)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    unsigned char     c = (unsigned char)*s.p;
    const char       *at;

    if (c == 0xe2) {
        bool line = skn_str_starts(s, SKN_STR("\xe2\x80\xa8"));

        if (!line && !skn_str_starts(s, SKN_STR("\xe2\x80\xa9"))) {
            skn_buf_addc(out, *s.p);
            return 1;
        }
        skn_buf_add(out, line ? SKN_STR("\\u2028") : SKN_STR("\\u2029"));
        return 3;
    }
    at = c ? strchr(from, c) : NULL;
    if (at) {
        skn_buf_addc(out, '\\');
        skn_buf_addc(out, to[at - from]);
    } else {
        skn_buf_addf(out, "\\u%04x", c);
    }
    return 1;
}

static void quote(skn_buf *out, skn_str s)
{
    skn_buf_addc(out, '"');
    while (s.n && !out->over) {
        size_t run = plain_run(s);

        skn_buf_add(out, skn_str_sub(s, 0, run));
        if (run < s.n)
            run += escape(out, skn_str_sub(s, run, s.n));
        s = skn_str_sub(s, run, s.n);
    }
    skn_buf_addc(out, '"');
}

void skn_jw_key_str(skn_jw *w, skn_str key)
{
    assert(w->depth > 0 && !w->after_key);
    comma(w);
    quote(w->out, key);
    skn_buf_addc(w->out, ':');
    w->after_key = true;
}

void skn_jw_key(skn_jw *w, const char *key)
{
    skn_jw_key_str(w, skn_str_of(key));
}

void skn_jw_key_raw(skn_jw *w, skn_str key)
{
    assert(w->depth > 0 && !w->after_key);
    comma(w);
    skn_buf_add(w->out, key);
    w->after_key = true;
}

void skn_jw_raw(skn_jw *w, skn_str json)
{
    comma(w);
    skn_buf_add(w->out, json);
}

void skn_jw_str(skn_jw *w, skn_str s)
{
    if (!s.p) {
        skn_jw_null(w);
        return;
    }
    comma(w);
    quote(w->out, s);
}

void skn_jw_int(skn_jw *w, int64_t v)
{
    char     text[20]; /* the longest is -9223372036854775808 */
    size_t   at = sizeof text;
    uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;

    do {
        text[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest);
    if (v < 0)
        text[--at] = '-';
    skn_jw_raw(w, (skn_str){text + at, sizeof text - at});
}

/* An embedding program may have set a locale whose decimal point is a comma, or longer. */
static size_t point(char *text)
{
    size_t n = 0;

    for (char *p = text; *p; p++) {
        if (strchr("0123456789+-e", *p))
            text[n++] = *p;
        else if (n == 0 || text[n - 1] != '.')
            text[n++] = '.';
    }
    text[n] = '\0';
    return n;
}

/* Fifteen digits are enough for every short decimal, save where numbers lose precision. */
void skn_jw_double(skn_jw *w, double v)
{
    char text[40];
    int  digits = fabs(v) < DBL_MIN ? 1 : DBL_DIG;

    if (!isfinite(v)) {
        skn_jw_null(w);
        return;
    }
    do
        snprintf(text, sizeof text, "%.*g", digits, v);
    while (strtod(text, NULL) != v && ++digits <= DBL_DECIMAL_DIG);
    skn_jw_raw(w, (skn_str){text, point(text)});
}

void skn_jw_bool(skn_jw *w, bool v)
{
    skn_jw_raw(w, v ? SKN_STR("true") : SKN_STR("false"));
}

void skn_jw_null(skn_jw *w)
{
    skn_jw_raw(w, SKN_STR("null"));
}

void skn_jw_kstr(skn_jw *w, const char *key, skn_str s)
{
    skn_jw_key(w, key);
    skn_jw_str(w, s);
}

void skn_jw_kgiven(skn_jw *w, const char *key, skn_str s)
{
    if (s.p)
        skn_jw_kstr(w, key, s);
}

void skn_jw_kint(skn_jw *w, const char *key, int64_t v)
{
    skn_jw_key(w, key);
    skn_jw_int(w, v);
}

void skn_jw_kbool(skn_jw *w, const char *key, bool v)
{
    skn_jw_key(w, key);
    skn_jw_bool(w, v);
}

void skn_jw_knull(skn_jw *w, const char *key)
{
    skn_jw_key(w, key);
    skn_jw_null(w);
}

void skn_jw_kraw(skn_jw *w, const char *key, skn_str json)
{
    skn_jw_key(w, key);
    skn_jw_raw(w, json);
}

void skn_jw_karray(skn_jw *w, const char *key)
{
    skn_jw_key(w, key);
    skn_jw_array(w);
}

void skn_jw_kobject(skn_jw *w, const char *key)
{
    skn_jw_key(w, key);
    skn_jw_object(w);
}

void skn_jw_kstrs(skn_jw *w, const char *key, const skn_str *list, size_t count)
{
    skn_jw_karray(w, key);
    for (size_t i = 0; i < count; i++)
        skn_jw_str(w, list[i]);
    skn_jw_array_end(w);
}

void skn_jw_member(skn_jw *w, const skn_json *m)
{
    skn_jw_key_str(w, m->key);
    skn_jw_raw(w, m->raw);
}

void skn_jw_ktime(skn_jw *w, const char *key, int64_t micros)
{
    char text[SKN_TIME_TEXT];

    skn_jw_kstr(w, key, micros ? skn_time_format(micros, text) : SKN_NONE);
}

typedef struct writing {
    skn_jw       *w;
    skn_json_say *say;
    const void   *arg;
    skn_arena    *a;
} writing;

static skn_str said(const writing *to, skn_str text)
{
    return to->say ? to->say(to->arg, text, to->a) : text;
}

static void write_value(const writing *to, const skn_json *v);

static int by_key(const void *one, const void *two)
{
    skn_str a = (*(const skn_json *const *)one)->key, b = (*(const skn_json *const *)two)->key;
    int     order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);

    return order ? order : a.n < b.n ? -1 : a.n > b.n;
}

static void write_members(const writing *to, const skn_json *v)
{
    const skn_json **members = SKN_ARRAY(to->a, v->count + 1, const skn_json *);
    size_t           n = 0;

    for (const skn_json *m = v->first; m; m = m->next)
        members[n++] = m;
    qsort(members, n, sizeof *members, by_key);
    skn_jw_object(to->w);
    for (size_t i = 0; i < n; i++) {
        skn_jw_key_str(to->w, said(to, members[i]->key));
        write_value(to, members[i]);
    }
    skn_jw_object_end(to->w);
}

/* As deep as the reader lets a source be, SKN_JSON_DEPTH. */
static void write_value(const writing *to, const skn_json *v)
{
    switch (v->kind) {
    case SKN_JSON_NULL:
        skn_jw_null(to->w);
        break;
    case SKN_JSON_BOOL:
        skn_jw_bool(to->w, v->boolean);
        break;
    case SKN_JSON_NUMBER:
        skn_jw_raw(to->w, v->text);
        break;
    case SKN_JSON_STRING:
        skn_jw_str(to->w, said(to, v->text));
        break;
    case SKN_JSON_ARRAY:
        skn_jw_array(to->w);
        for (const skn_json *e = v->first; e; e = e->next)
            write_value(to, e);
        skn_jw_array_end(to->w);
        break;
    case SKN_JSON_OBJECT:
        write_members(to, v);
        break;
    }
}

void skn_json_write_sorted(skn_jw *w, const skn_json *v, skn_json_say *say, const void *arg,
                           skn_arena *a)
{
    const writing to = {w, say, arg, a};

    write_value(&to, v);
}
