#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* realpath */
#endif
#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"
#include "engine/filespec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_LIMIT = 4096, SHOWN = 200, CHUNK = 16 * 1024 };

static skn_str shown(skn_str path)
{
    return skn_utf8_cut(path, SHOWN);
}

static skein_rc outside(skein_error *err, skn_str path)
{
    skn_fail(err, SKEIN_INVALID, "the path \"%.*s\" leads out of its folder",
             SKN_FMT(shown(path)));
    return skn_hint(err, SKEIN_INVALID, "Give a path below the folder, without \"..\".");
}

static skein_rc check_path(skn_str path, skein_error *err)
{
    skn_str rest = path, one;

    if (!path.n)
        return skn_fail(err, SKEIN_INVALID, "the path of the file is empty");
    if (path.n > PATH_LIMIT)
        return skn_fail(err, SKEIN_LIMIT, "the path of the file is %zu bytes; the limit is %d",
                        path.n, PATH_LIMIT);
    if (path.p[0] == '/' || memchr(path.p, '\0', path.n))
        return outside(err, path);
    while (skn_str_split(&rest, '/', &one))
        if (skn_str_is(one, ".."))
            return outside(err, path);
    return SKEIN_OK;
}

static skein_rc no_access(skein_error *err, skn_str path, int cause)
{
    switch (cause) {
    case ENOENT:
    case ENOTDIR:
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no file \"%.*s\"",
                        SKN_FMT(shown(path)));
    case EACCES:
    case EPERM:
        return skn_fail(err, SKEIN_IO, "the file \"%.*s\" may not be read",
                        SKN_FMT(shown(path)));
    case ELOOP:
        return skn_fail(err, SKEIN_INVALID, "the links at \"%.*s\" lead nowhere",
                        SKN_FMT(shown(path)));
    default:
        return skn_fail(err, SKEIN_IO, "the file \"%.*s\" cannot be read (error %d)",
                        SKN_FMT(shown(path)), cause);
    }
}

/* Opens a path that has no links in it, part by part; a link put there meanwhile is refused. */
static skein_rc open_plain(int *out, const char *root, skn_str below, skn_str path,
                           skein_error *err)
{
    int     fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC), next;
    skn_str one;
    char    name[PATH_LIMIT + 1];

    *out = -1;
    while (fd >= 0 && skn_str_split(&below, '/', &one)) {
        memcpy(name, one.p, one.n);
        name[one.n] = '\0';
        next = openat(fd, name,
                      O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK |
                          (below.n ? O_DIRECTORY : 0));
        if (next < 0) {
            int cause = errno;

            close(fd);
            return no_access(err, path, cause);
        }
        close(fd);
        fd = next;
    }
    if (fd < 0)
        return no_access(err, path, errno);
    *out = fd;
    return SKEIN_OK;
}

/* Follows the links of root and path, and opens what they lead to if it is below root. */
static skein_rc open_below(int *out, const char *root, skn_str path, skn_arena *a,
                           skein_error *err)
{
    char    *base = realpath(root, NULL), *file = NULL;
    skn_str  base_dir, whole;
    skein_rc rc;

    *out = -1;
    if (!base)
        return skn_fail(err, SKEIN_NOT_FOUND, "there is no folder \"%.*s\"",
                        SKN_FMT(shown(skn_str_of(root))));
    file = realpath(skn_arena_printf(a, "%s/%.*s", base, SKN_FMT(path)).p, NULL);
    base_dir = skn_str_of(strcmp(base, "/") == 0 ? "" : base);
    whole = skn_str_of(file);
    if (!file)
        rc = no_access(err, path, errno);
    else if (whole.n <= base_dir.n + 1 || whole.n - base_dir.n > PATH_LIMIT ||
             !skn_str_starts(whole, base_dir) || whole.p[base_dir.n] != '/')
        rc = skn_str_is(whole, base)
                 ? skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a regular file",
                            SKN_FMT(shown(path)))
                 : outside(err, path);
    else
        rc = open_plain(out, base, skn_str_sub(whole, base_dir.n + 1, whole.n), path, err);
    free(base);
    free(file);
    return rc;
}

static skein_rc too_large(skein_error *err, skn_str path, size_t limit)
{
    skn_fail(err, SKEIN_LIMIT, "the file \"%.*s\" is over %zu bytes", SKN_FMT(shown(path)),
             limit);
    return skn_hint(err, SKEIN_LIMIT, "Keep the part that matters in a file of its own.");
}

static skein_rc read_all(skn_buf *out, int fd, skn_str path, size_t *whole, skein_error *err)
{
    char        chunk[CHUNK];
    struct stat st;
    ssize_t     n;

    if (fstat(fd, &st))
        return no_access(err, path, errno);
    if (!S_ISREG(st.st_mode))
        return skn_fail(err, SKEIN_INVALID, "\"%.*s\" is not a regular file",
                        SKN_FMT(shown(path)));
    while (!out->over && (n = read(fd, chunk, sizeof chunk)) != 0) {
        if (n < 0 && errno != EINTR)
            return no_access(err, path, errno);
        if (n > 0)
            skn_buf_add(out, (skn_str){chunk, (size_t)n});
    }
    if (whole)
        *whole = out->over && (size_t)st.st_size > out->n ? (size_t)st.st_size : out->n;
    return out->over && !whole ? too_large(err, path, out->limit) : SKEIN_OK;
}

skn_str skn_whole_lines(skn_str s)
{
    while (s.n && s.p[s.n - 1] != '\n')
        s.n--;
    return s;
}

skein_rc skn_file_read(skn_str *out, const char *root, skn_str path, size_t limit,
                       size_t *whole, skn_arena *a, skein_error *err)
{
    skn_buf  text;
    skn_str  kept;
    size_t   bad = 0;
    int      fd = -1;
    skein_rc rc;

    *out = SKN_NONE;
    skn_buf_init(&text, limit);
    if ((rc = check_path(path, err)) || (rc = open_below(&fd, root, path, a, err)) ||
        (rc = read_all(&text, fd, path, whole, err)))
        goto out;
    kept = text.over ? skn_whole_lines(skn_buf_str(&text)) : skn_buf_str(&text);
    if (!skn_utf8_valid(kept, &bad))
        rc = skn_fail(err, SKEIN_DATA, "the file \"%.*s\" is no UTF-8 text at byte %zu",
                      SKN_FMT(shown(path)), bad);
    else
        *out = skn_arena_copy(a, kept);
out:
    if (fd >= 0)
        close(fd);
    skn_buf_release(&text);
    return rc;
}
