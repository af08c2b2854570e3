/* A connection: coming, reading requests, sending answers and streams, going.
 *
 * A connection is held by itself while it is open, by the call that is worked on, by a stream until that knows of its end,
 * and by whatever function of it runs; the last one frees it. Shared bytes are made and dropped on any thread. */
#include "base/clock.h"
#include "http/sessions.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    BLANK_LINES = 8,
    STRANGER_MS = 5000, /* for the head of a request */
    PIECES_AT_ONCE = 64,
    LINGER_MS = 2000,
    FRAME = 24,
    SHARE_BYTES = 1024 * 1024
};

/* The bytes stand inside the frame of a chunk ("5\r\nbytes\r\n"), so that one copy serves answers with
 * and without chunks. */
struct skn_shared {
    atomic_int refs;
    size_t     head, n; /* of the chunk's first line, of the bytes */
    char      *p;
    char      *owned; /* instead of bytes behind the struct … */
    size_t    *sum;   /* … which are part of this sum; the loop's */
    char       bytes[];
};

typedef enum skn_conn_state {
    SKN_CONN_HEAD,   /* waits for a request, or has part of its head */
    SKN_CONN_BODY,   /* reads its body */
    SKN_CONN_RUN,    /* it is worked on */
    SKN_CONN_STREAM, /* its answer goes on */
    SKN_CONN_LAST,   /* closes once all is sent */
    SKN_CONN_DRAIN /* all is sent; what still comes in is thrown away, so that nothing is reset */
} skn_conn_state;

/* Bytes that wait to be sent. */
typedef struct skn_piece {
    skn_shared       *bytes;
    size_t            at, end;
    struct skn_piece *next;
} skn_piece;

struct skn_conn {
    skn_http *http;
    struct {
        skn_conn *prev, *next;
        bool      in;
    } row[SKN_ROWS];
    int            fd;    /* -1: closed */
    int            holds; /* by what is under way here; the last one frees */
    skn_watch     *watch;
    skn_peer       peer;
    char           session[SKN_UID_LEN + 1]; /* of its latest request; empty: none */
    skn_conn_state state;
    skn_buf        in;   /* bytes of requests that are not used yet */
    skn_str        data; /* the same while they are looked at, or still where they were read */
    size_t         scanned;
    skn_api_call  *call;
    skn_chunks     chunks;
    size_t         need;          /* of a body with a length */
    int64_t        begun;         /* when the request's first byte came */
    int64_t        deadline;      /* monotonic milliseconds; 0: none */
    skn_piece     *first, **last; /* to be sent */
    size_t         unsent;
    skn_call      *gone;
    void          *gone_arg;
    atomic_int     end;  /* skn_conn_closed */
    bool           late; /* it came while the server closed */
    bool           feeding, ended, flushing, chunked, saw_end;
};

/* --- Bytes that several connections send -------------------------------------------------------- */

skn_shared *skn_shared_new(skn_str bytes)
{
    skn_shared *s = skn_heap(sizeof *s + FRAME + bytes.n);
    skn_buf     line;

    atomic_init(&s->refs, 1);
    skn_buf_init(&line, FRAME);
    skn_buf_addf(&line, "%zx\r\n", bytes.n);
    s->p = s->bytes;
    s->head = line.n;
    s->n = bytes.n;
    memcpy(s->p, line.p, line.n);
    if (bytes.n)
        memcpy(s->p + s->head, bytes.p, bytes.n);
    memcpy(s->p + s->head + s->n, "\r\n", 2);
    skn_buf_release(&line);
    return s;
}

/* Takes a buffer over as it is. Its bytes count in *sum until they are dropped, on the loop. */
static skn_shared *shared_take(skn_buf *b, size_t *sum)
{
    skn_shared *s = skn_heap(sizeof *s);

    atomic_init(&s->refs, 1);
    s->n = b->n;
    s->p = s->owned = skn_buf_detach(b);
    s->sum = sum;
    *sum += s->n;
    return s;
}

static skn_shared *shared_hold(skn_shared *s)
{
    atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
    return s;
}

void skn_shared_drop(skn_shared *s)
{
    if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) > 1)
        return;
    if (s->sum)
        *s->sum -= s->n;
    free(s->owned);
    free(s);
}

/* --- Who holds a connection ---------------------------------------------------------------------- */

static void hold(skn_conn *conn)
{
    assert(conn->holds > 0);
    conn->holds++;
}

static void release(skn_conn *conn)
{
    if (--conn->holds)
        return;
    skn_buf_release(&conn->in);
    free(conn);
}

/* --- Rows: those that do nothing for anybody, and those of strangers ------------------------------- */

static void enter(skn_conn *conn, skn_conn_row row)
{
    skn_conn_list *all = &conn->http->conns;
    skn_conn      *last = all->row[row].last;

    conn->row[row].in = true;
    conn->row[row].prev = last;
    conn->row[row].next = NULL;
    *(last ? &last->row[row].next : &all->row[row].first) = conn;
    all->row[row].last = conn;
    all->row[row].count++;
}

static void leave(skn_conn *conn, skn_conn_row row)
{
    skn_conn_list *all = &conn->http->conns;
    skn_conn      *prev = conn->row[row].prev, *next = conn->row[row].next;

    if (!conn->row[row].in)
        return;
    conn->row[row].in = false;
    *(prev ? &prev->row[row].next : &all->row[row].first) = next;
    *(next ? &next->row[row].prev : &all->row[row].last) = prev;
    all->row[row].count--;
}

/* --- Those that do nothing for anybody, and those of strangers ------------------------------------- */

static bool is_idle(const skn_conn *conn)
{
    return (conn->state == SKN_CONN_HEAD || conn->state == SKN_CONN_DRAIN) && conn->unsent == 0;
}

/* It may have become idle: then it goes to the end of their row. */
static void list_idle(skn_conn *conn)
{
    leave(conn, SKN_ROW_IDLE);
    if (is_idle(conn))
        enter(conn, SKN_ROW_IDLE);
}

void skn_conn_let_in(skn_conn *conn)
{
    leave(conn, SKN_ROW_STRANGER);
}

/* Clients with access may have a slow line; others must be quick. */
static int64_t head_ms(const skn_conn *conn)
{
    int64_t most = conn->http->o.client_timeout_ms;

    return conn->row[SKN_ROW_STRANGER].in && most > STRANGER_MS ? STRANGER_MS : most;
}

/* --- Closing ------------------------------------------------------------------------------------------ */

static void add_piece(skn_conn *conn, skn_shared *bytes, size_t at, size_t end)
{
    skn_piece *p = skn_heap(sizeof *p);

    *p = (skn_piece){bytes, at, end, NULL};
    *conn->last = p;
    conn->last = &p->next;
    conn->unsent += end - at;
}

static void drop_unsent(skn_conn *conn)
{
    for (skn_piece *p = conn->first, *next; p; p = next) {
        next = p->next;
        skn_shared_drop(p->bytes);
        free(p);
    }
    conn->first = NULL;
    conn->last = &conn->first;
    conn->unsent = 0;
}

static void told_gone(void *arg)
{
    skn_conn *conn = arg;

    conn->gone(conn->gone_arg);
    release(conn);
}

/* In a later round of the loop: the caller that just tried to send may be walking over its streams. */
static void tell_gone(skn_conn *conn)
{
    skn_loop_post(conn->http->o.loop, told_gone, conn);
}

void skn_conn_close(skn_conn *conn)
{
    if (conn->fd < 0)
        return;
    skn_watch_free(conn->watch);
    close(conn->fd);
    conn->fd = -1;
    atomic_store(&conn->end, SKN_CONN_GONE);
    conn->data = SKN_NONE;
    drop_unsent(conn);
    for (skn_conn_row row = SKN_ROW_ALL; row < SKN_ROWS; row++)
        leave(conn, row);
    conn->http->conns.late -= conn->late;
    if (conn->gone)
        tell_gone(conn);
    if ((conn->state == SKN_CONN_HEAD || conn->state == SKN_CONN_BODY) && conn->call)
        skn_call_free(conn->call);
    skn_http_call_ended(conn->http);
    release(conn);
}

/* Connections that are busy again leave the row here and return when they are idle, so each is looked at once for each idle
 * time. */
bool skn_conn_make_room(skn_http *h)
{
    skn_conn_list *all = &h->conns;
    skn_conn      *first;

    while ((first = all->row[SKN_ROW_IDLE].first) && !is_idle(first))
        leave(first, SKN_ROW_IDLE);
    if (first)
        skn_conn_close(first);
    return first != NULL;
}

bool skn_conn_drop_stranger(skn_http *h)
{
    skn_conn *first = h->conns.row[SKN_ROW_STRANGER].first;

    if (first)
        skn_conn_close(first);
    return first != NULL;
}

/* --- Sending -------------------------------------------------------------------------------------- */

static void sent(skn_conn *conn, size_t n)
{
    conn->unsent -= n;
    while (conn->first && n >= conn->first->end - conn->first->at) {
        skn_piece *p = conn->first;

        n -= p->end - p->at;
        conn->first = p->next;
        if (!conn->first)
            conn->last = &conn->first;
        skn_shared_drop(p->bytes);
        free(p);
    }
    if (conn->first)
        conn->first->at += n;
}

/* False: the connection is broken. A client that takes everything gets no more than its share of a round. */
static bool write_pieces(skn_conn *conn)
{
    size_t share = SHARE_BYTES;

    while (conn->first && share > 0) {
        struct iovec v[PIECES_AT_ONCE];
        int          count = 0;
        ssize_t      n;

        for (skn_piece *p = conn->first; p && count < PIECES_AT_ONCE; p = p->next)
            v[count++] = (struct iovec){p->bytes->p + p->at, p->end - p->at};
        n = writev(conn->fd, v, count);
        if (n < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        sent(conn, (size_t)n);
        share -= share < (size_t)n ? share : (size_t)n;
    }
    return true;
}

/* A reset would destroy the answer of a client that is still sending, so its bytes are read for a while. */
static void say_goodbye(skn_conn *conn)
{
    if (conn->saw_end || shutdown(conn->fd, SHUT_WR) < 0) {
        skn_conn_close(conn);
        return;
    }
    conn->state = SKN_CONN_DRAIN;
    conn->deadline = skn_clock_ms() + LINGER_MS;
    list_idle(conn);
    skn_watch_read(conn->watch, true);
}

static void all_sent(skn_conn *conn)
{
    skn_watch_write(conn->watch, false);
    if (conn->state == SKN_CONN_LAST || (conn->state == SKN_CONN_STREAM && conn->ended)) {
        say_goodbye(conn);
    } else if (conn->state == SKN_CONN_HEAD) {
        conn->deadline = skn_clock_ms() + SKN_IDLE_MS;
        list_idle(conn);
    }
}

void skn_conn_flush(skn_conn *conn)
{
    conn->flushing = false;
    if (conn->fd >= 0) {
        if (!write_pieces(conn))
            skn_conn_close(conn);
        else if (!conn->first)
            all_sent(conn);
        else
            skn_watch_write(conn->watch, true);
    }
    release(conn);
}

static void flush_later(skn_conn *conn)
{
    if (conn->flushing || conn->fd < 0)
        return;
    conn->flushing = true;
    hold(conn);
    skn_wire_flush_later(conn->http, conn);
}

static void write_text(skn_conn *conn, skn_str text)
{
    skn_shared *s = skn_shared_new(text);

    add_piece(conn, s, s->head, s->head + s->n);
    flush_later(conn);
}

static void await_request(skn_conn *conn)
{
    conn->state = SKN_CONN_HEAD;
    conn->scanned = 0;
    conn->begun = 0;
    conn->deadline = skn_clock_ms() + SKN_IDLE_MS;
    list_idle(conn);
    if (!conn->saw_end)
        skn_watch_read(conn->watch, true);
}

/* --- Reading requests ------------------------------------------------------------------------------ */

static void use_bytes(skn_conn *conn, size_t n)
{
    conn->data = skn_str_sub(conn->data, n, conn->data.n);
}

/* The request is whole, or refused: from here on the call belongs to dispatch, which answers. */
static void run_call(skn_conn *conn, bool refused)
{
    conn->state = refused ? SKN_CONN_LAST : SKN_CONN_RUN;
    conn->deadline = 0;
    hold(conn);
    skn_dispatch_run(conn->call);
}

static void refuse_connection(skn_conn *conn, skn_refusal why)
{
    skn_dispatch_refuse(conn->call, why);
    run_call(conn, true);
}

/* What follows the head is only read when it is wanted. */
static void got_head(skn_conn *conn, skn_str head, skn_refusal no)
{
    skn_api_call      *c = skn_dispatch_head(conn->http, conn, head, no);
    const skn_request *r = c->by->request;
    bool               body = r->chunked || r->length;

    conn->call = c;
    if (!skn_dispatch_check(c)) {
        run_call(conn, body || skn_dispatch_broken(c));
        return;
    }
    if (!body) {
        run_call(conn, false);
        return;
    }
    conn->state = SKN_CONN_BODY;
    conn->chunks = (skn_chunks){0};
    conn->need = r->length;
    if (r->expect && !conn->data.n && !conn->first)
        write_text(conn, SKN_STR("HTTP/1.1 100 Continue\r\n\r\n"));
}

static bool read_head(skn_conn *conn)
{
    skn_refusal no = {0};
    skn_str     head;
    size_t      n;

    for (int i = 0;
         i < BLANK_LINES && !conn->scanned && skn_str_starts(conn->data, SKN_STR("\r\n")); i++)
        use_bytes(conn, 2);
    if (!conn->data.n)
        return false;
    if (!conn->begun) {
        conn->begun = skn_clock_ms();
        conn->deadline = conn->begun + head_ms(conn);
    }
    n = skn_head_end(conn->data, &conn->scanned, &no);
    if (!n && !no.status)
        return false;
    conn->scanned = 0;
    head = skn_str_sub(conn->data, 0, n);
    use_bytes(conn, n);
    got_head(conn, head, no);
    return true;
}

static bool read_body(skn_conn *conn)
{
    skn_api_call *c = conn->call;
    skn_buf      *body = skn_dispatch_body(c);
    skn_refusal   no = {0};
    size_t        used;
    bool          end;

    if (!conn->data.n)
        return false;
    if (c->by->request->chunked) {
        end = skn_chunks_read(&conn->chunks, conn->data, &used, body, &no);
    } else {
        used = conn->data.n < conn->need ? conn->data.n : conn->need;
        skn_buf_add(body, skn_str_sub(conn->data, 0, used));
        conn->need -= used;
        end = conn->need == 0;
    }
    use_bytes(conn, used);
    conn->deadline = conn->begun + conn->http->o.client_timeout_ms +
                     (int64_t)(body->n / SKN_SLOWEST) * 1000;
    if (!skn_dispatch_grew(c) && !no.status)
        no = (skn_refusal){503, "too much is being sent to this server at once"};
    if (no.status)
        refuse_connection(conn, no);
    else if (end)
        run_call(conn, false);
    return end || no.status;
}

/* Uses the bytes that are there, until somebody else has to act first. A client that does not take its answers gets no
 * more. */
static void feed_data(skn_conn *conn)
{
    bool going = true;

    while (going && conn->fd >= 0) {
        if (conn->state == SKN_CONN_HEAD && conn->unsent < SKN_READ_BYTES)
            going = read_head(conn);
        else if (conn->state == SKN_CONN_BODY)
            going = read_body(conn);
        else
            going = false;
    }
    if (conn->state == SKN_CONN_STREAM || conn->state == SKN_CONN_LAST ||
        conn->state == SKN_CONN_DRAIN)
        conn->data = SKN_NONE;
}

static void keep_rest(skn_conn *conn)
{
    skn_str rest = conn->data;

    if (conn->fd < 0)
        return;
    if (!rest.n) {
        skn_buf_release(&conn->in);
    } else if (conn->in.n) {
        memmove(conn->in.p, rest.p, rest.n);
        conn->in.n = rest.n;
    } else {
        skn_buf_add(&conn->in, rest);
    }
    conn->data = SKN_NONE;
    skn_watch_read(conn->watch, !conn->saw_end && conn->in.n <= SKN_AHEAD_BYTES);
}

/* Bytes of earlier reads first. */
static void feed(skn_conn *conn)
{
    if (conn->feeding)
        return;
    hold(conn);
    conn->feeding = true;
    if (!conn->data.n)
        conn->data = conn->in.n ? skn_buf_str(&conn->in) : SKN_NONE;
    feed_data(conn);
    keep_rest(conn);
    conn->feeding = false;
    if (conn->fd >= 0 && conn->saw_end && conn->state == SKN_CONN_HEAD && !conn->first)
        skn_conn_close(conn);
    release(conn);
}

/* A client may close its side and wait for the answer; the client of a stream is gone then. */
static void input_ended(skn_conn *conn)
{
    conn->saw_end = true;
    atomic_store(&conn->end, SKN_CONN_HALF);
    if (conn->state == SKN_CONN_RUN || conn->state == SKN_CONN_LAST ||
        (conn->state == SKN_CONN_HEAD && conn->first))
        skn_watch_read(conn->watch, false);
    else
        skn_conn_close(conn);
}

static void can_read(void *arg)
{
    skn_conn *conn = arg;
    char     *scratch = conn->http->scratch;
    ssize_t   n = read(conn->fd, scratch, SKN_READ_BYTES);

    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return;
    hold(conn);
    if (n < 0) {
        skn_conn_close(conn);
    } else if (n == 0) {
        input_ended(conn);
    } else if (conn->state == SKN_CONN_HEAD || conn->state == SKN_CONN_BODY ||
               conn->state == SKN_CONN_RUN) {
        if (conn->in.n)
            skn_buf_add(&conn->in, (skn_str){scratch, (size_t)n});
        else
            conn->data = (skn_str){scratch, (size_t)n};
        feed(conn);
    }
    release(conn);
}

/* --- Coming ---------------------------------------------------------------------------------------- */

static void can_write(void *arg)
{
    skn_conn *conn = arg;

    hold(conn);
    if (!write_pieces(conn))
        skn_conn_close(conn);
    else if (!conn->first)
        all_sent(conn);
    if (conn->fd >= 0 && conn->state == SKN_CONN_HEAD && !conn->first)
        feed(conn);
    release(conn);
}

skn_conn *skn_conn_new(skn_http *h, int fd, const skn_peer *peer)
{
    skn_conn *conn = skn_heap(sizeof *conn);

    conn->http = h;
    conn->fd = fd;
    conn->holds = 1;
    conn->peer = *peer;
    conn->last = &conn->first;
    conn->begun = skn_clock_ms();
    enter(conn, SKN_ROW_ALL);
    if (!skn_peer_is_owner(peer->uid))
        enter(conn, SKN_ROW_STRANGER);
    conn->deadline = conn->begun + head_ms(conn);
    skn_buf_init(&conn->in, SKN_READ_BYTES * 2); /* more is never read ahead */
    conn->watch = skn_watch_new(h->o.loop, fd, can_read, can_write, conn);
    skn_watch_read(conn->watch, true);
    list_idle(conn);
    conn->late = h->closing;
    h->conns.late += conn->late;
    return conn;
}

skn_conn_closed skn_conn_seen_end(const skn_conn *conn)
{
    return (skn_conn_closed)atomic_load(&conn->end);
}

const skn_peer *skn_conn_peer(const skn_conn *conn)
{
    return &conn->peer;
}

skn_conn *skn_conn_next(const skn_conn *conn)
{
    return conn->row[SKN_ROW_ALL].next;
}

void skn_conn_belongs(skn_conn *conn, const char *session)
{
    snprintf(conn->session, sizeof conn->session, "%s", session);
}

/* --- Answers -------------------------------------------------------------------------------------- */

/* Head and body in one call to the kernel; what it does not take is queued. */
static bool write_now(skn_conn *conn, skn_buf *head, skn_buf *body)
{
    struct iovec v[2] = {{head->p, head->n}, {body ? body->p : NULL, body ? body->n : 0}};
    ssize_t      n = conn->first ? 0 : writev(conn->fd, v, body && body->n ? 2 : 1);
    size_t       from;

    if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
        return false;
    from = n < 0 ? 0 : (size_t)n;
    if (from < head->n) {
        skn_shared *s = skn_shared_new(skn_str_sub(skn_buf_str(head), from, head->n));

        add_piece(conn, s, s->head, s->head + s->n);
        from = head->n;
    }
    from -= head->n;
    if (body && from < body->n) {
        skn_shared *s = shared_take(body, &conn->http->answers);

        add_piece(conn, s, from, s->n);
    }
    return true;
}

static void after_answer(skn_conn *conn, bool keep, size_t size)
{
    if (keep)
        await_request(conn);
    else
        conn->state = SKN_CONN_LAST;
    if (conn->first) {
        conn->deadline = skn_clock_ms() + SKN_SEND_MS + (int64_t)(size / SKN_SLOWEST) * 1000;
        skn_watch_write(conn->watch, true);
    } else if (!keep) {
        say_goodbye(conn);
    }
}

/* Whether the request's own bytes were all taken: else the next one could not be found. */
static bool may_stay(const skn_conn *conn, const skn_api_call *c)
{
    bool more = !conn->saw_end || conn->in.n || conn->data.n;

    return c->by->request->keep && conn->state == SKN_CONN_RUN && more && !conn->http->closing;
}

void skn_conn_answer(skn_conn *conn, skn_api_call *c)
{
    skn_buf *head = &conn->http->head;
    bool     keep = conn->fd >= 0 && may_stay(conn, c);
    bool     bare = skn_dispatch_head_only(c) || c->status == 204 || c->status == 304;
    size_t   size = c->out.n;

    conn->call = NULL;
    if (conn->fd >= 0) {
        skn_buf_clear(head);
        skn_answer_head(c, head, keep, false);
        if (write_now(conn, head, bare ? NULL : &c->out))
            after_answer(conn, keep, size);
        else
            skn_conn_close(conn);
    }
    skn_call_free(c);
    if (conn->fd >= 0 && conn->state == SKN_CONN_HEAD && !conn->feeding)
        feed(conn);
    release(conn); /* the call's */
}

/* --- Streams -------------------------------------------------------------------------------------- */

/* The call's hold becomes the stream's, which tell_gone gives back. */
void skn_conn_begin(skn_conn *conn, skn_api_call *c, skn_call *gone, void *arg)
{
    skn_buf *head = &conn->http->head;

    conn->call = NULL;
    conn->gone = gone;
    conn->gone_arg = arg;
    c->type = "text/event-stream";
    skn_call_add_header(c, "Cache-Control", SKN_STR("no-store"));
    skn_call_add_header(c, "X-Accel-Buffering", SKN_STR("no"));
    skn_dispatch_streams(c);
    if (conn->fd < 0) {
        tell_gone(conn);
        return;
    }
    skn_buf_clear(head);
    skn_answer_head(c, head, false, true);
    conn->state = SKN_CONN_STREAM;
    conn->deadline = 0;
    if (!conn->feeding)
        skn_buf_release(&conn->in);
    conn->chunked = c->by->request->minor > 0;
    write_text(conn, skn_buf_str(head));
    if (skn_dispatch_head_only(c))
        conn->ended = true;
    else if (conn->saw_end)
        skn_conn_close(conn);
    else
        skn_watch_read(conn->watch, true);
}

void skn_conn_send(skn_conn *conn, skn_shared *bytes)
{
    if (conn->fd < 0 || conn->ended || bytes->n == 0)
        return;
    shared_hold(bytes);
    if (conn->chunked)
        add_piece(conn, bytes, 0, bytes->head + bytes->n + 2);
    else
        add_piece(conn, bytes, bytes->head, bytes->head + bytes->n);
    flush_later(conn);
}

size_t skn_conn_unsent(const skn_conn *conn)
{
    return conn->unsent;
}

void skn_conn_end(skn_conn *conn)
{
    if (conn->fd < 0 || conn->ended)
        return;
    conn->ended = true;
    conn->deadline = skn_clock_ms() + SKN_SEND_MS;
    if (conn->chunked)
        write_text(conn, SKN_STR("0\r\n\r\n"));
    flush_later(conn); /* also when all is sent already */
}

/* --- Time ------------------------------------------------------------------------------------------ */

/* A stream ends with its session. A client that began a request gets the timeout as its answer; others are closed. */
void skn_conn_tick(skn_conn *conn, int64_t now_ms)
{
    if (conn->state == SKN_CONN_STREAM && conn->session[0] && !conn->ended &&
        !skn_sessions_has(conn->http->sessions, skn_str_of(conn->session))) {
        skn_conn_end(conn);
        return;
    }
    if (!conn->deadline || now_ms < conn->deadline)
        return;
    if (conn->state == SKN_CONN_BODY) {
        refuse_connection(conn, (skn_refusal){408, "the body took too long to arrive"});
    } else if (conn->state == SKN_CONN_HEAD && conn->in.n && !conn->first) {
        skn_buf_release(&conn->in);
        got_head(conn, SKN_STR(""), (skn_refusal){408, "the request took too long to arrive"});
    } else {
        skn_conn_close(conn);
    }
}

void skn_conn_finish(skn_conn *conn)
{
    if (conn->state == SKN_CONN_HEAD && !conn->first)
        skn_conn_close(conn);
    else if (conn->state == SKN_CONN_HEAD)
        conn->state = SKN_CONN_LAST;
}
