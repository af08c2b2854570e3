/* json_write.h: JSON straight into a buffer, with a stack of brackets instead of a tree.
 *
 * Commas are the writer's business. Text must be UTF-8; control characters are escaped, and also
 * U+2028 and U+2029, so that the output may stand in a script. Nesting is limited to 256. */
#pragma once

#include "base/buf.h"
#include "base/json.h"

typedef struct skn_jw {
    skn_buf *out;
    unsigned depth;
    bool     first[256]; /* nothing written yet at this depth */
    bool     after_key;
} skn_jw;

void skn_jw_init(skn_jw *w, skn_buf *out);
/* The same, with a buffer that is begun too. */
void skn_jw_open(skn_jw *w, skn_buf *out, size_t limit);
void skn_jw_object(skn_jw *w);
void skn_jw_object_end(skn_jw *w);
void skn_jw_array(skn_jw *w);
void skn_jw_array_end(skn_jw *w);
void skn_jw_key(skn_jw *w, const char *key);
void skn_jw_key_str(skn_jw *w, skn_str key);
void skn_jw_key_raw(skn_jw *w, skn_str key); /* "key": with quotes and colon, trusted */
void skn_jw_str(skn_jw *w, skn_str s);       /* an absent text becomes null */
void skn_jw_int(skn_jw *w, int64_t v);
void skn_jw_double(skn_jw *w, double v); /* shortest text that reads back equal */
void skn_jw_bool(skn_jw *w, bool v);
void skn_jw_null(skn_jw *w);
void skn_jw_raw(skn_jw *w, skn_str json); /* already JSON, trusted */
/* Key and value in one. */
void skn_jw_kstr(skn_jw *w, const char *key, skn_str s);
void skn_jw_kgiven(skn_jw *w, const char *key, skn_str s); /* of an absent text nothing */
void skn_jw_kint(skn_jw *w, const char *key, int64_t v);
void skn_jw_kbool(skn_jw *w, const char *key, bool v);
void skn_jw_knull(skn_jw *w, const char *key);
void skn_jw_kraw(skn_jw *w, const char *key, skn_str json);
void skn_jw_kstrs(skn_jw *w, const char *key, const skn_str *list, size_t count);
/* A key whose value is begun. */
void skn_jw_karray(skn_jw *w, const char *key);
void skn_jw_kobject(skn_jw *w, const char *key);
/* A member of an object that was read, as it stood there. */
void skn_jw_member(skn_jw *w, const skn_json *m);
/* A time in microseconds as RFC 3339 UTC with milliseconds; 0 becomes null. */
void skn_jw_ktime(skn_jw *w, const char *key, int64_t micros);

/* --- Equal values as equal texts ---------------------------------------------------------------------- */

/* What is written in place of a text, be it a key or a value. */
typedef skn_str skn_json_say(const void *arg, skn_str text, skn_arena *a);
/* Writes members in the order of their keys' bytes, without blanks, and escapes in one way only. Numbers stay as they
 * were written; so do texts if `say` is NULL. The arena is for scratch. */
void skn_json_write_sorted(skn_jw *w, const skn_json *v, skn_json_say *say, const void *arg,
                           skn_arena *a);
