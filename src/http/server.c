#include "base/clock.h"
#include "http/jobs.h"
#include "http/served.h"
#include "http/sessions.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    MAX_BODY = 17 * 1024 * 1024,
    MAX_CONNECTIONS = 6000,
    CLIENT_MS = 15000,
    TICK_MS = 500,
    CLOSE_MS = 8000,
    BREATH_MS = 100,
    SPARE_FDS = 128, /* for the store, the log and whatever else */
    ACCEPT_AT_ONCE = 64,
    STRANGERS = 4 /* one in so many connections may be of those who are not let in */
};

typedef struct listener {
    skn_http  *http;
    int        fd;
    bool       local;
    skn_watch *watch;
} listener;

struct skn_wire {
    listener at[2];
    int      listeners;
    int      ask; /* the kernel, who a client is */
    int spare; /* a descriptor for those who are turned away when there is no other; -1: none */
    skn_timer *tick, *breath, *cut;
    skn_conn **flush; /* those that have something to write in this round */
    size_t     flush_count, flush_cap;
    skn_call  *done;
    void      *done_arg;
    bool       hub_closed, parting;
};

/* --- What connections ask for --------------------------------------------------------------------- */

static void flush_all(void *arg)
{
    skn_wire  *w = ((skn_http *)arg)->wire;
    skn_conn **list = w->flush;
    size_t     count = w->flush_count;

    w->flush = NULL;
    w->flush_count = w->flush_cap = 0;
    for (size_t i = 0; i < count; i++)
        skn_conn_flush(list[i]);
    free(list);
}

void skn_wire_flush_later(skn_http *h, skn_conn *conn)
{
    skn_wire *w = h->wire;

    if (w->flush_count == 0)
        skn_loop_post(h->o.loop, flush_all, h);
    if (w->flush_count == w->flush_cap) {
        w->flush_cap = w->flush_cap ? w->flush_cap * 2 : 16;
        w->flush = skn_heap_resize(w->flush, w->flush_cap * sizeof(skn_conn *));
    }
    w->flush[w->flush_count++] = conn;
}

/* --- Clients come ---------------------------------------------------------------------------------- */

/* When there is no room, the longest idle connection is closed, so idle ones keep nobody out. Strangers have their own
 * share, in which the oldest is closed even when busy. */
static bool make_room(skn_http *h, const skn_peer *peer)
{
    const skn_conn_list *all = &h->conns;
    bool                 stranger = !skn_peer_is_owner(peer->uid);

    if (stranger &&
        all->row[SKN_ROW_STRANGER].count >= (h->o.max_connections + STRANGERS - 1) / STRANGERS)
        return skn_conn_drop_stranger(h);
    return all->row[SKN_ROW_ALL].count < h->o.max_connections || skn_conn_make_room(h) ||
           (!stranger && skn_conn_drop_stranger(h));
}

/* Said by hand: a call would need the memory that there is too little of. */
static void turn_away(skn_http *h, int fd)
{
    char    id[SKN_UID_LEN + 1];
    skn_buf body, all;
    ssize_t n;

    skn_uid_next(h->ids, id);
    skn_buf_init(&body, 1024);
    skn_buf_init(&all, 2048);
    skn_buf_addf(&body,
                 "{\"type\":\"/problems/overloaded\",\"title\":\"The server has too much to "
                 "do\",\"status\":503,\"detail\":\"there are too many connections\","
                 "\"instance\":\"/\",\"code\":\"OVERLOADED\",\"requestId\":\"%s\","
                 "\"retryable\":true,\"retryAfterMs\":5000,\"error\":\"there are too many "
                 "connections\",\"message\":\"The server has too much to do\"}",
                 id);
    skn_buf_addf(&all,
                 "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/problem+json"
                 "\r\nContent-Length: %zu\r\nConnection: close\r\nRetry-After: 5\r\n"
                 "Cache-Control: no-store\r\nX-Request-Id: %s\r\nSkein-Version: %s\r\n\r\n%s",
                 body.n, id, skein_version_text(), body.p);
    n = write(fd, all.p, all.n);
    (void)n; /* it goes either way */
    close(fd);
    skn_buf_release(&body);
    skn_buf_release(&all);
}

static void stop_accepting(skn_wire *w, bool stop)
{
    for (int i = 0; i < w->listeners; i++)
        if (w->at[i].watch)
            skn_watch_read(w->at[i].watch, !stop);
}

static void breathe(void *arg)
{
    stop_accepting(((skn_http *)arg)->wire, false);
}

static void keep_spare(skn_wire *w)
{
    w->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* There is no descriptor left: an idle connection is closed, or the new client is refused. */
static void none_left(listener *l)
{
    skn_http *h = l->http;
    skn_peer  peer;
    int       fd;

    if (!skn_conn_make_room(h) && !skn_conn_drop_stranger(h) && h->wire->spare >= 0) {
        close(h->wire->spare);
        fd = skn_listen_accept(l->fd, l->local, h->wire->ask, &peer);
        if (fd >= 0)
            turn_away(h, fd);
        keep_spare(h->wire);
    }
    skn_log_say(h->o.api.log, SKN_LOG_WARN, "no more connections can be opened for now");
    stop_accepting(h->wire, true);
    skn_timer_start(h->wire->breath, BREATH_MS);
}

static void can_accept(void *arg)
{
    listener *l = arg;
    skn_http *h = l->http;
    skn_peer  peer;
    int       fd = -1;

    for (int i = 0; i < ACCEPT_AT_ONCE &&
                    (fd = skn_listen_accept(l->fd, l->local, h->wire->ask, &peer)) >= 0;
         i++) {
        if (make_room(h, &peer))
            skn_conn_new(h, fd, &peer);
        else
            turn_away(h, fd);
    }
    if (fd == -2)
        none_left(l);
}

static void tick(void *arg)
{
    skn_http *h = arg;
    int64_t   now = skn_clock_ms(), streams = 0, lag = 0;

    for (skn_conn *c = h->conns.row[SKN_ROW_ALL].first, *next; c; c = next) {
        next = skn_conn_next(c);
        skn_conn_tick(c, now);
    }
    skn_sessions_refresh(h, now);
    if (h->trim) /* not with each request: it takes long, and the next one would need the memory again */
        skn_heap_trim();
    h->trim = false;
    skn_jobs_sweep(h->jobs, skn_clock_micros());
    if (h->hub)
        skn_hub_count(h->hub, &streams, &lag);
    atomic_store(&h->counts.connections, h->conns.row[SKN_ROW_ALL].count);
    atomic_store(&h->counts.streams, streams);
    atomic_store(&h->counts.lag, lag);
    skn_timer_start(h->wire->tick, TICK_MS);
}

/* --- Beginning ------------------------------------------------------------------------------------- */

static int fewer(int a, int b)
{
    return a < b ? a : b;
}

/* Each connection is a descriptor. Where there are few, most of them are for what answers: the store, models, tools. */
static void raise_fds(skn_http *h)
{
    struct rlimit l;

    if (getrlimit(RLIMIT_NOFILE, &l))
        return;
    if (l.rlim_cur != RLIM_INFINITY && l.rlim_cur < (rlim_t)h->o.max_connections + SPARE_FDS) {
        l.rlim_cur = l.rlim_max;
        if (l.rlim_max == RLIM_INFINITY ||
            l.rlim_max > (rlim_t)h->o.max_connections + SPARE_FDS)
            l.rlim_cur = (rlim_t)h->o.max_connections + SPARE_FDS;
        setrlimit(RLIMIT_NOFILE, &l);
        getrlimit(RLIMIT_NOFILE, &l);
    }
    if (l.rlim_cur < (rlim_t)h->o.max_connections + SPARE_FDS)
        h->o.max_connections = fewer(h->o.max_connections, l.rlim_cur > 2 * SPARE_FDS
                                                               ? (int)l.rlim_cur - SPARE_FDS
                                                               : (int)l.rlim_cur / 4);
}

static void add_listener(skn_http *h, int fd, bool local)
{
    listener *l = &h->wire->at[h->wire->listeners++];

    *l = (listener){.http = h, .fd = fd, .local = local};
    l->watch = skn_watch_new(h->o.loop, fd, can_accept, NULL, l);
    skn_watch_read(l->watch, true);
}

static skein_rc start_listening(skn_http *h, skein_error *err)
{
    int      fd = skn_listen_ours(h->o.fd);
    skein_rc rc = SKEIN_OK;

    if (fd < 0)
        rc = skn_listen_tcp(&fd, h->o.host, h->o.port, err);
    if (rc)
        return rc;
    add_listener(h, fd, false);
    h->gate.port = skn_listen_port(fd);
    if (h->o.socket_path && !(rc = skn_listen_unix(&fd, h->o.socket_path, err)))
        add_listener(h, fd, true);
    return rc;
}

static const char *copy_text(skn_http *h, const char *s)
{
    return skn_arena_copy(h->mem, skn_str_of(s)).p;
}

static void copy_options(skn_http *h, const skn_http_options *o)
{
    const char **origins = SKN_ARRAY(h->mem, o->allow_origin_count + 1, const char *);

    h->o = *o;
    h->o.api.send_squash = skn_http_send_squash;
    h->o.api.send_compact = skn_http_send_compact;
    h->o.host = copy_text(h, o->host ? o->host : "127.0.0.1");
    h->o.socket_path = copy_text(h, o->socket_path);
    for (size_t i = 0; i < o->allow_origin_count; i++)
        origins[i] = copy_text(h, o->allow_origins[i]);
    h->o.allow_origins = origins;
    h->o.public_url = skn_arena_copy(h->mem, o->public_url);
    h->o.token = SKN_NONE; /* its digest is enough */
    h->o.max_body = o->max_body ? o->max_body : MAX_BODY;
    h->o.max_text = o->max_text ? o->max_text : h->o.max_body;
    h->o.max_connections = o->max_connections ? o->max_connections : MAX_CONNECTIONS;
    h->o.client_timeout_ms = o->client_timeout_ms ? o->client_timeout_ms : CLIENT_MS;
    h->gate = (skn_gate){.host = skn_str_of(h->o.host),
                         .public_url = h->o.public_url,
                         .origins = h->o.allow_origins,
                         .origin_count = o->allow_origin_count};
    h->gate.always = o->token_always;
    skn_gate_token(&h->gate, o->token);
    skn_http_settings(h, o->settings);
}

static void make_wire(skn_http *h)
{
    skn_wire *w = skn_heap(sizeof *w);

    h->wire = w;
    w->ask = skn_peer_ask_open();
    keep_spare(w);
    h->scratch = skn_heap(SKN_READ_BYTES);
    skn_buf_init(&h->head, 256 * 1024);
    w->tick = skn_timer_new(h->o.loop, tick, h);
    w->breath = skn_timer_new(h->o.loop, breathe, h);
    skn_timer_start(w->tick, TICK_MS);
}

/* A client that goes while it is answered must not take the program with it. */
static void ignore_broken_pipes(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    sigaction(SIGPIPE, &ignore, NULL);
}

skein_rc skn_http_start(skn_http **out, const skn_http_options *o, skein_error *err)
{
    skn_http *h = skn_heap(sizeof *h);
    skein_rc  rc;

    *out = NULL;
    h->mem = skn_arena_new();
    pthread_mutex_init(&h->mu, NULL);
    pthread_mutex_init(&h->counts.mu, NULL);
    h->reads.most = SKN_READS_MAX;
    h->started = skn_clock_micros();
    copy_options(h, o);
    raise_fds(h);
    ignore_broken_pipes();
    h->api = skn_api_new(&h->o.api, skn_server_routes);
    h->ids = skn_uid_maker_new();
    h->keys = skn_keys_new();
    h->sessions = skn_sessions_new();
    h->rates = skn_rates_new(h->o.requests_per_minute);
    h->failures = skn_failures_new();
    h->jobs = skn_jobs_new(h);
    make_wire(h);
    if ((rc = start_listening(h, err))) {
        skn_http_free(h);
        return rc;
    }
    if (o->engine)
        skn_http_ready(h, o->engine);
    *out = h;
    return SKEIN_OK;
}

void skn_http_ready(skn_http *h, skein_engine *engine)
{
    h->o.engine = engine;
    h->hub = skn_hub_new(h, &h->o);
    skn_sessions_refresh(h, skn_clock_ms());
    skn_count_begin(h);
}

/* --- What passes through ---------------------------------------------------------------------------- */

void skn_http_nudge(skn_http *h)
{
    skn_hub_nudge(h->hub);
}

void skn_http_tell(skn_http *h, const skn_live *event)
{
    skn_hub_tell(h->hub, event);
}

skn_hub *skn_http_hub(skn_http *h)
{
    return h->hub;
}

const skn_http_options *skn_http_opts(const skn_http *h)
{
    return &h->o;
}

void skn_http_settings(skn_http *h, skn_str settings)
{
    char *text = skn_heap_copy(settings.n ? settings : SKN_STR("{}"));

    pthread_mutex_lock(&h->mu);
    free(h->settings);
    h->settings = text;
    pthread_mutex_unlock(&h->mu);
}

skn_str skn_http_shown_settings(skn_http *h, skn_arena *a)
{
    skn_str text;

    pthread_mutex_lock(&h->mu);
    text = skn_arena_copy(a, skn_str_of(h->settings));
    pthread_mutex_unlock(&h->mu);
    return text;
}

/* --- Ending ------------------------------------------------------------------------------------------ */

static void part(void *arg);

/* Called in the loop's next round, when the caller has left the server's functions. */
void skn_http_call_ended(skn_http *h)
{
    skn_wire *w = h->wire;
    bool      late = w->listeners || h->conns.late;

    if (!w->done || !w->hub_closed || h->conns.row[SKN_ROW_ALL].count > h->conns.late ||
        h->calls || skn_jobs_running(h->jobs) || (late && w->parting))
        return;
    w->parting = true;
    skn_loop_post(h->o.loop, late ? part : w->done, late ? h : w->done_arg);
    if (!late)
        w->done = NULL;
}

static void hub_closed(void *arg)
{
    skn_http *h = arg;

    h->wire->hub_closed = true;
    skn_http_call_ended(h);
}

/* The first `stay` of them go on. */
static void stop_listening(skn_http *h, int stay)
{
    skn_wire *w = h->wire;

    while (w->listeners > stay) {
        listener *l = &w->at[--w->listeners];

        skn_watch_free(l->watch);
        close(l->fd);
        if (l->local)
            skn_socket_remove(h->o.socket_path);
    }
}

static void each_conn(skn_http *h, void (*fn)(skn_conn *conn))
{
    for (skn_conn *c = h->conns.row[SKN_ROW_ALL].first, *next; c; c = next) {
        next = skn_conn_next(c);
        fn(c);
    }
}

static void cut_rest(void *arg)
{
    each_conn(arg, skn_conn_close);
}

/* Everything is done; clients that came meanwhile were refused, and are closed. */
static void part(void *arg)
{
    skn_http *h = arg;

    stop_listening(h, 0);
    each_conn(h, skn_conn_close);
    skn_http_call_ended(h);
}

void skn_http_close(skn_http *h, skn_call *done, void *arg)
{
    skn_wire *w = h->wire;

    h->closing = true;
    w->done = done;
    w->done_arg = arg;
    stop_listening(h, h->o.fd_stays ? 0 : 1);
    skn_job_cancel(h->jobs, SKN_NONE);
    each_conn(h, skn_conn_finish);
    w->cut = skn_timer_new(h->o.loop, cut_rest, h);
    skn_timer_start(w->cut, CLOSE_MS);
    if (h->hub)
        skn_hub_close(h->hub, hub_closed, h);
    else
        hub_closed(h);
}

void skn_http_free(skn_http *h)
{
    if (!h)
        return;
    stop_listening(h, 0);
    skn_hub_free(h->hub);
    skn_jobs_free(h->jobs);
    skn_keys_free(h->keys);
    skn_sessions_free(h->sessions);
    skn_rates_free(h->rates);
    skn_failures_free(h->failures);
    skn_api_free(h->api);
    skn_uid_maker_free(h->ids);
    skn_timer_free(h->wire->tick);
    skn_timer_free(h->wire->breath);
    skn_timer_free(h->wire->cut);
    skn_buf_release(&h->head);
    if (h->wire->ask >= 0)
        close(h->wire->ask);
    if (h->wire->spare >= 0)
        close(h->wire->spare);
    free(h->wire->flush);
    free(h->scratch);
    free(h->wire);
    pthread_mutex_destroy(&h->counts.mu);
    pthread_mutex_destroy(&h->mu);
    free(h->settings);
    skn_arena_free(h->mem);
    free(h);
}
