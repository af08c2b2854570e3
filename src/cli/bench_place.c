/* bench_place.c: where it is measured. Everything is made in a folder of its own, on a disk, and
 * removed afterwards. An interrupt is held back until that is done: it is looked for between rounds. */
#include "cli/bench.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define TYPE_SIZE 32

static const int interrupts[] = {SIGINT, SIGTERM, SIGHUP};

static void hold_interrupts(skn_bench *b)
{
    struct sigaction now;
    sigset_t         set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
        if (sigaction(interrupts[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&set, interrupts[i]);
    pthread_sigmask(SIG_BLOCK, &set, &b->signals);
}

skein_rc skn_bench_go_on(skn_bench *b)
{
    sigset_t waiting;

    if (sigpending(&waiting) == 0)
        for (size_t i = 0; i < sizeof interrupts / sizeof *interrupts; i++)
            if (sigismember(&waiting, interrupts[i]) == 1)
                return skn_fail(&b->cli->err, SKEIN_FAILED, "the measurement was interrupted");
    return SKEIN_OK;
}

/* --- A folder of our own -------------------------------------------------------------------- */

/* /tmp may be in memory, where nothing is durable and commits cost nothing. */
static const char *parent_folder(const skn_bench *b)
{
    const char *folder = skn_opt(b->cli, "data");

    if (!folder)
        folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/var/tmp";
}

static skein_rc make_folder(skn_bench *b)
{
    skn_str name = skn_arena_printf(b->cli->keep, "%s/skein-bench-XXXXXX", parent_folder(b));
    char   *path = skn_arena_alloc(b->cli->keep, name.n + 1);

    memcpy(path, name.p, name.n);
    if (mkdtemp(path)) {
        b->folder = path;
        return SKEIN_OK;
    }
    skn_fail(&b->cli->err, SKEIN_IO, "no folder can be made in \"%s\": %s", parent_folder(b),
             strerror(errno));
    return skn_hint(&b->cli->err, SKEIN_IO, "Name another place with --data DIR");
}

void skn_bench_remove(const char *folder)
{
    char           path[PATH_SIZE];
    struct dirent *entry;
    DIR           *dir = opendir(folder);

    while (dir && (entry = readdir(dir))) {
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);

        if (n > 0 && (size_t)n < sizeof path && entry->d_name[0] != '.')
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* The folder's path without symbolic links. */
static void find_path(const char *folder, char out[static PATH_SIZE])
{
    char    link[64];
    int     fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = fd >= 0 ? readlink(link, out, PATH_SIZE - 1) : -1;
    out[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

static bool is_above(const char *point, const char *path)
{
    size_t n = strlen(point);

    return !strncmp(path, point, n) && (n == 1 || path[n] == '/' || path[n] == '\0');
}

/* The type of the file system with the longest mount point above the folder. */
static void find_type(const char *folder, char type[static TYPE_SIZE])
{
    FILE  *mounts = fopen("/proc/self/mounts", "r");
    char   path[PATH_SIZE], line[PATH_SIZE], point[PATH_SIZE], kind[TYPE_SIZE];
    size_t best = 0;

    find_path(folder, path);
    snprintf(type, TYPE_SIZE, "unknown file system");
    while (mounts && fgets(line, sizeof line, mounts))
        if (sscanf(line, "%*s %4095s %31s", point, kind) == 2 && is_above(point, path) &&
            strlen(point) >= best) {
            best = strlen(point);
            snprintf(type, TYPE_SIZE, "%s", kind);
        }
    if (mounts)
        fclose(mounts);
}

skn_str skn_bench_shown(const skn_bench *b)
{
    char type[TYPE_SIZE];

    if (!b->folder)
        return skn_place_shown(b->cli);
    find_type(b->folder, type);
    return skn_arena_printf(b->cli->keep, "SQLite in %s (%s)", parent_folder(b), type);
}

/* --- Coming and going ----------------------------------------------------------------------- */

/* What is measured stays in a store that was named, so it must not be one that is in use. */
static skein_rc check_empty(skn_bench *b)
{
    skein_options options = SKEIN_OPTIONS_INIT;
    skein_engine *e = NULL;
    skein_worlds  worlds;
    skein_rc      rc;

    options.store = skn_str_of(b->address);
    if ((rc = skein_open(&e, &options, &b->cli->err)))
        return rc;
    rc = skein_world_list(e, b->cli->keep, &worlds, &b->cli->err);
    skein_close(e);
    if (rc || worlds.count == 0)
        return rc;
    skn_fail(&b->cli->err, SKEIN_CONFLICT, "the store \"%.*s\" is in use: it has worlds",
             SKN_FMT(skn_place_shown(b->cli)));
    return skn_hint(&b->cli->err, SKEIN_CONFLICT,
                    "Name a store that does not exist yet; it stays, and can be removed");
}

skein_rc skn_bench_place(skn_bench *b)
{
    skein_rc rc;

    b->address = skn_opt(b->cli, "db");
    if (b->address) {
        if ((rc = skn_place_address(b->cli)) || (rc = check_empty(b)))
            return rc;
    } else if ((rc = make_folder(b))) {
        return rc;
    }
    hold_interrupts(b);
    return SKEIN_OK;
}

void skn_bench_leave(skn_bench *b)
{
    if (b->folder)
        skn_bench_remove(b->folder);
    skn_out_flush(b->cli);
    pthread_sigmask(SIG_SETMASK, &b->signals, NULL);
}
