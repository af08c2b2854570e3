#include "cli/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OPENER "xdg-open"

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value && *value;
}

static bool in_path(const char *program)
{
    const char *path = getenv("PATH");
    char        file[PATH_MAX];

    while (path && *path) {
        int n = (int)strcspn(path, ":");

        snprintf(file, sizeof file, "%.*s/%s", n, path, program);
        if (n && access(file, X_OK) == 0)
            return true;
        path += n + (path[n] == ':');
    }
    return false;
}

bool skn_browser_here(void)
{
    return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && in_path(OPENER);
}

/* The grandchild is nobody's child, so that nobody has to wait for the browser. */
static void open_in_child(const char *url)
{
    int null;

    if (fork() != 0)
        _exit(0);
    setsid();
    null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    execlp(OPENER, OPENER, url, (char *)NULL);
    _exit(127);
}

bool skn_browser_open(const char *url)
{
    pid_t pid = fork();

    if (pid == 0)
        open_in_child(url);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    return pid > 0;
}
