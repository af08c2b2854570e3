/* Which program listens on a port, as far as the system lets us see. */
#include "cli/serve.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTENING 0x0a

/* The inode of a socket that listens on the port, from one of the kernel's tables; 0: none. */
static unsigned long find_inode(const char *table, int port)
{
    FILE         *f = fopen(table, "re");
    char          line[512];
    unsigned      number, state;
    unsigned long inode, found = 0;

    while (f && !found && fgets(line, sizeof line, f))
        if (sscanf(line,
                   " %*[0-9]: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*s %*s %*s %*s %*s %lu",
                   &number, &state, &inode) == 3 &&
            number == (unsigned)port && state == LISTENING)
            found = inode;
    if (f)
        fclose(f);
    return found;
}

static bool has_descriptor(const char *pid, const char *link)
{
    char           path[320], target[64];
    DIR           *dir;
    struct dirent *entry;
    ssize_t        n;
    bool           found = false;

    snprintf(path, sizeof path, "/proc/%s/fd", pid);
    dir = opendir(path);
    while (dir && !found && (entry = readdir(dir))) {
        snprintf(path, sizeof path, "/proc/%.20s/fd/%.20s", pid, entry->d_name);
        n = readlink(path, target, sizeof target - 1);
        target[n > 0 ? n : 0] = '\0';
        found = !strcmp(target, link);
    }
    if (dir)
        closedir(dir);
    return found;
}

static void name_of(const char *pid, char out[64])
{
    char  path[64];
    FILE *f;

    snprintf(path, sizeof path, "/proc/%.20s/comm", pid);
    f = fopen(path, "re");
    if (!f || !fgets(out, 64, f))
        snprintf(out, 64, "?");
    out[strcspn(out, "\n")] = '\0';
    if (f)
        fclose(f);
}

skn_str skn_port_holder(int port, skn_arena *a)
{
    unsigned long  inode = find_inode("/proc/net/tcp", port);
    char           link[64], name[64];
    DIR           *dir;
    struct dirent *entry;
    skn_str        found = SKN_STR("another program");

    if (!inode)
        inode = find_inode("/proc/net/tcp6", port);
    snprintf(link, sizeof link, "socket:[%lu]", inode);
    dir = inode ? opendir("/proc") : NULL;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
            !has_descriptor(entry->d_name, link))
            continue;
        name_of(entry->d_name, name);
        found = skn_arena_printf(a, "\"%s\" (pid %s)", name, entry->d_name);
        break;
    }
    if (dir)
        closedir(dir);
    return found;
}
