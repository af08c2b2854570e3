/* The address that the server listens on, and which program has it if it is taken. */
#include "base/clock.h"
#include "base/error.h"
#include "cli/place.h"
#include "cli/print.h"
#include "config/own.h"
#include "serve/serve.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
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

/* Reads the address that a socket is bound to. */
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

/* Returns a listening socket, or -1 with errno. */
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

/* Whether another port will do: nobody chose this one, and only people use it, not a service manager. */
static bool may_move(const skn_serve *s)
{
    return s->config->values[SKN_CONFIG_LISTEN].from == SKN_FROM_BUILT_IN &&
           !getenv("NOTIFY_SOCKET");
}

static skn_str port_holder(int port, skn_arena *a);

static skein_rc move_on(skn_serve *s)
{
    skn_str holder = port_holder(s->port, s->cli->keep);

    for (int port = s->port + 1; port <= s->port + PORTS_TRIED; port++) {
        if ((s->fd = try_port(s->host, port)) < 0)
            continue;
        skn_note(s->cli, "Port %d is used by %.*s. Using %d instead.", s->port, SKN_FMT(holder),
                 port);
        return SKEIN_OK;
    }
    return skn_fail(&s->cli->err, SKEIN_IO, "Port %d and the %d after it are in use", s->port,
                    PORTS_TRIED);
}

static skein_rc cannot_listen(skn_serve *s)
{
    int failure = errno;

    if (failure != EADDRINUSE)
        return skn_fail_hint(&s->cli->err, SKEIN_IO, "Choose another with --listen ADDR:PORT",
                             "cannot listen on %s port %d: %s", s->host, s->port,
                             strerror(failure));
    if (may_move(s))
        return move_on(s);
    return skn_fail_hint(&s->cli->err, SKEIN_IO, "Choose another with --listen ADDR:PORT",
                         "Port %d is used by %.*s", s->port,
                         SKN_FMT(port_holder(s->port, s->cli->keep)));
}

/* Asks the system for the port: it chose one for port 0, and the service manager may have passed a socket. */
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

/* One server for a store: its lock, and the file in which it describes itself. */

#define WAIT_MS  2000
#define RETRY_MS 20

static skein_rc cannot_write(skn_serve *s)
{
    return skn_fail_hint(&s->cli->err, SKEIN_IO, "Try: skein serve --data /some/folder",
                         "Cannot write to %s (%s)", s->traces.folder, strerror(errno));
}

/* A lock of the process: children do not inherit it, and it ends with the process. */
static bool take_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return fcntl(fd, F_SETLK, &lock) == 0;
}

/* Waits for the server that holds the lock: until it describes itself, it is starting or stopping. */
static skein_rc wait_for_other(skn_serve *s, bool *running, skn_server *other)
{
    const struct timespec pause = {0, RETRY_MS * 1000000L};
    skein_rc              rc;

    for (int waited = 0; waited < WAIT_MS; waited += RETRY_MS) {
        if ((rc = skn_discover_here(s->cli, other, running)) || *running)
            return rc;
        if (take_lock(s->lock))
            return SKEIN_OK;
        nanosleep(&pause, NULL);
    }
    return skn_fail_hint(&s->cli->err, SKEIN_CONFLICT, "Try again in a moment",
                         "another server is starting or stopping on %s", s->traces.folder);
}

/* A server that only reads may share the store with others and may run where it cannot write. Of several such servers
 * the first can be found. */
static skein_rc lock_to_read(skn_serve *s)
{
    skein_error err;

    if (skn_own_open(s->traces.reader_lock, SKN_OWN_FILE, O_RDWR | O_CREAT, &s->lock, NULL,
                     &err))
        s->lock = -1;
    if (s->lock < 0 || take_lock(s->lock))
        return SKEIN_OK;
    close(s->lock);
    s->lock = -1;
    return SKEIN_OK;
}

skein_rc skn_serve_lock(skn_serve *s, bool *running, skn_server *other)
{
    skein_rc rc = skn_place_guard(s->cli);

    *running = false;
    if (rc)
        return rc;
    if (s->read_only)
        return lock_to_read(s);
    rc = skn_own_open(s->traces.lock, SKN_OWN_FILE, O_RDWR | O_CREAT, &s->lock, NULL,
                      &s->cli->err);
    if (rc)
        return skn_own_refused(&s->cli->err) ? rc : cannot_write(s);
    if (take_lock(s->lock))
        return SKEIN_OK;
    return wait_for_other(s, running, other);
}

static void write_description(const skn_serve *s, skn_buf *out)
{
    skn_jw w;

    skn_jw_init(&w, out);
    skn_jw_object(&w);
    skn_jw_kint(&w, "pid", (int64_t)getpid());
    skn_jw_kstr(&w, "url", skn_str_of(s->url));
    skn_jw_kstr(&w, "socket", skn_str_of(s->socket));
    skn_jw_ktime(&w, "startedAt", s->started_at);
    skn_jw_kstr(&w, "version", skn_str_of(skein_version_text()));
    skn_jw_kstr(&w, "tokenFile", skn_str_of(s->token_file));
    skn_jw_object_end(&w);
    skn_buf_addc(out, '\n');
}

skein_rc skn_serve_describe(const skn_serve *s, skein_error *err)
{
    skn_buf  text;
    skein_rc rc;

    if (s->lock < 0)
        return SKEIN_OK;
    skn_buf_init(&text, 1 << 16);
    write_description(s, &text);
    rc = skn_file_write(s->read_only ? s->traces.reader_json : s->traces.json,
                        skn_buf_str(&text), err);
    skn_buf_release(&text);
    return rc;
}

void skn_serve_forget(const skn_serve *s)
{
    if (s->lock < 0)
        return;
    unlink(s->read_only ? s->traces.reader_json : s->traces.json);
    if (!s->read_only)
        skn_socket_remove(s->socket);
}

/* Which program listens on a port, as far as the system shows it. */

#define LISTENING 0x0a

/* Returns the inode of a socket that listens on the port, from one of the kernel's tables; 0: none. */
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

/* The program that listens on a port: "\"node\" (pid 4121)", or "another program". */
static skn_str port_holder(int port, skn_arena *a)
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
