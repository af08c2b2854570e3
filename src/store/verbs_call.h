/* verbs_call.h: what models were sent and answered; part of the door (store.h includes it).
 *
 * A request is a list of pieces, each kept once under the SHA-256 of its bytes: a context that only grew
 * costs its last pieces. Hashes are 64 hexadecimal digits, in a request's row 32 bytes each.
 * Threads, lifetimes: as in store.h. */
#ifndef SKN_STORE_VERBS_CALL_H
#define SKN_STORE_VERBS_CALL_H

#include <skein/agents.h>

#define SKN_HASH_BYTES ((size_t)32)

/* --- calls of models: store_call.c --- */

/* First in a transaction that keeps calls: until it ends no piece is removed. */
skein_rc skn_pieces_share(skn_tx *tx, skein_error *err);
/* First in one that removes pieces: until it ends no call is kept. */
skein_rc skn_pieces_hold(skn_tx *tx, skein_error *err);
/* Which of the hashes have their piece? And when text was last erased from the store; 0: never. */
skein_rc skn_pieces_known(skn_tx *tx, const skn_str *hashes, size_t count, bool *known,
                          int64_t *erased_at, skn_arena *a, skein_error *err);
/* One that is there already is left as it is. */
skein_rc skn_piece_insert(skn_tx *tx, skn_str hash, skn_str bytes, skein_error *err);
/* Their bytes, into bytes[i]; absent for one that is not there. */
skein_rc skn_pieces_read(skn_tx *tx, const skn_str *hashes, size_t count, skn_str *bytes,
                         skn_arena *a, skein_error *err);
/* Text was erased: what was sent before that is not kept from now on. */
skein_rc skn_pieces_erased(skn_tx *tx, int64_t now, skein_error *err);

typedef struct skn_call_row {
    skein_model_call call;     /* without pieces and response */
    skn_str          request;  /* hashes, 32 bytes each */
    skn_str          response; /* a hash; absent: none */
} skn_call_row;

skein_rc skn_call_insert(skn_tx *tx, const skn_call_row *row, skein_error *err);
/* By its public id, or the last of the message with that id. */
skein_rc skn_call_get(skn_tx *tx, int64_t world, skn_str uid, skn_arena *a, skn_call_row *out,
                      bool *found, skein_error *err);
/* Of a message, oldest first; when that is absent of an agent, newest first; of all when it is 0. */
skein_rc skn_model_calls_of(skn_tx *tx, int64_t world, skn_str message_uid, int64_t agent,
                            size_t limit, skn_arena *a, skein_model_calls *out,
                            skein_error *err);
skein_rc skn_call_tokens(skn_tx *tx, int64_t world, int64_t since, int64_t *tokens,
                         skein_error *err);
/* What every model used since a time, in all worlds. */
skein_rc skn_call_spending(skn_tx *tx, int64_t since, skn_arena *a, skein_model_uses *out,
                           skein_error *err);
/* What the last call of each message cost, into out[i]; those without a call are left as they are. */
skein_rc skn_call_usage(skn_tx *tx, int64_t world, const skn_ids *messages, skn_arena *a,
                        skein_usage *out, skein_error *err);
/* Empties the calls of a conversation, and those of its world that belong to none; the rows stay, since
 * they say what was spent. */
skein_rc skn_call_erase(skn_tx *tx, int64_t conversation, skein_error *err);

/* One call as the check sees it; the texts die with the next. */
typedef skein_rc skn_call_sink(void *arg, skn_str uid, skn_str request, skn_str response,
                               skein_error *err);
/* Hands over every call, or only those that skn_call_erase would empty; conversation 0: every. */
skein_rc skn_call_each(skn_tx *tx, int64_t conversation, skn_call_sink *sink, void *arg,
                       skein_error *err);
skein_rc skn_piece_remove(skn_tx *tx, skn_str hash, skein_error *err);

/* --- copies of messages: store_message.c --- */

/* Whoever repeats words of a message that is said in another conversation keeps that one first, and reads them then: so
 * an erasure either finds the copy or was there before the words were read. 0: of none. */
skein_rc skn_copy_hold(skn_tx *tx, int64_t source, skein_error *err);
/* A message repeats words of another one (0: of none), and is erased with it. */
skein_rc skn_copy_add(skn_tx *tx, int64_t message, int64_t source, skein_error *err);
/* A message and the conversation it was said in. */
typedef struct skn_copy {
    int64_t message, home;
} skn_copy;
typedef struct skn_copy_list {
    skn_copy *at;
    size_t    count;
} skn_copy_list;
/* The messages that repeat one of these. */
skein_rc skn_copies_of(skn_tx *tx, const skn_ids *messages, skn_arena *a, skn_copy_list *out,
                       skein_error *err);

/* Empties what tasks, the inbox, knowledge and delegations hold of these messages' texts; before the
 * messages themselves are. */
skein_rc skn_copies_erase(skn_tx *tx, const skn_ids *messages, skn_arena *a, skein_error *err);
/* The pending tasks that are these messages: nobody can do them any more. */
skein_rc skn_copies_pending(skn_tx *tx, const skn_ids *messages, skn_arena *a, skn_ids *out,
                            skein_error *err);

#endif
