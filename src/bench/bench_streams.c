/* bench_streams.c: many clients that watch one chat: does each get everything, how soon, and what does
 * one cost the server. */
#include "base/clock.h"
#include "base/file.h"
#include "bench/bench_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define OTHER_FILES 64
#define PIECE       (64 * 1024)
#define LINE_MAX    (64 * 1024)
#define EVERY_NS    500000000 /* two events a second */
#define REST_MS     3000      /* for the last event to arrive everywhere */
#define OPEN_MS     30000
#define NAP_NS                                                                                 \
    2000000 /* what arrives meanwhile is read in one go: poll looks at every stream */

typedef struct watcher {
    skn_buf rest; /* a line that has not ended yet */
    bool    open, created;
    int64_t id, last_id;
    size_t  seen, wrong;
} watcher;

typedef struct watching {
    skn_bench     *bench;
    skn_arena     *mem;
    size_t         count, events;
    watcher       *at;
    struct pollfd *polls; /* the last one is the poster's */
    char          *piece;
    int64_t       *sent;   /* when each event was asked for */
    uint64_t      *told;   /* the message of each, by a watcher's first; for comparing */
    double        *delays; /* in ms, of all events of all watchers */
    size_t         posted, delay_count, open, ended;
    skn_str        post;
} watching;

/* --- Reading -------------------------------------------------------------------------------- */

/* Every watcher has to get the same messages in the same order. */
static void take_event(watching *w, watcher *c, skn_str data)
{
    ptrdiff_t at = skn_str_find(data, SKN_STR("\"messageId\":\""));
    uint64_t  message = skn_hash_bytes(1, skn_str_sub(data, (size_t)at, (size_t)at + 24));
    bool      right = at >= 0 && c->id > c->last_id && c->seen < w->posted;

    c->last_id = c->id;
    if (right && !w->told[c->seen])
        w->told[c->seen] = message;
    right = right && w->told[c->seen] == message;
    c->wrong += !right;
    if (right)
        w->delays[w->delay_count++] = (double)(skn_clock_monotonic() - w->sent[c->seen++]) /
                                      1e6;
}

static void take_line(watching *w, watcher *c, skn_str line)
{
    if (skn_str_starts(line, SKN_STR("id: "))) {
        skn_str_int(skn_str_sub(line, 4, line.n), &c->id);
    } else if (skn_str_starts(line, SKN_STR("event: "))) {
        c->created = skn_str_is(line, "event: message.created");
        w->open += !c->open && skn_str_is(line, "event: stream.open");
        c->open |= skn_str_is(line, "event: stream.open");
    } else if (c->created && skn_str_starts(line, SKN_STR("data: "))) {
        take_event(w, c, line);
    }
}

static void take_bytes(watching *w, watcher *c, skn_str bytes)
{
    const char *end;

    while ((end = memchr(bytes.p, '\n', bytes.n))) {
        size_t  n = (size_t)(end - bytes.p);
        skn_str line = {bytes.p, n};

        if (c->rest.n) {
            skn_buf_add(&c->rest, line);
            line = skn_buf_str(&c->rest);
        }
        take_line(w, c, line);
        skn_buf_clear(&c->rest);
        bytes = skn_str_sub(bytes, n + 1, bytes.n);
    }
    skn_buf_add(&c->rest, bytes);
}

static void read_watcher(watching *w, size_t i)
{
    ssize_t n = read(w->polls[i].fd, w->piece, PIECE);

    if (n > 0)
        take_bytes(w, &w->at[i], (skn_str){w->piece, (size_t)n});
    if (n > 0 || (n < 0 && errno == EINTR))
        return;
    close(w->polls[i].fd);
    w->polls[i].fd = -1;
    w->ended++;
}

static void read_poster(watching *w)
{
    struct pollfd *p = &w->polls[w->count];

    if (p->revents && read(p->fd, w->piece, PIECE) <= 0) {
        close(p->fd);
        p->fd = -1;
        w->ended++;
    }
}

static void read_ready(watching *w, int ms)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};

    if (poll(w->polls, (nfds_t)w->count + 1, ms) <= 0)
        return;
    for (size_t i = 0; i < w->count; i++)
        if (w->polls[i].fd >= 0 && w->polls[i].revents)
            read_watcher(w, i);
    read_poster(w);
    nanosleep(&nap, NULL);
}

/* --- Coming --------------------------------------------------------------------------------- */

static bool write_bytes(int fd, skn_str bytes)
{
    return fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n;
}

/* A socket that is connected to the child; -1 when it cannot be. */
static int bench_connect(const skn_bench_child *child)
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

/* Without chunks, which HTTP/1.0 does not know: then a stream is nothing but its lines. */
static skein_rc open_streams(watching *w, const skn_bench_child *child)
{
    skn_arena *a = w->bench->cli->keep;
    skn_str    request = skn_arena_printf(
           a, "GET /events HTTP/1.0\r\nHost: 127.0.0.1:%d\r\nAccept: text/event-stream\r\n\r\n",
           child->port);
    int64_t start = skn_clock_monotonic();

    for (size_t i = 0; i < w->count; i++) {
        skn_buf_init(&w->at[i].rest, LINE_MAX);
        w->polls[i] = (struct pollfd){.fd = bench_connect(child), .events = POLLIN};
        if (!write_bytes(w->polls[i].fd, request))
            return skn_fail(&w->bench->cli->err, SKEIN_FAILED, "stream %zu: %s", i + 1,
                            strerror(errno));
    }
    w->polls[w->count] = (struct pollfd){.fd = bench_connect(child), .events = POLLIN};
    while (w->open < w->count && !w->ended && skn_bench_since(start) * 1e3 < OPEN_MS)
        read_ready(w, 100);
    if (w->open < w->count)
        return skn_fail(&w->bench->cli->err, SKEIN_FAILED, "only %zu of %zu streams opened",
                        w->open, w->count);
    return SKEIN_OK;
}

/* --- Watching ------------------------------------------------------------------------------- */

static bool post(watching *w)
{
    w->sent[w->posted++] = skn_clock_monotonic();
    return write_bytes(w->polls[w->count].fd, w->post);
}

static skein_rc watch(watching *w)
{
    int64_t  next = skn_clock_monotonic(), last = next;
    skein_rc rc = SKEIN_OK;

    while (rc == SKEIN_OK && w->posted < w->events) {
        int64_t now = skn_clock_monotonic();

        if (now >= next) {
            if (!post(w))
                return skn_fail(&w->bench->cli->err, SKEIN_FAILED, "nothing can be posted");
            next += EVERY_NS;
            last = now;
            rc = skn_bench_go_on(w->bench);
        }
        read_ready(w, (int)((next - now) / 1000000) + 1);
    }
    while (w->delay_count < w->events * w->count && skn_bench_since(last) * 1e3 < REST_MS)
        read_ready(w, 50);
    return rc;
}

/* --- The outcome ------------------------------------------------------------------------ */

static double percentile(double *at, size_t n, size_t percent)
{
    size_t k = n * percent / 100;

    skn_median(at, n); /* puts them in order */
    return n ? at[k < n ? k : n - 1] : 0;
}

static skein_rc rows(watching *w, int64_t kb)
{
    skn_bench       *b = w->bench;
    skn_bench_result lost = {.figure = (double)w->ended, .rounds = w->events}, late = lost,
                     memory = lost;
    skein_rc rc;

    for (size_t i = 0; i < w->count; i++)
        lost.figure += (double)(w->at[i].wrong + (w->events - w->at[i].seen));
    late.figure = percentile(w->delays, w->delay_count, 99);
    memory.figure = (double)kb / (double)w->count;
    if ((rc = skn_bench_add(b, SKN_ROW_STREAM_LOST, lost)) ||
        (rc = skn_bench_add(b, SKN_ROW_STREAM_DELAY, late)))
        return rc;
    return skn_bench_add(b, SKN_ROW_STREAM_MEMORY, memory);
}

/* --- All of it ------------------------------------------------------------------------------ */

/* As many as this process may have files. */
static size_t allowed(size_t wanted)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return wanted;
    if (files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    if (files.rlim_cur == RLIM_INFINITY || files.rlim_cur > wanted + OTHER_FILES)
        return wanted;
    return files.rlim_cur > 2 * OTHER_FILES ? (size_t)files.rlim_cur - OTHER_FILES
                                            : OTHER_FILES;
}

static void release(watching *w)
{
    for (size_t i = 0; i <= w->count; i++)
        if (w->polls[i].fd >= 0)
            close(w->polls[i].fd);
    for (size_t i = 0; i < w->count; i++)
        skn_buf_release(&w->at[i].rest);
    skn_arena_free(w->mem);
}

static void make_watchers(watching *w)
{
    w->mem = skn_arena_new();
    w->at = SKN_ARRAY(w->mem, w->count, watcher);
    w->polls = SKN_ARRAY(w->mem, w->count + 1, struct pollfd);
    w->piece = SKN_ARRAY(w->mem, PIECE, char);
    w->sent = SKN_ARRAY(w->mem, w->events, int64_t);
    w->told = SKN_ARRAY(w->mem, w->events, uint64_t);
    w->delays = SKN_ARRAY(w->mem, w->events * w->count, double);
    for (size_t i = 0; i <= w->count; i++)
        w->polls[i].fd = -1;
}

skein_rc skn_bench_streams(skn_bench *b, const skn_bench_store *s, const skn_bench_child *child)
{
    watching w = {.bench = b,
                  .count = allowed((size_t)b->size.streams),
                  .events = (size_t)b->size.events};
    int64_t  before = skn_bench_status_kb(child->pid, "VmRSS");
    skein_rc rc;

    b->size.streams = (int64_t)w.count;
    w.post = skn_bench_post(b, s, child, "", skn_bench_message(b, s->chat_uid.p));
    make_watchers(&w);
    if (!(rc = open_streams(&w, child)) && !(rc = watch(&w)))
        rc = rows(&w, skn_bench_status_kb(child->pid, "VmRSS") - before);
    release(&w);
    return rc;
}

/* Clients for measuring: they trust the server, and cost as little as they can. */

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

skn_str skn_bench_header(skn_str head, const char *name)
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
    skn_str_int(skn_bench_header(out->head, "Content-Length"), &length);
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

skn_str skn_bench_post(skn_bench *b, const skn_bench_store *s, const skn_bench_child *child,
                       const char *headers, const char *body)
{
    const char *path = skn_bench_text(b, "/worlds/%s/messages", s->world_name.p);

    return skn_bench_request(b, child, "POST", path, headers, body);
}

const char *skn_bench_message(const skn_bench *b, const char *chat_uid)
{
    return skn_bench_text(b, "{\"chatId\":\"%s\",\"message\":\"%.*s\"}", chat_uid,
                          SKN_FMT(SKN_BENCH_TEXT));
}

/* --- Requests ------------------------------------------------------------------------------------- */

typedef struct loading {
    skn_bench            *bench;
    const skn_bench_load *load;
    skn_bench_reply      *last; /* to be filled with the last answer, or NULL */
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
    return skn_fd_write(l->clients[i].fd, l->load->request[i]) ? SKEIN_OK : no_answer(l->bench);
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
    if (l->last) {
        skn_arena *mem = l->bench->cli->mem;
        skn_str    etag = skn_bench_header(a.head, "ETag");

        *l->last = (skn_bench_reply){a.status, skn_arena_copy(mem, etag),
                                     skn_arena_copy(mem, a.body)};
    }
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
        l->clients[i].fd = l->polls[i].fd = bench_connect(child);
        l->polls[i].events = POLLIN;
        skn_buf_init(&l->clients[i].in, ANSWER_LIMIT);
        if (l->clients[i].fd < 0)
            return no_answer(l->bench);
    }
    return SKEIN_OK;
}

static skein_rc run_clients(skn_bench *b, const skn_bench_child *child,
                            const skn_bench_load *load, skn_bench_reply *last, double *seconds)
{
    loading *l = skn_heap(sizeof *l);
    int64_t  start;
    skein_rc rc;

    l->bench = b;
    l->load = load;
    l->last = last;
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

skein_rc skn_bench_send(skn_bench *b, const skn_bench_child *child, const skn_bench_load *load,
                        double *seconds)
{
    return run_clients(b, child, load, NULL, seconds);
}

skein_rc skn_bench_ask(skn_bench *b, const skn_bench_child *child, const char *method,
                       const char *path, const char *headers, const char *body,
                       skn_bench_reply *out)
{
    skn_bench_load load = {.clients = 1, .count = 1};
    double         seconds;

    load.request[0] = skn_bench_request(b, child, method, path, headers, body);
    return run_clients(b, child, &load, out, &seconds);
}
