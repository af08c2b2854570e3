/* db_file.h: what the SQLite driver asks the file system, and how it reports failures there.
 * Only files of this folder include it.
 *
 * Threads: any.  Lifetimes: nothing is kept. */
#pragma once

#define SKN_PATH_LIMIT 4096

#include "base/buf.h"
#include "base/error.h"

/* The system's words for an errno, beginning in lower case. */
const char *skn_file_words(int code, char out[static 128]);
/* Fills err for a file that cannot be opened, by the errno. */
skein_rc skn_file_cannot_open(const char *path, int os_error, skein_error *err);
/* Refuses a text that cannot be the name of a file. */
skein_rc skn_file_check_name(skn_str path, skein_error *err);
/* Fills err for a database of another program. */
skein_rc skn_file_not_ours(const char *path, skein_error *err);
/* "sqlite:PATH"; the caller's to free(). */
char *skn_file_address(const char *path);
/* Refuses what SQLite would report badly or too late; a file that is not there only when it may
 * not be made. */
skein_rc skn_file_look(const char *path, bool may_be_made, skein_error *err);
/* Bytes of the log beside the database; -1 when there is certainly none. */
int64_t skn_file_log(const char *path);
/* Bytes of the database and of its log. */
int64_t skn_file_size(const char *path);
/* Whether a file can be made beside the database. */
bool skn_file_has_room(const char *path);
/* Which file is at a path, whatever happens to the name later; zeros when there is none. */
typedef struct skn_file_place {
    uint64_t device, node;
} skn_file_place;

skn_file_place skn_file_at(const char *path);
/* Refuses when another file, or none, is at the path now. */
skein_rc skn_file_unmoved(const char *path, skn_file_place then, skein_error *err);
/* Makes an empty file, which must not be there yet, as private as the one it is `like`. */
skein_rc skn_file_make(const char *path, const char *like, skein_error *err);
/* Adds the path as a URI that SQLite understands. */
void skn_file_uri(const char *path, const char *query, skn_buf *out);
/* Something that is tried again and again; begins with zeros. */
typedef struct skn_file_tries {
    unsigned round;
    int64_t  since;
} skn_file_tries;

/* Waits a little before the next try, a little longer each time; false when `most` nanoseconds are over. */
bool skn_file_again(skn_file_tries *t, int64_t most);
