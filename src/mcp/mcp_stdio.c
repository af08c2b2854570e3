/* The road of a child's standard streams: one message a line. */
#include "mcp/mcp_child.h"
#include "mcp/mcp_inside.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define QUEUE_MOST (SKN_MCP_LINE * 2) /* written, and not yet read by the child */
#define PIECE      ((size_t)64 * 1024)
enum {
    LOOK_FAST = 10,   /* ms between looks at a child that is ending */
    LOOK_SLOW = 1000, /* at one that others wait for */
    SILENT = 300,     /* ms from the end of its output to its end */
    ASK = 500,        /* ms from closing its input to SIGTERM */
    TELL = 2000       /* from there to SIGKILL */
};

typedef enum stage { RUNNING, ENDING, CLOSING } stage;

typedef struct way {
    skn_mcp      *s;
    skn_mcp_child child;
    skn_watch    *in, *out, *err;
    skn_buf       line, queue;
    size_t        written; /* of the queue */
    skn_timer    *look;
    stage         stage;
    int64_t       waited; /* ms, in this stage */
    bool          told, killed;
} way;

static void free_way(way *w)
{
    skn_watch_free(w->in);
    skn_watch_free(w->out);
    skn_watch_free(w->err);
    skn_timer_free(w->look);
    skn_mcp_child_release(&w->child);
    skn_buf_release(&w->line);
    skn_buf_release(&w->queue);
    w->s->way = NULL;
    free(w);
}

static void read_rest(way *w);

/* --- Its end ---------------------------------------------------------------------------------- */

static void close_input(way *w)
{
    skn_watch_free(w->in);
    w->in = NULL;
    skn_mcp_child_close_in(&w->child);
}

/* Asked, told, killed. What has been killed is gone soon, but for what hangs in the kernel; that is
 * looked at for as long as it takes. */
static void press(way *w)
{
    if (!w->told && w->waited >= ASK) {
        w->told = true;
        skn_mcp_child_signal(&w->child, SIGTERM);
    }
    if (!w->killed && w->waited >= ASK + TELL) {
        w->killed = true;
        skn_mcp_child_signal(&w->child, SIGKILL);
    }
}

static void on_look(void *arg)
{
    way *w = arg;
    bool ended = skn_mcp_child_ended(&w->child);

    w->waited += LOOK_FAST;
    if (ended)
        read_rest(w);
    if (w->stage == CLOSING && ended) {
        skn_mcp *s = w->s;

        free_way(w);
        skn_mcp_gone(s);
        return;
    }
    if (w->stage == CLOSING)
        press(w);
    else if (ended)
        skn_mcp_broke(w->s, w->child.never_ran, "%s", w->child.words);
    else if (w->stage == ENDING && w->waited >= SILENT)
        skn_mcp_broke(w->s, false, "it closed its output");
    if (w->stage != RUNNING)
        skn_timer_start(w->look, LOOK_FAST);
    else if (!ended && (w->s->calls || w->s->state == SKN_MCP_STARTING))
        skn_timer_start(w->look, LOOK_SLOW);
}

static void look_soon(way *w)
{
    if (w->stage != RUNNING)
        return;
    w->stage = ENDING;
    w->waited = 0;
    skn_watch_read(w->out, false);
    skn_timer_start(w->look, 0);
}

/* --- What it says ----------------------------------------------------------------------------- */

static void end_line(way *w)
{
    skn_str line = skn_str_trim(skn_buf_str(&w->line));

    if (w->line.over)
        skn_mcp_broke(w->s, false, "it sent a message of more than %zu bytes", SKN_MCP_LINE);
    else if (line.n)
        skn_mcp_take(w->s, line);
    skn_buf_clear(&w->line);
    if (w->line.cap > 1024 * 1024)
        skn_buf_release(&w->line);
}

static void take_bytes(way *w, skn_str bytes)
{
    while (bytes.n && skn_mcp_alive(w->s)) {
        const char *end = memchr(bytes.p, '\n', bytes.n);
        size_t      n = end ? (size_t)(end - bytes.p) : bytes.n;

        skn_buf_add(&w->line, skn_str_sub(bytes, 0, n));
        if (end || w->line.over)
            end_line(w);
        bytes = skn_str_sub(bytes, n + (end != NULL), bytes.n);
    }
}

static void on_output(void *arg)
{
    way    *w = arg;
    char    bytes[PIECE];
    ssize_t n = read(w->child.out, bytes, sizeof bytes);

    if (n > 0)
        take_bytes(w, (skn_str){bytes, (size_t)n});
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        look_soon(w);
}

/* The tail stays at most so long, and is made readable once for each piece. */
static void keep_tail(skn_mcp *s, skn_str bytes)
{
    size_t over;

    bytes = skn_str_sub(bytes, bytes.n > SKN_MCP_TAIL ? bytes.n - SKN_MCP_TAIL : 0, bytes.n);
    over = s->tail.n + bytes.n > SKN_MCP_TAIL ? s->tail.n + bytes.n - SKN_MCP_TAIL : 0;
    if (over) {
        memmove(s->tail.p, s->tail.p + over, s->tail.n - over);
        s->tail.n -= over;
    }
    skn_buf_add(&s->tail, bytes);
    skn_buf_clear(&s->tail_text);
    skn_mcp_add_clean(&s->tail_text, skn_buf_str(&s->tail));
}

static void on_errors(void *arg)
{
    way    *w = arg;
    char    bytes[SKN_MCP_TAIL];
    ssize_t n = read(w->child.err, bytes, sizeof bytes);

    if (n > 0)
        keep_tail(w->s, (skn_str){bytes, (size_t)n});
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        skn_watch_read(w->err, false);
}

/* What it said before it ended still counts: an answer may be the last thing it did. */
static void read_rest(way *w)
{
    char    bytes[SKN_MCP_TAIL];
    ssize_t n;

    while (w->out && skn_mcp_alive(w->s) && (n = read(w->child.out, bytes, sizeof bytes)) > 0)
        take_bytes(w, (skn_str){bytes, (size_t)n});
    while (w->err && (n = read(w->child.err, bytes, sizeof bytes)) > 0)
        keep_tail(w->s, (skn_str){bytes, (size_t)n});
}

/* --- What it is told -------------------------------------------------------------------------- */

static void on_input(void *arg)
{
    way *w = arg;

    while (w->written < w->queue.n) {
        ssize_t n = write(w->child.in, w->queue.p + w->written, w->queue.n - w->written);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN) {
            skn_watch_write(w->in, true);
            return;
        }
        if (n < 0) {
            skn_watch_write(w->in, false);
            look_soon(w);
            return;
        }
        w->written += (size_t)n;
    }
    skn_watch_write(w->in, false);
    skn_buf_clear(&w->queue);
    w->written = 0;
}

/* What was written goes when it is as much as what was not, so that each byte is moved about once. */
static void make_room(way *w)
{
    if (w->written < w->queue.n / 2)
        return;
    memmove(w->queue.p, w->queue.p + w->written, w->queue.n - w->written);
    w->queue.n -= w->written;
    w->written = 0;
}

static void send_text(skn_mcp *s, skn_str text, int64_t id)
{
    way *w = s->way;

    if (!w || !w->in)
        return;
    if (w->queue.n)
        make_room(w);
    skn_buf_add(&w->queue, text);
    skn_buf_addc(&w->queue, '\n');
    if (w->queue.over) {
        skn_mcp_broke(s, false, "it does not read its input");
        return;
    }
    on_input(w);
    if (id && w->stage == RUNNING)
        skn_timer_start(w->look, LOOK_SLOW); /* its pipes may be held open by others */
}

static void initialized(skn_mcp *s, skn_str notice)
{
    send_text(s, notice, 0);
    skn_mcp_list_tools(s);
}

static void forget(skn_mcp *s, int64_t id)
{
    (void)s, (void)id;
}

static void open_way(skn_mcp *s)
{
    const skn_mcp_options *o = &s->o;
    skn_mcp_command        what = {o->argv, o->argc, o->env, o->env_count, o->cwd};
    way                   *w = skn_heap(sizeof *w);
    skein_error            err;

    s->way = w;
    w->s = s;
    w->look = skn_timer_new(s->loop, on_look, w);
    skn_buf_init(&w->line, SKN_MCP_LINE);
    skn_buf_init(&w->queue, QUEUE_MOST);
    if (skn_mcp_child_run(&w->child, &what, &err)) {
        skn_mcp_broke(s, false, "%s", err.message);
        return;
    }
    w->in = skn_watch_new(s->loop, w->child.in, NULL, on_input, w);
    w->out = skn_watch_new(s->loop, w->child.out, on_output, NULL, w);
    w->err = skn_watch_new(s->loop, w->child.err, on_errors, NULL, w);
    skn_watch_read(w->out, true);
    skn_watch_read(w->err, true);
}

/* From here on nobody listens; its output is read no more, but its last words are. */
static void close_way(skn_mcp *s, bool politely)
{
    way *w = s->way;

    close_input(w);
    if (w->out)
        skn_watch_read(w->out, false);
    w->stage = CLOSING;
    w->waited = 0;
    if (!politely) {
        w->told = w->killed = true;
        skn_mcp_child_signal(&w->child, SIGKILL);
    }
    skn_timer_start(w->look, 0);
}

static void drop_way(skn_mcp *s)
{
    free_way(s->way);
}

const skn_mcp_road skn_mcp_stdio = {open_way, send_text, initialized,
                                    forget,   close_way, drop_way};

int64_t skn_mcp_pid(const skn_mcp *s)
{
    const way *w = s->road == &skn_mcp_stdio ? s->way : NULL;

    return w ? w->child.pid : 0;
}
