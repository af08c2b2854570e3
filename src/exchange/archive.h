/* archive.h: the lossless archive as text, row by row; docs/decisions/0006-archive-format.md.
 *
 * A row's number is its place among the rows of its table in the file, from 1 on, and all
 * references are such numbers: the store's own ids never leave it. There is one way to write a
 * row, and only that is read, so whatever is accepted is written again byte for byte.
 *
 * Threads: any.  Lifetimes: a row that was read lives in the arena it was read with. */
#pragma once

#include "base/hash.h"
#include "base/lines.h"
#include "engine/tree/span.h"
#include "exchange/exchange.h"
#include "store/store.h"

#define SKN_ARCHIVE_FORMAT 2 /* 1: an amend was called "edit", and an edit "revise" */
#define SKN_ARCHIVE_LINE   ((size_t)256 << 20) /* bytes of the longest row */
#define SKN_ARCHIVE_SPANS  SKN_NODE_ENTRIES

enum { SKN_LANE_KEY = 1, SKN_LANE_AGENT = 2 }; /* columns of a lane */

/* An entry of a node: `child`, or a piece of the items of thread `src` from `lo` on. */
typedef struct skn_archive_span {
    int64_t len, kmin, kmax, child, src, lo;
} skn_archive_span;

typedef struct skn_archive_row {
    skn_archive_table table;
    int64_t           number; /* 0 in tables without ids */
    skn_cell          cells[SKN_ARCHIVE_COLUMNS];
    skn_archive_span *spans; /* of a node; its SPANS cell has no text */
    size_t            span_count;
} skn_archive_row;

typedef struct skn_archive_header {
    int64_t format;
    int64_t schema;
    int64_t conversation; /* the one that was asked for; 0: the whole world */
    int64_t waiting;      /* messages that were not said yet, and are not in it */
    int64_t tool_servers; /* that the world names; no archive has them */
} skn_archive_header;

void skn_archive_header_write(const skn_archive_header *h, skn_buf *out);
void skn_archive_row_write(const skn_archive_row *row, skn_buf *out);
void skn_archive_end_write(int64_t rows, skn_str hash, skn_buf *out);

/* True if a file that begins with these bytes means to be an archive. */
bool skn_archive_is(skn_str start);

/* --- Checking: archive_check.c ------------------------------------------------------------ */

typedef struct skn_archive_check skn_archive_check;

skn_archive_check *skn_archive_check_new(void);
void               skn_archive_check_free(skn_archive_check *c); /* NULL is fine */
/* Takes the next row of the file; refuses what does not fit to the rows before it. */
skein_rc skn_archive_check_row(skn_archive_check *c, const skn_archive_row *row, int64_t line,
                               skein_error *err);
/* After the last row: refuses what never came. */
skein_rc skn_archive_check_end(skn_archive_check *c, const skn_archive_header *h,
                               skein_error *err);
int64_t  skn_archive_check_count(const skn_archive_check *c, skn_archive_table table);

/* --- Reading a whole archive: archive_rows.c ---------------------------------------------- */

typedef skein_rc skn_archive_visit(void *arg, skn_archive_row *row, int64_t line,
                                   skein_error *err);

typedef struct skn_archive_facts {
    skn_archive_header header;
    int64_t            counts[SKN_AR_TABLES];
    char               hash[SKN_SHA256_TEXT];
} skn_archive_facts;

/* Reads all of it from the first line on, checking everything; visit (may be NULL) gets every
 * row once it is known to fit to those before it, but before the rest of the file is known to
 * be good. */
skein_rc skn_archive_scan(skn_lines *lines, skn_archive_visit *visit, void *arg,
                          skn_archive_facts *out, skein_error *err);

/* archive_reason.c: true if a message's reasoning has only parts that answers of models have. */
bool skn_archive_reason_valid(skn_str reasoning);

/* --- Store to archive and back: archive_write.c, archive_read.c --------------------------- */

/* A whole world when conversation is zero. */
skein_rc skn_archive_export(skn_store *st, skein_world_id world,
                            skein_conversation_id conversation, skn_sink *sink,
                            skein_error *err);

/* An archive on its way in. */
typedef struct skn_intake {
    skn_lines                *lines;
    const skn_import_request *req;
    skein_mem                *mem;
    skn_import_report        *report;
    skn_str                   uid; /* of the world */
    skn_archive_facts         facts;
    skn_tx                   *tx;    /* while it is written */
    skn_arena                *a;     /* of one row */
    bool                      alone; /* the store has nothing else in it */
    bool    known;      /* the store had this world already, when that was looked at */
    skn_str there;      /* by which name */
    int64_t unreasoned; /* messages whose reasoning is not kept */
    int64_t base[SKN_AR_TABLES];
} skn_intake;

/* Reads all of it, and refuses what does not fit together; fills the report, except for the world's
 * id. */
skein_rc skn_intake_read(skn_intake *im, skn_lines *lines, const skn_import_request *req,
                         skein_mem *mem, skn_import_report *r, skein_error *err);
/* Fails with SKEIN_CONFLICT when the store has this world, or one of its name. */
skein_rc skn_intake_try(skn_intake *im, skn_store *st, skein_error *err);
/* Refuses with SKEIN_DATA what would leave a store that is not sound; archive_check.c. */
skein_rc skn_intake_prove(skn_intake *im, skein_error *err);
/* Writes all of it in one transaction. */
skein_rc skn_intake_put(skn_intake *im, skn_store *st, skein_error *err);
/* The same for several. */
skein_rc skn_intake_put_all(skn_intake *const *list, size_t count, skn_store *st,
                            skein_error *err);
