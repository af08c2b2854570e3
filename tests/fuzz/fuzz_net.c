/* Any bytes as what a server sends on a connection, read as the program reads them: by libcurl, by net and by whoever
 * asked (a question to a model, a list of models, a tool server, or a plain request). A head comes before a body, the
 * end comes once, and what is told can be stored. */
#include "base/buf.h"
#include "base/loop.h"
#include "base/utf8.h"
#include "mcp/mcp.h"
#include "provider/provider.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_INPUT = 64 << 10, MOST_CONNECTIONS = 64, MCP_MS = 60, STALL_MS = 60000 };

typedef enum errand { QUESTION, MODELS, TOOLS, PLAIN, ERRANDS } errand;

typedef struct conn {
    struct scene *s;
    int           fd;
    skn_watch    *watch;
    bool          said;
} conn;

typedef struct scene {
    skn_loop  *loop;
    skn_net   *net;
    skn_str    bytes; /* what the server says */
    int        listener;
    char       url[64];
    skn_watch *door;
    conn       conns[MOST_CONNECTIONS];
    size_t     count;
    bool       over;
    int        heads;
    skn_buf    text;
} scene;

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_net: %s\n", what);
    abort();
}

/* --- The server ---------------------------------------------------------------------------------- */

static void close_conn(conn *c)
{
    if (c->fd < 0)
        return;
    skn_watch_free(c->watch);
    close(c->fd);
    c->fd = -1;
}

/* Says all it has to say once something of a request has come, and then waits until the client goes. */
static void hear(void *arg)
{
    conn   *c = arg;
    char    piece[16384];
    ssize_t n = read(c->fd, piece, sizeof piece);
    size_t  done = 0;

    if (n <= 0) {
        close_conn(c);
        return;
    }
    while (!c->said && done < c->s->bytes.n &&
           (n = send(c->fd, c->s->bytes.p + done, c->s->bytes.n - done, MSG_NOSIGNAL)) > 0)
        done += (size_t)n;
    if (!c->said)
        shutdown(c->fd, SHUT_WR);
    c->said = true;
}

static void let_in(void *arg)
{
    scene *s = arg;
    int    fd = accept(s->listener, NULL, NULL);
    conn  *c = &s->conns[s->count];

    if (fd < 0)
        return;
    if (s->count == MOST_CONNECTIONS) {
        close(fd);
        return;
    }
    s->count++;
    *c = (conn){s, fd, skn_watch_new(s->loop, fd, hear, NULL, c), false};
    skn_watch_read(c->watch, true);
}

static void open_scene(scene *s, skn_str bytes)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t          n = sizeof at;

    *s = (scene){.loop = skn_loop_new(), .bytes = bytes};
    s->net = skn_net_new(s->loop);
    s->listener = socket(AF_INET, SOCK_STREAM, 0);
    expect(!bind(s->listener, (struct sockaddr *)&at, sizeof at) && !listen(s->listener, 16) &&
               !getsockname(s->listener, (struct sockaddr *)&at, &n),
           "no socket");
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d", ntohs(at.sin_port));
    s->door = skn_watch_new(s->loop, s->listener, let_in, NULL, s);
    skn_watch_read(s->door, true);
    skn_buf_init(&s->text, 64 << 20);
}

static void close_scene(scene *s)
{
    skn_net_free(s->net);
    for (size_t i = 0; i < s->count; i++)
        close_conn(&s->conns[i]);
    skn_watch_free(s->door);
    close(s->listener);
    skn_loop_free(s->loop);
    skn_buf_release(&s->text);
}

static void end_scene(scene *s)
{
    expect(!s->over, "the end came twice");
    s->over = true;
    skn_loop_stop(s->loop);
}

/* --- A question, and a list of models ------------------------------------------------------------- */

static void on_delta(void *arg, skn_part part, skn_str text)
{
    if (part != SKN_PART_ARGS)
        skn_buf_add(&((scene *)arg)->text, text);
}

static void on_call(void *arg, const skein_tool_call *call)
{
    skn_buf_add(&((scene *)arg)->text, call->args);
}

static void on_answer(void *arg, const skn_answer *answer)
{
    scene *s = arg;

    expect(skn_utf8_valid(skn_buf_str(&s->text), NULL), "text that cannot be stored");
    expect(skn_utf8_valid(skn_str_of(answer->error.message), NULL), "an error cannot be told");
    expect((answer->state == SKN_ASK_ANSWERED) == !answer->error.message[0],
           "a failure without words");
    end_scene(s);
}

static void on_models(void *arg, const skn_models *models)
{
    expect((models->state == SKN_ASK_ANSWERED) == !models->error.message[0],
           "a failure without words");
    for (size_t i = 0; i < models->count; i++)
        expect(skn_utf8_valid(models->at[i].name, NULL), "a name that cannot be stored");
    end_scene(arg);
}

static void ask(scene *s, errand what, skn_wire_kind kind)
{
    skn_wire_options     o = {.name = "fuzz",
                              .kind = kind,
                              .base_url = skn_str_of(s->url),
                              .key = SKN_STR("secret"),
                              .stall_ms = STALL_MS};
    skein_prompt_message said = {.role = SKEIN_USER, .text = SKN_STR("hello")};
    skein_context        context = {.at = &said, .count = 1};
    skn_ask              question = {
                     .model = SKN_STR("m"), .id = SKN_STR("m_1"), .temperature = -1, .context = &context};
    skn_answer_sink sink = {.delta = on_delta, .call = on_call, .done = on_answer, .arg = s};
    skn_provider   *p = skn_wire_new(s->loop, s->net, &o);

    if (what == MODELS)
        skn_wire_models(p, STALL_MS, on_models, s);
    else
        skn_ask_model(p, &question, &sink);
    skn_loop_run(s->loop);
    skn_provider_free(p);
}

/* --- A tool server --------------------------------------------------------------------------------- */

static void on_changed(void *arg, skn_mcp *server)
{
    expect(skn_utf8_valid(skn_str_of(skn_mcp_words(server)), NULL),
           "words that cannot be told");
    if (skn_mcp_state_of(server) == SKN_MCP_FAILED)
        skn_loop_stop(((scene *)arg)->loop);
}

static void on_log(void *arg, skn_mcp *server, skn_str level, skn_str text)
{
    (void)arg, (void)server, (void)level;
    expect(skn_utf8_valid(text, NULL), "a line that cannot be logged");
}

static void time_is_up(void *arg)
{
    skn_loop_stop(((scene *)arg)->loop);
}

static void use_tools(scene *s)
{
    skn_mcp_options o = {
        .name = SKN_STR("fuzz"), .url = skn_str_of(s->url), .start_ms = MCP_MS, .restarts = -1};
    skn_mcp_sink sink = {on_changed, on_log, s};
    skn_timer   *late = skn_timer_new(s->loop, time_is_up, s);
    skn_mcp     *server;

    expect(!skn_mcp_new(&server, s->loop, s->net, &o, &sink, NULL), "no server");
    skn_timer_start(late, 2 * MCP_MS); /* a stream that is gone on with would wait for long */
    skn_mcp_start(server);
    skn_loop_run(s->loop);
    skn_mcp_free(server);
    skn_timer_free(late);
}

/* --- A plain request ------------------------------------------------------------------------------- */

static void on_head(void *arg, const skn_fetch_head *head)
{
    scene *s = arg;

    expect(++s->heads == 1, "a second head");
    expect(head->status >= 200 && head->status < 1000, "a status that is none");
}

static void on_body(void *arg, skn_str bytes)
{
    scene *s = arg;

    expect(s->heads == 1, "a body before a head");
    expect(bytes.n > 0, "a body of nothing");
}

static void on_done(void *arg, skn_fetch_end end, const char *why)
{
    scene *s = arg;

    expect(end != SKN_FETCH_WHOLE || s->heads == 1, "a whole answer without a head");
    expect((end == SKN_FETCH_WHOLE) == !*why, "a failure without words");
    end_scene(s);
}

static void fetch(scene *s)
{
    skn_fetch_spec what = {.method = "GET", .url = skn_str_of(s->url), .stall_ms = STALL_MS};
    skn_fetch_sink sink = {on_head, on_body, on_done, s};

    skn_fetch_start(s->net, &what, &sink);
    skn_loop_run(s->loop);
}

/* The first byte chooses who asks, and in which wire format. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scene  s;
    errand what;

    if (size < 1 || size > MOST_INPUT)
        return 0;
    what = (errand)(data[0] % ERRANDS);
    open_scene(&s, (skn_str){(const char *)data + 1, size - 1});
    if (what == TOOLS)
        use_tools(&s);
    else if (what == PLAIN)
        fetch(&s);
    else
        ask(&s, what, (skn_wire_kind)(data[0] / ERRANDS % 3));
    close_scene(&s);
    return 0;
}
