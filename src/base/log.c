#include "base/log.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/shape.h"
#include "base/utf8.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    VALUE_MAX = 2048,
    LINE_MAX_BYTES = 64 * 1024,
    PIECE_MOST = 4096, /* a pipe that can be written has room for so much: PIPE_BUF */
    PATIENCE_MS = 20
};

typedef struct secret {
    skn_str        text;
    struct secret *next;
} secret;

struct skn_log {
    int             fd;
    bool            json;
    atomic_int      level;
    pthread_mutex_t mu;
    secret         *secrets;     /* guarded by mu */
    skn_buf         line, value; /* guarded by mu */
    int64_t         lost;        /* lines since the last that was written; guarded by mu */
};

static const char *const level_names[] = {"error", "warn", "info", "debug", "trace"};

skn_log *skn_log_new(int fd, bool json, skn_log_level level)
{
    skn_log *log = skn_heap(sizeof *log);

    log->fd = fd;
    log->json = json;
    atomic_init(&log->level, (int)level);
    pthread_mutex_init(&log->mu, NULL);
    skn_buf_init(&log->line, LINE_MAX_BYTES);
    skn_buf_init(&log->value, VALUE_MAX);
    return log;
}

void skn_log_free(skn_log *log)
{
    if (!log)
        return;
    for (secret *s = log->secrets, *next; s; s = next) {
        next = s->next;
        free((void *)(uintptr_t)s->text.p);
        free(s);
    }
    skn_buf_release(&log->line);
    skn_buf_release(&log->value);
    pthread_mutex_destroy(&log->mu);
    free(log);
}

void skn_log_hide(skn_log *log, skn_str text)
{
    secret *s;

    if (!log || !text.n)
        return;
    s = skn_heap(sizeof *s);
    s->text = (skn_str){skn_heap_copy(text), text.n};
    pthread_mutex_lock(&log->mu);
    s->next = log->secrets;
    log->secrets = s;
    pthread_mutex_unlock(&log->mu);
}

void skn_log_set_level(skn_log *log, skn_log_level level)
{
    if (log)
        atomic_store(&log->level, (int)level);
}

bool skn_log_level_from(skn_str name, skn_log_level *out)
{
    return skn_enum_from(&(const skn_enum)SKN_ENUM(level_names), name, (int *)out);
}

/* The text with every secret replaced, cut to what a line can bear. */
static skn_str hide_locked(skn_log *log, skn_str text)
{
    skn_buf *b = &log->value;
    size_t   at = 0;

    if (!log->secrets)
        return skn_utf8_cut(text, VALUE_MAX);
    skn_buf_clear(b);
    while (at < text.n && !b->over) {
        const secret *s = log->secrets;
        skn_str       rest = skn_str_sub(text, at, text.n);

        while (s && !skn_str_starts(rest, s->text))
            s = s->next;
        skn_buf_add(b, s ? SKN_STR("…") : skn_str_sub(rest, 0, 1));
        at += s ? s->text.n : 1;
    }
    return skn_utf8_cut(skn_buf_str(b), VALUE_MAX);
}

/* Control characters, also those of two bytes, could move a terminal's cursor or end the line; bytes
 * that are not UTF-8 would break JSON. */
static void add_escaped(skn_buf *b, skn_str s)
{
    bool valid = skn_utf8_valid(s, &(size_t){0});

    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        unsigned char next = i + 1 < s.n ? (unsigned char)s.p[i + 1] : 0;

        if (c < 0x20 || c == 0x7f)
            skn_buf_addf(b, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            skn_buf_addf(b, "\\%c", c);
        else if (c >= 0x80 && !valid)
            skn_buf_add(b, SKN_STR("?"));
        else if (c == 0xc2 && next < 0xa0)
            skn_buf_addf(b, "\\u%04x", s.p[++i] & 0xff);
        else
            skn_buf_addc(b, (char)c);
    }
}

static bool bare(skn_str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || (unsigned char)s.p[i] >= 0x7f || s.p[i] == '"' ||
            s.p[i] == '=' || s.p[i] == '\\')
            return false;
    return s.n > 0;
}

static void add_value(skn_log *log, skn_str text)
{
    skn_str s = hide_locked(log, text);

    if (!log->json && bare(s)) {
        skn_buf_add(&log->line, s);
        return;
    }
    skn_buf_addc(&log->line, '"');
    add_escaped(&log->line, s);
    skn_buf_addc(&log->line, '"');
}

static void add_head(skn_log *log, skn_log_level level, skn_str what)
{
    char    text[SKN_TIME_TEXT];
    skn_str now = skn_time_format(skn_clock_micros(), text);

    if (log->json) {
        skn_buf_addf(&log->line,
                     "{\"time\":\"%.*s\",\"level\":\"%s\",\"message\":", SKN_FMT(now),
                     level_names[level]);
        add_value(log, what);
        return;
    }
    skn_buf_addf(&log->line, "%.*s %-5s ", SKN_FMT(now), level_names[level]);
    add_escaped(&log->line, hide_locked(log, what));
}

static void add_field(skn_log *log, const skn_log_field *f)
{
    skn_buf_addf(&log->line, log->json ? ",\"%s\":" : " %s=", f->key);
    if (f->text.p)
        add_value(log, f->text);
    else
        skn_buf_addf(&log->line, "%lld", (long long)f->number);
}

/* Whether it can be written now. A reader that stopped reading is waited for once, and then not until it reads again:
 * no caller may hang on the log. */
static bool is_read(const skn_log *log, int patience)
{
    struct pollfd p = {.fd = log->fd, .events = POLLOUT};
    int           n;

    while ((n = poll(&p, 1, patience)) < 0 && errno == EINTR)
        continue;
    return n > 0 && p.revents & POLLOUT;
}

/* One write for a line where that cannot wait, so that lines of several processes do not mix. A line
 * that cannot be written is lost, and counted. */
static bool put_line(const skn_log *log, int patience)
{
    skn_str rest = skn_buf_str(&log->line);
    ssize_t n;

    while (rest.n && is_read(log, patience)) {
        n = write(log->fd, rest.p, rest.n < PIECE_MOST ? rest.n : PIECE_MOST);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        rest = n > 0 ? skn_str_sub(rest, (size_t)n, rest.n) : rest;
    }
    return rest.n == 0;
}

static void make_line(skn_log *log, skn_log_level level, skn_str what,
                      const skn_log_field *fields, size_t count)
{
    skn_buf_clear(&log->line);
    add_head(log, level, what);
    for (size_t i = 0; i < count && log->line.n < LINE_MAX_BYTES / 2; i++)
        add_field(log, &fields[i]);
    skn_buf_add(&log->line, log->json ? SKN_STR("}\n") : SKN_STR("\n"));
}

/* True when there is nothing to say about lost lines, or it was said. */
static bool say_lost_locked(skn_log *log)
{
    const skn_log_field field = {"lines", SKN_NONE, log->lost};

    if (!log->lost)
        return true;
    if (!is_read(log, 0))
        return false;
    make_line(log, SKN_LOG_WARN, SKN_STR("lines were lost: nobody read this log"), &field, 1);
    if (!put_line(log, 0))
        return false;
    log->lost = 0;
    return true;
}

static void write_line(skn_log *log, skn_log_level level, skn_str what,
                       const skn_log_field *fields, size_t count)
{
    bool said;

    pthread_mutex_lock(&log->mu);
    said = say_lost_locked(log);
    if (said) {
        make_line(log, level, what, fields, count);
        said = put_line(log, PATIENCE_MS);
    }
    log->lost += !said;
    pthread_mutex_unlock(&log->mu);
}

static bool wanted(skn_log *log, skn_log_level level)
{
    return log && (int)level <= atomic_load_explicit(&log->level, memory_order_relaxed);
}

void skn_log_write(skn_log *log, skn_log_level level, const char *what,
                   const skn_log_field *fields, size_t count)
{
    if (wanted(log, level))
        write_line(log, level, skn_str_of(what), fields, count);
}

void skn_log_say(skn_log *log, skn_log_level level, const char *fmt, ...)
{
    char    text[2 * VALUE_MAX]; /* more than is shown: no half secret at the cut */
    va_list args;
    int     n;

    if (!wanted(log, level))
        return;
    va_start(args, fmt);
    n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    n = n < (int)sizeof text ? n : (int)sizeof text - 1;
    write_line(log, level, (skn_str){text, (size_t)n}, NULL, 0);
}
