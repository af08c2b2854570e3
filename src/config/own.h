/* own.h: whose files and folders these are.
 *
 * A file that lets people in, holds a secret or says where a server is may only be used where nobody else can have
 * put it there or changed it: it belongs to the user who runs this program, or to root, and others cannot write it.
 * The open file is asked, not its name, so nobody can exchange it meanwhile. Every refusal names the file, what is
 * wrong with it and the command that mends it.
 * Threads: any.  Lifetimes: descriptors are the caller's. */
#pragma once

#include "base/arena.h"
#include "base/error.h"

typedef enum skn_own_kind {
    SKN_OWN_FILE,   /* others may read it; it is made again when it is gone */
    SKN_OWN_TOKEN,  /* others may not read it; it is made again when it is gone */
    SKN_OWN_SECRET, /* others may not read it */
    SKN_OWN_NAMED   /* a person named it: it may be a link or a pipe, and be readable */
} skn_own_kind;

/* Opens a file for reading, with more flags of open() (O_CREAT makes it 0600). One that is not there is
 * SKEIN_NOT_FOUND. *open_to is its mode when others can read it, else 0; NULL: not asked. */
skein_rc skn_own_open(const char *path, skn_own_kind kind, int flags, int *fd, int *open_to,
                      skein_error *err);
/* The same of one that is open. */
skein_rc skn_own_check(int fd, const char *path, skn_own_kind kind, int *open_to,
                       skein_error *err);
/* Did this error refuse a file for whose it is? Then it says how that is mended. */
bool skn_own_refused(const skein_error *err);
/* All that comes from a descriptor: SKEIN_LIMIT where that is more, SKEIN_IO where it cannot be read (errno says why). */
skein_rc skn_fd_read(int fd, size_t limit, skn_arena *a, skn_str *out);
/* The same failure in words. */
skein_rc skn_fd_fail(skein_rc rc, const char *name, size_t limit, skein_error *err);
/* All that is in it, up to the limit. */
skein_rc skn_own_read(const char *path, skn_own_kind kind, size_t limit, skn_arena *a,
                      skn_str *out, int *open_to, skein_error *err);
/* A folder in which the program keeps its own, and those above it; one that is not there is fine. `again` is what
 * was typed, to be typed as its owner; NULL: not known. */
skein_rc skn_own_folder(const char *path, const char *again, skein_error *err);
/* The same of this folder and none above it. */
skein_rc skn_own_folder_alone(const char *path, skein_error *err);
