#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* struct ucred */
#endif
#include "cli/client.h"
#include "base/clock.h"
#include "base/url.h"
#include "cli/commands.h"
#include "cli/config_cli.h"
#include "runtime/runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define REQUEST_MOST ((size_t)256 << 20)
#define ANSWER_MOST  ((size_t)32 << 20) /* a page of a list; lists ask for smaller ones then */
#define SPARE        ((size_t)16 << 20) /* what is made of an answer needs some memory, too */
#define EVENT_MOST   ((size_t)64 << 20)
#define PROBLEM_MOST ((size_t)1 << 20)
#define CONNECT_MS   5000
#define QUIET_MS     60000 /* a server sends something every 15 seconds */
#define SEND_MS      30000

const char *skn_client_encode(skn_arena *a, skn_str text)
{
    skn_buf b;

    skn_buf_init(&b, text.n * 3 + 1);
    skn_url_encode(&b, text);
    return skn_buf_keep(&b, a).p;
}

/* --- Connecting --------------------------------------------------------------------------- */

static skein_rc gone(skn_cli *cli, const skn_server *server, const char *why)
{
    return skn_fail_hint(&cli->err, SKEIN_UNREACHABLE, "Is it running? skein status",
                         "cannot reach the server at %s: %s", server->url, why);
}

static bool ready(int fd, short what, int64_t ms)
{
    struct pollfd p = {.fd = fd, .events = what};
    int           n;

    do
        n = poll(&p, 1, ms > INT32_MAX ? INT32_MAX : (int)ms);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        errno = ETIMEDOUT;
    return n > 0;
}

/* Connects without waiting for longer than is good; -1 with errno when it cannot. */
static int connect_to(int family, const struct sockaddr *at, socklen_t size)
{
    int       fd = socket(family, SOCK_STREAM, 0), failed = 0;
    socklen_t n = sizeof failed;

    if (fd < 0)
        return -1;
    if (fcntl(fd, F_SETFL, O_NONBLOCK) == 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) {
        if (connect(fd, at, size) == 0)
            return fd;
        if (errno == EINPROGRESS && ready(fd, POLLOUT, CONNECT_MS) &&
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &failed, &n) == 0) {
            if (!failed)
                return fd;
            errno = failed;
        }
    }
    failed = errno;
    close(fd);
    errno = failed;
    return -1;
}

static int connect_socket(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (strlen(path) >= sizeof at.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(at.sun_path, path, strlen(path) + 1);
    return connect_to(AF_UNIX, (const struct sockaddr *)&at, sizeof at);
}

/* "http://HOST:PORT/" into its parts; false when it is none. */
static bool split_url(skn_arena *a, const char *url, const char **host, const char **port)
{
    skn_str rest = skn_str_of(url), at;

    if (!skn_str_starts(rest, SKN_STR("http://")))
        return false;
    rest = skn_str_sub(rest, 7, rest.n);
    if (!skn_str_split(&rest, '/', &at))
        return false;
    if (at.n && at.p[0] == '[') {
        ptrdiff_t end = skn_str_find(at, SKN_STR("]"));

        if (end < 0)
            return false;
        *host = skn_arena_copy(a, skn_str_sub(at, 1, (size_t)end)).p;
        at = skn_str_sub(at, (size_t)end + 1, at.n);
    } else {
        ptrdiff_t colon = skn_str_find(at, SKN_STR(":"));
        size_t    n = colon < 0 ? at.n : (size_t)colon;

        *host = skn_arena_copy(a, skn_str_sub(at, 0, n)).p;
        at = skn_str_sub(at, n, at.n);
    }
    *port = at.n > 1 ? skn_arena_copy(a, skn_str_sub(at, 1, at.n)).p : "80";
    return **host != 0;
}

static int connect_url(skn_cli *cli, const char *url, const char **why)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    const char     *host, *port;
    int             fd = -1, unknown;

    *why = "it is not an address";
    if (!skn_url_is_clear(skn_str_of(url)) || !split_url(cli->keep, url, &host, &port))
        return -1;
    if ((unknown = getaddrinfo(host, port, &hints, &list))) {
        *why = gai_strerror(unknown);
        return -1;
    }
    for (struct addrinfo *i = list; i && fd < 0; i = i->ai_next)
        fd = connect_to(i->ai_family, i->ai_addr, i->ai_addrlen);
    *why = strerror(errno);
    freeaddrinfo(list);
    return fd;
}

/* Who listens at the socket, by the word of the system. */
static bool is_ours(int fd)
{
    struct ucred who;
    socklen_t    n = sizeof who;

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &n) == 0 &&
           (who.uid == geteuid() || who.uid == 0);
}

/* A server that said itself where it is, is on this computer and of this user: only such a server is sent a token. */
static int connect_server(skn_cli *cli, const skn_server *server, const char **why)
{
    const char *host, *port;
    int         fd = server->socket ? connect_socket(server->socket) : -1;

    if (fd >= 0 && server->here && !is_ours(fd)) {
        close(fd);
        fd = -1;
    }
    if (fd >= 0)
        return fd;
    if (!server->here ||
        (split_url(cli->keep, server->url, &host, &port) && skn_is_loopback(host)))
        return connect_url(cli, server->url, why);
    *why = "other computers can have this address; name it with --server";
    return -1;
}

/* --- Asking ------------------------------------------------------------------------------- */

static void write_request(skn_buf *b, const skn_server *server, const skn_request_spec *what)
{
    skn_str host = skn_str_of(server->url);

    if (skn_str_starts(host, SKN_STR("http://")))
        host = skn_str_sub(host, 7, host.n);
    if (skn_str_ends(host, SKN_STR("/")))
        host.n--;
    skn_buf_addf(b, "%s %s HTTP/1.1\r\nHost: %.*s\r\nAccept: %s\r\n", what->method, what->path,
                 SKN_FMT(host), what->stream ? "text/event-stream" : "application/json");
    if (!what->stream)
        skn_buf_addf(b, "Connection: close\r\n");
    if (server->token.p)
        skn_buf_addf(b, "Authorization: Bearer %.*s\r\n", SKN_FMT(server->token));
    if (what->key.p)
        skn_buf_addf(b, "Idempotency-Key: %.*s\r\n", SKN_FMT(what->key));
    if (what->match)
        skn_buf_addf(b, "If-Match: %s\r\n", what->match);
    if (what->last_id.n)
        skn_buf_addf(b, "Last-Event-ID: %.*s\r\n", SKN_FMT(what->last_id));
    if (what->body.p)
        skn_buf_addf(b, "Content-Type: %s\r\nContent-Length: %zu\r\n",
                     what->type ? what->type : "application/json", what->body.n);
    skn_buf_add(b, SKN_STR("\r\n"));
    if (what->body.p)
        skn_buf_add(b, what->body);
}

static bool send_all(int fd, skn_str bytes)
{
    while (bytes.n) {
        ssize_t n = send(fd, bytes.p, bytes.n, MSG_NOSIGNAL);

        if (n > 0)
            bytes = skn_str_sub(bytes, (size_t)n, bytes.n);
        else if (n < 0 && errno == EAGAIN) {
            if (!ready(fd, POLLOUT, SEND_MS))
                return false;
        } else if (n == 0 || errno != EINTR)
            return false;
    }
    return true;
}

static skein_rc send_request(skn_cli *cli, const skn_server *server,
                             const skn_request_spec *what, int *out)
{
    skn_buf     b;
    const char *why = "";
    int         fd = connect_server(cli, server, &why);
    skein_rc    rc = SKEIN_OK;

    if (fd < 0)
        return gone(cli, server, why);
    skn_buf_init(&b, REQUEST_MOST);
    write_request(&b, server, what);
    if (!send_all(fd, skn_buf_str(&b))) {
        rc = gone(cli, server, strerror(errno));
        close(fd);
        fd = -1;
    }
    skn_buf_release(&b);
    *out = fd;
    return rc;
}

/* --- Answers ------------------------------------------------------------------------------ */

/* The code of ours that a problem of the server stands for. */
static skein_rc code_of(skn_str name, int status)
{
#define SKEIN_CODE(code, json, http, exit)                                                     \
    if (skn_str_is(name, json))                                                                \
        return SKEIN_##code;
#include <skein/codes.def>
#undef SKEIN_CODE
    if (skn_str_is(name, "STARTING")) /* it is not there yet, or not any more */
        return SKEIN_UNREACHABLE;
    return status == 404   ? SKEIN_NOT_FOUND
           : status == 401 ? SKEIN_AUTH
           : status == 423 ? SKEIN_AT_WORK
           : status == 409 ? SKEIN_CONFLICT
           : status < 500  ? SKEIN_INVALID
                           : SKEIN_FAILED;
}

/* A server's word, which may be anybody's, as it may be shown. */
static const char *shown_address(skn_cli *cli, skn_str text)
{
    skn_buf b;

    skn_buf_init(&b, PROBLEM_MOST);
    skn_clean_add(&b, text, false);
    return skn_buf_keep(&b, cli->keep).p;
}

/* The members of a problem beside its words. Its kind replaces the name of the code. */
static void keep_problem(skn_cli *cli, const skn_json *v, skn_str code, int status)
{
    static const struct {
        const char *code, *thing;
    } lost[] = {{"WORLD_NOT_FOUND", "world"},
                {"CHAT_NOT_FOUND", "chat"},
                {"MESSAGE_NOT_FOUND", "message"},
                {"AGENT_NOT_FOUND", "agent"},
                {"VERSION_NOT_FOUND", "version"}};
    const skn_json *busy = skn_json_get(v, "busy");
    skn_str         meant = skn_json_str(v, "didYouMean"), type = skn_json_str(v, "type");
    skn_str         title = skn_json_str(v, "title");
    skn_str         at = skn_json_str(skn_first(v, "errors"), "pointer");

    cli->at = at.n ? shown_address(cli, at) : NULL;
    cli->more = (skn_problem){.current = cli->more.current};
    if (title.n && code.n && skn_str_starts(type, SKN_STR("/problems/"))) {
        cli->more.word = shown_address(cli, skn_str_sub(type, sizeof "/problems/" - 1, type.n));
        cli->more.title = shown_address(cli, title);
        cli->more.name = shown_address(cli, code);
        cli->more.status = status;
    }
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++)
        if (skn_str_is(code, lost[i].code))
            cli->more.thing = lost[i].thing;
    if (meant.n)
        cli->more.meant = shown_address(cli, meant);
    if (busy && busy->kind == SKN_JSON_ARRAY)
        cli->more.extra = skn_arena_printf(cli->keep, "\"busy\":%.*s", SKN_FMT(busy->raw));
}

skein_rc skn_client_problem(skn_cli *cli, int status, skn_str body)
{
    const skn_json *v;
    skn_str         code, detail, hint, reason;
    skein_rc        rc;

    if (skn_json_parse(&v, body, "the answer", cli->keep, NULL))
        v = NULL;
    code = skn_json_str(v, "code");
    detail = skn_json_str(v, "detail");
    hint = skn_json_str(v, "hint");
    reason = skn_json_str(v, "reason");
    if (v)
        keep_problem(cli, v, code, status);
    rc = code_of(code, status);
    if (reason.n && detail.n) /* it names who is at work */
        detail = reason, hint = SKN_NONE;
    if (detail.n)
        skn_fail(&cli->err, rc, "%.*s", SKN_FMT(detail));
    else
        skn_fail(&cli->err, rc, "the server answered %d", status);
    cli->told = detail.n ? skn_arena_copy(cli->keep, skn_str_of(cli->err.message)).p : NULL;
    if (detail.n && hint.n)
        skn_hint(&cli->err, rc, "%.*s", SKN_FMT(hint));
    if (status == 401)
        skn_hint(
            &cli->err, rc,
            "Give its token: SKEIN_TOKEN, or SKEIN_TOKEN_FILE with the file that holds it");
    return rc;
}

/* The major version: programs with different ones do not understand each other. */
static int64_t major_of(const char *version)
{
    skn_str rest = skn_str_of(version), first;
    int64_t number;

    return skn_str_split(&rest, '.', &first) && skn_str_int(first, &number) ? number : -1;
}

/* Something else may answer where a server was said to be, or a skein of another age. A problem in the form
 * of ours may come from a proxy before it. */
static skein_rc check_who(skn_cli *cli, const skn_http_reader *r, skn_str body)
{
    const skn_json *v;

    if (r->skein[0] && major_of(r->skein) != major_of(skein_version_text()))
        return skn_fail_hint(&cli->err, SKEIN_FAILED, "Use programs of one major version",
                             "the server is skein %s, this program is skein %s", r->skein,
                             skein_version_text());
    if (r->skein[0] || (r->status >= 400 && !skn_json_parse(&v, body, "", cli->keep, NULL)))
        return SKEIN_OK;
    return skn_fail_hint(&cli->err, SKEIN_UNREACHABLE,
                         "Check the address of --server or SKEIN_SERVER",
                         "the program that answers there (status %d) is not skein", r->status);
}

static skein_rc no_memory(skein_error *err)
{
    return skn_fail_hint(err, SKEIN_NO_MEMORY, "Ask for less of it: skein log -n 20",
                         "there is not enough memory for the server's answer");
}

static skein_rc keep_body(void *arg, skn_str piece, skein_error *err)
{
    skn_buf *b = arg;

    skn_buf_add(b, piece);
    if (b->starved)
        return no_memory(err);
    if (!b->over)
        return SKEIN_OK;
    return skn_fail_hint(err, SKEIN_LIMIT,
                         "Ask for less of it: skein log -n 20. All of it: skein export -o FILE",
                         "the server's answer is too large: over %zu MB", b->limit >> 20);
}

/* --- One answer --------------------------------------------------------------------------- */

typedef struct whole {
    skn_cli                *cli;
    const skn_request_spec *what;
    skn_http_reader         http;
    skn_buf                 kept;
} whole;

/* What is not of a skein, or is a problem, is read to be told. */
static skein_rc take_body(void *arg, skn_str piece, skein_error *err)
{
    whole *w = arg;

    if (w->what->take && w->http.status / 100 == 2 && !check_who(w->cli, &w->http, SKN_NONE))
        return w->what->take(w->what->arg, piece, err);
    return keep_body(&w->kept, piece, err);
}

/* Bytes into the reader; *ended when the connection has. */
static skein_rc receive(int fd, skn_http_reader *r, bool *ended, skein_error *err)
{
    char    bytes[16384];
    ssize_t n = recv(fd, bytes, sizeof bytes, 0);

    *ended = false;
    if (n > 0)
        return skn_http_reader_feed(r, (skn_str){bytes, (size_t)n}, err);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return SKEIN_OK;
    *ended = true;
    if (n < 0)
        return skn_fail(err, SKEIN_UNREACHABLE, "the connection was lost: %s", strerror(errno));
    return skn_http_reader_end(r, err);
}

static skein_rc wait_for_answer(skn_cli *cli, int fd, skn_http_reader *r, int64_t timeout_ms)
{
    int64_t  until = skn_clock_ms() + timeout_ms, left;
    bool     ended = false;
    skein_rc rc = SKEIN_OK;

    while (!rc && !ended && r->part != SKN_ANSWER_DONE) {
        left = until - skn_clock_ms();
        if (left <= 0 || !ready(fd, POLLIN, left))
            return skn_fail(&cli->err, SKEIN_TIMEOUT, "the server did not answer in time");
        rc = receive(fd, r, &ended, &cli->err);
    }
    return rc;
}

static skein_rc keep_answer(const whole *w, skn_client_answer *out)
{
    skn_str body = skn_buf_str(&w->kept);

    if (!skn_heap_has(body.n + SPARE))
        return no_memory(&w->cli->err);
    out->status = w->http.status;
    out->body = skn_arena_copy(w->cli->keep, body);
    out->version = skn_arena_copy(w->cli->keep, skn_str_of(w->http.skein)).p;
    return SKEIN_OK;
}

skein_rc skn_client_call(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                         int64_t timeout_ms, skn_client_answer *out)
{
    whole    w = {.cli = cli, .what = what};
    int      fd;
    skein_rc rc;

    if (server->engine)
        return skn_here_call(cli, server, what, out);
    if ((rc = send_request(cli, server, what, &fd)))
        return rc;
    skn_http_reader_init(&w.http);
    skn_buf_init(&w.kept, ANSWER_MOST);
    w.http.body = take_body;
    w.http.arg = &w;
    rc = wait_for_answer(cli, fd, &w.http, timeout_ms);
    close(fd);
    if (!rc && !(rc = keep_answer(&w, out)))
        rc = check_who(cli, &w.http, out->body);
    if (!rc && (w.http.status >= 400 || (what->take && w.http.status / 100 != 2)))
        rc = skn_client_problem(cli, w.http.status, out->body);
    skn_buf_release(&w.kept);
    skn_http_reader_release(&w.http);
    return rc;
}

skein_rc skn_client_json(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                         int64_t timeout_ms, const skn_json **out)
{
    static const skn_json nothing = {.kind = SKN_JSON_NULL};
    skn_client_answer     got;
    skein_rc              rc = skn_client_call(cli, server, what, timeout_ms, &got);

    *out = &nothing; /* as where there is no content */
    if (rc || !got.body.n)
        return rc;
    rc = skn_json_parse(out, got.body, "the answer of the server", cli->keep, &cli->err);
    if (rc == SKEIN_NO_MEMORY || (!rc && !skn_heap_has(SPARE)))
        return no_memory(&cli->err);
    return rc;
}

/* --- Streams ------------------------------------------------------------------------------ */

static skein_rc stream_body(void *arg, skn_str piece, skein_error *err)
{
    skn_event_stream *s = arg;

    if (s->http.status == 200 && s->http.events)
        return skn_sse_reader_feed(&s->sse, piece, err);
    return keep_body(&s->problem, piece, err);
}

void skn_event_stream_init(skn_event_stream *s,
                           skein_rc (*event)(void *arg, const skn_sse_event *event,
                                             skein_error *err),
                           void *arg)
{
    *s = (skn_event_stream){.fd = -1};
    skn_sse_reader_init(&s->sse, EVENT_MOST);
    s->sse.event = event;
    s->sse.arg = arg;
    skn_http_reader_init(&s->http);
    skn_buf_init(&s->problem, PROBLEM_MOST);
}

skein_rc skn_event_stream_connect(skn_cli *cli, const skn_server *server, skn_event_stream *s,
                                  const skn_request_spec *what)
{
    skn_request_spec r = *what;

    skn_event_stream_close(s);
    skn_sse_reader_cut(&s->sse);
    skn_http_reader_release(&s->http);
    skn_http_reader_init(&s->http);
    s->http.body = stream_body;
    s->http.arg = s;
    skn_buf_clear(&s->problem);
    s->over = false;
    s->heard_at = skn_clock_ms();
    r.stream = true;
    if (!r.last_id.p && s->sse.last_id.n)
        r.last_id = skn_buf_str(&s->sse.last_id);
    return send_request(cli, server, &r, &s->fd);
}

skein_rc skn_event_stream_read(skn_cli *cli, skn_event_stream *s)
{
    bool     ended;
    skein_rc rc = receive(s->fd, &s->http, &ended, &cli->err);

    s->heard_at = skn_clock_ms();
    if (rc == SKEIN_OK && s->http.part == SKN_ANSWER_DONE) {
        s->over = true;
        rc = check_who(cli, &s->http, skn_buf_str(&s->problem));
        if (!rc && s->http.status != 200)
            rc = skn_client_problem(cli, s->http.status, skn_buf_str(&s->problem));
    }
    return rc;
}

int64_t skn_event_stream_left(const skn_event_stream *s)
{
    int64_t left = s->heard_at + QUIET_MS - skn_clock_ms();

    return left > 0 ? left : 0;
}

void skn_event_stream_close(skn_event_stream *s)
{
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

void skn_event_stream_release(skn_event_stream *s)
{
    skn_event_stream_close(s);
    skn_sse_reader_release(&s->sse);
    skn_http_reader_release(&s->http);
    skn_buf_release(&s->problem);
}

/* Who speaks for agents on a store that is a file says so beside it: without that, whatever is open was left. Elsewhere
 * somebody on another computer may be working on it, known only by the lease; and nothing is written beside a store that
 * has no place here. */
static int64_t on_left_before(void *arg, int64_t now)
{
    const skn_traces *traces = arg;

    if (!traces->lock)
        return now;
    if (skn_lock_holder(traces->lock))
        return 0;
    return traces->backups ? INT64_MAX : now;
}

static skein_rc on_context(void *arg, const skn_api_lane *lane, skn_arena *a,
                           skein_context *out, skein_error *err)
{
    const skn_sent_spec spec = {
        .engine = lane->engine, .world = lane->world, .mode = lane->mode, .files = lane->files};

    (void)arg;
    return skn_runtime_context(NULL, &spec, lane->what, a, out, err);
}

skn_api *skn_here_new(skn_cli *cli)
{
    skein_error     before = cli->err;
    skn_traces     *traces = SKN_NEW(cli->keep, skn_traces);
    skn_api_options o = {.files = skn_files_folder(cli),
                         .no_commands = !skn_config_of(cli)->values[SKN_CONFIG_COMMANDS].number,
                         .agents = {.arg = traces,
                                    .has_tool = skn_runtime_has_tool,
                                    .context = on_context,
                                    .left_before = on_left_before}};

    if (skn_traces_of(cli, traces))
        *traces = (skn_traces){.lock = NULL};
    cli->err = before;
    return skn_api_new(&o, NULL);
}

skein_rc skn_here_call(skn_cli *cli, const skn_server *server, const skn_request_spec *what,
                       skn_client_answer *out)
{
    const skn_sink pieces = {what->take, what->arg};
    skein_header   headers[2];
    skein_request  request = SKEIN_REQUEST_INIT;
    skein_answer   answer;

    request.method = skn_str_of(what->method);
    request.path = skn_str_of(what->path);
    request.headers = headers;
    request.body = what->body;
    if (what->key.p)
        headers[request.header_count++] = (skein_header){SKN_STR("Idempotency-Key"), what->key};
    if (what->match)
        headers[request.header_count++] = (skein_header){SKN_STR("If-Match"),
                                                         skn_str_of(what->match)};
    *out = (skn_client_answer){0};
    if (skn_call_here(server->api, server->engine, &request, what->take ? &pieces : NULL,
                      cli->keep, &answer, &cli->err))
        return skn_client_problem(cli, answer.status, answer.body);
    out->status = answer.status;
    out->body = answer.body;
    out->version = skein_version_text();
    return what->take && answer.body.n ? what->take(what->arg, answer.body, &cli->err)
                                       : SKEIN_OK;
}
