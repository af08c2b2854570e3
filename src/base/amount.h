/* amount.h: sizes and durations as people write them: "64kB", "15 m".
 *
 * Threads: any. */
#ifndef SKN_BASE_AMOUNT_H
#define SKN_BASE_AMOUNT_H

#include "base/str.h"

/* False when the text is none. Sizes know kB MB GB, durations ms s m h d. */
bool skn_amount_size(skn_str text, int64_t *bytes);
bool skn_amount_duration(skn_str text, int64_t *ms);

#endif
