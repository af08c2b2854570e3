/* hub_kit.h: a world in which the hub lives without threads, sockets, clocks or a store: all that it
 * calls is here, and the test says what happens next. Include it once. */
#ifndef SKN_TESTS_HUB_KIT_H
#define SKN_TESTS_HUB_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/hub.h"
#include "unit/sse_kit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LAB_EVENTS 4096
#define LAB_JOBS   256
#define LAB_POSTS  1024

typedef struct lab_event {
    int64_t seq, world, chat;
    char    type[32], cause[16], data[512];
} lab_event;

typedef struct lab_job {
    skn_call *work, *done;
    void     *arg;
    bool      worked;
} lab_job;

struct skn_timer {
    skn_timer *next;
    skn_call  *fn;
    void      *arg;
    bool       on;
    int64_t    at;
};

struct skn_shared {
    skn_str bytes;
    int     held;
};

struct skn_conn {
    skn_buf       out;
    size_t        taken;
    skn_call     *gone;
    void         *arg;
    bool          begun, ended, lost; /* ended in order; lost: gone is told soon */
    bool          told;               /* gone was: nobody may call any more */
    bool          at_once;            /* gone is told inside of the call that cuts */
    skn_api_call *call;
};

struct skn_http {
    skn_hub         *hub;
    skn_http_options options;
};

static struct lab {
    skn_http   http;
    lab_event  events[LAB_EVENTS];
    size_t     event_count;
    int64_t    forgotten, stamp;
    size_t     enough; /* bytes after which a page ends early */
    bool       broken; /* the store answers nothing */
    lab_job    jobs[LAB_JOBS];
    size_t     job_count;
    lab_job    posts[LAB_POSTS];
    size_t     post_first, post_count;
    skn_timer *timers;
    int64_t    now;
    int        shared, calls, conns; /* that are not freed */
    int        changes;
} lab;

/* --- What the hub calls ------------------------------------------------------------------------ */

void skn_loop_post(skn_loop *l, skn_call *fn, void *arg)
{
    (void)l;
    assert_true(lab.post_count < LAB_POSTS);
    lab.posts[(lab.post_first + lab.post_count++) % LAB_POSTS] = (lab_job){.work = fn,
                                                                           .arg = arg};
}

void skn_workers_run(skn_workers *w, skn_call *work, skn_call *done, void *arg)
{
    (void)w;
    assert_true(lab.job_count < LAB_JOBS);
    lab.jobs[lab.job_count++] = (lab_job){.work = work, .done = done, .arg = arg};
}

skn_timer *skn_timer_new(skn_loop *l, skn_call *fn, void *arg)
{
    skn_timer *t = skn_heap(sizeof *t);

    (void)l;
    *t = (skn_timer){.next = lab.timers, .fn = fn, .arg = arg};
    lab.timers = t;
    return t;
}

void skn_timer_start(skn_timer *t, int64_t ms)
{
    t->on = true;
    t->at = lab.now + ms;
}

void skn_timer_stop(skn_timer *t)
{
    t->on = false;
}

void skn_timer_free(skn_timer *t)
{
    skn_timer **at = &lab.timers;

    if (!t)
        return;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    free(t);
}

skn_hub *skn_http_hub(skn_http *h)
{
    return h->hub;
}

void skn_log_say(skn_log *log, skn_log_level level, const char *fmt, ...)
{
    (void)log;
    (void)level;
    (void)fmt;
}

skn_shared *skn_shared_new(skn_str bytes)
{
    skn_shared *s = skn_heap(sizeof *s);

    s->bytes = (skn_str){skn_heap_copy(bytes), bytes.n};
    s->held = 1;
    lab.shared++;
    return s;
}

void skn_shared_drop(skn_shared *s)
{
    char *bytes = (char *)(uintptr_t)s->bytes.p;

    if (--s->held)
        return;
    lab.shared--;
    free(bytes);
    free(s);
}

void skn_conn_begin(skn_conn *conn, skn_api_call *c, skn_call *gone, void *arg)
{
    assert_false(conn->begun);
    assert_string_equal(c->type, "text/event-stream");
    conn->begun = true;
    conn->gone = gone;
    conn->arg = arg;
}

void skn_conn_send(skn_conn *conn, skn_shared *bytes)
{
    assert_true(conn->begun && !conn->ended && !conn->told);
    if (!conn->lost)
        skn_buf_add(&conn->out, bytes->bytes);
}

size_t skn_conn_unsent(const skn_conn *conn)
{
    assert_false(conn->told);
    return conn->out.n - conn->taken;
}

static inline void conn_tell(void *arg)
{
    skn_conn *conn = arg;

    conn->told = true;
    conn->gone(conn->arg);
}

static inline void conn_lose(skn_conn *conn, bool at_once)
{
    if (conn->lost)
        return;
    conn->lost = true;
    if (at_once)
        conn_tell(conn);
    else
        skn_loop_post(NULL, conn_tell, conn);
}

void skn_conn_end(skn_conn *conn)
{
    assert_true(conn->begun && !conn->ended && !conn->told);
    conn->ended = true;
    if (conn->taken == conn->out.n)
        conn_lose(conn, conn->at_once);
}

void skn_conn_close(skn_conn *conn)
{
    assert_false(conn->told);
    conn_lose(conn, conn->at_once);
}

static inline void conn_take(skn_conn *conn, size_t most)
{
    size_t left = conn->out.n - conn->taken;

    if (conn->lost)
        return;
    conn->taken += most < left ? most : left;
    if (conn->ended && conn->taken == conn->out.n)
        conn_lose(conn, false);
}

/* The connection stays, for the test to look at. */
void skn_call_free(skn_api_call *c)
{
    assert_true(c->by->conn->told);
    lab.calls--;
    skn_arena_free(c->mem);
    free(c);
}

const char *skein_version_text(void)
{
    return "9.9.9";
}

void skn_shape_event(skn_jw *w, const skein_event *event)
{
    skn_jw_object(w);
    skn_jw_kint(w, "seq", event->seq);
    skn_jw_kstr(w, "world", event->world_name);
    skn_jw_kstr(w, "cause", event->cause);
    skn_jw_key(w, "data");
    skn_jw_raw(w, event->data);
    skn_jw_object_end(w);
}

static inline int64_t lab_newest(void)
{
    return lab.event_count ? lab.events[lab.event_count - 1].seq : 0;
}

skein_rc skein_events_span(skein_engine *e, int64_t *newest, int64_t *forgotten,
                           skein_error *err)
{
    (void)e;
    *newest = lab_newest();
    *forgotten = lab.forgotten;
    return lab.broken ? skn_fail(err, SKEIN_IO, "broken") : SKEIN_OK;
}

skein_rc skein_store_stamp(skein_engine *e, int64_t *stamp, skein_error *err)
{
    (void)e;
    *stamp = lab.stamp;
    return lab.broken ? skn_fail(err, SKEIN_IO, "broken") : SKEIN_OK;
}

skein_rc skein_events_read(skein_engine *e, const skein_event_query *q, skein_mem *mem,
                           skein_events *out, skein_error *err)
{
    size_t bytes = 0;

    (void)e;
    out->at = SKN_ARRAY(mem, q->limit, skein_event);
    out->count = 0;
    for (size_t i = 0; i < lab.event_count && out->count < q->limit && bytes < lab.enough;
         i++) {
        const lab_event *ev = &lab.events[i];

        if (ev->seq <= q->after || (q->world.v && q->world.v != ev->world) ||
            (q->chat.v && q->chat.v != ev->chat))
            continue;
        out->at[out->count++] = (skein_event){
            .seq = ev->seq,
            .world = {ev->world},
            .world_name = ev->world == 1 ? SKN_STR("one") : SKN_STR("two"),
            .chat = {ev->chat},
            .cause = ev->cause[0] ? skn_str_of(ev->cause) : SKN_NONE,
            .type = skn_str_of(ev->type),
            .data = skn_str_of(ev->data)};
        bytes += strlen(ev->data);
    }
    return lab.broken ? skn_fail(err, SKEIN_IO, "broken") : SKEIN_OK;
}

/* --- What the test does ------------------------------------------------------------------------- */

static inline void lab_changed(void *arg)
{
    (void)arg;
    lab.changes++;
}

static inline void lab_open(void)
{
    memset(&lab, 0, sizeof lab);
    lab.now = 1000000;
    lab.enough = SIZE_MAX;
    lab.http.options.changed = lab_changed;
    lab.http.hub = skn_hub_new(&lab.http, &lab.http.options);
}

/* One call that was posted, or one job's next half, in the order they came. */
static inline bool lab_step(void)
{
    lab_job j;

    if (lab.post_count) {
        j = lab.posts[lab.post_first];
        lab.post_first = (lab.post_first + 1) % LAB_POSTS;
        lab.post_count--;
        j.work(j.arg);
        return true;
    }
    if (!lab.job_count)
        return false;
    if (!lab.jobs[0].worked) {
        lab.jobs[0].worked = true;
        lab.jobs[0].work(lab.jobs[0].arg);
        return true;
    }
    j = lab.jobs[0];
    memmove(lab.jobs, lab.jobs + 1, --lab.job_count * sizeof *lab.jobs);
    j.done(j.arg);
    return true;
}

/* One half of any job: they come back in any order. */
static inline void lab_step_any(unsigned pick)
{
    size_t  i;
    lab_job j;

    if (!lab.job_count)
        return;
    i = pick % lab.job_count;
    j = lab.jobs[i];
    lab.jobs[i].worked = true;
    if (!j.worked) {
        j.work(j.arg);
        return;
    }
    memmove(lab.jobs + i, lab.jobs + i + 1, (--lab.job_count - i) * sizeof *lab.jobs);
    j.done(j.arg);
}

static inline void lab_settle(void)
{
    while (lab_step())
        continue;
}

static inline skn_timer *lab_due(int64_t until)
{
    skn_timer *first = NULL;

    for (skn_timer *t = lab.timers; t; t = t->next)
        if (t->on && t->at <= until && (!first || t->at < first->at))
            first = t;
    return first;
}

/* Time goes by, and everything that falls due is done. */
static inline void lab_wait(int64_t ms)
{
    int64_t    until = lab.now + ms;
    skn_timer *t;

    lab_settle();
    while ((t = lab_due(until))) {
        lab.now = t->at > lab.now ? t->at : lab.now;
        t->on = false;
        t->fn(t->arg);
        lab_settle();
    }
    lab.now = until;
}

static inline void closed(void *arg)
{
    *(bool *)arg = true;
}

static inline void lab_close(void)
{
    bool done = false;

    skn_hub_close(lab.http.hub, closed, &done);
    lab_wait(5000);
    assert_true(done);
    skn_hub_free(lab.http.hub);
    assert_null(lab.timers);
    assert_int_equal(lab.calls, 0);
    assert_int_equal(lab.shared, 0);
}

/* An event in world 1 is stored; nobody is told. */
static inline int64_t lab_commit(int64_t chat, const char *type, const char *cause,
                                 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static inline int64_t lab_commit(int64_t chat, const char *type, const char *cause,
                                 const char *fmt, ...)
{
    lab_event *ev = &lab.events[lab.event_count];
    va_list    ap;

    assert_true(lab.event_count < LAB_EVENTS);
    ev->seq = lab_newest() + 1 + (int64_t)(lab.event_count % 3 == 0);
    ev->world = 1;
    ev->chat = chat;
    snprintf(ev->type, sizeof ev->type, "%s", type);
    snprintf(ev->cause, sizeof ev->cause, "%s", cause);
    va_start(ap, fmt);
    vsnprintf(ev->data, sizeof ev->data, fmt, ap);
    va_end(ap);
    lab.event_count++;
    lab.stamp++;
    return ev->seq;
}

static inline void lab_tell(int64_t chat, const char *message, const char *part,
                            const char *text)
{
    skn_live event = {.world = {1},
                      .world_name = SKN_STR("one"),
                      .chat = {chat},
                      .chat_uid = SKN_STR("c"),
                      .cause = SKN_STR("q1"),
                      .type = "message.delta",
                      .message = skn_str_of(message),
                      .text = skn_str_of(text),
                      .part = skn_str_of(part)};

    skn_hub_tell(lab.http.hub, &event);
}

static inline skn_conn *lab_stream(skn_stream_filter filter, int64_t after)
{
    skn_api_call *c = skn_heap(sizeof *c);
    skn_conn     *conn = skn_heap(sizeof *conn);

    c->mem = skn_arena_new();
    c->by = SKN_NEW(c->mem, skn_carrier);
    c->by->http = &lab.http;
    c->world.name = SKN_STR("a world");
    c->chat.uid = SKN_STR("c_1");
    c->by->conn = conn;
    skn_buf_init(&conn->out, SIZE_MAX / 4);
    lab.calls++;
    lab.conns++;
    skn_stream_open(c, &filter, after);
    return conn;
}

static inline void lab_conn_free(skn_conn *conn)
{
    skn_buf_release(&conn->out);
    free(conn);
    lab.conns--;
}

/* --- What came ---------------------------------------------------------------------------------- */

/* What came, as one text: a line "NAME" or "NAME#ID" for each frame, with its data for some. */
static inline void list_frame(void *arg, const sse_frame *f)
{
    skn_buf *out = arg;

    skn_buf_add(out, f->event);
    if (f->has_id)
        skn_buf_addf(out, "#%.*s", SKN_FMT(f->id));
    skn_buf_addc(out, ' ');
}

static inline void came(const skn_conn *conn, const char *list)
{
    sse_reader r;
    skn_buf    out;

    skn_buf_init(&out, 1 << 20);
    sse_reader_init(&r, list_frame, &out);
    sse_feed(&r, skn_buf_str(&conn->out));
    assert_string_equal(out.p ? out.p : "", list);
    assert_false(r.bad);
    sse_reader_release(&r);
    skn_buf_release(&out);
}

static inline int count_of(const skn_conn *conn, const char *text)
{
    skn_str s = skn_buf_str(&conn->out);
    int     n = 0;

    for (ptrdiff_t at; (at = skn_str_find(s, skn_str_of(text))) >= 0; n++)
        s = skn_str_sub(s, (size_t)at + 1, s.n);
    return n;
}

static inline bool has(const skn_conn *conn, const char *text)
{
    return count_of(conn, text) > 0;
}

static inline void finish(skn_conn *conn)
{
    conn_take(conn, SIZE_MAX);
    conn_lose(conn, false);
    lab_settle();
    lab_conn_free(conn);
}

#endif
