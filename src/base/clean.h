/* clean.h: text that a terminal may be shown, whatever was stored. */
#ifndef SKN_BASE_CLEAN_H
#define SKN_BASE_CLEAN_H

#include "base/buf.h"

/* Is the first character of s one that would change what is shown around it: a C0 or C1 control, or one
 * that turns the direction of writing? *bytes is then how many it has. Tabs and line ends are. */
bool skn_clean_harmful(skn_str s, size_t *bytes);
/* Appends text without what could move a terminal's cursor; line ends stay if `lines`. */
void skn_clean_add(skn_buf *out, skn_str text, bool lines);

#endif
