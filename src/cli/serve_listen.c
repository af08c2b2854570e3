/* The address the server answers on, and who has it already. */
#include "cli/print.h"
#include "cli/serve.h"

#include "base/error.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG     4096
#define PORTS_TRIED 50

typedef union address {
    struct sockaddr         any;
    struct sockaddr_in      v4;
    struct sockaddr_in6     v6;
    struct sockaddr_storage room;
} address;

static socklen_t make_address(const char *host, int port, address *out)
{
    *out = (address){.room = {.ss_family = AF_UNSPEC}};
    if (inet_pton(AF_INET, host, &out->v4.sin_addr) == 1) {
        out->v4.sin_family = AF_INET;
        out->v4.sin_port = htons((uint16_t)port);
        return sizeof out->v4;
    }
    *out = (address){.room = {.ss_family = AF_UNSPEC}};
    inet_pton(AF_INET6, host, &out->v6.sin6_addr);
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons((uint16_t)port);
    return sizeof out->v6;
}

/* What a socket is bound to. */
static bool read_address(int fd, char host[SKN_HOST_TEXT], int *port)
{
    address   at;
    socklen_t n = sizeof at;

    if (getsockname(fd, &at.any, &n) != 0)
        return false;
    if (at.any.sa_family == AF_INET) {
        *port = ntohs(at.v4.sin_port);
        return inet_ntop(AF_INET, &at.v4.sin_addr, host, SKN_HOST_TEXT) != NULL;
    }
    *port = ntohs(at.v6.sin6_port);
    return at.any.sa_family == AF_INET6 &&
           inet_ntop(AF_INET6, &at.v6.sin6_addr, host, SKN_HOST_TEXT);
}

/* A listening socket, or -1 with errno. */
static int try_port(const char *host, int port)
{
    address   at;
    socklen_t n = make_address(host, port, &at);
    int       fd = socket(at.any.sa_family, SOCK_STREAM, 0), on = 1, failure;

    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, &at.any, n) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    failure = errno;
    close(fd);
    errno = failure;
    return -1;
}

/* Nobody chose the port, and nobody but a person relies on it. */
static bool may_move(const skn_serve *s)
{
    return s->config->values[SKN_CONFIG_LISTEN].from == SKN_FROM_BUILT_IN &&
           !getenv("NOTIFY_SOCKET");
}

static skein_rc move_on(skn_serve *s)
{
    skn_str holder = skn_port_holder(s->port, s->cli->keep);

    for (int port = s->port + 1; port <= s->port + PORTS_TRIED; port++) {
        if ((s->fd = try_port(s->host, port)) < 0)
            continue;
        skn_note(s->cli, "Port %d is used by %.*s. Using %d instead.", s->port, SKN_FMT(holder),
                 port);
        return SKEIN_OK;
    }
    return skn_fail(&s->cli->err, SKEIN_IO, "Port %d and the %d after it are used", s->port,
                    PORTS_TRIED);
}

static skein_rc cannot_listen(skn_serve *s)
{
    int failure = errno;

    if (failure != EADDRINUSE) {
        skn_fail(&s->cli->err, SKEIN_IO, "cannot listen on %s port %d: %s", s->host, s->port,
                 strerror(failure));
        return skn_hint(&s->cli->err, SKEIN_IO, "Choose another with --listen ADDR:PORT");
    }
    if (may_move(s))
        return move_on(s);
    skn_fail(&s->cli->err, SKEIN_IO, "Port %d is used by %.*s", s->port,
             SKN_FMT(skn_port_holder(s->port, s->cli->keep)));
    return skn_hint(&s->cli->err, SKEIN_IO, "Choose another with --listen ADDR:PORT");
}

/* With port 0, or a socket that was passed on, the system knows which port it became. */
static skein_rc look_again(skn_serve *s)
{
    if (!read_address(s->fd, s->host, &s->port))
        return skn_fail(&s->cli->err, SKEIN_IO, "the socket has no address: %s",
                        strerror(errno));
    return SKEIN_OK;
}

skein_rc skn_serve_listen(skn_serve *s)
{
    skein_rc rc = SKEIN_OK;

    if (!s->passed && (s->fd = try_port(s->host, s->port)) < 0)
        rc = cannot_listen(s);
    return rc ? rc : look_again(s);
}
