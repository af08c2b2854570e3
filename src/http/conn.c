#include "http/conn.h"

#include "http/sessions.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { BLANK_LINES = 8, STRANGER_MS = 5000 /* for the head of a request */ };

static void can_read(void *arg);

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

void skn_conn_list_idle(skn_conn *conn)
{
    leave(conn, SKN_ROW_IDLE);
    if (is_idle(conn))
        enter(conn, SKN_ROW_IDLE);
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

/* --- Coming and going ------------------------------------------------------------------------------- */

skn_conn *skn_conn_new(skn_http *h, int fd, const skn_peer *peer)
{
    skn_conn *conn = skn_heap(sizeof *conn);

    conn->http = h;
    conn->fd = fd;
    conn->holds = 1;
    conn->peer = *peer;
    conn->last = &conn->first;
    conn->begun = skn_wire_now();
    enter(conn, SKN_ROW_ALL);
    if (!skn_peer_is_owner(peer->uid))
        enter(conn, SKN_ROW_STRANGER);
    conn->deadline = conn->begun + head_ms(conn);
    skn_buf_init(&conn->in, SKN_READ_BYTES * 2); /* more is never read ahead */
    conn->watch = skn_watch_new(h->o.loop, fd, can_read, skn_conn_can_write, conn);
    skn_watch_read(conn->watch, true);
    skn_conn_list_idle(conn);
    conn->late = h->closing;
    h->conns.late += conn->late;
    return conn;
}

const skn_peer *skn_conn_peer(const skn_conn *conn)
{
    return &conn->peer;
}

void skn_conn_belongs(skn_conn *conn, const char *session)
{
    snprintf(conn->session, sizeof conn->session, "%s", session);
}

void skn_conn_close(skn_conn *conn)
{
    if (conn->fd < 0)
        return;
    skn_watch_free(conn->watch);
    close(conn->fd);
    conn->fd = -1;
    conn->data = SKN_NONE;
    skn_conn_drop_unsent(conn);
    for (skn_conn_row row = SKN_ROW_ALL; row < SKN_ROWS; row++)
        leave(conn, row);
    conn->http->conns.late -= conn->late;
    if (conn->gone)
        skn_conn_tell_gone(conn);
    if ((conn->state == SKN_CONN_HEAD || conn->state == SKN_CONN_BODY) && conn->call)
        skn_call_free(conn->call);
    skn_http_call_ended(conn->http);
    skn_conn_release(conn);
}

void skn_conn_next_request(skn_conn *conn)
{
    conn->state = SKN_CONN_HEAD;
    conn->scanned = 0;
    conn->begun = 0;
    conn->deadline = skn_wire_now() + SKN_IDLE_MS;
    skn_conn_list_idle(conn);
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
    skn_conn_hold(conn);
    skn_dispatch_run(conn->call);
}

static void refuse(skn_conn *conn, skn_refusal why)
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
        skn_conn_say(conn, SKN_STR("HTTP/1.1 100 Continue\r\n\r\n"));
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
        conn->begun = skn_wire_now();
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
        refuse(conn, no);
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
void skn_conn_feed(skn_conn *conn)
{
    if (conn->feeding)
        return;
    skn_conn_hold(conn);
    conn->feeding = true;
    if (!conn->data.n)
        conn->data = conn->in.n ? skn_buf_str(&conn->in) : SKN_NONE;
    feed_data(conn);
    keep_rest(conn);
    conn->feeding = false;
    if (conn->fd >= 0 && conn->saw_end && conn->state == SKN_CONN_HEAD && !conn->first)
        skn_conn_close(conn);
    skn_conn_release(conn);
}

/* A client may close its side and wait for the answer; the client of a stream is gone then. */
static void input_ended(skn_conn *conn)
{
    conn->saw_end = true;
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
    skn_conn_hold(conn);
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
        skn_conn_feed(conn);
    }
    skn_conn_release(conn);
}

/* --- Time ------------------------------------------------------------------------------------------ */

/* A stream ends with its session. A client that began a request is told of the timeout; others are closed. */
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
        refuse(conn, (skn_refusal){408, "the body took too long to arrive"});
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
