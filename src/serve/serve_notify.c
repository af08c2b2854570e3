/* The service manager's protocol: systemd uses a datagram and two variables. */
#include "serve/serve.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define FIRST_PASSED 3

static bool number_in(const char *name, int64_t *out)
{
    const char *value = getenv(name);

    return value && skn_str_int(skn_str_of(value), out);
}

void skn_notify(const char *state)
{
    const char        *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t             n = path ? strlen(path) : 0;
    int                fd;

    if (n < 2 || n >= sizeof to.sun_path || (path[0] != '/' && path[0] != '@'))
        return;
    memcpy(to.sun_path, path, n);
    if (path[0] == '@') /* an abstract address */
        to.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0)
        return;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&to,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n));
    close(fd);
}

int64_t skn_notify_watchdog_ms(void)
{
    int64_t micros, pid;

    if (!number_in("WATCHDOG_USEC", &micros) || micros < 2000)
        return 0;
    if (number_in("WATCHDOG_PID", &pid) && pid != getpid())
        return 0;
    return micros / 2000; /* twice as often as required */
}

int skn_notify_socket(int *count)
{
    int64_t pid, n;
    bool    ours = number_in("LISTEN_PID", &pid) && pid == getpid() &&
                number_in("LISTEN_FDS", &n) && n >= 1 && n <= 1000;

    *count = ours ? (int)n : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    for (int i = 0; i < *count; i++)
        fcntl(FIRST_PASSED + i, F_SETFD, FD_CLOEXEC);
    return ours ? FIRST_PASSED : -1;
}
