/* Whose files and folders these are. */
#define _GNU_SOURCE /* O_PATH, realpath */
#include "config/own.h"
#include "base/clean.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_TEXT   64
#define OTHERS_READ 044
#define FIRST_PIECE ((size_t)64 << 10)

/* The name that sudo and chown know a user by. */
static const char *name_of(uid_t user, char out[NAME_TEXT])
{
    struct passwd about, *found = NULL;
    char          room[4096];

    if (getpwuid_r(user, &about, room, sizeof room, &found) == 0 && found &&
        strlen(found->pw_name) < NAME_TEXT)
        snprintf(out, NAME_TEXT, "%s", found->pw_name);
    else
        snprintf(out, NAME_TEXT, "#%lld", (long long)user);
    return out;
}

static bool is_ours(const struct stat *about)
{
    return about->st_uid == geteuid() || about->st_uid == 0;
}

/* Where every user has a group of that name alone, what they make is open to the group. */
static bool is_group_of_one(gid_t group, uid_t user)
{
    struct group about, *found = NULL;
    char         room[16384], name[NAME_TEXT];

    if (group == 0)
        return true; /* root's */
    if (getgrgid_r(group, &about, room, sizeof room, &found) != 0 || !found ||
        strcmp(found->gr_name, name_of(user, name)) != 0)
        return false;
    for (char **member = found->gr_mem; *member; member++)
        if (strcmp(*member, name) != 0)
            return false;
    return true;
}

static bool others_can_write(const struct stat *about)
{
    return about->st_mode & S_IWOTH ||
           (about->st_mode & S_IWGRP && !is_group_of_one(about->st_gid, about->st_uid));
}

/* What to do, and the command that does it. One that has no room is left out: cut off, it would be about another file. */
static skein_rc hint_command(skein_error *err, const char *what, const char *command,
                             const char *path)
{
    skn_arena *a = skn_arena_new();
    skn_str    whole = skn_arena_printf(a, "%s: %s %.*s", what, command,
                                        SKN_FMT(skn_shell_word(a, path)));

    skn_hint(err, SKEIN_IO, "%s", whole.n < sizeof err->hint ? whole.p : what);
    skn_arena_free(a);
    return SKEIN_IO;
}

/* --- Files -------------------------------------------------------------------------------------- */

static skein_rc fail_owner(const char *what, const char *path, uid_t owner, skein_error *err)
{
    char theirs[NAME_TEXT], ours[NAME_TEXT];

    return skn_fail(err, SKEIN_IO, "%s\"%s\" belongs to the user %s, not to %s", what, path,
                    name_of(owner, theirs), name_of(geteuid(), ours));
}

/* A file that can be created again is better removed than taken over: the other user knows its content. */
static skein_rc refuse_owner(const char *path, skn_own_kind kind, uid_t owner, skein_error *err)
{
    char command[NAME_TEXT];

    fail_owner("", path, owner, err);
    if (kind == SKN_OWN_FILE || kind == SKN_OWN_TOKEN)
        return hint_command(err, "Remove it, and a new one is made", "rm -f", path);
    snprintf(command, sizeof command, "%schown %lld", geteuid() ? "sudo " : "",
             (long long)geteuid());
    return hint_command(err, "If you know what is in it, make it yours", command, path);
}

static skein_rc refuse_mode(const char *path, skn_own_kind kind, const struct stat *about,
                            skein_error *err)
{
    bool write = others_can_write(about);

    skn_fail(err, SKEIN_IO, "others can %s \"%s\" (%04o)", write ? "write" : "read", path,
             (unsigned)(about->st_mode & 07777));
    if (write && kind == SKN_OWN_TOKEN)
        return hint_command(err, "Remove it, and a new one is made", "rm -f", path);
    return hint_command(
        err, "Close it",
        kind == SKN_OWN_NAMED || kind == SKN_OWN_FILE ? "chmod go-w" : "chmod 600", path);
}

static skein_rc no_file(const char *path, const char *what, skein_error *err)
{
    skn_fail(err, SKEIN_IO, "\"%s\" %s", path, what);
    return hint_command(err, "Put the file itself there, or remove it", "rm -rf", path);
}

skein_rc skn_own_check(int fd, const char *path, skn_own_kind kind, int *open_to,
                       skein_error *err)
{
    bool        secret = kind == SKN_OWN_TOKEN || kind == SKN_OWN_SECRET;
    struct stat about;

    if (fstat(fd, &about) != 0)
        return skn_fail(err, SKEIN_IO, "\"%s\" cannot be read: %s", path, strerror(errno));
    if (!is_ours(&about))
        return refuse_owner(path, kind, about.st_uid, err);
    if (kind == SKN_OWN_NAMED &&
        S_ISCHR(about.st_mode)) /* nobody should remove or close that */
        return skn_fail(err, SKEIN_IO, "\"%s\" is a device, no file", path);
    if (others_can_write(&about) || (secret && about.st_mode & OTHERS_READ))
        return refuse_mode(path, kind, &about, err);
    if (kind != SKN_OWN_NAMED && !S_ISREG(about.st_mode))
        return no_file(path, "is not a file", err);
    if (open_to)
        *open_to = about.st_mode & OTHERS_READ ? (int)(about.st_mode & 0777) : 0;
    return SKEIN_OK;
}

bool skn_own_refused(const skein_error *err)
{
    return err->rc == SKEIN_IO && err->hint[0];
}

skein_rc skn_own_open(const char *path, skn_own_kind kind, int flags, int *fd, int *open_to,
                      skein_error *err)
{
    skein_rc rc;

    /* A pipe that somebody put in a file's place must not make us wait for its other end. */
    if (kind != SKN_OWN_NAMED)
        flags |= O_NOFOLLOW | O_NONBLOCK;
    *fd = open(path, flags | O_CLOEXEC, 0600);
    if (*fd < 0 && errno == ELOOP)
        return no_file(path, "is a link", err);
    if (*fd < 0)
        return skn_fail(err, errno == ENOENT || errno == ENOTDIR ? SKEIN_NOT_FOUND : SKEIN_IO,
                        "\"%s\" cannot be read: %s", path, strerror(errno));
    if (!(rc = skn_own_check(*fd, path, kind, open_to, err)))
        return SKEIN_OK;
    close(*fd);
    *fd = -1;
    return rc;
}

/* A secret fits into the first piece, so that no copy of it stays behind. */
skein_rc skn_fd_read(int fd, size_t limit, skn_arena *a, skn_str *out)
{
    size_t  room = limit < FIRST_PIECE ? limit + 1 : FIRST_PIECE, got = 0;
    char   *bytes = skn_arena_alloc(a, room + 1);
    ssize_t n = 1;

    *out = SKN_NONE;
    while (got <= limit && n) {
        if (got == room) {
            char *more = skn_arena_alloc(a, 2 * room + 1);

            memcpy(more, bytes, got);
            bytes = more;
            room *= 2;
        }
        n = read(fd, bytes + got, room - got);
        if (n < 0 && errno != EINTR)
            return SKEIN_IO;
        got += n > 0 ? (size_t)n : 0;
    }
    if (got > limit)
        return SKEIN_LIMIT;
    bytes[got] = 0;
    *out = (skn_str){bytes, got};
    return SKEIN_OK;
}

skein_rc skn_fd_fail(skein_rc rc, const char *name, size_t limit, skein_error *err)
{
    return rc == SKEIN_LIMIT
               ? skn_fail(err, rc, "\"%s\" is over %zu bytes", name, limit)
               : skn_fail(err, rc, "\"%s\" cannot be read: %s", name, strerror(errno));
}

skein_rc skn_own_read(const char *path, skn_own_kind kind, size_t limit, skn_arena *a,
                      skn_str *out, int *open_to, skein_error *err)
{
    int      fd;
    skein_rc rc = skn_own_open(path, kind, O_RDONLY, &fd, open_to, err);

    *out = SKN_NONE;
    if (rc)
        return rc;
    if ((rc = skn_fd_read(fd, limit, a, out)))
        skn_fd_fail(rc, path, limit, err);
    close(fd);
    return rc;
}

/* --- Folders ------------------------------------------------------------------------------------ */

/* What is in somebody else's folder decides what a server does: root would do it for them. */
static skein_rc refuse_folder(const char *path, uid_t owner, const char *again,
                              skein_error *err)
{
    char theirs[NAME_TEXT];

    fail_owner("the folder ", path, owner, err);
    if (geteuid() == 0 && again)
        return skn_hint(err, SKEIN_IO, "Run it as that user: sudo -u '%s' %s",
                        name_of(owner, theirs), again);
    return skn_hint(err, SKEIN_IO, "Use a folder of your own with --data DIR");
}

static skein_rc check_folder(const char *path, const struct stat *about, const char *again,
                             skein_error *err)
{
    char inner[PATH_MAX];

    if (!is_ours(about))
        return refuse_folder(path, about->st_uid, again, err);
    if (!others_can_write(about))
        return SKEIN_OK;
    skn_fail(err, SKEIN_IO, "others can write into the folder \"%s\" (%04o)", path,
             (unsigned)(about->st_mode & 07777));
    if (about->st_uid == geteuid() && !(about->st_mode & S_ISVTX))
        return hint_command(err, "Close it", "chmod go-w", path);
    snprintf(inner, sizeof inner, "%s/skein", path);
    return hint_command(err, "Use a folder in it", "--data", inner);
}

/* Who can rename what is in a folder can put another folder in the place of ours. In a sticky one, as /tmp is, only
 * its owner can. */
static skein_rc check_above(char *path, skein_error *err)
{
    struct stat about;

    for (char *slash = strrchr(path, '/'); slash; slash = strrchr(path, '/')) {
        bool top = slash == path;

        slash[top] = 0;
        if (stat(path, &about) == 0 && about.st_mode & S_IWOTH && !(about.st_mode & S_ISVTX)) {
            skn_fail(err, SKEIN_IO,
                     "everybody can move what is in the folder \"%s\" (%04o), also the data",
                     path, (unsigned)(about.st_mode & 07777));
            return hint_command(err, "Close it", "chmod +t", path);
        }
        if (top)
            break;
    }
    return SKEIN_OK;
}

/* One that cannot be had is fine here: who needs it says why it cannot. */
static skein_rc check_this(const char *path, const char *again, skein_error *err)
{
    struct stat about;
    int         fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool        known = fd >= 0 && fstat(fd, &about) == 0;

    if (fd >= 0)
        close(fd);
    return known ? check_folder(path, &about, again, err) : SKEIN_OK;
}

/* The owner of a link can let it lead elsewhere. */
static skein_rc check_link(const char *path, skein_error *err)
{
    struct stat about;

    if (lstat(path, &about) != 0 || !S_ISLNK(about.st_mode) || is_ours(&about))
        return SKEIN_OK;
    fail_owner("the link ", path, about.st_uid, err);
    return skn_hint(err, SKEIN_IO, "Name the folder itself with --data DIR");
}

skein_rc skn_own_folder_alone(const char *path, skein_error *err)
{
    return check_this(path, NULL, err);
}

skein_rc skn_own_folder(const char *path, const char *again, skein_error *err)
{
    char     above[PATH_MAX];
    skein_rc rc;

    if ((rc = check_link(path, err)) || (rc = check_this(path, again, err)))
        return rc;
    if (*path == '/' && (size_t)snprintf(above, sizeof above, "%s", path) < sizeof above &&
        (rc = check_above(above, err)))
        return rc;
    return realpath(path, above) ? check_above(above, err) : SKEIN_OK;
}
