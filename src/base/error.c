#include "base/error.h"

#include "base/clean.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int         http, exit;
} outcomes[] = {
    [SKEIN_OK] = {"OK", 200, 0},
#define SKEIN_CODE(name, json, http, exit) [SKEIN_##name] = {json, http, exit},
#include <skein/codes.def>
#undef SKEIN_CODE
};

/* What is none of them is a failure. */
static size_t outcome(skein_rc rc)
{
    return (size_t)rc < sizeof outcomes / sizeof *outcomes ? (size_t)rc : SKEIN_FAILED;
}

const char *skein_rc_name(skein_rc rc)
{
    return outcomes[outcome(rc)].name;
}

int skein_rc_http(skein_rc rc)
{
    return outcomes[outcome(rc)].http;
}

int skein_rc_exit(skein_rc rc)
{
    return outcomes[outcome(rc)].exit;
}

void skn_line_clean(char *line, size_t n)
{
    size_t at = 0, bad = 0;

    while (!skn_utf8_valid((skn_str){line + at, n - at}, &bad)) {
        line[at + bad] = '?';
        at += bad + 1;
    }
    for (size_t i = 0; i < n; i += bad)
        if (skn_clean_harmful((skn_str){line + i, n - i}, &bad))
            memset(line + i, ' ', bad);
}

/* Formats aside first: an argument may be the very field that is filled. */
__attribute__((format(printf, 3, 0))) static void fill(char *out, size_t cap, const char *fmt,
                                                       va_list args)
{
    char    line[512];
    int     n = vsnprintf(line, sizeof line, fmt, args);
    size_t  len;
    skn_str cut;

    len = n < 0 ? 0 : (size_t)n < sizeof line ? (size_t)n : sizeof line - 1;
    cut = skn_utf8_cut((skn_str){line, len}, cap - 1);
    skn_line_clean(line, cut.n);
    memcpy(out, line, cut.n);
    out[cut.n] = '\0';
}

skein_rc skn_fail(skein_error *err, skein_rc rc, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return rc;
    va_start(args, fmt);
    fill(err->message, sizeof err->message, fmt, args);
    va_end(args);
    err->rc = rc;
    err->hint[0] = '\0';
    return rc;
}

skein_rc skn_hint(skein_error *err, skein_rc rc, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return rc;
    va_start(args, fmt);
    fill(err->hint, sizeof err->hint, fmt, args);
    va_end(args);
    return rc;
}

skein_rc skn_fail_hint(skein_error *err, skein_rc rc, const char *hint, const char *fmt, ...)
{
    va_list args;

    if (!err)
        return rc;
    va_start(args, fmt);
    fill(err->message, sizeof err->message, fmt, args);
    va_end(args);
    err->rc = rc;
    return skn_hint(err, rc, "%s", hint);
}

skein_rc skn_no_memory(skein_error *err)
{
    return skn_fail(err, SKEIN_NO_MEMORY,
                    "there is not enough memory for this request just now");
}
