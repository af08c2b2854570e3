/* Sockets that clients come in by. */
#include "http/inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

/* A blocking accept would stop the loop when the client has gone already; a socket that was passed on may be blocking. */
int skn_listen_ours(int fd)
{
    if (fd < 0)
        return fd;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}

static int bind_one(const struct addrinfo *a)
{
    int on = 1, fd = skn_listen_ours(socket(a->ai_family, SOCK_STREAM, 0));

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (a->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof on);
    if (bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0)
        return fd;
    on = errno;
    close(fd);
    errno = on;
    return -1;
}

skein_rc skn_listen_tcp(int *out, const char *host, int port, skein_error *err)
{
    struct addrinfo  hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    char             service[16];
    int              why;

    *out = -1;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    snprintf(service, sizeof service, "%d", port);
    why = getaddrinfo(host, service, &hints, &list);
    if (why)
        return skn_fail(err, SKEIN_INVALID, "\"%s\" is not an address to listen at: %s", host,
                        gai_strerror(why));
    for (struct addrinfo *a = list; a && *out < 0; a = a->ai_next)
        *out = bind_one(a);
    why = errno;
    freeaddrinfo(list);
    if (*out >= 0)
        return SKEIN_OK;
    if (why == EADDRINUSE)
        return skn_fail(err, SKEIN_CONFLICT, "port %d of %s is taken", port, host);
    return skn_fail(err, SKEIN_IO, "cannot listen at %s port %d: %s", host, port,
                    strerror(why));
}

/* A socket file that nobody answers at was left by a server that died. */
static bool answered(const struct sockaddr_un *at)
{
    int  fd = socket(AF_UNIX, SOCK_STREAM, 0);
    bool yes = fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) == 0;

    if (fd >= 0)
        close(fd);
    return yes;
}

skein_rc skn_listen_unix(int *out, const char *path, skein_error *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat        st;
    mode_t             mask;
    bool               ok;

    *out = -1;
    if (strlen(path) >= sizeof at.sun_path)
        return skn_fail(err, SKEIN_INVALID, "the socket's path \"%s\" is too long", path);
    memcpy(at.sun_path, path, strlen(path));
    if (lstat(path, &st) == 0) {
        if (!S_ISSOCK(st.st_mode) || answered(&at))
            return skn_fail(err, SKEIN_CONFLICT, "\"%s\" is in use", path);
        unlink(path);
    }
    *out = skn_listen_ours(socket(AF_UNIX, SOCK_STREAM, 0));
    mask = umask(0177); /* there is no moment when others could connect */
    ok = *out >= 0 && bind(*out, (struct sockaddr *)&at, sizeof at) == 0;
    umask(mask);
    if (ok && chmod(path, 0600) == 0 && listen(*out, BACKLOG) == 0)
        return SKEIN_OK;
    skn_fail(err, SKEIN_IO, "cannot listen at \"%s\": %s", path, strerror(errno));
    if (*out >= 0)
        close(*out);
    *out = -1;
    return SKEIN_IO;
}

int skn_listen_port(int fd)
{
    struct sockaddr_storage at;
    socklen_t               n = sizeof at;

    if (getsockname(fd, (struct sockaddr *)&at, &n))
        return 0;
    if (at.ss_family == AF_INET6)
        return ntohs(((struct sockaddr_in6 *)&at)->sin6_port);
    return at.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&at)->sin_port) : 0;
}

/* An IPv4 client of an IPv6 socket is shown as IPv4. */
static void address_text(const struct sockaddr_storage *at, char *out, size_t cap)
{
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)at;
    const char                *text = NULL;

    if (at->ss_family == AF_INET)
        text = inet_ntop(AF_INET, &((const struct sockaddr_in *)at)->sin_addr, out,
                         (socklen_t)cap);
    else if (at->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
        text = inet_ntop(AF_INET, &six->sin6_addr.s6_addr[12], out, (socklen_t)cap);
    else if (at->ss_family == AF_INET6)
        text = inet_ntop(AF_INET6, &six->sin6_addr, out, (socklen_t)cap);
    if (!text)
        out[0] = '\0';
}

int skn_listen_accept(int fd, bool local, int ask, skn_peer *peer)
{
    struct sockaddr_storage from = {0}, here = {0};
    socklen_t               n = sizeof from, m = sizeof here;
    int                     client = accept(fd, (struct sockaddr *)&from, &n);

    if (client < 0)
        return errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM ? -2
                                                                                         : -1;
    *peer = (skn_peer){.local = local};
    skn_listen_ours(client);
    if (!local) {
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        getsockname(client, (struct sockaddr *)&here, &m);
        address_text(&from, peer->address, sizeof peer->address);
        address_text(&here, peer->here, sizeof peer->here);
        peer->uid = skn_peer_tcp_uid(ask, client, &from, &here, &peer->gone);
    } else {
        peer->uid = skn_peer_unix_uid(client);
    }
    return client;
}

void skn_socket_remove(const char *path)
{
    struct stat st;

    if (path && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode))
        unlink(path);
}
