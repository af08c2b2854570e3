/* exchange.h: moving conversations in and out: exports that people and programs read, the archive that loses nothing,
 * and imports. Part of the public header of the engine, which includes it.
 *
 * An export is written in pieces as it is read, so that its size never sits in memory. An import is checked whole
 * before anything is written, and is one transaction.
 *
 * |Threads: any. Lifetimes: a report lives in the skein_mem it was made with. */
#pragma once

#include "base/buf.h"
#include "base/json_write.h"
#include "engine/engine.h"
#include <skein/engine.h>

/* Where an export goes: write takes each piece in order; what it returns ends the export. */
typedef struct skn_sink {
    skein_rc (*write)(void *arg, skn_str bytes, skein_error *err);
    void *arg;
} skn_sink;

/* A sink that collects in a buffer and fails with SKEIN_LIMIT when it is full. */
skn_sink skn_sink_buf(skn_buf *b);

typedef enum skn_format {
    SKN_FORMAT_MD,
    SKN_FORMAT_JSON,
    SKN_FORMAT_JSONL,
    SKN_FORMAT_MERMAID,
    SKN_FORMAT_HTML,
    SKN_FORMAT_ARCHIVE
} skn_format;

/* By the names of the command line: md json jsonl mermaid html skein; false when it is none. */
bool skn_format_from(skn_str name, skn_format *out);
/* Made for people's eyes, so nothing in it may move a terminal's cursor or hide. */
bool skn_format_shown(skn_format f);
/* NULL after the last one. */
const char *skn_format_name(size_t i);

typedef enum skn_delegations {
    SKN_DELEGATIONS_SUMMARY, /* one line for each */
    SKN_DELEGATIONS_NONE,
    SKN_DELEGATIONS_FULL
} skn_delegations;

bool skn_delegations_from(skn_str name, skn_delegations *out);

typedef struct skn_export_request {
    skein_conversation_id conversation; /* zero: every conversation of `world` */
    skein_world_id        world;        /* only looked at when conversation is zero */
    int64_t               version;      /* 0: the current one; the archive holds all of them */
    skein_message_id      root;         /* set: only this message and the replies under it */
    skn_format            format;
    bool                  no_memory_only; /* without messages nobody answered */
    skn_delegations       delegations;
    bool                  redact; /* who, when and how much, but no text */
    int64_t               now;    /* the time to print; 0: the clock's */
} skn_export_request;

/* Writes the export; fails with what the sink said when that refuses a piece. */
skein_rc skn_export(skein_engine *e, const skn_export_request *req, skn_sink *sink,
                    skein_error *err);

typedef struct skn_import_request {
    skn_str as_name; /* name of the world it becomes; absent: the one in the file */
    bool    dry_run; /* check everything, report, write nothing */
} skn_import_request;

typedef struct skn_import_report {
    skn_str        form;     /* "skein archive", "agent-world folder", … */
    skn_str        world;    /* the name it got; of several worlds the first */
    skein_world_id world_id; /* zero on a dry run */
    skn_str       *worlds;   /* the names of all */
    size_t         world_count;
    int64_t        agents, conversations, versions, messages;
    bool           exact; /* an archive with all there was: nothing was guessed or left out */
    int64_t        ids_kept, ids_made;
    int64_t        copies;   /* rows that were another agent's copy of a message */
    int64_t        archives; /* archived sessions that became chats */
    int64_t        links_kept, links_guessed;
    int64_t        circular,
        too_deep;      /* links dropped; a message that replies to itself is circular */
    int64_t  orphans;  /* links kept though their parent is not in the file */
    int64_t  dropped;  /* rows that could not be kept */
    int64_t  not_said; /* of an archive: messages that waited, and are not in it */
    skn_str *notes;    /* which, and why; at most SKN_IMPORT_NOTES */
    size_t   note_count;
} skn_import_report;

#define SKN_IMPORT_NOTES 100

/* Brings in a file or folder, whatever of the known forms it has: our archive, our or
 * OpenAI-style JSON lines, an agent-world database or folder or its JSON. It becomes one new
 * world, or as many as there are in the database or folder; with as_name several get that and
 * their own. A world that is here already is refused with SKEIN_CONFLICT; of several it is left
 * out. */
skein_rc skn_import(skein_engine *e, const char *path, const skn_import_request *req,
                    skein_mem *mem, skn_import_report *out, skein_error *err);

/* The report as lines for a person, the first beginning with the file's name. */
void skn_import_report_text(const skn_import_report *r, skn_str file, bool dry_run,
                            skn_buf *out);
/* The report as one JSON object. */
void skn_import_report_json(const skn_import_report *r, skn_str file, bool dry_run, skn_jw *w);

/* --- Context files -------------------------------------------------------------------------- */

/* What agents are sent of files of the folder `root`, in order, SKN_FILES_ROOM bytes together at most,
 * cut at line ends; one answer for each file. What is missing or cut has a note that says so. */
#define SKN_FILES_ROOM (256 << 10)
skein_file_parts *skn_context_files_read(const skein_context_files *files, const char *root,
                                         skn_arena *a);
/* A file whose prompt has not been applied to what it holds now. */
typedef struct skn_extract {
    const skein_context_file *file;
    skein_file_parts          parts; /* what is there of it */
    skn_str                   name;  /* under which skn_extract_keep keeps it */
} skn_extract;

/* The first of them that agents are sent something of, and that no model has failed at in the last ten minutes; false:
 * there is none. */
bool skn_extract_next(const skein_context_files *files, const char *root, skn_arena *a,
                      skn_extract *out);
/* What a model took from it; or, where text is absent, why none did. Text that could not be read again is refused. */
skein_rc skn_extract_keep(const char *root, skn_str name, skn_str text, skn_str why,
                          skein_error *err);
