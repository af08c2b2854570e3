/* record.h: the files of a recording: NAME-SHA256.request for each request, and for its answers
 * NAME-SHA256.1.response with NAME-SHA256.1.meta, then 2 and so on. Only record.c, record_plain.c and replay.c
 * include it.
 *
 * The hash leaves out what differs in every run: ids and times that were made here. A .meta has the ids of its
 * request. It is written last, so an answer that has one is complete. */
#ifndef SKN_PROVIDER_RECORD_H
#define SKN_PROVIDER_RECORD_H

#include "provider/provider.h"

enum { SKN_RECORD_MOST = 64 << 20 /* bytes of a request or an answer */ };

enum { SKN_RECORD_META = 8 << 20 };

typedef skn_vec(skn_str) skn_record_ids;

/* Returns the request with each id replaced by "#1", "#2", … in order of first appearance, and each time by "@"; the
 * ids are views of the request. */
skn_str skn_record_plain(skn_str request, skn_record_ids *ids, skn_arena *a);
/* Replaces the ids of `from` in a text by those of `to` with the same number. */
skn_str skn_record_rename(skn_str text, const skn_record_ids *from, const skn_record_ids *to,
                          skn_arena *a);
/* "FOLDER/NAME-SHA256" */
skn_str skn_record_stem(const char *folder, const char *name, skn_str request, skn_arena *a);
/* "STEM.3.meta" */
const char *skn_record_file(skn_str stem, int64_t number, const char *kind, skn_arena *a);
/* Returns how many answers a request has. */
int64_t skn_record_count(skn_str stem, skn_arena *a);

#endif
