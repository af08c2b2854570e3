/* verbs_check.h: reading the whole store to check it, a bounded piece at a time; part of the door
 * (store.h includes it).
 *
 * Everything here also works on a store whose rows contradict each other. Sinks get views that are
 * gone when they return, and may use other verbs.
 *
 * Threads, lifetimes: as in store.h. */
#pragma once

typedef struct skn_check_counts {
    int64_t messages, threads, nodes, conversations, warnings;
    int64_t ahead; /* messages with a time that nobody can have been at yet */
} skn_check_counts;

skein_rc skn_check_count(skn_tx *tx, skn_check_counts *out, skein_error *err);

enum skn_invariant_name {
#define SKN_INVARIANT(constant, name, sentence) SKN_INV_##constant,
#include "store/invariants.def"
#undef SKN_INVARIANT
    SKN_INVARIANTS
};

typedef struct skn_invariant {
    const char *name, *sentence;
} skn_invariant;

extern const skn_invariant skn_invariants[SKN_INVARIANTS];

/* Gets what is wrong: the invariant, and one line. */
typedef void skn_check_sink(void *arg, enum skn_invariant_name invariant, skn_str text);

/* The rules that the database itself can decide, row against row. */
skein_rc skn_check_rules(skn_tx *tx, skn_check_sink *sink, void *arg, skein_error *err);
/* The database's own opinion of its file. */
skein_rc skn_check_database(skn_tx *tx, skn_check_sink *sink, void *arg, skein_error *err);
/* The search index alone: SKEIN_DAMAGED. On PostgreSQL it is a table as any other. */
skein_rc skn_check_index(skn_tx *tx, skein_error *err);

/* --- Rows to go through --------------------------------------------------------------------------- */

#define SKN_CHECK_TEXTS 8

typedef struct skn_check_message {
    int64_t id, conversation;
    skn_str uid, content, calls, instructions;
    skn_str texts[SKN_CHECK_TEXTS]; /* thinking, then the others; on PostgreSQL those are
                                       absent, the server checks them */
    int64_t hash;
    bool    hashed, purged;
    bool    indexed; /* in the search index, or not yet due there */
} skn_check_message;

/* A row for a call, with the calls of its message. */
typedef struct skn_check_call {
    int64_t conversation, message;
    skn_str call_id, message_uid, calls;
} skn_check_call;

typedef struct skn_check_item {
    int64_t thread, seq, message, key;
    int64_t conversation; /* of the message; 0 when there is no such message */
    int64_t lane;         /* only of SKN_CHECK_PLACES */
} skn_check_item;

typedef struct skn_check_node {
    int64_t id, conversation;
    int     level;
    skn_str entries;
} skn_check_node;

typedef struct skn_check_file {
    int64_t id;
    skn_str path, items;
} skn_check_file;

typedef struct skn_check_blob {
    int64_t id, size; /* as the world has it */
    skn_str hash, bytes;
    bool    there;
} skn_check_blob;

typedef enum skn_check_table {
    SKN_CHECK_MESSAGES,    /* skn_check_message */
    SKN_CHECK_CALLS,       /* skn_check_call */
    SKN_CHECK_ITEMS,       /* skn_check_item, by thread and seq */
    SKN_CHECK_PLACES,      /* the same, by message */
    SKN_CHECK_NODES,       /* skn_check_node */
    SKN_CHECK_THREADS,     /* skn_thread_row */
    SKN_CHECK_COMPACTIONS, /* skn_compaction_row */
    SKN_CHECK_FILES,       /* skn_check_file */
    SKN_CHECK_BLOBS        /* skn_check_blob */
} skn_check_table;

typedef skein_rc skn_check_row_sink(void *arg, const void *row, skein_error *err);
/* Hands over every row of a table, as the struct that stands beside its name. */
skein_rc skn_check_each(skn_tx *tx, skn_check_table table, skn_check_row_sink *sink, void *arg,
                        skein_error *err);
/* The smallest and largest key of items [lo, lo+len); `rising` says that the ends have them. *found
 * is false when an end is missing. */
skein_rc skn_check_keys(skn_tx *tx, int64_t thread, int64_t lo, int64_t len, bool rising,
                        int64_t *kmin, int64_t *kmax, bool *found, skein_error *err);

/* The permitted uses of a thread's items. */
typedef struct skn_check_source {
    int64_t id;                                /* 0: there is no such thread */
    int64_t lane, conversation, branched_from; /* of the lane: the one it was branched from */
    int64_t own, patches;                      /* items 0 … own-1, and -patches … -1 */
} skn_check_source;

skein_rc skn_check_source_of(skn_tx *tx, int64_t thread, skn_check_source *out,
                             skein_error *err);
