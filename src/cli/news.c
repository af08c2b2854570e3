#include "cli/news.h"

#include "base/clock.h"
#include "base/error.h"

#include <errno.h>
#include <poll.h>
#include <time.h>

#define LOST_MOST 8 /* with growing pauses: about 30 seconds */

static skn_str text_of(const skn_json *v, const char *key)
{
    const skn_json *member = skn_json_get(v, key);

    return member && member->kind == SKN_JSON_STRING ? member->text : SKN_NONE;
}

/* What is told of a message has its members; what is told of an agent names it. */
static skein_rc open_event(void *arg, const skn_sse_event *event, skein_error *err)
{
    skn_news       *n = arg;
    const skn_json *outer;
    skn_news_item   item = {.type = event->type};
    skein_rc        rc;

    n->lost = 0;
    n->begun = true;
    skn_arena_reset(n->mem);
    if ((rc = skn_json_parse(&outer, event->data, "an event of the server", n->mem, err)))
        return rc;
    item.cause = text_of(outer, "cause");
    item.chat = text_of(outer, "chatId");
    item.data = skn_json_get(outer, "data");
    item.message = text_of(item.data, "messageId");
    item.agent = text_of(item.data, "agent");
    if (!item.agent.p)
        item.agent = text_of(item.data, "sender");
    item.reply_to = text_of(item.data, "replyToMessageId");
    item.text = text_of(item.data, "content");
    if (!item.text.p)
        item.text = text_of(item.data, "text");
    item.model = text_of(item.data, "model");
    return n->take(n->arg, &item);
}

void skn_news_init(skn_news *n, skn_cli *cli, const skn_server *server)
{
    *n = (skn_news){.cli = cli, .server = server, .mem = skn_arena_new()};
    skn_stream_init(&n->stream, open_event, n);
}

void skn_news_release(skn_news *n)
{
    skn_stream_release(&n->stream);
    skn_arena_free(n->mem);
}

/* Longer each time, so that a server that starts again finds everybody patient. */
static void pause_before(int lost)
{
    int64_t         ms = lost > 1 ? (int64_t)100 << (lost > 6 ? 6 : lost) : 0;
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&t, NULL);
}

static skein_rc connect_again(skn_news *n)
{
    skein_rc rc;

    do {
        pause_before(n->lost);
        rc = skn_stream_connect(n->cli, n->server, &n->stream,
                                n->begun ? &n->again : &n->first);
    } while (rc == SKEIN_UNREACHABLE && ++n->lost < LOST_MOST);
    return rc;
}

static skein_rc read_some(skn_news *n)
{
    skein_rc rc = skn_stream_read(n->cli, &n->stream);

    n->over = rc == SKEIN_OK && n->stream.over;
    if (n->over)
        skn_stream_close(&n->stream);
    if (rc != SKEIN_UNREACHABLE)
        return rc;
    skn_stream_close(&n->stream);
    return ++n->lost < LOST_MOST ? SKEIN_OK : rc;
}

static int64_t now_ms(void)
{
    return skn_clock_monotonic() / 1000000;
}

skein_rc skn_news_wait(skn_news *n, int64_t ms, int also, bool *also_ready)
{
    int64_t  until = now_ms() + ms, left = -1;
    skein_rc rc = SKEIN_OK;

    if (also_ready)
        *also_ready = false;
    while (!rc && !n->over) {
        struct pollfd p[2] = {{.fd = n->stream.fd, .events = POLLIN},
                              {.fd = also, .events = POLLIN}};

        if (n->stream.fd < 0 && (rc = connect_again(n)))
            break;
        p[0].fd = n->stream.fd;
        if (ms >= 0 && (left = until - now_ms()) < 0)
            left = 0;
        if (poll(p, also >= 0 ? 2 : 1, (int)left) < 0 && errno != EINTR)
            return skn_fail(&n->cli->err, SKEIN_IO, "cannot wait for the server");
        if (p[0].revents)
            rc = read_some(n);
        else if (p[1].revents && also_ready)
            return *also_ready = true, SKEIN_OK;
        else if (ms >= 0 && left == 0)
            return skn_fail(&n->cli->err, SKEIN_TIMEOUT, "time is up");
    }
    return rc;
}
