#include "base/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define READ 65536

void skn_lines_memory(skn_lines *l, const char *name, skn_str bytes, size_t limit)
{
    *l = (skn_lines){.name = name, .memory = bytes, .fd = -1, .limit = limit};
    skn_buf_init(&l->buf, 0);
}

static skein_rc fail_file(const skn_lines *l, const char *what, skein_error *err)
{
    skein_rc rc = errno == ENOENT ? SKEIN_NOT_FOUND : SKEIN_IO;

    return skn_fail(err, rc, "cannot %s \"%s\": %s", what, l->name, strerror(errno));
}

void skn_lines_of(skn_lines *l, const char *name, int fd, size_t limit)
{
    *l = (skn_lines){.name = name, .fd = fd, .borrowed = true, .limit = limit};
    skn_buf_init(&l->buf, limit + READ + 1);
}

skein_rc skn_lines_open(skn_lines *l, const char *path, size_t limit, skein_error *err)
{
    skn_lines_of(l, path, open(path, O_RDONLY | O_CLOEXEC), limit);
    l->borrowed = false;
    return l->fd < 0 ? fail_file(l, "open", err) : SKEIN_OK;
}

void skn_lines_close(skn_lines *l)
{
    if (l->fd >= 0 && !l->borrowed)
        close(l->fd);
    l->fd = -1;
    skn_buf_release(&l->buf);
}

skein_rc skn_lines_rewind(skn_lines *l, skein_error *err)
{
    l->at = 0;
    l->number = 0;
    l->end = false;
    skn_buf_clear(&l->buf);
    if (l->fd >= 0 && lseek(l->fd, 0, SEEK_SET) < 0)
        return fail_file(l, "read again", err);
    return SKEIN_OK;
}

/* Reads more behind what is still held; what was given out makes room first. */
static skein_rc fill_buffer(skn_lines *l, skein_error *err)
{
    char    piece[READ];
    ssize_t n;

    if (l->at > 0) {
        memmove(l->buf.p, l->buf.p + l->at, l->buf.n - l->at);
        l->buf.n -= l->at;
        l->at = 0;
    }
    do
        n = read(l->fd, piece, sizeof piece);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return fail_file(l, "read", err);
    l->end = n == 0;
    skn_buf_add(&l->buf, (skn_str){piece, (size_t)n});
    return SKEIN_OK;
}

static skein_rc too_long(const skn_lines *l, skein_error *err)
{
    return skn_fail(err, SKEIN_DATA, "line %lld of \"%s\" is longer than %zu bytes",
                    (long long)l->number + 1, l->name, l->limit);
}

/* The bytes held from `at` on, with at least one line in them or the end of the file. */
static skein_rc hold_line(skn_lines *l, skn_str *held, const char **end, skein_error *err)
{
    size_t   seen = 0;
    skein_rc rc;

    if (l->fd < 0)
        *held = skn_str_sub(l->memory, l->at, l->memory.n);
    else
        *held = skn_str_sub(skn_buf_str(&l->buf), l->at, l->buf.n);
    *end = held->n ? memchr(held->p, '\n', held->n) : NULL;
    while (!*end && l->fd >= 0 && !l->end) {
        seen = held->n;
        if (seen > l->limit)
            return too_long(l, err);
        if ((rc = fill_buffer(l, err)))
            return rc;
        *held = skn_buf_str(&l->buf);
        *end = held->n > seen ? memchr(held->p + seen, '\n', held->n - seen) : NULL;
    }
    return SKEIN_OK;
}

skein_rc skn_lines_next(skn_lines *l, skn_str *line, bool *more, bool *whole, skein_error *err)
{
    const char *end;
    skn_str     held;
    skein_rc    rc;

    *more = false;
    if ((rc = hold_line(l, &held, &end, err)))
        return rc;
    *line = skn_str_sub(held, 0, end ? (size_t)(end - held.p) : held.n);
    if (line->n > l->limit)
        return too_long(l, err);
    if (whole)
        *whole = end != NULL;
    *more = held.n > 0;
    l->at += line->n + (end ? 1 : 0);
    l->number += *more;
    return SKEIN_OK;
}
