#include "config/backups.h"

#include "base/clock.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_FILES 10000

typedef struct listing {
    skn_arena *mem;
    skn_vec(const char *) names;
} listing;

void skn_backup_name(int64_t micros, char out[SKN_BACKUP_NAME])
{
    char   time[SKN_TIME_TEXT];
    size_t n = 0;

    skn_time_format(micros, time);
    for (size_t i = 0; time[i] && time[i] != '.'; i++)
        if (time[i] != '-' && time[i] != ':')
            time[n++] = time[i];
    snprintf(out, SKN_BACKUP_NAME, "skein-%.*sZ.db", (int)n, time);
}

/* "skein-20261115T140203Z.db": ours, and nobody else's. */
static bool is_ours(const char *name)
{
    static const char form[] = "skein-00000000T000000Z.db";

    if (strlen(name) != sizeof form - 1)
        return false;
    for (size_t i = 0; form[i]; i++)
        if (form[i] == '0' ? name[i] < '0' || name[i] > '9' : name[i] != form[i])
            return false;
    return true;
}

/* The names of the copies, oldest first. */
static void list_copies(const char *folder, listing *out)
{
    DIR           *dir = opendir(folder);
    struct dirent *entry;

    *out = (listing){.mem = skn_arena_new()};
    while (dir && out->names.n < MOST_FILES && (entry = readdir(dir)))
        if (is_ours(entry->d_name))
            skn_vec_add(out->mem, &out->names,
                        skn_arena_copy(out->mem, skn_str_of(entry->d_name)).p);
    if (dir)
        closedir(dir);
    if (out->names.n)
        qsort(out->names.p, out->names.n, sizeof *out->names.p, skn_by_name);
}

int64_t skn_backup_newest(const char *folder, int64_t *count)
{
    listing     all;
    struct stat file;
    int64_t     at = 0;

    list_copies(folder, &all);
    *count = (int64_t)all.names.n;
    if (all.names.n) {
        const char *path = skn_arena_text(all.mem, "%s/%s", folder,
                                          all.names.p[all.names.n - 1]);

        if (stat(path, &file) == 0)
            at = (int64_t)file.st_mtime * 1000000;
    }
    skn_arena_free(all.mem);
    return at;
}

static void remove_oldest(const char *folder, int64_t keep)
{
    listing all;

    list_copies(folder, &all);
    for (size_t i = 0; i + (size_t)keep < all.names.n; i++)
        unlink(skn_arena_text(all.mem, "%s/%s", folder, all.names.p[i]));
    skn_arena_free(all.mem);
}

/* Made beside and renamed: a copy that has its name is whole. */
static skein_rc copy_store(skein_engine *e, const char *path, const char *part,
                           skein_error *err)
{
    skein_rc rc;

    unlink(part); /* of a server that died meanwhile */
    if ((rc = skein_backup(e, skn_str_of(part), err))) {
        unlink(part);
        return rc;
    }
    if (rename(part, path) == 0)
        return SKEIN_OK;
    return skn_fail(err, SKEIN_IO, "\"%s\" cannot be renamed: %s", part, strerror(errno));
}

skein_rc skn_backup_make(skein_engine *e, const char *folder, int64_t keep, skein_error *err)
{
    skn_arena *mem = skn_arena_new();
    char       name[SKN_BACKUP_NAME];
    skein_rc   rc;

    skn_backup_name(skn_clock_micros(), name);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        rc = skn_fail(err, SKEIN_IO, "the folder \"%s\" cannot be created: %s", folder,
                      strerror(errno));
    else
        rc = copy_store(e, skn_arena_text(mem, "%s/%s", folder, name),
                        skn_arena_text(mem, "%s/backup.part", folder), err);
    if (!rc)
        remove_oldest(folder, keep);
    skn_arena_free(mem);
    return rc;
}
