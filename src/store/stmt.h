/* stmt.h: the few shapes that nearly every statement of the store has. Only for this folder. */
#ifndef SKN_STORE_STMT_H
#define SKN_STORE_STMT_H

#include "base/buf.h"
#include "store/db.h"
#include "store/store.h"
#include "store/tx.h"

/* How many rows are wanted at most; SIZE_MAX is all, which a database would read as a negative number. */
void skn_stmt_bind_limit(skn_stmt *s, size_t limit);
/* Runs a statement that returns one number, and is done with it; *out is 0 without a row. */
skein_rc skn_stmt_number(skn_stmt *s, int64_t *out, skein_error *err);
/* Runs a statement whose rows are one number each, and is done with it. */
skein_rc skn_stmt_numbers(skn_stmt *s, skn_arena *a, skn_ids *out, skein_error *err);
/* Runs a statement without rows and says whether it changed any row. */
skein_rc skn_stmt_changed(skn_tx *tx, skn_stmt *s, bool *changed, skein_error *err);
/* Passes rc on; when it is a collision of an id that we made, asks for the work to be run again. */
skein_rc skn_tx_made_uid(skn_tx *tx, skein_rc rc);
/* A text of the current row, kept in the arena. */
skn_str skn_stmt_keep(const skn_stmt *s, int column, skn_arena *a);
/* The words for the states of a lane; a word that is none reads as interrupted. */
const char      *skn_lane_state_word(skein_lane_state state);
skein_lane_state skn_lane_state_of(skn_str name);
/* The end of all texts that begin with prefix, for "uid >= prefix AND uid < end". */
skn_str skn_prefix_end(skn_str prefix, skn_arena *a);
/* The numbers as an "_of_many" statement takes them. */
skn_str skn_number_list(const skn_ids *ids, skn_arena *a);
/* A message's instructions back from their column; what is damaged reads as none. */
void skn_instructions_read(skn_str json, skn_arena *a, skein_message *m);

#endif
