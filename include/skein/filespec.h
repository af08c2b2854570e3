/* filespec.h: pieces of source files for a model to read: a whole file, a function or a type by
 * name, a range of lines.
 *
 * Functions and types are found by reading the file as its language would be read at a glance:
 * strings and comments skipped, braces or indentation followed. No compiler is asked. */
#ifndef SKEIN_FILESPEC_H
#define SKEIN_FILESPEC_H

#include <skein/text.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SKEIN_FILE_LIMIT       ((size_t)4 * 1024 * 1024)
#define SKEIN_FILE_ITEMS_LIMIT 1000

/* One file and what of it is wanted: all of it, or items, never both. An item is
 *   "fun total", "function total", "def total", …   a function or method of that name
 *   "class Store", "struct Store", "interface Store", …   a type of that name
 *   "fun Store.total"   a function of that type
 *   "total"   a function or a type
 *   "142:156"   lines, counted from 1, both included; cut at the end of the file */
typedef struct skein_file_spec {
    size_t           size; /* set by SKEIN_FILE_SPEC_INIT */
    skein_str        path; /* below the root, with "/" between folders */
    bool             read_full;
    const skein_str *items;
    size_t           item_count;
} skein_file_spec;
#define SKEIN_FILE_SPEC_INIT SKEIN_INIT(skein_file_spec)

typedef struct skein_file_part {
    skein_str item; /* absent for a whole file */
    skein_str text; /* whole lines, without the end of the last one; a whole file is exact */
    size_t    first_line, last_line; /* from 1; both 0 for an empty file */
    skein_str note;      /* what of it is missing or cut, and why; absent: it is all there */
    bool      extracted; /* what a model took from the file by its prompt, and no lines of it */
} skein_file_part;

typedef struct skein_file_parts {
    skein_file_part *at;
    size_t           count;
} skein_file_parts;

/* Reads what the spec asks for, in its order. An item that several functions or types answer to
 * gives a part for each. Comments and annotations directly above a piece belong to it. The file must
 * be a regular file below root, also after following links, in UTF-8, and neither it nor all parts
 * together may be over limit bytes (0: SKEIN_FILE_LIMIT). */
SKEIN_API skein_rc skein_files_read(skein_file_parts *out, const char *root,
                                    const skein_file_spec *spec, size_t limit, skein_mem *mem,
                                    skein_error *err);

#ifdef __cplusplus
}
#endif
#endif
