/* record.h: how a recording is laid out: for each request NAME-SHA256.request, and for the answers that it
 * got NAME-SHA256.1.response with NAME-SHA256.1.meta, then 2 and so on. Only record.c and replay.c include
 * it.
 *
 * A .meta is written last, so an answer that has one is whole. */
#ifndef SKN_PROVIDER_RECORD_H
#define SKN_PROVIDER_RECORD_H

#include "provider/provider.h"

enum { SKN_RECORD_MOST = 64 << 20 /* bytes of a request or an answer */ };

/* "FOLDER/NAME-SHA256" */
skn_str skn_record_stem(const char *folder, const char *name, skn_str request, skn_arena *a);
/* "STEM.3.meta" */
const char *skn_record_file(skn_str stem, int64_t number, const char *kind, skn_arena *a);
/* How many answers a request has. */
int64_t skn_record_count(skn_str stem, skn_arena *a);

#endif
