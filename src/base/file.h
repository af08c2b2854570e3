/* file.h: files written whole.
 *
 * Threads: any. */
#pragma once

#include "base/error.h"
#include "base/str.h"

/* Writes all of it; false, with errno, when that cannot be. */
bool skn_fd_write(int fd, skn_str bytes);
/* Puts a file of these bytes, for its owner alone, in the place of what has its name: it is written beside and
 * renamed, so that the file is always complete, even if others write it at the same time. folder: what the name is
 * in, or AT_FDCWD; sync: it is on the disk before it has its name. */
skein_rc skn_file_replace(int folder, const char *name, const skn_str *parts, size_t count,
                          bool sync, skein_error *err);
