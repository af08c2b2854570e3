/* peer_kit.h: a server that answers requests with bytes that a test has written down, whatever they are.
 *
 * Each connection has a thread of its own. The n-th request of all gets the n-th reply, the ones after
 * the last reply that one again. */
#ifndef SKN_TESTS_PEER_KIT_H
#define SKN_TESTS_PEER_KIT_H

#include "base/buf.h"
#include "base/loop.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PEER_THREADS = 64 };

typedef enum peer_then {
    PEER_CLOSE,
    PEER_RESET,
    PEER_HOLD, /* says nothing more until the client goes */
    PEER_KEEP  /* the next request on this connection */
} peer_then;

typedef struct peer_reply {
    const char *bytes; /* NULL: none */
    peer_then   then;
    int         wait_for; /* requests that must have come before it is given */
    size_t      times;    /* that the bytes are sent; 0: once */
} peer_reply;

typedef struct peer {
    int               listener, port;
    const peer_reply *replies;
    int               count;
    pthread_t         threads[PEER_THREADS];
    int               fds[PEER_THREADS];
    atomic_int        connections, now, most; /* most: requests that were there at once */
    pthread_t         acceptor;
    pthread_mutex_t   mu;
    pthread_cond_t    came;
    int               requests; /* guarded by mu, as is the rest */
    skn_buf           heard;    /* all requests */
} peer;

typedef struct peer_conn {
    peer *p;
    int   fd;
} peer_conn;

/* Reads one request; false: there is none. */
static inline bool peer_read(peer *p, int fd, int *number)
{
    skn_buf b;
    char    piece[4096], *head, *length;
    size_t  want = SIZE_MAX;
    ssize_t n;

    skn_buf_init(&b, 64 << 20);
    while (b.n < want && (n = read(fd, piece, sizeof piece)) > 0) {
        skn_buf_add(&b, (skn_str){piece, (size_t)n});
        head = want == SIZE_MAX ? strstr(b.p, "\r\n\r\n") : NULL;
        if (!head)
            continue;
        want = (size_t)(head - b.p) + 4;
        length = strstr(b.p, "Content-Length: ");
        if (length && length < head)
            want += strtoul(length + 16, NULL, 10);
    }
    pthread_mutex_lock(&p->mu);
    if (b.n && b.n >= want) {
        *number = p->requests++;
        skn_buf_add(&p->heard, skn_buf_str(&b));
        skn_buf_addc(&p->heard, '\n');
        pthread_cond_broadcast(&p->came);
    }
    pthread_mutex_unlock(&p->mu);
    n = b.n && b.n >= want;
    skn_buf_release(&b);
    return n;
}

static inline void peer_send(int fd, const char *bytes)
{
    size_t  n = strlen(bytes), done = 0;
    ssize_t put = 0;

    while (done < n && (put = send(fd, bytes + done, n - done, MSG_NOSIGNAL)) > 0)
        done += (size_t)put;
}

static inline void peer_give(peer *p, int fd, const peer_reply *r)
{
    char c;

    pthread_mutex_lock(&p->mu);
    while (p->requests < r->wait_for)
        pthread_cond_wait(&p->came, &p->mu);
    pthread_mutex_unlock(&p->mu);
    for (size_t i = 0; r->bytes && i < (r->times ? r->times : 1); i++)
        peer_send(fd, r->bytes);
    if (r->then == PEER_HOLD)
        while (read(fd, &c, 1) > 0)
            continue;
    if (r->then == PEER_RESET) {
        struct linger now = {1, 0};

        setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    }
}

static inline void *peer_serve(void *arg)
{
    peer_conn *c = arg;
    peer      *p = c->p;
    int        number, now, most, fd = c->fd;

    free(c);
    while (peer_read(p, fd, &number)) {
        const peer_reply *r = &p->replies[number < p->count ? number : p->count - 1];

        now = atomic_fetch_add(&p->now, 1) + 1;
        most = atomic_load(&p->most);
        while (most < now && !atomic_compare_exchange_weak(&p->most, &most, now))
            continue;
        if (r->then != PEER_KEEP)
            atomic_fetch_sub(&p->now, 1);
        peer_give(p, fd, r);
        if (r->then != PEER_KEEP)
            break;
        atomic_fetch_sub(&p->now, 1);
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

static inline void *peer_accept(void *arg)
{
    peer *p = arg;
    int   fd, i;

    while ((fd = accept(p->listener, NULL, NULL)) >= 0) {
        peer_conn *c = malloc(sizeof *c);

        *c = (peer_conn){p, fd};
        i = atomic_fetch_add(&p->connections, 1);
        if (i >= PEER_THREADS)
            abort();
        pthread_create(&p->threads[i], NULL, peer_serve, c);
    }
    return NULL;
}

static inline void peer_open(peer *p, const peer_reply *replies, int count)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          n = sizeof at;

    memset(p, 0, sizeof *p);
    p->replies = replies;
    p->count = count;
    pthread_mutex_init(&p->mu, NULL);
    pthread_cond_init(&p->came, NULL);
    skn_buf_init(&p->heard, 64 << 20);
    p->listener = socket(AF_INET, SOCK_STREAM, 0);
    if (p->listener < 0 || bind(p->listener, (struct sockaddr *)&at, sizeof at) ||
        listen(p->listener, 64) || getsockname(p->listener, (struct sockaddr *)&at, &n))
        abort();
    p->port = ntohs(at.sin_port);
    pthread_create(&p->acceptor, NULL, peer_accept, p);
}

/* All clients must have gone. */
static inline void peer_close(peer *p)
{
    shutdown(p->listener, SHUT_RDWR);
    pthread_join(p->acceptor, NULL);
    close(p->listener);
    for (int i = 0; i < p->connections; i++)
        pthread_join(p->threads[i], NULL);
    skn_buf_release(&p->heard);
    pthread_mutex_destroy(&p->mu);
    pthread_cond_destroy(&p->came);
}

#endif
