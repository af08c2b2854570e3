/* archive_verbs.h: the store's rows as plain cells, for archives; part of the door (store.h
 * includes it).
 *
 * skn_archive_tables says of each table which columns an archive keeps and what they mean, in
 * the order in which archives hold them. What is not listed is either rebuilt from what is (the
 * words of the search, the halves of tool exchanges) or means nothing elsewhere (idempotency
 * keys).
 *
 * Threads, lifetimes: as in store.h; the cells of a row are gone when the next one is read. */
#pragma once

typedef enum skn_archive_table {
#define NUMBERED(constant, ...) SKN_AR_##constant,
#define LISTED(constant, ...)   SKN_AR_##constant,
#define HANGING(constant, ...)  SKN_AR_##constant,
#include "store/archive.def"
#undef NUMBERED
#undef LISTED
#undef HANGING
    SKN_AR_TABLES /* how many there are */
} skn_archive_table;

typedef enum skn_archive_kind {
    SKN_CELL_INT,   /* min … max */
    SKN_CELL_TEXT,  /* any text */
    SKN_CELL_JSON,  /* a text that is JSON */
    SKN_CELL_UID,   /* a public id */
    SKN_CELL_NAME,  /* of a world or an agent */
    SKN_CELL_WORD,  /* one of `words`, which stand between bars: "|chat|foreground|" */
    SKN_CELL_REF,   /* a row of the table `ref`, which stands before this one */
    SKN_CELL_AHEAD, /* a row of the table `ref`, which may come after this one */
    SKN_CELL_KEY,   /* a message's id where only its order matters; it need not exist */
    SKN_CELL_BYTES, /* any bytes; in an archive as base64 */
    SKN_CELL_SPANS  /* the packed entries of a node */
} skn_archive_kind;

typedef struct skn_archive_column {
    const char       *name; /* the column's, and the member's in an archive */
    skn_archive_kind  kind;
    bool              optional;
    skn_archive_table ref;
    int64_t           min, max;
    const char       *words;
} skn_archive_column;

#define SKN_ARCHIVE_COLUMNS 38 /* of the widest table, at most */

typedef struct skn_archive_shape {
    const char               *name;     /* of the table */
    bool                      numbered; /* its rows have ids */
    size_t                    count;    /* columns without the id */
    const skn_archive_column *columns;
} skn_archive_shape;

extern const skn_archive_shape skn_archive_tables[SKN_AR_TABLES];

typedef struct skn_cell {
    bool    null;
    int64_t number; /* INT, REF, AHEAD, KEY */
    skn_str text;   /* the others; SPANS as packed bytes */
} skn_cell;

/* Gets one row: its id (of a table without ids: its place under its parent) and its cells. */
typedef skein_rc skn_archive_sink(void *arg, int64_t id, const skn_cell *cells,
                                  skein_error *err);

/* What to read: rows of a world; of one conversation and those it was branched from, when that
 * is set; of one parent, for tables whose rows hang on another row (items: thread, sources:
 * squash, active_tags: conversation, carried: attachment). Threads, compactions and copies are read of the whole
 * store. */
typedef struct skn_archive_scope {
    int64_t world, conversation, parent;
} skn_archive_scope;

/* Hands over the rows of a table in scope by ascending id, a bounded number at a time. */
skein_rc skn_archive_read(skn_tx *tx, skn_archive_table table, const skn_archive_scope *scope,
                          skn_archive_sink *sink, void *arg, skein_error *err);
/* The same, but of messages and attachments only the ids: cells is then NULL. */
skein_rc skn_archive_read_ids(skn_tx *tx, skn_archive_table table,
                              const skn_archive_scope *scope, skn_archive_sink *sink, void *arg,
                              skein_error *err);
/* Sets `count` ids aside: *base + 1 … *base + count. */
skein_rc skn_archive_reserve(skn_tx *tx, skn_archive_table table, int64_t count, int64_t *base,
                             skein_error *err);
/* Writes a row with the id given (ignored where there is none). *taken tells that a key of it
 * is in the store already; the transaction is then of no more use. */
skein_rc skn_archive_insert(skn_tx *tx, skn_archive_table table, int64_t id,
                            const skn_cell *cells, bool *taken, skein_error *err);
