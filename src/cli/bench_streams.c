/* bench_streams.c: many clients that watch one chat: does each get everything, how soon, and what does
 * one cost the server. */
#include "cli/bench_server.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Every watcher has to be told of the same messages in the same order. */
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

static bool say(int fd, skn_str bytes)
{
    return fd >= 0 && write(fd, bytes.p, bytes.n) == (ssize_t)bytes.n;
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
        w->polls[i] = (struct pollfd){.fd = skn_bench_connect(child), .events = POLLIN};
        if (!say(w->polls[i].fd, request))
            return skn_fail(&w->bench->cli->err, SKEIN_FAILED, "stream %zu: %s", i + 1,
                            strerror(errno));
    }
    w->polls[w->count] = (struct pollfd){.fd = skn_bench_connect(child), .events = POLLIN};
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
    return say(w->polls[w->count].fd, w->post);
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

/* --- What came of it ------------------------------------------------------------------------ */

static double percentile(double *at, size_t n, size_t percent)
{
    size_t k = n * percent / 100;

    skn_median(at, n); /* puts them in order */
    return n ? at[k < n ? k : n - 1] : 0;
}

static skein_rc rows(watching *w, int64_t kb)
{
    skn_bench    *b = w->bench;
    skn_str       n = skn_bench_count(b->cli->keep, (int64_t)w->count);
    size_t        wrong = w->ended;
    skn_bench_row row = {.unit = "events", .figure_max = 1, .rounds = w->events};
    skein_rc      rc;

    for (size_t i = 0; i < w->count; i++)
        wrong += w->at[i].wrong + (w->events - w->at[i].seen);
    row.what =
        skn_arena_printf(b->cli->keep, "%.*s streams: lost or out of order", SKN_FMT(n)).p;
    row.figure = (double)wrong;
    if ((rc = skn_bench_add(b, &row)))
        return rc;
    row.what = skn_arena_printf(b->cli->keep, "%.*s streams: delivery, 99 of 100 within",
                                SKN_FMT(n))
                   .p;
    row.unit = "ms";
    row.figure_max = 200;
    row.figure = percentile(w->delays, w->delay_count, 99);
    if ((rc = skn_bench_add(b, &row)))
        return rc;
    row.what = skn_arena_printf(b->cli->keep, "%.*s streams: memory of one", SKN_FMT(n)).p;
    row.unit = "kB";
    row.figure_max = 40;
    row.figure = (double)kb / (double)w->count;
    return skn_bench_add(b, &row);
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
    free(w->at);
    free(w->polls);
    free(w->piece);
    free(w->sent);
    free(w->told);
    free(w->delays);
}

static void make(watching *w)
{
    w->at = skn_heap(w->count * sizeof *w->at);
    w->polls = skn_heap((w->count + 1) * sizeof *w->polls);
    w->piece = skn_heap(PIECE);
    w->sent = skn_heap(w->events * sizeof *w->sent);
    w->told = skn_heap(w->events * sizeof *w->told);
    w->delays = skn_heap(w->events * w->count * sizeof *w->delays);
    for (size_t i = 0; i <= w->count; i++)
        w->polls[i].fd = -1;
}

skein_rc skn_bench_streams(skn_bench *b, const skn_bench_store *s, const skn_bench_child *child)
{
    watching w = {.bench = b,
                  .count = allowed((size_t)b->size.streams),
                  .events = (size_t)b->size.events};
    int64_t  before = skn_bench_child_kb(child), kb = 0;
    skn_str  path = skn_arena_printf(b->cli->keep, "/worlds/%.*s/messages",
                                     SKN_FMT(s->world_name));
    skn_str  body = skn_arena_printf(b->cli->keep, "{\"chatId\":\"%.*s\",\"message\":\"%.*s\"}",
                                     SKN_FMT(s->chat_uid), SKN_FMT(SKN_BENCH_TEXT));
    skein_rc rc;

    w.post = skn_bench_request(b, child, "POST", path.p, "", body.p);
    make(&w);
    if (!(rc = open_streams(&w, child)) && !(rc = watch(&w))) {
        kb = skn_bench_child_kb(child) - before;
        rc = rows(&w, kb);
    }
    release(&w);
    return rc;
}
