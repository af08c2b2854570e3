/* filespec.h: reading a file below a folder, and what one item of a file specification asks for.
 *
 * Threads: any.  Lifetimes: an item is a view of the text it was read from. */
#pragma once

#include "base/arena.h"
#include <skein/filespec.h>
#include <skein/view.h>

typedef enum skn_item_kind {
    SKN_ITEM_LINES,
    SKN_ITEM_FUNCTION,
    SKN_ITEM_TYPE,
    SKN_ITEM_ANY
} skn_item_kind;

typedef struct skn_file_item {
    skn_item_kind kind;
    size_t        first, last; /* of SKN_ITEM_LINES */
    skn_str       name;
    skn_str       owner; /* absent when any will do */
} skn_file_item;

/* Reads "fun total", "class Store", "fun Store.total", "total" or "142:156". */
skein_rc skn_file_item_parse(skn_str text, skn_file_item *out, skein_error *err);
/* The lines of s that have their end. */
skn_str skn_whole_lines(skn_str s);
/* Reads the regular UTF-8 file at path, which may not lead out of root. A file over limit bytes is an
 * error if whole is NULL; else the lines that fit are read, and *whole is its size. */
skein_rc skn_file_read(skn_str *out, const char *root, skn_str path, size_t limit,
                       size_t *whole, skn_arena *a, skein_error *err);
/* The text of one file that agents are sent, and the parts that are missing, without its prompt; *room is what is left of
 * it. */
skein_file_parts skn_context_file_read(const skein_context_file *file, const char *root,
                                       size_t *room, skn_arena *a);
