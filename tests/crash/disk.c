#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64 /* SQLite calls pwrite64 and ftruncate64; so do these names then */
#endif
#define _DEFAULT_SOURCE /* syscall */
#include "disk.h"

#include "load.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    pthread_mutex_t mu;
    skn_disk        how;
    bool            broken;
    int64_t         calls, failed;
    skn_dice        dice;
    bool            watching;
    const char     *watched;
    bool            dirty;
    int64_t         writes;
} disk = {.mu = PTHREAD_MUTEX_INITIALIZER};

void skn_disk_break(const skn_disk *how)
{
    pthread_mutex_lock(&disk.mu);
    disk.how = *how;
    disk.dice.state = how->seed;
    disk.broken = true;
    disk.calls = disk.failed = 0;
    pthread_mutex_unlock(&disk.mu);
}

int64_t skn_disk_mend(void)
{
    int64_t failed;

    pthread_mutex_lock(&disk.mu);
    disk.broken = false;
    failed = disk.failed;
    pthread_mutex_unlock(&disk.mu);
    return failed;
}

void skn_disk_watch(const char *path)
{
    pthread_mutex_lock(&disk.mu);
    disk.watched = path;
    disk.watching = path != NULL;
    disk.dirty = false;
    disk.writes = 0;
    pthread_mutex_unlock(&disk.mu);
}

bool skn_disk_synced(void)
{
    bool dirty;

    pthread_mutex_lock(&disk.mu);
    dirty = disk.dirty;
    pthread_mutex_unlock(&disk.mu);
    return !dirty;
}

int64_t skn_disk_writes(void)
{
    int64_t n;

    pthread_mutex_lock(&disk.mu);
    n = disk.writes;
    pthread_mutex_unlock(&disk.mu);
    return n;
}

bool skn_disk_copy(const char *from, const char *to, int64_t n)
{
    char    block[8192];
    int     in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t got = 1;
    bool    ok = in >= 0 && out >= 0;

    while (ok && got > 0 && n != 0) {
        size_t most = n < 0 || n > (int64_t)sizeof block ? sizeof block : (size_t)n;

        got = read(in, block, most);
        ok = got >= 0 && write(out, block, (size_t)got) == got;
        n -= n > 0 ? got : 0;
    }
    if (in >= 0)
        close(in);
    if (out >= 0)
        ok = close(out) == 0 && ok;
    return ok;
}

/* --- Deciding --------------------------------------------------------------------------------- */

static bool is_watched_locked(int fd)
{
    struct stat a, b;

    return disk.watching && fstat(fd, &a) == 0 && stat(disk.watched, &b) == 0 &&
           a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* What a growth by this many bytes says on a disk that is nearly full. */
static int fill_locked(int64_t growth)
{
    if (!disk.how.full || growth <= 0)
        return 0;
    if (growth > disk.how.room)
        return ENOSPC;
    disk.how.room -= growth;
    return 0;
}

/* The errno with which this call fails, or 0. */
static int verdict_locked(int64_t growth)
{
    int  error = 0;
    bool now;

    if (!disk.broken)
        return 0;
    disk.calls++;
    now = disk.how.nth &&
          (disk.calls == disk.how.nth || (disk.how.stays && disk.calls > disk.how.nth));
    if (disk.how.one_in && skn_dice_below(&disk.dice, disk.how.one_in) == 0)
        now = true;
    error = now ? disk.how.error : fill_locked(growth);
    disk.failed += error != 0;
    return error;
}

/* --- The calls -------------------------------------------------------------------------------- */

#define EXPORT __attribute__((visibility("default")))

static ssize_t fail_with(int error)
{
    errno = error;
    return -1;
}

EXPORT ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    struct stat st = {0};
    int64_t     growth;
    int         error;
    bool        torn;

    pthread_mutex_lock(&disk.mu);
    growth = fstat(fd, &st) == 0 ? at + (int64_t)n - st.st_size : 0;
    error = verdict_locked(growth);
    torn = error && disk.how.torn && n > 1;
    if (is_watched_locked(fd)) {
        disk.dirty = true;
        disk.writes++;
    }
    pthread_mutex_unlock(&disk.mu);
    if (torn) /* SQLite asks for the rest, which fails as well */
        (void)syscall(SYS_pwrite64, fd, bytes, n / 2, at);
    if (error)
        return fail_with(error);
    return syscall(SYS_pwrite64, fd, bytes, n, at);
}

EXPORT int ftruncate(int fd, off_t length)
{
    struct stat st = {0};
    int         error;

    pthread_mutex_lock(&disk.mu);
    error = verdict_locked(fstat(fd, &st) == 0 ? (int64_t)length - st.st_size : 0);
    pthread_mutex_unlock(&disk.mu);
    return (int)(error ? fail_with(error) : syscall(SYS_ftruncate, fd, length));
}

/* A sync of a full disk succeeds: nothing more has to go there. */
static int sync_file(int fd, long call)
{
    int error, rc;

    pthread_mutex_lock(&disk.mu);
    error = verdict_locked(0);
    pthread_mutex_unlock(&disk.mu);
    if (error)
        return (int)fail_with(error);
    rc = (int)syscall(call, fd);
    pthread_mutex_lock(&disk.mu);
    if (rc == 0 && is_watched_locked(fd))
        disk.dirty = false;
    pthread_mutex_unlock(&disk.mu);
    return rc;
}

EXPORT int fsync(int fd)
{
    return sync_file(fd, SYS_fsync);
}

EXPORT int fdatasync(int fd)
{
    return sync_file(fd, SYS_fdatasync);
}
