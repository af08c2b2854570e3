/* libcurl's multi interface on our loop.
 *
 * libcurl says which sockets to watch and when to wake it; we report socket events and timeouts to it. libcurl must
 * not be called from inside one of its own callbacks, and our callbacks run inside those. So a request that is
 * started, ended or resumed there waits in a list for the loop (`sweep`). */
#include "net/net.h"
#include "net/curl_calls.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/env_rule.h"
#include "base/late.h"

#include <fcntl.h>
#include <skein/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MOST_HEAD = 64 << 10,
    MOST_HOST = 120,
    MOST_WHY = 400,
    MOST_BODY = 64 << 20,
    BUFFER = 8 << 10
};

struct skn_net {
    skn_loop      *loop;
    skn_curl_calls curl;
    const char    *missing; /* why libcurl cannot be used, or NULL */
    CURLM         *multi;   /* NULL until the first request */
    skn_timer     *timer;   /* for libcurl's timeouts */
    skn_timer     *sweeper;
    skn_fetch     *first, **last; /* requests that wait for the sweeper */
};

typedef struct watched {
    skn_net      *net;
    curl_socket_t fd;
    skn_watch    *watch;
} watched;

struct skn_fetch {
    skn_net           *net;
    skn_fetch         *next; /* in the list of waiting requests */
    skn_fetch_sink     sink;
    CURL              *easy; /* NULL when the request was refused before it started */
    struct curl_slist *headers;
    char              *body;
    skn_timer         *stall;
    int64_t            stall_ms, last_ns; /* when data last moved */
    int64_t            total_ms, begun_ns;
    curl_off_t         sent;
    size_t             came, most;
    skn_buf            head;
    char               type[100], host[MOST_HOST], why[MOST_WHY], curl_why[CURL_ERROR_SIZE];
    skn_fetch_end      end;
    bool               over;      /* `end` and `why` will be reported */
    bool               cancelled; /* nothing will be reported */
    bool               waits;     /* in the sweeper's list */
    bool               added;     /* to the multi handle */
    bool               in_head;   /* the status line has arrived, the end of the head has not */
    bool               head_given;
    bool               paused; /* by the caller */
    bool               held;   /* take_body made libcurl pause */
};

/* --- Addresses, headers, texts ---------------------------------------------------------------- */

/* The host of a URL, with its port if it has one; safe to show in messages. */
static void host_of(skn_str url, char out[MOST_HOST])
{
    ptrdiff_t scheme = skn_str_find(url, SKN_STR("://"));
    skn_str   host = skn_str_sub(url, scheme < 0 ? 0 : (size_t)scheme + 3, url.n);
    size_t    n = 0;

    while (n < host.n && !strchr("/?#", host.p[n]))
        n++;
    host.n = n;
    for (size_t i = 0; i < host.n; i++)
        if (host.p[i] == '@') { /* a name and a password before it */
            host = skn_str_sub(host, i + 1, host.n);
            i = 0;
        }
    snprintf(out, MOST_HOST, "%.*s", SKN_FMT(host));
}

static bool has_control(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < 0x20 || s.p[i] == 0x7f)
            return true;
    return false;
}

/* Returns the reason why a request cannot be sent, or NULL. */
static const char *fault_of(const skn_fetch_spec *what)
{
    if (!skn_str_starts(what->url, SKN_STR("http://")) &&
        !skn_str_starts(what->url, SKN_STR("https://")))
        return "the address begins with neither http:// nor https://";
    if (has_control(what->url) || memchr(what->url.p, ' ', what->url.n))
        return "the address has a blank or a control character in it";
    for (size_t i = 0; i < what->header_count; i++) {
        const skn_fetch_header *h = &what->headers[i];

        if (!h->name.n || has_control(h->name) || memchr(h->name.p, ':', h->name.n))
            return "a header has no name";
        if (has_control(h->value)) /* a second header could hide in it */
            return "a header has a line end or another control character in it";
    }
    return NULL;
}

/* Whether a request must not go through a proxy. A proxy could answer in the name of this computer, and it reads all
 * of plain http; of https it sees only the host. */
static bool is_direct(skn_str url)
{
    return !skn_str_starts(url, SKN_STR("https://")) || skn_url_is_local(url);
}

/* Returns a content type in lower case without its parameters; absent stays absent. */
static skn_str type_of(skn_str value, char *out, size_t room)
{
    size_t n = 0;

    if (!value.p)
        return SKN_NONE;
    for (; n < value.n && n < room && value.p[n] != ';'; n++)
        out[n] = value.p[n] >= 'A' && value.p[n] <= 'Z' ? (char)(value.p[n] + 32) : value.p[n];
    return skn_str_trim((skn_str){out, n});
}

skn_str skn_fetch_header_of(const skn_fetch_head *head, const char *name)
{
    skn_str rest = skn_buf_str(head->inside), line;
    size_t  n = strlen(name);

    while (skn_str_split(&rest, '\n', &line))
        if (line.n > n && line.p[n] == ':' && strncasecmp(line.p, name, n) == 0)
            return skn_str_trim(skn_str_sub(line, n + 1, line.n));
    return SKN_NONE;
}

/* Makes the first letter of a text lower case, so that the text can follow a colon; names in capitals stay. */
static void make_lower(char *text)
{
    if (text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
        text[0] = (char)(text[0] + 32);
}

/* --- libcurl --------------------------------------------------------------------------------- */

static void act(skn_net *n, curl_socket_t fd, int what);

static void can_read(void *arg)
{
    watched *s = arg;

    act(s->net, s->fd, CURL_CSELECT_IN);
}

static void can_write(void *arg)
{
    watched *s = arg;

    act(s->net, s->fd, CURL_CSELECT_OUT);
}

static void timer_fired(void *arg)
{
    act(arg, CURL_SOCKET_TIMEOUT, 0);
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *of_socket)
{
    skn_net *n = arg;
    watched *s = of_socket;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (s)
            skn_watch_free(s->watch);
        free(s);
        n->curl.curl_multi_assign(n->multi, fd, NULL);
        return 0;
    }
    if (!s) {
        s = skn_heap(sizeof *s);
        *s = (watched){n, fd, skn_watch_new(n->loop, fd, can_read, can_write, s)};
        n->curl.curl_multi_assign(n->multi, fd, s);
    }
    skn_watch_read(s->watch, what & CURL_POLL_IN);
    skn_watch_write(s->watch, what & CURL_POLL_OUT);
    return 0;
}

static int set_timer(CURLM *multi, long ms, void *arg)
{
    skn_net *n = arg;

    (void)multi;
    if (ms < 0)
        skn_timer_stop(n->timer);
    else
        skn_timer_start(n->timer, ms);
    return 0;
}

/* Loads libcurl. Returns the first name that is missing, or NULL. */
static const char *load(skn_curl_calls *curl)
{
#define CURL_NAME(name) #name,
    static const char *const names[] = {CURL_CALLS(CURL_NAME)};
#undef CURL_NAME

    return skn_late_load("libcurl.so.4", names, sizeof names / sizeof *names, curl);
}

static void open_multi(skn_net *n)
{
    if (n->multi || n->missing || (n->missing = load(&n->curl)))
        return;
    n->curl.curl_global_init(CURL_GLOBAL_DEFAULT);
    n->multi = n->curl.curl_multi_init();
    if (!n->multi) {
        n->missing = "curl_multi_init";
        n->curl.curl_global_cleanup();
        return;
    }
    n->curl.curl_multi_setopt(n->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    n->curl.curl_multi_setopt(n->multi, CURLMOPT_SOCKETDATA, n);
    n->curl.curl_multi_setopt(n->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    n->curl.curl_multi_setopt(n->multi, CURLMOPT_TIMERDATA, n);
    n->curl.curl_multi_setopt(n->multi, CURLMOPT_MAXCONNECTS, 128L);
}

/* --- The end of a request -------------------------------------------------------------------- */

static void free_fetch(skn_fetch *f)
{
    skn_net *n = f->net;

    if (f->added)
        n->curl.curl_multi_remove_handle(n->multi, f->easy);
    if (f->easy)
        n->curl.curl_easy_cleanup(f->easy);
    if (f->headers)
        n->curl.curl_slist_free_all(f->headers);
    skn_timer_free(f->stall);
    skn_buf_release(&f->head);
    free(f->body);
    free(f);
}

/* Queues a request for the sweeper instead of acting on it here: libcurl may be on the stack. */
static void look_after(skn_fetch *f)
{
    skn_net *n = f->net;

    if (f->waits)
        return;
    f->waits = true;
    f->next = NULL;
    *n->last = f;
    n->last = &f->next;
    skn_timer_start(n->sweeper, 0);
}

static void end_with(skn_fetch *f, skn_fetch_end end)
{
    if (f->over)
        return;
    f->over = true;
    f->end = end;
    look_after(f);
}

static void explain_unreachable(skn_fetch *f, CURLcode code)
{
    char reason[CURL_ERROR_SIZE] = "";
    long os = 0;

    f->net->curl.curl_easy_getinfo(f->easy, CURLINFO_OS_ERRNO, &os);
    if (code == CURLE_COULDNT_RESOLVE_HOST)
        snprintf(reason, sizeof reason, "no such host");
    else if (code == CURLE_OPERATION_TIMEDOUT)
        snprintf(reason, sizeof reason, "nobody answers");
    else if (code == CURLE_COULDNT_CONNECT && os > 0 && os < 4096)
        strerror_r((int)os, reason, sizeof reason);
    else
        snprintf(reason, sizeof reason, "%s",
                 f->curl_why[0] ? f->curl_why : f->net->curl.curl_easy_strerror(code));
    make_lower(reason);
    snprintf(f->why, sizeof f->why, "cannot reach %s: %s", f->host, reason);
}

static int64_t ms_since(int64_t ns)
{
    return (skn_clock_monotonic() - ns) / 1000000;
}

static skn_fetch_end end_of(const skn_fetch *f, CURLcode code)
{
    switch ((int)code) {
    case CURLE_OK:
        return f->head_given ? SKN_FETCH_WHOLE : SKN_FETCH_MALFORMED;
    case CURLE_OPERATION_TIMEDOUT:
        return f->total_ms && ms_since(f->begun_ns) >= f->total_ms ? SKN_FETCH_LATE
                                                                   : SKN_FETCH_UNREACHABLE;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL: /* no status line: HTTP/0.9, which is anything */
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_OUT_OF_MEMORY: /* a header above libcurl's limit */
        return SKN_FETCH_MALFORMED;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_WRITE_ERROR:
        return SKN_FETCH_CUT;
    default:
        return f->head_given ? SKN_FETCH_CUT : SKN_FETCH_UNREACHABLE;
    }
}

static void explain(skn_fetch *f, CURLcode code)
{
    switch (f->end) {
    case SKN_FETCH_WHOLE:
        break;
    case SKN_FETCH_UNREACHABLE:
        explain_unreachable(f, code);
        break;
    case SKN_FETCH_CUT:
        snprintf(f->why, sizeof f->why, "%s closed the connection", f->host);
        break;
    case SKN_FETCH_STALLED:
        snprintf(f->why, sizeof f->why, "%s has sent nothing for %.1f s", f->host,
                 (double)f->stall_ms / 1000);
        break;
    case SKN_FETCH_LATE:
        snprintf(f->why, sizeof f->why, "%s was not done within %.1f s", f->host,
                 (double)f->total_ms / 1000);
        break;
    case SKN_FETCH_TOO_LARGE:
        snprintf(f->why, sizeof f->why, "the answer of %s is over %zu bytes", f->host, f->most);
        break;
    case SKN_FETCH_MALFORMED:
        snprintf(f->why, sizeof f->why,
                 code == CURLE_OUT_OF_MEMORY ? "%s answers with a header that is too long"
                                             : "%s does not speak HTTP",
                 f->host);
        break;
    }
}

/* Makes the sweeper report the requests that libcurl has finished. */
static void collect_ended(skn_net *n)
{
    CURLMsg   *m;
    int        left;
    skn_fetch *f;

    while ((m = n->curl.curl_multi_info_read(n->multi, &left))) {
        CURLcode code = m->data.result;

        f = NULL;
        n->curl.curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &f);
        n->curl.curl_multi_remove_handle(n->multi, f->easy);
        f->added = false;
        if (!f->over)
            end_with(f, end_of(f, code));
        if (!f->why[0])
            explain(f, code);
    }
}

static void tell(skn_fetch *f)
{
    if (!f->why[0])
        explain(f, CURLE_OK);
    f->waits = true; /* so that a cancel from this callback leaves freeing to us */
    f->sink.done(f->sink.arg, f->end, f->why);
    free_fetch(f);
}

/* --- The sweeper's list ----------------------------------------------------------------------- */

static void begin(skn_fetch *f)
{
    f->added = f->net->curl.curl_multi_add_handle(f->net->multi, f->easy) == CURLM_OK;
    if (!f->added)
        end_with(f, SKN_FETCH_UNREACHABLE);
}

static void look(skn_fetch *f)
{
    if (f->cancelled)
        free_fetch(f);
    else if (f->over)
        tell(f);
    else if (!f->added)
        begin(f);
    else if (f->held && !f->paused) {
        f->held = false;
        f->net->curl.curl_easy_pause(f->easy, CURLPAUSE_CONT);
    }
}

static void sweep(void *arg)
{
    skn_net   *n = arg;
    skn_fetch *f;

    while ((f = n->first)) {
        n->first = f->next;
        if (!n->first)
            n->last = &n->first;
        f->waits = false;
        look(f);
    }
}

static void act(skn_net *n, curl_socket_t fd, int what)
{
    int running;

    n->curl.curl_multi_socket_action(n->multi, fd, what, &running);
    collect_ended(n);
    sweep(n);
}

static void stalled(void *arg)
{
    skn_fetch *f = arg;
    int64_t    idle;

    if (f->paused)
        f->last_ns = skn_clock_monotonic();
    idle = ms_since(f->last_ns);
    if (idle >= f->stall_ms)
        end_with(f, SKN_FETCH_STALLED);
    else
        skn_timer_start(f->stall, f->stall_ms - idle);
}

/* --- The answer --------------------------------------------------------------------------------- */

/* libcurl decides by its own parsing of the status whether a body follows. If we parsed it differently, a body could
 * arrive without a head. */
static int status_of(const skn_fetch *f)
{
    long status = 0;

    f->net->curl.curl_easy_getinfo(f->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

static void give_head(skn_fetch *f, int status)
{
    skn_fetch_head head = {.status = status, .inside = &f->head};

    head.content_type = type_of(skn_fetch_header_of(&head, "content-type"), f->type,
                                sizeof f->type);
    f->head_given = true;
    f->sink.head(f->sink.arg, &head);
}

static size_t take_header(char *bytes, size_t size, size_t count, void *arg)
{
    skn_fetch *f = arg;
    skn_str    line = {bytes, size * count};

    f->last_ns = skn_clock_monotonic();
    if (f->head_given || f->cancelled || f->over) /* trailers, or nobody listens */
        return line.n;
    if (skn_str_trim(line).n == 0) {
        f->in_head = false; /* another head follows a 1xx */
        if (status_of(f) >= 200)
            give_head(f, status_of(f));
    } else if (!f->in_head) {
        f->in_head = true;
        skn_buf_clear(&f->head);
    } else {
        skn_buf_add(&f->head, line);
    }
    return line.n;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *arg)
{
    skn_fetch *f = arg;
    skn_str    piece = {bytes, size * count};

    if (f->cancelled || f->over)
        return 0;
    if (f->paused) {
        f->held = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    f->last_ns = skn_clock_monotonic();
    if (!f->head_given) {
        end_with(f, SKN_FETCH_MALFORMED);
        return 0;
    }
    if (piece.n > f->most - f->came) {
        end_with(f, SKN_FETCH_TOO_LARGE);
        return 0;
    }
    f->came += piece.n;
    f->sink.body(f->sink.arg, piece);
    return f->cancelled ? 0 : piece.n;
}

/* A large request needs its time: while it is being sent it has not stalled. libcurl calls this with every piece, so
 * the timeout counts from the last one. */
static int note_sent(void *arg, curl_off_t down_all, curl_off_t down, curl_off_t up_all,
                     curl_off_t up)
{
    skn_fetch *f = arg;

    (void)down_all, (void)down, (void)up_all;
    if (up != f->sent)
        f->last_ns = skn_clock_monotonic();
    f->sent = up;
    return 0;
}

/* Programs that we start must not inherit our connections. */
static int keep_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
    (void)arg, (void)purpose;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    return CURL_SOCKOPT_OK;
}

/* --- Starting --------------------------------------------------------------------------------- */

static void add_headers(skn_fetch *f, const skn_fetch_spec *what)
{
    const skn_curl_calls *curl = &f->net->curl;
    skn_buf               line;

    skn_buf_init(&line, MOST_HEAD);
    for (size_t i = 0; i < what->header_count; i++) {
        const skn_fetch_header *h = &what->headers[i];

        skn_buf_clear(&line);
        skn_buf_addf(&line, h->value.n ? "%.*s: %.*s" : "%.*s;", SKN_FMT(h->name),
                     SKN_FMT(h->value));
        f->headers = curl->curl_slist_append(f->headers, line.p);
    }
    skn_buf_release(&line);
    f->headers = curl->curl_slist_append(f->headers, "Expect:");
    curl->curl_easy_setopt(f->easy, CURLOPT_HTTPHEADER, f->headers);
}

static void set_method(skn_fetch *f, const skn_fetch_spec *what)
{
    const skn_curl_calls *curl = &f->net->curl;

    if (what->body.n || !strcmp(what->method, "POST")) {
        f->body = skn_heap(what->body.n + 1);
        if (what->body.n)
            memcpy(f->body, what->body.p, what->body.n);
        curl->curl_easy_setopt(f->easy, CURLOPT_POST, 1L);
        curl->curl_easy_setopt(f->easy, CURLOPT_POSTFIELDS, f->body);
        curl->curl_easy_setopt(f->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)what->body.n);
    }
    curl->curl_easy_setopt(f->easy, CURLOPT_CUSTOMREQUEST, what->method);
}

static void set_sinks(skn_fetch *f)
{
    const skn_curl_calls *curl = &f->net->curl;

    curl->curl_easy_setopt(f->easy, CURLOPT_PRIVATE, f);
    curl->curl_easy_setopt(f->easy, CURLOPT_ERRORBUFFER, f->curl_why);
    curl->curl_easy_setopt(f->easy, CURLOPT_HEADERFUNCTION, take_header);
    curl->curl_easy_setopt(f->easy, CURLOPT_HEADERDATA, f);
    curl->curl_easy_setopt(f->easy, CURLOPT_WRITEFUNCTION, take_body);
    curl->curl_easy_setopt(f->easy, CURLOPT_WRITEDATA, f);
    curl->curl_easy_setopt(f->easy, CURLOPT_SOCKOPTFUNCTION, keep_socket);
    curl->curl_easy_setopt(f->easy, CURLOPT_NOPROGRESS, 0L);
    curl->curl_easy_setopt(f->easy, CURLOPT_XFERINFOFUNCTION, note_sent);
    curl->curl_easy_setopt(f->easy, CURLOPT_XFERINFODATA, f);
}

static void set_options(skn_fetch *f, const skn_fetch_spec *what)
{
    const skn_curl_calls *curl = &f->net->curl;
    int64_t               connect = what->connect_ms ? what->connect_ms : 10000;
    const char           *bundle = getenv("SSL_CERT_FILE");
    char                 *url = skn_heap_copy(what->url);

    curl->curl_easy_setopt(f->easy, CURLOPT_URL, url);
    free(url);
    if (is_direct(what->url)) /* otherwise the environment decides */
        curl->curl_easy_setopt(f->easy, CURLOPT_PROXY, "");
    curl->curl_easy_setopt(f->easy, CURLOPT_USERAGENT, "skein/" SKEIN_VERSION);
    curl->curl_easy_setopt(f->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl->curl_easy_setopt(f->easy, CURLOPT_NOSIGNAL, 1L);
    curl->curl_easy_setopt(f->easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl->curl_easy_setopt(f->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl->curl_easy_setopt(f->easy, CURLOPT_BUFFERSIZE, (long)BUFFER);
    curl->curl_easy_setopt(f->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)connect);
    curl->curl_easy_setopt(f->easy, CURLOPT_TIMEOUT_MS, (long)what->total_ms);
#if LIBCURL_VERSION_NUM >= 0x075700 /* a cancelled request does not wait for DNS */
    curl->curl_easy_setopt(f->easy, CURLOPT_QUICK_EXIT, 1L);
#endif
    if (bundle && *bundle)
        curl->curl_easy_setopt(f->easy, CURLOPT_CAINFO, bundle);
}

/* Prepares the handle. If that is impossible, f->why says why. */
static bool may_begin(skn_fetch *f, const skn_fetch_spec *what)
{
    const char *wrong = fault_of(what);

    open_multi(f->net);
    if (f->net->missing)
        snprintf(f->why, sizeof f->why, "libcurl is missing \"%s\"; %s", f->net->missing,
                 skn_late_advice("install it: apt install libcurl4"));
    else if (wrong)
        snprintf(f->why, sizeof f->why, "cannot ask %s: %s", f->host, wrong);
    else if (!(f->easy = f->net->curl.curl_easy_init()))
        snprintf(f->why, sizeof f->why, "cannot ask %s: libcurl has no memory", f->host);
    return f->easy != NULL;
}

skn_fetch *skn_fetch_start(skn_net *n, const skn_fetch_spec *what, const skn_fetch_sink *sink)
{
    skn_fetch *f = skn_heap(sizeof *f);

    f->net = n;
    f->sink = *sink;
    f->most = what->most ? what->most : MOST_BODY;
    f->total_ms = what->total_ms;
    f->stall_ms = what->stall_ms ? what->stall_ms : 60000;
    f->begun_ns = f->last_ns = skn_clock_monotonic();
    skn_buf_init(&f->head, MOST_HEAD);
    host_of(what->url, f->host);
    if (!may_begin(f, what)) {
        end_with(f, SKN_FETCH_UNREACHABLE);
        return f;
    }
    set_sinks(f);
    set_options(f, what);
    set_method(f, what);
    add_headers(f, what);
    if (f->stall_ms > 0) {
        f->stall = skn_timer_new(n->loop, stalled, f);
        skn_timer_start(f->stall, f->stall_ms);
    }
    look_after(f);
    return f;
}

void skn_fetch_cancel(skn_fetch *f)
{
    if (!f)
        return;
    f->cancelled = true;
    look_after(f);
}

void skn_fetch_pause(skn_fetch *f, bool on)
{
    f->paused = on;
    f->last_ns = skn_clock_monotonic();
    if (!on && f->held)
        look_after(f);
}

skn_net *skn_net_new(skn_loop *l)
{
    skn_net *n = skn_heap(sizeof *n);

    n->loop = l;
    n->last = &n->first;
    n->timer = skn_timer_new(l, timer_fired, n);
    n->sweeper = skn_timer_new(l, sweep, n);
    return n;
}

void skn_net_free(skn_net *n)
{
    if (!n)
        return;
    sweep(n); /* frees requests that were cancelled just now */
    if (n->multi) {
        n->curl.curl_multi_cleanup(n->multi);
        n->curl.curl_global_cleanup();
    }
    skn_timer_free(n->timer);
    skn_timer_free(n->sweeper);
    free(n);
}
