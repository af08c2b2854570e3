/* verbs_audit.h: the trail of changes; part of the door (store.h includes it).
 *
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_AUDIT_H
#define SKN_STORE_VERBS_AUDIT_H

#include <skein/work.h>

/* Nothing ever changes or removes one. */
skein_rc skn_audit_insert(skn_tx *tx, const skein_audit_row *row, skein_error *err);
/* Those with a smaller id, the newest first. */
skein_rc skn_audit_rows_before(skn_tx *tx, int64_t before, size_t limit, skn_arena *a,
                               skein_audit_rows *out, skein_error *err);

#endif
