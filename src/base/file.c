#include "base/file.h"
#include "base/uid.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool skn_fd_write(int fd, skn_str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno != EINTR)
            return false;
        bytes = skn_str_sub(bytes, n > 0 ? (size_t)n : 0, bytes.n);
    }
    return true;
}

skein_rc skn_file_replace(int folder, const char *name, const skn_str *parts, size_t count,
                          bool sync, skein_error *err)
{
    char part[PATH_MAX];
    int  fd, why = ENAMETOOLONG;
    bool good = true;

    if ((size_t)snprintf(part, sizeof part, "%s.%016llx", name,
                         (unsigned long long)skn_random()) >= sizeof part)
        goto failed;
    fd = openat(folder, part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    why = errno;
    if (fd < 0)
        goto failed;
    for (size_t i = 0; good && i < count; i++)
        good = skn_fd_write(fd, parts[i]);
    good = good && (!sync || fsync(fd) == 0);
    why = errno;
    if (close(fd) != 0 && good) {
        why = errno;
        good = false;
    }
    if (good && renameat(folder, part, folder, name) == 0)
        return SKEIN_OK;
    why = good ? errno : why;
    unlinkat(folder, part, 0);
failed:
    return skn_fail(err, why == ENOSPC ? SKEIN_FULL : SKEIN_IO, "\"%s\" cannot be written: %s",
                    name, strerror(why));
}
