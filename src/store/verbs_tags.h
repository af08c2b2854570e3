/* verbs_tags.h: tags and context files; part of the door (store.h includes it).
 *
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_TAGS_H
#define SKN_STORE_VERBS_TAGS_H

#include <skein/view.h>

/* How many tags the world has besides this one. */
skein_rc skn_tag_others(skn_tx *tx, int64_t world, skn_str name, int64_t *count,
                        skein_error *err);
/* Makes the tag, or changes the one with its name. */
skein_rc skn_tag_put(skn_tx *tx, int64_t world, const skein_tag *tag, int64_t now,
                     skein_error *err);
/* 0 when there is none. */
skein_rc skn_tag_find(skn_tx *tx, int64_t world, skn_str name, int64_t *id, skein_error *err);
/* All tags of the world in order of making, and which are active in the conversation (0: none). */
skein_rc skn_tag_rows(skn_tx *tx, int64_t world, int64_t conversation, skn_arena *a,
                      skein_tags *out, skein_error *err);
/* Removes it from the world and from every conversation. */
skein_rc skn_tag_drop(skn_tx *tx, int64_t id, skein_error *err);
skein_rc skn_tag_set_active(skn_tx *tx, int64_t conversation, int64_t id, bool active,
                            skein_error *err);

/* How many files the conversation has besides this one. */
skein_rc skn_file_others(skn_tx *tx, int64_t conversation, skn_str path, int64_t *count,
                         skein_error *err);
/* items: a JSON array of texts, or absent. */
skein_rc skn_file_put(skn_tx *tx, int64_t conversation, skn_str path, skn_str items,
                      int64_t now, skein_error *err);
skein_rc skn_file_drop(skn_tx *tx, int64_t conversation, skn_str path, bool *found,
                       skein_error *err);
/* In the order in which they were first set. */
skein_rc skn_file_rows(skn_tx *tx, int64_t conversation, skn_arena *a, skein_context_files *out,
                       skein_error *err);

#endif
