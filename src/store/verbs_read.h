/* verbs_read.h: reading many rows at once, for views; part of the door (store.h includes it).
 *
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_READ_H
#define SKN_STORE_VERBS_READ_H

typedef enum skn_edge_kind {
    SKN_EDGE_REPLY, /* from a message to those that reply to it */
    SKN_EDGE_AMEND, /* from a lineage to its later versions */
    SKN_EDGE_SOURCE /* from a squash's result to what it was made of */
} skn_edge_kind;

typedef struct skn_edge {
    int64_t from, to;
} skn_edge;

typedef struct skn_edges {
    skn_edge *at;
    size_t    count;
} skn_edges;

/* What a message is known by. */
typedef struct skn_head {
    int64_t    id, lineage, conversation_id;
    skn_str    uid;
    skein_role role;
} skn_head;

typedef struct skn_heads {
    skn_head *at;
    size_t    count;
} skn_heads;

typedef struct skn_placed {
    int64_t       message_id;
    skn_placement place;
} skn_placed;

typedef struct skn_placed_list {
    skn_placed *at;
    size_t      count;
} skn_placed_list;

typedef struct skn_thread_rows {
    skn_thread_row *at;
    int64_t        *numbers; /* of the versions they belong to; only from skn_threads_of_lane */
    size_t          count;
} skn_thread_rows;

/* Edges from any of these, those to older messages first; sources in the order of their squash. */
skein_rc skn_edges_of(skn_tx *tx, skn_edge_kind kind, const skn_ids *from, skn_arena *a,
                      skn_edges *out, skein_error *err);
/* Heads of those of these messages that exist, by id. */
skein_rc skn_heads_of(skn_tx *tx, const skn_ids *ids, skn_arena *a, skn_heads *out,
                      skein_error *err);
/* At most `limit` messages born in a conversation whose public ids begin so. */
skein_rc skn_heads_by_prefix(skn_tx *tx, skn_str prefix, int64_t conversation, int64_t limit,
                             skn_arena *a, skn_heads *out, skein_error *err);
/* The same of all conversations. */
skein_rc skn_heads_by_beginning(skn_tx *tx, skn_str prefix, int64_t limit, skn_arena *a,
                                skn_heads *out, skein_error *err);
/* Those of all conversations whose public ids end so. It looks at every id of the store. */
skein_rc skn_heads_by_ending(skn_tx *tx, skn_str ending, int64_t limit, skn_arena *a,
                             skn_heads *out, skein_error *err);
/* Every place of these messages, by message. */
skein_rc skn_placements_of(skn_tx *tx, const skn_ids *ids, skn_arena *a, skn_placed_list *out,
                           skein_error *err);
/* The threads of a version, by lane. */
skein_rc skn_threads_of_version(skn_tx *tx, int64_t version, skn_arena *a, skn_thread_rows *out,
                                skein_error *err);
/* At most `limit` threads of a lane in versions below a number, newest version first. */
skein_rc skn_threads_of_lane(skn_tx *tx, int64_t conversation, int64_t lane, int64_t below,
                             int64_t limit, skn_arena *a, skn_thread_rows *out,
                             skein_error *err);
/* All versions, newest first; `current` is set where the version has this id. */
skein_rc skn_version_history(skn_tx *tx, int64_t conversation, int64_t current, skn_arena *a,
                             skein_versions *out, skein_error *err);
/* How often messages were erased in this store. */
skein_rc skn_erasures(skn_tx *tx, int64_t *count, skein_error *err);
/* Counts an erasure: whoever remembers texts forgets them. */
skein_rc skn_erasure_count(skn_tx *tx, skein_error *err);

#endif
