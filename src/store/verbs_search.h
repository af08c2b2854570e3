/* verbs_search.h: the index of words, and finding messages by it; part of the door (store.h
 * includes it).
 *
 * The index holds words as base/words.h makes them, of every message up to a number. It may offer
 * more than fits (PostgreSQL's does not know which words are neighbours), never less.
 *
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_SEARCH_H
#define SKN_STORE_VERBS_SEARCH_H

#include "base/words.h"

typedef struct skn_text {
    int64_t id;
    skn_str text;
} skn_text;

typedef struct skn_texts {
    skn_text *at;
    size_t    count;
} skn_texts;

/* Makes sure that no other transaction may still add a message with a smaller id than the newest
 * one. SKEIN_BUSY when one may: at once, or with `wait` after a moment, in which others that add
 * messages have to wait too. */
skein_rc skn_words_settle(skn_tx *tx, bool wait, skein_error *err);
typedef enum skn_words_hold {
    SKN_WORDS_LOOK, /* others may change the index meanwhile */
    SKN_WORDS_TAKE, /* nobody else does until the transaction ends */
    SKN_WORDS_TRY   /* the same, or SKEIN_BUSY when somebody does */
} skn_words_hold;
/* The last message that the index knows of. */
skein_rc skn_words_upto(skn_tx *tx, skn_words_hold hold, int64_t *id, skein_error *err);
skein_rc skn_words_set_upto(skn_tx *tx, int64_t id, skein_error *err);
/* Empties the index, whatever is in it. */
skein_rc skn_words_clear(skn_tx *tx, skein_error *err);
/* The next few messages with ids above `after` and up to `last`: the beginning of their texts. */
skein_rc skn_words_texts(skn_tx *tx, int64_t after, int64_t last, skn_arena *a, skn_texts *out,
                         skein_error *err);
/* Puts messages in; their texts are lists as skn_words_list makes them. */
skein_rc skn_words_add(skn_tx *tx, const skn_texts *lists, skein_error *err);
/* Takes a message out of the index; words must be the list it was put in with. */
skein_rc skn_words_remove(skn_tx *tx, int64_t id, skn_str words, skein_error *err);

/* A message that may be a hit. */
typedef struct skn_search_row {
    int64_t id, conversation;
    bool    hidden; /* its conversation is */
} skn_search_row;

typedef struct skn_search_rows {
    skn_search_row *at;
    size_t          count;
} skn_search_rows;

/* Which messages: of a conversation and those it was branched from, of a world; 0 is any. */
typedef struct skn_search_scope {
    int64_t conversation, world;
} skn_search_scope;

/* The newest few that have all these words, among ids below a number; none when there are no more. */
skein_rc skn_words_page(skn_tx *tx, const skn_search_scope *scope, const skn_terms *terms,
                        int64_t below, skn_arena *a, skn_search_rows *out, skein_error *err);
/* The same without the index: every message above `after`. */
skein_rc skn_words_scan(skn_tx *tx, const skn_search_scope *scope, int64_t after, int64_t below,
                        skn_arena *a, skn_search_rows *out, skein_error *err);
/* Conversations that were branched from this one, or from a branch of it, and are not hidden. */
skein_rc skn_words_branches(skn_tx *tx, int64_t conversation, skn_arena *a, skn_ids *out,
                            skein_error *err);
/* The number of the version of a conversation in which a message was said; 0 when there is none. */
skein_rc skn_words_said_in(skn_tx *tx, int64_t message, int64_t conversation, int64_t *number,
                           skein_error *err);

#endif
