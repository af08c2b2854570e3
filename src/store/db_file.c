#include "store/db_file.h"

#include "base/clock.h"
#include "base/uid.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *skn_file_words(int code, char out[static 128])
{
    if (strerror_r(code, out, 128))
        snprintf(out, 128, "error %d", code);
    if (out[0] >= 'A' && out[0] <= 'Z' && out[1] >= 'a')
        out[0] = (char)(out[0] - 'A' + 'a');
    return out;
}

skein_rc skn_file_check_name(skn_str path, skein_error *err)
{
    if (path.n > 0 && path.n <= SKN_PATH_LIMIT && path.p[0] != ':' &&
        !memchr(path.p, 0, path.n))
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_USAGE, "write sqlite:PATH, for example sqlite:talk.db",
                         "\"sqlite:%.*s\" names no file", SKN_FMT(path));
}

skein_rc skn_file_not_ours(const char *path, skein_error *err)
{
    return skn_fail_hint(err, SKEIN_NOT_OURS, "it was left as it is; name another file",
                         "\"%s\" is not a skein store", path);
}

char *skn_file_address(const char *path)
{
    skn_buf b;

    skn_buf_init(&b, SKN_PATH_LIMIT * 2);
    skn_buf_addf(&b, "sqlite:%s", path);
    return skn_buf_detach(&b);
}

skein_rc skn_file_cannot_open(const char *path, int os_error, skein_error *err)
{
    char        text[128];
    const char *hint = "check the path and the permissions of its directory";
    skein_rc    rc = os_error == ENOSPC || os_error == EDQUOT ? SKEIN_FULL : SKEIN_IO;

    if (os_error == ENOENT)
        hint = "make the directory first";
    else if (os_error == EISDIR)
        hint = "name a file in it";
    else if (os_error == EMFILE || os_error == ENFILE)
        hint = "too many files are open; raise the limit with \"ulimit -n\"";
    skn_fail(err, rc, "cannot open \"%s\": %s", path, skn_file_words(os_error, text));
    return skn_hint(err, rc, "%s", hint);
}

skein_rc skn_file_look(const char *path, bool may_be_made, skein_error *err)
{
    struct stat st;

    if (stat(path, &st) == 0) {
        if (S_ISREG(st.st_mode))
            return SKEIN_OK;
        return skn_file_cannot_open(path, S_ISDIR(st.st_mode) ? EISDIR : EINVAL, err);
    }
    if (errno != ENOENT)
        return skn_file_cannot_open(path, errno, err);
    if (may_be_made)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_NOT_FOUND,
                         "check the path, or open it for writing to make it",
                         "there is no store \"%s\"", path);
}

/* The size of a file whose name goes on after the path; -1 when there is none. */
static int64_t size_of(const char *path, const char *end)
{
    skn_buf     name;
    struct stat st;
    int64_t     size = -1;

    skn_buf_init(&name, 16384);
    skn_buf_addf(&name, "%s%s", path, end);
    if (stat(name.p, &st) == 0)
        size = st.st_size;
    else if (errno != ENOENT)
        size = 0;
    skn_buf_release(&name);
    return size;
}

int64_t skn_file_log(const char *path)
{
    return size_of(path, "-wal");
}

int64_t skn_file_size(const char *path)
{
    int64_t file = size_of(path, ""), log = size_of(path, "-wal");

    return (file > 0 ? file : 0) + (log > 0 ? log : 0);
}

bool skn_file_has_room(const char *path)
{
    const char *slash = strrchr(path, '/');
    char       *folder;
    bool        writable;

    if (!slash)
        return access(".", W_OK) == 0;
    folder = skn_heap_copy((skn_str){path, (size_t)(slash - path) + 1});
    writable = access(folder, W_OK) == 0;
    free(folder);
    return writable;
}

skein_rc skn_file_make(const char *path, const char *like, skein_error *err)
{
    struct stat st;
    mode_t      mode = stat(like, &st) ? 0600 : st.st_mode & 0666;
    int         fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);

    if (fd >= 0) {
        close(fd);
        return SKEIN_OK;
    }
    if (errno != EEXIST)
        return skn_file_cannot_open(path, errno, err);
    return skn_fail_hint(err, SKEIN_CONFLICT, "name a file that does not exist yet",
                         "\"%s\" is there already", path);
}

void skn_file_uri(const char *path, const char *query, skn_buf *out)
{
    skn_buf_add(out, SKN_STR("file:"));
    for (const char *p = path; *p; p++) {
        if (*p == '?' || *p == '#' || *p == '%')
            skn_buf_addf(out, "%%%02x", (unsigned)*p);
        else
            skn_buf_addc(out, *p);
    }
    skn_buf_addf(out, "?%s", query);
}

/* Naps are uneven and start short: SQLite's own table starts at whole milliseconds, and equal naps
 * let two programs meet again and again. */
bool skn_file_again(skn_file_tries *t, int64_t most)
{
    int64_t         now = skn_clock_monotonic();
    int64_t         longest = INT64_C(100000) << (t->round < 7 ? t->round : 7); /* to 12.8 ms */
    int64_t         nanos = longest / 2 + (int64_t)(skn_random() % (uint64_t)longest) / 2;
    struct timespec nap = {.tv_nsec = (long)nanos};

    if (t->round++ == 0)
        t->since = now;
    if (now - t->since > most)
        return false;
    nanosleep(&nap, NULL);
    return true;
}

skn_file_place skn_file_at(const char *path)
{
    struct stat there;

    if (stat(path, &there) != 0)
        return (skn_file_place){0};
    return (skn_file_place){(uint64_t)there.st_dev, (uint64_t)there.st_ino};
}

skein_rc skn_file_unmoved(const char *path, skn_file_place then, skein_error *err)
{
    skn_file_place now = skn_file_at(path);

    if (now.device == then.device && now.node == then.node)
        return SKEIN_OK;
    return skn_fail_hint(
        err, SKEIN_IO, "Move it back, or restart the program that has it open.",
        "the store \"%s\" was moved, removed or replaced while it was open", path);
}
