/* bench_agents_model.c: a provider of models to measure with: it speaks as OpenAI's servers do, streams by
 * the clock, and knows what it was asked. */
#include "bench/bench_agents.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MOST_NUMBERS  65536
#define MOST_QUESTION ((size_t)8 * 1024 * 1024)
#define MOST_EVENT    256
#define BACKLOG       1024

typedef struct serving serving;

/* A connection, and the answer that is written to it. */
typedef struct talk {
    serving     *m;
    struct talk *next; /* of those that wait for the others */
    int          fd;
    skn_watch   *watch;
    skn_timer   *timer;
    skn_buf      in;
    int64_t      number, chunks, sent;
    int64_t      asked_at, began_at; /* ns */
} talk;

struct serving {
    skn_loop      *loop;
    int            fd;
    skn_watch     *watch;
    int64_t        together, chunks, waiting;
    talk          *held;
    skn_bench_seen seen;
    skn_buf        out;
    skn_buf        earlier; /* the question before */
    bool           numbers[MOST_NUMBERS];
};

/* --- What it writes ----------------------------------------------------------------------------- */

static void close_talk(talk *t)
{
    skn_watch_free(t->watch);
    skn_timer_free(t->timer);
    skn_buf_release(&t->in);
    close(t->fd);
    free(t);
}

static bool flush(talk *t)
{
    skn_str rest = skn_buf_str(&t->m->out);

    while (rest.n) {
        ssize_t n = send(t->fd, rest.p, rest.n, MSG_NOSIGNAL);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            rest = skn_str_sub(rest, (size_t)n, rest.n);
    }
    skn_buf_clear(&t->m->out);
    return true;
}

static void add_piece(skn_buf *out, skn_str piece)
{
    skn_buf_addf(out, "%zx\r\n%.*s\r\n", piece.n, SKN_FMT(piece));
}

static void add_event(skn_buf *out, const char *delta, const char *finish)
{
    char event[MOST_EVENT];
    int  n = snprintf(
         event, sizeof event,
         "data: {\"id\":\"bench\",\"object\":\"chat.completion.chunk\",\"created\":0,"
          "\"model\":\"bench\",\"choices\":[{\"index\":0,\"delta\":{%s},"
          "\"finish_reason\":%s}]}\n\n",
         delta, finish);

    add_piece(out, (skn_str){event, (size_t)n});
}

static void add_chunk(skn_buf *out, int64_t number, int64_t i)
{
    char delta[96];

    snprintf(delta, sizeof delta, "\"content\":\"%s%" PRId64 ".%" PRId64 "\"", i ? " " : "",
             number, i);
    add_event(out, delta, "null");
}

skn_str skn_bench_model_text(skn_arena *a, int64_t number, int64_t chunks)
{
    skn_buf out;

    skn_buf_init(&out, MOST_QUESTION);
    for (int64_t i = 0; i < chunks; i++)
        skn_buf_addf(&out, "%s%" PRId64 ".%" PRId64, i ? " " : "", number, i);
    return skn_buf_keep(&out, a);
}

/* --- Answers ------------------------------------------------------------------------------------ */

static void add_end(talk *t)
{
    skn_buf *out = &t->m->out;

    add_event(out, "", "\"stop\"");
    add_piece(out, SKN_STR("data: [DONE]\n\n"));
    skn_buf_add(out, SKN_STR("0\r\n\r\n"));
    t->m->seen.done++;
    t->m->seen.own_ns += skn_clock_monotonic() - t->asked_at;
}

/* A chunk that is late is sent at once, and the next one in its own time. */
static void on_pace(void *arg)
{
    talk   *t = arg;
    int64_t due;

    add_chunk(&t->m->out, t->number, t->sent++);
    if (t->sent == t->chunks)
        add_end(t);
    if (!flush(t)) {
        close_talk(t);
        return;
    }
    due = t->began_at + t->sent * SKN_BENCH_PACE_MS * 1000000 - skn_clock_monotonic();
    if (t->sent < t->chunks)
        skn_timer_start(t->timer, due > 0 ? due / 1000000 : 0);
}

/* All are here: they begin spread over the first pause. */
static void begin_all(serving *m)
{
    int64_t n = 0;

    for (talk *t = m->held; t; t = t->next, n++) {
        int64_t wait = n % SKN_BENCH_PACE_MS;

        t->began_at = skn_clock_monotonic() + wait * 1000000;
        skn_timer_start(t->timer, wait);
    }
    m->held = NULL;
    m->waiting = 0;
}

static bool write_answer(talk *t, bool paced)
{
    serving *m = t->m;

    skn_buf_add(&m->out, SKN_STR("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                 "Transfer-Encoding: chunked\r\n\r\n"));
    t->sent = 0;
    t->chunks = m->chunks;
    if (!paced) {
        add_chunk(&m->out, t->number, 0);
        add_end(t);
        return flush(t);
    }
    m->seen.open++;
    t->next = m->held;
    m->held = t;
    if (!flush(t))
        return false;
    if (++m->waiting == m->together)
        begin_all(m);
    return true;
}

static bool answer_other(talk *t, skn_str head)
{
    const skn_bench_seen *s = &t->m->seen;
    char                  body[256];
    int                   n;

    if (skn_str_starts(head, SKN_STR("GET /seen ")))
        n = snprintf(body, sizeof body,
                     "%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
                     " %" PRId64,
                     s->asked, s->done, s->open, s->again, s->own_ns, s->earlier, s->shared);
    else
        n = snprintf(body, sizeof body,
                     "{\"object\":\"list\",\"data\":[{\"id\":\"paced\",\"object\":\"model\"},"
                     "{\"id\":\"instant\",\"object\":\"model\"}]}");
    skn_buf_addf(&t->m->out,
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                 "%d\r\n\r\n%s",
                 n, body);
    return flush(t);
}

/* --- Questions ---------------------------------------------------------------------------------- */

/* The number behind the last mark: what was asked before may be in the question too. */
static int64_t number_of(skn_str body)
{
    const skn_str mark = SKN_STR(SKN_BENCH_QUESTION);
    int64_t       number = -1;
    ptrdiff_t     at;

    while ((at = skn_str_find(body, mark)) >= 0) {
        body = skn_str_sub(body, (size_t)at + mark.n, body.n);
        number = 0;
        for (size_t i = 0; i < body.n && i < 9 && body.p[i] >= '0' && body.p[i] <= '9'; i++)
            number = number * 10 + (body.p[i] - '0');
    }
    return number;
}

/* What a server that keeps beginnings need not read again. */
static void compare(serving *m, skn_str body)
{
    size_t n = 0;

    while (n < body.n && n < m->earlier.n && body.p[n] == m->earlier.p[n])
        n++;
    m->seen.earlier += (int64_t)m->earlier.n;
    m->seen.shared += (int64_t)n;
    skn_buf_clear(&m->earlier);
    skn_buf_add(&m->earlier, body);
}

static bool take_question(talk *t, skn_str body)
{
    serving *m = t->m;

    compare(m, body);
    t->number = number_of(body);
    t->asked_at = skn_clock_monotonic();
    m->seen.asked++;
    if (t->number >= 0 && t->number < MOST_NUMBERS) {
        m->seen.again += m->numbers[t->number];
        m->numbers[t->number] = true;
    }
    return write_answer(t, skn_str_find(body, SKN_STR("\"model\":\"paced\"")) >= 0);
}

/* A question that is whole is answered; false: the connection is of no use any more. */
static bool take_request(talk *t)
{
    skn_str   all = skn_buf_str(&t->in);
    ptrdiff_t end = skn_str_find(all, SKN_STR("\r\n\r\n"));
    skn_str   head, body;
    int64_t   length = 0;
    bool      good;

    if (end < 0)
        return !t->in.over;
    head = skn_str_sub(all, 0, (size_t)end + 2);
    body = skn_str_sub(all, (size_t)end + 4, all.n);
    skn_str_int(skn_bench_header(head, "content-length"), &length);
    if (body.n < (size_t)length)
        return !t->in.over;
    good = skn_str_starts(head, SKN_STR("POST ")) ? take_question(t, body)
                                                  : answer_other(t, head);
    skn_buf_clear(&t->in);
    return good;
}

/* One that is cut while it waits for the others stays until the end. */
static void on_readable(void *arg)
{
    talk   *t = arg;
    char    piece[16 * 1024];
    ssize_t n = read(t->fd, piece, sizeof piece);

    if (n > 0)
        skn_buf_add(&t->in, (skn_str){piece, (size_t)n});
    if (n > 0 ? take_request(t) : n < 0 && errno == EINTR)
        return;
    for (const talk *h = t->m->held; h; h = h->next)
        if (h == t) {
            skn_watch_read(t->watch, false);
            return;
        }
    close_talk(t);
}

static void on_connection(void *arg)
{
    serving *m = arg;
    talk    *t;
    int      on = 1, fd = accept(m->fd, NULL, NULL);

    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    t = skn_heap(sizeof *t);
    t->m = m;
    t->fd = fd;
    t->timer = skn_timer_new(m->loop, on_pace, t);
    t->watch = skn_watch_new(m->loop, fd, on_readable, NULL, t);
    skn_buf_init(&t->in, MOST_QUESTION);
    skn_watch_read(t->watch, true);
}

/* --- The other process -------------------------------------------------------------------------- */

static int listen_here(int *port)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t          n = sizeof here;
    int                fd = socket(AF_INET, SOCK_STREAM, 0);

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd < 0 || bind(fd, (struct sockaddr *)&here, n) || listen(fd, BACKLOG) ||
        getsockname(fd, (struct sockaddr *)&here, &n)) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *port = ntohs(here.sin_port);
    return fd;
}

/* Connections go with the process. */
static void run_model(skn_bench *b, serving *m, int port)
{
    m->loop = skn_loop_new();
    m->watch = skn_watch_new(m->loop, m->fd, on_connection, NULL, m);
    skn_buf_init(&m->out, MOST_QUESTION);
    skn_buf_init(&m->earlier, MOST_QUESTION);
    skn_watch_read(m->watch, true);
    skn_bench_answer(b, m->loop, port);
}

skein_rc skn_bench_be_model(skn_bench *b)
{
    serving *m = skn_heap(sizeof *m);
    skn_str  how = skn_arg(b->cli, 1);
    skn_str  together = SKN_NONE;
    int      port = 0;

    skn_str_split(&how, 'x', &together);
    if (!skn_str_int(together, &m->together) || !skn_str_int(how, &m->chunks) ||
        (m->fd = listen_here(&port)) < 0) {
        free(m);
        return skn_fail(&b->cli->err, SKEIN_FAILED, "no model can be measured with");
    }
    run_model(b, m, port);
    _exit(0);
}

/* --- This one ------------------------------------------------------------------------------------- */

skein_rc skn_bench_model(skn_bench *b, int64_t together, int64_t chunks, skn_bench_child *out)
{
    const char *words[] = {"skein", "bench", "model", NULL, NULL};

    words[3] = skn_arena_text(b->cli->keep, "%" PRId64 "x%" PRId64, together, chunks);
    *out = (skn_bench_child){.pid = 0};
    return skn_bench_start(b, words, out);
}

skein_rc skn_bench_model_seen(skn_bench *b, const skn_bench_child *model, skn_bench_seen *out)
{
    skn_bench_reply r;
    skein_rc        rc = skn_bench_ask(b, model, "GET", "/seen", "", NULL, &r);

    if (rc)
        return rc;
    if (sscanf(r.body.p,
               "%" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
               " %" SCNd64,
               &out->asked, &out->done, &out->open, &out->again, &out->own_ns, &out->earlier,
               &out->shared) != 7)
        rc = skn_fail(&b->cli->err, SKEIN_FAILED, "the model that is measured with is broken");
    skein_mem_reset(b->cli->mem);
    return rc;
}
