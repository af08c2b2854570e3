#include "cli/news.h"
#include "base/clock.h"
#include "cli/door.h"
#include "cli/input.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

#define LOST_MOST  9   /* with growing pauses: about half a minute */
#define FIRST_MOST 6   /* when nobody has ever answered: about three seconds */
#define LOOK_MS    250 /* a signal may come just before poll, and is seen after so long */

/* A stream that began at the newest event goes on from there, also when it is cut before it brings
 * another. */
static void keep_place(skn_news *n, const skn_news_item *item)
{
    const skn_json *last = skn_json_get(item->data, "lastEventId");
    skn_buf        *id = &n->stream.sse.last_id;

    if (!id->n && last && last->kind == SKN_JSON_NUMBER)
        skn_buf_add(id, last->text);
}

/* Events about a message have its members; events about an agent name it. */
static skein_rc open_event(void *arg, const skn_sse_event *event, skein_error *err)
{
    skn_news       *n = arg;
    const skn_json *outer;
    skn_news_item   item = {.type = event->type};
    skein_rc        rc;

    n->lost = 0;
    n->begun = true;
    if (n->over)
        return SKEIN_OK;
    skn_arena_reset(n->mem);
    if ((rc = skn_json_parse(&outer, event->data, "an event of the server", n->mem, err)))
        return rc;
    item.cause = skn_json_str(outer, "cause");
    item.chat = skn_json_str(outer, "chatId");
    item.data = skn_json_get(outer, "data");
    item.message = skn_json_str(item.data, "messageId");
    item.agent = skn_json_str(item.data, "agent");
    if (!item.agent.p)
        item.agent = skn_json_str(item.data, "sender");
    item.reply_to = skn_json_str(item.data, "replyToMessageId");
    item.text = skn_json_str(item.data, "content");
    if (!item.text.p)
        item.text = skn_json_str(item.data, "text");
    item.model = skn_json_str(item.data, "model");
    if (skn_str_is(item.type, "stream.open"))
        keep_place(n, &item);
    return n->take(n->arg, &item);
}

void skn_news_init(skn_news *n, skn_cli *cli, const skn_server *server)
{
    *n = (skn_news){.cli = cli, .server = *server, .mem = skn_arena_new()};
    skn_event_stream_init(&n->stream, open_event, n);
}

void skn_news_release(skn_news *n)
{
    skn_event_stream_release(&n->stream);
    skn_arena_free(n->mem);
}

int skn_news_fd(const skn_news *n)
{
    return n->stream.fd;
}

int64_t skn_news_pause(const skn_news *n)
{
    int64_t left = n->again_at - skn_clock_ms();

    if (n->stream.fd >= 0)
        return skn_event_stream_left(&n->stream);
    return left > 0 ? left : 0;
}

static skein_rc ended_early(const skn_news *n)
{
    skein_error *err = &n->cli->err;

    return skn_fail_hint(err, SKEIN_UNREACHABLE, "The messages so far: skein log",
                         "the server at %s ends its event stream as soon as it begins",
                         n->server.url);
}

/* Longer each time, so that a server that starts again finds everybody patient. */
static skein_rc lose(skn_news *n)
{
    int64_t ms = n->lost > 0 ? (int64_t)50 << (n->lost > 7 ? 7 : n->lost) : 0;

    skn_event_stream_close(&n->stream);
    if (++n->lost > (n->begun ? LOST_MOST : FIRST_MOST))
        return n->cli->err.rc ? SKEIN_UNREACHABLE : ended_early(n);
    n->again_at = skn_clock_ms() + ms;
    n->cli->err = (skein_error){.rc = SKEIN_OK};
    return SKEIN_OK;
}

/* A server that was started again may answer elsewhere. */
static void look_again(skn_news *n)
{
    skn_server  server;
    skein_error err = n->cli->err;
    bool        found;

    if (skn_discover(n->cli, &server, &found) == SKEIN_OK && found)
        n->server = server;
    n->cli->err = err;
}

static skein_rc connect_now(skn_news *n)
{
    skein_rc rc;

    if (n->lost > 1)
        look_again(n);
    rc = skn_event_stream_connect(n->cli, &n->server, &n->stream,
                                  n->begun ? &n->again : &n->first);
    return rc == SKEIN_UNREACHABLE ? lose(n) : rc;
}

/* Nobody but the server ends a stream before it is over: because it stops, or is slow to be read. */
static skein_rc read_now(skn_news *n)
{
    skein_rc rc = skn_event_stream_read(n->cli, &n->stream);

    if (n->over)
        skn_event_stream_close(&n->stream);
    else if (rc == SKEIN_UNREACHABLE || (rc == SKEIN_OK && n->stream.over))
        return lose(n);
    return rc;
}

skein_rc skn_news_step(skn_news *n)
{
    if (n->over)
        return SKEIN_OK;
    if (n->stream.fd < 0)
        return skn_news_pause(n) ? SKEIN_OK : connect_now(n);
    return skn_news_pause(n) ? read_now(n) : lose(n);
}

/* How long poll may take at most. */
static int nap(const skn_news *n, int64_t left)
{
    int64_t ms = skn_news_pause(n);

    if (ms > LOOK_MS)
        ms = LOOK_MS;
    return (int)(left >= 0 && left < ms ? left : ms);
}

skein_rc skn_news_wait(skn_news *n, int64_t ms)
{
    int64_t  until = skn_clock_ms() + ms, left = -1;
    skein_rc rc = SKEIN_OK;

    while (!rc && !n->over) {
        struct pollfd p = {.fd = n->stream.fd, .events = POLLIN};

        if (skn_interrupt_came(SIGINT))
            return SKEIN_NOTHING;
        if (ms >= 0 && (left = until - skn_clock_ms()) <= 0)
            return skn_fail(&n->cli->err, SKEIN_TIMEOUT, "time is up");
        if (poll(&p, 1, nap(n, left)) < 0 && errno != EINTR)
            return skn_fail(&n->cli->err, SKEIN_IO, "cannot wait for the server");
        if (p.revents || !skn_news_pause(n))
            rc = skn_news_step(n);
    }
    return rc;
}

#define TEXT_MOST ((size_t)64 << 20)

static skn_typing *typing_find(const skn_typings *all, skn_str message)
{
    skn_typing *t = all->first;

    while (t && !skn_str_is(message, t->message))
        t = t->next;
    return t;
}

static char *copy_of(skn_str s)
{
    return skn_heap_copy(s.p ? s : SKN_STR(""));
}

static skn_typing *begin_typing(skn_typings *all, const skn_news_item *item)
{
    skn_typing **last = &all->first, *t;

    while (*last)
        last = &(*last)->next;
    *last = t = skn_heap(sizeof *t);
    t->message = copy_of(item->message);
    t->agent = copy_of(item->agent);
    t->reply_to = copy_of(item->reply_to);
    t->model = copy_of(item->model);
    t->lane = copy_of(skn_json_str(item->data, "threadPath"));
    t->thinking = true;
    t->since = skn_clock_ms();
    skn_buf_init(&t->text, TEXT_MOST);
    all->count++;
    return t;
}

/* Thoughts are not shown, only that there are some. */
static void add_piece(skn_typing *t, const skn_news_item *item, bool whole)
{
    skn_str part = skn_json_str(item->data, "part");

    t->thinking = skn_str_is(part, "thinking");
    if (t->thinking)
        return;
    if (whole)
        skn_buf_clear(&t->text);
    skn_buf_add(&t->text, item->text);
}

skn_typing *skn_typing_take(skn_typings *all, const skn_news_item *item)
{
    skn_typing *t = item->message.p ? typing_find(all, item->message) : NULL;

    if (!t && skn_str_is(item->type, "message.started"))
        return begin_typing(all, item);
    if (t && skn_str_is(item->type, "message.delta"))
        add_piece(t, item, false);
    else if (t && skn_str_is(item->type, "message.snapshot"))
        add_piece(t, item, true);
    return t;
}

void skn_typing_drop(skn_typings *all, skn_typing *t)
{
    skn_typing **at = &all->first;

    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    all->count--;
    skn_buf_release(&t->text);
    free(t->message);
    free(t->agent);
    free(t->reply_to);
    free(t->model);
    free(t->lane);
    free(t);
}

void skn_typing_clear(skn_typings *all)
{
    while (all->first)
        skn_typing_drop(all, all->first);
}
