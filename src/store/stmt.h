/* stmt.h: the shapes that nearly every statement of the store has: what is bound is a list, and what
 * comes back is a number, or rows whose columns a table describes. Only for this folder.
 *
 *   return skn_run(tx, SKN_SQL(inbox_begun, INT(now), INT(id)), err);
 *
 * A verb that is no more than such a call stands in verbs.def. */
#pragma once

#include "base/buf.h"
#include "base/shape.h"
#include "store/db.h"
#include "store/store.h"
#include "store/tx.h"

/* --- Parameters ----------------------------------------------------------------------------------- */

/* The values of a statement's $1, $2, …. A list with nothing in it is SKN_WITH(NOTHING). */
#define SKN_WITH(...)                                                                          \
    ((const skn_bind[]){__VA_ARGS__, {.kind = SKN_BIND_END}} +                                 \
     SKN_FITS(sizeof((skn_bind[]){__VA_ARGS__})))
/* 0, or no program: a statement has room for only so many. */
#define SKN_FITS(size) (0 * sizeof(char[(size) <= SKN_STMT_PARAMS * sizeof(skn_bind) ? 1 : -1]))
/* A statement by its name, with what it is bound to. */
#define SKN_SQL(name, ...) SKN_Q_##name, SKN_WITH(__VA_ARGS__)
#define INT                skn_bind_int
#define ID                 skn_bind_id
#define TEXT               skn_bind_text
#define BLOB               skn_bind_blob
#define WORD(words, value) skn_bind_word(&(words), value)
#define LIMIT              skn_bind_limit
#define NOTHING            ((skn_bind){.kind = SKN_BIND_END})
/* How many rows are wanted at most; SIZE_MAX is all, which a database would read as a negative number. */
skn_bind skn_bind_limit(size_t limit);
skn_stmt skn_stmt_with(skn_tx *tx, enum skn_query query, const skn_bind *with);

/* --- Columns -------------------------------------------------------------------------------------- */

/* The words that stand for the values of an enum. */
typedef struct skn_state_words {
    skn_enum names;
    int      other; /* what any other word reads as; -1: the row is damaged */
} skn_state_words;

extern const skn_state_words skn_modes, skn_lane_states, skn_delivery_states, skn_turn_states;

skn_bind skn_bind_word(const skn_state_words *words, unsigned value);

typedef enum skn_column_kind {
    SKN_COL_SKIP,
    SKN_COL_INT,   /* int64_t */
    SKN_COL_SMALL, /* int, or an enum by its number */
    SKN_COL_FLAG,  /* bool: the number is not 0 */
    SKN_COL_SET,   /* bool: the column is not NULL */
    SKN_COL_TEXT,
    SKN_COL_BLOB, /* skn_str */
    SKN_COL_WORD  /* an enum by its word */
} skn_column_kind;

/* What is read into a variable of this type. */
#define SKN_KIND_OF(variable)                                                                  \
    _Generic((variable), int64_t                                                               \
             : SKN_COL_INT, int                                                                \
             : SKN_COL_SMALL, bool                                                             \
             : SKN_COL_FLAG, skn_str                                                           \
             : SKN_COL_TEXT)

typedef struct skn_column {
    skn_column_kind        kind;
    size_t                 offset; /* of the member that it is read into */
    const skn_state_words *words;
} skn_column;

/* How a row becomes a struct: its columns in order. */
typedef struct skn_row {
    size_t            size;
    const skn_column *columns;
    int               count;
    /* Whatever no column says; or NULL. */
    void (*finish)(const skn_stmt *s, skn_arena *a, void *row);
} skn_row;

/* columns.def: one for each struct that is read, for verbs that are more than a line of verbs.def. */
extern const skn_row skn_row_of_number, skn_row_of_skein_str, skn_row_of_skn_edge,
    skn_row_of_skein_message, skn_row_of_skn_compaction_row, skn_row_of_skn_event_row,
    skn_row_of_skn_inbox_row, skn_row_of_skn_knowledge_row, skn_row_of_skein_knowledge,
    skn_row_of_skn_turn_row, skn_row_of_skein_model_call, skn_row_of_skn_call_row,
    skn_row_of_skn_search_row, skn_row_of_skn_thread_row, skn_row_of_skn_check_counts,
    skn_row_of_skn_check_message, skn_row_of_skn_check_call, skn_row_of_skn_check_item,
    skn_row_of_skn_check_place, skn_row_of_skn_check_node, skn_row_of_skn_check_file,
    skn_row_of_skn_check_blob, skn_row_of_skn_check_source;

/* The current row; texts are kept in the arena, and are views of the row where that is NULL. */
skein_rc skn_stmt_row(const skn_stmt *s, const skn_row *of, skn_arena *a, void *out,
                      skein_error *err);

/* --- Statements ----------------------------------------------------------------------------------- */

skein_rc skn_run(skn_tx *tx, enum skn_query query, const skn_bind *with, skein_error *err);
/* *changed: whether any row was. */
skein_rc skn_run_changed(skn_tx *tx, enum skn_query query, const skn_bind *with, bool *changed,
                         skein_error *err);
/* Its first number; 0 without a row. */
skein_rc skn_get_number(skn_tx *tx, enum skn_query query, const skn_bind *with, int64_t *out,
                        skein_error *err);
/* Where columns of one row go, in order: SKN_INTO(SKN_TO(count), SKN_TO(paused)). The type says how a column is read. */
typedef struct skn_into {
    skn_column_kind kind;
    void           *to;
} skn_into;
#define SKN_INTO(...) ((const skn_into[]){__VA_ARGS__, {.to = NULL}})
#define SKN_TO(p)                                                                              \
    {                                                                                          \
        .kind = SKN_KIND_OF(*(p)), .to = (p)                                                   \
    }
#define SKN_TO_BLOB(p)                                                                         \
    {                                                                                          \
        .kind = SKN_COL_BLOB, .to = (p)                                                        \
    }
/* Without a row all of it is zero. */
skein_rc skn_get_columns(skn_tx *tx, enum skn_query query, const skn_bind *with,
                         const skn_into *into, skn_arena *a, bool *found, skein_error *err);
skein_rc skn_get_row(skn_tx *tx, enum skn_query query, const skn_bind *with, const skn_row *of,
                     skn_arena *a, void *out, bool *found, skein_error *err);

typedef struct skn_rows {
    void  *at;
    size_t count;
} skn_rows;
#define SKN_ROWS(list) ((skn_rows){(list).at, (list).count})
/* All rows, behind those that are in *out. */
skein_rc skn_get_rows(skn_tx *tx, enum skn_query query, const skn_bind *with, const skn_row *of,
                      skn_arena *a, skn_rows *out, skein_error *err);

/* Passes rc on; when it is a collision of an id that we made, asks for the work to be run again. */
skein_rc skn_tx_made_uid(skn_tx *tx, skein_rc rc);
/* A public id that begins so: "task_…". */
skn_str skn_made_uid(skn_tx *tx, skn_arena *a, const char *prefix);
/* A text of the current row, kept in the arena. */
skn_str skn_stmt_keep(const skn_stmt *s, int column, skn_arena *a);
/* The end of all texts that begin with prefix, for "uid >= prefix AND uid < end". */
skn_str skn_prefix_end(skn_str prefix, skn_arena *a);
/* The numbers as a statement takes a list of them. */
skn_str skn_number_list(const skn_ids *ids, skn_arena *a);
/* store_message.c: what no column of a message says by itself. */
void skn_message_finish(const skn_stmt *s, skn_arena *a, void *row);
