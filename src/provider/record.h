/* record.h: how a recording is laid out: for each request NAME-SHA256.request, and for the answers that it
 * got NAME-SHA256.1.response with NAME-SHA256.1.meta, then 2 and so on. Only record.c, record_plain.c and
 * replay.c include it.
 *
 * The sum is of the request without what no two runs have in common: ids and times that were made here. A .meta has
 * the ids of its request, and is written last, so an answer that has one is whole. */
#ifndef SKN_PROVIDER_RECORD_H
#define SKN_PROVIDER_RECORD_H

#include "provider/provider.h"

enum { SKN_RECORD_MOST = 64 << 20 /* bytes of a request or an answer */ };

enum { SKN_RECORD_META = 8 << 20 };

typedef skn_vec(skn_str) skn_record_ids;

/* A request in which each id is "#1", "#2", … by the order in which it comes first, and each time "@"; the ids are
 * views of it. */
skn_str skn_record_plain(skn_str request, skn_record_ids *ids, skn_arena *a);
/* The text with the ids `to` in the place of those of `from` with the same number. */
skn_str skn_record_rename(skn_str text, const skn_record_ids *from, const skn_record_ids *to,
                          skn_arena *a);
/* "FOLDER/NAME-SHA256" */
skn_str skn_record_stem(const char *folder, const char *name, skn_str request, skn_arena *a);
/* "STEM.3.meta" */
const char *skn_record_file(skn_str stem, int64_t number, const char *kind, skn_arena *a);
/* How many answers a request has. */
int64_t skn_record_count(skn_str stem, skn_arena *a);

#endif
