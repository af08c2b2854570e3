#include "cli/file_write.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

skein_rc skn_file_write(const char *path, skn_str bytes, skein_error *err)
{
    char part[PATH_MAX];
    int  fd;
    bool ok;

    if ((size_t)snprintf(part, sizeof part, "%s.part", path) >= sizeof part)
        return skn_fail(err, SKEIN_IO, "\"%s\" is too long a name", path);
    fd = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    ok = fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n;
    if (fd >= 0)
        ok &= close(fd) == 0;
    if (ok && rename(part, path) == 0)
        return SKEIN_OK;
    return skn_fail(err, errno == ENOSPC ? SKEIN_FULL : SKEIN_IO,
                    "\"%s\" cannot be written: %s", path, strerror(errno));
}
