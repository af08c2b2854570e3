/* script_read.h: what the readers of a script share: script.c reads rules, script_steps.c their steps. */
#ifndef SKN_PROVIDER_SCRIPT_READ_H
#define SKN_PROVIDER_SCRIPT_READ_H

#include "provider/script.h"

typedef struct skn_script_reader {
    skn_script  *s;
    const char  *what; /* names the source */
    skein_error *err;
    size_t       groups; /* of the current rule */
} skn_script_reader;

/* Fails with "FILE:line:column: …". */
skein_rc skn_script_fail(skn_script_reader *r, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#define SKN_SCRIPT_FAIL(r, v, ...) skn_script_fail((r), (v)->line, (v)->column, __VA_ARGS__)

/* Refuses keys that are not in `known`, a list of words with a blank before each. */
skein_rc skn_script_keys(skn_script_reader *r, const skn_yaml *map, const char *where,
                         const char *known);
/* Refuses anything but a text of 1 to `most` bytes. */
skein_rc skn_script_need_text(skn_script_reader *r, const skn_yaml *v, size_t most,
                              const char *what);
/* Reads a list of steps, or a text, which is one step that says it. */
skein_rc skn_script_read_steps(skn_script_reader *r, const skn_yaml *v, skn_script_steps *out);

#endif
