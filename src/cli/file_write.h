/* file_write.h: small files of our own. */
#ifndef SKN_CLI_FILE_WRITE_H
#define SKN_CLI_FILE_WRITE_H

#include "base/error.h"
#include "base/str.h"

/* Written beside and renamed, so that nobody reads half of it; for the person's eyes only. */
skein_rc skn_file_write(const char *path, skn_str bytes, skein_error *err);

#endif
