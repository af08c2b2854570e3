/* error.h: filling a skein_error. Fill it once, where the cause is known. */
#pragma once

#include <skein/error.h>

#include <stddef.h>

/* Sets code and message (hint becomes empty) and returns the code; err may be NULL. */
skein_rc skn_fail(skein_error *err, skein_rc rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Arguments may be file names or a stranger's bytes; a line is shown on terminals and stands in JSON, so what is left is
 * UTF-8 without what clean.h calls harmful. */
void skn_line_clean(char *line, size_t n);
/* Adds the hint to an error just filled and returns its code. */
skein_rc skn_hint(skein_error *err, skein_rc rc, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Both, with a hint that is said as it stands. */
skein_rc skn_fail_hint(skein_error *err, skein_rc rc, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* What input makes large found no memory: it fails alone, and may be tried again. */
skein_rc skn_no_memory(skein_error *err);
