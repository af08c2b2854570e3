/* bench_ask.c: clients for measuring: they trust the server, and cost as little as they can. */
#include "cli/bench_server.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_LIMIT ((size_t)64 * 1024 * 1024)
#define SILENCE_MS   30000

/* --- One answer ------------------------------------------------------------------------------- */

typedef struct reader {
    int     fd;
    skn_buf in;
} reader;

typedef struct answer {
    int     status;
    skn_str head, body;
} answer;

/* The value of a header; absent when there is none. */
static skn_str header(skn_str head, const char *name)
{
    size_t  n = strlen(name);
    skn_str line;

    while (skn_str_split(&head, '\n', &line))
        if (line.n > n && line.p[n] == ':' && !strncasecmp(line.p, name, n))
            return skn_str_trim(skn_str_sub(line, n + 1, line.n));
    return SKN_NONE;
}

/* False when more has to come first. */
static bool take_answer(const skn_buf *in, answer *out)
{
    skn_str   all = skn_buf_str(in);
    ptrdiff_t end = skn_str_find(all, SKN_STR("\r\n\r\n"));
    int64_t   length = 0, status = 0;

    if (end < 0)
        return false;
    out->head = skn_str_sub(all, 0, (size_t)end + 2);
    skn_str_int(header(out->head, "Content-Length"), &length);
    skn_str_int(skn_str_sub(all, 9, 12), &status);
    out->status = (int)status;
    if (all.n < (size_t)end + 4 + (size_t)length)
        return false;
    out->body = skn_str_sub(all, (size_t)end + 4, all.n);
    return true;
}

static bool read_some(reader *r)
{
    char    piece[16 * 1024];
    ssize_t n;

    do
        n = read(r->fd, piece, sizeof piece);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        skn_buf_add(&r->in, (skn_str){piece, (size_t)n});
    return n > 0 && !r->in.over;
}

static bool write_all(int fd, skn_str bytes)
{
    while (bytes.n) {
        ssize_t n = write(fd, bytes.p, bytes.n);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            bytes = skn_str_sub(bytes, (size_t)n, bytes.n);
    }
    return true;
}

int skn_bench_connect(const skn_bench_child *child)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)child->port)};
    int                fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0)
        return -1;
    if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0) {
        close(fd);
        return -1;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static skein_rc no_answer(skn_bench *b)
{
    return skn_fail(&b->cli->err, SKEIN_UNREACHABLE, "the server that is measured is silent");
}

static skein_rc bad_answer(skn_bench *b, const answer *a)
{
    return skn_fail(&b->cli->err, SKEIN_FAILED, "the server that is measured answers %d: %.*s",
                    a->status, SKN_FMT(skn_str_sub(a->body, 0, 300)));
}

skn_str skn_bench_request(skn_bench *b, const skn_bench_child *child, const char *method,
                          const char *path, const char *headers, const char *body)
{
    skn_arena *a = b->cli->keep;

    if (!body)
        return skn_arena_printf(a, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n", method,
                                path, child->port, headers);
    return skn_arena_printf(a,
                            "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Type: "
                            "application/json\r\nContent-Length: %zu\r\n%s\r\n%s",
                            method, path, child->port, strlen(body), headers, body);
}

skein_rc skn_bench_ask(skn_bench *b, const skn_bench_child *child, const char *method,
                       const char *path, const char *headers, const char *body,
                       skn_bench_reply *out)
{
    skn_str  request = skn_bench_request(b, child, method, path, headers, body);
    reader   r = {.fd = skn_bench_connect(child)};
    answer   a;
    skein_rc rc = SKEIN_OK;
    bool     sent;

    skn_buf_init(&r.in, ANSWER_LIMIT);
    sent = r.fd >= 0 && write_all(r.fd, request);
    while (sent && !take_answer(&r.in, &a))
        sent = read_some(&r);
    if (!sent)
        rc = no_answer(b);
    else if (a.status >= 400)
        rc = bad_answer(b, &a);
    else
        *out = (skn_bench_reply){.status = a.status,
                                 .etag = skn_arena_copy(b->cli->mem, header(a.head, "ETag")),
                                 .body = skn_arena_copy(b->cli->mem, a.body)};
    if (r.fd >= 0)
        close(r.fd);
    skn_buf_release(&r.in);
    return rc;
}

skn_str skn_bench_member(skn_bench *b, const skn_bench_reply *r, const char *name)
{
    const skn_json *v;
    skn_str         text = SKN_NONE;

    if (skn_json_parse(&v, r->body, "answer", b->cli->mem, NULL) == SKEIN_OK)
        skn_json_text(v, name, &text, NULL);
    return text;
}

/* --- Many ------------------------------------------------------------------------------------- */

typedef struct loading {
    skn_bench            *bench;
    const skn_bench_load *load;
    reader                clients[SKN_BENCH_CLIENTS];
    struct pollfd         polls[SKN_BENCH_CLIENTS];
    int64_t               sent, done;
} loading;

static skein_rc send_next(loading *l, int i)
{
    if (l->sent == l->load->count) {
        l->polls[i].fd = -1;
        return SKEIN_OK;
    }
    l->sent++;
    return write_all(l->clients[i].fd, l->load->request[i]) ? SKEIN_OK : no_answer(l->bench);
}

static skein_rc serve_one(loading *l, int i)
{
    reader *r = &l->clients[i];
    answer  a;

    if (!read_some(r))
        return no_answer(l->bench);
    if (!take_answer(&r->in, &a))
        return SKEIN_OK;
    if (a.status >= 400)
        return bad_answer(l->bench, &a);
    skn_buf_clear(&r->in);
    l->done++;
    return send_next(l, i);
}

static skein_rc run_load(loading *l)
{
    skein_rc rc = SKEIN_OK;

    for (int i = 0; i < l->load->clients && rc == SKEIN_OK; i++)
        rc = send_next(l, i);
    while (l->done < l->load->count && rc == SKEIN_OK) {
        if (poll(l->polls, (nfds_t)l->load->clients, SILENCE_MS) <= 0)
            return no_answer(l->bench);
        for (int i = 0; i < l->load->clients && rc == SKEIN_OK; i++)
            if (l->polls[i].fd >= 0 && l->polls[i].revents)
                rc = serve_one(l, i);
    }
    return rc;
}

static skein_rc connect_all(loading *l, const skn_bench_child *child)
{
    for (int i = 0; i < l->load->clients; i++) {
        l->clients[i].fd = l->polls[i].fd = skn_bench_connect(child);
        l->polls[i].events = POLLIN;
        skn_buf_init(&l->clients[i].in, ANSWER_LIMIT);
        if (l->clients[i].fd < 0)
            return no_answer(l->bench);
    }
    return SKEIN_OK;
}

skein_rc skn_bench_send(skn_bench *b, const skn_bench_child *child, const skn_bench_load *load,
                        double *seconds)
{
    loading *l = skn_heap(sizeof *l);
    int64_t  start;
    skein_rc rc;

    l->bench = b;
    l->load = load;
    for (int i = 0; i < load->clients; i++)
        l->clients[i].fd = -1;
    rc = connect_all(l, child);
    start = skn_clock_monotonic();
    if (rc == SKEIN_OK)
        rc = run_load(l);
    *seconds = skn_bench_since(start);
    for (int i = 0; i < load->clients; i++) {
        if (l->clients[i].fd >= 0)
            close(l->clients[i].fd);
        skn_buf_release(&l->clients[i].in);
    }
    free(l);
    return rc;
}
