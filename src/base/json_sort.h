/* json_sort.h: JSON values written so that equal ones are equal texts: members in the order of their keys' bytes, no blanks,
 * and one way to escape. Numbers stay as they were written.
 *
 * Threads: any.  Lifetimes: the arena is for scratch; nothing in it is given away. */
#ifndef SKN_BASE_JSON_SORT_H
#define SKN_BASE_JSON_SORT_H

#include "base/json.h"
#include "base/json_write.h"

/* What is written in place of a text that is no key. */
typedef skn_str skn_json_say(const void *arg, skn_str text, skn_arena *a);

/* say may be NULL: texts stay as they are. */
void skn_json_write_sorted(skn_jw *w, const skn_json *v, skn_json_say *say, const void *arg,
                           skn_arena *a);

#endif
