/* verbs_reply.h: what links messages to each other; part of the door (store.h includes it). */
#ifndef SKN_STORE_VERBS_REPLY_H
#define SKN_STORE_VERBS_REPLY_H

/* Every text that a message ever had, the first included, in order of making; none when there is no
 * such message. */
skein_rc skn_reply_lineage(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                           skein_error *err);
/* The messages that were squashed into this one. */
skein_rc skn_reply_sources(skn_tx *tx, int64_t id, skn_arena *a, skn_ids *out,
                           skein_error *err);
/* What the message replies to; 0 when it replies to nothing known. */
skein_rc skn_reply_link(skn_tx *tx, int64_t id, int64_t *reply_to, skein_error *err);

#endif
