#include "http/conn.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { PIECES_AT_ONCE = 64, LINGER_MS = 2000, FRAME = 24, SHARE_BYTES = 1024 * 1024 };

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

void skn_conn_hold(skn_conn *conn)
{
    assert(conn->holds > 0);
    conn->holds++;
}

void skn_conn_release(skn_conn *conn)
{
    if (--conn->holds)
        return;
    skn_buf_release(&conn->in);
    free(conn);
}

/* --- Sending -------------------------------------------------------------------------------------- */

static void add_piece(skn_conn *conn, skn_shared *bytes, size_t at, size_t end)
{
    skn_piece *p = skn_heap(sizeof *p);

    *p = (skn_piece){bytes, at, end, NULL};
    *conn->last = p;
    conn->last = &p->next;
    conn->unsent += end - at;
}

void skn_conn_drop_unsent(skn_conn *conn)
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
    conn->deadline = skn_wire_now() + LINGER_MS;
    skn_conn_list_idle(conn);
    skn_watch_read(conn->watch, true);
}

static void all_sent(skn_conn *conn)
{
    skn_watch_write(conn->watch, false);
    if (conn->state == SKN_CONN_LAST || (conn->state == SKN_CONN_STREAM && conn->ended)) {
        say_goodbye(conn);
    } else if (conn->state == SKN_CONN_HEAD) {
        conn->deadline = skn_wire_now() + SKN_IDLE_MS;
        skn_conn_list_idle(conn);
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
    skn_conn_release(conn);
}

void skn_conn_can_write(void *arg)
{
    skn_conn *conn = arg;

    skn_conn_hold(conn);
    if (!write_pieces(conn))
        skn_conn_close(conn);
    else if (!conn->first)
        all_sent(conn);
    if (conn->fd >= 0 && conn->state == SKN_CONN_HEAD && !conn->first)
        skn_conn_feed(conn);
    skn_conn_release(conn);
}

static void flush_later(skn_conn *conn)
{
    if (conn->flushing || conn->fd < 0)
        return;
    conn->flushing = true;
    skn_conn_hold(conn);
    skn_wire_flush_later(conn->http, conn);
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
        skn_conn_next_request(conn);
    else
        conn->state = SKN_CONN_LAST;
    if (conn->first) {
        conn->deadline = skn_wire_now() + SKN_SEND_MS + (int64_t)(size / SKN_SLOWEST) * 1000;
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
        skn_conn_feed(conn);
    skn_conn_release(conn); /* the call's */
}

/* --- Streams -------------------------------------------------------------------------------------- */

void skn_conn_say(skn_conn *conn, skn_str text)
{
    skn_shared *s = skn_shared_new(text);

    add_piece(conn, s, s->head, s->head + s->n);
    flush_later(conn);
}

static void tell_gone(void *arg)
{
    skn_conn *conn = arg;

    conn->gone(conn->gone_arg);
    skn_conn_release(conn);
}

void skn_conn_tell_gone(skn_conn *conn)
{
    skn_loop_post(conn->http->o.loop, tell_gone, conn);
}

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
        skn_conn_tell_gone(conn);
        return;
    }
    skn_buf_clear(head);
    skn_answer_head(c, head, false, true);
    conn->state = SKN_CONN_STREAM;
    conn->deadline = 0;
    if (!conn->feeding)
        skn_buf_release(&conn->in);
    conn->chunked = c->by->request->minor > 0;
    skn_conn_say(conn, skn_buf_str(head));
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
    conn->deadline = skn_wire_now() + SKN_SEND_MS;
    if (conn->chunked)
        skn_conn_say(conn, SKN_STR("0\r\n\r\n"));
    flush_later(conn); /* also when all is sent already */
}
